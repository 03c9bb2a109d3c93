//! String literals that remember where each of their characters was written.
//!
//! A formula in `"…"` may contain escapes, and one in `"""…"""` drops line ends, so
//! offsets in the decoded text are not offsets in the file. An [`OffsetMap`] leads
//! back: it is a list of pieces, each either copied from the file byte by byte or
//! the decoded form of one escape.

use std::ops::Range;
use std::sync::Arc;

use polhode_base::Span;

/// The way from decoded string offsets to file offsets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OffsetMap {
    pieces: Arc<[Piece]>, // in order of both offsets, none empty
    end: usize,           // file offset where the decoded text ends
}

/// A stretch of decoded text and the stretch of file it came from.
///
/// Equal lengths mean copied text: every escape is longer than what it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Piece {
    decoded: Range<usize>,
    file: Range<usize>,
}

impl Piece {
    fn is_copied(&self) -> bool {
        self.decoded.len() == self.file.len()
    }
}

impl OffsetMap {
    /// The map of a text that lies in the file as it is, beginning at `base`.
    pub fn identity(base: usize, len: usize) -> Self {
        let piece = Piece { decoded: 0..len, file: base..base + len };
        let pieces = (len > 0).then_some(piece).into_iter().collect();
        Self { pieces, end: base + len }
    }

    /// The span in the file of a range of decoded bytes.
    pub fn span(&self, decoded: Range<usize>) -> Span {
        let start = self.start_of(decoded.start);
        if decoded.end <= decoded.start {
            return Span::point(start);
        }
        Span::new(start, self.end_of(decoded.end))
    }

    /// Where the decoded byte at `offset` begins in the file.
    fn start_of(&self, offset: usize) -> usize {
        let at = self.pieces.partition_point(|piece| piece.decoded.end <= offset);
        match self.pieces.get(at) {
            Some(piece) if piece.is_copied() => piece.file.start + (offset - piece.decoded.start),
            Some(piece) => piece.file.start,
            None => self.end,
        }
    }

    /// Where the decoded byte before `offset` ends in the file.
    fn end_of(&self, offset: usize) -> usize {
        let at = self.pieces.partition_point(|piece| piece.decoded.end < offset);
        match self.pieces.get(at) {
            Some(piece) if piece.is_copied() => piece.file.start + (offset - piece.decoded.start),
            Some(piece) => piece.file.end,
            None => self.end,
        }
    }
}

/// The text of a string literal, with the way back into the file. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLit {
    text: Arc<str>,
    map: OffsetMap,
    span: Span, // with the quotes
}

impl StringLit {
    /// Text that is its own file, such as an argument of the command line.
    pub fn plain(text: &str) -> Self {
        Self::at(text, 0)
    }

    /// Text that lies in a file as it is, beginning at `base`.
    pub fn at(text: &str, base: usize) -> Self {
        Self { text: text.into(), map: OffsetMap::identity(base, text.len()), span: Span::new(base, base + text.len()) }
    }

    /// Decodes a TOML string, quotes included, that begins at `base` in the file.
    ///
    /// `None` if `raw` is not one of the four kinds of TOML string or has a
    /// malformed escape.
    pub fn decode(raw: &str, base: usize) -> Option<Self> {
        let (quote, body) = strip_quotes(raw)?;
        let mut builder = Builder { text: String::new(), pieces: Vec::new() };
        let mut at = base + quote;
        let mut body = body;
        if quote == 3 {
            let trimmed = body.strip_prefix("\r\n").or(body.strip_prefix('\n')).unwrap_or(body);
            at += body.len() - trimmed.len();
            body = trimmed;
        }
        if raw.starts_with('\'') {
            builder.copy(body, at);
            at += body.len();
        } else {
            while let Some(backslash) = body.find('\\') {
                builder.copy(&body[..backslash], at);
                at += backslash;
                body = &body[backslash..];
                let used = match line_continuation(body).filter(|_| quote == 3) {
                    Some(used) => used,
                    None => {
                        let (c, used) = escape(body)?;
                        builder.decoded(c, at..at + used);
                        used
                    }
                };
                at += used;
                body = &body[used..];
            }
            builder.copy(body, at);
            at += body.len();
        }
        Some(Self {
            text: builder.text.into(),
            map: OffsetMap { pieces: builder.pieces.into(), end: at },
            span: Span::new(base, base + raw.len()),
        })
    }

    /// The decoded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The literal in the file, quotes included.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The file span of a range of decoded bytes.
    pub fn span_of(&self, decoded: Range<usize>) -> Span {
        self.map.span(decoded)
    }

    /// The first control character that is written as an escape before a letter.
    ///
    /// In `"\\theta"` TOML reads a tab and `heta`, which nobody means in a formula.
    pub(crate) fn control_before_letter(&self) -> Option<Range<usize>> {
        let escapes = self.map.pieces.iter().filter(|piece| !piece.is_copied());
        let mut ranges = escapes.map(|piece| piece.decoded.clone());
        ranges.find(|range| {
            self.text[range.clone()].contains(char::is_control)
                && self.text[range.end..].starts_with(|c: char| c.is_ascii_alphabetic())
        })
    }

    /// The map itself.
    pub fn offsets(&self) -> &OffsetMap {
        &self.map
    }
}

struct Builder {
    text: String,
    pieces: Vec<Piece>,
}

impl Builder {
    fn copy(&mut self, text: &str, at: usize) {
        if !text.is_empty() {
            let start = self.text.len();
            self.text.push_str(text);
            self.pieces.push(Piece { decoded: start..self.text.len(), file: at..at + text.len() });
        }
    }

    fn decoded(&mut self, c: char, file: Range<usize>) {
        let start = self.text.len();
        self.text.push(c);
        self.pieces.push(Piece { decoded: start..self.text.len(), file });
    }
}

/// Length of the quotes (1 or 3) and what is between them.
fn strip_quotes(raw: &str) -> Option<(usize, &str)> {
    let between = |quotes: &str| raw.strip_prefix(quotes)?.strip_suffix(quotes);
    for quotes in ["\"\"\"", "'''"] {
        if let Some(body) = between(quotes) {
            return Some((3, body));
        }
    }
    between("\"").or_else(|| between("'")).map(|body| (1, body))
}

/// Length of a backslash at the end of a line with all the blank space after it.
fn line_continuation(body: &str) -> Option<usize> {
    let rest = &body[1..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    rest[..blank].contains('\n').then_some(1 + blank)
}

/// The character an escape stands for, and the length of the escape.
fn escape(body: &str) -> Option<(char, usize)> {
    let c = body[1..].chars().next()?;
    let hex = |digits: usize| {
        let code = body.get(2..2 + digits)?;
        let code = u32::from_str_radix(code, 16).ok()?;
        Some((char::from_u32(code)?, 2 + digits))
    };
    match c {
        'b' => Some(('\u{8}', 2)),
        'e' => Some(('\u{1b}', 2)),
        'f' => Some(('\u{c}', 2)),
        'n' => Some(('\n', 2)),
        'r' => Some(('\r', 2)),
        't' => Some(('\t', 2)),
        '"' => Some(('"', 2)),
        '\\' => Some(('\\', 2)),
        'x' => hex(2),
        'u' => hex(4),
        'U' => hex(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of `file` that the first `part` of the decoded literal came from.
    fn traced<'a>(file: &'a str, raw: &str, part: &str) -> &'a str {
        let base = file.find(raw).expect("the literal is in the file");
        let literal = StringLit::decode(raw, base).expect("a TOML string");
        let at = literal.text().find(part).expect("the part is in the text");
        &file[literal.span_of(at..at + part.len()).range()]
    }

    #[test]
    fn copied_text_keeps_its_place() {
        assert_eq!(traced("k = \"a + thta\"", "\"a + thta\"", "thta"), "thta");
        assert_eq!(traced("k = 'θ*b'", "'θ*b'", "b"), "b");
        assert_eq!(traced("k = ''", "''", ""), "");
    }

    #[test]
    fn escapes_are_one_piece() {
        let raw = r#""\u03b8 + x\tb""#;
        assert_eq!(StringLit::decode(raw, 0).expect("a string").text(), "θ + x\tb");
        assert_eq!(traced(raw, raw, "θ"), r"\u03b8");
        assert_eq!(traced(raw, raw, "θ + x"), r"\u03b8 + x");
        assert_eq!(traced(raw, raw, "b"), "b");
    }

    #[test]
    fn long_strings_drop_line_ends() {
        let raw = "\"\"\"\r\na + \\\r\n     thta\r\n  + c\"\"\"";
        let literal = StringLit::decode(raw, 0).expect("a string");
        assert_eq!(literal.text(), "a + thta\r\n  + c");
        assert_eq!(traced(raw, raw, "thta"), "thta");
        assert_eq!(traced(raw, raw, "c"), "c");
        let raw = "'''\nx' + \\y'''";
        assert_eq!(StringLit::decode(raw, 0).expect("a string").text(), "x' + \\y");
    }

    #[test]
    fn the_end_has_a_place_too() {
        let literal = StringLit::decode("\"ab\\n\"", 10).expect("a string");
        assert_eq!(literal.span_of(3..3), Span::point(15));
        assert_eq!(literal.span_of(2..3), Span::new(13, 15));
        assert_eq!(literal.span(), Span::new(10, 16));
        assert_eq!(StringLit::plain("").span_of(0..0), Span::point(0));
    }

    #[test]
    fn what_is_not_a_string() {
        for raw in ["", "x", "\"", "\"a", r#""\q""#, r#""\u12""#, r#""\ud800""#, r#""\uθ""#] {
            assert_eq!(StringLit::decode(raw, 0), None, "{raw}");
        }
    }
}
