//! The accelerations of a frame without its brackets.
//!
//! (H) of the base frame, M v̇ = f + Aᵀλ, contracted with the fields of D, where v = E ξ + e₀ and Eᵀ Aᵀ = 0:
//!
//! ```text
//! (Eᵀ M E) ξ̇ = Eᵀ (f − M (Ė ξ + ė₀)),      r = M v̇ − f = Aᵀλ
//! ```
//!
//! These are the equations of Maggi and Kane, [NeimarkFufaev1972, ch. III]. They say the same as (H) of the frame itself and read worse,
//! but contain no derivative of E but the one along the motion: where the fields are long, as for bodies that roll, they are
//! the shorter program.

use crate::equation::FrameEquation;
use crate::forms::{Equations, Form, multipliers_of};
use crate::frame::Frame;
use crate::system::System;
use polhode_expr::{Expr, Matrix, Symbol, solve_cofactors, solve_ldl};
use rustc_hash::FxHashMap;

/// The other way to the same numbers.
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
}
