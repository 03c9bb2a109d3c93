//! Constants gathered in front of products, signs absorbed.
//!
//! ```text
//! c₂ (c₁ x)         →  (c₁ c₂) x            (c₁ x) (c₂ y)   →  (c₁ c₂) (x y)
//! (c x) y           →  c (x y)              (c₁ x)/(c₂ y)   →  (c₁/c₂) (x/y)
//! c₂ (c₁/x)         →  (c₁ c₂)/x            c₁/(c₂ x)       →  (c₁/c₂)/x
//! −(c x)            →  (−c) x               −(c/x)          →  (−c)/x
//! −((x − y) z)      →  (y − x) z            (−x) − y        →  −(x + y)
//! ```
//!
//! where the inner product, quotient or difference is read once. The rules of the second line save
//! nothing by themselves; they bring constants to where others are.

use super::rewrite;
use crate::build::Builder;
use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::tape::Tape;

/// The tape with these rules applied once, from the first operation to the last.
pub(super) fn gather(tape: &Tape) -> Tape {
    let uses = tape.uses();
    let once = |v: Value| uses[v.index()] == 1;
    rewrite(tape, |b, k, new| {
        let at = |v: Value| new[v.index()];
        match tape.ops[k] {
            Op::Mul(x, y) => {
                let ((c, p), (d, q)) = (scaled(b, at(x), once(x)), scaled(b, at(y), once(y)));
                if c == Dd::ONE && d == Dd::ONE {
                    return None;
                }
                let product = match (p, q) {
                    (Some(p), Some(q)) => b.mul(p, q),
                    (Some(p), None) | (None, Some(p)) => {
                        return Some(times_constant(b, p, c * d, if q.is_none() { once(x) } else { once(y) }));
                    }
                    (None, None) => b.constant(Dd::ONE),
                };
                Some(b.scale(product, c * d))
            }
            Op::Div(x, y) => match (scaled(b, at(x), once(x)), scaled(b, at(y), once(y))) {
                ((c, Some(p)), (d, Some(q))) if c != Dd::ONE || d != Dd::ONE => {
                    let quotient = b.div(p, q);
                    Some(b.scale(quotient, c / d))
                }
                ((c, None), (d, Some(q))) if d != Dd::ONE => {
                    let numerator = b.constant(c / d);
                    Some(b.div(numerator, q))
                }
                _ => None,
            },
            Op::Neg(x) if once(x) => match (b.op(at(x)), tape.ops[x.index()]) {
                (Op::Mul(..), Op::Mul(p, q)) if is_difference(tape, p) && once(p) => {
                    let flipped = b.neg(at(p));
                    Some(b.mul(flipped, at(q)))
                }
                (Op::Mul(..), Op::Mul(p, q)) if is_difference(tape, q) && once(q) => {
                    let flipped = b.neg(at(q));
                    Some(b.mul(at(p), flipped))
                }
                _ => Some(times_constant(b, at(x), -Dd::ONE, true)),
            },
            Op::Sub(x, y) => match b.op(at(x)) {
                Op::Neg(p) if once(x) => {
                    let sum = b.add(p, at(y));
                    Some(b.neg(sum))
                }
                _ => None,
            },
            _ => None,
        }
    })
}

fn is_difference(tape: &Tape, v: Value) -> bool {
    matches!(tape.ops[v.index()], Op::Sub(..))
}

/// v = c p: the constant and the rest, which a number alone does not have.
fn scaled(b: &Builder, v: Value, once: bool) -> (Dd, Option<Value>) {
    let constant = |v: Value| if let Op::Constant(c) = b.op(v) { Some(c) } else { None };
    match b.op(v) {
        Op::Constant(c) => (c, None),
        Op::Mul(p, q) if once => match (constant(p), constant(q)) {
            (Some(c), _) => (c, Some(q)),
            (_, Some(c)) => (c, Some(p)),
            _ => (Dd::ONE, Some(v)),
        },
        _ => (Dd::ONE, Some(v)),
    }
}

/// c v, with the constant taken in where v is a multiple or a quotient of a constant.
fn times_constant(b: &mut Builder, v: Value, c: Dd, once: bool) -> Value {
    if let Op::Div(n, d) = b.op(v)
        && let (x, None) = scaled(b, n, true)
        && once
    {
        let n = b.constant(c * x);
        return b.div(n, d);
    }
    let (x, p) = scaled(b, v, once);
    match p {
        Some(p) => b.scale(p, c * x),
        None => b.constant(c * x),
    }
}
