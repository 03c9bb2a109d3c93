//! Functions of the parameters of a model, and of a few variables more, in doubles.

use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::dense::{M, V};
use polhode_geometry::{Mat3, Vec3};
use polhode_lower::{NotLowered, lower_functions};
use polhode_model::Model;
use polhode_simulate::Compiled;
use polhode_tape::{Interpreter, Scalar, Tape};
use rustc_hash::FxHashMap;

/// A graph that began as that of the model, with the values of the parameters.
pub(crate) struct Functions {
    pub(crate) graph: Graph,
    parameters: Vec<Symbol>,
    numbers: Vec<f64>,
    values: FxHashMap<Symbol, f64>,
}

/// A function with values for the parameters of the model.
pub(crate) struct Function {
    interpreter: Interpreter<f64>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

impl Functions {
    pub(crate) fn new(model: &Model, compiled: &Compiled) -> Functions {
        let mut graph = model.graph.clone();
        let parameters: Vec<Symbol> = compiled.parameters.iter().map(|(name, _)| graph.symbol(name)).collect();
        let numbers: Vec<f64> = compiled.parameters.iter().map(|(_, x)| x.to_f64()).collect();
        let values = parameters.iter().copied().zip(numbers.iter().copied()).collect();
        Functions { graph, parameters, numbers, values }
    }

    /// The value of an expression in the parameters.
    pub(crate) fn value(&self, e: Expr) -> Option<f64> {
        self.graph.evaluate_f64(e, &self.values).ok().filter(|x| x.is_finite())
    }

    pub(crate) fn vector(&self, v: &Vec3) -> Option<V> {
        let [a, b, c] = v.map(|e| self.value(e));
        Some([a?, b?, c?])
    }

    pub(crate) fn matrix(&self, m: &Mat3) -> Option<M> {
        let [a, b, c] = m.map(|row| self.vector(&row));
        Some([a?, b?, c?])
    }

    /// Functions of these variables and of the parameters, in this order. Variables of formulas have names with spaces, which those of a
    /// tape have not.
    pub(crate) fn tape(&mut self, variables: &[Symbol], outputs: &[Expr]) -> Result<Tape, NotLowered> {
        let g = &mut self.graph;
        let plain: Vec<Symbol> = (1..=variables.len()).map(|k| g.symbol(&format!("variable#{k}"))).collect();
        let map = variables.iter().zip(&plain).map(|(from, to)| (*from, g.var(*to))).collect();
        let outputs = g.substitute_all(outputs, &map);
        let inputs: Vec<Symbol> = plain.iter().chain(&self.parameters).copied().collect();
        lower_functions(&self.graph, &inputs, &outputs)
    }

    /// The same at the values of the parameters.
    pub(crate) fn function(&mut self, variables: &[Symbol], outputs: &[Expr]) -> Result<Function, NotLowered> {
        let tape = self.tape(variables, outputs)?;
        let mut inputs = vec![0.0; variables.len()];
        inputs.extend(&self.numbers);
        Ok(Function { interpreter: Interpreter::new(&tape), inputs, outputs: vec![0.0; outputs.len()] })
    }

    /// The names of the parameters among the symbols of expressions.
    pub(crate) fn depends(&self, outputs: &[Expr]) -> Vec<String> {
        let used = self.graph.free_symbols(outputs);
        self.parameters.iter().filter(|p| used.contains(p)).map(|p| self.graph.name(*p).to_owned()).collect()
    }
}

impl Function {
    pub(crate) fn at(&mut self, variables: &[f64]) -> &[f64] {
        self.inputs[..variables.len()].copy_from_slice(variables);
        self.interpreter.call(&self.inputs, &mut self.outputs);
        &self.outputs
    }
}
