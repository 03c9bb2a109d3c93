//! Momenta of symmetries.
//!
//! A symmetry Z (`symmetry.rs`) has the momentum J = ⟨∂L/∂v, Z⟩. It is constant when Z is admissible, that is in D, and no force
//! works on it; otherwise it may be or not:
//!
//! ```text
//! dJ/dt = λ_ν ⟨A_ν, Z⟩ + ⟨F, Z⟩.                                                        (S1)
//! ```

use super::flow::Flow;
use super::sample::{Parameters, Sampler};
use super::search::readable;
use super::test::{Answer, Outcome, decide, decide_at_values};
use polhode_expr::field::{Residue, echelon};
use polhode_expr::{Expr, Tree};
use polhode_mechanics::symmetry::Field;
use polhode_mechanics::system::System;

/// A symmetry and what becomes of its momentum.
#[derive(Clone, Debug)]
pub struct Momentum {
    /// The field.
    pub field: Field,
    /// Whether the model declares it.
    pub declared: bool,
    /// Does it keep Lagrangian, forces and constraints? (A field that the model declares may not.)
    pub symmetry: bool,
    /// Is it in D?
    pub admissible: bool,
    /// J.
    pub momentum: Expr,
    /// J, readable.
    pub tree: Option<Tree>,
    /// Is J constant? With dJ/dt if not.
    pub answer: Answer,
    /// dJ/dt, readable; absent where J is constant or too long.
    pub rate_tree: Option<Tree>,
}

/// J = ⟨∂L/∂v, Z⟩.
pub fn momentum(system: &mut System, field: &Field) -> Expr {
    let momenta = system.momenta();
    let graph = &mut system.graph;
    let parts: Vec<Expr> = momenta.iter().zip(&field.components).map(|(p, z)| graph.mul(*p, *z)).collect();
    graph.sum(parts)
}

/// Is the field in D?
pub fn is_admissible(system: &mut System, field: &Field) -> bool {
    let rows = system.distribution.rows.clone();
    rows.iter().all(|row| {
        let parts: Vec<Expr> = row.a.iter().zip(&field.components).map(|(a, z)| system.graph.mul(*a, *z)).collect();
        let along = system.graph.sum(parts);
        system.is_zero(along)
    })
}

/// The symmetries of the model, those it declares first, and what becomes of their momenta.
pub(crate) fn momenta(system: &mut System, flow: &Flow, at_values: bool) -> Vec<Momentum> {
    let model = system.model.clone();
    let mut all: Vec<Field> = model.symmetries.iter().filter_map(|g| Field::of(system, g)).collect();
    let declared = all.len();
    for field in system.suggested_symmetries() {
        if !spanned(system, &all, &field) {
            all.push(field);
        }
    }
    all.into_iter()
        .enumerate()
        .map(|(i, field)| {
            let declared = i < declared;
            let symmetry = !declared || system.changed_by(&field).is_none();
            let admissible = is_admissible(system, &field);
            let momentum = momentum(system, &field);
            let answer =
                if at_values { decide_at_values(system, flow, momentum) } else { decide(system, flow, momentum) };
            let tree = readable(system, momentum);
            let rate = flow.shown(system, answer.rate);
            let constant = answer.is_integral() || answer.outcome == Outcome::Trivial;
            let rate_tree = if constant { None } else { readable(system, rate) };
            Momentum { field, declared, symmetry, admissible, momentum, tree, answer, rate_tree }
        })
        .collect()
}

/// Is the field a combination of the others with constant coefficients?
fn spanned(system: &mut System, others: &[Field], field: &Field) -> bool {
    let n = field.components.len();
    let all: Vec<Expr> = others.iter().chain([field]).flat_map(|f| f.components.iter().copied()).collect();
    let parameters = Parameters::random(system, 97);
    let Some(rows) = Sampler::new(98).rows(system, &parameters, &all, others.len() + 3) else { return false };
    let matrix = rows
        .iter()
        .flat_map(|row| (0..n).map(move |a| row.iter().skip(a).step_by(n).copied().collect::<Vec<Residue>>()));
    !echelon(matrix.collect(), others.len() + 1).pivots.contains(&others.len())
}
