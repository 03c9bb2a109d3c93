//! Linear algebra over the prime field F_p, p = 2⁶¹ − 1, and the way back to rational numbers.
//!
//! What holds at random points of F_p holds identically, up to the probabilities of `equal.rs`. So linear relations between
//! functions can be found from their values,
//!
//! ```text
//! Σ_j c_j f_j = 0   ⇔   Σ_j c_j f_j(x_i) = 0 for as many random points x_i as there are functions,
//! ```
//!
//! and c comes back as rational numbers n/d with |n|, d < √(p/2) by the half-extended Euclidean algorithm [Knuth1997, §4.5.3].
//!
//! Not here: the points themselves ([`crate::equal::FieldPoint`]).

use crate::equal::P;
use crate::number::{Rational, ratio};
use dashu_int::IBig;
use polhode_poly::modular::{add_p61, inv_p61, mul_p61, residue_p61};

/// a + b.
pub fn add(a: u64, b: u64) -> u64 {
    add_p61(a, b)
}

/// a b.
pub fn mul(a: u64, b: u64) -> u64 {
    mul_p61(a, b)
}

/// −a.
pub fn neg(a: u64) -> u64 {
    if a == 0 { 0 } else { P - a }
}

/// 1/a; `None` for zero.
pub fn inverse(a: u64) -> Option<u64> {
    (a != 0).then(|| inv_p61(a))
}

/// The residue of a rational number, unless p divides its denominator.
pub fn residue(r: &Rational) -> Option<u64> {
    let d = inverse(residue_p61(&IBig::from(r.denominator().clone())))?;
    Some(mul_p61(residue_p61(r.numerator()), d))
}

/// The rational number with numerator and denominator up to `bound` that has this residue, if there is one. It is the only one
/// as long as 2 · bound² < p.
pub fn rational(value: u64, bound: u64) -> Option<Rational> {
    let (mut r0, mut r1) = (P as i128, value as i128);
    let (mut t0, mut t1) = (0i128, 1i128);
    while r1 > bound as i128 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (t0, t1) = (t1, t0 - q * t1);
    }
    let (n, d) = if t1 < 0 { (-r1, -t1) } else { (r1, t1) };
    (d > 0 && d <= bound as i128).then(|| ratio(n as i64, d as i64))
}

/// A matrix in reduced row echelon form.
#[derive(Clone, Debug)]
pub struct Echelon {
    /// The rows that are not zero, each with a 1 in its pivot column.
    pub rows: Vec<Vec<u64>>,
    /// The pivot column of each row, increasing.
    pub pivots: Vec<usize>,
    columns: usize,
}

/// Brings a matrix with this many columns to reduced row echelon form, pivots as far left as possible: a column without a
/// pivot is a combination of columns before it.
pub fn echelon(mut rows: Vec<Vec<u64>>, columns: usize) -> Echelon {
    let mut pivots = Vec::new();
    let mut done = 0;
    for j in 0..columns {
        let Some(i) = (done..rows.len()).find(|i| rows[*i][j] != 0) else { continue };
        rows.swap(done, i);
        let scale = inv_p61(rows[done][j]);
        rows[done][j..].iter_mut().for_each(|x| *x = mul_p61(*x, scale));
        let pivot = rows[done].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i == done || row[j] == 0 {
                continue;
            }
            let factor = neg(row[j]);
            for (x, y) in row[j..].iter_mut().zip(&pivot[j..]) {
                *x = add_p61(*x, mul_p61(factor, *y));
            }
        }
        pivots.push(j);
        done += 1;
    }
    rows.truncate(done);
    Echelon { rows, pivots, columns }
}

impl Echelon {
    /// The columns without a pivot.
    pub fn free(&self) -> Vec<usize> {
        (0..self.columns).filter(|j| !self.pivots.contains(j)).collect()
    }

    /// A basis of the null space: for each free column the vector with 1 there and entries in pivot columns before it.
    pub fn null_space(&self) -> Vec<Vec<u64>> {
        self.free()
            .into_iter()
            .map(|j| {
                let mut v = vec![0; self.columns];
                v[j] = 1;
                for (row, p) in self.rows.iter().zip(&self.pivots) {
                    v[*p] = neg(row[j]);
                }
                v
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_base::random::Random;

    #[test]
    fn rationals_come_back() {
        for (n, d) in [(0, 1), (-7, 3), (981, 100), (123_456, 654_321), (-1, 1)] {
            let r = ratio(n, d);
            assert_eq!(rational(residue(&r).unwrap(), 1 << 29), Some(r));
        }
        assert_eq!(rational(residue(&ratio(1_000_003, 7)).unwrap(), 1000), None);
    }

    #[test]
    fn null_vectors_are_annihilated_and_lean_on_earlier_columns() {
        let mut random = Random::new(3);
        let mut draw = || random.bits() % P;
        let mut rows: Vec<Vec<u64>> = (0..4).map(|_| (0..5).map(|_| draw()).collect()).collect();
        // the third column is the sum of the first two
        rows.iter_mut().for_each(|r| r[2] = add(r[0], r[1]));
        let e = echelon(rows.clone(), 5);
        assert_eq!(e.free(), [2]);
        let null = e.null_space();
        assert_eq!(null, [vec![P - 1, P - 1, 1, 0, 0]]);
        for row in rows {
            let sum = row.iter().zip(&null[0]).fold(0, |s, (a, b)| add(s, mul(*a, *b)));
            assert_eq!(sum, 0);
        }
    }
}
