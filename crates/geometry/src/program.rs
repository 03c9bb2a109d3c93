//! Expressions taken out of their graph for repeated evaluation in doubles.
//!
//! [`Graph::evaluate`] walks the whole graph for every point; Newton's method asks for thousands of
//! points of a few expressions. Here the nodes they need are listed once. For anything faster there are tapes.

use polhode_expr::eval::{Arithmetic, Doubles, EvalError};
use polhode_expr::number::to_f64;
use polhode_expr::{Exponent, Expr, Function, Graph, Node, Symbol};
use std::collections::HashMap;

#[derive(Clone, Debug)]
enum Step {
    Number(f64),
    Input(usize),
    Sum(f64, Vec<(usize, f64)>),
    Product(f64, Vec<(usize, Exponent)>),
    Call(Function, usize),
    Atan2(usize, usize),
}

/// Expressions as functions of a few inputs.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    steps: Vec<Step>,
    outputs: Vec<usize>,
}

impl Program {
    /// The expressions as functions of `inputs`, with fixed values for the other symbols.
    pub(crate) fn new(
        g: &Graph,
        roots: &[Expr],
        inputs: &[Symbol],
        fixed: &[(Symbol, f64)],
    ) -> Result<Program, EvalError> {
        let mut place: HashMap<Expr, usize> = HashMap::new();
        let mut steps = Vec::new();
        for n in g.reachable(roots) {
            let step = match g.node(n) {
                Node::Number(r) => Step::Number(to_f64(r)),
                Node::Pi => Step::Number(std::f64::consts::PI),
                Node::Symbol(s) => match (inputs.iter().position(|i| i == s), fixed.iter().find(|(f, _)| f == s)) {
                    (Some(i), _) => Step::Input(i),
                    (None, Some((_, x))) => Step::Number(*x),
                    (None, None) => return Err(EvalError::Unbound(*s)),
                },
                Node::Sum { constant, terms } => {
                    Step::Sum(to_f64(constant), terms.iter().map(|(t, r)| (place[t], to_f64(r))).collect())
                }
                Node::Product { coefficient, factors } => {
                    Step::Product(to_f64(coefficient), factors.iter().map(|(b, k)| (place[b], *k)).collect())
                }
                Node::Call(f, a) => Step::Call(*f, place[a]),
                Node::Atan2(y, x) => Step::Atan2(place[y], place[x]),
                Node::Apply { .. } => return Err(EvalError::OpenFunction(n)),
            };
            place.insert(n, steps.len());
            steps.push(step);
        }
        Ok(Program { steps, outputs: roots.iter().map(|r| place[r]).collect() })
    }

    /// The values at a point; `None` where one of them is not defined.
    pub(crate) fn at(&self, inputs: &[f64]) -> Option<Vec<f64>> {
        let mut v: Vec<f64> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let value = match step {
                Step::Number(x) => *x,
                Step::Input(i) => inputs[*i],
                Step::Sum(c, terms) => terms.iter().fold(*c, |total, (i, r)| total + r * v[*i]),
                Step::Product(c, factors) => {
                    let mut total = *c;
                    for (i, k) in factors {
                        total *= if *k == Exponent::ONE { v[*i] } else { Doubles.pow(&v[*i], *k)? };
                    }
                    total
                }
                Step::Call(f, i) => Doubles.call(*f, &v[*i])?,
                Step::Atan2(y, x) => Doubles.atan2(&v[*y], &v[*x])?,
            };
            if !value.is_finite() {
                return None;
            }
            v.push(value);
        }
        Some(self.outputs.iter().map(|i| v[*i]).collect())
    }
}
