//! One-step maps given by equations: discrete Lagrange–d'Alembert integrators and their like.
//!
//! ```text
//! r(t, h, x, z) = 0   for z ∈ ℝᵏ,        x⁺ = u(t, h, x, z)
//! ```
//!
//! Three tapes with the inputs t, h, x₁ … xₙ, z₁ … z_k: the residual r, its Jacobian ∂rᵢ/∂zⱼ row
//! by row, and the update u. The step h is fixed, since that is what the good behaviour of such
//! maps rests on; only the one that reaches `end` is cut short.
//!
//! The unknowns are extrapolated linearly from the last two steps and then improved by Newton
//! steps until their changes stop shrinking: what is left is rounding. The Jacobian is made anew
//! when convergence slows.
//!
//! Between the points of the map the motion is drawn as a straight line, off by O(h²) like the
//! map itself: there are no rates to do better with.

use crate::segment::{Basis, Segment, evaluate, fraction, sketch};
use crate::stepper::{SKETCHED, Statistics, StepError, Stepper, Unit};
use crate::{compensation, compensation::Clock};
use polhode_tape::dense::Lu;
use polhode_tape::{Backend, Kernel, Tape};

/// Newton steps before giving up.
const NEWTON_STEPS: usize = 60;
/// Changes this small beside the unknowns are taken for rounding when they stop shrinking.
const SMALL: f64 = 1e-9;

/// The integrator, at some time of a motion.
#[derive(Clone, Debug)]
pub struct ImplicitMap<K> {
    residual: K,
    jacobian: K,
    update: K,
    n: usize,
    k: usize,
    units: Vec<Unit>,
    step: f64,
    clock: Clock,
    x: Vec<f64>,
    rest: Vec<f64>,   // what rounding took from the units
    inputs: Vec<f64>, // t, h, x, z
    values: Vec<f64>, // of r, then the Newton step
    lu: Lu<f64>,      // ∂r/∂z
    z: Vec<f64>,      // of the last step
    older: Vec<f64>,  // of the one before
    history: usize,   // how many of them are known
    largest: f64,     // |z| so far
    before: Clock,
    start: Vec<f64>,
    length: f64, // of the last step, 0 if there is none
    coefficients: Vec<f64>,
    statistics: Statistics,
}

impl<K: Kernel> ImplicitMap<K> {
    /// Begins at (t, x) with steps of length h and `guess` for the unknowns of the first one. The
    /// `units` are parts of the state that are made unit after each step.
    ///
    /// Panics if the kernels do not have the inputs and outputs above, a unit does not lie within
    /// the state, or h is not a positive number.
    #[expect(clippy::too_many_arguments, reason = "three kernels and where to begin")]
    pub fn new(
        residual: K,
        jacobian: K,
        update: K,
        t: f64,
        x: Vec<f64>,
        guess: Vec<f64>,
        h: f64,
        units: Vec<Unit>,
    ) -> ImplicitMap<K> {
        let (n, k) = (x.len(), guess.len());
        for (kernel, outputs) in [(&residual, k), (&jacobian, k * k), (&update, n)] {
            assert_eq!(kernel.inputs(), 2 + n + k, "inputs are t, h, x and z");
            assert_eq!(kernel.outputs(), outputs, "outputs are r, its Jacobian, or the state");
        }
        assert!(units.iter().all(|u| u.end <= n), "units lie within the state");
        assert!(h.is_finite() && h > 0.0, "the step has a length");
        ImplicitMap {
            residual,
            jacobian,
            update,
            n,
            k,
            units,
            step: h,
            clock: Clock::new(t),
            rest: vec![0.0; n],
            inputs: vec![0.0; 2 + n + k],
            values: vec![0.0; k],
            lu: Lu::new(k),
            older: guess.clone(),
            z: guess,
            history: 1,
            largest: 0.0,
            before: Clock::new(t),
            start: x.clone(),
            length: 0.0,
            coefficients: vec![0.0; 2 * n],
            statistics: Statistics::default(),
            x,
        }
    }

    /// The same from tapes.
    #[expect(clippy::too_many_arguments, reason = "three tapes, where to run them and where to begin")]
    pub fn from_tapes<B: Backend<Kernel = K>>(
        backend: &B,
        residual: &Tape,
        jacobian: &Tape,
        update: &Tape,
        t: f64,
        x: Vec<f64>,
        guess: Vec<f64>,
        h: f64,
        units: Vec<Unit>,
    ) -> Result<ImplicitMap<K>, B::Error> {
        let (r, j, u) = (backend.prepare(residual)?, backend.prepare(jacobian)?, backend.prepare(update)?);
        Ok(ImplicitMap::new(r, j, u, t, x, guess, h, units))
    }

    /// The unknowns of the last step.
    pub fn unknowns(&self) -> &[f64] {
        &self.z
    }

    /// Solves r = 0 from the z in `inputs`, which the solution replaces.
    fn solve(&mut self) -> Result<(), StepError> {
        let t = self.clock.time();
        let (mut stale, mut last) = (true, f64::INFINITY);
        // unknowns may pass through zero; rounding is that of the largest numbers about
        let mut size = self.x.iter().fold(self.largest, |l, x| l.max(x.abs()));
        for _ in 0..NEWTON_STEPS {
            self.residual.evaluate(1, &self.inputs, &mut self.values);
            self.statistics.evaluations += 1;
            if !self.values.iter().all(|r| r.is_finite()) {
                return Err(StepError::NotFinite { t });
            }
            if stale {
                self.jacobian.evaluate(1, &self.inputs, self.lu.matrix());
                if !self.lu.factor() {
                    return Err(StepError::NoConvergence { t });
                }
            }
            self.lu.solve(&mut self.values);
            if !self.values.iter().all(|step| step.is_finite()) {
                return Err(StepError::NoConvergence { t });
            }
            let mut change = 0.0f64;
            for (z, step) in self.inputs[2 + self.n..].iter_mut().zip(&self.values) {
                *z -= step;
                (change, size) = (change.max(step.abs()), size.max(z.abs()));
            }
            if change == 0.0 || (change >= last && change <= SMALL * size) {
                return Ok(());
            }
            stale = change > 0.25 * last && change > SMALL * size;
            last = change;
        }
        Err(StepError::NoConvergence { t })
    }

    /// Tries from the extrapolated unknowns, then from the last ones as they were.
    fn solve_step(&mut self, h: f64) -> Result<(), StepError> {
        let n = self.n;
        self.inputs[0] = self.clock.time();
        self.inputs[1] = h;
        self.inputs[2..2 + n].copy_from_slice(&self.x);
        let mut result = Ok(());
        for extrapolated in [true, false] {
            if extrapolated && self.history < 2 {
                continue;
            }
            for i in 0..self.k {
                let slope = if extrapolated { self.z[i] - self.older[i] } else { 0.0 };
                self.inputs[2 + n + i] = self.z[i] + slope;
            }
            result = self.solve();
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn make_dense(&mut self) {
        for i in 0..self.n {
            let change = if self.length == 0.0 { 0.0 } else { self.x[i] - self.start[i] };
            self.coefficients[2 * i] = self.x[i] - change;
            self.coefficients[2 * i + 1] = change;
        }
    }
}

impl<K: Kernel> Stepper<f64> for ImplicitMap<K> {
    fn time(&self) -> f64 {
        self.clock.time()
    }

    fn state(&self) -> &[f64] {
        &self.x
    }

    fn step(&mut self, end: f64) -> Result<(), StepError> {
        let Some((h, target)) = self.clock.fixed_step(self.step, end)? else { return Ok(()) };
        self.length = 0.0;
        if let Err(error) = self.solve_step(h) {
            self.statistics.rejected += 1;
            return Err(error);
        }
        // `start` is only read when there is a last step
        self.update.evaluate(1, &self.inputs, &mut self.start);
        if !self.start.iter().all(|x| x.is_finite()) {
            self.statistics.rejected += 1;
            return Err(StepError::NotFinite { t: self.clock.time() });
        }
        std::mem::swap(&mut self.start, &mut self.x);
        self.rest.fill(0.0);
        compensation::renormalise(&self.units, &mut self.x, &mut self.rest);
        std::mem::swap(&mut self.older, &mut self.z);
        self.z.copy_from_slice(&self.inputs[2 + self.n..]);
        self.history += 1;
        self.largest = self.z.iter().fold(self.largest, |l, z| l.max(z.abs()));
        (self.before, self.clock) = (self.clock, target);
        self.length = target.time() - self.before.time();
        self.statistics.steps += 1;
        Ok(())
    }

    fn interpolate(&mut self, t: f64, y: &mut [f64]) {
        self.make_dense();
        evaluate(Basis::Power, 2, &self.coefficients, fraction(self.before.time(), self.length, t), y);
    }

    fn sketch(&mut self, times: &[f64; SKETCHED], states: &mut [f64]) {
        self.make_dense();
        let (start, length) = (self.before.time(), self.length);
        sketch(2, &self.coefficients, &times.map(|t| fraction(start, length, t)), states);
    }

    fn segment(&mut self) -> Segment<f64> {
        self.make_dense();
        let start = if self.length == 0.0 { self.clock.time() } else { self.before.time() };
        let coefficients = self.coefficients.clone();
        Segment { start, length: self.length, basis: Basis::Power, terms: 2, coefficients }
    }

    fn restart(&mut self, t: f64, y: &[f64], near: bool) {
        if !near {
            self.history = 1;
        }
        if !near || t != self.clock.time() {
            self.length = 0.0;
        }
        self.clock.set(t);
        self.x.copy_from_slice(y);
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
