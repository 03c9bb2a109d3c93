//! How a contact begins to slide, ends it, or cannot go on.
//!
//! Slip at rest has no direction, and a small one turns so fast that no integrator follows it. Where the friction that rolling needs passes
//! its limit slowly, F = μN(1 + t/T), slip grows as ½κt² from then on; rolling goes on up to F = (1 + δ)μN, a time τ, and then the slip ½κτ²
//! is put in at once, by the smallest change of the velocities in the kinetic metric: what friction beyond the limit has kept back acted along just that
//! change. What is left of the error is of the order of τ³. Where slip begins with an acceleration, after an impact or as it turns round, it is
//! put in as 4ε.
//!
//! Such a change is orthogonal to all velocities that roll: it adds the energy ½s²/(U M⁻¹ Uᵀ), which is below rounding.
//!
//! The event is told with the time and state of the limit F = μN itself, found by following the motion backwards from where it was passed.

use super::record::{JumpCase, JumpRecord, Refusal};
use super::rolling::changing;
use super::switcher::{Outcome, Projected, Switcher};
use crate::compile::EventKind;
use polhode_base::ids::{ContactId, EventId, Id, ModeId};
use polhode_impulse::Rank;
use polhode_model::{Changes, SLIDES, Sides};
use polhode_tape::{Interpreter, Scalar};

/// Sliding begins with a slip of so many times the smallest, at least.
const BEGIN: f64 = 4.0;

/// The step of differences that tell how fast friction and slip grow, in units of time; they need no more than the digits of δ.
pub(super) const STEP: f64 = 1e-6;

/// Secants that find the time of the limit: each doubles the digits, or nearly.
const SECANTS: usize = 12;

/// Steps that get nowhere are blamed on a pivot below this part of what it was when sliding began.
const JAMMING: f64 = 1e-2;

/// What rolling needs.
pub(super) struct Needed<S> {
    /// −F/|F|, in the axes of the rows of no slip.
    against: Vec<S>,
    /// |F|/N.
    ratio: f64,
}

pub(super) fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::default(), |s, (a, b)| s + *a * *b)
}

impl<S: Scalar> Switcher<'_, S> {
    /// Rolling needs more friction than there is.
    pub(super) fn begin_sliding(&mut self, state: &[S], contact: ContactId) -> Outcome {
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
    pub(super) fn end_sliding(&mut self, state: &[S], contact: ContactId) -> Outcome {
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

    /// Begins to slide against the friction that rolling would need; `grown`, if that has just now come to the limit.
    pub(super) fn slid(
        &mut self,
        state: &[S],
        mut sides: Sides,
        contact: ContactId,
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
            let since = self.since_limit(state, rolling, contact, v, friction.ratio)?;
            let slip = 0.5 * since * self.slip_acceleration(contact, state, (sliding, &begun), (rolling, v));
            if slip.is_finite() && slip > least {
                begun = self.slipping(sliding, contact, v, &friction.against, slip)?;
            }
        }
        Ok((sides, begun))
    }

    /// How long ago the ratio r = F/N passed its limit, now that it is a part δ above it: secants along the motion followed backwards. Notes when and where.
    pub(super) fn since_limit(
        &mut self,
        state: &[S],
        rolling: ModeId,
        contact: ContactId,
        v: &[S],
        now: f64,
    ) -> Result<f64, Refusal> {
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
        // a ramp since time 0 passed its limit a part δ of the time ago; differences over much less are rounding
        let guess = (t.to_f64().abs() / SLIDES as f64).max(STEP);
        let (mut next, mut there) = (guess.min(longest), inputs.clone());
        let mut nearest = f64::INFINITY;
        let mut best = 0.0;
        for _ in 0..SECANTS {
            let (found, place) = ratio_at(self, next)?;
            if (found - limit).abs() < nearest {
                (nearest, best, there) = ((found - limit).abs(), next, place);
            }
            let slope = (found - ratio) / (next - ago);
            (ago, ratio) = (next, found);
            next = (ago + (limit - ratio) / slope).clamp(0.0, longest);
            if !next.is_finite() || (next - ago).abs() <= 4.0 * f64::EPSILON * t.to_f64().abs().max(1.0) {
                break;
            }
        }
        let ago = best;
        self.look(t, state)?;
        let mut onset = there.split_off(1);
        onset.push(state[state.len() - 1]);
        self.onset = Some((there[0], onset));
        Ok(ago)
    }

    /// The velocity with a slip along a direction, by the smallest change in the kinetic metric.
    pub(super) fn slipping(
        &mut self,
        sliding: ModeId,
        contact: ContactId,
        v: &[S],
        along: &[S],
        slip: f64,
    ) -> Result<Vec<S>, Refusal> {
        let Changes { no_slip, touching, .. } = self.changes(contact).clone();
        let mut active = self.switching.modes[sliding].clone();
        touching.into_iter().for_each(|c| active.set(c, false));
        { no_slip }.for_each(|c| active.set(c, true));
        self.take_rows(&active);
        for (c, d) in no_slip.zip(along) {
            if let Some(i) = self.chosen.iter().position(|k| *k == self.switching.impact.row_of(c)) {
                self.w0[i] = self.w0[i] - S::from_f64(slip) * *d;
            }
        }
        let no_law = |reason: String| Refusal::NoImpactLaw { reason };
        self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
        self.jump.set(&self.metric, &mut self.rows, v, S::default()).map_err(|e| no_law(e.to_string()))?;
        Ok(self.jump.velocity.clone())
    }

    /// The friction that a contact needs to roll, at inputs of tapes, where it has looked.
    pub(super) fn friction_needed(&self, rolling: ModeId, contact: ContactId, inputs: Vec<S>) -> Needed<S> {
        let report = &self.compiled.charts[rolling.index()].report;
        let mut values = vec![S::default(); report.outputs.len()];
        Interpreter::new(report).call(&inputs, &mut values);
        let first = self.compiled.program.layout.reactions.start;
        let force: Vec<S> = { self.changes(contact).no_slip }.map(|c| values[first + c.index()]).collect();
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

    /// |ṡ| where a contact slides: U times the difference of accelerations from rolling, for which U v̇ + U̇ v = 0.
    fn slip_acceleration(
        &self,
        contact: ContactId,
        state: &[S],
        sliding: (ModeId, &[S]),
        rolling: (ModeId, &[S]),
    ) -> f64 {
        let program = &self.compiled.program;
        let accelerations = |(mode, v): (ModeId, &[S])| {
            let mut rates = vec![S::default(); program.state.len()];
            Interpreter::new(&self.compiled.charts[mode.index()].field).call(&self.with_velocity(state, v), &mut rates);
            rates[program.unknowns.clone()].to_vec()
        };
        let more: Vec<S> = accelerations(sliding).into_iter().zip(accelerations(rolling)).map(|(a, b)| a - b).collect();
        let impact = &self.switching.impact;
        let rows = { self.changes(contact).no_slip }.map(|c| impact.row(impact.row_of(c)));
        rows.map(|row| dot(&self.numbers[row], &more).to_f64().powi(2)).sum::<f64>().sqrt()
    }

    /// No normal force keeps a contact closed that slides in its present direction.
    pub(super) fn jammed(&self, contact: ContactId) -> Refusal {
        Refusal::Jams { contact: self.contact_name(contact) }
    }

    /// The contact that is about to jam, where a motion gets nowhere: its normal force grows without bound as the pivot falls to zero.
    pub(crate) fn jams_ahead(&mut self, t: S, state: &[S]) -> Option<Refusal> {
        let n = self.compiled.program.state.len();
        let mode = ModeId::new(state.get(n)?.to_f64() as usize);
        let sliding: Vec<(ContactId, EventId)> = (changing(&self.switching.model))
            .filter_map(|(k, _)| Some((k, self.event_of(&EventKind::Jam(k))?)))
            .collect();
        self.look(t, state).ok()?;
        let now = self.watched(mode, state, self.velocity(state));
        let from = if self.next.is_empty() { state.to_vec() } else { self.next.clone() };
        let then = self.watched(mode, &from, self.velocity(&from));
        sliding.into_iter().find(|(_, e)| now[*e] < JAMMING * then[*e]).map(|(k, _)| self.jammed(k))
    }

    /// A contact that slides and does not open would have to pull.
    pub(super) fn pulled(&self, contact: ContactId) -> Refusal {
        let reason = format!(
            "{} slides, and nothing presses it any more: dry friction of a contact that pulls would drive it; write opens = true",
            self.contact_name(contact)
        );
        Refusal::Pulls { reason }
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
