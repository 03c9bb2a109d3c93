//! The functions that solve the disk: equations derived from the model, their solutions against 40 digits (`data/disk_functions.json`, computed apart from this program
//! from the definitions of b₁, b₂ and P_ν). The letters are those of [CendraDiaz2006] and [CushmanEtAl1995]; u = tan(θ/2), z = cos θ.

use polhode_exact::linear::{Rational, SecondOrder, Shape, linear_reduction, second_order, second_order_for};
use polhode_expr::Expr;
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_special::Complex;
use polhode_special::legendre::legendre_p_of_angle;
use polhode_special::ode::{Place, Recognised, Values};
use polhode_tape::{Dd, Scalar};
use serde_json::Value;

const DISK: &str = include_str!("../../../models/rolling-disk.toml");

fn data() -> Vec<Value> {
    serde_json::from_str(include_str!("data/disk_functions.json")).expect("the reference")
}

fn number(v: &Value) -> Dd {
    v.as_str().expect("a text").parse().expect("a number")
}

#[track_caller]
fn near(label: &str, a: Dd, b: Dd, relative: f64) {
    let error = (a - b).to_f64().abs() / b.to_f64().abs().max(1e-300);
    assert!(a == b || error < relative, "{label}: {a} for {b}, off by {error:e}");
}

/// The disk with M = r = 1, so that I₁ = α and I₃ = β.
struct Disk {
    model: Model,
    system: System,
    shape: Shape,
}

impl Disk {
    fn new(case: &Value) -> Disk {
        let set = ["I1", "I3"].into_iter().zip(["alpha", "beta"]);
        let parameters = set.map(|(n, k)| (n.to_string(), case[k].as_str().expect("a text").to_string())).collect();
        let options = ParseOptions { parameters, ..ParseOptions::default() };
        let model = Model::parse("disk.toml", DISK, &options).expect("a model").0;
        let (mut system, _) = System::new(&model).expect("a system");
        let shape = linear_reduction(&mut system).expect("a shape variable");
        Disk { model, system, shape }
    }

    fn formula(&mut self, text: &str) -> Expr {
        self.model.formula(&mut self.system.graph, text).expect("a formula")[0]
    }

    /// The equation for b = φ̇.
    fn of_b(&mut self) -> SecondOrder {
        let unit = [self.system.graph.one(), self.system.graph.zero()];
        second_order_for(&mut self.system, &self.shape, &unit).expect("an equation")
    }
}

/// (2.26), (2.27): what was found is what the paper writes.
#[test]
fn eq_2_26_and_2_27_are_the_linear_equations() {
    let mut disk = Disk::new(&data()[0]);
    let printed = [
        ["(I3 - 2*I1)/I1*cos(theta)/sin(theta)", "I3/(I1*sin(theta))"],
        [
            "(I3 + 2*M*r^2)/(I3 + M*r^2)*sin(theta) - (I3 - 2*I1)/I1*cos(theta)^2/sin(theta)",
            "-I3/I1*cos(theta)/sin(theta)",
        ],
    ];
    for (i, row) in printed.iter().enumerate() {
        for (j, text) in row.iter().enumerate() {
            let e = disk.formula(text);
            assert!(disk.system.graph.equal(disk.shape.matrix[(i, j)], e).is_equal(), "M[{i}, {j}]");
        }
    }
}

/// (2.28) and (2.30) with γ; the latter is Heun's with a = −1 and q = 0 in u and the hypergeometric equation in u².
#[test]
fn eq_2_28_and_2_30_and_what_they_are() {
    for case in &data() {
        let mut disk = Disk::new(case);
        let b = disk.of_b();
        let gamma = "(2*I1*M*r^2 + I3*M*r^2 + 2*I1*I3)/(I1*M*r^2 + I1*I3)";
        for (e, text) in [(b.in_s[0], "3*cos(theta)/sin(theta)".to_string()), (b.in_s[1], format!("-{gamma}"))] {
            let wanted = disk.formula(&text);
            assert!(disk.system.graph.equal(e, wanted).is_equal(), "{text}");
        }
        let half = b.in_variable(&mut disk.system, &disk.shape, Rational::HalfTangent).expect("rational in tan(θ/2)");
        // buu + (3 − u²)/(u (1 + u²)) bu − 4γ/(1 + u²)² b
        let [p2, p1, p0] = half.polynomials;
        let graph = &mut disk.system.graph;
        let (first, second) = (graph.div(p1, p2), graph.div(p0, p2));
        let z = graph.var(half.symbol);
        for (e, text) in [(first, "(3 - Z^2)/(Z*(1 + Z^2))".to_string()), (second, format!("-4*{gamma}/(1 + Z^2)^2"))] {
            let wanted = disk.model.formula_with(&mut disk.system.graph, &text, &[("Z", z)]).expect("a formula")[0];
            assert!(disk.system.graph.equal(e, wanted).is_equal(), "{text}");
        }
        let Recognised::Heun { a, accessory, apparent, in_square, .. } = half.recognised else {
            panic!("{:?}", half.recognised)
        };
        assert_eq!(apparent, 0);
        // ±i, 0, ∞ on a circle: a Möbius map takes them to 0, 1, ∞ and −1, 2 or ½
        let a = a.re.to_f64();
        assert!([-1.0, 2.0, 0.5].iter().any(|x| (a - x).abs() < 1e-28), "a = {a}");
        assert!(a > -0.5 || accessory.abs().to_f64() < 1e-28, "q = {accessory:?}");
        let inner = in_square.expect("even in u");
        assert!(matches!(*inner, Recognised::Hypergeometric { .. } | Recognised::Legendre { .. }), "{inner:?}");
    }
}

/// (2.31): the coefficients of b₁. The solution of exponent −2 has the logarithm 2μ b₁ ln u, and its other coefficients; that of (2.32) has neither, because it
/// is b₁, coefficient by coefficient.
#[test]
fn eq_2_31_and_the_second_solution() {
    for case in &data() {
        let mut disk = Disk::new(case);
        let b = disk.of_b();
        let half = b.in_variable(&mut disk.system, &disk.shape, Rational::HalfTangent).expect("rational in tan(θ/2)");
        let basis = half.equation.local_basis(Dd::ZERO, true, 0.4).expect("a regular point");
        assert_eq!(basis.exponents().map(|r| r.re.to_f64()), [0.0, -2.0]);
        let list = |key: &str| -> Vec<Dd> { case[key].as_array().expect("a list").iter().map(number).collect() };
        let a = list("u_series_b1_coeff_a2k");
        for (k, a) in a.iter().enumerate() {
            near("a", basis.coefficient(0, 2 * k).re, *a, 1e-28);
            assert_eq!(basis.coefficient(0, 2 * k + 1).re, Dd::ZERO);
        }
        near("2μ", basis.logarithm().re, number(&case["mu"]) * Dd::from(2.0), 1e-30);
        for (k, e) in list("u_series_b2_coeff_e_minus1_to_8").into_iter().enumerate() {
            near("e", basis.coefficient(1, 2 * k).re, e, 1e-26);
        }
        // (2.32): k (k − 1) a_k = (γ − 2(k−2)²) a_{k−1} − (k−3)(k−4) a_{k−2} with a₀ = 0, a₁ = 1
        let gamma = number(&case["gamma"]);
        let mut printed = vec![Dd::ZERO, Dd::ONE];
        for k in 2..8i64 {
            let whole = |n: i64| Dd::from(n);
            let (one, two) = (printed[k as usize - 1], printed[k as usize - 2]);
            printed.push(
                ((gamma - whole(2 * (k - 2) * (k - 2))) * one - whole((k - 3) * (k - 4)) * two) / whole(k * (k - 1)),
            );
        }
        for (k, p) in printed.iter().skip(1).enumerate() {
            near("(2.32)", *p, a[k], 1e-28);
        }
        // printed with another factor u²: no solution at all
        let u = Dd::from(0.25);
        let Values { y, dy } = basis.evaluate(u);
        let (y, dy) = (y[0].re, dy[0].re);
        let square = Dd::ONE + u * u;
        let (p, q) = ((Dd::from(3.0) - u * u) / (u * square), -(Dd::from(4.0) * gamma) / (square * square));
        let second = -(p * dy + q * y);
        let two = Dd::from(2.0);
        let (by, bdy, bd2) = (u * u * y, two * u * y + u * u * dy, two * y + Dd::from(4.0) * u * dy + u * u * second);
        assert!((bd2 + p * bdy + q * by).to_f64().abs() > 1.0);
    }
}

/// b₁, b₂ of the equation in cos θ with their derivatives, on all of (0, π); Ω₃ and v₀ that belong to them by (2.26).
#[test]
fn both_solutions_of_2_28() {
    for case in &data() {
        let mut disk = Disk::new(case);
        let b = disk.of_b().rational.expect("rational in cos θ");
        assert_eq!(b.variable, Rational::Cosine);
        let solutions = b.equation.solve(Dd::ONE, -Dd::ONE).expect("no branch point inside");
        let (alpha, beta) = (fraction(&case["alpha"]), fraction(&case["beta"]));
        // with t = sin²(θ/2) = (1 − z)/2: b₂ = 1/t + μ b₁ ln t + 0 + O(t) is 2 y₂ − 2κ ln 2 y₁
        let kappa = solutions.first().logarithm().re;
        near("μ", kappa * Dd::from(2.0), number(&case["mu"]), 1e-29);
        for row in case["values"].as_array().expect("rows") {
            let theta = number(&row["theta"]);
            let (half_sin, half_cos) = (theta * Dd::from(0.5)).sin_cos();
            let (sin, cos) = theta.sin_cos();
            let two = Dd::from(2.0);
            let v = match theta.to_f64() {
                x if x < 0.5 => solutions.first().evaluate_local(two * half_sin * half_sin),
                x if x > 2.6 => solutions.evaluate_near_last(two * half_cos * half_cos),
                _ => solutions.evaluate(cos),
            };
            let shift = two * kappa * two.ln();
            let b1 = [v.y[0].re, -(v.dy[0].re * sin)];
            let b2 = [two * v.y[1].re - shift * b1[0], -(two * v.dy[1].re * sin) - shift * b1[1]];
            for (pair, name) in [(b1, "b1"), (b2, "b2")] {
                let at = |what: &str| format!("{what}, θ = {theta}");
                near(&at(name), pair[0], number(&row[name]), 1e-25);
                near(&at(&format!("d{name}")), pair[1], number(&row[format!("d{name}")]), 1e-25);
                let omega = alpha / beta * (sin * pair[1] + two * cos * pair[0]);
                // sin θ b₂′ and 2 cos θ b₂ cancel near 0
                near(&at(&format!("Ω₃ of {name}")), omega, number(&row[format!("Omega3_of_{name}")]), 1e-19);
                near(
                    &at(&format!("v₀ of {name}")),
                    omega - cos * pair[0],
                    number(&row[format!("v0_of_{name}")]),
                    1e-19,
                );
            }
            let nu = Complex::new(number(&case["nu_real"]), number(&case["nu_imag"]));
            let (p, dp) = legendre_p_of_angle(nu, theta);
            near("P_ν(cos θ)", p.re, number(&row["P_nu_cos"]), 1e-29);
            near("its derivative", dp.re, number(&row["dP_nu_cos_dtheta"]), 1e-29);
        }
    }
}

fn fraction(v: &Value) -> Dd {
    let text = v.as_str().expect("a text");
    match text.split_once('/') {
        Some((p, q)) => Dd::ratio(p.parse().expect("an integer"), q.parse().expect("an integer")),
        None => text.parse().expect("a number"),
    }
}

/// [CushmanEtAl1995, (36)]: in cos²θ the equation is hypergeometric with a + b = ½, ab = μ/4, c = ½; the odd solution is cos θ F(…; 3/2; cos²θ), with the sign
/// of cos θ.
#[test]
fn eq_36_hypergeometric_functions() {
    for case in &data() {
        let mut disk = Disk::new(case);
        let equation = second_order(&mut disk.system, &disk.shape).expect("two unknowns");
        let rational = equation.rational.expect("rational in cos θ");
        let square = rational.equation.in_square().expect("even in cos θ");
        let Recognised::Hypergeometric { upper, lower, powers, map } = square.recognise() else {
            panic!("{:?}", square.recognise())
        };
        assert_eq!(powers, [Complex::default(); 2]);
        assert_eq!(map.zero, Place::Finite(Complex::default()));
        near("c", lower.re, Dd::from(0.5), 1e-29);
        near("a + b", (upper[0] + upper[1]).re, Dd::from(0.5), 1e-29);
        near("ab", (upper[0] * upper[1]).re, number(&case["mu"]) * Dd::from(0.25), 1e-29);
        let sides =
            [Dd::ONE, -Dd::ONE].map(|end| rational.equation.solve(Dd::ZERO, end).expect("no branch point inside"));
        for row in case["values"].as_array().expect("rows") {
            let theta = number(&row["theta"]);
            let z = theta.sin_cos().1;
            let (half_sin, half_cos) = (theta * Dd::from(0.5)).sin_cos();
            let two = Dd::from(2.0);
            let (side, rest) = if z > Dd::ZERO {
                (&sides[0], two * half_sin * half_sin)
            } else {
                (&sides[1], two * half_cos * half_cos)
            };
            let v = if rest.to_f64() < 0.3 { side.evaluate_near_last(rest) } else { side.evaluate(z) };
            near("even", v.y[1].re, number(&row["Omega3_even"]), 1e-26);
            // y₁ is the local variable |z| and so on
            let odd = if z > Dd::ZERO { v.y[0].re } else { -v.y[0].re };
            near("odd", odd, number(&row["Omega3_odd"]), 1e-26);
        }
    }
}
