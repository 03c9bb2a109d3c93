//! `polhode run --method exact`.

use serde_json::Value;
use std::process::Command;

fn status(arguments: &[&str]) -> (i32, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_polhode")).args(arguments).output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (out.status.code().expect("an exit status"), text(&out.stdout), text(&out.stderr))
}

fn json(arguments: &[&str]) -> Value {
    let (code, out, err) = status(arguments);
    assert_eq!(code, 0, "{arguments:?}: {err}");
    serde_json::from_str(&out).expect("exactly one JSON document")
}

#[test]
fn exact_samples_have_the_shape_and_the_values_of_a_run() {
    let exact = json(&["run", "rolling-disk", "--method", "exact", "--at", "1,5,1000000", "--json"]);
    let usual = json(&["run", "rolling-disk", "--at", "1,5", "--json"]);
    for (a, b) in
        exact["samples"].as_array().expect("samples").iter().zip(usual["samples"].as_array().expect("samples"))
    {
        for part in ["state", "derived", "reactions"] {
            let (a, b) = (a[part].as_object().expect("a table"), b[part].as_object().expect("a table"));
            assert!(a.keys().eq(b.keys()));
            for (name, x) in a.iter().filter(|(_, x)| x.is_number()) {
                let (x, y) = (x.as_f64().expect("a number"), b[name].as_f64().expect("a number"));
                assert!((x - y).abs() < 1e-12 * (1.0 + y.abs()), "{name}: {x} {y}");
            }
        }
    }
    let report = &exact["report"];
    assert_eq!(report["method"]["name"], "exact");
    assert!((report["exact"]["period"].as_f64().expect("a number") - 0.983_165_714_299_552_8).abs() < 1e-15);
    assert_eq!(report["exact"]["bounded"], true);
    assert_eq!(exact["samples"].as_array().expect("samples").len(), 3);
}

#[test]
fn what_is_not_exact_is_refused_with_the_reason() {
    let (code, _, err) = status(&["run", "chaplygin-sleigh", "--method", "exact"]);
    assert!(code == 2 && err.contains("tends to a steady one") && err.contains("--method taylor"), "{code} {err}");
    let (code, _, err) = status(&["run", "ball-on-ball", "--method", "exact"]);
    assert!(code == 3 && err.contains("lift off"), "{code} {err}");
    let (code, _, err) = status(&["run", "rolling-disk", "--method", "exact", "--step", "0.1"]);
    assert!(code == 2 && err.contains("leave --step out"), "{code} {err}");
}
