//! Initial states: positions as given, velocities completed so that the constraints hold.
//!
//! A velocity that the model leaves out is computed from the constraints where they
//! determine it, and is zero otherwise; positions left out take the defaults of the model. What
//! is given is never changed, unless that is wished ([`Inconsistent::Project`]): if it contradicts
//! a constraint or leaves an interval, that is an error with the residual.
//!
//! Values come in doubles and in [`DIGITS`] digits. The computed velocities get their digits by
//! refinement: the double solution corrects its own residual A v + a₀, evaluated in all digits,
//! until nothing is left of it.

use crate::dense::solve_any;
use crate::distribution::Row;
use crate::system::{System, rejected};
use polhode_base::ids::{ConstraintId, Id};
use polhode_base::{Diagnostic, Diagnostics, Span};
use polhode_expr::eval::{Arithmetic, Digits, EvalError, Real};
use polhode_expr::{Expr, Symbol};
use polhode_model::{DIGITS, InitialValue, Interval, Model, Rejected};
use rustc_hash::FxHashMap;

/// Relative residual above which a given velocity contradicts a constraint.
const TOLERANCE: f64 = 1e-9;

/// What is done with given velocities that violate a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inconsistent {
    /// They are refused, with the residual.
    #[default]
    Refuse,
    /// The nearest admissible velocity in the kinetic metric takes their place.
    Project,
}

/// A complete state: parameters, time 0, positions and velocities.
#[derive(Clone, Debug)]
pub struct InitialState {
    /// The value of every parameter, position and velocity symbol, and of time.
    pub values: FxHashMap<Symbol, f64>,
    /// The same in many digits.
    pub digits: FxHashMap<Symbol, Real>,
    /// The velocities that were computed from the constraints.
    pub computed: Vec<Symbol>,
}

/// The initial state of a model; `None` when the model gives none.
pub fn initial_state(system: &mut System, model: &Model) -> Result<Option<InitialState>, Rejected> {
    initial_state_with(system, model, Inconsistent::Refuse)
}

/// [`initial_state`] with a choice of what to do with velocities that violate the constraints.
pub fn initial_state_with(
    system: &mut System,
    model: &Model,
    inconsistent: Inconsistent,
) -> Result<Option<InitialState>, Rejected> {
    if model.initial.is_empty() {
        return Ok(None);
    }
    let mut diagnostics = Diagnostics::new();
    let mut values = match model.parameter_values() {
        Ok(values) => values,
        Err(e) => return Err(rejected(model, undefined(system, &e, model.source.span()).into())),
    };
    values.insert(system.time, 0.0);
    let mut defaults = model.clone();
    for (symbol, value) in defaults.initial_positions() {
        if let Ok(x) = defaults.graph.evaluate_f64(value, &values) {
            values.insert(symbol, x);
        }
    }
    let velocities = system.configuration.velocities().to_vec();
    let mut given: FxHashMap<Symbol, &InitialValue> = FxHashMap::default();
    for item in &model.initial {
        match system.graph.evaluate_f64(item.value, &values) {
            Ok(x) => {
                values.insert(item.symbol, x);
                if velocities.contains(&item.symbol) {
                    given.insert(item.symbol, item);
                }
            }
            Err(e) => diagnostics.push(undefined(system, &e, item.span)),
        }
    }
    if diagnostics.has_errors() {
        return Err(rejected(model, diagnostics));
    }
    check_positions(system, model, &values, &mut diagnostics);
    let sound = !diagnostics.has_errors();
    let computed = complete_velocities(system, &given, &mut values, &mut diagnostics);
    if diagnostics.has_errors() && sound && inconsistent == Inconsistent::Project {
        return match projected(system, model, &velocities, &values) {
            Ok(state) => Ok(Some(state)),
            Err(e) => Err(rejected(model, undefined(system, &e, model.source.span()).into())),
        };
    }
    if diagnostics.has_errors() {
        return Err(rejected(model, diagnostics));
    }
    match refined(system, model, &computed, &values) {
        Ok(digits) => Ok(Some(InitialState { values: rounded(&digits), digits, computed })),
        Err(e) => Err(rejected(model, undefined(system, &e, model.source.span()).into())),
    }
}

/// The nearest doubles.
fn rounded(digits: &FxHashMap<Symbol, Real>) -> FxHashMap<Symbol, f64> {
    digits.iter().map(|(s, x)| (*s, x.to_f64().value())).collect()
}

/// Parameters, time, positions and given velocities in many digits.
fn in_digits(system: &System, model: &Model) -> Result<FxHashMap<Symbol, Real>, EvalError> {
    let arithmetic = Digits::decimal(DIGITS);
    let mut model = model.clone();
    let mut digits = model.parameter_digits()?;
    digits.insert(system.time, arithmetic.double(0.0));
    let given: Vec<(Symbol, Expr)> = model.initial.iter().map(|i| (i.symbol, i.value)).collect();
    for (symbol, e) in model.initial_positions().into_iter().chain(given) {
        let x = model.graph.evaluate(&arithmetic, &[e], &digits)?.remove(0);
        digits.insert(symbol, x);
    }
    Ok(digits)
}

/// The velocity that satisfies the constraints and is nearest to the given one, completed as well as
/// the constraints allow.
fn projected(
    system: &mut System,
    model: &Model,
    velocities: &[Symbol],
    completed: &FxHashMap<Symbol, f64>,
) -> Result<InitialState, EvalError> {
    let arithmetic = Digits::decimal(DIGITS);
    let mut digits = in_digits(system, model)?;
    for v in velocities {
        let guess = completed.get(v).copied().unwrap_or(0.0);
        digits.entry(*v).or_insert_with(|| arithmetic.double(guess));
    }
    let restored = system.restoration(&[]).velocities;
    let nearest = system.graph.evaluate(&arithmetic, &restored, &digits)?;
    digits.extend(velocities.iter().copied().zip(nearest));
    Ok(InitialState { values: rounded(&digits), digits, computed: velocities.to_vec() })
}

/// Corrections after which the computed velocities have all digits.
const REFINEMENTS: usize = 4;

/// All values in many digits; the velocities in `computed` start from their doubles.
fn refined(
    system: &System,
    model: &Model,
    computed: &[Symbol],
    values: &FxHashMap<Symbol, f64>,
) -> Result<FxHashMap<Symbol, Real>, EvalError> {
    let arithmetic = Digits::decimal(DIGITS);
    let mut digits = in_digits(system, model)?;
    for v in computed {
        digits.insert(*v, arithmetic.double(values[v]));
    }
    let velocities = system.configuration.velocities();
    let entries: Vec<Expr> =
        system.distribution.rows.iter().flat_map(|row| row.a.iter().copied().chain([row.a0])).collect();
    let entries = system.graph.evaluate(&arithmetic, &entries, &digits)?;
    let rows: Vec<(&[Real], &Real)> =
        entries.chunks_exact(velocities.len() + 1).filter_map(|row| row.split_last().map(|(a0, a)| (a, a0))).collect();
    let column = |v: &Symbol| velocities.iter().position(|w| w == v).expect("a velocity");
    let columns: Vec<usize> = computed.iter().map(column).collect();
    let a: Vec<Vec<f64>> =
        rows.iter().map(|(row, _)| columns.iter().map(|j| row[*j].to_f64().value()).collect()).collect();
    for _ in 0..REFINEMENTS {
        let residual: Vec<Real> = rows
            .iter()
            .map(|(row, a0)| {
                row.iter().zip(velocities).fold((*a0).clone(), |sum, (a, v)| {
                    let term = arithmetic.mul(a, &digits[v]);
                    arithmetic.add(&sum, &term)
                })
            })
            .collect();
        // Scaled to size one, so that the correction of a tiny residual has digits of its own.
        let largest = residual.iter().fold(0f64, |m, r| m.max(r.to_f64().value().abs()));
        if largest == 0.0 {
            break;
        }
        let scale = arithmetic.double(largest);
        let b: Vec<f64> = residual.iter().map(|r| -(r.clone() / scale.clone()).to_f64().value()).collect();
        let (correction, _, _) = solve_any(&a, &b);
        for (v, x) in computed.iter().zip(correction) {
            let step = arithmetic.mul(&arithmetic.double(x), &scale);
            let value = arithmetic.add(&digits[v], &step);
            digits.insert(*v, value);
        }
    }
    Ok(digits)
}

/// A number with at most six decimals.
fn short(x: f64) -> String {
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn undefined(system: &System, error: &EvalError, span: Span) -> Diagnostic {
    let what = match error {
        EvalError::Unbound(s) => format!("the value depends on `{}`, which has no value here", system.graph.name(*s)),
        EvalError::Undefined(_) => "the value is not a finite real number".to_string(),
        EvalError::OpenFunction(_) => "the value depends on a function that is known by name only".to_string(),
    };
    Diagnostic::error("bad-number", what)
        .at(span, "cannot be evaluated")
        .help("initial values may use numbers, parameters and functions of them")
}

fn check_positions(system: &System, model: &Model, values: &FxHashMap<Symbol, f64>, diagnostics: &mut Diagnostics) {
    let place = |s: Symbol| model.initial.iter().find(|i| i.symbol == s).map(|i| i.span);
    for Interval { coordinate, low, high } in model.configuration.intervals() {
        let (Ok(a), Ok(b)) = (system.graph.evaluate_f64(low, values), system.graph.evaluate_f64(high, values)) else {
            continue;
        };
        let x = values[&coordinate];
        if !(x > a && x < b) {
            let d = Diagnostic::error(
                "outside-interval",
                format!("the initial `{}` = {x} is outside its interval ({a}, {b})", system.graph.name(coordinate)),
            );
            diagnostics.push(match place(coordinate) {
                Some(span) => d.at(span, "choose a value inside"),
                None => d,
            });
        }
    }
    for c in &system.constraints {
        let Some(h) = c.holonomic else { continue };
        let Ok(residual) = system.graph.evaluate_f64(h, values) else { continue };
        if residual.abs() > TOLERANCE {
            diagnostics.push(
                Diagnostic::error(
                    "inconsistent-position",
                    format!("the initial position violates \"{}\": it is off by {}", c.name, short(residual)),
                )
                .at(c.span, "this must be zero at the start"),
            );
        }
    }
}

/// Solves A v = −a₀ for the velocities that are not given.
fn complete_velocities(
    system: &mut System,
    given: &FxHashMap<Symbol, &InitialValue>,
    values: &mut FxHashMap<Symbol, f64>,
    diagnostics: &mut Diagnostics,
) -> Vec<Symbol> {
    let velocities = system.configuration.velocities().to_vec();
    let d = system.distribution.clone();
    let evaluate = |e: Expr| system.graph.evaluate_f64(e, values);
    let numbers = |r: &Row| -> Result<(Vec<f64>, f64), EvalError> {
        Ok((r.a.iter().map(|e| evaluate(*e)).collect::<Result<_, _>>()?, evaluate(r.a0)?))
    };
    let mut rows = Vec::with_capacity(d.rows.len());
    for (i, row) in d.rows.iter().enumerate() {
        let Ok(row) = numbers(row) else {
            let constraint = i.checked_sub(d.representation).map(|c| &system.constraints[ConstraintId::new(c)]);
            let which = constraint.map_or("a constraint".to_owned(), |c| format!("constraint \"{}\"", c.name));
            let message = format!("{which} has no finite coefficients at the initial position");
            let error = Diagnostic::error("singular-position", message).help("choose another initial position");
            diagnostics.push(match constraint {
                Some(c) => error.at(c.span, "a division by zero, or a root or logarithm of a negative number"),
                None => error,
            });
            return Vec::new();
        };
        rows.push(row);
    }
    let unknown: Vec<usize> = (0..velocities.len()).filter(|a| !given.contains_key(&velocities[*a])).collect();
    let a: Vec<Vec<f64>> = rows.iter().map(|(row, _)| unknown.iter().map(|j| row[*j]).collect()).collect();
    let b: Vec<f64> = rows
        .iter()
        .map(|(row, a0)| {
            -a0 - velocities.iter().zip(row).filter_map(|(s, x)| given.get(s).map(|_| x * values[s])).sum::<f64>()
        })
        .collect();
    let (solution, residual, _) = solve_any(&a, &b);
    for (i, j) in unknown.iter().enumerate() {
        // without constraints there is nothing to solve, and what is not given is zero
        values.insert(velocities[*j], solution.get(i).copied().unwrap_or(0.0));
    }
    let scale = b.iter().fold(1f64, |s, x| s.max(x.abs()));
    let worst = (0..residual.len())
        .filter(|i| *i >= d.representation)
        .max_by(|i, j| residual[*i].abs().total_cmp(&residual[*j].abs()));
    if let Some(i) = worst
        && residual[i].abs() > TOLERANCE * scale
    {
        diagnostics.push(slips(system, given, ConstraintId::new(i - d.representation), residual[i], &rows[i].0));
        return Vec::new();
    }
    unknown.into_iter().map(|j| velocities[j]).collect()
}

/// The message for a velocity that a constraint forbids.
fn slips(
    system: &System,
    given: &FxHashMap<Symbol, &InitialValue>,
    constraint: ConstraintId,
    residual: f64,
    row: &[f64],
) -> Diagnostic {
    let c = &system.constraints[constraint];
    let velocities = system.configuration.velocities();
    // Blame the given velocity written last among those in the constraint.
    let culprit = velocities
        .iter()
        .zip(row)
        .filter(|(_, x)| x.abs() > 1e-12)
        .filter_map(|(s, _)| given.get(s).map(|item| (*s, *item)))
        .max_by_key(|(_, item)| item.span.start);
    let message =
        format!("the initial velocity violates constraint \"{}\": residual {}", c.name, short(residual.abs()));
    let d = Diagnostic::error("inconsistent-velocity", message);
    match culprit {
        Some((s, item)) => {
            let name = system.graph.name(s);
            let help =
                format!("leave {name} out and it is computed, or run with --project: the nearest velocity that fits");
            let d = match item.span == Span::default() {
                // a flag has no place in the file
                true => d.at(c.span, format!("{name} as given does not fit")),
                false => d.at(item.span, "does not fit").also(c.span, format!("\"{}\"", c.name)),
            };
            d.help(help)
        }
        None => d.at(c.span, "cannot be satisfied at the initial position"),
    }
}
