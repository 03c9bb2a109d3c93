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
//! Not here: the field itself ([`Residue`], of `poly`), the points ([`crate::equal::FieldPoint`]).

use crate::number::{Rational, ratio};
pub use polhode_poly::Residue;

/// The residue of a rational number, unless p divides its denominator.
pub fn residue(r: &Rational) -> Option<Residue> {
    if r.is_int() {
        return Some(Residue::from(r.numerator()));
    }
    Residue::fraction(r.numerator(), r.denominator().as_ibig())
}

/// The rational number with numerator and denominator up to `bound` that has this residue, if there is one. It is the only one
/// as long as 2 · bound² < p.
pub fn rational(value: Residue, bound: u64) -> Option<Rational> {
    let (mut r0, mut r1) = (i128::from(Residue::MODULUS), i128::from(value.get()));
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
    pub rows: Vec<Vec<Residue>>,
    /// The pivot column of each row, increasing.
    pub pivots: Vec<usize>,
    columns: usize,
}

/// Brings a matrix with this many columns to reduced row echelon form, pivots as far left as possible: a column without a
/// pivot is a combination of columns before it.
pub fn echelon(mut rows: Vec<Vec<Residue>>, columns: usize) -> Echelon {
    let mut pivots = Vec::new();
    let mut done = 0;
    for j in 0..columns {
        let pivot = (done..rows.len()).find_map(|i| Some((i, rows[i][j].inverse()?)));
        let Some((i, scale)) = pivot else { continue };
        rows.swap(done, i);
        rows[done][j..].iter_mut().for_each(|x| *x *= scale);
        let pivot = rows[done].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i == done || row[j].is_zero() {
                continue;
            }
            let factor = -row[j];
            for (x, y) in row[j..].iter_mut().zip(&pivot[j..]) {
                *x += factor * *y;
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
    pub fn null_space(&self) -> Vec<Vec<Residue>> {
        self.free()
            .into_iter()
            .map(|j| {
                let mut v = vec![Residue::ZERO; self.columns];
                v[j] = Residue::ONE;
                for (row, p) in self.rows.iter().zip(&self.pivots) {
                    v[*p] = -row[j];
                }
                v
            })
            .collect()
    }
}

/// The determinant of a square matrix.
pub fn determinant(mut rows: Vec<Vec<Residue>>) -> Residue {
    let n = rows.len();
    let mut out = Residue::ONE;
    for j in 0..n {
        let Some(i) = (j..n).find(|i| !rows[*i][j].is_zero()) else { return Residue::ZERO };
        if i != j {
            rows.swap(i, j);
            out = -out;
        }
        out *= rows[j][j];
        let (above, below) = rows.split_at_mut(j + 1);
        below.iter_mut().for_each(|row| subtract_multiple(row, &above[j], j));
    }
    out
}

/// The rows of a matrix that do not depend on the ones before them.
pub fn independent_rows(rows: Vec<Vec<Residue>>) -> Vec<usize> {
    let mut kept: Vec<(usize, Vec<Residue>)> = Vec::new();
    let mut out = Vec::new();
    for (i, mut row) in rows.into_iter().enumerate() {
        for (pivot, other) in &kept {
            subtract_multiple(&mut row, other, *pivot);
        }
        if let Some(pivot) = row.iter().position(|x| !x.is_zero()) {
            kept.push((pivot, row));
            out.push(i);
        }
    }
    out
}

/// row −= (row[j]/pivot[j]) · pivot.
fn subtract_multiple(row: &mut [Residue], pivot: &[Residue], j: usize) {
    if row[j].is_zero() {
        return;
    }
    let Some(inverse) = pivot[j].inverse() else { return };
    let factor = -(row[j] * inverse);
    for (x, p) in row.iter_mut().zip(pivot) {
        *x += factor * *p;
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
        assert_eq!(rational(Residue::new(1_234_567_890_123_456), 100_000), None);
    }

    #[test]
    fn null_vectors_are_annihilated_and_lean_on_earlier_columns() {
        let mut random = Random::new(3);
        let mut draw = || Residue::random(&mut random);
        let mut rows: Vec<Vec<Residue>> = (0..4).map(|_| (0..5).map(|_| draw()).collect()).collect();
        // the third column is the sum of the first two
        rows.iter_mut().for_each(|r| r[2] = r[0] + r[1]);
        let e = echelon(rows.clone(), 5);
        assert_eq!(e.free(), [2]);
        let null = e.null_space();
        assert_eq!(null, [[-1, -1, 1, 0, 0].map(|k| residue(&ratio(k, 1)).unwrap())]);
        for row in rows {
            let sum: Residue = row.iter().zip(&null[0]).map(|(a, b)| *a * *b).sum();
            assert_eq!(sum, Residue::ZERO);
        }
    }

    #[test]
    fn determinants_and_independent_rows() {
        let rows = |rows: &[[u32; 2]]| rows.iter().map(|r| r.map(Residue::from).to_vec()).collect::<Vec<_>>();
        assert_eq!(determinant(rows(&[[0, 2], [3, 5]])), -Residue::from(6));
        assert_eq!(determinant(rows(&[[1, 2], [2, 4]])), Residue::ZERO);
        assert_eq!(independent_rows(rows(&[[1, 2], [2, 4], [0, 1]])), [0, 2]);
    }

    #[test]
    fn null_spaces_are_sorted_from_the_left() {
        let p = |v: [i64; 3]| v.map(|x| residue(&ratio(x, 1)).unwrap()).to_vec();
        let null = echelon(vec![p([1, 1, 0]), p([2, 2, 0])], 3).null_space();
        assert_eq!(null, [p([-1, 1, 0]), p([0, 0, 1])]);
    }
}
