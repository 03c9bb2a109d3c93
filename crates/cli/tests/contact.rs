//! `polhode contact`: the part that scripts rely on, and what people see.

use serde_json::Value;
use std::process::Command;

fn status(arguments: &[&str]) -> (i32, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_polhode"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .env("COLUMNS", "100")
        .args(arguments)
        .output()
        .expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (out.status.code().expect("an exit status"), text(&out.stdout), text(&out.stderr))
}

fn json(arguments: &[&str]) -> Value {
    let (code, out, err) = status(arguments);
    assert!(code == 0, "{arguments:?}: {err}");
    serde_json::from_str(&out).expect("exactly one JSON document")
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// J x + y of a document's affine function, with `x` by the names of the columns.
fn applied(f: &Value, x: &[f64], y: &str) -> Vec<f64> {
    let rows = f["J"].as_array().expect("rows");
    let product = |row: &Value| numbers(row).iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
    rows.iter().map(product).zip(numbers(&f[y])).map(|(a, b)| a + b).collect()
}

#[test]
fn the_document_holds_the_equations() {
    let document = json(&["contact", "models/wheel-in-shell.toml", "--at", "0.5,1", "--json"]);
    assert_eq!(document["model"], "wheel-in-shell");
    let names: Vec<&str> = document["velocities"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    assert_eq!(names.len(), 12);
    assert_eq!(names[0], "shell.V[1]");
    let samples = document["samples"].as_array().expect("samples");
    assert_eq!(samples.iter().map(|s| s["t"].as_f64()).collect::<Vec<_>>(), [Some(0.5), Some(1.0)]);
    for sample in samples {
        // state and columns have the same numbers: body axes V, Ω
        let v: Vec<f64> = ["shell", "wheel"]
            .iter()
            .flat_map(|b| ["V", "Omega"].map(|n| numbers(&sample["state"][format!("{b}.{n}")])))
            .flatten()
            .collect();
        let a: Vec<f64> =
            names.iter().map(|n| sample["accelerations"][format!("{n}'")].as_f64().expect("an acceleration")).collect();
        let contacts = sample["contacts"].as_array().expect("contacts");
        assert_eq!(contacts.iter().map(|c| c["name"].as_str()).collect::<Vec<_>>(), [Some("floor"), Some("inside")]);
        for c in contacts {
            for axes in ["world", "first"] {
                let slip = &c["slip"][axes];
                assert!(applied(slip, &v, "rest").iter().all(|x| x.abs() < 1e-12), "J v + j₀ = 0");
                assert!(applied(slip, &a, "drift").iter().all(|x| x.abs() < 1e-9), "J v̇ + J̇v + j̇₀ = 0");
            }
            for (rate, acceleration) in
                [("c_rate", "c_acceleration"), ("c1_rate", "c1_acceleration"), ("point_velocity", "point_acceleration")]
            {
                for (x, y) in applied(&c[rate], &v, "rest").iter().zip(numbers(&c[rate]["value"])) {
                    assert!((x - y).abs() < 1e-12 * (1.0 + y.abs()), "{rate}");
                }
                for (x, y) in applied(&c[rate], &a, "drift").iter().zip(numbers(&c[acceleration])) {
                    assert!((x - y).abs() < 1e-11 * (1.0 + y.abs()), "{acceleration}");
                }
            }
            // opening and tangents are all of u: the normal and the frame are orthonormal
            let row = |r: &Value| numbers(&r["J"]);
            let mut square = vec![0.0; 12];
            let rows = [&c["opening"], &c["slip"]["tangential"][0], &c["slip"]["tangential"][1]];
            rows.iter().for_each(|r| row(r).iter().zip(&mut square).for_each(|(x, s)| *s += x * x));
            for k in 0..12 {
                let own: f64 = (0..3).map(|i| numbers(&c["slip"]["first"]["J"][i])[k].powi(2)).sum();
                assert!((own - square[k]).abs() < 1e-12);
            }
            assert!(c["force"]["normal"].as_f64().expect("N") > 0.0);
            assert_eq!(c["force"]["unique"], true);
        }
        let rim = &contacts[1];
        assert_eq!(rim["between"], serde_json::json!(["wheel", "shell.inner"]));
        assert_eq!(rim["first"]["curvature_form"], Value::Null);
        assert!(rim["relative_curvature"]["curvature"].is_number());
        assert_eq!(contacts[0]["second"]["principal_curvatures"], serde_json::json!([0.0, 0.0]));
    }
    assert_eq!(document["report"]["stop"]["reason"], "end");
}

#[test]
fn forces_are_those_of_a_run() {
    let arguments = ["rattleback", "--at", "0.7", "--init", "omega=[0,0,-4]", "--json"];
    let (contact, run) = (json(&[&["contact"], &arguments[..]].concat()), json(&[&["run"], &arguments[..]].concat()));
    let (own, derived) = (&contact["samples"][0]["contacts"][0]["force"], &run["samples"][0]["derived"]);
    for (x, y) in numbers(&own["world"]).iter().zip(numbers(&derived["force"])) {
        assert!((x - y).abs() < 1e-10, "{own} {derived}");
    }
    for (a, b) in [("normal", "normal_force"), ("mu_required", "mu_required")] {
        assert!((own[a].as_f64().expect("a number") - derived[b].as_f64().expect("a number")).abs() < 1e-10);
    }
}

#[test]
fn one_contact_by_name() {
    let document = json(&["contact", "models/wheel-in-shell.toml", "--contact", "floor", "--json"]);
    let contacts = document["samples"][0]["contacts"].as_array().expect("contacts");
    assert_eq!((contacts.len(), &contacts[0]["name"]), (1, &Value::from("floor")));
    assert_eq!(document["samples"][0]["t"].as_f64(), Some(0.0));
    let (code, out, err) = status(&["contact", "models/wheel-in-shell.toml", "--contact", "flor"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("there is no contact `flor`") && err.contains("did you mean `floor`?"), "{err}");
    let (code, _, err) = status(&["contact", "rattleback", "--contact", "floor"]);
    assert!(code == 2 && err.contains("leave --contact out"), "{err}");
}

#[test]
fn refusals() {
    let (code, out, err) = status(&["contact", "chaplygin-sleigh"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error: the model has no contact\n  = "), "{err}");
    assert_eq!(status(&["contact", "no/such/file.toml"]).0, 2);
    assert_eq!(status(&["contact", "rattleback", "--at", "x"]).0, 2);
    let (code, _, err) = status(&["contact", "rattleback", "--at", "-1,1"]);
    assert!(code == 2 && err.contains("is not between 0 and the final time"), "{err}");
    assert_eq!(status(&["contact", "rattleback", "--set", "mass=2"]).0, 2);
}

#[test]
fn a_motion_that_ends_early() {
    // the upper ball flies off before t = 2
    let (code, out, err) = status(&["contact", "models/ball-on-ball.toml", "--at", "0.1,2", "--json"]);
    assert!(code == 3 && err.starts_with("stopped at t = "), "{code} {err}");
    let document: Value = serde_json::from_str(&out).expect("exactly one JSON document");
    assert_eq!(document["samples"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["report"]["stop"]["reason"], "event");
}

#[test]
fn people_see_aligned_rows() {
    let (code, out, _) = status(&["contact", "rattleback"]);
    assert_eq!(code, 0);
    for wanted in ["stone on ground", "point", "normal", "Montana", "ψ, ψ̇", "needs μ ≥", "J̇v + j̇₀", "more: --json"]
    {
        assert!(out.contains(wanted), "{wanted} in\n{out}");
    }
    assert!(out.lines().all(|l| l.chars().count() <= 110), "{out}");
}
