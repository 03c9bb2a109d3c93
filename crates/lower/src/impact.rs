//! What a jump of the velocities needs, as one tape, in the unknowns ξ of a form: v = E ξ + e₀.
//!
//! ```text
//! Λ = Eᵀ G E,      B v + b = (B E) ξ + (B e₀ + b),      G = ∂²L/∂v∂v
//! ```
//!
//! With multipliers E = 1. In a form whose frame spans the constraints these hold by construction, and so does the rolling of a ball that
//! runs into a wall: [CendraLacombaReartes2001, §4] in a frame.
//!
//! Inputs are those of all tapes (t, state, parameters). Outputs, with n unknowns:
//!
//! | part | numbers |
//! | --- | --- |
//! | Λ | row by row |
//! | rows | for each row its n coefficients and what is left at ξ = 0 |
//! | functions | one number each |
//! | velocities, momenta | v and G v in the base frame |
//!
//! Rows come in the order of the caller; with multipliers those of the representation (directions are unit vectors) are put before them.

use crate::expression::NotLowered;
use crate::program::{Stage, optimised};
use crate::state::Positions;
use polhode_base::ids::{ConstraintId, Id, RowId};
use polhode_expr::{Expr, Symbol};
use polhode_mechanics::{Equations, Form, Row, System};
use polhode_tape::Tape;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The tape of a jump, and where its outputs are.
#[derive(Clone, Debug)]
pub struct Impact {
    /// Inputs t, state, parameters.
    pub tape: Tape,
    /// Number of unknowns.
    pub n: usize,
    /// Rows that belong to the representation.
    pub representation: usize,
    /// All rows.
    pub rows: usize,
    /// The functions.
    pub functions: Range<usize>,
    /// The velocities in the base frame.
    pub velocities: Range<usize>,
    /// The momenta in the base frame.
    pub momenta: Range<usize>,
}

impl Impact {
    /// Where the coefficients of a row are; what is left at ξ = 0 follows them.
    pub fn row(&self, row: RowId) -> Range<usize> {
        let first = self.n * self.n + row.index() * (self.n + 1);
        first..first + self.n
    }

    /// The row of a constraint, where the rows of the caller begin with those of all constraints.
    pub fn row_of(&self, constraint: ConstraintId) -> RowId {
        RowId::new(self.representation + constraint.index())
    }

    /// The constraint of a row, in the same case; `None` for one of the representation.
    pub fn constraint_of(&self, row: RowId) -> Option<ConstraintId> {
        row.index().checked_sub(self.representation).map(ConstraintId::new)
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
    let (all, n) = (velocities.len(), equations.unknowns.len());
    let representation = if equations.form == Form::Multipliers { system.distribution.representation } else { 0 };
    let own: Vec<Row> = system.distribution.rows[..representation].to_vec();
    let mass = system.mass_matrix();
    let (frame, metric) = system.mass_on(equations);
    let g = &mut system.graph;
    let zero = g.zero();
    let at_rest: FxHashMap<Symbol, Expr> = equations.unknowns.iter().map(|s| (*s, zero)).collect();
    let drift = g.substitute_all(&equations.velocities, &at_rest);

    let mut outputs: Vec<Expr> = (0..n * n).map(|k| metric[(k / n, k % n)]).collect();
    for row in own.iter().chain(rows) {
        for j in 0..n {
            let terms: Vec<Expr> = (0..all).map(|a| g.mul(row.a[a], frame[(a, j)])).collect();
            outputs.push(g.sum(terms));
        }
        let mut terms: Vec<Expr> = row.a.iter().zip(&drift).map(|(a, v)| g.mul(*a, *v)).collect();
        terms.push(row.a0);
        outputs.push(g.sum(terms));
    }
    let first = outputs.len();
    outputs.extend_from_slice(functions);
    let v: Vec<Expr> = velocities.iter().map(|s| g.var(*s)).collect();
    outputs.extend_from_slice(&v);
    outputs.extend(mass.mul_vec(g, &v));

    let works = ["forces", "constraints", "friction", "time", "impacts"].map(|name| (name, zero));
    let positions = Positions::of(&system.configuration);
    let mut stage = Stage::new(system, equations, &positions, &works)?;
    for (k, e) in outputs.iter().enumerate() {
        let value = stage.l.value(*e)?;
        stage.l.builder.output(format!("impact.{}", k + 1), value);
    }
    let functions = first..first + functions.len();
    let velocities = functions.end..functions.end + all;
    let momenta = velocities.end..velocities.end + all;
    let rows = representation + rows.len();
    Ok(Impact { tape: optimised(stage), n, representation, rows, functions, velocities, momenta })
}
