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

use super::{Bits, Condition, FRAC_PI_2_LO, Number, power_of_two};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const ATAN_HALF: f64 = 0.4636476090008061;
// what the doubles above and those of π miss
const ATAN_HALF_LO: f64 = 2.2698777452961687e-17;
const FRAC_PI_4_LO: f64 = 3.061616997868383e-17;
const PI_LO: f64 = 1.2246467991473532e-16;

/// arctan u = u − u³ (A₀ + A₁ u² + …).
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

/// Between these the larger of |x| and |y| is neither too small nor too large.
pub const LOW: f64 = power_of_two(-100);
/// The other end.
pub const HIGH: f64 = power_of_two(1000);
/// The smaller is no less than so much of the larger, or nothing.
pub const FLAT: f64 = power_of_two(-900);

/// Where [`atan2`] holds.
#[inline(always)]
pub fn domain<N: Number>(y: N, x: N) -> [(N, N); 3] {
    Sides::of(y, x).domain()
}

/// The angle of (x, y) within the [`domain`]; something else elsewhere.
#[inline(always)]
pub fn atan2<N: Number>(y: N, x: N) -> N {
    Sides::of(y, x).angle(y, x.has_sign())
}

/// |x| and |y| by size.
#[derive(Clone, Copy, Debug)]
pub struct Sides<N: Number> {
    /// The larger.
    pub large: N,
    /// The smaller.
    pub small: N,
    /// Is |y| the larger?
    pub steep: N::Condition,
}

impl<N: Number> Sides<N> {
    /// Of any point.
    #[inline(always)]
    pub fn of(y: N, x: N) -> Sides<N> {
        let (x, y) = (x.abs(), y.abs());
        let steep = x.is_less(y);
        // in this order one of them is undefined where x or y is
        Sides { large: y.most(x), small: x.least(y), steep }
    }

    /// Where the [`angle`](Sides::angle) holds: neither overflow nor underflow on the way; an exact zero beside an
    /// ordinary number is ordinary.
    #[inline(always)]
    pub fn domain(self) -> [(N, N); 3] {
        let Sides { large, small, .. } = self;
        // small ≥ FLAT large, or small = 0: only zero is no less than its double
        let least = (large * FLAT).least(small + small);
        [(large.number(LOW), large), (large, large.number(HIGH)), (least, small)]
    }

    /// The angle, with the sign of y, of a point to the left of the origin or not.
    #[inline(always)]
    pub fn angle(self, y: N, left: N::Condition) -> N {
        let Sides { large, small, steep } = self;
        let middle = (large * 0.4375).is_at_most(small);
        let upper = (large * 0.6875).is_at_most(small);
        // c, and with it u
        let c = upper.choose(1.0, middle, 0.5);
        let u = (small - c * large) / (large + c * small);
        let base = upper.choose(FRAC_PI_4, middle, ATAN_HALF);
        let base_lo = upper.choose(FRAC_PI_4_LO, middle, ATAN_HALF_LO);

        let z = u * u;
        let w = z * z;
        let ww = w * w;
        let p = (z * A[1] + A[0]) + w * (z * A[3] + A[2]);
        let q = (z * A[5] + A[4]) + w * (z * A[7] + A[6]);
        let r = (z * A[9] + A[8]) + w * A[10];
        let tail = u * (z * (p + ww * (q + ww * r)));
        // the angle to the nearer axis is base + low, up to the last rounding
        let low = (base_lo - tail) + u;

        // 0 + angle, π/2 − angle, π/2 + angle or π − angle; a factor ±1 is a change of the sign bit
        let from = steep.choose(FRAC_PI_2, left, PI);
        let from_lo = steep.choose(FRAC_PI_2_LO, left, PI_LO);
        let turn = (steep ^ left).sign();
        let turned = (turn ^ base.bits()).double();
        let head = from + turned;
        // head is exact or its error is recovered: from is a multiple of base's scale or one is zero
        let head_lo = (from - head) + turned;
        let angle = head + (head_lo + (from_lo + (turn ^ low.bits()).double()));
        angle.with_sign_of(y)
    }
}
