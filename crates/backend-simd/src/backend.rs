//! The backend and its kernels.

use crate::columns::{Columns, Compiled};
use crate::level::{Level, Unavailable};
use crate::program::{Program, TooLarge};
use crate::scalar::Scalars;
use polhode_tape::{Backend, Kernel, Tape};

/// The vectorised interpreter.
#[derive(Clone, Copy, Debug)]
pub struct Simd {
    code: Compiled,
}

impl Simd {
    /// With the widest vectors of this machine.
    pub fn new() -> Simd {
        Simd::with(Level::best()).expect("the best level was found available")
    }

    /// With the vectors of a level, if the machine has them.
    pub fn with(level: Level) -> Result<Simd, Unavailable> {
        Ok(Simd { code: Compiled::new(level)? })
    }

    /// The level in use.
    pub fn level(&self) -> Level {
        self.code.level()
    }
}

impl Default for Simd {
    fn default() -> Simd {
        Simd::new()
    }
}

impl Backend for Simd {
    type Kernel = SimdKernel;
    type Error = TooLarge;

    fn name(&self) -> String {
        format!("simd {}", self.level())
    }

    fn prepare(&self, tape: &Tape) -> Result<SimdKernel, TooLarge> {
        let program = Program::new(tape)?;
        let (columns, scalars) = (Columns::new(&program), Scalars::new(&program));
        Ok(SimdKernel { code: self.code, program, columns, scalars })
    }
}

/// A tape made ready: instructions, and room for one point and for 64.
#[derive(Debug)]
pub struct SimdKernel {
    code: Compiled,
    program: Program,
    columns: Columns,
    scalars: Scalars,
}

impl Kernel for SimdKernel {
    fn inputs(&self) -> usize {
        self.program.inputs
    }

    fn outputs(&self) -> usize {
        self.program.outputs()
    }

    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        assert_eq!(inputs.len(), self.inputs() * lanes, "numbers of all inputs");
        assert_eq!(outputs.len(), self.outputs() * lanes, "numbers of all outputs");
        if lanes == 1 {
            self.code.run_point(&mut self.scalars, &self.program, inputs, outputs);
        } else {
            self.columns.run(self.code, &self.program, lanes, inputs, outputs);
        }
    }
}
