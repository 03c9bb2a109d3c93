//! Who runs motions.
//!
//! [`Engine`] is the one door: samples go in, rows come out, in the same order. [`MotionEngine`] runs one motion after the other, and can do everything;
//! [`BatchEngine`](crate::batch::BatchEngine) runs them side by side where it can.

use crate::lyapunov::Variation;
use crate::outline::{Known, Outline};
use crate::row::{Row, Status};
use crate::study::{Base, Study};
use polhode_base::Severity;
use polhode_simulate::{Compiled, PlanError, StopReason, Trajectory};
use polhode_tape::Dd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// One motion after the other.
    Single,
    /// Motions side by side.
    Batch,
}

impl EngineKind {
    /// The names, in plans and on the command line.
    pub const NAMES: [&'static str; 2] = ["single", "batch"];

    /// By its name.
    pub fn from_name(name: &str) -> Option<EngineKind> {
        match name {
            "single" => Some(EngineKind::Single),
            "batch" => Some(EngineKind::Batch),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Single => "single",
            EngineKind::Batch => "batch",
        }
    }
}

/// Runs motions.
pub trait Engine {
    /// Appends a row for every sample, in order; fewer if `stop` was set, and then only those that were finished. A row depends on its sample alone, not on
    /// those before it.
    fn run(&mut self, samples: &[Vec<f64>], stop: &AtomicBool, rows: &mut Vec<Row>);
}

/// Runs motions one after the other.
pub struct MotionEngine<'s> {
    study: &'s Study,
    base: Option<Base>,
    /// The variational equation, for the parameters it was made for.
    variation: Option<(Vec<Dd>, Option<Variation>)>,
}

impl Engine for MotionEngine<'_> {
    fn run(&mut self, samples: &[Vec<f64>], stop: &AtomicBool, rows: &mut Vec<Row>) {
        for sample in samples {
            let row = self.row(sample, stop);
            if stop.load(Ordering::Relaxed) {
                return;
            }
            rows.push(row);
        }
    }
}

impl<'s> MotionEngine<'s> {
    pub(crate) fn new(study: &'s Study) -> MotionEngine<'s> {
        MotionEngine { study, base: study.base.clone(), variation: None }
    }

    pub(crate) fn row(&mut self, sample: &[f64], stop: &AtomicBool) -> Row {
        if let Some(compiled) = self.rerun(sample) {
            let outline = self.base.as_ref().expect("it was rerun").outline.clone();
            let solved = self.solve(&compiled, &outline, stop);
            // failures of our own choice of equations are looked at again
            let chosen = self.study.resolved.options.form.is_none();
            if let Ok((motion, row)) = solved
                && (row.status.is_regular() || !chosen || motion.other_form().is_none())
            {
                return row;
            }
        }
        self.fresh(sample, stop)
    }

    /// The system with the numbers of the sample, if they fit into what is compiled.
    fn rerun(&mut self, sample: &[f64]) -> Option<Arc<Compiled>> {
        let base = self.base.as_mut()?;
        let numbers = match &mut base.formulas {
            Some(formulas) => formulas.numbers(sample),
            None => base.rerun.numbers(&mut self.study.plan(sample, false).read().ok()?.0)?,
        };
        base.rerun.with(&numbers).ok()
    }

    /// Compiles and runs the sample as `polhode run` does.
    fn fresh(&mut self, sample: &[f64], stop: &AtomicBool) -> Row {
        let study = self.study;
        let motion = study.ready(sample, false).and_then(|mut ready| {
            let mut solve = |mut compiled: Arc<Compiled>| {
                let outline = Outline::new(study, &compiled);
                Arc::make_mut(&mut compiled).watch(outline.watched.clone());
                self.variation = None;
                self.solve(&compiled, &outline, stop)
            };
            ready.resolved.follow(&mut ready.system, &mut solve)
        });
        match motion {
            Ok(followed) => followed.more,
            Err(error) => Row::refused(reason(&error), study.columns().len()),
        }
    }

    fn solve(
        &mut self,
        compiled: &Arc<Compiled>,
        outline: &Outline,
        stop: &AtomicBool,
    ) -> Result<(Trajectory, Row), PlanError> {
        let mut reducer = outline.reducer();
        let mut goes_on = |_: f64| !stop.load(Ordering::Relaxed);
        let motion = compiled.solve_observed(&self.study.resolved.run, &mut goes_on, Some(&mut reducer))?;
        let lyapunov = match outline.wants_lyapunov() {
            true => self.exponent(compiled, motion.report.t),
            false => f64::NAN,
        };
        let stopped = &motion.report.stop;
        let reason = if *stopped == StopReason::End { String::new() } else { stopped.to_string() };
        let event = |name: &str| {
            let mut mine =
                motion.report.events.iter().filter(|e| e.name == name || compiled.events[e.event].name == name);
            let first = mine.next().map(|e| e.sample.t());
            [first.map_or(0, |_| 1 + mine.count()) as f64, first.unwrap_or(f64::NAN)]
        };
        let values = outline.values(&Known {
            number: &|place| motion.last.number(place),
            event: &event,
            reducer: &reducer,
            lyapunov,
            drift: motion.report.energy_error,
            steps: motion.report.statistics.steps,
        });
        let row = Row { status: Status::of(stopped), reason, t: motion.report.t, values };
        Ok((motion, row))
    }

    fn exponent(&mut self, compiled: &Compiled, end: f64) -> f64 {
        let parameters: Vec<Dd> = compiled.parameters.iter().map(|(_, x)| *x).collect();
        if self.variation.as_ref().is_none_or(|(made_for, _)| *made_for != parameters) {
            self.variation = Some((parameters, Variation::new(compiled)));
        }
        match &mut self.variation {
            Some((_, Some(variation))) => variation.exponent(compiled, end),
            _ => f64::NAN,
        }
    }
}

/// Why a motion cannot be run, in a line.
fn reason(error: &PlanError) -> String {
    let first = match error {
        PlanError::Rejected(r) => r.diagnostics.iter().find(|d| d.severity == Severity::Error),
        _ => None,
    };
    first.map_or_else(|| error.to_string(), |d| d.message.clone())
}
