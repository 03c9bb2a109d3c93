//! The tangential part of the slip at a wall.
//!
//! The slip s that a model writes may contain the velocity along the normal, ġ = n·s: in terms of rows g = nᵀS, which n solves in the mean. If it
//! does, unit vectors across n give the rows along the wall; if g is no combination of the rows of S, the slip is along the wall already.
//! Components that say nothing, as the third of a slip in the plane, are left out.

use polhode_tape::Scalar;
use polhode_tape::dense::{dot, normalised, remove_along, solve_positive};

/// Rows below this part of the largest say nothing, and what is left of g beside this is rounding.
const NOTHING: f64 = 1e-10;

/// A normal row and those along the wall.
pub(super) struct Tangents<S> {
    pub(super) rows: Vec<S>,
    pub(super) offsets: Vec<S>,
    /// The directions of the tangential rows, in components of the slip.
    pub(super) directions: Vec<Vec<S>>,
}

impl<S: Scalar> Tangents<S> {
    /// Of the rows of a wall in dimension n: the gap's, then the slip's.
    pub(super) fn of(n: usize, rows: &[S], offsets: &[S]) -> Tangents<S> {
        let slip = rows.len() / n - 1;
        let row = |i: usize| &rows[i * n..(i + 1) * n];
        let size = |i: usize| dot(row(i), row(i)).to_f64().sqrt();
        let largest = (1..=slip).map(size).fold(0.0, f64::max);
        let kept: Vec<usize> = (1..=slip).filter(|i| size(*i) > NOTHING * largest).collect();
        let gram: Vec<Vec<S>> = kept.iter().map(|i| kept.iter().map(|j| dot(row(*i), row(*j))).collect()).collect();
        let onto: Vec<S> = kept.iter().map(|i| dot(row(*i), row(0))).collect();
        let normal = solve_positive(gram, onto, NOTHING);
        let left: Vec<S> =
            (0..n).map(|a| normal.iter().zip(&kept).fold(row(0)[a], |left, (x, i)| left - *x * row(*i)[a])).collect();
        let contains_normal = dot(&left, &left).to_f64().sqrt() <= NOTHING * size(0);
        let zero = S::default();
        let directions: Vec<Vec<S>> = match contains_normal {
            true => across(&normal),
            false => (0..kept.len()).map(|i| unit(kept.len(), i)).collect(),
        };
        // in all components again
        let directions: Vec<Vec<S>> = (directions.iter())
            .map(|d| (1..=slip).map(|i| kept.iter().position(|k| *k == i).map_or(zero, |p| d[p])).collect())
            .collect();
        let mut out = Tangents { rows: row(0).to_vec(), offsets: vec![offsets[0]], directions };
        for d in &out.directions {
            let along = |of: &dyn Fn(usize) -> S| (0..slip).fold(zero, |sum, i| sum + d[i] * of(i));
            out.rows.extend((0..n).map(|a| along(&|i| row(i + 1)[a])).collect::<Vec<S>>());
            out.offsets.push(along(&|i| offsets[i + 1]));
        }
        out
    }
}

fn unit<S: Scalar>(n: usize, i: usize) -> Vec<S> {
    (0..n).map(|j| S::from_f64(if i == j { 1.0 } else { 0.0 })).collect()
}

/// Unit vectors across a vector and each other, one fewer than it has components: axes made orthogonal to it, the most distant first.
fn across<S: Scalar>(n: &[S]) -> Vec<Vec<S>> {
    let count = n.len();
    let mut axes: Vec<usize> = (0..count).collect();
    axes.sort_by(|i, j| n[*i].to_f64().abs().total_cmp(&n[*j].to_f64().abs()));
    let mut basis: Vec<Vec<S>> = vec![normalised(n)];
    for i in axes.into_iter().take(count - 1) {
        let mut d: Vec<S> = unit(count, i);
        // twice, against rounding
        for _ in 0..2 {
            remove_along(&mut d, &basis);
        }
        basis.push(normalised(&d));
    }
    basis.split_off(1)
}
