//! The exact fields the doctor computes ranks in: F_p and F_p², p = 2⁶¹ − 1.
//!
//! ```text
//! F_p² = F_p[i],   i² = −1,   a field since p ≡ 3 mod 4                                    (1)
//! ```
//!
//! Every element of F_p has a square root in (1), so that points such as θ = π/3, whose sine √3/2 is not in
//! F_p, have exact values too.

pub use polhode_expr::field::Residue;
use polhode_expr::field::residue;
use polhode_expr::number::Rational;

/// What elimination and power series need of their coefficients.
pub trait Field: Copy + PartialEq + std::fmt::Debug {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// An element of F_p.
    fn new(a: Residue) -> Self;
    /// The element of F_p it is, if it is one.
    fn base(self) -> Option<Residue>;
    /// a + b.
    fn plus(self, b: Self) -> Self;
    /// −a.
    fn minus(self) -> Self;
    /// a b.
    fn times(self, b: Self) -> Self;
    /// 1/a for a ≠ 0.
    fn inverse(self) -> Option<Self>;
    /// A square root in this field.
    fn root(self) -> Option<Self>;

    /// A whole number.
    fn number(k: u64) -> Self {
        Self::new(Residue::new(k))
    }

    /// A rational number.
    fn rational(r: &Rational) -> Option<Self> {
        residue(r).map(Self::new)
    }

    /// A whole power.
    fn power(self, k: i64) -> Option<Self> {
        let mut base = if k < 0 { self.inverse()? } else { self };
        let (mut k, mut out) = (k.unsigned_abs(), Self::ONE);
        while k > 0 {
            if k & 1 == 1 {
                out = out.times(base);
            }
            base = base.times(base);
            k >>= 1;
        }
        Some(out)
    }
}

impl Field for Residue {
    const ZERO: Residue = Residue::ZERO;
    const ONE: Residue = Residue::ONE;
    fn new(a: Residue) -> Residue {
        a
    }
    fn base(self) -> Option<Residue> {
        Some(self)
    }
    fn plus(self, b: Residue) -> Residue {
        self + b
    }
    fn minus(self) -> Residue {
        -self
    }
    fn times(self, b: Residue) -> Residue {
        self * b
    }
    fn inverse(self) -> Option<Residue> {
        self.inverse()
    }
    fn root(self) -> Option<Residue> {
        self.square_root()
    }
}

/// F_p², as (real part, imaginary part).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Double(Residue, Residue);

impl Field for Double {
    const ZERO: Double = Double(Residue::ZERO, Residue::ZERO);
    const ONE: Double = Double(Residue::ONE, Residue::ZERO);
    fn new(a: Residue) -> Double {
        Double(a, Residue::ZERO)
    }
    fn base(self) -> Option<Residue> {
        self.1.is_zero().then_some(self.0)
    }
    fn plus(self, b: Double) -> Double {
        Double(self.0 + b.0, self.1 + b.1)
    }
    fn minus(self) -> Double {
        Double(-self.0, -self.1)
    }
    fn times(self, b: Double) -> Double {
        Double(self.0 * b.0 - self.1 * b.1, self.0 * b.1 + self.1 * b.0)
    }
    fn inverse(self) -> Option<Double> {
        let n = (self.0 * self.0 + self.1 * self.1).inverse()?;
        Some(Double(self.0 * n, -self.1 * n))
    }
    fn root(self) -> Option<Double> {
        let a = self.base()?;
        let real = a.square_root().map(|r| Double(r, Residue::ZERO));
        real.or_else(|| Some(Double(Residue::ZERO, (-a).square_root()?)))
    }
}

/// Rank of a matrix given by rows, with the pivots (row, column) that show it.
pub fn pivots<F: Field>(mut rows: Vec<Vec<F>>) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for i in 0..rows.len() {
        let Some(j) = rows[i].iter().position(|x| *x != F::ZERO) else { continue };
        let Some(inverse) = rows[i][j].inverse() else { continue };
        let pivot = rows[i].clone();
        for row in rows.iter_mut().skip(i + 1) {
            if row[j] != F::ZERO {
                let factor = row[j].times(inverse).minus();
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x = x.plus(factor.times(*p)));
            }
        }
        found.push((i, j));
    }
    found
}

/// A set of vectors kept independent.
#[derive(Clone, Debug, Default)]
pub struct Span<F> {
    /// Reduced vectors with the place of their first entry, which is 1.
    kept: Vec<(usize, Vec<F>)>,
}

impl<F: Field> Span<F> {
    /// Nothing but 0.
    pub fn new() -> Span<F> {
        Span { kept: Vec::new() }
    }

    /// Dimension.
    pub fn rank(&self) -> usize {
        self.kept.len()
    }

    /// Adds a vector; false if it was in the span already.
    pub fn add(&mut self, mut vector: Vec<F>) -> bool {
        for (j, kept) in &self.kept {
            let factor = vector[*j];
            if factor != F::ZERO {
                let factor = factor.minus();
                vector[*j..].iter_mut().zip(&kept[*j..]).for_each(|(x, k)| {
                    if *k != F::ZERO {
                        *x = x.plus(factor.times(*k));
                    }
                });
            }
        }
        let Some(j) = vector.iter().position(|x| *x != F::ZERO) else { return false };
        let Some(inverse) = vector[j].inverse() else { return false };
        vector.iter_mut().for_each(|x| *x = x.times(inverse));
        self.kept.push((j, vector));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_has_a_root_in_the_larger_field_only() {
        let three = Residue::from(3);
        assert_eq!(three.square_root(), None);
        let three = Double::new(three);
        let r = three.root().unwrap();
        assert_eq!(r.times(r), three);
        assert_eq!(r.times(r.inverse().unwrap()), Double::ONE);
        assert_eq!(r.power(-2).unwrap().times(three), Double::ONE);
    }

    #[test]
    fn ranks() {
        let m = |rows: &[[u32; 3]]| rows.iter().map(|r| r.map(Residue::from).to_vec()).collect::<Vec<_>>();
        assert_eq!(pivots(m(&[[1, 2, 3], [2, 4, 6], [0, 0, 5]])), [(0, 0), (2, 2)]);
        let mut span = Span::new();
        let mut add = |row: [u32; 2]| span.add(row.map(Residue::from).to_vec());
        assert!(add([1, 2]) && !add([2, 4]) && add([0, 1]));
        assert_eq!(span.rank(), 2);
    }
}
