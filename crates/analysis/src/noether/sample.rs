//! Values of many functions at random points of F_p, with parameters of one's choice.

use super::budget::UNLUCKY_POINTS;
use polhode_base::random::Random;
use polhode_expr::equal::{FieldPoint, NoValue};
use polhode_expr::field::{Residue, residue};
use polhode_expr::{Expr, Symbol};
use polhode_mechanics::rank::parameter_formulas;
use polhode_mechanics::system::System;

/// What the parameters of the model are replaced by.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    pub(crate) values: Vec<(Symbol, Residue)>,
    /// Those, by their place, that are computed from the others.
    formulas: Vec<(usize, Expr)>,
    /// Whether these are the numbers of the model: what is found has numbers for coefficients.
    pub(crate) fixed: bool,
}

impl Parameters {
    /// Random values: what holds for them holds for all.
    pub(crate) fn random(system: &System, seed: u64) -> Parameters {
        let mut random = Random::new(seed);
        let values = system.parameters.iter().map(|s| (*s, Residue::random(&mut random))).collect();
        Parameters { values, formulas: Vec::new(), fixed: false }
    }

    /// Random values for the parameters that the model gives in numbers, and those that it gives as formulas of others computed from them;
    /// `None` when there are no such formulas, or when one has no value in F_p.
    pub(crate) fn by_formulas(system: &mut System, seed: u64) -> Option<Parameters> {
        let formulas = parameter_formulas(system);
        let mut out = Parameters::random(system, seed);
        let places = out.values.iter().enumerate().filter_map(|(i, (s, _))| Some((i, *formulas.get(s)?)));
        out.formulas = places.collect();
        if out.formulas.is_empty() { None } else { out.settled(system) }
    }

    /// With the formulas evaluated anew.
    fn settled(mut self, system: &mut System) -> Option<Parameters> {
        for (i, e) in self.formulas.clone() {
            let mut point = FieldPoint::new(&system.graph, 1);
            self.values.iter().for_each(|(s, v)| point.set(*s, *v));
            self.values[i].1 = point.value(&mut system.graph, e).ok()?;
        }
        Some(self)
    }

    /// Whether a parameter can be chosen.
    pub(crate) fn is_free(&self, index: usize) -> bool {
        self.formulas.iter().all(|(i, _)| *i != index)
    }

    /// The values of the model; `None` when one is no rational number.
    pub(crate) fn of_model(system: &mut System) -> Option<Parameters> {
        let model = system.model.clone();
        let mut values: Vec<(Symbol, Residue)> = Vec::new();
        for p in &model.parameters {
            let mut point = FieldPoint::new(&system.graph, 1);
            values.iter().for_each(|(s, v)| point.set(*s, *v));
            let v = match system.graph.as_number(p.value) {
                Some(r) => residue(r)?,
                None => point.value(&mut system.graph, p.value).ok()?,
            };
            values.push((p.symbol, v));
        }
        Some(Parameters { values, formulas: Vec::new(), fixed: true })
    }

    /// The same with other values for some of them.
    pub(crate) fn with(
        &self,
        system: &mut System,
        changes: impl Iterator<Item = (usize, Residue)>,
    ) -> Option<Parameters> {
        let mut out = self.clone();
        changes.for_each(|(i, v)| out.values[i].1 = v);
        out.settled(system)
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
    ) -> Option<Vec<Vec<Residue>>> {
        let next = |system: &mut System| {
            self.seed += 1;
            let mut point = FieldPoint::with_roots(&system.graph, self.seed);
            parameters.values.iter().for_each(|(s, v)| point.set(*s, *v));
            point
        };
        rows_at(system, next, functions, count)
    }
}

/// Values of the functions at so many points, those without values passed over; `None` if there are too many of these, or for functions
/// that have no values in F_p.
pub(crate) fn rows_at(
    system: &mut System,
    mut next: impl FnMut(&mut System) -> FieldPoint,
    functions: &[Expr],
    count: usize,
) -> Option<Vec<Vec<Residue>>> {
    let mut out = Vec::with_capacity(count);
    let mut unlucky = 0;
    while out.len() < count {
        let mut point = next(system);
        match values(system, &mut point, functions) {
            Ok(row) => out.push(row),
            Err(NoValue::Outside) => return None,
            Err(NoValue::Unlucky) => {
                unlucky += 1;
                if unlucky > UNLUCKY_POINTS {
                    return None;
                }
            }
        }
    }
    Some(out)
}

/// The values of the functions at one point.
pub(crate) fn values(system: &mut System, point: &mut FieldPoint, functions: &[Expr]) -> Result<Vec<Residue>, NoValue> {
    functions.iter().map(|f| point.value(&mut system.graph, *f)).collect()
}
