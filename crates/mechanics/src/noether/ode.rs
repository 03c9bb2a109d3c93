//! Linear integrals whose coefficients depend on one coordinate and solve a linear differential equation.
//!
//! ```text
//! f = Σ_j c_j(s) w_j,      df/dt = Σ_j c_j′ ṡ w_j + c_j ẇ_j = 0   for all states with this s          (T1)
//! ```
//!
//! are linear equations for (c′, c) at every s. Where they leave c free they have the form
//!
//! ```text
//! c′ = A(s) c :      as many integrals as there are c_j.                                           (T2)
//! ```
//!
//! So come the two integrals of the rolling disk, [CushmanEtAl1995, (35)–(36)]: constants of integration of a linear system in θ, linear in the
//! momenta, and momenta of no symmetry. A coefficient that goes with no other, c′ = a(s) c, is written down where it is a product of powers.
//!
//! Which c_j vanish is found from values in F_p at points with the same s; A is solved for on the graph, from as many coefficients of (T1) in the
//! quasi-velocities as there are unknowns.

use super::flow::Flow;
use super::linear::Tracked;
use super::powers::{collect, exponents, factors, product};
use super::sample::{Parameters, values};
use crate::system::System;
use polhode_expr::equal::{FieldPoint, NoValue};
use polhode_expr::field::{echelon, mul};
use polhode_expr::{Expr, Graph, Matrix, Reading, Symbol, eliminate};
use polhode_model::Kind;

/// Points beyond the number of unknowns.
const SPARE: usize = 4;

/// Points without a value that are passed over.
const MOST_UNLUCKY: u64 = 2000;

/// (T2): its solutions are the coefficients of integrals.
#[derive(Clone, Debug)]
pub struct LinearSystem {
    /// s.
    pub variable: Symbol,
    /// w_j.
    pub velocities: Vec<Expr>,
    /// A(s).
    pub matrix: Matrix,
}

/// The coordinates that can be s: those that the equations contain.
pub(crate) fn variables(system: &System, flow: &Flow) -> Vec<Symbol> {
    let used = system.graph.free_symbols(&flow.equations.rates);
    let factors = system.configuration.factors().iter();
    let scalar = factors.filter(|f| matches!(f.kind, Kind::Real | Kind::Angle | Kind::Interval(..)));
    scalar.map(|f| f.positions[0]).filter(|s| used.contains(s)).collect()
}

/// Values at points that share s and the parameters.
struct Slice {
    origin: FieldPoint,
    kept: Vec<Symbol>,
    seed: u64,
}

impl Slice {
    fn new(system: &mut System, s: Symbol, seed: u64) -> Slice {
        let parameters = Parameters::random(system, seed);
        let mut origin = FieldPoint::with_roots(&system.graph, seed);
        parameters.values.iter().for_each(|(p, v)| origin.set(*p, *v));
        let graph = &mut system.graph;
        let x = graph.var(s);
        let (sin, cos, exp) = (graph.sin(x), graph.cos(x), graph.exp(x));
        for e in [x, sin, cos, exp] {
            // drawn here, they are the same at every point of the slice
            let _ = origin.value(graph, e);
        }
        let kept = parameters.values.iter().map(|(p, _)| *p).chain([s]).collect();
        Slice { origin, kept, seed: seed << 32 }
    }

    fn rows(&mut self, system: &mut System, functions: &[Expr], count: usize) -> Option<Vec<Vec<u64>>> {
        let mut out = Vec::new();
        let mut unlucky = 0;
        while out.len() < count {
            self.seed += 1;
            let mut point = self.origin.sharing(&system.graph, &self.kept, self.seed);
            match values(system, &mut point, functions) {
                Ok(row) => out.push(row),
                Err(NoValue::Outside) => return None,
                Err(NoValue::Unlucky) => {
                    unlucky += 1;
                    if unlucky > MOST_UNLUCKY {
                        return None;
                    }
                }
            }
        }
        Some(out)
    }
}

/// (T2) for one coordinate, split into systems that do not depend on each other; empty when there are no such integrals.
pub(crate) fn systems(system: &mut System, flow: &Flow, s: Symbol, velocities: &[Tracked]) -> Vec<LinearSystem> {
    systems_of(system, flow, s, velocities).unwrap_or_default()
}

fn systems_of(system: &mut System, flow: &Flow, s: Symbol, velocities: &[Tracked]) -> Option<Vec<LinearSystem>> {
    let x = system.graph.var(s);
    let speed = flow.rates_of(&mut system.graph, &[x])[0];
    let mut slice = Slice::new(system, s, 83);
    let kept = free_coefficients(system, &mut slice, speed, velocities)?;
    let w: Vec<Tracked> = kept.into_iter().map(|j| velocities[j]).collect();
    let matrix = solved(system, flow, speed, s, &w)?;
    let mut out = Vec::new();
    let mut left: Vec<usize> = (0..w.len()).collect();
    while let Some(&first) = left.first() {
        let mut block = vec![first];
        let mut at = 0;
        while at < block.len() {
            let j = block[at];
            let tied = |i: usize| !system.graph.is_zero(matrix[(i, j)]) || !system.graph.is_zero(matrix[(j, i)]);
            let more: Vec<usize> = left.iter().copied().filter(|i| !block.contains(i) && tied(*i)).collect();
            block.extend(more);
            at += 1;
        }
        left.retain(|i| !block.contains(i));
        block.sort();
        out.push(LinearSystem {
            variable: s,
            velocities: block.iter().map(|j| w[*j].shown).collect(),
            matrix: matrix.select(&block, &block),
        });
    }
    Some(out)
}

/// The velocities whose coefficients (T1) leaves free, independent over functions of s; `None` when there are none, or when they
/// are tied to each other by relations without derivatives.
fn free_coefficients(system: &mut System, slice: &mut Slice, speed: Expr, w: &[Tracked]) -> Option<Vec<usize>> {
    let functions: Vec<Expr> = w.iter().flat_map(|t| [t.on_d, t.rate]).chain([speed]).collect();
    let rows = slice.rows(system, &functions, 2 * w.len() + SPARE)?;
    let n = w.len();
    let values = rows.iter().map(|r| (0..n).map(|j| r[2 * j]).collect()).collect();
    let mut kept = echelon(values, n).pivots;
    loop {
        let m = kept.len();
        let matrix = rows.iter().map(|r| {
            let carried = kept.iter().map(|j| mul(r[2 * n], r[2 * j]));
            carried.chain(kept.iter().map(|j| r[2 * j + 1])).collect()
        });
        let null = echelon(matrix.collect(), 2 * m).null_space();
        let free: Vec<usize> = (0..m).filter(|j| null.iter().any(|v| v[m + j] != 0)).map(|j| kept[j]).collect();
        if free.is_empty() {
            return None;
        }
        if free.len() == m {
            return (null.len() == m).then_some(free);
        }
        kept = free;
    }
}

/// A(s) from coefficients of (T1) in the quasi-velocities.
fn solved(system: &mut System, flow: &Flow, speed: Expr, s: Symbol, w: &[Tracked]) -> Option<Matrix> {
    let m = w.len();
    let graph = &mut system.graph;
    let carried: Vec<Expr> = w.iter().map(|t| graph.mul(speed, t.on_d)).collect();
    let all: Vec<Expr> = carried.into_iter().chain(w.iter().map(|t| t.rate)).collect();
    let rows = quadratic_coefficients(graph, &all, &flow.equations.unknowns);
    let a = Matrix::from_fn(rows.len(), m, |i, j| rows[i][j]);
    let b = Matrix::from_fn(rows.len(), m, |i, j| {
        let e = rows[i][m + j];
        graph.neg(e)
    });
    let size = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let mut zero = system.zero.clone();
    let solution = eliminate(&mut system.graph, &mut zero, &a, &b, size);
    system.zero = zero;
    if solution.pivots.len() < m {
        return None;
    }
    let reading = Reading { parameters: system.parameters.clone() };
    let mut out = Matrix::zeros(&system.graph, m, m);
    for (i, p) in solution.pivots.iter().enumerate() {
        for j in 0..m {
            let e = solution.solution[(i, j)];
            let e = if system.is_zero(e) { system.graph.zero() } else { system.graph.simplify(e, &reading) };
            let foreign = |t: &Symbol| *t != s && !system.parameters.contains(t);
            if system.graph.free_symbols(&[e]).iter().any(foreign) {
                return None;
            }
            out[(*p, j)] = e;
        }
    }
    Some(out)
}

/// The coefficients of functions that are quadratic in the symbols: constant, linear, quadratic.
fn quadratic_coefficients(graph: &mut Graph, functions: &[Expr], symbols: &[Symbol]) -> Vec<Vec<Expr>> {
    let at_rest = symbols.iter().map(|s| (*s, graph.zero())).collect();
    let mut out = vec![graph.substitute_all(functions, &at_rest)];
    for (a, s) in symbols.iter().enumerate() {
        let first: Vec<Expr> = functions.iter().map(|f| graph.derivative(*f, *s)).collect();
        for t in &symbols[a..] {
            let second: Vec<Expr> = first.iter().map(|f| graph.derivative(*f, *t)).collect();
            out.push(graph.substitute_all(&second, &at_rest));
        }
        out.push(graph.substitute_all(&first, &at_rest));
    }
    out.retain(|row| row.iter().any(|e| !graph.is_zero(*e)));
    out
}

impl LinearSystem {
    /// Number of integrals.
    pub fn order(&self) -> usize {
        self.velocities.len()
    }

    /// The equations for one coefficient that arise when all others vanish, where that is possible.
    pub(crate) fn singles(&self, system: &System) -> Vec<LinearSystem> {
        let m = self.order();
        let alone = |j: usize| (0..m).all(|i| i == j || system.graph.is_zero(self.matrix[(i, j)]));
        let single = |j: usize| LinearSystem {
            variable: self.variable,
            velocities: vec![self.velocities[j]],
            matrix: self.matrix.select(&[j], &[j]),
        };
        (0..m).filter(|j| alone(*j)).map(single).collect()
    }

    /// The integral in closed form, if the system is a single equation whose solution is a product of powers.
    pub(crate) fn closed_form(&self, system: &mut System) -> Option<Expr> {
        let [w] = self.velocities[..] else { return None };
        let a = self.matrix[(0, 0)];
        if system.graph.is_zero(a) {
            return Some(w);
        }
        let x = system.graph.var(self.variable);
        let (sin, cos) = (system.graph.sin(x), system.graph.cos(x));
        let mut bases = Vec::new();
        let more = factors(system, a, &[self.variable]);
        collect(&mut bases, more);
        collect(&mut bases, vec![x, sin, cos]);
        let graph = &mut system.graph;
        let columns: Vec<Vec<Expr>> = bases
            .iter()
            .map(|b| {
                let slope = graph.derivative(*b, self.variable);
                vec![graph.div(slope, *b)]
            })
            .collect();
        let powers = exponents(system, &columns, &[a])?;
        let rho = product(&mut system.graph, &bases, &powers);
        Some(system.graph.mul(rho, w))
    }
}

/// How many of these functions, independent of each other, are Σ c_j(s) w_j with the velocities of the system.
pub(crate) fn known(system: &mut System, flow: &Flow, found: &LinearSystem, functions: &[Expr]) -> Option<usize> {
    let mut slice = Slice::new(system, found.variable, 87);
    let w = flow.on_d(&mut system.graph, &found.velocities);
    let m = w.len();
    let columns: Vec<Expr> = w.into_iter().chain(functions.iter().copied()).collect();
    let rows = slice.rows(system, &columns, columns.len() + SPARE)?;
    let null = echelon(rows, columns.len()).null_space();
    // functions in the span, as vectors of coefficients at this s
    let inside = null.into_iter().filter(|v| v[m..].iter().filter(|x| **x != 0).count() == 1);
    let vectors: Vec<Vec<u64>> = inside.map(|v| v[..m].to_vec()).collect();
    Some(echelon(vectors, m).pivots.len())
}
