//! Taylor series side by side. The rules are those of `taylor.rs`, with the norm of
//! [`tapes::series_and_norms`].

use super::fates::Fates;
use super::rows::Rows;
use super::size::{self, Rule};
use super::turning::Turning;
use super::{LaneSet, Lanes, Progress, tapes};
use crate::stepper::{Statistics, StepError, Tolerance, Unit};
use crate::taylor::{HALVINGS, effective, usual_order};
use polhode_tape::{Backend, Kernel, Tape};

/// A step of this part of what remains goes to the end: that is better than a tiny one there.
const ARRIVES: f64 = 0.99;

/// Motions of one system by Taylor series, `L` at a time.
#[derive(Clone, Debug)]
pub struct TaylorBatch<K, const L: usize> {
    series: K,
    sum: K,
    field: K, // of what turns in its frame
    turning: Turning,
    n: usize,
    order: usize,
    tolerance: Tolerance,
    epsilon: f64,
    fraction: f64, // h/ρ
    rule: Rule,
    unit: Vec<bool>,
    now: Rows<L>, // rows of the coefficients, of the norms or one of them and h, of t, y, of what rounding took from y, and of the sum of y
    last: Rows<L>, // the same at the beginning of the last step
    half: Rows<L>, // rows y, what rounding took from it, and its sum, in its middle
    ends: [f64; L],
    allowed: [f64; L], // |h| that the tolerance allowed last, zero where there was none
    fates: Fates<L>,
    one: Vec<f64>, // a point of one lane: t, y
    rates: Vec<f64>,
    slopes: Vec<f64>,
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
        let turning = Turning::new(field);
        let epsilon = effective(tolerance, f64::EPSILON);
        let fraction = tapes::fraction(epsilon, order);
        Ok(TaylorBatch {
            series: backend.prepare(&tapes::series_and_norms(&turning, order, tolerance, units))?,
            sum: backend.prepare(&tapes::series_sum(n, order, &turning.turns, units))?,
            field: backend.prepare(&turning.field)?,
            turning,
            n,
            order,
            tolerance,
            epsilon,
            fraction,
            rule: Rule::new(n, order, fraction),
            unit: (0..n).map(|i| units.iter().any(|u| u.contains(&i))).collect(),
            now: Rows::new(n * order + 4 + 2 * n),
            last: Rows::new(n * order + 4 + 2 * n),
            half: Rows::new(2 * n + 1),
            ends: [0.0; L],
            allowed: [0.0; L],
            fates: Fates::new(),
            one: vec![0.0; n + 1],
            rates: vec![0.0; n],
            slopes: vec![0.0; n],
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
        self.start(0, lane)
    }

    /// Component i of a motion at a time within the last step of its lane.
    pub fn at(&self, lane: usize, t: f64, i: usize) -> f64 {
        self.at_eight(lane, &[t; 8], i)[0]
    }

    /// The same at eight times.
    pub fn at_eight(&self, lane: usize, times: &[f64; 8], i: usize) -> [f64; 8] {
        let steps = times.map(|t| t - self.before(lane));
        let mut y = match self.turning.of(i) {
            None => self.sums(lane, &steps, i),
            Some(turn) => {
                let [u, v] = turn.pair.map(|i| self.sums(lane, &steps, i));
                let mut angles = self.sums(lane, &steps, turn.angle);
                angles.iter_mut().for_each(|a| *a += self.start(1 + turn.angle, lane));
                std::array::from_fn(|k| {
                    let (sine, cosine) = if turn.backwards { -angles[k] } else { angles[k] }.sin_cos();
                    if i == turn.pair[0] { u[k] * cosine - v[k] * sine } else { u[k] * sine + v[k] * cosine }
                })
            }
        };
        y.iter_mut().for_each(|y| *y += self.start(1 + i, lane));
        y
    }

    /// Rows t, y in the middle of the last steps, lane by lane.
    pub fn middle(&mut self, rows: &mut [f64]) {
        let (n, steps) = (self.n, self.steps());
        let h = self.last.all()[steps];
        self.last.all_mut()[steps] = h.map(|h| 0.5 * h);
        self.sum.evaluate(L, &self.last.flat()[..self.summed() * L], self.half.flat_mut());
        self.last.all_mut()[steps] = h;
        for l in 0..L {
            rows[l] = self.start(0, l) + 0.5 * h[l];
        }
        rows[L..].copy_from_slice(&self.half.flat()[..n * L]);
    }

    /// What steps add to component i, in its own frame if that turns.
    fn sums(&self, lane: usize, steps: &[f64; 8], i: usize) -> [f64; 8] {
        let mut sums = [0.0; 8];
        for k in (1..=self.order).rev() {
            let c = self.coefficient(k, i, lane);
            sums.iter_mut().zip(steps).for_each(|(sum, h)| *sum = (*sum + c) * h);
        }
        sums
    }

    /// All components and their rates, by the series, after a step h; in their own frames where these turn.
    fn end(&self, lane: usize, h: f64, y: &mut [f64], rates: &mut [f64]) {
        y.fill(0.0);
        rates.fill(0.0);
        for k in (1..=self.order).rev() {
            let (times, row) = (k as f64, self.row(k));
            for ((y, rate), c) in y.iter_mut().zip(&mut *rates).zip(row) {
                *rate = *rate * h + c[lane] * times;
                *y = (*y + c[lane]) * h;
            }
        }
        for i in (0..self.n).filter(|i| self.turning.of(*i).is_none()) {
            y[i] += self.start(1 + i, lane);
        }
    }

    /// The coefficients of order k.
    fn row(&self, k: usize) -> &[[f64; L]] {
        &self.last.all()[(k - 1) * self.n..][..self.n]
    }

    fn coefficient(&self, k: usize, i: usize, lane: usize) -> f64 {
        self.row(k)[i][lane]
    }

    /// Row i of t, y at the beginning of the last step.
    fn start(&self, i: usize, lane: usize) -> f64 {
        self.last.all()[self.steps() + 1 + i][lane]
    }

    /// The row of steps, behind those of the coefficients and of a norm.
    fn steps(&self) -> usize {
        self.n * self.order + 1
    }

    /// Rows that the sum is made of.
    fn summed(&self) -> usize {
        self.steps() + 2 + 2 * self.n
    }

    /// wᵢ of (T2) of a lane.
    fn weight(&self, i: usize, lane: usize) -> f64 {
        let size = if self.unit[i] { 1.0 } else { self.start(1 + i, lane).abs() };
        (self.tolerance.absolute + self.tolerance.relative * size).max(f64::MIN_POSITIVE) / self.epsilon
    }

    /// ρ from all coefficients of a lane from order p/2 on.
    fn careful_radius(&self, lane: usize) -> f64 {
        let inverses: Vec<f64> = (0..self.n).map(|i| 1.0 / self.weight(i, lane)).collect();
        let norm = |k: usize| {
            let mut largest = 0.0;
            for (c, inverse) in self.row(k).iter().zip(&inverses) {
                let term = c[lane].abs() * inverse;
                largest = if term > largest { term } else { largest };
            }
            largest
        };
        let logarithm = |x: f64| size::log2(x.clamp(f64::MIN_POSITIVE, f64::MAX));
        let slowest = ((self.order / 2).max(1)..=self.order).map(|k| logarithm(norm(k)) / k as f64);
        size::exp2(-slowest.fold(f64::NEG_INFINITY, f64::max))
    }

    /// (T3) for a step h of a lane.
    fn agrees(&mut self, lane: usize, h: f64) -> bool {
        let (mut point, mut slopes) = (std::mem::take(&mut self.one), std::mem::take(&mut self.slopes));
        point[0] = self.start(0, lane) + h;
        self.end(lane, h, &mut point[1..], &mut slopes);
        self.field.evaluate(1, &point, &mut self.rates);
        self.statistics.evaluations += 1;
        let agrees = (0..self.n).all(|i| {
            let defect = h.abs() * (slopes[i] - self.rates[i]).abs();
            // rounding of the rates themselves is no disagreement
            let rounding = 64.0 * f64::EPSILON * h.abs() * self.rates[i].abs();
            defect <= 100.0 * self.epsilon * self.weight(i, lane) + rounding
        });
        (self.one, self.slopes) = (point, slopes);
        agrees
    }

    /// The next step of a lane that is the first one or unusually long: its size, or why there is none.
    #[cold]
    fn look_twice(&mut self, lane: usize, size: f64) -> Result<f64, StepError> {
        let t = self.start(0, lane);
        let remaining = self.ends[lane] - t;
        if size.is_nan() {
            let norms = &self.last.all()[self.steps() - 1..=self.steps()];
            // series that cannot be told from infinite ones have steps that are too small
            let is_defined = norms.iter().all(|norm| !norm[lane].is_nan());
            return Err(if is_defined { StepError::TooSmall { t } } else { StepError::NotFinite { t } });
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

    /// Is a step lost in the rounding of time?
    #[inline]
    fn is_lost(t: f64, h: f64) -> bool {
        h.abs() <= 8.0 * f64::EPSILON * t.abs()
    }

    /// The steps of all lanes, and those that are the last ones; the work is in loops without branches.
    fn choose(&mut self) -> ([f64; L], LaneSet) {
        let steps = self.steps();
        let (before, last, times) = (self.last.all()[steps - 1], self.last.all()[steps], self.last.all()[steps + 1]);
        let (mut sizes, mut h, mut others) = ([0.0; L], [0.0; L], [0.0; L]);
        for l in 0..L {
            let (t, size) = (times[l], self.rule.size(before[l], last[l]));
            let remaining = self.ends[l] - t;
            let (twice, end) = (2.0 * self.allowed[l], ARRIVES * remaining.abs());
            h[l] = (t + size.copysign(remaining)) - t;
            // also where the size is undefined
            let long = if size < if twice < end { twice } else { end } { 0.0 } else { 1.0 };
            others[l] = long + if Self::is_lost(t, h[l]) { 1.0 } else { 0.0 };
            sizes[l] = size;
        }
        let others = LaneSet::marked(&others);
        let allowed = std::mem::replace(&mut self.allowed, sizes);
        let mut arrived = LaneSet::default();
        for lane in others {
            self.allowed[lane] = allowed[lane];
            match self.choose_again(lane, sizes[lane]) {
                Ok((step, arrives)) => {
                    h[lane] = step;
                    if arrives {
                        arrived.insert(lane);
                    }
                }
                Err(error) => {
                    h[lane] = 0.0;
                    self.fates.fail(lane, error);
                }
            }
        }
        (h, arrived)
    }

    /// The step of a lane that is at its end, has no motion, or is not as usual; and is it the last one?
    #[cold]
    fn choose_again(&mut self, lane: usize, size: f64) -> Result<(f64, bool), StepError> {
        if !self.fates.busy.contains(lane) {
            return Ok((0.0, false));
        }
        let (t, end) = (self.start(0, lane), self.ends[lane]);
        let is_lost = |(step, arrives): (f64, bool)| !arrives && Self::is_lost(t, step);
        let mut size = size;
        let is_usual = size < 2.0 * self.allowed[lane];
        if !is_usual || is_lost(cut(t, end, size)) {
            size = self.look_twice(lane, size)?;
        }
        self.allowed[lane] = size.min(f64::MAX);
        let chosen = cut(t, end, size);
        if is_lost(chosen) { Err(StepError::TooSmall { t }) } else { Ok(chosen) }
    }
}

/// The step of a certain size, and whether it is the last one.
#[inline]
fn cut(t: f64, end: f64, size: f64) -> (f64, bool) {
    let remaining = end - t;
    let arrives = ARRIVES * remaining.abs() <= size;
    let h = (t + size.copysign(remaining)) - t;
    (if arrives { remaining } else { h }, arrives)
}

impl<K: Kernel, const L: usize> Lanes for TaylorBatch<K, L> {
    fn lanes(&self) -> usize {
        L
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn begin(&mut self, lane: usize, t: f64, y: &[f64], end: f64) {
        let steps = self.steps();
        let start = &mut self.now.all_mut()[steps + 1..];
        start[0][lane] = t;
        for (i, y) in y.iter().enumerate() {
            start[1 + i][lane] = *y;
            start[1 + self.n + i][lane] = 0.0;
        }
        self.ends[lane] = end;
        self.allowed[lane] = 0.0;
        self.fates.begin(lane);
    }

    fn clear(&mut self, lane: usize) {
        self.fates.clear(lane);
        // the lane goes nowhere
        (self.ends[lane], self.allowed[lane]) = (self.time(lane), f64::INFINITY);
    }

    fn step(&mut self) -> LaneSet {
        let steps = self.steps();
        std::mem::swap(&mut self.now, &mut self.last);
        let (series, start) = self.last.flat_mut().split_at_mut((steps + 1) * L);
        self.series.evaluate(L, &start[..(1 + self.n) * L], series);
        self.fates.failed = LaneSet::default();
        let (h, arrives) = self.choose();
        self.last.all_mut()[steps] = h;
        self.sum.evaluate(L, &self.last.flat()[..self.summed() * L], &mut self.now.flat_mut()[(steps + 2) * L..]);
        let (times, after) = (self.last.all()[steps + 1], &mut self.now.all_mut()[steps + 1..]);
        // zero times what is not finite is not zero
        let flaws = after[1 + 2 * self.n].map(|sum| sum * 0.0);
        for l in 0..L {
            after[0][l] = times[l] + h[l];
        }
        for lane in arrives {
            after[0][lane] = self.ends[lane];
        }
        let fates = &mut self.fates;
        for lane in LaneSet::marked(&flaws).and(fates.busy).without(fates.failed) {
            fates.fail(lane, StepError::NotFinite { t: times[lane] });
            after[0][lane] = times[lane];
        }
        fates.stepped = fates.busy.without(fates.failed);
        fates.arrived = arrives.and(fates.stepped);
        self.statistics.evaluations += fates.busy.count();
        self.statistics.steps += fates.stepped.count();
        fates.arrived.or(fates.failed)
    }

    fn progress(&self, lane: usize) -> Progress {
        self.fates.of(lane)
    }

    fn time(&self, lane: usize) -> f64 {
        self.now.all()[self.steps() + 1][lane]
    }

    fn state(&self, lane: usize, y: &mut [f64]) {
        y.iter_mut().zip(&self.now.all()[self.steps() + 2..]).for_each(|(y, row)| *y = row[lane]);
    }
}
