//! The operations of a tape.

use crate::double_double::Dd;

/// A value of a tape: the index of the operation that computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation. Arithmetic is that of the numbers it is evaluated in, correctly rounded for
/// doubles; nothing is contracted or reordered by an evaluator.
///
/// Constants are double-doubles, so that one tape serves doubles and 30 digits alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// An input, by its index.
    Input(u32),
    /// A number.
    Constant(Dd),
    /// −a.
    Neg(Value),
    /// a + b.
    Add(Value, Value),
    /// a − b.
    Sub(Value, Value),
    /// a b.
    Mul(Value, Value),
    /// a / b.
    Div(Value, Value),
    /// √a.
    Sqrt(Value),
    /// sin a.
    Sin(Value),
    /// cos a; when the tape has both, it directly follows sin a.
    Cos(Value),
    /// eᵃ.
    Exp(Value),
    /// The natural logarithm.
    Log(Value),
    /// The angle of the point (x, y): `Atan2(y, x)`.
    Atan2(Value, Value),
}

impl Op {
    /// The values the operation reads.
    pub fn operands(&self) -> impl Iterator<Item = Value> {
        let (a, b) = match *self {
            Op::Input(_) | Op::Constant(_) => (None, None),
            Op::Neg(a) | Op::Sqrt(a) | Op::Sin(a) | Op::Cos(a) | Op::Exp(a) | Op::Log(a) => (Some(a), None),
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Div(a, b) | Op::Atan2(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }

    /// The same operation on other values.
    pub fn map(self, mut f: impl FnMut(Value) -> Value) -> Op {
        match self {
            Op::Input(_) | Op::Constant(_) => self,
            Op::Neg(a) => Op::Neg(f(a)),
            Op::Add(a, b) => Op::Add(f(a), f(b)),
            Op::Sub(a, b) => Op::Sub(f(a), f(b)),
            Op::Mul(a, b) => Op::Mul(f(a), f(b)),
            Op::Div(a, b) => Op::Div(f(a), f(b)),
            Op::Sqrt(a) => Op::Sqrt(f(a)),
            Op::Sin(a) => Op::Sin(f(a)),
            Op::Cos(a) => Op::Cos(f(a)),
            Op::Exp(a) => Op::Exp(f(a)),
            Op::Log(a) => Op::Log(f(a)),
            Op::Atan2(a, b) => Op::Atan2(f(a), f(b)),
        }
    }

    /// Does the operation compute anything?
    pub fn is_work(&self) -> bool {
        !matches!(self, Op::Input(_) | Op::Constant(_))
    }

    /// Rough cost in additions, for choosing between two programs for the same functions.
    pub fn cost(&self) -> u32 {
        match self {
            Op::Input(_) | Op::Constant(_) => 0,
            Op::Neg(_) | Op::Add(..) | Op::Sub(..) | Op::Mul(..) => 1,
            Op::Div(..) | Op::Sqrt(_) => 6,
            Op::Sin(_) | Op::Cos(_) => 12,
            Op::Exp(_) | Op::Log(_) => 16,
            Op::Atan2(..) => 24,
        }
    }
}
