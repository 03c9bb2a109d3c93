//! `run --reduced`: the base drives itself, the group variables follow, and the motion is the same.

use crate::prelude::*;
use polhode_tape::Scalar;

fn compiled(text: &str, reduced: bool) -> std::sync::Arc<Compiled> {
    let (model, _) = Model::parse("model.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions { reduced, ..CompileOptions::default() };
    system.compile_with(&options).unwrap_or_else(|e| panic!("{e}"))
}

/// The largest difference of a number of the two motions at ten times, relative to max(1, |value|).
fn difference(name: &str, until: f64) -> f64 {
    let text = builtin::find(name).unwrap_or_else(|| panic!("no model {name}")).text;
    let (full, reduced) = (compiled(text, false), compiled(text, true));
    let run = Run::until(until).at((1..=10).map(|k| until * f64::from(k) / 10.0)).method(Method::Taylor);
    let (a, b) = (full.solve(&run).unwrap(), reduced.solve(&run).unwrap());
    assert_eq!(a.report.stop, StopReason::End, "{name}");
    assert_eq!(b.report.stop, StopReason::End, "{name}");
    let mut worst = 0f64;
    for (x, y) in a.samples.iter().zip(&b.samples) {
        for (variable, other) in full.variables.iter().zip(&reduced.variables) {
            assert_eq!(variable.name, other.name);
            for (p, q) in x.numbers(variable).iter().zip(y.numbers(other)) {
                worst = worst.max((p - q).abs() / p.abs().max(1.0));
            }
        }
    }
    worst
}

/// Which components are integrated and which follow, by name.
fn parts(name: &str) -> (Vec<String>, Vec<String>) {
    let text = builtin::find(name).unwrap_or_else(|| panic!("no model {name}")).text;
    let compiled = compiled(text, true);
    let (driving, driven) = compiled.reduction().unwrap_or_else(|| panic!("{name}: nothing follows"));
    let names = |v: Vec<&str>| v.into_iter().map(str::to_string).collect();
    (names(driving), names(driven))
}

#[test]
fn the_motion_is_the_same() {
    let models = [
        "rolling-disk",
        "rolling-disk-centre",
        "symmetric-sphere",
        "chaplygin-ball",
        "chaplygin-sleigh",
        "snakeboard",
        "roller-racer",
        "nonholonomic-particle",
        "homogeneous-ball",
        "ball-on-turntable",
        "suslov",
        "free-rigid-body",
        "vertical-penny",
        "heisenberg",
        "unicycle-trailers",
    ];
    let mut in_an_invariant_frame = 0;
    for name in models {
        let worst = difference(name, 10.0);
        assert!(worst < 1e-11, "{name}: {worst:e}");
        let text = builtin::find(name).unwrap().text;
        in_an_invariant_frame += usize::from(compiled(text, true).program.form == Form::Ldap);
    }
    // a run that takes the usual form instead, since it costs less, would show nothing here
    assert!(in_an_invariant_frame + 4 >= models.len(), "only {in_an_invariant_frame}");
}

#[test]
fn what_is_integrated_and_what_follows() {
    let sorted = |mut v: Vec<String>| {
        v.sort();
        v
    };
    let (driving, driven) = parts("rolling-disk-centre");
    assert_eq!(driving.len(), 4, "θ and three velocities: {driving:?}");
    assert_eq!(sorted(driven), ["phi", "psi", "x", "y"]);
    let (driving, driven) = parts("suslov");
    assert_eq!(driving, ["Omega[1]", "Omega[2]"]);
    assert_eq!(driven.len(), 4, "the rotation is an equation on the group: {driven:?}");
    let (driving, driven) = parts("homogeneous-ball");
    assert_eq!((driving.len(), driven.len()), (3, 6), "the velocities drive the rotation and the place");
}

/// The invariant frames of these two fail near the motion: 259 steps in place of 93, and 285 in place of 113. The choice is by what the first steps cost.
#[test]
fn a_frame_that_needs_many_steps_is_not_taken() {
    for name in ["routh-ball", "spherical-pendulum"] {
        let text = builtin::find(name).unwrap().text;
        let steps = |reduced: bool| {
            let run = Run::until(10.0).at([10.0]).method(Method::Taylor);
            compiled(text, reduced).solve(&run).unwrap().report.statistics.steps
        };
        let (full, reduced) = (steps(false), steps(true));
        assert!(reduced <= full, "{name}: {reduced} steps, {full} in the full equations");
    }
}

/// In double-doubles too: 25 digits after ten seconds.
#[test]
fn thirty_digits() {
    let text = builtin::find("rolling-disk-centre").unwrap().text;
    let run = Run::until(10.0).at([10.0]).precision(Precision::DoubleDouble);
    let (a, b) = (compiled(text, false).solve(&run).unwrap(), compiled(text, true).solve(&run).unwrap());
    let (full, reduced) = (a.compiled(), b.compiled());
    for (variable, other) in full.variables.iter().zip(&reduced.variables) {
        let pairs = a.samples[0].digits(variable).iter().zip(b.samples[0].digits(other));
        for (p, q) in pairs {
            let off = (*p - *q).to_f64().abs();
            assert!(off < 1e-25 * p.to_f64().abs().max(1.0), "{}: {p:?} {q:?}", variable.name);
        }
    }
}

/// A model that states no symmetry is reduced by what is found.
#[test]
fn symmetries_are_found_for_a_run() {
    let (driving, driven) = parts("disc-in-plane");
    assert!(driven.contains(&"x".to_string()) && !driving.contains(&"x".to_string()), "{driving:?}");
    assert!(difference("disc-in-plane", 5.0) < 1e-11);
    // a body in contact: translations and turns of the plane
    assert!(difference("euler-disk", 2.0) < 1e-11);
}
