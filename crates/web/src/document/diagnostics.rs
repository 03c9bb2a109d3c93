//! Mistakes with their places, as a page shows them.

use polhode::base::{Diagnostic, Diagnostics, SourceFile};
use serde_json::{Value, json};

/// Most mistakes that are told; whoever has more mends these first.
const TOLD: usize = 100;

/// The first of them, errors before all others.
pub(super) fn list(found: &Diagnostics, file: &SourceFile) -> Vec<Value> {
    let mut sorted: Vec<&Diagnostic> = found.iter().collect();
    sorted.sort_by_key(|d| d.severity);
    sorted.into_iter().take(TOLD).map(|d| one(d, file)).collect()
}

/// How many are not told.
pub(super) fn more(found: &Diagnostics) -> usize {
    found.iter().count().saturating_sub(TOLD)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_mistakes_are_told_and_the_others_counted() {
        let file = SourceFile::new("x.toml", "x");
        let mut found = Diagnostics::new();
        (0..150).for_each(|k| found.push(Diagnostic::warning("some", format!("warning {k}"))));
        found.push(Diagnostic::error("one", "error"));
        let told = list(&found, &file);
        assert_eq!((told.len(), more(&found)), (100, 51));
        assert_eq!((&told[0]["severity"], &told[1]["message"]), (&json!("error"), &json!("warning 0")));
    }
}
