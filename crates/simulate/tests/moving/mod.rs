//! Motions of models that are given as text, for tests against closed forms.

use crate::prelude::*;
use polhode_simulate::CompileError;
use std::sync::Arc;

/// A homogeneous ball of radius 0.1, without ground and start.
pub(crate) const BALL: &str = r#"
[gravity]
g = 9.81
[body.ball]
mass    = 1
inertia = "solid"
surface = { sphere = 0.1 }
"#;

/// The text of a built-in model.
pub(crate) fn builtin(name: &str) -> &'static str {
    builtin::find(name).unwrap_or_else(|| panic!("no model {name}")).text
}

/// Compiles a model in a form of choice, with other parameters (`set`) and initial values (`init`).
pub(crate) fn try_compile(text: &str, form: Option<Form>, flags: Flags<'_>) -> Result<Arc<Compiled>, CompileError> {
    let pairs = |list: &[(&str, &str)]| list.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    let options = ParseOptions { parameters: pairs(flags.set), initial: pairs(flags.init), ..ParseOptions::default() };
    let (model, _) = Model::parse("test.toml", text, &options).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    system.compile_with(&CompileOptions { form, ..CompileOptions::default() })
}

/// What a command line would add to the file.
#[derive(Clone, Copy, Default)]
pub(crate) struct Flags<'a> {
    pub(crate) set: &'a [(&'a str, &'a str)],
    pub(crate) init: &'a [(&'a str, &'a str)],
}

/// The motion to a time, in the form that a run takes by itself.
pub(crate) fn motion(text: &str, until: f64) -> Trajectory {
    changed(text, until, Flags::default())
}

/// The same with flags.
pub(crate) fn changed(text: &str, until: f64, flags: Flags<'_>) -> Trajectory {
    let compiled = try_compile(text, None, flags).unwrap_or_else(|e| panic!("{e}"));
    reaching(&compiled, &Run::until(until))
}

fn reaching(compiled: &Arc<Compiled>, run: &Run) -> Trajectory {
    let motion = compiled.solve(run).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(motion.report.stop, StopReason::End, "{} at {}", motion.report.stop, motion.report.t);
    motion
}

/// The motion in every form that applies, of which there are four: all but Chaplygin's.
pub(crate) fn in_every_form(text: &str, until: f64, check: impl Fn(&Trajectory)) {
    in_forms(&[Form::Multipliers, Form::Voronets, Form::Hamel, Form::Hamilton], text, until, check);
    let chaplygin = try_compile(text, Some(Form::Chaplygin), Flags::default());
    assert!(matches!(chaplygin, Err(CompileError::NotApplicable(..))), "Chaplygin's form applies");
}

/// The motion in these forms.
pub(crate) fn in_forms(forms: &[Form], text: &str, until: f64, check: impl Fn(&Trajectory)) {
    for form in forms {
        let compiled = try_compile(text, Some(*form), Flags::default());
        let compiled = compiled.unwrap_or_else(|e| panic!("{}: {e}", form.name()));
        check(&reaching(&compiled, &Run::until(until)));
    }
}

/// The three components of a vector.
pub(crate) fn vector(sample: &Sample, name: &str) -> [f64; 3] {
    [1, 2, 3].map(|i| sample[format!("{name}[{i}]").as_str()])
}

/// Asserts that a number is what it should be, absolutely or relative to a large one.
pub(crate) fn near(found: f64, expected: f64, bound: f64, what: &str) {
    let off = (found - expected).abs() / expected.abs().max(1.0);
    assert!(off <= bound, "{what}: {found} instead of {expected}, off by {off:.1e}");
}

/// The same for vectors, relative to the size of a large one.
pub(crate) fn near_all(found: [f64; 3], expected: [f64; 3], bound: f64, what: &str) {
    let size = expected.iter().map(|x| x * x).sum::<f64>().sqrt().max(1.0);
    for i in 0..3 {
        let off = (found[i] - expected[i]).abs() / size;
        assert!(off <= bound, "{what}: {found:?} instead of {expected:?}, off by {off:.1e}");
    }
}

/// R Ω of the only body.
pub(crate) fn world_spin(s: &Sample) -> [f64; 3] {
    let entry = |i: usize, j: usize| s[format!("R[{i},{j}]").as_str()] * s[format!("Omega[{j}]").as_str()];
    [1, 2, 3].map(|i| (1..=3).map(|j| entry(i, j)).sum())
}

/// Asserts that quantities keep the values that they have at the start.
pub(crate) fn constant(motion: &Trajectory, names: &[&str], bound: f64) {
    let samples = motion.sampled(41);
    for name in names {
        for s in &samples {
            near(s[*name], samples[0][*name], bound, &format!("{name} at {}", s.t()));
        }
    }
}

/// The times of an event.
pub(crate) fn times(motion: &Trajectory, name: &str) -> Vec<f64> {
    motion.report.events.iter().filter(|e| e.name == name).map(|e| e.sample.t()).collect()
}
