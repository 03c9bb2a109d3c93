//! Greatest common divisors over ℤ, each certified by trial division.
//!
//! With `A = a·m·A'` where `a` is the integer content, `m` the monomial content,
//!
//! ```text
//! gcd(A, B) = gcd(a, b) · gcd(m, n) · gcd(A', B'),                      (G1)
//! gcd(A, B) = D · gcd(A/D, B/D)        for every common divisor D.      (G2)
//! ```
//!
//! The primitive parts go through these steps, cheapest first:
//!
//! 1. Univariate images modulo 2⁶¹ − 1 bound the degree in every variable. All
//!    bounds zero proves `gcd = 1`; a variable of bound zero does not occur in the
//!    GCD, which then divides every coefficient with respect to it; bounds equal
//!    to the degrees of one operand suggest that it divides the other.
//! 2. An operand linear in a variable is irreducible once its content is removed,
//!    so that one trial division decides.
//! 3. Sparse interpolation (`zippel.rs`) of the GCD or of a cofactor, whichever
//!    turns out short, a prime at a time, until the candidate divides both operands.
//! 4. The primitive remainder sequence, if all that failed repeatedly.
//!
//! A candidate that divides both operands and attains the bounds *is* the GCD,
//! since the bounds are certain; one that falls short of them is used as `D` in
//! (G2). Nothing is ever returned on probability alone.
//!
//! Sources: \[Zippel1979\] for step 3, \[Brown1971\] for bounds and normalisation.

use crate::modular::Field;
use crate::mono::{MAX_VARS, Monomial, set_bits};
use crate::poly::{Poly, TooLarge};
use crate::zippel::{Operands, degree_bounds};
use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};
use polhode_base::random::Random;
use std::borrow::Cow;
use std::cmp::Reverse;

/// Modular attempts before the remainder sequence is tried.
const ATTEMPTS: u64 = 6;

/// Targets up to this many terms are never given up as too long.
const SHORT_TERMS: usize = 16;

/// Linear operands up to this length are settled by trial division.
const LINEAR_TERMS: usize = 24;

/// The greatest common divisor, with the integer content and a positive leading
/// coefficient; `gcd(0, b)` is `b` up to sign.
///
/// ```
/// use polhode_poly::{Poly, gcd};
/// let six_x = Poly::from_table(&[(6, &[(0, 1)])]);
/// let four_x = Poly::from_table(&[(-4, &[(0, 1)])]);
/// assert_eq!(gcd(&six_x, &four_x), Poly::from_table(&[(2, &[(0, 1)])]));
/// ```
#[must_use]
pub fn gcd(a: &Poly, b: &Poly) -> Poly {
    if a.is_zero() || a == b {
        return positive(b);
    }
    if b.is_zero() {
        return positive(a);
    }
    if a.len() == 1 || b.len() == 1 {
        let monomial = a.monomial_content().gcd(&b.monomial_content());
        return Poly::term(monomial, common_content(a, b));
    }
    let (a, b) = (Stripped::new(a), Stripped::new(b));
    let monomial = a.monomial.gcd(&b.monomial);
    let content = IBig::from((&a.content).gcd(&b.content));
    let common = gcd_primitive(&a.rest, &b.rest);
    if monomial.is_one() && content.is_one() {
        return common;
    }
    common.mul_divisor(&Poly::term(monomial, content))
}

/// The greatest common divisor `g` together with `a/g` and `b/g`, as needed to
/// cancel a fraction. For two zeros all three are zero.
#[must_use]
pub fn gcd_cofactors(a: &Poly, b: &Poly) -> (Poly, Poly, Poly) {
    let g = gcd(a, b);
    if g.is_one() || g.is_zero() {
        return (g, a.clone(), b.clone());
    }
    let quotient = |p: &Poly| p.div_exact(&g).expect("a GCD divides its operands");
    let (qa, qb) = (quotient(a), quotient(b));
    (g, qa, qb)
}

/// The greatest common divisor of any number of polynomials; 0 for none.
#[must_use]
pub fn gcd_many<'a>(polys: impl IntoIterator<Item = &'a Poly>) -> Poly {
    let mut polys: Vec<&Poly> = polys.into_iter().filter(|p| !p.is_zero()).collect();
    polys.sort_by_key(|p| p.len());
    let Some((first, rest)) = polys.split_first() else { return Poly::zero() };
    let mut common = positive(first);
    for poly in rest {
        if common.is_one() {
            break;
        }
        if poly.div_exact(&common).is_none() {
            common = gcd(&common, poly);
        }
    }
    common
}

/// The least common multiple with positive leading coefficient; 0 if an operand is.
///
/// # Errors
/// [`TooLarge`] as for [`Poly::mul`].
pub fn lcm(a: &Poly, b: &Poly) -> Result<Poly, TooLarge> {
    let (_, qa, _) = gcd_cofactors(a, b);
    Ok(positive(&qa.mul(b)?))
}

/// `±p` with a positive leading coefficient.
fn positive(p: &Poly) -> Poly {
    if p.has_negative_leading_coefficient() { -p } else { p.clone() }
}

fn common_content(a: &Poly, b: &Poly) -> IBig {
    IBig::from(a.content().gcd(b.content()))
}

/// A non-zero polynomial as content · monomial · rest, as in (G1).
struct Stripped<'a> {
    content: IBig,
    monomial: Monomial,
    rest: Cow<'a, Poly>,
}

impl<'a> Stripped<'a> {
    fn new(poly: &'a Poly) -> Self {
        let (content, monomial) = (poly.content(), poly.monomial_content());
        let mut rest = Cow::Borrowed(poly);
        if !content.is_one() {
            rest = Cow::Owned(rest.unscale(&content));
        }
        if let (false, Some(quotient)) = (monomial.is_one(), rest.div_monomial(&monomial)) {
            rest = Cow::Owned(quotient);
        }
        Self { content, monomial, rest }
    }
}

/// The GCD of two polynomials without integer or monomial content, each of two
/// terms at least.
fn gcd_primitive(a: &Poly, b: &Poly) -> Poly {
    let (in_a, in_b) = (a.variables(), b.variables());
    if in_a & in_b == 0 {
        return Poly::one();
    }
    let bounds = degree_bounds(a, b);
    let occurring = bounds.variables();
    if occurring == 0 {
        return Poly::one();
    }
    let absent = (in_a | in_b) & !occurring;
    if absent != 0 {
        let parts = [a.coefficients_by(absent), b.coefficients_by(absent)];
        return gcd_many(parts.iter().flatten());
    }
    for (p, q) in [(a, b), (b, a)] {
        if bounds == p.degrees() && q.div_exact(p).is_some() {
            return positive(p);
        }
    }
    if let Some(common) = gcd_linear(a, b).or_else(|| gcd_linear(b, a)) {
        return common;
    }
    gcd_interpolated(a, b, &bounds)
}

/// Step 2: if the short `a = a1·x + a0` is linear in some `x`, with `c = gcd(a1, a0)`,
/// then `a/c` is irreducible and either divides `b` or is coprime to it.
fn gcd_linear(a: &Poly, b: &Poly) -> Option<Poly> {
    if a.len() > LINEAR_TERMS {
        return None;
    }
    let (var, _) = a.degrees().iter().find(|&(_, degree)| degree == 1)?;
    let content = gcd_many(&a.coefficients_in(var));
    let irreducible = positive(&a.div_exact(&content)?);
    let Some(cofactor) = b.div_exact(&irreducible) else { return Some(gcd(&content, b)) };
    Some(irreducible.mul_divisor(&gcd(&content, &cofactor)))
}

/// Steps 3 and 4 for operands that share all their variables.
fn gcd_interpolated(a: &Poly, b: &Poly, bounds: &Monomial) -> Poly {
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let plan = Plan::new(a, b, bounds);
    let mut seed = 0;
    loop {
        if let Some(common) = plan.attempt(seed) {
            return common;
        }
        // Only repeated bad luck leads here. The remainder sequence can fail too, by
        // outgrowing the exponents; new points and primes then remain.
        if seed == ATTEMPTS
            && let Some(common) = remainder_sequence(a, b)
        {
            return common;
        }
        seed += 1;
    }
}

/// The choice of main variable and variable order for one interpolation.
struct Plan<'a> {
    a: &'a Poly,
    b: &'a Poly,
    bounds: &'a Monomial,
    main: usize,
    order: Vec<usize>, // main variable first: position = new name
    renamed_a: Poly,
    renamed_b: Poly,
    renamed_bounds: Monomial,
    gamma: Poly,         // GCD of the leading coefficients in the main variable, renamed
    tau: Poly,           // its content, a single term
    cofactor_lead: Poly, // leading coefficient of `a` times τ/γ, renamed
}

impl<'a> Plan<'a> {
    /// Takes as main variable the one whose leading coefficients promise the
    /// shortest `γ`, and interpolates variables of high degree first, while few
    /// terms are known.
    fn new(a: &'a Poly, b: &'a Poly, bounds: &'a Monomial) -> Self {
        let shortest_lead = |var: usize| {
            let [in_a, in_b] = [a, b].map(|p| {
                let degree = p.degree(var);
                p.terms().iter().filter(|(m, _)| m.exponent(var) == degree).count()
            });
            in_a.min(in_b)
        };
        let mut order: Vec<usize> = set_bits(bounds.variables()).collect();
        order.sort_by_key(|&var| Reverse(bounds.exponent(var)));
        let best = (0..order.len()).min_by_key(|&k| shortest_lead(order[k])).unwrap_or(0);
        order[..=best].rotate_right(1);
        let main = order[0];
        let mut new_name = [0; MAX_VARS];
        let mut renamed_bounds = Monomial::ONE;
        for (name, &var) in order.iter().enumerate() {
            new_name[var] = name;
            renamed_bounds = renamed_bounds.with_exponent(name, bounds.exponent(var));
        }
        let rename = |p: &Poly| p.remap(|var| new_name[var]).expect("renaming merges no variables");
        let lead_a = a.leading_coefficient_in(main);
        let (gamma, cofactor_lead, _) = gcd_cofactors(&lead_a, &b.leading_coefficient_in(main));
        let tau = Poly::term(gamma.monomial_content(), gamma.content());
        let cofactor_lead = rename(&cofactor_lead.mul_divisor(&tau));
        let (gamma, tau) = (rename(&gamma), rename(&tau));
        let (renamed_a, renamed_b) = (rename(a), rename(b));
        Self { a, b, bounds, main, order, renamed_a, renamed_b, renamed_bounds, gamma, tau, cofactor_lead }
    }

    /// One interpolation with fresh points, lifted through primes until the
    /// candidate is certified or stops changing.
    fn attempt(&self, seed: u64) -> Option<Poly> {
        let mut field = Field::FIRST;
        for _ in 0..seed {
            field = field.next();
        }
        self.attempt_in(field, Random::new(seed))
    }

    fn attempt_in(&self, field: Field, mut random: Random) -> Option<Poly> {
        let operands = self.operands(false);
        if let Some(h) = operands.interpolate_monomials(&field, &mut random)
            && let Some(common) = self.certify(&operands, &h)
        {
            return Some(common);
        }
        // Of the GCD and the cofactor of `a` one is usually not longer than this.
        let short = 2 * self.a.len().isqrt() + SHORT_TERMS;
        let targets = [(false, short), (true, short), (false, usize::MAX)];
        targets.into_iter().find_map(|(is_cofactor, max_terms)| {
            self.lift(&self.operands(is_cofactor), field, random.clone(), max_terms)
        })
    }

    fn operands(&self, is_cofactor: bool) -> Operands<'_> {
        Operands {
            a: &self.renamed_a,
            b: &self.renamed_b,
            is_cofactor,
            lead: if is_cofactor { &self.cofactor_lead } else { &self.gamma },
            others: self.order.len() - 1,
            gcd_degrees: self.renamed_bounds,
            excess: if is_cofactor { &self.tau } else { &self.gamma }.degrees(),
        }
    }

    /// Interpolates one target and refines it until it is certified.
    fn lift(&self, operands: &Operands, field: Field, random: Random, max_terms: usize) -> Option<Poly> {
        let mut lifted = operands.interpolate(field, random, max_terms)?;
        if let Some(common) = self.certify(operands, &operands.assemble(&lifted)) {
            return Some(common);
        }
        while operands.refine(&mut lifted)? {
            if lifted.modulus_bits() > self.enough_bits() {
                return None; // a monomial is missing from the skeleton
            }
        }
        self.certify(operands, &operands.assemble(&lifted))
    }

    /// More bits than any coefficient of a target can have: `H = (γ/lc G)·G` is a
    /// divisor of `γ` times a divisor of `A`, and so is `C = (τ/δ)·A/G`.
    ///
    /// By Gelfond's inequality a divisor of `P` has no coefficient larger than
    /// `e^(Σ deg_i P)` times the largest of `P`; a product has coefficients that are
    /// sums of as many products as the shorter factor has terms.
    fn enough_bits(&self) -> usize {
        let divisor_bits = |p: &Poly| {
            let largest = p.terms().iter().map(|(_, c)| c.bit_len()).max().unwrap_or(0);
            let degrees: usize = p.degrees().iter().map(|(_, e)| usize::from(e)).sum();
            largest + degrees * 3 / 2 + p.degrees().iter().map(|_| 7).sum::<usize>()
        };
        divisor_bits(self.a) + divisor_bits(&self.gamma) + 2
    }

    /// The GCD, if the target found, or its primitive part with respect to the main
    /// variable, leads to a divisor of both operands.
    fn certify(&self, operands: &Operands, target: &Poly) -> Option<Poly> {
        let target = target.remap(|name| self.order[name]).ok()?.primitive();
        let bounds = if operands.is_cofactor { self.a.degrees().divide(self.bounds)? } else { *self.bounds };
        if target.degrees().divides(&bounds)
            && let Some(common) = self.certify_part(operands, &target)
        {
            return Some(common);
        }
        let content = self.content(&target);
        if content.is_one() {
            return None;
        }
        self.certify_part(operands, &target.div_exact(&content)?)
    }

    /// The GCD, if `part` is a divisor of it, or the cofactor of one.
    fn certify_part(&self, operands: &Operands, part: &Poly) -> Option<Poly> {
        if !operands.is_cofactor {
            return self.complete(part);
        }
        // What `a` has in the other variables alone need not be in `b`.
        let divisor = self.a.div_exact(part)?;
        self.complete(&divisor).or_else(|| self.complete(&divisor.div_exact(&self.content(&divisor))?))
    }

    /// The content with respect to the main variable.
    fn content(&self, p: &Poly) -> Poly {
        gcd_many(&p.coefficients_in(self.main))
    }

    /// (G2) for a candidate `d`, if it divides both operands.
    fn complete(&self, d: &Poly) -> Option<Poly> {
        let (qa, qb) = (self.a.div_exact(d)?, self.b.div_exact(d)?);
        if d.degrees() == *self.bounds {
            return Some(positive(d));
        }
        Some(positive(&d.mul_divisor(&gcd(&qa, &qb))))
    }
}

/// Step 4, Euclid's algorithm in the variable of lowest degree, each remainder
/// made primitive; nothing if an intermediate exponent overflows.
///
/// Correct for every pair of polynomials, and hopelessly slow for large ones.
fn remainder_sequence(a: &Poly, b: &Poly) -> Option<Poly> {
    let shared = a.variables() & b.variables();
    let degree = |var: usize| a.degree(var).max(b.degree(var));
    let var = set_bits(shared).min_by_key(|&var| degree(var))?;
    let content = |p: &Poly| {
        let mut coefficients = p.coefficients_in(var).into_iter();
        let first = coefficients.next().unwrap_or_default();
        coefficients.try_fold(positive(&first), |common, c| gcd_by_remainders(&common, &c))
    };
    let (content_a, content_b) = (content(a)?, content(b)?);
    let (mut u, mut v) = (a.div_exact(&content_a)?, b.div_exact(&content_b)?);
    if u.degree(var) < v.degree(var) {
        std::mem::swap(&mut u, &mut v);
    }
    let last = loop {
        if v.degree(var) == 0 {
            break Poly::one(); // v ≠ 0 is free of `var`, and u is primitive
        }
        let remainder = pseudo_remainder(&u, &v, var)?;
        if remainder.is_zero() {
            break v;
        }
        u = v;
        v = remainder.div_exact(&content(&remainder)?)?;
    };
    Some(positive(&last.mul_divisor(&gcd_by_remainders(&content_a, &content_b)?)))
}

/// [`gcd`] by the remainder sequence alone.
fn gcd_by_remainders(a: &Poly, b: &Poly) -> Option<Poly> {
    if a.is_zero() || b.is_zero() {
        return Some(positive(&(a + b)));
    }
    if a.variables() & b.variables() == 0 {
        // Every coefficient in the variables of one operand is a constant of the other.
        return Some(Poly::constant(common_content(a, b)));
    }
    remainder_sequence(a, b)
}

/// `lc(v)^k·u mod v` in `var`, for `v` of positive degree in it.
fn pseudo_remainder(u: &Poly, v: &Poly, var: usize) -> Option<Poly> {
    let (degree, lead) = (v.degree(var), v.leading_coefficient_in(var));
    let mut remainder = u.clone();
    while !remainder.is_zero() && remainder.degree(var) >= degree {
        let shift = Monomial::ONE.with_exponent(var, remainder.degree(var) - degree);
        let factor = remainder.leading_coefficient_in(var).mul_monomial(&shift).ok()?;
        remainder = &remainder.mul(&lead).ok()? - &factor.mul(v).ok()?;
    }
    Some(remainder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(var: usize) -> Poly {
        Poly::variable(var)
    }

    /// A random polynomial: `len` terms, exponents below `degree`.
    fn random_poly(random: &mut Random, vars: usize, len: usize, degree: u64, bits: u32) -> Poly {
        Poly::from_terms((0..len).map(|_| {
            let monomial = (0..vars).fold(Monomial::ONE, |m, var| m.with_exponent(var, (random.bits() % degree) as u8));
            let magnitude = (0..bits.div_ceil(64)).fold(IBig::ZERO, |acc, _| (acc << 64) + IBig::from(random.bits()));
            let magnitude = magnitude >> (bits.div_ceil(64) * 64 - bits) as usize;
            (monomial, if random.bits() & 1 == 0 { magnitude } else { -magnitude })
        }))
    }

    fn product(a: &Poly, b: &Poly) -> Poly {
        a.mul(b).expect("small")
    }

    /// Checks `gcd(a·g, b·g) = g·gcd(a, b)`, the right-hand side being cheap for
    /// random cofactors.
    fn check_product(a: &Poly, b: &Poly, g: &Poly) {
        let (ag, bg) = (product(a, g), product(b, g));
        let common = gcd(&ag, &bg);
        assert_eq!(common, positive(&product(g, &gcd(a, b))));
        assert_eq!(common, gcd(&bg, &ag));
    }

    #[test]
    fn trivial_operands() {
        let p = Poly::from_table(&[(-2, &[(0, 1)]), (4, &[(1, 3)])]);
        assert_eq!(gcd(&p, &Poly::zero()), -&p);
        assert_eq!(gcd(&Poly::zero(), &p), -&p);
        assert!(gcd(&Poly::zero(), &Poly::zero()).is_zero());
        assert_eq!(gcd(&p, &p), -&p);
        assert_eq!(gcd(&p, &Poly::constant(IBig::from(6))), Poly::constant(IBig::from(2)));
        assert_eq!(gcd(&p, &x(7)), Poly::one());
        assert_eq!(gcd(&product(&p, &x(0)), &x(0).pow(3).expect("small")), x(0));
    }

    #[test]
    fn cofactors_multiply_back() {
        let g = &x(0) + &x(3);
        let (a, b) = (product(&g, &(&x(1) - &x(2))), product(&g, &(&x(1) + &x(2))));
        let (common, qa, qb) = gcd_cofactors(&a, &b);
        assert_eq!((product(&common, &qa), product(&common, &qb)), (a, b));
        assert_eq!(common, g);
    }

    #[test]
    fn least_common_multiples() {
        let (a, b) = (&x(0) - &x(1), &x(0) + &x(1));
        let ab = product(&a, &b);
        assert_eq!(lcm(&ab, &a.scale(&IBig::from(-4))), Ok(ab.scale(&IBig::from(4))));
        assert_eq!(lcm(&a, &b), Ok(ab));
        assert!(lcm(&a, &Poly::zero()).expect("zero").is_zero());
    }

    #[test]
    fn variables_of_one_operand_only() {
        let g = &x(0).pow(2).expect("small") + &x(1);
        let a = product(&g, &(&x(2) + &x(0)));
        let b = product(&g, &(&x(3) - &x(1)));
        assert_eq!(gcd(&a, &b), g);
        assert_eq!(gcd_many([&a, &b, &g]), g);
        assert!(gcd_many([&a, &b, &x(5)]).is_one());
    }

    #[test]
    fn random_products_of_every_shape() {
        let mut random = Random::new(42);
        let mut total = 0;
        for vars in 1..8 {
            for bits in [3, 30, 62, 200] {
                for degree in [2, 4, 9] {
                    let mut draw = |len| random_poly(&mut random, vars, len, degree, bits);
                    let (a, b, g) = (draw(6), draw(7), draw(5));
                    check_product(&a, &b, &g);
                    check_product(&product(&a, &a), &b, &g);
                    total += 1;
                }
            }
        }
        assert_eq!(total, 84);
    }

    #[test]
    fn content_in_the_main_variable() {
        // The common part free of x0 is long, the one with x0 is short.
        let c = &(&x(1).pow(3).expect("small") + &x(2)) + &Poly::one();
        let g = &product(&x(0), &x(1)) + &x(2).pow(2).expect("small");
        let g = product(&product(&c, &c), &product(&g, &(&x(0) - &x(3))));
        let a = product(&g, &(&x(0).pow(2).expect("small") + &x(3)));
        let b = product(&g, &(&x(0).pow(3).expect("small") - &x(2)));
        assert_eq!(gcd(&a, &b), g);
    }

    #[test]
    fn leading_coefficients_with_spurious_factors() {
        // lc(a), lc(b) share y + z, lc(gcd) does not have it.
        let yz = &x(1) + &x(2);
        let quadratic = |k: i64| {
            let constant = &x(3) + &Poly::constant(IBig::from(k));
            &product(&yz, &x(0).pow(2).expect("small")) + &constant
        };
        let g = &(&x(0).pow(2).expect("small") + &product(&x(1), &x(3))) + &x(2);
        let (a, b) = (product(&g, &quadratic(1)), product(&g, &quadratic(5)));
        assert_eq!(gcd(&a, &b), g);
    }

    #[test]
    fn coefficients_divisible_by_the_first_primes() {
        let p = IBig::from(Field::FIRST.modulus());
        let q = IBig::from(Field::FIRST.next().modulus());
        let square = |var: usize| x(var).pow(2).expect("small");
        let g = &(&square(0).scale(&p) + &square(1).scale(&q)) + &Poly::one();
        let a = &square(0) + &(&x(1).scale(&p) + &x(2));
        let b = &square(0).scale(&q) + &(&square(1) - &x(2));
        check_product(&a, &b, &g);
        check_product(&b, &product(&a, &a), &g);
    }

    #[test]
    fn long_divisors_with_short_cofactors() {
        let mut random = Random::new(11);
        let mut draw = |len| random_poly(&mut random, 5, len, 5, 5);
        let (a, b, g) = (draw(3), draw(3), draw(150));
        check_product(&a, &b, &g);
        // A factor of one operand that is free of the main variable, whichever it is.
        let extra = (0..5).fold(Poly::one(), |acc, var| product(&acc, &(&x(var) + &Poly::one())));
        check_product(&product(&a, &extra), &b, &g);
        let plan_bounds = degree_bounds(&product(&a, &g), &product(&b, &g));
        let (ag, bg) = (product(&a, &g), product(&b, &g));
        let plan = Plan::new(&ag, &bg, &plan_bounds);
        let cofactor = plan.lift(&plan.operands(true), Field::FIRST, Random::new(1), usize::MAX);
        assert_eq!(cofactor, Some(gcd(&ag, &bg)));
    }

    #[test]
    fn small_primes_never_give_a_wrong_answer() {
        // Over a field of 101 elements most points are unlucky in some way.
        let mut random = Random::new(7);
        let mut certified = 0;
        for round in 0..60 {
            let mut draw = |len| random_poly(&mut random, 3, len, 4, 3).primitive();
            let (a, b, g) = (draw(5), draw(5), draw(4));
            let (a, b) = (product(&a, &g), product(&b, &g));
            let bounds = degree_bounds(&a, &b);
            if bounds.variables() != a.variables() | b.variables() {
                continue;
            }
            let plan = Plan::new(&a, &b, &bounds);
            if let Some(common) = plan.attempt_in(Field::new(101), Random::new(round)) {
                assert_eq!(common, gcd(&a, &b));
                certified += 1;
            }
        }
        assert!(certified > 5, "only {certified} lucky rounds");
    }

    #[test]
    fn remainder_sequence_agrees_with_interpolation() {
        let mut random = Random::new(3);
        for _ in 0..40 {
            let mut draw = |len| random_poly(&mut random, 3, len, 3, 4);
            let (a, b, g) = (draw(3), draw(4), draw(3));
            let (a, b) = (product(&a, &g), product(&b, &g));
            if a.variables() & b.variables() != 0 {
                assert_eq!(remainder_sequence(&a, &b), Some(gcd(&a, &b)));
            }
        }
    }

    #[test]
    fn high_degrees_in_one_variable() {
        let g = Poly::from_table(&[(1, &[(0, 60)]), (-3, &[(0, 7)]), (2, &[])]);
        let a = Poly::from_table(&[(5, &[(0, 50)]), (1, &[])]);
        let b = Poly::from_table(&[(1, &[(0, 67)]), (1, &[(0, 66)]), (7, &[])]);
        check_product(&a, &b, &g);
    }
}
