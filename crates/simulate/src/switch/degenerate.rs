//! Where the constraints beyond say nothing at the place itself: their limit along the motion that leaves.
//!
//! The rank of a mode is that at generic points. Where the rows have less, or no values, or other ones a moment later, D⁺ is the limit of their span
//! along the outgoing arc q(s), from samples (`polhode_impulse::limit`). It is verified along the arc that leaves with the new velocity.
//!
//! On a set of higher codimension the limit depends on the direction of that arc, and the velocity afterwards solves v⁺ = P(v⁺) v⁻
//! (`polhode_impulse::implicit`); the unchanged velocity comes first.

use super::law::{Course, Gone, Law, Projected, is_jump};
use super::look::{Look, Taken};
use super::record::{Candidate, JumpCase, Refusal};
use crate::state::State;
use polhode_base::ids::ModeId;
use polhode_impulse::limit::{Limit, LimitError, default_tolerance, limit};
use polhode_impulse::{Consistent, Rank, Rows, Verdict, consistent};
use polhode_model::Sides;
use polhode_tape::Scalar;
use polhode_tape::dense::dot;

/// Where samples along an arc start, in units of time.
const ARC: f64 = 1e-2;

/// Rows that turn by more than this within the times of [`SOON`] are not taken at their word.
const TURNED: f64 = 0.05;

/// A moment later, three times so that none is missed by chance.
const SOON: [f64; 3] = [1e-4, 0.618e-4, 0.271e-4];

/// Directions that are tried for v⁺.
const STARTS: usize = 12;

/// A motion leaves a point where its equations have no value from a place so far along the arc, in units of time.
const NUDGE: f64 = 1e-13;

impl<S: Scalar> Law<'_, S> {
    /// The velocity projected onto the constraints of a mode, at a border.
    pub(super) fn project_beyond(&self, look: &Look<'_, S>, v: &[S], mode: ModeId) -> Result<Projected<S>, Refusal> {
        self.beyond_with_rows(look, v, mode).map(|(p, _)| p)
    }

    /// The same with the rows it was projected onto.
    pub(super) fn beyond_with_rows(
        &self,
        look: &Look<'_, S>,
        v: &[S],
        mode: ModeId,
    ) -> Result<(Projected<S>, Taken<S>), Refusal> {
        let taken = look.rows(self.in_force(mode));
        if self.is_sound(look, &taken, v, mode)? {
            return Ok((self.project(look, &taken, v)?, taken));
        }
        // the unchanged velocity, then the one that its own constraints lead to
        let first = self.project_along(look, v, v, mode)?;
        if !first.0.jumped {
            return Ok(first);
        }
        let again = self.project_along(look, &first.0.velocity, v, mode)?;
        if !is_jump(&look.metric, &first.0.velocity, &again.0.velocity) {
            return Ok(again);
        }
        self.project_implicitly(look, v, mode)
    }

    /// The velocity `v` projected onto the limit of the constraints along the arc that leaves with another.
    fn project_along(
        &self,
        look: &Look<'_, S>,
        along: &[S],
        v: &[S],
        mode: ModeId,
    ) -> Result<(Projected<S>, Taken<S>), Refusal> {
        let taken = self.limit_rows(look, along, mode)?;
        Ok((self.project(look, &taken, v)?, taken))
    }

    /// Whether rows are what holds just beyond.
    fn is_sound(&self, look: &Look<'_, S>, taken: &Taken<S>, v: &[S], mode: ModeId) -> Result<bool, Refusal> {
        if self.switching.holds_by_construction {
            return Ok(true);
        }
        let wanted = self.switching.impact.representation + self.generic_rank(mode);
        if Rows::new(&look.metric, &taken.w, &[], Rank::Decide).map_or(true, |rows| rows.rank() < wanted) {
            return Ok(false);
        }
        let mut sound = true;
        for s in SOON {
            let later = self.look_along(look, v, S::from_f64(s))?;
            for (k, row) in taken.chosen.iter().zip(taken.w.chunks_exact(self.switching.impact.n)) {
                let later = later.row(*k);
                let (cross, size) = (dot(row, later), dot(row, row) * dot(later, later));
                let (cross, size) = (cross.to_f64().powi(2), size.to_f64());
                // written so that NaN is not sound
                sound &= cross >= (1.0 - TURNED) * size;
            }
        }
        Ok(sound)
    }

    /// The look a time `s` along the arc that leaves with velocity `v`; in a run backwards, that comes from there.
    fn look_along(&self, look: &Look<'_, S>, v: &[S], s: S) -> Result<Look<'_, S>, Refusal> {
        let s = S::from_f64(self.sense()) * s;
        self.look_at(&self.along(look, v, s), look.place)
    }

    /// The inputs of tapes a time `s` later: to second order where there are accelerations.
    fn along(&self, look: &Look<'_, S>, v: &[S], s: S) -> Vec<S> {
        let moved = look.inputs_with(v);
        let step = |at: &[S], h: S| {
            let rates = self.rates(look.place.mode, at);
            let mut out = moved.clone();
            out[0] = moved[0] + h;
            for (x, r) in out[1..].iter_mut().zip(&rates) {
                *x = if r.to_f64().is_finite() { *x + h * *r } else { *x };
            }
            out
        };
        let half = step(&moved, s * S::from_f64(0.5));
        let mut out = step(&half, s);
        let unknowns = self.compiled.program.unknowns.clone();
        out[1..][unknowns].copy_from_slice(v);
        out
    }

    /// The limit of the rows of a mode along an arc; affine parts are one more column.
    fn limit_along(&self, look: &Look<'_, S>, v: &[S], mode: ModeId) -> Result<Limit<S>, LimitError> {
        let n = self.switching.impact.n;
        let rank = self.switching.impact.representation + self.generic_rank(mode);
        let chosen = look.rows(self.in_force(mode)).chosen;
        limit(n + 1, Some(rank), S::from_f64(ARC), default_tolerance::<S>(), |s, w| {
            w.clear();
            match self.look_along(look, v, s) {
                Ok(there) => chosen.iter().for_each(|k| w.extend_from_slice(there.affine_row(*k))),
                Err(_) => w.resize(chosen.len() * (n + 1), S::from_f64(f64::NAN)),
            }
        })
    }

    /// That limit in the place of rows.
    fn limit_rows(&self, look: &Look<'_, S>, v: &[S], mode: ModeId) -> Result<Taken<S>, Refusal> {
        let found = self.limit_along(look, v, mode).map_err(|e| Refusal::NoLimit { reason: e.to_string() })?;
        let n = self.switching.impact.n;
        let mut taken = Taken::default();
        for row in found.rows.chunks_exact(n + 1) {
            taken.w.extend_from_slice(&row[..n]);
            taken.w0.push(row[n]);
        }
        Ok(taken)
    }

    /// Whether the constraints in force have a lower rank than elsewhere.
    pub(super) fn is_singular(&self, look: &Look<'_, S>) -> bool {
        let wanted = self.generic_rank(look.place.mode);
        wanted != 0
            && !self.switching.holds_by_construction
            && self.rank(look, self.in_force(look.place.mode)) != wanted
    }

    /// How a motion goes on that starts where the constraints in force have a lower rank than elsewhere.
    pub(super) fn singular_start(&self, look: &Look<'_, S>, sides: &Sides) -> Result<Gone<S>, Refusal> {
        let p = self.project_beyond(look, look.velocity(), look.place.mode)?;
        let moved = self.along(look, &p.velocity, S::from_f64(NUDGE));
        let mut nudged = State::new(moved[1..].to_vec(), look.place);
        nudged.components[self.compiled.program.unknowns.clone()].copy_from_slice(look.velocity());
        self.go_on(&look.beside(&nudged), Course::new(JumpCase::Start, sides.clone(), p))
    }

    /// The only velocity that satisfies the constraints of its own continuation.
    fn project_implicitly(
        &self,
        look: &Look<'_, S>,
        v: &[S],
        mode: ModeId,
    ) -> Result<(Projected<S>, Taken<S>), Refusal> {
        let n = self.switching.impact.n;
        let mut some_limit = false;
        let mut why = String::new();
        let found: Consistent<S> = consistent(&look.metric, v, STARTS, |v, w| {
            w.clear();
            match self.limit_along(look, v, mode) {
                Ok(found) => {
                    some_limit = true;
                    found.rows.chunks_exact(n + 1).for_each(|row| w.extend_from_slice(&row[..n]));
                    true
                }
                Err(e) => {
                    why = e.to_string();
                    false
                }
            }
        });
        if !some_limit {
            return Err(Refusal::NoLimit { reason: why });
        }
        let candidates: Vec<Candidate> = (found.solutions.iter())
            .map(|s| Candidate {
                assumes: "the constraints along the motion that leaves".to_owned(),
                velocity: s.velocity.iter().map(|x| x.to_f64()).collect(),
                consistent: true,
            })
            .collect();
        match found.verdict() {
            Verdict::None => Err(Refusal::NoConsistentJump { candidates }),
            Verdict::Unique => self.project_along(look, &found.solutions[0].velocity, v, mode),
            Verdict::Several(_) | Verdict::Continuum => Err(Refusal::SeveralJumps { candidates }),
        }
    }

    /// For a motion that gets nowhere before a border: whether that is because what holds on this side has no limit there.
    pub(super) fn no_limit_ahead(&self, look: &Look<'_, S>, sides: &Sides) -> Option<Refusal> {
        let mode = *self.switching.places.get(&self.switching.model.active(sides))?;
        let v = look.velocity();
        let ahead = sides.borders.ids().filter(|k| sides.borders[*k] != 0).find_map(|k| {
            let time = -look.border(k) / look.border_rate(k, v).0;
            (time * self.sense() > 0.0 && time.abs() < ARC).then_some(S::from_f64(time))
        })?;
        let there = self.look_at(&self.along(look, v, ahead), look.place).ok()?;
        match self.reversed().limit_along(&there, v, mode) {
            Err(e @ LimitError::NoLimit { .. }) => Some(Refusal::NoLimit { reason: e.to_string() }),
            _ => None,
        }
    }
}
