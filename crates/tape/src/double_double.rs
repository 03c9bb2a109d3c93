//! Numbers of 31 digits: the unevaluated sum of two doubles.
//!
//! ```text
//! x = hi + lo,   |lo| ≤ ½ ulp(hi)
//! ```
//!
//! Sums and products are those of [Dekker1971] with the error terms kept; each is off by a few
//! units of 2⁻¹⁰⁴ at most.

use crate::scalar::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// hi + lo with |lo| ≤ half an ulp of hi.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Dd {
    hi: f64,
    lo: f64,
}

/// a + b and the rounding error of the sum.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// The same for |a| ≥ |b|.
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// Two halves of at most 26 bits each.
fn split(a: f64) -> (f64, f64) {
    let t = 134_217_729.0 * a; // 2²⁷ + 1
    let hi = t - (t - a);
    (hi, a - hi)
}

/// a b and the rounding error of the product.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    (p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl Dd {
    /// 0.
    pub const ZERO: Dd = Dd { hi: 0.0, lo: 0.0 };
    /// 1.
    pub const ONE: Dd = Dd { hi: 1.0, lo: 0.0 };
    /// π.
    pub const PI: Dd = Dd { hi: std::f64::consts::PI, lo: 1.2246467991473532e-16 };

    /// The sum of two doubles, exactly.
    pub fn new(hi: f64, lo: f64) -> Dd {
        let (hi, lo) = two_sum(hi, lo);
        Dd { hi, lo }
    }

    /// The nearest double.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// What the nearest double misses.
    pub fn lo(self) -> f64 {
        self.lo
    }
}

impl From<f64> for Dd {
    fn from(x: f64) -> Dd {
        Dd { hi: x, lo: 0.0 }
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Dd {
    type Output = Dd;
    fn add(self, b: Dd) -> Dd {
        let (s, e) = two_sum(self.hi, b.hi);
        let (t, f) = two_sum(self.lo, b.lo);
        let (s, e) = quick_two_sum(s, e + t);
        let (hi, lo) = quick_two_sum(s, e + f);
        Dd { hi, lo }
    }
}

impl Sub for Dd {
    type Output = Dd;
    fn sub(self, b: Dd) -> Dd {
        self + -b
    }
}

impl Mul for Dd {
    type Output = Dd;
    fn mul(self, b: Dd) -> Dd {
        let (p, e) = two_product(self.hi, b.hi);
        let (hi, lo) = quick_two_sum(p, e + (self.hi * b.lo + self.lo * b.hi));
        Dd { hi, lo }
    }
}

impl Div for Dd {
    type Output = Dd;
    fn div(self, b: Dd) -> Dd {
        let q1 = self.hi / b.hi;
        let r = self - b * Dd::from(q1);
        let q2 = r.hi / b.hi;
        let r = r - b * Dd::from(q2);
        let q3 = r.hi / b.hi;
        Dd::new(q1, q2) + Dd::from(q3)
    }
}

impl Scalar for Dd {
    const EPSILON: f64 = 4.93038065763132e-32; // 2⁻¹⁰⁴
    fn constant(x: Dd) -> Dd {
        x
    }
    fn to_dd(self) -> Dd {
        self
    }
    fn to_f64(self) -> f64 {
        self.hi
    }
    fn sqrt(self) -> Dd {
        if self.hi <= 0.0 {
            return Dd::from(self.hi.sqrt());
        }
        // one Newton step from the double root
        let x = Dd::from(self.hi.sqrt());
        let half = Dd::from(0.5);
        let y = x + half * (self - x * x) / x;
        y + half * (self - y * y) / y
    }
    fn sin_cos(self) -> (Dd, Dd) {
        let (s, c) = self.hi.sin_cos();
        (Dd::from(s), Dd::from(c))
    }
    fn exp(self) -> Dd {
        Dd::from(self.hi.exp())
    }
    fn ln(self) -> Dd {
        Dd::from(self.hi.ln())
    }
    fn atan2(self, x: Dd) -> Dd {
        Dd::from(self.hi.atan2(x.hi))
    }
    fn abs(self) -> Dd {
        if self.hi < 0.0 || (self.hi == 0.0 && self.lo < 0.0) { -self } else { self }
    }
    fn is_finite(self) -> bool {
        self.hi.is_finite() && self.lo.is_finite()
    }
}
