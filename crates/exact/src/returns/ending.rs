//! Motions that end before they have returned: at an event that ends runs, or where the equations have no way on.

use super::dynamics::{Dynamics, at, follow};
use super::motion::root;
use polhode_simulate::{Compiled, Precision, Run, Sample, StopReason, Trajectory};
use polhode_tape::{Dd, Interpreter, Scalar};
use std::fmt;
use std::sync::Arc;

/// How far beyond a time that was found in doubles the end is looked for.
const MARGIN: f64 = 1e-3;

/// Within this part of its time an event is looked for again.
const NEAR: f64 = 1e-12;

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
    pub(crate) fn about(dynamics: &Dynamics, t: f64) -> Option<EndingMotion> {
        let compiled = &dynamics.compiled;
        let run = Run { dense: false, ..Run::until(t + MARGIN * t.abs().max(MARGIN)) };
        let motion = compiled.solve(&run.clone().precision(Precision::DoubleDouble)).ok()?;
        let (mut stop, known) = (motion.report.stop, motion.last.time());
        let mut end = known;
        let event = motion.report.events.last().map(|e| e.event);
        match stop {
            StopReason::End => return None,
            StopReason::Event(_) | StopReason::Domain { .. } => {
                end = event.and_then(|event| refined(dynamics, event, known)).unwrap_or(known);
            }
            // steps in doubles come nearer to a singularity, and its kind is told there
            _ => {
                let motion = compiled.solve(&run).ok()?;
                if motion.report.stop != StopReason::End {
                    (stop, end) = (motion.report.stop, motion.last.time());
                }
            }
        }
        let known = if end < known { end } else { known };
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

/// The zero of an event function near a time: runs know it to twenty digits.
fn refined(dynamics: &Dynamics, event: usize, t: Dd) -> Option<Dd> {
    let beside = Dd::from(NEAR * t.to_f64().abs().max(NEAR));
    let pieces = follow(dynamics, dynamics.compiled.initial_state(), t + beside)?;
    let tape = dynamics.tapes().events;
    let mut functions = Interpreter::<Dd>::new(tape);
    let mut values = vec![Dd::ZERO; tape.outputs.len()];
    let mut value = |t: Dd| {
        functions.call(&[&[t], &at(&pieces, t)[..]].concat(), &mut values);
        values[event]
    };
    let (a, b) = (t - beside, t + beside);
    let (x, y) = (value(a), value(b));
    (a > Dd::ZERO && (x < Dd::ZERO) != (y < Dd::ZERO)).then(|| root(value, (a, x), (b, y)))
}

impl fmt::Display for EndingMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the motion ends at t = {}: {}", self.end.to_f64(), self.stop)
    }
}
