//! `polhode reduce`: the page, the document, and what is refused.

use serde_json::Value;
use std::process::{Command, Output};

fn polhode(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polhode")).args(args).env("COLUMNS", "100").output().expect("the program runs")
}

fn document(args: &[&str]) -> Value {
    let out = polhode(args);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("one JSON document")
}

fn rights(section: &Value) -> Vec<&str> {
    section.as_array().expect("a list").iter().map(|l| l["right"].as_str().expect("text")).collect()
}

#[test]
fn the_disk_of_the_paper() {
    let d = document(&["reduce", "rolling-disk", "--json"]);
    assert_eq!(d["connection_from"], "given");
    assert_eq!(d["dimensions"]["S"], 1);
    assert_eq!(d["abelian"], true);
    assert_eq!(rights(&d["connection"]), ["psi'", "x'", "y'"]);
    assert_eq!(rights(&d["reduced_constraint"]), ["-r*psi'*cos(phi)", "-r*psi'*sin(phi)"]);
    assert!(d.get("curvature").is_none(), "the connection is flat");
}

#[test]
fn connections_can_be_chosen() {
    let kinetic = document(&["reduce", "rolling-disk", "--connection", "kinetic", "--json"]);
    assert_eq!(kinetic["connection_from"], "kinetic");
    assert!(kinetic["curvature"].as_array().is_some_and(|c| !c.is_empty()), "the nonholonomic connection is curved");
    let none = polhode(&["reduce", "snakeboard", "--connection", "given"]);
    assert_eq!(none.status.code(), Some(1));
}

#[test]
fn symmetries_are_found_where_none_is_stated() {
    let d = document(&["reduce", "knife-edge", "--json"]);
    assert_eq!(d["found"], true);
    assert_eq!(d["generators"], serde_json::json!(["d/dy"]));
    let text = String::from_utf8(polhode(&["reduce", "knife-edge"]).stdout).expect("text");
    assert!(text.contains("symmetries that were found") && text.contains("Chaplygin: S = 0"), "{text}");
}

#[test]
fn latex_has_every_section() {
    let text = String::from_utf8(polhode(&["reduce", "chaplygin-sleigh", "--format", "latex"]).stdout).expect("text");
    for part in ["\\partial_{\\theta}", "momentum equation", "reconstruction", "\\left[v_{1}, v_{2}\\right] &= v_{3}"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn what_is_no_symmetry_is_refused() {
    let folder = std::env::temp_dir().join(format!("polhode-reduce-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("wrong.toml");
    let shown = String::from_utf8(polhode(&["show", "rolling-disk"]).stdout).expect("text");
    std::fs::write(&file, shown.replace("[\"d/dpsi\",", "[\"d/dtheta\",")).expect("a file");
    let out = polhode(&["reduce", &file.to_string_lossy()]);
    let message = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1));
    assert!(message.contains("d/dtheta is no symmetry: it changes the Lagrangian"), "{message}");
    assert!(message.contains("what is left along it"), "{message}");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn no_two_things_have_one_name() {
    let text = String::from_utf8(polhode(&["reduce", "symmetric-sphere"]).stdout).expect("text");
    assert!(text.contains("U₁ = ∂_x") && !text.contains("u₁ = ∂_x"), "{text}");
    // u₁ is a velocity along H, and the page says which
    assert!(text.contains("velocities along H and S"), "{text}");
    assert!(text.contains("S = D ∩ V may be larger"), "{text}");
}
