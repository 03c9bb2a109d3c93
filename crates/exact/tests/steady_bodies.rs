//! Steady motions of bodies in contact: circles, forces, frequencies against closed forms.

use crate::common;

use common::{close, problem};
use polhode_exact::steady::{Shape, Wish};
use polhode_tape::{Dd, Scalar};

/// [Voronets1911, §17]: spheroids on each other along parallels; the speeds are those of a reference in 28 digits.
#[test]
fn voronets_steady_parallels() {
    let text = r#"
[gravity]
g = 1
[body.egg]
mass    = 1
surface = { spheroid = [1, "3/2"], centre = [0, 0, "-1/5"] }
inertia = ["13/20", "13/20", "2/5"]
[ground]
surface   = { spheroid = [3, 2] }
bilateral = true
[initial.egg]
contact        = "[9/10, 0, -1/5 + 3/2*sqrt(19/100)]"
touching       = "[1/2, 0, 2*sqrt(35/36)]"
tangent_body   = [0, 1, 0]
tangent_ground = [0, 1, 0]
Omega          = ["-0.2", "0", "-0.2"]
"#;
    let wish = Wish::default().with("c[1]^2 + c[2]^2", "81/100").with("c1[1]^2 + c1[2]^2", "1/4");
    let problem = problem(text, &[], &wish);
    assert_eq!(problem.generators.len(), 2, "{:?}", problem.generators);
    let motions = problem.solve();
    let m = &motions[0];
    assert_eq!((m.family, m.open), (2, 0));
    // the contact goes round the ground at v̇₁ and round the body at v̇
    let contact = m.paths.iter().find(|p| p.name == "contact").unwrap();
    let Shape::Circle { radius, centre, rate } = &contact.shape else { panic!("{contact:?}") };
    close("radius", *radius, Dd::from(0.5), 1e-26);
    close("centre", centre[0] * centre[0] + centre[1] * centre[1], Dd::ZERO, 1e-26);
    let v1: Dd = "0.2744053523616163510355739990".parse().unwrap();
    close("v1'", rate[2].abs(), v1, 1e-26);
    let omega = |k: usize| m.value(&problem, &format!("Omega[{k}]")).unwrap();
    let across = (omega(1) * omega(1) + omega(2) * omega(2)).sqrt();
    close("Omega across the axis", across, "0.25004723933310717499033304760158".parse().unwrap(), 1e-26);
    close("Omega along the axis", omega(3).abs(), "0.26547252804982165969959883748795".parse().unwrap(), 1e-26);
}

/// Euler's disk with its centre at rest: W² = 4g/(a sin α), and the contact runs round at a cos α, either way.
#[test]
fn euler_disk() {
    let text = include_str!("../../../models/euler-disk.toml");
    let wish = Wish::default().with("R[3,3]", "cos(alpha)").with("V[1]", "0").with("V[2]", "0");
    let problem = problem(text, &[], &wish);
    let motions = problem.solve();
    assert_eq!(motions.len(), 2);
    let (s, c) = (Dd::PI / Dd::from(18.0)).sin_cos();
    let a = Dd::ratio(375, 10000);
    for m in &motions {
        let contact = m.paths.iter().find(|p| p.name == "contact").unwrap();
        let Shape::Circle { radius, rate, .. } = &contact.shape else { panic!("{contact:?}") };
        close("radius", *radius, a * c, 1e-24);
        close("W^2", rate[2] * rate[2], Dd::ratio(3924, 100) / (a * s), 1e-24);
        let centre = m.paths.iter().find(|p| p.name == "centre of disk").unwrap();
        assert_eq!(centre.shape, Shape::Rest);
    }
}

/// A tyre: the force that turns the centre round its circle is what the moments about it need, and of the solutions for which the plane passes
/// through it none is listed.
#[test]
fn torus() {
    let text = include_str!("../../../models/torus-on-plane.toml");
    let problem = problem(text, &[], &Wish::default().with("R[3,3]", "1/4").with("omega[3]", "2"));
    let motions = problem.solve();
    assert_eq!(motions.len(), 2);
    for m in &motions {
        let value = |name: &str| m.value(&problem, name).unwrap();
        // on the outer side, a cos α + b above the plane, where cos α = sin of the inclination of the axis
        let sine = (Dd::ratio(15, 16)).sqrt();
        close("height", value("x_O[3]"), sine + Dd::ratio(1, 4), 1e-26);
        // Ω about the axis e, about the horizontal, about the rest: precession W about the vertical, spin n about the axis;
        // d(angular momentum about the centre)/dt = moment of the reaction (M W² ρ inwards, M g upwards)
        let [contact, centre] = ["contact", "centre of tyre"].map(|n| m.paths.iter().find(|p| p.name == n).unwrap());
        let Shape::Circle { rate, centre: middle, .. } = &centre.shape else { panic!("{centre:?}") };
        let w = rate[2];
        let out = [0, 1].map(|i| centre.position[i] - middle[i]);
        let force = [-(w * w * out[0]), -(w * w * out[1]), Dd::ONE];
        let arm = [0, 1, 2].map(|i| contact.position[i] - centre.position[i]);
        let moment = [arm[1] * force[2] - arm[2] * force[1], arm[2] * force[0] - arm[0] * force[2]];
        let r = |i: usize, j: usize| value(&format!("R[{i},{j}]"));
        let omega = [1, 2, 3].map(|j| value(&format!("Omega[{j}]")));
        let inertia = [Dd::ratio(3, 5), Dd::ratio(3, 5), Dd::ONE];
        let l = [1, 2].map(|i| (0..3).fold(Dd::ZERO, |s, j| s + r(i, j + 1) * inertia[j] * omega[j]));
        // L turns with W about the vertical
        close("moment 1", moment[0], -(w * l[1]), 1e-24);
        close("moment 2", moment[1], w * l[0], 1e-24);
        assert_eq!((m.family, m.open, m.spectrum.zeros), (2, 0, 2));
        close("N", value("normal_force"), Dd::ONE, 1e-24);
        let across = (force[0] * force[0] + force[1] * force[1]).sqrt();
        close("friction", value("mu_required"), across, 1e-24);
    }
}

/// An egg on a sphere under a central force: the circle of the contact lies on the sphere, and it is a great one for no motion of these.
#[test]
fn egg_on_a_sphere() {
    let text = include_str!("../../../models/spheroid-on-sphere.toml");
    let problem = problem(text, &[], &Wish::default().with("c[3]", "-1/2").with("Omega[3]", "2"));
    // SO(3), and turns of the egg about its axis
    assert_eq!(problem.generators.len(), 4, "{:?}", problem.generators);
    let motions = problem.solve();
    assert_eq!(motions.len(), 2);
    for m in &motions {
        let contact = m.paths.iter().find(|p| p.name == "contact").unwrap();
        let Shape::Circle { radius, centre, rate } = &contact.shape else { panic!("{contact:?}") };
        let square = |v: &[Dd; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        close("on the sphere", *radius * *radius + square(centre), Dd::from(4.0), 1e-26);
        let across = [1, 2, 0].map(|i| centre[i] * rate[(i + 1) % 3] - centre[(i + 1) % 3] * rate[i]);
        close("centre on the axis", square(&across), Dd::ZERO, 1e-26);
        assert!(radius.to_f64() < 2.0 - 1e-3);
        assert_eq!((m.family, m.open, m.spectrum.zeros, m.spectrum.frequencies().len()), (2, 0, 2, 1));
        assert!(m.spectrum.stable());
        // after any time the contact is on the same circle, and the state is still one of contact
        let later = m.positions_at(Dd::from(7.5)).unwrap();
        let at = |name: &str| later[problem.symbols.iter().position(|s| s == name).unwrap()];
        close("c[3]", at("c[3]"), Dd::from(-0.5), 1e-26);
        let away = [1, 2, 3].map(|i| {
            let turned = (1..=3).fold(Dd::ZERO, |s, j| s + at(&format!("R[{i},{j}]")) * at(&format!("c[{j}]")));
            at(&format!("x_O[{i}]")) + turned
        });
        close("contact on the sphere", square(&away), Dd::from(4.0), 1e-26);
    }
}

/// A ball in a bowl: the centre's circle of radius ρ needs the force M W² ρ, and the contact pushes along its normal and along the path
/// only as moments allow: two motions for each spin.
#[test]
fn ball_in_a_bowl() {
    let text = include_str!("../../../models/ball-in-paraboloid.toml");
    let problem = problem(text, &[], &Wish::default().with("c1[3]", "1/2").with("dot(c, Omega)", "1/4"));
    let motions = problem.solve();
    assert_eq!(motions.len(), 2);
    for m in &motions {
        let value = |name: &str| m.value(&problem, name).unwrap();
        let path = |name: &str| m.paths.iter().find(|p| p.name == name).unwrap();
        close("contact", path("contact").radius().unwrap(), Dd::ONE, 1e-26);
        let Shape::Circle { radius, rate, .. } = &path("centre of ball").shape else { panic!() };
        // the slope is 45° there: the centre is r/√2 within
        close("centre", *radius, Dd::ONE - Dd::from(0.25) / Dd::from(2.0).sqrt(), 1e-26);
        let w = rate[2];
        let force = [1, 2, 3].map(|i| value(&format!("force[{i}]")));
        let inwards = (force[0] * force[0] + force[1] * force[1]).sqrt();
        close("force", inwards, w * w * *radius, 1e-24);
        close("weight", force[2], Dd::ONE, 1e-24);
        // 2/5 M r² dω/dt = c × F, where ω turns with W about the vertical: its horizontal part is radial
        let moment = Dd::from(0.25) / Dd::from(2.0).sqrt() * (inwards - Dd::ONE);
        let omega = [1, 2]
            .map(|i| (1..=3).fold(Dd::ZERO, |s, j| s + value(&format!("R[{i},{j}]")) * value(&format!("Omega[{j}]"))));
        let horizontal = (omega[0] * omega[0] + omega[1] * omega[1]).sqrt();
        close("moment", moment.abs(), Dd::ratio(2, 5) * Dd::ratio(1, 16) * w.abs() * horizontal, 1e-24);
        assert!(m.spectrum.stable());
    }
}

/// Models that have no steady motions to speak of say why.
#[test]
fn refusals() {
    let parse = |text: &str| {
        let (model, _) = polhode_model::Model::parse("model.toml", text, &Default::default()).unwrap();
        polhode_mechanics::System::new(&model).unwrap().0
    };
    let plain = "[coordinates]\nx = 'real'\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = 'x^2'\n[initial]\nposition = { x = 1 }";
    let timed = plain
        .replace("'x^2'", "'y^2*cos(t)'")
        .replace("x = 'real'", "x = 'real'\ny = 'real'")
        .replace("x'^2/2", "(x'^2 + y'^2)/2");
    for (text, wish, message) in [
        (&timed, Wish::default(), "contain time"),
        (&timed.replace("cos(t)", "2"), Wish::default().with("[x, y]", "1"), "not a number"),
        (&timed.replace("cos(t)", "2"), Wish::default().with("z", "1"), "z"),
        (&timed.replace("cos(t)", "2"), Wish::default().point("p", "x"), "two or three components"),
    ] {
        let refused = polhode_exact::steady::Problem::new(&mut parse(text), &wish).unwrap_err().to_string();
        assert!(refused.contains(message), "{refused}");
    }
}

/// A particle that slides down nothing: its steady motions are straight lines, and rest is one of them.
#[test]
fn lines_and_rest() {
    let text = "[coordinates]\nx = 'real'\ny = 'real'\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '2*y^2'\n[initial]\nvelocity = { x = 1 }\n";
    let problem = problem(text, &[], &Wish::default().with("x'", "3").point("p", "[x, y]"));
    let motions = problem.solve();
    let m = &motions[0];
    assert_eq!((motions.len(), m.family, m.open), (1, 1, 0));
    assert_eq!(m.paths[0].shape, Shape::Line);
    close("frequency", m.spectrum.frequencies()[0], Dd::from(2.0), 1e-28);
    let rest = problem.solve_for(&[Dd::ZERO]);
    assert_eq!(rest[0].paths[0].shape, Shape::Rest);
}

/// Rest of a sleigh: every slow motion is next to it, and it is exactly that.
#[test]
fn rest_is_exact() {
    let text = include_str!("../../../models/chaplygin-sleigh.toml");
    let problem = problem(text, &[], &Wish::default().with("theta'", "0").with("x'", "0").with("y'", "0"));
    let m = problem.solve().remove(0);
    assert!(m.velocity.iter().all(|x| *x == Dd::ZERO));
    assert_eq!((m.paths[0].shape.clone(), m.spectrum.zeros), (Shape::Rest, 2));
}
