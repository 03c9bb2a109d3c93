//! What the doctor's searches may cost.
//!
//! Beyond these numbers something is not found. The report says so: a flag ends with "…", an integral is counted but not written, a set of
//! falling rank is "too long to be solved". `docs/budgets.md` has all budgets of the program.

use polhode_poly::Limits;

/// The longest brackets of a flag, in fields. A distribution that grows after that has an incomplete flag, shown with "…".
pub(super) const BRACKET_LENGTH: usize = 16;

/// Pairs of generators of one step of a flag. Beyond it the flag is incomplete.
pub(super) const FLAG_GENERATORS: usize = 1500;

/// Multiplications in F_p of one flag, some seconds. Beyond it the flag is incomplete.
pub(super) const FLAG_MULTIPLICATIONS: usize = 2_000_000_000;

/// Entries of the table of products of power series, in pairs of monomials. With more variables or orders the flag is not computed by
/// series.
pub(super) const SERIES_PRODUCTS: usize = 6_000_000;

/// The longest brackets among the generators of a module, less one. Longer ones are left to power series.
pub(super) const MODULE_BRACKETS: usize = 4;

/// Generators of a module. A module with more is left to power series.
pub(super) const MODULE_GENERATORS: usize = 12;

/// Unknown coefficients of one closure in a module. Beyond it the closure is left to power series.
pub(super) const MODULE_UNKNOWNS: usize = 700;

/// Degrees of the coefficients of a closure: the first for most, the second where the fields are long. Closures of higher degree are left
/// to power series.
pub(super) const MODULE_DEGREES: [usize; 2] = [3, 5];

/// Monomials of the coefficients of a closure. Beyond it the closure is left to power series.
pub(super) const MODULE_MONOMIALS: usize = 64;

/// Multiplications of one search for integrals, a second or two. Richer functions are not tried: the integral is counted, not written.
pub(super) const INTEGRAL_MULTIPLICATIONS: usize = 400_000_000;

/// Functions of which an integral is a combination. Richer sets are not tried: the integral is counted, not written.
pub(super) const INTEGRAL_TERMS: usize = 420;

/// Numerators and denominators of the coefficients of an integral. One with larger numbers is counted, not written.
pub(super) const INTEGRAL_COEFFICIENT: u64 = 100_000;

/// Integrals that are combined with each other to shorter ones. More of them are shown as they were found.
pub(super) const SHORTENED_INTEGRALS: usize = 12;

/// Functions of which an integrating factor is a combination. Richer sets are not tried.
pub(super) const FACTOR_TERMS: usize = 250;

/// Integrating factors that are tried for one form.
pub(super) const FACTORS_TRIED: usize = 3;

/// Combinations of constraint forms that are looked at for integrals.
pub(super) const DERIVED_FORMS: usize = 10;

/// Constraint forms that are combined with each other.
pub(super) const PAIRED_FORMS: usize = 3;

/// Nodes of the coefficients of such a combination. Longer ones are not followed.
pub(super) const DERIVED_NODES: usize = 400;

/// The degree of P and Q in a rational integral P/Q. Those of higher degree are counted, not written.
pub(super) const PENCIL_DEGREE: usize = 4;

/// Minors that are looked at. With more, the set where the rank falls is "too long to be solved".
pub(super) const MINORS: usize = 1500;

/// Terms of a minor. With more, the set where the rank falls is "too long to be solved".
pub(super) const MINOR_TERMS: usize = 3000;

/// Pairs and terms of one Gröbner basis. Beyond it the set where the rank falls is shown unsolved.
pub(super) const BASIS: Limits = Limits { max_pairs: 600, max_terms: 400 };

/// Cases into which the set where the rank falls is split. Beyond it the set is shown unsolved.
pub(super) const CASES: usize = 200;

/// Choices of independent velocities that are shown besides the one in use.
pub(super) const CHOICES_SHOWN: usize = 12;

/// Choices of independent velocities that are compared. With more, only the one in use is shown.
pub(super) const CHOICES_COMPARED: usize = 150;
