//! Every function against 34 digits from python-flint, in doubles and in double-doubles.
//!
//! The table is printed by `functions_oracle.py`. Errors are counted part by part: in ulp of the true
//! real or imaginary part for doubles, relative to it for double-doubles.

use polhode_special::Complex;
use polhode_special::carlson::{carlson_rc, carlson_rd, carlson_rf, carlson_rj};
use polhode_special::elliptic::*;
use polhode_special::gamma::{digamma, gamma, ln_gamma, reciprocal_gamma};
use polhode_special::hypergeometric::{hypergeometric, hypergeometric_derivative};
use polhode_special::legendre::{
    legendre_p, legendre_p_derivative, legendre_p_of_angle, legendre_q, legendre_q_derivative,
};
use polhode_tape::{Dd, Scalar};

fn values<S: Scalar>(name: &str, x: &[f64]) -> Vec<S> {
    let real = |k: usize| S::from_f64(x[k]);
    let complex = |k: usize| Complex::new(real(k), real(k + 1));
    let (base, real_valued) = match name.strip_suffix("_real") {
        Some(base) => (base, true),
        None => (name, false),
    };
    let one = |y: S| vec![y];
    let z = match base {
        "gamma" | "rgamma" | "digamma" | "lngamma" => {
            let z = if real_valued { Complex::from(real(0)) } else { complex(0) };
            match base {
                "gamma" => gamma(z),
                "rgamma" => reciprocal_gamma(z),
                "digamma" => digamma(z),
                _ => ln_gamma(z),
            }
        }
        "f21" => hypergeometric(complex(0), complex(2), complex(4), real(6)),
        "f21_slope" => hypergeometric_derivative(complex(0), complex(2), complex(4), real(6)),
        "legendre_p" => legendre_p(complex(0), real(2)),
        "legendre_dp" => legendre_p_derivative(complex(0), real(2)),
        "legendre_q" => legendre_q(complex(0), real(2)),
        "legendre_dq" => legendre_q_derivative(complex(0), real(2)),
        "angle" => {
            let (p, d) = legendre_p_of_angle(complex(0), real(2));
            if real_valued {
                assert!(p.is_real() && d.is_real());
                return vec![p.re, d.re];
            }
            return vec![p.re, p.im, d.re, d.im];
        }
        "rf" => return one(carlson_rf(real(0), real(1), real(2))),
        "rd" => return one(carlson_rd(real(0), real(1), real(2))),
        "rj" => return one(carlson_rj(real(0), real(1), real(2), real(3))),
        "rc" => return one(carlson_rc(real(0), real(1))),
        "k" => return one(elliptic_k(real(0))),
        "e" => return one(elliptic_e(real(0))),
        "d" => return one(elliptic_d(real(0))),
        "pi" => return one(elliptic_pi(real(0), real(1))),
        "f_inc" => return one(elliptic_f_incomplete(real(0), real(1))),
        "e_inc" => return one(elliptic_e_incomplete(real(0), real(1))),
        "d_inc" => return one(elliptic_d_incomplete(real(0), real(1))),
        "pi_inc" => return one(elliptic_pi_incomplete(real(0), real(1), real(2))),
        "jacobi" => {
            let j = jacobi(real(0), real(1));
            return vec![j.sn, j.cn, j.dn, j.am];
        }
        other => panic!("no function {other}"),
    };
    if real_valued {
        assert_eq!(z.im, S::default(), "{name} {x:?} is real");
        return vec![z.re];
    }
    vec![z.re, z.im]
}

/// The distance between neighbouring doubles at x.
fn ulp(x: f64) -> f64 {
    let x = x.abs().max(f64::MIN_POSITIVE);
    f64::from_bits(x.to_bits() + 1) - x
}

#[derive(Default)]
struct Worst {
    name: String,
    points: usize,
    ulps: f64,
    relative: f64,
}

#[test]
fn functions_match_the_oracle() {
    let mut worst: Vec<Worst> = Vec::new();
    let mut failures = Vec::new();
    for line in include_str!("functions_oracle.txt").lines() {
        let (left, right) = line.split_once(" = ").unwrap();
        let (name, arguments) = left.split_once(' ').unwrap();
        let x: Vec<f64> = arguments.split(' ').map(|w| w.parse().unwrap()).collect();
        let truth: Vec<Dd> = right.split(' ').map(|w| w.parse().unwrap()).collect();
        let (doubles, pairs) = (values::<f64>(name, &x), values::<Dd>(name, &x));
        let base = name.trim_end_matches("_real");
        if worst.iter().all(|w| w.name != base) {
            worst.push(Worst { name: base.into(), ..Worst::default() });
        }
        let w = worst.iter_mut().find(|w| w.name == base).unwrap();
        w.points += 1;
        for ((t, d), p) in truth.iter().zip(&doubles).zip(&pairs) {
            let (ulps, relative) = if *t == Dd::ZERO {
                (if *d == 0.0 { 0.0 } else { f64::INFINITY }, if *p == Dd::ZERO { 0.0 } else { 1.0 })
            } else {
                let off = ((Dd::from(*d) - *t).to_f64() / ulp(t.to_f64())).abs();
                (off, ((*p - *t) / *t).to_f64().abs())
            };
            if ulps.is_nan() || ulps > 0.51 || relative > 2e-32 {
                failures.push(format!("{line}\n   f64 {d:e} off by {ulps} ulp, Dd off by {relative:e}"));
            }
            w.ulps = w.ulps.max(ulps);
            w.relative = w.relative.max(relative);
        }
    }
    println!("function        points   ulp (f64)   relative (Dd)");
    for w in &worst {
        println!("{:14} {:7} {:11.3} {:15.1e}", w.name, w.points, w.ulps, w.relative);
    }
    assert_eq!(worst.len(), 24, "every function is in the table");
    assert!(failures.is_empty(), "{} points fail:\n{}", failures.len(), failures[..failures.len().min(30)].join("\n"));
}
