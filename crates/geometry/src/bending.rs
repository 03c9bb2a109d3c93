//! Bending, twisting and spinning of a surface along a curve, after Voronets.
//!
//! A surface that rolls on its tangent plane along a curve, with unit speed, has the angular velocity Ω + N n:
//!
//! ```text
//! H Ω = (D x_v − D′ x_u) du/ds + (D′ x_v − D″ x_u) dv/ds              (2)  total bending, = dn/ds × n
//! H√E Ω_u = (DF − D′E) du/ds + (D′F − D″E) dv/ds                      (3)
//! H√G Ω_v = (DG − D′F) du/ds + (D′G − D″F) dv/ds                      (3)
//! s = dx/ds = x_u du/ds + x_v dv/ds                                   (4)
//! H Ω_s ds² = (DF − D′E) du² + (DG − D″E) du dv + (D′G − D″F) dv²          twisting, Ω·s
//! H p = (E x_v − F x_u) du/ds + (F x_v − G x_u) dv/ds                 (5)  p = n × s
//! Ω_p ds² = D du² + 2D′ du dv + D″ dv²                                     pure bending, Ω·p
//! H N = ∂_v(E du/ds + F dv/ds) − ∂_u(F du/ds + G dv/ds)               (7)  spinning, N = −κ_g
//! ```
//!
//! Source: [Voronets1911, §§2–3], for any regular chart. Twisting vanishes along the lines of
//! curvature, pure bending along the asymptotic lines, spinning along geodesics. Without a chart,
//! Ω = (S s) × ν, Ω_p = −s·Ss. He calls Ω_s the torsion of the geodesic; with the sign of today, by which
//! a right-handed helix has positive torsion, it is minus that.
//!
//! The angular velocity of a body relative to the axes M e₁e₂n that its contact point carries
//! is (8), for any chart (σ₁, τ₁) = J B A (u̇, v̇), n₁ = −Γ (u̇, v̇), J = (0, −1; 1, 0).

use crate::chart::Chart;
use crate::linear::{self, Mat3, Vec2, Vec3, fraction, integer_sum};
use polhode_expr::{Expr, Graph, Symbol};

/// Bending of a surface in a direction, per unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bending {
    /// s, the unit tangent (4).
    pub tangent: Vec3,
    /// p = n × s (5).
    pub sideways: Vec3,
    /// Ω, the total bending (2).
    pub total: Vec3,
    /// Ω_s, the twisting: minus the torsion of the geodesic in this direction (positive if right-handed).
    pub twisting: Expr,
    /// Ω_p, the pure bending: the curvature of the normal section, towards n.
    pub pure: Expr,
}

impl Bending {
    /// From ν, S and the unit tangent s.
    pub fn new(g: &mut Graph, normal: &Vec3, shape: &Mat3, tangent: Vec3) -> Bending {
        let image = linear::mat_vec(g, shape, &tangent);
        let total = linear::cross(g, &image, normal);
        let twisting = linear::dot(g, &total, &tangent);
        let inward = linear::dot(g, &tangent, &image);
        Bending { tangent, sideways: linear::cross(g, normal, &tangent), total, twisting, pure: g.neg(inward) }
    }
}

impl Chart {
    /// ds/dλ for a curve with (du/dλ, dv/dλ).
    pub fn speed(&self, g: &mut Graph, direction: &Vec2) -> Expr {
        let square = self.quadratic(g, &self.first, direction);
        g.sqrt(square)
    }

    /// a du² + 2b du dv + c dv².
    fn quadratic(&self, g: &mut Graph, form: &[Expr; 3], [du, dv]: &Vec2) -> Expr {
        let [a, b, c] = *form;
        let items = [g.product([a, *du, *du]), g.product([b, *du, *dv]), g.product([c, *dv, *dv])];
        integer_sum(g, [(1, items[0]), (2, items[1]), (1, items[2])])
    }

    /// Bending in the direction (du, dv), of any length, by (2)–(5).
    pub fn bending(&self, g: &mut Graph, direction: &Vec2) -> Bending {
        let [e, f, h] = self.first;
        let [d, d1, d2] = self.second;
        let ds = self.speed(g, direction);
        let unit = direction.map(|x| g.div(x, ds));
        let tangent = self.velocity(g, &unit);
        let [x_u, x_v] = self.tangents;
        // x_v (a u′ + b v′) − x_u (b u′ + c v′), over H: both (2) and (5).
        let turned = |g: &mut Graph, [a, b, c]: [Expr; 3]| {
            let (p, q) = (linear::dot(g, &[a, b], &unit), linear::dot(g, &[b, c], &unit));
            let minus = g.neg(q);
            let sum = linear::combine(g, &[minus, p], &[x_u, x_v]);
            let inverse = g.powi(self.area, -1);
            linear::scale(g, inverse, &sum)
        };
        let total = turned(g, [d, d1, d2]);
        let sideways = turned(g, [e, f, h]);
        let minor = |g: &mut Graph, a: Expr, b: Expr, c: Expr, d: Expr| {
            let (p, q) = (g.mul(a, b), g.mul(c, d));
            g.sub(p, q)
        };
        let [first, middle, last] = [minor(g, d, f, d1, e), minor(g, d, h, d2, e), minor(g, d1, h, d2, f)];
        let middle = fraction(g, middle, 1, 2);
        let twist = self.quadratic(g, &[first, middle, last], &unit);
        Bending {
            tangent,
            sideways,
            total,
            twisting: g.div(twist, self.area),
            pure: self.quadratic(g, &self.second, &unit),
        }
    }

    /// Ω_u and Ω_v of (3): the total bending projected onto x_u and x_v.
    pub fn bending_along_lines(&self, g: &mut Graph, direction: &Vec2) -> Vec2 {
        let Bending { total, .. } = self.bending(g, direction);
        [(0, self.root_e), (1, self.root_g)].map(|(i, root)| {
            let along = linear::dot(g, &total, &self.tangents[i]);
            g.div(along, root)
        })
    }

    /// Spinning (7) along a field of directions (du, dv), given as functions of u and v and of any length.
    pub fn spinning(&self, g: &mut Graph, direction: &Vec2) -> Expr {
        let [u, v] = self.parameters;
        let [e, f, h] = self.first;
        let ds = self.speed(g, direction);
        let unit = direction.map(|x| g.div(x, ds));
        let (k1, k2) = (linear::dot(g, &[e, f], &unit), linear::dot(g, &[f, h], &unit));
        let (p, q) = (g.derivative(k1, v), g.derivative(k2, u));
        let above = g.sub(p, q);
        g.div(above, self.area)
    }

    /// Spinning along the curves f(u, v) = const, walked along (f_v, −f_u): Bonnet's formula [Voronets1911, §3].
    pub fn spinning_of_level(&self, g: &mut Graph, f: Expr) -> Expr {
        let [u, v] = self.parameters;
        let (f_u, f_v) = (g.derivative(f, u), g.derivative(f, v));
        let minus = g.neg(f_u);
        self.spinning(g, &[f_v, minus])
    }

    /// The geodesic curvatures of the u line and of the v line:
    /// (2E F_u − E E_v − F E_u)/(2H E^{3/2}) and −(2G F_v − G G_u − F G_v)/(2H G^{3/2}).
    pub fn geodesic_curvatures(&self, g: &mut Graph) -> Vec2 {
        let [u, v] = self.parameters;
        let [e, f, h] = self.first;
        let line = |g: &mut Graph, a: Expr, root: Expr, own: Symbol, other: Symbol| {
            let (f_own, a_own, a_other) = (g.derivative(f, own), g.derivative(a, own), g.derivative(a, other));
            let (p, q, r) = (g.mul(a, f_own), g.mul(a, a_other), g.mul(f, a_own));
            let above = integer_sum(g, [(2, p), (-1, q), (-1, r)]);
            let cube = g.powi(root, 3);
            let below = g.mul(self.area, cube);
            let ratio = g.div(above, below);
            fraction(g, ratio, 1, 2)
        };
        let along_v = line(g, h, self.root_g, v, u);
        [line(g, e, self.root_e, u, v), g.neg(along_v)]
    }

    /// The acceleration of a point with these rates and second rates of the parameters.
    pub fn acceleration(&self, g: &mut Graph, rates: &Vec2, second_rates: &Vec2) -> Vec3 {
        let [p, q] = *rates;
        let (pp, pq, qq) = (g.powi(p, 2), g.mul(p, q), g.powi(q, 2));
        let twice = g.add(pq, pq);
        let bent = linear::combine(g, &[pp, twice, qq], &self.second_derivatives);
        let pushed = linear::combine(g, second_rates, &self.tangents);
        linear::add(g, &bent, &pushed)
    }

    /// (σ₁, τ₁, n₁) of (8): the angular velocity of the surface relative to the axes e₁, e₂, n carried by a point
    /// that moves with these rates, on those axes.
    pub fn turning(&self, g: &mut Graph, rates: &Vec2) -> [Expr; 3] {
        let (a, b) = (self.frame_matrix(g), self.second_in_frame(g));
        let gamma = self.connection(g);
        let moved = linear::mat_vec(g, &a, rates);
        let bent = linear::mat_vec(g, &b, &moved);
        let spin = linear::dot(g, &gamma, rates);
        [g.neg(bent[1]), bent[0], g.neg(spin)]
    }
}
