//! What is solved for steady motions, as numeric programs.
//!
//! The state y of a form of the equations (positions with unit quaternions, quasi-velocities) determines s: all position and velocity symbols of the
//! model, where the group acts. A motion is steady when its rate is that of a group motion,
//!
//! ```text
//! F(y, ξ) = ṡ(y) − Σ ξ^i X̃_i(s(y)) = 0,        C(y) = 0,        f(y) = values,                    (S1)
//! ```
//!
//! with X̃ the generators lifted to the velocities, C the relations that states satisfy (unit vectors, holonomic constraints, bodies that
//! touch), f what is prescribed. No reduced coordinates are needed: (S1) says that ż = 0 for any of them.

use super::algebra::Dense;
use super::generators::{affine, generators};
use super::linearisation::rank_of_relations;
use super::quantities::{angles, condition, domains, invariants, places, rates_of_symbols, relations, signs};
use super::{Condition, NotSteady, Wish};
use polhode_expr::{Expr, Rates, Symbol};
use polhode_lower::{Program, Watched, dd, lower};
use polhode_mechanics::{Form, Inconsistent, System, initial_state_with};
use polhode_tape::{Dd, Interpreter, Scalar, Tape, passes};
use std::ops::Range;

/// Where outputs of the tape of (S1) are; all of them have derivatives.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) symbols: Range<usize>,
    pub(super) rates: Range<usize>,
    /// X̃_1 on all symbols, X̃_2, …
    pub(super) fields: Range<usize>,
    pub(super) relations: Range<usize>,
    pub(super) prescribed: Range<usize>,
}

/// Where outputs of the tape of reported values are.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) energy: usize,
    pub(super) reactions: Range<usize>,
    pub(super) observables: Range<usize>,
    pub(super) invariants: Range<usize>,
    /// What does not change its sign between motions of one kind.
    pub(super) signs: Range<usize>,
    /// For every point: p, X_i p for all i, X_i X_j p for all i, then j.
    pub(super) points: Range<usize>,
}

/// Steady motions of a system: everything that is known before numbers are put in.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The generators, as they are written in models.
    pub generators: Vec<String>,
    /// Names of the position and velocity symbols.
    pub symbols: Vec<String>,
    /// What is prescribed.
    pub conditions: Vec<Condition>,
    pub(super) state: usize,
    pub(super) works: usize,
    /// How many components of the state are positions.
    pub(super) placed: usize,
    pub(super) units: Vec<Range<usize>>,
    pub(super) start: Vec<Dd>,
    /// Positions and velocities there.
    pub(super) first: Vec<Dd>,
    pub(super) parts: Parts,
    pub(super) system: Tape,
    pub(super) shown: Shown,
    pub(super) report: Tape,
    pub(super) points: Vec<String>,
    pub(super) reactions: Vec<String>,
    pub(super) observables: Vec<String>,
    pub(super) invariants: Vec<String>,
    /// The position symbols' rates along each generator as A s + b, (A | b), where they are that.
    pub(super) affine: Option<Vec<Dense<Dd>>>,
    pub(super) positions: usize,
    /// The values of the prescribed quantities, as formulas gave them.
    pub(super) values: Vec<Dd>,
    /// How many relations are independent at the start, and how steep all equations are.
    pub(super) rank: (usize, f64),
    /// The signs at the start.
    pub(super) signs: Vec<f64>,
    /// Which symbols are angles.
    pub(super) angles: Vec<usize>,
    /// Intervals of coordinates: component of the symbols, ends.
    pub(super) domains: Vec<(usize, f64, f64)>,
}

/// Values and derivatives of (S1) at a state.
pub(super) struct At<S> {
    values: Vec<S>,
    state: usize,
    outputs: usize,
}

impl<S: Scalar> At<S> {
    pub(super) fn value(&self, output: usize) -> S {
        self.values[output]
    }

    pub(super) fn slope(&self, output: usize, component: usize) -> S {
        self.values[self.outputs + output * self.state + component]
    }
}

impl Problem {
    /// Prepares the search.
    pub fn new(system: &mut System, wish: &Wish) -> Result<Problem, NotSteady> {
        let model = system.model.clone();
        if model.switches() {
            return Err(NotSteady::Switches);
        }
        let start = initial_state_with(system, &model, Inconsistent::Project)
            .map_err(NotSteady::Rejected)?
            .ok_or(NotSteady::NoInitialState)?;
        let fields = generators(system)?;
        let form = wish.form.unwrap_or_else(|| system.preferred_form(&model));
        let equations = system.equations(form).map_err(|why| NotSteady::NotApplicable(form, why))?;
        let configuration = system.configuration.clone();
        let symbols: Vec<Symbol> =
            configuration.positions().iter().chain(configuration.velocities()).copied().collect();
        let lifted: Vec<Rates> = fields.iter().map(|f| f.lifted(&mut system.graph, &configuration)).collect();

        let mut watched = Watched::default();
        let mut put = |prefix: &str, items: Vec<Expr>| -> Range<usize> {
            let from = watched.observables.len();
            let named = items.into_iter().enumerate().map(|(k, e)| (format!("{prefix}.{k}"), e));
            watched.observables.extend(named);
            from..watched.observables.len()
        };
        let graph = &mut system.graph;
        let vars: Vec<Expr> = symbols.iter().map(|s| graph.var(*s)).collect();
        let rates = rates_of_symbols(graph, &configuration, system.time);
        let zero = graph.zero();
        let along: Vec<Expr> =
            lifted.iter().flat_map(|l| symbols.iter().map(|s| l.get(s).copied().unwrap_or(zero))).collect();
        let mut prescribed = Vec::new();
        let mut values = Vec::new();
        for c in &wish.conditions {
            let (e, value) = condition(graph, &model, c)?;
            prescribed.push(e);
            values.push(value);
        }
        let relations = relations(system, &model, form == Form::Multipliers);
        let invariants = invariants(system, &lifted);
        let places = places(system, &model, &fields, &wish.points)?;
        let graph = &mut system.graph;
        let mut of_points = Vec::new();
        for p in &places {
            of_points.extend(p.position);
            let first: Vec<Vec<Expr>> = fields.iter().map(|f| graph.along_all(&p.position, &f.rates)).collect();
            of_points.extend(first.iter().flatten());
            for f in &fields {
                for g in &first {
                    of_points.extend(graph.along_all(g, &f.rates));
                }
            }
        }
        let offsets = Parts {
            symbols: put("symbol", vars),
            rates: put("rate", rates),
            fields: put("field", along),
            relations: put("relation", relations),
            prescribed: put("prescribed", prescribed),
        };
        let invariant_range = put("invariant", invariants.iter().map(|(_, e)| *e).collect());
        let point_range = put("point", of_points);
        let sign_range = put("sign", signs(system, &model));
        let own = watched.observables.len();
        watched.observables.extend(model.observables.iter().cloned());
        let own = own..watched.observables.len();

        let program = lower(system, &equations, &watched).map_err(NotSteady::NotLowered)?;
        let value = |s: Symbol| dd(&start.digits[&s]);
        let parameters: Vec<Dd> = system.parameters.iter().map(|s| value(*s)).collect();
        let state = program.unknowns.end;
        let works = program.works.len();
        let first = program.layout.observables.start;
        let shift = |r: &Range<usize>| r.start + first..r.end + first;
        let report = program.fixed(&program.report, &parameters);
        let chosen: Vec<usize> = (0..offsets.prescribed.end).map(|k| first + k).collect();
        let needed = passes::select(&report, &chosen);
        if needed.reads(0) {
            return Err(NotSteady::DependsOnTime);
        }
        let wrt: Vec<usize> = (1..=state).collect();
        let shown = Shown {
            energy: program.layout.energy,
            reactions: program.layout.reactions.clone(),
            observables: shift(&own),
            invariants: shift(&invariant_range),
            signs: shift(&sign_range),
            points: shift(&point_range),
        };
        let names = |s: &Symbol| system.graph.name(*s).to_string();
        let mut problem = Problem {
            generators: fields.iter().map(|f| f.text.clone()).collect(),
            symbols: symbols.iter().map(names).collect(),
            conditions: wish.conditions.clone(),
            state,
            works,
            placed: program.unknowns.start,
            units: program.positions.units(),
            start: first_state(system, &program, &value, &parameters),
            first: symbols.iter().map(|s| value(*s)).collect(),
            system: passes::with_jacobian(&needed, &wrt),
            parts: offsets,
            shown,
            report,
            points: places.into_iter().map(|p| p.name).collect(),
            reactions: program.reactions.iter().map(|c| system.constraint_names[*c].clone()).collect(),
            observables: model.observables.iter().map(|(n, _)| n.clone()).collect(),
            invariants: invariants.into_iter().map(|(n, _)| n).collect(),
            affine: affine(system, &fields),
            positions: configuration.positions().len(),
            values,
            angles: angles(system),
            domains: domains(system, &model),
            signs: Vec::new(),
            rank: (0, 0.0),
        };
        problem.rank = rank_of_relations(&problem, &problem.start);
        let reported = problem.reported(&problem.start);
        problem.signs = problem.shown.signs.clone().map(|k| reported[k].to_f64()).collect();
        Ok(problem)
    }

    /// The dimension of the group, as found.
    pub(super) fn group(&self) -> usize {
        self.generators.len()
    }

    /// (S1) and its derivatives.
    pub(super) fn at<S: Scalar>(&self, tape: &mut Interpreter<S>, y: &[S]) -> At<S> {
        let mut values = vec![S::default(); self.system.outputs.len()];
        tape.call(&self.inputs(y), &mut values);
        At { values, state: self.state, outputs: self.parts.prescribed.end }
    }

    /// All that is reported at a state.
    pub(super) fn reported(&self, y: &[Dd]) -> Vec<Dd> {
        let mut values = vec![Dd::ZERO; self.report.outputs.len()];
        Interpreter::new(&self.report).call(&self.inputs(y), &mut values);
        values
    }

    fn inputs<S: Scalar>(&self, y: &[S]) -> Vec<S> {
        let mut inputs = vec![S::default()];
        inputs.extend_from_slice(y);
        inputs.resize(1 + self.state + self.works, S::default());
        inputs
    }
}

/// Singular values below this part of the first are zero, in double-doubles.
pub(crate) const RANK: f64 = 1e-18;

/// The state of the initial values.
fn first_state(system: &System, program: &Program, value: &impl Fn(Symbol) -> Dd, parameters: &[Dd]) -> Vec<Dd> {
    let mut state = program.positions.components(value);
    let mut inputs = vec![Dd::ZERO];
    inputs.extend(system.configuration.positions().iter().chain(system.configuration.velocities()).map(|s| value(*s)));
    inputs.extend_from_slice(parameters);
    let mut unknowns = vec![Dd::ZERO; program.unknowns.len()];
    Interpreter::new(&program.entry).call(&inputs, &mut unknowns);
    state.extend(unknowns);
    state
}
