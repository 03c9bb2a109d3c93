//! Classical solutions: recognised from the model, against 30-digit states and against integration.

use crate::common::solutions;

use polhode_exact::particular::{Kind, observed, recognise};
use polhode_tape::{Dd, Scalar};
use solutions::{agrees_with_run, near, solved, system};

/// [Voronets1911, §§12, 15, 17]: states at t = 0, 1, 5, 10 in 30 digits.
#[test]
fn states_of_the_reference() {
    let models = [
        ("poinsot-on-sphere", include_str!("../../../models/poinsot-on-sphere.toml")),
        ("ellipsoid-circles", include_str!("../../../models/ellipsoid-circles.toml")),
        ("gyro-ball-on-plane", include_str!("../../../models/gyro-ball-on-plane.toml")),
    ];
    for (name, text) in models {
        let (_, solution) = solved(text);
        assert!(solution.residual < 1e-25, "{name}: {:e}", solution.residual);
        for line in include_str!("data/voronets_states.txt").lines().filter(|l| l.starts_with(name)) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (t, quantity) = (words[1].parse::<Dd>().unwrap(), words[2]);
            let state = solution.at(t);
            let found: Vec<Dd> = match quantity {
                "R" => state.rotation.concat(),
                "omega_body" => state.omega.to_vec(),
                "x_O" => state.centre.to_vec(),
                "c_body" => state.contact.to_vec(),
                "c1_world" => state.contact_in_world.to_vec(),
                other => panic!("{other}"),
            };
            for (x, wanted) in found.iter().zip(&words[3..]) {
                near(&format!("{name} {t} {quantity}"), *x, wanted.parse().unwrap(), 1e-28);
            }
        }
    }
}

/// §12: no force at the contact. With another inertia the body is not free, and nothing is recognised.
#[test]
fn poinsot_on_the_sphere() {
    let text = include_str!("../../../models/poinsot-on-sphere.toml");
    let (mut model, solution) = solved(text);
    assert!(matches!(solution.kind, Kind::Poinsot { .. }));
    for t in [0.5, 3.0] {
        for (name, x) in observed(&mut model, &solution, Dd::from(t)).unwrap() {
            if name.starts_with("force") || name == "normal_force" {
                assert_eq!(x, Some(Dd::ZERO), "{name}");
            }
            // no force needs no friction: 0/0, not a ratio of roundings
            if name == "mu_required" {
                assert_eq!(x, None);
            }
        }
    }
    let other = text.replace("inertia = [\"A\", \"B\", \"C\"]", "inertia = [\"A\", \"B\", \"17/16*C\"]");
    assert_ne!(other, text);
    assert!(recognise(&mut system(&other)).unwrap().is_none());
}

/// §17: the reaction P(2b) − ½ M b ω₀² and the friction √((a² − b²)(b² − c²))/(ac); with A ≠ C, or a force across O O₁, no solution.
#[test]
fn equal_ellipsoids() {
    let text = include_str!("../../../models/ellipsoid-circles.toml");
    let (mut model, solution) = solved(text);
    let Kind::Circles(circles) = &solution.kind else { panic!("{:?}", solution.kind) };
    near("reaction", circles.reaction, Dd::ratio(20, 9) - Dd::ratio(3, 4), 1e-28);
    near("friction", circles.friction, (Dd::ratio(7, 4) * Dd::ratio(5, 4)).sqrt() / Dd::from(2.0), 1e-28);
    near("period", circles.period(), Dd::PI * Dd::from(4.0), 1e-28);
    let mut most = 0.0f64;
    for k in 0..40 {
        let t = circles.period() * Dd::from(f64::from(k) / 40.0);
        let report = observed(&mut model, &solution, t).unwrap();
        let get = |n: &str| report.iter().find(|(name, _)| name == n).unwrap().1.unwrap();
        let force = [1, 2, 3].map(|i| get(&format!("force[{i}]")));
        let size = force.iter().fold(Dd::ZERO, |s, x| s + *x * *x).sqrt();
        near("force", size, circles.reaction.abs(), 1e-24);
        most = most.max(get("mu_required").to_f64());
    }
    let bound = circles.friction.to_f64();
    assert!(most <= bound + 1e-12 && most > 0.98 * bound, "{most} {bound}");
    for (from, to) in [
        ("[\"4/5\", \"6/5\", \"4/5\"]", "[\"4/5\", \"6/5\", \"3/5\"]"),
        ("\"-mu/norm(x_O)\"", "\"-mu/norm(x_O) + x_O[2]\""),
    ] {
        let other = text.replace(from, to);
        assert_ne!(other, text);
        assert!(recognise(&mut system(&other)).unwrap().is_none(), "{to}");
    }
    // fast enough the contact would pull
    let fast = text.replace("Omega    = \"[-qz, 0, qx]\"", "Omega    = \"2*[-qz, 0, qx]\"");
    assert_ne!(fast, text);
    let fast = fast.replace(
        "surface = { ellipsoid = [2, \"b\", 1] }\n\n[lag",
        "surface = { ellipsoid = [2, \"b\", 1] }\nbilateral = true\n\n[lag",
    );
    let (_, solution) = solved(&fast);
    let Kind::Circles(circles) = &solution.kind else { panic!() };
    near("reaction", circles.reaction, Dd::ratio(20, 9) - Dd::from(3.0), 1e-28);
}

/// Euler's case from the model, near the unstable axis, against integration in double-doubles.
#[test]
fn free_rotation() {
    let text = include_str!("../../../models/free-rigid-body.toml");
    let (mut model, solution) = solved(text);
    let Kind::Free(rotation) = &solution.kind else { panic!() };
    assert!(solution.residual < 1e-28);
    agrees_with_run(&mut model, &solution.at(Dd::from(12.0)), 12.0, 1e-22);
    let period = rotation.period().unwrap();
    let later = rotation.at(period);
    (0..3).for_each(|i| near("period", later.omega[i], solution.at(Dd::ZERO).omega[i], 1e-26));
    let coarse = rotation.at(12.0f64);
    let fine = rotation.at(Dd::from(12.0));
    (0..9).for_each(|k| assert!((coarse.rotation[k / 3][k % 3] - fine.rotation[k / 3][k % 3].to_f64()).abs() < 1e-15));
}

/// [Voronets1911, §17], meridians: an egg that rocks on a plane, on a sphere that attracts it, in a hollow; a spheroid on a spheroid.
#[test]
fn rocking_along_meridians() {
    let egg = |body: &str, ground: &str, potential: &str, contact: &str, touching: &str, omega: &str| {
        format!(
            "[gravity]\ng = 1\n[body.egg]\nmass = 1\nsurface = {body}\ninertia = [\"13/20\", \"13/20\", \"2/5\"]\n[ground]\nsurface = {ground}\nbilateral = true\n\
             {potential}[initial.egg]\ncontact = {contact}\ntouching = {touching}\ntangent_body = [0, 1, 0]\ntangent_ground = [0, 1, 0]\nOmega = {omega}\n"
        )
    };
    let lopsided = "{ spheroid = [1, \"6/5\"], centre = [0, 0, \"2/5\"] }";
    let cases = [
        egg(lopsided, "\"plane\"", "", "{ normal = [3, 0, -4] }", "[0, 0, 0]", "[0, \"1/4\", 0]"),
        egg(lopsided, "{ sphere = 4, inside = true }", "", "{ normal = [1, 0, -3] }", "[0, 0, -4]", "[0, \"-1/4\", 0]"),
        egg(
            "{ sphere = 1, centre = [0, 0, \"2/5\"] }",
            "{ spheroid = [3, 2] }",
            "",
            "{ normal = [1, 0, -9] }",
            "[0, 0, 2]",
            "[0, \"1/5\", 0]",
        ),
    ];
    for (k, text) in cases.iter().enumerate() {
        let (mut model, solution) = solved(text);
        let Kind::Meridian(motion) = &solution.kind else { panic!("case {k}: {}", solution.title()) };
        assert!(solution.residual < 1e-24, "case {k}: {:e}", solution.residual);
        let t = motion.period().to_f64() * 0.8;
        agrees_with_run(&mut model, &solution.at(Dd::from(t)), t, 1e-20);
        let (a, b) = (solution.at(Dd::from(t)), solution.at(Dd::from(t) + motion.period()));
        (0..3).for_each(|i| near("period", a.centre[i], b.centre[i], 1e-24));
    }
}
