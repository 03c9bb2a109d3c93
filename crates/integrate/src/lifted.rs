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
//! ẏ = Σ_l a_l P_l,     y = y₀ + h/2 Σ_l a_l (P_{l+1} − P_{l−1})/(2l+1),     y(t + h) = y₀ + h a₀,
//! ```
//!
//! as often as quadratures depend on each other. This is Gauss's collocation, and y(t + h) is of order 2N although the polynomials in
//! between are of order N: few nodes are enough, and all of them are evaluated side by side. It is what makes a quadrature cheaper than a
//! component of the series. Where the state is asked for within a step, (L3) goes from the start of the step to there.
//!
//! The error of y(t + h) is about the square of the last a_l, in units of the first. A step over which it would exceed the
//! tolerance is cut in two for (L2); the step that others see is then the part.
//!
//! Equations on a group that are no quadratures (a rotation) belong to (L1): they cost their series in any case.

use crate::segment::{Basis, Segment};
use crate::stepper::{SKETCHED, Statistics, StepError, Stepper, Tolerance, Unit};
use crate::taylor::{Taylor, add};
use polhode_tape::{Scalar, Tape, passes};

/// Cuts of a step before the quadratures count as not integrable.
const CUTS: u32 = 40;
/// Steps of Newton's method for a node: from three digits to all.
const NEWTON: usize = 6;
/// Up to this order of the series eight nodes are enough.
const LOW: usize = 20;

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
    /// 1/(2(2l+1)).
    shares: Vec<S>,
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
        let shares = (0..count).map(|l| one / number(2.0 * (2.0 * l as f64 + 1.0))).collect();
        Rule { nodes, integrals, projection, recurrence, shares }
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

/// (L3) along the last step of the driving part.
#[derive(Clone, Debug)]
struct Nodes<S> {
    rule: Rule<S>,
    /// t, z, y at the nodes, block by block of [`SKETCHED`].
    inputs: Vec<S>,
    /// The rates of y, node by node within a component.
    rates: Vec<S>,
    column: Vec<S>,
    block: Vec<S>,
}

impl<S: Scalar> Nodes<S> {
    fn new(count: usize, m: usize, n: usize) -> Nodes<S> {
        let room = |size: usize| vec![S::default(); size];
        Nodes {
            rule: Rule::new(count),
            inputs: room((1 + m + n) * count),
            rates: room(n * count),
            column: room(count),
            block: room(n * SKETCHED),
        }
    }

    fn count(&self) -> usize {
        self.rule.nodes.len()
    }

    /// The rates at the nodes of a step h from t, where y is y₀ + rest.
    #[allow(clippy::too_many_arguments)] // all of them are one step
    fn follow(
        &mut self,
        driving: &Taylor<S>,
        function: &mut SideBySide<S>,
        depth: usize,
        t: S,
        h: S,
        y0: &[S],
        rest: &[S],
    ) {
        let (start, jets) = driving.series().expect("the driving part has made a step");
        let (p, m, n) = (driving.order(), driving.state().len(), y0.len());
        let width = (1 + m + n) * SKETCHED;
        for (nodes, inputs) in self.rule.nodes.chunks_exact(SKETCHED).zip(self.inputs.chunks_exact_mut(width)) {
            let mut offsets = [S::default(); SKETCHED];
            for (l, x) in nodes.iter().enumerate() {
                inputs[l] = t + *x * h;
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
            for (i, y) in y0.iter().enumerate() {
                inputs[(1 + m + i) * SKETCHED..][..SKETCHED].fill(*y);
            }
        }
        for pass in 1..=depth {
            self.evaluate(function, m, n);
            if pass < depth {
                self.integrate(h, m, y0, rest);
            }
        }
    }

    fn evaluate(&mut self, function: &mut SideBySide<S>, m: usize, n: usize) {
        let count = self.count();
        for (b, inputs) in self.inputs.chunks_exact((1 + m + n) * SKETCHED).enumerate() {
            function(inputs, &mut self.block);
            for (i, block) in self.block.chunks_exact(SKETCHED).enumerate() {
                self.rates[i * count + b * SKETCHED..][..SKETCHED].copy_from_slice(block);
            }
        }
    }

    /// y at the nodes from the rates there.
    fn integrate(&mut self, h: S, m: usize, y0: &[S], rest: &[S]) {
        let count = self.count();
        let width = (1 + m + y0.len()) * SKETCHED;
        for (i, (y, rest)) in y0.iter().zip(rest).enumerate() {
            Rule::apply(&self.rule.integrals, &self.rates[i * count..][..count], &mut self.column);
            for (b, sums) in self.column.chunks_exact(SKETCHED).enumerate() {
                let inputs = &mut self.inputs[b * width + (1 + m + i) * SKETCHED..][..SKETCHED];
                inputs.iter_mut().zip(sums).for_each(|(x, sum)| *x = *y + (*rest + h * *sum));
            }
        }
    }

    /// h a_l of component i.
    fn coefficient(&self, h: S, i: usize, l: usize) -> S {
        let count = self.count();
        let rates = &self.rates[i * count..][..count];
        h * (0..count).fold(S::default(), |sum, j| sum + self.rule.projection[j * count + l] * rates[j])
    }

    /// The coefficients of y − y₀ by Legendre's polynomials, N + 1 for each component.
    fn expand(&mut self, h: S, out: &mut [S]) {
        let count = self.count();
        for (i, out) in out.chunks_exact_mut(count + 1).enumerate() {
            Rule::apply(&self.rule.projection, &self.rates[i * count..][..count], &mut self.column);
            out.fill(S::default());
            for (l, a) in self.column.iter().enumerate() {
                let share = h * *a * self.rule.shares[l];
                out[l + 1] = out[l + 1] + share;
                // ∫ P₀ = (P₁ + 1)/2
                let below = &mut out[l.saturating_sub(1)];
                *below = if l == 0 { *below + share } else { *below - share };
            }
        }
    }
}

/// The integrator of both parts.
pub struct Lifted<S> {
    driving: Taylor<S>,
    function: SideBySide<S>,
    split: Split,
    nodes: Nodes<S>,
    /// More of them, for pieces that are kept.
    fine: Nodes<S>,
    tolerance: Tolerance,
    t: S,
    state: Vec<S>, // of both, in the order of the field
    z: Vec<S>,
    y: Vec<S>,
    rest: Vec<S>, // what rounding took from y
    // the last step
    start: S,
    length: S,
    y0: Vec<S>,
    rest0: Vec<S>,
    ramp: Vec<S>,     // added to y along it after a projection, in the order of the state
    legendre: Vec<S>, // of y − y₀ along it, once a sketch has asked for it
    expanded: bool,
    statistics: Statistics,
}

impl<S: Scalar> Lifted<S> {
    /// Begins at (t, state), with the quadratures' rates as a function. Units that drive are made unit after each step.
    ///
    /// Panics if a unit has quadratures among its components, or if anything does not fit the field.
    pub fn new(
        field: &Tape,
        split: Split,
        function: SideBySide<S>,
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
        let p = driving.order();
        let count = if p <= LOW { SKETCHED } else { (p / 2).next_multiple_of(SKETCHED) };
        let (m, n) = (z.len(), y.len());
        let zero = S::default();
        Lifted {
            nodes: Nodes::new(count, m, n),
            fine: Nodes::new((p + 1).next_multiple_of(SKETCHED), m, n),
            tolerance,
            t,
            state: state.to_vec(),
            rest: vec![zero; n],
            start: t,
            length: zero,
            y0: y.clone(),
            rest0: vec![zero; n],
            ramp: vec![zero; m + n],
            legendre: vec![zero; n * (count + 1)],
            expanded: false,
            statistics: Statistics::default(),
            driving,
            function,
            split,
            z,
            y,
        }
    }

    /// The order of the series.
    pub fn order(&self) -> usize {
        self.driving.order()
    }

    /// Do the last coefficients of (L3) say that a step is good?
    fn settled(&self, h: S) -> bool {
        let relative = self.tolerance.relative.max(S::EPSILON);
        let count = self.nodes.count();
        (0..self.y.len()).all(|i| {
            let size = |l: usize| self.nodes.coefficient(h, i, l).to_f64().abs();
            let tail = size(count - 2).max(size(count - 1));
            let scale = size(0).max(size(1)).max(tail);
            let allowed = self.tolerance.absolute + relative * self.y[i].to_f64().abs().max(scale);
            // the error is about scale·(tail/scale)²; what is not a number settles nothing
            tail * tail <= allowed * scale || tail == 0.0
        })
    }

    /// z at a time within the last step.
    fn driving_at(&self, t: S, out: &mut [S]) {
        let Some((start, jets)) = self.driving.series() else { return };
        let h = t - start;
        for (i, place) in self.split.driving.iter().enumerate() {
            let p = self.order();
            out[*place] = (0..=p).rev().fold(S::default(), |sum, k| sum * h + jets.coefficients(k)[i]);
        }
    }

    fn gather(&mut self) {
        for (i, z) in self.split.driving.iter().zip(&self.z) {
            self.state[*i] = *z;
        }
        for (i, y) in self.split.quadratures.iter().zip(&self.y) {
            self.state[*i] = *y;
        }
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
            let depth = self.split.depth;
            self.nodes.follow(&self.driving, &mut self.function, depth, self.t, h, &self.y, &self.rest);
            self.statistics.evaluations += depth as u64;
            if !self.nodes.rates.iter().all(|r| r.is_finite()) {
                return Err(StepError::NotFinite { t });
            }
            if !self.settled(h) {
                self.statistics.rejected += 1;
                next = self.t + h / S::from_f64(2.0);
                continue;
            }
            self.y0.copy_from_slice(&self.y);
            self.rest0.copy_from_slice(&self.rest);
            for i in 0..self.y.len() {
                let increment = self.nodes.coefficient(h, i, 0);
                (self.y[i], self.rest[i]) = add(self.y[i], self.rest[i], increment);
            }
            if next == reached {
                self.z.copy_from_slice(self.driving.state());
            } else {
                let mut state = std::mem::take(&mut self.state);
                self.driving_at(next, &mut state);
                self.split.driving.iter().zip(&mut self.z).for_each(|(i, z)| *z = state[*i]);
                self.state = state;
            }
            self.ramp.fill(S::default());
            self.expanded = false;
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
            return;
        }
        let h = t - self.start;
        self.driving_at(t, y);
        self.nodes.follow(&self.driving, &mut self.function, self.split.depth, self.start, h, &self.y0, &self.rest0);
        for (i, place) in self.split.quadratures.iter().enumerate() {
            y[*place] = self.y0[i] + (self.rest0[i] + self.nodes.coefficient(h, i, 0));
        }
        // the rates are no longer those of the step
        self.expanded = false;
        let theta = h / self.length;
        y.iter_mut().zip(&self.ramp).for_each(|(x, ramp)| *x = *x + *ramp * theta);
    }

    fn sketch(&mut self, times: &[S; SKETCHED], states: &mut [S]) {
        if self.length == S::default() {
            states.chunks_exact_mut(SKETCHED).zip(&self.state).for_each(|(states, x)| states.fill(*x));
            return;
        }
        if !self.expanded {
            let depth = self.split.depth;
            self.nodes.follow(&self.driving, &mut self.function, depth, self.start, self.length, &self.y0, &self.rest0);
            self.nodes.expand(self.length, &mut self.legendre);
            self.expanded = true;
        }
        let p = self.order();
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
        for (place, y0) in self.split.quadratures.iter().zip(&self.y0) {
            states[place * SKETCHED..][..SKETCHED].fill(*y0);
        }
        let terms = self.nodes.count() + 1;
        let (mut before, mut now) = ([S::default(); SKETCHED], [one; SKETCHED]);
        for k in 0..terms {
            for (i, place) in self.split.quadratures.iter().enumerate() {
                let c = self.legendre[i * terms + k];
                let sums = &mut states[place * SKETCHED..][..SKETCHED];
                sums.iter_mut().zip(&now).for_each(|(sum, p)| *sum = *sum + c * *p);
            }
            let (a, b) = self.nodes.rule.recurrence[k];
            let next: [S; SKETCHED] = std::array::from_fn(|l| a * s[l] * now[l] - b * before[l]);
            (before, now) = (now, next);
        }
        for (x, ramp) in states.chunks_exact_mut(SKETCHED).zip(&self.ramp) {
            if *ramp != S::default() {
                x.iter_mut().zip(&theta).for_each(|(x, theta)| *x = *x + *ramp * *theta);
            }
        }
    }

    fn segment(&mut self) -> Segment<S> {
        if self.length == S::default() {
            let (start, coefficients) = (self.t, self.state.clone());
            return Segment { start, length: self.length, basis: Basis::Power, terms: 1, coefficients };
        }
        let (start, h) = (self.start, self.length);
        let depth = self.split.depth;
        self.fine.follow(&self.driving, &mut self.function, depth, start, h, &self.y0, &self.rest0);
        let count = self.fine.count();
        let terms = count + 1;
        let mut quadratures = vec![S::default(); self.y.len() * terms];
        self.fine.expand(h, &mut quadratures);
        let mut coefficients = vec![S::default(); self.state.len() * terms];
        for ((own, i), y0) in quadratures.chunks_exact(terms).zip(&self.split.quadratures).zip(&self.y0) {
            let out = &mut coefficients[i * terms..][..terms];
            out.copy_from_slice(own);
            out[0] = out[0] + *y0;
        }
        // z by the same polynomials, from its values at the nodes
        let width = (1 + self.z.len() + self.y.len()) * SKETCHED;
        for (k, place) in self.split.driving.iter().enumerate() {
            let values: Vec<S> = (0..count)
                .map(|j| self.fine.inputs[(j / SKETCHED) * width + (1 + k) * SKETCHED + j % SKETCHED])
                .collect();
            Rule::apply(&self.fine.rule.projection, &values, &mut coefficients[place * terms..][..count]);
        }
        for (out, ramp) in coefficients.chunks_exact_mut(terms).zip(&self.ramp) {
            // r θ = r/2 + r/2 P₁
            let half = *ramp / S::from_f64(2.0);
            (out[0], out[1]) = (out[0] + half, out[1] + half);
        }
        Segment { start, length: h, basis: Basis::Legendre, terms, coefficients }
    }

    fn restart(&mut self, t: S, y: &[S], near: bool) {
        if near && t == self.t && self.length != S::default() {
            // a ramp over the last step leads to the new state; the driving part has its own
            for i in &self.split.quadratures {
                self.ramp[*i] = y[*i] - self.state[*i];
            }
        } else {
            self.length = S::default();
        }
        for (z, i) in self.z.iter_mut().zip(&self.split.driving) {
            *z = y[*i];
        }
        // what is left of the driving step is given up, unless it ends here and unchanged
        if self.driving.time() != t || self.driving.state() != &self.z[..] {
            self.length = if self.driving.time() == t { self.length } else { S::default() };
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
