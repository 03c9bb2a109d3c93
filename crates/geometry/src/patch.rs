//! A piece of surface in either representation, for code that needs no more than ν, S and ċ.

use crate::chart::Chart;
use crate::implicit::Implicit;
use crate::linear::{Mat3, Vec3};
use polhode_expr::{Expr, Graph, Symbol};

/// A piece of surface with coordinates for its points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patch {
    /// By an equation, with the three coordinates of the point.
    Implicit(Box<Implicit>),
    /// By a chart, with two parameters.
    Chart(Box<Chart>),
}

impl Patch {
    /// What a point is described by: c₁, c₂, c₃ or u, v.
    pub fn coordinates(&self) -> &[Symbol] {
        match self {
            Patch::Implicit(p) => &p.coordinates,
            Patch::Chart(p) => &p.parameters,
        }
    }

    /// The point.
    pub fn position(&self) -> &Vec3 {
        match self {
            Patch::Implicit(p) => &p.position,
            Patch::Chart(p) => &p.position,
        }
    }

    /// The outward unit normal ν.
    pub fn normal(&self) -> &Vec3 {
        match self {
            Patch::Implicit(p) => &p.normal,
            Patch::Chart(p) => &p.normal,
        }
    }

    /// The shape operator S = dν as a 3×3 matrix with S ν = 0.
    pub fn shape(&self) -> &Mat3 {
        match self {
            Patch::Implicit(p) => &p.shape,
            Patch::Chart(p) => &p.shape,
        }
    }

    /// What must vanish at a point of the surface; `None` for a chart, whose points lie on it.
    pub fn constraint(&self) -> Option<Expr> {
        match self {
            Patch::Implicit(p) => Some(p.f),
            Patch::Chart(_) => None,
        }
    }

    /// The rates of the coordinates when the point moves with the tangent velocity V.
    pub fn rates(&self, g: &mut Graph, velocity: &Vec3) -> Vec<Expr> {
        match self {
            Patch::Implicit(_) => velocity.to_vec(),
            Patch::Chart(p) => p.rates(g, velocity).to_vec(),
        }
    }
}
