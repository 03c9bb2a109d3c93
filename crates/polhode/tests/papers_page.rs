//! `docs/papers.md` names a test for every row, and these tests are there.

use std::path::Path;

fn sources(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        match entry.extension() {
            None if entry.is_dir() => sources(&entry, out),
            Some(e) if e == "rs" => *out += &std::fs::read_to_string(&entry).expect("text"),
            _ => {}
        }
    }
}

#[test]
fn every_row_names_tests_that_exist() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut text = String::new();
    for package in std::fs::read_dir(&crates).expect("the crates").map(|e| e.expect("an entry").path()) {
        let tests = package.join("tests");
        if tests.is_dir() {
            sources(&tests, &mut text);
        }
    }
    let page = std::fs::read_to_string(crates.join("../docs/papers.md")).expect("the page");
    let rows = page.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| ---") && !l.starts_with("| equation"));
    let mut count = 0;
    for row in rows {
        let last = row.trim_end_matches([' ', '|']).rsplit(" | ").next().expect("a cell");
        let names: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        for name in names {
            assert!(text.contains(&format!("fn {name}(")), "`{name}` does not exist: {row}");
        }
        count += 1;
    }
    assert!(count > 200, "{count} rows");
}
