//! Every work that is cited is listed in `docs/references.bib`.
//!
//! A citation is `[Key]`, `[Key, ch. 3]`, `[Key; Other, §2]` or, where rustdoc would see a link,
//! `\[Key\]`, in a comment of a Rust file or anywhere in a Markdown file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder with this ending.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
}

/// Names followed by a year, such as `HairerWanner1996` or `Euler1752b`.
fn is_key(word: &str) -> bool {
    let word = word.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(word);
    let Some(split) = word.len().checked_sub(4).filter(|s| word.is_char_boundary(*s)) else { return false };
    let (name, year) = word.split_at(split);
    name.len() > 2
        && name.chars().all(char::is_alphabetic)
        && name.chars().any(char::is_lowercase)
        && year.parse::<u32>().is_ok_and(|y| (1600..2100).contains(&y))
}

/// The keys between brackets.
fn citations(text: &str) -> impl Iterator<Item = &str> {
    let inside = text.split('[').skip(1).map(|rest| rest.split(']').next().unwrap_or(rest));
    let words = inside.flat_map(|inside| inside.split(';')).map(|part| part.split(',').next().unwrap_or(part));
    words.map(|word| word.trim().trim_end_matches('\\')).filter(|word| is_key(word))
}

/// The comments of a Rust file as one line, since citations may be wrapped.
fn comments(text: &str) -> String {
    let comment = |line: &str| {
        let start = line.find("//")?;
        Some(line[start..].trim_start_matches(['/', '!', ' ']).to_string())
    };
    text.lines().filter_map(comment).collect::<Vec<_>>().join(" ")
}

/// Where each key is cited first.
fn cited() -> BTreeMap<String, PathBuf> {
    let mut cited = BTreeMap::new();
    let mut note = |path: &Path, text: &str| {
        for key in citations(text) {
            cited.entry(key.to_string()).or_insert_with(|| path.to_path_buf());
        }
    };
    let mut rust = Vec::new();
    files(&root().join("crates"), "rs", &mut rust);
    // the examples of this file are inventions
    for path in rust.iter().filter(|p| !p.ends_with(file!())) {
        note(path, &comments(&std::fs::read_to_string(path).expect("readable")));
    }
    let mut markdown = Vec::new();
    files(&root().join("docs"), "md", &mut markdown);
    markdown.extend(["README.md", "ARCHITECTURE.md", "NOTATION.md"].map(|name| root().join(name)));
    for path in &markdown {
        note(path, &std::fs::read_to_string(path).expect("readable"));
    }
    cited
}

/// The entries of the bibliography: one per line, key and what follows it.
fn listed() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("docs/references.bib")).expect("readable");
    let entry = |line: &str| {
        let (kind, rest) = line.strip_prefix('@')?.split_once('{')?;
        let (key, fields) = rest.split_once(',')?;
        assert!(kind.chars().all(char::is_alphabetic), "{line}");
        Some((key.to_string(), fields.to_string()))
    };
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| entry(line).unwrap_or_else(|| panic!("no entry: {line}")))
        .collect()
}

#[test]
fn what_is_cited_is_listed() {
    let listed: BTreeSet<String> = listed().into_iter().map(|(key, _)| key).collect();
    let cited = cited();
    assert!(cited.len() > 30, "only {} citations were found", cited.len());
    let missing: Vec<_> = cited.iter().filter(|(key, _)| !listed.contains(*key)).collect();
    assert!(missing.is_empty(), "not in docs/references.bib: {missing:#?}");
}

#[test]
fn entries_are_complete_and_different() {
    let mut keys = BTreeSet::new();
    for (key, fields) in listed() {
        assert!(is_key(&key), "{key} is no name with a year");
        assert!(keys.insert(key.clone()), "{key} is listed twice");
        for field in ["author={", "title={", "year={"] {
            assert!(fields.contains(field), "{key} has no {field}…}}");
        }
        let year: String = key.chars().filter(char::is_ascii_digit).collect();
        assert!(fields.contains(&format!("year={{{year}}}")), "{key} is of another year");
        assert_eq!(fields.matches('{').count() + 1, fields.matches('}').count(), "braces of {key}");
    }
}

#[test]
fn all_ways_to_cite_are_seen() {
    let text =
        r"as in [Abel1826, ch. 3] and \[Bessel1824\], see [Cauchy1821b; Dirac1928, §2], not [1999], [x1], a[Euler]";
    let keys: Vec<&str> = citations(text).collect();
    assert_eq!(keys, ["Abel1826", "Bessel1824", "Cauchy1821b", "Dirac1928"]);
    let wrapped = "//! as in [Abel1826; Bessel1824,\n//! §2]\nlet a = [1, 2]; // by [Dirac1928]\n";
    assert_eq!(citations(&comments(wrapped)).collect::<Vec<_>>(), ["Abel1826", "Bessel1824", "Dirac1928"]);
}
