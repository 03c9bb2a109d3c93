//! What every evaluator of tapes offers.
//!
//! A [`Backend`] turns a tape into a [`Kernel`]: an interpreter makes tables, a compiler makes
//! machine code, a device uploads. A kernel evaluates at any number of points ("lanes") per call;
//! numbers of one input stand side by side:
//!
//! ```text
//! inputs[i·lanes + l]   input i at point l        outputs[o·lanes + l]   output o at point l
//! ```
//!
//! so that one lane is an ordinary call with plain slices.

use crate::tape::Tape;

/// A tape made ready to run in doubles.
pub trait Kernel: Send {
    /// Number of inputs.
    fn inputs(&self) -> usize;
    /// Number of outputs.
    fn outputs(&self) -> usize;
    /// Evaluates at `lanes` points at once. Allocates nothing once a call with as many lanes was
    /// made before. The slices have exactly `inputs()·lanes` and `outputs()·lanes` numbers.
    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]);
}

impl<K: Kernel + ?Sized> Kernel for Box<K> {
    fn inputs(&self) -> usize {
        (**self).inputs()
    }

    fn outputs(&self) -> usize {
        (**self).outputs()
    }

    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        (**self).evaluate(lanes, inputs, outputs);
    }
}

/// A way to run tapes.
pub trait Backend {
    /// Its kernels.
    type Kernel: Kernel;
    /// Why a tape cannot be run, such as "no such instruction set here".
    type Error: std::error::Error;
    /// Its name, such as `simd avx512`.
    fn name(&self) -> String;
    /// Makes a tape ready.
    fn prepare(&self, tape: &Tape) -> Result<Self::Kernel, Self::Error>;
}
