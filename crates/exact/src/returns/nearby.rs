//! A motion that returns near one that does not: Newton's method on the return map.
//!
//! Wanted are a start y, a time T and an element g of the group with
//!
//! ```text
//! Φ_T(y) − g y = 0,      E(y) = E₀,      h(y) = 0,                                                   (N)
//! ```
//!
//! where Φ is the motion, E the energy (where it is kept) and h = 0 the constraints on positions. Solutions come in families (along the motion, along the group, with integrals
//! that (N) does not fix), so the shortest Gauss–Newton step is taken, damped as by Levenberg and Marquardt. The derivative of Φ_T is found by
//! central differences in doubles; once (N) holds to what they are good for, it is evaluated in double-doubles, with the same derivative and Broyden's corrections of it.
//!
//! The eigenvalues of g⁻¹ ∂Φ_T, Floquet's multipliers, tell the stability. Time, the group and the integrals give multipliers 1, some of them in Jordan blocks, which
//! rounding splits by its square root.

use super::dynamics::Dynamics;
use super::group::Action;
use super::linear::{flow, least_squares, length};
use super::motion::{ReturningMotion, from_state, prepared};
use super::spectrum::eigenvalues;
use super::{NoReturn, ReturnOptions};
use polhode_integrate::Stepper;
use polhode_mechanics::System;
use polhode_tape::{Dd, Interpreter, Scalar};
use std::fmt;
use std::sync::Arc;

/// Steps of the differences, relative to the size of the state: rounding of the motion, 10⁻¹⁴, and the square of the step are alike.
const DIFFERENCE: f64 = 1e-5;

/// Most steps in doubles.
const STEPS: usize = 40;

/// (N) holds this well in doubles, as part of the size of the state.
const HOLDS: f64 = 1e-9;

/// Directions in which (N) changes by less than this part of the most are those of families of solutions: differences leave 10⁻⁹ of them.
const RANK: f64 = 1e-7;

/// Damping that keeps steps out of these directions.
const LEAST_DAMPING: f64 = 1e-6;

/// Most steps in double-doubles; each gains several digits.
const EXTENDED_STEPS: usize = 12;

/// (N) holds this well in double-doubles.
const HOLDS_EXTENDED: f64 = 1e-27;

/// Part of its size by which the start may be moved.
const NEAR: f64 = 0.5;

/// Multipliers within this distance of the unit circle are on it: those of Jordan blocks are known to the square root of 10⁻⁹.
const ON_CIRCLE: f64 = 1e-3;

/// A returning motion near the one that was asked for.
#[derive(Debug)]
pub struct Nearby {
    /// The motion.
    pub motion: ReturningMotion,
    /// How far its start is from the one asked for, in positions and velocities.
    pub distance: f64,
    /// Floquet's multipliers, the largest first.
    pub multipliers: Vec<(f64, f64)>,
    /// Newton steps.
    pub steps: usize,
}

impl Nearby {
    /// Does no multiplier leave the unit circle?
    pub fn is_stable(&self) -> bool {
        self.multipliers.first().is_none_or(|m| m.0.hypot(m.1) <= 1.0 + ON_CIRCLE)
    }
}

/// Why none was found.
#[derive(Debug)]
pub enum NoNearby {
    /// The motion itself cannot be looked at.
    NotFollowed(NoReturn),
    /// The motion comes nowhere near its start, so that there is no period to begin with.
    NoPeriod(NoReturn),
    /// Newton's method does not converge.
    NoConvergence {
        /// What is left of (N).
        left: f64,
    },
    /// It leads away.
    Far {
        /// How far, in positions and velocities.
        distance: f64,
    },
}

impl fmt::Display for NoNearby {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoNearby::NotFollowed(why) => why.fmt(f),
            NoNearby::NoPeriod(why) => write!(f, "there is no period to begin with: {why}"),
            NoNearby::NoConvergence { left } => {
                write!(f, "Newton's method on the return map does not converge: {left:.1e} is left")
            }
            NoNearby::Far { distance } => {
                write!(f, "Newton's method on the return map leads away, by {distance:.1e}")
            }
        }
    }
}

impl std::error::Error for NoNearby {}

/// Looks for a motion that returns near that of the model, of about the given period, or of that of its closest pass.
pub fn nearby(system: &mut System, options: &ReturnOptions, period: Option<f64>) -> Result<Nearby, NoNearby> {
    let (dynamics, action) = prepared(system, options).map_err(NoNearby::NotFollowed)?;
    let (dynamics, action) = (Arc::new(dynamics), Arc::new(action));
    let start = dynamics.compiled.initial_state().to_vec();
    let guess = match period {
        Some(t) => t,
        None => match from_state(dynamics.clone(), action.clone(), &start, options) {
            Ok(motion) => motion.period().to_f64(),
            Err(NoReturn::Wanders { at, .. }) if at.is_finite() => at,
            Err(why) => return Err(NoNearby::NoPeriod(why)),
        },
    };
    let mut newton = Newton::new(&dynamics, &action, &start, guess)?;
    let steps = newton.converge()?;
    let (state, period) = newton.extend()?;
    let distance = newton.moved(&state);
    let size = length(&newton.first);
    if distance > NEAR * size {
        return Err(NoNearby::Far { distance });
    }
    let multipliers = newton.multipliers().ok_or(NoNearby::NoConvergence { left: f64::NAN })?;
    let options = ReturnOptions { until: 1.01 * period.to_f64(), ..options.clone() };
    let motion = from_state(dynamics.clone(), action.clone(), &state, &options).map_err(NoNearby::NotFollowed)?;
    Ok(Nearby { motion, distance, multipliers, steps })
}

/// The step of Levenberg and Marquardt: (N) in the first rows, the size of the step in the last. What belongs to T and to the group is measured by what it does.
fn damped(columns: &[Vec<f64>], wanted: &[f64], damping: f64) -> Vec<f64> {
    let count = columns.len();
    let mut rows = columns.to_vec();
    for (j, c) in rows.iter_mut().enumerate() {
        let scale = length(c).clamp(1e-3, 1e3);
        c.extend((0..count).map(|k| if k == j { damping * scale } else { 0.0 }));
    }
    let mut wanted = wanted.to_vec();
    wanted.resize(wanted.len() + count, 0.0);
    least_squares(&rows, &wanted, f64::EPSILON)
}

/// Broyden's update: the derivative becomes right for the step that was made. The wanted changes before and after it are those of −(N).
fn update(columns: &mut [Vec<f64>], change: &[f64], before: &[f64], after: &[f64]) {
    let square: f64 = change.iter().map(|x| x * x).sum();
    if square == 0.0 {
        return;
    }
    for i in 0..before.len() {
        let predicted: f64 = columns.iter().zip(change).map(|(c, x)| c[i] * x).sum();
        let wrong = (before[i] - after[i]) - predicted;
        columns.iter_mut().zip(change).for_each(|(c, x)| c[i] += wrong * x / square);
    }
}

struct Newton<'a> {
    dynamics: &'a Dynamics,
    action: &'a Action,
    /// Where it began: positions and velocities, energy.
    first: Vec<f64>,
    energy: Option<f64>,
    y: Vec<f64>,
    t: f64,
    /// The element of the group, as the steps that make it.
    element: Vec<Vec<f64>>,
}

/// What is left of (N), and its derivative by the start: columns.
struct Linear {
    left: Vec<f64>,
    rate: Vec<f64>,
    /// The end of the orbit of the start, g s.
    w: Vec<f64>,
    directions: Vec<Vec<f64>>,
    /// ∂Φ and ∂s in these directions.
    ends: Vec<Vec<f64>>,
    starts: Vec<Vec<f64>>,
    /// Derivatives of the side conditions.
    sides: Vec<Vec<f64>>,
}

impl<'a> Newton<'a> {
    fn new(dynamics: &'a Dynamics, action: &'a Action, start: &[Dd], t: f64) -> Result<Newton<'a>, NoNearby> {
        let y: Vec<f64> = start.iter().map(|x| x.to_f64()).collect();
        let first = dynamics.reader::<f64>().symbols(&y);
        let mut newton = Newton { dynamics, action, first, energy: None, y, t, element: Vec::new() };
        if dynamics.compiled.program.works.is_empty() {
            newton.energy = Some(newton.sides(&newton.y.clone())[0]);
        }
        let end = newton.end(&newton.y.clone(), t).ok_or(NoNearby::NoConvergence { left: f64::NAN })?;
        let mut w = newton.first.clone();
        let element = &mut newton.element;
        action.approach(&end, &mut w, STEPS, |xi| element.push(xi.to_vec()));
        Ok(newton)
    }

    /// Positions and velocities after a time.
    fn end<S: Scalar>(&self, y: &[S], t: S) -> Option<Vec<S>> {
        let mut stepper = self.dynamics.stepper(y);
        while stepper.time() < t {
            stepper.step(t).ok()?;
        }
        Some(self.dynamics.reader().symbols(stepper.state()))
    }

    /// Energy, and violations of constraints.
    fn sides<S: Scalar>(&self, y: &[S]) -> Vec<S> {
        let tape = self.dynamics.tapes().report;
        let layout = &self.dynamics.compiled.program.layout;
        let mut numbers = vec![S::default(); tape.outputs.len()];
        Interpreter::<S>::new(tape).call(&[&[S::default()], y].concat(), &mut numbers);
        std::iter::once(numbers[layout.energy]).chain(numbers[layout.residuals.clone()].iter().copied()).collect()
    }

    /// What the side conditions miss.
    fn missed(&self, y: &[f64]) -> Vec<f64> {
        let mut sides = self.sides(y);
        sides[0] = self.energy.map_or(0.0, |e| sides[0] - e);
        sides
    }

    fn on_orbit<S: Scalar>(&self, s: Vec<S>) -> Vec<S> {
        self.element.iter().fold(s, |s, xi| {
            let xi: Vec<S> = xi.iter().map(|x| S::from_f64(*x)).collect();
            flow(&self.action.combination(&xi), &s)
        })
    }

    /// Directions in which the start may move: those of the state, within unit vectors.
    fn directions(&self) -> Vec<Vec<f64>> {
        let n = self.dynamics.own();
        let units = self.dynamics.compiled.program.positions.units();
        let mut out: Vec<Vec<f64>> = Vec::new();
        for i in 0..n {
            let mut v = vec![0.0; self.y.len()];
            v[i] = 1.0;
            if let Some(unit) = units.iter().find(|u| u.contains(&i)) {
                let normal = &self.y[unit.clone()];
                let size = normal.iter().fold(0.0, |s, x| s + x * x);
                let along = self.y[i] / size;
                v[unit.clone()].iter_mut().zip(normal).for_each(|(v, x)| *v -= along * x);
                // one of the components is spanned by the others: the one along which the vector is longest
                let longest = unit.clone().max_by(|a, b| self.y[*a].abs().total_cmp(&self.y[*b].abs()));
                if longest == Some(i) {
                    continue;
                }
            }
            out.push(v);
        }
        out
    }

    fn linear(&self) -> Option<Linear> {
        let end = self.end(&self.y, self.t)?;
        let s = self.dynamics.reader().symbols(&self.y);
        let w = self.on_orbit(s);
        let left = self.action.difference(&end, &w);
        let mut stepper = self.dynamics.stepper(&self.y);
        while stepper.time() < self.t {
            stepper.step(self.t).ok()?;
        }
        let mut reader = self.dynamics.reader::<f64>();
        let rate = reader.symbol_rates(stepper.state());
        let size = length(&self.y).max(1.0);
        let directions = self.directions();
        let (mut ends, mut starts, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        for v in &directions {
            let h = DIFFERENCE * size / length(v);
            let beside = |sign: f64| -> Vec<f64> { self.y.iter().zip(v).map(|(y, v)| y + sign * h * v).collect() };
            let (a, b) = (beside(1.0), beside(-1.0));
            let slope =
                |p: &[f64], q: &[f64]| -> Vec<f64> { p.iter().zip(q).map(|(p, q)| (p - q) / (2.0 * h)).collect() };
            ends.push(slope(&self.end(&a, self.t)?, &self.end(&b, self.t)?));
            starts.push(slope(&reader.symbols(&a), &reader.symbols(&b)));
            let mut side = slope(&self.sides(&a), &self.sides(&b));
            if self.energy.is_none() {
                side[0] = 0.0;
            }
            sides.push(side);
        }
        Some(Linear { left, rate, w, directions, ends, starts, sides })
    }

    /// The derivative of (N) and of the side conditions by the start, by T and by the group: columns.
    fn columns(&self, l: &Linear) -> Vec<Vec<f64>> {
        let m = self.action.len;
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for j in 0..l.directions.len() {
            // the homogeneous component of a difference is zero, so that the flow acts by its linear part
            let moved = self.on_orbit(l.starts[j].clone());
            let mut c: Vec<f64> = (0..m).map(|i| l.ends[j][i] - moved[i]).collect();
            c.extend(&l.sides[j]);
            columns.push(c);
        }
        let none = vec![0.0; l.sides.first().map_or(0, Vec::len)];
        columns.push(l.rate[..m].iter().chain(&none).copied().collect());
        let tangents = self.action.tangents(&l.w);
        columns.extend(tangents.iter().map(|t| t.iter().map(|x| -x).chain(none.iter().copied()).collect()));
        columns
    }

    fn left(&self) -> f64 {
        let s = self.dynamics.reader().symbols(&self.y);
        let w = self.on_orbit(s);
        match self.end(&self.y, self.t) {
            Some(end) => length(&self.action.difference(&end, &w)).hypot(length(&self.missed(&self.y))),
            None => f64::INFINITY,
        }
    }

    /// The changes of the start (in the directions), of T and of the group made.
    fn moved_by(&self, l: &Linear, change: &[f64]) -> Newton<'a> {
        let n = l.directions.len();
        let mut y = self.y.clone();
        for (x, v) in change.iter().zip(&l.directions) {
            y.iter_mut().zip(v).for_each(|(y, v)| *y += x * v);
        }
        for unit in self.dynamics.compiled.program.positions.units() {
            let size = length(&y[unit.clone()]);
            y[unit].iter_mut().for_each(|x| *x /= size);
        }
        let mut element = self.element.clone();
        element.push(change[n + 1..].to_vec());
        Newton { y, t: self.t + change[n], element, first: self.first.clone(), ..*self }
    }

    /// Solves (N) in doubles; the number of steps.
    fn converge(&mut self) -> Result<usize, NoNearby> {
        let size = length(&self.first).max(1.0);
        let mut now = self.left();
        let mut damping: f64 = 1e-2;
        for step in 0..STEPS {
            if now < HOLDS * size {
                return Ok(step);
            }
            let l = self.linear().ok_or(NoNearby::NoConvergence { left: now })?;
            let columns = self.columns(&l);
            let wanted: Vec<f64> = l.left.iter().chain(&self.missed(&self.y)).map(|x| -x).collect();
            let mut better = None;
            for _ in 0..8 {
                let change = damped(&columns, &wanted, damping);
                let there = self.moved_by(&l, &change);
                let left = if there.t > 0.1 * self.t && there.t < 3.0 * self.t { there.left() } else { f64::INFINITY };
                if left < now {
                    better = Some((there, left));
                    break;
                }
                damping *= 10.0;
            }
            let Some((there, left)) = better else { return Err(NoNearby::NoConvergence { left: now }) };
            damping = (damping * 0.03).max(LEAST_DAMPING);
            (self.y, self.t, self.element, now) = (there.y, there.t, there.element, left);
        }
        match now < HOLDS * size {
            true => Ok(STEPS),
            false => Err(NoNearby::NoConvergence { left: now }),
        }
    }

    /// Solves (N) in double-doubles: the start and the period.
    fn extend(&mut self) -> Result<(Vec<Dd>, Dd), NoNearby> {
        let size = length(&self.first).max(1.0);
        let l = self.linear().ok_or(NoNearby::NoConvergence { left: f64::NAN })?;
        let mut y: Vec<Dd> = self.y.iter().map(|x| Dd::from(*x)).collect();
        self.make_unit(&mut y);
        let mut t = Dd::from(self.t);
        let mut element: Vec<Vec<Dd>> =
            self.element.iter().map(|xi| xi.iter().map(|x| Dd::from(*x)).collect()).collect();
        let (mut best, mut smallest) = (None, f64::INFINITY);
        let mut columns = self.columns(&l);
        let mut before: Option<(Vec<f64>, Vec<f64>)> = None;
        for _ in 0..EXTENDED_STEPS {
            let end = self.end(&y, t).ok_or(NoNearby::NoConvergence { left: smallest })?;
            let s = self.dynamics.reader().symbols(&y);
            let w = element.iter().fold(s, |s, xi| flow(&self.action.combination(xi), &s));
            let left: Vec<Dd> = self.action.difference(&end, &w);
            let mut missed = self.sides(&y);
            missed[0] = Dd::ZERO; // the energy was fixed in doubles; to fix it better means nothing
            let now = length(&left).hypot(length(&missed));
            if now < smallest {
                (best, smallest) = (Some((y.clone(), t)), now);
            }
            if now < HOLDS_EXTENDED * size || !now.is_finite() {
                break;
            }
            let wanted: Vec<f64> = left.iter().chain(&missed).map(|x| -x.to_f64()).collect();
            if let Some((change, old)) = before.take() {
                update(&mut columns, &change, &old, &wanted);
            }
            let change = least_squares(&columns, &wanted, RANK);
            let (dy, rest) = change.split_at(l.directions.len());
            let (dt, xi) = (rest[0], &rest[1..]);
            for (x, v) in dy.iter().zip(&l.directions) {
                y.iter_mut().zip(v).for_each(|(y, v)| *y = *y + Dd::from(*x) * Dd::from(*v));
            }
            self.make_unit(&mut y);
            t = t + Dd::from(dt);
            element.push(xi.iter().map(|x| Dd::from(*x)).collect());
            before = Some((change, wanted));
        }
        best.filter(|_| smallest < 1e-20 * size).ok_or(NoNearby::NoConvergence { left: smallest })
    }

    fn make_unit(&self, y: &mut [Dd]) {
        for unit in self.dynamics.compiled.program.positions.units() {
            let size = y[unit.clone()].iter().fold(Dd::ZERO, |sum, x| sum + *x * *x).sqrt();
            y[unit].iter_mut().for_each(|x| *x = *x / size);
        }
    }

    /// How far a start is from the first one.
    fn moved(&self, y: &[Dd]) -> f64 {
        let s = self.dynamics.reader().symbols(y);
        let s: Vec<f64> = s.iter().map(|x| x.to_f64()).collect();
        length(&self.action.difference(&s, &self.first))
    }

    /// Eigenvalues of g⁻¹ ∂Φ in the directions of the start.
    fn multipliers(&self) -> Option<Vec<(f64, f64)>> {
        let l = self.linear()?;
        // ∂Φ = g ∂s M, solved for M column by column
        let basis: Vec<Vec<f64>> = l.starts.iter().map(|s| self.on_orbit(s.clone())).collect();
        let columns: Vec<Vec<f64>> = l.ends.iter().map(|e| least_squares(&basis, e, 1e-12)).collect();
        let n = columns.len();
        let matrix: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| columns[j][i]).collect()).collect();
        eigenvalues(&matrix)
    }
}
