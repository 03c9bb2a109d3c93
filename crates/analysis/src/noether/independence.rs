//! Which integrals say something that others do not: ranks of differentials.
//!
//! A function F of others f_i has dF = Σ (∂F/∂f_i) df_i; so the rank of the differentials at a random point of D counts the
//! functions that are independent. For integrals linear in the velocities the rank over the linear ones and those
//! of the position alone, h, tells more: if it does not grow, then
//!
//! ```text
//! F = Σ b_i(h) f_i + b_0(h),                                                          (I1)
//! ```
//!
//! since F and the f_i are affine in the velocities. Such an F, and a constant, is no discovery.
//!
//! Integrals F_j = c^(j)(s)·w whose coefficients solve c′ = A(s) c are known at any one s₀: with c^(j)(s₀) the j-th unit vector
//!
//! ```text
//! dF_j = dw_j + Σ_k A_kj w_k ds   where s = s₀,                                          (I2)
//! ```
//!
//! so that their rank is found without a solution of the equation.

use super::flow::{Flow, directions};
use super::ode::LinearSystem;
use super::sample::{Parameters, Sampler};
use polhode_expr::field::echelon;
use polhode_expr::{Expr, Rates};
use polhode_mechanics::system::System;

/// A differential: its components along the base frame, the quasi-velocities and time.
pub(crate) type Differential = Vec<Expr>;

/// The directions in which functions on D are differentiated.
#[derive(Debug)]
pub(crate) struct Directions {
    rates: Vec<Rates>,
}

impl Directions {
    pub(crate) fn new(system: &mut System, flow: &Flow) -> Directions {
        let mut rates = directions(system);
        let time = system.time;
        for s in flow.equations.unknowns.iter().chain([&time]) {
            rates.push(std::iter::once((*s, system.graph.one())).collect());
        }
        Directions { rates }
    }

    /// df.
    pub(crate) fn differential(&self, system: &mut System, on_d: Expr) -> Differential {
        self.rates.iter().map(|d| system.graph.along(on_d, d)).collect()
    }

    /// (I2) for the integrals of a linear system.
    pub(crate) fn differentials_of(&self, system: &mut System, flow: &Flow, found: &LinearSystem) -> Vec<Differential> {
        let w = flow.on_d(&mut system.graph, &found.velocities);
        let matrix = found.matrix_on_the_position(system);
        let mut out: Vec<Differential> = w.iter().map(|w| self.differential(system, *w)).collect();
        for (i, d) in self.rates.iter().enumerate() {
            let ds = found.variable_along(system, d);
            for (j, differential) in out.iter_mut().enumerate() {
                let graph = &mut system.graph;
                let mut parts = vec![differential[i]];
                for (k, w) in w.iter().enumerate() {
                    parts.push(graph.product([matrix[(k, j)], *w, ds]));
                }
                differential[i] = graph.sum(parts);
            }
        }
        out
    }
}

/// The differentials that do not depend on the ones before them, at a random point; `None` when they have no values in F_p.
pub(crate) fn independent(
    system: &mut System,
    fixed: Option<&Parameters>,
    differentials: &[Differential],
) -> Option<Vec<usize>> {
    let all: Vec<Expr> = differentials.iter().flatten().copied().collect();
    let Some(first) = differentials.first() else { return Some(Vec::new()) };
    let n = first.len();
    let parameters = fixed.cloned().unwrap_or_else(|| Parameters::random(system, 111));
    let row = Sampler::new(112).rows(system, &parameters, &all, 1)?.remove(0);
    // transposed: a column per function
    let columns = (0..n).map(|i| row.iter().skip(i).step_by(n).copied().collect()).collect();
    Some(echelon(columns, differentials.len()).pivots)
}

/// Is an integral a function of others, for the values of the parameters that the model has? `None` when there are no values in F_p.
pub fn is_function_of(system: &mut System, flow: &Flow, others: &[Expr], f: Expr) -> Option<bool> {
    let parameters = Parameters::of_model(system)?;
    let directions = Directions::new(system, flow);
    let mut all = Vec::new();
    for f in others.iter().chain([&f]) {
        let on_d = flow.on_d(&mut system.graph, &[*f])[0];
        all.push(directions.differential(system, on_d));
    }
    let first = independent(system, Some(&parameters), &all)?;
    Some(!first.contains(&others.len()))
}
