//! A surface as f(c) = 0: no chart, no poles, no umbilics.
//!
//! ```text
//! ν = ∇f/|∇f|,    S = dν = P ∇²f P/|∇f|,    P = 1 − ννᵀ,    ċ = V
//! ```
//!
//! f is negative in the material, so that ν points out of it; S acts on tangent vectors, S ν = 0, and
//! is positive where the material is convex. The expressions are defined near the surface too, where
//! they belong to the neighbouring level of f: a state that has drifted off by 10⁻¹⁰ still has a
//! unit normal. S is minus the Weingarten map of authors who measure curvature towards the normal,
//! Voronets among them: his D/E of a sphere is −1/r, our S is +1/r.

use crate::linear::{self, Mat3, Vec3};
use crate::surface::Placement;
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Symbol};

/// A surface given by an equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implicit {
    /// The coordinates c of the point.
    pub coordinates: [Symbol; 3],
    /// The coordinates as expressions.
    pub position: Vec3,
    /// f(c).
    pub f: Expr,
    /// ∇f.
    pub gradient: Vec3,
    /// |∇f|.
    pub gradient_norm: Expr,
    /// ∇²f.
    pub hessian: Mat3,
    /// ν.
    pub normal: Vec3,
    /// S.
    pub shape: Mat3,
}

impl Implicit {
    /// The surface f = 0, with its material where f < 0.
    pub fn new(g: &mut Graph, coordinates: [Symbol; 3], f: Expr) -> Implicit {
        let position = coordinates.map(|s| g.var(s));
        let gradient: Vec3 = coordinates.map(|s| g.derivative(f, s));
        let hessian = symmetric(|i, j| g.derivative(gradient[i], coordinates[j]));
        let square = linear::dot(g, &gradient, &gradient);
        let square = linear::tidy(g, square);
        let gradient_norm = g.sqrt(square);
        let inverse = g.powi(gradient_norm, -1);
        let normal = linear::scale(g, inverse, &gradient);
        let shape = shape_operator(g, &hessian, &normal, inverse);
        Implicit { coordinates, position, f, gradient, gradient_norm, hessian, normal, shape }
    }

    /// The surface moved by x ↦ Q x + t, in the same coordinates.
    pub(crate) fn placed(&self, g: &mut Graph, placement: &Placement) -> Implicit {
        let own = placement.back(g, &self.position);
        let at = self.coordinates.into_iter().zip(own).collect();
        let mut roots = vec![self.f, self.gradient_norm];
        roots.extend(self.gradient.iter().chain(&self.normal));
        roots.extend(self.hessian.iter().chain(&self.shape).flatten());
        let moved = g.substitute_all(&roots, &at);
        let vector = |k: usize| -> Vec3 { std::array::from_fn(|i| moved[k + i]) };
        let matrix = |k: usize| -> Mat3 { std::array::from_fn(|i| vector(k + 3 * i)) };
        let q = &placement.rotation;
        Implicit {
            coordinates: self.coordinates,
            position: self.position,
            f: moved[0],
            gradient_norm: moved[1],
            gradient: linear::mat_vec(g, q, &vector(2)),
            normal: linear::mat_vec(g, q, &vector(5)),
            hessian: linear::conjugate(g, q, &matrix(8)),
            shape: linear::conjugate(g, q, &matrix(17)),
        }
    }
}

/// The symmetric matrix with these entries on and above the diagonal.
fn symmetric(mut entry: impl FnMut(usize, usize) -> Expr) -> Mat3 {
    let upper: Vec<Expr> = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| entry(i, j)).to_vec();
    let at = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
    std::array::from_fn(|i| std::array::from_fn(|j| upper[at[i][j]]))
}

/// P H P · scale = (H − ν(Hν)ᵀ − (Hν)νᵀ + (ν·Hν) ννᵀ) · scale.
fn shape_operator(g: &mut Graph, hessian: &Mat3, normal: &Vec3, scale: Expr) -> Mat3 {
    let image = linear::mat_vec(g, hessian, normal);
    // On spheres, cylinders and planes Hν = kν, and P H P = H − kννᵀ.
    let mut factor = None;
    for k in [hessian[0][0], hessian[1][1], hessian[2][2]] {
        if linear::scale(g, k, normal) == image {
            factor = Some(k);
        }
    }
    let along = linear::dot(g, normal, &image);
    symmetric(|i, j| {
        let projected = match factor {
            Some(k) => {
                let step = g.product([k, normal[i], normal[j]]);
                g.sub(hessian[i][j], step)
            }
            None => {
                let (p, q) = (g.mul(normal[i], image[j]), g.mul(image[i], normal[j]));
                let r = g.product([along, normal[i], normal[j]]);
                g.linear([(hessian[i][j], int(1)), (p, int(-1)), (q, int(-1)), (r, int(1))])
            }
        };
        g.mul(projected, scale)
    })
}
