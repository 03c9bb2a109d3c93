//! A tape as instructions on slots.
//!
//! Every value lives in a slot. There are four kinds, in this order:
//!
//! ```text
//! inputs | constants | outputs | temporaries
//! ```
//!
//! Inputs are read where the caller has them and outputs written where he wants them. A temporary
//! is given to the next value as soon as its last reader is done, so that the few in use stay in
//! the nearest cache. Two things save passes over the columns:
//!
//! * the sine and the cosine of one value are one instruction;
//! * a sum, difference or product read once, by another sum, difference or product, is computed
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
/// `XThenY` is `(a X b) Y c`; `From` takes away from the other side: c − (a X b).
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
    AddThenAdd,
    AddThenSub,
    AddThenFrom,
    AddThenMul,
    SubThenAdd,
    SubThenSub,
    SubThenFrom,
    SubThenMul,
    MulThenAdd,
    MulThenSub,
    MulThenFrom,
    MulThenMul,
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
    /// How often a value is read by operations that matter; outputs count as readers.
    readers: Vec<u32>,
    is_output: Vec<bool>,
}

impl<'a> Assembler<'a> {
    fn new(tape: &'a Tape) -> Assembler<'a> {
        let mut readers = vec![0; tape.ops.len()];
        let mut is_output = vec![false; tape.ops.len()];
        for o in &tape.outputs {
            readers[o.value.index()] += 1;
            is_output[o.value.index()] = true;
        }
        for k in (0..tape.ops.len()).rev() {
            if readers[k] > 0 {
                tape.ops[k].operands().for_each(|a| readers[a.index()] += 1);
            }
        }
        Assembler { tape, readers, is_output }
    }

    fn assemble(&self) -> Result<Program, TooLarge> {
        let ops = &self.tape.ops;
        let inputs = self.tape.inputs.len();
        let mut constants: Vec<f64> = Vec::new();
        let mut known: HashMap<u64, Slot> = HashMap::new();
        let mut place: Vec<Option<Slot>> = vec![None; ops.len()];
        let mut read = Vec::new();
        for (k, op) in ops.iter().enumerate().filter(|(k, _)| self.readers[*k] > 0) {
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
        // the partner of a sine or cosine: the other function of the same value
        let mut sines: HashMap<Value, (Option<usize>, Option<usize>)> = HashMap::new();
        for (k, op) in ops.iter().enumerate().filter(|(k, _)| self.readers[*k] > 0) {
            match *op {
                Op::Sin(a) => sines.entry(a).or_default().0 = Some(k),
                Op::Cos(a) => sines.entry(a).or_default().1 = Some(k),
                _ => {}
            }
        }
        let mut drafts: Vec<Option<Draft>> = Vec::with_capacity(ops.len());
        for (k, op) in ops.iter().enumerate() {
            let result = Value(k as u32);
            let draft = if self.readers[k] == 0 {
                None
            } else {
                match *op {
                    Op::Input(_) | Op::Constant(_) => None,
                    Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) => Some(self.fuse(&mut drafts, result, op, a, b)),
                    Op::Sin(a) | Op::Cos(a) => match sines[&a] {
                        (Some(s), Some(c)) if k == s.min(c) => {
                            Some(draft(Code::SinCos, &[Value(s as u32), Value(c as u32)], &[a]))
                        }
                        (Some(_), Some(_)) => None,
                        (Some(_), None) => Some(draft(Code::Sin, &[result], &[a])),
                        _ => Some(draft(Code::Cos, &[result], &[a])),
                    },
                    Op::Neg(a) => Some(draft(Code::Neg, &[result], &[a])),
                    Op::Sqrt(a) => Some(draft(Code::Sqrt, &[result], &[a])),
                    Op::Exp(a) => Some(draft(Code::Exp, &[result], &[a])),
                    Op::Log(a) => Some(draft(Code::Log, &[result], &[a])),
                    Op::Div(a, b) => Some(draft(Code::Div, &[result], &[a, b])),
                    Op::Atan2(a, b) => Some(draft(Code::Atan2, &[result], &[a, b])),
                }
            };
            drafts.push(draft);
        }
        drafts.into_iter().flatten().collect()
    }

    /// `op` on a and b, together with the operation that computes one of them (or both) where
    /// nobody else reads it.
    fn fuse(&self, drafts: &mut [Option<Draft>], result: Value, op: &Op, a: Value, b: Value) -> Draft {
        let second = match op {
            Op::Add(..) => Code::Add,
            Op::Sub(..) => Code::Sub,
            _ => Code::Mul,
        };
        let single = |v: Value, drafts: &[Option<Draft>]| {
            let code = drafts[v.index()].as_ref().map(|d| d.code);
            let private = self.readers[v.index()] == 1 && !self.is_output[v.index()];
            code.filter(|c| private && matches!(c, Code::Add | Code::Sub | Code::Mul))
        };
        let (left, right) = (single(a, drafts), single(b, drafts));
        let mut take = |v: Value| drafts[v.index()].take().expect("just seen").operands;
        match (left, right) {
            (Some(Code::Mul), Some(Code::Mul)) if second != Code::Mul => {
                let code = if second == Code::Add { Code::MulMulAdd } else { Code::MulMulSub };
                let operands = [take(a), take(b)].concat();
                draft(code, &[result], &operands)
            }
            (Some(first), other) if other != Some(Code::Mul) || first == Code::Mul => {
                let operands = [take(a), vec![b]].concat();
                draft(pair(first, second, false), &[result], &operands)
            }
            (_, Some(first)) => {
                let operands = [take(b), vec![a]].concat();
                draft(pair(first, second, true), &[result], &operands)
            }
            _ => draft(second, &[result], &[a, b]),
        }
    }
}

/// `(a first b) second c`, or `c second (a first b)` where `right`.
fn pair(first: Code, second: Code, right: bool) -> Code {
    match (first, second) {
        (Code::Add, Code::Add) => Code::AddThenAdd,
        (Code::Add, Code::Sub) if right => Code::AddThenFrom,
        (Code::Add, Code::Sub) => Code::AddThenSub,
        (Code::Add, _) => Code::AddThenMul,
        (Code::Sub, Code::Add) => Code::SubThenAdd,
        (Code::Sub, Code::Sub) if right => Code::SubThenFrom,
        (Code::Sub, Code::Sub) => Code::SubThenSub,
        (Code::Sub, _) => Code::SubThenMul,
        (_, Code::Add) => Code::MulThenAdd,
        (_, Code::Sub) if right => Code::MulThenFrom,
        (_, Code::Sub) => Code::MulThenSub,
        _ => Code::MulThenMul,
    }
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
