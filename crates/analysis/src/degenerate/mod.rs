//! Constraints that vanish or become dependent somewhere, written without that.
//!
//! The rows of a model span a *generalised* codistribution: its rank may fall on a set S. What holds at points of S is less than what holds beside it,
//! and what holds just beside it is the limit of the span, which the rows as written do not show at S itself:
//!
//! ```text
//! f(q)·ω = 0                     ω beside S = {f = 0}, nothing on S                      content.rs
//! ω₁ = 0, ω₁ + p·ω₂ = 0          ω₁ and ω₂ beside S = {p = 0}, ω₁ alone on S             saturate.rs
//! |y|·ω₁ + ω₂ = 0                y·ω₁ + ω₂ where y > 0, ω₂ − y·ω₁ where y < 0            moduli.rs
//! ```
//!
//! So the rows of a system are rewritten: the factor goes, the row gets the condition that it holds off the border f = 0, and everything else is the business of
//! constraints with regions. Motions pass through S with the rows that are there on both sides, and 0/0 occurs nowhere; a motion that starts
//! in S without leaving it is free of the row.
//!
//! Source: \[CortesEtAl2001\], §5; the limit of the span in place of that of the rows is what its D^± mean.
//!
//! Not here: sets of higher codimension, where the limit depends on the direction of the motion.

mod budget;
mod content;
mod moduli;
mod saturate;

use crate::doctor::variety::Domain;
use polhode_base::Span;
use polhode_base::ids::{BorderId, ConstraintId, IdVec};
use polhode_expr::{Expr, Graph, Matrix, Symbol, ZeroTest};
use polhode_mechanics::distribution::{Row, affine_row, global_choice};
use polhode_mechanics::solve_any;
use polhode_mechanics::system::{System, plain};
use polhode_model::{Border, Condition, Model, Rejected};

/// The system with rows that vanish or become dependent on hypersurfaces replaced by others that do not, and hold off these; `None` when
/// there are none.
pub fn regularised(system: &System) -> Option<Result<System, Rejected>> {
    // contacts of bodies have rows of their own kind, which do not vanish
    if !system.model.contacts.is_empty() {
        return None;
    }
    // on the surface of holonomic constraints, or at values of the parameters that change the rank, rows depend on each other all the time
    if !system.distribution.left_out.is_empty() || !system.settled.is_empty() {
        return None;
    }
    let mut model = (*system.model).clone();
    let mut graph = model.graph.clone();
    let split = moduli::split(&mut graph, &mut model);
    let mut zero = ZeroTest::new(&graph);
    let domain = Domain::new(system);
    let velocities = model.configuration.velocities().to_vec();
    let mut rows = IdVec::new();
    for c in &model.constraints {
        rows.push(affine_row(&mut graph, &mut zero, c.residual, &velocities)?);
    }
    let mut work = Work { graph, zero, domain, parameters: system.parameters.clone(), rows, changed: split };
    work.remove_factors(&mut model);
    work.make_independent(&mut model);
    if !work.changed {
        return None;
    }
    model.graph = work.graph;
    let sides = model.sides_at_start();
    model.in_force = model.active(&sides);
    // without a Lagrangian there are constraints to look at all the same
    let built = if model.lagrangian.is_some() { System::new(&model) } else { System::kinematic(&model) };
    Some(built.map(|(system, _)| system))
}

/// Whether the constraints have a lower rank at the initial position than at generic ones.
pub fn starts_degenerate(system: &System) -> bool {
    let mut model = (*system.model).clone();
    let Ok(mut values) = model.parameter_values() else { return false };
    values.insert(model.time, 0.0);
    if model.initial.is_empty() || system.distribution.rank() == 0 {
        return false;
    }
    for (symbol, e) in model.initial_positions() {
        if let Ok(x) = model.graph.evaluate_f64(e, &values) {
            values.insert(symbol, x);
        }
    }
    let used = (0..system.distribution.rows.len()).filter(|i| !system.distribution.left_out.contains(i));
    let row = |i: usize| -> Option<Vec<f64>> {
        system.distribution.rows[i].a.iter().map(|e| system.graph.evaluate_f64(*e, &values).ok()).collect()
    };
    let Some(rows) = used.map(row).collect::<Option<Vec<_>>>() else { return false };
    let nothing = vec![0.0; rows.len()];
    solve_any(&rows, &nothing).2 < system.distribution.rank()
}

/// What the rewriting works on.
struct Work {
    graph: Graph,
    zero: ZeroTest,
    domain: Domain,
    parameters: Vec<Symbol>,
    /// One for each constraint as written, in its present shape.
    rows: IdVec<ConstraintId, Row>,
    changed: bool,
}

impl Work {
    fn remove_factors(&mut self, model: &mut Model) {
        for k in self.rows.ids() {
            if model.constraints[k].holonomic.is_none() {
                self.remove_factor(model, k);
            }
        }
    }

    /// Takes the factor out of a row, if there are places where it vanishes.
    fn remove_factor(&mut self, model: &mut Model, k: ConstraintId) {
        let Some((row, zeros)) = content::split(&mut self.graph, &self.rows[k], &self.parameters, &self.domain) else {
            return;
        };
        self.replace(model, k, row, &zeros);
    }

    /// The rows of each region, with those that hold everywhere.
    fn make_independent(&mut self, model: &mut Model) {
        let mut regions: Vec<Option<Condition>> = vec![None];
        for c in &model.constraints {
            if !regions.contains(&c.when) {
                regions.push(c.when.clone());
            }
        }
        for region in regions {
            let everywhere = self.rows.ids().filter(|k| model.constraints[*k].when.is_none());
            let mut used: Vec<ConstraintId> = everywhere.filter(|_| region.is_some()).collect();
            let own = used.len();
            used.extend(self.rows.ids().filter(|k| model.constraints[*k].when == region));
            if used.len() < 2 || used.len() == own {
                continue;
            }
            let rows: Vec<Row> = used.iter().map(|k| self.rows[*k].clone()).collect();
            let matrix = Matrix::from_fn(rows.len(), rows[0].a.len(), |i, j| rows[i].a[j]);
            if global_choice(&mut self.graph, &matrix, &self.parameters).is_some() {
                continue; // some minor is the same everywhere
            }
            let coordinates = model.configuration.positions().to_vec();
            let found =
                saturate::saturated(&mut self.graph, &mut self.zero, rows, own, &self.domain, &coordinates, |i| {
                    model.constraints[used[i]].holonomic.is_none()
                });
            for (i, row, border) in found {
                self.replace(model, used[i], row, &[border]);
                self.remove_factor(model, used[i]);
            }
        }
    }

    /// Another row for a constraint, which holds off the zeros of some functions.
    fn replace(&mut self, model: &mut Model, k: ConstraintId, row: Row, zeros: &[Expr]) {
        let g = &mut self.graph;
        let mut parts = vec![row.a0];
        for (a, v) in row.a.iter().zip(model.configuration.velocities()) {
            let v = g.var(*v);
            parts.push(g.mul(*a, v));
        }
        model.constraints[k].residual = g.sum(parts);
        let span = model.constraints[k].span;
        for f in zeros {
            let off = Condition::off(border(g, &mut model.borders, *f, span));
            let when = &mut model.constraints[k].when;
            *when = Some(match when.take() {
                None => off,
                Some(before) if before == off => before,
                Some(before) => before.and(off),
            });
        }
        self.rows[k] = row;
        self.changed = true;
    }
}

/// The border f = 0, which may be there already, also with another factor before it.
fn border(graph: &mut Graph, borders: &mut IdVec<BorderId, Border>, f: Expr, span: Span) -> BorderId {
    for (k, b) in borders.enumerated() {
        let ratio = graph.div(b.function, f);
        let ratio = graph.simplify_small(ratio);
        if graph.as_number(ratio).is_some() {
            return k;
        }
    }
    let text = format!("{} = 0", plain(graph, f));
    borders.push(Border { function: f, text, span })
}
