//! What a jump of the velocities needs, as one tape.
//!
//! Inputs are those of all tapes (t, state, parameters). Outputs, with n velocities in the base frame:
//!
//! | part | numbers |
//! | --- | --- |
//! | `metric` | ∂²L/∂v^A∂v^B, row by row |
//! | `rows` | for each row its n coefficients and what is left at v = 0 |
//! | `functions` | one number each |
//!
//! Rows come in the order of the caller: those of the representation (directions are unit vectors) are put before them.

use crate::expression::NotLowered;
use crate::program::{Stage, optimised};
use crate::state::Positions;
use polhode_expr::Expr;
use polhode_mechanics::{Equations, Row, System};
use polhode_tape::Tape;
use std::ops::Range;

/// The tape of a jump, and where its outputs are.
#[derive(Clone, Debug)]
pub struct Impact {
    /// Inputs t, state, parameters.
    pub tape: Tape,
    /// Number of velocities.
    pub n: usize,
    /// Rows that belong to the representation.
    pub representation: usize,
    /// All rows.
    pub rows: usize,
    /// The functions.
    pub functions: Range<usize>,
}

impl Impact {
    /// Where the coefficients of a row are; what is left at v = 0 follows them.
    pub fn row(&self, k: usize) -> Range<usize> {
        let first = self.n * self.n + k * (self.n + 1);
        first..first + self.n
    }
}

/// Lowers the metric, the rows of the representation and further ones, and functions of time and state, for states of the form of
/// `equations` with all works.
pub fn lower_impact(
    system: &mut System,
    equations: &Equations,
    rows: &[Row],
    functions: &[Expr],
) -> Result<Impact, NotLowered> {
    let velocities = system.configuration.velocities().to_vec();
    let n = velocities.len();
    let mut metric = Vec::with_capacity(n * n);
    for a in &velocities {
        let slope = system.graph.derivative(system.lagrangian, *a);
        metric.extend(velocities.iter().map(|b| system.graph.derivative(slope, *b)).collect::<Vec<_>>());
    }
    let zero = system.graph.zero();
    let works = ["forces", "constraints", "time", "impacts"].map(|name| (name, zero));
    let positions = Positions::of(&system.configuration);
    let d = &system.distribution;
    let representation = d.representation;
    let all: Vec<Expr> = (d.rows[..representation].iter().chain(rows))
        .flat_map(|r| r.a.iter().copied().chain([r.a0]))
        .chain(functions.iter().copied())
        .collect();
    let mut stage = Stage::new(system, equations, &positions, &works)?;
    for (k, e) in metric.iter().chain(&all).enumerate() {
        let value = stage.l.value(*e)?;
        stage.l.builder.output(format!("impact.{}", k + 1), value);
    }
    let rows = representation + rows.len();
    let first = n * n + rows * (n + 1);
    Ok(Impact { tape: optimised(stage), n, representation, rows, functions: first..first + functions.len() })
}
