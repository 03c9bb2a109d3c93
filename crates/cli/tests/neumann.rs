//! `--neumann`: what it derives, what it runs, and what it refuses.

use serde_json::Value;
use std::process::{Command, Output};

fn polhode(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polhode"));
    command.env("COLUMNS", "100").args(arguments).output().expect("the program runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(arguments: &[&str]) -> Value {
    let output = polhode(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

/// The model text in a file of its own.
fn file(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("polhode-neumann-{}-{name}.toml", std::process::id()));
    std::fs::write(&path, text).expect("a writable folder");
    path.display().to_string()
}

#[test]
fn the_tyre_on_a_plane_fits_on_a_page() {
    let output = polhode(&["derive", "torus-on-plane", "--neumann", "--form", "hamel", "--verify"]);
    let text = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    for line in ["σ =   v̇ sin u", "n =   −θ̇ − v̇ cos u", "θ̇ = −n − v̇ cos u"] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    assert!(text.contains("agree (10 random states"), "{text}");
    assert!(!text.contains("shared nodes"), "{text}");
    let latex = stdout(&polhode(&["derive", "torus-on-plane", "--neumann", "--format", "latex"]));
    assert!(latex.contains("\\dot{\\vartheta}") && latex.contains("\\begin{aligned}"), "{latex}");
}

#[test]
fn elliptic_coordinates_have_the_curvatures_of_the_paper() {
    let document = json(&["derive", "ellipsoid-on-plane", "--neumann", "--charts", "elliptic", "--json"]);
    assert_eq!(document["positions"], serde_json::json!(["u", "v", "theta", "u1", "v1"]));
    let charts = document["charts"].as_array().expect("a list");
    let right = |name: &str| charts.iter().find(|l| l["left"] == name).map(|l| l["right"].as_str().unwrap_or_default());
    assert_eq!(right("Delta_uu"), Some("-a*b*h/(u^(3/2)*sqrt(v))"), "{charts:#?}");
    assert_eq!(right("Delta_uv"), None);
}

#[test]
fn both_routes_run() {
    let one = json(&["run", "torus-on-plane", "--at", "2", "--json"]);
    let two = json(&["run", "torus-on-plane", "--neumann", "--at", "2", "--json"]);
    let (a, b) = (&one["samples"][0], &two["samples"][0]);
    // the same keys in the same places: R has rows
    let state = |key: &'static str| (&a["state"][key], &b["state"][key]);
    let rows = (0..3).map(|i| (&a["state"]["R"][i], &b["state"]["R"][i]));
    let vectors = ["x_O", "c", "c1", "Omega", "omega"].into_iter().map(state);
    for (first, second) in rows.chain(vectors).chain([(&a["derived"]["force"], &b["derived"]["force"])]) {
        for i in 0..3 {
            let (x, y) = (first[i].as_f64().expect("a number"), second[i].as_f64().expect("a number"));
            assert!((x - y).abs() < 1e-11, "{first} and {second}");
        }
    }
    assert!(b["state"]["theta'"].is_number() && b["reactions"]["no slip u1"].is_number(), "{b}");
}

#[test]
fn check_sees_two_constraints() {
    let report = json(&["check", "rattleback", "--neumann", "--json"]);
    assert_eq!(report["constraints"], 2);
    assert_eq!(report["independent_velocities"], serde_json::json!(["u'", "v'", "theta'"]));
}

#[test]
fn a_start_at_a_pole_is_refused_by_run_alone() {
    let run = polhode(&["run", "ball-on-torus", "--neumann"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("pole-of-chart") && stderr(&run).contains("--charts polar-x"), "{}", stderr(&run));
    let run = polhode(&["run", "ball-on-torus", "--neumann", "--charts", "polar-x", "--until", "1"]);
    assert!(run.status.success(), "{}", stderr(&run));
    assert!(polhode(&["derive", "ball-on-torus", "--neumann"]).status.success());
}

#[test]
fn what_has_no_such_coordinates_is_refused() {
    let body = "[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.2 }\n";
    let moving = format!("{body}[ground]\nsurface = \"plane\"\nrotation = \"Rz(t)\"\n");
    let belt = format!("{body}[ground]\nsurface = \"plane\"\nbelt = {{ velocity = [1, 0, 0] }}\n");
    let disk = "[body.disk]\nmass = 1\ninertia = \"solid\"\nsurface = { rim = 0.2 }\n[ground]\nsurface = \"plane\"\n";
    let egg = "[body.egg]\nmass = 1\ninertia = [1, 1, 1]\n\
               surface = { implicit = \"x^2 + y^2 + z^4 - 1\" }\n[ground]\nsurface = \"plane\"\n";
    let two = format!(
        "{body}[ground.a]\nsurface = \"plane\"\n[ground.b]\nsurface = {{ sphere = 3, inside = true }}\n\
                       [contact.one]\nbetween = [\"ball\", \"a\"]\n[contact.two]\nbetween = [\"ball\", \"b\"]\n"
    );
    for (name, text, words) in [
        ("moving", moving.as_str(), "the ground moves"),
        ("belt", &belt, "the ground moves"),
        ("disk", disk, "with an edge"),
        ("egg", egg, "parametric ="),
        ("two", &two, "one contact, but this model has several"),
    ] {
        let path = file(name, text);
        let output = polhode(&["derive", &path, "--neumann"]);
        std::fs::remove_file(&path).expect("it is there");
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{name}: {}", stderr(&output));
    }
    for (arguments, words) in [
        (["derive", "rolling-disk", "--neumann", "--charts=standard"], "nothing touches in this model"),
        (["derive", "torus-on-plane", "--neumann", "--charts=eliptic"], "did you mean `elliptic`?"),
        (["derive", "torus-on-plane", "--neumann", "--charts=elliptic"], "is no ellipsoid"),
        (["derive", "torus-on-plane", "--neumann", "--charts=polar-x"], "no poles"),
    ] {
        let output = polhode(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
    }
}
