//! What is noted during a run.

use crate::budget::KEPT_EVENTS;
use crate::chart::Guards;
use crate::compile::machine_code::LANES;
use crate::compile::{Compiled, EventInfo, EventKind};
use crate::evaluator::Evaluator;
use crate::observer::Watching;
use crate::run::Run;
use crate::sample::Sample;
use crate::solve::Progress;
use crate::state::{Moment, Place, State};
use crate::switch::{JumpRecord, Refusal};
use crate::trajectory::{EventRecord, Jumped, Kept, Pieces, Report, Span, StopReason, Trail, Trajectory};
use polhode_base::ids::{ChartId, EventId, Id, IdVec};
use polhode_integrate::collocation::fitting_step;
use polhode_integrate::drive::{self, Step, Watch};
use polhode_integrate::{Segment, Statistics};
use polhode_model::Cause;
use polhode_tape::{Dd, Interpreter, Scalar, passes};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Steps after which Newton's method has restored a position to rounding.
const RESTORATIONS: usize = 2;

/// Part of its first value below which a relative curvature is blamed for steps that fail.
const FLAT: f64 = 1e-4;

/// Change of the velocities across a corner in time, relative to the largest of them, that is a blow and not rounding.
const BLOW: f64 = 1e-9;

/// Growth of the frame at which steps that fail are blamed on it.
const EXPLODING: f64 = 1e4;

/// Growth of the frame at which half of the digits are lost: 10⁷ for doubles.
pub(crate) fn hopeless<S: Scalar>() -> f64 {
    S::EPSILON.powf(-0.44)
}

/// How a run came to its end.
pub(crate) struct Ending {
    pub(crate) reason: drive::StopReason,
    /// Of the integrator.
    pub(crate) order: Option<usize>,
    pub(crate) rtol: Option<f64>,
    pub(crate) statistics: Statistics,
    pub(crate) chart_changes: u64,
}

/// Works by the trapezoidal rule, which is of order 2 like the discrete method that needs it.
struct SummedWorks<S> {
    powers: Interpreter<S>,
    now: Vec<S>,
    before: Option<S>,
    last: Vec<S>,
}

impl<S: Scalar> SummedWorks<S> {
    fn new(compiled: &Compiled) -> SummedWorks<S> {
        let places: Vec<usize> = compiled.program.works.iter().map(|(k, _)| *k).collect();
        let zero = vec![S::default(); places.len()];
        let powers = Interpreter::new(&passes::select(&compiled.charts[compiled.place.chart].field, &places));
        SummedWorks { powers, now: zero.clone(), before: None, last: zero }
    }

    /// Adds the works since the last call; `inputs` are the time and state of the form.
    fn add(&mut self, t: S, inputs: &[S], works: &mut [S]) {
        self.powers.call(inputs, &mut self.now);
        if let Some(before) = self.before {
            let half = (t - before) * S::from_f64(0.5);
            for (i, w) in works.iter_mut().enumerate() {
                *w = *w + half * (self.now[i] + self.last[i]);
            }
        }
        self.before = Some(t);
        std::mem::swap(&mut self.now, &mut self.last);
    }
}

/// Nodes and weights of Gauss's rule on (−1, 1), the positive half.
const GAUSS: [(f64, f64); 2] =
    [(0.339_981_043_584_856_26, 0.652_145_154_862_546_1), (0.861_136_311_594_052_6, 0.347_854_845_137_453_9)];

/// A scalar that is integrated over time.
struct Integral {
    name: String,
    number: usize,
    value: f64,
}

/// Most samples of the trail.
const TRAIL: usize = 1024;

/// States that are looked at together, since several cost little more than one.
struct Batch<S> {
    chart: ChartId,
    count: usize,
    times: [f64; LANES],
    /// Inputs and results of the report, side by side.
    inputs: Vec<S>,
    numbers: Vec<S>,
    /// The works done until then, state by state.
    works: Vec<S>,
}

impl<S: Scalar> Batch<S> {
    fn new(compiled: &Compiled) -> Batch<S> {
        let (report, zero) = (&compiled.charts[compiled.place.chart].report, S::default());
        Batch {
            chart: compiled.place.chart,
            count: 0,
            times: [0.0; LANES],
            inputs: vec![zero; LANES * report.inputs.len()],
            numbers: vec![zero; LANES * report.outputs.len()],
            works: vec![zero; LANES * compiled.program.works.len()],
        }
    }

    /// The places that are not in use repeat this state.
    fn push(&mut self, chart: ChartId, inputs: &[S], works: &[S]) {
        let at = self.count;
        (self.chart, self.times[at]) = (chart, inputs[0].to_f64());
        for (column, x) in self.inputs.chunks_exact_mut(LANES).zip(inputs) {
            column[at..].fill(*x);
        }
        self.works[at * works.len()..][..works.len()].copy_from_slice(works);
        self.count += 1;
    }
}

/// Notes what happens during a run.
pub(crate) struct Recorder<'a, S> {
    compiled: &'a Arc<Compiled>,
    evaluator: Evaluator<S>,
    /// One for each chart, made when it is needed, if the constraints are to be restored.
    restore: IdVec<ChartId, Option<Interpreter<S>>>,
    guards: Guards,
    /// The frame fails where the motion has come to.
    singular: bool,
    progress: Progress<'a>,
    watching: Option<Watching<'a, S>>,
    pub(crate) discrete: bool,
    dense: bool,
    /// Times to report, the next one last.
    times: Vec<Dd>,
    /// Where the motion is.
    place: &'a Cell<Place>,
    /// The state that is looked at.
    state: State<S>,
    inputs: Vec<S>,
    segments: Vec<(Segment<S>, Place)>,
    samples: Vec<Sample>,
    trail: Trail<S>,
    /// Every so many steps the trail is continued.
    stride: u64,
    steps: u64,
    events: Vec<EventRecord>,
    ranges: Vec<Span>,
    batch: Batch<S>,
    energy: S,
    energy_error: f64,
    /// The works done so far.
    works: Vec<S>,
    /// How they are found where the state does not contain them.
    summed: Option<SummedWorks<S>>,
    residual: (f64, usize),
    integrals: Vec<Integral>,
    /// The event functions at the start, if some contact may become singular.
    first_events: Option<IdVec<EventId, f64>>,
    last: Option<Moment<S>>,
    /// Corners in time that are stepped over: from when to when.
    corners: Vec<(f64, f64)>,
    /// A prescribed velocity jumps where the motion has come to.
    blow: bool,
    /// Why there is no way on from a jump.
    refusal: Option<Refusal>,
    /// Jumps so far, and events that there was no room for.
    jumps: u64,
    more_events: u64,
}

impl<'a, S: Scalar> Recorder<'a, S> {
    pub(crate) fn new(
        compiled: &'a Arc<Compiled>,
        run: &Run,
        discrete: bool,
        place: &'a Cell<Place>,
        progress: Progress<'a>,
        watching: Option<Watching<'a, S>>,
    ) -> Recorder<'a, S> {
        let mut times = run.times();
        times.reverse();
        let integral = |name: &String| {
            let v = compiled.variables.iter().find(|v| v.name == *name && v.numbers.len() == 1)?;
            Some(Integral { name: name.clone(), number: v.numbers.start, value: 0.0 })
        };
        let integrals = run.integrals.iter().filter_map(integral).collect();
        Recorder {
            compiled,
            evaluator: Evaluator::new(compiled, discrete),
            restore: match run.project && !discrete {
                true => compiled.charts.ids().map(|_| None).collect(),
                false => IdVec::new(),
            },
            guards: Guards::new(compiled),
            singular: false,
            progress,
            watching,
            discrete,
            dense: run.dense,
            times,
            place,
            state: State::new(Vec::new(), place.get()),
            inputs: Vec::new(),
            segments: Vec::new(),
            samples: Vec::new(),
            trail: Trail::default(),
            stride: 1,
            steps: 0,
            events: Vec::new(),
            ranges: Vec::new(),
            batch: Batch::new(compiled),
            energy: S::default(),
            energy_error: 0.0,
            works: vec![S::default(); compiled.program.works.len()],
            summed: discrete.then(|| SummedWorks::new(compiled)),
            integrals,
            first_events: None,
            residual: (0.0, 0),
            last: None,
            corners: Vec::new(),
            blow: false,
            refusal: None,
            jumps: 0,
            more_events: 0,
        }
    }

    /// The state at the start; the event that ends the motion there, if a contact is violated from the beginning.
    pub(crate) fn begin(&mut self, mut state: State<S>) -> Option<EventId> {
        let zero = S::default();
        let numbers = self.evaluator.numbers(zero, &mut state);
        self.energy = numbers[self.compiled.program.layout.energy];
        self.ranges =
            numbers.iter().map(|x| x.to_f64()).map(|x| Span { low: x, low_at: 0.0, high: x, high_at: 0.0 }).collect();
        self.state = state.clone();
        self.look(zero, &state.components, state.place);
        if self.times.last() == Some(&Dd::ZERO) {
            self.times.pop();
            self.sample(zero);
        }
        let mut ends = None;
        if !self.discrete && self.compiled.events.iter().any(|e| e.cause.is_some()) {
            let values = self.event_values(zero, &state);
            for (k, e) in self.compiled.events.enumerated() {
                if matches!(e.cause, Some(Cause::LiftOff | Cause::Slip | Cause::RollsOff | Cause::IndefiniteCurvature))
                    && values[k] < 0.0
                {
                    let sample = self.sample_of(zero);
                    let crossing = "from the start";
                    self.events.push(EventRecord { event: k, name: e.name.clone(), crossing, sample, jump: None });
                    ends = ends.or(e.terminal.then_some(k));
                }
            }
            self.first_events = Some(values);
        }
        self.last = Some((zero, state));
        ends
    }

    /// Says where corners in time are stepped over.
    pub(crate) fn step_over(&mut self, corners: Vec<(f64, f64)>) {
        self.corners = corners;
    }

    /// Whether velocities jump between two times although the state is the same: then a prescribed motion gives a blow.
    pub(crate) fn is_blow(&mut self, before: S, after: S, state: &State<S>) -> bool {
        let places = self.compiled.program.layout.velocities.clone();
        let mut at = |t: S| -> Vec<f64> {
            self.state.set(&state.components, state.place);
            self.evaluator.numbers(t, &mut self.state)[places.clone()].iter().map(|x| x.to_f64()).collect()
        };
        let (a, b) = (at(before), at(after));
        let size = a.iter().chain(&b).fold(0.0, |s: f64, x| s.max(x.abs()));
        self.blow = a.iter().zip(&b).any(|(x, y)| (x - y).abs() > BLOW * size || !y.is_finite());
        self.blow
    }

    /// Whether there is still room for events.
    pub(crate) fn takes_events(&self) -> bool {
        self.events.len() < KEPT_EVENTS
    }

    /// Notes a jump of the velocities, or a change of constraints, to the state given; `record` tells what happened.
    pub(crate) fn jump(&mut self, t: S, state: &State<S>, event: EventId, record: Option<Box<JumpRecord>>) {
        if let Some(mut record) = record {
            let sample = self.last_sample(t);
            self.state.set(&state.components, state.place);
            let after = self.sample_of(t);
            let title = record.title.take();
            let jump = Some(Box::new(Jumped { record: *record, after }));
            match self.events.last_mut().filter(|last| last.event == event && last.sample.t() == t.to_f64()) {
                Some(last) => {
                    last.jump = jump;
                    title.into_iter().for_each(|title| last.name = title);
                }
                None => {
                    let name = title.unwrap_or_else(|| self.compiled.events[event].name.clone());
                    self.events.push(EventRecord { event, name, crossing: "from the start", sample, jump });
                }
            }
        }
        self.jumps += 1;
        self.look(t, &state.components, state.place);
        self.last = Some((t, state.clone()));
    }

    /// Notes when and where the last event began, which was noticed a little later.
    pub(crate) fn began(&mut self, t: S, state: &State<S>) {
        self.state.set(&state.components, state.place);
        let sample = self.sample_of(t);
        let Some(mut event) = self.events.pop_if(|e| e.jump.is_some()) else { return };
        event.sample = sample;
        let later = self.events.iter().rev().take_while(|e| e.sample.t() > t.to_f64()).count();
        self.events.insert(self.events.len() - later, event);
    }

    /// Goes back to an earlier time, at which the event that was noticed last had happened in truth, and to the state then.
    pub(crate) fn rewind(&mut self, event: EventId, t: S, state: &State<S>) {
        let later = |x: S| x.abs() > t.abs();
        while let Some(sample) = self.samples.pop_if(|s| later(S::constant(s.time()))) {
            self.times.push(sample.time());
        }
        while self.segments.pop_if(|(s, _)| later(s.start)).is_some() {}
        self.trail.rewind(later);
        self.last = Some((t, state.clone()));
        let sample = self.last_sample(t);
        if let Some(last) = self.events.last_mut().filter(|last| last.event == event) {
            last.sample = sample;
        }
    }

    fn last_sample(&mut self, t: S) -> Sample {
        if let Some((_, state)) = &self.last {
            self.state.set(&state.components, state.place);
        }
        self.sample_of(t)
    }

    /// Notes that there is no way on.
    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        self.refusal = Some(refusal);
    }

    /// A time to report, moved out of the corner it may lie in, where velocities have no value.
    fn beside_corner(&self, t: S) -> S {
        let x = t.to_f64();
        match self.corners.iter().find(|(a, b)| a.min(*b) < x && x < a.max(*b)) {
            Some((before, _)) => S::from_f64(*before),
            None => t,
        }
    }

    /// Takes a state into account for ranges, energy and residuals.
    fn look(&mut self, t: S, state: &[S], place: Place) {
        self.state.set(state, place);
        self.evaluator.take(t, &mut self.state);
        match &mut self.summed {
            Some(summed) => summed.add(t, self.evaluator.inputs(), &mut self.works),
            None => {
                let places = self.compiled.program.works.iter().map(|(k, _)| *k);
                self.works.iter_mut().zip(places).for_each(|(w, k)| *w = state[k]);
            }
        }
        if place.chart != self.batch.chart {
            self.look_at_batch();
        }
        self.batch.push(place.chart, self.evaluator.inputs(), &self.works);
        if self.batch.count == LANES {
            self.look_at_batch();
        }
    }

    /// Ranges, energy and residuals at the states of the batch.
    fn look_at_batch(&mut self) {
        let Batch { chart, count, times, inputs, numbers, works } = &mut self.batch;
        let count = std::mem::take(count);
        if count == 0 {
            return;
        }
        self.evaluator.many(*chart, inputs, numbers);
        let layout = &self.compiled.program.layout;
        for (span, column) in self.ranges.iter_mut().zip(numbers.chunks_exact(LANES)) {
            let mut values = [0.0; LANES];
            values.iter_mut().zip(column).for_each(|(v, x)| *v = x.to_f64());
            // mostly nothing is new, which is seen at once; the places not in use repeat one that is
            let low = values.iter().fold(f64::INFINITY, |low, x| low.min(*x));
            let high = values.iter().fold(f64::NEG_INFINITY, |high, x| high.max(*x));
            if low >= span.low && high <= span.high {
                continue;
            }
            for (x, t) in values[..count].iter().zip(&*times) {
                if *x < span.low && x.is_finite() {
                    (span.low, span.low_at) = (*x, *t);
                }
                if *x > span.high && x.is_finite() {
                    (span.high, span.high_at) = (*x, *t);
                }
            }
        }
        for (k, i) in layout.residuals.clone().enumerate() {
            for x in &numbers[i * LANES..][..count] {
                let size = x.to_f64().abs();
                if size > self.residual.0 {
                    self.residual = (size, k);
                }
            }
        }
        let each = self.works.len();
        for (l, energy) in numbers[layout.energy * LANES..][..count].iter().enumerate() {
            let change = works[l * each..][..each].iter().fold(*energy - self.energy, |change, w| change - *w);
            self.energy_error = self.energy_error.max(change.abs().to_f64());
        }
    }

    /// The values of the event functions at a state.
    fn event_values(&self, t: S, state: &State<S>) -> IdVec<EventId, f64> {
        let tape = &self.compiled.charts[state.place.chart].events;
        let mut inputs = vec![t];
        inputs.extend_from_slice(&state.components);
        let mut values = vec![S::default(); tape.outputs.len()];
        Interpreter::new(tape).call(&inputs, &mut values);
        values.into_iter().map(Scalar::to_f64).collect()
    }

    /// The contact whose relative curvature, or element of area, has all but vanished, by its event.
    fn vanishing(&self, cause: Cause, t: S, state: &State<S>) -> Option<EventId> {
        let about = |e: &EventInfo| e.cause == Some(cause);
        if self.discrete || !self.compiled.events.iter().any(about) {
            return None;
        }
        let (first, now) = (self.first_events.as_ref()?, self.event_values(t, state));
        now.ids().find(|k| about(&self.compiled.events[*k]) && now[*k].abs() < FLAT * first[*k].abs())
    }

    /// Adds what a step contributes to the integrals.
    fn integrate(&mut self, step: &mut Step<'_, S>) {
        if self.integrals.is_empty() {
            return;
        }
        let half = (step.end - step.start) * S::from_f64(0.5);
        for (node, weight) in GAUSS {
            for node in [node, -node] {
                let t = step.start + half * S::from_f64(1.0 + node);
                step.interpolate(t, &mut self.state.components);
                let numbers = self.evaluator.numbers(t, &mut self.state);
                for integral in &mut self.integrals {
                    // lengths grow backwards in time too; at a singular end of a motion they may have no rate
                    let part = half.to_f64().abs() * weight * numbers[integral.number].to_f64();
                    integral.value += if part.is_finite() { part } else { 0.0 };
                }
            }
        }
    }

    /// Reports the state in `self.state`.
    fn sample(&mut self, t: S) {
        let sample = self.sample_of(t);
        self.samples.push(sample);
    }

    /// Continues the trail, and thins it out when it has become long.
    fn follow_trail(&mut self, t: S, state: &[S]) {
        self.steps += 1;
        if self.steps.is_multiple_of(self.stride) {
            self.trail.push(t, state, self.place.get());
        }
        if self.trail.len() > TRAIL {
            self.trail.thin();
            self.stride *= 2;
        }
    }

    fn sample_of(&mut self, t: S) -> Sample {
        let beside = self.beside_corner(t);
        let numbers = self.evaluator.numbers(beside, &mut self.state);
        let mut sample = Sample::new(self.compiled, t.to_dd(), numbers.iter().map(|x| x.to_dd()).collect());
        let done = |works: &mut dyn Iterator<Item = S>| works.fold(S::default(), |sum, w| sum + w).to_f64();
        sample.work = Some(match &self.summed {
            Some(_) => done(&mut self.works.iter().copied()),
            None => done(&mut self.compiled.program.works.iter().map(|(k, _)| self.state.components[*k])),
        });
        sample
    }

    pub(crate) fn finish(mut self, run: &Run, ending: Ending, pieces: impl Fn(Kept<S>) -> Pieces) -> Trajectory {
        self.look_at_batch();
        let (t, state) = self.last.take().expect("the run began");
        self.state.set(&state.components, state.place);
        let last = self.sample_of(t);
        let compiled = self.compiled;
        let layout = &compiled.program.layout;
        let singular = match ending.reason {
            drive::StopReason::TooSmall { .. }
            | drive::StopReason::NotFinite { .. }
            | drive::StopReason::NoConvergence { .. } => self.guards.at(t, &state.components).best().1 > EXPLODING,
            drive::StopReason::Interrupted { .. } => self.singular,
            _ => false,
        };
        let failed = matches!(
            ending.reason,
            drive::StopReason::TooSmall { .. }
                | drive::StopReason::NotFinite { .. }
                | drive::StopReason::NoConvergence { .. }
        );
        let blamed = |cause| if failed { self.vanishing(cause, t, &state) } else { None };
        let (pole, flat) =
            (blamed(Cause::SingularChart), blamed(Cause::SingularCurvature).or_else(|| blamed(Cause::LiesFlat)));
        if let Some(event) = pole.or(flat).filter(|k| self.events.last().is_none_or(|e| e.event != *k)) {
            let name = compiled.events[event].name.clone();
            self.events.push(EventRecord { event, name, crossing: "approached", sample: last.clone(), jump: None });
        }
        let [pole, flat] = [pole, flat].map(|k| k.map(|k| compiled.events[k].name.clone()));
        let event = |index: usize| &compiled.events[EventId::new(index)];
        let stop = match ending.reason {
            _ if self.refusal.is_some() => StopReason::Impasse(self.refusal.take().expect("looked at")),
            _ if self.blow => StopReason::Blow,
            _ if pole.is_some() => StopReason::SingularChart { event: pole.unwrap_or_default() },
            _ if flat.is_some() => StopReason::SingularContact { event: flat.unwrap_or_default() },
            _ if singular => StopReason::SingularFrame { form: compiled.program.form },
            drive::StopReason::End => StopReason::End,
            drive::StopReason::TooSmall { .. } => StopReason::StepTooSmall,
            drive::StopReason::NotFinite { .. } => StopReason::NotFinite,
            drive::StopReason::NoConvergence { .. } => StopReason::NoConvergence,
            drive::StopReason::Interrupted { .. } => StopReason::Interrupted,
            drive::StopReason::StepLimit { .. } => StopReason::StepLimit,
            drive::StopReason::Event { index, .. } => match &event(index).kind {
                EventKind::Model if event(index).cause == Some(Cause::SingularChart) => {
                    StopReason::SingularChart { event: event(index).name.clone() }
                }
                EventKind::Model if event(index).is_final => {
                    StopReason::SingularContact { event: event(index).name.clone() }
                }
                EventKind::Model
                | EventKind::Border(_)
                | EventKind::Wall(_)
                | EventKind::Release(_)
                | EventKind::Degenerate
                | EventKind::Slide(_)
                | EventKind::Roll(_)
                | EventKind::Jam(_)
                | EventKind::Pull(_) => StopReason::Event(event(index).name.clone()),
                EventKind::Domain { coordinate, lower } => {
                    StopReason::Domain { coordinate: coordinate.clone(), lower: *lower }
                }
            },
        };
        let report = Report {
            stop,
            t: t.to_f64(),
            method: run.chosen_method(),
            order: ending.order,
            rtol: ending.rtol,
            step: run.step.map(|h| fitting_step(h, run.until.to_f64())),
            precision: run.chosen_precision(),
            energy: self.energy.to_f64(),
            energy_change: (last.digits[layout.energy] - self.energy.to_dd()).to_f64(),
            energy_error: self.energy_error,
            work: compiled.program.works.iter().zip(&self.works).map(|((_, name), w)| (*name, w.to_f64())).collect(),
            constraint_residual: self.residual.0,
            worst_constraint: (self.residual.0 > 0.0).then(|| compiled.residuals[self.residual.1].clone()),
            statistics: ending.statistics,
            chart_changes: ending.chart_changes,
            events: self.events,
            more_events: self.more_events,
            jumps: self.jumps,
            ranges: self.ranges,
            integrals: self.integrals.into_iter().map(|i| (i.name, i.value)).collect(),
        };
        Trajectory {
            compiled: compiled.clone(),
            pieces: pieces(Kept { segments: self.segments, trail: self.trail }),
            discrete: self.discrete,
            samples: self.samples,
            last,
            report,
        }
    }
}

impl<S: Scalar> Watch<S> for Recorder<'_, S> {
    fn project(&mut self, t: S, y: &mut [S]) -> bool {
        if self.restore.is_empty() {
            return false;
        }
        let chart = self.place.get().chart;
        let restore = self.restore[chart].get_or_insert_with(|| Interpreter::new(&self.compiled.charts[chart].restore));
        for _ in 0..RESTORATIONS {
            self.inputs.clear();
            self.inputs.push(t);
            self.inputs.extend_from_slice(y);
            restore.call(&self.inputs, y);
            self.evaluator.make_unit(y);
        }
        true
    }

    fn step(&mut self, mut step: Step<'_, S>) -> ControlFlow<()> {
        let (start, end, place) = (step.start, step.end, self.place.get());
        self.state.place = place;
        let reached = |t: S| if end >= start { t <= end } else { t >= end };
        while let Some(t) = self.times.last().map(|t| S::constant(*t)).filter(|t| reached(*t)) {
            self.times.pop();
            if t == step.end {
                self.state.components.copy_from_slice(step.state);
            } else {
                step.interpolate(t, &mut self.state.components);
            }
            self.sample(t);
        }
        for hit in step.hits {
            if !self.takes_events() {
                self.more_events += 1;
                continue;
            }
            if hit.t == step.end {
                self.state.components.copy_from_slice(step.state);
            } else {
                step.interpolate(hit.t, &mut self.state.components);
            }
            let sample = self.sample_of(hit.t);
            let event = EventId::new(hit.event);
            self.events.push(EventRecord {
                event,
                name: self.compiled.events[event].name.clone(),
                crossing: hit.crossing.name(),
                sample,
                jump: None,
            });
        }
        self.integrate(&mut step);
        if let Some(watching) = &mut self.watching {
            watching.show(&mut step, &mut self.evaluator, &mut self.state);
        }
        self.look(step.end, step.state, place);
        if let Some((t, state)) = &mut self.last {
            *t = step.end;
            state.set(step.state, place);
        }
        self.follow_trail(step.end, step.state);
        if self.dense {
            self.segments.push((step.segment(), place));
        }
        if !self.discrete {
            let guards = self.guards.at(step.end, step.state);
            self.singular = guards.growth(place.chart) > hopeless::<S>() && guards.best().1 > hopeless::<S>();
        }
        let goes_on = (self.progress)(step.end.to_f64()) && !self.singular;
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
