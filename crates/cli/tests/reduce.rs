//! `polhode reduce`: the page, the document, and what is refused.

use crate::common;

use common::{document, polhode};
use serde_json::Value;

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

#[test]
fn velocities_and_fields_have_letters_of_their_own() {
    let text = String::from_utf8(polhode(&["reduce", "snakeboard"]).stdout).expect("text");
    assert!(text.contains("derive --structure") && !text.contains("where ranks fall"), "{text}");
    let document = document(&["reduce", "snakeboard", "--json"]);
    let unknowns: Vec<&str> =
        document["unknowns"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(unknowns.iter().all(|u| *u != "v" && !u.starts_with("v[")), "{unknowns:?}");
}

/// Powers of entries of a rotation do not stand above and below a bar.
#[test]
fn entries_of_rotations_cancel() {
    let folder = std::env::temp_dir().join(format!("polhode-cancel-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("rotor.toml");
    let text = r#"
[parameters]
I1 = 0.2
I2 = 0.3
I3 = 0.35
K = 0.1
[coordinates]
R = "SO(3)"
q = "angle"
x = "real"
y = "real"
[lagrangian]
kinetic = "(x'^2+y'^2)/2 + 1/2*(I1*Omega[1]^2 + I2*Omega[2]^2 + I3*Omega[3]^2) + K/2*(Omega[3]+q')^2"
[constraints]
a = "x' = omega[2]"
b = "y' = -omega[1]"
"#;
    std::fs::write(&file, text).expect("a file");
    let d = document(&["reduce", &file.to_string_lossy(), "--json"]);
    for section in ["connection", "covariant", "reduced_constraint"] {
        for right in d[section].as_array().expect("a list").iter().filter_map(|l| l["right"].as_str()) {
            assert!(!right.starts_with("R[3,1]^") && !right.starts_with("-R[3,1]^"), "{section}: {right}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}
