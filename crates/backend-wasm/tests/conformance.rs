//! The suite of all backends, and what this backend promises beyond it: the bits of the vectorised interpreter wherever no
//! elementary function is asked far from 1.

use crate::common;

use common::{Machine, Wasm};
use polhode_backend_simd::Simd;
use polhode_backend_wasm::{NotEmitted, Single};
use polhode_tape::conformance::{INPUT_RANGE, Random, assert_agreement, conformance, named, random_tape, wild_tape};
use polhode_tape::reference::Reference;
use polhode_tape::{Backend, Builder, Dd, Kernel, Op, Output, Tape, Value, passes};

#[test]
fn modules_conform() {
    conformance(&Wasm);
}

/// Random programs, at points where sines and logarithms are those of ordinary numbers.
#[test]
fn bits_are_those_of_the_vectorised_interpreter() {
    for seed in 0..200 {
        let mut r = Random::new(seed);
        let size = 3 + (seed * seed / 60) as usize;
        let wild = wild_tape(seed, size);
        let mut kernels = [named(&Simd::new(), &wild), named(&Wasm, &wild), named(&Reference, &wild)];
        assert_agreement(&wild, &mut kernels, &mut r, &[1, 3]);
        let tape = random_tape(seed, size);
        let inputs: Vec<f64> = tape.inputs.iter().map(|_| r.between(INPUT_RANGE.0, INPUT_RANGE.1)).collect();
        let [y, z] = [run(&Simd::new(), &tape, &inputs), run(&Wasm, &tape, &inputs)];
        assert!(
            y.iter().zip(&z).all(|(y, z)| y.to_bits() == z.to_bits() || y.is_nan() && z.is_nan()),
            "{y:?} {z:?}\n{tape}"
        );
    }
}

fn run<B: Backend>(backend: &B, tape: &Tape, inputs: &[f64]) -> Vec<f64> {
    let mut outputs = vec![0.0; tape.outputs.len()];
    backend.prepare(tape).unwrap_or_else(|e| panic!("{e}\n{tape}")).evaluate(1, inputs, &mut outputs);
    outputs
}

/// More values at once than there are locals, and a program of a hundred thousand operations.
#[test]
fn long_tapes() {
    let mut tape = Tape { inputs: vec!["x".into()], ops: vec![Op::Input(0)], ..Tape::default() };
    let mut emit = |op: Op| {
        tape.ops.push(op);
        Value(tape.ops.len() as u32 - 1)
    };
    let values: Vec<Value> = (0..30_000)
        .map(|k| {
            let c = emit(Op::Constant(Dd::from(f64::from(k) / 1024.0)));
            let shifted = emit(Op::Add(Value(0), c));
            emit(Op::Mul(shifted, shifted))
        })
        .collect();
    // every one is read twice, in opposite orders
    let up = values.iter().copied().reduce(|s, q| emit(Op::Add(s, q))).expect("there are values");
    let down = values.iter().rev().copied().reduce(|s, q| emit(Op::Sub(q, s))).expect("there are values");
    let sine = emit(Op::Sin(down));
    for (name, value) in [("up", up), ("sine", sine)] {
        tape.outputs.push(Output { name: name.into(), value });
    }
    assert!(tape.ops.len() > 100_000 && tape.width() > 5_000, "{} {}", tape.ops.len(), tape.width());
    assert_eq!(run(&Wasm, &tape, &[0.3]), run(&Reference, &tape, &[0.3]));
}

/// The module of a pendulum is small, imports nothing and has its functions in it.
#[test]
fn modules_are_small() {
    let mut b = Builder::new();
    let x = b.input("x");
    let y = b.emit(Op::Sin(x));
    b.output("y", y);
    let module = Single::emit(&passes::finish(b)).expect("a short tape");
    assert!(module.bytes.len() < 2_000, "{} bytes", module.bytes.len());
    let mut machine = Machine::new(&module.bytes);
    machine.put(module.inputs, &[1e22]);
    machine.call::<(), ()>("evaluate", ());
    assert_eq!(machine.get(module.outputs, 1), [-0.8522008497671888]);
}

/// The functions in the module, at arguments of all sizes: their bits, by a hash.
#[test]
fn functions_have_the_bits_of_all_versions() {
    let (x, y) = (Value(0), Value(1));
    let functions = [
        ("sin", Op::Sin(x)),
        ("cos", Op::Cos(x)),
        ("exp", Op::Exp(x)),
        ("log", Op::Log(x)),
        ("atan2", Op::Atan2(x, y)),
    ];
    let found = functions.map(|(name, op)| {
        let tape = Tape {
            inputs: vec!["x".into(), "y".into()],
            ops: vec![Op::Input(0), Op::Input(1), op],
            outputs: vec![Output { name: name.into(), value: Value(2) }],
        };
        let mut kernel = Wasm.prepare(&tape).expect("a short tape");
        let mut r = Random::new(12);
        let hash = (0..20_000).fold(0xcbf2_9ce4_8422_2325u64, |h, _| {
            let mut number = || if r.below(2) == 0 { r.any_double() } else { r.between(-1000.0, 1000.0) };
            let mut y = [0.0];
            kernel.evaluate(1, &[number(), number()], &mut y);
            let bits = if y[0].is_nan() { 0 } else { y[0].to_bits() };
            (h ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        format!("{name} {hash:016x}")
    });
    assert_eq!(
        found,
        [
            "sin 2a7b9515b4786af4",
            "cos a7af1ed6155d75ca",
            "exp 0471d170f8a65e5d",
            "log 3dcb41403e5a800f",
            "atan2 939cbf413bfb7dbd"
        ]
    );
}

#[test]
fn reasons_can_be_read() {
    assert_eq!(NotEmitted::TooLarge.to_string(), "the equations are too long for WebAssembly");
    let shape = NotEmitted::Shape("the reports").to_string();
    assert_eq!(shape, "the reports have other numbers of inputs or outputs than the others");
}
