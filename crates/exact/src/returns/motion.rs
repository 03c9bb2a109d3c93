//! A motion that returns: its period, its holonomy, and its state at any time.

use super::dynamics::{Dynamics, Reader, at, follow};
use super::group::{Action, RANK};
use super::linear::{Powers, Square, flow, length};
use super::meaning::Holonomy;
use super::search::{Pass, search, step};
use super::{NoReturn, ReturnOptions};
use polhode_integrate::{Segment, Statistics, Stepper};
use polhode_mechanics::{Form, System};
use polhode_model::Direction;
use polhode_simulate::{Assembled, Compile, CompileOptions, Compiled, Run, Sample, Trajectory};
use polhode_tape::{Dd, Interpreter, Scalar};
use std::sync::{Arc, Mutex, PoisonError};

/// Speed across the orbits, as part of the speed, that is rounding: the motion is steady.
const STEADY: f64 = 1e-24;

/// Below this part the oscillation about a steady motion is looked at in double-doubles from the beginning.
const SMALL: f64 = 1e-4;

/// Below this part not even they resolve it.
const LOST: f64 = 1e-20;

/// What may be left of a return, as part of the size of the state: rounding of one period, times the growth of errors in unstable motions.
const RETURNED: f64 = 1e-21;

/// The same, as part of the largest distance.
const RETURNED_OF_DISTANCE: f64 = 1e-6;

/// Most Gauss–Newton steps for T and h. Their slopes have 20 digits.
const POLISHING: usize = 10;

/// Most Gauss–Newton steps of a first fit of h, and fits from other places.
const FITTING: usize = 40;
const PLACES: usize = 24;

/// How far beyond a time found in doubles the period may end.
const MARGIN: f64 = 1e-5;

/// Difference of two motions, as part of the size of the state, that symmetric equations may have.
const SYMMETRIC: f64 = 1e-19;

/// Change of the energy, as part of its size, that is no rounding.
const DISSIPATED: f64 = 1e-7;

/// Points on every piece at which events and turning points are looked for.
const LOOKS: usize = 16;

/// Follows the motion from the initial state of a model until it returns.
pub fn returning(system: &mut System, options: &ReturnOptions) -> Result<ReturningMotion, NoReturn> {
    let (dynamics, action) = prepared(system, options)?;
    let start = dynamics.compiled.initial_state().to_vec();
    from_state(Arc::new(dynamics), Arc::new(action), &start, options)
}

/// The equations and the group.
pub(crate) fn prepared(system: &mut System, options: &ReturnOptions) -> Result<(Dynamics, Action), NoReturn> {
    if system.model.switches() {
        return Err(NoReturn::Switches);
    }
    let mut compiled = system.compile_with(&options.compile).map_err(NoReturn::NotCompiled)?;
    if compiled.tapes().is_none() && !compiled.switches() {
        let whole =
            CompileOptions { form: Some(Form::Multipliers), reduced: false, lift: None, ..options.compile.clone() };
        compiled = system.compile_with(&whole).map_err(NoReturn::NotCompiled)?;
    }
    let dynamics = Dynamics::new(compiled, system.configuration.positions())?;
    let action = Action::of(system, &dynamics);
    Ok((dynamics, action))
}

/// The motion from a state.
pub(crate) fn from_state(
    dynamics: Arc<Dynamics>,
    action: Arc<Action>,
    start: &[Dd],
    options: &ReturnOptions,
) -> Result<ReturningMotion, NoReturn> {
    let mut reader = dynamics.reader::<Dd>();
    let s = reader.symbols(start);
    let rate = reader.symbol_rates(start);
    let (rest, xi) = action.across(&s, &rate, RANK);
    let speed = length(&rate).max(f64::MIN_POSITIVE);
    let part = length(&rest) / speed;
    if !part.is_finite() {
        return Err(NoReturn::Stops { t: 0.0, why: "the equations have no finite value at the start".into() });
    }
    if part <= STEADY {
        return ReturningMotion::steady(dynamics, action, start, s, xi);
    }
    if part < LOST {
        return Err(NoReturn::NearlySteady { part });
    }
    let mut not_symmetric = None;
    let decide = |pass: Pass| match ReturningMotion::closed(&dynamics, &action, start, pass)? {
        Ok(motion) => Some(Ok(motion)),
        Err(why @ NoReturn::NotSymmetric { .. }) => {
            not_symmetric.get_or_insert(why);
            None
        }
        Err(why) => Some(Err(why)),
    };
    let found = if part < SMALL {
        search(&dynamics, &action, start, options, options.extended_steps, decide)
    } else {
        let doubles: Vec<f64> = start.iter().map(|x| x.to_f64()).collect();
        search(&dynamics, &action, &doubles, options, options.steps, decide)
    };
    match found {
        Ok(motion) => motion,
        Err(_) if not_symmetric.is_some() => Err(not_symmetric.expect("looked at")),
        Err(why) => Err(dissipation(&dynamics, start, &why).unwrap_or(why)),
    }
}

/// Whether it is the energy that does not come back.
fn dissipation(dynamics: &Dynamics, start: &[Dd], why: &NoReturn) -> Option<NoReturn> {
    let (NoReturn::Settles { searched, .. } | NoReturn::Leaves { searched } | NoReturn::Wanders { searched, .. }) = why
    else {
        return None;
    };
    if dynamics.compiled.program.works.is_empty() {
        return None;
    }
    let y: Vec<f64> = start.iter().map(|x| x.to_f64()).collect();
    let mut stepper = dynamics.stepper(&y);
    while stepper.time() < *searched {
        stepper.step(*searched).ok()?;
    }
    let mut report = Interpreter::<f64>::new(dynamics.tapes().report);
    let mut energy = |y: &[f64]| {
        let mut numbers = vec![0.0; dynamics.tapes().report.outputs.len()];
        report.call(&[&[0.0], y].concat(), &mut numbers);
        numbers[dynamics.compiled.program.layout.energy]
    };
    let (from, to) = (energy(&y), energy(stepper.state()));
    (from - to > DISSIPATED * from.abs().max(to.abs())).then_some(NoReturn::Dissipates {
        from,
        to,
        searched: *searched,
    })
}

/// One period: pieces of it, or the element of the algebra whose flow is the motion.
#[derive(Clone, Debug)]
enum Course {
    Pieces(Vec<Segment<Dd>>),
    Flow(Vec<Dd>),
}

/// What evaluation needs besides.
struct Scratch {
    reader: Reader<Dd>,
    entry: Interpreter<Dd>,
    report: Interpreter<Dd>,
    forwards: Powers,
    backwards: Powers,
}

/// A motion that returns up to a symmetry, and is known at all times.
pub struct ReturningMotion {
    dynamics: Arc<Dynamics>,
    action: Arc<Action>,
    period: Dd,
    course: Course,
    first: Vec<Dd>,
    holonomy: Holonomy,
    map: Square<Dd>,
    /// Works of one period.
    works: Vec<Dd>,
    residual: f64,
    steps: u64,
    scratch: Mutex<Scratch>,
}

impl std::fmt::Debug for ReturningMotion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReturningMotion").field("period", &self.period).field("holonomy", &self.holonomy).finish()
    }
}

/// h with its inverse.
struct Element {
    map: Square<Dd>,
    back: Square<Dd>,
}

impl Element {
    /// exp(ξ_k) … exp(ξ_1), and full turns of angles after that.
    fn new(action: &Action, steps: &[Vec<Dd>], turns: &[(usize, Dd)]) -> Element {
        let size = action.len + 1;
        let (mut map, mut back) = (Square::identity(size), Square::identity(size));
        for xi in steps {
            let opposite: Vec<Dd> = xi.iter().map(|x| -*x).collect();
            map = Square::exponential(&action.combination(xi), size).times(&map);
            back = back.times(&Square::exponential(&action.combination(&opposite), size));
        }
        let (mut shift, mut unshift) = (Square::identity(size), Square::identity(size));
        for (i, turn) in turns {
            shift.entries[i * size + action.len] = *turn;
            unshift.entries[i * size + action.len] = -*turn;
        }
        Element { map: shift.times(&map), back: back.times(&unshift) }
    }
}

impl ReturningMotion {
    /// exp(tξ) s.
    fn steady(
        dynamics: Arc<Dynamics>,
        action: Arc<Action>,
        start: &[Dd],
        first: Vec<Dd>,
        xi: Vec<Dd>,
    ) -> Result<ReturningMotion, NoReturn> {
        // any time will do as period: one over which the series of the flow is short
        let mut rows = vec![0.0; action.len + 1];
        action.combination(&xi).iter().for_each(|(i, _, x)| rows[*i] += x.to_f64().abs());
        let norm = rows.into_iter().fold(0.0, f64::max);
        let period = if norm > 0.0 { Dd::from(1.0 / norm) } else { Dd::ONE };
        let step: Vec<Dd> = xi.iter().map(|x| *x * period).collect();
        let element = Element::new(&action, &[step], &[]);
        // works grow evenly
        let rates = dynamics.reader::<Dd>().rates(start);
        let works = rates[dynamics.own()..].iter().map(|w| *w * period).collect();
        let motion = ReturningMotion::new(dynamics, action, period, Course::Flow(xi), first, element, works, 0.0, 0);
        motion.symmetric()?;
        motion.events()?;
        Ok(motion)
    }

    /// The motion that passes near its start, if it closes: `None` if it does not.
    fn closed(
        dynamics: &Arc<Dynamics>,
        action: &Arc<Action>,
        start: &[Dd],
        pass: Pass,
    ) -> Option<Result<ReturningMotion, NoReturn>> {
        let mut pieces = follow(dynamics, start, Dd::from(pass.t * (1.0 + MARGIN)))?;
        let steps = pieces.len() as u64;
        let mut reader = dynamics.reader::<Dd>();
        let first = reader.symbols(start);
        let mut t = Dd::from(pass.t);
        let (mut w, mut notes) = fit(action, &first, &reader.symbols(&at(&pieces, t)))?;
        let mut best: Option<(f64, Dd, usize)> = None;
        for _ in 0..POLISHING {
            let y = at(&pieces, t);
            let wanted = action.difference(&reader.symbols(&y), &w);
            let distance = length(&wanted);
            if best.is_some_and(|(d, _, _)| distance >= d) {
                break;
            }
            best = Some((distance, t, notes.len()));
            let (dt, xi) = step(action, &w, &reader.symbol_rates(&y), &wanted);
            t = t + dt;
            w = flow(&action.combination(&xi), &w);
            notes.push(xi);
        }
        let (distance, period, used) = best?;
        notes.truncate(used);
        let size = length(&first).max(1.0);
        if !distance.is_finite()
            || distance > RETURNED * size
            || distance > RETURNED_OF_DISTANCE * pass.largest
            || period <= Dd::ZERO
        {
            return None;
        }
        let end = at(&pieces, period);
        let s = reader.symbols(&end);
        let turn = Dd::PI + Dd::PI;
        let w = Element::new(action, &notes, &[]).map.apply(&first);
        let turns = (0..action.len).filter(|i| action.angles[*i]).filter_map(|i| {
            let count = ((s[i] - w[i]).to_f64() / turn.to_f64()).round();
            (count != 0.0).then(|| (i, turn * Dd::from(count)))
        });
        let turns: Vec<(usize, Dd)> = turns.collect();
        let element = Element::new(action, &notes, &turns);
        pieces.retain(|p| p.start < period);
        let works = end[dynamics.own()..].to_vec();
        let course = Course::Pieces(pieces);
        let (dynamics, action) = (dynamics.clone(), action.clone());
        let motion = ReturningMotion::new(dynamics, action, period, course, first, element, works, distance, steps);
        Some(motion.symmetric().and_then(|()| motion.events()).map(|()| motion))
    }

    #[allow(clippy::too_many_arguments)] // the parts of one struct, put together in two places
    fn new(
        dynamics: Arc<Dynamics>,
        action: Arc<Action>,
        period: Dd,
        course: Course,
        first: Vec<Dd>,
        element: Element,
        works: Vec<Dd>,
        residual: f64,
        steps: u64,
    ) -> ReturningMotion {
        let scratch = Scratch {
            reader: dynamics.reader(),
            entry: Interpreter::new(dynamics.tapes().entry),
            report: Interpreter::new(dynamics.tapes().report),
            forwards: Powers::of(element.map.clone()),
            backwards: Powers::of(element.back),
        };
        let steady = matches!(course, Course::Flow(_));
        let holonomy = Holonomy::of(&dynamics, &action, &element.map, period, steady);
        ReturningMotion {
            holonomy,
            map: element.map,
            scratch: Mutex::new(scratch),
            dynamics,
            action,
            period,
            course,
            first,
            works,
            residual,
            steps,
        }
    }

    /// Do the equations go on from the end of the period as from its start? Both motions are followed over one step.
    fn symmetric(&self) -> Result<(), NoReturn> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let there = self.dynamics.state(&mut scratch.entry, &self.first);
        let moved = self.dynamics.state(&mut scratch.entry, &self.map.apply(&self.first));
        let mut stepper = self.dynamics.stepper(&there);
        let failed = |why: polhode_integrate::StepError| NoReturn::Stops { t: 0.0, why: why.to_string() };
        stepper.step(self.period).map_err(failed)?;
        let dt = stepper.time();
        let here = self.map.apply(&scratch.reader.symbols(stepper.state()));
        let mut other = self.dynamics.stepper(&moved);
        while other.time() < dt {
            other.step(dt).map_err(failed)?;
        }
        let other = scratch.reader.symbols(other.state());
        let difference = length(&self.action.difference(&other, &here));
        match difference > SYMMETRIC * length(&here).max(1.0) {
            true => Err(NoReturn::NotSymmetric { t: self.period.to_f64(), difference }),
            false => Ok(()),
        }
    }

    /// Does an event end the motion within its first period?
    fn events(&self) -> Result<(), NoReturn> {
        let infos = &self.dynamics.compiled.events;
        if !infos.iter().any(|e| e.terminal) {
            return Ok(());
        }
        let tape = self.dynamics.tapes().events;
        let mut functions = Interpreter::<Dd>::new(tape);
        let mut values = vec![Dd::ZERO; tape.outputs.len()];
        let mut before: Option<Vec<f64>> = None;
        for t in self.looks() {
            let y = self.state(t);
            functions.call(&[&[t], &y[..]].concat(), &mut values);
            let now: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
            for (k, info) in infos.iter().enumerate().filter(|(_, e)| e.terminal) {
                let crossed = match &before {
                    Some(before) => {
                        let (falls, rises) = (before[k] >= 0.0 && now[k] < 0.0, before[k] <= 0.0 && now[k] > 0.0);
                        match info.direction {
                            Direction::Falling => falls,
                            Direction::Rising => rises,
                            Direction::Either => falls || rises,
                        }
                    }
                    // contacts that are violated from the beginning
                    None => info.cause.is_some() && now[k] < 0.0,
                };
                if crossed {
                    return Err(NoReturn::Ends { event: info.name.clone(), t: t.to_f64() });
                }
            }
            before = Some(now);
        }
        Ok(())
    }

    /// Times of one period, close enough to see what changes sign.
    fn looks(&self) -> Vec<Dd> {
        let mut out = vec![Dd::ZERO];
        match &self.course {
            Course::Flow(_) => {}
            Course::Pieces(pieces) => {
                for p in pieces {
                    out.extend((1..=LOOKS).map(|k| p.start + p.length * Dd::ratio(k as i64, LOOKS as i64)));
                }
                out.retain(|t| *t < self.period);
            }
        }
        out.push(self.period);
        out
    }

    /// What is moved.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.dynamics.compiled
    }

    /// T. Of a steady motion, every time is a period; this is the one that is used.
    pub fn period(&self) -> Dd {
        self.period
    }

    /// Is the motion itself the flow of a symmetry?
    pub fn is_steady(&self) -> bool {
        matches!(self.course, Course::Flow(_))
    }

    /// |s(T) − h s(0)|: what is left of the return.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// What the group variables gain in one period.
    pub fn holonomy(&self) -> &Holonomy {
        &self.holonomy
    }

    /// The symmetries that were used, and those that could not be since they are not affine.
    pub fn generators(&self) -> (&[String], &[String]) {
        (&self.action.texts, &self.action.left_out)
    }

    /// n and τ of t = nT + τ, 0 ≤ τ < T.
    fn phase(&self, t: Dd) -> (f64, Dd) {
        let mut n = (t / self.period).to_f64().floor();
        let mut tau = t - Dd::from(n) * self.period;
        // the quotient was rounded
        if tau < Dd::ZERO {
            (n, tau) = (n - 1.0, tau + self.period);
        } else if tau >= self.period {
            (n, tau) = (n + 1.0, tau - self.period);
        }
        (n, tau)
    }

    /// The state of the integrator at a time.
    pub fn state(&self, t: Dd) -> Vec<Dd> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        self.state_with(&mut scratch, t)
    }

    fn state_with(&self, scratch: &mut Scratch, t: Dd) -> Vec<Dd> {
        let (n, tau) = self.phase(t);
        let (s, mut works) = match &self.course {
            Course::Flow(xi) => {
                let step: Vec<Dd> = xi.iter().map(|x| *x * tau).collect();
                let share = tau / self.period;
                let works: Vec<Dd> = self.works.iter().map(|w| *w * share).collect();
                (flow(&self.action.combination(&step), &self.first), works)
            }
            Course::Pieces(pieces) => {
                let y = at(pieces, tau);
                (scratch.reader.symbols(&y), y[self.dynamics.own()..].to_vec())
            }
        };
        works.iter_mut().zip(&self.works).for_each(|(w, each)| *w = *w + Dd::from(n) * *each);
        let powers = if n >= 0.0 { &mut scratch.forwards } else { &mut scratch.backwards };
        let s = powers.apply(n.abs() as u64, s);
        let mut y = self.dynamics.state(&mut scratch.entry, &s);
        y.truncate(self.dynamics.own());
        y.extend(works);
        y
    }

    /// The motion at a time, before the start as well as after it.
    pub fn at(&self, t: impl Into<Dd>) -> Sample {
        let t = t.into();
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let y = self.state_with(&mut scratch, t);
        let mut numbers = vec![Dd::ZERO; scratch.report.tape().outputs.len()];
        scratch.report.call(&[&[t], &y[..]].concat(), &mut numbers);
        // the report starts from the coordinates of the state: a quaternion, made unit, is as good as the matrix
        Sample::from_numbers(&self.dynamics.compiled, t, numbers)
    }

    /// The motion at the times that a run asks for, reported as a run is.
    pub fn trajectory(&self, run: &Run) -> Trajectory {
        let samples = run.times().into_iter().map(|t| self.at(t)).collect();
        let works = self.state(run.until)[self.dynamics.own()..].to_vec();
        let statistics = Statistics { steps: self.steps, ..Statistics::default() };
        let parts = Assembled { first: self.at(Dd::ZERO), samples, last: self.at(run.until), works, statistics };
        Trajectory::assembled(&self.dynamics.compiled, run, parts)
    }

    /// The times within one period at which a number passes through zero, as the rate `theta'` at the turning points of `theta`. `None` if there is no such number.
    pub fn zeros(&self, name: &str) -> Option<Vec<Dd>> {
        let value = |t: Dd| self.at(t).get_digits(name);
        let mut out = Vec::new();
        let mut before: Option<(Dd, Dd)> = None;
        for t in self.looks() {
            let x = value(t)?;
            if let Some((t0, x0)) = before
                && (x0 < Dd::ZERO) != (x < Dd::ZERO)
            {
                out.push(root(|t| value(t).unwrap_or(Dd::ZERO), (t0, x0), (t, x)));
            }
            before = Some((t, x));
        }
        Some(out)
    }
}

/// A zero between two points of different sign, by the secant with halving where it is slow.
fn root(f: impl Fn(Dd) -> Dd, mut a: (Dd, Dd), mut b: (Dd, Dd)) -> Dd {
    let width = |a: Dd, b: Dd| (b - a).to_f64().abs();
    let (begin, half) = (width(a.0, b.0), Dd::from(0.5));
    let mut last = (a, b);
    for k in 0..60 {
        let (p, q) = last;
        let secant = q.0 - q.1 * (q.0 - p.0) / (q.1 - p.1);
        let inside = secant > a.0 && secant < b.0;
        let middle = (a.0 + b.0) * half;
        let t = if inside && k % 4 != 3 { secant } else { middle };
        let x = f(t);
        if x == Dd::ZERO {
            return t;
        }
        let old = q.0;
        last = (q, (t, x));
        if (x < Dd::ZERO) == (a.1 < Dd::ZERO) {
            a = (t, x);
        } else {
            b = (t, x);
        }
        // a secant step this short squares to less than rounding
        if inside && width(t, old) < 1e-26 * begin.max(width(t, Dd::ZERO)) {
            return t;
        }
    }
    last.1.0
}

/// The point of the orbit of `first` that is a state, with the steps that lead to it: from the start itself, then from other places of the group.
fn fit(action: &Action, first: &[Dd], wanted: &[Dd]) -> Option<(Vec<Dd>, Vec<Vec<Dd>>)> {
    let size = length(first).max(1.0);
    // a fixed sequence, so that results can be repeated
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64 * std::f64::consts::TAU - std::f64::consts::PI
    };
    let mut best: Option<(f64, Vec<Dd>, Vec<Vec<Dd>>)> = None;
    for place in 0..PLACES {
        let mut notes: Vec<Vec<Dd>> = Vec::new();
        let mut w = first.to_vec();
        if place > 0 {
            let xi: Vec<Dd> = action.generators.iter().map(|_| Dd::from(random())).collect();
            w = flow(&action.combination(&xi), &w);
            notes.push(xi);
        }
        let distance = action.approach(wanted, &mut w, FITTING, |xi| notes.push(xi.to_vec()));
        if best.as_ref().is_none_or(|(d, _, _)| distance < *d) {
            best = Some((distance, w, notes));
        }
        if distance < FITTED * size {
            break;
        }
    }
    best.map(|(_, w, notes)| (w, notes))
}

/// A fit this close, as part of the size of the state, is the right one: passes are known to ten digits.
const FITTED: f64 = 1e-5;
