//! Linear systems by elimination with partial pivoting, in place.

/// Room for the factors of one n × n matrix.
#[derive(Clone, Debug)]
pub(crate) struct Lu {
    n: usize,
    a: Vec<f64>, // row by row
    pivots: Vec<usize>,
}

impl Lu {
    pub(crate) fn new(n: usize) -> Lu {
        Lu { n, a: vec![0.0; n * n], pivots: vec![0; n] }
    }

    /// The matrix, row by row, to be filled in before [`Lu::factor`].
    pub(crate) fn matrix(&mut self) -> &mut [f64] {
        &mut self.a
    }

    /// Replaces the matrix by its factors; false if a pivot vanishes or is not finite.
    pub(crate) fn factor(&mut self) -> bool {
        let n = self.n;
        for c in 0..n {
            let p = (c..n).max_by(|p, q| self.a[p * n + c].abs().total_cmp(&self.a[q * n + c].abs())).unwrap_or(c);
            self.pivots[c] = p;
            let pivot = self.a[p * n + c];
            if pivot == 0.0 || !pivot.is_finite() {
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
                if factor != 0.0 {
                    for (x, t) in row[c + 1..].iter_mut().zip(&top[c + 1..]) {
                        *x -= factor * t;
                    }
                }
            }
        }
        true
    }

    /// Replaces a right-hand side by the solution.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for c in 0..n {
            x.swap(c, self.pivots[c]);
        }
        for i in 0..n {
            x[i] -= (0..i).map(|j| self.a[i * n + j] * x[j]).sum::<f64>();
        }
        for i in (0..n).rev() {
            let rest: f64 = (i + 1..n).map(|j| self.a[i * n + j] * x[j]).sum();
            x[i] = (x[i] - rest) / self.a[i * n + i];
        }
    }
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
}
