//! One suite for every backend.
//!
//! A backend is right when its kernels give what the reference interpreter gives, up to the table:
//!
//! | operation | error |
//! | --- | --- |
//! | + − × ÷ √ and change of sign | none: the same bits, where all undefined results count as one |
//! | sin, cos | 1 ulp of the true value, for every finite angle however large |
//! | exp, log | 1 ulp |
//! | atan2 | 2 ulp |
//!
//! Values at special points are those of IEEE 754: sin ±0 = ±0, sin ±∞ is undefined, log 0 = −∞,
//! atan2(±0, −1) = ±π, and so on. Truth is the reference in double-double.
//!
//! Further, what a kernel gives at a point depends on the inputs at that point alone: not on its
//! neighbours, its place among them, their number, nor on earlier calls.
//!
//! A backend has one test:
//!
//! ```
//! use polhode_tape::{conformance::conformance, reference::Reference};
//!
//! conformance(&Reference);
//! ```

mod agreement;
mod random;
mod running_error;

pub use polhode_base::random::Random;

pub use agreement::{Named, assert_agreement, named, points};
pub use random::{INPUT_RANGE, random_tape, wild_tape};
pub use running_error::running_error;

use crate::build::Builder;
use crate::double_double::Dd;
use crate::kernel::{Backend, Kernel};
use crate::op::{Op, Value};
use crate::passes::finish;
use crate::reference::{Interpreter, Reference};
use crate::scalar::Scalar;
use crate::tape::Tape;

/// The error of an operation that is allowed, in ulps of the true value; 0 means correctly rounded.
pub fn bound(op: &Op) -> f64 {
    match op {
        Op::Input(_) | Op::Constant(_) | Op::Neg(_) => 0.0,
        Op::Add(..) | Op::Sub(..) | Op::Mul(..) | Op::Div(..) | Op::Sqrt(_) => 0.0,
        Op::Sin(_) | Op::Cos(_) | Op::Exp(_) | Op::Log(_) => 1.0,
        Op::Atan2(..) => 2.0,
    }
}

/// Numbers of points per call: alone, fewer and more than any vector, whole and broken blocks.
const LANES: [usize; 10] = [1, 2, 3, 7, 8, 63, 64, 65, 200, 1];

/// Panics, saying what went wrong, unless the backend is right.
pub fn conformance<B: Backend>(backend: &B) {
    arithmetic(backend);
    functions(backend);
    shapes(backend);
    wild_programs(backend);
    random_programs(backend);
    lanes_are_alone(backend);
}

fn prepare<B: Backend>(backend: &B, tape: &Tape) -> B::Kernel {
    let kernel = match backend.prepare(tape) {
        Ok(kernel) => kernel,
        Err(e) => panic!("{}: does not take this tape: {e}\n{tape}", backend.name()),
    };
    assert_eq!(
        (kernel.inputs(), kernel.outputs()),
        (tape.inputs.len(), tape.outputs.len()),
        "{}: numbers of inputs and outputs of\n{tape}",
        backend.name()
    );
    kernel
}

/// The outputs at some points, in calls of `lanes` points; `points[p][i]` is input i at point p.
fn evaluate(kernel: &mut impl Kernel, lanes: usize, points: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut results = Vec::with_capacity(points.len());
    for points in points.chunks(lanes) {
        let n = points.len();
        let inputs: Vec<f64> = (0..kernel.inputs()).flat_map(|i| points.iter().map(move |p| p[i])).collect();
        let mut outputs = vec![-7.25e77; kernel.outputs() * n]; // a number that no test expects
        kernel.evaluate(n, &inputs, &mut outputs);
        results.extend((0..n).map(|l| outputs.iter().skip(l).step_by(n).copied().collect::<Vec<f64>>()));
    }
    results
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// The same bits as the reference, at every number of lanes.
fn assert_same_bits<B: Backend>(backend: &B, tape: &Tape, points: &[Vec<f64>]) {
    let mut kernel = prepare(backend, tape);
    let Ok(mut reference) = Reference.prepare(tape);
    let expected = evaluate(&mut reference, 1, points);
    for lanes in LANES {
        let results = evaluate(&mut kernel, lanes, points);
        for ((point, result), expected) in points.iter().zip(&results).zip(&expected) {
            for ((y, z), o) in result.iter().zip(expected).zip(&tape.outputs) {
                assert!(
                    same(*y, *z),
                    "{}: {} is {y:?}, not {z:?}, at {point:?} with {lanes} lanes of\n{tape}",
                    backend.name(),
                    o.name
                );
            }
        }
    }
}

/// A program of one operation.
fn single(operands: usize, op: impl FnOnce(Value, Value) -> Op) -> Tape {
    let mut b = Builder::new();
    let x = b.input("x");
    let y = if operands == 2 { b.input("y") } else { x };
    let v = b.emit(op(x, y));
    b.output("result", v);
    finish(b)
}

/// Numbers at the ends of the range and in between, of both signs.
fn doubles() -> Vec<f64> {
    let positive = [
        0.0,
        5e-324,
        2.2e-310,
        f64::MIN_POSITIVE,
        1e-300,
        1e-20,
        1e-8,
        0.1,
        0.5,
        0.9999999999999999,
        1.0,
        1.0000000000000002,
        1.5,
        2.0,
        3.0,
        10.0,
        1e5,
        1e16,
        1e150,
        1e300,
        f64::MAX,
        f64::INFINITY,
    ];
    positive.iter().flat_map(|x| [*x, -x]).chain([f64::NAN]).collect()
}

fn arithmetic<B: Backend>(backend: &B) {
    let (numbers, mut r) = (doubles(), Random::new(1));
    let one: Vec<Vec<f64>> = numbers.iter().map(|x| vec![*x]).chain((0..300).map(|_| vec![r.any_double()])).collect();
    for op in [|a, _| Op::Neg(a), |a, _| Op::Sqrt(a)] {
        assert_same_bits(backend, &single(1, op), &one);
    }
    let pairs = numbers.iter().flat_map(|x| numbers.iter().map(|y| vec![*x, *y]));
    let two: Vec<Vec<f64>> = pairs.chain((0..300).map(|_| vec![r.any_double(), r.any_double()])).collect();
    for op in [Op::Add, Op::Sub, Op::Mul, Op::Div] {
        assert_same_bits(backend, &single(2, op), &two);
    }
}

/// |y − truth| in ulps of the truth; undefined results, infinities and signs of zero must be right.
fn ulps(y: f64, truth: Dd) -> f64 {
    let t = truth.hi();
    if t.is_nan() || y.is_nan() || t.is_infinite() || t == 0.0 {
        return if same(y, t) { 0.0 } else { f64::INFINITY };
    }
    let spacing = t.abs().next_up() - t.abs();
    let spacing = if spacing.is_finite() { spacing } else { t.abs() - t.abs().next_down() };
    if y.is_infinite() {
        // the next number beyond the largest, as far as rounding is concerned
        let beyond = (f64::MAX - t.abs()) / spacing + 1.0;
        return if y.signum() == t.signum() { beyond } else { f64::INFINITY };
    }
    ((Dd::from(y) - truth).to_f64() / spacing).abs()
}

/// The true values by double-double, within the bound of the operation.
fn assert_accurate<B: Backend>(backend: &B, tape: &Tape, bound: f64, points: &[Vec<f64>]) {
    let mut kernel = prepare(backend, tape);
    let mut truth = Interpreter::<Dd>::new(tape);
    let results = evaluate(&mut kernel, 64, points);
    let mut expected = vec![Dd::ZERO; tape.outputs.len()];
    for (point, result) in points.iter().zip(&results) {
        let x: Vec<Dd> = point.iter().map(|x| Dd::from(*x)).collect();
        truth.call(&x, &mut expected);
        for (y, t) in result.iter().zip(&expected) {
            let e = ulps(*y, *t);
            assert!(
                e <= bound,
                "{}: {y:?} is off by {e:.2} ulp from {t} at {point:?}, where {bound} are allowed, of\n{tape}",
                backend.name()
            );
        }
    }
}

fn functions<B: Backend>(backend: &B) {
    let mut r = Random::new(2);
    let mut sample = |n: usize, f: &mut dyn FnMut(&mut Random) -> f64| -> Vec<Vec<f64>> {
        let special = doubles().into_iter().map(|x| vec![x]);
        special.chain((0..n).map(|_| vec![f(&mut r)])).collect()
    };
    // angles: small, a few turns, a million, multiples of π/2, all sizes
    let angles = sample(3000, &mut |r| match r.below(5) {
        0 => r.between(-1.0, 1.0) * 2f64.powi(-(r.below(40) as i32)),
        1 => r.between(-10.0, 10.0),
        2 => r.between(-1e6, 1e6),
        3 => std::f64::consts::FRAC_PI_2 * (r.below(1_000_000) as f64),
        _ => 2f64.powf(r.between(20.0, 1023.9)),
    });
    for op in [|a, _| Op::Sin(a), |a, _| Op::Cos(a)] {
        let tape = single(1, op);
        assert_accurate(backend, &tape, bound(&op(Value(0), Value(0))), &angles);
    }
    let mut b = Builder::new();
    let x = b.input("x");
    for (name, op) in [("sin", Op::Sin(x)), ("cos", Op::Cos(x))] {
        let v = b.emit(op);
        b.output(name, v);
    }
    assert_accurate(backend, &finish(b), bound(&Op::Sin(x)), &angles);

    let exponents = sample(3000, &mut |r| match r.below(3) {
        0 => r.between(-1.0, 1.0) * 2f64.powi(-(r.below(60) as i32)),
        1 => r.between(-20.0, 20.0),
        _ => r.between(-750.0, 710.0),
    });
    assert_accurate(backend, &single(1, |a, _| Op::Exp(a)), 1.0, &exponents);

    let arguments = sample(3000, &mut |r| match r.below(3) {
        0 => 1.0 + r.between(-1.0, 1.0) * 2f64.powi(-1 - r.below(50) as i32),
        1 => r.between(0.0, 20.0),
        _ => 2f64.powf(r.between(-1074.0, 1023.9)),
    });
    assert_accurate(backend, &single(1, |a, _| Op::Log(a)), 1.0, &arguments);

    let numbers = doubles();
    let mut r = Random::new(3);
    let pairs = numbers.iter().flat_map(|x| numbers.iter().map(|y| vec![*x, *y]));
    let points: Vec<Vec<f64>> = pairs
        .chain((0..3000).map(|_| {
            let scale = 2f64.powi(r.below(80) as i32 - 40);
            vec![r.between(-2.0, 2.0), scale * r.between(-2.0, 2.0)]
        }))
        .collect();
    assert_accurate(backend, &single(2, Op::Atan2), 2.0, &points);
}

/// Programs of unusual shape.
fn shapes<B: Backend>(backend: &B) {
    let points =
        |n: usize| (0..70).map(|p| (0..n).map(|i| (p * 7 + i * 3) as f64 - 100.5).collect()).collect::<Vec<Vec<f64>>>();
    // nothing at all
    assert_same_bits(backend, &Tape::default(), &points(0));
    let build = |f: &dyn Fn(&mut Builder)| {
        let mut b = Builder::new();
        f(&mut b);
        finish(b)
    };
    // inputs, but nothing to do
    let unread = Tape { inputs: vec!["p".into(), "q".into()], ..Tape::default() };
    assert_same_bits(backend, &unread, &points(2));
    // constants alone
    let constants = build(&|b| {
        for (name, c) in [("third", Dd::ratio(1, 3)), ("minus zero", Dd::from(-0.0)), ("many", Dd::from(1e300))] {
            let v = b.constant(c);
            b.output(name.replace(' ', "_"), v);
        }
    });
    assert_same_bits(backend, &constants, &points(0));
    // outputs that are inputs in another order, one value as several outputs, an input in between
    // that is not read, and sin alone, cos alone
    let mixed = build(&|b| {
        let (x, _unread, z) = (b.input("x"), b.input("unread"), b.input("z"));
        let sum = b.add(x, z);
        let c = b.constant(2.5);
        for (name, v) in [("z", z), ("sum", sum), ("again", sum), ("x", x), ("c", c), ("z_again", z)] {
            b.output(name, v);
        }
    });
    assert_same_bits(backend, &mixed, &points(3));
    // x (x (x …)): a chain, and a sum that needs many values at once
    let deep = build(&|b| {
        let x = b.input("x");
        let y = (0..200).fold(x, |y, k| {
            let c = b.constant(f64::from(k) / 64.0);
            let p = b.mul(y, c);
            b.add(p, x)
        });
        b.output("y", y);
    });
    assert_same_bits(backend, &deep, &points(1));
    let wide = build(&|b| {
        let x = b.input("x");
        let squares: Vec<Value> = (0..300)
            .map(|k| {
                let c = b.constant(f64::from(k));
                let s = b.add(x, c);
                b.mul(s, s)
            })
            .collect();
        let first = squares.iter().copied().reduce(|s, q| b.add(s, q)).expect("there are squares");
        let last = squares.iter().copied().reduce(|s, q| b.sub(q, s)).expect("there are squares");
        b.output("sum", first);
        b.output("alternating", last);
    });
    assert_same_bits(backend, &wide, &points(1));
}

fn wild_programs<B: Backend>(backend: &B) {
    for seed in 0..60 {
        let tape = wild_tape(seed, 5 + 3 * seed as usize);
        let mut r = Random::new(seed);
        let points: Vec<Vec<f64>> = (0..130).map(|_| tape.inputs.iter().map(|_| r.any_double()).collect()).collect();
        assert_same_bits(backend, &tape, &points);
    }
}

/// Programs of all operations, within the error that their bounds allow.
fn random_programs<B: Backend>(backend: &B) {
    for seed in 0..60 {
        let tape = random_tape(seed, 5 + 3 * seed as usize);
        let mut kernel = prepare(backend, &tape);
        let points = random_points(&tape, seed, 20);
        for (point, result) in points.iter().zip(evaluate(&mut kernel, 20, &points)) {
            let x: Vec<Dd> = point.iter().map(|x| Dd::from(*x)).collect();
            for ((y, (truth, e)), o) in
                result.iter().zip(running_error(&tape, &x, f64::EPSILON / 2.0)).zip(&tape.outputs)
            {
                let off = (Dd::from(*y) - truth).abs().to_f64();
                assert!(
                    off <= e || e.is_infinite(),
                    "{}: {} is {y:?}, off by {off:e} from {truth}, where {e:e} are allowed, at {point:?} of\n{tape}",
                    backend.name(),
                    o.name
                );
            }
        }
    }
}

fn random_points(tape: &Tape, seed: u64, n: usize) -> Vec<Vec<f64>> {
    let mut r = Random::new(seed.wrapping_mul(77));
    (0..n).map(|_| tape.inputs.iter().map(|_| r.between(INPUT_RANGE.0, INPUT_RANGE.1)).collect()).collect()
}

/// A lane gives the same bits among any neighbours, in any place, after any call.
fn lanes_are_alone<B: Backend>(backend: &B) {
    for seed in 100..110 {
        let tape = random_tape(seed, 60);
        let mut kernel = prepare(backend, &tape);
        let mut points = random_points(&tape, seed, 201);
        let alone = evaluate(&mut kernel, 1, &points);
        let mut check = |points: &[Vec<f64>], what: &str, disturbed: &dyn Fn(usize) -> bool| {
            for lanes in LANES {
                for (p, result) in evaluate(&mut kernel, lanes, points).iter().enumerate() {
                    let expected = &alone[p];
                    assert!(
                        disturbed(p) || result.iter().zip(expected).all(|(y, z)| same(*y, *z)),
                        "{}: with {lanes} lanes, point {p} depends on {what}: {result:?} and alone {expected:?} of\n{tape}",
                        backend.name()
                    );
                }
            }
        };
        check(&points, "its place", &|_| false);
        // numbers in every third lane that take the slow paths
        let mut r = Random::new(seed);
        let strange = [f64::NAN, f64::INFINITY, 1e300, -1e9, 5e-324, -0.0];
        for point in points.iter_mut().step_by(3) {
            point.iter_mut().for_each(|x| *x = strange[r.below(strange.len())]);
        }
        check(&points, "its neighbours", &|p| p % 3 == 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// The reference with a fault.
    struct Faulty(fn(lanes: usize, outputs: &mut [f64]));

    struct FaultyKernel(Interpreter<f64>, fn(usize, &mut [f64]));

    impl Kernel for FaultyKernel {
        fn inputs(&self) -> usize {
            self.0.inputs()
        }
        fn outputs(&self) -> usize {
            self.0.outputs()
        }
        fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
            self.0.evaluate(lanes, inputs, outputs);
            (self.1)(lanes, outputs);
        }
    }

    impl Backend for Faulty {
        type Kernel = FaultyKernel;
        type Error = Infallible;
        fn name(&self) -> String {
            "faulty".into()
        }
        fn prepare(&self, tape: &Tape) -> Result<FaultyKernel, Infallible> {
            Ok(FaultyKernel(Interpreter::new(tape), self.0))
        }
    }

    fn passes(suite: fn(&Faulty), fault: fn(usize, &mut [f64])) -> bool {
        catch_unwind(AssertUnwindSafe(|| suite(&Faulty(fault)))).is_ok()
    }

    #[test]
    fn faults_are_found() {
        let ulp = |_, y: &mut [f64]| y.iter_mut().for_each(|y| *y = y.next_up());
        let two_ulps = |_, y: &mut [f64]| y.iter_mut().for_each(|y| *y = y.next_up().next_up());
        let zero_without_sign = |_, y: &mut [f64]| y.iter_mut().for_each(|y| *y += 0.0);
        let last_lane = |lanes: usize, y: &mut [f64]| {
            if lanes == 65 {
                y[64] = 0.0;
            }
        };
        let swapped = |lanes: usize, y: &mut [f64]| {
            if lanes >= 8 && y.len() > lanes {
                y.swap(0, 1);
            }
        };
        assert!(passes(conformance, |_, _| {}));
        for (suite, fault) in [
            (arithmetic as fn(&Faulty), ulp as fn(usize, &mut [f64])),
            (functions, two_ulps),
            (arithmetic, zero_without_sign),
            (functions, zero_without_sign),
            (wild_programs, last_lane),
            (lanes_are_alone, last_lane),
            (lanes_are_alone, swapped),
            (random_programs, |_, y| y.iter_mut().for_each(|y| *y *= 1.0 + 1e-9)),
            (shapes, swapped),
            (shapes, |_, y| y.iter_mut().skip(1).for_each(|y| *y = 2.5)),
        ] {
            assert!(!passes(suite, fault));
        }
    }

    #[test]
    fn random_tapes_test_something() {
        // most bounds are finite and small, all operations occur
        let mut seen = [0; 13];
        let (mut sharp, mut all) = (0, 0);
        for seed in 0..60 {
            let tape = random_tape(seed, 5 + 3 * seed as usize);
            for op in &tape.ops {
                let k = match op {
                    Op::Input(_) => 0,
                    Op::Constant(_) => 1,
                    Op::Neg(_) => 2,
                    Op::Add(..) => 3,
                    Op::Sub(..) => 4,
                    Op::Mul(..) => 5,
                    Op::Div(..) => 6,
                    Op::Sqrt(_) => 7,
                    Op::Sin(_) => 8,
                    Op::Cos(_) => 9,
                    Op::Exp(_) => 10,
                    Op::Log(_) => 11,
                    Op::Atan2(..) => 12,
                };
                seen[k] += 1;
            }
            for point in random_points(&tape, seed, 5) {
                let x: Vec<Dd> = point.iter().map(|x| Dd::from(*x)).collect();
                for (v, e) in running_error(&tape, &x, f64::EPSILON / 2.0) {
                    all += 1;
                    sharp += i32::from(e <= 1e-10 * (1.0 + v.abs().to_f64()));
                }
            }
        }
        assert!(seen.iter().all(|n| *n > 5), "{seen:?}");
        assert!(f64::from(sharp) > 0.8 * f64::from(all), "{sharp} of {all}");
    }
}
