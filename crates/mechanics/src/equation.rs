//! The frame equation: the one place where equations of motion come from.
//!
//! With l(q, ξ) = L(q, v) in a [`Frame`], for every field e_i of the frame
//!
//! ```text
//! d/dt π_i = e_i(l) + c_ji^k ξ^j π_k + ⟨F, e_i⟩ + λ_i,      π_i = ∂l/∂ξ^i          (H)
//! ```
//!
//! where j runs over the drift (ξ⁰ = 1) and the fields, k over all fields, and the
//! constraint force has components λ_a = 0 along D. The constraints ξ^α = 0 are put in
//! *after* the derivatives with respect to ξ are taken: the momenta π_α across D stay
//! in the equation through c_ja^α π_α. Putting the constraints into L first loses
//! exactly these terms ([`FrameEquation::wrong_on_purpose`] keeps that error for tests).
//!
//! On D everything else may be restricted before it is differentiated along D, since the
//! motion stays there: π_a = ∂l_c/∂ξ^a and e_i(l) = e_i(l_c) with l_c = l at ξ^α = 0.
//!
//! Source: \[Hamel1904\], [NeimarkFufaev1972, ch. III]; Voronets' (17) and (25) are the cases of
//! two particular frames, see `forms/`.

use crate::frame::{Frame, Leg};
use crate::system::System;
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol, solve_ldl};
use polhode_model::Configuration;
use rustc_hash::FxHashMap;

/// Forces with more nodes are not simplified before the solve.
const SIMPLIFIED_NODES: usize = 400;

/// Forces whose canonical form has more terms are not simplified before the solve.
const SIMPLIFIED_TERMS: usize = 150;

/// (H) for all fields of one frame, taken apart.
#[derive(Clone, Debug)]
pub struct FrameEquation {
    /// The frame.
    pub frame: Frame,
    /// l_c: the Lagrangian on D as a function of q, ξ^a, t.
    pub constrained: Expr,
    /// π_i on D.
    pub momenta: Vec<Expr>,
    /// ∂π_i/∂ξ^a: the mass matrix; its first k rows are that of D.
    pub mass: Matrix,
    /// d/dt π_i without the accelerations.
    pub momentum_drift: Vec<Expr>,
    /// e_i(l).
    pub lagrangian_force: Vec<Expr>,
    /// c_ji^k ξ^j π_k.
    pub gyroscopic: Vec<Expr>,
    /// ⟨F, e_i⟩.
    pub applied: Vec<Expr>,
    /// The non-zero structure functions: (i, j, components on the frame).
    pub brackets: Vec<(Leg, Leg, Vec<Expr>)>,
}

impl FrameEquation {
    /// Writes down (H) for a system in a frame.
    pub fn new(system: &mut System, frame: Frame) -> FrameEquation {
        let (n, k, time) = (frame.n(), frame.k, system.time);
        let configuration = system.configuration.clone();
        let base = system.momenta();
        let graph = &mut system.graph;
        let v = frame.velocities(graph);
        let on_d: FxHashMap<Symbol, Expr> = configuration.velocities().iter().copied().zip(v.iter().copied()).collect();
        let constrained = graph.substitute(system.lagrangian, &on_d);

        let momenta = momenta(graph, &frame, &base, constrained, &on_d);
        let mass = Matrix::from_fn(n, k, |i, a| graph.derivative(momenta[i], frame.xi[a]));

        let motion = configuration.motion_along(graph, time, &v);
        let momentum_drift = graph.along_all(&momenta, &motion);

        let legs: Vec<Rates> = (0..n).map(|i| frame.rates(graph, &configuration, time, Leg::Field(i))).collect();
        let lagrangian_force = legs.iter().map(|rates| graph.along(constrained, rates)).collect();

        let forces: Vec<Expr> = system.forces.iter().map(|f| graph.substitute(*f, &on_d)).collect();
        let applied = (0..n)
            .map(|i| {
                let work: Vec<Expr> = (0..n).map(|a| graph.mul(frame.e[(a, i)], forces[a])).collect();
                graph.sum(work)
            })
            .collect();

        let brackets = brackets(graph, &configuration, time, &frame);
        let gyroscopic = (0..n)
            .map(|i| {
                let mut parts = Vec::new();
                for (j, i2, c) in brackets.iter().filter(|(_, i2, _)| *i2 == Leg::Field(i)) {
                    debug_assert_eq!(*i2, Leg::Field(i));
                    let xi = frame.xi_of(graph, *j);
                    for d in 0..n {
                        if !graph.is_zero(c[d]) {
                            parts.push(graph.product([c[d], xi, momenta[d]]));
                        }
                    }
                }
                graph.sum(parts)
            })
            .collect();
        FrameEquation {
            frame,
            constrained,
            momenta,
            mass,
            momentum_drift,
            lagrangian_force,
            gyroscopic,
            applied,
            brackets,
        }
    }

    /// The right-hand side of (H) without the constraint force.
    pub fn rhs(&self, graph: &mut Graph, i: usize) -> Expr {
        graph.sum([self.lagrangian_force[i], self.gyroscopic[i], self.applied[i]])
    }

    /// (H) for the fields of D solved for ξ̇^a, by LDLᵀ on the graph.
    pub fn accelerations(&self, graph: &mut Graph) -> Vec<Expr> {
        let forces: Vec<Expr> = (0..self.frame.k).map(|a| self.rhs(graph, a)).collect();
        self.solve(graph, &forces)
    }

    /// The accelerations of the oldest error of the subject: the momenta across D are
    /// dropped, as if the constraints had been put into L before differentiating.
    pub fn wrong_on_purpose(&self, graph: &mut Graph) -> Vec<Expr> {
        let k = self.frame.k;
        let mut forces = Vec::with_capacity(k);
        for a in 0..k {
            let mut parts = vec![self.lagrangian_force[a], self.applied[a]];
            for (j, _, c) in self.brackets.iter().filter(|(_, i, _)| *i == Leg::Field(a)) {
                let xi = self.frame.xi_of(graph, *j);
                for d in 0..k {
                    parts.push(graph.product([c[d], xi, self.momenta[d]]));
                }
            }
            forces.push(graph.sum(parts));
        }
        self.solve(graph, &forces)
    }

    /// Entries are simplified before the elimination where that is cheap: cancelling early
    /// keeps everything that follows short.
    fn solve(&self, graph: &mut Graph, forces: &[Expr]) -> Vec<Expr> {
        let k = self.frame.k;
        let mut mass = Matrix::zeros(graph, k, k);
        for a in 0..k {
            for b in a..k {
                let entry = graph.simplify_small(self.mass[(a, b)]);
                mass[(a, b)] = entry;
                mass[(b, a)] = entry;
            }
        }
        let rhs = Matrix::from_fn(k, 1, |a, _| {
            let force = graph.sub(forces[a], self.momentum_drift[a]);
            graph.simplify_within(force, SIMPLIFIED_NODES, SIMPLIFIED_TERMS)
        });
        solve_ldl(graph, &mass, &rhs).col(0)
    }

    /// λ_α for the fields across D, given the accelerations ξ̇^a.
    pub fn constraint_forces(&self, graph: &mut Graph, xi_dot: &[Expr]) -> Vec<Expr> {
        (self.frame.k..self.frame.n())
            .map(|i| {
                let rhs = self.rhs(graph, i);
                let mut items = vec![(self.momentum_drift[i], int(1)), (rhs, int(-1))];
                for a in 0..self.frame.k {
                    items.push((graph.mul(self.mass[(i, a)], xi_dot[a]), int(1)));
                }
                graph.linear(items)
            })
            .collect()
    }

    /// The energy ξ^a π_a − l_c (which, for a frame without drift, is T + V).
    pub fn energy(&self, graph: &mut Graph) -> Expr {
        let mut items = vec![(self.constrained, int(-1))];
        for a in 0..self.frame.k {
            let xi = graph.var(self.frame.xi[a]);
            items.push((graph.mul(xi, self.momenta[a]), int(1)));
        }
        graph.linear(items)
    }
}

/// π_i on D: along D from l_c, across D from the momenta of the base frame.
fn momenta(
    graph: &mut Graph,
    frame: &Frame,
    base: &[Expr],
    constrained: Expr,
    on_d: &FxHashMap<Symbol, Expr>,
) -> Vec<Expr> {
    let along: Vec<Expr> = frame.xi.iter().map(|s| graph.derivative(constrained, *s)).collect();
    if frame.k == frame.n() {
        return along;
    }
    let base = graph.substitute_all(base, on_d);
    let across = (frame.k..frame.n()).map(|i| {
        let parts: Vec<Expr> = (0..frame.n()).map(|a| graph.mul(frame.e[(a, i)], base[a])).collect();
        graph.sum(parts)
    });
    let across: Vec<Expr> = across.collect();
    along.into_iter().chain(across).collect()
}

/// All non-zero brackets [e_j, e_i] with a moving leg e_j.
fn brackets(
    graph: &mut Graph,
    configuration: &Configuration,
    time: Symbol,
    frame: &Frame,
) -> Vec<(Leg, Leg, Vec<Expr>)> {
    let mut out = Vec::new();
    let zero = |graph: &Graph, c: &[Expr]| c.iter().all(|e| graph.is_zero(*e));
    for j in frame.moving_legs() {
        for i in (0..frame.n()).map(Leg::Field) {
            if i == j {
                continue;
            }
            // [e_j, e_i] = −[e_i, e_j] when both orders occur.
            let known =
                out.iter().find(|(a, b, _)| (*a, *b) == (i, j)).map(|(_, _, c): &(Leg, Leg, Vec<Expr>)| c.clone());
            let c = match known {
                Some(c) => c.iter().map(|e| graph.neg(*e)).collect(),
                None => {
                    let raw = frame.bracket(graph, configuration, time, j, i);
                    raw.into_iter().map(|e| graph.simplify_small(e)).collect::<Vec<_>>()
                }
            };
            if !zero(graph, &c) {
                out.push((j, i, c));
            }
        }
    }
    out
}
