//! From equations of motion to tapes: the one place where both halves meet.
//!
//! ```text
//! System + Equations  ─lower→  Program: tapes for ẏ = f(t, y), for what is reported, for events,
//!                                       and for the way back to the constraints
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | `expression` | graph nodes to operations |
//! | [`state`] | what a state vector consists of; rotations as unit quaternions |
//! | [`program`] | [`Program`]: all tapes of a system in one form |
//! | [`discrete`] | the discrete Lagrange–d'Alembert equations |
//! | `impact` | metric, rows and functions for jumps of the velocities |
//! | `digits` | exact numbers to double-doubles |
//!
//! Not here: running anything.

mod digits;
pub mod discrete;
mod expression;
pub mod impact;
pub mod program;
pub mod state;

pub use digits::dd;
pub use discrete::{Discrete, NotDiscrete, lower_discrete};
pub use expression::{NotLowered, lower_functions};
pub use impact::{Impact, lower_impact};
pub use program::{Program, Report, Watched, lower};
