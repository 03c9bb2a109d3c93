//! Where objects are in a frame, and rotations as unit quaternions.

use crate::film::{is_finite, matrix, vector};
use crate::scene::Object;
use polhode_geometry::dense::{M, V, add_scaled, cross, dot, mat_vec};

/// A motion of space after a stretching: x ↦ R S x + p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// R.
    pub rotation: M,
    /// p.
    pub position: V,
    /// The diagonal of S.
    pub scale: V,
}

const IDENTITY: M = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Placed {
    /// In its own axes.
    pub const AT_REST: Placed = Placed { rotation: IDENTITY, position: [0.0; 3], scale: [1.0; 3] };

    /// Where an object is; `None` where that has no finite value.
    pub fn of(object: &Object, frame: &[f64]) -> Option<Placed> {
        let out = Placed {
            rotation: object.rotation.map_or(IDENTITY, |r| matrix(frame, &r)),
            position: object.position.map_or([0.0; 3], |p| vector(frame, &p)),
            scale: object.scale.map_or([1.0; 3], |s| vector(frame, &s)),
        };
        let finite = out.rotation.iter().all(is_finite) && is_finite(&out.position) && is_finite(&out.scale);
        finite.then_some(out)
    }

    /// R S x + p.
    pub fn point(&self, x: &V) -> V {
        let stretched = std::array::from_fn(|k| self.scale[k] * x[k]);
        add_scaled(&mat_vec(&self.rotation, &stretched), 1.0, &self.position)
    }

    /// R S⁻¹ n, the direction of a normal.
    pub fn normal(&self, n: &V) -> V {
        mat_vec(&self.rotation, &std::array::from_fn(|k| n[k] / self.scale[k]))
    }
}

/// A unit quaternion, x y z w.
pub(crate) type Quaternion = [f64; 4];

/// The quaternion of a rotation: the largest of its four squares is divided by, so that no digits are lost.
pub(crate) fn quaternion(r: &M) -> Quaternion {
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [
        1.0 + r[0][0] - r[1][1] - r[2][2],
        1.0 - r[0][0] + r[1][1] - r[2][2],
        1.0 - r[0][0] - r[1][1] + r[2][2],
        1.0 + trace,
    ];
    let sums = [r[2][1] + r[1][2], r[0][2] + r[2][0], r[1][0] + r[0][1]];
    let differences = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let largest = (0..4).fold(3, |best, k| if squares[k] > squares[best] { k } else { best });
    let q = match largest {
        0 => [squares[0], sums[2], sums[1], differences[0]],
        1 => [sums[2], squares[1], sums[0], differences[1]],
        2 => [sums[1], sums[0], squares[2], differences[2]],
        _ => [differences[0], differences[1], differences[2], squares[3]],
    };
    normalised(&q)
}

pub(crate) fn normalised(q: &Quaternion) -> Quaternion {
    let size = dot(q, q).sqrt();
    q.map(|x| x / size)
}

/// The one of ±q that is nearer to another.
pub(crate) fn nearer(q: Quaternion, to: &Quaternion) -> Quaternion {
    if dot(&q, to) < 0.0 { q.map(|x| -x) } else { q }
}

/// The shortest turn from one unit vector to another; half a turn about some axis across where they are opposite.
pub(crate) fn between(a: &V, b: &V) -> Quaternion {
    let c = dot(a, b);
    if c < -1.0 + 1e-12 {
        let other = if a[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let axis = cross(a, &other);
        return normalised(&[axis[0], axis[1], axis[2], 0.0]);
    }
    let axis = cross(a, b);
    normalised(&[axis[0], axis[1], axis[2], 1.0 + c])
}

/// p after q.
pub(crate) fn product(p: &Quaternion, q: &Quaternion) -> Quaternion {
    let ([a, b, c, d], [x, y, z, w]) = (*p, *q);
    [
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(q: &Quaternion, v: &V) -> V {
        let back = [-q[0], -q[1], -q[2], q[3]];
        let r = product(&product(q, &[v[0], v[1], v[2], 0.0]), &back);
        [r[0], r[1], r[2]]
    }

    #[test]
    fn quaternions_turn_as_their_matrices() {
        for k in 0..60 {
            let a = 0.37 * f64::from(k);
            let (s, c) = a.sin_cos();
            let (t, d) = (2.3 * a).sin_cos();
            // Rz(a) Rx(2.3 a)
            let r = [[c, -s * d, s * t], [s, c * d, -c * t], [0.0, t, d]];
            let q = quaternion(&r);
            for v in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, -0.4, 0.9]] {
                let (x, y) = (turned(&q, &v), mat_vec(&r, &v));
                assert!((0..3).all(|i| (x[i] - y[i]).abs() < 1e-14), "{k}: {x:?} {y:?}");
            }
        }
    }

    #[test]
    fn the_shortest_turn_ends_where_it_should() {
        let (a, b) = ([0.0, 0.0, 1.0], [0.6, 0.0, -0.8]);
        let x = turned(&between(&a, &b), &a);
        assert!((0..3).all(|i| (x[i] - b[i]).abs() < 1e-15));
        let x = turned(&between(&a, &[0.0, 0.0, -1.0]), &a);
        assert!((x[2] + 1.0).abs() < 1e-15);
    }
}
