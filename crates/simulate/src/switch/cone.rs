//! Closed contacts in what happens elsewhere: impulses of friction are bounded by normal impulses.
//!
//! A contact with dry friction that is closed when another wall is hit takes part with a normal impulse P ≥ 0 and an impulse of friction of at most μP. In a
//! collision it is loosened first, so that it only touches: where P is 0 then that is the answer, where P < 0 it opens, and P > 0 is refused (`collisions`).

use super::collisions::Struck;
use super::law::{Law, Projected, no_law};
use super::look::{Look, NO_RATE};
use super::record::Refusal;
use super::rolling::{changing, is_closed};
use crate::compile::EventKind;
use polhode_base::ids::{ConstraintId, ContactId};
use polhode_model::Sides;
use polhode_tape::Scalar;
use polhode_tape::dense::dot;

impl<S: Scalar> Law<'_, S> {
    /// The normal impulses of closed contacts, from those of the rows that were kept in a collision.
    pub(super) fn pushes(&self, look: &Look<'_, S>, sides: &Sides, struck: &Struck<S>) -> Vec<(ContactId, f64)> {
        let s = self.switching;
        let impulse = |c: ConstraintId| {
            let i = struck.held.place_of(s.impact.row_of(c));
            i.and_then(|i| struck.kept.get(i)).map_or(0.0, |x| x.to_f64())
        };
        let mut out = Vec::new();
        for (k, changes) in changing(&s.model).filter(|(_, c)| is_closed(c, sides)) {
            let through: f64 = changes.no_slip.zip(look.normal(k)).map(|(c, n)| -impulse(c) * n.to_f64()).sum();
            let frictionless = s.model.contacts.get(k).filter(|c| c.frictionless).map(|c| c.constraints.first());
            let rest = changes.touching.into_iter().chain(changes.smooth).chain(frictionless);
            out.push((k, through + rest.map(impulse).sum::<f64>()));
        }
        out
    }

    /// Sides on which closed contacts with dry friction slide.
    pub(super) fn loosened(&self, sides: &Sides) -> Sides {
        let mut loose = sides.clone();
        for (_, changes) in changing(&self.switching.model) {
            if let (Some(rolls), true) = (changes.rolls, is_closed(changes, sides)) {
                loose.latches[rolls] = false;
            }
        }
        loose
    }

    /// Lets those contacts roll on that rolled before, were loosened and do not slip.
    pub(super) fn tightened(
        &self,
        look: &Look<'_, S>,
        before: &Sides,
        mut sides: Sides,
        v: &[S],
    ) -> Result<Sides, Refusal> {
        let mode = self.mode(&sides)?;
        let values = self.watched(look, mode, v);
        for (k, changes) in changing(&self.switching.model) {
            if let (Some(rolls), Some(event)) = (changes.rolls, self.switching.event(&EventKind::Roll(k)))
                && is_closed(changes, &sides)
            {
                sides.latches[rolls] = before.latches[rolls] && values[event] <= 0.0;
            }
        }
        Ok(sides)
    }

    /// Refuses a jump in which dry friction would have to give more than μ times the normal impulse.
    pub(super) fn within_cone(&self, look: &Look<'_, S>, sides: &Sides, p: &Projected<S>) -> Result<(), Refusal> {
        let s = self.switching;
        let largest = p.multipliers.iter().fold(0.0, |m: f64, (_, x, _)| m.max(x.abs()));
        for (k, changes) in changing(&s.model).filter(|(_, c)| is_closed(c, sides)) {
            let (Some(rolls), Some(mu)) = (changes.rolls, s.rubbing[k]) else { continue };
            if !sides.latches[rolls] {
                continue;
            }
            let impulse = |c: ConstraintId| {
                let row = s.impact.row_of(c);
                p.multipliers.iter().find(|(k, ..)| *k == row).map_or(0.0, |(_, x, _)| *x)
            };
            let all: Vec<f64> = changes.no_slip.map(impulse).collect();
            let normal: Vec<f64> = look.normal(k).iter().map(|n| n.to_f64()).collect();
            let push = -dot(&all, &normal[..all.len()]);
            let along: f64 = all.iter().zip(&normal).map(|(x, n)| (x + push * n).powi(2)).sum();
            if along.sqrt() > mu.to_f64() * push.max(0.0) + NO_RATE * largest {
                return Err(no_law(format!(
                    "{} would need an impulse of friction beyond μ times its normal impulse, and what else happens at that moment has no law",
                    self.contact_name(k)
                )));
            }
        }
        Ok(())
    }
}
