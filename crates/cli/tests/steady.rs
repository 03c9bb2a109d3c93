//! `polhode exact --steady`, and classical solutions: the page, the document, and what is refused.

use crate::common;

use common::{document, polhode};
use serde_json::Value;

#[test]
fn the_disk_on_a_circle() {
    let d = document(&[
        "exact",
        "rolling-disk",
        "--steady",
        "theta=1,phi'=3",
        "--point",
        "centre=[x, y, 0] + r*spoke",
        "--json",
    ]);
    let motions = d["motions"].as_array().expect("a list");
    assert_eq!(motions.len(), 1);
    let m = &motions[0];
    assert_eq!(m["family_dimension"], 2);
    assert_eq!(m["stable"], true);
    let number = |v: &Value| v.as_f64().expect("a number");
    assert_eq!(number(&m["state"]["psi'"]), -2.750_517_667_407_190_3);
    assert_eq!(number(&m["omega_squared"][0]), 8.069_636_844_691_686);
    assert_eq!(number(&m["paths"][0]["radius"]), 0.376_536_916_600_923_7);
    assert_eq!(number(&m["paths"][1]["radius"]), 0.916_839_222_469_063_5);
    let page =
        String::from_utf8(polhode(&["exact", "rolling-disk", "--steady", "theta=1,phi'=3"]).stdout).expect("text");
    assert!(page.contains("stable, to first order") && page.contains("dimension 2"), "{page}");
}

#[test]
fn a_family_as_a_table() {
    let args = ["exact", "rolling-disk", "--steady", "theta=1", "--vary", "phi'=3..1", "--steps", "3"];
    let page = String::from_utf8(polhode(&args).stdout).expect("text");
    assert_eq!(page.lines().filter(|l| l.trim_end().ends_with("stable")).count(), 3, "{page}");
    let d = document(&[&args[..], &["--json"]].concat());
    assert_eq!(d["varied"]["values"], serde_json::json!([3.0, 2.0, 1.0]));
    assert_eq!(d["branches"][0].as_array().map(Vec::len), Some(3));
}

#[test]
fn what_is_refused() {
    for (args, code, message) in [
        (&["--steady", "theta"][..], 2, "NAME=EXPR"),
        (&["--steady", "thet=1"], 2, "did you mean `theta`"),
        (&["--steady", "theta=5"], 1, "no steady motion"),
        (&["--steady", "theta=1", "--vary", "phi'=3"], 2, "A..B"),
        (&["--steady", "theta=1", "--point", "p=theta"], 2, "two or three components"),
    ] {
        let out = polhode(&[&["exact", "rolling-disk"], args].concat());
        let said = String::from_utf8_lossy(&out.stderr).to_string();
        assert_eq!(out.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(message), "{args:?}: {said}");
    }
    let walls = polhode(&["exact", "ball-rough-wall", "--steady"]);
    assert_eq!(walls.status.code(), Some(1));
}

#[test]
fn classical_solutions() {
    let d = document(&["exact", "ellipsoid-circles", "--at", "0,10", "--json"]);
    assert_eq!(d["kind"], "classical");
    let c = &d["samples"][1]["state"]["c"];
    assert_eq!(c[1].as_f64(), Some(1.490_536_505_450_196_7));
    assert_eq!(d["samples"][1]["derived"]["normal_force"].as_f64(), Some(1.467_184_710_522_292));
    let page = String::from_utf8(polhode(&["exact", "poinsot-on-sphere", "--at", "1"]).stdout).expect("text");
    assert!(page.contains("exerts no force") && page.contains("is left"), "{page}");
    // no force needs no friction, and nothing is made of roundings
    assert!(page.contains("normal_force = 0\n") && page.contains("mu_required is 0/0"), "{page}");
    let d = document(&["exact", "poinsot-on-sphere", "--at", "1", "--json"]);
    assert_eq!(d["samples"][0]["derived"]["mu_required"], Value::Null);
}

#[test]
fn nearest_and_equilibria() {
    let d = document(&["exact", "rolling-disk", "--steady", "--json"]);
    assert_eq!((d["motions"].as_array().map(Vec::len), &d["motions"][0]["open"]), (Some(1), &2.into()));
    assert!(d["motions"][0]["distance"].as_f64().is_some_and(|x| x > 0.0));
    let page = String::from_utf8(polhode(&["exact", "superegg", "--steady"]).stdout).expect("text");
    assert!(page.contains("on the motion") && page.contains("from the initial state"), "{page}");
}

#[test]
fn flags_after_a_bare_flag() {
    assert!(document(&["exact", "rolling-disk", "--steady", "--json"])["motions"].is_array());
}
