//! Random programs, the same for the same seed everywhere.

use crate::build::Builder;
use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::passes::finish;
use crate::tape::Tape;
use polhode_base::random::Random;

/// Inputs of a random tape lie between −2 and 2.
pub const INPUT_RANGE: (f64, f64) = (-2.0, 2.0);

/// A program of about `size` operations of all kinds whose values stay moderate for inputs in
/// [`INPUT_RANGE`]: no overflow, no division by numbers near 0, no root of a negative number.
pub fn random_tape(seed: u64, size: usize) -> Tape {
    let mut r = Random::new(seed);
    let mut b = Builder::new();
    // values with a bound on their size
    let mut values: Vec<(Value, f64)> = (0..1 + r.below(6)).map(|k| (b.input(format!("x{k}")), 2.0)).collect();
    while values.len() < size.max(2) {
        let (mut a, mut p) = pick(&mut r, &values);
        let (c, q) = pick(&mut r, &values);
        if p * q > 1e3 {
            (a, p) = (b.emit(Op::Sin(a)), 1.0);
        }
        // 1 + c² is a safe denominator, radicand and argument of a logarithm
        let one_more = |b: &mut Builder| {
            let (cc, one) = (b.mul(c, c), b.constant(Dd::ONE));
            b.add(cc, one)
        };
        let next = match r.below(16) {
            0 => (constant(&mut r, &mut b), 3.0),
            1 => (b.neg(a), p),
            2..=4 => (b.add(a, c), p + q),
            5..=6 => (b.sub(a, c), p + q),
            7..=9 => (b.mul(a, c), p * q),
            10 => {
                let d = one_more(&mut b);
                (b.div(a, d), p)
            }
            11 => {
                let d = one_more(&mut b);
                (b.emit(Op::Sqrt(d)), 1.0 + q)
            }
            12 => (b.emit(Op::Sin(a)), 1.0),
            13 => (b.emit(Op::Cos(a)), 1.0),
            14 if r.below(2) == 0 => {
                let s = b.emit(Op::Sin(a));
                (b.emit(Op::Exp(s)), 2.8)
            }
            14 => {
                let d = one_more(&mut b);
                (b.emit(Op::Log(d)), 1.0 + q)
            }
            _ => {
                // y² + 1 > 0 keeps away from the cut
                let d = one_more(&mut b);
                (b.emit(Op::Atan2(d, a)), 3.2)
            }
        };
        values.push(next);
    }
    outputs(&mut r, b, &values)
}

/// A program of about `size` sums, differences, products, quotients, roots and signs, of any size:
/// infinities and undefined results are likely.
pub fn wild_tape(seed: u64, size: usize) -> Tape {
    let mut r = Random::new(seed);
    let mut b = Builder::new();
    let mut values: Vec<(Value, f64)> = (0..1 + r.below(6)).map(|k| (b.input(format!("x{k}")), 0.0)).collect();
    while values.len() < size.max(2) {
        let ((a, _), (c, _)) = (pick(&mut r, &values), pick(&mut r, &values));
        let next = match r.below(12) {
            0 => constant(&mut r, &mut b),
            1 => b.neg(a),
            2..=4 => b.add(a, c),
            5..=6 => b.sub(a, c),
            7..=8 => b.mul(a, c),
            9..=10 => b.div(a, c),
            _ => b.emit(Op::Sqrt(a)),
        };
        values.push((next, 0.0));
    }
    outputs(&mut r, b, &values)
}

/// One of the values, the last ones more often.
fn pick(r: &mut Random, values: &[(Value, f64)]) -> (Value, f64) {
    let n = values.len();
    let recent = n.min(8);
    if r.below(2) == 0 { values[r.below(n)] } else { values[n - 1 - r.below(recent)] }
}

fn constant(r: &mut Random, b: &mut Builder) -> Value {
    match r.below(3) {
        0 => b.constant(Dd::from(r.below(5) as i64 - 2)),
        1 => b.constant(Dd::from(r.between(-3.0, 3.0))),
        _ => b.constant(Dd::ratio(r.below(40) as i64 - 20, 7)),
    }
}

/// The last value and a few others, each possibly an input, a constant or one that came before.
fn outputs(r: &mut Random, mut b: Builder, values: &[(Value, f64)]) -> Tape {
    b.output("y0", values[values.len() - 1].0);
    for k in 1..=r.below(6) {
        b.output(format!("y{k}"), pick(r, values).0);
    }
    finish(b)
}
