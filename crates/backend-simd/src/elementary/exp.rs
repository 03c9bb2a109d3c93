//! The exponential function.
//!
//! ```text
//! x = n ln 2 + r,   |r| ≤ ½ ln 2,      eˣ = 2ⁿ (1 + r + r²/2! + … + r¹³/13!)
//! ```
//!
//! ln 2 is taken in two parts, the first of 32 bits, so that its product with n is exact. The
//! Taylor series left out at r¹⁴ is off by 4·10⁻¹⁸ at most.

use super::ROUND;
use std::f64::consts::LOG2_E;

/// Up to here 2ⁿ and the result are normal numbers.
const LIMIT: f64 = 708.0;

const LN2_HI: f64 = 0.6931471803691238;
const LN2_LO: f64 = 1.9082149292705877e-10;

/// 1/k!.
const fn inverse_factorial(k: u32) -> f64 {
    let (mut f, mut i) = (1.0, 2);
    while i <= k {
        f *= i as f64; // exact up to 18!
        i += 1;
    }
    1.0 / f
}

#[inline(always)]
pub(crate) fn within(x: f64) -> bool {
    x.abs() <= LIMIT
}

/// eˣ for x [`within`] the limit; something else for other x.
#[inline(always)]
pub(crate) fn fast(x: f64) -> f64 {
    const C: [f64; 14] = {
        let mut c = [1.0; 14];
        let mut k = 0;
        while k < 14 {
            c[k] = inverse_factorial(k as u32);
            k += 1;
        }
        c
    };
    let t = x * LOG2_E + ROUND;
    let n = t - ROUND;
    let hi = x - n * LN2_HI;
    let lo = n * LN2_LO;
    let r = hi - lo;
    let delta = (hi - r) - lo;

    let r2 = r * r;
    let r4 = r2 * r2;
    let p = (C[2] + r * C[3]) + r2 * (C[4] + r * C[5]);
    let q = (C[6] + r * C[7]) + r2 * (C[8] + r * C[9]);
    let s = (C[10] + r * C[11]) + r2 * (C[12] + r * C[13]);
    let y = 1.0 + (r + (delta + r2 * (p + r4 * (q + r4 * s))));
    f64::from_bits(y.to_bits().wrapping_add(t.to_bits() << 52))
}
