//! What each construct of the language means.

use crate::{Kind, Model, ParseOptions};
use polhode_expr::{Expr, Graph, print};
use rustc_hash::FxHashMap;

fn parse(text: &str) -> Model {
    parse_with(text, &ParseOptions::default())
}

fn parse_with(text: &str, options: &ParseOptions) -> Model {
    match Model::parse("test.toml", text, options) {
        Ok((model, _)) => model,
        Err(rejected) => panic!("{rejected}"),
    }
}

fn codes(text: &str) -> Vec<&'static str> {
    codes_with(text, &ParseOptions::default())
}

fn codes_with(text: &str, options: &ParseOptions) -> Vec<&'static str> {
    match Model::parse("test.toml", text, options) {
        Ok((_, warnings)) => warnings.iter().map(|d| d.code).collect(),
        Err(rejected) => rejected.diagnostics.iter().map(|d| d.code).collect(),
    }
}

/// Asserts that two formulas of a model agree, written in the model's own symbols.
fn assert_equal(g: &mut Graph, a: Expr, b: Expr) {
    let shown = (print::ascii(g, a), print::ascii(g, b));
    assert!(g.equal(a, b).is_equal(), "{shown:?}");
}

const DISK: &str = r#"
title     = "Disk rolling on a horizontal plane"
reference = "Cendra & Díaz 2006"

[parameters]
M  = 1.0               # mass, kg
r  = 1.0               # radius, m
g  = 9.81
I1 = "M*r^2/4"         # about a diameter
I3 = "M*r^2/2"         # about the axis

[coordinates]
theta = "(0, pi)"      # axis against the vertical
phi   = "angle"        # heading
psi   = "angle"        # roll
x     = "real"         # contact point
y     = "real"

[define]
axis   = "[sin(theta)*sin(phi), -sin(theta)*cos(phi), cos(theta)]"
spoke  = "[-cos(theta)*sin(phi), cos(theta)*cos(phi), sin(theta)]"
centre = "[x, y, 0] + r*spoke"

[lagrangian]
kinetic   = "M/2*norm2(dt(centre)) + I1/2*norm2(dt(axis)) + I3/2*(psi' + phi'*cos(theta))^2"
potential = "M*g*centre[3]"

[constraints]
"no slip x" = "x' = -r*cos(phi)*psi'"
"no slip y" = "y' = -r*sin(phi)*psi'"

[symmetry]
generators = ["d/dpsi", "d/dx", "d/dy"]

[initial]
position = { theta = 1.0, phi = 0, psi = 0, x = 0, y = 0 }
velocity = { theta = 0.2, phi = 1.5, psi = 2.5 }
"#;

#[test]
fn rolling_disk() {
    let mut model = parse(DISK);
    assert_eq!(model.name, "test");
    assert_eq!(model.configuration.dimension(), 5);
    assert!(matches!(model.configuration.factors()[0].kind, Kind::Interval(..)));
    assert_eq!(model.parameters.len(), 5);
    let values = model.parameter_values().unwrap();
    assert_eq!(values[&model.parameter("I1").unwrap().symbol], 0.25);
    let names: Vec<&str> = model.constraints.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["no slip x", "no slip y"]);
    assert_eq!(model.symmetries.len(), 3);
    assert_eq!(model.initial.len(), 8);
    let lagrangian = model.lagrangian.unwrap();
    let g = &mut model.graph;
    // the kinetic energy in ψ' alone is I3/2
    let psi = g.symbol("psi'");
    let once = g.derivative(lagrangian, psi);
    let twice = g.derivative(once, psi);
    let i3 = g.named("I3");
    assert_equal(g, twice, i3);
    let mut at = FxHashMap::default();
    at.extend(values);
    for (name, x) in [("theta", 1.0), ("phi", 0.0), ("x", 0.0), ("y", 0.0), ("theta'", 0.0), ("phi'", 0.0), ("psi'", 0.0), ("x'", 0.0), ("y'", 0.0)] {
        at.insert(g.symbol(name), x);
    }
    let rest = g.evaluate_f64(lagrangian, &at).unwrap();
    assert!((rest + 9.81 * 1.0_f64.sin()).abs() < 1e-14);
    assert!(codes("").contains(&"missing-section"));
    let options = ParseOptions { parameters: vec![("rr".into(), "2".into())], initial: vec![] };
    assert_eq!(codes_with(DISK, &options), ["unknown-name"]);
}
