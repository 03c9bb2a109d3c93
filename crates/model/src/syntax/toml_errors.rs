//! Mistakes of TOML in the words of someone who writes a model.
//!
//! The parser says which rule was broken and where it noticed; what is said here is
//! what was probably meant, and the carets are moved to where the mending begins.
//! The descriptions matched below are those of `toml_parser` 1.1; one that is
//! unknown is passed on as it is.

use polhode_base::{Diagnostic, SourceFile, Span};
use toml_edit::TomlError;

use super::name::{greek, normalize_name};

const SYNTAX: &str = "toml-syntax";

/// The diagnostic for an error of the TOML parser.
pub(crate) fn diagnose(error: &TomlError, file: &SourceFile) -> Diagnostic {
    let range = error.span().unwrap_or(0..0);
    let start = file.floor_char_boundary(range.start);
    let end = file.ceil_char_boundary(range.end).max(start);
    let rule = error.message().split(", expected").next().unwrap_or("");
    Mistake { file, span: Span::new(start, end) }.explain(rule)
}

/// Where the parser noticed a mistake.
struct Mistake<'a> {
    file: &'a SourceFile,
    span: Span,
}

impl<'a> Mistake<'a> {
    fn explain(&self, rule: &str) -> Diagnostic {
        match rule {
            "duplicate key" => self
                .at(self.span, "duplicate-key", "this is defined already")
                .help("each table and each key stands in the file once"),
            "unexpected key or value" | "unexpected content" => self.something_follows(),
            "string values must be quoted" => self.unquoted(),
            "invalid basic string" | "invalid multi-line basic string" => self.string('"'),
            "invalid literal string" | "invalid multi-line literal string" => self.string('\''),
            "missing escaped value" | "too few unicode value digits" | "invalid value" => self
                .at(self.span, SYNTAX, "a backslash in \"…\" begins an escape such as `\\n`")
                .help("leave the backslash out; names are spelled `theta` or `θ`"),
            "missing comma between array elements" | "unclosed array" => self.open('[', ']'),
            "missing comma between key-value pairs"
            | "missing key for inline table element"
            | "invalid inline table element"
            | "unclosed inline table" => self.open('{', '}'),
            "extra assignment between key-value pairs" => {
                self.at(self.span, SYNTAX, "a comma is missing between two entries").help("write `{ a = 1, b = 2 }`")
            }
            "missing assignment between key-value pairs" => self
                .at(self.on_content(), SYNTAX, "an entry of a table is a key, `=` and a value")
                .help("write `{ a = 1, b = 2 }`"),
            "extra comma in array" | "extra comma in inline table" => {
                self.at(self.span, SYNTAX, "a comma too many").help("remove it")
            }
            "missing array opening" | "missing inline table opening" | "missing table open" => self
                .at(self.on_character(), SYNTAX, "this bracket closes nothing")
                .help("remove it, or add the one that opens"),
            "unclosed table" | "unclosed array table" => {
                let line = self.line();
                let missing = if rule == "unclosed table" { "]" } else { "]]" };
                self.at(self.span_in_line(line), SYNTAX, "the header is not closed")
                    .help(format!("write `{}{missing}`", line.trim().trim_end_matches(']')))
            }
            "key with no value" | "missing value for key" | "invalid key-value pair" => self.key_alone(),
            "invalid unquoted key" => self.wrong_key(),
            "unquoted keys cannot be empty" if self.line().trim_start().starts_with('[') => self
                .at(self.span_in_line(self.line()), SYNTAX, "a header without a name")
                .help("write `[parameters]`, say"),
            "unquoted keys cannot be empty" => {
                self.at(self.on_character(), SYNTAX, "a name is missing here").help("write `name = value`")
            }
            "extra `=`" => self.at(self.span, SYNTAX, "an `=` too many").help("remove it"),
            "integer number overflowed" | "floating-point number overflowed" => self
                .at(self.span, SYNTAX, "the number is too large to stand without quotes")
                .help("put it in quotes; it is then read exactly"),
            "invalid boolean" => self
                .at(self.span, SYNTAX, "truth values are written in small letters")
                .help("write `true` or `false`; put anything else in quotes"),
            "carriage return must be followed by newline" => self
                .at(self.span, SYNTAX, "a lone carriage return")
                .help("save the file with the line ends of Unix or Windows"),
            "cannot recurse further; max recursion depth met" | "recursion limit" => self
                .at(self.span, SYNTAX, "arrays and tables are nested too deeply")
                .help("take the inner ones out into tables of their own"),
            _ if rule.starts_with("cannot extend value") => {
                let key = self.file.slice(self.span);
                let error = self.at(self.span, SYNTAX, format!("`{key}` is a value already, not a table"));
                let path = self.line().split('=').next().unwrap_or("").trim();
                if path.contains('.') && !path.contains(['[', '"', '\'']) {
                    return error
                        .help(format!("put the name with its dot in quotes, `\"{path}\"`, or rename one of the two"));
                }
                error.help("rename one of the two")
            }
            _ if is_about_numbers(rule) => self
                .at(self.on_content(), SYNTAX, format!("not a number: {rule}"))
                .help("write numbers as `1`, `0.25` or `1e-3`, and formulas in quotes"),
            _ => self
                .at(self.span, SYNTAX, if rule.is_empty() { "not TOML" } else { rule })
                .help("check quotes, brackets and commas in this line"),
        }
    }

    fn at(&self, span: Span, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, message).at(span, "")
    }

    fn text_before(&self) -> &'a str {
        &self.file.text()[..self.span.start as usize]
    }

    fn text_after(&self) -> &'a str {
        &self.file.text()[self.span.start as usize..]
    }

    /// The line of the mistake.
    fn line(&self) -> &'a str {
        let position = self.file.position(self.span.start as usize);
        self.file.line_text(position.line).unwrap_or("")
    }

    /// The span of a part of the text, which is a slice of the file.
    fn span_in_line(&self, line: &str) -> Span {
        let position = self.file.position(self.span.start as usize);
        let start = self.file.line_span(position.line).map_or(0, |span| span.start as usize);
        let indent = line.len() - line.trim_start().len();
        Span::new(start + indent, start + indent + line.trim().len())
    }

    /// The span, widened to a character if it is empty and one is there.
    fn on_character(&self) -> Span {
        match self.text_after().chars().next() {
            Some(c) if self.span.is_empty() && !c.is_whitespace() => {
                let start = self.span.start as usize;
                Span::new(start, start + c.len_utf8())
            }
            _ => self.span,
        }
    }

    /// The span, or the word that ends where an empty span begins.
    fn on_content(&self) -> Span {
        if !self.span.is_empty() {
            return self.span;
        }
        let before = self.text_before();
        let word = |c: char| !c.is_whitespace() && !"=,[]{}".contains(c);
        let start = before.trim_end_matches(word).len();
        let after = self.text_after();
        let len = after.find(|c| !word(c)).unwrap_or(after.len());
        Span::new(start, self.span.start as usize + len)
    }

    /// Just past the last visible character before the mistake, comments left out.
    fn end_of_content(&self) -> Span {
        let mut before = self.text_before().trim_end();
        while let Some(line) = before.lines().next_back().map(str::trim) {
            if !line.starts_with('#') {
                break;
            }
            before = before[..before.len() - line.len()].trim_end();
        }
        Span::point(before.len())
    }

    /// `x = 'm*y'^2'`, `x = 1,5`, `x = "a" b`.
    fn something_follows(&self) -> Diagnostic {
        let before = self.text_before().trim_end_matches([' ', '\t']);
        let after = self.text_after();
        if before.ends_with('\'') && after.contains('\'') {
            let quote = Span::new(before.len() - 1, before.len());
            return self
                .at(quote, SYNTAX, "the string ends at this quote, and something follows")
                .help("put a formula with primes in double quotes: \"x'^2\"");
        }
        if after.starts_with([']', '}']) {
            return self
                .at(self.on_character(), SYNTAX, "this bracket closes nothing")
                .help("remove it, or add the one that opens");
        }
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        if let Some((key, value)) = before[line_start..].split_once('=') {
            if after.starts_with(',') && value.trim().parse::<f64>().is_ok() {
                return self
                    .at(self.on_character(), SYNTAX, "a comma is not a decimal point")
                    .help("the decimal point is a dot: `0.5`");
            }
            let rest = self.line()[key.len() + 1..].trim_start();
            if !rest.starts_with(['"', '\'', '[', '{']) {
                let start = line_start + self.line().len() - rest.len();
                let value = rest.split('#').next().unwrap_or(rest).trim_end();
                return self
                    .at(Span::new(start, start + value.len()), SYNTAX, "a formula needs quotes")
                    .help(format!("write `\"{value}\"`"));
            }
        }
        self.at(self.on_character(), SYNTAX, "something follows the value in this line")
            .help("begin a new line; comments begin with `#`")
    }

    /// A value that is neither a number nor in quotes.
    fn unquoted(&self) -> Diagnostic {
        let value = self.file.slice(self.span);
        if value.is_empty() {
            let span = self.end_of_content();
            return self
                .at(span, SYNTAX, "a value is missing here")
                .help("write a number, or text in quotes, after `=`");
        }
        if value.starts_with(['“', '”', '‘', '’', '«', '„']) {
            return self.at(self.span, SYNTAX, "these are not the quotes of TOML").help("write straight quotes: \"…\"");
        }
        for comment in ["//", ";", "%"] {
            if let Some((number, _)) = value.split_once(comment)
                && number.trim().parse::<f64>().is_ok()
            {
                let start = self.span.start as usize + number.len();
                let span = Span::new(start, self.span.end as usize);
                return self
                    .at(span, SYNTAX, "something follows the value in this line")
                    .help("comments begin with `#`");
            }
        }
        let words: Vec<&str> = value.split_whitespace().collect();
        if words.len() > 1 && words.iter().all(|word| word.parse::<f64>().is_ok()) {
            return self
                .at(self.span, SYNTAX, "commas are missing between the numbers")
                .help(format!("write `{}`", words.join(", ")));
        }
        let error = self.at(self.span, SYNTAX, "text and formulas go in quotes");
        if value.contains(['"', '\\', '\n']) {
            return error.help("write `name = \"formula\"`");
        }
        let quoted = format!("\"{}\"", value.trim());
        error.help(format!("write `{quoted}`")).suggest(self.span, quoted)
    }

    fn string(&self, quote: char) -> Diagnostic {
        let inside = self.file.slice(self.span);
        if inside.chars().any(char::is_control) {
            return self.at(self.span, SYNTAX, "a control character in a string").help("remove it");
        }
        let error = self.at(self.span, SYNTAX, "the string is not closed");
        if quote == '\'' {
            return error.help("add `'`, or put a formula with primes in double quotes: \"x'^2\"");
        }
        error.help("add `\"`; a formula of several lines goes between \"\"\" and \"\"\"")
    }

    /// A list that does not go on as it should.
    fn open(&self, open: char, close: char) -> Diagnostic {
        let what = if open == '[' { "array" } else { "table" };
        let span = self.end_of_content();
        self.at(span, SYNTAX, format!("this {what} is not closed, or a comma is missing"))
            .help(format!("add `,` between its entries, and `{close}` at its end"))
    }

    /// A line with a key but without `= value`.
    fn key_alone(&self) -> Diagnostic {
        let line = self.line();
        let (key, assigned) = match line.split_once('=') {
            Some((key, _)) => (key, true),
            None => (line.split('#').next().unwrap_or(line), false),
        };
        let span = self.span_in_line(key);
        let key = key.trim();
        let error = self.at(span, SYNTAX, "expected `key = value`");
        if assigned && !key.contains(['"', '\'']) && key.contains([' ', '\t']) {
            return self
                .at(span, SYNTAX, "a key with spaces needs quotes")
                .help(format!("write `\"{key}\" = …`"))
                .suggest(span, format!("\"{key}\""));
        }
        match key.split_once(':') {
            Some((key, value)) if !assigned => error.help(format!("write `{} = {}`", key.trim(), value.trim())),
            _ if assigned => error.help("a key is one word, or text in quotes"),
            _ => error.help(format!("write `{key} = …`")),
        }
    }

    fn wrong_key(&self) -> Diagnostic {
        let span = self.on_content();
        let key = self.file.slice(span);
        if key.chars().any(|c| greek(c).is_some()) {
            let name = normalize_name(key);
            return self
                .at(span, SYNTAX, "keys are written in Latin letters")
                .help(format!("write `{name}`; formulas may call it `{key}` all the same"))
                .suggest(span, name);
        }
        if key.contains('\'') {
            return self
                .at(span, SYNTAX, "a prime ends a key")
                .help("write `x'` for the velocity of `x`, or put the key in quotes");
        }
        self.at(span, SYNTAX, "a key is made of letters, digits, `_` and `-`")
            .help(format!("put any other key in quotes: `\"{key}\" = …`"))
    }
}

fn is_about_numbers(rule: &str) -> bool {
    let words = ["mantissa", "fraction", "float", "integer", "exponent", "leading zero", "numeric", "`_` may"];
    words.iter().any(|word| rule.contains(word))
}

#[cfg(test)]
mod tests {
    use polhode_base::Style;

    use super::super::parse_document;
    use super::*;

    #[test]
    fn mistakes_are_answered() {
        // text, source under the carets, part of the answer
        for (text, part, advice) in [
            ("kinetic = 'm/2*x'^2'\n", "'", "double quotes"),
            ("x = 'it's'\n", "'", "double quotes"),
            ("x = real\n", "real", "write `\"real\"`"),
            ("x = M*r^2/4\n", "M*r^2/4", "write `\"M*r^2/4\"`"),
            ("x = (1, 2)  # two\n", "(1, 2)", "write `\"(1, 2)\"`"),
            ("x = \"abc\n", "", "not closed"),
            ("x = 'abc\ny = 1\n", "", "not closed"),
            ("x = \"\"\"abc\n", "", "not closed"),
            ("x = \"a\\qb\"\n", "", "backslash"),
            ("x = [1, 2\ny = 2\n", "", "`]` at its end"),
            ("x = [1 2]\n", "1 2", "write `1, 2`"),
            ("x = [1,,2]\n", ",", "remove it"),
            ("x = { a = 1\ny = 2\n", "", "`}` at its end"),
            ("x = { a = 1 b = 2 }", "", "comma is missing"),
            ("x = {a: 1}", "1", "{ a = 1, b = 2 }"),
            ("[parameters\nx = 1\n", "[parameters", "write `[parameters]`"),
            ("[[a]\n", "[[a]", "write `[[a]]`"),
            ("[]\n", "[]", "without a name"),
            ("[a]]\n", "]", "closes nothing"),
            ("x = ]\n", "]", "closes nothing"),
            ("x\n", "x", "write `x = …`"),
            ("x =\ny = 1\n", "", "value is missing"),
            ("x = = 1", "=", "remove it"),
            ("= 1\n", "=", "name is missing"),
            ("no slip x = \"a\"\n", "no slip x", "write `\"no slip x\" = …`"),
            ("x: 1\n", "x: 1", "write `x = 1`"),
            ("θ = 1\n", "θ", "write `theta`"),
            ("θ' = 1\n", "θ'", "write `theta'`"),
            ("x'y = 1\n", "'", "velocity"),
            ("é = 1\n", "é", "in quotes"),
            ("x = 1,5\n", ",", "`0.5`"),
            ("x = 1 // c\n", "// c", "`#`"),
            ("x = \"a\" b\n", "b", "new line"),
            ("x = 01\n", "0", "`0.25`"),
            ("x = .5\n", ".5", "`0.25`"),
            ("x = 1.\n", "1.", "`0.25`"),
            ("x = 9999999999999999999999\n", "9999999999999999999999", "in quotes"),
            ("x = True\n", "True", "write `true`"),
            ("x = “abc”\n", "“abc”", "straight quotes"),
            ("x = \"a\u{1}b\"\n", "\u{1}", "control character"),
            ("x = 1\ry = 2\n", "", "line ends"),
            ("a = 1\na.b = 2\n", "a", "not a table"),
            ("a.b = 1\n[a]\nb = 2\n", "a", "twice"),
        ] {
            let file = SourceFile::new("m.toml", text);
            let document = parse_document(&file);
            let error = document.diagnostics.iter().next().unwrap_or_else(|| panic!("{text:?}"));
            let span = error.span().expect("a place");
            assert_eq!(file.slice(span), part, "{text:?}");
            let shown = error.render(&file, Style::Plain);
            assert!(shown.contains(advice), "{text:?}\n{shown}");
            assert!(shown.contains("  = "), "{text:?} says what to do\n{shown}");
        }
    }

    #[test]
    fn the_end_of_the_content_is_shown() {
        let text = "x = [1, 2\n# a comment\n\ny = 2\n";
        let file = SourceFile::new("m.toml", text);
        let document = parse_document(&file);
        assert_eq!(
            document.diagnostics.render(&file, Style::Plain),
            "\
error[toml-syntax]: this array is not closed, or a comma is missing
  ┌─ m.toml:1:10
  │
 1│ x = [1, 2
  │          ^
  = add `,` between its entries, and `]` at its end
"
        );
    }
}
