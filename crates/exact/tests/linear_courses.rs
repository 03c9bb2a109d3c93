//! What a shape variable can do besides oscillating between turning points: go round, pass a pole of its interval, come to its end; against integrated motions
//! in double-doubles.

use polhode_exact::linear::{Course, Motion, Reduced, reduce_model};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, Precision, Run, Sample};
use polhode_special::elliptic::elliptic_k;
use polhode_tape::{Dd, Scalar};

fn model(text: &str, init: &[(&str, &str)]) -> Model {
    let initial = init.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let options = ParseOptions { initial, ..ParseOptions::default() };
    Model::parse("model.toml", text, &options).unwrap_or_else(|e| panic!("{e:?}")).0
}

fn motion(model: &Model) -> (Reduced, Motion) {
    let mut reduced = reduce_model(model).unwrap_or_else(|e| panic!("{e:?}"));
    let found = Motion::new(&mut reduced.system, &reduced.model, &reduced.shape).unwrap_or_else(|e| panic!("{e}"));
    (reduced, found)
}

/// The integrated motion at some times.
fn integrated(model: &Model, times: &[f64]) -> Vec<Sample> {
    let last = times.last().copied().expect("a time");
    let run = Run::until(last).at(times.iter().copied()).precision(Precision::DoubleDouble);
    let (mut system, _) = System::new(model).unwrap_or_else(|e| panic!("{e:?}"));
    system.compile().unwrap_or_else(|e| panic!("{e}")).solve(&run).expect("a motion").samples
}

#[track_caller]
fn near(label: &str, a: Dd, b: Dd, bound: f64) {
    let error = (a - b).to_f64().abs() / b.to_f64().abs().max(1.0);
    assert!(error < bound, "{label}: {a} for {b}, off by {error:e}");
}

fn digits(sample: &Sample, name: &str) -> Dd {
    sample.get_digits(name).unwrap_or_else(|| panic!("no {name}"))
}

const PENDULUM: &str = r#"
[coordinates]
theta = "angle"
[lagrangian]
kinetic   = "theta'^2/2"
potential = "-cos(theta)"
[initial]
position = { theta = 0 }
velocity = { theta = 3 }
"#;

/// E = 9/2 − 1 goes round in 4K(m)/√(2(E + 1)), m = 2/(E + 1).
#[test]
fn a_pendulum_goes_round() {
    for speed in ["3", "-3"] {
        let model = model(PENDULUM, &[("theta'", speed)]);
        let (_, mut motion) = motion(&model);
        let Course::Circulation(o) = motion.course.clone() else { panic!("{:?}", motion.course) };
        let exact = Dd::from(4.0) * elliptic_k(Dd::ratio(4, 9)) / Dd::from(3.0);
        near("T", o.period, exact, 1e-28);
        let times = [0.5, 2.0, 9.5];
        for sample in integrated(&model, &times) {
            let state = motion.at(sample.time()).expect("it goes round");
            near("θ", state.s, digits(&sample, "theta"), 1e-24);
            near("θ̇", state.speed, digits(&sample, "theta'"), 1e-24);
        }
    }
}

/// A bead on a torus: φ̇ comes back after a turn about the tube, and φ has gained.
#[test]
fn a_bead_goes_round_the_tube_of_a_torus() {
    let text = r#"
[coordinates]
theta = "angle"
phi   = "angle"
[lagrangian]
kinetic   = "(theta'^2 + (2 + cos(theta))^2*phi'^2)/2"
potential = "cos(theta)/4"
[initial]
position = { theta = 0.3, phi = 0 }
velocity = { theta = -2, phi = 0.1 }
"#;
    let model = model(text, &[]);
    let (reduced, mut motion) = motion(&model);
    assert!(matches!(motion.course, Course::Circulation(_)), "{:?}", motion.course);
    let q = reduced.shape.quadratures.iter().position(|q| q.name == "phi").expect("φ");
    for sample in integrated(&model, &[1.0, 4.0, 10.0]) {
        let state = motion.at(sample.time()).expect("it goes round");
        near("θ", state.s, digits(&sample, "theta"), 1e-24);
        near("φ", state.gained[q], digits(&sample, "phi"), 1e-24);
        near("φ̇", state.w[0], digits(&sample, "phi'"), 1e-24);
    }
}

/// A ball that rolls round the tube of a torus has other velocities after a turn: there is no period, and no value at a time.
#[test]
fn a_ball_that_goes_round_the_tube_has_no_period() {
    let text = include_str!("../../../models/ball-on-torus.toml");
    let (_, mut motion) = motion(&model(text, &[("Omega", "[9, 9, 1/2]")]));
    assert!(matches!(motion.course, Course::GoesRound), "{:?}", motion.course);
    assert!(motion.at(Dd::ONE).is_none());
}

/// Swinging in a plane, a spherical pendulum passes its lowest point, where z has its end.
#[test]
fn a_plane_pendulum_reaches_the_end_of_z() {
    let text = include_str!("../../../models/spherical-pendulum.toml");
    let (_, motion) = motion(&model(text, &[("x'", "0.2"), ("y'", "0")]));
    match motion.course {
        Course::ReachesEnd { at } => near("z", at, -Dd::ONE, 1e-25),
        other => panic!("{other:?}"),
    }
}

/// Balls on surfaces of revolution, and a point on a sphere: distance from the axis or height, and the azimuth, against the motion without charts.
#[test]
fn distances_from_an_axis_and_azimuths() {
    let models = [
        ("paraboloid", include_str!("../../../models/ball-in-paraboloid.toml"), ["c1[1]", "c1[2]"], "v1"),
        ("cylinder", include_str!("../../../models/ball-in-cylinder.toml"), ["x_O[1]", "x_O[2]"], "azimuth"),
        ("pendulum", include_str!("../../../models/spherical-pendulum.toml"), ["x", "y"], "azimuth"),
    ];
    for (label, text, pair, angle) in models {
        let model = model(text, &[]);
        let (reduced, mut motion) = motion(&model);
        let q = reduced.shape.quadratures.iter().position(|q| q.name == angle).expect("an azimuth");
        for sample in integrated(&model, &[1.0, 4.0]) {
            let state = motion.at(sample.time()).expect("an oscillation");
            let [x, y] = pair.map(|n| digits(&sample, n));
            if label == "paraboloid" {
                near(label, state.s, (x * x + y * y).sqrt(), 1e-24);
            }
            // all begin at y = 0
            let (sin, cos) = state.gained[q].sin_cos();
            let across = (x * sin - y * cos) / (x * x + y * y).sqrt();
            near(label, across, Dd::ZERO, 1e-24);
            assert!((x * cos + y * sin).to_f64() > 0.0, "{label}");
        }
    }
}

const ROUTH: &str = include_str!("../../../models/routh-ball.toml");

/// A ball that rocks in a plane passes the vertical, and so does one that starts there with a spin: with C₂ = 0 nothing is singular, and θ is counted on.
#[test]
fn a_ball_passes_the_vertical() {
    // θ, ψ and Ω of the spinning ball a little after it was upright
    let upright = model(ROUTH, &[("R", "Rx(0)"), ("Omega", "[1, 0, 2]")]);
    let later = integrated(&upright, &[0.1]).remove(0);
    let r = |i: usize, j: usize| digits(&later, &format!("R[{i},{j}]"));
    let tilt = (r(3, 1) * r(3, 1) + r(3, 2) * r(3, 2)).sqrt().atan2(r(3, 3));
    let rotation = format!("Rx({tilt})*Rz({})", r(3, 1).atan2(r(3, 2)));
    let omega: Vec<String> = (1..=3).map(|i| digits(&later, &format!("Omega[{i}]")).to_string()).collect();
    let spinning = format!("[{}]", omega.join(", "));
    for (label, rotation, omega) in [("rocking", "Rx(0.3)", "[1, 0, 0]"), ("spinning", &rotation, &spinning)] {
        let model = model(ROUTH, &[("R", rotation), ("Omega", omega)]);
        let (_, mut motion) = motion(&model);
        let Course::Oscillation(o) = motion.course.clone() else { panic!("{label}: {:?}", motion.course) };
        assert!(o.passes_pole, "{label}: {:?}", o.turning);
        near(label, o.turning[0], -o.turning[1], 1e-30);
        let mut beyond = false;
        for sample in integrated(&model, &[0.5, 1.0, 2.0, 4.5, 10.0]) {
            let state = motion.at(sample.time()).expect("an oscillation");
            beyond |= state.s < Dd::ZERO;
            near(label, state.s.sin_cos().1, digits(&sample, "R[3,3]"), 1e-18);
            near(label, state.w[0], digits(&sample, "Omega[3]"), 1e-18);
        }
        assert!(beyond, "{label}");
    }
}

/// A ball that has enough speed goes over the top and through the bottom.
#[test]
fn a_ball_rolls_over() {
    let model = model(ROUTH, &[("R", "Rx(0.3)"), ("Omega", "[8, 0, 0]")]);
    let (_, mut motion) = motion(&model);
    let Course::Circulation(o) = motion.course.clone() else { panic!("{:?}", motion.course) };
    assert!(o.passes_pole);
    for sample in integrated(&model, &[0.5, 1.0, 3.0]) {
        let state = motion.at(sample.time()).expect("it goes round");
        near("cos θ", state.s.sin_cos().1, digits(&sample, "R[3,3]"), 1e-24);
    }
}
