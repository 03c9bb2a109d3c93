//! sin and cos together.
//!
//! ```text
//! x = n π/2 + r + δ,   |r| ≤ π/4,   |δ| ≪ |r|
//! ```
//!
//! π/2 is taken in four parts \[CodyWaite1980\]: three of 33 bits, whose products with |n| < 2²⁰ are
//! exact, and a tail. What is left of x is exact until the third part, so that no double below 10⁶
//! comes too close to a multiple of π/2 (the closest, 5520028710995367·2⁻³⁴, leaves 4.4·10⁻¹⁷).
//! The polynomials on |r| ≤ π/4 are those of fdlibm (`k_sin.c`, `k_cos.c`, Sun Microsystems 1993),
//! summed in pairs to shorten the chain of dependences.

use super::ROUND;
use std::f64::consts::FRAC_2_PI;

const LIMIT: f64 = 1.0e6;

// π/2 = P1 + P2 + P3 + P4
const P1: f64 = 1.5707963267341256;
const P2: f64 = 6.077100506303966e-11;
const P3: f64 = 2.0222662487111665e-21;
const P4: f64 = 8.4784276603689e-32;

const S1: f64 = -0.16666666666666632;
const S2: f64 = 0.00833333333332249;
const S3: f64 = -0.0001984126982985795;
const S4: f64 = 2.7557313707070068e-06;
const S5: f64 = -2.5050760253406863e-08;
const S6: f64 = 1.58969099521155e-10;

const C1: f64 = 0.0416666666666666;
const C2: f64 = -0.001388888888887411;
const C3: f64 = 2.480158728947673e-05;
const C4: f64 = -2.7557314351390663e-07;
const C5: f64 = 2.087572321298175e-09;
const C6: f64 = -1.1359647557788195e-11;

#[inline(always)]
pub(crate) fn within(x: f64) -> bool {
    x.abs() <= LIMIT
}

/// (sin x, cos x) for x [`within`] the limit; something else for other x.
#[inline(always)]
pub(crate) fn fast(x: f64) -> (f64, f64) {
    let t = x * FRAC_2_PI + ROUND;
    let quadrant = t.to_bits();
    let n = t - ROUND;

    let a = x - n * P1;
    let b = n * P2;
    let c = a - b;
    let d = n * P3;
    let r = c - d;
    let delta = (((a - c) - b) + ((c - r) - d)) - n * P4;

    let z = r * r;
    let zz = z * z;
    let half = 0.5 * z;
    let p = S1 + z * ((S2 + z * S3) + zz * ((S4 + z * S5) + zz * S6));
    // taken away rather than added: −0 − 0 = −0
    let sin = r - ((half * delta - delta) - (z * r) * p);

    let q = (C1 + z * C2) + zz * ((C3 + z * C4) + zz * (C5 + z * C6));
    let w = 1.0 - half;
    let cos = w + (((1.0 - w) - half) + (zz * q - r * delta));

    // odd quadrants exchange the two; bit 1 of the quadrant is the sign of the sine, and of the
    // next quadrant that of the cosine
    let odd = 0u64.wrapping_sub(quadrant & 1);
    let (s, c) = (sin.to_bits(), cos.to_bits());
    let swap = (s ^ c) & odd;
    let sign_s = (quadrant & 2) << 62;
    let sign_c = (quadrant.wrapping_add(1) & 2) << 62;
    (f64::from_bits((s ^ swap) ^ sign_s), f64::from_bits((c ^ swap) ^ sign_c))
}
