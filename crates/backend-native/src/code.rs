//! Executable memory, and the calls into it and out of it.
//!
//! This is the only module with unsafe code. It makes two promises to the safe code around it:
//!
//! 1. machine code runs only where its instruction set was found, and on slices that are as long
//!    as it reads and writes;
//! 2. memory is written first and made executable then, never both at a time.
#![allow(unsafe_code)] // calls of machine code, and back

use crate::assemble::{Columns, Width, assemble};
use crate::level::Level;
use crate::steps::{Function, Steps};
use std::sync::Arc;

/// The system gives no executable memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forbidden;

/// A cache line, so that no vector of scratch memory lies on two.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
struct Line([f64; 8]);

/// Machine code with its memory.
///
/// Invariant: `memory` has the code that [`assemble`] made for `width` and `columns`, at a level of this machine,
/// from steps with indices below `inputs` and `outputs`; `scratch` is as long as it asked for.
/// Copies share it.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    memory: Arc<Executable>,
    scratch: Vec<Line>,
    middle: usize,
    wide: Vec<Line>,
    width: Width,
    columns: Columns,
    inputs: usize,
    outputs: usize,
}

impl Code {
    /// Code for steps with so many inputs and outputs. Panics if the machine lacks the level.
    pub(crate) fn new(
        steps: &Steps,
        level: Level,
        width: Width,
        columns: Columns,
        inputs: usize,
        outputs: usize,
    ) -> Result<Code, Forbidden> {
        assert!(level.is_available(), "this machine has no {level}");
        assert!(width != Width::Eight || level == Level::Avx512, "eight lanes need AVX-512");
        assert!(steps.fit(inputs, outputs), "steps have inputs or outputs that there are not");
        let assembled = assemble(steps, level, width, columns);
        // lines may stand out on one side of the middle, which is at the beginning of one
        let middle = assembled.middle.next_multiple_of(8);
        let scratch = vec![Line([0.0; 8]); (assembled.scratch + middle - assembled.middle).div_ceil(8)];
        let memory = Arc::new(Executable::new(&assembled.bytes)?);
        let wide = vec![Line([0.0; 8]); assembled.wide_lines];
        Ok(Code { memory, scratch, middle, wide, width, columns, inputs, outputs })
    }

    /// Points per block.
    pub(crate) fn lanes(&self) -> usize {
        self.width.lanes()
    }

    /// The middle of both scratch memories.
    fn middles(&mut self) -> (*mut f64, *mut f64) {
        let middle = self.wide.len() / 2;
        let single = self.scratch.as_mut_ptr().cast::<f64>().wrapping_add(self.middle);
        (single, self.wide.as_mut_ptr().wrapping_add(middle).cast())
    }

    /// Evaluates at one point; the code is for one lane.
    #[inline]
    pub(crate) fn run_one(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        assert!(self.width == Width::One, "code for one lane");
        assert!(inputs.len() == self.inputs && outputs.len() == self.outputs, "numbers of all inputs and outputs");
        // SAFETY: by the invariant the code reads 8 `inputs` and writes 8 `outputs` bytes, which
        // the slices have, and its scratch memory, which nothing else uses meanwhile.
        let scratch = self.middles();
        unsafe { self.memory.call(inputs.as_ptr(), outputs.as_mut_ptr(), scratch, 8, 1) }
    }

    /// Evaluates `blocks` blocks from point `first` on, out of `points`; packed code has one block.
    pub(crate) fn run_blocks(
        &mut self,
        points: usize,
        first: usize,
        blocks: usize,
        inputs: &[f64],
        outputs: &mut [f64],
    ) {
        assert!(inputs.len() == self.inputs * points && outputs.len() == self.outputs * points);
        assert!(self.width != Width::One && first + blocks * self.lanes() <= points);
        assert!(self.columns == Columns::Strided || points == self.lanes(), "packed columns");
        if blocks == 0 {
            return;
        }
        let (x, y) = (inputs.as_ptr().wrapping_add(first), outputs.as_mut_ptr().wrapping_add(first));
        // SAFETY: by the invariant the code reads `blocks · lanes` numbers from first + i·points on
        // for every i below `inputs`; they end within column i. So do the outputs it writes. Packed
        // code takes 8 `points` bytes for the stride, which they are.
        // Nothing else uses its scratch memory meanwhile.
        let scratch = self.middles();
        unsafe { self.memory.call(x, y, scratch, 8 * points, blocks) }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{Executable, slow};

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::{Forbidden, Function};
    use memmap2::{Mmap, MmapMut};
    use polhode_backend_simd::elementary;

    /// Inputs, outputs, scratch memory, bytes between columns, blocks, wide scratch memory.
    type Entry = unsafe extern "sysv64" fn(*const f64, *mut f64, *mut f64, usize, usize, *mut f64);

    /// Memory with code.
    #[derive(Debug)]
    pub(crate) struct Executable(Mmap);

    impl Executable {
        /// Writes the code, then makes it executable and read-only.
        pub(crate) fn new(code: &[u8]) -> Result<Executable, Forbidden> {
            let mut memory = MmapMut::map_anon(code.len()).map_err(|_| Forbidden)?;
            memory.copy_from_slice(code);
            Ok(Executable(memory.make_exec().map_err(|_| Forbidden)?))
        }

        /// Calls the code.
        ///
        /// # Safety
        ///
        /// The memory has code of this machine that is an [`Entry`], and the arguments are such
        /// that it reads and writes within the caller's slices.
        #[inline]
        pub(crate) unsafe fn call(
            &self,
            inputs: *const f64,
            outputs: *mut f64,
            scratch: (*mut f64, *mut f64),
            stride: usize,
            blocks: usize,
        ) {
            // SAFETY: as promised by the caller; a mapping never moves while it lives.
            unsafe {
                let entry: Entry = std::mem::transmute(self.0.as_ptr());
                entry(inputs, outputs, scratch.0, stride, blocks, scratch.1);
            }
        }
    }

    /// The address of the function that is called where a formula does not hold. It gets one or two
    /// columns of arguments, the room of two, and writes one or two columns behind them.
    pub(crate) fn slow(function: Function) -> u64 {
        let address: unsafe extern "sysv64" fn(*mut f64, usize) = match function {
            Function::Sin => sin,
            Function::Cos => cos,
            Function::SinCos => sin_cos,
            Function::Exp => exp,
            Function::Log => log,
            Function::Atan2 => atan2,
        };
        address as usize as u64
    }

    macro_rules! slow {
        ($name:ident, $f:expr) => {
            unsafe extern "sysv64" fn $name(area: *mut f64, lanes: usize) {
                // SAFETY: machine code passes its own scratch memory, which has these four columns
                // and which nothing else uses meanwhile.
                let area = unsafe { std::slice::from_raw_parts_mut(area, 4 * lanes) };
                for l in 0..lanes {
                    let (first, second) = $f(area[l], area[lanes + l]);
                    (area[2 * lanes + l], area[3 * lanes + l]) = (first, second);
                }
            }
        };
    }

    slow!(sin, |x, _| (elementary::sin_cos(x).0, 0.0));
    slow!(cos, |x, _| (elementary::sin_cos(x).1, 0.0));
    slow!(sin_cos, |x, _| elementary::sin_cos(x));
    slow!(exp, |x, _| (elementary::exp(x), 0.0));
    slow!(log, |x, _| (elementary::ln(x), 0.0));
    slow!(atan2, |y, x| (elementary::atan2(y, x), 0.0));
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use elsewhere::{Executable, slow};

#[cfg(not(target_arch = "x86_64"))]
mod elsewhere {
    use super::{Forbidden, Function};

    /// There is none.
    #[derive(Debug)]
    pub(crate) enum Executable {}

    impl Executable {
        pub(crate) fn new(_: &[u8]) -> Result<Executable, Forbidden> {
            Err(Forbidden)
        }

        /// # Safety
        ///
        /// It is never called.
        pub(crate) unsafe fn call(&self, _: *const f64, _: *mut f64, _: (*mut f64, *mut f64), _: usize, _: usize) {
            match *self {}
        }
    }

    pub(crate) fn slow(_: Function) -> u64 {
        0
    }
}
