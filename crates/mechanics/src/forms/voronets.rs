//! Voronets' equations (17), rheonomic and with generalised forces.
//!
//! The constraints solved for the dependent velocities, [Voronets1911, (14)],
//!
//! ```text
//! q̇_{n+ν} = Σ_i a_νi q̇_i + a_ν,
//! ```
//!
//! give the frame e_i = ∂_i + a_νi ∂_{n+ν}, e_{n+ν} = ∂_{n+ν}, e_0 = ∂_t + a_ν ∂_{n+ν}. Its
//! brackets lie along the e_{n+ν} only, and they are Voronets' (15) up to order:
//!
//! ```text
//! [e_j, e_i] = A_ij^(ν) ∂_{n+ν},    A_ij^(ν) = e_j(a_νi) − e_i(a_νj),
//! [e_0, e_i] = A_i^(ν) ∂_{n+ν},     A_i^(ν)  = e_0(a_νi) − e_i(a_ν),
//! ```
//!
//! so (H) becomes, with Θ = T on the constraints and K_ν = ∂T/∂q̇_{n+ν} there, his (17):
//!
//! ```text
//! d/dt Θ_{q̇_i} = Θ_{q_i} + Q_i + Σ_ν a_νi (Θ_{q_{n+ν}} + Q_{n+ν}) + Σ_ν K_ν (Σ_j A_ij^(ν) q̇_j + A_i^(ν)).
//! ```
//!
//! Velocities of group factors (Ω on SO(3)) take part like any others.

use super::{Equations, Form, in_quasi_velocities};
use crate::frame::Frame;
use crate::system::System;
use polhode_expr::Matrix;

/// The frame that belongs to the solution (D2) of the constraints.
pub(super) fn frame(system: &mut System) -> Frame {
    let d = &system.distribution.elimination;
    let graph = &mut system.graph;
    let n = system.configuration.velocities().len();
    let k = d.free.len();
    let mut e = Matrix::zeros(graph, n, n);
    let mut beta = Matrix::zeros(graph, n, n);
    let mut e0 = vec![graph.zero(); n];
    let one = graph.one();
    for (a, &f) in d.free.iter().enumerate() {
        e[(f, a)] = one;
        beta[(a, f)] = one;
    }
    for (i, &p) in d.pivots.iter().enumerate() {
        e[(p, k + i)] = one;
        beta[(k + i, p)] = one;
        for (a, &f) in d.free.iter().enumerate() {
            e[(p, a)] = d.solution[(i, a)];
            beta[(k + i, f)] = graph.neg(d.solution[(i, a)]);
        }
        e0[p] = d.solution[(i, k)];
    }
    let xi = d.free.iter().map(|f| system.configuration.velocities()[*f]).collect();
    Frame { e, e0, beta, k, xi }
}

pub(super) fn equations(system: &mut System) -> Equations {
    let frame = frame(system);
    in_quasi_velocities(system, Form::Voronets, frame, Vec::new())
}
