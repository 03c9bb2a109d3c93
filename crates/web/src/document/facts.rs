//! What is known about a model in a few lines: integrals, symmetries, the constraints, the friction that its contacts need.
//!
//! Only what is found in time: each part is computed on a thread of its own, and what has no answer at the deadline is left out and says so; of the
//! integrals those are shown that were found until then. `polhode conserved`, `check` and `reduce` have the rest.

use super::{Prepared, STACK};
use polhode::analysis::doctor::{Classification, Flag};
use polhode::analysis::examine;
use polhode::analysis::noether::{Flow, Integral, Kind, Origin, Search, search_telling};
use polhode::mechanics::System;
use polhode::plot::number::short;
use polhode::prelude::{Trajectory, print};
use polhode::simulate::{Group, Span, Variable};
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Parts of the facts that are being computed.
pub(super) struct Facts {
    conserved: Receiver<Told>,
    symmetry: Receiver<Option<String>>,
    check: Receiver<Vec<Value>>,
}

/// What a search for integrals tells.
enum Told {
    /// One more.
    One(Value),
    /// The end, with everything that is known then.
    All(Vec<Value>),
}

/// Begins to compute.
pub(super) fn begin(prepared: &Prepared) -> Facts {
    Facts {
        conserved: aside(prepared, conserved),
        symmetry: aside(prepared, |system, send| drop(send.send(symmetry(system)))),
        check: aside(prepared, |system, send| drop(send.send(check(system)))),
    }
}

/// A computation on a thread of its own. One that nobody waits for any more ends with the process.
fn aside<T: Send + 'static>(prepared: &Prepared, compute: fn(&mut System, &Sender<T>)) -> Receiver<T> {
    let (send, receive) = channel();
    let mut system = prepared.system.clone();
    // where there is no thread to be had nobody sends, and the part is left out
    let _ = std::thread::Builder::new().stack_size(STACK).spawn(move || compute(&mut system, &send));
    receive
}

impl Facts {
    /// The facts that are there at the deadline; those about contacts need a motion.
    pub(super) fn by(self, deadline: Option<Instant>, prepared: &Prepared, motion: Option<&Trajectory>) -> Value {
        let (mut conserved, mut complete) = (Vec::new(), false);
        while let Some(told) = receive(&self.conserved, deadline) {
            match told {
                Told::One(integral) => conserved.push(integral),
                Told::All(all) => {
                    (conserved, complete) = (all, true);
                    break;
                }
            }
        }
        let check = receive(&self.check, deadline);
        json!({
            "conserved": conserved,
            "conserved_complete": complete,
            "symmetry": receive(&self.symmetry, deadline).flatten(),
            "check": check.unwrap_or_default(),
            "friction": motion.and_then(|m| friction(prepared, m)),
        })
    }
}

/// The next of what a thread sends, if it comes in time.
fn receive<T>(from: &Receiver<T>, deadline: Option<Instant>) -> Option<T> {
    match deadline {
        None => from.recv().ok(),
        Some(end) => {
            let left = end.checked_duration_since(Instant::now()).unwrap_or(Duration::ZERO);
            from.recv_timeout(left).ok()
        }
    }
}

fn conserved(system: &mut System, send: &Sender<Told>) {
    let flow = Flow::new(system);
    let mut count = 0;
    let mut tell = |system: &System, i: &Integral| {
        count += 1;
        drop(send.send(Told::One(shown(system, count, i))));
    };
    let found = search_telling(system, &flow, &Search::default(), &mut tell);
    let all = found.integrals.iter().enumerate().map(|(k, i)| shown(system, k + 1, i));
    drop(send.send(Told::All(all.collect())));
}

/// The integral of some number: the energy by its letter, others as F₂, F₃, …
fn shown(system: &System, number: usize, i: &Integral) -> Value {
    let left = if i.kind == Kind::Energy { "E".to_owned() } else { format!("F_{{{number}}}") };
    let long = || "too long to show".to_owned();
    let latex = match &i.tree {
        Some(tree) => print::latex_equation(&system.graph, (&left, None), tree, print::PAGE),
        None => format!("{left} = \\text{{{}}}", long()),
    };
    let text = i.tree.as_ref().map_or_else(long, |t| print::text(&system.graph, t));
    json!({ "latex": latex, "text": text, "why": why(i) })
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
        assert_eq!(facts["conserved_complete"], true);
    }

    #[test]
    fn what_is_not_found_in_time_is_left_out_and_said() {
        let mut wish = Wish::new("rolling-disk.toml", polhode::builtin::find("rolling-disk").unwrap().text);
        wish.deadline = Some(std::time::Instant::now());
        let facts = facts_document(&wish).unwrap();
        assert_eq!(facts["conserved_complete"], false);
        assert!(facts["conserved"].is_array() && facts["check"].is_array());
    }
}
