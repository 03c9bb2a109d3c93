//! Rows: what is left of a motion.

use polhode_simulate::StopReason;

/// How a motion ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status(u8);

/// The words; their places are the numbers in tables.
pub const STATUS: [&str; 14] = [
    "end",
    "event",
    "domain",
    "refused",
    "step-too-small",
    "not-finite",
    "singular-frame",
    "singular-contact",
    "singular-chart",
    "blow",
    "impasse",
    "no-convergence",
    "step-limit",
    "interrupted",
];

impl Status {
    /// The model, or the start of the motion, was refused.
    pub const REFUSED: Status = Status(3);
    /// The final time was reached.
    pub const END: Status = Status(0);

    /// Of a motion that stopped.
    pub fn of(stop: &StopReason) -> Status {
        let word = match stop {
            StopReason::Impasse(_) => "impasse",
            stop => stop.name(),
        };
        Status(STATUS.iter().position(|s| *s == word).unwrap_or(10) as u8)
    }

    /// By its number.
    pub fn from_number(n: u8) -> Option<Status> {
        (usize::from(n) < STATUS.len()).then_some(Status(n))
    }

    /// The word.
    pub fn name(self) -> &'static str {
        STATUS[usize::from(self.0)]
    }

    /// The number in tables.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Whether the motion went as the model wants it: to the end, to an event that ends it, or to the end of an interval.
    pub fn is_regular(self) -> bool {
        self.0 < Status::REFUSED.0
    }
}

/// What is left of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// How it ended.
    pub status: Status,
    /// Why, if it did not reach the final time; empty otherwise.
    pub reason: String,
    /// When; not a number if it did not begin.
    pub t: f64,
    /// What is kept; not a number where there is nothing.
    pub values: Vec<f64>,
}

impl Row {
    /// A motion that did not begin.
    pub fn refused(reason: String, columns: usize) -> Row {
        Row { status: Status::REFUSED, reason, t: f64::NAN, values: vec![f64::NAN; columns] }
    }
}
