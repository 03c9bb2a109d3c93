//! Constraints that come and go, and walls: what a model says about them.
//!
//! A constraint may hold in a region only. Regions are put together from *borders*, functions b(q, t) whose sign tells the two sides apart,
//! and *latches*, which events turn on and off:
//!
//! ```text
//! x > 0 and x < 3/2    All [Beside { border: 0, positive: true }, Beside { border: 1, positive: false }]
//! ```
//!
//! A side of borders is open: on a border itself a constraint that holds on one side only does not hold, so that the rank of the constraints
//! is lower semicontinuous, as in \[CortesEtAl2001\].
//!
//! [`Model::constraints`](crate::Model::constraints) are those in force; what is not in force has the residual 0 and keeps its place, so that
//! an index means the same constraint everywhere.

use crate::contact::Changes;
use crate::model::{Constraint, Model};
use polhode_base::Span;
use polhode_expr::{Expr, Symbol};
use std::ops::Range;

/// A border function this near zero is met.
pub const ON_BORDER: f64 = 1e-12;

/// A function of position and time whose sign matters.
#[derive(Clone, Debug)]
pub struct Border {
    /// The function.
    pub function: Expr,
    /// How the model writes it: `x > 0`.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// Something that is turned on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latch {
    /// By events, given by their indices.
    Events {
        /// The one that turns it on; without one it is on from the start.
        from: Option<usize>,
        /// The one that turns it off.
        until: Option<usize>,
    },
    /// By lasting contact with a wall, given by its index.
    Wall(usize),
    /// By a contact that opens and closes, or rolls and slides.
    Contact {
        /// Is it on at the start?
        on: bool,
    },
}

impl Latch {
    /// Whether it is on at the start.
    pub fn starts_on(self) -> bool {
        matches!(self, Latch::Events { from: None, .. } | Latch::Contact { on: true })
    }
}

/// Where, or since when, a constraint holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// On one side of a border.
    Beside {
        /// Its index.
        border: usize,
        /// Where its function is positive?
        positive: bool,
    },
    /// While a latch is on: its index.
    While(usize),
    /// Where all of them hold.
    All(Vec<Condition>),
    /// Where one of them holds.
    Any(Vec<Condition>),
    /// Where it does not hold, borders included.
    Not(Box<Condition>),
}

/// On which side of each border a motion is, and which latches are on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sides {
    /// For each border: +1, −1, or 0 on it.
    pub borders: Vec<i8>,
    /// For each latch: on?
    pub latches: Vec<bool>,
}

impl Condition {
    /// Everywhere but on a border.
    pub fn off(border: usize) -> Condition {
        Condition::Any([true, false].map(|positive| Condition::Beside { border, positive }).to_vec())
    }

    /// Whether it says that it holds off this border, and perhaps off others, and nothing else.
    pub fn is_off(&self, border: usize) -> bool {
        let off = |c: &Condition| match c {
            Condition::Any(parts) => match parts[..] {
                [Condition::Beside { border: a, positive: true }, Condition::Beside { border: b, positive: false }] => {
                    (a == b).then_some(a)
                }
                _ => None,
            },
            _ => None,
        };
        match self {
            Condition::All(parts) => {
                parts.iter().all(|p| off(p).is_some()) && parts.iter().any(|p| off(p) == Some(border))
            }
            one => off(one) == Some(border),
        }
    }

    /// Whether it holds nowhere but on this border.
    pub fn is_on(&self, border: usize) -> bool {
        match self {
            Condition::Not(part) => part.is_off(border),
            Condition::All(parts) => parts.iter().any(|p| p.is_on(border)),
            _ => false,
        }
    }

    /// Where both hold.
    pub fn and(self, other: Condition) -> Condition {
        match self {
            Condition::All(mut parts) => {
                parts.push(other);
                Condition::All(parts)
            }
            first => Condition::All(vec![first, other]),
        }
    }

    /// Whether it holds.
    pub fn holds(&self, sides: &Sides) -> bool {
        match self {
            Condition::Beside { border, positive } => sides.borders[*border] == if *positive { 1 } else { -1 },
            Condition::While(latch) => sides.latches[*latch],
            Condition::All(parts) => parts.iter().all(|c| c.holds(sides)),
            Condition::Any(parts) => parts.iter().any(|c| c.holds(sides)),
            Condition::Not(part) => !part.holds(sides),
        }
    }

    /// The other side of all its borders, without these themselves.
    pub fn opposite(&self) -> Condition {
        let each = |parts: &[Condition]| parts.iter().map(Condition::opposite).collect();
        match self {
            Condition::Beside { border, positive } => Condition::Beside { border: *border, positive: !positive },
            Condition::While(latch) => Condition::Not(Box::new(Condition::While(*latch))),
            Condition::All(parts) => Condition::Any(each(parts)),
            Condition::Any(parts) => Condition::All(each(parts)),
            Condition::Not(part) => Condition::clone(part),
        }
    }
}

/// Dry friction that comes with the reaction λ of a constraint: the force −μ λ s/|s| against a slip s = U v + u₀, on the velocities
/// −μ λ Uᵀ s/|s|.
#[derive(Clone, Debug)]
pub struct Friction {
    /// μ.
    pub coefficient: Expr,
    /// s.
    pub slip: Vec<Expr>,
    /// What stands for s/|s| in observables and events, 0 where the constraint is not in force.
    pub direction: Vec<Symbol>,
}

/// Something to run into.
#[derive(Clone, Debug)]
pub struct Wall {
    /// Its name; no two walls of a model share one.
    pub name: String,
    /// The distance from it, a function of position and time: positive in front of it.
    pub gap: Expr,
    /// For a rough wall, velocities that it brings to rest besides that of the gap: the slip of the material that touches it.
    pub slip: Vec<Expr>,
    /// The part of the velocities that it returns.
    pub restitution: Expr,
    /// The coefficient of friction of a wall that is neither smooth nor perfectly rough.
    pub friction: Option<Expr>,
    /// Whether contact lasts once the bounces have become too many: the latch that is on then.
    pub lasting: Option<usize>,
    /// The constraints that hold then.
    pub constraints: Range<usize>,
    /// The force of the wall then: positive while it pushes.
    pub push: Option<Expr>,
    /// Where the wall is rough; everywhere if nothing is said and there is a slip.
    pub rough: Option<Condition>,
    /// How lasting contact rolls and slides, for a wall with dry friction that is not the other side of a contact.
    pub changes: Option<Changes>,
    /// Where it is written.
    pub span: Span,
}

impl Model {
    /// The model with other constraints in force: those of `written` for which `active` is true.
    pub fn with_active(&self, active: &[bool]) -> Model {
        let mut model = self.clone();
        let zero = model.graph.zero();
        model.constraints = (self.written.iter().zip(active))
            .map(|(c, on)| match on {
                true => c.clone(),
                false => {
                    Constraint { residual: zero, holonomic: c.holonomic.map(|_| zero), friction: None, ..c.clone() }
                }
            })
            .collect();
        model
    }

    /// Whether a constraint is in force.
    pub fn in_force(&self, constraint: usize) -> bool {
        self.written.get(constraint).is_none_or(|w| w.residual == self.constraints[constraint].residual)
    }

    /// How many constraints are in force.
    pub fn constraints_in_force(&self) -> usize {
        (0..self.constraints.len()).filter(|k| self.in_force(*k)).count()
    }

    /// Which constraints are in force on these sides.
    pub fn active(&self, sides: &Sides) -> Vec<bool> {
        let holds = |c: &Constraint| c.restitution.is_none() && c.when.as_ref().is_none_or(|w| w.holds(sides));
        self.written.iter().map(holds).collect()
    }

    /// The constraints that give a blow to what comes from some sides to others.
    pub fn blows(&self, from: &Sides, to: &Sides) -> Vec<usize> {
        let enters =
            |c: &Constraint| c.restitution.is_some() && c.when.as_ref().is_some_and(|w| w.holds(to) && !w.holds(from));
        (0..self.written.len()).filter(|k| enters(&self.written[*k])).collect()
    }

    /// On which side of each border the model starts.
    pub fn sides_at_start(&mut self) -> Sides {
        let mut values = self.parameter_values().unwrap_or_default();
        values.insert(self.time, 0.0);
        for (symbol, e) in self.initial_positions() {
            let x = self.graph.evaluate_f64(e, &values).unwrap_or(0.0);
            values.insert(symbol, x);
        }
        let side = |b: &Border| match self.graph.evaluate_f64(b.function, &values) {
            Ok(x) if x > ON_BORDER => 1,
            Ok(x) if x < -ON_BORDER => -1,
            _ => 0,
        };
        Sides {
            borders: self.borders.iter().map(side).collect(),
            latches: self.latches.iter().map(|l| l.starts_on()).collect(),
        }
    }

    /// Whether some constraint comes or goes, or there is something to run into.
    pub fn switches(&self) -> bool {
        !self.walls.is_empty()
            || self.written.iter().any(|c| c.when.is_some())
            || self.events.iter().any(|e| !e.sets.is_empty())
    }
}
