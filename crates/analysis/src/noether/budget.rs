//! What the searches for conserved quantities and measures may cost.
//!
//! Beyond these numbers something is not found. `conserved` says so where it can: "too long to show", "too long to be written down",
//! "not decided: too large". The degree of the coefficients is the user's (`--degree`). `docs/budgets.md` has all budgets of the program.

/// Nodes of a formula. A longer one is found, and shown as "too long to show".
pub(crate) const SHOWN_NODES: usize = 400;

/// Products of coefficient functions and velocities in the search for linear integrals. With more the degree is lowered, and the report
/// names it.
pub(crate) const LINEAR_COLUMNS: usize = 900;

/// The same for each weight of weighted linear integrals.
pub(crate) const WEIGHTED_COLUMNS: usize = 400;

/// The same for quadratic integrals.
pub(crate) const QUADRATIC_COLUMNS: usize = 900;

/// Products of known integrals that are kept out of the search for new ones. Others are recognised afterwards.
pub(crate) const KNOWN_PRODUCTS: usize = 80;

/// Summands of an integral. One with more is counted as "too long to be written down".
pub(crate) const SUMMANDS: usize = 40;

/// Coefficients of a quotient of polynomials in the parameters. An integral that needs more is counted, not written.
pub(crate) const PARAMETER_UNKNOWNS: usize = 360;

/// Numerators and denominators of the numbers in an integral. One with larger numbers is counted, not written.
pub(crate) const NUMBER: u64 = 100_000_000;

/// Monomials that are compared with each other when coefficient functions are chosen. With more the degree is lowered.
pub(crate) const COMPARED_MONOMIALS: usize = 1500;

/// Numerators and denominators of the exponents of a product of powers. Others are not found.
pub(crate) const EXPONENT: u64 = 12;

/// Nodes of an expression whose factors are bases of powers. Longer ones are taken whole.
pub(crate) const FACTORED_NODES: usize = 800;

/// Nodes of such a base. Longer ones are not tried.
pub(crate) const BASE_NODES: usize = 120;

/// Bases taken from roots and denominators. More are not tried.
pub(crate) const ROOT_BASES: usize = 16;

/// Degree of the monomials in s, sin s and cos s that the exponent of a solution may contain. Other solutions are not found in closed form.
pub(crate) const SOLUTION_EXPONENT_DEGREE: usize = 4;

/// Slices at which the coefficients of a linear equation are tried until one has values. Beyond it the equation is not found.
pub(crate) const SLICES: u64 = 40;

/// Points that are tried on each slice.
pub(crate) const SLICE_POINTS: usize = 8;

/// Numerators and denominators of the factors that tie coefficients of a linear equation to each other. Others are not recognised.
pub(crate) const EQUATION_FACTOR: u64 = 1000;

/// Brackets of fields whose divergences must agree. With more, the measure is "not decided: too large".
pub(crate) const DIVERGENCE_BRACKETS: usize = 60;

/// Nodes of these divergences. With more, the measure is "not decided: too large".
pub(crate) const DIVERGENCE_NODES: usize = 5000;

/// The degree of the monomials in the exponent of a density. Other densities are not found; whether there is one is decided without them.
pub(crate) const DENSITY_EXPONENT_DEGREE: usize = 4;

/// How many of these monomials are tried.
pub(crate) const DENSITY_MONOMIALS: usize = 80;

/// How many functions with a denominator are tried in that exponent.
pub(crate) const DENSITY_QUOTIENTS: usize = 40;

/// Points of F_p without a value that are passed over. Beyond it a question about functions is undecided.
pub(crate) const UNLUCKY_POINTS: usize = 4000;
