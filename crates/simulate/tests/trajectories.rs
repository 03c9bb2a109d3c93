//! The motions of `filetests/trajectories`, reproduced from their model files: every form, every
//! adaptive integrator, doubles and 30 digits; states, energies, contact forces, multipliers.

use crate::prelude::*;
use polhode_model::syntax::{Table, Value, parse_document};
use polhode_tape::{Dd, Scalar};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/trajectories")
}

/// A file of the folder.
struct Reference {
    name: String,
    root: Table,
}

impl Reference {
    /// All files, without those for long times.
    fn all() -> Vec<Reference> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder()).expect("the folder").map(|e| e.expect("entry").path()).collect();
        paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
        paths.sort();
        let read = |path: &PathBuf| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(path).expect("readable");
            let document = parse_document(&SourceFile::new(name.as_str(), &text));
            assert!(!document.diagnostics.has_errors(), "{name}");
            Reference { name, root: document.root }
        };
        paths.iter().map(read).filter(|r| !r.name.starts_with("disk-long")).collect()
    }

    fn strings(&self, key: &str) -> Vec<(String, String)> {
        let list = self.root.get(key).and_then(Value::as_array).unwrap_or_default();
        let pair = |v: &Value| {
            let (name, value) = v.as_str().and_then(|s| s.split_once('=')).expect("NAME=EXPR");
            (name.to_string(), value.to_string())
        };
        list.iter().map(pair).collect()
    }

    fn model(&self) -> Model {
        let named = self.root.get("model").and_then(Value::as_str).expect("a model");
        let text = match builtin::find(named) {
            Some(b) => b.text.to_string(),
            None => std::fs::read_to_string(folder().join(named)).expect("the model"),
        };
        let options =
            ParseOptions { parameters: self.strings("set"), initial: self.strings("init"), ..ParseOptions::default() };
        Model::parse(named, &text, &options).unwrap_or_else(|e| panic!("{}: {e}", self.name)).0
    }

    fn formulas(&self) -> Vec<(String, String)> {
        let table = self.root.get("formulas").and_then(Value::as_table);
        let pair = |(k, v): (&polhode_model::syntax::Key, &Value)| {
            (k.name.clone(), v.as_str().expect("a formula").to_string())
        };
        table.into_iter().flat_map(Table::iter).map(pair).collect()
    }

    fn compile(&self, form: Form) -> Option<Arc<Compiled>> {
        let model = self.model();
        // a frame invariant under symmetries that were found may fail on the way
        if form == Form::Ldap && model.symmetries.is_empty() {
            return None;
        }
        let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let options = CompileOptions { form: Some(form), observables: self.formulas(), ..CompileOptions::default() };
        system.compile_with(&options).ok()
    }

    fn tables(&self, key: &str) -> Vec<&Table> {
        let list = self.root.get(key).and_then(Value::as_array).unwrap_or_default();
        list.iter().map(|v| v.as_table().expect("a table")).collect()
    }

    fn times(&self) -> Vec<Dd> {
        self.tables("at").iter().map(|at| decimal(at.get("t").and_then(Value::as_str).expect("a time"))).collect()
    }
}

fn decimal(text: &str) -> Dd {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

fn entries(table: &Table, key: &str) -> Vec<(String, Dd)> {
    let inner = table.get(key).and_then(Value::as_table);
    let entry = |(k, v): (&polhode_model::syntax::Key, &Value)| (k.name.clone(), decimal(v.as_str().expect("digits")));
    inner.into_iter().flat_map(Table::iter).map(entry).collect()
}

/// |a − b| relative to max(1, |b|).
fn difference(a: Dd, b: Dd) -> f64 {
    (a - b).abs().to_f64() / b.abs().to_f64().max(1.0)
}

/// The largest difference between a motion and its reference, and where.
fn compare(reference: &Reference, motion: &Trajectory) -> (f64, String) {
    let mut worst = (0.0, String::from("nothing"));
    let mut look = |found: Option<Dd>, expected: Dd, what: String| {
        let found = found.unwrap_or_else(|| panic!("{}: {what} is missing", reference.name));
        let d = difference(found, expected);
        if d.is_nan() || d > worst.0 {
            worst = (d, what);
        }
    };
    let at = reference.tables("at");
    assert_eq!(at.len(), motion.samples.len(), "{}: {}", reference.name, motion.report.stop);
    for (at, sample) in at.iter().zip(&motion.samples) {
        let t = sample.t();
        for (name, expected) in entries(at, "state").into_iter().chain(entries(at, "derived")) {
            look(sample.get_digits(&name), expected, format!("{name} at {t}"));
        }
        for (name, expected) in entries(at, "multipliers") {
            look(sample.reaction_digits(&name), expected, format!("λ of {name} at {t}"));
        }
    }
    worst
}

fn run(reference: &Reference) -> Run {
    let times = reference.times();
    Run::until(*times.last().expect("times")).at(times).sparse()
}

/// Solves and compares; the run must reach its end.
fn check(reference: &Reference, form: Form, compiled: &Arc<Compiled>, run: &Run, bound: f64) {
    let motion = compiled.solve(run).expect("the run is sound");
    let what = format!("{} {} {} {:?}", reference.name, form.name(), run.method.title(), run.rtol);
    if reference.name == "snakeboard-full" && form == Form::Chaplygin && motion.report.stop != StopReason::End {
        // only one choice of dependent coordinates is cyclic, and it fails on the way
        assert_eq!(motion.report.stop, StopReason::SingularFrame { form });
        return;
    }
    assert_eq!(motion.report.stop, StopReason::End, "{what} ends at {}", motion.report.t);
    let (worst, where_) = compare(reference, &motion);
    assert!(worst <= bound, "{what}: {where_} is off by {worst:.1e}");
}

/// Every form that applies, with Taylor and DOP853: ten digits at the default tolerance.
#[test]
fn every_form_gives_ten_digits() {
    for reference in Reference::all() {
        let mut forms = 0;
        for form in Form::ALL {
            let Some(compiled) = reference.compile(form) else { continue };
            forms += 1;
            for method in [Method::Taylor, Method::Dop853] {
                // the rattleback enlarges the rounding of a double by 10⁵
                let bound = if reference.name == "rattleback" { 1e-8 } else { 1e-10 };
                check(&reference, form, &compiled, &run(&reference).method(method), bound);
            }
        }
        assert!(forms >= 2, "{}: {forms} forms", reference.name);
    }
}

/// Twelve digits at the tightest tolerance of doubles, but for three disks and the rattleback, which enlarge the rounding of a double
/// by 10⁴ or more.
#[test]
fn the_tightest_tolerance_gives_twelve_digits() {
    for reference in Reference::all() {
        let bound = match reference.name.as_str() {
            "disk-near-vertical-unstable" => 4e-11,
            "disk-deep-bounce" => 4e-12,
            "disk-fast-spin" => 2e-12,
            "rattleback" => 1e-8,
            _ => 1e-12,
        };
        let Some(compiled) = reference.compile(Form::Hamel) else { continue };
        for method in [Method::Taylor, Method::Dop853] {
            check(&reference, Form::Hamel, &compiled, &run(&reference).method(method).rtol(2.3e-16), bound);
        }
    }
}

/// A tolerance that doubles cannot follow is followed in double-doubles.
#[test]
fn tighter_than_doubles_means_more_digits() {
    for reference in Reference::all().into_iter().filter(|r| r.name.starts_with("disk-near-vertical")) {
        let compiled = reference.compile(Form::Hamel).expect("the form applies");
        check(&reference, Form::Hamel, &compiled, &run(&reference).rtol(1e-16), 1e-12);
    }
}

/// Twenty-five digits in double-doubles; multipliers too.
#[test]
fn double_doubles_give_twenty_five_digits() {
    for reference in Reference::all() {
        for form in [Form::Hamel, Form::Multipliers] {
            let Some(compiled) = reference.compile(form) else { continue };
            check(&reference, form, &compiled, &run(&reference).precision(Precision::DoubleDouble), 1e-25);
        }
    }
}
