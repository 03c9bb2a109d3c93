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

use super::record::JumpCase;
use super::switcher::{Outcome, Switcher};
use polhode_base::ids::{BorderId, Id, ModeId};
use polhode_integrate::{Stepper, Taylor, Tolerance};
use polhode_tape::Scalar;

/// How far p may be from a whole number: its error is of the order of τ.
const WHOLE: f64 = 0.2;

/// Departures that lie further back are not looked for, in units of time.
const FURTHEST: f64 = 0.1;

/// Steps back to one of the times looked at.
const MOST_STEPS: usize = 100;

/// Halvings of τ.
const HALVINGS: usize = 4;

impl<S: Scalar> Switcher<'_, S> {
    /// A motion that rested on a border and was noticed beside it goes on from the time at which it left: with the jump then. `None` where that time
    /// is not found.
    pub(super) fn depart(&mut self, t: S, state: &[S], border: BorderId) -> Option<Outcome> {
        let side = self.border_value(border).signum() as i8;
        let n = self.compiled.program.state.len();
        let resting = ModeId::new(state[n].to_f64() as usize);
        let from = self.departure(t, state, border)?;
        let before = self.earlier(t, state, from)?;
        self.look(from, &before).ok()?;
        let v = self.velocity(&before).to_vec();
        let mut sides = self.sides.clone();
        sides.borders[border] = side;
        let mode = self.mode(&sides).ok()?;
        let p = self.project_beyond(from, &before, &v, mode).ok()?;
        let entered = self.entered(from, &before, &p.velocity, border, resting);
        if entered == -side {
            // the jump leads to the other side, which is the same for what holds off the border
            sides.borders[border] = entered;
            if self.mode(&sides).ok()? != mode {
                self.look(t, state).ok()?;
                return None;
            }
        }
        let outcome = self.go_on(&before, sides, &p, JumpCase::Keep, &[border], &[]);
        self.rewound = Some((from, before));
        Some(outcome)
    }

    /// t₀.
    fn departure(&mut self, t: S, state: &[S], border: BorderId) -> Option<S> {
        let g = self.lead(t, state, border)?;
        let second = self.lead_at(t, state, t - S::from_f64(g), border)?;
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
            let lead = self.lead_at(t, state, t - S::from_f64(tau - part), border)?;
            scheme.push(part - p * lead);
        }
        for power in 2..=HALVINGS as i32 {
            let factor = 2f64.powi(power);
            scheme = scheme.windows(2).map(|w| (factor * w[1] - w[0]) / (factor - 1.0)).collect();
        }
        let from = t - S::from_f64(tau) + S::from_f64(scheme[0]);
        // not before the motion last began anew
        let sense = S::from_f64(self.sense());
        Some(if sense * from < sense * self.since { self.since } else { from })
    }

    /// b/ḃ at an earlier time.
    fn lead_at(&mut self, t: S, state: &[S], at: S, border: BorderId) -> Option<f64> {
        let before = self.earlier(t, state, at)?;
        self.lead(at, &before, border)
    }

    /// b/ḃ.
    fn lead(&mut self, t: S, state: &[S], border: BorderId) -> Option<f64> {
        self.look(t, state).ok()?;
        let lead = self.border_value(border) / self.rate(self.border_row(border), self.velocity(state)).0;
        (lead.is_finite() && lead * self.sense() > 0.0).then_some(lead)
    }

    /// The state at an earlier time in the same mode.
    fn earlier(&self, t: S, state: &[S], at: S) -> Option<Vec<S>> {
        let n = self.compiled.program.state.len();
        let chart = &self.compiled.charts[state[n].to_f64() as usize];
        let tolerance = Tolerance { relative: S::EPSILON, absolute: S::EPSILON };
        let units = self.compiled.program.positions.units();
        let mut stepper = Taylor::<S>::new(&chart.field, t, &state[..n], tolerance, units);
        for _ in 0..MOST_STEPS {
            if stepper.time() == at {
                break;
            }
            stepper.step(at).ok()?;
        }
        let mut out = stepper.state().to_vec();
        out.push(state[n]);
        (stepper.time() == at).then_some(out)
    }
}
