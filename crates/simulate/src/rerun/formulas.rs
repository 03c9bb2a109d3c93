//! Numbers as functions of a few parameters, without reading the model again.

use super::Numbers;
use polhode_expr::{Expr, Symbol};
use polhode_lower::lower_functions;
use polhode_mechanics::System;
use polhode_model::Model;
use polhode_tape::{Dd, Interpreter, passes};
use rustc_hash::FxHashMap;

/// Parameters, positions and given velocities as functions of what is varied.
#[derive(Clone, Debug)]
pub struct Formulas {
    tape: Interpreter<Dd>,
    parameters: usize,
    positions: usize,
    /// Which velocities are given.
    given: Vec<bool>,
}

impl Formulas {
    /// As functions of the parameters with these names; `None` if a formula cannot be evaluated as a tape.
    pub fn new(model: &mut Model, system: &System, inputs: &[&str]) -> Option<Formulas> {
        // positions that are not given start where the model says, which may add to its graph: all is done there
        let start: FxHashMap<Symbol, Expr> = model.initial_positions().into_iter().collect();
        let graph = &mut model.graph;
        let inputs: Vec<Symbol> = inputs.iter().map(|name| graph.find_symbol(name)).collect::<Option<_>>()?;
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
        Some(Formulas {
            tape: Interpreter::new(&tape),
            parameters: system.parameters.len(),
            positions: system.configuration.positions().len(),
            given: velocities.iter().map(Option::is_some).collect(),
        })
    }

    /// Which parameters depend on the inputs.
    pub fn differs(&self) -> Vec<bool> {
        let dependencies = passes::dependencies(self.tape.tape());
        dependencies[..self.parameters].iter().map(|inputs| !inputs.is_empty()).collect()
    }

    /// The numbers at these inputs.
    pub fn numbers(&mut self, sample: &[f64]) -> Numbers {
        // the decimals that are written for these doubles, as the model would read them
        let inputs: Vec<Dd> = sample.iter().map(|x| x.to_string().parse().unwrap_or(Dd::from(*x))).collect();
        let mut out = vec![Dd::ZERO; self.tape.tape().outputs.len()];
        self.tape.call(&inputs, &mut out);
        let mut rest = out.split_off(self.parameters);
        let velocities = rest.split_off(self.positions);
        let mut velocities = velocities.into_iter();
        let velocities = self.given.iter().map(|given| if *given { velocities.next() } else { None }).collect();
        Numbers { parameters: out, positions: rest, velocities }
    }
}
