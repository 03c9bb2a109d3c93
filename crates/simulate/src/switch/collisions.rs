//! Collisions with walls, and with what contacts close on.
//!
//! All walls that are met act together, those that are approached, inside the constraints in force (`polhode_impulse`): reflection with restitution, or
//! friction that follows the normal impulse.
//!
//! Not here: collisions that pile up (`ledger`).

use super::law::{Law, Projected, is_jump, no_law};
use super::look::{Look, NO_RATE, Taken};
use super::record::Refusal;
use super::rolling::changing;
use super::tangents::Tangents;
use polhode_base::ids::{ContactId, Id, IdRange, LatchId, ModeId, RowId, WallId};
use polhode_impulse::{Collision, Contact, FrictionError, Jump, Rank, Rows, impact};
use polhode_model::Sides;
use polhode_tape::Scalar;

/// A normal impulse below this part of the largest one is none.
const NO_IMPULSE: f64 = 1e-10;

/// Gradients of gaps below this are rounding: x² at the x of a zero of x³.
const NO_GRADIENT: f64 = 1e-20;

/// What walls that are met do to a motion.
pub(super) struct Struck<S> {
    pub(super) projected: Projected<S>,
    /// The walls that acted.
    pub(super) walls: Vec<WallId>,
    /// The rows that were kept.
    pub(super) held: Taken<S>,
    /// Their impulses.
    pub(super) kept: Vec<S>,
    /// The largest impulse.
    largest: f64,
}

/// Why friction has no answer.
fn several(wall: &str, other: &str) -> Refusal {
    no_law(format!("{wall} has a coefficient of friction, and {other} is hit at the same time"))
}

impl<S: Scalar> Law<'_, S> {
    /// Whether contact with a wall lasts at present.
    pub(super) fn touches(&self, sides: &Sides, wall: WallId) -> bool {
        self.switching.model.walls[wall].lasting.is_some_and(|l| sides.latches[l])
    }

    /// A wall that is met now, and approached.
    pub(super) fn wall_ahead(&self, look: &Look<'_, S>, sides: &Sides) -> Option<WallId> {
        self.switching
            .model
            .walls
            .ids()
            .find(|k| !self.touches(sides, *k) && self.falls(look.gap_rate(*k, look.velocity())) && look.meets_wall(*k))
    }

    /// The walls that are met together with one of them.
    pub(super) fn walls_met(&self, look: &Look<'_, S>, sides: &Sides, wall: WallId) -> Vec<WallId> {
        let met = |k: &WallId| !self.touches(sides, *k) && (*k == wall || look.meets_wall(*k));
        self.switching.model.walls.ids().filter(met).collect()
    }

    /// Refuses a wall whose gap has no gradient where it is met: at a corner, or where the gap begins with a higher power.
    pub(super) fn with_normals(&self, look: &Look<'_, S>, met: &[WallId]) -> Result<(), Refusal> {
        let s = self.switching;
        let flat = |k: &&WallId| {
            let size: f64 = look.row(s.wall_rows[**k].first()).iter().map(|a| a.to_f64().abs()).sum();
            size.is_nan() || size <= NO_GRADIENT
        };
        match met.iter().find(flat) {
            None => Ok(()),
            Some(k) => Err(no_law(format!(
                "the gap of {} has no gradient where it is met, so that nothing says which way the wall pushes: write two walls for a corner, and a gap \
                 that is proportional to the distance near the wall",
                s.model.walls[*k].name
            ))),
        }
    }

    /// The velocity after a collision, the walls that acted, and the sides then with the walls that let go.
    ///
    /// Closed contacts that would have to pull open. Those with dry friction give no impulse of it where nothing presses them; where one is pressed by the
    /// collision elsewhere, the impulses of both grow together in a way that rigid bodies leave open.
    pub(super) fn unilateral(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        met: &[WallId],
    ) -> Result<(Struck<S>, Sides, Vec<WallId>), Refusal> {
        let mode = look.place.mode;
        let s = self.switching;
        let mut opened: Vec<WallId> = Vec::new();
        if changing(&s.model).next().is_none() {
            return Ok((self.reflected(look, sides, mode, mode, met)?, sides.clone(), opened));
        }
        let mut loose = self.loosened(sides);
        loop {
            // walls act on the sides before the collision, but for contacts that are loosened or have opened
            let struck = self.reflected(look, sides, mode, self.mode(&loose)?, met)?;
            let least = NO_IMPULSE * struck.largest;
            let pushes = self.pushes(look, &loose, &struck);
            let pulled = |(k, x): &(ContactId, f64)| Some((*k, self.changes(*k).closed.filter(|_| *x < -least)?));
            let opens: Vec<(ContactId, LatchId)> = pushes.iter().filter_map(pulled).collect();
            for (k, latch) in &opens {
                loose.latches[*latch] = false;
                note(&mut opened, self.wall_of(*k));
            }
            if !opens.is_empty() {
                continue;
            }
            let rubs = |k: ContactId| {
                let changes = self.changes(k);
                changes.rolls.is_some() && changes.rough.as_ref().is_none_or(|c| c.holds(&loose))
            };
            if let Some((k, _)) = pushes.iter().find(|(k, x)| rubs(*k) && *x > least) {
                return Err(no_law(format!(
                    "the collision presses on {}, which is closed and has dry friction: how the impulses of both grow is no matter of rigid bodies",
                    self.contact_name(*k)
                )));
            }
            let v = &struck.projected.velocity;
            if let Some(k) = opened.iter().find(|k| is_approached(look, **k, v)) {
                let name = &s.model.walls[*k].name;
                return Err(no_law(format!("{name} would have to pull, and closes again at once when it does not")));
            }
            let tight = self.tightened(look, sides, loose, v)?;
            return Ok((struck, tight, opened));
        }
    }

    /// The rows of a wall that act: of one that is smooth here only that of the gap.
    fn acting(&self, sides: &Sides, wall: WallId) -> IdRange<RowId> {
        let rows = self.switching.wall_rows[wall];
        match self.switching.model.walls[wall].rough.as_ref().is_none_or(|c| c.holds(sides)) {
            true => rows,
            false => rows.only_first(),
        }
    }

    /// Whether a wall has dry friction here.
    fn rubs(&self, sides: &Sides, wall: WallId) -> bool {
        self.switching.friction[wall].is_some() && self.acting(sides, wall).len() > 1
    }

    /// What walls do within the constraints of a mode; before it those of `before` were in force.
    pub(super) fn reflected(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        before: ModeId,
        mode: ModeId,
        met: &[WallId],
    ) -> Result<Struck<S>, Refusal> {
        let s = self.switching;
        let mut held = look.rows(self.in_force(before));
        let mut rows = Rows::default();
        // what holds holds, whatever rounding has made of it
        let mut v = look.velocity().to_vec();
        if !held.w.is_empty() {
            rows.set(&look.metric, &held.w, &held.w0, Rank::Decide).map_err(no_law)?;
            v = Jump::new(&look.metric, &mut rows, &v, S::default()).map_err(no_law)?.velocity;
        }
        if mode != before {
            held = look.rows(self.in_force(mode));
            if !held.w.is_empty() {
                rows.set(&look.metric, &held.w, &held.w0, Rank::Decide).map_err(no_law)?;
            }
        }
        let v = &v[..];
        let kept_rows = (!held.w.is_empty()).then_some(&rows);
        // friction has a law for one wall at a time: others may be met, and not approached
        let approached: Vec<WallId> = met.iter().copied().filter(|k| is_approached(look, *k, v)).collect();
        let name = |k: WallId| &s.model.walls[k].name[..];
        let alone = match approached[..] {
            [k] if self.rubs(sides, k) => Some(k),
            _ => match met {
                [k] if self.rubs(sides, *k) => Some(*k),
                _ => None,
            },
        };
        if let Some((k, mu)) = alone.and_then(|k| Some((k, s.friction[k]?))) {
            return match self.rubbed(look, kept_rows, (k, S::constant(mu)), sides, v) {
                Ok(projected) => {
                    if let Some(other) = met.iter().find(|j| **j != k && is_approached(look, **j, &projected.velocity))
                    {
                        return Err(several(name(k), name(*other)));
                    }
                    let (kept, largest) = self.kept_impulses(look, kept_rows, v, &projected)?;
                    Ok(Struck { projected, walls: vec![k], held, kept, largest })
                }
                Err(FrictionError::Departs { .. }) => {
                    let projected = Projected { velocity: v.to_vec(), ..Projected::default() };
                    Ok(Struck { projected, walls: Vec::new(), held, kept: Vec::new(), largest: 0.0 })
                }
                Err(e) => Err(no_law(e)),
            };
        }
        if let Some(k) = met.iter().find(|k| self.rubs(sides, **k) && is_approached(look, **k, v)) {
            let other = approached.iter().find(|j| *j != k).unwrap_or(k);
            return Err(several(name(*k), name(*other)));
        }
        self.hit(look, sides, held, met, v)
    }

    /// Reflection at walls without a coefficient of friction.
    fn hit(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        held: Taken<S>,
        met: &[WallId],
        v: &[S],
    ) -> Result<Struck<S>, Refusal> {
        let s = self.switching;
        let stacks: Vec<(Vec<S>, Vec<S>)> = met.iter().map(|k| stack(look, self.acting(sides, *k))).collect();
        let contacts: Vec<Contact<'_, S>> = (met.iter().zip(&stacks))
            .map(|(k, (rows, offset))| Contact { rows, offset, restitution: S::constant(s.restitution[*k]) })
            .collect();
        let found = Collision::new(&look.metric, &held.w, &held.w0, &contacts, v).map_err(no_law)?;
        let acted = |i: &usize| found.acted.iter().any(|(_, c)| c == i);
        let walls: Vec<WallId> = (0..met.len()).filter(acted).map(|i| met[i]).collect();
        if let Some(k) = walls.iter().find(|k| self.rubs(sides, **k)) {
            let other = walls.iter().find(|j| *j != k).unwrap_or(k);
            return Err(several(&s.model.walls[*k].name, &s.model.walls[*other].name));
        }
        let impulses = (0..met.len()).filter(acted).flat_map(|i| found.contact(i)).chain(&found.kept);
        let largest = impulses.fold(0.0, |m: f64, x| m.max(x.to_f64().abs()));
        let mut projected = Projected { velocity: found.velocity.clone(), ..Projected::default() };
        if self.telling {
            let own = s.impact.representation;
            let idle = found.ambiguity();
            let fixed = |i: usize| idle.iter().all(|n| n[i].to_f64() == 0.0);
            let kept = held.chosen.iter().zip(&found.kept).enumerate().filter(|(_, (k, _))| k.index() >= own);
            projected.multipliers = kept.map(|(i, (k, x))| (*k, x.to_f64(), fixed(i))).collect();
            for (i, k) in met.iter().enumerate().filter(|(i, _)| acted(i)) {
                let impulses = found.contact(i).iter().zip(found.unique(i));
                let rows = self.acting(sides, *k).zip(impulses).map(|(row, (x, u))| (row, x.to_f64(), *u));
                projected.multipliers.extend(rows);
            }
            projected.jumped = is_jump(&look.metric, look.velocity(), &found.velocity);
            projected.dissipated = found.dissipated.to_f64();
        }
        Ok(Struck { projected, walls, held, kept: found.kept, largest })
    }

    /// The velocity after a collision with a wall that has a coefficient of friction.
    fn rubbed(
        &self,
        look: &Look<'_, S>,
        kept: Option<&Rows<S>>,
        (wall, mu): (WallId, S),
        sides: &Sides,
        v: &[S],
    ) -> Result<Projected<S>, FrictionError> {
        let s = self.switching;
        let (rows, offset) = stack(look, self.acting(sides, wall));
        let tangents = Tangents::of(s.impact.n, &rows, &offset);
        let restitution = S::constant(s.restitution[wall]);
        let flat = Contact { rows: &tangents.rows, offset: &tangents.offsets, restitution };
        let hit = impact(&look.metric, kept, &flat, mu, v)?;
        let mut multipliers = vec![(s.wall_rows[wall].first(), hit.normal.to_f64(), true)];
        // in the directions of the slip as the model writes it
        for (i, row) in s.wall_rows[wall].skip(1).enumerate() {
            let part = hit.tangential.iter().zip(&tangents.directions).map(|(x, d)| x.to_f64() * d[i].to_f64()).sum();
            multipliers.push((row, part, true));
        }
        Ok(Projected {
            jumped: is_jump(&look.metric, v, &hit.velocity),
            velocity: hit.velocity,
            multipliers,
            dissipated: hit.dissipated.to_f64(),
        })
    }

    /// The impulses of the rows that were kept in a collision with friction, and the largest of all: what they add to those of the wall.
    fn kept_impulses(
        &self,
        look: &Look<'_, S>,
        kept: Option<&Rows<S>>,
        v: &[S],
        p: &Projected<S>,
    ) -> Result<(Vec<S>, f64), Refusal> {
        let mut push = vec![S::default(); self.switching.impact.n];
        let mut largest: f64 = 0.0;
        for (row, x, _) in &p.multipliers {
            largest = largest.max(x.abs());
            push.iter_mut().zip(look.row(*row)).for_each(|(p, a)| *p = *p + S::from_f64(*x) * *a);
        }
        let pushed: Vec<S> = look.metric.velocity(&push).iter().zip(v).map(|(a, b)| *a + *b).collect();
        let Some(rows) = kept else { return Ok((Vec::new(), largest)) };
        let jump = Jump::new(&look.metric, &mut rows.clone(), &pushed, S::default()).map_err(no_law)?;
        Ok((jump.multipliers, largest))
    }
}

/// Rows below each other, and what is left of them at rest.
fn stack<S: Scalar>(look: &Look<'_, S>, rows: IdRange<RowId>) -> (Vec<S>, Vec<S>) {
    (rows.flat_map(|k| look.row(k)).copied().collect(), rows.map(|k| look.offset(k)).collect())
}

/// Whether a wall is approached.
fn is_approached<S: Scalar>(look: &Look<'_, S>, wall: WallId, v: &[S]) -> bool {
    let (rate, size) = look.gap_rate(wall, v);
    rate < -NO_RATE * size
}

/// Adds a wall to those that let go.
pub(super) fn note(opened: &mut Vec<WallId>, wall: Option<WallId>) {
    opened.extend(wall.filter(|k| !opened.contains(k)));
}
