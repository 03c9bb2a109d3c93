//! Sections: the points in which a motion crosses a surface of its phase space.
//!
//! ```text
//! g(state) = 0,  in one direction or in both;  at each crossing the numbers that are watched
//! ```
//!
//! g is one of the numbers that are watched ([`Compiled::watch`](crate::Compiled::watch)). All its zeros on every step are found as those of events are, by
//! [`Finder`] on the dense output, and nothing else of the motion is kept: a section may have as many points as memory holds.
//!
//! The start does not count, even if it lies on the surface. A zero without change of sign is no crossing.

use crate::observer::{ObservedStep, Observer};
use polhode_integrate::{Crossing, Finder, Root};
use polhode_model::Direction;

/// Zeros this close in time, relative to it, are one: where a step ends the next one begins.
const SAME: f64 = 1e-11;

/// A crossing.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionPoint {
    /// When.
    pub t: f64,
    /// Whether g grows there.
    pub rising: bool,
    /// The numbers that are watched.
    pub numbers: Vec<f64>,
}

/// The crossings of one surface.
#[derive(Clone, Debug)]
pub struct Section {
    /// Which of the numbers that are watched is g.
    pub surface: usize,
    /// Which crossings count.
    pub direction: Direction,
    /// The crossings so far, in order.
    pub points: Vec<SectionPoint>,
}

impl Section {
    /// No crossings yet.
    pub fn new(surface: usize, direction: Direction) -> Section {
        Section { surface, direction, points: Vec::new() }
    }

    fn counts(&self, root: &Root) -> bool {
        let wanted = match self.direction {
            Direction::Rising => root.kind == Crossing::Rising,
            Direction::Falling => root.kind == Crossing::Falling,
            Direction::Either => root.kind != Crossing::Touching,
        };
        let last = self.points.last().map_or(0.0, |p| p.t);
        wanted && (root.t - last).abs() > SAME * root.t.abs().max(1.0)
    }
}

/// Collects the crossings of several surfaces.
#[derive(Clone, Debug)]
pub struct Sections {
    /// The surfaces with their crossings.
    pub list: Vec<Section>,
    finder: Finder,
    roots: Vec<Root>,
    numbers: Vec<f64>,
}

impl Sections {
    /// Of these surfaces; `watched` is how many numbers are watched.
    pub fn new(list: Vec<Section>, watched: usize) -> Sections {
        Sections { list, finder: Finder::default(), roots: Vec::new(), numbers: vec![0.0; watched] }
    }
}

impl Observer for Sections {
    fn step(&mut self, step: &mut dyn ObservedStep) {
        let (start, end) = (step.start(), step.end());
        let Sections { list, finder, roots, numbers } = self;
        for section in list {
            roots.clear();
            let mut g = |t: f64| {
                step.at(t, numbers);
                numbers[section.surface]
            };
            finder.find(&mut g, start, end, roots);
            for root in roots.iter() {
                if section.counts(root) {
                    step.at(root.t, numbers);
                    let rising = root.kind == Crossing::Rising;
                    section.points.push(SectionPoint { t: root.t, rising, numbers: numbers.clone() });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    /// Steps of sin t and t.
    struct Wave(f64, f64);

    impl ObservedStep for Wave {
        fn start(&self) -> f64 {
            self.0
        }
        fn end(&self) -> f64 {
            self.1
        }
        fn at_eight(&mut self, _: &[f64; 8], _: &mut [f64]) {
            unreachable!("zeros are found one time after the other")
        }
        fn at(&mut self, t: f64, numbers: &mut [f64]) {
            numbers.copy_from_slice(&[t.sin(), t]);
        }
    }

    fn times(direction: Direction, step: f64, until: f64) -> Vec<f64> {
        let mut sections = Sections::new(vec![Section::new(0, direction)], 2);
        let mut t = 0.0;
        while t < until {
            sections.step(&mut Wave(t, t + step));
            t += step;
        }
        sections.list[0].points.iter().map(|p| p.numbers[1]).collect()
    }

    /// However the steps lie, and where a step ends on the surface as well.
    #[test]
    fn every_crossing_counts_once() {
        for step in [0.37, 1.0, PI / 2.0, PI, 2.9, 25.0] {
            let found = times(Direction::Either, step, 24.0);
            let near = |k: usize, t: &f64| (t - (k + 1) as f64 * PI).abs() < 1e-12;
            assert!(found.len() >= 7 && found.iter().enumerate().all(|(k, t)| near(k, t)), "{step}: {found:?}");
        }
        let rising = times(Direction::Rising, 0.7, 20.0);
        assert!(rising.len() == 3 && (rising[2] - 3.0 * TAU).abs() < 1e-12, "the start does not count: {rising:?}");
        assert_eq!(times(Direction::Falling, 0.7, 20.0).len(), 3);
    }
}
