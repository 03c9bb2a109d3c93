//! Diagnostics as text for a terminal.
//!
//! ```text
//! error[unknown-name]: `thta` is not a coordinate, parameter or definition
//!   ┌─ disk.toml:23:43
//!   │
//! 23│ kinetic   = "M/2*norm2(dt(centre)) + I1/2*thta'^2"
//!   │                                           ^^^^ did you mean `theta`?
//!   = notes
//! ```
//!
//! A line wider than [`WIDEST_LINE`] is shown as a window around its labels.
//! Carets stand under what they mean in a terminal cell grid: tabs are expanded,
//! wide characters take two cells, combining marks none, and control characters
//! are shown as pictures so that no source text can steer the terminal.

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::span::{SourceFile, Span};

/// Cells of source shown at most per line.
pub const WIDEST_LINE: usize = 100;

const TAB: usize = 4; // cells between tab stops
const LEAD: usize = 30; // cells kept before the first label in a window
const LINES_IN_FULL: usize = 4; // longer spans are abridged

/// Whether rendered text carries ANSI colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Text only.
    #[default]
    Plain,
    /// With ANSI escape sequences.
    Colour,
}

impl Style {
    fn paint(self, ink: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Colour => format!("\x1b[{ink}m{text}\x1b[0m"),
        }
    }
}

const BOLD: &str = "1";
const FRAME: &str = "34";

fn ink(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Note => "1;36",
    }
}

/// See [`Diagnostic::render`].
pub(crate) fn render(diagnostic: &Diagnostic, file: &SourceFile, style: Style) -> String {
    let strong = ink(diagnostic.severity);
    let title = format!("{}[{}]", diagnostic.severity.as_str(), diagnostic.code);
    let message = printable(&diagnostic.message);
    let mut out = style.paint(strong, &title);
    out.push_str(&style.paint(BOLD, &format!(": {message}")));
    out.push('\n');

    let lines = annotated_lines(diagnostic, file);
    let last = lines.last().map_or(0, |line| line.number);
    let gutter = last.to_string().len().max(2);
    let blank = " ".repeat(gutter);
    let place = match diagnostic.span() {
        Some(span) => {
            let position = file.position(span.start as usize);
            format!("{}:{}:{}", file.name(), position.line, position.column)
        }
        None => file.name().to_owned(),
    };
    out.push_str(&format!("{blank}{} {}\n", style.paint(FRAME, "┌─"), printable(&place)));

    let bar = style.paint(FRAME, "│");
    if !lines.is_empty() {
        out.push_str(&format!("{blank}{bar}\n"));
    }
    let mut previous = None;
    for line in &lines {
        if previous.is_some_and(|number| number + 1 < line.number) {
            out.push_str(&format!("{blank}{}\n", style.paint(FRAME, "⋮")));
        }
        previous = Some(line.number);
        let text = file.line_text(line.number).unwrap_or("");
        let view = LineView::new(text, &line.marks);
        let number = style.paint(FRAME, &format!("{:>gutter$}", line.number));
        push_trimmed(&mut out, &format!("{number}{bar} {}", view.text()));
        for mark in &line.marks {
            let (start, width) = view.carets(mark);
            let (sign, colour) = if mark.primary { ("^", strong) } else { ("-", FRAME) };
            let carets = style.paint(colour, &sign.repeat(width));
            let mut row = format!("{blank}{bar} {}{carets}", " ".repeat(start));
            if !mark.text.is_empty() {
                let text = printable(mark.text);
                row.push_str(&format!(" {}", style.paint(colour, &text)));
            }
            push_trimmed(&mut out, &row);
        }
    }

    let equals = style.paint(FRAME, "=");
    let offered = match (&diagnostic.help, &diagnostic.suggestion) {
        (Some(help), _) => Some(help.clone()),
        (None, Some(edit)) if !explained(diagnostic) => Some(format!("write `{}`", edit.replacement)),
        _ => None,
    };
    for note in diagnostic.notes.iter().chain(&offered) {
        let indent = format!("\n{blank}  ");
        out.push_str(&format!("{blank}{equals} {}\n", printable(note).replace('\n', &indent)));
    }
    out
}

/// Whether the carets already carry a remark, so that the edit need not be spelled out.
fn explained(diagnostic: &Diagnostic) -> bool {
    diagnostic.primary.as_ref().is_some_and(|label| !label.text.is_empty())
}

fn push_trimmed(out: &mut String, row: &str) {
    out.push_str(row.trim_end());
    out.push('\n');
}

/// A source line that is shown, with what is marked in it.
struct AnnotatedLine<'a> {
    number: usize,
    marks: Vec<Mark<'a>>,
}

/// A stretch of one line to underline, in bytes of that line.
struct Mark<'a> {
    start: usize,
    end: usize,
    primary: bool,
    text: &'a str,
}

fn annotated_lines<'a>(diagnostic: &'a Diagnostic, file: &SourceFile) -> Vec<AnnotatedLine<'a>> {
    let mut lines: Vec<AnnotatedLine<'a>> = Vec::new();
    let primary = diagnostic.primary.iter().map(|label| (label, true));
    let secondary = diagnostic.secondary.iter().map(|label| (label, false));
    for (label, primary) in primary.chain(secondary) {
        for (number, mark) in marks_of(label, primary, file) {
            match lines.iter_mut().find(|line| line.number == number) {
                Some(line) => line.marks.push(mark),
                None => lines.push(AnnotatedLine { number, marks: vec![mark] }),
            }
        }
    }
    lines.sort_by_key(|line| line.number);
    for line in &mut lines {
        line.marks.sort_by_key(|mark| (mark.start, mark.end));
    }
    lines
}

/// Cuts a label into lines; its text goes to the last of them.
fn marks_of<'a>(label: &'a Label, primary: bool, file: &SourceFile) -> Vec<(usize, Mark<'a>)> {
    let start = file.floor_char_boundary(label.span.start as usize);
    let end = file.ceil_char_boundary(label.span.end as usize).max(start);
    let first = file.position(start).line;
    // a span that ends with a line break does not reach into the next line
    let visible_end = start + file.slice(Span::new(start, end)).trim_end().len();
    let last = file.position(visible_end.max(start)).line;
    let whole = last - first < LINES_IN_FULL;
    let mut marks = Vec::new();
    for number in (first..=last).filter(|&n| whole || n <= first + 1 || n == last) {
        let Some(line) = file.line_span(number) else {
            continue;
        };
        let content = file.slice(line);
        let from = if number == first {
            start.min(line.end as usize) - line.start as usize
        } else {
            content.len() - content.trim_start().len()
        };
        let to = end.min(line.end as usize) - line.start as usize;
        let text = if number == last { label.text.as_str() } else { "" };
        if number == first || number == last || to > from {
            marks.push((number, Mark { start: from, end: to.max(from), primary, text }));
        }
    }
    marks
}

/// A line of source laid out in cells, and the part of it that is shown.
struct LineView {
    glyphs: Vec<Glyph>,
    width: usize,
    left: usize,  // first cell shown
    right: usize, // just past the last cell shown
}

struct Glyph {
    byte: usize,
    cell: usize,
    text: String,
}

impl LineView {
    fn new(line: &str, marks: &[Mark<'_>]) -> Self {
        let mut glyphs = Vec::new();
        let mut cell = 0;
        for (byte, c) in line.char_indices() {
            let (text, width) = match c {
                '\t' => {
                    let width = TAB - cell % TAB;
                    (" ".repeat(width), width)
                }
                c => (visible(c).to_string(), cells(c)),
            };
            glyphs.push(Glyph { byte, cell, text });
            cell += width;
        }
        let mut view = Self { glyphs, width: cell, left: 0, right: cell };
        if cell > WIDEST_LINE {
            view.choose_window(marks);
        }
        view
    }

    /// Shows as much before the labels as fits once their ends are in sight.
    fn choose_window(&mut self, marks: &[Mark<'_>]) {
        let shown = WIDEST_LINE - 2; // room for … on both sides
        let first = marks.iter().map(|mark| self.cell_at(mark.start)).min().unwrap_or(0);
        let last = marks.iter().map(|mark| self.cell_at(mark.end)).max().unwrap_or(0);
        let to_see_the_end = last.saturating_sub(shown).min(first.saturating_sub(4));
        self.left = first.saturating_sub(LEAD).max(to_see_the_end).min(self.width - shown);
        self.right = self.left + shown;
    }

    fn cell_at(&self, byte: usize) -> usize {
        let at = self.glyphs.partition_point(|glyph| glyph.byte < byte);
        self.glyphs.get(at).map_or(self.width, |glyph| glyph.cell)
    }

    fn text(&self) -> String {
        let mut out = String::new();
        if self.left > 0 {
            out.push('…');
        }
        let shown = self.left..self.right;
        for glyph in self.glyphs.iter().filter(|glyph| shown.contains(&glyph.cell)) {
            out.push_str(&glyph.text);
        }
        if self.right < self.width {
            out.push('…');
        }
        out
    }

    /// First cell and number of carets of a mark, within the text shown.
    fn carets(&self, mark: &Mark<'_>) -> (usize, usize) {
        let shift = usize::from(self.left > 0); // the leading …
        // the first glyph shown may begin a cell late when a wide one was cut
        let origin = self.glyphs.iter().map(|glyph| glyph.cell).find(|&cell| cell >= self.left).unwrap_or(self.left);
        let place = |byte| {
            let cell = self.cell_at(byte).clamp(origin, self.right.max(origin));
            cell - origin + shift
        };
        let (start, end) = (place(mark.start), place(mark.end));
        (start, end.saturating_sub(start).max(1))
    }
}

/// Text from the source or a message without anything a terminal would obey.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { visible(c) }).collect()
}

/// A character, or its stand-in if it is a control character.
fn visible(c: char) -> char {
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        // bidirectional controls could reorder what is shown
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

/// Terminal cells taken by a character that has passed [`visible`].
///
/// The ranges are the blocks of East Asian wide characters and of combining marks
/// that occur in practice (Unicode Standard Annex 11), not the full tables.
fn cells(c: char) -> usize {
    match visible(c) {
        '\u{300}'..='\u{36f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(diagnostic: &Diagnostic, text: &str) -> String {
        diagnostic.render(&SourceFile::new("m.toml", text), Style::Plain)
    }

    /// The span of `part`, which occurs once in `text`.
    fn find(text: &str, part: &str) -> Span {
        let start = text.find(part).expect("the part is in the text");
        Span::new(start, start + part.len())
    }

    #[test]
    fn labels_notes_and_help() {
        let text = "x = 1\n\n\n\n\n\n\n\n\nx = 2\n";
        let wrong = Diagnostic::error("duplicate-key", "`x` is defined twice")
            .at(Span::new(14, 15), "again here")
            .also(Span::new(0, 1), "first here")
            .note("lines 1 and 10")
            .help("remove one");
        assert_eq!(
            plain(&wrong, text),
            "\
error[duplicate-key]: `x` is defined twice
  ┌─ m.toml:10:1
  │
 1│ x = 1
  │ - first here
  ⋮
10│ x = 2
  │ ^ again here
  = lines 1 and 10
  = remove one
"
        );
    }

    #[test]
    fn without_a_place() {
        let wrong = Diagnostic::warning("no-coordinates", "nothing moves").note("add [coordinates]");
        assert_eq!(
            plain(&wrong, "title = 1"),
            "\
warning[no-coordinates]: nothing moves
  ┌─ m.toml
  = add [coordinates]
"
        );
    }

    #[test]
    fn suggestions_are_spelled_out_only_when_nothing_else_says_them() {
        let edit = |label: &str| Diagnostic::error("e", "m").at(Span::new(0, 1), label).suggest(Span::new(0, 1), "y");
        assert!(plain(&edit(""), "x").ends_with("  = write `y`\n"));
        assert!(plain(&edit("write `y`"), "x").ends_with("^ write `y`\n"));
    }

    #[test]
    fn tabs_greek_wide_and_combining() {
        let text = "\tθ̇ = \"日本 + xx\"";
        let wrong = Diagnostic::error("e", "m").at(find(text, "xx"), "here");
        assert_eq!(
            plain(&wrong, text),
            "\
error[e]: m
  ┌─ m.toml:1:13
  │
 1│     θ̇ = \"日本 + xx\"
  │                 ^^ here
"
        );
    }

    #[test]
    fn several_labels_on_one_line() {
        let text = "noslip = \"v + cross(omega, n) = [0, 0]\"";
        let wrong = Diagnostic::error("vector-dimension", "cannot add 2 and 3 components")
            .at(find(text, "+"), "")
            .also(find(text, "cross(omega, n)"), "3 components")
            .also(find(text, "v "), "2 components");
        let shown = plain(&wrong, text);
        let rows: Vec<&str> = shown.lines().skip(4).collect();
        assert_eq!(
            rows,
            ["  │           -- 2 components", "  │             ^", "  │               --------------- 3 components"]
        );
    }

    #[test]
    fn long_lines_are_a_window() {
        let text = format!("k = \"{}+ thta +{}\"", "a*b + ".repeat(40), " c*d".repeat(40));
        let wrong = Diagnostic::error("e", "m").at(find(&text, "thta"), "did you mean `theta`?");
        let shown = plain(&wrong, &text);
        let rows: Vec<&str> = shown.lines().collect();
        assert!(rows[3].contains("│ …") && rows[3].ends_with('…'), "{shown}");
        assert!(rows[3].chars().count() <= WIDEST_LINE + 5, "{shown}");
        let caret = rows[4].chars().position(|c| c == '^').expect("a caret");
        let under: String = rows[3].chars().skip(caret).take(4).collect();
        assert_eq!(under, "thta");
    }

    #[test]
    fn spans_over_lines() {
        let text = "a = [\n  1,\n  2\n]\nb = 1\n";
        let wrong = Diagnostic::error("e", "m").at(Span::new(4, 17), "this array");
        assert_eq!(
            plain(&wrong, text),
            "\
error[e]: m
  ┌─ m.toml:1:5
  │
 1│ a = [
  │     ^
 2│   1,
  │   ^^
 3│   2
  │   ^
 4│ ]
  │ ^ this array
"
        );
        let text = "l\n".repeat(30);
        let wrong = Diagnostic::error("e", "m").at(Span::new(0, 60), "all of it");
        let shown = plain(&wrong, &text);
        assert!(shown.contains("⋮\n30│ l\n  │ ^ all of it"), "{shown}");
    }

    #[test]
    fn end_of_file_and_control_characters() {
        let shown = plain(&Diagnostic::error("e", "m").at(Span::point(5), "more wanted"), "a = [\n");
        assert!(shown.contains(" 1│ a = [\n  │      ^ more wanted"), "{shown}");
        let shown = plain(&Diagnostic::error("e", "m\x1b[2J").at(Span::new(0, 1), ""), "\x1bx");
        assert!(!shown.contains('\x1b'), "{shown}");
    }

    #[test]
    fn colour_adds_only_escapes() {
        let file = SourceFile::new("m.toml", "x = 1\n");
        let wrong = Diagnostic::error("e", "m").at(Span::new(0, 1), "here").note("n");
        let coloured = wrong.render(&file, Style::Colour);
        let mut stripped = String::new();
        let mut rest = coloured.as_str();
        while let Some(at) = rest.find('\x1b') {
            stripped.push_str(&rest[..at]);
            rest = &rest[at..];
            rest = &rest[rest.find('m').expect("an escape ends") + 1..];
        }
        stripped.push_str(rest);
        assert_eq!(stripped, wrong.render(&file, Style::Plain));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 200,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_text_and_span_can_be_shown(
            text in "[a-zθ日\u{307}\t\r\n =]{0,160}",
            (a, b) in (0usize..500, 0usize..500),
            (c, d) in (0usize..500, 0usize..500),
        ) {
            let wrong = Diagnostic::error("e", "m")
                .at(Span::new(a, b), "one")
                .also(Span::new(c, d), "two");
            let shown = plain(&wrong, &text);
            prop_assert!(shown.contains("one") && shown.contains("two"));
        }
    }
}
