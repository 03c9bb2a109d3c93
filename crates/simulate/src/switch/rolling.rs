//! Contacts that open and close, roll and slide.
//!
//! A contact is open, rolls, or slides (polhode-model, `contact`); two latches say which. Events turn them, and each time a motion goes
//! on it is looked at whether it can stay as it is:
//!
//! ```text
//! closed, N ≤ 0                 opens
//! rolls,  F ≥ (1 + δ)μN         slides, in the direction −F/|F|
//! slides, |s| ≤ ε               rolls
//! slides, a pivot of (F) ≤ 0    no motion: refused
//! ```
//!
//! How slip begins is in `onset`, how a gap opens in `opening`, what a collision elsewhere does to closed contacts in `cone`.

use super::record::{JumpCase, Refusal};
use super::switcher::{Outcome, Projected, Switcher};
use crate::compile::EventKind;
use polhode_base::ids::{ContactId, EventId, Id, IdRange, IdVec, ModeId, WallId};
use polhode_expr::Expr;
use polhode_model::{Changes, Model, Sides};
use polhode_tape::{Dd, Interpreter, Scalar};

/// Changes of contacts at one instant beyond which there is no end of them: each contact opens, closes, rolls or slides once or twice.
const MOST_CHANGES: usize = 16;

/// A contact that closes or begins to roll so often, each time after less than [`SOON`], does so for ever.
const MOST_AGAIN: u32 = 50;

/// In units of time and of the time that has passed.
const SOON: f64 = 1e-9;

/// A gap that opens at less than this part of what its rate is made of stays closed.
const NO_RATE: f64 = 1e-10;

/// How often a contact has closed or begun to roll in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Again {
    last: f64,
    count: u32,
}

/// The contacts that change during a run, and after them the walls whose lasting contact rolls and slides.
pub(super) fn changing(model: &Model) -> impl Iterator<Item = (ContactId, &Changes)> {
    let walls = model.walls.iter().map(|w| w.changes.as_ref());
    let all = model.contacts.iter().map(|c| c.changes.as_ref()).chain(walls);
    all.enumerate().filter_map(|(k, c)| Some((ContactId::new(k), c?)))
}

/// The numbers of all contacts, and of the walls after them.
pub(super) fn touching(model: &Model) -> IdRange<ContactId> {
    IdRange::new(0, model.contacts.len() + model.walls.len())
}

/// The wall that a contact is, if it is not one of bodies.
fn as_wall(model: &Model, contact: ContactId) -> Option<WallId> {
    contact.index().checked_sub(model.contacts.len()).map(WallId::new)
}

/// The name of one of them.
pub(super) fn name_of(model: &Model, contact: ContactId) -> &str {
    match model.contacts.get(contact) {
        Some(c) if c.name.is_empty() => &c.sides[0].name,
        Some(c) => &c.name,
        None => as_wall(model, contact).map_or("", |w| &model.walls[w].name),
    }
}

/// Its coefficient of friction.
pub(super) fn friction_of(model: &Model, contact: ContactId) -> Option<Expr> {
    match model.contacts.get(contact) {
        Some(c) => c.friction,
        None => model.walls[as_wall(model, contact)?].friction,
    }
}

/// Whether a contact is closed.
pub(super) fn is_closed(changes: &Changes, sides: &Sides) -> bool {
    changes.closed.is_none_or(|l| sides.latches[l])
}

/// A rate below this part of what it is made of is what a collision without restitution leaves.
const LYING: f64 = 1e-6;

impl<S: Scalar> Switcher<'_, S> {
    pub(super) fn event_of(&self, kind: &EventKind) -> Option<EventId> {
        self.switching.event(kind)
    }

    /// The contact that is a wall while it is open.
    pub(super) fn contact_of(&self, wall: WallId) -> Option<ContactId> {
        let lasting = self.switching.model.walls[wall].lasting?;
        changing(&self.switching.model).find(|(_, c)| c.closed == Some(lasting)).map(|(k, _)| k)
    }

    pub(super) fn wall_of(&self, contact: ContactId) -> Option<WallId> {
        let closed = self.changes(contact).closed?;
        self.switching.model.walls.find_id(|w| w.lasting == Some(closed))
    }

    /// The inputs of tapes at the present time and positions, with a velocity.
    pub(super) fn with_velocity(&self, state: &[S], v: &[S]) -> Vec<S> {
        let program = &self.compiled.program;
        let mut inputs = vec![self.inputs[0]];
        inputs.extend_from_slice(&state[..program.state.len()]);
        inputs[program.unknowns.start + 1..program.unknowns.end + 1].copy_from_slice(v);
        inputs
    }

    /// The functions of all events in a mode.
    pub(super) fn watched(&self, mode: ModeId, state: &[S], v: &[S]) -> IdVec<EventId, f64> {
        let tape = &self.compiled.charts[mode.index()].events;
        let mut values = vec![S::default(); tape.outputs.len()];
        Interpreter::new(tape).call(&self.with_velocity(state, v), &mut values);
        values.iter().map(|x| x.to_f64()).collect()
    }

    /// What happens at the start to contacts that cannot stay as they are: with the event that stands for it.
    pub(super) fn start_contacts(&mut self, state: &[S]) -> Option<(EventId, Outcome)> {
        let v = self.velocity(state).to_vec();
        let unchanged = Projected { velocity: v, ..Projected::default() };
        match self.steady(state, self.sides.clone(), unchanged) {
            Ok((sides, _)) if self.switching.model.active(&sides) == self.switching.model.active(&self.sides) => {
                self.sides = sides;
                None
            }
            Ok((sides, p)) => {
                let event = self.event_that_tells(&sides)?;
                Some((event, self.go_on(state, sides, &p, JumpCase::Start, &[], &[])))
            }
            Err(refusal) => Some((self.event_that_tells(&self.sides)?, Outcome::Refused(refusal))),
        }
    }

    /// The event of a contact that opens or begins to slide on these sides; that of the first one if none does.
    fn event_that_tells(&self, sides: &Sides) -> Option<EventId> {
        let contacts = || changing(&self.switching.model);
        let release = |k: ContactId| self.event_of(&EventKind::Release(self.wall_of(k)?));
        let slide = |k: ContactId| self.event_of(&EventKind::Slide(k));
        let opens = contacts().find(|(_, c)| is_closed(c, &self.sides) && !is_closed(c, sides));
        let slides = contacts().find(|(_, c)| c.rolls.is_some_and(|l| self.sides.latches[l] && !sides.latches[l]));
        let first = contacts().next().map(|(k, _)| k);
        (opens.and_then(|(k, _)| release(k)))
            .or_else(|| slide(slides?.0))
            .or_else(|| slide(first?))
            .or_else(|| release(first?))
    }

    /// Notes that a contact changes, and refuses to go on where that happens again and again.
    pub(super) fn too_often(&mut self, contact: ContactId) -> Option<Refusal> {
        let t = self.inputs[0].to_f64();
        let Again { last, count } = self.again[contact];
        let count = if (t - last).abs() <= SOON * t.abs().max(1.0) { count + 1 } else { 0 };
        self.again[contact] = Again { last: t, count };
        let reason =
            format!("{} closes or begins to roll again and again, and does not stay so", self.contact_name(contact));
        (count > MOST_AGAIN).then_some(Refusal::NoImpactLaw { reason })
    }

    pub(super) fn changes(&self, contact: ContactId) -> &Changes {
        let mut all = changing(&self.switching.model);
        all.find(|(k, _)| *k == contact).expect("only contacts that change have such events").1
    }

    pub(super) fn contact_name(&self, contact: ContactId) -> String {
        name_of(&self.switching.model, contact).to_owned()
    }

    /// Closes contacts that have been hit and do not open again, or whose bounces have piled up. The velocities that follow.
    pub(super) fn close(
        &mut self,
        state: &[S],
        mut sides: Sides,
        walls: &[WallId],
        p: Projected<S>,
    ) -> Result<(Sides, Projected<S>), Refusal> {
        for wall in walls {
            let Some(contact) = self.contact_of(*wall) else { continue };
            let Changes { closed, rolls, .. } = self.changes(contact).clone();
            closed.into_iter().for_each(|l| sides.latches[l] = true);
            let Some(rolls) = rolls else { continue };
            sides.latches[rolls] = false;
            let mode = self.mode(&sides)?;
            let v = self.project(&p.velocity, &self.switching.modes[mode])?.velocity;
            let event = self.event_of(&EventKind::Roll(contact));
            let slips = event.is_some_and(|e| self.watched(mode, state, &v)[e] > 0.0);
            sides.latches[rolls] = !slips;
        }
        let mode = self.mode(&sides)?;
        let after = self.project(&p.velocity, &self.switching.modes[mode])?;
        let v = self.velocity(state);
        Ok((sides, Projected { jumped: self.is_jump(v, &after.velocity), velocity: after.velocity, ..p }))
    }

    /// The walls among those hit that are contacts which do not open again.
    pub(super) fn stays_closed(&self, hit: &[WallId], v: &[S]) -> Vec<WallId> {
        let lies = |k: &&WallId| {
            let (rate, size) = self.rate(self.switching.wall_rows[**k].first(), v);
            // without restitution the law leaves no rate, whatever its computation does
            let small = if self.switching.restitution[**k] == Dd::ZERO { LYING } else { NO_RATE };
            self.contact_of(**k).is_some() && rate.abs() <= small * size
        };
        hit.iter().filter(lies).copied().collect()
    }

    /// Changes what cannot stay as it is.
    pub(super) fn steady(
        &mut self,
        state: &[S],
        mut sides: Sides,
        mut p: Projected<S>,
    ) -> Result<(Sides, Projected<S>), Refusal> {
        let model = self.switching.model.clone();
        for _ in 0..MOST_CHANGES {
            let closed: Vec<ContactId> =
                changing(&model).filter(|(_, c)| is_closed(c, &sides)).map(|(k, _)| k).collect();
            if closed.is_empty() {
                return Ok((sides, p));
            }
            let mode = self.mode(&sides)?;
            let values = self.watched(mode, state, &p.velocity);
            let at = |s: &Self, kind: EventKind| s.event_of(&kind).map(|e| values[e]);
            let mut changed = false;
            for k in closed {
                let changes = self.changes(k).clone();
                let rough = changes.rough.as_ref().is_none_or(|c| c.holds(&sides));
                if let Some(rolls) = changes.rolls
                    && !rough
                    && sides.latches[rolls]
                {
                    // no friction there
                    sides.latches[rolls] = false;
                    changed = true;
                    break;
                }
                let slides = changes.rolls.is_some_and(|l| !sides.latches[l]);
                if let (Some(rolls), true, true) = (changes.rolls, slides, rough)
                    && at(self, EventKind::Roll(k)).is_some_and(|x| x <= 0.0)
                {
                    // no slip
                    sides.latches[rolls] = true;
                    let rolling = self.mode(&sides)?;
                    p.velocity = self.project(&p.velocity, &self.switching.modes[rolling])?.velocity;
                    changed = true;
                    break;
                }
                if slides && at(self, EventKind::Jam(k)).is_some_and(|x| x <= 0.0) {
                    return Err(self.jammed(k));
                }
                if slides && at(self, EventKind::Pull(k)).is_some_and(|x| x <= 0.0) {
                    return Err(self.pulled(k));
                }
                let wall = self.wall_of(k);
                let push = wall.and_then(|w| at(self, EventKind::Release(w)));
                if let (Some(latch), Some(wall), Some(push)) = (changes.closed, wall, push)
                    && push <= 0.0
                {
                    sides.latches[latch] = false;
                    let open = self.mode(&sides)?;
                    let v = p.velocity.clone();
                    match (self.opens_after(state, open, wall, &v), slides || changes.rolls.is_none()) {
                        (Ok(_), _) => self.note_opening(wall),
                        (Err(refusal), true) => return Err(refusal),
                        // it rolls, and the friction of a slip does not press it away
                        (Err(_), false) => {
                            sides.latches[latch] = true;
                            (sides, p.velocity) = self.slid(state, sides, k, &v, false)?;
                        }
                    }
                    changed = true;
                    break;
                }
                let Some(rolls) = changes.rolls else { continue };
                if sides.latches[rolls] && at(self, EventKind::Slide(k)).is_some_and(|x| x <= 0.0) {
                    let v = p.velocity.clone();
                    (sides, p.velocity) = self.slid(state, sides, k, &v, false)?;
                    changed = true;
                    break;
                }
            }
            if !changed {
                return Ok((sides, p));
            }
        }
        Err(Refusal::NoImpactLaw { reason: "contacts that change do not come to an end there".to_owned() })
    }
}
