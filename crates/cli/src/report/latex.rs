//! The LaTeX that other commands print, as blocks of a page.
//!
//! | there | here |
//! | --- | --- |
//! | `\[ … \]` | a displayed formula |
//! | `\paragraph{title}` | a heading |
//! | `\noindent text`, with formulas between dollar signs | text |
//! | `% remark` | text; before a formula a smaller heading |
//! | formulas that are only counted, `(120 nodes)` | one sentence at the end |

use super::{block, capital};
use serde_json::Value;

/// The blocks of a page.
pub(super) fn blocks(page: &str) -> Vec<Value> {
    let (mut out, mut left_out): (Vec<Value>, usize) = (Vec::new(), 0);
    let mut formula: Option<Vec<&str>> = None;
    let mut remark = false;
    for line in page.lines() {
        match (&mut formula, line.trim()) {
            (None, "\\[") => formula = Some(Vec::new()),
            (Some(lines), "\\]") => {
                let (latex, counted) = without_counts(lines);
                left_out += counted;
                match (latex, out.last_mut()) {
                    (Some(latex), before) => {
                        if let Some(title) = before.filter(|_| remark) {
                            title["kind"] = "subheading".into();
                        }
                        out.push(block("latex", &latex));
                    }
                    (None, _) if remark => drop(out.pop()),
                    (None, _) => {}
                }
                (formula, remark) = (None, false);
            }
            (Some(lines), _) => lines.push(line),
            (None, "") => {}
            (None, text) => {
                remark = text.starts_with('%');
                out.push(match text.strip_prefix("\\paragraph{").and_then(|t| t.strip_suffix('}')) {
                    Some(title) => block("heading", title),
                    None => {
                        let words = text.trim_start_matches('%').trim_start_matches("\\noindent");
                        block("text", &capital(words.trim()))
                    }
                });
            }
        }
    }
    if left_out > 0 {
        let formulas = if left_out == 1 { "One formula is".to_owned() } else { format!("{left_out} formulas are") };
        out.push(block("text", &format!("{formulas} too long to be printed here.")));
    }
    out
}

/// A formula without the rows that only say how large they are, if anything is left, and how many these are.
fn without_counts(lines: &[&str]) -> (Option<String>, usize) {
    let is_counted = |line: &&&str| line.contains("\\text{(") && line.contains(" nodes)}");
    let counted = lines.iter().filter(is_counted).count();
    if counted == 0 {
        return (Some(lines.join("\n")), 0);
    }
    let is_row = |line: &&&str| !line.starts_with("\\begin") && !line.starts_with("\\end");
    let rows: Vec<&str> = lines.iter().filter(is_row).filter(|l| !is_counted(l)).copied().collect();
    let joined = rows.join("\n");
    let joined = joined.trim_end().trim_end_matches("\\\\").trim_end();
    let latex = (!joined.is_empty()).then(|| format!("\\begin{{aligned}}\n{joined}\n\\end{{aligned}}"));
    (latex, counted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn formulas_are_told_from_text() {
        let page = "\\paragraph{A title}\n% X1 = d/dpsi\n\\noindent energy in $\\theta$:\n\\[\n\\begin{aligned}\na &= b\n\\end{aligned}\n\\]\n\n";
        let found = blocks(page);
        assert_eq!(found[0], json!({ "kind": "heading", "text": "A title" }));
        assert_eq!(found[1], json!({ "kind": "text", "text": "X1 = d/dpsi" }));
        assert_eq!(found[2], json!({ "kind": "text", "text": "Energy in $\\theta$:" }));
        assert_eq!(found[3], json!({ "kind": "latex", "text": "\\begin{aligned}\na &= b\n\\end{aligned}" }));
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn formulas_that_are_only_counted_are_told_once() {
        let page = "% one\n\\[\n\\begin{aligned}\na &= b \\\\\nc &= \\text{(51 nodes)}\n\\end{aligned}\n\\]\n% two\n\\[\n\\begin{aligned}\nd &= \\text{(7 nodes)}\n\\end{aligned}\n\\]\n";
        let found = blocks(page);
        assert_eq!(found[0], json!({ "kind": "subheading", "text": "One" }));
        assert_eq!(found[1], json!({ "kind": "latex", "text": "\\begin{aligned}\na &= b\n\\end{aligned}" }));
        assert_eq!(found[2], json!({ "kind": "text", "text": "2 formulas are too long to be printed here." }));
        assert_eq!(found.len(), 3);
    }
}
