//! Many motions side by side: each has a lane of a vector, its own time and its own steps, and a lane
//! that is done takes the next motion at once.
//!
//! ```text
//! rows of a batch      x[i·lanes + l]   component i in lane l
//! ```
//!
//! What a step computes is a tape ([`tapes`]), so that a compiler can make one piece of vector code of
//! it: the whole Runge–Kutta step ([`Dop853Batch`]), or all coefficients of a series and then its sum
//! ([`TaylorBatch`]). What remains is the choice of the steps, once for each lane.
//!
//! A motion does not depend on its neighbours: the same start gives the same bits in any lane, beside
//! any other motions, in any order.

mod dop853;
mod fates;
mod rows;
mod size;
pub mod tapes;
mod taylor;
pub mod turning;

pub use dop853::Dop853Batch;
pub use fates::LaneSet;
pub use taylor::TaylorBatch;

use crate::stepper::StepError;

/// What became of a lane in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// It has no motion.
    Idle,
    /// Its step was refused; a shorter one comes next.
    Refused,
    /// It made a step.
    Stepped,
    /// It made a step and is at its end.
    Arrived,
    /// No step could be made.
    Failed(StepError),
}

/// An integrator of several motions side by side.
pub trait Lanes {
    /// How many.
    fn lanes(&self) -> usize;

    /// Components of a state.
    fn dimension(&self) -> usize;

    /// Begins a motion in a lane.
    fn begin(&mut self, lane: usize, t: f64, y: &[f64], end: f64);

    /// Takes the motion out of a lane.
    fn clear(&mut self, lane: usize);

    /// One step in every lane with a motion. Tells in which of them the motion is over: those at their ends, and those
    /// where no step could be made.
    fn step(&mut self) -> LaneSet;

    /// What became of a lane in the last step.
    fn progress(&self, lane: usize) -> Progress;

    /// The time reached.
    fn time(&self, lane: usize) -> f64;

    /// The state reached.
    fn state(&self, lane: usize, y: &mut [f64]);
}

/// Motions that are wanted, and what is to be done with them.
pub trait Motions<B> {
    /// Is every step looked at?
    const LOOKS: bool = false;

    /// The next motion: its start in `y`, its time there and at the end; nothing when all are begun.
    fn next(&mut self, y: &mut [f64]) -> Option<(f64, f64)>;

    /// A motion, counted from 0 in the order of [`Motions::next`], made a step. Does it go on? Not asked unless
    /// [`Motions::LOOKS`].
    fn stepped(&mut self, _motion: usize, _batch: &B, _lane: usize) -> bool {
        true
    }

    /// A motion ended: at its end, where it was told not to go on, or where no step could be made.
    fn ended(&mut self, motion: usize, t: f64, y: &[f64], outcome: Result<(), StepError>);
}

/// Carries out all motions.
pub fn run_all<B: Lanes, M: Motions<B>>(batch: &mut B, motions: &mut M) {
    let mut y = vec![0.0; batch.dimension()];
    let mut begun = 0;
    let mut running: Vec<usize> = vec![0; batch.lanes()];
    let mut more = true;
    let (mut busy, mut free) = (LaneSet::default(), LaneSet::first(batch.lanes()));
    loop {
        for lane in free {
            while more && !busy.contains(lane) {
                match motions.next(&mut y) {
                    // nothing to do is done
                    Some((t, end)) if t == end => motions.ended(begun, t, &y, Ok(())),
                    Some((t, end)) => {
                        batch.begin(lane, t, &y, end);
                        running[lane] = begun;
                        busy.insert(lane);
                    }
                    None => {
                        more = false;
                        break;
                    }
                }
                begun += 1;
            }
        }
        if busy.is_empty() {
            return;
        }
        let mut over = batch.step();
        for lane in busy.filter(|_| M::LOOKS) {
            let made = matches!(batch.progress(lane), Progress::Stepped | Progress::Arrived);
            if made && !motions.stepped(running[lane], batch, lane) {
                over.insert(lane);
            }
        }
        for lane in over {
            let outcome = match batch.progress(lane) {
                Progress::Failed(error) => Err(error),
                _ => Ok(()),
            };
            batch.state(lane, &mut y);
            motions.ended(running[lane], batch.time(lane), &y, outcome);
            batch.clear(lane);
            busy.remove(lane);
        }
        free = over;
    }
}
