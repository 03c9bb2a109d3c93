//! Many motions: the ensemble of rolling disks of `bench/README.md`, from the built-in model, and rattlebacks and ellipsoids
//! of the rolling engine.
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
use polhode::tape::{Dd, Scalar};
use polhode_backend_native::Native;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Orders above those of Jorba and Zou: a step of a batch costs little more, and is longer.
const MORE_ORDERS: usize = 4;
/// When motions end.
const END: f64 = 10.0;
/// Motions that a thread takes at a time.
const PORTION: usize = 32;

/// Numbers between −½ and ½ that belong to motion i.
fn fractions(i: usize) -> [f64; 4] {
    const M: [u32; 4] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a];
    M.map(|m| f64::from(m.wrapping_mul(i as u32 + 1)) / 4_294_967_296.0 - 0.5)
}

/// θ, φ, ψ, x, y, θ̇, φ̇, ψ̇ of disk i.
fn disk(i: usize, y: &mut [f64]) {
    let u = fractions(i);
    y.copy_from_slice(&[(5.0 + 2.0 * u[0]) / 5.0, 0.0, 0.0, 0.0, 0.0, (1.0 + u[1]) / 5.0, 1.5 + u[2], 2.5 + u[3]]);
}

/// The start of a model with its last three components, the angular velocity, changed by up to a tenth.
fn spun(start: &[f64]) -> impl Fn(usize, &mut [f64]) + Sync {
    move |i, y| {
        y.copy_from_slice(start);
        let n = y.len();
        y[n - 3..].iter_mut().zip(fractions(i)).for_each(|(omega, u)| *omega *= 1.0 + 0.2 * u);
    }
}

/// Sets the state in which motion i begins.
type Start<'a> = &'a (dyn Fn(usize, &mut [f64]) + Sync);

/// Motions that are taken from a common pile.
struct Share<'a> {
    taken: &'a AtomicUsize,
    start: Start<'a>,
    all: usize,
    end: f64,
    portion: std::ops::Range<usize>,
    order: Vec<usize>,
    results: Vec<(usize, Vec<f64>)>,
}

impl<B> Motions<B> for Share<'_> {
    fn next(&mut self, y: &mut [f64]) -> Option<(f64, f64)> {
        if self.portion.is_empty() {
            let first = self.taken.fetch_add(PORTION, Ordering::Relaxed);
            self.portion = first.min(self.all)..(first + PORTION).min(self.all);
        }
        let i = self.portion.next()?;
        self.order.push(i);
        (self.start)(i, y);
        Some((0.0, self.end))
    }

    fn ended(&mut self, motion: usize, _t: f64, y: &[f64], outcome: Result<(), StepError>) {
        outcome.expect("it rolls on");
        self.results.push((self.order[motion], y.to_vec()));
    }
}

/// What an ensemble came to.
struct Ensemble {
    /// Seconds of all threads together by the clock, which are no fewer than those of the processor; the clock of the
    /// scheduler is too coarse.
    busy: f64,
    /// Seconds on the wall.
    wall: f64,
    /// The final states.
    states: Vec<Vec<f64>>,
}

fn all<B: Lanes + Clone + Send + Sync>(batch: &B, start: Start<'_>, motions: usize, threads: usize) -> Ensemble {
    let taken = AtomicUsize::new(0);
    let begin = Instant::now();
    let work = |mut batch: B| {
        let before = Instant::now();
        let mut share = Share {
            taken: &taken,
            start,
            all: motions,
            end: END,
            portion: 0..0,
            order: Vec::new(),
            results: Vec::new(),
        };
        run_all(&mut batch, &mut share);
        (before.elapsed().as_secs_f64(), share.results)
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| work(batch.clone()))).collect();
        let own = work(batch.clone());
        others.into_iter().map(|t| t.join().expect("no panic")).chain([own]).collect()
    });
    let wall = begin.elapsed().as_secs_f64();
    let busy = parts.iter().map(|(busy, _)| busy).sum();
    let mut states = vec![Vec::new(); motions];
    parts.into_iter().flat_map(|(_, results)| results).for_each(|(i, y)| states[i] = y);
    Ensemble { busy, wall, states }
}

fn taylor(motion: &Motion, epsilon: f64) -> impl Lanes + Clone + Send + Sync + use<> {
    let native = Native::new().and_then(|n| n.packed().contracted()).expect("a machine with AVX-512");
    let order = usual_order(tolerance(epsilon), f64::EPSILON) + MORE_ORDERS;
    TaylorBatch::<_, 8>::with_order(&native, &motion.field, tolerance(epsilon), &motion.units, order).expect("code")
}

fn dop853(motion: &Motion, epsilon: f64) -> impl Lanes + Clone + Send + Sync + use<> {
    let native = Native::new().and_then(|n| n.packed().contracted()).expect("a machine with AVX-512");
    Dop853Batch::<_, 8>::new(&native, &motion.field, tolerance(epsilon), &motion.units).expect("code")
}

/// The final state in double-doubles.
fn reference(motion: &Motion, start: Start<'_>, i: usize) -> Vec<f64> {
    let mut y = vec![0.0; motion.start.len()];
    start(i, &mut y);
    let y: Vec<Dd> = y.into_iter().map(Dd::from).collect();
    let mut stepper = Taylor::<Dd>::new(&motion.field, Dd::ZERO, &y, tolerance(1e-22), motion.units.clone());
    while stepper.time() < Dd::from(END) {
        stepper.step(Dd::from(END)).expect("it rolls on");
    }
    stepper.state().iter().map(|y| y.to_f64()).collect()
}

/// Motions whose ends are known, and the components that are a place.
struct Contest<'a> {
    start: Start<'a>,
    references: Vec<Vec<f64>>,
    place: Vec<usize>,
}

impl Contest<'_> {
    fn new<'a>(motion: &Motion, start: Start<'a>, motions: usize, place: &[&str]) -> Contest<'a> {
        let references = (0..motions).map(|i| reference(motion, start, i)).collect();
        let index = |name: &&str| motion.names.iter().position(|n| n == name).expect("a component");
        Contest { start, references, place: place.iter().map(index).collect() }
    }

    fn report<B: Lanes + Clone + Send + Sync>(&self, name: &str, epsilon: f64, batch: &B) {
        let motions = self.references.len();
        let runs: Vec<_> = (0..30).map(|_| all(batch, self.start, motions, 1)).collect();
        let least = runs.iter().map(|r| r.busy).fold(f64::MAX, f64::min) / motions as f64;
        let errors = |of: &dyn Fn(&[f64], &[f64]) -> f64| {
            let mut errors: Vec<f64> =
                runs[0].states.iter().zip(&self.references).map(|(y, exact)| of(y, exact)).collect();
            errors.sort_by(f64::total_cmp);
            (errors[motions / 2], errors[motions - 1])
        };
        let (median, largest) =
            errors(&|y, exact| y.iter().zip(exact).map(|(y, exact)| (y - exact).abs()).fold(0.0, f64::max));
        let (place, farthest) =
            errors(&|y, exact| self.place.iter().map(|i| (y[*i] - exact[*i]).powi(2)).sum::<f64>().sqrt());
        println!(
            "{name:<8} {epsilon:>9.1e} {median:>9.1e} {largest:>9.1e} {place:>9.1e} {farthest:>9.1e} {:>10.2} {:>12.5}",
            least * 1e6,
            least * 1e3 / END
        );
    }

    fn head(name: &str) {
        println!("\n{:<18} {:^19} {:^19}", name, "error: all", "place");
        println!(
            "{:<8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>12}",
            "", "tolerance", "median", "largest", "median", "largest", "µs/motion", "ms/s"
        );
    }
}

fn built_in(name: &str) -> Motion {
    let text = builtin::find(name).expect("built in").text;
    Motion::new(&Model::parse(name, text, &ParseOptions::default()).expect("a valid model").0, None)
}

/// Takes part in `bench/ensemble.sh`.
fn take_part(motion: &Motion, [motions, epsilon, threads, repetitions]: [f64; 4], file: &str) {
    let batch = taylor(motion, epsilon);
    let motions = motions as usize;
    let runs: Vec<_> = (0..repetitions as usize).map(|_| all(&batch, &disk, motions, threads as usize)).collect();
    let least = |f: fn(&Ensemble) -> f64| runs.iter().map(f).fold(f64::MAX, f64::min) * 1e6 / motions as f64;
    let bytes: Vec<u8> = runs[0].states.iter().flatten().flat_map(|y| y.to_le_bytes()).collect();
    std::fs::write(file, bytes).expect("a file that can be written");
    println!(
        r#"{{"name": "Polhode, Taylor, 8 lanes", "us_per_motion": {:.4}, "wall_us_per_motion": {:.4}}}"#,
        least(|r| r.busy),
        least(|r| r.wall)
    );
}

fn main() {
    let motion = built_in("rolling-disk");
    assert_eq!(motion.names, ["theta", "phi", "psi", "x", "y", "theta'", "phi'", "psi'"], "the order of the ensemble");
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [json, motions, end, epsilon, threads, repetitions, file] = &arguments[..] {
        let number = |text: &String| text.parse::<f64>().expect("a number");
        assert!(json == "--json" && number(end) == END, "motions end at {END}");
        take_part(&motion, [motions, epsilon, threads, repetitions].map(number), file);
        return;
    }
    let disks = Contest::new(&motion, &disk, 1024, &["x", "y"]);
    Contest::head("rolling-disk");
    for epsilon in [1e-8, 1e-9, 1e-10, 1e-11] {
        disks.report("DOP853", epsilon, &dop853(&motion, epsilon));
    }
    for epsilon in [1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14] {
        disks.report("Taylor", epsilon, &taylor(&motion, epsilon));
    }
    for name in ["rattleback", "ellipsoid-on-plane"] {
        let motion = built_in(name);
        let start = spun(&motion.start);
        let contest = Contest::new(&motion, &start, 64, &["x_O[1]", "x_O[2]", "x_O[3]"]);
        Contest::head(name);
        for epsilon in [1e-7, 3e-8, 2e-8, 1e-8, 3e-9, 1e-9, 1e-10, 1e-11, 1e-12] {
            contest.report("DOP853", epsilon, &dop853(&motion, epsilon));
        }
    }
}
