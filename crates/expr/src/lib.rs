//! placeholder
mod calculus;
pub mod equal;
pub mod eval;
mod graph;
pub mod number;
mod op;
pub mod random;
mod tree;
pub use calculus::Rates;
pub use equal::{Evidence, Verdict};
pub use graph::*;
pub use tree::{Head, Tree};
