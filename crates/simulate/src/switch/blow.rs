//! Constraints with restitution: blows where their regions are entered.
//!
//! ```text
//! v⁺ = v⁻ − (1 + e)(1 − P) v⁻,     P the projection onto what holds and what would appear,     0 < e ≤ 1
//! ```
//!
//! For e = 0 this is the jump onto constraints that appear, and they hold from then on. With e > 0 the motion leaves the border with the slip −e s⁻, which no constraint
//! that held beyond would allow: so none holds there, and the border is all there is of it. The motion goes where v⁺ points, through the border or back from it: with
//! the constraint x' = 0 where x > 0 that is a wall.

use super::border::on_borders;
use super::law::{Law, Projected, no_law};
use super::look::{Look, NO_RATE};
use super::record::{Candidate, Refusal};
use polhode_base::ids::{BorderId, ConstraintId};
use polhode_model::Sides;
use polhode_tape::Scalar;

impl<S: Scalar> Law<'_, S> {
    /// The blow that a motion gets on the way to the sides ahead, and the sides where it goes then; `None` without one.
    pub(super) fn blown(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        met: &[BorderId],
        ahead: &Sides,
    ) -> Result<Option<(Sides, Projected<S>)>, Refusal> {
        let s = self.switching;
        let blows = s.model.blows(sides, ahead);
        let Some(first) = blows.first() else { return Ok(None) };
        let (old, mut in_force) = (s.model.active(sides), s.model.active(ahead));
        let name = |c: ConstraintId| &s.model.constraints[c].name;
        let v = look.velocity();
        // one that the motion obeys already is kept by the blow
        let slips = |c: &ConstraintId| {
            let (rate, size) = look.rate(s.impact.row_of(*c), v);
            rate.abs() > NO_RATE * size
        };
        if let Some(c) = in_force.iter().filter(|c| !old.contains(*c)).find(slips) {
            return Err(no_law(format!("{} appears where {} is a blow with restitution", name(c), name(*first))));
        }
        let e = s.blows[*first];
        if let Some(c) = blows.iter().find(|c| s.blows[**c] != e) {
            return Err(no_law(format!("{} and {} are blows with different restitutions", name(*first), name(*c))));
        }
        blows.iter().for_each(|c| in_force.set(*c, true));
        let p = self.returned(look, &look.rows(&in_force), v, S::constant(e.unwrap_or_default()))?;
        let resting = self.mode(&on_borders(sides, met))?;
        let mut beyond = sides.clone();
        for k in met {
            beyond.borders[*k] = self.entered(look, &p.velocity, *k, resting);
        }
        // where it goes other things may hold
        if self.project_beyond(look, &p.velocity, self.mode(&beyond)?)?.jumped {
            let velocity = p.velocity.iter().map(|x| x.to_f64()).collect();
            let assumes = format!("the blow of {}", name(*first));
            return Err(Refusal::NoConsistentJump {
                candidates: vec![Candidate { assumes, velocity, consistent: false }],
            });
        }
        Ok(Some((beyond, p)))
    }
}
