//! What a sweep is asked to do.

use crate::design::Design;
use crate::engine::EngineKind;
use crate::keep::Keep;

/// How the motions are integrated; what is not said is as the model says, or as usual.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// Final time, a number or a formula in the parameters that are not varied.
    pub until: Option<String>,
    /// Relative tolerance of one step.
    pub rtol: Option<f64>,
    /// Absolute tolerance of one step.
    pub atol: Option<f64>,
    /// The integrator.
    pub method: Option<String>,
    /// The form of the equations.
    pub form: Option<String>,
    /// The step of methods that keep it fixed.
    pub step: Option<f64>,
    /// Steps after which a motion is given up.
    pub max_steps: Option<u64>,
    /// Who runs them.
    pub engine: Option<EngineKind>,
}

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
    /// How motions are integrated.
    pub wishes: Wishes,
    /// What is kept of them.
    pub keep: Vec<Keep>,
}
