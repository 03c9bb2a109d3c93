//! Surfaces: what they are, on which side the material lies, and where they stand.
//!
//! Every shape has an *outward* side, away from its material, and comes in up to two
//! representations (`implicit.rs`, `chart.rs`):
//!
//! | shape | f(x, y, z), negative in the material | chart (u, v) |
//! | --- | --- | --- |
//! | plane | z | (u, v, 0) |
//! | sphere r | ½(x² + y² + z² − r²) | r (sin u cos v, sin u sin v, cos u) |
//! | ellipsoid a, b, c | ½(x²/a² + y²/b² + z²/c² − 1) | (a sin u cos v, b sin u sin v, c cos u) |
//! | spheroid a, c | ellipsoid a, a, c | ellipsoid a, a, c |
//! | torus R, r | ¼[(\|x\|² + R² − r²)² − 4R²(x² + y²)] | ((R + r sin u) cos v, (R + r sin u) sin v, r cos u) |
//! | cylinder r | ½(x² + y² − r²) | (r cos u, r sin u, v) |
//! | cone α | √(x² + y²) cos α − z sin α | v (sin α cos u, sin α sin u, cos α) |
//! | paraboloid a, b | x²/2a + y²/2b − z | (v, u, v²/2a + u²/2b) |
//! | superquadric | ½{[(x²/a²)^(1/e₂) + (y²/b²)^(1/e₂)]^(e₂/e₁) + (z²/c²)^(1/e₁) − 1} | (a sᵉ¹ Cᵉ², b sᵉ¹ Sᵉ², c cᵉ¹) |
//! | revolution ρ(z) | ½(x² + y² − ρ(z)²) | (ρ(v) cos u, ρ(v) sin u, v) |
//! | revolution (ρ(s), z(s)) | none | (ρ(v) cos u, ρ(v) sin u, z(v)) |
//! | parametric | none | as given |
//! | implicit | as given | none |
//!
//! (s, c = sin u, cos u and S, C = sin v, cos v: the chart of the superquadric covers the open
//! octant x, y, z > 0.) Axes of symmetry are the z axis. The charts are oriented so that
//! x_u × x_v points outward; sphere, spheroid, torus, cylinder, cone and surfaces of revolution
//! have lines of curvature as coordinate lines. [`Surface::inside`] puts the material on the other
//! side: f changes sign, and the two parameters of the chart change places.
//!
//! The material of a paraboloid is the convex region above it, for a, b > 0: a ball in a bowl
//! meets its inside. A profile curve is walked with the material on its left, ρ to the right and
//! z upwards: counterclockwise for a closed body.
//!
//! Not here: edges and vertices (`rim.rs`), and bodies bounded by several surfaces.

use crate::chart::Chart;
use crate::implicit::Implicit;
use crate::linear::{self, Mat3, Vec2, Vec3, fraction, integer_sum};
use crate::patch::Patch;
use polhode_expr::{Expr, Graph, Symbol};
use std::fmt;

/// The meridian of a surface of revolution about the z axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The distance from the axis as a function of the height.
    Radius {
        /// The height.
        z: Symbol,
        /// The distance ρ(z) > 0.
        rho: Expr,
    },
    /// A curve, walked with the material on its left (ρ to the right, z upwards).
    Curve {
        /// The parameter of the curve.
        s: Symbol,
        /// The distance from the axis ρ(s) > 0.
        rho: Expr,
        /// The height z(s).
        z: Expr,
    },
}

/// What a surface is, in its own axes. Lengths are positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// z = 0, material below.
    Plane,
    /// The sphere about the origin.
    Sphere {
        /// Its radius.
        radius: Expr,
    },
    /// The ellipsoid with these half axes along x, y, z.
    Ellipsoid {
        /// Half axis along x.
        a: Expr,
        /// Half axis along y.
        b: Expr,
        /// Half axis along z.
        c: Expr,
    },
    /// The ellipsoid of revolution about z.
    Spheroid {
        /// Radius of the equator.
        a: Expr,
        /// Half axis along z.
        c: Expr,
    },
    /// The torus about z.
    Torus {
        /// Distance of the centres of the tube from the axis.
        major: Expr,
        /// Radius of the tube.
        minor: Expr,
    },
    /// The infinite circular cylinder about z.
    Cylinder {
        /// Its radius.
        radius: Expr,
    },
    /// The infinite circular cone about z, opening upwards from its apex at the origin; smooth for z > 0.
    Cone {
        /// The angle between axis and generators, in (0, π/2).
        half_angle: Expr,
    },
    /// z = x²/2a + y²/2b: the radii of curvature at the vertex are a and b (one of them may be negative).
    Paraboloid {
        /// Radius of curvature of the section y = 0.
        a: Expr,
        /// Radius of curvature of the section x = 0.
        b: Expr,
    },
    /// Barr's superquadric; an ellipsoid for e₁ = e₂ = 1. Where a coordinate vanishes, second
    /// derivatives exist only if the exponents 1/e are integers.
    Superquadric {
        /// Half axis along x.
        a: Expr,
        /// Half axis along y.
        b: Expr,
        /// Half axis along z.
        c: Expr,
        /// Exponent of the meridians.
        e1: Expr,
        /// Exponent of the parallels.
        e2: Expr,
    },
    /// A surface of revolution about z.
    Revolution(Profile),
    /// (u, v) ↦ x, outward normal along x_u × x_v.
    Parametric {
        /// The parameters.
        parameters: [Symbol; 2],
        /// The point.
        x: Vec3,
    },
    /// f = 0, negative in the material.
    Implicit {
        /// The coordinates x, y, z.
        at: [Symbol; 3],
        /// The function.
        f: Expr,
    },
}

/// On which side of the surface the material lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Inside the surface: the usual solid body, touched from outside.
    Outside,
    /// Around the surface: a cavity, touched from inside.
    Inside,
}

/// A motion of space, x ↦ Q x + t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The rotation Q.
    pub rotation: Mat3,
    /// The translation t.
    pub translation: Vec3,
}

impl Placement {
    /// This motion followed by another.
    pub fn then(&self, g: &mut Graph, next: &Placement) -> Placement {
        Placement {
            rotation: linear::mat_mul(g, &next.rotation, &self.rotation),
            translation: next.point(g, &self.translation),
        }
    }

    /// Q x + t.
    pub fn point(&self, g: &mut Graph, x: &Vec3) -> Vec3 {
        let turned = linear::mat_vec(g, &self.rotation, x);
        linear::add(g, &turned, &self.translation)
    }

    /// Qᵀ (x − t).
    pub fn back(&self, g: &mut Graph, x: &Vec3) -> Vec3 {
        let moved = linear::sub(g, x, &self.translation);
        linear::mat_vec(g, &linear::transpose(&self.rotation), &moved)
    }
}

/// Why a surface cannot be represented in the way asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// No equation f(x, y, z) = 0 is known.
    Equation,
    /// No parametrisation is known.
    Parametrisation,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::Equation => "a surface given by a parametrisation has no equation f(x, y, z) = 0",
            Missing::Parametrisation => "no parametrisation of this surface is known",
        })
    }
}

impl std::error::Error for Missing {}

/// A surface that bounds a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// What it is.
    pub shape: Shape,
    /// Where the material lies.
    pub side: Side,
    /// Where it stands; `None`: its own axes are the axes.
    pub placement: Option<Placement>,
}

/// A parametrised surface with what is known of its roots.
pub(crate) struct Parametrised {
    pub(crate) parameters: [Symbol; 2],
    pub(crate) x: Vec3,
    /// √E and √G where the lines are orthogonal and the positive roots are known.
    pub(crate) lengths: Option<Vec2>,
}

impl From<Shape> for Surface {
    fn from(shape: Shape) -> Surface {
        Surface { shape, side: Side::Outside, placement: None }
    }
}

impl Surface {
    /// The same surface with the material on the other side.
    pub fn inside(self) -> Surface {
        let side = match self.side {
            Side::Outside => Side::Inside,
            Side::Inside => Side::Outside,
        };
        Surface { side, ..self }
    }

    /// The surface turned and moved: x ↦ Q x + t on top of the placement it has.
    pub fn placed(self, g: &mut Graph, rotation: Mat3, translation: Vec3) -> Surface {
        let next = Placement { rotation, translation };
        let placement = match self.placement {
            Some(first) => first.then(g, &next),
            None => next,
        };
        Surface { placement: Some(placement), ..self }
    }

    /// The surface as f(c) = 0 in the coordinates with these names.
    pub fn implicit(&self, g: &mut Graph, at: [Symbol; 3]) -> Result<Implicit, Missing> {
        let c = at.map(|s| g.var(s));
        let f = self.shape.level(g, &c).ok_or(Missing::Equation)?;
        let f = if self.side == Side::Inside { g.neg(f) } else { f };
        let own = Implicit::new(g, at, f);
        Ok(match &self.placement {
            Some(placement) => own.placed(g, placement),
            None => own,
        })
    }

    /// The surface in its chart of the module head, with these parameters.
    pub fn chart(&self, g: &mut Graph, parameters: [Symbol; 2]) -> Result<Chart, Missing> {
        let p = self.shape.parametrised(g, parameters).ok_or(Missing::Parametrisation)?;
        Ok(self.finish(g, p))
    }

    /// The point of the chart alone, in the order of the parameters in the module head whatever the side.
    pub fn point(&self, g: &mut Graph, parameters: [Symbol; 2]) -> Result<Vec3, Missing> {
        let own = self.shape.parametrised(g, parameters).ok_or(Missing::Parametrisation)?.x;
        Ok(self.placement.map_or(own, |p| p.point(g, &own)))
    }

    /// The function of [`Surface::implicit`] alone: negative in the material.
    pub fn level(&self, g: &mut Graph, at: [Symbol; 3]) -> Result<Expr, Missing> {
        let c = at.map(|s| g.var(s));
        let own = self.placement.map_or(c, |p| p.back(g, &c));
        let f = self.shape.level(g, &own).ok_or(Missing::Equation)?;
        Ok(if self.side == Side::Inside { g.neg(f) } else { f })
    }

    /// The ellipsoid in elliptic coordinates, whose lines are the lines of curvature:
    ///
    /// ```text
    /// x² = a² (a² − u)(a² − v)/((a² − b²)(a² − c²)),   and cyclically,   a² ≥ u ≥ b² ≥ v ≥ c²
    /// ```
    ///
    /// [Voronets1911, §17, with the inequalities the right way round], in the octant x, y, z > 0, a > b > c.
    pub fn elliptic_chart(&self, g: &mut Graph, parameters: [Symbol; 2]) -> Result<Chart, Missing> {
        let Shape::Ellipsoid { a, b, c } = self.shape else { return Err(Missing::Parametrisation) };
        let p = elliptic(g, parameters, [a, b, c]);
        Ok(self.finish(g, p))
    }

    /// By its equation where it has one, otherwise by its chart.
    pub fn patch(&self, g: &mut Graph, at: [Symbol; 3], parameters: [Symbol; 2]) -> Result<Patch, Missing> {
        match self.implicit(g, at) {
            Ok(implicit) => Ok(Patch::Implicit(Box::new(implicit))),
            Err(_) => Ok(Patch::Chart(Box::new(self.chart(g, parameters)?))),
        }
    }

    /// Side and placement.
    fn finish(&self, g: &mut Graph, mut p: Parametrised) -> Chart {
        if self.side == Side::Inside {
            p.parameters.swap(0, 1);
            p.lengths = p.lengths.map(|[e, g]| [g, e]);
        }
        let own = Chart::from_parametrised(g, p);
        match &self.placement {
            Some(placement) => own.placed(g, placement),
            None => own,
        }
    }
}

/// Σ xᵢ²/aᵢ².
fn scaled_square(g: &mut Graph, c: &[Expr], a: &[Expr]) -> Expr {
    let parts: Vec<Expr> = c
        .iter()
        .zip(a)
        .map(|(x, a)| {
            let q = g.div(*x, *a);
            g.powi(q, 2)
        })
        .collect();
    g.sum(parts)
}

impl Shape {
    /// f(c) of the module head.
    fn level(&self, g: &mut Graph, c: &Vec3) -> Option<Expr> {
        let one = g.one();
        let [x, y, z] = *c;
        let square = |g: &mut Graph, e: Expr| g.powi(e, 2);
        let across = |g: &mut Graph| scaled_square(g, &[x, y], &[one, one]);
        Some(match *self {
            Shape::Plane => z,
            Shape::Sphere { radius } => {
                let (cc, rr) = (linear::dot(g, c, c), square(g, radius));
                let f = g.sub(cc, rr);
                fraction(g, f, 1, 2)
            }
            Shape::Ellipsoid { a, b, c: c3 } => {
                let q = scaled_square(g, c, &[a, b, c3]);
                let f = g.sub(q, one);
                fraction(g, f, 1, 2)
            }
            Shape::Spheroid { a, c } => return Shape::Ellipsoid { a, b: a, c }.level(g, &[x, y, z]),
            Shape::Torus { major, minor } => {
                let (cc, pp) = (linear::dot(g, c, c), across(g));
                let (rr, tt) = (square(g, major), square(g, minor));
                let inner = integer_sum(g, [(1, cc), (1, rr), (-1, tt)]);
                let inner = square(g, inner);
                let quarter = fraction(g, inner, 1, 4);
                let rest = g.mul(rr, pp);
                g.sub(quarter, rest)
            }
            Shape::Cylinder { radius } => {
                let (pp, rr) = (across(g), square(g, radius));
                let f = g.sub(pp, rr);
                fraction(g, f, 1, 2)
            }
            Shape::Cone { half_angle } => {
                let (s, k) = (g.sin(half_angle), g.cos(half_angle));
                // The distance from the cone: its neighbours are parallel cones, and developable like it.
                let pp = across(g);
                let rho = g.sqrt(pp);
                let (p, q) = (g.mul(k, rho), g.mul(s, z));
                g.sub(p, q)
            }
            Shape::Paraboloid { a, b } => {
                let (xx, yy) = (square(g, x), square(g, y));
                let (p, q) = (g.div(xx, a), g.div(yy, b));
                let sum = g.add(p, q);
                let height = fraction(g, sum, 1, 2);
                g.sub(height, z)
            }
            Shape::Superquadric { a, b, c, e1, e2 } => {
                let (p1, p2) = (g.powi(e1, -1), g.powi(e2, -1));
                let term = |g: &mut Graph, x: Expr, a: Expr, p: Expr| {
                    let q = scaled_square(g, &[x], &[a]);
                    g.power(q, p)
                };
                let (tx, ty, tz) = (term(g, x, a, p2), term(g, y, b, p2), term(g, z, c, p1));
                let (inner, k) = (g.add(tx, ty), g.mul(e2, p1));
                let inner = g.power(inner, k);
                let f = integer_sum(g, [(1, inner), (1, tz), (-1, one)]);
                fraction(g, f, 1, 2)
            }
            Shape::Revolution(Profile::Radius { z: height, rho }) => {
                let rho = g.substitute(rho, &[(height, z)].into_iter().collect());
                let (pp, rr) = (across(g), square(g, rho));
                let f = g.sub(pp, rr);
                fraction(g, f, 1, 2)
            }
            Shape::Implicit { at, f } => g.substitute(f, &at.into_iter().zip(*c).collect()),
            Shape::Revolution(Profile::Curve { .. }) | Shape::Parametric { .. } => return None,
        })
    }

    /// The chart of the module head.
    fn parametrised(&self, g: &mut Graph, parameters: [Symbol; 2]) -> Option<Parametrised> {
        let (zero, one) = (g.zero(), g.one());
        let [u, v] = parameters.map(|s| g.var(s));
        let (su, cu, sv, cv) = (g.sin(u), g.cos(u), g.sin(v), g.cos(v));
        let (x, lengths) = match *self {
            Shape::Plane => ([u, v, zero], Some([one, one])),
            Shape::Sphere { radius } => {
                let rho = g.mul(radius, su);
                ([g.mul(rho, cv), g.mul(rho, sv), g.mul(radius, cu)], Some([radius, rho]))
            }
            Shape::Ellipsoid { a, b, c } => ([g.product([a, su, cv]), g.product([b, su, sv]), g.mul(c, cu)], None),
            Shape::Spheroid { a, c } => {
                let rho = g.mul(a, su);
                let (p, q) = (g.mul(a, cu), g.mul(c, su));
                let e = linear::norm(g, &[p, q]);
                ([g.mul(rho, cv), g.mul(rho, sv), g.mul(c, cu)], Some([e, rho]))
            }
            Shape::Torus { major, minor } => {
                let out = g.mul(minor, su);
                let rho = g.add(major, out);
                ([g.mul(rho, cv), g.mul(rho, sv), g.mul(minor, cu)], Some([minor, rho]))
            }
            Shape::Cylinder { radius } => ([g.mul(radius, cu), g.mul(radius, su), v], Some([radius, one])),
            Shape::Cone { half_angle } => {
                let (s, k) = (g.sin(half_angle), g.cos(half_angle));
                let rho = g.mul(v, s);
                ([g.mul(rho, cu), g.mul(rho, su), g.mul(v, k)], Some([rho, one]))
            }
            Shape::Paraboloid { a, b } => {
                let (vv, uu) = (g.powi(v, 2), g.powi(u, 2));
                let (p, q) = (g.div(vv, a), g.div(uu, b));
                let sum = g.add(p, q);
                ([v, u, fraction(g, sum, 1, 2)], None)
            }
            Shape::Superquadric { a, b, c, e1, e2 } => {
                let (s, k, sv, cv) = (g.power(su, e1), g.power(cu, e1), g.power(sv, e2), g.power(cv, e2));
                ([g.product([a, s, cv]), g.product([b, s, sv]), g.mul(c, k)], None)
            }
            Shape::Revolution(profile) => {
                let (s, rho, z) = match profile {
                    Profile::Radius { z, rho } => (z, rho, g.var(z)),
                    Profile::Curve { s, rho, z } => (s, rho, z),
                };
                let slopes = [g.derivative(rho, s), g.derivative(z, s)];
                let at = [(s, v)].into_iter().collect();
                let moved = g.substitute_all(&[rho, z, slopes[0], slopes[1]], &at);
                let (rho, z) = (moved[0], moved[1]);
                let square = linear::dot(g, &[moved[2], moved[3]], &[moved[2], moved[3]]);
                let square = linear::tidy(g, square);
                let step = g.sqrt(square);
                ([g.mul(rho, cu), g.mul(rho, su), z], Some([rho, step]))
            }
            Shape::Parametric { parameters: own, x } => {
                let at = own.into_iter().zip([u, v]).collect();
                let moved = g.substitute_all(&x, &at);
                ([moved[0], moved[1], moved[2]], None)
            }
            Shape::Implicit { .. } => return None,
        };
        Some(Parametrised { parameters, x, lengths })
    }
}

/// Elliptic coordinates; √E and √G from E = ¼ u(u − v)/((a² − u)(u − b²)(u − c²)).
fn elliptic(g: &mut Graph, parameters: [Symbol; 2], axes: Vec3) -> Parametrised {
    let uv = parameters.map(|s| g.var(s));
    let squares = axes.map(|a| g.powi(a, 2));
    // Differences in the order in which they are positive for a² > u > b² > v > c².
    let gap =
        |g: &mut Graph, i: usize, p: usize| if i <= p { g.sub(squares[i], uv[p]) } else { g.sub(uv[p], squares[i]) };
    let x = std::array::from_fn(|i| {
        let above = [gap(g, i, 0), gap(g, i, 1)];
        let others = [(i + 1) % 3, (i + 2) % 3];
        let below = others.map(|j| if j > i { g.sub(squares[i], squares[j]) } else { g.sub(squares[j], squares[i]) });
        let (above, below) = (g.product(above), g.product(below));
        let ratio = g.div(above, below);
        let root = g.sqrt(ratio);
        g.mul(axes[i], root)
    });
    let between = g.sub(uv[0], uv[1]);
    let lengths = std::array::from_fn(|p| {
        let gaps = [gap(g, 0, p), gap(g, 1, p), gap(g, 2, p)];
        let (above, below) = (g.mul(uv[p], between), g.product(gaps));
        let ratio = g.div(above, below);
        let root = g.sqrt(ratio);
        fraction(g, root, 1, 2)
    });
    Parametrised { parameters, x, lengths: Some(lengths) }
}
