//! Small linear algebra in any numbers: affine maps as homogeneous matrices, flows of linear fields.

use polhode_tape::{Dd, Scalar};

/// A sparse square matrix: row, column, entry.
pub(crate) type Sparse<S> = Vec<(usize, usize, S)>;

/// Longest argument of one exponential series: its terms then fall at once.
const SERIES: f64 = 1.0;

/// Terms after which a series in an argument of norm at most [`SERIES`] has converged in any numbers: 1/40! < 10⁻⁴⁷.
const TERMS: usize = 40;

/// A v.
pub(crate) fn apply<S: Scalar>(a: &Sparse<S>, v: &[S]) -> Vec<S> {
    let mut out = vec![S::default(); v.len()];
    a.iter().for_each(|(i, j, x)| out[*i] = out[*i] + *x * v[*j]);
    out
}

/// exp(A) v of an affine field, whose last column is a shift: by the series on as many equal parts as the norm of the rest asks for.
pub(crate) fn flow<S: Scalar>(a: &Sparse<S>, v: &[S]) -> Vec<S> {
    let mut rows = vec![0.0; v.len()];
    // the last column only shifts: it makes no term longer
    let last = v.len() - 1;
    a.iter().filter(|(_, j, _)| *j != last).for_each(|(i, _, x)| rows[*i] += x.to_f64().abs());
    let norm = rows.into_iter().fold(0.0, f64::max);
    let parts = (norm / SERIES).ceil().max(1.0);
    let share = S::from_f64(1.0) / S::from_f64(parts);
    let part: Sparse<S> = a.iter().map(|(i, j, x)| (*i, *j, *x * share)).collect();
    let mut out = v.to_vec();
    for _ in 0..parts as usize {
        let mut term = out.clone();
        for k in 1..=TERMS {
            let factor = S::from_f64(1.0) / S::from_f64(k as f64);
            term = apply(&part, &term).into_iter().map(|x| x * factor).collect();
            out.iter_mut().zip(&term).for_each(|(sum, x)| *sum = *sum + *x);
            if term.iter().zip(&out).all(|(x, sum)| x.to_f64().abs() <= 0.1 * S::EPSILON * sum.to_f64().abs()) {
                break;
            }
        }
    }
    out
}

/// A dense square matrix, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Square<S> {
    pub(crate) size: usize,
    pub(crate) entries: Vec<S>,
}

impl<S: Scalar> Square<S> {
    pub(crate) fn identity(size: usize) -> Square<S> {
        let mut entries = vec![S::default(); size * size];
        (0..size).for_each(|i| entries[i * size + i] = S::from_f64(1.0));
        Square { size, entries }
    }

    /// exp(A).
    pub(crate) fn exponential(a: &Sparse<S>, size: usize) -> Square<S> {
        let mut out = Square::identity(size);
        for j in 0..size {
            let mut unit = vec![S::default(); size];
            unit[j] = S::from_f64(1.0);
            for (i, x) in flow(a, &unit).into_iter().enumerate() {
                out.entries[i * size + j] = x;
            }
        }
        out
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> S {
        self.entries[i * self.size + j]
    }

    pub(crate) fn times(&self, other: &Square<S>) -> Square<S> {
        let n = self.size;
        let mut entries = vec![S::default(); n * n];
        for i in 0..n {
            for k in 0..n {
                let x = self.at(i, k);
                if x == S::default() {
                    continue; // groups act on few components at a time
                }
                for j in 0..n {
                    entries[i * n + j] = entries[i * n + j] + x * other.at(k, j);
                }
            }
        }
        Square { size: n, entries }
    }

    pub(crate) fn apply(&self, v: &[S]) -> Vec<S> {
        let zero = S::default();
        let row = |r: &[S]| r.iter().zip(v).filter(|(x, _)| **x != zero).fold(zero, |sum, (x, y)| sum + *x * *y);
        self.entries.chunks_exact(self.size).map(row).collect()
    }
}

/// Powers of a map, by repeated squaring; the squares are kept.
#[derive(Clone, Debug)]
pub(crate) struct Powers(Vec<Square<Dd>>);

/// Which squares make up a power: n = Σ 2ᵏ.
fn squares_in(n: u64) -> impl Iterator<Item = usize> {
    (0..u64::BITS as usize).filter(move |k| n >> k & 1 == 1)
}

impl Powers {
    pub(crate) fn of(map: Square<Dd>) -> Powers {
        Powers(vec![map])
    }

    /// Mⁿ v: at most log₂ n products of matrices, which are made once, and log₂ n + 1 of a matrix with a vector.
    pub(crate) fn apply(&mut self, n: u64, v: Vec<Dd>) -> Vec<Dd> {
        squares_in(n).fold(v, |v, k| {
            while self.0.len() <= k {
                let last = &self.0[self.0.len() - 1];
                self.0.push(last.times(last));
            }
            self.0[k].apply(&v)
        })
    }
}

/// |v| in doubles.
pub(crate) fn length<S: Scalar>(v: &[S]) -> f64 {
    v.iter().map(|x| x.to_f64()).fold(0.0, |sum: f64, x| sum.hypot(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_with_a_shift_is_a_turn_about_another_point() {
        // rate of (x, y): turn about (1, 2)
        let w = Dd::from(0.3);
        let a = vec![(0, 1, -w), (1, 0, w), (0, 2, w * Dd::from(2.0)), (1, 2, -w)];
        let map = Square::exponential(&a, 3);
        let mut powers = Powers::of(map);
        let n = 1_000_003u64;
        let v = powers.apply(n, vec![Dd::from(2.0), Dd::from(2.0), Dd::ONE]);
        let (s, c) = (w * Dd::from(n as f64)).sin_cos();
        assert!((v[0] - Dd::ONE - c).to_f64().abs() < 1e-24);
        assert!((v[1] - Dd::from(2.0) - s).to_f64().abs() < 1e-24);
    }

    /// What a time costs besides one look at the period: it does not grow with n, but for its digits.
    #[test]
    fn powers_cost_the_digits_of_the_exponent() {
        let map = Square::exponential(&vec![(0, 1, -Dd::ONE), (1, 0, Dd::ONE)], 3);
        for n in [1, 2, 3, 1000, 1023, 1024, 1_017_123, u64::from(u32::MAX)] {
            let mut powers = Powers::of(map.clone());
            let log = n.ilog2() as usize;
            let v = powers.apply(n, vec![Dd::ONE, Dd::ZERO, Dd::ONE]);
            // products of matrices, then of matrices with vectors
            assert_eq!(powers.0.len() - 1, log);
            assert!(squares_in(n).count() <= log + 1);
            assert_eq!(squares_in(n).map(|k| 1 << k).sum::<u64>(), n);
            // the squares are there: a second time makes none
            assert_eq!(powers.apply(n, vec![Dd::ONE, Dd::ZERO, Dd::ONE]), v);
            assert_eq!(powers.0.len() - 1, log);
        }
    }
}
