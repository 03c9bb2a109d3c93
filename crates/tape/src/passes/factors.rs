//! Common factors taken out of sums.
//!
//! ```text
//! a b + a c  →  a (b + c)
//! ```
//!
//! A sum is taken as a whole: all terms of nested sums and differences that are read once, and all
//! factors of nested products that are read once. The factor of the most terms goes first, then the
//! same is done inside and with what is left. A sum in which no two terms share a factor stays as
//! it is, in the same order.

use super::rewrite;
use crate::build::Builder;
use crate::op::{Op, Value};
use crate::tape::Tape;
use std::cmp::Reverse;

/// ± a product.
#[derive(Clone)]
struct Term {
    negative: bool,
    factors: Vec<Value>,
}

/// The tape with common factors taken out of every sum.
pub(super) fn take_out(tape: &Tape) -> Tape {
    let uses = tape.uses();
    let is_sum = |v: Value| matches!(tape.ops[v.index()], Op::Add(..) | Op::Sub(..));
    // sums that are terms of one larger sum only
    let mut inner = vec![false; tape.ops.len()];
    for op in &tape.ops {
        if let Op::Add(a, b) | Op::Sub(a, b) = *op {
            for v in [a, b] {
                inner[v.index()] = uses[v.index()] == 1 && is_sum(v);
            }
        }
    }
    rewrite(tape, |b, k, new| {
        let v = Value(k as u32);
        if inner[k] || !is_sum(v) {
            return None;
        }
        let mut terms = Vec::new();
        let mut stack = vec![(v, false)];
        while let Some((v, negative)) = stack.pop() {
            match tape.ops[v.index()] {
                Op::Add(x, y) if v.index() == k || inner[v.index()] => stack.extend([(y, negative), (x, negative)]),
                Op::Sub(x, y) if v.index() == k || inner[v.index()] => stack.extend([(y, !negative), (x, negative)]),
                _ => terms.push(Term { negative, factors: factors(tape, &uses, new, v) }),
            }
        }
        common(&terms)?;
        Some(sum(b, terms))
    })
}

/// The factors of a value, those of products that are read once taken apart.
fn factors(tape: &Tape, uses: &[u32], new: &[Value], v: Value) -> Vec<Value> {
    let mut factors = Vec::new();
    let mut stack = vec![v];
    while let Some(v) = stack.pop() {
        match tape.ops[v.index()] {
            Op::Mul(x, y) if uses[v.index()] == 1 => stack.extend([y, x]),
            _ => factors.push(new[v.index()]),
        }
    }
    factors
}

/// The factor that most products have, if at least two have it; the earliest of several.
fn common(terms: &[Term]) -> Option<Value> {
    let products = || terms.iter().map(|t| &t.factors).filter(|f| f.len() > 1);
    let once = |f: &Vec<Value>, k: usize| !f[..k].contains(&f[k]);
    let mut all: Vec<Value> =
        products().flat_map(|f| (0..f.len()).filter(move |k| once(f, *k)).map(|k| f[k])).collect();
    all.sort_unstable();
    let runs = all.chunk_by(|a, b| a == b).filter(|run| run.len() > 1);
    runs.min_by_key(|run| Reverse(run.len())).map(|run| run[0])
}

/// The sum, factor by factor.
fn sum(b: &mut Builder, mut terms: Vec<Term>) -> Value {
    while let Some(f) = common(&terms) {
        let has = |t: &Term| t.factors.len() > 1 && t.factors.contains(&f);
        let place = terms.iter().position(has).expect("the common factor is somewhere");
        let (mut with, mut without): (Vec<Term>, Vec<Term>) = terms.into_iter().partition(has);
        for t in &mut with {
            let k = t.factors.iter().position(|g| *g == f).expect("the term has the factor");
            t.factors.remove(k);
        }
        // a sum of negative terms is the negative of a sum
        let negative = with.iter().all(|t| t.negative);
        if negative {
            with.iter_mut().for_each(|t| t.negative = false);
        }
        let rest = sum(b, with);
        let product = b.mul(f, rest);
        without.insert(place, Term { negative, factors: vec![product] });
        terms = without;
    }
    // begin with a positive term, where there is one
    let first = terms.iter().position(|t| !t.negative).unwrap_or(0);
    let Term { negative, factors } = terms.remove(first);
    let mut total = product(b, &factors);
    for t in &terms {
        let p = product(b, &t.factors);
        total = if t.negative == negative { b.add(total, p) } else { b.sub(total, p) };
    }
    if negative { b.neg(total) } else { total }
}

fn product(b: &mut Builder, factors: &[Value]) -> Value {
    factors.iter().copied().reduce(|p, f| b.mul(p, f)).expect("a term has a factor")
}
