//! `polhode check`: the constraint doctor.

use crate::args::CheckOptions;
use crate::output::{bold, dim, emit, emit_json, heading, render, warn};
use crate::{Refusal, input, neumann};
use polhode::base::{Diagnostics, SourceFile};
use polhode::mechanics::{Report, System, examine, initial_state};
use polhode::prelude::{Model, print};
use serde_json::{Value, json};

pub(crate) fn run(options: &CheckOptions) -> Result<(), Refusal> {
    let parse_options = options.model.changes.parse_options()?;
    let file = input::source(&options.model.model)?;
    let (model, mut found) = match Model::parse(file.name(), file.text(), &parse_options) {
        Ok(parsed) => parsed,
        Err(rejected) => return Err(refuse(options, &rejected.source, &rejected.diagnostics)),
    };
    let model = neumann::model(model, &options.coordinates)?;
    // Errors that only concern the dynamics (a bad kinetic energy) still leave constraints to report.
    let built = if model.lagrangian.is_some() { System::new(&model) } else { System::kinematic(&model) };
    let mut system = match built {
        Ok((system, warnings)) => {
            found.extend(warnings);
            system
        }
        Err(rejected) => {
            found.extend(rejected.diagnostics);
            return Err(refuse(options, &model.source, &found));
        }
    };
    if let Err(rejected) = initial_state(&mut system, &model) {
        found.extend(rejected.diagnostics);
        return Err(refuse(options, &model.source, &found));
    }
    let holonomic = model.constraints.iter().filter(|c| c.holonomic.is_some()).count();
    let report = examine(&mut system, holonomic);
    warn(&render(&found, &model.source));
    if options.model.changes.json {
        emit_json(&json_report(&report, &system, &found, &model.source));
    } else {
        emit(&(heading(&model, &system) + &text(&report, &system)));
    }
    Ok(())
}

/// A model with errors: the answer is no.
fn refuse(options: &CheckOptions, file: &SourceFile, diagnostics: &Diagnostics) -> Refusal {
    if options.model.changes.json {
        emit_json(&json!({ "ok": false, "diagnostics": json_diagnostics(diagnostics, file) }));
    }
    Refusal::No(render(diagnostics, file))
}

fn text(report: &Report, system: &System) -> String {
    let names = |v: &[String]| v.iter().map(|n| print::unicode_name(n)).collect::<Vec<_>>().join(", ");
    let kind = if report.affine { "affine" } else { "linear" };
    let time = if report.rheonomic { ", time-dependent" } else { "" };
    let mut lines: Vec<(&str, String)> = Vec::new();
    if report.constraints > 0 {
        lines.push(("constraints", format!("{}, {kind} in the velocities{time}", report.constraints)));
        if report.holonomic > 0 {
            lines.push(("holonomic", format!("{} as written", report.holonomic)));
        }
        lines.push(("rank", format!("{} at generic points", report.rank)));
    }
    if !report.redundant.is_empty() {
        lines.push(("redundant", report.redundant.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")));
    }
    let independent =
        if report.independent.is_empty() { "none: nothing can move".into() } else { names(&report.independent) };
    lines.push(("independent", independent));
    if !report.dependent.is_empty() {
        lines.push(("dependent", names(&report.dependent)));
        let singular = if report.choice_is_global(system) {
            "good everywhere".to_string()
        } else {
            match &report.failing_tree {
                Some(tree) => format!("fails where {} = 0", print::text(&system.graph, tree)),
                None => "fails on a set too long to show".to_string(),
            }
        };
        lines.push(("this choice", singular));
        let chaplygin = match &report.chaplygin {
            Ok(()) => "applies".to_string(),
            Err(reason) => format!("does not apply: {reason}"),
        };
        lines.push(("Chaplygin", chaplygin));
    }
    let column = lines.iter().map(|(k, _)| k.len()).max().unwrap_or(0);
    let mut out = String::from("\n");
    for (key, value) in lines {
        out += &format!("  {}  {value}\n", bold(&format!("{key:column$}")));
    }
    out += &dim("\n  next: polhode derive, with --form multipliers, voronets, chaplygin, hamel or hamilton\n");
    out
}

fn json_report(report: &Report, system: &System, diagnostics: &Diagnostics, file: &SourceFile) -> Value {
    let determinant = report.determinant_tree.as_ref().map(|t| print::ascii(&system.graph, t));
    json!({
        "ok": true,
        "dimension": report.dimension,
        "constraints": report.constraints,
        "holonomic_as_written": report.holonomic,
        "rank": report.rank,
        "degrees_of_freedom": report.degrees_of_freedom,
        "affine": report.affine,
        "rheonomic": report.rheonomic,
        "redundant": report.redundant,
        "independent_velocities": report.independent,
        "dependent_velocities": report.dependent,
        "determinant": determinant,
        "choice_never_fails": report.choice_is_global(system),
        "chaplygin": match &report.chaplygin {
            Ok(()) => json!({ "applies": true }),
            Err(reason) => json!({ "applies": false, "reason": reason.to_string() }),
        },
        "diagnostics": json_diagnostics(diagnostics, file),
    })
}

fn json_diagnostics(diagnostics: &Diagnostics, file: &SourceFile) -> Vec<Value> {
    diagnostics
        .iter()
        .map(|d| {
            let place = d.location(file);
            json!({
                "code": d.code,
                "severity": d.severity.as_str(),
                "message": d.message,
                "file": file.name(),
                "line": place.as_ref().map(|p| p.line),
                "column": place.as_ref().map(|p| p.column),
                "text": place.as_ref().map(|p| p.text.clone()),
                "notes": d.notes,
                "help": d.help,
            })
        })
        .collect()
}
