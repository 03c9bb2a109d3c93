//! What a state at any time costs: `cargo bench -p polhode --bench exact`.
//!
//! The first evaluation finds the period and the holonomy; the others are read from one period, and cost the same at every time. For comparison, the
//! motion integrated with Taylor series to a thousand seconds.

use polhode::exact::returns::{ReturnOptions, returning};
use polhode::prelude::*;
use std::hint::black_box;
use std::time::Instant;

const RUNS: usize = 200;

fn main() {
    println!(
        "{:<20} {:>10} {:>12} {:>10} {:>12} {:>12} {:>12} {:>14}",
        "", "compile", "first", "period", "t = 1", "t = 1e3", "t = 1e6", "integrate 1e3"
    );
    for name in ["rolling-disk", "free-rigid-body", "gyro-ball-on-plane", "ball-in-cylinder"] {
        let text = builtin::find(name).expect("built in").text;
        let (model, _) = Model::parse(name, text, &ParseOptions::default()).expect("a valid model");
        let (mut system, _) = System::new(&model).expect("a valid system");
        let begun = Instant::now();
        let compiled = system.compile().expect("it runs");
        let compile = begun.elapsed();
        let begun = Instant::now();
        let motion = returning(&mut system, &ReturnOptions::default()).expect("it returns");
        black_box(motion.at(1.0));
        let first = begun.elapsed();
        let each = |t: f64| {
            black_box(motion.at(t));
            let mut best = f64::INFINITY;
            for k in 0..RUNS {
                let begun = Instant::now();
                black_box(motion.at(t + k as f64 / 7.0));
                best = best.min(begun.elapsed().as_secs_f64());
            }
            format!("{:.1} µs", best * 1e6)
        };
        let times = [1.0, 1e3, 1e6].map(each);
        let begun = Instant::now();
        black_box(compiled.solve(&Run { dense: false, ..Run::until(1e3) }).expect("a sound run"));
        let integrated = begun.elapsed();
        println!(
            "{name:<20} {:>7.1} ms {:>9.1} ms {:>10.5} {:>12} {:>12} {:>12} {:>11.1} ms",
            compile.as_secs_f64() * 1e3,
            first.as_secs_f64() * 1e3,
            motion.holonomy().period.hi(),
            times[0],
            times[1],
            times[2],
            integrated.as_secs_f64() * 1e3,
        );
    }
}
