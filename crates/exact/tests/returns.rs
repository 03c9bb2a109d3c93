//! Motions at any time at once, against references in many digits, integrated motions, and formulas.

use polhode_exact::returns::{NoReturn, ReturnOptions, ReturningMotion, nearby, returning};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, Group, Precision, Run, Sample, Trajectory};
use polhode_special::elliptic::{elliptic_f_incomplete, elliptic_k};
use polhode_tape::{Dd, Scalar};
use serde_json::Value;

fn system_of(name: &str, text: &str, options: &ParseOptions) -> System {
    let (model, _) = Model::parse(name, text, options).expect("a valid model");
    System::new(&model).expect("a valid system").0
}

fn catalogue(name: &str) -> String {
    let path = format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a model of the catalogue")
}

/// Pairs of names and formulas.
fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// The disk of the catalogue with other initial values.
fn disk_from(initial: &[(&str, &str)]) -> System {
    let options = ParseOptions { initial: pairs(initial), ..ParseOptions::default() };
    system_of("disk", &catalogue("rolling-disk"), &options)
}

/// A pendulum whose length, mass and weight are 1, without a start.
const PENDULUM: &str = r#"
[coordinates]
theta = "angle"
[lagrangian]
kinetic = "theta'^2/2"
potential = "1 - cos(theta)"
"#;

/// A point of mass 1 in the plane, up to its potential.
const POINT: &str = r#"
[coordinates]
x = "real"
y = "real"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
"#;

fn built_in(name: &str) -> System {
    system_of(name, &catalogue(name), &ParseOptions::default())
}

fn solved(system: &mut System) -> Result<ReturningMotion, NoReturn> {
    returning(system, &ReturnOptions::default())
}

fn number(v: &Value) -> Dd {
    v.as_str().expect("a number as text").parse().expect("a number")
}

/// The disk with the parameters and the start of a reference.
fn disk(set: &Value) -> System {
    let renamed = |v: &Value, rename: fn(&str) -> String| -> Vec<(String, String)> {
        let map = v.as_object().expect("a table");
        map.iter().map(|(k, v)| (rename(k), v.as_str().expect("text").to_owned())).collect()
    };
    let coordinate = |k: &str| match k {
        "x1" => "x".to_owned(),
        "x2" => "y".to_owned(),
        k => k.replace("dot", "'"),
    };
    let options = ParseOptions {
        parameters: renamed(&set["params"], |k| k.to_owned()),
        initial: renamed(&set["initial"], coordinate),
        ..ParseOptions::default()
    };
    // whether a loose disk would lift off does not matter here
    let text = catalogue("rolling-disk");
    let text = text.split("[[event]]").next().expect("some text");
    system_of("disk", text, &options)
}

/// Largest difference from a state of a reference.
fn difference(sample: &Sample, state: &Value) -> f64 {
    let names = [
        ("theta", "theta"),
        ("phi", "phi"),
        ("psi", "psi"),
        ("x", "x1"),
        ("y", "x2"),
        ("theta'", "thetadot"),
        ("phi'", "phidot"),
        ("psi'", "psidot"),
    ];
    let each = names.map(|(ours, theirs)| {
        (sample.get_digits(ours).expect("a number of the disk") - number(&state[theirs])).to_f64().abs()
    });
    each.into_iter().fold(0.0, f64::max)
}

#[test]
fn the_disk_after_a_million_seconds() {
    let data: Value = serde_json::from_str(include_str!("data/disk_long.json")).expect("sound data");
    for set in data["sets"].as_array().expect("a list") {
        let motion = solved(&mut disk(set)).expect("it returns");
        let name = set["name"].as_str().expect("a name");
        assert!((motion.period() - number(&set["nutation_period"])).to_f64().abs() < 1e-28, "{name}");
        let gain = |name: &str| motion.holonomy().gains.iter().find(|g| g.name == name).expect("it grows").gain;
        assert!((gain("phi") - number(&set["delta_phi"])).to_f64().abs() < 1e-27, "{name}");
        assert!((gain("psi") - number(&set["delta_psi"])).to_f64().abs() < 1e-27, "{name}");
        let centre = &motion.holonomy().centres[0];
        for (ours, theirs) in centre.point.iter().zip(set["centre_of_contact_rotation"].as_array().expect("a point")) {
            assert!((*ours - number(theirs)).to_f64().abs() < 1e-26, "{name}");
        }
        assert!(motion.holonomy().is_bounded());
        let turning = motion.zeros("theta'").expect("a number of the disk");
        assert!((turning[0] - number(&set["first_turning_time"])).to_f64().abs() < 1e-27, "{name}");
        for (t, theta) in turning.iter().zip(set["theta_turning"].as_array().expect("two angles")) {
            let ours = motion.at(*t).get_digits("theta").expect("a number of the disk");
            assert!((ours - number(theta)).to_f64().abs() < 1e-27, "{name}");
        }
        for state in set["states"].as_array().expect("a list") {
            let t = number(&state["t"]);
            let wrong = difference(&motion.at(t), state);
            // a relative rounding of 1e-32 in the period, times rates of some ten per second
            assert!(wrong < 1e-28 * t.to_f64().max(10.0), "{name} at {t}: {wrong:e}");
        }
    }
}

#[test]
fn the_disk_near_the_ground_upright_and_fast() {
    let data: Value = serde_json::from_str(include_str!("data/disk_short.json")).expect("sound data");
    for set in data["sets"].as_array().expect("a list") {
        let motion = solved(&mut disk(set)).expect("it returns");
        let name = set["name"].as_str().expect("a name");
        let period = number(&set["nutation_period"]);
        assert!(((motion.period() - period) / period).to_f64().abs() < 1e-26, "{name}");
        let turning = motion.zeros("theta'").expect("a number of the disk");
        for point in set["turning_points"].as_array().expect("a list") {
            // a start at a turning point may be found at 0 or at T
            let near = |t: &&Dd| {
                let periods = ((**t - number(&point["t"])) / period).to_f64();
                (periods - periods.round()).abs() < 1e-20
            };
            let found = turning.iter().find(near);
            let t = *found.unwrap_or_else(|| panic!("{name}: {turning:?} lack {}", point["t"]));
            let theta = motion.at(t).get_digits("theta").expect("a number of the disk");
            assert!((theta - number(&point["theta"])).to_f64().abs() < 1e-25, "{name}");
        }
        for state in set["states"].as_array().expect("a list") {
            let wrong = difference(&motion.at(number(&state["t"])), state);
            assert!(wrong < 1e-22, "{name} at {}: {wrong:e}", state["t"]);
        }
    }
}

/// Largest difference of positions and velocities from a run, relative to one and their size.
fn from_run(motion: &ReturningMotion, run: &Trajectory) -> f64 {
    let mut worst: f64 = 0.0;
    for sample in &run.samples {
        let ours = motion.at(sample.time());
        let wanted = run.compiled().variables.iter().filter(|v| matches!(v.group, Group::Position | Group::Velocity));
        for column in wanted.flat_map(|v| v.columns()) {
            let (a, b) = (ours.get(&column).expect("the same names"), sample.get(&column).expect("its own name"));
            worst = worst.max((a - b).abs() / (1.0 + b.abs()));
        }
    }
    worst
}

/// Every model of the catalogue whose start returns. The fast ones are integrated in double-doubles: in doubles the integrator is off by more.
const RETURNING: [(&str, Precision); 18] = [
    ("ball-in-cylinder", Precision::DoubleDouble),
    ("ball-in-paraboloid", Precision::Double),
    ("ball-on-torus", Precision::Double),
    ("ball-on-turntable", Precision::Double),
    ("ellipsoid-circles", Precision::Double),
    ("euler-disk", Precision::DoubleDouble),
    ("free-rigid-body", Precision::Double),
    ("gyro-ball-on-plane", Precision::Double),
    ("homogeneous-ball", Precision::Double),
    ("knife-edge", Precision::Double),
    ("poinsot-on-sphere", Precision::Double),
    ("rod-on-sphere", Precision::Double),
    ("rolling-disk", Precision::Double),
    ("rolling-disk-centre", Precision::Double),
    ("routh-ball", Precision::Double),
    ("spherical-pendulum", Precision::Double),
    ("spheroid-on-sphere", Precision::Double),
    ("symmetric-sphere", Precision::Double),
];

/// The same with shapes whose equations are long: they have a test of their own, to run side by side.
const LONG: [(&str, Precision); 3] =
    [("superegg", Precision::Double), ("torus-on-plane", Precision::Double), ("vertical-penny", Precision::Double)];

fn agree(models: &[(&str, Precision)]) {
    for (name, precision) in models {
        let mut system = built_in(name);
        let motion = solved(&mut system).unwrap_or_else(|why| panic!("{name}: {why}"));
        let compiled = system.compile().expect("it runs");
        let run = compiled.solve(&Run::until(10.0).at([0.3, 2.5, 10.0]).precision(*precision)).expect("a sound run");
        assert_eq!(run.report.t, 10.0, "{name}");
        let wrong = from_run(&motion, &run);
        assert!(wrong < 1e-12, "{name}: {wrong:e}");
    }
}

#[test]
fn exact_and_integrated_motions_agree() {
    agree(&RETURNING);
}

#[test]
fn exact_and_integrated_motions_of_long_equations_agree() {
    agree(&LONG);
}

#[test]
fn times_before_the_start() {
    for name in ["rolling-disk", "symmetric-sphere", "homogeneous-ball"] {
        let mut system = built_in(name);
        let motion = solved(&mut system).expect("it returns");
        let run =
            system.compile().expect("it runs").solve(&Run::until(-7.0).at([-0.4, -3.3, -7.0])).expect("a sound run");
        let wrong = from_run(&motion, &run);
        assert!(wrong < 1e-12, "{name}: {wrong:e}");
    }
}

/// Two periods and a part are the composition of one and of the rest.
#[test]
fn samples_carry_all_that_a_run_reports() {
    let mut system = built_in("rolling-disk");
    let motion = solved(&mut system).expect("it returns");
    let run = Run::until(1e5).at([4e4, 1e5]).precision(Precision::DoubleDouble);
    let shown = motion.trajectory(&run);
    assert_eq!(shown.samples.len(), 2);
    assert_eq!(shown.report.method.title(), "exact");
    assert!(shown.report.energy_error < 1e-24 && shown.report.constraint_residual < 1e-24);
    // the energy, the force and the height are invariant: one period later they are the same
    let (a, b) = (motion.at(Dd::from(0.2)), motion.at(Dd::from(0.2) + Dd::from(1000.0) * motion.period()));
    for name in ["energy", "normal_force", "height", "mu_required"] {
        let (a, b) = (a.get_digits(name).expect("an observable"), b.get_digits(name).expect("an observable"));
        assert!((a - b).to_f64().abs() < 1e-25, "{name}");
    }
}

fn pendulum(speed: &str) -> System {
    let text = format!("{PENDULUM}[initial]\nvelocity = {{ theta = \"{speed}\" }}\n");
    system_of("pendulum", &text, &ParseOptions::default())
}

/// A pendulum that swings, and one that goes round: T = 4 K(v²/4), and 4 K(4/v²)/v for a full turn.
#[test]
fn pendulums_have_the_periods_of_elliptic_integrals() {
    let swing = solved(&mut pendulum("3/2")).expect("it swings");
    let k = elliptic_k(Dd::ratio(9, 16));
    assert!((swing.period() - k * Dd::from(4.0)).to_f64().abs() < 1e-27);
    assert!(swing.holonomy().gains.is_empty());
    let round = solved(&mut pendulum("5/2")).expect("it goes round");
    let k = elliptic_k(Dd::ratio(16, 25));
    assert!((round.period() - k * Dd::ratio(8, 5)).to_f64().abs() < 1e-27);
    let gain = round.holonomy().gains[0].gain;
    assert!((gain - (Dd::PI + Dd::PI)).to_f64().abs() < 1e-27);
    let late = round.at(round.period() * Dd::from(1e6));
    let turns = late.get_digits("theta").expect("the angle") / (Dd::PI + Dd::PI);
    assert!((turns - Dd::from(1e6)).to_f64().abs() < 1e-20);
}

/// An angle that a spring winds up: a full turn is no symmetry, and the motion swings.
#[test]
fn a_spring_tells_an_angle_from_a_full_turn_more() {
    let text = r#"
[coordinates]
theta = "angle"
[lagrangian]
kinetic = "theta'^2/2"
potential = "theta^2/2"
[initial]
velocity = { theta = 20 }
"#;
    let motion = solved(&mut system_of("spring", text, &ParseOptions::default())).expect("it swings");
    assert!((motion.period() - (Dd::PI + Dd::PI)).to_f64().abs() < 1e-27);
    assert!((motion.at(1.0)["theta"] - 20.0 * 1f64.sin()).abs() < 1e-13);
}

/// Steady motions of the disk: phi' from a quadratic equation, which a double solves to 1e-16. The start is off by that much, so that the disk nods
/// by it, with the period of the linear equation.
#[test]
fn a_steady_disk_in_doubles_nods_by_rounding() {
    // M = r = 1, I1 = 1/4, I3 = 1/2: I1 b² cos θ sin θ − (I3 + 1) b W sin θ − g cos θ = 0
    let (theta, w, g): (f64, f64, f64) = (1.0, 6.0, 9.81);
    let (s, c) = theta.sin_cos();
    let (p, q) = (0.25 * c * s, -1.5 * w * s);
    let b = (-q - (q * q + 4.0 * p * g * c).sqrt()) / (2.0 * p);
    let psi = w - b * c;
    let mut options = ParseOptions::default();
    for (name, x) in [("theta", theta), ("theta'", 0.0), ("phi'", b), ("psi'", psi)] {
        options.initial.push((name.to_owned(), format!("{x:e}")));
    }
    let text = catalogue("rolling-disk");
    let text = text.split("[[event]]").next().expect("some text");
    let motion = solved(&mut system_of("disk", text, &options)).expect("it is steady or returns");
    assert!(!motion.is_steady());
    // (I1 + 1) a' = f(θ, b, W) with b and W functions of θ along the motion: f' by differences
    let f = |th: f64, b: f64, w: f64| -g * th.cos() - b * th.sin() * (1.5 * w - 0.25 * b * th.cos());
    let h = 1e-5;
    let db = (0.5 * w - 0.5 * b * c) / (0.25 * s);
    let dw = b * s / 1.5;
    let slope = (f(theta + h, b + db * h, w + dw * h) - f(theta - h, b - db * h, w - dw * h)) / (2.0 * h);
    let linear = std::f64::consts::TAU / (-slope / 1.25).sqrt();
    assert!((motion.period().to_f64() / linear - 1.0).abs() < 1e-8, "{} {linear}", motion.period());
    assert!((motion.at(1e4)["theta"] - theta).abs() < 1e-14);
    assert!((motion.at(1e4)["phi'"] / b - 1.0).abs() < 1e-13);
}

#[test]
fn what_does_not_return_says_why() {
    let refused = |name: &str| solved(&mut built_in(name)).expect_err("it does not return");
    assert!(matches!(refused("ball-between-plates"), NoReturn::DependsOnTime));
    assert!(matches!(refused("ball-rough-wall"), NoReturn::Switches));
    assert!(matches!(refused("chaplygin-sleigh"), NoReturn::Settles { .. }));
    assert!(matches!(refused("veselova"), NoReturn::Wanders { .. }));
    // points near an axis, which ask for turns by millions
    assert!(matches!(refused("bicycle"), NoReturn::Settles { .. }));
    assert!(matches!(refused("nonholonomic-particle"), NoReturn::Leaves { .. }));
    assert!(matches!(refused("ball-on-ball"), NoReturn::Ends { .. }));
    // on the separatrix
    assert!(matches!(solved(&mut pendulum("2")).expect_err("it stands up"), NoReturn::Settles { .. }));
}

/// The board of the catalogue: the axles turn evenly, and at φ = π/2, t = (π/2 − 2/5)/(1/10), both constraints are the same. The velocity across the board is zero
/// before and after, and both reactions are bounded: nothing ends there.
#[test]
fn a_motion_that_goes_on_where_constraints_lose_rank() {
    let motion = solved(&mut built_in("snakeboard")).expect("it returns");
    let period = Dd::PI * Dd::from(20.0);
    assert!((motion.period() - period).to_f64().abs() < 1e-24, "{}", motion.period());
    // θ̇ is sin φ over the root of m r² + (J + 2 J₁ − m r²) sin²φ, up to a factor: by Gauss' and Legendre's rule with 30 digits
    let theta: Dd = "0.6425649452573163437883420798470".parse().expect("a number");
    let sample = motion.at(Dd::ratio(7, 10));
    assert!((sample.get_digits("theta").expect("an angle") - theta).to_f64().abs() < 1e-26);
    let rate = |phi: f64| phi.sin() / (0.25 + (0.19 - 0.25) * phi.sin().powi(2)).sqrt();
    let beyond = motion.at(12.0);
    let wanted = sample["theta'"] * rate(1.6) / rate(0.47);
    assert!((beyond["theta'"] - wanted).abs() < 1e-12, "{} {wanted}", beyond["theta'"]);
}

/// Down a logarithmic spiral to the origin, where the constraint vanishes: t = 2 from (1, 0) with the speed √5/2, and a force that grows like 1/r.
#[test]
fn a_motion_that_ends_where_forces_grow_without_bound() {
    let text = format!(
        r#"{POINT}[constraints]
spiral = "(x + y/2)*x' + (y - x/2)*y' = 0"
[initial]
position = {{ x = 1 }}
velocity = {{ x = "-1/2", y = -1 }}
"#
    );
    let NoReturn::Ends(ending) =
        solved(&mut system_of("spiral.toml", &text, &ParseOptions::default())).expect_err("it ends")
    else {
        panic!("it ends")
    };
    let off = (ending.end().to_f64() - 2.0).abs();
    assert!(off <= ending.error() && ending.error() < 1e-6, "{off:e} {:e}", ending.error());
    // r = 1 − t/2
    let sample = &ending.at(&[Dd::ONE]).expect("it lies before the end")[0];
    let [x, y] = ["x", "y"].map(|n| sample.get_digits(n).expect("a coordinate"));
    assert!(((x * x + y * y).sqrt() - Dd::from(0.5)).to_f64().abs() < 1e-28);
    assert!(ending.at(&[Dd::from(3.0)]).is_none());
    assert!(ending.at(&[Dd::from(-0.1)]).is_none());
}

/// A pendulum that a wall awaits: θ = 1/2 at t = F(φ, m)/1 with sin φ = sin(1/4)/sin(a/2).
#[test]
fn the_time_of_an_event_that_ends_the_motion() {
    let text = |action: &str| {
        format!(
            r#"{PENDULUM}
[initial]
velocity = {{ theta = "3/2" }}
[[event]]
name = "there"
when = "theta > 1/2"
{action}
"#
        )
    };
    let mut system = system_of("wall", &text("action = \"stop\""), &ParseOptions::default());
    let NoReturn::Ends(ending) = solved(&mut system).expect_err("it ends") else { panic!("it ends") };
    let m = Dd::ratio(9, 16);
    let sine = Dd::ratio(1, 4).sin_cos().0 / m.sqrt();
    let wanted = elliptic_f_incomplete(sine.atan2((Dd::ONE - sine * sine).sqrt()), m);
    assert!((ending.end() - wanted).to_f64().abs() < 1e-29, "{} {wanted}", ending.end());
    // where it does not end the motion it is reported, in every period
    let mut system = system_of("wall", &text("action = \"record\""), &ParseOptions::default());
    let motion = solved(&mut system).expect("it swings");
    let shown = motion.trajectory(&Run::until(motion.period() * Dd::from(3.5)));
    assert_eq!(shown.report.events.len(), 4);
    for (n, event) in shown.report.events.iter().enumerate() {
        let t = wanted + Dd::from(n as f64) * motion.period();
        assert!((event.sample.time() - t).to_f64().abs() < 1e-28, "{n}");
    }
}

/// A disk that is let go at rest falls flat: (I₁ + M r²) θ̇²/2 = M g r (sin 1 − sin θ), to the end of the interval of θ.
#[test]
fn a_disk_that_falls_flat() {
    let mut disk = disk_from(&[("theta", "1"), ("theta'", "0"), ("phi'", "0"), ("psi'", "0")]);
    let why = solved(&mut disk).expect_err("it falls");
    let NoReturn::Ends(ending) = why else { panic!("{why}") };
    // with θ = 1 − u² the integrand is smooth: Simpson's rule
    let rate = |u: f64| {
        let x: f64 = 1.0 - u * u;
        // (sin 1 − sin x)/u² without cancellation
        let mean = ((1.0 + x) / 2.0).cos() * if u == 0.0 { 1.0 } else { 2.0 * (u * u / 2.0).sin() / (u * u) };
        2.0 / (2.0 * 9.81 / 1.25 * mean).sqrt()
    };
    let n = 2000;
    let sum: f64 = (0..=n)
        .map(|k| {
            rate(k as f64 / n as f64)
                * if k == 0 || k == n {
                    1.0
                } else if k % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
        })
        .sum();
    let wanted = sum / (3.0 * n as f64);
    assert!((ending.end().to_f64() - wanted).abs() < 1e-12, "{} {wanted}", ending.end());
    assert!(ending.to_string().contains("lower end of its interval"), "{ending}");
}

/// An event of what drifts: not in the first period, but later.
#[test]
fn an_event_that_no_period_repeats() {
    let text = r#"
[coordinates]
x = "real"
theta = "angle"
[lagrangian]
kinetic = "(x'^2 + theta'^2)/2"
potential = "1 - cos(theta)"
[initial]
velocity = { x = 1, theta = "3/2" }
[[event]]
name = "far"
when = "x > 50"
action = "stop"
"#;
    let near = solved(&mut system_of("drift", text, &ParseOptions::default())).expect_err("it ends");
    let NoReturn::Ends(ending) = near else { panic!("it ends: {near}") };
    assert!((ending.end() - Dd::from(50.0)).to_f64().abs() < 1e-27, "{}", ending.end());
    // farther than is looked
    let motion =
        solved(&mut system_of("drift", &text.replace("50", "5000"), &ParseOptions::default())).expect("it swings");
    assert!(motion.reaches(Dd::from(100.0)) && !motion.reaches(Dd::from(6000.0)));
}

/// Rest at the top of a pendulum, π being rounded; a disk that stands; a disk that rolls upright too slowly to be stable.
#[test]
fn what_is_steady_does_not_tend_to_it() {
    let text = format!("{PENDULUM}[initial]\nposition = {{ theta = \"pi\" }}\n");
    let motion = solved(&mut system_of("top", &text, &ParseOptions::default())).expect("it rests");
    assert!(motion.is_steady());
    assert_eq!(motion.at(1e6)["theta"], std::f64::consts::PI);
    assert!(motion.holonomy().lines()[0].contains("nothing moves"));
    for (speed, x) in [("0", 0.0), ("1", -1e6)] {
        let pushed = |push| disk_from(&[("theta", "pi/2"), ("theta'", push), ("phi'", "0"), ("psi'", speed)]);
        let motion = solved(&mut pushed("0")).expect("it is steady");
        assert!(motion.is_steady());
        assert!((motion.at(1e6)["x"] - x).abs() < 1e-9);
        // a push that is far above rounding is none: the disk falls, and may be followed until it lies
        let why = solved(&mut pushed("1e-25")).expect_err("it falls");
        assert!(
            matches!(
                why,
                NoReturn::NearlySteady { .. }
                    | NoReturn::Settles { .. }
                    | NoReturn::Sensitive { .. }
                    | NoReturn::Ends(_)
            ),
            "{why}"
        );
    }
}

/// A disk that turns fast near θ = 0 and is slow for the rest: 10⁻¹⁰ of its greatest speed, and no separatrix.
#[test]
fn a_slow_motion_is_no_separatrix() {
    let options = ParseOptions {
        parameters: pairs(&[("I1", "M*r^2/2"), ("I3", "4*M*r^2")]),
        initial: pairs(&[("theta", "0.001"), ("theta'", "-0.311"), ("phi'", "0.259"), ("psi'", "-0.5206")]),
        ..ParseOptions::default()
    };
    let mut system = system_of("disk", &catalogue("rolling-disk"), &options);
    let motion = solved(&mut system).expect("it returns");
    assert!((motion.period().to_f64() - 0.101_289_785_955_769_51).abs() < 1e-15, "{}", motion.period());
    let run = system.compile().expect("it runs").solve(&Run::until(0.5).at([0.5]).precision(Precision::DoubleDouble));
    let wrong = from_run(&motion, &run.expect("a sound run"));
    assert!(wrong < 1e-13, "{wrong:e}");
}

/// Nearer and nearer to the separatrix: T = 4 K(v²/4) is off by less than the error that is told, and in the end there is none.
#[test]
fn errors_near_a_separatrix() {
    for (e, sign) in [(4, "-"), (8, "+"), (12, "-"), (18, "-"), (22, "-")] {
        let small: Dd = format!("1e-{e}").parse().expect("a number");
        let motion = solved(&mut pendulum(&format!("2*(1 {sign} 1e-{e})"))).expect("it returns");
        let period = match sign {
            "-" => elliptic_k((Dd::ONE - small) * (Dd::ONE - small)) * Dd::from(4.0),
            _ => {
                let v = Dd::ONE + small;
                elliptic_k(Dd::ONE / (v * v)) * Dd::from(2.0) / v
            }
        };
        // K itself loses digits as 1 − m does
        let lost = 1e-30 / small.to_f64();
        let off = (motion.period() - period).to_f64().abs();
        assert!(off < motion.error() + lost, "1e-{e}: off by {off:e}, told {:e}", motion.error());
        assert!(motion.error() < 1e6 * lost, "1e-{e}: {:e}", motion.error());
    }
    let why = solved(&mut pendulum("2*(1 - 1e-27)")).expect_err("too near");
    assert!(matches!(why, NoReturn::Settles { growth, .. } if (growth - 1.0).abs() < 1e-6), "{why}");
}

/// A disk that rolls upright, too slowly, and is pushed a little: it falls, rises on the other side of the separatrix, and stands again for long. Its period grows
/// by the same amount with each hundredth of the push.
#[test]
fn a_start_near_an_unstable_steady_motion() {
    let motion =
        |push: &str| solved(&mut disk_from(&[("theta", "pi/2"), ("theta'", push), ("phi'", "0"), ("psi'", "1")]));
    let [a, b, c] = ["1e-6", "1e-8", "1e-10"].map(|push| motion(push).expect("it returns"));
    let left = (c.period() - b.period() - (b.period() - a.period())).to_f64().abs();
    // the next term of T is of the second order in the push
    assert!(left < c.error() + 1e-10, "{left:e} {:e}", c.error());
    assert!(c.error() < 1e-8 && a.error() < 1e-16, "{:e} {:e}", c.error(), a.error());
    let why = motion("1e-16").expect_err("too near");
    // λ² = (M g r − I₃ (I₃ + M r²) ψ̇²/I₁)/(I₁ + M r²)
    let rate = ((9.81_f64 - 0.5 * 1.5 / 0.25) / 1.25).sqrt();
    assert!(matches!(why, NoReturn::Settles { growth, .. } if (growth - rate).abs() < 1e-8), "{why}");
}

/// A body that rocks through the upright comes back by half a turn after half a swing, however small the swing.
#[test]
fn periods_are_the_shortest() {
    let body = |tilt: &str| {
        format!(
            r#"
[gravity]
g = 9.81
[body.e]
mass = 1
surface = {{ spheroid = [1, 0.5], centre = [0, 0, -0.1] }}
inertia = [0.3, 0.3, 0.4]
[ground]
surface = "plane"
[initial.e]
touching = [0, 0, 0]
rotation = "Rx({tilt})"
"#
        )
    };
    // small swings: (I + m h²) θ″ = −m g (ρ − h) θ with ρ = 1/0.5 the radius of curvature below and h the height of the centre
    let (h, radius) = (0.6_f64, 2.0);
    let half = std::f64::consts::PI * ((0.3 + h * h) / (9.81 * (radius - h))).sqrt();
    for tilt in ["1e-3", "1e-8", "1e-12"] {
        let motion = solved(&mut system_of("egg", &body(tilt), &ParseOptions::default())).expect("it rocks");
        assert!((motion.period().to_f64() / half - 1.0).abs() < 1e-5, "{tilt}: {} {half}", motion.period());
    }
}

#[test]
fn friction_is_named() {
    let text = format!(
        r#"{POINT}potential = "x^2/2 + y^2"
[forces]
x = "-x'/100"
y = "-y'/100"
[initial]
position = {{ x = 1, y = 0.4 }}
"#
    );
    let why = solved(&mut system_of("damped", &text, &ParseOptions::default())).expect_err("it dies out");
    assert!(matches!(why, NoReturn::Dissipates { from, to, .. } if to < from), "{why}");
}

/// Hénon and Heiles at E near 1/12: not integrable. Near the line x = 0, on which motions are those of a cubic oscillator, and stable, there is one that returns.
#[test]
fn a_motion_that_returns_near_one_that_does_not() {
    let text = format!(
        r#"{POINT}potential = "(x^2 + y^2)/2 + x^2*y - y^3/3"
[initial]
position = {{ x = 0.02, y = 0.1 }}
velocity = {{ x = 0.01, y = 0.35 }}
"#
    );
    let mut system = system_of("hh", &text, &ParseOptions::default());
    assert!(matches!(
        returning(&mut system, &ReturnOptions { steps: 300, ..ReturnOptions::default() }),
        Err(NoReturn::Wanders { .. })
    ));
    let options = ReturnOptions { steps: 300, ..ReturnOptions::default() };
    let near = nearby(&mut system, &options, Some(6.4)).expect("one returns");
    assert!(near.distance < 0.1, "{}", near.distance);
    assert!(near.motion.residual() < 1e-21);
    // it is an orbit of the system: Newton's equation holds along it
    let (t, h) = (3.7, 1e-3);
    let at = |t: f64| near.motion.at(t);
    let (before, now, after) = (at(t - h), at(t), at(t + h));
    for (name, force) in
        [("x'", -now["x"] - 2.0 * now["x"] * now["y"]), ("y'", -now["y"] - now["x"] * now["x"] + now["y"] * now["y"])]
    {
        assert!(((after[name] - before[name]) / (2.0 * h) - force).abs() < 1e-6);
    }
    // two multipliers are 1, time and energy; the product of all is 1
    let product = near.multipliers.iter().fold(1.0, |p, m| p * m.0.hypot(m.1));
    assert!((product - 1.0).abs() < 1e-6, "{:?}", near.multipliers);
    let ones = near.multipliers.iter().filter(|m| (m.0 - 1.0).hypot(m.1) < 1e-3).count();
    assert!(ones >= 2, "{:?}", near.multipliers);
}

/// A weight on a spring that swings in space: two degrees of freedom are left when the turn about the vertical is divided out, and they are not integrable.
#[test]
fn a_motion_that_returns_up_to_a_turn() {
    let text = r#"
[coordinates]
x = "real"
y = "real"
z = "real"
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "7*(sqrt(x^2 + y^2 + z^2) - 1)^2 + z"
[initial]
position = { x = 0.7, z = -1 }
velocity = { y = 0.5, z = 0.05 }
"#;
    let mut system = system_of("spring", text, &ParseOptions::default());
    let options = ReturnOptions { steps: 400, ..ReturnOptions::default() };
    assert!(matches!(returning(&mut system, &options), Err(NoReturn::Wanders { .. })));
    let near = nearby(&mut system, &options, None).expect("one returns");
    assert!(near.motion.residual() < 1e-20 && near.distance < 0.5, "{} {}", near.motion.residual(), near.distance);
    // the turn and the moment about the vertical are a pair of multipliers 1 each, as time and energy are
    let ones = near.multipliers.iter().filter(|m| (m.0 - 1.0).hypot(m.1) < 1e-2).count();
    assert!(ones >= 4, "{:?}", near.multipliers);
    // the height is invariant, so that it has the period of the reduced motion
    let (t, period) = (Dd::from(0.3), near.motion.period());
    let height = |t: Dd| near.motion.at(t).get_digits("z").expect("the height");
    assert!((height(t) - height(t + period * Dd::from(1e5))).to_f64().abs() < 1e-14);
    assert!(!near.motion.holonomy().turns.is_empty());
}
