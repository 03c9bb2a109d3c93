//! What well-formed means.
//!
//! A tape is well-formed when all of this holds; [`Builder`](crate::Builder) with
//! [`finish`](crate::passes::finish) and every pass make such tapes only, and every evaluator may
//! rely on it.
//!
//! 1. *Order.* Operation k reads values before k.
//! 2. *Inputs.* `Input(i)` has i below the number of inputs. An input that is not read has no
//!    operation.
//! 3. *Once.* No two operations are the same: the same operator on the same values (a + b and b + a
//!    are the same, so are a b and b a), the same input, the same bits of a constant.
//! 4. *Use.* Every value is an output or is read by a later operation that is used.
//! 5. *Constants* are finite; hi is the double nearest to hi + lo, and a low part that vanishes is +0.
//! 6. *Pairs.* When sin a and cos a are both there, cos a directly follows sin a.
//! 7. *Outputs* are values of the tape. One value may be several outputs, and a constant or an input
//!    may be an output.
//! 8. *Names.* Names of inputs are distinct, and so are names of outputs; an input and an output may
//!    share one. A name has at least one character and none that is a space or a control character.
//!
//! A tape that is not well-formed is a bug of the program that made it, except where it was read
//! from text.

use crate::build::{Key, key};
use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::tape::Tape;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::{self, Display};

/// How a tape fails to be well-formed, and where.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Malformed {
    /// An operation reads its own value or a later one.
    OperandNotEarlier {
        /// The operation.
        at: Value,
        /// What it reads.
        operand: Value,
    },
    /// There is no such input.
    NoSuchInput {
        /// The operation.
        at: Value,
        /// The input it names.
        input: u32,
    },
    /// The same operation stands twice.
    Twice {
        /// The second.
        at: Value,
        /// The first.
        first: Value,
    },
    /// Nothing depends on the value.
    Unused {
        /// The value.
        at: Value,
    },
    /// A constant that is not finite, or whose parts overlap.
    BadConstant {
        /// The operation.
        at: Value,
        /// Its number.
        constant: Dd,
    },
    /// cos a does not directly follow sin a.
    PairApart {
        /// sin a.
        sin: Value,
        /// cos a.
        cos: Value,
    },
    /// An output is a value that the tape does not have.
    NoSuchValue {
        /// Index of the output.
        output: usize,
        /// The value it should be.
        value: Value,
    },
    /// The name of an input is empty, has a space in it or is taken.
    BadInputName {
        /// Index of the input.
        input: usize,
        /// Its name.
        name: String,
    },
    /// The name of an output is empty, has a space in it or is taken.
    BadOutputName {
        /// Index of the output.
        output: usize,
        /// Its name.
        name: String,
    },
}

/// A part of a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The declaration of an input.
    Input(usize),
    /// An operation.
    Operation(Value),
    /// The declaration of an output.
    Output(usize),
}

impl Malformed {
    /// Where.
    pub fn place(&self) -> Place {
        match *self {
            Malformed::OperandNotEarlier { at, .. }
            | Malformed::NoSuchInput { at, .. }
            | Malformed::Twice { at, .. }
            | Malformed::Unused { at }
            | Malformed::BadConstant { at, .. }
            | Malformed::PairApart { cos: at, .. } => Place::Operation(at),
            Malformed::NoSuchValue { output, .. } | Malformed::BadOutputName { output, .. } => Place::Output(output),
            Malformed::BadInputName { input, .. } => Place::Input(input),
        }
    }

    /// What is wrong, without the blame.
    pub(crate) fn describe(&self) -> String {
        match self {
            Malformed::OperandNotEarlier { at, operand } => {
                format!("v{} reads v{}, which is not earlier", at.0, operand.0)
            }
            Malformed::NoSuchInput { at, input } => format!("v{} is input {input}, which is not declared", at.0),
            Malformed::Twice { at, first } => format!("v{} repeats v{}", at.0, first.0),
            Malformed::Unused { at } => format!("v{} is not used", at.0),
            Malformed::BadConstant { at, constant } => {
                format!("v{} is the constant {:?} + {:?}", at.0, constant.hi(), constant.lo())
            }
            Malformed::PairApart { sin, cos } => format!("the cosine v{} does not follow its sine v{}", cos.0, sin.0),
            Malformed::NoSuchValue { output, value } => {
                format!("output {output} is v{}, which does not exist", value.0)
            }
            Malformed::BadInputName { input, name } => {
                format!("input {input} has the name {name:?}, which is taken, empty or has a space in it")
            }
            Malformed::BadOutputName { output, name } => {
                format!("output {output} has the name {name:?}, which is taken, empty or has a space in it")
            }
        }
    }
}

impl Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "the numeric program is malformed: {}; this is a bug in polhode, please report it", self.describe())
    }
}

impl std::error::Error for Malformed {}

/// Can the name stand between spaces?
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// The operation as it counts for "the same".
fn identity(op: &Op) -> Key {
    key(&match *op {
        Op::Add(a, b) => Op::Add(a.min(b), a.max(b)),
        Op::Mul(a, b) => Op::Mul(a.min(b), a.max(b)),
        op => op,
    })
}

/// Is the tape well-formed? Says the first thing that is wrong.
pub fn verify(tape: &Tape) -> Result<(), Malformed> {
    let mut names = FxHashSet::default();
    for (input, name) in tape.inputs.iter().enumerate() {
        if !is_name(name) || !names.insert(name) {
            return Err(Malformed::BadInputName { input, name: name.clone() });
        }
    }
    let mut known: FxHashMap<Key, Value> = FxHashMap::default();
    for (k, op) in tape.ops.iter().enumerate() {
        let at = Value(k as u32);
        if let Some(operand) = op.operands().find(|a| *a >= at) {
            return Err(Malformed::OperandNotEarlier { at, operand });
        }
        match *op {
            Op::Input(input) if input as usize >= tape.inputs.len() => {
                return Err(Malformed::NoSuchInput { at, input });
            }
            Op::Constant(c) if !is_sound(c) => return Err(Malformed::BadConstant { at, constant: c }),
            _ => {}
        }
        if let Some(first) = known.insert(identity(op), at) {
            return Err(Malformed::Twice { at, first });
        }
    }
    for (op, cos) in tape.ops.iter().zip((0..).map(Value)) {
        if let Op::Cos(a) = *op
            && let Some(sin) = known.get(&key(&Op::Sin(a)))
            && sin.0 + 1 != cos.0
        {
            return Err(Malformed::PairApart { sin: *sin, cos });
        }
    }
    names.clear();
    for (output, o) in tape.outputs.iter().enumerate() {
        if !is_name(&o.name) || !names.insert(&o.name) {
            return Err(Malformed::BadOutputName { output, name: o.name.clone() });
        }
        if o.value.index() >= tape.ops.len() {
            return Err(Malformed::NoSuchValue { output, value: o.value });
        }
    }
    match tape.live().iter().position(|l| !l) {
        Some(k) => Err(Malformed::Unused { at: Value(k as u32) }),
        None => Ok(()),
    }
}

fn is_sound(c: Dd) -> bool {
    let lo_is_plus_zero = c.lo() != 0.0 || c.lo().is_sign_positive();
    c.hi().is_finite() && c.hi() + c.lo() == c.hi() && lo_is_plus_zero
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Output;

    fn tape(ops: &[Op], outputs: &[u32]) -> Tape {
        let outputs = outputs.iter().map(|k| Output { name: format!("y{k}"), value: Value(*k) }).collect();
        Tape { inputs: vec!["x".into(), "y".into()], ops: ops.to_vec(), outputs }
    }

    #[test]
    fn each_rule() {
        let v = Value;
        let (x, y, one) = (Op::Input(0), Op::Input(1), Op::Constant(Dd::ONE));
        assert_eq!(verify(&Tape::default()), Ok(()));
        assert_eq!(verify(&tape(&[x, y, Op::Mul(v(0), v(0)), Op::Add(v(2), v(1))], &[3, 0, 1])), Ok(()));
        for (ops, outputs, wrong) in [
            (vec![x, Op::Neg(v(1))], vec![1], Malformed::OperandNotEarlier { at: v(1), operand: v(1) }),
            (vec![Op::Input(2)], vec![0], Malformed::NoSuchInput { at: v(0), input: 2 }),
            (vec![x, y, x], vec![0, 1, 2], Malformed::Twice { at: v(2), first: v(0) }),
            (vec![one, one], vec![0, 1], Malformed::Twice { at: v(1), first: v(0) }),
            (
                vec![x, y, Op::Add(v(0), v(1)), Op::Add(v(1), v(0))],
                vec![2, 3],
                Malformed::Twice { at: v(3), first: v(2) },
            ),
            (vec![x, y, Op::Neg(v(1))], vec![0], Malformed::Unused { at: v(1) }),
            (
                vec![x, Op::Sin(v(0)), Op::Neg(v(0)), Op::Cos(v(0))],
                vec![1, 2, 3],
                Malformed::PairApart { sin: v(1), cos: v(3) },
            ),
            (vec![x, Op::Cos(v(0)), Op::Sin(v(0))], vec![1, 2], Malformed::PairApart { sin: v(2), cos: v(1) }),
            (vec![x], vec![0, 7], Malformed::NoSuchValue { output: 1, value: v(7) }),
            (vec![x], vec![0, 0], Malformed::BadOutputName { output: 1, name: "y0".into() }),
        ] {
            assert_eq!(verify(&tape(&ops, &outputs)), Err(wrong));
        }
        let infinite = Op::Constant(Dd::from(f64::INFINITY));
        let e = verify(&tape(&[infinite], &[0])).unwrap_err();
        assert_eq!((e.place(), e.to_string().contains("bug in polhode")), (Place::Operation(v(0)), true));
        for bad in ["", "a b", "x", "\u{7}"] {
            let t = Tape { inputs: vec!["x".into(), bad.into()], ..Tape::default() };
            assert_eq!(verify(&t), Err(Malformed::BadInputName { input: 1, name: bad.into() }));
        }
    }
}
