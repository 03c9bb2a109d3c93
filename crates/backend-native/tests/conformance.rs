//! The suite of all backends, for every level this machine has, and what this backend promises
//! beyond it: the same bits at all levels and for any number of points, those of the vectorised
//! interpreter.

use polhode_backend_native::{Level, Native, NotAvailable};
use polhode_backend_simd::Simd;
use polhode_tape::conformance::{
    INPUT_RANGE, Random, assert_agreement, conformance, named, points, random_tape, running_error, wild_tape,
};
use polhode_tape::{Backend, Builder, Bundle, Dd, Kernel, Op, Scalar, Tape, Value, passes};

fn natives() -> Vec<Native> {
    let levels = Level::ALL.into_iter().filter_map(|level| Native::with(level).ok());
    levels
        .flat_map(|native| [native, native.narrow(), native.pairs()])
        .flat_map(|native| [native, native.single(), native.packed()])
        .collect()
}

#[test]
fn every_level_conforms() {
    natives().iter().for_each(conformance);
}

/// The same bits as the vectorised interpreter, at some numbers of lanes.
fn assert_same_bits(tape: &Tape, r: &mut Random, lanes: &[usize]) {
    let mut kernels = vec![named(&Simd::new(), tape)];
    kernels.extend(natives().iter().map(|native| named(native, tape)));
    assert_agreement(tape, &mut kernels, r, lanes);
}

#[test]
fn bits_are_those_of_the_vectorised_interpreter() {
    for seed in 0..300 {
        let mut r = Random::new(seed);
        let size = 3 + (seed * seed / 60) as usize;
        assert_same_bits(&random_tape(seed, size), &mut r, &[1, 1, 1, 3, 8, 21]);
        assert_same_bits(&wild_tape(seed, size), &mut r, &[1, 1, 1, 3, 8, 21]);
    }
}

#[test]
fn any_number_of_points() {
    let lanes: Vec<usize> = (0..=40).collect();
    assert_same_bits(&random_tape(3, 90), &mut Random::new(3), &lanes);
}

#[test]
fn a_level_is_had_or_refused() {
    for level in Level::ALL {
        match Native::with(level) {
            Ok(native) => assert!(level.is_available() && native.name() == format!("native {level}")),
            Err(e) => {
                assert!(!level.is_available() && e == NotAvailable::InstructionSet(Some(level)));
                assert_eq!(e.to_string(), format!("this machine has no {level}"));
            }
        }
    }
    assert_eq!(Native::new().ok().map(|n| n.level()), Level::best());
}

#[test]
fn contracted_products_are_not_rounded() {
    let mut b = Builder::new();
    let [x, y, z, u] = ["x", "y", "z", "u"].map(|name| b.input(name));
    let (xy, zu) = (b.mul(x, y), b.mul(z, u));
    let first = b.add(xy, z);
    let second = b.sub(zu, y);
    b.output("first", first);
    b.output("second", second);
    let xz = b.mul(x, z);
    let third = b.sub(y, xz);
    b.output("third", third);
    // read twice, and so rounded
    let yu = b.mul(y, u);
    let (fourth, fifth) = (b.add(yu, x), b.add(yu, z));
    b.output("fourth", fourth);
    b.output("fifth", fifth);
    let tape = passes::finish(b);

    let third = 1.0 / 3.0;
    let [x, y, z, u]: [f64; 4] = [third, 3.0 + 1e-9, -1.0, third + 1e-7];
    let expected = [x.mul_add(y, z), z.mul_add(u, -y), (-x).mul_add(z, y), y * u + x, y * u + z];
    assert_ne!(expected[0], x * y + z);
    for native in natives().into_iter().filter_map(|n| n.contracted().ok()) {
        let mut outputs = [0.0; 5];
        native.prepare(&tape).unwrap().evaluate(1, &[x, y, z, u], &mut outputs);
        assert_eq!(outputs, expected, "{}", native.name());
    }
}

#[test]
fn contracted_programs_stay_within_the_bounds() {
    for native in natives().into_iter().filter_map(|n| n.contracted().ok()) {
        for seed in 0..60 {
            let tape = random_tape(seed, 5 + 4 * seed as usize);
            let mut kernel = native.prepare(&tape).unwrap_or_else(|e| panic!("{}: {e}:\n{tape}", native.name()));
            let mut r = Random::new(seed);
            let (n, m, lanes) = (tape.inputs.len(), tape.outputs.len(), 9);
            let inputs: Vec<f64> = (0..n * lanes).map(|_| r.between(INPUT_RANGE.0, INPUT_RANGE.1)).collect();
            let mut outputs = vec![0.0; m * lanes];
            kernel.evaluate(lanes, &inputs, &mut outputs);
            for l in 0..lanes {
                let point: Vec<Dd> = inputs.iter().skip(l).step_by(lanes).map(|x| Dd::from(*x)).collect();
                let truth = running_error(&tape, &point, f64::EPSILON / 2.0);
                for ((y, (z, e)), o) in outputs.iter().skip(l).step_by(lanes).zip(truth).zip(&tape.outputs) {
                    let off = (Dd::from(*y) - z).abs().to_f64();
                    assert!(off <= e, "{}: {} is off by {off:e} > {e:e} of\n{tape}", native.name(), o.name);
                }
            }
        }
    }
}

/// Sums of products of random length side by side, with numbers of their own between: the bits of code with vectors
/// are those of code without.
#[test]
fn bundles_change_no_bits() {
    for seed in 0..200 {
        let mut r = Random::new(seed);
        let mut b = Builder::new();
        let inputs: Vec<Value> = (0..6).map(|i| b.input(format!("x{i}"))).collect();
        let mut known = inputs.clone();
        let mut bundles = Vec::new();
        for _ in 0..3 + r.below(12) {
            let side_by_side = 2 + r.below(7);
            let pick = |b: &mut Builder, r: &mut Random| {
                let v = known[r.below(known.len())];
                // an elementary function now and then, whose slow path must keep all that is alive
                if r.below(12) == 0 { b.emit(Op::Sin(v)) } else { v }
            };
            let mut totals: Option<Vec<Value>> = None;
            for _ in 0..1 + r.below(5) {
                let left: Vec<Value> = (0..side_by_side).map(|_| pick(&mut b, &mut r)).collect();
                let right: Vec<Value> = (0..side_by_side).map(|_| pick(&mut b, &mut r)).collect();
                let products: Vec<Value> = left.iter().zip(&right).map(|(x, y)| b.mul(*x, *y)).collect();
                let are_products = products.iter().all(|p| matches!(b.op(*p), Op::Mul(..)));
                let sums = totals.map(|before| {
                    let sums: Vec<Value> = before.iter().zip(&products).map(|(x, y)| b.add(*x, *y)).collect();
                    (before, sums)
                });
                if are_products {
                    bundles.push(Bundle { values: products.clone(), left, right });
                }
                totals = Some(match sums {
                    Some((left, sums)) => {
                        if sums.iter().all(|s| matches!(b.op(*s), Op::Add(..))) {
                            bundles.push(Bundle { values: sums.clone(), left, right: products });
                        }
                        sums
                    }
                    None => products,
                });
            }
            known.extend(totals.expect("one term at least"));
        }
        for (k, v) in known[6..].iter().enumerate() {
            b.output(format!("y{k}"), *v);
        }
        let bundled = passes::finish_bundled(b, bundles);
        let (n, m) = (bundled.tape.inputs.len(), bundled.tape.outputs.len());
        for native in natives() {
            for native in [Some(native), native.contracted().ok()].into_iter().flatten() {
                let mut plain = native.single().prepare(&bundled.tape).expect("code");
                let mut vectors = native.prepare_bundled(&bundled).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                for _ in 0..4 {
                    let x = points(&mut r, n, 1);
                    let (mut y, mut z) = (vec![0.0; m], vec![0.0; m]);
                    plain.evaluate(1, &x, &mut y);
                    vectors.evaluate(1, &x, &mut z);
                    let same = |(y, z): (&f64, &f64)| y.to_bits() == z.to_bits() || y.is_nan() && z.is_nan();
                    assert!(
                        y.iter().zip(&z).all(same),
                        "seed {seed}, {}:\n{y:?}\n{z:?}\n{}",
                        native.name(),
                        bundled.tape
                    );
                }
            }
        }
    }
}
