//! Motions that a shape variable governs, against numbers of an independent computation in 60 digits: Newton's and Euler's equations of the disk by Taylor
//! series, its constants from Legendre functions (`data/disk.json`).

use polhode_exact::linear::{Constants, Course, Motion, Shape, linear_reduction, riccati, second_order};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_special::ode::Recognised;
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
            for (k, key) in ["phi", "psi"].into_iter().enumerate() {
                let q = shape.quadratures.iter().position(|q| q.name == key).expect("a quadrature");
                near(&at(key), motion.origins[q] + found.gained[q], number(state, key), 1e-22);
                assert!(k < 2);
            }
            let (z, _) = equation.rational.as_ref().expect("rational").variable.at(found.s);
            near(&at("Omega3"), constants.unknown(z)[0], number(state, "Omega3"), 1e-23);
        }
    }
}
