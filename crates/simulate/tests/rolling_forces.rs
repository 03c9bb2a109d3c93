//! Forces, torques, dissipation, potentials and gyroscopes of bodies that roll: against closed forms, with the balance of energy.
//!
//! A homogeneous ball of mass m and radius r on a plane has the moment (7/5) m r² about its contact.

use crate::moving;

use crate::prelude::*;
use moving::{constant, in_every_form, motion, near, near_all, vector, world_spin};

const M: f64 = 0.8;
const R: f64 = 0.25;
const G: f64 = 9.81;

/// A ball on a plane, with what else the model says.
fn ball(more: &str) -> String {
    format!(
        r#"
[parameters]
c = 0.003
F = 0.7
[gravity]
g = 9.81
[body.ball]
mass    = 0.8
inertia = "solid"
surface = {{ sphere = 0.25 }}
[ground]
surface = "plane"
[initial.ball]
touching = [0, 0, 0]
omega    = [3, -2, 5]
{more}
"#
    )
}

/// The work of the forces is the change of the energy.
fn balanced(motion: &Trajectory, expected: f64) {
    let (kind, work) = motion.report.work[0];
    assert_eq!((motion.report.work.len(), kind), (1, "forces"));
    near(work, expected, 1e-11, "the work");
    near(motion.report.energy_change, expected, 1e-11, "the energy");
    assert!(motion.report.energy_error < 1e-12, "{}", motion.report.energy_error);
}

/// A torque −cω slows rolling at the rate c/(7/5 m r²) and spinning at c/(2/5 m r²); as a torque in body axes, in world axes, and by
/// Rayleigh's function.
#[test]
fn viscous_torques() {
    let (rolling, spinning) = (0.003 / (1.4 * M * R * R), 0.003 / (0.4 * M * R * R));
    for said in ["Omega = \"-c*Omega\"", "omega = \"-c*omega\"", "dissipation = \"c/2*norm2(omega)\""] {
        in_every_form(&ball(&format!("[forces]\n{said}")), 10.0, |motion| {
            for s in motion.sampled(21) {
                let (slow, still) = ((-rolling * s.t()).exp(), (-spinning * s.t()).exp());
                near_all(world_spin(&s), [3.0 * slow, -2.0 * slow, 5.0 * still], 1e-12, "ω");
                let way = R * (1.0 - slow) / rolling;
                near_all(vector(&s, "x_O"), [-2.0 * way, -3.0 * way, R], 1e-12, "the centre");
                let force = [2.0, 3.0, 0.0].map(|x| M * R * rolling * slow * x);
                near_all(vector(&s, "force"), [force[0], force[1], M * G], 1e-11, "the force");
            }
            let (slow, still) = ((-2.0 * rolling * 10.0).exp(), (-2.0 * spinning * 10.0).exp());
            let lost = 0.7 * M * R * R * 13.0 * (1.0 - slow) + 0.2 * M * R * R * 25.0 * (1.0 - still);
            balanced(motion, -lost);
        });
    }
}

/// Friction −k u at the contact of a ball that slides, u the velocity of its material there: u decays at the rate (7/2) k/m, and takes 2/7 of it
/// from the centre.
#[test]
fn sliding_in_oil() {
    let k = 0.2;
    let rate = 3.5 * k / M;
    let u = [1.0 + 2.0 * R, 3.0 * R];
    for said in [
        "[[force]]\non = \"ball\"\nat = \"c1\"\nforce = \"-0.2*velocity_at(x_O, R, c1)\"",
        "[[force]]\non = \"ball\"\nat = \"x_O - [0, 0, 0.25]\"\nforce = \"-0.2*velocity_at(x_O, R, x_O - [0, 0, 0.25])\"",
        "[forces]\ndissipation = \"0.1*norm2(velocity_at(x_O, R, c1))\"",
    ] {
        let model =
            ball(&format!("velocity = [1, 0, 0]\n{said}")).replace("\"plane\"", "\"plane\"\nfrictionless = true");
        // forms with independent velocities of their own choice may fail where the ball turns
        let motion = motion(&model, 5.0);
        for s in motion.sampled(21) {
            let left = (-rate * s.t()).exp();
            let lost = 2.0 / 7.0 * (s.t() - (1.0 - left) / rate);
            near_all(vector(&s, "x_O"), [s.t() - lost * u[0], -lost * u[1], R], 1e-12, "the centre");
            let turned = (1.0 - left) * 5.0 / (7.0 * R);
            let spin = [3.0 - turned * u[1], -2.0 + turned * u[0], 5.0];
            near_all(world_spin(&s), spin, 1e-12, "ω");
        }
    }
}

/// A force F through the centre accelerates by (5/7) F/m, against a friction of (2/7) F.
#[test]
fn a_constant_push() {
    for said in [
        "[forces]\nx_O = \"[F, 0, 0]\"",
        "[[force]]\nat = \"x_O\"\nforce = \"[F, 0, 0]\"",
        "[[force]]\nat = \"ball.position\"\nforce = \"[F, 0, 0]\"",
    ] {
        in_every_form(&ball(said), 5.0, |motion| {
            let a = 5.0 / 7.0 * 0.7 / M;
            for s in motion.sampled(21) {
                let t = s.t();
                near_all(vector(&s, "x_O"), [-2.0 * R * t + a * t * t / 2.0, -3.0 * R * t, R], 1e-12, "the centre");
                near_all(vector(&s, "force"), [-2.0 / 7.0 * 0.7, 0.0, M * G], 1e-12, "the force");
                near(s["mu_required"], 0.2 / (M * G), 1e-12, "μ");
            }
            balanced(motion, 0.7 * (-2.0 * R * 5.0 + a * 12.5));
        });
    }
}

/// A torque about the normal spins the ball and does not move it; one about y rolls it along x.
#[test]
fn torques() {
    in_every_form(&ball("[[force]]\ntorque = \"[0, 0, F]\"\non = \"R\""), 4.0, |motion| {
        for s in motion.sampled(9) {
            near_all(world_spin(&s), [3.0, -2.0, 5.0 + 0.7 * s.t() / (0.4 * M * R * R)], 1e-12, "ω");
            near_all(vector(&s, "x_O"), [-2.0 * R * s.t(), -3.0 * R * s.t(), R], 1e-12, "the centre");
        }
    });
    in_every_form(&ball("[forces]\nomega = \"[0, F*cos(t), 0]\""), 4.0, |motion| {
        for s in motion.sampled(9) {
            let gained = 0.7 * s.t().sin() / (1.4 * M * R * R);
            near_all(world_spin(&s), [3.0, -2.0 + gained, 5.0], 1e-12, "ω");
            near(s["force[1]"], M * R * 0.7 * s.t().cos() / (1.4 * M * R * R), 1e-12, "friction");
        }
    });
}

/// A force at a point fixed in the ball: the balance of energy closes, and the moment of momentum about the contact grows by the
/// moment of the force, d/dt[(7/5 m r²) ω_h + (2/5 m r²) ω_z e₃] = (p − c) × F.
#[test]
fn a_force_at_a_point_of_the_body() {
    let said = r#"
[define]
arm    = "R*[0.1, 0.2, 0]"
moment = "0.4*0.8*0.25^2*omega + 0.8*0.25^2*[omega[1], omega[2], 0]"
pull   = "[F, -F, F/2]"
[[force]]
at    = "x_O + arm"
force = "pull"
[observables]
balance = "dt(moment) - cross(arm + [0, 0, 0.25], pull)"
"#;
    in_every_form(&ball(said), 10.0, |motion| {
        for s in motion.sampled(41) {
            near_all(vector(&s, "balance"), [0.0; 3], 1e-12, "the moment");
        }
        assert!(motion.report.energy_error < 1e-12 && motion.report.energy_change.abs() > 0.1);
    });
}

/// A spring to a point of the plane: each coordinate of the centre swings at √(5κ/7m).
#[test]
fn a_spring_to_a_point_of_the_plane() {
    in_every_form(&ball("[lagrangian]\npotential = \"(x_O[1]^2 + x_O[2]^2)/2\""), 20.0, |motion| {
        let nu = (5.0 / (7.0 * M)).sqrt();
        for s in motion.sampled(41) {
            let swing = (nu * s.t()).sin() / nu;
            near_all(vector(&s, "x_O"), [-2.0 * R * swing, -3.0 * R * swing, R], 1e-12, "the centre");
        }
        assert!(motion.report.energy_error < 1e-12 && motion.report.work.is_empty());
    });
}

/// A ball on a sphere that attracts it: Γ = (7/5) m r² ω_t + (2/5) m r² ω_n is a constant vector, about which the direction n of the
/// contact turns at the rate |Γ|/(7/5 m r (R₁ + r)) [Voronets1911, §12].
#[test]
fn a_central_force() {
    let text = r#"
[body.ball]
mass    = 0.8
inertia = "solid"
surface = { sphere = 0.25 }
[ground]
surface = { sphere = 2 }
[lagrangian]
potential = "-30/norm(x_O)"
[initial.ball]
touching = [0, 1.2, 1.6]
omega    = [1, 4, 2]
[define]
n     = "x_O/2.25"
gamma = "0.8*0.25^2*(7/5*omega - dot(omega, n)*n)"
[observables]
kept = "gamma"
"#;
    in_every_form(text, 20.0, |motion| {
        constant(motion, &["kept[1]", "kept[2]", "kept[3]"], 1e-12);
        let start = motion.at(0.0).expect("the start");
        let (gamma, n) = (vector(&start, "kept"), vector(&start, "x_O").map(|x| x / 2.25));
        let size = gamma.iter().map(|x| x * x).sum::<f64>().sqrt();
        let axis = gamma.map(|x| x / size);
        let rate = size / (1.4 * M * R * 2.25);
        let along: f64 = (0..3).map(|i| axis[i] * n[i]).sum();
        let side: [f64; 3] = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| axis[i] * n[j] - axis[j] * n[i]);
        for s in motion.sampled(41) {
            let (sin, cos) = (rate * s.t()).sin_cos();
            let turned = [0, 1, 2].map(|i| 2.25 * (axis[i] * along + (n[i] - axis[i] * along) * cos + side[i] * sin));
            near_all(vector(&s, "x_O"), turned, 1e-11, "the centre");
            // m v²/l inwards, of which the attraction 30/l² is more than enough
            let speed = rate * 2.25 * (1.0 - along * along).sqrt();
            near(s["normal_force"], 30.0 / 2.25f64.powi(2) - M * speed * speed / 2.25, 1e-11, "N");
        }
    });
}

/// A ball with a rotor inside, in coordinates: the rotor turns by φ against the ball about its z axis and has the moment J there.
fn with_rotor(driven: bool) -> Trajectory {
    let text = format!(
        r#"
[coordinates]
R   = "SO(3)"
x   = "real"
y   = "real"
phi = "angle"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + (0.5*Omega[1]^2 + 0.4*Omega[2]^2 + 0.3*Omega[3]^2)/2 + 0.15*(Omega[3] + phi')^2/2"
[constraints]
"no slip x" = "x' = omega[2]"
"no slip y" = "y' = -omega[1]"
{}
[initial]
R     = "Rx(0.7)"
Omega = [1, 0.5, 0.25]
phi'  = 4
"#,
        if driven { "motor = \"phi' = 4\"" } else { "" }
    );
    motion(&text, 10.0)
}

/// The same as a rolling body.
fn with_gyroscope(inertia: f64, gyroscope: &str) -> Trajectory {
    motion(
        &format!(
            r#"
[body.ball]
mass      = 1
surface   = {{ sphere = 1 }}
inertia   = [0.5, 0.4, {inertia}]
gyroscope = {gyroscope}
[ground]
surface   = "plane"
bilateral = true
[initial.ball]
touching = [0, 0, 0]
rotation = "Rx(0.7)"
Omega    = [1, 0.5, 0.25]
"#
        ),
        10.0,
    )
}

/// A free rotor keeps κ = J ϖ with its absolute spin ϖ = 0.25 + 4, and the moment of the body about the axis is without J. A motor
/// that keeps the relative spin 4 makes κ = 4J, with J in the moment of the body. Both are also the motion of a ball with a rotor that
/// has an angle of its own.
#[test]
fn gyroscopes_free_and_driven() {
    let apart = |a: &Trajectory, b: &Trajectory| {
        let names = ["Omega[1]", "Omega[2]", "Omega[3]", "R[1,1]", "R[3,2]"];
        let difference = |t: f64| {
            let (a, b) = (a.at(t).expect("within"), b.at(t).expect("within"));
            names.iter().map(|n| (a[*n] - b[*n]).abs()).fold(0.0, f64::max)
        };
        (0..=20).map(|i| difference(f64::from(i) / 2.0)).fold(0.0, f64::max)
    };
    let free = with_gyroscope(0.3, "{ momentum = \"0.15*4.25\" }");
    let driven = with_gyroscope(0.3, "{ spin = 4, moment = 0.15 }");
    assert!(apart(&free, &with_rotor(false)) < 1e-12);
    assert!(apart(&driven, &with_rotor(true)) < 1e-12);
    assert!(apart(&driven, &with_gyroscope(0.45, "{ momentum = \"0.15*4\", axis = [0, 0, 2] }")) < 1e-12);
    assert!(apart(&free, &driven) > 0.1, "the two are not the same");
}
