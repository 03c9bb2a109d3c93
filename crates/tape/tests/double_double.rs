//! Double-doubles against exact rationals and against 40 digits from python-flint.
//!
//! The table of the second kind is printed by `double_double_oracle.py`.

use dashu_int::IBig;
use dashu_ratio::RBig;
use polhode_tape::{Dd, Scalar};
use proptest::prelude::*;

/// 2⁻¹⁰⁶, in which errors are counted.
const U2: f64 = 1.232595164407831e-32;

fn exact(x: Dd) -> RBig {
    RBig::try_from(x.hi()).unwrap() + RBig::try_from(x.lo()).unwrap()
}

/// |x − true value| / |true value|, in units of u².
fn error(x: Dd, truth: &RBig) -> f64 {
    if truth.is_zero() {
        return if x == Dd::ZERO { 0.0 } else { f64::INFINITY };
    }
    let e = ((exact(x) - truth) / truth).to_f64().value();
    e.abs() / U2
}

fn assert_normalised(x: Dd) {
    assert_eq!(x.hi() + x.lo(), x.hi(), "the high part is the nearest double of {x:?}");
}

/// 3.25, −17e−3.
fn decimal(text: &str) -> RBig {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (digits, exponent): (IBig, i32) = (digits.parse().unwrap(), exponent.parse().unwrap());
    let ten = IBig::from(10).pow(exponent.unsigned_abs() as usize);
    if exponent < 0 { RBig::from_parts_signed(digits, ten) } else { RBig::from(digits * ten) }
}

#[test]
fn functions_match_the_oracle() {
    let mut worst: Vec<(String, f64, String)> = Vec::new();
    for line in include_str!("double_double_oracle.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |k: usize| Dd::new(words[k].parse().unwrap(), words[k + 1].parse().unwrap());
        let (x, truth) = (number(1), decimal(words[words.len() - 1]));
        let y = match words[0] {
            "sin" => x.sin_cos().0,
            "cos" => x.sin_cos().1,
            "exp" => x.exp(),
            "ln" => x.ln(),
            "sqrt" => x.sqrt(),
            "atan2" => x.atan2(number(3)),
            other => panic!("no function {other}"),
        };
        assert_normalised(y);
        let e = error(y, &truth);
        match worst.iter_mut().find(|w| w.0 == words[0]) {
            Some(w) if w.1 >= e => {}
            Some(w) => (w.1, w.2) = (e, line.into()),
            None => worst.push((words[0].into(), e, line.into())),
        }
    }
    assert_eq!(worst.len(), 6, "every function is in the table");
    for (name, e, line) in worst {
        println!("{name:6} {e:.2} u²   {line}");
        assert!(e <= 4.0, "{name} is off by {e} u² at {line}");
    }
}

/// A double-double of moderate size, with low parts of every size.
fn number() -> impl Strategy<Value = Dd> {
    let lo = prop_oneof![8 => (-1.0..1.0).boxed(), 1 => Just(0.0).boxed(), 1 => (-1e-9..1e-9).boxed()];
    (prop::bool::ANY, 1.0..2.0, -40i32..40, lo).prop_map(|(minus, m, e, lo)| {
        let hi: f64 = m * f64::from(e).exp2();
        Dd::new(if minus { -hi } else { hi }, hi * lo * 2f64.powi(-53))
    })
}

#[test]
fn products_reach_more_than_four_units() {
    // close to the worst case of the bound 5 u²: the low parts' product is dropped
    let a = Dd::new(35690603.1231478, -3.5977672630173244e-9);
    let b = Dd::new(-35690603.1231478, 3.5965230800154257e-9);
    let e = error(a * b, &(exact(a) * exact(b)));
    assert!(e > 4.0 && e <= 5.0, "{e} u²");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arithmetic_is_accurate(a in number(), b in number(), n in -2i32..2) {
        // as it comes, and with cancellation of all sizes
        for b in [b, -a + b, Dd::new(-a.hi() * f64::from(n), b.hi() * 1e-18)] {
            let (x, y) = (exact(a), exact(b));
            for (name, z, truth, bound) in [
                ("+", a + b, &x + &y, 4.0),
                ("−", a - b, &x - &y, 4.0),
                ("×", a * b, &x * &y, 5.0),
            ] {
                assert_normalised(z);
                let e = error(z, &truth);
                prop_assert!(e <= bound, "{a:?} {name} {b:?} is off by {e} u²");
            }
            if b != Dd::ZERO {
                assert_normalised(a / b);
                let e = error(a / b, &(&x / &y));
                prop_assert!(e <= 4.0, "{a:?} / {b:?} is off by {e} u²");
            }
        }
    }

    #[test]
    fn roots_are_accurate(a in number()) {
        // (r (1 + ε))² = a (1 + 2 ε)
        let a = a.abs();
        let r = exact(a.sqrt());
        let e = (RBig::ONE - &r * &r / exact(a)).to_f64().value().abs() / 2.0 / U2;
        prop_assert!(e <= 4.0, "√{a:?} is off by {e} u²");
    }

    #[test]
    fn integers_are_exact(n in any::<i64>(), k in 0u32..63) {
        for n in [n, n >> k, i64::MAX, i64::MIN] {
            prop_assert_eq!(exact(Dd::from(n)), RBig::from(n));
        }
    }

    #[test]
    fn text_reads_back(a in number(), scale in -200i32..200) {
        let a = a * Dd::from(f64::from(scale).exp2());
        // 40 digits are more than a double-double of adjacent parts has
        let text = format!("{a:.50e}");
        let b: Dd = text.parse().unwrap();
        prop_assert!(error(b, &exact(a)) <= 0.5, "{text}");
        let c: Dd = a.to_string().parse().unwrap();
        prop_assert!(error(c, &exact(a)) <= 1e-31 / U2, "{a}");
    }
}

#[test]
fn numbers_at_the_ends_of_the_range() {
    let (max, tiny, inf) = (f64::MAX, f64::from_bits(1), f64::INFINITY);
    let d = Dd::from;
    let bits = |x: Dd| (x.hi().to_bits(), x.lo().to_bits());
    for a in [0.0, -0.0, 1.0, -1.5, tiny, -tiny, 1e-300, 1e300, max, -max, inf, -inf, f64::NAN] {
        for b in [0.0, -0.0, 1.0, -1.5, tiny, 1e-300, 1e300, max, -max, inf, -inf, f64::NAN] {
            for (name, x, y) in [
                ("+", d(a) + d(b), a + b),
                ("−", d(a) - d(b), a - b),
                ("×", d(a) * d(b), a * b),
                ("/", d(a) / d(b), a / b),
            ] {
                assert!(x.hi().to_bits() == y.to_bits() || x.hi().is_nan() && y.is_nan(), "{a} {name} {b}: {x:?}");
                assert!(x.lo().is_finite(), "{a} {name} {b}: {x:?}");
                assert_eq!(x.is_finite(), y.is_finite());
            }
        }
        let y = d(a).sqrt();
        // the root of the largest number lies half way between two doubles but for 2⁻¹⁰⁹
        let same = y.hi().to_bits() == a.sqrt().to_bits() || y.hi().is_nan() && a.sqrt().is_nan() || a == max;
        assert!(same, "√{a}: {y:?}");
        assert!(y.lo().is_finite());
    }
    assert_eq!(bits(d(-0.0).sin_cos().0), bits(d(-0.0)));
    assert_eq!(d(-0.0).sin_cos().1, Dd::ONE);
    for x in [inf, -inf, f64::NAN] {
        let (s, c) = d(x).sin_cos();
        assert!(s.hi().is_nan() && c.hi().is_nan());
    }
    assert_eq!((d(inf).exp(), d(-inf).exp(), d(710.0).exp(), d(-746.0).exp()), (d(inf), d(0.0), d(inf), d(0.0)));
    assert_eq!((d(0.0).exp(), d(-0.0).exp(), d(-744.44).exp().hi()), (d(1.0), d(1.0), tiny));
    assert!(d(f64::NAN).exp().hi().is_nan() && d(f64::NAN).ln().hi().is_nan() && d(-1.0).ln().hi().is_nan());
    assert_eq!((d(0.0).ln(), d(-0.0).ln(), d(inf).ln(), d(1.0).ln()), (d(-inf), d(-inf), d(inf), d(0.0)));
    let ln2 = d(2.0).ln();
    assert!(((d(tiny).ln() / ln2) + d(1074.0)).abs().hi() < 1e-28);
    assert!(error(d(1e308).sqrt() * d(1e308).sqrt(), &exact(d(1e308))) < 8.0);
    assert!(error(d(1e-300).sqrt() * d(1e-300).sqrt(), &exact(d(1e-300))) < 8.0);
}

#[test]
fn angles_of_special_points() {
    let (d, inf) = (Dd::from, f64::INFINITY);
    let turn = |k: i64, n: i64| Dd::PI * Dd::from(k) / Dd::from(n);
    let bits = |x: Dd| x.hi().to_bits();
    assert_eq!(bits(d(0.0).atan2(d(1.0))), bits(d(0.0)));
    assert_eq!(bits(d(-0.0).atan2(d(inf))), bits(d(-0.0)));
    assert_eq!(bits(d(-0.0).atan2(d(0.0))), bits(d(-0.0)));
    for (y, x, angle) in [
        (0.0, -1.0, turn(1, 1)),
        (-0.0, -0.0, turn(-1, 1)),
        (1.0, 0.0, turn(1, 2)),
        (-inf, 3.0, turn(-1, 2)),
        (inf, inf, turn(1, 4)),
        (-inf, -inf, turn(-3, 4)),
        (2.0, -inf, turn(1, 1)),
        (1e-300, -1e300, turn(1, 1)),
        (1e300, 1e-300, turn(1, 2)),
        (5e-324, 5e-324, turn(1, 4)),
        (f64::MAX, -f64::MAX, turn(3, 4)),
    ] {
        let e = (d(y).atan2(d(x)) - angle).abs();
        assert!(e.hi() < 2e-32, "atan2({y}, {x}) is off by {e}");
    }
    assert!(d(f64::NAN).atan2(d(0.0)).hi().is_nan() && d(1.0).atan2(d(f64::NAN)).hi().is_nan());
    assert_eq!(d(1e-200).atan2(d(1e200)), Dd::ZERO);
}
