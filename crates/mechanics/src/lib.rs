//! Nonholonomic mechanics: from a resolved model to equations of motion in every classical form.
//!
//! ```text
//! Model ─System::new→ System ─equations(form)→ Equations ─Sheet::new→ text, LaTeX, code
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`system`] | a system with its constraints solved, and what is wrong with a model |
//! | [`distribution`] | admissible velocities |
//! | [`frame`] | moving frames and their brackets |
//! | [`equation`] | **the frame equation (H)**: the one source of equations of motion |
//! | [`forms`] | the classical forms as frames plus presentation |
//! | [`verify`] | all forms agree, at random states in 50 digits |
//! | [`doctor`] | rank, redundancy, independent velocities |
//! | [`initial`] | initial states that satisfy the constraints |
//! | [`sheet`] | equations as they are shown |
//!
//! Not here: floating point beyond checks at single states, files, the terminal.

mod dense;
pub mod distribution;
pub mod doctor;
pub mod equation;
pub mod forms;
pub mod frame;
pub mod initial;
mod positivity;
pub mod sheet;
mod surface;
pub mod system;
pub mod verify;

pub use distribution::{Distribution, Row};
pub use doctor::{Report, examine};
pub use equation::FrameEquation;
pub use forms::{Balance, Equations, Form, Named, NotApplicable, Reaction};
pub use frame::{Frame, Leg};
pub use initial::{InitialState, initial_state};
pub use sheet::{Left, Line, Section, Sheet};
pub use system::System;
pub use verify::{Verification, verify};
