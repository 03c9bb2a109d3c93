//! The exponential function.
//!
//! ```text
//! x = n ln 2 + r,   |r| ≤ ½ ln 2,      eˣ = 2ⁿ (1 + r + r²/2! + … + r¹³/13!)
//! ```
//!
//! ln 2 is taken in two parts, the first of 32 bits, so that its product with n is exact. The
//! Taylor series left out at r¹⁴ is off by 4·10⁻¹⁸ at most.

use super::{Bits, LN_2, Number, ROUND};
use std::f64::consts::LOG2_E;

/// Up to here 2ⁿ and the result are normal numbers.
pub const LIMIT: f64 = 708.0;

/// 1/k!.
const C: [f64; 14] = {
    let (mut c, mut factorial, mut k) = ([1.0; 14], 1.0, 1);
    while k < 14 {
        factorial *= k as f64; // exact up to 18!
        c[k] = 1.0 / factorial;
        k += 1;
    }
    c
};

/// Where [`exp`] holds.
#[inline(always)]
pub fn domain<N: Number>(x: N) -> [(N, N); 1] {
    [(x.abs(), x.number(LIMIT))]
}

/// eˣ within the [`domain`]; something else elsewhere.
#[inline(always)]
pub fn exp<N: Number>(x: N) -> N {
    let (y, n) = parts(x);
    scaled(y, n)
}

/// eʳ, and n in the lowest bits with anything above, wherever n is an exponent or not far from one.
#[inline(always)]
pub fn parts<N: Number>(x: N) -> (N, N::Bits) {
    let t = x * LOG2_E + ROUND;
    let n = t - ROUND;
    let hi = x - n * LN_2[0];
    let lo = n * LN_2[1];
    let r = hi - lo;
    let delta = (hi - r) - lo;

    let r2 = r * r;
    let r4 = r2 * r2;
    let p = (r * C[3] + C[2]) + r2 * (r * C[5] + C[4]);
    let q = (r * C[7] + C[6]) + r2 * (r * C[9] + C[8]);
    let s = (r * C[11] + C[10]) + r2 * (r * C[13] + C[12]);
    let y = (r + (delta + r2 * (p + r4 * (q + r4 * s)))) + 1.0;
    (y, t.bits())
}

/// 2ⁿ y, where that is a normal number.
#[inline(always)]
pub fn scaled<N: Number>(y: N, n: N::Bits) -> N {
    y.bits().plus(n << 52).double()
}
