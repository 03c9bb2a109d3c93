//! `polhode check`: points, choices of velocities, and the document for scripts.

use serde_json::Value;
use std::process::{Command, Output};

fn polhode(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polhode")).args(arguments).output().expect("runs")
}

fn json(arguments: &[&str]) -> Value {
    let out = polhode(arguments);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("one JSON document")
}

/// A point may leave coordinates open, and tie them to each other.
#[test]
fn points_are_examined() {
    let at = ["check", "unicycle-trailers", "--json", "--at", "th1=th2,th0=th1+pi/2", "--at", "x=1"];
    let report = json(&at);
    let points = report["points"].as_array().unwrap();
    let [.., right_angle, elsewhere] = &points[..] else { panic!("two points") };
    assert_eq!(right_angle["growth_vector"], serde_json::json!([2, 3, 4, 4, 5]));
    assert_eq!(right_angle["derived_flag"], serde_json::json!([2, 3, 4, 5]));
    assert_eq!(elsewhere["growth_vector"], report["growth_vector"]);
    assert_eq!(right_angle["complete"], true);
}

#[test]
fn a_rotation_is_given_whole() {
    let report = json(&["check", "veselova", "--json", "--at", "R=Rx(pi/2)*Rz(1)"]);
    let point = report["points"].as_array().unwrap().last().unwrap();
    assert_eq!((&point["rank"], &point["growth_vector"]), (&1.into(), &serde_json::json!([2, 3])));
}

#[test]
fn wrong_points_are_bad_input() {
    for (at, says) in [
        ("speed=1", "not a coordinate"),
        ("theta", "NAME=EXPR"),
        ("theta=1+", "no value"),
        ("theta=x'", "velocity"),
        ("theta=[1,2]", "components"),
        ("theta=1,theta=2", "twice"),
    ] {
        let out = polhode(&["check", "rolling-disk", "--at", at]);
        assert_eq!(out.status.code(), Some(2), "{at}");
        let said = String::from_utf8_lossy(&out.stderr).to_string();
        assert!(said.contains(says), "{at}: {said}");
    }
}

#[test]
fn velocities_can_be_chosen() {
    let report = json(&["check", "rolling-disk", "--json", "--independent", "theta',phi',x'"]);
    assert_eq!(report["independent_velocities"], serde_json::json!(["theta'", "phi'", "x'"]));
    assert_eq!(report["choices"][0]["fails_where"], "cos(phi) = 0");
    assert_eq!(report["choice_never_fails"], false);
}

/// Where brackets were followed to their longest and the flag may still grow, the answer is open.
#[test]
fn what_is_not_known_is_not_said() {
    let late = json(&["check", "../../filetests/systems/late.toml", "--json", "--at", "y=0", "--at", "y=1"]);
    let [late, elsewhere] = &late["points"].as_array().unwrap()[..] else { panic!("two points") };
    assert_eq!((&late["bracket_generating"], &late["complete"]), (&Value::Null, &false.into()));
    assert_eq!((&elsewhere["bracket_generating"], &elsewhere["complete"]), (&true.into(), &true.into()));
    let tied = json(&["check", "../../filetests/systems/tied-absolute.toml", "--json", "--at", "y=1"]);
    assert_eq!(
        (&tied["rank"], &tied["classification"], &tied["growth_vector"]),
        (&1.into(), &Value::Null, &Value::Null)
    );
    assert_eq!((&tied["points"][0]["growth_vector"], &tied["points"][0]["complete"]), (&Value::Null, &false.into()));
}

/// A constraint that a value of a parameter makes redundant moves as one that is written with the number.
#[test]
fn values_that_change_the_rank() {
    let run = |name: &str| {
        let file = format!("../../filetests/systems/{name}.toml");
        let samples = json(&["run", &file, "--at", "2", "--json"])["samples"].clone();
        samples.as_array().unwrap().last().unwrap().clone()
    };
    let (letter, number) = (run("special-parameters"), run("special-parameters-number"));
    for part in ["state", "reactions"] {
        let (letter, number) = (letter[part].as_object().unwrap(), number[part].as_object().unwrap());
        assert!(!letter.is_empty() && letter.len() == number.len());
        for (name, value) in letter {
            let (a, b) = (value.as_f64().expect(name), number[name].as_f64().expect(name));
            assert!((a - b).abs() < 1e-9, "{name}: {a} and {b}");
        }
    }
}

/// Every key is explained in the manual.
#[test]
fn the_manual_has_every_key() {
    let manual = include_str!("../../../docs/command-line.md");
    let affine = json(&["check", "ball-on-turntable", "--json", "--at", "x=0"]);
    let nested = ["time", "space_time", "points", "choices", "singular_set"];
    let mut keys: Vec<String> = affine.as_object().unwrap().keys().cloned().collect();
    for name in nested {
        let inner = if affine[name].is_array() { &affine[name][0] } else { &affine[name] };
        keys.extend(inner.as_object().into_iter().flat_map(|o| o.keys().cloned()));
    }
    for key in keys {
        assert!(manual.contains(&format!("`{key}`")), "{key} is not in docs/command-line.md");
    }
}

#[test]
fn walls_are_listed() {
    let report = json(&["check", "ball-rough-wall", "--json"]);
    let walls = report["walls"].as_array().unwrap();
    let names: Vec<_> = walls.iter().map(|w| w["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["right", "left"]);
    assert!(walls[0]["what"].as_str().unwrap().contains("rough"), "{}", walls[0]);
}
