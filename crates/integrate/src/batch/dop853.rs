//! DOP853 side by side. The rules are those of `dop853.rs` with the smooth scale of
//! [`tapes::dop853_step`].

use super::{Lanes, Progress, tapes};
use crate::stepper::{Statistics, StepError, Tolerance, Unit};
use polhode_tape::{Backend, Kernel, Tape};

/// Motions of one system by DOP853, `L` at a time.
#[derive(Clone, Debug)]
pub struct Dop853Batch<K, const L: usize> {
    step: K,
    field: K,
    n: usize,
    angles: Vec<usize>,
    rows: usize, // of a state: y, rest, slope, sines and cosines
    tolerance: Tolerance,
    inputs: Vec<[f64; L]>,  // rows t, h, and those of the state
    outputs: Vec<[f64; L]>, // rows of the state, err^(1/8)
    ends: [f64; L],
    next: [f64; L],    // times that the present steps lead to
    guess: [f64; L],   // |h| for the next step
    before: [f64; L],  // |h| of the last step
    root: [f64; L],    // err^(1/8) of the last step, infinite where there was none
    largest: [f64; L], // times that the next step may be as long
    accepted: [bool; L],
    progress: [Progress; L],
    one: Vec<f64>, // a point of one lane: t, y
    rates: Vec<f64>,
    statistics: Statistics,
}

impl<K: Kernel, const L: usize> Dop853Batch<K, L> {
    /// Motions of ẏ = f(t, y), a tape with inputs t, y and outputs ẏ. The `units` are parts of the state that are
    /// made unit after each step.
    pub fn new<B: Backend<Kernel = K>>(
        backend: &B,
        field: &Tape,
        tolerance: Tolerance,
        units: &[Unit],
    ) -> Result<Dop853Batch<K, L>, B::Error> {
        let n = field.outputs.len();
        let angles = tapes::angles(field);
        let rows = 3 * n + 2 * angles.len();
        Ok(Dop853Batch {
            step: backend.prepare(&tapes::dop853_step(field, tolerance, units))?,
            field: backend.prepare(field)?,
            n,
            angles,
            rows,
            tolerance,
            inputs: vec![[0.0; L]; 2 + rows],
            outputs: vec![[0.0; L]; rows + 1],
            ends: [0.0; L],
            next: [0.0; L],
            guess: [0.0; L],
            before: [1.0; L],
            root: [f64::INFINITY; L],
            largest: [6.0; L],
            accepted: [false; L],
            progress: [Progress::Idle; L],
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
        for l in 0..L {
            let (t, end, size) = (self.inputs[0][l], self.ends[l], self.guess[l]);
            let remaining = end - t;
            // up to one part in a hundred longer is better than a tiny step at the end
            let next = if remaining.abs() <= 1.01 * size { end } else { t + size.copysign(remaining) };
            self.next[l] = next;
            self.inputs[1][l] = next - t;
        }
    }

    /// What the errors of the steps say: which are accepted, and how long may the next ones be? Without branches, since
    /// lanes differ and machines guess wrong.
    fn judge(&mut self) {
        let (steps, roots) = (self.inputs[1], self.outputs[self.rows]);
        for l in 0..L {
            let (h, root) = (steps[l].abs(), roots[l]);
            let accepted = root <= 1.0;
            let usual = 0.9 / root;
            let bounded = if root > 0.316 { root } else { 0.316 }; // of 1e-4
            // if errors grew since the last step, they may go on doing so
            let wary = 0.9 * h * self.root[l] / (self.before[l] * bounded * bounded);
            let factor = if wary < usual { wary } else { usual };
            let factor = if factor < self.largest[l] { factor } else { self.largest[l] };
            let is_finite = root < f64::INFINITY;
            let least = if is_finite { 1.0 / 3.0 } else { 0.1 };
            let refused = if is_finite { usual } else { least };
            let factor = if accepted { factor } else { refused };
            let factor = if factor > least { factor } else { least };
            self.guess[l] = h * factor;
            // a step that was just too long is not tried again
            self.largest[l] = if accepted { 6.0 } else { 1.0 };
            self.root[l] = if accepted { bounded } else { self.root[l] };
            self.before[l] = if accepted { h } else { self.before[l] };
            self.accepted[l] = accepted;
        }
    }
}

impl<K: Kernel, const L: usize> Lanes for Dop853Batch<K, L> {
    fn lanes(&self) -> usize {
        L
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn begin(&mut self, lane: usize, t: f64, y: &[f64], end: f64) {
        let n = self.n;
        self.one[0] = t;
        self.one[1..].copy_from_slice(y);
        self.field.evaluate(1, &self.one, &mut self.rates);
        self.statistics.evaluations += 1;
        self.inputs[0][lane] = t;
        for i in 0..n {
            self.inputs[2 + i][lane] = y[i];
            self.inputs[2 + n + i][lane] = 0.0;
            self.inputs[2 + 2 * n + i][lane] = self.rates[i];
        }
        for (pair, i) in self.inputs[2 + 3 * n..].chunks_exact_mut(2).zip(&self.angles) {
            (pair[0][lane], pair[1][lane]) = y[*i].sin_cos();
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
        self.ends[lane] = self.inputs[0][lane];
    }

    fn step(&mut self) {
        self.choose();
        self.step.evaluate(L, self.inputs.as_flattened(), self.outputs.as_flattened_mut());
        self.judge();
        for lane in 0..L {
            if self.progress[lane] == Progress::Idle {
                continue;
            }
            self.statistics.evaluations += 12;
            let t = self.inputs[0][lane];
            if self.accepted[lane] {
                self.statistics.steps += 1;
                let arrived = self.next[lane] == self.ends[lane];
                self.inputs[0][lane] = self.next[lane];
                self.progress[lane] = if arrived { Progress::Arrived } else { Progress::Stepped };
            } else {
                self.statistics.rejected += 1;
                for (stays, was) in self.outputs.iter_mut().zip(&self.inputs[2..]) {
                    stays[lane] = was[lane];
                }
                self.progress[lane] = if self.guess[lane] > 10.0 * f64::EPSILON * t.abs() + f64::MIN_POSITIVE {
                    Progress::Refused
                } else if self.outputs[self.rows][lane].is_finite() {
                    Progress::Failed(StepError::TooSmall { t })
                } else {
                    Progress::Failed(StepError::NotFinite { t })
                };
            }
        }
        self.inputs[2..].copy_from_slice(&self.outputs[..self.rows]);
    }

    fn progress(&self, lane: usize) -> Progress {
        self.progress[lane]
    }

    fn time(&self, lane: usize) -> f64 {
        self.inputs[0][lane]
    }

    fn state(&self, lane: usize, y: &mut [f64]) {
        y.iter_mut().zip(&self.inputs[2..]).for_each(|(y, row)| *y = row[lane]);
    }
}
