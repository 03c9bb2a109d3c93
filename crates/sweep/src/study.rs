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
use crate::starter::{Names, Starter};
use polhode_base::{SourceFile, closest};
use polhode_expr::eval::Digits;
use polhode_lower::dd;
use polhode_mechanics::{Form, System};
use polhode_model::{DIGITS, Model, ParseOptions, Rejected, RunSettings};
use polhode_simulate::{
    BadRun, Compile, CompileError, CompileOptions, Compiled, EventKind, Group, Method, Refit, Run, fingerprint,
};
use polhode_tape::Dd;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Final time when neither the model nor the user says one.
const UNTIL: f64 = 10.0;

/// Why there is nothing to run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StudyError {
    /// The model, or a formula, has mistakes.
    Rejected(Box<Rejected>),
    /// No sample could be compiled; why the first could not.
    NotCompiled(Box<CompileError>),
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
    /// The integrator cannot do what it is asked for.
    BadRun(BadRun),
    /// Motions cannot go side by side, although that is asked for: why.
    NotSideBySide(&'static str),
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StudyError::Rejected(r) => r.fmt(f),
            StudyError::NotCompiled(e) => e.fmt(f),
            StudyError::Unknown { what, name, .. } => write!(f, "there is no {what} `{name}`"),
            StudyError::NotScalar(name) => write!(f, "`{name}` is more than one number"),
            StudyError::Components(formula) => write!(f, "`{formula}` is more than one number"),
            StudyError::Until(text) => write!(f, "`--until {text}` is no number that all motions share"),
            StudyError::BadRun(e) => e.fmt(f),
            StudyError::NotSideBySide(why) => write!(f, "these motions cannot go side by side: {why}"),
        }
    }
}

impl std::error::Error for StudyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StudyError::Rejected(e) => Some(&**e),
            StudyError::NotCompiled(e) => Some(&**e),
            StudyError::BadRun(e) => Some(e),
            _ => None,
        }
    }
}

impl StudyError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            StudyError::Unknown { close: Some(close), .. } => Some(format!("did you mean `{close}`?")),
            StudyError::Unknown { known, .. } if known.is_empty() => Some("the model has none".to_owned()),
            StudyError::Unknown { known, .. } => Some(format!("there are {}", known.join(", "))),
            StudyError::NotScalar(name) => {
                Some(format!("vary a name in its formula: --init \"{name}=[0,0,w]\" --vary w=1..2:5"))
            }
            StudyError::Components(formula) => Some(format!("keep one component: ({formula})[1]")),
            StudyError::NotSideBySide(_) => Some("leave `--engine batch` out".to_owned()),
            StudyError::Until(_) => Some("write a number, or a formula in parameters that are not varied".to_owned()),
            _ => None,
        }
    }
}

impl From<Rejected> for StudyError {
    fn from(r: Rejected) -> Self {
        StudyError::Rejected(Box::new(r))
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
    pub(crate) run: Run,
    pub(crate) form: Option<Form>,
    /// What is kept, with every name written out.
    pub(crate) keep: Vec<Keep>,
    columns: Vec<String>,
    /// Formulas that are looked at: name as a variable, and text.
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
    pub(crate) refit: Refit,
    pub(crate) starter: Option<Starter>,
    pub(crate) names: Names,
    pub(crate) fingerprint: Vec<Option<f64>>,
    pub(crate) outline: Outline,
}

/// A model with its system and program.
struct Built {
    model: Model,
    system: System,
    compiled: Arc<Compiled>,
}

impl Study {
    /// Resolves all names and compiles the model.
    pub fn new(source: SourceFile, spec: Spec) -> Result<Study, StudyError> {
        let (bare, _) = Model::from_source(source.clone(), &ParseOptions::default())?;
        let roles = Roles::new(&bare, &source, &spec)?;
        let form = match spec.wishes.form.as_ref().or(bare.run.form.as_ref()) {
            None => None,
            Some(name) => Some(name.parse::<Form>().map_err(|()| unknown("form", name, &RunSettings::FORMS))?),
        };
        let title = if bare.title.is_empty() { bare.name.clone() } else { bare.title.clone() };
        let mut study = Study {
            run: Run::until(UNTIL).sparse(),
            keep: Vec::new(),
            columns: Vec::new(),
            observables: Vec::new(),
            base: None,
            way: Way::Fresh,
            engine: EngineKind::Single,
            template: OnceLock::new(),
            title,
            form,
            roles,
            source,
            spec,
        };
        // reading the model tells whether its starts are formulas; the first system tells what can be kept of its motions
        let mut built = study.first(false)?;
        let sampled = built.model.contacts.is_empty() && !built.compiled.switches();
        let formulas = sampled && (built.model.bodies.is_empty() || !study.roles.vary_parameters());
        study.run = study.wishes(&built.model)?;
        study.resolve(&built)?;
        if formulas || !study.observables.is_empty() {
            built = study.first(formulas)?;
        }
        // a single step tells whether the integrator can do what it is asked for
        built.compiled.solve(&Run { step_limit: 1, ..study.run.clone() }).map_err(StudyError::BadRun)?;
        study.settle(built, formulas);
        let wanted = study.spec.wishes.engine;
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

    /// How the model is read for a sample.
    pub(crate) fn options(&self, values: &[f64]) -> ParseOptions {
        let texts: Vec<String> = values.iter().map(|x| value_text(*x)).collect();
        self.roles.options(&self.spec, &texts, false)
    }

    pub(crate) fn compile_options(&self, form: Option<Form>) -> CompileOptions {
        CompileOptions {
            form,
            discrete: self.run.chosen_method() == Method::Discrete,
            observables: self.observables.clone(),
            ..CompileOptions::default()
        }
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
        let texts: Vec<String> = values.iter().map(|x| value_text(*x)).collect();
        let options = self.roles.options(&self.spec, &texts, formulas);
        let (model, _) = Model::from_source(self.source.clone(), &options)?;
        let (mut system, _) = System::new(&model)?;
        let compiled = system.compile_with(&self.compile_options(self.form)).map_err(|e| match e {
            CompileError::Rejected(r) => r.into(),
            e => StudyError::NotCompiled(Box::new(e)),
        })?;
        Ok(Built { model, system, compiled })
    }

    /// How motions are run: what is asked for, else what the model says.
    fn wishes(&self, model: &Model) -> Result<Run, StudyError> {
        let (wishes, settings) = (&self.spec.wishes, &model.run);
        let until = match &wishes.until {
            Some(text) => self.time(model, text)?,
            None => Dd::from(settings.until.unwrap_or(UNTIL)),
        };
        let mut run = Run::until(until).sparse();
        if let Some(name) = wishes.method.as_ref().or(settings.method.as_ref()) {
            let method = Method::from_name(name).filter(|m| *m != Method::Exact);
            run.method = method.ok_or_else(|| unknown("method", name, &RunSettings::METHODS))?;
        }
        (run.rtol, run.atol) = (wishes.rtol.or(settings.rtol), wishes.atol.or(settings.atol));
        let fixed = run.chosen_method().is_fixed_step();
        run.step = wishes.step.or(settings.step.filter(|_| fixed));
        if let Some(most) = wishes.max_steps {
            run.step_limit = most;
        }
        Ok(run)
    }

    /// A time that all motions share.
    fn time(&self, model: &Model, text: &str) -> Result<Dd, StudyError> {
        let mut graph = model.graph.clone();
        let formula = model.formula(&mut graph, text)?;
        let refused = || StudyError::Until(text.to_owned());
        let [e] = formula[..] else { return Err(refused()) };
        let names: Vec<&str> = self.spec.design.axes().iter().map(|a| a.name.as_str()).collect();
        if graph.free_symbols(&[e]).iter().any(|s| names.contains(&graph.name(*s))) {
            return Err(refused());
        }
        let values = model.parameter_digits().and_then(|p| graph.evaluate(&Digits::decimal(DIGITS), &[e], &p));
        values.map(|x| dd(&x[0])).map_err(|_| refused())
    }

    /// Finds what is to be kept among variables and events; what is no variable is a formula.
    fn resolve(&mut self, built: &Built) -> Result<(), StudyError> {
        let (compiled, model) = (&built.compiled, &built.model);
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
        let Some(refit) = Refit::new(&mut built.system, &built.compiled) else { return };
        let starter = formulas.then(|| Starter::new(self, &mut built.model, &built.system)).flatten();
        self.way = if starter.is_some() { Way::Formulas } else { Way::Parsed };
        let names = Names::new(&built.system);
        self.base = Some(Base { refit, starter, names, fingerprint: fingerprint(&built.model), outline });
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
