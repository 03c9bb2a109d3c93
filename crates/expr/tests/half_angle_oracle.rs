//! Canonical forms, readable forms and equality against SymPy and FLINT.
//!
//! They are asked by the script `half_angle_oracle.py` beside this file, which puts the
//! half angle substitution into the formulas by itself and describes the text the two
//! exchange. The interpreter is `POLHODE_ORACLE_PYTHON`, else `.venv/bin/python` at the
//! workspace root, else `python3`. Without SymPy the tests say `SKIPPED:` and pass;
//! without python-flint SymPy does all of the work, more slowly.

use crate::common;

use common::{Formula, add, mul, symbols};
use polhode_expr::print::ascii;
use polhode_expr::random::Random;
use polhode_expr::{Evidence, Expr, Graph, Reading, Tree, Verdict};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Formulas with more characters than this are not asked about.
const LONGEST: usize = 250;

fn python() -> PathBuf {
    if let Some(path) = std::env::var_os("POLHODE_ORACLE_PYTHON") {
        return path.into();
    }
    let local = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    if local.exists() { local } else { "python3".into() }
}

/// Why there is no oracle, if there is none.
fn missing() -> Option<String> {
    let python = python();
    let wanted = "import sys, sympy; assert sys.version_info >= (3, 10)";
    match Command::new(&python).args(["-c", wanted]).output() {
        Ok(output) if output.status.success() => None,
        Ok(_) => Some(format!("SymPy for {}", python.display())),
        Err(error) => Some(format!("{}: {error}", python.display())),
    }
}

/// Sends all questions at once and collects the answers.
fn ask(questions: &[String]) -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/half_angle_oracle.py");
    let mut child = Command::new(python())
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter was just found");
    let mut input = child.stdin.take().expect("a pipe was asked for");
    let text = questions.join("\n");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the interpreter ends");
    writer.join().expect("no panic").expect("the interpreter reads to the end");
    assert!(output.status.success(), "the oracle failed");
    let answers: Vec<String> = String::from_utf8(output.stdout).expect("text").lines().map(String::from).collect();
    assert_eq!(answers.len(), questions.len());
    answers
}

/// The stored form in model syntax, if it is short enough to be asked about.
fn written(g: &Graph, e: Expr) -> Option<String> {
    let text = ascii(g, &Tree::of_limited(g, e, LONGEST)?);
    (text.len() <= LONGEST).then_some(text)
}

#[test]
fn forms_are_those_of_the_same_function_in_lowest_terms() {
    if let Some(what) = missing() {
        println!("SKIPPED: {what}");
        return;
    }
    let mut questions = Vec::new();
    for seed in 0..300 {
        let mut g = Graph::new();
        symbols(&mut g);
        let e = Formula::random(&mut Random::new(seed), 4).build(&mut g);
        let Some(given) = written(&g, e) else { continue };
        let (Ok(canonical), Ok(readable)) = (g.canonical(e), g.readable(e, &Reading::default())) else { continue };
        let Some(form) = written(&g, canonical) else { continue };
        questions.push(format!("same\t{given}\t{form}"));
        questions.push(format!("same\t{given}\t{}", ascii(&g, &readable)));
        questions.push(format!("lowest\t{form}"));
    }
    assert!(questions.len() > 400, "half of the formulas are of a size that can be asked about: {}", questions.len());
    for (question, answer) in questions.iter().zip(ask(&questions)) {
        assert_eq!(answer, "yes", "{question}");
    }
}

#[test]
fn equality_is_decided_as_by_the_oracle() {
    if let Some(what) = missing() {
        println!("SKIPPED: {what}");
        return;
    }
    let (mut questions, mut verdicts) = (Vec::new(), Vec::new());
    for seed in 0..250 {
        let mut random = Random::new(10_000 + seed);
        let mut g = Graph::new();
        symbols(&mut g);
        let formula = Formula::random(&mut random, 3);
        let other = formula.rewritten(&mut || (random.bits() >> 17) as u8);
        // Different, and hardly so: a coefficient, a sign or an angle is changed.
        let spoiled = match seed % 3 {
            0 => add(other.clone(), mul(Formula::Number(1, 1000), Formula::Turn(true, [1, 1]))),
            1 => Formula::random(&mut random, 3),
            _ => other.respelled(),
        };
        let e = formula.build(&mut g);
        for second in [other, spoiled] {
            let second = second.build(&mut g);
            if let (Some(p), Some(q)) = (written(&g, e), written(&g, second))
                && p != q
            {
                questions.push(format!("same\t{p}\t{q}"));
                verdicts.push(g.equal(e, second));
            }
        }
    }
    let answers = ask(&questions);
    let mut count = [0; 3];
    for ((question, verdict), answer) in questions.iter().zip(verdicts).zip(answers) {
        let (at, expected) = match verdict {
            Verdict::Equal(Evidence::PrimeField { .. }) => (0, "yes"),
            Verdict::Different(Evidence::PrimeField { .. }) => (1, "no"),
            Verdict::Undecided => (2, "undefined"),
            other => panic!("{other:?} for {question}"),
        };
        count[at] += 1;
        assert_eq!(answer, expected, "{question}");
    }
    assert!(count[0] > 80 && count[1] > 100, "both answers occur: {count:?}");
}
