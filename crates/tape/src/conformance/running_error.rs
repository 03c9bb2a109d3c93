//! How far off a faithful evaluator can be: bounds that run along with the values.
//!
//! Beside every value v there is e ≥ |computed v − v|, by the derivative of each operation at its
//! worst within the errors of its operands, plus the rounding of the operation itself:
//!
//! ```text
//! e(a + b) = e(a) + e(b) + u |a + b|,     e(a b) = |a| e(b) + |b| e(a) + e(a) e(b) + u |a b|,   …
//! ```
//!
//! It is the running error analysis of Wilkinson [Higham2002, ch. 3]. Two programs for the same
//! function agree within the sum of their bounds.

use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::scalar::Scalar;
use crate::tape::Tape;

/// The outputs at one point in double-double, each with a bound on the error of an evaluator whose
/// operations are off by `unit` relatively, and functions by the bounds of
/// [`bound`](super::bound) in units of 2 `unit`. The bound is infinite where an error could
/// decide between two branches or leave the domain of a function.
pub fn running_error(tape: &Tape, inputs: &[Dd], unit: f64) -> Vec<(Dd, f64)> {
    let mut values: Vec<(Dd, f64)> = Vec::with_capacity(tape.ops.len());
    for op in &tape.ops {
        let next = step(op, |v| values[v.index()], inputs, unit);
        values.push(next);
    }
    tape.outputs.iter().map(|o| values[o.value.index()]).collect()
}

fn step(op: &Op, of: impl Fn(Value) -> (Dd, f64), inputs: &[Dd], unit: f64) -> (Dd, f64) {
    // what reaches the result from the operands
    let (v, carried) = match *op {
        Op::Input(i) => return (inputs[i as usize], 0.0),
        Op::Constant(c) => (c, 0.0),
        Op::Neg(a) => return (-of(a).0, of(a).1),
        Op::Add(a, b) => (of(a).0 + of(b).0, of(a).1 + of(b).1),
        Op::Sub(a, b) => (of(a).0 - of(b).0, of(a).1 + of(b).1),
        Op::Mul(a, b) => {
            let ((a, ea), (b, eb)) = (of(a), of(b));
            (a * b, size(a) * eb + size(b) * ea + ea * eb)
        }
        Op::Div(a, b) => {
            let ((a, ea), (b, eb)) = (of(a), of(b));
            let q = a / b;
            (q, over(ea + size(q) * eb, size(b) - eb))
        }
        Op::Sqrt(a) => {
            let (a, ea) = of(a);
            // |√(a − e) − √a| ≤ e/√a
            (a.sqrt(), if ea == 0.0 { 0.0 } else { over(ea, (a.hi() - ea).sqrt()) })
        }
        Op::Sin(a) => (of(a).0.sin_cos().0, of(a).1),
        Op::Cos(a) => (of(a).0.sin_cos().1, of(a).1),
        Op::Exp(a) => {
            let (a, ea) = of(a);
            (a.exp(), size(a.exp()) * ea.exp_m1())
        }
        Op::Log(a) => (of(a).0.ln(), over(of(a).1, of(a).0.hi() - of(a).1)),
        Op::Atan2(y, x) => {
            let ((y, ey), (x, ex)) = (of(y), of(x));
            let on_cut = x.hi() <= ex && size(y) <= ey && ey > 0.0;
            let (near_x, near_y) = ((size(x) - ex).max(0.0), (size(y) - ey).max(0.0));
            let exact = ex == 0.0 && ey == 0.0;
            let turn = if exact { 0.0 } else { over(size(x) * ey + size(y) * ex, near_x * near_x + near_y * near_y) };
            (y.atan2(x), if on_cut { f64::INFINITY } else { turn })
        }
    };
    let rounding = match super::bound(op) {
        0.0 => unit,
        ulps => 2.0 * unit * ulps,
    };
    // one part in 10⁹ for the roundings of the bound itself, and the spacing of the smallest doubles
    (v, (carried + rounding * size(v)) * (1.0 + 1e-9) + 1e-323)
}

fn size(x: Dd) -> f64 {
    x.hi().abs()
}

/// e/d where d may fail to be positive.
fn over(e: f64, d: f64) -> f64 {
    match e {
        0.0 => 0.0,
        e if d > 0.0 => e / d,
        _ => f64::INFINITY,
    }
}
