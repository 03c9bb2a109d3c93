//! Elementary functions that a compiler can turn into vectors.
//!
//! Each is written for one number, without branches and without calls, so that a loop over a
//! column becomes vector instructions on any machine. Only + − × ÷ and operations on bits are
//! used, never a fused multiply-add: one lane, eight lanes and every instruction set give the same
//! bits. Each has a domain (`within`) that covers all ordinary arguments; the few others
//! (infinities, NaN, subnormals, huge angles) go to the standard library one by one.
//!
//! Largest error seen at a million points each, in units in the last place (ulp), against 160 bits
//! of Arb:
//!
//! | function | domain of the fast form | ulp |
//! | --- | --- | --- |
//! | sin | \|x\| ≤ 10⁶ | 0.77 |
//! | cos | \|x\| ≤ 10⁶ | 0.80 |
//! | exp | \|x\| ≤ 708 | 0.89 |
//! | ln | positive normal numbers | 0.82 |
//! | atan2 | 2⁻¹⁰⁰ ≤ a ≤ 2¹⁰⁰⁰, and b = 0 or b ≥ 2⁻⁹⁰⁰ a, for a ≥ b among \|x\|, \|y\| | 1.50 |

pub(crate) mod atan2;
pub(crate) mod exp;
pub(crate) mod log;
pub mod pairs;
pub(crate) mod sin_cos;

/// 1.5·2⁵²: adding it rounds a number below 2⁵¹ to an integer, which then stands in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// sin x and cos x.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if sin_cos::within(x) { sin_cos::fast(x) } else { x.sin_cos() }
}

/// eˣ.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    if exp::within(x) { exp::fast(x) } else { x.exp() }
}

/// The natural logarithm.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    if log::within(x) { log::fast(x) } else { x.ln() }
}

/// The angle of the point (x, y).
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    if atan2::within(y, x) { atan2::fast(y, x) } else { y.atan2(x) }
}
