//! A sweep that is ready to run: names are resolved, the model is compiled.
//!
//! The motion of a sample is the one that `polhode run` computes with the values of the sample as `--set` and `--init`. Three ways lead there, and the
//! first that applies is taken:
//!
//! | way | start of a motion | equations |
//! | --- | --- | --- |
//! | [`Way::Formulas`] | a tape, made from the formulas of the model | those of the base sample, other numbers put in |
//! | [`Way::Parsed`] | the model is read again, with other values | the same, if it is the same system |
//! | [`Way::Fresh`] | | compiled again |
//!
//! Bodies and contacts are read again, since their starts are solved for and their parameters checked while they are read. That the text with other values is
//! the same system is tested: its Lagrangian, constraints, forces, events and observables are compared at a random point. Whatever a way cannot do is left to the last one: so are motions that fail.

use crate::batch::{self, BatchEngine, Template};
use crate::budget::COMPILED_SAMPLES;
use crate::engine::{Engine, EngineKind, MotionEngine};
use crate::keep::{Keep, Of};
use crate::outline::Outline;
use crate::roles::{Roles, value_text};
use crate::spec::Spec;
use polhode_base::{SourceFile, closest};
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, Compiled, EventKind, Formulas, Group, Plan, PlanError, Ready, Rerun, Resolved, Run};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Why there is nothing to run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StudyError {
    /// No sample can be run; why the first cannot.
    Plan(Box<PlanError>),
    /// A name that means nothing.
    Unknown {
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// One that is similar.
        close: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// A vector or rotation cannot be varied as a whole.
    NotScalar(String),
    /// A formula with several components cannot be kept.
    Components(String),
    /// The final time is no number that all motions share.
    Until(String),
    /// Motions cannot go side by side, although that is asked for: why.
    NotSideBySide(&'static str),
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StudyError::Plan(e) => e.fmt(f),
            StudyError::Unknown { what, name, .. } => write!(f, "there is no {what} `{name}`"),
            StudyError::NotScalar(name) => write!(f, "`{name}` is more than one number"),
            StudyError::Components(formula) => write!(f, "`{formula}` is more than one number"),
            StudyError::Until(text) => write!(f, "`--until {text}` is no number that all motions share"),
            StudyError::NotSideBySide(why) => write!(f, "these motions cannot go side by side: {why}"),
        }
    }
}

impl std::error::Error for StudyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StudyError::Plan(e) => Some(&**e),
            _ => None,
        }
    }
}

impl StudyError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            StudyError::Plan(e) => e.help(),
            StudyError::Unknown { close: Some(close), .. } => Some(format!("did you mean `{close}`?")),
            StudyError::Unknown { known, .. } if known.is_empty() => Some("the model has none".to_owned()),
            StudyError::Unknown { known, .. } => Some(format!("there are {}", known.join(", "))),
            StudyError::NotScalar(name) => {
                Some(format!("vary a name in its formula: --init \"{name}=[0,0,w]\" --vary w=1..2:5"))
            }
            StudyError::Components(formula) => Some(format!("keep one component: ({formula})[1]")),
            StudyError::NotSideBySide(_) => Some("leave `--engine batch` out".to_owned()),
            StudyError::Until(_) => Some("write a number, or a formula in parameters that are not varied".to_owned()),
        }
    }
}

impl<E: Into<PlanError>> From<E> for StudyError {
    fn from(e: E) -> Self {
        StudyError::Plan(Box::new(e.into()))
    }
}

/// How motions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Starts from a tape, other numbers in the same equations.
    Formulas,
    /// Starts from reading the model again, other numbers in the same equations.
    Parsed,
    /// Compiled one by one.
    Fresh,
}

/// A sweep that is ready to run.
#[derive(Debug)]
pub struct Study {
    /// What was asked for.
    pub spec: Spec,
    /// The title of the model, or its name.
    pub title: String,
    pub(crate) source: SourceFile,
    pub(crate) roles: Roles,
    pub(crate) resolved: Resolved,
    /// What is kept, with every name written out.
    pub(crate) keep: Vec<Keep>,
    columns: Vec<String>,
    /// Formulas that are kept and no variables of the model: name as a variable, and text.
    pub(crate) observables: Vec<(String, String)>,
    pub(crate) base: Option<Base>,
    way: Way,
    engine: EngineKind,
    /// Made when motions first go side by side.
    template: OnceLock<Template>,
}

/// The sample that was compiled, and what is needed to put other numbers in.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) rerun: Rerun,
    pub(crate) formulas: Option<Formulas>,
    pub(crate) outline: Outline,
}

/// A sample that was compiled.
struct Built {
    ready: Ready,
    compiled: Arc<Compiled>,
}

impl Study {
    /// Resolves all names and compiles the model.
    pub fn new(source: SourceFile, spec: Spec) -> Result<Study, StudyError> {
        let (bare, _) = Model::from_source(source.clone(), &ParseOptions::default())?;
        let roles = Roles::new(&bare, &source, &spec)?;
        let title = if bare.title.is_empty() { bare.name.clone() } else { bare.title.clone() };
        let mut study = Study {
            // until a sample is read
            resolved: Resolved { run: Run::until(0.0), options: Default::default() },
            keep: Vec::new(),
            columns: Vec::new(),
            observables: Vec::new(),
            base: None,
            way: Way::Fresh,
            engine: EngineKind::Single,
            template: OnceLock::new(),
            title,
            roles,
            source,
            spec,
        };
        // reading the model tells whether its starts are formulas; the first system tells what can be kept of its motions
        let mut built = study.first(false)?;
        let model = &built.ready.model;
        study.end_is_shared(model)?;
        let sampled = model.contacts.is_empty() && !built.compiled.switches();
        let formulas = sampled && (model.bodies.is_empty() || !study.roles.vary_parameters());
        study.resolve(&built)?;
        if formulas || !study.observables.is_empty() {
            built = study.first(formulas)?;
        }
        study.resolved = built.ready.resolved.clone();
        // a single step tells whether the integrator can do what it is asked for
        built.compiled.solve(&Run { step_limit: 1, ..study.resolved.run.clone() })?;
        study.settle(built, formulas);
        let wanted = study.spec.engine;
        study.engine = match batch::fits(&study) {
            Ok(()) if wanted.is_none() && study.spec.design.len() < batch::FEWEST => EngineKind::Single,
            Ok(()) => wanted.unwrap_or(EngineKind::Batch),
            Err(why) if wanted == Some(EngineKind::Batch) => return Err(StudyError::NotSideBySide(why)),
            Err(_) => EngineKind::Single,
        };
        Ok(study)
    }

    /// The columns of what is kept.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How motions are made.
    pub fn way(&self) -> Way {
        self.way
    }

    /// Who runs motions: a matter of the sweep and its model alone, not of the machine.
    pub fn engine_kind(&self) -> EngineKind {
        self.engine
    }

    /// Somebody who runs motions; each thread needs its own.
    pub fn engine(&self) -> Box<dyn Engine + '_> {
        match self.engine {
            EngineKind::Single => Box::new(MotionEngine::new(self)),
            EngineKind::Batch => {
                let template = self.template.get_or_init(|| Template::new(self).expect("it was asked whether it fits"));
                Box::new(BatchEngine::new(self, template))
            }
        }
    }

    /// What decides the motion of a sample. With `formulas` initial values are parameters of their own.
    pub(crate) fn plan(&self, values: &[f64], formulas: bool) -> Plan {
        let texts: Vec<String> = values.iter().map(|x| value_text(*x)).collect();
        Plan {
            source: self.source.clone(),
            values: self.roles.options(&self.spec, &texts, formulas),
            charts: None,
            settings: self.spec.settings.clone(),
        }
    }

    /// A motion that is ready to be compiled, with what is kept of it among what is looked at.
    pub(crate) fn ready(&self, values: &[f64], formulas: bool) -> Result<Ready, PlanError> {
        let mut ready = self.plan(values, formulas).ready()?;
        let Resolved { run, options } = &mut ready.resolved;
        // times to report are for those who show motions
        (run.dense, run.samples) = (false, 0);
        run.at.clear();
        options.observables.extend(self.observables.iter().cloned());
        Ok(ready)
    }

    /// The first sample that can be compiled. Parameters have the smallest of their values, so that no sign is assumed that others do not have; with `formulas`
    /// initial values are parameters of their own.
    fn first(&self, formulas: bool) -> Result<Built, StudyError> {
        let design = &self.spec.design;
        let n = design.len();
        let mut error = None;
        for k in 0..COMPILED_SAMPLES {
            // spread over all samples: beginning, middle, quarters, …
            let i = ((k.reverse_bits() >> 60) * (n - 1)) / 15;
            let sample = design.sample(i);
            let lowest: Vec<f64> = (sample.iter().zip(design.axes()).zip(self.roles.is_parameter()))
                .map(|((x, axis), parameter)| if parameter { axis.lowest() } else { *x })
                .collect();
            for values in [lowest, sample] {
                match self.build(&values, formulas) {
                    Ok(built) => return Ok(built),
                    Err(e) => {
                        error.get_or_insert(e);
                    }
                }
            }
        }
        Err(error.expect("something was tried"))
    }

    fn build(&self, values: &[f64], formulas: bool) -> Result<Built, StudyError> {
        let mut ready = self.ready(values, formulas)?;
        let compiled = ready.system.compile_with(&ready.resolved.options)?;
        Ok(Built { ready, compiled })
    }

    /// The final time is one that all motions share.
    fn end_is_shared(&self, model: &Model) -> Result<(), StudyError> {
        let Some(text) = self.spec.settings.until.as_ref().or(model.run.until.as_ref()) else { return Ok(()) };
        let mut graph = model.graph.clone();
        let formula = model.formula(&mut graph, text)?;
        let names: Vec<&str> = self.spec.design.axes().iter().map(|a| a.name.as_str()).collect();
        match graph.free_symbols(&formula).iter().any(|s| names.contains(&graph.name(*s))) {
            true => Err(StudyError::Until(text.clone())),
            false => Ok(()),
        }
    }

    /// Finds what is to be kept among variables and events; what is no variable is a formula.
    fn resolve(&mut self, built: &Built) -> Result<(), StudyError> {
        let (compiled, model) = (&built.compiled, &built.ready.model);
        let variables = || compiled.variables.iter().filter(|v| v.group != Group::Residual);
        let events: Vec<String> = compiled.events.iter().map(|e| e.name.clone()).collect();
        let mut keep = Vec::new();
        for item in &self.spec.keep {
            match item {
                Keep::Final => {
                    let state = variables().filter(|v| matches!(v.group, Group::Position | Group::Velocity));
                    keep.extend(state.flat_map(|v| v.columns()).map(|c| Keep::Of(Of::Final, c)));
                }
                Keep::Events => {
                    let written = compiled.events.iter().filter(|e| e.cause.is_none() && e.kind == EventKind::Model);
                    keep.extend(written.map(|e| Keep::Event(e.name.clone())));
                }
                Keep::Event(name) if !events.contains(name) => {
                    return Err(unknown("event", name, &events.iter().map(String::as_str).collect::<Vec<_>>()));
                }
                item => keep.push(item.clone()),
            }
        }
        for item in &keep {
            let Some(formula) = item.formula() else { continue };
            let known = variables().any(|v| v.titles().iter().any(|c| c == formula));
            if known || self.observables.iter().any(|(_, f)| f == formula) {
                continue;
            }
            if let Some(constraint) = formula.strip_prefix("reaction ") {
                let reactions = variables().filter(|v| v.group == Group::Reaction);
                let names: Vec<&str> = reactions.map(|v| v.name.as_str()).collect();
                return Err(unknown("constraint", constraint, &names));
            }
            let several = variables().any(|v| v.name == formula && v.group != Group::Reaction);
            let parts = match model.formula(&mut model.graph.clone(), formula) {
                Ok(parts) if !several => parts.len(),
                Ok(_) => return Err(StudyError::Components(formula.to_owned())),
                Err(r) => {
                    // a word that is no formula is a variable that was not spelt right
                    let names: Vec<String> = variables().flat_map(|v| v.titles()).collect();
                    return Err(match is_word(formula) {
                        true => unknown("variable", formula, &names.iter().map(String::as_str).collect::<Vec<_>>()),
                        false => r.into(),
                    });
                }
            };
            if parts != 1 {
                return Err(StudyError::Components(formula.to_owned()));
            }
            self.observables.push((format!("kept_{}", self.observables.len() + 1), formula.to_owned()));
        }
        // twice the same is kept once
        let mut once: Vec<Keep> = Vec::new();
        keep.into_iter().for_each(|item| {
            if !once.contains(&item) {
                once.push(item);
            }
        });
        self.columns = once.iter().flat_map(Keep::columns).collect();
        self.keep = once;
        Ok(())
    }

    /// Chooses the way, now that the base is compiled.
    fn settle(&mut self, mut built: Built, formulas: bool) {
        let outline = Outline::new(self, &built.compiled);
        Arc::make_mut(&mut built.compiled).watch(outline.watched.clone());
        let Ready { model, system, resolved, .. } = &mut built.ready;
        let rerun = Rerun::new(system, &resolved.options, &built.compiled).and_then(|r| r.for_numbers(system));
        let Some(rerun) = rerun else { return };
        let inputs: Vec<String> =
            (0..self.spec.design.axes().len()).map(|k| self.roles.symbol_name(&self.spec, k)).collect();
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let formulas = formulas.then(|| Formulas::new(model, system, &inputs)).flatten();
        self.way = if formulas.is_some() { Way::Formulas } else { Way::Parsed };
        self.base = Some(Base { rerun, formulas, outline });
    }
}

/// Whether a text is a name, with primes, dots and indices, and no formula.
pub fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.' | '[' | ']' | ','))
}

pub(crate) fn unknown(what: &'static str, name: &str, known: &[&str]) -> StudyError {
    StudyError::Unknown {
        what,
        name: name.to_owned(),
        close: closest(name, known.iter().copied()).map(str::to_owned),
        known: known.iter().map(|k| (*k).to_owned()).collect(),
    }
}
