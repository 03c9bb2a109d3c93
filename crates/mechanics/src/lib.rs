//! Nonholonomic mechanics: from a resolved model to equations of motion in every classical form.
mod dense;
pub mod distribution;
pub mod equation;
pub mod forms;
pub mod frame;
mod positivity;
pub mod system;
pub mod verify;

pub use distribution::{Distribution, Row};
pub use equation::FrameEquation;
pub use forms::{Balance, Equations, Form, Named, NotApplicable, Reaction};
pub use frame::{Frame, Leg};
pub use system::System;
pub use verify::{Verification, verify};
