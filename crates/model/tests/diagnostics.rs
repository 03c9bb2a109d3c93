//! Wrong models and what is said about them: `filetests/diagnostics/NAME.toml` gives `NAME.txt`.
//!
//! A line `#: --set r=2` or `#: --init x=1` stands for a flag. `POLHODE_ACCEPT=1` writes
//! the answers found, to be reviewed.

use polhode_base::Style;
use polhode_model::{Model, ParseOptions};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/diagnostics")
}

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the folder of diagnostics");
    let mut paths: Vec<PathBuf> =
        entries.map(|e| e.expect("an entry").path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    paths.sort();
    paths
}

fn options(text: &str) -> ParseOptions {
    let mut options = ParseOptions::default();
    for line in text.lines().filter_map(|l| l.strip_prefix("#: ")) {
        let (flag, rest) = line.split_once(' ').expect("a flag and its value");
        let (name, value) = rest.trim_matches('"').split_once('=').expect("NAME=EXPR");
        let pair = (name.to_owned(), value.to_owned());
        match flag {
            "--set" => options.parameters.push(pair),
            _ => options.initial.push(pair),
        }
    }
    options
}

fn answer(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a readable case");
    let name = path.file_name().expect("a file name").to_string_lossy();
    let (source, diagnostics) = match Model::parse(&name, &text, &options(&text)) {
        Ok((model, warnings)) => (model.source, warnings),
        Err(rejected) => (rejected.source, rejected.diagnostics),
    };
    if diagnostics.is_empty() {
        return "accepted\n".to_owned();
    }
    diagnostics.render(&source, Style::Plain)
}

#[test]
fn mistakes_are_answered() {
    let accept = std::env::var_os("POLHODE_ACCEPT").is_some();
    let mut wrong = Vec::new();
    for path in cases() {
        let found = answer(&path);
        let expected_path = path.with_extension("txt");
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if found == expected {
            continue;
        }
        if accept {
            fs::write(&expected_path, &found).expect("a writable folder");
        } else {
            wrong.push(format!("{}\nexpected:\n{expected}\nfound:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every code that the resolver can give has a case.
#[test]
fn every_code_has_a_case() {
    let answers: String = cases().iter().map(|p| answer(p)).collect();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/resolve");
    let mut codes = BTreeSet::new();
    for entry in fs::read_dir(sources).expect("the sources") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("a source");
        for part in ["Diagnostic::error(", "Diagnostic::warning("] {
            for after in text.split(part).skip(1) {
                if let Some(code) = after.trim_start().strip_prefix('"') {
                    codes.insert(code.split('"').next().unwrap_or("").to_owned());
                }
            }
        }
    }
    assert!(codes.len() > 25, "{codes:?}");
    let missing: Vec<&String> = codes.iter().filter(|c| !answers.contains(&format!("[{c}]"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
