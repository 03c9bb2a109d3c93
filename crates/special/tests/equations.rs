//! Frobenius series, continuation and recognition against closed forms, published values and identities.

use polhode_special::Complex;
use polhode_special::gamma::{digamma, gamma, reciprocal_gamma};
use polhode_special::hypergeometric::{hypergeometric, hypergeometric_derivative};
use polhode_special::legendre::{legendre_p, legendre_p_derivative};
use polhode_special::ode::{ContinuationError, Equation, EquationError, Kind, Place, Recognised, SingularPoint};
use polhode_tape::{Dd, Scalar};
use proptest::prelude::*;

fn dd(x: f64) -> Dd {
    Dd::from(x)
}

fn text(x: &str) -> Dd {
    x.parse().unwrap()
}

fn real(x: Dd) -> Complex<Dd> {
    Complex::from(x)
}

/// |x − y|/|y|.
fn off(x: Complex<Dd>, y: Complex<Dd>) -> f64 {
    ((x - y).abs() / y.abs()).to_f64()
}

/// t (1 − t) b″ + (2 − 4 t) b′ − γ b = 0, the disk in t = sin²(θ/2).
fn disk<S: Scalar>(gamma: S) -> Equation<S> {
    let s = S::from_f64;
    Equation::new(&[s(0.0), s(1.0), s(-1.0)], &[s(2.0), s(-4.0)], &[-gamma]).unwrap()
}

type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// (θ, b₁, db₁/dθ, b₂, db₂/dθ) of the homogeneous disk, γ = 10/3, and of γ = 21/10, from an independent
/// program with 60 digits.
const DISK: [(&str, [Row; 4]); 2] = [
    (
        "3.333333333333333333333333333333333333333",
        [
            (
                "0.05",
                "1.001042245609571935307494837268946390938",
                "0.04171299167052822955915826644440304649889",
                "1590.484998513645925448329119422089955103",
                "-63947.06426243748729193472632459140400612",
            ),
            (
                "1",
                "1.527040751642422849494609981823821890328",
                "1.316072159584588571021594372633904932824",
                "0.9030810151832533454049988498240877326746",
                "-8.014377583852748341273866838499803971838",
            ),
            (
                "2",
                "6.228780563579975073755110406631726422307",
                "13.00735854958387573326028909496736992339",
                "-6.837261400507544653199813322809135791832",
                "-15.98634854931937106202562996986504488254",
            ),
            (
                "3.1",
                "7243.762101886149123989006079675831630118",
                "349451.6999320051752228499226433988178184",
                "-8595.127222439887445355151222048613503709",
                "-414659.2690954836230020685492265869414595",
            ),
        ],
    ),
    (
        "2.1",
        [
            (
                "0.05",
                "1.000656530373908836199845924277219580445",
                "0.02627243393287676577225857641419630402409",
                "1599.595089203511749455367141986949370039",
                "-63996.01611221784332083820570518961838457",
            ),
            (
                "1",
                "1.314732556783709721222243562564045559715",
                "0.7508989927672072578318860230550273730942",
                "4.155018233094076254079307259600233373645",
                "-7.839466583667045984294787284840126875547",
            ),
            (
                "2",
                "3.596994954663124043198032674485283266632",
                "5.769993937045405042531690868620600955368",
                "1.266036950354233680976176257527855902801",
                "-0.9273632872462056938269177553149037837655",
            ),
            (
                "3.1",
                "2551.313401248985592039747888124898580268",
                "122698.5963096752509563005447326918087391",
                "-23.62222191737848574704307653038821942598",
                "-1179.664217538591127834667196279143066806",
            ),
        ],
    ),
];

#[test]
fn the_disk_has_both_its_solutions() {
    for (parameter, rows) in DISK {
        let parameter = text(parameter);
        let equation = disk(parameter);
        let solutions = equation.solve(Dd::ZERO, Dd::ONE).unwrap();
        // b₂ = 1/t + μ b₁ ln t + …: the printed second solution has no logarithm
        let mu = parameter - dd(2.0);
        assert_eq!(solutions.first().exponents(), [real(Dd::ZERO), real(dd(-1.0))]);
        assert!(off(solutions.first().logarithm(), real(mu)) < 1e-31);
        let doubles = disk(parameter.to_f64()).solve(0.0, 1.0).unwrap();
        for (theta, b1, db1, b2, db2) in rows {
            let (s, c) = (text(theta) * dd(0.5)).sin_cos();
            let t = s * s;
            let (sine, _) = text(theta).sin_cos();
            let half = sine * dd(0.5); // dt/dθ
            let near_end = t > dd(0.5);
            // near t = 1 values depend on 1 − t = cos²(θ/2)
            let v = if near_end { solutions.evaluate_near_last(c * c) } else { solutions.evaluate(t) };
            let (t, c) = (t.to_f64(), (c * c).to_f64());
            let w = if near_end { doubles.evaluate_near_last(c) } else { doubles.evaluate(t) };
            for (k, (b, db)) in [(b1, db1), (b2, db2)].into_iter().enumerate() {
                assert!(off(v.y[k], real(text(b))) < 3e-30, "b{} at {theta}: {:e}", k + 1, off(v.y[k], real(text(b))));
                assert!(off(v.dy[k].scale(half), real(text(db))) < 3e-30, "db{} at {theta}", k + 1);
                let e = (w.y[k].re / text(b).to_f64() - 1.0).abs();
                assert!(e < 1e-14, "b{} at {theta} in doubles: {e:e}", k + 1);
            }
        }
        // b₁(θ) = P [b₂(π−θ) + Q₁ b₁(π−θ)]: P = 1/(Γ(1−ν) Γ(2+ν)), Q₁ = μ (ψ(1−ν) + ψ(2+ν) + 2γ_E − 1)
        let one = real(Dd::ONE);
        let nu = real(dd(-0.5)) + real(dd(0.25) - mu).sqrt();
        let (a, b) = (one - nu, one + one + nu);
        let p = reciprocal_gamma(a) * reciprocal_gamma(b);
        let euler = -digamma(one).re;
        let q = (digamma(a) + digamma(b) + real(euler + euler - Dd::ONE)).scale(mu);
        let c = solutions.connection();
        assert!(off(c[0][1], p) < 1e-30 && off(c[0][0], p * q) < 1e-29, "{c:?}");
        assert!(solutions.truncation() < 1e-33 && solutions.pieces() == 2);
    }
}

#[test]
fn the_disk_is_recognised_in_every_variable() {
    let gamma: f64 = 10.0 / 3.0;
    // b in t: exponents 0 and −1 at both ends, order 1 and a conical degree
    let scheme = disk(gamma).riemann_scheme();
    assert!(scheme.fuchs_defect.unwrap() < 1e-15 && scheme.points.len() == 3);
    let tau = (gamma - 2.25).sqrt();
    let is_conical = |r: &Recognised<f64>, expected: f64| match r {
        Recognised::Legendre { degree, order, .. } => {
            assert!((degree.re + 0.5).abs() < 1e-15 && (degree.im - tau).abs() < 1e-15, "{degree:?}");
            assert!((order.re - expected).abs() < 1e-15 && order.im == 0.0, "{order:?}");
        }
        other => panic!("{other:?}"),
    };
    is_conical(&disk(gamma).recognise(), 1.0);
    // Ω₃ in z = cos θ: (1 − z²) Ω″ − 2 z Ω′ − μ Ω = 0
    let omega = Equation::new(&[1.0, 0.0, -1.0], &[0.0, -2.0], &[-(gamma - 2.0)]).unwrap();
    is_conical(&omega.recognise(), 0.0);
    let logarithmic = |p: &SingularPoint<f64>| p.kind == Kind::Regular { logarithm: true };
    assert_eq!(omega.singular_points().iter().filter(|p| logarithmic(p)).count(), 2);
    // b in u = tan(θ/2): Heun with singular points 0, ±i, ∞, a = −1 and q = 0; in u² it is the first again
    let heun =
        Equation::new(&[0.0, 1.0, 0.0, 2.0, 0.0, 1.0], &[3.0, 0.0, 2.0, 0.0, -1.0], &[0.0, -4.0 * gamma]).unwrap();
    assert!(heun.riemann_scheme().fuchs_defect.unwrap() < 1e-14);
    match heun.recognise() {
        Recognised::Heun { a, accessory, apparent: 0, in_square: Some(inner), map, .. } => {
            // the cross ratio is −1, 2 or ½, by which of the points goes where
            assert!([-1.0, 2.0, 0.5].iter().any(|x| (a.re - x).abs() < 1e-14) && a.im.abs() < 1e-14, "{a:?}");
            if map.zero == Place::Finite(Complex::from(0.0)) {
                assert!(accessory.abs() < 1e-13);
            }
            is_conical(&inner, 1.0);
        }
        other => panic!("{other:?}"),
    }
    // its solution is b₁(t), t = u²/(1 + u²), also beyond the circle |u| = 1 of the printed series
    let nu = Complex::new(-0.5, tau);
    let one = Complex::from(1.0);
    let solutions = heun.solve(0.0, 8.0).unwrap();
    for u in [0.3, 0.99, 1.5, 4.0, 7.5f64] {
        let t = u * u / (1.0 + u * u);
        let b = hypergeometric(one - nu, one + one + nu, Complex::from(2.0), t).re;
        assert!((solutions.evaluate(u).y[0].re / b - 1.0).abs() < 2e-14, "{u}");
    }
    assert_eq!(solutions.pieces(), 4);
}

#[test]
fn the_rod_has_its_hypergeometric_solutions() {
    // (1 + u²) w″ + 3 u w′ + k w = 0; c₁, c₂ and w at three instants from an independent program
    let k = text("0.0375");
    let rod = |k: Dd| Equation::new(&[Dd::ONE, Dd::ZERO, Dd::ONE], &[Dd::ZERO, dd(3.0)], &[k]).unwrap();
    let (c1, c2) = (text("-0.208556956060540482173451926328"), text("-0.316408760583824196295397692813"));
    for (end, points) in [
        (dd(3.0), vec![("0.364668113186054535549064494429", "-0.316394536000887488211138332634")]),
        (
            dd(-3.0),
            vec![
                ("-0.332842424633822743110946908117", "-0.108294984661303021181541423059"),
                ("-0.285694659307584194311645928029", "-0.121378461595552936093792724626"),
            ],
        ),
    ] {
        let solutions = rod(k).solve(Dd::ZERO, end).unwrap();
        for (u, w) in points {
            // y₁ is the odd solution in the direction of travel, y₂ the even one
            let v = solutions.evaluate(text(u));
            let odd = if end > Dd::ZERO { c2 } else { -c2 };
            assert!(off(v.y[1].scale(c1) + v.y[0].scale(odd), real(text(w))) < 1e-29);
        }
        // α + β = 1, 4αβ = k
        let root = (Dd::ONE - k).sqrt();
        let (a, b) = ((Dd::ONE + root) * dd(0.5), k / (Dd::ONE + root) * dd(0.5));
        let u = end * dd(0.9);
        let even = hypergeometric(real(a), real(b), real(dd(0.5)), -(u * u));
        assert!(off(solutions.evaluate(u).y[1], even) < 1e-29);
    }
    // order ½: elementary functions; ∞ has a logarithm only for k = 1
    match rod(k).recognise() {
        Recognised::Legendre { order, degree, .. } => {
            assert!(off(order, real(dd(0.5))) < 1e-30);
            assert!(off(degree, real((Dd::ONE - k).sqrt() - dd(0.5))) < 1e-29);
        }
        other => panic!("{other:?}"),
    }
    assert!(rod(k).riemann_scheme().fuchs_defect.unwrap() < 1e-30);
    // k = 1: arsinh(u)/√(1+u²) = s (ln 2/s + s²/4 …)/√(1+s²), s = 1/u
    let infinity = rod(Dd::ONE).at_infinity();
    let solutions = infinity.solve(Dd::ZERO, dd(2.0)).unwrap();
    assert_eq!(solutions.first().exponents(), [real(Dd::ONE); 2]);
    for s in [0.01, 0.4, 1.0, 1.9] {
        let s = dd(s);
        let root = (Dd::ONE + s * s).sqrt();
        let v = solutions.evaluate(s);
        assert!(off(v.y[0], real(s / root)) < 1e-30);
        // arsinh(1/s) = ln(1 + √(1+s²)) − ln s, and y₂ = y₁ (ln s + o(1))
        let second = s / root * (s.ln() - (Dd::ONE + root).ln() + dd(2.0).ln());
        assert!(off(v.y[1], real(second)) < 3e-30, "{:e}", off(v.y[1], real(second)));
    }
}

#[test]
fn heun_functions_match_the_oracle() {
    let mut worst = (0.0f64, 0.0f64);
    for line in include_str!("equations_oracle.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let x: Vec<f64> = words[..7].iter().map(|w| w.parse().unwrap()).collect();
        let (w, dw) = (text(words[7]), text(words[8]));
        fn heun<S: Scalar>(x: &[f64]) -> Equation<S> {
            let [a, q, al, be, ga, de] = [0, 1, 2, 3, 4, 5].map(|k| S::from_f64(x[k]));
            let (one, zero) = (S::from_f64(1.0), S::default());
            let ep = al + be + one - ga - de;
            // z (z−1)(z−a), γ (z−1)(z−a) + δ z (z−a) + ε z (z−1), αβ z − q
            let p2 = [zero, a, -(one + a), one];
            let p1 = [ga * a, -(ga * (one + a) + de * a + ep), ga + de + ep];
            Equation::new(&p2, &p1, &[-q, al * be]).unwrap()
        }
        let z = x[6];
        let pairs = heun::<Dd>(&x).solve(Dd::ZERO, Dd::ONE).unwrap();
        let doubles = heun::<f64>(&x).solve(0.0, 1.0).unwrap();
        // exponents 0 and 1 − γ
        let k = usize::from(pairs.first().exponents()[0] != Complex::default());
        let (v, d) = (pairs.evaluate(dd(z)), doubles.evaluate(z));
        worst.0 = worst.0.max(off(v.y[k], real(w))).max(off(v.dy[k], real(dw)));
        worst.1 = worst.1.max((d.y[k].re / w.to_f64() - 1.0).abs());
        match heun::<Dd>(&x).recognise() {
            Recognised::Heun { a, accessory, upper, lower, apparent: 0, in_square: None, map } => {
                assert_eq!(map.pole, Place::Infinity);
                // the map sorts finite points by their real parts
                if map.zero == Place::Finite(Complex::default()) && map.one == Place::Finite(Complex::from(Dd::ONE)) {
                    let close = |z: Complex<Dd>, x: f64| (z - real(dd(x))).abs().to_f64() < 1e-27;
                    assert!(close(a, x[0]) && close(lower[0], x[4]) && close(lower[1], x[5]), "{line}");
                    assert!(close(accessory, x[1]), "{accessory:?} {line}");
                    let product = upper[0] * upper[1];
                    assert!((product - real(dd(x[2]) * dd(x[3]))).abs().to_f64() < 1e-27);
                }
            }
            other => panic!("{other:?}"),
        }
    }
    println!("Heun: Dd {:.1e}, f64 {:.1e}", worst.0, worst.1);
    assert!(worst.0 < 1e-28 && worst.1 < 1e-13, "{worst:?}");
}

#[test]
fn apparent_and_irregular_points() {
    // (x − 1) y″ − x y′ + y = 0 has the solutions x and eˣ; 1 is apparent with exponents 0 and 2
    let equation = Equation::new(&[-1.0, 1.0], &[0.0, -1.0], &[1.0]).unwrap();
    let points = equation.singular_points();
    assert_eq!(points[0].kind, Kind::Apparent);
    assert_eq!(points[0].exponents, [Complex::from(2.0), Complex::from(0.0)]);
    assert_eq!((points[1].place, points[1].kind), (Place::Infinity, Kind::Irregular));
    assert_eq!(equation.recognise(), Recognised::Irregular);
    for end in [0.9, 1.0, 3.0] {
        let solutions = equation.solve(-1.0, end).unwrap();
        for x in [-1.0f64, -0.4, 0.5, 0.95, 1.0, 1.2, 2.5] {
            if x > end {
                continue;
            }
            // t = x + 1: y₁ = t + …, y₂ = 1 + 0 t + …
            let e = (x + 1.0).exp();
            let (y1, y2) = (0.5 * (x + e), 0.5 * (e - x));
            let v = solutions.evaluate(x);
            assert!((v.y[0].re - y1).abs() < 1e-14 * e && (v.y[1].re - y2).abs() < 1e-14 * e, "{x} {end} {v:?}");
        }
    }
    // four points of which one is apparent: w = (1 − x) y′ with y of F(1/2, 1/3; 3/4)
    let bessel = Equation::new(&[0.0, 0.0, 1.0], &[0.0, 1.0], &[0.0, 0.0, 1.0]).unwrap();
    assert_eq!(bessel.recognise(), Recognised::Irregular);
    assert!(bessel.riemann_scheme().fuchs_defect.is_none());
    assert!(bessel.solve(0.0, 5.0).is_ok());
    assert!(matches!(bessel.at_infinity().solve(0.0, 1.0), Err(ContinuationError::Basis(_))));
}

#[test]
fn an_apparent_point_of_a_heun_equation_is_seen() {
    for (l, inside) in [(0.5, false), (-2.0, true)] {
        apparent_point(l, inside);
    }
}

fn apparent_point(l: f64, inside: bool) {
    // If y solves x(1−x) y″ + [c − (a+b+1)x] y′ − ab y = 0, then w = y + λ x y′ solves an equation whose
    // fourth singular point is apparent: w = (1 + λθ) y with θ = x d/dx. Eliminate y from
    // w = y + λ v, θ w = v + λ θ v, where v = θ y and (1−x) θ v = [(a+b)x + 1 − c] v + ab x y.
    let (a, b, c) = (0.5, 0.25, 0.75);
    // θ(y, v) = (v, (α v + β y)/(1−x)), α = (a+b)x + 1 − c, β = abx; w = y + l v,
    // (1−x) θw = (1−x) v + l (α v + β y). With D = det of (y, v) ↦ (w, (1−x)θw):
    // D = (1−x) + l α − l² β is the apparent factor.
    let d = [1.0 + l * (1.0 - c), -1.0 + l * (a + b) - l * l * a * b];
    let x0 = -d[0] / d[1];
    // polynomials in x, constant first
    let mul = |p: &[f64], q: &[f64]| -> Vec<f64> {
        let mut r = vec![0.0; p.len() + q.len() - 1];
        for (i, x) in p.iter().enumerate() {
            for (j, y) in q.iter().enumerate() {
                r[i + j] += x * y;
            }
        }
        r
    };
    let add = |p: &[f64], q: &[f64]| -> Vec<f64> {
        (0..p.len().max(q.len())).map(|k| p.get(k).unwrap_or(&0.0) + q.get(k).unwrap_or(&0.0)).collect()
    };
    let minus = |p: &[f64]| -> Vec<f64> { p.iter().map(|x| -x).collect() };
    let (e, alpha, beta) = ([1.0, -1.0], [1.0 - c, a + b], [0.0, a * b]);
    // u := (1−x) θw = g y + h v, g = lβ, h = (1−x) + lα; D = h − l g
    let g: Vec<f64> = beta.iter().map(|x| l * x).collect();
    let h = add(&e, &alpha.map(|x| l * x));
    // θu = θg y + g v + θh v + h (α v + β y)/(1−x); (1−x) θu = G y + H v
    let theta = |p: &[f64]| -> Vec<f64> { p.iter().enumerate().map(|(k, x)| k as f64 * x).collect() };
    let big_g = add(&mul(&e, &theta(&g)), &mul(&h, &beta));
    let big_h = add(&mul(&e, &add(&g, &theta(&h))), &mul(&h, &alpha));
    // y = (h w − l u)/D, v = (u − g w)/D: D (1−x) θu = (G h − H g) w + (H − l G) u
    let det = add(&h, &minus(&g.iter().map(|x| l * x).collect::<Vec<_>>()));
    let cw = add(&mul(&big_g, &h), &minus(&mul(&big_h, &g)));
    let cu = add(&big_h, &minus(&big_g.iter().map(|x| l * x).collect::<Vec<_>>()));
    // u = (1−x) θw, θu = (1−x) θ²w − x θw; θw = x w′, θ²w = x² w″ + x w′
    let e2 = mul(&e, &e);
    let second = mul(&det, &e2); // of θ²w
    let first = add(&minus(&mul(&mul(&det, &e), &[0.0, 1.0])), &minus(&mul(&cu, &e))); // of θw
    let p2 = mul(&[0.0, 0.0, 1.0], &second);
    let p1 = mul(&[0.0, 1.0], &add(&second, &first));
    let equation = Equation::new(&p2, &p1, &minus(&cw)).unwrap();
    let points = equation.singular_points();
    assert_eq!(points.len(), 4, "{points:?}");
    let apparent: Vec<_> = points.iter().filter(|p| p.kind == Kind::Apparent).collect();
    assert_eq!(apparent.len(), 1, "{points:?}");
    match apparent[0].place {
        Place::Finite(x) => assert!((x.re - x0).abs() < 1e-14 && x.im == 0.0),
        Place::Infinity => panic!("the apparent point is {x0}"),
    }
    assert!(equation.riemann_scheme().fuchs_defect.unwrap() < 1e-12);
    match equation.recognise() {
        Recognised::Heun { apparent: 1, .. } => {}
        other => panic!("{other:?}"),
    }
    // the continuation passes x₀ and stays on w = F + λ x F′, up to x = 0.9
    let f = |x: f64| {
        let [a, b, c] = [a, b, c].map(Complex::from);
        hypergeometric(a, b, c, x).re + l * x * hypergeometric_derivative(a, b, c, x).re
    };
    assert_eq!(x0 < 1.0, inside);
    let solutions = equation.solve(0.0, 1.0).unwrap();
    let k = usize::from(solutions.first().exponents()[0] != Complex::default());
    for x in [0.1, x0.min(0.7), 0.5, 0.9] {
        assert!((solutions.evaluate(x).y[k].re / f(x) - 1.0).abs() < 1e-13, "{x}");
    }
}

#[test]
fn complex_exponents_and_common_factors() {
    // x² y″ + x y′ + y = 0: x^{±i}
    let equation = Equation::new(&[dd(0.0), dd(0.0), dd(1.0)], &[dd(0.0), dd(1.0)], &[dd(1.0)]).unwrap();
    assert_eq!(equation.recognise(), Recognised::Elementary);
    let solutions = equation.solve(Dd::ZERO, dd(5.0)).unwrap();
    for x in [0.2, 1.0, 4.5] {
        let (s, c) = dd(x).ln().sin_cos();
        let v = solutions.evaluate(dd(x));
        assert!(off(v.y[0], Complex::new(c, s)) < 1e-30 && off(v.y[1], Complex::new(c, -s)) < 1e-30);
    }
    // (x − ½)(y″ + y) = 0 is y″ + y = 0
    let equation = Equation::new(&[-0.5, 1.0], &[], &[-0.5, 1.0]).unwrap();
    let solutions = equation.solve(0.0, 9.0).unwrap();
    for x in [0.25, 0.5, 3.0, 8.5f64] {
        let v = solutions.evaluate(x);
        assert!((v.y[0].re - x.sin()).abs() < 1e-14 && (v.dy[1].re + x.sin()).abs() < 1e-14);
    }
}

#[test]
fn what_is_refused() {
    assert_eq!(Equation::new(&[0.0], &[1.0], &[1.0]).unwrap_err(), EquationError::NotSecondOrder);
    assert_eq!(Equation::new(&[f64::NAN], &[1.0], &[1.0]).unwrap_err(), EquationError::NotFinite);
    let legendre = Equation::new(&[1.0, 0.0, -1.0], &[0.0, -2.0], &[0.3]).unwrap();
    assert_eq!(legendre.solve(0.0, 2.0).unwrap_err(), ContinuationError::SingularBetween(1.0));
    assert_eq!(legendre.solve(0.5, 0.5).unwrap_err(), ContinuationError::NoInterval);
    let irregular = Equation::new(&[0.0, 0.0, 0.0, 1.0], &[1.0], &[1.0]).unwrap();
    assert_eq!(irregular.singular_points()[0].kind, Kind::Irregular);
    assert!(irregular.solve(0.0, 1.0).unwrap_err().to_string().contains("irregular"));
}

#[test]
fn truncation_bounds_hold_and_are_not_idle() {
    // the terms that the basis in doubles leaves out are in the basis in double-doubles
    for (p2, p1, p0) in [
        (vec![0.0, 1.0, -1.0], vec![2.0, -4.0], vec![-10.0 / 3.0]),
        (vec![0.0, 1.0, -1.0], vec![0.3, -2.1], vec![1.7]),
        (vec![0.0, 1.0, 0.0, 2.0, 0.0, 1.0], vec![3.0, 0.0, 2.0, 0.0, -1.0], vec![0.0, -9.0]),
        (vec![1.0, 0.2, 1.0], vec![0.0, 3.0], vec![20.0]),
        (vec![0.0, 0.0, 1.0], vec![0.0, 1.0], vec![-4.0, 0.0, 1.0]),
    ] {
        let wide = |p: &[f64]| p.iter().map(|x| dd(*x)).collect::<Vec<_>>();
        let small = Equation::new(&p2, &p1, &p0).unwrap().local_basis(0.0, true, 4.0).unwrap();
        let large =
            Equation::new(&wide(&p2), &wide(&p1), &wide(&p0)).unwrap().local_basis(Dd::ZERO, true, 4.0).unwrap();
        assert!(large.terms() > small.terms());
        for which in 0..2 {
            let mut tail = 0.0;
            for k in small.terms()..large.terms() {
                tail += large.coefficient(which, k).abs().to_f64() * small.reach().powf(k as f64);
            }
            let bound = small.truncation()[which];
            assert!(tail <= bound, "{tail:e} > {bound:e}");
            assert!(bound <= 1e-19 && bound <= 1e7 * tail.max(1e-40), "{tail:e} {bound:e}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hypergeometric_equations_and_their_connection(
        a in -2.0..2.0, b in -2.0..2.0, c in 0.1..1.9, x in 0.02..0.98,
    ) {
        // away from integer differences, where Γ of the connection formula has poles
        let far = |x: f64| (x - x.round()).abs() > 0.02;
        prop_assume!(far(c) && far(c - a - b) && far(a) && far(b) && far(c - a) && far(c - b));
        let (a, b, c, one) = (dd(a), dd(b), dd(c), Dd::ONE);
        let equation = Equation::new(&[Dd::ZERO, one, -one], &[c, -(a + b + one)], &[-(a * b)]).unwrap();
        let solutions = equation.solve(Dd::ZERO, one).unwrap();
        let v = solutions.evaluate(dd(x));
        let first = usize::from(c < one); // which of the two has exponent 0
        let f = hypergeometric(real(a), real(b), real(c), dd(x));
        let df = hypergeometric_derivative(real(a), real(b), real(c), dd(x));
        let scale = f.abs().to_f64() + df.abs().to_f64();
        prop_assert!((v.y[first] - f).abs().to_f64() < 1e-28 * scale && (v.dy[first] - df).abs().to_f64() < 1e-27 * scale);
        // F = Γ(c)Γ(s)/(Γ(c−a)Γ(c−b)) z₀ + Γ(c)Γ(−s)/(Γ(a)Γ(b)) z_s, s = c − a − b
        let s = c - a - b;
        let g = |x: Dd| gamma(real(x));
        let at_one = g(c) * g(s) / (g(c - a) * g(c - b));
        let other = g(c) * g(-s) / (g(a) * g(b));
        let zero = usize::from(s > Dd::ZERO);
        let row = solutions.connection()[first];
        prop_assert!((row[zero] - at_one).abs().to_f64() < 1e-27 * (1.0 + at_one.abs().to_f64()), "{row:?} {at_one:?}");
        prop_assert!((row[1 - zero] - other).abs().to_f64() < 1e-27 * (1.0 + other.abs().to_f64()));
        match equation.recognise() {
            Recognised::Hypergeometric { lower, map, .. } => {
                prop_assert!(off(lower, real(c)) < 1e-29 || c < one);
                prop_assert_eq!(map.pole, Place::Infinity);
            }
            Recognised::Legendre { .. } => {}
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn legendre_functions_are_continued(re in -3.0..3.0, im in 0.0..3.0, kind in 0..2, x in -0.99..0.99) {
        let nu = if kind == 0 { Complex::from(dd(re)) } else { Complex::new(dd(-0.5), dd(im)) };
        let k = (nu * (nu + real(Dd::ONE))).re;
        let equation = Equation::new(&[Dd::ONE, Dd::ZERO, -Dd::ONE], &[Dd::ZERO, dd(-2.0)], &[k]).unwrap();
        let solutions = equation.solve(Dd::ONE, -Dd::ONE).unwrap();
        let v = solutions.evaluate(dd(x));
        let (p, dp) = (legendre_p(nu, dd(x)), legendre_p_derivative(nu, dd(x)));
        let scale = p.abs().to_f64() + dp.abs().to_f64();
        prop_assert!((v.y[0] - p).abs().to_f64() < 1e-28 * scale);
        prop_assert!((v.dy[0] - dp).abs().to_f64() < 1e-27 * scale);
        // back again is the identity
        let (there, back) = (solutions.connection(), equation.solve(-Dd::ONE, Dd::ONE).unwrap().connection());
        for i in 0..2 {
            for j in 0..2 {
                let e = there[i][0] * back[0][j] + there[i][1] * back[1][j];
                let size = (0..2).map(|k| (there[i][k] * back[k][j]).abs().to_f64()).sum::<f64>();
                let unit = real(if i == j { Dd::ONE } else { Dd::ZERO });
                prop_assert!((e - unit).abs().to_f64() < 1e-29 * (1.0 + size));
            }
        }
    }

    #[test]
    fn wronskians_follow_abel(q in -3.0..3.0, r in -3.0..3.0, d in 0.3..2.0, x in 0.05..0.95) {
        // p₂ = x (1−x) ((x−½)² + d²), p₁ = p₂′: then p₂ W is constant
        let (q, r, d) = (dd(q), dd(r), dd(d));
        let k = dd(0.25) + d * d;
        let p2 = [Dd::ZERO, k, -(k + Dd::ONE), dd(2.0), -Dd::ONE];
        let p1 = [k, -(k + Dd::ONE) * dd(2.0), dd(6.0), dd(-4.0)];
        let equation = Equation::new(&p2, &p1, &[q, r]).unwrap();
        let solutions = equation.solve(Dd::ZERO, Dd::ONE).unwrap();
        let at = |x: Dd| {
            let p = p2.iter().rev().fold(Dd::ZERO, |s, c| s * x + *c);
            let v = solutions.evaluate(x);
            (v.wronskian().scale(p), (v.y[0] * v.dy[1]).abs().to_f64() * p.to_f64())
        };
        // W → k at x = 0, where y₁ → 1, y₂ → ln x
        let (w, size) = at(dd(x));
        prop_assert!((w - real(k)).abs().to_f64() < 1e-28 * (1.0 + size), "{w:?} {k:?}");
        prop_assert!(equation.riemann_scheme().fuchs_defect.unwrap() < 1e-25);
    }
}

/// Coefficients that are doubles.
fn sums(p: &[f64]) -> Vec<[f64; 6]> {
    p.iter().map(|c| [*c, 0.0, 0.0, 0.0, 0.0, 0.0]).collect()
}

#[test]
fn a_factored_equation_has_each_singular_point_once() {
    // p₂ = (39x²+25)² (39x²+625), p₁ = 5x (39x²+25), p₀ = 3x² + 7: ±i√(25/39) are double roots, ±i√(625/39) simple ones
    let [a, b] = [[25.0, 0.0, 39.0], [625.0, 0.0, 39.0]];
    let times = |p: &[f64], q: &[f64]| -> Vec<f64> {
        let mut out = vec![0.0; p.len() + q.len() - 1];
        for (i, x) in p.iter().enumerate() {
            for (j, y) in q.iter().enumerate() {
                out[i + j] += x * y;
            }
        }
        out
    };
    let p2 = times(&times(&a, &a), &b);
    let p1 = times(&[0.0, 5.0], &a);
    let p0 = [7.0, 0.0, 3.0];
    let factors = [(sums(&a), 2), (sums(&b), 1)];
    let equation = Equation::<Dd>::factored([&sums(&p2), &sums(&p1), &sums(&p0)], &factors).unwrap();
    let points = equation.singular_points();
    let finite: Vec<f64> = (points.iter())
        .filter_map(|p| match p.place {
            Place::Finite(x) => Some(x.im.to_f64()),
            Place::Infinity => None,
        })
        .collect();
    let (near, far) = ((25.0f64 / 39.0).sqrt(), (625.0f64 / 39.0).sqrt());
    for (x, y) in finite.iter().zip([-far, -near, near, far]) {
        assert!((x - y).abs() < 1e-15, "{finite:?}");
    }
    assert_eq!(finite.len(), 4);
    assert!(equation.riemann_scheme().fuchs_defect.unwrap() < 1e-28);
    // the same from rounded coefficients, and in the square: 0, −25/39, −625/39, ∞
    let rounded = Equation::<Dd>::new(
        &p2.iter().map(|c| dd(*c)).collect::<Vec<_>>(),
        &p1.iter().map(|c| dd(*c)).collect::<Vec<_>>(),
        &p0.map(dd),
    );
    assert_eq!(rounded.unwrap().singular_points().len(), points.len());
    let square = equation.in_square().unwrap();
    assert_eq!(square.singular_points().len(), 4);
    match square.recognise() {
        Recognised::Heun { a, upper, lower, in_square: None, .. } => {
            assert!(a.is_finite());
            let defect = lower[0] + lower[1] + lower[2] - upper[0] - upper[1] - real(Dd::ONE);
            assert!(defect.abs().to_f64() < 1e-28);
        }
        other => panic!("{other:?}"),
    }
    // factors that do not make up p₂
    assert!(Equation::<Dd>::factored([&sums(&p2), &sums(&p1), &sums(&p0)], &factors[..1]).is_err());
}

#[test]
fn powers_of_a_ratio_are_elementary() {
    // (1 − x²)² y″ − 2x (1 − x²) y′ − μ² y = 0, degree 0: y = ((1+x)/(1−x))^{±μ/2}
    for mu in [1.0, 0.3] {
        let equation = Equation::new(&[1.0, 0.0, -2.0, 0.0, 1.0], &[0.0, -2.0, 0.0, 2.0], &[-mu * mu]).unwrap();
        assert_eq!(equation.recognise(), Recognised::Elementary);
    }
    // degree 1 is not
    let equation =
        Equation::new(&[1.0, 0.0, -2.0, 0.0, 1.0], &[0.0, -2.0, 0.0, 2.0], &[2.0 - 0.09, 0.0, -2.0]).unwrap();
    assert!(matches!(equation.recognise(), Recognised::Legendre { .. }));
}

#[test]
fn small_leading_coefficients_are_kept() {
    // x (1 + x²) (1 + 10⁻⁷⁰ x²): a factor in common with the others, and coefficients of all sizes
    let tiny = 1e-70;
    let p2 = [0.0, 1.0, 0.0, 1.0 + tiny, 0.0, tiny];
    let equation = Equation::<Dd>::new(&p2.map(dd), &[dd(0.0), dd(1.0)], &[dd(0.0), dd(2.0)]).unwrap();
    assert!(equation.riemann_scheme().points.len() >= 3);
}
