//! Jumps of the velocities, and why a motion does not go on: as JSON and in a line of the summary.

use super::json::state;
use polhode::plot::number::short;
use polhode::prelude::{Model, StopReason};
use polhode::simulate::{EventRecord, Jumped, Refusal, Trajectory};
use serde_json::{Map, Value, json};

/// What a jump adds to its event.
pub(super) fn document(motion: &Trajectory, event: &EventRecord, jumped: &Jumped) -> Value {
    let compiled = motion.compiled();
    let (record, after) = (&jumped.record, &jumped.after);
    let names = compiled.velocity_names();
    let named = |x: &[f64]| -> Map<String, Value> {
        names.iter().zip(x).map(|(name, x)| (name.to_string(), json!(x))).collect()
    };
    let energy = |s: &polhode::simulate::Sample| s.get("energy");
    let mut out = json!({
        "case": record.case.name(),
        "ranks": { "before": record.ranks[0], "on": record.ranks[1], "after": record.ranks[2] },
        "jumped": record.jumped,
        "velocities": { "before": named(&record.velocities[0]), "after": named(&record.velocities[1]) },
        "momenta": { "before": named(&record.momenta[0]), "after": named(&record.momenta[1]) },
        "impulse": named(&record.impulse),
        "impulses": record.multipliers.iter()
            .map(|(row, x, unique)| json!({ "row": row, "value": x, "unique": unique }))
            .collect::<Vec<_>>(),
        "kinetic": { "before": record.kinetic[0], "after": record.kinetic[1] },
        "energy": { "before": energy(&event.sample), "after": energy(after) },
        "loss": record.kinetic[0] - record.kinetic[1],
        "dissipated": record.dissipated,
        "in_force": record.in_force,
        "walls": record.walls,
        "after": state(after, &compiled.variables),
    });
    if !record.reduced.is_empty() {
        let side = |k: usize| -> Map<String, Value> {
            record.reduced.iter().map(|(name, x)| (name.clone(), json!(x[k]))).collect()
        };
        out["reduced"] = json!({ "before": side(0), "after": side(1) });
    }
    if let Some(number) = record.case.number() {
        out["table"] = json!(number);
    }
    if let Some(at) = record.accumulates_at {
        out["accumulates_at"] = json!(at);
    }
    out
}

/// What was tried where a motion does not go on.
pub(super) fn candidates(motion: &Trajectory, refusal: &Refusal) -> Vec<Value> {
    let names = motion.compiled().velocity_names();
    (refusal.candidates().iter())
        .map(|c| {
            let velocity: Map<String, Value> =
                names.iter().zip(&c.velocity).map(|(name, x)| (name.to_string(), json!(x))).collect();
            json!({ "assumes": c.assumes, "velocity": velocity, "consistent": c.consistent })
        })
        .collect()
}

/// The same in lines, with what may help.
pub(super) fn tried(model: &Model, motion: &Trajectory) -> String {
    let StopReason::Impasse(refusal) = &motion.report.stop else { return String::new() };
    let names = motion.compiled().velocity_names();
    let mut out = String::new();
    for c in refusal.candidates().iter().take(MOST_CANDIDATES) {
        let each = names.iter().zip(&c.velocity).map(|(name, x)| format!("{name} = {}", short(*x, 6)));
        let each = each.take(MOST_VELOCITIES).collect::<Vec<_>>().join(", ");
        let more = if c.velocity.len() > MOST_VELOCITIES { ", …" } else { "" };
        let verdict = if c.consistent { "consistent" } else { "goes elsewhere" };
        out += &format!("  = {}: {each}{more}; {verdict}\n", c.assumes);
    }
    let left = refusal.candidates().len().saturating_sub(MOST_CANDIDATES);
    if left > 0 {
        out += &format!("  = and {left} more: see --json\n");
    }
    let open = model.constraints.iter().any(|c| c.when.is_some() && !c.coulomb && c.holonomic.is_none());
    if matches!(refusal, Refusal::NoConsistentJump { .. }) && open {
        out += "  = limit = \"coulomb\" beside `when` decides by dry friction with a large coefficient\n";
    }
    out
}

/// Most candidates, and velocities of each, that are listed in lines.
const MOST_CANDIDATES: usize = 8;
const MOST_VELOCITIES: usize = 8;

/// What a jump did, in a few words.
pub(super) fn in_words(jumped: &Jumped) -> String {
    let record = &jumped.record;
    let [before, _, after] = record.ranks;
    let mut parts = vec![record.case.name().replace('-', " ")];
    if before != after {
        parts.push(format!("rank {before} → {after}"));
    }
    let loss = record.kinetic[0] - record.kinetic[1];
    match record.jumped {
        true => parts.push(format!("energy {:+}", Signed(-loss))),
        false => parts.push("no jump".to_owned()),
    }
    if let Some(at) = record.accumulates_at {
        parts.push(format!("collisions pile up at {}", short(at, 10)));
    }
    parts.join(", ")
}

/// A number with its sign.
struct Signed(f64);

impl std::fmt::Display for Signed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.0 >= 0.0 { "+" } else { "−" };
        write!(f, "{sign}{}", short(self.0.abs(), 5))
    }
}
