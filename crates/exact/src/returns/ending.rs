//! Motions that end before they have returned: at an event that ends runs, or where the equations have no way on.

use polhode_simulate::{Compiled, Precision, Run, Sample, StopReason, Trajectory};
use polhode_tape::{Dd, Scalar};
use std::fmt;
use std::sync::Arc;

/// How far beyond a time that was found in doubles the end is looked for.
const MARGIN: f64 = 1e-3;

/// A motion with an end. It is integrated in double-doubles, with the times of events to all digits.
#[derive(Clone, Debug)]
pub struct EndingMotion {
    compiled: Arc<Compiled>,
    end: Dd,
    /// How far the integration goes: near a singularity not quite to the end.
    known: Dd,
    stop: StopReason,
}

impl EndingMotion {
    /// The end of a motion that is expected about a time.
    pub(crate) fn about(compiled: &Arc<Compiled>, t: f64) -> Option<EndingMotion> {
        let run = Run { dense: false, ..Run::until(t + MARGIN * t.abs().max(MARGIN)) };
        let motion = compiled.solve(&run.clone().precision(Precision::DoubleDouble)).ok()?;
        let (mut stop, known) = (motion.report.stop, motion.last.time());
        let mut end = known;
        match stop {
            StopReason::End => return None,
            StopReason::Event(_) | StopReason::Domain { .. } => {}
            // steps in doubles come nearer to a singularity, and its kind is told there
            _ => {
                let motion = compiled.solve(&run).ok()?;
                if motion.report.stop != StopReason::End {
                    (stop, end) = (motion.report.stop, motion.last.time());
                }
            }
        }
        let end = if end < known { known } else { end };
        Some(EndingMotion { compiled: compiled.clone(), end, known, stop })
    }

    /// What is moved.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    /// When it ends.
    pub fn end(&self) -> Dd {
        self.end
    }

    /// Why.
    pub fn why(&self) -> &StopReason {
        &self.stop
    }

    /// Whether a time lies between start and end. Near a singularity the integration ends a little before.
    pub fn reaches(&self, t: Dd) -> bool {
        t >= Dd::ZERO && t <= self.known
    }

    /// The motion at times between start and end: `None` if one does not lie there.
    pub fn at(&self, times: &[Dd]) -> Option<Vec<Sample>> {
        let Some(last) = times.iter().copied().reduce(|a, b| if b > a { b } else { a }) else {
            return Some(Vec::new());
        };
        let motion = self.trajectory(&Run::until(last).at(times.iter().copied()))?;
        // a run keeps its samples in order
        times.iter().map(|t| motion.samples.iter().find(|s| s.time() == *t).cloned()).collect()
    }

    /// The motion at the times that a run asks for: `None` if one does not lie between start and end.
    pub fn trajectory(&self, run: &Run) -> Option<Trajectory> {
        if !run.at.iter().chain([&run.until]).all(|t| self.reaches(*t)) {
            return None;
        }
        let run = Run { method: polhode_simulate::Method::Taylor, ..run.clone() };
        self.compiled.solve(&run.precision(Precision::DoubleDouble)).ok()
    }
}

impl fmt::Display for EndingMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the motion ends at t = {}: {}", self.end.to_f64(), self.stop)
    }
}
