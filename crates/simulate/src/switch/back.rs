//! Runs backwards in time.
//!
//! A state has a past if exactly one state before the event leads to it. Going back means: find that state, or say that there is none, or more than one.
//!
//! ```text
//! collision      w = −v meets the same walls, moving ones with the opposite velocity. An elastic reflection is its own inverse:
//!                v⁻ = −ρ(−v⁺); then ρ(v⁻) = v⁺ is tested, and nothing else is taken for granted
//! border         v⁻ = v⁺ if v⁺ obeys what holds on the other side. It is the only one if what holds on this side says nothing that is not said there:
//!                otherwise the border has projected, and all of v⁺ + G⁻¹Wᵀs lead to v⁺
//! anything else  restitution below 1, dry friction, positions that are set, constraints that events switch: no way back
//! ```

use super::law::{Course, Gone, Law, is_jump, no_law};
use super::ledger::Ledger;
use super::look::{Look, Taken};
use super::record::{JumpCase, Refusal};
use polhode_base::ids::{BorderId, WallId};
use polhode_impulse::{Rank, Rows};
use polhode_model::Sides;
use polhode_tape::Scalar;

impl<S: Scalar> Law<'_, S> {
    /// Crosses borders that were crossed without a jump.
    pub(super) fn cross_back(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        met: &[BorderId],
        crossed: Option<BorderId>,
    ) -> Result<Gone<S>, Refusal> {
        if self.wall_ahead(look, sides).is_some() {
            return Err(no_way("a wall and a border are met there at once"));
        }
        let v = look.velocity();
        let earlier = self.sides_ahead(look, sides, met, crossed)?;
        let model = &self.switching.model;
        if let Some(c) = [model.blows(&earlier, sides), model.blows(sides, &earlier)].concat().first() {
            return Err(no_way(&format!("{} is a blow with restitution", model.constraints[*c].name)));
        }
        let (before, held) = self.beyond_with_rows(look, v, self.mode(&earlier)?)?;
        if before.jumped {
            return Err(no_way(
                "the constraints on the other side forbid this velocity, so that no motion comes from there",
            ));
        }
        let (_, here) = self.reversed().beyond_with_rows(look, v, look.place.mode)?;
        if !adds_nothing(look, &held, &here)? {
            return Err(no_way("constraints appear there, and many velocities before it lead to this one"));
        }
        let course = Course::new(JumpCase::Keep, earlier, before);
        self.go_on(look, Course { borders: met.to_vec(), ..course })
    }

    /// The velocity before an elastic collision: how it goes on, and the walls that were met.
    pub(super) fn bounce_back(
        &self,
        look: &Look<'_, S>,
        ledger: &mut Ledger<S>,
        wall: WallId,
    ) -> Result<(Gone<S>, Vec<WallId>), Refusal> {
        let s = self.switching;
        let met: Vec<WallId> = s.model.walls.ids().filter(|k| *k == wall || look.meets_wall(*k)).collect();
        if !self.borders_met(look, &ledger.sides, None).is_empty() {
            return Err(no_way("a wall and a border are met there at once"));
        }
        for k in &met {
            let name = &s.model.walls[*k].name;
            if s.friction[*k].is_some() || self.contact_of(*k).is_some() {
                return Err(no_way(&format!("{name} has friction, or contact that lasts")));
            }
            if s.restitution[*k].to_f64() != 1.0 {
                return Err(no_way(&format!("{name} returns only a part of the velocity")));
            }
        }
        let mode = look.place.mode;
        let turned = |v: &[S]| v.iter().map(|v| -*v).collect::<Vec<S>>();
        let mirror = look.reversed().beside(&look.state_with(&turned(look.velocity())));
        let struck = self.reflected(&mirror, &ledger.sides, mode, mode, &met)?;
        let mut p = struck.projected;
        p.velocity = turned(&p.velocity);
        // impulses along the run, like all that is told
        p.multipliers.iter_mut().for_each(|(_, x, _)| *x = -*x);
        let again =
            self.untold().reflected(&look.beside(&look.state_with(&p.velocity)), &ledger.sides, mode, mode, &met)?;
        if is_jump(&look.metric, &again.projected.velocity, look.velocity()) {
            return Err(no_way("no velocity before the collision leads to this one"));
        }
        let hit = if struck.walls.is_empty() { met.clone() } else { struck.walls };
        if ledger.pile_up(look.time().to_f64(), &hit).is_some() {
            return Err(no_way("collisions pile up"));
        }
        let course = Course::new(JumpCase::Collision, ledger.sides.clone(), p);
        Ok((self.go_on(look, Course { walls: hit, ..course })?, met))
    }
}

/// Whether rows are in the span of others.
fn adds_nothing<S: Scalar>(look: &Look<'_, S>, held: &Taken<S>, rows: &Taken<S>) -> Result<bool, Refusal> {
    let rank = |w: &[S]| Ok(Rows::new(&look.metric, w, &[], Rank::Decide).map_err(no_law)?.rank());
    Ok(rank(&[&held.w[..], &rows.w].concat())? == rank(&held.w)?)
}

pub(super) fn no_way(reason: &str) -> Refusal {
    Refusal::NoWayBack { reason: reason.to_owned() }
}
