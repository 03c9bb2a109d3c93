//! Elementary functions that a compiler can turn into vectors.
//!
//! A loop of the formulas of [`polhode_tape::elementary`] over a column of doubles becomes vector instructions on any
//! machine. Arguments outside of their domains go to the standard library one by one.

pub mod pairs;

use polhode_tape::elementary::{atan2, exp, holds, log, sin_cos};

/// sin x and cos x.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if holds(sin_cos::domain(x)) { sin_cos::sin_cos(x) } else { x.sin_cos() }
}

/// eˣ.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    if holds(exp::domain(x)) { exp::exp(x) } else { x.exp() }
}

/// The natural logarithm.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    if holds(log::domain(x)) { log::log(x) } else { x.ln() }
}

/// The angle of the point (x, y).
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    if holds(atan2::domain(y, x)) { atan2::atan2(y, x) } else { y.atan2(x) }
}
