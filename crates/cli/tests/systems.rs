//! What `polhode check` says about systems: `filetests/systems/NAME.toml` gives `NAME.txt`.
//!
//! The text holds the exit status, standard error and standard output. `POLHODE_ACCEPT=1` writes
//! the answers found, to be reviewed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn answer(folder: &Path, file: &str) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_polhode"))
        .current_dir(folder)
        .env("COLUMNS", "100")
        .args(["check", file])
        .output()
        .expect("the program runs");
    let status = run.status.code().map_or("killed".to_string(), |c| c.to_string());
    format!("exit {status}\n{}{}", String::from_utf8_lossy(&run.stderr), String::from_utf8_lossy(&run.stdout))
}

#[test]
fn systems_are_examined() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/systems");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of systems")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 15, "the cases are where they belong");
    let accept = std::env::var_os("POLHODE_ACCEPT").is_some();
    let mut wrong = Vec::new();
    for path in paths {
        let found = answer(&folder, &path.file_name().expect("a name").to_string_lossy());
        let expected_path = path.with_extension("txt");
        if accept {
            fs::write(&expected_path, &found).expect("a writable folder");
        } else if fs::read_to_string(&expected_path).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
