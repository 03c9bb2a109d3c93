//! sin, cos, exp, ln and atan2 in the module itself, so that every engine gives the same bits.
//!
//! WebAssembly has + − × ÷ and √, correctly rounded, and nothing fused. The formulas are those of
//! [`polhode_tape::elementary`], so that for ordinary arguments the bits are those of all backends. Where these ask the
//! standard library, the module does its own work:
//!
//! | argument | what is done |
//! | --- | --- |
//! | huge angles | x 2/π modulo 4 by integers \[PayneHanek1983\], see [`large_angle`] |
//! | exponents whose power is subnormal or nearly infinite | 2ⁿ multiplied in two parts |
//! | logarithms of subnormal numbers | of 2⁵⁴ x |
//! | points far from 1, on an axis, at infinity | scaled by powers of two, or their angle by y/x alone |

use crate::assembler::{Bits, Code, Formula, Function, Integer, Real, Var, Writer, X, load_bits, operands, select};
use polhode_tape::double_double::TWO_OVER_PI;
use polhode_tape::elementary::atan2::{FLAT, HIGH, LOW, Sides};
use polhode_tape::elementary::sin_cos::Angle;
use polhode_tape::elementary::{self as formulas, FRAC_PI_2_LO, power_of_two};
use polhode_tape::{Op, Tape};
use std::f64::consts::FRAC_PI_2;
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
    let large_angle = large_angle(w);
    w.function(&[ValType::F64, ValType::F64], |c, (x,): (Var<f64>,)| {
        let (rest, delta, quadrant) = (c.local::<f64>(), c.local::<f64>(), c.local::<i64>());
        c.either(
            x.abs().le(formulas::sin_cos::LIMIT),
            |c| {
                let f = Formula::new(c);
                let angle = Angle::of(f.value(x));
                let (r, d, q) = (angle.rest.v, angle.delta.v, angle.quadrant.v);
                c.set(rest, r);
                c.set(delta, d);
                c.set(quadrant, q);
            },
            |c| {
                c.run(large_angle, operands![x]);
                c.take(quadrant);
                c.take(delta);
                c.take(rest);
            },
        );
        let f = Formula::new(c);
        let angle = Angle { rest: f.value(rest), delta: f.value(delta), quadrant: f.value(quadrant) };
        let turned = angle.turned();
        let (sin, cos) = (turned.sin().v, turned.cos().v);
        c.give(sin);
        c.give(cos);
    })
}

/// Angles above 10⁶: r, what it misses, and the quadrant.
///
/// With |x| = m 2ᵉ, of all bits of 2/π only a window counts: those before it give multiples of four quarter turns. Here it
/// has 192 bits, two before the binary point of x 2/π. No double comes closer to a multiple of π/2 than 2⁻⁶², so that 70 bits
/// of the rest are right.
fn large_angle(w: &mut Writer) -> Function {
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
    w.function(&[ValType::F64], |k, (x,): (Var<f64>,)| {
        let f = Formula::new(k);
        let (y, n) = formulas::exp::parts(f.value(x));
        let (y, n) = (y.v, n.v);
        let scaled = |n: X<i64>| (y.bits() + (n << 52u64)).double();
        k.when(x.abs().le(formulas::exp::LIMIT), |k| k.finish(scaled(n.into())));
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
        k.give(scaled(n + more) * less);
    })
}

/// The natural logarithm.
fn log(w: &mut Writer) -> Function {
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
        let f = Formula::new(c);
        let (k, fraction) = formulas::log::parts(f.value(x));
        let result = formulas::log::of_parts(k - f.value(shift), fraction).v;
        c.give(result);
    })
}

/// The angle of the point (x, y).
fn atan2(w: &mut Writer) -> Function {
    w.function(&[ValType::F64], |k, (y, x): (Var<f64>, Var<f64>)| {
        let undefined = k.name(x + y);
        k.when(x.ne(x).or(y.ne(y)), |k| k.finish(undefined));
        let f = Formula::new(k);
        let sides = Sides::of(f.value(y), f.value(x));
        let (large, small, steep) = (sides.large.v, sides.small.v, sides.steep.v);
        let left = k.name(x.bits().negative());

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

        let f = Formula::new(k);
        let sides = Sides { large: f.value(large), small: f.value(small), steep: f.value(steep) };
        let angle = sides.angle(f.value(y), f.value(left)).v;
        k.give(angle);
    })
}
