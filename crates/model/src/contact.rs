//! Contacts of bodies with each other and with the ground, as the resolved model has them.

use crate::switching::{Condition, ConstraintSet};
use polhode_base::Span;
use polhode_base::ids::{ConstraintId, IdRange, LatchId};
use polhode_expr::{Expr, Symbol};
use polhode_geometry::{Boundary, Mat3, Piece, Relative, Vec3};

/// What a side of a contact belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The body with this index among [`crate::Model::bodies`].
    Body(usize),
    /// A piece of ground, which stands or moves as it is told.
    Ground,
}

/// One of the two that touch. Vectors are in its own axes.
#[derive(Clone, Debug)]
pub struct ContactSide {
    /// Whose side it is.
    pub owner: Owner,
    /// What contacts call it: `wheel`, `shell.inner`, `ground`.
    pub name: String,
    /// What it touches with.
    pub boundary: Boundary,
    /// About how large it is, where its lengths do not say so.
    pub size: Option<f64>,
    /// Where its parameters lie, if they are not angles.
    pub domain: Option<[[f64; 2]; 2]>,
    /// The length of a cylinder that has ends.
    pub length: Option<Expr>,
    /// The boundary in coordinates of its points.
    pub piece: Piece,
    /// The point of contact as a function of positions and time.
    pub point: Vec3,
    /// Its axes, to those of the world.
    pub rotation: Mat3,
    /// Its origin in the world.
    pub position: Vec3,
    /// The velocity of its origin.
    pub velocity: Vec3,
    /// Its angular velocity.
    pub spin: Vec3,
    /// The velocity of its material at the contact relative to its axes, as of a belt.
    pub belt: Vec3,
    /// Where its boundary is written.
    pub span: Span,
}

/// The small motions that close a contact again, to first order.
#[derive(Clone, Debug)]
pub struct Correction {
    /// How the first side is to be moved, in its axes.
    pub shift: Vec3,
    /// How it is to be turned about the point of contact, in its axes; `None` where normals agree by construction.
    pub turn: Option<Vec3>,
    /// What the positions that follow the point are to be changed by.
    pub points: Vec<(Symbol, Expr)>,
}

/// A contact that needs more friction to roll than it has is found to slide when it needs one part in this more. A slip that has only begun
/// has a direction that changes very fast, as μN/|s|, and no integrator follows it from 0.
pub const SLIDES: i64 = 10_000;

/// How a contact changes during a run.
///
/// It has up to five rows: three of no slip, in force while it is closed and rolls, one that keeps it closed while it slides, and under dry friction one more
/// that does so where there is none. Lasting contact with a wall has the row of the gap, and those of the slip, in place of the first three.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The latch that is on while it is closed, for one that opens.
    pub closed: Option<LatchId>,
    /// The distance between the sides, for one that opens.
    pub gap: Option<Expr>,
    /// The part of the velocities that a landing returns.
    pub restitution: Expr,
    /// The latch that is on while it rolls, for one that slides under friction.
    pub rolls: Option<LatchId>,
    /// Where it does not slide freely, for ground that is smooth in places.
    pub rough: Option<Condition>,
    /// The rows of no slip.
    pub no_slip: IdRange<ConstraintId>,
    /// The row that keeps it closed while it slides.
    pub touching: Option<ConstraintId>,
    /// The row that keeps it closed where it has no friction, for one that has some elsewhere.
    pub smooth: Option<ConstraintId>,
    /// ν in the axes of the rows of no slip.
    pub normal: Vec3,
    /// What is left of friction while it rolls: ((1 + δ)μN)² − F², with δ = 1/[`SLIDES`].
    pub margin: Option<Expr>,
    /// s·s − ε², with the smallest slip ε that is one.
    pub slipping: Option<Expr>,
    /// N with what rounding may take from it.
    pub push: Expr,
}

/// A contact between two sides.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Its name; empty for the only contact of a model.
    pub name: String,
    /// The first side belongs to a body; an edge is always the first side.
    pub sides: [ContactSide; 2],
    /// ν: the normal out of the first side, in its axes.
    pub normal: Vec3,
    /// u: the velocity of the first side's material at the contact relative to the second's, in the axes of the first.
    pub slip: Vec3,
    /// The velocity of the point of contact over the first side, in its axes.
    pub rate: Vec3,
    /// The relative curvature.
    pub relative: Relative,
    /// The positions that follow the point of contact, if it is no function of the configuration.
    pub carried: Vec<Symbol>,
    /// What brings it back where rounding has led it astray.
    pub correction: Correction,
    /// Whether it slides freely.
    pub frictionless: bool,
    /// Whether it holds, so that it cannot open.
    pub bilateral: bool,
    /// The coefficient of friction, where one is given.
    pub friction: Option<Expr>,
    /// How it changes during a run; `None` for one that stays as it is.
    pub changes: Option<Changes>,
    /// Its rows among the constraints of the model.
    pub constraints: IdRange<ConstraintId>,
    /// The force on the first side, in world axes, in terms of the multipliers of these rows.
    pub force: Vec3,
    /// Its part against ν.
    pub normal_force: Expr,
    /// Where the contact is written.
    pub span: Span,
}

impl Contact {
    /// Whether it slides, always or at times.
    pub fn may_slide(&self) -> bool {
        self.frictionless || self.changes.as_ref().is_some_and(|c| c.touching.is_some())
    }

    /// Whether it is closed while these constraints hold.
    pub fn is_closed(&self, in_force: &ConstraintSet) -> bool {
        { self.constraints }.any(|c| in_force.contains(c))
    }

    /// Whether it rolls while these constraints hold.
    pub fn rolls(&self, in_force: &ConstraintSet) -> bool {
        match &self.changes {
            Some(changes) => { changes.no_slip }.any(|c| in_force.contains(c)),
            None => !self.frictionless,
        }
    }

    /// A name with that of the contact before it: `wheel_shell.force`, or `force` for the only contact.
    pub fn part(&self, name: &str) -> String {
        if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) }
    }
}
