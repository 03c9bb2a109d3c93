//! Quantities of a figure: names of what a run reports, or formulas, which are then observed.

use crate::Refusal;
use crate::output::render;
use crate::picture::readable;
use crate::run::files::{label, unit};
use crate::run::unknown;
use polhode::plot::svg::Axis;
use polhode::prelude::*;
use polhode::simulate::{Group, Shape, Variable};
use polhode::sweep::study::is_word;

/// A quantity with its numbers among those of a sample.
#[derive(Clone, Debug)]
pub(super) struct Quantity {
    /// As it was written.
    pub(super) text: String,
    pub(super) axis: Axis,
    /// Name and place of each of its components.
    pub(super) parts: Vec<(String, usize)>,
    /// Whether it is an angle, equal to itself and 2π.
    pub(super) angle: bool,
}

/// The name under which a formula is observed.
fn observed_as(k: usize) -> String {
    format!("plotted_{}", k + 1)
}

/// What has to be observed for some quantities: all that are formulas of the model.
pub(super) fn observables(model: &Model, texts: &[String]) -> Vec<(String, String)> {
    let is_formula = |text: &str| model.formula(&mut model.graph.clone(), text).is_ok();
    let formulas = texts.iter().enumerate().filter(|(_, text)| is_formula(text));
    formulas.map(|(k, text)| (observed_as(k), text.clone())).collect()
}

/// Finds quantities in a compiled system.
pub(super) struct Finder<'a> {
    pub(super) model: &'a Model,
    pub(super) compiled: &'a Compiled,
    pub(super) texts: &'a [String],
}

impl Finder<'_> {
    fn shown(&self) -> impl Iterator<Item = &Variable> {
        let own = |v: &&Variable| !v.name.starts_with("plotted_") && v.group != Group::Residual;
        self.compiled.variables.iter().filter(own)
    }

    /// The quantity that a text means.
    pub(super) fn find(&self, text: &str) -> Result<Quantity, Refusal> {
        let graph = &self.model.graph;
        let name_of = |v: &Variable| match v.group {
            Group::Reaction => format!("reaction {}", v.name),
            _ => v.name.clone(),
        };
        let named = |name: &str| label(self.model, graph, name);
        let quantity = |label: String, unit: &str, parts: Vec<(String, usize)>| Quantity {
            text: text.to_owned(),
            axis: Axis::new(label, unit),
            angle: self.model.configuration.factors().iter().any(|f| f.angle().is_some_and(|s| graph.name(s) == text)),
            parts,
        };
        for v in self.shown() {
            if name_of(v) == text {
                if v.shape == Shape::Matrix {
                    return Err(Refusal::BadInput(format!(
                        "error: `{text}` is a matrix of nine numbers\n  = choose one: {text}[3,3]\n"
                    )));
                }
                let parts = v.columns().iter().map(|c| named(c)).zip(v.numbers.clone()).collect();
                return Ok(quantity(named(text), unit(self.model, text), parts));
            }
            if let Some(k) = v.columns().iter().position(|c| c == text) {
                return Ok(quantity(named(text), unit(self.model, text), vec![(named(text), v.numbers.start + k)]));
            }
        }
        let place = self.texts.iter().position(|t| t == text).map(observed_as);
        let formula = self.compiled.variables.iter().find(|v| Some(&v.name) == place.as_ref());
        if let Some(v) = formula {
            let written = readable(text);
            let parts: Vec<(String, usize)> = match v.shape {
                Shape::Scalar => vec![(written.clone(), v.numbers.start)],
                _ => v.numbers.clone().enumerate().map(|(i, k)| (format!("{written}[{}]", i + 1), k)).collect(),
            };
            return Ok(quantity(written, "", parts));
        }
        self.not_found(text)
    }

    /// The same for one number.
    pub(super) fn scalar(&self, text: &str) -> Result<Quantity, Refusal> {
        let found = self.find(text)?;
        match found.parts.len() {
            1 => Ok(found),
            n => Err(Refusal::BadInput(format!(
                "error: `{text}` has {n} components, but an axis shows one number\n  = choose one: {text}[1]\n"
            ))),
        }
    }

    fn not_found(&self, text: &str) -> Result<Quantity, Refusal> {
        match self.model.formula(&mut self.model.graph.clone(), text) {
            Err(r) if !is_word(text) => Err(Refusal::BadInput(render(&r.diagnostics, &r.source))),
            _ => {
                let names: Vec<String> =
                    self.shown().filter(|v| v.group != Group::Reaction).map(|v| v.name.clone()).collect();
                Err(unknown("quantity", text, &names.iter().map(String::as_str).collect::<Vec<_>>()))
            }
        }
    }
}
