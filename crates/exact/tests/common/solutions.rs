//! What tests of classical solutions share.

use polhode_exact::particular::{RigidState, Solution, recognise};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, Precision, Run};
use polhode_tape::{Dd, Scalar};

pub(crate) fn system(text: &str) -> System {
    let (model, _) = Model::parse("model.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    System::new(&model).unwrap_or_else(|e| panic!("{e}")).0
}

pub(crate) fn solved(text: &str) -> (System, Solution) {
    let mut system = system(text);
    let solution = recognise(&mut system).unwrap().expect("a classical solution");
    (system, solution)
}

pub(crate) fn near(what: &str, a: Dd, b: Dd, tolerance: f64) {
    assert!((a - b).to_f64().abs() <= tolerance, "{what}: {a} for {b}, {:e}", (a - b).to_f64());
}

/// A state against what a run in double-doubles has at t.
pub(crate) fn agrees_with_run(system: &mut System, state: &RigidState, t: f64, tolerance: f64) {
    let run = system.compile().unwrap().solve(&Run::until(t).precision(Precision::DoubleDouble)).unwrap();
    let sample = run.at(t).unwrap();
    let get = |name: String| sample.get_digits(&name).unwrap_or_else(|| panic!("{name}"));
    for i in 0..3 {
        near("Omega", state.omega[i], get(format!("Omega[{}]", i + 1)), tolerance);
        for j in 0..3 {
            near("R", state.rotation[i][j], get(format!("R[{},{}]", i + 1, j + 1)), tolerance);
        }
    }
}
