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
use std::ops::Range;

/// The index of a slot.
pub(crate) type Slot = u32;

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
    pub(crate) outputs: usize,
    pub(crate) temporaries: usize,
    pub(crate) instructions: Vec<Instruction>,
}

impl Program {
    pub(crate) fn new(tape: &Tape) -> Program {
        Assembler::new(tape).assemble()
    }

    /// The slots of the outputs.
    pub(crate) fn output_slots(&self) -> Range<usize> {
        let first = self.inputs + self.constants.len();
        first..first + self.outputs
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

    fn assemble(&self) -> Program {
        let drafts = self.drafts();
        let outputs = self.tape.outputs.len();
        let mut constants: Vec<f64> = Vec::new();
        let mut known: HashMap<u64, Slot> = HashMap::new();
        let mut slot: Vec<Option<Slot>> = vec![None; self.tape.ops.len()];
        let inputs = self.tape.inputs.len();
        for (k, op) in self.tape.ops.iter().enumerate() {
            slot[k] = match *op {
                Op::Input(i) => Some(i),
                Op::Constant(c) if self.readers[k] > 0 => {
                    let x = f64::constant(c);
                    Some(*known.entry(x.to_bits()).or_insert_with(|| {
                        constants.push(x);
                        (inputs + constants.len() - 1) as Slot
                    }))
                }
                _ => None,
            };
        }
        let first_output = inputs + constants.len();
        // a computed output lives in its own slot; further outputs of the same value are copies
        let mut copies = Vec::new();
        for (o, output) in self.tape.outputs.iter().enumerate() {
            let (k, target) = (output.value.index(), (first_output + o) as Slot);
            match slot[k] {
                Some(from) => copies.push(instruction(Code::Copy, &[target], &[from])),
                None => slot[k] = Some(target),
            }
        }

        let mut last = vec![0; self.tape.ops.len()];
        for (i, draft) in drafts.iter().enumerate() {
            draft.operands.iter().for_each(|a| last[a.index()] = i);
        }
        let first_temporary = (first_output + outputs) as Slot;
        let mut free: Vec<Slot> = Vec::new();
        let mut temporaries = 0;
        let mut instructions = Vec::with_capacity(drafts.len() + copies.len());
        for (i, draft) in drafts.iter().enumerate() {
            let operands: Vec<Slot> =
                draft.operands.iter().map(|a| slot[a.index()].expect("operands come first")).collect();
            // the result may take the slot of an operand: numbers are read before one is written
            for (j, &s) in operands.iter().enumerate() {
                let dead = last[draft.operands[j].index()] == i && !operands[..j].contains(&s);
                if dead && s >= first_temporary {
                    free.push(s);
                }
            }
            let results: Vec<Slot> = (draft.results.iter())
                .map(|v| {
                    *slot[v.index()].get_or_insert_with(|| {
                        free.pop().unwrap_or_else(|| {
                            temporaries += 1;
                            first_temporary + temporaries - 1
                        })
                    })
                })
                .collect();
            instructions.push(instruction(draft.code, &results, &operands));
        }
        instructions.extend(copies);
        Program { inputs, constants, outputs, temporaries: temporaries as usize, instructions }
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

fn draft(code: Code, results: &[Value], operands: &[Value]) -> Draft {
    Draft { code, results: results.to_vec(), operands: operands.to_vec() }
}

fn instruction(code: Code, results: &[Slot], operands: &[Slot]) -> Instruction {
    let mut all = [operands[0]; 4];
    all[..operands.len()].copy_from_slice(operands);
    Instruction { code, d: results[0], d2: results[results.len() - 1], operands: all }
}
