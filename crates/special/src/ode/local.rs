//! An equation at one point: ordinary, regular singular, apparent or irregular; exponents.
//!
//! With t = x − x₀ and common powers of t removed, a point is at most regular singular when
//!
//! ```text
//! t² A(t) y″ + t B(t) y′ + C(t) y = 0,     A(0) ≠ 0,                                     (R)
//! ```
//!
//! with polynomials A, B, C. The exponents are the roots of the indicial equation
//! r(r−1) A₀ + r B₀ + C₀ = 0. They are r₂ and r₁ = r₂ + n with an integer n ≥ 0 if rounding of the
//! coefficients allows it; then the second solution may have a logarithm (`frobenius.rs`).

use super::polynomial::{Number, Polynomial, Real, modulus, number, order, shifted, shifted_and_cleaned};
use crate::budget::EXPONENT_DIFFERENCE;
use polhode_tape::Scalar;

/// (R) at one point.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) a: Polynomial,
    pub(crate) b: Polynomial,
    pub(crate) c: Polynomial,
    /// r₁ and r₂, Re r₁ ≥ Re r₂.
    pub(crate) exponents: [Number; 2],
    /// r₁ − r₂ where that is an integer.
    pub(crate) difference: Option<usize>,
}

/// Why (R) does not hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Irregular;

impl Local {
    /// The equation p₂ y″ + p₁ y′ + p₀ y = 0 at x₀, a zero of p₂ of this multiplicity.
    pub(crate) fn new(
        p: &[Polynomial; 3],
        x0: Number,
        multiplicity: usize,
        tolerance: f64,
    ) -> Result<Local, Irregular> {
        let [p1, p0] = [1, 2].map(|k| shifted_and_cleaned(&p[k], x0, tolerance));
        // the multiplicity is known: rounding is not asked
        let mut p2 = shifted(&p[0], x0);
        p2.iter_mut().take(multiplicity).for_each(|c| *c = Number::default());
        let (k, j, l) = (order(&p2), order(&p1), order(&p0));
        // coefficients beyond the range of doubles leave nothing of p₂
        let nothing = k == p2.len();
        if nothing || (j < p1.len() && j + 1 < k) || (l < p0.len() && l + 2 < k) {
            return Err(Irregular);
        }
        let a = p2[k..].to_vec();
        let b = moved(&p1, k as i64 - 1);
        let c = moved(&p0, k as i64 - 2);
        let at = |p: &Polynomial| p.first().copied().unwrap_or_default();
        let (beta, gamma) = (at(&b) / at(&a), at(&c) / at(&a));
        let half = Real::ONE.scaled(-1);
        let mean = (Number::from(Real::ONE) - beta).scale(half);
        let square = mean * mean - gamma; // (r₁ − r₂)²/4
        let scale = 1.0 + modulus(mean).powi(2) + modulus(gamma);
        let n = (4.0 * square.re.to_f64()).max(0.0).sqrt().round();
        let integer = n <= EXPONENT_DIFFERENCE && modulus(square - number(n * n / 4.0, 0.0)) <= 4.0 * tolerance * scale;
        let (difference, spread) =
            if integer { (Some(n as usize), number(n / 2.0, 0.0)) } else { (None, square.sqrt()) };
        let exponents = [mean + spread, mean - spread].map(|r| snapped(r, 4.0 * tolerance));
        Ok(Local { a, b, c, exponents, difference })
    }

    /// The same in t = ± ℓ s: polynomials in s.
    pub(crate) fn rescaled(&self, scale: Real) -> Local {
        let mut out = self.clone();
        for p in [&mut out.a, &mut out.b, &mut out.c] {
            let mut power = Real::ONE;
            for c in p.iter_mut() {
                *c = c.scale(power);
                power = power * scale;
            }
        }
        out
    }

    /// The coefficient of s^j in (A r(r−1) + B r + C), the action on s^r.
    pub(crate) fn action(&self, j: usize, r: Number) -> Number {
        let at = |p: &Polynomial| p.get(j).copied().unwrap_or_default();
        (at(&self.a) * (r - Number::from(Real::ONE)) + at(&self.b)) * r + at(&self.c)
    }

    /// The largest power of s in A, B, C.
    pub(crate) fn degree(&self) -> usize {
        self.a.len().max(self.b.len()).max(self.c.len()) - 1
    }

    /// Whether the exponents are 1 and 0: those of an ordinary point.
    pub(crate) fn is_like_ordinary(&self) -> bool {
        self.exponents[0] == Number::from(Real::ONE) && self.exponents[1] == Number::default()
    }

    /// Whether both exponents are integers ≥ 0, so that solutions without a logarithm are analytic.
    pub(crate) fn has_analytic_exponents(&self) -> bool {
        self.exponents.iter().all(|r| r.is_real() && r.re.as_integer().is_some_and(|n| n >= 0))
    }
}

/// p/t^k, or t^{−k} p for negative k.
fn moved(p: &Polynomial, k: i64) -> Polynomial {
    if k >= 0 {
        return p.get(k as usize..).map(<[Number]>::to_vec).unwrap_or_default();
    }
    let mut out = vec![Number::default(); k.unsigned_abs() as usize];
    out.extend(p.iter().copied());
    out
}

/// Integers and real numbers that were meant to be such.
fn snapped(r: Number, tolerance: f64) -> Number {
    let limit = tolerance * (1.0 + modulus(r));
    let im = if r.im.abs().to_f64() <= limit { Real::ZERO } else { r.im };
    let (n, rest) = r.re.split_integer();
    let re = if rest.abs().to_f64() <= limit { Real::integer(n) } else { r.re };
    Number { re, im }
}
