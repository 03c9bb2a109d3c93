//! Motions of models in a module, compared with those of native runs.

use crate::common;

use common::Machine;
use common::systems::{Built, build, model, models};
use polhode_simulate::{Group, Method, Run, StopReason, Trajectory};
use polhode_tape::Scalar;

/// A motion of a module beside a native run.
struct Beside {
    /// The largest difference of positions, velocities and observables at the same times, relative to max(1, size).
    off: f64,
    native: Trajectory,
    machine: Machine,
    /// Status and last time.
    ended: (i32, f64),
}

fn beside(built: &Built, rtol: f64, run: &Run) -> Beside {
    let (mut machine, layout) = (built.begun(), built.module.layout);
    let until = run.until.to_f64();
    let outcome: i32 = machine.call("integrate", (until, run.samples as i32, rtol, rtol, 1_000_000));
    let native = built.compiled.solve(run).expect("a run");
    let (m, rows) = (layout.sizes.report, (outcome / 16) as usize);
    // where it stopped early there is one row more
    assert!((native.samples.len()..=native.samples.len() + 1).contains(&rows));
    let times = machine.get(layout.at.times, rows);
    let reports = machine.get(layout.at.reports, rows * m);
    let groups = [Group::Position, Group::Velocity, Group::Derived];
    // the friction that is needed is a quotient, 0/0 where the ground exerts no force
    let variables = built.compiled.variables.iter();
    let variables = variables.filter(|v| groups.contains(&v.group) && !v.name.contains("mu_required"));
    let looked_at: Vec<usize> = variables.flat_map(|v| v.numbers.clone()).filter(|i| *i < m).collect();
    let mut off = 0.0;
    for ((sample, t), report) in native.samples.iter().zip(&times).zip(reports.chunks_exact(m)) {
        assert!((sample.t() - t).abs() <= 4e-16 * until.abs(), "{t}");
        for (x, y) in looked_at.iter().map(|i| (report[*i], sample.number(*i))) {
            off = f64::max(off, (x - y).abs() / y.abs().max(1.0));
        }
    }
    Beside { off, native, machine, ended: (outcome % 16, times[rows - 1]) }
}

/// By DOP853.
fn steps_of(run: Run, rtol: f64) -> Run {
    run.method(Method::Dop853).rtol(rtol).atol(rtol)
}

/// Series in all digits of doubles are the truth; the same method with the same tolerance makes the same errors.
fn moves_as_natively(name: &str, ends: &[f64]) {
    let built = build(&model(name)).expect("a module");
    for end in ends {
        let run = Run::until(*end).samples(101);
        let Beside { off, ended, .. } = beside(&built, 1e-15, &run);
        assert!(off < 1e-10 && ended == (0, *end), "{name} to {end}: {off:e}");
        let Beside { off, .. } = beside(&built, 1e-12, &steps_of(run, 1e-12));
        assert!(off < 1e-10, "{name} to {end}, by the same method: {off:e}");
    }
}

#[test]
fn the_rolling_disk_moves_as_natively() {
    moves_as_natively("rolling-disk", &[10.0, -10.0]);
}

#[test]
fn the_rattleback_moves_as_natively() {
    moves_as_natively("rattleback", &[10.0, -3.0]);
}

/// All built-in models with one chart and constraints that stay: the same rows, events and ends.
#[test]
fn all_models_move_as_natively() {
    let mut count = 0;
    for name in models() {
        let Some(built) = build(&model(&name)) else { continue };
        let until = built.until.min(10.0);
        let Beside { off, native, machine, ended } =
            beside(&built, 1e-11, &steps_of(Run::until(until).samples(41), 1e-11));
        assert!(off < 1e-8, "{name}: {off:e}");
        let stopped = matches!(native.report.stop, StopReason::Event(_) | StopReason::Domain { .. });
        assert_eq!(ended.0, if stopped { 4 } else { 0 }, "{name}: {:?}", native.report.stop);
        assert!((ended.1 - native.report.t).abs() < 1e-9, "{name}: {ended:?}");
        let crossings = native.report.events.iter().filter(|e| e.crossing != "touching").count();
        assert_eq!(machine.get(built.module.layout.at.event_log, 1), [crossings as f64], "{name}");
        count += 1;
    }
    assert!(count > 35, "{count} models");
}

/// Positions and velocities become the state that a run begins with, constraints hold there, and the state is left as it is.
#[test]
fn states_are_entered() {
    for name in ["rolling-disk", "rattleback", "bicycle"] {
        let built = build(&model(name)).expect("a module");
        let (mut machine, layout) = (built.begun(), built.module.layout);
        let (at, sizes) = (layout.at, layout.sizes);
        let state = machine.get(at.state, sizes.state);
        let expected: Vec<f64> = built.compiled.initial_state().iter().map(|x| x.to_f64()).collect();
        assert_eq!(state.len(), expected.len());
        for (x, y) in state.iter().zip(&expected) {
            assert!((x - y).abs() <= 1e-14 * y.abs().max(1.0), "{name}: {state:?} {expected:?}");
        }
        machine.call::<(), ()>("constraints", ());
        machine.call::<(), ()>("holonomic", ());
        let velocities = machine.get(at.velocities, sizes.velocities);
        let rows = machine.get(at.rows, sizes.constraints * (sizes.velocities + 1));
        for row in rows.chunks_exact(sizes.velocities + 1) {
            let residual = row.iter().zip(velocities.iter().chain([&1.0])).map(|(a, v)| a * v).sum::<f64>();
            assert!(residual.abs() < 1e-12, "{name}: {residual:e}");
        }
        assert!(machine.get(at.holonomic, sizes.holonomic).iter().all(|h| h.abs() < 1e-12), "{name}");
        machine.call::<(), ()>("field", ());
        machine.call::<(), ()>("report", ());
        assert!(machine.get(at.rates, sizes.state).iter().all(|x| x.is_finite()));
        let report = machine.get(at.report, sizes.report);
        let energy = built.compiled.solve(&Run::until(1e-3)).expect("a run").report.energy;
        assert!(
            (report[built.compiled.program.layout.energy] - energy).abs() < 1e-12 * energy.abs().max(1.0),
            "{name}"
        );
        machine.call::<_, i32>("integrate", (0.1, 5, 1e-9, 1e-9, 1000));
        assert_eq!(machine.get(at.state, sizes.state), state);
    }
}

/// The steps of a module are those of the native integrator, up to rounding.
#[test]
fn steps_are_those_of_native_runs() {
    let built = build(&model("rolling-disk")).expect("a module");
    let mut machine = built.begun();
    machine.call::<_, i32>("integrate", (10.0, 2, 1e-9, 1e-9, 10_000));
    let native = built.compiled.solve(&steps_of(Run::until(10.0), 1e-9)).expect("a run").report.statistics;
    let statistics = machine.get(built.module.layout.at.statistics, 3);
    assert_eq!(statistics[..2], [native.steps as f64, native.rejected as f64]);
}

/// An engine of browsers computes the same bits as the interpreter of these tests.
#[test]
fn node_computes_the_same_bits() {
    let built = build(&model("rattleback")).expect("a module");
    let (mut machine, layout) = (built.begun(), built.module.layout);
    let outcome: i32 = machine.call("integrate", (2.0, 21, 1e-12, 1e-12, 100_000));
    let states = machine.get(layout.at.states, 21 * layout.sizes.state);
    let script = format!(
        "const outcome = e.integrate(2, 21, 1e-12, 1e-12, 100000);
         const words = new BigUint64Array(e.memory.buffer, {}, {});
         console.log(outcome + ' ' + Array.from(words).join(' '));",
        layout.at.states,
        states.len(),
    );
    let Some(text) = built.in_node(&script) else { return };
    let words = states.iter().map(|x| x.to_bits().to_string());
    let expected: Vec<String> = [outcome.to_string()].into_iter().chain(words).collect();
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), expected);
}
