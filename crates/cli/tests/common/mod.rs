//! The program on a page of 100 columns.

use serde_json::Value;
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output};
#[cfg(unix)]
use std::time::Duration;

/// What it says and how it ends.
pub(crate) fn polhode(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polhode")).args(args).env("COLUMNS", "100").output().expect("the program runs")
}

/// The document that it prints.
pub(crate) fn document(args: &[&str]) -> Value {
    let out = polhode(args);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("one JSON document")
}

/// Presses Ctrl-C until a program ends, since it may not listen yet, and its parent may have told it not to.
#[cfg(unix)]
pub(crate) fn interrupt(child: Child) -> Output {
    let id = child.id().to_string();
    let end = std::thread::spawn(|| child.wait_with_output().expect("it ends"));
    while !end.is_finished() {
        let _ = Command::new("kill").args(["-INT", &id]).output();
        std::thread::sleep(Duration::from_millis(20));
    }
    end.join().expect("no panic")
}
