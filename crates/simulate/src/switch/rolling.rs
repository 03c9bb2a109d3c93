//! Contacts that open and close, roll and slide.
//!
//! A contact is open, rolls, or slides (polhode-model, `contact`); two latches say which. Events turn them, and each time a motion goes
//! on it is looked at whether it can stay as it is:
//!
//! ```text
//! closed, N ≤ 0                 opens
//! rolls,  F ≥ (1 + δ)μN         slides, in the direction −F/|F|
//! slides, |s| ≤ ε               rolls
//! slides, a pivot of (F) ≤ 0    no motion: refused
//! ```
//!
//! Slip at rest has no direction, and a small one turns so fast that no integrator follows it. Where the friction that rolling needs passes
//! its limit slowly, F = μN(1 + t/T), slip grows as ½κt² from then on; rolling goes on up to F = (1 + δ)μN, a time τ, and then the slip ½κτ²
//! is put in at once, by the smallest change of the velocities in the kinetic metric: what friction beyond the limit has kept back acted along just that
//! change. What is left of the error is of the order of τ³. Where slip begins with an acceleration, after an impact or as it turns round, it is
//! put in as 4ε.
//!
//! Such a change is orthogonal to all velocities that roll: it adds the energy ½s²/(U M⁻¹ Uᵀ), which is below rounding.

use super::record::{JumpCase, JumpRecord, Refusal};
use super::switcher::{Outcome, Projected, Switcher};
use crate::compile::EventKind;
use polhode_expr::Expr;
use polhode_impulse::Rank;
use polhode_model::{Changes, Model, SLIDES, Sides};
use polhode_tape::{Interpreter, Scalar};

/// Sliding begins with a slip of so many times the smallest, at least.
const BEGIN: f64 = 4.0;

/// The step of differences that tell how fast friction and slip grow, in units of time; they need no more than the digits of δ.
const STEP: f64 = 1e-6;

/// Secants that find the time of the limit: each doubles the digits, or nearly.
const SECANTS: usize = 12;

/// Steps that get nowhere are blamed on a pivot below this part of what it was when sliding began.
const JAMMING: f64 = 1e-2;

/// Changes of contacts at one instant beyond which there is no end of them: each contact opens, closes, rolls or slides once or twice.
const MOST_CHANGES: usize = 16;

/// A contact that closes or begins to roll so often, each time after less than [`SOON`], does so for ever.
const MOST_AGAIN: u32 = 50;

/// In units of time and of the time that has passed.
const SOON: f64 = 1e-9;

/// The step of second differences that tell how a gap opens, in units of time: rounding and the terms left out stay below [`NO_FORCE`], as they do in first
/// differences with [`STEP`].
const OPENING: f64 = 1e-4;

/// Derivatives of a rate below this part of what it is made of, per unit of time, are zero.
const NO_FORCE: f64 = 1e-6;

/// In roundings of the positions: a gap below this is noise.
const CLEAR: f64 = 64.0;

/// A gap that opens at less than this part of what its rate is made of stays closed.
const NO_RATE: f64 = 1e-10;

/// How often a contact has closed or begun to roll in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Again {
    last: f64,
    count: u32,
}

/// The contacts that change during a run, and after them the walls whose lasting contact rolls and slides.
pub(super) fn changing(model: &Model) -> impl Iterator<Item = (usize, &Changes)> {
    let walls = model.walls.iter().map(|w| w.changes.as_ref());
    let all = model.contacts.iter().map(|c| c.changes.as_ref()).chain(walls);
    all.enumerate().filter_map(|(k, c)| Some((k, c?)))
}

/// The name of one of them.
pub(super) fn name_of(model: &Model, contact: usize) -> &str {
    match model.contacts.get(contact) {
        Some(c) if c.name.is_empty() => &c.sides[0].name,
        Some(c) => &c.name,
        None => &model.walls[contact - model.contacts.len()].name,
    }
}

/// Its coefficient of friction.
pub(super) fn friction_of(model: &Model, contact: usize) -> Option<Expr> {
    match model.contacts.get(contact) {
        Some(c) => c.friction,
        None => model.walls[contact - model.contacts.len()].friction,
    }
}

/// What rolling needs.
struct Needed<S> {
    /// −F/|F|, in the axes of the rows of no slip.
    against: Vec<S>,
    /// |F|/N.
    ratio: f64,
}

fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::default(), |s, (a, b)| s + *a * *b)
}

/// Whether a contact is closed.
fn is_closed(changes: &Changes, sides: &Sides) -> bool {
    changes.closed.is_none_or(|l| sides.latches[l])
}

impl<S: Scalar> Switcher<'_, S> {
    fn event_of(&self, kind: &EventKind) -> Option<usize> {
        self.compiled.events.iter().position(|e| e.kind == *kind)
    }

    /// The contact that is a wall while it is open.
    pub(super) fn contact_of(&self, wall: usize) -> Option<usize> {
        let lasting = self.switching.model.walls[wall].lasting?;
        changing(&self.switching.model).find(|(_, c)| c.closed == Some(lasting)).map(|(k, _)| k)
    }

    pub(super) fn wall_of(&self, contact: usize) -> Option<usize> {
        let closed = self.changes(contact).closed?;
        self.switching.model.walls.iter().position(|w| w.lasting == Some(closed))
    }

    /// The inputs of tapes at the present time and positions, with a velocity.
    fn with_velocity(&self, state: &[S], v: &[S]) -> Vec<S> {
        let program = &self.compiled.program;
        let mut inputs = vec![self.inputs[0]];
        inputs.extend_from_slice(&state[..program.state.len()]);
        inputs[program.unknowns.start + 1..program.unknowns.end + 1].copy_from_slice(v);
        inputs
    }

    /// The functions of all events in a mode.
    fn watched(&self, mode: usize, state: &[S], v: &[S]) -> Vec<f64> {
        let tape = &self.compiled.charts[mode].events;
        let mut values = vec![S::default(); tape.outputs.len()];
        Interpreter::new(tape).call(&self.with_velocity(state, v), &mut values);
        values.iter().map(|x| x.to_f64()).collect()
    }

    /// What happens at the start to contacts that cannot stay as they are: with the event that stands for it.
    pub(super) fn start_contacts(&mut self, state: &[S]) -> Option<(usize, Outcome)> {
        let (first, _) = changing(&self.switching.model).next()?;
        let event = self
            .event_of(&EventKind::Slide(first))
            .or_else(|| self.event_of(&EventKind::Release(self.wall_of(first)?)));
        let v = self.velocity(state).to_vec();
        let unchanged = Projected { velocity: v, ..Projected::default() };
        match self.steady(state, self.sides.clone(), unchanged) {
            Ok((sides, _)) if self.switching.model.active(&sides) == self.switching.model.active(&self.sides) => {
                self.sides = sides;
                None
            }
            Ok((sides, p)) => Some((event?, self.go_on(state, sides, &p, JumpCase::Start, &[], &[]))),
            Err(refusal) => Some((event?, Outcome::Refused(refusal))),
        }
    }

    /// Rolling needs more friction than there is.
    pub(super) fn begin_sliding(&mut self, state: &[S], contact: usize) -> Outcome {
        let v = self.velocity(state).to_vec();
        match self.slid(state, self.sides.clone(), contact, &v, true) {
            Ok((sides, velocity)) => {
                let p = Projected { velocity, ..Projected::default() };
                self.go_on(state, sides, &p, JumpCase::Slide, &[], &[])
            }
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    /// Slip has died: it rolls, or slips the other way if it cannot.
    pub(super) fn end_sliding(&mut self, state: &[S], contact: usize) -> Outcome {
        if let Some(refusal) = self.too_often(contact) {
            return Outcome::Refused(refusal);
        }
        let Some(rolls) = self.changes(contact).rolls else { return self.settle(state, JumpCase::Roll) };
        self.sides.latches[rolls] = true;
        match self.settle(state, JumpCase::Roll) {
            Outcome::Go(Some(record)) if !self.sides.latches[rolls] => {
                let title = Some(format!("{} slips the other way", self.contact_name(contact)));
                Outcome::Go(Some(Box::new(JumpRecord { case: JumpCase::Turn, title, ..*record })))
            }
            outcome => outcome,
        }
    }

    /// Notes that a contact changes, and refuses to go on where that happens again and again.
    pub(super) fn too_often(&mut self, contact: usize) -> Option<Refusal> {
        let t = self.inputs[0].to_f64();
        let Again { last, count } = self.again[contact];
        let count = if (t - last).abs() <= SOON * t.abs().max(1.0) { count + 1 } else { 0 };
        self.again[contact] = Again { last: t, count };
        let reason =
            format!("{} closes or begins to roll again and again, and does not stay so", self.contact_name(contact));
        (count > MOST_AGAIN).then_some(Refusal::NoImpactLaw { reason })
    }

    /// How long after it has opened the gap of a wall is more than rounding.
    ///
    /// Where a normal force passes through zero the gap and its first two derivatives are zero, and the third is positive: its sign decides, unless that of a
    /// lower derivative does. A gap that begins to close is one that friction has opened: to stay closed the contact would have to pull, and it is pushed back
    /// into what it touches as soon as it does not.
    pub(super) fn opens_after(&mut self, state: &[S], mode: usize, wall: usize, v: &[S]) -> Result<f64, Refusal> {
        let row = self.switching.wall_rows[wall].start;
        let ((rate, size), gap) = (self.rate(row, v), self.wall_gap(wall).abs());
        let (t, unknowns) = (self.inputs[0], self.compiled.program.unknowns.clone());
        let inputs = self.with_velocity(state, v);
        let rates = [-OPENING, -STEP, STEP, OPENING].map(|h| -> Result<f64, Refusal> {
            let moved = self.moved(mode, inputs.clone(), S::from_f64(h));
            self.look(moved[0], &moved[1..])?;
            Ok(self.rate(row, &moved[unknowns.start + 1..unknowns.end + 1]).0)
        });
        self.look(t, state)?;
        let [before, just_before, just_after, after] = rates;
        let second = (just_after? - just_before?) / (2.0 * STEP);
        let third = (after? - 2.0 * rate + before?) / (OPENING * OPENING);
        let far = state[..unknowns.start].iter().fold(1.0, |far: f64, x| far.max(x.to_f64().abs()));
        let room = gap + CLEAR * S::EPSILON * far;
        let small = NO_FORCE * size.max(1.0);
        match (rate > NO_RATE * size, second, third) {
            (true, ..) => Ok(room / rate),
            (_, a, _) if a > small => Ok((2.0 * room / a).sqrt()),
            (_, a, b) if a >= -small && b > small => Ok((6.0 * room / b).cbrt()),
            (_, a, b) if a >= -small && b >= -small => Ok(OPENING),
            _ => {
                let reason = format!(
                    "{} would have to pull to stay closed, and falls back at once when it opens: it rolls there by a friction that nothing presses for; \
                     write friction and slides = true",
                    self.switching.model.walls[wall].name
                );
                Err(Refusal::NoImpactLaw { reason })
            }
        }
    }

    /// Notes that a wall lets go in this transition.
    pub(super) fn note_opening(&mut self, wall: usize) {
        if !self.opened.contains(&wall) {
            self.opened.push(wall);
        }
    }

    /// No normal force keeps a contact closed that slides in its present direction.
    pub(super) fn jammed(&self, contact: usize) -> Refusal {
        Refusal::Jams { contact: self.contact_name(contact) }
    }

    /// The contact that is about to jam, where a motion gets nowhere: its normal force grows without bound as the pivot falls to zero.
    pub(crate) fn jams_ahead(&mut self, t: S, state: &[S]) -> Option<Refusal> {
        let n = self.compiled.program.state.len();
        let mode = state.get(n)?.to_f64() as usize;
        let sliding: Vec<(usize, usize)> = (changing(&self.switching.model))
            .filter_map(|(k, _)| Some((k, self.event_of(&EventKind::Jam(k))?)))
            .collect();
        self.look(t, state).ok()?;
        let now = self.watched(mode, state, self.velocity(state));
        let from = if self.next.is_empty() { state.to_vec() } else { self.next.clone() };
        let then = self.watched(mode, &from, self.velocity(&from));
        sliding.into_iter().find(|(_, e)| now[*e] < JAMMING * then[*e]).map(|(k, _)| self.jammed(k))
    }

    /// A contact that slides and does not open would have to pull.
    pub(super) fn pulled(&self, contact: usize) -> Refusal {
        let reason = format!(
            "{} slides, and nothing presses it any more: dry friction of a contact that pulls would drive it; write opens = true",
            self.contact_name(contact)
        );
        Refusal::NoImpactLaw { reason }
    }

    pub(super) fn changes(&self, contact: usize) -> &Changes {
        let mut all = changing(&self.switching.model);
        all.find(|(k, _)| *k == contact).expect("only contacts that change have such events").1
    }

    pub(super) fn contact_name(&self, contact: usize) -> String {
        name_of(&self.switching.model, contact).to_owned()
    }

    /// Closes contacts that have been hit and do not open again, or whose bounces have piled up. The velocities that follow.
    pub(super) fn close(
        &mut self,
        state: &[S],
        mut sides: Sides,
        walls: &[usize],
        p: Projected<S>,
    ) -> Result<(Sides, Projected<S>), Refusal> {
        for wall in walls {
            let Some(contact) = self.contact_of(*wall) else { continue };
            let Changes { closed, rolls, .. } = self.changes(contact).clone();
            closed.into_iter().for_each(|l| sides.latches[l] = true);
            let Some(rolls) = rolls else { continue };
            sides.latches[rolls] = false;
            let mode = self.mode(&sides)?;
            let v = self.project(&p.velocity, &self.switching.modes[mode])?.velocity;
            let event = self.event_of(&EventKind::Roll(contact));
            let slips = event.is_some_and(|e| self.watched(mode, state, &v)[e] > 0.0);
            sides.latches[rolls] = !slips;
        }
        let mode = self.mode(&sides)?;
        let after = self.project(&p.velocity, &self.switching.modes[mode])?;
        let v = self.velocity(state);
        Ok((sides, Projected { jumped: self.is_jump(v, &after.velocity), velocity: after.velocity, ..p }))
    }

    /// The walls among those hit that are contacts which do not open again.
    pub(super) fn stays_closed(&self, hit: &[usize], v: &[S]) -> Vec<usize> {
        let lies = |k: &&usize| {
            let (rate, size) = self.rate(self.switching.wall_rows[**k].start, v);
            self.contact_of(**k).is_some() && rate.abs() <= NO_RATE * size
        };
        hit.iter().filter(lies).copied().collect()
    }

    /// Changes what cannot stay as it is.
    pub(super) fn steady(
        &mut self,
        state: &[S],
        mut sides: Sides,
        mut p: Projected<S>,
    ) -> Result<(Sides, Projected<S>), Refusal> {
        let model = self.switching.model.clone();
        for _ in 0..MOST_CHANGES {
            let closed: Vec<usize> = changing(&model).filter(|(_, c)| is_closed(c, &sides)).map(|(k, _)| k).collect();
            if closed.is_empty() {
                return Ok((sides, p));
            }
            let mode = self.mode(&sides)?;
            let values = self.watched(mode, state, &p.velocity);
            let at = |s: &Self, kind: EventKind| s.event_of(&kind).map(|e| values[e]);
            let mut changed = false;
            for k in closed {
                let changes = self.changes(k).clone();
                let rough = changes.rough.as_ref().is_none_or(|c| c.holds(&sides));
                if let Some(rolls) = changes.rolls
                    && !rough
                    && sides.latches[rolls]
                {
                    // no friction there
                    sides.latches[rolls] = false;
                    changed = true;
                    break;
                }
                let slides = changes.rolls.is_some_and(|l| !sides.latches[l]);
                if let (Some(rolls), true, true) = (changes.rolls, slides, rough)
                    && at(self, EventKind::Roll(k)).is_some_and(|x| x <= 0.0)
                {
                    // no slip
                    sides.latches[rolls] = true;
                    let rolling = self.mode(&sides)?;
                    p.velocity = self.project(&p.velocity, &self.switching.modes[rolling])?.velocity;
                    changed = true;
                    break;
                }
                if slides && at(self, EventKind::Jam(k)).is_some_and(|x| x <= 0.0) {
                    return Err(self.jammed(k));
                }
                if slides && at(self, EventKind::Pull(k)).is_some_and(|x| x <= 0.0) {
                    return Err(self.pulled(k));
                }
                let wall = self.wall_of(k);
                let push = wall.and_then(|w| at(self, EventKind::Release(w)));
                if let (Some(latch), Some(wall), Some(push)) = (changes.closed, wall, push)
                    && push <= 0.0
                {
                    sides.latches[latch] = false;
                    let open = self.mode(&sides)?;
                    let v = p.velocity.clone();
                    match (self.opens_after(state, open, wall, &v), slides || changes.rolls.is_none()) {
                        (Ok(_), _) => self.note_opening(wall),
                        (Err(refusal), true) => return Err(refusal),
                        // it rolls, and the friction of a slip does not press it away
                        (Err(_), false) => {
                            sides.latches[latch] = true;
                            (sides, p.velocity) = self.slid(state, sides, k, &v, false)?;
                        }
                    }
                    changed = true;
                    break;
                }
                let Some(rolls) = changes.rolls else { continue };
                if sides.latches[rolls] && at(self, EventKind::Slide(k)).is_some_and(|x| x <= 0.0) {
                    let v = p.velocity.clone();
                    (sides, p.velocity) = self.slid(state, sides, k, &v, false)?;
                    changed = true;
                    break;
                }
            }
            if !changed {
                return Ok((sides, p));
            }
        }
        Err(Refusal::NoImpactLaw { reason: "contacts that change do not come to an end there".to_owned() })
    }

    /// Begins to slide against the friction that rolling would need; `grown`, if that has just now come to the limit.
    fn slid(
        &mut self,
        state: &[S],
        mut sides: Sides,
        contact: usize,
        v: &[S],
        grown: bool,
    ) -> Result<(Sides, Vec<S>), Refusal> {
        let Some(rolls) = self.changes(contact).rolls else { return Ok((sides, v.to_vec())) };
        sides.latches[rolls] = true;
        let rolling = self.mode(&sides)?;
        let friction = self.friction_needed(rolling, contact, self.with_velocity(state, v));
        sides.latches[rolls] = false;
        let sliding = self.mode(&sides)?;
        // at rest the function is −ε²
        let least = self.event_of(&EventKind::Roll(contact)).map_or(0.0, |e| -self.watched(sliding, state, v)[e]);
        let least = BEGIN * least.max(0.0).sqrt();
        let mut begun = self.slipping(sliding, contact, v, &friction.against, least)?;
        if grown {
            // slip has grown since with its acceleration now, which was 0 then
            let t = self.inputs[0];
            let since = self.since_limit(state, rolling, contact, v, friction.ratio)?;
            let mut later = self.with_velocity(state, &begun);
            self.nudge(sliding, &mut later, S::from_f64(STEP));
            self.look(later[0], &later[1..])?;
            let slip = 0.5 * since * (self.slip_size(contact, &later) - least) / STEP;
            self.look(t, state)?;
            if slip.is_finite() && slip > least {
                begun = self.slipping(sliding, contact, v, &friction.against, slip)?;
            }
        }
        Ok((sides, begun))
    }

    /// How long ago the ratio r = F/N passed its limit, now that it is a part δ above it: secants along the motion followed backwards. Notes when and where.
    fn since_limit(&mut self, state: &[S], rolling: usize, contact: usize, v: &[S], now: f64) -> Result<f64, Refusal> {
        let t = self.inputs[0];
        let limit = now * SLIDES as f64 / (SLIDES as f64 + 1.0);
        let inputs = self.with_velocity(state, v);
        let longest = (t.to_f64() - self.changed_at).abs();
        let ratio_at = |s: &mut Self, ago: f64| -> Result<(f64, Vec<S>), Refusal> {
            let there = s.moved(rolling, inputs.clone(), S::from_f64(-ago));
            s.look(there[0], &there[1..])?;
            Ok((s.friction_needed(rolling, contact, there.clone()).ratio, there))
        };
        let (mut ago, mut ratio) = (0.0, now);
        let (mut next, mut there) = (STEP.min(longest), inputs.clone());
        for _ in 0..SECANTS {
            let (found, place) = ratio_at(self, next)?;
            there = place;
            let slope = (found - ratio) / (next - ago);
            (ago, ratio) = (next, found);
            next = (ago + (limit - ratio) / slope).clamp(0.0, longest);
            if !next.is_finite() || (next - ago).abs() <= 4.0 * f64::EPSILON * t.to_f64().abs().max(1.0) {
                break;
            }
        }
        self.look(t, state)?;
        let mut onset = there.split_off(1);
        onset.push(state[state.len() - 1]);
        self.onset = Some((there[0], onset));
        Ok(ago)
    }

    /// The velocity with a slip along a direction, by the smallest change in the kinetic metric.
    fn slipping(&mut self, sliding: usize, contact: usize, v: &[S], along: &[S], slip: f64) -> Result<Vec<S>, Refusal> {
        let Changes { no_slip, touching, .. } = self.changes(contact).clone();
        let mut active = self.switching.modes[sliding].clone();
        touching.into_iter().for_each(|c| active[c] = false);
        no_slip.clone().for_each(|c| active[c] = true);
        self.take_rows(&active);
        let own = self.switching.impact.representation;
        for (c, d) in no_slip.zip(along) {
            if let Some(i) = self.chosen.iter().position(|k| *k == own + c) {
                self.w0[i] = self.w0[i] - S::from_f64(slip) * *d;
            }
        }
        let no_law = |reason: String| Refusal::NoImpactLaw { reason };
        self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
        self.jump.set(&self.metric, &mut self.rows, v, S::default()).map_err(|e| no_law(e.to_string()))?;
        Ok(self.jump.velocity.clone())
    }

    /// The friction that a contact needs to roll, at inputs of tapes, where it has looked.
    fn friction_needed(&self, rolling: usize, contact: usize, inputs: Vec<S>) -> Needed<S> {
        let report = &self.compiled.charts[rolling].report;
        let mut values = vec![S::default(); report.outputs.len()];
        Interpreter::new(report).call(&inputs, &mut values);
        let first = self.compiled.program.layout.reactions.start;
        let force: Vec<S> = self.changes(contact).no_slip.clone().map(|c| values[first + c]).collect();
        let normal = self.normal(contact);
        let out = dot(&force, &normal);
        let along: Vec<S> = force.iter().zip(&normal).map(|(f, n)| *f - out * *n).collect();
        let size = dot(&along, &along).sqrt();
        // without any there is no direction, and the first one does
        let mut against: Vec<S> = along.iter().map(|f| -(*f / size)).collect();
        if size.to_f64() == 0.0 {
            against = across(&normal, along.len());
        }
        Needed { against, ratio: (size / -out).to_f64() }
    }

    /// Inputs of tapes a short time later, in a mode, by a step of the classical Runge–Kutta method.
    fn moved(&self, mode: usize, inputs: Vec<S>, h: S) -> Vec<S> {
        let n = self.compiled.program.state.len();
        let mut field = Interpreter::new(&self.compiled.charts[mode].field);
        let mut rates = vec![vec![S::default(); n]; 4];
        for (i, part) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
            let h = h * S::from_f64(part);
            let mut there = inputs.clone();
            there[0] = there[0] + h;
            if i > 0 {
                there[1..].iter_mut().zip(&rates[i - 1]).for_each(|(x, r)| *x = *x + h * *r);
            }
            field.call(&there, &mut rates[i]);
        }
        let mut moved = inputs;
        moved[0] = moved[0] + h;
        let sixth = h / S::from_f64(6.0);
        let two = S::from_f64(2.0);
        for (j, x) in moved[1..].iter_mut().enumerate() {
            *x = *x + sixth * (rates[0][j] + two * (rates[1][j] + rates[2][j]) + rates[3][j]);
        }
        moved
    }

    /// Moves inputs of tapes along their rates: a slip that has just begun turns too fast for more.
    fn nudge(&self, mode: usize, inputs: &mut [S], h: S) {
        let mut rates = vec![S::default(); self.compiled.program.state.len()];
        Interpreter::new(&self.compiled.charts[mode].field).call(inputs, &mut rates);
        inputs[0] = inputs[0] + h;
        inputs[1..].iter_mut().zip(&rates).for_each(|(x, r)| *x = *x + h * *r);
    }

    /// |s| at inputs of tapes, where it has looked.
    fn slip_size(&self, contact: usize, inputs: &[S]) -> f64 {
        let own = self.switching.impact.representation;
        let unknowns = self.compiled.program.unknowns.clone();
        let v = &inputs[unknowns.start + 1..unknowns.end + 1];
        let square: f64 = self.changes(contact).no_slip.clone().map(|c| self.rate(own + c, v).0.powi(2)).sum();
        square.sqrt()
    }

    /// ν in the axes of the rows of no slip.
    fn normal(&self, contact: usize) -> Vec<S> {
        let s = self.switching;
        let before = changing(&s.model).take_while(|(k, _)| *k < contact).count();
        let sets: usize = s.model.events.iter().map(|e| e.sets.len()).sum();
        let first = s.impact.functions.start + s.model.walls.len() + s.model.borders.len() + sets + 3 * before;
        self.numbers[first..first + 3].to_vec()
    }

    /// The normal impulses of closed contacts, from those of the rows that were kept in a collision.
    pub(super) fn pushes(&self, sides: &Sides) -> Vec<(usize, f64)> {
        let s = self.switching;
        let own = s.impact.representation;
        let impulse = |c: usize| {
            let i = self.chosen.iter().position(|k| *k == own + c);
            i.and_then(|i| self.kept.get(i)).map_or(0.0, |x| x.to_f64())
        };
        let mut out = Vec::new();
        for (k, changes) in changing(&s.model).filter(|(_, c)| is_closed(c, sides)) {
            let through: f64 = changes.no_slip.clone().zip(self.normal(k)).map(|(c, n)| -impulse(c) * n.to_f64()).sum();
            let frictionless = s.model.contacts.get(k).filter(|c| c.frictionless).map(|c| c.constraints.start);
            let rest = changes.touching.into_iter().chain(changes.smooth).chain(frictionless);
            out.push((k, through + rest.map(impulse).sum::<f64>()));
        }
        out
    }

    /// Sides on which closed contacts with dry friction slide.
    pub(super) fn loosened(&self) -> Sides {
        let mut sides = self.sides.clone();
        for (_, changes) in changing(&self.switching.model) {
            if let (Some(rolls), true) = (changes.rolls, is_closed(changes, &self.sides)) {
                sides.latches[rolls] = false;
            }
        }
        sides
    }

    /// Lets those contacts roll on that were loosened and do not slip.
    pub(super) fn tightened(&mut self, state: &[S], mut sides: Sides, v: &[S]) -> Result<Sides, Refusal> {
        let model = self.switching.model.clone();
        let mode = self.mode(&sides)?;
        let values = self.watched(mode, state, v);
        for (k, changes) in changing(&model).filter(|(_, c)| is_closed(c, &sides)).collect::<Vec<_>>() {
            if let (Some(rolls), Some(event)) = (changes.rolls, self.event_of(&EventKind::Roll(k))) {
                sides.latches[rolls] = self.sides.latches[rolls] && values[event] <= 0.0;
            }
        }
        Ok(sides)
    }

    /// Refuses a jump in which dry friction would have to give more than μ times the normal impulse.
    pub(super) fn within_cone(&self, sides: &Sides, p: &Projected<S>) -> Result<(), Refusal> {
        let s = self.switching;
        let own = s.impact.representation;
        let largest = p.multipliers.iter().fold(0.0, |m: f64, (_, x, _)| m.max(x.abs()));
        for (k, changes) in changing(&s.model).filter(|(_, c)| is_closed(c, sides)) {
            let (Some(rolls), Some(mu)) = (changes.rolls, s.rubbing[k]) else { continue };
            if !sides.latches[rolls] {
                continue;
            }
            let impulse = |c: usize| p.multipliers.iter().find(|(row, ..)| *row == own + c).map_or(0.0, |(_, x, _)| *x);
            let all: Vec<f64> = changes.no_slip.clone().map(impulse).collect();
            let normal: Vec<f64> = self.normal(k).iter().map(|n| n.to_f64()).collect();
            let push = -dot(&all, &normal[..all.len()]);
            let along: f64 = all.iter().zip(&normal).map(|(x, n)| (x + push * n).powi(2)).sum();
            if along.sqrt() > mu.to_f64() * push.max(0.0) + NO_RATE * largest {
                let reason = format!(
                    "{} would need an impulse of friction beyond μ times its normal impulse, and what else happens at that moment has no law",
                    self.contact_name(k)
                );
                return Err(Refusal::NoImpactLaw { reason });
            }
        }
        Ok(())
    }
}

/// Some unit vector across a normal, in the first components.
fn across<S: Scalar>(normal: &[S], count: usize) -> Vec<S> {
    let least = (0..count).min_by(|i, j| normal[*i].to_f64().abs().total_cmp(&normal[*j].to_f64().abs())).unwrap_or(0);
    let along = normal[least];
    let mut out: Vec<S> = (0..count).map(|i| -(along * normal[i])).collect();
    out[least] = out[least] + S::from_f64(1.0);
    let size = dot(&out, &out).sqrt();
    out.into_iter().map(|x| x / size).collect()
}
