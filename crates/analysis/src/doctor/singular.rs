//! Where the rank of the constraints falls: the zeros of all their minors of generic size.
//!
//! ```text
//! S = { q : every r × r minor of A(q, t) vanishes },      r = generic rank.                 (1)
//! ```
//!
//! Steps of elimination with a pivot that vanishes nowhere leave the ideal of the minors as it is, so A is first made smaller by
//! its pivots that are numbers or parameters; most systems end there, with S empty. The minors that remain are
//! split up in `variety.rs`. A is taken as the text has it: a row with a factor in common makes a part of S that division by
//! the factor removes, and poles of the text (tan) are listed apart.

use super::budget::{MINOR_TERMS, MINORS};
use super::variety::{Domain, Variety};
use polhode_expr::{AngleBasis, Expr, Graph, Matrix, Ring, ZeroTest, determinant};
use polhode_mechanics::distribution::Row;
use polhode_poly::Poly;

/// One part of the singular set.
#[derive(Clone, Debug)]
pub struct Component {
    /// It is where all of these vanish.
    pub equations: Vec<Expr>,
    /// The rank of the rows there.
    pub rank: usize,
    /// Dividing constraints by common factors removes it.
    pub removable: bool,
}

/// The singular set (1), and the poles of the text.
#[derive(Clone, Debug, Default)]
pub struct SingularSet {
    /// Its parts; `None` when the equations are too large to be solved.
    pub components: Option<Vec<Component>>,
    /// Where coefficients as written have poles: each of these vanishing.
    pub poles: Vec<Expr>,
}

/// A matrix after elimination with pivots that vanish nowhere.
struct Smaller {
    matrix: Vec<Vec<Expr>>,
    pivots: usize,
}

/// Does the expression vanish nowhere, because it is made of numbers and parameters?
fn is_unit(graph: &Graph, e: Expr, domain: &Domain) -> bool {
    !graph.is_zero(e) && graph.evaluate_f64(e, &domain.values).is_ok_and(|x| x != 0.0)
}

fn eliminate_units(graph: &mut Graph, zero: &mut ZeroTest, rows: &[Vec<Expr>], domain: &Domain) -> Smaller {
    let mut matrix: Vec<Vec<Expr>> = rows.to_vec();
    let mut pivots = 0;
    loop {
        let places = (0..matrix.len()).flat_map(|i| (0..matrix[i].len()).map(move |j| (i, j)));
        let units = places.filter(|(i, j)| is_unit(graph, matrix[*i][*j], domain));
        // plain numbers before parameters
        let Some((i, j)) = units.min_by_key(|(i, j)| graph.reachable(&[matrix[*i][*j]]).len()) else { break };
        let pivot = matrix.remove(i);
        for row in &mut matrix {
            if graph.is_zero(row[j]) {
                continue;
            }
            let factor = graph.div(row[j], pivot[j]);
            for c in 0..row.len() {
                if c != j && !graph.is_zero(pivot[c]) {
                    let step = graph.mul(factor, pivot[c]);
                    let difference = graph.sub(row[c], step);
                    row[c] =
                        if zero.is_zero(graph, difference) { graph.zero() } else { graph.simplify_small(difference) };
                }
            }
        }
        matrix.iter_mut().for_each(|row| {
            row.remove(j);
        });
        pivots += 1;
    }
    Smaller { matrix, pivots }
}

/// All minors of a size, as expressions; `None` when there are too many.
fn minors(graph: &mut Graph, zero: &mut ZeroTest, matrix: &[Vec<Expr>], size: usize) -> Option<Vec<Expr>> {
    let columns = matrix.first().map_or(0, Vec::len);
    let choices = |n: usize| combinations(n, size);
    let (rows, cols) = (choices(matrix.len())?, choices(columns)?);
    if rows.len() * cols.len() > MINORS {
        return None;
    }
    let mut out = Vec::new();
    for r in &rows {
        for c in &cols {
            let block = Matrix::from_fn(size, size, |i, j| matrix[r[i]][c[j]]);
            let d = determinant(graph, &block);
            if !zero.is_zero(graph, d) && !out.contains(&d) {
                out.push(d);
            }
        }
    }
    Some(out)
}

/// All sets of `k` numbers below `n`; `None` when there are too many.
pub(super) fn combinations(n: usize, k: usize) -> Option<Vec<Vec<usize>>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..k {
        let mut next = Vec::new();
        for c in &out {
            let first = c.last().map_or(0, |l| l + 1);
            for j in first..n {
                next.push(c.iter().copied().chain([j]).collect());
            }
        }
        if next.len() > 50 * MINORS {
            return None;
        }
        out = next;
    }
    Some(out)
}

/// The singular set of rows whose generic rank is `rank`. `reduced` are the rows without common factors.
pub(crate) fn singular_set(
    graph: &mut Graph,
    zero: &mut ZeroTest,
    rows: &[Row],
    reduced: &[Row],
    rank: usize,
    domain: &Domain,
) -> SingularSet {
    let entries = |rows: &[Row]| rows.iter().map(|r| r.a.clone()).collect::<Vec<_>>();
    let (rows, reduced) = (entries(rows), entries(reduced));
    let poles = poles(graph, &rows, domain).unwrap_or_default();
    SingularSet { components: components(graph, zero, &rows, &reduced, rank, domain), poles }
}

fn components(
    graph: &mut Graph,
    zero: &mut ZeroTest,
    rows: &[Vec<Expr>],
    reduced: &[Vec<Expr>],
    rank: usize,
    domain: &Domain,
) -> Option<Vec<Component>> {
    let smaller = eliminate_units(graph, zero, rows, domain);
    let size = rank.saturating_sub(smaller.pivots);
    if size == 0 {
        return Some(Vec::new());
    }
    // the minors of every size up to that of the rank: the smaller ones tell the rank on a part
    let mut by_size: Vec<Vec<Expr>> = vec![Vec::new()];
    for k in 1..=size {
        by_size.push(minors(graph, zero, &smaller.matrix, k)?);
    }
    let other = eliminate_units(graph, zero, reduced, domain);
    let other_size = rank.saturating_sub(other.pivots);
    let cured = if other_size == 0 { vec![graph.one()] } else { minors(graph, zero, &other.matrix, other_size)? };
    let roots: Vec<Expr> = by_size.iter().flatten().chain(&cured).copied().collect();
    let mut ring = Ring::new(graph, &roots, AngleBasis::Symbols, MINOR_TERMS).ok()?;
    let mut numerators = |graph: &mut Graph, e: &[Expr]| -> Option<Vec<Poly>> {
        Some(ring.fractions(graph, e).ok()?.iter().map(|f| f.numerator().clone()).collect())
    };
    let polys: Vec<Vec<Poly>> = by_size.iter().map(|m| numerators(graph, m)).collect::<Option<_>>()?;
    let cured = numerators(graph, &cured)?;
    let variety = Variety::new(graph, &ring, domain);
    let mut out = Vec::new();
    for equations in variety.components(&polys[size])? {
        let ideal = variety.ideal(&equations)?;
        let survives = |p: &Poly| ideal.contains(p) != Ok(true);
        let left = (1..size).rev().find(|k| polys[*k].iter().any(survives)).unwrap_or(0);
        let with_cured: Vec<Poly> = equations.iter().chain(&cured).cloned().collect();
        let removable = variety.components(&with_cured).is_some_and(|c| c.is_empty());
        let equations = equations.iter().map(|p| ring.expand_to_expr(graph, p)).collect();
        out.push(Component { equations, rank: smaller.pivots + left, removable });
    }
    Some(out)
}

/// The factors of denominators of the coefficients that may vanish.
fn poles(graph: &mut Graph, rows: &[Vec<Expr>], domain: &Domain) -> Option<Vec<Expr>> {
    let roots: Vec<Expr> = rows.iter().flatten().copied().collect();
    let mut ring = Ring::new(graph, &roots, AngleBasis::Symbols, MINOR_TERMS).ok()?;
    let fractions = ring.fractions(graph, &roots).ok()?;
    let variety = Variety::new(graph, &ring, domain);
    let mut found: Vec<Poly> = Vec::new();
    for f in &fractions {
        for d in f.denominator_factors() {
            if !found.contains(d) && !variety.never_zero(d) {
                found.push(d.clone());
            }
        }
    }
    Some(found.iter().map(|p| ring.expand_to_expr(graph, p)).collect())
}
