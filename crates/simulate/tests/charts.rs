//! Motions in independent velocities go through places where their choice fails, by changing it; where
//! nothing can be chosen they say so.

use crate::prelude::*;
use polhode_model::syntax::{Value, parse_document};
use polhode_simulate::Group;
use polhode_tape::Scalar;
use std::path::Path;
use std::sync::Arc;

/// A built-in model, or one of `filetests/reference-systems`.
fn text(name: &str) -> String {
    let file = || {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/reference-systems");
        std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a model")
    };
    builtin::find(name).map_or_else(file, |b| b.text.to_string())
}

fn compile(text: &str, form: Form) -> Arc<Compiled> {
    let (model, _) = Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions { form: Some(form), ..CompileOptions::default() };
    system.compile_with(&options).unwrap_or_else(|e| panic!("{e}"))
}

fn solve(compiled: &Arc<Compiled>, run: &Run) -> Trajectory {
    let motion = compiled.solve(run).expect("the run is sound");
    assert_eq!(motion.report.stop, StopReason::End, "{} at {}", compiled.model, motion.report.t);
    motion
}

/// The largest difference of positions and velocities, relative to max(1, size).
fn difference(compiled: &Compiled, a: &Sample, b: &Sample) -> f64 {
    let variables = compiled.variables.iter().filter(|v| matches!(v.group, Group::Position | Group::Velocity));
    let pairs = variables.flat_map(|v| a.digits(v).iter().zip(b.digits(v)));
    pairs.fold(0.0, |m, (x, y)| f64::max(m, (*x - *y).abs().to_f64() / y.abs().to_f64().max(1.0)))
}

/// A knife edge on an incline that starts from rest with spin 1 has x = c sin² t, y = c (t − sin t cos t)
/// with c = g sin α/2 [NeimarkFufaev1972]. The heading is t: x' fails at π/2, 3π/2, 5π/2, y' at π, 2π.
#[test]
fn a_knife_edge_turns_through_all_headings() {
    let compiled = compile(&text("knife-edge"), Form::Voronets);
    assert_eq!(compiled.charts(), 2);
    let c = 9.81 * 0.5 / 2.0;
    for method in [Method::Taylor, Method::Dop853, Method::Gauss(4)] {
        let run = Run::until(9.0).method(method);
        let run = if method.is_fixed_step() { run.step(0.02) } else { run };
        let motion = solve(&compiled, &run);
        assert_eq!(motion.report.chart_changes, 5, "{}", method.title());
        // dense, through all changes
        for sample in motion.sampled(91) {
            let (sin, cos) = sample.t().sin_cos();
            let expected = [("x", c * sin * sin), ("y", c * (sample.t() - sin * cos)), ("x'", 2.0 * c * sin * cos)];
            for (name, x) in expected {
                let off = (sample[name] - x).abs();
                assert!(off < 2e-11, "{}: {name} at {} is off by {off:e}", method.title(), sample.t());
            }
        }
    }
}

#[test]
fn motions_pass_singular_places() {
    // the form, and how long
    let systems = [
        ("hydrodynamic-sleigh", Form::Voronets, 5.0),
        ("hydrodynamic-sleigh", Form::Chaplygin, 5.0),
        ("snakeboard-full", Form::Voronets, 5.0),
        ("rotating-wire", Form::Voronets, 5.0),
        ("chaplygin-sleigh", Form::Chaplygin, 5.0),
        ("spherical-pendulum", Form::Voronets, 5.0),
        ("veselova", Form::Voronets, 10.0),
    ];
    for (name, form, until) in systems {
        let (compiled, other) = (compile(&text(name), form), compile(&text(name), Form::Multipliers));
        let exact = solve(&other, &Run::until(until).sparse()).last;
        for method in [Method::Taylor, Method::Dop853, Method::Gauss(5)] {
            let run = Run::until(until).method(method).sparse();
            let run = if method.is_fixed_step() { run.step(0.02) } else { run };
            let motion = solve(&compiled, &run);
            let off = difference(&compiled, &motion.last, &exact);
            assert!(off < 1e-11, "{name} {} {}: off by {off:e}", form.name(), method.title());
            assert!(motion.report.chart_changes > 0, "{name} {} {}", form.name(), method.title());
            // what moves it does the work, whatever the chart
            let balance = motion.report.energy_error;
            assert!(balance < 1e-11, "{name} {} {}: {balance:e}", form.name(), method.title());
        }
        let run = Run::until(1.0).precision(Precision::DoubleDouble).sparse();
        let off = difference(&compiled, &solve(&compiled, &run).last, &solve(&other, &run).last);
        assert!(off < 1e-27, "{name} {}: off by {off:e} in double-doubles", form.name());
    }
}

#[test]
fn one_chart_where_one_serves() {
    for (name, form) in
        [("rolling-disk", Form::Voronets), ("chaplygin-ball", Form::Chaplygin), ("knife-edge", Form::Hamel)]
    {
        let compiled = compile(&text(name), form);
        assert_eq!(compiled.charts(), 1, "{name}");
        assert_eq!(solve(&compiled, &Run::until(1.0).sparse()).report.chart_changes, 0, "{name}");
    }
}

/// Every event once, at the same time and in the same way as where no chart changes.
#[test]
fn events_do_not_notice_charts() {
    // many crossings, some on both sides of each change; x' = 0 is where x' stops being a good unknown
    let events = "\n[[event]]\nname = \"heading\"\nwhen = \"sin(12*theta + 0.3)\"\n\
                  [[event]]\nname = \"turns back\"\nwhen = \"x'\"\n\
                  [[event]]\nname = \"up\"\nwhen = \"y' > 0.5\"\n";
    let text = text("knife-edge") + events;
    let list = |form, method| {
        let motion = solve(&compile(&text, form), &Run::until(9.0).method(method).sparse());
        (motion.report.events, motion.report.chart_changes)
    };
    let (expected, changes) = list(Form::Multipliers, Method::Taylor);
    assert!(expected.len() > 40 && changes == 0, "{} events", expected.len());
    for method in [Method::Taylor, Method::Dop853] {
        let (found, changes) = list(Form::Voronets, method);
        assert!(changes > 4);
        assert_eq!(found.len(), expected.len(), "{}", method.title());
        for (a, b) in found.iter().zip(&expected) {
            assert_eq!((&a.name, a.crossing), (&b.name, b.crossing), "at {} and {}", a.sample.t(), b.sample.t());
            // where a chart fails, x' is 0/0: its zero is known to the root of the rounding, unless the chart changed before
            assert!((a.sample.t() - b.sample.t()).abs() < 3e-8, "{} at {} and {}", a.name, a.sample.t(), b.sample.t());
        }
    }
    // a terminal event after a change
    let text = text.replace("when = \"y' > 0.5\"", "when = \"theta > 5\"\naction = \"stop\"");
    let motion = compile(&text, Form::Voronets).solve(&Run::until(9.0).method(Method::Dop853)).expect("sound");
    assert_eq!(motion.report.stop, StopReason::Event("up".into()));
    assert!((motion.report.t - 5.0).abs() < 1e-12 && motion.report.chart_changes > 1);
}

/// Steps are those of all charts together.
#[test]
fn effort_is_added_up() {
    let compiled = compile(&text("knife-edge"), Form::Voronets);
    let mut seen = 0;
    let motion = compiled.solve_with(&Run::until(9.0).method(Method::Dop853).sparse(), &mut |_| {
        seen += 1;
        true
    });
    assert_eq!(motion.expect("sound").report.statistics.steps, seen);
}

#[test]
fn a_motion_may_begin_at_a_singular_place() {
    let text =
        text("chaplygin-sleigh").replace("theta = 0 }", "theta = \"pi/2\" }").replace("{ x = 1.0,", "{ y = 1.0,");
    let (voronets, other) = (compile(&text, Form::Voronets), compile(&text, Form::Multipliers));
    let run = Run::until(2.0).method(Method::Dop853).sparse();
    let off = difference(&voronets, &solve(&voronets, &run).last, &solve(&other, &run).last);
    assert!(off < 1e-12, "{off:e}");
}

/// A wish for independent velocities is where a motion begins, not where it ends.
#[test]
fn wishes_are_starting_points() {
    let wish = "independent = [\"y'\", \"theta'\"]\n";
    let text = format!("{wish}{}", text("knife-edge"))
        .replace("theta' = 1.0", "position = { theta = 0.5 }\nvelocity = { theta = 1.0 }");
    let (voronets, other) = (compile(&text, Form::Voronets), compile(&text, Form::Multipliers));
    assert!(voronets.program.state.contains(&"y'".to_string()) && !voronets.program.state.contains(&"x'".to_string()));
    let run = Run::until(4.0).sparse();
    let motion = solve(&voronets, &run);
    assert!(motion.report.chart_changes > 0);
    let off = difference(&voronets, &motion.last, &solve(&other, &run).last);
    assert!(off < 1e-12, "{off:e}");
}

/// Quasi-velocities that fail at a heading: Hamel's and Hamilton's forms have nothing to change to.
#[test]
fn singular_quasi_velocities_end_a_motion() {
    let text = text("knife-edge").replace("u = \"x'*cos(theta) + y'*sin(theta)\"", "u = \"x'\"");
    for form in [Form::Hamel, Form::Hamilton] {
        let compiled = compile(&text, form);
        let motion = compiled.solve(&Run::until(9.0).method(Method::Dop853)).expect("sound");
        let stop = &motion.report.stop;
        assert_eq!((stop, stop.name()), (&StopReason::SingularFrame { form }, "singular-frame"));
        assert!(stop.to_string().contains("--form multipliers"), "{stop}");
        // half of the digits are still there where it stops
        assert!((motion.report.t - std::f64::consts::FRAC_PI_2).abs() < 1e-3, "{}", motion.report.t);
        let c = 9.81 * 0.5 / 2.0;
        assert!((motion.last["x"] - c * motion.report.t.sin().powi(2)).abs() < 1e-6);
    }
}

/// The trucks of a snakeboard are no cyclic coordinates: Chaplygin's form has one chart, and stops where the
/// wheels are parallel.
#[test]
fn chaplygins_form_has_only_charts_of_its_own() {
    let initial = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../filetests/trajectories/{name}.toml"));
        let text = std::fs::read_to_string(path).expect("a trajectory");
        let document = parse_document(&SourceFile::new("t", &text));
        let list = document.root.get("init").and_then(Value::as_array).unwrap_or_default().to_vec();
        let pair = |v: &Value| v.as_str().and_then(|s| s.split_once('=')).map(|(a, b)| (a.to_string(), b.to_string()));
        list.iter().filter_map(pair).collect::<Vec<_>>()
    };
    let options = ParseOptions { initial: initial("snakeboard-full"), ..ParseOptions::default() };
    let (model, _) = Model::parse("test.toml", &text("snakeboard-full"), &options).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions { form: Some(Form::Chaplygin), ..CompileOptions::default() };
    let compiled = system.compile_with(&options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(compiled.charts(), 1);
    let motion = compiled.solve(&Run::until(5.0).method(Method::Dop853).sparse()).expect("sound");
    assert_eq!(motion.report.stop, StopReason::SingularFrame { form: Form::Chaplygin });
}

/// Positions are moved back to the constraints in every chart.
#[test]
fn projection_works_in_all_charts() {
    let compiled = compile(&text("spherical-pendulum"), Form::Voronets);
    let run = Run::until(10.0).method(Method::Dop853).rtol(1e-7).sparse();
    let (free, held) = (solve(&compiled, &run), solve(&compiled, &run.clone().project()));
    assert!(held.report.chart_changes > 0);
    let (drift, rest) = (free.report.constraint_residual, held.report.constraint_residual);
    assert!(drift > 1e-9 && rest < 1e-14, "{drift:e} {rest:e}");
}
