//! What cargo does not see of the packages of the workspace: every file of tests is run, and what a package is made of lies inside of it.

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

/// All Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (folders, files): (Vec<_>, Vec<_>) = entries(folder).partition(|path| path.is_dir());
    let rust = files.into_iter().filter(|f| f.extension().is_some_and(|e| e == "rs"));
    rust.chain(folders.iter().flat_map(|f| sources(f))).collect()
}

/// A published package is built from its own folder alone: no source includes, and no build script looks for, a file above it.
#[test]
fn nothing_outside_of_a_package_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = root.join("crates");
    let packages = entries(&crates).chain([root.join("models")]);
    let mut included = 0;
    for package in packages {
        if fs::read_to_string(package.join("Cargo.toml")).is_ok_and(|m| m.contains("publish = false")) {
            continue;
        }
        let inside = package.canonicalize().expect("a folder");
        let script = fs::read_to_string(package.join("build.rs")).unwrap_or_default();
        assert!(!script.contains("\"..") && !script.contains("/.."), "{} leaves its package", package.display());
        for source in sources(&package.join("src")) {
            let text = fs::read_to_string(&source).expect("text");
            let names = ["include_str!(\"", "include_bytes!(\"", "include!(\""];
            for after in names.iter().flat_map(|name| text.split(name).skip(1)) {
                let name = after.split('"').next().expect("a name");
                let path = source.parent().expect("a folder").join(name).canonicalize();
                let path = path.unwrap_or_else(|e| panic!("{name} in {}: {e}", source.display()));
                assert!(path.starts_with(&inside), "{name} in {} is not in the package", source.display());
                included += 1;
            }
        }
    }
    assert!(included > 4, "only {included} files are included");
}
