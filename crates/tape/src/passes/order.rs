//! An order of operations that keeps few values alive.
//!
//! Depth first from the outputs: an operation stands as late as it can, directly before its first
//! reader. Of two operands, the one that needs more room comes first \[SethiUllman1970\],
//!
//! ```text
//! need(leaf) = 0,   need(f(a)) = max(need(a), 1),   need(f(a, b)) = max(need(a), need(b) + 1) for need(a) ≥ need(b),
//! ```
//!
//! which is best for trees and good for programs that share little. Inputs and constants, the leaves,
//! come last because a machine may read them in place.

use crate::op::{Op, Value};
use crate::tape::{Output, Tape};
use rustc_hash::FxHashMap;

/// The tape without dead code and in depth-first order, with cos a directly behind sin a, and the
/// earlier operand of sums and products first.
pub(super) fn depth_first(tape: Tape) -> Tape {
    let live = tape.live();
    let need = needs(&tape.ops);
    let sines = partners(&tape.ops, &live, |op| if let Op::Sin(a) = op { Some(*a) } else { None });
    let cosines = partners(&tape.ops, &live, |op| if let Op::Cos(a) = op { Some(*a) } else { None });

    let mut place: Vec<Option<Value>> = vec![None; tape.ops.len()];
    let mut ops = Vec::with_capacity(tape.ops.len());
    let mut put = |v: Value, place: &mut Vec<Option<Value>>| {
        place[v.index()] = Some(Value(ops.len() as u32));
        let op = tape.ops[v.index()].map(|a| place[a.index()].expect("operands come first"));
        ops.push(match op {
            Op::Add(a, b) => Op::Add(a.min(b), a.max(b)),
            Op::Mul(a, b) => Op::Mul(a.min(b), a.max(b)),
            op => op,
        });
    };
    // values to place, with the mark that their operands are placed
    let mut stack: Vec<(Value, bool)> = Vec::new();
    for o in &tape.outputs {
        stack.push((o.value, false));
        while let Some((v, ready)) = stack.pop() {
            if place[v.index()].is_some() {
                continue;
            }
            if !ready {
                stack.push((v, true));
                let mut operands = tape.ops[v.index()].operands();
                // the last one pushed is placed first
                match (operands.next(), operands.next()) {
                    (Some(a), Some(b)) if need[a.index()] < need[b.index()] => stack.extend([(a, false), (b, false)]),
                    (Some(a), Some(b)) => stack.extend([(b, false), (a, false)]),
                    (a, _) => stack.extend(a.map(|a| (a, false))),
                }
                continue;
            }
            match tape.ops[v.index()] {
                Op::Sin(a) | Op::Cos(a) => {
                    for pair in [&sines, &cosines] {
                        pair.get(&a).into_iter().for_each(|w| put(*w, &mut place));
                    }
                }
                _ => put(v, &mut place),
            }
        }
    }
    let outputs = (tape.outputs.iter())
        .map(|o| Output { name: o.name.clone(), value: place[o.value.index()].expect("outputs are placed") })
        .collect();
    Tape { inputs: tape.inputs, ops, outputs }
}

fn needs(ops: &[Op]) -> Vec<u32> {
    let mut need: Vec<u32> = Vec::with_capacity(ops.len());
    for op in ops {
        let mut of = op.operands().map(|a| need[a.index()]);
        let (a, b) = (of.next(), of.next());
        need.push(match (a, b) {
            (Some(a), Some(b)) => a.max(b).max(a.min(b) + 1),
            (Some(a), None) => a.max(1),
            (None, _) => 0,
        });
    }
    need
}

/// Which live operation stands for each angle.
fn partners(ops: &[Op], live: &[bool], angle: impl Fn(&Op) -> Option<Value>) -> FxHashMap<Value, Value> {
    (ops.iter().zip((0..).map(Value)))
        .filter(|(_, v)| live[v.index()])
        .filter_map(|(op, v)| Some((angle(op)?, v)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::passes::finish;
    use crate::verify::verify;

    #[test]
    fn products_stand_by_their_sum() {
        // all products first, then their sum: every product waits
        let mut b = Builder::new();
        let x: Vec<Value> = (0..40).map(|k| b.input(format!("x{k}"))).collect();
        let products: Vec<Value> = (0..20).map(|k| b.mul(x[2 * k], x[2 * k + 1])).collect();
        let sum = products.iter().copied().reduce(|s, p| b.add(s, p)).unwrap();
        b.output("sum", sum);
        assert_eq!(b.clone().into_raw().width(), 40);
        assert_eq!(finish(b).width(), 3);
    }

    #[test]
    fn a_balanced_tree_needs_its_height() {
        let mut b = Builder::new();
        let mut row: Vec<Value> = (0..64).map(|k| b.input(format!("x{k}"))).collect();
        while row.len() > 1 {
            row = row.chunks(2).map(|c| b.add(c[0], c[1])).collect();
        }
        b.output("sum", row[0]);
        assert_eq!(finish(b).width(), 7);
    }

    #[test]
    fn pairs_come_together_and_dead_code_goes() {
        let mut b = Builder::new();
        let (x, y) = (b.input("x"), b.input("y"));
        let c = b.emit(Op::Cos(x));
        let s = b.emit(Op::Sin(x));
        let _dead = b.emit(Op::Sin(y));
        let cy = b.emit(Op::Cos(y));
        let p = b.mul(c, cy);
        b.output("c", p);
        b.output("s", s);
        let t = finish(b);
        assert_eq!(verify(&t), Ok(()));
        assert_eq!(t.work(), 4);
    }

    #[test]
    fn order_is_kept_once_found() {
        for text in [
            "inputs x y\nv0 = input x\nv1 = sin v0\nv2 = input y\nv3 = mul v1 v2\nv4 = sub v3 v0\noutputs\n  p = v4\n",
            "inputs x y\nv0 = input y\nv1 = input x\nv2 = add v0 v1\nv3 = mul v2 v2\noutputs\n  q = v0\n  p = v3\n",
        ] {
            let tape: Tape = text.parse().unwrap();
            assert_eq!(depth_first(tape).to_string(), text);
        }
    }

    #[test]
    fn deep_programs_need_no_stack() {
        let mut b = Builder::new();
        let x = b.input("x");
        let deep = (0..300_000).fold(x, |y, _| b.add(y, x));
        b.output("y", deep);
        assert_eq!(finish(b).work(), 300_000);
    }
}
