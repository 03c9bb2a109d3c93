//! Mistakes with their places, as a page shows them.

use polhode::base::{Diagnostic, Diagnostics, SourceFile};
use serde_json::{Value, json};

/// All of them, errors first.
pub(super) fn list(found: &Diagnostics, file: &SourceFile) -> Vec<Value> {
    let mut sorted: Vec<&Diagnostic> = found.iter().collect();
    sorted.sort_by_key(|d| d.severity);
    sorted.into_iter().map(|d| one(d, file)).collect()
}

/// One. What has no place, such as a number that was sent beside the text, has no line.
fn one(d: &Diagnostic, file: &SourceFile) -> Value {
    let place = d.location(file);
    let label = d.primary.as_ref().map(|l| l.text.clone()).filter(|t| !t.is_empty());
    let notes: Vec<String> = label.into_iter().chain(d.notes.iter().cloned()).chain(d.help.clone()).collect();
    json!({
        "severity": d.severity.as_str(),
        "code": d.code,
        "message": d.message,
        "notes": notes,
        "suggestion": d.suggestion.as_ref().map(|s| &s.replacement),
        "line": place.as_ref().map(|p| p.line),
        "column": place.as_ref().map(|p| p.column),
        "end_line": place.as_ref().map(|p| p.end_line),
        "end_column": place.as_ref().map(|p| p.end_column),
    })
}
