//! Dry friction in the time of the impulse.
//!
//! Slip s ∈ ℝᵐ, its size ρ = |s|, a velocity u, all driven by an impulse j (normal impulse or friction impulse):
//!
//! ```text
//! ds/dj = α − B s/ρ,     du/dj = β − γ·s/ρ,     dy/dj = u,     d(loss)/dj = ρ.
//! ```
//!
//! With dj = ρ dτ the singularity at s = 0 goes to τ = ∞ and everything has a Taylor series:
//!
//! ```text
//! s' = αρ − B s,   u' = βρ − γ·s,   y' = uρ,   j' = ρ,   I' = s,   ρ² = s·s,
//! ```
//!
//! which is summed step by step, to the digits of S. I = ∫ ŝ dj is the impulse of friction, up to its coefficient. Slip tends to a
//! direction that it keeps, α − B ŝ = k ŝ; from then on everything is a polynomial in j, and s dies at j = ρ/(−k) if k < 0.

use polhode_tape::Scalar;
use polhode_tape::dense::{add_scaled, dot, norm, zero};

/// A slip below so many roundings of the largest one so far is none.
const DEAD: f64 = 16.0;

/// In roundings: a slip that turns less than this keeps its direction.
const STRAIGHT: f64 = 256.0;

/// A stretch without end is searched for the event in so many windows, each twice as long as all before.
const WINDOWS: usize = 200;

/// So many pieces of a step are searched for a change of sign.
const PIECES: usize = 16;

/// The coefficients of a sliding motion.
#[derive(Clone, Debug)]
pub(crate) struct Law<S> {
    pub(crate) alpha: Vec<S>,
    pub(crate) b: Vec<S>,
    pub(crate) beta: S,
    pub(crate) gamma: Vec<S>,
}

/// Where it is.
#[derive(Clone, Debug)]
pub(crate) struct State<S> {
    pub(crate) s: Vec<S>,
    pub(crate) u: S,
    pub(crate) y: S,
    pub(crate) j: S,
    /// ∫ ŝ dj.
    pub(crate) i: Vec<S>,
    /// ∫ ρ dj.
    pub(crate) loss: S,
    largest: f64,
}

/// What ended a stretch of sliding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    Dead,
    Event,
    TooLong,
}

/// The most steps of one stretch: slip takes a few dozen to find the direction that it keeps.
const STEPS: usize = 20_000;

impl<S: Scalar> State<S> {
    pub(crate) fn new(s: Vec<S>, u: S) -> Self {
        let largest = norm(&s).to_f64();
        State { i: vec![zero(); s.len()], s, u, y: zero(), j: zero(), loss: zero(), largest }
    }

    pub(crate) fn dead(&self) -> bool {
        norm(&self.s).to_f64() <= DEAD * S::EPSILON * self.largest
    }

    /// Slides until the slip dies or `event` changes from negative to positive or zero.
    pub(crate) fn slide(&mut self, law: &Law<S>, event: impl Fn(&State<S>) -> S) -> End {
        for _ in 0..STEPS {
            if self.dead() {
                return End::Dead;
            }
            if let Some(straight) = Straight::new(self, law) {
                return straight.finish(self, event);
            }
            let series = Series::new(self, law);
            let h = series.step(self);
            if let Some(root) = find(zero(), h, |tau| event(&series.at(self, tau))) {
                *self = series.at(self, root);
                return End::Event;
            }
            *self = series.at(self, h);
            self.largest = self.largest.max(norm(&self.s).to_f64());
        }
        End::TooLong
    }
}

/// Where f ceases to be negative in (a, b], seen in pieces.
fn find<S: Scalar>(a: S, b: S, f: impl Fn(S) -> S) -> Option<S> {
    let mut left = a;
    for piece in 1..=PIECES {
        let right = a + (b - a) * S::from_f64(piece as f64 / PIECES as f64);
        if f(right) >= zero() {
            return Some(first_root(left, right, f));
        }
        left = right;
    }
    None
}

/// Slip that keeps its direction.
struct Straight<S> {
    unit: Vec<S>,
    k: S,    // dρ/dj
    rate: S, // du/dj
}

impl<S: Scalar> Straight<S> {
    fn new(state: &State<S>, law: &Law<S>) -> Option<Self> {
        let m = state.s.len();
        let rho = norm(&state.s);
        let unit: Vec<S> = state.s.iter().map(|s| *s / rho).collect();
        let friction: Vec<S> = (0..m).map(|i| dot(&law.b[i * m..(i + 1) * m], &unit)).collect();
        let mut growth: Vec<S> = law.alpha.iter().zip(&friction).map(|(a, b)| *a - *b).collect();
        let size = norm(&law.alpha).to_f64() + norm(&friction).to_f64();
        let k = dot(&growth, &unit);
        add_scaled(&mut growth, -k, &unit);
        let straight = norm(&growth).to_f64() <= STRAIGHT * S::EPSILON * size;
        straight.then(|| Straight { k, rate: law.beta - dot(&law.gamma, &unit), unit })
    }

    fn at(&self, state: &State<S>, j: S) -> State<S> {
        let half = S::from_f64(0.5);
        let rho = norm(&state.s);
        let mut next = state.clone();
        next.s = self.unit.iter().map(|s| *s * (rho + self.k * j)).collect();
        next.u = state.u + self.rate * j;
        next.y = state.y + j * (state.u + half * self.rate * j);
        next.j = state.j + j;
        next.loss = state.loss + j * (rho + half * self.k * j);
        add_scaled(&mut next.i, j, &self.unit);
        next
    }

    fn finish(&self, state: &mut State<S>, event: impl Fn(&State<S>) -> S) -> End {
        let rho = norm(&state.s);
        let f = |j: S| event(&self.at(state, j));
        let found = if self.k < zero() {
            find(zero(), rho / -self.k, f)
        } else {
            let mut right = (rho + state.u.abs()) / (self.k + self.rate.abs());
            let mut left = zero();
            (0..WINDOWS).find_map(|_| {
                let found = find(left, right, f);
                (left, right) = (right, right + right);
                found
            })
        };
        match found {
            Some(j) => {
                *state = self.at(state, j);
                End::Event
            }
            None if self.k < zero() => {
                *state = self.at(state, rho / -self.k);
                state.s.fill(zero());
                End::Dead
            }
            None => End::TooLong,
        }
    }
}

/// A zero of f between a point where it is negative and one where it is not: bisection and secants by turns.
fn first_root<S: Scalar>(mut a: S, mut b: S, f: impl Fn(S) -> S) -> S {
    let (mut fa, mut fb) = (f(a), f(b));
    let half = S::from_f64(0.5);
    for step in 0..400 {
        if fb == zero() || (b - a).to_f64() <= 2.0 * S::EPSILON * b.to_f64() {
            break;
        }
        let middle = if step % 2 == 0 && fb > fa { b - fb * (b - a) / (fb - fa) } else { a + (b - a) * half };
        let middle = if middle > a && middle < b { middle } else { a + (b - a) * half };
        let fm = f(middle);
        if fm < zero() { (a, fa) = (middle, fm) } else { (b, fb) = (middle, fm) }
    }
    b
}

/// Taylor coefficients of everything at a state.
struct Series<S> {
    s: Vec<Vec<S>>,
    rho: Vec<S>,
    u: Vec<S>,
    y: Vec<S>,
    loss: Vec<S>,
}

impl<S: Scalar> Series<S> {
    fn new(state: &State<S>, law: &Law<S>) -> Self {
        // the digits grow with the order, so does the step: 20 for doubles, 36 for double-doubles
        let order = if S::EPSILON > 1e-20 { 20 } else { 36 };
        let m = state.s.len();
        let mut t = Series {
            s: vec![state.s.clone()],
            rho: vec![norm(&state.s)],
            u: vec![state.u],
            y: vec![state.y],
            loss: vec![state.loss],
        };
        for k in 0..order {
            let over = S::from_f64(1.0) / S::from_f64((k + 1) as f64);
            if k > 0 {
                let square = (0..=k).fold(zero::<S>(), |sum, i| sum + dot(&t.s[i], &t.s[k - i]));
                let known = (1..k).fold(zero::<S>(), |sum, i| sum + t.rho[i] * t.rho[k - i]);
                t.rho.push((square - known) / (t.rho[0] + t.rho[0]));
            }
            let rho = t.rho[k];
            let s: Vec<S> =
                (0..m).map(|i| (law.alpha[i] * rho - dot(&law.b[i * m..(i + 1) * m], &t.s[k])) * over).collect();
            t.u.push((law.beta * rho - dot(&law.gamma, &t.s[k])) * over);
            t.y.push((0..=k).fold(zero::<S>(), |sum, i| sum + t.u[i] * t.rho[k - i]) * over);
            t.loss.push((0..=k).fold(zero::<S>(), |sum, i| sum + t.rho[i] * t.rho[k - i]) * over);
            t.s.push(s);
        }
        t
    }

    /// Seven tenths of the step at which the last two terms of slip, ρ, u and y are roundings of what they are parts of.
    fn step(&self, state: &State<S>) -> S {
        let order = self.rho.len() - 1;
        let rho = self.rho[0].to_f64();
        let speed = state.u.to_f64().abs().max(rho);
        let mut h = f64::INFINITY;
        for k in [order - 1, order] {
            let size = (norm(&self.s[k]).to_f64() / rho).max(self.rho[k].to_f64().abs() / rho);
            let size = size.max(self.u[k].to_f64().abs() / speed).max(self.y[k].to_f64().abs() / (speed * rho));
            if size > 0.0 {
                h = h.min((S::EPSILON / size).powf(1.0 / k as f64));
            }
        }
        // a motion without curvature: the slip changes by no more than itself, or nothing changes it
        let rate = norm(&self.s[1]).to_f64() / rho;
        let most = if rate > 0.0 { 2.0 / rate } else { 1.0 + (speed / rho) };
        S::from_f64((0.7 * h).min(most))
    }

    fn at(&self, state: &State<S>, tau: S) -> State<S> {
        let sum = |c: &[S]| c.iter().rev().fold(zero::<S>(), |sum, c| sum * tau + *c);
        let m = state.s.len();
        let mut s = vec![zero(); m];
        for c in self.s.iter().rev() {
            for i in 0..m {
                s[i] = s[i] * tau + c[i];
            }
        }
        let (mut j, mut power) = (state.j, tau);
        let mut i = state.i.clone();
        for k in 0..self.rho.len() {
            let factor = power / S::from_f64((k + 1) as f64);
            j = j + self.rho[k] * factor;
            add_scaled(&mut i, factor, &self.s[k]);
            power = power * tau;
        }
        State { s, u: sum(&self.u), y: sum(&self.y), j, i, loss: sum(&self.loss), largest: state.largest }
    }
}
