//! Cheap factoring over ℤ, good enough for showing formulas.
//!
//! ```text
//! P = c · Π f_k^(n_k),      f_k primitive, positive leading coefficient,
//!                           pairwise different, not constant            (C1)
//! ```
//!
//! What it uses, until nothing splits any more:
//!
//! - integer content, and variables that divide every term;
//! - the content with respect to every variable;
//! - the square-free decomposition, in which factors of different multiplicity
//!   come apart \[Yun1976\];
//! - degree one in a variable: irreducible, the contents being gone;
//! - the form `P = a z² + b z + c` with `z = x^k`: as
//!
//!   ```text
//!   4a·P = (2a z + b)² − (b² − 4ac),                                    (C2)
//!   ```
//!
//!   `P` splits if the discriminant is the square of a polynomial, and is
//!   irreducible if not and `k = 1`;
//! - the divisors `x ± 1` and `x ± y`;
//! - powers: a polynomial in `x^k, y^l, …` is first factored as one in `x, y, …`.
//!
//! What it does **not** split: a square-free product of degree three or more in
//! every variable it contains, unless one of the above applies. Examples are
//! `(x³ + y³ + 2)(x³ + y⁴ + x)` and the univariate `(x² + x + 3)(x − 2)`.
//! [`Factored::complete`] says whether every factor is known to be irreducible.

use crate::gcd::{gcd, gcd_many};
use crate::mono::{MAX_VARS, Monomial, set_bits};
use crate::poly::{Poly, Term, TooLarge};
use crate::residue::Residue;
use dashu_int::IBig;
use dashu_int::ops::{Gcd, SquareRootRem, UnsignedAbs};
use polhode_base::random::Random;
use std::cmp::Reverse;

/// A polynomial written as (C1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factored {
    /// The integer factor, with the sign; zero for the zero polynomial.
    pub content: IBig,
    /// The other factors with their multiplicities, short ones first.
    pub factors: Vec<(Poly, u32)>,
    /// Whether every factor is known to be irreducible over ℤ.
    pub complete: bool,
}

impl Factored {
    /// The product, which is the polynomial that was factored.
    ///
    /// # Errors
    /// [`TooLarge`] as for [`Poly::mul`].
    pub fn expand(&self) -> Result<Poly, TooLarge> {
        let constant = Poly::constant(self.content.clone());
        self.factors
            .iter()
            .try_fold(constant, |product, (factor, multiplicity)| product.mul(&factor.pow(*multiplicity)?))
    }
}

/// Factors a polynomial as far as the means of the module head go.
///
/// ```
/// use polhode_poly::{Poly, factor};
/// // 2x³ − 2xy² = 2·x·(x + y)·(x − y)
/// let p = Poly::from_table(&[(2, &[(0, 3)]), (-2, &[(0, 1), (1, 2)])]);
/// let factored = factor(&p);
/// assert_eq!(factored.factors.len(), 3);
/// assert_eq!(factored.expand(), Ok(p));
/// ```
#[must_use]
pub fn factor(p: &Poly) -> Factored {
    let sign = if p.has_negative_leading_coefficient() { IBig::NEG_ONE } else { IBig::ONE };
    let mut factored = Factored { content: sign * p.content(), factors: Vec::new(), complete: true };
    if p.is_zero() {
        return factored;
    }
    let monomial = p.monomial_content();
    for (var, exponent) in monomial.iter() {
        factored.factors.push((Poly::variable(var), u32::from(exponent)));
    }
    if let Some(rest) = p.primitive().div_monomial(&monomial) {
        factored.split(&rest, 1);
    }
    factored.factors.sort_by(|(a, _), (b, _)| by_size(a).cmp(&by_size(b)));
    factored
}

/// What factors are sorted by: degree, length, then the terms from the front.
fn by_size(p: &Poly) -> (u32, usize, Vec<(Reverse<Monomial>, &IBig)>) {
    let terms = p.terms().iter().map(|(m, c)| (Reverse(*m), c));
    (p.total_degree(), p.len(), terms.collect())
}

impl Factored {
    /// Adds the factors of `p`, which is primitive with positive leading
    /// coefficient and no monomial factor, `multiplicity` times.
    fn split(&mut self, p: &Poly, multiplicity: u32) {
        if p.is_one() {
            return;
        }
        let parts = split_content(p)
            .or_else(|| split_squares(p))
            .or_else(|| split_quadratic(p))
            .or_else(|| split_linear(p))
            .or_else(|| split_powers(p));
        match parts {
            Some(Split::Parts(parts)) => {
                for (part, power) in parts {
                    self.split(&part, multiplicity * power);
                }
            }
            Some(Split::Irreducible) => self.push(p, multiplicity),
            None => {
                self.complete = false;
                self.push(p, multiplicity);
            }
        }
    }

    fn push(&mut self, p: &Poly, multiplicity: u32) {
        match self.factors.iter_mut().find(|(factor, _)| factor == p) {
            Some((_, count)) => *count += multiplicity,
            None => self.factors.push((p.clone(), multiplicity)),
        }
    }
}

/// What one means of splitting found; where it found nothing there is no `Split`.
enum Split {
    /// Proper factors with multiplicities.
    Parts(Vec<(Poly, u32)>),
    /// A proof that there are none.
    Irreducible,
}

/// `p` as the two factors `part` and `p/part`.
fn two_parts(p: &Poly, part: Poly) -> Option<Split> {
    let part = part.primitive();
    let rest = p.div_exact(&part)?;
    Some(Split::Parts(vec![(part, 1), (rest, 1)]))
}

/// A content with respect to one of the variables.
fn split_content(p: &Poly) -> Option<Split> {
    set_bits(p.variables()).find_map(|var| {
        let content = gcd_many(&p.coefficients_in(var));
        if content.is_one() { None } else { two_parts(p, content) }
    })
}

/// Yun's square-free decomposition in the variable of lowest degree. All factors
/// contain that variable, since `p` has no content with respect to it.
fn split_squares(p: &Poly) -> Option<Split> {
    let degrees = p.degrees();
    let (var, degree) = degrees.iter().min_by_key(|&(_, degree)| degree)?;
    if degree == 1 {
        return Some(Split::Irreducible);
    }
    let derivative = p.derivative(var);
    let common = gcd(p, &derivative);
    if common.is_one() {
        return None;
    }
    let mut parts = Vec::new();
    let mut w = p.div_exact(&common)?;
    let mut y = derivative.div_exact(&common)?;
    for multiplicity in 1.. {
        let z = &y - &w.derivative(var);
        if z.is_zero() {
            parts.push((w.primitive(), multiplicity));
            break;
        }
        let part = gcd(&w, &z);
        w = w.div_exact(&part)?;
        y = z.div_exact(&part)?;
        if !part.is_one() {
            parts.push((part, multiplicity));
        }
    }
    Some(Split::Parts(parts))
}

/// Completes the square (C2) in each variable that allows it. Degree two decides:
/// a square-free `p` without contents either splits or is irreducible.
fn split_quadratic(p: &Poly) -> Option<Split> {
    set_bits(p.variables()).find_map(|var| {
        let mut coefficients = p.coefficients_in(var);
        let k = coefficients.len() / 2;
        let occupied = (0..coefficients.len()).filter(|&i| !coefficients[i].is_zero());
        if coefficients.len() != 2 * k + 1 || !occupied.into_iter().all(|i| i % k == 0) {
            return None;
        }
        let [c, b, a] = [0, k, 2 * k].map(|i| std::mem::take(&mut coefficients[i]));
        let Ok(root) = square_root_of_discriminant(&a, &b, &c) else { return None };
        match root {
            Some(root) => {
                let linear = [&b + &root, a.scale(&IBig::from(2))];
                let content = gcd_many(&linear);
                for (i, part) in [0, k].into_iter().zip(linear) {
                    coefficients[i] = part.div_exact(&content)?;
                }
                two_parts(p, Poly::from_coefficients(var, &coefficients).ok()?)
            }
            None if k == 1 => Some(Split::Irreducible),
            None => None,
        }
    })
}

/// The square root of `b² − 4ac`, if it has one.
fn square_root_of_discriminant(a: &Poly, b: &Poly, c: &Poly) -> Result<Option<Poly>, TooLarge> {
    let may_be_square = passes_euler(|point| {
        let [a, b, c] = [a, b, c].map(|p| p.eval_mod(point));
        b * b - Residue::from(4) * a * c
    });
    if !may_be_square {
        return Ok(None);
    }
    Ok(square_root(&(&b.mul(b)? - &a.mul(c)?.scale(&IBig::from(4)))))
}

/// Tries the divisors `x ± 1` and `x ± y`, at a random point of their zero sets.
fn split_linear(p: &Poly) -> Option<Split> {
    let variables = p.variables();
    let mut point: Vec<Residue> = random_points().next()?;
    for var in set_bits(variables) {
        let later = set_bits(variables & !((2u32 << var) - 1));
        let value = point[var];
        for root in std::iter::once(Poly::one()).chain(later.map(Poly::variable)) {
            for root in [-&root, root] {
                point[var] = root.eval_mod(&point);
                if p.eval_mod(&point).is_zero() {
                    return two_parts(p, &Poly::variable(var) - &root);
                }
            }
        }
        point[var] = value;
    }
    None
}

/// Factors `q` where `p(x, y, …) = q(x^k, y^l, …)`, with the largest such powers.
fn split_powers(p: &Poly) -> Option<Split> {
    let mut step = [0u8; MAX_VARS];
    for (m, _) in p.terms() {
        for (var, exponent) in m.iter() {
            step[var] = step[var].gcd(exponent);
        }
    }
    if set_bits(p.variables()).all(|var| step[var] == 1) {
        return None;
    }
    let rewrite = |poly: &Poly, map: &dyn Fn(usize, u8) -> u8| {
        let rewrite_term = |(m, c): &Term| {
            let with = |acc: Monomial, (var, e)| acc.with_exponent(var, map(var, e));
            (m.iter().fold(Monomial::ONE, with), c.clone())
        };
        Poly::from_terms(poly.terms().iter().map(rewrite_term))
    };
    let deflated = rewrite(p, &|var, exponent| exponent / step[var]);
    let factored = factor(&deflated);
    if factored.factors.len() < 2 {
        return None; // nothing gained: `p` is square-free, so is what it came from
    }
    let inflate = |(f, n): &(Poly, u32)| (rewrite(f, &|var, exponent| exponent * step[var]), *n);
    Some(Split::Parts(factored.factors.iter().map(inflate).collect()))
}

/// The polynomial whose square is `p`, with positive leading coefficient.
///
/// Term by term: if `r` agrees with the root in its first terms, the next one is
/// `lt(p − r²) / 2 lt(r)`.
#[must_use]
pub fn square_root(p: &Poly) -> Option<Poly> {
    let Some((lead_monomial, lead)) = p.leading() else { return Some(Poly::zero()) };
    let (last_monomial, last) = p.trailing()?;
    let smallest = halve(last_monomial)?;
    square_root_integer(last)?;
    let first = Poly::term(halve(lead_monomial)?, square_root_integer(lead)?);
    halve(&p.degrees())?;
    if !passes_euler(|point| p.eval_mod(point)) {
        return None;
    }
    let (first_monomial, first_coefficient) = first.leading()?;
    let twice = first_coefficient * IBig::from(2);
    let mut remainder = p - &first.mul(&first).ok()?;
    let mut root = first.clone();
    while let Some((m, c)) = remainder.leading() {
        let monomial = m.divide(first_monomial).filter(|m| *m >= smallest)?;
        if !(c % &twice).is_zero() {
            return None;
        }
        let term = Poly::term(monomial, c / &twice);
        let change = (&root.scale(&IBig::from(2)) + &term).mul(&term).ok()?;
        remainder = &remainder - &change;
        root = &root + &term;
    }
    Some(root)
}

/// The monomial whose square this is.
fn halve(m: &Monomial) -> Option<Monomial> {
    m.iter().try_fold(Monomial::ONE, |acc, (var, exponent)| {
        (exponent % 2 == 0).then(|| acc.with_exponent(var, exponent / 2))
    })
}

fn square_root_integer(value: &IBig) -> Option<IBig> {
    if *value < IBig::ZERO {
        return None;
    }
    let (root, remainder) = value.unsigned_abs().sqrt_rem();
    remainder.is_zero().then(|| root.into())
}

/// Euler's criterion for a function at a few points of F_p: true for
/// squares of polynomials, false for almost all others.
fn passes_euler(value: impl Fn(&[Residue]) -> Residue) -> bool {
    random_points().take(8).all(|point| value(&point).is_square())
}

/// Points of F_p with a coordinate for every variable.
fn random_points() -> impl Iterator<Item = Vec<Residue>> {
    let mut random = Random::new(0xfac7);
    std::iter::repeat_with(move || (0..MAX_VARS).map(|_| Residue::random(&mut random)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(var: usize) -> Poly {
        Poly::variable(var)
    }

    fn product(factors: &[&Poly]) -> Poly {
        factors.iter().fold(Poly::one(), |acc, f| acc.mul(f).expect("small"))
    }

    fn power(p: &Poly, exponent: u32) -> Poly {
        p.pow(exponent).expect("small")
    }

    /// Factors, checks the product and gives the factors as text.
    fn factors(p: &Poly) -> (Vec<String>, bool) {
        let factored = factor(p);
        assert_eq!(factored.expand().as_ref(), Ok(p));
        let text = |(f, n): &(Poly, u32)| match n {
            1 => format!("{f}"),
            _ => format!("({f})^{n}"),
        };
        (factored.factors.iter().map(text).collect(), factored.complete)
    }

    #[test]
    fn constants_and_monomials() {
        assert!(factor(&Poly::zero()).content.is_zero());
        assert_eq!(factor(&Poly::constant(IBig::from(-12))).content, IBig::from(-12));
        let p = Poly::from_table(&[(-6, &[(0, 2), (4, 1)])]);
        assert_eq!(factors(&p), (vec!["(x0)^2".into(), "x4".into()], true));
        assert_eq!(factor(&p).content, IBig::from(-6));
    }

    #[test]
    fn contents_in_every_variable_come_apart() {
        let (f, g) = (&x(0) + &x(1), &power(&x(2), 3) + &x(3));
        let h = &x(4) - &product(&[&x(5), &x(6)]);
        let (found, complete) = factors(&product(&[&f, &g, &h]));
        assert!(complete);
        assert_eq!(found, ["x0 + x1", "x4 - x5*x6", "x2^3 + x3"]);
    }

    #[test]
    fn multiplicities_are_found() {
        let f = &(&power(&x(0), 2) + &x(1)) + &power(&x(2), 3);
        let g = &product(&[&x(0), &x(2)]) - &Poly::one();
        let (found, complete) = factors(&product(&[&power(&f, 3), &power(&g, 2)]));
        assert!(complete);
        assert_eq!(found, ["(x0*x2 - 1)^2", "(x0^2 + x1 + x2^3)^3"]);
    }

    #[test]
    fn differences_of_squares_and_fourth_powers() {
        let p = &power(&x(0), 4) - &power(&x(1), 4);
        assert_eq!(factors(&p), (vec!["x0 - x1".into(), "x0 + x1".into(), "x0^2 + x1^2".into()], true));
        let twice = &power(&x(0), 4) - &power(&x(1), 6).scale(&IBig::from(4));
        assert_eq!(factors(&twice).0, ["x0^2 - 2*x1^3", "x0^2 + 2*x1^3"]);
        let sextic = &(&power(&x(0), 6) + &power(&x(0), 3).scale(&IBig::from(5))) + &Poly::constant(IBig::from(6));
        assert_eq!(factors(&sextic).0, ["x0^3 + 2", "x0^3 + 3"]);
        let cubes = &power(&x(0), 3) - &power(&x(1), 3);
        assert_eq!(factors(&cubes), (vec!["x0 - x1".into(), "x0^2 + x0*x1 + x1^2".into()], true));
    }

    #[test]
    fn the_determinant_of_the_rolling_disk() {
        // I1 (I3 + M r²)(I1 + M r²)(c − 1)(c + 1), variables I1, I3, M, r, c
        let mr2 = product(&[&x(2), &power(&x(3), 2)]);
        let expected = [x(0), &x(1) + &mr2, &x(0) + &mr2, &x(4) - &Poly::one(), &x(4) + &Poly::one()];
        let p = product(&expected.iter().collect::<Vec<_>>());
        let factored = factor(&p);
        assert!(factored.complete);
        assert_eq!(factored.factors.len(), 5);
        assert!(expected.iter().all(|f| factored.factors.contains(&(f.clone(), 1))));
    }

    #[test]
    fn quadratics_with_and_without_a_square_discriminant() {
        let f = &product(&[&x(1), &power(&x(0), 2)]) + &x(2); // irreducible
        assert_eq!(factors(&f).0.len(), 1);
        let irreducible = &(&power(&x(0), 2) + &power(&x(1), 2)) + &power(&x(2), 2);
        assert_eq!(factors(&irreducible), (vec![irreducible.to_string()], true));
        // (a x + b)(c x + d) with quadratic coefficients
        let linear = |k: usize| &product(&[&power(&x(k), 2), &x(0)]) + &power(&x(k + 1), 2);
        assert_eq!(factors(&product(&[&linear(1), &linear(2)])).0.len(), 2);
    }

    #[test]
    fn what_stays_together_is_said_to() {
        let f = &(&power(&x(0), 3) + &power(&x(1), 3)) + &Poly::constant(IBig::from(2));
        let g = &(&power(&x(0), 3) + &power(&x(1), 4)) + &x(0);
        let p = product(&[&f, &g]);
        let (found, complete) = factors(&p);
        assert_eq!((found.len(), complete), (1, false));
    }

    #[test]
    fn square_roots_of_polynomials() {
        let root = Poly::from_table(&[(3, &[(0, 2), (3, 1)]), (-2, &[(1, 1)]), (5, &[]), (1, &[(2, 4)])]);
        let square = product(&[&root, &root]);
        assert_eq!(square_root(&square), Some(root.clone()));
        assert_eq!(square_root(&(&square + &Poly::one())), None);
        assert_eq!(square_root(&-&square), None);
        assert_eq!(square_root(&product(&[&square, &root])), None);
        assert_eq!(square_root(&Poly::zero()), Some(Poly::zero()));
        assert_eq!(square_root(&Poly::constant(IBig::from(8))), None);
    }
}
