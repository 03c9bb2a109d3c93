//! What other solvers need of a compiled system: its tapes, its first state, and a motion put together from samples.
//!
//! Motions that are solved and not integrated (`polhode-exact`) have the same variables, samples and reports as those of a run.

use crate::compile::Compiled;
use crate::run::{Method, Precision, Run};
use crate::sample::Sample;
use crate::trajectory::{Kept, Pieces, Report, Span, StopReason, Trajectory};
use polhode_integrate::Statistics;
use polhode_tape::{Dd, Scalar, Tape};
use std::sync::Arc;

/// The tapes of a system with one chart, its parameters put in: inputs t and the state, unless said otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Tapes<'a> {
    /// ẏ.
    pub field: &'a Tape,
    /// The numbers of a [`Sample`].
    pub report: &'a Tape,
    /// The event functions, in the order of [`Compiled::events`].
    pub events: &'a Tape,
    /// Position symbols and velocity symbols.
    pub leave: &'a Tape,
    /// (t, position symbols, velocity symbols) → unknowns.
    pub entry: &'a Tape,
    /// (t, y) → y nearer to the constraints, by a step of Newton's method: where they hold it stays.
    pub restore: &'a Tape,
}

impl Compiled {
    /// The tapes, if all states are in one chart.
    pub fn tapes(&self) -> Option<Tapes<'_>> {
        self.has_one_chart().then(|| {
            let chart = &self.charts[self.place.chart];
            let (field, report, events) = (&chart.field, &chart.report, &chart.events);
            Tapes { field, report, events, leave: &chart.leave, entry: &chart.entry, restore: &chart.restore }
        })
    }

    /// The initial state in the unknowns of the form.
    pub fn initial_state(&self) -> &[Dd] {
        &self.start
    }
}

impl Sample {
    /// A sample from the numbers that the report tape gives.
    ///
    /// Panics if these are not as many as the tape has outputs.
    pub fn from_numbers(compiled: &Arc<Compiled>, t: Dd, numbers: Vec<Dd>) -> Sample {
        assert_eq!(numbers.len(), compiled.program.report.outputs.len(), "one number for each output of the report");
        Sample::new(compiled, t, numbers)
    }
}

/// Samples that become a motion.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The motion at the start.
    pub first: Sample,
    /// At the times that were asked for.
    pub samples: Vec<Sample>,
    /// At the end.
    pub last: Sample,
    /// Works at the end, in the order of the program.
    pub works: Vec<Dd>,
    /// What they have cost.
    pub statistics: Statistics,
}

impl Trajectory {
    /// A motion that was solved: its ranges, energies and residuals are those of the samples.
    pub fn assembled(compiled: &Arc<Compiled>, run: &Run, parts: Assembled) -> Trajectory {
        let Assembled { first, samples, last, works, statistics } = parts;
        let layout = &compiled.program.layout;
        let start = first.digits[layout.energy];
        let mut ranges: Vec<Span> =
            first.doubles.iter().map(|x| Span { low: *x, low_at: 0.0, high: *x, high_at: 0.0 }).collect();
        let mut residual = (0.0, 0);
        let mut energy_error: f64 = 0.0;
        for sample in samples.iter().chain([&first, &last]) {
            for (span, x) in ranges.iter_mut().zip(&sample.doubles) {
                if *x < span.low {
                    (span.low, span.low_at) = (*x, sample.t());
                }
                if *x > span.high {
                    (span.high, span.high_at) = (*x, sample.t());
                }
            }
            for (k, i) in layout.residuals.clone().enumerate() {
                if sample.doubles[i].abs() > residual.0 {
                    residual = (sample.doubles[i].abs(), k);
                }
            }
            // the works are known at the end alone
            if works.is_empty() {
                energy_error = energy_error.max((sample.digits[layout.energy] - start).to_f64().abs());
            }
        }
        let change = last.digits[layout.energy] - start;
        if !works.is_empty() {
            energy_error = works.iter().fold(change, |rest, w| rest - *w).to_f64().abs();
        }
        let report = Report {
            stop: StopReason::End,
            t: last.t(),
            method: Method::Exact,
            order: None,
            rtol: None,
            step: None,
            precision: Precision::DoubleDouble,
            energy: start.to_f64(),
            energy_change: change.to_f64(),
            energy_error,
            work: compiled.program.works.iter().zip(&works).map(|((_, name), w)| (*name, w.to_f64())).collect(),
            constraint_residual: residual.0,
            worst_constraint: (residual.0 > 0.0).then(|| compiled.residuals[residual.1].clone()),
            statistics,
            chart_changes: 0,
            events: Vec::new(),
            more_events: 0,
            jumps: 0,
            ranges,
            integrals: Vec::new(),
        };
        // whoever asks for doubles is shown doubles
        let rounded = |sample: Sample| match run.precision {
            Precision::Double => {
                let digits = sample.doubles.iter().map(|x| Dd::from(*x)).collect();
                Sample { digits, ..sample }
            }
            Precision::DoubleDouble => sample,
        };
        let report = Report { precision: run.precision, ..report };
        Trajectory {
            compiled: compiled.clone(),
            pieces: Pieces::DoubleDoubles(Kept::default()),
            discrete: false,
            samples: samples.into_iter().map(rounded).collect(),
            last: rounded(last),
            report,
        }
    }
}
