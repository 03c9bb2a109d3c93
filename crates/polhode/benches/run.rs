//! One motion: the rolling disk to t = 1000 with the contact point within 6e-9.
//!
//! `cargo bench -p polhode --bench run`; with `-- --json` one object per line, which
//! `bench/run.sh` sets beside SciPy and heyoka. For each integrator, the loosest tolerance of a
//! grid that reaches the goal together with the next tighter one; the least time of several runs.
//! "solve" is `Compiled::solve` on the built-in model: it also watches for lift-off and for the
//! ends of the interval of θ, and looks at energy, constraints and forces after each step. "steps
//! only" is the integrator alone, which is what the competitors are asked to do.

mod motion;

use motion::Motion;
use polhode::integrate::{Statistics, Stepper};
use polhode::prelude::*;
use std::time::Instant;

const END: f64 = 1000.0;
/// Distance of the contact point from where it should be.
const GOAL: f64 = 6e-9;
const REPETITIONS: usize = 15;
/// Tolerances from loose to tight: half decades.
const GRID: std::ops::RangeInclusive<i32> = 20..=31;
/// Contact point at t = 1000, from `filetests/trajectories/disk-long-benchmark.toml`.
const CONTACT: [f64; 2] = [0.6470398081375295, 0.15553255766947478];

/// What a run comes to.
struct Outcome {
    contact: [f64; 2],
    order: Option<usize>,
    statistics: Statistics,
    milliseconds: f64,
}

impl Outcome {
    fn error(&self) -> f64 {
        (self.contact[0] - CONTACT[0]).hypot(self.contact[1] - CONTACT[1])
    }
}

fn disk() -> Model {
    let text = builtin::find("rolling-disk").expect("built in").text;
    Model::parse("rolling-disk", text, &ParseOptions::default()).expect("a valid model").0
}

/// The whole run of a user.
fn solve(compiled: &std::sync::Arc<Compiled>, method: Method, tolerance: f64) -> Outcome {
    let run = Run::until(END).method(method).rtol(tolerance).atol(tolerance).sparse();
    let begin = Instant::now();
    let motion = compiled.solve(&run).expect("a sound run");
    let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
    assert_eq!(motion.report.stop, StopReason::End);
    let contact = [motion.last["x"], motion.last["y"]];
    Outcome { contact, order: motion.report.order, statistics: motion.report.statistics, milliseconds }
}

/// The integrator alone.
fn steps_only(motion: &Motion, mut stepper: Box<dyn Stepper<f64>>) -> Outcome {
    let begin = Instant::now();
    while stepper.time() < END {
        stepper.step(END).expect("the disk rolls on");
    }
    let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
    let place = |name: &str| motion.names.iter().position(|n| n == name).expect("a coordinate");
    let contact = ["x", "y"].map(|name| stepper.state()[place(name)]);
    Outcome { contact, order: None, statistics: stepper.statistics(), milliseconds }
}

/// Searches the grid, repeats the run that is good enough and prints it.
fn contest(name: &str, prepare: f64, json: bool, run: impl Fn(f64) -> Outcome) {
    let mut reached: Option<f64> = None;
    let mut found = None;
    for exponent in GRID {
        let tolerance = 10f64.powf(-f64::from(exponent) / 2.0);
        let good = run(tolerance).error() <= GOAL;
        if let (true, Some(looser)) = (good, reached) {
            found = Some(looser);
            break;
        }
        reached = good.then_some(tolerance);
    }
    let Some(tolerance) = found else {
        println!("{name}: no tolerance of the grid is good enough");
        return;
    };
    let outcome = (0..REPETITIONS)
        .map(|_| run(tolerance))
        .min_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds))
        .expect("repetitions");
    let (s, error, time) = (outcome.statistics, outcome.error(), outcome.milliseconds);
    if json {
        let order = outcome.order.map_or("null".to_string(), |o| o.to_string());
        println!(
            r#"{{"name": "{name}", "prepare": {prepare:.3}, "time": {time:.4}, "tolerance": {tolerance:e}, "order": {order}, "error": {error:e}, "steps": {}, "evaluations": {}}}"#,
            s.steps, s.evaluations
        );
    } else {
        println!(
            "{name:<34} {tolerance:>9.1e} {prepare:>11.2} {time:>9.2} {error:>9.1e} {:>8} {:>12}",
            s.steps, s.evaluations
        );
    }
}

fn main() {
    let json = std::env::args().any(|a| a == "--json");
    let mut prepare = f64::MAX;
    let mut compiled = None;
    for _ in 0..5 {
        let begin = Instant::now();
        let (mut system, _) = System::new(&disk()).expect("a valid system");
        compiled = Some(system.compile().expect("runs"));
        prepare = prepare.min(begin.elapsed().as_secs_f64() * 1e3);
    }
    let compiled = compiled.expect("compiled");
    let motion = Motion::new(&disk(), None);
    if !json {
        println!("rolling disk to t = {END}, contact point within {GOAL:e}; {} form", compiled.program.form.name());
        println!(
            "{:<34} {:>9} {:>11} {:>9} {:>9} {:>8} {:>12}",
            "", "tolerance", "prepare, ms", "run, ms", "error", "steps", "evaluations"
        );
    }
    contest("Polhode Taylor, solve", prepare, json, |e| solve(&compiled, Method::Taylor, e));
    contest("Polhode Taylor, steps only", prepare, json, |e| steps_only(&motion, motion.taylor(e)));
    contest("Polhode DOP853, solve", prepare, json, |e| solve(&compiled, Method::Dop853, e));
    contest("Polhode DOP853, steps only", prepare, json, |e| steps_only(&motion, motion.dop853(e)));
}
