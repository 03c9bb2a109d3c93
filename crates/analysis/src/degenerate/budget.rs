//! What rewriting constraints may cost. `docs/budgets.md` has all budgets of the program.

/// Constraints of a model in which moduli and roots have been replaced by constraints of their own. Further ones stay as they are written.
pub(super) const ADDED_CONSTRAINTS: usize = 32;

/// Divisions of rows by functions that vanish, all powers together. Rows that are still dependent then are refused as degenerate.
pub(super) const DIVISIONS: usize = 16;

/// Nodes of expressions that are simplified before they are divided. Longer ones are divided as they are.
pub(super) const DIVIDED_NODES: usize = 4000;

/// Terms of expressions that are divided by a function that vanishes. Longer ones are not divided.
pub(super) const DIVIDED_TERMS: usize = 4000;
