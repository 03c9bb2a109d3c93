//! Reduced equations to integrate: unknowns and base close, the group follows.
//!
//! For this D needs an invariant frame, but not one that is split into H and S; the split may fail where the base has no global frame
//! (a ball over S²). The rows of the constraints are solved in the invariant frame itself, for columns whose determinant is
//! the same everywhere if there are such. The rates of its quasi-velocities are invariant functions. An invariant function has the same value all
//! along an orbit, so a factor that the group moves may be put to one place (zero, the identity) where no rate changes by it: this is
//! tested, exactly, factor by factor. What is left of the positions is the base.

use super::{NotReducible, Reduction, unit_velocity};
use crate::distribution::global_choice;
use crate::forms::{Equations, Form, in_quasi_velocities};
use crate::frame::Frame;
use crate::reduction::Connection;
use crate::system::System;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Matrix, Symbol, eliminate, inverse};
use polhode_model::{Factor, Interval};
use rustc_hash::FxHashMap;

impl System {
    /// Equations whose unknowns and base drive themselves, by the symmetry of the model or, if it states none, by what is found.
    pub fn closed_equations(&mut self) -> Result<Equations, NotReducible> {
        let reduction = if self.model.symmetries.is_empty() {
            self.reduction_by_found(Connection::Plain)?
        } else {
            let symmetry = self.symmetry().map_err(NotReducible::Refused)?;
            self.reduced_by(symmetry, Connection::Plain)?
        };
        Ok(reduction.closed(self))
    }
}

impl Reduction {
    /// The equations of motion with the rates of the unknowns as functions of the unknowns and of the base alone.
    pub fn closed(&self, system: &mut System) -> Equations {
        let frame = invariant_frame_of_d(system, &self.invariant);
        let mut equations = in_quasi_velocities(system, Form::Ldap, frame, Vec::new());
        let moved = super::invariant::moved(&self.symmetry);
        for factor in system.configuration.factors().to_vec() {
            if factor.positions.iter().any(|s| moved.contains(s))
                && let Some(put) = at_one_place(system, &factor, &equations.rates)
            {
                equations.rates = put;
            }
        }
        equations
    }
}

impl System {
    /// An expression without the factors of the configuration space that do not change its value, as invariant functions contain them: it is
    /// put to one place of each factor where that is the same function.
    pub fn narrowed(&mut self, e: Expr) -> Expr {
        let mut e = e;
        for factor in self.configuration.factors().to_vec() {
            if self.graph.contains_any(e, &factor.positions)
                && let Some(put) = at_one_place(self, &factor, &[e])
            {
                e = put[0];
            }
        }
        e
    }
}

/// The expressions with a factor put to one place, if none of them changes by it.
fn at_one_place(system: &mut System, factor: &Factor, of: &[Expr]) -> Option<Vec<Expr>> {
    let places = places(&mut system.graph, factor);
    if places.is_empty() {
        return None;
    }
    let put = system.graph.substitute_all(of, &places);
    let same = of.iter().zip(&put).all(|(e, put)| {
        let difference = system.graph.sub(*e, *put);
        system.is_zero(difference)
    });
    same.then(|| put.into_iter().map(|e| system.graph.simplify_small(e)).collect())
}

/// One place in a factor: zero, the identity, the middle of an interval, since its ends may be poles. Directions and points of contact have no place
/// of their own.
fn places(graph: &mut Graph, factor: &Factor) -> FxHashMap<Symbol, Expr> {
    let values: Vec<Expr> = match (factor.interval(), factor.origin()) {
        (Some(Interval { low, high, .. }), _) => {
            let sum = graph.add(low, high);
            vec![graph.scale(sum, &ratio(1, 2))]
        }
        (None, Some(origin)) if factor.direction().is_none() => origin.into_iter().map(|x| graph.int(x)).collect(),
        _ => Vec::new(),
    };
    factor.positions.iter().copied().zip(values).collect()
}

/// The frame of D (and across it) whose fields are combinations of invariant ones with invariant coefficients.
fn invariant_frame_of_d(system: &mut System, invariant: &Matrix) -> Frame {
    let (rows, drifts) = system.distribution.reduced_rows();
    let n = invariant.rows();
    let graph = &mut system.graph;
    let m = if rows.rows() == 0 { Matrix::zeros(graph, 0, n) } else { rows.mul(graph, invariant) };
    let m = m.map(|e| graph.simplify_small(e));
    let rhs = Matrix::from_fn(m.rows(), 1, |i, _| graph.neg(drifts[i]));
    let global = global_choice(graph, &m, &system.parameters);
    let parameters = system.parameters.clone();
    let price = |graph: &Graph, j: usize, e: Expr| {
        if global.as_ref().is_some_and(|columns| !columns.contains(&j)) {
            return usize::MAX;
        }
        let constant = graph.free_symbols(&[e]).iter().all(|s| parameters.contains(s));
        if constant { 0 } else { 1000 + graph.reachable(&[e]).len() }
    };
    let solved = eliminate(graph, &mut system.zero, &m, &rhs, price);
    let k = solved.free.len();
    let column = |graph: &mut Graph, a: usize, free: usize| {
        let mut parts = vec![invariant[(a, solved.free[free])]];
        for (i, p) in solved.pivots.iter().enumerate() {
            parts.push(graph.mul(solved.solution[(i, free)], invariant[(a, *p)]));
        }
        let sum = graph.sum(parts);
        graph.simplify_small(sum)
    };
    let e =
        Matrix::from_fn(n, n, |a, j| if j < k { column(graph, a, j) } else { invariant[(a, solved.pivots[j - k])] });
    let e0 = (0..n)
        .map(|a| {
            let parts: Vec<Expr> = solved
                .pivots
                .iter()
                .enumerate()
                .map(|(i, p)| graph.mul(solved.solution[(i, k)], invariant[(a, *p)]))
                .collect();
            let sum = graph.sum(parts);
            graph.simplify_small(sum)
        })
        .collect();
    let beta = inverse(graph, &mut system.zero, &e).expect("invariant fields are a frame");
    let beta = beta.map(|x| system.graph.simplify_small(x));
    let mut xi = Vec::with_capacity(k);
    for j in 0..k {
        xi.push(match unit_velocity(system, beta.row(j)) {
            Some(symbol) => symbol,
            None => system.derived_symbol(&format!("u[{}]", j + 1)),
        });
    }
    Frame { e, e0, beta, k, xi }
}
