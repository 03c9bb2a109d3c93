//! Forces on the material of a body at a point, against force and moment written out; and points that are suggested.

use polhode_model::{Model, ParseOptions};

fn read(text: &str) -> (Model, usize) {
    let options = ParseOptions::default();
    match Model::parse("test.toml", text, &options) {
        Ok((model, warnings)) => (model, warnings.iter().count()),
        Err(rejected) => panic!("{:?}", rejected.diagnostics),
    }
}

/// The generalised forces at a state, by the names of their velocities. All positions and velocities have values of their own, with R a
/// turn about (1, 2, 2)/3.
fn forces(model: &Model) -> Vec<(String, f64)> {
    let (s, c) = 0.7_f64.sin_cos();
    let n = [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
    let hat = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]];
    let turn = |i: usize, j: usize| {
        let one = if i == j { 1.0 } else { 0.0 };
        c * one + s * hat[i][j] + (1.0 - c) * n[i] * n[j]
    };
    let mut values = model.parameter_values().expect("values");
    for factor in model.configuration.factors() {
        let spin = factor.positions.len() == 12;
        for (k, p) in factor.positions.iter().enumerate() {
            values.insert(*p, if spin && k < 9 { turn(k / 3, k % 3) } else { 0.3 + 0.17 * k as f64 });
        }
        for (k, v) in factor.velocities.iter().enumerate() {
            values.insert(*v, 0.9 - 0.31 * k as f64);
        }
    }
    let value = |e| model.graph.evaluate_f64(e, &values).expect("a value");
    model.forces.iter().map(|(v, e)| (model.graph.name(*v).to_owned(), value(*e))).collect()
}

fn assert_same(a: &str, b: &str) {
    let (a, b) = (forces(&read(a).0), forces(&read(b).0));
    assert!(!a.is_empty());
    for (name, x) in &b {
        let y = a.iter().find(|(n, _)| n == name).map_or(0.0, |(_, y)| *y);
        assert!((x - y).abs() < 1e-12, "{name}: {y} and {x}");
    }
    assert!(a.iter().all(|(name, x)| x.abs() < 1e-12 || b.iter().any(|(n, _)| n == name)), "{a:?} {b:?}");
}

const BALL: &str = "[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.1 }\n[ground]\nsurface = \"plane\"\nfrictionless = true\n";

#[test]
fn the_material_of_a_body_feels_force_and_moment() {
    let at = "x_O + [0.3*x_O[1], 3, 0.2] - R*[0.1, 0, 0.4]";
    let f = "[1, -0.4*x_O[2], 2]";
    let point = format!("{BALL}[[force]]\non = \"ball\"\nat = \"{at}\"\nforce = \"{f}\"\n");
    let written = format!("{BALL}[forces]\nx_O = \"{f}\"\nomega = \"cross({at} - x_O, {f})\"\n");
    assert_same(&point, &written);
    // at the mass centre if nothing is said
    let point = format!("{BALL}[[force]]\non = \"ball\"\nforce = \"{f}\"\ntorque = \"[1, 2, 3]\"\n");
    assert_same(&point, &format!("{BALL}[forces]\nx_O = \"{f}\"\nomega = \"[1, 2, 3]\"\n"));
}

#[test]
fn friction_at_the_contact_has_a_moment() {
    let slip = "velocity_at(x_O, R, c1)";
    let point = format!("{BALL}[[force]]\non = \"ball\"\nat = \"c1\"\nforce = \"-0.5*{slip}\"\n");
    assert_eq!(read(&point).1, 0);
    assert_same(&point, &format!("{BALL}[forces]\ndissipation = \"0.5/2*norm2({slip})\"\n"));
    // without `on` it has none, and that is said
    let (model, warnings) = read(&point.replace("on = \"ball\"\n", ""));
    assert_eq!(warnings, 1);
    assert!(forces(&model).iter().all(|(name, x)| !name.contains("Omega") || x.abs() < 1e-12));
}

#[test]
fn bodies_in_the_plane_take_two_components() {
    let rod = "[coordinates]\nx = \"real\"\ny = \"real\"\ntheta = \"angle\"\n[body.rod]\nmass = 1\ninertia = 0.1\nposition = \"[x, y]\"\nrotation = \"theta\"\n";
    let point = format!("{rod}[[force]]\non = \"rod\"\nat = \"[1, 2]\"\nforce = \"[3, 4]\"\n");
    // (p − x) × f about the normal
    let written = format!("{rod}[forces]\nx = \"3\"\ny = \"4\"\ntheta = \"(1 - x)*4 - (2 - y)*3\"\n");
    assert_same(&point, &written);
    let turned = format!("{rod}[[force]]\non = \"rod\"\ntorque = \"5\"\n");
    assert_same(&turned, &format!("{rod}[forces]\ntheta = \"5\"\n"));
}

#[test]
fn the_suggested_point_is_accepted() {
    let egg = |point: &str| {
        format!(
            "[body.egg]\nmass = 0.2\ninertia = \"solid\"\nsurface = {{ ellipsoid = [0.03, 0.04, 0.05] }}\n[ground]\nsurface = {{ implicit = \"z - x^2/2 + y^2/1.5\" }}\n[initial.egg]\ntouching = {point}\n"
        )
    };
    let refused = Model::parse("test.toml", &egg("[0.1, 0.05, 0.00333]"), &ParseOptions::default());
    let rejected = refused.expect_err("a point beside its surface");
    let help = rejected.diagnostics.iter().find_map(|d| d.help.clone()).expect("a suggestion");
    let point = help.split("about ").nth(1).expect("a point");
    assert_eq!(read(&egg(point)).1, 0);
}
