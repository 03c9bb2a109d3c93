//! What a compiler compares its new kernels with before anyone sees them.
//!
//! It is the reference interpreter with the elementary functions of this crate and the products
//! that were contracted, so that the bits must be the same; all undefined results count as one.

use crate::elementary;
use polhode_base::random::Random;
use polhode_tape::{Kernel, Op, Scalar, Tape, Value};

/// Points that are compared: a block of the widest vectors and one more.
const POINTS: usize = 9;

/// Does the kernel compute the tape, at some points, alone and together? `contracted(k)` is the product
/// that operation k, a sum or a difference, adds unrounded, if there is one.
pub fn agrees(tape: &Tape, contracted: impl Fn(usize) -> Option<Value>, kernel: &mut impl Kernel) -> bool {
    let (n, m) = (tape.inputs.len(), tape.outputs.len());
    let inputs = points(seed(tape), n * POINTS);
    let mut expected = vec![0.0; m * POINTS];
    let mut values = Vec::with_capacity(tape.ops.len());
    for l in 0..POINTS {
        interpret(tape, &contracted, |i| inputs[i * POINTS + l], &mut values);
        tape.outputs.iter().enumerate().for_each(|(o, y)| expected[o * POINTS + l] = values[y.value.index()]);
    }
    let mut outputs = vec![0.0; m * POINTS];
    kernel.evaluate(POINTS, &inputs, &mut outputs);
    let together = outputs.iter().zip(&expected).all(|(y, z)| same(*y, *z));

    let alone: Vec<f64> = inputs.iter().step_by(POINTS).copied().collect();
    kernel.evaluate(1, &alone, &mut outputs[..m]);
    together && outputs[..m].iter().zip(expected.iter().step_by(POINTS)).all(|(y, z)| same(*y, *z))
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Random numbers between −2 and 2, others for every tape and the same for the same one.
fn points(seed: u64, n: usize) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.between(-2.0, 2.0)).collect()
}

/// A number that tells tapes apart: what their operations read.
fn seed(tape: &Tape) -> u64 {
    let mix = |h: u64, x: u64| (h ^ x).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
    tape.ops.iter().fold(tape.inputs.len() as u64, |h, op| match op {
        Op::Constant(c) => mix(h, f64::constant(*c).to_bits()),
        op => op.operands().fold(mix(h, u64::MAX), |h, v| mix(h, u64::from(v.0))),
    })
}

/// The value of every operation.
fn interpret(
    tape: &Tape,
    contracted: impl Fn(usize) -> Option<Value>,
    input: impl Fn(usize) -> f64,
    values: &mut Vec<f64>,
) {
    values.clear();
    for (k, op) in tape.ops.iter().enumerate() {
        let v = |a: Value| values[a.index()];
        let fused = |product: Value, sign: f64, c: f64| match tape.ops[product.index()] {
            Op::Mul(a, b) => (sign * v(a)).mul_add(v(b), c),
            _ => unreachable!("a product"),
        };
        values.push(match (*op, contracted(k)) {
            (Op::Add(a, b), Some(p)) => fused(p, 1.0, v(if p == a { b } else { a })),
            (Op::Sub(a, b), Some(p)) if p == a => fused(p, 1.0, -v(b)),
            (Op::Sub(a, _), Some(p)) => fused(p, -1.0, v(a)),
            (Op::Input(i), _) => input(i as usize),
            (Op::Constant(c), _) => f64::constant(c),
            (Op::Neg(a), _) => -v(a),
            (Op::Add(a, b), _) => v(a) + v(b),
            (Op::Sub(a, b), _) => v(a) - v(b),
            (Op::Mul(a, b), _) => v(a) * v(b),
            (Op::Div(a, b), _) => v(a) / v(b),
            (Op::Sqrt(a), _) => v(a).sqrt(),
            (Op::Sin(a), _) => elementary::sin_cos(v(a)).0,
            (Op::Cos(a), _) => elementary::sin_cos(v(a)).1,
            (Op::Exp(a), _) => elementary::exp(v(a)),
            (Op::Log(a), _) => elementary::ln(v(a)),
            (Op::Atan2(a, b), _) => elementary::atan2(v(a), v(b)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_tape::{Builder, Interpreter, passes};

    #[test]
    fn other_programs_are_found_out() {
        let tape = |constant: f64| {
            let mut b = Builder::new();
            let (x, y, c) = (b.input("x"), b.input("y"), b.constant(constant));
            let (xy, root) = (b.mul(x, y), b.emit(Op::Sqrt(y)));
            let sum = b.add(xy, c);
            b.output("sum", sum);
            b.output("root", root); // undefined at half of the points
            passes::finish(b)
        };
        let right = tape(1.0);
        assert!(agrees(&right, |_| None, &mut Interpreter::<f64>::new(&right)));
        assert!(!agrees(&right, |_| None, &mut Interpreter::<f64>::new(&tape(1.0f64.next_up()))));
    }
}
