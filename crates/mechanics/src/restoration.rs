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
//!
//! A body whose contact has come apart by rounding is turned by η about its point of contact c and shifted by s, both in its own axes: its
//! centre moves by R (s − η × c). A body with several contacts takes the mean.

use crate::forms::saddle_point;
use crate::system::System;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Symbol};
use polhode_geometry::linear;
use polhode_model::Contact;

/// What restores the constraints, in terms of positions and velocities.
#[derive(Clone, Debug)]
pub struct Restoration {
    /// v⁺ for each velocity.
    pub velocities: Vec<Expr>,
    /// δ for each velocity: the way to go along the base frame; `None` without holonomic constraints.
    pub shift: Option<Vec<Expr>>,
    /// What closes contacts that have come apart.
    pub closing: Closing,
}

/// How bodies are moved to where they touch.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// Rotations, by their first entry, with η.
    pub turns: Vec<(Symbol, [Expr; 3])>,
    /// Other positions, with what is added to them.
    pub shifts: Vec<(Symbol, Expr)>,
}

impl System {
    /// −a₀ of the independent rows.
    fn drifts(&mut self) -> Vec<Expr> {
        let d = &self.distribution;
        d.elimination.rows.iter().map(|r| self.graph.neg(d.rows[*r].a0)).collect()
    }

    /// The admissible velocity of a momentum that is known up to constraint covectors:
    /// M v = p − p₀ + Aᵀλ, A v = −a₀, with p₀ the momentum at rest.
    pub fn velocities_of_momenta(&mut self, momenta: &[Expr]) -> Vec<Expr> {
        let (mass, at_rest) = (self.mass_matrix(), self.momenta_at_rest());
        let relative = momenta.iter().zip(at_rest).map(|(p, offset)| self.graph.sub(*p, offset)).collect();
        let (rows, gamma) = (self.distribution.independent_rows(), self.drifts());
        saddle_point(&mut self.graph, &mut self.zero, &mass, &rows, relative, &gamma).0
    }

    /// The projections of the module head. `holonomic` are the functions h with the index of their constraint.
    pub fn restoration(&mut self, holonomic: &[(usize, Expr)]) -> Restoration {
        let d = self.distribution.clone();
        let rows = d.independent_rows();
        let v: Vec<Expr> = self.configuration.velocities().to_vec().iter().map(|s| self.graph.var(*s)).collect();
        let mass = self.mass_matrix();
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
        Restoration { velocities: restored, shift, closing: self.closing() }
    }

    fn closing(&mut self) -> Closing {
        let model = self.model.clone();
        let g = &mut self.graph;
        let mut out = Closing::default();
        let closed = |c: &&Contact| c.is_closed(&self.in_force);
        for contact in model.contacts.iter().filter(closed) {
            let side = &contact.sides[0];
            let several = model.contacts.iter().filter(closed).filter(|c| c.sides[0].owner == side.owner).count();
            let share = ratio(1, several as i64);
            let mut step = contact.correction.shift;
            if let Some(turn) = contact.correction.turn {
                let back = linear::cross(g, &turn, &side.point);
                step = linear::sub(g, &step, &back);
                if let Some(first) = g.as_symbol(side.rotation[0][0]) {
                    out.turns.push((first, turn.map(|e| g.scale(e, &share))));
                }
            }
            let moved = linear::mat_vec(g, &side.rotation, &step);
            for (place, e) in side.position.iter().zip(moved) {
                if let Some(place) = g.as_symbol(*place) {
                    out.shifts.push((place, g.scale(e, &share)));
                }
            }
            out.shifts.extend(contact.correction.points.iter().copied());
        }
        out
    }
}
