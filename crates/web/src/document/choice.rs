//! Of many samples those that show a motion best.
//!
//! Begin with samples that have to stay (the ends, events, both sides of a jump). Of all samples between two neighbours the one farthest from the
//! straight line through them,
//!
//! ```text
//! max over columns j of |yⱼ(t) − (1 − s) yⱼ(a) − s yⱼ(b)| / (max yⱼ − min yⱼ),    s = (t − a)/(b − a),
//! ```
//!
//! is added, where that is most, until there are as many as wanted. Fast parts and sharp turns get more samples than slow ones: what is left out
//! differs from straight lines by as little everywhere, and from the cubics that a page draws by less.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A column whose values differ by less than this part of them, such as the energy, is constant.
const CONSTANT: f64 = 1e-9;

/// Samples: times, and one row of numbers for each.
pub(super) struct Samples<'a> {
    pub(super) times: &'a [f64],
    pub(super) values: &'a [f64],
}

impl Samples<'_> {
    fn columns(&self) -> usize {
        self.values.len() / self.times.len().max(1)
    }

    fn row(&self, k: usize) -> &[f64] {
        let columns = self.columns();
        &self.values[k * columns..(k + 1) * columns]
    }

    /// One over the width of each column, or 0 where it is constant but for rounding.
    fn scales(&self) -> Vec<f64> {
        let ends = |j: usize| {
            let column = (0..self.times.len()).map(|k| self.row(k)[j]).filter(|x| x.is_finite());
            column.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let scale = |(low, high): (f64, f64)| {
            if high - low > CONSTANT * low.abs().max(high.abs()) { 1.0 / (high - low) } else { 0.0 }
        };
        (0..self.columns()).map(|j| scale(ends(j))).collect()
    }

    /// The sample between two others that is farthest from their straight line.
    fn farthest(&self, [a, b]: [usize; 2], scales: &[f64]) -> Option<Gap> {
        let (from, to) = (self.row(a), self.row(b));
        let distance = |k: usize| {
            let s = (self.times[k] - self.times[a]) / (self.times[b] - self.times[a]);
            let off = |j: usize| ((self.row(k)[j] - from[j] - s * (to[j] - from[j])) * scales[j]).abs();
            (0..scales.len()).map(off).fold(0.0, f64::max)
        };
        (a + 1..b).map(|at| Gap { error: distance(at), ends: [a, b], at }).max()
    }
}

/// A stretch without samples, and where one is missed most.
#[derive(Debug, PartialEq)]
struct Gap {
    error: f64,
    ends: [usize; 2],
    at: usize,
}

impl Eq for Gap {}

impl Ord for Gap {
    fn cmp(&self, other: &Gap) -> Ordering {
        // of equals the one in the middle, so that a straight motion has even samples
        let width = |g: &Gap| (g.at - g.ends[0]).min(g.ends[1] - g.at);
        self.error.total_cmp(&other.error).then(width(self).cmp(&width(other))).then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Gap {
    fn partial_cmp(&self, other: &Gap) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The places of at most `most` samples, in their order, and of those that have to stay; `stay` ascends, from the first to the last.
pub(super) fn chosen(samples: &Samples<'_>, stay: &[usize], most: usize) -> Vec<usize> {
    let scales = samples.scales();
    let mut out = stay.to_vec();
    let mut gaps: BinaryHeap<Gap> = stay.windows(2).filter_map(|w| samples.farthest([w[0], w[1]], &scales)).collect();
    while out.len() < most {
        let Some(Gap { ends: [a, b], at, .. }) = gaps.pop() else { break };
        out.push(at);
        gaps.extend([[a, at], [at, b]].into_iter().filter_map(|ends| samples.farthest(ends, &scales)));
    }
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_get_samples_and_straight_lines_few() {
        // at rest, then a wave that becomes faster, then at rest
        let times: Vec<f64> = (0..1001).map(|k| f64::from(k) / 100.0).collect();
        let wave = |t: f64| if (4.0..6.0).contains(&t) { (8.0 * (t - 4.0) * (t - 4.0)).sin() } else { 0.0 };
        let values: Vec<f64> = times.iter().flat_map(|t| [wave(*t), 3.0]).collect();
        let kept = chosen(&Samples { times: &times, values: &values }, &[0, 400, 1000], 80);
        assert_eq!((kept.len(), kept[0], kept[79]), (80, 0, 1000));
        assert!(kept.windows(2).all(|w| w[0] < w[1]) && kept.contains(&400));
        let moving = kept.iter().filter(|k| (400..=600).contains(*k)).count();
        assert!(moving > 70, "{moving}");
        let within = |k: usize| {
            let b = kept.partition_point(|x| *x < k).max(1);
            let (a, b) = (kept[b - 1], kept[b]);
            let s = (times[k] - times[a]) / (times[b] - times[a]);
            (wave(times[k]) - wave(times[a]) - s * (wave(times[b]) - wave(times[a]))).abs()
        };
        let worst = (0..=1000).map(within).fold(0.0, f64::max);
        let even = (0..=1000).map(|k| {
            let (a, b) = (k / 13 * 13, (k / 13 * 13 + 13).min(1000));
            let s = if b > a { (times[k] - times[a]) / (times[b] - times[a]) } else { 0.0 };
            (wave(times[k]) - wave(times[a]) - s * (wave(times[b]) - wave(times[a]))).abs()
        });
        let even = even.fold(0.0, f64::max);
        assert!(10.0 * worst < even, "{worst} rather than {even}");
    }

    #[test]
    fn a_straight_motion_has_even_samples() {
        let times: Vec<f64> = (0..=64).map(f64::from).collect();
        let kept = chosen(&Samples { times: &times, values: &times }, &[0, 64], 9);
        assert_eq!(kept, [0, 8, 16, 24, 32, 40, 48, 56, 64]);
    }
}
