//! Contacts collide while constraints are kept.
//!
//! The constraints W v + w₀ = 0 hold before and after. A contact i has rows Bᵢ and a restitution eᵢ; the first row is the normal
//! velocity, negative when approaching, the others slip. Only approaching contacts act, all at once:
//!
//! ```text
//! W v⁺ + w₀ = 0,     sᵢ⁺ = −eᵢ sᵢ⁻  (every row of contact i),     Δp = Wᵀκ + Σ Bᵢᵀλᵢ,
//! T⁺ − T⁻ = −½(|σ⁻|² − |σ⁺|²) − c·(σ⁺ − σ⁻),     σ the slips in the orthonormal basis of the stacked rows (`rows`),
//! ```
//!
//! which for one e is the reflection inside D of [CendraLacombaReartes2001, §4] and Carnot's loss ½(1−e²)|σ|². With different e the
//! targets −eᵢsᵢ need not be reachable where rows depend on each other, and they may create energy: both are refused.
//!
//! Then all contacts are tested again, and those that approach now act in the next round. Two walls at an angle α settle in
//! about π/α rounds; what has not settled within a limit is an error.
//!
//! Velocities are unique, single impulses need not be: a vertical wall and the floor share a direction. Where the impulse of a normal is
//! determined it must push: if one of several would have to pull, fewer act (`choose`). One that acts alone does what the law says; if it is rough, the
//! slip that it reverses may ask for a normal impulse of either sign.

mod choose;

use crate::jump::check_restitution;
use crate::metric::Metric;
use crate::rows::{CONSISTENT, Rank, Rows, RowsError};
use polhode_tape::Scalar;
use polhode_tape::dense::{add_scaled, dot, norm, one, refill, zero};
use std::fmt;
use std::ops::Range;

/// In roundings, relative to the speed: normal velocities above minus this do not approach.
pub const APPROACHING: f64 = 1024.0;

/// In roundings, relative to the speed: how well the velocity before must satisfy the kept constraints.
pub const KEPT: f64 = 16777216.0;

/// The most rounds unless told otherwise.
pub const ROUNDS: usize = 64;

/// A contact that may collide.
#[derive(Clone, Copy, Debug)]
pub struct Contact<'a, S> {
    /// Its rows, one after the other; the first is the normal velocity, negative when approaching.
    pub rows: &'a [S],
    /// Right sides of the rows where the other side moves; none: zero.
    pub offset: &'a [S],
    /// e.
    pub restitution: S,
}

/// Why a collision has no answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CollisionError {
    /// A restitution outside [0, 1].
    Restitution {
        /// Which contact, from 0.
        contact: usize,
        /// Its value.
        value: f64,
    },
    /// A contact without rows has no normal.
    NoNormal {
        /// Which contact, from 0.
        contact: usize,
    },
    /// The constraints to be kept do not hold before.
    NotKept {
        /// Which row, from 0.
        row: usize,
        /// Its slip.
        slip: f64,
    },
    /// The rows of the contacts depend on each other, and their restitutions contradict each other.
    Inconsistent {
        /// The contact that cannot have its restitution, from 0.
        contact: usize,
        /// Which of its rows, from 0.
        row: usize,
        /// The slip it should have afterwards.
        target: f64,
        /// The nearest it can have.
        nearest: f64,
    },
    /// Different restitutions would create energy.
    EnergyGrows {
        /// The energy of the slips before.
        before: f64,
        /// And after.
        after: f64,
    },
    /// Contacts go on approaching.
    DoesNotSettle {
        /// So many rounds were tried.
        rounds: usize,
        /// The contacts that would act in the next, from 0.
        approaching: Vec<usize>,
    },
    /// A contact would have to pull, and no choice of fewer contacts answers without that.
    Pulls {
        /// Which, from 0.
        contact: usize,
    },
    /// A contact would have to pull, and several choices of fewer contacts answer, with different velocities.
    SeveralAnswers {
        /// Two of them: the contacts that act, from 0.
        acting: [Vec<usize>; 2],
    },
    /// The rows are of no use.
    Rows(RowsError),
}

impl fmt::Display for CollisionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CollisionError::Restitution { contact, value } => {
                write!(
                    f,
                    "contact {}: a coefficient of restitution lies between 0 and 1, this one is {value}",
                    contact + 1
                )
            }
            CollisionError::NoNormal { contact } => write!(f, "contact {} has no rows", contact + 1),
            CollisionError::NotKept { row, slip } => {
                write!(f, "the constraint in row {} does not hold before the collision: it slips by {slip:e}", row + 1)
            }
            CollisionError::Inconsistent { contact, row, target, nearest } => write!(
                f,
                "the restitutions contradict each other: row {} of contact {} should leave with {target:e}, the others allow {nearest:e}",
                row + 1,
                contact + 1
            ),
            CollisionError::EnergyGrows { before, after } => {
                write!(f, "these restitutions create energy: {before:e} before, {after:e} after")
            }
            CollisionError::DoesNotSettle { rounds, approaching } => {
                let names: Vec<String> = approaching.iter().map(|i| (i + 1).to_string()).collect();
                write!(f, "after {rounds} rounds contacts still approach: {}", names.join(", "))
            }
            CollisionError::Pulls { contact } => {
                write!(f, "contact {} would have to pull, and no choice of fewer contacts answers", contact + 1)
            }
            CollisionError::SeveralAnswers { acting } => {
                let [a, b] = acting
                    .each_ref()
                    .map(|set| set.iter().map(|i| format!("{}", i + 1)).collect::<Vec<_>>().join(", "));
                write!(
                    f,
                    "all contacts at once would pull, and those that could act alone differ in what they do: {a} or {b}"
                )
            }
            CollisionError::Rows(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CollisionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CollisionError::Rows(e) => Some(e),
            _ => None,
        }
    }
}

impl From<RowsError> for CollisionError {
    fn from(error: RowsError) -> Self {
        CollisionError::Rows(error)
    }
}

/// What is stacked: the constraints that are kept, and all contacts.
#[derive(Clone, Copy)]
struct Stack<'a, S> {
    kept: &'a [S],
    kept_offset: &'a [S],
    contacts: &'a [Contact<'a, S>],
}

/// What collisions do to a velocity. Using one again allocates nothing in the long run.
#[derive(Clone, Debug, Default)]
pub struct Collision<S> {
    /// v⁺.
    pub velocity: Vec<S>,
    /// Δp.
    pub impulse: Vec<S>,
    /// κ: the reactions of the kept constraints, summed over the rounds, of least norm.
    pub kept: Vec<S>,
    /// Energy lost in the contacts, ≥ 0.
    pub dissipated: S,
    /// Work of what moves, zero without offsets: T⁺ − T⁻ = `work` − `dissipated`.
    pub work: S,
    /// (round, contact) for every contact that acted, from 0.
    pub acted: Vec<(usize, usize)>,
    /// The number of rounds.
    pub rounds: usize,
    /// The rank of the rows in the last round.
    pub rank: usize,
    loss: S,                   // of energy in what was attempted last
    lambda: Vec<S>,            // multipliers of all contacts
    unique: Vec<bool>,         // are they determined?
    places: Vec<Range<usize>>, // the rows of contact i in `lambda`
    rows: Rows<S>,
    acting: Vec<usize>,
    stacked: Vec<S>,
    right: Vec<S>,
    slip: Vec<S>,
    target: Vec<S>,
    mu: Vec<S>,
    sigma: Vec<S>,
    delta: Vec<S>,
    x: Vec<S>,
    y: Vec<S>,
}

impl<S: Scalar> Collision<S> {
    /// The collision of a velocity that satisfies the rows `kept`, `kept_offset`.
    ///
    /// ```
    /// use polhode_impulse::{Collision, Contact, Metric};
    ///
    /// // a particle in a corner: both walls act at once
    /// let metric = Metric::identity(2);
    /// let walls = [[1.0, 0.0], [0.0, 1.0]];
    /// let contacts = walls.each_ref().map(|rows| Contact { rows, offset: &[], restitution: 0.5 });
    /// let c = Collision::new(&metric, &[], &[], &contacts, &[-2.0, -4.0])?;
    /// assert_eq!((c.rounds, c.velocity.as_slice()), (1, [1.0, 2.0].as_slice()));
    /// # Ok::<(), polhode_impulse::CollisionError>(())
    /// ```
    pub fn new(
        metric: &Metric<S>,
        kept: &[S],
        kept_offset: &[S],
        contacts: &[Contact<'_, S>],
        v: &[S],
    ) -> Result<Self, CollisionError> {
        let mut collision = Collision::default();
        collision.set(metric, kept, kept_offset, contacts, v, ROUNDS)?;
        Ok(collision)
    }

    /// The same, in the memory of an earlier one, within so many rounds.
    pub fn set(
        &mut self,
        metric: &Metric<S>,
        kept: &[S],
        kept_offset: &[S],
        contacts: &[Contact<'_, S>],
        v: &[S],
        limit: usize,
    ) -> Result<(), CollisionError> {
        let n = metric.dimension();
        assert_eq!(v.len(), n, "a velocity of dimension {n}");
        self.begin(n, kept, contacts)?;
        self.velocity.copy_from_slice(v);
        metric.straighten(v, &mut self.x);
        let speed = norm(&self.x).to_f64();
        self.check_kept(metric, kept, kept_offset, speed)?;
        loop {
            self.find_approaching(metric, contacts, speed);
            if self.acting.is_empty() {
                break;
            }
            if self.rounds == limit {
                return Err(CollisionError::DoesNotSettle { rounds: limit, approaching: self.acting.clone() });
            }
            let stack = Stack { kept, kept_offset, contacts };
            self.attempt(metric, &stack)?;
            if let Some(contact) = self.pulling(metric, &stack) {
                self.choose(metric, &stack, contact, speed)?;
            }
            self.act();
            metric.bend(&self.x, &mut self.velocity);
        }
        if self.rounds > 0 {
            metric.straighten(v, &mut self.y);
            for (y, x) in self.y.iter_mut().zip(&self.x) {
                *y = *x - *y;
            }
            metric.bend_covector(&self.y, &mut self.impulse);
        }
        Ok(())
    }

    fn begin(&mut self, n: usize, kept: &[S], contacts: &[Contact<'_, S>]) -> Result<(), CollisionError> {
        for (vector, length) in [
            (&mut self.velocity, n),
            (&mut self.impulse, n),
            (&mut self.x, n),
            (&mut self.y, n),
            (&mut self.kept, kept.len().checked_div(n).unwrap_or(0)),
        ] {
            refill(vector, length);
        }
        self.places.clear();
        let mut count = 0;
        for (contact, c) in contacts.iter().enumerate() {
            check_restitution(c.restitution).map_err(|e| CollisionError::Restitution { contact, value: e.0 })?;
            let rows = c.rows.len().checked_div(n).unwrap_or(0);
            if rows == 0 {
                return Err(CollisionError::NoNormal { contact });
            }
            assert_eq!(c.rows.len(), rows * n, "rows of {n} elements each");
            assert!(c.offset.is_empty() || c.offset.len() == rows, "one right side for each row");
            self.places.push(count..count + rows);
            count += rows;
        }
        refill(&mut self.lambda, count);
        self.unique.clear();
        self.unique.resize(count, true);
        self.acted.clear();
        (self.rounds, self.rank) = (0, 0);
        (self.dissipated, self.work) = (zero(), zero());
        Ok(())
    }

    fn check_kept(&mut self, metric: &Metric<S>, kept: &[S], w0: &[S], speed: f64) -> Result<(), CollisionError> {
        let n = metric.dimension();
        for row in 0..self.kept.len() {
            let w = &kept[row * n..(row + 1) * n];
            let offset = w0.get(row).copied().unwrap_or(zero());
            let slip = (dot(w, &self.velocity) + offset).to_f64();
            metric.straighten_covector(w, &mut self.y);
            let size = norm(&self.y).to_f64() * speed + offset.to_f64().abs();
            if slip.is_nan() || slip.abs() > KEPT * S::EPSILON * size {
                return Err(CollisionError::NotKept { row, slip });
            }
        }
        Ok(())
    }

    fn find_approaching(&mut self, metric: &Metric<S>, contacts: &[Contact<'_, S>], speed: f64) {
        let n = metric.dimension();
        self.acting.clear();
        for (i, contact) in contacts.iter().enumerate() {
            let offset = contact.offset.first().copied().unwrap_or(zero());
            metric.straighten_covector(&contact.rows[..n], &mut self.y);
            let approach = (dot(&self.y, &self.x) + offset).to_f64();
            let size = norm(&self.y).to_f64() * speed + offset.to_f64().abs();
            if approach < -APPROACHING * S::EPSILON * size {
                self.acting.push(i);
            }
        }
    }

    /// What the acting contacts would do to the velocity, in an orthonormal basis of their rows, with their impulses.
    fn attempt(&mut self, metric: &Metric<S>, stack: &Stack<'_, S>) -> Result<(), CollisionError> {
        let Stack { kept, kept_offset, contacts } = *stack;
        let (n, fixed) = (metric.dimension(), self.kept.len());
        self.stacked.clear();
        self.stacked.extend_from_slice(kept);
        self.right.clear();
        self.right.extend_from_slice(kept_offset);
        self.right.resize(fixed, zero());
        for &i in &self.acting {
            self.stacked.extend_from_slice(contacts[i].rows);
            self.right.extend_from_slice(contacts[i].offset);
            self.right.resize(self.stacked.len() / n, zero());
        }
        self.rows.set(metric, &self.stacked, &self.right, Rank::Decide)?;
        let (m, k) = (self.rows.count(), self.rows.rank());
        self.rank = k;
        for (vector, length) in
            [(&mut self.slip, m), (&mut self.target, m), (&mut self.mu, m), (&mut self.sigma, k), (&mut self.delta, k)]
        {
            refill(vector, length);
        }
        self.rows.slip(&self.x, &mut self.slip);
        // the kept rows hold, whatever the rounding of their slips
        self.slip[..fixed].fill(zero());
        let mut at = fixed;
        for &i in &self.acting {
            for _ in self.places[i].clone() {
                self.target[at] = -((one::<S>() + contacts[i].restitution) * self.slip[at]);
                at += 1;
            }
        }
        self.rows.solve(&self.slip, &mut self.sigma);
        let miss = self.rows.solve(&self.target, &mut self.delta);
        // with one restitution the targets are a multiple of the slips, and so within reach, whatever rounding says of tiny ones
        let first = contacts[self.acting[0]].restitution;
        let different = self.acting.iter().any(|i| contacts[*i].restitution != first);
        if let Some(miss) = miss.filter(|miss| different && miss.relative > CONSISTENT * S::EPSILON) {
            return Err(self.inconsistent(contacts, fixed, miss.row, miss.signed));
        }
        self.loss = self.lost(contacts)?;
        self.rows.multipliers(&self.delta, &mut self.mu);
        Ok(())
    }

    /// Does what was attempted.
    fn act(&mut self) {
        let (n, fixed) = (self.x.len(), self.kept.len());
        self.dissipated = self.dissipated + self.loss;
        self.work = self.work - dot(self.rows.offset(), &self.delta);
        add_scaled(&mut self.kept, one(), &self.mu[..fixed]);
        let mut at = fixed;
        for &i in &self.acting {
            for place in self.places[i].clone() {
                self.lambda[place] = self.lambda[place] + self.mu[at];
                self.unique[place] &= self.rows.unique(at);
                at += 1;
            }
            self.acted.push((self.rounds, i));
        }
        for (d, q) in self.delta.iter().zip(self.rows.basis().chunks_exact(n)) {
            add_scaled(&mut self.x, *d, q);
        }
        self.rounds += 1;
    }

    /// The energy that the acting contacts would take.
    fn lost(&mut self, contacts: &[Contact<'_, S>]) -> Result<S, CollisionError> {
        let half = S::from_f64(0.5);
        let before = half * dot(&self.sigma, &self.sigma);
        let first = contacts[self.acting[0]].restitution;
        let loss = if self.acting.iter().all(|i| contacts[*i].restitution == first) {
            // Carnot's, without the difference of two energies
            (one::<S>() - first) * (one::<S>() + first) * before
        } else {
            let after = self.sigma.iter().zip(&self.delta).fold(zero::<S>(), |sum, (s, d)| sum + (*s + *d) * (*s + *d));
            before - half * after
        };
        if loss.to_f64() < -CONSISTENT * S::EPSILON * before.to_f64() {
            let (before, after) = (before.to_f64(), (before - loss).to_f64());
            return Err(CollisionError::EnergyGrows { before, after });
        }
        Ok(loss)
    }

    fn inconsistent(&self, contacts: &[Contact<'_, S>], fixed: usize, row: usize, signed: f64) -> CollisionError {
        let mut at = fixed;
        for &i in &self.acting {
            let count = self.places[i].len();
            if row < at + count {
                let target = -contacts[i].restitution.to_f64() * self.slip[row].to_f64();
                // a kept row that is violated is the fault of the first contact
                let row = row.saturating_sub(at);
                return CollisionError::Inconsistent { contact: i, row, target, nearest: target - signed };
            }
            at += count;
        }
        unreachable!("a row of the stack belongs to a contact")
    }

    /// λᵢ: the impulses of a contact along its rows, summed over the rounds, of least norm where they are not unique.
    pub fn contact(&self, i: usize) -> &[S] {
        &self.lambda[self.places[i].clone()]
    }

    /// Which of the impulses of a contact are determined by the velocities?
    pub fn unique(&self, i: usize) -> &[bool] {
        &self.unique[self.places[i].clone()]
    }

    /// Impulses along the kept rows and then the rows of the contacts of the last round that change no velocity.
    pub fn ambiguity(&self) -> Vec<Vec<S>> {
        self.rows.null_space()
    }
}
