//! w over an interval of s: (L1) by Taylor series in double-doubles, from the initial state to both sides.

use polhode_integrate::{Segment, StepError, Stepper, Taylor, Tolerance};
use polhode_tape::{Dd, Tape};

/// What one step may be wrong by, relative to w: the resolution of double-doubles.
const RELATIVE: f64 = 1.3e-32;

/// w on both sides of s₀.
#[derive(Clone, Debug)]
pub(super) struct Continuation {
    start: Dd,
    values: Vec<Dd>,
    sides: [Side; 2], // smaller s, larger s
}

#[derive(Clone, Debug)]
struct Side {
    stepper: Option<Taylor<Dd>>, // none without unknowns
    reached: Dd,
    pieces: Vec<Segment<Dd>>,
    longest: f64,
}

impl Continuation {
    /// The tape has inputs s, w and outputs dw/ds.
    pub(super) fn new(tape: &Tape, start: Dd, values: Vec<Dd>, longest: f64) -> Continuation {
        let tolerance = Tolerance { relative: RELATIVE, absolute: 0.0 };
        let side = || Side {
            stepper: (!values.is_empty())
                .then(|| Taylor::new(tape, start, &values, tolerance, Vec::new()).with_longest_step(longest)),
            reached: start,
            pieces: Vec::new(),
            longest,
        };
        let sides = [side(), side()];
        Continuation { start, values, sides }
    }

    /// One more step to one side and not past `end`; what was covered by it.
    pub(super) fn extend(&mut self, upward: bool, end: Dd) -> Result<(Dd, Dd), StepError> {
        let side = &mut self.sides[usize::from(upward)];
        let from = side.reached;
        match &mut side.stepper {
            Some(stepper) => {
                stepper.step(end)?;
                side.pieces.push(stepper.segment());
                side.reached = stepper.time();
            }
            None => {
                let step = Dd::from(if upward { side.longest } else { -side.longest });
                let next = from + step;
                side.reached = if (next < end) == upward { next } else { end };
            }
        }
        Ok((from, side.reached))
    }

    /// How far it goes to one side.
    pub(super) fn reached(&self, upward: bool) -> Dd {
        self.sides[usize::from(upward)].reached
    }

    /// w at s within what is covered.
    pub(super) fn at(&self, s: Dd) -> Vec<Dd> {
        if self.values.is_empty() || s == self.start {
            return self.values.clone();
        }
        let upward = s > self.start;
        let pieces = &self.sides[usize::from(upward)].pieces;
        let covers = |p: &Segment<Dd>| {
            let end = p.start + p.length;
            if upward { s <= end } else { s >= end }
        };
        let k = pieces.partition_point(|p| !covers(p)).min(pieces.len().saturating_sub(1));
        let mut out = self.values.clone();
        if let Some(piece) = pieces.get(k) {
            piece.at(s, &mut out);
        }
        out
    }
}
