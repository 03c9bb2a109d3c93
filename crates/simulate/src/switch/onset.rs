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

use super::law::{Course, Law, Projected};
use super::look::Look;
use super::record::{JumpCase, Refusal};
use super::rolling::changing;
use crate::compile::EventKind;
use crate::state::{Moment, Place, State};
use polhode_base::ids::{ContactId, Id, ModeId};
use polhode_model::{SLIDES, Sides};
use polhode_tape::dense::dot;
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
struct Needed<S> {
    /// −F/|F|, in the axes of the rows of no slip.
    against: Vec<S>,
    /// |F|/N.
    ratio: f64,
}

/// How sliding begins.
struct Begun<S> {
    rolling: ModeId,
    sliding: ModeId,
    needed: Needed<S>,
    /// The smallest slip that is put in.
    least: f64,
    velocity: Vec<S>,
}

/// When and where something began that was noticed later, and how long ago.
struct Onset<S> {
    at: Moment<S>,
    ago: f64,
}

impl<S: Scalar> Law<'_, S> {
    /// Rolling needs more friction than there is: how it goes on, and when and where the limit was passed.
    pub(super) fn begin_sliding(
        &self,
        look: &Look<'_, S>,
        mut sides: Sides,
        contact: ContactId,
        changed_at: f64,
    ) -> Result<(Course<S>, Option<Moment<S>>), Refusal> {
        let mut velocity = look.velocity().to_vec();
        let Some(begun) = self.begun(look, &mut sides, contact, &velocity)? else {
            let unchanged = Projected { velocity, ..Projected::default() };
            return Ok((Course::new(JumpCase::Slide, sides, unchanged), None));
        };
        let onset = self.since_limit(look, &begun, contact, changed_at)?;
        // slip has grown since with its acceleration now, which was 0 then
        let slip = 0.5 * onset.ago * self.slip_acceleration(look, &begun, contact);
        velocity = match slip.is_finite() && slip > begun.least {
            true => self.slipping(look, begun.sliding, contact, &velocity, &begun.needed.against, slip)?,
            false => begun.velocity,
        };
        let p = Projected { velocity, ..Projected::default() };
        Ok((Course::new(JumpCase::Slide, sides, p), Some(onset.at)))
    }

    /// Begins to slide against the friction that rolling would need.
    pub(super) fn slide(
        &self,
        look: &Look<'_, S>,
        sides: &mut Sides,
        v: &mut Vec<S>,
        contact: ContactId,
    ) -> Result<(), Refusal> {
        if let Some(begun) = self.begun(look, sides, contact, v)? {
            *v = begun.velocity;
        }
        Ok(())
    }

    /// A contact that rolls on some sides and is to slide; `None` for one that has no dry friction.
    fn begun(
        &self,
        look: &Look<'_, S>,
        sides: &mut Sides,
        contact: ContactId,
        v: &[S],
    ) -> Result<Option<Begun<S>>, Refusal> {
        let Some(rolls) = self.changes(contact).rolls else { return Ok(None) };
        sides.latches[rolls] = true;
        let rolling = self.mode(sides)?;
        let needed = self.friction_needed(look, rolling, contact, &look.inputs_with(v));
        sides.latches[rolls] = false;
        let sliding = self.mode(sides)?;
        // at rest the function is −ε²
        let event = self.switching.event(&EventKind::Roll(contact));
        let least = event.map_or(0.0, |e| -self.watched(look, sliding, v)[e]);
        let least = BEGIN * least.max(0.0).sqrt();
        let velocity = self.slipping(look, sliding, contact, v, &needed.against, least)?;
        Ok(Some(Begun { rolling, sliding, needed, least, velocity }))
    }

    /// How long ago the ratio r = F/N passed its limit, now that it is a part δ above it: secants along the motion followed backwards.
    fn since_limit(
        &self,
        look: &Look<'_, S>,
        begun: &Begun<S>,
        contact: ContactId,
        changed_at: f64,
    ) -> Result<Onset<S>, Refusal> {
        let (t, now) = (look.time().to_f64(), begun.needed.ratio);
        let limit = now * SLIDES as f64 / (SLIDES as f64 + 1.0);
        let inputs = look.inputs_with(look.velocity());
        let longest = (t - changed_at).abs();
        let ratio_at = |ago: f64| -> Result<(f64, Vec<S>), Refusal> {
            let there = self.moved(begun.rolling, inputs.clone(), S::from_f64(-ago));
            let earlier = self.look_at(&there, look.place)?;
            Ok((self.friction_needed(&earlier, begun.rolling, contact, &there).ratio, there))
        };
        let (mut ago, mut ratio) = (0.0, now);
        // a ramp since time 0 passed its limit a part δ of the time ago; differences over much less are rounding
        let guess = (t.abs() / SLIDES as f64).max(STEP);
        let (mut next, mut there) = (guess.min(longest), inputs.clone());
        let mut nearest = f64::INFINITY;
        let mut best = 0.0;
        for _ in 0..SECANTS {
            let (found, place) = ratio_at(next)?;
            if (found - limit).abs() < nearest {
                (nearest, best, there) = ((found - limit).abs(), next, place);
            }
            let slope = (found - ratio) / (next - ago);
            (ago, ratio) = (next, found);
            next = (ago + (limit - ratio) / slope).clamp(0.0, longest);
            if !next.is_finite() || (next - ago).abs() <= 4.0 * f64::EPSILON * t.abs().max(1.0) {
                break;
            }
        }
        let components = there.split_off(1);
        Ok(Onset { at: (there[0], State::new(components, look.place)), ago: best })
    }

    /// The velocity with a slip along a direction, by the smallest change in the kinetic metric.
    fn slipping(
        &self,
        look: &Look<'_, S>,
        sliding: ModeId,
        contact: ContactId,
        v: &[S],
        along: &[S],
        slip: f64,
    ) -> Result<Vec<S>, Refusal> {
        let (no_slip, touching) = (self.changes(contact).no_slip, self.changes(contact).touching);
        let mut in_force = self.in_force(sliding).clone();
        touching.into_iter().for_each(|c| in_force.set(c, false));
        no_slip.for_each(|c| in_force.set(c, true));
        let mut taken = look.rows(&in_force);
        for (c, d) in no_slip.zip(along) {
            if let Some(i) = taken.place_of(self.switching.impact.row_of(c)) {
                taken.w0[i] = taken.w0[i] - S::from_f64(slip) * *d;
            }
        }
        Ok(self.project(look, &taken, v)?.velocity)
    }

    /// The friction that a contact needs to roll, at the inputs of a look.
    fn friction_needed(&self, look: &Look<'_, S>, rolling: ModeId, contact: ContactId, inputs: &[S]) -> Needed<S> {
        let report = &self.compiled.charts[Place::in_mode(rolling).chart].report;
        let mut values = vec![S::default(); report.outputs.len()];
        Interpreter::new(report).call(inputs, &mut values);
        let first = self.compiled.program.layout.reactions.start;
        let force: Vec<S> = self.changes(contact).no_slip.map(|c| values[first + c.index()]).collect();
        let normal = look.normal(contact);
        let out = dot(&force, normal);
        let along: Vec<S> = force.iter().zip(normal).map(|(f, n)| *f - out * *n).collect();
        let size = dot(&along, &along).sqrt();
        // without any there is no direction, and the first one does
        let mut against: Vec<S> = along.iter().map(|f| -(*f / size)).collect();
        if size.to_f64() == 0.0 {
            against = across(normal, along.len());
        }
        Needed { against, ratio: (size / -out).to_f64() }
    }

    /// |ṡ| where a contact slides: U times the difference of accelerations from rolling, for which U v̇ + U̇ v = 0.
    fn slip_acceleration(&self, look: &Look<'_, S>, begun: &Begun<S>, contact: ContactId) -> f64 {
        let accelerations = |mode: ModeId, v: &[S]| {
            self.rates(mode, &look.inputs_with(v))[self.compiled.program.unknowns.clone()].to_vec()
        };
        let sliding = accelerations(begun.sliding, &begun.velocity);
        let rolling = accelerations(begun.rolling, look.velocity());
        let more: Vec<S> = sliding.into_iter().zip(rolling).map(|(a, b)| a - b).collect();
        let rows = self.changes(contact).no_slip.map(|c| look.row(self.switching.impact.row_of(c)));
        rows.map(|row| dot(row, &more).to_f64().powi(2)).sum::<f64>().sqrt()
    }

    /// No normal force keeps a contact closed that slides in its present direction.
    pub(super) fn jammed(&self, contact: ContactId) -> Refusal {
        Refusal::Jams { contact: self.contact_name(contact) }
    }

    /// The contact that is about to jam, where a motion gets nowhere: its normal force grows without bound as the pivot falls to zero. `last` is the state
    /// from which it last went on.
    pub(super) fn jams_ahead(&self, look: &Look<'_, S>, last: Option<&State<S>>) -> Option<Refusal> {
        let mode = look.place.mode;
        let now = self.watched(look, mode, look.velocity());
        let then = match last {
            None => now.clone(),
            Some(last) => {
                let tape = &self.compiled.charts[look.place.chart].events;
                let mut inputs = vec![look.time()];
                inputs.extend_from_slice(&last.components);
                let mut values = vec![S::default(); tape.outputs.len()];
                Interpreter::new(tape).call(&inputs, &mut values);
                values.iter().map(|x| x.to_f64()).collect()
            }
        };
        let jams = |k: ContactId| self.switching.event(&EventKind::Jam(k)).is_some_and(|e| now[e] < JAMMING * then[e]);
        changing(&self.switching.model).find(|(k, _)| jams(*k)).map(|(k, _)| self.jammed(k))
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
