//! Numbers of 31 digits: the unevaluated sum of two doubles.
//!
//! ```text
//! x = hi + lo,   |lo| ≤ ½ ulp(hi)
//! ```
//!
//! Sums and products are those of \[Dekker1971\] with the error terms kept. With u² = 2⁻¹⁰⁶, the
//! relative error of a product is below 5 u² = 6.2·10⁻³² (\[JoldesMullerPopescu2017\], algorithm 10)
//! and that of every other operation and function below 4 u²; the tests compare with exact
//! rationals and with balls of 4000 bits (2.3 u² is the largest error of a function seen at 36 000
//! points). That holds as long as the parts of operands and result are normal doubles: below
//! 10⁻²⁹⁰ the low part fades out and doubles remain. Zeros, infinities and undefined results are
//! those of doubles, with `lo` = 0.

mod decimal;
mod functions;
mod reduction;
mod tables;

pub use decimal::NotANumber;
pub use tables::TWO_OVER_PI;

use crate::scalar::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// hi + lo with |lo| ≤ half an ulp of hi.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Dd {
    hi: f64,
    lo: f64,
}

/// a + b and the rounding error of the sum.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// The same for |a| ≥ |b|.
#[inline]
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// Two halves of at most 26 bits each.
#[inline]
fn split(a: f64) -> (f64, f64) {
    let t = 134_217_729.0 * a; // 2²⁷ + 1
    let hi = t - (t - a);
    (hi, a - hi)
}

/// a b and the rounding error of the product, for finite products.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    // one instruction where the machine has it; the same number by halves where not
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        return (p, a.mul_add(b, -p));
    }
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    let e = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
    if e.is_finite() || !p.is_finite() { (p, e) } else { (p, error_of_large_product(a, b)) }
}

/// The error of a product whose halves overflow: that of smaller numbers, scaled.
#[cold]
fn error_of_large_product(a: f64, b: f64) -> f64 {
    let (down, up) = (power_of_two(-64), power_of_two(64));
    let (a, b) = if a.abs() > b.abs() { (a * down, b) } else { (a, b * down) };
    two_product(a, b).1 * up
}

/// 2ⁿ for −1022 ≤ n ≤ 1023.
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
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
        let (s, e) = two_sum(hi, lo);
        if e == 0.0 || !s.is_finite() { Dd::from(s) } else { Dd { hi: s, lo: e } }
    }

    /// p/q.
    pub fn ratio(p: i64, q: i64) -> Dd {
        Dd::from(p) / Dd::from(q)
    }

    /// The nearest double.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// What the nearest double misses.
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// hi + lo where |hi| ≥ |lo| or hi = 0, and hi is the larger part of a result: one that is not
    /// finite or vanishes has no low part.
    #[inline]
    fn normal(hi: f64, lo: f64) -> Dd {
        let (s, e) = quick_two_sum(hi, lo);
        if s.is_finite() { Dd { hi: s, lo: e } } else { Dd::from(s) }
    }

    /// Times a double.
    #[inline]
    fn times(self, b: f64) -> Dd {
        let (p, e) = two_product(self.hi, b);
        if p.is_normal() { Dd::normal(p, e + self.lo * b) } else { Dd::from(p) }
    }

    /// Times a power of two: exact unless it leaves the range of doubles.
    fn scaled(self, power: f64) -> Dd {
        let hi = self.hi * power;
        if hi.is_finite() { Dd { hi, lo: self.lo * power } } else { Dd::from(hi) }
    }
}

impl From<f64> for Dd {
    #[inline]
    fn from(x: f64) -> Dd {
        Dd { hi: x, lo: 0.0 }
    }
}

impl From<i64> for Dd {
    /// Exactly.
    #[inline]
    fn from(n: i64) -> Dd {
        let hi = n as f64;
        // hi may be 2⁶³, which is no i64
        Dd { hi, lo: (i128::from(n) - hi as i128) as f64 }
    }
}

impl From<i32> for Dd {
    #[inline]
    fn from(n: i32) -> Dd {
        Dd::from(f64::from(n))
    }
}

impl Neg for Dd {
    type Output = Dd;
    #[inline]
    fn neg(self) -> Dd {
        // a low part that vanishes stays +0, so that equal numbers have equal bits
        Dd { hi: -self.hi, lo: 0.0 - self.lo }
    }
}

impl Add for Dd {
    type Output = Dd;
    #[inline]
    fn add(self, b: Dd) -> Dd {
        let (s, e) = two_sum(self.hi, b.hi);
        let (t, f) = two_sum(self.lo, b.lo);
        if s == 0.0 {
            // the high parts cancel: what is left is exact, and a zero has the sign doubles give it
            return if t == 0.0 { Dd::from(s) } else { Dd { hi: t, lo: f } };
        }
        if !s.is_finite() {
            return Dd::from(s);
        }
        let (s, e) = quick_two_sum(s, e + t);
        Dd::normal(s, e + f)
    }
}

impl Sub for Dd {
    type Output = Dd;
    #[inline]
    fn sub(self, b: Dd) -> Dd {
        self + -b
    }
}

impl Mul for Dd {
    type Output = Dd;
    #[inline]
    fn mul(self, b: Dd) -> Dd {
        let (p, e) = two_product(self.hi, b.hi);
        if p.is_normal() { Dd::normal(p, e + (self.hi * b.lo + self.lo * b.hi)) } else { Dd::from(p) }
    }
}

impl Div for Dd {
    type Output = Dd;
    #[inline]
    fn div(self, b: Dd) -> Dd {
        // long division, one double at a time
        let q1 = self.hi / b.hi;
        if !q1.is_normal() {
            return Dd::from(q1);
        }
        let r = self - b.times(q1);
        let q2 = r.hi / b.hi;
        let r = r - b.times(q2);
        let q3 = r.hi / b.hi;
        let q = Dd::new(q1, q2) + Dd::from(q3);
        // b q₁ overflows where q₁ was rounded up at the end of the range
        if q.is_finite() { q } else { Dd::from(q1) }
    }
}

impl Scalar for Dd {
    const EPSILON: f64 = 4.930380657631324e-32; // 2⁻¹⁰⁴
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
        functions::sqrt(self)
    }
    fn sin_cos(self) -> (Dd, Dd) {
        functions::sin_cos(self)
    }
    fn exp(self) -> Dd {
        functions::exp(self)
    }
    fn ln(self) -> Dd {
        functions::ln(self)
    }
    fn atan2(self, x: Dd) -> Dd {
        functions::atan2(self, x)
    }
    fn abs(self) -> Dd {
        if self.hi.is_sign_negative() { -self } else { self }
    }
    fn is_finite(self) -> bool {
        self.hi.is_finite()
    }
}
