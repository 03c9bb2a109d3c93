//! sin, cos, exp, ln and atan2 in the module itself, so that every engine gives the same bits.
//!
//! WebAssembly has + − × ÷ and √, correctly rounded, and nothing fused. The formulas, their sources and their accuracy
//! are those of `polhode_backend_simd::elementary`, operation by operation, so that for ordinary arguments the bits are
//! those of all backends. Where these ask the standard library, the module does its own work:
//!
//! | argument | what is done |
//! | --- | --- |
//! | huge angles | x 2/π modulo 4 by integers \[PayneHanek1983\], see [`large_angle`] |
//! | exponents whose power is subnormal or nearly infinite | 2ⁿ multiplied in two parts |
//! | logarithms of subnormal numbers | of 2⁵⁴ x |
//! | points far from 1, on an axis, at infinity | scaled by powers of two, or their angle by y/x alone |

use crate::assembler::{Bits, Code, Function, Integer, Real, Var, Writer, X, load_bits, operands, select};
use polhode_tape::double_double::TWO_OVER_PI;
use polhode_tape::{Op, Tape};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LOG2_E, PI};
use wasm_encoder::ValType;

/// The functions that some tapes need.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Elementary {
    /// x → sin x, cos x.
    pub(crate) sin_cos: Option<Function>,
    pub(crate) exp: Option<Function>,
    pub(crate) log: Option<Function>,
    /// y, x → the angle.
    pub(crate) atan2: Option<Function>,
}

impl Elementary {
    /// Writes the functions that the tapes need.
    pub(crate) fn of<'a>(w: &mut Writer, tapes: impl Iterator<Item = &'a Tape> + Clone) -> Elementary {
        let needs = |is: fn(&Op) -> bool| tapes.clone().any(|tape| tape.ops.iter().any(is));
        Elementary {
            sin_cos: needs(|op| matches!(op, Op::Sin(_) | Op::Cos(_))).then(|| sin_cos(w)),
            exp: needs(|op| matches!(op, Op::Exp(_))).then(|| exp(w)),
            log: needs(|op| matches!(op, Op::Log(_))).then(|| log(w)),
            atan2: needs(|op| matches!(op, Op::Atan2(..))).then(|| atan2(w)),
        }
    }
}

/// 1.5·2⁵²: adding it rounds a number below 2⁵¹ to an integer, which then stands in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

const LN2_HI: f64 = 0.6931471803691238;
const LN2_LO: f64 = 1.9082149292705877e-10;

const SIGN: u64 = 1 << 63;

/// 2ⁿ for −1022 ≤ n ≤ 1023.
const fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// a b = p + e exactly \[Dekker1971\], for factors that are neither huge nor tiny.
pub(crate) fn two_product(c: &mut Code, a: Var<f64>, b: Var<f64>) -> (Var<f64>, Var<f64>) {
    let halves = |c: &mut Code, x: Var<f64>| {
        let t = c.name(134_217_729.0 * x); // 2²⁷ + 1
        let high = c.name(t - (t - x));
        (high, c.name(x - high))
    };
    let p = c.name(a * b);
    let ((a1, a2), (b1, b2)) = (halves(c, a), halves(c, b));
    let e = c.name(((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2);
    (p, e)
}

/// sin x and cos x.
fn sin_cos(w: &mut Writer) -> Function {
    // π/2 = P[0] + P[1] + P[2] + P[3]
    const P: [f64; 4] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];
    const S: [f64; 6] = [
        -0.16666666666666632,
        0.00833333333332249,
        -0.0001984126982985795,
        2.7557313707070068e-06,
        -2.5050760253406863e-08,
        1.58969099521155e-10,
    ];
    const C: [f64; 6] = [
        0.0416666666666666,
        -0.001388888888887411,
        2.480158728947673e-05,
        -2.7557314351390663e-07,
        2.087572321298175e-09,
        -1.1359647557788195e-11,
    ];
    const LIMIT: f64 = 1.0e6;

    let large_angle = large_angle(w);
    w.function(&[ValType::F64, ValType::F64], |k, (x,): (Var<f64>,)| {
        // x = quadrant π/2 + r + delta
        let (r, delta, quadrant) = (k.local::<f64>(), k.local::<f64>(), k.local::<i64>());
        k.either(
            x.abs().le(LIMIT),
            |k| {
                let t = k.name(x * FRAC_2_PI + ROUND);
                let n = k.name(t - ROUND);
                let a = k.name(x - n * P[0]);
                let b = k.name(n * P[1]);
                let c = k.name(a - b);
                let d = k.name(n * P[2]);
                k.set(r, c - d);
                k.set(delta, (((a - c) - b) + ((c - r) - d)) - n * P[3]);
                k.set(quadrant, t.bits());
            },
            |k| {
                k.run(large_angle, operands![x]);
                k.take(quadrant);
                k.take(delta);
                k.take(r);
            },
        );
        let z = k.name(r * r);
        let zz = k.name(z * z);
        let half = k.name(0.5 * z);
        let p = S[0] + z * ((S[1] + z * S[2]) + zz * ((S[3] + z * S[4]) + zz * S[5]));
        let sin = k.name((r - ((half * delta - delta) - (z * r) * p)).bits());
        let q = (C[0] + z * C[1]) + zz * ((C[2] + z * C[3]) + zz * (C[4] + z * C[5]));
        let w = k.name(1.0 - half);
        let cos = k.name((w + (((1.0 - w) - half) + (zz * q - r * delta))).bits());
        // odd quadrants exchange the two; bit 1 of the quadrant is the sign of the sine, and of the
        // next quadrant that of the cosine
        let odd = X::from(0u64) - (quadrant & 1u64);
        let swap = k.name((sin ^ cos) & odd);
        k.give(((sin ^ swap) ^ ((quadrant & 2u64) << 62u64)).double());
        k.give(((cos ^ swap) ^ (((quadrant + 1u64) & 2u64) << 62u64)).double());
    })
}

/// Angles above 10⁶: r, what it misses, and the quadrant.
///
/// With |x| = m 2ᵉ, of all bits of 2/π only a window counts: those before it give multiples of four quarter turns. Here it
/// has 192 bits, two before the binary point of x 2/π. No double comes closer to a multiple of π/2 than 2⁻⁶², so that 70 bits
/// of the rest are right.
fn large_angle(w: &mut Writer) -> Function {
    const FRAC_PI_2_LO: f64 = 6.123233995736766e-17;
    const LOW_HALF: u64 = 0xffff_ffff;

    // windows may begin 35 bits before the first one
    let bits_of_two_over_pi = w.table([0].iter().chain(&TWO_OVER_PI).map(|word| word.to_le_bytes()));
    let high_product = high_product(w);
    w.function(&[ValType::F64, ValType::F64, ValType::I64], |k, (x,): (Var<f64>,)| {
        let bits = k.name(x.abs().bits());
        let m = k.name((bits & 0x000f_ffff_ffff_ffffu64) | (1u64 << 52));
        // e − 2 = exponent − 1077, counted from the word of zeros in front
        let start = k.name((bits >> 52u64) - (1077 - 64));
        let shift = k.name(start & 63u64);
        let first = k.name(((start >> 6u64) << 3u64).low());
        let word = |k: &mut Code, place: u32| {
            let [here, next] = [0, 8].map(|more| load_bits(first, bits_of_two_over_pi + 8 * place + more));
            k.name((here << shift) | ((next >> 1u64) >> (X::from(63u64) - shift)))
        };
        let (w2, w1, w0) = (word(k, 0), word(k, 1), word(k, 2));
        // p = m w modulo 2¹⁹²
        let p0 = k.name(w0 * m);
        let low = k.name(w1 * m);
        let p1 = k.name(low + high_product.of::<i64>(operands![w0, m]));
        let p2 = k.name(w2 * m + high_product.of::<i64>(operands![w1, m]) + p1.less(low).wide());
        let quarters = k.name((p2 + (1u64 << 61)) >> 62u64);
        // (x 2/π − quarters) 2¹⁹², signed, then its size
        let f2 = k.name((p2 << 2u64) | (p1 >> 62u64));
        let f1 = k.name((p1 << 2u64) | (p0 >> 62u64));
        let f0 = k.name(p0 << 2u64);
        let below = k.name(f2.negative());
        let flip = k.name(X::from(0u64) - below.wide());
        for f in [f2, f1, f0] {
            k.set(f, f ^ flip);
        }
        // as a sum of two doubles
        let part = |f: Var<i64>, n: i64| (f >> 32u64).rounded() * power_of_two(n);
        let rest = |f: Var<i64>, n: i64| (f & LOW_HALF).rounded() * power_of_two(n);
        let (a, b, c) = (k.name(part(f2, -32)), k.name(rest(f2, -64)), k.name(part(f1, -96)));
        let s = k.name(a + b);
        let mut low = b - (s - a);
        let t = k.name(s + c);
        low = (low + (c - (t - s))) + (rest(f1, -128) + part(f0, -160));
        let low = k.name(low);
        let high = k.name(t + low);
        let low = k.name(low - (high - t));
        // times π/2
        let half_pi = k.name(FRAC_PI_2);
        let (p, e) = two_product(k, high, half_pi);
        let e = k.name(e + (high * FRAC_PI_2_LO + low * FRAC_PI_2));
        let r = k.name(p + e);
        let delta = k.name(e - (r - p));
        // turned back where the rest, or the angle itself, is negative
        let turn = k.name(select(below.is(x.lt(0.0)), 1.0, -1.0));
        // undefined where x is infinite or undefined
        k.give(r * turn + x * 0.0);
        k.give(delta * turn);
        k.give(select(x.lt(0.0), X::from(0u64) - quarters, quarters));
    })
}

/// ⌊a b 2⁻⁶⁴⌋.
fn high_product(w: &mut Writer) -> Function {
    const LOW_HALF: u64 = 0xffff_ffff;
    w.function(&[ValType::I64], |k, (a, b): (Var<i64>, Var<i64>)| {
        let (a1, a0) = (k.name(a >> 32u64), k.name(a & LOW_HALF));
        let (b1, b0) = (k.name(b >> 32u64), k.name(b & LOW_HALF));
        let (c, d) = (k.name(a1 * b0), k.name(a0 * b1));
        let below = ((a0 * b0) >> 32u64) + (c & LOW_HALF) + (d & LOW_HALF);
        k.give(a1 * b1 + (c >> 32u64) + (d >> 32u64) + (below >> 32u64));
    })
}

/// eˣ.
fn exp(w: &mut Writer) -> Function {
    /// Up to here 2ⁿ and the result are normal numbers.
    const LIMIT: f64 = 708.0;
    /// 1/k!.
    const C: [f64; 14] = {
        let (mut c, mut factorial, mut k) = ([1.0; 14], 1.0, 1);
        while k < 14 {
            factorial *= k as f64;
            c[k] = 1.0 / factorial;
            k += 1;
        }
        c
    };
    w.function(&[ValType::F64], |k, (x,): (Var<f64>,)| {
        let t = k.name(x * LOG2_E + ROUND);
        let n = k.name(t - ROUND);
        let hi = k.name(x - n * LN2_HI);
        let lo = k.name(n * LN2_LO);
        let r = k.name(hi - lo);
        let delta = (hi - r) - lo;
        let r2 = k.name(r * r);
        let r4 = k.name(r2 * r2);
        let p = (C[2] + r * C[3]) + r2 * (C[4] + r * C[5]);
        let q = (C[6] + r * C[7]) + r2 * (C[8] + r * C[9]);
        let s = (C[10] + r * C[11]) + r2 * (C[12] + r * C[13]);
        let y = k.name(1.0 + (r + (delta + r2 * (p + r4 * (q + r4 * s)))));
        k.when(x.abs().le(LIMIT), |k| k.finish((y.bits() + (t.bits() << 52u64)).double()));
        k.when(x.gt(710.0), |k| k.finish(f64::INFINITY));
        k.when(x.lt(-746.0), |k| k.finish(0.0));
        k.when(x.ne(x), |k| k.finish(x));
        // 2ⁿ⁻¹ 2, or 2ⁿ⁺¹⁰⁰ 2⁻¹⁰⁰: rounded once, where the result is
        let (more, less) = (k.local::<i64>(), k.local::<f64>());
        k.either(
            x.gt(0.0),
            |k| {
                k.set(more, (-1i64).cast_unsigned());
                k.set(less, 2.0);
            },
            |k| {
                k.set(more, 100u64);
                k.set(less, power_of_two(-100));
            },
        );
        k.give((y.bits() + ((t.bits() + more) << 52u64)).double() * less);
    })
}

/// The natural logarithm.
fn log(w: &mut Writer) -> Function {
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
    /// 2⁵²: its low bits hold an integer.
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    const FRACTION: u64 = 0x000f_ffff_ffff_ffff;

    w.function(&[ValType::F64], |c, (x,): (Var<f64>,)| {
        c.when(x.gt(0.0).not(), |c| {
            c.when(x.eq(0.0), |c| c.finish(f64::NEG_INFINITY));
            c.finish(f64::NAN);
        });
        c.when(x.gt(f64::MAX), |c| c.finish(x));
        let shift = c.name(0.0);
        c.when(x.lt(f64::MIN_POSITIVE), |c| {
            c.set(x, x * power_of_two(54));
            c.set(shift, 54.0);
        });
        let bits = c.name(x.bits() + (ONE - ROOT_HALF));
        let k = c.name((((bits >> 52u64) | TWO_52.to_bits()).double() - (TWO_52 + 1023.0)) - shift);
        let f = c.name(((bits & FRACTION) + ROOT_HALF).double() - 1.0);
        let s = c.name(f / (2.0 + f));
        let z = c.name(s * s);
        let w = c.name(z * z);
        let even = w * (L[1] + w * (L[3] + w * L[5]));
        let odd = z * (L[0] + w * (L[2] + w * (L[4] + w * L[6])));
        let half = c.name(0.5 * f * f);
        c.give(k * LN2_HI - ((half - (s * (half + (even + odd)) + k * LN2_LO)) - f));
    })
}

/// The angle of the point (x, y).
fn atan2(w: &mut Writer) -> Function {
    const ATAN_HALF: f64 = 0.4636476090008061;
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
    /// Between these the larger of |x| and |y| is left as it is; the smaller is not much smaller than FLAT times it.
    const LOW: f64 = power_of_two(-100);
    const HIGH: f64 = power_of_two(1000);
    const FLAT: f64 = power_of_two(-900);

    w.function(&[ValType::F64], |k, (y, x): (Var<f64>, Var<f64>)| {
        let undefined = k.name(x + y);
        k.when(x.ne(x).or(y.ne(y)), |k| k.finish(undefined));
        let (ax, ay) = (k.name(x.abs()), k.name(y.abs()));
        let steep = k.name(ay.gt(ax));
        let left = k.name(x.bits().negative());
        let large = k.name(select(steep.into(), ay, ax));
        let small = k.name(select(steep.into(), ax, ay));

        // infinite points are those of directions; the origin has one from its signs
        k.when(large.eq(f64::INFINITY), |k| {
            k.set(small, select(small.eq(f64::INFINITY), 1.0, 0.0));
            k.set(large, 1.0);
        });
        k.when(large.eq(0.0), |k| k.set(large, 1.0));
        k.when(large.gt(HIGH), |k| {
            k.set(large, large * power_of_two(-100));
            k.set(small, small * power_of_two(-100));
        });
        k.when(large.lt(LOW), |k| {
            k.set(large, large * power_of_two(1000));
            k.set(small, small * power_of_two(1000));
        });
        k.when(small.lt(large * FLAT), |k| {
            // beside π/2 and π the rest is nothing, beside 0 it is the quotient
            k.when(steep.or(left).not(), |k| k.finish((small / large).copysign(y)));
            k.set(small, 0.0);
        });

        let middle = k.name(small.ge(0.4375 * large));
        let upper = k.name(small.ge(0.6875 * large));
        let pick = |upper: Var<i32>, lower: Var<i32>, first: f64, second: f64| {
            select::<f64>(upper.into(), first, select(lower.into(), second, 0.0))
        };
        // c, and with it u
        let c = k.name(pick(upper, middle, 1.0, 0.5));
        let u = k.name((small - c * large) / (large + c * small));
        let base = k.name(pick(upper, middle, FRAC_PI_4, ATAN_HALF));
        let base_lo = pick(upper, middle, FRAC_PI_4_LO, ATAN_HALF_LO);

        let z = k.name(u * u);
        let w = k.name(z * z);
        let ww = k.name(w * w);
        let p = (A[0] + z * A[1]) + w * (A[2] + z * A[3]);
        let q = (A[4] + z * A[5]) + w * (A[6] + z * A[7]);
        let r = (A[8] + z * A[9]) + w * A[10];
        let tail = u * (z * (p + ww * (q + ww * r)));
        let low = (base_lo - tail) + u;

        // 0 + angle, π/2 − angle, π/2 + angle or π − angle; a factor ±1 is a change of the sign bit
        let from = k.name(pick(steep, left, FRAC_PI_2, PI));
        let from_lo = pick(steep, left, FRAC_PI_2_LO, PI_LO);
        let turn = k.name(select(steep.differs(left), SIGN, 0u64));
        let turned = |x: X<f64>| (turn ^ x.bits()).double();
        let head = k.name(from + turned(base.into()));
        let head_lo = (from - head) + turned(base.into());
        k.give((head + (head_lo + (from_lo + turned(low)))).copysign(y));
    })
}
