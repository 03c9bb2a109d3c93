//! Files that are to be written. A model is never written over, and no file is asked for twice.
//!
//! Two names are the same file if their paths without links are the same. Links that no path shows are found by what is in the file: whatever can be
//! read as a model is one.

use crate::Refusal;
use polhode::model::syntax::decode_source;
use polhode::prelude::{Model, ParseOptions};
use std::path::{Path, PathBuf};

/// No model is as large as this, in bytes.
const LARGE: u64 = 4_000_000;

/// A file to be written.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// What the name was given to.
    pub(crate) option: &'a str,
    /// The file.
    pub(crate) path: &'a Path,
    /// The usual ending of its name.
    pub(crate) ending: &'a str,
}

impl<'a> Target<'a> {
    /// A file that was named for `option`.
    pub(crate) fn new(option: &'a str, path: &'a Path, ending: &'a str) -> Target<'a> {
        Target { option, path, ending }
    }

    /// The refusal with a name that would do.
    fn refuse(&self, why: &str) -> Refusal {
        let (option, path) = (self.option, self.path.display());
        let other = self.path.with_extension(self.ending);
        let name = match other == self.path {
            true => String::new(),
            false => format!(", such as {}", other.display()),
        };
        Refusal::BadInput(format!("error: `{option} {path}` {why}\n  = give the file another name{name}\n"))
    }
}

/// May these files be written by a command that has read `sources`? Better known before a long run than after it.
pub(crate) fn check(targets: &[Target], sources: &[&Path]) -> Result<(), Refusal> {
    let sources: Vec<PathBuf> = sources.iter().filter_map(|s| s.canonicalize().ok()).collect();
    let mut before: Vec<PathBuf> = Vec::new();
    for target in targets {
        let own = place(target.path);
        if is_model(&own) {
            return Err(target.refuse("would overwrite a model file"));
        }
        if sources.contains(&own) {
            return Err(target.refuse("would overwrite what the command reads"));
        }
        if target.ending != "toml" && target.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
            return Err(target.refuse("has the name of a model file"));
        }
        if before.contains(&own) {
            return Err(Refusal::BadInput(format!(
                "error: `{}` is asked for twice\n  = give each file its own name\n",
                target.path.display()
            )));
        }
        before.push(own);
    }
    Ok(())
}

/// Where a file is or will be, without links.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let there = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(there).unwrap_or_else(|| path.to_owned())
}

/// Whether a file can be read as a model.
fn is_model(path: &Path) -> bool {
    if !path.metadata().is_ok_and(|m| m.is_file() && m.len() < LARGE) {
        return false;
    }
    let Ok(bytes) = std::fs::read(path) else { return false };
    let (file, diagnostics) = decode_source(&path.display().to_string(), &bytes);
    !diagnostics.has_errors() && Model::parse(file.name(), file.text(), &ParseOptions::default()).is_ok()
}
