//! The constraint doctor: what can be said about the constraints before deriving anything.
//!
//! Rank and redundancy are decided exactly at a random point (see `polhode_expr::equal`); the
//! choice of independent velocities is good where the determinant of the solved block,
//!
//! ```text
//! det A[independent rows without common factors, dependent velocities],
//! ```
//!
//! does not vanish.

use crate::forms::{Form, NotApplicable};
use crate::system::System;
use polhode_expr::{Expr, Reading, Symbol, Tree, determinant};

/// What the doctor found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Dimension of the configuration space.
    pub dimension: usize,
    /// Number of constraints of the model.
    pub constraints: usize,
    /// How many of them are holonomic as written.
    pub holonomic: usize,
    /// Generic rank.
    pub rank: usize,
    /// Degrees of freedom: dimension less rank.
    pub degrees_of_freedom: usize,
    /// Some constraint has a part without velocities.
    pub affine: bool,
    /// Some constraint contains the time.
    pub rheonomic: bool,
    /// Names of constraints that follow from earlier ones.
    pub redundant: Vec<String>,
    /// Names of the independent velocities.
    pub independent: Vec<String>,
    /// Names of the dependent velocities.
    pub dependent: Vec<String>,
    /// Where this vanishes, the choice of independent velocities fails.
    pub determinant: Expr,
    /// The same, readable; absent when too large.
    pub determinant_tree: Option<Tree>,
    /// The part of the determinant that can vanish: without numbers and parameters.
    pub failing_tree: Option<Tree>,
    /// Whether Chaplygin's form applies, or why not.
    pub chaplygin: Result<(), NotApplicable>,
}

impl Report {
    /// Never singular: the determinant contains no coordinate.
    pub fn choice_is_global(&self, system: &System) -> bool {
        system.graph.free_symbols(&[self.determinant]).iter().all(|s| system.parameters.contains(s))
    }
}

/// A product without its sign and the factors that contain nothing but parameters.
fn without_constants(tree: &Tree, parameters: &[Symbol]) -> Tree {
    match tree {
        Tree::Neg(inner) => without_constants(inner, parameters),
        Tree::Quotient(over, _) => without_constants(over, parameters),
        Tree::Product(factors) => {
            let mut kept: Vec<Tree> = factors.iter().filter(|f| !f.contains_only(parameters)).cloned().collect();
            if kept.len() == 1 { kept.swap_remove(0) } else { Tree::Product(kept) }
        }
        other => other.clone(),
    }
}

/// Examines the constraints of a system.
pub fn examine(system: &mut System, holonomic: usize) -> Report {
    let d = system.distribution.clone();
    let m = d.representation;
    let names = |s: &System, v: Vec<Symbol>| v.iter().map(|x| s.graph.name(*x).to_string()).collect();
    let affine = d.is_affine(&mut system.graph, &mut system.zero);
    let rheonomic = d.rows.iter().any(|r| {
        r.a.iter().chain([&r.a0]).any(|e| {
            let rate = system.graph.derivative(*e, system.time);
            !system.zero.is_zero(&mut system.graph, rate)
        })
    });
    let (rows, _) = d.reduced_rows();
    let all: Vec<usize> = (0..rows.rows()).collect();
    let block = rows.select(&all, &d.elimination.pivots);
    let raw = determinant(&mut system.graph, &block);
    let reading = Reading { parameters: system.parameters.clone() };
    let tree = system.graph.readable_or_stored(raw, &reading, 200);
    let determinant = match &tree {
        Some(t) => t.to_expr(&mut system.graph),
        None => raw,
    };
    let redundant = d
        .elimination
        .dependent
        .iter()
        .filter_map(|i| i.checked_sub(m))
        .map(|c| system.constraint_names[c].clone())
        .collect();
    Report {
        dimension: system.configuration.dimension(),
        constraints: d.rows.len() - m,
        holonomic,
        rank: d.rank() - m,
        degrees_of_freedom: d.k(),
        affine,
        rheonomic,
        redundant,
        independent: names(system, system.independent_velocities()),
        dependent: names(system, system.dependent_velocities()),
        determinant,
        failing_tree: tree.as_ref().map(|t| without_constants(t, &system.parameters)),
        determinant_tree: tree,
        chaplygin: system.equations(Form::Chaplygin).map(|_| ()),
    }
}
