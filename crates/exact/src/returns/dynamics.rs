//! The equations of motion as the search sees them: states y that are integrated, and positions and velocities s that the group moves.
//!
//! ```text
//! y = (coordinates, quaternions, unknowns of the form, works)   ⇄   s = (position symbols, velocity symbols, 1)
//! ```

use super::NoReturn;
use polhode_expr::Symbol;
use polhode_integrate::{Segment, Stepper, Taylor, Tolerance};
use polhode_simulate::{Compiled, Tapes};
use polhode_tape::dense::dot;
use polhode_tape::{Dd, Interpreter, Scalar, Tape, passes};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Relative tolerance of searches in doubles.
const DOUBLE: f64 = 1e-15;

/// Relative tolerance in double-doubles.
const EXTENDED: f64 = 1e-31;

/// A compiled system that does not depend on time, with what leads from y to s and back.
#[derive(Clone, Debug)]
pub(crate) struct Dynamics {
    pub(crate) compiled: Arc<Compiled>,
    /// ∂s/∂y.
    slopes: Arc<Tape>,
    /// Where the symbols of positions are in s.
    places: FxHashMap<Symbol, usize>,
    /// Positions and velocities.
    pub(crate) len: usize,
    pub(crate) positions: usize,
}

impl Dynamics {
    pub(crate) fn new(compiled: Arc<Compiled>, positions: &[Symbol]) -> Result<Dynamics, NoReturn> {
        if compiled.switches() {
            return Err(NoReturn::Switches);
        }
        let tapes = compiled.tapes().ok_or(NoReturn::SeveralCharts)?;
        let on_time = |tape| passes::dependencies(tape).iter().any(|inputs| inputs.contains(&0));
        if [tapes.field, tapes.leave, tapes.entry].into_iter().any(on_time) {
            return Err(NoReturn::DependsOnTime);
        }
        let len = tapes.leave.outputs.len();
        let places = positions.iter().enumerate().map(|(i, s)| (*s, i)).collect();
        let state: Vec<usize> = (1..tapes.leave.inputs.len()).collect();
        let slopes = Arc::new(passes::jacobian(tapes.leave, &state));
        Ok(Dynamics { places, len, positions: positions.len(), slopes, compiled })
    }

    pub(crate) fn tapes(&self) -> Tapes<'_> {
        self.compiled.tapes().expect("looked at when it was made")
    }

    /// Components of the state without works.
    pub(crate) fn own(&self) -> usize {
        self.compiled.program.unknowns.end
    }

    /// Directions in which a state may move: those of its components, within unit vectors.
    pub(crate) fn directions(&self, y: &[f64]) -> Vec<Vec<f64>> {
        let units = self.compiled.program.positions.units();
        let mut out: Vec<Vec<f64>> = Vec::new();
        for i in 0..self.own() {
            let mut v = vec![0.0; y.len()];
            v[i] = 1.0;
            if let Some(unit) = units.iter().find(|u| u.contains(&i)) {
                // one of the components is spanned by the others: the one along which the vector is longest
                let longest = unit.clone().max_by(|a, b| y[*a].abs().total_cmp(&y[*b].abs()));
                if longest == Some(i) {
                    continue;
                }
                let normal = &y[unit.clone()];
                let along = y[i] / normal.iter().fold(0.0, |s, x| s + x * x);
                v[unit.clone()].iter_mut().zip(normal).for_each(|(v, x)| *v -= along * x);
            }
            out.push(v);
        }
        out
    }

    /// By how much the constraints would move a state: contacts that have come apart, positions off a surface, velocities that slip.
    pub(crate) fn violation<S: Scalar>(&self, y: &[S]) -> Vec<S> {
        let mut restored = y.to_vec();
        Interpreter::<S>::new(self.tapes().restore).call(&[&[S::default()], y].concat(), &mut restored);
        restored.iter().zip(y).take(self.own()).map(|(r, y)| *r - *y).collect()
    }

    pub(crate) fn stepper<S: Scalar>(&self, y: &[S]) -> Taylor<S> {
        let relative = if S::EPSILON > 1e-20 { DOUBLE } else { EXTENDED };
        let tolerance = Tolerance { relative, absolute: relative };
        let units = self.compiled.program.positions.units();
        Taylor::new(self.tapes().field, S::default(), y, tolerance, units)
    }

    pub(crate) fn reader<S: Scalar>(&self) -> Reader<S> {
        let tapes = self.tapes();
        Reader {
            leave: Interpreter::new(tapes.leave),
            field: Interpreter::new(tapes.field),
            slopes: Interpreter::new(&self.slopes),
            inputs: Vec::new(),
            numbers: vec![S::default(); self.len],
            steepness: vec![S::default(); self.slopes.outputs.len()],
            rates: vec![S::default(); tapes.field.outputs.len()],
        }
    }

    /// The components of positions in the state, from s.
    fn components(&self, s: &[Dd]) -> Vec<Dd> {
        self.compiled.program.positions.components(|symbol| s[self.places[&symbol]])
    }

    /// The state that belongs to positions and velocities; works are zero.
    pub(crate) fn state(&self, entry: &mut Interpreter<Dd>, s: &[Dd]) -> Vec<Dd> {
        let mut y = self.components(s);
        let mut inputs = vec![Dd::ZERO];
        inputs.extend_from_slice(&s[..self.len]);
        let program = &self.compiled.program;
        let mut unknowns = vec![Dd::ZERO; program.unknowns.len()];
        entry.call(&inputs, &mut unknowns);
        y.extend(unknowns);
        y.resize(program.state.len(), Dd::ZERO);
        y
    }
}

/// Reads states.
pub(crate) struct Reader<S> {
    leave: Interpreter<S>,
    field: Interpreter<S>,
    slopes: Interpreter<S>,
    inputs: Vec<S>,
    numbers: Vec<S>,
    steepness: Vec<S>,
    rates: Vec<S>,
}

impl<S: Scalar> Reader<S> {
    /// (s, 1).
    pub(crate) fn symbols(&mut self, y: &[S]) -> Vec<S> {
        self.inputs.clear();
        self.inputs.push(S::default());
        self.inputs.extend_from_slice(y);
        self.leave.call(&self.inputs, &mut self.numbers);
        let mut out = self.numbers.clone();
        out.push(S::from_f64(1.0));
        out
    }

    /// ẏ.
    pub(crate) fn rates(&mut self, y: &[S]) -> Vec<S> {
        self.inputs.clear();
        self.inputs.push(S::default());
        self.inputs.extend_from_slice(y);
        self.field.call(&self.inputs, &mut self.rates);
        self.rates.clone()
    }

    /// ṡ = (∂s/∂y) ẏ.
    pub(crate) fn symbol_rates(&mut self, y: &[S]) -> Vec<S> {
        let rates = self.rates(y);
        // the inputs are still those of the rates
        self.slopes.call(&self.inputs, &mut self.steepness);
        self.steepness.chunks_exact(rates.len().max(1)).map(|slopes| dot(slopes, &rates)).collect()
    }
}

/// The state on some segments; the nearest one is continued at the ends.
pub(crate) fn at<S: Scalar>(segments: &[Segment<S>], t: S) -> Vec<S> {
    let k = segments.partition_point(|s| s.start <= t).saturating_sub(1);
    let mut y = vec![S::default(); segments[k].dimension()];
    segments[k].at(t, &mut y);
    y
}

/// The motion from a state to a time, step by step; the steps, with as many as can be made where it fails before.
pub(crate) fn follow<S: Scalar>(dynamics: &Dynamics, y: &[S], until: S) -> Option<Vec<Segment<S>>> {
    let mut stepper = dynamics.stepper(y);
    let mut out = Vec::new();
    while stepper.time() < until {
        stepper.step(until).ok()?;
        out.push(stepper.segment());
    }
    Some(out)
}
