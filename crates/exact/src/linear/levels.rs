//! Functions of the position that keep their values: holonomic constraints, written or in disguise.
//!
//! ```text
//! h = a q + f(others):           q = (h − f)/a          the height of a body that rolls on a plane
//! h = a (x² + y²) + f(others):   ρ = √((h − f)/a)        a surface of revolution that holds a point; a cylinder
//! ```
//!
//! with a number a. A level is the value of h, a constant of the motion with a letter of its own.

use polhode_analysis::doctor;
use polhode_analysis::noether::LinearSystem;
use polhode_expr::{Expr, Symbol};
use polhode_mechanics::System;

/// A function of the position that keeps its value, solved for a coordinate or for the distance from an axis.
pub(super) struct Level {
    pub(super) symbol: Symbol,
    pub(super) function: Expr,
    pub(super) coordinate: Symbol,
    pub(super) solved: Expr,
    /// Its value is zero, by a constraint as it is written.
    pub(super) vanishes: bool,
}

/// The levels of a system, for one of its linear systems.
pub(super) fn levels(system: &mut System, linear: &LinearSystem) -> Vec<Level> {
    let mut out: Vec<Level> = Vec::new();
    let factors = system.configuration.factors().to_vec();
    let pair = linear.turned();
    let free: Vec<Symbol> = (factors.iter())
        .flat_map(|f| f.line().into_iter().chain(f.translation().into_iter().flat_map(|t| t.place)))
        .filter(|s| *s != linear.variable && pair.is_none_or(|(_, p)| !p.contains(s)))
        .collect();
    let written: Vec<Expr> = system.constraints.iter().filter_map(|c| c.holonomic).collect();
    for integral in doctor::integrals(system) {
        let h = integral.expression;
        let taken = |s: Symbol| out.iter().any(|l| l.coordinate == s);
        let letter = format!("level[{}]", out.len() + 1);
        let found = match pair {
            Some((radius, pair)) if radius != linear.variable && !taken(radius) => {
                solved_for_distance(system, h, radius, pair, &letter)
            }
            _ => None,
        };
        let found = found.or_else(|| {
            let free: Vec<Symbol> = free.iter().copied().filter(|s| !taken(*s)).collect();
            solved_for_coordinate(system, h, &free, &letter)
        });
        let Some(mut level) = found else { continue };
        level.vanishes = written.contains(&h);
        out.push(level);
    }
    out
}

fn solved_for_coordinate(system: &mut System, h: Expr, free: &[Symbol], letter: &str) -> Option<Level> {
    let graph = &mut system.graph;
    let coordinate = free.iter().copied().find(|s| {
        let slope = graph.derivative(h, *s);
        graph.as_number(slope).is_some() && !graph.is_zero(slope)
    })?;
    let symbol = graph.symbol(letter);
    let slope = graph.derivative(h, coordinate);
    let at_zero = [(coordinate, graph.zero())].into_iter().collect();
    let rest = graph.substitute(h, &at_zero);
    let value = graph.var(symbol);
    let difference = graph.sub(value, rest);
    let solved = graph.div(difference, slope);
    Some(Level { symbol, function: h, coordinate, solved, vanishes: false })
}

fn solved_for_distance(system: &mut System, h: Expr, radius: Symbol, pair: [Symbol; 2], letter: &str) -> Option<Level> {
    let graph = &mut system.graph;
    // ½ ∂²h/∂x² = a
    let slope = graph.derivative(h, pair[0]);
    let second = graph.derivative(slope, pair[0]);
    let second = graph.simplify_small(second);
    let a = graph.as_number(second)?.clone() / polhode_expr::number::int(2);
    let a = graph.number(a);
    if graph.is_zero(a) {
        return None;
    }
    let at_zero = pair.iter().map(|s| (*s, graph.zero())).collect();
    let rest = graph.substitute(h, &at_zero);
    let squares = pair.map(|s| {
        let x = graph.var(s);
        graph.powi(x, 2)
    });
    let sum = graph.sum(squares);
    let part = graph.mul(a, sum);
    let difference = graph.sub(h, part);
    let difference = graph.sub(difference, rest);
    if !system.is_zero(difference) {
        return None;
    }
    let graph = &mut system.graph;
    let symbol = graph.symbol(letter);
    let value = graph.var(symbol);
    let difference = graph.sub(value, rest);
    let square = graph.div(difference, a);
    let solved = graph.sqrt(square);
    Some(Level { symbol, function: h, coordinate: radius, solved, vanishes: false })
}
