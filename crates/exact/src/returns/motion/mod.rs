//! A motion that returns: its period, its holonomy, and its state at any time.

mod closing;
mod events;

pub(crate) use closing::{FITTED, fit};

use super::dynamics::{Dynamics, Reader, at};
use super::group::Action;
use super::linear::{Powers, Square, flow, length};
use super::meaning::Holonomy;
use crate::budget::PERIODS;
use closing::Element;
use polhode_integrate::{Segment, Statistics};
use polhode_simulate::{Assembled, Compiled, Run, Sample, Trajectory};
use polhode_tape::{Dd, Interpreter, Scalar};
use std::sync::{Arc, Mutex, PoisonError};

/// Points on every piece, and on a unit of time of a steady motion, at which events and turning points are looked for.
const LOOKS: usize = 16;

/// An error, as part of the size of the state, that leaves nothing of it.
const NOTHING_LEFT: f64 = 1e-3;

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
    /// What rounding may have made of the state after one period.
    error: f64,
    steps: u64,
    /// How far events that may end it have been looked for, where they do not repeat.
    watched_until: Option<Dd>,
    scratch: Mutex<Scratch>,
}

impl std::fmt::Debug for ReturningMotion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReturningMotion").field("period", &self.period).field("holonomy", &self.holonomy).finish()
    }
}

impl ReturningMotion {
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
            error: residual,
            steps,
            watched_until: None,
        }
    }

    /// Times of one period, close enough to see what changes sign.
    fn looks(&self) -> Vec<Dd> {
        let mut out = vec![Dd::ZERO];
        let mut piece =
            |start: Dd, length: Dd| out.extend((1..=LOOKS).map(|k| start + length * Dd::ratio(k as i64, LOOKS as i64)));
        match &self.course {
            Course::Flow(_) => piece(Dd::ZERO, self.period),
            Course::Pieces(pieces) => pieces.iter().for_each(|p| piece(p.start, p.length)),
        }
        out.retain(|t| *t < self.period);
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

    /// What rounding may have made of positions and velocities after one period; after n periods it is n times as much.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// What is to be said where fewer digits hold than are printed.
    pub fn warning(&self) -> Option<String> {
        let error = self.error;
        (error > 1e-16).then(|| {
            format!(
                "near an unstable motion: the state after a period is known to {error:.0e} only, and no better later"
            )
        })
    }

    /// The same at a time.
    pub fn error_at(&self, t: Dd) -> f64 {
        self.error * (t / self.period).to_f64().abs().max(1.0)
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

    /// Whether a time is near enough for the state to be known.
    pub fn reaches(&self, t: Dd) -> bool {
        self.unknown(t).is_none()
    }

    /// Why the state at a time is not known; `None` if it is.
    pub fn unknown(&self, t: Dd) -> Option<String> {
        let most = (NOTHING_LEFT * length(&self.first).max(1.0) / self.error).min(PERIODS);
        match self.watched_until {
            _ if (t / self.period).to_f64().abs() > most => {
                let most = if most < PERIODS { format!("{most:.0e}") } else { "10¹⁵".into() };
                Some(format!(
                    "so many periods away that nothing of the state is known there; ask for times within {most} periods"
                ))
            }
            Some(end) if t > end || t < Dd::ZERO => Some(format!(
                "beyond the times at which it was seen that no event ends the motion, from 0 to {}",
                end.to_f64()
            )),
            _ => None,
        }
    }

    /// The motion at a time, before the start as well as after it. Times that it does not [reach](Self::reaches) have no value.
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
        let mut motion = Trajectory::assembled(&self.dynamics.compiled, run, parts);
        (motion.report.events, motion.report.more_events) = self.events(run.until);
        motion
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
pub(crate) fn root(mut f: impl FnMut(Dd) -> Dd, mut a: (Dd, Dd), mut b: (Dd, Dd)) -> Dd {
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
