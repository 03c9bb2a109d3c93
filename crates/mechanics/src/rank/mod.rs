//! Ranks of constraints at exact points, and the parameters whose values change them.
//!
//! A rank is that of the values of the rows in F_p, or in F_p² where a square root asks for it, at a [`Place`]: at a generic point, or
//! where some symbols have values. [`tied`] says which functions F_p cannot be trusted with.
//!
//! Parameters are letters, as far as other values give the same rank. Those with special values are settled before anything is derived.
//!
//! Not here: flags, integrals and singular sets (`polhode-analysis`).

pub mod field;
pub mod place;
pub mod tied;

use crate::distribution::Row;
use crate::system::System;
use field::{Double, Field, Residue, pivots};
use place::{NoValue, Place, Values};
use polhode_expr::{Expr, Graph, Symbol};
use rustc_hash::FxHashMap;

/// Seed of the generic point; any other does as well.
pub const SEED: u64 = 20;

/// What was found over F_p, or the second over F_p² where a square root asks for it.
pub fn in_either_field<T>(
    first: Result<T, NoValue>,
    second: impl FnOnce() -> Result<T, NoValue>,
) -> Result<T, NoValue> {
    match first {
        Err(NoValue::Root) => second(),
        other => other,
    }
}

/// The rank of some rows at a place.
pub fn rank(graph: &mut Graph, rows: &[Vec<Expr>], place: &Place) -> Result<usize, NoValue> {
    in_either_field(rank_in::<Residue>(graph, rows, place), || rank_in::<Double>(graph, rows, place))
}

fn rank_in<F: Field>(graph: &mut Graph, rows: &[Vec<Expr>], place: &Place) -> Result<usize, NoValue> {
    let mut at = Values::<F>::new(graph, place);
    Ok(pivots(at.rows(graph, rows)?).len())
}

/// Constraints as forms on the configuration space and on space-time, A and (A, a₀), with the parameters at their values.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// A.
    pub linear: Vec<Vec<Expr>>,
    /// (A, a₀).
    pub whole: Vec<Vec<Expr>>,
    /// The generic point at the values of the parameters.
    pub valued: Place,
    /// Exact fields are not to be trusted with these.
    pub tied: bool,
}

impl Coefficients {
    /// Those of the rows, but for the ones that are left out of the distribution.
    pub fn of(system: &mut System, rows: &[Row]) -> Coefficients {
        let left_out = &system.distribution.left_out;
        let used: Vec<&Row> = (0..rows.len()).filter(|i| !left_out.contains(i)).map(|i| &rows[i]).collect();
        let linear = used.iter().map(|r| r.a.clone()).collect();
        let whole: Vec<Vec<Expr>> = used.iter().map(|r| r.a.iter().copied().chain([r.a0]).collect()).collect();
        let valued = Place { fixed: parameter_values(system), seed: SEED };
        let entries: Vec<Expr> = whole.iter().flatten().copied().collect();
        let entries = system.graph.substitute_all(&entries, &valued.fixed);
        let tied = tied::tied(&mut system.graph, &entries);
        Coefficients { linear, whole, valued, tied }
    }
}

/// The values of the parameters, in numbers.
pub fn parameter_values(system: &mut System) -> FxHashMap<Symbol, Expr> {
    let mut fixed = FxHashMap::default();
    for p in system.model.parameters.clone() {
        let value = system.graph.substitute(p.value, &fixed);
        fixed.insert(p.symbol, value);
    }
    fixed
}

/// The parameters that the model gives as formulas of others, as functions of those that are given in numbers.
pub fn parameter_formulas(system: &mut System) -> FxHashMap<Symbol, Expr> {
    let mut formulas = FxHashMap::default();
    for p in system.model.clone().parameters.iter() {
        let value = system.graph.substitute(p.value, &formulas);
        if !system.graph.free_symbols(&[value]).is_empty() {
            formulas.insert(p.symbol, value);
        }
    }
    formulas
}

/// The parameters whose values lower the rank of the constraints, with these values: one by one where that is enough, and all that occur otherwise.
pub(crate) fn rank_changing_parameters(system: &mut System) -> FxHashMap<Symbol, Expr> {
    let rows = system.distribution.rows.clone();
    let coefficients = Coefficients::of(system, &rows);
    let roots: Vec<Expr> = coefficients.whole.iter().flatten().copied().collect();
    let mut values = coefficients.valued.fixed.clone();
    let occurring = system.graph.free_symbols(&roots);
    values.retain(|p, _| occurring.contains(p));
    let ranks = |graph: &mut Graph, fixed: &FxHashMap<Symbol, Expr>| {
        let place = Place { fixed: fixed.clone(), seed: SEED };
        let linear = rank(graph, &coefficients.linear, &place).ok()?;
        Some((linear, rank(graph, &coefficients.whole, &place).ok()?))
    };
    let graph = &mut system.graph;
    let (Some(letters), Some(numbers)) = (ranks(graph, &FxHashMap::default()), ranks(graph, &values)) else {
        return FxHashMap::default();
    };
    if letters == numbers || coefficients.tied {
        return FxHashMap::default();
    }
    let mut few = values.clone();
    few.retain(|p, v| ranks(graph, &FxHashMap::from_iter([(*p, *v)])).is_some_and(|r| r != letters));
    if ranks(graph, &few) == Some(numbers) { few } else { values }
}
