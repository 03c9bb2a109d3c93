//! Rows that become dependent on a hypersurface.
//!
//! On p = 0 some row is a combination of those before it. With the same coefficients the difference is a multiple of p, and takes its place:
//!
//! ```text
//! ω_i = Σ_k c_k ω_k  on p = 0     ⟹     ω_i := (ω_i − Σ_k c_k ω_k)/p.
//! ```
//!
//! Every step lowers the power of p in the minors, so that it ends: with the saturation of the module of the rows along p, whose span is
//! on p = 0 the limit of the span beside it. The c_k are found with p = 0 solved for a coordinate in which p is linear, or
//! quadratic if the root does not occur in the c_k; other hypersurfaces are left as they are.

use super::budget::{DIVIDED_NODES, DIVIDED_TERMS, DIVISIONS};
use crate::doctor::singular::singular_set;
use crate::doctor::variety::Domain;
use polhode_expr::{AngleBasis, Expr, Graph, Matrix, Ring, Symbol, ZeroTest, eliminate};
use polhode_mechanics::distribution::Row;
use rustc_hash::FxHashMap;

/// Rows in place of some of those from `own` on, with the function on whose zeros they stop to hold.
pub(super) fn saturated(
    graph: &mut Graph,
    zero: &mut ZeroTest,
    mut rows: Vec<Row>,
    own: usize,
    domain: &Domain,
    coordinates: &[Symbol],
    may_change: impl Fn(usize) -> bool,
) -> Vec<(usize, Row, Expr)> {
    let mut out: Vec<(usize, Row, Expr)> = Vec::new();
    for _ in 0..DIVISIONS {
        let free = independent(graph, zero, &rows);
        let Some(parts) = singular_set(graph, zero, &rows, &rows, free.len(), domain).components else { break };
        let hypersurfaces = parts.iter().filter_map(|c| match c.equations[..] {
            [p] => Some(p),
            _ => None,
        });
        let step = hypersurfaces.into_iter().find_map(|p| {
            let (i, row) = step(graph, zero, &rows, p, coordinates)?;
            (i >= own && may_change(i) && free.contains(&i)).then_some((i, row, p))
        });
        let Some((i, row, p)) = step else { break };
        rows[i] = row.clone();
        match out.iter_mut().find(|(j, _, q)| *j == i && *q == p) {
            Some(known) => known.1 = row,
            None => out.push((i, row, p)),
        }
    }
    // what a row is at last, for every border it got
    out.iter_mut().for_each(|(i, row, _)| *row = rows[*i].clone());
    out
}

fn matrices(graph: &Graph, rows: &[Row]) -> (Matrix, Matrix) {
    let n = rows[0].a.len();
    let a = Matrix::from_fn(rows.len(), n + 1, |i, j| if j < n { rows[i].a[j] } else { rows[i].a0 });
    (a, Matrix::from_fn(rows.len(), 0, |_, _| graph.zero()))
}

/// Rows that are independent of those before them, at generic points.
fn independent(graph: &mut Graph, zero: &mut ZeroTest, rows: &[Row]) -> Vec<usize> {
    let (a, b) = matrices(graph, rows);
    eliminate(graph, zero, &a, &b, simple).rows
}

fn simple(graph: &Graph, _: usize, e: Expr) -> usize {
    if graph.as_number(e).is_some() { 0 } else { graph.reachable(&[e]).len() }
}

/// The first row that is dependent on p = 0, and what takes its place.
fn step(graph: &mut Graph, zero: &mut ZeroTest, rows: &[Row], p: Expr, coordinates: &[Symbol]) -> Option<(usize, Row)> {
    let (at, root, surd) = coordinates.iter().find_map(|s| linear_root(graph, p, *s)).or_else(|| {
        let mut squares = coordinates.iter();
        squares.find_map(|s| quadratic_root(graph, p, *s))
    })?;
    let there: FxHashMap<Symbol, Expr> = [(at, root)].into_iter().collect();
    let (a, b) = matrices(graph, rows);
    let a = Matrix::from_fn(a.rows(), a.cols(), |i, j| graph.substitute(a[(i, j)], &there));
    let solved = eliminate(graph, zero, &a, &b, simple);
    let generic = independent(graph, zero, rows);
    let (place, &i) = solved.dependent.iter().enumerate().find(|(_, i)| generic.contains(i))?;
    let mut combination: Vec<(usize, Expr)> =
        solved.rows.iter().copied().zip(solved.combinations[place].iter().copied()).collect();
    if let Some(surd) = surd {
        // coefficients with the root in them are no functions of the position
        for (_, c) in &mut combination {
            *c = graph.simplify_within(*c, DIVIDED_NODES, DIVIDED_TERMS);
            if graph.reachable(&[*c]).contains(&surd) {
                return None;
            }
        }
    }
    let mut entries = Vec::new();
    for j in 0..=rows[i].a.len() {
        let entry = |r: &Row| r.a.get(j).copied().unwrap_or(r.a0);
        let mut parts = vec![entry(&rows[i])];
        for (k, c) in &combination {
            let term = graph.mul(*c, entry(&rows[*k]));
            parts.push(graph.neg(term));
        }
        let difference = graph.sum(parts);
        let quotient = graph.div(difference, p);
        entries.push(graph.simplify_within(quotient, DIVIDED_NODES, DIVIDED_TERMS));
    }
    if has_pole(graph, zero, &entries, &there)? {
        return None;
    }
    let a0 = entries.pop()?;
    Some((i, Row { a: entries, a0 }))
}

/// p = 0 solved for a coordinate in which it is linear.
fn linear_root(graph: &mut Graph, p: Expr, s: Symbol) -> Option<(Symbol, Expr, Option<Expr>)> {
    let slope = graph.derivative(p, s);
    if graph.is_zero(slope) || graph.contains_any(slope, &[s]) {
        return None;
    }
    let rest = at_zero(graph, p, s);
    let ratio = graph.div(rest, slope);
    Some((s, graph.neg(ratio), None))
}

/// The same for a square, a s² + b s + c: the root, and √(b² − 4ac) in it.
fn quadratic_root(graph: &mut Graph, p: Expr, s: Symbol) -> Option<(Symbol, Expr, Option<Expr>)> {
    let slope = graph.derivative(p, s);
    let twice_a = graph.derivative(slope, s);
    if graph.is_zero(twice_a) || graph.contains_any(twice_a, &[s]) {
        return None;
    }
    let (b, c) = (at_zero(graph, slope, s), at_zero(graph, p, s));
    let square = graph.powi(b, 2);
    let two = graph.int(2);
    let product = graph.product([two, twice_a, c]);
    let discriminant = graph.sub(square, product);
    let discriminant = graph.simplify_within(discriminant, DIVIDED_NODES, DIVIDED_TERMS);
    let surd = graph.sqrt(discriminant);
    let above = graph.sub(surd, b);
    Some((s, graph.div(above, twice_a), Some(surd)))
}

fn at_zero(graph: &mut Graph, e: Expr, s: Symbol) -> Expr {
    let there: FxHashMap<Symbol, Expr> = [(s, graph.zero())].into_iter().collect();
    graph.substitute(e, &there)
}

/// Whether p did not divide, as it does not divide sin x on x = 0: there are denominators left that vanish there.
fn has_pole(graph: &mut Graph, zero: &mut ZeroTest, entries: &[Expr], there: &FxHashMap<Symbol, Expr>) -> Option<bool> {
    let mut ring = Ring::new(graph, entries, AngleBasis::Symbols, DIVIDED_TERMS).ok()?;
    let fractions = ring.fractions(graph, entries).ok()?;
    for d in fractions.iter().flat_map(|f| f.denominator_factors()) {
        let e = ring.expand_to_expr(graph, d);
        let e = graph.substitute(e, there);
        if zero.is_zero(graph, e) {
            return Some(true);
        }
    }
    Some(false)
}
