//! A system in one form as tapes with fixed parameters, and the integrators that run it.

#![allow(dead_code, reason = "shared by benches, none of which uses all of it")]

use polhode::backend_simd::Simd;
use polhode::integrate::taylor::usual_order;
use polhode::integrate::{
    CompiledJets, Dop853, Gauss, ImplicitMap, JetProgram, KernelField, Stepper, Taylor, Tolerance, Unit,
};
use polhode::lower::{Discrete, Watched, dd, lower, lower_discrete};
use polhode::prelude::*;
use polhode::tape::{Backend, Dd, Interpreter, Kernel, Scalar, Tape};
use polhode_backend_native::Native;

/// Machine code for one point where it can be had, as `Compiled::solve` has it.
pub(crate) fn prepare(tape: &Tape) -> Box<dyn Kernel> {
    if let Some(kernel) = Native::new().ok().and_then(|n| n.single().prepare(tape).ok()) {
        return Box::new(kernel);
    }
    Box::new(Simd::new().prepare(tape).expect("a tape of ordinary size"))
}

/// The same relative and absolute tolerance.
pub(crate) fn tolerance(epsilon: f64) -> Tolerance {
    Tolerance { relative: epsilon, absolute: epsilon }
}

/// Larger than any error, so that only the longest step allowed limits a step.
pub(crate) const LOOSE: f64 = 1e9;

/// The tapes of a system, without observables and events.
pub(crate) struct Motion {
    /// ẏ.
    pub(crate) field: Tape,
    /// The state at the start.
    pub(crate) start: Vec<f64>,
    /// Names of the components of the state.
    pub(crate) names: Vec<String>,
    /// Which of them are unit vectors.
    pub(crate) units: Vec<Unit>,
    /// The state moved back to the constraints.
    pub(crate) restore: Tape,
    report: Tape,
    layout: polhode::lower::Report,
    discrete: Discrete,
    unknowns: Vec<f64>, // guess for the first discrete step
    begun: Vec<f64>,    // state of the discrete method
}

impl Motion {
    /// A model in one form; without a wish, the one that `System::compile` takes.
    pub(crate) fn new(model: &Model, form: Option<Form>) -> Motion {
        let (mut system, _) = System::new(model).expect("a valid system");
        let values = initial_state(&mut system, model).expect("consistent").expect("given").digits;
        let value = |s: Symbol| dd(&values[&s]);
        let form = form.unwrap_or_else(|| system.preferred_form(model));
        let equations = system.equations(form).expect("the form applies");
        let program = lower(&mut system, &equations, &Watched::default()).expect("can be lowered");
        let parameters: Vec<Dd> = system.parameters.iter().map(|s| value(*s)).collect();
        let fixed = |tape: &Tape| program.fixed(tape, &parameters);

        let positions = program.positions.components(value);
        let configuration = &system.configuration;
        let mut inputs = vec![Dd::ZERO];
        inputs.extend(configuration.positions().iter().chain(configuration.velocities()).map(|s| value(*s)));
        inputs.extend_from_slice(&parameters);
        let mut start = positions.clone();
        start.extend(call(&program.entry, &inputs));
        start.extend(program.works.iter().map(|_| Dd::ZERO));

        let mut inputs = vec![Dd::ZERO];
        inputs.extend(positions);
        inputs.extend(configuration.velocities().iter().map(|s| value(*s)));
        let d = lower_discrete(&mut system, &[]).expect("coordinates and rotations");
        let mut begun = doubles(call(&fixed(&d.begin), &inputs));
        let mut unknowns = begun.split_off(d.state.len());
        unknowns.resize(d.unknowns, 0.0);
        Motion {
            field: fixed(&program.field),
            start: doubles(start),
            units: program.positions.units(),
            restore: fixed(&program.restore),
            report: fixed(&program.report),
            discrete: Discrete {
                residual: fixed(&d.residual),
                jacobian: fixed(&d.jacobian),
                update: fixed(&d.update),
                begin: fixed(&d.begin),
                reveal: fixed(&d.reveal),
                ..d
            },
            unknowns,
            begun,
            names: program.state,
            layout: program.layout,
        }
    }

    /// Taylor series as `Compiled::solve` has them in long runs.
    pub(crate) fn taylor(&self, epsilon: f64) -> Box<dyn Stepper<f64>> {
        let (tolerance, units) = (tolerance(epsilon), self.units.clone());
        let order = usual_order(tolerance, f64::EPSILON) + 4;
        let program = JetProgram::for_code(&self.field);
        let compiled = Native::new().and_then(|n| n.single().contracted()).and_then(|native| {
            let series = native.prepare_bundled(&program.bundled(order, native.side_by_side()))?;
            Ok(CompiledJets::new(series, native.prepare(&self.field)?))
        });
        match compiled {
            Ok(series) => Box::new(Taylor::expanding(series, 0.0, &self.start, tolerance, units)),
            Err(_) => Box::new(Taylor::with_order(&self.field, 0.0, &self.start, tolerance, units, order)),
        }
    }

    /// Taylor series of a given order with steps of length h.
    pub(crate) fn taylor_fixed(&self, order: usize, h: f64) -> Box<dyn Stepper<f64>> {
        let (start, units) = (&self.start, self.units.clone());
        let taylor = Taylor::with_order(&self.field, 0.0, start, tolerance(LOOSE), units, order);
        Box::new(taylor.with_longest_step(h))
    }

    pub(crate) fn dop853(&self, epsilon: f64) -> Box<dyn Stepper<f64>> {
        let field = KernelField::new(prepare(&self.field));
        Box::new(Dop853::new(field, 0.0, self.start.clone(), tolerance(epsilon), self.units.clone()))
    }

    /// DOP853 with steps of length h.
    pub(crate) fn dop853_fixed(&self, h: f64) -> Box<dyn Stepper<f64>> {
        let field = KernelField::new(prepare(&self.field));
        let dop853 = Dop853::new(field, 0.0, self.start.clone(), tolerance(LOOSE), self.units.clone());
        Box::new(dop853.with_first_step(h).with_longest_step(h))
    }

    pub(crate) fn gauss(&self, stages: usize, h: f64) -> Box<dyn Stepper<f64>> {
        let field = KernelField::new(prepare(&self.field));
        Box::new(Gauss::new(field, 0.0, self.start.clone(), stages, h, self.units.clone()))
    }

    /// The discrete Lagrange–d'Alembert equations. Their state is not that of the form.
    pub(crate) fn discrete(&self, h: f64) -> Box<dyn Stepper<f64>> {
        let d = &self.discrete;
        let (r, j, u) = (prepare(&d.residual), prepare(&d.jacobian), prepare(&d.update));
        let (begun, guess) = (self.begun.clone(), self.unknowns.clone());
        Box::new(ImplicitMap::new(r, j, u, 0.0, begun, guess, h, self.units.clone()))
    }

    /// Looks at states of the form.
    pub(crate) fn observer(&self) -> Observer {
        Observer::new(self, None)
    }

    /// Looks at states of the discrete method; the form is that of multipliers.
    pub(crate) fn discrete_observer(&self) -> Observer {
        Observer::new(self, Some(prepare(&self.discrete.reveal)))
    }
}

/// Energy, residuals, positions and velocities of states.
pub(crate) struct Observer {
    reveal: Option<Box<dyn Kernel>>,
    kernel: Box<dyn Kernel>,
    layout: polhode::lower::Report,
    inputs: Vec<f64>,
    state: Vec<f64>,
    numbers: Vec<f64>,
}

impl Observer {
    fn new(motion: &Motion, reveal: Option<Box<dyn Kernel>>) -> Observer {
        let kernel = prepare(&motion.report);
        Observer {
            reveal,
            layout: motion.layout.clone(),
            inputs: Vec::new(),
            // works stay zero for the discrete method, which does not know them
            state: vec![0.0; kernel.inputs() - 1],
            numbers: vec![0.0; kernel.outputs()],
            kernel,
        }
    }

    pub(crate) fn look(&mut self, t: f64, state: &[f64]) {
        self.inputs.clear();
        self.inputs.push(t);
        self.inputs.extend_from_slice(state);
        if let Some(reveal) = &mut self.reveal {
            let n = reveal.outputs();
            reveal.evaluate(1, &self.inputs, &mut self.state[..n]);
            self.inputs.truncate(1);
            self.inputs.extend_from_slice(&self.state);
        }
        self.kernel.evaluate(1, &self.inputs, &mut self.numbers);
    }

    pub(crate) fn energy(&self) -> f64 {
        self.numbers[self.layout.energy]
    }

    /// The largest violation of a constraint.
    pub(crate) fn residual(&self) -> f64 {
        self.numbers[self.layout.residuals.clone()].iter().fold(0.0, |m: f64, x| m.max(x.abs()))
    }

    /// Positions and velocities, rotations as matrices.
    pub(crate) fn phase(&self) -> &[f64] {
        &self.numbers[self.layout.positions.start..self.layout.velocities.end]
    }
}

fn call(tape: &Tape, inputs: &[Dd]) -> Vec<Dd> {
    let mut outputs = vec![Dd::ZERO; tape.outputs.len()];
    Interpreter::new(tape).call(inputs, &mut outputs);
    outputs
}

fn doubles(numbers: Vec<Dd>) -> Vec<f64> {
    numbers.into_iter().map(|x| x.to_f64()).collect()
}
