//! Passes keep the functions that a program computes, and derivatives are derivatives.
//!
//! Two programs for the same function agree within the sum of their running error bounds.

use polhode_tape::conformance::{INPUT_RANGE, Random, random_tape, running_error, wild_tape};
use polhode_tape::{Builder, Dd, Interpreter, Op, Scalar, Tape, Value, passes, verify};
use proptest::prelude::*;

/// 2⁻¹⁰⁴: what one operation in double-double may be off.
const UNIT: f64 = <Dd as Scalar>::EPSILON;

fn point(tape: &Tape, seed: u64) -> Vec<Dd> {
    let mut r = Random::new(seed);
    let (low, high) = INPUT_RANGE;
    tape.inputs.iter().map(|_| Dd::new(r.between(low, high), r.between(-1e-17, 1e-17))).collect()
}

fn call<S: Scalar>(tape: &Tape, x: &[S]) -> Vec<S> {
    let mut y = vec![S::default(); tape.outputs.len()];
    Interpreter::new(tape).call(x, &mut y);
    y
}

/// Panics unless the outputs agree; gives how many were compared to 28 digits.
fn assert_agree(a: &Tape, x: &[Dd], b: &Tape, y: &[Dd]) -> usize {
    let (p, q) = (running_error(a, x, UNIT), running_error(b, y, UNIT));
    assert_eq!(p.len(), q.len());
    let mut sharp = 0;
    for (((u, e), (v, f)), o) in p.into_iter().zip(q).zip(&a.outputs) {
        let off = (u - v).abs().to_f64();
        assert!(
            off <= e + f,
            "{} is {u} and {v}, off by {off:e} where {:e} are allowed, in\n{a}\nand\n{b}",
            o.name,
            e + f
        );
        sharp += usize::from(e + f <= 1e-28 * u.abs().to_f64());
    }
    sharp
}

/// A random program of sums, products and quotients that share denominators, constants and factors.
fn rational_tape(seed: u64, size: usize) -> Tape {
    let mut r = Random::new(seed);
    let mut b = Builder::new();
    let mut values: Vec<Value> = (0..4).map(|k| b.input(format!("x{k}"))).collect();
    // 3 + x₀² and the like: denominators that do not vanish
    let denominators: Vec<Value> = (0..8)
        .map(|k| {
            let (xx, three) = (b.mul(values[k % 4], values[k % 4]), b.constant(f64::from(3 + k as u8)));
            b.add(three, xx)
        })
        .collect();
    let few = 1 + r.below(8);
    for _ in 0..size {
        let n = values.len();
        let (a, c) = (values[r.below(n)], values[r.below(n)]);
        let d = denominators[r.below(few)];
        let (k, l) = (b.constant(r.between(-2.0, 2.0)), b.constant(Dd::ratio(r.below(9) as i64 - 4, 7)));
        let v = match r.below(11) {
            0 | 1 => b.add(a, c),
            2 | 3 => b.sub(a, c),
            4 => b.mul(a, c),
            5 | 6 => b.div(a, d),
            7 => b.mul(a, k),
            8 => b.neg(a),
            9 => {
                let q = b.div(k, d);
                b.mul(a, q)
            }
            _ => {
                let q = b.div(k, d);
                b.mul(q, l)
            }
        };
        // keeps the numbers moderate
        let v = if r.below(4) == 0 { b.emit(Op::Sin(v)) } else { v };
        values.push(v);
    }
    for k in 0..3 {
        b.output(format!("y{k}"), values[values.len() - 1 - k]);
    }
    passes::finish(b)
}

fn tape() -> impl Strategy<Value = Tape> {
    (any::<u64>(), 3usize..80, any::<bool>())
        .prop_map(|(seed, size, rational)| if rational { rational_tape(seed, size) } else { random_tape(seed, size) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_reads_back(seed: u64, size in 0usize..100, wild: bool) {
        let t = if wild { wild_tape(seed, size) } else { random_tape(seed, size) };
        prop_assert_eq!(verify(&t), Ok(()));
        let text = t.to_string();
        let back: Tape = text.parse().unwrap();
        prop_assert_eq!(back.to_string(), text);
        // equal, and constants to the last bit
        for (a, b) in t.ops.iter().zip(&back.ops) {
            if let (Op::Constant(a), Op::Constant(b)) = (a, b) {
                prop_assert_eq!((a.hi().to_bits(), a.lo().to_bits()), (b.hi().to_bits(), b.lo().to_bits()));
            }
        }
        prop_assert_eq!(back, t);
    }

    #[test]
    fn optimised_programs_agree_and_cost_less(t in tape(), seed: u64) {
        let o = passes::optimise(&t);
        prop_assert_eq!(verify(&o), Ok(()));
        prop_assert!(o.cost() <= t.cost());
        prop_assert_eq!(&o.inputs, &t.inputs);
        let x = point(&t, seed);
        assert_agree(&t, &x, &o, &x);
    }

    #[test]
    fn fixed_inputs(t in tape(), seed: u64) {
        let x = point(&t, seed);
        let kept: Vec<usize> = (0..x.len()).filter(|i| seed >> i & 1 == 0).collect();
        let values: Vec<(usize, Dd)> = (0..x.len()).filter(|i| !kept.contains(i)).map(|i| (i, x[i])).collect();
        let f = passes::fix(&t, &values);
        prop_assert_eq!(verify(&f), Ok(()));
        let y: Vec<Dd> = kept.iter().map(|i| x[*i]).collect();
        assert_agree(&t, &x, &f, &y);
        prop_assert!(!kept.is_empty() || f.work() == 0);
    }

    #[test]
    fn selected_and_joined_programs(t in tape(), other in tape(), seed: u64) {
        let some: Vec<usize> = (0..t.outputs.len()).rev().filter(|o| seed >> o & 1 == 0).collect();
        let s = passes::select(&t, &some);
        prop_assert_eq!(verify(&s), Ok(()));
        let x: Vec<f64> = point(&t, seed).iter().map(|x| x.hi()).collect();
        let all = call(&t, &x);
        prop_assert_eq!(call(&s, &x), some.iter().map(|o| all[*o]).collect::<Vec<_>>());

        let mut other = other;
        other.outputs.iter_mut().for_each(|o| o.name.insert(0, 'z'));
        let j = passes::join(&[&t, &other]);
        prop_assert_eq!(verify(&j), Ok(()));
        // inputs are x0, x1, … in both
        let x: Vec<f64> = point(&j, seed).iter().map(|x| x.hi()).collect();
        let expected: Vec<f64> = [call(&t, &x[..t.inputs.len()]), call(&other, &x[..other.inputs.len()])].concat();
        prop_assert_eq!(call(&j, &x), expected);
    }

    #[test]
    fn derivatives_match_differences(t in tape(), seed: u64) {
        let x = point(&t, seed);
        let wrt: Vec<usize> = (0..x.len()).rev().collect();
        let j = passes::with_jacobian(&t, &wrt);
        prop_assert_eq!(verify(&j), Ok(()));
        let y = call(&j, &x);
        prop_assert_eq!(&y[..t.outputs.len()], &call(&t, &x)[..]);
        prop_assert_eq!(&y[t.outputs.len()..], &call(&passes::jacobian(&t, &wrt), &x)[..]);
        for (column, i) in wrt.iter().enumerate() {
            let (coarse, fine) = (differences(&t, &x, *i, 1e-7), differences(&t, &x, *i, 5e-8));
            for o in 0..t.outputs.len() {
                let derivative = y[t.outputs.len() + o * wrt.len() + column];
                let off = (fine[o] - derivative).abs().to_f64();
                // halving the step takes 15/16 of the error away
                let allowed = 1e-13 * (1.0 + derivative.abs().to_f64()) + (fine[o] - coarse[o]).abs().to_f64();
                prop_assert!(off <= allowed, "{derivative} and {} for\n{t}", fine[o]);
            }
        }
    }
}

/// ∂f/∂xᵢ = (8 (f(x + h) − f(x − h)) − (f(x + 2h) − f(x − 2h)))/(12 h) + O(h⁴), for all outputs.
fn differences(t: &Tape, x: &[Dd], i: usize, h: f64) -> Vec<Dd> {
    let at = |steps: f64| {
        let mut z = x.to_vec();
        z[i] = z[i] + Dd::from(steps * h);
        call(t, &z)
    };
    let (a, b, c, d) = (at(-2.0), at(-1.0), at(1.0), at(2.0));
    (0..t.outputs.len()).map(|o| ((c[o] - b[o]) * Dd::from(8.0) - (d[o] - a[o])) / Dd::from(12.0 * h)).collect()
}

#[test]
fn the_comparison_is_sharp_and_the_passes_find_something() {
    let (mut sharp, mut outputs, mut before, mut after) = (0, 0, 0, 0);
    for seed in 0..200 {
        let t = rational_tape(seed, 60);
        let o = passes::optimise(&t);
        let x = point(&t, seed);
        sharp += assert_agree(&t, &x, &o, &x);
        outputs += t.outputs.len();
        (before, after) = (before + t.cost(), after + o.cost());
    }
    println!("{sharp} of {outputs} outputs to 28 digits; cost {before} to {after}");
    assert!(10 * sharp > 9 * outputs, "{sharp} of {outputs}");
    assert!(100 * after < 95 * before, "{before} to {after}");
}
