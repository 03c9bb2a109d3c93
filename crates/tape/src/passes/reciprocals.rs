//! Reciprocals of products from those of their factors.
//!
//! ```text
//! x/a, y/b, z/(a b)            →  r = 1/a, s = 1/b,  x r, y s, z (r s)
//! x/√a, y/a, z/(a √a)          →  r = 1/√a,          x r, y r², z r³
//! ```
//!
//! Denominators that share factors are taken together, and only where they are more than their
//! factors: L D Lᵀ solutions divide by the pivots and by most of their products, curvatures by all
//! powers of one root. The second line holds where √a is a real number, and is used where the tape
//! has that root.

use super::rewrite;
use crate::build::Builder;
use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::tape::Tape;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// c Π vᵉ, where the factors are what reciprocals are taken of.
#[derive(Clone, Debug)]
struct Product {
    coefficient: Dd,
    factors: BTreeMap<Value, u32>,
}

/// The tape with reciprocals shared.
pub(super) fn share(tape: &Tape) -> Tape {
    let roots: FxHashMap<Value, Value> = (tape.ops.iter().enumerate())
        .filter_map(|(k, op)| if let Op::Sqrt(a) = op { Some((*a, Value(k as u32))) } else { None })
        .collect();
    let mut denominators: BTreeMap<Value, Product> = BTreeMap::new();
    for op in &tape.ops {
        if let Op::Div(_, d) = op
            && !matches!(tape.ops[d.index()], Op::Constant(_))
        {
            denominators.entry(*d).or_insert_with(|| product(tape, &roots, *d));
        }
    }
    // a root that no denominator has by itself is none of the factors
    let odd: Vec<Value> = roots
        .values()
        .copied()
        .filter(|r| denominators.values().any(|p| p.factors.get(r).is_some_and(|e| e % 2 == 1)))
        .collect();
    let radicand: FxHashMap<Value, Value> = roots.iter().map(|(a, r)| (*r, *a)).collect();
    for p in denominators.values_mut() {
        p.factors = (std::mem::take(&mut p.factors).into_iter())
            .map(|(v, e)| if radicand.contains_key(&v) && !odd.contains(&v) { (radicand[&v], e / 2) } else { (v, e) })
            .collect();
    }
    let shared = worthwhile(&denominators);
    rewrite(tape, |b, k, new| {
        let Op::Div(x, d) = tape.ops[k] else { return None };
        let p = denominators.get(&d).filter(|_| shared.contains(&d))?;
        let inverse = inverse(tape, b, new, p);
        let product = b.mul(new[x.index()], inverse);
        Some(b.scale(product, Dd::ONE / p.coefficient))
    })
}

/// A denominator in factors; a value whose root is known counts as the square of that.
fn product(tape: &Tape, roots: &FxHashMap<Value, Value>, v: Value) -> Product {
    let mut out = Product { coefficient: Dd::ONE, factors: BTreeMap::new() };
    let mut stack = vec![v];
    while let Some(v) = stack.pop() {
        match tape.ops[v.index()] {
            Op::Constant(c) if c != Dd::ZERO => out.coefficient = out.coefficient * c,
            Op::Neg(a) => {
                out.coefficient = -out.coefficient;
                stack.push(a);
            }
            _ if roots.contains_key(&v) => *out.factors.entry(roots[&v]).or_default() += 2,
            Op::Mul(a, b) => stack.extend([a, b]),
            _ => *out.factors.entry(v).or_default() += 1,
        }
    }
    out
}

/// The denominators that hang together by their factors and are more than these.
fn worthwhile(denominators: &BTreeMap<Value, Product>) -> Vec<Value> {
    let mut groups: Vec<(Vec<Value>, Vec<Value>)> = Vec::new(); // denominators, factors
    for (d, p) in denominators {
        let mut group = (vec![*d], p.factors.keys().copied().collect::<Vec<_>>());
        groups.retain_mut(|(members, factors)| {
            let apart = factors.iter().all(|f| !p.factors.contains_key(f));
            if !apart {
                group.0.append(members);
                group.1.append(factors);
            }
            apart
        });
        groups.push(group);
    }
    let mut out = Vec::new();
    for (members, mut factors) in groups {
        factors.sort_unstable();
        factors.dedup();
        if factors.len() < members.len() {
            out.extend(members);
        }
    }
    out
}

/// Π v⁻ᵉ.
fn inverse(tape: &Tape, b: &mut Builder, new: &[Value], p: &Product) -> Value {
    let one = b.constant(Dd::ONE);
    let mut out = one;
    for (v, e) in &p.factors {
        let factor = match tape.ops[v.index()] {
            // the tape may take the root after the division
            Op::Sqrt(a) => b.emit(Op::Sqrt(new[a.index()])),
            _ => new[v.index()],
        };
        let r = b.div(one, factor);
        let power = b.powi(r, *e as i32);
        out = b.mul(out, power);
    }
    out
}
