//! The integrators of a motion, one for each chart it has been in.
//!
//! An integrator sees the components of states; the atlas knows their place. Before a step it looks at the growth of the present frame; where that is large
//! and another chart's is much smaller, the motion goes on there: positions and works are the same, the unknowns follow from the velocities. A motion whose
//! constraints come and go changes its place in jumps ([`Atlas::go_to`]).

use crate::chart::{Chart, Guards};
use crate::compile::Compiled;
use crate::state::{Place, State};
use polhode_base::ids::{ChartId, IdVec};
use polhode_integrate::{SKETCHED, Segment, Statistics, StepError, Stepper};
use polhode_tape::{Interpreter, Scalar};
use std::cell::Cell;

/// Begins an integrator in a chart.
pub(crate) type Begin<'a, S> = &'a dyn Fn(&Chart, S, &[S]) -> Box<dyn Stepper<S>>;

/// The integrators of all charts.
pub(crate) struct Atlas<'a, S> {
    compiled: &'a Compiled,
    begin: Begin<'a, S>,
    steppers: IdVec<ChartId, Option<Box<dyn Stepper<S>>>>,
    /// Where a motion may choose between charts.
    guards: Option<Guards>,
    /// The place of the motion, which those who look on share.
    place: &'a Cell<Place>,
    changes: u64,
}

impl<'a, S: Scalar> Atlas<'a, S> {
    /// Begins at time 0 in the initial state, at its place.
    pub(crate) fn new(compiled: &'a Compiled, begin: Begin<'a, S>, place: &'a Cell<Place>) -> Atlas<'a, S> {
        let start: Vec<S> = compiled.start.iter().map(|x| S::constant(*x)).collect();
        let mut steppers: IdVec<ChartId, _> = compiled.charts.ids().map(|_| None).collect();
        let chart = place.get().chart;
        steppers[chart] = Some(begin(&compiled.charts[chart], S::default(), &start));
        let choice = compiled.charts.len() > 1 && compiled.switching.is_none();
        let guards = choice.then(|| Guards::new(compiled));
        Atlas { compiled, begin, steppers, guards, place, changes: 0 }
    }

    /// How often the chart was changed.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The state reached, with its place.
    pub(crate) fn here(&self) -> State<S> {
        State::new(self.state().to_vec(), self.place.get())
    }

    /// Goes on from a state, wherever that belongs.
    pub(crate) fn go_to(&mut self, t: S, state: &State<S>) {
        self.place.set(state.place);
        match &mut self.steppers[state.place.chart] {
            Some(stepper) => stepper.restart(t, &state.components, false),
            none => *none = Some((self.begin)(&self.compiled.charts[state.place.chart], t, &state.components)),
        }
    }

    fn present(&self) -> &dyn Stepper<S> {
        self.steppers[self.place.get().chart].as_deref().expect("the present chart has an integrator")
    }

    fn present_mut(&mut self) -> &mut dyn Stepper<S> {
        self.steppers[self.place.get().chart].as_deref_mut().expect("the present chart has an integrator")
    }

    /// Goes on in another chart.
    fn change(&mut self, chart: ChartId) {
        let (t, mut state) = (self.time(), self.here());
        let (left, entered) = (&self.compiled.charts[state.place.chart], &self.compiled.charts[chart]);
        let mut inputs = vec![t];
        inputs.extend_from_slice(&state.components);
        let mut symbols = vec![t; 1 + left.leave.outputs.len()];
        Interpreter::new(&left.leave).call(&inputs, &mut symbols[1..]);
        Interpreter::new(&entered.entry).call(&symbols, &mut state.components[self.compiled.program.unknowns.clone()]);
        state.place = Place::in_chart(chart);
        self.go_to(t, &state);
        self.changes += 1;
    }
}

impl<S: Scalar> Stepper<S> for Atlas<'_, S> {
    fn time(&self) -> S {
        self.present().time()
    }

    fn state(&self) -> &[S] {
        self.present().state()
    }

    fn step(&mut self, end: S) -> Result<(), StepError> {
        if let Some(guards) = &mut self.guards {
            let chart = self.place.get().chart;
            let present = self.steppers[chart].as_deref().expect("the present chart has an integrator");
            if let Some(better) = guards.at(present.time(), present.state()).better_than(chart) {
                self.change(better);
            }
        }
        self.present_mut().step(end)
    }

    fn interpolate(&mut self, t: S, y: &mut [S]) {
        self.present_mut().interpolate(t, y);
    }

    fn interpolate_part(&mut self, t: S, needed: &[usize], y: &mut [S]) {
        self.present_mut().interpolate_part(t, needed, y);
    }

    fn sketch(&mut self, times: &[S; SKETCHED], states: &mut [S]) {
        self.present_mut().sketch(times, states);
    }

    fn segment(&mut self) -> Segment<S> {
        self.present_mut().segment()
    }

    fn restart(&mut self, t: S, y: &[S], near: bool) {
        self.present_mut().restart(t, y, near);
    }

    fn statistics(&self) -> Statistics {
        let mut sum = Statistics::default();
        for s in self.steppers.iter().flatten().map(|s| s.statistics()) {
            sum.steps += s.steps;
            sum.rejected += s.rejected;
            sum.evaluations += s.evaluations;
        }
        sum
    }
}
