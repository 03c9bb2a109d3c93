//! A surface as (u, v) ↦ x(u, v), for any regular chart.
//!
//! ```text
//! E = x_u·x_u, F = x_u·x_v, G = x_v·x_v,   H = √(EG − F²),   n = (x_u × x_v)/H
//! D = x_uu·n, D′ = x_uv·n, D″ = x_vv·n
//! e₁ = x_u/√E, e₂ = n × e₁,   [x_u x_v] = [e₁ e₂] A,   A = (√E, F/√E; 0, H/√E)
//! B = A⁻ᵀ (D, D′; D′, D″) A⁻¹ = −S in the frame e₁, e₂
//! Γ = e₂·de₁:  Γ_u = (E(F_u − ½E_v) − ½F E_u)/(EH),   Γ_v = (E G_u − F E_v)/(2EH)
//! Gauss: K = (D D″ − D′²)/H² = (∂_v Γ_u − ∂_u Γ_v)/H
//! ```
//!
//! Letters and signs of [Voronets1911, §1 and (1)]: D/E of the outside of a sphere is −1/r. Charts are
//! oriented so that n points out of the material. With lines of curvature as coordinate lines
//! (F = D′ = 0) everything is diagonal: B = diag(D/E, D″/G), Γ = (−E_v, G_u)/(2√(EG)).
//!
//! Roots of charts of `surface.rs` are taken positive in the usual domain, such as 0 < u < π on a sphere.
//!
//! Not here: what needs no chart (`curvature.rs`), curves on the surface (`bending.rs`).

use crate::linear::{self, Mat2, Mat3, Vec2, Vec3, fraction, integer_sum, tidy, tidy_all};
use crate::surface::{Parametrised, Placement};
use polhode_expr::{Expr, Graph, Symbol};

/// A parametrised surface with its fundamental forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// u and v.
    pub parameters: [Symbol; 2],
    /// x(u, v).
    pub position: Vec3,
    /// x_u and x_v.
    pub tangents: [Vec3; 2],
    /// x_uu, x_uv, x_vv.
    pub second_derivatives: [Vec3; 3],
    /// E, F, G.
    pub first: [Expr; 3],
    /// D, D′, D″.
    pub second: [Expr; 3],
    /// √E.
    pub root_e: Expr,
    /// √G.
    pub root_g: Expr,
    /// H = √(EG − F²).
    pub area: Expr,
    /// n.
    pub normal: Vec3,
    /// e₁ and e₂.
    pub frame: [Vec3; 2],
    /// xᵘ and xᵛ, tangent, with xᵘ·x_u = 1, xᵘ·x_v = 0 and so on.
    pub dual: [Vec3; 2],
    /// S = dn as a 3×3 matrix with S n = 0.
    pub shape: Mat3,
}

impl Chart {
    /// The chart (u, v) ↦ x.
    pub fn new(g: &mut Graph, parameters: [Symbol; 2], x: Vec3) -> Chart {
        Chart::from_parametrised(g, Parametrised { parameters, x, lengths: None })
    }

    pub(crate) fn from_parametrised(g: &mut Graph, p: Parametrised) -> Chart {
        let Parametrised { parameters, x, lengths } = p;
        let d = |g: &mut Graph, a: &Vec3, s: Symbol| -> Vec3 { a.map(|e| g.derivative(e, s)) };
        let [u, v] = parameters;
        let tangents = [d(g, &x, u), d(g, &x, v)];
        let second_derivatives = [d(g, &tangents[0], u), d(g, &tangents[0], v), d(g, &tangents[1], v)];
        let [x_u, x_v] = &tangents;
        let (first, [root_e, root_g], area) = match lengths {
            Some([p, q]) => ([g.powi(p, 2), g.zero(), g.powi(q, 2)], [p, q], g.mul(p, q)),
            None => {
                let products = [linear::dot(g, x_u, x_u), linear::dot(g, x_u, x_v), linear::dot(g, x_v, x_v)];
                let first @ [e, f, h] = tidy_all(g, products);
                let (eg, ff) = (g.mul(e, h), g.powi(f, 2));
                let square = g.sub(eg, ff);
                let square = tidy(g, square);
                (first, [g.sqrt(e), g.sqrt(h)], g.sqrt(square))
            }
        };
        let across = linear::cross(g, x_u, x_v);
        let across = tidy_all(g, across);
        let inverse_area = g.powi(area, -1);
        let normal = linear::scale(g, inverse_area, &across);
        let second = second_derivatives.map(|w| {
            let volume = linear::dot(g, &w, &across);
            let volume = tidy(g, volume);
            g.mul(volume, inverse_area)
        });
        let e1 = {
            let inverse = g.powi(root_e, -1);
            linear::scale(g, inverse, x_u)
        };
        let dual = dual(g, &tangents, &first, area);
        // e₂ is xᵛ made a unit vector: |xᵛ| = √E/H.
        let stretch = g.div(area, root_e);
        let e2 = linear::scale(g, stretch, &dual[1]);
        let shape = shape(g, &second, &dual);
        Chart {
            parameters,
            position: x,
            tangents,
            second_derivatives,
            first,
            second,
            root_e,
            root_g,
            area,
            normal,
            frame: [e1, e2],
            dual,
            shape,
        }
    }

    /// The surface moved by x ↦ Q x + t.
    pub(crate) fn placed(&self, g: &mut Graph, placement: &Placement) -> Chart {
        let q = &placement.rotation;
        Chart {
            position: placement.point(g, &self.position),
            tangents: self.tangents.map(|w| linear::mat_vec(g, q, &w)),
            second_derivatives: self.second_derivatives.map(|w| linear::mat_vec(g, q, &w)),
            normal: linear::mat_vec(g, q, &self.normal),
            frame: self.frame.map(|w| linear::mat_vec(g, q, &w)),
            dual: self.dual.map(|w| linear::mat_vec(g, q, &w)),
            shape: linear::conjugate(g, q, &self.shape),
            ..self.clone()
        }
    }

    /// (u̇, v̇) when the point moves with the tangent velocity V.
    pub fn rates(&self, g: &mut Graph, velocity: &Vec3) -> Vec2 {
        self.dual.map(|w| linear::dot(g, &w, velocity))
    }

    /// x_u u̇ + x_v v̇.
    pub fn velocity(&self, g: &mut Graph, rates: &Vec2) -> Vec3 {
        linear::combine(g, rates, &self.tangents)
    }

    /// A: the velocity has the components A (u̇, v̇) on e₁, e₂.
    pub fn frame_matrix(&self, g: &mut Graph) -> Mat2 {
        let [_, f, _] = self.first;
        [[self.root_e, g.div(f, self.root_e)], [g.zero(), g.div(self.area, self.root_e)]]
    }

    /// A⁻¹.
    pub fn frame_inverse(&self, g: &mut Graph) -> Mat2 {
        let [_, f, _] = self.first;
        let below = g.mul(self.root_e, self.area);
        let corner = g.div(f, below);
        [[g.powi(self.root_e, -1), g.neg(corner)], [g.zero(), g.div(self.root_e, self.area)]]
    }

    /// B: the second fundamental form in the frame e₁, e₂.
    pub fn second_in_frame(&self, g: &mut Graph) -> Mat2 {
        let inverse = self.frame_inverse(g);
        let [d, d1, d2] = self.second;
        let right = linear::mat_mul(g, &[[d, d1], [d1, d2]], &inverse);
        let b = linear::mat_mul(g, &linear::transpose(&inverse), &right);
        b.map(|row| tidy_all(g, row))
    }

    /// Γ_u and Γ_v.
    pub fn connection(&self, g: &mut Graph) -> Vec2 {
        let [u, v] = self.parameters;
        let [e, f, h] = self.first;
        let (e_u, e_v, f_u, g_u) = (g.derivative(e, u), g.derivative(e, v), g.derivative(f, u), g.derivative(h, u));
        let below = g.mul(e, self.area);
        let (a, b, c) = (g.mul(e, f_u), g.mul(e, e_v), g.mul(f, e_u));
        let along_u = integer_sum(g, [(2, a), (-1, b), (-1, c)]);
        let (a, b) = (g.mul(e, g_u), g.mul(f, e_v));
        let along_v = g.sub(a, b);
        [along_u, along_v].map(|above| {
            let whole = g.div(above, below);
            let half = fraction(g, whole, 1, 2);
            tidy(g, half)
        })
    }

    /// Gauss' curvature from E, F, G alone: (∂_v Γ_u − ∂_u Γ_v)/H.
    pub fn intrinsic_curvature(&self, g: &mut Graph) -> Expr {
        let [u, v] = self.parameters;
        let [gamma_u, gamma_v] = self.connection(g);
        let (p, q) = (g.derivative(gamma_u, v), g.derivative(gamma_v, u));
        let turning = g.sub(p, q);
        g.div(turning, self.area)
    }

    /// Are the coordinate lines the lines of curvature, F = D′ = 0?
    pub fn has_curvature_lines(&self, g: &mut Graph) -> bool {
        let (f, d1) = (self.first[1], self.second[1]);
        [f, d1].into_iter().all(|e| g.decide_zero(e).is_equal())
    }
}

/// xᵘ = (G x_u − F x_v)/H², xᵛ = (E x_v − F x_u)/H².
fn dual(g: &mut Graph, tangents: &[Vec3; 2], first: &[Expr; 3], area: Expr) -> [Vec3; 2] {
    let [e, f, h] = *first;
    if g.is_zero(f) {
        return [(0, e), (1, h)].map(|(i, square)| {
            let inverse = g.powi(square, -1);
            linear::scale(g, inverse, &tangents[i])
        });
    }
    let minus = g.neg(f);
    let below = g.powi(area, -2);
    [[h, minus], [minus, e]].map(|c| {
        let above = linear::combine(g, &c, tangents);
        let above = tidy_all(g, above);
        linear::scale(g, below, &above)
    })
}

/// −(D xᵘxᵘᵀ + D′(xᵘxᵛᵀ + xᵛxᵘᵀ) + D″ xᵛxᵛᵀ).
fn shape(g: &mut Graph, second: &[Expr; 3], dual: &[Vec3; 2]) -> Mat3 {
    let [d, d1, d2] = second.map(|e| g.neg(e));
    let [p, q] = dual;
    let right: [Vec3; 2] = [[d, d1], [d1, d2]].map(|c| linear::combine(g, &c, dual));
    let (a, b) = (linear::outer(g, p, &right[0]), linear::outer(g, q, &right[1]));
    let sum = linear::mat_add(g, &a, &b);
    let entries = sum.map(|row| tidy_all(g, row));
    std::array::from_fn(|i| std::array::from_fn(|j| entries[i.min(j)][i.max(j)]))
}
