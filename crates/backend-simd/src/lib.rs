//! Tapes evaluated many points at a time, in vectors.
//!
//! The interpreter walks a tape once per block of 64 points: an instruction is decoded once and
//! then works on columns of 64 numbers,
//!
//! ```text
//! instruction d ← f(a, b, c):      d[l] = f(a[l], b[l], c[l]),   l = 0 … 63
//! ```
//!
//! which the compiler turns into vector instructions of three [`Level`]s; which one runs is chosen
//! when the program runs. What is left over goes in blocks of 8. A single point takes a scalar path
//! over the same instructions.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `backend` | [`Simd`], [`SimdKernel`] |
//! | `level` | [`Level`]: the instruction sets |
//! | `program` | a tape as instructions on slots: pairs fused, slots reused |
//! | `execute` | what each instruction does, once for all machines |
//! | `scalar` | the machine with one point |
//! | `vector` | the machine with many points |
//! | `columns` | its memory, and the choice of instruction set; the only unsafe code |
//! | [`elementary`] | sin, cos, exp, ln, atan2 without branches |
//! | [`check`] | what compilers compare their kernels with |
//!
//! Sums, products, quotients and roots are bit by bit those of the reference interpreter, since
//! fused pairs round twice. All levels and any number of lanes give the same bits. Columns that
//! begin at multiples of 64 bytes are read fastest.
//!
//! ```
//! use polhode_backend_simd::Simd;
//! use polhode_tape::{Backend, Builder, Kernel, passes};
//!
//! let mut b = Builder::new();
//! let (x, y) = (b.input("x"), b.input("y"));
//! let (xx, yy) = (b.mul(x, x), b.mul(y, y));
//! let r = b.add(xx, yy);
//! b.output("r", r);
//! let tape = passes::finish(b);
//!
//! let mut kernel = Simd::new().prepare(&tape)?;
//! let mut out = [0.0; 3];
//! kernel.evaluate(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut out);
//! assert_eq!(out, [17.0, 29.0, 45.0]);
//! # Ok::<(), polhode_backend_simd::TooLarge>(())
//! ```

mod backend;
pub mod check;
mod columns;
pub mod elementary;
mod execute;
mod level;
mod program;
mod scalar;
mod vector;

pub use backend::{Simd, SimdKernel};
pub use level::{Level, Unavailable};
pub use program::TooLarge;
