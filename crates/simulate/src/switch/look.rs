//! A look: the numbers that a jump may need, at one instant.
//!
//! One call of the impact tape gives, at (t, y),
//!
//! ```text
//! Λ       the metric, factored
//! W, w₀   rows: W v + w₀ = 0 is a constraint, W v + w₀ the rate of a gap or of a border's function, or a slip
//! f(y)    gaps, border functions, positions that events set, normals, holonomic functions, energy
//! ```
//!
//! and a look gives them names. It never changes: to look elsewhere is another look.
//!
//! Not here: what follows from the numbers (`law`).

use super::modes::Switching;
use super::record::Refusal;
use crate::compile::Compiled;
use crate::compile::machine_code::{Function, MachineCode};
use crate::state::{Place, State};
use polhode_base::ids::{BorderId, ConstraintId, ContactId, EventId, Id, IdRange, RowId, WallId};
use polhode_impulse::Metric;
use polhode_model::ConstraintSet;
use polhode_tape::Scalar;
use std::cell::RefCell;
use std::ops::Range;

/// A rate below this part of what it is made of is zero.
pub(super) const NO_RATE: f64 = 1e-10;

/// Borders and walls are met together if a motion at its present rate is between them for no longer than this, in units of time and
/// of the time that has passed.
const TOGETHER: f64 = 1e-11;

/// Who looks: the tape with its scratch.
pub(super) struct Eye<'a, S> {
    compiled: &'a Compiled,
    switching: &'a Switching,
    impact: RefCell<Box<dyn Function<S>>>,
}

/// The numbers at one instant.
#[derive(Clone)]
pub(super) struct Look<'a, S> {
    switching: &'a Switching,
    unknowns: Range<usize>,
    /// Where the state belongs.
    pub(super) place: Place,
    /// The time, then the state.
    inputs: Vec<S>,
    numbers: Vec<S>,
    pub(super) metric: Metric<S>,
}

/// Rows in force, with their right sides: W v + w₀ = 0.
#[derive(Clone, Default)]
pub(super) struct Taken<S> {
    /// Which rows these are; nothing for the limit of rows.
    pub(super) chosen: Vec<RowId>,
    pub(super) w: Vec<S>,
    pub(super) w0: Vec<S>,
}

impl<S> Taken<S> {
    /// Where a row is among them.
    pub(super) fn place_of(&self, row: RowId) -> Option<usize> {
        self.chosen.iter().position(|k| *k == row)
    }
}

impl<'a, S: Scalar> Eye<'a, S> {
    pub(super) fn new(compiled: &'a Compiled, switching: &'a Switching) -> Eye<'a, S> {
        Eye { compiled, switching, impact: RefCell::new(MachineCode::default().function(&switching.tape)) }
    }

    /// The look at a time and the components of a state.
    pub(super) fn at(&self, t: S, components: &[S], place: Place) -> Result<Look<'a, S>, Refusal> {
        let s = self.switching;
        let mut inputs = Vec::with_capacity(1 + components.len());
        inputs.push(t);
        inputs.extend_from_slice(components);
        let mut numbers = vec![S::default(); s.tape.outputs.len()];
        self.impact.borrow_mut().call(&inputs, &mut numbers);
        let mut metric = Metric::default();
        metric.factor(s.impact.n, &numbers[..s.impact.n * s.impact.n]).map_err(|_| Refusal::NoImpactLaw {
            reason: "some velocity has no kinetic energy of its own".to_owned(),
        })?;
        Ok(Look { switching: s, unknowns: self.compiled.program.unknowns.clone(), place, inputs, numbers, metric })
    }
}

impl<S: Scalar> Look<'_, S> {
    pub(super) fn time(&self) -> S {
        self.inputs[0]
    }

    /// Positions, unknowns and works.
    pub(super) fn components(&self) -> &[S] {
        &self.inputs[1..]
    }

    pub(super) fn state(&self) -> State<S> {
        State::new(self.components().to_vec(), self.place)
    }

    pub(super) fn velocity(&self) -> &[S] {
        &self.components()[self.unknowns.clone()]
    }

    /// The state with another velocity.
    pub(super) fn state_with(&self, v: &[S]) -> State<S> {
        let mut state = self.state();
        state.components[self.unknowns.clone()].copy_from_slice(v);
        state
    }

    /// The inputs of tapes, with another velocity.
    pub(super) fn inputs_with(&self, v: &[S]) -> Vec<S> {
        let mut inputs = self.inputs.clone();
        inputs[self.unknowns.start + 1..self.unknowns.end + 1].copy_from_slice(v);
        inputs
    }

    pub(super) fn gap(&self, wall: WallId) -> f64 {
        self.numbers[self.switching.named.gaps + wall.index()].to_f64()
    }

    /// The function of a border.
    pub(super) fn border(&self, border: BorderId) -> f64 {
        self.numbers[self.switching.named.borders + border.index()].to_f64()
    }

    /// What an event sets positions to.
    pub(super) fn set_by(&self, event: EventId) -> &[S] {
        &self.numbers[self.switching.named.sets[event].clone()]
    }

    /// ν in the axes of the rows of no slip.
    pub(super) fn normal(&self, contact: ContactId) -> &[S] {
        let first = self.switching.named.normals[&contact];
        &self.numbers[first..first + 3]
    }

    /// The functions that holonomic constraints set to zero.
    pub(super) fn holonomic(&self) -> impl Iterator<Item = (ConstraintId, f64)> {
        self.switching.named.holonomic.iter().map(|(c, at)| (*c, self.numbers[*at].to_f64()))
    }

    pub(super) fn energy(&self) -> S {
        self.numbers[self.switching.named.energy]
    }

    /// Velocities and momenta in the base frame, and reduced velocities.
    pub(super) fn in_base_frame(&self) -> [Vec<f64>; 3] {
        let s = self.switching;
        [&s.impact.velocities, &s.impact.momenta, &s.named.reduced]
            .map(|part| self.numbers[part.clone()].iter().map(|x| x.to_f64()).collect())
    }

    /// The coefficients of a row.
    pub(super) fn row(&self, row: RowId) -> &[S] {
        &self.numbers[self.switching.impact.row(row)]
    }

    /// What is left of a row where nothing moves.
    pub(super) fn offset(&self, row: RowId) -> S {
        self.numbers[self.switching.impact.row(row).end]
    }

    /// A row with its offset behind it.
    pub(super) fn affine_row(&self, row: RowId) -> &[S] {
        let place = self.switching.impact.row(row);
        &self.numbers[place.start..=place.end]
    }

    /// Row times velocity, and the size of what it is made of.
    pub(super) fn rate(&self, row: RowId, v: &[S]) -> (f64, f64) {
        let offset = self.offset(row);
        let mut size = offset.to_f64().abs();
        let mut sum = offset;
        for (a, v) in self.row(row).iter().zip(v) {
            sum = sum + *a * *v;
            size += (*a * *v).to_f64().abs();
        }
        (sum.to_f64(), size)
    }

    /// The rate of a gap.
    pub(super) fn gap_rate(&self, wall: WallId, v: &[S]) -> (f64, f64) {
        self.rate(self.switching.wall_rows[wall].first(), v)
    }

    /// The rate of the function of a border.
    pub(super) fn border_rate(&self, border: BorderId, v: &[S]) -> (f64, f64) {
        self.rate(self.switching.border_rows.at(border.index()), v)
    }

    fn is_met(&self, value: f64, (rate, _): (f64, f64)) -> bool {
        value.abs() <= TOGETHER * self.time().to_f64().abs().max(1.0) * rate.abs().max(NO_RATE)
    }

    /// Whether a wall is met now.
    pub(super) fn meets_wall(&self, wall: WallId) -> bool {
        self.is_met(self.gap(wall), self.gap_rate(wall, self.velocity()))
    }

    /// Whether a border is met now.
    pub(super) fn meets_border(&self, border: BorderId) -> bool {
        self.is_met(self.border(border), self.border_rate(border, self.velocity()))
    }

    /// A rounding of the gap of a wall: of the largest component of the state that it depends on.
    pub(super) fn rounding(&self, wall: WallId) -> f64 {
        let sizes = self.switching.gap_of[wall].iter().map(|i| self.components()[*i].to_f64().abs());
        S::EPSILON * sizes.fold(0.0, f64::max)
    }

    /// The rows of the representation and of constraints in force; none where these hold by construction.
    pub(super) fn rows(&self, in_force: &ConstraintSet) -> Taken<S> {
        let s = self.switching;
        if s.holds_by_construction {
            return Taken::default();
        }
        let own = IdRange::<RowId>::new(0, s.impact.representation);
        let chosen: Vec<RowId> = own.chain(in_force.iter().map(|c| s.impact.row_of(c))).collect();
        let w = chosen.iter().flat_map(|k| self.row(*k)).copied().collect();
        let w0 = chosen.iter().map(|k| self.offset(*k)).collect();
        Taken { chosen, w, w0 }
    }

    /// The same numbers for a state that differs in nothing they depend on, or by rounding.
    pub(super) fn beside(&self, state: &State<S>) -> Self {
        let mut look = self.clone();
        look.inputs[1..].copy_from_slice(&state.components);
        look
    }

    /// The same instant with what moves by itself moving the other way.
    pub(super) fn reversed(&self) -> Self {
        let mut look = self.clone();
        for k in IdRange::<RowId>::new(0, self.switching.impact.rows) {
            let end = self.switching.impact.row(k).end;
            look.numbers[end] = -look.numbers[end];
        }
        look
    }
}
