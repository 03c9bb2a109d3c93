//! DOP853: the explicit Runge–Kutta method of order 8 of Dormand and Prince, with step control
//! and dense output [HairerNorsettWanner1993, ch. II].
//!
//! ```text
//! kᵢ = f(t + cᵢh, y + h Σⱼ aᵢⱼ kⱼ),  i = 1 … 12,      y⁺ = y + h Σᵢ bᵢ kᵢ
//! err = |h| e₅² / √(n (e₅² + e₃²/100))                h⁺ = h · min(6, max(1/3, 0.9 err^(−1/8)))
//! ```
//!
//! where e₅, e₃ are the norms of the differences from the embedded solutions of order 5 and 3,
//! each component divided by `absolute + relative·max(|yᵢ|, |yᵢ⁺|)`. A step costs 12 evaluations,
//! since k₁ is the slope that ended the step before. The polynomial of degree 7 within a step
//! costs 3 more and is only made when asked for; a sketch of the step is the cubic through both ends
//! with their slopes, and costs nothing.
//!
//! If errors grew since the last step, the next step is also kept below what follows when they go
//! on growing at that rate, h⁺ ≤ 0.9 h err^(−1/8) (h/h₋) (err₋/err)^(1/8) [HairerWanner1996, ch. IV,
//! after Gustafsson]. On Kepler's ellipse with e = ½ that leaves a quarter to a third of the refusals.
//!
//! Time and state are compensated sums. For the energy of Kepler's problem that changes nothing (its
//! drift is that of the method), but motions that enlarge rounding gain: a disk that bounces deeply is
//! off by 1.6e-12 after ten seconds at the tightest tolerance, and by 8.6e-12 without.

pub mod coefficients;

use crate::compensation::{self, Clock};
use crate::field::VectorField;
use crate::segment::{Basis, Segment, evaluate, fraction};
use crate::stepper::{SKETCHED, Statistics, StepError, Stepper, Tolerance, Unit};
use coefficients as table;
use coefficients::Row;

/// Rows of stages: k₁ … k₁₂, the slope at the end, and three for dense output.
const STAGES: usize = 16;
/// Row of the slope at the end.
const END: usize = 12;
/// Coefficients of the dense output.
const TERMS: usize = 8;

/// Where the slope of the present state is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slope {
    /// Nowhere yet.
    Unknown,
    /// In the first row: the last step tried from here failed.
    First,
    /// In row [`END`]: the last step led here.
    End,
}

/// How much is known of the motion within the last step.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Dense {
    /// There is no last step.
    Nothing,
    /// k₁ … k₁₂ and the slope at the end.
    Stages,
    /// All 16 stages.
    Extended,
    /// The coefficients.
    Ready,
}

/// The integrator, at some time of a motion.
#[derive(Clone, Debug)]
pub struct Dop853<F> {
    field: F,
    n: usize,
    tolerance: Tolerance,
    units: Vec<Unit>,
    longest: f64,                 // the largest |h| allowed
    guess: Option<f64>,           // |h| for the next step
    previous: Option<(f64, f64)>, // |h| and err^(1/8) of the last step
    clock: Clock,
    y: Vec<f64>,
    rest: Vec<f64>, // what rounding took from y
    slope: Slope,
    k: Vec<f64>,          // the stages, row by row
    point: Vec<f64>,      // t and y of the stage
    trial: Vec<f64>,      // y⁺
    trial_rest: Vec<f64>, // what rounding took from y⁺
    increment: Vec<f64>,  // Σᵢ bᵢ kᵢ
    work: Vec<f64>,       // 2 n
    before: Clock,        // when the last step began
    h: f64,               // its length
    start: Vec<f64>,
    dense: Dense,
    coefficients: Vec<f64>,
    statistics: Statistics,
}

impl<F: VectorField<f64>> Dop853<F> {
    /// Begins at (t, y). The `units` are parts of the state that are made unit after each step.
    ///
    /// Panics if the field has another dimension, or a unit does not lie within the state.
    pub fn new(field: F, t: f64, y: Vec<f64>, tolerance: Tolerance, units: Vec<Unit>) -> Dop853<F> {
        let n = field.dimension();
        assert_eq!(n, y.len(), "the state has the dimension of the field");
        assert!(units.iter().all(|u| u.end <= n), "units lie within the state");
        Dop853 {
            field,
            n,
            tolerance,
            units,
            longest: f64::INFINITY,
            guess: None,
            previous: None,
            clock: Clock::new(t),
            slope: Slope::Unknown,
            k: vec![0.0; STAGES * n],
            point: vec![0.0; n + 1],
            trial: vec![0.0; n],
            trial_rest: vec![0.0; n],
            rest: vec![0.0; n],
            increment: vec![0.0; n],
            work: vec![0.0; 2 * n],
            before: Clock::new(t),
            h: 0.0,
            start: y.clone(),
            dense: Dense::Nothing,
            coefficients: vec![0.0; TERMS * n],
            statistics: Statistics::default(),
            y,
        }
    }

    /// No step is longer than this.
    pub fn with_longest_step(mut self, h: f64) -> Dop853<F> {
        self.longest = h.abs();
        self
    }

    /// The length of the first step; otherwise it is estimated.
    pub fn with_first_step(mut self, h: f64) -> Dop853<F> {
        self.guess = Some(h.abs());
        self
    }

    /// What is integrated.
    pub fn field(&self) -> &F {
        &self.field
    }

    /// Row `stage` := f at the point, whose time is clock + offset.
    fn evaluate(&mut self, stage: usize, clock: Clock, offset: f64) {
        let row = &mut self.k[stage * self.n..][..self.n];
        self.point[0] = clock.after(offset);
        self.field.rates_at(&self.point, row);
        self.statistics.evaluations += 1;
    }

    /// A stage of a step h from the present state.
    fn stage<const M: usize>(&mut self, stage: usize, row: &Row<M>, h: f64) {
        advance(row, &self.k, &self.y, h, &mut self.point[1..]);
        self.evaluate(stage, self.clock, table::C[stage] * h);
    }

    /// A stage of the last step.
    fn late_stage<const M: usize>(&mut self, stage: usize, row: &Row<M>) {
        advance(row, &self.k, &self.start, self.h, &mut self.point[1..]);
        self.evaluate(stage, self.before, table::C[stage] * self.h);
    }

    /// |y| and |ẏ| in units of the tolerance give a first step; a step of Euler's method with it
    /// estimates ÿ, and the step returned is the one whose eighth power balances the larger of both.
    fn first_step(&mut self, remaining: f64) -> f64 {
        let tolerance = self.tolerance;
        let scale = |y: f64| scale(tolerance, y);
        let size = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x / scale(*y)).powi(2)).sum::<f64>();
        let (speed, place) = (size(&self.k[..self.n], &self.y), size(&self.y, &self.y));
        let h = if speed <= 1e-10 || place <= 1e-10 { 1e-6 } else { 0.01 * (place / speed).sqrt() };
        let h = h.min(remaining.abs()).min(self.longest);
        let signed = h.copysign(remaining);
        for i in 0..self.n {
            self.point[1 + i] = self.y[i] + signed * self.k[i];
        }
        self.evaluate(1, self.clock, signed);
        let (k1, k2) = self.k[..2 * self.n].split_at(self.n);
        let change: f64 = (0..self.n).map(|i| ((k2[i] - k1[i]) / scale(self.y[i])).powi(2)).sum();
        let steepest = (change.sqrt() / h).max(speed.sqrt());
        let other = if steepest <= 1e-15 { (1e-3 * h).max(1e-6) } else { (0.01 / steepest).powf(1.0 / 8.0) };
        // undefined when the step of Euler's method leaves the domain of f
        let h = if other.is_nan() { h } else { other.min(100.0 * h) };
        h.min(self.longest)
    }

    /// Tries a step: y⁺ in `trial`, its slope in row [`END`]. The error in units of the tolerance;
    /// nothing if some value is not finite.
    fn attempt(&mut self, h: f64, target: Clock) -> Option<f64> {
        let n = self.n;
        self.stage(1, &table::A2, h);
        self.stage(2, &table::A3, h);
        self.stage(3, &table::A4, h);
        self.stage(4, &table::A5, h);
        self.stage(5, &table::A6, h);
        self.stage(6, &table::A7, h);
        self.stage(7, &table::A8, h);
        self.stage(8, &table::A9, h);
        self.stage(9, &table::A10, h);
        self.stage(10, &table::A11, h);
        self.stage(11, &table::A12, h);
        combine(&table::B, &self.k, &mut self.increment);
        for i in 0..n {
            (self.trial[i], self.trial_rest[i]) = compensation::add(self.y[i], self.rest[i], h * self.increment[i]);
        }
        if !self.trial.iter().all(|y| y.is_finite()) {
            return None;
        }
        let (b3, rest) = self.work.split_at_mut(n);
        combine(&table::B3, &self.k, b3);
        combine(&table::E5, &self.k, &mut rest[..n]);
        let (mut e3, mut e5) = (0.0, 0.0);
        for i in 0..n {
            let inverse = 1.0 / scale(self.tolerance, self.y[i].abs().max(self.trial[i].abs()));
            e3 += ((self.increment[i] - b3[i]) * inverse).powi(2);
            e5 += (rest[i] * inverse).powi(2);
        }
        let both = e5 + 0.01 * e3;
        let error = if both > 0.0 { h.abs() * e5 / (both * n as f64).sqrt() } else { 0.0 };
        if !error.is_finite() || error > 1.0 {
            return Some(if error.is_nan() { f64::INFINITY } else { error });
        }
        compensation::renormalise(&self.units, &mut self.trial, &mut self.trial_rest);
        self.point[1..].copy_from_slice(&self.trial);
        self.evaluate(END, target, 0.0);
        self.k[END * n..][..n].iter().all(|k| k.is_finite()).then_some(error)
    }

    /// The coefficients of the last step.
    fn make_dense(&mut self) {
        let (n, h) = (self.n, self.h);
        if self.dense == Dense::Stages {
            self.late_stage(13, &table::A14);
            self.late_stage(14, &table::A15);
            self.late_stage(15, &table::A16);
            self.dense = Dense::Extended;
        }
        if self.dense == Dense::Extended {
            let c = &mut self.coefficients;
            for i in 0..n {
                let change = self.y[i] - self.start[i];
                let bend = h * self.k[i] - change;
                c[i * TERMS..][..4].copy_from_slice(&[
                    self.start[i],
                    change,
                    bend,
                    change - h * self.k[END * n + i] - bend,
                ]);
            }
            let mut put = |term: usize, sums: &[f64]| (0..n).for_each(|i| c[i * TERMS + term] = h * sums[i]);
            let sums = &mut self.work[..n];
            combine(&table::D4, &self.k, sums);
            put(4, sums);
            combine(&table::D5, &self.k, sums);
            put(5, sums);
            combine(&table::D6, &self.k, sums);
            put(6, sums);
            combine(&table::D7, &self.k, sums);
            put(7, sums);
            self.dense = Dense::Ready;
        }
    }

    /// Begin and length of the last step on the clock's face.
    fn span(&self) -> (f64, f64) {
        let start = self.before.time();
        (start, self.clock.time() - start)
    }
}

/// The error a component of this size may have.
fn scale(tolerance: Tolerance, y: f64) -> f64 {
    (tolerance.absolute + tolerance.relative * y.abs()).max(f64::MIN_POSITIVE)
}

fn eighth_root(x: f64) -> f64 {
    x.sqrt().sqrt().sqrt()
}

/// sums := Σⱼ weightsⱼ kⱼ.
#[inline]
fn combine<const M: usize>(row: &Row<M>, k: &[f64], sums: &mut [f64]) {
    let n = sums.len();
    let mut rows = [&k[..n]; M];
    for j in 0..M {
        rows[j] = &k[row.stages[j] * n..][..n];
    }
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..M {
            sum += row.weights[j] * rows[j][i];
        }
        sums[i] = sum;
    }
}

/// new := y + h Σⱼ weightsⱼ kⱼ.
fn advance<const M: usize>(row: &Row<M>, k: &[f64], y: &[f64], h: f64, new: &mut [f64]) {
    combine(row, k, new);
    for (new, y) in new.iter_mut().zip(y) {
        *new = y + h * *new;
    }
}

impl<F: VectorField<f64>> Stepper<f64> for Dop853<F> {
    fn time(&self) -> f64 {
        self.clock.time()
    }

    fn state(&self) -> &[f64] {
        &self.y
    }

    fn step(&mut self, end: f64) -> Result<(), StepError> {
        let (n, t) = (self.n, self.clock.time());
        let remaining = self.clock.until(end);
        if remaining == 0.0 || t == end {
            return Ok(());
        }
        match self.slope {
            Slope::Unknown => {
                self.point[1..].copy_from_slice(&self.y);
                self.evaluate(0, self.clock, 0.0);
            }
            Slope::First => {}
            Slope::End => self.k.copy_within(END * n..(END + 1) * n, 0),
        }
        self.slope = Slope::First;
        self.dense = Dense::Nothing;
        if !self.k[..n].iter().all(|k| k.is_finite()) {
            return Err(StepError::NotFinite { t });
        }
        let wanted = match self.guess {
            Some(h) => h.min(self.longest),
            None => self.first_step(remaining),
        };
        let (mut length, mut largest_factor, mut finite) = (wanted, 6.0, true);
        loop {
            let last = 1.01 * length >= remaining.abs();
            let h = if last { remaining } else { length.copysign(remaining) };
            if !last && length <= 10.0 * f64::EPSILON * t.abs() + f64::MIN_POSITIVE {
                return Err(if finite { StepError::TooSmall { t } } else { StepError::NotFinite { t } });
            }
            let target = if last { Clock::new(end) } else { self.clock.advanced(h) };
            let error = self.attempt(h, target);
            finite &= error.is_some();
            let Some(error) = error.filter(|e| *e <= 1.0) else {
                self.statistics.rejected += 1;
                length = h.abs() * error.map_or(0.1, |e| (0.9 / eighth_root(e)).max(1.0 / 3.0));
                // a step that was just too long is not tried again
                largest_factor = 1.0;
                continue;
            };
            let mut factor = 0.9 / eighth_root(error);
            let root = eighth_root(error.max(1e-4));
            if let Some((h0, root0)) = self.previous {
                factor = factor.min(0.9 / root * (h.abs() / h0 * root0 / root));
            }
            self.previous = Some((h.abs(), root));
            let next = h.abs() * factor.clamp(1.0 / 3.0, largest_factor);
            // a step cut short by the end says little about the next one
            self.guess = Some(if last && h.abs() < wanted && largest_factor > 1.0 { next.max(wanted) } else { next });
            self.before = self.clock;
            self.clock = target;
            self.h = h;
            std::mem::swap(&mut self.start, &mut self.y);
            std::mem::swap(&mut self.y, &mut self.trial);
            std::mem::swap(&mut self.rest, &mut self.trial_rest);
            self.slope = Slope::End;
            self.dense = Dense::Stages;
            self.statistics.steps += 1;
            return Ok(());
        }
    }

    fn interpolate(&mut self, t: f64, y: &mut [f64]) {
        if self.dense == Dense::Nothing {
            y.copy_from_slice(&self.y);
            return;
        }
        self.make_dense();
        let (start, length) = self.span();
        evaluate(Basis::Alternating, TERMS, &self.coefficients, fraction(start, length, t), y);
    }

    fn interpolate_part(&mut self, t: f64, needed: &[usize], y: &mut [f64]) {
        if self.dense == Dense::Nothing {
            needed.iter().for_each(|i| y[*i] = self.y[*i]);
            return;
        }
        self.make_dense();
        let (start, length) = self.span();
        let theta = fraction(start, length, t);
        for i in needed {
            let c = &self.coefficients[i * TERMS..(i + 1) * TERMS];
            evaluate(Basis::Alternating, TERMS, c, theta, &mut y[*i..=*i]);
        }
    }

    fn sketch(&mut self, times: &[f64; SKETCHED], states: &mut [f64]) {
        let n = self.n;
        if self.dense == Dense::Nothing {
            states.chunks_exact_mut(SKETCHED).zip(&self.y).for_each(|(states, y)| states.fill(*y));
            return;
        }
        let (start, length) = self.span();
        let theta = times.map(|t| fraction(start, length, t));
        // y₀ + θ²(3 − 2θ) Δy + h θ(1 − θ)² ẏ₀ − h θ²(1 − θ) ẏ₁
        let step = theta.map(|x| x * x * (3.0 - 2.0 * x));
        let first = theta.map(|x| self.h * x * (1.0 - x) * (1.0 - x));
        let last = theta.map(|x| -(self.h * x * x * (1.0 - x)));
        let (k0, k1) = (&self.k[..n], &self.k[END * n..][..n]);
        for (i, states) in states.as_chunks_mut().0.iter_mut().enumerate() {
            let (start, change, k0, k1) = (self.start[i], self.y[i] - self.start[i], k0[i], k1[i]);
            *states =
                std::array::from_fn::<_, SKETCHED, _>(|l| start + (step[l] * change + (first[l] * k0 + last[l] * k1)));
        }
    }

    fn segment(&mut self) -> Segment<f64> {
        let (start, length) = if self.dense == Dense::Nothing {
            self.coefficients.fill(0.0);
            for i in 0..self.n {
                self.coefficients[i * TERMS] = self.y[i];
            }
            (self.clock.time(), 0.0)
        } else {
            self.make_dense();
            self.span()
        };
        let coefficients = self.coefficients.clone();
        Segment { start, length, basis: Basis::Alternating, terms: TERMS, coefficients }
    }

    fn restart(&mut self, t: f64, y: &[f64], near: bool) {
        // the polynomial that ends elsewhere has the same stages
        self.dense = if near && t == self.clock.time() { self.dense.min_extended() } else { Dense::Nothing };
        self.clock.set(t);
        compensation::replace(&mut self.y, &mut self.rest, y);
        self.slope = Slope::Unknown;
        if !near {
            (self.guess, self.previous) = (None, None);
        }
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

impl Dense {
    /// Without the coefficients.
    fn min_extended(self) -> Dense {
        if self == Dense::Ready { Dense::Extended } else { self }
    }
}
