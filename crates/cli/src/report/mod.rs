//! `polhode report`: everything known about a model, on one page.
//!
//! A report is what the commands of this program say about a model, one after the other, with the view of `polhode export` in it. Every section
//! names the command behind it. Commands run as processes of their own, so that one that takes too long costs its section and nothing else.
//!
//! ```text
//! {"id", "title", "command": null | "polhode …", "blocks": [block, …]}
//! block: {"kind": "heading" | "text" | "latex" | "pre" | "svg", "text"} | {"kind": "table", "head": […], "rows": [[…], …]}
//! ```
//!
//! `text` may contain formulas between dollar signs; `latex` is one displayed formula. All of them are data: the page escapes what it shows.

mod commands;
mod latex;
mod tables;

use crate::Refusal;
use crate::args::ReportOptions;
use crate::export::{Steps, cut, late, save, show, whole_document, wish};
use crate::run::drawing;
use crate::targets::{self, Target};
use commands::Commands;
use polhode::prelude::StopReason;
use polhode_web::page;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Writes the report.
pub(crate) fn run(options: &ReportOptions) -> Result<(), Refusal> {
    targets::check(&[Target::new("--output", &options.output, "html")], &[Path::new(&options.model.model)])?;
    let wish = wish(&options.model, options.until.as_deref())?;
    let limit = Duration::from_secs(options.time_limit);
    let (document, motion) = whole_document(&wish, limit)?;
    let end = match &motion.trajectory.report.stop {
        StopReason::Interrupted => late(limit),
        stop => stop.to_string(),
    };
    let commands = Commands::new(&options.model, limit)?;
    let progress = Steps::new();
    let said = |id: &str, title: &str, name: &str, flags: &[&str], read: fn(&str) -> Vec<Value>| {
        progress.at(&commands.shown(name, flags));
        let blocks = commands.answer(name, flags).map_or_else(|why| vec![block("text", &why)], |text| read(&text));
        section(id, title, Some(commands.shown(name, flags)), blocks)
    };
    let until = commands.until(options.until.as_deref());
    let derive = commands.shown("derive", &["--form", "all"]);
    let plot = commands.shown("run", &[&until[..], &["--plot", "FILE.svg"]].concat());
    let figure = drawing(motion.model.clone(), motion.system.clone(), motion.trajectory.clone());
    let mut sections = vec![
        section("model", "The model", Some(commands.show()), vec![block("pre", wish.text.trim_end())]),
        said("check", "The constraints", "check", &[], without_heading),
        section("equations", "Equations of motion", Some(derive), equations(&document)),
        said("reduction", "Symmetry and reduction", "reduce", &["--format", "latex"], latex::blocks),
        conserved(&document, said("conserved", "Conserved quantities", "conserved", &[], without_heading)),
        said("exact", "Exact solution", "exact", &["--format", "latex"], latex::blocks),
        said("run", "The run", "run", &until, without_heading),
        section("plots", "Plots", Some(plot), vec![block("svg", &figure)]),
        section("forces", "Forces and friction", None, tables::ranges(&motion)),
        section("events", "Events", None, tables::events(&motion, &end)),
    ];
    if !motion.model.contacts.is_empty() {
        sections.push(said("contact", "Contacts at the start", "contact", &[], without_heading));
    }
    progress.end();
    let written = save(&options.output, page::report(document, sections).as_bytes())?;
    show(&[written], options.model.changes.json);
    cut(&motion, limit)
}

fn section(id: &str, title: &str, command: Option<String>, blocks: Vec<Value>) -> Value {
    json!({ "id": id, "title": title, "command": command, "blocks": blocks })
}

fn block(kind: &str, text: &str) -> Value {
    json!({ "kind": kind, "text": text })
}

/// What a command prints for people, without the two lines with the title that all of them begin with.
fn without_heading(text: &str) -> Vec<Value> {
    let rest = text.split_once("\n\n").map_or(text, |(_, rest)| rest);
    vec![block("pre", rest.trim_matches('\n'))]
}

/// The integrals as formulas, above what is said about them.
fn conserved(document: &Value, mut section: Value) -> Value {
    let integrals = document["facts"]["conserved"].as_array().into_iter().flatten();
    let text = |i: &Value, key: &str| i[key].as_str().unwrap_or_default().to_owned();
    let mut blocks: Vec<Value> =
        integrals.flat_map(|i| [block("latex", &text(i, "latex")), block("text", &text(i, "why"))]).collect();
    blocks.extend(section["blocks"].as_array().into_iter().flatten().cloned());
    section["blocks"] = blocks.into();
    section
}

/// The equations of all forms that apply, and why others do not.
fn equations(document: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    for form in document["equations"].as_array().into_iter().flatten() {
        let title = form["title"].as_str().unwrap_or_default();
        out.push(block("heading", title));
        if let Some(why) = form["why"].as_str() {
            out.push(block("text", &format!("does not apply: {why}")));
        }
        for group in form["groups"].as_array().into_iter().flatten() {
            out.push(block("text", group["title"].as_str().unwrap_or_default()));
            let lines = group["lines"].as_array().into_iter().flatten().filter_map(Value::as_str);
            out.extend(lines.map(|line| block("latex", line)));
        }
    }
    out
}
