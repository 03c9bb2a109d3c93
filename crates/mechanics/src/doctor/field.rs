//! The exact fields the doctor computes ranks in: F_p and F_p², p = 2⁶¹ − 1.
//!
//! ```text
//! F_p² = F_p[i],   i² = −1,   a field since p ≡ 3 mod 4                                    (1)
//! ```
//!
//! Every element of F_p has a square root in (1), so that points such as θ = π/3, whose sine √3/2 is not in
//! F_p, have exact values too.

use polhode_expr::number::Rational;
use polhode_poly::modular::{P61, add_p61, inv_p61, mul_p61, pow_p61, residue_p61};

/// −a.
pub(super) fn negative(a: u64) -> u64 {
    if a == 0 { 0 } else { P61 - a }
}

/// A rational number mod p; `None` when p divides its denominator.
pub(super) fn residue(r: &Rational) -> Option<u64> {
    let (n, d) = (residue_p61(r.numerator()), residue_p61(r.denominator().as_ibig()));
    (d != 0).then(|| mul_p61(n, inv_p61(d)))
}

/// What elimination and power series need of their coefficients.
pub(super) trait Field: Copy + PartialEq + std::fmt::Debug {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// An element of F_p.
    fn new(a: u64) -> Self;
    /// The element of F_p it is, if it is one.
    fn base(self) -> Option<u64>;
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

/// F_p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prime(pub(super) u64);

/// The root of a residue that is a residue itself: a^((p+1)/4).
fn root_mod(a: u64) -> Option<u64> {
    let r = pow_p61(a, P61.div_ceil(4));
    (mul_p61(r, r) == a).then_some(r)
}

impl Field for Prime {
    const ZERO: Prime = Prime(0);
    const ONE: Prime = Prime(1);
    fn new(a: u64) -> Prime {
        Prime(a)
    }
    fn base(self) -> Option<u64> {
        Some(self.0)
    }
    fn plus(self, b: Prime) -> Prime {
        Prime(add_p61(self.0, b.0))
    }
    fn minus(self) -> Prime {
        Prime(negative(self.0))
    }
    fn times(self, b: Prime) -> Prime {
        Prime(mul_p61(self.0, b.0))
    }
    fn inverse(self) -> Option<Prime> {
        (self.0 != 0).then(|| Prime(inv_p61(self.0)))
    }
    fn root(self) -> Option<Prime> {
        root_mod(self.0).map(Prime)
    }
}

/// F_p², as (real part, imaginary part).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Double(u64, u64);

impl Field for Double {
    const ZERO: Double = Double(0, 0);
    const ONE: Double = Double(1, 0);
    fn new(a: u64) -> Double {
        Double(a, 0)
    }
    fn base(self) -> Option<u64> {
        (self.1 == 0).then_some(self.0)
    }
    fn plus(self, b: Double) -> Double {
        Double(add_p61(self.0, b.0), add_p61(self.1, b.1))
    }
    fn minus(self) -> Double {
        Double(negative(self.0), negative(self.1))
    }
    fn times(self, b: Double) -> Double {
        let real = add_p61(mul_p61(self.0, b.0), negative(mul_p61(self.1, b.1)));
        Double(real, add_p61(mul_p61(self.0, b.1), mul_p61(self.1, b.0)))
    }
    fn inverse(self) -> Option<Double> {
        let norm = add_p61(mul_p61(self.0, self.0), mul_p61(self.1, self.1));
        (norm != 0).then(|| {
            let n = inv_p61(norm);
            Double(mul_p61(self.0, n), mul_p61(negative(self.1), n))
        })
    }
    fn root(self) -> Option<Double> {
        let a = self.base()?;
        match root_mod(a) {
            Some(r) => Some(Double(r, 0)),
            None => root_mod(negative(a)).map(|r| Double(0, r)),
        }
    }
}

/// Rank of a matrix given by rows, with the pivots (row, column) that show it.
pub(super) fn pivots<F: Field>(mut rows: Vec<Vec<F>>) -> Vec<(usize, usize)> {
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
pub(super) struct Span<F> {
    /// Reduced vectors with the place of their first entry, which is 1.
    kept: Vec<(usize, Vec<F>)>,
}

impl<F: Field> Span<F> {
    /// Nothing but 0.
    pub(super) fn new() -> Span<F> {
        Span { kept: Vec::new() }
    }

    /// Dimension.
    pub(super) fn rank(&self) -> usize {
        self.kept.len()
    }

    /// Adds a vector; false if it was in the span already.
    pub(super) fn add(&mut self, mut vector: Vec<F>) -> bool {
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
        assert_eq!(Prime(3).root(), None);
        let r = Double::new(3).root().unwrap();
        assert_eq!(r.times(r), Double::new(3));
        assert_eq!(r.times(r.inverse().unwrap()), Double::ONE);
        assert_eq!(r.power(-2).unwrap().times(Double::new(3)), Double::ONE);
    }

    #[test]
    fn ranks() {
        let m = |rows: &[[u64; 3]]| rows.iter().map(|r| r.map(Prime).to_vec()).collect::<Vec<_>>();
        assert_eq!(pivots(m(&[[1, 2, 3], [2, 4, 6], [0, 0, 5]])), [(0, 0), (2, 2)]);
        let mut span = Span::new();
        assert!(
            span.add(vec![Prime(1), Prime(2)])
                && !span.add(vec![Prime(2), Prime(4)])
                && span.add(vec![Prime(0), Prime(1)])
        );
        assert_eq!(span.rank(), 2);
    }
}
