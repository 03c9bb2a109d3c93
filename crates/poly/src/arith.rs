//! Products, powers, substitution and exact division of polynomials.
//!
//! Products and quotients of long polynomials run over a heap of term streams
//! \[MonaganPearce2011\]: for `A = Σ a_i` and `B` each stream `a_i·B` is already
//! sorted, and a heap that holds the head of every stream delivers the products
//! of terms in decreasing order, so that equal monomials meet at once and the
//! number of terms of the result is known while it is made. Division is the same
//! with the streams `q_j·B` subtracted from `A`, each new head giving the next
//! term of the quotient.

use crate::mono::{MAX_EXPONENT, Monomial};
use crate::poly::{MAX_POWER_BITS, MAX_TERMS, Poly, Term, TooLarge};
use crate::zippel::image_divides;
use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivRem, UnsignedAbs};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Up to this many products of terms are made all at once and sorted.
const SORTED_PRODUCTS: usize = 256;

/// Dividends of at least this many terms are tested modulo a prime first.
const IMAGE_TEST_TERMS: usize = 48;

impl Poly {
    /// `self · other` with at most [`MAX_TERMS`] terms.
    ///
    /// # Errors
    /// [`TooLarge`] as for [`Poly::checked_mul`].
    pub fn mul(&self, other: &Self) -> Result<Self, TooLarge> {
        self.checked_mul(other, MAX_TERMS)
    }

    /// `self · other`.
    ///
    /// # Errors
    /// [`TooLarge::Exponent`] if an exponent overflows, which is decided exactly
    /// since degrees add; [`TooLarge::Terms`] if the product has more than
    /// `max_terms` terms.
    pub fn checked_mul(&self, other: &Self, max_terms: usize) -> Result<Self, TooLarge> {
        let (short, long) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        let Some((monomial, coefficient)) = short.leading() else { return Ok(Self::zero()) };
        if short.degrees().checked_mul(&long.degrees()).is_none() {
            return Err(TooLarge::Exponent);
        }
        let product = if short.len() == 1 {
            let by_one = |(m, c): &Term| (m.mul_unguarded(monomial), c * coefficient);
            Self::from_sorted(long.terms().iter().map(by_one).collect())
        } else if short.len() * long.len() <= SORTED_PRODUCTS {
            mul_sorting(short, long)
        } else {
            mul_streams(short, long, max_terms)?
        };
        within(product, max_terms)
    }

    /// The product where the caller knows it to be of moderate size, because it
    /// divides a polynomial that exists.
    pub(crate) fn mul_divisor(&self, other: &Self) -> Self {
        self.checked_mul(other, usize::MAX).expect("a divisor has no larger degrees")
    }

    /// `self^exponent` with at most [`MAX_TERMS`] terms.
    ///
    /// # Errors
    /// [`TooLarge`] as for [`Poly::checked_mul`].
    pub fn pow(&self, exponent: u32) -> Result<Self, TooLarge> {
        self.checked_pow(exponent, MAX_TERMS)
    }

    /// `self^exponent`.
    ///
    /// Multiplies by the base again and again: for sparse polynomials that makes
    /// fewer products of terms than squaring \[Fateman1974\].
    ///
    /// # Errors
    /// [`TooLarge`] as for [`Poly::checked_mul`].
    pub fn checked_pow(&self, exponent: u32, max_terms: usize) -> Result<Self, TooLarge> {
        if let Some(value) = self.as_constant() {
            return pow_integer(&value, exponent).map(Self::constant);
        }
        if self.degrees().iter().any(|(_, e)| u32::from(e).saturating_mul(exponent) > MAX_EXPONENT.into()) {
            return Err(TooLarge::Exponent);
        }
        let mut power = Self::one();
        for _ in 0..exponent {
            power = power.checked_mul(self, max_terms)?;
        }
        Ok(power)
    }

    /// Replaces `var` by `value`, by Horner's rule.
    ///
    /// # Errors
    /// [`TooLarge`] as for [`Poly::checked_mul`].
    pub fn substitute(&self, var: usize, value: &Self, max_terms: usize) -> Result<Self, TooLarge> {
        if self.degree(var) == 0 {
            return within(self.clone(), max_terms);
        }
        horner(self.coefficients_in(var).iter().rev(), value, max_terms)
    }

    /// Replaces `var²` by `value` until `var` has degree at most one, as in
    /// s² → 1 − c²: with `t = var²`,
    ///
    /// ```text
    /// P = E(t) + var·O(t)   →   E(value) + var·O(value).
    /// ```
    ///
    /// # Errors
    /// [`TooLarge`] as for [`Poly::checked_mul`].
    ///
    /// # Panics
    /// If `value` contains `var`.
    pub fn substitute_square(&self, var: usize, value: &Self, max_terms: usize) -> Result<Self, TooLarge> {
        assert_eq!(value.degree(var), 0, "the square of x{var} is given without x{var}");
        if self.degree(var) < 2 {
            return within(self.clone(), max_terms);
        }
        let coefficients = self.coefficients_in(var);
        let part = |parity: usize| {
            let powers = coefficients.iter().skip(parity).step_by(2);
            horner(powers.collect::<Vec<_>>().into_iter().rev(), value, max_terms)
        };
        let (even, odd) = (part(0)?, part(1)?);
        within(Self::from_coefficients(var, &[even, odd])?, max_terms)
    }

    /// The quotient `self / divisor` if it is a polynomial with integer
    /// coefficients; nothing otherwise, nor for a zero divisor.
    ///
    /// Cheap necessary conditions come first (ends of the term lists, degrees,
    /// values at 1, images in one variable modulo a prime), so that a failure
    /// usually costs little.
    #[must_use]
    pub fn div_exact(&self, divisor: &Self) -> Option<Self> {
        let (lead_monomial, lead) = divisor.leading()?;
        if self.is_zero() {
            return Some(Self::zero());
        }
        if divisor.len() == 1 {
            return div_by_term(self, lead_monomial, lead);
        }
        let bounds = quotient_bounds(self, divisor)?;
        if self.len() >= IMAGE_TEST_TERMS && !image_divides(divisor, self) {
            return None;
        }
        div_streams(self, divisor, &bounds)
    }
}

/// Refuses a polynomial of more than `limit` terms.
pub(crate) fn within(poly: Poly, limit: usize) -> Result<Poly, TooLarge> {
    if poly.len() > limit { Err(TooLarge::Terms { limit }) } else { Ok(poly) }
}

fn pow_integer(base: &IBig, exponent: u32) -> Result<IBig, TooLarge> {
    let size = base.bit_len().saturating_mul(exponent as usize);
    if size > MAX_POWER_BITS && !base.unsigned_abs().is_one() {
        return Err(TooLarge::Coefficient);
    }
    Ok(base.pow(exponent as usize))
}

/// The value at `point` of the polynomial with these coefficients, highest first.
fn horner<'a>(coefficients: impl Iterator<Item = &'a Poly>, point: &Poly, max_terms: usize) -> Result<Poly, TooLarge> {
    let mut value = Poly::zero();
    for coefficient in coefficients {
        value = within(&value.checked_mul(point, max_terms)? + coefficient, max_terms)?;
    }
    Ok(value)
}

fn mul_sorting(a: &Poly, b: &Poly) -> Poly {
    let row = |(ma, ca): &'_ Term| {
        let (ma, ca) = (*ma, ca.clone());
        b.terms().iter().map(move |(mb, cb)| (ma.mul_unguarded(mb), &ca * cb))
    };
    Poly::from_terms(a.terms().iter().flat_map(row))
}

/// The heap product: stream `i` walks along `a_i·B`. Stream `i + 1` starts when
/// stream `i` gives its first product, which is the larger one.
fn mul_streams(a: &Poly, b: &Poly, max_terms: usize) -> Result<Poly, TooLarge> {
    let (a, b) = (a.terms(), b.terms());
    let mut position = vec![0; a.len()];
    let mut heap = BinaryHeap::with_capacity(a.len());
    heap.push((a[0].0.mul_unguarded(&b[0].0), 0));
    let mut terms: Vec<Term> = Vec::new();
    while let Some(&(monomial, _)) = heap.peek() {
        let mut coefficient = IBig::ZERO;
        let mut started = None; // the last stream, if it gives its first product
        while let Some(mut head) = heap.peek_mut() {
            let (m, i) = *head;
            if m != monomial {
                break;
            }
            let k = position[i];
            coefficient += &a[i].1 * &b[k].1;
            position[i] += 1;
            if k + 1 < b.len() {
                *head = (a[i].0.mul_unguarded(&b[k + 1].0), i);
            } else {
                PeekMut::pop(head);
            }
            if k == 0 {
                started = Some(i);
            }
        }
        if let Some(i) = started.filter(|i| i + 1 < a.len()) {
            heap.push((a[i + 1].0.mul_unguarded(&b[0].0), i + 1));
        }
        if !coefficient.is_zero() {
            if terms.len() == max_terms {
                return Err(TooLarge::Terms { limit: max_terms });
            }
            terms.push((monomial, coefficient));
        }
    }
    Ok(Poly::from_sorted(terms))
}

/// What an exact quotient must satisfy, known before it is computed.
struct QuotientBounds {
    degrees: Monomial,  // its degree in every variable
    trailing: Monomial, // its smallest monomial
}

/// The bounds, or nothing if the division cannot be exact.
fn quotient_bounds(dividend: &Poly, divisor: &Poly) -> Option<QuotientBounds> {
    let ((lead_a, ca), (trail_a, ta)) = (dividend.leading()?, dividend.trailing()?);
    let ((lead_b, cb), (trail_b, tb)) = (divisor.leading()?, divisor.trailing()?);
    lead_a.divide(lead_b)?;
    let trailing = trail_a.divide(trail_b)?;
    if !(ca % cb).is_zero() || !(ta % tb).is_zero() {
        return None;
    }
    let degrees = dividend.degrees().divide(&divisor.degrees())?;
    let (sum_a, sum_b) = (dividend.coefficient_sum(), divisor.coefficient_sum());
    let sums_divide = if sum_b.is_zero() { sum_a.is_zero() } else { (sum_a % sum_b).is_zero() };
    sums_divide.then_some(QuotientBounds { degrees, trailing })
}

fn div_by_term(dividend: &Poly, monomial: &Monomial, coefficient: &IBig) -> Option<Poly> {
    let divide = |(m, c): &Term| Some((m.divide(monomial)?, div_integer(c, coefficient)?));
    Some(Poly::from_sorted(dividend.terms().iter().map(divide).collect::<Option<_>>()?))
}

/// `a / b` if it is an integer, for `b ≠ 0`.
fn div_integer(a: &IBig, b: &IBig) -> Option<IBig> {
    if b.is_one() {
        return Some(a.clone());
    }
    let (quotient, remainder) = a.div_rem(b);
    remainder.is_zero().then_some(quotient)
}

/// The heap division: stream `j` walks along `q_j·B` behind its leading term.
fn div_streams(dividend: &Poly, divisor: &Poly, bounds: &QuotientBounds) -> Option<Poly> {
    let (a, b) = (dividend.terms(), divisor.terms());
    let (lead_monomial, lead) = &b[0];
    let mut quotient: Vec<Term> = Vec::new();
    let mut position: Vec<usize> = Vec::new();
    let mut heap: BinaryHeap<(Monomial, usize)> = BinaryHeap::new();
    let mut next = 0;
    loop {
        let monomial = match (a.get(next), heap.peek()) {
            (Some((ma, _)), Some((mh, _))) => *ma.max(mh),
            (Some((m, _)), None) | (None, Some((m, _))) => *m,
            (None, None) => return Some(Poly::from_sorted(quotient)),
        };
        let mut coefficient = IBig::ZERO;
        if let Some((_, c)) = a.get(next).filter(|(m, _)| *m == monomial) {
            coefficient = c.clone();
            next += 1;
        }
        while let Some(mut head) = heap.peek_mut() {
            let (m, j) = *head;
            if m != monomial {
                break;
            }
            let k = position[j];
            coefficient -= &quotient[j].1 * &b[k].1;
            position[j] += 1;
            if k + 1 < b.len() {
                *head = (quotient[j].0.mul_unguarded(&b[k + 1].0), j);
            } else {
                PeekMut::pop(head);
            }
        }
        if coefficient.is_zero() {
            continue;
        }
        let q = monomial.divide(lead_monomial)?;
        if q < bounds.trailing || !q.divides(&bounds.degrees) {
            return None;
        }
        heap.push((q.mul_unguarded(&b[1].0), quotient.len()));
        quotient.push((q, div_integer(&coefficient, lead)?));
        position.push(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(var: usize) -> Poly {
        Poly::variable(var)
    }

    /// 1 + x0 + x1 + … in `n` variables.
    fn simplex(n: usize) -> Poly {
        (0..n).fold(Poly::one(), |sum, var| &sum + &x(var))
    }

    #[test]
    fn both_ways_of_multiplying_agree() {
        let a = simplex(4).pow(3).expect("small");
        let b = (&simplex(5) - &x(2)).pow(2).expect("small");
        let streams = mul_streams(&a, &b, usize::MAX).expect("no limit");
        assert_eq!(streams, mul_sorting(&a, &b));
        assert_eq!(streams, mul_streams(&b, &a, usize::MAX).expect("no limit"));
        assert_eq!(a.mul(&b), Ok(streams));
    }

    #[test]
    fn powers_have_binomial_coefficients() {
        let cube = (&x(0) - &x(1)).pow(3).expect("small");
        assert_eq!(cube.to_string(), "x0^3 - 3*x0^2*x1 + 3*x0*x1^2 - x1^3");
        assert_eq!(simplex(4).pow(6).expect("small").len(), 210);
        assert!(simplex(2).pow(0).expect("small").is_one());
    }

    #[test]
    fn growth_is_refused_not_suffered() {
        let p = simplex(6);
        assert_eq!(p.checked_pow(8, 100), Err(TooLarge::Terms { limit: 100 }));
        let high = Poly::term(Monomial::ONE.with_exponent(3, 100), IBig::ONE);
        assert_eq!(high.mul(&high), Err(TooLarge::Exponent));
        assert_eq!((&high + &x(0)).pow(2), Err(TooLarge::Exponent));
        assert_eq!((&high + &x(0)).pow(u32::MAX), Err(TooLarge::Exponent));
        let two = Poly::constant(IBig::from(2));
        assert_eq!(two.pow(u32::MAX), Err(TooLarge::Coefficient));
        assert_eq!(two.neg().pow(3), Ok(Poly::constant(IBig::from(-8))));
        assert!(Poly::one().pow(u32::MAX).expect("one").is_one());
    }

    #[test]
    fn exact_division_inverts_products() {
        let a = &simplex(5).pow(3).expect("small") - &x(1);
        let b = &simplex(4).pow(2).expect("small") + &x(4).scale(&IBig::from(7));
        let product = a.mul(&b).expect("small");
        assert_eq!(product.div_exact(&a), Some(b.clone()));
        assert_eq!(product.div_exact(&b), Some(a.clone()));
        assert_eq!((&product + &Poly::one()).div_exact(&a), None);
        assert_eq!(a.div_exact(&product), None);
        assert_eq!(a.div_exact(&Poly::zero()), None);
        assert_eq!(Poly::zero().div_exact(&a), Some(Poly::zero()));
    }

    #[test]
    fn division_needs_integer_quotients() {
        let p = &x(0).scale(&IBig::from(3)) + &x(1).scale(&IBig::from(3));
        let q = &x(0).scale(&IBig::from(2)) + &x(1).scale(&IBig::from(2));
        assert_eq!(p.div_exact(&q), None);
        assert_eq!(p.div_exact(&Poly::constant(IBig::from(2))), None);
        assert_eq!(p.div_exact(&Poly::constant(IBig::from(-3))), Some(-&(&x(0) + &x(1))));
    }

    #[test]
    fn a_divisor_that_vanishes_at_one_is_still_found() {
        let factor = &x(0) - &x(1);
        let product = factor.mul(&simplex(3)).expect("small");
        assert_eq!(product.div_exact(&factor), Some(simplex(3)));
        assert_eq!(simplex(3).div_exact(&factor), None);
    }

    #[test]
    fn squares_of_sines_become_cosines() {
        // s⁴ + s³ c + s with s² → 1 − c², s = x0, c = x1
        let p = Poly::from_table(&[(1, &[(0, 4)]), (1, &[(0, 3), (1, 1)]), (1, &[(0, 1)])]);
        let rule = &Poly::one() - &x(1).pow(2).expect("small");
        let reduced = p.substitute_square(0, &rule, MAX_TERMS).expect("small");
        let expected = Poly::from_table(&[
            (1, &[]),
            (-2, &[(1, 2)]),
            (1, &[(1, 4)]),
            (1, &[(0, 1), (1, 1)]),
            (-1, &[(0, 1), (1, 3)]),
            (1, &[(0, 1)]),
        ]);
        assert_eq!(reduced, expected);
        assert_eq!(reduced.substitute_square(0, &rule, MAX_TERMS), Ok(reduced));
        assert_eq!(p.substitute_square(0, &rule, 3), Err(TooLarge::Terms { limit: 3 }));
    }

    #[test]
    fn substitution_composes() {
        let p = Poly::from_table(&[(1, &[(0, 2)]), (-3, &[(1, 1)])]);
        let shifted = p.substitute(0, &(&x(0) + &Poly::one()), MAX_TERMS);
        let expected = Poly::from_table(&[(1, &[(0, 2)]), (2, &[(0, 1)]), (1, &[]), (-3, &[(1, 1)])]);
        assert_eq!(shifted, Ok(expected));
        assert_eq!(p.substitute(7, &Poly::zero(), MAX_TERMS), Ok(p));
    }
}
