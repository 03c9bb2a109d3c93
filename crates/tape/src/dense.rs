//! Small dense vectors and linear systems over any [`Scalar`].
//!
//! ```text
//! a·b = Σ aᵢ bᵢ      |a| = √(a·a)      A x = b      min |A x − b|      A x = 0
//! ```
//!
//! Every sum runs from the first component to the last, so that results have the same bits whoever asks.
//!
//! Not here: matrices of expressions (`expr/src/matrix.rs`); rows in a kinetic metric, whose rank has to be decided (`impulse/src/rows.rs`);
//! singular values (`exact/src/steady/algebra.rs`); doubles of the symbolic half, which does not know this crate
//! (`mechanics/src/dense.rs`, `geometry/src/dense.rs`).

use crate::scalar::Scalar;

/// 0.
pub fn zero<S: Scalar>() -> S {
    S::from_f64(0.0)
}

/// 1.
pub fn one<S: Scalar>() -> S {
    S::from_f64(1.0)
}

/// Σ aᵢbᵢ.
#[inline(always)] // its callers know the length
pub fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(zero(), |sum, (x, y)| sum + *x * *y)
}

/// √(Σ aᵢ²).
#[inline]
pub fn norm<S: Scalar>(a: &[S]) -> S {
    dot(a, a).sqrt()
}

/// a ← a + f b.
#[inline(always)] // its callers know the length
pub fn add_scaled<S: Scalar>(a: &mut [S], f: S, b: &[S]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x = *x + f * *y;
    }
}

/// a ← f a.
#[inline]
pub fn scale<S: Scalar>(a: &mut [S], f: S) {
    for x in a {
        *x = f * *x;
    }
}

/// a/|a|.
pub fn normalised<S: Scalar>(a: &[S]) -> Vec<S> {
    let length = norm(a);
    a.iter().map(|x| *x / length).collect()
}

/// Takes from `a` its parts along unit vectors, one after the other.
pub fn remove_along<S: Scalar>(a: &mut [S], units: &[Vec<S>]) {
    for e in units {
        let part = dot(a, e);
        add_scaled(a, -part, e);
    }
}

/// So many zeros, in the memory that the vector had.
#[inline]
pub fn refill<S: Scalar>(vector: &mut Vec<S>, length: usize) {
    vector.clear();
    vector.resize(length, zero());
}

/// Room for the factors of one n × n matrix: elimination with partial pivoting, in place.
#[derive(Clone, Debug)]
pub struct Lu<S> {
    n: usize,
    a: Vec<S>, // row by row
    pivots: Vec<usize>,
}

impl<S: Scalar> Lu<S> {
    /// Room for n rows.
    pub fn new(n: usize) -> Lu<S> {
        Lu { n, a: vec![zero(); n * n], pivots: vec![0; n] }
    }

    /// The matrix, row by row, to be filled in before [`Lu::factor`].
    pub fn matrix(&mut self) -> &mut [S] {
        &mut self.a
    }

    /// Replaces the matrix by its factors; false if a pivot vanishes or is not finite.
    pub fn factor(&mut self) -> bool {
        let n = self.n;
        let size = |x: S| x.to_f64().abs();
        for c in 0..n {
            let p = (c..n).max_by(|p, q| size(self.a[p * n + c]).total_cmp(&size(self.a[q * n + c]))).unwrap_or(c);
            self.pivots[c] = p;
            let pivot = self.a[p * n + c];
            if pivot == zero() || !pivot.is_finite() {
                return false;
            }
            if p != c {
                for j in 0..n {
                    self.a.swap(p * n + j, c * n + j);
                }
            }
            let (above, below) = self.a.split_at_mut((c + 1) * n);
            let top = &above[c * n..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[c] / pivot;
                row[c] = factor;
                if factor != zero() {
                    add_scaled(&mut row[c + 1..], -factor, &top[c + 1..]);
                }
            }
        }
        true
    }

    /// Replaces a right-hand side by the solution.
    pub fn solve(&self, x: &mut [S]) {
        let n = self.n;
        for c in 0..n {
            x.swap(c, self.pivots[c]);
        }
        for i in 0..n {
            x[i] = x[i] - dot(&self.a[i * n..i * n + i], &x[..i]);
        }
        for i in (0..n).rev() {
            let rest = dot(&self.a[i * n + i + 1..(i + 1) * n], &x[i + 1..]);
            x[i] = (x[i] - rest) / self.a[i * n + i];
        }
    }
}

/// A x = b for a symmetric positive A, by elimination; components whose pivot is below `nothing` times the largest entry of the diagonal
/// are zero.
pub fn solve_positive<S: Scalar>(mut a: Vec<Vec<S>>, mut b: Vec<S>, nothing: f64) -> Vec<S> {
    let n = b.len();
    let least = nothing * (0..n).map(|i| a[i][i].to_f64()).fold(0.0, f64::max);
    for k in 0..n {
        if a[k][k].to_f64() <= least {
            continue;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] = a[i][j] - factor * a[k][j];
            }
            b[i] = b[i] - factor * b[k];
        }
    }
    let mut x = vec![zero(); n];
    for k in (0..n).rev().filter(|k| a[*k][*k].to_f64() > least) {
        let known = (k + 1..n).fold(b[k], |sum, j| sum - a[k][j] * x[j]);
        x[k] = known / a[k][k];
    }
    x
}

/// The coefficients of the combination of columns nearest to a vector. Columns that depend on the others, to within `cut` of the largest, get zero.
///
/// By Gram–Schmidt with the longest remaining column first; each is made orthogonal twice, as one pass loses digits where columns nearly agree.
pub fn least_squares<S: Scalar>(columns: &[Vec<S>], wanted: &[S], cut: f64) -> Vec<S> {
    let count = columns.len();
    let mut rest: Vec<Vec<S>> = columns.to_vec();
    let largest = rest.iter().map(|c| dot(c, c).to_f64().sqrt()).fold(0.0, f64::max);
    let (mut basis, mut order): (Vec<Vec<S>>, Vec<usize>) = (Vec::new(), Vec::new());
    // column j of the factor: its components on the basis
    let mut factor = vec![Vec::new(); count];
    let mut open: Vec<usize> = (0..count).collect();
    while let Some((place, _)) = (open.iter().map(|j| dot(&rest[*j], &rest[*j]).to_f64()).enumerate())
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, square)| square.sqrt() > cut * largest && *square > 0.0)
    {
        let j = open.remove(place);
        for (k, b) in basis.iter().enumerate() {
            let again = dot(b, &rest[j]);
            factor[j][k] = factor[j][k] + again;
            add_scaled(&mut rest[j], -again, b);
        }
        let length = norm(&rest[j]);
        let unit: Vec<S> = rest[j].iter().map(|x| *x / length).collect();
        factor[j].push(length);
        for i in &open {
            let part = dot(&unit, &rest[*i]);
            factor[*i].push(part);
            add_scaled(&mut rest[*i], -part, &unit);
        }
        basis.push(unit);
        order.push(j);
    }
    let mut left = wanted.to_vec();
    let components: Vec<S> = (basis.iter())
        .map(|b| {
            let part = dot(b, &left);
            add_scaled(&mut left, -part, b);
            part
        })
        .collect();
    let mut out = vec![zero(); count];
    for k in (0..order.len()).rev() {
        let mut sum = components[k];
        for later in k + 1..order.len() {
            sum = sum - factor[order[later]][k] * out[order[later]];
        }
        out[order[k]] = sum / factor[order[k]][k];
    }
    out
}

/// A basis of the null space from the reduced echelon form: each vector has a one at a column without a pivot. Entries up to `nothing` times
/// the largest (or times 1, if that is more) are no pivots.
pub fn null_space<S: Scalar>(mut rows: Vec<Vec<S>>, columns: usize, nothing: f64) -> Vec<Vec<S>> {
    let size = |x: &S| x.to_f64().abs();
    let least = nothing * rows.iter().flatten().map(size).fold(1.0, f64::max);
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..columns {
        let from = pivots.len();
        let best = (from..rows.len()).max_by(|i, j| size(&rows[*i][column]).total_cmp(&size(&rows[*j][column])));
        let Some(best) = best.filter(|i| size(&rows[*i][column]) > least) else { continue };
        rows.swap(from, best);
        let pivot = rows[from][column];
        rows[from].iter_mut().for_each(|x| *x = *x / pivot);
        let pivot_row = rows[from].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != from) {
            let factor = row[column];
            add_scaled(row, -factor, &pivot_row);
        }
        pivots.push(column);
    }
    let unit = |free: usize| {
        let mut v = vec![zero(); columns];
        v[free] = one();
        pivots.iter().enumerate().for_each(|(i, p)| v[*p] = -rows[i][free]);
        v
    };
    (0..columns).filter(|c| !pivots.contains(c)).map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solves(a in proptest::collection::vec(-1.0f64..1.0, 36), x in proptest::collection::vec(-1.0f64..1.0, 6)) {
            let mut lu = Lu::new(6);
            // zeros in the corner make rows change places
            for (i, a) in a.iter().enumerate() {
                lu.matrix()[i] = if i < 3 { 0.0 } else { *a };
            }
            let m = lu.matrix().to_vec();
            let mut b: Vec<f64> = m.chunks(6).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
            let rhs = b.clone();
            prop_assume!(lu.factor());
            lu.solve(&mut b);
            // a small residual holds whatever the condition
            let size = b.iter().fold(1.0f64, |s, x| s.max(x.abs()));
            for (row, r) in m.chunks(6).zip(&rhs) {
                let found: f64 = row.iter().zip(&b).map(|(a, x)| a * x).sum();
                prop_assert!((found - r).abs() < 1e-12 * size, "{found} for {r}");
            }
        }
    }

    #[test]
    fn singular_matrices_are_refused() {
        let mut lu = Lu::new(2);
        lu.matrix().copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert!(!lu.factor());
        lu.matrix().copy_from_slice(&[1.0, f64::NAN, 2.0, 4.0]);
        assert!(!lu.factor());
    }

    #[test]
    fn dependent_columns_get_nothing() {
        let columns = vec![vec![1.0, 0.0, 1.0], vec![2.0, 0.0, 2.0], vec![0.0, 1.0, 1.0]];
        let x = least_squares(&columns, &[3.0, -1.0, 2.0], 1e-12);
        let sum: Vec<f64> = (0..3).map(|i| (0..3).map(|j| columns[j][i] * x[j]).sum()).collect();
        for (a, b) in sum.iter().zip([3.0, -1.0, 2.0]) {
            assert!((a - b).abs() < 1e-14, "{sum:?}");
        }
        assert!(x[0] == 0.0 || x[1] == 0.0);
    }

    #[test]
    fn null_vectors_lean_on_columns_with_a_pivot() {
        let rows = vec![vec![1.0, 2.0, 3.0], vec![2.0, 4.0, 7.0], vec![1.0, 2.0, 4.0]];
        assert_eq!(null_space(rows, 3, 1e-12), [[-2.0, 1.0, 0.0]]);
    }

    #[test]
    fn what_has_no_pivot_is_zero() {
        let a = vec![vec![2.0, 0.0, 2.0], vec![0.0, 4.0, 0.0], vec![2.0, 0.0, 2.0]];
        assert_eq!(solve_positive(a, vec![2.0, 8.0, 2.0], 1e-12), [1.0, 2.0, 0.0]);
    }
}
