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
pub mod tapes;
mod taylor;

pub use dop853::Dop853Batch;
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

    /// One step in every lane with a motion.
    fn step(&mut self);

    /// What became of a lane in the last step.
    fn progress(&self, lane: usize) -> Progress;

    /// The time reached.
    fn time(&self, lane: usize) -> f64;

    /// The state reached.
    fn state(&self, lane: usize, y: &mut [f64]);
}

/// Motions that are wanted, and what is to be done with them.
pub trait Motions<B> {
    /// The next motion: its start in `y`, its time there and at the end; nothing when all are begun.
    fn next(&mut self, y: &mut [f64]) -> Option<(f64, f64)>;

    /// A motion, counted from 0 in the order of [`Motions::next`], made a step. Does it go on?
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
    let mut running: Vec<Option<usize>> = vec![None; batch.lanes()];
    let mut more = true;
    loop {
        for (lane, motion) in running.iter_mut().enumerate() {
            while more && motion.is_none() {
                match motions.next(&mut y) {
                    // nothing to do is done
                    Some((t, end)) if t == end => motions.ended(begun, t, &y, Ok(())),
                    Some((t, end)) => {
                        batch.begin(lane, t, &y, end);
                        *motion = Some(begun);
                    }
                    None => {
                        more = false;
                        break;
                    }
                }
                begun += 1;
            }
        }
        if running.iter().all(Option::is_none) {
            return;
        }
        batch.step();
        for (lane, running) in running.iter_mut().enumerate() {
            let Some(motion) = *running else { continue };
            let outcome = match batch.progress(lane) {
                Progress::Idle | Progress::Refused => continue,
                Progress::Failed(error) => Err(error),
                progress => match motions.stepped(motion, batch, lane) && progress == Progress::Stepped {
                    true => continue,
                    false => Ok(()),
                },
            };
            batch.state(lane, &mut y);
            motions.ended(motion, batch.time(lane), &y, outcome);
            batch.clear(lane);
            *running = None;
        }
    }
}
