//! Collisions with walls, and with what contacts close on.
//!
//! All walls that are met act together, those that are approached, inside the constraints in force (`polhode_impulse`): reflection with restitution, or
//! friction that follows the normal impulse. Collisions whose intervals shrink have piled up when what is left of them takes no time. Where a border is met at the same
//! time the wall acts first.

use super::record::{JumpCase, JumpRecord, Refusal};
use super::rolling::changing;
use super::switcher::{NO_RATE, Outcome, Pace, Projected, Switcher};
use super::tangents::Tangents;
use polhode_base::ids::{BorderId, ContactId, Id, IdRange, LatchId, ModeId, RowId, WallId};
use polhode_impulse::collide::ROUNDS;
use polhode_impulse::{Contact, FrictionError, Rank, Rows, impact};
use polhode_tape::Scalar;

/// Intervals between collisions that shrink by less than this factor do not pile up.
const SHRINKING: f64 = 0.999;

/// Collisions have piled up when all that are left take less time than this, in units of time and of the time that has passed.
const PILED_UP: f64 = 1e-7;

/// A normal impulse below this part of the largest one is none.
const NO_IMPULSE: f64 = 1e-10;

/// Why friction has no answer.
fn several(wall: &str, other: &str) -> String {
    format!("{wall} has a coefficient of friction, and {other} is hit at the same time")
}
/// Gradients of gaps below this are rounding: x² at the x of a zero of x³.
const NO_GRADIENT: f64 = 1e-20;

impl<S: Scalar> Switcher<'_, S> {
    /// A wall that is met now, and approached.
    pub(super) fn wall_ahead(&self, t: S, state: &[S]) -> Option<WallId> {
        let s = self.switching;
        { s.model.walls.ids() }.find(|k| {
            let closed = s.model.walls[*k].lasting.is_some_and(|l| self.sides.latches[l]);
            let row = s.wall_rows[*k].first();
            !closed && self.falls(self.rate(row, self.velocity(state))) && self.is_met(t, state, self.wall_gap(*k), row)
        })
    }

    /// Crosses those of the borders that a motion still crosses after a collision: a wall may throw it back from them.
    pub(super) fn cross_after(&mut self, t: S, outcome: Outcome, met: &[BorderId]) -> Outcome {
        if met.is_empty() || matches!(outcome, Outcome::Refused(_)) {
            return outcome;
        }
        let state = self.next.clone();
        if let Err(refusal) = self.look(t, &state) {
            return Outcome::Refused(refusal);
        }
        let mode = ModeId::new(state[self.compiled.program.state.len()].to_f64() as usize);
        let v = self.velocity(&state).to_vec();
        let crossed: Vec<BorderId> = (met.iter().copied())
            .filter(|b| self.entered(t, &state, &v, *b, mode) == -self.sides.borders[*b])
            .collect();
        match (crossed.is_empty(), outcome) {
            (false, Outcome::Go(record)) => match self.cross(t, &state, &crossed, None) {
                // one event: from before the collision to after the border
                Outcome::Go(after) => Outcome::Go(record.zip(after).map(|(a, b)| Box::new(a.followed_by(*b)))),
                refused => refused,
            },
            (_, outcome) => outcome,
        }
    }

    /// What happens at a wall.
    pub(super) fn collide(&mut self, t: S, state: &[S], wall: WallId) -> Outcome {
        let model = &self.switching.model;
        self.met.clear();
        for k in model.walls.ids() {
            let touches = model.walls[k].lasting.is_some_and(|l| self.sides.latches[l]);
            let row = self.switching.wall_rows[k].first();
            if !touches && (k == wall || self.is_met(t, state, self.wall_gap(k), row)) {
                self.met.push(k);
            }
        }
        let met = std::mem::take(&mut self.met);
        if let Some(refusal) = self.no_normal(&met) {
            return Outcome::Refused(refusal);
        }
        let outcome = self.collide_with(t, state, &met);
        self.met = met;
        outcome
    }

    /// A wall whose gap has no gradient where it is met: at a corner, or where the gap begins with a higher power.
    fn no_normal(&self, met: &[WallId]) -> Option<Refusal> {
        let s = self.switching;
        let flat = |k: &&WallId| {
            let size: f64 = self.numbers[s.impact.row(s.wall_rows[**k].first())].iter().map(|a| a.to_f64().abs()).sum();
            size.is_nan() || size <= NO_GRADIENT
        };
        let name = &s.model.walls[*met.iter().find(flat)?].name;
        let reason = format!(
            "the gap of {name} has no gradient where it is met, so that nothing says which way the wall pushes: write two walls for a corner, and a gap \
             that is proportional to the distance near the wall"
        );
        Some(Refusal::NoImpactLaw { reason })
    }

    /// What happens at walls that are met, of which those that are approached act.
    fn collide_with(&mut self, t: S, state: &[S], met: &[WallId]) -> Outcome {
        let model = self.switching.model.clone();
        let mode = ModeId::new(state[self.compiled.program.state.len()].to_f64() as usize);
        let (p, hit) = match self.unilateral(state, mode, met) {
            Ok(p) => p,
            Err(refusal) => return Outcome::Refused(refusal),
        };
        // a wall that is met and not approached is pressed against
        // a contact that is neither approached nor left closes, or opens again if it pulls
        let grazed = hit.is_empty() && met.iter().all(|k| self.contact_of(*k).is_some());
        let case = if grazed { JumpCase::Keep } else { JumpCase::Collision };
        if grazed {
            let contacts: Vec<ContactId> = met.iter().filter_map(|k| self.contact_of(*k)).collect();
            if let Some(refusal) = contacts.iter().find_map(|c| self.too_often(*c)) {
                return Outcome::Refused(refusal);
            }
        }
        let hit = if hit.is_empty() { met.to_vec() } else { hit };
        let piled = self.pile_up(t.to_f64(), &hit);
        let lying = if piled.is_some() { hit.clone() } else { self.stays_closed(&hit, &p.velocity) };
        let sides = self.sides.clone();
        let (sides, p) = match lying.is_empty() {
            true => (sides, p),
            false => match self.close(state, sides, &lying, p) {
                Ok(closed) => closed,
                Err(refusal) => return Outcome::Refused(refusal),
            },
        };
        let Some(at) = piled else {
            return self.go_on(state, sides, &p, case, &[], &hit);
        };
        self.sides = sides;
        if hit.iter().any(|k| model.walls[*k].lasting.is_none()) {
            let walls = hit.iter().map(|k| model.walls[*k].name.clone()).collect();
            return Outcome::Refused(Refusal::Accumulation { walls, at });
        }
        for latch in hit.iter().filter_map(|k| model.walls[*k].lasting) {
            self.sides.latches[latch] = true;
        }
        match self.settle(state, JumpCase::Settle) {
            Outcome::Go(record) => Outcome::Go(record.map(|r| Box::new(JumpRecord { accumulates_at: Some(at), ..*r }))),
            refused => refused,
        }
    }

    /// The velocity after a collision, and the walls that acted.
    ///
    /// Closed contacts that would have to pull open. Those with dry friction give no impulse of it where nothing presses them; where one is pressed by the
    /// collision elsewhere, the impulses of both grow together in a way that rigid bodies leave open.
    fn unilateral(
        &mut self,
        state: &[S],
        mode: ModeId,
        met: &[WallId],
    ) -> Result<(Projected<S>, Vec<WallId>), Refusal> {
        if changing(&self.switching.model).next().is_none() {
            return self.reflected(state, mode, mode, met);
        }
        let mut sides = self.loosened();
        loop {
            let loose = self.mode(&sides)?;
            let found = self.reflected(state, mode, loose, met)?;
            let least = NO_IMPULSE * self.largest;
            let pushes = self.pushes(&sides);
            let pulled = |(k, x): &(ContactId, f64)| self.changes(*k).closed.filter(|_| *x < -least);
            let opens: Vec<(ContactId, LatchId)> = pushes.iter().filter_map(|p| Some((p.0, pulled(p)?))).collect();
            for (k, latch) in &opens {
                sides.latches[*latch] = false;
                let wall = self.wall_of(*k);
                wall.into_iter().for_each(|wall| self.note_opening(wall));
            }
            if !opens.is_empty() {
                continue;
            }
            let rubs = |k: ContactId| {
                let changes = self.changes(k);
                changes.rolls.is_some() && changes.rough.as_ref().is_none_or(|c| c.holds(&sides))
            };
            if let Some((k, _)) = pushes.iter().find(|(k, x)| rubs(*k) && *x > least) {
                let reason = format!(
                    "the collision presses on {}, which is closed and has dry friction: how the impulses of both grow is no matter of rigid bodies",
                    self.contact_name(*k)
                );
                return Err(Refusal::NoImpactLaw { reason });
            }
            let v = &found.0.velocity;
            if let Some(k) = self.opened.iter().find(|k| self.is_approached(**k, v)) {
                let name = &self.switching.model.walls[*k].name;
                let reason = format!("{name} would have to pull, and closes again at once when it does not");
                return Err(Refusal::NoImpactLaw { reason });
            }
            self.sides = self.tightened(state, sides, v)?;
            return Ok(found);
        }
    }

    /// The rows of a wall that act: of one that is smooth here only that of the gap.
    fn acting(&self, wall: WallId) -> IdRange<RowId> {
        let rows = self.switching.wall_rows[wall];
        match self.switching.model.walls[wall].rough.as_ref().is_none_or(|c| c.holds(&self.sides)) {
            true => rows,
            false => rows.only_first(),
        }
    }

    /// Whether a wall has dry friction here.
    fn rubs(&self, wall: WallId) -> bool {
        self.switching.friction[wall].is_some() && self.acting(wall).len() > 1
    }

    /// Whether a wall is approached.
    fn is_approached(&self, wall: WallId, v: &[S]) -> bool {
        let (rate, size) = self.rate(self.switching.wall_rows[wall].first(), v);
        rate < -NO_RATE * size
    }

    /// The velocity after a collision within the constraints of a mode, and the walls that acted; before it those of `held` were in force.
    pub(super) fn reflected(
        &mut self,
        state: &[S],
        held: ModeId,
        mode: ModeId,
        met: &[WallId],
    ) -> Result<(Projected<S>, Vec<WallId>), Refusal> {
        let s = self.switching;
        let no_law = |reason: String| Refusal::NoImpactLaw { reason };
        self.take_rows(&s.modes[held]);
        // what holds holds, whatever rounding has made of it
        let mut v = self.velocity(state).to_vec();
        if !self.w.is_empty() {
            self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
            self.jump.set(&self.metric, &mut self.rows, &v, S::default()).map_err(|e| no_law(e.to_string()))?;
            v.copy_from_slice(&self.jump.velocity);
        }
        if mode != held {
            self.take_rows(&s.modes[mode]);
            if !self.w.is_empty() {
                self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
            }
        }
        let v = &v[..];
        // friction has a law for one wall at a time: others may be met, and not approached
        let approached: Vec<WallId> = met.iter().copied().filter(|k| self.is_approached(*k, v)).collect();
        let alone = match approached[..] {
            [k] if self.rubs(k) => Some([k]),
            _ => None,
        };
        let all = met;
        let met = alone.as_ref().map_or(met, |k| &k[..]);
        let numbers = &self.numbers;
        let (mut rows, mut offsets) = (Vec::new(), Vec::new());
        let mut places = Vec::new();
        for k in met {
            let first = rows.len();
            for row in self.acting(*k) {
                let place = s.impact.row(row);
                rows.extend_from_slice(&numbers[place.clone()]);
                offsets.push(numbers[place.end]);
            }
            places.push(first..rows.len());
        }
        let n = s.impact.n;
        let contacts: Vec<Contact<'_, S>> = (met.iter().zip(&places))
            .map(|(k, r)| Contact {
                rows: &rows[r.clone()],
                offset: &offsets[r.start / n..r.end / n],
                restitution: S::constant(s.restitution[*k]),
            })
            .collect();
        if let ([k], [contact]) = (met, &contacts[..])
            && let Some(mu) = s.friction[*k].filter(|_| self.rubs(*k))
        {
            let kept = (!self.w.is_empty()).then_some(&self.rows);
            let p = match self.rubbed(kept, contact, S::constant(mu), v, *k) {
                Ok(p) => p,
                Err(FrictionError::Departs { .. }) => {
                    self.kept.clear();
                    return Ok((Projected { velocity: v.to_vec(), ..Projected::default() }, Vec::new()));
                }
                Err(e) => return Err(no_law(e.to_string())),
            };
            if let Some(other) = all.iter().find(|j| *j != k && self.is_approached(**j, &p.velocity)) {
                return Err(no_law(several(&s.model.walls[*k].name, &s.model.walls[*other].name)));
            }
            self.keep_impulses(v, &p)?;
            return Ok((p, vec![*k]));
        }
        if let Some(k) = met.iter().find(|k| self.rubs(**k) && self.is_approached(**k, v)) {
            let other = approached.iter().find(|j| *j != k).unwrap_or(k);
            return Err(no_law(several(&s.model.walls[*k].name, &s.model.walls[*other].name)));
        }
        self.collision.set(&self.metric, &self.w, &self.w0, &contacts, v, ROUNDS).map_err(|e| no_law(e.to_string()))?;
        let acted = |i: &usize| self.collision.acted.iter().any(|(_, c)| c == i);
        let hit: Vec<WallId> = (0..met.len()).filter(acted).map(|i| met[i]).collect();
        if let Some(k) = hit.iter().find(|k| self.rubs(**k)) {
            let other = hit.iter().find(|j| *j != k).unwrap_or(k);
            return Err(no_law(several(&s.model.walls[*k].name, &s.model.walls[*other].name)));
        }
        self.kept.clone_from(&self.collision.kept);
        let impulses = (0..met.len()).filter(acted).flat_map(|i| self.collision.contact(i)).chain(&self.kept);
        self.largest = impulses.fold(0.0, |m: f64, x| m.max(x.to_f64().abs()));
        if !self.telling {
            return Ok((Projected { velocity: self.collision.velocity.clone(), ..Projected::default() }, hit));
        }
        let own = s.impact.representation;
        let kept = self.chosen.iter().zip(&self.collision.kept).enumerate().filter(|(_, (k, _))| k.index() >= own);
        let idle = self.collision.ambiguity();
        let fixed = |i: usize| idle.iter().all(|n| n[i].to_f64() == 0.0);
        let mut multipliers: Vec<(RowId, f64, bool)> = kept.map(|(i, (k, x))| (*k, x.to_f64(), fixed(i))).collect();
        for (i, k) in met.iter().enumerate().filter(|(i, _)| acted(i)) {
            let impulses = self.collision.contact(i).iter().zip(self.collision.unique(i));
            multipliers.extend(self.acting(*k).zip(impulses).map(|(row, (x, u))| (row, x.to_f64(), *u)));
        }
        let p = Projected {
            jumped: self.is_jump(self.velocity(state), &self.collision.velocity),
            velocity: self.collision.velocity.clone(),
            multipliers,
            dissipated: self.collision.dissipated.to_f64(),
        };
        Ok((p, hit))
    }

    /// Notes the impulses of the rows that were kept in a collision with friction: what they add to those of the wall.
    fn keep_impulses(&mut self, v: &[S], p: &Projected<S>) -> Result<(), Refusal> {
        let n = self.switching.impact.n;
        let mut push = vec![S::default(); n];
        self.largest = 0.0;
        for (row, x, _) in &p.multipliers {
            self.largest = self.largest.max(x.abs());
            let place = self.switching.impact.row(*row);
            push.iter_mut().zip(&self.numbers[place]).for_each(|(p, a)| *p = *p + S::from_f64(*x) * *a);
        }
        let pushed: Vec<S> = self.metric.velocity(&push).iter().zip(v).map(|(a, b)| *a + *b).collect();
        self.kept.clear();
        if !self.w.is_empty() {
            let no_law = |reason: String| Refusal::NoImpactLaw { reason };
            self.jump.set(&self.metric, &mut self.rows, &pushed, S::default()).map_err(|e| no_law(e.to_string()))?;
            self.kept.clone_from(&self.jump.multipliers);
        }
        Ok(())
    }

    /// Notes collisions; when they will have piled up, if they do so now.
    pub(super) fn pile_up(&mut self, t: f64, walls: &[WallId]) -> Option<f64> {
        let mut piled: Option<f64> = None;
        for k in walls {
            let Pace { last, interval, unseen } = self.paces[*k];
            let now = last.map(|last| (t - last).abs());
            self.paces[*k] = Pace { last: Some(t), interval: now, unseen: 0.0 };
            let Some(now) = now else { continue };
            let scale = PILED_UP * t.abs().max(1.0);
            if now == 0.0 {
                // twice at one time may be a border that sends the motion back; three times are a wall that is pressed against
                if interval == Some(0.0) {
                    piled = Some(t);
                }
                continue;
            }
            // a flight that rounding hides
            if now <= unseen * (1.0 + f64::EPSILON.sqrt()) {
                piled = Some(t);
                continue;
            }
            let Some(before) = interval else { continue };
            let ratio = now / before;
            if ratio < SHRINKING && now * ratio / (1.0 - ratio) < scale {
                piled = Some(t + now * ratio / (1.0 - ratio));
            }
        }
        piled
    }

    /// The velocity after a collision with a wall that has a coefficient of friction.
    fn rubbed(
        &self,
        kept: Option<&Rows<S>>,
        contact: &Contact<'_, S>,
        mu: S,
        v: &[S],
        wall: WallId,
    ) -> Result<Projected<S>, FrictionError> {
        let s = self.switching;
        let tangents = Tangents::of(s.impact.n, contact.rows, contact.offset);
        let flat = Contact { rows: &tangents.rows, offset: &tangents.offsets, restitution: contact.restitution };
        let hit = impact(&self.metric, kept, &flat, mu, v)?;
        let mut multipliers = vec![(s.wall_rows[wall].first(), hit.normal.to_f64(), true)];
        // in the directions of the slip as the model writes it
        for (i, row) in { s.wall_rows[wall] }.skip(1).enumerate() {
            let part = hit.tangential.iter().zip(&tangents.directions).map(|(x, d)| x.to_f64() * d[i].to_f64()).sum();
            multipliers.push((row, part, true));
        }
        Ok(Projected {
            jumped: self.is_jump(v, &hit.velocity),
            velocity: hit.velocity,
            multipliers,
            dissipated: hit.dissipated.to_f64(),
        })
    }
}
