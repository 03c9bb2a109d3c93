//! Names for what the constraints are: by their growth, and by their symmetry on groups.
//!
//! On SO(3), and on motions of the plane, a constraint is *left-invariant* when its coefficients in the body components of the velocity
//! are constant (Suslov's Ω₃ = 0), and *right-invariant* when those in the world components are (Veselova's ω₃ = 0). With a left-invariant Lagrangian these are the
//! LL and LR systems \[VeselovVeselova1986\]; both are linear constraints, and with a part without velocities they are *affine* constraints
//! of the kind.
//!
//! Under a group with generators X the system is *generalised Chaplygin* when D ⊕ V = TQ, V = span X: as many generators as constraints,
//! and det A(X) ≠ 0. D is then a principal connection \[BlochEtAl1996\].

use super::flag::Flags;
use super::{Classification, flag};
use polhode_expr::{Expr, Graph, Matrix, Symbol, eliminate};
use polhode_mechanics::rank::place::Place;
use polhode_mechanics::system::System;
use polhode_model::{Factor, PlaneMotion};

/// What is known when classes are named.
pub(super) struct Facts<'a> {
    pub(super) forms: &'a flag::Forms,
    pub(super) flags: Option<&'a Flags>,
    pub(super) classification: Option<Classification>,
    pub(super) rank: usize,
    /// Constraints that are holonomic as written.
    pub(super) written: usize,
    pub(super) place: &'a Place,
    /// The parts without velocities.
    pub(super) drifts: Vec<Expr>,
}

/// The names that apply.
pub(super) fn classes(system: &mut System, facts: &Facts) -> Vec<String> {
    let mut out = Vec::new();
    if facts.rank == 0 {
        return out;
    }
    out.extend(invariance(system, facts));
    out.extend(generalised_chaplygin(system, facts));
    if let Some(flags) = facts.flags {
        let n = system.configuration.dimension();
        let growth = &flags.growth.dimensions[..];
        let derived = &flags.derived.dimensions[..];
        let by_ones = |f: &[usize]| f.len() > 2 && f.windows(2).all(|w| w[1] == w[0] + 1);
        let contact = facts.rank == 1
            && facts.forms.time.is_none()
            && facts.forms.is_contact(&mut system.graph, facts.place).unwrap_or(false);
        if contact {
            out.push("contact".into());
        }
        if growth == [2, 3, 4] && n == 4 {
            out.push("Engel".into());
        }
        if derived[0] == 2 && by_ones(derived) && flags.derived.last() == n && growth == derived {
            out.push("Goursat".into());
        }
        if growth == [2, 3, 5] && n == 5 {
            out.push("Cartan (2,3,5)".into());
        }
    }
    match facts.classification {
        Some(Classification::Holonomic) if facts.written < facts.rank => out.push("holonomic in disguise".into()),
        Some(Classification::SemiHolonomic { integrals }) => {
            out.push(format!("mixed: {integrals} holonomic, {} nonholonomic", facts.rank - integrals));
        }
        _ => {}
    }
    out
}

/// D ⊕ V = TQ for the generators that the model states.
fn generalised_chaplygin(system: &mut System, facts: &Facts) -> Option<String> {
    let linear = facts.drifts.iter().all(|e| system.graph.is_zero(*e));
    if system.model.symmetries.len() != facts.rank || !linear {
        return None;
    }
    let symmetry = system.symmetry().ok()?;
    let rows = system.distribution.independent_rows();
    let n = rows.cols();
    let x = Matrix::from_fn(n, symmetry.fields.len(), |j, k| symmetry.fields[k].components[j]);
    let on = rows.mul(&mut system.graph, &x);
    let zeros = Matrix::zeros(&system.graph, on.rows(), 0);
    let price = |_: &Graph, _: usize, _: Expr| 0;
    let rank = eliminate(&mut system.graph, &mut system.zero, &on, &zeros, price).rows.len();
    (rank == symmetry.fields.len()).then(|| "generalised Chaplygin under the stated symmetry".to_string())
}

/// Left or right invariance of the rows on the one group of the configuration space.
fn invariance(system: &mut System, facts: &Facts) -> Vec<String> {
    let is_group = |f: &&Factor| f.plane_motion().is_some() || f.rotation().is_some() && f.translation().is_none();
    let groups: Vec<Factor> = system.configuration.factors().iter().filter(is_group).cloned().collect();
    let [group] = &groups[..] else { return Vec::new() };
    let velocities = system.configuration.velocities().to_vec();
    let columns: Vec<usize> = group.velocities.iter().filter_map(|v| velocities.iter().position(|w| w == v)).collect();
    let alone = system.configuration.factors().len() == 1;
    let rows = facts.forms.rows.clone();
    let mut out = Vec::new();
    let depends = |system: &mut System, rows: &[Vec<Expr>]| {
        rows.iter().flatten().any(|e| group.positions.iter().any(|s| depends_on(system, *e, *s, group)))
    };
    // in body components a left-invariant Lagrangian does not contain the position
    let affine = facts.drifts.iter().any(|e| !system.graph.is_zero(*e));
    let lagrangian = vec![vec![system.lagrangian]];
    let pure = alone && !affine && !depends(system, &lagrangian);
    let kind = if affine { "affine constraint" } else { "constraint" };
    let drifts = vec![facts.drifts.clone()];
    if depends(system, &drifts) {
        return out;
    }
    if !depends(system, &rows) {
        out.push(if pure { "LL (left-invariant, Suslov)".to_string() } else { format!("left-invariant {kind}") });
    }
    let world: Vec<Vec<Expr>> = rows.iter().map(|row| in_world(&mut system.graph, group, &columns, row)).collect();
    if !depends(system, &world) {
        out.push(if pure { "LR (right-invariant)".to_string() } else { format!("right-invariant {kind}") });
    }
    out
}

/// The coefficients of a row with those of the group in world components.
fn in_world(graph: &mut Graph, group: &Factor, columns: &[usize], row: &[Expr]) -> Vec<Expr> {
    let mut out = row.to_vec();
    let body: Vec<Expr> = columns.iter().map(|j| row[*j]).collect();
    let var: Vec<Expr> = group.positions.iter().map(|s| graph.var(*s)).collect();
    let world: Vec<Expr> = match group.plane_motion() {
        // a·Ω = a·Rᵀω = (R a)·ω
        None => (0..3)
            .map(|i| {
                let parts: Vec<Expr> = (0..3).map(|k| graph.mul(var[3 * i + k], body[k])).collect();
                graph.sum(parts)
            })
            .collect(),
        // the right-invariant fields of the plane are ∂_x, ∂_y and the rotation about the origin
        Some(PlaneMotion { place, angle, .. }) => {
            let [x, y, angle] = [place[0], place[1], angle].map(|s| graph.var(s));
            let (s, c) = (graph.sin(angle), graph.cos(angle));
            let dx = [graph.mul(c, body[0]), graph.mul(s, body[1])];
            let dy = [graph.mul(s, body[0]), graph.mul(c, body[1])];
            let (dx, dy) = (graph.sub(dx[0], dx[1]), graph.add(dy[0], dy[1]));
            let moment = [graph.mul(x, dy), graph.mul(y, dx)];
            let moment = graph.sub(moment[0], moment[1]);
            vec![dx, dy, graph.add(body[2], moment)]
        }
    };
    for (j, e) in columns.iter().zip(world) {
        out[*j] = e;
    }
    out
}

/// Does the expression change along the group?
fn depends_on(system: &mut System, e: Expr, s: Symbol, group: &Factor) -> bool {
    if !system.graph.contains_any(e, &[s]) {
        return false;
    }
    let n = system.configuration.velocities().len();
    let velocities = system.configuration.velocities().to_vec();
    for v in &group.velocities {
        let unit: Vec<Expr> =
            (0..n).map(|k| if velocities[k] == *v { system.graph.one() } else { system.graph.zero() }).collect();
        let configuration = system.configuration.clone();
        let rates = configuration.rates_along(&mut system.graph, &unit);
        let slope = system.graph.along(e, &rates);
        if !system.is_zero(slope) {
            return true;
        }
    }
    false
}
