//! Known facts about the motions of built-in models, to ten digits and better.

use crate::prelude::*;
use std::f64::consts::PI;
use std::sync::Arc;

fn compile(name: &str, initial: &[(&str, &str)]) -> Arc<Compiled> {
    let text = builtin::find(name).expect("built in").text;
    let initial = initial.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    let options = ParseOptions { initial, ..ParseOptions::default() };
    let (model, _) = Model::parse(name, text, &options).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    system.compile().unwrap_or_else(|e| panic!("{e}"))
}

/// [NeimarkFufaev1972]: from rest of the blade the sleigh turns by ½π √(1 + I/(m a²)) forwards in time, and as much backwards.
#[test]
fn the_sleigh_turns_by_a_known_angle() {
    let compiled = compile("chaplygin-sleigh", &[("x'", "0"), ("theta'", "2")]);
    let turn = |t: f64, method| compiled.solve(&Run::until(t).method(method)).expect("sound").last["theta"];
    let total: f64 = PI * (1.0f64 + 0.5 / (0.3 * 0.3)).sqrt();
    for method in [Method::Taylor, Method::Dop853] {
        let turned = turn(150.0, method) - turn(-150.0, method);
        assert!((turned - total).abs() < 1e-10, "{turned} {total}");
    }
}

/// The centre of a homogeneous ball on a turntable of rate W circles at 2/7 W.
#[test]
fn the_ball_on_the_turntable_circles_at_two_sevenths() {
    let compiled = compile("ball-on-turntable", &[]);
    let period = 2.0 * PI / (2.0 / 7.0 * 2.0);
    let motion = compiled.solve(&Run::until(3.0 * period)).expect("sound");
    let start = motion.at(0.0).expect("the start");
    for turns in [1.0, 2.0, 3.0] {
        let later = motion.at(turns * period).expect("within the run");
        for name in ["x", "y", "x'", "y'"] {
            assert!((later[name] - start[name]).abs() < 1e-10, "{name} after {turns} turns");
        }
    }
    // half a turn is the opposite point of one circle: the same centre for all of them
    let half = motion.at(0.5 * period).expect("within the run");
    let quarter = motion.at(0.25 * period).expect("within the run");
    let centre = [(start["x"] + half["x"]) / 2.0, (start["y"] + half["y"]) / 2.0];
    let radius = |s: &Sample| (s["x"] - centre[0]).hypot(s["y"] - centre[1]);
    assert!((radius(&quarter) - radius(&start)).abs() < 1e-10);
    assert!(radius(&start) > 0.1, "a circle, not a point");
    // the table does work on the ball, and the balance closes
    assert_eq!(motion.report.work.len(), 1);
    assert!(motion.report.energy_error < 1e-12, "{}", motion.report.energy_error);
}

/// x' √(1 + y²) and y' are constant for the nonholonomic particle.
#[test]
fn the_particle_keeps_its_integral() {
    let compiled = compile("nonholonomic-particle", &[]);
    for method in [Method::Taylor, Method::Dop853] {
        let motion = compiled.solve(&Run::until(100.0).method(method)).expect("sound");
        let start = motion.at(0.0).expect("the start");
        for s in motion.sampled(50) {
            assert!((s["integral"] - start["integral"]).abs() < 1e-10, "at {}", s.t());
            assert!((s["y'"] - start["y'"]).abs() < 1e-12, "at {}", s.t());
        }
    }
}

/// Turning points of the tilt are found as events, in the order of time, and θ' vanishes there.
#[test]
fn turning_points_are_events() {
    let text = builtin::find("rolling-disk").expect("built in").text.to_string();
    let text = text + "\n[[event]]\nname = \"turn\"\nwhen = \"theta'\"\n";
    let (model, _) = Model::parse("disk.toml", &text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    let compiled = system.compile().unwrap_or_else(|e| panic!("{e}"));
    let counts = [Method::Taylor, Method::Dop853].map(|method| {
        let report = compiled.solve(&Run::until(10.0).method(method)).expect("sound").report;
        let turns: Vec<_> = report.events.iter().filter(|e| e.name == "turn").collect();
        assert!(turns.windows(2).all(|w| w[0].sample.t() < w[1].sample.t() && w[0].crossing != w[1].crossing));
        for e in &turns {
            assert!(e.sample["theta'"].abs() < 1e-9, "{} at {}", e.sample["theta'"], e.sample.t());
        }
        turns.len()
    });
    assert_eq!(counts[0], counts[1]);
    assert!(counts[0] >= 18, "{counts:?}");
}

/// A coordinate that leaves its interval ends the run: a result with place and reason, not a NaN.
#[test]
fn leaving_the_domain_is_a_result() {
    // a disk without spin falls over: θ → 0
    let compiled = compile("rolling-disk", &[("theta'", "0"), ("phi'", "0"), ("psi'", "0")]);
    for method in [Method::Taylor, Method::Dop853] {
        let motion = compiled.solve(&Run::until(10.0).method(method).samples(101)).expect("sound");
        let report = &motion.report;
        assert_eq!(report.stop, StopReason::Domain { coordinate: "theta".into(), lower: true }, "at {}", report.t);
        assert!(report.t > 0.1 && report.t < 2.0, "{}", report.t);
        assert!(motion.last["theta"].abs() < 1e-9);
        assert!(motion.samples.iter().all(|s| s.t() <= report.t && s["theta"].is_finite()));
        // there is no motion after its end
        assert!(motion.at(report.t).is_some() && motion.at(report.t + 0.01).is_none() && motion.at(-0.01).is_none());
    }
}

/// Bodies turn on SO(3): R stays a rotation for all times, whatever the method.
#[test]
fn rotations_stay_rotations() {
    let compiled = compile("chaplygin-ball", &[]);
    for run in [
        Run::until(200.0),
        Run::until(200.0).method(Method::Dop853).rtol(1e-8),
        Run::until(200.0).method(Method::Gauss(3)).step(0.05),
    ] {
        let last = compiled.solve(&run).expect("sound").last;
        let entry = |i: usize, j: usize| last[format!("R[{i},{j}]").as_str()];
        for i in 1..=3 {
            for j in 1..=3 {
                let product: f64 = (1..=3).map(|k| entry(i, k) * entry(j, k)).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 4e-16 * 3.0, "{:?} {i} {j}", run.method);
            }
        }
    }
}

/// Many zeros in one step are all found: sin(400 x) along x = cos t to t = 20.
#[test]
fn many_events_in_a_step() {
    let text = r#"
[coordinates]
x = "real"
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
position = { x = 1 }
[[event]]
name = "many"
when = "sin(400*x)"
"#;
    let (model, _) = Model::parse("oscillator.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    let compiled = system.compile().unwrap_or_else(|e| panic!("{e}"));
    // multiples of π/400 passed by cos t: each sweep from 1 to −1 or back passes 255, the last part of one 76
    let sine = |t: f64| (400.0 * t.cos()).sin();
    let count = (0..2_000_000).filter(|i| sine(*i as f64 * 1e-5) * sine((*i + 1) as f64 * 1e-5) < 0.0).count();
    for run in
        [Run::until(20.0), Run::until(20.0).method(Method::Dop853), Run::until(20.0).precision(Precision::DoubleDouble)]
    {
        let report = compiled.solve(&run).expect("sound").report;
        assert_eq!(report.events.len(), count, "{:?} {:?}", run.method, run.precision);
    }
}
