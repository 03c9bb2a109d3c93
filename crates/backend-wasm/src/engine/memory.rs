//! Where everything is in the memory of a module.
//!
//! All numbers are doubles, in this order:
//!
//! ```text
//! t, y₁ … yₙ        the time and the state that a motion begins with
//! parameters · positions · velocities · rows A, a₀ · holonomic constraints · rates · one report · point of a surface
//! times · states, row by row · reports, row by row          of the last motion
//! event log: how many, then (which, when, ±1) each · statistics: steps, refused steps, evaluations
//! what the integrator needs for itself
//! ```
//!
//! The time stands before the state, so that both together are the inputs of a tape. The same holds for the point at
//! which an integrator evaluates.

use super::{Direction, Parts};
use crate::assembler::Writer;

/// Events that a log has room for.
const LOG: usize = 1024;

/// Pieces of a step at whose ends event functions are looked at.
pub(super) const PIECES: usize = 16;

/// Events of one kind that a step has room for: two in every piece, three at its beginning.
const PENDING: usize = 2 * PIECES + 3;

/// How many numbers there are of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Components of the state.
    pub state: usize,
    /// Parameters.
    pub parameters: usize,
    /// Numbers of one report.
    pub report: usize,
    /// Position symbols.
    pub positions: usize,
    /// Velocity symbols.
    pub velocities: usize,
    /// Constraints: rows of A, a₀.
    pub constraints: usize,
    /// Holonomic constraints.
    pub holonomic: usize,
    /// Event functions.
    pub events: usize,
    /// Rows of a motion.
    pub capacity: usize,
    /// Events that are kept of a motion.
    pub log: usize,
}

/// Where they are: addresses in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The time that a motion begins at, directly before the state.
    pub time: u32,
    /// The state that a motion begins with.
    pub state: u32,
    /// Parameters.
    pub parameters: u32,
    /// Values of the position symbols.
    pub positions: u32,
    /// Values of the velocity symbols.
    pub velocities: u32,
    /// Rows of (velocities + 1) numbers A, a₀.
    pub rows: u32,
    /// Values of the holonomic constraints.
    pub holonomic: u32,
    /// The unknowns within the state.
    pub entry: u32,
    /// ẏ at the state.
    pub rates: u32,
    /// The report at the state.
    pub report: u32,
    /// A point of a surface.
    pub point: u32,
    /// Times of the rows of the last motion.
    pub times: u32,
    /// States of the rows.
    pub states: u32,
    /// Reports of the rows.
    pub reports: u32,
    /// The number of events, then three numbers for each: which, when, its direction ±1.
    pub event_log: u32,
    /// Steps, refused steps, evaluations of the right-hand side.
    pub statistics: u32,
}

/// What is where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many numbers.
    pub sizes: Sizes,
    /// Where.
    pub at: At,
}

/// The places of the integrator itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// y, what rounding took from it, and both after the step that is tried.
    pub(super) y: u32,
    pub(super) rest: u32,
    pub(super) trial: u32,
    pub(super) trial_rest: u32,
    /// y where the last step began.
    pub(super) start: u32,
    /// The stages, row by row.
    pub(super) stages: u32,
    /// t, y of an evaluation.
    pub(super) point: u32,
    /// Coefficients of the dense output, term by term.
    pub(super) dense: u32,
    /// Event functions: now, at the beginning of the step, and at the ends of its pieces, from one before it to one behind it.
    pub(super) now: u32,
    pub(super) first: u32,
    pub(super) values: u32,
    /// On which side of zero they are.
    pub(super) sides: u32,
    /// Events of a step, in order of time.
    pub(super) pending: u32,
    /// Which crossings count (±1, or 0 for both), and which end the motion.
    pub(super) directions: u32,
    pub(super) terminal: u32,
}

/// Makes room for everything.
pub(super) fn lay_out(w: &mut Writer, parts: &Parts<'_>, sizes: Sizes) -> (Layout, Work) {
    let Sizes { state: n, events: e, capacity, .. } = sizes;
    let time = w.room(1);
    let state = w.room(n);
    let at = At {
        time,
        state,
        parameters: w.room(sizes.parameters),
        positions: w.room(sizes.positions),
        velocities: w.room(sizes.velocities),
        rows: w.room(sizes.constraints * (sizes.velocities + 1)),
        holonomic: w.room(sizes.holonomic),
        entry: state + 8 * parts.components() as u32,
        rates: w.room(n),
        report: w.room(sizes.report),
        point: w.room(3),
        times: w.room(capacity),
        states: w.room(capacity * n),
        reports: w.room(capacity * sizes.report),
        event_log: w.room(1 + 3 * sizes.log),
        statistics: w.room(3),
    };
    let number = |x: f64| x.to_le_bytes();
    let work = Work {
        y: w.room(n),
        rest: w.room(n),
        trial: w.room(n),
        trial_rest: w.room(n),
        start: w.room(n),
        stages: w.room(16 * n),
        point: w.room(1 + n),
        dense: w.room(8 * n),
        now: w.room(e),
        first: w.room(e),
        values: w.room((PIECES + 3) * e),
        sides: w.room(e),
        pending: w.room(3 * PENDING * e),
        directions: w.table(parts.watched.iter().map(|watch| number(sign(watch.direction)))),
        terminal: w.table(parts.watched.iter().map(|watch| number(f64::from(u8::from(watch.terminal))))),
    };
    (Layout { sizes, at }, work)
}

/// 1, −1, or 0 for both.
fn sign(direction: Direction) -> f64 {
    match direction {
        Direction::Rising => 1.0,
        Direction::Falling => -1.0,
        Direction::Either => 0.0,
    }
}

impl Sizes {
    pub(super) fn of(parts: &Parts<'_>) -> Sizes {
        let state = parts.field.outputs.len();
        let parameters = parts.field.inputs.len().saturating_sub(1 + state);
        let positions = parts.constraints.inputs.len().saturating_sub(1 + parameters);
        let velocities = parts.entry.inputs.len().saturating_sub(1 + positions + parameters);
        Sizes {
            state,
            parameters,
            report: parts.report.outputs.len(),
            positions,
            velocities,
            constraints: parts.constraints.outputs.len() / (velocities + 1),
            holonomic: parts.holonomic.outputs.len(),
            events: parts.events.outputs.len(),
            capacity: parts.capacity.max(2),
            log: if parts.events.outputs.is_empty() { 0 } else { LOG },
        }
    }
}
