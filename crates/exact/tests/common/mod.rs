//! What tests of steady motions share; `solutions`: what tests of classical solutions share.

pub(crate) mod solutions;

use polhode_exact::steady::{Problem, Wish};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_tape::{Dd, Scalar};

/// The problem of a model with other parameters.
pub(crate) fn problem(text: &str, parameters: &[(String, String)], wish: &Wish) -> Problem {
    let options = ParseOptions { parameters: parameters.to_vec(), ..ParseOptions::default() };
    let (model, _) = Model::parse("model.toml", text, &options).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    Problem::new(&mut system, wish).unwrap_or_else(|e| panic!("{e}"))
}

/// |a − b| ≤ tolerance (1 + |b|).
pub(crate) fn close(what: &str, a: Dd, b: Dd, tolerance: f64) {
    let error = (a - b).to_f64().abs() / (1.0 + b.to_f64().abs());
    assert!(error <= tolerance, "{what}: {a} for {b}, error {error:e}");
}
