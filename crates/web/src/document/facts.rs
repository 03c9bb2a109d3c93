//! What is known about a model in a few lines: integrals, symmetries, the constraints, the friction that its contacts need.
//!
//! Only what is found within seconds; `polhode conserved`, `check` and `reduce` have the rest.

use super::Prepared;
use polhode::mechanics::doctor::{Classification, Flag};
use polhode::mechanics::noether::{Flow, Integral, Kind, Origin, Search, search};
use polhode::mechanics::{System, examine};
use polhode::plot::number::short;
use polhode::prelude::{Trajectory, print};
use polhode::simulate::{Group, Span, Variable};
use serde_json::{Value, json};

/// The facts; those about contacts need a motion.
pub(super) fn of(prepared: &mut Prepared, motion: Option<&Trajectory>) -> Value {
    let symmetry = symmetry(&mut prepared.system.clone());
    json!({
        "conserved": conserved(&mut prepared.system.clone()),
        "symmetry": symmetry,
        "check": check(&mut prepared.system),
        "friction": motion.and_then(|m| friction(prepared, m)),
    })
}

fn conserved(system: &mut System) -> Vec<Value> {
    let flow = Flow::new(system);
    let found = search(system, &flow, &Search::default());
    let shown = |i: &Integral| {
        let latex = i.tree.as_ref().map_or("\\text{too long to show}".to_owned(), |t| print::latex(&system.graph, t));
        let text = i.tree.as_ref().map_or("too long to show".to_owned(), |t| print::text(&system.graph, t));
        json!({ "latex": latex, "text": text, "why": why(i) })
    };
    found.integrals.iter().map(shown).collect()
}

/// What an integral is.
fn why(i: &Integral) -> String {
    let what = match (&i.kind, &i.origin) {
        (Kind::Energy, _) => "energy".to_owned(),
        (Kind::MovingEnergy, _) => "moving energy".to_owned(),
        (Kind::Quadratic, _) => "quadratic in the velocities".to_owned(),
        (Kind::Position, _) => "a function of the position: a holonomic constraint".to_owned(),
        (_, Some(Origin::Momentum { symmetries, .. })) => format!("momentum of {}", symmetries.join(", ")),
        (_, Some(Origin::Gauge)) => {
            "gauge momentum: along symmetries, with coefficients that depend on the position".to_owned()
        }
        _ => "linear in the velocities".to_owned(),
    };
    if i.independent { what } else { format!("{what}; a function of those above") }
}

/// The generators of the model, or those that are found.
fn symmetry(system: &mut System) -> Option<String> {
    let model = system.model.clone();
    if !model.symmetries.is_empty() {
        let stated: Vec<&str> = model.symmetries.iter().map(|g| g.text.as_str()).collect();
        let group = model.symmetry_group.as_ref().map_or(String::new(), |g| format!("{g}: "));
        return Some(format!("{group}{}", stated.join(", ")));
    }
    let found: Vec<String> = system.suggested_symmetries().into_iter().map(|f| f.text).collect();
    (!found.is_empty()).then(|| format!("found: {}", found.join(", ")))
}

/// The doctor's verdict in lines.
fn check(system: &mut System) -> Vec<Value> {
    let report = examine(system);
    let mut out = Vec::new();
    let mut put = |label: &str, text: String| out.push(json!({ "label": label, "text": text }));
    let kind = if report.affine { "affine" } else { "linear" };
    let time = if report.rheonomic { ", time-dependent" } else { "" };
    if report.constraints > 0 {
        put("constraints", format!("{}, {kind} in the velocities{time}", report.constraints));
        put("rank", format!("{} at generic points", report.rank));
        if !report.redundant.is_empty() {
            put("redundant", report.redundant.join(", "));
        }
        match &report.singular.components {
            Some(parts) if parts.is_empty() => put("rank falls", "nowhere".to_owned()),
            Some(parts) => put("rank falls", format!("on {} sets; `polhode check` shows them", parts.len())),
            None => {}
        }
    }
    if let Some(verdict) = report.verdict() {
        let words = match verdict.classification {
            Classification::Unconstrained => "no constraint is left",
            Classification::Holonomic => "holonomic: equivalent to constraints on the position",
            Classification::SemiHolonomic { .. } => "semi-holonomic: some combinations restrict the position",
            Classification::Nonholonomic => "nonholonomic: every position can be reached",
        };
        put("by Frobenius", words.to_owned());
        put("growth vector", dimensions(&verdict.flags.growth));
    }
    if !report.classes.is_empty() {
        put("class", report.classes.join(", "));
    }
    let names = |list: &[String]| list.iter().map(|n| print::unicode_name(n)).collect::<Vec<_>>().join(", ");
    put("independent", names(&report.independent));
    if !report.dependent.is_empty() {
        put("dependent", names(&report.dependent));
        let chaplygin = match &report.chaplygin {
            Ok(()) => "applies".to_owned(),
            Err(reason) => format!("does not apply: {reason}"),
        };
        put("Chaplygin", chaplygin);
    }
    out
}

fn dimensions(flag: &Flag) -> String {
    let numbers: Vec<String> = flag.dimensions.iter().map(usize::to_string).collect();
    format!("({}{})", numbers.join(", "), if flag.complete { "" } else { ", …" })
}

/// How much friction the contacts need along the motion.
fn friction(prepared: &Prepared, motion: &Trajectory) -> Option<String> {
    let compiled = motion.compiled();
    let range = |name: &str| {
        let of = |v: &&Variable| v.group == Group::Derived && v.name == name;
        compiled.variables.iter().find(of).map(|v| &motion.report.ranges[v.numbers.start])
    };
    let contacts = &prepared.model.contacts;
    let mut parts: Vec<(String, &str)> = contacts.iter().map(|c| (c.part("mu_required"), c.name.as_str())).collect();
    if parts.is_empty() {
        parts.push(("mu_required".to_owned(), ""));
    }
    let lines: Vec<String> = (parts.iter())
        .filter_map(|(name, contact)| {
            let mu = range(name)?;
            // where the normal force vanishes there is no bound to the friction that is needed
            let lifts = range(&name.replace("mu_required", "normal_force")).is_some_and(Span::comes_to_nothing);
            let at = if contact.is_empty() { String::new() } else { format!("{contact}: ") };
            Some(match lifts {
                true => format!("{at}the normal force vanishes on the way"),
                false => format!("{at}rolling needs μ ≥ {} (at t = {})", short(mu.high, 4), short(mu.high_at, 4)),
            })
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

#[cfg(test)]
mod tests {
    use crate::document::{Wish, facts_document};

    #[test]
    fn the_disk_has_its_facts() {
        let wish = Wish::new("rolling-disk.toml", polhode::builtin::find("rolling-disk").unwrap().text);
        let facts = facts_document(&wish).unwrap();
        assert_eq!(facts["conserved"][0]["why"], "energy");
        assert!(facts["symmetry"].as_str().unwrap().contains("d/dpsi"));
        assert!(facts["friction"].as_str().unwrap().contains("μ ≥"));
        let labels: Vec<&str> =
            facts["check"].as_array().unwrap().iter().map(|c| c["label"].as_str().unwrap()).collect();
        assert!(labels.contains(&"by Frobenius"), "{labels:?}");
    }
}
