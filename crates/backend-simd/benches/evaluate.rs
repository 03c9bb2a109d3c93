//! Time of one evaluation of the rolling disk's right-hand side, and of the elementary functions, for every evaluator.
//!
//! `cargo bench -p polhode-backend-simd`. Each number is the minimum over many repetitions, in
//! nanoseconds per point.

mod disk;

use polhode_backend_simd::{Level, Simd};
use polhode_tape::reference::Reference;
use polhode_tape::{Backend, Kernel, Op, Output, Tape, Value};
use std::hint::black_box;
use std::time::{Duration, Instant};

const LANES: [usize; 4] = [1, 8, 64, 4096];

/// Points spread over ordinary states, one column per input.
fn points(lanes: usize) -> Vec<f64> {
    let low = [0.6, -3.0, -3.0, -1.0, -1.0, -1.0, -2.0, 1.0, 1.0, 0.5, 9.0, 0.2, 0.4];
    let high = [2.4, 3.0, 3.0, 1.0, 1.0, 1.0, 2.0, 4.0, 2.0, 1.5, 10.0, 0.3, 0.6];
    (0..low.len() * lanes)
        .map(|k| {
            let (i, l) = (k / lanes, k % lanes);
            let fraction = (0.5 + l as f64 * 0.618_033_988_749_895 + i as f64 * 0.414_213_562_373_095).fract();
            low[i] + (high[i] - low[i]) * fraction
        })
        .collect()
}

/// Nanoseconds per point. A single point is evaluated as in an integration: the next call waits
/// for the result of the last.
fn measure(kernel: &mut impl Kernel, lanes: usize) -> f64 {
    let mut inputs = points(lanes);
    inputs.truncate(kernel.inputs() * lanes);
    let mut outputs = vec![0.0; kernel.outputs() * lanes];
    let calls = (1_000 / lanes).max(1); // short enough to escape interruptions
    let mut best = Duration::MAX;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(300) {
        let start = Instant::now();
        for _ in 0..calls {
            kernel.evaluate(lanes, black_box(&inputs), &mut outputs);
            let outputs = black_box(&outputs);
            inputs[0] += outputs[outputs.len() - lanes] * 1e-300;
        }
        best = best.min(start.elapsed());
    }
    best.as_secs_f64() * 1e9 / (calls * lanes) as f64
}

fn row(name: &str, mut kernel: impl Kernel) {
    print!("{name:<14}");
    for lanes in LANES {
        print!("{:>10.1}", measure(&mut kernel, lanes));
    }
    println!();
}

/// Tapes of one function each.
fn functions() -> [(&'static str, Tape); 4] {
    let (x, y) = (Value(0), Value(1));
    let functions = [
        ("sin x, cos x", vec![Op::Sin(x), Op::Cos(x)]),
        ("exp x", vec![Op::Exp(x)]),
        ("log x", vec![Op::Log(x)]),
        ("atan2 y x", vec![Op::Atan2(y, x)]),
    ];
    functions.map(|(name, results)| {
        let output = |k: usize| Output { name: format!("y{k}"), value: Value(2 + k as u32) };
        let outputs = (0..results.len()).map(output).collect();
        let ops = [Op::Input(0), Op::Input(1)].into_iter().chain(results).collect();
        (name, Tape { inputs: vec!["x".into(), "y".into()], ops, outputs })
    })
}

fn main() {
    println!("nanoseconds per point, by number of lanes (one lane: scalar path)");
    table("rolling disk", &disk::disk());
    functions().iter().for_each(|(name, tape)| table(name, tape));
}

fn table(name: &str, tape: &Tape) {
    println!("\n{name}: {} inputs, {} outputs, {} operations", tape.inputs.len(), tape.outputs.len(), tape.work());
    print!("{:<14}", "");
    LANES.iter().for_each(|l| print!("{l:>10}"));
    println!();
    let Ok(reference) = Reference.prepare(tape);
    row("reference", reference);
    for level in Level::ALL {
        match Simd::with(level) {
            Ok(simd) => {
                let kernel = simd.prepare(tape).expect("a small tape");
                row(&simd.name(), kernel);
            }
            Err(e) => println!("{e}"),
        }
    }
}
