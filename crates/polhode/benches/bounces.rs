//! A million bounces of a ball that rolls on the floor between two rough walls: `cargo bench -p polhode --bench bounces`.
//!
//! The homogeneous ball, for which the reflection is known in closed form, and the symmetric one, whose angular velocity changes in flight. Both run from their model
//! file; besides the time, the drift of the energy over all bounces and that of the book-keeping. A number on the command line is the number of bounces.

use polhode::prelude::*;
use std::time::Instant;

const BOUNCES: f64 = 1e6;

fn main() {
    let count = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(BOUNCES);
    println!(
        "{:<22} {:>8} {:>9} {:>10} {:>10} {:>12} {:>12} {:>12}",
        "", "rtol", "bounces", "steps", "time", "per bounce", "drift of E", "balance"
    );
    let cases = [
        ("homogeneous", "1", Method::Dop853, 1e-9),
        ("homogeneous", "1", Method::Taylor, 1e-14),
        ("alpha = 0.6", "0.6", Method::Dop853, 1e-9),
    ];
    for (label, alpha, method, rtol) in cases {
        let options =
            ParseOptions { parameters: vec![("alpha".to_owned(), alpha.to_owned())], ..ParseOptions::default() };
        let text = builtin::find("ball-rough-wall").expect("built in").text;
        let (model, _) = Model::parse("ball-rough-wall", text, &options).expect("a valid model");
        let (mut system, _) = System::new(&model).expect("a valid system");
        let compiled = system.compile().expect("it runs");
        // about a bounce each 0.93 seconds
        let run = Run { dense: false, step_limit: u64::MAX, ..Run::until(0.93 * count).method(method).rtol(rtol) };
        let begun = Instant::now();
        let motion = compiled.solve(&run).expect("a sound run");
        let time = begun.elapsed().as_secs_f64();
        let r = &motion.report;
        println!(
            "{label:<22} {rtol:>8.0e} {:>9} {:>10} {time:>8.2} s {:>9.2} µs {:>12.1e} {:>12.1e}",
            r.jumps,
            r.statistics.steps,
            time / r.jumps as f64 * 1e6,
            r.energy_change / r.energy,
            r.energy_error,
        );
    }
}
