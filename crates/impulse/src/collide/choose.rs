//! Contacts push: which of several act if all together would need a pull.

use super::{Collision, CollisionError, Contact, Stack};
use crate::metric::Metric;
use crate::rows::CONSISTENT;
use polhode_tape::Scalar;
use polhode_tape::dense::{add_scaled, dot, norm, zero};

/// More contacts than this have too many subsets to look at.
const MOST_CHOICES: usize = 12;

impl<S: Scalar> Collision<S> {
    /// An acting contact that would have to pull: with an impulse that is determined, or where all are smooth and others may take its place.
    pub(super) fn pulling(&mut self, metric: &Metric<S>, stack: &Stack<'_, S>) -> Option<usize> {
        let n = metric.dimension();
        if self.acting.len() == 1 {
            return None;
        }
        let size = norm(&self.delta).to_f64();
        let smooth = self.acting.iter().all(|i| self.places[*i].len() == 1);
        let mut at = self.kept.len();
        for k in 0..self.acting.len() {
            let i = self.acting[k];
            metric.straighten_covector(&stack.contacts[i].rows[..n], &mut self.y);
            let impulse = self.mu[at].to_f64() * norm(&self.y).to_f64();
            if impulse < -CONSISTENT * S::EPSILON * size && (smooth || self.rows.unique(at)) {
                return Some(i);
            }
            at += self.places[i].len();
        }
        None
    }

    /// Fewer contacts act, so that none of them pulls, and each of the others leaves at least as fast as its restitution asks for:
    ///
    /// ```text
    /// λᵢ ≥ 0,     sᵢ⁺ + eᵢ sᵢ⁻ ≥ 0,     λᵢ (sᵢ⁺ + eᵢ sᵢ⁻) = 0     (normals; the whole contact acts, or not at all)
    /// ```
    ///
    /// For smooth contacts with one e this is Moreau's law, v⁺ = v⁻ + (1 + e)(Πv⁻ − v⁻) with Π the nearest point in the cone of velocities that
    /// approach none of them, which has one answer \[Moreau1988\]. For others there may be none, or several.
    pub(super) fn choose(
        &mut self,
        metric: &Metric<S>,
        stack: &Stack<'_, S>,
        pulls: usize,
        speed: f64,
    ) -> Result<(), CollisionError> {
        let approached = self.acting.clone();
        let all_unique = self.rows.all_unique();
        let mut found: Option<(Vec<usize>, Vec<S>)> = None;
        let sets = if approached.len() > MOST_CHOICES { 0 } else { (1usize << approached.len()) - 1 };
        // larger sets first, in the order of binary numbers
        for set in (1..sets).rev() {
            self.acting.clear();
            self.acting.extend(approached.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1).map(|(_, i)| *i));
            if self.attempt(metric, stack).is_err() || self.pulling(metric, stack).is_some() {
                continue;
            }
            let mut after = self.x.clone();
            for (d, q) in self.delta.iter().zip(self.rows.basis().chunks_exact(after.len())) {
                add_scaled(&mut after, *d, q);
            }
            if !approached
                .iter()
                .all(|i| self.acting.contains(i) || self.leaves(metric, &stack.contacts[*i], &after, speed))
            {
                continue;
            }
            match &found {
                None => found = Some((self.acting.clone(), after)),
                Some((acting, other)) => {
                    let apart = other.iter().zip(&after).fold(0.0, |m: f64, (a, b)| m.max((*a - *b).to_f64().abs()));
                    if apart > CONSISTENT * S::EPSILON * speed {
                        let acting = [acting.clone(), self.acting.clone()];
                        return Err(CollisionError::SeveralAnswers { acting });
                    }
                }
            }
        }
        match found {
            Some((acting, _)) => self.acting = acting,
            // what one least impulse of many says about signs proves nothing
            None if !all_unique => self.acting = approached,
            None => return Err(CollisionError::Pulls { contact: pulls }),
        }
        self.attempt(metric, stack)
    }

    /// Whether a contact that does not act leaves at least as fast as its restitution asks for.
    fn leaves(&mut self, metric: &Metric<S>, contact: &Contact<'_, S>, after: &[S], speed: f64) -> bool {
        let n = metric.dimension();
        let offset = contact.offset.first().copied().unwrap_or(zero());
        metric.straighten_covector(&contact.rows[..n], &mut self.y);
        let (before, after) = (dot(&self.y, &self.x) + offset, dot(&self.y, after) + offset);
        let size = norm(&self.y).to_f64() * speed + offset.to_f64().abs();
        (after + contact.restitution * before).to_f64() >= -CONSISTENT * S::EPSILON * size
    }
}
