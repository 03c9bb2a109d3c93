//! From a system to tapes that are ready to run.

pub(crate) mod machine_code;
mod reduced;
pub(crate) mod series;

use crate::chart::{Chart, Charts};
use crate::corners::Corners;
use crate::state::Place;
use crate::switch::{Switching, compile_switching};
use crate::variable::{Variable, variables};
use polhode_analysis::{regularised, starts_degenerate};
use polhode_base::ids::{BorderId, ChartId, ContactId, EventId, Id, IdVec, WallId};
use polhode_expr::{Expr, Symbol};
use polhode_lower::{Discrete, NotDiscrete, NotLowered, Program, Watched, dd, lower, lower_discrete};
use polhode_mechanics::charts::{LARGE, MUCH};
use polhode_mechanics::lift::Lift;
use polhode_mechanics::{Form, Inconsistent, NotApplicable, System, initial_state_with};
use polhode_model::{Action, Cause, Direction, Interval, Rejected};
use polhode_tape::{Dd, Interpreter, Tape};
use reduced::{cheapest, positions_named};
use std::fmt;
use std::sync::Arc;

/// How a system is compiled.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// The form to integrate; without a wish, one that has no singular frame.
    pub form: Option<Form>,
    /// What to do with initial velocities that violate the constraints.
    pub inconsistent: Inconsistent,
    /// More quantities to look at: name and formula in the names of the model.
    pub observables: Vec<(String, String)>,
    /// Also prepare the discrete Lagrange–d'Alembert equations.
    pub discrete: bool,
    /// Reduce by symmetry: equations in which the base and the unknowns drive themselves and the group variables follow.
    pub reduced: bool,
    /// In a reduced run, the positions to put back together besides those that events and observables of these options need: names of
    /// coordinates, rotations, places, as `x`, `R`. Without a wish all of them. Positions that are left out are not integrated, and what depends on
    /// them is no variable of the motion.
    pub lift: Option<Vec<String>>,
    /// Also report what drawings of the model are made of: [`Compiled::drawn`]. No variables.
    pub drawing: bool,
}

/// Why a system cannot be compiled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CompileError {
    /// The model has mistakes, or its initial state violates the constraints.
    Rejected(Rejected),
    /// The form does not apply to the system.
    NotApplicable(Form, NotApplicable),
    /// The equations are no numeric program.
    NotLowered(NotLowered),
    /// There are no discrete equations.
    NotDiscrete(NotDiscrete),
    /// The model has no initial state.
    NoInitialState,
    /// The initial state has no finite value in the unknowns of the form: their names.
    SingularStart(Form, Vec<String>),
    /// Constraints are switched by more borders and events than can be looked at.
    TooManyModes {
        /// How many there are.
        switches: usize,
        /// How many there may be.
        most: usize,
    },
    /// The slip at a wall is not linear in the velocities.
    NonlinearSlip {
        /// The wall.
        wall: String,
    },
    /// Something that cannot be had of a model whose constraints come and go.
    NotSwitchable(&'static str),
    /// A position to be put back together that the model does not have, and those it has.
    NoSuchPosition(String, Vec<String>),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Rejected(e) => e.fmt(f),
            CompileError::NotApplicable(form, why) => write!(f, "the {} form does not apply: {why}", form.title()),
            CompileError::NotLowered(e) => e.fmt(f),
            CompileError::NotDiscrete(e) => e.fmt(f),
            CompileError::NoInitialState => f.write_str("the model has no initial state, so there is nothing to run"),
            CompileError::SingularStart(form, names) => {
                let names = names.join(", ");
                write!(f, "the {} form is singular at the initial state: {names} has no finite value", form.title())
            }
            CompileError::TooManyModes { switches, most } => {
                write!(
                    f,
                    "constraints are switched by {switches} borders and events, but {most} is the most that a run looks at"
                )
            }
            CompileError::NonlinearSlip { wall } => write!(f, "the slip at {wall} is not linear in the velocities"),
            CompileError::NotSwitchable(what) => write!(
                f,
                "{what}: the constraints of this model come and go, or it has walls, and such models run with multipliers, or in Hamel's form where the constraints stay"
            ),
            CompileError::NoSuchPosition(name, _) => write!(f, "there is no position `{name}` to be lifted"),
        }
    }
}

impl std::error::Error for CompileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CompileError::Rejected(e) => Some(e),
            CompileError::NotApplicable(_, e) => Some(e),
            CompileError::NotLowered(e) => Some(e),
            CompileError::NotDiscrete(e) => Some(e),
            _ => None,
        }
    }
}

impl From<Rejected> for CompileError {
    fn from(e: Rejected) -> Self {
        CompileError::Rejected(e)
    }
}

impl From<NotLowered> for CompileError {
    fn from(e: NotLowered) -> Self {
        CompileError::NotLowered(e)
    }
}

impl From<NotDiscrete> for CompileError {
    fn from(e: NotDiscrete) -> Self {
        CompileError::NotDiscrete(e)
    }
}

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// An `[[event]]` of the model.
    Model,
    /// A coordinate reaches an end of its interval.
    Domain {
        /// The coordinate.
        coordinate: String,
        /// The lower end?
        lower: bool,
    },
    /// A border between regions with different constraints.
    Border(BorderId),
    /// Contact with a wall.
    Wall(WallId),
    /// The end of a lasting contact with a wall.
    Release(WallId),
    /// A place where the constraints lose rank, at the start.
    Degenerate,
    /// A contact needs more friction to roll than it has.
    Slide(ContactId),
    /// The slip of a contact dies.
    Roll(ContactId),
    /// A contact that slides can no more be kept closed.
    Jam(ContactId),
    /// A contact that slides and does not open would have to pull.
    Pull(ContactId),
}

impl EventKind {
    /// A word for programs.
    pub fn name(&self) -> &'static str {
        match self {
            EventKind::Model => "event",
            EventKind::Domain { .. } => "domain",
            EventKind::Border(_) => "border",
            EventKind::Wall(_) => "wall",
            EventKind::Release(_) => "release",
            EventKind::Degenerate => "degenerate",
            EventKind::Slide(_) => "slide",
            EventKind::Roll(_) => "roll",
            EventKind::Jam(_) => "jam",
            EventKind::Pull(_) => "pull",
        }
    }
}

/// An event that is watched for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventInfo {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub kind: EventKind,
    /// Does the motion end there?
    pub terminal: bool,
    /// Do constraints or velocities change there?
    pub transition: bool,
    /// Which crossings count.
    pub direction: Direction,
    /// What it is about, if the model did not write it.
    pub cause: Option<Cause>,
    /// Does no run go on from it?
    pub is_final: bool,
}

/// The tapes of discrete steps.
#[derive(Clone, Debug)]
pub(crate) struct DiscreteTapes {
    pub(crate) residual: Tape,
    pub(crate) jacobian: Tape,
    pub(crate) update: Tape,
    pub(crate) begin: Tape,
    pub(crate) reveal: Tape,
}

/// A system ready to run: see [`Compiled::solve`].
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The name of the model.
    pub model: String,
    /// The tapes, with parameters as inputs.
    pub program: Program,
    /// The parameters with their values.
    pub parameters: Vec<(String, Dd)>,
    /// What is reported.
    pub variables: Vec<Variable>,
    /// Where the numbers of [`polhode_model::Appearance`] are among those of a sample, if a drawing was asked for.
    pub drawn: Vec<usize>,
    /// What is watched for.
    pub events: IdVec<EventId, EventInfo>,
    /// The names of the constraints.
    pub constraints: Vec<String>,
    /// Whose violations the residuals are: all constraints, then the holonomic ones again.
    pub(crate) residuals: Vec<String>,
    /// The first one belongs to `program`.
    pub(crate) charts: Charts,
    /// In a reduced run, which components of the state drive themselves.
    pub(crate) driving: Option<Vec<bool>>,
    pub(crate) discrete: Option<DiscreteTapes>,
    /// The components of the initial state, and its place.
    pub(crate) start: Vec<Dd>,
    pub(crate) place: Place,
    /// Where prescribed functions of time have corners.
    pub(crate) corners: Corners,
    /// What is needed where constraints come and go.
    pub(crate) switching: Option<Switching>,
    /// The numbers that an [`Observer`](crate::observer::Observer) looks at.
    pub(crate) watched: Vec<usize>,
}

impl Compiled {
    /// Whether constraints come and go during a run, or there is something to run into.
    pub fn switches(&self) -> bool {
        self.switching.is_some()
    }

    /// The names of the velocities in the base frame, in the order of [`JumpRecord`](crate::JumpRecord).
    pub fn velocity_names(&self) -> Vec<&str> {
        let names = &self.program.report.outputs[self.program.layout.velocities.clone()];
        names.iter().map(|o| o.name.as_ref()).collect()
    }

    /// In a reduced run, the names of the components of the state that drive themselves, the reduced equations, and of those that
    /// follow: quadratures and equations on the group. `None` when no reduction was asked for.
    pub fn reduction(&self) -> Option<(Vec<&str>, Vec<&str>)> {
        let driving = self.driving.as_ref()?;
        let of = |wanted: bool| {
            let named = self.program.state.iter().zip(driving).filter(|(_, d)| **d == wanted);
            named.map(|(name, _)| name.as_str()).collect()
        };
        Some((of(true), of(false)))
    }

    /// The positions that are not integrated, since they were not asked for: nothing that depends on them is a variable.
    pub fn left_out(&self) -> Vec<&str> {
        let positions = self.program.layout.positions.clone();
        let missing = self.program.missing.iter().filter(|k| positions.contains(k));
        missing.map(|k| self.program.report.outputs[*k].name.as_str()).collect()
    }
}

/// Systems can be compiled.
pub trait Compile {
    /// Compiles with the preferred form, from the initial state of the model.
    fn compile(&mut self) -> Result<Arc<Compiled>, CompileError> {
        self.compile_with(&CompileOptions::default())
    }

    /// Compiles as wished.
    fn compile_with(&mut self, options: &CompileOptions) -> Result<Arc<Compiled>, CompileError>;
}

impl Compile for System {
    fn compile_with(&mut self, options: &CompileOptions) -> Result<Arc<Compiled>, CompileError> {
        let model = self.model.clone();
        // constraints that vanish or become dependent somewhere; other forms leave that to the user
        let plain = !options.discrete && !options.reduced && options.form.is_none_or(|f| f == Form::Multipliers);
        if plain && let Some(regular) = regularised(self) {
            return compile_switching(&mut regular?, options);
        }
        if plain && !model.switches() && starts_degenerate(self) {
            let options = CompileOptions { form: Some(Form::Multipliers), ..options.clone() };
            return compile_switching(self, &options);
        }
        if model.switches() {
            let asked = options.form.is_some_and(|f| !matches!(f, Form::Multipliers | Form::Hamel));
            return match options {
                CompileOptions { discrete: true, .. } => {
                    Err(CompileError::NotSwitchable("there are no discrete equations"))
                }
                CompileOptions { reduced: true, .. } => Err(CompileError::NotSwitchable("there is no reduced run")),
                _ if asked => Err(CompileError::NotSwitchable("this form cannot be run")),
                _ => compile_switching(self, options),
            };
        }
        let start = initial_state_with(self, &model, options.inconsistent)?.ok_or(CompileError::NoInitialState)?;
        let (mut watched, events, drawn) = watch(self, options)?;
        let value = |s: Symbol| dd(&start.digits[&s]);
        let parameters: Vec<Dd> = self.parameters.iter().map(|s| value(*s)).collect();
        let equations = if options.reduced {
            if let Some(names) = &options.lift {
                let positions = positions_named(self, names)?;
                watched.lift =
                    Lift::Needed { positions, observables: model.observables.len()..watched.observables.len() };
            }
            let end = model.until();
            cheapest(self, |system, equations| {
                let program = lower(system, equations, &watched)?;
                let state = first_state(system, &program, &value, &parameters)?;
                let state: Vec<f64> = state.iter().map(|x| polhode_tape::Scalar::to_f64(*x)).collect();
                let field = program.fixed(&program.field, &parameters);
                Ok(reduced::trial(&field, &state, program.positions.units(), end))
            })?
        } else {
            let form = match options.form {
                _ if options.discrete => Form::Multipliers,
                Some(form) => form,
                None => self.preferred_form(&model),
            };
            self.equations(form).map_err(|why| CompileError::NotApplicable(form, why))?
        };
        let atlas = self.atlas(&equations, &start.values);
        let mut written: Vec<Expr> = equations.rates.clone();
        written.push(self.lagrangian);
        written.extend(self.forces.iter().copied());
        written.extend(model.constraints.iter().map(|c| c.residual));
        let numbers = self.parameters.iter().map(|s| (*s, start.values[s])).collect();
        let corners = Corners::new(&self.graph, self.time, &written, numbers);
        if !atlas.others.is_empty() || corners.any() {
            // the way from chart to chart leads over all positions; and a blow may be one of any velocity
            watched.lift = Lift::Everything;
        }
        watched.frame = atlas.growth.entries.clone();
        let program = lower(self, &equations, &watched)?;
        let mut charts = Charts::default();
        charts.push(Chart::new(&program, &atlas.growth, &parameters));
        let mut start_in = (atlas.growth.at(&self.graph, &start.values), 0, None);
        for other in atlas.others {
            let own = std::mem::replace(&mut self.distribution, other.distribution);
            watched.frame = other.growth.entries.clone();
            let lowered = lower(self, &other.equations, &watched);
            self.distribution = own;
            let lowered = lowered?;
            let alike = |p: &Program| (p.layout.clone(), p.works.clone(), p.reactions.clone(), p.unknowns.clone());
            if alike(&lowered) != alike(&program) {
                continue;
            }
            let growth = other.growth.at(&self.graph, &start.values);
            if start_in.0 > LARGE && growth * MUCH < start_in.0 {
                start_in = (growth, charts.len(), Some(lowered.clone()));
            }
            charts.push(Chart::new(&lowered, &other.growth, &parameters));
        }
        let (_, start_chart, start_program) = start_in;
        let state = first_state(self, start_program.as_ref().unwrap_or(&program), &value, &parameters)?;
        let discrete = match options.discrete {
            false => None,
            true => {
                let Discrete { residual, jacobian, update, begin, reveal, .. } =
                    lower_discrete(self, &watched.holonomic)?;
                let fixed = |tape: Tape| program.fixed(&tape, &parameters);
                Some(DiscreteTapes {
                    residual: fixed(residual),
                    jacobian: fixed(jacobian),
                    update: fixed(update),
                    begin: fixed(begin),
                    reveal: fixed(reveal),
                })
            }
        };
        let names = drawn.shown(&watched);
        let driving =
            options.reduced.then(|| reduced::driving_part(&charts[ChartId::new(0)].field, program.unknowns.clone()));
        Ok(Arc::new(Compiled {
            model: model.name.clone(),
            driving,
            variables: variables(&model, &self.graph, &program, &names),
            drawn: drawn.places(&program),
            parameters: program.parameters.iter().cloned().zip(parameters).collect(),
            residuals: {
                let again = watched.holonomic.iter().map(|(c, _)| self.constraint_names[*c].clone());
                self.constraint_names.iter().cloned().chain(again).collect()
            },
            constraints: self.constraint_names.clone(),
            events,
            program,
            charts,
            discrete,
            start: state,
            place: Place::in_chart(ChartId::new(start_chart)),
            corners,
            switching: None,
            watched: Vec::new(),
        }))
    }
}

/// What drawings are made of, where it is reported.
pub(crate) struct Drawn {
    numbers: Vec<Reported>,
    /// How many of the observables come before, and are variables.
    shown: usize,
}

/// Where a number is reported.
enum Reported {
    /// Among the positions.
    Position(usize),
    /// Among the observables.
    Observable(usize),
}

impl Drawn {
    /// The numbers of the appearance of the model if it is asked for: those that are not reported anyway as observables without a name.
    fn watch(system: &mut System, watched: &mut Watched, asked: bool) -> Drawn {
        let model = system.model.clone();
        let shown = watched.observables.len();
        let numbers = if asked { model.appearance(&mut system.graph).numbers } else { Vec::new() };
        let positions = system.configuration.positions();
        let place = |e: Expr| {
            let symbol = system.graph.as_symbol(e);
            if let Some(k) = symbol.and_then(|s| positions.iter().position(|p| *p == s)) {
                return Reported::Position(k);
            }
            let known = watched.observables.iter().position(|(_, o)| *o == e);
            Reported::Observable(known.unwrap_or_else(|| {
                watched.observables.push((String::new(), e));
                watched.observables.len() - 1
            }))
        };
        Drawn { numbers: numbers.into_iter().map(place).collect(), shown }
    }

    /// The names of the observables that are variables.
    pub(crate) fn shown(&self, watched: &Watched) -> Vec<String> {
        watched.observables[..self.shown].iter().map(|(n, _)| n.clone()).collect()
    }

    /// The places among the numbers of a sample.
    pub(crate) fn places(&self, program: &Program) -> Vec<usize> {
        let layout = &program.layout;
        let place = |r: &Reported| match r {
            Reported::Position(k) => layout.positions.start + k,
            Reported::Observable(k) => layout.observables.start + k,
        };
        self.numbers.iter().map(place).collect()
    }
}

/// What is looked at along motions, the events among it, and what drawings are made of.
pub(crate) fn watch(
    system: &mut System,
    options: &CompileOptions,
) -> Result<(Watched, IdVec<EventId, EventInfo>, Drawn), CompileError> {
    let model = system.model.clone();
    let mut watched = Watched { observables: model.observables.clone(), ..Watched::default() };
    for (name, text) in &options.observables {
        let parts = model.formula(&mut system.graph, text)?;
        match parts[..] {
            [e] => watched.observables.push((name.clone(), e)),
            _ => {
                let named = parts.iter().enumerate().map(|(i, e)| (format!("{name}[{}]", i + 1), *e));
                watched.observables.extend(named);
            }
        }
    }
    let drawn = Drawn::watch(system, &mut watched, options.drawing);
    let mut events = IdVec::new();
    for e in &model.events {
        // what is about a contact has nothing to say where that is open, or slides
        let contact = e.contact.map(|k| &model.contacts[k]);
        let silent = contact.is_some_and(|c| {
            !c.is_closed(&system.in_force) || e.cause == Some(Cause::Slip) && !c.rolls(&system.in_force)
        });
        let function = if silent { system.graph.one() } else { e.function };
        watched.events.push((e.name.clone(), function));
        let terminal = e.action == Action::Stop;
        let (name, direction, cause) = (e.name.clone(), e.direction, e.cause);
        let is_final = e.is_final();
        events.push(EventInfo {
            name,
            kind: EventKind::Model,
            terminal,
            transition: false,
            direction,
            cause,
            is_final,
        });
    }
    for (info, function) in domain_events(system) {
        watched.events.push((info.name.clone(), function));
        events.push(info);
    }
    let holonomic = system.constraints.iter().enumerate().filter_map(|(i, c)| Some((i, c.holonomic?)));
    watched.holonomic = holonomic.collect();
    Ok((watched, events, drawn))
}

/// Both ends of every interval: x − low and high − x must not fall through zero.
fn domain_events(system: &mut System) -> Vec<(EventInfo, Expr)> {
    let mut out = Vec::new();
    let graph = &mut system.graph;
    for Interval { coordinate, low, high } in system.configuration.intervals() {
        let x = graph.var(coordinate);
        for (lower, function) in [(true, graph.sub(x, low)), (false, graph.sub(high, x))] {
            let coordinate = graph.name(coordinate).to_string();
            let end = if lower { "lower" } else { "upper" };
            out.push((
                EventInfo {
                    name: format!("{coordinate} reaches the {end} end of its interval"),
                    cause: None,
                    kind: EventKind::Domain { coordinate, lower },
                    terminal: true,
                    transition: false,
                    direction: Direction::Falling,
                    is_final: true,
                },
                function,
            ));
        }
    }
    out
}

/// The state vector of the initial values.
pub(crate) fn first_state(
    system: &System,
    program: &Program,
    value: &impl Fn(Symbol) -> Dd,
    parameters: &[Dd],
) -> Result<Vec<Dd>, CompileError> {
    let mut state = program.positions.components(value);
    let mut inputs = vec![Dd::ZERO];
    inputs.extend(system.configuration.positions().iter().chain(system.configuration.velocities()).map(|s| value(*s)));
    inputs.extend_from_slice(parameters);
    let mut unknowns = vec![Dd::ZERO; program.unknowns.len()];
    Interpreter::new(&program.entry).call(&inputs, &mut unknowns);
    let names = &program.state[program.unknowns.clone()];
    let bad = names.iter().zip(&unknowns).filter(|(_, x)| !polhode_tape::Scalar::is_finite(**x));
    let bad: Vec<String> = bad.map(|(n, _)| n.clone()).collect();
    if !bad.is_empty() {
        return Err(CompileError::SingularStart(program.form, bad));
    }
    state.extend(unknowns);
    state.extend(program.works.iter().map(|_| Dd::ZERO));
    Ok(state)
}
