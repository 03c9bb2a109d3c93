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

use super::{Bits, Number, ROUND, SIGN};
use std::f64::consts::FRAC_2_PI;

/// The largest angle whose n has products without error.
pub const LIMIT: f64 = 1.0e6;

/// π/2 is the sum of these.
const P: [f64; 4] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];

/// sin r = r + r³ (S₀ + S₁ r² + …).
const S: [f64; 6] = [
    -0.16666666666666632,
    0.00833333333332249,
    -0.0001984126982985795,
    2.7557313707070068e-06,
    -2.5050760253406863e-08,
    1.58969099521155e-10,
];

/// cos r = 1 − r²/2 + r⁴ (C₀ + C₁ r² + …).
const C: [f64; 6] = [
    0.0416666666666666,
    -0.001388888888887411,
    2.480158728947673e-05,
    -2.7557314351390663e-07,
    2.087572321298175e-09,
    -1.1359647557788195e-11,
];

/// sin x and cos x within the [`domain`]; something else elsewhere.
#[inline(always)]
pub fn sin_cos<N: Number>(x: N) -> (N, N) {
    let turned = Angle::of(x).turned();
    (turned.sin(), turned.cos())
}

/// Where [`Angle::of`] holds.
#[inline(always)]
pub fn domain<N: Number>(x: N) -> [(N, N); 1] {
    [(x.abs(), x.number(LIMIT))]
}

/// n π/2 + r + δ.
#[derive(Clone, Copy, Debug)]
pub struct Angle<N: Number> {
    /// r.
    pub rest: N,
    /// δ.
    pub delta: N,
    /// n modulo 4 in the lowest bits, anything above.
    pub quadrant: N::Bits,
}

impl<N: Number> Angle<N> {
    /// An angle within the [`domain`]; of another something else.
    #[inline(always)]
    pub fn of(x: N) -> Angle<N> {
        let t = x * FRAC_2_PI + ROUND;
        let n = t - ROUND;
        let a = x - n * P[0];
        let b = n * P[1];
        let c = a - b;
        let d = n * P[2];
        let r = c - d;
        let delta = (((a - c) - b) + ((c - r) - d)) - n * P[3];
        Angle { rest: r, delta, quadrant: t.bits() }
    }

    /// Its sine and cosine, before one of them is asked for.
    #[inline(always)]
    pub fn turned(self) -> Turned<N> {
        let Angle { rest: r, delta, quadrant } = self;
        let z = r * r;
        let zz = z * z;
        let half = z * 0.5;
        let p = z * ((z * S[2] + S[1]) + zz * ((z * S[4] + S[3]) + zz * S[5])) + S[0];
        // taken away rather than added: −0 − 0 = −0
        let sin = r - ((half * delta - delta) - (z * r) * p);

        let q = (z * C[1] + C[0]) + zz * ((z * C[3] + C[2]) + zz * (z * C[5] + C[4]));
        let w = half.number(1.0) - half;
        let cos = w + (((w.number(1.0) - w) - half) + (zz * q - r * delta));

        // odd quadrants exchange the two
        let odd = (quadrant & quadrant.word(1)).negative();
        let (sin, cos) = (sin.bits(), cos.bits());
        Turned { sin, cos, swap: (sin ^ cos) & odd, quadrant }
    }
}

/// sin r, cos r, the bits in which they are exchanged, and the quadrant. Its bit 1 is the sign of the sine; that of the next
/// quadrant is the sign of the cosine.
#[derive(Clone, Copy, Debug)]
pub struct Turned<N: Number> {
    sin: N::Bits,
    cos: N::Bits,
    swap: N::Bits,
    quadrant: N::Bits,
}

impl<N: Number> Turned<N> {
    /// The sine.
    #[inline(always)]
    pub fn sin(self) -> N {
        ((self.sin ^ self.swap) ^ sign(self.quadrant)).double()
    }

    /// The cosine.
    #[inline(always)]
    pub fn cos(self) -> N {
        let next = self.quadrant.plus(self.quadrant.word(1));
        ((self.cos ^ self.swap) ^ sign(next)).double()
    }
}

#[inline(always)]
fn sign<B: Bits>(quadrant: B) -> B {
    (quadrant << 62) & quadrant.word(SIGN)
}
