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
//! Which constraints hold is a value, a [`ConstraintSet`]: [`Model::active`] gives that of some sides, and
//! [`Model::in_force`](crate::Model::in_force) is that of the start. A number means the same constraint in every set.

use crate::contact::Changes;
use crate::model::{Constraint, Model};
use polhode_base::Span;
use polhode_base::ids::{BorderId, ConstraintId, EventId, IdRange, IdVec, LatchId, WallId};
use polhode_expr::{Expr, Symbol};

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
    /// By events.
    Events {
        /// The one that turns it on; without one it is on from the start.
        from: Option<EventId>,
        /// The one that turns it off.
        until: Option<EventId>,
    },
    /// By lasting contact with a wall.
    Wall(WallId),
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
        /// Which.
        border: BorderId,
        /// Where its function is positive?
        positive: bool,
    },
    /// While a latch is on.
    While(LatchId),
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
    pub borders: IdVec<BorderId, i8>,
    /// For each latch: on?
    pub latches: IdVec<LatchId, bool>,
}

impl Condition {
    /// Everywhere but on a border.
    pub fn off(border: BorderId) -> Condition {
        Condition::Any([true, false].map(|positive| Condition::Beside { border, positive }).to_vec())
    }

    /// Whether it says that it holds off this border, and perhaps off others, and nothing else.
    pub fn is_off(&self, border: BorderId) -> bool {
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
    pub fn is_on(&self, border: BorderId) -> bool {
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
    pub lasting: Option<LatchId>,
    /// The constraints that hold then.
    pub constraints: IdRange<ConstraintId>,
    /// The force of the wall then: positive while it pushes.
    pub push: Option<Expr>,
    /// Where the wall is rough; everywhere if nothing is said and there is a slip.
    pub rough: Option<Condition>,
    /// How lasting contact rolls and slides, for a wall with dry friction that is not the other side of a contact.
    pub changes: Option<Changes>,
    /// Where it is written.
    pub span: Span,
}

/// Which of the constraints of a model hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct ConstraintSet(IdVec<ConstraintId, bool>);

impl ConstraintSet {
    /// Whether a constraint is among them.
    pub fn contains(&self, constraint: ConstraintId) -> bool {
        self.0.get(constraint).copied().unwrap_or(false)
    }

    /// Their numbers.
    pub fn iter(&self) -> impl Iterator<Item = ConstraintId> {
        self.0.enumerated().filter(|(_, on)| **on).map(|(c, _)| c)
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// Puts a constraint in, or takes it out.
    pub fn set(&mut self, constraint: ConstraintId, on: bool) {
        self.0[constraint] = on;
    }
}

impl FromIterator<bool> for ConstraintSet {
    fn from_iter<A: IntoIterator<Item = bool>>(all: A) -> ConstraintSet {
        ConstraintSet(all.into_iter().collect())
    }
}

impl Model {
    /// The constraints of a set as a system has them: what does not hold says 0 = 0 and keeps its number.
    pub fn constraints_in(&self, set: &ConstraintSet) -> IdVec<ConstraintId, Constraint> {
        let zero = self.graph.zero();
        let idle = |c: &Constraint| Constraint {
            residual: zero,
            holonomic: c.holonomic.map(|_| zero),
            friction: None,
            ..c.clone()
        };
        self.constraints.enumerated().map(|(k, c)| if set.contains(k) { c.clone() } else { idle(c) }).collect()
    }

    /// The constraints that hold at the start.
    pub fn holding(&self) -> impl Iterator<Item = &Constraint> {
        self.in_force.iter().map(|c| &self.constraints[c])
    }

    /// Which constraints are in force on these sides.
    pub fn active(&self, sides: &Sides) -> ConstraintSet {
        let holds = |c: &Constraint| c.restitution.is_none() && c.when.as_ref().is_none_or(|w| w.holds(sides));
        self.constraints.iter().map(holds).collect()
    }

    /// The constraints that give a blow to what comes from some sides to others.
    pub fn blows(&self, from: &Sides, to: &Sides) -> Vec<ConstraintId> {
        let enters =
            |c: &Constraint| c.restitution.is_some() && c.when.as_ref().is_some_and(|w| w.holds(to) && !w.holds(from));
        self.constraints.ids().filter(|k| enters(&self.constraints[*k])).collect()
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
            || self.constraints.iter().any(|c| c.when.is_some())
            || self.events.iter().any(|e| !e.sets.is_empty())
    }
}
