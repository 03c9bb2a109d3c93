//! Columns of numbers behind slots, and calls to code for the instruction set at hand.
//!
//! Points are evaluated in blocks of 64 and, for what is left over, of 8. The last block of 8 may
//! repeat some points of the one before: the results are the same. Fewer than 8 points are copied
//! to a block of 8.
//!
//! This is the only module with unsafe code. It makes two promises to the safe code around it:
//!
//! 1. a column got from a [`Block`] can be read, and a target written, whatever slot was asked for
//!    (a slot that does not exist, or a write to an input or constant, panics);
//! 2. code compiled for a [`Level`] runs only where [`Level::is_available`] said so.
//!
//! Columns of one block may coincide: an instruction may write over its operand. That is why they
//! are read and written by value through pointers, and lent as slices only where operands and
//! results are apart.
#![allow(unsafe_code)] // access in place to strided columns; run-time choice of instruction sets

use crate::execute::execute;
use crate::level::{Level, Unavailable};
use crate::program::{Program, Slot};
use crate::scalar::Scalars;
use std::marker::PhantomData;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Numbers read or written at once: a vector of the highest level, several of the others.
pub(crate) const CHUNK: usize = 8;
/// Chunks of a large block.
pub(crate) const LARGE: usize = 8;
/// Chunks of a small block.
const SMALL: usize = 1;
/// Points of a large block.
const LANES: usize = LARGE * CHUNK;

/// The numbers of one slot.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
struct Line<const N: usize>([f64; N]);

/// The memory of one kernel.
#[derive(Debug)]
pub(crate) struct Columns {
    inputs: usize,
    outputs: usize,
    constants: Vec<Line<LANES>>,
    temporaries: Vec<Line<LANES>>,
    /// Inputs and outputs of fewer than 8 points.
    few: Vec<Line<CHUNK>>,
    /// For every slot its column. Filled anew for every block and without meaning in between;
    /// the atomic wrapper only says that moving it to another thread is harmless.
    table: Vec<AtomicPtr<f64>>,
}

/// The columns of one block while its instructions run.
///
/// Invariant: every pointer of the table is valid for reads of `8 CHUNKS` numbers, and from slot
/// `writable` on also for writes; columns of different slots do not overlap; nothing else uses that
/// memory as long as the block lives.
pub(crate) struct Block<'a, const CHUNKS: usize> {
    table: &'a [AtomicPtr<f64>],
    writable: usize,
    memory: PhantomData<&'a mut f64>,
}

/// A column that can be read.
#[derive(Clone, Copy)]
pub(crate) struct Column<'b, const CHUNKS: usize>(*const f64, PhantomData<&'b f64>);

/// A column that can be written.
#[derive(Clone, Copy)]
pub(crate) struct Target<'b, const CHUNKS: usize>(*mut f64, PhantomData<&'b f64>);

impl<const CHUNKS: usize> Block<'_, CHUNKS> {
    #[inline(always)]
    pub(crate) fn column(&self, slot: Slot) -> Column<'_, CHUNKS> {
        Column(self.table[slot as usize].load(Ordering::Relaxed), PhantomData)
    }

    #[inline(always)]
    pub(crate) fn target(&self, slot: Slot) -> Target<'_, CHUNKS> {
        assert!(slot as usize >= self.writable, "inputs and constants are not written");
        Target(self.table[slot as usize].load(Ordering::Relaxed), PhantomData)
    }

    /// Operands and results as slices, for an instruction that does not write over its operands.
    #[inline(always)]
    pub(crate) fn slices<const N: usize, const M: usize>(
        &mut self,
        operands: [Slot; N],
        results: [Slot; M],
    ) -> ([&[f64]; N], [&mut [f64]; M]) {
        for (k, d) in results.iter().enumerate() {
            assert!(!operands.contains(d) && !results[..k].contains(d), "operands and results are apart");
        }
        let n = CHUNKS * CHUNK;
        // SAFETY: columns are valid for n numbers while the block is borrowed, here mutably. Those
        // of different slots do not overlap, and every result is a slot of its own.
        let operands = operands.map(|a| unsafe { slice::from_raw_parts(self.column(a).0, n) });
        let results = results.map(|d| unsafe { slice::from_raw_parts_mut(self.target(d).0, n) });
        (operands, results)
    }
}

impl<const CHUNKS: usize> Column<'_, CHUNKS> {
    /// Eight numbers.
    #[inline(always)]
    pub(crate) fn chunk(self, k: usize) -> [f64; CHUNK] {
        assert!(k < CHUNKS);
        // SAFETY: the column is valid for reads of 8 CHUNKS numbers while its block is borrowed.
        unsafe { self.0.add(k * CHUNK).cast::<[f64; CHUNK]>().read() }
    }
}

impl<const CHUNKS: usize> Target<'_, CHUNKS> {
    /// Writes eight numbers.
    #[inline(always)]
    pub(crate) fn set_chunk(self, k: usize, x: [f64; CHUNK]) {
        assert!(k < CHUNKS);
        // SAFETY: the target is valid for writes of 8 CHUNKS numbers while its block is borrowed.
        unsafe { self.0.add(k * CHUNK).cast::<[f64; CHUNK]>().write(x) }
    }
}

impl Columns {
    pub(crate) fn new(program: &Program) -> Columns {
        Columns {
            inputs: program.inputs,
            outputs: program.outputs(),
            constants: program.constants.iter().map(|x| Line([*x; LANES])).collect(),
            temporaries: vec![Line([0.0; LANES]); program.temporaries],
            few: vec![Line([0.0; CHUNK]); program.inputs + program.outputs()],
            table: (0..program.slots()).map(|_| AtomicPtr::default()).collect(),
        }
    }

    /// Evaluates at `lanes` points.
    pub(crate) fn run(&mut self, code: Compiled, program: &Program, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        if (1..CHUNK).contains(&lanes) {
            self.load_few(lanes, inputs);
            let block = self.few();
            code.run_small(block, program);
            self.store_few(lanes, outputs);
            return;
        }
        let whole = lanes / LANES * LANES;
        for first in (0..whole).step_by(LANES) {
            let block = self.in_place(lanes, first, inputs, outputs);
            code.run_large(block, program);
        }
        for first in (whole..lanes).step_by(CHUNK) {
            let block = self.in_place(lanes, first.min(lanes - CHUNK), inputs, outputs);
            code.run_small(block, program);
        }
    }

    /// The block of the points from `first` on, where the caller has them.
    fn in_place<'a, const CHUNKS: usize>(
        &'a mut self,
        lanes: usize,
        first: usize,
        inputs: &'a [f64],
        outputs: &'a mut [f64],
    ) -> Block<'a, CHUNKS> {
        assert!(inputs.len() == self.inputs * lanes && outputs.len() == self.outputs * lanes);
        assert!(CHUNKS <= LARGE && first + CHUNKS * CHUNK <= lanes);
        // column i ends at i lanes + first + 8 CHUNKS ≤ (i + 1) lanes
        let (ins, outs) = (inputs.as_ptr().cast_mut(), outputs.as_mut_ptr());
        self.block(|i| ins.wrapping_add(i * lanes + first), |o| outs.wrapping_add(o * lanes + first))
    }

    /// The block of the numbers in `few`.
    fn few(&mut self) -> Block<'_, SMALL> {
        let (few, inputs) = (self.few.as_mut_ptr().cast::<f64>(), self.inputs);
        self.block(|i| few.wrapping_add(i * CHUNK), |o| few.wrapping_add((inputs + o) * CHUNK))
    }

    /// Fills the table, in the order of the slots. Inputs must be readable and outputs writable
    /// columns as the invariant of [`Block`] wants them; constants and temporaries are.
    fn block<const CHUNKS: usize>(
        &mut self,
        input: impl Fn(usize) -> *mut f64,
        output: impl Fn(usize) -> *mut f64,
    ) -> Block<'_, CHUNKS> {
        let constants = self.constants.as_mut_ptr().cast::<f64>();
        let temporaries = self.temporaries.as_mut_ptr().cast::<f64>();
        let columns = (0..self.inputs)
            .map(input)
            .chain((0..self.constants.len()).map(|k| constants.wrapping_add(k * LANES)))
            .chain((0..self.outputs).map(output))
            .chain((0..self.temporaries.len()).map(|k| temporaries.wrapping_add(k * LANES)));
        for (entry, column) in self.table.iter_mut().zip(columns) {
            *entry.get_mut() = column;
        }
        Block { table: &self.table, writable: self.inputs + self.constants.len(), memory: PhantomData }
    }

    /// Copies the inputs; the last point stands in for those that are missing, so that nothing
    /// unusual is computed there.
    fn load_few(&mut self, lanes: usize, inputs: &[f64]) {
        for (line, column) in self.few.iter_mut().zip(inputs.chunks_exact(lanes)) {
            line.0 = std::array::from_fn(|l| column[l.min(lanes - 1)]);
        }
    }

    /// Copies the outputs.
    fn store_few(&self, lanes: usize, outputs: &mut [f64]) {
        for (line, column) in self.few[self.inputs..].iter().zip(outputs.chunks_exact_mut(lanes)) {
            for (y, x) in column.iter_mut().zip(line.0) {
                *y = x;
            }
        }
    }
}

/// Code compiled for an instruction set that this machine has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled(Level);

macro_rules! compiled_for {
    ($large:ident, $small:ident, $point:ident $(, $features:literal)?) => {
        $(#[target_feature(enable = $features)])?
        fn $large(mut block: Block<'_, LARGE>, program: &Program) {
            execute(&mut block, &program.instructions);
        }

        $(#[target_feature(enable = $features)])?
        fn $small(mut block: Block<'_, SMALL>, program: &Program) {
            execute(&mut block, &program.instructions);
        }

        $(#[target_feature(enable = $features)])?
        fn $point(scalars: &mut Scalars, program: &Program, inputs: &[f64], outputs: &mut [f64]) {
            scalars.run(program, inputs, outputs);
        }
    };
}

compiled_for!(large_baseline, small_baseline, point_baseline);
#[cfg(target_arch = "x86_64")]
compiled_for!(large_avx2, small_avx2, point_avx2, "avx2");
#[cfg(target_arch = "x86_64")]
compiled_for!(large_avx512, small_avx512, point_avx512, "avx512f,avx512dq,avx512vl");

macro_rules! call {
    ($level:expr, $baseline:ident, $avx2:ident, $avx512:ident, $($argument:expr),*) => {
        match $level {
            // SAFETY: `Compiled::new` found the instruction set on this machine.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { $avx512($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { $avx2($($argument),*) },
            _ => $baseline($($argument),*),
        }
    };
}

impl Compiled {
    pub(crate) fn new(level: Level) -> Result<Compiled, Unavailable> {
        if level.is_available() { Ok(Compiled(level)) } else { Err(Unavailable(level)) }
    }

    pub(crate) fn level(self) -> Level {
        self.0
    }

    fn run_large(self, block: Block<'_, LARGE>, program: &Program) {
        call!(self.0, large_baseline, large_avx2, large_avx512, block, program);
    }

    fn run_small(self, block: Block<'_, SMALL>, program: &Program) {
        call!(self.0, small_baseline, small_avx2, small_avx512, block, program);
    }

    /// Evaluates at one point.
    #[inline]
    pub(crate) fn run_point(self, scalars: &mut Scalars, program: &Program, inputs: &[f64], outputs: &mut [f64]) {
        call!(self.0, point_baseline, point_avx2, point_avx512, scalars, program, inputs, outputs);
    }
}
