//! Constraints with restitution: blows where their regions are entered.
//!
//! ```text
//! v⁺ = v⁻ − (1 + e)(1 − P) v⁻,     P the projection onto what holds and what would appear,     0 < e ≤ 1
//! ```
//!
//! For e = 0 this is the jump onto constraints that appear, and they hold from then on. With e > 0 the motion leaves the border with the slip −e s⁻, which no constraint
//! that held beyond would allow: so none holds there, and the border is all there is of it. The motion goes where v⁺ points, through the border or back from it: with
//! the constraint x' = 0 where x > 0 that is a wall.

use super::record::{Candidate, Refusal};
use super::switcher::{NO_RATE, Projected, Switcher};
use polhode_base::ids::{BorderId, ConstraintId, ModeId};
use polhode_impulse::Rank;
use polhode_model::Sides;
use polhode_tape::Scalar;

impl<S: Scalar> Switcher<'_, S> {
    /// The blow that a motion gets on the way to the sides ahead, and the sides where it goes then; `None` without one.
    pub(super) fn blown(
        &mut self,
        t: S,
        state: &[S],
        met: &[BorderId],
        ahead: &Sides,
        resting: ModeId,
    ) -> Result<Option<(Sides, Projected<S>)>, Refusal> {
        let s = self.switching;
        let blows = s.model.blows(&self.sides, ahead);
        let Some(first) = blows.first() else { return Ok(None) };
        let no_law = |reason: String| Refusal::NoImpactLaw { reason };
        let (old, mut rows) = (s.model.active(&self.sides), s.model.active(ahead));
        let name = &s.model.constraints[*first].name;
        let v = self.velocity(state).to_vec();
        // one that the motion obeys already is kept by the blow
        let slips = |c: &ConstraintId| {
            let (rate, size) = self.rate(s.impact.row_of(*c), &v);
            rate.abs() > NO_RATE * size
        };
        if let Some(c) = rows.iter().filter(|c| !old.contains(*c)).find(slips) {
            let other = &s.model.constraints[c].name;
            return Err(no_law(format!("{other} appears where {name} is a blow with restitution")));
        }
        let e = s.blows[*first];
        if let Some(c) = blows.iter().find(|c| s.blows[**c] != e) {
            let other = &s.model.constraints[*c].name;
            return Err(no_law(format!("{name} and {other} are blows with different restitutions")));
        }
        blows.iter().for_each(|c| rows.set(*c, true));
        self.take_rows(&rows);
        self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
        let e = S::constant(e.unwrap_or_default());
        self.jump.set(&self.metric, &mut self.rows, &v, e).map_err(|e| no_law(e.to_string()))?;
        let p = self.jumped(&v);
        let mut sides = self.sides.clone();
        for k in met {
            sides.borders[*k] = self.entered(t, state, &p.velocity, *k, resting);
        }
        // where it goes other things may hold
        let mode = self.mode(&sides)?;
        if self.project_beyond(t, state, &p.velocity, mode)?.jumped {
            let velocity = p.velocity.iter().map(|x| x.to_f64()).collect();
            let assumes = format!("the blow of {name}");
            return Err(Refusal::NoConsistentJump {
                candidates: vec![Candidate { assumes, velocity, consistent: false }],
            });
        }
        Ok(Some((sides, p)))
    }
}
