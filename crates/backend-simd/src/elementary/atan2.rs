//! The angle of a point.
//!
//! With 0 ≤ t = min(|x|, |y|)/max(|x|, |y|) ≤ 1 the angle to the nearer axis is
//!
//! ```text
//! arctan t = arctan c + arctan u,   u = (t − c)/(1 + c t),
//! c = 0 for t < 7/16,   c = ½ for t < 11/16,   c = 1 above
//! ```
//!
//! with numerator and denominator of u multiplied by the maximum, so that there is one division;
//! then |u| < 7/16 and the polynomial is that of fdlibm (`s_atan.c`, Sun Microsystems 1993). The
//! angle itself is 0, π/2 or π plus or minus that one, with the sign of y.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const ATAN_HALF: f64 = 0.4636476090008061;
// what the doubles above and those of π miss
const ATAN_HALF_LO: f64 = 2.2698777452961687e-17;
const FRAC_PI_4_LO: f64 = 3.061616997868383e-17;
const FRAC_PI_2_LO: f64 = 6.123233995736766e-17;
const PI_LO: f64 = 1.2246467991473532e-16;

const A: [f64; 11] = [
    0.3333333333333293,
    -0.19999999999876483,
    0.14285714272503466,
    -0.11111110405462356,
    0.09090887133436507,
    -0.0769187620504483,
    0.06661073137387531,
    -0.058335701337905735,
    0.049768779946159324,
    -0.036531572744216916,
    0.016285820115365782,
];

/// 2ⁿ for −1022 ≤ n ≤ 1023.
const fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// Neither overflow nor underflow on the way; an exact zero beside an ordinary number is ordinary.
#[inline(always)]
pub(crate) fn within(y: f64, x: f64) -> bool {
    let (x, y) = (x.abs(), y.abs());
    let (large, small) = if y > x { (y, x) } else { (x, y) };
    (large >= power_of_two(-100))
        & (large <= power_of_two(1000))
        & ((small >= large * power_of_two(-900)) | (small == 0.0))
}

/// The angle for points [`within`] the domain; something else for others.
#[inline(always)]
pub(crate) fn fast(y: f64, x: f64) -> f64 {
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ay > ax;
    let large = if steep { ay } else { ax };
    let small = if steep { ax } else { ay };

    let (middle, upper) = (small >= 0.4375 * large, small >= 0.6875 * large);
    // c, and with it u
    let c = if upper {
        1.0
    } else if middle {
        0.5
    } else {
        0.0
    };
    let u = (small - c * large) / (large + c * small);
    let base = if upper {
        FRAC_PI_4
    } else if middle {
        ATAN_HALF
    } else {
        0.0
    };
    let base_lo = if upper {
        FRAC_PI_4_LO
    } else if middle {
        ATAN_HALF_LO
    } else {
        0.0
    };

    let z = u * u;
    let w = z * z;
    let ww = w * w;
    let p = (A[0] + z * A[1]) + w * (A[2] + z * A[3]);
    let q = (A[4] + z * A[5]) + w * (A[6] + z * A[7]);
    let r = (A[8] + z * A[9]) + w * A[10];
    let tail = u * (z * (p + ww * (q + ww * r)));
    // the angle to the nearer axis is base + low, up to the last rounding
    let low = (base_lo - tail) + u;

    // 0 + angle, π/2 − angle, π/2 + angle or π − angle
    let left = x.is_sign_negative();
    let from = if steep {
        FRAC_PI_2
    } else if left {
        PI
    } else {
        0.0
    };
    let from_lo = if steep {
        FRAC_PI_2_LO
    } else if left {
        PI_LO
    } else {
        0.0
    };
    let turn = if steep != left { -1.0 } else { 1.0 };
    let head = from + turn * base;
    // head is exact or its error is recovered: from is a multiple of base's scale or one is zero
    let head_lo = (from - head) + turn * base;
    let angle = head + (head_lo + (from_lo + turn * low));
    angle.copysign(y)
}
