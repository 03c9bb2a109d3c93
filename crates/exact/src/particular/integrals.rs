//! What is constant along a motion, and whether that is enough to solve it.
//!
//! A motion on n dimensions that keeps n − 1 independent functions is a curve that these give, and t along it is a quadrature. With n − 2 of them and an
//! invariant measure it is solved by quadratures too: on their level surfaces, tori where these are compact, the measure is the last multiplier of Euler and
//! Jacobi \[Whittaker1937, ch. X\]. Symmetries that keep all integrals and the measure are divided out before n is counted: what they move follows by quadratures.
//!
//! Integrals are those of [`polhode_analysis::noether`], proved by algebra; their values along a motion are computed besides.

use crate::steady::algebra::Dense;
use crate::steady::problem::RANK;
use polhode_analysis::noether::{Flow, Integral, Kind, Measure, Search, measure, search};
use polhode_expr::eval::{Arithmetic, Digits, Real};
use polhode_expr::{Expr, Rates, Symbol, Tree};
use polhode_lower::dd;
use polhode_mechanics::{InitialState, System};
use polhode_model::{DIGITS, Factor};
use polhode_simulate::Sample;
use polhode_tape::{Dd, Scalar};
use rustc_hash::FxHashMap;

/// An integral of a motion.
#[derive(Clone, Debug)]
pub struct Held {
    /// What it is.
    pub kind: Kind,
    /// The function of position and velocity.
    pub function: Expr,
    /// The same, readable; absent when too long.
    pub tree: Option<Tree>,
    /// Its value at the start.
    pub value: Dd,
    /// By how much it differs from that along the motion, at most, as far as it was followed.
    pub change: f64,
}

/// Whether integrals are enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Dimension of the states.
    pub states: usize,
    /// Symmetries that are divided out.
    pub symmetries: Vec<String>,
    /// Independent integrals.
    pub integrals: usize,
    /// Is there an invariant measure that these symmetries keep? `None` where it does not matter.
    pub measure: Option<bool>,
}

impl Count {
    /// Dimensions that the integrals leave.
    pub fn left(&self) -> usize {
        self.states.saturating_sub(self.symmetries.len() + self.integrals)
    }

    /// Is the motion solved by quadratures?
    pub fn by_quadratures(&self) -> bool {
        self.left() <= 1 || self.left() == 2 && self.measure == Some(true)
    }
}

/// The independent integrals of a motion.
#[derive(Clone, Debug)]
pub struct Integrals {
    /// The integrals.
    pub held: Vec<Held>,
    /// Whether they are enough; `None` where positions are no coordinates of the states (unit vectors, points of contact, holonomic constraints) or the equations
    /// contain time.
    pub count: Option<Count>,
}

/// The integrals of a system, with their values at its initial state.
pub fn integrals(system: &mut System, start: &InitialState) -> Integrals {
    let flow = Flow::new(system);
    let found = search(system, &flow, &Search::default());
    let independent: Vec<Integral> = found.integrals.into_iter().filter(|i| i.independent).collect();
    let functions: Vec<Expr> = independent.iter().map(|i| i.function).collect();
    let held = independent.into_iter().filter_map(|i| {
        let value = value(system, i.function, &start.digits)?;
        Some(Held { kind: i.kind, function: i.function, tree: i.tree, value, change: 0.0 })
    });
    let held: Vec<Held> = held.collect();
    let count = count(system, &flow, start, &functions);
    Integrals { held, count }
}

impl Integrals {
    /// Computes them again at other states of the motion from there.
    pub fn follow(&mut self, system: &System, start: &InitialState, motion: &[Sample]) {
        let digits = Digits::decimal(DIGITS);
        let configuration = &system.configuration;
        for sample in motion {
            let mut at = start.digits.clone();
            for s in configuration.positions().iter().chain(configuration.velocities()) {
                if let Some(x) = sample.get_digits(system.graph.name(*s)) {
                    at.insert(*s, digits.add(&digits.double(x.hi()), &digits.double(x.lo())));
                }
            }
            for held in &mut self.held {
                let now = value(system, held.function, &at).map_or(f64::NAN, |now| (now - held.value).to_f64().abs());
                held.change = if now.is_nan() { now } else { held.change.max(now) };
            }
        }
    }
}

fn value(system: &System, function: Expr, at: &FxHashMap<Symbol, Real>) -> Option<Dd> {
    let values = system.graph.evaluate(&Digits::decimal(DIGITS), &[function], at).ok()?;
    Some(dd(&values[0]))
}

fn count(system: &mut System, flow: &Flow, start: &InitialState, functions: &[Expr]) -> Option<Count> {
    let configuration = system.configuration.clone();
    let plain = |f: &Factor| !f.is_carried() && f.direction().is_none();
    let holonomic = system.constraints.iter().any(|c| c.holonomic.is_some());
    let (time, equations) = (system.time, &flow.equations);
    let timed = equations.velocities.iter().chain(&equations.rates).any(|e| system.graph.contains_any(*e, &[time]));
    if timed || holonomic || !configuration.factors().iter().all(plain) {
        return None;
    }
    let mut fields = system.suggested_symmetries();
    fields.retain(|f| !f.depends_on_time(&system.graph));
    let mut kept: Vec<(String, Rates)> = Vec::new();
    let mut columns: Vec<Vec<Dd>> = Vec::new();
    let symbols: Vec<Symbol> = configuration.positions().iter().chain(configuration.velocities()).copied().collect();
    let zero = system.graph.zero();
    for field in fields {
        let lifted = field.lifted(&mut system.graph, &configuration);
        let changes: Vec<Expr> = functions.iter().map(|f| system.graph.along(*f, &lifted)).collect();
        if !changes.into_iter().all(|e| system.is_zero(e)) {
            continue;
        }
        // what orbits have at the start: fields may depend on each other there
        let rates: Vec<Expr> = symbols.iter().map(|s| lifted.get(s).copied().unwrap_or(zero)).collect();
        let Ok(values) = system.graph.evaluate(&Digits::decimal(DIGITS), &rates, &start.digits) else { continue };
        columns.push(values.iter().map(dd).collect());
        if Dense::from_fn(symbols.len(), columns.len(), |i, j| columns[j][i]).svd().rank(RANK) < columns.len() {
            columns.pop();
            continue;
        }
        kept.push((field.text.clone(), field.rates.clone()));
    }
    let mut count = Count {
        states: configuration.velocities().len() + flow.equations.unknowns.len(),
        symmetries: kept.iter().map(|(text, _)| text.clone()).collect(),
        integrals: functions.len(),
        measure: None,
    };
    if count.left() == 2 {
        count.measure = Some(match measure(system, flow) {
            Measure::Density { density, .. } => {
                let changes: Vec<Expr> = kept.iter().map(|(_, rates)| system.graph.along(density, rates)).collect();
                changes.into_iter().all(|e| system.is_zero(e))
            }
            _ => false,
        });
    }
    Some(count)
}
