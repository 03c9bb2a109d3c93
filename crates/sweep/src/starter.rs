//! Where motions start, without reading the model again; and whether a model read again is the same system.

use crate::philox;
use crate::study::Study;
use polhode_expr::eval::{Digits, Doubles};
use polhode_expr::{Expr, Symbol};
use polhode_lower::{dd, lower_functions};
use polhode_mechanics::System;
use polhode_model::{DIGITS, Kind, Model};
use polhode_simulate::StartValues;
use polhode_tape::{Dd, Interpreter, passes};
use rustc_hash::FxHashMap;

/// Relative difference of two values at a random point that rounding can explain.
const SAME: f64 = 1e-9;

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

/// The values of all that makes a system, at a point that depends on the names alone.
pub(crate) fn fingerprint(model: &Model) -> Vec<Option<f64>> {
    let mut all: Vec<Expr> = model.lagrangian.into_iter().collect();
    all.extend(model.constraints.iter().flat_map(|c| [Some(c.residual), c.holonomic].into_iter().flatten()));
    all.extend(model.forces.iter().map(|(_, e)| *e));
    all.extend(model.events.iter().map(|e| e.function));
    all.extend(model.observables.iter().map(|(_, e)| *e));
    for f in model.configuration.factors() {
        if let Kind::Interval(low, high) = f.kind {
            all.extend([low, high]);
        }
    }
    let g = &model.graph;
    let value = |s: &Symbol| {
        let seed = g.name(*s).bytes().fold(0u64, |h, b| h.wrapping_mul(0x100_0000_01b3) ^ u64::from(b));
        (*s, 0.3 + 1.4 * philox::unit(philox::bits(seed, 3, 0, 0)))
    };
    let at: FxHashMap<Symbol, f64> = g.free_symbols(&all).iter().map(value).collect();
    all.iter().map(|e| g.evaluate(&Doubles, &[*e], &at).ok().map(|x| x[0])).collect()
}

/// Whether two systems are the same up to rounding.
pub(crate) fn same(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => near(*a, *b),
            (None, None) => true,
            _ => false,
        })
}
