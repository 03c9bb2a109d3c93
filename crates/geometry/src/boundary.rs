//! What a body touches with: a smooth surface, or a sharp edge.

use crate::linear::{self, Vec3};
use crate::patch::Patch;
use crate::rim::Rim;
use crate::surface::{Missing, Placement, Surface};
use polhode_expr::{Expr, Graph, Symbol};

/// A sharp edge: a closed curve, in its own axes and then placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The curve.
    pub curve: Curve,
    /// Where it stands; `None`: its own axes are the axes.
    pub placement: Option<Placement>,
}

/// A closed curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// The circle about the z axis in the plane z = 0: the rim of a disk or wheel.
    Circle {
        /// Its radius.
        radius: Expr,
    },
    /// s ↦ x, of period 2π.
    Given {
        /// The parameter s.
        parameter: Symbol,
        /// The point.
        x: Vec3,
    },
}

impl Edge {
    /// The edge as a curve in the parameter with this name.
    pub fn rim(&self, g: &mut Graph, parameter: Symbol) -> Rim {
        let own = match self.curve {
            Curve::Circle { radius } => Rim::circle(g, parameter, radius),
            Curve::Given { parameter: s, x } => {
                let at = [(s, g.var(parameter))].into_iter().collect();
                let moved = g.substitute_all(&x, &at);
                Rim::new(g, parameter, [moved[0], moved[1], moved[2]])
            }
        };
        match self.placement {
            Some(p) => own.placed(g, p.rotation, p.translation),
            None => own,
        }
    }

    /// A circle at a point that is known without its angle; `None` for other curves.
    pub fn rim_through(&self, g: &mut Graph, parameter: Symbol, point: &Vec3) -> Option<Rim> {
        let Curve::Circle { radius } = self.curve else { return None };
        let [x, y, _] = self.placement.map_or(*point, |p| p.back(g, point));
        let turned = |g: &mut Graph, v: Vec3| self.placement.map_or(v, |p| linear::mat_vec(g, &p.rotation, &v));
        let (back, zero) = (g.neg(y), g.zero());
        let derivative = turned(g, [back, x, zero]);
        let inverse = g.powi(radius, -1);
        let tangent = linear::scale(g, inverse, &derivative);
        let bend = g.powi(radius, -2);
        let bend = g.neg(bend);
        let outward = turned(g, [x, y, zero]);
        let curvature_vector = linear::scale(g, bend, &outward);
        Some(Rim { parameter, position: *point, derivative, speed: radius, tangent, curvature_vector })
    }
}

/// What a body touches with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// A surface.
    Surface(Surface),
    /// An edge.
    Edge(Edge),
}

/// A piece of boundary with coordinates for its points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Of a surface: c₁, c₂, c₃ or u, v.
    Patch(Patch),
    /// Of an edge: s.
    Rim(Box<Rim>),
}

impl Boundary {
    /// The boundary with names for the coordinates of its points; the rim takes the first of the parameters.
    pub fn piece(&self, g: &mut Graph, at: [Symbol; 3], parameters: [Symbol; 2]) -> Result<Piece, Missing> {
        Ok(match self {
            Boundary::Surface(s) => Piece::Patch(s.patch(g, at, parameters)?),
            Boundary::Edge(e) => Piece::Rim(Box::new(e.rim(g, parameters[0]))),
        })
    }
}

impl Piece {
    /// What a point is described by.
    pub fn coordinates(&self) -> &[Symbol] {
        match self {
            Piece::Patch(p) => p.coordinates(),
            Piece::Rim(r) => std::slice::from_ref(&r.parameter),
        }
    }

    /// The point.
    pub fn position(&self) -> &Vec3 {
        match self {
            Piece::Patch(p) => p.position(),
            Piece::Rim(r) => &r.position,
        }
    }

    /// The rates of the coordinates when the point moves with the velocity V along the boundary.
    pub fn rates(&self, g: &mut Graph, velocity: &Vec3) -> Vec<Expr> {
        match self {
            Piece::Patch(p) => p.rates(g, velocity),
            Piece::Rim(r) => {
                let along = linear::dot(g, &r.tangent, velocity);
                vec![g.div(along, r.speed)]
            }
        }
    }
}
