//! What a sweep may cost.
//!
//! `docs/budgets.md` has all budgets of the program.

/// Ranges of one Sobol sequence. A design with more is refused.
pub(crate) const SOBOL_RANGES: usize = 21;

/// Steps after which there is no Lyapunov exponent: the column is empty.
pub(crate) const LYAPUNOV_STEPS: u64 = 10_000_000;

/// Operations of a step above which code takes too long to make, a tenth of a second or so. Motions then go one after the other.
pub(crate) const STEP_OPERATIONS: usize = 200_000;

/// Samples that are tried for one that can be compiled. Beyond them the sweep is refused with the first mistake.
pub(crate) const COMPILED_SAMPLES: u64 = 16;
