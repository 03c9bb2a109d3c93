//! `polhode conserved`: integrals of the motion, symmetries, invariant measure.

mod json;
mod text;

use crate::args::{ConservedFormat, ConservedOptions};
use crate::output::{emit, emit_json, heading};
use crate::{Refusal, input, neumann};
use polhode::analysis::noether::{
    Answer, Conserved, Exception, Flow, Ground, Measure, Outcome, Search, decide, decide_at_values, exception, measure,
    measure_at_values, reducing_multiplier, search,
};
use polhode::expr::{Expr, Tree};
use polhode::mechanics::{System, initial_state};
use polhode::prelude::Model;
use polhode::simulate::detective::{self, Watched};

/// The answer about one function of `--test`.
struct Tested {
    text: String,
    component: Option<usize>,
    answer: Answer,
    /// The answer at the values of the model, where it is another than that for parameters in general.
    here: Option<Outcome>,
    /// Readable df/dt, if it is not zero.
    rate: Option<Tree>,
    /// Its value where the model starts, if it is too long to be read.
    rate_at_start: Option<f64>,
    /// What motions say, where algebra cannot.
    watched: Option<Watched>,
}

impl Tested {
    fn is_constant(&self) -> bool {
        match self.answer.outcome {
            Outcome::Constant(_) | Outcome::Trivial => true,
            Outcome::Changes(_) => false,
            Outcome::OffContact | Outcome::Undecided => self.watched.is_some_and(|w| w.looks_constant()),
        }
    }
}

/// Everything that is shown.
struct Page {
    /// The values of the parameters have been put in.
    at_values: bool,
    /// The degree that was asked for.
    degree: usize,
    conserved: Option<Conserved>,
    tests: Vec<Tested>,
    measure: Option<Volume>,
    detected: Option<detective::Detection>,
}

/// What is known about an invariant measure.
struct Volume {
    found: Measure,
    /// The values of the model were put in before anything was decided.
    at_values: bool,
    /// Where the reason against a measure vanishes, and what holds at the values of the model if it does there.
    exception: Option<(Exception, Option<Measure>)>,
    multiplier: Option<Expr>,
}

impl Volume {
    fn new(system: &mut System, flow: &Flow, at_values: bool) -> Volume {
        let found = if at_values { measure_at_values(system, flow) } else { measure(system, flow) };
        let exception = if at_values { None } else { exception(system, &found) };
        let exception = exception.map(|e| {
            let here = e.here.then(|| measure_at_values(system, flow));
            (e, here)
        });
        Volume { found, at_values, exception, multiplier: reducing_multiplier(system) }
    }

    /// The verdict that is shown last.
    fn shown(&self) -> &Measure {
        let here = self.exception.as_ref().and_then(|(_, here)| here.as_ref());
        here.unwrap_or(&self.found)
    }
}

pub(crate) fn run(options: &ConservedOptions) -> Result<(), Refusal> {
    let mut parse_options = options.model.changes.parse_options()?;
    parse_options.at_values = options.at_values;
    let model = input::model(&options.model.model, &parse_options)?;
    let model = neumann::model(model, &options.coordinates)?;
    let mut system = input::system(&model)?;
    let flow = Flow::new(&mut system);
    let tests = tests(&model, &mut system, &flow, options)?;
    let all = tests.is_empty() && !options.measure;
    let conserved = match all || options.search {
        true => {
            let wanted = Search {
                degree: options.degree,
                basis: formulas(&model, &mut system, "--basis", &options.basis)?,
                weights: formulas(&model, &mut system, "--weight", &options.weight)?,
                at_values: options.at_values,
                quadratic: options.quadratic,
            };
            Some(search(&mut system, &flow, &wanted))
        }
        false => None,
    };
    let measure = (all || options.measure).then(|| Volume::new(&mut system, &flow, options.at_values));
    let detected = match options.detect {
        true => {
            let known: Vec<Expr> = conserved.iter().flat_map(|c| &c.integrals).map(|i| i.function).collect();
            let found = detective::detect(&mut system, &flow, options.degree, &known);
            Some(found.map_err(|e| format!("error: {e}\n"))?)
        }
        false => None,
    };
    let page = Page { at_values: options.at_values, degree: options.degree, conserved, tests, measure, detected };
    if options.model.changes.json || options.format == ConservedFormat::Json {
        emit_json(&json::document(&model, &mut system, &flow, &page));
    } else {
        let latex = options.format == ConservedFormat::Latex;
        emit(&(heading(&model, &system) + &text::page(&mut system, &flow, &page, latex)));
    }
    match page.tests.iter().find(|t| !t.is_constant()) {
        Some(t) => Err(Refusal::No(text::refusal(t))),
        None => Ok(()),
    }
}

/// The functions of `--test`, each decided: formulas, in which `energy` and observables are names too.
fn tests(model: &Model, system: &mut System, flow: &Flow, options: &ConservedOptions) -> Result<Vec<Tested>, Refusal> {
    let mut out = Vec::new();
    for text in &options.test {
        let functions = functions(model, system, text)?;
        let several = functions.len() > 1;
        for (i, f) in functions.into_iter().enumerate() {
            // values that are no rational numbers are letters still
            let answer = if options.at_values { decide_at_values(system, flow, f) } else { decide(system, flow, f) };
            let changes = matches!(answer.outcome, Outcome::Changes(_) | Outcome::OffContact | Outcome::Undecided);
            let shown = changes.then(|| flow.shown(system, answer.rate));
            let rate = shown.and_then(|e| polhode::analysis::noether::search::readable(system, e));
            let long = shown.filter(|_| rate.is_none());
            let rate_at_start = long.and_then(|_| at_start(model, system, flow, answer.rate));
            let here = match (answer.outcome, options.at_values) {
                (Outcome::Changes(Ground::Everywhere(_)), false) => {
                    let here = decide_at_values(system, flow, f).outcome;
                    matches!(here, Outcome::Constant(_) | Outcome::Trivial).then_some(here)
                }
                _ => None,
            };
            let undecided = matches!(answer.outcome, Outcome::OffContact | Outcome::Undecided);
            let watched = if undecided { detective::watch(system, &[f]).map(|w| w[0]) } else { None };
            let component = several.then_some(i + 1);
            let text = text.clone();
            out.push(Tested { text, component, answer, here, rate, rate_at_start, watched });
        }
    }
    Ok(out)
}

/// The value of a function on D where the model starts, if it says where.
fn at_start(model: &Model, system: &mut System, flow: &Flow, e: Expr) -> Option<f64> {
    let start = initial_state(system, model).ok()??;
    let configuration = system.configuration.clone();
    let e = flow.equations.in_velocities(&mut system.graph, &configuration, &[e]);
    system.graph.evaluate_f64(e[0], &start.values).ok()
}

fn functions(model: &Model, system: &mut System, text: &str) -> Result<Vec<Expr>, Refusal> {
    let name = text.trim();
    let names = |n: &str| n == name || n.strip_prefix(name).is_some_and(|rest| rest.starts_with('['));
    let observed: Vec<Expr> = model.observables.iter().filter(|(n, _)| names(n)).map(|(_, e)| *e).collect();
    let mut more = vec![("energy", system.energy())];
    more.extend(model.observables.iter().map(|(n, e)| (n.as_str(), *e)));
    match model.formula_with(&mut system.graph, text, &more) {
        Ok(functions) => Ok(functions),
        Err(_) if !observed.is_empty() => Ok(observed),
        Err(rejected) => Err(Refusal::BadInput(crate::output::render(&rejected.diagnostics, &rejected.source))),
    }
}

/// Formulas of the position, all their components.
fn formulas(model: &Model, system: &mut System, flag: &str, texts: &[String]) -> Result<Vec<Expr>, Refusal> {
    let mut out = Vec::new();
    for text in texts {
        let found = model
            .formula(&mut system.graph, text)
            .map_err(|rejected| crate::output::render(&rejected.diagnostics, &rejected.source))?;
        let velocities = system.configuration.velocities();
        if found.iter().any(|e| system.graph.contains_any(*e, velocities)) {
            return Err(Refusal::BadInput(format!(
                "error: `{flag} {text}` contains velocities\n  = coefficient functions and weights depend on the position alone\n"
            )));
        }
        out.extend(found);
    }
    Ok(out)
}
