//! Greatest common divisors and factorisations against FLINT.
//!
//! FLINT is reached through python-flint, by the script `flint_oracle.py` beside
//! this file, which also describes the text the two exchange. The interpreter is
//! `POLHODE_ORACLE_PYTHON`, else `.venv/bin/python` at the workspace root, else
//! `python3`. Without python-flint the test says `SKIPPED:` and passes.

use dashu_int::IBig;
use polhode_poly::{Monomial, Poly, factor, gcd};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A linear congruential generator: the same questions on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
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

fn python() -> PathBuf {
    if let Some(path) = std::env::var_os("POLHODE_ORACLE_PYTHON") {
        return path.into();
    }
    let local = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    if local.exists() { local } else { "python3".into() }
}

/// Why there is no oracle, if there is none.
fn missing() -> Option<String> {
    let python = python();
    let probe = Command::new(&python).args(["-c", "import flint"]).output();
    match probe {
        Ok(output) if output.status.success() => None,
        Ok(_) => Some(format!("python-flint for {}", python.display())),
        Err(error) => Some(format!("{}: {error}", python.display())),
    }
}

/// Sends all questions at once and collects the answers.
fn ask(questions: &[String]) -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flint_oracle.py");
    let mut child = Command::new(python())
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter was just found");
    let mut input = child.stdin.take().expect("a pipe was asked for");
    let text = questions.join("\n");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the interpreter ends");
    writer.join().expect("no panic").expect("the interpreter reads to the end");
    assert!(output.status.success(), "the oracle failed");
    let answers = String::from_utf8(output.stdout).expect("text");
    answers.lines().map(String::from).collect()
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
    if let Some(what) = missing() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
        return;
    }
    let mut random = Random(2024);
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
    let answers = ask(&pairs.iter().map(question).collect::<Vec<_>>());
    assert_eq!(answers.len(), pairs.len());
    for ((_, a, b), answer) in pairs.iter().zip(answers) {
        assert_eq!(gcd(a, b), read(&answer), "gcd of {a} and {b}");
    }
}

#[test]
fn factors_are_products_of_those_of_flint() {
    if let Some(what) = missing() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
        return;
    }
    let mut random = Random(99);
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
    let answers = ask(&polys.iter().map(question).collect::<Vec<_>>());
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
