//! The classical forms of the equations of motion: one frame each, plus presentation.
//!
//! | form | frame | file |
//! | --- | --- | --- |
//! | Lagrange–d'Alembert with multipliers | the base frame, constraints kept as rows | `multipliers.rs` |
//! | Voronets (17) | e_i = ∂_i + a_νi ∂_{n+ν}, e_{n+ν} = ∂_{n+ν} | `voronets.rs` |
//! | Chaplygin | the same, with q_{n+ν} cyclic | `chaplygin.rs` |
//! | Hamel, Voronets (25) | quasi-velocities, with the constraint forms as the last | `hamel.rs` |
//! | Lagrange–d'Alembert–Poincaré | an invariant frame, horizontal fields before vertical ones | `ldap.rs` |
//! | Hamilton on D* | the frame of Hamel, momenta instead of quasi-velocities | `hamilton.rs` |
//!
//! None of them derives equations of motion: [`FrameEquation`] does.

mod chaplygin;
mod hamel;
mod hamilton;
mod ldap;
mod multipliers;
mod voronets;

pub(crate) use multipliers::saddle_point;

use crate::equation::FrameEquation;
use crate::frame::Frame;
use crate::system::System;
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Symbol, eliminate};
use polhode_model::Configuration;
pub use polhode_model::Form;
use rustc_hash::FxHashMap;
use std::fmt;

/// Why a form does not apply to a system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotApplicable {
    /// Chaplygin's form needs constraints to speak of.
    NoConstraints,
    /// A dependent velocity belongs to a group, not to a coordinate.
    NotACoordinate(String),
    /// A dependent coordinate occurs where it must not: its name, and where.
    NotCyclic {
        /// The coordinate.
        coordinate: String,
        /// "the Lagrangian", "the constraint coefficients", "the forces".
        place: &'static str,
    },
    /// The Lagrangian is not quadratic in the velocities, so the momenta cannot be inverted by
    /// linear algebra.
    NotQuadratic,
    /// The quasi-velocities of the model are too many, too few, or dependent.
    QuasiVelocities {
        /// How many the constraints leave.
        needed: usize,
        /// How many the model has.
        given: usize,
    },
    /// The system has no symmetry to reduce by, or none that reduces it.
    NotReducible(String),
    /// Reactions come with dry friction, and only the form with multipliers has them.
    Friction,
}

impl fmt::Display for NotApplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotApplicable::NoConstraints => f.write_str("the system has no constraints, so no coordinate is dependent"),
            NotApplicable::NotReducible(reason) => f.write_str(reason),
            NotApplicable::Friction => {
                f.write_str("dry friction depends on the reactions, which only the form with multipliers contains")
            }
            NotApplicable::NotQuadratic => f.write_str("the Lagrangian is not quadratic in the velocities"),
            NotApplicable::NotACoordinate(v) => {
                write!(f, "the dependent velocity {v} is not the velocity of a coordinate")
            }
            NotApplicable::NotCyclic { coordinate, place } => {
                write!(
                    f,
                    "{place} contain{} the dependent coordinate {coordinate}",
                    if place.ends_with('s') { "" } else { "s" }
                )
            }
            NotApplicable::QuasiVelocities { needed, given } if needed == given => {
                f.write_str("the quasi-velocities are not independent of each other and of the constraints")
            }
            NotApplicable::QuasiVelocities { needed, given } => {
                write!(f, "the constraints leave {needed} independent quasi-velocities, but {given} are defined")
            }
        }
    }
}

impl std::error::Error for NotApplicable {}

/// The balance of one momentum: d/dt momentum = Σ parts.
#[derive(Clone, Debug)]
pub struct Balance {
    /// The quasi-velocity whose momentum it is.
    pub velocity: Symbol,
    /// π.
    pub momentum: Expr,
    /// e(l): the derivative of the Lagrangian along the frame field.
    pub lagrangian: Expr,
    /// c ξ π: the terms of the brackets.
    pub bracket: Expr,
    /// The applied force.
    pub force: Expr,
    /// The constraint force, Σ λ a (in the multiplier form only).
    pub constraint: Expr,
}

/// The multiplier of one constraint.
#[derive(Clone, Debug)]
pub struct Reaction {
    /// Index of the constraint in the model.
    pub constraint: usize,
    /// Its name.
    pub name: String,
    /// The symbol λ.
    pub symbol: Symbol,
    /// Its value on the motion.
    pub value: Expr,
}

/// A quantity that belongs to a form, such as Θ, K_ν or H.
#[derive(Clone, Debug)]
pub struct Named {
    /// As text, such as `K_x`.
    pub name: String,
    /// Its value.
    pub value: Expr,
}

/// Equations of motion in one form.
#[derive(Clone, Debug)]
pub struct Equations {
    /// Which form.
    pub form: Form,
    /// Its frame.
    pub frame: Frame,
    /// The state variables besides the positions: quasi-velocities, or momenta.
    pub unknowns: Vec<Symbol>,
    /// What the unknowns are, where they are not velocities of the model: in terms of velocities.
    pub definitions: Vec<(Symbol, Expr)>,
    /// The velocities in terms of the unknowns.
    pub velocities: Vec<Expr>,
    /// Θ = l_c: the Lagrangian on the constraints, in the forms whose unknowns are quasi-velocities there.
    pub constrained: Option<Expr>,
    /// Quantities of this form.
    pub named: Vec<Named>,
    /// The balance equations.
    pub balance: Vec<Balance>,
    /// d/dt of the unknowns.
    pub rates: Vec<Expr>,
    /// The multipliers as reaction forces, in terms of the unknowns.
    pub reactions: Vec<Reaction>,
    /// The constraint force on each velocity.
    pub reaction_force: Vec<Expr>,
}

impl System {
    /// The equations of motion in the given form.
    pub fn equations(&mut self, form: Form) -> Result<Equations, NotApplicable> {
        match form {
            Form::Multipliers => Ok(multipliers::equations(self)),
            _ if self.has_friction() => Err(NotApplicable::Friction),
            Form::Voronets => Ok(voronets::equations(self)),
            Form::Chaplygin => chaplygin::equations(self),
            Form::Hamel => hamel::equations(self),
            Form::Ldap => ldap::equations(self),
            Form::Hamilton => hamilton::equations(self),
        }
    }

    /// The frame of Voronets' form.
    pub fn voronets_frame(&mut self) -> Frame {
        voronets::frame(self)
    }

    /// The frame of Hamel's form: the model's quasi-velocities, or a choice of our own.
    pub fn hamel_frame(&mut self) -> Result<Frame, NotApplicable> {
        hamel::frame(self)
    }
}

impl Equations {
    /// The accelerations v̇ of all velocities as functions of position, velocity and time:
    /// the common ground on which forms are compared.
    pub fn accelerations(&self, system: &mut System) -> Vec<Expr> {
        let rates = self.velocity_rates(system);
        self.in_velocities(&mut system.graph, &system.configuration, &rates)
    }

    /// v̇ as functions of position, unknowns and time.
    pub(crate) fn velocity_rates(&self, system: &mut System) -> Vec<Expr> {
        let graph = &mut system.graph;
        let mut motion = system.configuration.motion_along(graph, system.time, &self.velocities);
        motion.extend(self.unknowns.iter().copied().zip(self.rates.iter().copied()));
        graph.along_all(&self.velocities, &motion)
    }

    /// Rewrites expressions in the unknowns as expressions in the velocities.
    pub fn in_velocities(&self, graph: &mut Graph, configuration: &Configuration, e: &[Expr]) -> Vec<Expr> {
        let v: Vec<Expr> = configuration.velocities().iter().map(|s| graph.var(*s)).collect();
        let values = match self.form {
            Form::Hamilton => self.definitions.iter().map(|(_, e)| *e).collect(),
            _ => self.frame.quasi_velocities(graph, &v),
        };
        let map: FxHashMap<Symbol, Expr> = self.unknowns.iter().copied().zip(values).collect();
        graph.substitute_all(e, &map)
    }
}

/// Equations in quasi-velocities from (H): shared by Voronets, Chaplygin, Hamel and the reduction.
pub(crate) fn in_quasi_velocities(system: &mut System, form: Form, frame: Frame, named: Vec<Named>) -> Equations {
    let h = FrameEquation::new(system, frame);
    let zero = system.graph.zero();
    let rates = h.accelerations(&mut system.graph);
    let lambda = h.constraint_forces(&mut system.graph, &rates);
    let (reactions, reaction_force) = reactions(system, &h.frame, &lambda);
    let velocities = h.frame.velocities(&mut system.graph);
    let definitions = definitions(system, &h.frame);
    let balance = (0..h.frame.k)
        .map(|a| Balance {
            velocity: h.frame.xi[a],
            momentum: h.momenta[a],
            lagrangian: h.lagrangian_force[a],
            bracket: h.gyroscopic[a],
            force: h.applied[a],
            constraint: zero,
        })
        .collect();
    let mut all = vec![Named { name: "Theta".into(), value: h.constrained }];
    all.extend(named);
    all.extend(across_momenta(system, &h));
    Equations {
        form,
        unknowns: h.frame.xi.clone(),
        frame: h.frame,
        definitions,
        velocities,
        constrained: Some(h.constrained),
        named: all,
        balance,
        rates,
        reactions,
        reaction_force,
    }
}

/// The momenta across D, K_ν = ∂T/∂q̇_{n+ν} on the constraints.
fn across_momenta(system: &System, h: &FrameEquation) -> Vec<Named> {
    let names = &system.constraint_names;
    let rows = &system.distribution.elimination.rows;
    (h.frame.k..h.frame.n())
        .map(|i| {
            let unit = (0..h.frame.n()).find(|a| h.frame.e[(*a, i)] == system.graph.one());
            let single = h.frame.e.col(i).iter().filter(|e| !system.graph.is_zero(**e)).count() == 1;
            let label = match unit {
                Some(a) if single => {
                    system.graph.name(system.configuration.velocities()[a]).trim_end_matches('\'').to_string()
                }
                _ => match rows[i - h.frame.k].checked_sub(system.distribution.representation) {
                    Some(c) => names[c].replace(' ', "_"),
                    None => format!("{}", i - h.frame.k + 1),
                },
            };
            Named { name: format!("K_{label}"), value: h.momenta[i] }
        })
        .collect()
}

/// Quasi-velocities that are not velocities of the model, with their definitions.
fn definitions(system: &mut System, frame: &Frame) -> Vec<(Symbol, Expr)> {
    let configuration = system.configuration.clone();
    let v: Vec<Expr> = configuration.velocities().iter().map(|s| system.graph.var(*s)).collect();
    let values = frame.quasi_velocities(&mut system.graph, &v);
    frame.xi.iter().copied().zip(values).filter(|(s, _)| !configuration.velocities().contains(s)).collect()
}

/// From the components λ_α of the constraint force on the frame to the multipliers μ of the
/// model's rows and the force on each velocity:
///
/// ```text
/// λ_α = Σ_ν μ_ν A_ν(e_α),      r_A = Σ_ν μ_ν A_νA.
/// ```
///
/// Redundant rows get no multiplier: it would not be unique.
fn reactions(system: &mut System, frame: &Frame, lambda: &[Expr]) -> (Vec<Reaction>, Vec<Expr>) {
    let rows = system.distribution.independent_rows();
    let m = rows.rows();
    let n = frame.n();
    let graph = &mut system.graph;
    if m == 0 {
        return (Vec::new(), vec![graph.zero(); n]);
    }
    let across: Vec<usize> = (frame.k..n).collect();
    let all: Vec<usize> = (0..n).collect();
    let pairing = rows.mul(graph, &frame.e.select(&all, &across)).transpose();
    let pairing = pairing.map(|e| graph.simplify_small(e));
    let rhs = Matrix::from_fn(m, 1, |i, _| lambda[i]);
    let size = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let solved = eliminate(graph, &mut system.zero, &pairing, &rhs, size);
    let mut mu = vec![graph.zero(); m];
    for (i, p) in solved.pivots.iter().enumerate() {
        mu[*p] = solved.solution[(i, solved.free.len())];
    }
    let force = (0..n)
        .map(|a| {
            let items: Vec<_> = (0..m).map(|i| (graph.mul(mu[i], rows[(i, a)]), int(1))).collect();
            graph.linear(items)
        })
        .collect();
    let mut out = Vec::new();
    for (i, row) in system.distribution.elimination.rows.clone().into_iter().enumerate() {
        if let Some(c) = row.checked_sub(system.distribution.representation) {
            out.push(Reaction {
                constraint: c,
                name: system.constraint_names[c].clone(),
                symbol: system.derived_symbol(&format!("lambda_{}", c + 1)),
                value: mu[i],
            });
        }
    }
    out.sort_by_key(|r| r.constraint);
    (out, force)
}

/// The multipliers of a reaction r = Aᵀμ that is known by its components r_A, in the order of the reactions of the
/// equations: from the columns that the rows were solved for.
pub(crate) fn multipliers_of(system: &mut System, equations: &Equations, reaction: &[Expr]) -> Vec<Expr> {
    let d = &system.distribution;
    let rows = d.independent_rows();
    let columns = d.elimination.pivots.clone();
    let m = rows.rows();
    let all: Vec<usize> = (0..m).collect();
    let block = rows.select(&all, &columns).transpose();
    let graph = &mut system.graph;
    let rhs = Matrix::from_fn(m, 1, |i, _| reaction[columns[i]]);
    let size = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let solved = eliminate(graph, &mut system.zero, &block, &rhs, size);
    let mut mu = vec![graph.zero(); m];
    for (i, p) in solved.pivots.iter().enumerate() {
        mu[*p] = solved.solution[(i, solved.free.len())];
    }
    let constraint = |i: usize| d.elimination.rows[i].checked_sub(d.representation);
    equations
        .reactions
        .iter()
        .map(|r| (0..m).find(|i| constraint(*i) == Some(r.constraint)).map_or(r.value, |i| mu[i]))
        .collect()
}
