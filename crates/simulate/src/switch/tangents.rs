//! The tangential part of the slip at a wall.
//!
//! The slip s of three components contains the velocity along the normal, ġ = n·s. In terms of rows: g = nᵀS, which n solves; two unit
//! vectors across n then give the rows along the wall. A slip of one or two components is along the wall already.

use polhode_tape::Scalar;

/// A normal row and one or two along the wall.
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
        let (zero, one) = (S::default(), S::from_f64(1.0));
        let unit = |i: usize| (0..slip).map(|j| if i == j { one } else { zero }).collect::<Vec<S>>();
        let directions: Vec<Vec<S>> = match slip {
            3 => across(&normal(n, rows)).into_iter().map(Vec::from).collect(),
            _ => (0..slip).map(unit).collect(),
        };
        let mut out = Tangents { rows: rows[..n].to_vec(), offsets: vec![offsets[0]], directions };
        for d in &out.directions {
            let along = |of: &dyn Fn(usize) -> S| (0..slip).fold(zero, |sum, i| sum + d[i] * of(i));
            out.rows.extend((0..n).map(|a| along(&|i| rows[(i + 1) * n + a])).collect::<Vec<S>>());
            out.offsets.push(along(&|i| offsets[i + 1]));
        }
        out
    }
}

/// n with nᵀS = g, by the normal equations S Sᵀ n = S g; of unit length.
fn normal<S: Scalar>(n: usize, rows: &[S]) -> [S; 3] {
    let dot = |i: usize, j: usize| (0..n).fold(S::default(), |sum, a| sum + rows[i * n + a] * rows[j * n + a]);
    let m: [[S; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| dot(i + 1, j + 1)));
    let g: [S; 3] = std::array::from_fn(|i| dot(i + 1, 0));
    let cross =
        |a: [S; 3], b: [S; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let inner = |a: [S; 3], b: [S; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    // Cramer's rule, up to the determinant, which a unit vector does not need
    let minors = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let solution: [S; 3] = std::array::from_fn(|i| (0..3).fold(S::default(), |sum, j| sum + minors[j][i] * g[j]));
    let length = inner(solution, solution).sqrt();
    solution.map(|x| x / length)
}

/// Two unit vectors across a unit vector and each other.
fn across<S: Scalar>(n: &[S; 3]) -> [[S; 3]; 2] {
    let axis = (0..3).min_by(|i, j| n[*i].to_f64().abs().total_cmp(&n[*j].to_f64().abs())).unwrap_or(0);
    let mut a: [S; 3] =
        std::array::from_fn(|i| if i == axis { S::from_f64(1.0) - n[axis] * n[i] } else { -(n[axis] * n[i]) });
    let length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    a = a.map(|x| x / length);
    [a, [n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0]]]
}
