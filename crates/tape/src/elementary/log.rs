//! The natural logarithm.
//!
//! ```text
//! x = 2ᵏ (1 + f),   √½ ≤ 1 + f < √2,      s = f/(2 + f)
//! ln(1 + f) = 2 artanh s = 2s + s R(s²) = f − (f²/2 − s (f²/2 + R))
//! ```
//!
//! The polynomial R is that of fdlibm (`e_log.c`, Sun Microsystems 1993).

use super::{Bits, LN_2, Number};

/// R(z) = L₀ z + L₁ z² + ….
const L: [f64; 7] = [
    0.6666666666666735,
    0.3999999999940942,
    0.2857142874366239,
    0.22222198432149784,
    0.1818357216161805,
    0.15313837699209373,
    0.14798198605116586,
];

/// Bits of 1 and of √½.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// The bits below the exponent.
const FRACTION: u64 = 0x000f_ffff_ffff_ffff;
/// 2⁵²: its low bits hold an integer.
const TWO_52: f64 = 4_503_599_627_370_496.0;

/// Where [`parts`] hold: the positive normal numbers.
#[inline(always)]
pub fn domain<N: Number>(x: N) -> [(N, N); 2] {
    [(x.number(f64::MIN_POSITIVE), x), (x, x.number(f64::MAX))]
}

/// ln x within the [`domain`]; something else elsewhere.
#[inline(always)]
pub fn log<N: Number>(x: N) -> N {
    let (k, f) = parts(x);
    of_parts(k, f)
}

/// k and f.
#[inline(always)]
pub fn parts<N: Number>(x: N) -> (N, N) {
    // k + 1023 in the exponent field, the fraction counted from √½
    let x = x.bits();
    let bits = x.plus(x.word(ONE - ROOT_HALF));
    let k = ((bits >> 52) | bits.word(TWO_52.to_bits())).double() - (TWO_52 + 1023.0);
    let f = (bits & bits.word(FRACTION)).plus(bits.word(ROOT_HALF)).double() - 1.0;
    (k, f)
}

/// k ln 2 + ln(1 + f).
#[inline(always)]
pub fn of_parts<N: Number>(k: N, f: N) -> N {
    let s = f / (f + 2.0);
    let z = s * s;
    let w = z * z;
    let even = w * (w * (w * L[5] + L[3]) + L[1]);
    let odd = z * (w * (w * (w * L[6] + L[4]) + L[2]) + L[0]);
    let half = f * 0.5 * f;
    k * LN_2[0] - ((half - (s * (half + (even + odd)) + k * LN_2[1])) - f)
}
