//! Events on a motion that returns: those that would end it, and those that a run reports.
//!
//! The functions of most events are invariants of the group: what happens in one period happens in every other, and what does not never does. Others change with
//! what drifts, and are looked at period by period.

use super::super::NoReturn;
use super::super::ending::EndingMotion;
use super::{ReturningMotion, root};
use crate::budget::LISTED_EVENTS;
use polhode_base::ids::{EventId, IdVec};
use polhode_model::Direction;
use polhode_simulate::EventRecord;
use polhode_tape::{Dd, Interpreter, Scalar};
use std::sync::Arc;

/// Periods that are looked at where event functions change from one to the next.
const PERIODS: u64 = 100;

/// Difference of event functions after a period, as part of their size, that is rounding.
const SAME: f64 = 1e-18;

/// A crossing: the event, whether its function rises, and times before and after.
struct Crossing {
    event: EventId,
    rises: bool,
    between: [Dd; 2],
}

/// The event functions along a motion.
struct Watch<'a> {
    motion: &'a ReturningMotion,
    functions: Interpreter<Dd>,
    looks: Vec<Dd>,
    /// The values at the looks of the first period.
    first: Vec<IdVec<EventId, Dd>>,
}

impl<'a> Watch<'a> {
    fn new(motion: &'a ReturningMotion) -> Watch<'a> {
        let functions = Interpreter::<Dd>::new(motion.dynamics.tapes().events);
        Watch { motion, functions, looks: motion.looks(), first: Vec::new() }
    }

    fn values(&mut self, t: Dd) -> IdVec<EventId, Dd> {
        let y = self.motion.state(t);
        let mut values = vec![Dd::ZERO; self.functions.tape().outputs.len()];
        self.functions.call(&[&[t], &y[..]].concat(), &mut values);
        values.into()
    }

    /// The crossings of a period that count, and which functions are the same as in the first.
    fn period(&mut self, n: u64) -> (Vec<Crossing>, IdVec<EventId, bool>) {
        let begin = Dd::from(n as f64) * self.motion.period;
        let times: Vec<Dd> = self.looks.iter().map(|t| begin + *t).collect();
        let values: Vec<IdVec<EventId, Dd>> = times.iter().map(|t| self.values(*t)).collect();
        let infos = &self.motion.dynamics.compiled.events;
        let mut found = Vec::new();
        for (pair, t) in values.windows(2).zip(times.windows(2)) {
            for (event, info) in infos.enumerated() {
                let (a, b) = (pair[0][event], pair[1][event]);
                let (falls, rises) = (a >= Dd::ZERO && b < Dd::ZERO, a <= Dd::ZERO && b > Dd::ZERO);
                let counts = match info.direction {
                    Direction::Falling => falls,
                    Direction::Rising => rises,
                    Direction::Either => falls || rises,
                };
                // a function that is zero where the motion begins has not crossed it
                if counts && a != Dd::ZERO {
                    found.push(Crossing { event, rises, between: [t[0], t[1]] });
                }
            }
        }
        if n == 0 {
            self.first = values.clone();
        }
        let same = |i: EventId| {
            let size = self.first.iter().fold(1.0, |m: f64, v| m.max(v[i].to_f64().abs()));
            values.iter().zip(&self.first).all(|(v, w)| (v[i] - w[i]).to_f64().abs() <= SAME * size)
        };
        (found, infos.ids().map(same).collect())
    }

    /// The time of a crossing, to all digits.
    fn refined(&mut self, c: &Crossing) -> Dd {
        let [a, b] = c.between;
        let ends = [a, b].map(|t| (t, self.values(t)[c.event]));
        root(|t| self.values(t)[c.event], ends[0], ends[1])
    }
}

impl ReturningMotion {
    /// The motion, with the time up to which it is known that no event ends it; or its end.
    pub(super) fn watched(mut self) -> Result<ReturningMotion, NoReturn> {
        let infos = self.dynamics.compiled.events.clone();
        if !infos.iter().any(|e| e.terminal) {
            return Ok(self);
        }
        let mut watch = Watch::new(&self);
        // contacts that are violated from the beginning
        let start = watch.values(Dd::ZERO);
        let violated = infos.ids().find(|e| infos[*e].terminal && infos[*e].cause.is_some() && start[*e] < Dd::ZERO);
        if let Some(end) = violated.and_then(|event| self.ended(Dd::ZERO, &infos[event].name)) {
            return Err(end);
        }
        for n in 0..PERIODS {
            let (found, same) = watch.period(n);
            for c in found.iter().filter(|c| infos[c.event].terminal) {
                let t = watch.refined(c);
                if let Some(end) = self.ended(t, &infos[c.event].name) {
                    return Err(end);
                }
            }
            if n > 0 && infos.iter().zip(same).all(|(e, same)| same || !e.terminal) {
                return Ok(self);
            }
        }
        self.watched_until = Some(Dd::from(PERIODS as f64) * self.period);
        Ok(self)
    }

    /// The end at an event, if a run ends there.
    fn ended(&self, t: Dd, event: &str) -> Option<NoReturn> {
        let dynamics = &self.dynamics;
        let own = dynamics.reader::<Dd>().symbols(dynamics.compiled.initial_state());
        match own == self.first {
            true => EndingMotion::about(dynamics, t.to_f64()).map(|m| NoReturn::Ends(Arc::new(m))),
            // the motion is not that of the model
            false => Some(NoReturn::Stops { t: t.to_f64(), why: format!("the event \"{event}\" ends it") }),
        }
    }

    /// The events up to a time, in order, and how many more there are. Those that do not repeat are looked for in the first hundred periods.
    pub(super) fn events(&self, until: Dd) -> (Vec<EventRecord>, u64) {
        let infos = &self.dynamics.compiled.events;
        if infos.is_empty() || until <= Dd::ZERO {
            return (Vec::new(), 0);
        }
        let mut watch = Watch::new(self);
        let (mut times, mut more) = (Vec::new(), 0u64);
        let last = (until / self.period).to_f64().floor() as u64;
        let (first, _) = watch.period(0);
        let repeats = if last > 0 { watch.period(1).1 } else { infos.iter().map(|_| true).collect() };
        for c in first.iter().filter(|c| repeats[c.event]) {
            let t = watch.refined(c);
            let count = (1.0 + ((until - t) / self.period).to_f64().floor()).max(0.0) as u64;
            let listed = count.min(LISTED_EVENTS as u64);
            more += count - listed;
            times.extend((0..listed).map(|n| (t + Dd::from(n as f64) * self.period, c.event, c.rises)));
        }
        if repeats.contains(&false) {
            for n in 0..=last.min(PERIODS) {
                for c in watch.period(n).0.iter().filter(|c| !repeats[c.event]) {
                    times.push((watch.refined(c), c.event, c.rises));
                }
            }
        }
        times.retain(|(t, _, _)| *t <= until);
        times.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
        more += times.len().saturating_sub(LISTED_EVENTS) as u64;
        times.truncate(LISTED_EVENTS);
        let record = |(t, event, rises): (Dd, EventId, bool)| EventRecord {
            event,
            name: infos[event].name.clone(),
            crossing: polhode_integrate::Crossing::of_sign(rises).name(),
            sample: self.at(t),
            jump: None,
        };
        (times.into_iter().map(record).collect(), more)
    }
}
