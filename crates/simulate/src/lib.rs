//! Motions: compile a system, solve it, look at the result.
