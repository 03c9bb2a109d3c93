//! Moving frames of the configuration space, adapted to the constraints.
//!
//! ```text
//! v = E ξ + e₀,      ξ = β (v − e₀),      β = E⁻¹                            (F1)
//! [e_i, e_j] = c_ij^k e_k                                                     (F2)
//! ```
//!
//! The columns e_i of `E` are vector fields, written in the base frame b_A of the
//! [`Configuration`]. The first `k` span the distribution D, the others complete it, and
//! the drift e₀ (with e_0 = ∂_t + e₀ as its vector field on space-time) makes the
//! constraints read ξ^α = 0 even when they are affine or depend on time.
//!
//! With [b_A, b_B] = C^D_AB b_D the brackets are
//!
//! ```text
//! [e_i, e_j]^D = e_i(E_j^D) − e_j(E_i^D) + E_i^A E_j^B C^D_AB.               (F3)
//! ```

use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol};
use polhode_model::Configuration;

/// A vector field of a frame: one of its columns, or the drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leg {
    /// e_0 = ∂_t + e₀.
    Drift,
    /// e_i, counted from 0.
    Field(usize),
}

/// A frame of TQ whose first `k` fields span the admissible velocities.
#[derive(Clone, Debug)]
pub struct Frame {
    /// E: one column per field, in the base frame.
    pub e: Matrix,
    /// e₀: the drift.
    pub e0: Vec<Expr>,
    /// β = E⁻¹: one row per quasi-velocity.
    pub beta: Matrix,
    /// Rank of D.
    pub k: usize,
    /// The symbols ξ^1 … ξ^k.
    pub xi: Vec<Symbol>,
}

impl Frame {
    /// The base frame itself, with all velocities independent.
    pub fn base(graph: &Graph, configuration: &Configuration) -> Frame {
        let n = configuration.velocities().len();
        Frame {
            e: Matrix::identity(graph, n),
            e0: vec![graph.zero(); n],
            beta: Matrix::identity(graph, n),
            k: n,
            xi: configuration.velocities().to_vec(),
        }
    }

    /// Number of fields.
    pub fn n(&self) -> usize {
        self.e.cols()
    }

    /// The components of a leg in the base frame.
    pub fn components(&self, leg: Leg) -> Vec<Expr> {
        match leg {
            Leg::Drift => self.e0.clone(),
            Leg::Field(i) => self.e.col(i),
        }
    }

    /// The rates of positions (and of time, for the drift) along a leg.
    pub fn rates(&self, graph: &mut Graph, configuration: &Configuration, time: Symbol, leg: Leg) -> Rates {
        let components = self.components(leg);
        match leg {
            Leg::Drift => configuration.motion_along(graph, time, &components),
            Leg::Field(_) => configuration.rates_along(graph, &components),
        }
    }

    /// The legs with ξ ≠ 0 on D: the drift (ξ⁰ = 1) and the fields of D.
    pub fn moving_legs(&self) -> Vec<Leg> {
        std::iter::once(Leg::Drift).chain((0..self.k).map(Leg::Field)).collect()
    }

    /// ξ of a moving leg: 1 for the drift, otherwise its symbol.
    pub fn xi_of(&self, graph: &mut Graph, leg: Leg) -> Expr {
        match leg {
            Leg::Drift => graph.one(),
            Leg::Field(i) => graph.var(self.xi[i]),
        }
    }

    /// The velocities on D: v = Σ_a e_a ξ^a + e₀.
    pub fn velocities(&self, graph: &mut Graph) -> Vec<Expr> {
        let xi: Vec<Expr> = self.xi.iter().map(|s| graph.var(*s)).collect();
        (0..self.n())
            .map(|a| {
                let mut parts: Vec<Expr> = (0..self.k).map(|i| graph.mul(self.e[(a, i)], xi[i])).collect();
                parts.push(self.e0[a]);
                graph.sum(parts)
            })
            .collect()
    }

    /// The quasi-velocities ξ^1 … ξ^k as functions of the velocities.
    pub fn quasi_velocities(&self, graph: &mut Graph, velocities: &[Expr]) -> Vec<Expr> {
        let relative: Vec<Expr> = velocities.iter().zip(&self.e0).map(|(v, d)| graph.sub(*v, *d)).collect();
        (0..self.k)
            .map(|i| {
                let parts: Vec<Expr> = (0..self.n()).map(|a| graph.mul(self.beta[(i, a)], relative[a])).collect();
                graph.sum(parts)
            })
            .collect()
    }

    /// The structure functions c_ij^k of one pair of legs by (F3), as components on the frame.
    pub fn bracket(&self, graph: &mut Graph, configuration: &Configuration, time: Symbol, i: Leg, j: Leg) -> Vec<Expr> {
        let n = self.n();
        let (xi, xj) = (self.components(i), self.components(j));
        let (along_i, along_j) = (self.rates(graph, configuration, time, i), self.rates(graph, configuration, time, j));
        let (plus, minus) = (graph.along_all(&xj, &along_i), graph.along_all(&xi, &along_j));
        let mut parts: Vec<Vec<(Expr, _)>> = (0..n).map(|d| vec![(plus[d], int(1)), (minus[d], int(-1))]).collect();
        for &(a, b, d, c) in configuration.structure() {
            if !graph.is_zero(xi[a]) && !graph.is_zero(xj[b]) {
                parts[d].push((graph.mul(xi[a], xj[b]), int(c)));
            }
        }
        let in_base: Vec<Expr> = parts.into_iter().map(|p| graph.linear(p)).collect();
        if in_base.iter().all(|e| graph.is_zero(*e)) {
            return vec![graph.zero(); n];
        }
        self.beta.mul_vec(graph, &in_base)
    }
}
