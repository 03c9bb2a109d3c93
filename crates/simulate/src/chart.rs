//! Charts: one choice of independent velocities each, with its tapes.
//!
//! A run in Voronets' or Chaplygin's form may need several, see [`polhode_mechanics::charts`]; each mode of a model whose constraints come and go
//! has one. A state says in which it is (`state`).

use crate::compile::Compiled;
use crate::compile::machine_code::MachineCode;
use crate::compile::series::SeriesCode;
use polhode_base::ids::{ChartId, Id, IdRange, IdVec};
use polhode_lower::Program;
use polhode_mechanics::Growth;
use polhode_mechanics::charts::{LARGE, MUCH};
use polhode_tape::{Dd, Kernel, Scalar, Tape, passes};
use std::ops::Index;
use std::sync::OnceLock;

/// The tapes of a run in one chart: inputs t and the state, unless said otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) field: Tape,
    pub(crate) report: Tape,
    pub(crate) events: Tape,
    /// Machine code is kept, since a system is run, and a motion asked, again and again.
    pub(crate) field_code: MachineCode,
    pub(crate) series_code: SeriesCode,
    pub(crate) report_code: MachineCode,
    pub(crate) events_code: MachineCode,
    pub(crate) restore: Tape,
    /// Values of position and velocity symbols.
    pub(crate) leave: Tape,
    /// (t, position symbols, velocity symbols) → unknowns.
    pub(crate) entry: Tape,
    /// Entries of the frame.
    frame: Tape,
    frame_code: MachineCode,
    /// Growth = constant + Σ weight·entry².
    pub(crate) weights: Vec<f64>,
    pub(crate) constant: f64,
    /// The numbers that an observer looks at, among those of the report.
    watched: OnceLock<(Tape, MachineCode)>,
}

impl Chart {
    /// The same chart with other parameters; `program` is the one it was made from.
    pub(crate) fn refixed(&self, program: &Program, parameters: &[Dd]) -> Chart {
        let growth = Growth { entries: Vec::new(), weights: self.weights.clone(), constant: self.constant };
        Chart::new(program, &growth, parameters)
    }

    /// The numbers of the report at these places. It is always asked for the same ones.
    pub(crate) fn watched(&self, places: &[usize]) -> &(Tape, MachineCode) {
        self.watched.get_or_init(|| (passes::optimise(&passes::select(&self.report, places)), MachineCode::default()))
    }

    pub(crate) fn new(program: &Program, growth: &Growth, parameters: &[Dd]) -> Chart {
        let fixed = |tape: &Tape| program.fixed(tape, parameters);
        let report = fixed(&program.report);
        let symbols: Vec<usize> = program.layout.positions.clone().chain(program.layout.velocities.clone()).collect();
        Chart {
            field: fixed(&program.field),
            events: fixed(&program.events),
            restore: fixed(&program.restore),
            leave: passes::select(&report, &symbols),
            entry: fixed(&program.entry),
            frame: fixed(&program.frame),
            field_code: MachineCode::default(),
            series_code: SeriesCode::default(),
            report_code: MachineCode::default(),
            events_code: MachineCode::default(),
            frame_code: MachineCode::default(),
            weights: growth.weights.clone(),
            constant: growth.constant,
            watched: OnceLock::new(),
            report,
        }
    }
}

/// The charts of a run. Those of other constraints are made when a motion first needs them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Charts(IdVec<ChartId, OnceLock<Chart>>);

impl Charts {
    /// Room for so many.
    pub(crate) fn with_room(count: usize) -> Charts {
        Charts((0..count).map(|_| OnceLock::new()).collect())
    }

    pub(crate) fn push(&mut self, chart: Chart) {
        self.0.push(OnceLock::from(chart));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The chart, if it is made.
    pub(crate) fn get(&self, k: ChartId) -> Option<&Chart> {
        self.0[k].get()
    }

    /// The numbers of all of them.
    pub(crate) fn ids(&self) -> IdRange<ChartId> {
        self.0.ids()
    }

    /// Puts a chart into its place, unless it is there already.
    pub(crate) fn fill(&self, k: ChartId, chart: Chart) {
        let _ = self.0[k].set(chart);
    }
}

impl Index<ChartId> for Charts {
    type Output = Chart;

    /// Panics unless the chart is made.
    fn index(&self, k: ChartId) -> &Chart {
        self.0[k].get().expect("a motion is in charts that are made")
    }
}

impl Compiled {
    /// The number of charts: choices of independent velocities that a motion may change between.
    pub fn charts(&self) -> usize {
        self.charts.len()
    }

    /// Whether all states of all motions are in one chart.
    pub(crate) fn has_one_chart(&self) -> bool {
        self.charts.len() == 1 && self.switching.is_none()
    }
}

/// The growth of one frame, in doubles.
struct Guard {
    kernel: Box<dyn Kernel>,
    weights: Vec<f64>,
    constant: f64,
    entries: Vec<f64>,
}

/// The growths of the frames of all charts. They depend on time and positions, which all charts
/// have in common.
pub(crate) struct Guards {
    guards: IdVec<ChartId, Option<Guard>>,
    inputs: Vec<f64>,
}

impl Guards {
    pub(crate) fn new(compiled: &Compiled) -> Guards {
        let guard = |k: ChartId| {
            // those made on the way have no weights
            let c = compiled.charts.get(k)?;
            (!c.weights.is_empty()).then(|| Guard {
                kernel: c.frame_code.kernel(&c.frame),
                weights: c.weights.clone(),
                constant: c.constant,
                entries: vec![0.0; c.weights.len()],
            })
        };
        let inputs = vec![0.0; compiled.program.state.len() + 1];
        Guards { guards: compiled.charts.ids().map(guard).collect(), inputs }
    }

    /// Sets the state that is asked about.
    pub(crate) fn at<S: Scalar>(&mut self, t: S, state: &[S]) -> &mut Guards {
        self.inputs[0] = t.to_f64();
        self.inputs[1..].iter_mut().zip(state).for_each(|(x, y)| *x = y.to_f64());
        self
    }

    /// The growth of the frame of a chart; infinite where it has no value.
    pub(crate) fn growth(&mut self, chart: ChartId) -> f64 {
        let Some(g) = &mut self.guards[chart] else { return 1.0 };
        g.kernel.evaluate(1, &self.inputs, &mut g.entries);
        let sum = g.entries.iter().zip(&g.weights).fold(g.constant, |sum, (x, w)| sum + w * x * x);
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    /// The chart of the smallest growth, and that.
    pub(crate) fn best(&mut self) -> (ChartId, f64) {
        let mut best = (ChartId::new(0), f64::INFINITY);
        for chart in self.guards.ids() {
            let growth = self.growth(chart);
            if growth < best.1 {
                best = (chart, growth);
            }
        }
        best
    }

    /// The chart to change to, if the present one is not good enough.
    pub(crate) fn better_than(&mut self, present: ChartId) -> Option<ChartId> {
        let growth = self.growth(present);
        if growth <= LARGE {
            return None;
        }
        let (chart, smallest) = self.best();
        (smallest * MUCH < growth).then_some(chart)
    }
}
