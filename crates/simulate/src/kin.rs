//! The same system with other numbers, without deriving its equations again.
//!
//! Two readings of one text that differ in numbers alone have the same equations: parameters are letters in them. So the tapes of the one serve the
//! other,
//!
//! ```text
//! text, numbers ─read→ model, system ─initial state→ start
//! tapes of the kin ─fixed at the new parameters→ charts                   the same motion as that of a new compilation, digit by digit
//! ```
//!
//! and nothing is left to do but to read the text and to place the bodies: every mistake in the new numbers is found as it would be in a new
//! compilation. Modes of constraints that come and go keep their tapes too. What a new compilation might decide otherwise is not tried
//! ([`Kin::with`] gives `None`): expressions that are others, parameters of other signs, other independent velocities, starts in another mode; and systems
//! with several charts, discrete equations, reduced runs, or corners in what is prescribed are nobody's kin.
//!
//! Not here: numbers without a text ([`Refit`](crate::Refit)), which is faster still and completes starts itself.

use crate::chart::{Chart, Charts};
use crate::compile::{CompileError, CompileOptions, Compiled, first_state};
use polhode_base::ids::ChartId;
use polhode_base::random::Random;
use polhode_expr::eval::Doubles;
use polhode_expr::{Expr, Symbol};
use polhode_lower::dd;
use polhode_mechanics::{System, initial_state_with};
use polhode_model::Model;
use polhode_tape::Dd;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Relative difference of two values at a random point that rounding can explain.
const SAME: f64 = 1e-9;

/// A compiled system whose tapes serve other readings of its text.
#[derive(Clone, Debug)]
pub struct Kin {
    current: Arc<Compiled>,
    options: CompileOptions,
    looks: Looks,
}

impl Kin {
    /// Of a system that was compiled with these options; `None` if its tapes serve nobody else.
    pub fn new(system: &System, options: &CompileOptions, compiled: &Arc<Compiled>) -> Option<Kin> {
        // a model that does not switch and is run as if it did was rewritten where its constraints degenerate
        let rewritten = compiled.switches() != system.model.switches();
        let charts = compiled.switches() || compiled.has_one_chart();
        if rewritten || !charts || compiled.discrete.is_some() || compiled.driving.is_some() || compiled.corners.any() {
            return None;
        }
        Some(Kin { current: compiled.clone(), options: options.clone(), looks: Looks::of(system)? })
    }

    /// The system as it is compiled now.
    pub fn current(&self) -> &Arc<Compiled> {
        &self.current
    }

    /// The tapes with the numbers of another reading; `None` if it is no kin.
    pub fn with(&mut self, system: &mut System) -> Result<Option<Arc<Compiled>>, CompileError> {
        if !Looks::of(system).is_some_and(|other| self.looks.are(&other)) {
            return Ok(None);
        }
        let mut model = (*system.model).clone();
        let sides = model.sides_at_start();
        let model = Arc::new(model);
        let start =
            initial_state_with(system, &model, self.options.inconsistent)?.ok_or(CompileError::NoInitialState)?;
        let value = |s: Symbol| dd(&start.digits[&s]);
        let parameters: Vec<Dd> = system.parameters.iter().map(|s| value(*s)).collect();
        if let Some(s) = &self.current.switching
            && s.places.get(&model.active(&sides)) != Some(&self.current.place.mode)
        {
            return Ok(None);
        }
        let state = first_state(system, &self.current.program, &value, &parameters)?;
        // no motion holds on to the system any more, unless it was kept: then there are two
        let c = Arc::make_mut(&mut self.current);
        let changed = c.parameters.iter().zip(&parameters).any(|((_, old), new)| old != new);
        c.start = state;
        c.parameters.iter_mut().zip(&parameters).for_each(|((_, old), new)| *old = *new);
        if changed {
            let chart = c.charts[c.place.chart].refixed(&c.program, &parameters);
            c.charts = charts_with(c.charts.len(), c.place.chart, chart);
        }
        if let Some(s) = &mut c.switching {
            s.renumber(&c.program, model, sides, parameters, changed);
        }
        Ok(Some(self.current.clone()))
    }
}

/// Room for charts with one that is made.
fn charts_with(count: usize, place: ChartId, chart: Chart) -> Charts {
    let charts = Charts::with_room(count);
    charts.fill(place, chart);
    charts
}

/// What equations depend on besides the text.
#[derive(Clone, Debug)]
pub struct Looks {
    fingerprint: Vec<Option<f64>>,
    /// The names of the parameters with their signs, and their values where these stand in the equations.
    parameters: Vec<(String, f64, Option<f64>)>,
    independent: Vec<String>,
}

impl Looks {
    /// Of a system; `None` if its parameters have no values.
    pub fn of(system: &System) -> Option<Looks> {
        let values = system.model.parameter_values().ok()?;
        let name = |s: &Symbol| system.graph.name(*s).to_owned();
        let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        let parameters = system.parameters.iter().map(|p| {
            let x = *values.get(p)?;
            Some((name(p), sign(x), Some(x).filter(|_| system.settled.contains(p))))
        });
        Some(Looks {
            fingerprint: fingerprint(&system.model),
            parameters: parameters.collect::<Option<_>>()?,
            independent: system.independent_velocities().iter().map(name).collect(),
        })
    }

    /// Whether the equations of the one are those of the other, up to numbers that are letters in them.
    pub fn are(&self, other: &Looks) -> bool {
        self.parameters == other.parameters
            && self.independent == other.independent
            && same(&self.fingerprint, &other.fingerprint)
    }
}

/// The values of all that makes a system, at a point that depends on the names alone.
pub fn fingerprint(model: &Model) -> Vec<Option<f64>> {
    let mut all: Vec<Expr> = model.lagrangian.into_iter().collect();
    let constraints = model.holding().chain(&model.constraints);
    all.extend(constraints.flat_map(|c| [Some(c.residual), c.holonomic].into_iter().flatten()));
    all.extend(model.forces.iter().map(|(_, e)| *e));
    all.extend(model.events.iter().flat_map(|e| e.sets.iter().map(|(_, e)| *e).chain([e.function])));
    all.extend(model.observables.iter().map(|(_, e)| *e));
    all.extend(model.borders.iter().map(|b| b.function));
    all.extend(model.walls.iter().flat_map(|w| w.slip.iter().copied().chain([w.gap]).chain(w.push)));
    let changes = model.walls.iter().filter_map(|w| w.changes.as_ref());
    for c in changes.chain(model.contacts.iter().filter_map(|c| c.changes.as_ref())) {
        all.extend([c.gap, c.margin, c.slipping, Some(c.push)].into_iter().flatten().chain(c.normal));
    }
    all.extend(model.configuration.intervals().flat_map(|i| [i.low, i.high]));
    let g = &model.graph;
    let at: FxHashMap<Symbol, f64> =
        g.free_symbols(&all).iter().map(|s| (*s, Random::named(g.name(*s)).between(0.3, 1.7))).collect();
    all.iter().map(|e| g.evaluate(&Doubles, &[*e], &at).ok().map(|x| x[0])).collect()
}

/// Whether two systems are the same up to rounding.
pub fn same(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => near(*a, *b),
            (None, None) => true,
            _ => false,
        })
}
