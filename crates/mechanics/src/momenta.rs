//! Momenta and masses in the base frame.
//!
//! ```text
//! p_A = ∂L/∂v^A,      M_AB = ∂²L/∂v^A∂v^B
//! ```
//!
//! Everything that is made of them asks the system, which derives them once: energies, the frame equation, projections, jumps. In the
//! frame of a form the mass matrix is Λ = Eᵀ M E with v = E ξ + e₀; [`FrameEquation`](crate::FrameEquation) has it on D, from the
//! Lagrangian that is restricted before it is differentiated, which is shorter.

use crate::forms::Equations;
use crate::system::System;
use polhode_expr::{Expr, Matrix};

/// p and M, with the Lagrangian that they belong to.
#[derive(Clone, Debug)]
pub(crate) struct Momenta {
    of: Expr,
    momenta: Vec<Expr>,
    mass: Matrix,
}

impl System {
    /// p_A for each velocity.
    pub fn momenta(&mut self) -> Vec<Expr> {
        self.derived_momenta().momenta.clone()
    }

    /// M in the base frame.
    pub fn mass_matrix(&mut self) -> Matrix {
        self.derived_momenta().mass.clone()
    }

    /// p_A without motion: what a gyroscope or a magnetic field adds to the momenta.
    pub fn momenta_at_rest(&mut self) -> Vec<Expr> {
        let momenta = self.momenta();
        let zero = self.graph.zero();
        let at_rest = self.configuration.velocities().iter().map(|v| (*v, zero)).collect();
        self.graph.substitute_all(&momenta, &at_rest)
    }

    /// E = ∂v/∂ξ of the unknowns of some equations, and Λ = Eᵀ M E.
    pub fn mass_on(&mut self, equations: &Equations) -> (Matrix, Matrix) {
        let mass = self.mass_matrix();
        let g = &mut self.graph;
        let (v, xi) = (&equations.velocities, &equations.unknowns);
        let fields = Matrix::from_fn(v.len(), xi.len(), |i, j| g.derivative(v[i], xi[j]));
        let heavy = mass.mul(g, &fields);
        let metric = fields.transpose().mul(g, &heavy);
        (fields, metric)
    }

    fn derived_momenta(&mut self) -> &Momenta {
        let of = self.lagrangian;
        if self.derived.as_ref().is_none_or(|d| d.of != of) {
            let velocities = self.configuration.velocities();
            let graph = &mut self.graph;
            let momenta: Vec<Expr> = velocities.iter().map(|v| graph.derivative(of, *v)).collect();
            let n = velocities.len();
            let mass = Matrix::from_fn(n, n, |i, j| graph.derivative(momenta[i], velocities[j]));
            self.derived = Some(Momenta { of, momenta, mass });
        }
        self.derived.as_ref().expect("derived above")
    }
}
