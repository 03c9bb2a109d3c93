//! Roots, angles, exponentials and logarithms of double-doubles.
//!
//! Each function is a table value plus a small correction by its Taylor series,
//!
//! ```text
//! f(a + t) = f(a) + (…),   |t| ≤ 1/32 or so,
//! ```
//!
//! so that the error is that of the last addition: errors of the correction count at most half.
//! Terms of a series below 2⁻⁵³ of the first are summed in doubles.

use super::reduction::modulo_half_pi;
use super::tables::{
    ATAN, COS, EXP, HALF_PI, INVERSE_FACTORIAL, INVERSE_ODD, LN_2_HEAD, LN_2_REST, MINUS_LN, QUARTER_PI, RECIPROCAL,
    SIN, THREE_QUARTER_PI,
};
use super::{Dd, power_of_two, quick_two_sum, two_product};

/// c₀ + c₁ z + c₂ z² + … with the terms from `doubles` on in doubles.
fn series(c: impl Fn(usize) -> Dd, z: Dd, doubles: usize, terms: usize) -> Dd {
    let tail = (doubles..terms).rev().fold(0.0, |sum, k| sum * z.hi + c(k).hi);
    (0..doubles).rev().fold(Dd::from(tail), |sum, k| sum * z + c(k))
}

/// √x: the root of the double, and one step of Newton's method with the residue exact.
pub(super) fn sqrt(x: Dd) -> Dd {
    if x.hi <= 0.0 || !x.hi.is_finite() {
        return Dd::from(x.hi.sqrt());
    }
    // squares of parts stay within the range of doubles
    if !(1e-250..1e250).contains(&x.hi) {
        let n = if x.hi < 1.0 { 300 } else { -300 };
        return sqrt(x.scaled(power_of_two(2 * n))).scaled(power_of_two(-n));
    }
    let y = x.hi.sqrt();
    let (p, e) = two_product(y, y);
    let residue = Dd::new(x.hi - p, x.lo) - Dd::from(e);
    let (hi, lo) = quick_two_sum(y, residue.hi / (2.0 * y));
    Dd { hi, lo }
}

/// (sin x, cos x).
pub(super) fn sin_cos(x: Dd) -> (Dd, Dd) {
    if !x.hi.is_finite() {
        return (Dd::from(f64::NAN), Dd::from(f64::NAN));
    }
    let (q, r) = if x.hi.abs() <= QUARTER_PI.hi { (0, x) } else { modulo_half_pi(x) };
    let (s, c) = sin_cos_within_quarter(r);
    match q {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// The same for |x| ≤ π/4.
fn sin_cos_within_quarter(x: Dd) -> (Dd, Dd) {
    let k = (16.0 * x.hi).round();
    let t = x - Dd::from(k / 16.0);
    let z = t * t;
    // sin t = t − t³ (1/3! − t²/5! + …),   1 − cos t = t² (1/2! − t²/4! + …)
    let beyond = z * t * series(|n| INVERSE_FACTORIAL[2 * n + 3], -z, 3, 7);
    let versine = z * series(|n| INVERSE_FACTORIAL[2 * n + 2], -z, 4, 8);
    if k == 0.0 {
        let s = if x.hi == 0.0 { x } else { t - beyond };
        return (s, Dd::ONE - versine);
    }
    let sine = t - beyond;
    let (a, c) = (SIN[k.abs() as usize], COS[k.abs() as usize]);
    let a = if k < 0.0 { -a } else { a };
    (a + (c * sine - a * versine), c - (a * sine + c * versine))
}

/// eˣ.
pub(super) fn exp(x: Dd) -> Dd {
    if x.hi.is_nan() {
        return x;
    }
    // beyond the largest number, below half the smallest
    if x.hi > 709.8 || x.hi < -745.2 {
        return Dd::from(if x.hi > 0.0 { f64::INFINITY } else { 0.0 });
    }
    let n = (x.hi / std::f64::consts::LN_2).round();
    let r = Dd::new(x.hi - n * LN_2_HEAD, x.lo) - LN_2_REST.times(n);
    let k = (16.0 * r.hi).round();
    let t = r - Dd::from(k / 16.0);
    // eᵗ − 1 = t + t²/2! + …
    let beyond = t * t * series(|n| INVERSE_FACTORIAL[n + 2], t, 6, 14);
    let e = EXP[(k + 6.0) as usize];
    let y = e + e * (t + beyond);
    // 2ⁿ in two factors, each a double
    let n = n as i32;
    y.scaled(power_of_two(n / 2)).scaled(power_of_two(n - n / 2))
}

/// The natural logarithm.
pub(super) fn ln(x: Dd) -> Dd {
    if !(x.hi > 0.0 && x.hi.is_finite()) {
        return Dd::from(x.hi.ln());
    }
    // x = 2ⁿ m, √½ ≤ m < √2 or nearly so
    let subnormal = x.hi < f64::MIN_POSITIVE;
    let (x, shift) = if subnormal { (x.scaled(power_of_two(64)), -64) } else { (x, 0) };
    let exponent = (x.hi.to_bits() >> 52) as i32 - 1023;
    let mantissa = f64::from_bits(x.hi.to_bits() & ((1 << 52) - 1) | 1.0f64.to_bits());
    let n = if mantissa > std::f64::consts::SQRT_2 { exponent + 1 } else { exponent };
    let m = x.scaled(power_of_two(-n / 2)).scaled(power_of_two(-n - -n / 2));
    // m c = 1 + f, with f exact but for the rounding of 2⁻⁶ u²
    let k = (32.0 * m.hi).round() as usize - 23;
    let c = RECIPROCAL[k];
    let ((p, e), (q, d)) = (two_product(m.hi, c), two_product(m.lo, c));
    let f = Dd::new(p - 1.0, e) + Dd::new(q, d);
    // ln(1 + f) = 2 artanh s = f − f²/(2 + f) + 2 (s³/3 + s⁵/5 + …),   s = f/(2 + f)
    let s = f / (Dd::from(2.0) + f);
    let z = s * s;
    let beyond = (z * s).times(2.0) * series(|n| INVERSE_ODD[n + 1], z, 4, 9) - f * s;
    let n = f64::from(n + shift);
    let (head, rest) = (n * LN_2_HEAD, LN_2_REST.times(n));
    if n == 0.0 && c == 1.0 {
        return if f.hi == 0.0 { Dd::ZERO } else { f + beyond };
    }
    (Dd::from(head) + MINUS_LN[k]) + (f + (beyond + rest))
}

/// The angle of the point (x, y).
pub(super) fn atan2(y: Dd, x: Dd) -> Dd {
    let special = |v: f64| v == 0.0 || !v.is_finite();
    if special(y.hi) || special(x.hi) {
        return multiple_of_quarter_pi(y.hi.atan2(x.hi));
    }
    // parts of products and quotients stay within the range of doubles
    let larger = x.hi.abs().max(y.hi.abs());
    if !(1e-100..1e100).contains(&larger) {
        let n = (larger.log2() as i32).clamp(-1000, 1000);
        let half = power_of_two(-n / 2);
        return atan2(y.scaled(half).scaled(half), x.scaled(half).scaled(half));
    }
    let absolute = |v: Dd| if v.hi < 0.0 { -v } else { v };
    let (a, b) = (absolute(y), absolute(x));
    // the angle in the first quadrant from the one in the first octant
    let angle = if a <= b { atan_of_ratio(a, b) } else { HALF_PI - atan_of_ratio(b, a) };
    let angle = if x.hi < 0.0 { Dd::PI - angle } else { angle };
    if y.hi < 0.0 { -angle } else { angle }
}

/// arctan(y/x) for 0 ≤ y ≤ x.
fn atan_of_ratio(y: Dd, x: Dd) -> Dd {
    let k = (16.0 * (y.hi / x.hi)).round();
    let a = k / 16.0;
    // arctan(y/x) = arctan a + arctan z,   z = (y − a x)/(x + a y)
    let z = if k == 0.0 { y / x } else { (y - x.times(a)) / (x + y.times(a)) };
    let w = z * z;
    // arctan z = z − z³ (1/3 − z²/5 + …)
    let beyond = z * w * series(|n| INVERSE_ODD[n + 1], -w, 5, 10);
    if k == 0.0 { z - beyond } else { ATAN[k as usize] + (z - beyond) }
}

/// What the double angle of a special point stands for: ±0, a multiple of π/4, or undefined.
fn multiple_of_quarter_pi(angle: f64) -> Dd {
    let of = [Dd::ZERO, QUARTER_PI, HALF_PI, THREE_QUARTER_PI, Dd::PI];
    if angle == 0.0 || angle.is_nan() {
        return Dd::from(angle);
    }
    let size = of[(angle.abs() / QUARTER_PI.hi).round() as usize];
    if angle < 0.0 { -size } else { size }
}
