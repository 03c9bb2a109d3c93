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
use crate::compile::machine_code::{Function, MachineCode};
use crate::compile::{Compiled, EventKind};
use polhode_impulse::{Jump, Metric, Rank, Rows};
use polhode_model::{Latch, Sides};
use polhode_tape::{Interpreter, Scalar};

/// Borders and walls are met together if a motion at its present rate is between them for no longer than this, in units of time and
/// of the time that has passed.
const TOGETHER: f64 = 1e-11;

/// A rate below this part of what it is made of is zero.
const NO_RATE: f64 = 1e-10;

/// The same for a second derivative, which is a difference of rates.
const NO_CURVATURE: f64 = 1e-6;

/// The step of that difference, in units of time.
const STEP: f64 = 1e-5;

/// A change of the velocities below this part of them is rounding, not a jump.
const NO_JUMP: f64 = 1e-9;

/// Most borders that are met at once.
const MOST_BORDERS: usize = 6;

/// Intervals between collisions that shrink by less than this factor do not pile up.
const SHRINKING: f64 = 0.999;

/// Collisions have piled up when all that are left take less time than this, in units of time and of the time that has passed.
const PILED_UP: f64 = 1e-10;

/// How a motion goes on.
pub(crate) enum Outcome<S> {
    /// From this state, with the mode as its last component.
    Go { state: Vec<S>, record: JumpRecord },
    /// It does not.
    Refused(Refusal),
}

/// The times of collisions with one wall.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    last: Option<f64>,
    interval: Option<f64>,
}

/// A velocity after a projection, with what is told about it.
struct Projected<S> {
    velocity: Vec<S>,
    jumped: bool,
    impulse: Vec<f64>,
    multipliers: Vec<(usize, f64, bool)>,
    dissipated: f64,
}

/// Looks after the sides of a motion.
pub(crate) struct Switcher<'a, S> {
    compiled: &'a Compiled,
    switching: &'a Switching,
    impact: Box<dyn Function<S>>,
    sides: Sides,
    paces: Vec<Pace>,
    inputs: Vec<S>,
    numbers: Vec<S>,
    metric: Metric<S>,
    rows: Rows<S>,
    jump: Jump<S>,
    w: Vec<S>,
    w0: Vec<S>,
}

impl<'a, S: Scalar> Switcher<'a, S> {
    pub(crate) fn new(compiled: &'a Compiled, switching: &'a Switching) -> Switcher<'a, S> {
        Switcher {
            compiled,
            switching,
            impact: MachineCode::default().function(&switching.tape),
            sides: switching.sides.clone(),
            paces: vec![Pace::default(); switching.model.walls.len()],
            inputs: Vec::new(),
            numbers: vec![S::default(); switching.tape.outputs.len()],
            metric: Metric::default(),
            rows: Rows::default(),
            jump: Jump::default(),
            w: Vec::new(),
            w0: Vec::new(),
        }
    }

    /// What happens at the start, if that is on a border: with the event that stands for it.
    pub(crate) fn start(&mut self, t: S, state: &[S]) -> Option<(usize, Outcome<S>)> {
        let met: Vec<usize> = (0..self.sides.borders.len()).filter(|k| self.sides.borders[*k] == 0).collect();
        let event = self.switching.first_event + met.first()?;
        let outcome = match self.look(t, state) {
            Ok(()) => with_case(self.cross(t, state, &met, None), JumpCase::Start),
            Err(refusal) => Outcome::Refused(refusal),
        };
        Some((event, outcome))
    }

    /// What happens at an event.
    pub(crate) fn transition(&mut self, event: usize, t: S, state: &[S]) -> Outcome<S> {
        if let Err(refusal) = self.look(t, state) {
            return Outcome::Refused(refusal);
        }
        match self.compiled.events[event].kind {
            EventKind::Border(k) => {
                let mut met = vec![k];
                let others = (0..self.sides.borders.len()).filter(|j| *j != k && self.sides.borders[*j] != 0);
                met.extend(others.filter(|j| self.is_met(t, state, self.border_value(*j), self.border_row(*j))));
                self.cross(t, state, &met, Some(k))
            }
            EventKind::Wall(k) => self.collide(t, state, k),
            EventKind::Release(k) => {
                if let Some(latch) = self.switching.model.walls[k].lasting {
                    self.sides.latches[latch] = false;
                }
                self.paces[k] = Pace::default();
                self.settle(t, state, JumpCase::Release)
            }
            EventKind::Model | EventKind::Domain { .. } => {
                for (l, latch) in self.switching.model.latches.iter().enumerate() {
                    if let Latch::Events { from, until } = latch {
                        if *from == Some(event) {
                            self.sides.latches[l] = true;
                        } else if *until == Some(event) {
                            self.sides.latches[l] = false;
                        }
                    }
                }
                self.settle(t, state, JumpCase::Keep)
            }
        }
    }

    /// Metric, rows and functions at a state.
    fn look(&mut self, t: S, state: &[S]) -> Result<(), Refusal> {
        self.inputs.clear();
        self.inputs.push(t);
        self.inputs.extend_from_slice(&state[..self.compiled.program.state.len()]);
        self.impact.call(&self.inputs, &mut self.numbers);
        let n = self.switching.impact.n;
        self.metric
            .factor(n, &self.numbers[..n * n])
            .map_err(|_| Refusal::NoImpactLaw { reason: "some velocity has no kinetic energy of its own".to_owned() })
    }

    fn velocity<'s>(&self, state: &'s [S]) -> &'s [S] {
        &state[self.compiled.program.unknowns.clone()]
    }

    fn wall_gap(&self, k: usize) -> f64 {
        self.numbers[self.switching.impact.functions.start + k].to_f64()
    }

    fn border_value(&self, k: usize) -> f64 {
        self.numbers[self.switching.impact.functions.start + self.switching.model.walls.len() + k].to_f64()
    }

    fn border_row(&self, k: usize) -> usize {
        self.switching.border_rows.start + k
    }

    /// Row times velocity, and the size of what it is made of.
    fn rate(&self, row: usize, v: &[S]) -> (f64, f64) {
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
    fn is_met(&self, t: S, state: &[S], value: f64, row: usize) -> bool {
        let (rate, _) = self.rate(row, self.velocity(state));
        value.abs() <= TOGETHER * t.to_f64().abs().max(1.0) * rate.abs().max(NO_RATE)
    }

    /// The mode of the present sides, with its chart made.
    fn mode(&self, sides: &Sides) -> Result<usize, Refusal> {
        let mode = self.switching.places[&self.switching.model.active(sides)];
        self.compiled.make_mode(mode).map_err(|reason| Refusal::BadMode { reason })?;
        Ok(mode)
    }

    /// The side of a border that a motion with velocity `v` enters in a mode.
    fn entered(&mut self, t: S, state: &[S], v: &[S], border: usize, mode: usize) -> i8 {
        let row = self.border_row(border);
        let (rate, size) = self.rate(row, v);
        if rate.abs() > NO_RATE * size {
            return rate.signum() as i8;
        }
        let kept = self.numbers.clone();
        let n = self.compiled.program.state.len();
        let mut moved = state[..n].to_vec();
        moved[self.compiled.program.unknowns.clone()].copy_from_slice(v);
        let mut inputs = vec![t];
        inputs.extend_from_slice(&moved);
        let mut rates = vec![S::default(); n];
        Interpreter::new(&self.compiled.charts[mode].field).call(&inputs, &mut rates);
        let h = S::from_f64(STEP);
        moved.iter_mut().zip(&rates).for_each(|(x, r)| *x = *x + h * *r);
        let later = moved[self.compiled.program.unknowns.clone()].to_vec();
        let change = match self.look(t + h, &moved) {
            Ok(()) => (self.rate(row, &later).0 - rate) / STEP,
            Err(_) => 0.0,
        };
        self.numbers = kept;
        let scale = rates.iter().fold(size, |s, x| s.max(x.to_f64().abs()));
        if change.abs() > NO_CURVATURE * scale { change.signum() as i8 } else { 0 }
    }

    /// Fills in the rows of the representation, of the constraints in force, and of walls.
    fn take_rows(&mut self, active: &[bool], walls: &[usize]) -> Vec<usize> {
        let s = self.switching;
        let own = s.impact.representation;
        let mut chosen: Vec<usize> = (0..own).collect();
        chosen.extend(active.iter().enumerate().filter(|(_, on)| **on).map(|(c, _)| own + c));
        chosen.extend(walls.iter().flat_map(|k| s.wall_rows[*k].clone()));
        self.w.clear();
        self.w0.clear();
        for k in &chosen {
            let place = s.impact.row(*k);
            self.w.extend_from_slice(&self.numbers[place.clone()]);
            self.w0.push(self.numbers[place.end]);
        }
        chosen
    }

    /// The number of independent constraints among those in force.
    fn rank(&mut self, active: &[bool]) -> usize {
        self.take_rows(active, &[]);
        let mut rows = Rows::default();
        match rows.set(&self.metric, &self.w, &[], Rank::Decide) {
            Ok(()) => rows.rank() - self.switching.impact.representation,
            Err(_) => 0,
        }
    }

    /// The velocity projected onto the constraints in force, or reflected by walls within them.
    fn project(&mut self, v: &[S], active: &[bool], walls: &[usize], e: S) -> Result<Projected<S>, Refusal> {
        let chosen = self.take_rows(active, walls);
        let no_law = |reason: String| Refusal::NoImpactLaw { reason };
        self.rows.set(&self.metric, &self.w, &self.w0, Rank::Decide).map_err(|e| no_law(e.to_string()))?;
        self.jump.set(&self.metric, &mut self.rows, v, e).map_err(|e| no_law(e.to_string()))?;
        let size = self.metric.energy(v).to_f64().sqrt();
        let change: Vec<S> = self.jump.velocity.iter().zip(v).map(|(a, b)| *a - *b).collect();
        let jumped = self.metric.energy(&change).to_f64().sqrt() > NO_JUMP * size;
        let own = self.switching.impact.representation;
        let multipliers = (chosen.iter().enumerate())
            .filter(|(_, k)| **k >= own)
            .map(|(i, k)| (*k, self.jump.multipliers[i].to_f64(), self.rows.unique(i)))
            .collect();
        Ok(Projected {
            velocity: self.jump.velocity.clone(),
            jumped,
            impulse: self.jump.impulse.iter().map(|x| x.to_f64()).collect(),
            multipliers,
            dissipated: self.jump.dissipated.to_f64(),
        })
    }

    /// What happens at borders that are met.
    fn cross(&mut self, t: S, state: &[S], met: &[usize], crossed: Option<usize>) -> Outcome<S> {
        match self.try_cross(t, state, met, crossed) {
            Ok((sides, projected)) => self.go_on(t, state, sides, projected, JumpCase::Keep, met, &[]),
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    fn try_cross(
        &mut self,
        t: S,
        state: &[S],
        met: &[usize],
        crossed: Option<usize>,
    ) -> Result<(Sides, Projected<S>), Refusal> {
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
        let unchanged = self.project(&v, &model.active(&ahead), &[], S::default());
        if let Ok(p) = unchanged
            && !p.jumped
        {
            self.mode(&ahead)?;
            return Ok((ahead, p));
        }
        // all combinations of sides
        let mut candidates = Vec::new();
        let mut consistent = Vec::new();
        for k in 0..1usize << met.len() {
            let mut sides = self.sides.clone();
            met.iter().enumerate().for_each(|(i, b)| sides.borders[*b] = if k >> i & 1 == 1 { 1 } else { -1 });
            let mode = self.mode(&sides)?;
            let p = self.project(&v, &model.active(&sides), &[], S::default())?;
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
            0 => Err(Refusal::NoConsistentJump { candidates }),
            1 => Ok(consistent.remove(0)),
            _ => Err(Refusal::SeveralJumps { candidates }),
        }
    }

    /// Goes on with sides that were changed from outside, the velocities projected onto what then holds.
    fn settle(&mut self, t: S, state: &[S], case: JumpCase) -> Outcome<S> {
        let v = self.velocity(state).to_vec();
        let sides = self.sides.clone();
        let projected = match self.mode(&sides) {
            Ok(_) => self.project(&v, &self.switching.model.active(&sides), &[], S::default()),
            Err(refusal) => Err(refusal),
        };
        match projected {
            Ok(p) => self.go_on(t, state, sides, p, case, &[], &[]),
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    /// What happens at a wall.
    fn collide(&mut self, t: S, state: &[S], wall: usize) -> Outcome<S> {
        let model = self.switching.model.clone();
        let touches = |s: &Self, k: usize| model.walls[k].lasting.is_some_and(|l| s.sides.latches[l]);
        let met: Vec<usize> = (0..model.walls.len())
            .filter(|k| !touches(self, *k))
            .filter(|k| *k == wall || self.is_met(t, state, self.wall_gap(*k), self.switching.wall_rows[*k].start))
            .collect();
        let active = model.active(&self.sides);
        let mut v = self.velocity(state).to_vec();
        let before = v.clone();
        let mut all: Option<Projected<S>> = None;
        let mut hit: Vec<usize> = Vec::new();
        for _ in 0..=4 * met.len() {
            let approaching: Vec<usize> = (met.iter().copied())
                .filter(|k| {
                    let (rate, size) = self.rate(self.switching.wall_rows[*k].start, &v);
                    rate < -NO_RATE * size
                })
                .collect();
            let Some(first) = approaching.first() else { break };
            let e = S::constant(self.switching.restitution[*first]);
            let p = match self.project(&v, &active, &approaching, e) {
                Ok(p) => p,
                Err(refusal) => return Outcome::Refused(refusal),
            };
            v.clone_from(&p.velocity);
            hit.extend(approaching.iter().filter(|k| !hit.contains(k)).copied().collect::<Vec<_>>());
            all = Some(match all {
                None => p,
                Some(mut sum) => {
                    sum.velocity = p.velocity;
                    sum.jumped |= p.jumped;
                    sum.dissipated += p.dissipated;
                    sum.impulse.iter_mut().zip(&p.impulse).for_each(|(a, b)| *a += b);
                    sum.multipliers.extend(p.multipliers);
                    sum
                }
            });
        }
        let piled = self.pile_up(t.to_f64(), if hit.is_empty() { &met } else { &hit });
        let sides = self.sides.clone();
        match piled {
            Some(at) if hit.is_empty() || met.iter().all(|k| self.paces[*k].last.is_some()) => {
                let stuck: Vec<usize> = if hit.is_empty() { met.clone() } else { hit };
                if stuck.iter().any(|k| model.walls[*k].lasting.is_none()) {
                    let walls = stuck.iter().map(|k| model.walls[*k].name.clone()).collect();
                    return Outcome::Refused(Refusal::Accumulation { walls, at });
                }
                for k in &stuck {
                    if let Some(latch) = model.walls[*k].lasting {
                        self.sides.latches[latch] = true;
                    }
                }
                let mut moved = state.to_vec();
                moved[self.compiled.program.unknowns.clone()].copy_from_slice(&before);
                with_accumulation(self.settle(t, &moved, JumpCase::Settle), at)
            }
            _ => {
                let unchanged = Projected {
                    velocity: before,
                    jumped: false,
                    impulse: vec![0.0; self.switching.impact.n],
                    multipliers: Vec::new(),
                    dissipated: 0.0,
                };
                self.go_on(t, state, sides, all.unwrap_or(unchanged), JumpCase::Collision, &[], &hit)
            }
        }
    }

    /// Notes collisions; when they will have piled up, if they do so now.
    fn pile_up(&mut self, t: f64, walls: &[usize]) -> Option<f64> {
        let mut piled: Option<f64> = None;
        for k in walls {
            let Pace { last, interval } = self.paces[*k];
            let now = last.map(|last| (t - last).abs());
            self.paces[*k] = Pace { last: Some(t), interval: now };
            let Some(now) = now else { continue };
            let scale = PILED_UP * t.abs().max(1.0);
            if now == 0.0 {
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

    /// The state from which a motion goes on, and what is told about it.
    #[expect(clippy::too_many_arguments)]
    fn go_on(
        &mut self,
        _t: S,
        state: &[S],
        sides: Sides,
        p: Projected<S>,
        case: JumpCase,
        met: &[usize],
        walls: &[usize],
    ) -> Outcome<S> {
        let model = self.switching.model.clone();
        let mode = match self.mode(&sides) {
            Ok(mode) => mode,
            Err(refusal) => return Outcome::Refused(refusal),
        };
        let n = self.compiled.program.state.len();
        let old = self.switching.modes[state[n].to_f64() as usize].clone();
        let mut on_border = sides.clone();
        met.iter().for_each(|k| on_border.borders[*k] = 0);
        let ranks = [&old, &model.active(&on_border), &self.switching.modes[mode].clone()].map(|a| self.rank(a));
        let case = match (case, ranks) {
            (JumpCase::Keep, [before, _, after]) if after > before => JumpCase::Appear,
            (JumpCase::Keep, [before, _, after]) if after < before => JumpCase::Vanish,
            (JumpCase::Keep, [before, at, _]) if at < before => JumpCase::Change,
            (case, _) => case,
        };
        let v = self.velocity(state);
        let kinetic = [self.metric.energy(v), self.metric.energy(&p.velocity)];
        let doubles = |x: &[S]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let name = |k: usize| self.row_name(k);
        let record = JumpRecord {
            case,
            ranks,
            jumped: p.jumped,
            velocities: [doubles(v), doubles(&p.velocity)],
            momenta: [doubles(&self.metric.momentum(v)), doubles(&self.metric.momentum(&p.velocity))],
            impulse: p.impulse,
            multipliers: p.multipliers.into_iter().map(|(k, x, unique)| (name(k), x, unique)).collect(),
            kinetic: kinetic.map(|x| x.to_f64()),
            dissipated: p.dissipated,
            in_force: {
                let on = self.switching.modes[mode].iter().zip(&model.written).filter(|(on, _)| **on);
                on.map(|(_, c)| c.name.clone()).collect()
            },
            walls: walls.iter().map(|k| model.walls[*k].name.clone()).collect(),
            accumulates_at: None,
        };
        let mut next = state.to_vec();
        next[self.compiled.program.unknowns.clone()].copy_from_slice(&p.velocity);
        let impacts = self.compiled.program.works.iter().find(|(_, name)| *name == "impacts").map(|(k, _)| *k);
        if let Some(k) = impacts {
            next[k] = next[k] + kinetic[1] - kinetic[0];
        }
        next[n] = S::from_f64(mode as f64);
        self.sides = sides;
        Outcome::Go { state: next, record }
    }

    /// What a row is called.
    fn row_name(&self, row: usize) -> String {
        let s = self.switching;
        let k = row - s.impact.representation;
        if let Some(c) = s.model.written.get(k) {
            return c.name.clone();
        }
        for (wall, rows) in s.model.walls.iter().zip(&s.wall_rows) {
            if rows.contains(&row) {
                let part = row - rows.start;
                return if part == 0 { wall.name.clone() } else { format!("{}: slip {part}", wall.name) };
            }
        }
        String::new()
    }
}

fn with_case<S>(outcome: Outcome<S>, case: JumpCase) -> Outcome<S> {
    match outcome {
        Outcome::Go { state, record } => Outcome::Go { state, record: JumpRecord { case, ..record } },
        refused => refused,
    }
}

fn with_accumulation<S>(outcome: Outcome<S>, at: f64) -> Outcome<S> {
    match outcome {
        Outcome::Go { state, record } => {
            Outcome::Go { state, record: JumpRecord { accumulates_at: Some(at), ..record } }
        }
        refused => refused,
    }
}

/// The sides of borders in words.
fn describe(model: &polhode_model::Model, sides: &Sides, met: &[usize]) -> String {
    let each = met.iter().map(|k| {
        let sign = match sides.borders[*k] {
            1 => "> 0",
            -1 => "< 0",
            _ => "= 0",
        };
        format!("({}) {sign}", model.borders[*k].text)
    });
    each.collect::<Vec<_>>().join(" and ")
}
