//! The motion during one step, as a polynomial in time.

use crate::stepper::SKETCHED;
use polhode_tape::Scalar;

/// How the coefficients of a [`Segment`] are read, with θ = (t − start)/length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// y = Σ_k c_k θᵏ.
    Power,
    /// The nested form of DOP853, y = c₀ + θ(c₁ + (1−θ)(c₂ + θ(c₃ + …))).
    Alternating,
}

/// A piece of a motion: component i has coefficients `coefficients[i·terms .. (i+1)·terms]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment<S> {
    /// Where it begins.
    pub start: S,
    /// Its length, negative when the motion is followed backwards.
    pub length: S,
    /// How the coefficients are read.
    pub basis: Basis,
    /// Number of coefficients of each component.
    pub terms: usize,
    /// All coefficients, component by component.
    pub coefficients: Vec<S>,
}

impl<S: Scalar> Segment<S> {
    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.coefficients.len() / self.terms
    }

    /// The state at a time; times outside the step are extrapolated.
    pub fn at(&self, t: S, y: &mut [S]) {
        evaluate(self.basis, self.terms, &self.coefficients, fraction(self.start, self.length, t), y);
    }
}

/// θ; a step of length zero is all beginning.
pub(crate) fn fraction<S: Scalar>(start: S, length: S, t: S) -> S {
    if length == S::default() { S::default() } else { (t - start) / length }
}

/// The polynomials with the given coefficients at θ.
pub(crate) fn evaluate<S: Scalar>(basis: Basis, terms: usize, coefficients: &[S], theta: S, y: &mut [S]) {
    let rest = S::from_f64(1.0) - theta;
    for (value, c) in y.iter_mut().zip(coefficients.chunks_exact(terms)) {
        *value = match basis {
            Basis::Power => c.iter().rev().fold(S::default(), |sum, c| sum * theta + *c),
            // c₀ + θ(c₁ + (1−θ)(c₂ + θ(…))): even places below a factor θ, odd ones below 1−θ
            Basis::Alternating => (c.iter().enumerate().rev())
                .fold(S::default(), |sum, (k, c)| sum * if k % 2 == 0 { theta } else { rest } + *c),
        };
    }
}

/// Polynomials in powers of θ at several θ, side by side.
pub(crate) fn sketch<S: Scalar>(terms: usize, coefficients: &[S], thetas: &[S; SKETCHED], states: &mut [S]) {
    for (states, c) in states.chunks_exact_mut(SKETCHED).zip(coefficients.chunks_exact(terms)) {
        let mut sums = [S::default(); SKETCHED];
        for c in c.iter().rev() {
            for (sum, theta) in sums.iter_mut().zip(thetas) {
                *sum = *sum * *theta + *c;
            }
        }
        states.copy_from_slice(&sums);
    }
}
