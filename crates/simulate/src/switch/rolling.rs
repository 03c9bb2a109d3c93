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

use super::collisions::note;
use super::law::{Course, Law, Projected, is_jump, no_law};
use super::look::{Look, NO_RATE};
use super::record::Refusal;
use crate::compile::EventKind;
use polhode_base::ids::{ContactId, EventId, Id, IdRange, WallId};
use polhode_expr::Expr;
use polhode_model::{Changes, Model, Sides};
use polhode_tape::{Dd, Scalar};

/// Changes of contacts at one instant beyond which there is no end of them: each contact opens, closes, rolls or slides once or twice.
const MOST_CHANGES: usize = 16;

/// A rate below this part of what it is made of is what a collision without restitution leaves.
const LYING: f64 = 1e-6;

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

impl<S: Scalar> Law<'_, S> {
    /// The contact that is a wall while it is open.
    pub(super) fn contact_of(&self, wall: WallId) -> Option<ContactId> {
        let lasting = self.switching.model.walls[wall].lasting?;
        changing(&self.switching.model).find(|(_, c)| c.closed == Some(lasting)).map(|(k, _)| k)
    }

    pub(super) fn wall_of(&self, contact: ContactId) -> Option<WallId> {
        let closed = self.changes(contact).closed?;
        self.switching.model.walls.find_id(|w| w.lasting == Some(closed))
    }

    pub(super) fn changes(&self, contact: ContactId) -> &Changes {
        let mut all = changing(&self.switching.model);
        all.find(|(k, _)| *k == contact).expect("only contacts that change have such events").1
    }

    pub(super) fn contact_name(&self, contact: ContactId) -> String {
        name_of(&self.switching.model, contact).to_owned()
    }

    /// The event of a contact that opens or begins to slide on the way from some sides to others; that of the first one if none does.
    pub(super) fn event_that_tells(&self, from: &Sides, to: &Sides) -> Option<EventId> {
        let s = self.switching;
        let contacts = || changing(&s.model);
        let release = |k: ContactId| s.event(&EventKind::Release(self.wall_of(k)?));
        let slide = |k: ContactId| s.event(&EventKind::Slide(k));
        let opens = contacts().find(|(_, c)| is_closed(c, from) && !is_closed(c, to));
        let slides = contacts().find(|(_, c)| c.rolls.is_some_and(|l| from.latches[l] && !to.latches[l]));
        let first = contacts().next().map(|(k, _)| k);
        (opens.and_then(|(k, _)| release(k)))
            .or_else(|| slide(slides?.0))
            .or_else(|| slide(first?))
            .or_else(|| release(first?))
    }

    /// Why a motion does not go on where a contact changes again and again.
    pub(super) fn restless(&self, contact: ContactId) -> Refusal {
        no_law(format!("{} closes or begins to roll again and again, and does not stay so", self.contact_name(contact)))
    }

    /// Closes contacts that have been hit and do not open again, or whose bounces have piled up. The velocities that follow.
    pub(super) fn close(
        &self,
        look: &Look<'_, S>,
        mut sides: Sides,
        walls: &[WallId],
        p: Projected<S>,
    ) -> Result<(Sides, Projected<S>), Refusal> {
        let projected = |sides: &Sides| {
            let mode = self.mode(sides)?;
            Ok((mode, self.project(look, &look.rows(self.in_force(mode)), &p.velocity)?.velocity))
        };
        for wall in walls {
            let Some(contact) = self.contact_of(*wall) else { continue };
            let Changes { closed, rolls, .. } = self.changes(contact);
            closed.iter().for_each(|l| sides.latches[*l] = true);
            let Some(rolls) = *rolls else { continue };
            sides.latches[rolls] = false;
            let (mode, v) = projected(&sides)?;
            let event = self.switching.event(&EventKind::Roll(contact));
            let slips = event.is_some_and(|e| self.watched(look, mode, &v)[e] > 0.0);
            sides.latches[rolls] = !slips;
        }
        let (_, velocity) = projected(&sides)?;
        let jumped = is_jump(&look.metric, look.velocity(), &velocity);
        Ok((sides, Projected { jumped, velocity, ..p }))
    }

    /// The walls among those hit that are contacts which do not open again.
    pub(super) fn stays_closed(&self, look: &Look<'_, S>, hit: &[WallId], v: &[S]) -> Vec<WallId> {
        let lies = |k: &WallId| {
            let (rate, size) = look.gap_rate(*k, v);
            // without restitution the law leaves no rate, whatever its computation does
            let small = if self.switching.restitution[*k] == Dd::ZERO { LYING } else { NO_RATE };
            self.contact_of(*k).is_some() && rate.abs() <= small * size
        };
        hit.iter().copied().filter(lies).collect()
    }

    /// Changes what cannot stay as it is.
    pub(super) fn steady(&self, look: &Look<'_, S>, mut course: Course<S>) -> Result<Course<S>, Refusal> {
        for _ in 0..MOST_CHANGES {
            if !self.change_one(look, &mut course)? {
                return Ok(course);
            }
        }
        Err(no_law("contacts that change do not come to an end there"))
    }

    /// Changes the first contact that cannot stay as it is; whether there was one.
    fn change_one(&self, look: &Look<'_, S>, course: &mut Course<S>) -> Result<bool, Refusal> {
        let model = &self.switching.model;
        if !changing(model).any(|(_, c)| is_closed(c, &course.sides)) {
            return Ok(false);
        }
        let mode = self.mode(&course.sides)?;
        let values = self.watched(look, mode, &course.projected.velocity);
        let falls = |kind: EventKind| self.switching.event(&kind).is_some_and(|e| values[e] <= 0.0);
        for (k, changes) in changing(model) {
            let Course { sides, projected, opened, .. } = course;
            if !is_closed(changes, sides) {
                continue;
            }
            let v = &mut projected.velocity;
            let rough = changes.rough.as_ref().is_none_or(|c| c.holds(sides));
            if let Some(rolls) = changes.rolls.filter(|l| !rough && sides.latches[*l]) {
                // no friction there
                sides.latches[rolls] = false;
                return Ok(true);
            }
            let slides = changes.rolls.is_some_and(|l| !sides.latches[l]);
            if let Some(rolls) = changes.rolls.filter(|_| slides && rough && falls(EventKind::Roll(k))) {
                // no slip
                sides.latches[rolls] = true;
                *v = self.project(look, &look.rows(self.in_force(self.mode(sides)?)), v)?.velocity;
                return Ok(true);
            }
            if slides && falls(EventKind::Jam(k)) {
                return Err(self.jammed(k));
            }
            if slides && falls(EventKind::Pull(k)) {
                return Err(self.pulled(k));
            }
            if let (Some(latch), Some(wall)) = (changes.closed, self.wall_of(k))
                && falls(EventKind::Release(wall))
            {
                sides.latches[latch] = false;
                match (self.opens_after(look, self.mode(sides)?, wall, v), slides || changes.rolls.is_none()) {
                    (Ok(_), _) => note(opened, Some(wall)),
                    (Err(refusal), true) => return Err(refusal),
                    // it rolls, and the friction of a slip does not press it away
                    (Err(_), false) => {
                        sides.latches[latch] = true;
                        self.slide(look, sides, v, k)?;
                    }
                }
                return Ok(true);
            }
            if changes.rolls.is_some_and(|l| sides.latches[l]) && falls(EventKind::Slide(k)) {
                self.slide(look, sides, v, k)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}
