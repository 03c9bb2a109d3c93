//! Gauss–Legendre collocation: symplectic, symmetric, of order 2s with s stages
//! [HairerLubichWanner2006, ch. II].
//!
//! ```text
//! Kᵢ = f(t + cᵢh, y + Zᵢ),   Zᵢ = h Σⱼ aᵢⱼ Kⱼ,   y⁺ = y + h Σⱼ bⱼ Kⱼ
//! P_s(2c − 1) = 0,   aᵢⱼ = ∫₀^cᵢ ℓⱼ,   bⱼ = ∫₀¹ ℓⱼ,   y(t + θh) = y + h Σⱼ Kⱼ ∫₀^θ ℓⱼ
//! ```
//!
//! The step is fixed, since that is what makes energy errors stay bounded. To keep them bounded
//! in finite digits too \[HairerMcLachlanRazakarivony2008\]: the stages are iterated until their
//! changes stop shrinking rather than to a tolerance (component by component, as in
//! \[AntonanaMakazagaMurua2017\]), coefficients carry twice the digits, and sums are compensated.
//!
//! The stages begin at the extrapolated polynomial of the last step. They are found by repeated
//! substitution; if that does not converge, by simplified Newton steps
//! (I − h A ⊗ J) ΔZ = h A K − Z with a Jacobian J of differences, made anew when they slow down.

use crate::compensation::{self, Clock};
use crate::field::VectorField;
use crate::segment::{Basis, Segment, evaluate, fraction, sketch};
use crate::stepper::{SKETCHED, Statistics, StepError, Stepper, Unit};
use polhode_tape::Dd;
use polhode_tape::dense::Lu;

/// The largest number of stages.
pub const MAX_STAGES: usize = 8;

/// Substitutions before Newton's method is tried.
const SUBSTITUTIONS: usize = 100;
/// Newton steps before giving up.
const NEWTON_STEPS: usize = 40;

/// A number as the sum of two doubles.
#[derive(Clone, Copy, Debug)]
struct Pair {
    hi: f64,
    lo: f64,
}

impl From<Dd> for Pair {
    fn from(x: Dd) -> Pair {
        Pair { hi: x.hi(), lo: x.lo() }
    }
}

/// The coefficients of the method with s stages.
#[derive(Clone, Debug)]
struct Method {
    s: usize,
    c: Vec<f64>,
    a: Vec<Pair>,
    b: Vec<Pair>,
    /// Row j: the coefficients of ℓⱼ, by rising powers.
    lagrange: Vec<f64>,
    /// A⁻¹, which takes Z back to h K.
    inverse: Vec<f64>,
}

impl Method {
    fn new(s: usize) -> Method {
        let c = nodes(s);
        let lagrange: Vec<Dd> = (0..s).flat_map(|j| lagrange(&c, j)).collect();
        // ∫₀^θ ℓⱼ
        let integral = |j: usize, theta: Dd| {
            (0..s).rev().fold(Dd::ZERO, |sum, m| sum * theta + lagrange[j * s + m] / Dd::from((m + 1) as f64)) * theta
        };
        let a: Vec<Dd> = (0..s * s).map(|ij| integral(ij % s, c[ij / s])).collect();
        let mut lu = Lu::new(s);
        lu.matrix().iter_mut().zip(&a).for_each(|(x, a)| *x = a.hi());
        assert!(lu.factor(), "the matrix of a Gauss method is regular");
        let mut inverse = vec![0.0; s * s];
        for j in 0..s {
            let mut column: Vec<f64> = (0..s).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            lu.solve(&mut column);
            (0..s).for_each(|i| inverse[i * s + j] = column[i]);
        }
        Method {
            s,
            b: (0..s).map(|j| integral(j, Dd::ONE).into()).collect(),
            a: a.into_iter().map(Pair::from).collect(),
            c: c.iter().map(|c| c.hi()).collect(),
            lagrange: lagrange.iter().map(|x| x.hi()).collect(),
            inverse,
        }
    }
}

/// The zeros of P_s(2c − 1) by Newton's method, in rising order.
fn nodes(s: usize) -> Vec<Dd> {
    let number = |k: usize| Dd::from(k as f64);
    (0..s)
        .rev()
        .map(|i| {
            let guess = (std::f64::consts::PI * (i as f64 + 0.75) / (s as f64 + 0.5)).cos();
            let mut x = Dd::from(guess);
            for _ in 0..8 {
                // (k+1) P_{k+1} = (2k+1) x P_k − k P_{k−1};   (x²−1) P′ = s (x P − P_{s−1})
                let (mut p, mut q) = (Dd::ONE, Dd::ZERO);
                for k in 0..s {
                    (p, q) = ((number(2 * k + 1) * x * p - number(k) * q) / number(k + 1), p);
                }
                x = x - p * (x * x - Dd::ONE) / (number(s) * (x * p - q));
            }
            (Dd::ONE + x) * Dd::from(0.5)
        })
        .collect()
}

/// The coefficients of Π_{m≠j} (θ − c_m)/(c_j − c_m).
fn lagrange(c: &[Dd], j: usize) -> Vec<Dd> {
    let mut p = vec![Dd::ZERO; c.len()];
    p[0] = Dd::ONE;
    for (m, root) in c.iter().enumerate().filter(|(m, _)| *m != j) {
        let scale = Dd::ONE / (c[j] - c[m]);
        for k in (0..c.len()).rev() {
            let below = if k > 0 { p[k - 1] } else { Dd::ZERO };
            p[k] = (below - *root * p[k]) * scale;
        }
    }
    p
}

/// The step nearest to h, and not longer, of which a whole number makes up `length`.
pub fn fitting_step(h: f64, length: f64) -> f64 {
    let count = (length / h).abs();
    // a quotient that is whole up to rounding is meant to be
    length.abs() / (count - 1e-9 * count).ceil().max(1.0)
}

/// The integrator, at some time of a motion.
///
/// Every step has the same length, save the one that reaches `end`, which is cut short; with
/// [`fitting_step`] it is not.
#[derive(Clone, Debug)]
pub struct Gauss<F> {
    field: F,
    n: usize,
    method: Method,
    units: Vec<Unit>,
    step: f64,
    clock: Clock,
    y: Vec<f64>,
    rest: Vec<f64>,
    k: Vec<f64>, // stage by stage
    z: Vec<f64>,
    argument: Vec<f64>,
    change: Vec<f64>,   // of each component in this iteration
    smallest: Vec<f64>, // the smallest of them in any iteration of this step
    known: Option<f64>, // the step whose stages `k` holds, to be extrapolated
    substitution: bool, // does it converge, as far as is known?
    lu: Lu<f64>,        // I − h A ⊗ J
    jacobian: Vec<f64>, // J, row by row
    rates: Vec<f64>,    // f on both sides of the state
    residual: Vec<f64>, // h A K − Z
    before: Clock,      // when the last step began
    start: Vec<f64>,    // and where
    h: f64,             // its length, 0 if there is none
    dense: bool,        // are its coefficients made?
    coefficients: Vec<f64>,
    statistics: Statistics,
}

/// How an iteration ended.
enum Iteration {
    Converged,
    Failed,
    NotFinite,
}

impl<F: VectorField<f64>> Gauss<F> {
    /// Begins at (t, y) with s = `stages` and steps of length h. The `units` are parts of the
    /// state that are made unit after each step.
    ///
    /// Panics if the field has another dimension or none, a unit does not lie within the state, h is
    /// not a positive number or the number of stages is not among 1 … [`MAX_STAGES`].
    pub fn new(field: F, t: f64, y: Vec<f64>, stages: usize, h: f64, units: Vec<Unit>) -> Gauss<F> {
        let (n, s) = (field.dimension(), stages);
        assert_eq!(n, y.len(), "the state has the dimension of the field");
        assert!(n > 0, "there is a state");
        assert!(units.iter().all(|u| u.end <= n), "units lie within the state");
        assert!(h.is_finite() && h > 0.0, "the step has a length");
        assert!((1..=MAX_STAGES).contains(&s), "1 to {MAX_STAGES} stages");
        Gauss {
            field,
            n,
            method: Method::new(s),
            units,
            step: h,
            clock: Clock::new(t),
            rest: vec![0.0; n],
            k: vec![0.0; s * n],
            z: vec![0.0; s * n],
            argument: vec![0.0; n],
            change: vec![0.0; n],
            smallest: vec![0.0; n],
            known: None,
            substitution: true,
            lu: Lu::new(s * n),
            jacobian: vec![0.0; n * n],
            rates: vec![0.0; 2 * n],
            residual: vec![0.0; s * n],
            before: Clock::new(t),
            start: y.clone(),
            h: 0.0,
            dense: false,
            coefficients: vec![0.0; (s + 1) * n],
            statistics: Statistics::default(),
            y,
        }
    }

    /// What is integrated.
    pub fn field(&self) -> &F {
        &self.field
    }

    /// Kᵢ := f at all stages; false if a value is not finite.
    fn evaluate(&mut self, h: f64) -> bool {
        let n = self.n;
        for ((c, z), k) in self.method.c.iter().zip(self.z.chunks_exact(n)).zip(self.k.chunks_exact_mut(n)) {
            for (((argument, y), rest), z) in self.argument.iter_mut().zip(&self.y).zip(&self.rest).zip(z) {
                *argument = y + (rest + z);
            }
            self.field.rates(self.clock.after(c * h), &self.argument, k);
        }
        self.statistics.evaluations += self.method.s as u64;
        self.k.iter().all(|k| k.is_finite())
    }

    /// K and Z from the polynomial of the last step, or from the slope at the start.
    fn predict(&mut self, h: f64) -> bool {
        let (s, n) = (self.method.s, self.n);
        match self.known {
            Some(last) => {
                // the residual is not in use yet and holds the old K
                self.residual.copy_from_slice(&self.k);
                for i in 0..s {
                    let theta = 1.0 + self.method.c[i] * h / last;
                    self.k[i * n..][..n].fill(0.0);
                    for j in 0..s {
                        let weight = self.method.lagrange[j * s..][..s].iter().rev().fold(0.0, |l, c| l * theta + c);
                        for d in 0..n {
                            self.k[i * n + d] += weight * self.residual[j * n + d];
                        }
                    }
                }
            }
            None => {
                self.argument.copy_from_slice(&self.y);
                self.field.rates(self.clock.time(), &self.argument, &mut self.k[..n]);
                self.statistics.evaluations += 1;
                if !self.k[..n].iter().all(|k| k.is_finite()) {
                    return false;
                }
                for i in 1..s {
                    self.k.copy_within(..n, i * n);
                }
            }
        }
        for (a, z) in self.method.a.chunks_exact(s).zip(self.z.chunks_exact_mut(n)) {
            weighted(a, &self.k, h, z);
        }
        true
    }

    /// Moves Z, by substitution or by `newton` steps, until in two iterations running no
    /// component's change is smaller than it was before, and changes are `small` beside the state.
    fn iterate(&mut self, h: f64, most: usize, small: f64, newton: bool) -> Iteration {
        let (s, n) = (self.method.s, self.n);
        self.smallest.fill(f64::INFINITY);
        let (mut still, mut growing, mut last, mut stale) = (0, 0, f64::INFINITY, true);
        for _ in 0..most {
            if !self.evaluate(h) {
                return Iteration::NotFinite;
            }
            for (a, r) in self.method.a.chunks_exact(s).zip(self.residual.chunks_exact_mut(n)) {
                weighted(a, &self.k, h, r);
            }
            for (r, z) in self.residual.iter_mut().zip(&self.z) {
                *r -= z;
            }
            if newton {
                if stale && !self.factor(h) {
                    return Iteration::Failed;
                }
                self.lu.solve(&mut self.residual);
            }
            self.change.fill(0.0);
            // a sum notices numbers that are not finite, which comparisons pass over
            let (mut size, mut sum) = (self.y.iter().fold(0.0f64, |size, y| size.max(y.abs())), 0.0);
            for (r, z) in self.residual.chunks_exact(n).zip(self.z.chunks_exact_mut(n)) {
                for ((r, z), change) in r.iter().zip(z).zip(&mut self.change) {
                    *z += r;
                    sum += *z;
                    *change = if r.abs() > *change { r.abs() } else { *change };
                    size = if z.abs() > size { z.abs() } else { size };
                }
            }
            if !f64::is_finite(sum) {
                return Iteration::NotFinite;
            }
            let largest = self.change.iter().fold(0.0f64, |l, c| l.max(*c));
            if largest == 0.0 {
                return Iteration::Converged;
            }
            let mut shrinks = false;
            for (change, smallest) in self.change.iter().zip(&mut self.smallest) {
                shrinks |= *change > 0.0 && change < smallest;
                *smallest = smallest.min(*change);
            }
            still = if shrinks { 0 } else { still + 1 };
            if largest <= small * size {
                if still >= 2 {
                    return Iteration::Converged;
                }
                stale = false;
            } else {
                stale = largest > 0.25 * last;
                growing = if largest < last { 0 } else { growing + 1 };
                if growing >= 3 {
                    return Iteration::Failed;
                }
            }
            last = largest;
        }
        Iteration::Failed
    }

    /// The factors of I − h A ⊗ J, with J amid the stages by central differences.
    fn factor(&mut self, h: f64) -> bool {
        let (s, n) = (self.method.s, self.n);
        let t = self.clock.after(0.5 * h);
        for d in 0..n {
            self.argument[d] = self.y[d] + (0..s).map(|i| self.method.b[i].hi * self.z[i * n + d]).sum::<f64>();
        }
        let size = self.argument.iter().fold(0.0f64, |l, y| l.max(y.abs()));
        for d in 0..n {
            let middle = self.argument[d];
            // the cube root of the resolution balances rounding and truncation
            let e = 6e-6 * if size > 0.0 { middle.abs().max(1e-3 * size) } else { 1.0 };
            let (up, down) = (middle + e, middle - e);
            let (high, low) = self.rates.split_at_mut(n);
            self.argument[d] = up;
            self.field.rates(t, &self.argument, high);
            self.argument[d] = down;
            self.field.rates(t, &self.argument, low);
            self.argument[d] = middle;
            for i in 0..n {
                self.jacobian[i * n + d] = (high[i] - low[i]) / (up - down);
            }
        }
        self.statistics.evaluations += 2 * n as u64;
        let matrix = self.lu.matrix();
        for (row, i, p) in (0..s * n).map(|row| (row, row / n, row % n)) {
            for (column, j, q) in (0..s * n).map(|column| (column, column / n, column % n)) {
                let unit = if row == column { 1.0 } else { 0.0 };
                matrix[row * s * n + column] = unit - h * self.method.a[i * s + j].hi * self.jacobian[p * n + q];
            }
        }
        self.lu.factor()
    }

    /// Solves for the stages.
    fn solve(&mut self, h: f64) -> Result<(), StepError> {
        let t = self.clock.time();
        if !self.predict(h) {
            return Err(StepError::NotFinite { t });
        }
        if self.substitution {
            if let Iteration::Converged = self.iterate(h, SUBSTITUTIONS, 1e-13, false) {
                return Ok(());
            }
            // the iterates went astray, and the stages they started from with them
            self.substitution = false;
            self.known = None;
            if !self.predict(h) {
                return Err(StepError::NotFinite { t });
            }
        }
        match self.iterate(h, NEWTON_STEPS, 1e-9, true) {
            Iteration::Converged => {}
            Iteration::Failed => return Err(StepError::NoConvergence { t }),
            Iteration::NotFinite => return Err(StepError::NotFinite { t }),
        }
        // slopes of a stiff field repeat the errors of Z enlarged; those of the polynomial do not
        let (s, n) = (self.method.s, self.n);
        for i in 0..s {
            for d in 0..n {
                let row = &self.method.inverse[i * s..][..s];
                self.k[i * n + d] = row.iter().enumerate().map(|(j, w)| w * self.z[j * n + d]).sum::<f64>() / h;
            }
        }
        Ok(())
    }

    /// The coefficients of the last step, y₀ + h Σⱼ Kⱼ ∫₀^θ ℓⱼ. What units and projections changed
    /// at its end is spread over it evenly.
    fn make_dense(&mut self) {
        let (s, n) = (self.method.s, self.n);
        if std::mem::replace(&mut self.dense, true) {
            return;
        }
        for d in 0..n {
            let c = &mut self.coefficients[d * (s + 1)..][..s + 1];
            c[0] = self.start[d];
            for m in 0..s {
                let slope: f64 = (0..s).map(|j| self.method.lagrange[j * s + m] * self.k[j * n + d]).sum();
                c[m + 1] = self.h * slope / (m + 1) as f64;
            }
            c[1] += self.y[d] - c.iter().sum::<f64>();
        }
    }

    fn span(&self) -> (f64, f64) {
        let start = self.before.time();
        (start, self.clock.time() - start)
    }
}

/// sums := h Σⱼ wⱼ Kⱼ, the small halves of the weights first.
fn weighted(weights: &[Pair], k: &[f64], h: f64, sums: &mut [f64]) {
    let n = sums.len();
    sums.fill(0.0);
    for half in [|w: &Pair| w.lo, |w: &Pair| w.hi] {
        for (w, k) in weights.iter().map(half).zip(k.chunks_exact(n)) {
            for (sum, k) in sums.iter_mut().zip(k) {
                *sum += w * k;
            }
        }
    }
    for sum in sums {
        *sum *= h;
    }
}

impl<F: VectorField<f64>> Stepper<f64> for Gauss<F> {
    fn time(&self) -> f64 {
        self.clock.time()
    }

    fn state(&self) -> &[f64] {
        &self.y
    }

    fn step(&mut self, end: f64) -> Result<(), StepError> {
        let Some((h, target)) = self.clock.fixed_step(self.step, end)? else { return Ok(()) };
        (self.h, self.dense) = (0.0, false);
        if let Err(error) = self.solve(h) {
            (self.known, self.substitution) = (None, true);
            self.statistics.rejected += 1;
            return Err(error);
        }
        self.start.copy_from_slice(&self.y);
        weighted(&self.method.b, &self.k, h, &mut self.argument);
        for d in 0..self.n {
            (self.y[d], self.rest[d]) = compensation::add(self.y[d], self.rest[d], self.argument[d]);
        }
        compensation::renormalise(&self.units, &mut self.y, &mut self.rest);
        (self.before, self.clock, self.h, self.known) = (self.clock, target, h, Some(h));
        self.statistics.steps += 1;
        Ok(())
    }

    fn interpolate(&mut self, t: f64, y: &mut [f64]) {
        if self.h == 0.0 {
            y.copy_from_slice(&self.y);
            return;
        }
        self.make_dense();
        let (start, length) = self.span();
        evaluate(Basis::Power, self.method.s + 1, &self.coefficients, fraction(start, length, t), y);
    }

    fn sketch(&mut self, times: &[f64; SKETCHED], states: &mut [f64]) {
        if self.h == 0.0 {
            states.chunks_exact_mut(SKETCHED).zip(&self.y).for_each(|(states, y)| states.fill(*y));
            return;
        }
        self.make_dense();
        let (start, length) = self.span();
        sketch(self.method.s + 1, &self.coefficients, &times.map(|t| fraction(start, length, t)), states);
    }

    fn segment(&mut self) -> Segment<f64> {
        let terms = self.method.s + 1;
        let (start, length) = if self.h == 0.0 {
            self.dense = false;
            self.coefficients.fill(0.0);
            (0..self.n).for_each(|d| self.coefficients[d * terms] = self.y[d]);
            (self.clock.time(), 0.0)
        } else {
            self.make_dense();
            self.span()
        };
        Segment { start, length, basis: Basis::Power, terms, coefficients: self.coefficients.clone() }
    }

    fn restart(&mut self, t: f64, y: &[f64], near: bool) {
        if !near {
            (self.known, self.substitution) = (None, true);
        }
        if !near || t != self.clock.time() {
            self.h = 0.0;
        }
        self.dense = false;
        self.clock.set(t);
        compensation::replace(&mut self.y, &mut self.rest, y);
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_tape::Scalar;

    /// Σ bⱼ cⱼᵏ⁻¹ = 1/k up to k = 2s, Σⱼ aᵢⱼ cⱼᵏ⁻¹ = cᵢᵏ/k up to k = s, and the condition of
    /// symplecticity bᵢaᵢⱼ + bⱼaⱼᵢ = bᵢbⱼ.
    #[test]
    fn coefficients() {
        for s in 1..=MAX_STAGES {
            let m = Method::new(s);
            let dd = |p: Pair| Dd::new(p.hi, p.lo);
            let c = nodes(s);
            let power = |x: Dd, k: usize| (0..k).fold(Dd::ONE, |p, _| p * x);
            let small = |x: Dd, what: &str| assert!(x.to_f64().abs() < 1e-28, "s = {s}: {what} off by {x:?}");
            for k in 1..=2 * s {
                let moment = (0..s).fold(Dd::ZERO, |sum, j| sum + dd(m.b[j]) * power(c[j], k - 1));
                small(moment - Dd::ONE / Dd::from(k as f64), "quadrature");
            }
            for i in 0..s {
                for k in 1..=s {
                    let moment = (0..s).fold(Dd::ZERO, |sum, j| sum + dd(m.a[i * s + j]) * power(c[j], k - 1));
                    small(moment - power(c[i], k) / Dd::from(k as f64), "collocation");
                }
                for j in 0..s {
                    let (b, a) = (|i: usize| dd(m.b[i]), |i: usize, j: usize| dd(m.a[i * s + j]));
                    small(b(i) * a(i, j) + b(j) * a(j, i) - b(i) * b(j), "symplecticity");
                    let product: f64 = (0..s).map(|l| m.inverse[i * s + l] * m.a[l * s + j].hi).sum();
                    assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-13);
                }
            }
        }
        // the classical values for s = 2
        let c = nodes(2);
        assert!((c[0].hi() - (0.5 - 3f64.sqrt() / 6.0)).abs() < 1e-16);
    }

    #[test]
    fn steps_that_fit() {
        assert_eq!(fitting_step(0.1, 1.0), 0.1);
        assert_eq!(fitting_step(0.3, 1.0), 0.25);
        assert_eq!(fitting_step(2.0, -1.0), 1.0);
        assert!((fitting_step(1e-3, 100.0) - 1e-3).abs() < 1e-18);
    }
}
