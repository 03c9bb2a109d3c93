//! Who is shown every step of a run: reductions of a motion are computed while it goes on, and nothing of it is kept.
//!
//! An observer looks at a few of the numbers of a [`Sample`](crate::Sample), chosen by [`Compiled::watch`], at any times within the step.
//! They have a tape of their own, so that it costs no more than what is looked at.

use crate::compile::Compiled;
use crate::compile::machine_code::{Function, LANES};
use crate::evaluator::Evaluator;
use polhode_integrate::drive::Step;
use polhode_tape::Scalar;
use std::sync::Arc;

/// Is shown every step, in order. Between two steps the motion may jump: the second one then begins where it has jumped to.
pub trait Observer {
    /// A step was made.
    fn step(&mut self, step: &mut dyn ObservedStep);
}

/// A step as an [`Observer`] sees it.
pub trait ObservedStep {
    /// When it began.
    fn start(&self) -> f64;
    /// When it ended.
    fn end(&self) -> f64;
    /// The numbers that are watched, at eight times within the step side by side: the first one at all times, then the second one, …
    fn at_eight(&mut self, times: &[f64; LANES], numbers: &mut [f64]);
    /// The same at one time.
    fn at(&mut self, t: f64, numbers: &mut [f64]);
}

impl Compiled {
    /// Chooses the numbers that observers look at: places as in [`Variable::numbers`](crate::Variable::numbers).
    pub fn watch(&mut self, places: Vec<usize>) {
        self.watched = places;
    }
}

/// An observer with what it needs to look.
pub(crate) struct Watching<'a, S> {
    compiled: &'a Arc<Compiled>,
    observer: &'a mut dyn Observer,
    /// One for each chart that was seen.
    functions: Vec<Option<Box<dyn Function<S>>>>,
    inputs: Vec<S>,
    numbers: Vec<S>,
}

impl<'a, S: Scalar> Watching<'a, S> {
    pub(crate) fn new(compiled: &'a Arc<Compiled>, observer: &'a mut dyn Observer) -> Watching<'a, S> {
        let (n, m) = (compiled.program.state.len() + 1, compiled.watched.len());
        Watching {
            compiled,
            observer,
            functions: (0..compiled.charts.len()).map(|_| None).collect(),
            inputs: vec![S::default(); n * LANES],
            numbers: vec![S::default(); m * LANES],
        }
    }

    /// Shows a step; `state` is scratch.
    pub(crate) fn show(&mut self, step: &mut Step<'_, S>, evaluator: &mut Evaluator<S>, state: &mut [S]) {
        let Watching { compiled, observer, functions, inputs, numbers } = self;
        observer.step(&mut View { compiled, functions, inputs, numbers, step, evaluator, state });
    }
}

struct View<'a, 'b, S> {
    compiled: &'a Compiled,
    functions: &'a mut Vec<Option<Box<dyn Function<S>>>>,
    inputs: &'a mut Vec<S>,
    numbers: &'a mut Vec<S>,
    step: &'a mut Step<'b, S>,
    evaluator: &'a mut Evaluator<S>,
    state: &'a mut [S],
}

impl<S: Scalar> View<'_, '_, S> {
    /// Takes over the state at a time: its chart.
    fn take(&mut self, t: f64) -> usize {
        let end = self.step.end;
        if t == end.to_f64() {
            self.state.copy_from_slice(self.step.state);
            return self.evaluator.take(end, self.state);
        }
        let t = S::from_f64(t);
        self.step.interpolate(t, self.state);
        self.evaluator.take(t, self.state)
    }

    fn function(&mut self, chart: usize) -> &mut dyn Function<S> {
        let compiled = self.compiled;
        &mut **self.functions[chart].get_or_insert_with(|| {
            let (tape, code) = compiled.charts[chart].watched(&compiled.watched);
            code.function(tape)
        })
    }
}

impl<S: Scalar> ObservedStep for View<'_, '_, S> {
    fn start(&self) -> f64 {
        self.step.start.to_f64()
    }

    fn end(&self) -> f64 {
        self.step.end.to_f64()
    }

    fn at_eight(&mut self, times: &[f64; LANES], numbers: &mut [f64]) {
        let mut chart = 0;
        for (l, t) in times.iter().enumerate() {
            chart = self.take(*t);
            for (column, x) in self.inputs.chunks_exact_mut(LANES).zip(self.evaluator.inputs()) {
                column[l] = *x;
            }
        }
        let (inputs, mut out) = (std::mem::take(self.inputs), std::mem::take(self.numbers));
        self.function(chart).call_many(&inputs, &mut out);
        numbers.iter_mut().zip(&out).for_each(|(x, y)| *x = y.to_f64());
        (*self.inputs, *self.numbers) = (inputs, out);
    }

    fn at(&mut self, t: f64, numbers: &mut [f64]) {
        let chart = self.take(t);
        let mut out = std::mem::take(self.numbers);
        let inputs = self.evaluator.inputs().to_vec();
        self.function(chart).call(&inputs, &mut out[..numbers.len()]);
        numbers.iter_mut().zip(&out).for_each(|(x, y)| *x = y.to_f64());
        *self.numbers = out;
    }
}
