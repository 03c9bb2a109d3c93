//! Sums over slices: the few vector operations every module uses.

use polhode_tape::Scalar;

pub(crate) fn zero<S: Scalar>() -> S {
    S::from_f64(0.0)
}

pub(crate) fn one<S: Scalar>() -> S {
    S::from_f64(1.0)
}

/// Σ aᵢbᵢ.
#[inline(always)] // its callers know the length
pub(crate) fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(zero(), |sum, (x, y)| sum + *x * *y)
}

/// √(Σ aᵢ²).
#[inline]
pub(crate) fn norm<S: Scalar>(a: &[S]) -> S {
    dot(a, a).sqrt()
}

/// a ← a + f b.
#[inline(always)] // its callers know the length
pub(crate) fn add_scaled<S: Scalar>(a: &mut [S], f: S, b: &[S]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x = *x + f * *y;
    }
}

/// a ← f a.
#[inline]
pub(crate) fn scale<S: Scalar>(a: &mut [S], f: S) {
    for x in a {
        *x = f * *x;
    }
}

/// So many zeros, in the memory that the vector had.
#[inline]
pub(crate) fn refill<S: Scalar>(vector: &mut Vec<S>, length: usize) {
    vector.clear();
    vector.resize(length, zero());
}
