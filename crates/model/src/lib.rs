//! Model files: from text to a tree with names and dimensions resolved.
//!
//! ```text
//! text ─syntax→ TOML tree with formulas ─resolve→ Model
//! ```
//!
//! [`Model::parse`] is the whole road. It gives a [`Model`] with warnings, or the
//! mistakes it found, each with a stable name, a place and advice. The language is
//! described in `docs/model-language.md`.
//!
//! ```
//! use polhode_model::{Model, ParseOptions};
//!
//! let text = r#"
//! title = "Chaplygin sleigh"
//! [parameters]
//! m = 1
//! J = 0.5
//! [coordinates]
//! x = "real"
//! y = "real"
//! theta = "angle"
//! [lagrangian]
//! kinetic = "m/2*(x'^2 + y'^2) + J/2*theta'^2"
//! [constraints]
//! blade = "x'*sin(theta) = y'*cos(theta)"
//! "#;
//! let (model, warnings) = Model::parse("sleigh.toml", text, &ParseOptions::default())?;
//! assert!(warnings.is_empty());
//! assert_eq!(model.name, "sleigh");
//! assert_eq!(model.configuration.dimension(), 3);
//! assert_eq!(model.constraints[..][0].name, "blade");
//! # Ok::<(), polhode_model::Rejected>(())
//! ```
//!
//! Not here: whether constraints are linear, redundant or contradictory, and whether
//! the kinetic energy determines the motion; that is mechanics.

mod appearance;
mod configuration;
mod contact;
mod model;
mod neumann;
mod regions;
mod resolve;
pub mod run;
pub mod switching;
pub mod syntax;

pub use appearance::{Appearance, ArrowKind, ContactAppearance, Figure, Look, Outline, Pose, SideAppearance, Solid};
pub use configuration::{Configuration, Factor, Interval, PlaneMotion, Rotation, Translation};
pub use contact::{Changes, Contact, ContactSide, Correction, Owner, SLIDES};
pub use model::{
    Action, Body, Cause, Constraint, DIGITS, Direction, Event, Generator, InitialValue, Model, Parameter, ParseOptions,
    QuasiVelocity, Rejected,
};
pub use neumann::{ChartChoice, Charts};
pub use regions::Region;
pub use resolve::ReadSettings;
pub use run::{BadSetting, Form, Method, Precision, RunSettings, Setting};
pub use switching::{Border, Condition, ConstraintSet, Friction, Latch, Sides, Wall};
