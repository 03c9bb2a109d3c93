//! The machine with 64 points: every slot is a column.

use crate::columns::{Block, Column};
use crate::execute::Machine;
use crate::program::Instruction;
use std::array::from_fn;

impl<const FULL: bool> Block<'_, FULL> {
    #[inline(always)]
    fn operands<const N: usize>(&self, i: &Instruction) -> [Column<'_>; N] {
        from_fn(|j| self.column(i.operands[j]))
    }
}

// The arithmetic goes chunk by chunk, which the compiler unrolls into straight vector code. The
// elementary functions, whose bodies are long, are loops over slices, which it vectorises as loops;
// for that their operands and results must be different memory.
impl<const FULL: bool> Machine for Block<'_, FULL> {
    #[inline(always)]
    fn one(&mut self, i: &Instruction, f: impl Fn(f64) -> f64) {
        let ([a], d) = (self.operands(i), self.target(i.d));
        for k in 0..self.chunks() {
            let a = a.chunk(k);
            d.set_chunk(k, from_fn(|l| f(a[l])));
        }
    }

    #[inline(always)]
    fn two(&mut self, i: &Instruction, f: impl Fn(f64, f64) -> f64) {
        let ([a, b], d) = (self.operands(i), self.target(i.d));
        for k in 0..self.chunks() {
            let (a, b) = (a.chunk(k), b.chunk(k));
            d.set_chunk(k, from_fn(|l| f(a[l], b[l])));
        }
    }

    #[inline(always)]
    fn three(&mut self, i: &Instruction, f: impl Fn(f64, f64, f64) -> f64) {
        let ([a, b, c], d) = (self.operands(i), self.target(i.d));
        for k in 0..self.chunks() {
            let (a, b, c) = (a.chunk(k), b.chunk(k), c.chunk(k));
            d.set_chunk(k, from_fn(|l| f(a[l], b[l], c[l])));
        }
    }

    #[inline(always)]
    fn four(&mut self, i: &Instruction, f: impl Fn(f64, f64, f64, f64) -> f64) {
        let ([a, b, c, e], d) = (self.operands(i), self.target(i.d));
        for k in 0..self.chunks() {
            let (a, b, c, e) = (a.chunk(k), b.chunk(k), c.chunk(k), e.chunk(k));
            d.set_chunk(k, from_fn(|l| f(a[l], b[l], c[l], e[l])));
        }
    }

    #[inline(always)]
    fn one_within(
        &mut self,
        i: &Instruction,
        within: impl Fn(f64) -> bool,
        fast: impl Fn(f64) -> f64,
        slow: impl Fn(f64) -> f64,
    ) {
        let ([a], [d]) = self.slices([i.operands[0]], [i.d]);
        if count(a.iter().map(|a| within(*a))) == a.len() {
            for (d, a) in d.iter_mut().zip(a) {
                *d = fast(*a);
            }
        } else {
            for (d, a) in d.iter_mut().zip(a) {
                *d = if within(*a) { fast(*a) } else { slow(*a) };
            }
        }
    }

    #[inline(always)]
    fn two_within(
        &mut self,
        i: &Instruction,
        within: impl Fn(f64, f64) -> bool,
        fast: impl Fn(f64, f64) -> f64,
        slow: impl Fn(f64, f64) -> f64,
    ) {
        let ([a, b], [d]) = self.slices([i.operands[0], i.operands[1]], [i.d]);
        if count(a.iter().zip(b).map(|(a, b)| within(*a, *b))) == a.len() {
            for ((d, a), b) in d.iter_mut().zip(a).zip(b) {
                *d = fast(*a, *b);
            }
        } else {
            for ((d, a), b) in d.iter_mut().zip(a).zip(b) {
                *d = if within(*a, *b) { fast(*a, *b) } else { slow(*a, *b) };
            }
        }
    }

    #[inline(always)]
    fn pair_within(
        &mut self,
        i: &Instruction,
        within: impl Fn(f64) -> bool,
        fast: impl Fn(f64) -> (f64, f64),
        slow: impl Fn(f64) -> (f64, f64),
    ) {
        let ([a], [d, d2]) = self.slices([i.operands[0]], [i.d, i.d2]);
        if count(a.iter().map(|a| within(*a))) == a.len() {
            for ((d, d2), a) in d.iter_mut().zip(d2).zip(a) {
                (*d, *d2) = fast(*a);
            }
        } else {
            for ((d, d2), a) in d.iter_mut().zip(d2).zip(a) {
                (*d, *d2) = if within(*a) { fast(*a) } else { slow(*a) };
            }
        }
    }
}

/// How many pass.
#[inline(always)]
fn count(pass: impl Iterator<Item = bool>) -> usize {
    pass.map(usize::from).sum()
}
