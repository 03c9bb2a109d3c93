//! Sums that remember what rounding took from them [HairerLubichWanner2006, ch. VIII].
//!
//! ```text
//! y + rest ← y + (rest + increment),   |rest| ≤ ½ ulp(y)
//! ```
//!
//! Many small increments then add up as if y had twice the digits, which is what keeps time and
//! invariants from drifting over 10⁶ steps.

use crate::stepper::{StepError, Unit};
use polhode_tape::{Dd, Scalar};

/// y + rest + increment, as the nearest double and what it misses.
pub(crate) fn add(y: f64, rest: f64, increment: f64) -> (f64, f64) {
    let b = rest + increment;
    let sum = y + b;
    let t = sum - y;
    (sum, (y - (sum - t)) + (b - t))
}

/// Time as a compensated sum of steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    t: f64,
    rest: f64,
}

impl Clock {
    pub(crate) fn new(t: f64) -> Clock {
        Clock { t, rest: 0.0 }
    }

    /// The time shown.
    pub(crate) fn time(self) -> f64 {
        self.t
    }

    /// The time a little later.
    pub(crate) fn after(self, offset: f64) -> f64 {
        self.t + (self.rest + offset)
    }

    /// How long it is until `end`.
    pub(crate) fn until(self, end: f64) -> f64 {
        (end - self.t) - self.rest
    }

    pub(crate) fn advanced(self, h: f64) -> Clock {
        let (t, rest) = add(self.t, self.rest, h);
        Clock { t, rest }
    }

    /// The next of many steps of one length towards `end`, and when it is over; nothing when it is reached.
    /// A step that would leave a sliver for another one goes all the way.
    pub(crate) fn fixed_step(self, step: f64, end: f64) -> Result<Option<(f64, Clock)>, StepError> {
        let remaining = self.until(end);
        if remaining == 0.0 || self.t == end {
            return Ok(None);
        }
        let last = remaining.abs() <= step * (1.0 + 1e-8);
        let h = if last { remaining } else { step.copysign(remaining) };
        let target = if last { Clock::new(end) } else { self.advanced(h) };
        if target.t == self.t { Err(StepError::TooSmall { t: self.t }) } else { Ok(Some((h, target))) }
    }

    /// Sets the time shown; setting what it shows already loses nothing.
    pub(crate) fn set(&mut self, t: f64) {
        if t != self.t {
            *self = Clock::new(t);
        }
    }
}

/// Takes over another state; components that are the same keep their rest.
pub(crate) fn replace(y: &mut [f64], rest: &mut [f64], new: &[f64]) {
    for ((y, rest), new) in y.iter_mut().zip(rest).zip(new) {
        if *y != *new {
            (*y, *rest) = (*new, 0.0);
        }
    }
}

/// Makes vectors unit again: u ← u + (1/|u| − 1) u. A vector which is unit up to rounding only
/// changes in its rest.
pub(crate) fn renormalise(units: &[Unit], y: &mut [f64], rest: &mut [f64]) {
    for unit in units {
        let factor = correction(unit.clone().map(|i| Dd::new(y[i], rest[i])));
        for i in unit.clone() {
            (y[i], rest[i]) = add(y[i], rest[i], factor * (y[i] + rest[i]));
        }
    }
}

/// 1/|u| − 1 without cancellation; 0 for the vector of length zero, which has no direction to keep.
fn correction(u: impl Iterator<Item = Dd>) -> f64 {
    let square = u.fold(Dd::ZERO, |sum, u| sum + u * u);
    let length = square.to_f64().sqrt();
    let factor = (Dd::ONE - square).to_f64() / (length * (1.0 + length));
    if factor.is_finite() { factor } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_million_tenths_are_a_million() {
        let clock = (0..10_000_000).fold(Clock::new(0.0), |clock, _| clock.advanced(0.1));
        // 0.1 is 0.1 + 5.55e-18 in doubles, and only that error may appear
        assert!((clock.time() - 1e6).abs() <= 1.2e-10);
        assert!((clock.until(1e6) + 5.551115123125783e-11).abs() < 1e-20);
        let naive = (0..10_000_000).fold(0.0, |t, _| t + 0.1);
        assert!((naive - 1e6f64).abs() > 1e-5, "{naive}");
    }

    #[test]
    fn unit_vectors() {
        let (mut y, mut rest) = ([7.0, 0.6, 0.8000001, 3.0, 4.0], [0.0; 5]);
        renormalise(&[1..3, 3..5], &mut y, &mut rest);
        assert_eq!(y[0], 7.0);
        assert!((y[3] - 0.6).abs() < 1e-15 && (y[4] - 0.8).abs() < 1e-15);
        let square = |y: &[f64], rest: &[f64]| {
            y.iter().zip(rest).fold(Dd::ZERO, |s, (y, e)| s + Dd::new(*y, *e) * Dd::new(*y, *e))
        };
        assert!((square(&y[1..3], &rest[1..3]) - Dd::ONE).abs().to_f64() < 1e-15);
        let before = y;
        renormalise(&[1..3, 3..5], &mut y, &mut rest);
        assert_eq!(before[1..3], y[1..3], "a unit vector keeps its bits");
        assert!((square(&y[1..3], &rest[1..3]) - Dd::ONE).abs().to_f64() < 1e-30);
        let mut zero = [0.0; 2];
        renormalise(&[0..1, 1..2], &mut zero, &mut [0.0; 2]);
        assert_eq!(zero, [0.0; 2]);
    }
}
