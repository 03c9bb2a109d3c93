//! Canonical forms, readable forms and equality against SymPy, which shares nothing with this crate.
//!
//! Random rational functions of two parameters and two angles (multiples and sums of angles among them) are printed;
//! `sympy_oracle.py` decides whether our forms of them are equal and whether the canonical one is coprime.
//! Python is `POLHODE_ORACLE_PYTHON`, or that of `.venv`, or `python3`. Without SymPy the test says `SKIPPED:` and passes.

use polhode_expr::random::Random;
use polhode_expr::{Expr, Graph, NotCanonical, Reading, Tree, print};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CASES: usize = 60;

/// A random expression: products and sums of atoms, sometimes a quotient.
fn random(g: &mut Graph, r: &mut Random, depth: usize) -> Expr {
    let (a, b, x, y) = (g.named("a"), g.named("b"), g.named("x"), g.named("y"));
    if depth == 0 {
        let two = g.int(2);
        return match r.bits() % 9 {
            0 => a,
            1 => b,
            2 => g.sin(x),
            3 => g.cos(x),
            4 => g.sin(y),
            5 => {
                let s = g.add(x, y);
                g.cos(s)
            }
            6 => {
                let d = g.mul(two, x);
                g.sin(d)
            }
            7 => g.int(1 + (r.bits() % 3) as i64),
            _ => g.cos(y),
        };
    }
    let (p, q) = (random(g, r, depth - 1), random(g, r, depth - 1));
    match r.bits() % 6 {
        0 | 1 => g.add(p, q),
        2 => g.sub(p, q),
        3 | 4 => g.mul(p, q),
        _ => g.div(p, q),
    }
}

fn python() -> PathBuf {
    if let Some(path) = std::env::var_os("POLHODE_ORACLE_PYTHON") {
        return path.into();
    }
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    if venv.exists() { venv } else { "python3".into() }
}

#[test]
fn forms_and_verdicts_agree_with_sympy() {
    let installed = Command::new(python()).args(["-c", "import sympy"]).output().is_ok_and(|o| o.status.success());
    if !installed {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: SymPy is not installed; canonical forms were not compared with it");
        return;
    }
    let mut r = Random::new(1911);
    let (mut cases, mut verdicts) = (Vec::new(), Vec::new());
    while cases.len() < CASES {
        let mut g = Graph::new();
        let e = random(&mut g, &mut r, 3);
        let canonical = match g.canonical(e) {
            Ok(c) => c,
            Err(NotCanonical::DivisionByZero) => continue,
            Err(other) => panic!("a small expression is not canonical: {other:?}"),
        };
        let readable = g.readable(e, &Reading::default()).expect("small");
        // Equal in every third case, otherwise most likely not.
        let other = if cases.len() % 3 == 0 { g.expand(e, 500).unwrap_or(e) } else { random(&mut g, &mut r, 3) };
        if g.canonical(other).is_err() {
            continue;
        }
        verdicts.push(g.equal(e, other).is_equal());
        let text = |tree: &Tree| print::ascii(&g, tree);
        cases.push(format!(
            "{{\"expression\": \"{}\", \"canonical\": \"{}\", \"readable\": \"{}\", \"other\": \"{}\"}}",
            text(&Tree::of(&g, e)),
            text(&Tree::of(&g, canonical)),
            text(&readable),
            text(&Tree::of(&g, other)),
        ));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sympy_oracle.py");
    let mut child =
        Command::new(python()).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python runs");
    let question = format!("[{}]", cases.join(","));
    child.stdin.take().expect("a pipe").write_all(question.as_bytes()).expect("Python reads");
    let out = child.wait_with_output().expect("Python ends");
    assert!(out.status.success(), "the oracle failed");
    let answers = String::from_utf8(out.stdout).expect("UTF-8");
    let answers: Vec<&str> = answers.split('{').skip(1).collect();
    assert_eq!(answers.len(), CASES);
    for ((case, answer), verdict) in cases.iter().zip(answers).zip(verdicts) {
        for (key, expected) in [("canonical", true), ("readable", true), ("coprime", true), ("other", verdict)] {
            assert!(answer.contains(&format!("\"{key}\": {expected}")), "{key} should be {expected}: {case}\n{answer}");
        }
    }
}
