//! Derivatives of programs, as programs.
//!
//! Forward mode: beside every value v there is v' = ∂v/∂x for each chosen input x, by
//!
//! ```text
//! (a ± b)' = a' ± b'          (√a)' = a'/(2 √a)         (eᵃ)' = eᵃ a'
//! (a b)' = a' b + a b'        (sin a)' = cos a · a'     (ln a)' = a'/a
//! (a/b)' = (a' − (a/b) b')/b  (cos a)' = −sin a · a'
//! atan2(y, x)' = (x y' − y x')/(x² + y²)
//! ```
//!
//! Derivatives that vanish are not computed, and what is shared between columns is computed once.
//! [`optimise`](super::optimise) finds more to share.

use super::{finish, replay};
use crate::build::Builder;
use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::tape::Tape;

/// The derivatives of all outputs with respect to some inputs: outputs `d<output>/d<input>`, all
/// inputs of the first output first. The inputs are those of the tape.
pub fn jacobian(tape: &Tape, wrt: &[usize]) -> Tape {
    derive(tape, wrt, false)
}

/// The outputs of the tape followed by those of [`jacobian`].
pub fn with_jacobian(tape: &Tape, wrt: &[usize]) -> Tape {
    derive(tape, wrt, true)
}

fn derive(tape: &Tape, wrt: &[usize], with_values: bool) -> Tape {
    let mut b = Builder::new();
    let inputs: Vec<Value> = tape.inputs.iter().map(|name| b.input(name.clone())).collect();
    let new = replay(tape, &mut b, &inputs);
    let columns: Vec<Vec<Option<Value>>> = wrt.iter().map(|input| column(tape, &mut b, &new, *input)).collect();
    if with_values {
        for o in &tape.outputs {
            b.output(o.name.clone(), new[o.value.index()]);
        }
    }
    for o in &tape.outputs {
        for (input, column) in wrt.iter().zip(&columns) {
            let d = column[o.value.index()].unwrap_or_else(|| b.constant(Dd::ZERO));
            b.output(format!("d{}/d{}", o.name, tape.inputs[*input]), d);
        }
    }
    finish(b)
}

/// The derivative of every value with respect to one input; nothing where it vanishes.
fn column(tape: &Tape, b: &mut Builder, new: &[Value], input: usize) -> Vec<Option<Value>> {
    let mut d: Vec<Option<Value>> = Vec::with_capacity(tape.ops.len());
    for (k, op) in tape.ops.iter().enumerate() {
        let v = |a: Value| new[a.index()];
        let of = |a: Value| d[a.index()];
        let derivative = match *op {
            Op::Input(i) => (i as usize == input).then(|| b.constant(Dd::ONE)),
            Op::Constant(_) => None,
            Op::Neg(a) => of(a).map(|da| b.neg(da)),
            Op::Add(x, y) => add(b, of(x), of(y)),
            Op::Sub(x, y) => sub(b, of(x), of(y)),
            Op::Mul(x, y) => {
                let left = of(x).map(|dx| b.mul(dx, v(y)));
                let right = of(y).map(|dy| b.mul(v(x), dy));
                add(b, left, right)
            }
            Op::Div(x, y) => {
                let right = of(y).map(|dy| b.mul(new[k], dy));
                sub(b, of(x), right).map(|n| b.div(n, v(y)))
            }
            Op::Sqrt(a) => of(a).map(|da| {
                let half = b.scale(da, 0.5);
                b.div(half, new[k])
            }),
            Op::Sin(a) => of(a).map(|da| {
                let c = b.emit(Op::Cos(v(a)));
                b.mul(c, da)
            }),
            Op::Cos(a) => of(a).map(|da| {
                let s = b.emit(Op::Sin(v(a)));
                let p = b.mul(s, da);
                b.neg(p)
            }),
            Op::Exp(a) => of(a).map(|da| b.mul(new[k], da)),
            Op::Log(a) => of(a).map(|da| b.div(da, v(a))),
            Op::Atan2(y, x) => {
                let left = of(y).map(|dy| b.mul(v(x), dy));
                let right = of(x).map(|dx| b.mul(v(y), dx));
                sub(b, left, right).map(|n| {
                    let (xx, yy) = (b.mul(v(x), v(x)), b.mul(v(y), v(y)));
                    let rr = b.add(xx, yy);
                    b.div(n, rr)
                })
            }
        };
        d.push(derivative);
    }
    d
}

fn add(b: &mut Builder, x: Option<Value>, y: Option<Value>) -> Option<Value> {
    match (x, y) {
        (Some(x), Some(y)) => Some(b.add(x, y)),
        (x, y) => x.or(y),
    }
}

fn sub(b: &mut Builder, x: Option<Value>, y: Option<Value>) -> Option<Value> {
    match (x, y) {
        (Some(x), Some(y)) => Some(b.sub(x, y)),
        (Some(x), None) => Some(x),
        (None, y) => y.map(|y| b.neg(y)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_zeros() {
        let t: Tape =
            "inputs x y\n v0 = input x\n v1 = mul v0 v0\n v2 = input y\n v3 = sin v2\n outputs\n p = v1\n q = v3"
                .parse()
                .unwrap();
        let j = jacobian(&t, &[1, 0]);
        assert_eq!(
            j.to_string(),
            "inputs x y\nv0 = const 0.0\nv1 = input x\nv2 = add v1 v1\nv3 = input y\nv4 = cos v3\n\
             outputs\n  dp/dy = v0\n  dp/dx = v2\n  dq/dy = v4\n  dq/dx = v0\n"
        );
        let w = with_jacobian(&t, &[1]);
        let names: Vec<&str> = w.outputs.iter().map(|o| o.name.as_str()).collect();
        assert_eq!(names, ["p", "q", "dp/dy", "dq/dy"]);
    }
}
