//! Identities that hold for all polynomials, on random ones.

use dashu_int::IBig;
use polhode_poly::{MAX_TERMS, Monomial, Poly, Residue, factor, gcd, gcd_cofactors, gcd_many, lcm, square_root};
use proptest::prelude::*;

/// Shapes of random polynomials: how many variables, terms, which exponents, bits.
#[derive(Clone, Copy, Debug)]
struct Shape {
    vars: usize,
    terms: usize,
    exponent: u8,
    bits: usize,
}

const SMALL: Shape = Shape { vars: 3, terms: 5, exponent: 3, bits: 4 };
const BIG_COEFFICIENTS: Shape = Shape { vars: 3, terms: 5, exponent: 4, bits: 200 };
const MANY_VARIABLES: Shape = Shape { vars: 32, terms: 6, exponent: 2, bits: 10 };
const HIGH_DEGREE: Shape = Shape { vars: 2, terms: 6, exponent: 30, bits: 8 };
const SHAPES: [Shape; 4] = [SMALL, BIG_COEFFICIENTS, MANY_VARIABLES, HIGH_DEGREE];

fn coefficient(bits: usize) -> impl Strategy<Value = IBig> {
    (prop::collection::vec(any::<u64>(), 4), any::<bool>(), 0..=bits).prop_map(|(words, negative, bits)| {
        let value = words.iter().fold(IBig::ZERO, |acc, &word| (acc << 64) + IBig::from(word));
        let value = value >> (256 - bits);
        if negative { -value } else { value }
    })
}

/// A polynomial of the shape; terms have few variables when there are many.
fn poly(shape: Shape) -> impl Strategy<Value = Poly> {
    let power = (0..shape.vars, 0..=shape.exponent);
    let monomial = prop::collection::vec(power, 0..=3).prop_map(|powers| {
        let with = |m: Monomial, (var, exponent)| m.with_exponent(var, exponent);
        powers.into_iter().fold(Monomial::ONE, with)
    });
    prop::collection::vec((monomial, coefficient(shape.bits)), 0..=shape.terms).prop_map(Poly::from_terms)
}

/// Three polynomials of one shape, any of the four.
fn three() -> impl Strategy<Value = [Poly; 3]> {
    (0..SHAPES.len()).prop_flat_map(|k| {
        let one = || poly(SHAPES[k]);
        (one(), one(), one()).prop_map(|(a, b, c)| [a, b, c])
    })
}

fn nonzero() -> impl Strategy<Value = [Poly; 3]> {
    three().prop_filter("zero", |polys| polys.iter().all(|p| !p.is_zero()))
}

fn mul(a: &Poly, b: &Poly) -> Poly {
    a.mul(b).expect("the shapes stay below the limits")
}

fn divides(a: &Poly, b: &Poly) -> bool {
    b.div_exact(a).is_some()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn ring_axioms([a, b, c] in three()) {
        prop_assert_eq!(&a + &b, &b + &a);
        prop_assert_eq!(&(&a + &b) + &c, &a + &(&b + &c));
        prop_assert_eq!(mul(&a, &b), mul(&b, &a));
        prop_assert_eq!(mul(&mul(&a, &b), &c), mul(&a, &mul(&b, &c)));
        prop_assert_eq!(mul(&a, &(&b + &c)), &mul(&a, &b) + &mul(&a, &c));
        prop_assert_eq!(&a - &b, &a + &-&b);
        prop_assert!((&a - &a).is_zero());
        prop_assert_eq!(mul(&a, &Poly::one()), a.clone());
    }

    #[test]
    fn values_are_homomorphic([a, b, _] in three(), point in prop::collection::vec((0..Residue::MODULUS).prop_map(Residue::new), 32)) {
        let (va, vb) = (a.eval_mod(&point), b.eval_mod(&point));
        prop_assert_eq!((&a + &b).eval_mod(&point), va + vb);
        prop_assert_eq!(mul(&a, &b).eval_mod(&point), va * vb);
    }

    #[test]
    fn derivatives_obey_the_product_rule([a, b, _] in three(), var in 0usize..4) {
        let expected = &mul(&a.derivative(var), &b) + &mul(&a, &b.derivative(var));
        prop_assert_eq!(mul(&a, &b).derivative(var), expected);
    }

    #[test]
    fn coefficients_rebuild([a, _, _] in three(), var in 0usize..32) {
        prop_assert_eq!(Poly::from_coefficients(var, &a.coefficients_in(var)), Ok(a.clone()));
        prop_assert_eq!(a.remap(|v| (v + 5) % 32).and_then(|p| p.remap(|v| (v + 27) % 32)), Ok(a));
    }

    #[test]
    fn substituting_a_square([a, _, _] in three()) {
        // s² = 1 − c² as variables 0 and 1: the difference is a multiple of s² + c² − 1.
        let circle = Poly::from_table(&[(1, &[(0, 2)]), (1, &[(1, 2)]), (-1, &[])]);
        let rule = Poly::from_table(&[(-1, &[(1, 2)]), (1, &[])]);
        let reduced = a.substitute_square(0, &rule, MAX_TERMS).expect("small");
        prop_assert!(reduced.degree(0) <= 1);
        prop_assert!(divides(&circle, &(&a - &reduced)));
    }

    #[test]
    fn division_inverts_multiplication([a, b, c] in nonzero()) {
        let product = mul(&a, &b);
        prop_assert_eq!(product.div_exact(&a), Some(b.clone()));
        // Any quotient that is reported is one.
        if let Some(quotient) = c.div_exact(&a) {
            prop_assert_eq!(mul(&quotient, &a), c.clone());
        }
        if let Some(quotient) = (&product + &c).div_exact(&a) {
            prop_assert_eq!(mul(&quotient, &a), &product + &c);
        }
    }

    #[test]
    fn gcd_of_products([a, b, g] in nonzero()) {
        let (ag, bg) = (mul(&a, &g), mul(&b, &g));
        let common = gcd(&ag, &bg);
        prop_assert!(divides(&g, &common));
        prop_assert!(divides(&common, &ag) && divides(&common, &bg));
        prop_assert!(!common.has_negative_leading_coefficient());
        prop_assert_eq!(&common, &gcd(&bg, &ag));
        prop_assert_eq!(&common, &gcd(&ag, &(&bg + &ag)));
        let (g2, qa, qb) = gcd_cofactors(&ag, &bg);
        prop_assert!(gcd(&qa, &qb).is_one());
        prop_assert_eq!((mul(&g2, &qa), mul(&g2, &qb)), (ag.clone(), bg.clone()));
        prop_assert_eq!(gcd_many([&ag, &bg, &mul(&ag, &bg)]), common.clone());
        let multiple = lcm(&ag, &bg).expect("small");
        let product = mul(&ag, &bg);
        let signed = if product.has_negative_leading_coefficient() { -&product } else { product };
        prop_assert_eq!(mul(&multiple, &common), signed);
    }

    #[test]
    fn squares_have_roots([a, _, _] in nonzero()) {
        let root = square_root(&mul(&a, &a)).expect("a square");
        prop_assert!(root == a || root == -&a);
        prop_assert!(!root.has_negative_leading_coefficient());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn factors_multiply_back([a, b, c] in three()) {
        let product = mul(&mul(&a, &a), &mul(&b, &c));
        let factored = factor(&product);
        prop_assert_eq!(factored.expand(), Ok(product));
        for (k, (f, multiplicity)) in factored.factors.iter().enumerate() {
            prop_assert!(*multiplicity > 0 && !f.is_constant());
            prop_assert!(f.content().is_one() && !f.has_negative_leading_coefficient());
            prop_assert!(factored.factors[..k].iter().all(|(other, _)| gcd(other, f).is_one()));
        }
    }
}
