//! A tape as instructions on slots.
//!
//! Every value lives in a slot. There are four kinds, in this order:
//!
//! ```text
//! inputs | constants | outputs | temporaries
//! ```
//!
//! Inputs are read where the caller has them and outputs written where they are wanted. A temporary
//! is given to the next value as soon as its last reader is done, so that the few in use stay in
//! the nearest cache. Two things save passes over the columns:
//!
//! * the sine and the cosine of one value are one instruction;
//! * a sum, difference or product that is read once, by another arithmetic operation, is computed
//!   together with its reader. Each of the two operations is rounded as before.

use polhode_tape::{Op, Scalar, Tape, Value};
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// The index of a slot. With 16 bits an index into [`SLOTS`] numbers needs no check.
pub(crate) type Slot = u16;

/// The most slots a program can have.
pub(crate) const SLOTS: usize = 1 << Slot::BITS;

/// The tape needs more than 65 536 places for inputs, constants, outputs and values in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tape needs more than {SLOTS} places for values")
    }
}

impl std::error::Error for TooLarge {}

/// What an instruction computes from its operands a, b, c, e.
///
/// `XThenY` is `(a X b) Y c`, except that `From` and `Under` exchange the sides:
/// `c − (a X b)` and `c / (a X b)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Copy,
    Neg,
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    Sin,
    Cos,
    /// Two results: sin a and cos a.
    SinCos,
    Exp,
    Log,
    Atan2,
    AddThenNeg,
    AddThenAdd,
    AddThenSub,
    AddThenFrom,
    AddThenMul,
    AddThenDiv,
    AddThenUnder,
    SubThenNeg,
    SubThenAdd,
    SubThenSub,
    SubThenFrom,
    SubThenMul,
    SubThenDiv,
    SubThenUnder,
    MulThenNeg,
    MulThenAdd,
    MulThenSub,
    MulThenFrom,
    MulThenMul,
    MulThenDiv,
    MulThenUnder,
    /// a b + c e.
    MulMulAdd,
    /// a b − c e.
    MulMulSub,
}

impl Code {
    /// May the result take the slot of an operand? Arithmetic reads numbers before it writes some;
    /// the elementary functions want the two apart.
    fn may_overwrite(self) -> bool {
        !matches!(self, Code::Sin | Code::Cos | Code::SinCos | Code::Exp | Code::Log | Code::Atan2)
    }
}

/// One instruction. Operands that the code does not have repeat the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub(crate) code: Code,
    /// Where the result goes.
    pub(crate) d: Slot,
    /// Where the second result goes, for [`Code::SinCos`].
    pub(crate) d2: Slot,
    /// The operands a, b, c, e.
    pub(crate) operands: [Slot; 4],
}

/// A tape made ready.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) inputs: usize,
    pub(crate) constants: Vec<f64>,
    pub(crate) temporaries: usize,
    /// First what is computed, then copies for outputs that are inputs, constants or other outputs.
    pub(crate) instructions: Vec<Instruction>,
    /// How many instructions compute.
    pub(crate) work: usize,
    /// Inputs that are read.
    pub(crate) read: Vec<Slot>,
    /// Where the outputs can be found once the instructions have run, without the copies.
    pub(crate) results: Vec<Slot>,
}

impl Program {
    pub(crate) fn new(tape: &Tape) -> Result<Program, TooLarge> {
        Assembler::new(tape).assemble()
    }

    /// Number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.results.len()
    }

    /// The slots of the outputs.
    pub(crate) fn output_slots(&self) -> Range<usize> {
        let first = self.inputs + self.constants.len();
        first..first + self.outputs()
    }

    /// Number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.output_slots().end + self.temporaries
    }
}

/// An instruction still on values, with the operands it really has.
struct Draft {
    code: Code,
    results: Vec<Value>,
    operands: Vec<Value>,
}

struct Assembler<'a> {
    tape: &'a Tape,
    /// How often a value is read, or is an output.
    uses: Vec<u32>,
}

impl<'a> Assembler<'a> {
    fn new(tape: &'a Tape) -> Assembler<'a> {
        Assembler { tape, uses: tape.uses() }
    }

    fn assemble(&self) -> Result<Program, TooLarge> {
        let ops = &self.tape.ops;
        let inputs = self.tape.inputs.len();
        let mut constants: Vec<f64> = Vec::new();
        let mut known: HashMap<u64, Slot> = HashMap::new();
        let mut place: Vec<Option<Slot>> = vec![None; ops.len()];
        let mut read = Vec::new();
        for (k, op) in ops.iter().enumerate() {
            match *op {
                Op::Input(i) => {
                    let slot = index(i as usize)?;
                    place[k] = Some(slot);
                    read.push(slot);
                }
                Op::Constant(c) => {
                    let x = f64::constant(c);
                    let next = index(inputs + constants.len())?;
                    let slot = *known.entry(x.to_bits()).or_insert(next);
                    if slot == next {
                        constants.push(x);
                    }
                    place[k] = Some(slot);
                }
                _ => {}
            }
        }

        // a computed output lives in its own slot; further outputs of the same value are copies
        let first_output = inputs + constants.len();
        let (mut copies, mut results) = (Vec::new(), Vec::new());
        for (o, output) in self.tape.outputs.iter().enumerate() {
            let own = index(first_output + o)?;
            let found = *place[output.value.index()].get_or_insert(own);
            if found != own {
                copies.push(instruction(Code::Copy, &[own], &[found]));
            }
            results.push(found);
        }

        let drafts = self.drafts();
        let mut last = vec![0; ops.len()];
        for (i, draft) in drafts.iter().enumerate() {
            draft.operands.iter().for_each(|a| last[a.index()] = i);
        }
        let first_temporary = first_output + results.len();
        let mut temporaries = 0;
        let mut free: Vec<Slot> = Vec::new();
        let mut instructions = Vec::with_capacity(drafts.len());
        for (i, draft) in drafts.iter().enumerate() {
            let operands: Vec<Slot> =
                draft.operands.iter().map(|a| place[a.index()].expect("operands come first")).collect();
            let dead = (operands.iter().enumerate())
                .filter(|(j, s)| last[draft.operands[*j].index()] == i && !operands[..*j].contains(s))
                .map(|(_, s)| *s)
                .filter(|s| *s as usize >= first_temporary);
            if draft.code.may_overwrite() {
                free.extend(dead.clone());
            }
            let mut targets = Vec::with_capacity(2);
            for v in &draft.results {
                let target = match (place[v.index()], free.pop()) {
                    (Some(own), unused) => {
                        free.extend(unused);
                        own
                    }
                    (None, Some(slot)) => slot,
                    (None, None) => {
                        temporaries += 1;
                        index(first_temporary + temporaries - 1)?
                    }
                };
                place[v.index()] = Some(target);
                targets.push(target);
            }
            if !draft.code.may_overwrite() {
                free.extend(dead);
            }
            instructions.push(instruction(draft.code, &targets, &operands));
        }
        let work = instructions.len();
        instructions.extend(copies);
        Ok(Program { inputs, constants, temporaries, instructions, work, read, results })
    }

    /// The instructions on values, in the order of the tape.
    fn drafts(&self) -> Vec<Draft> {
        let ops = &self.tape.ops;
        // by value; what became part of another instruction is taken out again
        let mut drafts: Vec<Option<Draft>> = Vec::with_capacity(ops.len());
        for (k, op) in ops.iter().enumerate() {
            let result = Value(k as u32);
            let draft = match *op {
                Op::Input(_) | Op::Constant(_) => None,
                Op::Neg(a) => Some(self.negative(&mut drafts, result, a)),
                Op::Add(a, b) => Some(self.binary(&mut drafts, result, Code::Add, a, b)),
                Op::Sub(a, b) => Some(self.binary(&mut drafts, result, Code::Sub, a, b)),
                Op::Mul(a, b) => Some(self.binary(&mut drafts, result, Code::Mul, a, b)),
                Op::Div(a, b) => Some(self.binary(&mut drafts, result, Code::Div, a, b)),
                Op::Sqrt(a) => Some(draft(Code::Sqrt, &[result], &[a])),
                Op::Sin(a) if ops.get(k + 1) == Some(&Op::Cos(a)) => {
                    Some(draft(Code::SinCos, &[result, Value(result.0 + 1)], &[a]))
                }
                Op::Sin(a) => Some(draft(Code::Sin, &[result], &[a])),
                Op::Cos(a) if k > 0 && ops[k - 1] == Op::Sin(a) => None,
                Op::Cos(a) => Some(draft(Code::Cos, &[result], &[a])),
                Op::Exp(a) => Some(draft(Code::Exp, &[result], &[a])),
                Op::Log(a) => Some(draft(Code::Log, &[result], &[a])),
                Op::Atan2(a, b) => Some(draft(Code::Atan2, &[result], &[a, b])),
            };
            drafts.push(draft);
        }
        drafts.into_iter().flatten().collect()
    }

    /// The sum, difference or product that computes v, an operand, where nobody else wants v.
    fn private(&self, drafts: &[Option<Draft>], v: Value) -> Option<First> {
        if self.uses[v.index()] > 1 {
            return None;
        }
        match drafts[v.index()].as_ref()?.code {
            Code::Add => Some(First::Add),
            Code::Sub => Some(First::Sub),
            Code::Mul => Some(First::Mul),
            _ => None,
        }
    }

    /// −a, together with what computes a where possible.
    fn negative(&self, drafts: &mut [Option<Draft>], result: Value, a: Value) -> Draft {
        let Some(first) = self.private(drafts, a) else {
            return draft(Code::Neg, &[result], &[a]);
        };
        let code = match first {
            First::Add => Code::AddThenNeg,
            First::Sub => Code::SubThenNeg,
            First::Mul => Code::MulThenNeg,
        };
        draft(code, &[result], &take(drafts, a))
    }

    /// A binary operation, together with what computes one of its operands (or both) where
    /// possible. Products go first: sums of products are what tapes are full of.
    fn binary(&self, drafts: &mut [Option<Draft>], result: Value, code: Code, a: Value, b: Value) -> Draft {
        let (left, right) = (self.private(drafts, a), self.private(drafts, b));
        let both = left == Some(First::Mul) && right == Some(First::Mul);
        match (left, right, code) {
            (_, _, Code::Add) if both => {
                draft(Code::MulMulAdd, &[result], &[take(drafts, a), take(drafts, b)].concat())
            }
            (_, _, Code::Sub) if both => {
                draft(Code::MulMulSub, &[result], &[take(drafts, a), take(drafts, b)].concat())
            }
            (Some(first), other, _) if other != Some(First::Mul) || first == First::Mul => {
                draft(then(first, code, false), &[result], &[take(drafts, a), vec![b]].concat())
            }
            (_, Some(first), _) => draft(then(first, code, true), &[result], &[take(drafts, b), vec![a]].concat()),
            _ => draft(code, &[result], &[a, b]),
        }
    }
}

/// The operation computed first in a fused instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Add,
    Sub,
    Mul,
}

/// `(a first b) second c`, or `c second (a first b)` where `exchanged`.
fn then(first: First, second: Code, exchanged: bool) -> Code {
    let [add, sub, from, mul, div, under] = match first {
        First::Add => [
            Code::AddThenAdd,
            Code::AddThenSub,
            Code::AddThenFrom,
            Code::AddThenMul,
            Code::AddThenDiv,
            Code::AddThenUnder,
        ],
        First::Sub => [
            Code::SubThenAdd,
            Code::SubThenSub,
            Code::SubThenFrom,
            Code::SubThenMul,
            Code::SubThenDiv,
            Code::SubThenUnder,
        ],
        First::Mul => [
            Code::MulThenAdd,
            Code::MulThenSub,
            Code::MulThenFrom,
            Code::MulThenMul,
            Code::MulThenDiv,
            Code::MulThenUnder,
        ],
    };
    match (second, exchanged) {
        (Code::Add, _) => add,
        (Code::Sub, false) => sub,
        (Code::Sub, true) => from,
        (Code::Mul, _) => mul,
        (Code::Div, false) => div,
        (Code::Div, true) => under,
        _ => unreachable!("only sums, differences, products and quotients are fused"),
    }
}

/// Removes the draft of v and returns its operands.
fn take(drafts: &mut [Option<Draft>], v: Value) -> Vec<Value> {
    drafts[v.index()].take().map(|d| d.operands).expect("found before")
}

fn index(slot: usize) -> Result<Slot, TooLarge> {
    Slot::try_from(slot).map_err(|_| TooLarge)
}

fn draft(code: Code, results: &[Value], operands: &[Value]) -> Draft {
    Draft { code, results: results.to_vec(), operands: operands.to_vec() }
}

fn instruction(code: Code, results: &[Slot], operands: &[Slot]) -> Instruction {
    let mut all = [operands[0]; 4];
    all[..operands.len()].copy_from_slice(operands);
    Instruction { code, d: results[0], d2: results[results.len() - 1], operands: all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_tape::{Builder, passes};

    fn codes(build: impl FnOnce(&mut Builder, [Value; 4])) -> Vec<Code> {
        let mut b = Builder::new();
        let x = ["p", "q", "r", "s"].map(|name| b.input(name));
        build(&mut b, x);
        let program = Program::new(&passes::finish(b)).unwrap();
        program.instructions.iter().map(|i| i.code).collect()
    }

    #[test]
    fn pairs_become_one_instruction() {
        let fused = codes(|b, [p, q, r, s]| {
            let (pq, rs) = (b.mul(p, q), b.mul(r, s));
            let sum = b.add(pq, rs);
            b.output("sum", sum);
        });
        assert_eq!(fused, [Code::MulMulAdd]);
        let fused = codes(|b, [p, q, r, s]| {
            let pq = b.add(p, q);
            let over = b.div(r, pq);
            let rest = b.sub(over, s);
            b.output("rest", rest);
        });
        assert_eq!(fused, [Code::AddThenUnder, Code::Sub]);
        let fused = codes(|b, [p, ..]| {
            let (s, c) = (b.emit(Op::Sin(p)), b.emit(Op::Cos(p)));
            b.output("s", s);
            b.output("c", c);
        });
        assert_eq!(fused, [Code::SinCos]);
    }

    #[test]
    fn what_others_read_stays_apart() {
        let apart = codes(|b, [p, q, r, s]| {
            let pq = b.mul(p, q);
            let (x, y) = (b.add(pq, r), b.sub(s, pq));
            b.output("x", x);
            b.output("y", y);
        });
        assert_eq!(apart, [Code::Mul, Code::Add, Code::Sub]);
        let output = codes(|b, [p, q, r, _]| {
            let pq = b.mul(p, q);
            let x = b.add(pq, r);
            b.output("pq", pq);
            b.output("x", x);
        });
        assert_eq!(output, [Code::Mul, Code::Add]);
    }

    #[test]
    fn slots_are_used_again() {
        let mut b = Builder::new();
        let (x, y) = (b.input("x"), b.input("y"));
        let end = (0..500).fold(x, |v, _| {
            let (s, c) = (b.emit(Op::Sin(v)), b.emit(Op::Cos(v)));
            let p = b.mul(s, y);
            b.add(p, c)
        });
        b.output("end", end);
        let program = Program::new(&passes::finish(b)).unwrap();
        assert_eq!((program.instructions.len(), program.temporaries), (1000, 3));
    }
}
