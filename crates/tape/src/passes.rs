//! Transformations of tapes. Every pass maps well-formed tapes to well-formed tapes.

use crate::build::Builder;
use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::tape::Tape;

/// The tape with some inputs fixed: they disappear from the inputs, and what depends on them
/// alone is folded.
pub fn fix(tape: &Tape, values: &[(usize, Dd)]) -> Tape {
    let mut b = Builder::new();
    let mut new: Vec<Value> = Vec::with_capacity(tape.ops.len());
    let place: Vec<Option<Value>> = (tape.inputs.iter().enumerate())
        .map(|(i, name)| match values.iter().find(|(k, _)| *k == i) {
            Some((_, x)) => Some(b.constant(*x)),
            None => Some(b.input(name.clone())),
        })
        .collect();
    for op in &tape.ops {
        let v = match *op {
            Op::Input(i) => place[i as usize].expect("every input has a place"),
            op => b.emit(op.map(|a| new[a.index()])),
        };
        new.push(v);
    }
    for o in &tape.outputs {
        b.output(o.name.clone(), new[o.value.index()]);
    }
    finish(b)
}

/// A built program without dead code, with sin and cos of one angle side by side.
pub fn finish(builder: Builder) -> Tape {
    let raw = builder.into_raw();
    let mut live = vec![false; raw.ops.len()];
    for o in &raw.outputs {
        live[o.value.index()] = true;
    }
    for k in (0..raw.ops.len()).rev() {
        if live[k] {
            raw.ops[k].operands().for_each(|a| live[a.index()] = true);
        }
    }
    let mut place = vec![None; raw.ops.len()];
    let mut ops = Vec::new();
    for k in 0..raw.ops.len() {
        if !live[k] || place[k].is_some() {
            continue;
        }
        let mut put = |k: usize, place: &mut Vec<Option<Value>>| {
            place[k] = Some(Value(ops.len() as u32));
            ops.push(raw.ops[k].map(|a| place[a.index()].expect("operands come first")));
        };
        let partner = |wanted: Op| (k + 1..raw.ops.len()).find(|j| live[*j] && raw.ops[*j] == wanted);
        match raw.ops[k] {
            Op::Sin(a) => {
                put(k, &mut place);
                if let Some(j) = partner(Op::Cos(a)) {
                    put(j, &mut place);
                }
            }
            Op::Cos(a) => {
                if let Some(j) = partner(Op::Sin(a)) {
                    put(j, &mut place);
                }
                put(k, &mut place);
            }
            _ => put(k, &mut place),
        }
    }
    let outputs = (raw.outputs.into_iter())
        .map(|o| crate::tape::Output { value: place[o.value.index()].expect("outputs are live"), ..o })
        .collect();
    Tape { inputs: raw.inputs, ops, outputs }
}
