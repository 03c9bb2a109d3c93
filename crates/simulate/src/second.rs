//! A second form, where the one that was chosen fails on the way.

use crate::run::Method;
use crate::switch::Refusal;
use crate::trajectory::{StopReason, Trajectory};
use polhode_mechanics::Form;

/// A motion that told why it ended is only surpassed by one that comes farther by this part.
const MORE: f64 = 1e-6;

impl Trajectory {
    /// The form to try if this one was nobody's wish and failed on the way.
    pub fn other_form(&self) -> Option<Form> {
        // multipliers have no definite value where constraints lose rank; that forces grow without bound shows in every form
        let failed = match &self.report.stop {
            StopReason::NotFinite | StopReason::StepTooSmall | StopReason::NoConvergence => true,
            StopReason::SingularFrame { .. } => true,
            StopReason::Impasse(refusal) => *refusal == Refusal::UnboundedForce,
            _ => false,
        };
        (failed && self.report.method != Method::Discrete).then(|| self.compiled().program.form.fallback())
    }

    /// Whether this motion came farther than a first try: for one that told why it ended, by more than the last steps towards a singularity.
    pub fn reaches_farther(&self, first: &Trajectory) -> bool {
        let told = matches!(first.report.stop, StopReason::Impasse(_));
        let least = first.report.t.abs() * if told { 1.0 + MORE } else { 1.0 };
        self.report.t.abs() > least || told && self.report.stop == StopReason::End
    }
}
