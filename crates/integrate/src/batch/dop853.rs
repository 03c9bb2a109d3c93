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
    outputs: Vec<f64>, // rows y, rest, slope, err^(1/8)
    ends: Vec<f64>,
    next: Vec<f64>,    // times that the present steps lead to
    guess: Vec<f64>,   // |h| for the next step
    before: Vec<f64>,  // |h| of the last step
    root: Vec<f64>,    // err^(1/8) of the last step, infinite where there was none
    largest: Vec<f64>, // times that the next step may be as long
    masks: Vec<u64>,   // all bits of lanes that moved
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
            next: vec![0.0; lanes],
            guess: vec![0.0; lanes],
            before: vec![1.0; lanes],
            root: vec![f64::INFINITY; lanes],
            largest: vec![6.0; lanes],
            masks: vec![0; lanes],
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

    /// The steps of all lanes; zero where there is no motion.
    fn choose(&mut self) {
        let lanes = self.lanes;
        let (times, others) = self.inputs.split_at_mut(lanes);
        for l in 0..lanes {
            let (t, end, size) = (times[l], self.ends[l], self.guess[l]);
            let remaining = end - t;
            // up to one part in a hundred longer is better than a tiny step at the end
            let next = if remaining.abs() <= 1.01 * size { end } else { t + size.copysign(remaining) };
            self.next[l] = next;
            others[l] = next - t;
        }
    }

    /// What the errors of the steps say: which are accepted, and how long may the next ones be? Without branches, since
    /// lanes differ and machines guess wrong.
    fn judge(&mut self) {
        let lanes = self.lanes;
        let (steps, roots) = (&self.inputs[lanes..2 * lanes], &self.outputs[3 * self.n * lanes..]);
        for l in 0..lanes {
            let (h, root) = (steps[l].abs(), roots[l]);
            let accepted = root <= 1.0;
            let usual = 0.9 / root;
            let bounded = if root > 0.316 { root } else { 0.316 }; // of 1e-4
            // if errors grew since the last step, they may go on doing so
            let wary = 0.9 * h * self.root[l] / (self.before[l] * bounded * bounded);
            let factor = if wary < usual { wary } else { usual };
            let factor = if factor < self.largest[l] { factor } else { self.largest[l] };
            let refused = if root < f64::INFINITY { usual } else { 0.1 };
            let least = if root < f64::INFINITY { 1.0 / 3.0 } else { 0.1 };
            let factor = if accepted { factor } else { refused };
            let factor = if factor > least { factor } else { least };
            self.guess[l] = h * factor;
            // a step that was just too long is not tried again
            self.largest[l] = if accepted { 6.0 } else { 1.0 };
            self.root[l] = if accepted { bounded } else { self.root[l] };
            self.before[l] = if accepted { h } else { self.before[l] };
            self.masks[l] = if accepted { u64::MAX } else { 0 };
        }
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
        (self.before[lane], self.root[lane], self.largest[lane]) = (1.0, f64::INFINITY, 6.0);
        self.progress[lane] = Progress::Refused;
    }

    fn clear(&mut self, lane: usize) {
        self.progress[lane] = Progress::Idle;
        self.ends[lane] = self.inputs[lane];
    }

    fn step(&mut self) {
        let (n, lanes) = (self.n, self.lanes);
        self.choose();
        self.step.evaluate(lanes, &self.inputs, &mut self.outputs);
        self.judge();
        for lane in 0..lanes {
            if self.progress[lane] == Progress::Idle {
                continue;
            }
            self.statistics.evaluations += 12;
            let t = self.inputs[lane];
            if self.masks[lane] != 0 {
                self.statistics.steps += 1;
                let arrived = self.next[lane] == self.ends[lane];
                self.inputs[lane] = self.next[lane];
                self.progress[lane] = if arrived { Progress::Arrived } else { Progress::Stepped };
            } else {
                self.statistics.rejected += 1;
                self.progress[lane] = if self.guess[lane] > 10.0 * f64::EPSILON * t.abs() + f64::MIN_POSITIVE {
                    Progress::Refused
                } else if self.outputs[3 * n * lanes + lane].is_finite() {
                    Progress::Failed(StepError::TooSmall { t })
                } else {
                    Progress::Failed(StepError::NotFinite { t })
                };
            }
        }
        let rows = self.inputs[2 * lanes..].chunks_exact_mut(lanes).zip(self.outputs.chunks_exact(lanes));
        for (to, from) in rows {
            for ((to, from), mask) in to.iter_mut().zip(from).zip(&self.masks) {
                *to = f64::from_bits((from.to_bits() & mask) | (to.to_bits() & !mask));
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
