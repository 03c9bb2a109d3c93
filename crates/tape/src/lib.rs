//! Tapes: flat numeric programs with named inputs and outputs.
//!
//! A tape is the meeting point of equations and machines. It is a straight line of operations in
//! which every value is computed once, from earlier values:
//!
//! ```text
//! inputs x₁ … xₙ  →  v₀ = op(…), v₁ = op(…), …  →  outputs y₁ … y_m
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | `op` | [`Op`], [`Value`]: the operations |
//! | `tape` | [`Tape`]: a program |
//! | [`build`] | [`Builder`]: programs in which nothing is computed twice |
//! | [`passes`] | transformations: fixed inputs, dead code, shared divisions, order, derivatives |
//! | [`text`] | the text form, which reads back |
//! | [`mod@verify`] | what well-formed means |
//! | [`scalar`] | [`Scalar`]: the numbers a tape can be evaluated in |
//! | [`dense`] | small vectors and linear systems of them |
//! | [`double_double`] | [`Dd`]: numbers of 31 digits |
//! | [`elementary`] | sin, cos, exp, ln, atan2 without branches, for evaluators of any kind |
//! | [`mod@reference`] | the obvious interpreter |
//! | [`kernel`] | [`Kernel`], [`Backend`]: what every evaluator offers |
//! | `conformance` | the test suite of backends (a feature) |
//!
//! Not here: mechanics. A tape has inputs, not coordinates.
//!
//! The pendulum θ'' = −(g/l) sin θ, its derivative with respect to θ, and both at θ = 1 with
//! g/l fixed:
//!
//! ```
//! use polhode_tape::{Builder, Dd, Interpreter, Op, Tape, passes};
//!
//! let mut b = Builder::new();
//! let (theta, k) = (b.input("theta"), b.input("g/l"));
//! let sine = b.emit(Op::Sin(theta));
//! let torque = b.mul(k, sine);
//! let acceleration = b.neg(torque);
//! b.output("theta''", acceleration);
//! let tape = passes::finish(b);
//!
//! let text = "\
//! inputs theta g/l
//! v0 = input theta
//! v1 = sin v0
//! v2 = input g/l
//! v3 = mul v1 v2
//! v4 = neg v3
//! outputs
//!   theta'' = v4
//! ";
//! assert_eq!(tape.to_string(), text);
//! assert_eq!(text.parse::<Tape>()?, tape);
//!
//! let both = passes::fix(&passes::with_jacobian(&tape, &[0]), &[(1, Dd::from(9.81))]);
//! let mut y = [0.0; 2];
//! Interpreter::<f64>::new(&both).call(&[1.0], &mut y);
//! assert_eq!(y, [-9.81 * 1f64.sin(), -9.81 * 1f64.cos()]);
//! # Ok::<(), polhode_tape::TextError>(())
//! ```

pub mod build;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod dense;
pub mod double_double;
pub mod elementary;
pub mod kernel;
mod op;
pub mod passes;
pub mod reference;
pub mod scalar;
mod tape;
pub mod text;
pub mod verify;

pub use build::Builder;
pub use double_double::Dd;
pub use kernel::{Backend, Kernel};
pub use op::{Op, Value};
pub use reference::Interpreter;
pub use scalar::Scalar;
pub use tape::{Bundle, Bundled, Output, Tape};
pub use text::TextError;
pub use verify::{Malformed, verify};
