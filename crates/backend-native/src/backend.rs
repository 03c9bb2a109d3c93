//! The backend and its kernels.

use crate::assemble::{Columns, Width};
use crate::code::{Code, Forbidden};
use crate::contract::Contractions;
use crate::level::Level;
use crate::lower::{lower, lower_bundled};
use crate::steps::{SideBySide, Steps};
use polhode_backend_simd::check;
use polhode_tape::{Backend, Bundled, Kernel, Tape};
use std::fmt;

/// Why there is no machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAvailable {
    /// The machine is no x86-64 with AVX2, or lacks the level that was asked for.
    InstructionSet(Option<Level>),
    /// The machine has no fused multiply-add.
    Contraction,
    /// The system gives no memory that can be written and then executed.
    Memory,
    /// The code computes something else than the interpreter. This is our mistake.
    Wrong,
}

impl fmt::Display for NotAvailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAvailable::InstructionSet(None) => {
                f.write_str("this machine has no instruction set that code is made for")
            }
            NotAvailable::InstructionSet(Some(level)) => write!(f, "this machine has no {level}"),
            NotAvailable::Contraction => f.write_str("this machine has no fused multiply-add"),
            NotAvailable::Memory => f.write_str("the system allows no machine code to be made"),
            NotAvailable::Wrong => {
                f.write_str("the machine code disagrees with the interpreter: a mistake of Polhode's, please report it")
            }
        }
    }
}

impl std::error::Error for NotAvailable {}

impl From<Forbidden> for NotAvailable {
    fn from(_: Forbidden) -> Self {
        NotAvailable::Memory
    }
}

/// The compiler to machine code.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    level: Level,
    many: bool,
    /// Points side by side at most, if the level has as many.
    most: Width,
    packed: bool,
    contract: bool,
}

impl Native {
    /// With the best instructions of this machine.
    pub fn new() -> Result<Native, NotAvailable> {
        let level = Level::best().ok_or(NotAvailable::InstructionSet(None))?;
        Ok(Native { level, many: true, most: Width::Eight, packed: false, contract: false })
    }

    /// With the instructions of a level, if the machine has them.
    pub fn with(level: Level) -> Result<Native, NotAvailable> {
        match level.is_available() {
            true => Ok(Native { level, many: true, most: Width::Eight, packed: false, contract: false }),
            false => Err(NotAvailable::InstructionSet(Some(level))),
        }
    }

    /// Kernels for single motions: half the code, since many points are evaluated one by one.
    pub fn single(self) -> Native {
        Native { many: false, ..self }
    }

    /// Four points side by side at most, for a few points now and then amid other work: code for eight lowers
    /// the clock of some processors, and not for itself alone.
    pub fn narrow(self) -> Native {
        Native { most: Width::Four, ..self }
    }

    /// Two points side by side, in vectors of 16 bytes: what other processors have, and the shortest code for pairs.
    pub fn pairs(self) -> Native {
        Native { most: Width::Two, ..self }
    }

    /// Faster for just as many points as there are lanes, slower for other numbers of points, which
    /// are copied.
    pub fn packed(self) -> Native {
        Native { packed: true, ..self }
    }

    /// How many points are evaluated side by side.
    pub fn lanes(&self) -> usize {
        if self.many { self.width().lanes() } else { 1 }
    }

    fn width(&self) -> Width {
        match (self.level, self.most) {
            (Level::Avx2, Width::Eight) => Width::Four,
            (_, most) => most,
        }
    }

    /// Products that only a sum reads are added unrounded, if the machine can do that. Results are
    /// then a little more accurate and no longer those of other evaluators.
    pub fn contracted(self) -> Result<Native, NotAvailable> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("fma") {
            return Ok(Native { contract: true, ..self });
        }
        Err(NotAvailable::Contraction)
    }

    /// How many operations of a bundle are done side by side for a single point.
    pub fn side_by_side(&self) -> usize {
        self.bundle_width().count()
    }

    fn bundle_width(&self) -> SideBySide {
        match self.width() {
            Width::Eight => SideBySide::Eight,
            Width::Four => SideBySide::Four,
            Width::One | Width::Two => SideBySide::Two,
        }
    }

    /// Makes a tape ready for single points, with its bundles in vectors.
    pub fn prepare_bundled(&self, bundled: &Bundled) -> Result<NativeKernel, NotAvailable> {
        let contractions = self.contractions(&bundled.tape);
        let steps = lower_bundled(&bundled.tape, &contractions, &bundled.bundles, self.bundle_width());
        self.single().kernel(&bundled.tape, &contractions, &steps)
    }

    fn contractions(&self, tape: &Tape) -> Contractions {
        if self.contract { Contractions::all(tape) } else { Contractions::none(tape) }
    }

    fn kernel(&self, tape: &Tape, contractions: &Contractions, steps: &Steps) -> Result<NativeKernel, NotAvailable> {
        let (inputs, outputs) = (tape.inputs.len(), tape.outputs.len());
        let columns = if self.packed { Columns::Packed } else { Columns::Strided };
        let make = |width| Code::new(steps, self.level, width, columns, inputs, outputs);
        let lanes = self.lanes();
        let mut kernel = NativeKernel {
            inputs,
            outputs,
            packed: self.packed,
            one: make(Width::One)?,
            many: if self.many { Some(make(self.width())?) } else { None },
            few_inputs: vec![0.0; inputs * lanes],
            few_outputs: vec![0.0; outputs * lanes],
        };
        let agrees = check::agrees(tape, |k| contractions.product_of(k), &mut kernel);
        if agrees { Ok(kernel) } else { Err(NotAvailable::Wrong) }
    }

    /// The level in use.
    pub fn level(&self) -> Level {
        self.level
    }
}

impl Backend for Native {
    type Kernel = NativeKernel;
    type Error = NotAvailable;

    fn name(&self) -> String {
        let single = if self.many { "" } else { " single" };
        let most = match self.most {
            Width::Eight => "",
            Width::Four => " narrow",
            Width::One | Width::Two => " pairs",
        };
        let packed = if self.packed { " packed" } else { "" };
        let contracted = if self.contract { " contracted" } else { "" };
        format!("native {}{single}{most}{packed}{contracted}", self.level)
    }

    fn prepare(&self, tape: &Tape) -> Result<NativeKernel, NotAvailable> {
        let contractions = self.contractions(tape);
        self.kernel(tape, &contractions, &lower(tape, &contractions))
    }
}

/// A tape as machine code: for one point and, unless for single motions, for two, four or eight.
/// Copies share the code.
#[derive(Clone, Debug)]
pub struct NativeKernel {
    inputs: usize,
    outputs: usize,
    packed: bool,
    one: Code,
    many: Option<Code>,
    /// Numbers of points that are fewer than the code works on.
    few_inputs: Vec<f64>,
    few_outputs: Vec<f64>,
}

impl Kernel for NativeKernel {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn outputs(&self) -> usize {
        self.outputs
    }

    #[inline]
    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        if lanes == 1 {
            self.one.run_one(inputs, outputs);
        } else {
            assert_eq!(inputs.len(), self.inputs * lanes, "numbers of all inputs");
            assert_eq!(outputs.len(), self.outputs * lanes, "numbers of all outputs");
            self.evaluate_many(lanes, inputs, outputs);
        }
    }
}

impl NativeKernel {
    fn evaluate_many(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        let Some(many) = &mut self.many else {
            for l in 0..lanes {
                gather(inputs, lanes, l, 1, &mut self.few_inputs);
                self.one.run_one(&self.few_inputs, &mut self.few_outputs);
                scatter(&self.few_outputs, 1, lanes, l, outputs);
            }
            return;
        };
        let width = many.lanes();
        if lanes == width {
            many.run_blocks(width, 0, 1, inputs, outputs);
        } else if self.packed {
            for first in (0..lanes).step_by(width) {
                gather(inputs, lanes, first, width, &mut self.few_inputs);
                many.run_blocks(width, 0, 1, &self.few_inputs, &mut self.few_outputs);
                scatter(&self.few_outputs, width, lanes, first, outputs);
            }
        } else if lanes >= width {
            let blocks = lanes / width;
            many.run_blocks(lanes, 0, blocks, inputs, outputs);
            if blocks * width < lanes {
                // the last block repeats some points of the one before
                many.run_blocks(lanes, lanes - width, 1, inputs, outputs);
            }
        } else if lanes > 0 {
            gather(inputs, lanes, 0, width, &mut self.few_inputs);
            many.run_blocks(width, 0, 1, &self.few_inputs, &mut self.few_outputs);
            scatter(&self.few_outputs, width, lanes, 0, outputs);
        }
    }
}

/// Copies `width` points from `first` on; the last point stands in for those that are missing.
fn gather(inputs: &[f64], lanes: usize, first: usize, width: usize, block: &mut [f64]) {
    for (to, column) in block.chunks_exact_mut(width).zip(inputs.chunks_exact(lanes)) {
        (0..width).for_each(|l| to[l] = column[(first + l).min(lanes - 1)]);
    }
}

/// Copies the points of a block back, as many as there are.
fn scatter(block: &[f64], width: usize, lanes: usize, first: usize, outputs: &mut [f64]) {
    for (from, column) in block.chunks_exact(width).zip(outputs.chunks_exact_mut(lanes)) {
        let n = width.min(lanes - first);
        column[first..first + n].copy_from_slice(&from[..n]);
    }
}
