//! The group: generators of symmetries that leave the equations of motion alone.

use super::NotSteady;
use super::algebra::Dense;
use super::problem::RANK;
use crate::returns::{ReturnOptions, prepared};
use polhode_expr::eval::{Arithmetic, Digits};
use polhode_expr::number::{Rational, ratio};
use polhode_expr::{Expr, Graph, Rates, Symbol};
use polhode_lower::dd;
use polhode_mechanics::{Field, System};
use polhode_model::{DIGITS, Factor};
use polhode_tape::{Dd, Scalar};
use rustc_hash::FxHashMap;

/// Largest denominator of a coefficient of a symmetry that is seen as numbers.
const DENOMINATOR: i64 = 12;

/// The symmetries among Euclidean motions and cyclic coordinates, and those that the model states besides. Where points of contact are carried along, symmetries are looked for on
/// the equations as numbers too, as for returns. There may be none.
pub(super) fn generators(system: &mut System) -> Result<Vec<Field>, NotSteady> {
    let mut fields = system.symmetries_at_contact();
    if !system.model.symmetries.is_empty() {
        let stated = system.symmetry().map_err(NotSteady::Refused)?;
        fields.extend(stated.fields);
    }
    fields.retain(|f| !f.depends_on_time(&system.graph));
    if system.configuration.factors().iter().any(Factor::is_carried) {
        fields.extend(on_the_motion(system));
    }
    Ok(independent(system, fields))
}

/// Symmetries that are seen on the motion from the initial state.
fn on_the_motion(system: &mut System) -> Vec<Field> {
    let Ok((_, action)) = prepared(system, &ReturnOptions::default()) else { return Vec::new() };
    let positions = system.configuration.positions().to_vec();
    let matrices = action.generators.iter().zip(&action.texts);
    let fields = matrices.filter_map(|(matrix, text)| {
        let mut rates = Rates::default();
        for (i, s) in positions.iter().enumerate() {
            let row = matrix.iter().filter(|(row, ..)| *row == i);
            let terms: Vec<(Expr, Rational)> = row
                .map(|(_, j, x)| {
                    let e = if *j < positions.len() { Some(system.graph.var(positions[*j])) } else { None };
                    // the last column shifts, those of velocities are empty
                    let e = if *j == action.len { Some(system.graph.one()) } else { e };
                    Some((e?, simple(*x)?))
                })
                .collect::<Option<_>>()?;
            if !terms.is_empty() {
                rates.insert(*s, system.graph.linear(terms));
            }
        }
        Field::new(system, text, rates)
    });
    fields.collect()
}

/// A ratio of small whole numbers.
fn simple(x: Dd) -> Option<Rational> {
    (1..=DENOMINATOR).find_map(|d| {
        let n = (x * Dd::from(d as f64)).to_f64().round();
        let near = (x * Dd::from(d as f64) - Dd::from(n)).to_f64().abs() < 1e-20;
        near.then(|| ratio(n as i64, d))
    })
}

/// Fields without those that are constant combinations of earlier ones at random positions.
fn independent(system: &mut System, fields: Vec<Field>) -> Vec<Field> {
    let positions = system.configuration.positions().to_vec();
    let zero = system.graph.zero();
    let digits = Digits::decimal(DIGITS);
    let mut random = polhode_base::random::Random::new(3);
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

/// The rates of positions along each generator as (A | b), where all of them are affine with numbers as coefficients.
pub(super) fn affine(system: &mut System, fields: &[Field]) -> Option<Vec<Dense<Dd>>> {
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
