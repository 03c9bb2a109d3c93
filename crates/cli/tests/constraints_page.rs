//! The examples of `docs/constraints.md`, `docs/exact.md` and `docs/plots.md` are what the program says.
//!
//! A ```` ```toml ```` block that begins with `# NAME.toml` is a file; a ```` ```console ```` block is a command on the files so far, and what it prints. With
//! `POLHODE_ACCEPT=1` the page is rewritten.

use std::path::{Path, PathBuf};
use std::process::Command;

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// The words of a command, with those in quotes kept together.
fn words(line: &str) -> Vec<String> {
    line.split('"')
        .enumerate()
        .flat_map(|(i, part)| {
            let plain = i % 2 == 0;
            let words: Vec<&str> = if plain { part.split_whitespace().collect() } else { vec![part] };
            words.into_iter().map(str::to_string)
        })
        .collect()
}

#[test]
fn examples_are_what_the_program_says() {
    examples("constraints.md", 4);
}

#[test]
fn examples_of_exact_solutions_are_what_the_program_says() {
    examples("exact.md", 2);
}

#[test]
fn examples_of_figures_are_what_the_program_says() {
    examples("plots.md", 5);
}

/// Runs the examples of a page, at least so many.
fn examples(name: &str, least: usize) {
    let folder = std::env::temp_dir().join(format!("polhode-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = std::fs::read_to_string(page(name)).expect("the page");
    let mut fresh = String::new();
    let mut examples = 0;
    let mut rest = text.as_str();
    while let Some(start) = rest.find("```") {
        let (before, block) = rest.split_at(start);
        let end = block[3..].find("```").expect("blocks end") + 6;
        let (block, after) = block.split_at(end);
        let body = &block[block.find('\n').expect("lines") + 1..block.len() - 3];
        fresh += before;
        if let Some(file) =
            body.lines().next().and_then(|l| l.strip_prefix("# ")).filter(|_| block.starts_with("```toml"))
        {
            std::fs::write(folder.join(file), body).expect("written");
        }
        match body.lines().next().and_then(|l| l.strip_prefix("$ polhode ")) {
            Some(command) if block.starts_with("```console") => {
                let out = Command::new(env!("CARGO_BIN_EXE_polhode"))
                    .args(words(command))
                    .current_dir(&folder)
                    .env("COLUMNS", "100")
                    .output()
                    .expect("runs");
                assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
                let said = String::from_utf8(out.stdout).expect("text");
                let lines: Vec<&str> = said.trim_end().lines().map(str::trim_end).collect();
                fresh += &format!("```console\n$ polhode {command}\n{}\n```", lines.join("\n"));
                examples += 1;
            }
            _ => fresh += block,
        }
        rest = after;
    }
    fresh += rest;
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(examples >= least, "the page has examples");
    if std::env::var_os("POLHODE_ACCEPT").is_some() {
        std::fs::write(page(name), fresh).expect("written");
    } else {
        assert_eq!(fresh, text, "run with POLHODE_ACCEPT=1 and read what changed");
    }
}
