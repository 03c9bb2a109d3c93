//! Energy and the power that changes it.
//!
//! ```text
//! E = v^A ∂L/∂v^A − L,      dE/dt = F_A v^A − μ_ν a₀_ν + r_A v^A|friction − ∂L/∂t            (E)
//! ```
//!
//! The constraint force r = Σ μ_ν A_ν does the work r·v = −Σ μ_ν a₀_ν: none for constraints that
//! are linear in the velocities, some for those that drive the system (a turntable, a
//! prescribed motion).

use crate::forms::Equations;
use crate::system::System;
use polhode_expr::Expr;
use polhode_expr::number::int;

/// The powers in (E), in terms of positions, velocities and the unknowns of a form.
/// One that vanishes identically is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Power {
    /// F_A v^A: applied forces.
    pub forces: Option<Expr>,
    /// −μ_ν a₀_ν: constraints that move.
    pub constraints: Option<Expr>,
    /// The dry friction that comes with reactions.
    pub friction: Option<Expr>,
    /// −∂L/∂t: a Lagrangian that depends on time.
    pub time: Option<Expr>,
}

impl Power {
    /// Is the energy conserved whatever the motion?
    pub fn is_zero(&self) -> bool {
        self.forces.is_none() && self.constraints.is_none() && self.friction.is_none() && self.time.is_none()
    }
}

impl System {
    /// E in terms of positions and velocities.
    pub fn energy(&mut self) -> Expr {
        let mut terms = vec![(self.lagrangian, int(-1))];
        for (p, v) in self.momenta().into_iter().zip(self.configuration.velocities()) {
            let v = self.graph.var(*v);
            terms.push((self.graph.mul(v, p), int(1)));
        }
        let energy = self.graph.linear(terms);
        self.graph.simplify_small(energy)
    }

    /// E = ξ^a ∂Θ/∂ξ^a − Θ in the unknowns of equations, from the Lagrangian on the constraints; `None` where these are affine in the velocities,
    /// and in forms without Θ.
    pub fn constrained_energy(&mut self, equations: &Equations) -> Option<Expr> {
        let theta = equations.constrained?;
        let graph = &mut self.graph;
        if !equations.frame.e0.iter().all(|e| graph.is_zero(*e)) {
            return None;
        }
        let mut terms = vec![(theta, int(-1))];
        for s in &equations.unknowns {
            let (slope, u) = (graph.derivative(theta, *s), graph.var(*s));
            terms.push((graph.mul(u, slope), int(1)));
        }
        Some(graph.linear(terms))
    }

    /// The powers in (E).
    pub fn power(&mut self, equations: &Equations) -> Power {
        let graph = &mut self.graph;
        let forces = (self.configuration.velocities().iter().zip(&self.forces))
            .map(|(v, f)| {
                let v = graph.var(*v);
                graph.mul(v, *f)
            })
            .collect::<Vec<_>>();
        let forces = graph.sum(forces);
        let d = &self.distribution;
        let driven = (equations.reactions.iter())
            .map(|r| (graph.mul(r.value, d.rows[d.representation + r.constraint].a0), int(-1)))
            .collect::<Vec<_>>();
        let constraints = graph.linear(driven);
        // what reactions do besides holding their rows
        let rubbing = match self.constraints.iter().any(|c| c.friction.is_some()) {
            false => graph.zero(),
            true => {
                let mut terms = Vec::new();
                for (a, (v, r)) in self.configuration.velocities().iter().zip(&equations.reaction_force).enumerate() {
                    let v = graph.var(*v);
                    terms.push((graph.mul(v, *r), int(1)));
                    for k in &equations.reactions {
                        let row = d.rows[d.representation + k.constraint].a[a];
                        terms.push((graph.product([v, k.value, row]), int(-1)));
                    }
                }
                graph.linear(terms)
            }
        };
        let slope = graph.derivative(self.lagrangian, self.time);
        let time = graph.neg(slope);
        let mut unless_zero = |e: Expr| (!self.is_zero(e)).then_some(e);
        Power {
            forces: unless_zero(forces),
            constraints: unless_zero(constraints),
            friction: unless_zero(rubbing),
            time: unless_zero(time),
        }
    }
}
