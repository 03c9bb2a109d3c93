//! Symmetries that a model does not state: suggested by `check`, used by `derive`; and velocities that are combinations.

use crate::common;

use common::{document, polhode};
use serde_json::json;
use std::path::PathBuf;

const SLEDGE: &str = r#"
[coordinates]
x = "real"
y = "real"
theta = "angle"
[lagrangian]
kinetic = "(x'^2 + y'^2 + theta'^2)/2"
[constraints]
blade = "x'*sin(theta) = y'*cos(theta)"
"#;

fn file(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("polhode-symmetries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn suggested_lines_state_the_symmetry() {
    let path = file("sledge.toml", SLEDGE);
    let d = document(&["check", path.to_str().expect("text"), "--json"]);
    assert_eq!(d["symmetries"]["stated"], json!([]));
    assert_eq!(d["symmetries"]["suggested"].as_array().map(Vec::len), Some(3));
    assert_eq!(d["next"], json!(["derive", "derive --form ldap", "reduce", "conserved"]));
    let stated = format!("{SLEDGE}{}\n", d["symmetries"]["toml"].as_str().expect("lines"));
    let path = file("stated.toml", &stated);
    let again = document(&["check", path.to_str().expect("text"), "--json"]);
    assert_eq!(again["symmetries"]["stated"], d["symmetries"]["suggested"]);
    assert_eq!(again["symmetries"]["found"], json!([]));
}

#[test]
fn rotations_are_suggested_in_the_language_of_models() {
    let d = document(&["check", "routh-ball", "--json"]);
    let lines = d["symmetries"]["toml"].as_str().expect("lines");
    assert!(lines.contains(r#"{ R = "R*hat([0, 0, 1])" }"#), "{lines}");
}

#[test]
fn without_a_lagrangian_nothing_is_derived_next() {
    let text = SLEDGE.replace("[lagrangian]\nkinetic = \"(x'^2 + y'^2 + theta'^2)/2\"\n", "");
    let path = file("kinematic.toml", &text);
    let d = document(&["check", path.to_str().expect("text"), "--json"]);
    assert_eq!(d["next"], json!([]));
    assert_eq!(d["symmetries"]["found"], json!([]));
}

#[test]
fn derive_says_which_symmetries_it_found() {
    let d = document(&["derive", "knife-edge", "--form", "ldap", "--json"]);
    assert_eq!(d["symmetries_found"], json!(["d/dy"]));
    let text = String::from_utf8(polhode(&["derive", "knife-edge", "--verify"]).stdout).expect("text");
    assert!(text.contains("those that were found: d/dy"), "{text}");
    assert!(text.contains("Lagrange–d'Alembert–Poincaré, Hamilton agree"), "{text}");
    // a stated symmetry needs no remark
    let stated = document(&["derive", "heisenberg", "--form", "ldap", "--json"]);
    assert!(stated.get("symmetries_found").is_none());
}

#[test]
fn combinations_can_be_independent() {
    let d = document(&["check", "homogeneous-ball", "--independent", "omega[1],omega[2],omega[3]", "--json"]);
    assert_eq!(d["independent_velocities"], json!(["omega[1]", "omega[2]", "omega[3]"]));
    assert_eq!(d["choice_never_fails"], true);
    // the ball rolls with constant angular velocity
    let e = document(&["derive", "homogeneous-ball", "--independent", "omega", "--json"]);
    assert_eq!(e["equations"][0]["form"], "hamel");
    let rates = e["equations"][0]["accelerations"].as_array().expect("a list");
    assert!(rates.iter().all(|l| l["right"] == "0"), "{rates:?}");
    for (wrong, why) in
        [("omega[1],omega[2]", "leave 3"), ("omega[1],nonsense", "not a velocity"), ("omega,omega[1]", "twice")]
    {
        let out = polhode(&["check", "homogeneous-ball", "--independent", wrong]);
        let said = String::from_utf8_lossy(&out.stderr).to_string();
        assert!(!out.status.success() && said.contains(why), "{wrong}: {said}");
    }
}

#[test]
fn classes_of_groups() {
    let classes = |text: &str, name: &str| -> Vec<String> {
        let path = file(name, text);
        let d = document(&["check", path.to_str().expect("text"), "--json"]);
        d["classes"].as_array().expect("a list").iter().map(|c| c.as_str().expect("text").to_string()).collect()
    };
    let veselova = document(&["check", "veselova", "--json"]);
    assert!(veselova["classes"].to_string().contains("generalised Chaplygin under the stated symmetry"));
    let suslov = "[coordinates]\nR = \"SO(3)\"\n[lagrangian]\nkinetic = \"norm2(Omega)/2\"\n";
    let linear = classes(&format!("{suslov}[constraints]\nc = \"Omega[3] = 0\"\n"), "linear.toml");
    assert!(linear.iter().any(|c| c.starts_with("LL")), "{linear:?}");
    let affine = classes(&format!("{suslov}[constraints]\nc = \"Omega[3] = 1\"\n"), "affine.toml");
    assert!(affine.contains(&"left-invariant affine constraint".to_string()), "{affine:?}");
    let heavy = suslov.replace("\n[lagrangian]", "\n[lagrangian]\npotential = \"R[3,1]\"");
    let heavy = classes(&format!("{heavy}[constraints]\nc = \"Omega[3] = 0\"\n"), "heavy.toml");
    assert!(heavy.contains(&"left-invariant constraint".to_string()), "{heavy:?}");
}

/// What is named as the next step can be done.
#[test]
fn next_steps_apply() {
    let text = format!("{SLEDGE}[symmetry]\ngenerators = [\"d/dy\", \"2*d/dy\"]\n");
    let path = file("twice.toml", &text);
    let path = path.to_str().expect("text");
    assert_eq!(document(&["check", path, "--json"])["next"], json!(["derive", "conserved"]));
    let page = String::from_utf8(polhode(&["check", path]).stdout).expect("text");
    assert!(page.contains("does not reduce the system: the generators are dependent"), "{page}");
    for (model, applies) in [("knife-edge", false), ("snakeboard", true)] {
        let page = String::from_utf8(polhode(&["check", model]).stdout).expect("text");
        assert_eq!(page.contains("does not apply"), !applies, "{page}");
        assert_eq!(page.contains("voronets, chaplygin, hamel"), applies, "{page}");
    }
}
