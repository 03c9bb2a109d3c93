//! What a model file says beside a name: the comment at the end of its line.
//!
//! ```toml
//! M = 1.0               # mass
//! ```

use polhode::base::{SourceFile, Span};
use polhode::model::syntax::{Table, parse_document};

/// The comments beside the entries of one section.
#[derive(Debug, Default)]
pub(super) struct Comments(Vec<(String, String)>);

impl Comments {
    /// Those of `[section]`.
    pub(super) fn of(file: &SourceFile, section: &str) -> Comments {
        let document = parse_document(file);
        let table = document.root.get(section).and_then(|v| v.as_table());
        Comments(table.map(|t| beside(file.text(), t)).unwrap_or_default())
    }

    /// The comment beside a name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str())
    }
}

fn beside(text: &str, table: &Table) -> Vec<(String, String)> {
    table.iter().filter_map(|(key, value)| Some((key.name.clone(), after(text, value.span)?))).collect()
}

/// The comment that follows on the line where a value ends. What stands between the two is at most the end of a string or table.
fn after(text: &str, value: Span) -> Option<String> {
    let rest = text.get(value.end as usize..)?;
    let line = rest.lines().next()?;
    let (between, comment) = line.split_once('#')?;
    let comment = comment.trim();
    let plain = between.chars().all(|c| c.is_whitespace() || "\"'}],".contains(c));
    (plain && !comment.is_empty()).then(|| comment.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_their_line() {
        let text = "[parameters]\nM = 1.0   # mass, kg\nr = \"2*M\" # radius\ns = \"#\"\nt = 1\n# alone\n";
        let found = Comments::of(&SourceFile::new("a.toml", text), "parameters");
        assert_eq!(found.get("M"), Some("mass, kg"));
        assert_eq!(found.get("r"), Some("radius"));
        assert_eq!((found.get("s"), found.get("t")), (None, None));
        assert_eq!(Comments::of(&SourceFile::new("a.toml", text), "coordinates").get("M"), None);
    }
}
