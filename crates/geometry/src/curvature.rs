//! Curvatures and their directions, from the shape operator.
//!
//! ```text
//! mean  M = ½ tr S,   Gauss  K = ½((tr S)² − tr S²) = k₁k₂,   k = M ± √δ
//! δ = ½ |S − M P|² = ((k₁ − k₂)/2)²,       P = 1 − ννᵀ
//! ```
//!
//! Curvatures are counted positive where the material is convex: a sphere has 1/r. δ is a sum of squares,
//! because M² − K loses all digits near an umbilic. With a unit tangent vector t and b = ν × t the
//! directions of k₁ ≥ k₂ are
//!
//! ```text
//! t₁ = cos φ t + sin φ b,  t₂ = −sin φ t + cos φ b,   2φ = atan2(2 t·Sb, t·St − b·Sb)
//! ```
//!
//! undefined at umbilics only; the asymptotic directions, where t·St = 0, are
//! (√−k₂ t₁ ± √k₁ t₂)/√(k₁ − k₂), for k₁ ≥ 0 ≥ k₂.

use crate::linear::{self, Mat3, Vec3, fraction};
use polhode_expr::{Expr, Graph};

/// The curvatures of a surface at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Curvatures {
    /// M = ½(k₁ + k₂).
    pub mean: Expr,
    /// K = k₁k₂.
    pub gauss: Expr,
    /// k₁ ≥ k₂.
    pub principal: [Expr; 2],
}

impl Curvatures {
    /// From S and ν.
    pub fn new(g: &mut Graph, shape: &Mat3, normal: &Vec3) -> Curvatures {
        let trace = linear::trace(g, shape);
        let mean = fraction(g, trace, 1, 2);
        let gauss = linear::second_invariant(g, shape);
        let rest: Mat3 = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let nn = g.mul(normal[i], normal[j]);
                let p = if i == j {
                    let one = g.one();
                    g.sub(one, nn)
                } else {
                    g.neg(nn)
                };
                let step = g.mul(mean, p);
                g.sub(shape[i][j], step)
            })
        });
        let squares: Vec<Expr> = rest.iter().flatten().map(|e| g.powi(*e, 2)).collect();
        let sum = g.sum(squares);
        let delta = fraction(g, sum, 1, 2);
        let root = g.sqrt(delta);
        Curvatures { mean, gauss, principal: [g.add(mean, root), g.sub(mean, root)] }
    }
}

/// Unit vectors t₁, t₂ along the principal directions of k₁ ≥ k₂, seen from the unit tangent vector t.
pub fn principal_directions(g: &mut Graph, shape: &Mat3, normal: &Vec3, t: &Vec3) -> [Vec3; 2] {
    let b = linear::cross(g, normal, t);
    let (st, sb) = (linear::mat_vec(g, shape, t), linear::mat_vec(g, shape, &b));
    let (tt, tb, bb) = (linear::dot(g, t, &st), linear::dot(g, t, &sb), linear::dot(g, &b, &sb));
    let (twice, difference) = (g.add(tb, tb), g.sub(tt, bb));
    let angle = g.atan2(twice, difference);
    let phi = fraction(g, angle, 1, 2);
    let (s, c) = (g.sin(phi), g.cos(phi));
    let minus = g.neg(s);
    let basis = [*t, b];
    [linear::combine(g, &[c, s], &basis), linear::combine(g, &[minus, c], &basis)]
}

/// The two asymptotic directions, from the principal curvatures and directions; defined where k₁ ≥ 0 ≥ k₂.
pub fn asymptotic_directions(g: &mut Graph, principal: &[Expr; 2], directions: &[Vec3; 2]) -> [Vec3; 2] {
    let [k1, k2] = *principal;
    let (minus, gap) = (g.neg(k2), g.sub(k1, k2));
    let (p, q) = (g.div(minus, gap), g.div(k1, gap));
    let (p, q) = (g.sqrt(p), g.sqrt(q));
    let other = g.neg(q);
    [linear::combine(g, &[p, q], directions), linear::combine(g, &[p, other], directions)]
}

/// A unit tangent vector: the part of `hint` across ν, made a unit vector. Undefined where they are parallel.
pub fn tangent(g: &mut Graph, normal: &Vec3, hint: &Vec3) -> Vec3 {
    let along = linear::dot(g, normal, hint);
    let part = linear::scale(g, along, normal);
    let rest = linear::sub(g, hint, &part);
    let length = linear::norm(g, &rest);
    let inverse = g.powi(length, -1);
    linear::scale(g, inverse, &rest)
}

/// κ_g = a·(ν × V)/|V|³ of a curve with velocity V and acceleration a: how it turns to the left in the surface.
pub fn geodesic_curvature(g: &mut Graph, normal: &Vec3, velocity: &Vec3, acceleration: &Vec3) -> Expr {
    let left = linear::cross(g, normal, velocity);
    let along = linear::dot(g, acceleration, &left);
    let speed = linear::norm(g, velocity);
    let cube = g.powi(speed, 3);
    g.div(along, cube)
}

/// The second fundamental form −a·Sb of two tangent vectors: D = x_uu·n for a = b = x_u.
pub fn second_form(g: &mut Graph, shape: &Mat3, a: &Vec3, b: &Vec3) -> Expr {
    let image = linear::mat_vec(g, shape, b);
    let inner = linear::dot(g, a, &image);
    g.neg(inner)
}

/// κ_n = −V·SV/|V|²: the curvature of the normal section, counted towards ν; = a·ν/|V|² on the surface.
pub fn normal_curvature(g: &mut Graph, shape: &Mat3, velocity: &Vec3) -> Expr {
    let (above, below) = (second_form(g, shape, velocity, velocity), linear::dot(g, velocity, velocity));
    g.div(above, below)
}
