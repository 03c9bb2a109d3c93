//! `docs/budgets.md` has every constant of every `budget.rs`, with its value and its text; `POLHODE_ACCEPT=1` writes the tables.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The tables of the page begin here.
const TABLES: &str = "<!-- The rest is made from the sources by crates/cli/tests/budgets.rs. -->\n";

fn budgets(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            budgets(&entry, found);
        } else if entry.ends_with("budget.rs") {
            found.push(entry);
        }
    }
}

/// The heading of a module, and a row for each constant.
fn table(module: &str, source: &str) -> String {
    let head = source.lines().find_map(|l| l.strip_prefix("//! ")).unwrap();
    let mut out = format!("\n## `{module}`\n\n{head}\n\n| budget | value | |\n| --- | --- | --- |\n");
    let mut text: Vec<&str> = Vec::new();
    for line in source.lines() {
        if let Some(more) = line.strip_prefix("/// ") {
            text.push(more);
        } else if let Some((_, constant)) = line.split_once("const ") {
            let (name, rest) = constant.split_once(':').unwrap();
            let (_, value) = rest.split_once(" = ").unwrap();
            let _ = writeln!(out, "| `{name}` | `{}` | {} |", value.trim_end_matches(';'), text.join(" "));
            text.clear();
        }
    }
    out
}

#[test]
fn the_page_has_every_budget() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        budgets(&entry.unwrap().path().join("src"), &mut found);
    }
    found.sort();
    let mut tables = String::new();
    for path in found {
        let module = path.strip_prefix(root.join("crates")).unwrap().display().to_string().replace('\\', "/");
        tables += &table(&module, &std::fs::read_to_string(&path).unwrap());
    }
    let path = root.join("docs/budgets.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, old) = page.split_once(TABLES).expect("the mark of the tables");
    if std::env::var_os("POLHODE_ACCEPT").is_some() {
        std::fs::write(path, format!("{head}{TABLES}{tables}")).unwrap();
        return;
    }
    assert!(old == tables, "docs/budgets.md is out of date; it should end with\n{tables}");
}
