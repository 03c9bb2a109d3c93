//! What a shape variable can do besides oscillating between turning points: go round, pass a pole of its interval, come to its end; against integrated motions
//! in double-doubles.

use polhode_exact::linear::{Course, Motion, NoMotion, Reduced, reduce_model, second_order};
use polhode_lower::lower_functions;
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, Precision, Run, Sample};
use polhode_special::elliptic::elliptic_k;
use polhode_tape::{Dd, Interpreter, Scalar};

fn model(text: &str, init: &[(&str, &str)]) -> Model {
    let initial = init.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let options = ParseOptions { initial, ..ParseOptions::default() };
    Model::parse("model.toml", text, &options).unwrap_or_else(|e| panic!("{e:?}")).0
}

fn motion(model: &Model) -> (Reduced, Motion) {
    let mut reduced = reduce_model(model).unwrap_or_else(|e| panic!("{e:?}"));
    let found = Motion::new(&mut reduced.system, &reduced.model, &reduced.shape).unwrap_or_else(|e| panic!("{e}"));
    (reduced, found)
}

/// The integrated motion at some times.
fn integrated(model: &Model, times: &[f64]) -> Vec<Sample> {
    let last = times.last().copied().expect("a time");
    let run = Run::until(last).at(times.iter().copied()).precision(Precision::DoubleDouble);
    let (mut system, _) = System::new(model).unwrap_or_else(|e| panic!("{e:?}"));
    system.compile().unwrap_or_else(|e| panic!("{e}")).solve(&run).expect("a motion").samples
}

#[track_caller]
fn near(label: &str, a: Dd, b: Dd, bound: f64) {
    let error = (a - b).to_f64().abs() / b.to_f64().abs().max(1.0);
    assert!(error < bound, "{label}: {a} for {b}, off by {error:e}");
}

fn digits(sample: &Sample, name: &str) -> Dd {
    sample.get_digits(name).unwrap_or_else(|| panic!("no {name}"))
}

const PENDULUM: &str = r#"
[coordinates]
theta = "angle"
[lagrangian]
kinetic   = "theta'^2/2"
potential = "-cos(theta)"
[initial]
position = { theta = 0 }
velocity = { theta = 3 }
"#;

const SPHERICAL_PENDULUM: &str = include_str!("../../../models/spherical-pendulum.toml");

/// E = 9/2 − 1 goes round in 4K(m)/√(2(E + 1)), m = 2/(E + 1).
#[test]
fn a_pendulum_goes_round() {
    for speed in ["3", "-3"] {
        let model = model(PENDULUM, &[("theta'", speed)]);
        let (_, mut motion) = motion(&model);
        let Course::Circulation(o) = motion.course.clone() else { panic!("{:?}", motion.course) };
        let exact = Dd::from(4.0) * elliptic_k(Dd::ratio(4, 9)) / Dd::from(3.0);
        near("T", o.period, exact, 1e-28);
        let times = [0.5, 2.0, 9.5];
        for sample in integrated(&model, &times) {
            let state = motion.at(sample.time()).expect("it goes round");
            near("θ", state.s, digits(&sample, "theta"), 1e-24);
            near("θ̇", state.speed, digits(&sample, "theta'"), 1e-24);
        }
    }
}

/// A bead on a torus: φ̇ comes back after a turn about the tube, and φ has gained.
#[test]
fn a_bead_goes_round_the_tube_of_a_torus() {
    let text = r#"
[coordinates]
theta = "angle"
phi   = "angle"
[lagrangian]
kinetic   = "(theta'^2 + (2 + cos(theta))^2*phi'^2)/2"
potential = "cos(theta)/4"
[initial]
position = { theta = 0.3, phi = 0 }
velocity = { theta = -2, phi = 0.1 }
"#;
    let model = model(text, &[]);
    let (reduced, mut motion) = motion(&model);
    assert!(matches!(motion.course, Course::Circulation(_)), "{:?}", motion.course);
    let q = reduced.shape.quadratures.iter().position(|q| q.name == "phi").expect("φ");
    for sample in integrated(&model, &[1.0, 4.0, 10.0]) {
        let state = motion.at(sample.time()).expect("it goes round");
        near("θ", state.s, digits(&sample, "theta"), 1e-24);
        near("φ", state.gained[q], digits(&sample, "phi"), 1e-24);
        near("φ̇", state.w[0], digits(&sample, "phi'"), 1e-24);
    }
}

/// A ball that rolls round the tube of a torus has other velocities after a turn: there is no period, and no value at a time.
#[test]
fn a_ball_that_goes_round_the_tube_has_no_period() {
    let text = include_str!("../../../models/ball-on-torus.toml");
    let (_, mut motion) = motion(&model(text, &[("Omega", "[9, 9, 1/2]")]));
    assert!(matches!(motion.course, Course::GoesRound), "{:?}", motion.course);
    assert!(motion.at(Dd::ONE).is_none());
}

/// Swinging in a plane, a spherical pendulum passes its lowest point, where z has its end.
#[test]
fn a_plane_pendulum_reaches_the_end_of_z() {
    let text = include_str!("../../../models/spherical-pendulum.toml");
    let (_, motion) = motion(&model(text, &[("x'", "0.2"), ("y'", "0")]));
    match motion.course {
        Course::ReachesEnd { at } => near("z", at, -Dd::ONE, 1e-25),
        other => panic!("{other:?}"),
    }
}

/// ż² (in units of l): 2(E − gz)(1 − z²) − L²: the turning points of a spherical pendulum that passes near its lowest point are
/// zeros of that cubic, where z has an end of its own at −1.
#[test]
fn a_spherical_pendulum_turns_before_its_lowest_point() {
    for speed in [0.6, 0.5, 0.1, 1e-3, 1e-6] {
        let model = model(SPHERICAL_PENDULUM, &[("y'", &format!("{speed:e}"))]);
        let (_, motion) = motion(&model);
        // nearer to the end of z than a thousandth its quadratures are not resolved, but it turns
        let turning = match motion.course.clone() {
            Course::Oscillation(o) => o.turning,
            Course::Unresolved { between: Some(turning), .. } if speed < 1e-2 => turning,
            course => panic!("{speed}: {course:?}"),
        };
        // x = 0.6, z = −0.8, x' = 0.2, and z' = 0.15 by the constraint
        let speed = Dd::from(format!("{speed:e}").parse::<f64>().expect("a number"));
        let kinetic = (speed * speed + Dd::ratio(4, 100) + Dd::ratio(225, 10000)) * Dd::from(0.5);
        let (energy, momentum) = (kinetic - Dd::ratio(981, 100) * Dd::ratio(8, 10), Dd::ratio(6, 10) * speed);
        let cubic =
            |z: Dd| Dd::from(2.0) * (energy - Dd::ratio(981, 100) * z) * (Dd::ONE - z * z) - momentum * momentum;
        let slope = |z: Dd| (cubic(z + Dd::from(1e-9)) - cubic(z - Dd::from(1e-9))).to_f64().abs() / 2e-9;
        for z in turning {
            let off = cubic(z).to_f64().abs() / slope(z);
            assert!(off < 1e-12 * (1.0 - z.to_f64().abs()), "{speed}: {z} is off by {off:e}");
        }
        assert!(turning[0] > -Dd::ONE && turning[0].to_f64() < -0.98);
    }
}

/// Balls on surfaces of revolution, and a point on a sphere: distance from the axis or height, and the azimuth, against the motion without charts.
#[test]
fn distances_from_an_axis_and_azimuths() {
    let models = [
        ("paraboloid", include_str!("../../../models/ball-in-paraboloid.toml"), ["c1[1]", "c1[2]"], "v1"),
        ("cylinder", include_str!("../../../models/ball-in-cylinder.toml"), ["x_O[1]", "x_O[2]"], "azimuth"),
        ("pendulum", include_str!("../../../models/spherical-pendulum.toml"), ["x", "y"], "azimuth"),
    ];
    for (label, text, pair, angle) in models {
        let model = model(text, &[]);
        let (reduced, mut motion) = motion(&model);
        let q = reduced.shape.quadratures.iter().position(|q| q.name == angle).expect("an azimuth");
        for sample in integrated(&model, &[1.0, 4.0]) {
            let state = motion.at(sample.time()).expect("an oscillation");
            let [x, y] = pair.map(|n| digits(&sample, n));
            if label == "paraboloid" {
                near(label, state.s, (x * x + y * y).sqrt(), 1e-24);
            }
            // all begin at y = 0
            let (sin, cos) = state.gained[q].sin_cos();
            let across = (x * sin - y * cos) / (x * x + y * y).sqrt();
            near(label, across, Dd::ZERO, 1e-24);
            assert!((x * cos + y * sin).to_f64() > 0.0, "{label}");
        }
    }
}

const ROUTH: &str = include_str!("../../../models/routh-ball.toml");

/// A ball that rocks in a plane passes the vertical, and so does one that starts there with a spin: with C₂ = 0 nothing is singular, and θ is counted on.
#[test]
fn a_ball_passes_the_vertical() {
    // θ, ψ and Ω of the spinning ball a little after it was upright
    let upright = model(ROUTH, &[("R", "Rx(0)"), ("Omega", "[1, 0, 2]")]);
    let later = integrated(&upright, &[0.1]).remove(0);
    let r = |i: usize, j: usize| digits(&later, &format!("R[{i},{j}]"));
    let tilt = (r(3, 1) * r(3, 1) + r(3, 2) * r(3, 2)).sqrt().atan2(r(3, 3));
    let rotation = format!("Rx({tilt})*Rz({})", r(3, 1).atan2(r(3, 2)));
    let omega: Vec<String> = (1..=3).map(|i| digits(&later, &format!("Omega[{i}]")).to_string()).collect();
    let spinning = format!("[{}]", omega.join(", "));
    for (label, rotation, omega) in [("rocking", "Rx(0.3)", "[1, 0, 0]"), ("spinning", &rotation, &spinning)] {
        let model = model(ROUTH, &[("R", rotation), ("Omega", omega)]);
        let (_, mut motion) = motion(&model);
        let Course::Oscillation(o) = motion.course.clone() else { panic!("{label}: {:?}", motion.course) };
        assert!(o.passes_pole, "{label}: {:?}", o.turning);
        near(label, o.turning[0], -o.turning[1], 1e-30);
        let mut beyond = false;
        for sample in integrated(&model, &[0.5, 1.0, 2.0, 4.5, 10.0]) {
            let state = motion.at(sample.time()).expect("an oscillation");
            beyond |= state.s < Dd::ZERO;
            near(label, state.s.sin_cos().1, digits(&sample, "R[3,3]"), 1e-18);
            near(label, state.w[0], digits(&sample, "Omega[3]"), 1e-18);
        }
        assert!(beyond, "{label}");
    }
}

/// A ball that has enough speed goes over the top and through the bottom.
#[test]
fn a_ball_rolls_over() {
    let model = model(ROUTH, &[("R", "Rx(0.3)"), ("Omega", "[8, 0, 0]")]);
    let (_, mut motion) = motion(&model);
    let Course::Circulation(o) = motion.course.clone() else { panic!("{:?}", motion.course) };
    assert!(o.passes_pole);
    for sample in integrated(&model, &[0.5, 1.0, 3.0]) {
        let state = motion.at(sample.time()).expect("it goes round");
        near("cos θ", state.s.sin_cos().1, digits(&sample, "R[3,3]"), 1e-24);
    }
}

/// K(m) with m₁ = 1 − m by the arithmetic-geometric mean.
fn complete(complement: Dd) -> Dd {
    let (mut a, mut b) = (Dd::ONE, complement.sqrt());
    for _ in 0..12 {
        (a, b) = ((a + b) * Dd::from(0.5), (a * b).sqrt());
    }
    Dd::PI / (a + b)
}

/// θ̇ = 2 + δ at the lowest point: swings with the period 4K(θ̇²/4), or goes round in 2K(m)/(θ̇/2), m = 4/θ̇². The error figure is a bound.
#[test]
fn a_pendulum_near_its_separatrix() {
    for text in ["-0.001", "0.001", "-1e-8", "1e-8", "-1e-13", "1e-13"] {
        let delta: Dd = text.parse().expect("a number");
        let (speed, two) = (Dd::from(2.0) + delta, Dd::from(2.0));
        let model = model(PENDULUM, &[("theta'", &format!("2 + ({text})"))]);
        let (_, mut motion) = motion(&model);
        let o = motion.course.periodic().unwrap_or_else(|| panic!("{text}: {:?}", motion.course)).clone();
        let exact = if delta < Dd::ZERO {
            assert_eq!(motion.course.name(), "oscillation");
            Dd::from(4.0) * complete(-delta * (two + speed) / Dd::from(4.0))
        } else {
            assert_eq!(motion.course.name(), "circulation");
            Dd::from(4.0) * complete(delta * (two + speed) / (speed * speed)) / speed
        };
        let error = ((o.period - exact) / exact).to_f64().abs();
        assert!(error <= o.error.max(1e-29) && o.error < 1e-16, "{text}: {error:e} for {:e}", o.error);
        for sample in integrated(&model, &[1.0, 3.0]) {
            let state = motion.at(sample.time()).expect("it swings or goes round");
            near(text, state.s, digits(&sample, "theta"), 1e-22);
        }
    }
}

/// On the separatrix the motion goes where it is going, and not where it came from.
#[test]
fn a_separatrix_lies_ahead() {
    for (speed, end) in [("2", 1.0), ("-2", -1.0)] {
        let (_, motion) = motion(&model(PENDULUM, &[("theta'", speed)]));
        match motion.course {
            Course::Separatrix { toward } => near("end", toward, Dd::PI * Dd::from(end), 1e-13),
            other => panic!("{other:?}"),
        }
    }
}

const DISK: &str = include_str!("../../../models/rolling-disk.toml");

/// A disk that is almost flat: turning points a factor of 44 and of 1800 apart beside the pole, on both sides. Periods from another method.
#[test]
fn a_disk_that_is_almost_flat() {
    for (angle, rates, period, near_pole) in [
        ("1e-6", ["200", "-199.99"], "0.00101054529470588523", 2.283129873e-8),
        ("pi - 1e-6", ["200", "199.99"], "0.00101054529470588523", 2.283129873e-8),
        ("1e-6", ["5", "5"], "0.00100963677119112808", 5.645728203e-10),
    ] {
        let init = [("theta", angle), ("theta'", "0"), ("phi'", rates[0]), ("psi'", rates[1])];
        let model = model(DISK, &init);
        let (_, mut motion) = motion(&model);
        let Course::Oscillation(o) = motion.course.clone() else { panic!("{angle}: {:?}", motion.course) };
        let exact: Dd = period.parse().expect("a number");
        let error = ((o.period - exact) / exact).to_f64().abs();
        assert!(error < 1e-16 && o.error < 1e-16, "{angle}: {error:e}, {:e}", o.error);
        let turn = if angle == "1e-6" { o.turning[0] } else { Dd::PI - o.turning[1] };
        assert!((turn.to_f64() / near_pole - 1.0).abs() < 1e-9, "{angle}: {turn}");
        for sample in integrated(&model, &[0.0005, 0.004]) {
            let state = motion.at(sample.time()).expect("an oscillation");
            let theta = digits(&sample, "theta");
            assert!((state.s - theta).to_f64().abs() < 1e-22, "{angle}: {} for {theta}", state.s);
        }
    }
}

/// A ball that passes its vertical at a distance of 10⁻¹¹ or 10⁻¹⁹ goes round it, and does not pass through it.
#[test]
fn a_ball_almost_passes_the_vertical() {
    for (rate, distance) in [("1e-10", 2.7032702e-11), ("1e-18", 2.7032702e-19)] {
        let model = model(ROUTH, &[("R", "Rx(0.3)"), ("Omega", &format!("[1, {rate}, 0]"))]);
        let (_, mut motion) = motion(&model);
        let Course::Oscillation(o) = motion.course.clone() else { panic!("{:?}", motion.course) };
        assert!(!o.passes_pole && (o.turning[0].to_f64() / distance - 1.0).abs() < 1e-7, "{:?}", o.turning);
        for sample in integrated(&model, &[0.5, 3.0]) {
            let state = motion.at(sample.time()).expect("an oscillation");
            near("cos θ", state.s.sin_cos().1, digits(&sample, "R[3,3]"), 1e-27);
        }
    }
}

/// An upright disk that is too slow leaves: it is steady only when it is, and passes the upright as near as digits tell.
#[test]
fn an_unstable_upright_disk() {
    let start = |speed: &str| model(DISK, &[("theta", "pi/2"), ("theta'", speed), ("phi'", "0"), ("psi'", "1")]);
    let slow = start("1e-10");
    let (_, passing) = motion(&slow);
    let Course::Oscillation(o) = passing.course.clone() else { panic!("{:?}", passing.course) };
    // as far away as it goes after a quarter of a period
    let quarter = (o.period * Dd::from(0.25)).to_f64();
    let sample = integrated(&slow, &[quarter]).remove(0);
    assert!(digits(&sample, "theta'").to_f64().abs() < 1e-13, "{}", digits(&sample, "theta'"));
    near("turning point", digits(&sample, "theta"), o.turning[1], 1e-25);
    let (_, mut leaving) = motion(&start("1e-25"));
    assert!(matches!(leaving.course, Course::Unresolved { between: Some(_), .. }), "{:?}", leaving.course);
    assert!(leaving.at(Dd::ONE).is_none());
    let (_, staying) = motion(&start("0"));
    assert!(matches!(staying.course, Course::Steady { .. }), "{:?}", staying.course);
}

/// A body exactly on its axis has no rate of θ, at either end.
#[test]
fn a_body_on_its_axis() {
    for (rotation, end) in [("Rx(0)", 0.0), ("Rx(pi)", std::f64::consts::PI)] {
        let model = model(ROUTH, &[("R", rotation), ("Omega", "[0, 0, 2]")]);
        let mut reduced = reduce_model(&model).unwrap_or_else(|e| panic!("{e:?}"));
        match Motion::new(&mut reduced.system, &reduced.model, &reduced.shape) {
            Err(NoMotion::AtEnd { at, .. }) => assert_eq!(at.to_f64(), end),
            other => panic!("{rotation}: {:?}", other.map(|m| m.course)),
        }
    }
}

/// The equation of second order of a ball with a gyroscope has a right side: y(z) of the motion, by differences in time, obeys the whole equation and not its homogeneous part.
#[test]
fn a_gyroscopic_balls_equation_is_inhomogeneous() {
    let text = r#"
[gravity]
g = 3
[body.ball]
mass = 2
surface = { sphere = 0.7, centre = [0, 0, 0.1] }
inertia = [0.5, 0.5, 0.3]
gyroscope = { momentum = -0.8, axis = [0, 0, 1] }
[ground]
surface = "plane"
[initial.ball]
touching = [0, 0, 0]
rotation = "Rx(0.8)"
Omega = [1, 0.5, 0.3]
"#;
    let (mut reduced, mut motion) = motion(&model(text, &[]));
    let equation = second_order(&mut reduced.system, &reduced.shape).expect("two unknowns");
    let rational = equation.rational.clone().expect("rational");
    let right = rational.right.expect("a function of z");
    let graph = &mut reduced.system.graph;
    assert!(!graph.is_zero(right));
    let call = |symbols: &[polhode_expr::Symbol], outputs: &[polhode_expr::Expr], inputs: &[Dd]| {
        let tape = lower_functions(graph, symbols, outputs).unwrap_or_else(|e| panic!("{e}"));
        let mut out = vec![Dd::ZERO; outputs.len()];
        Interpreter::new(&tape).call(inputs, &mut out);
        out
    };
    let symbols: Vec<polhode_expr::Symbol> = reduced.shape.unknowns.iter().map(|u| u.symbol).collect();
    let h = Dd::from(1e-6);
    let mut at = |t: Dd| {
        let state = motion.at(t).expect("an oscillation");
        let mut inputs = vec![state.s];
        inputs.extend(&state.w);
        let all: Vec<_> = std::iter::once(reduced.shape.variable).chain(symbols.iter().copied()).collect();
        (rational.variable.at(state.s).0, call(&all, &[equation.unknown], &inputs)[0])
    };
    let t = Dd::from(0.4);
    let [before, here, after] = [at(t - h), at(t), at(t + h)];
    let first = |a: Dd, b: Dd| (b - a) / (h + h);
    let second = |a: Dd, m: Dd, b: Dd| (a + b - m - m) / (h * h);
    let (dz, dy) = (first(before.0, after.0), first(before.1, after.1));
    let (ddz, ddy) = (second(before.0, here.0, after.0), second(before.1, here.1, after.1));
    let slope = dy / dz;
    let curvature = (ddy - slope * ddz) / (dz * dz);
    let [p2, p1, p0] = rational.polynomials;
    let found = call(&[rational.symbol], &[p2, p1, p0, right], &[here.0]);
    let left = found[0] * curvature + found[1] * slope + found[2] * here.1;
    assert!(left.to_f64().abs() > 1.0, "{left}");
    near("the whole equation", left, found[3], 1e-9);
}
