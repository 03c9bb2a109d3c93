//! The discrete Lagrange–d'Alembert equations are of order 2, whatever the system consists of, and keep
//! energy and constraints for long times.

use crate::common;

use common::{apart, compile, file, try_compile};
use polhode_lower::NotDiscrete;
use polhode_mechanics::discrete::NoPrinciple;
use polhode_simulate::{CompileError, CompileOptions, Compiled, Method, Run, StopReason, Trajectory};
use std::sync::Arc;

/// A body in space, pulled along world and body directions.
const BODY_IN_SPACE: &str = r#"
[parameters]
m = 1.3
g = 0.7
[coordinates]
b = "SE(3)"
[lagrangian]
kinetic   = "m/2*norm2(b.V) + dot(b.Omega, diag(0.3, 0.5, 0.6)*b.Omega)/2"
potential = "m*g*b.p[3] + b.R[1,2]/3"
[initial]
b.R     = "Rz(0.3)*Rx(1.1)"
b.Omega = [0.5, 1.0, -0.8]
b.V     = [0.1, 0.4, 0.2]
"#;

/// A sleigh on an incline with friction along its blade.
const SLEIGH_IN_THE_PLANE: &str = r#"
[parameters]
a = 0.3
[coordinates]
s = "SE(2)"
[lagrangian]
kinetic   = "(s.V[1]^2 + (s.V[2] + a*s.Omega)^2)/2 + s.Omega^2/4"
potential = "0.4*s.y"
[forces]
"s.V[1]" = "-0.2*s.V[1]"
[constraints]
blade = "s.V[2] = 0"
[initial]
s.x     = 0.1
s.theta = 0.4
s.V     = [0.8, 0]
s.Omega = 1.5
"#;

fn discrete(text: &str) -> Arc<Compiled> {
    compile(text, &CompileOptions { discrete: true, ..CompileOptions::default() })
}

fn run(compiled: &Arc<Compiled>, until: f64, steps: u32) -> Trajectory {
    let motion = compiled.solve(&Run::until(until).method(Method::Discrete).step(until / f64::from(steps)).sparse());
    let motion = motion.expect("the run is sound");
    assert_eq!(motion.report.stop, StopReason::End, "at t = {}", motion.report.t);
    motion
}

#[test]
fn order_two_for_every_kind_of_system() {
    let reference = |name: &str| file(&format!("filetests/reference-systems/{name}.toml"));
    let model = |name: &str| file(&format!("models/{name}.toml"));
    // coordinates; rotations; constraints on the position; moving constraints; applied forces; plane and space
    let systems = [
        ("rolling-disk", model("rolling-disk")),
        ("chaplygin-sleigh", model("chaplygin-sleigh")),
        ("chaplygin-ball", model("chaplygin-ball")),
        ("free-rigid-body", model("free-rigid-body")),
        ("suslov", model("suslov")),
        ("spherical-pendulum", model("spherical-pendulum")),
        ("rotating-wire", reference("rotating-wire")),
        ("particle-affine-rheonomic", reference("particle-affine-rheonomic")),
        ("disk-viscous", reference("disk-viscous")),
        ("ball-turntable-ft", reference("ball-turntable-ft")),
        ("charged-particle", reference("charged-particle")),
        ("SE(3)", BODY_IN_SPACE.into()),
        ("SE(2)", SLEIGH_IN_THE_PLANE.into()),
    ];
    for (name, text) in systems {
        let compiled = discrete(&text);
        let exact = compiled.solve(&Run::until(1.0)).expect("the run is sound");
        let (coarse, fine) = (run(&compiled, 1.0, 160), run(&compiled, 1.0, 320));
        let ratio = apart(&coarse, &exact) / apart(&fine, &exact);
        assert!((3.9..4.1).contains(&ratio), "{name}: halving the step divides the error by {ratio}");
        assert!(fine.report.constraint_residual < 1e-12, "{name}: {:e}", fine.report.constraint_residual);
        // the balance of energy and work has the same order
        let (worse, better) = (coarse.report.energy_error, fine.report.energy_error);
        assert!(better < 1e-12 || (3.7..4.3).contains(&(worse / better)), "{name}: energy {worse:e}, {better:e}");
    }
}

#[test]
fn energy_stays_near_for_long_times() {
    // how far off in a tenth of the time, relative
    let systems = [
        ("chaplygin-sleigh", 100.0, 2000, 6e-4),
        ("chaplygin-ball", 200.0, 4000, 2.2e-4),
        ("rolling-disk", 40.0, 8000, 6e-4),
    ];
    for (name, until, steps, bound) in systems {
        let compiled = discrete(&file(&format!("models/{name}.toml")));
        let (short, long) = (run(&compiled, until / 10.0, steps / 10).report, run(&compiled, until, steps).report);
        assert!(short.energy_error < bound * short.energy, "{name}: {:e} of {}", short.energy_error, short.energy);
        assert!(long.energy_error < 1.02 * short.energy_error, "{name} drifts: {:e}", long.energy_error);
    }
}

/// Noether's theorem holds for discrete Lagrangians too, exactly: what is left is rounding. The equations of
/// a rotation are derivatives of one, or this fails.
#[test]
fn momentum_is_kept_to_rounding() {
    let top = r#"
[coordinates]
R = "SO(3)"
[lagrangian]
kinetic   = "dot(Omega, diag(0.3, 0.5, 0.6)*Omega)/2"
potential = "2*R[3,1] + R[3,3] - R[3,1]*R[3,2]"
[initial]
R     = "Rz(0.3)*Rx(1.1)"
Omega = [0.5, 1.0, -0.8]
[observables]
momentum = "R*(diag(0.3, 0.5, 0.6)*Omega)"
"#;
    for (text, kept) in [(file("models/free-rigid-body.toml"), &[1, 2, 3][..]), (top.into(), &[3][..])] {
        let compiled = discrete(&text);
        let motion = compiled.solve(&Run::until(40.0).method(Method::Discrete).step(0.1).samples(401));
        let samples = motion.expect("the run is sound").samples;
        for i in kept {
            let name = format!("momentum[{i}]");
            let off = samples.iter().map(|s| (s[&name] - samples[0][&name]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "{name}: {off:e}");
        }
    }
}

#[test]
fn directions_are_refused() {
    let text = r#"
[coordinates]
d = "S2"
[lagrangian]
kinetic   = "norm2(d')/2"
potential = "d[3]"
[initial]
d = [0.6, 0, 0.8]
"#;
    let options = CompileOptions { discrete: true, ..CompileOptions::default() };
    match try_compile(text, &options) {
        Err(CompileError::NotDiscrete(NotDiscrete::NoPrinciple(NoPrinciple::Direction(name)))) => assert_eq!(name, "d"),
        other => panic!("{other:?}"),
    }
}
