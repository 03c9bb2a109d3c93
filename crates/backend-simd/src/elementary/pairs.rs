//! The functions at two points, in vectors of two where both are ordinary.
//!
//! The two calls of a formula stand side by side, since that is what compilers make vectors of.

use polhode_tape::elementary::{atan2, exp, holds, log, sin_cos};

/// Sines and cosines.
#[inline(always)]
pub fn sin_cos([a, b]: [f64; 2]) -> [[f64; 2]; 2] {
    let (a, b) = match holds(sin_cos::domain(a)) && holds(sin_cos::domain(b)) {
        true => (sin_cos::sin_cos(a), sin_cos::sin_cos(b)),
        false => (super::sin_cos(a), super::sin_cos(b)),
    };
    [[a.0, b.0], [a.1, b.1]]
}

/// Exponentials.
#[inline(always)]
pub fn exp([a, b]: [f64; 2]) -> [f64; 2] {
    match holds(exp::domain(a)) && holds(exp::domain(b)) {
        true => [exp::exp(a), exp::exp(b)],
        false => [super::exp(a), super::exp(b)],
    }
}

/// Natural logarithms.
#[inline(always)]
pub fn ln([a, b]: [f64; 2]) -> [f64; 2] {
    match holds(log::domain(a)) && holds(log::domain(b)) {
        true => [log::log(a), log::log(b)],
        false => [super::ln(a), super::ln(b)],
    }
}

/// Angles of the points (x, y).
#[inline(always)]
pub fn atan2([ya, yb]: [f64; 2], [xa, xb]: [f64; 2]) -> [f64; 2] {
    match holds(atan2::domain(ya, xa)) && holds(atan2::domain(yb, xb)) {
        true => [atan2::atan2(ya, xa), atan2::atan2(yb, xb)],
        false => [super::atan2(ya, xa), super::atan2(yb, xb)],
    }
}
