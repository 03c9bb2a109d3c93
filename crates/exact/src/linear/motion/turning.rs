//! Turning points: the zeros of E − V_eff next to s₀.

use super::start::Ends;
use super::{Course, Motion};
use crate::budget::TURNING_STEPS;
use polhode_tape::{Dd, Scalar};

/// Places within a step where E − V_eff is looked at.
const LOOKS: usize = 12;

/// V_eff counts as touching E, and not crossing it, when it comes this near, relative to the largest E − V_eff on the way: E − V_eff is not known
/// better.
const TOUCHING: f64 = 1e-28;

/// A wall that has risen by no more than this part of E − V_eff is not felt.
const UNFELT: f64 = 1e-6;

/// At this distance from an end, relative to that of the start, w is known well enough to say so.
const NEAR: f64 = 1e-5;

impl Motion {
    /// The first zero of E − V_eff to one side.
    pub(super) fn turning(&mut self, upward: bool, ends: &Ends) -> Result<Dd, Course> {
        let start = self.start.s;
        let end = ends.to(upward, start);
        let mut below = start;
        let mut most = self.excess(start).to_f64();
        for _ in 0..TURNING_STEPS {
            let Ok((from, to)) = self.continuation.extend(upward, end) else {
                return Err(self.stopped(upward, ends));
            };
            let pole = self.pole_of_inertia(from, to);
            let parts = match pole {
                None => ends.parts(from, to),
                Some(pole) => halves(from, pole),
            };
            for (from, to) in parts {
                self.follow_excess(upward, from, to);
                for k in 1..=LOOKS {
                    let s = from + (to - from) * Dd::ratio(k as i64, LOOKS as i64);
                    let x = self.excess(s);
                    if !x.is_finite() {
                        return Err(self.stopped(upward, ends));
                    }
                    if x.to_f64() <= 0.0 {
                        return self.refined(most, below, s);
                    }
                    if let Some(turned) = self.touched(most, below, s) {
                        return turned;
                    }
                    below = s;
                    most = most.max(x.to_f64());
                }
            }
            if let Some(at) = pole {
                return Err(Course::ReachesEnd { at });
            }
            if to == end {
                return Err(ends.course(upward));
            }
        }
        Err(self.stopped(upward, ends))
    }

    /// How near to an end a wall A/σ² would turn s that was not seen to turn, relative to the room there is.
    pub(super) fn unseen_wall(&mut self, end: Dd, upward: bool, room: f64) -> f64 {
        let s = self.continuation.reached(upward);
        let distance = (end - s).to_f64().abs();
        let risen = 0.5 * distance * self.effective(s).slope.to_f64().abs();
        distance * (risen / self.excess(s).to_f64()).sqrt() / room
    }

    /// What it means that s could not be followed any farther.
    fn stopped(&mut self, upward: bool, ends: &Ends) -> Course {
        let course = ends.course(upward);
        let Course::ReachesEnd { at } = course else { return course };
        let s = self.continuation.reached(upward);
        let distance = (at - s).to_f64().abs();
        // a wall A/σ² that could still turn s is seen before: it has risen by ½σ|V_eff′|
        let risen = 0.5 * distance * self.effective(s).slope.to_f64().abs();
        let open = risen < UNFELT * self.excess(s).to_f64();
        if self.came_to(at, upward) || (open && distance < NEAR * ends.room(self.start.s)) {
            return course;
        }
        Course::Lost { at: s }
    }

    /// Where G changes its sign between two places, if it does. The coordinate ends there: z = ±l of a pendulum that swings
    /// through its lowest point.
    fn pole_of_inertia(&mut self, from: Dd, to: Dd) -> Option<Dd> {
        let mut look = (1..=LOOKS).map(|k| from + (to - from) * Dd::ratio(k as i64, LOOKS as i64));
        let (mut low, mut high) = (from, look.find(|s| self.effective(*s).inertia.to_f64() < 0.0)?);
        for _ in 0..110 {
            let middle = (low + high) * Dd::from(0.5);
            if self.effective(middle).inertia.to_f64() > 0.0 { low = middle } else { high = middle }
        }
        Some(low)
    }

    /// A maximum of V_eff between two places below E, where it is as high as E or higher.
    fn touched(&mut self, most: f64, from: Dd, to: Dd) -> Option<Result<Dd, Course>> {
        let rising = |m: &mut Motion, s: Dd| m.effective(s).slope.to_f64() * (to - from).to_f64();
        if !(rising(self, from) > 0.0 && rising(self, to) < 0.0) {
            return None;
        }
        let (mut low, mut high) = (from, to);
        for _ in 0..110 {
            let middle = (low + high) * Dd::from(0.5);
            if rising(self, middle) > 0.0 { low = middle } else { high = middle }
        }
        let left = self.excess(low).to_f64();
        if left.abs() <= TOUCHING * most {
            return Some(Err(Course::Separatrix { toward: low }));
        }
        (left < 0.0).then(|| self.refined(most, from, low))
    }

    /// The zero between a place where E − V_eff is positive and one where it is not.
    fn refined(&mut self, most: f64, inside: Dd, outside: Dd) -> Result<Dd, Course> {
        let (mut low, mut high) = (inside, outside);
        for _ in 0..60 {
            let middle = (low + high) * Dd::from(0.5);
            if self.excess(middle).to_f64() > 0.0 { low = middle } else { high = middle }
        }
        let mut s = low;
        for _ in 0..4 {
            let (x, slope) = (self.excess(s), self.effective(s).slope);
            let next = s + x / slope;
            if !next.is_finite() || (next - s).to_f64().abs() > 2.0 * (high - low).to_f64().abs() {
                break;
            }
            s = next;
        }
        // a zero of E − V_eff and of its slope at once is reached in infinite time
        let here = self.effective(s);
        let beyond = here.slope.to_f64().powi(2);
        if here.second.to_f64() < 0.0 && beyond <= TOUCHING * most * here.second.to_f64().abs() {
            return Err(Course::Separatrix { toward: s });
        }
        Ok(s)
    }
}

/// The way to a pole of V_eff in steps of half of what is left, as far as numbers tell them apart.
fn halves(from: Dd, pole: Dd) -> Vec<(Dd, Dd)> {
    let mut s = from;
    (0..80)
        .map(|_| {
            let part = (s, s + (pole - s) * Dd::from(0.5));
            s = part.1;
            part
        })
        .collect()
}
