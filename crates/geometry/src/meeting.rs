//! Where two boundaries touch, and how the point moves, for any motion of both.
//!
//! All is seen from the axes of the first. The second stands at d, turned by G: its point y is at G y + d.
//! With the angular velocity Ω of the first relative to the second and the velocity u of the first's material at the
//! contact relative to the axes of the second,
//!
//! ```text
//! K ċ = ν × Ω − S₂ u,     K = S + S₂,     S₂ = G S₁ Gᵀ            two surfaces
//! k ċ = t t·(ν × Ω − S₂ u),   k = t·S₂ t − κN·ν                   an edge on a surface
//! ```
//!
//! where ν is the outward normal of the first, −G ν₁; for an edge it is that of the surface, and the point moves along the
//! tangent t with the curvature vector κN. Both lines are the derivative of ν = −G ν₁, the second of t·ν = 0. Rolling has
//! u = 0; [Voronets1911, (11)] is the case with sliding.
//!
//! **Known points.** Where the second is a plane, the normal ν = −m is known before the point, and many
//! boundaries have a formula for the point with a given normal:
//!
//! ```text
//! sphere  r ν,     ellipsoid  A²ν/√(ν·A²ν), A = diag(a, b, c),     circle  a ν_⊥/|ν_⊥|,     cylinder  the same
//! ```
//!
//! (of the cylinder, whose whole generator touches, the point at z = 0). Spheres and cylinders of radii ρ, negative for cavities,
//! touch spheres on the line of their centres: ν = −D/(ρ + ρ₁), D from the second centre to the first, without its part along an axis. A circle
//! in a sphere touches where it is farthest from the centre of the sphere, on a sphere where it is nearest. Then the contact is a function of the
//! configuration and needs no equation of its own, and the gap between the two is one where they do not touch.

use crate::boundary::{Boundary, Curve, Edge, Piece};
use crate::contact::Contact;
use crate::linear::{self, Mat3, Vec3};
use crate::surface::{Placement, Shape, Side, Surface};
use polhode_expr::{Expr, Graph};

/// How the second boundary stands, seen from the axes of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    /// G.
    pub rotation: Mat3,
    /// d.
    pub origin: Vec3,
}

impl Stand {
    /// How the first stands, seen from the second.
    pub fn reversed(&self, g: &mut Graph) -> Stand {
        let rotation = linear::transpose(&self.rotation);
        let moved = linear::mat_vec(g, &rotation, &self.origin);
        Stand { rotation, origin: linear::neg(g, &moved) }
    }

    /// A point of the second in the axes of the first.
    pub fn seen(&self, g: &mut Graph, y: &Vec3) -> Vec3 {
        let turned = linear::mat_vec(g, &self.rotation, y);
        linear::add(g, &turned, &self.origin)
    }

    /// A point of the first in the axes of the second.
    pub fn back(&self, g: &mut Graph, x: &Vec3) -> Vec3 {
        let moved = linear::sub(g, x, &self.origin);
        linear::mat_vec(g, &linear::transpose(&self.rotation), &moved)
    }
}

/// A contact that is a function of how the boundaries stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// c, in the axes of the first.
    pub point: Vec3,
    /// ν, out of the first.
    pub normal: Vec3,
    /// How the first has to be moved where it stands off by a little, to first order.
    pub shift: Vec3,
    /// How far the two are apart, near contact and far from it; negative where they overlap.
    pub gap: Expr,
}

impl Known {
    /// The contact of these two, where a formula is known.
    pub fn of(g: &mut Graph, first: &Boundary, second: &Boundary, stand: &Stand) -> Option<Known> {
        if let Some(known) = Known::one_way(g, first, second, stand) {
            return Some(known);
        }
        let reversed = stand.reversed(g);
        let other = Known::one_way(g, second, first, &reversed)?;
        let [normal, shift] = [other.normal, other.shift].map(|v| {
            let seen = linear::mat_vec(g, &stand.rotation, &v);
            linear::neg(g, &seen)
        });
        Some(Known { point: stand.seen(g, &other.point), normal, shift, gap: other.gap })
    }

    fn one_way(g: &mut Graph, first: &Boundary, second: &Boundary, stand: &Stand) -> Option<Known> {
        let Boundary::Surface(second) = second else { return None };
        match (first, second.shape) {
            (_, Shape::Plane) => {
                let up = [g.zero(), g.zero(), if second.side == Side::Inside { g.int(-1) } else { g.one() }];
                let up = placed_direction(g, second.placement, &up);
                let seen = linear::mat_vec(g, &stand.rotation, &up);
                let normal = linear::neg(g, &seen);
                let point = point_with_normal(g, first, &normal)?;
                // the height above the plane, taken away
                let foot = centre(g, second.placement);
                let foot = stand.seen(g, &foot);
                let above = linear::sub(g, &point, &foot);
                let height = linear::dot(g, &normal, &above);
                let down = g.neg(height);
                Some(Known { point, normal, shift: linear::scale(g, down, &normal), gap: down })
            }
            (Boundary::Surface(first), Shape::Sphere { .. } | Shape::Cylinder { .. }) => {
                round_on_round(g, first, second, stand)
            }
            (Boundary::Edge(Edge { curve: Curve::Circle { radius }, placement }), Shape::Sphere { .. }) => {
                circle_on_sphere(g, *radius, *placement, second, stand)
            }
            _ => None,
        }
    }
}

fn placed_direction(g: &mut Graph, placement: Option<Placement>, v: &Vec3) -> Vec3 {
    placement.map_or(*v, |p| linear::mat_vec(g, &p.rotation, v))
}

fn placed_point(g: &mut Graph, placement: Option<Placement>, x: &Vec3) -> Vec3 {
    placement.map_or(*x, |p| p.point(g, x))
}

fn centre(g: &Graph, placement: Option<Placement>) -> Vec3 {
    placement.map_or(linear::zero(g), |p| p.translation)
}

/// The point with this outward normal, where it is the only one.
fn point_with_normal(g: &mut Graph, boundary: &Boundary, normal: &Vec3) -> Option<Vec3> {
    let placement = match boundary {
        Boundary::Surface(s) if s.side == Side::Inside => return None,
        Boundary::Surface(s) => s.placement,
        Boundary::Edge(e) => e.placement,
    };
    let own = placement.map_or(*normal, |p| linear::mat_vec(g, &linear::transpose(&p.rotation), normal));
    let [x, y, _] = own;
    let zero = g.zero();
    let across = |g: &mut Graph, radius: Expr| {
        let flat = [x, y, zero];
        let length = linear::norm(g, &flat);
        let size = g.div(radius, length);
        linear::scale(g, size, &flat)
    };
    let point = match boundary {
        Boundary::Surface(Surface { shape, .. }) => match *shape {
            Shape::Sphere { radius } => linear::scale(g, radius, &own),
            Shape::Ellipsoid { a, b, c } => stretched(g, [a, b, c], &own),
            Shape::Spheroid { a, c } => stretched(g, [a, a, c], &own),
            Shape::Cylinder { radius } => across(g, radius),
            _ => return None,
        },
        Boundary::Edge(Edge { curve: Curve::Circle { radius }, .. }) => across(g, *radius),
        Boundary::Edge(_) => return None,
    };
    Some(placed_point(g, placement, &point))
}

/// A²ν/√(ν·A²ν).
fn stretched(g: &mut Graph, axes: [Expr; 3], normal: &Vec3) -> Vec3 {
    let image: Vec3 = std::array::from_fn(|i| {
        let square = g.powi(axes[i], 2);
        g.mul(square, normal[i])
    });
    let square = linear::dot(g, normal, &image);
    let length = g.sqrt(square);
    let inverse = g.powi(length, -1);
    linear::scale(g, inverse, &image)
}

/// The radius, negative for a cavity.
fn signed_radius(g: &mut Graph, surface: &Surface) -> Option<Expr> {
    let (Shape::Sphere { radius } | Shape::Cylinder { radius }) = surface.shape else { return None };
    Some(if surface.side == Side::Inside { g.neg(radius) } else { radius })
}

fn round_on_round(g: &mut Graph, first: &Surface, second: &Surface, stand: &Stand) -> Option<Known> {
    let Shape::Sphere { .. } = first.shape else { return None };
    let (rho, other) = (signed_radius(g, first)?, signed_radius(g, second)?);
    let (own, far) = (centre(g, first.placement), centre(g, second.placement));
    let far = stand.seen(g, &far);
    let mut between = linear::sub(g, &own, &far);
    if let Shape::Cylinder { .. } = second.shape {
        let axis = [g.zero(), g.zero(), g.one()];
        let axis = placed_direction(g, second.placement, &axis);
        let axis = linear::mat_vec(g, &stand.rotation, &axis);
        let along = linear::dot(g, &axis, &between);
        let part = linear::scale(g, along, &axis);
        between = linear::sub(g, &between, &part);
    }
    let sum = g.add(rho, other);
    let size = g.powi(sum, -1);
    let size = g.neg(size);
    let normal = linear::scale(g, size, &between);
    let out = linear::scale(g, rho, &normal);
    let shift = to_length(g, &between, sum);
    let gap = beyond(g, &between, sum, [first.side, second.side].contains(&Side::Inside));
    Some(Known { point: linear::add(g, &own, &out), normal, shift, gap })
}

/// |v| − ℓ for centres that are at least ℓ apart, −ℓ − |v| for those of which one is in the cavity of the other, where ℓ < 0.
fn beyond(g: &mut Graph, v: &Vec3, length: Expr, inside: bool) -> Expr {
    let size = linear::norm(g, v);
    let size = if inside { g.neg(size) } else { size };
    g.sub(size, length)
}

/// What has to be added to a vector so that it has this length, up to its sign.
fn to_length(g: &mut Graph, v: &Vec3, length: Expr) -> Vec3 {
    let (square, wanted) = (linear::dot(g, v, v), g.powi(length, 2));
    // ℓ/|v| − 1 = (ℓ²/|v|² − 1)/2 to first order
    let ratio = g.div(wanted, square);
    let one = g.one();
    let off = g.sub(ratio, one);
    let half = linear::fraction(g, off, 1, 2);
    linear::scale(g, half, v)
}

fn circle_on_sphere(
    g: &mut Graph,
    radius: Expr,
    placement: Option<Placement>,
    sphere: &Surface,
    stand: &Stand,
) -> Option<Known> {
    let rho = signed_radius(g, sphere)?;
    let far = centre(g, sphere.placement);
    let far = stand.seen(g, &far);
    let own = centre(g, placement);
    let mut between = linear::sub(g, &own, &far);
    let axis = [g.zero(), g.zero(), g.one()];
    let axis = placed_direction(g, placement, &axis);
    let along = linear::dot(g, &axis, &between);
    let part = linear::scale(g, along, &axis);
    between = linear::sub(g, &between, &part);
    let length = linear::norm(g, &between);
    let size = g.div(radius, length);
    let size = if sphere.side == Side::Inside { size } else { g.neg(size) };
    let out = linear::scale(g, size, &between);
    let point = linear::add(g, &own, &out);
    let from_centre = linear::sub(g, &point, &far);
    let inverse = g.powi(rho, -1);
    let inverse = g.neg(inverse);
    let shift = to_length(g, &from_centre, rho);
    let gap = beyond(g, &from_centre, rho, sphere.side == Side::Inside);
    Some(Known { point, normal: linear::scale(g, inverse, &from_centre), shift, gap })
}

/// The operator that turns ν × Ω − S₂ u into the velocity of the contact over the first boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relative {
    /// Two surfaces.
    Surfaces(Contact),
    /// An edge on a surface.
    Edge {
        /// t.
        tangent: Vec3,
        /// k.
        curvature: Expr,
    },
}

impl Relative {
    /// From the first boundary at the contact, the normal ν and S₂.
    pub fn new(g: &mut Graph, first: &Piece, normal: Vec3, second: &Mat3) -> Relative {
        match first {
            Piece::Patch(p) => Relative::Surfaces(Contact::from_operators(g, normal, p.shape(), second)),
            Piece::Rim(r) => {
                let image = linear::mat_vec(g, second, &r.tangent);
                let (bent, own) = (linear::dot(g, &r.tangent, &image), linear::dot(g, &r.curvature_vector, &normal));
                Relative::Edge { tangent: r.tangent, curvature: g.sub(bent, own) }
            }
        }
    }

    /// The velocity for w = ν × Ω − S₂ u.
    pub fn velocity(&self, g: &mut Graph, w: &Vec3) -> Vec3 {
        match self {
            Relative::Surfaces(contact) => contact.solve(g, w),
            Relative::Edge { tangent, curvature } => {
                let along = linear::dot(g, tangent, w);
                let size = g.div(along, *curvature);
                linear::scale(g, size, tangent)
            }
        }
    }

    /// What vanishes where the contact has no definite velocity: det K, or k.
    pub fn determinant(&self) -> Expr {
        match self {
            Relative::Surfaces(contact) => contact.determinant,
            Relative::Edge { curvature, .. } => *curvature,
        }
    }
}
