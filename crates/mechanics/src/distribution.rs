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
//! independent velocities. A choice is best when the determinant of the solved block does
//! not depend on the position, for then it fails nowhere; it is looked for at random points
//! of F_p. Otherwise pivots are taken where they vanish least: numbers first, then
//! combinations of parameters, then functions of the position.
//!
//! Not here: frames (`frame.rs`), brackets of D (the derived flag).

use crate::budget::GLOBAL_CHOICES;
use polhode_base::random::Random;
use polhode_expr::equal::FieldPoint;
use polhode_expr::field::{Residue, determinant, independent_rows};
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
    /// The same rows without factors that all their coefficients share and that may vanish.
    pub reduced: Vec<Row>,
    /// How many rows belong to the representation.
    pub representation: usize,
    /// The solution (D2).
    pub elimination: Elimination,
    /// Rows that follow from the others where the holonomic constraints hold.
    pub left_out: Vec<usize>,
    /// The velocities wanted as independent are not, or not all: the solution is in others.
    pub choice_refused: bool,
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

/// A row divided by the factor its coefficients have in common, and that factor, when it depends on the
/// position: sin φ (x' − r ω₂) = 0 says x' = r ω₂ also where sin φ vanishes.
pub fn common_factor(graph: &mut Graph, row: &Row, parameters: &[Symbol]) -> Option<(Row, Expr)> {
    // A row with a plain number in it has no factor in common; dividing would only clear denominators.
    if row.a.iter().any(|e| graph.as_number(*e).is_some_and(|r| !r.is_zero())) {
        return None;
    }
    let mut entries = row.a.clone();
    entries.push(row.a0);
    let primitive = graph.primitive_vector(&entries);
    let j = (0..entries.len()).find(|j| !graph.is_zero(primitive[*j]))?;
    let factor = graph.div(entries[j], primitive[j]);
    let factor = graph.simplify_small(factor);
    if graph.free_symbols(&[factor]).iter().all(|s| parameters.contains(s)) {
        return None;
    }
    let (a, a0) = (primitive[..row.a.len()].to_vec(), primitive[row.a.len()]);
    Some((Row { a, a0 }, factor))
}

/// A row without the factor that its coefficients have in common.
fn without_common_factor(graph: &mut Graph, row: &Row, parameters: &[Symbol]) -> Row {
    common_factor(graph, row, parameters).map_or_else(|| row.clone(), |(row, _)| row)
}

/// Points at which the determinants are compared.
const POINTS: u64 = 3;

/// Columns to solve for such that the determinant of the block is the same at several random
/// positions, and not zero: a choice of independent velocities that fails nowhere. `None` when
/// there is none, or when the entries have no values in F_p.
pub fn global_choice(graph: &mut Graph, a: &Matrix, parameters: &[Symbol]) -> Option<Vec<usize>> {
    let samples = samples(graph, a, parameters)?;
    let rows = independent_rows(samples[0].clone());
    let blocks: Vec<Vec<Vec<Residue>>> = samples.iter().map(|s| rows.iter().map(|i| s[*i].clone()).collect()).collect();
    let mut columns: Vec<usize> = (0..rows.len()).collect();
    for _ in 0..GLOBAL_CHOICES {
        let determinant = |block: &[Vec<Residue>]| {
            determinant(block.iter().map(|row| columns.iter().map(|j| row[*j]).collect()).collect())
        };
        let first = determinant(&blocks[0]);
        if !first.is_zero() && blocks[1..].iter().all(|b| determinant(b) == first) {
            return Some(columns);
        }
        if !next_combination(&mut columns, a.cols()) {
            return None;
        }
    }
    None
}

/// The matrix at several random positions over F_p, with the same parameters.
fn samples(graph: &mut Graph, a: &Matrix, parameters: &[Symbol]) -> Option<Vec<Vec<Vec<Residue>>>> {
    let mut fixed = Random::new(17);
    let values: Vec<Residue> = parameters.iter().map(|_| Residue::random_unit(&mut fixed)).collect();
    let mut samples: Vec<Vec<Vec<Residue>>> = Vec::new();
    for seed in 0..POINTS {
        let mut point = FieldPoint::new(graph, 100 + seed);
        parameters.iter().zip(&values).for_each(|(s, v)| point.set(*s, *v));
        let rows = (0..a.rows()).map(|i| a.row(i).iter().map(|e| point.value(graph, *e).ok()).collect());
        samples.push(rows.collect::<Option<_>>()?);
    }
    Some(samples)
}

/// The next set of `columns.len()` numbers below `n`, in lexicographic order.
fn next_combination(columns: &mut [usize], n: usize) -> bool {
    let m = columns.len();
    for i in (0..m).rev() {
        if columns[i] + m - i < n {
            columns[i] += 1;
            for j in i + 1..m {
                columns[j] = columns[j - 1] + 1;
            }
            return true;
        }
    }
    false
}

/// The coefficients of the rows in use; the others are zero.
fn coefficients(graph: &Graph, rows: &[Row], used: &[bool], n: usize) -> Matrix {
    Matrix::from_fn(rows.len(), n, |i, j| if used[i] { rows[i].a[j] } else { graph.zero() })
}

/// Solves the rows in use for allowed velocities, with numbers as pivots before parameters before
/// functions of the position.
fn solve_rows(
    graph: &mut Graph,
    zero: &mut ZeroTest,
    rows: &[Row],
    used: &[bool],
    n: usize,
    parameters: &[Symbol],
    allowed: &dyn Fn(usize) -> bool,
) -> Elimination {
    let a = coefficients(graph, rows, used, n);
    let b = Matrix::from_fn(rows.len(), 1, |i, _| if used[i] { graph.neg(rows[i].a0) } else { graph.zero() });
    let price = |g: &Graph, entry: Expr| {
        let size = g.reachable(&[entry]).len();
        match g.free_symbols(&[entry]) {
            s if s.is_empty() => 0,
            s if s.iter().all(|x| parameters.contains(x)) => 100 + size,
            _ => 10_000 + size,
        }
    };
    let cost = |g: &Graph, j: usize, e: Expr| if allowed(j) { price(g, e) } else { usize::MAX };
    eliminate(graph, zero, &a, &b, cost)
}

impl Distribution {
    /// Solves the rows. `parameters` do not vanish and make good pivots; velocities in
    /// `independent` are never solved for. The rows in `left_out` (counted with those of the
    /// representation) follow from the others in a way that generic points do not show.
    pub fn new(
        graph: &mut Graph,
        zero: &mut ZeroTest,
        configuration: &Configuration,
        rows: Vec<Row>,
        parameters: &[Symbol],
        independent: &[Symbol],
        left_out: &[usize],
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
        let reduced: Vec<Row> = all.iter().map(|row| without_common_factor(graph, row, parameters)).collect();
        let used: Vec<bool> = (0..all.len()).map(|i| !left_out.contains(&i)).collect();
        let global = global_choice(graph, &coefficients(graph, &reduced, &used, n), parameters);
        let mut solve = |graph: &mut Graph, allowed: &dyn Fn(usize) -> bool| {
            solve_rows(graph, zero, &reduced, &used, n, parameters, allowed)
        };
        let elimination = match global {
            Some(pivots) => solve(graph, &|j| pivots.contains(&j)),
            None => solve(graph, &|_| true),
        };
        let wanted = (!independent.is_empty()).then(|| solve(graph, &|j| !independent.contains(&velocities[j])));
        let left_out = left_out.to_vec();
        let mut out = Distribution { rows: all, reduced, representation, elimination, left_out, choice_refused: false };
        if let Some(wanted) = wanted {
            out.choice_refused = wanted.rows.len() < out.rank() || wanted.free.len() != independent.len();
            if !out.choice_refused {
                out.elimination = wanted;
            }
        }
        out
    }

    /// The same independent rows solved for other velocities, given by their indices; `None` when the
    /// rows do not determine these.
    pub fn solved_for(
        &self,
        graph: &mut Graph,
        zero: &mut ZeroTest,
        parameters: &[Symbol],
        dependent: &[usize],
    ) -> Option<Distribution> {
        let n = self.rows.first().map_or(0, |r| r.a.len());
        let used: Vec<bool> = (0..self.rows.len()).map(|i| self.elimination.rows.contains(&i)).collect();
        let allowed = |j: usize| dependent.contains(&j);
        let elimination = solve_rows(graph, zero, &self.reduced, &used, n, parameters, &allowed);
        (elimination.rows.len() == self.rank()).then(|| Distribution { elimination, ..self.clone() })
    }

    /// Whether the block of the rows that was solved has the same determinant everywhere, so that the solution fails nowhere.
    pub fn solved_everywhere(&self, graph: &mut Graph, parameters: &[Symbol]) -> bool {
        let d = &self.elimination;
        let block = Matrix::from_fn(d.rows.len(), d.pivots.len(), |i, j| self.reduced[d.rows[i]].a[d.pivots[j]]);
        let Some(samples) = samples(graph, &block, parameters) else { return false };
        let determinants: Vec<Residue> = samples.into_iter().map(determinant).collect();
        !determinants[0].is_zero() && determinants.iter().all(|d| *d == determinants[0])
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

    /// [`Distribution::independent_rows`] without common factors: a frame made of these is good where
    /// the row as written happens to vanish.
    pub fn reduced_rows(&self) -> (Matrix, Vec<Expr>) {
        let n = self.reduced.first().map_or(0, |r| r.a.len());
        let rows = &self.elimination.rows;
        let matrix = Matrix::from_fn(rows.len(), n, |i, j| self.reduced[rows[i]].a[j]);
        (matrix, rows.iter().map(|i| self.reduced[*i].a0).collect())
    }

    /// Is some constraint affine, or does one depend on time?
    pub fn is_affine(&self, graph: &mut Graph, zero: &mut ZeroTest) -> bool {
        self.rows.iter().any(|r| !zero.is_zero(graph, r.a0))
    }
}
