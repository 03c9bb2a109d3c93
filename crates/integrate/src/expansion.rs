//! What [`Taylor`](crate::Taylor) needs: the series of a motion through a point.
//!
//! [`Jets`] works them out in any numbers. [`CompiledJets`] has them from a kernel of the unrolled
//! recurrences ([`JetProgram::unrolled`](crate::JetProgram::unrolled)), in doubles; its last digits
//! differ, since a compiler may add products unrounded.

use crate::jets::Jets;
use polhode_tape::{Kernel, Scalar};

/// Taylor series of motions up to a fixed order.
pub trait Expansion<S> {
    /// The number of components of the state.
    fn dimension(&self) -> usize;

    /// The highest order.
    fn order(&self) -> usize;

    /// The series of the motion through (t, y).
    fn evaluate(&mut self, t: S, y: &[S]);

    /// The coefficients of order k of the state, as of the last [`Expansion::evaluate`].
    fn coefficients(&self, k: usize) -> &[S];

    /// The same, to be changed.
    fn coefficients_mut(&mut self, k: usize) -> &mut [S];

    /// ẏ at (t, y). The coefficients are kept.
    fn rates(&mut self, t: S, y: &[S], dy: &mut [S]);
}

impl<S: Scalar> Expansion<S> for Jets<S> {
    fn dimension(&self) -> usize {
        self.program().dimension()
    }

    fn order(&self) -> usize {
        Jets::order(self)
    }

    fn evaluate(&mut self, t: S, y: &[S]) {
        Jets::evaluate(self, t, y);
    }

    fn coefficients(&self, k: usize) -> &[S] {
        Jets::coefficients(self, k)
    }

    fn coefficients_mut(&mut self, k: usize) -> &mut [S] {
        Jets::coefficients_mut(self, k)
    }

    fn rates(&mut self, t: S, y: &[S], dy: &mut [S]) {
        Jets::rates(self, t, y, dy);
    }
}

/// Series from kernels.
#[derive(Clone, Debug)]
pub struct CompiledJets<K> {
    series: K,
    field: K,
    n: usize,
    inputs: Vec<f64>,
    coefficients: Vec<f64>, // order by order
}

impl<K: Kernel> CompiledJets<K> {
    /// From a kernel of the unrolled recurrences and one of the rates, both of one tape.
    ///
    /// Panics if they do not fit each other.
    pub fn new(series: K, field: K) -> CompiledJets<K> {
        let n = field.outputs();
        assert!(n > 0 && field.inputs() == n + 1 && series.inputs() == n + 1, "inputs are t and the state");
        assert_eq!(series.outputs() % n, 0, "outputs are coefficients, order by order");
        CompiledJets { n, inputs: vec![0.0; n + 1], coefficients: vec![0.0; n + series.outputs()], series, field }
    }

    fn take(&mut self, t: f64, y: &[f64]) {
        self.inputs[0] = t;
        self.inputs[1..].copy_from_slice(y);
    }
}

impl<K: Kernel> Expansion<f64> for CompiledJets<K> {
    fn dimension(&self) -> usize {
        self.n
    }

    fn order(&self) -> usize {
        self.coefficients.len() / self.n - 1
    }

    fn evaluate(&mut self, t: f64, y: &[f64]) {
        self.take(t, y);
        let (first, others) = self.coefficients.split_at_mut(self.n);
        first.copy_from_slice(y);
        self.series.evaluate(1, &self.inputs, others);
    }

    fn coefficients(&self, k: usize) -> &[f64] {
        &self.coefficients[k * self.n..][..self.n]
    }

    fn coefficients_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.coefficients[k * self.n..][..self.n]
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.take(t, y);
        self.field.evaluate(1, &self.inputs, dy);
    }
}
