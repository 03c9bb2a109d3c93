//! An ellipsoid rolling on a plane, written by hand: the yardstick of a bench.
//!
//! With γ the world's up seen from the body, A = diag(a², b², c²) and d the centre of the surface as
//! seen from the centre of mass,
//!
//! ```text
//! s = √(γ·Aγ),   c = d − Aγ/s,   γ' = γ × Ω,   V = −Aγ'/s + Aγ (γ·Aγ')/s³
//! (I + M(|c|² − ccᵀ)) Ω' = IΩ × Ω + M c × [(Ω × c + V) × Ω + g γ],   x_O' = R(c × Ω)
//! ```
//!
//! and q' = ½ q ∘ (0, Ω): the chart-free equations with K = S, where V solves K V = ν × Ω on a plane.

use polhode::integrate::VectorField;

type Vector = [f64; 3];

/// The body and its ground. The state is (q, x_O, Ω), the quaternion with its real part first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EllipsoidOnPlane {
    /// a², b², c².
    pub(crate) squares: Vector,
    /// d.
    pub(crate) centre: Vector,
    pub(crate) mass: f64,
    /// I₁₁, I₂₂, I₃₃, I₁₂; the others are zero.
    pub(crate) inertia: [f64; 4],
    pub(crate) gravity: f64,
}

fn cross([a, b, c]: Vector, [x, y, z]: Vector) -> Vector {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl VectorField<f64> for EllipsoidOnPlane {
    fn dimension(&self) -> usize {
        10
    }

    #[inline]
    fn rates(&mut self, _: f64, y: &[f64], dy: &mut [f64]) {
        let y: &[f64; 10] = y.try_into().expect("ten numbers");
        let dy: &mut [f64; 10] = dy.try_into().expect("ten numbers");
        let [qw, qx, qy, qz, _, _, _, w1, w2, w3] = *y;
        let omega = [w1, w2, w3];
        let (x2, y2, z2) = (qx + qx, qy + qy, qz + qz);
        let (xx, yy, zz) = (qx * x2, qy * y2, qz * z2);
        let (xy, xz, yz) = (qx * y2, qx * z2, qy * z2);
        let (wx, wy, wz) = (qw * x2, qw * y2, qw * z2);
        let first = [1.0 - (yy + zz), xy - wz, xz + wy];
        let second = [xy + wz, 1.0 - (xx + zz), yz - wx];
        let up = [xz - wy, yz + wx, 1.0 - (xx + yy)];

        let scaled = |v: Vector| [self.squares[0] * v[0], self.squares[1] * v[1], self.squares[2] * v[2]];
        let a = scaled(up);
        let inverse = 1.0 / dot(up, a).sqrt();
        let d = self.centre;
        let c = [d[0] - a[0] * inverse, d[1] - a[1] * inverse, d[2] - a[2] * inverse];
        let turn = scaled(cross(up, omega));
        let along = dot(up, turn) * inverse * inverse;
        let v = [0, 1, 2].map(|i| (a[i] * along - turn[i]) * inverse);

        let slip = cross(omega, c);
        let speed = cross([slip[0] + v[0], slip[1] + v[1], slip[2] + v[2]], omega);
        let (m, g) = (self.mass, self.gravity);
        let moment = cross(c, [speed[0] + g * up[0], speed[1] + g * up[1], speed[2] + g * up[2]]);
        let [i11, i22, i33, i12] = self.inertia;
        let spin = cross([i11 * w1 + i12 * w2, i12 * w1 + i22 * w2, i33 * w3], omega);
        let f = [0, 1, 2].map(|i| spin[i] + m * moment[i]);

        // adj(J) f / det J
        let (c11, c22, c33) = (c[0] * c[0], c[1] * c[1], c[2] * c[2]);
        let (j11, j22, j33) = (i11 + m * (c22 + c33), i22 + m * (c11 + c33), i33 + m * (c11 + c22));
        let (j12, j13, j23) = (i12 - m * c[0] * c[1], -(m * c[0] * c[2]), -(m * c[1] * c[2]));
        let (k11, k22, k33) = (j22 * j33 - j23 * j23, j11 * j33 - j13 * j13, j11 * j22 - j12 * j12);
        let (k12, k13, k23) = (j13 * j23 - j12 * j33, j12 * j23 - j13 * j22, j12 * j13 - j11 * j23);
        let determinant = 1.0 / (j11 * k11 + j12 * k12 + j13 * k13);
        let rate = [dot([k11, k12, k13], f), dot([k12, k22, k23], f), dot([k13, k23, k33], f)];

        let velocity = cross(c, omega);
        *dy = [
            -0.5 * (qx * w1 + qy * w2 + qz * w3),
            0.5 * (qw * w1 + qy * w3 - qz * w2),
            0.5 * (qw * w2 + qz * w1 - qx * w3),
            0.5 * (qw * w3 + qx * w2 - qy * w1),
            dot(first, velocity),
            dot(second, velocity),
            dot(up, velocity),
            rate[0] * determinant,
            rate[1] * determinant,
            rate[2] * determinant,
        ];
    }
}
