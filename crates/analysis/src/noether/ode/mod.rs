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
//! momenta, and momenta of no symmetry. A coefficient that goes with no other, c′ = a(s) c, is written down where it is a product of powers and exponentials.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `variable` | what s can be, and which w_j go with it |
//! | `slice` | points with the same s |
//! | `closed_form` | single equations that are solved, and [`LinearSystem`] on positions |
//!
//! For a rotation s may be an entry R_ij = cos θ, the angle between an axis of the body and one of space; w_j then are velocities times entries of the same row or column.
//!
//! Which c_j vanish is found from values in F_p at points with the same s; A is solved for on the graph, from as many coefficients of (T1) in the
//! quasi-velocities as there are unknowns.

mod closed_form;
mod slice;
mod variable;

use super::budget::EQUATION_FACTOR;
use super::flow::Flow;
use super::linear::{Tracked, velocities};
use polhode_expr::field::{Residue, echelon, rational};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Matrix, Reading, Symbol, eliminate};
use polhode_mechanics::system::System;
use slice::Slice;
use variable::some_rotations;
pub(crate) use variable::{Variable, variables};

/// Points beyond the number of unknowns.
const SPARE: usize = 4;

/// (T2): its solutions are the coefficients of integrals.
#[derive(Clone, Debug)]
pub struct LinearSystem {
    /// s, or θ with cos θ = R_ij, or the distance ρ from an axis.
    pub variable: Symbol,
    /// R_ij, where the variable is the angle of an entry of a rotation.
    pub cosine: Option<Expr>,
    /// w_j.
    pub velocities: Vec<Expr>,
    /// A(s); for a coordinate along an axis that a pair of coordinates turns about, A(s, ρ).
    pub matrix: Matrix,
    on: Variable,
}

/// (T2) for one variable, split into systems that do not depend on each other; empty when there are no such integrals.
pub(crate) fn systems(system: &mut System, flow: &Flow, on: &Variable, w: &[Tracked]) -> Vec<LinearSystem> {
    systems_of(system, flow, on, w).unwrap_or_default()
}

/// (T2) for every variable that has one, with 1 as the first of the w_j: integrals may have a part without velocities,
///
/// ```text
/// f = c_0(s) + Σ_j c_j(s) w_j,      w_0 = 1 ,      dw/ds = −Aᵀ w   along every motion with ṡ ≠ 0.        (T3)
/// ```
///
/// (T3) is (T2) read backwards: f is constant for as many c as there are w_j, so that these are a linear system in s themselves.
pub fn shape_systems(system: &mut System, flow: &Flow) -> Vec<LinearSystem> {
    let dependent = system.dependent_velocities();
    let w: Vec<Tracked> = velocities(system, flow, false).iter().map(|v| v.tracked).collect();
    // the first of equal functions are kept: those of independent velocities are shorter
    let is_dependent = |t: &Tracked| system.graph.as_symbol(t.shown).is_some_and(|s| dependent.contains(&s));
    let (last, first): (Vec<Tracked>, Vec<Tracked>) = w.into_iter().partition(is_dependent);
    let one = system.graph.one();
    let constant = Tracked::new(system, flow, one);
    let mut out = Vec::new();
    let mut all = variables(system, flow);
    all.extend(variable::turned(system, flow));
    all.extend(variable::variables_of_energy(system, flow));
    for on in all {
        let mut candidates = vec![constant];
        candidates.extend(on.velocities(system, flow, &first));
        let more = on.velocities(system, flow, &last);
        candidates
            .extend(more.into_iter().filter(|t| candidates.iter().all(|c| c.shown != t.shown)).collect::<Vec<_>>());
        // 1 and all velocities but ṡ; those that are fewer are of no use, and there are many pairs
        let least = if on.radius().is_some() { flow.equations.unknowns.len() } else { 0 };
        out.extend(whole(system, flow, &on, &candidates, least));
    }
    out
}

/// (T2) for one variable as a single system, of this order at least.
fn whole(
    system: &mut System,
    flow: &Flow,
    on: &Variable,
    velocities: &[Tracked],
    least: usize,
) -> Option<LinearSystem> {
    let s = on.expression(&mut system.graph);
    let speed = flow.rates_of(&mut system.graph, &[s])[0];
    let w = free_coefficients(system, flow, on, speed, velocities)?;
    if w.len() < least {
        return None;
    }
    let matrix = solved(system, flow, speed, on, &w)?;
    Some(LinearSystem {
        variable: on.symbol(),
        cosine: matches!(on, Variable::Entry { .. }).then_some(s),
        velocities: w.iter().map(|t| t.shown).collect(),
        matrix,
        on: on.clone(),
    })
}

fn systems_of(system: &mut System, flow: &Flow, on: &Variable, w: &[Tracked]) -> Option<Vec<LinearSystem>> {
    let velocities = on.velocities(system, flow, w);
    let LinearSystem { variable, cosine, velocities: w, matrix, .. } = whole(system, flow, on, &velocities, 0)?;
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
            variable,
            cosine,
            velocities: block.iter().map(|j| w[*j]).collect(),
            matrix: matrix.select(&block, &block),
            on: on.clone(),
        });
    }
    Some(out)
}

/// Velocities whose coefficients (T1) leaves free, independent over functions of s; `None` when there are none. Coefficients that (T1) ties to each
/// other by constant factors are taken together; if the factors depend on s, `None`.
fn free_coefficients(
    system: &mut System,
    flow: &Flow,
    on: &Variable,
    speed: Expr,
    w: &[Tracked],
) -> Option<Vec<Tracked>> {
    let (kept, relations) = relations(system, on, speed, w, 83)?;
    if relations.len() == kept.len() {
        return Some(kept.into_iter().map(|j| w[j]).collect());
    }
    let (other, elsewhere) = self::relations(system, on, speed, w, 89)?;
    if (&other, &elsewhere) != (&kept, &relations) {
        return None;
    }
    let mut out = Vec::new();
    for row in relations {
        let mut items = Vec::new();
        for (j, c) in kept.iter().zip(row).filter(|(_, c)| !c.is_zero()) {
            items.push((w[*j].shown, rational(c, EQUATION_FACTOR)?));
        }
        let shown = system.graph.linear(items);
        out.push(Tracked::new(system, flow, shown));
    }
    Some(out)
}

/// The velocities whose coefficients need not vanish, and a basis of the values that the coefficients can take at some s, in echelon form.
fn relations(
    system: &mut System,
    on: &Variable,
    speed: Expr,
    w: &[Tracked],
    seed: u64,
) -> Option<(Vec<usize>, Vec<Vec<Residue>>)> {
    let functions: Vec<Expr> = w.iter().flat_map(|t| [t.on_d, t.rate]).chain([speed]).collect();
    let mut slice = Slice::with_values(system, on, seed, &functions)?;
    let rows = slice.rows(system, &functions, 2 * w.len() + SPARE)?;
    let n = w.len();
    let values = rows.iter().map(|r| (0..n).map(|j| r[2 * j]).collect()).collect();
    let mut kept = echelon(values, n).pivots;
    loop {
        let m = kept.len();
        let matrix = rows.iter().map(|r| {
            let carried = kept.iter().map(|j| r[2 * n] * r[2 * j]);
            carried.chain(kept.iter().map(|j| r[2 * j + 1])).collect()
        });
        let null = echelon(matrix.collect(), 2 * m).null_space();
        let free: Vec<usize> = (0..m).filter(|j| null.iter().any(|v| !v[m + j].is_zero())).map(|j| kept[j]).collect();
        if free.is_empty() {
            return None;
        }
        if free.len() == m {
            let coefficients = null.iter().map(|v| v[m..].to_vec()).collect();
            return Some((kept, echelon(coefficients, m).rows));
        }
        kept = free;
    }
}

/// A(s) from coefficients of (T1) in the quasi-velocities.
fn solved(system: &mut System, flow: &Flow, speed: Expr, on: &Variable, w: &[Tracked]) -> Option<Matrix> {
    let s = on.symbol();
    let m = w.len();
    let graph = &mut system.graph;
    let carried: Vec<Expr> = w.iter().map(|t| graph.mul(speed, t.on_d)).collect();
    let all: Vec<Expr> = carried.into_iter().chain(w.iter().map(|t| t.rate)).collect();
    let mut rows = quadratic_coefficients(graph, &all, &flow.equations.unknowns);
    if !matches!(on, Variable::Entry { .. }) {
        // A is the same at all rotations: one is enough, and leaves shorter formulas
        let mut example = some_rotations(system);
        example.extend(on.example(&mut system.graph));
        for row in &mut rows {
            *row = system.graph.substitute_all(row, &example);
        }
    }
    let graph = &mut system.graph;
    if let Variable::Entry { theta, .. } = on {
        let example = on.example(graph);
        let angle = graph.var(*theta);
        let sine = graph.sin(angle);
        for row in &mut rows {
            *row = graph.substitute_all(row, &example);
            // ṡ = −sin θ θ̇, and derivatives of the coefficients are by θ
            for e in &mut row[..m] {
                let ratio = graph.div(*e, sine);
                *e = graph.neg(ratio);
            }
        }
    }
    if let Variable::Turned { along: None, radius, .. } = on {
        // d(ρ²)/dt = 2ρ ρ̇, and derivatives of the coefficients are by ρ
        let rho = graph.var(*radius);
        for e in rows.iter_mut().flat_map(|row| &mut row[..m]) {
            let ratio = graph.div(*e, rho);
            *e = graph.scale(ratio, &self::ratio(1, 2));
        }
    }
    rows.retain(|row| row.iter().any(|e| !graph.is_zero(*e)));
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
            let foreign = |t: &Symbol| *t != s && on.radius() != Some(*t) && !system.parameters.contains(t);
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
