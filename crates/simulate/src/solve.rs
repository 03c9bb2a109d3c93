//! Running a compiled system.

use crate::compile::{Compiled, EventKind};
use crate::evaluator::Evaluator;
use crate::run::{BadRun, DEFAULT_RTOL, EXTENDED_RTOL, Method, Precision, Run, SMALLEST_RTOL};
use crate::sample::Sample;
use crate::trajectory::{EventRecord, Pieces, Report, Span, StopReason, Trajectory};
use polhode_backend_simd::Simd;
use polhode_integrate::collocation::fitting_step;
use polhode_integrate::drive::{self, Driver, EventFunctions, Step, Watch};
use polhode_integrate::{
    Crossing, Dop853, Gauss, ImplicitMap, KernelField, Segment, Statistics, Stepper, Taylor, Tolerance,
};
use polhode_model::Direction;
use polhode_tape::{Backend, Dd, Interpreter, Kernel, Scalar, Tape};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Is told the time reached after every step; `false` ends the run.
pub type Progress<'a> = &'a mut dyn FnMut(f64) -> bool;

/// The fastest evaluator that takes the tape.
fn prepare(tape: &Tape) -> Box<dyn Kernel> {
    match Simd::new().prepare(tape) {
        Ok(kernel) => Box::new(kernel),
        Err(_too_large) => Box::new(Interpreter::<f64>::new(tape)),
    }
}

impl Compiled {
    /// Computes the motion.
    pub fn solve(self: &Arc<Self>, run: &Run) -> Result<Trajectory, BadRun> {
        self.solve_with(run, &mut |_| true)
    }

    /// Computes the motion; `progress` may end it.
    pub fn solve_with(self: &Arc<Self>, run: &Run, progress: Progress<'_>) -> Result<Trajectory, BadRun> {
        run.check(self.discrete.is_some())?;
        let method = run.chosen_method();
        let units = self.program.positions.units();
        let doubles = || self.start.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let relative = run.rtol.unwrap_or(DEFAULT_RTOL).max(SMALLEST_RTOL);
        let tolerance = Tolerance { relative, absolute: run.atol.unwrap_or(relative) };
        let step = run.step.map_or(0.0, |h| fitting_step(h, run.until.to_f64()));
        Ok(match (method, run.precision) {
            (Method::Auto, _) => unreachable!("a method was chosen"),
            (Method::Taylor, Precision::DoubleDouble) => {
                let relative = run.rtol.unwrap_or(EXTENDED_RTOL);
                let tolerance = Tolerance { relative, absolute: run.atol.unwrap_or(relative) };
                let mut stepper = Taylor::<Dd>::new(&self.tapes.field, Dd::ZERO, &self.start, tolerance, units);
                let order = Some(stepper.order());
                let keep = |s| Pieces::DoubleDoubles(s);
                self.follow(run, &mut stepper, order, Some(relative), progress, keep)
            }
            (Method::Taylor, Precision::Double) => {
                let mut stepper = Taylor::<f64>::new(&self.tapes.field, 0.0, &doubles(), tolerance, units);
                let order = Some(stepper.order());
                self.follow(run, &mut stepper, order, Some(relative), progress, Pieces::Doubles)
            }
            (Method::Dop853, _) => {
                let field = KernelField::new(prepare(&self.tapes.field));
                let mut stepper = Dop853::new(field, 0.0, doubles(), tolerance, units);
                self.follow(run, &mut stepper, Some(8), Some(relative), progress, Pieces::Doubles)
            }
            (Method::Gauss(stages), _) => {
                let field = KernelField::new(prepare(&self.tapes.field));
                let mut stepper = Gauss::new(field, 0.0, doubles(), stages, step, units);
                self.follow(run, &mut stepper, Some(2 * stages), None, progress, Pieces::Doubles)
            }
            (Method::Discrete, _) => {
                let mut stepper = self.discrete_stepper(&doubles(), step);
                self.follow(run, &mut stepper, Some(2), None, progress, Pieces::Doubles)
            }
        })
    }

    fn discrete_stepper(&self, start: &[f64], step: f64) -> ImplicitMap<Box<dyn Kernel>> {
        let d = self.discrete.as_ref().expect("checked before");
        // positions and velocities: the state without works
        let inputs: Vec<f64> = std::iter::once(0.0).chain(start[..d.begin.inputs.len() - 1].iter().copied()).collect();
        let mut begun = vec![0.0; d.begin.outputs.len()];
        prepare(&d.begin).evaluate(1, &inputs, &mut begun);
        let mut guess = begun.split_off(d.update.outputs.len());
        guess.resize(d.residual.outputs.len(), 0.0);
        let units = self.program.positions.units();
        let kernels = (prepare(&d.residual), prepare(&d.jacobian), prepare(&d.update));
        ImplicitMap::new(kernels.0, kernels.1, kernels.2, 0.0, begun, guess, step, units)
    }

    /// Drives an integrator to the end of the run.
    fn follow<S: Scalar>(
        self: &Arc<Self>,
        run: &Run,
        stepper: &mut dyn Stepper<S>,
        order: Option<usize>,
        rtol: Option<f64>,
        progress: Progress<'_>,
        pieces: impl Fn(Vec<Segment<S>>) -> Pieces,
    ) -> Trajectory {
        let discrete = run.chosen_method() == Method::Discrete;
        let mut recorder = Recorder::new(self, run, discrete, progress);
        let start = stepper.state().to_vec();
        recorder.begin(start);
        let mut driver = Driver::new(Events::new(self, discrete), self.drive_events()).with_step_limit(run.step_limit);

        let end = S::constant(run.until);
        let mut stops: Vec<S> = Vec::new();
        if run.chosen_method() == Method::Dop853 {
            // its dense output is of lower order than the method, so that it has to step to the times asked for
            let mut at = run.at.clone();
            at.sort_by(|a, b| a.abs().partial_cmp(&b.abs()).expect("times are numbers"));
            stops.extend(at.into_iter().filter(|t| *t != Dd::ZERO).map(S::constant));
        }
        stops.push(end);
        let mut reason = drive::StopReason::End;
        for stop in stops {
            reason = driver.solve(stepper, stop, &mut recorder).reason;
            if reason != drive::StopReason::End {
                break;
            }
        }
        let statistics = stepper.statistics();
        recorder.finish(run, reason, order, rtol, statistics, pieces)
    }

    fn drive_events(&self) -> Vec<drive::Event> {
        (self.events.iter())
            .map(|e| drive::Event {
                name: e.name.clone(),
                terminal: e.terminal,
                direction: match e.direction {
                    Direction::Rising => drive::Direction::Rising,
                    Direction::Falling => drive::Direction::Falling,
                    Direction::Either => drive::Direction::Either,
                },
            })
            .collect()
    }
}

/// The event functions, in doubles.
struct Events {
    reveal: Option<Box<dyn Kernel>>,
    kernel: Box<dyn Kernel>,
    inputs: Vec<f64>,
    revealed: Vec<f64>,
}

impl Events {
    fn new(compiled: &Compiled, discrete: bool) -> Events {
        let reveal = compiled.discrete.as_ref().filter(|_| discrete).map(|d| prepare(&d.reveal));
        let kernel = prepare(&compiled.tapes.events);
        Events { reveal, inputs: vec![0.0; kernel.inputs()], revealed: vec![0.0; kernel.inputs() - 1], kernel }
    }
}

impl<S: Scalar> EventFunctions<S> for Events {
    fn count(&self) -> usize {
        self.kernel.outputs()
    }

    fn values(&mut self, t: S, y: &[S], values: &mut [f64]) {
        self.inputs.clear();
        self.inputs.push(t.to_f64());
        self.inputs.extend(y.iter().map(|y| y.to_f64()));
        if let Some(reveal) = &mut self.reveal {
            let n = reveal.outputs();
            reveal.evaluate(1, &self.inputs, &mut self.revealed[..n]);
            self.inputs.truncate(1);
            self.inputs.extend_from_slice(&self.revealed);
        }
        self.kernel.evaluate(1, &self.inputs, values);
    }
}

/// Steps after which Newton's method has restored a position to rounding.
const RESTORATIONS: usize = 2;

/// Notes what happens during a run.
struct Recorder<'a, S> {
    compiled: &'a Arc<Compiled>,
    evaluator: Evaluator<S>,
    restore: Option<Interpreter<S>>,
    progress: Progress<'a>,
    discrete: bool,
    dense: bool,
    /// Times to report, the next one last.
    times: Vec<Dd>,
    state: Vec<S>,
    inputs: Vec<S>,
    segments: Vec<Segment<S>>,
    samples: Vec<Sample>,
    events: Vec<EventRecord>,
    ranges: Vec<Span>,
    energy: S,
    energy_error: f64,
    residual: (f64, usize),
    last: Option<(S, Vec<S>)>,
}

impl<'a, S: Scalar> Recorder<'a, S> {
    fn new(compiled: &'a Arc<Compiled>, run: &Run, discrete: bool, progress: Progress<'a>) -> Recorder<'a, S> {
        let mut times = run.times();
        times.reverse();
        Recorder {
            compiled,
            evaluator: Evaluator::new(compiled, discrete),
            restore: (run.project && !discrete).then(|| Interpreter::new(&compiled.tapes.restore)),
            progress,
            discrete,
            dense: run.dense,
            times,
            state: Vec::new(),
            inputs: Vec::new(),
            segments: Vec::new(),
            samples: Vec::new(),
            events: Vec::new(),
            ranges: Vec::new(),
            energy: S::default(),
            energy_error: 0.0,
            residual: (0.0, 0),
            last: None,
        }
    }

    /// The state at the start.
    fn begin(&mut self, mut state: Vec<S>) {
        let zero = S::default();
        let numbers = self.evaluator.numbers(zero, &mut state);
        self.energy = numbers[self.compiled.program.layout.energy];
        self.ranges = numbers.iter().map(|x| x.to_f64()).map(|x| Span { low: x, low_at: 0.0, high: x, high_at: 0.0 }).collect();
        self.state = state.clone();
        self.look(zero, &state);
        if self.times.last() == Some(&Dd::ZERO) {
            self.times.pop();
            self.sample(zero);
        }
        self.last = Some((zero, state));
    }

    /// Ranges, energy and residuals at a state.
    fn look(&mut self, t: S, state: &[S]) {
        self.state.copy_from_slice(state);
        let numbers = self.evaluator.numbers(t, &mut self.state);
        let layout = &self.compiled.program.layout;
        for (span, x) in self.ranges.iter_mut().zip(numbers) {
            let x = x.to_f64();
            if x < span.low {
                (span.low, span.low_at) = (x, t.to_f64());
            }
            if x > span.high {
                (span.high, span.high_at) = (x, t.to_f64());
            }
        }
        for (k, x) in numbers[layout.residuals.clone()].iter().enumerate() {
            let size = x.to_f64().abs();
            if size > self.residual.0 {
                self.residual = (size, k);
            }
        }
        let mut change = numbers[layout.energy] - self.energy;
        if !self.discrete {
            for (k, _) in &self.compiled.program.works {
                change = change - state[*k];
            }
        }
        self.energy_error = self.energy_error.max(change.abs().to_f64());
    }

    /// Reports the state in `self.state`.
    fn sample(&mut self, t: S) {
        let sample = self.sample_of(t);
        self.samples.push(sample);
    }

    fn sample_of(&mut self, t: S) -> Sample {
        let numbers = self.evaluator.numbers(t, &mut self.state);
        Sample::new(self.compiled, t.to_dd(), numbers.iter().map(|x| x.to_dd()).collect())
    }

    fn finish(
        mut self,
        run: &Run,
        reason: drive::StopReason,
        order: Option<usize>,
        rtol: Option<f64>,
        statistics: Statistics,
        pieces: impl Fn(Vec<Segment<S>>) -> Pieces,
    ) -> Trajectory {
        let (t, state) = self.last.take().expect("the run began");
        self.state.copy_from_slice(&state);
        let last = self.sample_of(t);
        let compiled = self.compiled;
        let layout = &compiled.program.layout;
        let stop = match reason {
            drive::StopReason::End => StopReason::End,
            drive::StopReason::TooSmall { .. } => StopReason::StepTooSmall,
            drive::StopReason::NotFinite { .. } => StopReason::NotFinite,
            drive::StopReason::NoConvergence { .. } => StopReason::NoConvergence,
            drive::StopReason::Interrupted { .. } => StopReason::Interrupted,
            drive::StopReason::StepLimit { .. } => StopReason::StepLimit,
            drive::StopReason::Event { index, .. } => match &compiled.events[index].kind {
                EventKind::Model => StopReason::Event(compiled.events[index].name.clone()),
                EventKind::Domain { coordinate, lower } => {
                    StopReason::Domain { coordinate: coordinate.clone(), lower: *lower }
                }
            },
        };
        let works = if self.discrete { &[][..] } else { &compiled.program.works[..] };
        let report = Report {
            stop,
            t: t.to_f64(),
            method: run.chosen_method(),
            order,
            rtol,
            step: run.step.map(|h| fitting_step(h, run.until.to_f64())),
            precision: run.precision,
            energy: self.energy.to_f64(),
            energy_change: (last.digits[layout.energy] - self.energy.to_dd()).to_f64(),
            energy_error: self.energy_error,
            work: works.iter().map(|(k, name)| (*name, state[*k].to_f64())).collect(),
            constraint_residual: self.residual.0,
            worst_constraint: (self.residual.0 > 0.0).then(|| compiled.residuals[self.residual.1].clone()),
            statistics,
            events: self.events,
            ranges: self.ranges,
        };
        Trajectory {
            compiled: compiled.clone(),
            pieces: pieces(self.segments),
            discrete: self.discrete,
            samples: self.samples,
            last,
            report,
        }
    }
}

impl<S: Scalar> Watch<S> for Recorder<'_, S> {
    fn project(&mut self, t: S, y: &mut [S]) -> bool {
        let Some(restore) = &mut self.restore else { return false };
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
        let (start, end) = (step.start, step.end);
        let reached = |t: S| if end >= start { t <= end } else { t >= end };
        while let Some(t) = self.times.last().map(|t| S::constant(*t)).filter(|t| reached(*t)) {
            self.times.pop();
            if t == step.end {
                self.state.copy_from_slice(step.state);
            } else {
                step.interpolate(t, &mut self.state);
            }
            self.sample(t);
        }
        for hit in step.hits {
            if hit.t == step.end {
                self.state.copy_from_slice(step.state);
            } else {
                step.interpolate(hit.t, &mut self.state);
            }
            let sample = self.sample_of(hit.t);
            self.events.push(EventRecord {
                event: hit.event,
                name: self.compiled.events[hit.event].name.clone(),
                crossing: match hit.crossing {
                    Crossing::Rising => "rising",
                    Crossing::Falling => "falling",
                    Crossing::Touching => "touching",
                },
                sample,
            });
        }
        self.look(step.end, step.state);
        if let Some((t, state)) = &mut self.last {
            *t = step.end;
            state.copy_from_slice(step.state);
        }
        if self.dense {
            self.segments.push(step.segment());
        }
        if (self.progress)(step.end.to_f64()) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
