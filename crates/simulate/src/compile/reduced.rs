//! Reduced runs: which equations, which positions.
//!
//! Equations in an invariant frame close on the base, but they need not be the cheapest: their frame may fail near the motion, so that
//! steps become short, or be longer than Hamel's. What a form costs is measured,
//!
//! ```text
//! cost of a unit of time = operations of ẏ · steps / time,                                         (C)
//! ```
//!
//! over the first steps of the motion, and the usual form is taken where it is clearly less.

use super::CompileError;
use polhode_expr::Symbol;
use polhode_integrate::{Stepper, Taylor, Tolerance, Unit};
use polhode_mechanics::{Equations, Form, NotApplicable, System};
use polhode_model::Factor;
use polhode_tape::{Tape, passes};

use crate::run::DEFAULT_RTOL;

/// Steps of a trial.
const STEPS: usize = 32;

/// The usual form is taken where it costs less than this part of the closed equations: less may be chance.
const CLEARLY: f64 = 0.9;

/// (C) over the first steps from a state.
pub(super) fn trial(field: &Tape, state: &[f64], units: Vec<Unit>, end: f64) -> f64 {
    let tolerance = Tolerance { relative: DEFAULT_RTOL, absolute: DEFAULT_RTOL };
    let mut stepper = Taylor::<f64>::new(field, 0.0, state, tolerance, units);
    let mut steps = 0;
    while steps < STEPS && stepper.time().abs() < end.abs() {
        if stepper.step(end).is_err() {
            return f64::INFINITY;
        }
        steps += 1;
    }
    f64::from(field.cost()) * steps as f64 / stepper.time().abs()
}

/// The closed equations, or those of the usual form where they cost less.
pub(super) fn cheapest(
    system: &mut System,
    mut cost: impl FnMut(&mut System, &Equations) -> Result<f64, CompileError>,
) -> Result<Equations, CompileError> {
    let not_reducible = |why: String| CompileError::NotApplicable(Form::Ldap, NotApplicable::NotReducible(why));
    let closed = system.closed_equations().map_err(|why| not_reducible(why.to_string()))?;
    let model = system.model.clone();
    let form = system.preferred_form(&model);
    let usual = system.equations(form).ok().and_then(|e| Some((cost(system, &e).ok()?, e)));
    match (cost(system, &closed), usual) {
        (Ok(ours), Some((theirs, usual))) if theirs < CLEARLY * ours => Ok(usual),
        (Ok(_), _) => Ok(closed),
        (Err(_), Some((_, usual))) => Ok(usual),
        (Err(why), None) => Err(why),
    }
}

/// The symbols of positions that are called by the name of their factor, of their matrix or vector, or by their own.
pub(super) fn positions_named(system: &System, names: &[String]) -> Result<Vec<Symbol>, CompileError> {
    let called = |s: &Symbol| system.graph.name(*s);
    let stem = |s: &Symbol| called(s).split('[').next().unwrap_or_default().to_owned();
    let factors: &[Factor] = system.configuration.factors();
    let mut out = Vec::new();
    for name in names {
        let before = out.len();
        for factor in factors {
            let all = factor.name == *name;
            out.extend(factor.positions.iter().filter(|s| all || stem(s) == *name || called(s) == name).copied());
        }
        if out.len() == before {
            let mut known: Vec<String> = system.configuration.positions().iter().map(stem).collect();
            known.dedup();
            return Err(CompileError::NoSuchPosition(name.clone(), known));
        }
    }
    Ok(out)
}

/// The smallest part of a state that contains the given components and whose rates depend on nothing else.
pub(super) fn driving_part(field: &Tape, components: std::ops::Range<usize>) -> Vec<bool> {
    let needs = passes::dependencies(field);
    let n = field.outputs.len();
    let mut inside = vec![false; n];
    let mut open: Vec<usize> = components.collect();
    while let Some(i) = open.pop() {
        if !std::mem::replace(&mut inside[i], true) {
            // inputs are t, the state, and perhaps parameters
            open.extend(needs[i].iter().filter_map(|input| input.checked_sub(1)).filter(|i| *i < n));
        }
    }
    inside
}
