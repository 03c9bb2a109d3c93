//! What a value of a special function may cost.
//!
//! Beyond these numbers a function has no value: it returns an error or an unknown ball, never a wrong number. `docs/budgets.md` has all
//! budgets of the program.

/// Terms of a hypergeometric series. With more the value is unknown.
pub(crate) const HYPERGEOMETRIC_TERMS: i64 = 6_000;

/// Terms of a Frobenius series. With more it ends with `TooManyTerms`.
pub(crate) const FROBENIUS_TERMS: usize = 3000;

/// Discs of one analytic continuation. With more it ends with `TooManySteps`.
pub(crate) const CONTINUATION_STEPS: usize = 400;

/// Differences of exponents that are recognised as whole numbers. Rounding hides larger ones.
pub(crate) const EXPONENT_DIFFERENCE: f64 = 500.0;
