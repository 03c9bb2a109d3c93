//! What one evaluation costs, in doubles and in double-doubles.
//!
//!     cargo run --release -p polhode-special --example cost

use polhode_special::Complex;
use polhode_special::elliptic::{elliptic_e, elliptic_k, elliptic_pi_incomplete, jacobi};
use polhode_special::gamma::{digamma, gamma};
use polhode_special::hypergeometric::hypergeometric;
use polhode_special::legendre::{conical_p, legendre_q};
use polhode_special::ode::Equation;
use polhode_tape::{Dd, Scalar};
use std::time::Instant;

/// The least time of 20 rounds, per call.
fn time<T>(mut f: impl FnMut(f64) -> T) -> f64 {
    let n = 50;
    let round = |f: &mut dyn FnMut(f64)| {
        let start = Instant::now();
        (0..n).for_each(|k| f(f64::from(k) / f64::from(n)));
        start.elapsed().as_secs_f64() * 1e6 / f64::from(n)
    };
    let mut call = |x: f64| {
        std::hint::black_box(f(std::hint::black_box(x)));
    };
    (0..20).map(|_| round(&mut call)).fold(f64::INFINITY, f64::min)
}

fn costs<S: Scalar>() -> Vec<(&'static str, f64)> {
    let s = S::from_f64;
    let c = |re: f64, im: f64| Complex::new(s(re), s(im));
    let (a, b, two) = (c(1.5, 1.04), c(1.5, -1.04), c(2.0, 0.0));
    let disk =
        Equation::new(&[s(0.0), s(1.0), s(-1.0)], &[s(2.0), s(-4.0)], &[s(-10.0) / s(3.0)]).expect("an equation");
    let solutions = disk.solve(s(0.0), s(1.0)).expect("the ends are regular");
    vec![
        ("Γ(z)", time(|x| gamma(c(0.3 + x, 1.1)))),
        ("ψ(x)", time(|x| digamma(c(0.3 + x, 0.0)))),
        ("F(a, ā; 2; z), z < ½", time(|x| hypergeometric(a, b, two, s(x * 0.5)))),
        ("F(a, ā; 2; z), z > ½, with logarithm", time(|x| hypergeometric(a, b, two, s(0.5 + x * 0.499)))),
        ("F(a, b; 2; z), z > ½, complex", time(|x| hypergeometric(a, c(2.3, 0.3), two, s(0.5 + x * 0.499)))),
        ("P_{−½+iτ}(x), x > 0", time(|x| conical_p(s(1.04), s(x)))),
        ("P_{−½+iτ}(x), x < 0", time(|x| conical_p(s(1.04), s(-x * 0.999)))),
        ("Q_ν(x)", time(|x| legendre_q(c(1.3, 0.0), s(x * 0.99)))),
        ("K(m)", time(|x| elliptic_k(s(x * 0.99)))),
        ("E(m)", time(|x| elliptic_e(s(x * 0.99)))),
        ("Π(n; φ | m)", time(|x| elliptic_pi_incomplete(s(0.3), s(x), s(0.7)))),
        ("sn, cn, dn, am", time(|x| jacobi(s(x * 10.0), s(0.7)))),
        ("disk: equation solved on (0, 1)", time(|_| disk.solve(s(0.0), s(1.0)))),
        ("disk: both solutions and derivatives", time(|x| solutions.evaluate(s(0.001 + 0.998 * x)))),
    ]
}

fn main() {
    println!("{:40} {:>10} {:>10}", "µs", "f64", "Dd");
    for ((name, doubles), (_, pairs)) in costs::<f64>().into_iter().zip(costs::<Dd>()) {
        println!("{name:40} {doubles:10.2} {pairs:10.2}");
    }
}
