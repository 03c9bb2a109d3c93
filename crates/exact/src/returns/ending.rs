//! Motions that end before they have returned: at an event that ends runs, or where the equations have no way on.

use super::dynamics::{Dynamics, at, follow};
use super::motion::root;
use polhode_base::ids::{EventId, Id};
use polhode_simulate::{Compiled, Group, Precision, Refusal, Run, Sample, StopReason, Trajectory};
use polhode_tape::{Dd, Interpreter, Scalar};
use std::fmt;
use std::sync::Arc;

/// How far beyond a time that was found in doubles the end is looked for.
const MARGIN: f64 = 1e-3;

/// Guards of singular contacts and charts stand where the quantity that vanishes there has still this size: the end itself lies beyond.
const GUARD: f64 = 1e-6;

/// Roundings of double-doubles that a time has gone through, and of doubles.
const ROUNDINGS: f64 = 1e3;

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
    error: f64,
}

impl EndingMotion {
    /// The end of a motion that is expected about a time.
    pub(crate) fn about(dynamics: &Dynamics, t: f64) -> Option<EndingMotion> {
        let compiled = &dynamics.compiled;
        let run = Run { dense: false, ..Run::until(t + MARGIN * t.abs().max(MARGIN)) };
        let motion = compiled.solve(&run.clone().precision(Precision::DoubleDouble)).ok()?;
        let (mut stop, known) = (motion.report.stop.clone(), motion.last.time());
        let mut end = known;
        let mut error = ROUNDINGS * Dd::EPSILON * known.to_f64().abs();
        let event = motion.report.events.last().map(|e| e.event);
        match stop {
            StopReason::End => return None,
            StopReason::Event(_) | StopReason::Domain { .. } => {
                match event.and_then(|event| refined(dynamics, event, known)) {
                    Some((root, _)) => end = root,
                    None => error = NEAR * known.to_f64().abs(),
                }
            }
            StopReason::SingularContact { .. } | StopReason::SingularChart { .. } if event.is_some() => {
                let found = event.and_then(|event| refined(dynamics, event, known));
                (end, error) = found.map_or((known, GUARD), |(root, left)| (root, 2.0 * left));
            }
            // steps in doubles come nearer to a singularity, and its kind is told there
            _ => {
                let nearer = compiled.solve(&run).ok()?;
                let mut last = &motion.last;
                // beyond the end are those that stepped over it
                if nearer.report.stop != StopReason::End {
                    (stop, end, last) = (nearer.report.stop.clone(), nearer.last.time(), &nearer.last);
                }
                let (at, left) = (end.to_f64().abs(), 10.0 * scale(dynamics, last));
                let roundings = ROUNDINGS * f64::EPSILON * at;
                error = if left < MARGIN * at { left.max(roundings) } else { MARGIN * at };
            }
        }
        let known = if end < known { end } else { known };
        Some(EndingMotion { compiled: compiled.clone(), end, known, stop, error })
    }

    /// What is moved.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    /// When it ends.
    pub fn end(&self) -> Dd {
        self.end
    }

    /// By how much the end may lie elsewhere: rounding, what is left beyond the guard of a singular contact, how far the steps came towards a singularity.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The end, with the digits that hold.
    pub fn end_digits(&self) -> String {
        let end = self.end.to_f64();
        match self.error > f64::EPSILON * end.abs() {
            true => format!("{end:.*}", (-self.error.log10().ceil()).max(0.0) as usize),
            false => end.to_string(),
        }
    }

    /// The same with its error, where that shows.
    pub fn end_text(&self) -> String {
        match self.error > f64::EPSILON * self.end.to_f64().abs() {
            true => format!("{} (to {:.0e})", self.end_digits(), self.error),
            false => self.end_digits(),
        }
    }

    /// Whether the equations failed, and no event ended it.
    pub(crate) fn is_failure(&self) -> bool {
        match &self.stop {
            StopReason::NotFinite | StopReason::StepTooSmall | StopReason::SingularFrame { .. } => true,
            StopReason::Impasse(refusal) => *refusal == Refusal::UnboundedForce,
            _ => false,
        }
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

/// The time in which a state that grows without bound would grow by its own size: what is left to a pole of order p is p times that.
fn scale(dynamics: &Dynamics, last: &Sample) -> f64 {
    let variables = &dynamics.compiled.variables;
    let of = |group: Group| variables.iter().filter(move |v| v.group == group).flat_map(|v| last.digits(v).to_vec());
    let symbols: Vec<Dd> = of(Group::Position).chain(of(Group::Velocity)).collect();
    if symbols.len() != dynamics.len {
        return f64::INFINITY;
    }
    let y = dynamics.state(&mut Interpreter::new(dynamics.tapes().entry), &symbols);
    let rates = dynamics.reader::<Dd>().rates(&y);
    let size = |v: &[Dd]| v.iter().fold(0.0f64, |m, x| m.max(x.to_f64().abs()));
    let scale = size(&y) / size(&rates);
    if scale.is_finite() { scale } else { f64::INFINITY }
}

/// The zero of an event function near a time, which runs know to twenty digits, and for how long the quantity that it guards is above zero after that.
/// The function is q − ε or q² − ε² with ε of [`GUARD`]: q/|q̇| is ε/|ḟ|, or |ḟ/f̈|, and the other one is larger.
fn refined(dynamics: &Dynamics, event: EventId, t: Dd) -> Option<(Dd, f64)> {
    let beside = Dd::from(NEAR * t.to_f64().abs().max(NEAR));
    let pieces = follow(dynamics, dynamics.compiled.initial_state(), t + beside)?;
    let tape = dynamics.tapes().events;
    let mut functions = Interpreter::<Dd>::new(tape);
    let mut values = vec![Dd::ZERO; tape.outputs.len()];
    let mut value = |t: Dd| {
        functions.call(&[&[t], &at(&pieces, t)[..]].concat(), &mut values);
        values[event.index()]
    };
    let (a, b) = (t - beside, t + beside);
    let (x, y) = (value(a), value(b));
    let middle = value(t);
    let slope = ((y - x) / (beside + beside)).to_f64().abs();
    let bend = ((x + y - middle - middle) / (beside * beside)).to_f64().abs();
    let left = (GUARD / slope).min(slope / bend);
    (a > Dd::ZERO && (x < Dd::ZERO) != (y < Dd::ZERO)).then(|| (root(value, (a, x), (b, y)), left))
}

impl fmt::Display for EndingMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the motion ends at t = {}: {}", self.end_text(), self.stop)
    }
}
