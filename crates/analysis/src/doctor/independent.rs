//! Choices of independent velocities, and where they fail.
//!
//! k velocities are independent where the other n − k follow from the constraints,
//!
//! ```text
//! Δ = det ( independent rows of A ; the k chosen velocities ) ≠ 0.                           (1)
//! ```
//!
//! A is taken as written, so a factor common to a whole row is a factor of Δ.

use super::budget::{CHOICES_COMPARED, CHOICES_SHOWN};
use super::singular::combinations;
use super::variety::{Domain, Variety};
use polhode_expr::{AngleBasis, Expr, MAX_TERMS, Matrix, Reading, Ring, Symbol, Tree, determinant, print};
use polhode_mechanics::system::System;

/// k velocities and the determinant (1).
#[derive(Clone, Debug)]
pub struct Choice {
    /// Names of the velocities; quasi-velocities with their definitions.
    pub velocities: Vec<String>,
    /// Where it vanishes the choice fails.
    pub determinant: Expr,
    /// The same, readable; absent when too large.
    pub tree: Option<Tree>,
    /// The part of the determinant that can vanish: without numbers and parameters. Absent when that is nothing, or too large.
    pub failing: Option<Tree>,
    /// The determinant vanishes nowhere, at these values of the parameters.
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
    let values = system.model.parameter_values().unwrap_or_default();
    let global = match system.graph.evaluate_f64(determinant, &values) {
        Ok(x) => x != 0.0,
        Err(_) => tree.is_some() && vanishes_nowhere(system, determinant),
    };
    let failing = tree.as_ref().filter(|_| !global).map(|t| without_constants(t, &system.parameters));
    Choice { velocities, determinant, tree, failing, global }
}

/// Whether a function has no real zeros, as far as can be told.
pub(super) fn vanishes_nowhere(system: &mut System, e: Expr) -> bool {
    let domain = Domain::new(system);
    let graph = &mut system.graph;
    let Ok(mut ring) = Ring::new(graph, &[e], AngleBasis::Symbols, MAX_TERMS) else { return false };
    let Ok(fraction) = ring.fraction(graph, e) else { return false };
    let variety = Variety::new(graph, &ring, &domain);
    variety.components(&[fraction.numerator().clone()]).is_some_and(|parts| parts.is_empty())
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
    let sets = combinations(n, count).filter(|s| s.len() <= CHOICES_COMPARED && count > 0).unwrap_or_default();
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
    others.extend(quasi_velocities(system, &rows));
    let size = |c: &Choice| c.tree.as_ref().map_or(usize::MAX, Tree::operations);
    others.sort_by_key(|c| (!c.global, size(c)));
    others.truncate(CHOICES_SHOWN);
    (own, others)
}

/// The quasi-velocities of the system as a choice.
pub(super) fn chosen(system: &mut System) -> Option<Choice> {
    let rows = system.distribution.independent_rows();
    quasi_velocities(system, &rows)
}

/// The quasi-velocities of Hamel's form, those of the model or chosen free of denominators, unless they are plain velocities.
fn quasi_velocities(system: &mut System, rows: &Matrix) -> Option<Choice> {
    let n = system.configuration.velocities().len();
    let frame = system.hamel_frame().ok()?;
    if rows.rows() == 0 || frame.k + rows.rows() != n {
        return None;
    }
    let velocities = system.configuration.velocities().to_vec();
    let (mut names, mut plain) = (Vec::new(), true);
    for (i, u) in frame.xi.iter().enumerate() {
        if velocities.contains(u) {
            names.push(system.graph.name(*u).to_string());
            continue;
        }
        plain = false;
        let parts: Vec<Expr> = velocities
            .iter()
            .enumerate()
            .map(|(a, v)| {
                let v = system.graph.var(*v);
                system.graph.mul(frame.beta[(i, a)], v)
            })
            .collect();
        let sum = system.graph.sum(parts);
        let reading = Reading { parameters: system.parameters.clone() };
        let tree = system.graph.readable_or_stored(sum, &reading, 120)?;
        names.push(format!("{} = {}", system.graph.name(*u), print::ascii(&system.graph, &tree)));
    }
    if plain {
        return None;
    }
    let all =
        Matrix::from_fn(n, n, |i, j| if i < rows.rows() { rows[(i, j)] } else { frame.beta[(i - rows.rows(), j)] });
    let raw = determinant(&mut system.graph, &all);
    Some(choice(system, names, raw))
}
