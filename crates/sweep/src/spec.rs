//! What a sweep is asked to do.

use crate::design::Design;
use crate::engine::EngineKind;
use crate::keep::Keep;
use polhode_model::RunSettings;

/// What a sweep is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// The model: a file, or the name of a built-in one.
    pub model: String,
    /// Parameters that are set for all motions: name and formula.
    pub set: Vec<(String, String)>,
    /// Initial values that are set for all motions.
    pub init: Vec<(String, String)>,
    /// What is varied.
    pub design: Design,
    /// What is wished about every motion, before what the model says.
    pub settings: RunSettings,
    /// Who runs them; without a wish, whoever can do it faster.
    pub engine: Option<EngineKind>,
    /// What is kept of them.
    pub keep: Vec<Keep>,
}
