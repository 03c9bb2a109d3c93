//! E − V_eff from the start to both sides: an integral of V_eff′, and no difference, which would lose its digits where an oscillation is small.
//!
//! Gauss' rule on the steps of (L1), halved until the rule agrees with itself on the halves. At a pole that the motion does not feel (a body without spin about its
//! vertical axis passes the vertical) V_eff′ is nothing but rounding, and a difference serves.

use super::Motion;
use polhode_tape::{Dd, Scalar};

/// The rule agrees with itself when it does to this, relative to the integral of |V_eff′|.
const AGREED: f64 = 1e-30;

/// Where halving does not help, what is left below this is rounding of V_eff′.
const ROUNDED: f64 = 1e-12;

/// What a difference is off by, relative.
const DIFFERENCE: f64 = 1e-30;

/// Times that a step is halved.
const HALVINGS: usize = 6;

/// A part of a step, and E − V_eff where it begins; none where it is a difference.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from: Dd,
    to: Dd,
    excess: Option<Dd>,
    noise: [f64; 2], // of E − V_eff where it begins, and what is added to it
}

/// E − V_eff to both sides.
#[derive(Clone, Debug)]
pub(super) struct Excess {
    sides: [Vec<Leg>; 2],
    reached: [Dd; 2],
    noise: [f64; 2], // what the rule has disagreed with itself by
}

impl Excess {
    pub(super) fn new(kinetic: Dd) -> Excess {
        Excess { sides: Default::default(), reached: [kinetic; 2], noise: [0.0; 2] }
    }
}

impl Motion {
    /// E − V_eff.
    pub(super) fn excess(&mut self, s: Dd) -> Dd {
        self.excess_and_noise(s).0
    }

    /// The same, and what it may be off by beside the rounding of the sum.
    pub(super) fn excess_and_noise(&mut self, s: Dd) -> (Dd, f64) {
        let s = self.reach.of(s).0;
        let upward = s > self.start.s;
        let legs = &self.excess.sides[usize::from(upward)];
        let k = legs.partition_point(|leg| if upward { leg.to < s } else { leg.to > s });
        match legs.get(k.min(legs.len().saturating_sub(1))).copied() {
            None => (self.excess.reached[0], 0.0),
            Some(Leg { from, to, excess: Some(excess), noise: [before, more] }) => {
                let part = ((s - from) / (to - from)).to_f64().abs();
                (excess - self.risen(from, s).0, before + more * part)
            }
            Some(Leg { noise, .. }) => {
                let value = self.effective(s).value;
                (self.energy - value, noise[0].max(DIFFERENCE * value.to_f64().abs()))
            }
        }
    }

    /// E − V_eff over one more step of (L1).
    pub(super) fn follow_excess(&mut self, upward: bool, from: Dd, to: Dd) {
        let (whole, size) = self.risen(from, to);
        self.follow_part(upward, [from, to], whole, size, f64::INFINITY, HALVINGS);
    }

    fn follow_part(&mut self, upward: bool, [from, to]: [Dd; 2], whole: Dd, size: f64, before: f64, left: usize) {
        let side = usize::from(upward);
        let middle = (from + to) * Dd::from(0.5);
        let (first, second) = (self.risen(from, middle), self.risen(middle, to));
        let sum = first.0 + second.0;
        let off = (sum - whole).to_f64().abs();
        let noisy = off > 0.1 * before && off <= ROUNDED * size;
        if off <= AGREED * size || noisy {
            let excess = self.excess.reached[side];
            let noise = [self.excess.noise[side], off];
            self.excess.sides[side].push(Leg { from, to, excess: Some(excess), noise });
            self.excess.reached[side] = excess - sum;
            self.excess.noise[side] += off;
        } else if left > 0 {
            self.follow_part(upward, [from, middle], first.0, first.1, off, left - 1);
            self.follow_part(upward, [middle, to], second.0, second.1, off, left - 1);
        } else {
            let value = self.effective(to).value;
            let noise = self.excess.noise[side];
            self.excess.sides[side].push(Leg { from, to, excess: None, noise: [noise; 2] });
            self.excess.reached[side] = self.energy - value;
            self.excess.noise[side] = noise.max(DIFFERENCE * value.to_f64().abs());
        }
    }

    /// The integral of V_eff′, and of its size.
    pub(super) fn risen(&mut self, from: Dd, to: Dd) -> (Dd, f64) {
        let (middle, half) = ((from + to) * Dd::from(0.5), (to - from) * Dd::from(0.5));
        let (mut sum, mut size) = (Dd::ZERO, 0.0);
        for (x, weight) in gauss() {
            let (a, b) = (self.effective(middle - half * *x).slope, self.effective(middle + half * *x).slope);
            sum = sum + *weight * (a + b);
            size += weight.to_f64() * (a.to_f64().abs() + b.to_f64().abs());
        }
        (sum * half, size * half.to_f64().abs())
    }
}

/// Positive nodes and weights of Gauss and Legendre's rule with 20 points, for double-doubles: the error for an analytic function on
/// a short interval is below their resolution.
pub(super) fn gauss() -> &'static [(Dd, Dd)] {
    static RULE: std::sync::OnceLock<Vec<(Dd, Dd)>> = std::sync::OnceLock::new();
    RULE.get_or_init(|| {
        let n = 20;
        (0..n / 2)
            .map(|i| {
                let mut x = Dd::from((std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos());
                let mut slope = Dd::ONE;
                for _ in 0..6 {
                    // P_n and P_n′ by recurrence
                    let (mut p, mut before) = (x, Dd::ONE);
                    for k in 2..=n {
                        let k = Dd::from(k as f64);
                        let next = ((k + k - Dd::ONE) * x * p - (k - Dd::ONE) * before) / k;
                        (before, p) = (p, next);
                    }
                    slope = Dd::from(n as f64) * (x * p - before) / (x * x - Dd::ONE);
                    x = x - p / slope;
                }
                let weight = Dd::from(2.0) / ((Dd::ONE - x * x) * slope * slope);
                (x, weight)
            })
            .collect()
    })
}
