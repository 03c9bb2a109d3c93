//! Ensembles: many motions of one model, each reduced to a row.
//!
//! ```text
//! Spec: model, what is varied, what is kept ─→ Study ─run(range)→ Rows ─→ Table
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`design`] | [`Design`]: grids, lists, random and low-discrepancy samples, by number |
//! | [`keep`] | [`Keep`]: what is kept of a motion |
//! | [`spec`], [`plan`] | [`Spec`]: what a sweep is asked to do, and as a file |
//! | [`roles`] | [`Roles`]: parameters, initial values and other names that are varied |
//! | [`study`] | [`Study`]: a sweep ready to run |
//! | [`engine`] | [`Engine`]: who runs motions, one after the other |
//! | [`batch`] | the same side by side |
//! | [`work`] | all cores |
//! | [`row`] | [`Row`], [`Status`]: what is left of a motion |
//! | [`shard`] | rows as bytes that survive being cut off anywhere |
//! | [`sha256`] | checksums |
//!
//! Sample i depends on the design, its seed and i, and its row on the sample alone: neither threads nor shards can be seen in the result.
//!
//! Not here: files, the terminal, clocks; pictures.

pub mod batch;
mod budget;
pub mod design;
pub mod engine;
pub mod keep;
mod lyapunov;
mod outline;
mod output;
mod philox;
pub mod plan;
mod reduce;
pub mod roles;
pub mod row;
pub mod sha256;
pub mod shard;
mod sobol;
pub mod spec;
pub mod study;
pub mod work;

pub use batch::BatchEngine;
pub use design::{Axis, BadDesign, Design, Points, Scale, Values};
pub use engine::{Engine, EngineKind, MotionEngine};
pub use keep::{BadKeep, Keep, Of};
pub use output::table;
pub use plan::Plan;
pub use roles::Roles;
pub use row::{Row, STATUS, Status};
pub use shard::{BadShard, Shard};
pub use spec::Spec;
pub use study::{Study, StudyError, Way};
