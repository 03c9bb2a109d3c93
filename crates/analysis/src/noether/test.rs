//! Is a given function constant along every motion?
//!
//! ```text
//! df/dt = X(f|_D) = 0   for all q, ξ, t
//! ```
//!
//! is decided by the exact test of `polhode_expr::equal`. Holonomic constraints h(q) = 0 make the answer depend on where it is asked: the
//! equations keep every level of h, so that what is constant on all of them is constant; what is not is looked at again on h = 0, at points found
//! by Newton's method, and the evidence says so.
//!
//! Parameters are letters, and the answer is one for all their values. Those that the model gives as formulas of others (`I2 = "I1"`) are letters
//! first, which makes short formulas, and these formulas where that is not enough. [`decide_at_values`] asks about the one system with the numbers of
//! the model.
//!
//! Source: {f, E} = 0 in the almost-Poisson bracket of D is the same condition, [CushmanEtAl1995, Theorem 2].

use super::exception::has_values;
use super::flow::Flow;
use polhode_base::random::Random;
use polhode_expr::equal::FieldPoint;
use polhode_expr::eval::Doubles;
use polhode_expr::{Evidence, Expr, Symbol, Verdict};
use polhode_mechanics::rank::{parameter_formulas, parameter_values};
use polhode_mechanics::surface;
use polhode_mechanics::system::System;

/// Points of the surface of holonomic constraints that are looked at.
const SURFACE_POINTS: usize = 6;

/// What is smaller than this part of its summands is a zero in doubles, at points that satisfy the constraints to 1e-11.
const SURFACE_ZERO: f64 = 1e-8;

/// What an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// The test of equality, for all positions.
    Everywhere(Evidence),
    /// The same, with the parameters that the model gives as formulas of others replaced by these formulas.
    ByFormulas(Evidence),
    /// The same, with the values of the parameters put in: for others it does not hold.
    AtValues(Evidence),
    /// Doubles at points of the surface of the holonomic constraints, for the values of the parameters.
    Surface {
        /// How many.
        points: usize,
    },
}

/// Whether a function is constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// It is constant along every motion.
    Constant(Ground),
    /// It is the same number for all states: no integral, though constant.
    Trivial,
    /// It changes along some motion.
    Changes(Ground),
    /// It changes at positions where contact is lost; where bodies touch, only motions can tell.
    OffContact,
    /// No verdict; see [`Verdict::Undecided`].
    Undecided,
}

/// The answer to one question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The function on D.
    pub on_d: Expr,
    /// Its time derivative on D.
    pub rate: Expr,
    /// The answer.
    pub outcome: Outcome,
}

impl Answer {
    /// Is the function an integral of the motion?
    pub fn is_integral(&self) -> bool {
        matches!(self.outcome, Outcome::Constant(_))
    }
}

/// Decides whether a function of position, velocity, acceleration and time is constant.
pub fn decide(system: &mut System, flow: &Flow, f: Expr) -> Answer {
    let on_d = flow.on_d(&mut system.graph, &[f])[0];
    let rate = flow.rates_of(&mut system.graph, &[on_d])[0];
    let outcome = match system.graph.decide_zero(rate) {
        Verdict::Equal(_) if is_number(system, on_d) => Outcome::Trivial,
        Verdict::Equal(evidence) => Outcome::Constant(Ground::Everywhere(evidence)),
        verdict => by_formulas(system, on_d, rate, verdict),
    };
    Answer { on_d, rate, outcome }
}

/// The outcome for a rate that does not vanish as long as all parameters are letters.
fn by_formulas(system: &mut System, on_d: Expr, rate: Expr, verdict: Verdict) -> Outcome {
    let formulas = parameter_formulas(system);
    let special = system.graph.substitute(rate, &formulas);
    let verdict = if special == rate { verdict } else { system.graph.decide_zero(special) };
    match verdict {
        Verdict::Equal(_) if !has_values(system, &[rate]) => Outcome::Undecided,
        Verdict::Equal(evidence) => {
            let on_d = system.graph.substitute(on_d, &formulas);
            let trivial = is_number(system, on_d);
            if trivial { Outcome::Trivial } else { Outcome::Constant(Ground::ByFormulas(evidence)) }
        }
        Verdict::Undecided => Outcome::Undecided,
        Verdict::Different(evidence) => off_the_constraints(system, rate, evidence),
    }
}

/// [`decide`], and where the function is not constant for all parameters, once more with the values of the model put in.
pub fn decide_at_values(system: &mut System, flow: &Flow, f: Expr) -> Answer {
    let answer = decide(system, flow, f);
    let open = matches!(answer.outcome, Outcome::Changes(Ground::Everywhere(_)) | Outcome::Undecided);
    if !open || !has_values(system, &[answer.rate]) {
        return answer;
    }
    let values = parameter_values(system);
    let here = system.graph.substitute_all(&[answer.on_d, answer.rate], &values);
    match system.graph.decide_zero(here[1]) {
        Verdict::Equal(_) if is_number(system, here[0]) => Answer { outcome: Outcome::Trivial, ..answer },
        Verdict::Equal(evidence) => Answer { outcome: Outcome::Constant(Ground::AtValues(evidence)), ..answer },
        _ => answer,
    }
}

/// The same value at two states, with the same parameters.
fn is_number(system: &mut System, on_d: Expr) -> bool {
    let graph = &mut system.graph;
    if graph.as_number(on_d).is_some() {
        return true;
    }
    let mut first = FieldPoint::with_roots(graph, 5);
    let here = first.value(graph, on_d);
    let mut second = first.sharing(graph, &system.parameters, 6);
    matches!((here, second.value(graph, on_d)), (Ok(a), Ok(b)) if a == b)
}

/// A rate that does not vanish identically may vanish where constraints hold that generic positions violate.
fn off_the_constraints(system: &mut System, rate: Expr, evidence: Evidence) -> Outcome {
    let model = system.model.clone();
    if model.contacts.iter().any(|c| !c.carried.is_empty()) {
        return Outcome::OffContact;
    }
    let holonomic: Vec<Expr> = model.holding().filter_map(|c| c.holonomic).collect();
    if holonomic.is_empty() {
        return Outcome::Changes(Ground::Everywhere(evidence));
    }
    let points = surface::zeros(system, &model, &holonomic, SURFACE_POINTS);
    let summands = system.graph.summands(rate);
    let symbols: Vec<Symbol> = system.graph.free_symbols(&summands);
    let mut random = Random::new(23);
    let mut seen = 0;
    for mut at in points {
        for s in &symbols {
            let x = random.short(-1.5, 1.5);
            at.entry(*s).or_insert(x);
        }
        let Ok(values) = system.graph.evaluate(&Doubles, &summands, &at) else { continue };
        let (total, scale) = values.iter().fold((0.0, 0.0), |(t, s), v| (t + v, s + v.abs()));
        seen += 1;
        if f64::abs(total) > SURFACE_ZERO * scale {
            return Outcome::Changes(Ground::Surface { points: seen });
        }
    }
    if seen == 0 { Outcome::Undecided } else { Outcome::Constant(Ground::Surface { points: seen }) }
}
