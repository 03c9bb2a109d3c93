//! The machine with 64 points: every slot is a column.

use crate::columns::{Block, CHUNK, Column, LANES};
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
// elementary functions, whose bodies are long, are loops over the whole column, which it
// vectorises as loops; for that it must see that operand and result are different memory, hence
// the local copies.
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
        let n = self.chunks() * CHUNK;
        let [a] = self.operands(i).map(Column::all);
        let mut d = [0.0; LANES];
        if count(n, |l| within(a[l])) == n {
            for l in 0..n {
                d[l] = fast(a[l]);
            }
        } else {
            for l in 0..n {
                d[l] = if within(a[l]) { fast(a[l]) } else { slow(a[l]) };
            }
        }
        self.target(i.d).set_all(&d);
    }

    #[inline(always)]
    fn two_within(
        &mut self,
        i: &Instruction,
        within: impl Fn(f64, f64) -> bool,
        fast: impl Fn(f64, f64) -> f64,
        slow: impl Fn(f64, f64) -> f64,
    ) {
        let n = self.chunks() * CHUNK;
        let [a, b] = self.operands(i).map(Column::all);
        let mut d = [0.0; LANES];
        if count(n, |l| within(a[l], b[l])) == n {
            for l in 0..n {
                d[l] = fast(a[l], b[l]);
            }
        } else {
            for l in 0..n {
                d[l] = if within(a[l], b[l]) { fast(a[l], b[l]) } else { slow(a[l], b[l]) };
            }
        }
        self.target(i.d).set_all(&d);
    }

    #[inline(always)]
    fn pair_within(
        &mut self,
        i: &Instruction,
        within: impl Fn(f64) -> bool,
        fast: impl Fn(f64) -> (f64, f64),
        slow: impl Fn(f64) -> (f64, f64),
    ) {
        let n = self.chunks() * CHUNK;
        let [a] = self.operands(i).map(Column::all);
        let (mut d, mut d2) = ([0.0; LANES], [0.0; LANES]);
        if count(n, |l| within(a[l])) == n {
            for l in 0..n {
                (d[l], d2[l]) = fast(a[l]);
            }
        } else {
            for l in 0..n {
                (d[l], d2[l]) = if within(a[l]) { fast(a[l]) } else { slow(a[l]) };
            }
        }
        self.target(i.d).set_all(&d);
        self.target(i.d2).set_all(&d2);
    }
}

/// How many of the first n numbers pass.
#[inline(always)]
fn count(n: usize, pass: impl Fn(usize) -> bool) -> usize {
    (0..n.min(LANES)).map(|l| usize::from(pass(l))).sum()
}
