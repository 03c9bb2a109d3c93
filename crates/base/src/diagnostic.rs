//! What is wrong with a text, as data: a stable name, a place, and advice.
//!
//! A [`Diagnostic`] is built where the mistake is found and shown by a shell,
//! which renders it ([`Diagnostic::render`]) or turns it into JSON with the help of
//! [`Diagnostic::location`]. Spans refer to one [`SourceFile`], which whoever
//! shows the diagnostic has at hand.
//!
//! ```
//! use polhode_base::{Diagnostic, SourceFile, Span, Style};
//!
//! let file = SourceFile::new("disk.toml", "kinetic = \"I1/2*thta'^2\"\n");
//! let wrong = Diagnostic::error("unknown-name", "`thta` is not a coordinate")
//!     .at(Span::new(16, 20), "did you mean `theta`?");
//! assert_eq!(
//!     wrong.render(&file, Style::Plain),
//!     "\
//! error[unknown-name]: `thta` is not a coordinate
//!   ┌─ disk.toml:1:17
//!   │
//!  1│ kinetic = \"I1/2*thta'^2\"
//!   │                 ^^^^ did you mean `theta`?
//! "
//! );
//! ```

use crate::Style;
use crate::render;
use crate::span::{SourceFile, Span};

/// How serious a [`Diagnostic`] is, most serious first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The text has no meaning until this is mended.
    Error,
    /// The text has a meaning, but probably not the intended one.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word shown: `error`, `warning`, `note`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A piece of the source with a remark, which may be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The piece of source.
    pub span: Span,
    /// What is said about it, beside the carets.
    pub text: String,
}

/// An edit that would mend the text, for editors to offer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// What to replace; empty to insert.
    pub span: Span,
    /// What to put there.
    pub replacement: String,
}

/// One error, warning or note about a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable name such as `unknown-name`; scripts and the book refer to it.
    pub code: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// One terse sentence without a full stop.
    pub message: String,
    /// The place to look at first; `None` if the mistake is in no one place.
    pub primary: Option<Label>,
    /// Other places that matter, such as a first definition.
    pub secondary: Vec<Label>,
    /// Explanations, shown as `= …` lines.
    pub notes: Vec<String>,
    /// What to do about it, shown as the last `= …` line.
    pub help: Option<String>,
    /// The same as an edit, where one is known.
    pub suggestion: Option<Suggestion>,
}

/// A [`Diagnostic`]'s primary span in the terms of [`crate::Position`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Line of the first character, from 1.
    pub line: usize,
    /// Column of the first character, from 1, in characters.
    pub column: usize,
    /// Line of the end.
    pub end_line: usize,
    /// Column just past the last character.
    pub end_column: usize,
    /// The source text under the span.
    pub text: String,
}

impl Location {
    /// Where a span lies in a file.
    pub fn of(span: Span, file: &SourceFile) -> Self {
        let start = file.floor_char_boundary(span.start as usize);
        let end = file.ceil_char_boundary(span.end as usize).max(start);
        let (first, last) = (file.position(start), file.position(end));
        Self {
            line: first.line,
            column: first.column,
            end_line: last.line,
            end_column: last.column,
            text: file.slice(Span::new(start, end)).to_owned(),
        }
    }
}

impl Diagnostic {
    /// An error, as yet without a place.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    /// A warning, as yet without a place.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    /// A note of its own, as yet without a place.
    pub fn remark(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message.into())
    }

    fn new(severity: Severity, code: &'static str, message: String) -> Self {
        Self {
            code,
            severity,
            message,
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
            suggestion: None,
        }
    }

    /// Sets the primary place and the remark beside its carets (may be empty).
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a `= …` line.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Offers an edit that mends the text.
    #[must_use]
    pub fn suggest(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.suggestion = Some(Suggestion { span, replacement: replacement.into() });
        self
    }

    /// The primary span, if there is one.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }

    /// Line, column and quoted text of the primary span.
    pub fn location(&self, file: &SourceFile) -> Option<Location> {
        self.span().map(|span| Location::of(span, file))
    }

    /// The diagnostic as text: message, place, source line with carets, notes.
    pub fn render(&self, file: &SourceFile, style: Style) -> String {
        render::render(self, file, style)
    }
}

/// Diagnostics in the order in which they were found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No diagnostics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one at the end.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Whether at least one is an error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// How many have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// Whether there are none at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The diagnostics in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Puts them into the order of the text; those without a place come last.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|diagnostic| diagnostic.span().map_or(u32::MAX, |span| span.start));
    }

    /// All of them as text, with a blank line between.
    pub fn render(&self, file: &SourceFile, style: Style) -> String {
        let texts: Vec<String> = self.iter().map(|each| each.render(file, style)).collect();
        texts.join("\n")
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { list: vec![diagnostic] }
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, more: I) {
        self.list.extend(more);
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(list: I) -> Self {
        Self { list: list.into_iter().collect() }
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_in_characters() {
        let file = SourceFile::new("a", "θ = \"x\ny\"\n");
        let wrong = Diagnostic::error("e", "m").at(Span::new(6, 9), "");
        let expected = Location { line: 1, column: 6, end_line: 2, end_column: 2, text: "x\ny".to_owned() };
        assert_eq!(wrong.location(&file), Some(expected));
        assert_eq!(Diagnostic::error("e", "m").location(&file), None);
        let outside = Location::of(Span::new(1, 900), &file);
        assert_eq!((outside.line, outside.column, outside.end_line), (1, 1, 3));
    }

    #[test]
    fn collections_count_and_sort() {
        let mut list = Diagnostics::new();
        list.push(Diagnostic::warning("w", "later").at(Span::new(9, 9), ""));
        assert!(!list.has_errors());
        list.extend([Diagnostic::error("e", "first").at(Span::new(1, 2), "")]);
        list.push(Diagnostic::remark("n", "nowhere"));
        list.sort();
        let codes: Vec<_> = list.iter().map(|each| each.code).collect();
        assert_eq!(codes, ["e", "w", "n"]);
        assert!(list.has_errors());
        assert_eq!((list.len(), list.count(Severity::Note)), (3, 1));
    }
}
