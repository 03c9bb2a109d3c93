//! Special functions and linear equations of second order, in doubles and double-doubles.
//!
//! Every function takes and gives any [`Scalar`](polhode_tape::Scalar): `f64` or
//! [`Dd`](polhode_tape::Dd). Inputs are taken as exact numbers and the result is rounded once, near
//! zeros, poles and degenerate cases too. There is no mechanics here.
//!
//! ```
//! use polhode_special::{Complex, elliptic::jacobi, hypergeometric::hypergeometric, legendre::conical_p};
//! use polhode_tape::Dd;
//!
//! let (a, b, c) = (Complex::new(1.5, 1.0), Complex::new(1.5, -1.0), Complex::from(2.0));
//! assert_eq!(hypergeometric(a, b, c, 0.75).re, 7.371_849_533_786_431);
//!
//! let third = Dd::ratio(1, 3);
//! let known: Dd = "2.84600245762887553436443293954243263".parse()?;
//! assert_eq!(conical_p(Dd::ONE, -third), known);
//! assert_eq!(jacobi(3.0, 0.5).am, 2.460_002_101_229_602_3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | functions | how | source |
//! | --- | --- | --- | --- |
//! | [`gamma`] | Γ, 1/Γ, ln Γ, ψ of complex z | Stirling's series with its bound, shift, reflection | \[Olver2010, §5.5, §5.11\], \[BrentHarvey2013\] |
//! | [`hypergeometric`] | ₂F₁ and derivative, complex a, b, c, real z < 1 | power series for \|z\| ≤ ½; linear transformations, with logarithms and ψ where c−a−b or a−b is an integer | \[Olver2010, §15.8\] |
//! | [`legendre`] | P_ν, Q_ν and derivatives on (−1, 1), complex ν, conical functions; P_ν(cos θ) | ₂F₁ | \[Olver2010, §14.3\] |
//! | [`carlson`] | R_F, R_C, R_J, R_D, principal values | duplication | \[Carlson1995\], \[Olver2010, §19.36(i)\] |
//! | [`elliptic`] | K, E, D, Π and F, E, D, Π of any angle; sn, cn, dn, am of any real parameter | Carlson's integrals, arithmetic-geometric mean, Landen's transformation | \[Olver2010, §19.25(i), §22.7(i), §22.17\] |
//! | [`ode`] | Frobenius series with logarithms, continuation, connection matrices, Riemann schemes, Legendre, hypergeometric and Heun equations | recursions, Taylor steps, majorants | \[Mezzarobba2019\], \[Olver2010, §15.11, §31.2\] |
//!
//! # Precision
//!
//! A function is evaluated in floating point of 128, 256, 512 or 1024 bits (the private module `wide`),
//! with a running bound of its error (`ball`), until both parts of the result are known to a few bits more than the type
//! has. Nothing depends on how a formula behaves in doubles: a nearly degenerate case or a nearby zero
//! costs time. Where 1024 bits are not enough, which takes parameters of many hundreds, the result is undefined
//! (not a number), as it is outside the domain of a function.
//!
//! Largest errors, part by part, against Arb (python-flint 0.9): 3670 lines of arguments in
//! `tests/functions_oracle.txt`, of which the test asserts 0.51 ulp and 2·10⁻³², and 36 712 lines made by
//! the same script with ten other seeds:
//!
//! | function | points | f64, ulp | Dd, relative |
//! | --- | --- | --- | --- |
//! | Γ, 1/Γ, ψ, ln Γ | 6150 | 0.500 | 1.2·10⁻³² |
//! | ₂F₁ and derivative | 9646 | 0.500 | 1.2·10⁻³² |
//! | P_ν, Q_ν and derivatives, P_ν(cos θ) | 7016 | 0.500 | 1.2·10⁻³² |
//! | R_F, R_C, R_J, R_D | 3600 | 0.500 | 1.2·10⁻³² |
//! | K, E, D, Π | 3600 | 0.500 | 1.2·10⁻³² |
//! | F, E, D, Π incomplete | 4500 | 0.500 | 1.2·10⁻³² |
//! | sn, cn, dn, am | 2200 | 0.500 | 1.2·10⁻³² |
//!
//! The points include c−a−b and a−b integers and nearly so (10⁻⁴ to 10⁻¹⁵ away), z to 10⁻¹⁴ from 1 and to
//! −10¹², parameters to 40, degrees to 60 and −½ + 40 i, 1−m from 10⁻¹⁵, m to −10⁶, angles to 10⁶, arguments
//! as near to zeros of cn as doubles can be. Identities (Wronskians, contiguous functions, Legendre's
//! relation, addition theorems) hold at random double-doubles to the roundings of their test.
//!
//! Solutions of equations ([`ode`]) are sums in the caller's type and have its errors: for Heun functions
//! against 34 digits (36 points) below 10⁻¹³ in doubles and 10⁻²⁸ in double-doubles, for the rolling disk's
//! both solutions 10⁻¹⁴ and 3·10⁻³⁰.
//!
//! # Cost
//!
//! `cargo run --release -p polhode-special --example cost` on a busy two-core machine, µs:
//!
//! | | f64 | Dd |
//! | --- | --- | --- |
//! | Γ, ψ of complex and real argument | 13, 6 | 37, 20 |
//! | ₂F₁, a and b conjugate, z < ½; z > ½ with logarithm | 8; 56 | 30; 125 |
//! | ₂F₁, all parameters complex, z > ½ | 250 | 480 |
//! | P_{−½+iτ}(x), x > 0; x < 0 | 8; 51 | 23; 116 |
//! | K; E; Π(n; φ); sn, cn, dn, am | 1.1; 11; 22; 15 | 2; 35; 72; 27 |
//! | the disk's equation solved on its interval | 1500 | 1950 |
//! | both solutions and derivatives at a point, then | 0.4 | 8 |
//!
//! A motion that needs a function at many points should solve its equation once.

mod ball;
mod budget;
pub mod carlson;
mod complex;
pub mod elliptic;
pub mod gamma;
pub mod hypergeometric;
pub mod legendre;
pub mod ode;
mod wide;

pub use complex::Complex;
