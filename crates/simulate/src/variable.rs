//! What a motion consists of for its user: named numbers, vectors and matrices.

use polhode_base::ids::{ConstraintId, Id};
use polhode_expr::Graph;
use polhode_lower::Program;
use polhode_model::{Contact, Factor, Model};
use std::ops::Range;

/// How the numbers of a variable are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One number.
    Scalar,
    /// Components, in order.
    Vector(usize),
    /// Rows of a three by three matrix.
    Matrix,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// A position.
    Position,
    /// A velocity.
    Velocity,
    /// The energy, or an observable of the model.
    Derived,
    /// The multiplier of a constraint: its reaction force.
    Reaction,
    /// How far a constraint is violated.
    Residual,
}

/// A named quantity along a motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name: `theta`, `theta'`, `R`, `Omega`, `energy`; reactions and residuals have the name of
    /// their constraint.
    pub name: String,
    /// What it is.
    pub group: Group,
    /// How its numbers are arranged.
    pub shape: Shape,
    /// Its numbers among those of a sample.
    pub numbers: Range<usize>,
}

impl Variable {
    /// The names of its numbers: `theta`, or `R[1,1]`, `R[1,2]`, …
    pub fn columns(&self) -> Vec<String> {
        match self.shape {
            Shape::Scalar => vec![self.name.clone()],
            Shape::Vector(n) => (1..=n).map(|i| format!("{}[{i}]", self.name)).collect(),
            Shape::Matrix => (0..9).map(|k| format!("{}[{},{}]", self.name, k / 3 + 1, k % 3 + 1)).collect(),
        }
    }

    /// The same where all variables stand side by side: a reaction is told from what has the name of its constraint.
    pub fn titles(&self) -> Vec<String> {
        match self.group {
            Group::Reaction => vec![format!("reaction {}", self.name)],
            _ => self.columns(),
        }
    }
}

/// What an observable is. Points of contact belong to the positions, whether they are carried along or follow from them; so do the
/// rotation and the centre of a body that moves in the coordinates of its contact, and its velocities to the velocities.
fn group_of(model: &Model, stem: &str) -> Group {
    let point = |c: &Contact| stem == c.part("c") || stem == c.part("c1");
    if model.contacts.iter().any(point) {
        return Group::Position;
    }
    let by_contact = !model.contacts.is_empty() && !model.configuration.factors().iter().any(Factor::in_contact);
    match stem.rsplit('.').next() {
        Some("R" | "x_O") if by_contact => Group::Position,
        Some("V" | "Omega" | "omega") if by_contact => Group::Velocity,
        _ => Group::Derived,
    }
}

/// The variables of a program: positions and velocities factor by factor, then the rest.
pub(crate) fn variables(model: &Model, graph: &Graph, program: &Program, observables: &[String]) -> Vec<Variable> {
    let layout = &program.layout;
    let mut out = Vec::new();
    let mut put = |name: &str, group, shape, start: usize| {
        let count = match shape {
            Shape::Scalar => 1,
            Shape::Vector(n) => n,
            Shape::Matrix => 9,
        };
        out.push(Variable { name: name.to_string(), group, shape, numbers: start..start + count });
    };
    let (mut x, mut v, mut w) = (layout.positions.start, layout.velocities.start, layout.world.start);
    use Group::{Derived, Position, Reaction, Residual, Velocity};
    for f in model.configuration.factors() {
        if let Some(turn) = f.rotation() {
            put(&turn.name, Position, Shape::Matrix, x);
            if let Some(shift) = f.translation() {
                put(&shift.name, Position, Shape::Vector(3), x + 9);
                put(&shift.body, Velocity, Shape::Vector(3), v);
            }
            put(&turn.body, Velocity, Shape::Vector(3), v + f.velocities.len() - 3);
            put(&turn.world, Velocity, Shape::Vector(3), w);
            w += 3;
        } else if f.direction().is_some() {
            put(&f.name, Position, Shape::Vector(3), x);
            put(&format!("{}'", f.name), Velocity, Shape::Vector(3), v);
        } else if f.is_carried() {
            put(&f.name, Position, Shape::Vector(f.positions.len()), x);
        } else {
            for (k, s) in f.positions.iter().enumerate() {
                put(graph.name(*s), Position, Shape::Scalar, x + k);
            }
            for (k, s) in f.velocities.iter().enumerate() {
                put(graph.name(*s), Velocity, Shape::Scalar, v + k);
            }
        }
        x += f.positions.len();
        v += f.velocities.len();
    }
    put("energy", Derived, Shape::Scalar, layout.energy);
    let mut k = 0;
    while k < observables.len() {
        // `R[1,1]`, `R[1,2]`, … are one matrix, `w[1]`, `w[2]`, … one vector
        let named = |i: usize, name: String| observables.get(k + i) == Some(&name);
        let matrix = observables[k].strip_suffix("[1,1]");
        let matrix = matrix.filter(|m| (0..9).all(|i| named(i, format!("{m}[{},{}]", i / 3 + 1, i % 3 + 1))));
        let vector = observables[k].strip_suffix("[1]");
        let (stem, shape, count) = match (matrix, vector) {
            (Some(stem), _) => (stem, Shape::Matrix, 9),
            (_, Some(stem)) => {
                let count = (1..).take_while(|i| named(i - 1, format!("{stem}[{i}]"))).count();
                (stem, Shape::Vector(count), count)
            }
            _ => (observables[k].as_str(), Shape::Scalar, 1),
        };
        put(stem, group_of(model, stem), shape, layout.observables.start + k);
        k += count;
    }
    for (k, c) in program.reactions.iter().enumerate() {
        put(&model.constraints[ConstraintId::new(*c)].name, Reaction, Shape::Scalar, layout.reactions.start + k);
    }
    for (k, c) in model.constraints.iter().enumerate() {
        put(&c.name, Residual, Shape::Scalar, layout.residuals.start + k);
    }
    out.into_iter().flat_map(|v| with_values(v, &program.missing)).collect()
}

/// A variable as far as it has values: whole, or the entries one by one that have.
fn with_values(variable: Variable, missing: &[usize]) -> Vec<Variable> {
    if variable.numbers.clone().all(|k| !missing.contains(&k)) {
        return vec![variable];
    }
    let entries = variable.columns().into_iter().zip(variable.numbers.clone());
    let known = entries.filter(|(_, k)| !missing.contains(k));
    known.map(|(name, k)| Variable { name, group: variable.group, shape: Shape::Scalar, numbers: k..k + 1 }).collect()
}
