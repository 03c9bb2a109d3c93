//! Pairs of factors that several products have.
//!
//! ```text
//! (a b) c, (a d) b  →  p c, p d        with p = a b
//! ```
//!
//! A product is taken as a whole: all factors of nested products that are read once. The pair that most products have
//! is multiplied first in all of them.

use super::rewrite;
use crate::op::{Op, Value};
use crate::tape::Tape;
use rustc_hash::FxHashMap;

/// The tape with the most common pair of factors computed once.
pub(super) fn share(tape: &Tape) -> Tape {
    let uses = tape.uses();
    let is_product = |v: Value| matches!(tape.ops[v.index()], Op::Mul(..));
    let mut inner = vec![false; tape.ops.len()];
    for op in &tape.ops {
        if let Op::Mul(a, b) = *op {
            for v in [a, b] {
                inner[v.index()] = uses[v.index()] == 1 && is_product(v);
            }
        }
    }
    let factors: Vec<Option<Vec<Value>>> = (0..tape.ops.len())
        .map(|k| (is_product(Value(k as u32)) && !inner[k]).then(|| factors(tape, &inner, Value(k as u32))))
        .collect();
    let mut count: FxHashMap<(Value, Value), u32> = FxHashMap::default();
    for factors in factors.iter().flatten() {
        let mut pairs: Vec<(Value, Value)> =
            (0..factors.len()).flat_map(|i| (i + 1..factors.len()).map(move |j| (factors[i], factors[j]))).collect();
        pairs.dedup();
        pairs.into_iter().for_each(|pair| *count.entry(pair).or_default() += 1);
    }
    // the earliest of several
    let most = count.into_iter().filter(|(_, n)| *n > 1).min_by_key(|(pair, n)| (u32::MAX - n, *pair));
    let Some(((f, g), _)) = most else { return tape.clone() };
    rewrite(tape, |b, k, new| {
        let mut rest = factors[k].clone()?;
        for v in [f, g] {
            let place = rest.iter().position(|factor| *factor == v)?;
            rest.remove(place);
        }
        let pair = b.mul(new[f.index()], new[g.index()]);
        Some(rest.into_iter().fold(pair, |product, v| b.mul(product, new[v.index()])))
    })
}

/// The factors of a product in order, those of inner products taken apart.
fn factors(tape: &Tape, inner: &[bool], product: Value) -> Vec<Value> {
    let (mut factors, mut stack) = (Vec::new(), vec![product]);
    while let Some(v) = stack.pop() {
        match tape.ops[v.index()] {
            Op::Mul(x, y) if v == product || inner[v.index()] => stack.extend([x, y]),
            _ => factors.push(v),
        }
    }
    factors.sort_unstable();
    factors
}
