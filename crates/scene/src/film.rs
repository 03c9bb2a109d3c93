//! A motion as frames: times, and the numbers of a sample at each.

use polhode_geometry::dense::{M, V};
use polhode_simulate::{Compiled, Sample};

/// Frames of a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Film {
    /// When they are.
    pub times: Vec<f64>,
    /// The numbers of each, in the order of the report.
    pub frames: Vec<Vec<f64>>,
}

impl Film {
    /// The frames of samples of a compiled system.
    pub fn of(compiled: &Compiled, samples: &[Sample]) -> Film {
        let width = compiled.program.report.outputs.len();
        let row = |s: &Sample| (0..width).map(|k| s.number(k)).collect();
        Film { times: samples.iter().map(Sample::t).collect(), frames: samples.iter().map(row).collect() }
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The frame nearest to a time.
    pub fn nearest(&self, t: f64) -> usize {
        let later = self.times.partition_point(|x| *x < t).min(self.len().saturating_sub(1));
        match later.checked_sub(1) {
            Some(before) if t - self.times[before] < self.times[later] - t => before,
            _ => later,
        }
    }
}

/// The three numbers of a frame at these places.
pub fn vector(frame: &[f64], places: &[usize; 3]) -> V {
    places.map(|k| frame[k])
}

/// The rotation of a frame at these places.
pub fn matrix(frame: &[f64], places: &[usize; 9]) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| frame[places[3 * i + j]]))
}

pub(crate) fn is_finite(v: &V) -> bool {
    v.iter().all(|x| x.is_finite())
}
