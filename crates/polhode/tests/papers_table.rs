//! `docs/papers.md` names tests that exist.

use std::fs;
use std::path::Path;

#[test]
fn every_test_of_the_table_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("../../docs/papers.md")).expect("the table");
    let mut tests = String::new();
    for name in ["geometry", "mechanics", "analysis", "impulse", "simulate", "exact"] {
        let folder = format!("../{name}/tests");
        for entry in fs::read_dir(root.join(folder)).expect("the tests") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|e| e == "rs") {
                tests += &fs::read_to_string(path).expect("a test file");
            }
        }
    }
    let mut named = 0;
    for row in table.lines().filter(|l| l.starts_with('|')) {
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        for name in last.split('`').skip(1).step_by(2) {
            assert!(tests.contains(&format!("fn {name}(")), "no test `{name}`: {row}");
            named += 1;
        }
    }
    assert!(named > 100, "only {named} tests are named");
}
