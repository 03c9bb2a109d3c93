//! Motions of s that go on without a period: values at any time from one quadrature.
//!
//! ```text
//! s = x                            dx/dt = ± √(2(E − V_eff)/G)             no turning point on the way
//! s = a ± x²                       dx/dt = √((E − V_eff)/(2 G x²))         a the only turning point, x < 0 before it
//! t = ∫ dx/(dx/dt)
//! ```
//!
//! x goes one way, and dx/dt has no zero: Gauss' rule on steps that are halved until it agrees with itself, and Newton's method for x at t.

use super::excess::gauss;
use super::{Motion, State, scale};
use crate::budget::OPEN_STEPS;
use polhode_tape::{Dd, Scalar};

/// The rule agrees with itself when it does to this, relative.
const AGREED: f64 = 1e-28;

/// Times that a step is halved.
const HALVINGS: usize = 12;

/// Steps of (L1) beyond what has been followed.
const MORE: usize = 4000;

/// Nearer to the turning point, relative to the scale of s, E − V_eff is counted from there.
const NEAR: f64 = 0.25;

/// Where s goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// a, if s turns.
    pub(super) turning: Option<Dd>,
    /// Whether it goes away to larger values.
    pub(super) upward: bool,
}

impl Open {
    fn sign(self) -> Dd {
        if self.upward { Dd::ONE } else { -Dd::ONE }
    }

    fn place(self, x: Dd) -> Dd {
        self.turning.map_or(x, |a| a + self.sign() * x * x)
    }
}

impl Motion {
    /// The state at a time; `None` where (L1) or the rule does not reach.
    pub(super) fn open_at(&mut self, open: Open, t: Dd) -> Option<State> {
        let s0 = self.start.s;
        let away = self.start.speed == Dd::ZERO || (self.start.speed.to_f64() > 0.0) == open.upward;
        let mut x = match open.turning {
            None => s0,
            Some(a) => {
                let x = (s0 - a).abs().sqrt();
                if away { x } else { -x }
            }
        };
        let onward = t.to_f64() >= 0.0;
        // behind the start nothing was looked at
        if open.turning.is_none() && !onward {
            return None;
        }
        let growing = if open.turning.is_none() { open.upward == onward } else { onward };
        let step = Dd::from(if growing { 0.25 } else { -0.25 } * scale(x));
        let mut passed = vec![Dd::ZERO; 1 + self.start.gained.len()];
        for _ in 0..OPEN_STEPS {
            let part = self.over(open, [x, x + step], HALVINGS)?;
            if (passed[0] + part[0] - t).to_f64() * t.to_f64() < 0.0 {
                add(&mut passed, &part);
                x = x + step;
                continue;
            }
            let mut end = x + step * ((t - passed[0]) / part[0]);
            for _ in 0..40 {
                let part = self.over(open, [x, end], HALVINGS)?;
                let correction = (t - passed[0] - part[0]) * self.rate_of(open, end)?.0;
                end = end + correction;
                if correction.to_f64().abs() <= 1e-30 * scale(end) {
                    break;
                }
            }
            let part = self.over(open, [x, end], HALVINGS)?;
            add(&mut passed, &part);
            let (_, speed) = self.rate_of(open, end)?;
            let s = open.place(end);
            return Some(State { s, speed, w: self.continuation.at(s), gained: passed[1..].to_vec() });
        }
        None
    }

    /// dx/dt and ṡ.
    fn rate_of(&mut self, open: Open, x: Dd) -> Option<(Dd, Dd)> {
        let s = open.place(x);
        self.follow_to(s)?;
        let inertia = self.effective(s).inertia;
        let two = Dd::from(2.0);
        let found = match open.turning {
            None => {
                let speed = (two * self.excess(s) / inertia).sqrt() * open.sign();
                (speed, speed)
            }
            Some(a) => {
                let square = x * x;
                let ratio = if square == Dd::ZERO {
                    self.effective(a).slope.abs()
                } else if square.to_f64() < NEAR * scale(a) {
                    -self.risen(a, s).0 / square
                } else {
                    self.excess(s) / square
                };
                let rate = (ratio / (two * inertia)).sqrt();
                (rate, open.sign() * two * x * rate)
            }
        };
        found.0.is_finite().then_some(found)
    }

    /// Brings (L1) and E − V_eff as far as s.
    fn follow_to(&mut self, s: Dd) -> Option<()> {
        let upward = s > self.start.s;
        let far = Dd::from(if upward { 1e9 } else { -1e9 } * scale(s));
        let before = |reached: Dd| if upward { reached < s } else { reached > s };
        for _ in 0..MORE {
            if !before(self.continuation.reached(upward)) {
                return Some(());
            }
            let (from, to) = self.continuation.extend(upward, far).ok()?;
            self.follow_excess(upward, from, to);
        }
        None
    }

    /// The time and what the quadratures gain from one x to another.
    fn over(&mut self, open: Open, [from, to]: [Dd; 2], left: usize) -> Option<Vec<Dd>> {
        let whole = self.rule(open, from, to)?;
        self.halved(open, [from, to], whole, left)
    }

    fn halved(&mut self, open: Open, [from, to]: [Dd; 2], whole: Vec<Dd>, left: usize) -> Option<Vec<Dd>> {
        let middle = (from + to) * Dd::from(0.5);
        let (first, second) = (self.rule(open, from, middle)?, self.rule(open, middle, to)?);
        let mut sum = first.clone();
        add(&mut sum, &second);
        let size = |x: &Dd| x.to_f64().abs();
        let agreed = sum.iter().zip(&whole).all(|(a, b)| size(&(*a - *b)) <= AGREED * size(a).max(size(&sum[0])));
        if agreed {
            return Some(sum);
        }
        if left == 0 {
            return None;
        }
        let mut out = self.halved(open, [from, middle], first, left - 1)?;
        add(&mut out, &self.halved(open, [middle, to], second, left - 1)?);
        Some(out)
    }

    fn rule(&mut self, open: Open, from: Dd, to: Dd) -> Option<Vec<Dd>> {
        let (middle, half) = ((from + to) * Dd::from(0.5), (to - from) * Dd::from(0.5));
        let mut out = vec![Dd::ZERO; 1 + self.start.gained.len()];
        for (node, weight) in gauss() {
            for x in [middle - half * *node, middle + half * *node] {
                let (rate, speed) = self.rate_of(open, x)?;
                let dt = half * *weight / rate;
                out[0] = out[0] + dt;
                for (sum, r) in out[1..].iter_mut().zip(self.rates_at(open.place(x), speed)) {
                    *sum = *sum + dt * r;
                }
            }
        }
        Some(out)
    }
}

fn add(sum: &mut [Dd], more: &[Dd]) {
    sum.iter_mut().zip(more).for_each(|(a, b)| *a = *a + *b);
}
