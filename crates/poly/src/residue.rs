//! Residues modulo the Mersenne prime p = 2⁶¹ − 1: the field in which identities are decided.
//!
//! ```text
//! a b = h·2⁶¹ + l ≡ h + l,        a⁻¹ = a^(p−2),        √a = a^((p+1)/4) where a is a square (p ≡ 3 mod 4)
//! ```
//!
//! A function that is not zero vanishes at a random point of the field with probability at most d/p \[Schwartz1980\], d the degree of its
//! numerator.
//!
//! Not here: the other primes of modular algorithms, whose residues are kept in Montgomery form (`modular.rs`).

use crate::modular::remainder;
use dashu_int::IBig;
use polhode_base::random::Random;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub};

/// An element of F_p.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Residue(u64);

impl Residue {
    /// p = 2⁶¹ − 1.
    pub const MODULUS: u64 = (1 << 61) - 1;
    /// 0.
    pub const ZERO: Residue = Residue(0);
    /// 1.
    pub const ONE: Residue = Residue(1);

    /// The residue of a number.
    #[must_use]
    pub const fn new(value: u64) -> Residue {
        Residue(value % Self::MODULUS)
    }

    /// The representative in 0..p.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// n/d; `None` where p divides d.
    #[must_use]
    pub fn fraction(n: &IBig, d: &IBig) -> Option<Residue> {
        Some(Residue::from(n) * Residue::from(d).inverse()?)
    }

    /// A random element.
    #[must_use]
    pub const fn random(random: &mut Random) -> Residue {
        Residue::new(random.bits())
    }

    /// A random element that is not 0.
    #[must_use]
    pub const fn random_unit(random: &mut Random) -> Residue {
        Residue(1 + random.bits() % (Self::MODULUS - 1))
    }

    /// Is it 0?
    #[inline]
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether it is the square of an element, by Euler's criterion.
    #[must_use]
    pub const fn is_square(self) -> bool {
        self.0 == 0 || self.pow(Self::MODULUS / 2).0 == 1
    }

    #[inline]
    const fn plus(self, b: Residue) -> Residue {
        let sum = self.0 + b.0;
        Residue(if sum >= Self::MODULUS { sum - Self::MODULUS } else { sum })
    }

    #[inline]
    const fn times(self, b: Residue) -> Residue {
        let wide = self.0 as u128 * b.0 as u128;
        Residue(wide as u64 & Self::MODULUS).plus(Residue((wide >> 61) as u64))
    }

    /// aᵏ.
    #[must_use]
    pub const fn pow(self, mut k: u64) -> Residue {
        let (mut base, mut power) = (self, Residue::ONE);
        while k > 0 {
            if k & 1 == 1 {
                power = power.times(base);
            }
            base = base.times(base);
            k >>= 1;
        }
        power
    }

    /// 1/a; `None` for 0.
    #[must_use]
    pub const fn inverse(self) -> Option<Residue> {
        if self.0 == 0 { None } else { Some(self.pow(Self::MODULUS - 2)) }
    }

    /// The square root that is itself a square, if there is one.
    #[must_use]
    pub fn square_root(self) -> Option<Residue> {
        let root = self.pow(Self::MODULUS.div_ceil(4));
        (root * root == self).then_some(root)
    }
}

impl From<u32> for Residue {
    fn from(value: u32) -> Residue {
        Residue(u64::from(value))
    }
}

impl From<&IBig> for Residue {
    fn from(value: &IBig) -> Residue {
        Residue(remainder(value, Self::MODULUS))
    }
}

impl Add for Residue {
    type Output = Residue;
    #[inline]
    fn add(self, b: Residue) -> Residue {
        self.plus(b)
    }
}

impl AddAssign for Residue {
    #[inline]
    fn add_assign(&mut self, b: Residue) {
        *self = *self + b;
    }
}

impl Neg for Residue {
    type Output = Residue;
    #[inline]
    fn neg(self) -> Residue {
        Residue(if self.0 == 0 { 0 } else { Self::MODULUS - self.0 })
    }
}

impl Sub for Residue {
    type Output = Residue;
    #[inline]
    fn sub(self, b: Residue) -> Residue {
        self + -b
    }
}

impl Mul for Residue {
    type Output = Residue;
    #[inline]
    fn mul(self, b: Residue) -> Residue {
        self.times(b)
    }
}

impl MulAssign for Residue {
    #[inline]
    fn mul_assign(&mut self, b: Residue) {
        *self = *self * b;
    }
}

impl std::iter::Sum for Residue {
    fn sum<I: Iterator<Item = Residue>>(all: I) -> Residue {
        all.fold(Residue::ZERO, Residue::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_axioms_that_could_go_wrong() {
        let p = Residue::MODULUS;
        for a in [1, 2, 12345, p - 1].map(Residue::new) {
            assert_eq!(a * a.inverse().unwrap(), Residue::ONE);
            assert_eq!(a - a, Residue::ZERO);
            let root = (a * a).square_root().unwrap();
            assert!(root == a || root == -a);
            assert!((a * a).is_square() && root.is_square());
            assert!(!(-(a * a)).is_square());
        }
        assert_eq!(Residue::ZERO.inverse(), None);
        assert_eq!(Residue::from(&(IBig::from(p) * IBig::from(p) - IBig::ONE)), -Residue::ONE);
        assert_eq!(Residue::from(&-IBig::from(p)), Residue::ZERO);
        assert_eq!(
            Residue::fraction(&IBig::from(-3), &IBig::from(2)),
            Some(-(Residue::ONE + Residue::new(2).inverse().unwrap()))
        );
    }
}
