//! Tapes: flat numeric programs with named inputs and outputs.
//!
//! A tape is the meeting point of equations and machines. It is a straight line of operations in
//! which every value is computed once, from earlier values:
//!
//! ```text
//! inputs x₁ … xₙ  →  v₀ = op(…), v₁ = op(…), …  →  outputs y₁ … y_m
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | `op` | [`Op`], [`Value`]: the operations |
//! | `tape` | [`Tape`]: a program |
//! | [`build`] | [`Builder`]: programs in which nothing is computed twice |
//! | [`passes`] | transformations: fixed inputs, dead code, shared divisions, order, derivatives |
//! | [`text`] | the text form, which reads back |
//! | [`verify`] | what well-formed means |
//! | [`scalar`] | [`Scalar`]: the numbers a tape can be evaluated in |
//! | [`double_double`] | [`Dd`]: numbers of 31 digits |
//! | [`reference`] | the obvious interpreter |
//! | [`kernel`] | [`Kernel`], [`Backend`]: what every evaluator offers |
//! | `conformance` | the test suite of backends (a feature) |
//!
//! Not here: mechanics. A tape has inputs, not coordinates.

pub mod build;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod double_double;
pub mod kernel;
mod op;
pub mod passes;
pub mod reference;
pub mod scalar;
mod tape;
pub mod text;
pub mod verify;

pub use build::Builder;
pub use double_double::Dd;
pub use kernel::{Backend, Kernel};
pub use op::{Op, Value};
pub use reference::Interpreter;
pub use scalar::Scalar;
pub use tape::{Output, Tape};
pub use text::TextError;
pub use verify::{Malformed, verify};
