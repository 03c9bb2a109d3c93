//! When a motion that rested on a border began to leave it.
//!
//! A force that sets in smoothly takes the motion off slowly: b = c (t − t₀)ᵖ (1 + …), and b can be told from 0 only at some τ = t − t₀ > 0, 4·10⁻⁴ for p = 3. By
//! then the constraint that was absent on the border has been absent for too long. So the motion is followed back:
//!
//! ```text
//! g = b/ḃ = τ/p + O(τ²),     p = 1/ġ, a whole number,     t₀ = t − p g + O(τ²),
//! ```
//!
//! with the errors τ², τ³, τ⁴ removed by Richardson's extrapolation over τ, τ/2, τ/4, τ/8. Motions that leave in another way (p no whole number, exp(−1/τ)) are taken as
//! they were noticed.

use super::law::{Course, Happened, Law};
use super::look::Look;
use super::record::JumpCase;
use crate::state::State;
use polhode_base::ids::BorderId;
use polhode_integrate::{Stepper, Taylor, Tolerance};
use polhode_model::Sides;
use polhode_tape::Scalar;

/// How far p may be from a whole number: its error is of the order of τ.
const WHOLE: f64 = 0.2;

/// Departures that lie further back are not looked for, in units of time.
const FURTHEST: f64 = 0.1;

/// Steps back to one of the times looked at.
const MOST_STEPS: usize = 100;

/// Halvings of τ.
const HALVINGS: usize = 4;

impl<S: Scalar> Law<'_, S> {
    /// A motion that rested on a border and was noticed beside it goes on from the time at which it left, with the jump then: that time, the state before
    /// the jump, and how it goes on. `None` where that time is not found. `since` is when the motion began anew.
    pub(super) fn depart(&self, look: &Look<'_, S>, sides: &Sides, border: BorderId, since: S) -> Option<Happened<S>> {
        let side = look.border(border).signum() as i8;
        let resting = look.place.mode;
        let from = self.departure(look, border, since)?;
        let before = self.earlier(look, from)?;
        let then = self.look(from, &before).ok()?;
        let mut beyond = sides.clone();
        beyond.borders[border] = side;
        let mode = self.mode(&beyond).ok()?;
        let p = self.project_beyond(&then, then.velocity(), mode).ok()?;
        let entered = self.entered(&then, &p.velocity, border, resting);
        if entered == -side {
            // the jump leads to the other side, which is the same for what holds off the border
            beyond.borders[border] = entered;
            if self.mode(&beyond).ok()? != mode {
                return None;
            }
        }
        let course = Course { borders: vec![border], ..Course::new(JumpCase::Keep, beyond, p) };
        let gone = self.go_on(&then, course);
        Some(Happened { gone, rewound: Some((from, before)), onset: None, met: Vec::new() })
    }

    /// t₀.
    fn departure(&self, look: &Look<'_, S>, border: BorderId, since: S) -> Option<S> {
        let t = look.time();
        let g = self.lead(look, border)?;
        let second = self.lead_at(look, t - S::from_f64(g), border)?;
        let p = (g / (g - second)).round();
        if !(2.0..20.0).contains(&p) || (g / (g - second) - p).abs() > WHOLE {
            return None;
        }
        let tau = p * g;
        if tau.abs() > FURTHEST {
            return None;
        }
        // p g − τ at τ, τ/2, …, extrapolated to 0
        let mut scheme = Vec::new();
        for k in 0..HALVINGS {
            let part = tau * 0.5f64.powi(k as i32);
            let lead = self.lead_at(look, t - S::from_f64(tau - part), border)?;
            scheme.push(part - p * lead);
        }
        for power in 2..=HALVINGS as i32 {
            let factor = 2f64.powi(power);
            scheme = scheme.windows(2).map(|w| (factor * w[1] - w[0]) / (factor - 1.0)).collect();
        }
        let from = t - S::from_f64(tau) + S::from_f64(scheme[0]);
        let sense = S::from_f64(self.sense());
        Some(if sense * from < sense * since { since } else { from })
    }

    /// b/ḃ at an earlier time.
    fn lead_at(&self, look: &Look<'_, S>, at: S, border: BorderId) -> Option<f64> {
        self.lead(&self.look(at, &self.earlier(look, at)?).ok()?, border)
    }

    /// b/ḃ.
    fn lead(&self, look: &Look<'_, S>, border: BorderId) -> Option<f64> {
        let lead = look.border(border) / look.border_rate(border, look.velocity()).0;
        (lead.is_finite() && lead * self.sense() > 0.0).then_some(lead)
    }

    /// The state at an earlier time in the same mode.
    fn earlier(&self, look: &Look<'_, S>, at: S) -> Option<State<S>> {
        let chart = &self.compiled.charts[look.place.chart];
        let tolerance = Tolerance { relative: S::EPSILON, absolute: S::EPSILON };
        let units = self.compiled.program.positions.units();
        let mut stepper = Taylor::<S>::new(&chart.field, look.time(), look.components(), tolerance, units);
        for _ in 0..MOST_STEPS {
            if stepper.time() == at {
                break;
            }
            stepper.step(at).ok()?;
        }
        (stepper.time() == at).then(|| State::new(stepper.state().to_vec(), look.place))
    }
}
