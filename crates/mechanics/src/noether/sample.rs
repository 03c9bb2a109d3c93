//! Values of many functions at random points of F_p, with parameters of one's choice.

use crate::system::System;
use polhode_expr::equal::{FieldPoint, NoValue, P};
use polhode_expr::field::residue;
use polhode_expr::random::Random;
use polhode_expr::{Expr, Symbol};

/// Points without a value that are passed over before giving up.
const MOST_UNLUCKY: usize = 4000;

/// What the parameters of the model are replaced by.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    pub(crate) values: Vec<(Symbol, u64)>,
}

impl Parameters {
    /// Random values: what holds for them holds for all.
    pub(crate) fn random(system: &System, seed: u64) -> Parameters {
        let mut random = Random::new(seed);
        Parameters { values: system.parameters.iter().map(|s| (*s, random.bits() % P)).collect() }
    }

    /// The values of the model; `None` when one is no rational number.
    pub(crate) fn of_model(system: &mut System) -> Option<Parameters> {
        let model = system.model.clone();
        let mut values: Vec<(Symbol, u64)> = Vec::new();
        for p in &model.parameters {
            let mut point = FieldPoint::new(&system.graph, 1);
            values.iter().for_each(|(s, v)| point.set(*s, *v));
            let v = match system.graph.as_number(p.value) {
                Some(r) => residue(r)?,
                None => point.value(&mut system.graph, p.value).ok()?,
            };
            values.push((p.symbol, v));
        }
        Some(Parameters { values })
    }

    /// The same with another value for one of them.
    pub(crate) fn with(&self, index: usize, value: u64) -> Parameters {
        let mut out = self.clone();
        out.values[index].1 = value;
        out
    }
}

/// A stream of random points.
#[derive(Debug)]
pub(crate) struct Sampler {
    seed: u64,
}

impl Sampler {
    pub(crate) fn new(seed: u64) -> Sampler {
        Sampler { seed: seed << 32 }
    }

    /// The values of the functions at `count` points where all of them have one, a row per point. `None` for functions
    /// that have no values in F_p, such as logarithms.
    pub(crate) fn rows(
        &mut self,
        system: &mut System,
        parameters: &Parameters,
        functions: &[Expr],
        count: usize,
    ) -> Option<Vec<Vec<u64>>> {
        let mut out = Vec::with_capacity(count);
        let mut unlucky = 0;
        while out.len() < count {
            self.seed += 1;
            let mut point = FieldPoint::with_roots(&system.graph, self.seed);
            parameters.values.iter().for_each(|(s, v)| point.set(*s, *v));
            match values(system, &mut point, functions) {
                Ok(row) => out.push(row),
                Err(NoValue::Outside) => return None,
                Err(NoValue::Unlucky) => {
                    unlucky += 1;
                    if unlucky > MOST_UNLUCKY {
                        return None;
                    }
                }
            }
        }
        Some(out)
    }
}

/// The values of the functions at one point.
pub(crate) fn values(system: &mut System, point: &mut FieldPoint, functions: &[Expr]) -> Result<Vec<u64>, NoValue> {
    functions.iter().map(|f| point.value(&mut system.graph, *f)).collect()
}
