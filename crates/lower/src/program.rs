//! All tapes of a system in one form.
//!
//! Every tape has the inputs t, y₁ … yₙ, p₁ … p_k (time, state, parameters); parameters are fixed by
//! [`Program::fixed`] before a run, or varied in a sweep.
//!
//! | tape | outputs |
//! | --- | --- |
//! | `field` | ẏ |
//! | `report` | positions, velocities, world angular velocities, energy, residuals, reactions, observables: see [`Report`] |
//! | `events` | the functions whose zeros are looked for |
//! | `restore` | the state moved back to the constraints |
//! | `frame` | entries of the frame, which grow where it fails |
//! | `entry` | (inputs t, position symbols, velocity symbols, parameters) the unknowns of the form |
//!
//! The right-hand side is lowered twice, from the L D Lᵀ solution on the graph and from its
//! simplified form; the one that costs less per evaluation when optimised is kept, and single rates are replaced by their
//! balances of momentum where that costs less still. On the systems of
//! `filetests/trajectories` optimised tapes cost two fifths less, at the same accuracy.

use crate::expression::{Lowering, NotLowered};
use crate::state::{Place, Positions, quaternion_rate};
use polhode_expr::{Expr, Matrix, Symbol};
use polhode_mechanics::lift::{Lift, Narrowing};
use polhode_mechanics::restoration::Closing;
use polhode_mechanics::{Equations, Form, Restoration, Row, System};
use polhode_model::{Configuration, Factor};
use polhode_tape::{Dd, Op, Tape, Value, passes};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Of right-hand sides with more nodes no rate is replaced by its balance of momentum.
const SHORTENED_NODES: usize = 200;

/// What is looked at along a motion besides the state. Expressions are in the symbols of the
/// model: positions, velocities, accelerations, time, parameters.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// Named quantities.
    pub observables: Vec<(String, Expr)>,
    /// Named functions whose zeros are events.
    pub events: Vec<(String, Expr)>,
    /// Holonomic constraints h = 0: index of the constraint, h.
    pub holonomic: Vec<(usize, Expr)>,
    /// Functions of position and time that grow where the frame of the form fails.
    pub frame: Vec<Expr>,
    /// Lay states and reports out in the same way whatever constraints are in force: every reaction has its place, and so has every work,
    /// that of impacts included, which no rate changes.
    pub uniform: bool,
    /// Which positions are integrated.
    pub lift: Lift,
}

impl Watched {
    /// What may speak of accelerations and multipliers.
    fn formulas(&self) -> Vec<Expr> {
        self.observables.iter().chain(&self.events).map(|(_, e)| *e).collect()
    }
}

/// Where the outputs of the report tape are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Position symbols of the configuration space.
    pub positions: Range<usize>,
    /// Velocity symbols.
    pub velocities: Range<usize>,
    /// World components of the angular velocities, three for each rotation.
    pub world: Range<usize>,
    /// The energy.
    pub energy: usize,
    /// A v + a₀ for every constraint, then h for the holonomic ones.
    pub residuals: Range<usize>,
    /// The multipliers of the independent constraints.
    pub reactions: Range<usize>,
    /// Observables.
    pub observables: Range<usize>,
}

/// The tapes of a system in one form.
#[derive(Clone, Debug)]
pub struct Program {
    /// Which form.
    pub form: Form,
    /// Names of the components of the state.
    pub state: Vec<String>,
    /// How positions are kept.
    pub positions: Positions,
    /// Where the unknowns of the form are in the state.
    pub unknowns: Range<usize>,
    /// Where the works are in the state, with their names: `forces`, `constraints`, `friction`, `time`, `impacts`.
    pub works: Vec<(usize, &'static str)>,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// ẏ.
    pub field: Tape,
    /// Reported quantities.
    pub report: Tape,
    /// Where they are.
    pub layout: Report,
    /// Those without a value, since they depend on positions that are not integrated; they are put to zero.
    pub missing: Vec<usize>,
    /// The multipliers' constraints, in the order of `layout.reactions`.
    pub reactions: Vec<usize>,
    /// Event functions.
    pub events: Tape,
    /// The state moved back to the constraints.
    pub restore: Tape,
    /// Entries of the frame.
    pub frame: Tape,
    /// Unknowns from velocities.
    pub entry: Tape,
}

/// Lowers a system in one form.
pub fn lower(system: &mut System, equations: &Equations, watched: &Watched) -> Result<Program, NotLowered> {
    let configuration = system.configuration.clone();
    let power = system.power(equations);
    let mut energy = system.energy();
    let zero = system.graph.zero();
    let mut works = vec![
        ("forces", power.forces),
        ("constraints", power.constraints),
        ("friction", power.friction),
        ("time", power.time),
    ];
    if watched.uniform {
        works.push(("impacts", None));
        works.iter_mut().for_each(|(_, power)| *power = power.or(Some(zero)));
    }
    let mut works: Vec<(&'static str, Expr)> = works.into_iter().filter_map(|(n, e)| Some((n, e?))).collect();
    let mut watched = watched.clone();
    let mut equations = equations.clone();
    let mut world = Vec::new();
    let positions = match watched.lift.clone() {
        Lift::Everything => Positions::of(&configuration),
        Lift::Needed { positions, observables } => {
            let parts = Parts { equations: &mut equations, watched: &mut watched, works: &mut works };
            let kept = parts.narrow(system, &mut energy, &mut world, &positions, observables);
            Positions::keeping(&configuration, &kept)
        }
    };
    let (equations, watched) = (&equations, &watched);
    let whole = positions.len == Positions::of(&configuration).len;

    let mut state = positions.names(&system.graph);
    let unknowns = state.len()..state.len() + equations.unknowns.len();
    state.extend(equations.unknowns.iter().map(|s| system.graph.name(*s).to_string()));
    let first_work = state.len();
    state.extend(works.iter().map(|(n, _)| format!("work.{n}")));

    let (field, reactions) = cheapest(system, equations, &positions, &works, &state)?;
    let roots = watched.formulas();
    let mut accelerations = system.accelerations_in(equations, &roots);
    accelerations.extend(system.multipliers_in(equations, &reactions, &roots));
    let events = determined_events(system, watched);

    let graph = &system.graph;
    let mut stage = Stage::new(system, equations, &positions, &works)?;
    let mut layout = Report::default();
    let mut at = 0;
    let mut missing = Vec::new();
    let mut outputs = |stage: &mut Stage<'_>, items: Vec<Item>| -> Result<Range<usize>, NotLowered> {
        let range = at..at + items.len();
        at = range.end;
        for (k, (name, value)) in items.into_iter().enumerate() {
            let value = match value {
                Err(NotLowered::Unbound(_)) if !whole => {
                    missing.push(range.start + k);
                    stage.l.builder.constant(Dd::ZERO)
                }
                other => other?,
            };
            stage.l.builder.output(name, value);
        }
        Ok(range)
    };
    let named = |s: &Symbol| graph.name(*s).to_string();
    let items = stage.symbols(configuration.positions(), named);
    layout.positions = outputs(&mut stage, items)?;
    let items = stage.symbols(configuration.velocities(), named);
    layout.velocities = outputs(&mut stage, items)?;
    let items = match whole {
        true => stage.world_rates(&configuration),
        false => world.into_iter().map(|(name, e)| (name, stage.l.value(e))).collect(),
    };
    layout.world = outputs(&mut stage, items)?;
    let e = stage.l.value(energy);
    layout.energy = outputs(&mut stage, vec![("energy".into(), e)])?.start;
    let items = stage.residuals(system, watched);
    layout.residuals = outputs(&mut stage, items)?;
    let mut shown: Vec<(usize, Expr)> =
        equations.reactions.iter().map(|r| r.constraint).zip(reactions.iter().copied()).collect();
    if watched.uniform {
        let of = |c: usize| shown.iter().find(|(k, _)| *k == c).map_or(zero, |(_, value)| *value);
        shown = (0..system.constraint_names.len()).map(|c| (c, of(c))).collect();
    }
    let items = shown.iter().map(|(c, e)| (format!("reaction.{}", c + 1), stage.l.value(*e))).collect();
    layout.reactions = outputs(&mut stage, items)?;
    stage.bind_accelerations(&accelerations, whole)?;
    let items = watched.observables.iter().enumerate();
    let items = items.map(|(k, (_, e))| (format!("observable.{}", k + 1), stage.l.value(*e))).collect();
    layout.observables = outputs(&mut stage, items)?;
    let report = passes::finish(stage.l.builder);

    let mut stage = Stage::new(system, equations, &positions, &works)?;
    stage.bind_accelerations(&accelerations, whole)?;
    for (k, e) in events.iter().enumerate() {
        let value = stage.l.value(*e)?;
        stage.l.builder.output(format!("event.{}", k + 1), value);
    }
    let events = passes::finish(stage.l.builder);

    let mut stage = Stage::new(system, equations, &positions, &works)?;
    for (k, e) in watched.frame.iter().enumerate() {
        let value = match stage.l.value(*e) {
            // what the group moves is bounded along it, or the base sees it too
            Err(NotLowered::Unbound(_)) if !whole => stage.l.builder.constant(Dd::ZERO),
            value => value?,
        };
        stage.l.builder.output(format!("frame.{}", k + 1), value);
    }
    let frame = passes::finish(stage.l.builder);

    let restoration = whole.then(|| system.restoration(&watched.holonomic));
    let restore = restore(system, equations, &positions, &works, restoration.as_ref(), &state)?;
    let [report, restore] = passes::optimise_all(&[report, restore]).try_into().expect("as many as before");
    let entry = entry(system, equations)?;
    let parameters = system.parameters.iter().map(|s| system.graph.name(*s).to_string()).collect();
    Ok(Program {
        form: equations.form,
        works: works.iter().enumerate().map(|(i, (name, _))| (first_work + i, *name)).collect(),
        reactions: shown.iter().map(|(c, _)| *c).collect(),
        state,
        positions,
        unknowns,
        parameters,
        field,
        report,
        layout,
        missing,
        events,
        restore,
        frame,
        entry,
    })
}

/// What is lowered, to be rewritten with as few positions as can be had.
struct Parts<'a> {
    equations: &'a mut Equations,
    watched: &'a mut Watched,
    works: &'a mut [(&'static str, Expr)],
}

impl Parts<'_> {
    /// The positions that must be integrated. First come those of the rates; what must have a value adds to them what it cannot be rid of,
    /// and the rest has a value if it can do with these.
    fn narrow(
        self,
        system: &mut System,
        energy: &mut Expr,
        world: &mut Vec<(String, Expr)>,
        asked: &[Symbol],
        observables: Range<usize>,
    ) -> FxHashSet<Symbol> {
        let Parts { equations, watched, works } = self;
        let reactions: Vec<Expr> = equations.reactions.iter().map(|r| r.value).collect();
        let roots = watched.formulas();
        let mut more = system.accelerations_in(equations, &roots);
        more.extend(system.multipliers_in(equations, &reactions, &roots));
        let mut narrowing = Narrowing::new(system, equations, &more, asked);
        *energy = system.constrained_energy(equations).unwrap_or(*energy);
        // in a frame of the world these may be unknowns themselves
        *world = system.configuration.world_rates(&mut system.graph);
        let needed = works.iter_mut().map(|(_, e)| e).chain(watched.events.iter_mut().map(|(_, e)| e));
        let needed = needed.chain(watched.observables[observables].iter_mut().map(|(_, e)| e));
        needed.chain([energy]).for_each(|e| narrowing.need(system, e));
        let rest = equations.velocities.iter_mut().chain(equations.reactions.iter_mut().map(|r| &mut r.value));
        let rest = rest.chain(watched.observables.iter_mut().chain(world).map(|(_, e)| e));
        rest.for_each(|e| *e = narrowing.narrow(system, *e));
        narrowing.kept
    }
}

impl Program {
    /// A tape with the parameters fixed: inputs t and y only. With numbers in their place there is more
    /// to optimise.
    pub fn fixed(&self, tape: &Tape, parameters: &[Dd]) -> Tape {
        let first = tape.inputs.len() - self.parameters.len();
        let values: Vec<(usize, Dd)> = parameters.iter().enumerate().map(|(i, x)| (first + i, *x)).collect();
        passes::optimise(&passes::fix(tape, &values))
    }
}

/// The right-hand side and the multipliers in the version with the cheapest right-hand side: as derived, in readable
/// form, or projected; then each rate by itself from its own balance of momentum, where that is cheaper.
fn cheapest(
    system: &mut System,
    equations: &Equations,
    positions: &Positions,
    works: &[(&'static str, Expr)],
    names: &[String],
) -> Result<(Tape, Vec<Expr>), NotLowered> {
    let derived: Vec<Expr> = equations.reactions.iter().map(|r| r.value).collect();
    let mut others: Vec<(Vec<Expr>, Vec<Expr>)> =
        system.readable_rates(equations).into_iter().map(|rates| (rates, derived.clone())).collect();
    // reduced equations are kept as they are: they contain no group variable, which other versions might
    let whole = positions.len == Positions::of(&system.configuration).len;
    if equations.form != Form::Ldap {
        others.extend(system.projected(equations).map(|p| (p.rates, p.reactions)));
    }
    let mut versions = vec![(equations.rates.clone(), derived)];
    let mut fields = vec![field(system, equations, positions, &equations.rates, works, names)?];
    for (rates, reactions) in others {
        match field(system, equations, positions, &rates, works, names) {
            // a version with positions that are not integrated
            Err(NotLowered::Unbound(_)) if !whole => {}
            other => {
                fields.push(other?);
                versions.push((rates, reactions));
            }
        }
    }
    let mut all = passes::optimise_all(&fields).into_iter().zip(versions);
    let (first, (mut kept, derived)) = all.next().expect("the equations as they are derived");
    let mut best = (first, derived);
    for (other, (rates, reactions)) in all {
        if varying_cost(&other, names.len() + 1) < varying_cost(&best.0, names.len() + 1) {
            best = (other, reactions);
            kept = rates;
        }
    }
    if whole && system.graph.reachable(&kept).len() <= SHORTENED_NODES {
        shorten(system, equations, &mut kept, |system, rates| {
            let other = passes::optimise(&field(system, equations, positions, rates, works, names)?);
            let is_cheaper = varying_cost(&other, names.len() + 1) < varying_cost(&best.0, names.len() + 1);
            if is_cheaper {
                best.0 = other;
            }
            Ok(is_cheaper)
        })?;
    }
    Ok(best)
}

/// Replaces rates by what their own balances of momentum make of the others, one after another, where `is_better` says so.
fn shorten(
    system: &mut System,
    equations: &Equations,
    rates: &mut [Expr],
    mut is_better: impl FnMut(&mut System, &[Expr]) -> Result<bool, NotLowered>,
) -> Result<(), NotLowered> {
    // those that replaced ones refer to have to stay
    let mut stays = vec![false; rates.len()];
    for i in 0..rates.len() {
        let Some((rate, others)) = system.rate_from_balance(equations, i).filter(|_| !stays[i]) else { continue };
        let before = std::mem::replace(&mut rates[i], rate);
        if is_better(system, rates)? {
            stays[i] = true;
            others.into_iter().for_each(|j| stays[j] = true);
        } else {
            rates[i] = before;
        }
    }
    Ok(())
}

/// The cost of what depends on the first `inputs` inputs.
fn varying_cost(tape: &Tape, inputs: usize) -> u32 {
    let mut varies = vec![false; tape.ops.len()];
    let mut cost = 0;
    for (k, op) in tape.ops.iter().enumerate() {
        varies[k] = match op {
            Op::Input(i) => (*i as usize) < inputs,
            _ => op.operands().any(|a| varies[a.index()]),
        };
        cost += match op {
            _ if !varies[k] => 0,
            // a factor when the parameters have values
            Op::Div(a, b) if !varies[b.index()] => Op::Mul(*a, *b).cost(),
            _ => op.cost(),
        };
    }
    cost
}

/// The event functions; one that depends on how redundant constraints share their force has no value, and never happens.
fn determined_events(system: &mut System, watched: &Watched) -> Vec<Expr> {
    let events: Vec<Expr> = watched.events.iter().map(|(_, e)| *e).collect();
    let determined = system.are_determined(&events);
    let never = system.graph.one();
    events.into_iter().zip(determined).map(|(e, known)| if known { e } else { never }).collect()
}

/// A named value, or why it has none.
type Item = (String, Result<Value, NotLowered>);

/// A lowering with time, state and parameters declared and all velocities known.
pub(crate) struct Stage<'g> {
    pub(crate) l: Lowering<'g>,
    /// The components of the state.
    state: Vec<Value>,
}

impl<'g> Stage<'g> {
    pub(crate) fn new(
        system: &'g System,
        equations: &Equations,
        positions: &Positions,
        works: &[(&'static str, Expr)],
    ) -> Result<Stage<'g>, NotLowered> {
        let graph = &system.graph;
        let mut l = Lowering::new(graph);
        l.input(system.time);
        let mut state = positions.declare(graph, &mut l);
        state.extend(equations.unknowns.iter().map(|s| l.input(*s)).collect::<Vec<_>>());
        state.extend(works.iter().map(|(n, _)| l.builder.input(format!("work.{n}"))).collect::<Vec<_>>());
        system.parameters.iter().for_each(|s| {
            l.input(*s);
        });
        let whole = positions.len == Positions::of(&system.configuration).len;
        let velocities: Vec<_> = equations.velocities.iter().map(|e| l.value(*e)).collect();
        for (s, v) in system.configuration.velocities().iter().zip(velocities) {
            match v {
                Ok(v) => l.bind(*s, v),
                // one that depends on a position that is not integrated
                Err(NotLowered::Unbound(_)) if !whole => {}
                Err(why) => return Err(why),
            }
        }
        Ok(Stage { l, state })
    }

    /// The values of symbols, with names.
    fn symbols(&mut self, symbols: &[Symbol], name: impl Fn(&Symbol) -> String) -> Vec<Item> {
        symbols.iter().map(|s| (name(s), self.l.symbol(*s))).collect()
    }

    /// The values of rates, of which some may refer to others by their symbols.
    fn rates(&mut self, symbols: &[Symbol], rates: &[Expr]) -> Result<Vec<Value>, NotLowered> {
        let graph = self.l.graph;
        let refers = |e: Expr| graph.free_symbols(&[e]).iter().any(|s| symbols.contains(s));
        let (last, first): (Vec<usize>, Vec<usize>) = (0..rates.len()).partition(|i| refers(rates[*i]));
        let mut values = Vec::with_capacity(rates.len());
        for i in first.into_iter().chain(last) {
            let value = self.l.value(rates[i])?;
            self.l.bind(symbols[i], value);
            values.push((i, value));
        }
        values.sort_unstable_by_key(|(i, _)| *i);
        Ok(values.into_iter().map(|(_, value)| value).collect())
    }

    /// Says what the symbols of accelerations and multipliers stand for; unless the positions are whole, as far as these have values.
    fn bind_accelerations(&mut self, accelerations: &[(Symbol, Expr)], whole: bool) -> Result<(), NotLowered> {
        for (symbol, e) in accelerations {
            match self.l.value(*e) {
                Ok(value) => self.l.bind(*symbol, value),
                Err(NotLowered::Unbound(_)) if !whole => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    /// ω = R Ω for every rotation.
    fn world_rates(&mut self, configuration: &Configuration) -> Vec<Item> {
        let mut out = Vec::new();
        for turn in configuration.factors().iter().filter_map(Factor::rotation) {
            for (i, row) in turn.matrix.chunks(3).enumerate() {
                out.push((format!("{}[{}]", turn.world, i + 1), self.inner(row, &turn.omega)));
            }
        }
        out
    }

    /// Σ a_j b_j of symbols.
    fn inner(&mut self, a: &[Symbol], b: &[Symbol]) -> Result<Value, NotLowered> {
        let mut sum = self.l.builder.constant(Dd::ZERO);
        for (a, b) in a.iter().zip(b) {
            let (a, b) = (self.l.symbol(*a)?, self.l.symbol(*b)?);
            let term = self.l.builder.mul(a, b);
            sum = self.l.builder.add(sum, term);
        }
        Ok(sum)
    }

    /// A v + a₀ for the rows of the model, then h.
    fn residuals(&mut self, system: &System, watched: &Watched) -> Vec<Item> {
        let d = &system.distribution;
        let velocities = system.configuration.velocities();
        let mut out = Vec::new();
        for (c, row) in d.rows[d.representation..].iter().enumerate() {
            out.push((format!("residual.{}", c + 1), self.residual(row, velocities)));
        }
        for (c, h) in &watched.holonomic {
            out.push((format!("position.{}", c + 1), self.l.value(*h)));
        }
        out
    }

    fn residual(&mut self, row: &Row, velocities: &[Symbol]) -> Result<Value, NotLowered> {
        let mut sum = self.l.value(row.a0)?;
        for (a, v) in row.a.iter().zip(velocities) {
            let (a, v) = (self.l.value(*a)?, self.l.symbol(*v)?);
            let term = self.l.builder.mul(a, v);
            sum = self.l.builder.add(sum, term);
        }
        Ok(sum)
    }
}

/// The tape of a stage with fewer and cheaper operations.
pub(crate) fn optimised(stage: Stage<'_>) -> Tape {
    passes::optimise(&passes::finish(stage.l.builder))
}

/// ẏ with the given rates of the unknowns, to be optimised.
fn field(
    system: &mut System,
    equations: &Equations,
    positions: &Positions,
    rates: &[Expr],
    works: &[(&'static str, Expr)],
    names: &[String],
) -> Result<Tape, NotLowered> {
    let along = system.configuration.motion_along(&mut system.graph, system.time, &equations.velocities);
    let zero = system.graph.zero();
    let symbols: Vec<Symbol> =
        equations.unknowns.iter().map(|s| Configuration::acceleration(&mut system.graph, *s)).collect();
    let mut stage = Stage::new(system, equations, positions, works)?;
    let mut out = Vec::new();
    for p in &positions.places {
        match p {
            Place::Plain { symbol, .. } => out.push(stage.l.value(*along.get(symbol).unwrap_or(&zero))?),
            Place::Direction { vector, .. } => {
                for s in vector {
                    out.push(stage.l.value(*along.get(s).unwrap_or(&zero))?);
                }
            }
            Place::Rotation { omega, at, .. } => {
                let q = std::array::from_fn(|i| stage.state[at + i]);
                let [a, b, c] = *omega;
                let omega = [stage.l.symbol(a)?, stage.l.symbol(b)?, stage.l.symbol(c)?];
                out.extend(quaternion_rate(&mut stage.l.builder, q, omega));
            }
        }
    }
    out.extend(stage.rates(&symbols, rates)?);
    for (_, power) in works {
        out.push(stage.l.value(*power)?);
    }
    for (name, value) in names.iter().zip(out) {
        stage.l.builder.output(format!("rate.{name}"), value);
    }
    Ok(passes::finish(stage.l.builder))
}

/// The state with velocities projected and positions moved by one Newton step; without a restoration, as it is. To be optimised.
fn restore(
    system: &mut System,
    equations: &Equations,
    positions: &Positions,
    works: &[(&'static str, Expr)],
    restoration: Option<&Restoration>,
    names: &[String],
) -> Result<Tape, NotLowered> {
    let anchor = system.configuration.anchor(&mut system.graph);
    let system = &*system;
    let mut stage = Stage::new(system, equations, positions, works)?;
    let mut out = stage.state.clone();
    if let Some(shift) = restoration.and_then(|r| r.shift.as_ref()) {
        let shift = stage.l.values(shift)?;
        let index = |s: Symbol| system.configuration.velocities().iter().position(|v| *v == s);
        for p in &positions.places {
            match p {
                Place::Rotation { omega, at, .. } => {
                    let q = std::array::from_fn(|i| stage.state[at + i]);
                    let turn = omega.map(|s| shift[index(s).expect("Ω is a velocity")]);
                    let rate = quaternion_rate(&mut stage.l.builder, q, turn);
                    rate.iter().enumerate().for_each(|(i, r)| out[at + i] = stage.l.builder.add(q[i], *r));
                }
                Place::Plain { symbol, at } => out[*at] = stage.moved(system, &anchor, *symbol, *at, &shift)?,
                Place::Direction { vector, at } => {
                    for (i, s) in vector.iter().enumerate() {
                        out[at + i] = stage.moved(system, &anchor, *s, at + i, &shift)?;
                    }
                }
            }
        }
    }
    if let Some(restoration) = restoration {
        stage.close(&restoration.closing, positions, &mut out)?;
    }
    if let Some(restoration) = restoration.filter(|_| equations.form == Form::Multipliers) {
        let restored = stage.l.values(&restoration.velocities)?;
        out[positions.len..positions.len + restored.len()].copy_from_slice(&restored);
    }
    for (name, value) in names.iter().zip(out) {
        stage.l.builder.output(format!("restored.{name}"), value);
    }
    Ok(passes::finish(stage.l.builder))
}

impl Stage<'_> {
    /// Moves bodies whose contacts have come apart by rounding.
    fn close(&mut self, closing: &Closing, positions: &Positions, out: &mut [Value]) -> Result<(), NotLowered> {
        for p in &positions.places {
            match p {
                Place::Rotation { matrix, at, .. } => {
                    for (_, turn) in closing.turns.iter().filter(|(first, _)| *first == matrix[0]) {
                        let q = std::array::from_fn(|i| self.state[at + i]);
                        let turn = [self.l.value(turn[0])?, self.l.value(turn[1])?, self.l.value(turn[2])?];
                        let rate = quaternion_rate(&mut self.l.builder, q, turn);
                        for (i, r) in rate.iter().enumerate() {
                            out[at + i] = self.l.builder.add(out[at + i], *r);
                        }
                    }
                }
                Place::Plain { symbol, at } => {
                    for (_, shift) in closing.shifts.iter().filter(|(s, _)| s == symbol) {
                        let shift = self.l.value(*shift)?;
                        out[*at] = self.l.builder.add(out[*at], shift);
                    }
                }
                Place::Direction { .. } => {}
            }
        }
        Ok(())
    }

    /// x + Σ B_A δ^A for one position symbol.
    fn moved(
        &mut self,
        system: &System,
        anchor: &Matrix,
        symbol: Symbol,
        at: usize,
        shift: &[Value],
    ) -> Result<Value, NotLowered> {
        let i = system.configuration.positions().iter().position(|s| *s == symbol).expect("a position");
        let mut x = self.state[at];
        for (a, delta) in shift.iter().enumerate() {
            let b = self.l.value(anchor[(i, a)])?;
            let step = self.l.builder.mul(b, *delta);
            x = self.l.builder.add(x, step);
        }
        Ok(x)
    }
}

/// The unknowns as functions of positions and velocities.
fn entry(system: &mut System, equations: &Equations) -> Result<Tape, NotLowered> {
    let configuration = system.configuration.clone();
    let unknowns: Vec<Expr> = equations.unknowns.iter().map(|s| system.graph.var(*s)).collect();
    let values = equations.in_velocities(&mut system.graph, &configuration, &unknowns);
    let mut l = Lowering::new(&system.graph);
    l.input(system.time);
    configuration.positions().iter().chain(configuration.velocities()).chain(&system.parameters).for_each(|s| {
        l.input(*s);
    });
    for (s, e) in equations.unknowns.iter().zip(values) {
        let value = l.value(e)?;
        l.builder.output(format!("start.{}", system.graph.name(*s)), value);
    }
    Ok(passes::finish(l.builder))
}
