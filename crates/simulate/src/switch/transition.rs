//! Transitions: what the laws make of an event, and what the ledger remembers of it.
//!
//! A [`Transition`] is all that the driver of a run needs to know about an event that changes constraints or velocities:
//!
//! ```text
//! rewound      it happened earlier than it was noticed: the motion goes back there
//! outcome      the state from which the motion goes on, with what happened, or why it does not
//! onset        when and where what happened began, if that was earlier
//! departures   events that the motion is leaving, and how long rounding hides that
//! ```

use super::back::no_way;
use super::collisions::note;
use super::law::{Course, Gone, Happened, Law, Projected, no_law};
use super::ledger::Ledger;
use super::look::{Look, NO_RATE};
use super::modes::Switching;
use super::record::{JumpCase, JumpRecord, Refusal};
use super::rolling::changing;
use crate::compile::{Compiled, EventKind};
use crate::state::{Moment, State};
use polhode_base::ids::{BorderId, ContactId, EventId, WallId};
use polhode_model::switching::ON_BORDER;
use polhode_model::{Direction, Latch, Sides};
use polhode_tape::Scalar;

/// In roundings of the positions: gaps below this are noise.
const CLEAR: f64 = 16.0;

/// An event is over after this time, in units of time and of the time that has passed: a few roundings.
const PASSED: f64 = 1e-14;

/// How a motion goes on.
pub(crate) enum Outcome<S> {
    /// From this state; with what happened, if that was asked for.
    Go(State<S>, Option<Box<JumpRecord>>),
    /// It does not.
    Refused(Refusal),
}

/// An event that the motion is leaving.
pub(crate) struct Departure {
    pub(crate) event: EventId,
    /// Its function grows.
    pub(crate) rises: bool,
    /// From when on its values are more than rounding.
    pub(crate) after: f64,
}

/// What happens at an event.
pub(crate) struct Transition<S> {
    /// The event that stands for it.
    pub(crate) event: EventId,
    /// If it happened earlier than it was noticed: when, and in what state the motion was then.
    pub(crate) rewound: Option<Moment<S>>,
    pub(crate) outcome: Outcome<S>,
    /// When and where what happened began, if that was earlier.
    pub(crate) onset: Option<Moment<S>>,
    pub(crate) departures: Vec<Departure>,
}

/// Looks after the sides of a motion: the laws, and the ledger of this run.
pub(crate) struct Switch<'a, S> {
    law: Law<'a, S>,
    ledger: Ledger<S>,
}

impl<'a, S: Scalar> Switch<'a, S> {
    pub(crate) fn new(compiled: &'a Compiled, switching: &'a Switching, backwards: bool) -> Switch<'a, S> {
        Switch { law: Law::new(compiled, switching, backwards), ledger: Ledger::new(switching) }
    }

    /// What happens at the start, if that is behind a wall, on a border, where constraints degenerate, or if contacts cannot stay as they are.
    pub(crate) fn start(&mut self, t: S, state: &State<S>) -> Option<Transition<S>> {
        let s = self.law.switching;
        let degenerate = s.event(&EventKind::Degenerate)?;
        let look = match self.law.look(t, state) {
            Ok(look) => look,
            Err(refusal) => {
                let border = self.resting().first().and_then(|k| s.event(&EventKind::Border(*k)));
                return Some(refused(border.filter(|_| !self.law.backwards).unwrap_or(degenerate), refusal));
            }
        };
        if let Some((event, refusal)) = self.behind_wall(&look) {
            return Some(refused(event, refusal));
        }
        let resting = self.resting();
        if let Some(first) = resting.first() {
            let event = s.event(&EventKind::Border(*first))?;
            let gone = match self.law.backwards {
                true => self.law.cross_back(&look, &self.ledger.sides, &resting, None),
                false => self.cross(&look, &resting, None).map(|gone| with_case(gone, JumpCase::Start)),
            };
            return Some(self.told(&look, event, gone.map(Happened::from)));
        }
        if self.law.is_singular(&look) {
            let gone = match self.law.backwards {
                true => Err(no_way("the constraints lose rank at the start")),
                false => self.law.singular_start(&look, &self.ledger.sides),
            };
            return Some(self.told(&look, degenerate, gone.map(Happened::from)));
        }
        changing(&s.model).next()?;
        self.start_contacts(&look)
    }

    /// The borders on which the motion rests.
    fn resting(&self) -> Vec<BorderId> {
        let sides = &self.ledger.sides;
        sides.borders.ids().filter(|k| sides.borders[*k] == 0).collect()
    }

    /// A start behind a wall, or where its gap has no value.
    fn behind_wall(&self, look: &Look<'_, S>) -> Option<(EventId, Refusal)> {
        let s = self.law.switching;
        let far = look.components().iter().fold(1.0, |far: f64, x| far.max(x.to_f64().abs()));
        let open = |k: &WallId| !self.law.touches(&self.ledger.sides, *k);
        let behind = |k: &WallId| look.gap(*k).is_nan() || look.gap(*k) < -ON_BORDER * far;
        let wall = s.model.walls.ids().filter(open).find(behind)?;
        let name = &s.model.walls[wall].name;
        let reason = match look.gap(wall) {
            gap if gap.is_nan() => format!("the gap of {name} has no value at the start"),
            gap => format!("the motion starts behind {name}, whose gap is {gap}: it is positive in front of the wall"),
        };
        Some((s.event(&EventKind::Wall(wall))?, no_law(reason)))
    }

    /// What happens at the start to contacts that cannot stay as they are.
    fn start_contacts(&mut self, look: &Look<'_, S>) -> Option<Transition<S>> {
        let s = self.law.switching;
        let sides = self.ledger.sides.clone();
        let unchanged = Projected { velocity: look.velocity().to_vec(), ..Projected::default() };
        match self.law.steady(look, Course::new(JumpCase::Start, sides.clone(), unchanged)) {
            Ok(course) if s.model.active(&course.sides) == s.model.active(&sides) => {
                self.ledger.sides = course.sides;
                None
            }
            Ok(course) => {
                let event = self.law.event_that_tells(&sides, &course.sides)?;
                let gone = self.law.go_on(look, course);
                Some(self.told(look, event, gone.map(Happened::from)))
            }
            Err(refusal) => Some(refused(self.law.event_that_tells(&sides, &sides)?, refusal)),
        }
    }

    /// What happens to a motion that begins anew and leaves borders on which it rested.
    pub(crate) fn leave(&mut self, t: S, state: &State<S>, telling: bool) -> Option<Transition<S>> {
        self.ledger.since = t;
        let resting = self.resting();
        if resting.is_empty() {
            return None;
        }
        let look = self.law.look(t, state).ok()?;
        self.law.telling = telling;
        let enters = |k: &BorderId| self.law.entered(&look, look.velocity(), *k, look.place.mode) != 0;
        let left: Vec<BorderId> = resting.into_iter().filter(enters).collect();
        let event = self.law.switching.event(&EventKind::Border(*left.first()?))?;
        let gone = match self.law.backwards {
            true => self.law.cross_back(&look, &self.ledger.sides, &left, None),
            false => self.cross(&look, &left, None),
        };
        Some(self.told(&look, event, gone.map(Happened::from)))
    }

    /// What happens at an event; it is told if that is wanted.
    pub(crate) fn transition(&mut self, event: EventId, t: S, state: &State<S>, telling: bool) -> Transition<S> {
        self.law.telling = telling;
        let look = match self.law.look(t, state) {
            Ok(look) => look,
            Err(refusal) => return refused(event, refusal),
        };
        let found = match self.law.backwards {
            true => self.backwards(&look, event),
            false => self.forwards(&look, event),
        };
        let mut departures = Vec::new();
        if let Ok(Happened { gone: Ok(gone), rewound, met, .. }) = &found {
            let at = rewound.as_ref().map_or(t, |(earlier, _)| *earlier);
            departures = self.departures(&look, gone, met);
            departures.extend(self.passed(event, at));
        }
        Transition { departures, ..self.told(&look, event, found) }
    }

    /// Notes what happened, and makes a transition of it.
    fn told(&mut self, look: &Look<'_, S>, event: EventId, found: Result<Happened<S>, Refusal>) -> Transition<S> {
        let (gone, rewound, onset) = match found {
            Ok(Happened { gone: Ok(gone), rewound, onset, .. }) => (gone, rewound, onset),
            Ok(Happened { gone: Err(refusal), rewound, .. }) => {
                return Transition { rewound, ..refused(event, refusal) };
            }
            Err(refusal) => return refused(event, refusal),
        };
        let at = rewound.as_ref().map_or(look.time(), |(earlier, _)| *earlier);
        self.ledger.changed_at = at.to_f64();
        self.ledger.sides = gone.sides;
        self.ledger.last = Some(gone.state.clone());
        Transition { event, rewound, outcome: Outcome::Go(gone.state, gone.record), onset, departures: Vec::new() }
    }

    /// The events of walls that let go, and of those that were met and are left again.
    fn departures(&mut self, look: &Look<'_, S>, gone: &Gone<S>, met: &[WallId]) -> Vec<Departure> {
        let s = self.law.switching;
        let of =
            |wall: WallId, after: f64| Some(Departure { event: s.event(&EventKind::Wall(wall))?, rises: true, after });
        let mut out: Vec<Departure> = gone.clear.iter().filter_map(|(k, after)| of(*k, *after)).collect();
        let v = &gone.state.components[self.law.compiled.program.unknowns.clone()];
        for k in met {
            let (rate, size) = look.gap_rate(*k, v);
            let rate = self.law.sense() * rate;
            if rate > NO_RATE * size {
                // where and when it was met is known to a few roundings
                let late = CLEAR * S::EPSILON * look.time().to_f64().abs();
                let unseen = CLEAR * look.rounding(*k) / rate + late;
                self.ledger.leaves(*k, unseen);
                out.extend(of(*k, unseen));
            }
        }
        out
    }

    /// An event that has switched something is over: the motion goes on in the direction in which it happened.
    fn passed(&self, event: EventId, at: S) -> Option<Departure> {
        let info = &self.law.compiled.events[event];
        let counts = info.kind == EventKind::Model && info.direction != Direction::Either;
        let after = PASSED * at.to_f64().abs().max(1.0);
        counts.then_some(Departure { event, rises: info.direction == Direction::Rising, after })
    }

    /// What happens at an event that is met from its past.
    fn forwards(&mut self, look: &Look<'_, S>, event: EventId) -> Result<Happened<S>, Refusal> {
        let s = self.law.switching;
        let settled = |law: &Law<'_, S>, sides: Sides, case: JumpCase, opened: Option<WallId>| {
            let mut course = law.settle(look, sides, case)?;
            note(&mut course.opened, opened);
            Ok(Happened::from(law.go_on(look, course)?))
        };
        let mut sides = self.ledger.sides.clone();
        match self.law.compiled.events[event].kind {
            EventKind::Border(k) => self.border(look, k),
            EventKind::Wall(k) => {
                let met = self.law.borders_met(look, &sides, None);
                self.collide_and_cross(look, k, &met)
            }
            EventKind::Release(k) => {
                if let Some(latch) = s.model.walls[k].lasting {
                    sides.latches[latch] = false;
                }
                self.ledger.forget(k);
                settled(&self.law, sides, JumpCase::Release, Some(k))
            }
            EventKind::Slide(k) => {
                let (course, onset) = self.law.begin_sliding(look, sides, k, self.ledger.changed_at)?;
                Ok(Happened { onset, ..self.law.go_on(look, course)?.into() })
            }
            EventKind::Roll(k) => self.end_sliding(look, k),
            EventKind::Jam(k) => Err(self.law.jammed(k)),
            EventKind::Pull(k) => Err(self.law.pulled(k)),
            EventKind::Model | EventKind::Domain { .. } | EventKind::Degenerate => {
                for (l, latch) in s.model.latches.enumerated() {
                    if let Latch::Events { from, until } = latch {
                        if *from == Some(event) {
                            sides.latches[l] = true;
                        } else if *until == Some(event) {
                            sides.latches[l] = false;
                        }
                    }
                }
                match s.model.events.get(event).is_some_and(|e| !e.sets.is_empty()) {
                    true => self.set_positions(look, event, sides),
                    false => settled(&self.law, sides, JumpCase::Keep, None),
                }
            }
        }
    }

    /// What happens at an event that is met from its future.
    fn backwards(&mut self, look: &Look<'_, S>, event: EventId) -> Result<Happened<S>, Refusal> {
        let sides = &self.ledger.sides;
        match self.law.compiled.events[event].kind {
            EventKind::Border(k) => {
                let mut met = vec![k];
                met.extend(self.law.borders_met(look, sides, Some(k)));
                let crossed = (sides.borders[k] != 0).then_some(k);
                Ok(self.law.cross_back(look, sides, &met, crossed)?.into())
            }
            EventKind::Wall(k) => {
                let (gone, met) = self.law.bounce_back(look, &mut self.ledger, k)?;
                Ok(Happened { met, ..gone.into() })
            }
            EventKind::Release(_)
            | EventKind::Slide(_)
            | EventKind::Roll(_)
            | EventKind::Jam(_)
            | EventKind::Pull(_) => {
                Err(no_way("a contact opens or closes there, or changes between rolling and sliding"))
            }
            EventKind::Model | EventKind::Domain { .. } | EventKind::Degenerate => {
                Err(no_way("an event sets positions there, or switches constraints"))
            }
        }
    }

    fn cross(&self, look: &Look<'_, S>, met: &[BorderId], crossed: Option<BorderId>) -> Result<Gone<S>, Refusal> {
        self.law.go_on(look, self.law.cross(look, &self.ledger.sides, met, crossed)?)
    }

    /// What happens at a border. A wall that is met at the same time acts first.
    fn border(&mut self, look: &Look<'_, S>, border: BorderId) -> Result<Happened<S>, Refusal> {
        let sides = &self.ledger.sides;
        let mut met = vec![border];
        met.extend(self.law.borders_met(look, sides, Some(border)));
        if let Some(wall) = self.law.wall_ahead(look, sides) {
            return self.collide_and_cross(look, wall, &met);
        }
        let rested = sides.borders[border] == 0;
        if rested
            && met.len() == 1
            && let Some(departed) = self.law.depart(look, sides, border, self.ledger.since)
        {
            return Ok(departed);
        }
        let mut gone = self.cross(look, &met, (!rested).then_some(border))?;
        if rested && gone.sides.borders[border] == 0 {
            // it rests there still, and crosses by rounding
            gone.record = None;
        }
        Ok(gone.into())
    }

    /// Sets positions, and goes on from there.
    fn set_positions(&mut self, look: &Look<'_, S>, event: EventId, sides: Sides) -> Result<Happened<S>, Refusal> {
        let (program, s) = (&self.law.compiled.program, self.law.switching);
        let mut state = look.state();
        for ((symbol, _), value) in s.model.events[event].sets.iter().zip(look.set_by(event)) {
            if let Some(at) = program.positions.place_of(*symbol) {
                state.components[at] = *value;
            }
        }
        let there = self.law.look(look.time(), &state)?;
        if let Some((k, _)) = program.works.iter().find(|(_, name)| *name == "impacts") {
            state.components[*k] = state.components[*k] + (there.energy() - look.energy());
        }
        let there = there.beside(&state);
        let course = self.law.settle(&there, sides, JumpCase::Set)?;
        Ok(self.law.go_on(&there, course)?.into())
    }

    /// Slip has died: it rolls, or slips the other way if it cannot.
    fn end_sliding(&mut self, look: &Look<'_, S>, contact: ContactId) -> Result<Happened<S>, Refusal> {
        self.restful(look, contact)?;
        let mut sides = self.ledger.sides.clone();
        let rolls = self.law.changes(contact).rolls;
        rolls.into_iter().for_each(|l| sides.latches[l] = true);
        let mut gone = self.law.go_on(look, self.law.settle(look, sides, JumpCase::Roll)?)?;
        if let (Some(rolls), Some(record)) = (rolls, &mut gone.record)
            && !gone.sides.latches[rolls]
        {
            record.case = JumpCase::Turn;
            record.title = Some(format!("{} slips the other way", self.law.contact_name(contact)));
        }
        Ok(gone.into())
    }

    /// Notes that a contact changes, and refuses to go on where that happens again and again.
    fn restful(&mut self, look: &Look<'_, S>, contact: ContactId) -> Result<(), Refusal> {
        match self.ledger.too_often(look.time().to_f64(), contact) {
            true => Err(self.law.restless(contact)),
            false => Ok(()),
        }
    }

    /// A collision, and then those of the borders that the motion still crosses: a wall may throw it back from them.
    fn collide_and_cross(
        &mut self,
        look: &Look<'_, S>,
        wall: WallId,
        borders: &[BorderId],
    ) -> Result<Happened<S>, Refusal> {
        let met = self.law.walls_met(look, &self.ledger.sides, wall);
        self.law.with_normals(look, &met)?;
        let first = self.collide(look, &met)?;
        if borders.is_empty() {
            return Ok(Happened { met, ..first.into() });
        }
        self.ledger.sides = first.sides.clone();
        let there = self.law.look(look.time(), &first.state)?;
        let crosses =
            |b: &BorderId| self.law.entered(&there, there.velocity(), *b, there.place.mode) == -first.sides.borders[*b];
        let crossed: Vec<BorderId> = borders.iter().copied().filter(crosses).collect();
        if crossed.is_empty() {
            return Ok(Happened { met, ..first.into() });
        }
        let second = self.cross(&there, &crossed, None)?;
        // one event: from before the collision to after the border
        let record = first.record.zip(second.record).map(|(a, b)| Box::new(a.followed_by(*b)));
        let clear = first.clear.into_iter().chain(second.clear).collect();
        Ok(Happened { met, ..Gone { record, clear, ..second }.into() })
    }

    /// What happens at walls that are met, of which those that are approached act.
    fn collide(&mut self, look: &Look<'_, S>, met: &[WallId]) -> Result<Gone<S>, Refusal> {
        let model = &self.law.switching.model;
        let (struck, sides, opened) = self.law.unilateral(look, &self.ledger.sides, met)?;
        let (p, hit) = (struck.projected, struck.walls);
        // a wall that is met and not approached is pressed against
        // a contact that is neither approached nor left closes, or opens again if it pulls
        let grazed = hit.is_empty() && met.iter().all(|k| self.law.contact_of(*k).is_some());
        if grazed {
            let contacts: Vec<ContactId> = met.iter().filter_map(|k| self.law.contact_of(*k)).collect();
            contacts.into_iter().try_for_each(|contact| self.restful(look, contact))?;
        }
        let case = if grazed { JumpCase::Keep } else { JumpCase::Collision };
        let hit = if hit.is_empty() { met.to_vec() } else { hit };
        let piled = self.ledger.pile_up(look.time().to_f64(), &hit);
        let lying = if piled.is_some() { hit.clone() } else { self.law.stays_closed(look, &hit, &p.velocity) };
        let (mut sides, p) = match lying.is_empty() {
            true => (sides, p),
            false => self.law.close(look, sides, &lying, p)?,
        };
        let Some(at) = piled else {
            return self.law.go_on(look, Course { walls: hit, opened, ..Course::new(case, sides, p) });
        };
        if hit.iter().any(|k| model.walls[*k].lasting.is_none()) {
            let walls = hit.iter().map(|k| model.walls[*k].name.clone()).collect();
            return Err(Refusal::Accumulation { walls, at });
        }
        hit.iter().filter_map(|k| model.walls[*k].lasting).for_each(|latch| sides.latches[latch] = true);
        let course = self.law.settle(look, sides, JumpCase::Settle)?;
        let mut gone = self.law.go_on(look, Course { opened, ..course })?;
        if let Some(record) = &mut gone.record {
            record.accumulates_at = Some(at);
        }
        Ok(gone)
    }

    /// Why a motion gets nowhere: a contact is about to jam, or what holds has no limit at a border ahead.
    pub(crate) fn blame(&self, t: S, state: &State<S>) -> Option<Refusal> {
        let look = self.law.look(t, state).ok()?;
        let jams = self.law.jams_ahead(&look, self.ledger.last.as_ref());
        jams.or_else(|| self.law.no_limit_ahead(&look, &self.ledger.sides))
    }
}

fn refused<S>(event: EventId, refusal: Refusal) -> Transition<S> {
    let outcome = Outcome::Refused(refusal);
    Transition { event, rewound: None, outcome, onset: None, departures: Vec::new() }
}

fn with_case<S>(mut gone: Gone<S>, case: JumpCase) -> Gone<S> {
    if let Some(record) = &mut gone.record {
        record.case = case;
    }
    gone
}
