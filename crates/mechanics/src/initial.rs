//! Initial states: positions as given, velocities completed so that the constraints hold.
//!
//! A velocity that the model leaves out is computed from the constraints where they
//! determine it, and is zero otherwise; positions left out take the defaults of the model. What is given is never changed: if it contradicts a
//! constraint or leaves an interval, that is an error with the residual.

use crate::dense::solve_any;
use crate::system::{System, rejected};
use polhode_base::{Diagnostic, Diagnostics, Span};
use polhode_expr::eval::EvalError;
use polhode_expr::{Expr, Symbol};
use polhode_model::{InitialValue, Kind, Model, Rejected};
use rustc_hash::FxHashMap;

/// Relative residual above which a given velocity contradicts a constraint.
const TOLERANCE: f64 = 1e-9;

/// A complete state: parameters, time 0, positions and velocities.
#[derive(Clone, Debug)]
pub struct InitialState {
    /// The value of every parameter, position and velocity symbol, and of time.
    pub values: FxHashMap<Symbol, f64>,
    /// The velocities that were computed from the constraints.
    pub computed: Vec<Symbol>,
}

/// The initial state of a model; `None` when the model gives none.
pub fn initial_state(system: &mut System, model: &Model) -> Result<Option<InitialState>, Rejected> {
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
    let computed = complete_velocities(system, model, &given, &mut values, &mut diagnostics);
    if diagnostics.has_errors() {
        Err(rejected(model, diagnostics))
    } else {
        Ok(Some(InitialState { values, computed }))
    }
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
    for factor in model.configuration.factors() {
        let Kind::Interval(low, high) = &factor.kind else { continue };
        let (Ok(a), Ok(b)) = (system.graph.evaluate_f64(*low, values), system.graph.evaluate_f64(*high, values)) else {
            continue;
        };
        let x = values[&factor.positions[0]];
        if !(x > a && x < b) {
            let d = Diagnostic::error(
                "outside-interval",
                format!("the initial `{}` = {x} is outside its interval ({a}, {b})", factor.name),
            );
            diagnostics.push(match place(factor.positions[0]) {
                Some(span) => d.at(span, "choose a value inside"),
                None => d,
            });
        }
    }
    for c in &model.constraints {
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
    model: &Model,
    given: &FxHashMap<Symbol, &InitialValue>,
    values: &mut FxHashMap<Symbol, f64>,
    diagnostics: &mut Diagnostics,
) -> Vec<Symbol> {
    let velocities = system.configuration.velocities().to_vec();
    let d = system.distribution.clone();
    let evaluate = |e: Expr| system.graph.evaluate_f64(e, values);
    let rows: Result<Vec<(Vec<f64>, f64)>, EvalError> = d
        .rows
        .iter()
        .map(|r| Ok((r.a.iter().map(|e| evaluate(*e)).collect::<Result<_, _>>()?, evaluate(r.a0)?)))
        .collect();
    let rows = match rows {
        Ok(rows) => rows,
        Err(_) => {
            diagnostics.push(
                Diagnostic::error(
                    "singular-position",
                    "a constraint has no finite coefficients at the initial position",
                )
                .help("choose another initial position"),
            );
            return Vec::new();
        }
    };
    let unknown: Vec<usize> = (0..velocities.len()).filter(|a| !given.contains_key(&velocities[*a])).collect();
    let a: Vec<Vec<f64>> = rows.iter().map(|(row, _)| unknown.iter().map(|j| row[*j]).collect()).collect();
    let b: Vec<f64> = rows
        .iter()
        .map(|(row, a0)| {
            -a0 - velocities.iter().zip(row).filter_map(|(s, x)| given.get(s).map(|_| x * values[s])).sum::<f64>()
        })
        .collect();
    let (solution, residual, _) = solve_any(&a, &b);
    for (j, x) in unknown.iter().zip(&solution) {
        values.insert(velocities[*j], *x);
    }
    let scale = b.iter().fold(1f64, |s, x| s.max(x.abs()));
    let worst = (0..residual.len())
        .filter(|i| *i >= d.representation)
        .max_by(|i, j| residual[*i].abs().total_cmp(&residual[*j].abs()));
    if let Some(i) = worst
        && residual[i].abs() > TOLERANCE * scale
    {
        diagnostics.push(slips(system, model, given, i - d.representation, residual[i], &rows[i].0));
        return Vec::new();
    }
    unknown.into_iter().map(|j| velocities[j]).collect()
}

/// The message for a velocity that a constraint forbids.
fn slips(
    system: &System,
    model: &Model,
    given: &FxHashMap<Symbol, &InitialValue>,
    constraint: usize,
    residual: f64,
    row: &[f64],
) -> Diagnostic {
    let c = &model.constraints[constraint];
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
            d.at(item.span, "does not fit")
                .also(c.span, format!("\"{}\"", c.name))
                .help(format!("leave {name} out and it is computed"))
        }
        None => d.at(c.span, "cannot be satisfied at the initial position"),
    }
}
