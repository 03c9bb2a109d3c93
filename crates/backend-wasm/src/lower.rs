//! From a tape to a function.
//!
//! ```text
//! inputs: doubles in memory, or parameters of the function  →  values in locals  →  outputs: doubles in memory
//! ```
//!
//! A value that is read once is computed where it is read, on the machine's stack; all others have a local, which serves again after
//! the value was read for the last time. Engines take 50 000 locals: what goes beyond [`LOCALS`] is kept in memory.
//! Outputs are written as soon as they are known, and may therefore not lie where inputs are.

use crate::assembler::{Code, Function, Var, Writer, X, load, operands};
use crate::elementary::Elementary;
use polhode_tape::{Op, Scalar, Tape, Value};
use wasm_encoder::Instruction;

/// Locals of one function.
const LOCALS: usize = 5_000;

/// Expressions are not nested deeper.
const DEPTH: u32 = 40;

/// Where something stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// In memory, at an address.
    At(u32),
    /// In memory, at an offset from an address that is a parameter.
    From(Var<i32>, u32),
    /// A parameter.
    Given(Var<f64>),
}

impl Place {
    fn load(self) -> X<f64> {
        match self {
            Place::At(at) => load(0, at),
            Place::From(base, offset) => load(base, offset),
            Place::Given(v) => v.into(),
        }
    }
}

/// Places side by side.
pub(crate) fn places(at: u32, count: usize) -> impl Iterator<Item = Place> {
    (0..count as u32).map(move |k| Place::At(at + 8 * k))
}

/// Places side by side from an address on.
pub(crate) fn places_from(base: Var<i32>, count: usize) -> impl Iterator<Item = Place> {
    (0..count as u32).map(move |k| Place::From(base, 8 * k))
}

/// What is known of a tape before it is written.
struct Plan {
    /// Is the value computed where it is read?
    inline: Vec<bool>,
    /// The last operation that reads it, of those that are not computed elsewhere.
    last: Vec<usize>,
}

impl Plan {
    fn of(tape: &Tape) -> Plan {
        let n = tape.ops.len();
        let uses = tape.uses();
        let (mut inline, mut depth) = (vec![false; n], vec![0; n]);
        for (k, op) in tape.ops.iter().enumerate() {
            depth[k] = op.operands().filter(|a| inline[a.index()]).map(|a| depth[a.index()] + 1).max().unwrap_or(0);
            inline[k] = match op {
                Op::Constant(_) => true,
                // two results of one call
                Op::Sin(_) | Op::Cos(_) => false,
                _ => uses[k] == 1 && depth[k] < DEPTH,
            };
        }
        // where a value is written down that is computed where it is read
        let mut root: Vec<usize> = (0..n).collect();
        let mut last: Vec<usize> = (0..n).collect();
        for (k, op) in tape.ops.iter().enumerate().rev() {
            for a in op.operands() {
                let a = a.index();
                last[a] = last[a].max(root[k]);
                if inline[a] {
                    root[a] = root[k];
                }
            }
        }
        Plan { inline, last }
    }
}

/// Where the values are that are kept.
struct Slots {
    locals: Vec<Var<f64>>,
    spilled: u32,
    free: Vec<usize>,
    count: usize,
}

impl Slots {
    fn take(&mut self, c: &mut Code) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        if slot < LOCALS && slot == self.locals.len() {
            self.locals.push(c.local());
        }
        slot
    }

    fn memory(&self, slot: usize) -> u32 {
        self.spilled + 8 * (slot - LOCALS) as u32
    }

    fn get(&self, slot: usize) -> X<f64> {
        match self.locals.get(slot) {
            Some(v) => X::from(*v),
            None => load(0, self.memory(slot)),
        }
    }

    /// Keeps the value that is on top of the stack.
    fn put(&self, c: &mut Code, slot: usize, scratch: Var<f64>) {
        match self.locals.get(slot) {
            Some(v) => c.take(*v),
            None => {
                c.take(scratch);
                c.store(0, self.memory(slot), scratch);
            }
        }
    }
}

/// Room in memory that a tape needs beside its locals: where it begins.
pub(crate) fn spill(w: &mut Writer, tape: &Tape) -> u32 {
    w.room(tape.ops.len().saturating_sub(LOCALS))
}

/// Writes a tape into a function. `spilled` is what [`spill`] gave.
pub(crate) fn lower(
    c: &mut Code,
    elementary: &Elementary,
    tape: &Tape,
    spilled: u32,
    inputs: &[Place],
    outputs: &[Place],
) {
    let Plan { inline, last } = Plan::of(tape);
    let n = tape.ops.len();
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut results: Vec<Vec<usize>> = vec![Vec::new(); n];
    tape.outputs.iter().enumerate().for_each(|(o, output)| results[output.value.index()].push(o));
    let scratch: Var<f64> = c.local();
    let mut slots = Slots { locals: Vec::new(), spilled, free: Vec::new(), count: 0 };
    let mut slot_of = vec![usize::MAX; n];
    let mut done = vec![false; n];
    for k in 0..n {
        if inline[k] && results[k].is_empty() || done[k] {
            continue;
        }
        let writer = Expressions { tape, slot_of: &slot_of, slots: &slots, inputs, elementary };
        let mut kept = vec![k];
        match tape.ops[k] {
            Op::Sin(a) => {
                writer.call(c, elementary.sin_cos, &[a]);
                if tape.ops.get(k + 1) == Some(&Op::Cos(a)) {
                    kept.push(k + 1);
                } else {
                    c.push(Instruction::Drop);
                }
            }
            Op::Cos(a) => {
                writer.call(c, elementary.sin_cos, &[a]);
                c.take(scratch);
                c.push(Instruction::Drop);
                c.give(scratch);
            }
            _ => writer.operation(c, k),
        }
        // a result may take the place of an operand that was read for the last time
        slots.free.append(&mut ends[k]);
        for &v in kept.iter().rev() {
            let slot = slots.take(c);
            (slot_of[v], done[v]) = (slot, true);
            slots.put(c, slot, scratch);
        }
        for &v in &kept {
            for &o in &results[v] {
                write(c, outputs[o], slots.get(slot_of[v]));
            }
            let readers = if last[v] > k { &mut ends[last[v]] } else { &mut slots.free };
            readers.push(slot_of[v]);
        }
        // the operation beside it is passed over
        if kept.len() == 2 {
            slots.free.append(&mut ends[k + 1]);
        }
    }
}

fn write(c: &mut Code, place: Place, x: X<f64>) {
    match place {
        Place::At(at) => c.store(0, at, x),
        Place::From(base, offset) => c.store(base, offset, x),
        Place::Given(v) => c.set(v, x),
    }
}

struct Expressions<'a> {
    tape: &'a Tape,
    slot_of: &'a [usize],
    slots: &'a Slots,
    inputs: &'a [Place],
    elementary: &'a Elementary,
}

impl Expressions<'_> {
    /// Leaves a value on the stack that is kept, or computes it.
    fn value(&self, c: &mut Code, a: Value) {
        match self.slot_of[a.index()] {
            usize::MAX => self.operation(c, a.index()),
            slot => c.give(self.slots.get(slot)),
        }
    }

    /// Leaves the result of an operation on the stack.
    fn operation(&self, c: &mut Code, k: usize) {
        let (operands, instruction): (&[Value], _) = match &self.tape.ops[k] {
            Op::Input(i) => return c.give(self.inputs[*i as usize].load()),
            Op::Constant(x) => return c.give(f64::constant(*x)),
            Op::Neg(a) => (&[*a], Instruction::F64Neg),
            Op::Add(a, b) => (&[*a, *b], Instruction::F64Add),
            Op::Sub(a, b) => (&[*a, *b], Instruction::F64Sub),
            Op::Mul(a, b) => (&[*a, *b], Instruction::F64Mul),
            Op::Div(a, b) => (&[*a, *b], Instruction::F64Div),
            Op::Sqrt(a) => (&[*a], Instruction::F64Sqrt),
            Op::Exp(a) => return self.call(c, self.elementary.exp, &[*a]),
            Op::Log(a) => return self.call(c, self.elementary.log, &[*a]),
            Op::Atan2(a, b) => return self.call(c, self.elementary.atan2, &[*a, *b]),
            Op::Sin(_) | Op::Cos(_) => unreachable!("these are kept"),
        };
        operands.iter().for_each(|a| self.value(c, *a));
        c.push(instruction);
    }

    fn call(&self, c: &mut Code, function: Option<Function>, arguments: &[Value]) {
        arguments.iter().for_each(|a| self.value(c, *a));
        c.run(function.expect("functions of all tapes are written"), operands![]);
    }
}
