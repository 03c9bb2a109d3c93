//! sin, cos, exp, ln and atan2, written once for all evaluators.
//!
//! Each is a formula over a [`Number`], without branches and without calls. Numbers are doubles, or values that
//! write down what is done with them, so that the same lines are a loop that a compiler turns into vectors, machine code,
//! and WebAssembly. Only + − × ÷, comparisons and operations on bits are used, never a fused multiply-add: one lane, eight
//! lanes, every instruction set and every engine give the same bits.
//!
//! Each has a domain that covers all ordinary arguments, as inequalities a ≤ b that must [hold](holds); what happens to
//! the few others (infinities, NaN, subnormals, huge angles) is up to the evaluator. Formulas that are of use to those too
//! come in two parts: what is done to the argument, and what is computed from the rest.
//!
//! Largest error seen at a million points each, in units in the last place (ulp), against 160 bits
//! of Arb:
//!
//! | function | domain | ulp |
//! | --- | --- | --- |
//! | sin | \|x\| ≤ 10⁶ | 0.77 |
//! | cos | \|x\| ≤ 10⁶ | 0.80 |
//! | exp | \|x\| ≤ 708 | 0.89 |
//! | ln | positive normal numbers | 0.82 |
//! | atan2 | 2⁻¹⁰⁰ ≤ a ≤ 2¹⁰⁰⁰, and b = 0 or b ≥ 2⁻⁹⁰⁰ a, for a ≥ b among \|x\|, \|y\| | 1.50 |

pub mod atan2;
pub mod exp;
pub mod log;
mod number;
pub mod sin_cos;

pub use number::{Bits, Condition, Number};

/// 1.5·2⁵²: adding it rounds a number below 2⁵¹ to an integer, which then stands in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts, the first of 32 bits.
const LN_2: [f64; 2] = [0.6931471803691238, 1.9082149292705877e-10];

/// What the double next to π/2 misses.
pub const FRAC_PI_2_LO: f64 = 6.123233995736766e-17;

/// The sign bit.
pub const SIGN: u64 = 1 << 63;

/// 2ⁿ for −1022 ≤ n ≤ 1023.
pub const fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// Are all inequalities a ≤ b of a domain true?
#[inline(always)]
pub fn holds<const N: usize>(domain: [(f64, f64); N]) -> bool {
    domain.into_iter().fold(true, |all, (a, b)| all & (a <= b))
}
