//! Models for the tests of runs.

use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, CompileError, CompileOptions, Compiled, Group, Sample, Trajectory};
use std::path::Path;
use std::sync::Arc;

/// The system of a model text.
pub(crate) fn system(text: &str) -> System {
    let (model, _) = Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    System::new(&model).unwrap_or_else(|e| panic!("{e}")).0
}

/// A file of the repository.
pub(crate) fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Compiles a model text.
pub(crate) fn try_compile(text: &str, options: &CompileOptions) -> Result<Arc<Compiled>, CompileError> {
    system(text).compile_with(options)
}

/// Compiles a model text that can be compiled.
pub(crate) fn compile(text: &str, options: &CompileOptions) -> Arc<Compiled> {
    try_compile(text, options).unwrap_or_else(|e| panic!("{e}"))
}

/// The largest difference between the positions and velocities in which two motions end, relative to
/// max(1, size).
pub(crate) fn apart(a: &Trajectory, b: &Trajectory) -> f64 {
    distance(a.compiled(), &a.last, &b.last)
}

/// The same for two states of one system.
pub(crate) fn distance(compiled: &Compiled, a: &Sample, b: &Sample) -> f64 {
    let variables = compiled.variables.iter().filter(|v| matches!(v.group, Group::Position | Group::Velocity));
    let pairs = variables.flat_map(|v| a.numbers(v).iter().zip(b.numbers(v)));
    pairs.fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs() / y.abs().max(1.0)))
}
