//! The Hamiltonian form on D*: an almost-Poisson bracket and one function.
//!
//! With momenta p_a = ∂l_c/∂ξ^a along D and H = p_a ξ^a − l_c,
//!
//! ```text
//! {q^A, p_a} = E_a^A,      {p_a, p_b} = −c_ab^k π_k(q, p),
//! q̇^A = E_a^A ∂H/∂p_a + e₀^A,
//! ṗ_a = −e_a(H) + c_ja^k ξ^j π_k + ⟨F, e_a⟩,      ξ^a = ∂H/∂p_a,  ξ⁰ = 1,
//! ```
//!
//! where the momenta across D, π_α, are functions of q and p. The bracket satisfies the Jacobi
//! identity exactly when the constraints are holonomic [vanderSchaftMaschke1994]; this is the
//! coordinate form of (M, H, ω_H, E) of [CushmanEtAl1995, §2], whose objects are in `hamiltonian/`.

use super::{Balance, Equations, Form, Named, NotApplicable, definitions, reactions};
use crate::equation::FrameEquation;
use crate::frame::Leg;
use crate::system::System;
use polhode_expr::number::int;
use polhode_expr::{Expr, Matrix, Symbol, solve_ldl};
use rustc_hash::FxHashMap;

pub(super) fn equations(system: &mut System) -> Result<Equations, NotApplicable> {
    let frame = super::hamel::frame(system)?;
    let h = FrameEquation::new(system, frame);
    let (k, n) = (h.frame.k, h.frame.n());
    for entry in h.mass.entries() {
        let rates: Vec<Expr> = h.frame.xi.iter().map(|s| system.graph.derivative(*entry, *s)).collect();
        if rates.into_iter().any(|e| !system.is_zero(e)) {
            return Err(NotApplicable::NotQuadratic);
        }
    }
    let p: Vec<Symbol> = h.frame.xi.clone().into_iter().map(|s| momentum_symbol(system, s)).collect();

    // ξ(q, p) from p = m ξ + p₀
    let graph = &mut system.graph;
    let at_rest: FxHashMap<Symbol, Expr> = h.frame.xi.iter().map(|s| (*s, graph.zero())).collect();
    let all: Vec<usize> = (0..k).collect();
    let mass = h.mass.select(&all, &all);
    let relative = Matrix::from_fn(k, 1, |a, _| {
        let offset = graph.substitute(h.momenta[a], &at_rest);
        let pa = graph.var(p[a]);
        graph.sub(pa, offset)
    });
    let xi = solve_ldl(graph, &mass, &relative).col(0);
    let to_p: FxHashMap<Symbol, Expr> = h.frame.xi.iter().copied().zip(xi.iter().copied()).collect();

    let energy = h.energy(graph);
    let hamiltonian = graph.substitute(energy, &to_p);
    let momenta = graph.substitute_all(&h.momenta, &to_p);
    let slopes: Vec<Expr> = p.iter().map(|s| graph.derivative(hamiltonian, *s)).collect();

    let mut balance = Vec::new();
    let mut rates = Vec::new();
    for a in 0..k {
        let along = h.frame.rates(&mut system.graph, &system.configuration, system.time, Leg::Field(a));
        let graph = &mut system.graph;
        let push = graph.along(hamiltonian, &along);
        let lagrangian = graph.neg(push);
        let mut parts = Vec::new();
        for (j, _, c) in h.brackets.iter().filter(|(_, i, _)| *i == Leg::Field(a)) {
            let xi_j = match j {
                Leg::Drift => graph.one(),
                Leg::Field(b) => slopes[*b],
            };
            for d in 0..n {
                if !graph.is_zero(c[d]) {
                    let pi = if d < k { graph.var(p[d]) } else { momenta[d] };
                    parts.push(graph.product([c[d], xi_j, pi]));
                }
            }
        }
        let bracket = graph.sum(parts);
        let force = graph.substitute(h.applied[a], &to_p);
        rates.push(graph.sum([lagrangian, bracket, force]));
        let momentum = graph.var(p[a]);
        let constraint = graph.zero();
        balance.push(Balance { velocity: h.frame.xi[a], momentum, lagrangian, bracket, force, constraint });
    }

    let v = h.frame.velocities(&mut system.graph);
    let on_p: FxHashMap<Symbol, Expr> = h.frame.xi.iter().copied().zip(slopes.iter().copied()).collect();
    let velocities = system.graph.substitute_all(&v, &on_p);

    let xi_dot = quasi_accelerations(system, &p, &slopes, &velocities, &rates);
    let lambda = h.constraint_forces(&mut system.graph, &xi_dot);
    let lambda = system.graph.substitute_all(&lambda, &on_p);
    let (reactions, reaction_force) = reactions(system, &h.frame, &lambda);

    let mut named = vec![Named { name: "H".into(), value: hamiltonian }];
    named.extend(poisson_brackets(system, &h, &p, &momenta));
    let in_velocities: FxHashMap<Symbol, Expr> = {
        let vs: Vec<Expr> = system.configuration.velocities().to_vec().iter().map(|s| system.graph.var(*s)).collect();
        let values = h.frame.quasi_velocities(&mut system.graph, &vs);
        h.frame.xi.iter().copied().zip(values).collect()
    };
    let momenta_in_v = system.graph.substitute_all(&h.momenta[..k], &in_velocities);
    let mut defined: Vec<(Symbol, Expr)> = p.iter().copied().zip(momenta_in_v).collect();
    defined.extend(definitions(system, &h.frame));
    Ok(Equations {
        form: Form::Hamilton,
        frame: h.frame,
        unknowns: p,
        definitions: defined,
        velocities,
        constrained: None,
        named,
        balance,
        rates,
        reactions,
        reaction_force,
    })
}

/// p_θ for θ', p_u for u, p_Omega1 for Omega[1].
fn momentum_symbol(system: &mut System, xi: Symbol) -> Symbol {
    let name = format!("p_{}", system.graph.name(xi).trim_end_matches('\''));
    system.derived_symbol(&name)
}

/// ξ̇ along the Hamiltonian motion, for the reaction forces.
fn quasi_accelerations(
    system: &mut System,
    p: &[Symbol],
    slopes: &[Expr],
    velocities: &[Expr],
    rates: &[Expr],
) -> Vec<Expr> {
    let mut motion = system.configuration.motion_along(&mut system.graph, system.time, velocities);
    motion.extend(p.iter().copied().zip(rates.iter().copied()));
    system.graph.along_all(slopes, &motion)
}

/// The non-zero brackets {p_a, p_b} = −c_ab^k π_k with a < b.
fn poisson_brackets(system: &mut System, h: &FrameEquation, p: &[Symbol], momenta: &[Expr]) -> Vec<Named> {
    let k = h.frame.k;
    let mut out = Vec::new();
    for (a, b, c) in &h.brackets {
        let (Leg::Field(a), Leg::Field(b)) = (*a, *b) else { continue };
        if a >= b || b >= k {
            continue;
        }
        let graph = &mut system.graph;
        let mut items = Vec::new();
        for d in 0..h.frame.n() {
            let pi = if d < k { graph.var(p[d]) } else { momenta[d] };
            items.push((graph.mul(c[d], pi), int(-1)));
        }
        let value = graph.linear(items);
        let name = format!("{{{}, {}}}", graph.name(p[a]), graph.name(p[b]));
        out.push(Named { name, value });
    }
    out
}
