//! Two surfaces in contact: relative curvature, and how the contact point moves.
//!
//! A body with surface S rolls on a surface S₁; R takes body to world, ν and ν₁ are the outward normals,
//! R ν = −ν₁. Without charts, in body axes,
//!
//! ```text
//! K = S + Rᵀ S₁ R,     K V = ν × Ω,     ċ = V,  ċ₁ = R V
//! V = (tr K · w − K w)/det K,   w = ν × Ω
//! ```
//!
//! where the last line is K⁻¹ on the tangent plane (Cayley–Hamilton), the same as (K + ννᵀ)⁻¹ w. The
//! spin ν·Ω does not move the point. det K = 0: conforming contact, where the speed has no bound.
//!
//! In Neumann's coordinates (u, v, ϑ, u₁, v₁), with e₁ = −sin ϑ e₁₁ + cos ϑ e₂₁, e₂ = cos ϑ e₁₁ + sin ϑ e₂₁,
//! J = (0, −1; 1, 0), Q = (−sin ϑ, cos ϑ; cos ϑ, sin ϑ), for any two regular charts,
//!
//! ```text
//! A₁ (u̇₁, v̇₁) = Q A (u̇, v̇)                                             (12)
//! (σ, τ) = J (B + Q B₁ Q) A (u̇, v̇),   n = −ϑ̇ + N (u̇, v̇)              (9), (56)
//! N = −Γ − Γ₁ a,   a = A₁⁻¹ Q A
//! ```
//!
//! Source: [Voronets1911, §§4, 17], whose (9) has misprints: the term D u̇/√E of τ and ϑ̇ in n have the
//! wrong sign. det(B + Q B₁ Q) = det K is his R = ΔΔ″ − Δ′². For rolling with sliding, where (12)
//! does not hold, [`NeumannContact::angular_velocity_of`] is (9) with all five rates.

use crate::chart::Chart;
use crate::linear::{self, Mat2, Mat3, Vec2, Vec3, integer_sum};
use crate::patch::Patch;
use polhode_expr::{Expr, Graph};

/// The relative curvature of two surfaces at their contact, in body axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// ν, the outward normal of the body.
    pub normal: Vec3,
    /// K.
    pub curvature: Mat3,
    /// tr K.
    pub trace: Expr,
    /// det K on the tangent plane.
    pub determinant: Expr,
}

impl Contact {
    /// A body on a surface that is fixed in the world.
    pub fn new(g: &mut Graph, body: &Patch, rotation: &Mat3, ground: &Patch) -> Contact {
        let seen = linear::conjugate(g, &linear::transpose(rotation), ground.shape());
        Contact::from_operators(g, *body.normal(), body.shape(), &seen)
    }

    /// From ν, S and Rᵀ S₁ R: for grounds whose operator is known in the body, as that of a plane (0) or a
    /// sphere (P/R₁).
    pub fn from_operators(g: &mut Graph, normal: Vec3, body: &Mat3, ground: &Mat3) -> Contact {
        let curvature = linear::mat_add(g, body, ground);
        let trace = linear::trace(g, &curvature);
        let determinant = linear::second_invariant(g, &curvature);
        Contact { normal, curvature, trace, determinant }
    }

    /// Does det K vanish identically, as for flat on flat, or a cylinder or cone on a plane? Then contact is along a
    /// line or a plane, and there is no contact velocity to speak of. Asked of all points of space: a developable
    /// surface given by an equation is recognised only if the neighbouring levels are developable too.
    pub fn is_degenerate(&self, g: &mut Graph) -> bool {
        g.decide_zero(self.determinant).is_equal()
    }

    /// V, the velocity of the contact point over the body, for the angular velocity Ω in body axes.
    pub fn velocity(&self, g: &mut Graph, omega: &Vec3) -> Vec3 {
        let w = linear::cross(g, &self.normal, omega);
        self.solve(g, &w)
    }

    /// K⁻¹ w for a tangent vector w.
    pub fn solve(&self, g: &mut Graph, w: &Vec3) -> Vec3 {
        let image = linear::mat_vec(g, &self.curvature, w);
        let stretched = linear::scale(g, self.trace, w);
        let above = linear::sub(g, &stretched, &image);
        let inverse = g.powi(self.determinant, -1);
        linear::scale(g, inverse, &above)
    }
}

/// Two charts in contact at the angle ϑ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeumannContact {
    /// The chart of the body.
    pub body: Chart,
    /// The chart of the ground.
    pub ground: Chart,
    /// ϑ.
    pub theta: Expr,
    /// Q.
    pub q: Mat2,
    /// B + Q B₁ Q, with the entries Δ, Δ′, Δ″.
    pub curvature: Mat2,
    /// a: (u̇₁, v̇₁) = a (u̇, v̇).
    pub ground_rates: Mat2,
    /// N: n = −ϑ̇ + N (u̇, v̇).
    pub spin_row: Vec2,
    b1: Mat2,
    a: Mat2,
    a_inverse: Mat2,
    gamma1: Vec2,
}

impl NeumannContact {
    /// The body at (u, v) touches the ground at (u₁, v₁) under the angle ϑ.
    pub fn new(g: &mut Graph, body: Chart, ground: Chart, theta: Expr) -> NeumannContact {
        let (s, c) = (g.sin(theta), g.cos(theta));
        let q = [[g.neg(s), c], [c, s]];
        let (b, b1) = (body.second_in_frame(g), ground.second_in_frame(g));
        let (a, a_inverse) = (body.frame_matrix(g), body.frame_inverse(g));
        // Q is symmetric, so that this is Q B₁ Q.
        let seen = linear::conjugate(g, &q, &b1);
        let curvature = linear::mat_add(g, &b, &seen);
        let (gamma, gamma1) = (body.connection(g), ground.connection(g));
        let turned = linear::mat_mul(g, &q, &a);
        let back = ground.frame_inverse(g);
        let ground_rates = linear::mat_mul(g, &back, &turned);
        let other = linear::mat_vec(g, &linear::transpose(&ground_rates), &gamma1);
        let sum = linear::add(g, &gamma, &other);
        let spin_row = linear::neg(g, &sum);
        NeumannContact { body, ground, theta, q, curvature, ground_rates, spin_row, b1, a, a_inverse, gamma1 }
    }

    /// R, body to world: e₁ and e₂ by ϑ, n ↦ −n₁.
    pub fn rotation(&self, g: &mut Graph) -> Mat3 {
        let images = self.q.map(|row| linear::combine(g, &row, &self.ground.frame));
        let down = linear::neg(g, &self.ground.normal);
        let legs = [(images[0], self.body.frame[0]), (images[1], self.body.frame[1]), (down, self.body.normal)];
        let [p, q, r] = legs.map(|(to, from)| linear::outer(g, &to, &from));
        let sum = linear::mat_add(g, &p, &q);
        linear::mat_add(g, &sum, &r)
    }

    /// (σ, τ, n) on e₁, e₂, n when the body rolls.
    pub fn angular_velocity(&self, g: &mut Graph, rates: &Vec2, theta_rate: Expr) -> [Expr; 3] {
        let moved = linear::mat_vec(g, &self.a, rates);
        let bent = linear::mat_vec(g, &self.curvature, &moved);
        let spin = linear::dot(g, &self.spin_row, rates);
        [g.neg(bent[1]), bent[0], g.sub(spin, theta_rate)]
    }

    /// (σ, τ, n) for any motion that keeps the contact: (9) with all five rates.
    pub fn angular_velocity_of(&self, g: &mut Graph, rates: &Vec2, theta_rate: Expr, ground: &Vec2) -> [Expr; 3] {
        let [sigma, tau, spin] = self.body.turning(g, rates);
        let a1 = self.ground.frame_matrix(g);
        let moved = linear::mat_vec(g, &a1, ground);
        let bent = linear::mat_vec(g, &self.b1, &moved);
        let seen = linear::mat_vec(g, &self.q, &bent);
        let other = linear::dot(g, &self.gamma1, ground);
        let n = integer_sum(g, [(1, spin), (-1, theta_rate), (-1, other)]);
        [g.sub(sigma, seen[1]), g.add(tau, seen[0]), n]
    }

    /// (u̇, v̇), ϑ̇ and (u̇₁, v̇₁) of a rolling body with the angular velocity (σ, τ, n) on e₁, e₂, n.
    pub fn contact_rates(&self, g: &mut Graph, [sigma, tau, n]: [Expr; 3]) -> (Vec2, Expr, Vec2) {
        let inverse = linear::inverse2(g, &self.curvature);
        let minus = g.neg(sigma);
        let moved = linear::mat_vec(g, &inverse, &[tau, minus]);
        let rates = linear::mat_vec(g, &self.a_inverse, &moved);
        let spin = linear::dot(g, &self.spin_row, &rates);
        (rates, g.sub(spin, n), linear::mat_vec(g, &self.ground_rates, &rates))
    }

    /// det(B + Q B₁ Q), Voronets' R = ΔΔ″ − Δ′².
    pub fn determinant(&self, g: &mut Graph) -> Expr {
        linear::det2(g, &self.curvature)
    }
}
