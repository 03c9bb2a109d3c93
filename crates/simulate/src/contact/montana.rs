//! First-order contact kinematics in the letters of roboticists.
//!
//! Each side has a Gauss frame e₁, e₂, ν at the contact, ν out of its material, with
//!
//! ```text
//! M   metric form      M (u̇, v̇) = velocity of the point on e₁, e₂
//! K   curvature form   Kᵢⱼ = eᵢ·S eⱼ,   S = dν
//! T   torsion form     T x = e₂·de₁(x)
//! ```
//!
//! on components x of arc length. ψ is the angle between the frames, and R_ψ takes components on the first to components on the second:
//!
//! ```text
//! R_ψ = ( cos ψ, −sin ψ; −sin ψ, −cos ψ ),     K̃ₒ = R_ψ Kₒ R_ψ
//! M_f u̇_f = (K_f + K̃ₒ)⁻¹ ( (−ω_y, ω_x) − K̃ₒ (v_x, v_y) )
//! Mₒ u̇ₒ = R_ψ (K_f + K̃ₒ)⁻¹ ( (−ω_y, ω_x) + K_f (v_x, v_y) )
//! ψ̇ = ω_z + T_f M_f u̇_f + Tₒ Mₒ u̇ₒ
//! ```
//!
//! with the angular velocity ω of the first side relative to the second and the velocity v of its material at the contact relative to the
//! axes of the second, both on the first frame. Source: \[Montana1988\]; the first line is K ċ = ν × ω − S₂ v of polhode-geometry (`meeting`)
//! in frames. f is the first side, o the second.
//!
//! **Frames.** A surface given by a chart has e₁ = x_u/√E. Any other has the frame of an axis a that is fixed in its side,
//!
//! ```text
//! e₁ = a_t/|a_t|,  a_t = a − (a·ν) ν,     T x = −(a·ν)/|a_t| e₂·S x
//! ```
//!
//! undefined only where the normal points along a. It is the x axis of the side, or the y axis where the normal is less than 37° from ±x
//! (cosine 0.8), unless another one is asked for.
//! Its coordinates are arc lengths, M = 1. (T: da = 0, so that e₂·de₁ = e₂·da_t/|a_t| = −(a·ν) e₂·dν/|a_t|.)
//!
//! An edge has e₁ = t, its tangent, and e₂ = ν × t with the normal of the other side. It has no curvature form; its point moves along t,
//! ẋ₁ = ((−ω_y, ω_x) − K̃ₒ v)₁/k with k of `meeting`, and T = (κN·e₂, 0).

use super::state::{ContactState, Relative, SideState, Touching};
use polhode_geometry::dense::{M, V, add_scaled, cross, dot, mat_add, mat_mul, mat_vec, norm, transpose};

/// A 2×2 matrix, row by row.
pub(super) type M2 = [[f64; 2]; 2];

/// Where the cosine of the normal with the x axis is larger, the frame is that of the y axis.
const NEAR: f64 = 0.8;

/// The frame of a side at the contact, with its forms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauss {
    /// e₁ and e₂, in the axes of the side.
    pub frame: [V; 2],
    /// u and v, where the side is given by a chart.
    pub parameters: Option<[f64; 2]>,
    /// M.
    pub metric: M2,
    /// K; none for an edge.
    pub curvature: Option<M2>,
    /// T.
    pub torsion: [f64; 2],
}

/// Montana's equations at a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Montana {
    /// The frames of both sides.
    pub sides: [Gauss; 2],
    /// ψ.
    pub angle: f64,
    /// R_ψ.
    pub turn: M2,
    /// K̃ₒ.
    pub seen: M2,
    /// (v_x, v_y).
    pub velocity: [f64; 2],
    /// (ω_x, ω_y, ω_z).
    pub omega: V,
    /// u̇_f and u̇ₒ; of an edge the first number only. Not finite where the relative curvature is singular.
    pub rates: [[f64; 2]; 2],
    /// ψ̇.
    pub angle_rate: f64,
}

impl Gauss {
    /// The frame of an axis.
    fn of_axis(normal: &V, operator: &[V; 3], axis: &V) -> Gauss {
        let along = dot(axis, normal);
        let part = add_scaled(axis, -along, normal);
        let length = norm(&part);
        let e1 = part.map(|x| x / length);
        let frame = [e1, cross(normal, &e1)];
        let curvature = in_frame(&frame, operator);
        let torsion = curvature[1].map(|x| -along / length * x);
        Gauss { frame, parameters: None, metric: [[1.0, 0.0], [0.0, 1.0]], curvature: Some(curvature), torsion }
    }

    /// The frame of a side; `axis` replaces that of a surface.
    fn of_side(side: &SideState, axis: Option<&V>) -> Gauss {
        let normal = &side.normal;
        match &side.touching {
            Touching::Edge { tangent, curvature_vector } => {
                let frame = [*tangent, cross(normal, tangent)];
                let torsion = [dot(curvature_vector, &frame[1]), 0.0];
                Gauss { frame, parameters: None, metric: [[1.0, 0.0], [0.0, 1.0]], curvature: None, torsion }
            }
            Touching::Surface { operator, chart, .. } => match (axis, chart) {
                (Some(axis), _) => Gauss::of_axis(normal, operator, axis),
                (None, Some(chart)) => {
                    let frame = [chart.tangent, cross(normal, &chart.tangent)];
                    // Γ = T A on the rates of the parameters
                    let torsion = solve2(&transpose(&chart.metric), &chart.connection);
                    let curvature = Some(in_frame(&frame, operator));
                    Gauss { frame, parameters: Some(chart.parameters), metric: chart.metric, curvature, torsion }
                }
                (None, None) => {
                    let axis = if normal[0].abs() > NEAR { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
                    Gauss::of_axis(normal, operator, &axis)
                }
            },
        }
    }
}

impl ContactState {
    /// Montana's equations in the frames described in [`montana`](super::montana).
    pub fn montana(&self) -> Montana {
        self.montana_along([None, None])
    }

    /// The same with other axes, each fixed in its side, for the frames of surfaces. They need not be unit vectors, but must not be normal to
    /// the surface. With the same axes all along a motion ψ has no jumps.
    pub fn montana_along(&self, axes: [Option<V>; 2]) -> Montana {
        let [first, second] = [0, 1].map(|i| Gauss::of_side(&self.sides[i], axes[i].as_ref()));
        let [x, y] = second.frame.map(|e| mat_vec(&self.turn, &e));
        let (cos, sin) = (dot(&first.frame[0], &x), -dot(&first.frame[0], &y));
        let turn = [[cos, -sin], [-sin, -cos]];
        let other = second.curvature.unwrap_or_default();
        let seen = mat_mul(&mat_mul(&turn, &other), &turn);
        let velocity = components(&first.frame, &self.sliding);
        let [wx, wy] = components(&first.frame, &self.omega);
        let omega = [wx, wy, dot(&self.sides[0].normal, &self.omega)];
        let drive = add_scaled(&[-wy, wx], -1.0, &mat_vec(&seen, &velocity));
        let arc = match (&first.curvature, &self.relative) {
            (Some(own), _) => solve2(&mat_add(own, &seen), &drive),
            (None, Relative::Edge { curvature }) => [drive[0] / curvature, 0.0],
            (None, Relative::Surfaces { .. }) => [f64::NAN; 2],
        };
        let arc_second = mat_vec(&turn, &add_scaled(&arc, 1.0, &velocity));
        let angle_rate = omega[2] + dot(&first.torsion, &arc) + dot(&second.torsion, &arc_second);
        let rates = [solve2(&first.metric, &arc), solve2(&second.metric, &arc_second)];
        Montana { sides: [first, second], angle: sin.atan2(cos), turn, seen, velocity, omega, rates, angle_rate }
    }
}

/// The smallest determinant that is more than rounding, relative to the square of the entries.
const SINGULAR: f64 = 1e-14;

/// m⁻¹ x, not a number where m is singular.
fn solve2(m: &M2, x: &[f64; 2]) -> [f64; 2] {
    let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    let size: f64 = m.as_flattened().iter().map(|e| e * e).sum();
    if det.abs() <= SINGULAR * size {
        return [f64::NAN; 2];
    }
    [(m[1][1] * x[0] - m[0][1] * x[1]) / det, (m[0][0] * x[1] - m[1][0] * x[0]) / det]
}

/// The components of a vector on a frame.
fn components(frame: &[V; 2], v: &V) -> [f64; 2] {
    frame.map(|e| dot(&e, v))
}

/// The operator of a tangent plane in a frame.
fn in_frame(frame: &[V; 2], operator: &M) -> M2 {
    std::array::from_fn(|i| std::array::from_fn(|j| dot(&frame[i], &mat_vec(operator, &frame[j]))))
}
