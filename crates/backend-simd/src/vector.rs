//! The machine with many points: every slot is a column.

use crate::columns::{Block, CHUNK, Column, LARGE};
use crate::execute::Machine;
use crate::program::Instruction;
use polhode_tape::elementary::holds;
use std::array::from_fn;

impl<const CHUNKS: usize> Block<'_, CHUNKS> {
    #[inline(always)]
    fn operands<const N: usize>(&self, i: &Instruction) -> [Column<'_, CHUNKS>; N] {
        from_fn(|j| self.column(i.operands[j]))
    }
}

// Arithmetic goes chunk by chunk, which the compiler unrolls into straight vector code.
//
// The elementary functions, whose bodies are long, are loops over columns, which it vectorises as
// loops. For that their operands and results must be different memory; in a small block, where
// finding out at run time does not pay, they are local copies.
impl<const CHUNKS: usize> Machine for Block<'_, CHUNKS> {
    #[inline(always)]
    fn one(&mut self, i: &Instruction, f: impl Fn(f64) -> f64) {
        let ([a], d) = (self.operands(i), self.target(i.d));
        for k in 0..CHUNKS {
            let a = a.chunk(k);
            d.set_chunk(k, from_fn(|l| f(a[l])));
        }
    }

    #[inline(always)]
    fn two(&mut self, i: &Instruction, f: impl Fn(f64, f64) -> f64) {
        let ([a, b], d) = (self.operands(i), self.target(i.d));
        for k in 0..CHUNKS {
            let (a, b) = (a.chunk(k), b.chunk(k));
            d.set_chunk(k, from_fn(|l| f(a[l], b[l])));
        }
    }

    #[inline(always)]
    fn three(&mut self, i: &Instruction, f: impl Fn(f64, f64, f64) -> f64) {
        let ([a, b, c], d) = (self.operands(i), self.target(i.d));
        for k in 0..CHUNKS {
            let (a, b, c) = (a.chunk(k), b.chunk(k), c.chunk(k));
            d.set_chunk(k, from_fn(|l| f(a[l], b[l], c[l])));
        }
    }

    #[inline(always)]
    fn four(&mut self, i: &Instruction, f: impl Fn(f64, f64, f64, f64) -> f64) {
        let ([a, b, c, e], d) = (self.operands(i), self.target(i.d));
        for k in 0..CHUNKS {
            let (a, b, c, e) = (a.chunk(k), b.chunk(k), c.chunk(k), e.chunk(k));
            d.set_chunk(k, from_fn(|l| f(a[l], b[l], c[l], e[l])));
        }
    }

    #[inline(always)]
    fn one_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64) -> [(f64, f64); N],
        fast: impl Fn(f64) -> f64,
        slow: impl Fn(f64) -> f64,
    ) {
        if CHUNKS == LARGE {
            let ([a], [d]) = self.slices([i.operands[0]], [i.d]);
            one_within(a, d, domain, fast, slow);
        } else {
            let ([a], d) = (self.operands(i), self.target(i.d));
            for k in 0..CHUNKS {
                let mut x = [0.0; CHUNK];
                one_within(&a.chunk(k), &mut x, &domain, &fast, &slow);
                d.set_chunk(k, x);
            }
        }
    }

    #[inline(always)]
    fn two_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64, f64) -> [(f64, f64); N],
        fast: impl Fn(f64, f64) -> f64,
        slow: impl Fn(f64, f64) -> f64,
    ) {
        if CHUNKS == LARGE {
            let ([a, b], [d]) = self.slices([i.operands[0], i.operands[1]], [i.d]);
            two_within(a, b, d, domain, fast, slow);
        } else {
            let ([a, b], d) = (self.operands(i), self.target(i.d));
            for k in 0..CHUNKS {
                let mut x = [0.0; CHUNK];
                two_within(&a.chunk(k), &b.chunk(k), &mut x, &domain, &fast, &slow);
                d.set_chunk(k, x);
            }
        }
    }

    #[inline(always)]
    fn pair_within<const N: usize>(
        &mut self,
        i: &Instruction,
        domain: impl Fn(f64) -> [(f64, f64); N],
        fast: impl Fn(f64) -> (f64, f64),
        slow: impl Fn(f64) -> (f64, f64),
    ) {
        if CHUNKS == LARGE {
            let ([a], [d, e]) = self.slices([i.operands[0]], [i.d, i.d2]);
            pair_within(a, d, e, domain, fast, slow);
        } else {
            let ([a], d, e) = (self.operands(i), self.target(i.d), self.target(i.d2));
            for k in 0..CHUNKS {
                let (mut x, mut y) = ([0.0; CHUNK], [0.0; CHUNK]);
                pair_within(&a.chunk(k), &mut x, &mut y, &domain, &fast, &slow);
                d.set_chunk(k, x);
                e.set_chunk(k, y);
            }
        }
    }
}

/// How many pass.
#[inline(always)]
fn count(pass: impl Iterator<Item = bool>) -> usize {
    pass.map(usize::from).sum()
}

/// d = f(a).
#[inline(always)]
fn one_within<const N: usize>(
    a: &[f64],
    d: &mut [f64],
    domain: impl Fn(f64) -> [(f64, f64); N],
    fast: impl Fn(f64) -> f64,
    slow: impl Fn(f64) -> f64,
) {
    if count(a.iter().map(|a| holds(domain(*a)))) == a.len() {
        for (a, d) in a.iter().zip(d) {
            *d = fast(*a);
        }
    } else {
        for (a, d) in a.iter().zip(d) {
            *d = if holds(domain(*a)) { fast(*a) } else { slow(*a) };
        }
    }
}

/// d = f(a, b).
#[inline(always)]
fn two_within<const N: usize>(
    a: &[f64],
    b: &[f64],
    d: &mut [f64],
    domain: impl Fn(f64, f64) -> [(f64, f64); N],
    fast: impl Fn(f64, f64) -> f64,
    slow: impl Fn(f64, f64) -> f64,
) {
    if count(a.iter().zip(b).map(|(a, b)| holds(domain(*a, *b)))) == a.len() {
        for ((a, b), d) in a.iter().zip(b).zip(d) {
            *d = fast(*a, *b);
        }
    } else {
        for ((a, b), d) in a.iter().zip(b).zip(d) {
            *d = if holds(domain(*a, *b)) { fast(*a, *b) } else { slow(*a, *b) };
        }
    }
}

/// (d, e) = f(a).
#[inline(always)]
fn pair_within<const N: usize>(
    a: &[f64],
    d: &mut [f64],
    e: &mut [f64],
    domain: impl Fn(f64) -> [(f64, f64); N],
    fast: impl Fn(f64) -> (f64, f64),
    slow: impl Fn(f64) -> (f64, f64),
) {
    if count(a.iter().map(|a| holds(domain(*a)))) == a.len() {
        for ((a, d), e) in a.iter().zip(d).zip(e) {
            (*d, *e) = fast(*a);
        }
    } else {
        for ((a, d), e) in a.iter().zip(d).zip(e) {
            (*d, *e) = if holds(domain(*a)) { fast(*a) } else { slow(*a) };
        }
    }
}
