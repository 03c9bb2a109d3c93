//! The LaTeX that other commands print, as blocks of a page.
//!
//! | there | here |
//! | --- | --- |
//! | `\[ … \]` | a displayed formula |
//! | `\paragraph{title}` | a heading |
//! | `\noindent text`, with formulas between dollar signs | text |
//! | `% remark` | text |

use super::block;
use serde_json::Value;

/// The blocks of a page.
pub(super) fn blocks(page: &str) -> Vec<Value> {
    let mut out = Vec::new();
    let mut formula: Option<Vec<&str>> = None;
    for line in page.lines() {
        match (&mut formula, line.trim()) {
            (None, "\\[") => formula = Some(Vec::new()),
            (Some(lines), "\\]") => {
                out.push(block("latex", &lines.join("\n")));
                formula = None;
            }
            (Some(lines), _) => lines.push(line),
            (None, "") => {}
            (None, text) => match text.strip_prefix("\\paragraph{").and_then(|t| t.strip_suffix('}')) {
                Some(title) => out.push(block("heading", title)),
                None => out.push(block("text", text.trim_start_matches('%').trim_start_matches("\\noindent").trim())),
            },
        }
    }
    out
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
        assert_eq!(found[2], json!({ "kind": "text", "text": "energy in $\\theta$:" }));
        assert_eq!(found[3], json!({ "kind": "latex", "text": "\\begin{aligned}\na &= b\n\\end{aligned}" }));
        assert_eq!(found.len(), 4);
    }
}
