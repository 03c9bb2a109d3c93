//! Looking for the first return.
//!
//! Along the motion s(t) the point of the orbit of the start that is nearest to it is followed,
//!
//! ```text
//! d(t) = min_g |s(t) − g s(0)|,                                                                     (D)
//! ```
//!
//! by Gauss–Newton from where it was before. Near a return d has a corner, d ≈ |ż| |t − T|; every minimum on a grid of several points per step of the integrator
//! is refined by Gauss–Newton in (t, g) together. What is left is a return if it is rounding, and a close pass if it is not: with t and g the
//! only unknowns a motion that does not return cannot be made to.

use super::dynamics::{Dynamics, at};
use super::group::{Action, rank};
use super::linear::{flow, length};
use super::steadiness::nearest;
use super::{NoReturn, ReturnOptions};
use crate::budget::SEARCH_TIME;
use polhode_integrate::{Segment, Stepper};
use polhode_tape::dense::least_squares;
use polhode_tape::{Dd, Scalar};

/// Points of the grid on every step. A step of a series is a small part of the time in which the motion changes.
const POINTS: usize = 4;

/// The same in double-doubles, where a step of a nearly steady motion is as long as its oscillation.
const POINTS_EXTENDED: usize = 24;

/// Gauss–Newton steps while the nearest point is followed: in doubles a few come near enough, in double-doubles an oscillation may be as small as 10⁻²⁰.
const TRACKING: usize = 3;
const TRACKING_EXTENDED: usize = 10;

/// Most Gauss–Newton steps of a refinement: from a grid point it converges quadratically.
const REFINING: usize = 12;

/// Passes nearer than this part of the largest distance are looked at in more digits.
const NEAR: f64 = 1e-4;

/// A minimum above this part of the largest distance is none worth refining.
const SHALLOW: f64 = 0.6;

/// The reduced speed has fallen to this part of its largest value: the motion may have come to a steady one. It may as well have turned fast before.
const SETTLED: f64 = 1e-6;

/// So many steps in a row at a settled speed end the search, if there is a steady motion: one that comes out of its neighbourhood later than this has forgotten where it went in.
const PATIENCE: usize = 100;

/// A steady motion this near, as part of the size of the state, is the one that a settled motion tends to.
const BESIDE: f64 = 1e-3;

/// An oscillation that is smaller than this part of the state after some steps is looked at in double-doubles.
const FAINT: f64 = 1e-6;
const FAINT_AFTER: usize = 60;

/// A time at which the motion passes near the orbit of its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    pub(crate) t: f64,
    pub(crate) distance: f64,
    /// The largest distance before.
    pub(crate) largest: f64,
}

/// What was seen on the way.
#[derive(Clone, Debug, Default)]
struct Seen {
    largest: f64,
    closest: Option<Pass>,
    /// The times of passes nearer than all before.
    nearer: Vec<f64>,
    /// Smallest and largest speed across the orbits.
    slowest: f64,
    fastest: f64,
    /// Where and when it was slowest.
    slow: (f64, Vec<Dd>),
    /// Largest distance in each stretch of the search.
    stretches: Vec<f64>,
}

/// Follows the motion; `decide` says of a near pass whether it is a return.
pub(crate) fn search<S: Scalar, R>(
    dynamics: &Dynamics,
    action: &Action,
    start: &[S],
    options: &ReturnOptions,
    steps: usize,
    mut decide: impl FnMut(Pass) -> Option<R>,
) -> Result<R, NoReturn> {
    let mut reader = dynamics.reader::<S>();
    let first = reader.symbols(start);
    // the time in which the motion changes by its own size: free motions have no other
    let scale = length(&first) / length(&reader.symbol_rates(start)).max(f64::MIN_POSITIVE);
    let mut stepper = dynamics.stepper(start).with_longest_step(scale);
    let mut nearest = first.clone();
    let doubles = S::EPSILON > 1e-20;
    let (tracking, points) = if doubles { (TRACKING, POINTS) } else { (TRACKING_EXTENDED, POINTS_EXTENDED) };
    let mut seen = Seen { slowest: f64::INFINITY, ..Seen::default() };
    let mut before: [(f64, f64); 2] = [(0.0, 0.0); 2];
    let mut pieces: Vec<Segment<S>> = Vec::new();
    let end = S::from_f64(options.until.min(SEARCH_TIME * scale));
    let mut settled = 0;
    let mut asked = 0;
    let mut state = vec![S::default(); start.len()];
    for step in 0..steps {
        if stepper.time() >= end {
            break;
        }
        let from = stepper.time();
        if let Err(why) = stepper.step(end) {
            return Err(NoReturn::Stops { t: from.to_f64(), why: why.to_string() });
        }
        if step * STRETCHES / steps >= seen.stretches.len() {
            seen.stretches.push(0.0);
        }
        if pieces.len() == 2 {
            pieces.remove(0);
        }
        pieces.push(stepper.segment());
        let length_of_step = stepper.time() - from;
        for k in 1..=points {
            let t = from + length_of_step * S::from_f64(k as f64 / points as f64);
            stepper.interpolate(t, &mut state);
            let s = reader.symbols(&state);
            let mut distance = action.approach(&s, &mut nearest, tracking, |_| {});
            if distance > 0.5 * seen.largest {
                // the point that was followed may be the nearest no more
                let mut again = first.clone();
                let other = action.approach(&s, &mut again, tracking, |_| {});
                if other < distance {
                    (nearest, distance) = (again, other);
                }
            }
            if !distance.is_finite() {
                return Err(NoReturn::Stops { t: t.to_f64(), why: "the motion has no finite values".into() });
            }
            let [a, b] = before;
            if b.1 < a.1 && b.1 <= distance && b.1 < SHALLOW * seen.largest {
                let pass = refine(&mut reader, action, &pieces, &first, &nearest, S::from_f64(b.0), seen.largest);
                if seen.closest.is_none_or(|c| pass.distance < c.distance) {
                    seen.closest = Some(pass);
                    seen.nearer.push(pass.t);
                }
                if pass.t > 0.5 * b.0 && pass.distance < NEAR * seen.largest && asked < options.attempts {
                    asked += 1;
                    if let Some(found) = decide(pass) {
                        return Ok(found);
                    }
                }
            }
            before = [b, (t.to_f64(), distance)];
            seen.largest = seen.largest.max(distance);
            if let Some(last) = seen.stretches.last_mut() {
                *last = last.max(distance);
            }
        }
        if doubles && step == FAINT_AFTER && seen.largest < FAINT * length(&first) {
            return Err(NoReturn::NearlySteady { part: seen.largest / length(&first) });
        }
        let s = reader.symbols(stepper.state());
        let rate = reader.symbol_rates(stepper.state());
        let speed = length(&action.across(&s, &rate, rank::<S>()).0);
        seen.fastest = seen.fastest.max(speed);
        if speed < seen.slowest {
            seen.slowest = speed;
            seen.slow = (stepper.time().to_f64(), stepper.state().iter().map(|x| x.to_dd()).collect());
        }
        settled = if speed < SETTLED * seen.fastest { settled + 1 } else { 0 };
        if settled == PATIENCE {
            if let Some(why) = seen.settles(dynamics, action, stepper.time().to_f64()) {
                return Err(why);
            }
            settled = 0;
        }
    }
    let searched = stepper.time().to_f64();
    Err(seen.settles(dynamics, action, searched).unwrap_or_else(|| seen.reason(searched)))
}

/// Stretches of a search that are compared to see whether a motion leaves for good.
const STRETCHES: usize = 4;

impl Seen {
    /// Whether there is a steady motion where this one is slowest, and deviations from it that die out.
    fn settles(&self, dynamics: &Dynamics, action: &Action, searched: f64) -> Option<NoReturn> {
        if self.slowest >= SETTLED * self.fastest {
            return None;
        }
        let (at, state) = &self.slow;
        let steady = nearest(dynamics, action, state)?;
        (steady.decay > 0.0 && steady.distance < BESIDE * steady.size).then_some(NoReturn::Settles {
            distance: steady.distance,
            at: *at,
            growth: steady.growth,
            searched,
        })
    }

    fn reason(&self, searched: f64) -> NoReturn {
        let grows = self.stretches.len() >= STRETCHES && self.stretches.windows(2).all(|w| w[1] > 1.05 * w[0]);
        match self.closest {
            _ if grows => NoReturn::Leaves { searched },
            closest => NoReturn::Wanders {
                searched,
                closest: closest.map_or(f64::NAN, |c| c.distance / c.largest),
                at: closest.map_or(f64::NAN, |c| c.t),
                passes: self.nearer.iter().rev().copied().collect(),
            },
        }
    }
}

/// The pass near a time, by Gauss–Newton in the time and in the group.
fn refine<S: Scalar>(
    reader: &mut super::dynamics::Reader<S>,
    action: &Action,
    pieces: &[Segment<S>],
    first: &[S],
    nearest: &[S],
    t: S,
    largest: f64,
) -> Pass {
    let mut best = Pass { t: t.to_f64(), distance: f64::INFINITY, largest };
    for begin in [nearest, first] {
        let (mut t, mut w) = (t, begin.to_vec());
        for iteration in 0..REFINING {
            let y = at(pieces, t);
            let s = reader.symbols(&y);
            if iteration == 0 {
                action.approach(&s, &mut w, REFINING, |_| {});
            }
            let wanted = action.difference(&s, &w);
            let distance = length(&wanted);
            let stalled = distance > 0.5 * best.distance && iteration > 3;
            if distance < best.distance {
                best = Pass { t: t.to_f64(), distance, largest };
            }
            if stalled || !distance.is_finite() {
                break;
            }
            let rate = reader.symbol_rates(&y);
            let (dt, xi) = step(action, &w, &rate, &wanted);
            if action.turns_too_far(&xi) {
                break;
            }
            t = t + dt;
            w = flow(&action.combination(&xi), &w);
        }
        if best.distance < NEAR * largest {
            break;
        }
    }
    best
}

/// One Gauss–Newton step: the least |s + ṡ dt − w − Σ xᵢ Gᵢ w|.
///
/// Near a steady motion ṡ is almost a tangent of the orbit. So what it is across them is a column of its own, made as long as the others, and what it is
/// along them is put back afterwards.
pub(crate) fn step<S: Scalar>(action: &Action, w: &[S], rate: &[S], wanted: &[S]) -> (S, Vec<S>) {
    let (across, along) = action.across(w, rate, rank::<S>());
    let tangents = action.tangents(w);
    let longest = tangents.iter().map(|t| length(t)).fold(0.0, f64::max);
    let size = length(&across);
    let scale = S::from_f64(if longest > 0.0 && size > 0.0 { longest / size } else { 1.0 });
    let mut columns = vec![across.iter().map(|x| -*x * scale).collect::<Vec<S>>()];
    columns.extend(tangents);
    let mut x = least_squares(&columns, wanted, rank::<S>());
    let dt = x.remove(0) * scale;
    x.iter_mut().zip(&along).for_each(|(x, xi)| *x = *x + *xi * dt);
    (dt, x)
}
