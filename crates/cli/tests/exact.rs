//! `polhode exact`: what scripts rely on.

use serde_json::Value;
use std::process::{Command, Output};

fn polhode(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polhode")).args(arguments).output().expect("the program runs")
}

fn json(arguments: &[&str]) -> Value {
    let out = polhode(arguments);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("exactly one JSON document")
}

#[test]
fn the_disk_in_json_and_the_same_state_as_a_run() {
    let exact = json(&["exact", "rolling-disk", "--at", "0,1,2*pi,10", "--json"]);
    assert_eq!(exact["kind"], "linear");
    assert_eq!(exact["variable"], "theta");
    assert_eq!(exact["recognised"]["equation"], "legendre");
    assert_eq!(exact["motion"]["course"], "oscillation");
    for key in ["C1", "C2", "period", "frequency", "energy"] {
        assert!(exact["motion"][key].is_number(), "{key}");
    }
    let run = json(&["run", "rolling-disk", "--at", "0,1,2*pi,10", "--json"]);
    let samples = |v: &Value| v["samples"].as_array().expect("samples").clone();
    for (a, b) in samples(&exact).iter().zip(samples(&run)) {
        for key in ["theta", "phi", "psi", "theta'", "phi'", "psi'"] {
            let value = |v: &Value| v[key].as_f64().unwrap_or_else(|| panic!("no {key}"));
            let wanted = value(&b["state"]);
            // by quadratures, and as a part of the whole motion
            for found in [value(&a["reduced"]), value(&a["state"])] {
                assert!((found - wanted).abs() < 1e-12, "{key}: {found} for {wanted}");
            }
        }
    }
}

#[test]
fn formulas_in_latex() {
    let out = polhode(&["exact", "rolling-disk", "--format", "latex"]);
    let text = String::from_utf8(out.stdout).expect("text");
    let free = String::from_utf8(polhode(&["exact", "free-rigid-body", "--format", "latex"]).stdout).expect("text");
    assert!(free.contains("\\operatorname{cn}\\tau"), "{free}");
    assert!(!text.contains("% "), "{text}");
    for part in [
        "\\frac{d \\dot{\\varphi}}{d \\theta}",
        "\\frac{d^2 y}{d z^2}",
        "C_1 P_\\nu(z) + C_2 P_\\nu(-z)",
        "\\nu &= -0.5 + 1.0408",
        "C_1 &= 1.92",
        "\\paragraph{Legendre's equation",
        "turning points 0.349",
        "period 0.98316",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

/// The equations of a spheroid on a sphere fill pages: the text has their size, the documents have them.
#[test]
fn long_formulas_are_in_the_documents() {
    let text = polhode(&["exact", "spheroid-on-sphere"]).stdout;
    let text = String::from_utf8_lossy(&text).to_string();
    assert!(text.contains("dv̇/du = … ("), "{text}");
    assert!(text.contains("formulas of more than 12 lines are left out"), "{text}");
    assert!(text.contains("period"), "{text}");
    let document = json(&["exact", "spheroid-on-sphere", "--json"]);
    assert!(document["linear"][0]["right"].is_string(), "{}", document["linear"][0]);
}

#[test]
fn refusals_say_what_was_tried() {
    for (arguments, words) in [
        (vec!["exact", "coin-in-funnel"], "none was found to make the other velocities obey linear equations"),
        (vec!["exact", "coin-in-funnel"], "any time at once: the reduced motion does not come back"),
        (vec!["exact", "chaplygin-ball", "--at", "1"], "no formula in t"),
    ] {
        let out = polhode(&arguments);
        assert_eq!(out.status.code(), Some(1), "{arguments:?}");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(said.contains(words), "{said}");
    }
}

/// Chaplygin's ball: no formula, but integrals that are enough, with values and how well they are kept.
#[test]
fn integrals_that_are_enough() {
    let page = String::from_utf8(polhode(&["exact", "chaplygin-ball"]).stdout).expect("text");
    for words in
        ["= 2.120379434121919", "kept to", "solved by quadratures", "none was found to make the other velocities"]
    {
        assert!(page.contains(words), "{words} is missing:\n{page}");
    }
    let d = json(&["exact", "chaplygin-ball", "--json"]);
    assert_eq!(d["kind"], "integrals");
    let held = d["integrals"]["held"].as_array().expect("a list");
    assert_eq!(held.len(), 4);
    for h in held {
        assert!(h["value"].is_number() && h["formula"].is_string(), "{h}");
        assert!(h["change"].as_f64().is_some_and(|x| x < 1e-26), "{h}");
    }
    assert_eq!((&d["integrals"]["left"], &d["integrals"]["measure"]), (&2.into(), &true.into()));
}

/// The symmetric sphere: a closed curve on S², in the document, on the page, and drawn; pictures are SVG, which is said before anything is computed.
#[test]
fn the_closed_curve_of_a_symmetric_sphere() {
    let d = json(&["exact", "symmetric-sphere", "--at", "1", "--json"]);
    assert_eq!(d["kind"], "classical");
    assert_eq!(d["curve"]["windings"], 0);
    let points = d["curve"]["points"].as_array().expect("a list");
    let (first, last) = (numbers(&points[0]), numbers(&points[points.len() - 1]));
    assert!(first.iter().zip(&last).all(|(a, b)| (a - b).abs() < 1e-14), "{first:?} {last:?}");
    for key in ["G1", "G2", "G3", "u_sqrt_Delta"] {
        assert!(d["integrals"][key].is_number(), "{key}");
    }
    let run = json(&["run", "symmetric-sphere", "--at", "1", "--json"]);
    same(&d["samples"][0], &run["samples"][0], "state");
    let file = std::env::temp_dir().join(format!("polhode-curve-{}.svg", std::process::id()));
    let path = file.to_str().expect("a path");
    assert!(polhode(&["exact", "symmetric-sphere", "--plot", path]).status.success());
    let picture = std::fs::read_to_string(&file).expect("a picture");
    std::fs::remove_file(&file).expect("removed");
    assert!(picture.starts_with("<svg") && picture.contains("from above"));
    let file = file.with_extension("png");
    assert!(polhode(&["exact", "symmetric-sphere", "--plot", file.to_str().expect("a path")]).status.success());
    assert!(std::fs::read(&file).expect("a picture").starts_with(b"\x89PNG"));
    std::fs::remove_file(&file).expect("removed");
    let pdf = polhode(&["exact", "symmetric-sphere", "--plot", "c.pdf"]);
    assert_eq!(pdf.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&pdf.stderr).contains("write --plot c.svg or --plot c.png"));
    assert!(!std::path::Path::new("c.pdf").exists());
}

/// Solutions of several kinds are shown together: linear equations, and Bobylev's and Joukovski's formulas.
#[test]
fn classical_beside_linear() {
    let d = json(&["exact", "gyro-ball-on-plane", "--json"]);
    assert_eq!(d["kind"], "linear");
    assert!(d["classical"]["constants"]["u_sqrt_Delta"].is_number());
    let near = |a: &Value, b: &Value| (a.as_f64().expect("a number") - b.as_f64().expect("a number")).abs() < 1e-14;
    assert!(near(&d["classical"]["constants"]["period"], &d["motion"]["period"]));
    let page = String::from_utf8(polhode(&["exact", "gyro-ball-on-plane"]).stdout).expect("text");
    assert!(page.contains("linear equations in θ") && page.contains("a ball with an axis, by quadratures"), "{page}");
}

/// Two samples have the same keys, and numbers that agree.
fn same(a: &Value, b: &Value, part: &str) {
    match (&a[part], &b[part]) {
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{part}: {a:?} {b:?}");
            for (name, x) in a {
                for (x, y) in numbers(x).iter().zip(numbers(&b[name])) {
                    assert!((x - y).abs() < 1e-11 * (1.0 + y.abs()), "{part}, {name}: {x} {y}");
                }
            }
        }
        other => panic!("{part} is missing: {other:?}"),
    }
}

fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap_or_else(|| panic!("{other} is no number"))],
    }
}

/// Linear equations, a classical solution, and neither: what returns has the samples of a run.
#[test]
fn what_returns_has_the_full_state() {
    for (model, kind) in [
        ("rolling-disk", "linear"),
        ("torus-on-plane", "linear"),
        ("free-rigid-body", "classical"),
        ("ball-on-turntable", "returns"),
    ] {
        let exact = json(&["exact", model, "--at", "0.7,3", "--json"]);
        assert_eq!(exact["kind"], kind, "{model}");
        assert_eq!(exact["returns"]["found"], true, "{model}");
        let run = json(&["run", model, "--at", "0.7,3", "--json"]);
        let samples = |v: &Value| v["samples"].as_array().expect("samples").clone();
        assert_eq!(samples(&exact).len(), 2);
        for (a, b) in samples(&exact).iter().zip(samples(&run)) {
            ["state", "derived", "reactions"].iter().for_each(|part| same(a, &b, part));
        }
    }
}

#[test]
fn a_periodic_reduced_motion_is_a_solution_of_its_own() {
    let exact = json(&["exact", "ball-on-turntable", "--json"]);
    let period = exact["returns"]["period"].as_f64().expect("a period");
    // the centre goes round with (2/7) of the speed of the table: T = 2π/(2W/7), W = 2
    assert!((period - 3.5 * std::f64::consts::PI).abs() < 1e-14, "{period}");
    assert_eq!(exact["returns"]["bounded"], true);
    assert!(exact["returns"]["symmetries"].as_array().is_some_and(|s| !s.is_empty()));
    let out = polhode(&["exact", "ball-on-turntable", "--at", "1"]);
    assert_eq!(out.status.code(), Some(0));
    let page = String::from_utf8(out.stdout).expect("text");
    for words in [
        "the reduced motion is periodic: any time at once",
        "has the period 10.9955742",
        "bounded",
        "symmetries",
        "t = 1\n",
    ] {
        assert!(page.contains(words), "{words} is missing:\n{page}");
    }
    let latex = String::from_utf8(polhode(&["exact", "ball-on-turntable", "--format", "latex"]).stdout).expect("text");
    assert!(latex.contains("h^n s(\\tau)"), "{latex}");
    let drawn = polhode(&["exact", "ball-on-turntable", "--plot", "nothing.svg"]);
    assert_eq!(drawn.status.code(), Some(1));
}

/// A million seconds, against a computation with 50 digits: 21 digits behind the point are right, and at a thousand seconds 25.
#[test]
fn thirty_digits_on_the_command_line() {
    let exact = ["exact", "rolling-disk", "--at", "1000,1000000", "--json"];
    let run = ["run", "rolling-disk", "--method", "exact", "--precision", "30", "--at", "1000,1000000", "--json"];
    for command in [&exact[..], &run[..]] {
        let samples = json(command)["samples"].clone();
        for (k, name, digits) in [
            (0, "theta", "0.9587684141313020638563018"),
            (0, "psi", "5813.972040832650895201404"),
            (0, "x", "0.6470398081375294896460198"),
            (1, "theta", "0.350403109050648679893"),
            (1, "phi", "-2531794.533569629958989079"),
            (1, "y", "3.569465256505210470238"),
        ] {
            let shown = samples[k]["state"][name].to_string();
            assert!(shown.starts_with(digits) && shown.len() > 30, "{name}: {shown}");
        }
    }
    let text = polhode(&["run", "rolling-disk", "--method", "exact", "--precision", "30", "--at", "1000"]).stdout;
    assert!(String::from_utf8(text).expect("text").contains("0.6470398081375294896460198"));
}

#[test]
fn the_page_says_what_a_period_does() {
    let page = String::from_utf8(polhode(&["exact", "rolling-disk"]).stdout).expect("text");
    let (motion, whole) = page.split_once("the whole motion, any time at once").expect("the motion returns");
    assert!(motion.contains("the motion from the initial state"));
    assert!(whole.contains("x, y turn by -2.489173574743942 in each period about (-0.105288"), "{whole}");
    assert!(whole.contains("the motion is bounded"));
}

#[test]
fn times_too_far_away_are_refused() {
    for arguments in [
        &["exact", "rolling-disk", "--at", "1e20"][..],
        &["run", "rolling-disk", "--method", "exact", "--at", "1e300"][..],
    ] {
        let out = polhode(arguments);
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&out.stderr).contains("10¹⁵ periods"), "{arguments:?}");
    }
}

/// A disk that falls over lies flat: values before, and the reason beyond. The snakeboard goes on where its constraints lose rank, in every way of computing it.
#[test]
fn motions_that_end() {
    let rest = "Omega=[0,0,0]";
    let before = json(&["exact", "euler-disk", "--init", rest, "--at", "0.03", "--json"]);
    let ends = &before["motion"]["ends"];
    assert!(ends["t"].as_f64() > Some(0.03) && ends["error"].as_f64() < Some(1e-6), "{ends}");
    assert!(before["motion"]["period"].is_null() && before["motion"]["error"].is_null());
    assert_eq!(before["returns"]["found"], false);
    let run =
        json(&["run", "euler-disk", "--init", rest, "--method", "exact", "--at", "0.03", "--until", "0.03", "--json"]);
    assert_eq!(run["samples"][0]["state"]["R"], before["samples"][0]["state"]["R"]);
    for arguments in [
        &["exact", "euler-disk", "--init", rest, "--at", "12"][..],
        &["run", "euler-disk", "--init", rest, "--method", "exact", "--until", "12"],
    ] {
        let out = polhode(arguments);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(3), "{arguments:?}: {said}");
        assert!(said.contains("ends at t = 0.041070 (to 2e-7)"), "{arguments:?}: {said}");
    }
    let exact = json(&["exact", "snakeboard", "--at", "12", "--json"]);
    for precision in [&[][..], &["--precision", "30"]] {
        let run = json(&[&["run", "snakeboard", "--at", "12", "--until", "12", "--json"][..], precision].concat());
        let theta = |v: &Value| v["samples"][0]["state"]["theta"].as_f64().expect("an angle");
        assert!((theta(&exact) - theta(&run)).abs() < 1e-11);
        let force = run["samples"][0]["reactions"]["front"].as_f64().expect("a force");
        assert!(force > 1.5 && force < 1.6, "{force}");
    }
}

/// Every letter of a formula has a value; a heavy body upright is a steady motion; flags that say nothing are refused.
#[test]
fn what_is_said_is_complete() {
    let free = json(&["exact", "free-rigid-body", "--json"]);
    for key in ["A", "B", "C", "p", "tau0", "m", "n", "N", "L", "I_c", "psi0", "axes"] {
        assert!(!free["constants"][key].is_null(), "{key}");
    }
    let upright = json(&["exact", "routh-ball", "--init", "R=Rx(pi)", "--init", "Omega=[0,0,3]", "--json"]);
    assert!(upright["classical"].is_null(), "{}", upright["classical"]);
    assert!(upright["motion"]["stable"].is_boolean(), "{}", upright["motion"]);
    for flag in [&["--plot", "x.svg"][..], &["--at", "1"], &["--format", "latex"]] {
        let out = polhode(&[&["exact", "rolling-disk", "--steady", "theta=1"][..], flag].concat());
        assert_eq!(out.status.code(), Some(2), "{flag:?}");
    }
    let late = json(&["exact", "rolling-disk", "--at", "1,1e12", "--json"]);
    let error = |k: usize| late["samples"][k]["error"].as_f64().expect("an error");
    assert!(error(1) > 1e11 * error(0), "{} {}", error(0), error(1));
}

/// Events that are recorded, with and without integration.
#[test]
fn events_of_an_exact_run() {
    let times = |method: &str| -> Vec<f64> {
        let run = json(&["run", "rolling-disk", "--init", "theta'=8", "--method", method, "--until", "5", "--json"]);
        let events = run["report"]["events"].as_array().expect("a list").clone();
        events.iter().map(|e| e["t"].as_f64().expect("a time")).collect()
    };
    let (exact, integrated) = (times("exact"), times("taylor"));
    assert!(exact.len() > 10 && exact.len() == integrated.len(), "{exact:?} {integrated:?}");
    assert!(exact.iter().zip(&integrated).all(|(a, b)| (a - b).abs() < 1e-12), "{exact:?} {integrated:?}");
}

/// A ball that rolls straight on passes its axis through the contact, where the angles of the quadratures leap: the
/// values are those of an integrated motion all the same.
#[test]
fn balls_that_roll_straight() {
    for model in ["homogeneous-ball", "symmetric-sphere"] {
        for init in ["Omega=[1,0,0]", "Omega=[0.3,-0.7,0]"] {
            let at = ["--init", init, "--at", "1,3,10", "--json"];
            let exact = json(&[&["exact", model], &at[..]].concat());
            let run = json(&[&["run", model, "--precision", "30"], &at[..]].concat());
            for (a, b) in
                exact["samples"].as_array().expect("samples").iter().zip(run["samples"].as_array().expect("samples"))
            {
                let rotation = |v: &Value| -> Vec<f64> {
                    let rows = v["state"]["R"].as_array().unwrap_or_else(|| panic!("no R in {v}"));
                    rows.iter()
                        .flat_map(|r| r.as_array().expect("a row"))
                        .map(|x| x.as_f64().expect("a number"))
                        .collect()
                };
                for (x, y) in rotation(a).iter().zip(rotation(b)) {
                    assert!((x - y).abs() < 1e-12, "{model} {init}: {x} for {y}");
                }
            }
        }
    }
}

/// No formula leads across a jump.
#[test]
fn walls_are_not_ignored() {
    let out = polhode(&["exact", "ball-rough-wall", "--at", "0.5,2.5"]);
    assert!(!out.status.success());
    let message = String::from_utf8_lossy(&out.stderr).to_string();
    assert!(message.contains("jump"), "{message}");
}
