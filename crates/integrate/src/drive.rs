//! The loop around an integrator: steps, projections, events, an observer.
//!
//! After each step, in this order:
//!
//! 1. the observer may project the state, for instance back onto constraints;
//! 2. the event functions g_k(t, y) are searched for zeros along the step, all of them, in order
//!    of time. A sketch of the step excludes those that stay clear of zero; the others are followed
//!    along the dense output. A terminal one ends the motion there, with the state of that;
//! 3. the observer is shown the step and may end the motion.
//!
//! Directions of events are along the motion, also when it is followed backwards. An event
//! function that is zero at the start is not an event there: it fires when it has left zero and
//! comes back. Only a terminal event with a direction, starting on its boundary and leaving in
//! that direction, fires at once: the motion is not allowed to go there. Calling
//! [`Driver::solve`] again from where the last call ended goes on as if it had not been
//! interrupted; after a terminal event it is a new start, with that event at zero.
//!
//! Ending early is an outcome, see [`StopReason`]; no state that is not finite is shown.

use crate::roots::{Crossing, Finder, Outline, Root};
use crate::segment::Segment;
use crate::stepper::{SKETCHED, Statistics, StepError, Stepper};
use polhode_tape::{Kernel, Scalar};
use std::ops::ControlFlow;

/// Beside the largest |g| of the first step, a g at the start this small is zero.
const AT_ZERO: f64 = 1e-12;
/// Values of event functions remembered per step: those that all searches begin with.
const REMEMBERED: usize = 64;

/// How a function leaves zero is looked for from the 2⁻ᵏ-th part of a step on: bounces may be much shorter than the steps that fly over them.
const FINEST: i32 = 30;

/// So many steps in a row are looked at for whether they get anywhere.
const STUCK_STEPS: u64 = 5_000;
/// They do not if their mean is below this part of the longest step of the motion: near-collisions that motions come out of again need
/// steps 10⁻⁴ of the usual, and rarely for thousands of steps;
const STUCK: f64 = 1e-7;
/// and if it would take more than this many steps to the end.
const ENDLESS: f64 = 1e9;

/// The crossings an event consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Both.
    Either,
}

impl Direction {
    fn admits(self, crossing: Crossing) -> bool {
        match crossing {
            Crossing::Rising => self != Direction::Falling,
            Crossing::Falling => self != Direction::Rising,
            // a contact has no direction; that it was one is for the observer to judge
            Crossing::Touching => true,
        }
    }
}

/// Something to be noticed: a function of time and state passing through zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// Which crossings count.
    pub direction: Direction,
    /// Does a crossing end the motion? Touching zero does not.
    pub terminal: bool,
    /// Does it count where a jump of the state at another event leads over zero?
    pub jumps: bool,
}

/// The functions behind the events.
pub trait EventFunctions<S> {
    /// How many there are.
    fn count(&self) -> usize;
    /// All of them at (t, y).
    fn values(&mut self, t: S, y: &[S], values: &mut [f64]);
    /// The same at several points: component i of the states at `states[i·SKETCHED ..]`, function k at
    /// `values[k·SKETCHED ..]`, with the same bits as one by one.
    fn sketch(&mut self, times: &[S; SKETCHED], states: &[S], values: &mut [f64]);
    /// The components of the state that the functions depend on, near a state `y`: all of them unless something better is known.
    fn needed(&mut self, y: &[S], components: &mut Vec<usize>) {
        components.clear();
        components.extend(0..y.len());
    }
}

/// No events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl<S> EventFunctions<S> for NoEvents {
    fn count(&self) -> usize {
        0
    }

    fn values(&mut self, _: S, _: &[S], _: &mut [f64]) {}

    fn sketch(&mut self, _: &[S; SKETCHED], _: &[S], _: &mut [f64]) {}
}

/// Events from a kernel of a tape with inputs t, y₁ … yₙ. It computes in doubles whatever the
/// numbers of the motion are.
#[derive(Clone, Debug)]
pub struct KernelEvents<K> {
    kernel: K,
    inputs: Vec<f64>, // of one point, or of several
}

impl<K: Kernel> KernelEvents<K> {
    /// One event for each output of the kernel.
    pub fn new(kernel: K) -> KernelEvents<K> {
        KernelEvents { inputs: vec![0.0; kernel.inputs() * SKETCHED], kernel }
    }
}

impl<S: Scalar, K: Kernel> EventFunctions<S> for KernelEvents<K> {
    fn count(&self) -> usize {
        self.kernel.outputs()
    }

    fn values(&mut self, t: S, y: &[S], values: &mut [f64]) {
        let inputs = &mut self.inputs[..self.kernel.inputs()];
        inputs[0] = t.to_f64();
        for (input, y) in inputs[1..].iter_mut().zip(y) {
            *input = y.to_f64();
        }
        self.kernel.evaluate(1, inputs, values);
    }

    fn sketch(&mut self, times: &[S; SKETCHED], states: &[S], values: &mut [f64]) {
        for (input, x) in self.inputs.iter_mut().zip(times.iter().chain(states)) {
            *input = x.to_f64();
        }
        self.kernel.evaluate(SKETCHED, &self.inputs, values);
    }
}

/// An event that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<S> {
    /// Which.
    pub event: usize,
    /// When.
    pub t: S,
    /// How zero was met, along the motion.
    pub crossing: Crossing,
}

/// A step as the observer sees it.
pub struct Step<'a, S> {
    /// When it began.
    pub start: S,
    /// When it ended; a terminal event ends it early, at the start even.
    pub end: S,
    /// The state at the end.
    pub state: &'a [S],
    /// What happened during it, in order of time.
    pub hits: &'a [Hit<S>],
    stepper: &'a mut dyn Stepper<S>,
}

impl<S> Step<'_, S> {
    /// The state at a time within the step.
    pub fn interpolate(&mut self, t: S, y: &mut [S]) {
        self.stepper.interpolate(t, y);
    }

    /// The step as a polynomial. It may go on beyond [`Step::end`] after a terminal event.
    pub fn segment(&mut self) -> Segment<S> {
        self.stepper.segment()
    }

    /// What it has cost so far.
    pub fn statistics(&self) -> Statistics {
        self.stepper.statistics()
    }
}

/// Who looks on. A closure that takes a [`Step`] is one.
pub trait Watch<S> {
    /// May improve the state after a step; says whether it did.
    fn project(&mut self, _t: S, _y: &mut [S]) -> bool {
        false
    }

    /// A step was made; [`ControlFlow::Break`] ends the motion.
    fn step(&mut self, step: Step<'_, S>) -> ControlFlow<()>;
}

impl<S, F: FnMut(Step<'_, S>) -> ControlFlow<()>> Watch<S> for F {
    fn step(&mut self, step: Step<'_, S>) -> ControlFlow<()> {
        self(step)
    }
}

/// Why a motion ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopReason {
    /// The end was reached.
    End,
    /// A terminal event.
    Event {
        /// Which.
        index: usize,
        /// When.
        t: f64,
    },
    /// The steps that the tolerance asks for are below the resolution of time, or so small that they get nowhere.
    TooSmall {
        /// Where.
        t: f64,
    },
    /// The right-hand side, or a projection, has no finite value.
    NotFinite {
        /// Where.
        t: f64,
    },
    /// The equations of an implicit method were not solved.
    NoConvergence {
        /// Where.
        t: f64,
    },
    /// The observer asked to stop.
    Interrupted {
        /// When.
        t: f64,
    },
    /// As many steps as allowed were made.
    StepLimit {
        /// Where.
        t: f64,
    },
}

impl From<StepError> for StopReason {
    fn from(error: StepError) -> StopReason {
        match error {
            StepError::TooSmall { t } => StopReason::TooSmall { t },
            StepError::NotFinite { t } => StopReason::NotFinite { t },
            StepError::NoConvergence { t } => StopReason::NoConvergence { t },
        }
    }
}

/// How far a motion came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome<S> {
    /// Why it ended.
    pub reason: StopReason,
    /// The time reached, which is that of the stepper.
    pub time: S,
    /// Steps made by this call.
    pub steps: u64,
}

/// Runs an integrator to the end without events.
pub fn solve<S: Scalar>(stepper: &mut dyn Stepper<S>, end: S, watch: &mut impl Watch<S>) -> Outcome<S> {
    Driver::new(NoEvents, Vec::new()).solve(stepper, end, watch)
}

/// Events with room for finding them. Nothing is allocated per step.
pub struct Driver<S, E> {
    functions: E,
    events: Vec<Event>,
    step_limit: u64,
    finder: Finder,
    sides: Vec<Side>,
    first: Vec<f64>, // g at the start of the step
    last: Vec<f64>,  // and at its end
    memory: Memory<S>,
    roots: Vec<Root>,
    found: Vec<(f64, Hit<S>)>,
    hits: Vec<Hit<S>>,
    state: Vec<S>,
    /// The components of it that the functions depend on.
    needed: Vec<usize>,
    /// Where the last call ended, and the event that ended it.
    left: Option<(S, Option<usize>)>,
    left_state: Vec<S>,
    left_values: Vec<f64>,
    /// For functions at zero of which it is known: on which side they leave it, and how long after the start they are clear of it.
    departures: Vec<Option<(Side, f64)>>,
}

/// Where an event function is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    /// Not known: the motion begins.
    Fresh,
    /// At zero since the motion began.
    Zero,
    /// At zero since the step that arrived there.
    Arrived,
    Positive,
    Negative,
}

impl Side {
    fn of(g: f64) -> Side {
        if g > 0.0 {
            Side::Positive
        } else if g < 0.0 {
            Side::Negative
        } else {
            Side::Arrived
        }
    }
}

/// Whether the steps get anywhere: a singularity that steps shrink towards need not bring them down to the resolution of time.
struct Pace {
    /// The longest step so far.
    longest: f64,
    /// When it was last looked at.
    since: f64,
}

impl Pace {
    fn is_stuck(&mut self, t: f64, end: f64) -> bool {
        let mean = (t - self.since).abs() / STUCK_STEPS as f64;
        self.since = t;
        mean < STUCK * self.longest && mean * ENDLESS < (end - t).abs()
    }
}

/// Values of all event functions along the present step.
struct Memory<S> {
    offsets: Vec<f64>,
    values: Vec<f64>,
    now: Vec<f64>,
    state: Vec<S>,
    sketch: Vec<f64>, // at the points that exclude zeros
    states: Vec<S>,   // the states there
}

/// The functions along a step; `offset` counts from its start.
struct Along<'a, S, E> {
    functions: &'a mut E,
    stepper: &'a mut dyn Stepper<S>,
    memory: &'a mut Memory<S>,
    start: S,
    length: f64,
    first: &'a [f64],
    last: &'a [f64],
    needed: &'a [usize],
}

impl<S: Scalar, E: EventFunctions<S>> Along<'_, S, E> {
    fn value(&mut self, k: usize, offset: f64) -> f64 {
        // the ends are the states themselves, so that steps meet without a gap
        if offset == 0.0 {
            return self.first[k];
        }
        if offset == self.length {
            return self.last[k];
        }
        let m = &mut *self.memory;
        let count = m.now.len();
        if let Some(place) = m.offsets.iter().position(|o| *o == offset) {
            return m.values[place * count + k];
        }
        let t = self.start + S::from_f64(offset);
        self.stepper.interpolate_part(t, self.needed, &mut m.state);
        self.functions.values(t, &m.state, &mut m.now);
        if m.offsets.len() < REMEMBERED {
            m.offsets.push(offset);
            m.values.extend_from_slice(&m.now);
        }
        m.now[k]
    }
}

impl<S: Scalar, E: EventFunctions<S>> Driver<S, E> {
    /// Panics unless there is one description for each function.
    pub fn new(functions: E, events: Vec<Event>) -> Driver<S, E> {
        let count = functions.count();
        assert_eq!(count, events.len(), "every event function is described");
        Driver {
            functions,
            events,
            step_limit: u64::MAX,
            finder: Finder::default(),
            sides: vec![Side::Fresh; count],
            first: vec![0.0; count],
            last: vec![0.0; count],
            memory: Memory {
                offsets: Vec::with_capacity(REMEMBERED),
                values: Vec::with_capacity(REMEMBERED * count),
                now: vec![0.0; count],
                state: Vec::new(),
                sketch: vec![0.0; SKETCHED * count],
                states: Vec::new(),
            },
            roots: Vec::new(),
            found: Vec::new(),
            hits: Vec::new(),
            state: Vec::new(),
            needed: Vec::new(),
            left: None,
            left_state: Vec::new(),
            left_values: vec![0.0; count],
            departures: vec![None; count],
        }
    }

    /// At most so many steps in one call of [`Driver::solve`].
    pub fn with_step_limit(mut self, steps: u64) -> Driver<S, E> {
        self.step_limit = steps;
        self
    }

    /// The same for a driver in use.
    pub fn set_step_limit(&mut self, steps: u64) {
        self.step_limit = steps;
    }

    /// Says for the next call of [`Driver::solve`] that a function at zero leaves it, as after a bounce, and from what time after the start on its
    /// values are more than rounding, however many steps that takes. Without this that is found out by looking, which a flight much shorter than a step escapes.
    pub fn departs(&mut self, event: usize, positive: bool, after: f64) {
        self.departures[event] = Some((if positive { Side::Positive } else { Side::Negative }, after));
    }

    /// The events.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Runs an integrator to `end`, or until something stops it.
    pub fn solve(&mut self, stepper: &mut dyn Stepper<S>, end: S, watch: &mut impl Watch<S>) -> Outcome<S> {
        self.begin(stepper);
        let mut steps = 0;
        let (reason, event) = self.run(stepper, end, watch, &mut steps);
        self.left = Some((stepper.time(), event));
        self.left_state.copy_from_slice(stepper.state());
        self.functions.values(stepper.time(), stepper.state(), &mut self.left_values);
        Outcome { reason, time: stepper.time(), steps }
    }

    /// Sides of the event functions at the start.
    fn begin(&mut self, stepper: &mut dyn Stepper<S>) {
        let (t, y) = (stepper.time(), stepper.state());
        self.functions.values(t, y, &mut self.first);
        let left = self.left.filter(|(at, _)| *at == t);
        let goes_on = matches!(left, Some((_, None))) && self.left_state == y;
        if !goes_on {
            self.sides.fill(Side::Fresh);
        }
        // an impact leaves the function that noticed it where it was: at zero, up to rounding
        if let Some((_, Some(event))) = left
            && self.first[event] == self.left_values[event]
        {
            self.sides[event] = Side::Zero;
        }
        // a function of the model that was set elsewhere does not leave zero; those of contacts change with what holds
        if left.is_some() {
            let values = self.first.iter().zip(&self.left_values);
            for ((departure, event), (now, before)) in self.departures.iter_mut().zip(&self.events).zip(values) {
                if event.jumps && now != before {
                    *departure = None;
                }
            }
        }
        for buffer in [&mut self.state, &mut self.left_state, &mut self.memory.state] {
            buffer.resize(y.len(), S::default());
        }
        self.memory.states.resize(SKETCHED * y.len(), S::default());
    }

    /// Steps until something ends the motion: why, and by which event.
    fn run(
        &mut self,
        stepper: &mut dyn Stepper<S>,
        end: S,
        watch: &mut impl Watch<S>,
        steps: &mut u64,
    ) -> (StopReason, Option<usize>) {
        let finite = |y: &[S]| y.iter().all(|y| y.is_finite());
        if !finite(stepper.state()) {
            return (StopReason::NotFinite { t: stepper.time().to_f64() }, None);
        }
        let start = stepper.time();
        if let Some(ended) = self.jumped(stepper, start, watch) {
            return ended;
        }
        let mut pace = Pace { longest: 0.0, since: start.to_f64() };
        while stepper.time() != end {
            let start = stepper.time();
            if steps.is_multiple_of(STUCK_STEPS) && *steps > 0 && pace.is_stuck(start.to_f64(), end.to_f64()) {
                return (StopReason::TooSmall { t: start.to_f64() }, None);
            }
            if *steps == self.step_limit {
                return (StopReason::StepLimit { t: start.to_f64() }, None);
            }
            if let Err(error) = stepper.step(end) {
                return (error.into(), None);
            }
            *steps += 1;
            let mut reached = stepper.time();
            pace.longest = pace.longest.max((reached - start).to_f64().abs());
            self.state.copy_from_slice(stepper.state());
            let projected = watch.project(reached, &mut self.state);
            if !finite(&self.state) {
                return (StopReason::NotFinite { t: reached.to_f64() }, None);
            }
            if projected {
                stepper.restart(reached, &self.state, true);
            }
            let terminal = self.search(stepper, start);
            if let Some(hit) = terminal
                && hit.t != reached
            {
                reached = hit.t;
                stepper.interpolate(reached, &mut self.state);
                watch.project(reached, &mut self.state);
                if !finite(&self.state) {
                    return (StopReason::NotFinite { t: reached.to_f64() }, None);
                }
            }
            let flow = watch.step(Step { start, end: reached, state: &self.state, hits: &self.hits, stepper });
            if let Some(hit) = terminal {
                if reached != stepper.time() {
                    stepper.restart(reached, &self.state, true);
                }
                return (StopReason::Event { index: hit.event, t: reached.to_f64() }, Some(hit.event));
            }
            if flow.is_break() {
                return (StopReason::Interrupted { t: reached.to_f64() }, None);
            }
        }
        (StopReason::End, None)
    }

    /// Events that happened because the state was changed where the last call ended: shown as a step without length, and whether one of
    /// them ends the motion.
    fn jumped(
        &mut self,
        stepper: &mut dyn Stepper<S>,
        t: S,
        watch: &mut impl Watch<S>,
    ) -> Option<(StopReason, Option<usize>)> {
        let (_, Some(by)) = self.left.filter(|(at, _)| *at == t)? else { return None };
        self.hits.clear();
        for (k, event) in self.events.iter().enumerate().filter(|(k, e)| *k != by && e.jumps) {
            let crossing = match (Side::of(self.left_values[k]), Side::of(self.first[k])) {
                (Side::Negative, Side::Positive) => Crossing::Rising,
                (Side::Positive, Side::Negative) => Crossing::Falling,
                _ => continue,
            };
            if event.direction.admits(crossing) {
                self.hits.push(Hit { event: k, t, crossing });
            }
        }
        if self.hits.is_empty() {
            return None;
        }
        self.state.copy_from_slice(stepper.state());
        let flow = watch.step(Step { start: t, end: t, state: &self.state, hits: &self.hits, stepper });
        let terminal = self.hits.iter().find(|hit| self.events[hit.event].terminal);
        if let Some(hit) = terminal {
            return Some((StopReason::Event { index: hit.event, t: t.to_f64() }, Some(hit.event)));
        }
        flow.is_break().then(|| (StopReason::Interrupted { t: t.to_f64() }, None))
    }

    /// The event functions at the end of the step, and roughly within it.
    fn sketch(&mut self, stepper: &mut dyn Stepper<S>, start: S, length: f64) {
        let m = &mut self.memory;
        let offsets = self.finder.first_times(0.0, length);
        let mut times = offsets.map(|offset| start + S::from_f64(offset));
        times[0] = stepper.time();
        stepper.sketch(&times, &mut m.states);
        for (states, y) in m.states.chunks_exact_mut(SKETCHED).zip(&self.state) {
            states[0] = *y;
        }
        self.functions.sketch(&times, &m.states, &mut m.sketch);
        for (last, values) in self.last.iter_mut().zip(m.sketch.chunks_exact(SKETCHED)) {
            *last = values[0];
        }
    }

    /// Fills in what happened during the step; the terminal event that ended it, if one did.
    fn search(&mut self, stepper: &mut dyn Stepper<S>, start: S) -> Option<Hit<S>> {
        self.hits.clear();
        if self.events.is_empty() {
            return None;
        }
        self.found.clear();
        self.memory.offsets.clear();
        self.memory.values.clear();
        let reached = stepper.time();
        let length = (reached - start).to_f64();
        self.sketch(stepper, start, length);
        self.finder.set_grain(2.0 * S::EPSILON * start.to_f64().abs().max(reached.to_f64().abs()));
        self.functions.needed(&self.state, &mut self.needed);
        let mut along = Along {
            functions: &mut self.functions,
            stepper,
            memory: &mut self.memory,
            start,
            length,
            first: &self.first,
            last: &self.last,
            needed: &self.needed,
        };
        for (k, event) in self.events.iter().enumerate() {
            let mut report = |offset: f64, crossing| {
                if event.direction.admits(crossing) {
                    let t = if offset == length { reached } else { start + S::from_f64(offset) };
                    self.found.push((offset.abs(), Hit { event: k, t, crossing }));
                }
            };
            let mut values = [self.first[k]; SKETCHED + 1];
            values[..SKETCHED].copy_from_slice(&along.memory.sketch[k * SKETCHED..][..SKETCHED]);
            // known, so that it is no event, and signs of rounding say nothing
            let known = self.departures[k].take();
            if known.is_some() {
                self.sides[k] = Side::Arrived;
            } else if self.sides[k] == Side::Fresh {
                let scale = values.iter().fold(0.0, |scale: f64, g| scale.max(g.abs()));
                if self.first[k].abs() > AT_ZERO * scale {
                    self.sides[k] = Side::of(self.first[k]);
                }
            }
            let outline = self.finder.outline(&values);
            // the side does not change with it
            if outline == Outline::OneSign && self.sides[k] == Side::of(self.first[k]) {
                continue;
            }
            if let Outline::Straight { c, d } = &outline {
                let ends = Side::of(self.last[k]);
                let leaves = known.filter(|(_, after)| *after <= length.abs()).map(|(leaves, _)| leaves);
                let unknown = matches!(self.sides[k], Side::Fresh | Side::Zero | Side::Arrived);
                if unknown && leaves == Some(ends) {
                    // away from zero all the time
                    self.sides[k] = ends;
                    continue;
                }
                if !unknown && ends == self.sides[k] {
                    continue;
                }
                if !unknown && ends != Side::Arrived && Side::of(self.first[k]) == self.sides[k] {
                    let (a, b) = ((0.0, self.first[k]), (length, self.last[k]));
                    self.roots.clear();
                    self.finder.find_straight(&mut |offset| along.value(k, offset), (c, d), a, b, &mut self.roots);
                    self.roots.iter().for_each(|root| report(root.t, root.kind));
                    self.sides[k] = ends;
                    continue;
                }
            }
            // where the search begins, and on which side
            let mut begin = 0.0;
            let mut side = self.sides[k];
            if let Some((leaves, after)) = known {
                if after > length.abs() {
                    self.departures[k] = Some((leaves, after - length.abs()));
                    continue;
                }
                (begin, side) = (after.copysign(length), leaves);
                // back already: the flight was shorter than rounding lets us see
                if Side::of(along.value(k, begin)) != side {
                    let (back, how) = match side {
                        Side::Positive => (Side::Negative, Crossing::Falling),
                        _ => (Side::Positive, Crossing::Rising),
                    };
                    report(begin, how);
                    side = back;
                }
            } else if matches!(side, Side::Fresh | Side::Zero | Side::Arrived) {
                let (place, leaves) = leave(&mut along, k, side);
                if let (Side::Fresh | Side::Zero, true) = (side, place != 0.0) {
                    // on the boundary at the start
                    let outward = match event.direction {
                        Direction::Rising => leaves == Side::Positive,
                        Direction::Falling => leaves == Side::Negative,
                        Direction::Either => false,
                    };
                    if event.terminal && outward {
                        report(0.0, if leaves == Side::Positive { Crossing::Rising } else { Crossing::Falling });
                    }
                }
                (begin, side) = (place, leaves);
            }
            if matches!(side, Side::Positive | Side::Negative) {
                self.roots.clear();
                self.finder.find(&mut |offset| along.value(k, offset), begin, length, &mut self.roots);
                for root in &self.roots {
                    // crossings alternate, whatever rounding does near a root
                    match (root.kind, side) {
                        (Crossing::Rising, Side::Negative) => side = Side::Positive,
                        (Crossing::Falling, Side::Positive) => side = Side::Negative,
                        (Crossing::Touching, _) => {}
                        _ => continue,
                    }
                    report(root.t, root.kind);
                }
                let ends = Side::of(self.last[k]);
                if ends != side && ends != Side::Arrived {
                    report(length, if ends == Side::Positive { Crossing::Rising } else { Crossing::Falling });
                }
                side = ends;
            }
            self.sides[k] = side;
        }
        self.first.copy_from_slice(&self.last);
        self.found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.event.cmp(&b.1.event)));
        for (_, hit) in &self.found {
            self.hits.push(*hit);
            if self.events[hit.event].terminal && hit.crossing != Crossing::Touching {
                return Some(*hit);
            }
        }
        None
    }
}

/// How a function leaves zero during a step: where it has clearly left, and to which side. If it never leaves, the offset is 0 and the side
/// the one given.
fn leave<S: Scalar, E: EventFunctions<S>>(along: &mut Along<'_, S, E>, k: usize, side: Side) -> (f64, Side) {
    let length = along.length;
    let scale = (1..=8).map(|j| along.value(k, length * f64::from(j) / 8.0).abs()).fold(0.0, f64::max);
    for j in (0..=FINEST).rev() {
        let offset = length / f64::from(1 << j);
        let g = along.value(k, offset);
        if g.abs() > AT_ZERO * scale && g != 0.0 {
            return (offset, Side::of(g));
        }
    }
    (0.0, if side == Side::Fresh { Side::Zero } else { side })
}
