//! Byte ranges of a text, and the lines and columns people call them by.
//!
//! A [`Span`] is half open, `start ≤ end`, in bytes of one [`SourceFile`].
//! Lines and columns are 1-based and columns count characters, as editors do: the
//! `x` in `"θx"` is in column 3.

use std::ops::Range;
use std::sync::Arc;

/// A half-open range of bytes `start..end` in a source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`; an end before the start gives an empty span.
    pub fn new(start: usize, end: usize) -> Self {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let end = u32::try_from(end).unwrap_or(u32::MAX);
        Self { start, end: end.max(start) }
    }

    /// The empty span at `offset`.
    pub fn point(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn to(self, other: Span) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the start of this one.
    #[must_use]
    pub fn before(self) -> Self {
        Self { start: self.start, end: self.start }
    }

    /// The empty span just past this one.
    #[must_use]
    pub fn after(self) -> Self {
        Self { start: self.end, end: self.end }
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether no byte is covered.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies inside this span.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The same as an index range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// A place in a text as people name it: 1-based, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A named text with an index of its lines. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
    line_starts: Arc<[u32]>, // offset of the first byte of each line; never empty
}

impl SourceFile {
    /// A text under the name that messages use for it.
    ///
    /// A byte order mark is dropped, so that column 1 is the first visible character.
    pub fn new(name: impl Into<Arc<str>>, text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts =
            std::iter::once(0).chain(newlines.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX))).collect();
        Self { name: name.into(), text: text.into(), line_starts }
    }

    /// The name given to [`SourceFile::new`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The span of the whole text.
    pub fn span(&self) -> Span {
        Span::new(0, self.text.len())
    }

    /// Number of lines; a final newline begins a last, empty line.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The text under a span; empty where the span is not one of this file.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Line and column of a byte offset; past the end counts as the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.floor_char_boundary(offset);
        let line = self.line_starts.partition_point(|&start| start as usize <= offset);
        let line_start = self.line_starts[line - 1] as usize;
        let column = self.text[line_start..offset].chars().count() + 1;
        Position { line, column }
    }

    /// The bytes of a line without its line break; `line` counts from 1.
    pub fn line_span(&self, line: usize) -> Option<Span> {
        let start = *self.line_starts.get(line.checked_sub(1)?)? as usize;
        let end = match self.line_starts.get(line) {
            Some(&next) => next as usize - 1,
            None => self.text.len(),
        };
        let content = &self.text[start..end];
        let content = content.strip_suffix('\r').unwrap_or(content);
        Some(Span::new(start, start + content.len()))
    }

    /// The text of a line without its line break; `line` counts from 1.
    pub fn line_text(&self, line: usize) -> Option<&str> {
        self.line_span(line).map(|span| self.slice(span))
    }

    /// The nearest character boundary at or before `offset`.
    pub fn floor_char_boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// The nearest character boundary at or after `offset`.
    pub fn ceil_char_boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset += 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let file = SourceFile::new("a.toml", "x = 1\nθ = \"φ'\"\r\nlast");
        let at = |offset| {
            let position = file.position(offset);
            (position.line, position.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(5), (1, 6)); // the newline belongs to its line
        assert_eq!(at(6), (2, 1));
        assert_eq!(at(8), (2, 2)); // θ has two bytes
        assert_eq!(at(7), (2, 1)); // inside θ
        assert_eq!(at(file.text().len()), (3, 5));
        assert_eq!(at(1000), (3, 5));
    }

    #[test]
    fn lines_lose_their_breaks() {
        let file = SourceFile::new("a.toml", "one\r\ntwo\n");
        assert_eq!(file.line_text(1), Some("one"));
        assert_eq!(file.line_text(2), Some("two"));
        assert_eq!(file.line_text(3), Some(""));
        assert_eq!(file.line_text(4), None);
        assert_eq!(file.line_text(0), None);
    }

    #[test]
    fn empty_text_and_byte_order_mark() {
        assert_eq!(SourceFile::new("e", "").position(0), Position { line: 1, column: 1 });
        assert_eq!(SourceFile::new("b", "\u{feff}x").text(), "x");
    }

    #[test]
    fn spans_join_and_clamp() {
        assert_eq!(Span::new(4, 6).to(Span::new(1, 2)), Span::new(1, 6));
        assert!(Span::new(5, 3).is_empty());
        assert!(Span::new(1, 6).contains(Span::new(4, 6)));
        let file = SourceFile::new("s", "aθ");
        assert_eq!(file.slice(Span::new(1, 2)), "", "not on a character boundary");
        assert_eq!(file.ceil_char_boundary(2), 3);
    }
}
