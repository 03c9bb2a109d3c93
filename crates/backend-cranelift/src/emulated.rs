//! Code for aarch64 on other machines: it is made, and run in an emulator.
//!
//! The emulator is Unicorn, called by `tests/aarch64.py`, which describes the text that the two exchange. How it
//! is found, and what happens where it is not, says `polhode_testing`.

use crate::backend::instructions;
use crate::lower::{Width, lower};
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{ExtFuncData, ExternalName, UserExternalName};
use cranelift_codegen::isa::{OwnedTargetIsa, lookup_by_name};
use cranelift_codegen::{Context, FinalizedRelocTarget};
use polhode_tape::conformance::{Random, points, random_tape, wild_tape};
use polhode_tape::{Interpreter, Kernel, Tape};

const POINTS: usize = 6;

fn words(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!("{:016x}", x.to_bits())).collect::<Vec<String>>().join(",")
}

/// A tape as a question for the emulator.
fn question(isa: &OwnedTargetIsa, tape: &Tape, width: Width, inputs: &[f64]) -> String {
    let mut context = Context::new();
    let config = isa.frontend_config();
    lower(config, tape, width, &mut context.func, |f, clif| {
        let name = ExternalName::user(clif.declare_imported_user_function(UserExternalName::new(0, f as u32)));
        let signature = clif.import_signature(f.signature(width, config));
        clif.import_function(ExtFuncData { name, signature, colocated: false, patchable: false })
    });
    context.compile(&**isa, &mut Default::default()).expect("code for aarch64");
    let code = context.compiled_code().expect("just made");
    let calls = code.buffer.relocs().iter().map(|call| {
        let FinalizedRelocTarget::ExternalName(ExternalName::User(name)) = &call.target else {
            panic!("only functions are called: {call:?}")
        };
        assert_eq!((call.kind, call.addend), (Reloc::Abs8, 0));
        format!("{}:{}", call.offset, context.func.params.user_named_funcs()[*name].index)
    });
    let calls = calls.collect::<Vec<String>>().join(",");
    let bytes: String = code.code_buffer().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{};{POINTS};{};{bytes};{calls};{}\n", width.lanes(), tape.outputs.len(), words(inputs))
}

#[test]
fn code_for_aarch64_gives_the_bits_of_the_reference() {
    let isa = |operations| {
        let processor = lookup_by_name("aarch64").map_err(|_| "a feature of the tests");
        instructions(processor, operations).expect("all settings")
    };
    // both ways to choose registers
    let ways = [isa(0), isa(usize::MAX)];
    let (mut questions, mut expected) = (String::new(), Vec::new());
    for seed in 0..50 {
        let size = 3 + (seed * seed / 10) as usize;
        for tape in [random_tape(seed, size), wild_tape(seed, size)] {
            let inputs = points(&mut Random::new(seed), tape.inputs.len(), POINTS);
            let mut outputs = vec![0.0; tape.outputs.len() * POINTS];
            Interpreter::<f64>::new(&tape).evaluate(POINTS, &inputs, &mut outputs);
            for (isa, width) in ways.iter().flat_map(|isa| [(isa, Width::One), (isa, Width::Two)]) {
                questions += &question(isa, &tape, width, &inputs);
                expected.push((seed, width, outputs.clone()));
            }
        }
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/aarch64.py");
    let Some(answers) = polhode_testing::python("import unicorn", script, &[], questions.into_bytes()) else { return };
    let number = |word: &str| f64::from_bits(u64::from_str_radix(word, 16).expect("16 digits"));
    let answers: Vec<Vec<f64>> = answers.lines().map(|line| line.split(',').map(number).collect()).collect();
    assert_eq!(answers.len(), expected.len());
    for (outputs, (seed, width, expected)) in answers.iter().zip(&expected) {
        let same = |(y, z): (&f64, &f64)| y.to_bits() == z.to_bits() || y.is_nan() && z.is_nan();
        let all = outputs.len() == expected.len() && outputs.iter().zip(expected).all(same);
        assert!(all, "seed {seed}, {width:?}: {outputs:?}, not {expected:?}");
    }
}
