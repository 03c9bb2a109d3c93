//! Vectors and small matrices in doubles, for initial states, checks, and contacts along a motion.

/// A vector in doubles.
pub type V = [f64; 3];
/// A 3×3 matrix in doubles, row by row.
pub type M = [[f64; 3]; 3];

/// a·b.
pub fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// |a|.
pub fn norm(a: &V) -> f64 {
    dot(a, a).sqrt()
}

/// a + s b.
pub fn add_scaled<const N: usize>(a: &[f64; N], s: f64, b: &[f64; N]) -> [f64; N] {
    std::array::from_fn(|i| a[i] + s * b[i])
}

pub(crate) fn scaled(s: f64, a: &V) -> V {
    a.map(|x| s * x)
}

/// a × b.
pub fn cross(a: &V, b: &V) -> V {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

/// m v.
pub fn mat_vec<const N: usize>(m: &[[f64; N]; N], v: &[f64; N]) -> [f64; N] {
    m.map(|row| dot(&row, v))
}

/// mᵀ.
pub fn transpose<const N: usize>(m: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

/// a b.
pub fn mat_mul<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N]) -> [[f64; N]; N] {
    let columns = transpose(b);
    a.map(|row| columns.map(|column| dot(&row, &column)))
}

/// a + b.
pub fn mat_add<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| add_scaled(&a[i], 1.0, &b[i]))
}

/// q m qᵀ.
pub fn conjugate(q: &M, m: &M) -> M {
    mat_mul(&mat_mul(q, m), &transpose(q))
}

/// A unit vector across the unit vector n, and the third that makes the triad right-handed (t, b, n).
pub(crate) fn tangent_basis(n: &V) -> [V; 2] {
    // Start from the axis that lies least along n.
    let least = (0..3).min_by(|i, j| n[*i].abs().total_cmp(&n[*j].abs())).unwrap_or(0);
    let axis: V = std::array::from_fn(|i| f64::from(u8::from(i == least)));
    let across = add_scaled(&axis, -dot(&axis, n), n);
    let t = scaled(1.0 / norm(&across), &across);
    [t, cross(n, &t)]
}

/// Eigenvalues k₁ ≥ k₂ of the symmetric (a, b; b, d), and the cosine and sine of the angle of the first eigenvector.
///
/// One Jacobi rotation; the difference of the eigenvalues is hypot(a − d, 2b), without cancellation.
pub(crate) fn eigen2(a: f64, b: f64, d: f64) -> ([f64; 2], [f64; 2]) {
    let (mean, radius) = (0.5 * (a + d), 0.5 * (a - d).hypot(2.0 * b));
    let phi = if radius == 0.0 { 0.0 } else { 0.5 * (2.0 * b).atan2(a - d) };
    ([mean + radius, mean - radius], [phi.cos(), phi.sin()])
}

/// Eigenvalues of a symmetric 3×3 matrix, smallest first, by Jacobi's rotations.
pub(crate) fn eigenvalues3(m: &M) -> V {
    let mut a = *m;
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let ratio = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            for k in 0..3 {
                let (x, y) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
            }
            for k in 0..3 {
                let (x, y) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
            }
        }
    }
    let mut values = [a[0][0], a[1][1], a[2][2]];
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_base::random::Random;

    #[test]
    fn eigenvalues_solve_the_characteristic_equation() {
        let mut random = Random::new(3);
        for _ in 0..50 {
            let e: Vec<f64> = (0..6).map(|_| random.short(-2.0, 2.0)).collect();
            let m = [[e[0], e[1], e[2]], [e[1], e[3], e[4]], [e[2], e[4], e[5]]];
            let k = eigenvalues3(&m);
            let minors = e[0] * e[3] - e[1] * e[1] + e[0] * e[5] - e[2] * e[2] + e[3] * e[5] - e[4] * e[4];
            let det = dot(&m[0], &cross(&m[1], &m[2]));
            assert!((k[0] + k[1] + k[2] - e[0] - e[3] - e[5]).abs() < 1e-13);
            assert!((k[0] * k[1] + k[0] * k[2] + k[1] * k[2] - minors).abs() < 1e-12);
            assert!((k[0] * k[1] * k[2] - det).abs() < 1e-12);
            assert!(k[0] <= k[1] && k[1] <= k[2]);
            let ([k1, k2], [c, s]) = eigen2(e[0], e[1], e[3]);
            assert!((e[0] * c + e[1] * s - k1 * c).abs() < 1e-14 && (e[1] * c + e[3] * s - k1 * s).abs() < 1e-14);
            assert!((k1 * k2 - e[0] * e[3] + e[1] * e[1]).abs() < 1e-13 && k1 >= k2);
        }
        assert_eq!(eigenvalues3(&[[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn tangent_bases_are_right_handed() {
        let mut random = Random::new(4);
        for _ in 0..50 {
            let n: V = std::array::from_fn(|_| random.short(-1.0, 1.0));
            let n = scaled(1.0 / norm(&n), &n);
            let [t, b] = tangent_basis(&n);
            assert!(dot(&t, &n).abs() < 1e-15 && (norm(&t) - 1.0).abs() < 1e-15);
            assert!(norm(&add_scaled(&cross(&t, &b), -1.0, &n)) < 1e-15);
        }
    }
}
