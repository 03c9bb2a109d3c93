//! Columns of 64 numbers behind slots, and calls to code for the instruction set at hand.
//!
//! This is the only module with unsafe code. It makes two promises to the safe code around it:
//!
//! 1. a [`Column`] got from a [`Block`] can be read, and one got by [`Block::target`] written,
//!    whatever slot was asked for (a slot that does not exist, or a write to an input or constant,
//!    panics);
//! 2. code compiled for a [`Level`] runs only where [`Level::is_available`] said so.
//!
//! Columns of one block may coincide: an instruction may write over its operand. That is why they
//! are read and written by value through pointers and never lent as slices.
#![allow(unsafe_code)] // in place access to strided columns; run-time choice of instruction sets

use crate::execute::execute;
use crate::level::{Level, Unavailable};
use crate::program::{Program, Slot};
use crate::scalar::Scalars;
use std::marker::PhantomData;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Points of a block.
pub(crate) const LANES: usize = 64;
/// Numbers read or written at once: a vector of the highest level, several of the others.
pub(crate) const CHUNK: usize = 8;

/// The numbers of one slot.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
struct Line([f64; LANES]);

/// The memory of one kernel.
#[derive(Debug)]
pub(crate) struct Columns {
    inputs: usize,
    outputs: usize,
    constants: Vec<Line>,
    temporaries: Vec<Line>,
    /// Inputs and outputs of a block with fewer than 64 points.
    edge: Vec<Line>,
    /// For every slot its column. Filled anew for every block and without meaning in between;
    /// the atomic wrapper only says that moving it to another thread is harmless.
    table: Vec<AtomicPtr<f64>>,
}

/// The columns of one block while its instructions run.
///
/// Invariant: every pointer of the table is valid for reads of 64 numbers, and from slot
/// `writable` on also for writes; columns of different slots do not overlap; nothing else uses that
/// memory as long as the block lives.
pub(crate) struct Block<'a, const FULL: bool> {
    table: &'a [AtomicPtr<f64>],
    writable: usize,
    chunks: usize,
}

/// 64 numbers that can be read.
#[derive(Clone, Copy)]
pub(crate) struct Column<'b>(*const f64, PhantomData<&'b f64>);

/// 64 numbers that can be written.
#[derive(Clone, Copy)]
pub(crate) struct Target<'b>(*mut f64, PhantomData<&'b f64>);

impl<const FULL: bool> Block<'_, FULL> {
    /// Chunks in use; known to the compiler where the block is full.
    #[inline(always)]
    pub(crate) fn chunks(&self) -> usize {
        if FULL { LANES / CHUNK } else { self.chunks }
    }

    #[inline(always)]
    pub(crate) fn column(&self, slot: Slot) -> Column<'_> {
        Column(self.table[slot as usize].load(Ordering::Relaxed), PhantomData)
    }

    #[inline(always)]
    pub(crate) fn target(&self, slot: Slot) -> Target<'_> {
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
        let n = self.chunks() * CHUNK;
        assert!(n <= LANES);
        // SAFETY: columns are valid for 64 ≥ n numbers while the block is borrowed, here mutably.
        // Those of different slots do not overlap, and every result is a slot of its own.
        let operands = operands.map(|a| unsafe { slice::from_raw_parts(self.column(a).0, n) });
        let results = results.map(|d| unsafe { slice::from_raw_parts_mut(self.target(d).0, n) });
        (operands, results)
    }
}

impl Column<'_> {
    /// Eight numbers.
    #[inline(always)]
    pub(crate) fn chunk(self, k: usize) -> [f64; CHUNK] {
        assert!(k < LANES / CHUNK);
        // SAFETY: the column is valid for reads of 64 numbers while its block is borrowed, and
        // chunk k ends at 8 k + 8 ≤ 64.
        unsafe { self.0.add(k * CHUNK).cast::<[f64; CHUNK]>().read() }
    }
}

impl Target<'_> {
    /// Writes eight numbers.
    #[inline(always)]
    pub(crate) fn set_chunk(self, k: usize, x: [f64; CHUNK]) {
        assert!(k < LANES / CHUNK);
        // SAFETY: the target is valid for writes of 64 numbers while its block is borrowed, and
        // chunk k ends at 8 k + 8 ≤ 64.
        unsafe { self.0.add(k * CHUNK).cast::<[f64; CHUNK]>().write(x) }
    }
}

impl Columns {
    pub(crate) fn new(program: &Program) -> Columns {
        let line = |x: f64| Line([x; LANES]);
        Columns {
            inputs: program.inputs,
            outputs: program.outputs(),
            constants: program.constants.iter().map(|x| line(*x)).collect(),
            temporaries: vec![line(0.0); program.temporaries],
            edge: vec![line(0.0); program.inputs + program.outputs()],
            table: (0..program.slots()).map(|_| AtomicPtr::default()).collect(),
        }
    }

    /// Evaluates at `lanes` points.
    pub(crate) fn run(&mut self, code: Compiled, program: &Program, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        let whole = lanes / LANES * LANES;
        for first in (0..whole).step_by(LANES) {
            let block = self.full(lanes, first, inputs, outputs);
            code.run_full(block, program);
        }
        if whole < lanes {
            self.load_edge(lanes, whole, inputs);
            let block = self.partial(lanes - whole);
            code.run_partial(block, program);
            self.store_edge(lanes, whole, outputs);
        }
    }

    /// The block of the points `first … first + 63`, in place.
    fn full<'a>(&'a mut self, lanes: usize, first: usize, inputs: &'a [f64], outputs: &'a mut [f64]) -> Block<'a, true> {
        assert!(inputs.len() == self.inputs * lanes && outputs.len() == self.outputs * lanes);
        assert!(first + LANES <= lanes);
        let ins = inputs.as_ptr().cast_mut();
        let outs = outputs.as_mut_ptr();
        // in range: the last number read of input i is i lanes + first + 63 < (i + 1) lanes
        self.fill(|i| ins.wrapping_add(i * lanes + first), |o| outs.wrapping_add(o * lanes + first));
        Block { table: &self.table, writable: self.inputs + self.constants.len(), chunks: LANES / CHUNK }
    }

    /// The block of the numbers in `edge`.
    fn partial(&mut self, points: usize) -> Block<'_, false> {
        let edge = self.edge.as_mut_ptr().cast::<f64>();
        let inputs = self.inputs;
        self.fill(|i| edge.wrapping_add(i * LANES), |o| edge.wrapping_add((inputs + o) * LANES));
        Block { table: &self.table, writable: inputs + self.constants.len(), chunks: points.div_ceil(CHUNK) }
    }

    /// Fills the table, in the order of the slots.
    fn fill(&mut self, input: impl Fn(usize) -> *mut f64, output: impl Fn(usize) -> *mut f64) {
        let constants = self.constants.as_mut_ptr().cast::<f64>();
        let temporaries = self.temporaries.as_mut_ptr().cast::<f64>();
        let all = (0..self.inputs)
            .map(input)
            .chain((0..self.constants.len()).map(|k| constants.wrapping_add(k * LANES)))
            .chain((0..self.outputs).map(output))
            .chain((0..self.temporaries.len()).map(|k| temporaries.wrapping_add(k * LANES)));
        for (entry, pointer) in self.table.iter_mut().zip(all) {
            *entry.get_mut() = pointer;
        }
    }

    /// Copies the inputs of the points from `first` on; the last point fills what is left of its
    /// chunk, so that nothing unusual is computed there.
    fn load_edge(&mut self, lanes: usize, first: usize, inputs: &[f64]) {
        let points = lanes - first;
        for (line, column) in self.edge.iter_mut().zip(inputs.chunks_exact(lanes)) {
            line.0[..points].copy_from_slice(&column[first..]);
            line.0[points..points.next_multiple_of(CHUNK)].fill(column[lanes - 1]);
        }
    }

    /// Copies the outputs of the points from `first` on.
    fn store_edge(&self, lanes: usize, first: usize, outputs: &mut [f64]) {
        for (line, column) in self.edge[self.inputs..].iter().zip(outputs.chunks_exact_mut(lanes)) {
            column[first..].copy_from_slice(&line.0[..lanes - first]);
        }
    }
}

/// Code compiled for an instruction set that this machine has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled(Level);

macro_rules! compiled_for {
    ($full:ident, $partial:ident, $point:ident $(, $features:literal)?) => {
        $(#[target_feature(enable = $features)])?
        fn $full(mut block: Block<'_, true>, program: &Program) {
            execute(&mut block, &program.instructions);
        }

        $(#[target_feature(enable = $features)])?
        fn $partial(mut block: Block<'_, false>, program: &Program) {
            execute(&mut block, &program.instructions);
        }

        $(#[target_feature(enable = $features)])?
        fn $point(scalars: &mut Scalars, program: &Program, inputs: &[f64], outputs: &mut [f64]) {
            scalars.run(program, inputs, outputs);
        }
    };
}

compiled_for!(full_baseline, partial_baseline, point_baseline);
#[cfg(target_arch = "x86_64")]
compiled_for!(full_avx2, partial_avx2, point_avx2, "avx2");
#[cfg(target_arch = "x86_64")]
compiled_for!(full_avx512, partial_avx512, point_avx512, "avx512f,avx512dq,avx512vl");

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

    fn run_full(self, block: Block<'_, true>, program: &Program) {
        call!(self.0, full_baseline, full_avx2, full_avx512, block, program);
    }

    fn run_partial(self, block: Block<'_, false>, program: &Program) {
        call!(self.0, partial_baseline, partial_avx2, partial_avx512, block, program);
    }

    /// Evaluates at one point.
    #[inline]
    pub(crate) fn run_point(self, scalars: &mut Scalars, program: &Program, inputs: &[f64], outputs: &mut [f64]) {
        call!(self.0, point_baseline, point_avx2, point_avx512, scalars, program, inputs, outputs);
    }
}
