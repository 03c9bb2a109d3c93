//! Fewer divisions.
//!
//! ```text
//! x/d, y/d        →  r = 1/d,  x r,  y r
//! x/a/b           →  x/(a b)
//! x/(a/b)         →  x b/a
//! (x/a) (y/b)     →  (x y)/(a b)
//! x (1/d)         →  x/d
//! ```
//!
//! The last four only where the inner quotient is read once and nothing else is divided by its
//! denominator.

use super::rewrite;
use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::tape::Tape;

/// The tape with these rules applied once, from the first operation to the last.
pub(super) fn share(tape: &Tape) -> Tape {
    let uses = tape.uses();
    let mut divisions = vec![0u32; tape.ops.len()];
    for op in &tape.ops {
        if let Op::Div(_, d) = op {
            divisions[d.index()] += 1;
        }
    }
    // the quotient x/d behind a value that may be taken apart
    let quotient = |v: Value| match tape.ops[v.index()] {
        Op::Div(x, d) if uses[v.index()] == 1 && divisions[d.index()] == 1 => Some((x, d)),
        _ => None,
    };
    let is_one = |v: Value| tape.ops[v.index()] == Op::Constant(Dd::ONE);
    rewrite(tape, |b, k, new| {
        let new = |v: Value| new[v.index()];
        match tape.ops[k] {
            Op::Div(x, d) if divisions[d.index()] > 1 => {
                let one = b.constant(Dd::ONE);
                let r = b.div(one, new(d));
                Some(b.mul(new(x), r))
            }
            Op::Div(x, d) => {
                if let Some((y, a)) = quotient(x) {
                    let p = b.mul(new(a), new(d));
                    Some(b.div(new(y), p))
                } else if let Some((y, a)) = quotient(d) {
                    let p = b.mul(new(x), new(a));
                    Some(b.div(p, new(y)))
                } else {
                    None
                }
            }
            Op::Mul(x, y) => match (quotient(x), quotient(y)) {
                (Some((p, a)), Some((q, c))) => {
                    let (n, d) = (b.mul(new(p), new(q)), b.mul(new(a), new(c)));
                    Some(b.div(n, d))
                }
                (Some((p, a)), _) if is_one(p) => Some(b.div(new(y), new(a))),
                (_, Some((q, c))) if is_one(q) => Some(b.div(new(x), new(c))),
                _ => None,
            },
            _ => None,
        }
    })
}
