//! What cargo does not see of the packages of the workspace: every file of tests is run.

use std::fs;
use std::path::{Path, PathBuf};

/// The entries of a folder, none where there is no such folder.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path())
}

/// A file in `tests/` that `main.rs` does not name would be neither compiled nor missed.
#[test]
fn every_file_of_tests_is_run() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut seen = 0;
    for package in entries(&crates) {
        let folder = package.join("tests");
        let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let (main, manifest) = (read(folder.join("main.rs")), read(package.join("Cargo.toml")));
        for file in entries(&folder).filter(|f| f.extension().is_some_and(|e| e == "rs")) {
            let name = file.file_stem().and_then(|n| n.to_str()).expect("a name");
            let module = main.lines().any(|line| line == format!("mod {name};"));
            assert!(module || manifest.contains(&format!("tests/{name}.rs")), "{} is not run", file.display());
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} files of tests");
}
