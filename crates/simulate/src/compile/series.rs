//! Taylor series of runs in doubles: worked out at first, then compiled.
//!
//! Code for the series of one order takes a millisecond or more to make, as long as some hundred steps without it.
//! It is made when a run has made [`PATIENCE`] steps, and kept for other runs of the system; a run takes it up at that step
//! whether it was there before or not, so that the digits of a motion do not depend on what was computed earlier.

use polhode_backend_native::{Native, NativeKernel};
use polhode_integrate::taylor::usual_order;
use polhode_integrate::{CompiledJets, Expansion, JetProgram, Jets, Taylor, Tolerance, Unit};
use polhode_tape::{Backend, Tape};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Steps of a run before its series are compiled.
const PATIENCE: u32 = 100;

/// Machine code for the series of one tape, by their order; none where there can be none. Copies share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeriesCode(Arc<Mutex<BTreeMap<usize, Option<CompiledJets<NativeKernel>>>>>);

impl SeriesCode {
    /// An integrator by series of a tape. It is always asked for the same tape.
    pub(crate) fn stepper(
        &self,
        field: &Tape,
        t: f64,
        y: &[f64],
        tolerance: Tolerance,
        units: Vec<Unit>,
    ) -> Taylor<f64, RunSeries> {
        let order = usual_order(tolerance, f64::EPSILON);
        let jets = Jets::new(JetProgram::new(field), order);
        let series = RunSeries { jets, compiled: None, patience: PATIENCE, field: field.clone(), code: self.clone() };
        Taylor::expanding(series, t, y, tolerance, units)
    }

    fn series(&self, field: &Tape, order: usize) -> Option<CompiledJets<NativeKernel>> {
        // a panic elsewhere leaves a map that is as good as before
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(order).or_insert_with(|| compile(field, order)).clone()
    }
}

fn compile(field: &Tape, order: usize) -> Option<CompiledJets<NativeKernel>> {
    let native = Native::new().ok()?.single().contracted().ok()?;
    let series = native.prepare_bundled(&JetProgram::for_code(field).bundled(order, native.side_by_side())).ok()?;
    Some(CompiledJets::new(series, native.prepare(field).ok()?))
}

/// Series of one run.
pub(crate) struct RunSeries {
    jets: Jets<f64>,
    compiled: Option<CompiledJets<NativeKernel>>,
    /// Steps until code is taken.
    patience: u32,
    field: Tape,
    code: SeriesCode,
}

impl RunSeries {
    fn now(&self) -> &dyn Expansion<f64> {
        match &self.compiled {
            Some(compiled) => compiled,
            None => &self.jets,
        }
    }

    fn now_mut(&mut self) -> &mut dyn Expansion<f64> {
        match &mut self.compiled {
            Some(compiled) => compiled,
            None => &mut self.jets,
        }
    }
}

impl Expansion<f64> for RunSeries {
    fn dimension(&self) -> usize {
        self.now().dimension()
    }

    fn order(&self) -> usize {
        Expansion::order(&self.jets)
    }

    fn evaluate(&mut self, t: f64, y: &[f64]) {
        if self.patience > 0 {
            self.patience -= 1;
            if self.patience == 0 {
                self.compiled = self.code.series(&self.field, Expansion::order(&self.jets));
            }
        }
        self.now_mut().evaluate(t, y);
    }

    fn coefficients(&self, k: usize) -> &[f64] {
        self.now().coefficients(k)
    }

    fn coefficients_mut(&mut self, k: usize) -> &mut [f64] {
        self.now_mut().coefficients_mut(k)
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.now_mut().rates(t, y, dy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_integrate::Stepper;
    use polhode_tape::{Builder, Op, passes};

    /// q̈ = −sin q.
    fn pendulum() -> Tape {
        let mut b = Builder::new();
        let _t = b.input("t");
        let (q, v) = (b.input("q"), b.input("v"));
        let sine = b.emit(Op::Sin(q));
        let force = b.neg(sine);
        b.output("q'", v);
        b.output("v'", force);
        passes::finish(b)
    }

    fn run(code: &SeriesCode, end: f64) -> (Vec<f64>, u64) {
        let tolerance = Tolerance { relative: 1e-13, absolute: 1e-13 };
        let mut stepper = code.stepper(&pendulum(), 0.0, &[2.5, 0.3], tolerance, Vec::new());
        while stepper.time() < end {
            stepper.step(end).expect("a step");
        }
        (stepper.state().to_vec(), stepper.statistics().steps)
    }

    #[test]
    fn digits_do_not_depend_on_what_ran_before() {
        let code = SeriesCode::default();
        let first = run(&code, 300.0);
        assert!(first.1 > u64::from(2 * PATIENCE), "long enough to be compiled: {}", first.1);
        assert_eq!(run(&code, 300.0), first);
        assert_eq!(run(&SeriesCode::default(), 300.0), first);
    }

    #[test]
    fn short_runs_compile_nothing() {
        let code = SeriesCode::default();
        run(&code, 1.0);
        assert!(code.0.lock().expect("no panic").is_empty());
    }

    #[test]
    fn energy_is_kept_across_the_change() {
        let (state, _) = run(&SeriesCode::default(), 300.0);
        let energy = |q: f64, v: f64| 0.5 * v * v - q.cos();
        assert!((energy(state[0], state[1]) - energy(2.5, 0.3)).abs() < 1e-12);
    }
}
