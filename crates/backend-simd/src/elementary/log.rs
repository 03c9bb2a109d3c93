//! The natural logarithm.
//!
//! ```text
//! x = 2ᵏ (1 + f),   √½ ≤ 1 + f < √2,      s = f/(2 + f)
//! ln(1 + f) = 2 artanh s = 2s + s R(s²) = f − (f²/2 − s (f²/2 + R))
//! ```
//!
//! The polynomial R is that of fdlibm (`e_log.c`, Sun Microsystems 1993).

const LN2_HI: f64 = 0.6931471803691238;
const LN2_LO: f64 = 1.9082149292705877e-10;

const L1: f64 = 0.6666666666666735;
const L2: f64 = 0.3999999999940942;
const L3: f64 = 0.2857142874366239;
const L4: f64 = 0.22222198432149784;
const L5: f64 = 0.1818357216161805;
const L6: f64 = 0.15313837699209373;
const L7: f64 = 0.14798198605116586;

/// Bits of 1 and of √½.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// 2⁵²: its low bits hold an integer.
const TWO_52: f64 = 4_503_599_627_370_496.0;

#[inline(always)]
pub(crate) fn within(x: f64) -> bool {
    (f64::MIN_POSITIVE..=f64::MAX).contains(&x)
}

/// ln x for x [`within`] the positive normal numbers; something else for other x.
#[inline(always)]
pub(crate) fn fast(x: f64) -> f64 {
    // k + 1023 in the exponent field, the fraction counted from √½
    let bits = x.to_bits().wrapping_add(ONE - ROOT_HALF);
    let k = f64::from_bits(TWO_52.to_bits() | (bits >> 52)) - (TWO_52 + 1023.0);
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(ROOT_HALF)) - 1.0;

    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (L2 + w * (L4 + w * L6));
    let odd = z * (L1 + w * (L3 + w * (L5 + w * L7)));
    let half = 0.5 * f * f;
    k * LN2_HI - ((half - (s * (half + (even + odd)) + k * LN2_LO)) - f)
}
