//! The Lagrange–d'Alembert–Poincaré equations in the shape of the papers.
//!
//! With the reduced Lagrangian ℓ(x, ẋ, v̄) in *all* vertical velocities v̄ (not only those of S), \[CendraLacombaReartes2001, Theorem 2.1\],
//!
//! ```text
//! vertical      D/Dt ∂ℓ/∂v̄ |_s̃ = ad*_v̄ ∂ℓ/∂v̄ |_s̃,      v̄ ∈ s̃
//! horizontal    ∂ᶜℓ/∂x − D/Dt ∂ℓ/∂ẋ = ⟨∂ℓ/∂v̄, i_ẋ B̃⟩.
//! ```
//!
//! This is the frame equation in the frame (h_α, v_i) of the whole of TQ, contracted with the fields of S and of H: the
//! constraint v̄ ∈ s̃ is put in after all derivatives, and is kept as an equation of its own. In the frame, B̃ is −[h, h] on
//! V, ad* comes from [v, v], and the covariant derivative from [h, v].

use super::Reduction;
use crate::equation::FrameEquation;
use crate::frame::Frame;
use crate::system::System;
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol, eliminate, inverse};
use polhode_model::Configuration;

/// One balance equation, d/dt momentum = lagrangian + bracket + force.
#[derive(Clone, Debug)]
pub struct PoincareEquation {
    /// The velocity that belongs to it.
    pub velocity: Symbol,
    /// ∂ℓ/∂ẋ^α, or ⟨∂ℓ/∂v̄, σ_a⟩.
    pub momentum: Expr,
    /// The rate d/dt ∂ℓ/∂ẋ^α, or ⟨d/dt ∂ℓ/∂v̄, σ_a⟩: with accelerations as symbols.
    pub rate: Expr,
    /// The derivative of ℓ along the field.
    pub lagrangian: Expr,
    /// The terms of curvature, covariant derivative and bracket.
    pub bracket: Expr,
    /// The applied force.
    pub force: Expr,
    /// rate − lagrangian − bracket − force, which vanishes on the motion.
    pub residual: Expr,
}

/// Reduced Lagrangian and equations in ẋ and v̄.
#[derive(Clone, Debug)]
pub struct Poincare {
    /// The frame (H, W, V) of TQ.
    pub frame: Frame,
    /// Number of horizontal fields.
    pub horizontal_count: usize,
    /// The symbols v̄^i.
    pub vertical_velocities: Vec<Symbol>,
    /// The accelerations that belong to the velocities of the frame.
    pub accelerations: Vec<Symbol>,
    /// ℓ(x, ẋ, v̄).
    pub lagrangian: Expr,
    /// ∂ℓ/∂v̄^i.
    pub momentum: Vec<Expr>,
    /// v̄^i on D as functions of the velocities of S (and of the drift).
    pub constraint: Vec<Expr>,
    /// The connection: A^i as a function of the velocities of the model.
    pub connection: Vec<Expr>,
    /// B(h_α, h_β) on the v_i, for α < β, where it does not vanish.
    pub curvature: Vec<(usize, usize, Vec<Expr>)>,
    /// [h_α, v_i] on the v_j, where it does not vanish.
    pub covariant: Vec<(usize, usize, Vec<Expr>)>,
    /// [v_i, v_j] on the v_k, for i < j, where it does not vanish.
    pub adjoint: Vec<(usize, usize, Vec<Expr>)>,
    /// The horizontal equations.
    pub horizontal: Vec<PoincareEquation>,
    /// The vertical equations: the momentum equation.
    pub vertical: Vec<PoincareEquation>,
}

impl Reduction {
    /// The equations in the shape of the papers.
    pub fn poincare(&self, system: &mut System) -> Poincare {
        let frame = self.whole_frame(system);
        let (n, h, g) = (frame.n(), self.horizontal.cols(), self.vertical.cols());
        let first = n - g;
        let velocities: Vec<Expr> =
            system.configuration.velocities().to_vec().iter().map(|s| system.graph.var(*s)).collect();
        let forms = frame.quasi_velocities(&mut system.graph, &velocities);
        let connection = forms[first..].iter().map(|e| system.graph.simplify_small(*e)).collect();

        let equation = FrameEquation::new(system, frame.clone());
        let accelerations: Vec<Symbol> =
            frame.xi.iter().map(|s| Configuration::acceleration(&mut system.graph, *s)).collect();
        let single = |system: &mut System, j: usize| {
            let graph = &mut system.graph;
            let mut items = vec![equation.momentum_drift[j]];
            for (a, s) in accelerations.iter().enumerate() {
                let acceleration = graph.var(*s);
                items.push(graph.mul(equation.mass[(j, a)], acceleration));
            }
            graph.sum(items)
        };
        let contracted = |system: &mut System, velocity: Symbol, shares: &[(usize, Expr)]| {
            let total = |system: &mut System, of: &mut dyn FnMut(&mut System, usize) -> Expr| {
                let parts: Vec<Expr> = shares
                    .iter()
                    .map(|(j, c)| {
                        let value = of(system, *j);
                        system.graph.mul(*c, value)
                    })
                    .collect();
                system.graph.sum(parts)
            };
            let momentum = total(system, &mut |_, j| equation.momenta[j]);
            let rate = total(system, &mut |s, j| single(s, j));
            let lagrangian = total(system, &mut |_, j| equation.lagrangian_force[j]);
            let bracket = total(system, &mut |_, j| equation.gyroscopic[j]);
            let force = total(system, &mut |_, j| equation.applied[j]);
            let residual =
                system.graph.linear(vec![(rate, int(1)), (lagrangian, int(-1)), (bracket, int(-1)), (force, int(-1))]);
            PoincareEquation { velocity, momentum, rate, lagrangian, bracket, force, residual }
        };
        let one = system.graph.one();
        let horizontal = (0..h).map(|j| contracted(system, frame.xi[j], &[(j, one)])).collect();
        let vertical = (0..self.sigma.cols())
            .map(|a| {
                let shares: Vec<(usize, Expr)> = (0..g)
                    .filter(|i| !system.graph.is_zero(self.sigma[(*i, a)]))
                    .map(|i| (first + i, self.sigma[(i, a)]))
                    .collect();
                contracted(system, self.frame.xi[h + a], &shares)
            })
            .collect();
        let constraint = self.vertical_velocities_on_d(system, &frame, first);
        let mut poincare = Poincare {
            vertical_velocities: frame.xi[first..].to_vec(),
            lagrangian: equation.constrained,
            momentum: equation.momenta[first..].to_vec(),
            horizontal_count: h,
            frame,
            accelerations,
            constraint,
            connection,
            curvature: Vec::new(),
            covariant: Vec::new(),
            adjoint: Vec::new(),
            horizontal,
            vertical,
        };
        poincare.brackets(system, h, first);
        poincare.adjoint = self.adjoint(system);
        poincare
    }

    /// (H, W, V) with names for all velocities.
    fn whole_frame(&self, system: &mut System) -> Frame {
        let blocks = [&self.horizontal, &self.forbidden, &self.vertical];
        let n = self.frame.n();
        let columns: Vec<Vec<Expr>> = blocks.iter().flat_map(|m| (0..m.cols()).map(|j| m.col(j))).collect();
        let e = Matrix::from_fn(n, n, |a, j| columns[j][a]);
        let beta = inverse(&mut system.graph, &mut system.zero, &e).expect("H, W, V span TQ");
        let beta = beta.map(|x| system.graph.simplify_small(x));
        let (h, w) = (self.horizontal.cols(), self.forbidden.cols());
        let mut xi = self.frame.xi[..h].to_vec();
        for j in h..n {
            let name = if j < h + w { format!("w[{}]", j - h + 1) } else { format!("vbar[{}]", j - h - w + 1) };
            xi.push(match super::unit_velocity(system, beta.row(j)) {
                Some(symbol) => symbol,
                None => system.derived_symbol(&name),
            });
        }
        let e0 = vec![system.graph.zero(); n];
        Frame { e, e0, beta, k: n, xi }
    }

    /// [v_i, v_j] on the v_k by elimination among the vertical fields alone: no connection has a part in it.
    fn adjoint(&self, system: &mut System) -> Vec<(usize, usize, Vec<Expr>)> {
        let (n, g) = (self.vertical.rows(), self.vertical.cols());
        let configuration = system.configuration.clone();
        let rates: Vec<Rates> =
            (0..g).map(|i| configuration.rates_along(&mut system.graph, &self.vertical.col(i))).collect();
        let pairs: Vec<(usize, usize)> = (0..g).flat_map(|i| (i + 1..g).map(move |j| (i, j))).collect();
        let mut columns = Vec::with_capacity(pairs.len());
        for (i, j) in &pairs {
            let bracket = crate::symmetry::bracket(&mut system.graph, &configuration, &rates[*i], &rates[*j]);
            columns.push(configuration.components_along(&mut system.graph, &bracket));
        }
        let right = Matrix::from_fn(n, pairs.len(), |a, c| columns[c][a]);
        let price = |graph: &Graph, _: usize, e: Expr| super::size_of(graph, e);
        let solved = eliminate(&mut system.graph, &mut system.zero, &self.vertical, &right, price);
        let mut out = Vec::new();
        for (c, (i, j)) in pairs.into_iter().enumerate() {
            let mut on_v = vec![system.graph.zero(); g];
            for (row, k) in solved.pivots.iter().enumerate() {
                let e = solved.solution[(row, solved.free.len() + c)];
                on_v[*k] = if system.is_zero(e) { system.graph.zero() } else { system.graph.simplify_small(e) };
            }
            if on_v.iter().any(|e| !system.graph.is_zero(*e)) {
                out.push((i, j, on_v));
            }
        }
        out
    }

    /// v̄ on D: the vertical components of the admissible velocity.
    fn vertical_velocities_on_d(&self, system: &mut System, whole: &Frame, first: usize) -> Vec<Expr> {
        let v = self.frame.velocities(&mut system.graph);
        let all = whole.quasi_velocities(&mut system.graph, &v);
        all[first..].iter().map(|e| system.graph.simplify_small(*e)).collect()
    }
}

impl Poincare {
    /// Those with a field of H.
    fn brackets(&mut self, system: &mut System, h: usize, first: usize) {
        let n = self.frame.n();
        for i in 0..n {
            for j in i + 1..n {
                let b_base = j < first;
                // fields of W do not move: their brackets are in no equation
                if i >= h || (b_base && j >= h) {
                    continue;
                }
                let on_v = Reduction::bracket(system, &self.frame, i, j)[first..].to_vec();
                if on_v.iter().all(|e| system.graph.is_zero(*e)) {
                    continue;
                }
                if b_base {
                    let b = on_v.iter().map(|e| system.graph.neg(*e)).collect();
                    self.curvature.push((i, j, b));
                } else {
                    self.covariant.push((i, j - first, on_v));
                }
            }
        }
    }
}
