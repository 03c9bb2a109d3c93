//! The same accelerations, written otherwise, for programs that are shorter.
//!
//! **Without brackets.** (H) of the base frame, M v̇ = f + Aᵀλ, contracted with the fields of D, where v = E ξ + e₀ and Eᵀ Aᵀ = 0:
//!
//! ```text
//! (Eᵀ M E) ξ̇ = Eᵀ (f − M (Ė ξ + ė₀)),      r = M v̇ − f = Aᵀλ
//! ```
//!
//! These are the equations of Maggi and Kane, [NeimarkFufaev1972, ch. III]. They say the same as (H) of the frame itself and read worse,
//! but contain no derivative of E but the one along the motion: where the fields are long, as for bodies that roll, they are
//! the shorter program.
//!
//! **From one balance.** The rate of a single unknown follows from its own balance of momentum and the rates of the others,
//!
//! ```text
//! ξ̇ⁱ = (Fᵢ − Σ_{j≠i} Mᵢⱼ ξ̇ʲ)/Mᵢᵢ,        Mᵢⱼ = ∂πᵢ/∂ξʲ,
//! ```
//!
//! which may be shorter than the solved one: the disk has ψ̈ = 5/3 θ̇φ̇ sin θ − φ̈ cos θ.
//!
//! Which of them is the shortest program is not decided here, but where programs are made.

use crate::equation::FrameEquation;
use crate::forms::{Equations, Form, multipliers_of};
use crate::frame::Frame;
use crate::system::System;
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Reading, Symbol, solve_cofactors, solve_ldl};
use polhode_model::Configuration;
use rustc_hash::FxHashMap;

/// Right-hand sides with more nodes are not simplified.
const SIMPLIFIED_NODES: usize = 600;

/// The way to the same numbers without brackets.
#[derive(Clone, Debug)]
pub struct Projected {
    /// ξ̇.
    pub rates: Vec<Expr>,
    /// The multipliers, in the order of the reactions of the equations.
    pub reactions: Vec<Expr>,
}

impl System {
    /// The rates and multipliers of equations in quasi-velocities by the module head; `None` for other forms.
    pub fn projected(&mut self, equations: &Equations) -> Option<Projected> {
        if matches!(equations.form, Form::Multipliers | Form::Hamilton) {
            return None;
        }
        let base = Frame::base(&self.graph, &self.configuration);
        let h = FrameEquation::new(self, base);
        let (n, k) = (h.frame.n(), equations.unknowns.len());
        let v = &equations.velocities;
        let on_d: FxHashMap<Symbol, Expr> =
            self.configuration.velocities().iter().copied().zip(v.iter().copied()).collect();
        let graph = &mut self.graph;
        let force: Vec<Expr> = (0..n)
            .map(|a| {
                let rhs = h.rhs(graph, a);
                let all = graph.sub(rhs, h.momentum_drift[a]);
                graph.substitute(all, &on_d)
            })
            .collect();
        let mass = h.mass.map(|e| graph.substitute(e, &on_d));
        let motion = self.configuration.motion_along(graph, self.time, v);
        let drift = graph.along_all(v, &motion);
        let pushed = mass.mul_vec(graph, &drift);
        let rest: Vec<Expr> = force.iter().zip(pushed).map(|(f, p)| graph.sub(*f, p)).collect();
        let fields = Matrix::from_fn(n, k, |a, i| equations.frame.e[(a, i)]);
        let across = fields.transpose();
        let spread = mass.mul(graph, &fields);
        let reduced = across.mul(graph, &spread);
        let rhs = across.mul_vec(graph, &rest);
        // a program for few unknowns is as long as its chain of divisions
        let rates = match k {
            2 | 3 => solve_cofactors(graph, &reduced, &rhs),
            _ => solve_ldl(graph, &reduced, &Matrix::from_fn(k, 1, |i, _| rhs[i])).col(0),
        };
        let pull = spread.mul_vec(graph, &rates);
        let reaction: Vec<Expr> = pull.iter().zip(&rest).map(|(p, f)| graph.sub(*p, *f)).collect();
        let reactions = multipliers_of(self, equations, &reaction);
        Some(Projected { rates, reactions })
    }

    /// The rates in readable form, unless they are too long for that.
    pub fn readable_rates(&mut self, equations: &Equations) -> Option<Vec<Expr>> {
        if self.graph.reachable(&equations.rates).len() > SIMPLIFIED_NODES {
            return None;
        }
        let reading = Reading::default();
        Some(equations.rates.iter().map(|e| self.graph.simplify(*e, &reading)).collect())
    }

    /// The rate of unknown i from its own balance, where Mᵢᵢ is constant. The rates of the others are symbols, and there is a list of those that occur.
    pub fn rate_from_balance(&mut self, equations: &Equations, i: usize) -> Option<(Expr, Vec<usize>)> {
        let unknowns = &equations.unknowns;
        let balance = (equations.balance.len() == unknowns.len()).then(|| &equations.balance[i])?;
        let graph = &mut self.graph;
        if !graph.is_zero(balance.constraint) {
            return None; // multipliers are no simpler
        }
        let mass: Vec<Expr> = unknowns.iter().map(|s| graph.derivative(balance.momentum, *s)).collect();
        let mass: Vec<Expr> = mass.into_iter().map(|m| graph.simplify_small(m)).collect();
        let others: Vec<usize> = (0..mass.len()).filter(|j| *j != i && !graph.is_zero(mass[*j])).collect();
        // a mass that varies may vanish where the solved rate is regular
        let is_constant = graph.free_symbols(&[mass[i]]).iter().all(|s| self.parameters.contains(s));
        if graph.is_zero(mass[i]) || !is_constant || others.is_empty() {
            return None;
        }
        let motion = self.configuration.motion_along(graph, self.time, &equations.velocities);
        let drift = graph.along(balance.momentum, &motion);
        let push = graph.sum([balance.lagrangian, balance.bracket, balance.force]);
        let force = graph.sub(push, drift);
        let ratio = |graph: &mut Graph, e: Expr| {
            let ratio = graph.div(e, mass[i]);
            graph.simplify(ratio, &Reading::default())
        };
        let mut items = vec![(ratio(graph, force), int(1))];
        for j in &others {
            let rate = Configuration::acceleration(graph, unknowns[*j]);
            let (part, rate) = (ratio(graph, mass[*j]), graph.var(rate));
            items.push((graph.mul(part, rate), int(-1)));
        }
        Some((graph.linear(items), others))
    }
}
