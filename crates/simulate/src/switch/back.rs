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

use super::record::{JumpCase, Refusal};
use super::switcher::{NO_RATE, Outcome, Switcher};
use crate::compile::EventKind;
use polhode_base::ids::{BorderId, EventId, Id, ModeId, RowId, WallId};
use polhode_impulse::{Rank, Rows};
use polhode_tape::Scalar;

impl<S: Scalar> Switcher<'_, S> {
    /// +1 in a run forwards, −1 in one backwards.
    pub(super) fn sense(&self) -> f64 {
        if self.backwards { -1.0 } else { 1.0 }
    }

    /// What happens at an event that is met from its future.
    pub(super) fn go_back(&mut self, event: EventId, t: S, state: &[S]) -> Outcome {
        let found = match self.compiled.events[event].kind {
            EventKind::Border(k) => {
                let others = self.sides.borders.ids().filter(|j| *j != k && self.sides.borders[*j] != 0);
                let others = others.filter(|j| self.is_met(t, state, self.border_value(*j), self.border_row(*j)));
                let met: Vec<BorderId> = std::iter::once(k).chain(others).collect();
                let crossed = (self.sides.borders[k] != 0).then_some(k);
                self.cross_back(t, state, &met, crossed)
            }
            EventKind::Wall(k) => self.bounce_back(t, state, k),
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
        };
        found.unwrap_or_else(Outcome::Refused)
    }

    /// Crosses borders that were crossed without a jump.
    pub(super) fn cross_back(
        &mut self,
        t: S,
        state: &[S],
        met: &[BorderId],
        crossed: Option<BorderId>,
    ) -> Result<Outcome, Refusal> {
        if self.wall_ahead(t, state).is_some() {
            return Err(no_way("a wall and a border are met there at once"));
        }
        let v = self.velocity(state).to_vec();
        let here = ModeId::new(state[self.compiled.program.state.len()].to_f64() as usize);
        let mut on_border = self.sides.clone();
        met.iter().for_each(|k| on_border.borders[*k] = 0);
        let resting = self.mode(&on_border)?;
        let mut earlier = self.sides.clone();
        for k in met {
            earlier.borders[*k] = match crossed == Some(*k) {
                true => -self.sides.borders[*k],
                false => self.entered(t, state, &v, *k, resting),
            };
        }
        let blows =
            [(&earlier, &self.sides), (&self.sides, &earlier)].map(|(from, to)| self.switching.model.blows(from, to));
        if let Some(c) = blows.concat().first() {
            return Err(no_way(&format!("{} is a blow with restitution", self.switching.model.constraints[*c].name)));
        }
        let mode = self.mode(&earlier)?;
        let before = self.project_beyond(t, state, &v, mode)?;
        if before.jumped {
            return Err(no_way(
                "the constraints on the other side forbid this velocity, so that no motion comes from there",
            ));
        }
        let held = self.w.clone();
        self.arriving(|s| s.project_beyond(t, state, &v, here))?;
        if !self.adds_nothing(&held)? {
            return Err(no_way("constraints appear there, and many velocities before it lead to this one"));
        }
        Ok(self.go_on(state, earlier, &before, JumpCase::Keep, met, &[]))
    }

    /// Does something with time running forwards.
    fn arriving<T>(&mut self, what: impl FnOnce(&mut Self) -> T) -> T {
        self.backwards = false;
        let result = what(self);
        self.backwards = true;
        result
    }

    /// Whether the rows that were taken last are in the span of those given.
    fn adds_nothing(&self, held: &[S]) -> Result<bool, Refusal> {
        let rank = |w: &[S]| {
            let rows = Rows::new(&self.metric, w, &[], Rank::Decide);
            rows.map(|r| r.rank()).map_err(|e| Refusal::NoImpactLaw { reason: e.to_string() })
        };
        Ok(rank(&[held, &self.w].concat())? == rank(held)?)
    }

    /// The velocity before an elastic collision.
    fn bounce_back(&mut self, t: S, state: &[S], wall: WallId) -> Result<Outcome, Refusal> {
        let s = self.switching;
        let met: Vec<WallId> = (s.model.walls.ids())
            .filter(|k| *k == wall || self.is_met(t, state, self.wall_gap(*k), s.wall_rows[*k].first()))
            .collect();
        let borders = self.sides.borders.ids().filter(|j| self.sides.borders[*j] != 0);
        if { borders }.any(|j| self.is_met(t, state, self.border_value(j), self.border_row(j))) {
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
        let n = self.compiled.program.state.len();
        let mode = ModeId::new(state[n].to_f64() as usize);
        let unknowns = self.compiled.program.unknowns.clone();
        let mut reversed = state.to_vec();
        reversed[unknowns.clone()].iter_mut().for_each(|v| *v = -*v);
        self.reverse_offsets();
        let found = self.reflected(&reversed, mode, mode, &met);
        self.reverse_offsets();
        let (mut p, hit) = found?;
        p.velocity.iter_mut().for_each(|v| *v = -*v);
        // impulses along the run, like all that is told
        p.multipliers.iter_mut().for_each(|(_, x, _)| *x = -*x);
        let mut earlier = state.to_vec();
        earlier[unknowns].copy_from_slice(&p.velocity);
        let telling = std::mem::replace(&mut self.telling, false);
        let again = self.reflected(&earlier, mode, mode, &met);
        self.telling = telling;
        if self.is_jump(&again?.0.velocity, self.velocity(state)) {
            return Err(no_way("no velocity before the collision leads to this one"));
        }
        let hit = if hit.is_empty() { met.clone() } else { hit };
        if self.pile_up(t.to_f64(), &hit).is_some() {
            return Err(no_way("collisions pile up"));
        }
        self.met = met;
        Ok(self.go_on(state, self.sides.clone(), &p, JumpCase::Collision, &[], &hit))
    }

    /// Turns velocities of what moves around.
    fn reverse_offsets(&mut self) {
        for k in 0..self.switching.impact.rows {
            let end = self.switching.impact.row(RowId::new(k)).end;
            self.numbers[end] = -self.numbers[end];
        }
    }

    /// What happens at a start backwards from a border, or where constraints degenerate: with the event that stands for it.
    pub(super) fn start_back(&mut self, t: S, state: &[S]) -> Option<(EventId, Outcome)> {
        let s = self.switching;
        let met: Vec<BorderId> = self.sides.borders.ids().filter(|k| self.sides.borders[*k] == 0).collect();
        if let Err(refusal) = self.look(t, state) {
            return Some((s.event(&EventKind::Degenerate)?, Outcome::Refused(refusal)));
        }
        let Some(first) = met.first() else {
            let mode = ModeId::new(state[self.compiled.program.state.len()].to_f64() as usize);
            let wanted = self.generic_rank(mode);
            let sound = wanted == 0 || s.holds_by_construction || self.rank(&s.modes[mode]) == wanted;
            let reason = "the constraints lose rank at the start";
            let event = s.event(&EventKind::Degenerate).filter(|_| !sound)?;
            return Some((event, Outcome::Refused(no_way(reason))));
        };
        let outcome = self.cross_back(t, state, &met, None).unwrap_or_else(Outcome::Refused);
        Some((s.event(&EventKind::Border(*first))?, outcome))
    }

    /// Whether a rate is that of something that is approached along the run.
    pub(super) fn falls(&self, (rate, size): (f64, f64)) -> bool {
        self.sense() * rate < -NO_RATE * size
    }
}

fn no_way(reason: &str) -> Refusal {
    Refusal::NoWayBack { reason: reason.to_owned() }
}
