//! Taylor series side by side. The rules are those of `taylor.rs`, with the norm of
//! [`tapes::series_and_step`].

use super::{Lanes, Progress, tapes};
use crate::stepper::{Statistics, StepError, Tolerance, Unit};
use crate::taylor::{HALVINGS, effective, usual_order};
use polhode_tape::{Backend, Kernel, Tape};

/// Motions of one system by Taylor series.
#[derive(Clone, Debug)]
pub struct TaylorBatch<K> {
    series: K,
    sum: K,
    field: K,
    n: usize,
    order: usize,
    lanes: usize,
    tolerance: Tolerance,
    epsilon: f64,
    fraction: f64, // h/ρ
    unit: Vec<bool>,
    point: Vec<f64>, // rows t, y
    work: Vec<f64>,  // rows of the coefficients, h, y, rest
    after: Vec<f64>, // rows y, rest
    ends: Vec<f64>,
    last: Vec<Option<f64>>, // |h| that the tolerance allowed last
    progress: Vec<Progress>,
    before: Vec<f64>, // times before the step
    flaws: Vec<f64>,  // not zero where something is not finite
    one: Vec<f64>,    // a point of one lane: t, y
    rates: Vec<f64>,
    statistics: Statistics,
}

impl<K: Kernel> TaylorBatch<K> {
    /// Motions of ẏ = f(t, y), a tape with inputs t, y and outputs ẏ, with the order of (T1). The `units` are parts
    /// of the state that are made unit after each step.
    pub fn new<B: Backend<Kernel = K>>(
        backend: &B,
        lanes: usize,
        field: &Tape,
        tolerance: Tolerance,
        units: &[Unit],
    ) -> Result<TaylorBatch<K>, B::Error> {
        TaylorBatch::with_order(backend, lanes, field, tolerance, units, usual_order(tolerance, f64::EPSILON))
    }

    /// The same with an order of one's own.
    pub fn with_order<B: Backend<Kernel = K>>(
        backend: &B,
        lanes: usize,
        field: &Tape,
        tolerance: Tolerance,
        units: &[Unit],
        order: usize,
    ) -> Result<TaylorBatch<K>, B::Error> {
        let n = field.outputs.len();
        let epsilon = effective(tolerance, f64::EPSILON);
        let fraction = tapes::fraction(epsilon, order);
        Ok(TaylorBatch {
            series: backend.prepare(&tapes::series_and_step(field, order, tolerance, units))?,
            sum: backend.prepare(&tapes::series_sum(n, order, units))?,
            field: backend.prepare(field)?,
            n,
            order,
            lanes,
            tolerance,
            epsilon,
            fraction,
            unit: (0..n).map(|i| units.iter().any(|u| u.contains(&i))).collect(),
            point: vec![0.0; (n + 1) * lanes],
            work: vec![0.0; (n * order + 1 + 2 * n) * lanes],
            after: vec![0.0; 2 * n * lanes],
            ends: vec![0.0; lanes],
            last: vec![None; lanes],
            progress: vec![Progress::Idle; lanes],
            before: vec![0.0; lanes],
            flaws: vec![0.0; lanes],
            one: vec![0.0; n + 1],
            rates: vec![0.0; n],
            statistics: Statistics::default(),
        })
    }

    /// The order of the series.
    pub fn order(&self) -> usize {
        self.order
    }

    /// What it has cost so far, all lanes together.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The time at which the last step of a lane began.
    pub fn before(&self, lane: usize) -> f64 {
        self.before[lane]
    }

    /// Component i of a motion at a time within the last step of its lane.
    pub fn at(&self, lane: usize, t: f64, i: usize) -> f64 {
        let h = t - self.before[lane];
        let sum = (1..=self.order).rev().fold(0.0, |sum, k| (sum + self.coefficient(k, i, lane)) * h);
        sum + self.start(i, lane)
    }

    fn row(&self, k: usize, i: usize) -> usize {
        ((k - 1) * self.n + i) * self.lanes
    }

    fn coefficient(&self, k: usize, i: usize, lane: usize) -> f64 {
        self.work[self.row(k, i) + lane]
    }

    /// Where the row of steps is among those of `work`, behind the coefficients.
    fn steps(&self) -> usize {
        self.n * self.order * self.lanes
    }

    /// Component i of the state at which the last step began.
    fn start(&self, i: usize, lane: usize) -> f64 {
        self.work[self.steps() + (1 + i) * self.lanes + lane]
    }

    /// wᵢ of (T2) of a lane.
    fn weight(&self, i: usize, lane: usize) -> f64 {
        let size = if self.unit[i] { 1.0 } else { self.point[(1 + i) * self.lanes + lane].abs() };
        (self.tolerance.absolute + self.tolerance.relative * size).max(f64::MIN_POSITIVE) / self.epsilon
    }

    /// ρ from all coefficients of a lane from order p/2 on.
    fn careful_radius(&self, lane: usize) -> f64 {
        let norm = |k: usize| {
            (0..self.n).map(|i| self.coefficient(k, i, lane).abs() / self.weight(i, lane)).fold(0.0, f64::max)
        };
        let slowest = ((self.order / 2).max(1)..=self.order).map(|k| norm(k).powf(1.0 / k as f64)).fold(0.0, f64::max);
        1.0 / slowest
    }

    /// (T3) for a step h of a lane.
    fn agrees(&mut self, lane: usize, h: f64) -> bool {
        self.one[0] = self.point[lane] + h;
        for i in 0..self.n {
            let sum = (1..=self.order).rev().fold(0.0, |sum, k| (sum + self.coefficient(k, i, lane)) * h);
            self.one[1 + i] = self.point[(1 + i) * self.lanes + lane] + sum;
        }
        self.field.evaluate(1, &self.one, &mut self.rates);
        self.statistics.evaluations += 1;
        (0..self.n).all(|i| {
            let slope = (1..=self.order).rev().fold(0.0, |sum, k| sum * h + self.coefficient(k, i, lane) * k as f64);
            let defect = h.abs() * (slope - self.rates[i]).abs();
            // rounding of the rates themselves is no disagreement
            let rounding = 64.0 * f64::EPSILON * h.abs() * self.rates[i].abs();
            defect <= 100.0 * self.epsilon * self.weight(i, lane) + rounding
        })
    }

    /// The length of the next step of a lane.
    fn choose(&mut self, lane: usize) -> Result<f64, StepError> {
        let t = self.point[lane];
        let remaining = self.ends[lane] - t;
        let mut size = self.work[self.steps() + lane];
        if size.is_nan() {
            return Err(StepError::NotFinite { t });
        }
        let unusual = self.last[lane].is_none_or(|last| size > 2.0 * last);
        if unusual {
            size = size.min(self.fraction * self.careful_radius(lane));
        }
        for _ in 0..HALVINGS {
            // up to one part in a hundred longer is better than a tiny step at the end
            let near = remaining.abs() <= 1.01 * size;
            let next = if near { self.ends[lane] } else { t + size.copysign(remaining) };
            let h = next - t;
            if !near && h.abs() <= 8.0 * f64::EPSILON * t.abs() {
                return Err(StepError::TooSmall { t });
            }
            if unusual && !self.agrees(lane, h) {
                self.statistics.rejected += 1;
                size = 0.5 * h.abs();
                continue;
            }
            self.last[lane] = Some(if size.is_finite() { size } else { h.abs() });
            return Ok(h);
        }
        Err(StepError::TooSmall { t })
    }
}

impl<K: Kernel> Lanes for TaylorBatch<K> {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn begin(&mut self, lane: usize, t: f64, y: &[f64], end: f64) {
        let (n, lanes) = (self.n, self.lanes);
        self.point[lane] = t;
        for i in 0..n {
            self.point[(1 + i) * lanes + lane] = y[i];
            self.after[i * lanes + lane] = y[i];
            self.after[(n + i) * lanes + lane] = 0.0;
        }
        self.ends[lane] = end;
        self.last[lane] = None;
        self.progress[lane] = Progress::Refused;
    }

    fn clear(&mut self, lane: usize) {
        self.progress[lane] = Progress::Idle;
    }

    fn step(&mut self) {
        let (n, lanes, steps) = (self.n, self.lanes, self.steps());
        let (series, state) = self.work.split_at_mut(steps + lanes);
        self.series.evaluate(lanes, &self.point, series);
        state.copy_from_slice(&self.after);
        for lane in 0..lanes {
            let mut h = 0.0;
            if self.progress[lane] != Progress::Idle {
                self.statistics.evaluations += 1;
                self.before[lane] = self.point[lane];
                self.progress[lane] = match self.choose(lane) {
                    Ok(chosen) => {
                        h = chosen;
                        Progress::Stepped
                    }
                    Err(error) => Progress::Failed(error),
                };
            }
            self.work[steps + lane] = h;
        }
        self.sum.evaluate(lanes, &self.work, &mut self.after);
        self.point[lanes..].copy_from_slice(&self.after[..n * lanes]);
        // zero times what is not finite is not zero
        self.flaws.fill(0.0);
        for row in self.point[lanes..].chunks_exact(lanes) {
            self.flaws.iter_mut().zip(row).for_each(|(flaw, y)| *flaw += y * 0.0);
        }
        for lane in 0..lanes {
            if self.progress[lane] != Progress::Stepped {
                continue;
            }
            let (t, h) = (self.before[lane], self.work[steps + lane]);
            if self.flaws[lane] != 0.0 {
                self.progress[lane] = Progress::Failed(StepError::NotFinite { t });
                continue;
            }
            self.statistics.steps += 1;
            let arrived = (self.ends[lane] - t).abs() <= h.abs();
            self.point[lane] = if arrived { self.ends[lane] } else { t + h };
            if arrived {
                self.progress[lane] = Progress::Arrived;
            }
        }
    }

    fn progress(&self, lane: usize) -> Progress {
        self.progress[lane]
    }

    fn time(&self, lane: usize) -> f64 {
        self.point[lane]
    }

    fn state(&self, lane: usize, y: &mut [f64]) {
        y.iter_mut().enumerate().for_each(|(i, y)| *y = self.point[(1 + i) * self.lanes + lane]);
    }
}
