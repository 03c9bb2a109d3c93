//! The body of a function.

use super::expression::{Global, Type, Var, X, place};
use super::writer::Function;
use wasm_encoder::{BlockType, Encode, Instruction, ValType};

/// The body of a function while it is written.
pub(crate) struct Code {
    pub(super) parameters: Vec<ValType>,
    pub(super) locals: Vec<ValType>,
    pub(super) bytes: Vec<u8>,
    depth: u32,
}

/// A loop that can be left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label(u32);

/// What a value can be given to.
pub(crate) trait Target<T>: Copy {
    fn instruction(self) -> Instruction<'static>;
}

impl<T: Type> Target<T> for Var<T> {
    fn instruction(self) -> Instruction<'static> {
        Instruction::LocalSet(self.index)
    }
}

impl<T: Type> Target<T> for Global<T> {
    fn instruction(self) -> Instruction<'static> {
        Instruction::GlobalSet(self.index)
    }
}

impl Code {
    pub(super) fn new() -> Code {
        Code { parameters: Vec::new(), locals: Vec::new(), bytes: Vec::new(), depth: 0 }
    }

    pub(super) fn parameter<T: Type>(&mut self) -> Var<T> {
        self.parameters.push(T::TYPE);
        Var::new(self.parameters.len() as u32 - 1)
    }

    /// One instruction.
    pub(crate) fn push(&mut self, instruction: Instruction<'_>) {
        instruction.encode(&mut self.bytes);
    }

    /// Leaves the value on the stack: as a result at the end, or for what is pushed next.
    pub(crate) fn give<T>(&mut self, x: impl Into<X<T>>) {
        self.bytes.extend(x.into().into_code());
    }

    /// A local without a name for its value yet.
    pub(crate) fn local<T: Type>(&mut self) -> Var<T> {
        self.locals.push(T::TYPE);
        Var::new((self.parameters.len() + self.locals.len()) as u32 - 1)
    }

    /// A local with this value.
    pub(crate) fn name<T: Type>(&mut self, x: impl Into<X<T>>) -> Var<T> {
        let v = self.local();
        self.set(v, x);
        v
    }

    /// Gives a variable another value.
    pub(crate) fn set<T>(&mut self, target: impl Target<T>, x: impl Into<X<T>>) {
        self.give(x);
        self.push(target.instruction());
    }

    /// Writes the double at address + offset.
    pub(crate) fn store(&mut self, address: impl Into<X<i32>>, offset: u32, x: impl Into<X<f64>>) {
        self.give(address);
        self.give(x);
        self.push(Instruction::F64Store(place(offset)));
    }

    /// Runs a function without result.
    pub(crate) fn run(&mut self, function: Function, operands: &[Vec<u8>]) {
        operands.iter().for_each(|x| self.bytes.extend(x));
        self.push(Instruction::Call(function.0));
    }

    /// Gives a variable the value on top of the stack: results of functions that have several, the last first.
    pub(crate) fn take<T>(&mut self, target: impl Target<T>) {
        self.push(target.instruction());
    }

    fn nested(&mut self, opening: Instruction<'_>, body: impl FnOnce(&mut Code)) {
        self.push(opening);
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.push(Instruction::End);
    }

    /// Only where the condition holds.
    pub(crate) fn when(&mut self, condition: X<i32>, then: impl FnOnce(&mut Code)) {
        self.give(condition);
        self.nested(Instruction::If(BlockType::Empty), then);
    }

    /// The one where the condition holds, else the other.
    pub(crate) fn either(
        &mut self,
        condition: X<i32>,
        then: impl FnOnce(&mut Code),
        otherwise: impl FnOnce(&mut Code),
    ) {
        self.give(condition);
        self.nested(Instruction::If(BlockType::Empty), |c| {
            then(c);
            c.push(Instruction::Else);
            otherwise(c);
        });
    }

    /// Something that can be left early.
    pub(crate) fn block(&mut self, body: impl FnOnce(&mut Code, Label)) {
        let label = Label(self.depth);
        self.nested(Instruction::Block(BlockType::Empty), |c| body(c, label));
    }

    /// Again and again until it is left.
    pub(crate) fn repeat(&mut self, body: impl FnOnce(&mut Code, Label)) {
        self.block(|c, label| {
            c.nested(Instruction::Loop(BlockType::Empty), |c| {
                body(c, label);
                c.push(Instruction::Br(0));
            });
        });
    }

    /// Goes on after the block or loop.
    pub(crate) fn leave(&mut self, label: Label) {
        self.push(Instruction::Br(self.depth - label.0 - 1));
    }

    /// The same where the condition holds.
    pub(crate) fn leave_when(&mut self, label: Label, condition: X<i32>) {
        self.give(condition);
        self.push(Instruction::BrIf(self.depth - label.0 - 1));
    }

    /// For i = 0, step, 2 step, … below the end, which is known.
    pub(crate) fn each(&mut self, step: u32, end: u32, body: impl FnOnce(&mut Code, Var<i32>)) {
        if end == 0 {
            return;
        }
        let i = self.name(0i32);
        self.nested(Instruction::Loop(BlockType::Empty), |c| {
            body(c, i);
            c.set(i, i + step);
            c.give::<i32>(i);
            c.give::<i32>(end);
            c.push(Instruction::I32LtU);
            c.push(Instruction::BrIf(0));
        });
    }

    /// For the components of a vector of n doubles: the body gets their addresses from its beginning.
    pub(crate) fn components(&mut self, n: usize, body: impl FnOnce(&mut Code, Var<i32>)) {
        self.each(8, 8 * n as u32, body);
    }

    /// Ends the function with this value.
    pub(crate) fn finish<T>(&mut self, x: impl Into<X<T>>) {
        self.give(x);
        self.push(Instruction::Return);
    }
}
