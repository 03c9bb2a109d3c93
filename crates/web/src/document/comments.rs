//! What a model file says about its names: in keys of their own, or in the comment at the end of the line.
//!
//! ```toml
//! M = 1.0               # mass
//! r = { value = 0.5, latex = "r_0", about = "radius of the wheel" }
//! ```
//!
//! What is said about a coordinate holds for its velocity with a prime: `theta'` is written `\dot{…}` and is the rate of what `theta` is.

use polhode::base::{SourceFile, Span};
use polhode::model::syntax::{Table, Value, normalize_name, parse_document};

/// The sections in which names are introduced with a word about them.
const SECTIONS: [&str; 3] = ["parameters", "coordinates", "observables"];

/// What is said about the names of a model.
#[derive(Debug, Default)]
pub(super) struct Comments(Vec<Comment>);

#[derive(Debug)]
struct Comment {
    name: String,
    about: Option<String>,
    latex: Option<String>,
}

impl Comments {
    /// Those of a model file.
    pub(super) fn of(file: &SourceFile) -> Comments {
        let document = parse_document(file);
        let tables = SECTIONS.iter().filter_map(|s| document.root.get(s).and_then(|v| v.as_table()));
        Comments(tables.flat_map(|t| beside(file.text(), t)).collect())
    }

    /// What a quantity is.
    pub(super) fn about(&self, name: &str) -> Option<String> {
        let (comment, primes) = self.find(name)?;
        let about = comment.about.as_deref()?;
        Some(match primes {
            0 => about.to_owned(),
            _ => format!("rate of: {about}"),
        })
    }

    /// How formulas write it, if the file says so.
    pub(super) fn latex(&self, name: &str) -> Option<String> {
        let (comment, primes) = self.find(name)?;
        let latex = comment.latex.as_deref()?;
        match primes {
            0 => Some(latex.to_owned()),
            1 => Some(format!("\\dot{{{latex}}}")),
            2 => Some(format!("\\ddot{{{latex}}}")),
            _ => None,
        }
    }

    /// The comment that a name belongs to, and how many primes it has.
    fn find(&self, name: &str) -> Option<(&Comment, usize)> {
        let plain = name.trim_end_matches('\'');
        self.0.iter().find(|c| c.name == plain).map(|c| (c, name.len() - plain.len()))
    }
}

fn beside(text: &str, table: &Table) -> Vec<Comment> {
    let said = |value: &Value, key: &str| Some(value.as_table()?.get(key)?.as_str()?.trim().to_owned());
    let comment = |name: &str, value: &Value| Comment {
        name: normalize_name(name).into_owned(),
        about: said(value, "about").or_else(|| after(text, value.span)),
        latex: said(value, "latex"),
    };
    table.iter().map(|(key, value)| comment(&key.name, value)).collect()
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

    fn comments(text: &str) -> Comments {
        Comments::of(&SourceFile::new("a.toml", text))
    }

    #[test]
    fn comments_belong_to_their_line() {
        let found = comments(
            "[parameters]\nM = 1.0   # mass, kg\nr = \"2*M\" # radius\ns = \"#\"\nt = 1\n# alone\n[run]\nuntil = 3 # s\n",
        );
        assert_eq!(found.about("M").as_deref(), Some("mass, kg"));
        assert_eq!(found.about("r").as_deref(), Some("radius"));
        assert_eq!((found.about("s"), found.about("t"), found.about("until")), (None, None, None));
    }

    #[test]
    fn keys_of_their_own_come_first() {
        let found = comments(
            "[parameters]\nr = { value = 0.5, latex = \"r_0\", about = \"radius\" } # not this\n\
             [coordinates]\n\"φ\" = { kind = \"angle\", latex = \"\\\\varphi\" } # heading\nx = \"real\"\n\
             [observables]\nheight = \"x\" # above the floor\n",
        );
        assert_eq!((found.about("r").as_deref(), found.latex("r").as_deref()), (Some("radius"), Some("r_0")));
        assert_eq!(found.about("phi'").as_deref(), Some("rate of: heading"));
        assert_eq!(found.latex("phi'").as_deref(), Some("\\dot{\\varphi}"));
        assert_eq!((found.latex("x"), found.about("x'")), (None, None));
        assert_eq!(found.about("height").as_deref(), Some("above the floor"));
    }
}
