//! Where a point goes in a steady motion: rest, a line, or a circle.
//!
//! With X_ξ = Σ ξ^i X_i the point moves by ṗ = X_ξ p, p̈ = X_ξ X_ξ p. Euclidean motions lead it round a circle,
//!
//! ```text
//! ω = ṗ × p̈ / ṗ²,      centre = p + p̈ ṗ²/p̈²,      radius = ṗ²/|p̈|,                                (S3)
//! ```
//!
//! or, where it moves along the axis as well, on a screw whose circle of curvature this is.

use crate::particular::vector::{cross, dot};
use polhode_tape::{Dd, Scalar};

/// Accelerations below this part of the velocities' scale are rounding.
const STRAIGHT: f64 = 1e-22;

/// What a point does.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// It rests.
    Rest,
    /// It goes straight on.
    Line,
    /// It goes round.
    Circle {
        /// The radius.
        radius: Dd,
        /// The centre.
        centre: [Dd; 3],
        /// The angular velocity: its direction is the axis.
        rate: [Dd; 3],
    },
}

/// The path of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The point.
    pub name: String,
    /// Where it is at t = 0.
    pub position: [Dd; 3],
    /// Its velocity there.
    pub velocity: [Dd; 3],
    /// Where it goes.
    pub shape: Shape,
}

impl Path {
    /// The radius of its circle, if it goes round one; 0 at rest.
    pub fn radius(&self) -> Option<Dd> {
        match &self.shape {
            Shape::Rest => Some(Dd::ZERO),
            Shape::Line => None,
            Shape::Circle { radius, .. } => Some(*radius),
        }
    }
}

/// From p, X_i p, X_i X_j p.
pub(super) fn path(name: &str, values: &[Dd], xi: &[Dd]) -> Path {
    let g = xi.len();
    let triple = |k: usize| [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
    let add = |a: [Dd; 3], f: Dd, b: [Dd; 3]| [0, 1, 2].map(|i| a[i] + f * b[i]);
    let position = triple(0);
    let velocity = (0..g).fold([Dd::ZERO; 3], |sum, i| add(sum, xi[i], triple(1 + i)));
    let mut acceleration = [Dd::ZERO; 3];
    for i in 0..g {
        for j in 0..g {
            acceleration = add(acceleration, xi[i] * xi[j], triple(1 + g + i * g + j));
        }
    }
    let (v2, a2) = (dot(velocity, velocity), dot(acceleration, acceleration));
    let rate = xi.iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()));
    let reach = position.iter().fold(1.0f64, |m, x| m.max(x.to_f64().abs()));
    let shape = if v2.sqrt().to_f64() <= STRAIGHT * rate * reach {
        Shape::Rest
    } else if a2.sqrt().to_f64() <= STRAIGHT * rate * v2.sqrt().to_f64() {
        Shape::Line
    } else {
        let (v, a) = (velocity, acceleration);
        Shape::Circle {
            radius: v2 / a2.sqrt(),
            centre: add(position, v2 / a2, acceleration),
            rate: cross(v, a).map(|x| x / v2),
        }
    };
    Path { name: name.to_string(), position, velocity, shape }
}
