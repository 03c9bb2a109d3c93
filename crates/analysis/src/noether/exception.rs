//! Invariant measures for special parameters.
//!
//! An obstruction is a function of the parameters as well: it may vanish for some of them, and then says nothing. Factors of it that contain parameters alone
//! tell where; at the values of the model the question is asked again, with these put in.

use super::flow::Flow;
use super::measure::{Measure, measure};
use polhode_base::random::Random;
use polhode_expr::equal::random_state;
use polhode_expr::eval::Digits;
use polhode_expr::number::Rational;
use polhode_expr::{Expr, Graph, Node, Reading, Symbol};
use polhode_mechanics::rank::parameter_values;
use polhode_mechanics::system::System;
use rustc_hash::FxHashMap;

/// Random states at which the equations are tried: roots of negative numbers may spoil some.
const STATES: usize = 20;

/// [`measure`] with the values of the model put in for its parameters, before anything is decided.
pub fn measure_at_values(system: &mut System, flow: &Flow) -> Measure {
    let equations = &flow.equations;
    let all: Vec<Expr> = equations.velocities.iter().chain(&equations.rates).copied().collect();
    if !has_values(system, &all) {
        return Measure::Singular;
    }
    let fixed = flow.at_values(system);
    measure(system, &fixed)
}

/// Do functions have values at some random state, for the parameters of the model? Asked before these are put in: 0 · (1/0) would be
/// simplified to 0.
pub(crate) fn has_values(system: &System, all: &[Expr]) -> bool {
    let symbols = system.graph.free_symbols(all);
    let values = system.model.parameter_digits().unwrap_or_default();
    let digits = Digits::decimal(20);
    let mut random = Random::new(37);
    (0..STATES).any(|_| {
        let mut at = random_state(&system.graph, &symbols, &digits, &mut random);
        at.extend(values.iter().map(|(s, x)| (*s, x.clone())));
        let found = system.graph.evaluate(&digits, all, &at);
        found.is_ok_and(|v| v.iter().all(|x| x.to_f64().value().is_finite()))
    })
}

/// What forbids a measure for parameters in general.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exception {
    /// Functions of the parameters alone that divide it: where one of them is zero, so is it.
    pub zeros: Vec<Expr>,
    /// It vanishes at the values of the model.
    pub here: bool,
}

/// For which parameters [`Measure::Obstruction`] and [`Measure::Shrinks`] say nothing: where what they rest on vanishes.
pub fn exception(system: &mut System, found: &Measure) -> Option<Exception> {
    let (Measure::Obstruction { difference: e } | Measure::Shrinks { rate: e }) = *found else { return None };
    let values = parameter_values(system);
    let at_values = system.graph.substitute(e, &values);
    let here = system.graph.decide_zero(at_values).is_equal();
    let reading = Reading { parameters: system.parameters.clone() };
    let simple = system.graph.simplify(e, &reading);
    let numbers = system.model.parameter_values().unwrap_or_default();
    let graph = &system.graph;
    let above: Vec<Expr> = match graph.node(simple) {
        Node::Product { factors, .. } => factors.iter().filter(|(_, k)| k.n > 0).map(|(b, _)| *b).collect(),
        _ => vec![simple],
    };
    let of_parameters = |b: &Expr| {
        let free = graph.free_symbols(&[*b]);
        !free.is_empty() && free.iter().all(|s| system.parameters.contains(s)) && !is_positive_sum(graph, &numbers, *b)
    };
    Some(Exception { zeros: above.into_iter().filter(of_parameters).collect(), here })
}

/// A sum of products of positive parameters, such as M + m, which vanishes for no values that they could have.
fn is_positive_sum(graph: &Graph, values: &FxHashMap<Symbol, f64>, e: Expr) -> bool {
    let positive = |e: Expr| matches!(graph.node(e), Node::Symbol(s) if values.get(s).is_some_and(|x| *x > 0.0));
    let summand = |e: Expr| match graph.node(e) {
        Node::Product { factors, .. } => factors.iter().all(|(b, _)| positive(*b)),
        _ => positive(e),
    };
    let Node::Sum { constant, terms } = graph.node(e) else { return false };
    let sign = |positive: bool| {
        let agrees = |c: &Rational| if positive { *c > Rational::ZERO } else { *c < Rational::ZERO };
        (constant.is_zero() || agrees(constant)) && terms.iter().all(|(_, c)| agrees(c))
    };
    (sign(true) || sign(false)) && terms.iter().all(|(t, _)| summand(*t))
}
