//! What a run may keep, and what the search for integrals in motions may cost.
//!
//! `docs/budgets.md` has all budgets of the program.

/// Events of a run that are kept: each takes a few kilobytes. The others are counted.
pub(crate) const KEPT_EVENTS: usize = 10_000;

/// Functions of which an integral that motions propose is a combination. Richer sets are not tried.
pub(crate) const PROPOSED_FUNCTIONS: usize = 300;

/// Denominators of its coefficients. Others are not recognised.
pub(crate) const PROPOSED_DENOMINATOR: i64 = 2000;
