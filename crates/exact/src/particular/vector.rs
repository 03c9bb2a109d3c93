//! Vectors and rotations over any [`Scalar`].

use polhode_tape::Scalar;

pub(crate) type Vec3<S> = [S; 3];
/// Row by row.
pub(crate) type Mat3<S> = [[S; 3]; 3];

pub(crate) fn dot<S: Scalar>(a: Vec3<S>, b: Vec3<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross<S: Scalar>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn scale<S: Scalar>(f: S, a: Vec3<S>) -> Vec3<S> {
    a.map(|x| f * x)
}

pub(crate) fn add<S: Scalar>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn unit<S: Scalar>(a: Vec3<S>) -> Vec3<S> {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// The part of a across the unit vector e.
pub(crate) fn across<S: Scalar>(a: Vec3<S>, e: Vec3<S>) -> Vec3<S> {
    add(a, scale(-dot(a, e), e))
}

pub(crate) fn apply<S: Scalar>(r: &Mat3<S>, a: Vec3<S>) -> Vec3<S> {
    [dot(r[0], a), dot(r[1], a), dot(r[2], a)]
}

/// Rᵀ a.
pub(crate) fn back<S: Scalar>(r: &Mat3<S>, a: Vec3<S>) -> Vec3<S> {
    [0, 1, 2].map(|j| r[0][j] * a[0] + r[1][j] * a[1] + r[2][j] * a[2])
}

/// The rotation that takes the unit vector e to f and the half plane of p beyond e to that of q beyond f.
pub(crate) fn taking<S: Scalar>(e: Vec3<S>, p: Vec3<S>, f: Vec3<S>, q: Vec3<S>) -> Mat3<S> {
    let (p, q) = (unit(across(p, e)), unit(across(q, f)));
    let (from, to) = ([p, cross(e, p), e], [q, cross(f, q), f]);
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| to[0][i] * from[0][j] + to[1][i] * from[1][j] + to[2][i] * from[2][j]))
}

/// The vector turned about a unit axis.
pub(crate) fn turned<S: Scalar>(a: Vec3<S>, axis: Vec3<S>, angle: S) -> Vec3<S> {
    let (sin, cos) = angle.sin_cos();
    let along = scale(dot(a, axis) * (S::from_f64(1.0) - cos), axis);
    add(add(scale(cos, a), scale(sin, cross(axis, a))), along)
}
