//! Contacts of bodies with each other and with the ground, as the resolved model has them.

use polhode_base::Span;
use polhode_expr::{Expr, Symbol};
use polhode_geometry::{Boundary, Mat3, Piece, Relative, Vec3};
use std::ops::Range;

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
    /// Its rows among the constraints of the model.
    pub constraints: Range<usize>,
    /// The force on the first side, in world axes, in terms of the multipliers of these rows.
    pub force: Vec3,
    /// Its part against ν.
    pub normal_force: Expr,
    /// Where the contact is written.
    pub span: Span,
}

impl Contact {
    /// A name with that of the contact before it: `wheel_shell.force`, or `force` for the only contact.
    pub fn part(&self, name: &str) -> String {
        if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) }
    }
}
