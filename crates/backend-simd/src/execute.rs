//! What each instruction does, once for all machines.

use crate::program::{Code, Instruction};
use polhode_tape::elementary::{atan2, exp, log, sin_cos};

/// Something that applies a function of numbers to the slots of an instruction.
///
/// A function with a domain comes as three: the inequalities a ≤ b of the domain, the form for numbers that satisfy them,
/// and the form for the others.
pub(crate) trait Machine {
    fn one(&mut self, i: &Instruction, f: impl Fn(f64) -> f64);
    fn two(&mut self, i: &Instruction, f: impl Fn(f64, f64) -> f64);
    fn three(&mut self, i: &Instruction, f: impl Fn(f64, f64, f64) -> f64);
    fn four(&mut self, i: &Instruction, f: impl Fn(f64, f64, f64, f64) -> f64);
    fn one_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64) -> [(f64, f64); N],
        fast: impl Fn(f64) -> f64,
        slow: impl Fn(f64) -> f64,
    );
    fn two_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64, f64) -> [(f64, f64); N],
        fast: impl Fn(f64, f64) -> f64,
        slow: impl Fn(f64, f64) -> f64,
    );
    /// One operand, two results.
    fn pair_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64) -> [(f64, f64); N],
        fast: impl Fn(f64) -> (f64, f64),
        slow: impl Fn(f64) -> (f64, f64),
    );
}

/// Runs the instructions in order.
#[inline(always)]
pub(crate) fn execute(m: &mut impl Machine, instructions: &[Instruction]) {
    for i in instructions {
        match i.code {
            Code::Copy => m.one(i, |a| a),
            Code::Neg => m.one(i, |a| -a),
            Code::Add => m.two(i, |a, b| a + b),
            Code::Sub => m.two(i, |a, b| a - b),
            Code::Mul => m.two(i, |a, b| a * b),
            Code::Div => m.two(i, |a, b| a / b),
            Code::Sqrt => m.one(i, f64::sqrt),
            Code::Sin => m.one_within(i, sin_cos::domain, |a| sin_cos::sin_cos(a).0, f64::sin),
            Code::Cos => m.one_within(i, sin_cos::domain, |a| sin_cos::sin_cos(a).1, f64::cos),
            Code::SinCos => m.pair_within(i, sin_cos::domain, sin_cos::sin_cos, f64::sin_cos),
            Code::Exp => m.one_within(i, exp::domain, exp::exp, f64::exp),
            Code::Log => m.one_within(i, log::domain, log::log, f64::ln),
            Code::Atan2 => m.two_within(i, atan2::domain, atan2::atan2, f64::atan2),
            Code::AddThenNeg => m.two(i, |a, b| -(a + b)),
            Code::AddThenAdd => m.three(i, |a, b, c| (a + b) + c),
            Code::AddThenSub => m.three(i, |a, b, c| (a + b) - c),
            Code::AddThenFrom => m.three(i, |a, b, c| c - (a + b)),
            Code::AddThenMul => m.three(i, |a, b, c| (a + b) * c),
            Code::AddThenDiv => m.three(i, |a, b, c| (a + b) / c),
            Code::AddThenUnder => m.three(i, |a, b, c| c / (a + b)),
            Code::SubThenNeg => m.two(i, |a, b| -(a - b)),
            Code::SubThenAdd => m.three(i, |a, b, c| (a - b) + c),
            Code::SubThenSub => m.three(i, |a, b, c| (a - b) - c),
            Code::SubThenFrom => m.three(i, |a, b, c| c - (a - b)),
            Code::SubThenMul => m.three(i, |a, b, c| (a - b) * c),
            Code::SubThenDiv => m.three(i, |a, b, c| (a - b) / c),
            Code::SubThenUnder => m.three(i, |a, b, c| c / (a - b)),
            Code::MulThenNeg => m.two(i, |a, b| -(a * b)),
            Code::MulThenAdd => m.three(i, |a, b, c| a * b + c),
            Code::MulThenSub => m.three(i, |a, b, c| a * b - c),
            Code::MulThenFrom => m.three(i, |a, b, c| c - a * b),
            Code::MulThenMul => m.three(i, |a, b, c| (a * b) * c),
            Code::MulThenDiv => m.three(i, |a, b, c| (a * b) / c),
            Code::MulThenUnder => m.three(i, |a, b, c| c / (a * b)),
            Code::MulMulAdd => m.four(i, |a, b, c, e| a * b + c * e),
            Code::MulMulSub => m.four(i, |a, b, c, e| a * b - c * e),
        }
    }
}
