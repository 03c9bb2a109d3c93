//! Motions that a shape variable governs, against numbers of an independent computation in 60 digits: Newton's and Euler's equations of the disk by Taylor
//! series, its constants from Legendre functions (`data/disk.json`).

use polhode_exact::linear::{
    Basis, Constants, Course, Failed, Motion, NotLinear, Shape, linear_reduction, reduce_model, riccati, second_order,
    second_order_for,
};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, Precision, Run};
use polhode_special::Complex;
use polhode_special::legendre::{legendre_p, legendre_p_derivative};
use polhode_special::ode::{Kind, Recognised};
use polhode_tape::{Dd, Scalar};
use serde_json::Value;

const DISK: &str = include_str!("../../../models/rolling-disk.toml");

fn model(text: &str, set: &[(&str, &str)], init: &[(&str, &str)]) -> Model {
    let owned = |list: &[(&str, &str)]| list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let options = ParseOptions { parameters: owned(set), initial: owned(init), ..ParseOptions::default() };
    Model::parse("model.toml", text, &options).unwrap_or_else(|e| panic!("{e:?}")).0
}

fn reduced(model: &Model) -> (System, Shape) {
    let (mut system, _) = System::new(model).unwrap_or_else(|e| panic!("{e:?}"));
    let shape = linear_reduction(&mut system).unwrap_or_else(|e| panic!("{e}"));
    (system, shape)
}

fn data() -> Vec<Value> {
    serde_json::from_str(include_str!("data/disk.json")).expect("the reference")
}

fn text<'a>(v: &'a Value, key: &str) -> &'a str {
    v[key].as_str().unwrap_or_else(|| panic!("no {key}"))
}

fn number(v: &Value, key: &str) -> Dd {
    text(v, key).parse().unwrap_or_else(|_| panic!("{key} is no number"))
}

#[track_caller]
fn near(label: &str, a: Dd, b: Dd, relative: f64) {
    let error = (a - b).to_f64().abs() / b.to_f64().abs().max(1.0);
    assert!(error < relative, "{label}: {a} for {b}, off by {error:e}");
}

/// The disk of a reference trajectory.
fn disk_of(case: &Value) -> Model {
    let set: Vec<(&str, &str)> = ["M", "r", "g", "I1", "I3"].map(|k| (k, text(&case["parameters"], k))).to_vec();
    let names = [
        ("theta", "theta"),
        ("phi", "phi"),
        ("psi", "psi"),
        ("x", "x1"),
        ("y", "x2"),
        ("theta'", "thetadot"),
        ("phi'", "phidot"),
        ("psi'", "psidot"),
    ];
    let init: Vec<(&str, &str)> = names.map(|(n, k)| (n, text(&case["initial"], k))).to_vec();
    model(DISK, &set, &init)
}

/// [CendraDiaz2006, (2.26)–(2.27)]: the shape variable of the disk is θ, and φ̇, ψ̇ obey linear equations in it; those of Ω₃ are Legendre's.
#[test]
fn the_disk_is_found_to_be_legendres() {
    let model = model(DISK, &[], &[]);
    let (mut system, shape) = reduced(&model);
    assert_eq!(system.graph.name(shape.variable), "theta");
    let names: Vec<&str> = shape.unknowns.iter().map(|u| system.graph.name(u.symbol)).collect();
    assert_eq!(names, ["phi'", "psi'"]);
    assert!(riccati(&mut system, &shape).is_some());
    let equation = second_order(&mut system, &shape).expect("two unknowns");
    let wanted = model.formula(&mut system.graph, "psi' + phi'*cos(theta)").expect("a formula")[0];
    assert!(system.graph.equal(equation.unknown, wanted).is_equal());
    let rational = equation.rational.expect("rational in cos θ");
    let Recognised::Legendre { degree, order, .. } = rational.recognised else { panic!("{:?}", rational.recognised) };
    assert_eq!(order.abs(), Dd::ZERO);
    // ν(ν+1) = −β/(α(1+β)) = −4/3
    near("Re ν", degree.re, Dd::from(-0.5), 1e-30);
    near("τ", degree.im.abs(), Dd::ratio(13, 12).sqrt(), 1e-30);
}

#[test]
fn disk_constants_turning_points_periods_and_angles() {
    for case in &data() {
        let name = text(case, "name");
        let model = disk_of(case);
        let (mut system, shape) = reduced(&model);
        let equation = second_order(&mut system, &shape).expect("two unknowns");
        let mut motion = Motion::new(&mut system, &model, &shape).unwrap_or_else(|e| panic!("{e}"));
        let constants = Constants::new(&mut system, &shape, &equation, &motion.start).expect("Legendre functions");
        near(&format!("{name}: C1"), constants.values[0], number(case, "C1"), 1e-28);
        near(&format!("{name}: C2"), constants.values[1], number(case, "C2"), 1e-28);
        let Course::Oscillation(o) = motion.course.clone() else { panic!("{name}: {:?}", motion.course) };
        near(&format!("{name}: period"), o.period, number(case, "period"), 1e-26);
        let turns = case["turning_points"].as_array().expect("turning points");
        for turn in turns {
            let theta = number(turn, "theta");
            let error = o.turning.map(|s| (s - theta).to_f64().abs());
            assert!(error[0].min(error[1]) < 1e-27, "{name}: {error:?}");
        }
        for state in case["states"].as_array().expect("states") {
            let t = number(state, "t");
            let found = motion.at(t).expect("an oscillation");
            let at = |what: &str| format!("{name}, t = {}: {what}", t.to_f64());
            near(&at("theta"), found.s, number(state, "theta"), 1e-24);
            near(&at("theta'"), found.speed, number(state, "thetadot"), 1e-23);
            near(&at("phi'"), found.w[0], number(state, "phidot"), 1e-22);
            near(&at("psi'"), found.w[1], number(state, "psidot"), 1e-22);
            for key in ["phi", "psi"] {
                let q = shape.quadratures.iter().position(|q| q.name == key).expect("a quadrature");
                near(&at(key), motion.origins[q] + found.gained[q], number(state, key), 1e-22);
            }
            let (z, _) = equation.rational.as_ref().expect("rational").variable.at(found.s);
            near(&at("Omega3"), constants.unknown(z)[0], number(state, "Omega3"), 1e-23);
        }
    }
}

/// Degrees that are real (μ < ¼), a double exponent at ∞ (μ = ¼), and inertias that no flat body has: y of the basis is y of the motion.
#[test]
fn other_inertias() {
    for (i1, i3, complex) in [("5", "0.5", false), ("2", "1", false), ("0.1", "0.6", true), ("0.3", "0.01", false)] {
        let set = [("I1", i1), ("I3", i3)];
        let model = model(DISK, &set, &[("theta", "1.3"), ("theta'", "0.1"), ("phi'", "0.7"), ("psi'", "4")]);
        let (mut system, shape) = reduced(&model);
        let equation = second_order(&mut system, &shape).expect("two unknowns");
        let rational = equation.rational.as_ref().expect("rational");
        let Recognised::Legendre { degree, .. } = rational.recognised else { panic!("{:?}", rational.recognised) };
        let (alpha, beta): (f64, f64) = (i1.parse().expect("a number"), i3.parse().expect("a number"));
        let product = degree * (degree + Complex::from(Dd::ONE));
        let wanted = model.formula(&mut system.graph, "psi' + phi'*cos(theta)").expect("a formula")[0];
        assert!(
            system.graph.equal(equation.unknown, wanted).is_equal(),
            "{i1}, {i3}: {:?}",
            rational.equation.singular_points()
        );
        near("ν(ν+1)", product.re, Dd::from(-beta / (alpha * (1.0 + beta))), 1e-15);
        assert_eq!(!degree.is_real(), complex, "{degree:?}");
        let mut motion = Motion::new(&mut system, &model, &shape).expect("a motion");
        let constants = Constants::new(&mut system, &shape, &equation, &motion.start).expect("a basis");
        assert!(matches!(constants.basis, Basis::Legendre { second_kind: false, .. }));
        for t in [0.3, 2.0, 17.0] {
            let state = motion.at(Dd::from(t)).expect("an oscillation");
            let (z, dz) = rational.variable.at(state.s);
            let [y, slope] = constants.unknown(z);
            let (sin, cos) = state.s.sin_cos();
            near("Ω₃", y, state.w[1] + state.w[0] * cos, 1e-24);
            // φ̇ = (1 + β) Ω₃′/sin θ
            near("φ̇", state.w[0], slope * dz * Dd::from(1.0 + beta) / sin, 1e-15);
        }
    }
}

/// The equation for v₀ = ψ̇ has apparent singular points where β > 2α [CendraDiaz2006, §2], and the solver goes past them.
#[test]
fn apparent_points_of_the_equation_for_v0() {
    for (i1, i3, inside) in [("0.25", "0.5", 0), ("0.1", "0.6", 2)] {
        let model = model(DISK, &[("I1", i1), ("I3", i3)], &[]);
        let (mut system, shape) = reduced(&model);
        let unit = [system.graph.zero(), system.graph.one()];
        let equation = second_order_for(&mut system, &shape, &unit).expect("an equation");
        let points = equation.rational.expect("rational in cos θ").equation.singular_points();
        let apparent = points.iter().filter(|p| p.kind == Kind::Apparent);
        let real = apparent.filter(|p| match p.place {
            polhode_special::ode::Place::Finite(z) => z.is_real() && z.re.to_f64().abs() < 1.0,
            polhode_special::ode::Place::Infinity => false,
        });
        assert_eq!(real.count(), inside, "{i1}, {i3}: {points:?}");
    }
}

/// A steady motion, small oscillations about it, and an unstable one.
#[test]
fn steady_motions_and_their_frequencies() {
    let psi = "((1/4 - 1/2 - 1)*9*sin(1)*cos(1) - 9.81*cos(1))/(3/2*3*sin(1))";
    let init = [("theta", "1"), ("theta'", "0"), ("phi'", "3"), ("psi'", psi)];
    let steady = model(DISK, &[], &init);
    let (mut system, shape) = reduced(&steady);
    let mut motion = Motion::new(&mut system, &steady, &shape).expect("a motion");
    let Course::Steady { frequency_squared, .. } = motion.course else { panic!("{:?}", motion.course) };
    let known: Dd = "8.069636844691686101770629571829273393390".parse().expect("a number");
    near("ω²", frequency_squared, known, 1e-28);
    let later = motion.at(Dd::from(1e6)).expect("steady");
    assert_eq!(later.s, motion.start.s);
    near("φ", later.gained[0], Dd::from(3e6), 1e-25);

    let mut init = init.to_vec();
    init[1] = ("theta'", "1e-9");
    let disturbed = model(DISK, &[], &init);
    let (mut system, shape) = reduced(&disturbed);
    let motion = Motion::new(&mut system, &disturbed, &shape).expect("a motion");
    let Course::Oscillation(o) = motion.course else { panic!("{:?}", motion.course) };
    near("T", o.period, Dd::PI * Dd::from(2.0) / known.sqrt(), 1e-16);
    near("amplitude", (o.turning[1] - o.turning[0]) * known.sqrt(), Dd::from(2e-9), 1e-16);

    let init = [("theta", "pi/2"), ("theta'", "0"), ("phi'", "0"), ("psi'", "1")];
    let upright = model(DISK, &[], &init);
    let (mut system, shape) = reduced(&upright);
    let motion = Motion::new(&mut system, &upright, &shape).expect("a motion");
    let Course::Steady { frequency_squared, .. } = motion.course else { panic!("{:?}", motion.course) };
    assert!(frequency_squared.to_f64() < 0.0);
}

/// V_eff of the disk of the model with Ω₃ = C₁ P_ν(z) + C₂ P_ν(−z), and φ̇, ψ̇.
fn disk_potential(c: [Dd; 2], theta: Dd) -> (Dd, Dd, Dd) {
    let nu = Complex::new(Dd::from(-0.5), Dd::ratio(13, 12).sqrt());
    let (sin, cos) = theta.sin_cos();
    let omega = c[0] * legendre_p(nu, cos).re + c[1] * legendre_p(nu, -cos).re;
    let slope = (c[1] * legendre_p_derivative(nu, -cos).re - c[0] * legendre_p_derivative(nu, cos).re) * sin;
    let phi = Dd::from(1.5) * slope / sin;
    let kinetic = Dd::from(0.125) * phi * phi * sin * sin + Dd::from(0.75) * omega * omega;
    let g: Dd = "9.81".parse().expect("a number");
    (kinetic + g * sin, phi, omega - phi * cos)
}

/// From an energy that is exactly that of the upright disk, it takes for ever to stand up; with C₂ = 0 it reaches the floor.
#[test]
fn separatrix_and_the_end_of_the_interval() {
    let start = |c: [Dd; 2], theta: Dd, energy: Dd, sign: f64| {
        let (v, phi, psi) = disk_potential(c, theta);
        let speed = (Dd::from(2.0) * (energy - v) / Dd::from(1.25)).sqrt() * Dd::from(sign);
        let digits = [theta, speed, phi, psi].map(|x| format!("{x}"));
        let names = ["theta", "theta'", "phi'", "psi'"];
        let init: Vec<(&str, &str)> = names.into_iter().zip(digits.iter().map(String::as_str)).collect();
        model(DISK, &[], &init)
    };
    let upright = Dd::PI * Dd::from(0.5);
    let c = [Dd::from(0.2); 2];
    let (top, ..) = disk_potential(c, upright);
    let model = start(c, Dd::from(1.2), top, 1.0);
    let (mut system, shape) = reduced(&model);
    let motion = Motion::new(&mut system, &model, &shape).expect("a motion");
    match motion.course {
        Course::Separatrix { toward } => assert!((toward - upright).to_f64().abs() < 1e-10, "{toward}"),
        other => panic!("{other:?}"),
    }
    let c = [Dd::from(0.5), Dd::ZERO];
    let model = start(c, Dd::from(0.5), disk_potential(c, Dd::from(0.5)).0 + Dd::from(2.0), -1.0);
    let (mut system, shape) = reduced(&model);
    let motion = Motion::new(&mut system, &model, &shape).expect("a motion");
    match motion.course {
        Course::ReachesEnd { at } => assert_eq!(at, Dd::ZERO),
        other => panic!("{other:?}"),
    }
}

/// [Voronets1911, §14]: the rod's hypergeometric functions, its constants in 30 digits, and its state after a second.
#[test]
fn rod_on_a_sphere() {
    let model = model(include_str!("../../../models/rod-on-sphere.toml"), &[], &[]);
    let mut reduced = reduce_model(&model).unwrap_or_else(|e| panic!("{e:?}"));
    let (system, shape) = (&mut reduced.system, &reduced.shape);
    let equation = second_order(system, shape).expect("two unknowns");
    let mut motion = Motion::new(system, &reduced.model, shape).expect("a motion");
    let constants = Constants::new(system, shape, &equation, &motion.start).expect("a basis");
    assert!(matches!(constants.basis, Basis::EvenOdd(_)));
    let digits = |text: &str| -> Dd { text.parse().expect("a number") };
    near("c1", constants.values[0], digits("-0.208556956060540482173451926328"), 1e-28);
    near("c2", constants.values[1], digits("-0.316408760583824196295397692813"), 1e-28);
    let state = motion.at(Dd::ONE).expect("an oscillation");
    for t in [1.0, 3.0, 5.0] {
        // on both sides of the middle of the rod
        let state = motion.at(Dd::from(t)).expect("an oscillation");
        near("y", constants.unknown(state.s)[0], state.w[0], 1e-26);
    }
    near("u", state.s, digits("0.364668113186054535549064494429"), 1e-26);
    near("v̇", state.w[0], digits("-0.316394536000887488211138332634"), 1e-26);
    // n is the spin about x_u × x_v. For (u, v) = (circle, axis), this chart, that points out of the rod, for the paper's (axis, circle) into it:
    // e_z × e_φ = −e_ρ. So n of the paper is −Ω·e_ρ, and ours Ω·e_ρ, as the motion without charts says.
    near("n", -state.w[1], digits("-0.201642883195836311447827500716"), 1e-26);
    let (mut chart_free, _) = System::new(&model).unwrap_or_else(|e| panic!("{e:?}"));
    let run = Run::until(1.0).at([0.0, 1.0]).precision(Precision::DoubleDouble);
    let samples = chart_free.compile().expect("equations").solve(&run).expect("a motion").samples;
    for (sample, n) in samples.iter().zip([motion.start.w[1], state.w[1]]) {
        let value = |name: &str| sample.get_digits(name).unwrap_or_else(|| panic!("no {name}"));
        // e_ρ = (c₁, c₂, 0)/(1/4)
        let outward = (value("Omega[1]") * value("c[1]") + value("Omega[2]") * value("c[2]")) * Dd::from(4.0);
        near("Ω·e_ρ", n, outward, 1e-24);
    }
    assert_eq!(samples.len(), 2);
    near("Ω·e_ρ at the start", motion.start.w[1], Dd::ratio(1, 5), 1e-30);
}

/// The exact motion against the integrated one, in double-doubles, for every model that has both.
#[test]
fn exact_and_integrated_motions_agree() {
    let models = [
        ("disk", DISK),
        ("disk, centre", include_str!("../../../models/rolling-disk-centre.toml")),
        ("Euler's disk", include_str!("../../../models/euler-disk.toml")),
        ("Routh's ball", include_str!("../../../models/routh-ball.toml")),
        ("ball with a gyroscope", include_str!("../../../models/gyro-ball-on-plane.toml")),
        ("torus", include_str!("../../../models/torus-on-plane.toml")),
        ("rod", include_str!("../../../models/rod-on-sphere.toml")),
        ("spheroid", include_str!("../../../models/spheroid-on-sphere.toml")),
        ("ball on a torus", include_str!("../../../models/ball-on-torus.toml")),
        ("ball in a paraboloid", include_str!("../../../models/ball-in-paraboloid.toml")),
        ("ball in a cylinder", include_str!("../../../models/ball-in-cylinder.toml")),
        ("spherical pendulum", include_str!("../../../models/spherical-pendulum.toml")),
    ];
    for (label, text) in models {
        // Euler's disk of the model is steady: disturb it
        let init: &[(&str, &str)] = if label == "Euler's disk" { &[("Omega", "[-8, 1, 2]")] } else { &[] };
        let model = model(text, &[], init);
        let mut reduced = reduce_model(&model).unwrap_or_else(|e| panic!("{label}: {e:?}"));
        let (system, shape) = (&mut reduced.system, &reduced.shape);
        let mut motion = Motion::new(system, &reduced.model, shape).unwrap_or_else(|e| panic!("{label}: {e}"));
        assert!(matches!(motion.course, Course::Oscillation(_)), "{label}: {:?}", motion.course);
        let run = Run::until(10.0).at([1.0, 4.5, 10.0]).precision(Precision::DoubleDouble);
        let name = system.graph.name(shape.variable).to_string();
        let integrated = system.compile().unwrap_or_else(|e| panic!("{label}: {e}")).solve(&run).expect("a motion");
        assert_eq!(integrated.samples.len(), 3, "{label}: {:?}", integrated.report.stop);
        for sample in &integrated.samples {
            let t = sample.time();
            let state = motion.at(t).expect("an oscillation");
            let value = |name: &str| sample.get_digits(name).unwrap_or_else(|| panic!("{label}: no {name}"));
            let at = |what: &str| format!("{label}, {what}, t = {}", t.to_f64());
            match shape.cosine {
                Some(_) => near(&at("R33"), state.s.sin_cos().1, value("R[3,3]"), 1e-12),
                None => near(&at(&name), state.s, value(&name), 1e-12),
            }
            for (q, (origin, gained)) in shape.quadratures.iter().zip(motion.origins.iter().zip(&state.gained)) {
                if q.position.is_some() {
                    near(&at(&q.name), *origin + *gained, value(&q.name), 1e-12);
                }
            }
        }
    }
}

/// A disk that is written as a rolling body with a rim, and one in Euler's angles, are the same.
#[test]
fn a_rim_and_eulers_angles_give_the_same_disk() {
    let rim = model(include_str!("../../../models/euler-disk.toml"), &[], &[("Omega", "[-8, 1, 2]")]);
    let mut rim = reduce_model(&rim).unwrap_or_else(|e| panic!("{e:?}"));
    let rolling = Motion::new(&mut rim.system, &rim.model, &rim.shape).expect("a motion");
    // φ̇ = (R₃₁ Ω₁ + R₃₂ Ω₂)/sin²θ and Ω₃ = ψ̇ + φ̇ cos θ, at R = Ry(10°)
    let angle = "10*pi/180";
    let set = [("M", "0.4"), ("r", "0.0375"), ("g", "9.81"), ("I1", "0.4*0.0375^2/4"), ("I3", "0.4*0.0375^2/2")];
    let (phi, psi) = (format!("8/sin({angle})"), format!("2 - 8/tan({angle})"));
    let init = [("theta", angle), ("theta'", "1"), ("phi'", &phi), ("psi'", &psi)];
    let angles = model(DISK, &set, &init);
    let (mut system, shape) = reduced(&angles);
    let euler = Motion::new(&mut system, &angles, &shape).expect("a motion");
    let (Some(a), Some(b)) = (rolling.course.periodic(), euler.course.periodic()) else {
        panic!("{:?} and {:?}", rolling.course, euler.course)
    };
    near("T", a.period, b.period, 1e-27);
    near("turning point", a.turning[0], b.turning[0], 1e-27);
    near("turning point", a.turning[1], b.turning[1], 1e-27);
    near("energy", rolling.energy, euler.energy, 1e-27);
    for (of_rim, of_angles) in [("precession", "phi"), ("spin", "psi")] {
        let place =
            |shape: &Shape, name: &str| shape.quadratures.iter().position(|q| q.name == name).expect("an angle");
        near(of_rim, a.advances[place(&rim.shape, of_rim)], b.advances[place(&shape, of_angles)], 1e-25);
    }
}

#[test]
fn systems_without_a_shape_variable_say_why() {
    for (text, wanted) in [
        (include_str!("../../../models/chaplygin-ball.toml"), NotLinear::NoVariable),
        (include_str!("../../../models/ball-on-turntable.toml"), NotLinear::EnergyChanges),
    ] {
        let tried = reduce_model(&model(text, &[], &[])).expect_err("no shape variable");
        assert!(matches!(&tried[0].why, Failed::NotLinear(why) if *why == wanted), "{tried:?}");
    }
}

/// The disk of the model after a million seconds, against a composition of its periods in 90 digits.
#[test]
fn the_disk_after_a_million_seconds() {
    let model = model(DISK, &[], &[]);
    let (mut system, shape) = reduced(&model);
    let mut motion = Motion::new(&mut system, &model, &shape).expect("a motion");
    let digits = |text: &str| -> Dd { text.parse().expect("a number") };
    let Course::Oscillation(o) = motion.course.clone() else { panic!("{:?}", motion.course) };
    near("T", o.period, digits("0.9831657142995528468312095093235980"), 1e-29);
    near("Δφ", o.advances[0], digits("-2.489173574743941701786052411896970"), 1e-29);
    near("Δψ", o.advances[1], digits("5.7164889538882608878062630945195549"), 1e-29);
    let state = motion.at(Dd::from(1e6)).expect("an oscillation");
    for (label, found, known) in [
        ("θ", state.s, "0.3504031090506486798937805458856972"),
        ("θ̇", state.speed, "0.2200093524003392619562154629606506"),
        ("φ", state.gained[0], "-2531794.533569629958989079956247703"),
        ("ψ", state.gained[1], "5814369.7343538607789120069584760717"),
        ("φ̇", state.w[0], "-13.42491562449426415876629673284865"),
        ("ψ̇", state.w[1], "16.376683590064240739257604918853368"),
    ] {
        near(label, found, digits(known), 1e-23);
    }
}
