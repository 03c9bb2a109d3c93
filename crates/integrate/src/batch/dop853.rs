//! DOP853 side by side. The rules are those of `dop853.rs` with the smooth scale of
//! [`tapes::dop853_step`].

use super::{Lanes, Progress, tapes};
use crate::stepper::{Statistics, StepError, Tolerance, Unit};
use polhode_tape::{Backend, Kernel, Tape};

/// Motions of one system by DOP853.
#[derive(Clone, Debug)]
pub struct Dop853Batch<K> {
    step: K,
    field: K,
    n: usize,
    lanes: usize,
    tolerance: Tolerance,
    inputs: Vec<f64>,  // rows t, h, y, rest, slope
    outputs: Vec<f64>, // rows y, rest, slope, error
    ends: Vec<f64>,
    guess: Vec<f64>,                   // |h| for the next step
    previous: Vec<Option<(f64, f64)>>, // |h| and err^(1/8) of the last step
    refused: Vec<bool>,                // was the last step tried too long?
    progress: Vec<Progress>,
    one: Vec<f64>, // a point of one lane: t, y
    rates: Vec<f64>,
    statistics: Statistics,
}

impl<K: Kernel> Dop853Batch<K> {
    /// Motions of ẏ = f(t, y), a tape with inputs t, y and outputs ẏ. The `units` are parts of the state that are
    /// made unit after each step.
    pub fn new<B: Backend<Kernel = K>>(
        backend: &B,
        lanes: usize,
        field: &Tape,
        tolerance: Tolerance,
        units: &[Unit],
    ) -> Result<Dop853Batch<K>, B::Error> {
        let n = field.outputs.len();
        Ok(Dop853Batch {
            step: backend.prepare(&tapes::dop853_step(field, tolerance, units))?,
            field: backend.prepare(field)?,
            n,
            lanes,
            tolerance,
            inputs: vec![0.0; (2 + 3 * n) * lanes],
            outputs: vec![0.0; (3 * n + 1) * lanes],
            ends: vec![0.0; lanes],
            guess: vec![0.0; lanes],
            previous: vec![None; lanes],
            refused: vec![false; lanes],
            progress: vec![Progress::Idle; lanes],
            one: vec![0.0; n + 1],
            rates: vec![0.0; n],
            statistics: Statistics::default(),
        })
    }

    /// What it has cost so far, all lanes together.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn size(&self, x: &[f64], y: &[f64]) -> f64 {
        let scale = |y: f64| (self.tolerance.absolute + self.tolerance.relative * y.abs()).max(f64::MIN_POSITIVE);
        x.iter().zip(y).map(|(x, y)| (x / scale(*y)).powi(2)).sum::<f64>()
    }

    /// What the error of a tried step says: is it accepted, and how much longer may the next one be?
    fn judge(&mut self, lane: usize, h: f64, error: f64) -> bool {
        let root = error.sqrt().sqrt().sqrt();
        if error.is_nan() || error > 1.0 {
            let shorter = if error.is_finite() { (0.9 / root).max(1.0 / 3.0) } else { 0.1 };
            self.guess[lane] = h.abs() * shorter;
            self.refused[lane] = true;
            self.statistics.rejected += 1;
            return false;
        }
        let mut factor = 0.9 / root;
        let root = root.max(0.316); // of 1e-4
        if let Some((h0, root0)) = self.previous[lane] {
            factor = factor.min(0.9 / root * (h.abs() / h0 * root0 / root));
        }
        self.previous[lane] = Some((h.abs(), root));
        // a step that was just too long is not tried again
        self.guess[lane] = h.abs() * factor.clamp(1.0 / 3.0, if self.refused[lane] { 1.0 } else { 6.0 });
        self.refused[lane] = false;
        true
    }
}

impl<K: Kernel> Lanes for Dop853Batch<K> {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn begin(&mut self, lane: usize, t: f64, y: &[f64], end: f64) {
        let (n, lanes) = (self.n, self.lanes);
        self.one[0] = t;
        self.one[1..].copy_from_slice(y);
        self.field.evaluate(1, &self.one, &mut self.rates);
        self.statistics.evaluations += 1;
        self.inputs[lane] = t;
        for i in 0..n {
            self.inputs[(2 + i) * lanes + lane] = y[i];
            self.inputs[(2 + n + i) * lanes + lane] = 0.0;
            self.inputs[(2 + 2 * n + i) * lanes + lane] = self.rates[i];
        }
        self.ends[lane] = end;
        // the first step is short; it may grow sixfold every time
        let (speed, place) = (self.size(&self.rates, y), self.size(y, y));
        let h = if speed <= 1e-10 || place <= 1e-10 { 1e-6 } else { 0.01 * (place / speed).sqrt() };
        self.guess[lane] = h;
        self.previous[lane] = None;
        self.refused[lane] = false;
        self.progress[lane] = Progress::Refused;
    }

    fn clear(&mut self, lane: usize) {
        self.progress[lane] = Progress::Idle;
    }

    fn step(&mut self) {
        let (n, lanes) = (self.n, self.lanes);
        for lane in 0..lanes {
            let t = self.inputs[lane];
            let remaining = self.ends[lane] - t;
            let size = self.guess[lane];
            let near = remaining.abs() <= 1.01 * size;
            let next = if near { self.ends[lane] } else { t + size.copysign(remaining) };
            let h = if self.progress[lane] == Progress::Idle { 0.0 } else { next - t };
            self.inputs[lanes + lane] = h;
        }
        self.step.evaluate(lanes, &self.inputs, &mut self.outputs);
        let mut all = true;
        for lane in 0..lanes {
            if self.progress[lane] == Progress::Idle {
                continue;
            }
            self.statistics.evaluations += 12;
            let (t, h) = (self.inputs[lane], self.inputs[lanes + lane]);
            let error = self.outputs[3 * n * lanes + lane].abs();
            let flaw: f64 = (0..n).map(|i| self.outputs[(2 * n + i) * lanes + lane] * 0.0).sum();
            if self.judge(lane, h, if flaw == 0.0 { error } else { f64::NAN }) {
                self.statistics.steps += 1;
                let arrived = (self.ends[lane] - t).abs() <= h.abs();
                self.inputs[lane] = if arrived { self.ends[lane] } else { t + h };
                self.progress[lane] = if arrived { Progress::Arrived } else { Progress::Stepped };
            } else if self.guess[lane] <= 10.0 * f64::EPSILON * t.abs() + f64::MIN_POSITIVE {
                all = false;
                let error = if flaw == 0.0 { StepError::TooSmall { t } } else { StepError::NotFinite { t } };
                self.progress[lane] = Progress::Failed(error);
            } else {
                all = false;
                self.progress[lane] = Progress::Refused;
            }
        }
        let (from, to) = (&self.outputs[..3 * n * lanes], &mut self.inputs[2 * lanes..]);
        if all {
            to.copy_from_slice(from);
        } else {
            for lane in 0..lanes {
                if matches!(self.progress[lane], Progress::Stepped | Progress::Arrived) {
                    to.iter_mut().zip(from).skip(lane).step_by(lanes).for_each(|(to, from)| *to = *from);
                }
            }
        }
    }

    fn progress(&self, lane: usize) -> Progress {
        self.progress[lane]
    }

    fn time(&self, lane: usize) -> f64 {
        self.inputs[lane]
    }

    fn state(&self, lane: usize, y: &mut [f64]) {
        y.iter_mut().enumerate().for_each(|(i, y)| *y = self.inputs[(2 + i) * self.lanes + lane]);
    }
}
