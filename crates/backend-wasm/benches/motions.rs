//! How large modules are, how long it takes to write them, and to compute motions in Node and natively.
//!
//! `cargo bench -p polhode-backend-wasm`

#[path = "../tests/common/mod.rs"]
mod common;

use common::systems::{build, model};
use polhode_simulate::{Method, Run};
use std::time::{Duration, Instant};

/// Milliseconds.
fn ms(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

fn main() {
    println!("10 s of motion, 501 rows, rtol = atol = 1e-10; times in ms");
    println!(
        "{:<14}{:>9}{:>9}{:>9}{:>12}{:>12}{:>10}",
        "model", "bytes", "written", "steps", "node first", "node then", "native"
    );
    for name in ["rolling-disk", "rattleback", "bicycle"] {
        let built = build(&model(name)).expect("a module");
        let script = format!(
            "const times = [];
             for (let k = 0; k < 20; k++) {{
                 const begin = performance.now();
                 e.integrate(10, 501, 1e-10, 1e-10, 1000000);
                 times.push(performance.now() - begin);
             }}
             const steps = new Float64Array(e.memory.buffer, {}, 1)[0];
             console.log(steps, times[0].toFixed(2), Math.min(...times).toFixed(2));",
            built.module.layout.at.statistics
        );
        let node = built.in_node(&script).unwrap_or_else(|| "- - -".into());
        let node: Vec<&str> = node.split_whitespace().collect();
        let run = Run::until(10.0).samples(501).method(Method::Dop853).rtol(1e-10).atol(1e-10).sparse();
        let native = || {
            let begin = Instant::now();
            built.compiled.solve(&run).expect("a run");
            begin.elapsed()
        };
        let native = (0..20).map(|_| native()).min().expect("some");
        println!(
            "{name:<14}{:>9}{:>9.2}{:>9}{:>12}{:>12}{:>10.2}",
            built.module.bytes.len(),
            ms(built.written_in),
            node[0],
            node[1],
            node[2],
            ms(native)
        );
    }
}
