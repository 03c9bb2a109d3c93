//! WebAssembly written like formulas.
//!
//! An expression [`X`] is a piece of code that leaves one value on the machine's stack; operators and methods put
//! pieces together. Values that are used more than once are given a local ([`Code::name`]), which is an expression
//! that can be copied:
//!
//! ```text
//! let z = c.name(r * r);               r · r, kept in a local
//! let half = c.name(0.5 * z);
//! c.when(z.gt(1.0), |c| c.set(z, 1.0 / z));
//! ```
//!
//! [`Code`] is the body of one function, with blocks that close themselves; [`Writer`] is the module. Functions are
//! written before those that call them.
//!
//! In a [`Formula`] all values have locals, so that formulas can be written that know nothing of this.
//!
//! Memory holds doubles. Addresses are a number that is computed plus an offset that is known, both in bytes.

mod code;
mod expression;
mod formula;
mod writer;

pub(crate) use code::Code;
pub(crate) use expression::{Bits, Global, Integer, Real, Var, X, load, load_bits, select};
pub(crate) use formula::Formula;
pub(crate) use writer::{Function, Writer};

/// The operands of a call.
macro_rules! operands {
    ($($x:expr),* $(,)?) => { &[$($crate::assembler::X::from($x).into_code()),*] };
}
pub(crate) use operands;
