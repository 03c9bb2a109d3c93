//! Sweeps: every row is the motion that a run gives, in whichever way it was made; reductions against closed forms.

use crate::prelude::*;
use polhode_base::SourceFile;
use polhode_model::{Method, RunSettings};
use polhode_simulate::Plan;
use polhode_sweep::{Axis, Design, EngineKind, Keep, Points, Row, Spec, Status, Study, StudyError, Way};
use std::sync::atomic::AtomicBool;

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// What the tests wish about motions, and who runs them.
#[derive(Clone, Default)]
struct Wishes {
    until: Option<String>,
    rtol: Option<f64>,
    method: Option<Method>,
    engine: Option<EngineKind>,
}

/// A sweep in the words of the command line.
#[derive(Default)]
struct Asked<'a> {
    set: &'a [(&'a str, &'a str)],
    init: &'a [(&'a str, &'a str)],
    vary: &'a [&'a str],
    points: Points,
    keep: &'a str,
    wishes: Wishes,
}

fn spec(asked: &Asked) -> Spec {
    let pairs = |list: &[(&str, &str)]| list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let axes = asked.vary.iter().map(|text| Axis::read(text, &number).unwrap()).collect();
    Spec {
        model: "test".into(),
        set: pairs(asked.set),
        init: pairs(asked.init),
        design: Design::new(axes, asked.points, 1).unwrap(),
        settings: RunSettings {
            until: asked.wishes.until.clone(),
            rtol: asked.wishes.rtol,
            method: asked.wishes.method,
            ..RunSettings::default()
        },
        engine: asked.wishes.engine,
        keep: Keep::read_list(asked.keep).unwrap(),
    }
}

fn study(text: &str, asked: &Asked) -> Result<Study, StudyError> {
    Study::new(SourceFile::new("test.toml", text), spec(asked))
}

fn rows(study: &Study, threads: usize) -> Vec<Row> {
    let mut all = Vec::new();
    study.run(0..study.spec.design.len(), threads, &AtomicBool::new(false), &mut |first, rows| {
        assert_eq!(first, all.len() as u64);
        all.extend(rows);
        true
    });
    all
}

/// What a run gives for the final values of a sample, by reading and compiling everything anew.
fn by_run(text: &str, parameters: &[(&str, f64)], initial: &[(&str, f64)], until: f64, names: &[&str]) -> Vec<f64> {
    let pairs = |list: &[(&str, f64)]| list.iter().map(|(n, x)| (n.to_string(), format!("{x:e}"))).collect();
    let options = ParseOptions { parameters: pairs(parameters), initial: pairs(initial), ..Default::default() };
    let (model, _) = Model::parse("test.toml", text, &options).unwrap();
    let (mut system, _) = System::new(&model).unwrap();
    let motion = system.compile().unwrap().solve(&Run::until(until)).unwrap();
    names.iter().map(|n| motion.last[*n]).collect()
}

fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
}

const OSCILLATOR: &str = r#"
[parameters]
m = 1
k = "4*m"
[coordinates]
x = "real"
[lagrangian]
kinetic = "m/2*x'^2"
potential = "k/2*x^2"
[initial]
position = { x = 1 }
[[event]]
name = "halfway"
when = "x < 0.5"
"#;

#[test]
fn reductions_of_an_oscillator() {
    let wishes = Wishes { until: Some("20".into()), ..Default::default() };
    let asked = Asked {
        vary: &["k=[1, 4]", "x=[1, -3]", "x'=[0, 2]"],
        keep: "x, x'^2 + x^2, max(x), min(x), range(x'), crossings(x), period(x), reversals(x'), events, drift, steps, lyapunov",
        wishes,
        ..Default::default()
    };
    let study = study(OSCILLATOR, &asked).unwrap();
    assert_eq!(study.way(), Way::Formulas);
    let rows = rows(&study, 2);
    let column = |name: &str| study.columns().iter().position(|c| c == name).unwrap_or_else(|| panic!("{name}"));
    for (i, row) in rows.iter().enumerate() {
        let s = study.spec.design.sample(i as u64);
        let (w, x0, v0) = (s[0].sqrt(), s[1], s[2]);
        let amplitude = x0.hypot(v0 / w);
        let get = |name: &str| row.values[column(name)];
        // x = a cos(w t − p)
        let p = (v0 / w).atan2(x0);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-11, "sample {s:?}: {a} and not {b}");
        close(get("final(x)"), amplitude * (20.0 * w - p).cos());
        let v = -w * amplitude * (20.0 * w - p).sin();
        close(get("final(x'^2 + x^2)"), v * v + get("final(x)").powi(2));
        close(get("max(x)"), amplitude);
        close(get("min(x)"), -amplitude);
        close(get("range(x')"), 2.0 * w * amplitude);
        close(get("period(x)"), std::f64::consts::TAU / w);
        // zeros of cos(w t − p) for 0 < t ≤ 20
        let zeros: Vec<f64> = (-3..40)
            .map(|n| (p + (f64::from(n) + 0.5) * std::f64::consts::PI) / w)
            .filter(|t| *t > 0.0 && *t <= 20.0)
            .collect();
        assert_eq!(get("crossings(x)"), zeros.len() as f64);
        close(get("t_first(x)"), zeros[0]);
        close(get("t_last(x)"), *zeros.last().unwrap());
        // a velocity that is zero at the start has not changed its sign there
        let turns =
            (-3..40).map(|n| (p + f64::from(n) * std::f64::consts::PI) / w).filter(|t| *t > 1e-12 && *t <= 20.0);
        assert_eq!(get("reversals(x')"), turns.count() as f64);
        assert!(get("drift") < 1e-13 && get("steps") > 5.0);
        // the motion is regular: its neighbours do not part
        assert!(get("lyapunov").abs() < 0.2, "{}", get("lyapunov"));
        let falls = zeros_of_half(amplitude, w, p);
        assert_eq!(get("count(halfway)"), falls.len() as f64, "{s:?}");
        if let Some(first) = falls.first() {
            close(get("t_event(halfway)"), *first);
        }
        assert_eq!((row.status, row.t), (Status::END, 20.0));
    }
}

/// When a cos(w t − p) falls through one half, for 0 < t ≤ 20.
fn zeros_of_half(a: f64, w: f64, p: f64) -> Vec<f64> {
    let at = (0.5 / a).acos();
    (-3..40).map(|n| (p + at + f64::from(n) * std::f64::consts::TAU) / w).filter(|t| *t > 1e-12 && *t <= 20.0).collect()
}

/// x'' = k x: neighbours part like e^{√k t}.
#[test]
fn the_exponent_of_a_saddle() {
    let text = OSCILLATOR.replace("k/2*x^2", "-k/2*x^2");
    let asked = Asked { vary: &["k=[0.25, 1, 2]"], keep: "lyapunov", ..Default::default() };
    let study = study(&text, &asked).unwrap();
    for (row, k) in rows(&study, 1).iter().zip([0.25f64, 1.0, 2.0]) {
        assert!((row.values[0] - k.sqrt()).abs() < 1e-2 * k.sqrt(), "{} for k = {k}", row.values[0]);
    }
}

#[test]
fn rows_of_the_disk_are_runs() {
    let disk = builtin::find("rolling-disk").unwrap().text;
    let names = ["theta", "phi", "psi", "x", "y", "theta'", "x'"];
    let wishes = Wishes { until: Some("3".into()), ..Default::default() };
    let asked = Asked {
        vary: &["r=0.5..2:3", "theta=0.3..1.4", "psi'=-3..3"],
        points: Points::Sobol(4),
        keep: &names.join(","),
        wishes,
        ..Default::default()
    };
    let study = study(disk, &asked).unwrap();
    assert_eq!(study.way(), Way::Formulas);
    let rows = rows(&study, 2);
    assert_eq!(rows.len(), 12);
    for (i, row) in rows.iter().enumerate() {
        let s = study.spec.design.sample(i as u64);
        let run = by_run(disk, &[("r", s[0])], &[("theta", s[1]), ("psi'", s[2])], 3.0, &names);
        assert!(near(&row.values, &run, 1e-11), "{s:?}: {:?} and not {run:?}", row.values);
    }
}

/// x = cos 2t pulls at y, which a constraint holds with the force c x.
const TIED: &str = r#"
[parameters]
c = 1
[coordinates]
x = "real"
y = "real"
[lagrangian]
kinetic = "x'^2/2 + y'^2/2"
potential = "2*x^2 + c*x*y"
[constraints]
tie = "y' = 0"
[initial]
position = { x = 1 }
"#;

#[test]
fn reactions_are_kept() {
    for (engine, n) in [(EngineKind::Single, 3), (EngineKind::Batch, 9)] {
        let vary = format!("c=1..3:{n}");
        let wishes = Wishes { until: Some("2".into()), engine: Some(engine), ..Default::default() };
        let keep = "reaction tie, max(reaction tie), min(reaction tie), crossings(reaction tie)";
        let study = study(TIED, &Asked { vary: &[&vary], keep, wishes, ..Default::default() }).unwrap();
        assert_eq!(study.columns()[0], "final(reaction tie)");
        for (i, row) in rows(&study, 1).iter().enumerate() {
            let c = study.spec.design.sample(i as u64)[0];
            let quarter = std::f64::consts::FRAC_PI_4;
            let expected = [c * 4f64.cos(), c, 0.0, -c, 2.0 * quarter, 1.0, quarter, quarter];
            assert!(near(&row.values, &expected, 1e-7), "{engine:?}: {:?} and not {expected:?}", row.values);
        }
    }
    let asked = Asked { vary: &["c=1..3:3"], keep: "max(reaction tye)", ..Default::default() };
    let error = study(TIED, &asked).unwrap_err();
    assert_eq!(
        (error.to_string(), error.help()),
        ("there is no constraint `tye`".into(), Some("did you mean `tie`?".into()))
    );
}

const RATTLEBACK: &str = r#"
[gravity]
g = 9.81
[parameters]
skew = "2e-5"
spin = -5
[body.stone]
mass    = 1.0
surface = { ellipsoid = [0.20, 0.03, 0.02], centre = [0, 0, 0.01] }
inertia = [["2e-4", "skew", 0], ["skew", "16e-4", 0], [0, 0, "17e-4"]]
[ground]
surface = "plane"
[initial.stone]
contact        = { normal = [0.02, 0, -1] }
touching       = [0, 0, 0]
tangent_body   = [1, 0, 0]
tangent_ground = [1, 0, 0]
Omega          = [0, 0, "spin"]
"#;

/// Bodies in contact are read again for every sample, and the equations are those of the first.
#[test]
fn rows_of_the_rattleback_are_runs() {
    let names = ["omega[3]", "x_O[1]", "x_O[2]", "c[1]", "R[1,1]"];
    let wishes = Wishes { until: Some("0.5".into()), ..Default::default() };
    let asked =
        Asked { vary: &["skew=-2e-5..2e-5:2", "spin=[-5, 3]"], keep: &names.join(","), wishes, ..Default::default() };
    let study = study(RATTLEBACK, &asked).unwrap();
    assert_eq!(study.way(), Way::Parsed);
    for (i, row) in rows(&study, 1).iter().enumerate() {
        let s = study.spec.design.sample(i as u64);
        let run = by_run(RATTLEBACK, &[("skew", s[0]), ("spin", s[1])], &[], 0.5, &names);
        assert!(near(&row.values, &run, 1e-10), "{s:?}: {:?} and not {run:?}", row.values);
    }
}

/// A name that the model does not have can stand in formulas; constraints that come and go are compiled one by one.
#[test]
fn names_in_formulas_and_walls() {
    let ball = builtin::find("superball").unwrap().text;
    let (model, _) = Model::parse("superball.toml", ball, &ParseOptions::default()).unwrap();
    assert!(model.switches());
    let g = model.parameters.iter().map(|p| model.graph.name(p.symbol)).find(|n| *n == "g").expect("gravity");
    let wishes = Wishes { until: Some("0.2".into()), ..Default::default() };
    let asked = Asked { set: &[(g, "9.81*w")], vary: &["w=[0.5, 1]"], keep: "energy", wishes, ..Default::default() };
    let study = study(ball, &asked).unwrap();
    assert_eq!(study.way(), Way::Fresh);
    for (row, w) in rows(&study, 1).iter().zip([0.5, 1.0]) {
        let run = by_run(ball, &[("g", 9.81 * w)], &[], 0.2, &["energy"]);
        assert!(near(&row.values, &run, 1e-11), "{:?} and not {run:?}", row.values);
    }
}

#[test]
fn motions_that_cannot_begin_are_rows() {
    let disk = builtin::find("rolling-disk").unwrap().text;
    let wishes = Wishes { until: Some("0.1".into()), ..Default::default() };
    let asked = Asked { vary: &["M=[-1, 1]", "theta=[-0.5, 1]"], keep: "theta", wishes, ..Default::default() };
    let rows = rows(&study(disk, &asked).unwrap(), 1);
    let status: Vec<&str> = rows.iter().map(|r| r.status.name()).collect();
    assert_eq!(status, ["refused", "refused", "refused", "end"]);
    assert!(rows[1].reason.contains("kinetic energy"), "{}", rows[1].reason);
    assert!(rows[2].reason.contains("outside its interval"), "{}", rows[2].reason);
    assert!(rows[2].values[0].is_nan() && rows[3].values[0].is_finite());
}

#[test]
fn a_parameter_may_change_its_sign() {
    // √(k²) is k where k is positive and −k where it is not
    let text = OSCILLATOR.replace("k/2*x^2", "sqrt(k^2)/2*x^2");
    let asked = Asked { vary: &["k=[4, 1, -1, -4]"], keep: "x", ..Default::default() };
    let rows = rows(&study(&text, &asked).unwrap(), 1);
    for (row, k) in rows.iter().zip([4.0f64, 1.0, -1.0, -4.0]) {
        let exact = (10.0 * k.abs().sqrt()).cos();
        assert!((row.values[0] - exact).abs() < 1e-11, "{} and not {exact}", row.values[0]);
    }
}

#[test]
fn rows_do_not_depend_on_threads_or_ranges() {
    let asked = Asked {
        vary: &["k=1..4", "x=0..1", "m=[1, 2]"],
        points: Points::Random(25),
        keep: "final, max(x), period(x)",
        ..Default::default()
    };
    let study = study(OSCILLATOR, &asked).unwrap();
    let one = rows(&study, 1);
    // as text, since what is not a number is not equal to itself
    let shown = |rows: &[Row]| format!("{rows:?}");
    assert_eq!(shown(&one), shown(&rows(&study, 3)));
    let mut part = Vec::new();
    study.run(13..29, 2, &AtomicBool::new(false), &mut |_, rows| {
        part.extend(rows);
        true
    });
    assert_eq!(shown(&part), shown(&one[13..29]));
}

fn by(engine: EngineKind, until: &str) -> Wishes {
    Wishes { until: Some(until.into()), engine: Some(engine), ..Default::default() }
}

/// Rows of motions side by side against those of motions one by one, column by column; columns of `loose` are compared by their size alone.
fn compare(text: &str, asked: &Asked, until: &str, loose: &[&str], tolerance: f64) {
    let [batch, single] = [EngineKind::Batch, EngineKind::Single].map(|engine| {
        let wishes = Wishes { rtol: asked.wishes.rtol, method: asked.wishes.method, ..by(engine, until) };
        let study = study(text, &Asked { wishes, ..*asked }).unwrap();
        assert_eq!(study.engine_kind(), engine);
        (rows(&study, 2), study.columns().to_vec())
    });
    assert_eq!(batch.0.len(), single.0.len());
    for (i, (a, b)) in batch.0.iter().zip(&single.0).enumerate() {
        assert_eq!((a.status, &a.reason), (b.status, &b.reason), "row {i}");
        assert!(near(&[a.t], &[b.t], tolerance) || a.t.is_nan() && b.t.is_nan(), "row {i}: {} and {}", a.t, b.t);
        for ((x, y), name) in a.values.iter().zip(&b.values).zip(&batch.1) {
            // an extremum is flat: its time is known to the square root of what its value is
            let timed = name.starts_with("t_max(") || name.starts_with("t_min(");
            let tolerance = if timed { tolerance.max(1e-6) } else { tolerance };
            let same = match loose.contains(&name.as_str()) {
                true => *x < 3.0 * y + tolerance && *y < 3.0 * x + tolerance,
                false => near(&[*x], &[*y], tolerance) || x.is_nan() && y.is_nan(),
            };
            assert!(same, "row {i}, {name}: {x} and {y}");
        }
    }
}

#[test]
fn disks_side_by_side() {
    let disk = builtin::find("rolling-disk").unwrap().text;
    let asked = Asked {
        vary: &["r=0.5..2:3", "theta=0.3..1.4", "psi'=-3..3"],
        points: Points::Sobol(16),
        keep: "final, energy, range(theta), range(phi'), crossings(theta'), drift, steps",
        ..Default::default()
    };
    // a disk that all but falls over turns so fast that rounding grows
    compare(disk, &asked, "3", &["drift", "steps"], 1e-10);
    let wishes = Wishes { rtol: Some(1e-11), method: Some(Method::Dop853), ..Default::default() };
    compare(disk, &Asked { keep: "final, drift", wishes, ..asked }, "3", &["drift"], 1e-7);
}

/// Work is done, and directions are unit vectors.
#[test]
fn works_and_directions_side_by_side() {
    let text = r#"
[parameters]
g = 9.81
c = 0.1
[coordinates]
s = "S2"
x = "real"
[lagrangian]
kinetic = "norm2(s')/2 + x'^2/2"
potential = "g*s[3] + x^2*(2 + s[1])"
[forces]
x = "-c*x'"
[initial]
position = { s = [0, 0, -1] }
"#;
    let asked = Asked {
        init: &[("s", "[sin(a), 0, -cos(a)]"), ("s'", "[0, w, 0]"), ("x'", "w")],
        vary: &["c=0..0.3:3", "a=0.1..3", "w=0.5..4"],
        points: Points::Random(9),
        keep: "x, s[1], s[3], max(s[3]), reversals(s[1]), drift",
        ..Default::default()
    };
    compare(text, &asked, "4", &["drift", "t_max(s[3])"], 1e-10);
}

/// Motions that end before their time do so in both engines, and so do those that cannot begin.
#[test]
fn ends_side_by_side() {
    let text = OSCILLATOR.replace("[[event]]\n", "[[event]]\naction = \"stop\"\n");
    let asked = Asked { vary: &["k=-0.5..4:7", "x=-1..1:9", "x'=[0, 2]"], keep: "final, max(x)", ..Default::default() };
    compare(&text, &asked, "5", &[], 1e-10);
    let disk = builtin::find("rolling-disk").unwrap().text;
    // without spin it falls flat
    let asked = Asked {
        init: &[("phi'", "0"), ("psi'", "0")],
        vary: &["theta=[-0.5, 0.8, 1.4]", "theta'=-2..0:3"],
        keep: "theta, min(theta')",
        ..Default::default()
    };
    compare(disk, &asked, "0.3", &[], 1e-9);
}

/// The same bits whatever the neighbours, the threads and the ranges are.
#[test]
fn lanes_cannot_be_seen() {
    let shown = |rows: &[Row]| rows.iter().map(|r| format!("{r:?}")).collect::<Vec<_>>();
    for method in ["taylor", "dop853"] {
        let keep = if method == "taylor" { "final, max(x), period(x)" } else { "final" };
        let wishes = Wishes { method: Method::from_name(method), ..by(EngineKind::Batch, "10") };
        let asked = |vary| Asked { vary, keep, wishes: wishes.clone(), ..Default::default() };
        let forth = study(OSCILLATOR, &asked(&["k=[1, 2, 3, 5, 7, 11, 13]", "x=[1, 2, 4, 0.5, -1]"])).unwrap();
        let back = study(OSCILLATOR, &asked(&["k=[13, 11, 7, 5, 3, 2, 1]", "x=[-1, 0.5, 4, 2, 1]"])).unwrap();
        let one = shown(&rows(&forth, 1));
        assert_eq!(one, shown(&rows(&forth, 3)));
        let mut reversed = shown(&rows(&back, 2));
        reversed.reverse();
        assert_eq!(one, reversed);
        for range in [0..1, 3..4, 5..30] {
            let mut part = Vec::new();
            forth.run(range.clone(), 2, &AtomicBool::new(false), &mut |_, rows| {
                part.extend(rows);
                true
            });
            assert_eq!(shown(&part), one[range.start as usize..range.end as usize]);
        }
    }
}

#[test]
fn what_cannot_go_side_by_side_says_why() {
    let why = |text: &str, keep: &str, wishes: Wishes| {
        study(
            text,
            &Asked {
                vary: &[if text == OSCILLATOR { "k=1..2:99" } else { "spin=1..2:99" }],
                keep,
                wishes,
                ..Default::default()
            },
        )
        .unwrap_err()
        .to_string()
    };
    let batch = by(EngineKind::Batch, "1");
    assert!(why(OSCILLATOR, "lyapunov", batch.clone()).contains("Lyapunov"));
    assert!(why(OSCILLATOR, "max(x)", Wishes { method: Some(Method::Dop853), ..batch.clone() }).contains("DOP853"));
    assert!(why(OSCILLATOR, "x", Wishes { rtol: Some(1e-20), ..batch.clone() }).contains("doubles"));
    assert!(why(RATTLEBACK, "energy", batch).contains("read again"));
}

#[test]
fn misspelt_names_are_answered() {
    let told = |vary: &str, keep: &str| {
        let error = study(OSCILLATOR, &Asked { vary: &[vary], keep, ..Default::default() }).unwrap_err();
        format!("{error}; {}", error.help().unwrap_or_default())
    };
    assert_eq!(told("kk=1..2:3", "x"), "there is no parameter or initial value `kk`; did you mean `k`?");
    assert_eq!(told("k=1..2:3", "max(xx)"), "there is no variable `xx`; did you mean `x`?");
    assert_eq!(told("k=1..2:3", "event(half)"), "there is no event `half`; did you mean `halfway`?");
    assert!(told("k=1..2:3", "max(sin(x)").contains("formula"), "{}", told("k=1..2:3", "max(sin(x)"));
}

/// Thirty digits are asked for by the model, and every row has them: such motions go one after the other, and side by side is refused with words.
#[test]
fn digits_that_the_model_asks_for_are_computed() {
    let text = format!("{OSCILLATOR}\n[run]\nprecision = 30\n");
    let wishes = Wishes { until: Some("2".into()), ..Default::default() };
    let asked = Asked { vary: &["x=0.1..1:100"], keep: "x, drift", wishes, ..Default::default() };
    let study = study(&text, &asked).unwrap();
    assert_eq!(study.engine_kind(), EngineKind::Single);
    let rows = rows(&study, 2);
    let plan = Plan::new("test.toml", &text).init("x", study.spec.design.sample(7)[0]).until(2);
    let motion = plan.solve().unwrap();
    assert_eq!(rows[7].values, [motion.last["x"], motion.report.energy_error]);
    assert!(rows.iter().all(|row| row.values[1] < 1e-25), "the drift of doubles is 1e-16");
    let batch = Asked { wishes: Wishes { engine: Some(EngineKind::Batch), ..Default::default() }, ..asked };
    let refused = self::study(&text, &batch).unwrap_err();
    assert!(refused.to_string().contains("cannot go side by side"), "{refused}");
}

/// Where the form that was chosen fails on the way, a row takes the other one as a run does.
#[test]
fn a_row_goes_as_far_as_a_run() {
    let wishes = Wishes { until: Some("60".into()), ..Default::default() };
    let asked = Asked { vary: &["m=[1, 1.0000001]"], keep: "x", wishes, ..Default::default() };
    let text = builtin::find("snakeboard").unwrap().text;
    let rows = rows(&study(text, &asked).unwrap(), 2);
    let motion = Plan::new("snakeboard.toml", text).until(60).solve().unwrap();
    assert_eq!((motion.report.t, motion.report.stop.clone()), (60.0, polhode_simulate::StopReason::End));
    assert_eq!(rows[0].values, [motion.last["x"]]);
    assert!(rows.iter().all(|row| row.t == 60.0 && row.status == Status::END), "{rows:?}");
}
