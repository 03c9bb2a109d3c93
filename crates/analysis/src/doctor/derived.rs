//! The forms that all integrals are made of: the last derived system.
//!
//! ```text
//! I⁽⁰⁾ = span of the constraints,      I⁽ᵏ⁺¹⁾ = { ω ∈ I⁽ᵏ⁾ : dω(X, Y) = 0 for all X, Y in ker I⁽ᵏ⁾ }      (1)
//! ```
//!
//! ends in the span of the differentials dh of the integrals \[Montgomery2002\]. It is computed with formulas, for coordinates that are numbers or
//! angles, where d is made of partial derivatives.

use super::budget::{DERIVED_FORMS, DERIVED_NODES, PAIRED_FORMS};
use polhode_expr::{Expr, Graph, Matrix, Symbol, ZeroTest, eliminate};

/// ∂_i ω_j − ∂_j ω_i for i < j, as `[j][i]`.
pub(super) fn curl(graph: &mut Graph, coordinates: &[Symbol], form: &[Expr]) -> Vec<Vec<Expr>> {
    (0..form.len())
        .map(|j| {
            (0..j)
                .map(|i| {
                    let (a, b) = (graph.derivative(form[j], coordinates[i]), graph.derivative(form[i], coordinates[j]));
                    graph.sub(a, b)
                })
                .collect()
        })
        .collect()
}

/// Independent ones among some forms, the same solved for differentials, and combinations of two that lack one: forms to look at one by one.
pub(super) fn solved(graph: &mut Graph, rows: &[Vec<Expr>]) -> Vec<Vec<Expr>> {
    let n = rows.first().map_or(0, Vec::len);
    let found = eliminated(graph, rows, n);
    let (zero, one) = (graph.zero(), graph.one());
    let mut out: Vec<Vec<Expr>> = found.rows.iter().map(|i| graph.primitive_vector(&rows[*i])).collect();
    if rows.len() > 1 {
        for (i, p) in found.pivots.iter().enumerate() {
            let mut row = vec![zero; n];
            row[*p] = one;
            for (k, f) in found.free.iter().enumerate() {
                row[*f] = graph.neg(found.solution[(i, k)]);
            }
            let row = graph.primitive_vector(&row);
            if !out.contains(&row) {
                out.push(row);
            }
        }
    }
    let pairs = out.clone();
    for (i, first) in pairs.iter().enumerate().take(PAIRED_FORMS) {
        for second in &pairs[..i] {
            for j in 0..n {
                if out.len() >= DERIVED_FORMS || graph.is_zero(first[j]) || graph.is_zero(second[j]) {
                    continue;
                }
                let entry = |graph: &mut Graph, k: usize| {
                    let (a, b) = (graph.mul(second[j], first[k]), graph.mul(first[j], second[k]));
                    graph.sub(a, b)
                };
                let row: Vec<Expr> = (0..n).map(|k| entry(graph, k)).collect();
                let row = graph.primitive_vector(&row);
                let empty = row.iter().all(|e| graph.is_zero(*e));
                if !empty && !out.contains(&row) && graph.reachable(&row).len() <= DERIVED_NODES {
                    out.push(row);
                }
            }
        }
    }
    out
}

/// (1), until `count` forms are left; `None` if that does not happen, or formulas get long.
pub(super) fn last_derived(
    graph: &mut Graph,
    coordinates: &[Symbol],
    rows: &[Vec<Expr>],
    count: usize,
) -> Option<Vec<Vec<Expr>>> {
    let n = coordinates.len();
    let independent = eliminated(graph, rows, n).rows;
    let mut system: Vec<Vec<Expr>> = independent.iter().map(|i| rows[*i].clone()).collect();
    while system.len() > count {
        let fields = kernel(graph, &system, n);
        let mut conditions: Vec<Vec<Expr>> = Vec::new();
        let curls: Vec<Vec<Vec<Expr>>> = system.iter().map(|w| curl(graph, coordinates, w)).collect();
        for (a, x) in fields.iter().enumerate() {
            for y in &fields[..a] {
                conditions.push(curls.iter().map(|c| on_pair(graph, c, x, y)).collect());
            }
        }
        let combinations = kernel(graph, &conditions, system.len());
        if combinations.len() >= system.len() {
            return None;
        }
        system = combinations
            .iter()
            .map(|c| {
                let sum = |graph: &mut Graph, j: usize| {
                    let parts: Vec<Expr> = c.iter().zip(&system).map(|(c, w)| graph.mul(*c, w[j])).collect();
                    graph.sum(parts)
                };
                let form: Vec<Expr> = (0..n).map(|j| sum(graph, j)).collect();
                graph.primitive_vector(&form)
            })
            .collect();
        if graph.reachable(&system.concat()).len() > DERIVED_NODES {
            return None;
        }
    }
    (system.len() == count).then_some(system)
}

/// dω(X, Y).
fn on_pair(graph: &mut Graph, curl: &[Vec<Expr>], x: &[Expr], y: &[Expr]) -> Expr {
    let mut parts = Vec::new();
    for (j, row) in curl.iter().enumerate() {
        for (i, c) in row.iter().enumerate() {
            let (a, b) = (graph.mul(x[i], y[j]), graph.mul(x[j], y[i]));
            let area = graph.sub(a, b);
            parts.push(graph.mul(*c, area));
        }
    }
    let sum = graph.sum(parts);
    graph.simplify_within(sum, 4 * DERIVED_NODES, DERIVED_NODES)
}

fn eliminated(graph: &mut Graph, rows: &[Vec<Expr>], n: usize) -> polhode_expr::Elimination {
    let a = Matrix::from_fn(rows.len(), n, |i, j| rows[i][j]);
    let b = Matrix::zeros(graph, rows.len(), 0);
    let price = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let mut zero = ZeroTest::new(graph);
    eliminate(graph, &mut zero, &a, &b, price)
}

/// Vectors that span what all rows annihilate, without denominators.
fn kernel(graph: &mut Graph, rows: &[Vec<Expr>], n: usize) -> Vec<Vec<Expr>> {
    let found = eliminated(graph, rows, n);
    let (zero, one) = (graph.zero(), graph.one());
    let mut out = Vec::new();
    for (k, f) in found.free.iter().enumerate() {
        let mut v = vec![zero; n];
        v[*f] = one;
        for (i, p) in found.pivots.iter().enumerate() {
            v[*p] = found.solution[(i, k)];
        }
        out.push(graph.primitive_vector(&v));
    }
    out
}
