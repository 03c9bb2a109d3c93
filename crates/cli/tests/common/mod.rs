//! The program on a page of 100 columns.

use serde_json::Value;
use std::process::{Command, Output};

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
