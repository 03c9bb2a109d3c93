//! Greatest common divisors and factorisations against FLINT.
//!
//! FLINT is reached through python-flint, by the script `flint_oracle.py` beside
//! this file, which also describes the text the two exchange. How it is
//! found, and what happens where it is not, says `polhode_testing`.

use dashu_int::IBig;
use polhode_base::random::Random;
use polhode_poly::{Monomial, Poly, factor, gcd};

/// What inputs are drawn with, the same on every run.
struct Draw(Random);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.bits() % bound
    }

    fn coefficient(&mut self, bits: u64) -> IBig {
        let bits = 1 + self.below(bits);
        let value = (0..bits).fold(IBig::ONE, |acc, _| acc * IBig::from(2) + IBig::from(self.below(2)));
        if self.below(2) == 0 { value } else { -value }
    }

    /// A non-zero polynomial; half of the exponents are zero.
    fn poly(&mut self, vars: usize, terms: u64, degree: u64, bits: u64) -> Poly {
        loop {
            let count = 1 + self.below(terms);
            let poly = Poly::from_terms((0..count).map(|_| {
                let monomial = (0..vars).fold(Monomial::ONE, |m, var| {
                    let exponent = self.below(2) * self.below(degree + 1);
                    m.with_exponent(var, exponent as u8)
                });
                (monomial, self.coefficient(bits))
            }));
            if !poly.is_zero() {
                return poly;
            }
        }
    }
}

/// Sends all questions at once and collects the answers; none where python-flint is missing.
fn ask(questions: &[String]) -> Option<Vec<String>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/flint_oracle.py");
    let answers = polhode_testing::python("import flint", script, &[], questions.join("\n").into_bytes())?;
    Some(answers.lines().map(String::from).collect())
}

fn write(poly: &Poly, vars: usize) -> String {
    let term = |(m, c): &(Monomial, IBig)| {
        let exponents: Vec<String> = (0..vars).map(|var| m.exponent(var).to_string()).collect();
        format!("{c}:{}", exponents.join(","))
    };
    let terms: Vec<String> = poly.terms().iter().map(term).collect();
    if terms.is_empty() { "0".into() } else { terms.join(";") }
}

fn read(text: &str) -> Poly {
    if text == "0" {
        return Poly::zero();
    }
    Poly::from_terms(text.split(';').map(|term| {
        let (coefficient, exponents) = term.split_once(':').expect("a term");
        let exponents = exponents.split(',').map(|e| e.parse::<u8>().expect("an exponent"));
        let with = |m: Monomial, (var, e)| m.with_exponent(var, e);
        let monomial = exponents.enumerate().fold(Monomial::ONE, with);
        (monomial, coefficient.parse().expect("a coefficient"))
    }))
}

fn mul(a: &Poly, b: &Poly) -> Poly {
    a.mul(b).expect("the questions are small")
}

#[test]
fn gcds_agree_with_flint() {
    let mut random = Draw(Random::new(2024));
    let mut pairs = Vec::new();
    for round in 0..400 {
        let vars = 1 + round % 9;
        let (terms, degree) = (2 + random.below(9), 1 + random.below(5));
        let bits = [3, 20, 70, 200][round % 4];
        let mut draw = |terms| random.poly(vars, terms, degree, bits);
        let (a, b, g) = (draw(terms), draw(terms), draw(terms));
        let (a, b) = match round % 5 {
            0 => (mul(&a, &g), b),                     // mostly coprime
            1 => (mul(&a, &mul(&g, &g)), mul(&b, &g)), // repeated factor
            _ => (mul(&a, &g), mul(&b, &g)),
        };
        pairs.push((vars, a, b));
    }
    let question = |(vars, a, b): &(usize, Poly, Poly)| format!("gcd {vars} {} {}", write(a, *vars), write(b, *vars));
    let Some(answers) = ask(&pairs.iter().map(question).collect::<Vec<_>>()) else { return };
    assert_eq!(answers.len(), pairs.len());
    for ((_, a, b), answer) in pairs.iter().zip(answers) {
        assert_eq!(gcd(a, b), read(&answer), "gcd of {a} and {b}");
    }
}

#[test]
fn factors_are_products_of_those_of_flint() {
    let mut random = Draw(Random::new(99));
    let mut polys = Vec::new();
    for round in 0..200 {
        let vars = 1 + round % 5;
        let count = 1 + random.below(4);
        let degree = 1 + random.below(3);
        let product = (0..count).fold(Poly::one(), |product, _| {
            let f = random.poly(vars, 4, degree, 3);
            let power = 1 + random.below(4) / 3;
            mul(&product, &f.pow(power as u32).expect("small"))
        });
        polys.push((vars, product));
    }
    let question = |(vars, p): &(usize, Poly)| format!("factor {vars} {}", write(p, *vars));
    let Some(answers) = ask(&polys.iter().map(question).collect::<Vec<_>>()) else { return };
    assert_eq!(answers.len(), polys.len());
    let mut complete = 0;
    for ((_, p), answer) in polys.iter().zip(answers) {
        let irreducible: Vec<(Poly, u32)> = answer
            .split('|')
            .skip(1)
            .map(|part| part.split_once('^').expect("a multiplicity"))
            .map(|(f, n)| (read(f), n.parse().expect("a number")))
            .collect();
        complete += usize::from(check_factors(p, &irreducible));
    }
    println!("{complete} of {} factored completely", polys.len());
    assert!(complete * 10 > polys.len() * 8, "only {complete} factored completely");
}

/// Checks our factors of `p` against the irreducible ones: each of ours is a
/// product of theirs, counts agree, and a claim of completeness is true. Returns
/// that claim.
fn check_factors(p: &Poly, irreducible: &[(Poly, u32)]) -> bool {
    let ours = factor(p);
    assert_eq!(ours.expand().as_ref(), Ok(p));
    let mut found = vec![0; irreducible.len()];
    for (f, multiplicity) in &ours.factors {
        let mut rest = f.clone();
        for ((g, _), count) in irreducible.iter().zip(&mut found) {
            while let Some(quotient) = rest.div_exact(g) {
                rest = quotient;
                *count += multiplicity;
            }
        }
        assert!(rest.is_one(), "{f} of {p} is no product of irreducible factors");
    }
    let counts: Vec<u32> = irreducible.iter().map(|(_, n)| *n).collect();
    assert_eq!(found, counts, "multiplicities in {p}");
    if ours.complete {
        assert_eq!(ours.factors.len(), irreducible.len(), "{p} is not factored completely");
    }
    ours.complete
}
