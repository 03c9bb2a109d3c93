//! Constraint distributions: the velocities a system is allowed to have.
//!
//! ```text
//! A(q,t) v + a₀(q,t) = 0,      D = ker A,      k = n − rank A.               (D1)
//! ```
//!
//! The rows are those of the model, in reading order, after the rows that the
//! representation of the configuration space brings along (unit vectors). They are
//! solved once for as many velocities as they determine,
//!
//! ```text
//! v_pivot = Σ_free a v_free + a₀′,                                            (D2)
//! ```
//!
//! which is Voronets' (14), finds the dependent rows, and leaves the choice of
//! independent velocities. The pivots are chosen where they vanish least: numbers first,
//! then combinations of parameters, then functions of the position.
//!
//! Not here: frames (`frame.rs`), brackets of D (the derived flag).

use polhode_expr::{Elimination, Expr, Graph, Matrix, Symbol, ZeroTest, eliminate};
use polhode_model::Configuration;
use rustc_hash::FxHashMap;

/// One row of (D1).
#[derive(Clone, Debug)]
pub struct Row {
    /// The coefficients of the velocities.
    pub a: Vec<Expr>,
    /// What is left at v = 0.
    pub a0: Expr,
}

/// Constraints solved as far as possible.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// All rows: first those of the representation, then those of the model.
    pub rows: Vec<Row>,
    /// How many rows belong to the representation.
    pub representation: usize,
    /// The solution (D2).
    pub elimination: Elimination,
}

/// Splits a residual that is affine in the velocities into a row; `None` if it is not.
pub fn affine_row(graph: &mut Graph, zero: &mut ZeroTest, residual: Expr, velocities: &[Symbol]) -> Option<Row> {
    let at_rest: FxHashMap<Symbol, Expr> = velocities.iter().map(|s| (*s, graph.zero())).collect();
    let mut a = Vec::with_capacity(velocities.len());
    for s in velocities {
        let d = graph.derivative(residual, *s);
        if graph.contains_any(d, velocities) {
            for t in velocities {
                let second = graph.derivative(d, *t);
                if !zero.is_zero(graph, second) {
                    return None;
                }
            }
        }
        a.push(graph.substitute(d, &at_rest));
    }
    let a0 = graph.substitute(residual, &at_rest);
    Some(Row { a, a0 })
}

impl Distribution {
    /// Solves the rows. `parameters` do not vanish and make good pivots; velocities in
    /// `independent` are never solved for.
    pub fn new(
        graph: &mut Graph,
        zero: &mut ZeroTest,
        configuration: &Configuration,
        rows: Vec<Row>,
        parameters: &[Symbol],
        independent: &[Symbol],
    ) -> Distribution {
        let velocities = configuration.velocities();
        let n = velocities.len();
        let mut all: Vec<Row> = configuration
            .representation()
            .iter()
            .map(|sparse| {
                let mut a = vec![graph.zero(); n];
                sparse.iter().for_each(|(i, e)| a[*i] = *e);
                Row { a, a0: graph.zero() }
            })
            .collect();
        let representation = all.len();
        all.extend(rows);
        let a = Matrix::from_fn(all.len(), n, |i, j| all[i].a[j]);
        let b = Matrix::from_fn(all.len(), 1, |i, _| graph.neg(all[i].a0));
        let cost = |g: &Graph, column: usize, entry: Expr| {
            if independent.contains(&velocities[column]) {
                return usize::MAX;
            }
            let size = g.reachable(&[entry]).len();
            match g.free_symbols(&[entry]) {
                s if s.is_empty() => 0,
                s if s.iter().all(|x| parameters.contains(x)) => 100 + size,
                _ => 10_000 + size,
            }
        };
        let elimination = eliminate(graph, zero, &a, &b, cost);
        Distribution { rows: all, representation, elimination }
    }

    /// Rank of the rows at generic points.
    pub fn rank(&self) -> usize {
        self.elimination.rows.len()
    }

    /// Dimension of D.
    pub fn k(&self) -> usize {
        self.elimination.free.len()
    }

    /// The independent rows as a matrix, in the order of the elimination.
    pub fn independent_rows(&self) -> Matrix {
        let n = self.rows.first().map_or(0, |r| r.a.len());
        let rows = &self.elimination.rows;
        Matrix::from_fn(rows.len(), n, |i, j| self.rows[rows[i]].a[j])
    }

    /// Is some constraint affine, or does one depend on time?
    pub fn is_affine(&self, graph: &mut Graph, zero: &mut ZeroTest) -> bool {
        self.rows.iter().any(|r| !zero.is_zero(graph, r.a0))
    }
}
