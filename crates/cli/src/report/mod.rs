//! `polhode report`: everything known about a model, on one page.
//!
//! A report is what the commands of this program say about a model, one after the other, with the view of `polhode export` in it. Every section
//! names the command behind it. Commands run as processes of their own, so that one that takes too long costs its section and nothing else.
//!
//! ```text
//! {"id", "title", "command": null | "polhode …", "blocks": [block, …]}
//! block: {"kind": "heading" | "subheading" | "text" | "latex" | "pre" | "svg", "text"} | {"kind": "table", "head": […], "rows": [[…], …]}
//! ```
//!
//! `text` may contain formulas between dollar signs; `latex` is one displayed formula. All of them are data: the page escapes what it shows.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `commands` | commands as processes, each with its time |
//! | `speech` | what a command prints for people, as blocks |
//! | `latex` | what it prints as LaTeX, as blocks |
//! | `figures` | curves over time, energy and constraints |
//! | `tables` | ranges of forces, events |

mod commands;
mod figures;
mod latex;
mod speech;
mod tables;

use crate::Refusal;
use crate::args::ReportOptions;
use crate::export::{Steps, cut, fitting, late, save, show, whole_document, wish};
use crate::targets::{self, Target};
use commands::Commands;
use polhode::prelude::StopReason;
use polhode_web::page;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most bytes of a report, if something can be spared.
const MOST_BYTES: usize = 3_000_000;

/// Writes the report.
pub(crate) fn run(options: &ReportOptions) -> Result<(), Refusal> {
    let settings = options.settings.settings()?;
    let flags = settings.flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let wish = wish(&options.model, settings)?;
    let usual = PathBuf::from(format!("{}-report.html", wish.short_name()));
    let output = options.output.as_ref().unwrap_or(&usual);
    targets::check(&[Target::new("--output", output, "html")], &[Path::new(&options.model.model)])?;
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
        let blocks = commands.answer(name, flags).map_or_else(|why| speech::refusal(&why), |text| read(&text));
        section(id, title, Some(commands.shown(name, flags)), blocks)
    };
    let derive = commands.shown("derive", &["--form", "all"]);
    let plot = commands.shown("run", &[&flags[..], &["--plot", "FILE.svg"]].concat());
    let mut sections = vec![
        section("model", "The model", Some(commands.show()), vec![block("pre", wish.text.trim_end())]),
        said("check", "The constraints", "check", &[], speech::blocks),
        section("equations", "Equations of motion", Some(derive), equations(&document)),
        said("reduction", "Symmetry and reduction", "reduce", &["--format", "latex"], latex::blocks),
        conserved(&document, said("conserved", "Conserved quantities", "conserved", &[], speech::blocks)),
        said("exact", "Exact solution", "exact", &["--format", "latex"], latex::blocks),
        said("steady", "Steady motions", "exact", &["--steady"], speech::blocks),
        said("run", "The run", "run", &flags, speech::blocks),
        section("plots", "Plots", Some(plot), figures::blocks(&motion)),
        section("forces", "Forces and friction", None, tables::ranges(&motion)),
        section("events", "Events", None, tables::events(&motion, &end)),
    ];
    if !motion.model.contacts.is_empty() {
        sections.push(said("contact", "Contacts at the start", "contact", &[], speech::blocks));
    }
    progress.end();
    let page = fitting(&wish, document, &motion, MOST_BYTES, &|document| page::report(document, sections.clone()));
    let written = save(output, page.as_bytes())?;
    show(&[written], options.model.changes.json);
    cut(&motion, limit)
}

fn section(id: &str, title: &str, command: Option<String>, blocks: Vec<Value>) -> Value {
    json!({ "id": id, "title": title, "command": command, "blocks": blocks })
}

fn block(kind: &str, text: &str) -> Value {
    json!({ "kind": kind, "text": text })
}

/// The integrals as formulas, above what is said about them.
fn conserved(document: &Value, mut section: Value) -> Value {
    let facts = &document["facts"];
    let integrals = facts["conserved"].as_array().into_iter().flatten();
    let text = |i: &Value, key: &str| i[key].as_str().unwrap_or_default().to_owned();
    let mut blocks: Vec<Value> =
        integrals.flat_map(|i| [block("text", &text(i, "why")), block("latex", &text(i, "latex"))]).collect();
    if facts["conserved_complete"] == false {
        blocks.push(block("text", "These were found in the time that there was (--time-limit); there may be more."));
    }
    blocks.extend(section["blocks"].as_array().into_iter().flatten().cloned());
    section["blocks"] = blocks.into();
    section
}

/// The equations of all forms that apply, and why others do not.
fn equations(document: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    for form in document["equations"].as_array().into_iter().flatten() {
        let title = form["title"].as_str().unwrap_or_default();
        out.push(block("heading", &capital(title)));
        if let Some(why) = form["why"].as_str() {
            out.push(block("text", &format!("Does not apply, because {why}.")));
        }
        if let Some(note) = form["note"].as_str() {
            out.push(block("text", &format!("{}.", capital(note))));
        }
        for group in form["groups"].as_array().into_iter().flatten() {
            out.push(block("subheading", &capital(group["title"].as_str().unwrap_or_default())));
            let lines = group["lines"].as_array().into_iter().flatten().filter_map(Value::as_str);
            out.extend(lines.map(|line| block("latex", line)));
        }
    }
    out
}

/// With a capital letter at the beginning.
fn capital(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        // names as `c1[1]` stay what they are
        Some(letter) if !first.contains(|c: char| c.is_ascii_digit() || matches!(c, '[' | '_' | '\'')) => {
            letter.to_uppercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}
