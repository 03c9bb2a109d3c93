//! Taylor series side by side. The rules are those of `taylor.rs`, with the norm of
//! [`tapes::series_and_step`].

use super::{Lanes, Progress, tapes};
use crate::stepper::{Statistics, StepError, Tolerance, Unit};
use crate::taylor::{HALVINGS, effective, usual_order};
use polhode_tape::{Backend, Kernel, Tape};

/// Motions of one system by Taylor series, `L` at a time.
#[derive(Clone, Debug)]
pub struct TaylorBatch<K, const L: usize> {
    series: K,
    sum: K,
    field: K,
    n: usize,
    order: usize,
    tolerance: Tolerance,
    epsilon: f64,
    fraction: f64, // h/ρ
    unit: Vec<bool>,
    point: Vec<[f64; L]>, // rows t, y
    work: Vec<[f64; L]>,  // rows of the coefficients, h, y, rest
    after: Vec<[f64; L]>, // rows y, rest
    ends: [f64; L],
    last: [f64; L],   // |h| that the tolerance allowed last, zero where there was none
    before: [f64; L], // times before the step
    progress: [Progress; L],
    one: Vec<f64>, // a point of one lane: t, y
    rates: Vec<f64>,
    statistics: Statistics,
}

impl<K: Kernel, const L: usize> TaylorBatch<K, L> {
    /// Motions of ẏ = f(t, y), a tape with inputs t, y and outputs ẏ, with the order of (T1). The `units` are parts
    /// of the state that are made unit after each step.
    pub fn new<B: Backend<Kernel = K>>(
        backend: &B,
        field: &Tape,
        tolerance: Tolerance,
        units: &[Unit],
    ) -> Result<TaylorBatch<K, L>, B::Error> {
        TaylorBatch::with_order(backend, field, tolerance, units, usual_order(tolerance, f64::EPSILON))
    }

    /// The same with an order of one's own.
    pub fn with_order<B: Backend<Kernel = K>>(
        backend: &B,
        field: &Tape,
        tolerance: Tolerance,
        units: &[Unit],
        order: usize,
    ) -> Result<TaylorBatch<K, L>, B::Error> {
        let n = field.outputs.len();
        let epsilon = effective(tolerance, f64::EPSILON);
        Ok(TaylorBatch {
            series: backend.prepare(&tapes::series_and_step(field, order, tolerance, units))?,
            sum: backend.prepare(&tapes::series_sum(n, order, units))?,
            field: backend.prepare(field)?,
            n,
            order,
            tolerance,
            epsilon,
            fraction: tapes::fraction(epsilon, order),
            unit: (0..n).map(|i| units.iter().any(|u| u.contains(&i))).collect(),
            point: vec![[0.0; L]; n + 1],
            work: vec![[0.0; L]; n * order + 1 + 2 * n],
            after: vec![[0.0; L]; 2 * n],
            ends: [0.0; L],
            last: [0.0; L],
            before: [0.0; L],
            progress: [Progress::Idle; L],
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
        // behind the steps are the states at which they began
        self.increment(lane, t - self.before[lane], i) + self.work[self.steps() + 1 + i][lane]
    }

    /// The same at eight times.
    pub fn at_eight(&self, lane: usize, times: &[f64; 8], i: usize) -> [f64; 8] {
        let steps = times.map(|t| t - self.before[lane]);
        let mut sums = [0.0; 8];
        for k in (1..=self.order).rev() {
            let c = self.coefficient(k, i, lane);
            sums.iter_mut().zip(&steps).for_each(|(sum, h)| *sum = (*sum + c) * h);
        }
        sums.map(|sum| sum + self.work[self.steps() + 1 + i][lane])
    }

    /// What a step h adds to component i.
    fn increment(&self, lane: usize, h: f64, i: usize) -> f64 {
        (1..=self.order).rev().fold(0.0, |sum, k| (sum + self.coefficient(k, i, lane)) * h)
    }

    fn coefficient(&self, k: usize, i: usize, lane: usize) -> f64 {
        self.work[(k - 1) * self.n + i][lane]
    }

    /// The row of steps among those of `work`, behind the coefficients.
    fn steps(&self) -> usize {
        self.n * self.order
    }

    /// wᵢ of (T2) of a lane.
    fn weight(&self, i: usize, lane: usize) -> f64 {
        let size = if self.unit[i] { 1.0 } else { self.point[1 + i][lane].abs() };
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
        self.one[0] = self.point[0][lane] + h;
        for i in 0..self.n {
            self.one[1 + i] = self.point[1 + i][lane] + self.increment(lane, h, i);
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

    /// The next step of a lane that is the first one or unusually long: its size, or why there is none.
    #[cold]
    fn look_twice(&mut self, lane: usize, size: f64) -> Result<f64, StepError> {
        let t = self.point[0][lane];
        let remaining = self.ends[lane] - t;
        if size.is_nan() {
            return Err(StepError::NotFinite { t });
        }
        let mut size = size.min(self.fraction * self.careful_radius(lane));
        for _ in 0..HALVINGS {
            let h = size.min(remaining.abs()).copysign(remaining);
            if self.agrees(lane, h) {
                return Ok(size);
            }
            self.statistics.rejected += 1;
            size = 0.5 * h.abs();
        }
        Err(StepError::TooSmall { t })
    }

    /// The step of a lane.
    fn choose(&mut self, lane: usize) -> Result<f64, StepError> {
        let (t, end) = (self.point[0][lane], self.ends[lane]);
        let mut size = self.work[self.steps()][lane];
        // also where it is undefined
        if size.partial_cmp(&(2.0 * self.last[lane])) != Some(std::cmp::Ordering::Less) {
            size = self.look_twice(lane, size)?;
        }
        let remaining = end - t;
        self.last[lane] = size.min(f64::MAX);
        // up to one part in a hundred longer is better than a tiny step at the end
        if remaining.abs() <= 1.01 * size {
            return Ok(remaining);
        }
        let h = (t + size.copysign(remaining)) - t;
        if h.abs() <= 8.0 * f64::EPSILON * t.abs() { Err(StepError::TooSmall { t }) } else { Ok(h) }
    }
}

impl<K: Kernel, const L: usize> Lanes for TaylorBatch<K, L> {
    fn lanes(&self) -> usize {
        L
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn begin(&mut self, lane: usize, t: f64, y: &[f64], end: f64) {
        self.point[0][lane] = t;
        for (i, y) in y.iter().enumerate() {
            self.point[1 + i][lane] = *y;
            self.after[i][lane] = *y;
            self.after[self.n + i][lane] = 0.0;
        }
        self.ends[lane] = end;
        self.last[lane] = 0.0;
        self.progress[lane] = Progress::Refused;
    }

    fn clear(&mut self, lane: usize) {
        self.progress[lane] = Progress::Idle;
    }

    fn step(&mut self) {
        let steps = self.steps();
        let (series, state) = self.work.split_at_mut(steps + 1);
        self.series.evaluate(L, self.point.as_flattened(), series.as_flattened_mut());
        state.copy_from_slice(&self.after);
        self.before = self.point[0];
        for lane in 0..L {
            let mut h = 0.0;
            if self.progress[lane] != Progress::Idle {
                self.statistics.evaluations += 1;
                self.progress[lane] = match self.choose(lane) {
                    Ok(chosen) => {
                        h = chosen;
                        Progress::Stepped
                    }
                    Err(error) => Progress::Failed(error),
                };
            }
            self.work[steps][lane] = h;
        }
        self.sum.evaluate(L, self.work.as_flattened(), self.after.as_flattened_mut());
        self.point[1..].copy_from_slice(&self.after[..self.n]);
        // zero times what is not finite is not zero
        let mut flaws = [0.0; L];
        for row in &self.point[1..] {
            for l in 0..L {
                flaws[l] += row[l] * 0.0;
            }
        }
        for lane in 0..L {
            if self.progress[lane] != Progress::Stepped {
                continue;
            }
            let (t, h) = (self.before[lane], self.work[steps][lane]);
            if flaws[lane] != 0.0 {
                self.progress[lane] = Progress::Failed(StepError::NotFinite { t });
                continue;
            }
            self.statistics.steps += 1;
            let arrived = h == self.ends[lane] - t;
            self.point[0][lane] = if arrived { self.ends[lane] } else { t + h };
            if arrived {
                self.progress[lane] = Progress::Arrived;
            }
        }
    }

    fn progress(&self, lane: usize) -> Progress {
        self.progress[lane]
    }

    fn time(&self, lane: usize) -> f64 {
        self.point[0][lane]
    }

    fn state(&self, lane: usize, y: &mut [f64]) {
        y.iter_mut().zip(&self.point[1..]).for_each(|(y, row)| *y = row[lane]);
    }
}
