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
use super::linearisation::rank_of_relations;
use super::{Condition, NotSteady, Wish};
use polhode_expr::eval::{Arithmetic, Digits};
use polhode_expr::{Expr, Graph, Rates, Symbol};
use polhode_geometry::{Piece, Relative};
use polhode_lower::{Program, Watched, dd, lower};
use polhode_mechanics::{Field, Form, Inconsistent, System, initial_state_with};
use polhode_model::{Configuration, DIGITS, Kind, Model};
use polhode_tape::{Dd, Interpreter, Scalar, Tape, passes};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A point in space whose path is reported.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) position: [Expr; 3],
}

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

/// The symmetries among Euclidean motions and cyclic coordinates, and those that the model states besides.
fn generators(system: &mut System) -> Result<Vec<Field>, NotSteady> {
    let mut fields = system.symmetries_at_contact();
    if !system.model.symmetries.is_empty() {
        let stated = system.symmetry().map_err(NotSteady::Refused)?;
        fields.extend(stated.fields);
    }
    fields.retain(|f| !f.depends_on_time(&system.graph));
    let fields = independent(system, fields);
    if fields.is_empty() { Err(NotSteady::NoSymmetry) } else { Ok(fields) }
}

/// Fields without those that are constant combinations of earlier ones at random positions.
fn independent(system: &mut System, fields: Vec<Field>) -> Vec<Field> {
    let positions = system.configuration.positions().to_vec();
    let zero = system.graph.zero();
    let digits = Digits::decimal(DIGITS);
    let mut random = polhode_expr::random::Random::new(3);
    let symbols: Vec<Symbol> = positions.iter().chain(&system.parameters).copied().collect();
    let points: Vec<FxHashMap<Symbol, _>> = (0..fields.len().max(1))
        .map(|_| polhode_expr::equal::random_state(&system.graph, &symbols, &digits, &mut random))
        .collect();
    let mut kept: Vec<Field> = Vec::new();
    let mut columns: Vec<Vec<Dd>> = Vec::new();
    for f in fields {
        let rates: Vec<Expr> = positions.iter().map(|s| f.rates.get(s).copied().unwrap_or(zero)).collect();
        let at = |p| system.graph.evaluate(&digits, &rates, p).map(|v| v.iter().map(dd).collect::<Vec<Dd>>());
        let Ok(column) = points.iter().map(at).collect::<Result<Vec<_>, _>>() else { continue };
        columns.push(column.concat());
        let all = Dense::from_fn(columns[0].len(), columns.len(), |i, j| columns[j][i]);
        if all.svd().rank(RANK) == columns.len() {
            kept.push(f);
        } else {
            columns.pop();
        }
    }
    kept
}

/// Singular values below this part of the first are zero, in double-doubles.
pub(crate) const RANK: f64 = 1e-18;

/// Rates of positions in terms of velocities, and the symbols of accelerations.
pub(crate) fn rates_of_symbols(graph: &mut Graph, configuration: &Configuration, time: Symbol) -> Vec<Expr> {
    let motion = configuration.motion(graph, time);
    let zero = graph.zero();
    let mut rates: Vec<Expr> =
        configuration.positions().iter().map(|s| motion.get(s).copied().unwrap_or(zero)).collect();
    for v in configuration.velocities() {
        let a = Configuration::acceleration(graph, *v);
        rates.push(graph.var(a));
    }
    rates
}

/// The quantity that is prescribed, and its value.
fn condition(graph: &mut Graph, model: &Model, c: &Condition) -> Result<(Expr, Dd), NotSteady> {
    let single = |graph: &mut Graph, text: &str| -> Result<Expr, NotSteady> {
        let parts = model.formula(graph, text).map_err(NotSteady::Rejected)?;
        match parts[..] {
            [e] => Ok(e),
            _ => Err(NotSteady::NotANumber(text.to_string())),
        }
    };
    let quantity = single(graph, &c.quantity)?;
    let value = match c.value.parse::<Dd>() {
        Ok(value) => value,
        Err(_) => {
            let e = single(graph, &c.value)?;
            let parameters = model.parameter_digits().map_err(|_| NotSteady::NotANumber(c.value.clone()))?;
            let digits = graph.evaluate(&Digits::decimal(DIGITS), &[e], &parameters);
            dd(&digits.map_err(|_| NotSteady::NotANumber(c.value.clone()))?[0])
        }
    };
    Ok((quantity, value))
}

/// C of (S1) but for the unit vectors among the components of y, which have lengths of their own.
pub(crate) fn relations(system: &System, model: &Model, with_velocities: bool) -> Vec<Expr> {
    let mut out: Vec<Expr> = model.constraints.iter().filter_map(|c| c.holonomic).collect();
    for contact in &model.contacts {
        let c = &contact.correction;
        out.extend(c.shift);
        out.extend(c.turn.iter().flatten());
        out.extend(c.points.iter().map(|(_, e)| *e));
    }
    // A v + a₀ holds by itself in independent velocities
    if with_velocities {
        out.extend(model.constraints.iter().map(|c| c.residual));
    }
    out.retain(|e| !system.graph.is_zero(*e));
    out
}

/// What tells whether bodies touch as they do at the start: det K and tr K of the relative curvature, and ν·ν₁, which is −1 where normals are opposite
/// and 1 where one body is within the other. A torus touches a plane with its inner side as well, as far as equations go.
fn signs(system: &mut System, model: &Model) -> Vec<Expr> {
    let known: Vec<Symbol> = system.configuration.positions().iter().chain(&system.parameters).copied().collect();
    let graph = &mut system.graph;
    let mut out = Vec::new();
    for contact in &model.contacts {
        match &contact.relative {
            Relative::Surfaces(c) => out.extend([c.determinant, c.trace]),
            Relative::Edge { curvature, .. } => out.push(*curvature),
        }
        if let Piece::Patch(second) = &contact.sides[1].piece {
            let [first, other] = &contact.sides;
            let mut terms = Vec::new();
            for k in 0..3 {
                let turned = |graph: &mut Graph, rotation: &[[Expr; 3]; 3], v: &[Expr; 3]| {
                    let parts: Vec<Expr> = (0..3).map(|j| graph.mul(rotation[k][j], v[j])).collect();
                    graph.sum(parts)
                };
                let (a, b) =
                    (turned(graph, &first.rotation, &contact.normal), turned(graph, &other.rotation, second.normal()));
                terms.push(graph.mul(a, b));
            }
            out.push(graph.sum(terms));
        }
    }
    // points that are functions of the configuration leave other names in these
    out.retain(|e| graph.free_symbols(&[*e]).iter().all(|s| known.contains(s)));
    out
}

/// Functions on the quotient, to tell motions from each other: symbols, angular velocities in the world, the spin at points of contact,
/// as far as no generator changes them.
fn invariants(system: &mut System, lifted: &[Rates]) -> Vec<(String, Expr)> {
    let configuration = system.configuration.clone();
    let graph = &mut system.graph;
    let mut candidates: Vec<(String, Expr)> = Vec::new();
    for s in configuration.positions().iter().chain(configuration.velocities()) {
        candidates.push((graph.name(*s).to_string(), graph.var(*s)));
    }
    for f in configuration.factors() {
        let omega = match f.kind {
            Kind::So3 => &f.velocities[..],
            Kind::Se3 | Kind::Rolling => &f.velocities[3..],
            _ => continue,
        };
        for (i, row) in f.positions[..9].chunks(3).enumerate() {
            let e = inner(graph, row, omega);
            candidates.push((format!("omega[{}]", i + 1), e));
        }
        for c in configuration.factors().iter().filter(|c| c.kind == Kind::Carried && c.positions.len() == 3) {
            let e = inner(graph, &c.positions, omega);
            candidates.push((format!("dot({}, Omega)", c.name), e));
        }
    }
    let mut kept = Vec::new();
    for (name, e) in candidates {
        let changes: Vec<Expr> = lifted.iter().map(|l| system.graph.along(e, l)).collect();
        if changes.into_iter().all(|e| system.is_zero(e)) {
            kept.push((name, e));
        }
    }
    kept
}

fn inner(graph: &mut Graph, a: &[Symbol], b: &[Symbol]) -> Expr {
    let terms: Vec<Expr> = a
        .iter()
        .zip(b)
        .map(|(a, b)| {
            let (a, b) = (graph.var(*a), graph.var(*b));
            graph.mul(a, b)
        })
        .collect();
    graph.sum(terms)
}

/// Points of contact, centres of mass, pairs of coordinates that a symmetry turns into each other, and what is asked for.
fn places(
    system: &mut System,
    model: &Model,
    fields: &[Field],
    wished: &[(String, String)],
) -> Result<Vec<Place>, NotSteady> {
    let graph = &mut system.graph;
    let mut out = Vec::new();
    for (name, text) in wished {
        let parts = model.formula(graph, text).map_err(NotSteady::Rejected)?;
        let zero = graph.zero();
        match parts[..] {
            [x, y] => out.push(Place { name: name.clone(), position: [x, y, zero] }),
            [x, y, z] => out.push(Place { name: name.clone(), position: [x, y, z] }),
            _ => return Err(NotSteady::NotAPoint(text.clone())),
        }
    }
    for contact in &model.contacts {
        let side = &contact.sides[0];
        let position = [0, 1, 2].map(|i| {
            let mut terms = vec![side.position[i]];
            terms.extend((0..3).map(|j| graph.mul(side.rotation[i][j], side.point[j])));
            graph.sum(terms)
        });
        let name = if contact.name.is_empty() { "contact".to_string() } else { format!("contact {}", contact.name) };
        out.push(Place { name, position });
    }
    for body in &model.bodies {
        if let [x, y, z] = body.position[..] {
            out.push(Place { name: format!("centre of {}", body.name), position: [x, y, z] });
        }
    }
    let real = |s: Symbol| system.configuration.factors().iter().any(|f| f.kind == Kind::Real && f.positions[0] == s);
    let graph = &mut system.graph;
    let positions = system.configuration.positions().to_vec();
    for (k, x) in positions.iter().enumerate() {
        for y in &positions[k + 1..] {
            let (vx, vy) = (graph.var(*x), graph.var(*y));
            let (mx, my) = (graph.neg(vx), graph.neg(vy));
            let turns = |f: &Field| {
                let (a, b) = (f.rates.get(x).copied(), f.rates.get(y).copied());
                (a, b) == (Some(my), Some(vx)) || (a, b) == (Some(vy), Some(mx))
            };
            if real(*x) && real(*y) && fields.iter().any(turns) {
                let zero = graph.zero();
                let name = format!("({}, {})", graph.name(*x), graph.name(*y));
                out.push(Place { name, position: [vx, vy, zero] });
            }
        }
    }
    Ok(out)
}

/// The rates of positions along each generator as (A | b), where all of them are affine with numbers as coefficients.
fn affine(system: &mut System, fields: &[Field]) -> Option<Vec<Dense<Dd>>> {
    let positions = system.configuration.positions().to_vec();
    let graph = &mut system.graph;
    let number = |graph: &Graph, e: Expr| graph.as_number(e).map(|r| dd(&Digits::decimal(DIGITS).number(r)));
    let at_zero = positions.iter().map(|s| (*s, graph.zero())).collect();
    let mut out = Vec::new();
    for f in fields {
        let n = positions.len();
        let mut m = Dense::zeros(n, n + 1);
        for (i, s) in positions.iter().enumerate() {
            let Some(rate) = f.rates.get(s).copied() else { continue };
            for (j, t) in positions.iter().enumerate() {
                let slope = graph.derivative(rate, *t);
                m[(i, j)] = number(graph, slope)?;
            }
            let rest = graph.substitute(rate, &at_zero);
            m[(i, n)] = number(graph, rest)?;
        }
        out.push(m);
    }
    Some(out)
}

/// The ends of the intervals of coordinates.
fn domains(system: &System, model: &Model) -> Vec<(usize, f64, f64)> {
    let values = model.parameter_values().unwrap_or_default();
    let mut out = Vec::new();
    for f in system.configuration.factors() {
        let Kind::Interval(low, high) = f.kind else { continue };
        let ends = (system.graph.evaluate_f64(low, &values), system.graph.evaluate_f64(high, &values));
        let at = system.configuration.positions().iter().position(|s| *s == f.positions[0]);
        if let (Some(at), (Ok(low), Ok(high))) = (at, ends) {
            out.push((at, low, high));
        }
    }
    out
}

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
