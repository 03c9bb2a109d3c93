//! A part of a system that drives itself, and quadratures along it: reduced equations and their reconstruction.
//!
//! ```text
//! ż = f(t, z)            driving: integrated by Taylor series, with steps of its own               (L1)
//! ẏ = g(t, z(t), y)      quadratures, one after the other: ẏ_i contains none of y_i, y_{i+1}, …     (L2)
//! ```
//!
//! (L1) leaves a polynomial z(t) for each step. Along it (L2) is integrated at the N nodes of Gauss's rule: with values r_j of the rates
//! there,
//!
//! ```text
//! y(t_i) = y₀ + h Σ_j A_ij r_j,     a_l = (2l+1) Σ_j w_j P_l(2x_j − 1) r_j,                         (L3)
//! ẏ = Σ_l a_l P_l,     y = y₀ + h/2 Σ_l a_l (P_{l+1} − P_{l−1})/(2l+1),
//! ```
//!
//! as often as quadratures depend on each other. All nodes are evaluated side by side, and g alone is: this is what is cheaper
//! than to carry y in the series. A step over which the a_l do not die away is cut in two for (L2); the step that others see is then the part.
//!
//! Equations on a group that are no quadratures (a rotation) belong to (L1): they cost their series in any case.

use crate::segment::{Basis, Segment};
use crate::stepper::{SKETCHED, Statistics, StepError, Stepper, Tolerance, Unit};
use crate::taylor::{Taylor, add};
use polhode_tape::{Scalar, Tape, passes};

/// Cuts of a step before the quadratures count as not integrable.
const CUTS: u32 = 40;
/// The last coefficients of (L3) are at most this many tolerances.
const LAST: f64 = 10.0;
/// Steps of Newton's method for a node: from three digits to all.
const NEWTON: usize = 6;

/// Which components of a state are integrated, and which are quadratures along these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Components that drive: their rates depend on no quadrature. Ascending.
    pub driving: Vec<usize>,
    /// Quadratures, each after those it depends on.
    pub quadratures: Vec<usize>,
    /// How many of them depend on each other at most, one after the other.
    pub depth: usize,
}

impl Split {
    /// The split of a field with inputs t, y₁ … yₙ and the rates as outputs. Components that are `kept` drive in any case.
    /// `None` when there is no quadrature.
    pub fn of(field: &Tape, kept: impl Fn(usize) -> bool) -> Option<Split> {
        let n = field.outputs.len();
        let needs: Vec<Vec<usize>> = passes::dependencies(field)
            .into_iter()
            .map(|inputs| inputs.into_iter().filter_map(|i| i.checked_sub(1)).collect())
            .collect();
        // peel off what nothing that is left depends on
        let mut left: Vec<usize> = (0..n).collect();
        let mut quadratures = Vec::new();
        while let Some(at) = left.iter().rposition(|i| !kept(*i) && left.iter().all(|j| !needs[*j].contains(i))) {
            quadratures.push(left.remove(at));
        }
        quadratures.reverse();
        let mut depth = vec![0usize; n];
        for i in &quadratures {
            depth[*i] = 1 + needs[*i].iter().map(|j| depth[*j]).max().unwrap_or(0);
        }
        let depth = depth.into_iter().max().unwrap_or(0);
        (depth > 0 && !left.is_empty()).then_some(Split { driving: left, quadratures, depth })
    }

    /// The tape of (L1), with inputs t and z.
    pub fn driving(&self, field: &Tape) -> Tape {
        let inputs: Vec<usize> = std::iter::once(0).chain(self.driving.iter().map(|i| i + 1)).collect();
        passes::rewire(&passes::select(field, &self.driving), &inputs)
    }

    /// The tape of (L2), with inputs t, z and y.
    pub fn quadratures(&self, field: &Tape) -> Tape {
        let all = self.driving.iter().chain(&self.quadratures).map(|i| i + 1);
        let inputs: Vec<usize> = std::iter::once(0).chain(all).collect();
        passes::rewire(&passes::select(field, &self.quadratures), &inputs)
    }
}

/// (L2) at [`SKETCHED`] points side by side: input i of point l at `inputs[i·SKETCHED + l]`, and so for the rates.
pub type SideBySide<S> = Box<dyn FnMut(&[S], &mut [S])>;

/// Gauss's rule on [0, 1] with what (L3) needs. Matrices are kept by columns j, so that sums over j go through all rows at once.
#[derive(Clone, Debug)]
struct Rule<S> {
    nodes: Vec<S>,
    /// A_ij.
    integrals: Vec<S>,
    /// (2l+1) w_j P_l(2x_j − 1).
    projection: Vec<S>,
    /// (2k+1)/(k+1) and k/(k+1), for the recurrence of P_k.
    recurrence: Vec<(S, S)>,
}

impl<S: Scalar> Rule<S> {
    fn new(count: usize) -> Rule<S> {
        let number = |x: f64| S::from_f64(x);
        let one = number(1.0);
        let recurrence: Vec<(S, S)> = (0..=count)
            .map(|k| {
                let next = number(k as f64 + 1.0);
                (number(2.0 * k as f64 + 1.0) / next, number(k as f64) / next)
            })
            .collect();
        // P_0 … P_n at s
        let polynomials = |s: S| -> Vec<S> {
            let mut values = vec![one; count + 2];
            values[1] = s;
            for k in 1..=count {
                let (a, b) = recurrence[k];
                values[k + 1] = a * s * values[k] - b * values[k - 1];
            }
            values
        };
        let mut nodes = Vec::with_capacity(count);
        let mut projection = Vec::with_capacity(count * count);
        let mut primitives = Vec::with_capacity(count * count); // ∫₀^{x_i} P_l, node by node
        for i in 0..count {
            // Newton's method for P_N, from the usual guess
            let mut s = number(-(std::f64::consts::PI * (i as f64 + 0.75) / (count as f64 + 0.5)).cos());
            let mut slope = one;
            for _ in 0..NEWTON {
                let p = polynomials(s);
                slope = number(count as f64) * (s * p[count] - p[count - 1]) / (s * s - one);
                s = s - p[count] / slope;
            }
            nodes.push((s + one) / number(2.0));
            // on [0, 1] the weights are half of those on [−1, 1]
            let weight = one / ((one - s * s) * slope * slope);
            let p = polynomials(s);
            for l in 0..count {
                projection.push(number(2.0 * l as f64 + 1.0) * weight * p[l]);
                let before = if l == 0 { -one } else { p[l - 1] };
                primitives.push((p[l + 1] - before) / number(2.0 * (2.0 * l as f64 + 1.0)));
            }
        }
        let mut integrals = vec![S::default(); count * count];
        for j in 0..count {
            let weights = &projection[j * count..][..count];
            for i in 0..count {
                let row = &primitives[i * count..][..count];
                integrals[j * count + i] = weights.iter().zip(row).fold(S::default(), |sum, (a, b)| sum + *a * *b);
            }
        }
        Rule { nodes, integrals, projection, recurrence }
    }

    /// Σ_j column_j r_j, for one of the matrices.
    fn apply(matrix: &[S], rates: &[S], out: &mut [S]) {
        let count = rates.len();
        out.fill(S::default());
        for (column, r) in matrix.chunks_exact(count).zip(rates) {
            out.iter_mut().zip(column).for_each(|(sum, a)| *sum = *sum + *a * *r);
        }
    }
}

/// The integrator of both parts.
pub struct Lifted<S> {
    driving: Taylor<S>,
    rates: SideBySide<S>,
    split: Split,
    rule: Rule<S>,
    tolerance: Tolerance,
    t: S,
    state: Vec<S>, // of both, in the order of the field
    z: Vec<S>,
    y: Vec<S>,
    rest: Vec<S>, // what rounding took from y
    // the last step
    start: S,
    length: S,
    legendre: Vec<S>, // of y over it: N + 1 coefficients each
    shares: Vec<S>,   // 1/(2(2l+1))
    ramp: Vec<S>,     // added along it, in the order of the state, after a projection
    // room
    inputs: Vec<S>, // block by block of SKETCHED nodes
    found: Vec<S>,  // rates at the nodes, node by node within a component
    block: Vec<S>,
    column: Vec<S>, // N numbers
    one: Vec<S>,
    many: Vec<S>,
    statistics: Statistics,
}

impl<S: Scalar> Lifted<S> {
    /// Begins at (t, state), with the quadratures' rates as a function. Units that drive are made unit after each step.
    ///
    /// Panics if a unit has quadratures among its components, or if anything does not fit the field.
    pub fn new(
        field: &Tape,
        split: Split,
        rates: SideBySide<S>,
        t: S,
        state: &[S],
        tolerance: Tolerance,
        units: &[Unit],
    ) -> Lifted<S> {
        let place = |i: usize| split.driving.iter().position(|d| *d == i).expect("a unit drives");
        let units = units.iter().map(|u| place(u.start)..place(u.end - 1) + 1).collect();
        let z: Vec<S> = split.driving.iter().map(|i| state[*i]).collect();
        let y: Vec<S> = split.quadratures.iter().map(|i| state[*i]).collect();
        let driving = Taylor::new(&split.driving(field), t, &z, tolerance, units);
        // a rule of N nodes follows polynomials of nearly twice that degree
        let count = (driving.order() / 2 + 4).next_multiple_of(SKETCHED);
        let (m, n) = (z.len(), y.len());
        let zero = S::default();
        Lifted {
            rule: Rule::new(count),
            tolerance,
            t,
            state: state.to_vec(),
            rest: vec![zero; n],
            start: t,
            length: zero,
            legendre: vec![zero; n * (count + 1)],
            shares: (0..count).map(|l| S::from_f64(1.0) / S::from_f64(2.0 * (2.0 * l as f64 + 1.0))).collect(),
            ramp: vec![zero; m + n],
            inputs: vec![zero; (1 + m + n) * count],
            found: vec![zero; n * count],
            block: vec![zero; n * SKETCHED],
            column: vec![zero; count],
            one: state.to_vec(),
            many: vec![zero; state.len() * SKETCHED],
            statistics: Statistics::default(),
            driving,
            rates,
            split,
            z,
            y,
        }
    }

    /// The order of the series.
    pub fn order(&self) -> usize {
        self.driving.order()
    }

    /// z at the nodes of a step h from the time reached, and y as it is now.
    fn fill(&mut self, h: S) {
        let (p, m, n) = (self.order(), self.z.len(), self.y.len());
        let (start, jets) = self.driving.series().expect("the driving part has made a step");
        let width = (1 + m + n) * SKETCHED;
        for (nodes, inputs) in self.rule.nodes.chunks_exact(SKETCHED).zip(self.inputs.chunks_exact_mut(width)) {
            let mut offsets = [S::default(); SKETCHED];
            for (l, x) in nodes.iter().enumerate() {
                inputs[l] = self.t + *x * h;
                offsets[l] = inputs[l] - start;
            }
            for i in 0..m {
                let mut sums = [jets.coefficients(p)[i]; SKETCHED];
                for k in (0..p).rev() {
                    let c = jets.coefficients(k)[i];
                    sums.iter_mut().zip(&offsets).for_each(|(sum, x)| *sum = *sum * *x + c);
                }
                inputs[(1 + i) * SKETCHED..][..SKETCHED].copy_from_slice(&sums);
            }
            for (i, y) in self.y.iter().enumerate() {
                inputs[(1 + m + i) * SKETCHED..][..SKETCHED].fill(*y);
            }
        }
    }

    /// The rates at all nodes.
    fn evaluate(&mut self) {
        let (count, m, n) = (self.rule.nodes.len(), self.z.len(), self.y.len());
        let width = (1 + m + n) * SKETCHED;
        for (b, inputs) in self.inputs.chunks_exact(width).enumerate() {
            (self.rates)(inputs, &mut self.block);
            for i in 0..n {
                let block = &self.block[i * SKETCHED..][..SKETCHED];
                self.found[i * count + b * SKETCHED..][..SKETCHED].copy_from_slice(block);
            }
        }
        self.statistics.evaluations += 1;
    }

    /// y at the nodes from the rates there.
    fn integrate(&mut self, h: S) {
        let (count, m, n) = (self.rule.nodes.len(), self.z.len(), self.y.len());
        let width = (1 + m + n) * SKETCHED;
        for i in 0..n {
            Rule::apply(&self.rule.integrals, &self.found[i * count..][..count], &mut self.column);
            for (b, sums) in self.column.chunks_exact(SKETCHED).enumerate() {
                let inputs = &mut self.inputs[b * width + (1 + m + i) * SKETCHED..][..SKETCHED];
                let (y, rest) = (self.y[i], self.rest[i]);
                inputs.iter_mut().zip(sums).for_each(|(x, sum)| *x = y + (rest + h * *sum));
            }
        }
    }

    /// The coefficients of y over the step; do those of the rates die away?
    fn expand(&mut self, h: S) -> bool {
        let count = self.rule.nodes.len();
        let relative = self.tolerance.relative.max(S::EPSILON);
        let mut settled = true;
        for i in 0..self.y.len() {
            Rule::apply(&self.rule.projection, &self.found[i * count..][..count], &mut self.column);
            let out = &mut self.legendre[i * (count + 1)..][..count + 1];
            out.fill(S::default());
            let mut largest = 0f64;
            for (l, a) in self.column.iter_mut().enumerate() {
                *a = h * *a;
                largest = largest.max(a.to_f64().abs());
                let share = *a * self.shares[l];
                out[l + 1] = out[l + 1] + share;
                if l == 0 {
                    out[0] = out[0] + share;
                } else {
                    out[l - 1] = out[l - 1] - share;
                }
            }
            let tail = self.column[count - 2].to_f64().abs().max(self.column[count - 1].to_f64().abs());
            let size = self.y[i].to_f64().abs().max(largest);
            let allowed = self.tolerance.absolute + relative * size + S::EPSILON * largest;
            // a rate that is not finite settles nothing
            settled &= tail <= LAST * allowed;
        }
        settled
    }

    fn gather(&mut self) {
        for (i, z) in self.split.driving.iter().zip(&self.z) {
            self.state[*i] = *z;
        }
        for (i, y) in self.split.quadratures.iter().zip(&self.y) {
            self.state[*i] = *y;
        }
    }

    /// The states at several times within the last step, component i at `states[i·SKETCHED ..]`.
    fn at(&self, times: &[S; SKETCHED], states: &mut [S]) {
        let p = self.order();
        let terms = self.rule.nodes.len() + 1;
        if let Some((start, jets)) = self.driving.series() {
            let h = times.map(|t| t - start);
            for (i, place) in self.split.driving.iter().enumerate() {
                let mut sums = [jets.coefficients(p)[i]; SKETCHED];
                for k in (0..p).rev() {
                    let c = jets.coefficients(k)[i];
                    sums.iter_mut().zip(&h).for_each(|(sum, h)| *sum = *sum * *h + c);
                }
                states[place * SKETCHED..][..SKETCHED].copy_from_slice(&sums);
            }
        }
        let one = S::from_f64(1.0);
        let theta = times.map(|t| (t - self.start) / self.length);
        let s = theta.map(|x| x + x - one);
        for place in &self.split.quadratures {
            states[place * SKETCHED..][..SKETCHED].fill(S::default());
        }
        let (mut before, mut now) = ([S::default(); SKETCHED], [one; SKETCHED]);
        for k in 0..terms {
            for (i, place) in self.split.quadratures.iter().enumerate() {
                let c = self.legendre[i * terms + k];
                let sums = &mut states[place * SKETCHED..][..SKETCHED];
                sums.iter_mut().zip(&now).for_each(|(sum, p)| *sum = *sum + c * *p);
            }
            let (a, b) = self.rule.recurrence[k];
            let next: [S; SKETCHED] = std::array::from_fn(|l| a * s[l] * now[l] - b * before[l]);
            (before, now) = (now, next);
        }
        for (x, ramp) in states.chunks_exact_mut(SKETCHED).zip(&self.ramp) {
            if *ramp != S::default() {
                x.iter_mut().zip(&theta).for_each(|(x, theta)| *x = *x + *ramp * *theta);
            }
        }
    }

    /// The state at one time within the last step.
    fn at_one(&mut self, t: S, out: &mut [S]) {
        let mut many = std::mem::take(&mut self.many);
        self.at(&[t; SKETCHED], &mut many);
        out.iter_mut().zip(many.chunks_exact(SKETCHED)).for_each(|(x, states)| *x = states[0]);
        self.many = many;
    }
}

impl<S: Scalar> Stepper<S> for Lifted<S> {
    fn time(&self) -> S {
        self.t
    }

    fn state(&self) -> &[S] {
        &self.state
    }

    fn step(&mut self, end: S) -> Result<(), StepError> {
        if end - self.t == S::default() {
            return Ok(());
        }
        self.length = S::default();
        if self.driving.time() == self.t {
            self.driving.step(end)?;
        }
        let t = self.t.to_f64();
        let reached = self.driving.time();
        let mut next = reached;
        for _ in 0..CUTS {
            let h = next - self.t;
            if h.to_f64().abs() <= 8.0 * S::EPSILON * t.abs() {
                return Err(StepError::TooSmall { t });
            }
            self.fill(h);
            for _ in 1..self.split.depth {
                self.evaluate();
                self.integrate(h);
            }
            self.evaluate();
            if !self.found.iter().all(|r| r.is_finite()) {
                return Err(StepError::NotFinite { t });
            }
            if !self.expand(h) {
                self.statistics.rejected += 1;
                next = self.t + h / S::from_f64(2.0);
                continue;
            }
            let terms = self.rule.nodes.len() + 1;
            for (i, c) in self.legendre.chunks_exact_mut(terms).enumerate() {
                // P_l(1) = 1, P_l(−1) = ±1: the increment is twice the sum of the odd ones
                let odd = c.iter().skip(1).step_by(2).fold(S::default(), |sum, c| sum + *c);
                let before = self.y[i];
                (self.y[i], self.rest[i]) = add(before, self.rest[i], odd + odd);
                c[0] = c[0] + before;
            }
            if next == reached {
                self.z.copy_from_slice(self.driving.state());
            } else {
                let mut one = std::mem::take(&mut self.one);
                (self.start, self.length) = (self.t, h);
                self.ramp.fill(S::default());
                self.at_one(next, &mut one);
                self.split.driving.iter().zip(&mut self.z).for_each(|(i, z)| *z = one[*i]);
                self.one = one;
            }
            self.ramp.fill(S::default());
            (self.start, self.length, self.t) = (self.t, h, next);
            self.gather();
            self.statistics.steps += 1;
            return Ok(());
        }
        Err(StepError::TooSmall { t })
    }

    fn interpolate(&mut self, t: S, y: &mut [S]) {
        if t == self.t || self.length == S::default() {
            y.copy_from_slice(&self.state);
        } else {
            self.at_one(t, y);
        }
    }

    fn sketch(&mut self, times: &[S; SKETCHED], states: &mut [S]) {
        if self.length == S::default() {
            states.chunks_exact_mut(SKETCHED).zip(&self.state).for_each(|(states, x)| states.fill(*x));
        } else {
            self.at(times, states);
        }
    }

    fn segment(&mut self) -> Segment<S> {
        if self.length == S::default() {
            let (start, coefficients) = (self.t, self.state.clone());
            return Segment { start, length: self.length, basis: Basis::Power, terms: 1, coefficients };
        }
        // all components by Legendre's polynomials: a polynomial of degree p is known from p + 1 nodes
        let count = self.rule.nodes.len();
        let rule = if self.order() < count { self.rule.clone() } else { Rule::new(self.order() + 1) };
        let terms = rule.nodes.len().max(count) + 1;
        let mut coefficients = vec![S::default(); self.state.len() * terms];
        let mut one = std::mem::take(&mut self.one);
        for (j, x) in rule.nodes.iter().enumerate() {
            self.at_one(self.start + *x * self.length, &mut one);
            let column = &rule.projection[j * rule.nodes.len()..][..rule.nodes.len()];
            for i in &self.split.driving {
                let out = &mut coefficients[i * terms..][..column.len()];
                out.iter_mut().zip(column).for_each(|(c, w)| *c = *c + *w * one[*i]);
            }
        }
        self.one = one;
        for (own, i) in self.legendre.chunks_exact(count + 1).zip(&self.split.quadratures) {
            let out = &mut coefficients[i * terms..][..terms];
            out[..count + 1].copy_from_slice(own);
            // the ramp r θ = r/2 + r/2 P₁
            let half = self.ramp[*i] / S::from_f64(2.0);
            (out[0], out[1]) = (out[0] + half, out[1] + half);
        }
        Segment { start: self.start, length: self.length, basis: Basis::Legendre, terms, coefficients }
    }

    fn restart(&mut self, t: S, y: &[S], near: bool) {
        if near && t == self.t && self.length != S::default() {
            // a ramp over the last step leads to the new state
            for i in 0..y.len() {
                self.ramp[i] = y[i] - self.state[i];
            }
        } else {
            self.length = S::default();
        }
        for (z, i) in self.z.iter_mut().zip(&self.split.driving) {
            *z = y[*i];
        }
        // what is left of the driving step is given up: it began in another state
        let unchanged = self.driving.time() == t && self.driving.state() == &self.z[..];
        if !unchanged {
            self.driving.restart(t, &self.z, near);
        }
        for (k, i) in self.split.quadratures.iter().enumerate() {
            if self.y[k] != y[*i] {
                (self.y[k], self.rest[k]) = (y[*i], S::default());
            }
        }
        self.t = t;
        self.state.copy_from_slice(y);
    }

    fn statistics(&self) -> Statistics {
        let driving = self.driving.statistics();
        Statistics {
            steps: self.statistics.steps,
            rejected: driving.rejected + self.statistics.rejected,
            evaluations: driving.evaluations + self.statistics.evaluations,
        }
    }
}
