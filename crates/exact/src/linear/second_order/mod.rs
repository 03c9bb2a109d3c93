//! (L1) with two unknowns as one equation of second order, and as a Riccati equation.
//!
//! For an unknown y = e(s)·w,
//!
//! ```text
//! y′ = f·w + e·m,      f = e′ + Mᵀe,      h = f′ + Mᵀf = −P f − Q e
//! y″ + P y′ + Q y = F,      F = f·m + (e·m)′ + P e·m.                                            (S1)
//! ```
//!
//! y is one of the w or of the momenta ∂V_eff/∂w, without common factors: for the disk Ω₃ = ψ̇ + φ̇ cos θ is among them, whose equation is Legendre's. In a
//! variable z that makes P and Q rational, (S1) is p₂ y″ + p₁ y′ + p₀ y = p₂ F/z′² with polynomials in z:
//!
//! ```text
//! z = s:          as it is
//! z = cos s:      (1 − z²) y_zz − (z + P sin s) y_z + Q y,      where P sin s and Q are even in sin s
//! z = sin s:      the same with s − π/2 for s
//! z = tan(s/2):   ¼(1 + z²)² y_zz + ½(1 + z²)(z + P) y_z + Q y.
//! ```
//!
//! Of all pairs (y, z) the one with the best known equation is taken: elementary, Legendre's, hypergeometric, Heun's, Fuchsian.
//!
//! The ratio r = w₁/w₂ of a homogeneous system obeys r′ = M₁₂ + (M₁₁ − M₂₂) r − M₂₁ r².

mod rational;

use super::shape::Shape;
use polhode_expr::{Expr, Graph, Matrix, Rates, Reading, Symbol, ZeroTest, eliminate};
use polhode_mechanics::System;
use polhode_special::ode::{Kind, Recognised};
use polhode_tape::Dd;
pub use rational::{InRational, Rational};
use rational::{in_variable, rational};
use rustc_hash::FxHashMap;

/// (S1) for the best pair of unknown and variable.
#[derive(Clone, Debug)]
pub struct SecondOrder {
    /// e with y = e·w.
    pub covector: Vec<Expr>,
    /// y in the w.
    pub unknown: Expr,
    /// P and Q in s.
    pub in_s: [Expr; 2],
    /// F in s.
    pub right: Expr,
    /// Where P and Q become rational.
    pub rational: Option<InRational>,
}

/// r′ = a + b r + c r² for r = w₁/w₂.
#[derive(Clone, Debug)]
pub struct Riccati {
    /// a, b, c in s.
    pub coefficients: [Expr; 3],
}

impl SecondOrder {
    /// The equation in another variable, where that is rational.
    pub fn in_variable(&self, system: &mut System, shape: &Shape, variable: Rational) -> Option<InRational> {
        in_variable(system, shape.variable, self.in_s, self.right, variable)
    }
}

/// The Riccati equation of a homogeneous system of two.
pub fn riccati(system: &mut System, shape: &Shape) -> Option<Riccati> {
    if shape.unknowns.len() != 2 || !shape.is_homogeneous(&system.graph) {
        return None;
    }
    let m = &shape.matrix;
    let middle = system.graph.sub(m[(0, 0)], m[(1, 1)]);
    let last = system.graph.neg(m[(1, 0)]);
    let coefficients = [m[(0, 1)], middle, last].map(|e| simple(system, e));
    Some(Riccati { coefficients })
}

/// (S1) of a system of two, where no unknown is by itself.
pub fn second_order(system: &mut System, shape: &Shape) -> Option<SecondOrder> {
    if shape.unknowns.len() != 2 {
        return None;
    }
    let mut best: Option<((usize, usize), SecondOrder)> = None;
    for covector in covectors(system, shape) {
        let Some(found) = second_order_for(system, shape, &covector) else { continue };
        // at special values of the parameters several have the same name: the shortest formulas are those of all values
        let name = found.rational.as_ref().map_or(usize::MAX, InRational::score);
        let shown = found.rational.as_ref().map_or(found.in_s.to_vec(), |r| r.polynomials.to_vec());
        let score = (name, system.graph.reachable(&shown).len());
        if best.as_ref().is_none_or(|(s, _)| score < *s) {
            best = Some((score, found));
        }
    }
    best.map(|(_, found)| found)
}

/// The same by name alone.
fn score(recognised: &Recognised<Dd>) -> usize {
    match recognised {
        Recognised::Elementary => 0,
        Recognised::Hypergeometric { .. } => 2,
        Recognised::Legendre { .. } => 3,
        Recognised::Heun { apparent, in_square, .. } => match in_square {
            Some(inner) => 4 + score(inner),
            None => 20 - apparent,
        },
        Recognised::Fuchsian { points, apparent, in_square } => match in_square {
            Some(inner) => 5 + score(inner),
            None => 40 + 10 * points - apparent,
        },
        Recognised::Irregular => 1000,
    }
}

/// Candidates for e: the w themselves, and the momenta ∂V_eff/∂w.
fn covectors(system: &mut System, shape: &Shape) -> Vec<Vec<Expr>> {
    let symbols: Vec<Symbol> = shape.unknowns.iter().map(|u| u.symbol).collect();
    let graph = &mut system.graph;
    let (zero, one) = (graph.zero(), graph.one());
    let mut out = vec![vec![one, zero], vec![zero, one]];
    for s in &symbols {
        let slope = graph.derivative(shape.potential, *s);
        let row: Vec<Expr> = symbols.iter().map(|t| graph.derivative(slope, *t)).collect();
        let row = graph.primitive_vector(&row);
        let row: Vec<Expr> = row.into_iter().map(|e| graph.simplify_small(e)).collect();
        if row.iter().any(|e| !graph.is_zero(*e)) && !out.contains(&row) {
            out.push(row);
        }
    }
    out
}

fn simple(system: &mut System, e: Expr) -> Expr {
    let reading = Reading { parameters: system.parameters.clone() };
    system.graph.simplify(e, &reading)
}

/// (S1) for y = e·w; `None` where y obeys an equation of first order.
pub fn second_order_for(system: &mut System, shape: &Shape, e: &[Expr]) -> Option<SecondOrder> {
    let s = shape.variable;
    let transposed = shape.matrix.transpose();
    let carried = |system: &mut System, row: &[Expr]| -> Vec<Expr> {
        let graph = &mut system.graph;
        let moved = transposed.mul_vec(graph, row);
        let sums: Vec<Expr> = row
            .iter()
            .zip(moved)
            .map(|(r, m)| {
                let slope = graph.derivative(*r, s);
                graph.add(slope, m)
            })
            .collect();
        sums.into_iter().map(|e| simple(system, e)).collect()
    };
    let f = carried(system, e);
    let h = carried(system, &f);
    // h = −P f − Q e
    let a = Matrix::from_fn(2, 2, |i, j| if j == 0 { f[i] } else { e[i] });
    let b = Matrix::from_fn(2, 1, |i, _| h[i]);
    let mut zero = ZeroTest::new(&system.graph);
    let solved = eliminate(&mut system.graph, &mut zero, &a, &b, |g, _, e| g.reachable(&[e]).len());
    if solved.pivots.len() < 2 {
        return None;
    }
    let mut in_s = [system.graph.zero(); 2];
    for (row, p) in solved.pivots.iter().enumerate() {
        let minus = system.graph.neg(solved.solution[(row, 0)]);
        in_s[*p] = simple(system, minus);
    }
    let w: Vec<Expr> = shape.unknowns.iter().map(|u| system.graph.var(u.symbol)).collect();
    let unknown = dot(&mut system.graph, e, &w);
    let unknown = simple(system, unknown);
    let right = {
        let graph = &mut system.graph;
        let em = dot(graph, e, &shape.affine);
        let fm = dot(graph, &f, &shape.affine);
        let slope = graph.derivative(em, s);
        let last = graph.mul(in_s[0], em);
        let sum = graph.sum([fm, slope, last]);
        simple(system, sum)
    };
    let rational = rational(system, s, in_s, right);
    Some(SecondOrder { covector: e.to_vec(), unknown, in_s, right, rational })
}

fn dot(graph: &mut Graph, a: &[Expr], b: &[Expr]) -> Expr {
    let parts: Vec<Expr> = a.iter().zip(b).map(|(a, b)| graph.mul(*a, *b)).collect();
    graph.sum(parts)
}

/// Whether a point of the equation is one where solutions branch.
pub(super) fn branches(kind: Kind) -> bool {
    !matches!(kind, Kind::Ordinary | Kind::Apparent)
}

/// Rates of s and w along (L1), by s.
pub(super) fn along_s(system: &mut System, shape: &Shape) -> Rates {
    let graph = &mut system.graph;
    let w: Vec<Expr> = shape.unknowns.iter().map(|u| graph.var(u.symbol)).collect();
    let slopes = shape.matrix.mul_vec(graph, &w);
    let mut out: FxHashMap<Symbol, Expr> = FxHashMap::default();
    for ((u, slope), m) in shape.unknowns.iter().zip(slopes).zip(&shape.affine) {
        out.insert(u.symbol, graph.add(slope, *m));
    }
    out.insert(shape.variable, graph.one());
    out
}
