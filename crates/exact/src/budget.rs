//! What the searches for exact motions may cost.
//!
//! Beyond these numbers something is not found, and `exact` says what it did not find. `docs/budgets.md` has all budgets of the program.

/// Candidates for fields that keep the motion. With more, symmetries that are not of the model are not looked for: a return up to one is
/// not found.
pub(crate) const FIELD_CANDIDATES: usize = 60;

/// Denominators of the coefficients of such a field. Others are not found.
pub(crate) const FIELD_DENOMINATOR: i64 = 12;

/// Generators of a symmetry group with their brackets. More do not come from cyclic coordinates and Euclidean motions of a few bodies; the
/// group is then not closed under brackets.
pub(crate) const GENERATORS: usize = 24;

/// The longest search for a return, in units of the time in which the motion changes by its own size. The search says until when it looked.
pub(crate) const SEARCH_TIME: f64 = 1e6;

/// Gauss–Newton steps of a first fit of the group element. Beyond it the next place is tried.
pub(crate) const FIT_STEPS: usize = 40;

/// Places of the group from which it is fitted. Beyond them the return is refused, with what is left of the difference.
pub(crate) const FIT_PLACES: usize = 24;

/// Events that are listed one by one. The others are counted.
pub(crate) const LISTED_EVENTS: usize = 10_000;

/// Periods after which half of the digits of a state are gone. Times beyond are refused.
pub(crate) const PERIODS: f64 = 1e15;

/// Points of a cosine series. A motion that needs more is too near a separatrix, and refused.
pub(crate) const SERIES_POINTS: usize = 2048;

/// Terms of the polynomials of a second-order equation. With more no closed form is found.
pub(crate) const RATIONAL_TERMS: usize = 3000;

/// Steps of the quadrature of an open motion. Times beyond are refused.
pub(crate) const OPEN_STEPS: usize = 2000;

/// Steps to one side in the search for a turning point. Beyond them the motion is refused.
pub(crate) const TURNING_STEPS: usize = 400;

/// Nodes of formulas that are simplified. Longer ones are used as they are.
pub(crate) const SIMPLIFIED_NODES: usize = 4000;

/// Starts from which steady motions are looked for, besides that of the model. A family that none leads to is not found.
pub(crate) const STEADY_STARTS: usize = 60;

/// Starts around the initial state from which the nearest steady motion is looked for.
pub(crate) const NEAREST_STARTS: u32 = 24;
