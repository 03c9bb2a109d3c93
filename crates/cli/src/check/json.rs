//! The doctor's report for scripts.

use super::readable;
use super::symmetries::Symmetries;
use polhode::analysis::Report;
use polhode::analysis::doctor::{Choice, Classification, Component, Flags, Integrability, Integral, PointReport};
use polhode::base::{Diagnostics, SourceFile};
use polhode::mechanics::System;
use polhode::prelude::{Expr, print};
use serde_json::{Value, json};

pub(super) fn report(
    report: &Report,
    points: &[(String, PointReport)],
    symmetries: &Symmetries,
    system: &mut System,
    found: &Diagnostics,
    file: &SourceFile,
) -> Value {
    let verdict = report.verdict();
    let flags = report.linear.as_ref().map(|l| &l.flags);
    let singular: Option<Vec<Value>> =
        report.singular.components.as_ref().map(|parts| parts.iter().map(|c| component(system, report, c)).collect());
    let poles: Vec<String> = report.singular.poles.iter().map(|e| plain(system, *e)).collect();
    let integrals: Vec<String> = report.integrals.iter().map(|i| plain(system, i.expression)).collect();
    let choices: Vec<Value> =
        [&report.choice].into_iter().chain(&report.other_choices).map(|c| choice(system, c)).collect();
    let columns = report.dimension + 1;
    let mut document = json!({
        "ok": true,
        "dimension": report.dimension,
        "constraints": report.constraints,
        "holonomic_as_written": report.holonomic,
        "form": if report.affine { "affine" } else { "linear" },
        "affine": report.affine,
        "rheonomic": report.rheonomic,
        "consistent": true,
        "rank": report.rank,
        "degrees_of_freedom": report.degrees_of_freedom,
        "redundant": report.redundant,
        "removable_alone": report.removable,
        "singular_set": singular,
        "poles_of_the_text": poles,
        "derived_flag": flags.map(|f| f.derived.dimensions.clone()),
        "growth_vector": flags.map(|f| f.growth.dimensions.clone()),
        "degree_of_nonholonomy": flags.map(|f| f.growth.dimensions.len()),
        "space_time": report.space_time.as_ref().map(|s| json!({
            "dimension": columns,
            "derived_flag": s.flags.derived.dimensions,
            "growth_vector": s.flags.growth.dimensions,
        })),
        "classification": verdict.map(|v| v.classification.name()),
        "bracket_generating": verdict.map(|v| v.count == 0),
        "first_integrals_count": verdict.map(|v| v.count),
        "first_integrals": integrals,
        "integrals_scope": scope(&report.integrals),
        "special_parameters": report.special_parameters,
        "classes": report.classes,
        "independent_velocities": report.independent,
        "dependent_velocities": report.dependent,
        "determinant": report.choice.tree.as_ref().map(|t| print::ascii(&system.graph, t)),
        "choice_never_fails": report.choice.global,
        "choices": choices,
        "chaplygin": match &report.chaplygin {
            Ok(()) => json!({ "applies": true }),
            Err(reason) => json!({ "applies": false, "reason": reason.to_string() }),
        },
        "points": points.iter().map(|(name, p)| point(report, name, p)).collect::<Vec<_>>(),
        "symmetries": {
            "stated": symmetries.stated,
            "found": symmetries.found,
            "suggested": symmetries.suggested,
            "toml": symmetries.toml(),
        },
        "next": symmetries.next(),
        "diagnostics": diagnostics(found, file),
    });
    if report.affine || report.rheonomic {
        document["time"] = time(system, report);
    }
    document
}

/// What the affine part and the dependence on time change.
fn time(system: &mut System, report: &Report) -> Value {
    let frozen: Vec<String> = report.frozen_integrals.iter().map(|i| plain(system, i.expression)).collect();
    let part = |i: &Integrability| {
        json!({
            "derived_flag": i.flags.derived.dimensions,
            "growth_vector": i.flags.growth.dimensions,
            "classification": i.classification.name(),
            "first_integrals_count": i.count,
        })
    };
    let counts = report.linear.as_ref().zip(report.space_time.as_ref());
    json!({
        "drift_present": report.affine,
        "linear_part_at_frozen_time": report.linear.as_ref().map(part),
        "integrals_of_linear_part_at_frozen_time": frozen,
        "changes_classification": report.time_matters(),
        "changes_number_of_integrals": counts.map(|(a, b)| a.count != b.count),
        "reaction_forces_can_do_work": report.reactions_work(),
    })
}

fn component(system: &mut System, report: &Report, c: &Component) -> Value {
    let equations: Vec<String> = c.equations.iter().map(|e| plain(system, *e)).collect();
    let parts: Vec<String> = equations.iter().map(|e| format!("{e} = 0")).collect();
    let m = system.distribution.representation;
    json!({
        "where": parts.join(" and "),
        "equations": equations,
        "rank": c.rank - m.min(c.rank),
        "dim_kernel": report.dimension + m - c.rank,
        "removable": c.removable,
    })
}

fn choice(system: &System, c: &Choice) -> Value {
    let written = |t: &polhode::prelude::Tree| print::ascii(&system.graph, t);
    json!({
        "velocities": c.velocities,
        "determinant": c.tree.as_ref().map(written),
        "never_fails": c.global,
        "fails_where": c.failing.as_ref().map(|t| format!("{} = 0", written(t))),
    })
}

fn point(report: &Report, name: &str, p: &PointReport) -> Value {
    let dimension = if report.space_time.is_some() { report.dimension + 1 } else { report.dimension };
    let whole = p.space_time.as_ref().or(p.linear.as_ref());
    let both = |f: &Flags| json!({ "derived_flag": f.derived.dimensions, "growth_vector": f.growth.dimensions });
    json!({
        "at": name,
        "rank": p.rank,
        "dim_kernel": p.degrees_of_freedom,
        "rank_falls": p.rank.map(|r| r < report.rank),
        "pole_of_the_text": p.pole,
        "derived_flag": p.linear.as_ref().map(|f| f.derived.dimensions.clone()),
        "growth_vector": p.linear.as_ref().map(|f| f.growth.dimensions.clone()),
        "degree_of_nonholonomy": p.linear.as_ref().map(|f| f.growth.dimensions.len()),
        "space_time": p.space_time.as_ref().map(both),
        "bracket_generating": whole.and_then(|f| match f.growth.last() == dimension {
            false if !f.growth.complete => None,
            reached => Some(reached),
        }),
        "complete": whole.map(|f| f.growth.complete && f.derived.complete).or(p.tied.then_some(false)),
    })
}

/// Whether the integrals are functions on the whole configuration space.
pub(super) fn scope(integrals: &[Integral]) -> Option<&'static str> {
    (!integrals.is_empty()).then(|| if integrals.iter().any(|i| i.local) { "local" } else { "global" })
}

/// A formula in the syntax of model files.
fn plain(system: &mut System, e: Expr) -> String {
    match readable(system, e) {
        Some(tree) => print::ascii(&system.graph, &tree),
        None => "…".to_string(),
    }
}

/// Diagnostics with places.
pub(super) fn diagnostics(diagnostics: &Diagnostics, file: &SourceFile) -> Vec<Value> {
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

/// The classification in words.
pub(super) fn in_words(classification: Classification) -> &'static str {
    match classification {
        Classification::Unconstrained => "no constraint is left",
        Classification::Holonomic => "holonomic: equivalent to constraints on the position",
        Classification::SemiHolonomic { .. } => "semi-holonomic: some combinations restrict the position",
        Classification::Nonholonomic => "nonholonomic: every position can be reached",
    }
}
