//! Integrals of a motion without formulas, and whether they are enough for quadratures.

use super::returns::{self, Whole};
use super::text::digits;
use crate::args::PageFormat;
use crate::output::{bold, dim, emit, emit_json, heading};
use crate::run::json::number;
use polhode::analysis::noether::Kind;
use polhode::exact::particular::{Held, Integrals, integrals};
use polhode::exact::returns::NoReturn;
use polhode::mechanics::{System, initial_state};
use polhode::model::Model;
use polhode::prelude::print;
use polhode::simulate::{Compile, Precision, Run, Sample};
use polhode::tape::Dd;
use serde_json::{Value, json};

/// States at which integrals are computed again.
const STATES: usize = 8;

/// Integrals with the time over which they were followed.
pub(super) struct Known {
    all: Integrals,
    until: f64,
}

/// The integrals of a model, if there are more than the energy, or that is enough. They are followed along the exact motion, or along a run in double-doubles.
pub(super) fn found(model: &Model, system: &mut System, whole: &Whole) -> Option<Known> {
    if model.switches() {
        return None;
    }
    let start = initial_state(system, model).ok()??;
    let until = model.until();
    let mut known = Known { all: integrals(system, &start), until };
    if known.all.held.len() < 2 && !known.are_enough() {
        return None;
    }
    let times: Vec<f64> = (1..=STATES).map(|k| until * k as f64 / STATES as f64).collect();
    let motion: Vec<Sample> = match &whole.found {
        Ok(motion) => times.iter().map(|t| motion.at(Dd::from(*t))).collect(),
        Err(NoReturn::Ends(_)) => return None,
        Err(_) => {
            let run = system.compile().ok()?.solve(&Run::until(until).precision(Precision::DoubleDouble)).ok()?;
            times.iter().map(|t| run.at(*t)).collect::<Option<_>>()?
        }
    };
    known.all.follow(system, &start, &motion);
    Some(known)
}

impl Known {
    /// Is the motion solved by quadratures?
    pub(super) fn are_enough(&self) -> bool {
        self.all.count.as_ref().is_some_and(|c| c.by_quadratures())
    }

    /// For people.
    pub(super) fn section(&self, system: &System) -> String {
        let mut out = format!("\n{}\n", bold("integrals"));
        for held in &self.all.held {
            let formula = held.tree.as_ref().map_or("… (too long to show)".into(), |t| print::text(&system.graph, t));
            out += &format!("  {formula} = {}\n", digits(held.value));
            out += &format!(
                "      {}\n",
                dim(&format!("{}, kept to {:.0e} up to t = {}", kind(held), held.change, self.until))
            );
        }
        if let Some(count) = &self.all.count {
            let symmetries = match &count.symmetries[..] {
                [] => String::new(),
                all => format!(", {} of them along symmetries that keep the integrals ({})", all.len(), all.join(", ")),
            };
            out += &format!(
                "  states have {} dimensions{symmetries}; the integrals leave {}\n",
                count.states,
                count.left()
            );
            match count.measure {
                Some(true) => out += "  there is an invariant measure: solved by quadratures, as Euler and Jacobi do\n",
                Some(false) => out += "  no invariant measure that the symmetries keep was found\n",
                None if count.by_quadratures() => out += "  the motion is a curve: solved by quadratures\n",
                None => {}
            }
        }
        out
    }

    /// For programs.
    pub(super) fn entry(&self, system: &System) -> Value {
        let each = self.all.held.iter().map(|held| {
            json!({
                "formula": held.tree.as_ref().map(|t| print::text(&system.graph, t)),
                "kind": kind(held),
                "value": number(held.value),
                "change": held.change,
            })
        });
        let mut out = json!({ "held": each.collect::<Vec<_>>(), "until": self.until });
        if let Some(count) = &self.all.count {
            out["dimension"] = json!(count.states);
            out["symmetries"] = json!(count.symmetries);
            out["left"] = json!(count.left());
            out["measure"] = json!(count.measure);
            out["by_quadratures"] = json!(count.by_quadratures());
        }
        out
    }

    /// Shows them as what is known of a model.
    pub(super) fn show(&self, model: &Model, system: &System, why: &NoReturn, reasons: &[String], format: PageFormat) {
        let solution = "integrals that are enough for quadratures; no formula in t is known here";
        match format {
            PageFormat::Json => {
                let parameters = super::parameters(model, system);
                emit_json(&json!({
                    "model": model.name,
                    "parameters": parameters,
                    "kind": "integrals",
                    "solution": solution,
                    "integrals": self.entry(system),
                    "not_linear": reasons,
                    "returns": { "found": false, "message": why.to_string() },
                    "samples": [],
                }));
            }
            PageFormat::Latex => {
                let mut out = super::latex::heading(solution);
                for held in &self.all.held {
                    if let Some(tree) = &held.tree {
                        let value = digits(held.value);
                        let formula = print::latex_value(&system.graph, tree, &value, print::PAGE);
                        out += &format!("\\[\n{formula}\n\\]\n");
                    }
                }
                emit(&out);
            }
            PageFormat::Text => {
                let mut out = heading(model, system);
                out += &format!("\n{}\n  {solution}\n", bold("solution"));
                out += &self.section(system);
                out += &returns::no_formulas(reasons);
                out += &format!("\n{}\n  {why}\n", bold("any time at once"));
                emit(&(out + "\n"));
            }
        }
    }
}

fn kind(held: &Held) -> &'static str {
    match held.kind {
        Kind::Energy => "energy",
        Kind::MovingEnergy => "moving energy",
        Kind::Position => "a function of the position",
        Kind::Linear | Kind::LinearByEquation => "linear in the velocities",
        Kind::Quadratic => "quadratic in the velocities",
    }
}
