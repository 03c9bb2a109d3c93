//! What commands print for people, as blocks of a page.
//!
//! | there | here |
//! | --- | --- |
//! | the lines with title and numbers of the system that all commands begin with | nothing: the page has them |
//! | a line that is not indented | a heading |
//! | lines of a name and what is said about it, `  rank           2` | a table of two columns |
//! | dots of braille in the place of curves | nothing: the page has pictures |
//! | advice what to type next | nothing |
//! | other lines | as they are |

use super::{block, capital};
use serde_json::{Value, json};

/// What begins a paragraph of advice.
const ADVICE: [&str; 4] = ["more:", "next:", "a search is as large as", "Some formulas are too long to read"];

/// A line that begins so far to the right continues the one before.
const CONTINUED: usize = 12;

/// Why a command says nothing.
pub(super) fn refusal(why: &str) -> Vec<Value> {
    let lines = why.lines().map(|l| l.trim().trim_start_matches("= ")).filter(|l| !l.is_empty());
    lines.map(|l| block("text", &capital(l))).collect()
}

/// The blocks of a text.
pub(super) fn blocks(text: &str) -> Vec<Value> {
    let rest = text.split_once("\n\n").map_or(text, |(_, rest)| rest);
    rest.split("\n\n").filter(|p| !is_advice(p)).flat_map(paragraph).collect()
}

fn is_advice(paragraph: &str) -> bool {
    ADVICE.iter().any(|a| paragraph.trim_start().starts_with(a))
}

fn is_picture(line: &str) -> bool {
    line.contains(|c| ('\u{2800}'..='\u{28ff}').contains(&c))
}

fn paragraph(text: &str) -> Vec<Value> {
    let drawn = text.lines().any(is_picture);
    let mut lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty() && !is_picture(l)).collect();
    // of a paragraph with curves only what is not about them is left
    lines.retain(|l| !(drawn && l.trim_start().starts_with("and ") && l.contains("more: see")));
    let mut out = Vec::new();
    if let Some(title) = lines.first().copied().filter(|l| !l.starts_with(' ')) {
        out.push(block("heading", &capital(title)));
        lines.remove(0);
    }
    match (&lines[..], rows(&lines)) {
        ([], _) => {}
        ([one], _) if one.contains(" · ") => out.push(block("text", one.trim())),
        (_, Some(rows)) => out.push(json!({ "kind": "table", "head": [], "rows": rows })),
        (lines, None) => out.push(block("pre", &lines.join("\n"))),
    }
    out
}

/// Lines as names and what is said about them, if all of them are of this kind; most of what is said in columns is better left as it is.
fn rows(lines: &[&str]) -> Option<Vec<[String; 2]>> {
    let row = |line: &&str| {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        match text.split_once("  ") {
            _ if indent >= CONTINUED => Some([String::new(), text.trim().to_owned()]),
            Some((name, rest)) if indent == 2 => Some([name.to_owned(), rest.trim().to_owned()]),
            _ => None,
        }
    };
    let rows: Vec<[String; 2]> = lines.iter().map(row).collect::<Option<_>>()?;
    let in_columns = rows.iter().filter(|[_, text]| text.contains("   ")).count();
    (2 * in_columns <= rows.len()).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_tables_and_pictures_are_left_to_the_page() {
        let text = "Title      Author\n5 coordinates\n\n  t 0 … 10  ·  Taylor\n\n  θ   ⠉⠢⣀  0 … 1\n  and 4 more: see --csv, --plot\n\n  energy        16, kept to 1e-13\n  reactions     a  1 … 2\n                b  2 … 3\n\n  more: --plot x.svg\n";
        let found = blocks(text);
        assert_eq!(found[0], json!({ "kind": "text", "text": "t 0 … 10  ·  Taylor" }));
        let rows = json!([["energy", "16, kept to 1e-13"], ["reactions", "a  1 … 2"], ["", "b  2 … 3"]]);
        assert_eq!(found[1], json!({ "kind": "table", "head": [], "rows": rows }));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn columns_stay_columns() {
        let text = "Title\n\n  point    p     0     0\n  normal   n     0     1\n";
        assert_eq!(blocks(text)[0]["kind"], "pre");
    }

    #[test]
    fn a_refusal_has_a_line_for_each_of_its_notes() {
        let found = refusal("no exact solution\n  = tried: all\n");
        assert_eq!(found[0]["text"], "No exact solution");
        assert_eq!(found[1]["text"], "Tried: all");
    }

    #[test]
    fn titles_are_headings_and_other_lines_stay() {
        let found = blocks("Title\n2\n\nintegrals\n  E = 2\n      energy\n");
        assert_eq!(found[0], json!({ "kind": "heading", "text": "Integrals" }));
        assert_eq!(found[1], json!({ "kind": "pre", "text": "  E = 2\n      energy" }));
    }
}
