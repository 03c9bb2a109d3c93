//! Is a motion one? Its rates against those of the equations of motion.

use crate::steady::NotSteady;
use crate::steady::quantities::{rates_of_symbols, relations};
use polhode_expr::Symbol;
use polhode_lower::state::Positions;
use polhode_lower::{Watched, dd, lower};
use polhode_mechanics::{Form, InitialState, System};
use polhode_tape::{Dd, Interpreter, Scalar, Tape};

/// Changes of a state that mean nothing, as parts of it, and how many of them are tried.
const LAST_DIGITS: f64 = 1e-28;
const SHIFTS: usize = 3;

/// Changes of a reported value below this come from changes of this size in the state.
const ROUNDING: f64 = 1e-18;

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

    /// What the model reports of a state; zero where only rounding is left, and nothing for a ratio of roundings: what changes by its own size when the
    /// state changes in its last digits.
    pub(super) fn observables(&self, symbols: &[Dd]) -> Vec<(String, Option<Dd>)> {
        let from = self.first + self.symbols.len() + self.relations;
        let now = self.reported(symbols);
        let mut moved = vec![0.0f64; self.observables.len()];
        for shift in 0..SHIFTS {
            // signs in no order
            let sign = |k: usize| if (k + 2 * shift).is_multiple_of(3) { -1.0 } else { 1.0 };
            let beside: Vec<Dd> =
                symbols.iter().enumerate().map(|(k, x)| *x + *x * Dd::from(sign(k) * LAST_DIGITS)).collect();
            let there = self.reported(&beside);
            moved
                .iter_mut()
                .enumerate()
                .for_each(|(k, m)| *m = m.max((there[from + k] - now[from + k]).to_f64().abs()));
        }
        let value = |k: usize| {
            let (x, moved) = (now[from + k], moved[k]);
            match x.to_f64().abs() > 10.0 * moved || moved == 0.0 {
                true => Some(x),
                false if moved < ROUNDING => Some(Dd::ZERO),
                false => None,
            }
        };
        self.observables.iter().enumerate().map(|(k, name)| (name.clone(), value(k))).collect()
    }
}
