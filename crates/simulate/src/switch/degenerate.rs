//! Where the constraints beyond say nothing at the place itself: their limit along the motion that leaves.
//!
//! The rank of a mode is that at generic points. Where the rows have less, or no values, or other ones a moment later, D⁺ is the limit of their span
//! along the outgoing arc q(s), from samples (`polhode_impulse::limit`). It is verified along the arc that leaves with the new velocity.
//!
//! On a set of higher codimension the limit depends on the direction of that arc, and the velocity afterwards solves v⁺ = P(v⁺) v⁻
//! (`polhode_impulse::implicit`); the unchanged velocity comes first.

use super::record::{Candidate, JumpCase, Refusal};
use super::switcher::{Outcome, Projected, Switcher};
use polhode_base::ids::{Id, ModeId};
use polhode_impulse::limit::{Limit, LimitError, default_tolerance, limit};
use polhode_impulse::{Consistent, Rank, Rows, Verdict, consistent};
use polhode_tape::{Interpreter, Scalar};

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

impl<S: Scalar> Switcher<'_, S> {
    /// The velocity projected onto the constraints of a mode, at a border.
    pub(super) fn project_beyond(&mut self, t: S, state: &[S], v: &[S], mode: ModeId) -> Result<Projected<S>, Refusal> {
        let active = self.switching.modes[mode].clone();
        self.take_rows(&active);
        if self.is_sound(t, state, v, mode)? {
            return self.project_rows(v);
        }
        // the unchanged velocity, then the one that its own constraints lead to
        let first = self.project_along(t, state, v, v, mode)?;
        if !first.jumped {
            return Ok(first);
        }
        let again = self.project_along(t, state, &first.velocity, v, mode)?;
        if !self.is_jump(&first.velocity, &again.velocity) {
            return Ok(again);
        }
        self.project_implicitly(t, state, v, mode)
    }

    /// The velocity `v` projected onto the limit of the constraints along the arc that leaves with another.
    fn project_along(
        &mut self,
        t: S,
        state: &[S],
        along: &[S],
        v: &[S],
        mode: ModeId,
    ) -> Result<Projected<S>, Refusal> {
        self.take_limit(t, state, along, mode)?;
        self.project_rows(v)
    }

    /// Whether the rows that were taken are what holds just beyond.
    fn is_sound(&mut self, t: S, state: &[S], v: &[S], mode: ModeId) -> Result<bool, Refusal> {
        let n = self.switching.impact.n;
        if self.switching.holds_by_construction {
            return Ok(true);
        }
        let wanted = self.switching.impact.representation + self.generic_rank(mode);
        let mut rows = Rows::default();
        if rows.set(&self.metric, &self.w, &[], Rank::Decide).is_err() || rows.rank() < wanted {
            return Ok(false);
        }
        let here = self.w.clone();
        let mut sound = true;
        for s in SOON {
            self.look_along(t, state, v, S::from_f64(s))?;
            for (k, row) in self.chosen.iter().zip(here.chunks_exact(n)) {
                let later = &self.numbers[self.switching.impact.row(*k)];
                let dot = |a: &[S], b: &[S]| a.iter().zip(b).map(|(x, y)| (*x * *y).to_f64()).sum::<f64>();
                let (cross, size) = (dot(row, later).powi(2), dot(row, row) * dot(later, later));
                // written so that NaN is not sound
                sound &= cross >= (1.0 - TURNED) * size;
            }
        }
        self.look(t, state)?;
        Ok(sound)
    }

    /// Metric, rows and functions a time `s` along the arc that leaves with velocity `v`; in a run backwards, that comes from there.
    fn look_along(&mut self, t: S, state: &[S], v: &[S], s: S) -> Result<(), Refusal> {
        let s = S::from_f64(self.sense()) * s;
        let moved = self.along(t, state, v, s);
        self.look(t + s, &moved)
    }

    /// The state a time `s` later: to second order where there are accelerations.
    fn along(&self, t: S, state: &[S], v: &[S], s: S) -> Vec<S> {
        let n = self.compiled.program.state.len();
        let unknowns = self.compiled.program.unknowns.clone();
        let field = &self.compiled.charts[state[n].to_f64() as usize].field;
        let mut moved = state.to_vec();
        moved[unknowns.clone()].copy_from_slice(v);
        let step = |from: &[S], at: &[S], time: S, h: S| {
            let mut inputs = vec![time];
            inputs.extend_from_slice(&at[..n]);
            let mut rates = vec![S::default(); n];
            Interpreter::new(field).call(&inputs, &mut rates);
            let mut out = from.to_vec();
            for (x, r) in out.iter_mut().zip(&rates) {
                *x = if r.to_f64().is_finite() { *x + h * *r } else { *x };
            }
            out
        };
        let half = step(&moved, &moved, t, s * S::from_f64(0.5));
        let mut out = step(&moved, &half, t + s * S::from_f64(0.5), s);
        out[unknowns].copy_from_slice(v);
        out
    }

    /// The limit of the rows that were taken; affine parts are one more column.
    fn limit_along(&mut self, t: S, state: &[S], v: &[S], mode: ModeId) -> Result<Limit<S>, LimitError> {
        let n = self.switching.impact.n;
        let rank = self.switching.impact.representation + self.generic_rank(mode);
        let chosen = self.chosen.clone();
        let found = limit(n + 1, Some(rank), S::from_f64(ARC), default_tolerance::<S>(), |s, w| {
            w.clear();
            let known = self.look_along(t, state, v, s).is_ok();
            for k in &chosen {
                let place = self.switching.impact.row(*k);
                w.extend_from_slice(&self.numbers[place.start..=place.end]);
            }
            if !known {
                w.fill(S::from_f64(f64::NAN));
            }
        });
        // back to the place itself, whose metric is sound
        let _ = self.look(t, state);
        found
    }

    /// Puts the limit of the rows into their place.
    fn take_limit(&mut self, t: S, state: &[S], v: &[S], mode: ModeId) -> Result<(), Refusal> {
        let active = self.switching.modes[mode].clone();
        self.take_rows(&active);
        let found = self.limit_along(t, state, v, mode).map_err(|e| Refusal::NoLimit { reason: e.to_string() })?;
        let n = self.switching.impact.n;
        self.chosen.clear();
        self.w.clear();
        self.w0.clear();
        for row in found.rows.chunks_exact(n + 1) {
            self.w.extend_from_slice(&row[..n]);
            self.w0.push(row[n]);
        }
        Ok(())
    }

    /// What happens at a start where the constraints in force have a lower rank than elsewhere.
    pub(super) fn singular_start(&mut self, t: S, state: &[S]) -> Option<Outcome> {
        let mode = ModeId::new(state[self.compiled.program.state.len()].to_f64() as usize);
        let active = self.switching.modes[mode].clone();
        if let Err(refusal) = self.look(t, state) {
            return Some(Outcome::Refused(refusal));
        }
        let wanted = self.generic_rank(mode);
        if wanted == 0 || self.switching.holds_by_construction || self.rank(&active) == wanted {
            return None;
        }
        let v = self.velocity(state).to_vec();
        Some(match self.project_beyond(t, state, &v, mode) {
            Ok(p) => {
                let sides = self.sides.clone();
                let mut nudged = self.along(t, state, &p.velocity, S::from_f64(NUDGE));
                nudged[self.compiled.program.unknowns.clone()].copy_from_slice(self.velocity(state));
                self.go_on(&nudged, sides, &p, JumpCase::Start, &[], &[])
            }
            Err(refusal) => Outcome::Refused(refusal),
        })
    }

    /// The only velocity that satisfies the constraints of its own continuation.
    fn project_implicitly(&mut self, t: S, state: &[S], v: &[S], mode: ModeId) -> Result<Projected<S>, Refusal> {
        let n = self.switching.impact.n;
        let metric = self.metric.clone();
        let active = self.switching.modes[mode].clone();
        self.take_rows(&active);
        let mut some_limit = false;
        let mut why = String::new();
        let found: Consistent<S> = consistent(&metric, v, STARTS, |v, w| {
            w.clear();
            match self.limit_along(t, state, v, mode) {
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
            Verdict::Unique => {
                let after = found.solutions[0].velocity.clone();
                self.project_along(t, state, &after, v, mode)
            }
            Verdict::Several(_) | Verdict::Continuum => Err(Refusal::SeveralJumps { candidates }),
        }
    }

    /// For a motion that gets nowhere before a border: whether that is because what holds on this side has no limit there.
    pub(crate) fn no_limit_ahead(&mut self, t: S, state: &[S]) -> Option<Refusal> {
        let mode = *self.switching.places.get(&self.switching.model.active(&self.sides))?;
        self.look(t, state).ok()?;
        let v = self.velocity(state).to_vec();
        let ahead = self.sides.borders.ids().filter(|k| self.sides.borders[*k] != 0).find_map(|k| {
            let time = -self.border_value(k) / self.rate(self.border_row(k), &v).0;
            (time * self.sense() > 0.0 && time.abs() < ARC).then_some(S::from_f64(time))
        })?;
        let there = self.along(t, state, &v, ahead);
        let active = self.switching.modes[mode].clone();
        self.take_rows(&active);
        self.backwards = !self.backwards;
        let found = self.limit_along(t + ahead, &there, &v, mode);
        self.backwards = !self.backwards;
        match found {
            Err(e @ LimitError::NoLimit { .. }) => Some(Refusal::NoLimit { reason: e.to_string() }),
            _ => None,
        }
    }

    /// The rank of the constraints of a mode at generic points.
    pub(super) fn generic_rank(&self, mode: ModeId) -> usize {
        self.switching.ranks[mode].get().copied().unwrap_or(0)
    }
}
