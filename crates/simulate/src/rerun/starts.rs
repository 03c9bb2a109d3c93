//! Numbers completed to the start of a motion.
//!
//! Velocities that are not given follow from the constraints, A v = −a₀, by elimination in doubles and refinement in double-doubles, as
//! `polhode_mechanics::initial` finds them in more digits. Starts that violate a constraint or leave an interval are refused.

use super::{Numbers, Unfit};
use crate::compile::Compiled;
use polhode_expr::{Expr, Symbol};
use polhode_lower::{Program, lower_functions};
use polhode_mechanics::{System, solve_any};
use polhode_model::Interval;
use polhode_tape::{Dd, Interpreter, Scalar};
use rustc_hash::FxHashMap;

/// Relative residual above which given velocities contradict a constraint, as for initial states.
const TOLERANCE: f64 = 1e-9;

/// Corrections after which the computed velocities have all digits of a double-double.
const REFINEMENTS: usize = 3;

/// What says whether a start is admissible, and completes it.
#[derive(Clone, Debug)]
pub(super) struct Starts {
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

impl Starts {
    /// `None` where the constraints change with the start, or are no tapes.
    pub(super) fn new(system: &mut System, compiled: &Compiled) -> Option<Starts> {
        if !compiled.has_one_chart() {
            return None;
        }
        let model = system.model.clone();
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
        Some(Starts {
            velocities: velocities.len(),
            rows,
            constraints: tape(&place, &constraints)?,
            holonomic: tape(&place, &holonomic)?,
            intervals: tape(&place, &intervals)?,
            mass: tape(&state, mass.entries())?,
            entry: Interpreter::new(&compiled.program.entry),
            positions,
        })
    }

    /// The initial state of a motion with these numbers. The parameters that were compiled with have been tested; others are if they have `changed`.
    pub(super) fn state(&mut self, program: &Program, numbers: &Numbers, changed: bool) -> Result<Vec<Dd>, Unfit> {
        let Numbers { parameters, positions, velocities } = numbers;
        let given = velocities.iter().flatten();
        if !parameters.iter().chain(positions).chain(given).all(|x| Scalar::is_finite(*x)) {
            return Err(Unfit::NotFinite);
        }
        let place: Vec<Dd> = [Dd::ZERO].iter().chain(positions).chain(parameters).copied().collect();
        if !call(&mut self.intervals, &place).iter().all(|x| x.to_f64() > 0.0)
            || !call(&mut self.holonomic, &place).iter().all(|x| x.to_f64().abs() <= TOLERANCE)
        {
            return Err(Unfit::Position);
        }
        let completed = self.complete(&place, velocities)?;
        let state: Vec<Dd> = [Dd::ZERO].iter().chain(positions).chain(&completed).chain(parameters).copied().collect();
        if changed && !is_positive(&call(&mut self.mass, &state), self.velocities) {
            return Err(Unfit::Mass);
        }
        let unknowns = call(&mut self.entry, &state);
        if !unknowns.iter().all(|x| Scalar::is_finite(*x)) {
            return Err(Unfit::NotFinite);
        }
        let symbols: FxHashMap<Symbol, Dd> = self.positions.iter().copied().zip(positions.iter().copied()).collect();
        let mut start = program.positions.components(|s| symbols[&s]);
        start.extend(unknowns);
        start.extend(program.works.iter().map(|_| Dd::ZERO));
        Ok(start)
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
