//! Integrators for ordinary differential equations given as tapes.
//!
//! ```text
//! ẏ = f(t, y)        a tape with inputs t, y₁ … yₙ and outputs ẏ₁ … ẏₙ
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`batch`] | [`TaylorBatch`], [`Dop853Batch`]: many motions side by side |
//! | [`collocation`] | [`Gauss`]: Gauss–Legendre collocation, symplectic, of order 2s |
//! | [`dop853`] | [`Dop853`]: explicit Runge–Kutta of order 8 with step control |
//! | [`drive`] | [`Driver`], [`solve`]: steps, projections, events, an observer |
//! | [`expansion`] | [`Expansion`]: series of a motion, worked out or compiled |
//! | [`field`] | [`VectorField`]: what is integrated |
//! | [`implicit_map`] | [`ImplicitMap`]: one-step maps given by equations |
//! | [`jets`] | [`Jets`]: Taylor series of the values of a tape |
//! | [`roots`] | [`Finder`]: all roots of a function on an interval |
//! | [`segment`] | [`Segment`]: the motion during one step, as a polynomial |
//! | [`stepper`] | [`Stepper`]: what every integrator offers |
//! | [`taylor`] | [`Taylor`]: Taylor series, of any order, in any numbers |
//!
//! Not here: mechanics, files, clocks. Rotations appear as unit vectors in the state
//! ([`Unit`]), constraints as functions that vanish.

pub mod batch;
pub mod collocation;
mod compensation;
pub mod dop853;
pub mod drive;
pub mod expansion;
pub mod field;
pub mod implicit_map;
pub mod jets;
pub mod roots;
pub mod segment;
pub mod stepper;
pub mod taylor;

pub use batch::{Dop853Batch, TaylorBatch};
pub use collocation::Gauss;
pub use dop853::Dop853;
pub use drive::{Driver, Event, Outcome, StopReason, Watch, solve};
pub use expansion::{CompiledJets, Expansion};
pub use field::{KernelField, VectorField};
pub use implicit_map::ImplicitMap;
pub use jets::{JetProgram, Jets};
pub use roots::{Crossing, Finder, Root};
pub use segment::{Basis, Segment};
pub use stepper::{SKETCHED, Statistics, StepError, Stepper, Tolerance, Unit};
pub use taylor::Taylor;
