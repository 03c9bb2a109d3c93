//! Power products `x0^e0 · x1^e1 ⋯ x31^e31`, packed eight exponents to a word.
//!
//! ```text
//! word 0:  | e0 | e1 | … | e7 |     word 1:  | e8 | … | e15 |     …     (M1)
//! ```
//!
//! Each exponent has a byte, whose top bit is a *guard* that is clear in every
//! stored monomial, so exponents run from 0 to 127. The guard makes whole words
//! comparable in one operation: adding two words sets a guard exactly where an
//! exponent overflows, and in `(a | guards) − b` a guard survives exactly where
//! `a ≥ b`. Variable 0 is the most significant byte, so comparing the words as
//! an array is the lexicographic order with `x0 > x1 > …`.
//!
//! Source: the packing is that of \[MonaganPearce2011\].
//!
//! Not here: other monomial orders (`ideal.rs`).

/// The largest number of variables a polynomial can have.
pub const MAX_VARS: usize = 32;

/// The largest exponent of a single variable.
pub const MAX_EXPONENT: u8 = 127;

const WORDS: usize = 4;
const PER_WORD: usize = 8;
const GUARDS: u64 = 0x8080_8080_8080_8080;

/// A power product of at most [`MAX_VARS`] variables, ordered lexicographically.
///
/// Invariant: every guard bit of (M1) is clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial([u64; WORDS]);

/// The shift that brings the exponent of `var` to the low byte of its word.
#[inline]
const fn shift(var: usize) -> usize {
    56 - 8 * (var % PER_WORD)
}

/// Fills every byte whose guard bit is set in `guards`, clears the others.
#[inline]
const fn byte_mask(guards: u64) -> u64 {
    (guards >> 7) * 0xff
}

impl Monomial {
    /// The empty product.
    pub const ONE: Self = Self([0; WORDS]);

    /// The variable `var` itself.
    ///
    /// # Panics
    /// If `var` is not below [`MAX_VARS`].
    #[inline]
    #[must_use]
    pub fn variable(var: usize) -> Self {
        Self::ONE.with_exponent(var, 1)
    }

    /// Whether this is the empty product.
    #[inline]
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// The exponent of `var`.
    ///
    /// # Panics
    /// If `var` is not below [`MAX_VARS`].
    #[inline]
    #[must_use]
    pub fn exponent(&self, var: usize) -> u8 {
        (self.0[var / PER_WORD] >> shift(var)) as u8
    }

    /// The same product with the exponent of `var` replaced.
    ///
    /// # Panics
    /// If `var` is not below [`MAX_VARS`] or `exponent` above [`MAX_EXPONENT`].
    #[inline]
    #[must_use]
    pub fn with_exponent(mut self, var: usize, exponent: u8) -> Self {
        assert!(exponent <= MAX_EXPONENT, "exponent {exponent} above {MAX_EXPONENT}");
        let word = &mut self.0[var / PER_WORD];
        *word = *word & !(0xff << shift(var)) | u64::from(exponent) << shift(var);
        self
    }

    /// The product, or nothing if an exponent would exceed [`MAX_EXPONENT`].
    #[inline]
    #[must_use]
    pub fn checked_mul(&self, other: &Self) -> Option<Self> {
        let product = self.mul_unguarded(other);
        let overflow = product.0.iter().fold(0, |acc, word| acc | word) & GUARDS;
        (overflow == 0).then_some(product)
    }

    /// The product where the caller knows that no exponent overflows.
    #[inline]
    pub(crate) fn mul_unguarded(&self, other: &Self) -> Self {
        let mut words = self.0;
        for (word, add) in words.iter_mut().zip(other.0) {
            *word += add;
        }
        Self(words)
    }

    /// The quotient `self / divisor`, or nothing if it is not a monomial.
    #[inline]
    #[must_use]
    pub fn divide(&self, divisor: &Self) -> Option<Self> {
        let mut words = self.0;
        let mut kept = GUARDS;
        for (word, sub) in words.iter_mut().zip(divisor.0) {
            let difference = (*word | GUARDS) - sub;
            kept &= difference;
            *word = difference & !GUARDS;
        }
        (kept == GUARDS).then_some(Self(words))
    }

    /// Whether `self` divides `other`.
    #[inline]
    #[must_use]
    pub fn divides(&self, other: &Self) -> bool {
        other.divide(self).is_some()
    }

    /// The greatest common divisor: the smaller of each pair of exponents.
    #[inline]
    #[must_use]
    pub fn gcd(&self, other: &Self) -> Self {
        self.combine(other, |a, b, a_not_less| b & a_not_less | a & !a_not_less)
    }

    /// The least common multiple: the larger of each pair of exponents.
    #[inline]
    #[must_use]
    pub fn lcm(&self, other: &Self) -> Self {
        self.combine(other, |a, b, a_not_less| a & a_not_less | b & !a_not_less)
    }

    #[inline]
    fn combine(&self, other: &Self, choose: impl Fn(u64, u64, u64) -> u64) -> Self {
        let mut words = self.0;
        for (a, b) in words.iter_mut().zip(other.0) {
            let a_not_less = byte_mask(((*a | GUARDS) - b) & GUARDS);
            *a = choose(*a, b, a_not_less);
        }
        Self(words)
    }

    /// The sum of all exponents.
    #[inline]
    #[must_use]
    pub fn degree(&self) -> u32 {
        const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
        self.0
            .iter()
            .map(|word| {
                let pairs = (word & EVEN) + (word >> 8 & EVEN);
                (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
            })
            .sum()
    }

    /// The variables that occur, bit `i` standing for variable `i`.
    #[inline]
    #[must_use]
    pub fn variables(&self) -> u32 {
        let mut mask = 0;
        for (k, word) in self.0.iter().enumerate() {
            let occupied = ((word + !GUARDS) & GUARDS) >> 7; // low bit of each byte
            let gathered = (occupied.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8;
            mask |= u32::from(gathered.reverse_bits()) << (PER_WORD * k);
        }
        mask
    }

    /// The pairs (variable, exponent) with positive exponent, variables rising.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u8)> + use<> {
        let monomial = *self;
        set_bits(self.variables()).map(move |var| (var, monomial.exponent(var)))
    }

    /// The part of the product in the variables of `mask`, and the rest of it.
    #[must_use]
    pub fn split(&self, mask: u32) -> (Self, Self) {
        let mut inside = Self::ONE;
        let mut outside = *self;
        for (var, exponent) in self.iter() {
            if mask >> var & 1 == 1 {
                inside = inside.with_exponent(var, exponent);
                outside = outside.with_exponent(var, 0);
            }
        }
        (inside, outside)
    }

    /// Compares in graded reverse lexicographic order with `x0 > x1 > …`: by
    /// total degree, then the *smaller* exponent of the last variable wins.
    #[inline]
    #[must_use]
    pub fn cmp_grevlex(&self, other: &Self) -> std::cmp::Ordering {
        let reversed = |m: &Self| {
            let [a, b, c, d] = m.0;
            [d.swap_bytes(), c.swap_bytes(), b.swap_bytes(), a.swap_bytes()]
        };
        self.degree().cmp(&other.degree()).then_with(|| reversed(other).cmp(&reversed(self)))
    }
}

/// The positions of the set bits, rising.
pub(crate) fn set_bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn from_exponents(exponents: &[u8]) -> Monomial {
        let mut m = Monomial::ONE;
        for (var, &e) in exponents.iter().enumerate() {
            m = m.with_exponent(var, e);
        }
        m
    }

    fn exponents() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(0..=MAX_EXPONENT, MAX_VARS)
    }

    /// The obvious bytewise operation the packed one must agree with.
    fn bytewise(a: &[u8], b: &[u8], op: impl Fn(u8, u8) -> u8) -> Monomial {
        from_exponents(&a.iter().zip(b).map(|(&a, &b)| op(a, b)).collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn packed_operations_agree_with_bytewise_ones(a in exponents(), b in exponents()) {
            let (ma, mb) = (from_exponents(&a), from_exponents(&b));
            prop_assert_eq!(ma.gcd(&mb), bytewise(&a, &b, u8::min));
            prop_assert_eq!(ma.lcm(&mb), bytewise(&a, &b, u8::max));
            prop_assert_eq!(ma.cmp(&mb), a.cmp(&b));
            prop_assert_eq!(ma.degree(), a.iter().map(|&e| u32::from(e)).sum::<u32>());
            let fits = a.iter().zip(&b).all(|(&a, &b)| a + b <= MAX_EXPONENT);
            let product = fits.then(|| bytewise(&a, &b, |a, b| a + b));
            prop_assert_eq!(ma.checked_mul(&mb), product);
            let divisible = a.iter().zip(&b).all(|(a, b)| a >= b);
            prop_assert_eq!(mb.divides(&ma), divisible);
            prop_assert_eq!(ma.lcm(&mb).divide(&mb), Some(bytewise(&a, &b, |a, b| a.max(b) - b)));
        }

        #[test]
        fn iteration_lists_the_exponents(a in prop::collection::vec(0u8..3, MAX_VARS)) {
            let m = from_exponents(&a);
            let listed: Vec<_> = m.iter().collect();
            let expected: Vec<_> = a.iter().copied().enumerate().filter(|&(_, e)| e > 0).collect();
            prop_assert_eq!(listed, expected);
        }
    }

    #[test]
    fn guard_stops_exponents_at_127() {
        let x = Monomial::variable(5).with_exponent(5, 127);
        assert_eq!(x.checked_mul(&Monomial::variable(5)), None);
        assert!(x.checked_mul(&Monomial::variable(6)).is_some());
    }

    #[test]
    fn splitting_by_a_mask_and_multiplying_gives_it_back() {
        let m = from_exponents(&[3, 0, 1, 7, 2]);
        let (inside, outside) = m.split(0b01001);
        assert_eq!(inside, from_exponents(&[3, 0, 0, 7]));
        assert_eq!(inside.checked_mul(&outside), Some(m));
    }

    #[test]
    fn grevlex_prefers_the_smaller_power_of_the_last_variable() {
        let [xz, y2] = [[1, 0, 1], [0, 2, 0]].map(|e| from_exponents(&e));
        assert_eq!(xz.cmp(&y2), Ordering::Greater);
        assert_eq!(xz.cmp_grevlex(&y2), Ordering::Less);
        assert_eq!(xz.cmp_grevlex(&from_exponents(&[1])), Ordering::Greater);
        assert_eq!(xz.cmp_grevlex(&xz), Ordering::Equal);
    }
}
