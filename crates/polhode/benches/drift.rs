//! What integrators keep and what they lose over 10⁶ steps, and the orders they reach.
//!
//! `cargo bench -p polhode --bench drift` prints the tables of `docs/integrators.md`. Each method
//! takes a million steps; after each, energy and constraints are looked at. Words after `--` select
//! systems by their titles. With e = (E − E₀)/|E₀|,
//!
//! ```text
//! bound    max |e| over all steps, or over the first tenth of them
//! trend    (slope of the straight line that fits e(t) best) · (time reached)
//! ```
//!
//! A method that keeps the energy has a trend far below its bound; one that drifts has one as
//! large. The order is the slope of log |error| against log h between a step and its half, on the
//! whole phase (positions, velocities; rotations as matrices).

mod motion;

use motion::{Motion, Observer};
use polhode::integrate::Stepper;
use polhode::prelude::*;
use polhode::tape::Kernel;
use std::path::Path;

const STEPS: u64 = 1_000_000;
/// Further than any of the motions comes.
const FAR: f64 = 1e9;

/// A system with the step of the methods that have a fixed one.
struct Problem {
    title: &'static str,
    /// In the form that `System::compile` takes.
    motion: Motion,
    /// In the form with multipliers.
    multipliers: Motion,
    step: f64,
    /// Where errors are measured, and the longest step there.
    end: f64,
    coarse: f64,
}

fn problems() -> Vec<Problem> {
    let parse = |name: &str, text: &str| Model::parse(name, text, &ParseOptions::default()).expect("a valid model").0;
    let built_in = |name: &str| parse(name, builtin::find(name).expect("built in").text);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/reference-systems");
    let stored = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).expect("a file of the checkout");
        parse(name, &text)
    };
    let (disk, ball) = (built_in("rolling-disk"), built_in("chaplygin-ball"));
    let (knife, charge) = (stored("knife-edge-oscillator.toml"), stored("charged-particle.toml"));
    let problem = |title, model: Model, step, end, coarse| {
        let (motion, multipliers) = (Motion::new(&model, None), Motion::new(&model, Some(Form::Multipliers)));
        Problem { title, motion, multipliers, step, end, coarse }
    };
    vec![
        problem("rolling disk", disk, 0.02, 8.0, 0.05),
        problem("Chaplygin's ball", ball, 0.05, 8.0, 0.2),
        problem("knife edge", knife, 0.1, 16.0, 0.4),
        problem("charged particle", charge, 0.1, 16.0, 0.2),
    ]
}

/// What is noted of a million steps.
#[derive(Default)]
struct Drift {
    early: f64,
    bound: f64,
    trend: f64,
    residual: f64,
}

/// A line fitted to points one after the other.
#[derive(Default)]
struct Line {
    n: f64,
    t: f64, // mean
    e: f64, // mean
    tt: f64,
    te: f64,
}

impl Line {
    fn add(&mut self, t: f64, e: f64) {
        self.n += 1.0;
        let (dt, de) = (t - self.t, e - self.e);
        self.t += dt / self.n;
        self.e += de / self.n;
        self.tt += dt * (t - self.t);
        self.te += dt * (e - self.e);
    }

    fn slope(&self) -> f64 {
        self.te / self.tt
    }
}

/// Takes the steps, restoring the constraints after each if asked to.
fn drift(stepper: &mut dyn Stepper<f64>, observer: &mut Observer, mut restore: Option<Box<dyn Kernel>>) -> Drift {
    observer.look(0.0, stepper.state());
    let start = observer.energy();
    let (mut d, mut line) = (Drift::default(), Line::default());
    let mut inputs = Vec::new();
    let mut state = stepper.state().to_vec();
    for k in 0..STEPS {
        if let Err(e) = stepper.step(FAR) {
            println!("ended early: {e}");
            break;
        }
        let t = stepper.time();
        if let Some(restore) = &mut restore {
            state.copy_from_slice(stepper.state());
            for _ in 0..2 {
                inputs.clear();
                inputs.push(t);
                inputs.extend_from_slice(&state);
                restore.evaluate(1, &inputs, &mut state);
            }
            stepper.restart(t, &state, true);
        }
        observer.look(t, stepper.state());
        let e = (observer.energy() - start) / start.abs();
        line.add(t, e);
        d.bound = d.bound.max(e.abs());
        d.residual = d.residual.max(observer.residual());
        if k < STEPS / 10 {
            d.early = d.bound;
        }
    }
    d.trend = line.slope() * stepper.time();
    d
}

type Make = fn(&Motion, f64) -> Box<dyn Stepper<f64>>;

/// Methods that run in any form.
const METHODS: [(&str, Make); 7] = [
    ("Taylor, 1e-14", |m, _| m.taylor(1e-14)),
    ("Taylor, 1e-9", |m, _| m.taylor(1e-9)),
    ("DOP853, 1e-15", |m, _| m.dop853(1e-15)),
    ("DOP853, 1e-9", |m, _| m.dop853(1e-9)),
    ("Gauss, 2 stages", |m, h| m.gauss(2, h)),
    ("Gauss, 3 stages", |m, h| m.gauss(3, h)),
    ("Gauss, 4 stages", |m, h| m.gauss(4, h)),
];

/// The form that `System::compile` takes, and the discrete method: bound and trend for each system.
fn preferred(problems: &[Problem]) {
    head(problems, "method", ["bound", "trend"]);
    let mut residual = 0.0f64;
    let mut row = |name: &str, run: &dyn Fn(&Problem) -> Drift| {
        print!("| {name} |");
        for p in problems {
            let d = run(p);
            print!(" {:.1e} | {:+.1e} |", d.bound, d.trend);
            residual = residual.max(d.residual);
        }
        println!();
    };
    for (name, make) in METHODS {
        row(name, &|p| drift(&mut *make(&p.motion, p.step), &mut p.motion.observer(), None));
    }
    row("discrete", &|p| drift(&mut *p.multipliers.discrete(p.step), &mut p.multipliers.discrete_observer(), None));
    println!("\nlargest violation of a constraint: {residual:.1e}");
}

/// The multiplier form, left alone and with the constraints restored after each step.
fn multipliers(problems: &[Problem]) {
    println!("\n| system | method | bound, first tenth | bound | constraints | bound, projected | constraints |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for p in problems {
        let m = &p.multipliers;
        for (name, make) in [METHODS[0], METHODS[3], METHODS[5]] {
            let free = drift(&mut *make(m, p.step), &mut m.observer(), None);
            let held = drift(&mut *make(m, p.step), &mut m.observer(), Some(motion::prepare(&m.restore)));
            print!("| {} | {name} | {:.1e} | {:.1e} | {:.1e} ", p.title, free.early, free.bound, free.residual);
            println!("| {:.1e} | {:.1e} |", held.bound, held.residual);
        }
    }
}

/// Where a motion is at the end.
fn phase(mut stepper: Box<dyn Stepper<f64>>, mut observer: Observer, end: f64) -> Vec<f64> {
    while stepper.time() < end {
        stepper.step(end).expect("nothing in the way");
    }
    observer.look(end, stepper.state());
    observer.phase().to_vec()
}

/// Orders between h and h/2 and between h/2 and h/4.
fn orders(problems: &[Problem]) {
    head(problems, "method (its order)", ["error at h/4", "orders"]);
    let row = |name: &str, part: f64, at: &dyn Fn(&Problem, f64) -> Vec<f64>| {
        print!("| {name} |");
        for p in problems {
            let exact = phase(p.motion.taylor(1e-16), p.motion.observer(), p.end);
            let error = |h: f64| at(p, h).iter().zip(&exact).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            let h = p.coarse * part;
            let errors = [h, h / 2.0, h / 4.0].map(error);
            let order = |k: usize| (errors[k] / errors[k + 1]).log2();
            print!(" {:.1e} | {:.2}, {:.2} |", errors[2], order(0), order(1));
        }
        println!();
    };
    let own = |p: &Problem, stepper| phase(stepper, p.motion.observer(), p.end);
    row("discrete (2)", 0.25, &|p, h| phase(p.multipliers.discrete(h), p.multipliers.discrete_observer(), p.end));
    row("Gauss, 1 stage (2)", 0.5, &|p, h| own(p, p.motion.gauss(1, h)));
    row("Gauss, 2 stages (4)", 1.0, &|p, h| own(p, p.motion.gauss(2, h)));
    row("Gauss, 3 stages (6)", 1.0, &|p, h| own(p, p.motion.gauss(3, h)));
    row("Gauss, 4 stages (8)", 1.0, &|p, h| own(p, p.motion.gauss(4, h)));
    row("DOP853 (8)", 1.0, &|p, h| own(p, p.motion.dop853_fixed(h)));
    row("Taylor of order 6", 0.5, &|p, h| own(p, p.motion.taylor_fixed(6, h)));
    row("Taylor of order 8", 0.5, &|p, h| own(p, p.motion.taylor_fixed(8, h)));
}

/// The head of a table with two columns for each system.
fn head(problems: &[Problem], first: &str, columns: [&str; 2]) {
    print!("\n| {first} |");
    problems.iter().for_each(|p| print!(" {}: {} | {} |", p.title, columns[0], columns[1]));
    println!("\n| --- |{}", " --- | --- |".repeat(problems.len()));
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let mut problems = problems();
    problems.retain(|p| wanted.is_empty() || wanted.iter().any(|w| p.title.contains(w.as_str())));
    orders(&problems);
    preferred(&problems);
    multipliers(&problems);
}
