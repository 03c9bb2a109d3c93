//! Back to the constraints, by the shortest way in the kinetic metric.
//!
//! A velocity v that violates A v + a₀ = 0 is replaced by the nearest one that does not,
//!
//! ```text
//! v⁺ = argmin ½ (v⁺ − v)ᵀ M (v⁺ − v),  A v⁺ = −a₀:      M v⁺ = M v + Aᵀλ,
//! ```
//!
//! and a position off h(q, t) = 0 is moved by one Newton step δ of the same kind,
//!
//! ```text
//! δ = argmin ½ δᵀ M δ,  A_ν δ = −h_ν for the rows that come from h,  A_ν δ = 0 for the others.
//! ```
//!
//! Both are the linear system of the multiplier form with other right-hand sides.

use crate::forms::saddle_point;
use crate::system::System;
use polhode_expr::{Expr, Matrix, Symbol};
use rustc_hash::FxHashMap;

/// What restores the constraints, in terms of positions and velocities.
#[derive(Clone, Debug)]
pub struct Restoration {
    /// v⁺ for each velocity.
    pub velocities: Vec<Expr>,
    /// δ for each velocity: the way to go along the base frame; `None` without holonomic constraints.
    pub shift: Option<Vec<Expr>>,
}

impl System {
    /// ∂²L/∂v∂v.
    pub(crate) fn base_mass(&mut self) -> Matrix {
        let velocities = self.configuration.velocities().to_vec();
        let slopes: Vec<Expr> = velocities.iter().map(|s| self.graph.derivative(self.lagrangian, *s)).collect();
        Matrix::from_fn(slopes.len(), slopes.len(), |i, j| self.graph.derivative(slopes[i], velocities[j]))
    }

    /// −a₀ of the independent rows.
    fn drifts(&mut self) -> Vec<Expr> {
        let d = &self.distribution;
        d.elimination.rows.iter().map(|r| self.graph.neg(d.rows[*r].a0)).collect()
    }

    /// The admissible velocity of a momentum that is known up to constraint covectors:
    /// M v = p − p₀ + Aᵀλ, A v = −a₀, with p₀ the momentum at rest.
    pub fn velocities_of_momenta(&mut self, momenta: &[Expr]) -> Vec<Expr> {
        let mass = self.base_mass();
        let velocities = self.configuration.velocities().to_vec();
        let at_rest: FxHashMap<Symbol, Expr> = velocities.iter().map(|s| (*s, self.graph.zero())).collect();
        let relative = (velocities.iter().zip(momenta))
            .map(|(s, p)| {
                let slope = self.graph.derivative(self.lagrangian, *s);
                let offset = self.graph.substitute(slope, &at_rest);
                self.graph.sub(*p, offset)
            })
            .collect();
        let (rows, gamma) = (self.distribution.independent_rows(), self.drifts());
        saddle_point(&mut self.graph, &mut self.zero, &mass, &rows, relative, &gamma).0
    }

    /// The projections of the module head. `holonomic` are the functions h with the index of their constraint.
    pub fn restoration(&mut self, holonomic: &[(usize, Expr)]) -> Restoration {
        let d = self.distribution.clone();
        let rows = d.independent_rows();
        let v: Vec<Expr> = self.configuration.velocities().to_vec().iter().map(|s| self.graph.var(*s)).collect();
        let mass = self.base_mass();
        let momentum = mass.mul_vec(&mut self.graph, &v);
        let gamma = self.drifts();
        let restored = saddle_point(&mut self.graph, &mut self.zero, &mass, &rows, momentum, &gamma).0;

        let of = |row: &usize| {
            let constraint = row.checked_sub(d.representation)?;
            holonomic.iter().find(|(c, _)| *c == constraint).map(|(_, h)| *h)
        };
        let held: Vec<Option<Expr>> = d.elimination.rows.iter().map(of).collect();
        let shift = held.iter().any(Option::is_some).then(|| {
            let zero = self.graph.zero();
            let gamma: Vec<Expr> = held.iter().map(|h| h.map_or(zero, |h| self.graph.neg(h))).collect();
            saddle_point(&mut self.graph, &mut self.zero, &mass, &rows, vec![zero; v.len()], &gamma).0
        });
        Restoration { velocities: restored, shift }
    }
}
