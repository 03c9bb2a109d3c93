//! `polhode run`: the part that scripts rely on, and what people see.

use crate::common::interrupt;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

fn polhode(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polhode")).args(arguments).output().expect("the program runs")
}

fn status(arguments: &[&str]) -> (i32, String, String) {
    let out = polhode(arguments);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (out.status.code().expect("an exit status"), text(&out.stdout), text(&out.stderr))
}

fn json(arguments: &[&str]) -> Value {
    let (code, out, err) = status(arguments);
    assert!(code == 0 || code == 3, "{arguments:?}: {err}");
    serde_json::from_str(&out).expect("exactly one JSON document")
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("polhode-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

#[test]
fn the_document_of_the_contract() {
    let document = json(&["run", "rolling-disk", "--at", "1,5,10", "--json", "--set", "M=2", "--init", "theta'=0.3"]);
    assert_eq!(document["model"], "rolling-disk");
    assert_eq!(document["parameters"]["M"].as_f64(), Some(2.0));
    let samples = document["samples"].as_array().expect("samples");
    let times: Vec<f64> = samples.iter().map(|s| s["t"].as_f64().expect("a time")).collect();
    assert_eq!(times, [1.0, 5.0, 10.0]);
    for s in samples {
        for name in ["theta", "phi", "psi", "x", "y", "theta'", "phi'", "psi'", "x'", "y'"] {
            assert!(s["state"][name].is_number(), "{name}");
        }
        for name in ["energy", "normal_force", "mu_required", "height"] {
            assert!(s["derived"][name].is_number(), "{name}");
        }
        assert_eq!(s["derived"]["force"].as_array().map(Vec::len), Some(3));
        assert!(s["reactions"]["no slip x"].is_number());
    }
    let report = &document["report"];
    assert_eq!(report["stop"]["reason"], "end");
    assert_eq!(report["stop"]["t"].as_f64(), Some(10.0));
    for name in ["energy_change", "constraint_residual", "steps", "evaluations", "compile_seconds", "seconds"] {
        assert!(report[name].is_number(), "{name}");
    }
    assert!(report["events"].is_array());
    assert!(report["energy_change"].as_f64().expect("a number").abs() < 1e-11);
}

#[test]
fn rotations_have_the_names_of_the_contract() {
    let document =
        json(&["run", "chaplygin-ball", "--at", "1", "--json", "--init", "R=quat(1,2,3,4)", "--init", "Omega=[1,2,3]"]);
    let state = &document["samples"][0]["state"];
    assert_eq!(state["R"].as_array().map(Vec::len), Some(3));
    assert!(state["R"].as_array().expect("rows").iter().all(|row| row.as_array().map(Vec::len) == Some(3)));
    for name in ["Omega", "omega"] {
        assert_eq!(state[name].as_array().map(Vec::len), Some(3), "{name}");
    }
    // ω = R Ω
    let number = |v: &Value| v.as_f64().expect("a number");
    for i in 0..3 {
        let product: f64 = (0..3).map(|j| number(&state["R"][i][j]) * number(&state["Omega"][j])).sum();
        assert!((product - number(&state["omega"][i])).abs() < 1e-14);
    }
}

#[test]
fn thirty_digits() {
    let document = json(&["run", "nonholonomic-particle", "--at", "0.1,2", "--precision", "30", "--json"]);
    // y = 0.2 + 0.7 t: one tenth of a second is one tenth, not the double nearest to it
    assert_eq!(document["samples"][0]["state"]["y"].to_string(), "0.27");
    // x = 0.1 + 1.1 √1.04/0.7 (arsinh 1.6 − arsinh 0.2) at t = 2, by Arb
    let x = document["samples"][1]["state"]["x"].to_string();
    assert!(x.starts_with("1.78314633498324797855682009373"), "{x}");
}

#[test]
fn stopping_early_is_exit_status_three() {
    let still = ["--init", "theta'=0", "--init", "phi'=0", "--init", "psi'=0"];
    let mut arguments = vec!["run", "rolling-disk", "--json"];
    arguments.extend(still);
    let (code, out, err) = status(&arguments);
    assert_eq!(code, 3);
    assert!(err.contains("stopped at t = ") && err.contains("theta reached the lower end"), "{err}");
    let document: Value = serde_json::from_str(&out).expect("JSON all the same");
    assert_eq!(document["report"]["stop"]["reason"], "domain");
    assert_eq!(document["report"]["stop"]["coordinate"], "theta");
    assert!(!out.contains("NaN") && !out.contains("null"), "no undefined numbers");
    assert!(document["samples"].as_array().is_some_and(|s| s.len() > 5));
}

#[test]
fn bad_input_is_exit_status_two_with_advice() {
    let cases: [(&[&str], &str); 16] = [
        (&["run", "roling-disk"], "did you mean `rolling-disk`?"),
        (&["run", "rolling-disk", "--method", "tailor"], "did you mean `taylor`?"),
        (&["run", "rolling-disk", "--form", "voronetz"], "did you mean `voronets`?"),
        (&["run", "rolling-disk", "--precision", "50"], "--precision 30"),
        (&["run", "rolling-disk", "--precision", "30", "--method", "dop853"], "more digits need Taylor"),
        (&["run", "rolling-disk", "--method", "gauss"], "--step 0.01"),
        (&["run", "rolling-disk", "--method", "dop853", "--step", "0.1"], "--rtol"),
        (&["run", "rolling-disk", "--until", "1", "--at", "2"], "not between 0 and the final time 1"),
        (&["run", "rolling-disk", "--until", "theta"], "a formula in the parameters"),
        (&["run", "rolling-disk", "--rtol", "2"], "not between 0 and 1"),
        (&["run", "rolling-disk", "--init", "x'=1"], "residual"),
        (&["run", "rolling-disk", "--init", "x'=1"], "--project"),
        (&["run", "rolling-disk", "--observe", "height"], "NAME=EXPR"),
        (&["run", "rolling-disk", "--observe", "energy=1"], "the name `energy` is taken"),
        (&["run", "rolling-disk", "--samples", "100000000000"], "up to 10000000"),
        (&["run", "rolling-disk", "--method", "dla", "--step", "0.01", "--form", "hamel"], "leave --form out"),
    ];
    for (arguments, advice) in cases {
        let (code, out, err) = status(arguments);
        assert_eq!(code, 2, "{arguments:?}: {err}");
        assert!(out.is_empty(), "{arguments:?}: {out}");
        assert!(err.contains(advice), "{arguments:?}: {err}");
    }
}

#[test]
fn an_inconsistent_velocity_is_projected_when_asked() {
    let document = json(&["run", "rolling-disk", "--init", "x'=1", "--project", "--at", "0,1", "--json"]);
    let start = &document["samples"][0]["state"];
    // x' = −r cos φ ψ' holds after the projection
    let (x, psi) = (start["x'"].as_f64().expect("x'"), start["psi'"].as_f64().expect("psi'"));
    assert!((x + psi).abs() < 1e-14, "{x} {psi}");
    assert!(psi != 2.5, "the nearest velocity changes all components");
    // a start that needs no projection is left alone
    let plain = json(&["run", "rolling-disk", "--project", "--at", "0", "--json"]);
    assert_eq!(plain["samples"][0]["state"]["psi'"].as_f64(), Some(2.5));
    assert_eq!(plain["samples"][0]["state"]["x'"].as_f64(), Some(-2.5));
}

#[test]
fn without_a_model_what_can_be_run_is_listed() {
    let (code, out, _) = status(&["run"]);
    assert_eq!(code, 0);
    assert!(out.contains("rolling-disk") && out.contains("polhode run"), "{out}");
}

#[test]
fn times_may_be_formulas() {
    let document = json(&["run", "ball-on-turntable", "--until", "7*pi/W", "--at", "7*pi/W", "--json"]);
    let (start, end) = (1.0, document["samples"][0]["state"]["x"].as_f64().expect("x"));
    assert!((end - start).abs() < 1e-10, "a full circle after 7π/W: {end}");
}

#[test]
fn observed_formulas_are_reported() {
    let document = json(&["run", "rolling-disk", "--at", "1", "--observe", "spin=psi' + phi'*cos(theta)", "--json"]);
    assert!(document["samples"][0]["derived"]["spin"].is_number());
}

#[test]
fn files_are_written() {
    let paths = ["m.csv", "m.npz", "m.parquet", "m.svg"].map(scratch);
    let [csv, npz, parquet, svg] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    let (code, out, err) = status(&[
        "run",
        "rolling-disk",
        "--samples",
        "11",
        "--csv",
        csv,
        "--npz",
        npz,
        "--parquet",
        parquet,
        "--plot",
        svg,
    ]);
    assert_eq!(code, 0, "{err}");
    let bytes = |p: &PathBuf| std::fs::read(p).expect("written");
    let table = String::from_utf8(bytes(&paths[0])).expect("text");
    assert_eq!(table.lines().count(), 12);
    assert!(table.starts_with("t,theta,"), "{table}");
    assert_eq!(&bytes(&paths[1])[..2], b"PK");
    assert_eq!(&bytes(&paths[2])[..4], b"PAR1");
    assert!(String::from_utf8(bytes(&paths[3])).expect("text").starts_with("<svg"), "an SVG");
    for p in &paths {
        assert!(out.contains(&format!("wrote {}", p.display())), "{out}");
        std::fs::remove_file(p).expect("removed");
    }
    let (code, _, err) = status(&["run", "rolling-disk", "--csv", "/no/such/folder/m.csv"]);
    assert_eq!(code, 2);
    assert!(err.contains("cannot write `/no/such/folder/m.csv`"), "{err}");
}

#[test]
fn models_are_not_written_over_and_no_file_is_written_twice() {
    let (_, model, _) = status(&["show", "chaplygin-sleigh"]);
    let [mine, other, twice] = ["mine.toml", "other.csv", "twice.csv"].map(scratch);
    std::fs::write(&mine, &model).expect("written");
    std::fs::write(&other, &model).expect("written");
    let [mine, other, twice] = [&mine, &other, &twice].map(|p| p.to_str().expect("a path"));
    for flag in ["--csv", "--npz", "--parquet", "--plot"] {
        let (code, _, err) = status(&["run", mine, flag, mine]);
        assert!(code == 2 && err.contains("would overwrite a model file"), "{flag}: {err}");
    }
    let (_, _, err) = status(&["run", "rolling-disk", "--csv", other]);
    assert!(err.contains("would overwrite a model file"), "{err}");
    let (_, _, err) = status(&["run", "rolling-disk", "--csv", &mine.replace("mine", "new")]);
    assert!(err.contains("has the name of a model file") && err.contains("new.csv"), "{err}");
    let (code, _, err) = status(&["run", mine, "--csv", twice, "--npz", &twice.replace("twice", "./twice")]);
    assert!(code == 2 && err.contains("is asked for twice"), "{err}");
    let (code, _, err) = status(&["exact", mine, "--plot", mine]);
    assert!(code == 2 && err.contains("would overwrite a model file"), "{err}");
    for file in [mine, other] {
        assert_eq!(std::fs::read_to_string(file).expect("still there"), model);
    }
    // what a run has written may be written again
    for _ in 0..2 {
        assert_eq!(status(&["run", mine, "--csv", twice]).0, 0);
    }
    for file in [mine, other, twice] {
        std::fs::remove_file(file).expect("removed");
    }
}

#[test]
fn every_builtin_model_runs() {
    let models = json(&["list", "--json"]);
    for m in models["models"].as_array().expect("models") {
        let name = m["name"].as_str().expect("a name");
        let document = json(&["run", name, "--json", "--samples", "3"]);
        let report = &document["report"];
        // the upper ball flies off
        let reason = if name == "ball-on-ball" { "event" } else { "end" };
        assert_eq!(report["stop"]["reason"], reason, "{name}");
        let error = report["energy_error"].as_f64().expect("a number");
        let size = report["energy"].as_f64().expect("a number").abs().max(1.0);
        assert!(error < 1e-12 * size, "{name}: {error}");
        assert!(report["constraint_residual"].as_f64().expect("a number") < 1e-12, "{name}");
    }
}

#[test]
fn the_summary_answers_the_questions_people_have() {
    let (code, out, _) = status(&["run", "rolling-disk"]);
    assert_eq!(code, 0);
    for part in [
        "Disk rolling",
        "Taylor",
        "steps",
        "compiled in",
        "θ",
        "track",
        "energy",
        "constraints",
        "reactions",
        "no slip x",
        "contact",
        "never lifts",
        "μ ≥",
        "--plot",
    ] {
        assert!(out.contains(part), "{part} is missing in\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "no colours outside a terminal");
    assert!(out.lines().all(|l| l.chars().count() < 130), "lines fit\n{out}");
}

/// A file in the scratch folder.
fn written(name: &str, text: &str) -> String {
    let path = scratch(name);
    std::fs::write(&path, text).expect("written");
    path.to_str().expect("a path").to_string()
}

#[test]
fn events_of_the_model_are_recorded_and_may_stop() {
    let text = r#"
[coordinates]
x = "real"
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
position = { x = 1 }
[[event]]
name = "middle"
when = "x"
[[event]]
name = "back"
when = "x' > 0"
[[event]]
name = "third"
when = "t = 10"
action = "stop"
[run]
until = 100
at = [1, 9]
"#;
    let path = written("oscillator.toml", text);
    let (code, out, err) = status(&["run", &path, "--json"]);
    assert_eq!(code, 3, "{err}");
    let document: Value = serde_json::from_str(&out).expect("JSON");
    let pi = std::f64::consts::PI;
    let events = document["report"]["events"].as_array().expect("events");
    let of = |name: &str| -> Vec<f64> {
        events.iter().filter(|e| e["name"] == name).map(|e| e["t"].as_f64().expect("a time")).collect()
    };
    let close = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close(&of("middle"), &[pi / 2.0, 3.0 * pi / 2.0, 5.0 * pi / 2.0]), "{:?}", of("middle"));
    assert!(close(&of("back"), &[pi, 3.0 * pi]), "{:?}", of("back"));
    assert!(close(&of("third"), &[10.0]), "{:?}", of("third"));
    assert_eq!(document["report"]["stop"]["reason"], "event");
    assert_eq!(document["report"]["stop"]["event"], "third");
    assert_eq!(document["samples"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_cannot_be_run_says_why() {
    let open = written(
        "open.toml",
        "[coordinates]\nx = \"real\"\n[functions]\nV = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"V(x)\"\n[initial]\nposition = { x = 1 }\n",
    );
    let still = written("still.toml", "[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"x'^2/2\"\n");
    let cases = [
        (vec!["run", &open], "known by name only"),
        (vec!["run", &still], "add an [initial] section"),
        (vec!["run", "torus-on-plane", "--method", "dla", "--step", "0.01"], "is a point of contact"),
    ];
    for (arguments, advice) in cases {
        let (code, _, err) = status(&arguments);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(advice), "{err}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_computed() {
    // a signal that comes before it listens ends it at once: then it gets twice the time
    let out = (0..16).map(|k| Duration::from_millis(50 << k)).find_map(|time| {
        let child = Command::new(env!("CARGO_BIN_EXE_polhode"))
            .args(["run", "rolling-disk", "--until", "1e12", "--samples", "100001", "--json"])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the program runs");
        std::thread::sleep(time);
        Some(interrupt(child)).filter(|out| out.status.code().is_some())
    });
    let out = out.expect("it listens in the end");
    assert_eq!(out.status.code(), Some(3));
    let document: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(document["report"]["stop"]["reason"], "interrupted");
    assert!(document["report"]["stop"]["t"].as_f64().expect("a time") > 0.0);
    assert!(document["samples"].as_array().is_some_and(|s| !s.is_empty()));
}

#[test]
fn exactly_the_times_asked_for() {
    let times: Vec<String> = (1..100).map(|i| format!("0.{i:02}")).collect();
    for method in ["taylor", "dop853"] {
        let arguments = ["run", "rolling-disk", "--until", "1", "--at", &times.join(","), "--method", method, "--json"];
        let document = json(&arguments);
        let found: Vec<String> =
            document["samples"].as_array().expect("samples").iter().map(|s| s["t"].to_string()).collect();
        let wanted: Vec<String> = times.iter().map(|t| t.parse::<f64>().expect("a number").to_string()).collect();
        assert_eq!(found, wanted);
    }
}

#[test]
fn the_limit_of_steps_is_for_the_whole_run() {
    let (code, out, _) =
        status(&["run", "rolling-disk", "--method", "dop853", "--at", "1,2,3,4,5", "--max-steps", "20", "--json"]);
    assert_eq!(code, 3);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["report"]["steps"].as_u64(), Some(20));
    assert_eq!(document["report"]["stop"]["reason"], "step-limit");
}

#[test]
fn a_run_that_ends_early_shows_where_it_came_to() {
    // far fewer steps than the times asked for: the steps themselves are shown, and the last state
    let document = json(&["run", "rolling-disk", "--until", "1e6", "--max-steps", "300", "--json"]);
    let samples = document["samples"].as_array().expect("samples");
    assert!(samples.len() > 200, "{}", samples.len());
    let last = samples.last().expect("the last")["t"].as_f64();
    assert_eq!(last, document["report"]["stop"]["t"].as_f64());
}

#[test]
fn redundant_constraints_are_named() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../filetests/reference-systems/wheelset-rigid.toml");
    let document = json(&["run", path, "--at", "1", "--json"]);
    let redundant = document["report"]["redundant_constraints"].as_array().expect("a list");
    assert_eq!(redundant.len(), 1, "{redundant:?}");
    let name = redundant[0].as_str().expect("a name");
    assert!(document["samples"][0]["reactions"].get(name).is_none());
}

/// What a model file of rolling bodies is answered with, on standard error.
fn answered(name: &str, model: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let path = std::env::temp_dir().join(format!("polhode-{}-{name}.toml", std::process::id()));
    std::fs::write(&path, model).expect("a file");
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_polhode"))
        .args(["run", path.to_str().expect("a path")])
        .args(arguments)
        .output()
        .expect("the program runs");
    std::fs::remove_file(&path).expect("it is there");
    (out.status.code(), String::from_utf8(out.stderr).expect("UTF-8"))
}

#[test]
fn mistakes_about_rolling_bodies_are_answered_in_words() {
    let ball = "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.2 }\n";
    let plane = format!("{ball}[ground]\nsurface = \"plane\"\n");
    let (code, text) = answered("no-start", &plane, &[]);
    assert!(code == Some(2) && text.contains("[initial.ball]") && text.contains("touching"), "{text}");

    let start = "[initial.ball]\ntouching = [0, 0, 0]\nomega = [0, 1, 0]\n";
    let (code, text) = answered("observe", &format!("{plane}{start}"), &["--observe", "force[3]"]);
    assert!(code == Some(2) && text.contains("--observe \"y=force[3]\""), "{text}");

    let corner = format!("{plane}position = [\"abs(t - 1)\", 0, 0]\n{start}");
    let (code, text) = answered("missed", &corner, &["--at", "0.5,2,3"]);
    assert!(code == Some(3) && text.contains("not reached: t = 2, 3"), "{text}");

    let plates = format!(
        "{ball}[ground.low]\nsurface = \"plane\"\n[ground.high]\nsurface = {{ plane = true, inside = true }}\n\
         position = [0, 0, \"0.4 - 0.1*t\"]\n[contact.a]\nbetween = [\"ball\", \"low\"]\n[contact.b]\n\
         between = [\"ball\", \"high\"]\n[initial.ball]\nposition = [0, 0, 0.2]\n"
    );
    let (code, text) = answered("plates", &plates, &[]);
    assert!(code == Some(2) && text.contains("`low` and `high` move towards or away"), "{text}");
}

/// A ball in a bowl, by an equation with the material where it is negative.
fn bowl(sign: &str, name: &str) -> String {
    let text = format!(
        "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = {{ sphere = 0.1 }}\n[ground]\nsurface = {{ implicit = \"{sign}(z - x^2/2 - y^2/2)\" }}\n[initial.ball]\ntouching = [0.2, 0, 0.02]\n"
    );
    let path = scratch(name);
    std::fs::write(&path, text).expect("a writable folder");
    path.display().to_string()
}

#[test]
fn material_on_the_wrong_side_is_told() {
    let (code, _, err) = status(&["run", &bowl("", "right-side.toml"), "--until", "0.1"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let (code, _, err) = status(&["run", &bowl("-", "wrong-side.toml"), "--until", "0.1"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("warning[pulls-from-start]") && err.contains("inside"), "{err}");
}

#[test]
fn requests_that_cannot_be_met_say_what_can() {
    let model = bowl("", "requests.toml");
    for (arguments, said) in [
        (["--stop-at", "slip"], "no contact has a coefficient of friction"),
        (["--samples", "0"], "--samples 1"),
        (["--plot", "picture.pdf"], "write --plot picture.svg or --plot picture.png"),
    ] {
        let (code, out, err) = status(&["run", &model, arguments[0], arguments[1]]);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(err.contains(said), "{err}");
    }
    assert!(!std::path::Path::new("picture.pdf").exists());
}

#[test]
fn points_of_contact_have_the_names_of_formulas() {
    let (code, out, err) = status(&["run", &bowl("", "labels.toml"), "--until", "0.1", "--at", "0.1"]);
    assert_eq!(code, 0, "{err}");
    for name in ["c[1]", "c1[1]"] {
        assert!(out.contains(&format!(" {name} ")), "{out}");
    }
    assert!(!out.contains("c₁"), "{out}");
}

#[test]
fn the_last_of_the_times_asked_for_ends_the_run() {
    let path = written("still-rolling.toml", SPHERE);
    let document = json(&["run", &path, "--at", "0", "--json"]);
    assert_eq!(document["report"]["stop"]["t"].as_f64(), Some(0.0));
    assert_eq!(document["report"]["steps"].as_u64(), Some(0));
    assert_eq!(document["samples"].as_array().map(Vec::len), Some(1));
}

const SPHERE: &str = "[gravity]\ng = 9.81\n[body.b]\nmass = 1\ninertia = \"solid\"\nsurface = \"sphere\"\n[ground]\n\
                      surface = \"plane\"\n[initial.b]\ntouching = [0, 0, 0]\nomega = [0, 1, 0]\n";

#[test]
fn causes_of_events_are_taken_as_in_the_model_file() {
    let rim = SPHERE.replace("\"sphere\"", "{ rim = 1 }").replace("omega", "rotation = \"Rx(1)\"\nomega");
    for cause in ["lies-flat", "singular-chart", "rolls-off", "singular-curvature", "indefinite-curvature"] {
        let file = SPHERE.replace("\"plane\"", &format!("\"plane\"\nstop_at = \"{cause}\""));
        assert_eq!(answered("cause-file", &file, &["--until", "0.1"]), (Some(0), String::new()), "{cause}");
        assert_eq!(
            answered("cause", SPHERE, &["--until", "0.1", "--stop-at", cause]),
            (Some(0), String::new()),
            "{cause}"
        );
    }
    let (code, text) = answered("no-friction", SPHERE, &["--stop-at", "slip"]);
    assert!(code == Some(2) && text.contains("no event `slip`"), "{text}");
    let (code, text) = answered("go-on", &rim, &["--go-on", "lies-flat"]);
    assert!(code == Some(2) && text.contains("no run goes on from there"), "{text}");
}

/// `--lift` takes names with commas of their own, and leaves out what is not asked for.
#[test]
fn positions_are_lifted_by_name() {
    let lifted = |model: &str, names: &str| {
        let d = json(&["run", model, "--until", "1", "--reduced", "--lift", names, "--json"]);
        let left = d["report"]["reduced"]["left_out"].as_array().expect("a list").clone();
        left.into_iter().map(|n| n.as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lifted("rolling-disk", "none"), ["phi", "psi", "x", "y"]);
    assert_eq!(lifted("rolling-disk", "phi,x"), ["psi", "y"]);
    assert!(!lifted("chaplygin-ball", "R[3,1], x").contains(&"x".to_owned()));
    let (code, _, message) = status(&["run", "rolling-disk", "--reduced", "--lift", "z"]);
    assert!(code == 2 && message.contains("there is no position `z`"), "{message}");
    let (code, _, message) = status(&["run", "suslov", "--stop-at", "wall"]);
    assert!(code == 2 && message.contains("no event `wall`") && message.contains("the model has none"), "{message}");
}

/// Where no jump is consistent the candidates are listed, with what may help; a form that cannot be kept is named.
#[test]
fn what_was_tried_is_listed() {
    let path = scratch("thrown.toml");
    let text = "[coordinates]\nx = \"real\"\nz = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + z'^2)/2\"\n[constraints]\n\
                b = { velocity = \"z' = 2*x'\", when = \"x > 1\" }\n[initial]\nvelocity = { x = 1, z = -3 }\n";
    std::fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("a name");
    let (code, _, err) = status(&["run", path, "--until", "3", "--form", "hamel"]);
    assert_eq!(code, 3, "{err}");
    // (1, −3) onto z' = 2 x' is −(1, 2)
    for says in [
        "x > 1: x' = −1, z' = −2; goes elsewhere",
        "x < 1: x' = 1, z' = −3; goes elsewhere",
        "limit = \"coulomb\"",
        "form with multipliers",
    ] {
        assert!(err.contains(says), "{says}: {err}");
    }
    let document = json(&["run", path, "--until", "3", "--json"]);
    assert_eq!(document["report"]["stop"]["reason"], "no-consistent-jump");
    assert_eq!(document["report"]["stop"]["candidates"][1]["velocity"]["x'"].as_f64().map(f64::round), Some(-1.0));
}
