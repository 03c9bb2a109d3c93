//! The ledger: what a run remembers between events.
//!
//! On which side of each border the motion is and which latches are on; when walls were hit, so that collisions which pile up are noticed; how often
//! contacts have closed in a row; when the motion last began anew.
//!
//! Collisions have piled up when the intervals left of them, a geometric series with the ratio of the last two, take no time:
//!
//! ```text
//! Δ r/(1 − r) < ε,      r = Δ/Δ′ < 1
//! ```

use super::modes::Switching;
use super::rolling::touching;
use crate::state::State;
use polhode_base::ids::{ContactId, IdVec, WallId};
use polhode_model::Sides;
use polhode_tape::Scalar;

/// Intervals between collisions that shrink by less than this factor do not pile up.
const SHRINKING: f64 = 0.999;

/// Collisions have piled up when all that are left take less time than this, in units of time and of the time that has passed.
const PILED_UP: f64 = 1e-7;

/// A contact that closes or begins to roll so often, each time after less than [`SOON`], does so for ever.
const MOST_AGAIN: u32 = 50;

/// In units of time and of the time that has passed.
const SOON: f64 = 1e-9;

/// The times of collisions with one wall.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    last: Option<f64>,
    interval: Option<f64>,
    /// How long the flight that has begun is below rounding.
    unseen: f64,
}

/// How often a contact has closed or begun to roll in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Again {
    last: f64,
    count: u32,
}

/// What is remembered.
pub(super) struct Ledger<S> {
    pub(super) sides: Sides,
    paces: IdVec<WallId, Pace>,
    again: IdVec<ContactId, Again>,
    /// When the last change was.
    pub(super) changed_at: f64,
    /// When the motion last began anew.
    pub(super) since: S,
    /// The state after the last change.
    pub(super) last: Option<State<S>>,
}

impl<S: Scalar> Ledger<S> {
    pub(super) fn new(switching: &Switching) -> Ledger<S> {
        Ledger {
            sides: switching.sides.clone(),
            paces: switching.model.walls.iter().map(|_| Pace::default()).collect(),
            again: touching(&switching.model).map(|_| Again::default()).collect(),
            changed_at: f64::NEG_INFINITY,
            since: S::default(),
            last: None,
        }
    }

    /// Notes collisions; when they will have piled up, if they do so now.
    pub(super) fn pile_up(&mut self, t: f64, walls: &[WallId]) -> Option<f64> {
        let mut piled: Option<f64> = None;
        for k in walls {
            let Pace { last, interval, unseen } = self.paces[*k];
            let now = last.map(|last| (t - last).abs());
            self.paces[*k] = Pace { last: Some(t), interval: now, unseen: 0.0 };
            let Some(now) = now else { continue };
            let scale = PILED_UP * t.abs().max(1.0);
            if now == 0.0 {
                // twice at one time may be a border that sends the motion back; three times are a wall that is pressed against
                if interval == Some(0.0) {
                    piled = Some(t);
                }
                continue;
            }
            // a flight that rounding hides
            if now <= unseen * (1.0 + f64::EPSILON.sqrt()) {
                piled = Some(t);
                continue;
            }
            let Some(before) = interval else { continue };
            let ratio = now / before;
            if ratio < SHRINKING && now * ratio / (1.0 - ratio) < scale {
                piled = Some(t + now * ratio / (1.0 - ratio));
            }
        }
        piled
    }

    /// Notes that a wall is left, and how long rounding hides that.
    pub(super) fn leaves(&mut self, wall: WallId, unseen: f64) {
        self.paces[wall].unseen = unseen;
    }

    /// Forgets the collisions with a wall.
    pub(super) fn forget(&mut self, wall: WallId) {
        self.paces[wall] = Pace::default();
    }

    /// Notes that a contact changes: whether it has done so again and again.
    pub(super) fn too_often(&mut self, t: f64, contact: ContactId) -> bool {
        let Again { last, count } = self.again[contact];
        let count = if (t - last).abs() <= SOON * t.abs().max(1.0) { count + 1 } else { 0 };
        self.again[contact] = Again { last: t, count };
        count > MOST_AGAIN
    }
}
