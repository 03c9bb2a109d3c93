//! Closed contacts in what happens elsewhere: impulses of friction are bounded by normal impulses.
//!
//! A contact with dry friction that is closed when another wall is hit takes part with a normal impulse P ≥ 0 and an impulse of friction of at most μP. In a
//! collision it is loosened first, so that it only touches: where P is 0 then that is the answer, where P < 0 it opens, and P > 0 is refused (`collisions`).

use super::onset::dot;
use super::record::Refusal;
use super::rolling::{changing, is_closed};
use super::switcher::{NO_RATE, Projected, Switcher};
use crate::compile::EventKind;
use polhode_base::ids::{ConstraintId, ContactId};
use polhode_model::Sides;
use polhode_tape::Scalar;

impl<S: Scalar> Switcher<'_, S> {
    /// ν in the axes of the rows of no slip.
    pub(super) fn normal(&self, contact: ContactId) -> Vec<S> {
        let s = self.switching;
        let before = changing(&s.model).take_while(|(k, _)| *k < contact).count();
        let sets: usize = s.model.events.iter().map(|e| e.sets.len()).sum();
        let first = s.impact.functions.start + s.model.walls.len() + s.model.borders.len() + sets + 3 * before;
        self.numbers[first..first + 3].to_vec()
    }

    /// The normal impulses of closed contacts, from those of the rows that were kept in a collision.
    pub(super) fn pushes(&self, sides: &Sides) -> Vec<(ContactId, f64)> {
        let s = self.switching;
        let impulse = |c: ConstraintId| {
            let i = self.chosen.iter().position(|k| *k == s.impact.row_of(c));
            i.and_then(|i| self.kept.get(i)).map_or(0.0, |x| x.to_f64())
        };
        let mut out = Vec::new();
        for (k, changes) in changing(&s.model).filter(|(_, c)| is_closed(c, sides)) {
            let through: f64 = { changes.no_slip }.zip(self.normal(k)).map(|(c, n)| -impulse(c) * n.to_f64()).sum();
            let frictionless = s.model.contacts.get(k).filter(|c| c.frictionless).map(|c| c.constraints.first());
            let rest = changes.touching.into_iter().chain(changes.smooth).chain(frictionless);
            out.push((k, through + rest.map(impulse).sum::<f64>()));
        }
        out
    }

    /// Sides on which closed contacts with dry friction slide.
    pub(super) fn loosened(&self) -> Sides {
        let mut sides = self.sides.clone();
        for (_, changes) in changing(&self.switching.model) {
            if let (Some(rolls), true) = (changes.rolls, is_closed(changes, &self.sides)) {
                sides.latches[rolls] = false;
            }
        }
        sides
    }

    /// Lets those contacts roll on that were loosened and do not slip.
    pub(super) fn tightened(&mut self, state: &[S], mut sides: Sides, v: &[S]) -> Result<Sides, Refusal> {
        let model = self.switching.model.clone();
        let mode = self.mode(&sides)?;
        let values = self.watched(mode, state, v);
        for (k, changes) in changing(&model).filter(|(_, c)| is_closed(c, &sides)).collect::<Vec<_>>() {
            if let (Some(rolls), Some(event)) = (changes.rolls, self.event_of(&EventKind::Roll(k))) {
                sides.latches[rolls] = self.sides.latches[rolls] && values[event] <= 0.0;
            }
        }
        Ok(sides)
    }

    /// Refuses a jump in which dry friction would have to give more than μ times the normal impulse.
    pub(super) fn within_cone(&self, sides: &Sides, p: &Projected<S>) -> Result<(), Refusal> {
        let s = self.switching;
        let largest = p.multipliers.iter().fold(0.0, |m: f64, (_, x, _)| m.max(x.abs()));
        for (k, changes) in changing(&s.model).filter(|(_, c)| is_closed(c, sides)) {
            let (Some(rolls), Some(mu)) = (changes.rolls, s.rubbing[k]) else { continue };
            if !sides.latches[rolls] {
                continue;
            }
            let row = |c: ConstraintId| s.impact.row_of(c);
            let impulse =
                |c: ConstraintId| p.multipliers.iter().find(|(k, ..)| *k == row(c)).map_or(0.0, |(_, x, _)| *x);
            let all: Vec<f64> = { changes.no_slip }.map(impulse).collect();
            let normal: Vec<f64> = self.normal(k).iter().map(|n| n.to_f64()).collect();
            let push = -dot(&all, &normal[..all.len()]);
            let along: f64 = all.iter().zip(&normal).map(|(x, n)| (x + push * n).powi(2)).sum();
            if along.sqrt() > mu.to_f64() * push.max(0.0) + NO_RATE * largest {
                let reason = format!(
                    "{} would need an impulse of friction beyond μ times its normal impulse, and what else happens at that moment has no law",
                    self.contact_name(k)
                );
                return Err(Refusal::NoImpactLaw { reason });
            }
        }
        Ok(())
    }
}
