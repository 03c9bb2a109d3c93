//! What symbols stand for along a motion: accelerations, multipliers, directions of slip.
//!
//! Formulas of a model may speak of `x''` and of reactions. Accelerations are the rates of the velocities,
//!
//! ```text
//! v̇ = ∂v/∂ξ ξ̇ + ∂v/∂q q̇ + ∂v/∂t,
//! ```
//!
//! and multipliers are those of the equations. Where rows are redundant, Aᵀν = 0 for some ν ≠ 0, only μ + Nν is determined; the smallest one,
//! μ − N (NᵀN)⁻¹ Nᵀμ, stands for them all, and a function that depends on ν is not determined.

use crate::forms::Equations;
use crate::system::System;
use polhode_expr::{Expr, Matrix, Symbol, solve_ldl};
use polhode_model::Configuration;

impl System {
    /// The symbols of all accelerations with their values, if one of them occurs in the expressions.
    pub fn accelerations_in(&mut self, equations: &Equations, roots: &[Expr]) -> Vec<(Symbol, Expr)> {
        let velocities = self.configuration.velocities().to_vec();
        let symbols: Vec<Symbol> =
            velocities.iter().map(|v| Configuration::acceleration(&mut self.graph, *v)).collect();
        let used = self.graph.free_symbols(roots);
        if !symbols.iter().any(|s| used.contains(s)) {
            return Vec::new();
        }
        symbols.into_iter().zip(equations.velocity_rates(self)).collect()
    }

    /// What the multipliers and directions of slip in the expressions are, with these values for the reactions of the equations.
    pub fn multipliers_in(&mut self, equations: &Equations, reactions: &[Expr], roots: &[Expr]) -> Vec<(Symbol, Expr)> {
        let symbols = self.model.multipliers.clone();
        let used = self.graph.free_symbols(roots);
        let mut along = self.slip_directions();
        along.retain(|(s, _)| used.contains(s));
        if !used.iter().any(|s| symbols.contains(s)) {
            return along;
        }
        let zero = self.graph.zero();
        let place = |c: usize| equations.reactions.iter().position(|r| r.constraint == c);
        let mut all: Vec<Expr> =
            (0..self.constraint_names.len()).map(|c| place(c).map_or(zero, |k| reactions[k])).collect();
        let idle = self.idle_multipliers();
        if !idle.is_empty() {
            let g = &mut self.graph;
            let n = Matrix::from_fn(all.len(), idle.len(), |i, j| idle[j][i]);
            let across = n.transpose();
            let square = across.mul(g, &n);
            let along = across.mul_vec(g, &all);
            let share = solve_ldl(g, &square, &Matrix::from_fn(idle.len(), 1, |i, _| along[i])).col(0);
            let part = n.mul_vec(g, &share);
            all = all.iter().zip(part).map(|(x, y)| g.sub(*x, y)).collect();
        }
        symbols.iter().copied().zip(all).chain(along).collect()
    }

    /// Which expressions do not depend on how redundant constraints share their force.
    pub fn are_determined(&mut self, roots: &[Expr]) -> Vec<bool> {
        let symbols = self.model.multipliers.clone();
        let idle = self.idle_multipliers();
        let mut out = Vec::with_capacity(roots.len());
        for e in roots {
            out.push(idle.iter().all(|n| {
                let g = &mut self.graph;
                let terms: Vec<Expr> = symbols
                    .iter()
                    .zip(n)
                    .map(|(s, n)| {
                        let slope = g.derivative(*e, *s);
                        g.mul(slope, *n)
                    })
                    .collect();
                let change = g.sum(terms);
                self.is_zero(change)
            }));
        }
        out
    }
}
