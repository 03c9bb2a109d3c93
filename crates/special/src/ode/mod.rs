//! Linear equations of second order with polynomial coefficients,
//!
//! ```text
//! p₂(x) y″ + p₁(x) y′ + p₀(x) y = 0.
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | `equation` | [`Equation`]: singular points and their kinds, x = 1/w, s = x² |
//! | `riemann` | [`Scheme`], [`Recognised`]: exponents, Fuchs's relation, Legendre, hypergeometric, Heun |
//! | `frobenius` | [`LocalBasis`]: both solutions at a point, logarithm included, with a truncation bound |
//! | `continuation` | [`Solutions`]: both solutions on an interval, and the connection matrix |
//!
//! Series, roots and connection matrices are computed with 256 bits and rounded once, so that what is
//! left in the caller's type is the error of one Horner scheme. Coefficients may be rounded numbers: a root counts as multiple, an exponent difference as an
//! integer, a logarithm as absent if rounding of the coefficients can make it so.
//!
//! The motion of Cendra and Díaz's disk, b as a function of t = sin²(θ/2), between its upright ends:
//!
//! ```
//! use polhode_special::ode::Equation;
//! use polhode_special::hypergeometric::hypergeometric;
//! use polhode_special::Complex;
//!
//! let gamma = 10.0 / 3.0; // t (1 − t) b″ + (2 − 4 t) b′ − γ b = 0
//! let equation = Equation::new(&[0.0, 1.0, -1.0], &[2.0, -4.0], &[-gamma])?;
//! let solutions = equation.solve(0.0, 1.0)?;
//!
//! let nu = Complex::new(-0.5, (gamma - 2.25f64).sqrt());
//! let one = Complex::from(1.0);
//! let b1 = hypergeometric(one - nu, one + one + nu, Complex::from(2.0), 0.9).re;
//! assert!((solutions.evaluate(0.9).y[0].re / b1 - 1.0).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod continuation;
mod equation;
mod frobenius;
mod local;
mod polynomial;
mod riemann;

pub use continuation::{ContinuationError, Solutions};
pub use equation::{BasisError, Equation, EquationError, Kind, Place, SingularPoint, Sum};
pub use frobenius::{LocalBasis, TooManyTerms, Values};
pub use riemann::{Moebius, Recognised, Scheme};
