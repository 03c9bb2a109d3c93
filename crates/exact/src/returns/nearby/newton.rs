//! (N) and its derivative, and the steps.

use super::super::dynamics::Dynamics;
use super::super::group::Action;
use super::super::linear::{flow, length};
use super::super::motion::{FITTED, fit};
use super::super::spectrum::eigenvalues;
use super::NoNearby;
use crate::steady::algebra::{Dense, Svd};
use polhode_integrate::Stepper;
use polhode_tape::dense::least_squares;
use polhode_tape::{Dd, Interpreter, Scalar};

/// Steps of the differences in doubles, relative to the size of the state: rounding of the motion, 10⁻¹⁵ over the step, and the square of the step are alike.
const DIFFERENCE: f64 = 1e-5;

/// The same in double-doubles.
const DIFFERENCE_EXTENDED: f64 = 1e-10;

/// Most steps in doubles.
const STEPS: usize = 60;

/// The approach has come to an end: rounding of one period in doubles.
const ROUNDING: f64 = 1e-13;

/// (N) holds this well, as part of the size of the state, that Newton's method in double-doubles will do the rest.
const HOLDS: f64 = 1e-7;

/// Singular values below this part of the largest are those of families of solutions: differences in doubles leave 10⁻¹⁰ of them.
const RANK: f64 = 1e-7;

/// The same in double-doubles, where they are as small as what is left of (N): from the value before downwards, where a step does not help.
const RANKS_EXTENDED: [f64; 3] = [1e-7, 1e-9, 1e-11];

/// Damping at the beginning, as part of the largest singular value; its bounds.
const DAMPING: f64 = 1e-2;
const LEAST_DAMPING: f64 = 1e-9;
const MOST_DAMPING: f64 = 1e3;

/// Most steps in double-doubles with one derivative; each gains several digits.
const EXTENDED_STEPS: usize = 8;

/// (N) holds in double-doubles.
const HOLDS_EXTENDED: f64 = 1e-27;

/// It holds well enough for a return.
const ENOUGH: f64 = 1e-23;

/// A step that leaves more than this part is one of a derivative that serves no more.
const SLOW: f64 = 0.1;

/// A constraint whose violation changes by less than this in every direction holds by itself: differences in double-doubles leave 10⁻²⁰ of it.
const HELD: f64 = 1e-12;

/// A start, a time and an element of the group, as the steps that make it.
#[derive(Clone, Debug)]
pub(super) struct Point<S> {
    pub(super) y: Vec<S>,
    pub(super) t: S,
    element: Vec<Vec<S>>,
}

/// (N) of one system.
pub(super) struct Newton<'a> {
    dynamics: &'a Dynamics,
    action: &'a Action,
    /// Where it began: positions and velocities.
    pub(super) first: Vec<f64>,
    begin: Point<f64>,
    energy: Option<Dd>,
}

/// The derivative of (N).
struct Slopes {
    /// Directions in which the start moves.
    directions: Vec<Vec<f64>>,
    /// ∂Φ, g ∂s and the derivatives of the side conditions in these directions.
    ends: Vec<Vec<f64>>,
    starts: Vec<Vec<f64>>,
    sides: Vec<Vec<f64>>,
    /// All of (N), with the columns of T and of the group scaled to unit length.
    svd: Svd<f64>,
    scales: Vec<f64>,
}

impl<'a> Newton<'a> {
    pub(super) fn new(
        dynamics: &'a Dynamics,
        action: &'a Action,
        start: &[Dd],
        t: f64,
        with_energy: bool,
    ) -> Result<Newton<'a>, NoNearby> {
        let y: Vec<f64> = start.iter().map(|x| x.to_f64()).collect();
        let first = dynamics.reader::<f64>().symbols(&y);
        let begin = Point { y, t, element: Vec::new() };
        let mut newton = Newton { dynamics, action, first, begin, energy: None };
        if with_energy && dynamics.compiled.program.works.is_empty() {
            newton.energy = Some(newton.energy_at(start));
        }
        let failed = NoNearby::NoConvergence { left: f64::NAN };
        let Some(end) = newton.flown(start, Dd::from(t)) else { return Err(failed) };
        let here = dynamics.reader::<Dd>().symbols(start);
        let enough = FITTED * length(&here).max(1.0);
        let Some((_, notes)) = fit(action, &here, &dynamics.reader::<Dd>().symbols(&end), enough) else {
            return Err(failed);
        };
        newton.begin.element = notes.iter().map(|xi| xi.iter().map(|x| x.to_f64()).collect()).collect();
        Ok(newton)
    }

    pub(super) fn keeps_energy(&self) -> bool {
        self.energy.is_some()
    }

    /// The state after a time.
    fn flown<S: Scalar>(&self, y: &[S], t: S) -> Option<Vec<S>> {
        let mut stepper = self.dynamics.stepper(y);
        while stepper.time() < t {
            stepper.step(t).ok()?;
        }
        Some(stepper.state().to_vec())
    }

    fn energy_at<S: Scalar>(&self, y: &[S]) -> S {
        let tape = self.dynamics.tapes().report;
        let mut numbers = vec![S::default(); tape.outputs.len()];
        Interpreter::<S>::new(tape).call(&[&[S::default()], y].concat(), &mut numbers);
        numbers[self.dynamics.compiled.program.layout.energy]
    }

    /// What the energy misses, and by how much the constraints would move the state.
    fn sides<S: Scalar>(&self, y: &[S]) -> Vec<S> {
        let missed = self.energy.map_or(S::default(), |e| self.energy_at(y) - S::constant(e));
        std::iter::once(missed).chain(self.dynamics.violation(y)).collect()
    }

    fn on_orbit<S: Scalar>(&self, element: &[Vec<S>], s: Vec<S>) -> Vec<S> {
        element.iter().fold(s, |s, xi| flow(&self.action.combination(xi), &s))
    }

    /// What is left of (N).
    fn left<S: Scalar>(&self, p: &Point<S>) -> Option<Vec<S>> {
        if p.element.last().is_some_and(|xi| self.action.turns_too_far(xi)) {
            return None;
        }
        let mut reader = self.dynamics.reader();
        let end = reader.symbols(&self.flown(&p.y, p.t)?);
        let w = self.on_orbit(&p.element, reader.symbols(&p.y));
        let mut out = self.action.difference(&end, &w);
        out.extend(self.sides(&p.y));
        out.iter().all(|x| x.is_finite()).then_some(out)
    }

    fn slopes<S: Scalar>(&self, p: &Point<S>) -> Option<Slopes> {
        let mut reader = self.dynamics.reader::<S>();
        let doubles: Vec<f64> = p.y.iter().map(|x| x.to_f64()).collect();
        let part = if S::EPSILON > 1e-20 { DIFFERENCE } else { DIFFERENCE_EXTENDED };
        let size = length(&doubles).max(1.0);
        let directions = self.dynamics.directions(&doubles);
        let (mut ends, mut starts, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        for v in &directions {
            let h = S::from_f64(part * size / length(v));
            let beside = |h: S| -> Vec<S> { p.y.iter().zip(v).map(|(y, v)| *y + h * S::from_f64(*v)).collect() };
            let (a, b) = (beside(h), beside(-h));
            let slope = |p: &[S], q: &[S]| -> Vec<f64> {
                p.iter().zip(q).map(|(p, q)| ((*p - *q) / (h + h)).to_f64()).collect()
            };
            let (over, under) = (self.flown(&a, p.t)?, self.flown(&b, p.t)?);
            ends.push(slope(&reader.symbols(&over), &reader.symbols(&under)));
            // the homogeneous component is the same, so that the flow acts by its linear part
            let (over, under) = (reader.symbols(&a), reader.symbols(&b));
            starts.push(slope(&self.on_orbit(&p.element, over), &self.on_orbit(&p.element, under)));
            sides.push(slope(&self.sides(&a), &self.sides(&b)));
        }
        let m = self.action.len;
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for ((end, start), side) in ends.iter().zip(&starts).zip(&sides) {
            columns.push((0..m).map(|i| end[i] - start[i]).chain(side.iter().copied()).collect());
        }
        let none = vec![0.0; sides.first().map_or(0, Vec::len)];
        let rate = reader.symbol_rates(&self.flown(&p.y, p.t)?);
        columns.push(rate[..m].iter().map(|x| x.to_f64()).chain(none.iter().copied()).collect());
        let w = self.on_orbit(&p.element, reader.symbols(&p.y));
        let tangents = self.action.tangents(&w);
        columns.extend(tangents.iter().map(|t| t.iter().map(|x| -x.to_f64()).chain(none.iter().copied()).collect()));
        let mut scales = vec![1.0; columns.len()];
        for (c, scale) in columns.iter_mut().zip(&mut scales).skip(directions.len()) {
            let long = length(c);
            if long > 0.0 {
                *scale = 1.0 / long;
                c.iter_mut().for_each(|x| *x /= long);
            }
        }
        if columns.iter().flatten().any(|x| !x.is_finite()) {
            return None;
        }
        let svd = Dense::from_fn(columns[0].len(), columns.len(), |i, j| columns[j][i]).svd();
        Some(Slopes { directions, ends, starts, sides, svd, scales })
    }

    /// The point after a step; `damping` in units of the largest singular value.
    fn stepped<S: Scalar>(&self, p: &Point<S>, l: &Slopes, left: &[S], rank: f64, damping: f64) -> Point<S> {
        let wanted: Vec<f64> = left.iter().map(|x| -x.to_f64()).collect();
        let lambda = damping * l.svd.values[0];
        let change = l.svd.solve(&wanted, l.svd.rank(rank), lambda * lambda);
        let change: Vec<S> = change.iter().zip(&l.scales).map(|(x, scale)| S::from_f64(x * scale)).collect();
        let (start, rest) = change.split_at(l.directions.len());
        let mut y = p.y.clone();
        for (x, v) in start.iter().zip(&l.directions) {
            y.iter_mut().zip(v).for_each(|(y, v)| *y = *y + *x * S::from_f64(*v));
        }
        for unit in self.dynamics.compiled.program.positions.units() {
            let size = y[unit.clone()].iter().fold(S::default(), |sum, x| sum + *x * *x).sqrt();
            y[unit].iter_mut().for_each(|x| *x = *x / size);
        }
        let mut element = p.element.clone();
        element.push(rest[1..].to_vec());
        Point { y, t: p.t + rest[0], element }
    }

    /// Solves (N) as well as doubles can, and says in how many steps.
    pub(super) fn approach(&self) -> Result<(Point<f64>, usize), NoNearby> {
        let size = length(&self.first).max(1.0);
        let mut point = self.begin.clone();
        let failed = |left: f64| NoNearby::NoConvergence { left };
        let mut left = self.left(&point).ok_or(failed(f64::NAN))?;
        let mut damping = DAMPING;
        for step in 0..STEPS {
            let now = length(&left);
            if now < ROUNDING * size {
                return Ok((point, step));
            }
            let l = self.slopes(&point).ok_or(failed(now))?;
            let mut better = None;
            while damping <= MOST_DAMPING {
                let there = self.stepped(&point, &l, &left, RANK, damping);
                // another period than the one asked for is another motion
                let near = there.t > 0.5 * self.begin.t && there.t < 1.5 * self.begin.t;
                let after = self.left(&there).filter(|after| near && length(after) < now);
                if let Some(after) = after {
                    better = Some((there, after));
                    break;
                }
                damping *= 10.0;
            }
            match better {
                Some(found) => (point, left) = found,
                None if now < HOLDS * size => return Ok((point, step)),
                None => return Err(failed(now)),
            }
            damping = (damping * 0.03).max(LEAST_DAMPING);
        }
        let now = length(&left);
        if now < HOLDS * size { Ok((point, STEPS)) } else { Err(failed(now)) }
    }

    /// Solves (N) in double-doubles.
    pub(super) fn end(&self, from: Point<f64>) -> Result<Point<Dd>, NoNearby> {
        let size = length(&self.first).max(1.0);
        let all = |v: &[f64]| -> Vec<Dd> { v.iter().map(|x| Dd::from(*x)).collect() };
        let mut point = Point { y: all(&from.y), t: Dd::from(from.t), element: Vec::new() };
        point.element = from.element.iter().map(|xi| all(xi)).collect();
        for unit in self.dynamics.compiled.program.positions.units() {
            let long = point.y[unit.clone()].iter().fold(Dd::ZERO, |sum, x| sum + *x * *x).sqrt();
            point.y[unit].iter_mut().for_each(|x| *x = *x / long);
        }
        let failed = |left: f64| NoNearby::NoConvergence { left };
        let mut left = self.left(&point).ok_or(failed(f64::NAN))?;
        for rank in RANKS_EXTENDED {
            let l = self.slopes(&point).ok_or(failed(length(&left)))?;
            for _ in 0..EXTENDED_STEPS {
                let now = length(&left);
                if now < HOLDS_EXTENDED * size {
                    return Ok(point);
                }
                let there = self.stepped(&point, &l, &left, rank, 0.0);
                let Some(after) = self.left(&there).filter(|after| length(after) < now) else { break };
                let slow = length(&after) > SLOW * now;
                (point, left) = (there, after);
                if slow {
                    break;
                }
            }
            if length(&left) < ENOUGH * size {
                return Ok(point);
            }
        }
        Err(failed(length(&left)))
    }

    /// How far a start is from the first one.
    pub(super) fn moved(&self, p: &Point<Dd>) -> f64 {
        let s = self.dynamics.reader().symbols(&p.y);
        let s: Vec<f64> = s.iter().map(|x| x.to_f64()).collect();
        length(&self.action.difference(&s, &self.first))
    }

    /// Eigenvalues of g⁻¹ ∂Φ in the directions of the start that constraints allow.
    pub(super) fn multipliers(&self, p: &Point<Dd>) -> Option<Vec<(f64, f64)>> {
        let l = self.slopes(p)?;
        let n = l.directions.len();
        // ∂Φ = g ∂s M, solved for M column by column
        let columns: Vec<Vec<f64>> = l.ends.iter().map(|e| least_squares(&l.starts, e, 1e-12)).collect();
        let matrix = Dense::from_fn(n, n, |i, j| columns[j][i]);
        // the first side condition is the energy, which gives a multiplier of its own
        let sides = Dense::from_fn(l.sides[0].len() - 1, n, |i, j| l.sides[j][i + 1]).svd();
        let count = sides.values.iter().filter(|s| **s > HELD).count();
        let allowed = sides.null_space(count);
        let within = allowed.transpose().mul(&matrix.mul(&allowed));
        let rows: Vec<Vec<f64>> =
            (0..within.rows).map(|i| (0..within.cols).map(|j| within[(i, j)]).collect()).collect();
        eigenvalues(&rows)
    }
}
