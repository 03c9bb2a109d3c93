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
//! | [`momenta`] | **∂L/∂v and ∂²L/∂v²**: the one place that takes them |
//! | [`energy`] | energy and the power that changes it |
//! | [`restoration`] | back to the constraints by projection |
//! | [`charts`] | where a choice of independent velocities is good, and others to go on with |
//! | [`preferred`] | which form to integrate |
//! | [`along`] | what accelerations and multipliers are along a motion |
//! | [`projected`] | the same accelerations, written otherwise |
//! | [`lift`] | which positions must be integrated |
//! | [`discrete`] | **the discrete Lagrange–d'Alembert principle** |
//! | [`verify()`] | all forms agree, at random states in 50 digits |
//! | [`rank`] | ranks at exact points, and parameters that change them |
//! | [`symmetry`] | generators, their invariance, suggestions |
//! | [`reduction`] | the Lagrange–d'Alembert–Poincaré frame and equations |
//! | [`initial`] | initial states that satisfy the constraints |
//! | [`sheet`] | equations as they are shown |
//!
//! ```
//! use polhode_mechanics::{Form, System};
//! use polhode_model::{Model, ParseOptions};
//!
//! let text = r#"
//! [parameters]
//! m = 1
//! [coordinates]
//! x = "real"
//! y = "real"
//! z = "real"
//! [lagrangian]
//! kinetic = "m/2*(x'^2 + y'^2 + z'^2)"
//! [constraints]
//! contact = "z' = y*x'"
//! "#;
//! let (model, _) = Model::parse("particle.toml", text, &ParseOptions::default())?;
//! let (mut system, _) = System::new(&model)?;
//! let equations = system.equations(Form::Voronets)?;
//!
//! // x'' = −y x' y'/(1 + y²), by the exact equality test
//! let wanted = model.formula(&mut system.graph, "-y*x'*y'/(1 + y^2)")?[0];
//! assert!(system.graph.equal(equations.rates[0], wanted).is_equal());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not here: what is said about a system besides its equations (`polhode-analysis`), floating point beyond checks at single states, files, the terminal.

pub mod along;
mod budget;
pub mod charts;
mod dense;
pub mod discrete;
pub mod distribution;
pub mod energy;
pub mod equation;
pub mod forms;
pub mod frame;
pub mod initial;
pub mod lift;
pub mod momenta;
mod positivity;
pub mod preferred;
pub mod projected;
pub mod rank;
pub mod reduction;
pub mod restoration;
pub mod sheet;
pub mod surface;
pub mod symmetry;
pub mod system;
pub mod verify;

pub use charts::{Atlas, Chart, Growth};
pub use dense::solve_any;
pub use distribution::{Distribution, Row};
pub use energy::Power;
pub use equation::FrameEquation;
pub use forms::{Balance, Equations, Form, Named, NotApplicable, Reaction};
pub use frame::{Frame, Leg};
pub use initial::{Inconsistent, InitialState, initial_state, initial_state_with};
pub use projected::Projected;
pub use reduction::{Connection, NotReducible, Poincare, PoincareEquation, Reduction};
pub use restoration::Restoration;
pub use sheet::{Left, Line, Object, Pairing, Section, Sheet};
pub use symmetry::{Field, Symmetry};
pub use system::System;
pub use verify::{Verification, verify};
