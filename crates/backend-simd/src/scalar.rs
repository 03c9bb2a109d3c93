//! The machine with one point: every slot is a number.

use crate::execute::{Machine, execute};
use crate::program::{Instruction, Program, SLOTS, Slot};
use polhode_tape::elementary::holds;

/// Room for the values of one point: as many as a slot can name, so that no access is checked.
/// Memory that is never touched costs nothing.
#[derive(Clone, Debug)]
pub(crate) struct Scalars {
    values: Box<[f64; SLOTS]>,
}

impl Scalars {
    pub(crate) fn new(program: &Program) -> Scalars {
        let mut values: Box<[f64; SLOTS]> =
            vec![0.0; SLOTS].into_boxed_slice().try_into().expect("the length is the same");
        values[program.inputs..][..program.constants.len()].copy_from_slice(&program.constants);
        Scalars { values }
    }

    /// Evaluates at one point.
    #[inline(always)]
    pub(crate) fn run(&mut self, program: &Program, inputs: &[f64], outputs: &mut [f64]) {
        // number by number: the caller has just written them that way, and wider reads would wait
        for &slot in &program.read {
            self.values[slot as usize] = inputs[slot as usize];
        }
        execute(&mut Point(&mut self.values), &program.instructions[..program.work]);
        for (y, &slot) in outputs.iter_mut().zip(&program.results) {
            *y = self.values[slot as usize];
        }
    }
}

struct Point<'a>(&'a mut [f64; SLOTS]);

impl Point<'_> {
    #[inline(always)]
    fn get<const N: usize>(&self, i: &Instruction) -> [f64; N] {
        std::array::from_fn(|j| self.0[i.operands[j] as usize])
    }

    #[inline(always)]
    fn set(&mut self, d: Slot, x: f64) {
        self.0[d as usize] = x;
    }
}

impl Machine for Point<'_> {
    #[inline(always)]
    fn one(&mut self, i: &Instruction, f: impl Fn(f64) -> f64) {
        let [a] = self.get(i);
        self.set(i.d, f(a));
    }

    #[inline(always)]
    fn two(&mut self, i: &Instruction, f: impl Fn(f64, f64) -> f64) {
        let [a, b] = self.get(i);
        self.set(i.d, f(a, b));
    }

    #[inline(always)]
    fn three(&mut self, i: &Instruction, f: impl Fn(f64, f64, f64) -> f64) {
        let [a, b, c] = self.get(i);
        self.set(i.d, f(a, b, c));
    }

    #[inline(always)]
    fn four(&mut self, i: &Instruction, f: impl Fn(f64, f64, f64, f64) -> f64) {
        let [a, b, c, e] = self.get(i);
        self.set(i.d, f(a, b, c, e));
    }

    #[inline(always)]
    fn one_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64) -> [(f64, f64); N],
        fast: impl Fn(f64) -> f64,
        slow: impl Fn(f64) -> f64,
    ) {
        let [a] = self.get(i);
        self.set(i.d, if holds(domain(a)) { fast(a) } else { slow(a) });
    }

    #[inline(always)]
    fn two_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64, f64) -> [(f64, f64); N],
        fast: impl Fn(f64, f64) -> f64,
        slow: impl Fn(f64, f64) -> f64,
    ) {
        let [a, b] = self.get(i);
        self.set(i.d, if holds(domain(a, b)) { fast(a, b) } else { slow(a, b) });
    }

    #[inline(always)]
    fn pair_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64) -> [(f64, f64); N],
        fast: impl Fn(f64) -> (f64, f64),
        slow: impl Fn(f64) -> (f64, f64),
    ) {
        let [a] = self.get(i);
        let (x, y) = if holds(domain(a)) { fast(a) } else { slow(a) };
        self.set(i.d, x);
        self.set(i.d2, y);
    }
}
