//! Running a compiled system.

use crate::atlas::{Atlas, Begin};
use crate::chart::Chart;
use crate::compile::machine_code::{Function, LANES, MachineCode};
use crate::compile::{Compiled, EventKind};
use crate::observer::{Observer, Watching};
use crate::recorder::{Ending, Recorder};
use crate::run::{BadRun, DEFAULT_RTOL, DOP853_RTOL, EXTENDED_RTOL, Method, Precision, Run, SMALLEST_RTOL};
use crate::state::Place;
use crate::switch::{Outcome, Refusal, Switch, Transition};
use crate::trajectory::{Kept, Pieces, Trajectory};
use polhode_base::ids::{ChartId, EventId, Id, IdVec};
use polhode_integrate::collocation::fitting_step;
use polhode_integrate::drive::{self, Driver, EventFunctions};
use polhode_integrate::{Dop853, Gauss, ImplicitMap, KernelField, Stepper, Taylor, Tolerance};
use polhode_model::Direction;
use polhode_tape::{Dd, Kernel, Scalar, Tape, passes};
use std::cell::Cell;
use std::sync::Arc;

/// Is told the time reached after every step; `false` ends the run.
pub type Progress<'a> = &'a mut dyn FnMut(f64) -> bool;

/// The fastest evaluator that takes the tape.
pub(crate) fn prepare(tape: &Tape) -> Box<dyn Kernel> {
    MachineCode::default().kernel(tape)
}

impl Compiled {
    /// Computes the motion.
    pub fn solve(self: &Arc<Self>, run: &Run) -> Result<Trajectory, BadRun> {
        self.solve_with(run, &mut |_| true)
    }

    /// Computes the motion; `progress` may end it.
    pub fn solve_with(self: &Arc<Self>, run: &Run, progress: Progress<'_>) -> Result<Trajectory, BadRun> {
        self.solve_observed(run, progress, None)
    }

    /// Computes the motion, and shows every step to an observer.
    pub fn solve_observed(
        self: &Arc<Self>,
        run: &Run,
        progress: Progress<'_>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Trajectory, BadRun> {
        run.check(self.discrete.is_some(), self.program.missing.is_empty())?;
        let method = run.chosen_method();
        let units = self.program.positions.units();
        let usual = if method == Method::Dop853 { DOP853_RTOL } else { DEFAULT_RTOL };
        let relative = run.rtol.unwrap_or(usual).max(SMALLEST_RTOL);
        let tolerance = Tolerance { relative, absolute: run.atol.unwrap_or(relative) };
        let step = run.step.map_or(0.0, |h| fitting_step(h, run.until.to_f64()));
        let order = Cell::new(None);
        Ok(match (method, run.chosen_precision()) {
            (Method::Auto | Method::Exact, _) => unreachable!("a method that integrates was chosen"),
            (Method::Taylor, Precision::DoubleDouble) => {
                let relative = run.rtol.unwrap_or(EXTENDED_RTOL);
                let tolerance = Tolerance { relative, absolute: run.atol.unwrap_or(relative) };
                let begin = |chart: &Chart, t, y: &[Dd]| -> Box<dyn Stepper<Dd>> {
                    let stepper = Taylor::<Dd>::new(&chart.field, t, y, tolerance, units.clone());
                    order.set(Some(stepper.order()));
                    Box::new(stepper)
                };
                self.follow(run, &begin, &order, Some(relative), (progress, observer), Pieces::DoubleDoubles)
            }
            (Method::Taylor, Precision::Double) => {
                let begin = |chart: &Chart, t, y: &[f64]| -> Box<dyn Stepper<f64>> {
                    let stepper = chart.series_code.stepper(&chart.field, t, y, tolerance, units.clone());
                    order.set(Some(stepper.order()));
                    Box::new(stepper)
                };
                self.follow(run, &begin, &order, Some(relative), (progress, observer), Pieces::Doubles)
            }
            (Method::Dop853, _) => {
                order.set(Some(8));
                let begin = |chart: &Chart, t, y: &[f64]| -> Box<dyn Stepper<f64>> {
                    let field = KernelField::new(chart.field_code.kernel(&chart.field));
                    Box::new(Dop853::new(field, t, y.to_vec(), tolerance, units.clone()))
                };
                self.follow(run, &begin, &order, Some(relative), (progress, observer), Pieces::Doubles)
            }
            (Method::Gauss(stages), _) => {
                order.set(Some(2 * stages));
                let begin = |chart: &Chart, t, y: &[f64]| -> Box<dyn Stepper<f64>> {
                    let field = KernelField::new(chart.field_code.kernel(&chart.field));
                    Box::new(Gauss::new(field, t, y.to_vec(), stages, step, units.clone()))
                };
                self.follow(run, &begin, &order, None, (progress, observer), Pieces::Doubles)
            }
            (Method::Discrete, _) => {
                order.set(Some(2));
                let begin =
                    |_: &Chart, _, y: &[f64]| -> Box<dyn Stepper<f64>> { Box::new(self.discrete_stepper(y, step)) };
                self.follow(run, &begin, &order, None, (progress, observer), Pieces::Doubles)
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
        begin: Begin<'_, S>,
        order: &Cell<Option<usize>>,
        rtol: Option<f64>,
        (progress, observer): (Progress<'_>, Option<&mut dyn Observer>),
        pieces: impl Fn(Kept<S>) -> Pieces,
    ) -> Trajectory {
        let discrete = run.chosen_method() == Method::Discrete;
        let place = Cell::new(self.place);
        let watching = observer.map(|o| Watching::new(self, o));
        let mut recorder = Recorder::new(self, run, discrete, &place, progress, watching);
        let mut stepper = Atlas::new(self, begin, &place);
        let reason = self.drive(run, &mut stepper, &mut recorder, &place);
        let (statistics, chart_changes) = (stepper.statistics(), stepper.changes());
        recorder.finish(run, Ending { reason, order: order.get(), rtol, statistics, chart_changes }, pieces)
    }

    /// From stop to stop the driver makes steps. An event that changes constraints or velocities is a transition, which is applied before it goes on.
    fn drive<S: Scalar>(
        self: &Arc<Self>,
        run: &Run,
        stepper: &mut Atlas<'_, S>,
        recorder: &mut Recorder<'_, S>,
        place: &Cell<Place>,
    ) -> drive::StopReason {
        if let Some(event) = recorder.begin(stepper.here()) {
            return drive::StopReason::Event { index: event.index(), t: 0.0 };
        }
        let mut driver = Driver::new(Events::new(self, recorder.discrete, place), self.drive_events());
        let mut switch = self.switching.as_ref().map(|s| Switch::new(self, s, run.until < Dd::ZERO));
        let first = switch.as_mut().and_then(|s| s.start(stepper.time(), &stepper.here()));
        if let Err(stop) = apply(first, stepper, recorder, &mut driver) {
            return stop;
        }
        // corners in time are stepped over: before them and behind them everything is smooth
        let corners = if recorder.discrete { Vec::new() } else { self.corners.between(run.until.to_f64()) };
        recorder.step_over(corners.clone());
        let mut reason = drive::StopReason::End;
        let mut steps_left = run.step_limit;
        for stop in stops::<S>(run, &corners) {
            if stepper.time().abs() > stop.abs() {
                continue; // within a corner that was stepped over
            }
            loop {
                driver.set_step_limit(steps_left);
                let outcome = driver.solve(stepper, stop, recorder);
                (reason, steps_left) = (outcome.reason, steps_left - outcome.steps);
                let drive::StopReason::Event { index, .. } = reason else { break };
                let event = EventId::new(index);
                let Some(switch) = switch.as_mut().filter(|_| self.events[event].transition) else { break };
                if self.events[event].terminal {
                    break;
                }
                let telling = recorder.takes_events();
                let transition = switch.transition(event, stepper.time(), &stepper.here(), telling);
                if let Err(stop) = apply(Some(transition), stepper, recorder, &mut driver) {
                    return stop;
                }
                let left = switch.leave(stepper.time(), &stepper.here(), recorder.takes_events());
                if let Err(stop) = apply(left, stepper, recorder, &mut driver) {
                    return stop;
                }
            }
            if matches!(reason, drive::StopReason::TooSmall { .. } | drive::StopReason::NotFinite { .. }) {
                let (t, state) = (stepper.time(), stepper.here());
                let refusal = match self.loses_rank(t, &state) {
                    true => Some(Refusal::UnboundedForce),
                    false => switch.as_ref().and_then(|s| s.blame(t, &state)),
                };
                refusal.into_iter().for_each(|refusal| recorder.refuse(refusal));
            }
            if reason != drive::StopReason::End {
                break;
            }
            let Some((_, after)) = corners.iter().find(|(before, _)| S::from_f64(*before) == stop) else { continue };
            let (state, after) = (stepper.here(), S::from_f64(*after));
            if recorder.is_blow(stop, after, &state) {
                return drive::StopReason::Interrupted { t: stop.to_f64() };
            }
            stepper.restart(after, &state.components, true);
            let left = switch.as_mut().and_then(|s| s.leave(after, &state, recorder.takes_events()));
            if let Err(stop) = apply(left, stepper, recorder, &mut driver) {
                return stop;
            }
        }
        reason
    }

    fn drive_events(&self) -> Vec<drive::Event> {
        (self.events.iter())
            .map(|e| drive::Event {
                name: e.name.clone(),
                terminal: e.terminal || e.transition,
                jumps: e.kind == EventKind::Model && e.cause.is_none(),
                direction: match e.direction {
                    Direction::Rising => drive::Direction::Rising,
                    Direction::Falling => drive::Direction::Falling,
                    Direction::Either => drive::Direction::Either,
                },
            })
            .collect()
    }
}

/// The times at which the integrator is to stop: corners, the end, and those to report where dense output is of lower order than the method.
fn stops<S: Scalar>(run: &Run, corners: &[(f64, f64)]) -> Vec<S> {
    let mut stops: Vec<S> = corners.iter().map(|(before, _)| S::from_f64(*before)).collect();
    if run.chosen_method() == Method::Dop853 {
        stops.extend(run.at.iter().filter(|t| **t != Dd::ZERO).map(|t| S::constant(*t)));
    }
    stops.push(S::constant(run.until));
    stops.sort_by(|a, b| a.abs().partial_cmp(&b.abs()).expect("times are numbers"));
    stops
}

/// Goes on after a transition; the reason to stop if there is no way to.
fn apply<S: Scalar>(
    transition: Option<Transition<S>>,
    stepper: &mut Atlas<'_, S>,
    recorder: &mut Recorder<'_, S>,
    driver: &mut Driver<S, Events<'_, S>>,
) -> Result<(), drive::StopReason> {
    let Some(Transition { event, rewound, outcome, onset, departures }) = transition else { return Ok(()) };
    if let Some((earlier, state)) = rewound {
        recorder.rewind(event, earlier, &state);
        stepper.go_to(earlier, &state);
    }
    let t = stepper.time();
    match outcome {
        Outcome::Go(state, record) => {
            recorder.jump(t, &state, event, record);
            stepper.go_to(t, &state);
        }
        Outcome::Refused(refusal) => {
            recorder.refuse(refusal);
            return Err(drive::StopReason::Interrupted { t: t.to_f64() });
        }
    }
    if let Some((t, state)) = onset {
        recorder.began(t, &state);
    }
    departures.into_iter().for_each(|d| driver.departs(d.event.index(), d.rises, d.after));
    Ok(())
}

/// The event functions, in the numbers of the motion: near its zeros a function has no digits to lose.
struct Events<'a, S> {
    compiled: Arc<Compiled>,
    /// Where the motion is.
    place: &'a Cell<Place>,
    reveal: Option<Box<dyn Function<S>>>,
    /// One for each chart that was seen.
    functions: IdVec<ChartId, Option<Box<dyn Function<S>>>>,
    /// For each of them, the components of the state that they depend on.
    needed: IdVec<ChartId, Option<Vec<usize>>>,
    inputs: Vec<S>,
    revealed: Vec<S>,
    values: Vec<S>,
    /// The same for several points side by side.
    many_inputs: Vec<S>,
    many_values: Vec<S>,
}

impl<'a, S: Scalar> Events<'a, S> {
    fn new(compiled: &Arc<Compiled>, discrete: bool, place: &'a Cell<Place>) -> Events<'a, S> {
        let reveal =
            compiled.discrete.as_ref().filter(|_| discrete).map(|d| MachineCode::default().function(&d.reveal));
        let events = &compiled.charts[place.get().chart].events;
        let (n, m) = (events.inputs.len(), events.outputs.len());
        let zero = S::default();
        Events {
            compiled: compiled.clone(),
            place,
            reveal,
            functions: compiled.charts.ids().map(|_| None).collect(),
            needed: compiled.charts.ids().map(|_| None).collect(),
            inputs: Vec::with_capacity(n),
            revealed: vec![zero; n - 1],
            values: vec![zero; m],
            many_inputs: vec![zero; n * LANES],
            many_values: vec![zero; m * LANES],
        }
    }
}

/// The event functions of a chart, made when they are first asked for.
fn of_chart<'a, S: Scalar>(
    functions: &'a mut IdVec<ChartId, Option<Box<dyn Function<S>>>>,
    compiled: &Compiled,
    chart: ChartId,
) -> &'a mut dyn Function<S> {
    let Chart { events, events_code, .. } = &compiled.charts[chart];
    &mut **functions[chart].get_or_insert_with(|| events_code.function(events))
}

impl<S: Scalar> EventFunctions<S> for Events<'_, S> {
    fn count(&self) -> usize {
        self.values.len()
    }

    fn values(&mut self, t: S, y: &[S], values: &mut [f64]) {
        self.inputs.clear();
        self.inputs.push(t);
        self.inputs.extend_from_slice(y);
        if let Some(reveal) = &mut self.reveal {
            let n = reveal.outputs();
            reveal.call(&self.inputs, &mut self.revealed[..n]);
            self.inputs.truncate(1);
            self.inputs.extend_from_slice(&self.revealed);
        }
        of_chart(&mut self.functions, &self.compiled, self.place.get().chart).call(&self.inputs, &mut self.values);
        values.iter_mut().zip(&self.values).for_each(|(v, x)| *v = x.to_f64());
    }

    fn needed(&mut self, y: &[S], components: &mut Vec<usize>) {
        components.clear();
        if self.reveal.is_some() {
            components.extend(0..y.len());
            return;
        }
        let (compiled, chart) = (&self.compiled, self.place.get().chart);
        let needed = self.needed[chart].get_or_insert_with(|| {
            let mut inputs: Vec<usize> = passes::dependencies(&compiled.charts[chart].events).concat();
            inputs.sort_unstable();
            inputs.dedup();
            // the first input is the time
            inputs.into_iter().filter_map(|i| i.checked_sub(1)).collect()
        });
        components.extend_from_slice(needed);
    }

    fn sketch(&mut self, times: &[S; LANES], states: &[S], values: &mut [f64]) {
        self.many_inputs[..LANES].copy_from_slice(times);
        if let Some(reveal) = &mut self.reveal {
            for l in 0..LANES {
                self.inputs.clear();
                self.inputs.push(times[l]);
                self.inputs.extend(states.iter().skip(l).step_by(LANES));
                let n = reveal.outputs();
                reveal.call(&self.inputs, &mut self.revealed[..n]);
                self.revealed.iter().enumerate().for_each(|(i, x)| self.many_inputs[(i + 1) * LANES + l] = *x);
            }
        } else {
            self.many_inputs[LANES..].copy_from_slice(states);
        }
        let chart = self.place.get().chart;
        of_chart(&mut self.functions, &self.compiled, chart).call_many(&self.many_inputs, &mut self.many_values);
        values.iter_mut().zip(&self.many_values).for_each(|(v, x)| *v = x.to_f64());
    }
}
