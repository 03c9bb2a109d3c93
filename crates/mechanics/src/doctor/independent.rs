//! Choices of independent velocities, and where they fail.
//!
//! k velocities are independent where the other n − k follow from the constraints,
//!
//! ```text
//! Δ = det ( independent rows of A ; the k chosen velocities ) ≠ 0.                           (1)
//! ```
//!
//! A is taken as written, so a factor common to a whole row is a factor of Δ.

use super::singular::combinations;
use crate::system::System;
use polhode_expr::{Expr, Matrix, Reading, Symbol, Tree, determinant};

/// Choices shown besides the one in use.
const MOST_CHOICES: usize = 12;

/// Choices looked at.
const MOST_LOOKED_AT: usize = 150;

/// k velocities and the determinant (1).
#[derive(Clone, Debug)]
pub struct Choice {
    /// Names of the velocities.
    pub velocities: Vec<String>,
    /// Where it vanishes the choice fails.
    pub determinant: Expr,
    /// The same, readable; absent when too large.
    pub tree: Option<Tree>,
    /// The part of the determinant that can vanish: without numbers and parameters. Absent when that is nothing, or too large.
    pub failing: Option<Tree>,
    /// The determinant contains no coordinate: the choice fails nowhere.
    pub global: bool,
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

fn choice(system: &mut System, velocities: Vec<String>, raw: Expr) -> Choice {
    let reading = Reading { parameters: system.parameters.clone() };
    let tree = system.graph.readable_or_stored(raw, &reading, 200);
    let determinant = match &tree {
        Some(t) => t.to_expr(&mut system.graph),
        None => raw,
    };
    let global = system.graph.free_symbols(&[determinant]).iter().all(|s| system.parameters.contains(s));
    let failing = tree.as_ref().filter(|_| !global).map(|t| without_constants(t, &system.parameters));
    Choice { velocities, determinant, tree, failing, global }
}

/// The choice in use, and the best of the others.
pub(super) fn choices(system: &mut System) -> (Choice, Vec<Choice>) {
    let d = system.distribution.clone();
    let rows = d.independent_rows();
    let n = system.configuration.velocities().len();
    let all: Vec<usize> = (0..rows.rows()).collect();
    let names = |system: &System, free: &[usize]| -> Vec<String> {
        free.iter().map(|j| system.graph.name(system.configuration.velocities()[*j]).to_string()).collect()
    };
    let block = rows.select(&all, &d.elimination.pivots);
    let raw = determinant(&mut system.graph, &block);
    let own_names = names(system, &d.elimination.free);
    let own = choice(system, own_names, raw);
    let mut others = Vec::new();
    let count = rows.rows();
    let sets = combinations(n, count).filter(|s| s.len() <= MOST_LOOKED_AT && count > 0).unwrap_or_default();
    for dependent in sets {
        let mut own_columns = d.elimination.pivots.clone();
        own_columns.sort();
        if dependent == own_columns {
            continue;
        }
        let raw = determinant(&mut system.graph, &rows.select(&all, &dependent));
        if system.is_zero(raw) {
            continue;
        }
        let free: Vec<usize> = (0..n).filter(|j| !dependent.contains(j)).collect();
        let velocities = names(system, &free);
        others.push(choice(system, velocities, raw));
    }
    let size = |c: &Choice| c.tree.as_ref().map_or(usize::MAX, Tree::operations);
    others.sort_by_key(|c| (!c.global, size(c)));
    others.truncate(MOST_CHOICES);
    if let Some(quasi) = quasi_velocities(system, &rows) {
        others.insert(0, quasi);
    }
    (own, others)
}

/// The quasi-velocities of the model, when they are as many as there are degrees of freedom.
fn quasi_velocities(system: &mut System, rows: &Matrix) -> Option<Choice> {
    let n = system.configuration.velocities().len();
    let definitions = system.quasi_velocities.clone();
    if definitions.is_empty() || definitions.len() + rows.rows() != n {
        return None;
    }
    let velocities = system.configuration.velocities().to_vec();
    let mut all: Vec<Vec<Expr>> = (0..rows.rows()).map(|i| rows.row(i).to_vec()).collect();
    for (_, e) in &definitions {
        all.push(velocities.iter().map(|v| system.graph.derivative(*e, *v)).collect());
    }
    let raw = determinant(&mut system.graph, &Matrix::from_rows(all));
    let names = definitions.iter().map(|(s, _)| system.graph.name(*s).to_string()).collect();
    Some(choice(system, names, raw))
}
