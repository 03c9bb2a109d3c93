//! Rolling bodies: time of one core per simulated second, with ten seconds right to 1e-8.
//!
//! `cargo bench -p polhode --bench rolling`; with `-- --json` one object per line, which
//! `bench/rolling.sh` sets beside MuJoCo, and with a word only the lines that have it, such as
//! "rattleback: Polhode DOP853". For each integrator, the loosest tolerance of a grid that
//! reaches the goal together with the next tighter one; the least time of several runs. The error is
//! the largest one in x_O, R and Ω at the end, relative where the number is larger than 1, against a
//! motion in double-doubles. "solve" is `Compiled::solve`, which also watches for lift-off and for
//! the events of the model and looks at energy, constraints and forces after each step; "steps only"
//! is the integrator alone. The baseline is DOP853 with equations written and compiled by hand.

mod by_hand;
mod motion;

use by_hand::EllipsoidOnPlane;
use motion::{Motion, prepare, tolerance};
use polhode::integrate::{Dop853, Statistics, Stepper, VectorField};
use polhode::prelude::*;
use polhode::tape::Kernel;
use std::sync::Arc;
use std::time::Instant;

const END: f64 = 10.0;
const GOAL: f64 = 1e-8;
const REPETITIONS: usize = 60;
/// Tolerances from loose to tight: half decades.
const GRID: std::ops::RangeInclusive<i32> = 10..=31;

/// A model and the same by hand.
struct Body {
    name: &'static str,
    by_hand: EllipsoidOnPlane,
}

const BODIES: [Body; 2] = [
    Body {
        name: "ellipsoid-on-plane",
        by_hand: EllipsoidOnPlane {
            squares: [4.0, 2.25, 1.0],
            centre: [0.0; 3],
            mass: 1.0,
            inertia: [0.65, 1.0, 1.25, 0.0],
            gravity: 1.0,
        },
    },
    Body {
        name: "rattleback",
        by_hand: EllipsoidOnPlane {
            squares: [0.04, 9e-4, 4e-4],
            centre: [0.0, 0.0, 0.01],
            mass: 1.0,
            inertia: [2e-4, 16e-4, 17e-4, 2e-5],
            gravity: 9.81,
        },
    },
];

/// What a run comes to: x_O, R, Ω and what they cost.
struct Outcome {
    end: Vec<f64>,
    statistics: Statistics,
    seconds: f64,
}

/// x_O, R, Ω of a sample.
fn phase(s: &Sample) -> Vec<f64> {
    let vector = |name: &'static str| (1..=3).map(move |i| format!("{name}[{i}]"));
    let matrix = (0..9).map(|k| format!("R[{},{}]", k / 3 + 1, k % 3 + 1));
    vector("x_O").chain(matrix).chain(vector("Omega")).map(|name| s[&name[..]]).collect()
}

/// The same of a state (q, x_O, Ω).
fn phase_of_state(y: &[f64]) -> Vec<f64> {
    let (w, x, q, z) = (y[0], y[1], y[2], y[3]);
    let mut out = y[4..7].to_vec();
    out.extend([1.0 - 2.0 * (q * q + z * z), 2.0 * (x * q - w * z), 2.0 * (x * z + w * q)]);
    out.extend([2.0 * (x * q + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (q * z - w * x)]);
    out.extend([2.0 * (x * z - w * q), 2.0 * (q * z + w * x), 1.0 - 2.0 * (x * x + q * q)]);
    out.extend(&y[7..10]);
    out
}

fn error(end: &[f64], reference: &[f64]) -> f64 {
    end.iter().zip(reference).map(|(x, y)| (x - y).abs() / y.abs().max(1.0)).fold(0.0, f64::max)
}

/// The whole run of a user.
fn solve(compiled: &Arc<Compiled>, method: Method, tolerance: f64) -> Outcome {
    let run = Run::until(END).method(method).rtol(tolerance).atol(tolerance).sparse();
    let begin = Instant::now();
    let motion = compiled.solve(&run).expect("a sound run");
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(motion.report.stop, StopReason::End);
    Outcome { end: phase(&motion.last), statistics: motion.report.statistics, seconds }
}

/// The integrator alone.
fn steps_only(stepper: &mut dyn Stepper<f64>) -> Outcome {
    let begin = Instant::now();
    while stepper.time() < END {
        stepper.step(END).expect("it rolls on");
    }
    let seconds = begin.elapsed().as_secs_f64();
    Outcome { end: phase_of_state(stepper.state()), statistics: stepper.statistics(), seconds }
}

/// One line of the table.
struct Line {
    name: &'static str,
    tolerance: f64,
    error: f64,
    best: Outcome,
}

/// Searches the grid and repeats the run that is good enough.
fn contest(name: &'static str, reference: &[f64], run: &dyn Fn(f64) -> Outcome) -> Option<Line> {
    let mut reached: Option<f64> = None;
    let mut found = None;
    for exponent in GRID {
        let tolerance = 10f64.powf(-f64::from(exponent) / 2.0);
        let good = error(&run(tolerance).end, reference) <= GOAL;
        if let (true, Some(looser)) = (good, reached) {
            found = Some(looser);
            break;
        }
        reached = good.then_some(tolerance);
    }
    let tolerance = found?;
    let best = (0..REPETITIONS).map(|_| run(tolerance)).min_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    Some(Line { name, tolerance, error: error(&best.end, reference), best })
}

/// Nanoseconds of one evaluation at the start, each waiting for the one before.
fn evaluation(start: &[f64], mut rates: impl FnMut(&[f64], &mut [f64])) -> f64 {
    const CALLS: u32 = 10_000;
    let mut least = f64::MAX;
    for _ in 0..REPETITIONS {
        let (mut y, mut dy) = (start.to_vec(), vec![0.0; start.len()]);
        let begin = Instant::now();
        for _ in 0..CALLS {
            rates(&y, &mut dy);
            y[0] = start[0] + 1e-12 * dy[9];
        }
        least = least.min(begin.elapsed().as_secs_f64() / f64::from(CALLS));
    }
    least * 1e9
}

fn contests(body: &Body, json: bool, word: &str) {
    let text = builtin::find(body.name).expect("built in").text;
    let model = Model::parse(body.name, text, &ParseOptions::default()).expect("a valid model").0;
    let compiled = System::new(&model).expect("a valid system").0.compile().expect("runs");
    let motion = Motion::new(&model, None);
    let tight = Run::until(END).method(Method::Taylor).precision(Precision::DoubleDouble).rtol(1e-22).sparse();
    let reference = phase(&compiled.solve(&tight).expect("a sound run").last);

    let mut kernel = prepare(&motion.field);
    let mut inputs = vec![0.0; kernel.inputs()];
    let mut field = body.by_hand;
    let hand_ns = evaluation(&motion.start, |y, dy| field.rates(0.0, y, dy));
    let tape_ns = evaluation(&motion.start, |y, dy| {
        inputs[1..].copy_from_slice(y);
        kernel.evaluate(1, &inputs, dy);
    });
    let contest = |name: &'static str, run: &dyn Fn(f64) -> Outcome| {
        format!("{}: {name}", body.name).contains(word).then(|| contest(name, &reference, run)).flatten()
    };
    let lines = [
        contest("by hand, DOP853, steps only", &|e| {
            steps_only(&mut Dop853::new(body.by_hand, 0.0, motion.start.clone(), tolerance(e), motion.units.clone()))
        }),
        contest("Polhode DOP853, steps only", &|e| steps_only(&mut *motion.dop853(e))),
        contest("Polhode DOP853, solve", &|e| solve(&compiled, Method::Dop853, e)),
        contest("Polhode Taylor, steps only", &|e| steps_only(&mut *motion.taylor(e))),
        contest("Polhode Taylor, solve", &|e| solve(&compiled, Method::Taylor, e)),
    ];
    if json {
        let numbers = |x: &[f64]| x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
        let start = numbers(&motion.start);
        println!(r#"{{"body": "{}", "start": [{start}], "end": [{}]}}"#, body.name, numbers(&reference));
    } else {
        let work = motion.field.work();
        println!(
            "{} to t = {END}, within {GOAL:e}; one evaluation: {work} operations {tape_ns:.0} ns, by hand {hand_ns:.0} ns",
            body.name
        );
        println!(
            "{:<30} {:>9} {:>9} {:>6} {:>9} {:>7} {:>12}",
            "", "tolerance", "ms per s", "ratio", "error", "steps", "evaluations"
        );
    }
    let baseline = lines[0].as_ref().map_or(f64::NAN, |l| l.best.seconds);
    for Line { name, tolerance, error, best } in lines.iter().flatten() {
        let time = best.seconds * 1e3 / END;
        let (ratio, steps, evaluations) = (best.seconds / baseline, best.statistics.steps, best.statistics.evaluations);
        if json {
            println!(
                r#"{{"body": "{}", "name": "{name}", "time": {time:e}, "ratio": {ratio:.3}, "tolerance": {tolerance:e}, "error": {error:e}, "steps": {steps}, "evaluations": {evaluations}}}"#,
                body.name
            );
        } else {
            println!(
                "{name:<30} {tolerance:>9.1e} {time:>9.4} {ratio:>6.2} {error:>9.1e} {steps:>7} {evaluations:>12}"
            );
        }
    }
    if !json {
        println!();
    }
}

fn main() {
    let json = std::env::args().any(|a| a == "--json");
    let word = std::env::args().skip(1).find(|a| !a.starts_with("--")).unwrap_or_default();
    BODIES.iter().for_each(|body| contests(body, json, &word));
}
