//! How a motion closes: T and h from a near pass, and whether the equations and the events allow it to go on.

use super::super::NoReturn;
use super::super::dynamics::{Dynamics, at, follow};
use super::super::group::{Action, rank};
use super::super::linear::{Square, flow, length};
use super::super::search::{Pass, step};
use super::super::steadiness::Speed;
use super::{Course, ReturningMotion};
use crate::budget::{FIT_PLACES, FIT_STEPS};
use polhode_base::random::Random;
use polhode_integrate::Stepper;
use polhode_tape::{Dd, Scalar};
use std::f64::consts::PI;
use std::sync::{Arc, PoisonError};

/// What may be left of a return, as part of the size of the state: rounding of one period, and some growth of errors.
const RETURNED: f64 = 1e-21;

/// What may be left where errors grow by more than that.
const ALMOST: f64 = 1e-12;

/// The same, as part of the largest distance.
const RETURNED_OF_DISTANCE: f64 = 1e-6;

/// Most Gauss–Newton steps for T and h.
const POLISHING: usize = 10;

/// How far beyond a time found in doubles the period may end.
const MARGIN: f64 = 1e-5;

/// A return farther than this part from where it was looked for is another one, such as the start itself.
const ELSEWHERE: f64 = 0.01;

/// Difference of two motions, as part of the size of the state, that symmetric equations may have.
const SYMMETRIC: f64 = 1e-19;

/// Parts of a period that may be periods themselves: a search in steps passes some by, and returns by half a turn of the group lie far from where it looks.
const PARTS: [i64; 6] = [2, 3, 5, 7, 11, 13];

/// What is left at a part of the period, as part of the largest distance, that is worth a closer look.
const LIKELY: f64 = 1e-3;

/// Oscillations larger than this part of the size of the state are seen in doubles.
const SEEN: f64 = 1e-8;

/// A deviation of the start, as part of its size, that is far above rounding and stays small in most periods.
const DEVIATION: f64 = 1e-27;

/// What rounding makes of a start and of the steps of a period, as part of the size of the state.
const ROUNDING: f64 = 1e-30;

/// An error after one period, as part of the size of the state, that leaves nothing to tell.
const LOST: f64 = 1e-6;

/// h with its inverse.
pub(super) struct Element {
    pub(super) map: Square<Dd>,
    pub(super) back: Square<Dd>,
}

impl Element {
    /// exp(ξ_k) … exp(ξ_1), and full turns of angles after that.
    fn new(action: &Action, steps: &[Vec<Dd>], turns: &[(usize, Dd)]) -> Element {
        let size = action.len + 1;
        let (mut map, mut back) = (Square::identity(size), Square::identity(size));
        for xi in steps {
            let opposite: Vec<Dd> = xi.iter().map(|x| -*x).collect();
            map = Square::exponential(&action.combination(xi), size).times(&map);
            back = back.times(&Square::exponential(&action.combination(&opposite), size));
        }
        let (mut shift, mut unshift) = (Square::identity(size), Square::identity(size));
        for (i, turn) in turns {
            shift.entries[i * size + action.len] = *turn;
            unshift.entries[i * size + action.len] = -*turn;
        }
        Element { map: shift.times(&map), back: back.times(&unshift) }
    }
}

impl ReturningMotion {
    /// exp(tξ) s.
    pub(crate) fn steady(
        dynamics: Arc<Dynamics>,
        action: Arc<Action>,
        start: &[Dd],
        first: Vec<Dd>,
        speed: Speed,
    ) -> Result<ReturningMotion, NoReturn> {
        let xi = speed.xi;
        // any time will do as period: one over which the series of the flow is short
        let mut rows = vec![0.0; action.len + 1];
        action.combination(&xi).iter().for_each(|(i, _, x)| rows[*i] += x.to_f64().abs());
        let norm = rows.into_iter().fold(0.0, f64::max);
        let period = if norm > 0.0 { Dd::from(1.0 / norm) } else { Dd::ONE };
        let step: Vec<Dd> = xi.iter().map(|x| *x * period).collect();
        let element = Element::new(&action, &[step], &[]);
        // works grow evenly
        let rates = dynamics.reader::<Dd>().rates(start);
        let works = rates[dynamics.own()..].iter().map(|w| *w * period).collect();
        let left = speed.across * period.to_f64();
        let mut motion =
            ReturningMotion::new(dynamics, action, period, Course::Flow(xi), first, element, works, left, 0);
        motion.error = left.max(ROUNDING * length(&motion.first).max(1.0));
        motion.symmetric()?;
        motion.watched()
    }

    /// The motion that passes near its start, if it closes: `None` if it does not.
    pub(crate) fn closed(
        dynamics: &Arc<Dynamics>,
        action: &Arc<Action>,
        start: &[Dd],
        pass: Pass,
    ) -> Option<Result<ReturningMotion, NoReturn>> {
        let mut motion = match ReturningMotion::close(dynamics, action, start, pass)? {
            Ok(motion) => motion,
            Err(why) => return Some(Err(why)),
        };
        while let Some(shorter) = PARTS.iter().find_map(|k| motion.part(*k, start, pass.largest)) {
            motion = shorter;
        }
        Some(motion.watched().and_then(|motion| motion.judged(start)))
    }

    /// The motion with its error, if that leaves something to tell.
    fn judged(mut self, start: &[Dd]) -> Result<ReturningMotion, NoReturn> {
        let growth = growth(&self.dynamics, &self.action, start, self.period, &self.map.apply(&self.first));
        let size = length(&self.first).max(1.0);
        // where the motion is fast, what is left of the return is enlarged as the speed is
        self.error = (ROUNDING * growth * size).max(self.residual * self.hurry());
        match self.error.is_nan() || self.error > LOST * size {
            true => Err(NoReturn::Sensitive { t: self.period.to_f64(), growth }),
            false => Ok(self),
        }
    }

    /// The greatest speed across the orbits, in units of that at the start.
    fn hurry(&self) -> f64 {
        let mut reader = self.dynamics.reader::<Dd>();
        let mut speed = |y: &[Dd]| {
            let (s, rate) = (reader.symbols(y), reader.symbol_rates(y));
            length(&self.action.across(&s, &rate, rank::<Dd>()).0)
        };
        let Course::Pieces(pieces) = &self.course else { return 1.0 };
        let speeds: Vec<f64> = pieces.iter().map(|p| speed(&at(pieces, p.start))).collect();
        speeds.iter().copied().fold(0.0, f64::max) / speeds[0]
    }

    /// The same motion with a part of the period, if that is a period.
    fn part(&self, k: i64, start: &[Dd], largest: f64) -> Option<ReturningMotion> {
        let Course::Pieces(pieces) = &self.course else { return None };
        let t = self.period / Dd::from(k as f64);
        let s = self.dynamics.reader::<Dd>().symbols(&at(pieces, t));
        let enough = LIKELY * largest;
        let distance = if largest > SEEN * length(&self.first) {
            let doubles = |v: &[Dd]| -> Vec<f64> { v.iter().map(|x| x.to_f64()).collect() };
            let s = doubles(&s);
            let (w, _) = fit(&self.action, &doubles(&self.first), &s, enough)?;
            length(&self.action.difference(&s, &w))
        } else {
            let (w, _) = fit(&self.action, &self.first, &s, enough)?;
            length(&self.action.difference(&s, &w))
        };
        if distance > enough {
            return None;
        }
        let pass = Pass { t: t.to_f64(), distance, largest };
        ReturningMotion::close(&self.dynamics, &self.action, start, pass)?.ok()
    }

    /// T and h from a near pass, if there are any.
    fn close(
        dynamics: &Arc<Dynamics>,
        action: &Arc<Action>,
        start: &[Dd],
        pass: Pass,
    ) -> Option<Result<ReturningMotion, NoReturn>> {
        let mut pieces = follow(dynamics, start, Dd::from(pass.t * (1.0 + MARGIN)))?;
        let steps = pieces.len() as u64;
        let mut reader = dynamics.reader::<Dd>();
        let first = reader.symbols(start);
        let mut t = Dd::from(pass.t);
        let enough = (FITTED * length(&first).max(1.0)).min(LIKELY * pass.largest);
        let (mut w, mut notes) = fit(action, &first, &reader.symbols(&at(&pieces, t)), enough)?;
        let mut best: Option<(f64, Dd, usize)> = None;
        for _ in 0..POLISHING {
            let y = at(&pieces, t);
            let wanted = action.difference(&reader.symbols(&y), &w);
            let distance = length(&wanted);
            if best.is_some_and(|(d, _, _)| distance >= d) {
                break;
            }
            best = Some((distance, t, notes.len()));
            let (dt, xi) = step(action, &w, &reader.symbol_rates(&y), &wanted);
            if action.turns_too_far(&xi) {
                break;
            }
            t = t + dt;
            w = flow(&action.combination(&xi), &w);
            notes.push(xi);
        }
        let (distance, period, used) = best?;
        notes.truncate(used);
        let size = length(&first).max(1.0);
        if !distance.is_finite()
            || distance > ALMOST * size
            || distance > RETURNED_OF_DISTANCE * pass.largest
            || (period.to_f64() / pass.t - 1.0).abs() > ELSEWHERE
        {
            return None;
        }
        let w = Element::new(action, &notes, &[]).map.apply(&first);
        // what comes by a steady motion that is unstable brings its rounding back enlarged
        if distance > RETURNED * size && distance > ROUNDING * growth(dynamics, action, start, period, &w) * size {
            return None;
        }
        let end = at(&pieces, period);
        let s = reader.symbols(&end);
        let turn = Dd::PI + Dd::PI;
        let turns = (0..action.len).filter(|i| action.angles[*i]).filter_map(|i| {
            let count = ((s[i] - w[i]).to_f64() / turn.to_f64()).round();
            (count != 0.0).then(|| (i, turn * Dd::from(count)))
        });
        let turns: Vec<(usize, Dd)> = turns.collect();
        let element = Element::new(action, &notes, &turns);
        pieces.retain(|p| p.start < period);
        let works = end[dynamics.own()..].to_vec();
        let course = Course::Pieces(pieces);
        let (dynamics, action) = (dynamics.clone(), action.clone());
        let motion = ReturningMotion::new(dynamics, action, period, course, first, element, works, distance, steps);
        Some(motion.symmetric().map(|()| motion))
    }

    /// Do the equations go on from the end of the period as from its start? Both motions are followed over one step.
    fn symmetric(&self) -> Result<(), NoReturn> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let there = self.dynamics.state(&mut scratch.entry, &self.first);
        let moved = self.dynamics.state(&mut scratch.entry, &self.map.apply(&self.first));
        let mut stepper = self.dynamics.stepper(&there);
        let failed = |why: polhode_integrate::StepError| NoReturn::Stops { t: 0.0, why: why.to_string() };
        stepper.step(self.period).map_err(failed)?;
        let dt = stepper.time();
        let here = self.map.apply(&scratch.reader.symbols(stepper.state()));
        let mut other = self.dynamics.stepper(&moved);
        while other.time() < dt {
            other.step(dt).map_err(failed)?;
        }
        let other = scratch.reader.symbols(other.state());
        let difference = length(&self.action.difference(&other, &here));
        match difference > SYMMETRIC * length(&here).max(1.0) {
            true => Err(NoReturn::NotSymmetric { t: self.period.to_f64(), difference }),
            false => Ok(()),
        }
    }
}

/// By how much a small deviation of the start grows until the motion comes back to a point of the orbit.
fn growth(dynamics: &Dynamics, action: &Action, start: &[Dd], period: Dd, back: &[Dd]) -> f64 {
    let size = DEVIATION * length(start).max(1.0);
    let own = dynamics.own();
    // no direction is special
    let mut other: Vec<Dd> = (0..start.len()).map(|j| start[j] + Dd::from(size * (1.0 + j as f64).cos())).collect();
    other[own..].copy_from_slice(&start[own..]);
    for unit in dynamics.compiled.program.positions.units() {
        let long = other[unit.clone()].iter().fold(Dd::ZERO, |sum, x| sum + *x * *x).sqrt();
        other[unit].iter_mut().for_each(|x| *x = *x / long);
    }
    let restore = dynamics.violation(&other);
    other.iter_mut().zip(&restore).for_each(|(y, v)| *y = *y + *v);
    let mut reader = dynamics.reader::<Dd>();
    let begin = length(&action.difference(&reader.symbols(&other), &reader.symbols(start)));
    let Some(pieces) = follow(dynamics, &other, period) else { return f64::INFINITY };
    let end = reader.symbols(&at(&pieces, period));
    (length(&action.difference(&end, back)) / begin).max(1.0)
}

/// The point of the orbit of `first` that is a state, with the steps that lead to it: from the start itself, then from other places of the group, until one is near `enough`.
pub(crate) fn fit<S: Scalar>(action: &Action, first: &[S], wanted: &[S], enough: f64) -> Option<(Vec<S>, Vec<Vec<S>>)> {
    let mut random = Random::new(1);
    let mut best: Option<(f64, Vec<S>, Vec<Vec<S>>)> = None;
    for place in 0..FIT_PLACES {
        let mut notes: Vec<Vec<S>> = Vec::new();
        let mut w = first.to_vec();
        if place > 0 {
            let xi: Vec<S> = action.generators.iter().map(|_| S::from_f64(random.between(-PI, PI))).collect();
            w = flow(&action.combination(&xi), &w);
            notes.push(xi);
        }
        let distance = action.approach(wanted, &mut w, FIT_STEPS, |xi| notes.push(xi.to_vec()));
        if best.as_ref().is_none_or(|(d, _, _)| distance < *d) {
            best = Some((distance, w, notes));
        }
        if distance < enough {
            break;
        }
    }
    best.map(|(_, w, notes)| (w, notes))
}

/// A fit this close, as part of the size of the state, is the right one: passes are known to ten digits.
pub(crate) const FITTED: f64 = 1e-5;
