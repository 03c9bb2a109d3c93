//! What the reduced equations cost beside the full ones: `cargo bench -p polhode --bench reduced`.
//!
//! The same motion twice, by Taylor series at the usual tolerance: in the form that a run takes by itself, and reduced by the symmetry of the
//! model. "Operations" is the cost of one evaluation of all rates. A word on the command line picks models by name. Best of many
//! runs on one core; the last column is how far positions and velocities differ.

use polhode::prelude::*;
use polhode::simulate::Group;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RUNS: usize = 60;
const UNTIL: f64 = 10.0;

const MODELS: [&str; 9] = [
    "rolling-disk",
    "rolling-disk-centre",
    "symmetric-sphere",
    "chaplygin-ball",
    "chaplygin-sleigh",
    "snakeboard",
    "roller-racer",
    "free-rigid-body",
    "suslov",
];

fn main() {
    println!(
        "{:<22} {:>12} {:>11} {:>8} {:>12} {:>11} {:>8} {:>8} {:>12}",
        "", "full", "operations", "steps", "reduced", "operations", "steps", "ratio", "difference"
    );
    let wanted = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    for name in MODELS.into_iter().filter(|m| wanted.as_ref().is_none_or(|w| m.contains(w.as_str()))) {
        let (full, reduced) = (compiled(name, false), compiled(name, true));
        let (a, b) = (best(&full), best(&reduced));
        println!(
            "{name:<22} {:>9.3} ms {:>11} {:>8} {:>9.3} ms {:>11} {:>8} {:>8.2} {:>12.1e}",
            a.0.as_secs_f64() * 1e3,
            full.program.field.cost(),
            a.1.report.statistics.steps,
            b.0.as_secs_f64() * 1e3,
            reduced.program.field.cost(),
            b.1.report.statistics.steps,
            b.0.as_secs_f64() / a.0.as_secs_f64(),
            difference(&a.1, &b.1),
        );
    }
}

fn compiled(name: &str, reduced: bool) -> Arc<Compiled> {
    let text = builtin::find(name).expect("built in").text;
    let (model, _) = Model::parse(name, text, &ParseOptions::default()).expect("a valid model");
    let (mut system, _) = System::new(&model).expect("a valid system");
    system.compile_with(&CompileOptions { reduced, ..CompileOptions::default() }).expect("a symmetry")
}

fn best(compiled: &Arc<Compiled>) -> (Duration, Trajectory) {
    let run = Run { dense: false, ..Run::until(UNTIL).at([UNTIL]).method(Method::Taylor) };
    let mut shortest = Duration::MAX;
    let mut last = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        let motion = compiled.solve(&run).expect("a run that can be made");
        shortest = shortest.min(start.elapsed());
        last = Some(motion);
    }
    (shortest, last.expect("at least one run"))
}

/// The largest difference of a position or velocity, relative to max(1, |value|).
fn difference(a: &Trajectory, b: &Trajectory) -> f64 {
    let (x, y) = (&a.last, &b.last);
    let mut worst = 0f64;
    for (p, q) in a.compiled().variables.iter().zip(&b.compiled().variables) {
        if !matches!(p.group, Group::Position | Group::Velocity) {
            continue;
        }
        for (u, v) in x.numbers(p).iter().zip(y.numbers(q)) {
            worst = worst.max((u - v).abs() / u.abs().max(1.0));
        }
    }
    worst
}
