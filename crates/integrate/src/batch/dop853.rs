//! DOP853 side by side. The rules are those of `dop853.rs` with the smooth scale of
//! [`tapes::dop853_step`], and with more care: a step that is refused costs as much as one that is not.

use super::fates::Fates;
use super::rows::Rows;
use super::{LaneSet, Lanes, Progress, tapes};
use crate::stepper::{Statistics, StepError, Tolerance, Unit};
use polhode_tape::{Backend, Kernel, Tape};

/// How much shorter a step is than its error allows. With 0.9 a sixth of the steps of a rattleback are refused; this
/// has a quarter of the error for the same work, and on the disk a fourteenth less work for the same error.
const SAFETY: f64 = 0.8;

/// Motions of one system by DOP853, `L` at a time.
#[derive(Clone, Debug)]
pub struct Dop853Batch<K, const L: usize> {
    step: K,
    field: K,
    n: usize,
    angles: Vec<usize>,
    rows: usize, // of a state: y, rest, slope, sines and cosines
    tolerance: Tolerance,
    now: Rows<L>,   // rows t, h, those of the state, and err^(1/8) of the step that led to it
    other: Rows<L>, // the same for the state before or after
    ends: [f64; L],
    next: [f64; L],    // times that the present steps lead to
    guess: [f64; L],   // |h| for the next step
    before: [f64; L],  // |h| of the last step
    root: [f64; L],    // err^(1/8) of the last step, infinite where there was none
    largest: [f64; L], // times that the next step may be as long
    fates: Fates<L>,
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
            now: Rows::new(2 + rows + 1),
            other: Rows::new(2 + rows + 1),
            ends: [0.0; L],
            next: [0.0; L],
            guess: [0.0; L],
            before: [1.0; L],
            root: [f64::INFINITY; L],
            largest: [6.0; L],
            fates: Fates::new(),
            one: vec![0.0; n + 1],
            rates: vec![0.0; n],
            statistics: Statistics::default(),
        })
    }

    /// What it has cost so far, all lanes together.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Rows t, y in the middle of the last steps, lane by lane, as cubics through states and slopes have them:
    /// (y₀ + y₁)/2 + h (ẏ₀ − ẏ₁)/8. Where no step was made that is the state.
    pub fn middle(&self, rows: &mut [f64]) {
        let (n, before, after) = (self.n, self.other.all(), self.now.all());
        let (rows, _) = rows.as_chunks_mut::<L>();
        for l in 0..L {
            let (t, h) = (before[0][l], after[0][l] - before[0][l]);
            rows[0][l] = t + 0.5 * h;
            for i in 0..n {
                let bend = before[2 + 2 * n + i][l] - after[2 + 2 * n + i][l];
                rows[1 + i][l] = 0.5 * (before[2 + i][l] + after[2 + i][l]) + 0.125 * h * bend;
            }
        }
    }

    fn size(&self, x: &[f64], y: &[f64]) -> f64 {
        let scale = |y: f64| (self.tolerance.absolute + self.tolerance.relative * y.abs()).max(f64::MIN_POSITIVE);
        x.iter().zip(y).map(|(x, y)| (x / scale(*y)).powi(2)).sum::<f64>()
    }

    /// The steps of all lanes; zero where there is no motion.
    fn choose(&mut self) {
        let now = self.now.all_mut();
        for l in 0..L {
            let (t, end, size) = (now[0][l], self.ends[l], self.guess[l]);
            let remaining = end - t;
            // up to one part in a hundred longer is better than a tiny step at the end
            let next = if remaining.abs() <= 1.01 * size { end } else { t + size.copysign(remaining) };
            self.next[l] = next;
            now[1][l] = next - t;
        }
    }

    /// What the errors of the steps say: which are refused, and how long may the next ones be? Without branches, since
    /// lanes differ and machines guess wrong.
    fn refused(&mut self) -> LaneSet {
        let (steps, roots) = (self.now.all()[1], self.other.all()[2 + self.rows]);
        let (before, last, largest) = (self.before, self.root, self.largest);
        let mut marks = [0.0; L];
        for l in 0..L {
            let (h, root) = (steps[l].abs(), roots[l]);
            let usual = SAFETY / root;
            let bounded = if root > 0.316 { root } else { 0.316 }; // of 1e-4
            // if errors grew since the last step, they may go on doing so
            let wary = SAFETY * h * last[l] / (before[l] * bounded * bounded);
            let factor = if wary < usual { wary } else { usual };
            let factor = if factor < largest[l] { factor } else { largest[l] };
            let factor = if root <= 1.0 { factor } else { usual };
            let factor = if factor > 1.0 / 3.0 { factor } else { 1.0 / 3.0 };
            let factor = if root < f64::INFINITY { factor } else { 0.1 };
            self.guess[l] = h * factor;
            // a step that was just too long is not tried again
            self.largest[l] = if root <= 1.0 { 6.0 } else { 1.0 };
            self.root[l] = if root <= 1.0 { bounded } else { last[l] };
            self.before[l] = if root <= 1.0 { h } else { before[l] };
            marks[l] = if root <= 1.0 { 0.0 } else { 1.0 };
        }
        LaneSet::marked(&marks)
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
        let now = self.now.all_mut();
        now[0][lane] = t;
        for i in 0..n {
            now[2 + i][lane] = y[i];
            now[2 + n + i][lane] = 0.0;
            now[2 + 2 * n + i][lane] = self.rates[i];
        }
        for (pair, i) in now[2 + 3 * n..].chunks_exact_mut(2).zip(&self.angles) {
            (pair[0][lane], pair[1][lane]) = y[*i].sin_cos();
        }
        self.ends[lane] = end;
        // the first step is short; it may grow sixfold every time
        let (speed, place) = (self.size(&self.rates, y), self.size(y, y));
        let h = if speed <= 1e-10 || place <= 1e-10 { 1e-6 } else { 0.01 * (place / speed).sqrt() };
        self.guess[lane] = h;
        (self.before[lane], self.root[lane], self.largest[lane]) = (1.0, f64::INFINITY, 6.0);
        self.fates.begin(lane);
    }

    fn clear(&mut self, lane: usize) {
        self.fates.clear(lane);
        self.ends[lane] = self.time(lane);
    }

    fn step(&mut self) -> LaneSet {
        self.choose();
        let after = &mut self.other.flat_mut()[2 * L..];
        self.step.evaluate(L, &self.now.flat()[..(2 + self.rows) * L], after);
        let refused = self.refused().and(self.fates.busy);
        let (now, after) = (self.now.all(), self.other.all_mut());
        after[0] = self.next;
        let fates = &mut self.fates;
        fates.failed = LaneSet::default();
        // time stands still, and not at the end
        let mut stuck = [0.0; L];
        for l in 0..L {
            stuck[l] = if now[1][l] == 0.0 { self.ends[l] - now[0][l] } else { 0.0 };
        }
        for lane in LaneSet::marked(&stuck).and(fates.busy) {
            fates.fail(lane, StepError::TooSmall { t: now[0][lane] });
        }
        fates.stepped = fates.busy.without(refused).without(fates.failed);
        for lane in refused {
            let is_finite = after[2 + self.rows][lane].is_finite();
            after.iter_mut().zip(now).for_each(|(after, now)| after[lane] = now[lane]);
            let t = now[0][lane];
            if self.guess[lane] <= 10.0 * f64::EPSILON * t.abs() + f64::MIN_POSITIVE {
                let error = if is_finite { StepError::TooSmall { t } } else { StepError::NotFinite { t } };
                fates.fail(lane, error);
            }
        }
        let mut at_end = [0.0; L];
        for l in 0..L {
            at_end[l] = if self.next[l] == self.ends[l] { 1.0 } else { 0.0 };
        }
        fates.arrived = LaneSet::marked(&at_end).and(fates.stepped);
        self.statistics.evaluations += 12 * fates.busy.count();
        self.statistics.steps += fates.stepped.count();
        self.statistics.rejected += refused.count();
        std::mem::swap(&mut self.now, &mut self.other);
        fates.arrived.or(fates.failed)
    }

    fn progress(&self, lane: usize) -> Progress {
        self.fates.of(lane)
    }

    fn time(&self, lane: usize) -> f64 {
        self.now.all()[0][lane]
    }

    fn state(&self, lane: usize, y: &mut [f64]) {
        y.iter_mut().zip(&self.now.all()[2..]).for_each(|(y, row)| *y = row[lane]);
    }
}
