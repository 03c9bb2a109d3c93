//! A motion that was computed.

use crate::compile::Compiled;
use crate::evaluator::Evaluator;
use crate::run::{Method, Precision};
use crate::sample::Sample;
use crate::state::{Place, State};
use crate::switch::{JumpRecord, Refusal};
use crate::variable::Group;
use polhode_base::ids::EventId;
use polhode_integrate::{Segment, Statistics};
use polhode_mechanics::Form;
use polhode_table::{Column, Table};
use polhode_tape::{Dd, Scalar};
use std::fmt;
use std::sync::Arc;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StopReason {
    /// It reached its final time.
    End,
    /// An event ended it: its name.
    Event(String),
    /// A coordinate reached an end of its interval.
    Domain {
        /// The coordinate.
        coordinate: String,
        /// The lower end?
        lower: bool,
    },
    /// The steps that the tolerance asks for became too small to advance.
    StepTooSmall,
    /// The equations have no finite value there.
    NotFinite,
    /// The frame of the form fails there, and no other choice of independent velocities helps.
    SingularFrame {
        /// The form.
        form: Form,
    },
    /// The relative curvature of a contact vanishes there: from then on it would touch along more than a point, or elsewhere too.
    SingularContact {
        /// The event that stands for it.
        event: String,
    },
    /// The point of contact came to a pole of the parameters of a surface, where they have no definite rates.
    SingularChart {
        /// The event that stands for it.
        event: String,
    },
    /// A prescribed velocity jumps there, so that the constraints give a blow.
    Blow,
    /// There is no way on from where constraints change, or from a collision.
    Impasse(Refusal),
    /// The equations of an implicit step were not solved.
    NoConvergence,
    /// It was interrupted.
    Interrupted,
    /// It used up its steps.
    StepLimit,
}

impl StopReason {
    /// A word for programs.
    pub fn name(&self) -> &'static str {
        match self {
            StopReason::End => "end",
            StopReason::Event(_) => "event",
            StopReason::Domain { .. } => "domain",
            StopReason::StepTooSmall => "step-too-small",
            StopReason::NotFinite => "not-finite",
            StopReason::SingularFrame { .. } => "singular-frame",
            StopReason::SingularContact { .. } => "singular-contact",
            StopReason::SingularChart { .. } => "singular-chart",
            StopReason::Blow => "blow",
            StopReason::Impasse(refusal) => refusal.name(),
            StopReason::NoConvergence => "no-convergence",
            StopReason::Interrupted => "interrupted",
            StopReason::StepLimit => "step-limit",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::End => f.write_str("the final time was reached"),
            StopReason::Event(name) => write!(f, "the event \"{name}\" ends the motion"),
            StopReason::Domain { coordinate, lower } => {
                write!(f, "{coordinate} reached the {} end of its interval", if *lower { "lower" } else { "upper" })
            }
            StopReason::StepTooSmall => f.write_str("the steps became too small to advance: a singularity is near"),
            StopReason::NotFinite => f.write_str("the equations have no finite value there"),
            StopReason::SingularFrame { form } => {
                write!(f, "the frame of the {} form is singular there: try --form multipliers", form.title())
            }
            StopReason::SingularContact { event } => {
                write!(
                    f,
                    "{event}: the point of contact has no definite velocity there, so that no run goes on from it"
                )
            }
            StopReason::SingularChart { event } => {
                write!(
                    f,
                    "{event}, where these have no definite rates: write the surface with other parameters, or by an \
                     equation (implicit = …)"
                )
            }
            StopReason::Blow => f.write_str(
                "a prescribed motion has a corner there: its velocity jumps, and there is no law for such a blow; \
                 smooth it, as sqrt(x^2 + eps^2) for abs(x)",
            ),
            StopReason::Impasse(refusal) => refusal.fmt(f),
            StopReason::NoConvergence => f.write_str("the implicit step has no solution nearby: try a smaller step"),
            StopReason::Interrupted => f.write_str("interrupted"),
            StopReason::StepLimit => f.write_str("the limit of steps was reached"),
        }
    }
}

/// An event that happened.
#[derive(Clone, Debug)]
pub struct EventRecord {
    /// Which one of [`Compiled::events`].
    pub event: EventId,
    /// Its name.
    pub name: String,
    /// How its function met zero: `rising`, `falling` or `touching`; `from the start` for a contact that is violated there, `approached`
    /// where steps became too small before it.
    pub crossing: &'static str,
    /// The motion at that time, before any jump.
    pub sample: Sample,
    /// What it did to constraints and velocities, if it is about them.
    pub jump: Option<Box<Jumped>>,
}

/// A jump with the motion after it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Jumped {
    /// What happened.
    pub record: JumpRecord,
    /// The motion after it.
    pub after: Sample,
}

/// The smallest and the largest value of a number along the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The smallest.
    pub low: f64,
    /// Where it was found.
    pub low_at: f64,
    /// The largest.
    pub high: f64,
    /// Where it was found.
    pub high_at: f64,
}

/// A force that is smaller than the largest one by this is none: where a body lifts off, rounding decides on which side of zero the last force is.
const NO_FORCE: f64 = 1e-9;

impl Span {
    /// Whether a force that pushes comes to nothing, or pulls. Where a normal force does there is no bound to the friction that rolling needs.
    pub fn comes_to_nothing(&self) -> bool {
        self.low <= NO_FORCE * self.high.abs()
    }
}

/// What a run reports besides the motion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Why it ended.
    pub stop: StopReason,
    /// When.
    pub t: f64,
    /// The integrator.
    pub method: Method,
    /// Order of the integrator, where it has one for the whole run.
    pub order: Option<usize>,
    /// Relative tolerance of a step, for the adaptive integrators.
    pub rtol: Option<f64>,
    /// Step size, for the others.
    pub step: Option<f64>,
    /// The numbers.
    pub precision: Precision,
    /// Energy at the start.
    pub energy: f64,
    /// Energy at the end minus energy at the start.
    pub energy_change: f64,
    /// Largest difference between the change of energy and the work done, in size.
    pub energy_error: f64,
    /// Work done from start to end: of `forces`, of `constraints` that move, of explicit `time`.
    pub work: Vec<(&'static str, f64)>,
    /// Largest violation of a constraint, in size.
    pub constraint_residual: f64,
    /// Which constraint that was.
    pub worst_constraint: Option<String>,
    /// Steps and evaluations.
    pub statistics: Statistics,
    /// How often the motion went on with other independent velocities.
    pub chart_changes: u64,
    /// Events, in order: the first ten thousand.
    pub events: Vec<EventRecord>,
    /// How many more there were.
    pub more_events: u64,
    /// How often constraints changed or velocities jumped.
    pub jumps: u64,
    /// The range of every number, over the ends of steps and the reported times.
    pub ranges: Vec<Span>,
    /// The integrals over time that were asked for and exist.
    pub integrals: Vec<(String, f64)>,
}

/// What is kept of a motion.
#[derive(Clone, Debug)]
pub(crate) struct Kept<S> {
    /// Its pieces, each with where it belongs.
    pub(crate) segments: Vec<(Segment<S>, Place)>,
    /// Some ends of steps.
    pub(crate) trail: Trail<S>,
}

impl<S> Default for Kept<S> {
    fn default() -> Self {
        Kept { segments: Vec::new(), trail: Trail::default() }
    }
}

/// Some ends of steps: times, components one after the other, places.
#[derive(Clone, Debug)]
pub(crate) struct Trail<S> {
    times: Vec<S>,
    components: Vec<S>,
    places: Vec<Place>,
}

impl<S> Default for Trail<S> {
    fn default() -> Self {
        Trail { times: Vec::new(), components: Vec::new(), places: Vec::new() }
    }
}

impl<S: Scalar> Trail<S> {
    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    pub(crate) fn push(&mut self, t: S, components: &[S], place: Place) {
        self.times.push(t);
        self.components.extend_from_slice(components);
        self.places.push(place);
    }

    /// Keeps every other one, the second first.
    pub(crate) fn thin(&mut self) {
        let each = self.components.len() / self.len().max(1);
        let kept = self.len() / 2;
        for k in 0..kept {
            let from = 2 * k + 1;
            self.times[k] = self.times[from];
            self.places[k] = self.places[from];
            self.components.copy_within(from * each..(from + 1) * each, k * each);
        }
        self.keep(kept);
    }

    /// Forgets what is later than a time.
    pub(crate) fn rewind(&mut self, later: impl Fn(S) -> bool) {
        self.keep(self.times.iter().rposition(|t| !later(*t)).map_or(0, |last| last + 1));
    }

    fn keep(&mut self, count: usize) {
        let each = self.components.len() / self.len().max(1);
        self.times.truncate(count);
        self.components.truncate(count * each);
        self.places.truncate(count);
    }

    fn moments(&self) -> impl Iterator<Item = (S, &[S], Place)> {
        let each = self.components.len() / self.len().max(1);
        let components = self.components.chunks_exact(each.max(1));
        self.times.iter().zip(components).zip(&self.places).map(|((t, y), place)| (*t, y, *place))
    }
}

/// The same in the numbers of the run.
#[derive(Clone, Debug)]
pub(crate) enum Pieces {
    Doubles(Kept<f64>),
    DoubleDoubles(Kept<Dd>),
}

/// A motion that was computed: it can be asked for any time, sampled, and written as a table.
#[derive(Clone, Debug)]
pub struct Trajectory {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) pieces: Pieces,
    pub(crate) discrete: bool,
    /// The motion at the times that were asked for, as far as it went.
    pub samples: Vec<Sample>,
    /// The motion where it ended.
    pub last: Sample,
    /// Everything else.
    pub report: Report,
}

impl Trajectory {
    /// What was run.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    /// The time at which the motion ends.
    pub fn end(&self) -> f64 {
        self.report.t
    }

    /// The motion at any time from the start to the end; `None` outside, or when only the
    /// reported times were kept.
    pub fn at(&self, t: f64) -> Option<Sample> {
        match &self.pieces {
            Pieces::Doubles(kept) => Reader::<f64>::new(self, &kept.segments).at(t),
            Pieces::DoubleDoubles(kept) => Reader::<Dd>::new(self, &kept.segments).at(t),
        }
    }

    /// Up to a thousand or so ends of steps, spread over the whole motion: what there is to show of a run that
    /// ended long before the times asked for.
    pub fn trail(&self) -> Vec<Sample> {
        match &self.pieces {
            Pieces::Doubles(kept) => self.read_trail(&kept.trail),
            Pieces::DoubleDoubles(kept) => self.read_trail(&kept.trail),
        }
    }

    /// Samples for a motion that ended before the times it was asked for: where it ended and, where there are fewer than this, the steps that
    /// were made. Nothing changes for one that reached its end.
    pub fn show_early_end(&mut self, few: usize) {
        if self.report.stop == StopReason::End {
            return;
        }
        if self.samples.len() < few {
            let trail = self.trail();
            self.samples.extend(trail.into_iter().filter(Sample::is_finite));
            self.samples.sort_by(|a, b| a.t().abs().total_cmp(&b.t().abs()));
            self.samples.dedup_by(|a, b| a.t() == b.t());
        }
        if self.last.is_finite() && self.samples.last().is_none_or(|s| s.t() != self.last.t()) {
            self.samples.push(self.last.clone());
        }
    }

    fn read_trail<S: Scalar>(&self, trail: &Trail<S>) -> Vec<Sample> {
        let mut evaluator = Evaluator::new(&self.compiled, self.discrete);
        let mut state = State::new(Vec::new(), self.compiled.place);
        (trail.moments())
            .map(|(t, components, place)| {
                state.set(components, place);
                let numbers = evaluator.numbers(t, &mut state);
                Sample::new(&self.compiled, t.to_dd(), numbers.iter().map(|x| x.to_dd()).collect())
            })
            .collect()
    }

    /// The motion at evenly spaced times, start and end included.
    pub fn sampled(&self, count: usize) -> Vec<Sample> {
        let end = self.end();
        let times = (0..count).map(|i| if i + 1 == count { end } else { end * i as f64 / (count - 1) as f64 });
        match &self.pieces {
            Pieces::Doubles(kept) => {
                let mut reader = Reader::<f64>::new(self, &kept.segments);
                times.filter_map(|t| reader.at(t)).collect()
            }
            Pieces::DoubleDoubles(kept) => {
                let mut reader = Reader::<Dd>::new(self, &kept.segments);
                times.filter_map(|t| reader.at(t)).collect()
            }
        }
    }

    /// The reported times as a table: time, positions, velocities, derived quantities, reactions.
    pub fn table(&self) -> Table {
        table(&self.compiled, &self.samples)
    }
}

/// Samples as a table.
pub fn table(compiled: &Compiled, samples: &[Sample]) -> Table {
    let mut table = Table::new(&compiled.model);
    let mut push = |column: Column| {
        // Two quantities of one name differ in kind: the second is told apart by it.
        let again = |c: Column| Column { name: format!("{} (2)", c.name), ..c };
        if table.push(column.clone()).is_err() {
            let _ = table.push(again(column));
        }
    };
    push(Column::new("t", samples.iter().map(Sample::t).collect()));
    for v in compiled.variables.iter().filter(|v| v.group != Group::Residual) {
        for (k, name) in v.titles().into_iter().enumerate() {
            push(Column::new(name, samples.iter().map(|s| s.numbers(v)[k]).collect()));
        }
    }
    for (name, value) in &compiled.parameters {
        table.note(name, value.to_f64().to_string());
    }
    table
}

/// Reads a stored motion.
struct Reader<'a, S> {
    compiled: &'a Arc<Compiled>,
    end: f64,
    segments: &'a [(Segment<S>, Place)],
    evaluator: Evaluator<S>,
    state: State<S>,
}

impl<'a, S: Scalar> Reader<'a, S> {
    fn new(motion: &'a Trajectory, segments: &'a [(Segment<S>, Place)]) -> Reader<'a, S> {
        let (compiled, discrete) = (&motion.compiled, motion.discrete);
        let evaluator = Evaluator::new(compiled, discrete);
        let dimension = segments.first().map_or(0, |(s, _)| s.dimension());
        let state = State::new(vec![S::default(); dimension], compiled.place);
        Reader { compiled, segments, evaluator, state, end: motion.end() }
    }

    fn at(&mut self, t: f64) -> Option<Sample> {
        let (last, _) = self.segments.last()?;
        let forwards = last.length.to_f64() >= 0.0;
        // a terminal event ends the motion within the last segment
        if !(t >= self.end.min(0.0) && t <= self.end.max(0.0)) {
            return None;
        }
        let time = S::from_f64(t);
        let after = |(s, _): &(Segment<S>, Place)| if forwards { s.start <= time } else { s.start >= time };
        let k = self.segments.partition_point(after).saturating_sub(1);
        let (segment, place) = &self.segments[k];
        segment.at(time, &mut self.state.components);
        self.state.place = *place;
        let numbers = self.evaluator.numbers(time, &mut self.state).to_vec();
        Some(Sample::new(self.compiled, time.to_dd(), numbers.into_iter().map(Scalar::to_dd).collect()))
    }
}
