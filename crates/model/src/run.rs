//! What decides how a motion is run, and what its parts are called.
//!
//! Forms, methods and settings have one list of names each. [`Setting::ALL`] is the table by which everything that asks for a motion is read: the
//! section `[run]` of a model, the flags of commands, the plans of sweeps, the requests of pages.
//!
//! ```text
//! words ─[`RunSettings::put`]→ RunSettings ─[`RunSettings::over`] the model's→ RunSettings ─resolve (polhode-simulate)→ what is run
//! ```
//!
//! Times stay formulas until they are resolved, so that 0.7 is the same time in a file and in a flag, with all digits.
//!
//! Not here: the numbers that a run computes with, and running it.

use crate::model::{Action, Cause, DIGITS, Event, Model, Rejected};
use polhode_expr::eval::{Digits, Real};
use std::fmt;

/// Final time when nobody says one.
pub const UNTIL: f64 = 10.0;

/// Most evenly spaced samples.
pub const MOST_SAMPLES: usize = 10_000_000;

/// Digits of doubles, and most digits that a run computes with.
const DOUBLE_DIGITS: usize = 16;
const MOST_DIGITS: usize = 30;

/// A classical form of the equations of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// Lagrange–d'Alembert equations with multipliers.
    Multipliers,
    /// Voronets' equations in independent velocities.
    Voronets,
    /// Chaplygin's equations, when the dependent coordinates are cyclic.
    Chaplygin,
    /// Hamel's (Boltzmann's) equations in quasi-velocities.
    Hamel,
    /// The Lagrange–d'Alembert–Poincaré equations of a system with symmetry.
    Ldap,
    /// The almost-Poisson Hamiltonian form on D*.
    Hamilton,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 6] =
        [Form::Multipliers, Form::Voronets, Form::Chaplygin, Form::Hamel, Form::Ldap, Form::Hamilton];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Multipliers => "multipliers",
            Form::Voronets => "voronets",
            Form::Chaplygin => "chaplygin",
            Form::Hamel => "hamel",
            Form::Ldap => "ldap",
            Form::Hamilton => "hamilton",
        }
    }

    /// The name in a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Form::Multipliers => "multipliers",
            Form::Voronets => "Voronets",
            Form::Chaplygin => "Chaplygin",
            Form::Hamel => "Hamel",
            Form::Ldap => "Lagrange–d'Alembert–Poincaré",
            Form::Hamilton => "Hamilton",
        }
    }

    /// The form to try where this one fails on the way, if it was nobody's wish.
    pub fn fallback(self) -> Form {
        match self {
            Form::Multipliers => Form::Hamel,
            _ => Form::Multipliers,
        }
    }
}

impl std::str::FromStr for Form {
    type Err = BadSetting;

    fn from_str(name: &str) -> Result<Form, BadSetting> {
        let found = Form::ALL.into_iter().find(|f| f.name() == name);
        found.ok_or_else(|| BadSetting::unknown("form", name, Form::ALL.map(Form::name)))
    }
}

/// An integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Taylor series for tight tolerances, DOP853 for loose ones.
    #[default]
    Auto,
    /// Taylor series of adaptive order and step.
    Taylor,
    /// The explicit Runge–Kutta method of order 8 of Dormand and Prince.
    Dop853,
    /// Gauss–Legendre collocation with this many stages, of twice as high an order; fixed step.
    Gauss(usize),
    /// The discrete Lagrange–d'Alembert equations, of order 2; fixed step.
    Discrete,
    /// None: the motion is solved. It is computed in `polhode-exact`, not by a run.
    Exact,
}

/// Stages of `gauss` when nothing else is said.
pub const GAUSS_STAGES: usize = 3;

impl Method {
    /// The names in files and on the command line, with what they mean. Of two names of a method the first is its own.
    const NAMES: [(&'static str, Method); 12] = [
        ("auto", Method::Auto),
        ("taylor", Method::Taylor),
        ("dop853", Method::Dop853),
        ("gauss", Method::Gauss(GAUSS_STAGES)),
        ("gauss1", Method::Gauss(1)),
        ("gauss2", Method::Gauss(2)),
        ("gauss3", Method::Gauss(3)),
        ("gauss4", Method::Gauss(4)),
        ("gauss5", Method::Gauss(5)),
        ("gauss6", Method::Gauss(6)),
        ("dla", Method::Discrete),
        ("exact", Method::Exact),
    ];

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Method::NAMES.into_iter().map(|(name, _)| name)
    }

    /// The method with a name; `gauss4` has four stages.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, method)| method)
    }

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        Method::NAMES.into_iter().find(|(_, method)| *method == self).map_or("gauss", |(name, _)| name)
    }

    /// The name in a sentence.
    pub fn title(self) -> String {
        match self {
            Method::Auto => "automatic".into(),
            Method::Taylor => "Taylor".into(),
            Method::Dop853 => "DOP853".into(),
            Method::Gauss(s) => format!("Gauss–Legendre, {s} stages"),
            Method::Discrete => "discrete Lagrange–d'Alembert".into(),
            Method::Exact => "exact".into(),
        }
    }

    /// Does it need a step size?
    pub fn is_fixed_step(self) -> bool {
        matches!(self, Method::Gauss(_) | Method::Discrete)
    }
}

/// The numbers a run computes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Doubles: 16 digits.
    #[default]
    Double,
    /// Double-doubles: 31 digits. Taylor series only.
    DoubleDouble,
}

impl Precision {
    /// The numbers with that many digits, if there are any.
    pub fn of_digits(digits: usize) -> Result<Precision, BadSetting> {
        match digits {
            0..=DOUBLE_DIGITS => Ok(Precision::Double),
            _ if digits <= MOST_DIGITS => Ok(Precision::DoubleDouble),
            _ => Err(BadSetting::Digits(digits)),
        }
    }
}

/// Something that can be said about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// Final time.
    Until,
    /// Relative tolerance.
    Rtol,
    /// Absolute tolerance.
    Atol,
    /// Which integrator.
    Method,
    /// Which form of the equations.
    Form,
    /// The step of methods that keep it fixed.
    Step,
    /// Steps after which a run ends.
    MaxSteps,
    /// Digits of the arithmetic.
    Precision,
    /// Restore the constraints.
    Project,
    /// Reduce by symmetry.
    Reduced,
    /// Positions of a reduced run to put back together.
    Lift,
    /// More quantities.
    Observe,
    /// Events that end the run.
    StopAt,
    /// Events that do not.
    GoOn,
    /// Times to report.
    At,
    /// How many more, evenly spaced.
    Samples,
}

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A number, or a formula in the parameters.
    Formula,
    /// Some of these.
    Formulas,
    /// A positive number.
    Number,
    /// A whole number from 1.
    Count,
    /// A word of a list.
    Word,
    /// Yes or no.
    Switch,
    /// Several texts.
    Texts,
}

impl Setting {
    /// The table.
    pub const ALL: [Setting; 16] = [
        Setting::Until,
        Setting::Rtol,
        Setting::Atol,
        Setting::Method,
        Setting::Form,
        Setting::Step,
        Setting::MaxSteps,
        Setting::Precision,
        Setting::Project,
        Setting::Reduced,
        Setting::Lift,
        Setting::Observe,
        Setting::StopAt,
        Setting::GoOn,
        Setting::At,
        Setting::Samples,
    ];

    /// The name in files; flags have hyphens in the place of `_`.
    pub fn name(self) -> &'static str {
        self.entry().0
    }

    /// Its flag on the command line.
    pub fn flag(self) -> &'static str {
        self.entry().1
    }

    /// What it takes.
    pub fn takes(self) -> Takes {
        self.entry().2
    }

    /// What stands for its value in the help of a command.
    pub fn placeholder(self) -> &'static str {
        self.entry().3
    }

    fn entry(self) -> (&'static str, &'static str, Takes, &'static str) {
        match self {
            Setting::Until => ("until", "--until", Takes::Formula, "T"),
            Setting::Rtol => ("rtol", "--rtol", Takes::Number, "X"),
            Setting::Atol => ("atol", "--atol", Takes::Number, "X"),
            Setting::Method => ("method", "--method", Takes::Word, "METHOD"),
            Setting::Form => ("form", "--form", Takes::Word, "FORM"),
            Setting::Step => ("step", "--step", Takes::Number, "H"),
            Setting::MaxSteps => ("max_steps", "--max-steps", Takes::Count, "N"),
            Setting::Precision => ("precision", "--precision", Takes::Count, "DIGITS"),
            Setting::Project => ("project", "--project", Takes::Switch, "YES"),
            Setting::Reduced => ("reduced", "--reduced", Takes::Switch, "YES"),
            Setting::Lift => ("lift", "--lift", Takes::Texts, "Q1,Q2,…"),
            Setting::Observe => ("observe", "--observe", Takes::Texts, "NAME=EXPR"),
            Setting::StopAt => ("stop_at", "--stop-at", Takes::Texts, "EVENT"),
            Setting::GoOn => ("go_on", "--go-on", Takes::Texts, "EVENT"),
            Setting::At => ("at", "--at", Takes::Formulas, "T1,T2,…"),
            Setting::Samples => ("samples", "--samples", Takes::Count, "N"),
        }
    }

    /// What it is, for the help of commands.
    pub fn about(self) -> String {
        let joined = |names: Vec<&str>| names.join(", ");
        match self {
            Setting::Until => {
                format!("Final time; a formula such as 2*pi is fine; without it the last of `at`, or {UNTIL}")
            }
            Setting::Rtol => "Relative tolerance of one step".into(),
            Setting::Atol => "Absolute tolerance of one step".into(),
            Setting::Method => {
                format!("The integrator: {}; exact is for motions that return", joined(Method::names().collect()))
            }
            Setting::Form => format!("The form to integrate: {}", joined(Form::ALL.map(Form::name).to_vec())),
            Setting::Step => "Step size of gauss and dla".into(),
            Setting::MaxSteps => "Give up after this many steps".into(),
            Setting::Precision => format!("Digits to compute with: {DOUBLE_DIGITS}, or up to {MOST_DIGITS}"),
            Setting::Project => {
                "Move an inconsistent initial velocity to the nearest admissible one, and restore the constraints after every step".into()
            }
            Setting::Reduced => {
                "Integrate the equations reduced by symmetry, with the group variables following; not together with `form`".into()
            }
            Setting::Lift => {
                "Of reduced equations: put only these positions back together, e.g. x,y or none; those that events and `observe` need come with them".into()
            }
            Setting::Observe => "Look at one more quantity, e.g. \"speed=norm(centre')\" (repeatable)".into(),
            Setting::StopAt => format!(
                "End the run at this event: its name, or its cause: {} (repeatable)",
                joined(Cause::ALL.map(Cause::name).to_vec())
            ),
            Setting::GoOn => "Note this event and go on, even if the model ends there (repeatable)".into(),
            Setting::At => "Report the state at exactly these times".into(),
            Setting::Samples => "Report this many evenly spaced times".into(),
        }
    }
}

/// What is said about a run. What is not said is as usual.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSettings {
    /// Final time, a formula in the parameters.
    pub until: Option<String>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Which integrator.
    pub method: Option<Method>,
    /// Which form of the equations.
    pub form: Option<Form>,
    /// The step of the methods that keep it fixed.
    pub step: Option<f64>,
    /// Steps after which a run ends.
    pub max_steps: Option<u64>,
    /// Digits of the arithmetic.
    pub precision: Option<usize>,
    /// Move an inconsistent initial velocity to the nearest admissible one, and restore the constraints after every step.
    pub project: Option<bool>,
    /// Integrate the equations reduced by symmetry.
    pub reduced: Option<bool>,
    /// Of reduced equations, the positions to put back together; without a wish all of them.
    pub lift: Option<Vec<String>>,
    /// More quantities to look at: name and formula.
    pub observe: Vec<(String, String)>,
    /// Names and causes of events that end the run.
    pub stop_at: Vec<String>,
    /// Names and causes of events after which it goes on.
    pub go_on: Vec<String>,
    /// Times to report, formulas in the parameters.
    pub at: Vec<String>,
    /// How many times to report, evenly spaced.
    pub samples: Option<usize>,
}

impl RunSettings {
    /// Reads the words that were given for a setting; one that takes one thing has one word.
    pub fn put(&mut self, setting: Setting, words: &[String]) -> Result<(), BadSetting> {
        let first = words.first().map_or("", |w| w.trim());
        let name = setting.name();
        let wrong = |wanted: &'static str| BadSetting::Wrong { name, wanted, given: first.to_owned() };
        let number = || first.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite());
        let positive = || number().ok_or_else(|| wrong("a positive number"));
        let whole = || first.parse().ok().filter(|n: &u64| *n > 0).ok_or_else(|| wrong("a whole number from 1"));
        let count = || whole().and_then(|n| usize::try_from(n).map_err(|_| wrong("a smaller number")));
        let switch = || first.parse().map_err(|_| wrong("`true` or `false`"));
        match setting {
            Setting::Until => self.until = Some(first.to_owned()),
            Setting::Rtol => self.rtol = Some(positive()?),
            Setting::Atol => self.atol = Some(positive()?),
            Setting::Method => {
                let found = Method::from_name(first);
                self.method = Some(found.ok_or_else(|| BadSetting::unknown("method", first, Method::names()))?);
            }
            Setting::Form => self.form = Some(first.parse()?),
            Setting::Step => self.step = Some(positive()?),
            Setting::MaxSteps => self.max_steps = Some(whole()?),
            Setting::Precision => self.precision = Some(count()?),
            Setting::Project => self.project = Some(switch()?),
            Setting::Reduced => self.reduced = Some(switch()?),
            Setting::Lift => {
                let names = words.iter().flat_map(|list| separated(list)).filter(|name| name != "none");
                self.lift = Some(names.collect());
            }
            Setting::Observe => {
                self.observe = words.iter().map(|w| assignment(setting.flag(), w)).collect::<Result<_, _>>()?
            }
            Setting::StopAt => self.stop_at = words.to_vec(),
            Setting::GoOn => self.go_on = words.to_vec(),
            Setting::At => self.at = words.to_vec(),
            Setting::Samples => self.samples = Some(count()?),
        }
        Ok(())
    }

    /// The words that [`RunSettings::put`] reads back; `None` for what is not said.
    pub fn words(&self, setting: Setting) -> Option<Vec<String>> {
        let some = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
        let number = |x: Option<f64>| x.map(|x| format!("{x:?}"));
        let one = match setting {
            Setting::Until => self.until.clone(),
            Setting::Rtol => number(self.rtol),
            Setting::Atol => number(self.atol),
            Setting::Method => self.method.map(|m| m.name().to_owned()),
            Setting::Form => self.form.map(|f| f.name().to_owned()),
            Setting::Step => number(self.step),
            Setting::MaxSteps => self.max_steps.map(|n| n.to_string()),
            Setting::Precision => self.precision.map(|n| n.to_string()),
            Setting::Project => self.project.map(|yes| yes.to_string()),
            Setting::Reduced => self.reduced.map(|yes| yes.to_string()),
            Setting::Samples => self.samples.map(|n| n.to_string()),
            Setting::Lift => {
                let none = || vec!["none".to_owned()];
                return self.lift.as_ref().map(|names| some(names).unwrap_or_else(none));
            }
            Setting::Observe => {
                let list: Vec<String> = self.observe.iter().map(|(name, e)| format!("{name}={e}")).collect();
                return some(&list);
            }
            Setting::StopAt => return some(&self.stop_at),
            Setting::GoOn => return some(&self.go_on),
            Setting::At => return some(&self.at),
        };
        one.map(|word| vec![word])
    }

    /// The flags of a command that say the same.
    pub fn flags(&self) -> Vec<String> {
        let said = Setting::ALL.into_iter().filter_map(|s| Some((s, self.words(s)?)));
        said.flat_map(|(setting, words)| {
            let flag = setting.flag().to_owned();
            match setting.takes() {
                Takes::Switch if words[0] == "true" => vec![flag],
                Takes::Switch => vec![format!("{flag}={}", words[0])],
                Takes::Formulas => vec![flag, words.join(",")],
                _ => words.into_iter().flat_map(|word| [flag.clone(), word]).collect(),
            }
        })
        .collect()
    }

    /// These wishes, and where they are silent those of a model.
    ///
    /// A wish may make others of the model pointless: a step where no method keeps one, a form where the equations are reduced, times where others
    /// are wanted.
    pub fn over(&self, model: &RunSettings) -> RunSettings {
        let RunSettings { until, rtol, atol, method, form, step, max_steps, precision, .. } = self.clone();
        let method = method.or(model.method);
        let fixed = method.is_some_and(Method::is_fixed_step);
        let unless = |list: &[String], not: &[String]| -> Vec<String> {
            list.iter().filter(|name| !not.contains(name)).cloned().collect()
        };
        let observe = model.observe.iter().filter(|(name, _)| self.observe.iter().all(|(own, _)| own != name));
        RunSettings {
            until: until.or_else(|| model.until.clone()),
            rtol: rtol.or(model.rtol),
            atol: atol.or(model.atol),
            method,
            form: form.or(model.form.filter(|_| self.reduced != Some(true))),
            step: step.or(model.step.filter(|_| fixed)),
            max_steps: max_steps.or(model.max_steps),
            precision: precision.or(model.precision),
            project: self.project.or(model.project),
            reduced: self.reduced.or(model.reduced.filter(|_| self.form.is_none())),
            lift: self.lift.clone().or_else(|| model.lift.clone().filter(|_| self.form.is_none())),
            observe: observe.chain(&self.observe).cloned().collect(),
            stop_at: [unless(&model.stop_at, &self.go_on), self.stop_at.clone()].concat(),
            go_on: [unless(&model.go_on, &self.stop_at), self.go_on.clone()].concat(),
            at: if self.at.is_empty() && self.samples.is_none() { model.at.clone() } else { self.at.clone() },
            samples: self.samples.or(model.samples),
        }
    }

    /// What is wrong with these wishes whatever the model is.
    pub fn check(&self) -> Result<(), BadSetting> {
        let reduced = self.reduced == Some(true);
        let together = |a: Setting, b: Setting| Err(BadSetting::Together(a, b));
        match self {
            RunSettings { form: Some(_), .. } if reduced => return together(Setting::Reduced, Setting::Form),
            RunSettings { lift: Some(_), project: Some(true), .. } => return together(Setting::Lift, Setting::Project),
            RunSettings { lift: Some(_), .. } if !reduced => return Err(BadSetting::NotReduced),
            RunSettings { samples: Some(n), .. } if *n > MOST_SAMPLES => return Err(BadSetting::Samples(*n)),
            RunSettings { method: Some(Method::Discrete), form: Some(form), .. } if *form != Form::Multipliers => {
                return Err(BadSetting::DiscreteForm(*form));
            }
            RunSettings { method: Some(Method::Discrete), .. } if reduced => return Err(BadSetting::DiscreteReduced),
            _ => {}
        }
        self.precision.map_or(Ok(()), |digits| Precision::of_digits(digits).map(|_| ()))
    }
}

/// The parts of a list with commas; the comma of `R[3,1]` separates nothing.
fn separated(list: &str) -> Vec<String> {
    let mut depth = 0;
    let separates = |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    };
    list.split(separates).map(|name| name.trim().to_owned()).collect()
}

/// NAME=EXPR, split at its equals sign; `flag` is where it is said.
pub fn assignment(flag: &str, text: &str) -> Result<(String, String), BadSetting> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(BadSetting::NotNamed { flag: flag.to_owned(), text: text.to_owned() }),
    }
}

impl Model {
    /// A time given as a formula in the parameters, exactly.
    pub fn time(&self, flag: &str, text: &str) -> Result<Real, BadSetting> {
        let refuse = |why| BadSetting::Time { flag: flag.to_owned(), text: text.to_owned(), why };
        let mut graph = self.graph.clone();
        let formula = self.formula(&mut graph, text)?;
        let [e] = formula[..] else { return Err(refuse("a time is one number")) };
        let arithmetic = Digits::decimal(DIGITS);
        let value = self.parameter_digits().and_then(|p| graph.evaluate(&arithmetic, &[e], &p));
        value.map(|mut x| x.remove(0)).map_err(|_| refuse("a time is a number, or a formula in the parameters"))
    }

    /// When a run ends if only the model says it.
    pub fn until(&self) -> f64 {
        let own = self.run.until.as_ref().and_then(|text| self.time(Setting::Until.flag(), text).ok());
        own.map_or(UNTIL, |t| t.to_f64().value())
    }

    /// What is to be run of this model: these wishes, and where they are silent its own; its events do what is wished.
    pub fn wished(&mut self, settings: &RunSettings) -> Result<RunSettings, BadSetting> {
        let all = settings.over(&self.run);
        all.check()?;
        self.choose_events(&all.stop_at, Action::Stop)?;
        self.choose_events(&all.go_on, Action::Record)?;
        for (i, (name, _)) in all.observe.iter().enumerate() {
            let taken = self.graph.find_symbol(name).is_some()
                || name == "energy"
                || self.observables.iter().any(|(n, _)| n == name)
                || all.observe[..i].iter().any(|(n, _)| n == name);
            if taken {
                return Err(BadSetting::Taken(all.observe[i].clone()));
            }
        }
        Ok(all)
    }

    fn choose_events(&mut self, words: &[String], action: Action) -> Result<(), BadSetting> {
        for word in words {
            // what cannot happen with these shapes may be asked for, as in the model file; slip needs friction
            let cause = word.parse().is_ok_and(|cause: Cause| cause != Cause::Slip) && !self.contacts.is_empty();
            if !cause && !self.events.iter().any(|e| e.is_called(word)) {
                let slip = word == Cause::Slip.name();
                if let Some(contact) = self.contacts.first().filter(|_| slip)
                    && self.contacts.iter().any(|c| !c.frictionless)
                {
                    return Err(BadSetting::NoFriction { contact: contact.name.clone() });
                }
                let mut names: Vec<&str> = self.events.iter().map(|e| e.name.as_str()).collect();
                names.extend(self.events.iter().filter_map(|e| e.cause.map(|c| -> &str { c.name() })));
                names.sort_unstable();
                names.dedup();
                return Err(BadSetting::unknown("event", word, names));
            }
            let mut called = self.events.iter_mut().filter(|e| e.is_called(word)).peekable();
            let any = called.peek().is_some();
            let may = |e: &&mut Event| action == Action::Stop || !e.is_final();
            let mut chosen = called.filter(may).peekable();
            if any && chosen.peek().is_none() {
                return Err(BadSetting::Final(word.clone()));
            }
            chosen.for_each(|e| e.action = action);
        }
        Ok(())
    }
}

/// A wish that means nothing, or cannot be fulfilled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BadSetting {
    /// A name that means nothing.
    Unknown {
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A value that a setting cannot have.
    Wrong {
        /// The setting.
        name: &'static str,
        /// What it is to be.
        wanted: &'static str,
        /// What was given.
        given: String,
    },
    /// A time that is none.
    Time {
        /// Where it is said.
        flag: String,
        /// The formula.
        text: String,
        /// Why it is none.
        why: &'static str,
    },
    /// A formula with mistakes.
    Rejected(Box<Rejected>),
    /// More digits than can be computed.
    Digits(usize),
    /// More samples than can be written.
    Samples(usize),
    /// Two that exclude each other.
    Together(Setting, Setting),
    /// Positions are put back together in reduced runs alone.
    NotReduced,
    /// The discrete method in a form.
    DiscreteForm(Form),
    /// The discrete method of reduced equations.
    DiscreteReduced,
    /// A formula without a name.
    NotNamed {
        /// Where it is said.
        flag: String,
        /// The formula.
        text: String,
    },
    /// A quantity to look at with the name of another one.
    Taken((String, String)),
    /// No contact can slip.
    NoFriction {
        /// The first contact.
        contact: String,
    },
    /// No run goes on from an event.
    Final(String),
}

impl BadSetting {
    /// A name that is not one of these.
    pub fn unknown<'a>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> BadSetting {
        let known = known.into_iter().map(str::to_owned).collect();
        BadSetting::Unknown { what, name: name.to_owned(), known }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            BadSetting::Unknown { name, known, .. } => {
                match polhode_base::closest(name, known.iter().map(String::as_str)) {
                    Some(close) => format!("did you mean `{close}`?"),
                    None if known.is_empty() => "the model has none".to_owned(),
                    None => format!("there are {}", known.join(", ")),
                }
            }
            BadSetting::Wrong { name, given, .. } if *name == Setting::Samples.name() && given == "0" => {
                format!("ask for at least 1: {} 1", Setting::Samples.flag())
            }
            BadSetting::Wrong { .. } | BadSetting::Time { .. } | BadSetting::Rejected(_) => return None,
            BadSetting::Digits(_) => format!("up to {MOST_DIGITS} can: --precision {MOST_DIGITS}"),
            BadSetting::Samples(_) => format!("up to {MOST_SAMPLES} can be written"),
            BadSetting::Together(a, b) => format!("leave `{}` or `{}` out", a.name(), b.name()),
            BadSetting::NotReduced => "say `reduced` too, or leave `lift` out".to_owned(),
            BadSetting::DiscreteForm(_) => "leave --form out".to_owned(),
            BadSetting::DiscreteReduced => "leave --reduced out".to_owned(),
            BadSetting::NotNamed { flag, text } if *flag == Setting::Observe.flag() && !text.contains('=') => {
                format!("give it a name: {flag} \"y={}\"", text.trim())
            }
            BadSetting::NotNamed { .. } => return None,
            BadSetting::Taken(_) => "choose another one".to_owned(),
            BadSetting::NoFriction { contact } if contact.is_empty() => "add friction = 0.5 under [ground]".to_owned(),
            BadSetting::NoFriction { contact } => format!("add friction = 0.5 under [contact.{contact}]"),
            BadSetting::Final(_) => "the equations do not say how the point of contact would move".to_owned(),
        })
    }
}

impl fmt::Display for BadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSetting::Unknown { what, name, .. } => write!(f, "there is no {what} `{name}`"),
            BadSetting::Wrong { name, wanted, given } => write!(f, "`{name}` is {wanted}, but here it is {given}"),
            BadSetting::Time { flag, text, why } => write!(f, "`{flag} {text}`: {why}"),
            BadSetting::Rejected(r) => r.fmt(f),
            BadSetting::Digits(digits) => write!(f, "{digits} digits are more than can be computed here"),
            BadSetting::Samples(count) => write!(f, "{count} samples are more than anybody reads"),
            BadSetting::Together(a, b) => write!(f, "`{}` and `{}` exclude each other", a.name(), b.name()),
            BadSetting::NotReduced => f.write_str("only reduced equations have positions to `lift`"),
            BadSetting::DiscreteForm(form) => {
                write!(f, "the discrete method has equations of its own, not those of the {} form", form.title())
            }
            BadSetting::DiscreteReduced => {
                f.write_str("the discrete method has equations of its own, which are not reduced")
            }
            BadSetting::NotNamed { flag, text } => write!(f, "`{flag} {text}` is not of the form NAME=EXPR"),
            BadSetting::Taken((name, _)) => write!(f, "`--observe {name}=…`: the name `{name}` is taken"),
            BadSetting::NoFriction { .. } => {
                f.write_str("there is no event `slip`, because no contact has a coefficient of friction")
            }
            BadSetting::Final(word) => write!(f, "`--go-on {word}`: no run goes on from there"),
        }
    }
}

impl std::error::Error for BadSetting {}

impl From<Rejected> for BadSetting {
    fn from(rejected: Rejected) -> BadSetting {
        BadSetting::Rejected(Box::new(rejected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every setting reads back what it writes.
    #[test]
    fn words_read_back() {
        let words = |setting: Setting| -> Vec<String> {
            let words: &[&str] = match (setting, setting.takes()) {
                (Setting::Method, _) => &["gauss4"],
                (Setting::Form, _) => &["ldap"],
                (Setting::Lift, _) => &["x,R[3,1]", "y"],
                (Setting::Observe, _) => &["speed=norm(v)", "a=b == c"],
                (_, Takes::Formula) => &["2*pi"],
                (_, Takes::Formulas | Takes::Texts) => &["1", "2*pi"],
                (_, Takes::Number) => &["1e-9"],
                (_, Takes::Count) => &["17"],
                (_, Takes::Switch | Takes::Word) => &["true"],
            };
            words.iter().map(|w| (*w).to_owned()).collect()
        };
        let mut all = RunSettings::default();
        for setting in Setting::ALL {
            assert_eq!(setting.flag(), format!("--{}", setting.name().replace('_', "-")));
            assert_eq!(all.words(setting), None);
            all.put(setting, &words(setting)).unwrap();
            let mut again = RunSettings::default();
            again.put(setting, &all.words(setting).unwrap()).unwrap();
            assert_eq!(again.words(setting), all.words(setting), "{}", setting.name());
        }
        assert_eq!(all.lift.as_ref().map(Vec::len), Some(3));
        assert_eq!(all.observe[1], ("a".to_owned(), "b == c".to_owned()));
        assert_eq!(all.over(&RunSettings::default()), all);
        assert_eq!(RunSettings::default().over(&all).method, Some(Method::Gauss(4)));
    }

    #[test]
    fn names_are_those_of_the_methods() {
        for name in Method::names() {
            let method = Method::from_name(name).unwrap();
            assert_eq!(Method::from_name(method.name()), Some(method), "{name}");
        }
        assert_eq!(Method::Gauss(GAUSS_STAGES).name(), "gauss");
        assert!(Method::from_name("gauss7").is_none());
    }

    #[test]
    fn a_wish_puts_what_it_excludes_aside() {
        let model = RunSettings {
            method: Some(Method::Gauss(3)),
            step: Some(0.1),
            form: Some(Form::Hamel),
            at: vec!["1".into()],
            stop_at: vec!["slip".into()],
            ..RunSettings::default()
        };
        let wish = RunSettings {
            method: Some(Method::Taylor),
            reduced: Some(true),
            samples: Some(5),
            go_on: vec!["slip".into()],
            ..RunSettings::default()
        };
        let both = wish.over(&model);
        assert_eq!((both.step, both.form, both.at.len(), both.stop_at.len()), (None, None, 0, 0));
        assert!(both.check().is_ok());
        assert!(RunSettings { reduced: Some(true), ..model }.check().is_err());
    }
}
