//! Curves as sharp edges: the rim of a disk, the edge of a plate.
//!
//! ```text
//! t = x′/|x′|,   κ N = (x″ − (x″·t) t)/|x′|²,   τ = (x′ × x″)·x‴/|x′ × x″|²
//! ```
//!
//! A rim has no shape operator: as a body edge its normal is any unit vector across the tangent, and
//! what decides is the other surface. The contact condition is t·ν = 0 with the normal ν of that
//! surface; when it is kept, the point moves along the edge. Source: the definitions of Frenet.
//!
//! How the point moves when an edge rolls on a surface is in `meeting.rs`.

use crate::linear::{self, Mat3, Vec3};
use crate::surface::Placement;
use polhode_expr::{Expr, Graph, Symbol};

/// A space curve s ↦ x(s).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rim {
    /// The parameter, not necessarily arc length.
    pub parameter: Symbol,
    /// The point.
    pub position: Vec3,
    /// x′.
    pub derivative: Vec3,
    /// |x′|.
    pub speed: Expr,
    /// The unit tangent t.
    pub tangent: Vec3,
    /// dt/ds over arc length: κ N, towards the centre of curvature.
    pub curvature_vector: Vec3,
}

impl Rim {
    /// The curve s ↦ x.
    pub fn new(g: &mut Graph, parameter: Symbol, position: Vec3) -> Rim {
        let derivative = position.map(|e| g.derivative(e, parameter));
        let square = linear::dot(g, &derivative, &derivative);
        let square = linear::tidy(g, square);
        let speed = g.sqrt(square);
        Rim::with_speed(g, parameter, position, derivative, speed)
    }

    /// The circle of this radius about the z axis in the plane z = 0, by its angle.
    pub fn circle(g: &mut Graph, parameter: Symbol, radius: Expr) -> Rim {
        let s = g.var(parameter);
        let (sin, cos) = (g.sin(s), g.cos(s));
        let position = [g.mul(radius, cos), g.mul(radius, sin), g.zero()];
        let derivative = position.map(|e| g.derivative(e, parameter));
        Rim::with_speed(g, parameter, position, derivative, radius)
    }

    fn with_speed(g: &mut Graph, parameter: Symbol, position: Vec3, derivative: Vec3, speed: Expr) -> Rim {
        let inverse = g.powi(speed, -1);
        let tangent = linear::scale(g, inverse, &derivative);
        let turned = tangent.map(|e| g.derivative(e, parameter));
        let curvature_vector = linear::scale(g, inverse, &turned);
        Rim { parameter, position, derivative, speed, tangent, curvature_vector }
    }

    /// The curve turned and moved by x ↦ Q x + t.
    pub fn placed(&self, g: &mut Graph, rotation: Mat3, translation: Vec3) -> Rim {
        let placement = Placement { rotation, translation };
        Rim {
            position: placement.point(g, &self.position),
            derivative: linear::mat_vec(g, &rotation, &self.derivative),
            tangent: linear::mat_vec(g, &rotation, &self.tangent),
            curvature_vector: linear::mat_vec(g, &rotation, &self.curvature_vector),
            ..*self
        }
    }

    /// κ ≥ 0.
    pub fn curvature(&self, g: &mut Graph) -> Expr {
        linear::norm(g, &self.curvature_vector)
    }

    /// τ, positive for a right-handed helix; undefined where the curvature vanishes.
    pub fn torsion(&self, g: &mut Graph) -> Expr {
        let second = self.derivative.map(|e| g.derivative(e, self.parameter));
        let third = second.map(|e| g.derivative(e, self.parameter));
        let across = linear::cross(g, &self.derivative, &second);
        let (above, below) = (linear::dot(g, &across, &third), linear::dot(g, &across, &across));
        g.div(above, below)
    }

    /// t·ν: zero where a surface with this normal may touch the edge.
    pub fn edge_condition(&self, g: &mut Graph, normal: &Vec3) -> Expr {
        linear::dot(g, &self.tangent, normal)
    }
}
