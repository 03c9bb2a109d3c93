//! w over an interval of s: (L1) by Taylor series in double-doubles, from the initial state to both sides.
//!
//! Near a pole at an end of the interval, at the distance σ, the k-th coefficient grows as σ⁻ᵏ and leaves the range of numbers. Steps in ln σ go on from there.

use polhode_integrate::{Segment, StepError, Stepper, Taylor, Tolerance};
use polhode_tape::{Dd, Scalar, Tape};

/// What one step may be wrong by, relative to w: the resolution of double-doubles.
const TOLERANCE: Tolerance = Tolerance { relative: 1.3e-32, absolute: 0.0 };

/// The longest step in ln σ.
const LONGEST: f64 = 0.5;

/// An end of the interval, and (L1) in ln σ.
#[derive(Clone, Debug)]
pub(super) struct End {
    /// Where.
    pub(super) at: Dd,
    /// Inputs ln σ, w; outputs dw/d ln σ.
    pub(super) tape: Tape,
}

/// w on both sides of s₀.
#[derive(Clone, Debug)]
pub(super) struct Continuation {
    start: Dd,
    values: Vec<Dd>,
    ends: [Option<End>; 2], // the lower, the upper
    sides: [Side; 2],       // smaller s, larger s
}

#[derive(Clone, Debug)]
struct Side {
    stepper: Option<Taylor<Dd>>, // none without unknowns
    from_end: Option<usize>,     // the end whose ln σ is its time
    reached: Dd,
    pieces: Vec<Piece>,
    longest: f64,
}

/// w over a step.
#[derive(Clone, Debug)]
struct Piece {
    to: Dd,
    from_end: Option<Dd>, // where it is a polynomial in ln σ
    segment: Segment<Dd>,
}

impl Continuation {
    /// The tape has inputs s, w and outputs dw/ds; the ends are those where it has poles.
    pub(super) fn new(tape: &Tape, ends: [Option<End>; 2], start: Dd, values: Vec<Dd>, longest: f64) -> Continuation {
        let side = || Side {
            stepper: (!values.is_empty())
                .then(|| Taylor::new(tape, start, &values, TOLERANCE, Vec::new()).with_longest_step(longest)),
            from_end: None,
            reached: start,
            pieces: Vec::new(),
            longest,
        };
        let sides = [side(), side()];
        Continuation { start, values, ends, sides }
    }

    /// One more step to one side and not past `end`; what was covered by it.
    pub(super) fn extend(&mut self, upward: bool, end: Dd) -> Result<(Dd, Dd), StepError> {
        let side = &mut self.sides[usize::from(upward)];
        let from = side.reached;
        if let Err(e) = side.step(&self.ends, upward, end) {
            side.begin_at_nearest(&self.ends).ok_or(e)?;
            side.step(&self.ends, upward, end)?;
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
        let covers = |p: &Piece| if upward { s <= p.to } else { s >= p.to };
        let k = pieces.partition_point(|p| !covers(p)).min(pieces.len().saturating_sub(1));
        let mut out = self.values.clone();
        if let Some(piece) = pieces.get(k) {
            let time = piece.from_end.map_or(s, |end| (s - end).abs().ln());
            piece.segment.at(time, &mut out);
        }
        out
    }
}

impl Side {
    fn step(&mut self, ends: &[Option<End>; 2], upward: bool, end: Dd) -> Result<(), StepError> {
        let sign = if upward { Dd::ONE } else { -Dd::ONE };
        let pole = self.from_end.and_then(|k| ends[k].as_ref());
        match (&mut self.stepper, pole) {
            (Some(stepper), Some(pole)) => {
                let last = (pole.at - end).abs().ln();
                stepper.step(last)?;
                let distance = stepper.time().exp();
                let place = if self.from_end == Some(0) { pole.at + distance } else { pole.at - distance };
                self.reached = if stepper.time() == last { end } else { place };
                self.pieces.push(Piece { to: self.reached, from_end: Some(pole.at), segment: stepper.segment() });
            }
            (Some(stepper), None) => {
                stepper.step(end)?;
                self.reached = stepper.time();
                self.pieces.push(Piece { to: self.reached, from_end: None, segment: stepper.segment() });
            }
            (None, _) => {
                // without unknowns nothing is followed, and V_eff may have poles at the ends all the same
                let left = (end - self.reached).to_f64().abs();
                let distances = ends.iter().flatten().map(|pole| (pole.at - self.reached).to_f64().abs());
                let step = distances.fold(self.longest, |step, d| step.min(0.25 * d));
                self.reached = if step >= left { end } else { self.reached + sign * Dd::from(step) };
            }
        }
        Ok(())
    }

    /// Goes on in ln σ of the nearest end, where there is one and it is not so already.
    fn begin_at_nearest(&mut self, ends: &[Option<End>; 2]) -> Option<()> {
        let distance = |k: &usize| ends[*k].as_ref().map_or(f64::INFINITY, |e| (e.at - self.reached).to_f64().abs());
        let nearest = (0..2).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let end = ends[nearest].as_ref().filter(|_| self.from_end != Some(nearest))?;
        let values = self.stepper.as_ref()?.state().to_vec();
        let time = (self.reached - end.at).abs().ln();
        let stepper = Taylor::new(&end.tape, time, &values, TOLERANCE, Vec::new());
        self.stepper = Some(stepper.with_longest_step(LONGEST));
        self.from_end = Some(nearest);
        Some(())
    }
}
