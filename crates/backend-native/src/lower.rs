//! From a tape to steps.

use crate::contract::Contractions;
use crate::elementary;
use crate::steps::{Binary, Function, Fused, Steps, Unary, V};
use polhode_tape::{Op, Scalar, Tape, Value};

/// The steps of a tape. Outputs are stored as soon as they are computed.
pub(crate) fn lower(tape: &Tape, contractions: &Contractions) -> Steps {
    let live = live(tape);
    let mut outputs: Vec<Vec<u32>> = vec![Vec::new(); tape.ops.len()];
    for (o, output) in tape.outputs.iter().enumerate() {
        outputs[output.value.index()].push(o as u32);
    }
    let mut s = Steps::default();
    let mut values: Vec<Option<V>> = vec![None; tape.ops.len()];
    for (k, op) in tape.ops.iter().enumerate() {
        if !live[k] || contractions.absorbs(k) {
            continue;
        }
        let of = |a: Value| values[a.index()].expect("operands come first and are live");
        let fused = |s: &mut Steps, op, product: Value, c| match tape.ops[product.index()] {
            Op::Mul(a, b) => s.fused(op, of(a), of(b), of(c)),
            _ => unreachable!("a product"),
        };
        let v = match (*op, contractions.product_of(k)) {
            (Op::Add(a, b), Some(p)) => fused(&mut s, Fused::MulAdd, p, if p == a { b } else { a }),
            (Op::Sub(a, b), Some(p)) if p == a => fused(&mut s, Fused::MulSub, p, b),
            (Op::Sub(a, _), Some(p)) => fused(&mut s, Fused::SubMul, p, a),
            (Op::Input(i), _) => s.input(i),
            (Op::Constant(c), _) => s.constant(f64::constant(c)),
            (Op::Neg(a), _) => s.neg(of(a)),
            (Op::Add(a, b), _) => s.add(of(a), of(b)),
            (Op::Sub(a, b), _) => s.sub(of(a), of(b)),
            (Op::Mul(a, b), _) => s.mul(of(a), of(b)),
            (Op::Div(a, b), _) => s.two(Binary::Div, of(a), of(b)),
            (Op::Sqrt(a), _) => s.one(Unary::Sqrt, of(a)),
            (Op::Sin(a), _) if live.get(k + 1) == Some(&true) && tape.ops[k + 1] == Op::Cos(a) => {
                let (sine, cosine) = elementary::sin_cos(&mut s, Function::SinCos, of(a));
                values[k + 1] = Some(cosine);
                sine
            }
            (Op::Sin(a), _) => elementary::sin_cos(&mut s, Function::Sin, of(a)).0,
            (Op::Cos(_), _) if values[k].is_some() => of(Value(k as u32)),
            (Op::Cos(a), _) => elementary::sin_cos(&mut s, Function::Cos, of(a)).1,
            (Op::Exp(a), _) => elementary::exp(&mut s, of(a)),
            (Op::Log(a), _) => elementary::log(&mut s, of(a)),
            (Op::Atan2(a, b), _) => elementary::atan2(&mut s, of(a), of(b)),
        };
        values[k] = Some(v);
        outputs[k].iter().for_each(|o| s.store(*o, v));
    }
    s
}

/// Which values an output needs.
fn live(tape: &Tape) -> Vec<bool> {
    let mut live = vec![false; tape.ops.len()];
    for o in &tape.outputs {
        live[o.value.index()] = true;
    }
    for k in (0..tape.ops.len()).rev() {
        if live[k] {
            tape.ops[k].operands().for_each(|a| live[a.index()] = true);
        }
    }
    live
}
