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
/// Well-formedness is defined in [`verify`](mod@crate::verify); [`Builder`](crate::Builder) and the
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

/// Operations that are alike and do not depend on each other: `values[l]` is a product or a sum of `left[l]` and
/// `right[l]`, all of them products or all of them sums. A compiler may compute them in one vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The results.
    pub values: Vec<Value>,
    /// One operand of each.
    pub left: Vec<Value>,
    /// The other operand of each.
    pub right: Vec<Value>,
}

/// A tape and bundles of its operations. A bundle is of use where nothing reads one of its results before the last of
/// its operations.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Bundled {
    /// The tape.
    pub tape: Tape,
    /// The bundles, in the order of computation.
    pub bundles: Vec<Bundle>,
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

    /// Does any output depend on the input, as far as the operations show?
    pub fn reads(&self, input: usize) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Input(i) if *i as usize == input))
    }

    /// Which values an output needs.
    pub fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.ops.len()];
        for o in &self.outputs {
            live[o.value.index()] = true;
        }
        for k in (0..self.ops.len()).rev() {
            if live[k] {
                self.ops[k].operands().for_each(|a| live[a.index()] = true);
            }
        }
        live
    }

    /// How often each value is read, where being an output counts once per output.
    pub fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.ops.len()];
        let outputs = self.outputs.iter().map(|o| o.value);
        for a in self.ops.iter().flat_map(Op::operands).chain(outputs) {
            uses[a.index()] += 1;
        }
        uses
    }

    /// The most values that are needed at one time: the room a machine must have for results.
    pub fn width(&self) -> usize {
        let mut last: Vec<usize> = (0..self.ops.len()).collect();
        for (k, op) in self.ops.iter().enumerate() {
            op.operands().for_each(|a| last[a.index()] = k);
        }
        self.outputs.iter().for_each(|o| last[o.value.index()] = self.ops.len());
        let mut ends = vec![0; self.ops.len() + 1];
        let (mut alive, mut width) = (0usize, 0);
        for (k, end) in last.iter().enumerate() {
            // a result may take the place of an operand that is read for the last time
            alive -= ends[k];
            ends[*end] += 1;
            alive += 1;
            width = width.max(alive);
        }
        width
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
