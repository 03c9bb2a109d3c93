//! What is reported of a state.

use crate::chart::Chart;
use crate::compile::Compiled;
use crate::compile::machine_code::{Function, MachineCode};
use crate::state::State;
use polhode_base::ids::{ChartId, IdVec};
use polhode_integrate::Unit;
use polhode_tape::Scalar;
use std::sync::Arc;

/// Evaluates the report of a run at states of its integrator.
pub(crate) struct Evaluator<S> {
    units: Vec<Unit>,
    /// From the state of the discrete method to that of the multiplier form.
    reveal: Option<Box<dyn Function<S>>>,
    /// One for each chart that was seen.
    reports: IdVec<ChartId, Option<Box<dyn Function<S>>>>,
    compiled: Arc<Compiled>,
    inputs: Vec<S>,
    revealed: Vec<S>,
    numbers: Vec<S>,
}

impl<S: Scalar> Evaluator<S> {
    pub(crate) fn new(compiled: &Arc<Compiled>, discrete: bool) -> Evaluator<S> {
        let reveal =
            compiled.discrete.as_ref().filter(|_| discrete).map(|d| MachineCode::default().function(&d.reveal));
        let report = &compiled.charts[compiled.place.chart].report;
        Evaluator {
            units: compiled.program.positions.units(),
            reveal,
            inputs: Vec::with_capacity(report.inputs.len()),
            revealed: vec![S::default(); compiled.program.state.len()],
            numbers: vec![S::default(); report.outputs.len()],
            reports: compiled.charts.ids().map(|_| None).collect(),
            compiled: compiled.clone(),
        }
    }

    /// Makes directions and quaternions unit.
    pub(crate) fn make_unit(&self, state: &mut [S]) {
        for unit in &self.units {
            let part = &mut state[unit.clone()];
            let length = part.iter().fold(S::default(), |sum, x| sum + *x * *x).sqrt();
            part.iter_mut().for_each(|x| *x = *x / length);
        }
    }

    /// Takes over a time and a state, which is made unit where it must be.
    pub(crate) fn take(&mut self, t: S, state: &mut State<S>) {
        self.make_unit(&mut state.components);
        self.inputs.clear();
        self.inputs.push(t);
        if let Some(reveal) = &mut self.reveal {
            self.inputs.extend_from_slice(&state.components);
            // nothing that is reported depends on works, which the discrete method does not know
            let n = reveal.outputs();
            reveal.call(&self.inputs, &mut self.revealed[..n]);
            self.inputs.truncate(1);
            self.inputs.extend_from_slice(&self.revealed);
        } else {
            self.inputs.extend_from_slice(&state.components);
        }
    }

    /// The numbers of all variables; `state` is made unit where it must be.
    pub(crate) fn numbers(&mut self, t: S, state: &mut State<S>) -> &[S] {
        self.take(t, state);
        of_chart(&mut self.reports, &self.compiled, state.place.chart).call(&self.inputs, &mut self.numbers);
        &self.numbers
    }

    /// The numbers of all variables at several states of one chart, side by side.
    pub(crate) fn many(&mut self, chart: ChartId, inputs: &[S], numbers: &mut [S]) {
        of_chart(&mut self.reports, &self.compiled, chart).call_many(inputs, numbers);
    }

    /// The time and state that were last taken over, as the tapes of the form have them.
    pub(crate) fn inputs(&self) -> &[S] {
        &self.inputs
    }
}

/// The report of a chart, made when it is first asked for.
fn of_chart<'a, S: Scalar>(
    reports: &'a mut IdVec<ChartId, Option<Box<dyn Function<S>>>>,
    compiled: &Compiled,
    chart: ChartId,
) -> &'a mut dyn Function<S> {
    let Chart { report, report_code, .. } = &compiled.charts[chart];
    &mut **reports[chart].get_or_insert_with(|| report_code.function(report))
}
