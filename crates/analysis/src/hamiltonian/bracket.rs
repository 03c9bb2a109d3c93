//! The almost-Poisson bracket of functions on M, and what is missing to a Poisson bracket.
//!
//! ```text
//! {f, g} = ω_H(X_f, X_g) = ⟨df, X_g⟩,      ḟ = {f, E}                                                 (M5)
//! {q^A, π_a} = E_a^A,      {π_a, π_b} = −c_ab^k π_k
//! ```
//!
//! It is skew and a derivation, has rank 2k on the n + k dimensions of M, and its Jacobiator
//! J(f, g, h) = {f, {g, h}} + cyclic is a trivector. Its part along Q is the curvature of D, seen across D in the kinetic metric:
//!
//! ```text
//! J(·, π_a, π_b) = c_ab^α (e_α − ∂π_α/∂π_c e_c)   on functions of q,      J(q, q, ·) = 0,                (M6)
//! ```
//!
//! so J = 0 exactly when c_ab^α = 0, that is when the constraints are holonomic \[vanderSchaftMaschke1994\].

use super::distributional::Distributional;
use super::linear::{choices, dot, rank};
use polhode_expr::{Expr, Graph};
use polhode_mechanics::frame::Leg;
use polhode_mechanics::system::System;

/// The Jacobiator on the frame (e_i, ∂/∂π_a) of TM.
#[derive(Clone, Debug)]
pub struct Jacobiator {
    /// J(·, π_a, π_b) along Q for a < b: components on e_1 … e_n.
    pub curvature: Vec<((usize, usize), Vec<Expr>)>,
    /// J(π_a, π_b, π_c) for a < b < c.
    pub momenta: Vec<((usize, usize, usize), Expr)>,
    k: usize,
    n: usize,
}

impl Distributional {
    /// {f, g} of two functions on M, by (M5).
    pub fn bracket(&self, graph: &mut Graph, f: Expr, g: Expr) -> Expr {
        let field = self.hamiltonian_field(graph, g);
        self.derivative(graph, f, &field)
    }

    /// {f, {g, h}} + {g, {h, f}} + {h, {f, g}}.
    pub fn jacobiator_of(&self, graph: &mut Graph, f: Expr, g: Expr, h: Expr) -> Expr {
        let parts = [(f, g, h), (g, h, f), (h, f, g)].map(|(f, g, h)| {
            let inner = self.bracket(graph, g, h);
            self.bracket(graph, f, inner)
        });
        graph.sum(parts)
    }

    /// The rank of the bracket at a random point: that of {·, ·} on the differentials of H, where all of it lives.
    pub fn bracket_rank(&self, system: &mut System) -> Option<usize> {
        let size = 2 * self.k();
        let (zero, one) = (system.graph.zero(), system.graph.one());
        let fields: Vec<Vec<Expr>> = (0..size)
            .map(|i| {
                let unit: Vec<Expr> = (0..size).map(|j| if i == j { one } else { zero }).collect();
                self.sharp(&mut system.graph, &unit)
            })
            .collect();
        rank(system, &fields)
    }

    /// The Jacobiator by (M6) and, for three momenta, by its definition with {π_b, π_c} = −c_bc^k π_k.
    pub fn jacobiator(&self, system: &mut System) -> Jacobiator {
        let frame = &self.equation.frame;
        let (k, n) = (frame.k, frame.n());
        let graph = &mut system.graph;
        let mut curvature = Vec::new();
        for (a, b, c) in &self.equation.brackets {
            let (Leg::Field(a), Leg::Field(b)) = (*a, *b) else { continue };
            if a >= b || b >= k {
                continue;
            }
            let mut along: Vec<Expr> = vec![graph.zero(); n];
            for across in k..n {
                along[across] = c[across];
                // ∂π_α/∂π_c = m_αd m^dc
                let slopes = self.inverse_mass.mul_vec(graph, self.equation.mass.row(across));
                for (i, slope) in slopes.into_iter().enumerate() {
                    let part = graph.mul(c[across], slope);
                    along[i] = graph.sub(along[i], part);
                }
            }
            curvature.push(((a, b), along));
        }
        // {π_a, {π_b, π_c}} = ⟨d(c_bc^k π_k), X_a⟩ with X_a the field of π_a
        let p = self.momenta().to_vec();
        let fields: Vec<Vec<Expr>> = p.iter().map(|p| self.hamiltonian_field(graph, *p)).collect();
        let slopes: Vec<Vec<Expr>> = self.gyroscopic.entries().iter().map(|e| self.differential(graph, *e)).collect();
        let momenta = choices(k, 3).into_iter().map(|of| {
            let (a, b, c) = (of[0], of[1], of[2]);
            let parts = [(a, b, c), (b, c, a), (c, a, b)].map(|(a, b, c)| dot(graph, &slopes[b * k + c], &fields[a]));
            ((a, b, c), graph.sum(parts))
        });
        let momenta = momenta.collect();
        Jacobiator { curvature, momenta, k, n }
    }
}

impl Jacobiator {
    /// Does Jacobi's identity hold?
    pub fn vanishes(&self, system: &mut System) -> bool {
        let entries: Vec<Expr> =
            self.curvature.iter().flat_map(|(_, v)| v.clone()).chain(self.momenta.iter().map(|(_, e)| *e)).collect();
        entries.into_iter().all(|e| system.is_zero(e))
    }

    /// The rank of the trivector at a random point: the dimension of the span of all J(·, df, dg).
    pub fn rank(&self, system: &mut System) -> Option<usize> {
        let (k, n) = (self.k, self.n);
        let zero = system.graph.zero();
        let mut rows: Vec<Vec<Expr>> = Vec::new();
        // J(·, dπ_a, dπ_b) on (e_i, ∂/∂π_c), and J(·, θ^i, dπ_b), which is along the momenta only
        for c in choices(k, 2) {
            let mut row = vec![zero; n + k];
            row[..n].clone_from_slice(&self.along(zero, c[0], c[1]));
            for third in 0..k {
                row[n + third] = self.of_momenta(&mut system.graph, third, c[0], c[1]);
            }
            rows.push(row);
        }
        for i in 0..n {
            for b in 0..k {
                let mut row = vec![zero; n + k];
                for third in 0..k {
                    // J(π_third, θ^i, π_b) = J(θ^i, π_b, π_third)
                    row[n + third] = self.signed(&mut system.graph, i, b, third);
                }
                rows.push(row);
            }
        }
        rank(system, &rows)
    }

    fn along(&self, zero: Expr, a: usize, b: usize) -> Vec<Expr> {
        self.curvature.iter().find(|(c, _)| *c == (a, b)).map_or_else(|| vec![zero; self.n], |(_, v)| v.clone())
    }

    /// J(θ^i, π_a, π_b), skew in a and b.
    fn signed(&self, graph: &mut Graph, i: usize, a: usize, b: usize) -> Expr {
        let zero = graph.zero();
        if a <= b { self.along(zero, a, b)[i] } else { graph.neg(self.along(zero, b, a)[i]) }
    }

    /// J(π_a, π_b, π_c) with its sign.
    fn of_momenta(&self, graph: &mut Graph, a: usize, b: usize, c: usize) -> Expr {
        let mut order = [a, b, c];
        let mut odd = false;
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if order[i] > order[j] {
                order.swap(i, j);
                odd = !odd;
            }
        }
        let wanted = (order[0], order[1], order[2]);
        let value = self.momenta.iter().find(|(i, _)| *i == wanted).map_or(graph.zero(), |(_, e)| *e);
        if odd { graph.neg(value) } else { value }
    }

    /// The components of J(·, π_a, π_b) on the positions of the model: J(q^A, π_a, π_b).
    pub fn on_positions(&self, system: &mut System, d: &Distributional, a: usize, b: usize) -> Vec<Expr> {
        let components = (0..self.n).map(|i| self.signed(&mut system.graph, i, a, b)).collect::<Vec<_>>();
        let base = d.equation.frame.e.mul_vec(&mut system.graph, &components);
        let anchor = system.configuration.anchor(&mut system.graph);
        (0..anchor.rows()).map(|i| dot(&mut system.graph, anchor.row(i), &base)).collect()
    }
}
