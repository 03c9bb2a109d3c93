//! Colour, width and headings.

use polhode::base::{SourceFile, Style};
use polhode::mechanics::System;
use polhode::prelude::{Diagnostics, Model, print};
use serde_json::Value;
use std::io::{IsTerminal, Write};

/// Writes to standard output. A reader that has gone away (`| head`) is no error.
pub(crate) fn emit(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes one JSON document to standard output.
pub(crate) fn emit_json(document: &Value) {
    emit(&format!("{document:#}\n"));
}

/// Writes to standard error.
pub(crate) fn warn(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Diagnostics as text for standard error.
pub(crate) fn render(diagnostics: &Diagnostics, file: &SourceFile) -> String {
    let style = if std::io::stderr().is_terminal() && colour_wanted() { Style::Colour } else { Style::Plain };
    diagnostics.render(file, style)
}

fn colour_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Columns of the terminal.
pub(crate) fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100).clamp(40, 200)
}

/// Text in bold on a terminal that shows colours.
pub(crate) fn bold(text: &str) -> String {
    styled(text, "1")
}

/// Text that stands back.
pub(crate) fn dim(text: &str) -> String {
    styled(text, "2")
}

fn styled(text: &str, code: &str) -> String {
    if std::io::stdout().is_terminal() && colour_wanted() {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_string()
    }
}

/// Title and reference on one line, and the numbers of the system below.
pub(crate) fn heading(model: &Model, system: &System) -> String {
    let title = if model.title.is_empty() { &model.name } else { &model.title };
    let used = print::display_width(title) + print::display_width(&model.reference);
    let gap = match width().checked_sub(used + 2) {
        _ if model.reference.is_empty() => String::new(),
        Some(room) => " ".repeat(room + 2),
        None => "\n".to_string(),
    };
    let mut out = format!("{}{gap}{}\n", bold(title), dim(&model.reference));
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let parts = [
        count(system.configuration.dimension(), "coordinate", "coordinates"),
        match (model.in_force.count(), model.constraints.len()) {
            (some, all) if some < all => format!("{some} of {all} constraints in force"),
            (all, _) => count(all, "constraint", "constraints"),
        },
        count(system.degrees_of_freedom(), "degree of freedom", "degrees of freedom"),
    ];
    out += &dim(&parts.join(" · "));
    out + "\n"
}
