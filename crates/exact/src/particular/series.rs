//! Even periodic functions and their integrals, by cosine series.
//!
//! ```text
//! f(s) = f₀ + Σ f_k cos ks,      ∫₀ˢ f = f₀ s + Σ f_k sin(ks)/k                                    (F1)
//! ```
//!
//! The coefficients of an analytic function fall like a geometric series, and the discrete cosine transform of its values gives them to rounding.

use crate::budget::SERIES_POINTS;
use polhode_tape::{Dd, Scalar};

/// A coefficient below this part of the largest is rounding.
const SMALL: f64 = 1e-31;

/// Steps of Newton's method, which needs a handful unless the function is nearly zero somewhere.
const STEPS: usize = 50;

/// Steps below this part of s change nothing but rounding.
const SETTLED: f64 = 1e-29;

#[derive(Clone, Debug)]
pub(super) struct Cosines {
    pub(super) coefficients: Vec<Dd>,
}

impl Cosines {
    /// Several functions of s at once; `None` where more than [`SERIES_POINTS`] points are needed.
    pub(super) fn of(count: usize, mut f: impl FnMut(Dd) -> Vec<Dd>) -> Option<Vec<Cosines>> {
        let mut n = 32;
        while n <= SERIES_POINTS {
            // midpoints: integrands are often 0/0 at the ends
            let half = Dd::PI / Dd::from(2.0 * n as f64);
            let cosine: Vec<Dd> = (0..4 * n).map(|j| (half * Dd::from(j as f64)).sin_cos().1).collect();
            let values: Vec<Vec<Dd>> = (0..n).map(|j| f(half * Dd::from(2.0 * j as f64 + 1.0))).collect();
            let all: Vec<Cosines> = (0..count).map(|i| transform(&values, i, &cosine, n)).collect();
            let resolved = |c: &Cosines| {
                let largest = c.coefficients.iter().fold(1e-300f64, |m, x| m.max(x.to_f64().abs()));
                let tail = &c.coefficients[n - n / 8..];
                tail.iter().all(|x| x.to_f64().abs() <= 100.0 * SMALL * largest.max(1.0))
            };
            if all.iter().all(resolved) {
                return Some(all.into_iter().map(Cosines::trimmed).collect());
            }
            n *= 2;
        }
        None
    }

    fn trimmed(mut self) -> Cosines {
        let largest = self.coefficients.iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()));
        while self.coefficients.len() > 1
            && self.coefficients[self.coefficients.len() - 1].to_f64().abs() <= SMALL * 1e-2 * largest
        {
            self.coefficients.pop();
        }
        self
    }

    pub(super) fn mean(&self) -> Dd {
        self.coefficients[0]
    }

    pub(super) fn value(&self, s: Dd) -> Dd {
        let (mut sum, mut k) = (self.mean(), 1.0);
        for c in &self.coefficients[1..] {
            sum = sum + *c * (s * Dd::from(k)).sin_cos().1;
            k += 1.0;
        }
        sum
    }

    /// The integral from 0 less its mean growth.
    pub(super) fn wave(&self, s: Dd) -> Dd {
        let (mut sum, mut k) = (Dd::ZERO, 1.0);
        for c in &self.coefficients[1..] {
            sum = sum + *c / Dd::from(k) * (s * Dd::from(k)).sin_cos().0;
            k += 1.0;
        }
        sum
    }

    /// The integral from 0.
    pub(super) fn integral(&self, s: Dd) -> Dd {
        self.mean() * s + self.wave(s)
    }

    /// The s where the integral from 0 is this, by Newton's method, for a function without zeros.
    pub(super) fn inverse(&self, target: Dd) -> Dd {
        let mut s = target / self.mean();
        for _ in 0..STEPS {
            let step = (self.integral(s) - target) / self.value(s);
            s = s - step;
            if step.to_f64().abs() < SETTLED * (1.0 + s.to_f64().abs()) {
                break;
            }
        }
        s
    }
}

fn transform(values: &[Vec<Dd>], i: usize, cosine: &[Dd], n: usize) -> Cosines {
    let scale = Dd::from(2.0) / Dd::from(n as f64);
    let coefficients = (0..n)
        .map(|k| {
            let sum = (0..n).fold(Dd::ZERO, |s, j| s + values[j][i] * cosine[(k * (2 * j + 1)) % (4 * n)]);
            sum * scale * Dd::from(if k == 0 { 0.5 } else { 1.0 })
        })
        .collect();
    Cosines { coefficients }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_integral() {
        // ∫ ds/(2 + cos s) = 2π/√3 over a turn
        let f = Cosines::of(1, |s| vec![Dd::ONE / (Dd::from(2.0) + s.sin_cos().1)]).unwrap().remove(0);
        assert!((f.mean() - Dd::ONE / Dd::from(3.0).sqrt()).to_f64().abs() < 1e-30);
        let s = Dd::from(1.3);
        assert!((f.value(s) - Dd::ONE / (Dd::from(2.0) + s.sin_cos().1)).to_f64().abs() < 1e-29);
        // 2/√3 atan(tan(s/2)/√3)
        let root = Dd::from(3.0).sqrt();
        let (sin, cos) = Dd::from(0.65).sin_cos();
        let exact = Dd::from(2.0) / root * (sin / root).atan2(cos);
        assert!((f.integral(s) - exact).to_f64().abs() < 1e-29);
        // near a pole more points are needed than there are
        assert!(Cosines::of(1, |s| vec![Dd::ONE / (Dd::from(1.00001) + s.sin_cos().1)]).is_none());
    }
}
