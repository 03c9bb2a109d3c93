//! Where motions start, without reading the model again.

use crate::study::Study;
use polhode_expr::eval::Digits;
use polhode_expr::{Expr, Symbol};
use polhode_lower::{dd, lower_functions};
use polhode_mechanics::System;
use polhode_model::{DIGITS, Model};
use polhode_simulate::StartValues;
use polhode_tape::{Dd, Interpreter, passes};
use rustc_hash::FxHashMap;

/// The symbols of a system by name.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    parameters: Vec<String>,
    positions: Vec<String>,
    velocities: Vec<String>,
}

impl Names {
    pub(crate) fn new(system: &System) -> Names {
        let names = |symbols: &[Symbol]| symbols.iter().map(|s| system.graph.name(*s).to_owned()).collect();
        Names {
            parameters: names(&system.parameters),
            positions: names(system.configuration.positions()),
            velocities: names(system.configuration.velocities()),
        }
    }

    /// The numbers of a model that was read again; `None` if it has other names.
    pub(crate) fn values(&self, model: &mut Model) -> Option<StartValues> {
        let arithmetic = Digits::decimal(DIGITS);
        let mut digits = model.parameter_digits().ok()?;
        let given: Vec<(Symbol, Expr)> = model.initial.iter().map(|i| (i.symbol, i.value)).collect();
        let positions = model.initial_positions();
        for (symbol, e) in positions.into_iter().chain(given.iter().copied()) {
            let x = model.graph.evaluate(&arithmetic, &[e], &digits).ok()?.remove(0);
            digits.insert(symbol, x);
        }
        let number = |name: &String| digits.get(&model.graph.find_symbol(name)?).map(dd);
        let is_given = |name: &String| given.iter().any(|(s, _)| Some(*s) == model.graph.find_symbol(name));
        Some(StartValues {
            parameters: self.parameters.iter().map(number).collect::<Option<_>>()?,
            positions: self.positions.iter().map(number).collect::<Option<_>>()?,
            velocities: self.velocities.iter().map(|v| number(v).filter(|_| is_given(v))).collect(),
        })
    }
}

/// Parameters, positions and given velocities as functions of what is varied.
#[derive(Clone, Debug)]
pub(crate) struct Starter {
    tape: Interpreter<Dd>,
    parameters: usize,
    positions: usize,
    /// Which velocities are given.
    given: Vec<bool>,
}

impl Starter {
    /// `None` if a formula cannot be evaluated as a tape.
    pub(crate) fn new(study: &Study, model: &mut Model, system: &System) -> Option<Starter> {
        let axes = study.spec.design.axes().len();
        // positions that are not given start where the model says, which may add to its graph: all is done there
        let start: FxHashMap<Symbol, Expr> = model.initial_positions().into_iter().collect();
        let graph = &mut model.graph;
        let inputs: Vec<Symbol> =
            (0..axes).map(|k| graph.find_symbol(&study.roles.symbol_name(&study.spec, k))).collect::<Option<_>>()?;
        // every parameter in terms of those that are varied
        let mut written: FxHashMap<Symbol, Expr> = FxHashMap::default();
        for p in &model.parameters {
            if !inputs.contains(&p.symbol) {
                let e = graph.substitute(p.value, &written);
                written.insert(p.symbol, e);
            }
        }
        let mut outputs: Vec<Expr> = system.parameters.iter().map(|p| graph.var(*p)).collect();
        outputs.extend(system.configuration.positions().iter().map(|s| start[s]));
        let given = |v: &Symbol| model.initial.iter().find(|i| i.symbol == *v).map(|i| i.value);
        let velocities: Vec<Option<Expr>> = system.configuration.velocities().iter().map(given).collect();
        outputs.extend(velocities.iter().flatten());
        let outputs = graph.substitute_all(&outputs, &written);
        let tape = lower_functions(graph, &inputs, &outputs).ok()?;
        Some(Starter {
            tape: Interpreter::new(&tape),
            parameters: system.parameters.len(),
            positions: system.configuration.positions().len(),
            given: velocities.iter().map(Option::is_some).collect(),
        })
    }

    /// Which parameters differ between samples.
    pub(crate) fn differs(&self) -> Vec<bool> {
        let dependencies = passes::dependencies(self.tape.tape());
        dependencies[..self.parameters].iter().map(|inputs| !inputs.is_empty()).collect()
    }

    /// The numbers of a sample.
    pub(crate) fn values(&mut self, sample: &[f64]) -> StartValues {
        // the decimals that are written for these doubles, as the model would read them
        let inputs: Vec<Dd> = sample.iter().map(|x| x.to_string().parse().unwrap_or(Dd::from(*x))).collect();
        let mut out = vec![Dd::ZERO; self.tape.tape().outputs.len()];
        self.tape.call(&inputs, &mut out);
        let mut rest = out.split_off(self.parameters);
        let velocities = rest.split_off(self.positions);
        let mut velocities = velocities.into_iter();
        let velocities = self.given.iter().map(|given| if *given { velocities.next() } else { None }).collect();
        StartValues { parameters: out, positions: rest, velocities }
    }
}
