//! An integrator that changes charts on the way.
//!
//! It has one integrator for each chart the motion has been in. Before a step it looks at the growth
//! of the present frame; where that is large and another chart's is much smaller, the motion goes
//! on there: positions and works are the same, the unknowns follow from the velocities.

use crate::chart::{Chart, Guards};
use crate::compile::Compiled;
use polhode_integrate::{SKETCHED, Segment, Statistics, StepError, Stepper};
use polhode_tape::{Interpreter, Scalar};

/// Begins an integrator in a chart.
pub(crate) type Begin<'a, S> = &'a dyn Fn(&Chart, S, &[S]) -> Box<dyn Stepper<S>>;

/// The integrators of all charts.
pub(crate) struct AtlasStepper<'a, S> {
    compiled: &'a Compiled,
    begin: Begin<'a, S>,
    steppers: Vec<Option<Box<dyn Stepper<S>>>>,
    leave: Vec<Option<Interpreter<S>>>,
    entry: Vec<Option<Interpreter<S>>>,
    guards: Guards,
    chart: usize,
    /// With the chart as last component.
    state: Vec<S>,
    inputs: Vec<S>,
    symbols: Vec<S>,
    changes: u64,
}

impl<'a, S: Scalar> AtlasStepper<'a, S> {
    /// Begins at time 0 in the chart of the initial state.
    pub(crate) fn new(compiled: &'a Compiled, begin: Begin<'a, S>) -> AtlasStepper<'a, S> {
        let start: Vec<S> = compiled.start.iter().map(|x| S::constant(*x)).collect();
        let charts = compiled.charts.len();
        let interpreters = |tape: fn(&Chart) -> &polhode_tape::Tape| {
            (0..charts).map(|k| compiled.charts.get(k).map(|c| Interpreter::new(tape(c)))).collect::<Vec<_>>()
        };
        let chart = compiled.start_chart;
        let symbols = vec![S::default(); 1 + compiled.charts[chart].leave.outputs.len()];
        let mut steppers: Vec<_> = (0..charts).map(|_| None).collect();
        steppers[chart] = Some(begin(&compiled.charts[chart], S::default(), &start));
        let mut state = start;
        state.push(S::from_f64(chart as f64));
        AtlasStepper {
            compiled,
            begin,
            steppers,
            leave: interpreters(|c| &c.leave),
            entry: interpreters(|c| &c.entry),
            guards: Guards::new(compiled),
            chart,
            inputs: Vec::with_capacity(state.len()),
            state,
            symbols,
            changes: 0,
        }
    }

    /// How often the chart was changed.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    fn present(&self) -> &dyn Stepper<S> {
        self.steppers[self.chart].as_deref().expect("the present chart has an integrator")
    }

    fn present_mut(&mut self) -> &mut dyn Stepper<S> {
        self.steppers[self.chart].as_deref_mut().expect("the present chart has an integrator")
    }

    /// Goes on in another chart.
    fn change(&mut self, chart: usize) {
        let t = self.time();
        let n = self.state.len() - 1;
        self.inputs.clear();
        self.inputs.push(t);
        self.inputs.extend_from_slice(&self.state[..n]);
        self.symbols[0] = t;
        let made = "charts that motions choose are made before";
        self.leave[self.chart].as_mut().expect(made).call(&self.inputs, &mut self.symbols[1..]);
        let unknowns = self.compiled.program.unknowns.clone();
        self.entry[chart].as_mut().expect(made).call(&self.symbols, &mut self.state[unknowns]);
        self.enter(chart, t);
        self.changes += 1;
    }

    /// Goes on in a chart from the present state, which is in its unknowns already.
    fn enter(&mut self, chart: usize, t: S) {
        let n = self.state.len() - 1;
        self.state[n] = S::from_f64(chart as f64);
        match &mut self.steppers[chart] {
            Some(stepper) => stepper.restart(t, &self.state[..n], false),
            none => *none = Some((self.begin)(&self.compiled.charts[chart], t, &self.state[..n])),
        }
        self.chart = chart;
    }
}

impl<S: Scalar> Stepper<S> for AtlasStepper<'_, S> {
    fn time(&self) -> S {
        self.present().time()
    }

    fn state(&self) -> &[S] {
        &self.state
    }

    fn step(&mut self, end: S) -> Result<(), StepError> {
        let t = self.time();
        if let Some(better) = self.guards.at(t, &self.state).better_than(self.chart) {
            self.change(better);
        }
        let result = self.present_mut().step(end);
        let n = self.state.len() - 1;
        let stepper = self.steppers[self.chart].as_deref().expect("it made the step");
        self.state[..n].copy_from_slice(stepper.state());
        result
    }

    fn interpolate(&mut self, t: S, y: &mut [S]) {
        let n = self.state.len() - 1;
        self.present_mut().interpolate(t, &mut y[..n]);
        y[n] = self.state[n];
    }

    fn interpolate_part(&mut self, t: S, needed: &[usize], y: &mut [S]) {
        let n = self.state.len() - 1;
        self.present_mut().interpolate_part(t, needed, &mut y[..n]);
        y[n] = self.state[n];
    }

    fn sketch(&mut self, times: &[S; SKETCHED], states: &mut [S]) {
        let (states, chart) = states.split_at_mut((self.state.len() - 1) * SKETCHED);
        self.present_mut().sketch(times, states);
        chart.fill(S::from_f64(self.chart as f64));
    }

    fn segment(&mut self) -> Segment<S> {
        let mut segment = self.present_mut().segment();
        let first = segment.coefficients.len();
        segment.coefficients.resize(first + segment.terms, S::default());
        segment.coefficients[first] = S::from_f64(self.chart as f64);
        segment
    }

    fn restart(&mut self, t: S, y: &[S], near: bool) {
        let n = self.state.len() - 1;
        self.state.copy_from_slice(y);
        let chart = y[n].to_f64() as usize;
        if chart == self.chart {
            self.present_mut().restart(t, &y[..n], near);
        } else {
            self.enter(chart, t);
        }
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
