//! Other parameters and initial values without compiling again.
//!
//! The tapes of a [`Program`] have the parameters as inputs, so that the equations of a system are those of all its
//! relatives with other numbers. [`Refit`] puts new numbers in: it fixes the tapes again where parameters have changed, and completes the
//! velocities that are not given, A v = −a₀, by elimination in doubles and refinement in double-doubles, as `polhode_mechanics::initial` does in
//! more digits.
//!
//! What a new compilation might decide otherwise is refused ([`Unfit`]), so that it can be asked: starts that violate a constraint or leave an
//! interval, a mass matrix that is not positive, parameters of another sign than was assumed, systems with several charts or modes,
//! parameters whose values stand in the equations.

use crate::compile::Compiled;
use polhode_base::Span;
use polhode_expr::{Expr, Symbol};
use polhode_lower::{Program, lower_functions};
use polhode_mechanics::{System, solve_any};
use polhode_model::Interval;
use polhode_tape::{Dd, Interpreter, Scalar, passes};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// Relative residual above which given velocities contradict a constraint, as for initial states.
const TOLERANCE: f64 = 1e-9;

/// Corrections after which the computed velocities have all digits of a double-double.
const REFINEMENTS: usize = 3;

/// The numbers of one motion, in the order of the symbols of the system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartValues {
    /// Of every parameter.
    pub parameters: Vec<Dd>,
    /// Of every position symbol.
    pub positions: Vec<Dd>,
    /// Of the velocity symbols that are given.
    pub velocities: Vec<Option<Dd>>,
}

/// Why the numbers do not fit the system as it was compiled: it has to be asked itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// A number is not finite.
    NotFinite,
    /// A parameter has not the sign that was assumed.
    Sign,
    /// A parameter has another value than the one that stands in the equations.
    Settled,
    /// A position is outside its interval or violates a constraint.
    Position,
    /// The velocities violate a constraint.
    Velocity,
    /// The mass matrix is not positive.
    Mass,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfit::NotFinite => "a number is not finite",
            Unfit::Sign => "a parameter has not the sign that was assumed",
            Unfit::Settled => "a parameter has another value than the one that stands in the equations",
            Unfit::Position => "the position is not admissible",
            Unfit::Velocity => "the velocity is not admissible",
            Unfit::Mass => "the mass matrix is not positive",
        })
    }
}

impl std::error::Error for Unfit {}

/// A compiled system into which other numbers can be put.
#[derive(Clone, Debug)]
pub struct Refit {
    pub(crate) current: Arc<Compiled>,
    pub(crate) parameters: Vec<Dd>,
    /// Those that the equations contain: the others are about the start alone.
    pub(crate) used: Vec<bool>,
    /// Those that were assumed to be positive.
    positive: Vec<bool>,
    settled: Vec<bool>,
    positions: Vec<Symbol>,
    velocities: usize,
    /// Number of constraints, and of those among them that hold because of how the configuration is written.
    rows: (usize, usize),
    /// (t, positions, parameters) → A, a₀.
    constraints: Interpreter<Dd>,
    /// (t, positions, parameters) → holonomic constraints.
    holonomic: Interpreter<Dd>,
    /// (t, positions, parameters) → x − low, high − x of every interval.
    intervals: Interpreter<Dd>,
    /// (t, positions, velocities, parameters) → the mass matrix.
    mass: Interpreter<Dd>,
    /// (t, positions, velocities, parameters) → unknowns of the form.
    entry: Interpreter<Dd>,
}

impl Refit {
    /// Prepares a compiled system, which was made from this one; `None` if its numbers cannot be changed.
    pub fn new(system: &mut System, compiled: &Arc<Compiled>) -> Option<Refit> {
        if !compiled.has_one_chart() || compiled.discrete.is_some() || compiled.corners.any() {
            return None;
        }
        let model = system.model.clone();
        let values = model.parameter_values().ok()?;
        // nothing is assumed about parameters that were introduced, which stand nowhere in the text
        let written = |p: &Symbol| model.parameters.iter().any(|q| q.symbol == *p && q.span != Span::default());
        let positive = system.parameters.iter().map(|p| values[p] > 0.0 && written(p)).collect();
        let settled = system.parameters.iter().map(|p| system.settled.contains(p)).collect();
        let positions = system.configuration.positions().to_vec();
        let velocities = system.configuration.velocities().to_vec();
        let place: Vec<Symbol> = [system.time].iter().chain(&positions).chain(&system.parameters).copied().collect();
        let state: Vec<Symbol> =
            [system.time].iter().chain(&positions).chain(&velocities).chain(&system.parameters).copied().collect();
        let rows = (system.distribution.rows.len(), system.distribution.representation);
        let constraints: Vec<Expr> =
            system.distribution.rows.iter().flat_map(|r| r.a.iter().copied().chain([r.a0])).collect();
        let holonomic: Vec<Expr> = model.holding().filter_map(|c| c.holonomic).collect();
        let mut intervals = Vec::new();
        for Interval { coordinate, low, high } in system.configuration.intervals() {
            let x = system.graph.var(coordinate);
            intervals.extend([system.graph.sub(x, low), system.graph.sub(high, x)]);
        }
        let mass = system.mass_matrix();
        let tape = |inputs: &[Symbol], outputs: &[Expr]| -> Option<Interpreter<Dd>> {
            Some(Interpreter::new(&lower_functions(&system.graph, inputs, outputs).ok()?))
        };
        Some(Refit {
            parameters: compiled.parameters.iter().map(|(_, x)| *x).collect(),
            used: used(&compiled.program),
            positive,
            settled,
            velocities: velocities.len(),
            rows,
            constraints: tape(&place, &constraints)?,
            holonomic: tape(&place, &holonomic)?,
            intervals: tape(&place, &intervals)?,
            mass: tape(&state, mass.entries())?,
            entry: Interpreter::new(&compiled.program.entry),
            current: compiled.clone(),
            positions,
        })
    }

    /// The system with these numbers.
    pub fn with(&mut self, values: &StartValues) -> Result<Arc<Compiled>, Unfit> {
        let (start, changed) = self.admit(values)?;
        let parameters = &values.parameters;
        // no motion holds on to the system any more, unless it was kept: then there are two
        let c = Arc::make_mut(&mut self.current);
        c.start = start;
        c.parameters.iter_mut().zip(parameters).for_each(|((_, old), new)| *old = *new);
        if changed {
            let chart = c.charts[c.place.chart].refixed(&c.program, parameters);
            c.charts = Default::default();
            c.charts.push(chart);
            self.parameters.clone_from(parameters);
        }
        Ok(self.current.clone())
    }

    /// The initial state of a motion with these numbers, and whether its parameters are others than those of the system as it is now.
    pub(crate) fn admit(&mut self, values: &StartValues) -> Result<(Vec<Dd>, bool), Unfit> {
        let StartValues { parameters, positions, velocities } = values;
        let given = velocities.iter().flatten();
        if !parameters.iter().chain(positions).chain(given).all(|x| Scalar::is_finite(*x)) {
            return Err(Unfit::NotFinite);
        }
        if self.positive.iter().zip(parameters).any(|(positive, x)| *positive && x.to_f64() <= 0.0) {
            return Err(Unfit::Sign);
        }
        let differs = self.parameters.iter().zip(parameters).zip(&self.used).map(|((a, b), used)| *used && a != b);
        let changed: Vec<bool> = differs.collect();
        if self.settled.iter().zip(&changed).any(|(settled, changed)| *settled && *changed) {
            return Err(Unfit::Settled);
        }
        let place: Vec<Dd> = [Dd::ZERO].iter().chain(positions).chain(parameters).copied().collect();
        if !call(&mut self.intervals, &place).iter().all(|x| x.to_f64() > 0.0)
            || !call(&mut self.holonomic, &place).iter().all(|x| x.to_f64().abs() <= TOLERANCE)
        {
            return Err(Unfit::Position);
        }
        let completed = self.complete(&place, velocities)?;
        let state: Vec<Dd> = [Dd::ZERO].iter().chain(positions).chain(&completed).chain(parameters).copied().collect();
        // the parameters that were compiled with have been tested
        if changed.contains(&true) && !is_positive(&call(&mut self.mass, &state), self.velocities) {
            return Err(Unfit::Mass);
        }
        let unknowns = call(&mut self.entry, &state);
        if !unknowns.iter().all(|x| Scalar::is_finite(*x)) {
            return Err(Unfit::NotFinite);
        }
        let symbols: FxHashMap<Symbol, Dd> = self.positions.iter().copied().zip(positions.iter().copied()).collect();
        let program = &self.current.program;
        let mut start = program.positions.components(|s| symbols[&s]);
        start.extend(unknowns);
        start.extend(program.works.iter().map(|_| Dd::ZERO));
        Ok((start, changed.contains(&true)))
    }

    /// All velocities: those that are not given follow from the constraints, or are zero.
    fn complete(&mut self, place: &[Dd], given: &[Option<Dd>]) -> Result<Vec<Dd>, Unfit> {
        let n = self.velocities;
        let rows = call(&mut self.constraints, place);
        if !rows.iter().all(|x| Scalar::is_finite(*x)) {
            return Err(Unfit::Position);
        }
        let mut v: Vec<Dd> = given.iter().map(|x| x.unwrap_or(Dd::ZERO)).collect();
        let unknown: Vec<usize> = (0..n).filter(|j| given[*j].is_none()).collect();
        if self.rows.0 == 0 {
            return Ok(v);
        }
        let a: Vec<Vec<f64>> =
            rows.chunks_exact(n + 1).map(|row| unknown.iter().map(|j| row[*j].to_f64()).collect()).collect();
        let residual = |v: &[Dd]| -> Vec<Dd> {
            rows.chunks_exact(n + 1).map(|row| row.iter().zip(v).fold(row[n], |sum, (a, v)| sum + *a * *v)).collect()
        };
        let first = residual(&v);
        let size = first.iter().fold(1f64, |s, x| s.max(x.to_f64().abs()));
        for _ in 0..REFINEMENTS {
            let rest = residual(&v);
            let largest = rest.iter().fold(0f64, |s, x| s.max(x.to_f64().abs()));
            if largest == 0.0 {
                break;
            }
            let b: Vec<f64> = rest.iter().map(|x| -(x.to_f64() / largest)).collect();
            let (correction, _, _) = solve_any(&a, &b);
            for (j, x) in unknown.iter().zip(correction) {
                v[*j] = v[*j] + Dd::from(x) * Dd::from(largest);
            }
        }
        let rest = residual(&v);
        match rest[self.rows.1..].iter().all(|x| x.to_f64().abs() <= TOLERANCE * size) {
            true => Ok(v),
            false => Err(Unfit::Velocity),
        }
    }
}

/// Which parameters the tapes of a program depend on.
fn used(program: &Program) -> Vec<bool> {
    let mut used = vec![false; program.parameters.len()];
    let tapes = [&program.field, &program.report, &program.events, &program.restore, &program.frame, &program.entry];
    for tape in tapes {
        let first = tape.inputs.len() - used.len();
        for input in passes::dependencies(tape).into_iter().flatten().filter(|i| *i >= first) {
            used[input - first] = true;
        }
    }
    used
}

fn call(tape: &mut Interpreter<Dd>, inputs: &[Dd]) -> Vec<Dd> {
    let mut out = vec![Dd::ZERO; tape.tape().outputs.len()];
    tape.call(inputs, &mut out);
    out
}

/// Cholesky's decomposition of a symmetric matrix goes through.
fn is_positive(entries: &[Dd], n: usize) -> bool {
    let mut a: Vec<f64> = entries.iter().map(|x| x.to_f64()).collect();
    for k in 0..n {
        let pivot = a[k * n + k];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / pivot;
            for j in k + 1..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    true
}
