//! A program: names of inputs, operations, named outputs.

use crate::op::{Op, Value};

/// A named result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// The value it is.
    pub value: Value,
}

/// A flat program in single-assignment form: operation k computes `Value(k)` from earlier values.
///
/// Well-formedness is defined in [`verify`](crate::verify); [`Builder`](crate::Builder) and the
/// passes only make well-formed tapes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tape {
    /// Names of the inputs; an input may be unused.
    pub inputs: Vec<String>,
    /// The operations in order.
    pub ops: Vec<Op>,
    /// The results.
    pub outputs: Vec<Output>,
}

impl Tape {
    /// The index of an input.
    pub fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|n| n == name)
    }

    /// The index of an output.
    pub fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|o| o.name == name)
    }

    /// Operations that compute something.
    pub fn work(&self) -> usize {
        self.ops.iter().filter(|op| op.is_work()).count()
    }

    /// Rough cost of one evaluation, in additions.
    pub fn cost(&self) -> u32 {
        self.ops.iter().map(Op::cost).sum()
    }
}
