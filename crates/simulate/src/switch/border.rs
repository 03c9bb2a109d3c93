//! Borders between regions with different constraints.
//!
//! The constraints beyond a border depend on where the motion goes, and that depends on the constraints. So every combination of sides of the
//! borders that are met is tried: constraints beyond, projection v⁺ of the velocity, and whether b̊(v⁺) points to the side that was assumed. The
//! unchanged velocity comes first; then exactly one combination must be consistent.

use super::law::{Course, Law, Projected, is_jump, no_law};
use super::look::Look;
use super::record::{Candidate, JumpCase, Refusal};
use polhode_base::ids::{BorderId, ConstraintId, Id};
use polhode_impulse::{Rank, Rows, rough_edge};
use polhode_model::{Model, Sides};
use polhode_tape::Scalar;

/// Most borders that are met at once.
const MOST_BORDERS: usize = 6;

impl<S: Scalar> Law<'_, S> {
    /// The borders that are met, besides one, of those on which the motion does not rest.
    pub(super) fn borders_met(&self, look: &Look<'_, S>, sides: &Sides, besides: Option<BorderId>) -> Vec<BorderId> {
        let others = sides.borders.ids().filter(|k| Some(*k) != besides && sides.borders[*k] != 0);
        others.filter(|k| look.meets_border(*k)).collect()
    }

    /// The sides ahead of borders that are met, with unchanged velocity: `crossed` is one that has been crossed already.
    pub(super) fn sides_ahead(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        met: &[BorderId],
        crossed: Option<BorderId>,
    ) -> Result<Sides, Refusal> {
        let resting = self.mode(&on_borders(sides, met))?;
        let mut ahead = sides.clone();
        for k in met {
            ahead.borders[*k] = match crossed == Some(*k) {
                true => -sides.borders[*k],
                false => self.entered(look, look.velocity(), *k, resting),
            };
        }
        Ok(ahead)
    }

    /// What happens at borders that are met.
    pub(super) fn cross(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        met: &[BorderId],
        crossed: Option<BorderId>,
    ) -> Result<Course<S>, Refusal> {
        let (case, beyond, p) = self.beyond(look, sides, met, crossed)?;
        if p.jumped {
            self.within_cone(look, &beyond, &p)?;
        }
        Ok(Course { borders: met.to_vec(), ..Course::new(case, beyond, p) })
    }

    fn beyond(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        met: &[BorderId],
        crossed: Option<BorderId>,
    ) -> Result<(JumpCase, Sides, Projected<S>), Refusal> {
        let v = look.velocity();
        if met.len() > MOST_BORDERS {
            return Err(no_law(format!("{} borders are met at once", met.len())));
        }
        // the unchanged velocity
        let ahead = self.sides_ahead(look, sides, met, crossed)?;
        if let Some((beyond, p)) = self.blown(look, sides, met, &ahead)? {
            return Ok((JumpCase::Blow, beyond, p));
        }
        match self.project_beyond(look, v, self.mode(&ahead)?) {
            Ok(p) if !p.jumped => return Ok((JumpCase::Keep, ahead, p)),
            Err(refusal @ (Refusal::NoLimit { .. } | Refusal::SeveralJumps { .. })) => return Err(refusal),
            _ => {}
        }
        // all combinations of sides
        let mut candidates = Vec::new();
        let mut consistent = Vec::new();
        for k in 0..1usize << met.len() {
            let mut beyond = sides.clone();
            met.iter().enumerate().for_each(|(i, b)| beyond.borders[*b] = if k >> i & 1 == 1 { 1 } else { -1 });
            let mode = self.mode(&beyond)?;
            let p = self.project_beyond(look, v, mode)?;
            let fits = met.iter().all(|b| self.entered(look, &p.velocity, *b, mode) == beyond.borders[*b]);
            candidates.push(Candidate {
                assumes: describe(&self.switching.model, &beyond, met),
                velocity: p.velocity.iter().map(|x| x.to_f64()).collect(),
                consistent: fits,
            });
            if fits {
                consistent.push((JumpCase::Keep, beyond, p));
            }
        }
        match consistent.len() {
            0 => match self.thrown_back(look, sides, &ahead, met)? {
                Some(thrown) => Ok((JumpCase::ThrownBack, sides.clone(), thrown)),
                None => Err(Refusal::NoConsistentJump { candidates }),
            },
            1 => Ok(consistent.remove(0)),
            _ => Err(Refusal::SeveralJumps { candidates }),
        }
    }

    /// The velocity with which friction throws a motion back from a border, if all that appears beyond stands for Coulomb friction.
    fn thrown_back(
        &self,
        look: &Look<'_, S>,
        sides: &Sides,
        ahead: &Sides,
        met: &[BorderId],
    ) -> Result<Option<Projected<S>>, Refusal> {
        let s = self.switching;
        let (old, new) = (s.model.active(sides), s.model.active(ahead));
        let appear: Vec<ConstraintId> = new.iter().filter(|c| !old.contains(*c)).collect();
        let [border] = met else { return Ok(None) };
        if appear.is_empty() || !appear.iter().all(|c| s.model.constraints[*c].coulomb) {
            return Ok(None);
        }
        let held = look.rows(&old);
        let rows = Rows::new(&look.metric, &held.w, &held.w0, Rank::Decide).map_err(no_law)?;
        let w: Vec<S> = appear.iter().flat_map(|c| look.row(s.impact.row_of(*c))).copied().collect();
        let sign = S::from_f64(f64::from(ahead.borders[*border]));
        let entering: Vec<S> = look.row(s.border_rows.at(border.index())).iter().map(|a| sign * *a).collect();
        let kept = (!held.w.is_empty()).then_some(&rows);
        let edge = rough_edge(&look.metric, kept, &w, &entering, look.velocity()).map_err(no_law)?;
        Ok(Some(Projected {
            jumped: is_jump(&look.metric, look.velocity(), &edge.velocity),
            velocity: edge.velocity,
            multipliers: Vec::new(),
            dissipated: edge.dissipated.to_f64(),
        }))
    }
}

/// The sides on the borders themselves.
pub(super) fn on_borders(sides: &Sides, met: &[BorderId]) -> Sides {
    let mut on = sides.clone();
    met.iter().for_each(|k| on.borders[*k] = 0);
    on
}

/// The sides of borders in words: `x > 0 and y < 0`.
fn describe(model: &Model, sides: &Sides, met: &[BorderId]) -> String {
    met.iter().map(|k| model.side(*k, sides.borders[*k])).collect::<Vec<_>>().join(" and ")
}
