//! What every integrator offers: one step at a time, with the motion in between.

use crate::segment::Segment;
use std::fmt;
use std::ops::Range;

/// Components of the state that together are a unit vector (a direction, or the quaternion of a
/// rotation). They are made unit again after each step.
pub type Unit = Range<usize>;

/// How large the error of one step may be, in component i: `absolute + relative·|yᵢ|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative to the size of the component.
    pub relative: f64,
    /// Absolute.
    pub absolute: f64,
}

/// What an integration cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Steps that were tried and refused.
    pub rejected: u64,
    /// Evaluations of the right-hand side; for Taylor series, of its jets.
    pub evaluations: u64,
}

/// Why no step could be made. The state is still the one before the step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// The step that the tolerance asks for is below the resolution of time.
    TooSmall {
        /// Where.
        t: f64,
    },
    /// The right-hand side has no finite value.
    NotFinite {
        /// Where.
        t: f64,
    },
    /// The equations of an implicit method were not solved.
    NoConvergence {
        /// Where.
        t: f64,
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::TooSmall { t } => write!(f, "at t = {t} the step needed is too small to advance"),
            StepError::NotFinite { t } => write!(f, "at t = {t} the equations have no finite value"),
            StepError::NoConvergence { t } => {
                write!(f, "at t = {t} the equations of the implicit step have no solution nearby")
            }
        }
    }
}

impl std::error::Error for StepError {}

/// How many states [`Stepper::sketch`] gives: as many as vectors of doubles hold.
pub const SKETCHED: usize = 8;

/// An integrator at some time of a motion. Nothing is allocated by [`Stepper::step`].
///
/// Before the first step, after a failed step and after a restart elsewhere there is no last step:
/// [`Stepper::interpolate`] then gives the state, [`Stepper::segment`] a constant of length zero.
pub trait Stepper<S> {
    /// The time reached.
    fn time(&self) -> S;
    /// The state reached.
    fn state(&self) -> &[S];
    /// One step towards `end` and not past it; exactly to `end` when it is near.
    /// The direction of time is that from [`Stepper::time`] to `end`; at `end` nothing happens.
    fn step(&mut self, end: S) -> Result<(), StepError>;
    /// The state at a time within the last step.
    fn interpolate(&mut self, t: S, y: &mut [S]);
    /// The components `needed` of the state at a time within the last step; the others may be anything.
    fn interpolate_part(&mut self, t: S, _needed: &[usize], y: &mut [S]) {
        self.interpolate(t, y);
    }
    /// The states at several times within the last step, component i at `states[i·SKETCHED ..]`. They may
    /// be rough where that is cheaper, but are right to a few hundredths of what the step changes.
    fn sketch(&mut self, times: &[S; SKETCHED], states: &mut [S]);
    /// The last step as a polynomial of its own.
    fn segment(&mut self) -> Segment<S>;
    /// Goes on from another state, as after a projection or a jump. The step size is kept as a
    /// guess when the state is `near` the old one. If moreover the time is the one reached, the
    /// last step is kept and ends in the new state: a projected motion is continuous.
    fn restart(&mut self, t: S, y: &[S], near: bool);
    /// What it has cost so far.
    fn statistics(&self) -> Statistics;
}
