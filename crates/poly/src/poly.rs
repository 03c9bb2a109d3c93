//! The polynomial type: a list of terms in strictly decreasing order.
//!
//! ```text
//! P = Σ_k c_k m_k,     m_1 > m_2 > …  (lexicographic),     c_k ≠ 0       (P1)
//! ```
//!
//! (P1) makes the representation unique, so equality of polynomials is equality
//! of term lists, and a sum is a merge.
//!
//! Not here: products and division (`arith.rs`), greatest common divisors
//! (`gcd.rs`).

use crate::mono::{MAX_EXPONENT, MAX_VARS, Monomial, set_bits};
use crate::residue::Residue;
use dashu_int::IBig;
use dashu_int::ops::{Gcd, UnsignedAbs};
use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::ops::{Add, Neg, Sub};

/// The number of terms above which [`Poly::mul`] and [`Poly::pow`] give up.
pub const MAX_TERMS: usize = 1 << 20;

/// The number of bits above which a power of a constant is refused.
pub const MAX_POWER_BITS: usize = 1 << 24;

/// One term: a power product and its coefficient.
pub type Term = (Monomial, IBig);

/// A result that cannot be represented or is not worth having.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TooLarge {
    /// A variable would need an exponent above [`MAX_EXPONENT`].
    Exponent,
    /// A power of an integer would have more than [`MAX_POWER_BITS`] bits.
    Coefficient,
    /// The result has more terms than the limit.
    Terms {
        /// The limit that was exceeded.
        limit: usize,
    },
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exponent => write!(f, "an exponent exceeds {MAX_EXPONENT}"),
            Self::Coefficient => write!(f, "an integer power exceeds {MAX_POWER_BITS} bits"),
            Self::Terms { limit } => write!(f, "the polynomial has more than {limit} terms"),
        }
    }
}

impl std::error::Error for TooLarge {}

/// A polynomial with integer coefficients in the variables `x0, …, x31`.
///
/// Invariant: (P1) of the module head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Poly {
    terms: Vec<Term>,
}

impl Poly {
    /// The polynomial 0.
    #[must_use]
    pub const fn zero() -> Self {
        Self { terms: Vec::new() }
    }

    /// The polynomial 1.
    #[must_use]
    pub fn one() -> Self {
        Self::constant(IBig::ONE)
    }

    /// A constant.
    #[must_use]
    pub fn constant(value: IBig) -> Self {
        Self::term(Monomial::ONE, value)
    }

    /// The variable `var`.
    ///
    /// # Panics
    /// If `var` is not below [`MAX_VARS`].
    #[must_use]
    pub fn variable(var: usize) -> Self {
        Self::term(Monomial::variable(var), IBig::ONE)
    }

    /// A single term, or zero if the coefficient is.
    #[must_use]
    pub fn term(monomial: Monomial, coefficient: IBig) -> Self {
        let terms = if coefficient.is_zero() { vec![] } else { vec![(monomial, coefficient)] };
        Self { terms }
    }

    /// The sum of the given terms, in any order and with repetitions.
    #[must_use]
    pub fn from_terms(terms: impl IntoIterator<Item = Term>) -> Self {
        let mut terms: Vec<Term> = terms.into_iter().collect();
        terms.sort_unstable_by_key(|(m, _)| Reverse(*m));
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += &next.1;
            }
            same
        });
        terms.retain(|(_, c)| !c.is_zero());
        Self { terms }
    }

    /// The sum of terms written as `(coefficient, [(variable, exponent), …])`:
    /// how tests and tables write a polynomial down.
    ///
    /// # Panics
    /// If a variable is not below [`MAX_VARS`] or an exponent above [`MAX_EXPONENT`].
    #[must_use]
    pub fn from_table(table: &[(i64, &[(usize, u8)])]) -> Self {
        Self::from_terms(table.iter().map(|&(coefficient, powers)| {
            let with = |m: Monomial, &(var, exponent): &(usize, u8)| m.with_exponent(var, exponent);
            (powers.iter().fold(Monomial::ONE, with), IBig::from(coefficient))
        }))
    }

    /// Takes over a list that already satisfies (P1).
    pub(crate) fn from_sorted(terms: Vec<Term>) -> Self {
        debug_assert!(terms.windows(2).all(|w| w[0].0 > w[1].0), "terms decrease");
        debug_assert!(terms.iter().all(|(_, c)| !c.is_zero()), "no coefficient vanishes");
        Self { terms }
    }

    /// The terms, largest monomial first.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The terms, largest monomial first, given away.
    #[must_use]
    pub fn into_terms(self) -> Vec<Term> {
        self.terms
    }

    /// The number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is no term; the same as [`Poly::is_zero`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether this is the polynomial 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether this is the polynomial 1.
    #[must_use]
    pub fn is_one(&self) -> bool {
        matches!(self.terms.as_slice(), [(m, c)] if m.is_one() && c.is_one())
    }

    /// Whether no variable occurs.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.terms.first().is_none_or(|(m, _)| m.is_one())
    }

    /// The value, if no variable occurs.
    #[must_use]
    pub fn as_constant(&self) -> Option<IBig> {
        match self.terms.as_slice() {
            [] => Some(IBig::ZERO),
            [(m, c)] if m.is_one() => Some(c.clone()),
            _ => None,
        }
    }

    /// The lexicographically largest term; nothing for zero.
    #[must_use]
    pub fn leading(&self) -> Option<&Term> {
        self.terms.first()
    }

    /// The lexicographically smallest term; nothing for zero.
    #[must_use]
    pub fn trailing(&self) -> Option<&Term> {
        self.terms.last()
    }

    /// The largest exponent of `var`; 0 for the zero polynomial.
    #[must_use]
    pub fn degree(&self, var: usize) -> u8 {
        self.terms.iter().map(|(m, _)| m.exponent(var)).max().unwrap_or(0)
    }

    /// The largest sum of exponents in a term; 0 for the zero polynomial.
    #[must_use]
    pub fn total_degree(&self) -> u32 {
        self.terms.iter().map(|(m, _)| m.degree()).max().unwrap_or(0)
    }

    /// The largest exponent of every variable, packed as a monomial.
    #[must_use]
    pub fn degrees(&self) -> Monomial {
        self.terms.iter().fold(Monomial::ONE, |acc, (m, _)| acc.lcm(m))
    }

    /// The variables that occur, bit `i` standing for variable `i`.
    #[must_use]
    pub fn variables(&self) -> u32 {
        self.degrees().variables()
    }

    /// `self · factor`.
    #[must_use]
    pub fn scale(&self, factor: &IBig) -> Self {
        if factor.is_zero() {
            return Self::zero();
        }
        self.map_coefficients(|c| c * factor)
    }

    /// Divides every coefficient by `divisor`, which must be non-zero and divide
    /// them all.
    pub(crate) fn unscale(&self, divisor: &IBig) -> Self {
        if divisor.is_one() {
            return self.clone();
        }
        self.map_coefficients(|c| c / divisor)
    }

    /// Rewrites the coefficients by a map that sends none of them to zero.
    fn map_coefficients(&self, map: impl Fn(&IBig) -> IBig) -> Self {
        Self { terms: self.terms.iter().map(|(m, c)| (*m, map(c))).collect() }
    }

    /// `self · monomial`.
    ///
    /// # Errors
    /// [`TooLarge::Exponent`] if an exponent overflows.
    pub fn mul_monomial(&self, monomial: &Monomial) -> Result<Self, TooLarge> {
        let shifted = |(m, c): &Term| Some((m.checked_mul(monomial)?, c.clone()));
        let terms = self.terms.iter().map(shifted).collect::<Option<_>>();
        Ok(Self { terms: terms.ok_or(TooLarge::Exponent)? })
    }

    /// `self / monomial`, if every term is divisible.
    #[must_use]
    pub fn div_monomial(&self, monomial: &Monomial) -> Option<Self> {
        if monomial.is_one() {
            return Some(self.clone());
        }
        let shifted = |(m, c): &Term| Some((m.divide(monomial)?, c.clone()));
        Some(Self { terms: self.terms.iter().map(shifted).collect::<Option<_>>()? })
    }

    /// `self + other`; the same as `&self + &other`.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        self.merge(other, IBig::clone, |a, b| a + b)
    }

    /// `self − other`; the same as `&self − &other`.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.merge(other, |b| -b, |a, b| a - b)
    }

    /// `−self`; the same as `−&self`.
    #[must_use]
    pub fn neg(&self) -> Self {
        self.map_coefficients(|c| -c)
    }

    fn merge(&self, other: &Self, only_other: impl Fn(&IBig) -> IBig, both: impl Fn(&IBig, &IBig) -> IBig) -> Self {
        let mut terms = Vec::with_capacity(self.len() + other.len());
        let (mut a, mut b) = (self.terms.as_slice(), other.terms.as_slice());
        while let ([(ma, ca), rest_a @ ..], [(mb, cb), rest_b @ ..]) = (a, b) {
            match ma.cmp(mb) {
                Ordering::Greater => {
                    terms.push((*ma, ca.clone()));
                    a = rest_a;
                }
                Ordering::Less => {
                    terms.push((*mb, only_other(cb)));
                    b = rest_b;
                }
                Ordering::Equal => {
                    let sum = both(ca, cb);
                    if !sum.is_zero() {
                        terms.push((*ma, sum));
                    }
                    (a, b) = (rest_a, rest_b);
                }
            }
        }
        terms.extend_from_slice(a);
        terms.extend(b.iter().map(|(m, c)| (*m, only_other(c))));
        Self { terms }
    }

    /// The greatest common divisor of the coefficients, positive; 0 for zero.
    #[must_use]
    pub fn content(&self) -> IBig {
        let mut content = IBig::ZERO;
        for (_, c) in &self.terms {
            content = IBig::from((&content).gcd(c));
            if content.is_one() {
                break;
            }
        }
        content
    }

    /// `self` divided by its content and given a positive leading coefficient.
    #[must_use]
    pub fn primitive(&self) -> Self {
        let content = self.content();
        if self.has_negative_leading_coefficient() { self.unscale(&-content) } else { self.unscale(&content) }
    }

    /// Whether the leading coefficient is negative.
    #[must_use]
    pub fn has_negative_leading_coefficient(&self) -> bool {
        self.leading().is_some_and(|(_, c)| *c < IBig::ZERO)
    }

    /// The largest monomial that divides every term; 1 for zero.
    #[must_use]
    pub fn monomial_content(&self) -> Monomial {
        let Some((first, _)) = self.leading() else { return Monomial::ONE };
        self.terms.iter().fold(*first, |acc, (m, _)| acc.gcd(m))
    }

    /// The coefficients of the powers of `var`, index = power, none at the end
    /// being zero; empty for zero.
    #[must_use]
    pub fn coefficients_in(&self, var: usize) -> Vec<Self> {
        if self.is_zero() {
            return Vec::new();
        }
        let mut coefficients = vec![Self::zero(); usize::from(self.degree(var)) + 1];
        for (m, c) in &self.terms {
            // Within one power of `var` the order of terms does not depend on it.
            let power = usize::from(m.exponent(var));
            coefficients[power].terms.push((m.with_exponent(var, 0), c.clone()));
        }
        coefficients
    }

    /// `Σ coefficients[k] · var^k`.
    ///
    /// # Errors
    /// [`TooLarge::Exponent`] if an exponent overflows.
    pub fn from_coefficients(var: usize, coefficients: &[Self]) -> Result<Self, TooLarge> {
        let mut terms = Vec::with_capacity(coefficients.iter().map(Self::len).sum());
        for (power, coefficient) in coefficients.iter().enumerate() {
            if coefficient.is_zero() {
                continue;
            }
            let power = u8::try_from(power).ok().filter(|&power| power <= MAX_EXPONENT);
            let power = Monomial::ONE.with_exponent(var, power.ok_or(TooLarge::Exponent)?);
            terms.extend(coefficient.mul_monomial(&power)?.terms);
        }
        Ok(Self::from_terms(terms))
    }

    /// The coefficient of the highest power of `var`; zero for zero.
    #[must_use]
    pub fn leading_coefficient_in(&self, var: usize) -> Self {
        let degree = self.degree(var);
        let highest = self.terms.iter().filter(|(m, _)| m.exponent(var) == degree);
        Self { terms: highest.map(|(m, c)| (m.with_exponent(var, 0), c.clone())).collect() }
    }

    /// The polynomials in the remaining variables that multiply the different
    /// power products of the variables in `mask`.
    #[must_use]
    pub fn coefficients_by(&self, mask: u32) -> Vec<Self> {
        let mut split: Vec<_> = self.terms.iter().map(|(m, c)| (m.split(mask), c)).collect();
        split.sort_by(|((a, _), _), ((b, _), _)| b.cmp(a)); // stable: each part stays sorted
        split
            .chunk_by(|((a, _), _), ((b, _), _)| a == b)
            .map(|group| Self { terms: group.iter().map(|((_, rest), c)| (*rest, (*c).clone())).collect() })
            .collect()
    }

    /// The partial derivative by `var`.
    #[must_use]
    pub fn derivative(&self, var: usize) -> Self {
        let differentiate = |(m, c): &Term| {
            let power = m.exponent(var);
            (power > 0).then(|| (m.with_exponent(var, power - 1), c * IBig::from(power)))
        };
        Self { terms: self.terms.iter().filter_map(differentiate).collect() }
    }

    /// Renames every variable `i` to `map(i)`; the map need not be one to one.
    ///
    /// # Errors
    /// [`TooLarge::Exponent`] if merged variables overflow an exponent.
    ///
    /// # Panics
    /// If `map` gives an index that is not below [`MAX_VARS`].
    pub fn remap(&self, map: impl Fn(usize) -> usize) -> Result<Self, TooLarge> {
        let mut target = [0; MAX_VARS];
        for var in set_bits(self.variables()) {
            target[var] = map(var);
        }
        let rename = |(m, c): &Term| {
            let image = m.iter().try_fold(Monomial::ONE, |acc, (var, exponent)| {
                acc.checked_mul(&Monomial::ONE.with_exponent(target[var], exponent))
            });
            image.map(|m| (m, c.clone())).ok_or(TooLarge::Exponent)
        };
        Ok(Self::from_terms(self.terms.iter().map(rename).collect::<Result<Vec<_>, _>>()?))
    }

    /// The value in F_p where variable `i` has the value `values[i]`; variables beyond the list are 0.
    ///
    /// Two different polynomials of degree `d` agree at a random point with
    /// probability at most `d/p` \[Schwartz1980\], unless `p` divides all
    /// coefficients of their difference.
    #[must_use]
    pub fn eval_mod(&self, values: &[Residue]) -> Residue {
        let degrees = self.degrees();
        let powers: Vec<Vec<Residue>> = (0..MAX_VARS)
            .map(|var| {
                let value = values.get(var).copied().unwrap_or_default();
                let next = |power: &Residue| Some(*power * value);
                std::iter::successors(Some(Residue::ONE), next).take(usize::from(degrees.exponent(var)) + 1).collect()
            })
            .collect();
        let value = |(m, c): &Term| {
            m.iter().fold(Residue::from(c), |acc, (var, exponent)| acc * powers[var][usize::from(exponent)])
        };
        self.terms.iter().map(value).sum()
    }

    /// The sum of the coefficients: the value where every variable is 1.
    pub(crate) fn coefficient_sum(&self) -> IBig {
        self.terms.iter().fold(IBig::ZERO, |sum, (_, c)| sum + c)
    }
}

impl Add for &Poly {
    type Output = Poly;

    fn add(self, other: Self) -> Poly {
        Poly::add(self, other)
    }
}

impl Sub for &Poly {
    type Output = Poly;

    fn sub(self, other: Self) -> Poly {
        Poly::sub(self, other)
    }
}

impl Neg for &Poly {
    type Output = Poly;

    fn neg(self) -> Poly {
        Poly::neg(self)
    }
}

/// Writes `3*x0^2*x1 - x2 + 1`, for messages and debugging.
impl fmt::Display for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return write!(f, "0");
        }
        for (position, (monomial, coefficient)) in self.terms.iter().enumerate() {
            let negative = *coefficient < IBig::ZERO;
            write!(
                f,
                "{}",
                match (position, negative) {
                    (0, true) => "-",
                    (0, false) => "",
                    (_, true) => " - ",
                    (_, false) => " + ",
                }
            )?;
            let magnitude = coefficient.unsigned_abs();
            let mut separator = "";
            if !magnitude.is_one() || monomial.is_one() {
                write!(f, "{magnitude}")?;
                separator = "*";
            }
            for (var, exponent) in monomial.iter() {
                write!(f, "{separator}x{var}")?;
                if exponent > 1 {
                    write!(f, "^{exponent}")?;
                }
                separator = "*";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 x0² x1 − x2 + 1
    fn sample() -> Poly {
        Poly::from_table(&[(1, &[]), (3, &[(0, 2), (1, 1)]), (-1, &[(2, 1)])])
    }

    #[test]
    fn collecting_terms_cancels_and_sorts() {
        let x = Monomial::variable(0);
        let terms = [2, -5, 3].map(|c| (x, IBig::from(c)));
        assert!(Poly::from_terms(terms).is_zero());
        assert_eq!(sample().leading().map(|(m, _)| m.degree()), Some(3));
        assert_eq!(sample().to_string(), "3*x0^2*x1 - x2 + 1");
        assert_eq!((-&Poly::variable(31)).to_string(), "-x31");
        assert_eq!(Poly::constant(IBig::from(-1)).to_string(), "-1");
    }

    #[test]
    fn degrees_and_variables() {
        let p = sample();
        assert_eq!((p.degree(0), p.degree(1), p.degree(5)), (2, 1, 0));
        assert_eq!(p.total_degree(), 3);
        assert_eq!(p.variables(), 0b111);
        assert_eq!(Poly::zero().variables(), 0);
    }

    #[test]
    fn content_carries_size_and_primitive_the_sign() {
        let p = Poly::from_table(&[(-6, &[(0, 3), (1, 1)]), (4, &[(0, 2)])]);
        assert_eq!(p.content(), IBig::from(2));
        assert_eq!(p.primitive(), Poly::from_table(&[(3, &[(0, 3), (1, 1)]), (-2, &[(0, 2)])]));
        assert_eq!(p.monomial_content(), Monomial::ONE.with_exponent(0, 2));
        assert!(Poly::zero().primitive().is_zero());
    }

    #[test]
    fn coefficients_and_back() {
        let p = sample();
        for var in 0..4 {
            let coefficients = p.coefficients_in(var);
            assert_eq!(coefficients.len(), usize::from(p.degree(var)) + 1);
            assert_eq!(coefficients.last(), Some(&p.leading_coefficient_in(var)));
            assert_eq!(Poly::from_coefficients(var, &coefficients), Ok(p.clone()));
        }
        let too_high = vec![Poly::one(); 200];
        assert_eq!(Poly::from_coefficients(0, &too_high), Err(TooLarge::Exponent));
    }

    #[test]
    fn grouping_by_several_variables() {
        // x0·(x2 + 1) + x1·(x2 − 1) grouped by {x0, x1}
        let p = Poly::from_table(&[(1, &[(0, 1), (2, 1)]), (1, &[(0, 1)]), (1, &[(1, 1), (2, 1)]), (-1, &[(1, 1)])]);
        let x2 = Poly::variable(2);
        assert_eq!(p.coefficients_by(0b11), [&x2 + &Poly::one(), &x2 - &Poly::one()]);
    }

    #[test]
    fn renaming_merges_variables() {
        let p = sample();
        let merged = p.remap(|var| if var == 2 { 1 } else { var });
        let expected = Poly::from_table(&[(3, &[(0, 2), (1, 1)]), (-1, &[(1, 1)]), (1, &[])]);
        assert_eq!(merged, Ok(expected));
        assert_eq!(p.remap(|var| 31 - var).and_then(|q| q.remap(|var| 31 - var)), Ok(p));
        let high = Poly::from_table(&[(1, &[(0, 100), (1, 100)])]);
        assert_eq!(high.remap(|_| 0), Err(TooLarge::Exponent));
    }

    #[test]
    fn values_and_derivatives() {
        let p = sample();
        let at = |values: &[u32]| p.eval_mod(&values.iter().map(|v| Residue::from(*v)).collect::<Vec<_>>());
        assert_eq!(at(&[2, 5, 7]), Residue::from(3 * 4 * 5 - 7 + 1));
        assert_eq!(at(&[2, 5, 62]), -Residue::ONE);
        assert_eq!(at(&[]), Residue::ONE);
        assert_eq!(p.derivative(0), Poly::from_table(&[(6, &[(0, 1), (1, 1)])]));
        assert_eq!(p.derivative(7), Poly::zero());
    }
}
