//! Balls: classical solutions, curves on S², integrals.

use crate::common::solutions;

use polhode_exact::particular::{Ball, BallMotion, Ground, Integrals, Kind, NotSolved, integrals, recognise};
use polhode_mechanics::initial_state;
use polhode_simulate::{Compile, Precision, Run};
use polhode_tape::{Dd, Scalar};
use solutions::{agrees_with_run, near, solved, system};

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
    let (mut system, solution) = solved(text);
    assert!(solution.residual < 1e-28, "{:e}", solution.residual);
    let Kind::Ball(motion) = &solution.kind else { panic!("{}", solution.title()) };
    let run = system.compile().unwrap().solve(&Run::until(9.0).precision(Precision::DoubleDouble)).unwrap();
    let state = |t: f64| {
        let sample = run.at(t).unwrap();
        let get = |name: String| sample.get_digits(&name).unwrap();
        let r = [0, 1, 2].map(|i| [0, 1, 2].map(|j| get(format!("R[{},{}]", i + 1, j + 1))));
        let omega = [0, 1, 2].map(|i| get(format!("Omega[{}]", i + 1)));
        (r, omega, [get("x".into()), get("y".into()), Dd::ONE])
    };
    let (r, omega, centre) = state(0.0);
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
        near("as the library has it", motion.off_curve(z).unwrap(), Dd::ZERO, 1e-28);
    }
    // a direction beside the curve is not on it
    assert!(motion.off_curve([Dd::ONE, Dd::ZERO, Dd::ZERO]).unwrap().to_f64().abs() > 1e-2);
    let curve = motion.curve(33).unwrap();
    (0..3).for_each(|i| near("closed", curve[0][i], curve[32][i], 1e-28));
    assert_eq!(motion.windings(), Some(0), "the vertical is outside of the curve");
    let values = motion.integrals();
    let value = |name: &str| values.iter().find(|(n, _)| *n == name).unwrap().1;
    near("u √Δ", value("u_sqrt_Delta"), (c - a) * v, 1e-30);
    // G = R(IΩ) + M r² (ω₁, ω₂, 0)
    let inertia = [a, a, c];
    for i in 0..3 {
        let own = (0..3).fold(Dd::ZERO, |s, j| s + r[i][j] * inertia[j] * omega[j]);
        let w = (0..3).fold(Dd::ZERO, |s, j| s + r[i][j] * omega[j]);
        near("G", value(["G1", "G2", "G3"][i]), if i < 2 { own + w } else { own }, 1e-30);
    }
    assert!(motion.kept() < 1e-28, "{:e}", motion.kept());
}

/// Any axis of the body may be that of symmetry, and coordinates may come in any order.
#[test]
fn symmetric_ball_about_another_axis() {
    let text = include_str!("../../../models/symmetric-sphere.toml");
    let text = text[..text.find("[symmetry]").unwrap()].to_string() + &text[text.find("[initial]").unwrap()..];
    let text = text.replace("x = \"real\"             # centre\ny = \"real\"", "y = \"real\"\nx = \"real\"");
    for (k, axis) in ["I3*Omega[1]^2 + I1*(Omega[2]^2 + Omega[3]^2)", "I3*Omega[2]^2 + I1*(Omega[1]^2 + Omega[3]^2)"]
        .iter()
        .enumerate()
    {
        let other = text.replace("I1/2*(Omega[1]^2 + Omega[2]^2) + I3/2*Omega[3]^2", &format!("({axis})/2"));
        assert_ne!(other, text);
        let (mut model, solution) = solved(&other);
        let Kind::Ball(motion) = &solution.kind else { panic!("axis {k}: {}", solution.title()) };
        agrees_with_run(&mut model, &solution.at(Dd::from(3.0)), 3.0, 1e-22);
        assert!(motion.kept() < 1e-28);
        let axis = motion.at(Dd::from(0.7)).rotation.map(|row| row[k]);
        near("on the curve", motion.off_curve(axis).unwrap(), Dd::ZERO, 1e-28);
    }
    // a ball that slips one way is none of these
    let slips = text.replace("y' = -r*omega[1]", "y' = -2*r*omega[1]");
    assert!(recognise(&mut system(&slips)).unwrap().is_none());
}

/// Integrals of a motion from its initial state, followed for t = 10 in double-doubles.
fn held(text: &str) -> Integrals {
    let mut model = system(text);
    let own = model.model.clone();
    let start = initial_state(&mut model, &own).unwrap().unwrap();
    let run = model.compile().unwrap().solve(&Run::until(10.0).precision(Precision::DoubleDouble)).unwrap();
    let states: Vec<_> = [2.5, 6.0, 10.0].iter().map(|t| run.at(*t).unwrap()).collect();
    let mut found = integrals(&mut model, &start);
    found.follow(&model, &start, &states);
    found
}

/// Chaplygin's ball: energy and the moment K about the contact in space, values from R = Rz(0.3) Rx(1.1) and Ω by hand; with the invariant measure they are enough.
#[test]
fn integrals_of_chaplygins_ball() {
    let found = held(include_str!("../../../models/chaplygin-ball.toml"));
    let (sz, cz) = Dd::ratio(3, 10).sin_cos();
    let (sx, cx) = Dd::ratio(11, 10).sin_cos();
    let r = [[cz, -(sz * cx), sz * sx], [sz, cz * cx, -(cz * sx)], [Dd::ZERO, sx, cx]];
    let (omega, inertia) =
        ([Dd::ratio(1, 2), Dd::ONE, Dd::from(2.0)], [Dd::ratio(3, 10), Dd::ratio(7, 20), Dd::ratio(9, 20)]);
    let sum = |f: &dyn Fn(usize) -> Dd| f(0) + f(1) + f(2);
    let w = [0, 1, 2].map(|i| sum(&|j| r[i][j] * omega[j]));
    let own = [0, 1, 2].map(|i| sum(&|j| r[i][j] * inertia[j] * omega[j]));
    let energy = (sum(&|j| inertia[j] * omega[j] * omega[j]) + w[0] * w[0] + w[1] * w[1]) * Dd::from(0.5);
    assert_eq!(found.held.len(), 4);
    for wanted in [energy, own[0] + w[0], own[1] + w[1], own[2]] {
        let nearest = found.held.iter().find(|h| (h.value - wanted).to_f64().abs() < 1e-28);
        let nearest = nearest.unwrap_or_else(|| panic!("{wanted} is not among {:?}", found.held));
        assert!(nearest.change < 1e-26, "{:e}", nearest.change);
    }
    let count = found.count.unwrap();
    assert_eq!((count.states, count.symmetries.len(), count.integrals, count.measure), (8, 2, 4, Some(true)));
    assert!(count.by_quadratures());
    // where a force is driven, time is one more dimension, and nothing is counted
    let driven = held(
        "[coordinates]\nx = 'real'\ny = 'real'\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = 'y*cos(t)'\n[initial]\nvelocity = { x = 1 }\n",
    );
    assert!(!driven.held.is_empty() && driven.count.is_none());
    // a sleigh: three symmetries of the plane keep its energy, and of five dimensions one is left
    let sleigh = held(include_str!("../../../models/chaplygin-sleigh.toml")).count.unwrap();
    assert_eq!((sleigh.states, sleigh.symmetries.len(), sleigh.left()), (5, 3, 1));
    // Hénon and Heiles: the energy alone leaves three dimensions
    let chaotic = held(
        "[coordinates]\nx = 'real'\ny = 'real'\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '(x^2 + y^2)/2 + x^2*y - y^3/3'\n\
         [initial]\nposition = { x = 0.3 }\nvelocity = { y = 0.2 }\n",
    );
    assert_eq!((chaotic.held.len(), chaotic.count.clone().unwrap().left()), (1, 3));
    assert!(!chaotic.count.unwrap().by_quadratures());
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
