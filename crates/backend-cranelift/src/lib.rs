//! Tapes as machine code for any processor that Cranelift knows.
//!
//! ```text
//! Tape ─lower→ CLIF, one instruction per operation ─Cranelift→ registers, bytes ─map→ a function
//! ```
//!
//! On x86-64 `polhode-backend-native` makes faster code in a tenth to a fortieth of the time. This crate is for
//! other processors, such as aarch64, and an optional part of Polhode since Cranelift is large.
//!
//! A kernel has code for one point and, where the processor has vectors, for two side by side, each
//! in a loop over points; Cranelift's vectors have 128 bits on all processors. Every kernel is
//! compared with an interpreter ([`polhode_backend_simd::check`]) before it is handed out. Where no
//! code can be made, the error [`NotAvailable`] says so and `polhode-backend-simd` does the same work.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `backend` | [`Cranelift`], [`CraneliftKernel`] |
//! | `lower` | from a tape to CLIF |
//! | `code` | executable memory and calls; the only unsafe code |
//! | `emulated` | tests: code for aarch64, run in an emulator |
//!
//! Any number of lanes gives the same bits, which are those of `polhode-backend-simd`: nothing is
//! contracted, and code calls the elementary functions of that crate.
//!
//! ```
//! use polhode_backend_cranelift::Cranelift;
//! use polhode_tape::{Backend, Builder, Kernel, passes};
//!
//! let mut b = Builder::new();
//! let (x, y) = (b.input("x"), b.input("y"));
//! let (xx, yy) = (b.mul(x, x), b.mul(y, y));
//! let r = b.add(xx, yy);
//! b.output("r", r);
//! let tape = passes::finish(b);
//!
//! let Ok(cranelift) = Cranelift::new() else { return };
//! let mut kernel = cranelift.prepare(&tape).unwrap();
//! let mut out = [0.0; 3];
//! kernel.evaluate(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut out);
//! assert_eq!(out, [17.0, 29.0, 45.0]);
//! ```
//!
//! Not here: fused products, bundles of operations.

mod backend;
mod code;
#[cfg(test)]
mod emulated;
mod lower;

pub use backend::{Cranelift, CraneliftKernel, NotAvailable};
