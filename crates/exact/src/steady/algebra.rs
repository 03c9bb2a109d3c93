//! Small dense matrices over any [`Scalar`]: singular values, null spaces, eigenvalues.
//!
//! Singular values by Hestenes' one-sided Jacobi rotations: columns of A V are made orthogonal, A V = U Σ. They are
//! accurate to the precision of the numbers even where A is badly conditioned, which is what ranks are decided by.
//! Eigenvalues of the few rows that a reduced system has are zeros of the characteristic polynomial, which is exact enough
//! in double-doubles: 31 digits less the few that the coefficients lose.

use polhode_special::Complex;
use polhode_tape::dense::dot;
use polhode_tape::{Dd, Scalar};

/// Sweeps after which the rotations of any matrix have died out: convergence is quadratic.
const SWEEPS: usize = 60;

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense<S> {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    entries: Vec<S>,
}

impl<S> std::ops::Index<(usize, usize)> for Dense<S> {
    type Output = S;
    fn index(&self, (i, j): (usize, usize)) -> &S {
        &self.entries[i * self.cols + j]
    }
}

impl<S> std::ops::IndexMut<(usize, usize)> for Dense<S> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut S {
        &mut self.entries[i * self.cols + j]
    }
}

impl<S: Scalar> Dense<S> {
    pub(crate) fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> S) -> Dense<S> {
        let entries = (0..rows * cols).map(|k| entry(k / cols, k % cols)).collect();
        Dense { rows, cols, entries }
    }

    pub(crate) fn zeros(rows: usize, cols: usize) -> Dense<S> {
        Dense { rows, cols, entries: vec![S::default(); rows * cols] }
    }

    pub(crate) fn identity(n: usize) -> Dense<S> {
        Dense::from_fn(n, n, |i, j| S::from_f64(f64::from(u8::from(i == j))))
    }

    pub(crate) fn transpose(&self) -> Dense<S> {
        Dense::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    pub(crate) fn mul(&self, other: &Dense<S>) -> Dense<S> {
        Dense::from_fn(self.rows, other.cols, |i, j| {
            (0..self.cols).fold(S::default(), |sum, k| sum + self[(i, k)] * other[(k, j)])
        })
    }

    pub(crate) fn scaled(&self, factor: S) -> Dense<S> {
        Dense::from_fn(self.rows, self.cols, |i, j| self[(i, j)] * factor)
    }

    pub(crate) fn plus(&self, other: &Dense<S>) -> Dense<S> {
        Dense::from_fn(self.rows, self.cols, |i, j| self[(i, j)] + other[(i, j)])
    }

    pub(crate) fn apply(&self, x: &[S]) -> Vec<S> {
        (0..self.rows).map(|i| (0..self.cols).fold(S::default(), |sum, j| sum + self[(i, j)] * x[j])).collect()
    }

    pub(crate) fn columns(&self, chosen: &[usize]) -> Dense<S> {
        Dense::from_fn(self.rows, chosen.len(), |i, j| self[(i, chosen[j])])
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.entries.iter().all(|x| x.is_finite())
    }

    /// The largest entry; what is not a number does not count.
    pub(crate) fn size(&self) -> f64 {
        self.entries.iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()))
    }

    /// A = U Σ Vᵀ.
    pub(crate) fn svd(&self) -> Svd<S> {
        let (m, n) = (self.rows, self.cols);
        // columns as rows: each is one piece of memory
        let mut a: Vec<Vec<S>> = (0..n).map(|j| (0..m).map(|i| self[(i, j)]).collect()).collect();
        let mut v: Vec<Vec<S>> =
            (0..n).map(|j| (0..n).map(|i| S::from_f64(f64::from(u8::from(i == j)))).collect()).collect();
        let small = S::from_f64(4.0 * S::EPSILON);
        // columns below this are nothing but rounding
        let floor = (a.iter().map(|x| dot(x, x)).fold(S::default(), |p, q| p + q))
            * S::from_f64(S::EPSILON * S::EPSILON * 1e-6);
        for _ in 0..SWEEPS {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    let (alpha, beta, gamma) = (dot(&a[p], &a[p]), dot(&a[q], &a[q]), dot(&a[p], &a[q]));
                    if gamma.abs() <= small * (alpha * beta).sqrt() || gamma.abs() <= floor {
                        continue;
                    }
                    turned = true;
                    let zeta = (beta - alpha) / (gamma + gamma);
                    let one = S::from_f64(1.0);
                    let root = zeta.abs() + (one + zeta * zeta).sqrt();
                    let t = if zeta < S::default() { -one / root } else { one / root };
                    let c = one / (one + t * t).sqrt();
                    let s = c * t;
                    for pair in [&mut a, &mut v] {
                        let (front, back) = pair.split_at_mut(q);
                        for (x, y) in front[p].iter_mut().zip(&mut back[0]) {
                            (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                        }
                    }
                }
            }
            if !turned {
                break;
            }
        }
        let mut order: Vec<(S, usize)> = a.iter().map(|x| dot(x, x).sqrt()).zip(0..n).collect();
        order.sort_by(|x, y| y.0.to_f64().total_cmp(&x.0.to_f64()));
        let left = |j: usize, i: usize| {
            let (length, k) = order[j];
            if length.to_f64() == 0.0 { S::default() } else { a[k][i] / length }
        };
        Svd {
            u: Dense::from_fn(m, n, |i, j| left(j, i)),
            v: Dense::from_fn(n, n, |i, j| v[order[j].1][i]),
            values: order.iter().map(|x| x.0).collect(),
        }
    }

    /// The coefficients of det(λ − A), that of λⁿ first: by Faddeev and Le Verrier.
    fn characteristic(&self) -> Vec<S> {
        let n = self.rows;
        let mut out = vec![S::from_f64(1.0)];
        let mut m = Dense::zeros(n, n);
        for k in 1..=n {
            let last = out[k - 1];
            m = self.mul(&m).plus(&Dense::identity(n).scaled(last));
            let trace = self.mul(&m);
            let trace = (0..n).fold(S::default(), |s, i| s + trace[(i, i)]);
            out.push(-trace / S::from_f64(k as f64));
        }
        out
    }
}

/// A = U Σ Vᵀ, singular values descending.
#[derive(Clone, Debug)]
pub(crate) struct Svd<S> {
    u: Dense<S>,
    v: Dense<S>,
    pub(crate) values: Vec<S>,
}

impl<S: Scalar> Svd<S> {
    /// How many singular values are more than this part of the first.
    pub(crate) fn rank(&self, part: f64) -> usize {
        let first = self.values.first().map_or(0.0, |s| s.to_f64());
        self.values.iter().filter(|s| s.to_f64() > part * first && first > 0.0).count()
    }

    /// An orthonormal basis of the null space, for a rank.
    pub(crate) fn null_space(&self, rank: usize) -> Dense<S> {
        self.v.columns(&(rank..self.v.cols).collect::<Vec<_>>())
    }

    /// The shortest x with |A x − b| least, with λ|x|² added to |A x − b|² (λ = 0: plain); only `rank` directions are used.
    pub(crate) fn solve(&self, b: &[S], rank: usize, lambda: S) -> Vec<S> {
        let mut x = vec![S::default(); self.v.rows];
        for j in 0..rank {
            let along = (0..self.u.rows).fold(S::default(), |s, i| s + self.u[(i, j)] * b[i]);
            let s = self.values[j];
            let share = along * s / (s * s + lambda);
            for (i, x) in x.iter_mut().enumerate() {
                *x = *x + share * self.v[(i, j)];
            }
        }
        x
    }
}

/// The eigenvalues of a matrix of few rows.
pub(crate) fn eigenvalues(a: &Dense<Dd>) -> Vec<Complex<Dd>> {
    let n = a.rows;
    if n == 0 {
        return Vec::new();
    }
    // eigenvalues of size one have coefficients of size one
    let scale = Dd::from(a.size().max(f64::MIN_POSITIVE));
    roots(&a.scaled(Dd::ONE / scale).characteristic()).into_iter().map(|z| z.scale(scale)).collect()
}

/// The zeros of a real polynomial, leading coefficient first, by the iteration of \[Aberth1973\]; conjugates are exactly that.
pub(crate) fn roots(p: &[Dd]) -> Vec<Complex<Dd>> {
    let n = p.len() - 1;
    if n == 2 {
        return quadratic(p[1], p[2]);
    }
    let at = |z: Complex<Dd>| {
        let (mut value, mut slope) = (Complex::from(p[0]), Complex::from(Dd::ZERO));
        for c in &p[1..] {
            slope = slope * z + value;
            value = value * z + Complex::from(*c);
        }
        (value, slope)
    };
    let turn = 2.0 * std::f64::consts::PI / n as f64;
    // no symmetry about the real axis: pairs must be free to part
    let mut z: Vec<Complex<Dd>> = (0..n)
        .map(|k| {
            let (s, c) = (turn * k as f64 + 0.4).sin_cos();
            Complex::new(Dd::from(0.7 * c), Dd::from(0.7 * s))
        })
        .collect();
    for _ in 0..400 {
        let mut largest = 0.0f64;
        for k in 0..n {
            let (value, slope) = at(z[k]);
            if value.abs().to_f64() == 0.0 {
                continue;
            }
            let newton = value / slope;
            let others = (0..n).filter(|j| *j != k && (z[*j] - z[k]).abs().to_f64() > 0.0);
            let push = others.fold(Complex::from(Dd::ZERO), |s, j| s + Complex::from(Dd::ONE) / (z[k] - z[j]));
            let step = newton / (Complex::from(Dd::ONE) - newton * push);
            if step.is_finite() {
                z[k] = z[k] - step;
                largest = largest.max(step.abs().to_f64() / (z[k].abs().to_f64() + 1e-30));
            }
        }
        if largest < 1e-30 {
            break;
        }
    }
    conjugates(z)
}

/// λ² + b λ + c = 0 without cancellation.
fn quadratic(b: Dd, c: Dd) -> Vec<Complex<Dd>> {
    let half = b * Dd::from(-0.5);
    let disc = half * half - c;
    if disc < Dd::ZERO {
        let root = (-disc).sqrt();
        return vec![Complex::new(half, root), Complex::new(half, -root)];
    }
    let root = disc.sqrt();
    let large = if half < Dd::ZERO { half - root } else { half + root };
    let small = if large == Dd::ZERO { Dd::ZERO } else { c / large };
    vec![Complex::from(large), Complex::from(small)]
}

/// Zeros of a real polynomial come in pairs, or are real; rounding is put right.
fn conjugates(z: Vec<Complex<Dd>>) -> Vec<Complex<Dd>> {
    let mut left = z;
    let mut out = Vec::with_capacity(left.len());
    while let Some(a) = left.pop() {
        let far = |b: &Complex<Dd>| (b.conj() - a).abs().to_f64();
        let itself = 2.0 * a.im.to_f64().abs();
        match (0..left.len()).min_by(|p, q| far(&left[*p]).total_cmp(&far(&left[*q]))) {
            Some(k) if far(&left[k]) < itself => {
                let b = left.swap_remove(k);
                let half = Dd::from(0.5);
                let pair = Complex::new((a.re + b.re) * half, (a.im - b.im).abs() * half);
                out.extend([pair, pair.conj()]);
            }
            _ => out.push(Complex::from(a.re)),
        }
    }
    out
}

/// eᴬ by Taylor's series of A/2ᵏ and k squarings.
pub(crate) fn exponential(a: &Dense<Dd>) -> Dense<Dd> {
    let norm = a.size() * a.rows as f64;
    let halvings = if norm > 0.125 { (norm / 0.125).log2().ceil() as i32 } else { 0 };
    let small = a.scaled(Dd::from(0.5f64.powi(halvings)));
    let mut term = Dense::identity(a.rows);
    let mut sum = term.clone();
    for k in 1..40 {
        term = term.mul(&small).scaled(Dd::ONE / Dd::from(f64::from(k)));
        sum = sum.plus(&term);
        if term.size() < 1e-34 {
            break;
        }
    }
    for _ in 0..halvings {
        sum = sum.mul(&sum);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(rows: usize, entries: &[f64]) -> Dense<Dd> {
        Dense::from_fn(rows, entries.len() / rows, |i, j| Dd::from(entries[i * (entries.len() / rows) + j]))
    }

    #[test]
    fn a_matrix_of_rank_two() {
        let a = dense(4, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 1.0, 1.0]);
        let svd = a.svd();
        assert_eq!(svd.rank(1e-25), 2);
        let kernel = svd.null_space(2);
        assert!(a.mul(&kernel).size() < 1e-29, "{:?}", a.mul(&kernel));
        let b = a.apply(&[Dd::ONE, Dd::ONE, Dd::ONE]);
        let x = svd.solve(&b, 2, Dd::ZERO);
        // (1, 1, 1) is orthogonal to the null vector (1, −2, 1), so it is the shortest solution
        assert!(x.iter().all(|x| (*x - Dd::ONE).to_f64().abs() < 1e-28), "{x:?}");
    }

    #[test]
    fn eigenvalues_of_companion_matrices() {
        // (λ² + 4)(λ² + 2λ + 5)(λ − 3): 2i, −1 ± 2i, 3
        let a = dense(
            5,
            &[
                1.0, -3.0, 19.0, 4.0, 60.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
                0.0, 0.0, 0.0, 1.0, 0.0,
            ],
        );
        let found = eigenvalues(&a);
        for (re, im) in [(0.0, 2.0), (0.0, -2.0), (-1.0, 2.0), (-1.0, -2.0), (3.0, 0.0)] {
            let wanted = Complex::new(Dd::from(re), Dd::from(im));
            let best = found.iter().map(|z| (*z - wanted).abs().to_f64()).fold(1.0, f64::min);
            assert!(best < 1e-26, "{wanted:?}: {best:e} in {found:?}");
        }
    }

    #[test]
    fn a_turn_is_an_exponential() {
        let a = dense(2, &[0.0, -50.0, 50.0, 0.0]);
        let (s, c) = Dd::from(50.0).sin_cos();
        let e = exponential(&a);
        assert!((e[(0, 0)] - c).to_f64().abs() < 1e-28 && (e[(1, 0)] - s).to_f64().abs() < 1e-28);
    }
}
