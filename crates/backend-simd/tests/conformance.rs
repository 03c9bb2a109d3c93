//! The suite of all backends, for every level this machine has, and what this backend promises
//! beyond it: the same bits at all levels and for any number of points.

#[path = "../benches/disk/mod.rs"]
mod disk;

use polhode_backend_simd::{Level, Simd, TooLarge};
use polhode_tape::conformance::{Random, conformance, points, random_tape};
use polhode_tape::{Backend, Interpreter, Kernel, Op, Output, Tape, Value};

fn levels() -> impl Iterator<Item = Simd> {
    Level::ALL.into_iter().filter_map(|level| Simd::with(level).ok())
}

#[test]
fn every_level_conforms() {
    levels().for_each(|simd| conformance(&simd));
}

#[test]
fn levels_and_lanes_agree_bit_by_bit() {
    for seed in 0..6 {
        let tape = random_tape(seed, 30 + 20 * seed as usize);
        let (n, m) = (tape.inputs.len(), tape.outputs.len());
        let mut kernels: Vec<_> = levels().map(|simd| simd.prepare(&tape).expect("a small tape")).collect();
        let mut alone = Simd::with(Level::Baseline).unwrap().prepare(&tape).unwrap();
        let mut r = Random::new(seed);
        for lanes in 0..=200 {
            let inputs = points(&mut r, n, lanes);
            let mut expected = vec![0.0; m * lanes];
            let (mut x, mut y) = (vec![0.0; n], vec![0.0; m]);
            for l in 0..lanes {
                (0..n).for_each(|i| x[i] = inputs[i * lanes + l]);
                alone.evaluate(1, &x, &mut y);
                (0..m).for_each(|o| expected[o * lanes + l] = y[o]);
            }
            for (kernel, simd) in kernels.iter_mut().zip(levels()) {
                let mut outputs = vec![0.0; m * lanes];
                kernel.evaluate(lanes, &inputs, &mut outputs);
                for (k, (y, z)) in outputs.iter().zip(&expected).enumerate() {
                    let same = y.to_bits() == z.to_bits() || y.is_nan() && z.is_nan();
                    assert!(same, "{} with {lanes} lanes: {y:?}, alone {z:?}, at {k} of\n{tape}", simd.name());
                }
            }
        }
    }
}

#[test]
fn a_level_is_had_or_refused() {
    assert!(Level::Baseline.is_available() && Level::best().is_available());
    assert_eq!(Simd::new().level(), Level::best());
    for level in Level::ALL {
        match Simd::with(level) {
            Ok(simd) => assert!(level.is_available() && simd.name() == format!("simd {level}")),
            Err(e) => assert!(!level.is_available() && e.to_string() == format!("this machine has no {level}")),
        }
    }
}

#[test]
fn a_tape_with_too_many_inputs_is_refused() {
    let tape = |n: u32| Tape {
        inputs: (0..n).map(|i| format!("x{i}")).collect(),
        ops: vec![Op::Input(n - 1)],
        outputs: vec![Output { name: "y".into(), value: Value(0) }],
    };
    let mut kernel = Simd::new().prepare(&tape(65_535)).expect("as many slots as there can be");
    let (inputs, mut y) = (vec![2.5; 65_535], [0.0]);
    kernel.evaluate(1, &inputs, &mut y);
    assert_eq!(y, [2.5]);
    assert_eq!(Simd::new().prepare(&tape(65_536)).unwrap_err(), TooLarge);
}

/// The tape of the bench is the rolling disk: energy does not change along its solutions,
///
/// ```text
/// E = ½ J₁ θ′² + ½ I₁ φ′² sin² θ + ½ J₃ ω² + M g r sin θ,   Ė = 0
/// ```
#[test]
fn the_disk_keeps_its_energy() {
    let tape = disk::disk();
    let mut kernel = Simd::new().prepare(&tape).unwrap();
    let mut reference = Interpreter::<f64>::new(&tape);
    let mut random = Random::new(7);
    for _ in 0..200 {
        let x: [f64; 13] = std::array::from_fn(|_| random.between(0.3, 2.0));
        let (mut dx, mut expected) = ([0.0; 8], [0.0; 8]);
        kernel.evaluate(1, &x, &mut dx);
        reference.call(&x, &mut expected);
        let [theta, _, _, _, _, u, v, w, mass, r, g, i1, i3] = x;
        let [dtheta, dphi, dpsi, _, _, du, dv, dw] = dx;
        for (y, z) in dx.iter().zip(expected) {
            assert!((y - z).abs() <= 1e-12 * (1.0 + z.abs()), "{y} and {z}");
        }
        assert_eq!([dtheta, dphi, dpsi], [u, v, w]);
        let (s, c) = theta.sin_cos();
        let (j1, j3) = (i1 + mass * r * r, i3 + mass * r * r);
        let (spin, dspin) = (w + v * c, dw + dv * c - v * s * u);
        let power = [j1 * u * du, i1 * v * s * (dv * s + v * c * u), j3 * spin * dspin, mass * g * r * c * u];
        let scale: f64 = power.iter().map(|p| p.abs()).sum();
        assert!(power.iter().sum::<f64>().abs() <= 1e-12 * scale, "{power:?}");
    }
}
