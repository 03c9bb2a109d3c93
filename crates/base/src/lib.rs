//! What every crate of Polhode stands on: where something was written, how to
//! say that it is wrong, which name was probably meant, and random numbers that
//! are the same on every run.
//!
//! | module | content |
//! | --- | --- |
//! | [`span`] | byte ranges of a text, and their lines and columns |
//! | [`diagnostic`] | errors and warnings as data |
//! | [`render`] | the same as text, with the line and carets under it |
//! | [`suggest`] | "did you mean …?" |
//! | [`ids`] | typed numbers of constraints, events, walls, …, and lists that only they index |
//! | [`random`] | reproducible random numbers |
//! | [`quote`] | strings as JSON and TOML write them |
//!
//! Not here: anything that knows a formula or a file system. The
//! crate has no dependencies and wants none.

pub mod diagnostic;
pub mod ids;
pub mod quote;
pub mod random;
pub mod render;
pub mod span;
pub mod suggest;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Location, Severity, Suggestion};
pub use quote::quoted;
pub use render::Style;
pub use span::{Position, SourceFile, Span};
pub use suggest::closest;
