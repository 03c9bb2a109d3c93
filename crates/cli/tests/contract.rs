//! The part of the command line that scripts rely on.

use serde_json::Value;
use std::process::{Command, Output};

fn polhode(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polhode")).args(arguments).output().expect("the program runs")
}

fn text(arguments: &[&str]) -> String {
    let out = polhode(arguments);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(arguments)).expect("exactly one JSON document")
}

#[test]
fn list_names_the_models_of_the_contract() {
    let out = text(&["list"]);
    for name in ["rolling-disk", "symmetric-sphere", "chaplygin-ball", "chaplygin-sleigh"] {
        assert!(out.lines().any(|l| l.starts_with(name)), "{name}");
    }
    let models = json(&["list", "--json"]);
    let first = &models["models"][0];
    assert!(["name", "title", "reference", "fact"].iter().all(|k| first[k].is_string()), "{first}");
}

#[test]
fn show_prints_the_file_itself() {
    let shown = text(&["show", "rolling-disk"]);
    assert_eq!(shown, include_str!("../../../models/rolling-disk.toml"));
}

#[test]
fn contract_names_of_coordinates_and_parameters() {
    let expected = [
        ("rolling-disk", "theta phi psi x y", "M r g I1 I3"),
        ("chaplygin-sleigh", "x y theta", "m I a"),
        ("symmetric-sphere", "", "M r I1 I3"),
        ("chaplygin-ball", "", "M r I1 I2 I3"),
    ];
    for (model, positions, parameters) in expected {
        let document = json(&["derive", model, "--json"]);
        let list = |key: &str| {
            let names = document[key].as_array().expect("a list").iter();
            names.map(|v| v.as_str().expect("a name").to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(list("parameters"), parameters, "{model}");
        if !positions.is_empty() {
            assert_eq!(list("positions"), positions, "{model}");
        }
    }
}

#[test]
fn derive_in_every_form_and_format() {
    for form in ["multipliers", "voronets", "chaplygin", "hamel", "hamilton"] {
        for format in ["text", "latex", "python", "rust", "c", "json"] {
            let out = text(&["derive", "chaplygin-sleigh", "--form", form, "--format", format]);
            assert!(out.len() > 100, "{form} {format}");
        }
    }
}

#[test]
fn derive_json_holds_the_accelerations() {
    let document = json(&["derive", "rolling-disk", "--json", "--verify"]);
    let equations = &document["equations"][0];
    assert_eq!(equations["form"], "voronets");
    let lefts: Vec<&str> =
        equations["accelerations"].as_array().expect("a list").iter().filter_map(|e| e["left"].as_str()).collect();
    assert_eq!(lefts, ["theta''", "phi''", "psi''"]);
    assert!(equations["accelerations"][1]["right_latex"].as_str().expect("LaTeX").contains("\\dot{\\varphi}"));
    assert_eq!(document["verification"]["agree"], true);
}

#[test]
fn independent_velocities_can_be_chosen() {
    let document = json(&["derive", "rolling-disk", "--independent", "theta',phi',x'", "--json"]);
    assert_eq!(document["equations"][0]["unknowns"], serde_json::json!(["theta'", "phi'", "x'"]));
    let out = polhode(&["derive", "rolling-disk", "--independent", "theta',phi',z'"]);
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn exit_statuses() {
    let unknown = polhode(&["derive", "roling-disk"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean `rolling-disk`?"));
    let set = polhode(&["derive", "rolling-disk", "--set", "mass=2"]);
    assert_eq!(set.status.code(), Some(2));
    assert_eq!(polhode(&["derive", "rolling-disk", "--set", "M"]).status.code(), Some(2));
    let no = polhode(&["derive", "knife-edge", "--form", "chaplygin"]);
    assert_eq!(no.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&no.stderr).contains("the Lagrangian contains the dependent coordinate x"));
    assert_eq!(polhode(&["check", "rolling-disk"]).status.code(), Some(0));
    assert_eq!(polhode(&["check", "no/such/file.toml"]).status.code(), Some(2));
}

#[test]
fn check_json() {
    let report = json(&["check", "rolling-disk", "--json"]);
    assert_eq!(report["rank"], 2);
    assert_eq!(report["degrees_of_freedom"], 3);
    assert_eq!(report["independent_velocities"], serde_json::json!(["theta'", "phi'", "psi'"]));
    assert_eq!(report["chaplygin"]["applies"], true);
}

#[test]
fn structure_of_the_disk() {
    let document = json(&["derive", "rolling-disk-centre", "--form", "hamilton", "--structure", "--json"]);
    let s = &document["structure"];
    assert_eq!((&s["dimension"], &s["rank"]), (&Value::from(8), &Value::from(6)));
    assert_eq!(s["jacobi"], serde_json::json!({ "holds": false, "rank": 3 }));
    assert_eq!(s["quotient"]["coordinates"], serde_json::json!(["theta", "p_theta", "p_phi", "p_psi"]));
    assert_eq!(s["degenerate"][0]["right"], "m*r^2*theta'*sin(theta)");
    assert!(s["theorems"].as_array().expect("a list").iter().all(|t| t["holds"] == true), "{}", s["theorems"]);
    let latex = text(&["derive", "rolling-disk-centre", "--form", "hamilton", "--structure", "--format", "latex"]);
    assert!(latex.contains("\\bar\\omega(\\theta, p_{\\theta}) &= 1"), "{latex}");
    assert!(text(&["derive", "spherical-pendulum", "--structure"]).contains("Jacobi's identity holds"));

    let refused = polhode(&["derive", "ball-on-turntable", "--structure"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("affine"), "{refused:?}");
    assert_eq!(polhode(&["derive", "heisenberg", "--structure", "--format", "c"]).status.code(), Some(2));
}
