//! Canonical forms, readable forms and equality against SymPy and FLINT.
//!
//! They are asked by the script `half_angle_oracle.py` beside this file, which puts the
//! half angle substitution into the formulas by itself and describes the text the two
//! exchange. How SymPy is found, and what happens where it is not, says `polhode_testing`;
//! without python-flint SymPy does all of the work, more slowly.

use crate::common;

use common::{Formula, add, mul, symbols};
use polhode_base::random::Random;
use polhode_expr::print::ascii;
use polhode_expr::{Evidence, Expr, Graph, Reading, Tree, Verdict};

/// Formulas with more characters than this are not asked about.
const LONGEST: usize = 250;

/// Sends all questions at once and collects the answers; none where SymPy is missing.
fn ask(questions: &[String]) -> Option<Vec<String>> {
    let needs = "import sys, sympy; assert sys.version_info >= (3, 10)";
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/half_angle_oracle.py");
    let answers = polhode_testing::python(needs, script, &[], questions.join("\n").into_bytes())?;
    let answers: Vec<String> = answers.lines().map(String::from).collect();
    assert_eq!(answers.len(), questions.len());
    Some(answers)
}

/// The stored form in model syntax, if it is short enough to be asked about.
fn written(g: &Graph, e: Expr) -> Option<String> {
    let text = ascii(g, &Tree::of_limited(g, e, LONGEST)?);
    (text.len() <= LONGEST).then_some(text)
}

#[test]
fn forms_are_those_of_the_same_function_in_lowest_terms() {
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
    for (question, answer) in questions.iter().zip(ask(&questions).unwrap_or_default()) {
        assert_eq!(answer, "yes", "{question}");
    }
}

#[test]
fn equality_is_decided_as_by_the_oracle() {
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
    let Some(answers) = ask(&questions) else { return };
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
