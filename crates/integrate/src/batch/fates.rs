//! Sets of lanes, and what became of each lane in the last step.

use super::Progress;
use crate::stepper::StepError;

/// Some of the lanes, of which there are at most 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneSet(u64);

impl LaneSet {
    /// Those with another number than zero. Numbers rather than truth values, since compilers make vectors of loops over
    /// them; most often all are zero, which is seen at once.
    pub fn marked<const L: usize>(marks: &[f64; L]) -> LaneSet {
        let sum: f64 = marks.iter().map(|x| x.abs()).sum();
        // also where one is undefined
        if sum == 0.0 { LaneSet::default() } else { LaneSet::of_marks(marks) }
    }

    #[cold]
    fn of_marks<const L: usize>(marks: &[f64; L]) -> LaneSet {
        LaneSet((0..L).fold(0, |set, l| set | u64::from(marks[l] != 0.0) << l))
    }

    /// The first so many.
    pub fn first(count: usize) -> LaneSet {
        LaneSet(u64::MAX >> (64 - count))
    }

    /// Has it this lane?
    pub fn contains(self, lane: usize) -> bool {
        self.0 >> lane & 1 == 1
    }

    /// Has it none?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many it has.
    pub fn count(self) -> u64 {
        u64::from(self.0.count_ones())
    }

    /// Adds a lane.
    pub fn insert(&mut self, lane: usize) {
        self.0 |= 1 << lane;
    }

    /// Takes a lane out.
    pub fn remove(&mut self, lane: usize) {
        self.0 &= !(1 << lane);
    }

    /// What both have.
    pub fn and(self, other: LaneSet) -> LaneSet {
        LaneSet(self.0 & other.0)
    }

    /// What either has.
    pub fn or(self, other: LaneSet) -> LaneSet {
        LaneSet(self.0 | other.0)
    }

    /// What the other has not.
    pub fn without(self, other: LaneSet) -> LaneSet {
        LaneSet(self.0 & !other.0)
    }
}

impl Iterator for LaneSet {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let lane = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.remove(lane);
        Some(lane)
    }
}

/// What became of the lanes.
#[derive(Clone, Debug)]
pub(super) struct Fates<const L: usize> {
    /// Lanes with a motion.
    pub(super) busy: LaneSet,
    /// Those that made a step.
    pub(super) stepped: LaneSet,
    /// Those that are at their ends.
    pub(super) arrived: LaneSet,
    /// Those that could make none.
    pub(super) failed: LaneSet,
    errors: [StepError; L],
}

impl<const L: usize> Fates<L> {
    /// No lane has a motion.
    pub(super) fn new() -> Fates<L> {
        let none = LaneSet::default();
        Fates { busy: none, stepped: none, arrived: none, failed: none, errors: [StepError::NotFinite { t: 0.0 }; L] }
    }

    /// A motion begins in a lane.
    pub(super) fn begin(&mut self, lane: usize) {
        self.clear(lane);
        self.busy.insert(lane);
    }

    /// A lane has no motion any more.
    pub(super) fn clear(&mut self, lane: usize) {
        for set in [&mut self.busy, &mut self.stepped, &mut self.arrived, &mut self.failed] {
            set.remove(lane);
        }
    }

    /// No step could be made in a lane.
    #[cold]
    pub(super) fn fail(&mut self, lane: usize, error: StepError) {
        self.failed.insert(lane);
        self.errors[lane] = error;
    }

    pub(super) fn of(&self, lane: usize) -> Progress {
        match lane {
            _ if self.failed.contains(lane) => Progress::Failed(self.errors[lane]),
            _ if self.arrived.contains(lane) => Progress::Arrived,
            _ if self.stepped.contains(lane) => Progress::Stepped,
            _ if self.busy.contains(lane) => Progress::Refused,
            _ => Progress::Idle,
        }
    }
}
