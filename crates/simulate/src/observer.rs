//! Who is shown every step of a run: reductions of a motion are computed while it goes on, and nothing of it is kept.
//!
//! An observer looks at a few of the numbers of a [`Sample`](crate::Sample), chosen by [`Compiled::watch`], at any times within the step.
//! They have a tape of their own, so that it costs no more than what is looked at.

use crate::compile::Compiled;
use crate::compile::machine_code::{Function, LANES};
use crate::evaluator::Evaluator;
use crate::state::State;
use polhode_base::ids::{ChartId, IdVec};
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
    functions: IdVec<ChartId, Option<Box<dyn Function<S>>>>,
    inputs: Vec<S>,
    numbers: Vec<S>,
}

impl<'a, S: Scalar> Watching<'a, S> {
    pub(crate) fn new(compiled: &'a Arc<Compiled>, observer: &'a mut dyn Observer) -> Watching<'a, S> {
        let (n, m) = (compiled.program.state.len() + 1, compiled.watched.len());
        Watching {
            compiled,
            observer,
            functions: compiled.charts.ids().map(|_| None).collect(),
            inputs: vec![S::default(); n * LANES],
            numbers: vec![S::default(); m * LANES],
        }
    }

    /// Shows a step; `state` is scratch at its place.
    pub(crate) fn show(&mut self, step: &mut Step<'_, S>, evaluator: &mut Evaluator<S>, state: &mut State<S>) {
        let Watching { compiled, observer, functions, inputs, numbers } = self;
        observer.step(&mut View { compiled, functions, inputs, numbers, step, evaluator, state });
    }
}

struct View<'a, 'b, S> {
    compiled: &'a Compiled,
    functions: &'a mut IdVec<ChartId, Option<Box<dyn Function<S>>>>,
    inputs: &'a mut Vec<S>,
    numbers: &'a mut Vec<S>,
    step: &'a mut Step<'b, S>,
    evaluator: &'a mut Evaluator<S>,
    state: &'a mut State<S>,
}

impl<S: Scalar> View<'_, '_, S> {
    /// Takes over the state at a time.
    fn take(&mut self, t: f64) {
        let end = self.step.end;
        if t == end.to_f64() {
            self.state.components.copy_from_slice(self.step.state);
            return self.evaluator.take(end, self.state);
        }
        let t = S::from_f64(t);
        self.step.interpolate(t, &mut self.state.components);
        self.evaluator.take(t, self.state);
    }

    fn function(&mut self) -> &mut dyn Function<S> {
        let (compiled, chart) = (self.compiled, self.state.place.chart);
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
        for (l, t) in times.iter().enumerate() {
            self.take(*t);
            for (column, x) in self.inputs.chunks_exact_mut(LANES).zip(self.evaluator.inputs()) {
                column[l] = *x;
            }
        }
        let (inputs, mut out) = (std::mem::take(self.inputs), std::mem::take(self.numbers));
        self.function().call_many(&inputs, &mut out);
        numbers.iter_mut().zip(&out).for_each(|(x, y)| *x = y.to_f64());
        (*self.inputs, *self.numbers) = (inputs, out);
    }

    fn at(&mut self, t: f64, numbers: &mut [f64]) {
        self.take(t);
        let mut out = std::mem::take(self.numbers);
        let inputs = self.evaluator.inputs().to_vec();
        self.function().call(&inputs, &mut out[..numbers.len()]);
        numbers.iter_mut().zip(&out).for_each(|(x, y)| *x = y.to_f64());
        *self.numbers = out;
    }
}
