//! Tapes of right-hand sides, and the time a backend takes for them.

use polhode_backend_simd::Simd;
use polhode_tape::reference::Reference;
use polhode_tape::{Backend, Kernel, Tape};
use std::hint::black_box;
use std::time::{Duration, Instant};

const TAPES: [(&str, &str); 2] = [
    ("rolling disk", include_str!("../tapes/rolling-disk.tape")),
    ("rattleback", include_str!("../tapes/rattleback.tape")),
];

const LANES: [usize; 4] = [1, 8, 64, 4096];

/// Calls `work` for a while; the least time of one call.
fn least(mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(400) {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}

/// Nanoseconds per point. A single point is evaluated as in an integration: the next call waits
/// for the result of the last.
fn measure(kernel: &mut impl Kernel, lanes: usize) -> f64 {
    let numbers = 1..=kernel.inputs() * lanes;
    let mut inputs: Vec<f64> = numbers.map(|k| 0.3 + 0.7 * (k as f64 * 0.618_033_988_749_894_9).fract()).collect();
    let mut outputs = vec![0.0; kernel.outputs() * lanes];
    let calls = (1_000 / lanes).max(1); // short enough to escape interruptions
    let time = least(|| {
        for _ in 0..calls {
            kernel.evaluate(lanes, black_box(&inputs), &mut outputs);
            let last = black_box(&outputs)[outputs.len() - 1];
            inputs.iter_mut().step_by(lanes).for_each(|x| *x += last * 1e-300);
        }
    });
    assert!(outputs.iter().all(|y| y.is_finite()), "an ordinary point");
    time.as_secs_f64() * 1e9 / (calls * lanes) as f64
}

/// Microseconds to make a tape ready, nanoseconds per point.
pub(crate) fn row<B: Backend>(backend: &B, tape: &Tape) {
    let prepare = || backend.prepare(tape).unwrap_or_else(|e| panic!("{e}"));
    print!("{:<28}{:>12.1}", backend.name(), least(|| drop(black_box(prepare()))).as_secs_f64() * 1e6);
    let mut kernel = prepare();
    LANES.iter().for_each(|lanes| print!("{:>10.1}", measure(&mut kernel, *lanes)));
    println!();
}

/// A table for every tape: the interpreters, and what `rows` adds.
pub(crate) fn tables(rows: impl Fn(&Tape)) {
    for (name, text) in TAPES {
        let tape: Tape = text.parse().expect("a tape");
        let (inputs, outputs) = (tape.inputs.len(), tape.outputs.len());
        println!("{name}: {inputs} inputs, {outputs} outputs, {} operations", tape.work());
        print!("{:<28}{:>12}", "", "prepare, µs");
        LANES.iter().for_each(|l| print!("{:>10}", format!("ns, {l}")));
        println!();
        row(&Reference, &tape);
        row(&Simd::new(), &tape);
        rows(&tape);
        println!();
    }
}
