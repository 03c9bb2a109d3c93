//! What is integrated: the right-hand side of ẏ = f(t, y).

use polhode_tape::{Interpreter, Kernel, Scalar};

/// The right-hand side of ẏ = f(t, y).
pub trait VectorField<S> {
    /// n.
    fn dimension(&self) -> usize;
    /// ẏ at (t, y).
    fn rates(&mut self, t: S, y: &[S], dy: &mut [S]);
    /// ẏ at the point (t, y₁ … yₙ), which is not empty.
    fn rates_at(&mut self, point: &[S], dy: &mut [S])
    where
        S: Copy,
    {
        self.rates(point[0], &point[1..], dy);
    }
}

/// A kernel of a tape with inputs t, y₁ … yₙ and outputs ẏ₁ … ẏₙ.
#[derive(Clone, Debug)]
pub struct KernelField<K> {
    kernel: K,
    inputs: Vec<f64>,
}

impl<K: Kernel> KernelField<K> {
    /// Panics unless the kernel has one input more than it has outputs.
    pub fn new(kernel: K) -> KernelField<K> {
        assert_eq!(kernel.inputs(), kernel.outputs() + 1, "inputs are t and the state, outputs its rates");
        KernelField { inputs: vec![0.0; kernel.inputs()], kernel }
    }
}

impl<K: Kernel> VectorField<f64> for KernelField<K> {
    fn dimension(&self) -> usize {
        self.kernel.outputs()
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.inputs[0] = t;
        self.inputs[1..].copy_from_slice(y);
        self.kernel.evaluate(1, &self.inputs, dy);
    }

    fn rates_at(&mut self, point: &[f64], dy: &mut [f64]) {
        self.kernel.evaluate(1, point, dy);
    }
}

/// The reference interpreter in any numbers. Each call allocates; in doubles take [`KernelField`].
impl<S: Scalar> VectorField<S> for Interpreter<S> {
    fn dimension(&self) -> usize {
        self.tape().outputs.len()
    }

    fn rates(&mut self, t: S, y: &[S], dy: &mut [S]) {
        let mut inputs = Vec::with_capacity(y.len() + 1);
        inputs.push(t);
        inputs.extend_from_slice(y);
        self.call(&inputs, dy);
    }
}
