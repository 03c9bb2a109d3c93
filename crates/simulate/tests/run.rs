//! What a run promises: directions of time, what is kept of it, constraints, energy, digits.

use crate::common;

use common::{compile, distance, file};
use polhode_mechanics::{Form, System};
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, CompileOptions, Compiled, Group, Method, Precision, Run, StopReason, Trajectory};
use polhode_tape::{Dd, Scalar};
use std::sync::Arc;

fn model(name: &str) -> String {
    file(&format!("models/{name}.toml"))
}

fn reference(name: &str) -> String {
    file(&format!("filetests/reference-systems/{name}.toml"))
}

fn in_form(text: &str, form: Form) -> Arc<Compiled> {
    compile(text, &CompileOptions { form: Some(form), ..CompileOptions::default() })
}

fn solve(compiled: &Arc<Compiled>, run: &Run) -> Trajectory {
    compiled.solve(run).expect("the run is sound")
}

/// From where a motion ended back in time to where it began.
#[test]
fn backwards_returns_to_the_start() {
    let text = model("rolling-disk");
    let there = solve(&compile(&text, &CompileOptions::default()), &Run::until(3.0));
    let names = there.compiled().variables.iter().filter(|v| matches!(v.group, Group::Position | Group::Velocity));
    // x' and y' follow from the others
    let names = names.filter(|v| !["x'", "y'"].contains(&v.name.as_str()));
    let initial = names.map(|v| (v.name.clone(), format!("{:e}", there.last[&v.name]))).collect();
    let (parsed, _) = Model::parse("test.toml", &text, &ParseOptions { initial, ..ParseOptions::default() })
        .unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&parsed).unwrap_or_else(|e| panic!("{e}"));
    let compiled = system.compile().unwrap_or_else(|e| panic!("{e}"));
    for method in [Method::Taylor, Method::Dop853] {
        let back = solve(&compiled, &Run::until(-3.0).method(method).samples(4));
        assert_eq!((back.report.t, back.samples.len()), (-3.0, 4));
        assert!(back.samples.windows(2).all(|s| s[0].t() > s[1].t()));
        let start = there.at(0.0).expect("the start");
        let off = distance(&compiled, &back.last, &start);
        assert!(off < 1e-11, "{}: {off:e}", method.title());
        // and in between, by the dense motions of both
        let off = distance(&compiled, &back.at(-1.7).expect("within"), &there.at(1.3).expect("within"));
        assert!(off < 1e-10, "{}: {off:e}", method.title());
    }
}

/// Ranges, energy and residuals are found over the ends of all steps, of which the trail keeps up to a thousand: here
/// every one. States that are looked at together give what each gives by itself, also where the chart changes.
#[test]
fn reports_speak_of_the_ends_of_all_steps() {
    for (compiled, method, end, changes) in [
        (compile(&model("rattleback"), &CompileOptions::default()), Method::Dop853, 0.5, false),
        (in_form(&model("knife-edge"), Form::Voronets), Method::Taylor, 9.0, true),
    ] {
        let motion = solve(&compiled, &Run::until(end).method(method).sparse());
        let report = &motion.report;
        let trail = motion.trail();
        assert_eq!(trail.len() as u64, report.statistics.steps);
        assert_eq!(report.chart_changes > 0, changes);
        let start = solve(&compiled, &Run::until(end).at([0.0])).samples[0].clone();
        for (i, span) in report.ranges.iter().enumerate() {
            let all = || trail.iter().chain([&start]).map(|s| s.number(i));
            let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max));
            assert_eq!((span.low, span.high), (low, high), "number {i}");
            let at = |t: f64| trail.iter().chain([&start]).find(|s| s.t() == t).expect("a step ends there");
            assert_eq!((at(span.low_at).number(i), at(span.high_at).number(i)), (low, high));
        }
    }
}

#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let compiled = compile(&model("rolling-disk"), &CompileOptions::default());
    let motion = compiled.solve_with(&Run::until(10.0).samples(1001), &mut |t| t < 4.0).expect("the run is sound");
    assert_eq!(motion.report.stop, StopReason::Interrupted);
    let end = motion.report.t;
    assert!((4.0..5.0).contains(&end));
    assert_eq!(motion.samples.len(), 1 + (end * 100.0) as usize);
    assert!(motion.samples.iter().all(|s| s.t() <= end) && motion.last.t() == end);
    assert!(motion.at(end).is_some() && motion.at(end + 1e-9).is_none());
}

#[test]
fn sparse_runs_have_the_same_samples() {
    let compiled = compile(&model("chaplygin-ball"), &CompileOptions::default());
    for method in [Method::Taylor, Method::Dop853] {
        let run = Run::until(2.0).at([0.3, 1.7]).samples(5).method(method);
        let (dense, sparse) = (solve(&compiled, &run), solve(&compiled, &run.clone().sparse()));
        assert_eq!(dense.samples.iter().map(|s| s.t()).collect::<Vec<_>>(), [0.0, 0.3, 0.5, 1.0, 1.5, 1.7, 2.0]);
        for (a, b) in dense.samples.iter().zip(&sparse.samples) {
            assert_eq!((a.t(), distance(&compiled, a, b)), (b.t(), 0.0));
        }
        assert!(sparse.at(1.0).is_none());
        // the dense motion goes through the samples
        let off = dense.samples.iter().map(|s| distance(&compiled, s, &dense.at(s.t()).expect("within")));
        let off = off.fold(0.0, f64::max);
        assert!(off < 1e-10, "{}: {off:e}", method.title());
    }
}

#[test]
fn projection_keeps_constraints() {
    for (name, form) in [
        ("rolling-disk", Form::Multipliers),
        ("spherical-pendulum", Form::Multipliers),
        ("spherical-pendulum", Form::Voronets),
    ] {
        let compiled = in_form(&model(name), form);
        let run = Run::until(10.0).method(Method::Dop853).rtol(1e-8).sparse();
        let (free, held) = (solve(&compiled, &run).report, solve(&compiled, &run.clone().project()).report);
        let what = format!("{name} {}: {:e} and {:e}", form.name(), free.constraint_residual, held.constraint_residual);
        assert!(free.constraint_residual > 1e-11 && held.constraint_residual < 1e-14, "{what}");
        assert!(free.worst_constraint.is_some(), "{what}");
    }
}

#[test]
fn energy_changes_by_the_work_done() {
    let shaken = "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nL = \"(x'^2 + y'^2)/2 - x*sin(3*t)\"\n\
                  [constraints]\nc = \"y' = x*x'\"\n[initial]\nx' = 1\n";
    let systems = [
        (reference("disk-viscous"), "forces"),
        (reference("snakeboard-full"), "forces"),
        (shaken.into(), "time"),
        (reference("ball-turntable-ft"), "constraints"),
        (reference("particle-affine-rheonomic"), "constraints"),
        (reference("rotating-wire"), "constraints"),
    ];
    for (text, power) in systems {
        for form in [Form::Multipliers, Form::Hamel] {
            let report = solve(&in_form(&text, form), &Run::until(3.0).sparse()).report;
            let what = format!("{text}\n{}: {:?}", form.name(), report.work);
            assert!(report.work.iter().any(|(n, w)| *n == power && w.abs() > 1e-3), "{what}");
            let work: f64 = report.work.iter().map(|(_, w)| w).sum();
            assert!((report.energy_change - work).abs() < 2e-13 && report.energy_error < 2e-13, "{what}");
        }
    }
}

#[test]
fn samples_end_with_a_terminal_event() {
    let text = model("vertical-penny") + "\n[[event]]\nname = \"far\"\nwhen = \"t > 1.234\"\naction = \"stop\"\n";
    for method in [Method::Taylor, Method::Dop853] {
        let motion = solve(&compile(&text, &CompileOptions::default()), &Run::until(2.0).samples(21).method(method));
        assert_eq!(motion.report.stop, StopReason::Event("far".into()));
        assert!((motion.report.t - 1.234).abs() < 1e-14);
        let times: Vec<f64> = motion.samples.iter().map(|s| (s.t() * 10.0).round()).collect();
        assert_eq!(times, (0..=12).map(f64::from).collect::<Vec<_>>());
        assert_eq!((motion.report.events.len(), motion.last.t()), (1, motion.report.t));
        assert_eq!(motion.report.events[0].sample.t(), motion.report.t);
    }
}

/// x'' = −x has x(1) = cos 1; digits of cos 1 from any table.
#[test]
fn thirty_digits() {
    let text =
        "[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[initial]\nx = 1\n";
    let motion = solve(&compile(text, &CompileOptions::default()), &Run::until(1.0).precision(Precision::DoubleDouble));
    let cos: Dd = "0.540302305868139717400936607442976603732".parse().expect("digits");
    let off = (motion.last.get_digits("x").expect("x") - cos).abs().to_f64();
    assert!(off < 1e-30, "{off:e}");
    let off = (motion.at(1.0).and_then(|s| s.get_digits("x")).expect("x") - cos).abs().to_f64();
    assert!(off < 1e-30, "{off:e}");
}

/// Factors say the names of what they have, and a name that contains another one is not taken apart.
#[test]
fn a_rotation_called_omegas_keeps_its_names() {
    let text = "[coordinates]\nOmegas = 'SO(3)'\nR = 'SO(3)'\n[lagrangian]\n\
        kinetic = 'norm2(Omegas.Omega)/2 + R.Omega[1]^2 + norm2(R.Omega)/2'\n\
        [observables]\nturning = 'Omegas.omega'\n\
        [initial.position]\nOmegas = 'Rz(0.3)*Rx(1.1)'\n[initial.velocity]\n'Omegas.Omega' = [1, 2, 3]\n'R.Omega' = [1, 2, 3]\n";
    let compiled = compile(text, &CompileOptions::default());
    let names: Vec<&str> = compiled.variables.iter().map(|v| v.name.as_str()).collect();
    let own = ["Omegas", "Omegas.Omega", "Omegas.omega", "R", "R.Omega", "R.omega"];
    assert_eq!(names[..6], own);
    let world: Vec<&String> = compiled.program.report.outputs.iter().map(|o| &o.name).collect();
    assert!(world.iter().any(|n| **n == "Omegas.omega[1]") && !world.iter().any(|n| n.contains("omegas")));
    let end = solve(&compiled, &Run::until(1.0)).last;
    for k in 1..=3 {
        let (shown, asked) = (end[&*format!("Omegas.omega[{k}]")], end[&*format!("turning[{k}]")]);
        assert!((shown - asked).abs() < 1e-14, "{shown} is not {asked}");
    }
}
