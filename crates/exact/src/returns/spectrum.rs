//! Eigenvalues of a small real matrix: QR steps with Wilkinson's shift on a complex Hessenberg form [GolubVanLoan2013, ch. 7].

/// x + iy.
type Complex = (f64, f64);

fn mul(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn sub(a: Complex, b: Complex) -> Complex {
    (a.0 - b.0, a.1 - b.1)
}

fn add(a: Complex, b: Complex) -> Complex {
    (a.0 + b.0, a.1 + b.1)
}

fn size(a: Complex) -> f64 {
    a.0.hypot(a.1)
}

fn root(a: Complex) -> Complex {
    let r = size(a);
    let x = ((r + a.0.abs()) / 2.0).sqrt();
    if x == 0.0 {
        return (0.0, 0.0);
    }
    let y = a.1 / (2.0 * x);
    match a.0 >= 0.0 {
        true => (x, y),
        false => (y.abs(), if a.1 < 0.0 { -x } else { x }),
    }
}

/// QR steps for one eigenvalue before the matrix is given up.
const STEPS: usize = 200;

/// The eigenvalues, largest first; `None` if the iteration does not end, which no matrix is known for.
pub(crate) fn eigenvalues(matrix: &[Vec<f64>]) -> Option<Vec<Complex>> {
    let n = matrix.len();
    let mut a: Vec<Vec<Complex>> = matrix.iter().map(|row| row.iter().map(|x| (*x, 0.0)).collect()).collect();
    // Hessenberg form by elimination with the largest pivot
    for k in 1..n.saturating_sub(1) {
        let pivot = (k..n).max_by(|i, j| size(a[*i][k - 1]).total_cmp(&size(a[*j][k - 1])))?;
        if size(a[pivot][k - 1]) == 0.0 {
            continue;
        }
        a.swap(pivot, k);
        a.iter_mut().for_each(|row| row.swap(pivot, k));
        for i in k + 1..n {
            let factor = a[i][k - 1].0 / a[k][k - 1].0;
            let upper = a[k].clone();
            a[i].iter_mut().zip(&upper).for_each(|(x, u)| x.0 -= factor * u.0);
            a.iter_mut().for_each(|row| row[k].0 += factor * row[i].0);
        }
    }
    let norm = a.iter().flatten().map(|x| size(*x)).fold(0.0, f64::max);
    let mut out = Vec::new();
    let mut last = n;
    let mut steps = 0;
    while last > 0 {
        let m = last - 1;
        let small = |k: usize, a: &[Vec<Complex>]| {
            let beside = size(a[k][k]) + size(a[k - 1][k - 1]);
            size(a[k][k - 1]) <= f64::EPSILON * if beside > 0.0 { beside } else { norm }
        };
        if m == 0 || small(m, &a) {
            out.push(a[m][m]);
            (last, steps) = (m, 0);
            continue;
        }
        steps += 1;
        if steps > STEPS {
            return None;
        }
        let first = (1..m).rev().find(|k| small(*k, &a)).unwrap_or(0);
        // the eigenvalue of the last two by two block that is nearer to its corner; now and then another shift, against cycles
        let (p, q, r, s) = (a[m - 1][m - 1], a[m - 1][m], a[m][m - 1], a[m][m]);
        let half = sub(p, s);
        let half = (half.0 / 2.0, half.1 / 2.0);
        let square = root(add(mul(half, half), mul(q, r)));
        let middle = ((p.0 + s.0) / 2.0, (p.1 + s.1) / 2.0);
        let (x, y) = (add(middle, square), sub(middle, square));
        let mut shift = if size(sub(x, s)) < size(sub(y, s)) { x } else { y };
        if steps % 11 == 10 {
            shift.0 += size(r);
        }
        (first..=m).for_each(|k| a[k][k] = sub(a[k][k], shift));
        let mut turns = Vec::new();
        for k in first..m {
            let (u, v) = (a[k][k], a[k + 1][k]);
            let length = size(u).hypot(size(v));
            if length == 0.0 {
                turns.push(((1.0, 0.0), (0.0, 0.0)));
                continue;
            }
            let (c, s) = ((u.0 / length, -u.1 / length), (v.0 / length, -v.1 / length));
            for j in k..=m {
                let (x, y) = (a[k][j], a[k + 1][j]);
                a[k][j] = add(mul(c, x), mul(s, y));
                a[k + 1][j] = sub(mul((c.0, -c.1), y), mul((s.0, -s.1), x));
            }
            turns.push((c, s));
        }
        for (k, (c, s)) in (first..m).zip(turns) {
            for row in a[first..=(k + 2).min(m)].iter_mut() {
                let (x, y) = (row[k], row[k + 1]);
                row[k] = add(mul((c.0, -c.1), x), mul((s.0, -s.1), y));
                row[k + 1] = sub(mul(c, y), mul(s, x));
            }
        }
        (first..=m).for_each(|k| a[k][k] = add(a[k][k], shift));
    }
    out.sort_by(|x, y| size(*y).total_cmp(&size(*x)));
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elementary symmetric functions of the eigenvalues: trace and determinant.
    #[test]
    fn companion_matrices_have_the_roots_they_are_made_of() {
        // (x − 3)(x + 2)(x² − 2x cos 1 + 1)(x − 1/4)
        let mut coefficients = vec![1.0];
        let c = 2.0 * 1f64.cos();
        for factor in [vec![-3.0, 1.0], vec![2.0, 1.0], vec![1.0, -c, 1.0], vec![-0.25, 1.0]] {
            let mut product = vec![0.0; coefficients.len() + factor.len() - 1];
            for (i, a) in coefficients.iter().enumerate() {
                factor.iter().enumerate().for_each(|(j, b)| product[i + j] += a * b);
            }
            coefficients = product;
        }
        let n = coefficients.len() - 1;
        let mut matrix = vec![vec![0.0; n]; n];
        for i in 0..n {
            matrix[i][n - 1] = -coefficients[i];
            if i > 0 {
                matrix[i][i - 1] = 1.0;
            }
        }
        let found = eigenvalues(&matrix).expect("it ends");
        let wanted = [(3.0, 0.0), (-2.0, 0.0), (1f64.cos(), 1f64.sin()), (1f64.cos(), -1f64.sin()), (0.25, 0.0)];
        for w in wanted {
            let near = found.iter().map(|f| size(sub(*f, w))).fold(f64::INFINITY, f64::min);
            assert!(near < 1e-12, "{w:?} in {found:?}");
        }
    }
}
