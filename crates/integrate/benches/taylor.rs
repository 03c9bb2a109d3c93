//! The rolling disk by Taylor series: time, steps and accuracy.
//!
//! `cargo bench -p polhode-integrate --bench taylor`

use polhode_integrate::{Stepper, Taylor, Tolerance};
use polhode_tape::{Builder, Dd, Op, Scalar, Tape, passes};
use std::time::Instant;

/// The disk of mass and radius 1, g = 9.81, I₁ = 1/4, I₃ = 1/2. States θ, φ, ψ, x, y, θ̇, φ̇, ψ̇.
fn disk() -> Tape {
    let mut b = Builder::new();
    let _t = b.input("t");
    let [theta, phi, _psi, _x, _y, da, db, dc] =
        ["theta", "phi", "psi", "x", "y", "theta'", "phi'", "psi'"].map(|name| b.input(name));
    let (s, c) = (b.emit(Op::Sin(theta)), b.emit(Op::Cos(theta)));
    let (sp, cp) = (b.emit(Op::Sin(phi)), b.emit(Op::Cos(phi)));
    let (i1, i3, g) = (0.25, 0.5, 9.81);
    // the spin w = ψ̇ + φ̇ cos θ
    let bc = b.mul(db, c);
    let w = b.add(dc, bc);
    let bs = b.mul(db, s);
    // (I₁ + 1) θ̈ = −g cos θ − φ̇ sin θ ((I₃ + 1) w − I₁ φ̇ cos θ)
    let (u, v) = (b.scale(w, i3 + 1.0), b.scale(bc, i1));
    let m = b.sub(u, v);
    let m = b.mul(bs, m);
    let gc = b.scale(c, g);
    let m = b.add(gc, m);
    let dda = b.scale(m, -1.0 / (i1 + 1.0));
    // I₁ sin θ φ̈ = θ̇ (I₃ w − 2 I₁ φ̇ cos θ)
    let (u, v) = (b.scale(w, i3 / i1), b.scale(bc, 2.0));
    let m = b.sub(u, v);
    let m = b.mul(da, m);
    let ddb = b.div(m, s);
    // (I₃ + 1) ẇ = θ̇ φ̇ sin θ, and ψ̈ = ẇ − φ̈ cos θ + φ̇ θ̇ sin θ
    let abs = b.mul(da, bs);
    let k = b.scale(abs, 1.0 + 1.0 / (i3 + 1.0));
    let m = b.mul(ddb, c);
    let ddc = b.sub(k, m);
    let (x, y) = (b.mul(dc, cp), b.mul(dc, sp));
    let (x, y) = (b.neg(x), b.neg(y));
    for (name, v) in [("0", da), ("1", db), ("2", dc), ("3", x), ("4", y), ("5", dda), ("6", ddb), ("7", ddc)] {
        b.output(name, v);
    }
    passes::finish(b)
}

const START: [f64; 8] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.2, 1.5, 2.5];

fn run<S: Scalar>(tape: &Tape, end: f64, tolerance: f64) -> (Taylor<S>, f64) {
    let y: Vec<S> = START.iter().map(|y| S::from_f64(*y)).collect();
    let tolerance = Tolerance { relative: tolerance, absolute: tolerance };
    let mut taylor = Taylor::new(tape, S::default(), &y, tolerance, vec![]);
    let begin = Instant::now();
    while taylor.time() < S::from_f64(end) {
        taylor.step(S::from_f64(end)).expect("the disk rolls on");
    }
    (taylor, begin.elapsed().as_secs_f64() * 1e3)
}

/// ½(ẋ² + ẏ² + ż²) + ½ω·Iω + g sin θ, which stays the same.
fn energy(y: &[f64]) -> f64 {
    let (s, c) = y[0].sin_cos();
    let spin = y[7] + y[6] * c;
    0.5 * (1.25 * y[5] * y[5] + 0.25 * (y[6] * s) * (y[6] * s) + 1.5 * spin * spin) + 9.81 * s
}

fn main() {
    let tape = disk();
    let (reference, ms) = run::<Dd>(&tape, 100.0, 1e-31);
    let steps = reference.statistics().steps;
    println!(
        "disk, {} operations; in 31 digits to t = 100: order {}, {steps} steps, {ms:.0} ms",
        tape.work(),
        reference.order()
    );
    println!("tolerance      t  order  steps   least ms  ns/step    error    energy  contact point");
    for (end, repetitions) in [(100.0, 40), (1000.0, 4)] {
        for tolerance in [1e-9, 1e-12, 1e-14, 1e-16] {
            let (taylor, mut least) = run::<f64>(&tape, end, tolerance);
            for _ in 1..repetitions {
                least = least.min(run::<f64>(&tape, end, tolerance).1);
            }
            let (y, steps) = (taylor.state(), taylor.statistics().steps);
            let error = if end == 100.0 {
                let errors = y.iter().zip(reference.state()).map(|(y, r)| (Dd::from(*y) - *r).abs().to_f64());
                format!("{:.1e}", errors.fold(0.0, f64::max))
            } else {
                String::new()
            };
            println!(
                "{tolerance:>9e} {end:>6} {:>6} {steps:>6} {least:>10.2} {:>8.0} {error:>8} {:>9.1e}  ({:.10}, {:.10})",
                taylor.order(),
                least * 1e6 / steps as f64,
                (energy(y) / energy(&START) - 1.0).abs(),
                y[3],
                y[4]
            );
        }
    }
}
