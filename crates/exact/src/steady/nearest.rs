//! The steady motion of a family that is nearest to the initial state.
//!
//! Distances are those of positions and velocities as numbers, |s(y) − s⁰|. With K the kernel of J, the tangent of all solutions of (S1) (the group's orbits among them), the
//! nearest solution is where
//!
//! ```text
//! p = S K a = 0,        a = argmin |s + S K a − s⁰|,       S = ∂s/∂y.                                (S4)
//! ```
//!
//! Steps go along K a, with a length from the last two p \[BarzilaiBorwein1988\], and back to (S1) by Newton's method.

use super::algebra::Dense;
use super::motion::SteadyMotion;
use super::problem::{At, Problem};
use crate::budget::NEAREST_STARTS;
use polhode_base::random::Random;
use polhode_tape::{Dd, Interpreter, Scalar};

/// Steps in one kind of numbers.
const STEPS: usize = 60;

/// |p| below this many roundings is zero.
const SETTLED: f64 = 64.0;

/// Distances are doubles, and their rounding hides the last steps: by this factor they may grow.
const ROUNDED: f64 = 1.0 + 1e-12;

/// Lengths of steps.
const LENGTHS: (f64, f64) = (0.05, 8.0);

impl Problem {
    /// |s − s⁰|.
    pub(super) fn distance<S: Scalar>(&self, at: &At<S>) -> f64 {
        let start = self.parts.symbols.clone().zip(&self.first);
        start.map(|(k, s)| (at.value(k).to_dd() - *s).to_f64().powi(2)).sum::<f64>().sqrt()
    }

    /// The motion of the same family, with the same values, that is nearest to the initial state; the same one where no nearer one is a motion.
    pub(super) fn nearest_of(&self, motion: SteadyMotion, values: &[Dd]) -> SteadyMotion {
        let coarse = |x: &[Dd]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let mut tape = Interpreter::<f64>::new(&self.system);
        let (y, xi) = self.nearest(&mut tape, coarse(&motion.state), coarse(&motion.velocity), &coarse(values));
        let fine = |x: &[f64]| x.iter().map(|x| Dd::from(*x)).collect::<Vec<Dd>>();
        let mut tape = Interpreter::<Dd>::new(&self.system);
        let Some((y, xi)) = self.newton(&mut tape, &fine(&y), Some(&fine(&xi)), values) else { return motion };
        let (y, xi) = self.at_rest(&mut tape, &y, values).unwrap_or((y, xi));
        let (y, xi) = self.nearest(&mut tape, y, xi, values);
        match self.completed(&y, &xi, values) {
            Some(near) if near.distance <= motion.distance * ROUNDED => near,
            _ => motion,
        }
    }

    /// The motion of all families with these values that is nearest to the initial state, as far as starts around it lead there.
    pub(super) fn nearest_family(&self, values: &[Dd], random: &mut Random) -> Option<SteadyMotion> {
        let wanted: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
        let start: Vec<f64> = self.start.iter().map(|x| x.to_f64()).collect();
        let speed = start[self.placed..].iter().fold(1.0f64, |m, x| m.max(x.abs()));
        let mut tape = Interpreter::<f64>::new(&self.system);
        let mut found: Vec<(f64, Vec<f64>, Vec<f64>)> = Vec::new();
        for k in 0..NEAREST_STARTS {
            // further and further away
            let far = f64::from(k) / f64::from(NEAREST_STARTS);
            let shaken = start.iter().enumerate().map(|(c, x)| {
                let size = if c < self.placed { 1.0 } else { speed };
                x + far * size * random.short(-1.0, 1.0)
            });
            let begin = self.admitted(&mut tape, shaken.collect(), &wanted);
            let Some((y, xi)) = self.newton(&mut tape, &begin, None, &wanted) else { continue };
            let at = self.at(&mut tape, &y);
            let (y, xi) = self.nearest(&mut tape, self.unwound(&at, &y), xi, &wanted);
            let at = self.at(&mut tape, &y);
            found.push((self.distance(&at), y, xi));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let motions = found.iter().filter_map(|(_, y, xi)| self.completed(y, xi, values));
        motions.map(|m| self.nearest_of(m, values)).next()
    }

    /// K. At rest (S1) is quadratic in velocities and ξ together, so that its kernel has directions along which there is no motion: there it is that of rest alone.
    fn tangent<S: Scalar>(&self, at: &At<S>, y: &[S], xi: &[S]) -> Dense<S> {
        let all = self.jacobian(at, y, xi, 1.0);
        let rests = y[self.placed..].iter().chain(xi).all(|x| *x == S::default());
        let free = if rests { self.placed } else { all.cols };
        let svd = all.columns(&(0..free).collect::<Vec<_>>()).svd();
        let kernel = svd.null_space(svd.rank(S::EPSILON.powf(0.75)));
        Dense::from_fn(all.cols, kernel.cols, |i, j| if i < free { kernel[(i, j)] } else { S::default() })
    }

    /// From a solution of (S1) to the nearest one, as far as steps get.
    fn nearest<S: Scalar>(
        &self,
        tape: &mut Interpreter<S>,
        mut y: Vec<S>,
        mut xi: Vec<S>,
        values: &[S],
    ) -> (Vec<S>, Vec<S>) {
        let mut at = self.at(tape, &y);
        let mut distance = self.distance(&at);
        let mut last: Option<(Vec<S>, Vec<S>)> = None;
        let dot = |a: &[S], b: &[S]| a.iter().zip(b).fold(0.0, |s, (a, b)| s + a.to_f64() * b.to_f64());
        let minus = |a: &[S], b: &[S]| a.iter().zip(b).map(|(a, b)| *a - *b).collect::<Vec<S>>();
        for _ in 0..STEPS {
            let kernel = self.tangent(&at, &y, &xi);
            let slopes = Dense::from_fn(self.symbols.len(), kernel.cols, |i, j| {
                let slope = |c: usize| at.slope(self.parts.symbols.start + i, c) * kernel[(c, j)];
                (0..self.state).fold(S::default(), |s, c| s + slope(c))
            });
            let s: Vec<S> = self.parts.symbols.clone().map(|k| at.value(k)).collect();
            let wanted: Vec<S> = self.first.iter().zip(&s).map(|(a, b)| S::constant(*a) - *b).collect();
            let along = slopes.svd();
            let a = along.solve(&wanted, along.rank(S::EPSILON.sqrt()), S::default());
            let p = slopes.apply(&a);
            if dot(&p, &p).sqrt() <= SETTLED * S::EPSILON * (1.0 + distance) {
                break;
            }
            let length = last.as_ref().map_or(1.0, |(s0, p0)| {
                let (ds, dp) = (minus(&s, s0), minus(&p, p0));
                -dot(&ds, &dp) / dot(&dp, &dp)
            });
            let mut length = if length.is_finite() { length.clamp(LENGTHS.0, LENGTHS.1) } else { 1.0 };
            let direction = kernel.apply(&a);
            let moved = loop {
                let step =
                    |x: &[S], d: &[S]| x.iter().zip(d).map(|(x, d)| *x + S::from_f64(length) * *d).collect::<Vec<S>>();
                let (y, xi) = (step(&y, &direction), step(&xi, &direction[self.state..]));
                let back = self.newton(tape, &y, Some(&xi), values);
                let back =
                    back.map(|(y, xi)| (self.at(tape, &y), y, xi)).map(|(at, y, xi)| (self.distance(&at), at, y, xi));
                let allowed = distance * ROUNDED;
                match back.filter(|(d, ..)| *d <= allowed) {
                    Some(back) => break Some(back),
                    None if length < 1e-6 => break None,
                    None => length *= 0.25,
                }
            };
            let Some(moved) = moved else { break };
            last = Some((s, p));
            (distance, at, y, xi) = moved;
        }
        (y, xi)
    }
}
