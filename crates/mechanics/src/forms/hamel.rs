//! Hamel's equations in quasi-velocities, [Voronets1911, (21)–(27)].
//!
//! Quasi-velocities u = Γ v + γ₀ for the motion and the constraint forms for the rest,
//!
//! ```text
//! ( Γ )       ( u − γ₀ )                  ( Γ )⁻¹
//! ( A ) v  =  (  −a₀   ) ,      E = β⁻¹ = ( A )   ,     e₀ = E (−γ₀, −a₀),
//! ```
//!
//! make an adapted frame: ξ^α = A v + a₀ vanishes on the motion. (Rows are taken without factors that
//! all their coefficients share; where there are none, the component of the constraint force on ξ^α is the multiplier itself.) Without quasi-velocities of the model's own,
//! u is chosen free of denominators: the independent velocity where the solved constraints
//! have none, otherwise the component of v along a polynomial basis of D (for a blade
//! x' sin θ = y' cos θ this is the forward speed x' cos θ + y' sin θ, good at every heading).

use super::{Equations, Form, NotApplicable, in_quasi_velocities};
use crate::distribution::affine_row;
use crate::frame::Frame;
use crate::system::System;
use polhode_expr::{Expr, Matrix, Symbol, inverse};

pub(super) fn equations(system: &mut System) -> Result<Equations, NotApplicable> {
    let frame = frame(system)?;
    Ok(in_quasi_velocities(system, Form::Hamel, frame, Vec::new()))
}

pub(super) fn frame(system: &mut System) -> Result<Frame, NotApplicable> {
    let k = system.distribution.k();
    if system.quasi_velocities.is_empty() {
        return Ok(own_choice(system));
    }
    let given = system.quasi_velocities.len();
    let wrong = NotApplicable::QuasiVelocities { needed: k, given };
    if given != k {
        return Err(wrong);
    }
    let velocities = system.configuration.velocities().to_vec();
    let (mut gamma, mut gamma0, mut xi) = (Vec::new(), Vec::new(), Vec::new());
    for (symbol, definition) in system.quasi_velocities.clone() {
        let row =
            affine_row(&mut system.graph, &mut system.zero, definition, &velocities).ok_or_else(|| wrong.clone())?;
        gamma.push(row.a);
        gamma0.push(row.a0);
        xi.push(symbol);
    }
    adapted(system, gamma, gamma0, xi).ok_or(wrong)
}

/// The frame of the forms Γ (with drift γ₀) and the independent constraint rows.
fn adapted(system: &mut System, gamma: Vec<Vec<Expr>>, gamma0: Vec<Expr>, xi: Vec<Symbol>) -> Option<Frame> {
    let (rows, drifts) = system.distribution.reduced_rows();
    let k = gamma.len();
    let n = system.configuration.velocities().len();
    let graph = &mut system.graph;
    let beta = Matrix::from_fn(n, n, |i, j| if i < k { gamma[i][j] } else { rows[(i - k, j)] });
    let e = inverse(graph, &mut system.zero, &beta)?;
    let drift: Vec<Expr> = gamma0.iter().chain(&drifts).map(|x| graph.neg(*x)).collect();
    let e0 = e.mul_vec(graph, &drift).into_iter().map(|x| graph.simplify_small(x)).collect();
    Some(Frame { e, e0, beta, k, xi })
}

/// Quasi-velocities for a model that names none; see the module head.
fn own_choice(system: &mut System) -> Frame {
    let d = system.distribution.elimination.clone();
    let n = system.configuration.velocities().len();
    let k = d.free.len();
    let mut unnamed = 0;
    let everywhere = system.distribution.solved_everywhere(&mut system.graph, &system.parameters);
    let (mut gamma, mut xi) = (Vec::new(), Vec::new());
    for (a, &f) in d.free.iter().enumerate() {
        let graph = &mut system.graph;
        let mut unit = vec![graph.zero(); n];
        unit[f] = graph.one();
        let mut field = unit.clone();
        for (i, &p) in d.pivots.iter().enumerate() {
            field[p] = d.solution[(i, a)];
        }
        let polynomial = if everywhere { unit.clone() } else { graph.primitive_vector(&field) };
        let regular = graph.free_symbols(&[polynomial[f]]).iter().all(|s| system.parameters.contains(s));
        if regular {
            gamma.push(unit);
            xi.push(system.configuration.velocities()[f]);
        } else {
            unnamed += 1;
            gamma.push(polynomial);
            xi.push(system.derived_symbol(&if k == 1 { "u".to_string() } else { format!("u[{unnamed}]") }));
        }
    }
    let gamma0 = vec![system.graph.zero(); k];
    match adapted(system, gamma, gamma0, xi) {
        Some(frame) => frame,
        None => super::voronets::frame(system),
    }
}
