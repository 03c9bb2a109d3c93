//! Invariant fields and functions: what commutes with the group, found by exact linear algebra.
//!
//! A field Y = Σ c_mA φ_m(q) b_A with constant c is invariant when
//!
//! ```text
//! [X_i, Y] = Σ c_mA (X_i(φ_m) b_A + φ_m [X_i, b_A]) = 0      for all generators X_i,            (I1)
//! ```
//!
//! which is linear in c; so is X_i(f) = 0 for a function f = Σ c_m φ_m. The functions φ_m are 1 and the cosines, sines,
//! entries of rotations and directions that the group moves (then coordinates, then products): the coefficients of
//! Euclidean motions are among them. Any n independent invariant fields make an invariant frame, and in an invariant
//! frame every invariant distribution has a basis with invariant coefficients: its reduced echelon form.

use crate::budget::INVARIANT_UNKNOWNS;
use crate::distribution::global_choice;
use crate::symmetry::Symmetry;
use crate::symmetry::relations::constant_relations;
use crate::system::System;
use polhode_expr::number::Rational;
use polhode_expr::{Expr, Graph, Matrix, Symbol, eliminate};

/// A frame of n invariant fields as columns in the base frame; `None` when none is found.
pub(super) fn frame(system: &mut System, symmetry: &Symmetry) -> Option<Matrix> {
    let n = system.configuration.velocities().len();
    for size in [Size::Linear, Size::WithCoordinates, Size::Quadratic] {
        let functions = functions(system, symmetry, size);
        if functions.len() * n > INVARIANT_UNKNOWNS {
            return None;
        }
        let fields = fields(system, symmetry, &functions);
        if let Some(frame) = choose(system, &fields, n) {
            return Some(frame);
        }
    }
    None
}

/// Functions that the group leaves alone: coordinates it does not move, and combinations of what it moves.
pub(super) fn functions_of_the_base(system: &mut System, symmetry: &Symmetry) -> Vec<Expr> {
    let moved = moved(symmetry);
    let mut out: Vec<Expr> = Vec::new();
    for s in system.configuration.positions().to_vec() {
        if !moved.contains(&s) {
            out.push(system.graph.var(s));
        }
    }
    let simple = invariant_combinations(system, symmetry, Size::Linear);
    out.extend(simple.into_iter().filter(|e| !out.contains(e)).collect::<Vec<_>>());
    let wanted = system.configuration.dimension().saturating_sub(symmetry.dimension());
    for size in [Size::WithCoordinates, Size::Quadratic] {
        let mut rank = differential_rank(system, &out);
        if rank >= wanted {
            break;
        }
        for f in invariant_combinations(system, symmetry, size) {
            out.push(f);
            match differential_rank(system, &out) {
                more if more > rank => rank = more,
                _ => {
                    out.pop();
                }
            }
            if rank >= wanted {
                break;
            }
        }
    }
    out
}

/// All combinations of the functions of a size that the group leaves alone.
fn invariant_combinations(system: &mut System, symmetry: &Symmetry, size: Size) -> Vec<Expr> {
    let candidates: Vec<Expr> = functions(system, symmetry, size).into_iter().skip(1).collect();
    if candidates.len() > INVARIANT_UNKNOWNS {
        return Vec::new();
    }
    let changes: Vec<Vec<Expr>> =
        candidates.iter().map(|f| symmetry.fields.iter().map(|x| system.graph.along(*f, &x.rates)).collect()).collect();
    let relations = constant_relations(&mut system.graph, &mut system.zero, &changes);
    relations.iter().map(|relation| combination(&mut system.graph, relation, &candidates)).collect()
}

/// How many of the functions are independent at generic positions.
fn differential_rank(system: &mut System, functions: &[Expr]) -> usize {
    let n = system.configuration.velocities().len();
    let configuration = system.configuration.clone();
    let graph = &mut system.graph;
    let slopes: Vec<Vec<Expr>> = (0..n)
        .map(|b| {
            let unit: Vec<Expr> = (0..n).map(|k| if k == b { graph.one() } else { graph.zero() }).collect();
            let along = configuration.rates_along(graph, &unit);
            graph.along_all(functions, &along)
        })
        .collect();
    let rows = Matrix::from_fn(functions.len(), n, |i, b| slopes[b][i]);
    let nothing = Matrix::zeros(graph, functions.len(), 0);
    eliminate(graph, &mut system.zero, &rows, &nothing, |_, _, _| 0).rows.len()
}

/// The positions that some generator moves.
pub(super) fn moved(symmetry: &Symmetry) -> Vec<Symbol> {
    let mut out: Vec<Symbol> = symmetry.fields.iter().flat_map(|f| f.rates.keys().copied()).collect();
    out.sort();
    out.dedup();
    out
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Size {
    /// 1 and the trigonometric functions, rotations and directions.
    Linear,
    /// These and the coordinates that are moved.
    WithCoordinates,
    /// These and all their products of two.
    Quadratic,
}

/// The functions φ_m, the simplest first.
fn functions(system: &mut System, symmetry: &Symmetry, size: Size) -> Vec<Expr> {
    let moved = moved(symmetry);
    let factors = system.configuration.factors().to_vec();
    let graph = &mut system.graph;
    let mut simple = Vec::new();
    let mut coordinates = Vec::new();
    for factor in &factors {
        if !factor.positions.iter().any(|s| moved.contains(s)) {
            continue;
        }
        simple.extend(factor.tied().iter().map(|s| graph.var(*s)));
        for s in factor.untied() {
            let (x, angle) = (graph.var(*s), factor.angle() == Some(*s));
            // what stays in an interval is an angle between two poles, or a length that is not zero
            if angle || factor.interval().is_some() {
                simple.extend([graph.cos(x), graph.sin(x)]);
            }
            if !angle {
                coordinates.push(x);
            }
        }
    }
    let mut out = vec![graph.one()];
    out.extend(&simple);
    if size >= Size::WithCoordinates {
        out.extend(&coordinates);
    }
    if size == Size::Quadratic {
        let linear = out[1..].to_vec();
        for (i, a) in linear.iter().enumerate() {
            for b in &linear[i..] {
                out.push(graph.mul(*a, *b));
            }
        }
    }
    out
}

/// All invariant fields (I1) with coefficients among the functions.
fn fields(system: &mut System, symmetry: &Symmetry, functions: &[Expr]) -> Vec<Vec<Expr>> {
    let n = system.configuration.velocities().len();
    let graph = &mut system.graph;
    let mut residuals: Vec<Vec<Expr>> = Vec::new();
    let mut unknowns: Vec<(usize, usize)> = Vec::new();
    for (m, phi) in functions.iter().enumerate() {
        let changes: Vec<Expr> = symmetry.fields.iter().map(|x| graph.along(*phi, &x.rates)).collect();
        for b in 0..n {
            let mut residual = Vec::with_capacity(n * symmetry.fields.len());
            for (x, change) in symmetry.fields.iter().zip(&changes) {
                for a in 0..n {
                    let turned = graph.mul(*phi, x.mixing[(a, b)]);
                    residual.push(if a == b { graph.add(turned, *change) } else { turned });
                }
            }
            residuals.push(residual);
            unknowns.push((m, b));
        }
    }
    let relations = constant_relations(graph, &mut system.zero, &residuals);
    relations
        .iter()
        .map(|relation| {
            (0..n)
                .map(|a| {
                    let parts: Vec<(Expr, Rational)> = relation
                        .iter()
                        .zip(&unknowns)
                        .filter(|(c, (_, b))| !c.is_zero() && *b == a)
                        .map(|(c, (m, _))| (functions[*m], c.clone()))
                        .collect();
                    system.graph.linear(parts)
                })
                .collect()
        })
        .collect()
}

/// n independent fields: such with a constant determinant if there are, otherwise the first that are independent.
fn choose(system: &mut System, fields: &[Vec<Expr>], n: usize) -> Option<Matrix> {
    if fields.len() < n {
        return None;
    }
    let all = Matrix::from_fn(n, fields.len(), |a, j| fields[j][a]);
    let chosen = match global_choice(&mut system.graph, &all, &system.parameters) {
        Some(columns) if columns.len() == n => columns,
        _ => {
            let rows = all.transpose();
            let nothing = Matrix::zeros(&system.graph, rows.rows(), 0);
            eliminate(&mut system.graph, &mut system.zero, &rows, &nothing, |_, _, _| 0).rows
        }
    };
    let every: Vec<usize> = (0..n).collect();
    (chosen.len() == n).then(|| all.select(&every, &chosen))
}

fn combination(graph: &mut Graph, coefficients: &[Rational], of: &[Expr]) -> Expr {
    let items: Vec<_> = of.iter().copied().zip(coefficients.iter().cloned()).collect();
    graph.linear(items)
}
