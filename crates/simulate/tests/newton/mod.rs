//! Vectors for equations of Newton and Euler that are written by hand.

pub(crate) const G: f64 = 9.81;

pub(crate) type V = [f64; 3];

pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a + k b.
pub(crate) fn plus(a: V, k: f64, b: V) -> V {
    [0, 1, 2].map(|i| a[i] + k * b[i])
}
