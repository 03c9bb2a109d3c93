//! The reference interpreter: one operation after the other, in any [`Scalar`].
//!
//! It is the meaning of a tape; every other evaluator is tested against it.

use crate::kernel::{Backend, Kernel};
use crate::op::Op;
use crate::scalar::Scalar;
use crate::tape::Tape;
use std::convert::Infallible;

/// A tape with room for its values.
#[derive(Clone, Debug)]
pub struct Interpreter<S> {
    tape: Tape,
    values: Vec<S>,
}

impl<S: Scalar> Interpreter<S> {
    /// Makes a tape ready.
    pub fn new(tape: &Tape) -> Interpreter<S> {
        Interpreter { tape: tape.clone(), values: vec![S::default(); tape.ops.len()] }
    }

    /// The tape.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Evaluates at one point.
    pub fn call(&mut self, inputs: &[S], outputs: &mut [S]) {
        assert_eq!((inputs.len(), outputs.len()), (self.tape.inputs.len(), self.tape.outputs.len()));
        self.run(|i| inputs[i]);
        for (y, o) in outputs.iter_mut().zip(&self.tape.outputs) {
            *y = self.values[o.value.index()];
        }
    }

    /// The value of every operation, where input i is `input(i)`.
    fn run(&mut self, input: impl Fn(usize) -> S) {
        for (k, op) in self.tape.ops.iter().enumerate() {
            let v = |a: crate::op::Value| self.values[a.index()];
            self.values[k] = match *op {
                Op::Input(i) => input(i as usize),
                Op::Constant(c) => S::constant(c),
                Op::Neg(a) => -v(a),
                Op::Add(a, b) => v(a) + v(b),
                Op::Sub(a, b) => v(a) - v(b),
                Op::Mul(a, b) => v(a) * v(b),
                Op::Div(a, b) => v(a) / v(b),
                Op::Sqrt(a) => v(a).sqrt(),
                Op::Sin(a) => v(a).sin_cos().0,
                Op::Cos(a) => v(a).sin_cos().1,
                Op::Exp(a) => v(a).exp(),
                Op::Log(a) => v(a).ln(),
                Op::Atan2(a, b) => v(a).atan2(v(b)),
            };
        }
    }
}

impl Kernel for Interpreter<f64> {
    fn inputs(&self) -> usize {
        self.tape.inputs.len()
    }

    fn outputs(&self) -> usize {
        self.tape.outputs.len()
    }

    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        for l in 0..lanes {
            self.run(|i| inputs[i * lanes + l]);
            for (o, output) in self.tape.outputs.iter().enumerate() {
                outputs[o * lanes + l] = self.values[output.value.index()];
            }
        }
    }
}

/// The backend of the reference interpreter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Backend for Reference {
    type Kernel = Interpreter<f64>;
    type Error = Infallible;

    fn name(&self) -> String {
        "reference".into()
    }

    fn prepare(&self, tape: &Tape) -> Result<Interpreter<f64>, Infallible> {
        Ok(Interpreter::new(tape))
    }
}
