//! Other programs that tests of several crates ask: Python with its packages, Node with KaTeX. Never published.
//!
//! A program that is not installed is left out, with a line that says so. With `CI=true` everything has to be there, and
//! the test fails instead.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Says what is left out; panics where nothing may be.
pub fn skip(what: &str) {
    // written past the harness, which keeps what `println!` writes of tests that pass
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "with CI=true nothing may be left out: {what}");
}

/// A path in the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The interpreter of the oracles: `POLHODE_ORACLE_PYTHON`, else `.venv/bin/python` at the root of the repository, else `python3`.
fn interpreter() -> PathBuf {
    let local = repository(".venv/bin/python");
    match std::env::var_os("POLHODE_ORACLE_PYTHON") {
        Some(path) => path.into(),
        None if local.exists() => local,
        None => "python3".into(),
    }
}

/// What a program prints that reads `input`; `None` if it cannot be started. It has to succeed.
fn answer(command: &mut Command, input: Vec<u8>) -> Option<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut pipe = child.stdin.take().expect("a pipe was asked for");
    // beside reading: a program that answers while it reads would wait otherwise
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().expect("the program ends");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{command:?} failed: {printed}");
    writer.join().expect("no panic").expect("the program reads to the end");
    Some(printed)
}

/// What a script of Python answers, if the statement `needs` goes through: `import sympy`.
pub fn python(needs: &str, script: &str, arguments: &[&str], input: Vec<u8>) -> Option<String> {
    let interpreter = interpreter();
    let found = Command::new(&interpreter).args(["-c", needs]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        skip(&format!("{}: {needs}", interpreter.display()));
        return None;
    }
    answer(Command::new(interpreter).arg(script).args(arguments), input)
}

/// What Node prints for a script that reads `input`.
pub fn node(script: &str, input: Vec<u8>) -> Option<String> {
    let printed = answer(Command::new("node").args(["-e", script]), input);
    if printed.is_none() {
        skip("Node is not installed");
    }
    printed
}

/// KaTeX accepts these formulas in its strict mode.
pub fn katex_accepts(formulas: &[String]) {
    let folder = repository("tools/katex-check");
    if !folder.join("node_modules/katex").exists() {
        return skip("KaTeX is not installed in tools/katex-check");
    }
    let quoted = |formula: &String| {
        let inside = formula.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        assert!(!inside.contains(|c: char| (c as u32) < 0x20), "a control character in {inside}");
        format!("\"{inside}\"\n")
    };
    let input: String = formulas.iter().map(quoted).collect();
    if answer(Command::new("node").arg(folder.join("check.mjs")), input.into_bytes()).is_none() {
        skip("Node is not installed");
    }
}
