//! Several bodies in rolling contact, ground that moves, and contacts one too many: against closed forms.
//!
//! Balls have the moment k m ρ² with k = 2/5 for homogeneous ones. Motions without a closed form are in
//! `filetests/trajectories`.

use crate::moving;

use crate::prelude::*;
use moving::{
    Flags, builtin, changed, constant, in_every_form, in_forms, motion, near, near_all, times, try_compile, vector,
    world_spin,
};

const K: f64 = 2.0 / 5.0;
const G: f64 = 9.81;

/// A complex number: a vector in the plane.
type Z = [f64; 2];

fn add(a: Z, b: Z) -> Z {
    [a[0] + b[0], a[1] + b[1]]
}

fn times_z(a: Z, b: Z) -> Z {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn scaled(s: f64, a: Z) -> Z {
    [s * a[0], s * a[1]]
}

/// e^{iφ}.
fn unit(angle: f64) -> Z {
    [angle.cos(), angle.sin()]
}

/// Over 100 s the energy is kept to 10⁻¹⁰, the contact velocities to 10⁻¹², and the rim stays on the sphere.
#[test]
fn a_wheel_in_a_shell_for_a_hundred_seconds() {
    let text = builtin("wheel-in-shell").to_owned()
        + "[observables]\ngap = \"norm(wheel.x_O + wheel.R*inside.c - shell.x_O) - 0.95\"\nheight = \"shell.x_O[3] - 1\"\n";
    for method in [Method::Taylor, Method::Dop853] {
        let compiled = try_compile(&text, None, Flags::default()).unwrap_or_else(|e| panic!("{e}"));
        let motion = compiled.solve(&Run::until(100.0).method(method).samples(1001).sparse()).expect("sound");
        assert_eq!(motion.report.stop, StopReason::End);
        let (energy, slip) = (motion.report.energy_error, motion.report.constraint_residual);
        let gap = motion.samples.iter().map(|s| s["gap"].abs().max(s["height"].abs())).fold(0.0, f64::max);
        println!("{}: energy {energy:.1e}, slip {slip:.1e}, gap {gap:.1e}", method.title());
        assert!(energy < 1e-10 && slip < 1e-12 && gap < 1e-12, "energy {energy:e}, slip {slip:e}, gap {gap:e}");
    }
}

/// The normal force of the upper ball vanishes at 0.92391838721…, where the centres are 0.99454… from upright.
#[test]
fn a_ball_flies_off_a_ball() {
    for form in Form::ALL {
        let Ok(compiled) = try_compile(builtin("ball-on-ball"), Some(form), Flags::default()) else {
            assert!(matches!(form, Form::Chaplygin | Form::Ldap), "{}", form.name());
            continue;
        };
        for method in [Method::Taylor, Method::Dop853] {
            let motion = compiled.solve(&Run::until(2.0).method(method)).expect("sound");
            assert_eq!(motion.report.stop, StopReason::Event("balls would lift off".into()), "{}", form.name());
            near(motion.end(), 0.923_918_387_212_675_6, 1e-10, "the time");
            let last = &motion.last;
            let lean = (last["upper.x_O[1]"] - last["lower.x_O[1]"]).atan2(last["upper.x_O[3]"] - 1.0);
            near(lean, 0.994_541_169_317_996_2, 1e-10, "the angle");
            near(last["balls.normal_force"], 0.0, 1e-10, "the normal force");
        }
    }
    // without a wish to stop, the time is noted and the equations go on as if the balls held each other
    let text = builtin("ball-on-ball").replace("stop_at = \"lift-off\"\n", "");
    let motion = motion(&text, 1.2);
    near(times(&motion, "balls would lift off")[0], 0.923_918_387_212_675_6, 1e-10, "the time");
    assert!(motion.last["balls.normal_force"] < -0.1);
}

/// I₁ω₁/R₁ − I₂ω₂/R₂ + e₃ × (m₁v₁ + m₂v₂) is a constant vector, whatever the balls; in one plane also, with
/// l = R₁ + R₂ and the lean a, P = (1 + k)(m₁ + m₂)X' + m₂ l a'(cos a − k).
#[test]
fn two_balls_keep_a_vector() {
    let text = r#"
[gravity]
g = 9.81
[body.lower]
mass = 1.7
inertia = 0.9
surface = { sphere = 0.8 }
[body.upper]
mass = 0.5
inertia = 0.02
surface = { sphere = 0.35 }
[ground]
surface = "plane"
[contact.floor]
between = ["lower", "ground"]
[contact.balls]
between = ["upper", "lower"]
[initial.lower]
touching = [0.1, 0.2, 0]
rotation = "Rx(0.4)"
omega    = [0.3, -0.2, 0.7]
[initial.upper]
touching = ["0.8*sin(0.2)", 0, "0.8*cos(0.2)"]
omega    = [1, 0.5, 30]
[observables]
vector = "0.9*lower.omega/0.8 - 0.02*upper.omega/0.35 + cross([0, 0, 1], 1.7*lower.velocity + 0.5*upper.velocity)"
"#;
    in_every_form(text, 1.0, |motion| {
        constant(motion, &["vector[1]", "vector[2]", "vector[3]"], 1e-11);
        assert!(motion.report.energy_error < 1e-11);
        let [start, end] = [0.0, 1.0].map(|t| vector(&motion.at(t).expect("within"), "upper.x_O"));
        assert!((start[0] - end[0]).hypot(start[1] - end[1]) > 0.1, "it moves");
    });

    let plane = builtin("ball-on-ball").to_owned()
        + r#"
[define]
apart = "upper.velocity - lower.velocity"
rate  = "apart[1]/(upper.x_O[3] - lower.x_O[3])"
[observables]
P = "1.4*2.5*lower.velocity[1] + 0.5*1.6*rate*((upper.x_O[3] - lower.x_O[3])/1.6 - 0.4)"
"#;
    let init = [("lower.omega", "[0, 0.3, 0]"), ("upper.omega", "[0, -0.8, 0]")];
    let moving = changed(&plane, 0.7, Flags { set: &[], init: &init });
    assert!(moving.last["P"].abs() > 0.5);
    constant(&moving, &["P"], 1e-12);
}

/// With the plate at c(t), turning at W: z' = (c' + iW(z − c))/2; ω_h = e₃ × v/ρ, ω_z constant, tangential forces m(1 ± k)a/2.
/// The normal forces are not unique, their sum is. At w = W/2 the ball goes away on a spiral.
#[test]
fn a_ball_between_plates() {
    let (m, rho, a, turning) = (0.9, 0.3, 0.2, 1.5);
    let start: Z = [0.4, 0.1];
    for (w, name) in [(2.0, "2"), (0.75, "0.75")] {
        let half = turning / 2.0;
        let beta = [0.0, a * (w + turning) / (4.0 * (w + half))];
        let flags = Flags { set: &[("w", name)], init: &[] };
        let motion = changed(builtin("ball-between-plates"), 60.0, flags);
        let mut farthest: f64 = 0.0;
        for s in motion.sampled(41) {
            let t = s.t();
            let minus = times_z(beta, unit(-w * t));
            let z = if w == half {
                let gamma = add(start, scaled(-1.0, beta));
                let growing = scaled(a * (w - turning) / 4.0 * t, unit(w * t));
                add(add(growing, minus), times_z(gamma, unit(half * t)))
            } else {
                let alpha = [0.0, -a * (w - turning) / (4.0 * (w - half))];
                let gamma = add(start, scaled(-1.0, add(alpha, beta)));
                add(add(times_z(alpha, unit(w * t)), minus), times_z(gamma, unit(half * t)))
            };
            let plate = [a * (w * t).sin(), a * w * (w * t).cos(), -a * w * w * (w * t).sin()].map(|x| [x, 0.0]);
            let carried = |c1: Z, z: Z, c: Z| {
                let turned = times_z([0.0, turning], add(z, scaled(-1.0, c)));
                scaled(0.5, add(c1, turned))
            };
            let v = carried(plate[1], z, plate[0]);
            let acceleration = carried(plate[2], v, plate[1]);
            near_all(vector(&s, "x_O"), [z[0], z[1], rho], 1e-12, "the centre");
            near_all(world_spin(&s), [-v[1] / rho, v[0] / rho, 0.0], 1e-11, "ω");
            let (above, below) = (vector(&s, "above.force"), vector(&s, "below.force"));
            for i in 0..2 {
                near(above[i], m * (1.0 + K) / 2.0 * acceleration[i], 1e-11, "the plate");
                near(below[i], m * (1.0 - K) / 2.0 * acceleration[i], 1e-11, "the floor");
            }
            near(above[2] + below[2], m * G, 1e-11, "the weight");
            farthest = farthest.max(z[0].hypot(z[1]));
        }
        assert_eq!(farthest > 1.0, w == half, "resonance at W/2: {farthest}");
        assert!(motion.report.energy_error < 1e-11, "{}", motion.report.energy_error);
    }
}

const CYLINDER: &str = r#"
[parameters]
W = 1.3
f = 6
a = 0
n = 1
[gravity]
g = 9.81
[body.ball]
mass    = 0.6
inertia = "solid"
surface = { sphere = 0.25 }
[ground]
surface   = { cylinder = 1, inside = true }
belt      = { spin = [0, 0, "W + a*sin(n*t)"] }
bilateral = true
[initial.ball]
position = [0.75, 0, 0.4]
velocity = [0, "0.75*f", -0.3]
omega    = [2, "-0.3/0.25", "(W - 0.75*f)/0.25"]
[observables]
velocity = "ball.velocity"
"#;

/// b = R − ρ, φ' = f, ω_r = ω_r0 + f(z − z₀)/ρ and z'' + (k/(1 + k))f²(z − z₀) + (kρω_r0 f + g)/(1 + k) = 0; force −m b f² inwards
/// and m(z'' + g) upwards.
#[test]
fn a_ball_in_a_cylinder() {
    let (m, rho, b, f, z0, v0, spin) = (0.6, 0.25, 0.75, 6.0, 0.4, -0.3, 2.0);
    let (square, push) = (K / (1.0 + K) * f * f, (K * rho * spin * f + G) / (1.0 + K));
    let nu = f64::sqrt(square);
    in_every_form(CYLINDER, 100.0, |motion| {
        for s in motion.sampled(101) {
            let t = s.t();
            let bound = 4e-12 * (1.0 + t); // an error of the phase grows with time
            let rise = push / square * ((nu * t).cos() - 1.0) + v0 / nu * (nu * t).sin();
            let (sin, cos) = (f * t).sin_cos();
            near_all(vector(&s, "x_O"), [b * cos, b * sin, z0 + rise], bound, &format!("at {t}"));
            let up = m * (G - square * rise - push);
            near_all(vector(&s, "force"), [-m * b * f * f * cos, -m * b * f * f * sin, up], bound, "the force");
            near(s["normal_force"], m * b * f * f, bound, "N");
            let radial: f64 = spin + f * rise / rho;
            let v = s["velocity[3]"];
            let expected = [radial * cos - v / rho * sin, radial * sin + v / rho * cos, (1.3 - b * f) / rho];
            near_all(world_spin(&s), expected, bound, "ω");
        }
    });
}

/// A ball that does not go round slides down at g/(1 + k), as down a wall with a second wall to hold it.
#[test]
fn a_ball_that_does_not_go_round_sinks() {
    let flags = Flags { set: &[("f", "0"), ("W", "0")], init: &[] };
    let motion = changed(CYLINDER, 2.0, flags);
    for s in motion.sampled(11) {
        let t = s.t();
        let z = 0.4 - 0.3 * t - G / (1.0 + K) * t * t / 2.0;
        near_all(vector(&s, "x_O"), [0.75, 0.0, z], 1e-12, "the centre");
        near(s["force[3]"], 0.6 * G * K / (1.0 + K), 1e-12, "friction");
    }
}

/// A cylinder that speeds up takes the ball along: b φ'' = k R W'/(1 + k); said by a belt and by the rotation of the ground.
#[test]
fn a_cylinder_with_a_variable_rate() {
    let turned = CYLINDER
        .replace("belt      = { spin = [0, 0, \"W + a*sin(n*t)\"] }", "rotation  = \"Rz(W*t + a*(1 - cos(n*t))/n)\"");
    assert_ne!(turned, CYLINDER);
    let (a, n, b) = (2.5, 1.7, 0.75);
    for text in [CYLINDER, &turned] {
        let motion = changed(text, 10.0, Flags { set: &[("a", "2.5"), ("n", "1.7")], init: &[] });
        for s in motion.sampled(41) {
            let t = s.t();
            let gain = K / ((1.0 + K) * b);
            let phi = 6.0 * t + gain * a * (1.0 - (n * t).cos()) / n;
            let rate = 6.0 + gain * a * (n * t).sin();
            near(s["x_O[1]"], b * phi.cos(), 1e-11, "x");
            near(s["x_O[2]"], b * phi.sin(), 1e-11, "y");
            near(s["velocity[1]"], -b * rate * phi.sin(), 1e-11, "x'");
            // b φ' + ρ ω_z = W R
            let spin = world_spin(&s)[2];
            near(b * rate + 0.25 * spin, 1.3 + a * (n * t).sin(), 1e-11, "the surface");
        }
        assert!(motion.report.energy_error < 1e-11, "{}", motion.report.energy_error);
    }
}

const DRUM: &str = r#"
[gravity]
g = 9.81
[body.drum]
mass     = 2
inertia  = [1.2, 1.9, 1.2]
surfaces = { outer = { cylinder = 1, length = 1.4, turned = "Rx(pi/2)" }, inner = { cylinder = 0.9, inside = true, turned = "Rx(pi/2)" } }
[body.ball]
mass    = 0.5
inertia = "solid"
surface = { sphere = 0.2 }
[ground]
surface = "plane"
[contact.floor]
between = ["drum.outer", "ground"]
[contact.inside]
between = ["ball", "drum.inner"]
[initial.drum]
position = [0, 0, 1]
omega    = [0, 0.5, 0]
[initial.ball]
position = ["0.7*sin(0.6)", 0.1, "1 - 0.7*cos(0.6)"]
omega    = [0.3, 1, 0.4]
[observables]
v = "drum.velocity"
u = "ball.velocity"
w = "ball.omega"
"#;

/// A drum that rolls on a line with a ball inside. The pair (X, α) keeps
/// P = (M + I/R² + m + k m e²)X' + m b(cos α + k e)α', e = R_i/R; along the axis, with λ² = k/(1 + k) and ω_n towards the contact,
/// y' = y₀' cos λ(α − α₀) + (kρ/((1 + k)λ)) ω_n0 sin λ(α − α₀). Of the two ends of the line, the friction along the axis is shared evenly.
#[test]
fn a_ball_in_a_drum_that_rolls() {
    let (big, inertia, m, rho, b, e) = (2.0, 1.9, 0.5, 0.2, 0.7, 0.9);
    let lambda = (K / (1.0 + K)).sqrt();
    in_every_form(DRUM, 10.0, |motion| {
        let look = |s: &Sample| {
            let (x, z) = (s["ball.x_O[1]"] - s["drum.x_O[1]"], 1.0 - s["ball.x_O[3]"]);
            let alpha = x.atan2(z);
            let rate = (s["u[1]"] - s["v[1]"]) * alpha.cos() / b + s["u[3]"] * alpha.sin() / b;
            let normal = s["w[1]"] * alpha.sin() - s["w[3]"] * alpha.cos();
            let p = (big + inertia + m + K * m * e * e) * s["v[1]"] + m * b * (alpha.cos() + K * e) * rate;
            (alpha, rate, normal, p)
        };
        let start = motion.at(0.0).expect("the start");
        let (alpha0, _, normal0, p0) = look(&start);
        assert!(p0.abs() > 0.1);
        let along = K * rho / ((1.0 + K) * lambda) * normal0;
        let mut swing: f64 = 0.0;
        for s in motion.sampled(81) {
            let (alpha, rate, normal, p) = look(&s);
            swing = swing.max((alpha - alpha0).abs());
            near(p, p0, 1e-11, "P");
            let (sin, cos) = (lambda * (alpha - alpha0)).sin_cos();
            near(s["u[2]"], start["u[2]"] * cos + along * sin, 1e-11, "y'");
            let kept = |v: f64, n: f64| (1.0 + K) * v * v + K * rho * rho * n * n;
            near(kept(s["u[2]"], normal), kept(start["u[2]"], normal0), 1e-11, "the axial energy");
            let push = m * lambda * rate * (along * cos - start["u[2]"] * sin);
            near(s["inside.force[2]"], push, 1e-10, "friction along the axis");
            near(s["floor_1.force[2]"] + s["floor_2.force[2]"], push, 1e-10, "of the floor, both ends");
            near(s["floor_1.force[2]"], s["floor_2.force[2]"], 1e-10, "evenly");
            near(s["drum.x_O[2]"], 0.0, 1e-14, "the drum stays on its line");
        }
        assert!(swing > 0.5 && motion.report.energy_error < 1e-12);
    });
}

/// u = x + iy with gravity (G, 0, −g_z): u'' = iλu' + G/(1 + k), λ = kW/(1 + k). On a tilted table the circles drift at G/(kW) across the
/// slope. Said by a belt and by the rotation of the ground.
#[test]
fn a_ball_on_a_tilted_turntable() {
    let text = r#"
[parameters]
W    = 3
tilt = 0.2
[gravity]
vector = "[9.81*sin(tilt), 0, -9.81*cos(tilt)]"
[body.ball]
mass    = 0.9
inertia = "solid"
surface = { sphere = 0.15 }
[ground]
surface = "plane"
belt    = { spin = [0, 0, "W"] }
[initial.ball]
position = [0.4, 0.1, 0.15]
velocity = [-0.2, 0.5, 0]
omega    = ["(-0.5 + W*0.4)/0.15", "(-0.2 + W*0.1)/0.15", 1.7]
"#;
    let turned = text.replace("belt    = { spin = [0, 0, \"W\"] }", "rotation = \"Rz(W*t)\"");
    let (w, m) = (3.0, 0.9);
    let slope = G * f64::sin(0.2);
    let lambda = K * w / (1.0 + K);
    let drift = [0.0, slope / (K * w)];
    for text in [text, turned.as_str()] {
        in_every_form(text, 10.0, |motion| {
            for s in motion.sampled(41) {
                let t = s.t();
                let off = add([-0.2, 0.5], scaled(-1.0, drift));
                let round = add(unit(lambda * t), [-1.0, 0.0]);
                let circle = times_z(times_z(off, round), [0.0, -1.0 / lambda]);
                let u = add(add([0.4, 0.1], scaled(t, drift)), circle);
                near_all(vector(&s, "x_O"), [u[0], u[1], 0.15], 1e-11, "the centre");
                let swing = times_z([0.0, lambda], times_z(off, unit(lambda * t)));
                let force = [m * (swing[0] - slope), m * swing[1], m * G * f64::cos(0.2)];
                near_all(vector(&s, "force"), force, 1e-10, "the force");
            }
            let relative = motion.report.energy_error / motion.report.energy_change.abs();
            assert!(relative < 1e-12, "{relative:e}");
        });
    }
}

/// A ball without friction in a bowl is a pendulum of the length R − ρ, and keeps its spin: the period by the arithmetic-geometric mean.
#[test]
fn a_ball_without_friction_in_a_bowl() {
    let text = r#"
[gravity]
g = 9.81
[body.ball]
mass    = 0.3
inertia = "solid"
surface = { sphere = 0.2 }
[ground]
surface      = { sphere = 1.5, inside = true }
frictionless = true
[initial.ball]
position = ["1.3*sin(1.2)", 0, "-1.3*cos(1.2)"]
omega    = [1, 2, 3]
"#;
    let (mut x, mut y) = (1.0, f64::cos(0.6));
    for _ in 0..6 {
        (x, y) = ((x + y) / 2.0, f64::sqrt(x * y));
    }
    let period = std::f64::consts::TAU * f64::sqrt(1.3 / G) / x;
    in_forms(&[Form::Multipliers, Form::Voronets], text, 3.0 * period, |motion| {
        let start = motion.at(0.0).expect("the start");
        for turns in [1.0, 2.0, 3.0] {
            let later = motion.at(turns * period).expect("within");
            near_all(vector(&later, "x_O"), vector(&start, "x_O"), 1e-11, "back where it began");
        }
        let lowest = motion.at(period / 4.0).expect("within");
        near_all(vector(&lowest, "x_O"), [0.0, 0.0, -1.3], 1e-11, "the lowest point");
        // m(g + v²/l), v² = 2gl(1 − cos 1.2)
        near(lowest["normal_force"], 0.3 * G * (3.0 - 2.0 * f64::cos(1.2)), 1e-10, "N");
        for s in motion.sampled(21) {
            near_all(vector(&s, "Omega"), [1.0, 2.0, 3.0], 1e-13, "the spin");
        }
    });
}

/// A disk on ice: its centre goes straight on, and the moments about the vertical and about its own axis are constant.
#[test]
fn a_disk_on_ice() {
    let text = r#"
[gravity]
g = 9.81
[body.disk]
mass    = 0.3
inertia = "solid"
surface = { rim = 0.2 }
[ground]
surface      = "plane"
frictionless = true
[initial.disk]
rotation = "Rx(1.1)"
velocity = [0.7, 0, 0]
omega    = [0, 1, 9]
[observables]
v      = "disk.velocity"
moment = "(disk.rotation*(0.3*0.2^2*diag(1/4, 1/4, 1/2)*disk.Omega))[3]"
"#;
    in_forms(&[Form::Multipliers, Form::Voronets], text, 5.0, |motion| {
        constant(motion, &["v[1]", "v[2]", "moment", "Omega[3]"], 1e-12);
        let heights: Vec<f64> = motion.sampled(101).iter().map(|s| s["x_O[3]"]).collect();
        assert!(heights.iter().fold(0.0, |m: f64, h| m.max((h - heights[0]).abs())) > 0.01, "it nods");
        assert!(motion.report.energy_error < 1e-12);
    });
}
