//! Chaplygin's equations: Voronets' with the dependent coordinates cyclic.
//!
//! When neither L nor the forces nor the solved constraints q̇_{n+ν} = a_νi q̇_i + a_ν contain a
//! dependent coordinate q_{n+ν}, (17) closes on the others:
//!
//! ```text
//! d/dt Θ_{q̇_i} = Θ_{q_i} + Q_i + Σ_ν a_νi Q_{n+ν} + Σ_ν Σ_j K_ν (∂a_νi/∂q_j − ∂a_νj/∂q_i) q̇_j,
//! ```
//!
//! [Voronets1911, §6], where the double sum is misprinted as a single one. Chaplygin's constraints
//! are linear and free of t; drifts a_ν(q_i, t) and coefficients a_νi(q_i, t) only add the terms A_i^(ν) of
//! (17), which close as well, and are admitted.

use super::{Equations, Form, NotApplicable, in_quasi_velocities, voronets};
use crate::system::System;
use polhode_expr::{Expr, Symbol};

pub(super) fn equations(system: &mut System) -> Result<Equations, NotApplicable> {
    applies(system)?;
    let frame = voronets::frame(system);
    Ok(in_quasi_velocities(system, Form::Chaplygin, frame, Vec::new()))
}

/// Checks the hypotheses, naming the first that fails.
fn applies(system: &mut System) -> Result<(), NotApplicable> {
    let elimination = system.distribution.elimination.clone();
    if elimination.pivots.is_empty() {
        return Err(NotApplicable::NoConstraints);
    }
    let coordinates = dependent_coordinates(system)?;
    let entries: Vec<Expr> = elimination.solution.entries().to_vec();
    let forces = system.forces.clone();
    let lagrangian = system.lagrangian;
    for s in coordinates {
        let places = [
            ("the constraint coefficients", &entries[..]),
            ("the Lagrangian", &[lagrangian][..]),
            ("the forces", &forces[..]),
        ];
        for (place, expressions) in places {
            if expressions.iter().any(|e| depends(system, *e, s)) {
                return Err(NotApplicable::NotCyclic { coordinate: system.graph.name(s).to_string(), place });
            }
        }
    }
    Ok(())
}

/// The coordinates whose velocities are dependent.
fn dependent_coordinates(system: &System) -> Result<Vec<Symbol>, NotApplicable> {
    system
        .dependent_velocities()
        .into_iter()
        .map(|v| {
            let none = || NotApplicable::NotACoordinate(system.graph.name(v).to_string());
            system.configuration.coordinate_of(v).ok_or_else(none)
        })
        .collect()
}

/// Does the expression depend on the symbol, as a function?
fn depends(system: &mut System, e: Expr, s: Symbol) -> bool {
    if !system.graph.contains_any(e, &[s]) {
        return false;
    }
    let d = system.graph.derivative(e, s);
    !system.is_zero(d)
}
