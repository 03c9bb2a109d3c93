//! What integrators keep and what they lose over 10⁶ steps, and the orders they reach.
//!
//! `cargo bench -p polhode --bench drift` prints the tables of `docs/integrators.md`. Each method
//! takes a million steps; after each, energy and constraints are looked at. Words after `--` select
//! systems by their titles. With e = (E − E₀)/|E₀|,
//!
//! ```text
//! bound    max |e| over the first tenth of the steps, and over all of them
//! trend    (slope of the straight line that fits e(t) best) · (time reached)
//! ```
//!
//! A method that keeps the energy has equal bounds and a trend far below them; one that drifts has
//! a trend as large as its bound. The order is the slope of log |error| against log h between a step
//! and its half, on the whole phase (positions, velocities; rotations as matrices).

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
    model: Model,
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
    vec![
        Problem { title: "rolling disk", model: disk, step: 0.02, end: 8.0, coarse: 0.05 },
        Problem { title: "Chaplygin's ball", model: ball, step: 0.05, end: 8.0, coarse: 0.2 },
        Problem { title: "knife edge", model: knife, step: 0.1, end: 16.0, coarse: 0.4 },
        Problem { title: "charged particle", model: charge, step: 0.1, end: 16.0, coarse: 0.2 },
    ]
}

/// What is noted of a million steps.
#[derive(Default)]
struct Drift {
    time: f64,
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
    d.time = stepper.time();
    d.trend = line.slope() * d.time;
    d
}

fn drifts(p: &Problem) {
    let own = Motion::new(&p.model, None);
    let multipliers = Motion::new(&p.model, Some(Form::Multipliers));
    println!("\n**{}**, fixed steps of {}\n", p.title, p.step);
    println!("| method | form | time reached | energy: bound, first tenth | bound | trend | constraints |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let row = |method: &str, form: &str, d: Drift| {
        println!(
            "| {method} | {form} | {:.0} | {:.1e} | {:.1e} | {:+.1e} | {:.1e} |",
            d.time, d.early, d.bound, d.trend, d.residual
        );
    };
    type Make = fn(&Motion, f64) -> Box<dyn Stepper<f64>>;
    let methods: [(&str, Make); 7] = [
        ("Taylor, 1e-14", |m, _| m.taylor(1e-14)),
        ("Taylor, 1e-9", |m, _| m.taylor(1e-9)),
        ("DOP853, 1e-15", |m, _| m.dop853(1e-15)),
        ("DOP853, 1e-9", |m, _| m.dop853(1e-9)),
        ("Gauss, 2 stages", |m, h| m.gauss(2, h)),
        ("Gauss, 3 stages", |m, h| m.gauss(3, h)),
        ("Gauss, 4 stages", |m, h| m.gauss(4, h)),
    ];
    for (name, make) in methods {
        row(name, "preferred", drift(&mut *make(&own, p.step), &mut own.observer(), None));
    }
    let m = &multipliers;
    for (name, make) in [methods[0], methods[3], methods[5]] {
        row(name, "multipliers", drift(&mut *make(m, p.step), &mut m.observer(), None));
        let restore = motion::prepare(&m.restore);
        row(name, "multipliers, projected", drift(&mut *make(m, p.step), &mut m.observer(), Some(restore)));
    }
    let d = drift(&mut *multipliers.discrete(p.step), &mut multipliers.discrete_observer(), None);
    row("discrete", "its own", d);
}

/// Where a motion is at the end.
fn phase(mut stepper: Box<dyn Stepper<f64>>, mut observer: Observer, end: f64) -> Vec<f64> {
    while stepper.time() < end {
        stepper.step(end).expect("nothing in the way");
    }
    observer.look(end, stepper.state());
    observer.phase().to_vec()
}

fn orders(p: &Problem) {
    let motion = Motion::new(&p.model, None);
    let multipliers = Motion::new(&p.model, Some(Form::Multipliers));
    let exact = phase(motion.taylor(1e-16), motion.observer(), p.end);
    let row = |name: &str, h: f64, at: &dyn Fn(f64) -> Vec<f64>| {
        let error = |h: f64| at(h).iter().zip(&exact).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        let errors = [h, h / 2.0, h / 4.0].map(error);
        let order = |k: usize| (errors[k] / errors[k + 1]).log2();
        println!(
            "| {} | {name} | {h} | {:.1e} | {:.1e} | {:.1e} | {:.2} | {:.2} |",
            p.title,
            errors[0],
            errors[1],
            errors[2],
            order(0),
            order(1)
        );
    };
    let own = |stepper| phase(stepper, motion.observer(), p.end);
    row("discrete (order 2)", p.coarse / 4.0, &|h| {
        phase(multipliers.discrete(h), multipliers.discrete_observer(), p.end)
    });
    row("Gauss, 1 stage (2)", p.coarse / 2.0, &|h| own(motion.gauss(1, h)));
    row("Gauss, 2 stages (4)", p.coarse, &|h| own(motion.gauss(2, h)));
    row("Gauss, 3 stages (6)", p.coarse, &|h| own(motion.gauss(3, h)));
    row("Gauss, 4 stages (8)", p.coarse, &|h| own(motion.gauss(4, h)));
    row("DOP853 (8)", p.coarse, &|h| own(motion.dop853_fixed(h)));
    row("Taylor, order 6", p.coarse / 2.0, &|h| own(motion.taylor_fixed(6, h)));
    row("Taylor, order 10", p.coarse, &|h| own(motion.taylor_fixed(10, h)));
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let mut problems = problems();
    problems.retain(|p| wanted.is_empty() || wanted.iter().any(|w| p.title.contains(w.as_str())));
    println!("| system | method (order) | h | error | error, h/2 | error, h/4 | order | order |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    problems.iter().for_each(orders);
    problems.iter().for_each(drifts);
}
