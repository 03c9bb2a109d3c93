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

use super::record::{JumpCase, Refusal};
use super::switcher::{Outcome, Projected, Switcher};
use crate::compile::EventKind;
use polhode_impulse::Rank;
use polhode_model::{Changes, Model, SLIDES, Sides};
use polhode_tape::{Interpreter, Scalar};

/// Sliding begins with a slip of so many times the smallest, at least.
const BEGIN: f64 = 4.0;

/// The step of differences that tell how fast friction and slip grow, in units of time; they need no more than the digits of δ.
const STEP: f64 = 1e-6;

/// Changes of contacts at one instant beyond which there is no end of them: each contact opens, closes, rolls or slides once or twice.
const MOST_CHANGES: usize = 16;

/// A contact that closes or begins to roll so often, each time after less than [`SOON`], does so for ever.
const MOST_AGAIN: u32 = 50;

/// In units of time and of the time that has passed.
const SOON: f64 = 1e-9;

/// A gap that opens without a velocity stays within rounding for about this long, in units of time and of the time that has passed.
const LEAVING: f64 = 1e-5;

/// A gap that has just opened falls back if its rate loses this part of what it is made of in a unit of time.
const FALLING: f64 = 1e-6;

/// It is given this part of what its rate is made of.
const PARTING: f64 = 4e-11;

/// A gap that opens at less than this part of what its rate is made of stays closed.
const NO_RATE: f64 = 1e-10;

/// How often a contact has closed or begun to roll in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Again {
    last: f64,
    count: u32,
    /// When it opened last.
    opened: Option<f64>,
}

/// The contacts that change during a run.
pub(super) fn changing(model: &Model) -> impl Iterator<Item = (usize, &Changes)> {
    model.contacts.iter().enumerate().filter_map(|(k, c)| Some((k, c.changes.as_ref()?)))
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

    fn wall_of(&self, contact: usize) -> Option<usize> {
        let closed = self.switching.model.contacts[contact].changes.as_ref()?.closed?;
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
            Ok((sides, _)) if sides == self.sides => None,
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

    /// Slip has died.
    pub(super) fn end_sliding(&mut self, state: &[S], contact: usize) -> Outcome {
        if let Some(refusal) = self.too_often(contact) {
            return Outcome::Refused(refusal);
        }
        if let Some(rolls) = self.changes(contact).rolls {
            self.sides.latches[rolls] = true;
        }
        self.settle(state, JumpCase::Roll)
    }

    /// Notes that a contact changes, and refuses to go on where that happens again and again.
    pub(super) fn too_often(&mut self, contact: usize) -> Option<Refusal> {
        let t = self.inputs[0].to_f64();
        let Again { last, count, opened } = self.again[contact];
        let count = if (t - last).abs() <= SOON * t.abs().max(1.0) { count + 1 } else { 0 };
        self.again[contact] = Again { last: t, count, opened };
        let reason =
            format!("{} closes or begins to roll again and again, and does not stay so", self.contact_name(contact));
        (count > MOST_AGAIN).then_some(Refusal::NoImpactLaw { reason })
    }

    /// Opens a contact that would have to pull, or has just opened, so that its gap leaves zero: at the first moment it grows as the cube of time, which is
    /// lost in rounding. As slip does, it begins with a small velocity, orthogonal to those that touch.
    pub(super) fn part(&mut self, state: &[S], wall: usize, contact: usize, case: JumpCase) -> Outcome {
        self.note_opening(contact);
        let sides = self.sides.clone();
        let parted = self.mode(&sides).and_then(|mode| {
            self.take_rows(&self.switching.modes[mode]);
            let place = self.switching.impact.row(self.switching.wall_rows[wall].start);
            let (_, size) = self.rate(self.switching.wall_rows[wall].start, self.velocity(state));
            self.w.extend_from_slice(&self.numbers[place.clone()]);
            self.w0.push(self.numbers[place.end] - S::from_f64(PARTING * size));
            let no_law = |reason: String| Refusal::NoImpactLaw { reason };
            self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
            let v = self.velocity(state);
            self.jump.set(&self.metric, &mut self.rows, v, S::default()).map_err(|e| no_law(e.to_string()))?;
            let velocity = self.jump.velocity.clone();
            if self.falls_back(state, mode, wall, &velocity)? {
                let reason = format!(
                    "{} would have to pull to stay closed, and falls back at once when it opens: it rolls there by a friction that nothing presses for; \
                     write friction and slides = true",
                    self.contact_name(contact)
                );
                return Err(Refusal::NoImpactLaw { reason });
            }
            self.parted = Some(wall);
            Ok(Projected { velocity, ..Projected::default() })
        });
        match parted {
            Ok(p) => self.go_on(state, sides, &p, case, &[], &[]),
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    /// Whether a gap that has just opened is accelerated back to zero.
    fn falls_back(&mut self, state: &[S], mode: usize, wall: usize, v: &[S]) -> Result<bool, Refusal> {
        let row = self.switching.wall_rows[wall].start;
        let (_, size) = self.rate(row, v);
        let (t, unknowns) = (self.inputs[0], self.compiled.program.unknowns.clone());
        // to both sides: a step along the rates is off by the square of its length
        let mut change = 0.0;
        for sign in [1.0, -1.0] {
            let moved = self.moved(mode, self.with_velocity(state, v), S::from_f64(sign * STEP));
            self.look(moved[0], &moved[1..])?;
            change += sign * self.rate(row, &moved[unknowns.start + 1..unknowns.end + 1]).0;
            self.look(t, state)?;
        }
        Ok(change / (2.0 * STEP) < -FALLING * size)
    }

    /// The event of a contact that was opened in the last transition, and the time after which its gap is more than rounding.
    pub(super) fn parting(&self) -> Option<(usize, f64)> {
        let event = self.event_of(&EventKind::Wall(self.parted?))?;
        Some((event, LEAVING * self.inputs[0].to_f64().abs().max(1.0)))
    }

    /// Whether a contact has only just opened.
    pub(super) fn is_leaving(&self, contact: usize) -> bool {
        let t = self.inputs[0].to_f64();
        self.again[contact].opened.is_some_and(|at| (t - at).abs() <= LEAVING * t.abs().max(1.0))
    }

    /// Notes that a contact opens.
    fn note_opening(&mut self, contact: usize) {
        self.again[contact].opened = Some(self.inputs[0].to_f64());
    }

    /// No normal force keeps a contact closed that slides in its present direction.
    pub(super) fn jammed(&self, contact: usize) -> Refusal {
        Refusal::Jams { contact: self.contact_name(contact) }
    }

    fn changes(&self, contact: usize) -> &Changes {
        self.switching.model.contacts[contact].changes.as_ref().expect("only contacts that change have such events")
    }

    fn contact_name(&self, contact: usize) -> String {
        let c = &self.switching.model.contacts[contact];
        if c.name.is_empty() { c.sides[0].name.clone() } else { c.name.clone() }
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
            self.contact_of(**k).is_some_and(|c| !self.is_leaving(c)) && rate.abs() <= NO_RATE * size
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
                let slides = changes.rolls.is_some_and(|l| !sides.latches[l]);
                if slides && at(self, EventKind::Jam(k)).is_some_and(|x| x <= 0.0) {
                    return Err(self.jammed(k));
                }
                let push = self.wall_of(k).and_then(|w| at(self, EventKind::Release(w)));
                if let (Some(latch), Some(push)) = (changes.closed, push)
                    && push <= 0.0
                {
                    sides.latches[latch] = false;
                    self.note_opening(k);
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
            // since the limit was passed r = F/N has grown by a part δ, and slip with its acceleration now, which was 0 then
            let (t, h) = (self.inputs[0], S::from_f64(STEP));
            let later = self.moved(rolling, self.with_velocity(state, v), h);
            self.look(later[0], &later[1..])?;
            let grows = (self.friction_needed(rolling, contact, later).ratio - friction.ratio) / STEP;
            let since = friction.ratio / (1.0 + SLIDES as f64) / grows;
            self.look(t, state)?;
            let later = self.moved(sliding, self.with_velocity(state, &begun), h);
            self.look(later[0], &later[1..])?;
            let slip = 0.5 * since * (self.slip_size(contact, &later) - least) / STEP;
            self.look(t, state)?;
            if slip.is_finite() && slip > least {
                begun = self.slipping(sliding, contact, v, &friction.against, slip)?;
            }
        }
        Ok((sides, begun))
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
        Needed { against: along.iter().map(|f| -(*f / size)).collect(), ratio: (size / -out).to_f64() }
    }

    /// Inputs of tapes a short time later, in a mode.
    fn moved(&self, mode: usize, mut inputs: Vec<S>, h: S) -> Vec<S> {
        let n = self.compiled.program.state.len();
        let mut rates = vec![S::default(); n];
        Interpreter::new(&self.compiled.charts[mode].field).call(&inputs, &mut rates);
        inputs[0] = inputs[0] + h;
        inputs[1..].iter_mut().zip(&rates).for_each(|(x, r)| *x = *x + h * *r);
        inputs
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

    /// Closed contacts that would have to pull during a collision, from the impulses of the rows that were kept.
    pub(super) fn pulled(&self, sides: &Sides) -> Vec<usize> {
        let s = self.switching;
        let own = s.impact.representation;
        let impulse = |c: usize| {
            let i = self.chosen.iter().position(|k| *k == own + c);
            i.and_then(|i| self.collision.kept.get(i)).map_or(0.0, |x| x.to_f64())
        };
        let mut out = Vec::new();
        for (k, changes) in changing(&s.model) {
            let Some(latch) = changes.closed.filter(|l| sides.latches[*l]) else { continue };
            let normal = self.normal(k);
            let rows: Vec<f64> = changes.no_slip.clone().map(impulse).collect();
            let through: f64 = rows.iter().zip(&normal).map(|(x, n)| -x * n.to_f64()).sum();
            let frictionless = s.model.contacts[k].frictionless;
            let last = changes.touching.or(frictionless.then_some(s.model.contacts[k].constraints.start));
            let push = through + last.map_or(0.0, impulse);
            let size = rows.iter().fold(last.map_or(0.0, impulse).abs(), |m, x| m.max(x.abs()));
            if push < -NO_RATE * size {
                out.push(latch);
            }
        }
        out
    }
}
