//! Sparse multivariate polynomials over the integers, with a certified GCD.
//!
//! ```text
//! P = Σ c_k x0^e_k0 ⋯ x31^e_k31,     c_k ∈ ℤ,     0 ≤ e ≤ 127
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`mono`] | power products packed into four words |
//! | [`poly`] | the polynomial type: building, looking, adding |
//! | `arith` | products, powers, substitution, exact division of polynomials |
//! | [`gcd`](mod@gcd) | greatest common divisors: what is tried, in which order |
//! | `zippel` | the sparse modular interpolation inside `gcd` |
//! | [`factor`](mod@factor) | cheap factoring, for showing formulas |
//! | [`ideal`] | Gröbner bases and normal forms |
//! | [`residue`] | the field F_p, p = 2⁶¹ − 1, in which identities are decided |
//! | `modular` | arithmetic modulo primes, for `gcd` |
//!
//! One scheme for size: sums, differences and divisors never outgrow their
//! operands and are infallible; whatever can grow (products, powers,
//! substitutions) returns [`TooLarge`] instead of exhausting memory or
//! overflowing an exponent. Every algorithm is deterministic.
//!
//! ```
//! use polhode_poly::{Poly, gcd};
//!
//! let (x, y) = (Poly::variable(0), Poly::variable(1));
//! let a = x.mul(&x)?.sub(&y.mul(&y)?); // x² − y²
//! let b = (&x + &y).pow(2)?;           // (x + y)²
//! assert_eq!(gcd(&a, &b), &x + &y);
//! # Ok::<(), polhode_poly::TooLarge>(())
//! ```
//!
//! Not here: rational functions, rational coefficients, floating point.

mod arith;
pub mod factor;
pub mod gcd;
pub mod ideal;
mod modular;
pub mod mono;
pub mod poly;
pub mod residue;
mod zippel;

pub use factor::{Factored, factor, square_root};
pub use gcd::{gcd, gcd_cofactors, gcd_many, lcm};
pub use ideal::{Ideal, IdealError, Limits, Order};
pub use mono::{MAX_EXPONENT, MAX_VARS, Monomial};
pub use poly::{MAX_POWER_BITS, MAX_TERMS, Poly, Term, TooLarge};
pub use residue::Residue;
