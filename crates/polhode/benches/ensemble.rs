//! Many motions: the ensemble of rolling disks of `bench/README.md`, from the built-in model.
//!
//! `cargo bench -p polhode --bench ensemble` prints errors and times of both batch integrators at several tolerances; with
//! `-- --json MOTIONS END TOLERANCE THREADS REPETITIONS FILE` it takes part in `bench/ensemble.sh`: the
//! tolerance is that of the Taylor batch, whose median error is close to it.

mod motion;

use motion::{Motion, tolerance};
use polhode::integrate::batch::{Lanes, Motions, run_all};
use polhode::integrate::taylor::usual_order;
use polhode::integrate::{Dop853Batch, StepError, Stepper, Taylor, TaylorBatch};
use polhode::prelude::*;
use polhode::tape::{Dd, Scalar, Tape};
use polhode_backend_native::Native;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Orders above those of Jorba and Zou: a step of a batch costs little more, and is longer.
const MORE_ORDERS: usize = 4;
/// Motions that a thread takes at a time.
const PORTION: usize = 32;

/// θ, φ, ψ, x, y, θ̇, φ̇, ψ̇ of motion i.
fn start(i: usize) -> [f64; 8] {
    const M: [u32; 4] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a];
    let u = M.map(|m| f64::from(m.wrapping_mul(i as u32 + 1)) / 4_294_967_296.0 - 0.5);
    [(5.0 + 2.0 * u[0]) / 5.0, 0.0, 0.0, 0.0, 0.0, (1.0 + u[1]) / 5.0, 1.5 + u[2], 2.5 + u[3]]
}

/// Motions that are taken from a common pile.
struct Share<'a> {
    taken: &'a AtomicUsize,
    all: usize,
    end: f64,
    portion: std::ops::Range<usize>,
    order: Vec<usize>,
    results: Vec<(usize, [f64; 8])>,
}

impl<B> Motions<B> for Share<'_> {
    fn next(&mut self, y: &mut [f64]) -> Option<(f64, f64)> {
        if self.portion.is_empty() {
            let first = self.taken.fetch_add(PORTION, Ordering::Relaxed);
            self.portion = first.min(self.all)..(first + PORTION).min(self.all);
        }
        let i = self.portion.next()?;
        self.order.push(i);
        y.copy_from_slice(&start(i));
        Some((0.0, self.end))
    }

    fn ended(&mut self, motion: usize, _t: f64, y: &[f64], outcome: Result<(), StepError>) {
        outcome.expect("the disk rolls on");
        self.results.push((self.order[motion], std::array::from_fn(|k| y[k])));
    }
}

/// Nanoseconds this thread has been running.
fn cpu() -> f64 {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    line.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0)
}

/// What an ensemble came to.
struct Ensemble {
    /// CPU seconds of all threads.
    cpu: f64,
    /// Seconds on the wall.
    wall: f64,
    /// The final states.
    states: Vec<[f64; 8]>,
}

fn all<B: Lanes + Clone + Send + Sync>(batch: &B, motions: usize, end: f64, threads: usize) -> Ensemble {
    let taken = AtomicUsize::new(0);
    let begin = Instant::now();
    let work = |mut batch: B| {
        let before = cpu();
        let mut share =
            Share { taken: &taken, all: motions, end, portion: 0..0, order: Vec::new(), results: Vec::new() };
        run_all(&mut batch, &mut share);
        ((cpu() - before) * 1e-9, share.results)
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| work(batch.clone()))).collect();
        let own = work(batch.clone());
        others.into_iter().map(|t| t.join().expect("no panic")).chain([own]).collect()
    });
    let wall = begin.elapsed().as_secs_f64();
    let mut states = vec![[0.0; 8]; motions];
    parts.iter().flat_map(|(_, results)| results).for_each(|(i, y)| states[*i] = *y);
    Ensemble { cpu: parts.iter().map(|(cpu, _)| cpu).sum(), wall, states }
}

fn taylor(field: &Tape, epsilon: f64) -> impl Lanes + Clone + Send + Sync + use<> {
    let native = Native::new().and_then(|n| n.packed().contracted()).expect("a machine with AVX-512");
    let order = usual_order(tolerance(epsilon), f64::EPSILON) + MORE_ORDERS;
    TaylorBatch::<_, 8>::with_order(&native, field, tolerance(epsilon), &[], order).expect("code")
}

fn dop853(field: &Tape, epsilon: f64) -> impl Lanes + Clone + Send + Sync + use<> {
    let native = Native::new().and_then(|n| n.packed().contracted()).expect("a machine with AVX-512");
    Dop853Batch::<_, 8>::new(&native, field, tolerance(epsilon), &[]).expect("code")
}

/// The final state in double-doubles.
fn reference(field: &Tape, i: usize, end: f64) -> [f64; 8] {
    let y = start(i).map(Dd::from);
    let mut stepper = Taylor::<Dd>::new(field, Dd::ZERO, &y, tolerance(1e-22), Vec::new());
    while stepper.time() < Dd::from(end) {
        stepper.step(Dd::from(end)).expect("the disk rolls on");
    }
    std::array::from_fn(|k| stepper.state()[k].to_f64())
}

fn report<B: Lanes + Clone + Send + Sync>(name: &str, epsilon: f64, batch: &B, references: &[[f64; 8]], end: f64) {
    let motions = references.len();
    let runs: Vec<_> = (0..30).map(|_| all(batch, motions, end, 1)).collect();
    let least = runs.iter().map(|r| r.cpu).fold(f64::MAX, f64::min);
    let mut errors: Vec<f64> = (runs[0].states.iter().zip(references))
        .map(|(y, r)| y.iter().zip(r).map(|(y, r)| (y - r).abs()).fold(0.0, f64::max))
        .collect();
    errors.sort_by(f64::total_cmp);
    println!(
        "{name:<8} {epsilon:>9.1e} {:>12.1e} {:>10.1e} {:>10.2}",
        errors[motions / 2],
        errors[motions - 1],
        least * 1e6 / motions as f64
    );
}

fn main() {
    let text = builtin::find("rolling-disk").expect("built in").text;
    let model = Model::parse("rolling-disk", text, &ParseOptions::default()).expect("a valid model").0;
    let motion = Motion::new(&model, None);
    let names = ["theta", "phi", "psi", "x", "y", "theta'", "phi'", "psi'"];
    assert_eq!(motion.names, names, "the order of the ensemble");
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [json, motions, end, epsilon, threads, repetitions, file] = &arguments[..] {
        assert_eq!(json, "--json");
        let number = |text: &String| text.parse::<f64>().expect("a number");
        let (motions, end, epsilon) = (number(motions) as usize, number(end), number(epsilon));
        let batch = taylor(&motion.field, epsilon);
        let runs: Vec<_> =
            (0..number(repetitions) as usize).map(|_| all(&batch, motions, end, number(threads) as usize)).collect();
        let least = |f: fn(&Ensemble) -> f64| runs.iter().map(f).fold(f64::MAX, f64::min);
        let (cpu, wall) = (least(|r| r.cpu) * 1e6 / motions as f64, least(|r| r.wall) * 1e6 / motions as f64);
        let bytes: Vec<u8> = runs[0].states.iter().flatten().flat_map(|y| y.to_le_bytes()).collect();
        std::fs::write(file, bytes).expect("a file that can be written");
        println!(
            r#"{{"name": "Polhode, Taylor, 8 lanes", "us_per_motion": {cpu:.4}, "wall_us_per_motion": {wall:.4}}}"#
        );
        return;
    }
    let end = 10.0;
    let references: Vec<[f64; 8]> = (0..1024).map(|i| reference(&motion.field, i, end)).collect();
    println!("{:<8} {:>9} {:>12} {:>10} {:>10}", "", "tolerance", "median error", "largest", "µs/motion");
    for epsilon in [1e-8, 1e-9, 1e-10, 1e-11] {
        report("DOP853", epsilon, &dop853(&motion.field, epsilon), &references, end);
    }
    for epsilon in [1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14] {
        report("Taylor", epsilon, &taylor(&motion.field, epsilon), &references, end);
    }
}
