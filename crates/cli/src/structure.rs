//! `polhode derive --structure`: brackets, Jacobi's identity, the quotient by the symmetries, the theorems behind them.

use crate::Refusal;
use crate::args::Format;
use crate::derive::json_section;
use crate::output::{bold, dim, width};
use polhode::analysis::hamiltonian::Structure;
use polhode::mechanics::System;
use serde_json::{Value, json};

/// The structure of a system, or why it has none.
pub(crate) fn of(system: &mut System, format: Format) -> Result<Structure, Refusal> {
    if !matches!(format, Format::Text | Format::Latex | Format::Json) {
        return Err("error: --structure has no source code\n  = use it with --format text, latex or json\n"
            .to_string()
            .into());
    }
    Structure::new(system).map_err(|reason| Refusal::No(format!("no structure to show: {reason}\n")))
}

pub(crate) fn text(system: &System, structure: &Structure) -> String {
    let mut out = bold("── structure ──") + "\n";
    for section in &structure.sections {
        out += &format!("\n{}\n", bold(&section.title));
        if !section.lines.is_empty() {
            out += &section.text(&system.graph, width());
        }
    }
    match &structure.quotient {
        Some(Ok(_)) => {}
        Some(Err(reason)) => out += &format!("\nno quotient: {reason}\n"),
        None => out += "\nno quotient: the model states no symmetry (`check` shows lines to state what it finds)\n",
    }
    let verdict = |theorem: u8| {
        let claims: Vec<Option<bool>> = structure.claims(theorem).iter().map(|c| c.verdict()).collect();
        let word = match claims {
            c if c.is_empty() => return None,
            c if c.contains(&Some(false)) => "FAILS",
            c if c.contains(&None) => "undecided",
            _ => "holds",
        };
        Some(format!("{theorem} {word}"))
    };
    let verdicts: Vec<String> = [1, 2, 3, 5].into_iter().filter_map(verdict).collect();
    let list =
        dim(&format!("theorems of Cushman, Kemppainen, Śniatycki & Bates, checked here: {}", verdicts.join(", ")));
    out + &format!("\n{list}\n\n")
}

pub(crate) fn document(system: &System, structure: &Structure) -> Value {
    let theorems: Vec<Value> = structure
        .theorems
        .iter()
        .map(|(theorem, check)| json!({ "theorem": theorem, "claim": check.claim, "holds": check.verdict() }))
        .collect();
    let mut out = json!({
        "dimension": structure.dimension,
        "rank": structure.rank,
        "jacobi": { "holds": structure.jacobi, "rank": structure.jacobiator_rank },
        "theorems": theorems,
    });
    for section in &structure.sections {
        out[section.key] = json_section(system, section);
    }
    match &structure.quotient {
        Some(Ok(q)) => {
            out["quotient"] = json!({
                "generators": q.generators,
                "rank_V": q.rank_v,
                "rank_V_and_H": q.vertical,
                "rank_U": q.perpendicular,
                "rank_U_and_V": q.common,
                "U_and_V_involutive": q.involutive,
                "dimension": q.dimension,
                "rank_H": q.rank_h,
                "coordinates": q.coordinates,
            });
        }
        Some(Err(reason)) => out["quotient"] = json!({ "refused": reason.to_string() }),
        None => {}
    }
    out
}
