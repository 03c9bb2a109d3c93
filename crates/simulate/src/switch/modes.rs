//! The modes of a model: sets of constraints in force, each with a chart.
//!
//! All sides of all borders and latches are enumerated; those with the same constraints in force share a mode. A mode is compiled when a motion
//! first enters it.

use super::rolling::{changing, friction_of, name_of, touching};
use crate::chart::{Chart, Charts};
use crate::compile::{CompileError, CompileOptions, Compiled, EventInfo, EventKind, first_state, watch};
use crate::corners::Corners;
use crate::state::Place;
use crate::variable::variables;
use polhode_base::ids::{ConstraintId, ContactId, EventId, Id, IdRange, IdVec, ModeId, RowId, WallId};
use polhode_expr::{Expr, Symbol};
use polhode_lower::{Impact, Program, dd, lower, lower_impact};
use polhode_mechanics::{Equations, Form, Growth, Row, System, initial_state_with};
use polhode_model::{Changes, Constraint, ConstraintSet, Direction, Latch, Model, Sides};
use polhode_tape::{Dd, Tape, passes};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// More borders and latches than this have too many combinations to look at.
const MOST_SWITCHES: usize = 9;

/// A motion has left a border on which it rested where this times the border's function is 1. Motions that are changed at once, by an event or a
/// corner in time, are found to leave without this.
const LEFT: i64 = 100_000_000_000;

/// What a run needs to know about the modes of its model.
#[derive(Clone, Debug)]
pub(crate) struct Switching {
    pub(crate) model: Arc<Model>,
    options: CompileOptions,
    parameters: Vec<Dd>,
    /// The tapes of the modes that were made, with parameters as inputs; that of the start is the system's.
    programs: IdVec<ModeId, OnceLock<Program>>,
    /// Which constraints are in force, for each mode.
    pub(crate) modes: IdVec<ModeId, ConstraintSet>,
    pub(crate) places: FxHashMap<ConstraintSet, ModeId>,
    /// The rank of the constraints of each mode at generic points, known once its chart is made.
    pub(crate) ranks: IdVec<ModeId, OnceLock<usize>>,
    /// Metric, rows and functions, parameters fixed.
    pub(crate) impact: Impact,
    pub(crate) tape: Tape,
    /// Where the rows of each wall are among those of the impact: that of the gap, then the slip.
    pub(crate) wall_rows: IdVec<WallId, IdRange<RowId>>,
    /// The rates of the borders, among the rows.
    pub(crate) border_rows: IdRange<RowId>,
    /// For each wall, the components of the state that its gap depends on.
    pub(crate) gap_of: IdVec<WallId, Vec<usize>>,
    /// Restitutions of the walls, and their coefficients of friction.
    pub(crate) restitution: IdVec<WallId, Dd>,
    pub(crate) friction: IdVec<WallId, Option<Dd>>,
    /// Coefficients of friction of contacts, and then of walls.
    pub(crate) rubbing: IdVec<ContactId, Option<Dd>>,
    /// Restitutions of the constraints that are blows.
    pub(crate) blows: IdVec<ConstraintId, Option<Dd>>,
    /// The number of the first event of each kind that is about constraints, walls and contacts.
    events: FxHashMap<EventKind, EventId>,
    /// The sides at the start.
    pub(crate) sides: Sides,
    /// Where the functions of the impact are among its numbers.
    pub(crate) named: Named,
    /// The names of the reduced velocities.
    pub(crate) reduced: Vec<String>,
    /// Whether states are in a frame that spans the constraints, which then need no rows.
    pub(crate) holds_by_construction: bool,
}

/// Where the functions of an impact are among its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// The gaps, wall by wall, and the functions of the borders.
    pub(crate) gaps: usize,
    pub(crate) borders: usize,
    /// What each event sets positions to.
    pub(crate) sets: IdVec<EventId, Range<usize>>,
    /// The normals of the contacts that change.
    pub(crate) normals: FxHashMap<ContactId, usize>,
    /// What holonomic constraints set to zero.
    pub(crate) holonomic: Vec<(ConstraintId, usize)>,
    pub(crate) energy: usize,
    pub(crate) reduced: Range<usize>,
}

impl Named {
    /// In the order of [`impact_rows`], with so many reduced velocities behind.
    fn new(model: &Model, impact: &Impact, reduced: usize) -> Named {
        let mut next = impact.functions.start;
        let mut take = |count: usize| {
            next += count;
            next - count..next
        };
        let holonomic = model.constraints.enumerated().filter(|(_, c)| c.holonomic.is_some());
        Named {
            gaps: take(model.walls.len()).start,
            borders: take(model.borders.len()).start,
            sets: model.events.iter().map(|e| take(e.sets.len())).collect(),
            normals: changing(model).map(|(k, c)| (k, take(c.normal.len()).start)).collect(),
            holonomic: holonomic.map(|(k, _)| (k, take(1).start)).collect(),
            energy: take(1).start,
            reduced: take(reduced),
        }
    }
}

/// Compiles a system whose constraints come and go.
pub(crate) fn compile_switching(system: &mut System, options: &CompileOptions) -> Result<Arc<Compiled>, CompileError> {
    let mut model = (*system.model).clone();
    let sides = model.sides_at_start();
    let model = Arc::new(model);
    let start = initial_state_with(system, &model, options.inconsistent)?.ok_or(CompileError::NoInitialState)?;
    let value = |s: Symbol| dd(&start.digits[&s]);
    let parameters: Vec<Dd> = system.parameters.iter().map(|s| value(*s)).collect();
    let modes = modes(&model, &sides)?;
    let places: FxHashMap<ConstraintSet, ModeId> = modes.enumerated().map(|(k, m)| (m.clone(), k)).collect();
    let start_mode = places[&model.active(&sides)];
    let place = Place::in_mode(start_mode);

    // where nothing comes or goes the constraints hold by construction
    // unless positions jump, or some constraint is nothing but a blow, and the constraints with them
    let sets =
        model.events.iter().any(|e| !e.sets.is_empty()) || model.constraints.iter().any(|c| c.restitution.is_some());
    // or have a velocity of their own, which the metric of the frame does not contain
    let drifts = system.distribution.rows.iter().any(|row| !system.graph.is_zero(row.a0));
    let form = match modes.len() {
        1 if !sets && !drifts => options.form.unwrap_or_else(|| system.preferred_form(&model)),
        _ => Form::Multipliers,
    };
    let Built { equations, program, events, names, drawn } = build(system, options, form)?;
    let ranks: IdVec<ModeId, OnceLock<usize>> = modes.ids().map(|_| OnceLock::new()).collect();
    let _ = ranks[start_mode].set(own_rank(system));
    let constraints = form == Form::Multipliers;
    let (rows, wall_rows, border_rows, functions) = impact_rows(system, &model, constraints)?;
    let reduced = reduced_velocities(system, &model, form);
    let functions: Vec<Expr> = functions.into_iter().chain(reduced.iter().map(|(_, e)| *e)).collect();
    let impact = lower_impact(system, &equations, &rows, &functions)?;
    let tape = program.fixed(&impact.tape, &parameters);
    let gap_of = gaps(&tape, &impact, &model);
    let shift = |r: Range<usize>| IdRange::new(r.start + impact.representation, r.end + impact.representation);
    let charts = Charts::with_room(modes.len());
    charts.fill(place.chart, Chart::new(&program, &Growth::constant(), &parameters));
    let state = first_state(system, &program, &value, &parameters)?;
    let values: FxHashMap<Symbol, f64> = system.parameters.iter().map(|s| (*s, start.values[s])).collect();
    let Coefficients { restitution, friction, rubbing, blows } = Coefficients::of(&model);
    let mut written: Vec<Expr> = equations.rates.clone();
    written.extend(system.forces.iter().copied().chain([system.lagrangian]));
    written.extend(model.constraints.iter().map(|c| c.residual));
    Ok(Arc::new(Compiled {
        model: model.name.clone(),
        driving: None,
        variables: variables(&model, &system.graph, &program, &names),
        drawn,
        parameters: program.parameters.iter().cloned().zip(parameters.iter().copied()).collect(),
        residuals: {
            let holonomic = model.constraints.iter().filter(|c| c.holonomic.is_some()).map(|c| c.name.clone());
            system.constraint_names.iter().cloned().chain(holonomic).collect()
        },
        constraints: system.constraint_names.clone(),
        charts,
        discrete: None,
        start: state,
        place,
        corners: Corners::new(&system.graph, system.time, &written, values),
        watched: Vec::new(),
        switching: Some(Switching {
            options: options.clone(),
            parameters,
            programs: modes.ids().map(|_| OnceLock::new()).collect(),
            modes,
            places,
            tape,
            wall_rows: wall_rows.into_iter().map(shift).collect(),
            border_rows: shift(border_rows),
            gap_of,
            restitution,
            friction,
            rubbing,
            blows,
            events: numbered(&events),
            ranks,
            sides,
            named: Named::new(&model, &impact, reduced.len()),
            reduced: reduced.into_iter().map(|(name, _)| name).collect(),
            holds_by_construction: form != Form::Multipliers,
            impact,
            model,
        }),
        events,
        program,
    }))
}

/// For each wall, the components of the state that its gap depends on.
fn gaps(tape: &Tape, impact: &Impact, model: &Model) -> IdVec<WallId, Vec<usize>> {
    let gap = |k: WallId| {
        let inputs = passes::dependencies(&passes::select(tape, &[impact.functions.start + k.index()])).concat();
        // the first input is the time
        inputs.into_iter().filter_map(|i| i.checked_sub(1)).collect()
    };
    model.walls.ids().map(gap).collect()
}

/// The numbers of impacts that are no functions of the state.
struct Coefficients {
    restitution: IdVec<WallId, Dd>,
    friction: IdVec<WallId, Option<Dd>>,
    rubbing: IdVec<ContactId, Option<Dd>>,
    blows: IdVec<ConstraintId, Option<Dd>>,
}

impl Coefficients {
    fn of(model: &Model) -> Coefficients {
        let number = |e: Expr| constant(model, e);
        Coefficients {
            restitution: model.walls.iter().map(|w| number(w.restitution)).collect(),
            friction: model.walls.iter().map(|w| w.friction.map(number)).collect(),
            rubbing: touching(model).map(|k| friction_of(model, k).map(number)).collect(),
            blows: model.constraints.iter().map(|c| c.restitution.map(number)).collect(),
        }
    }
}

/// The first event of each kind. Those of the model and of intervals are known by their numbers.
fn numbered(events: &IdVec<EventId, EventInfo>) -> FxHashMap<EventKind, EventId> {
    let mut out = FxHashMap::default();
    for (k, e) in events.enumerated().filter(|(_, e)| !matches!(e.kind, EventKind::Model | EventKind::Domain { .. })) {
        out.entry(e.kind.clone()).or_insert(k);
    }
    out
}

impl Switching {
    /// The number of an event.
    pub(crate) fn event(&self, kind: &EventKind) -> Option<EventId> {
        self.events.get(kind).copied()
    }

    /// The same modes with the numbers of another reading of the model; `program` is that of the start.
    pub(crate) fn renumber(
        &mut self,
        program: &Program,
        model: Arc<Model>,
        sides: Sides,
        parameters: Vec<Dd>,
        changed: bool,
    ) {
        if changed {
            self.tape = program.fixed(&self.impact.tape, &parameters);
            self.gap_of = gaps(&self.tape, &self.impact, &model);
            let Coefficients { restitution, friction, rubbing, blows } = Coefficients::of(&model);
            (self.restitution, self.friction, self.rubbing, self.blows) = (restitution, friction, rubbing, blows);
            self.parameters = parameters;
        }
        (self.model, self.sides) = (model, sides);
    }
}

/// The velocities of the reduced equations, where the model has a symmetry and its constraints stay: what a collision does to them depends on
/// nothing but them and the base.
fn reduced_velocities(system: &mut System, model: &Model, form: Form) -> Vec<(String, Expr)> {
    if model.symmetries.is_empty() || form == Form::Multipliers {
        return Vec::new();
    }
    let Ok(equations) = system.closed_equations() else { return Vec::new() };
    let configuration = system.configuration.clone();
    let unknowns: Vec<Expr> = equations.unknowns.iter().map(|s| system.graph.var(*s)).collect();
    let values = equations.in_velocities(&mut system.graph, &configuration, &unknowns);
    equations.unknowns.iter().map(|s| system.graph.name(*s).to_owned()).zip(values).collect()
}

/// The value of an expression in the parameters, in many digits.
fn constant(model: &Model, e: Expr) -> Dd {
    let digits = polhode_expr::eval::Digits::decimal(polhode_model::DIGITS);
    let values = model.parameter_digits().unwrap_or_default();
    model.graph.evaluate(&digits, &[e], &values).map_or(Dd::ZERO, |x| dd(&x[0]))
}

/// The sets of constraints that may be in force.
fn modes(model: &Model, start: &Sides) -> Result<IdVec<ModeId, ConstraintSet>, CompileError> {
    let (borders, latches) = (model.borders.len(), model.latches.len());
    if borders + latches > MOST_SWITCHES {
        return Err(CompileError::TooManyModes { switches: borders + latches, most: MOST_SWITCHES });
    }
    let mut out: IdVec<ModeId, ConstraintSet> = [model.active(start)].into_iter().collect();
    let count = 3usize.pow(borders as u32) << latches;
    for k in 0..count {
        let mut rest = k >> latches;
        let mut sides = Sides { borders: IdVec::new(), latches: (0..latches).map(|l| k >> l & 1 == 1).collect() };
        for _ in 0..borders {
            sides.borders.push((rest % 3) as i8 - 1);
            rest /= 3;
        }
        let active = model.active(&sides);
        if !out.contains(&active) {
            out.push(active);
        }
    }
    Ok(out)
}

/// What one mode is made of.
struct Built {
    equations: Equations,
    program: Program,
    events: IdVec<EventId, EventInfo>,
    names: Vec<String>,
    drawn: Vec<usize>,
}

/// Lowers a system in its present mode. Layouts of states and reports, and the list of events, are the same in all modes.
fn build(system: &mut System, options: &CompileOptions, form: Form) -> Result<Built, CompileError> {
    let model = system.model.clone();
    let equations = system.equations(form).map_err(|why| CompileError::NotApplicable(form, why))?;
    let (mut watched, mut events, drawn) = watch(system, options)?;
    watched.uniform = true;
    for (k, b) in model.borders.enumerated() {
        let kind = EventKind::Border(k);
        watched.events.push((b.text.clone(), b.function));
        events.push(transition(b.text.clone(), kind, Direction::Either));
    }
    let one = system.graph.one();
    for (k, w) in model.walls.enumerated() {
        let touching = w.lasting.is_some() && { w.constraints }.any(|c| system.in_force.contains(c));
        watched.events.push((w.name.clone(), if touching { one } else { w.gap }));
        events.push(transition(w.name.clone(), EventKind::Wall(k), Direction::Falling));
    }
    for (k, w) in model.walls.enumerated() {
        let touching = w.lasting.is_some() && { w.constraints }.any(|c| system.in_force.contains(c));
        let push = w.push.filter(|_| touching).unwrap_or(one);
        let name = format!("{} lets go", w.name);
        watched.events.push((name.clone(), push));
        events.push(transition(name, EventKind::Release(k), Direction::Falling));
    }
    for (k, b) in model.borders.enumerated() {
        let rests = |(i, c): (ConstraintId, &Constraint)| {
            c.when.as_ref().is_some_and(|w| if system.in_force.contains(i) { w.is_on(k) } else { w.is_off(k) })
        };
        let function = match model.constraints.enumerated().any(rests) {
            true => left(system, b.function),
            false => system.graph.int(-1),
        };
        watched.events.push((b.text.clone(), function));
        events.push(transition(b.text.clone(), EventKind::Border(k), Direction::Rising));
    }
    let name = "the constraints lose rank".to_owned();
    watched.events.push((name.clone(), one));
    events.push(transition(name, EventKind::Degenerate, Direction::Either));
    let pivots = system.friction_pivots();
    for (k, changes) in changing(&model) {
        let Changes { closed, rolls: Some(_), touching: Some(row), margin, slipping, push, .. } = changes else {
            continue;
        };
        let slides = system.in_force.contains(*row);
        let pivot = pivots.iter().find(|(c, _)| c == row).map(|(_, e)| *e);
        let rolls = { changes.no_slip }.any(|c| system.in_force.contains(c));
        let who = name_of(&model, k);
        for (kind, name, function) in [
            (EventKind::Slide(k), format!("{who} begins to slide"), margin.filter(|_| rolls)),
            (EventKind::Roll(k), format!("{who} begins to roll"), slipping.filter(|_| slides)),
            (EventKind::Jam(k), format!("{who} jams"), pivot),
            (EventKind::Pull(k), format!("{who} pulls"), Some(*push).filter(|_| slides && closed.is_none())),
        ] {
            watched.events.push((name.clone(), function.unwrap_or(one)));
            events.push(transition(name, kind, Direction::Falling));
        }
    }
    for latch in &model.latches {
        let Latch::Events { from, until } = latch else { continue };
        for event in [from, until].into_iter().flatten() {
            events[*event].transition = true;
        }
    }
    for (k, _) in model.events.enumerated().filter(|(_, e)| !e.sets.is_empty()) {
        events[k].transition = true;
    }
    let program = lower(system, &equations, &watched)?;
    let (names, drawn) = (drawn.shown(&watched), drawn.places(&program));
    Ok(Built { equations, program, events, names, drawn })
}

/// (B² − 1)/(B² + 1) with B = [`LEFT`] times a function: −1 where that is zero, positive where it no longer is, and never large.
fn left(system: &mut System, function: Expr) -> Expr {
    let g = &mut system.graph;
    let (scale, one) = (g.int(LEFT), g.one());
    let scaled = g.mul(scale, function);
    let square = g.powi(scaled, 2);
    let (above, below) = (g.sub(square, one), g.add(square, one));
    g.div(above, below)
}

/// The rank of the constraints of a system, without what belongs to its representation.
fn own_rank(system: &System) -> usize {
    system.distribution.rank() - system.distribution.representation
}

fn transition(name: String, kind: EventKind, direction: Direction) -> EventInfo {
    EventInfo { name, kind, terminal: false, transition: true, direction, cause: None, is_final: false }
}

/// The rows a jump may need: all constraints as written, unless they hold by construction, those of the walls, the rates of the borders; and the functions of walls and borders, what events
/// set positions to, the normals of the contacts that change, what holonomic constraints set to zero, and the energy.
#[expect(clippy::type_complexity)]
fn impact_rows(
    system: &mut System,
    model: &Model,
    constraints: bool,
) -> Result<(Vec<Row>, Vec<Range<usize>>, Range<usize>, Vec<Expr>), CompileError> {
    let motion = system.configuration.motion(&mut system.graph, system.time);
    let written = model.constraints.iter().filter(|_| constraints);
    let mut residuals: Vec<Expr> = written.map(|c| c.residual).collect();
    let mut walls = Vec::new();
    for w in &model.walls {
        let first = residuals.len();
        residuals.push(system.graph.along(w.gap, &motion));
        residuals.extend(w.slip.iter().copied());
        walls.push(first..residuals.len());
    }
    let first = residuals.len();
    residuals.extend(model.borders.iter().map(|b| system.graph.along(b.function, &motion)).collect::<Vec<_>>());
    let borders = first..residuals.len();
    let mut rows = Vec::new();
    for (k, e) in residuals.iter().enumerate() {
        match system.row_of(*e) {
            Some(row) => rows.push(row),
            None => {
                let wall = walls.iter().position(|r| r.contains(&k)).map(|w| model.walls[WallId::new(w)].name.clone());
                return Err(CompileError::NonlinearSlip { wall: wall.unwrap_or_default() });
            }
        }
    }
    let sets = model.events.iter().flat_map(|e| e.sets.iter().map(|(_, e)| *e));
    let mut functions: Vec<Expr> =
        model.walls.iter().map(|w| w.gap).chain(model.borders.iter().map(|b| b.function)).collect();
    functions.extend(sets);
    functions.extend(changing(model).flat_map(|(_, c)| c.normal));
    functions.extend(model.constraints.iter().filter_map(|c| c.holonomic));
    functions.push(system.energy());
    Ok((rows, walls, borders, functions))
}

impl Compiled {
    /// Makes the chart of a mode, unless it is there: why it makes no sense.
    pub(crate) fn make_mode(&self, k: ModeId) -> Result<(), String> {
        let Some(s) = &self.switching else { return Ok(()) };
        let chart = Place::in_mode(k).chart;
        if self.charts.get(chart).is_some() {
            return Ok(());
        }
        if s.programs[k].get().is_none() {
            let _ = s.programs[k].set(self.derived_mode(s, k)?);
        }
        if let Some(program) = s.programs[k].get() {
            self.charts.fill(chart, Chart::new(program, &Growth::constant(), &s.parameters));
        }
        Ok(())
    }

    /// The tapes of a mode, whose rank is known then too.
    fn derived_mode(&self, s: &Switching, k: ModeId) -> Result<Program, String> {
        let (mut system, _) = System::of(s.model.clone(), s.modes[k].clone()).map_err(|e| e.to_string())?;
        let built = build(&mut system, &s.options, Form::Multipliers).map_err(|e| e.to_string())?;
        let alike = |p: &Program| (p.layout.clone(), p.works.clone(), p.reactions.clone(), p.unknowns.clone());
        if alike(&built.program) != alike(&self.program) {
            return Err("its states are laid out in another way".to_owned());
        }
        let _ = s.ranks[k].set(own_rank(&system));
        Ok(built.program)
    }
}
