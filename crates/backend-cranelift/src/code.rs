//! Executable memory, and the calls into it and out of it.
//!
//! This is the only module with unsafe code. It makes two promises to the safe code around it:
//!
//! 1. machine code runs only on the processor it was made for, and on slices that are as long as it
//!    reads and writes;
//! 2. its memory is freed when the last copy of it goes, and not before.
#![allow(unsafe_code)] // calls of machine code and back, and its memory

use crate::backend::NotAvailable;
use crate::lower::{Function, Width, entry, lower};
use cranelift_codegen::Context;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use polhode_tape::Tape;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Inputs, outputs, bytes between columns, blocks (one at least).
type Entry = unsafe extern "C" fn(*const f64, *mut f64, usize, usize);

/// Machine code of a tape. Copies share it.
///
/// Invariant: `one` and `two` lie in `memory` and are what [`lower`] made for one and two points of a
/// tape with `inputs` and `outputs`, in code of this processor.
#[derive(Clone)]
pub(crate) struct Code {
    one: Entry,
    two: Option<Entry>,
    inputs: usize,
    outputs: usize,
    memory: Arc<Memory>,
}

impl Code {
    /// Code for a tape, by an instruction set of this processor.
    pub(crate) fn new(isa: OwnedTargetIsa, tape: &Tape) -> Result<Code, NotAvailable> {
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for width in [Width::One, Width::Two] {
            builder.symbols(Function::ALL.map(|f| (f.name(width), address(f, width))));
        }
        let mut memory = Memory(Mutex::new(Some(JITModule::new(builder))));
        let module = memory.module();
        let one = define(module, tape, Width::One)?;
        let two = match define(module, tape, Width::Two) {
            Ok(id) => Some(id),
            Err(NotAvailable::Processor) => None, // it has no vectors
            Err(e) => return Err(e),
        };
        module.finalize_definitions()?;
        // SAFETY: the functions have the signature `entry`, which is `Entry` in the convention of this system.
        let function = |id| unsafe { std::mem::transmute::<*const u8, Entry>(module.get_finalized_function(id)) };
        let (one, two) = (function(one), two.map(function));
        Ok(Code { one, two, inputs: tape.inputs.len(), outputs: tape.outputs.len(), memory: Arc::new(memory) })
    }

    pub(crate) fn inputs(&self) -> usize {
        self.inputs
    }

    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Evaluates at some points.
    #[inline]
    pub(crate) fn run(&self, points: usize, inputs: &[f64], outputs: &mut [f64]) {
        assert!(inputs.len() == self.inputs * points && outputs.len() == self.outputs * points, "all numbers");
        let (pairs, pair) = match self.two {
            Some(two) => (points / 2, two),
            None => (0, self.one),
        };
        let (x, y, stride) = (inputs.as_ptr(), outputs.as_mut_ptr(), 8 * points);
        let rest = points - 2 * pairs;
        // SAFETY: by the invariant the code reads the numbers first + i·points + l for all i below `inputs` and l
        // below its blocks times its lanes, where first is 0 for the pairs and the number of points before the
        // rest, so that they end within column i. So do the outputs it writes. `self.memory` keeps it alive.
        unsafe {
            if pairs > 0 {
                pair(x, y, stride, pairs);
            }
            if rest > 0 {
                (self.one)(x.wrapping_add(2 * pairs), y.wrapping_add(2 * pairs), stride, rest);
            }
        }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Code { one, two, inputs, outputs, memory } = self;
        let copies = Arc::strong_count(memory);
        write!(f, "Code {{ one: {one:?}, two: {two:?}, inputs: {inputs}, outputs: {outputs}, copies: {copies} }}")
    }
}

/// Compiles a tape for blocks of a width.
fn define(module: &mut JITModule, tape: &Tape, width: Width) -> Result<FuncId, NotAvailable> {
    let config = module.target_config();
    let mut callees = Vec::with_capacity(Function::ALL.len());
    for f in Function::ALL {
        callees.push(module.declare_function(&f.name(width), Linkage::Import, &f.signature(width, config))?);
    }
    let id = module.declare_anonymous_function(&entry(config))?;
    let mut context = Context::new();
    lower(config, tape, width, &mut context.func, |f, clif| module.declare_func_in_func(callees[f as usize], clif));
    module.define_function(id, &mut context)?;
    Ok(id)
}

/// The memory of machine code, freed at the end. Nobody locks it: a lock is how a module, which may go from one
/// thread to another, becomes one that several threads may hold.
struct Memory(Mutex<Option<JITModule>>);

impl Memory {
    fn module(&mut self) -> &mut JITModule {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut().expect("only `drop` takes it")
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(module) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: functions of the module are called by `Code` alone, and every `Code` keeps the module alive.
            unsafe { module.free_memory() }
        }
    }
}

/// The address of a function that code calls for a block of points.
fn address(function: Function, width: Width) -> *const u8 {
    match (width, function) {
        (Width::One, Function::Sin) => one::sin as extern "C" fn(f64) -> f64 as *const u8,
        (Width::One, Function::Cos) => one::cos as extern "C" fn(f64) -> f64 as *const u8,
        (Width::One, Function::SinCos) => one::sin_cos as unsafe extern "C" fn(f64, *mut [f64; 2]) as *const u8,
        (Width::One, Function::Exp) => one::exp as extern "C" fn(f64) -> f64 as *const u8,
        (Width::One, Function::Log) => one::log as extern "C" fn(f64) -> f64 as *const u8,
        (Width::One, Function::Atan2) => one::atan2 as extern "C" fn(f64, f64) -> f64 as *const u8,
        (Width::Two, Function::Sin) => two::sin as two::OfPairs as *const u8,
        (Width::Two, Function::Cos) => two::cos as two::OfPairs as *const u8,
        (Width::Two, Function::SinCos) => two::sin_cos as two::OfPairs as *const u8,
        (Width::Two, Function::Exp) => two::exp as two::OfPairs as *const u8,
        (Width::Two, Function::Log) => two::log as two::OfPairs as *const u8,
        (Width::Two, Function::Atan2) => two::atan2 as two::OfPairs as *const u8,
    }
}

mod one {
    use polhode_backend_simd::elementary;

    pub(super) extern "C" fn sin(x: f64) -> f64 {
        elementary::sin_cos(x).0
    }

    pub(super) extern "C" fn cos(x: f64) -> f64 {
        elementary::sin_cos(x).1
    }

    pub(super) unsafe extern "C" fn sin_cos(x: f64, both: *mut [f64; 2]) {
        // SAFETY: code passes a place on its own stack that has room for two doubles.
        unsafe { *both = elementary::sin_cos(x).into() }
    }

    pub(super) extern "C" fn exp(x: f64) -> f64 {
        elementary::exp(x)
    }

    pub(super) extern "C" fn log(x: f64) -> f64 {
        elementary::ln(x)
    }

    pub(super) extern "C" fn atan2(y: f64, x: f64) -> f64 {
        elementary::atan2(y, x)
    }
}

mod two {
    use polhode_backend_simd::elementary;

    /// Operands in one or both pairs, then results.
    pub(super) type OfPairs = unsafe extern "C" fn(*mut [[f64; 2]; 2]);

    macro_rules! of_pairs {
        ($name:ident, $f:expr) => {
            pub(super) unsafe extern "C" fn $name(place: *mut [[f64; 2]; 2]) {
                // SAFETY: code passes a place on its own stack that has room for two pairs, the first of them written,
                // and the second where there are two operands.
                unsafe { $f(place) }
            }
        };
    }

    of_pairs!(sin, |p: *mut [[f64; 2]; 2]| (*p)[0] = elementary::pairs::sin_cos((*p)[0])[0]);
    of_pairs!(cos, |p: *mut [[f64; 2]; 2]| (*p)[0] = elementary::pairs::sin_cos((*p)[0])[1]);
    of_pairs!(sin_cos, |p: *mut [[f64; 2]; 2]| *p = elementary::pairs::sin_cos((*p)[0]));
    of_pairs!(exp, |p: *mut [[f64; 2]; 2]| (*p)[0] = elementary::pairs::exp((*p)[0]));
    of_pairs!(log, |p: *mut [[f64; 2]; 2]| (*p)[0] = elementary::pairs::ln((*p)[0]));
    of_pairs!(atan2, |p: *mut [[f64; 2]; 2]| (*p)[0] = elementary::pairs::atan2((*p)[0], (*p)[1]));
}
