//! Classical solutions: recognised from the model, against 30-digit states and against integration.

use polhode_exact::particular::{Ball, BallMotion, Ground, Kind, NotSolved, RigidState, Solution, observed, recognise};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, Precision, Run};
use polhode_tape::{Dd, Scalar};

fn system(text: &str) -> System {
    let (model, _) = Model::parse("model.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    System::new(&model).unwrap_or_else(|e| panic!("{e}")).0
}

fn solved(text: &str) -> (System, Solution) {
    let mut system = system(text);
    let solution = recognise(&mut system).unwrap().expect("a classical solution");
    (system, solution)
}

fn near(what: &str, a: Dd, b: Dd, tolerance: f64) {
    assert!((a - b).to_f64().abs() <= tolerance, "{what}: {a} for {b}, {:e}", (a - b).to_f64());
}

/// A state against what a run in double-doubles has at t.
fn agrees_with_run(system: &mut System, state: &RigidState, t: f64, tolerance: f64) {
    let run = system.compile().unwrap().solve(&Run::until(t).precision(Precision::DoubleDouble)).unwrap();
    let sample = run.at(t).unwrap();
    let get = |name: String| sample.get_digits(&name).unwrap_or_else(|| panic!("{name}"));
    for i in 0..3 {
        near("Omega", state.omega[i], get(format!("Omega[{}]", i + 1)), tolerance);
        for j in 0..3 {
            near("R", state.rotation[i][j], get(format!("R[{},{}]", i + 1, j + 1)), tolerance);
        }
    }
}

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
    let (mut system, solution) = solved(text);
    assert!(matches!(solution.kind, Kind::Poinsot { .. }));
    for t in [0.5, 3.0] {
        for (name, x) in observed(&mut system, &solution, Dd::from(t)).unwrap() {
            if name.starts_with("force") || name == "normal_force" {
                near(&name, x, Dd::ZERO, 1e-26);
            }
        }
    }
    let other = text.replace("inertia = [\"A\", \"B\", \"C\"]", "inertia = [\"A\", \"B\", \"17/16*C\"]");
    assert_ne!(other, text);
    assert!(recognise(&mut self::system(&other)).unwrap().is_none());
}

/// §17: the reaction P(2b) − ½ M b ω₀² and the friction √((a² − b²)(b² − c²))/(ac); with A ≠ C, or a force across O O₁, no solution.
#[test]
fn equal_ellipsoids() {
    let text = include_str!("../../../models/ellipsoid-circles.toml");
    let (mut system, solution) = solved(text);
    let Kind::Circles(circles) = &solution.kind else { panic!("{:?}", solution.kind) };
    near("reaction", circles.reaction, Dd::ratio(20, 9) - Dd::ratio(3, 4), 1e-28);
    near("friction", circles.friction, (Dd::ratio(7, 4) * Dd::ratio(5, 4)).sqrt() / Dd::from(2.0), 1e-28);
    near("period", circles.period(), Dd::PI * Dd::from(4.0), 1e-28);
    let mut most = 0.0f64;
    for k in 0..40 {
        let t = circles.period() * Dd::from(f64::from(k) / 40.0);
        let report = observed(&mut system, &solution, t).unwrap();
        let get = |n: &str| report.iter().find(|(name, _)| name == n).unwrap().1;
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
        assert!(recognise(&mut self::system(&other)).unwrap().is_none(), "{to}");
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
    let (mut system, solution) = solved(text);
    let Kind::Free(rotation) = &solution.kind else { panic!() };
    assert!(solution.residual < 1e-28);
    agrees_with_run(&mut system, &solution.at(Dd::from(12.0)), 12.0, 1e-22);
    let period = rotation.period().unwrap();
    let later = rotation.at(period);
    (0..3).for_each(|i| near("period", later.omega[i], solution.at(Dd::ZERO).omega[i], 1e-26));
    let coarse = rotation.at(12.0f64);
    let fine = rotation.at(Dd::from(12.0));
    (0..9).for_each(|k| assert!((coarse.rotation[k / 3][k % 3] - fine.rotation[k / 3][k % 3].to_f64()).abs() < 1e-15));
}

/// A ball with a rotor on a sphere and in a hollow one.
fn joukovski(ground: &str, touching: &str, normal: &str) -> String {
    format!(
        r#"
[body.ball]
mass      = "7/5"
surface   = {{ sphere = "3/4" }}
inertia   = ["1/2", "1/2", "1/2"]
gyroscope = {{ momentum = "4/5", axis = [0, 0, 1] }}
[ground]
surface   = {ground}
bilateral = true
[lagrangian]
potential = "-10/norm(x_O)"
[initial.ball]
contact  = {{ normal = {normal} }}
touching = {touching}
Omega    = [1, "1/2", "1/3"]
"#
    )
}

/// [Voronets1911, §15]: Joukovski's ball on a sphere: x(t) is elliptic, everything else a quadrature.
#[test]
fn joukovski_on_a_sphere() {
    for (ground, touching, normal) in [
        ("{ sphere = 2 }", "[0, \"6/5\", \"8/5\"]", "[2, 1, -2]"),
        ("{ sphere = 3, inside = true }", "[0, \"9/5\", \"-12/5\"]", "[2, 1, -2]"),
    ] {
        let (mut system, solution) = solved(&joukovski(ground, touching, normal));
        let Kind::Ball(motion) = &solution.kind else { panic!() };
        assert!(solution.residual < 1e-26, "{:e}", solution.residual);
        agrees_with_run(&mut system, &solution.at(Dd::from(4.0)), 4.0, 1e-22);
        let elliptic = motion.elliptic().expect("homogeneous");
        near("period", elliptic.period(), motion.period(), 1e-26);
        for t in [0.0, 0.9, 4.0, 37.0] {
            // n·z is the third component of the contact over the radius
            let x = motion.at(Dd::from(t)).contact[2] / Dd::from(0.75);
            near("x", elliptic.at(Dd::from(t)), x, 1e-26);
            assert!((elliptic.at(t) - x.to_f64()).abs() < 1e-15);
        }
    }
}

/// The same on a plane, where Bobylev's ball need not be homogeneous.
#[test]
fn homogeneous_ball_with_a_rotor_on_a_plane() {
    let text = include_str!("../../../models/gyro-ball-on-plane.toml").replace("\"3/10\"]", "\"1/2\"]");
    let (mut system, solution) = solved(&text);
    let Kind::Ball(motion) = &solution.kind else { panic!() };
    let elliptic = motion.elliptic().expect("homogeneous");
    near("period", elliptic.period(), motion.period(), 1e-26);
    near("x", elliptic.at(Dd::from(2.5)), motion.at(Dd::from(2.5)).contact[2], 1e-26);
    agrees_with_run(&mut system, &solution.at(Dd::from(5.0)), 5.0, 1e-22);
    let other = include_str!("../../../models/gyro-ball-on-plane.toml");
    let Kind::Ball(motion) = solved(other).1.kind else { panic!() };
    assert!(motion.elliptic().is_none(), "roots of Δ are no polynomials");
}

/// [CendraLacombaReartes2001]: the axis of the symmetric ball runs along a closed curve on S², a level curve of the integrals.
#[test]
fn closed_curve_of_the_symmetric_ball() {
    let text = include_str!("../../../models/symmetric-sphere.toml");
    let mut system = system(text);
    let run = system.compile().unwrap().solve(&Run::until(9.0).precision(Precision::DoubleDouble)).unwrap();
    let state = |t: f64| {
        let sample = run.at(t).unwrap();
        let get = |name: String| sample.get_digits(&name).unwrap();
        let r = [0, 1, 2].map(|i| [0, 1, 2].map(|j| get(format!("R[{},{}]", i + 1, j + 1))));
        let omega = [0, 1, 2].map(|i| get(format!("Omega[{}]", i + 1)));
        (r, omega, [get("x".into()), get("y".into()), Dd::ONE])
    };
    let (r, omega, centre) = state(0.0);
    let ball = Ball {
        ground: Ground::Plane,
        mass: Dd::ONE,
        radius: Dd::ONE,
        across: Dd::ratio(3, 10),
        along: Dd::ratio(2, 5),
        rotor: Dd::ZERO,
    };
    let motion = BallMotion::new(ball, r, omega, centre).unwrap();
    for t in [2.0, 9.0] {
        let (r, omega, centre) = state(t);
        let now = motion.at(Dd::from(t));
        for i in 0..3 {
            near("Omega", now.omega[i], omega[i], 1e-20);
            near("centre", now.centre[i], centre[i], 1e-20);
            (0..3).for_each(|j| near("R", now.rotation[i][j], r[i][j], 1e-20));
        }
    }
    // the axis returns after a period, and so does ω in space; the ball itself has moved on and turned
    let period = motion.period();
    let axis = |t: Dd| motion.at(t).rotation.map(|row| row[2]);
    for t in [0.4, 1.3] {
        let (a, b) = (axis(Dd::from(t)), axis(Dd::from(t) + period));
        (0..3).for_each(|i| near("closed", a[i], b[i], 1e-26));
        let half = axis(Dd::from(t) + period * Dd::from(0.5));
        assert!((0..3).any(|i| (half[i] - a[i]).to_f64().abs() > 1e-2), "it is a curve");
    }
    let shift = motion.displacement().unwrap();
    let moved = motion.at(period).centre;
    (0..3).for_each(|i| near("displacement", moved[i] - centre[i], shift[i], 1e-26));
    let far = motion.at(period * Dd::from(1000.0)).centre;
    (0..3).for_each(|i| near("a thousand periods", far[i] - centre[i], shift[i] * Dd::from(1000.0), 1e-22));
    // level curve: G·z as the integrals have it, with v₀√Δ of the start
    let g = motion.moment();
    let (a, c, m) = (Dd::ratio(3, 10), Dd::ratio(2, 5), Dd::ONE);
    let delta = |x: Dd| a * (c + m) + m * (c - a) * x * x;
    let x0 = -r[2][2];
    let v = omega[2] * delta(x0).sqrt();
    for k in 0..20 {
        let z = axis(period * Dd::from(f64::from(k) / 20.0));
        let x = -z[2];
        let wz = v / delta(x).sqrt();
        let wn = (-g[2] - x * (c - a) * wz) / a;
        let gz = g[0] * z[0] + g[1] * z[1] + g[2] * z[2];
        near("level curve", gz, (c + m) * wz - m * x * wn, 1e-26);
    }
}

/// Chaplygin's ball: what its integrals are is decided by algebra elsewhere; here nothing is claimed to be solved.
#[test]
fn what_is_not_solved() {
    let chaplygin = include_str!("../../../models/chaplygin-ball.toml");
    assert!(recognise(&mut system(chaplygin)).unwrap().is_none());
    let zero = Dd::ZERO;
    let identity = [[Dd::ONE, zero, zero], [zero, Dd::ONE, zero], [zero, zero, Dd::ONE]];
    let ball = Ball {
        ground: Ground::Plane,
        mass: Dd::ONE,
        radius: Dd::ONE,
        across: Dd::ONE,
        along: Dd::ratio(1, 2),
        rotor: zero,
    };
    // upright and spinning: the axis is vertical for ever
    let upright = BallMotion::new(ball, identity, [zero, zero, Dd::ONE], [zero, zero, Dd::ONE]);
    assert_eq!(upright.unwrap_err(), NotSolved::Steady);
    let on_sphere = Ball { ground: Ground::Sphere(Dd::from(2.0)), ..ball };
    let refused = BallMotion::new(on_sphere, identity, [Dd::ONE, zero, Dd::ONE], [zero, zero, Dd::from(3.0)]);
    assert_eq!(refused.unwrap_err(), NotSolved::NotHomogeneous);
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
        let (mut system, solution) = solved(text);
        let Kind::Meridian(motion) = &solution.kind else { panic!("case {k}: {}", solution.title()) };
        assert!(solution.residual < 1e-24, "case {k}: {:e}", solution.residual);
        let t = motion.period().to_f64() * 0.8;
        agrees_with_run(&mut system, &solution.at(Dd::from(t)), t, 1e-20);
        let (a, b) = (solution.at(Dd::from(t)), solution.at(Dd::from(t) + motion.period()));
        (0..3).for_each(|i| near("period", a.centre[i], b.centre[i], 1e-24));
    }
}
