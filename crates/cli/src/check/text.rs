//! The doctor's report for people: one page.

use super::json::{in_words, scope};
use super::readable;
use super::symmetries::Symmetries;
use crate::output::{bold, dim};
use polhode::analysis::Report;
use polhode::analysis::doctor::{Choice, Flag, Flags, PointReport};
use polhode::mechanics::System;
use polhode::prelude::{Expr, print};

/// Choices of velocities shown besides the one in use.
const CHOICES: usize = 3;

/// Longer ones are left to `--json`.
const WIDEST: usize = 120;

pub(super) fn page(
    report: &Report,
    points: &[(String, PointReport)],
    symmetries: &Symmetries,
    system: &mut System,
    regions: Vec<(&'static str, String)>,
) -> String {
    let mut lines: Vec<(&str, String)> = regions;
    if report.constraints > 0 {
        constraints(report, system, &mut lines);
        integrability(report, system, &mut lines);
    }
    velocities(report, system, &mut lines);
    for (name, p) in points {
        lines.push(("at", format!("{name}: {}", at_point(report, p))));
    }
    symmetry(symmetries, &mut lines);
    let column = lines.iter().map(|(k, _)| k.chars().count()).max().unwrap_or(0);
    let mut out = String::from("\n");
    let mut last = "";
    for (key, value) in lines {
        let shown = if key == last { "" } else { key };
        last = key;
        out += &format!("  {}  {value}\n", bold(&format!("{shown:column$}")));
    }
    let chaplygin = if report.chaplygin.is_ok() { "chaplygin, " } else { "" };
    let forms = format!("multipliers, voronets, {chaplygin}hamel or hamilton");
    let next = match &symmetries.next()[..] {
        [] => "a Lagrangian under [lagrangian], or bodies; then polhode derive".to_string(),
        [_, rest @ ..] => {
            let rest: Vec<String> = rest.iter().map(|c| format!("polhode {c}")).collect();
            format!("polhode derive, with --form {forms}; {}", rest.join("; "))
        }
    };
    out += &dim(&format!("\n  next: {next}\n"));
    out
}

/// What is stated, or what is found with the lines that state it.
fn symmetry(symmetries: &Symmetries, lines: &mut Vec<(&str, String)>) {
    if !symmetries.stated.is_empty() {
        lines.push(("symmetry", format!("as stated: {}", symmetries.stated.join(", "))));
        if let Some(why) = &symmetries.not_reduced {
            lines.push(("symmetry", format!("does not reduce the system: {why}")));
        }
    }
    if symmetries.found.is_empty() {
        return;
    }
    lines.push(("symmetry", format!("none stated; found: {}", symmetries.found.join(", "))));
    if symmetries.suggested.len() < symmetries.found.len() {
        lines.push(("symmetry", "these depend on each other, or have long formulas; a choice to begin with:".into()));
    }
    for line in symmetries.toml().iter().flat_map(|t| t.lines()) {
        lines.push(("symmetry", format!("  {line}")));
    }
}

/// Why nothing is said about functions that may depend on each other.
const TIED: &str = "roots, logarithms or angles that may depend on each other";

fn constraints(report: &Report, system: &mut System, lines: &mut Vec<(&str, String)>) {
    let kind = if report.affine { "affine" } else { "linear" };
    let time = if report.rheonomic { ", time-dependent" } else { "" };
    lines.push(("constraints", format!("{}, {kind} in the velocities{time}", report.constraints)));
    if report.holonomic > 0 {
        lines.push(("holonomic", format!("{} as written", report.holonomic)));
    }
    lines.push(("rank", format!("{} at generic points", report.rank)));
    if report.special_parameters {
        lines.push(("parameters", "special: other values would give other answers".into()));
    }
    if !report.redundant.is_empty() {
        let mut text = quoted(&report.redundant);
        if report.removable.len() > report.redundant.len() {
            text += &format!("; any one of {} can go", quoted(&report.removable));
        }
        lines.push(("redundant", text));
    }
    match &report.singular.components {
        None if report.tied => lines.push(("rank falls", format!("not decided: {TIED}"))),
        None => lines.push(("rank falls", "on a set whose equations are too long to be solved".into())),
        Some(parts) if parts.is_empty() => lines.push(("rank falls", "nowhere".into())),
        Some(parts) => {
            let m = system.distribution.representation;
            for c in parts {
                let equations: Vec<String> = c.equations.iter().map(|e| format!("{} = 0", shown(system, *e))).collect();
                let cure = if c.removable { "; removable: divide the constraint by its common factor" } else { "" };
                lines.push((
                    "rank falls",
                    format!("to {} where {}{cure}", c.rank - m.min(c.rank), equations.join(", ")),
                ));
            }
        }
    }
    if !report.singular.poles.is_empty() {
        let poles: Vec<String> = report.singular.poles.iter().map(|e| format!("{} = 0", shown(system, *e))).collect();
        lines.push(("poles", format!("of the text, where {}", poles.join(" or "))));
    }
}

fn integrability(report: &Report, system: &mut System, lines: &mut Vec<(&str, String)>) {
    let Some(verdict) = report.verdict() else {
        let carried = system.configuration.factors().iter().any(|f| f.is_carried());
        let why = if report.tied {
            TIED
        } else if carried {
            "the points of contact have no formula in these coordinates; try --neumann"
        } else {
            "the constraints contain functions that are open, or are too long"
        };
        lines.push(("by Frobenius", format!("not decided: {why}")));
        return;
    };
    lines.push(("by Frobenius", in_words(verdict.classification).to_string()));
    if verdict.count > 0 {
        let integrals: Vec<String> =
            report.integrals.iter().map(|i| format!("{} = const", shown(system, i.expression))).collect();
        for text in &integrals {
            lines.push(("integrals", text.clone()));
        }
        let missing = verdict.count - integrals.len();
        if missing > 0 {
            let more = if integrals.is_empty() { "" } else { " more" };
            lines.push(("integrals", format!("{missing}{more}, for which no formula was found")));
        }
        if scope(&report.integrals) == Some("local") {
            lines.push(("integrals", "(local: not on the whole configuration space)".into()));
        }
    }
    if let Some(linear) = &report.linear {
        lines.push(("derived flag", dimensions(&linear.flags.derived)));
        lines.push(("growth vector", dimensions(&linear.flags.growth)));
    }
    if let Some(whole) = &report.space_time {
        lines.push(("in space-time", both(&whole.flags)));
        if let (Some(linear), Some(true)) = (&report.linear, report.time_matters()) {
            let name = linear.classification.name();
            lines.push(("in space-time", format!("time matters: frozen, the linear part is {name}")));
        }
        lines.push(("reactions", "can do work".into()));
    }
    if !report.classes.is_empty() {
        lines.push(("class", report.classes.join(", ")));
    }
}

fn velocities(report: &Report, system: &mut System, lines: &mut Vec<(&str, String)>) {
    let name = |n: &String| if n.contains('=') { n.clone() } else { print::unicode_name(n) };
    let names = |v: &[String]| v.iter().map(name).collect::<Vec<_>>().join(", ");
    let independent = match (report.independent.is_empty(), report.affine) {
        (true, true) => "none: the constraints prescribe the motion".into(),
        (true, false) => "none: nothing can move".into(),
        _ => names(&report.independent),
    };
    lines.push(("independent", independent));
    if report.dependent.is_empty() {
        return;
    }
    lines.push(("dependent", names(&report.dependent)));
    let fails = |c: &Choice| match (&c.failing, c.global) {
        (_, true) => "good everywhere".to_string(),
        (Some(tree), _) => format!("fails where {} = 0", print::text(&system.graph, tree)),
        (None, _) => "fails on a set too long to show".to_string(),
    };
    // what follows from other rows at generic points need not do so where these fail: with another row left out the choice may be better
    let left_out = match &report.redundant[..] {
        rows @ [_, ..] if !report.choice.global => format!(", with {} left out of the constraints", quoted(rows)),
        _ => String::new(),
    };
    lines.push(("this choice", fails(&report.choice) + &left_out));
    if !report.choice.global {
        let short = |c: &&Choice| names(&c.velocities).chars().count() + fails(c).chars().count() <= WIDEST;
        for c in report.other_choices.iter().filter(short).take(CHOICES) {
            lines.push(("or choose", format!("{}: {}", names(&c.velocities), fails(c))));
        }
    }
    let chaplygin = match &report.chaplygin {
        Ok(()) => "applies".to_string(),
        Err(reason) => format!("does not apply: {reason}"),
    };
    lines.push(("Chaplygin", chaplygin));
}

fn at_point(report: &Report, p: &PointReport) -> String {
    if p.tied {
        return format!("not decided: {TIED}");
    }
    let Some(rank) = p.rank else { return "the text has a pole there".into() };
    let pole = if p.pole { " (without the pole of the text)" } else { "" };
    if rank < report.rank {
        return format!("rank {rank}{pole}, falls from {}", report.rank);
    }
    let mut out = format!("rank {rank}{pole}");
    if let Some(flags) = &p.linear {
        out += &format!(", {}", both(flags));
    }
    if let Some(flags) = &p.space_time {
        out += &format!("; in space-time {}", both(flags));
    }
    out
}

fn both(flags: &Flags) -> String {
    format!("derived flag {}, growth vector {}", dimensions(&flags.derived), dimensions(&flags.growth))
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")
}

fn dimensions(flag: &Flag) -> String {
    let numbers: Vec<String> = flag.dimensions.iter().map(usize::to_string).collect();
    let open = if flag.complete { "" } else { ", …" };
    format!("({}{open})", numbers.join(", "))
}

fn shown(system: &mut System, e: Expr) -> String {
    match readable(system, e) {
        Some(tree) => print::text(&system.graph, &tree),
        None => "…".to_string(),
    }
}
