//! The largest Lyapunov exponent, from the variational equation.
//!
//! ```text
//! ẏ = f(t, y),    v̇ = ∂f/∂y v,      λ = (ln |v(T)| − ln |v(T/2)|) / (T/2)
//! ```
//!
//! The equation is linear in v, so that v is scaled back to length one whenever it has grown or shrunk much, and the logarithms add up. The first half of
//! the motion lets v turn into the direction of fastest growth. The Jacobian is a tape, the derivative of that of f; the integrator is
//! DOP853. Where neighbours of a regular motion part like t, λ is about ln 4 / T, not zero.
//!
//! Source: \[BenettinEtAl1980\].

use crate::budget::LYAPUNOV_STEPS;
use crate::philox;
use polhode_integrate::{Dop853, Stepper, Tolerance, VectorField};
use polhode_simulate::Compiled;
use polhode_simulate::compilers::Compilers;
use polhode_tape::dense::{dot, norm};
use polhode_tape::{Kernel, Scalar, passes};

/// Relative tolerance of a step: the exponent of a finite time is not known better.
const RTOL: f64 = 1e-10;

/// |v| is brought back to one beyond this, and below its inverse.
const GROWN: f64 = 1e6;

/// The right-hand side and its derivative, as one kernel.
pub(crate) struct Variation {
    kernel: Box<dyn Kernel>,
    n: usize,
}

impl Variation {
    /// Of a compiled system; `None` where states are in several charts.
    pub(crate) fn new(compiled: &Compiled) -> Option<Variation> {
        let field = compiled.tapes()?.field;
        let n = field.outputs.len();
        let wrt: Vec<usize> = (1..=n).collect();
        let tape = passes::optimise(&passes::with_jacobian(field, &wrt));
        Some(Variation { kernel: Compilers::narrow().fastest(&tape), n })
    }

    /// λ over a motion of the given length.
    pub(crate) fn exponent(&mut self, compiled: &Compiled, end: f64) -> f64 {
        if end == 0.0 || !end.is_finite() {
            return f64::NAN;
        }
        let n = self.n;
        let mut y: Vec<f64> = compiled.initial_state().iter().map(|x| x.to_f64()).collect();
        // any direction is as good as any other but for a set of measure zero
        let mut v: Vec<f64> = (0..n).map(|d| philox::unit(philox::bits(0, 2, 0, d as u16)) - 0.5).collect();
        normalise(&mut v);
        y.extend(&v);
        let field = Coupled { variation: self, inputs: vec![0.0; n + 1], outputs: vec![0.0; n + n * n] };
        let tolerance = Tolerance { relative: RTOL, absolute: RTOL };
        let mut stepper = Dop853::new(field, 0.0, y, tolerance, compiled.program.positions.units());
        let (mut grown, mut half, mut state) = (0.0, None, vec![0.0; 2 * n]);
        let mut steps = 0;
        for stop in [end / 2.0, end] {
            while stepper.time() != stop {
                steps += 1;
                if steps > LYAPUNOV_STEPS || stepper.step(stop).is_err() {
                    return f64::NAN;
                }
                let size = norm(&stepper.state()[n..]);
                if !(1.0 / GROWN..GROWN).contains(&size) {
                    state.copy_from_slice(stepper.state());
                    grown += normalise(&mut state[n..]);
                    let t = stepper.time();
                    stepper.restart(t, &state, true);
                }
            }
            let total = grown + norm(&stepper.state()[n..]).ln();
            match half {
                None => half = Some(total),
                Some(half) => return (total - half) / (end / 2.0).abs(),
            }
        }
        f64::NAN
    }
}

/// Makes it unit; the logarithm of its length before.
fn normalise(v: &mut [f64]) -> f64 {
    let size = norm(v);
    v.iter_mut().for_each(|x| *x /= size);
    size.ln()
}

/// (y, v) together.
struct Coupled<'a> {
    variation: &'a mut Variation,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

impl VectorField<f64> for Coupled<'_> {
    fn dimension(&self) -> usize {
        2 * self.variation.n
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        let n = self.variation.n;
        self.inputs[0] = t;
        self.inputs[1..].copy_from_slice(&y[..n]);
        self.variation.kernel.evaluate(1, &self.inputs, &mut self.outputs);
        dy[..n].copy_from_slice(&self.outputs[..n]);
        for (rate, row) in dy[n..].iter_mut().zip(self.outputs[n..].chunks_exact(n)) {
            *rate = dot(row, &y[n..]);
        }
    }
}
