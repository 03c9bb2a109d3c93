//! The laws of what happens at an event: from sides, a look and a velocity to an outcome. Nothing is remembered here.
//!
//! This file has what all of them use: projection onto rows, the side that a motion enters, the mode of sides, and the last step of each,
//! from a course that a law proposes to the state from which the motion goes on.
//!
//! Which side a motion enters is the sign of db/dt, of d²b/dt² where the first vanishes (a motion that touches), and none where both do: then
//! it stays on the border, and what holds on one side only does not hold.

use super::look::{Eye, Look, NO_RATE, Taken};
use super::modes::Switching;
use super::record::{JumpCase, JumpRecord, Refusal};
use super::rolling::changing;
use crate::compile::Compiled;
use crate::state::{Moment, Place, State};
use polhode_base::ids::{BorderId, EventId, Id, IdVec, ModeId, RowId, WallId};
use polhode_impulse::{Jump, Metric, Rank, Rows};
use polhode_model::{ConstraintSet, Sides};
use polhode_tape::{Interpreter, Scalar};
use std::rc::Rc;

/// The same as [`NO_RATE`] for a second derivative, which is a difference of rates.
const NO_CURVATURE: f64 = 1e-6;

/// The step of that difference, in units of time.
const STEP: f64 = 1e-5;

/// A change of the velocities below this part of them is rounding, not a jump.
const NO_JUMP: f64 = 1e-9;

/// Positions that obey a constraint to this part of their size obey it: rounding and drift of a run up to there.
const OUT_OF_PLACE: f64 = 1e-8;

/// The laws, for one direction of time.
#[derive(Clone)]
pub(super) struct Law<'a, S> {
    pub(super) compiled: &'a Compiled,
    pub(super) switching: &'a Switching,
    eye: Rc<Eye<'a, S>>,
    /// Whether time runs backwards.
    pub(super) backwards: bool,
    /// Whether impulses are wanted, to be told.
    pub(super) telling: bool,
}

/// A velocity after a jump, with what is told about it.
#[derive(Clone, Default)]
pub(super) struct Projected<S> {
    pub(super) velocity: Vec<S>,
    pub(super) jumped: bool,
    /// Rows and their impulses, and whether these are determined.
    pub(super) multipliers: Vec<(RowId, f64, bool)>,
    pub(super) dissipated: f64,
}

/// How a motion is to go on, by a law.
pub(super) struct Course<S> {
    pub(super) case: JumpCase,
    pub(super) sides: Sides,
    pub(super) projected: Projected<S>,
    /// The borders that are met.
    pub(super) borders: Vec<BorderId>,
    /// The walls that were hit.
    pub(super) walls: Vec<WallId>,
    /// The walls that let go.
    pub(super) opened: Vec<WallId>,
}

impl<S> Course<S> {
    pub(super) fn new(case: JumpCase, sides: Sides, projected: Projected<S>) -> Course<S> {
        Course { case, sides, projected, borders: Vec::new(), walls: Vec::new(), opened: Vec::new() }
    }
}

/// A motion that goes on.
pub(super) struct Gone<S> {
    pub(super) state: State<S>,
    pub(super) sides: Sides,
    /// What happened, if that is told.
    pub(super) record: Option<Box<JumpRecord>>,
    /// The walls that have let go, and the times after which their gaps are more than rounding.
    pub(super) clear: Vec<(WallId, f64)>,
}

/// What happened at an event.
pub(super) struct Happened<S> {
    pub(super) gone: Result<Gone<S>, Refusal>,
    /// When it did and in what state the motion was then, if that was earlier than it was noticed.
    pub(super) rewound: Option<Moment<S>>,
    /// When and where it began, if that was earlier.
    pub(super) onset: Option<Moment<S>>,
    /// The walls that were met.
    pub(super) met: Vec<WallId>,
}

impl<S> From<Gone<S>> for Happened<S> {
    fn from(gone: Gone<S>) -> Self {
        Happened { gone: Ok(gone), rewound: None, onset: None, met: Vec::new() }
    }
}

pub(super) fn no_law(reason: impl ToString) -> Refusal {
    Refusal::NoImpactLaw { reason: reason.to_string() }
}

/// Whether velocities differ by more than rounding.
pub(super) fn is_jump<S: Scalar>(metric: &Metric<S>, before: &[S], after: &[S]) -> bool {
    let change: Vec<S> = after.iter().zip(before).map(|(a, b)| *a - *b).collect();
    let size = |v: &[S]| metric.energy(v).to_f64().sqrt();
    size(&change) > NO_JUMP * size(before)
}

impl<'a, S: Scalar> Law<'a, S> {
    pub(super) fn new(compiled: &'a Compiled, switching: &'a Switching, backwards: bool) -> Law<'a, S> {
        Law { compiled, switching, eye: Rc::new(Eye::new(compiled, switching)), backwards, telling: true }
    }

    /// The laws for the other direction of time.
    pub(super) fn reversed(&self) -> Law<'a, S> {
        Law { backwards: !self.backwards, ..self.clone() }
    }

    /// The same laws, when nothing is told.
    pub(super) fn untold(&self) -> Law<'a, S> {
        Law { telling: false, ..self.clone() }
    }

    /// +1 in a run forwards, −1 in one backwards.
    pub(super) fn sense(&self) -> f64 {
        if self.backwards { -1.0 } else { 1.0 }
    }

    /// Looks at a state.
    pub(super) fn look(&self, t: S, state: &State<S>) -> Result<Look<'a, S>, Refusal> {
        self.eye.at(t, &state.components, state.place)
    }

    /// Looks at the inputs of a tape: a time, and the components of a state.
    pub(super) fn look_at(&self, inputs: &[S], place: Place) -> Result<Look<'a, S>, Refusal> {
        self.eye.at(inputs[0], &inputs[1..], place)
    }

    /// The rates of the components of a state in a mode, at the inputs of a tape.
    pub(super) fn rates(&self, mode: ModeId, inputs: &[S]) -> Vec<S> {
        let mut rates = vec![S::default(); inputs.len() - 1];
        Interpreter::new(&self.compiled.charts[Place::in_mode(mode).chart].field).call(inputs, &mut rates);
        rates
    }

    /// The functions of all events in a mode, with a velocity.
    pub(super) fn watched(&self, look: &Look<'_, S>, mode: ModeId, v: &[S]) -> IdVec<EventId, f64> {
        let tape = &self.compiled.charts[Place::in_mode(mode).chart].events;
        let mut values = vec![S::default(); tape.outputs.len()];
        Interpreter::new(tape).call(&look.inputs_with(v), &mut values);
        values.iter().map(|x| x.to_f64()).collect()
    }

    /// The mode of some sides, with its chart made.
    pub(super) fn mode(&self, sides: &Sides) -> Result<ModeId, Refusal> {
        let mode = self.switching.places[&self.switching.model.active(sides)];
        self.compiled.make_mode(mode).map_err(|reason| Refusal::BadMode { reason })?;
        Ok(mode)
    }

    /// The constraints of a mode.
    pub(super) fn in_force(&self, mode: ModeId) -> &'a ConstraintSet {
        &self.switching.modes[mode]
    }

    /// Whether a rate is that of something that is approached along the run.
    pub(super) fn falls(&self, (rate, size): (f64, f64)) -> bool {
        self.sense() * rate < -NO_RATE * size
    }

    /// The side of a border that a motion with velocity `v` enters in a mode, along the run.
    pub(super) fn entered(&self, look: &Look<'_, S>, v: &[S], border: BorderId, mode: ModeId) -> i8 {
        let (rate, size) = look.border_rate(border, v);
        if rate.abs() > NO_RATE * size {
            return (self.sense() * rate).signum() as i8;
        }
        let mut inputs = look.inputs_with(v);
        let rates = self.rates(mode, &inputs);
        let h = S::from_f64(self.sense() * STEP);
        inputs[0] = inputs[0] + h;
        inputs[1..].iter_mut().zip(&rates).for_each(|(x, r)| *x = *x + h * *r);
        let change = match self.look_at(&inputs, look.place) {
            Ok(later) => (later.border_rate(border, later.velocity()).0 - rate) / h.to_f64(),
            Err(_) => 0.0,
        };
        let scale = rates.iter().fold(size, |s, x| s.max(x.to_f64().abs()));
        if change.abs() > NO_CURVATURE * scale { change.signum() as i8 } else { 0 }
    }

    /// The number of independent constraints among those in force.
    pub(super) fn rank(&self, look: &Look<'_, S>, in_force: &ConstraintSet) -> usize {
        let s = self.switching;
        if s.holds_by_construction {
            return s.impact.velocities.len() - s.impact.n;
        }
        let rows = Rows::new(&look.metric, &look.rows(in_force).w, &[], Rank::Decide);
        rows.map_or(0, |rows| rows.rank() - s.impact.representation)
    }

    /// The rank of the constraints of a mode at generic points.
    pub(super) fn generic_rank(&self, mode: ModeId) -> usize {
        self.switching.ranks[mode].get().copied().unwrap_or(0)
    }

    /// The velocity projected onto rows.
    pub(super) fn project(&self, look: &Look<'_, S>, taken: &Taken<S>, v: &[S]) -> Result<Projected<S>, Refusal> {
        self.returned(look, taken, v, S::default())
    }

    /// The velocity of which a projection onto rows takes all, and gives back a part e.
    pub(super) fn returned(
        &self,
        look: &Look<'_, S>,
        taken: &Taken<S>,
        v: &[S],
        e: S,
    ) -> Result<Projected<S>, Refusal> {
        let mut rows = Rows::new(&look.metric, &taken.w, &taken.w0, Rank::Decide).map_err(no_law)?;
        let jump = Jump::new(&look.metric, &mut rows, v, e).map_err(no_law)?;
        let own = self.switching.impact.representation;
        let multipliers = (taken.chosen.iter().enumerate())
            .filter(|(_, k)| k.index() >= own)
            .map(|(i, k)| (*k, jump.multipliers[i].to_f64(), rows.unique(i)))
            .collect();
        Ok(Projected {
            jumped: is_jump(&look.metric, v, &jump.velocity),
            velocity: jump.velocity,
            multipliers,
            dissipated: jump.dissipated.to_f64(),
        })
    }

    /// Goes on with sides that were changed from outside, the velocities projected onto what then holds.
    pub(super) fn settle(&self, look: &Look<'_, S>, sides: Sides, case: JumpCase) -> Result<Course<S>, Refusal> {
        let mode = self.mode(&sides)?;
        let p = self.project(look, &look.rows(self.in_force(mode)), look.velocity())?;
        // where a slip dies, or bounces have piled up, what is projected away is rounding
        if p.jumped && matches!(case, JumpCase::Keep | JumpCase::Set) {
            self.within_cone(look, &sides, &p)?;
        }
        Ok(Course::new(case, sides, p))
    }

    /// The state from which a motion goes on by a course, contacts that cannot stay as they are changed.
    pub(super) fn go_on(&self, look: &Look<'_, S>, course: Course<S>) -> Result<Gone<S>, Refusal> {
        let s = self.switching;
        let course = if changing(&s.model).next().is_some() { self.steady(look, course)? } else { course };
        let mode = self.mode(&course.sides)?;
        self.in_place(look, mode)?;
        let v = &course.projected.velocity;
        // not one that has closed again in the meantime
        let open = |k: &&WallId| !s.model.walls[**k].lasting.is_some_and(|l| course.sides.latches[l]);
        let clear = course.opened.iter().filter(open).map(|k| Ok((*k, self.opens_after(look, mode, *k, v)?)));
        let clear = clear.collect::<Result<_, _>>()?;
        let kinetic = [look.metric.energy(look.velocity()), look.metric.energy(v)];
        let mut state = look.state_with(v);
        if let Some((k, _)) = self.compiled.program.works.iter().find(|(_, name)| *name == "impacts") {
            state.components[*k] = state.components[*k] + kinetic[1] - kinetic[0];
        }
        state.place = Place::in_mode(mode);
        let record = if self.telling {
            Some(Box::new(self.told(look, mode, &course, kinetic.map(|x| x.to_f64()))?))
        } else {
            None
        };
        Ok(Gone { state, sides: course.sides, record, clear })
    }

    /// Refuses a holonomic constraint that would appear where positions do not obey it.
    fn in_place(&self, look: &Look<'_, S>, mode: ModeId) -> Result<(), Refusal> {
        let positions = &look.components()[..self.compiled.program.unknowns.start];
        let far = positions.iter().fold(1.0, |far: f64, x| far.max(x.to_f64().abs()));
        let (old, new) = (self.in_force(look.place.mode), self.in_force(mode));
        for (c, value) in look.holonomic() {
            if new.contains(c) && !old.contains(c) && (value.abs() > OUT_OF_PLACE * far || value.is_nan()) {
                return Err(no_law(format!(
                    "the constraint {} between positions would appear where it is off by {value}, and a jump of the velocities does not move anything",
                    self.switching.model.constraints[c].name
                )));
            }
        }
        Ok(())
    }
}
