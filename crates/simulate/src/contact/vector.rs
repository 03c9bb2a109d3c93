//! Vectors, and operators of tangent planes, in doubles.

/// A vector.
pub(super) type V = [f64; 3];
/// A 3×3 matrix, row by row.
pub(super) type M = [[f64; 3]; 3];
/// A 2×2 matrix, row by row.
pub(super) type M2 = [[f64; 2]; 2];

pub(super) fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(super) fn cross(a: &V, b: &V) -> V {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

/// a + s b.
pub(super) fn add_scaled<const N: usize>(a: &[f64; N], s: f64, b: &[f64; N]) -> [f64; N] {
    std::array::from_fn(|i| a[i] + s * b[i])
}

pub(super) fn norm(a: &V) -> f64 {
    dot(a, a).sqrt()
}

pub(super) fn mat_vec<const N: usize>(m: &[[f64; N]; N], v: &[f64; N]) -> [f64; N] {
    m.map(|row| dot(&row, v))
}

pub(super) fn transpose<const N: usize>(m: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

pub(super) fn mat_mul<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N]) -> [[f64; N]; N] {
    let columns = transpose(b);
    a.map(|row| columns.map(|column| dot(&row, &column)))
}

/// a + b.
pub(super) fn mat_add<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| add_scaled(&a[i], 1.0, &b[i]))
}

/// q m qᵀ.
pub(super) fn conjugate(q: &M, m: &M) -> M {
    mat_mul(&mat_mul(q, m), &transpose(q))
}

/// The smallest determinant that is more than rounding, relative to the square of the entries.
const SINGULAR: f64 = 1e-14;

/// m⁻¹ x, not a number where m is singular.
pub(super) fn solve2(m: &M2, x: &[f64; 2]) -> [f64; 2] {
    let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    let size: f64 = m.as_flattened().iter().map(|e| e * e).sum();
    if det.abs() <= SINGULAR * size {
        return [f64::NAN; 2];
    }
    [(m[1][1] * x[0] - m[0][1] * x[1]) / det, (m[0][0] * x[1] - m[1][0] * x[0]) / det]
}

/// The components of a vector on a frame.
pub(super) fn components(frame: &[V; 2], v: &V) -> [f64; 2] {
    frame.map(|e| dot(&e, v))
}

/// The operator of a tangent plane in a frame.
pub(super) fn in_frame(frame: &[V; 2], operator: &M) -> M2 {
    std::array::from_fn(|i| std::array::from_fn(|j| dot(&frame[i], &mat_vec(operator, &frame[j]))))
}
