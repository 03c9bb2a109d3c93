//! Linear algebra over functions on M: kernels on the graph, ranks at random points.

use polhode_expr::equal::FieldPoint;
use polhode_expr::field::{Residue, independent_rows};
use polhode_expr::{Expr, Graph, Matrix, eliminate};
use polhode_mechanics::system::System;

/// Points tried for a rank: one is enough unless a denominator vanishes there.
const POINTS: u64 = 8;

/// Where the points come from.
const SEED: u64 = 0x0068_616d_696c_746f;

/// Numbers are the best pivots, then short expressions.
pub(super) fn price(graph: &Graph, _: usize, e: Expr) -> usize {
    if graph.as_number(e).is_some() { 0 } else { graph.reachable(&[e]).len() }
}

/// Σ x_i y_i.
pub(super) fn dot(graph: &mut Graph, x: &[Expr], y: &[Expr]) -> Expr {
    let parts: Vec<Expr> = x.iter().zip(y).map(|(x, y)| graph.mul(*x, *y)).collect();
    graph.sum(parts)
}

/// Σ c_i v_i, for vectors of one length; `length` is needed when there are none.
pub(super) fn combination(graph: &mut Graph, coefficients: &[Expr], vectors: &[Vec<Expr>], length: usize) -> Vec<Expr> {
    (0..length)
        .map(|j| {
            let parts: Vec<Expr> = coefficients.iter().zip(vectors).map(|(c, v)| graph.mul(*c, v[j])).collect();
            graph.sum(parts)
        })
        .collect()
}

/// A basis of { x : A x = 0 }, one unknown equal to 1 in each vector, and the columns of these unknowns.
pub(super) fn kernel(system: &mut System, a: &Matrix) -> (Vec<Vec<Expr>>, Vec<usize>) {
    let none = Matrix::zeros(&system.graph, a.rows(), 0);
    let solved = eliminate(&mut system.graph, &mut system.zero, a, &none, price);
    let vectors = (0..solved.free.len()).map(|f| {
        let mut x = vec![system.graph.zero(); a.cols()];
        x[solved.free[f]] = system.graph.one();
        for (i, p) in solved.pivots.iter().enumerate() {
            x[*p] = solved.solution[(i, f)];
        }
        x
    });
    (vectors.collect(), solved.free.clone())
}

/// x with A x = b when the columns of A are independent and there is a solution.
pub(super) fn solution(system: &mut System, a: &Matrix, b: &[Expr]) -> Option<Vec<Expr>> {
    let rhs = Matrix::from_fn(a.rows(), 1, |i, _| b[i]);
    let solved = eliminate(&mut system.graph, &mut system.zero, a, &rhs, price);
    let contradicted = solved.remainders.iter().any(|r| !system.is_zero(r[0]));
    if !solved.free.is_empty() || contradicted {
        return None;
    }
    let mut x = vec![system.graph.zero(); a.cols()];
    for (i, p) in solved.pivots.iter().enumerate() {
        x[*p] = solved.solution[(i, 0)];
    }
    Some(x)
}

/// The vectors that do not depend on the ones before them, at a random point of a prime field; `None` when an entry
/// has no value there (a root, a function known by name).
pub(super) fn independent(system: &mut System, vectors: &[Vec<Expr>]) -> Option<Vec<usize>> {
    for i in 0..POINTS {
        let mut point = FieldPoint::new(&system.graph, SEED + i);
        let mut rooted = FieldPoint::with_roots(&system.graph, SEED + i);
        for p in [&mut point, &mut rooted] {
            let values: Result<Vec<Vec<Residue>>, _> =
                vectors.iter().map(|v| v.iter().map(|e| p.value(&mut system.graph, *e)).collect()).collect();
            if let Ok(values) = values {
                return Some(independent_rows(values));
            }
        }
    }
    None
}

/// The rank of some vectors at a random point; `None` as in [`independent`].
pub(super) fn rank(system: &mut System, vectors: &[Vec<Expr>]) -> Option<usize> {
    independent(system, vectors).map(|rows| rows.len())
}

/// The Pfaffian of the rows and columns `of` of a skew matrix, by expansion along the first.
pub(super) fn pfaffian(graph: &mut Graph, a: &Matrix, of: &[usize]) -> Expr {
    let Some((first, rest)) = of.split_first() else { return graph.one() };
    let mut parts = Vec::new();
    for (j, other) in rest.iter().enumerate() {
        if graph.is_zero(a[(*first, *other)]) {
            continue;
        }
        let left: Vec<usize> = rest.iter().copied().filter(|x| x != other).collect();
        let minor = pfaffian(graph, a, &left);
        let term = graph.mul(a[(*first, *other)], minor);
        parts.push(if j % 2 == 0 { term } else { graph.neg(term) });
    }
    graph.sum(parts)
}

/// All choices of `size` among 0 … n − 1, in order.
pub(super) fn choices(n: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for last in size - 1..n {
        for mut head in choices(last, size - 1) {
            head.push(last);
            out.push(head);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pfaffian_squares_to_the_determinant() {
        let mut g = Graph::new();
        let names = [["a", "b", "c"], ["", "d", "e"], ["", "", "f"]];
        let mut a = Matrix::zeros(&g, 4, 4);
        for i in 0..4 {
            for j in i + 1..4 {
                a[(i, j)] = g.named(names[i][j - 1]);
                a[(j, i)] = g.neg(a[(i, j)]);
            }
        }
        let p = pfaffian(&mut g, &a, &[0, 1, 2, 3]);
        let square = g.powi(p, 2);
        let det = polhode_expr::determinant(&mut g, &a);
        assert!(g.equal(square, det).is_equal());
        assert_eq!(choices(4, 2).len(), 6);
        assert_eq!(choices(3, 0), [Vec::<usize>::new()]);
        assert!(choices(1, 2).is_empty());
    }
}
