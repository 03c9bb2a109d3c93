//! The backend and its kernels.

use crate::code::Code;
use cranelift_codegen::CodegenError;
use cranelift_codegen::isa::{Builder, OwnedTargetIsa};
use cranelift_codegen::settings::{Configurable, Flags, builder};
use cranelift_module::ModuleError;
use polhode_backend_simd::check;
use polhode_tape::{Backend, Kernel, Tape};
use std::fmt;

/// Why there is no machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAvailable {
    /// Cranelift makes no code for this processor, or not of such instructions.
    Processor,
    /// The tape has more operations than code is made for.
    TooLarge,
    /// The system gives no memory that can be written and then executed.
    Memory,
    /// Cranelift makes no code of the tape.
    Refused,
    /// The code computes something else than the interpreter. This is a mistake of ours or of Cranelift's.
    Wrong,
}

impl fmt::Display for NotAvailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotAvailable::Processor => "Cranelift makes no code for this processor",
            NotAvailable::TooLarge => "the tape has more operations than code is made for",
            NotAvailable::Memory => "the system allows no machine code to be made",
            NotAvailable::Refused => "Cranelift makes no code of this tape: a mistake of Polhode's, please report it",
            NotAvailable::Wrong => {
                "the machine code disagrees with the interpreter: a mistake of Polhode's, please report it"
            }
        })
    }
}

impl std::error::Error for NotAvailable {}

impl From<ModuleError> for NotAvailable {
    fn from(e: ModuleError) -> Self {
        match e {
            ModuleError::Compilation(CodegenError::Unsupported(_)) => NotAvailable::Processor,
            ModuleError::Allocation { .. } | ModuleError::Backend(_) => NotAvailable::Memory,
            _ => NotAvailable::Refused,
        }
    }
}

/// Operations of the longest tape that code is made for. Every one may need 16 bytes on the stack, which is then
/// no more than 256 kB.
const LONGEST_TAPE: usize = 1 << 14;

/// Operations of the longest tape whose registers are chosen with care. The time for that grows faster than the tape,
/// from four times as long for some hundred operations to twenty times for some thousand; code is a third faster by it.
const PATIENCE: usize = 2000;

/// The compiler to machine code.
#[derive(Clone, Copy, Debug)]
pub struct Cranelift {
    processor: &'static str,
}

impl Cranelift {
    /// For this processor, if Cranelift knows it.
    pub fn new() -> Result<Cranelift, NotAvailable> {
        Ok(Cranelift { processor: instructions(cranelift_native::builder(), 0)?.name() })
    }
}

/// The instruction set of a processor and how code of so many operations is made for it.
pub(crate) fn instructions(
    processor: Result<Builder, &str>,
    operations: usize,
) -> Result<OwnedTargetIsa, NotAvailable> {
    let mut settings = builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("regalloc_algorithm", if operations > PATIENCE { "single_pass" } else { "backtracking" }),
        ("is_pic", "false"),                 // required for code in memory
        ("use_colocated_libcalls", "false"), // functions may be far away
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
    ] {
        settings.set(name, value).expect("a setting of Cranelift");
    }
    let processor = processor.map_err(|_unknown| NotAvailable::Processor)?;
    processor.finish(Flags::new(settings)).map_err(|_unsupported| NotAvailable::Processor)
}

impl Backend for Cranelift {
    type Kernel = CraneliftKernel;
    type Error = NotAvailable;

    fn name(&self) -> String {
        format!("cranelift {}", self.processor)
    }

    fn prepare(&self, tape: &Tape) -> Result<CraneliftKernel, NotAvailable> {
        if tape.ops.len() > LONGEST_TAPE {
            return Err(NotAvailable::TooLarge);
        }
        let code = Code::new(instructions(cranelift_native::builder(), tape.ops.len())?, tape)?;
        let mut kernel = CraneliftKernel(code);
        if check::agrees(tape, |_| None, &mut kernel) { Ok(kernel) } else { Err(NotAvailable::Wrong) }
    }
}

/// A tape as machine code. Copies share it.
#[derive(Clone, Debug)]
pub struct CraneliftKernel(Code);

impl Kernel for CraneliftKernel {
    fn inputs(&self) -> usize {
        self.0.inputs()
    }

    fn outputs(&self) -> usize {
        self.0.outputs()
    }

    #[inline]
    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        self.0.run(lanes, inputs, outputs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_tape::{Builder as Tapes, Op, passes};

    #[test]
    fn an_unknown_processor_is_no_panic() {
        let reason = |processor| instructions(processor, 0).err();
        assert_eq!(reason(Err("unsupported architecture")), Some(NotAvailable::Processor));
    }

    #[test]
    fn long_tapes_are_refused() {
        let Ok(cranelift) = Cranelift::new() else { return };
        let powers = |n: usize| {
            let mut b = Tapes::new();
            let mut x = b.input("x");
            (1..n).for_each(|_| x = b.emit(Op::Sqrt(x)));
            b.output("y", x);
            passes::finish(b)
        };
        assert!(cranelift.prepare(&powers(LONGEST_TAPE)).is_ok());
        assert_eq!(cranelift.prepare(&powers(LONGEST_TAPE + 1)).err(), Some(NotAvailable::TooLarge));
    }
}
