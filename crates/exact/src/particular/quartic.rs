//! ẋ² = quartic in x, by elliptic functions.
//!
//! From a zero x₀ of Q, reached at t₀ \[WhittakerWatson1927, §20.6\]
//!
//! ```text
//! x = x₀ + Q′(x₀)/4 / (℘(t − t₀; g₂, g₃) − Q″(x₀)/24),                                             (W1)
//! ```
//!
//! with Q = a₀x⁴ + 4a₁x³ + 6a₂x² + 4a₃x + a₄, g₂ = a₀a₄ − 4a₁a₃ + 3a₂², g₃ = a₀a₂a₄ + 2a₁a₂a₃ − a₂³ − a₀a₃² − a₁²a₄, and
//!
//! ```text
//! ℘ = e₃ + (e₁ − e₃)/sn²(√(e₁ − e₃) t),   m = (e₂ − e₃)/(e₁ − e₃)            three real e,
//! ℘ = e₂ + H (1 + cn)/(1 − cn),  cn = cn(2√H t),   m = ½ − 3e₂/4H,   H² = 3e₂² − g₂/4     one real e.          (W2)
//! ```

use crate::steady::algebra::roots;
use polhode_special::elliptic::{elliptic_k, jacobi};
use polhode_tape::{Dd, Scalar};

/// A solution of ẋ² = Q(x).
#[derive(Clone, Debug)]
pub struct Elliptic {
    /// x₀, Q′/4, Q″/24, t₀.
    zero: Dd,
    slope: Dd,
    bend: Dd,
    since: Dd,
    invariants: [Dd; 2],
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Three { low: Dd, range: Dd, parameter: Dd },
    One { real: Dd, scale: Dd, parameter: Dd },
}

impl Elliptic {
    /// From the coefficients of 1, x, …, x⁴, a simple zero and the time at which it is reached; `None` where the elliptic functions degenerate.
    pub(super) fn new(q: [Dd; 5], zero: Dd, since: Dd) -> Option<Elliptic> {
        let d = |n: f64| Dd::from(n);
        let (a4, a3, a2, a1, a0) = (q[0], q[1] / d(4.0), q[2] / d(6.0), q[3] / d(4.0), q[4]);
        let g2 = a0 * a4 - d(4.0) * a1 * a3 + d(3.0) * a2 * a2;
        let g3 = a0 * a2 * a4 + d(2.0) * a1 * a2 * a3 - a2 * a2 * a2 - a0 * a3 * a3 - a1 * a1 * a4;
        let slope = q[1] + zero * (d(2.0) * q[2] + zero * (d(3.0) * q[3] + zero * d(4.0) * q[4]));
        let bend = d(2.0) * q[2] + zero * (d(6.0) * q[3] + zero * d(12.0) * q[4]);
        // eigenvalues of size one
        let size = d(g2.to_f64().abs().sqrt().max(g3.to_f64().abs().cbrt()));
        let mut e = roots(&[d(4.0), Dd::ZERO, -(g2 / (size * size)), -(g3 / (size * size * size))]);
        e.iter_mut().for_each(|z| *z = z.scale(size));
        let mut real: Vec<Dd> = e.iter().filter(|z| z.im == Dd::ZERO).map(|z| z.re).collect();
        real.sort_by(|a, b| b.to_f64().total_cmp(&a.to_f64()));
        let form = match real[..] {
            [e1, e2, e3] => Form::Three { low: e3, range: e1 - e3, parameter: (e2 - e3) / (e1 - e3) },
            [real] => {
                let scale = (d(3.0) * real * real - g2 / d(4.0)).sqrt();
                Form::One { real, scale, parameter: d(0.5) - d(0.75) * real / scale }
            }
            _ => return None,
        };
        Some(Elliptic { zero, slope: slope / d(4.0), bend: bend / d(24.0), since, invariants: [g2, g3], form })
    }

    /// x at time t, computed in double-doubles and rounded at the end.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        let t = t.to_dd() - self.since;
        let share = match self.form {
            Form::Three { low, range, parameter } => {
                let f = jacobi(range.sqrt() * t, parameter);
                let square = f.sn * f.sn;
                square / ((low - self.bend) * square + range)
            }
            Form::One { real, scale, parameter } => {
                let f = jacobi((scale.sqrt() + scale.sqrt()) * t, parameter);
                let (less, more) = (Dd::ONE - f.cn, Dd::ONE + f.cn);
                less / ((real - self.bend) * less + scale * more)
            }
        };
        S::constant(self.zero + self.slope * share)
    }

    /// The period.
    pub fn period(&self) -> Dd {
        match self.form {
            Form::Three { range, parameter, .. } => Dd::from(2.0) * elliptic_k(parameter) / range.sqrt(),
            Form::One { scale, parameter, .. } => Dd::from(2.0) * elliptic_k(parameter) / scale.sqrt(),
        }
    }

    /// The letters of (W1): x₀, t₀, Q′(x₀), Q″(x₀), g₂, g₃.
    pub(super) fn letters(&self) -> [Dd; 6] {
        let [g2, g3] = self.invariants;
        [self.zero, self.since, self.slope * Dd::from(4.0), self.bend * Dd::from(24.0), g2, g3]
    }

    /// The parameter m = k² of the elliptic functions.
    pub fn parameter(&self) -> Dd {
        match self.form {
            Form::Three { parameter, .. } | Form::One { parameter, .. } => parameter,
        }
    }
}
