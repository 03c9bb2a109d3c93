//! Everything that decides a motion, and the one road from it to the motion.
//!
//! ```text
//! Plan: text, values, coordinates, settings ─read→ Model ─ready→ Ready: model, system, Resolved (Run, CompileOptions)
//!     ─follow→ compile, solve; where equations that nobody asked for fail, others → Followed: the motion that came farthest
//! ```
//!
//! The command line, sweeps, pages and the library go this road, so that they give the same motion. What they show of it, who is told how far it is, and
//! who looks at its steps is theirs: [`Resolved::follow`] leaves the solving to its caller.
//!
//! ```
//! use polhode_simulate::Plan;
//!
//! let text = r#"
//! [parameters]
//! k = 1
//! [coordinates]
//! x = "real"
//! [lagrangian]
//! kinetic = "x'^2/2"
//! potential = "k*x^2/2"
//! [initial]
//! position = { x = 1 }
//! [run]
//! until = "2*pi/sqrt(k)"
//! "#;
//! let motion = Plan::new("oscillator.toml", text).set("k", "4").solve()?;
//! assert!((motion.end() - std::f64::consts::PI).abs() < 1e-15);
//! assert!((motion.last["x"] - 1.0).abs() < 1e-13);
//! # Ok::<(), polhode_simulate::PlanError>(())
//! ```
//!
//! Not here: other numbers in compiled tapes (`rerun`), names and values of settings (`polhode_model::run`).

use crate::compile::{Compile, CompileError, CompileOptions, Compiled};
use crate::run::{BadRun, Method, Precision, Run};
use crate::solve::Progress;
use crate::trajectory::Trajectory;
use polhode_base::{Diagnostics, SourceFile};
use polhode_lower::dd;
use polhode_mechanics::{Form, Inconsistent, System};
use polhode_model::run::UNTIL;
use polhode_model::{BadSetting, Charts, Model, ParseOptions, Rejected, RunSettings, Setting};
use polhode_tape::{Dd, Scalar};
use std::fmt;
use std::sync::Arc;

/// Everything that decides a motion.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The text of the model.
    pub source: SourceFile,
    /// Parameters and initial values in the place of its own.
    pub values: ParseOptions,
    /// The charts of a rolling body that is described by the parameters of its points of contact.
    pub charts: Option<Charts>,
    /// What is wished about the run, before what the model says.
    pub settings: RunSettings,
}

/// Why there is no motion.
#[derive(Clone, Debug)]
pub enum PlanError {
    /// The model has mistakes, or its initial state violates the constraints.
    Rejected(Rejected),
    /// A wish means nothing, or cannot be fulfilled.
    Setting(BadSetting),
    /// The system cannot be compiled.
    NotCompiled(CompileError),
    /// The integrator cannot do what it is asked for.
    BadRun(BadRun),
}

impl PlanError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            PlanError::Setting(e) => e.help(),
            PlanError::BadRun(e) => e.help().map(str::to_owned),
            PlanError::Rejected(_) | PlanError::NotCompiled(_) => None,
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Rejected(e) => e.fmt(f),
            PlanError::Setting(e) => e.fmt(f),
            PlanError::NotCompiled(e) => e.fmt(f),
            PlanError::BadRun(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for PlanError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            PlanError::Rejected(e) => e,
            PlanError::Setting(e) => e,
            PlanError::NotCompiled(e) => e,
            PlanError::BadRun(e) => e,
        })
    }
}

impl From<Rejected> for PlanError {
    fn from(e: Rejected) -> PlanError {
        PlanError::Rejected(e)
    }
}

impl From<BadSetting> for PlanError {
    fn from(e: BadSetting) -> PlanError {
        match e {
            BadSetting::Rejected(r) => PlanError::Rejected(*r),
            e => PlanError::Setting(e),
        }
    }
}

impl From<CompileError> for PlanError {
    fn from(e: CompileError) -> PlanError {
        match e {
            CompileError::Rejected(r) => PlanError::Rejected(r),
            e => PlanError::NotCompiled(e),
        }
    }
}

impl From<BadRun> for PlanError {
    fn from(e: BadRun) -> PlanError {
        PlanError::BadRun(e)
    }
}

impl Plan {
    /// The motion of a model as it is; `file_name` is what messages call it.
    pub fn new(file_name: &str, text: &str) -> Plan {
        Plan::of(SourceFile::new(file_name, text))
    }

    /// The same of a text that has a name.
    pub fn of(source: SourceFile) -> Plan {
        Plan { source, values: ParseOptions::default(), charts: None, settings: RunSettings::default() }
    }

    /// With another value of a parameter, a formula.
    pub fn set(mut self, name: &str, formula: impl fmt::Display) -> Plan {
        self.values.parameters.push((name.to_owned(), formula.to_string()));
        self
    }

    /// With another initial position or velocity, a formula.
    pub fn init(mut self, name: &str, formula: impl fmt::Display) -> Plan {
        self.values.initial.push((name.to_owned(), formula.to_string()));
        self
    }

    /// To this time, a number or a formula in the parameters.
    pub fn until(mut self, time: impl fmt::Display) -> Plan {
        self.settings.until = Some(time.to_string());
        self
    }

    /// With these wishes.
    pub fn settings(mut self, settings: RunSettings) -> Plan {
        self.settings = settings;
        self
    }

    /// Reads the model, and says what is remarkable about it.
    pub fn read(&self) -> Result<(Model, Diagnostics), Rejected> {
        let (model, mut found) = Model::from_source(self.source.clone(), &self.values)?;
        let Some(charts) = self.charts else { return Ok((model, found)) };
        let (changed, warnings) = model.in_neumann_coordinates(charts)?;
        found.extend(warnings);
        // at a pole the coordinates say nothing, and no motion can begin there
        match !model.initial.is_empty() && changed.initial.is_empty() {
            true => Err(Rejected { source: model.source, diagnostics: found }),
            false => Ok((changed, found)),
        }
    }

    /// Reads the model and what is wished; nothing is compiled yet.
    pub fn ready(&self) -> Result<Ready, PlanError> {
        let (model, found) = self.read()?;
        Ready::new(model, found, &self.settings)
    }

    /// Computes the motion.
    pub fn solve(&self) -> Result<Trajectory, PlanError> {
        self.solve_with(&mut |_| true)
    }

    /// Computes the motion; `progress` may end it.
    pub fn solve_with(&self, progress: Progress<'_>) -> Result<Trajectory, PlanError> {
        self.ready()?.solve_with(progress)
    }
}

/// A model that was read, with its system and what is wished about its motion.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The model; its events do what is wished.
    pub model: Model,
    /// Its system.
    pub system: System,
    /// What is remarkable about them.
    pub found: Diagnostics,
    /// What is run.
    pub resolved: Resolved,
}

impl Ready {
    /// Of a model that was read, about which something has been `found`.
    pub fn new(mut model: Model, mut found: Diagnostics, settings: &RunSettings) -> Result<Ready, PlanError> {
        let resolved = Resolved::new(&mut model, settings)?;
        match System::new(&model) {
            Ok((system, warnings)) => {
                found.extend(warnings);
                Ok(Ready { model, system, found, resolved })
            }
            Err(rejected) => {
                found.extend(rejected.diagnostics);
                Err(PlanError::Rejected(Rejected { diagnostics: found, ..rejected }))
            }
        }
    }

    /// Computes the motion; `progress` may end it.
    pub fn solve_with(&mut self, progress: Progress<'_>) -> Result<Trajectory, PlanError> {
        let run = &self.resolved.run;
        let mut solve = |compiled: Arc<Compiled>| Ok::<_, PlanError>((compiled.solve_with(run, &mut *progress)?, ()));
        Ok(self.resolved.follow(&mut self.system, &mut solve)?.motion)
    }
}

/// What is run, and how it is compiled.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What is run. It keeps the motion between the times that are reported.
    pub run: Run,
    /// How it is compiled.
    pub options: CompileOptions,
}

/// A motion with what came with it.
#[derive(Clone, Debug)]
pub struct Followed<T> {
    /// The motion that came farthest.
    pub motion: Trajectory,
    /// What its solving gave besides.
    pub more: T,
    /// What is not as it was asked for.
    pub notes: Vec<Note>,
}

/// Something about a motion that is not as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Note {
    /// The reduced equations cannot start: the full ones are taken.
    ReducedStart,
    /// The frame of the reduced equations fails on the way: the full ones are taken.
    Reduced {
        /// When.
        t: f64,
    },
    /// Where constraints come and go, the motion has multipliers, and not this form.
    Switches(Form),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::ReducedStart => f.write_str("the reduced equations fail at the start; the full ones are taken"),
            Note::Reduced { t } => {
                write!(f, "the frame of the reduced equations fails at t = {t}; the full ones are taken")
            }
            Note::Switches(form) => write!(
                f,
                "constraints of this model come and go, and the {} form keeps them; the form with multipliers is taken",
                form.title()
            ),
        }
    }
}

impl Resolved {
    /// What the wishes mean for a model, its own included. Its events do what is wished.
    pub fn new(model: &mut Model, settings: &RunSettings) -> Result<Resolved, BadSetting> {
        let all = model.wished(settings)?;
        let time = |setting: Setting, text: &String| model.time(setting.flag(), text).map(|x| dd(&x));
        let at: Vec<Dd> = all.at.iter().map(|text| time(Setting::At, text)).collect::<Result<_, _>>()?;
        let latest = at.iter().copied().reduce(|far, t| if far.abs() >= t.abs() { far } else { t });
        let until = all.until.as_ref().map(|text| time(Setting::Until, text)).transpose()?;
        let mut run = Run::until(until.or(latest).unwrap_or(Dd::from(UNTIL)));
        run.at = at;
        run.samples = all.samples.unwrap_or(0);
        run.method = all.method.unwrap_or_default();
        (run.rtol, run.atol, run.step) = (all.rtol, all.atol, all.step);
        run.precision = all.precision.map_or(Ok(Precision::Double), Precision::of_digits)?;
        run.project = all.project == Some(true);
        run.step_limit = all.max_steps.unwrap_or(run.step_limit);
        let options = CompileOptions {
            form: all.form,
            inconsistent: if run.project { Inconsistent::Project } else { Inconsistent::Refuse },
            observables: all.observe,
            discrete: run.chosen_method() == Method::Discrete,
            reduced: all.reduced == Some(true),
            lift: all.lift,
            drawing: false,
        };
        Ok(Resolved { run, options })
    }

    /// Compiles and solves; where equations that were chosen for the user fail, others are tried.
    pub fn follow<T, E: From<CompileError>>(
        &self,
        system: &mut System,
        solve: &mut dyn FnMut(Arc<Compiled>) -> Result<(Trajectory, T), E>,
    ) -> Result<Followed<T>, E> {
        let mut options = self.options.clone();
        let mut notes = Vec::new();
        let compiled = match system.compile_with(&options) {
            Err(CompileError::NotApplicable(form, why)) => return Err(CompileError::NotApplicable(form, why).into()),
            Err(CompileError::NotSwitchable(what)) => return Err(CompileError::NotSwitchable(what).into()),
            Err(_) if options.reduced && options.lift.is_none() => {
                notes.push(Note::ReducedStart);
                options.reduced = false;
                system.compile_with(&options)?
            }
            other => other?,
        };
        notes.extend(options.form.filter(|f| *f != compiled.program.form && compiled.switches()).map(Note::Switches));
        let (motion, more) = solve(compiled)?;
        let mut first = Followed { motion, more, notes };
        let Some(form) = first.motion.other_form().filter(|_| options.form.is_none()) else { return Ok(first) };
        let t = first.motion.report.t;
        let note = match options.reduced {
            true => {
                options.reduced = false;
                Some(Note::Reduced { t })
            }
            false => {
                options.form = Some(form);
                None
            }
        };
        // our own choice of equations failed on the way: perhaps others do not
        if let Ok(compiled) = system.compile_with(&options)
            && let Ok((motion, more)) = solve(compiled)
            && motion.reaches_farther(&first.motion)
        {
            first.notes.extend(note);
            return Ok(Followed { motion, more, notes: first.notes });
        }
        Ok(first)
    }
}
