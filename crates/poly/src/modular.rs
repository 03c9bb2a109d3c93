//! Arithmetic modulo word-sized primes: the field, its primes, univariate
//! polynomials over it, and the way back to the integers.
//!
//! Residues are kept in Montgomery form, `a·2⁶⁴ mod p`, so that a product costs
//! two multiplications and no division:
//!
//! ```text
//! a ⊗ b = a b 2⁻⁶⁴ mod p = hi(a b) − hi(lo(a b)·p⁻¹ · p)   (+ p if negative)  (F1)
//! ```
//!
//! where `p⁻¹` is the inverse of `p` modulo 2⁶⁴ \[Montgomery1985\]. A residue drawn
//! at random is its own Montgomery form, so random points need no conversion.
//!
//! Not here: the field in which identities are decided (`residue.rs`).

use crate::residue::Residue;
use dashu_int::{IBig, Sign, Word};
use polhode_base::random::Random;

/// `value mod p` in `0..p`.
#[allow(clippy::unnecessary_cast)] // a word is not 64 bits wide on every target
pub(crate) fn remainder(value: &IBig, p: u64) -> u64 {
    let (sign, words) = value.as_sign_words();
    let magnitude = match words {
        [] => 0,
        [word] => *word as u64 % p,
        _ => words
            .iter()
            .rev()
            .fold(0, |high, &word| ((u128::from(high) << Word::BITS | word as u128) % u128::from(p)) as u64),
    };
    match sign {
        Sign::Negative if magnitude != 0 => p - magnitude,
        _ => magnitude,
    }
}

/// The field of integers modulo an odd prime `p < 2⁶²`, elements in Montgomery form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    p: u64,
    p_inverse: u64, // p⁻¹ modulo 2⁶⁴
    one: u64,       // 2⁶⁴ mod p
    r2: u64,        // 2¹²⁸ mod p
}

impl Field {
    /// The field modulo 2⁶¹ − 1, tried first by every modular algorithm here.
    pub(crate) const FIRST: Self = Self::new(Residue::MODULUS);

    /// The field modulo `p`, which must be an odd prime below 2⁶².
    pub(crate) const fn new(p: u64) -> Self {
        // Newton's iteration doubles the correct low bits: 3, 6, 12, 24, 48, 96.
        let mut inverse = p;
        let mut step = 0;
        while step < 5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inverse)));
            step += 1;
        }
        let one = ((1u128 << 64) % p as u128) as u64;
        let r2 = (one as u128 * one as u128 % p as u128) as u64;
        Self { p, p_inverse: inverse, one, r2 }
    }

    /// The field of the next smaller prime.
    pub(crate) fn next(&self) -> Self {
        let mut candidate = self.p - 2;
        while !is_prime(candidate) {
            candidate -= 2;
        }
        Self::new(candidate)
    }

    pub(crate) const fn modulus(&self) -> u64 {
        self.p
    }

    pub(crate) const fn one(&self) -> u64 {
        self.one
    }

    #[inline]
    pub(crate) const fn add(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.p { sum - self.p } else { sum }
    }

    #[inline]
    pub(crate) const fn sub(&self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.p - b }
    }

    #[inline]
    pub(crate) const fn neg(&self, a: u64) -> u64 {
        if a == 0 { 0 } else { self.p - a }
    }

    /// The Montgomery product (F1).
    #[inline]
    pub(crate) const fn mul(&self, a: u64, b: u64) -> u64 {
        let wide = a as u128 * b as u128;
        let quotient = (wide as u64).wrapping_mul(self.p_inverse);
        let multiple = ((quotient as u128 * self.p as u128) >> 64) as u64;
        let (difference, borrow) = ((wide >> 64) as u64).overflowing_sub(multiple);
        if borrow { difference.wrapping_add(self.p) } else { difference }
    }

    /// The inverse by Euclid's extended algorithm; zero for zero.
    pub(crate) fn inv(&self, a: u64) -> u64 {
        // Invariant: r0 ≡ ±t0·a, r1 ≡ ∓t1·a modulo p, the sign alternating.
        let (mut r0, mut r1) = (self.p, a);
        let (mut t0, mut t1) = (0, 1);
        let mut negative = false;
        while r1 > 1 {
            let quotient = r0 / r1;
            (r0, r1) = (r1, r0 - quotient * r1);
            (t0, t1) = (t1, t0 + quotient * t1);
            negative = !negative;
        }
        let inverse = if r1 == 0 { 0 } else { t1 };
        // `a` stood for a·2⁻⁶⁴, so the inverse is off by 2¹²⁸: two factors 2¹²⁸ in (F1).
        let inverse = self.mul(self.mul(inverse, self.r2), self.r2);
        if negative { self.neg(inverse) } else { inverse }
    }

    /// `1, base, base², …`
    pub(crate) fn powers(&self, base: u64) -> impl Iterator<Item = u64> {
        std::iter::successors(Some(self.one), move |&power| Some(self.mul(power, base)))
    }

    /// Inverts every element in place with one field inversion
    /// \[Montgomery1987\]. No element may be zero.
    pub(crate) fn invert_all(&self, values: &mut [u64]) {
        let mut prefix = Vec::with_capacity(values.len());
        let mut product = self.one;
        for &value in values.iter() {
            prefix.push(product);
            product = self.mul(product, value);
        }
        let mut inverse = self.inv(product);
        for (value, before) in values.iter_mut().zip(prefix).rev() {
            let this = self.mul(inverse, before);
            inverse = self.mul(inverse, *value);
            *value = this;
        }
    }

    /// The element that is the image of an integer.
    pub(crate) fn integer(&self, value: &IBig) -> u64 {
        self.mul(remainder(value, self.p), self.r2)
    }

    /// The element that is the image of a small non-negative integer.
    pub(crate) const fn small(&self, value: u64) -> u64 {
        self.mul(value % self.p, self.r2)
    }

    /// The plain residue `0 ≤ a < p` of an element.
    pub(crate) const fn to_residue(self, a: u64) -> u64 {
        self.mul(a, 1)
    }

    /// The integer of least absolute value with this image.
    pub(crate) fn to_symmetric(self, a: u64) -> IBig {
        let residue = self.to_residue(a);
        if residue > self.p / 2 { -IBig::from(self.p - residue) } else { IBig::from(residue) }
    }

    /// A non-zero element from the stream of `random`.
    pub(crate) fn random(&self, random: &mut Random) -> u64 {
        1 + random.bits() % (self.p - 1)
    }
}

/// Miller–Rabin with the first twelve primes as bases, which decides every
/// `n < 3.3·10²⁴` \[SorensonWebster2017\].
pub(crate) fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    for q in BASES {
        if n.is_multiple_of(q) {
            return n == q;
        }
    }
    let mul = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
    let twos = (n - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut power = 1;
        for bit in (twos..64).rev() {
            power = mul(power, power);
            if (n - 1) >> bit & 1 == 1 {
                power = mul(power, base);
            }
        }
        let mut witness_failed = power == 1 || power == n - 1;
        for _ in 1..twos {
            power = mul(power, power);
            witness_failed |= power == n - 1;
        }
        witness_failed
    })
}

/// Drops leading zeros, so that the degree is `len − 1` and zero is empty.
pub(crate) fn trim(a: &mut Vec<u64>) {
    while a.last() == Some(&0) {
        a.pop();
    }
}

/// Replaces `a` by a non-zero multiple of the remainder of `a` modulo `b`.
///
/// Cross-multiplying instead of dividing by the leading coefficient spares the
/// inversion, which costs more than the extra products at the degrees met here.
fn pseudo_remainder(field: &Field, a: &mut Vec<u64>, b: &[u64]) {
    let lead = b[b.len() - 1];
    while a.len() >= b.len() {
        let top = a[a.len() - 1];
        let offset = a.len() - b.len();
        a.pop();
        for coefficient in &mut a[..offset] {
            *coefficient = field.mul(*coefficient, lead);
        }
        for (coefficient, &d) in a[offset..].iter_mut().zip(b) {
            *coefficient = field.sub(field.mul(*coefficient, lead), field.mul(top, d));
        }
        trim(a);
    }
}

/// Euclid's algorithm on trimmed univariate polynomials (index = power), up to a
/// constant factor. The result is left in `a`; `b` is used up.
pub(crate) fn univariate_gcd(field: &Field, a: &mut Vec<u64>, b: &mut Vec<u64>) {
    if a.len() < b.len() {
        std::mem::swap(a, b);
    }
    while !b.is_empty() {
        if b.len() == 1 {
            std::mem::swap(a, b);
            return;
        }
        pseudo_remainder(field, a, b);
        std::mem::swap(a, b);
    }
}

/// Writes the quotient of `a` by `b`, up to a constant factor, where `b` divides
/// `a`, which is used up. Both are trimmed and not zero.
pub(crate) fn univariate_quotient(field: &Field, a: &mut Vec<u64>, b: &[u64], quotient: &mut Vec<u64>) {
    let lead = b[b.len() - 1];
    quotient.clear();
    quotient.resize((a.len() + 1).saturating_sub(b.len()), 0);
    for offset in (0..quotient.len()).rev() {
        let top = a.pop().unwrap_or(0);
        for coefficient in a[..offset].iter_mut().chain(&mut quotient[offset + 1..]) {
            *coefficient = field.mul(*coefficient, lead);
        }
        for (coefficient, &d) in a[offset..].iter_mut().zip(b) {
            *coefficient = field.sub(field.mul(*coefficient, lead), field.mul(top, d));
        }
        quotient[offset] = top;
    }
}

/// Whether the univariate polynomial `b ≠ 0` divides `a`, which is used up.
pub(crate) fn univariate_divides(field: &Field, b: &[u64], a: &mut Vec<u64>) -> bool {
    pseudo_remainder(field, a, b);
    a.is_empty()
}

/// Interpolation at `β_n = β_0 + n`, one value after the other, for many
/// polynomials at once, in Newton's form
///
/// ```text
/// f(z) = f_0 + f_1 (z − β_0) + f_2 (z − β_0)(z − β_1) + …              (F2)
/// ```
///
/// Equal spacing makes the only divisors `n!`, whose inverses need no division.
pub(crate) struct Newton {
    start: u64,                  // β_0
    coefficients: Vec<Vec<u64>>, // for every polynomial: f_0, f_1, …
    inverses: Vec<u64>,          // 1/0 taken as 1, 1/1, 1/2, … up to the last n
    inverse_factorial: u64,      // 1/n!
}

impl Newton {
    /// Polynomials known by their values at `start`.
    pub(crate) fn new(field: &Field, start: u64, values: impl Iterator<Item = u64>) -> Self {
        Self {
            start,
            coefficients: values.map(|value| vec![value]).collect(),
            inverses: vec![field.one()],
            inverse_factorial: field.one(),
        }
    }

    /// The points at which the next values are expected, as many as the field has.
    pub(crate) fn next_points(&self, field: &Field) -> impl Iterator<Item = u64> {
        let n = self.inverses.len() as u64;
        (n..field.modulus()).map(move |n| field.add(self.start, field.small(n)))
    }

    /// Adds the values at the next point. Returns whether any polynomial changed.
    pub(crate) fn push(&mut self, field: &Field, values: impl Iterator<Item = u64>) -> bool {
        let n = self.inverses.len() as u64;
        let inverse = match n {
            1 => field.one(),
            // p = q n + r gives 1/n = −q/r, and 1/r is known because r < n.
            _ => {
                let (q, r) = (field.modulus() / n, field.modulus() % n);
                field.neg(field.mul(field.small(q), self.inverses[r as usize]))
            }
        };
        self.inverses.push(inverse);
        self.inverse_factorial = field.mul(self.inverse_factorial, inverse);
        let mut changed = false;
        for (newton, value) in self.coefficients.iter_mut().zip(values) {
            // β_n − β_i = n − i, so Horner's rule multiplies by 1, 2, …, n.
            let mut gap = field.one();
            let known = newton.iter().rev().fold(0, |acc, &f| {
                let value = field.add(f, field.mul(acc, gap));
                gap = field.add(gap, field.one());
                value
            });
            let next = field.mul(field.sub(value, known), self.inverse_factorial);
            changed |= next != 0;
            newton.push(next);
        }
        changed
    }

    /// The coefficients of `1, z, z², …` of every polynomial.
    pub(crate) fn finish(self, field: &Field) -> impl Iterator<Item = Vec<u64>> {
        self.coefficients.into_iter().map(move |newton| {
            let mut result = vec![0; newton.len()];
            let mut point = field.add(self.start, field.small(newton.len() as u64));
            for &f in newton.iter().rev() {
                point = field.sub(point, field.one());
                // result ← result·(z − point) + f
                for k in (1..result.len()).rev() {
                    result[k] = field.sub(result[k - 1], field.mul(point, result[k]));
                }
                result[0] = field.sub(f, field.mul(point, result[0]));
            }
            result
        })
    }
}

/// Solver of a transposed Vandermonde system with nodes `m_1, …, m_t`:
///
/// ```text
/// Σ_l  m_l^s · c_l = u_s,      s = 1, …, t.                            (F3)
/// ```
///
/// With `P(z) = Π (z − m_l)` and `P_l = P/(z − m_l)`, the combination of the
/// equations (F3) with the coefficients of `P_l` leaves `m_l P_l(m_l) c_l` alone,
/// so that each unknown costs O(t), and nothing of size t² is kept \[Zippel1990\].
pub(crate) struct Vandermonde {
    nodes: Vec<u64>,
    master: Vec<u64>, // coefficients of P
    scales: Vec<u64>, // 1/(m_l P_l(m_l))
}

impl Vandermonde {
    /// Prepares solvers for several lists of nodes; nothing if two nodes of a list
    /// coincide or one is zero.
    pub(crate) fn prepare(field: &Field, lists: Vec<Vec<u64>>) -> Option<Vec<Self>> {
        let mut scales = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        let mut solvers = Vec::with_capacity(lists.len());
        for nodes in lists {
            let master = polynomial_with_roots(field, &nodes);
            for &node in &nodes {
                let mut value = 0; // of P_l at m_l, by Horner along with the division
                quotient(field, &master, node, |_, coefficient| {
                    value = field.add(field.mul(value, node), coefficient);
                });
                scales.push(field.mul(value, node));
            }
            solvers.push(Self { nodes, master, scales: Vec::new() });
        }
        if scales.contains(&0) {
            return None;
        }
        field.invert_all(&mut scales);
        let mut scales = scales.as_slice();
        for solver in &mut solvers {
            let (own, rest) = scales.split_at(solver.nodes.len());
            solver.scales = own.to_vec();
            scales = rest;
        }
        Some(solvers)
    }

    /// The number of unknowns, and of equations needed.
    pub(crate) fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Solves (F3); `values[s − 1]` is `u_s`, further values are not read.
    pub(crate) fn solve(&self, field: &Field, values: &[u64]) -> impl Iterator<Item = u64> {
        self.nodes.iter().zip(&self.scales).map(move |(&node, &scale)| {
            let mut sum = 0;
            quotient(field, &self.master, node, |k, coefficient| {
                sum = field.add(sum, field.mul(coefficient, values[k]));
            });
            field.mul(sum, scale)
        })
    }
}

/// The coefficients of `Π (z − root)`.
fn polynomial_with_roots(field: &Field, roots: &[u64]) -> Vec<u64> {
    let mut product = vec![0; roots.len() + 1];
    product[0] = field.one();
    for (degree, &root) in roots.iter().enumerate() {
        for k in (1..=degree + 1).rev() {
            product[k] = field.sub(product[k - 1], field.mul(root, product[k]));
        }
        product[0] = field.neg(field.mul(root, product[0]));
    }
    product
}

/// Calls `visit(k, coefficient of z^k)` along `P/(z − root)`, highest power first.
#[inline]
fn quotient(field: &Field, master: &[u64], root: u64, mut visit: impl FnMut(usize, u64)) {
    let mut carry = 0;
    for k in (0..master.len() - 1).rev() {
        carry = field.add(master[k + 1], field.mul(carry, root));
        visit(k, carry);
    }
}

/// One Chinese-remainder step: moves `value` by a multiple of `modulus` so that it
/// has the image `target` in `field`, choosing the smallest such move. Returns
/// whether it moved. `inverse` is the inverse of the image of `modulus`.
pub(crate) fn lift(field: &Field, value: &mut IBig, target: u64, modulus: &IBig, inverse: u64) -> bool {
    let gap = field.sub(target, field.integer(value));
    let multiple = field.to_symmetric(field.mul(gap, inverse));
    let moved = !multiple.is_zero();
    if moved {
        *value += multiple * modulus;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Field = Field::new(101);

    fn element(field: &Field, value: i64) -> u64 {
        field.integer(&IBig::from(value))
    }

    #[test]
    fn montgomery_products_are_products() {
        let mut random = Random::new(1);
        for field in [SMALL, Field::FIRST, Field::FIRST.next()] {
            let p = u128::from(field.modulus());
            for _ in 0..200 {
                let (a, b) = (random.bits() % field.modulus(), random.bits() % field.modulus());
                let image = |v: u64| field.integer(&IBig::from(v));
                let product = field.to_residue(field.mul(image(a), image(b)));
                assert_eq!(u128::from(product), u128::from(a) * u128::from(b) % p);
            }
        }
    }

    #[test]
    fn primes_below_the_mersenne_prime() {
        assert!(is_prime(Residue::MODULUS));
        assert!(!is_prime((1 << 59) - 1));
        let next = Field::FIRST.next().modulus();
        assert!(is_prime(next) && (next + 1..Residue::MODULUS).all(|n| !is_prime(n)));
        let small: Vec<u64> = (0..60).filter(|&n| is_prime(n)).collect();
        assert_eq!(small, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]);
    }

    #[test]
    fn inverses_multiply_to_one() {
        let mut random = Random::new(9);
        for field in [SMALL, Field::FIRST, Field::FIRST.next()] {
            assert_eq!(field.inv(0), 0);
            for _ in 0..200 {
                let a = field.random(&mut random);
                assert_eq!(field.mul(a, field.inv(a)), field.one());
            }
        }
    }

    #[test]
    fn simultaneous_inversion() {
        let mut values: Vec<u64> = (1..20).map(|v| element(&Field::FIRST, v)).collect();
        let originals = values.clone();
        Field::FIRST.invert_all(&mut values);
        for (a, b) in originals.iter().zip(values) {
            assert_eq!(Field::FIRST.mul(*a, b), Field::FIRST.one());
        }
    }

    #[test]
    fn gcd_of_univariate_images() {
        // (x − 1)(x − 2) and (x − 2)(x − 3) meet in x − 2.
        let f = &SMALL;
        let mut a: Vec<u64> = [2, -3, 1].iter().map(|&c| element(f, c)).collect();
        let mut b: Vec<u64> = [6, -5, 1].iter().map(|&c| element(f, c)).collect();
        univariate_gcd(f, &mut a, &mut b);
        assert_eq!(a.len(), 2);
        assert_eq!(f.add(a[0], f.mul(a[1], element(f, 2))), 0);
    }

    #[test]
    fn quotients_of_univariate_images() {
        // (2x² + 3)(5x + 1) = 10x³ + 2x² + 15x + 3
        let f = &Field::FIRST;
        let elements = |list: &[i64]| -> Vec<u64> { list.iter().map(|&c| element(f, c)).collect() };
        let mut quotient = Vec::new();
        univariate_quotient(f, &mut elements(&[3, 15, 2, 10]), &elements(&[1, 5]), &mut quotient);
        let scale = f.mul(quotient[2], f.inv(element(f, 2)));
        let expected: Vec<u64> = elements(&[3, 0, 2]).iter().map(|&c| f.mul(c, scale)).collect();
        assert_eq!(quotient, expected);
    }

    #[test]
    fn newton_interpolation_recovers_a_cubic() {
        let f = &SMALL;
        let cubic = [7, 0, 5, 1].map(|c| element(f, c));
        let value = |x: u64| cubic.iter().rev().fold(0, |acc, &c| f.add(f.mul(acc, x), c));
        let start = element(f, 60);
        let mut newton = Newton::new(f, start, [value(start), f.one()].into_iter());
        for n in 1..=5 {
            let point = newton.next_points(f).next().expect("101 points");
            assert_eq!(newton.push(f, [value(point), f.one()].into_iter()), n <= 3);
        }
        let found: Vec<_> = newton.finish(f).collect();
        assert_eq!(found[0], [cubic[0], cubic[1], cubic[2], cubic[3], 0, 0]);
        assert_eq!(found[1], [f.one(), 0, 0, 0, 0, 0]);
    }

    #[test]
    fn transposed_vandermonde_solves_its_system() {
        let f = &Field::FIRST;
        let nodes = [3, 5, 11, 200].map(|v| element(f, v));
        let unknowns = [4, -9, 0, 77].map(|v| element(f, v));
        let power = |m: u64, s: usize| f.powers(m).nth(s).expect("endless");
        let row = |s: usize| nodes.iter().zip(unknowns).fold(0, |sum, (&m, c)| f.add(sum, f.mul(power(m, s), c)));
        let values: Vec<u64> = (1..=4).map(row).collect();
        let lists = vec![vec![], nodes.to_vec(), nodes[..1].to_vec()];
        let solvers = Vandermonde::prepare(f, lists).expect("distinct nodes");
        assert_eq!(solvers.iter().map(Vandermonde::size).collect::<Vec<_>>(), [0, 4, 1]);
        assert_eq!(solvers[1].solve(f, &values).collect::<Vec<_>>(), unknowns);
        assert!(Vandermonde::prepare(f, vec![vec![nodes[0], nodes[0]]]).is_none());
    }

    #[test]
    fn lifting_through_primes_finds_a_large_integer() {
        let wanted = -(IBig::ONE << 150) + IBig::from(17);
        let mut field = Field::FIRST;
        let mut value = field.to_symmetric(field.integer(&wanted));
        let mut modulus = IBig::from(field.modulus());
        loop {
            field = field.next();
            let inverse = field.inv(field.integer(&modulus));
            let target = field.integer(&wanted);
            if !lift(&field, &mut value, target, &modulus, inverse) {
                break;
            }
            modulus *= IBig::from(field.modulus());
        }
        assert_eq!(value, wanted);
    }
}
