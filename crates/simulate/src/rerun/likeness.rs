//! Whether another reading of a text has the same equations.
//!
//! Parameters are letters in the equations, so that two readings that differ in numbers alone have the same ones. That they do is tested: the Lagrangian,
//! constraints, forces, events and observables are compared at a random point, then the signs of the parameters, the values that stand in the
//! equations, and the choice of independent velocities.

use polhode_base::random::Random;
use polhode_expr::eval::Doubles;
use polhode_expr::{Expr, Symbol};
use polhode_mechanics::System;
use polhode_model::Model;
use rustc_hash::FxHashMap;

/// Relative difference of two values at a random point that rounding can explain.
const SAME: f64 = 1e-9;

/// What equations depend on besides the text.
#[derive(Clone, Debug)]
pub struct Likeness {
    pub(super) fingerprint: Vec<Option<f64>>,
    /// The names of the parameters with their signs, and their values where these stand in the equations.
    parameters: Vec<(String, f64, Option<f64>)>,
    independent: Vec<String>,
}

impl Likeness {
    /// Of a system; `None` if its parameters have no values.
    pub fn of(system: &System) -> Option<Likeness> {
        let values = system.model.parameter_values().ok()?;
        let name = |s: &Symbol| system.graph.name(*s).to_owned();
        let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        let parameters = system.parameters.iter().map(|p| {
            let x = *values.get(p)?;
            Some((name(p), sign(x), Some(x).filter(|_| system.settled.contains(p))))
        });
        Some(Likeness {
            fingerprint: fingerprint(&system.model),
            parameters: parameters.collect::<Option<_>>()?,
            independent: system.independent_velocities().iter().map(name).collect(),
        })
    }

    /// Whether the equations of the one are those of the other, up to numbers that are letters in them.
    pub fn serves(&self, other: &Likeness) -> bool {
        self.parameters == other.parameters
            && self.independent == other.independent
            && same(&self.fingerprint, &other.fingerprint)
    }
}

/// The values of all that makes a system, at a point that depends on the names alone.
pub(super) fn fingerprint(model: &Model) -> Vec<Option<f64>> {
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
pub(super) fn same(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => near(*a, *b),
            (None, None) => true,
            _ => false,
        })
}
