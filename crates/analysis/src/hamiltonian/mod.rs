//! The distributional Hamiltonian form: a nonholonomic system as (M, H, ω_H, E).
//!
//! The constraints make a manifold M of admissible velocities inside P = TQ, and on it a distribution H; what is
//! left of the symplectic form there determines the motion:
//!
//! ```text
//! M = { v ∈ TQ : ⟨φ_a, v⟩ = 0 },      H = { u ∈ TM : ⟨φ_a, u⟩ = 0 },      ξ ⌟ ω_H = d_H E
//! ```
//!
//! | file | what it holds |
//! | --- | --- |
//! | `distributional` | M, H, ω_H, E; the field of a function |
//! | `ambient` | ω on TP along M, its perpendicular H_ω, the multipliers |
//! | `bracket` | the almost-Poisson bracket and its Jacobiator |
//! | `lift` | symmetries of Q, lifted to M |
//! | `reduced` | V, U, K and the quotient (M̄, H̄, ω̄, Ē) |
//! | `reconstruction` | the splitting H = B ⊕ C ⊕ D and the equation on K |
//! | `theorems` | Theorems 1, 2, 3 and 5 as checks |
//! | `structure` | all of it as it is shown |
//!
//! Source: [CushmanEtAl1995, §§2–5], with ω = Σ dq ∧ dp, which their (17) needs; the formulas are derived in
//! `docs/theory/hamiltonian.md`. Nothing here derives equations of motion: momenta, masses and brackets are those of the
//! [`FrameEquation`](polhode_mechanics::FrameEquation), and that both give the same motion is Theorem 1.
//!
//! Not here: affine or moving constraints, forces without a potential ([`Unsuitable`]).

mod ambient;
mod bracket;
mod distributional;
mod lift;
mod linear;
mod reconstruction;
mod reduced;
mod structure;
mod theorems;

pub use ambient::Ambient;
pub use bracket::Jacobiator;
pub use distributional::{Distributional, Unsuitable};
pub use lift::{Lift, NoSymmetry};
pub use reconstruction::Reconstruction;
pub use reduced::{Coordinate, Reduced};
pub use structure::{Quotient, Structure};
pub use theorems::{Check, Outcome, theorem_1, theorem_2, theorem_3, theorem_5};
