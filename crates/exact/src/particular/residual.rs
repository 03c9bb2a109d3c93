//! Is a motion one? Its rates against those of the equations of motion.

use crate::steady::NotSteady;
use crate::steady::problem::{rates_of_symbols, relations};
use polhode_expr::Symbol;
use polhode_lower::state::Positions;
use polhode_lower::{Watched, dd, lower};
use polhode_mechanics::{Form, InitialState, System};
use polhode_tape::{Dd, Interpreter, Scalar, Tape};

/// The equations of motion, to put motions into.
#[derive(Clone, Debug)]
pub(super) struct Test {
    symbols: Vec<Symbol>,
    positions: Positions,
    placed: usize,
    works: usize,
    entry: Tape,
    report: Tape,
    parameters: Vec<Dd>,
    first: usize,
    energy: usize,
    relations: usize,
    observables: Vec<String>,
}

impl Test {
    pub(super) fn new(system: &mut System, start: &InitialState) -> Result<Test, NotSteady> {
        let model = system.model.clone();
        let form = system.preferred_form(&model);
        let equations = system.equations(form).map_err(|why| NotSteady::NotApplicable(form, why))?;
        let configuration = system.configuration.clone();
        let symbols: Vec<Symbol> =
            configuration.positions().iter().chain(configuration.velocities()).copied().collect();
        let mut watched = Watched::default();
        let rates = rates_of_symbols(&mut system.graph, &configuration, system.time);
        let relations = relations(system, &model, form == Form::Multipliers);
        let named = rates.iter().chain(&relations).enumerate();
        watched.observables = named.map(|(k, e)| (format!("equation.{k}"), *e)).collect();
        watched.observables.extend(model.observables.iter().cloned());
        let program = lower(system, &equations, &watched).map_err(NotSteady::NotLowered)?;
        let parameters: Vec<Dd> = system.parameters.iter().map(|s| dd(&start.digits[s])).collect();
        Ok(Test {
            symbols,
            report: program.fixed(&program.report, &parameters),
            first: program.layout.observables.start,
            energy: program.layout.energy,
            placed: configuration.positions().len(),
            works: program.works.len(),
            relations: relations.len(),
            observables: model.observables.iter().map(|(n, _)| n.clone()).collect(),
            positions: program.positions,
            entry: program.entry,
            parameters,
        })
    }

    fn reported(&self, symbols: &[Dd]) -> Vec<Dd> {
        let value = |s: Symbol| symbols[self.symbols.iter().position(|t| *t == s).expect("a symbol of the system")];
        let mut inputs = vec![Dd::ZERO];
        inputs.extend_from_slice(symbols);
        inputs.extend_from_slice(&self.parameters);
        let mut unknowns = vec![Dd::ZERO; self.entry.outputs.len()];
        Interpreter::new(&self.entry).call(&inputs, &mut unknowns);
        let mut y = vec![Dd::ZERO];
        y.extend(self.positions.components(value));
        y.extend(unknowns);
        y.resize(y.len() + self.works, Dd::ZERO);
        let mut out = vec![Dd::ZERO; self.report.outputs.len()];
        Interpreter::new(&self.report).call(&y, &mut out);
        out
    }

    /// The largest difference between rates and those of the equations, and the largest violation of what states satisfy.
    pub(super) fn residual(&self, symbols: &[Dd], rates: &[Dd]) -> f64 {
        let out = self.reported(symbols);
        let differences = rates.iter().enumerate().map(|(k, r)| out[self.first + k] - *r);
        let violations = (0..self.relations).map(|k| out[self.first + rates.len() + k]);
        let largest = differences.chain(violations).fold(0.0f64, |m, x| {
            let x = x.to_f64().abs();
            if x.is_nan() { f64::INFINITY } else { m.max(x) }
        });
        debug_assert_eq!(rates.len(), self.symbols.len());
        debug_assert!(self.placed <= rates.len());
        largest
    }

    /// The rates of all symbols, by the equations of motion.
    pub(super) fn rates(&self, symbols: &[Dd]) -> Vec<Dd> {
        self.reported(symbols)[self.first..self.first + self.symbols.len()].to_vec()
    }

    /// The energy of a state.
    pub(super) fn energy(&self, symbols: &[Dd]) -> Dd {
        self.reported(symbols)[self.energy]
    }

    /// What the model reports of a state.
    pub(super) fn observables(&self, symbols: &[Dd]) -> Vec<(String, Dd)> {
        let out = self.reported(symbols);
        let from = self.first + self.symbols.len() + self.relations;
        self.observables.iter().cloned().zip(out[from..].iter().copied()).collect()
    }
}
