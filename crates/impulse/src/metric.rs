//! The kinetic metric, factored once and used for everything.
//!
//! ```text
//! G = L Lᵀ,     p = G v,     x = Lᵀ v = L⁻¹ p,     ½ vᵀG v = ½ |x|².
//! ```
//!
//! In x the metric is the identity: rows W act as W v = (L⁻¹Wᵀ)ᵀ x, and orthogonal means what it says.
//! Source of the factorisation: [Higham2002, ch. 10].

use polhode_tape::Scalar;
use polhode_tape::dense::{dot, one, refill, zero};
use std::fmt;

/// A pivot below this many roundings of its diagonal element, times n, is no pivot.
const DEFINITE: f64 = 8.0;

/// A kinetic metric G = L Lᵀ. Factoring another one of the same dimension allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Metric<S> {
    n: usize,
    l: Vec<S>,       // L, row by row, upper part zero
    inverse: Vec<S>, // 1/Lᵢᵢ
}

/// G is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotPositive {
    /// The first leading block that is not positive definite ends in this row, from 0.
    pub row: usize,
    /// Its pivot.
    pub pivot: f64,
    /// The diagonal element that it comes from.
    pub diagonal: f64,
}

impl fmt::Display for NotPositive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotPositive { row, pivot, diagonal } = self;
        write!(
            f,
            "the kinetic metric is not positive definite: pivot {pivot:e} in row {} (diagonal {diagonal:e})",
            row + 1
        )
    }
}

impl std::error::Error for NotPositive {}

impl<S: Scalar> Metric<S> {
    /// The metric with matrix `g`, row by row, of which the lower triangle is read.
    pub fn new(n: usize, g: &[S]) -> Result<Self, NotPositive> {
        let mut metric = Metric { n: 0, l: vec![], inverse: vec![] };
        metric.factor(n, g)?;
        Ok(metric)
    }

    /// The identity in n dimensions.
    pub fn identity(n: usize) -> Self {
        let mut l = vec![zero(); n * n];
        for i in 0..n {
            l[i * n + i] = one();
        }
        Metric { n, l, inverse: vec![one(); n] }
    }

    /// Replaces the metric. After an error the metric is of no use until the next success.
    pub fn factor(&mut self, n: usize, g: &[S]) -> Result<(), NotPositive> {
        assert_eq!(g.len(), n * n, "a metric of dimension {n} has {n}² elements");
        self.n = n;
        refill(&mut self.l, n * n);
        refill(&mut self.inverse, n);
        for i in 0..n {
            for j in 0..i {
                let sum = dot(&self.l[i * n..i * n + j], &self.l[j * n..j * n + j]);
                self.l[i * n + j] = (g[i * n + j] - sum) * self.inverse[j];
            }
            let row = &self.l[i * n..i * n + i];
            let pivot = g[i * n + i] - dot(row, row);
            let (p, d) = (pivot.to_f64(), g[i * n + i].to_f64());
            // written so that NaN fails
            if !(p > DEFINITE * n as f64 * S::EPSILON * d && p > 0.0 && p.is_finite()) {
                return Err(NotPositive { row: i, pivot: p, diagonal: d });
            }
            let root = pivot.sqrt();
            self.l[i * n + i] = root;
            self.inverse[i] = one::<S>() / root;
        }
        Ok(())
    }

    /// n.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// x = Lᵀ v.
    pub fn straighten(&self, v: &[S], x: &mut [S]) {
        let n = self.n;
        for i in 0..n {
            x[i] = (i..n).fold(zero(), |sum, k| sum + self.l[k * n + i] * v[k]);
        }
    }

    /// x = L⁻¹ p, for covectors.
    pub fn straighten_covector(&self, p: &[S], x: &mut [S]) {
        let n = self.n;
        for i in 0..n {
            let sum = dot(&self.l[i * n..i * n + i], &x[..i]);
            x[i] = (p[i] - sum) * self.inverse[i];
        }
    }

    /// v = L⁻ᵀ x, the velocity again.
    pub fn bend(&self, x: &[S], v: &mut [S]) {
        let n = self.n;
        for i in (0..n).rev() {
            let sum = (i + 1..n).fold(zero(), |sum, k| sum + self.l[k * n + i] * v[k]);
            v[i] = (x[i] - sum) * self.inverse[i];
        }
    }

    /// p = L x, the covector again.
    pub fn bend_covector(&self, x: &[S], p: &mut [S]) {
        let n = self.n;
        for i in 0..n {
            p[i] = dot(&self.l[i * n..=i * n + i], &x[..=i]);
        }
    }

    /// p = G v.
    pub fn momentum(&self, v: &[S]) -> Vec<S> {
        let (mut x, mut p) = (vec![zero(); self.n], vec![zero(); self.n]);
        self.straighten(v, &mut x);
        self.bend_covector(&x, &mut p);
        p
    }

    /// v = G⁻¹ p.
    pub fn velocity(&self, p: &[S]) -> Vec<S> {
        let (mut x, mut v) = (vec![zero(); self.n], vec![zero(); self.n]);
        self.straighten_covector(p, &mut x);
        self.bend(&x, &mut v);
        v
    }

    /// ½ vᵀG v.
    pub fn energy(&self, v: &[S]) -> S {
        let mut x = vec![zero(); self.n];
        self.straighten(v, &mut x);
        S::from_f64(0.5) * dot(&x, &x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let error = Metric::new(2, &[1.0, 2.0, 2.0, 4.0]).unwrap_err();
        assert_eq!((error.row, error.diagonal), (1, 4.0));
        assert!(Metric::new(2, &[1.0, 2.0, 2.0, 3.0]).is_err());
        assert!(Metric::new(1, &[f64::NAN]).is_err());
        assert!(Metric::new(1, &[0.0]).is_err());
        assert!(Metric::new(2, &[1e-30, 0.0, 0.0, 1e30]).is_ok(), "scales of coordinates do not matter");
    }

    #[test]
    fn momenta_and_velocities_are_inverse() {
        let g = [4.0, 1.0, 0.5, 1.0, 3.0, -0.25, 0.5, -0.25, 2.0];
        let metric = Metric::new(3, &g).unwrap();
        let v = [1.0, -2.0, 3.0];
        let p = metric.momentum(&v);
        for i in 0..3 {
            assert!((p[i] - dot(&g[3 * i..3 * i + 3], &v)).abs() < 1e-14);
        }
        let back = metric.velocity(&p);
        assert!(back.iter().zip(v).all(|(a, b)| (a - b).abs() < 1e-14));
        assert!((metric.energy(&v) - 0.5 * dot(&p, &v)).abs() < 1e-14);
    }
}
