//! Tapes as machine code for x86-64.
//!
//! ```text
//! Tape ─lower→ steps, one instruction each ─assemble→ registers, bytes ─map→ a function
//! ```
//!
//! Code is made for one point, and for two, four (AVX2) or eight (AVX-512) points side by side. It
//! takes tens of microseconds, and every kernel is compared with an interpreter
//! ([`polhode_backend_simd::check`]) before it is handed out. Where no code can be made (another
//! processor, a system that forbids it), the error [`NotAvailable`] says so and
//! `polhode-backend-simd` does the same work.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `backend` | [`Native`], [`NativeKernel`] |
//! | `level` | [`Level`]: the instruction sets |
//! | `lower` | from a tape to steps |
//! | `contract` | products that are added unrounded, where that is wished |
//! | `steps` | programs whose steps are one instruction each, on values |
//! | `elementary`, `formula` | sin, cos, exp, ln, atan2 as steps |
//! | `assemble` | registers by next use, spills, memory operands |
//! | `encode` | instructions as bytes |
//! | `code` | executable memory and calls; the only unsafe code |
//!
//! All levels and any number of lanes give the same bits, which are those of
//! `polhode-backend-simd`: nothing is contracted unless [`Native::contracted`] asks for it, and the
//! elementary functions are the same formulas.
//!
//! ```
//! use polhode_backend_native::Native;
//! use polhode_tape::{Backend, Builder, Kernel, passes};
//!
//! let mut b = Builder::new();
//! let (x, y) = (b.input("x"), b.input("y"));
//! let (xx, yy) = (b.mul(x, x), b.mul(y, y));
//! let r = b.add(xx, yy);
//! b.output("r", r);
//! let tape = passes::finish(b);
//!
//! let Ok(native) = Native::new() else { return };
//! let mut kernel = native.prepare(&tape).unwrap();
//! let mut out = [0.0; 3];
//! kernel.evaluate(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut out);
//! assert_eq!(out, [17.0, 29.0, 45.0]);
//! ```
//!
//! Not here: other processors (`polhode-backend-cranelift`).

mod assemble;
mod backend;
mod code;
mod contract;
mod elementary;
mod encode;
mod formula;
mod level;
mod lower;
mod steps;

pub use backend::{Native, NativeKernel, NotAvailable};
pub use level::Level;
