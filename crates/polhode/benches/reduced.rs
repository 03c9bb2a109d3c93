//! What the reduced equations cost beside the full ones: `cargo bench -p polhode --bench reduced`.
//!
//! The same motion three times, by Taylor series at the usual tolerance: in the form that a run takes by itself, reduced by the symmetry of the
//! model, and reduced with nothing lifted. "Operations" is the cost of one evaluation of all rates. A word on the command line picks models by name. Best of many
//! runs on one core, taken in turn; the last column is how far positions and velocities differ.

use polhode::prelude::*;
use polhode::simulate::Group;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RUNS: usize = 60;
const UNTIL: f64 = 10.0;

const MODELS: [&str; 15] = [
    "rolling-disk",
    "rolling-disk-centre",
    "symmetric-sphere",
    "chaplygin-ball",
    "homogeneous-ball",
    "ball-on-turntable",
    "routh-ball",
    "euler-disk",
    "rattleback",
    "chaplygin-sleigh",
    "snakeboard",
    "roller-racer",
    "free-rigid-body",
    "suslov",
    "spherical-pendulum",
];

fn main() {
    println!(
        "{:<22} {:>12} {:>6} {:>6} {:>12} {:>6} {:>6} {:>7} {:>12} {:>6} {:>6} {:>7} {:>12}",
        "",
        "full",
        "oper.",
        "steps",
        "reduced",
        "oper.",
        "steps",
        "ratio",
        "base only",
        "oper.",
        "steps",
        "ratio",
        "difference"
    );
    let wanted = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    for name in MODELS.into_iter().filter(|m| wanted.as_ref().is_none_or(|w| m.contains(w.as_str()))) {
        let usual = CompileOptions::default();
        let reduced = CompileOptions { reduced: true, ..CompileOptions::default() };
        let base = CompileOptions { lift: Some(Vec::new()), ..reduced.clone() };
        let systems = [usual, reduced, base].map(|options| compiled(name, &options));
        let best = best(&systems);
        print!("{name:<22}");
        for (k, (time, motion)) in best.iter().enumerate() {
            let (cost, steps) = (systems[k].program.field.cost(), motion.report.statistics.steps);
            print!(" {:>9.3} ms {cost:>6} {steps:>6}", time.as_secs_f64() * 1e3);
            if k > 0 {
                print!(" {:>7.2}", time.as_secs_f64() / best[0].0.as_secs_f64());
            }
        }
        println!(" {:>12.1e}", difference(&best[0].1, &best[1].1));
    }
}

fn compiled(name: &str, options: &CompileOptions) -> Arc<Compiled> {
    let text = builtin::find(name).expect("built in").text;
    let (model, _) = Model::parse(name, text, &ParseOptions::default()).expect("a valid model");
    let (mut system, _) = System::new(&model).expect("a valid system");
    system.compile_with(options).expect("a symmetry")
}

/// The shortest times and the motions, the systems taken in turn.
fn best(systems: &[Arc<Compiled>]) -> Vec<(Duration, Trajectory)> {
    let run = Run { dense: false, ..Run::until(UNTIL).at([UNTIL]).method(Method::Taylor) };
    let solve = |compiled: &Arc<Compiled>| {
        let start = Instant::now();
        let motion = compiled.solve(&run).expect("a run that can be made");
        (start.elapsed(), motion)
    };
    let mut best: Vec<(Duration, Trajectory)> = systems.iter().map(solve).collect();
    for _ in 1..RUNS {
        for (best, compiled) in best.iter_mut().zip(systems) {
            best.0 = best.0.min(solve(compiled).0);
        }
    }
    best
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
