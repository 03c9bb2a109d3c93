//! Points where functions of the position vanish, found by Newton's method.
//!
//! Steps are taken along the base frame, δx = B δv with the shortest δv that solves
//! f + (∂f/∂v) δv = 0, and rotations and unit vectors are put back onto their manifolds, so that
//! every point found is a position of the system.
//!
//! Used for two questions that generic points cannot answer: does a direction without kinetic energy
//! become admissible somewhere, and do constraint rows become dependent on the surface that
//! holonomic constraints prescribe?

use crate::dense::{independent_rows, shortest_solution};
use crate::system::System;
use polhode_base::random::Random;
use polhode_expr::equal::random_state;
use polhode_expr::eval::{Digits, Doubles};
use polhode_expr::{Expr, Symbol};
use polhode_model::Model;
use rustc_hash::FxHashMap;

/// A position and time, with the parameters of the model.
pub type Point = FxHashMap<Symbol, f64>;

/// Random starts of Newton's method.
const STARTS: usize = 20;

/// Steps from one start.
const STEPS: usize = 60;

/// Up to `wanted` different points of the domain where all of the functions vanish.
pub fn zeros(system: &mut System, model: &Model, f: &[Expr], wanted: usize) -> Vec<Point> {
    let Ok(parameters) = model.parameter_values() else { return Vec::new() };
    let configuration = system.configuration.clone();
    let graph = &mut system.graph;
    let n = configuration.velocities().len();
    let mut slopes = Vec::new();
    for a in 0..n {
        let unit: Vec<Expr> = (0..n).map(|i| if i == a { graph.one() } else { graph.zero() }).collect();
        let rates = configuration.rates_along(graph, &unit);
        slopes.push(graph.along_all(f, &rates));
    }
    let anchor = configuration.anchor(graph);
    let roots: Vec<Expr> = f.iter().chain(slopes.iter().flatten()).chain(anchor.entries()).copied().collect();
    let mut symbols = graph.free_symbols(&roots);
    symbols.extend(configuration.positions());
    let digits = Digits::decimal(20);
    let mut random = Random::new(11);
    let mut found: Vec<Point> = Vec::new();
    for _ in 0..STARTS {
        let drawn = random_state(&system.graph, &symbols, &digits, &mut random);
        let mut at: Point = drawn.iter().map(|(s, x)| (*s, x.to_f64().value())).collect();
        at.extend(parameters.iter().map(|(s, x)| (*s, *x)));
        for _ in 0..STEPS {
            let Ok(values) = system.graph.evaluate(&Doubles, &roots, &at) else { break };
            let (residual, rest) = values.split_at(f.len());
            if residual.iter().all(|v| v.abs() < 1e-11) {
                if inside(system, model, &at) {
                    found.push(at);
                }
                break;
            }
            let (slopes, anchor) = rest.split_at(n * f.len());
            let jacobian: Vec<Vec<f64>> =
                (0..f.len()).map(|i| (0..n).map(|a| slopes[a * f.len() + i]).collect()).collect();
            let wanted: Vec<f64> = residual.iter().map(|r| -r).collect();
            let Some(step) = shortest_solution(&jacobian, &wanted) else { break };
            let length = step.iter().fold(0f64, |m, x| m.max(x.abs()));
            let damping = if length > 1.0 { 1.0 / length } else { 1.0 };
            for (i, s) in configuration.positions().iter().enumerate() {
                let change: f64 = (0..n).map(|a| anchor[i * n + a] * step[a]).sum();
                if let Some(x) = at.get_mut(s) {
                    *x += damping * change;
                }
            }
            restore(model, &mut at);
        }
        if found.len() == wanted {
            break;
        }
    }
    found
}

/// Puts rotations and unit vectors back onto their manifolds, by Gram–Schmidt on the rows.
fn restore(model: &Model, at: &mut Point) {
    for factor in model.configuration.factors() {
        let mut done: Vec<[f64; 3]> = Vec::new();
        for symbols in factor.tied().chunks_exact(3) {
            let mut row = [at[&symbols[0]], at[&symbols[1]], at[&symbols[2]]];
            for other in &done {
                let along: f64 = row.iter().zip(other).map(|(x, y)| x * y).sum();
                row.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
            done.push(row);
            symbols.iter().zip(row).for_each(|(s, x)| {
                at.insert(*s, x);
            });
        }
    }
}

/// Is the point inside every interval of the model?
pub(crate) fn inside(system: &System, model: &Model, at: &Point) -> bool {
    model.configuration.intervals().all(|i| {
        let end = |e: Expr, other: f64| system.graph.evaluate_f64(e, at).unwrap_or(other);
        let within = |x: &f64| *x > end(i.low, f64::NEG_INFINITY) + 1e-9 && *x < end(i.high, f64::INFINITY) - 1e-9;
        at.get(&i.coordinate).is_none_or(within)
    })
}

/// What the surface of the holonomic constraints looks like.
pub(crate) enum Surface {
    /// There are none.
    Absent,
    /// No position was found at which all of them hold.
    NotFound,
    /// Rows that are independent at generic points and yet follow from the ones before them wherever
    /// the holonomic constraints hold.
    Rows(Vec<usize>),
}

/// Looks at the constraint rows on the surface of the holonomic constraints.
pub(crate) fn examine_surface(system: &mut System, model: &Model) -> Surface {
    let holonomic: Vec<Expr> = system.constraints.iter().filter_map(|c| c.holonomic).collect();
    if holonomic.is_empty() {
        return Surface::Absent;
    }
    let points = zeros(system, model, &holonomic, 3);
    if points.is_empty() {
        return Surface::NotFound;
    }
    let d = system.distribution.clone();
    let rows = &d.elimination.rows;
    let entries: Vec<Expr> = rows.iter().flat_map(|i| d.rows[*i].a.iter().copied()).collect();
    let n = system.configuration.velocities().len();
    let mut dependent: Option<Vec<usize>> = None;
    for at in points {
        let Ok(values) = system.graph.evaluate(&Doubles, &entries, &at) else { continue };
        let matrix: Vec<Vec<f64>> = values.chunks(n).map(<[f64]>::to_vec).collect();
        let kept = independent_rows(&matrix);
        let here: Vec<usize> = (0..rows.len()).filter(|i| !kept.contains(i)).map(|i| rows[i]).collect();
        dependent = Some(match dependent {
            Some(before) => before.into_iter().filter(|i| here.contains(i)).collect(),
            None => here,
        });
    }
    Surface::Rows(dependent.unwrap_or_default())
}
