//! Roots in a form in which they cancel.
//!
//! ```text
//! √(cos²u + 9/4 sin²u) = ½ √(4 cos²u + 9 sin²u)
//! √((a² − u)(b² − u)) = √(a² − u) √(b² − u)  or  √(u − a²) √(u − b²)
//! ```
//!
//! Canonical forms know w² = b for polynomials b over the integers (`polhode_expr`, `ring`), so that radicands have whole coefficients. In
//! elliptic coordinates every difference keeps its sign, and is a radicand of its own: D/E = −abc/(u √(uv)) is then found without a
//! search.

use polhode_expr::number::{Rational, exact_sqrt, int, pow_int};
use polhode_expr::{Exponent, Expr, Graph, Node, Symbol};
use polhode_geometry::Chart;
use rustc_hash::FxHashMap;

/// Larger radicands are left as they are.
const TERMS: usize = 60;
/// Roots inside of sums inside of products are found to this depth.
const PASSES: usize = 20;

/// The same chart with whole radicands.
pub(super) fn with_whole_roots(g: &mut Graph, chart: Chart) -> Chart {
    rewritten(g, chart, &mut whole)
}

/// The same chart with roots of single factors. The signs are those at a point inside of the domain.
pub(super) fn with_single_roots(g: &mut Graph, chart: Chart, inside: &FxHashMap<Symbol, f64>) -> Chart {
    let mut chart = rewritten(g, chart, &mut |g, base| single(g, base, inside));
    for e in entries(&mut chart) {
        *e = super::tidy(g, *e);
    }
    chart
}

/// A product of powers.
type Powers = Vec<(Expr, Exponent)>;

/// Replaces radicands until no more are found: a product is replaced before its factors are looked at.
fn rewritten(g: &mut Graph, mut chart: Chart, radicand: &mut impl FnMut(&mut Graph, Expr) -> Option<Powers>) -> Chart {
    for _ in 0..PASSES {
        let mut entries = entries(&mut chart);
        let before: Vec<Expr> = entries.iter().map(|e| **e).collect();
        let after = g.rebuild(&before, |g, e| product(g, e, radicand));
        if after == before {
            break;
        }
        entries.iter_mut().zip(after).for_each(|(entry, e)| **entry = e);
    }
    chart
}

fn entries(chart: &mut Chart) -> Vec<&mut Expr> {
    let mut out: Vec<&mut Expr> = vec![&mut chart.root_e, &mut chart.root_g, &mut chart.area];
    out.extend(chart.position.iter_mut().chain(&mut chart.normal).chain(&mut chart.first).chain(&mut chart.second));
    let vectors = chart.tangents.iter_mut().chain(&mut chart.second_derivatives).chain(&mut chart.frame);
    out.extend(vectors.chain(&mut chart.dual).chain(&mut chart.shape).flatten());
    out
}

/// A product with its radicands replaced; `None` where there is nothing to replace.
fn product(g: &mut Graph, e: Expr, radicand: &mut impl FnMut(&mut Graph, Expr) -> Option<Powers>) -> Option<Expr> {
    let Node::Product { coefficient, factors } = g.node(e).clone() else { return None };
    let mut items = vec![(g.number(coefficient), Exponent::ONE)];
    let mut changed = false;
    for (base, k) in factors.iter() {
        match (k.d == 2).then(|| radicand(g, *base)).flatten() {
            Some(powers) => {
                for (b, m) in powers {
                    items.push((b, Exponent::from_rational(&(m.to_rational() * k.to_rational()))?));
                }
                changed = true;
            }
            None => items.push((*base, *k)),
        }
    }
    changed |= merge_numbers(g, &mut items);
    changed.then(|| g.power_product(items))
}

/// √15 √21 √35 = 105: roots of numbers become one.
fn merge_numbers(g: &mut Graph, items: &mut Powers) -> bool {
    let root = |g: &Graph, (b, k): &(Expr, Exponent)| match g.as_number(*b) {
        Some(r) if k.d == 2 => pow_int(r, k.n),
        _ => None,
    };
    let squares: Vec<Rational> = items.iter().filter_map(|i| root(g, i)).collect();
    if squares.len() < 2 {
        return false;
    }
    items.retain(|i| root(g, i).is_none());
    let square = squares.into_iter().fold(int(1), |p, r| p * r);
    let square = g.number(square);
    items.push((g.sqrt(square), Exponent::ONE));
    true
}

/// b = (s² b) s⁻², where s² b has whole coefficients.
fn whole(g: &mut Graph, b: Expr) -> Option<Powers> {
    let sum = g.expand(b, TERMS)?;
    let Node::Sum { constant, terms } = g.node(sum).clone() else { return None };
    let mut q = int(1);
    for r in terms.iter().map(|(_, r)| r).chain([&constant]) {
        let left = r * &q;
        q *= Rational::from(left.denominator().clone());
    }
    if q == int(1) {
        return None;
    }
    let s = exact_sqrt(&q).unwrap_or(q);
    let square = &s * &s;
    let scaled = g.linear([(sum, square)]);
    Some(vec![(scaled, Exponent::ONE), (g.number(s), Exponent::int(-2))])
}

/// b = Π |f|ᵏ, where b is positive.
fn single(g: &mut Graph, b: Expr, inside: &FxHashMap<Symbol, f64>) -> Option<Powers> {
    let Node::Product { coefficient, factors } = g.node(b).clone() else { return None };
    let mut out = vec![(g.number(if coefficient < int(0) { -coefficient } else { coefficient }), Exponent::ONE)];
    for (f, k) in factors.iter() {
        let negative = g.evaluate_f64(*f, inside).ok()? < 0.0;
        out.push((if negative { g.neg(*f) } else { *f }, *k));
    }
    Some(out)
}
