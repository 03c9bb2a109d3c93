//! The Lagrange–d'Alembert equations with multipliers.
//!
//! (H) in the base frame for all velocities at once, with the constraints kept as rows:
//!
//! ```text
//! d/dt ∂L/∂v^A = b_A(L) + C^D_BA v^B ∂L/∂v^D + F_A + Σ_ν λ_ν A_νA,      A v + a₀ = 0.
//! ```
//!
//! λ_ν belongs to the constraint exactly as the model writes it (left side minus right
//! side). The accelerations follow from
//!
//! ```text
//! M v̇ − Aᵀ λ = f,      A v̇ = −(Ȧ v + ȧ₀) = γ
//! ```
//!
//! by v̇ = M⁻¹(f + Aᵀλ), (A M⁻¹ Aᵀ) λ = γ − A M⁻¹ f. When M is singular (a coordinate without
//! kinetic energy of its own) M + AᵀA takes its place, which changes neither v̇ nor, after
//! f + Aᵀγ has taken the place of f, the multipliers; it is positive definite when M is so on D.
//!
//! **Dry friction.** A reaction λ_ν ≥ 0 that comes with the force −μ λ_ν s/|s| against a slip s = U v + u₀ acts along another covector than
//! its row,
//!
//! ```text
//! M v̇ = f + Dᵀλ,      D_ν = A_ν − μ (s/|s|)ᵀ U,      (A M⁻¹ Dᵀ) λ = γ − A M⁻¹ f,                      (F)
//! ```
//!
//! and the matrix is not symmetric. With the rows without friction first, its elimination meets the pivots of A M⁻¹ Aᵀ and then those of the
//! others; where one of these falls to zero, pressing harder does not keep the contact closed any more, and no motion with this direction of slip exists
//!: the paradox of Painlevé. Dᵀλ does the work −λ_ν a₀_ν − μ λ_ν (s/|s|)·U v, which is −μ λ_ν |s| where nothing moves by itself.

use super::{Balance, Equations, Form, Reaction};
use crate::budget::DEPENDENT_ROWS;
use crate::equation::FrameEquation;
use crate::frame::Frame;
use crate::system::System;
use polhode_base::ids::{ConstraintId, Id};
use polhode_expr::{Expr, Graph, Matrix, Symbol, ZeroTest, solve_ldl, solve_lu};
use polhode_model::Friction;

pub(super) fn equations(system: &mut System) -> Equations {
    let frame = Frame::base(&system.graph, &system.configuration);
    let h = FrameEquation::new(system, frame);
    let n = h.frame.n();
    let rows = system.distribution.independent_rows();
    let m = rows.rows();
    let graph = &mut system.graph;
    let v: Vec<Expr> = system.configuration.velocities().iter().map(|s| graph.var(*s)).collect();

    let force: Vec<Expr> = (0..n)
        .map(|a| {
            let rhs = h.rhs(graph, a);
            graph.sub(rhs, h.momentum_drift[a])
        })
        .collect();
    let gamma = constraint_acceleration(system, &v, &system.distribution.elimination.rows.clone());
    let drags = drags(system);
    let many = match drags.is_empty() {
        true => overcomplete(system, &h.mass, &v, &force),
        false => None,
    };
    let graph = &mut system.graph;
    let (mut rates, lambda) = match &drags[..] {
        [] => saddle_point(graph, &mut system.zero, &h.mass, &rows, force, &gamma),
        drags => {
            let (rates, lambda, _) = with_friction(graph, &mut system.zero, &h.mass, &rows, drags, force, &gamma);
            (rates, lambda)
        }
    };
    let pushes = pushes(&rows, &drags);

    let mut reaction_force: Vec<Expr> = (0..n)
        .map(|a| {
            let parts: Vec<Expr> = (0..m).map(|i| graph.mul(lambda[i], pushes[(i, a)])).collect();
            graph.sum(parts)
        })
        .collect();
    if let Some((all_rates, all_forces)) = many {
        (rates, reaction_force) = (all_rates, all_forces);
    }
    let reactions = reactions(system, &lambda);
    let balance = balance(system, &h, &pushes);
    let velocities = v;
    Equations {
        form: Form::Multipliers,
        unknowns: h.frame.xi.clone(),
        definitions: Vec::new(),
        velocities,
        constrained: None,
        named: Vec::new(),
        balance,
        rates,
        reactions,
        reaction_force,
        frame: h.frame,
    }
}

/// γ = −(Ȧ v + ȧ₀): what A v̇ must be.
fn constraint_acceleration(system: &mut System, v: &[Expr], rows: &[usize]) -> Vec<Expr> {
    let motion = system.configuration.motion(&mut system.graph, system.time);
    let d = &system.distribution;
    let graph = &mut system.graph;
    rows.iter()
        .map(|&r| {
            let row = &d.rows[r];
            let mut parts = vec![row.a0];
            parts.extend(row.a.iter().zip(v).map(|(a, v)| graph.mul(*a, *v)));
            let residual = graph.sum(parts);
            let change = graph.along(residual, &motion);
            graph.neg(change)
        })
        .collect()
}

/// Accelerations and forces of constraints from all rows, where these are more than their rank and no choice among them is independent everywhere:
/// (ρ+x) dx + y dy and y dx + (ρ−x) dy, with ρ² = x² + y², have rank 1 off the origin, and each of them vanishes on half an axis.
///
/// λ = G⁻¹b on the range of G = A M⁻¹ Aᵀ, by Cayley and Hamilton: −(G^{r−1} + c₁G^{r−2} + … + c_{r−1}) b/c_r with the coefficients of Le Verrier
/// and Faddeev. ±c_r is the sum of all principal minors of size r, which vanishes only where the rank falls.
fn overcomplete(system: &mut System, mass: &Matrix, v: &[Expr], force: &[Expr]) -> Option<(Vec<Expr>, Vec<Expr>)> {
    let d = system.distribution.clone();
    // the rows of contacts are chosen so that the same one is redundant all the time
    if !system.model.contacts.is_empty() {
        return None;
    }
    let says = |i: &usize| d.rows[*i].a.iter().any(|e| !system.graph.is_zero(*e));
    let used: Vec<usize> = (0..d.rows.len()).filter(|i| !d.left_out.contains(i)).filter(says).collect();
    let (rank, m, n) = (d.rank(), used.len(), mass.rows());
    if rank == 0 || m <= rank || m > DEPENDENT_ROWS || d.solved_everywhere(&mut system.graph, &system.parameters) {
        return None;
    }
    if is_singular(&mut system.graph, &mut system.zero, mass) {
        return None;
    }
    let gamma = constraint_acceleration(system, v, &used);
    let graph = &mut system.graph;
    let rows = Matrix::from_fn(m, n, |i, j| d.rows[used[i]].a[j]);
    let rhs = Matrix::from_fn(n, 1 + m, |i, j| if j == 0 { force[i] } else { rows[(j - 1, i)] });
    let solved = solve_ldl(graph, mass, &rhs);
    let free = solved.col(0);
    let spread = solved.select(&(0..n).collect::<Vec<_>>(), &(1..=m).collect::<Vec<_>>());
    let gram = rows.mul(graph, &spread);
    let reached = rows.mul_vec(graph, &free);
    let missing: Vec<Expr> = gamma.iter().zip(&reached).map(|(g, r)| graph.sub(*g, *r)).collect();
    let mut power = Matrix::identity(graph, m);
    let mut coefficient = graph.one();
    for k in 1..=rank {
        if k > 1 {
            let next = gram.mul(graph, &power);
            power =
                Matrix::from_fn(m, m, |i, j| if i == j { graph.add(next[(i, j)], coefficient) } else { next[(i, j)] });
        }
        let trace: Vec<Expr> = (0..m)
            .flat_map(|i| (0..m).map(move |j| (i, j)))
            .map(|(i, j)| graph.mul(gram[(i, j)], power[(j, i)]))
            .collect();
        let trace = graph.sum(trace);
        let divisor = graph.int(-(k as i64));
        coefficient = graph.div(trace, divisor);
    }
    let lambda: Vec<Expr> = power
        .mul_vec(graph, &missing)
        .into_iter()
        .map(|e| {
            let ratio = graph.div(e, coefficient);
            graph.neg(ratio)
        })
        .collect();
    let push = spread.mul_vec(graph, &lambda);
    let rates = free.iter().zip(push).map(|(a, b)| graph.add(*a, b)).collect();
    let transposed = rows.transpose();
    Some((rates, transposed.mul_vec(graph, &lambda)))
}

/// M and f, or M + AᵀA and f + Aᵀγ when M is singular.
fn regular(
    graph: &mut Graph,
    zero: &mut ZeroTest,
    mass: &Matrix,
    rows: &Matrix,
    force: Vec<Expr>,
    gamma: &[Expr],
) -> (Matrix, Vec<Expr>) {
    if !is_singular(graph, zero, mass) {
        return (mass.clone(), force);
    }
    let transposed = rows.transpose();
    let square = transposed.mul(graph, rows);
    let mass = Matrix::from_fn(mass.rows(), mass.cols(), |i, j| graph.add(mass[(i, j)], square[(i, j)]));
    let shift = transposed.mul_vec(graph, gamma);
    let force = force.iter().zip(shift).map(|(f, s)| graph.add(*f, s)).collect();
    (mass, force)
}

/// Is some leading minor of the symmetric matrix identically zero? (Then LDLᵀ breaks down.)
fn is_singular(graph: &mut Graph, zero: &mut ZeroTest, mass: &Matrix) -> bool {
    let mut probe = mass.clone();
    let n = mass.rows();
    for j in 0..n {
        if zero.is_zero(graph, probe[(j, j)]) {
            return true;
        }
        let inverse = graph.powi(probe[(j, j)], -1);
        for i in j + 1..n {
            if graph.is_zero(probe[(i, j)]) {
                continue;
            }
            let factor = graph.mul(probe[(i, j)], inverse);
            for c in j..n {
                let step = graph.mul(factor, probe[(j, c)]);
                probe[(i, c)] = graph.sub(probe[(i, c)], step);
            }
        }
    }
    false
}

/// v̇ and λ from M v̇ = f + Aᵀλ, A v̇ = γ.
pub(crate) fn saddle_point(
    graph: &mut Graph,
    zero: &mut ZeroTest,
    mass: &Matrix,
    rows: &Matrix,
    force: Vec<Expr>,
    gamma: &[Expr],
) -> (Vec<Expr>, Vec<Expr>) {
    let (n, m) = (mass.rows(), rows.rows());
    let (mass, force) = regular(graph, zero, mass, rows, force, gamma);
    let rhs = Matrix::from_fn(n, 1 + m, |i, j| if j == 0 { force[i] } else { rows[(j - 1, i)] });
    let solved = solve_ldl(graph, &mass, &rhs);
    let free = solved.col(0);
    if m == 0 {
        return (free, Vec::new());
    }
    let columns: Vec<usize> = (1..=m).collect();
    let all: Vec<usize> = (0..n).collect();
    let spread = solved.select(&all, &columns);
    let schur = rows.mul(graph, &spread);
    let reached = rows.mul_vec(graph, &free);
    let missing = Matrix::from_fn(m, 1, |i, _| graph.sub(gamma[i], reached[i]));
    let lambda = solve_ldl(graph, &schur, &missing).col(0);
    let push = spread.mul_vec(graph, &lambda);
    let rates = free.iter().zip(push).map(|(a, b)| graph.add(*a, b)).collect();
    (rates, lambda)
}

/// D_ν of the independent rows whose reactions come with friction.
struct Drag {
    /// Which of the independent rows.
    row: usize,
    covector: Vec<Expr>,
}

/// s/|s|.
fn direction(graph: &mut Graph, slip: &[Expr]) -> Vec<Expr> {
    let squares: Vec<Expr> = slip.iter().map(|s| graph.powi(*s, 2)).collect();
    let square = graph.sum(squares);
    let size = graph.sqrt(square);
    slip.iter().map(|s| graph.div(*s, size)).collect()
}

fn drags(system: &mut System) -> Vec<Drag> {
    let (constraints, d) = (system.constraints.clone(), system.distribution.clone());
    let velocities = system.configuration.velocities().to_vec();
    let graph = &mut system.graph;
    let mut out = Vec::new();
    for (row, r) in d.elimination.rows.iter().enumerate() {
        let constraint = r.checked_sub(d.representation).map(|c| &constraints[ConstraintId::new(c)]);
        let Some(Friction { coefficient, slip, .. }) = constraint.and_then(|c| c.friction.as_ref()) else { continue };
        let along = direction(graph, slip);
        let covector = (velocities.iter().enumerate())
            .map(|(a, v)| {
                let parts: Vec<Expr> = (slip.iter().zip(&along))
                    .map(|(s, t)| {
                        let slope = graph.derivative(*s, *v);
                        graph.product([*coefficient, *t, slope])
                    })
                    .collect();
                let drag = graph.sum(parts);
                graph.sub(d.rows[*r].a[a], drag)
            })
            .collect();
        out.push(Drag { row, covector });
    }
    out
}

/// D: the rows, with those that come with friction changed.
fn pushes(rows: &Matrix, drags: &[Drag]) -> Matrix {
    Matrix::from_fn(rows.rows(), rows.cols(), |i, a| match drags.iter().find(|d| d.row == i) {
        Some(drag) => drag.covector[a],
        None => rows[(i, a)],
    })
}

/// v̇ and λ of (F), and the pivots of the rows with friction.
fn with_friction(
    graph: &mut Graph,
    zero: &mut ZeroTest,
    mass: &Matrix,
    rows: &Matrix,
    drags: &[Drag],
    force: Vec<Expr>,
    gamma: &[Expr],
) -> (Vec<Expr>, Vec<Expr>, Vec<Expr>) {
    let (n, m) = (mass.rows(), rows.rows());
    let (mass, force) = regular(graph, zero, mass, rows, force, gamma);
    // those without friction first: their part is positive definite
    let rubs = |i: &usize| drags.iter().any(|d| d.row == *i);
    let order: Vec<usize> = (0..m).filter(|i| !rubs(i)).chain((0..m).filter(rubs)).collect();
    let pushes = pushes(rows, drags);
    let rhs = Matrix::from_fn(n, 1 + m, |i, j| if j == 0 { force[i] } else { pushes[(order[j - 1], i)] });
    let solved = solve_ldl(graph, &mass, &rhs);
    let free = solved.col(0);
    let all: Vec<usize> = (0..n).collect();
    let spread = solved.select(&all, &(1..=m).collect::<Vec<_>>());
    let rows = rows.select(&order, &all);
    let schur = rows.mul(graph, &spread);
    let reached = rows.mul_vec(graph, &free);
    let missing = Matrix::from_fn(m, 1, |i, _| graph.sub(gamma[order[i]], reached[i]));
    let (solution, pivots) = solve_lu(graph, &schur, &missing);
    let ordered = solution.col(0);
    let push = spread.mul_vec(graph, &ordered);
    let rates = free.iter().zip(push).map(|(a, b)| graph.add(*a, b)).collect();
    let mut lambda = ordered.clone();
    order.iter().zip(&ordered).for_each(|(i, x)| lambda[*i] = *x);
    (rates, lambda, pivots[m - drags.len()..].to_vec())
}

impl System {
    /// Whether reactions come with dry friction.
    pub fn has_friction(&self) -> bool {
        self.constraints.iter().any(|c| c.friction.is_some())
    }

    /// The pivots of (F) for the constraints with friction, which are positive as long as the motion is determined.
    pub fn friction_pivots(&mut self) -> Vec<(ConstraintId, Expr)> {
        let drags = drags(self);
        if drags.is_empty() {
            return Vec::new();
        }
        let rows = self.distribution.independent_rows();
        let mass = self.mass_matrix();
        let (zero, gamma) = (self.graph.zero(), vec![self.graph.zero(); rows.rows()]);
        let force = vec![zero; mass.rows()];
        let pivots = with_friction(&mut self.graph, &mut self.zero, &mass, &rows, &drags, force, &gamma).2;
        let d = &self.distribution;
        let of = |drag: &Drag| ConstraintId::new(d.elimination.rows[drag.row] - d.representation);
        drags.iter().map(of).zip(pivots).collect()
    }

    /// What stands for directions of slip, with their values: s/|s| where a constraint with friction is in force, 0 elsewhere.
    pub fn slip_directions(&mut self) -> Vec<(Symbol, Expr)> {
        let model = self.model.clone();
        let mut out = Vec::new();
        for (c, constraint) in model.constraints.enumerated() {
            let Some(friction) = &constraint.friction else { continue };
            let along = match self.in_force.contains(c) {
                true => direction(&mut self.graph, &friction.slip),
                false => vec![self.graph.zero(); friction.slip.len()],
            };
            out.extend(friction.direction.iter().copied().zip(along));
        }
        out
    }
}

fn reactions(system: &mut System, lambda: &[Expr]) -> Vec<Reaction> {
    let d = system.distribution.clone();
    let mut out = Vec::new();
    for (i, row) in d.elimination.rows.iter().enumerate() {
        if let Some(c) = row.checked_sub(d.representation) {
            let symbol = system.derived_symbol(&format!("lambda_{}", c + 1));
            out.push(Reaction { constraint: c, name: system.constraint_names[c].clone(), symbol, value: lambda[i] });
        }
    }
    out.sort_by_key(|r| r.constraint);
    out
}

fn balance(system: &mut System, h: &FrameEquation, pushes: &Matrix) -> Vec<Balance> {
    let d = system.distribution.clone();
    let multipliers: Vec<Expr> = d
        .elimination
        .rows
        .iter()
        .map(|row| {
            let symbol = match row.checked_sub(d.representation) {
                Some(c) => system.derived_symbol(&format!("lambda_{}", c + 1)),
                None => system.derived_symbol(&format!("lambda_unit_{}", row + 1)),
            };
            system.graph.var(symbol)
        })
        .collect();
    let graph = &mut system.graph;
    (0..h.frame.n())
        .map(|a| {
            let parts: Vec<Expr> =
                multipliers.iter().enumerate().map(|(i, lambda)| graph.mul(*lambda, pushes[(i, a)])).collect();
            let constraint = graph.sum(parts);
            Balance {
                velocity: h.frame.xi[a],
                momentum: h.momenta[a],
                lagrangian: h.lagrangian_force[a],
                bracket: h.gyroscopic[a],
                force: h.applied[a],
                constraint,
            }
        })
        .collect()
}
