//! Symmetries of the model, or those that are suggested when it states none, and what can be done next.

use polhode::mechanics::System;
use polhode::prelude::Model;

/// What is known about symmetries.
pub(super) struct Symmetries {
    /// Generators of the model.
    pub(super) stated: Vec<String>,
    /// Generators that were found; only looked for when the model states none, and has a Lagrangian.
    pub(super) found: Vec<String>,
    /// As many of those found as are independent at generic positions and close under brackets: what to write under `[symmetry]`.
    pub(super) suggested: Vec<String>,
    /// Why those of the model do not reduce it.
    pub(super) not_reduced: Option<String>,
    /// There is a Lagrangian, so that there are equations of motion.
    dynamics: bool,
}

impl Symmetries {
    pub(super) fn of(system: &mut System, model: &Model, not_reduced: Option<String>) -> Symmetries {
        let dynamics = model.lagrangian.is_some();
        let stated: Vec<String> = model.symmetries.iter().map(|g| g.text.clone()).collect();
        let (mut found, mut suggested) = (Vec::new(), Vec::new());
        if dynamics && stated.is_empty() {
            let mut fields = system.suggested_symmetries();
            found = fields.iter().map(|f| f.text.clone()).collect();
            // points of contact may move by formulas that are too long to be written
            fields.retain(|f| !f.text.contains("a long expression"));
            let free = system.free_part(fields);
            suggested = free.map_or_else(Vec::new, |s| s.fields.into_iter().map(|f| f.text).collect());
        }
        Symmetries { stated, found, suggested, not_reduced, dynamics }
    }

    /// The lines to paste into the model.
    pub(super) fn toml(&self) -> Option<String> {
        let quoted = |t: &String| if t.starts_with('{') { t.clone() } else { format!("\"{t}\"") };
        let list: Vec<String> = self.suggested.iter().map(quoted).collect();
        (!list.is_empty()).then(|| format!("[symmetry]\ngenerators = [{}]", list.join(", ")))
    }

    /// Commands that apply to the model, without its name.
    pub(super) fn next(&self) -> Vec<&'static str> {
        let mut out = Vec::new();
        if self.dynamics {
            out.push("derive");
            let stated = !self.stated.is_empty() && self.not_reduced.is_none();
            if stated || !self.suggested.is_empty() {
                out.extend(["derive --form ldap", "reduce"]);
            }
            out.push("conserved");
        }
        out
    }
}
