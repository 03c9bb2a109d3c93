//! What a question about expressions may cost.
//!
//! Beyond these numbers "is it zero?" is answered by weaker evidence or not at all, and formulas are shown as they are stored. A verdict says
//! what it rests on ([`Evidence`](crate::Evidence)). `docs/budgets.md` has all budgets of the program.

/// Square roots of one expression that are adjoined exactly: an element has 2ᵐ coefficients. With more the verdict rests on many digits.
pub(crate) const ADJOINED_ROOTS: usize = 6;

/// Points of F_p that are tried for an expression with roots. Beyond them the verdict rests on many digits.
pub(crate) const ROOT_POINTS: u64 = 16;

/// Values of sin, exp, log, atan2 and roots that a numeric comparison may take, all points together: about half a second. Square roots are
/// cheap and count for a tenth. Longer expressions are undecided.
pub(crate) const NUMERIC_WORK: usize = 4000;

/// Different arguments of sines and cosines, and of exponentials. With more there is no canonical form.
pub(crate) const ARGUMENTS: usize = 100;

/// Terms of a numerator that is searched for groupings. Longer ones are only factored.
pub(crate) const GROUPED_TERMS: usize = 60;

/// Bits of a number that is folded, about ten thousand digits. What would be longer is left as it was written, so that a few operations
/// cannot fill the memory.
pub(crate) const NUMBER_BITS: usize = 1 << 15;
