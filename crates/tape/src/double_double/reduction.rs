//! Angles modulo quarter turns, exactly, for every finite angle.
//!
//! ```text
//! x = q π/2 + r,   |r| ≤ π/4
//! ```
//!
//! r can be 10⁻³⁸ of x when x is a double-double, so that x 2/π is needed to twice as many digits as
//! x has. It is a sum of two products m 2ᵉ · 2/π with integers m < 2⁵³; modulo 4, only a window of
//! the bits of 2/π counts \[PayneHanek1983\]. Here the window has 320 bits: 2 before the binary point,
//! 265 right ones behind it.

use super::tables::{HALF_PI_BITS, TWO_OVER_PI};
use super::{Dd, power_of_two};

/// A number modulo 2³²⁰, least word first.
type Wide = [u64; 5];

/// The quarter turns q modulo 4 and the rest r of a finite angle that is not tiny.
pub(super) fn modulo_half_pi(x: Dd) -> (u8, Dd) {
    let turns = add(quarters(x.hi), quarters(x.lo)); // x 2/π · 2³¹⁸ modulo 2³²⁰
    let q = (turns[4].wrapping_add(1 << 61) >> 62) as u8; // to the nearest
    let mut fraction = shift_left(turns, 2); // (x 2/π − q) 2³²⁰, signed
    let negative = fraction[4] >> 63 == 1;
    if negative {
        fraction = negate(fraction);
    }
    let r = times_half_pi(fraction);
    (q, if negative { -r } else { r })
}

/// x 2/π · 2³¹⁸ modulo 2³²⁰.
fn quarters(x: f64) -> Wide {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let p = multiply(window(e - 2), m);
    if x < 0.0 { negate(p) } else { p }
}

/// 320 bits of 2/π = 0.b₁b₂b₃… beginning with bit `start` + 1; there are zeros in front of the first.
fn window(start: i32) -> Wide {
    let word = |k: i32| if k < 0 { 0 } else { TWO_OVER_PI[k as usize] };
    let (first, shift) = (start.div_euclid(64), start.rem_euclid(64));
    let mut w = [0; 5];
    for (k, w) in (first..).zip(w.iter_mut().rev()) {
        let pair = u128::from(word(k)) << 64 | u128::from(word(k + 1));
        *w = (pair << shift >> 64) as u64;
    }
    w
}

fn add(a: Wide, b: Wide) -> Wide {
    let (mut s, mut carry) = ([0; 5], 0);
    for k in 0..5 {
        let t = u128::from(a[k]) + u128::from(b[k]) + carry;
        (s[k], carry) = (t as u64, t >> 64);
    }
    s
}

fn negate(a: Wide) -> Wide {
    add(a.map(|w| !w), [1, 0, 0, 0, 0])
}

fn multiply(a: Wide, m: u64) -> Wide {
    let (mut p, mut carry) = ([0; 5], 0);
    for k in 0..5 {
        let t = u128::from(a[k]) * u128::from(m) + carry;
        (p[k], carry) = (t as u64, t >> 64);
    }
    p
}

/// For 0 ≤ n < 64.
fn shift_left(a: Wide, n: u32) -> Wide {
    let mut s = [0; 5];
    for k in 0..5 {
        let below = if k == 0 { 0 } else { a[k - 1] };
        s[k] = ((u128::from(a[k]) << 64 | u128::from(below)) << n >> 64) as u64;
    }
    s
}

/// f 2⁻³²⁰ π/2, rounded once.
fn times_half_pi(f: Wide) -> Dd {
    let mut f = f;
    let mut zeros = 0;
    while f[4] == 0 {
        f = [0, f[0], f[1], f[2], f[3]];
        zeros += 64;
        if zeros == 320 {
            return Dd::ZERO;
        }
    }
    zeros += f[4].leading_zeros() as i32;
    f = shift_left(f, f[4].leading_zeros());
    let p = high_product(u128::from(f[4]) << 64 | u128::from(f[3]), HALF_PI_BITS);
    let hi = p as f64;
    let lo = p.wrapping_sub(hi as u128) as i128 as f64;
    Dd { hi, lo }.scaled(power_of_two(-127 - zeros))
}

/// ⌊a b 2⁻¹²⁸⌋, or one less.
fn high_product(a: u128, b: u128) -> u128 {
    let halves = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    let ((c1, c0), (d1, d0)) = (halves(a1 * b0), halves(a0 * b1));
    let below = ((a0 * b0) >> 64) + c0 + d0;
    a1 * b1 + c1 + d1 + (below >> 64)
}
