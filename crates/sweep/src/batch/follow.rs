//! What is done with motions that go side by side: reductions, the balance of the energy, and whether they have to be left.
//!
//! A motion is left to the engine of single motions, from its start, when it may have come to an end. Let f be a function that has one sign until then. After a step
//! from f₀ to f₁ by way of f_½ in its middle the motion is quiet where
//!
//! ```text
//! all have one sign,        min(|f₀|, |f_½|, |f₁|) > 2 (|f_½ − f₀| + |f₁ − f_½|);
//! ```
//!
//! where it is not, the step is looked at in eight places, and each part between two of them has to be quiet in the same sense with its neighbours' differences
//! added to its own. Without dense output it is left at once. A function that dips to zero and back within half a step, although it is almost the same at both
//! ends of that half, is not seen.

use super::lanes::{Fast, PLACES, Watched};
use crate::reduce::Reducer;
use polhode_integrate::batch::{Lanes, Motions, Progress};
use polhode_integrate::{StepError, Unit};
use polhode_simulate::{ObservedStep, Observer};
use polhode_tape::{Kernel, Op, Tape};
use std::sync::atomic::{AtomicBool, Ordering};

/// Functions of the state at any times of a step.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    kernel: Fast,
    /// The components that they depend on.
    needed: Vec<usize>,
    /// Those of them that form unit vectors.
    units: Vec<Unit>,
    inputs: Vec<f64>,
}

impl Inside {
    pub(super) fn new(kernel: Fast, tape: &Tape, units: &[Unit]) -> Inside {
        let reads = |i: &usize| tape.ops.iter().any(|op| matches!(op, Op::Input(k) if *k as usize == i + 1));
        let n = tape.inputs.len() - 1;
        let units: Vec<Unit> = units.iter().filter(|u| (*u).clone().any(|i| reads(&i))).cloned().collect();
        let needed = (0..n).filter(|i| reads(i) || units.iter().any(|u| u.contains(i))).collect();
        Inside { kernel, needed, units, inputs: vec![0.0; tape.inputs.len() * PLACES] }
    }

    /// Their values at eight times, function by function.
    fn values(&mut self, batch: &Watched, lane: usize, times: &[f64; PLACES], out: &mut [f64]) {
        self.inputs[..PLACES].copy_from_slice(times);
        let end = batch.time(lane);
        for i in &self.needed {
            let row = &mut self.inputs[(1 + i) * PLACES..][..PLACES];
            row.copy_from_slice(&batch.dense().at_eight(lane, times, *i));
            // the end is known with what rounding took
            let known = batch.component(lane, *i);
            row.iter_mut().zip(times).filter(|(_, t)| **t == end).for_each(|(x, _)| *x = known);
        }
        for unit in &self.units {
            for l in 0..PLACES {
                let square: f64 = unit.clone().map(|i| self.inputs[(1 + i) * PLACES + l].powi(2)).sum();
                let length = square.sqrt();
                unit.clone().for_each(|i| self.inputs[(1 + i) * PLACES + l] /= length);
            }
        }
        self.kernel.evaluate(PLACES, &self.inputs, out);
    }
}

/// A step of a lane as reductions see it.
struct View<'a> {
    batch: &'a Watched,
    lane: usize,
    start: f64,
    inside: &'a mut Inside,
    scratch: &'a mut Vec<f64>,
}

impl ObservedStep for View<'_> {
    fn start(&self) -> f64 {
        self.start
    }

    fn end(&self) -> f64 {
        self.batch.time(self.lane)
    }

    fn at_eight(&mut self, times: &[f64; PLACES], numbers: &mut [f64]) {
        self.inside.values(self.batch, self.lane, times, numbers);
    }

    fn at(&mut self, t: f64, numbers: &mut [f64]) {
        self.scratch.resize(numbers.len() * PLACES, 0.0);
        self.inside.values(self.batch, self.lane, &[t; PLACES], self.scratch);
        numbers.iter_mut().zip(self.scratch.chunks_exact(PLACES)).for_each(|(x, row)| *x = row[0]);
    }
}

/// How all motions of a sweep are followed.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// The numbers that are watched, and the functions that end a motion, within steps.
    pub(super) watched: Inside,
    pub(super) look: Inside,
    /// How many functions may end a motion; the next one is the energy.
    pub(super) borders: usize,
    pub(super) works: Vec<usize>,
    pub(super) end: f64,
    pub(super) most_steps: u64,
}

/// One motion.
#[derive(Debug)]
pub(super) struct Motion {
    start: Vec<f64>,
    pub(super) reducer: Reducer,
    pub(super) steps: u64,
    energy: f64,
    pub(super) drift: f64,
    left: bool,
    /// Where it has arrived; nothing if it was left, or no step could be made.
    pub(super) last: Option<(f64, Vec<f64>)>,
}

impl Motion {
    pub(super) fn new(start: Vec<f64>, reducer: Reducer) -> Motion {
        Motion { start, reducer, steps: 0, energy: f64::NAN, drift: 0.0, left: false, last: None }
    }
}

/// Motions that are to be carried out.
pub(super) struct Crew<'a> {
    pub(super) rules: &'a mut Rules,
    pub(super) motions: &'a mut [Motion],
    pub(super) begun: usize,
    pub(super) stop: &'a AtomicBool,
    pub(super) scratch: Vec<f64>,
}

impl Crew<'_> {
    /// Whether no function that ends a motion can have had a zero in the last step of a lane.
    fn is_quiet(&mut self, batch: &Watched, lane: usize) -> bool {
        let quiet = |k: usize| {
            let ([a, b], m) = (batch.ends(lane, k), batch.middle(lane, k));
            let change = (m - a).abs() + (b - m).abs();
            a * b > 0.0 && a * m > 0.0 && a.abs().min(b.abs()).min(m.abs()) > 2.0 * change
        };
        if (0..self.rules.borders).all(quiet) {
            return true;
        }
        let Some(start) = batch.dense().began(lane) else { return false };
        let length = batch.time(lane) - start;
        let times: [f64; PLACES] = std::array::from_fn(|j| start + length * (j as f64 / (PLACES - 1) as f64));
        self.scratch.resize((self.rules.borders + 1) * PLACES, 0.0);
        self.rules.look.values(batch, lane, &times, &mut self.scratch);
        self.scratch.chunks_exact(PLACES).take(self.rules.borders).all(|row| {
            let change = |j: usize| row.get(j + 1).map_or(0.0, |x| (x - row[j]).abs());
            (0..PLACES - 1).all(|j| {
                let around = change(j) + change(j + 1) + if j > 0 { change(j - 1) } else { 0.0 };
                row[j] * row[j + 1] > 0.0 && row[j].abs().min(row[j + 1].abs()) > 2.0 * around
            })
        })
    }
}

impl Motions<Watched> for Crew<'_> {
    const LOOKS: bool = true;

    fn next(&mut self, y: &mut [f64]) -> Option<(f64, f64)> {
        let motion = self.motions.get(self.begun)?;
        self.begun += 1;
        y.copy_from_slice(&motion.start);
        Some((0.0, self.rules.end))
    }

    fn stepped(&mut self, motion: usize, batch: &Watched, lane: usize) -> bool {
        let quiet = self.is_quiet(batch, lane);
        let m = &mut self.motions[motion];
        m.steps += 1;
        let more = batch.progress(lane) == Progress::Stepped;
        if !quiet || (more && m.steps >= self.rules.most_steps) || self.stop.load(Ordering::Relaxed) {
            m.left = true;
            return false;
        }
        let [before, after] = batch.ends(lane, self.rules.borders);
        if m.steps == 1 {
            m.energy = before;
        }
        let work: f64 = self.rules.works.iter().map(|k| batch.component(lane, *k)).sum();
        m.drift = m.drift.max((after - m.energy - work).abs());
        if let Some(start) = batch.dense().began(lane) {
            let (inside, scratch) = (&mut self.rules.watched, &mut self.scratch);
            m.reducer.step(&mut View { batch, lane, start, inside, scratch });
        }
        true
    }

    fn ended(&mut self, motion: usize, t: f64, y: &[f64], outcome: Result<(), StepError>) {
        let m = &mut self.motions[motion];
        if outcome.is_ok() && !m.left {
            m.last = Some((t, y.to_vec()));
        }
    }
}
