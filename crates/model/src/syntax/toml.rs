//! Model files as ordered trees with places.
//!
//! The grammar is TOML, read by `toml_edit`, with the liberty of [primes in bare
//! keys](super::primes). The tree differs from other TOML trees in three ways: it keeps
//! the order of the file, every key and value knows its span, and numbers are
//! [`Decimal`]s, so that `9.81` is 981/100.
//!
//! There is always a tree. A key that is defined twice is reported and its first
//! value kept; after any other mistake of syntax the tree is empty.

use polhode_base::{Diagnostic, Diagnostics, SourceFile, Span};
use toml_edit::{InlineTable, Item};

use super::ast::{Expr, ExprKind};
use super::decimal::Decimal;
use super::formula::parse_expr;
use super::literal::StringLit;
use super::primes::{bare_words, mask_primes};
use super::{SyntaxError, toml_errors};

/// A model file that has been read, as far as it could be.
#[derive(Clone, Debug)]
pub struct Document {
    /// The entries of the file.
    pub root: Table,
    /// What was wrong with the syntax.
    pub diagnostics: Diagnostics,
}

/// Keys and values in the order of the file; no two keys are equal.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The entries.
    pub entries: Vec<(Key, Value)>,
    /// The `[header]`, the `{ … }`, or the key that opened it; all of the file for the root.
    pub span: Span,
}

/// A key of a [`Table`], as written: one part of a dotted key, without quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// The name, primes included.
    pub name: String,
    /// Where it is written, quotes included.
    pub span: Span,
}

/// A value with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Where it is written; see [`Table::span`] for tables.
    pub span: Span,
}

/// The kinds of value.
#[derive(Clone, PartialEq, Debug)]
pub enum ValueKind {
    /// Any of the four kinds of string.
    String(StringLit),
    /// An integer or decimal number, possibly negative.
    Number(Decimal),
    /// `true` or `false`.
    Bool(bool),
    /// `[a, b]`, or the tables under repeated `[[header]]`s.
    Array(Vec<Value>),
    /// `{ … }`, or what stands under a `[header]`.
    Table(Table),
    /// What models have no use for: dates, `inf`, `nan`.
    Other,
}

impl Table {
    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entry(name).map(|(_, value)| value)
    }

    /// A key, where it is written, and its value.
    pub fn entry(&self, name: &str) -> Option<(&Key, &Value)> {
        self.iter().find(|(key, _)| key.name == name)
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Value)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Value {
    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        self.as_string().map(StringLit::text)
    }

    /// The string with its offsets, if it is one.
    pub fn as_string(&self) -> Option<&StringLit> {
        match &self.kind {
            ValueKind::String(literal) => Some(literal),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Decimal> {
        match &self.kind {
            ValueKind::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind {
            ValueKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match &self.kind {
            ValueKind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if it is a table.
    pub fn as_table(&self) -> Option<&Table> {
        match &self.kind {
            ValueKind::Table(table) => Some(table),
            _ => None,
        }
    }

    /// What it is, in words for messages: `a string`, `a table`, ….
    pub fn describe(&self) -> &'static str {
        match self.kind {
            ValueKind::String(_) => "a string",
            ValueKind::Number(_) => "a number",
            ValueKind::Bool(_) => "a truth value",
            ValueKind::Array(_) => "an array",
            ValueKind::Table(_) => "a table",
            ValueKind::Other => "a date, `inf` or `nan`",
        }
    }

    /// Reads it as a formula: a string as one, a number as itself, an array as a vector.
    pub fn to_expr(&self) -> Result<Expr, SyntaxError> {
        match &self.kind {
            ValueKind::String(literal) => parse_expr(literal),
            ValueKind::Number(number) => {
                let size = Expr::new(ExprKind::Number(number.abs()), self.span);
                Ok(if number.is_negative() { Expr::new(ExprKind::Neg(size.into()), self.span) } else { size })
            }
            ValueKind::Array(items) if !items.is_empty() => {
                let components = items.iter().map(Value::to_expr).collect::<Result<_, _>>()?;
                Ok(Expr::new(ExprKind::Vector(components), self.span))
            }
            _ => {
                let message = format!("expected a formula, found {}", self.describe());
                let error = Diagnostic::error("not-a-formula", message)
                    .at(self.span, "")
                    .help("write a number, a formula in quotes, or an array of these");
                Err(Box::new(error))
            }
        }
    }
}

/// Makes a source text of the bytes of a file.
///
/// Bytes that are not UTF-8 are shown as `�` and reported at the first of them.
pub fn decode_source(name: &str, bytes: &[u8]) -> (SourceFile, Diagnostics) {
    let wrong = match std::str::from_utf8(bytes) {
        Ok(text) => return (SourceFile::new(name, text), Diagnostics::new()),
        Err(wrong) => wrong,
    };
    let file = SourceFile::new(name, String::from_utf8_lossy(bytes));
    let dropped = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }; // byte order mark
    let at = wrong.valid_up_to().saturating_sub(dropped);
    let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let help = if utf16 { "the file looks like UTF-16; save it as UTF-8" } else { "save the file as UTF-8" };
    let span = Span::new(at, file.ceil_char_boundary(at + 1));
    let error = Diagnostic::error("not-utf8", "the file is not UTF-8 text").at(span, "");
    (file, error.help(help).into())
}

/// Reads a model file.
pub fn parse_document(file: &SourceFile) -> Document {
    let mut reader = Reader { file, renamed: Vec::new(), diagnostics: Diagnostics::new() };
    let mut text = mask_primes(file.text()).into_owned();
    let root = loop {
        match toml_edit::Document::parse(text.as_str()) {
            Ok(document) => break reader.root(document.as_table()),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let duplicate = error.message().starts_with("duplicate key");
                if !(duplicate && reader.rename(&mut text, Span::from(span))) {
                    reader.diagnostics.push(toml_errors::diagnose(&error, file));
                    break Table { entries: Vec::new(), span: file.span() };
                }
            }
        }
    };
    reader.diagnostics.sort();
    Document { root, diagnostics: reader.diagnostics }
}

/// Turns the tree of `toml_edit` into ours.
struct Reader<'a> {
    file: &'a SourceFile,
    renamed: Vec<Span>, // keys that were defined before, see `rename`
    diagnostics: Diagnostics,
}

/// How many repeated keys are reported before giving up.
const MAX_DUPLICATES: usize = 50;

impl Reader<'_> {
    /// Gives a repeated key a name of its own in `text`, so that reading can go on.
    ///
    /// False if that cannot help.
    fn rename(&mut self, text: &mut String, span: Span) -> bool {
        if self.renamed.len() >= MAX_DUPLICATES
            || self.renamed.contains(&span)
            || span.is_empty()
            || text.get(span.range()).is_none()
        {
            return false;
        }
        let Some(name) = free_name(text, span.len()) else {
            return false;
        };
        text.replace_range(span.range(), &name);
        self.renamed.push(span);
        true
    }

    fn root(&mut self, table: &toml_edit::Table) -> Table {
        self.table(table, self.file.span())
    }

    fn table(&mut self, table: &toml_edit::Table, span: Span) -> Table {
        let mut entries = Vec::with_capacity(table.len());
        for (name, item) in table.iter() {
            let key = self.key(table.key(name), name, span);
            if let Some(value) = self.item(item, key.span) {
                entries.push((key, value));
            }
        }
        self.finish(entries, span)
    }

    fn inline_table(&mut self, table: &InlineTable, span: Span) -> Table {
        let mut entries = Vec::with_capacity(table.len());
        for (name, value) in table.iter() {
            let key = self.key(table.key(name), name, span);
            let value = self.value(value, key.span);
            entries.push((key, value));
        }
        self.finish(entries, span)
    }

    fn key(&self, key: Option<&toml_edit::Key>, name: &str, table: Span) -> Key {
        let span = key.and_then(toml_edit::Key::span).map_or(table, Span::from);
        // the original has the primes, and the true name of a renamed key
        let raw = self.file.slice(span);
        let name = match raw.chars().next() {
            Some('"' | '\'') => StringLit::decode(raw, 0).map(|literal| literal.text().to_owned()),
            Some(_) if key.is_some() => Some(raw.to_owned()),
            _ => None,
        }
        .unwrap_or_else(|| name.to_owned());
        Key { name, span }
    }

    fn item(&mut self, item: &Item, key: Span) -> Option<Value> {
        let span = item.span().map_or(key, Span::from);
        let kind = match item {
            Item::None => return None,
            Item::Value(value) => return Some(self.value(value, key)),
            Item::Table(table) => ValueKind::Table(self.table(table, span)),
            Item::ArrayOfTables(tables) => {
                let mut items = Vec::with_capacity(tables.len());
                for table in tables.iter() {
                    let span = table.span().map_or(key, Span::from);
                    let kind = ValueKind::Table(self.table(table, span));
                    items.push(Value { kind, span });
                }
                ValueKind::Array(items)
            }
        };
        Some(Value { kind, span })
    }

    fn value(&mut self, value: &toml_edit::Value, key: Span) -> Value {
        let span = value.span().map_or(key, Span::from);
        let raw = self.file.slice(span);
        let kind = match value {
            toml_edit::Value::String(_) => {
                StringLit::decode(raw, span.start as usize).map_or(ValueKind::Other, ValueKind::String)
            }
            toml_edit::Value::Integer(integer) => ValueKind::Number(
                // hexadecimal and the like have no decimal text, but they are small
                Decimal::parse(raw).unwrap_or_else(|_| Decimal::from(*integer.value())),
            ),
            toml_edit::Value::Float(_) => Decimal::parse(raw).map_or(ValueKind::Other, ValueKind::Number),
            toml_edit::Value::Boolean(value) => ValueKind::Bool(*value.value()),
            toml_edit::Value::Datetime(_) => ValueKind::Other,
            toml_edit::Value::Array(items) => {
                ValueKind::Array(items.iter().map(|item| self.value(item, span)).collect())
            }
            toml_edit::Value::InlineTable(table) => ValueKind::Table(self.inline_table(table, span)),
        };
        Value { kind, span }
    }

    /// Puts the entries of one table into the order of the file and deals with
    /// those that are there twice.
    fn finish(&mut self, mut entries: Vec<(Key, Value)>, span: Span) -> Table {
        entries.sort_by_key(|(key, _)| key.span.start);
        let mut table = Table { entries: Vec::with_capacity(entries.len()), span };
        for (key, value) in entries {
            let first = table.entries.iter_mut().find(|(first, _)| first.name == key.name);
            let Some((first_key, first_value)) = first.filter(|_| self.renamed.contains(&key.span)) else {
                table.entries.push((key, value));
                continue;
            };
            self.diagnostics.push(duplicate(self.file, &key, first_key, &value));
            if let (ValueKind::Table(first), ValueKind::Table(again)) = (&mut first_value.kind, value.kind) {
                // read on as if the header were not there twice
                for (key, value) in again.entries {
                    if first.get(&key.name).is_none() {
                        first.entries.push((key, value));
                    }
                }
            }
        }
        table
    }
}

fn duplicate(file: &SourceFile, again: &Key, first: &Key, value: &Value) -> Diagnostic {
    let line = |key: &Key| file.position(key.span.start as usize).line;
    let (one, two) = (line(first), line(again));
    let lines = if one == two { format!("in line {one}") } else { format!("in lines {one} and {two}") };
    let help = match value.kind {
        ValueKind::Table(_) => format!("put all its entries under the one in line {one}"),
        _ => "remove one of the two, or rename it".to_owned(),
    };
    Diagnostic::error("duplicate-key", format!("`{}` is defined twice, {lines}", again.name))
        .at(again.span, "defined again here")
        .also(first.span, "first defined here")
        .help(help)
}

/// A bare key of `len` bytes that occurs nowhere in `text`.
fn free_name(text: &str, len: usize) -> Option<String> {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let taken: std::collections::HashSet<&str> = bare_words(text).filter(|word| word.len() == len).collect();
    (0..=taken.len()).find_map(|number| {
        let mut number = number;
        let mut name = vec![b'a'; len];
        for letter in name.iter_mut().rev() {
            *letter = LETTERS[number % LETTERS.len()];
            number /= LETTERS.len();
        }
        let name = String::from_utf8(name).ok()?;
        (number == 0 && !taken.contains(name.as_str())).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISK: &str = r#"
title = "Disk"
[parameters]
M  = 1.0               # mass, kg
g  = 9.81
I1 = "M*r^2/4"
[coordinates]
theta = "(0, pi)"
x     = 'real'
[constraints]
"no slip x" = "x' = -r*cos(phi)*psi'"
[initial]
velocity = { theta = 0.2, x' = 1, phi.a' = 1e-3 }
psi' = -1
"#;

    fn read(text: &str) -> (SourceFile, Document) {
        let file = SourceFile::new("m.toml", text);
        let document = parse_document(&file);
        (file, document)
    }

    fn names(table: &Table) -> Vec<&str> {
        table.iter().map(|(key, _)| key.name.as_str()).collect()
    }

    fn table<'a>(table: &'a Table, name: &str) -> &'a Table {
        table.get(name).and_then(Value::as_table).expect(name)
    }

    #[test]
    fn a_model_is_read() {
        let (file, document) = read(DISK);
        assert!(document.diagnostics.is_empty(), "{:?}", document.diagnostics);
        let root = &document.root;
        assert_eq!(names(root), ["title", "parameters", "coordinates", "constraints", "initial"]);
        let parameters = table(root, "parameters");
        let g = parameters.get("g").and_then(Value::as_number).expect("a number");
        assert_eq!(g.text(), "9.81");
        assert_eq!(file.slice(parameters.span), "[parameters]");
        let (key, value) = table(root, "constraints").entry("no slip x").expect("an entry");
        assert_eq!(file.slice(key.span), "\"no slip x\"");
        let literal = value.as_string().expect("a string");
        let at = literal.text().find("cos").expect("part of it");
        assert_eq!(file.slice(literal.span_of(at..at + 8)), "cos(phi)");
        assert_eq!(file.slice(value.span), "\"x' = -r*cos(phi)*psi'\"");
    }

    #[test]
    fn primed_keys() {
        let (file, document) = read(DISK);
        let initial = table(&document.root, "initial");
        assert_eq!(names(initial), ["velocity", "psi'"]);
        let velocity = table(initial, "velocity");
        assert_eq!(names(velocity), ["theta", "x'", "phi"]);
        assert_eq!(names(table(velocity, "phi")), ["a'"]);
        let (key, value) = initial.entry("psi'").expect("an entry");
        assert_eq!((file.slice(key.span), file.slice(value.span)), ("psi'", "-1"));
        let expr = value.to_expr().expect("a number");
        assert_eq!(expr.to_string(), "-1");
    }

    #[test]
    fn values_as_formulas() {
        let text = "v = [0, \"2*a\", -0.5]\nw = { a = 1 }\ne = []\nh = 0x1F\nf = \"a +\"\n";
        let (file, document) = read(text);
        let formula = |name: &str| document.root.get(name).expect(name).to_expr();
        assert_eq!(formula("v").expect("a vector").to_string(), "[0, 2*a, -0.5]");
        assert_eq!(formula("h").expect("a number").to_string(), "31");
        let error = formula("w").expect_err("a table");
        assert_eq!((error.code, error.message.as_str()), ("not-a-formula", "expected a formula, found a table"));
        assert_eq!(formula("e").expect_err("empty").code, "not-a-formula");
        let error = formula("f").expect_err("incomplete");
        assert_eq!(error.location(&file).expect("a place").line, 5);
    }

    #[test]
    fn other_values() {
        let (_, document) = read("a = inf\nb = 1979-05-27\nc = true\n[[d]]\nx = 1\n[[d]]\nx = 2\n");
        let root = &document.root;
        assert_eq!(root.get("a").expect("a").kind, ValueKind::Other);
        assert_eq!(root.get("b").expect("b").kind, ValueKind::Other);
        assert_eq!(root.get("c").and_then(Value::as_bool), Some(true));
        assert_eq!(root.get("d").and_then(Value::as_array).map(<[Value]>::len), Some(2));
    }

    #[test]
    fn repeated_keys_name_both_lines() {
        let text = "x' = 1\n[a]\nb = 1\n\"b\" = 2\nc = { d = 1, d = 2 }\n[e]\n[a]\nf = 3\n";
        let (file, document) = read(text);
        let messages: Vec<&str> = document.diagnostics.iter().map(|each| each.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "`b` is defined twice, in lines 3 and 4",
                "`d` is defined twice, in line 5",
                "`a` is defined twice, in lines 2 and 7",
            ]
        );
        let places: Vec<usize> =
            document.diagnostics.iter().map(|each| each.location(&file).expect("a place").line).collect();
        assert_eq!(places, [4, 5, 7]);
        // the first value is kept, and the second [a] read as part of the first
        let a = table(&document.root, "a");
        assert_eq!(names(a), ["b", "c", "f"]);
        assert_eq!(a.get("b").and_then(Value::as_number).map(Decimal::text), Some("1"));

        let (_, document) = read("x' = 1\nx' = 2\n");
        assert_eq!(document.diagnostics.iter().next().map(|each| each.code), Some("duplicate-key"));
        let (_, document) = read(&"x = 1\n".repeat(500));
        assert!(document.diagnostics.has_errors());
    }

    #[test]
    fn line_ends_marks_and_nothing() {
        let (file, document) = read("\u{feff}x' = 1\r\n[a]\r\ny = \"b\"\r\n");
        assert!(document.diagnostics.is_empty());
        assert_eq!(names(&document.root), ["x'", "a"]);
        let (_, value) = table(&document.root, "a").entry("y").expect("an entry");
        assert_eq!(file.position(value.span.start as usize).line, 3);
        for text in ["", "\n", "# only a comment", "\u{feff}"] {
            let (_, document) = read(text);
            assert!(document.root.is_empty() && document.diagnostics.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_text() {
        let (file, diagnostics) = decode_source("m.toml", b"a = 1\nb = \"\xe9\"\n");
        let error = diagnostics.iter().next().expect("an error");
        let place = error.location(&file).expect("a place");
        assert_eq!((error.code, place.line, place.column), ("not-utf8", 2, 6));
        let (_, diagnostics) = decode_source("m.toml", b"\xff\xfea\0");
        assert!(diagnostics.iter().any(|each| each.help.as_deref().is_some_and(|h| h.contains("UTF-16"))));
        let (file, diagnostics) = decode_source("m.toml", "\u{feff}θ".as_bytes());
        assert!(diagnostics.is_empty() && file.text() == "θ");
    }

    #[test]
    fn free_names_are_free() {
        assert_eq!(free_name("a = 1", 1).as_deref(), Some("b"));
        assert_eq!(free_name("aa ab", 2).as_deref(), Some("ac"));
        let all: String = ('a'..='z').chain('0'..='9').chain('A'..='Z').flat_map(|c| [c, ' ']).collect();
        assert_eq!(free_name(&all, 1), None);
    }
}
