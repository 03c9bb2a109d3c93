//! Coefficient functions: the space in which integrals are looked for.
//!
//! The atoms are the coordinates as the equations contain them: x itself, sin θ and cos θ where θ is an angle or stands in a sine, the
//! entries of rotations and unit vectors, exponentials. The functions are their monomials up to a degree; relations such as
//! sin² + cos² = 1 make some of them dependent, which are left out.

use super::budget::COMPARED_MONOMIALS;
use super::sample::{Parameters, Sampler};
use polhode_expr::field::echelon;
use polhode_expr::{Expr, Function, Node, Symbol};
use polhode_mechanics::system::System;
use rustc_hash::FxHashSet;

/// Points beyond the number of functions that are compared.
const SPARE: usize = 4;

/// A function of the position with its degree in the atoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coefficient {
    pub(crate) function: Expr,
    pub(crate) degree: usize,
}

/// The atoms of a system.
pub(crate) fn atoms(system: &mut System) -> Vec<Expr> {
    let rows = system.distribution.rows.clone();
    let mut roots = vec![system.lagrangian];
    roots.extend(system.forces.iter().copied());
    rows.iter().for_each(|r| roots.extend(r.a.iter().copied().chain([r.a0])));
    let plain = outside_of_functions(system, &roots);
    let mut inside: FxHashSet<Symbol> = FxHashSet::default();
    let mut exponentials = Vec::new();
    let velocities = system.configuration.velocities().to_vec();
    let graph = &mut system.graph;
    for e in graph.reachable(&roots) {
        match *graph.node(e) {
            Node::Call(Function::Sin | Function::Cos, a) => inside.extend(graph.free_symbols(&[a])),
            Node::Call(Function::Exp, a) if !graph.contains_any(a, &velocities) => exponentials.push(e),
            _ => {}
        }
    }
    let mut out = Vec::new();
    for factor in system.configuration.factors() {
        for s in &factor.positions {
            let x = graph.var(*s);
            let turns = factor.angle() == Some(*s) || inside.contains(s);
            if turns {
                let (sin, cos) = (graph.sin(x), graph.cos(x));
                out.extend([sin, cos]);
            }
            if !turns || plain.contains(s) {
                out.push(x);
            }
        }
    }
    out.extend(exponentials);
    out
}

/// Angles themselves: no coefficients of momenta, but parts of integrals that contain no velocity.
pub(crate) fn angles(system: &mut System) -> Vec<Expr> {
    let factors = system.configuration.factors().to_vec();
    let found = factors.iter().filter_map(|f| f.angle().or(f.interval().map(|i| i.coordinate)));
    found.map(|s| system.graph.var(s)).collect()
}

/// The symbols that occur in the expressions outside of sines, cosines and exponentials.
fn outside_of_functions(system: &System, roots: &[Expr]) -> FxHashSet<Symbol> {
    let (mut stack, mut seen, mut out) = (roots.to_vec(), FxHashSet::default(), FxHashSet::default());
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        match system.graph.node(e) {
            Node::Symbol(s) => {
                out.insert(*s);
            }
            Node::Call(Function::Sin | Function::Cos | Function::Exp, _) => {}
            _ => system.graph.for_each_operand(e, |o| stack.push(o)),
        }
    }
    out
}

/// Monomials of the atoms up to a degree that are linearly independent, the constant 1 first; of a lower degree where there would be more
/// than `most`.
///
/// The order is graded and lexicographic, which multiplication respects: where a monomial depends on earlier ones, so do its products with
/// atoms, and those of each degree come from those of the last that were kept.
pub(crate) fn monomials(system: &mut System, atoms: &[Expr], degree: usize, most: usize) -> Vec<Coefficient> {
    let mut out = vec![Coefficient { function: system.graph.one(), degree: 0 }];
    let mut last: Vec<(Expr, usize)> = vec![(system.graph.one(), 0)];
    for d in 1..=degree {
        let mut next = Vec::new();
        for (m, from) in &last {
            for (i, a) in atoms.iter().enumerate().skip(*from) {
                next.push((system.graph.mul(*m, *a), i));
            }
        }
        if out.len() + next.len() <= COMPARED_MONOMIALS {
            let all: Vec<Expr> = out.iter().map(|c| c.function).chain(next.iter().map(|(e, _)| *e)).collect();
            if let Some(first) = first_independent(system, &all) {
                next = first.into_iter().filter_map(|i| Some(next[i.checked_sub(out.len())?])).collect();
            }
        }
        if out.len() + next.len() > most {
            break;
        }
        out.extend(next.iter().map(|(function, _)| Coefficient { function: *function, degree: d }));
        last = next;
    }
    out
}

/// The functions that are no combinations of earlier ones with coefficients that depend on the parameters alone; `None` where they have no
/// values in F_p.
pub(crate) fn first_independent(system: &mut System, functions: &[Expr]) -> Option<Vec<usize>> {
    let parameters = Parameters::random(system, 31);
    let rows = Sampler::new(32).rows(system, &parameters, functions, functions.len() + SPARE)?;
    Some(echelon(rows, functions.len()).pivots)
}

/// Functions of position and velocity for a search by numbers, the simplest first and not many more than `most`: atoms, velocities, products
/// of two velocities, then all of these with coefficient functions. A relation between numbers is the better determined the fewer functions
/// come before it, and energies of free bodies are quadratic.
pub fn candidates(system: &mut System, degree: usize, most: usize) -> Vec<Expr> {
    let atoms = atoms(system);
    let symbols = system.configuration.velocities().to_vec();
    let n = symbols.len();
    let coefficients = monomials(system, &atoms, degree, (most / (n + 1)).max(1));
    let graph = &mut system.graph;
    let v: Vec<Expr> = symbols.iter().map(|s| graph.var(*s)).collect();
    let mut pairs = Vec::new();
    for (a, x) in v.iter().enumerate() {
        for y in &v[a..] {
            pairs.push(graph.mul(*x, *y));
        }
    }
    let mut out: Vec<Expr> = coefficients.iter().filter(|c| c.degree == 1).map(|c| c.function).collect();
    out.extend(v.iter().chain(&pairs).copied());
    out.extend(coefficients.iter().filter(|c| c.degree > 1).map(|c| c.function));
    for c in coefficients.iter().skip(1) {
        out.extend(v.iter().map(|v| graph.mul(c.function, *v)).collect::<Vec<_>>());
    }
    for c in coefficients.iter().skip(1) {
        let room = most.saturating_sub(out.len());
        out.extend(pairs.iter().take(room).map(|p| graph.mul(c.function, *p)).collect::<Vec<_>>());
    }
    out
}
