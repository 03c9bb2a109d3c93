//! What happens to a motion at an event that changes its constraints or its velocities.
//!
//! At a border the constraints beyond depend on where the motion goes, and that depends on the constraints. So every combination of sides of the
//! borders that are met is tried: constraints beyond, projection v⁺ of the velocity, and whether b̊(v⁺) points to the side that was assumed. The
//! unchanged velocity comes first; then exactly one combination must be consistent.
//!
//! Which side a motion enters is the sign of db/dt, of d²b/dt² where the first vanishes (a motion that touches), and none where both do: then
//! it stays on the border, and what holds on one side only does not hold.

use super::modes::Switching;
use super::record::{Candidate, JumpCase, JumpRecord, Refusal};
use super::rolling::{Again, changing, touching};
use crate::compile::machine_code::{Function, MachineCode};
use crate::compile::{Compiled, EventKind};
use polhode_base::ids::{BorderId, ConstraintId, ContactId, EventId, Id, IdRange, IdVec, ModeId, RowId, WallId};
use polhode_impulse::{Collision, Jump, Metric, Rank, Rows, rough_edge};
use polhode_model::switching::ON_BORDER;
use polhode_model::{ConstraintSet, Latch, Sides};
use polhode_tape::{Interpreter, Scalar};

/// Borders and walls are met together if a motion at its present rate is between them for no longer than this, in units of time and
/// of the time that has passed.
const TOGETHER: f64 = 1e-11;

/// A rate below this part of what it is made of is zero.
pub(super) const NO_RATE: f64 = 1e-10;

/// The same for a second derivative, which is a difference of rates.
const NO_CURVATURE: f64 = 1e-6;

/// The step of that difference, in units of time.
const STEP: f64 = 1e-5;

/// A change of the velocities below this part of them is rounding, not a jump.
const NO_JUMP: f64 = 1e-9;

/// Most borders that are met at once.
const MOST_BORDERS: usize = 6;

/// Positions that obey a constraint to this part of their size obey it: rounding and drift of a run up to there.
const OUT_OF_PLACE: f64 = 1e-8;

/// In roundings of the positions: gaps below this are noise.
const CLEAR: f64 = 16.0;

/// How a motion goes on.
pub(crate) enum Outcome {
    /// From [`Switcher::next`]; with what happened, if that was asked for.
    Go(Option<Box<JumpRecord>>),
    /// It does not.
    Refused(Refusal),
}

/// The times of collisions with one wall.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    pub(super) last: Option<f64>,
    pub(super) interval: Option<f64>,
    /// How long the flight that has begun is below rounding.
    pub(super) unseen: f64,
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

/// Looks after the sides of a motion.
pub(crate) struct Switcher<'a, S> {
    pub(super) compiled: &'a Compiled,
    pub(super) switching: &'a Switching,
    pub(super) impact: Box<dyn Function<S>>,
    pub(super) sides: Sides,
    pub(super) paces: IdVec<WallId, Pace>,
    pub(super) again: IdVec<ContactId, Again>,
    /// The walls that let go in the last transition, and the times after which their gaps are more than rounding.
    pub(super) opened: Vec<WallId>,
    pub(super) clear: Vec<(WallId, f64)>,
    /// When the last transition was.
    pub(super) changed_at: f64,
    /// When and where what happened in the last transition began, if that was earlier.
    pub(super) onset: Option<(S, Vec<S>)>,
    /// The impulses of the rows that were kept in the last collision, and the largest impulse in it.
    pub(super) kept: Vec<S>,
    pub(super) largest: f64,
    pub(super) inputs: Vec<S>,
    pub(super) numbers: Vec<S>,
    pub(super) metric: Metric<S>,
    pub(super) rows: Rows<S>,
    pub(super) jump: Jump<S>,
    pub(super) collision: Collision<S>,
    pub(super) w: Vec<S>,
    pub(super) w0: Vec<S>,
    /// Which rows these are.
    pub(super) chosen: Vec<RowId>,
    /// The walls that are met.
    pub(super) met: Vec<WallId>,
    /// The state from which the motion goes on, with the mode as its last component.
    pub(super) next: Vec<S>,
    /// Whether to tell what happens.
    pub(super) telling: bool,
    /// Whether time runs backwards.
    pub(super) backwards: bool,
    /// When the motion last began anew.
    pub(super) since: S,
    /// The earlier time from which it goes on, and its state before what happened then.
    pub(super) rewound: Option<(S, Vec<S>)>,
}

impl<'a, S: Scalar> Switcher<'a, S> {
    pub(crate) fn new(compiled: &'a Compiled, switching: &'a Switching, backwards: bool) -> Switcher<'a, S> {
        Switcher {
            compiled,
            switching,
            impact: MachineCode::default().function(&switching.tape),
            sides: switching.sides.clone(),
            paces: switching.model.walls.iter().map(|_| Pace::default()).collect(),
            again: touching(&switching.model).map(|_| Again::default()).collect(),
            opened: Vec::new(),
            clear: Vec::new(),
            changed_at: f64::NEG_INFINITY,
            onset: None,
            kept: Vec::new(),
            largest: 0.0,
            inputs: Vec::new(),
            numbers: vec![S::default(); switching.tape.outputs.len()],
            metric: Metric::default(),
            rows: Rows::default(),
            jump: Jump::default(),
            collision: Collision::default(),
            w: Vec::new(),
            w0: Vec::new(),
            chosen: Vec::new(),
            met: Vec::new(),
            next: Vec::new(),
            telling: true,
            backwards,
            since: S::default(),
            rewound: None,
        }
    }

    /// Says that the motion begins anew.
    pub(crate) fn begins(&mut self, t: S) {
        self.since = t;
    }

    /// If the last transition was at an earlier time than its event: when, and in what state the motion was then.
    pub(crate) fn rewound(&mut self) -> Option<(S, Vec<S>)> {
        self.rewound.take()
    }

    /// The state from which the motion goes on after a transition.
    pub(crate) fn next(&self) -> &[S] {
        &self.next
    }

    /// When and where what happened in the last transition began, if that was earlier.
    pub(crate) fn take_onset(&mut self) -> Option<(S, Vec<S>)> {
        self.onset.take()
    }

    /// The events of walls that were met in the last transition and are left again: for each the time after which the gap is more than
    /// rounding.
    pub(crate) fn departures(&mut self) -> Vec<(EventId, f64)> {
        let s = self.switching;
        let event = |k: WallId| s.event(&EventKind::Wall(k));
        let mut out: Vec<(EventId, f64)> =
            self.clear.iter().filter_map(|(k, after)| Some((event(*k)?, *after))).collect();
        for k in self.met.clone() {
            let (rate, size) = self.rate(s.wall_rows[k].first(), self.velocity(&self.next));
            let rate = self.sense() * rate;
            if rate > NO_RATE * size {
                // where and when it was met is known to a few roundings
                let late = CLEAR * S::EPSILON * self.inputs[0].to_f64().abs();
                self.paces[k].unseen = CLEAR * self.rounding(k, &self.next) / rate + late;
                out.extend(event(k).map(|event| (event, self.paces[k].unseen)));
            }
        }
        out
    }

    /// A rounding of the gap of a wall: of the largest component of the state that it depends on.
    pub(super) fn rounding(&self, wall: WallId, state: &[S]) -> f64 {
        let sizes = self.switching.gap_of[wall].iter().map(|i| state[*i].to_f64().abs());
        S::EPSILON * sizes.fold(0.0, f64::max)
    }

    /// What happens at the start, if that is on a border, where constraints degenerate, or if contacts cannot stay as they are: with the event that
    /// stands for it.
    pub(crate) fn start(&mut self, t: S, state: &[S]) -> Option<(EventId, Outcome)> {
        if let Some(outcome) = self.behind_wall(t, state) {
            return Some(outcome);
        }
        if self.backwards
            && let Some(outcome) = self.start_back(t, state)
        {
            return Some(outcome);
        }
        let met: Vec<BorderId> = self.sides.borders.ids().filter(|k| self.sides.borders[*k] == 0).collect();
        let Some(first) = met.first() else {
            if let Some(outcome) = self.singular_start(t, state) {
                return Some((self.switching.event(&EventKind::Degenerate)?, outcome));
            }
            changing(&self.switching.model).next()?;
            self.look(t, state).ok()?;
            return self.start_contacts(state);
        };
        let event = self.switching.event(&EventKind::Border(*first))?;
        let outcome = match self.look(t, state) {
            Ok(()) => with_case(self.cross(t, state, &met, None), JumpCase::Start),
            Err(refusal) => Outcome::Refused(refusal),
        };
        Some((event, outcome))
    }

    /// A start behind a wall, or where its gap has no value.
    fn behind_wall(&mut self, t: S, state: &[S]) -> Option<(EventId, Outcome)> {
        self.look(t, state).ok()?;
        let s = self.switching;
        let far = state.iter().fold(1.0, |far: f64, x| far.max(x.to_f64().abs()));
        let open = |k: &WallId| s.model.walls[*k].lasting.is_none_or(|l| !self.sides.latches[l]);
        let behind = |k: &WallId| self.wall_gap(*k).is_nan() || self.wall_gap(*k) < -ON_BORDER * far;
        let wall = { s.model.walls.ids().filter(open) }.find(behind)?;
        let name = &s.model.walls[wall].name;
        let reason = match self.wall_gap(wall) {
            gap if gap.is_nan() => format!("the gap of {name} has no value at the start"),
            gap => format!("the motion starts behind {name}, whose gap is {gap}: it is positive in front of the wall"),
        };
        let event = s.event(&EventKind::Wall(wall))?;
        Some((event, Outcome::Refused(Refusal::NoImpactLaw { reason })))
    }

    /// What happens to a motion that rests on borders and has been changed so that it leaves them: with the event that stands for it.
    pub(crate) fn leave(&mut self, t: S, state: &[S], telling: bool) -> Option<(EventId, Outcome)> {
        let resting: Vec<BorderId> = self.sides.borders.ids().filter(|k| self.sides.borders[*k] == 0).collect();
        if resting.is_empty() || self.look(t, state).is_err() {
            return None;
        }
        self.telling = telling;
        let mode = ModeId::new(state[self.compiled.program.state.len()].to_f64() as usize);
        let v = self.velocity(state).to_vec();
        let left: Vec<BorderId> = resting.into_iter().filter(|k| self.entered(t, state, &v, *k, mode) != 0).collect();
        let event = self.switching.event(&EventKind::Border(*left.first()?))?;
        let outcome = match self.backwards {
            true => self.cross_back(t, state, &left, None).unwrap_or_else(Outcome::Refused),
            false => self.cross(t, state, &left, None),
        };
        Some((event, outcome))
    }

    /// What happens at an event; it is told if that is wanted.
    pub(crate) fn transition(&mut self, event: EventId, t: S, state: &[S], telling: bool) -> Outcome {
        self.telling = telling;
        self.opened.clear();
        self.clear.clear();
        self.onset = None;
        self.met.clear();
        if let Err(refusal) = self.look(t, state) {
            return Outcome::Refused(refusal);
        }
        if self.backwards {
            return self.go_back(event, t, state);
        }
        match self.compiled.events[event].kind {
            EventKind::Border(k) => {
                let mut met = vec![k];
                let others = self.sides.borders.ids().filter(|j| *j != k && self.sides.borders[*j] != 0);
                met.extend(others.filter(|j| self.is_met(t, state, self.border_value(*j), self.border_row(*j))));
                let rested = self.sides.borders[k] == 0;
                if let Some(wall) = self.wall_ahead(t, state) {
                    let outcome = self.collide(t, state, wall);
                    return self.cross_after(t, outcome, &met);
                }
                if rested
                    && met.len() == 1
                    && let Some(outcome) = self.depart(t, state, k)
                {
                    return outcome;
                }
                let outcome = self.cross(t, state, &met, (!rested).then_some(k));
                match outcome {
                    // one that rests there still, and crosses by rounding
                    Outcome::Go(_) if rested && self.sides.borders[k] == 0 => Outcome::Go(None),
                    outcome => outcome,
                }
            }
            EventKind::Wall(k) => {
                let borders = self.sides.borders.ids().filter(|j| self.sides.borders[*j] != 0);
                let met: Vec<BorderId> =
                    borders.filter(|j| self.is_met(t, state, self.border_value(*j), self.border_row(*j))).collect();
                let outcome = self.collide(t, state, k);
                self.cross_after(t, outcome, &met)
            }
            EventKind::Release(k) => {
                if let Some(latch) = self.switching.model.walls[k].lasting {
                    self.sides.latches[latch] = false;
                }
                self.paces[k] = Pace::default();
                self.note_opening(k);
                self.settle(state, JumpCase::Release)
            }
            EventKind::Slide(k) => self.begin_sliding(state, k),
            EventKind::Roll(k) => self.end_sliding(state, k),
            EventKind::Jam(k) => Outcome::Refused(self.jammed(k)),
            EventKind::Pull(k) => Outcome::Refused(self.pulled(k)),
            EventKind::Model | EventKind::Domain { .. } | EventKind::Degenerate => {
                for (l, latch) in self.switching.model.latches.enumerated() {
                    if let Latch::Events { from, until } = latch {
                        if *from == Some(event) {
                            self.sides.latches[l] = true;
                        } else if *until == Some(event) {
                            self.sides.latches[l] = false;
                        }
                    }
                }
                match self.switching.model.events.get(event).is_some_and(|e| !e.sets.is_empty()) {
                    true => self.set_positions(event, t, state),
                    false => self.settle(state, JumpCase::Keep),
                }
            }
        }
    }

    /// Sets positions, and goes on from there.
    fn set_positions(&mut self, event: EventId, t: S, state: &[S]) -> Outcome {
        let s = self.switching;
        let energy = s.impact.functions.end - 1 - s.reduced.len();
        let before = self.numbers[energy];
        let earlier: usize = s.model.events.iter().take(event.index()).map(|e| e.sets.len()).sum();
        let first = s.impact.functions.start + s.model.walls.len() + s.model.borders.len() + earlier;
        let mut moved = state.to_vec();
        for (k, (symbol, _)) in s.model.events[event].sets.iter().enumerate() {
            if let Some(at) = self.compiled.program.positions.place_of(*symbol) {
                moved[at] = self.numbers[first + k];
            }
        }
        if let Err(refusal) = self.look(t, &moved) {
            return Outcome::Refused(refusal);
        }
        let work = self.numbers[energy] - before;
        if let Some((k, _)) = self.compiled.program.works.iter().find(|(_, name)| *name == "impacts") {
            moved[*k] = moved[*k] + work;
        }
        self.settle(&moved, JumpCase::Set)
    }

    /// Metric, rows and functions at a state.
    pub(super) fn look(&mut self, t: S, state: &[S]) -> Result<(), Refusal> {
        self.inputs.clear();
        self.inputs.push(t);
        self.inputs.extend_from_slice(&state[..self.compiled.program.state.len()]);
        self.impact.call(&self.inputs, &mut self.numbers);
        let n = self.switching.impact.n;
        self.metric
            .factor(n, &self.numbers[..n * n])
            .map_err(|_| Refusal::NoImpactLaw { reason: "some velocity has no kinetic energy of its own".to_owned() })
    }

    pub(super) fn velocity<'s>(&self, state: &'s [S]) -> &'s [S] {
        &state[self.compiled.program.unknowns.clone()]
    }

    pub(super) fn wall_gap(&self, k: WallId) -> f64 {
        self.numbers[self.switching.impact.functions.start + k.index()].to_f64()
    }

    pub(super) fn border_value(&self, k: BorderId) -> f64 {
        self.numbers[self.switching.impact.functions.start + self.switching.model.walls.len() + k.index()].to_f64()
    }

    pub(super) fn border_row(&self, k: BorderId) -> RowId {
        self.switching.border_rows.at(k.index())
    }

    /// Row times velocity, and the size of what it is made of.
    pub(super) fn rate(&self, row: RowId, v: &[S]) -> (f64, f64) {
        let place = self.switching.impact.row(row);
        let offset = self.numbers[place.end];
        let mut size = offset.to_f64().abs();
        let mut sum = offset;
        for (a, v) in self.numbers[place].iter().zip(v) {
            sum = sum + *a * *v;
            size += (*a * *v).to_f64().abs();
        }
        (sum.to_f64(), size)
    }

    /// Whether a function with this value and rate is met now.
    pub(super) fn is_met(&self, t: S, state: &[S], value: f64, row: RowId) -> bool {
        let (rate, _) = self.rate(row, self.velocity(state));
        value.abs() <= TOGETHER * t.to_f64().abs().max(1.0) * rate.abs().max(NO_RATE)
    }

    /// The mode of the present sides, with its chart made.
    pub(super) fn mode(&self, sides: &Sides) -> Result<ModeId, Refusal> {
        let mode = self.switching.places[&self.switching.model.active(sides)];
        self.compiled.make_mode(mode).map_err(|reason| Refusal::BadMode { reason })?;
        Ok(mode)
    }

    /// The side of a border that a motion with velocity `v` enters in a mode, along the run.
    pub(super) fn entered(&mut self, t: S, state: &[S], v: &[S], border: BorderId, mode: ModeId) -> i8 {
        let row = self.border_row(border);
        let (rate, size) = self.rate(row, v);
        if rate.abs() > NO_RATE * size {
            return (self.sense() * rate).signum() as i8;
        }
        let kept = self.numbers.clone();
        let n = self.compiled.program.state.len();
        let mut moved = state[..n].to_vec();
        moved[self.compiled.program.unknowns.clone()].copy_from_slice(v);
        let mut inputs = vec![t];
        inputs.extend_from_slice(&moved);
        let mut rates = vec![S::default(); n];
        Interpreter::new(&self.compiled.charts[mode.index()].field).call(&inputs, &mut rates);
        let h = S::from_f64(self.sense() * STEP);
        moved.iter_mut().zip(&rates).for_each(|(x, r)| *x = *x + h * *r);
        let later = moved[self.compiled.program.unknowns.clone()].to_vec();
        let change = match self.look(t + h, &moved) {
            Ok(()) => (self.rate(row, &later).0 - rate) / h.to_f64(),
            Err(_) => 0.0,
        };
        self.numbers = kept;
        let scale = rates.iter().fold(size, |s, x| s.max(x.to_f64().abs()));
        if change.abs() > NO_CURVATURE * scale { change.signum() as i8 } else { 0 }
    }

    /// Fills in the rows of the representation and of the constraints in force.
    pub(super) fn take_rows(&mut self, active: &ConstraintSet) {
        let s = self.switching;
        let own = s.impact.representation;
        self.chosen.clear();
        if s.holds_by_construction {
            self.w.clear();
            self.w0.clear();
            return;
        }
        self.chosen.extend(IdRange::<RowId>::new(0, own));
        self.chosen.extend(active.iter().map(|c| s.impact.row_of(c)));
        self.w.clear();
        self.w0.clear();
        for k in &self.chosen {
            let place = s.impact.row(*k);
            self.w.extend_from_slice(&self.numbers[place.clone()]);
            self.w0.push(self.numbers[place.end]);
        }
    }

    /// The number of independent constraints among those in force.
    pub(super) fn rank(&mut self, active: &ConstraintSet) -> usize {
        if self.switching.holds_by_construction {
            return self.switching.impact.velocities.len() - self.switching.impact.n;
        }
        self.take_rows(active);
        let mut rows = Rows::default();
        match rows.set(&self.metric, &self.w, &[], Rank::Decide) {
            Ok(()) => rows.rank() - self.switching.impact.representation,
            Err(_) => 0,
        }
    }

    /// The velocity projected onto the constraints in force.
    pub(super) fn project(&mut self, v: &[S], active: &ConstraintSet) -> Result<Projected<S>, Refusal> {
        self.take_rows(active);
        self.project_rows(v)
    }

    /// The velocity projected onto the rows that were taken.
    pub(super) fn project_rows(&mut self, v: &[S]) -> Result<Projected<S>, Refusal> {
        let no_law = |reason: String| Refusal::NoImpactLaw { reason };
        self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
        self.jump.set(&self.metric, &mut self.rows, v, S::default()).map_err(|e| no_law(e.to_string()))?;
        Ok(self.jumped(v))
    }

    /// The last jump, of the rows that were taken.
    pub(super) fn jumped(&self, v: &[S]) -> Projected<S> {
        let own = self.switching.impact.representation;
        let multipliers = (self.chosen.iter().enumerate())
            .filter(|(_, k)| k.index() >= own)
            .map(|(i, k)| (*k, self.jump.multipliers[i].to_f64(), self.rows.unique(i)))
            .collect();
        Projected {
            jumped: self.is_jump(v, &self.jump.velocity),
            velocity: self.jump.velocity.clone(),
            multipliers,
            dissipated: self.jump.dissipated.to_f64(),
        }
    }

    /// Whether velocities differ by more than rounding.
    pub(super) fn is_jump(&self, before: &[S], after: &[S]) -> bool {
        let change: Vec<S> = after.iter().zip(before).map(|(a, b)| *a - *b).collect();
        let size = |v: &[S]| self.metric.energy(v).to_f64().sqrt();
        size(&change) > NO_JUMP * size(before)
    }

    /// What happens at borders that are met.
    pub(super) fn cross(&mut self, t: S, state: &[S], met: &[BorderId], crossed: Option<BorderId>) -> Outcome {
        match self.try_cross(t, state, met, crossed) {
            Ok((sides, projected, case)) => match self.within_cone(&sides, &projected) {
                Err(refusal) if projected.jumped => Outcome::Refused(refusal),
                _ => self.go_on(state, sides, &projected, case, met, &[]),
            },
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    fn try_cross(
        &mut self,
        t: S,
        state: &[S],
        met: &[BorderId],
        crossed: Option<BorderId>,
    ) -> Result<(Sides, Projected<S>, JumpCase), Refusal> {
        let v = self.velocity(state).to_vec();
        let model = self.switching.model.clone();
        if met.len() > MOST_BORDERS {
            let reason = format!("{} borders are met at once", met.len());
            return Err(Refusal::NoImpactLaw { reason });
        }
        // the unchanged velocity
        let mut on_border = self.sides.clone();
        met.iter().for_each(|k| on_border.borders[*k] = 0);
        let resting = self.mode(&on_border)?;
        let mut ahead = self.sides.clone();
        for k in met {
            ahead.borders[*k] = match crossed == Some(*k) {
                true => -self.sides.borders[*k],
                false => self.entered(t, state, &v, *k, resting),
            };
        }
        if let Some((sides, p)) = self.blown(t, state, met, &ahead, resting)? {
            return Ok((sides, p, JumpCase::Blow));
        }
        let mode = self.mode(&ahead)?;
        match self.project_beyond(t, state, &v, mode) {
            Ok(p) if !p.jumped => return Ok((ahead, p, JumpCase::Keep)),
            Err(refusal @ (Refusal::NoLimit { .. } | Refusal::SeveralJumps { .. })) => return Err(refusal),
            _ => {}
        }
        // all combinations of sides
        let mut candidates = Vec::new();
        let mut consistent = Vec::new();
        for k in 0..1usize << met.len() {
            let mut sides = self.sides.clone();
            met.iter().enumerate().for_each(|(i, b)| sides.borders[*b] = if k >> i & 1 == 1 { 1 } else { -1 });
            let mode = self.mode(&sides)?;
            let p = self.project_beyond(t, state, &v, mode)?;
            let fits = met.iter().all(|b| self.entered(t, state, &p.velocity, *b, mode) == sides.borders[*b]);
            candidates.push(Candidate {
                assumes: describe(&model, &sides, met),
                velocity: p.velocity.iter().map(|x| x.to_f64()).collect(),
                consistent: fits,
            });
            if fits {
                consistent.push((sides, p));
            }
        }
        match consistent.len() {
            0 => match self.thrown_back(&v, &ahead, met)? {
                Some(thrown) => Ok((self.sides.clone(), thrown, JumpCase::ThrownBack)),
                None => Err(Refusal::NoConsistentJump { candidates }),
            },
            1 => {
                let (sides, p) = consistent.remove(0);
                Ok((sides, p, JumpCase::Keep))
            }
            _ => Err(Refusal::SeveralJumps { candidates }),
        }
    }

    /// The velocity with which friction throws a motion back from a border, if all that appears beyond stands for Coulomb friction.
    fn thrown_back(&mut self, v: &[S], ahead: &Sides, met: &[BorderId]) -> Result<Option<Projected<S>>, Refusal> {
        let s = self.switching;
        let (old, new) = (s.model.active(&self.sides), s.model.active(ahead));
        let appear: Vec<ConstraintId> = new.iter().filter(|c| !old.contains(*c)).collect();
        let [border] = met else { return Ok(None) };
        if appear.is_empty() || !appear.iter().all(|c| s.model.constraints[*c].coulomb) {
            return Ok(None);
        }
        let no_law = |reason: String| Refusal::NoImpactLaw { reason };
        self.take_rows(&old);
        self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
        let row = |k: RowId| self.numbers[s.impact.row(k)].to_vec();
        let w: Vec<S> = appear.iter().flat_map(|c| row(s.impact.row_of(*c))).collect();
        let sign = S::from_f64(f64::from(ahead.borders[*border]));
        let entering: Vec<S> = row(self.border_row(*border)).iter().map(|a| sign * *a).collect();
        let kept = (!self.w.is_empty()).then_some(&self.rows);
        let edge = rough_edge(&self.metric, kept, &w, &entering, v).map_err(|e| no_law(e.to_string()))?;
        Ok(Some(Projected {
            jumped: self.is_jump(v, &edge.velocity),
            velocity: edge.velocity,
            multipliers: Vec::new(),
            dissipated: edge.dissipated.to_f64(),
        }))
    }

    /// Goes on with sides that were changed from outside, the velocities projected onto what then holds.
    pub(super) fn settle(&mut self, state: &[S], case: JumpCase) -> Outcome {
        let v = self.velocity(state).to_vec();
        let sides = self.sides.clone();
        let projected = match self.mode(&sides) {
            Ok(_) => self.project(&v, &self.switching.model.active(&sides)),
            Err(refusal) => Err(refusal),
        };
        // where a slip dies, or bounces have piled up, what is projected away is rounding
        let appears = matches!(case, JumpCase::Keep | JumpCase::Set);
        let projected = projected.and_then(|p| match p.jumped && appears {
            true => self.within_cone(&sides, &p).map(|()| p),
            false => Ok(p),
        });
        match projected {
            Ok(p) => self.go_on(state, sides, &p, case, &[], &[]),
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    /// Sets the state from which a motion goes on, and tells what happened.
    pub(super) fn go_on(
        &mut self,
        state: &[S],
        sides: Sides,
        p: &Projected<S>,
        case: JumpCase,
        met: &[BorderId],
        walls: &[WallId],
    ) -> Outcome {
        let steady;
        let (sides, p) = match changing(&self.switching.model).next() {
            None => (sides, p),
            Some(_) => match self.steady(state, sides, p.clone()) {
                Ok((sides, p)) => {
                    steady = p;
                    (sides, &steady)
                }
                Err(refusal) => return Outcome::Refused(refusal),
            },
        };
        let mode = match self.mode(&sides) {
            Ok(mode) => mode,
            Err(refusal) => return Outcome::Refused(refusal),
        };
        if let Some(refusal) = self.out_of_place(state, mode) {
            return Outcome::Refused(refusal);
        }
        for k in std::mem::take(&mut self.opened) {
            // one that has closed again in the meantime
            if self.switching.model.walls[k].lasting.is_some_and(|l| sides.latches[l]) {
                continue;
            }
            match self.opens_after(state, mode, k, &p.velocity) {
                Ok(after) => self.clear.push((k, after)),
                Err(refusal) => return Outcome::Refused(refusal),
            }
        }
        let program = &self.compiled.program;
        let n = program.state.len();
        let kinetic = [self.metric.energy(self.velocity(state)), self.metric.energy(&p.velocity)];
        self.next.clear();
        self.next.extend_from_slice(state);
        self.next[program.unknowns.clone()].copy_from_slice(&p.velocity);
        if let Some((k, _)) = program.works.iter().find(|(_, name)| *name == "impacts") {
            self.next[*k] = self.next[*k] + kinetic[1] - kinetic[0];
        }
        self.next[n] = S::from_f64(mode.index() as f64);
        let record = self.telling.then(|| {
            let mut on_border = sides.clone();
            met.iter().for_each(|k| on_border.borders[*k] = 0);
            let kinetic = kinetic.map(|x| x.to_f64());
            Box::new(self.told(state, mode, &on_border, p, case, walls, kinetic))
        });
        self.sides = sides;
        self.changed_at = self.inputs[0].to_f64();
        Outcome::Go(record)
    }

    /// A holonomic constraint that would appear where positions do not obey it.
    fn out_of_place(&self, state: &[S], mode: ModeId) -> Option<Refusal> {
        let s = self.switching;
        let old = ModeId::new(state[self.compiled.program.state.len()].to_f64() as usize);
        let holonomic = s.model.constraints.ids().filter(|c| s.model.constraints[*c].holonomic.is_some());
        let first = s.impact.functions.end - 1 - s.reduced.len() - holonomic.clone().count();
        let far =
            state[..self.compiled.program.unknowns.start].iter().fold(1.0, |far: f64, x| far.max(x.to_f64().abs()));
        let off = |(k, c): &(usize, ConstraintId)| {
            let value = self.numbers[first + k].to_f64();
            s.modes[mode].contains(*c)
                && !s.modes[old].contains(*c)
                && (value.abs() > OUT_OF_PLACE * far || value.is_nan())
        };
        let (k, c) = holonomic.enumerate().find(off)?;
        let (name, value) = (&s.model.constraints[c].name, self.numbers[first + k].to_f64());
        let reason = format!(
            "the constraint {name} between positions would appear where it is off by {value}, and a jump of the velocities does not move anything"
        );
        Some(Refusal::NoImpactLaw { reason })
    }

    /// Velocities and momenta of a state in the base frame, and its reduced velocities.
    fn in_base_frame(&mut self, state: &[S]) -> [Vec<f64>; 3] {
        let n = self.compiled.program.state.len();
        self.inputs.truncate(1);
        self.inputs.extend_from_slice(&state[..n]);
        let mut numbers = vec![S::default(); self.numbers.len()];
        self.impact.call(&self.inputs, &mut numbers);
        let part = |r: std::ops::Range<usize>| numbers[r].iter().map(|x| x.to_f64()).collect();
        let s = self.switching;
        let functions = s.impact.functions.clone();
        let reduced = functions.end - s.reduced.len()..functions.end;
        [s.impact.velocities.clone(), s.impact.momenta.clone(), reduced].map(part)
    }

    /// What happened.
    #[expect(clippy::too_many_arguments)]
    fn told(
        &mut self,
        state: &[S],
        mode: ModeId,
        on_border: &Sides,
        p: &Projected<S>,
        case: JumpCase,
        walls: &[WallId],
        kinetic: [f64; 2],
    ) -> JumpRecord {
        let s = self.switching;
        let old = ModeId::new(state[self.compiled.program.state.len()].to_f64() as usize);
        let on = self.rank(&s.model.active(on_border));
        // beside the border the rank is that at generic points, which numbers at the border do not show
        let mut ranks = [self.generic_rank(old), on, self.generic_rank(mode)];
        if case == JumpCase::Start {
            ranks[0] = on;
        }
        let case = match (case, ranks) {
            (JumpCase::Keep, [before, _, after]) if after > before => JumpCase::Appear,
            (JumpCase::Keep, [before, _, after]) if after < before => JumpCase::Vanish,
            (JumpCase::Keep, [before, at, _]) if at < before => JumpCase::Change,
            (case, _) => case,
        };
        let mut after = state.to_vec();
        after[self.compiled.program.unknowns.clone()].copy_from_slice(&p.velocity);
        let [[v, p_before, reduced], [w, p_after, reduced_after]] =
            [state, &after].map(|state| self.in_base_frame(state));
        let impulse = p_after.iter().zip(&p_before).map(|(a, b)| a - b).collect();
        JumpRecord {
            case,
            title: None,
            ranks,
            jumped: p.jumped,
            velocities: [v, w],
            momenta: [p_before, p_after],
            reduced: (s.reduced.iter().cloned())
                .zip(reduced.into_iter().zip(reduced_after))
                .map(|(name, (a, b))| (name, [a, b]))
                .collect(),
            impulse,
            multipliers: p.multipliers.iter().map(|(k, x, unique)| (self.row_name(*k), *x, *unique)).collect(),
            kinetic,
            dissipated: p.dissipated,
            in_force: s.modes[mode].iter().map(|c| s.model.constraints[c].name.clone()).collect(),
            walls: walls.iter().map(|k| s.model.walls[*k].name.clone()).collect(),
            accumulates_at: None,
        }
    }

    /// What a row is called.
    pub(super) fn row_name(&self, row: RowId) -> String {
        let s = self.switching;
        let constraint = s.impact.constraint_of(row).and_then(|c| s.model.constraints.get(c));
        if let Some(c) = constraint.filter(|_| !s.holds_by_construction) {
            return c.name.clone();
        }
        for (wall, rows) in s.model.walls.iter().zip(&s.wall_rows) {
            if let Some(part) = rows.place(row) {
                return if part == 0 { wall.name.clone() } else { format!("{}: slip {part}", wall.name) };
            }
        }
        String::new()
    }
}

fn with_case(outcome: Outcome, case: JumpCase) -> Outcome {
    match outcome {
        Outcome::Go(record) => Outcome::Go(record.map(|r| Box::new(JumpRecord { case, ..*r }))),
        refused => refused,
    }
}

/// The sides of borders in words: `x > 0 and y < 0`.
fn describe(model: &polhode_model::Model, sides: &Sides, met: &[BorderId]) -> String {
    met.iter().map(|k| model.side(*k, sides.borders[*k])).collect::<Vec<_>>().join(" and ")
}
