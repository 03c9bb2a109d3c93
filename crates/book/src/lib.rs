//! The examples of README and `docs/` run as tests of this package, which is not published: it reads files outside of itself.

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The example of the theory of the Hamiltonian form.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/theory/hamiltonian.md")]
struct HamiltonianForm;
