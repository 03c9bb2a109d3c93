//! Papers as tests: their equations in the model language, beside what the program derives.
//!
//! A [`Paper`] is a model whose file is continued by the formulas of a paper, so that both live in one
//! graph. A formula is an equation `left = right` (of scalars or of vectors; `0` is any zero) or a single
//! value, with a label to call it by. It is decided exactly, at random points of a prime field, and it can hold
//! [`Where::Everywhere`] (an identity in positions, velocities and accelerations), [`Where::OnConstraints`], or
//! [`Where::OnMotion`], after [`Paper::derive`] has put the derived accelerations in.
//!
//! Letters that are neither coordinates nor definitions (db/dθ, a momentum) are declared as `letters`
//! and get their meaning by [`Paper::set`].

use crate::prelude::*;
use polhode_expr::equal::ERROR_BOUND;
use polhode_expr::eval::Digits;
use polhode_expr::{Evidence, Rates};
use polhode_model::Configuration;

/// For which states an equation is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// All positions, velocities and accelerations.
    Everywhere,
    /// All positions and admissible velocities.
    OnConstraints,
    /// The same, with the accelerations of the motion.
    OnMotion,
}

/// A model with the formulas of a paper.
pub(crate) struct Paper {
    /// The system of the model; its graph holds the formulas too.
    pub(crate) system: System,
    formulas: Vec<(String, Vec<Expr>, Vec<Expr>)>,
    letters: Rates,
    dependent: Rates,
    accelerations: Rates,
}

/// The text of a built-in model.
pub(crate) fn builtin(name: &str) -> &'static str {
    builtin::find(name).unwrap_or_else(|| panic!("no built-in model {name}")).text
}

impl Paper {
    /// Reads a model continued by letters, definitions (`name`, formula) and formulas (label, equation or value).
    pub(crate) fn new(text: &str, letters: &[&str], definitions: &[(&str, &str)], formulas: &[(&str, &str)]) -> Paper {
        let split =
            |f: &str| f.split_once('=').map_or(("0".into(), f.to_string()), |(l, r)| (l.to_string(), r.to_string()));
        let sides: Vec<(String, String)> = formulas.iter().map(|(_, f)| split(f)).collect();
        let text = continued(text, "parameters", letters.iter().map(|l| format!("{l} = 1")));
        let text = continued(&text, "define", definitions.iter().map(|(n, f)| format!("{n} = \"{f}\"")));
        let lines = sides.iter().enumerate().map(|(i, (l, r))| format!("left_{i} = \"{l}\"\nright_{i} = \"{r}\""));
        let text = continued(&text, "observables", lines);
        let (model, _) = Model::parse("paper.toml", &text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let (system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
        let entries = |key: String| -> Vec<Expr> {
            let part = format!("{key}[");
            model.observables.iter().filter(|(n, _)| *n == key || n.starts_with(&part)).map(|(_, e)| *e).collect()
        };
        let formulas = formulas.iter().enumerate().map(|(i, (label, _))| {
            let (mut left, mut right) = (entries(format!("left_{i}")), entries(format!("right_{i}")));
            let n = left.len().max(right.len());
            assert!(n > 0, "{label} says nothing");
            for side in [&mut left, &mut right] {
                assert!(
                    side.len() == n || *side == [system.graph.zero()],
                    "{label}: the sides have different dimensions"
                );
                side.resize(n, system.graph.zero());
            }
            (label.to_string(), left, right)
        });
        let formulas = formulas.collect();
        let mut paper = Paper {
            system,
            formulas,
            letters: Rates::default(),
            dependent: Rates::default(),
            accelerations: Rates::default(),
        };
        let frame = paper.system.voronets_frame();
        let velocities = frame.velocities(&mut paper.system.graph);
        paper.dependent = paper.system.configuration.velocities().iter().copied().zip(velocities).collect();
        paper
    }

    /// Derives the equations of motion in a form; its accelerations are those of [`Where::OnMotion`] from now on.
    pub(crate) fn derive(&mut self, form: Form) -> Equations {
        let equations = self.system.equations(form).unwrap_or_else(|e| panic!("{e}"));
        let values = equations.accelerations(&mut self.system);
        let velocities = self.system.configuration.velocities().to_vec();
        let graph = &mut self.system.graph;
        self.accelerations = velocities.iter().map(|v| Configuration::acceleration(graph, *v)).zip(values).collect();
        equations
    }

    /// Says what a letter stands for.
    pub(crate) fn set(&mut self, letter: &str, value: Expr) {
        let symbol = self.symbol(letter);
        self.letters.insert(symbol, value);
    }

    /// A symbol of the model: `theta`, `theta'`, `theta''`, `I1`.
    pub(crate) fn symbol(&self, name: &str) -> Symbol {
        self.system.graph.find_symbol(name).unwrap_or_else(|| panic!("no symbol {name}"))
    }

    /// [`Paper::symbol`] as an expression.
    pub(crate) fn var(&mut self, name: &str) -> Expr {
        let symbol = self.symbol(name);
        self.system.graph.var(symbol)
    }

    /// The left side of a formula.
    pub(crate) fn left(&self, label: &str) -> Vec<Expr> {
        self.formula(label).1.clone()
    }

    /// The right side of a formula.
    pub(crate) fn right(&self, label: &str) -> Vec<Expr> {
        self.formula(label).2.clone()
    }

    /// The right side of a scalar formula.
    pub(crate) fn value(&self, label: &str) -> Expr {
        let right = &self.formula(label).2;
        assert_eq!(right.len(), 1, "{label} is no scalar");
        right[0]
    }

    /// Left side minus right side of a scalar formula.
    pub(crate) fn residual(&mut self, label: &str) -> Expr {
        let (left, right) = (self.left(label), self.value(label));
        self.system.graph.sub(left[0], right)
    }

    fn formula(&self, label: &str) -> &(String, Vec<Expr>, Vec<Expr>) {
        self.formulas.iter().find(|(l, ..)| l == label).unwrap_or_else(|| panic!("no formula {label}"))
    }

    /// An expression as a function of the states in question, with the letters replaced.
    pub(crate) fn at(&mut self, states: Where, e: Expr) -> Expr {
        let graph = &mut self.system.graph;
        let mut e = graph.substitute(e, &self.letters);
        if states == Where::OnMotion {
            assert!(!self.accelerations.is_empty(), "nothing has been derived yet");
            e = graph.substitute(e, &self.accelerations);
        }
        if states != Where::Everywhere {
            e = graph.substitute(e, &self.dependent);
        }
        e
    }

    /// d/dt of a function of positions and velocities, with the accelerations left as symbols.
    pub(crate) fn rate(&mut self, e: Expr) -> Expr {
        let velocities = self.system.configuration.velocities().to_vec();
        let graph = &mut self.system.graph;
        let mut rates = self.system.configuration.motion(graph, self.system.time);
        for v in velocities {
            let symbol = Configuration::acceleration(graph, v);
            rates.insert(v, graph.var(symbol));
        }
        graph.along(e, &rates)
    }

    /// d/dt along the motion.
    pub(crate) fn rate_on_motion(&mut self, e: Expr) -> Expr {
        let e = self.at(Where::OnConstraints, e);
        let rate = self.rate(e);
        self.at(Where::OnMotion, rate)
    }

    /// Asserts that a formula holds.
    pub(crate) fn holds(&mut self, states: Where, label: &str) {
        for (i, (a, b)) in self.left(label).into_iter().zip(self.right(label)).enumerate() {
            self.same(states, &format!("{label}, component {}", i + 1), a, b);
        }
    }

    /// Asserts that a formula does not hold, in at least one component: the literal reading of a misprint.
    pub(crate) fn fails(&mut self, states: Where, label: &str) {
        let sides: Vec<(Expr, Expr)> = self.left(label).into_iter().zip(self.right(label)).collect();
        let wrong = sides.into_iter().any(|(a, b)| {
            let (a, b) = (self.at(states, a), self.at(states, b));
            matches!(self.system.graph.equal(a, b), Verdict::Different(Evidence::PrimeField { .. }))
        });
        assert!(wrong, "{label} should not hold {states:?}");
    }

    /// Asserts that two expressions are equal at the states in question.
    pub(crate) fn same(&mut self, states: Where, label: &str, a: Expr, b: Expr) {
        let (a, b) = (self.at(states, a), self.at(states, b));
        assert_equal(&mut self.system.graph, a, b, label);
    }

    /// Asserts that two expressions are different functions of the states in question.
    pub(crate) fn differ(&mut self, states: Where, label: &str, a: Expr, b: Expr) {
        let (a, b) = (self.at(states, a), self.at(states, b));
        assert_differs(&mut self.system.graph, a, b, label);
    }

    /// Asserts that a formula holds on the motion in numbers, to `digits` decimal places, at the state that
    /// another one gives as `[symbols] = [values]`.
    pub(crate) fn agrees_at(&mut self, state: &str, label: &str, digits: i32) {
        let arithmetic = Digits::decimal(60);
        let names = self.left(state).into_iter().map(|e| self.system.graph.as_symbol(e).expect("a state sets symbols"));
        let names: Vec<Symbol> = names.collect();
        let none = Vec::<(Symbol, _)>::new().into_iter().collect();
        let values = self.system.graph.evaluate(&arithmetic, &self.right(state), &none).expect("numbers");
        let values = names.into_iter().zip(values).collect();
        for (i, (a, b)) in self.left(label).into_iter().zip(self.right(label)).enumerate() {
            let difference = self.system.graph.sub(a, b);
            let difference = self.at(Where::OnMotion, difference);
            let value = self
                .system
                .graph
                .evaluate(&arithmetic, &[difference], &values)
                .unwrap_or_else(|e| panic!("{label}: {e:?}"));
            let error = value[0].to_f64().value().abs();
            assert!(error < 10f64.powi(-digits), "{label}, component {}: off by {error:e} at {state}", i + 1);
        }
    }
}

/// Σ_i x_i y_i.
pub(crate) fn dot(g: &mut Graph, x: &[Expr], y: &[Expr]) -> Expr {
    let parts: Vec<Expr> = x.iter().zip(y).map(|(x, y)| g.mul(*x, *y)).collect();
    g.sum(parts)
}

/// Asserts that two expressions are the same function, decided in a prime field.
pub(crate) fn assert_equal(graph: &mut Graph, a: Expr, b: Expr, label: &str) {
    match graph.equal(a, b) {
        Verdict::Equal(Evidence::PrimeField { error, .. }) => {
            assert!(error <= ERROR_BOUND, "{label}: weak evidence {error:e}")
        }
        other => panic!("{label}: expected equality, found {other:?}"),
    }
}

/// Asserts that two expressions are different functions: a proof, by a point of the prime field.
pub(crate) fn assert_differs(graph: &mut Graph, a: Expr, b: Expr, label: &str) {
    let verdict = graph.equal(a, b);
    assert!(
        matches!(verdict, Verdict::Different(Evidence::PrimeField { .. })),
        "{label}: expected a difference, found {verdict:?}"
    );
}

/// A model text with more lines in one of its sections, which is made when it is not there.
fn continued(text: &str, section: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return text.to_string();
    }
    let addition = lines.join("\n");
    let header = format!("[{section}]");
    let Some(start) = text.lines().position(|l| l.trim() == header) else {
        return format!("{text}\n{header}\n{addition}\n");
    };
    let mut all: Vec<&str> = text.lines().collect();
    let end = (start + 1..all.len()).find(|i| all[*i].trim_start().starts_with('[')).unwrap_or(all.len());
    all.insert(end, &addition);
    all.join("\n")
}
