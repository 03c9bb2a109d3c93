//! How a gap opens.
//!
//! A contact that lets go where its normal force N passes through zero leaves without a velocity and without an acceleration. With g the gap in flight,
//!
//! ```text
//! g = g′ = g″ = 0,  g‴ > 0     N = 0 and dN/dt < 0
//! g = g′ = 0,       g″ > 0     friction has held it down
//! g = g′ = 0,       g″ < 0     friction has held it up: without the contact it falls back, with it N < 0
//! ```
//!
//! and the first that is not zero decides. The gap is more than rounding from the time on at which that term is.

use super::law::Law;
use super::look::{Look, NO_RATE};
use super::onset::STEP;
use super::record::Refusal;
use crate::state::Place;
use polhode_base::ids::{ModeId, WallId};
use polhode_tape::{Interpreter, Scalar};

/// The step of second differences that tell how a gap opens, in units of time: rounding and the terms left out stay below [`NO_FORCE`], as they do in first
/// differences with [`STEP`].
const OPENING: f64 = 1e-4;

/// Derivatives of a rate below this part of what it is made of, per unit of time, are zero.
const NO_FORCE: f64 = 1e-6;

/// In roundings of the positions: a gap below this is noise.
const CLEAR: f64 = 64.0;

/// In a step of the classical Runge–Kutta method no component changes by more than this part of itself, or of 1: its error is of the fifth order.
const SHORT: f64 = 4e-3;

/// Most of these steps.
const MOST_STEPS: f64 = 1e4;

impl<S: Scalar> Law<'_, S> {
    /// How long after it has opened the gap of a wall is more than rounding.
    ///
    /// Where a normal force passes through zero the gap and its first two derivatives are zero, and the third is positive: its sign decides, unless that of a
    /// lower derivative does. A gap that begins to close is one that friction has opened: to stay closed the contact would have to pull, and it is pushed back
    /// into what it touches as soon as it does not.
    pub(super) fn opens_after(&self, look: &Look<'_, S>, mode: ModeId, wall: WallId, v: &[S]) -> Result<f64, Refusal> {
        let (rate, size) = look.gap_rate(wall, v);
        let inputs = look.inputs_with(v);
        let rates = [-OPENING, -STEP, STEP, OPENING].map(|h| -> Result<f64, Refusal> {
            let there = self.look_at(&self.moved(mode, inputs.clone(), S::from_f64(h)), look.place)?;
            Ok(there.gap_rate(wall, there.velocity()).0)
        });
        let [before, just_before, just_after, after] = rates;
        let second = (just_after? - just_before?) / (2.0 * STEP);
        let third = (after? - 2.0 * rate + before?) / (OPENING * OPENING);
        let room = look.gap(wall).abs() + CLEAR * look.rounding(wall);
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
                Err(Refusal::Pulls { reason })
            }
        }
    }

    /// Inputs of tapes a short time later, in a mode, by steps of the classical Runge–Kutta method that are short beside what changes fastest: a
    /// body may turn much in that time.
    pub(super) fn moved(&self, mode: ModeId, inputs: Vec<S>, h: S) -> Vec<S> {
        let n = self.compiled.program.state.len();
        let mut field = Interpreter::new(&self.compiled.charts[Place::in_mode(mode).chart].field);
        let mut rates = vec![vec![S::default(); n]; 4];
        field.call(&inputs, &mut rates[0]);
        let pace = |(rate, x): (&S, &S)| rate.to_f64().abs() / x.to_f64().abs().max(1.0);
        let fastest = rates[0].iter().zip(&inputs[1..]).map(pace).fold(0.0, f64::max);
        let steps = (h.to_f64().abs() * fastest / SHORT).ceil().clamp(1.0, MOST_STEPS);
        let h = h / S::from_f64(steps);
        let mut moved = inputs;
        for _ in 0..steps as usize {
            for (i, part) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
                let h = h * S::from_f64(part);
                let mut there = moved.clone();
                there[0] = there[0] + h;
                if i > 0 {
                    there[1..].iter_mut().zip(&rates[i - 1]).for_each(|(x, r)| *x = *x + h * *r);
                }
                field.call(&there, &mut rates[i]);
            }
            moved[0] = moved[0] + h;
            let (sixth, two) = (h / S::from_f64(6.0), S::from_f64(2.0));
            for (j, x) in moved[1..].iter_mut().enumerate() {
                *x = *x + sixth * (rates[0][j] + two * (rates[1][j] + rates[2][j]) + rates[3][j]);
            }
        }
        moved
    }
}
