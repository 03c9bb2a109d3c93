//! What the searches on the road from a model to its equations may cost.
//!
//! Beyond these numbers something is not found, and the next best is done; each says what. `docs/budgets.md` has all budgets of the program.

/// Sets of dependent velocities that are tried for one whose determinant vanishes nowhere. Beyond it charts are used.
pub(crate) const GLOBAL_CHOICES: usize = 3000;

/// Charts of an atlas. Beyond it a motion may stop where the rows in use degenerate, and says so.
pub(crate) const CHARTS: usize = 6;

/// Dependent rows of constraints that are all kept in the multiplier form. With more, a choice of independent ones is made.
pub(crate) const DEPENDENT_ROWS: usize = 6;

/// Candidates for a symmetry. With more nothing is suggested.
pub(crate) const SUGGESTED_SYMMETRIES: usize = 60;

/// Points without a value that are passed over when linear relations are looked for. Beyond it none is found.
pub(crate) const RELATION_POINTS: usize = 40;

/// Numerators and denominators of the numbers in a linear relation: below √(p/2), so that a residue stands for one number only.
pub(crate) const RELATION_NUMBER: u64 = 1 << 29;

/// Unknown coefficients of an invariant frame. With more the frame has to be given in the model.
pub(crate) const INVARIANT_UNKNOWNS: usize = 700;
