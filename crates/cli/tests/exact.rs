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
            let value = |v: &Value| v["state"][key].as_f64().unwrap_or_else(|| panic!("no {key}"));
            assert!((value(a) - value(&b)).abs() < 1e-12, "{key}: {} for {}", value(a), value(&b));
        }
    }
}

#[test]
fn formulas_in_latex() {
    let out = polhode(&["exact", "rolling-disk", "--format", "latex"]);
    let text = String::from_utf8(out.stdout).expect("text");
    for part in ["\\frac{d \\dot{\\varphi}}{d \\theta}", "\\frac{d^2 y}{d z^2}", "C_1 P_\\nu(z) + C_2 P_\\nu(-z)"] {
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
        (vec!["exact", "chaplygin-ball"], "no distance from an axis and no entry of a rotation"),
        (vec!["exact", "ball-on-turntable"], "change the energy"),
        (vec!["exact", "nonholonomic-particle", "--at", "1"], "no turning point"),
    ] {
        let out = polhode(&arguments);
        assert_eq!(out.status.code(), Some(1), "{arguments:?}");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(said.contains(words), "{said}");
    }
}
