//! The functions at two points, in vectors of two where both are ordinary.
//!
//! The two calls of a formula stand side by side, since that is what compilers make vectors of.

/// Sines and cosines.
#[inline(always)]
pub fn sin_cos([a, b]: [f64; 2]) -> [[f64; 2]; 2] {
    use super::sin_cos::{fast, within};
    let (a, b) = match within(a) && within(b) {
        true => (fast(a), fast(b)),
        false => (super::sin_cos(a), super::sin_cos(b)),
    };
    [[a.0, b.0], [a.1, b.1]]
}

/// Exponentials.
#[inline(always)]
pub fn exp([a, b]: [f64; 2]) -> [f64; 2] {
    use super::exp::{fast, within};
    match within(a) && within(b) {
        true => [fast(a), fast(b)],
        false => [super::exp(a), super::exp(b)],
    }
}

/// Natural logarithms.
#[inline(always)]
pub fn ln([a, b]: [f64; 2]) -> [f64; 2] {
    use super::log::{fast, within};
    match within(a) && within(b) {
        true => [fast(a), fast(b)],
        false => [super::ln(a), super::ln(b)],
    }
}

/// Angles of the points (x, y).
#[inline(always)]
pub fn atan2([ya, yb]: [f64; 2], [xa, xb]: [f64; 2]) -> [f64; 2] {
    use super::atan2::{fast, within};
    match within(ya, xa) && within(yb, xb) {
        true => [fast(ya, xa), fast(yb, xb)],
        false => [super::atan2(ya, xa), super::atan2(yb, xb)],
    }
}
