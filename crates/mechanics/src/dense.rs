//! Small dense linear algebra in doubles, for checks at single states.

/// Solves `a x = b` in the least-squares sense by Gaussian elimination with full
/// pivoting; free unknowns are 0. Returns the solution, the residual `a x − b`, and the rank.
pub fn solve_any(a: &[Vec<f64>], b: &[f64]) -> (Vec<f64>, Vec<f64>, usize) {
    let (m, n) = (a.len(), a.first().map_or(0, Vec::len));
    let scale = a.iter().flatten().fold(0f64, |s, x| s.max(x.abs())).max(f64::MIN_POSITIVE);
    let mut work: Vec<Vec<f64>> = a.iter().zip(b).map(|(row, y)| row.iter().copied().chain([*y]).collect()).collect();
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    for step in 0..m.min(n) {
        let best = (step..m)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .filter(|(_, j)| !pivots.iter().any(|(_, p)| p == j))
            .max_by(|x, y| work[x.0][x.1].abs().total_cmp(&work[y.0][y.1].abs()));
        let Some((i, j)) = best else { break };
        if work[i][j].abs() < 1e-11 * scale {
            break;
        }
        work.swap(step, i);
        let pivot = work[step].clone();
        for (r, row) in work.iter_mut().enumerate() {
            if r != step && row[j] != 0.0 {
                let factor = row[j] / pivot[j];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
                row[j] = 0.0;
            }
        }
        pivots.push((step, j));
    }
    let mut x = vec![0.0; n];
    for &(i, j) in &pivots {
        x[j] = work[i][n] / work[i][j];
    }
    let residual = a.iter().zip(b).map(|(row, y)| row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>() - y).collect();
    (x, residual, pivots.len())
}

/// The shortest solution of `a x = b`, x = aᵀ (a aᵀ)⁺ b; `None` when `a` vanishes.
pub(crate) fn shortest_solution(a: &[Vec<f64>], b: &[f64]) -> Option<Vec<f64>> {
    let square: Vec<Vec<f64>> =
        a.iter().map(|r| a.iter().map(|s| r.iter().zip(s).map(|(x, y)| x * y).sum()).collect()).collect();
    let (weights, _, rank) = solve_any(&square, b);
    let n = a.first().map_or(0, Vec::len);
    (rank > 0).then(|| (0..n).map(|j| a.iter().zip(&weights).map(|(r, w)| r[j] * w).sum()).collect())
}

/// The determinant, by elimination with partial pivoting.
pub(crate) fn determinant(mut a: Vec<Vec<f64>>) -> f64 {
    let n = a.len();
    let mut product = 1.0;
    for j in 0..n {
        let Some(p) = (j..n).max_by(|x, y| a[*x][j].abs().total_cmp(&a[*y][j].abs())) else { break };
        if p != j {
            a.swap(p, j);
            product = -product;
        }
        product *= a[j][j];
        if a[j][j] == 0.0 {
            return 0.0;
        }
        let pivot = a[j].clone();
        for row in &mut a[j + 1..] {
            let factor = row[j] / pivot[j];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    product
}

/// The rows that do not depend on the ones before them, by Gram–Schmidt.
pub(crate) fn independent_rows(a: &[Vec<f64>]) -> Vec<usize> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut kept = Vec::new();
    for (i, row) in a.iter().enumerate() {
        let size = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut rest = row.clone();
        for b in &basis {
            let along: f64 = rest.iter().zip(b).map(|(x, y)| x * y).sum();
            rest.iter_mut().zip(b).for_each(|(x, y)| *x -= along * y);
        }
        let length = rest.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1e-7 * size.max(1e-300) {
            rest.iter_mut().for_each(|x| *x /= length);
            basis.push(rest);
            kept.push(i);
        }
    }
    kept
}

/// A direction in which the symmetric matrix is not positive, found by LDLᵀ; `None` if it
/// is positive definite. The value is the energy along the direction, zero or negative.
pub(crate) fn not_positive_direction(a: &[Vec<f64>]) -> Option<(Vec<f64>, f64)> {
    let n = a.len();
    let scale = a.iter().flatten().fold(0f64, |s, x| s.max(x.abs())).max(f64::MIN_POSITIVE);
    let mut l = vec![vec![0.0; n]; n];
    let mut d = vec![0.0; n];
    for j in 0..n {
        d[j] = a[j][j] - (0..j).map(|k| l[j][k] * l[j][k] * d[k]).sum::<f64>();
        if d[j] < 1e-12 * scale {
            // Lᵀ x = e_j makes xᵀ A x = d_j.
            let mut x = vec![0.0; n];
            x[j] = 1.0;
            for i in (0..j).rev() {
                x[i] = -(i + 1..=j).map(|k| l[k][i] * x[k]).sum::<f64>();
            }
            return Some((x, d[j]));
        }
        for i in j + 1..n {
            l[i][j] = (a[i][j] - (0..j).map(|k| l[i][k] * l[j][k] * d[k]).sum::<f64>()) / d[j];
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_solutions_residuals_and_rank() {
        let a = vec![vec![1.0, 1.0], vec![2.0, 2.0]];
        let (x, r, rank) = solve_any(&a, &[1.0, 2.0]);
        assert_eq!(rank, 1);
        assert!((x[0] + x[1] - 1.0).abs() < 1e-15 && r.iter().all(|e| e.abs() < 1e-15));
        let (_, r, _) = solve_any(&a, &[1.0, 3.0]);
        assert!(r.iter().any(|e| e.abs() > 0.1));
    }

    #[test]
    fn shortest_solutions_and_independent_rows() {
        let x = shortest_solution(&[vec![3.0, 4.0]], &[5.0]).unwrap();
        assert!((x[0] - 0.6).abs() < 1e-15 && (x[1] - 0.8).abs() < 1e-15);
        assert_eq!(independent_rows(&[vec![1.0, 0.0], vec![2.0, 0.0], vec![1.0, 1.0]]), [0, 2]);
    }

    #[test]
    fn names_a_bad_direction() {
        assert!(not_positive_direction(&[vec![2.0, 1.0], vec![1.0, 2.0]]).is_none());
        let bad = vec![vec![1.0, 2.0], vec![2.0, 1.0]];
        let (x, value) = not_positive_direction(&bad).unwrap();
        let form: f64 = (0..2).map(|i| (0..2).map(|j| x[i] * bad[i][j] * x[j]).sum::<f64>()).sum();
        assert!((form - value).abs() < 1e-14 && value < 0.0);
    }
}
