//! Times greatest common divisors of random sparse products, best of seven.
//!
//! ```text
//! cargo run --release -p polhode-poly --example gcd_bench
//! ```
//!
//! Each row is `gcd(a·g, b·g)` for random `a`, `b`, `g`, or `gcd(a·g, b·h)` where it
//! says coprime. Small rows repeat the call often enough to be measurable.

use dashu_int::IBig;
use polhode_base::random::Random;
use polhode_poly::{Monomial, Poly, gcd};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One row of the table.
struct Case {
    vars: usize,
    gcd_terms: usize,
    cofactor_terms: usize,
    degree: u64,
    coprime: bool,
}

const CASES: [Case; 13] = [
    Case { vars: 4, gcd_terms: 15, cofactor_terms: 15, degree: 8, coprime: false },
    Case { vars: 5, gcd_terms: 25, cofactor_terms: 24, degree: 8, coprime: false },
    Case { vars: 6, gcd_terms: 29, cofactor_terms: 25, degree: 6, coprime: false },
    Case { vars: 8, gcd_terms: 30, cofactor_terms: 27, degree: 5, coprime: false },
    Case { vars: 12, gcd_terms: 36, cofactor_terms: 40, degree: 4, coprime: false },
    Case { vars: 12, gcd_terms: 36, cofactor_terms: 36, degree: 4, coprime: true },
    Case { vars: 8, gcd_terms: 300, cofactor_terms: 3, degree: 4, coprime: false },
    Case { vars: 8, gcd_terms: 1000, cofactor_terms: 10, degree: 4, coprime: false },
    Case { vars: 4, gcd_terms: 2, cofactor_terms: 2, degree: 2, coprime: false },
    Case { vars: 4, gcd_terms: 2, cofactor_terms: 2, degree: 3, coprime: true },
    Case { vars: 4, gcd_terms: 2, cofactor_terms: 3, degree: 3, coprime: false },
    Case { vars: 6, gcd_terms: 3, cofactor_terms: 3, degree: 3, coprime: false },
    Case { vars: 6, gcd_terms: 3, cofactor_terms: 3, degree: 3, coprime: true },
];

/// What inputs are drawn with, the same on every run.
struct Draw(Random);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.bits() % bound
    }

    /// A polynomial with exponents up to `degree` and coefficients from −9 to 9.
    fn poly(&mut self, vars: usize, terms: usize, degree: u64) -> Poly {
        let mut poly = Poly::zero();
        while poly.len() < terms {
            let monomial = (0..vars).fold(Monomial::ONE, |m, var| m.with_exponent(var, self.below(degree + 1) as u8));
            let coefficient = IBig::from(self.below(9) + 1);
            let sign = if self.below(2) == 0 { IBig::ONE } else { IBig::NEG_ONE };
            poly = &poly + &Poly::term(monomial, sign * coefficient);
        }
        poly
    }
}

/// The least time of seven measurements of at least a millisecond each.
fn best_of_seven(mut call: impl FnMut()) -> Duration {
    let measure = |call: &mut dyn FnMut()| {
        let (start, mut calls) = (Instant::now(), 0);
        while calls == 0 || start.elapsed() < Duration::from_millis(1) {
            call();
            calls += 1;
        }
        start.elapsed() / calls
    };
    (0..7).map(|_| measure(&mut call)).min().unwrap_or_default()
}

fn main() {
    println!("{:>4}  {:>11}  {:>9}  {:>12}", "vars", "terms", "gcd", "time");
    let mut random = Draw(Random::new(1));
    for case in CASES {
        let mut draw = |terms| random.poly(case.vars, terms, case.degree);
        let (a, b) = (draw(case.cofactor_terms), draw(case.cofactor_terms));
        let g = draw(case.gcd_terms);
        let h = if case.coprime { draw(case.gcd_terms) } else { g.clone() };
        let product = |p: &Poly, q: &Poly| p.mul(q).expect("the cases are small");
        let (p, q) = (product(&a, &g), product(&b, &h));
        let common = gcd(&p, &q);
        let time = best_of_seven(|| {
            black_box(gcd(black_box(&p), black_box(&q)));
        });
        let name = if common.is_one() { "coprime".into() } else { common.len().to_string() };
        let terms = format!("{}×{}", p.len(), q.len());
        println!("{:>4}  {terms:>11}  {name:>9}  {time:>12.3?}", case.vars);
    }
}
