//! What is said about a run besides its results.

use polhode::base::Diagnostic;
use polhode::model::Cause;
use polhode::prelude::*;

/// Warnings about a motion: contacts that pull from the start. Of a body that stands still on what it touches this is the sign of material
/// on the wrong side, which nothing else shows: the equations are the same but for the sign of the normal force.
pub(super) fn after(model: &Model, motion: &Trajectory) -> Diagnostics {
    let mut out = Diagnostics::new();
    if model.gravity.is_none() {
        return out;
    }
    for found in &motion.report.events {
        let event = &motion.compiled().events[found.event];
        if event.cause != Some(Cause::LiftOff) || found.sample.t() != 0.0 || found.crossing != "from the start" {
            continue;
        }
        let Some(own) = model.events.iter().find(|e| e.name == found.name) else { continue };
        let message = "this contact pulls from the start: what touches would lift off at once";
        out.push(
            Diagnostic::warning("pulls-from-start", message)
                .at(own.span, "")
                .note("the motion is that of a body that is held to its surface")
                .help("is the material on the wrong side? `inside = true` turns a surface round, and so does the sign of an `implicit` formula; `bilateral = true` says that it is held"),
        );
    }
    out
}
