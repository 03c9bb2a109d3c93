//! The suite of all backends, and what this backend promises beyond it: the bits of the vectorised interpreter, and so
//! of all others that run on this machine.

use polhode_backend_cranelift::{Cranelift, CraneliftKernel, NotAvailable};
use polhode_backend_native::{Level, Native};
use polhode_backend_simd::Simd;
use polhode_tape::conformance::{Random, assert_agreement, conformance, named, points, random_tape, wild_tape};
use polhode_tape::reference::Reference;
use polhode_tape::{Backend, Kernel, Tape};

/// Nothing where Cranelift does not know the processor.
fn cranelift() -> Option<Cranelift> {
    match Cranelift::new() {
        Ok(cranelift) => Some(cranelift),
        Err(e) => {
            assert_eq!(e, NotAvailable::Processor);
            None
        }
    }
}

#[test]
fn this_processor_conforms() {
    cranelift().iter().for_each(conformance);
}

/// All backends of this machine: the same bits at some numbers of lanes.
fn assert_same_bits(tape: &Tape, with_reference: bool, r: &mut Random, lanes: &[usize]) {
    let mut kernels = vec![named(&Simd::new(), tape)];
    kernels.extend(cranelift().iter().map(|cranelift| named(cranelift, tape)));
    let natives = Level::ALL.into_iter().filter_map(|level| Native::with(level).ok());
    kernels.extend(natives.map(|native| named(&native, tape)));
    if with_reference {
        kernels.push(named(&Reference, tape));
    }
    assert_agreement(tape, &mut kernels, r, lanes);
}

/// The reference interpreter has elementary functions of its own, which the suite compares within their bounds.
#[test]
fn all_backends_give_the_same_bits() {
    for seed in 0..200 {
        let mut r = Random::new(seed);
        let size = 3 + (seed * seed / 60) as usize;
        assert_same_bits(&random_tape(seed, size), false, &mut r, &[1, 1, 1, 2, 3, 8, 21]);
        assert_same_bits(&wild_tape(seed, size), true, &mut r, &[1, 1, 1, 2, 3, 8, 21]);
    }
}

/// Registers of long tapes are chosen in another way.
#[test]
fn long_tapes() {
    let lengths: Vec<usize> = [1, 2]
        .iter()
        .map(|seed| {
            let (random, wild) = (random_tape(*seed, 60_000), wild_tape(*seed, 30_000));
            assert_same_bits(&random, false, &mut Random::new(*seed), &[1, 2, 5]);
            assert_same_bits(&wild, true, &mut Random::new(*seed), &[1, 2, 5]);
            random.ops.len().max(wild.ops.len())
        })
        .collect();
    assert!(lengths.iter().all(|n| (2_000..16_384).contains(n)), "{lengths:?}");
}

#[test]
fn any_number_of_points() {
    let lanes: Vec<usize> = (0..=40).collect();
    assert_same_bits(&random_tape(3, 90), false, &mut Random::new(3), &lanes);
}

/// Copies run on other threads, and the code outlives the kernel that was made first.
#[test]
fn copies_share_the_code() {
    let Some(cranelift) = cranelift() else { return };
    let tape = random_tape(5, 60);
    let mut first = cranelift.prepare(&tape).expect("a small tape");
    let copies: Vec<CraneliftKernel> = (0..4).map(|_| first.clone()).collect();
    let inputs = points(&mut Random::new(5), tape.inputs.len(), 5);
    let evaluate = |kernel: &mut CraneliftKernel, inputs: &[f64]| {
        let mut outputs = vec![0.0; kernel.outputs() * 5];
        kernel.evaluate(5, inputs, &mut outputs);
        outputs.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
    };
    let expected = evaluate(&mut first, &inputs);
    drop(first);
    std::thread::scope(|scope| {
        for mut kernel in copies {
            let (inputs, expected) = (&inputs, &expected);
            scope.spawn(move || (0..100).for_each(|_| assert_eq!(&evaluate(&mut kernel, inputs), expected)));
        }
    });
}

#[test]
fn reasons_can_be_read() {
    let reasons = [
        NotAvailable::Processor,
        NotAvailable::TooLarge,
        NotAvailable::Memory,
        NotAvailable::Refused,
        NotAvailable::Wrong,
    ];
    let texts = reasons.map(|reason| reason.to_string());
    assert_eq!(texts[0], "Cranelift makes no code for this processor");
    assert!(texts.iter().enumerate().all(|(k, text)| !texts[..k].contains(text)));
}
