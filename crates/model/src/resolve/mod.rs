//! From the tree of a model file to a [`Model`]: names, dimensions, sections.
//!
//! Sections are read in the order in which they need each other, whatever their order
//! in the file:
//!
//! ```text
//! parameters → coordinates → functions → define and bodies → quasi_velocities, gravity
//!     → lagrangian, forces, constraints, symmetry, initial, observables, run, events, drawings
//! ```
//!
//! Inside `[parameters]` and `[define]` a name is known after the line that defines it.
//! Definitions and bodies may use each other: `order` finds out which comes first.
//! A formula with a mistake is reported once; what depends on it is passed over in
//! silence, so that each message stands for a mistake of its own.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `formula`, `functions` | formulas: the value of a tree |
//! | `scope`, `names` | what names stand for, and what to say when they do not |
//! | `parameters`, `coordinates`, `definitions` | the sections that declare names |
//! | `order` | definitions and bodies, each after those that it uses |
//! | `bodies`, `lagrangian`, `forces`, `point_forces`, `constraints` | the mechanics |
//! | `surfaces`, `rolling`, `contacts` | bodies that roll: their surfaces, their energy, what they touch |
//! | `starting`, `placing` | where they start: as given, and as found in many digits |
//! | `regions`, `walls` | where constraints hold, and what there is to run into |
//! | `symmetry`, `initial`, `settings`, `events` | what is done with it |
//! | `drawings` | what it looks like |

mod bodies;
mod changing;
mod constraints;
mod contact_rows;
mod contacts;
mod coordinates;
mod definitions;
mod drawings;
mod events;
mod forces;
mod formula;
mod functions;
mod grounds;
mod initial;
mod lagrangian;
mod names;
mod order;
mod parameters;
mod placing;
mod point_forces;
mod regions;
mod rewriting;
mod rolling;
mod scope;
mod seams;
mod settings;
mod standing;
mod start_checks;
mod start_values;
mod starting;
mod surfaces;
mod symmetry;
#[cfg(test)]
mod tests;
mod touching;
mod value;
mod walls;

use crate::configuration::Configuration;
use crate::model::{Constraint, Event, Model, Parameter, ParseOptions, Rejected};
use crate::switching::{Border, ConstraintSet, Sides, Wall};
use crate::syntax::{self, Key, StringLit, Table, ValueKind};
use bodies::Bodies;
use contacts::Touch;
use names::Declared;
use polhode_base::ids::{BorderId, ConstraintId, EventId, IdVec, LatchId, WallId};
use polhode_base::{Diagnostic, Diagnostics, SourceFile, Span, closest};
use polhode_expr::eval::EvalError;
use polhode_expr::{Expr, Graph, Rates, Symbol};
use regions::NamedLatch;
use rolling::RollingBody;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Binding;
pub(crate) use scope::{Scope, What};
use value::Value;

pub(crate) use drawings::figures;
pub use settings::ReadSettings;

/// The sections and keys a model file may have at its top.
const TOP: &[&str] = &[
    "title",
    "reference",
    "fact",
    "idealised",
    "independent",
    "parameters",
    "coordinates",
    "functions",
    "define",
    "definitions",
    "quasi_velocities",
    "quasi",
    "gravity",
    "body",
    "bodies",
    "ground",
    "contact",
    "contacts",
    "lagrangian",
    "forces",
    "force",
    "constraints",
    "symmetry",
    "initial",
    "observables",
    "run",
    "event",
    "wall",
    "draw",
];

/// Keys that stand above the first `[section]`, to recognise them elsewhere.
const ABOVE_SECTIONS: &[&str] = &["title", "reference", "fact", "idealised", "independent"];

/// Reads a model.
pub(crate) fn resolve(source: SourceFile, options: &ParseOptions) -> Result<(Model, Diagnostics), Rejected> {
    let document = syntax::parse_document(&source);
    let unreadable = document.root.is_empty() && document.diagnostics.has_errors();
    if unreadable {
        let diagnostics = document.diagnostics;
        return Err(Rejected { source, diagnostics });
    }
    let mut resolver = Resolver::new(source.clone(), options);
    resolver.found.extend(document.diagnostics);
    let model = resolver.model(&document.root);
    let mut diagnostics: Diagnostics = resolver.found.into_iter().collect();
    diagnostics.sort();
    if diagnostics.has_errors() {
        return Err(Rejected { source, diagnostics });
    }
    Ok((model, diagnostics))
}

/// Reads a formula in the names of a model and a few more, into an extension of the model's graph.
pub(crate) fn formula(
    model: &Model,
    graph: &mut Graph,
    text: &str,
    more: &[(&str, Expr)],
) -> Result<Vec<Expr>, Rejected> {
    let source = SourceFile::new("formula", text);
    let options = ParseOptions::default();
    let mut resolver = Resolver::again(model, &options, graph);
    resolver.text = source.clone();
    for (name, e) in more {
        if resolver.scope.get(name).is_none() {
            resolver.bind(name, What::Definition, Some(Value::Scalar(*e)), None);
        }
    }
    let value = match syntax::parse_expr(&StringLit::plain(text)) {
        Ok(tree) => resolver.eval(&tree),
        Err(error) => {
            resolver.report(*error);
            None
        }
    };
    *graph = std::mem::take(&mut resolver.graph);
    match value {
        Some(value) => Ok(value.entries().to_vec()),
        None => {
            let mut diagnostics: Diagnostics = resolver.found.into_iter().collect();
            diagnostics.sort();
            Err(Rejected { source, diagnostics })
        }
    }
}

/// A name with its entries.
type Definition = (String, Vec<Expr>);

/// Everything known while a model is read.
struct Resolver<'a> {
    source: SourceFile,
    /// What the spans of the formula at hand refer to: the file, or a flag's text.
    text: SourceFile,
    options: &'a ParseOptions,
    found: Vec<Diagnostic>,
    graph: Graph,
    time: Symbol,
    scope: Scope,
    declared: Declared,
    /// Names that were reported as unknown already.
    unknown: FxHashSet<String>,
    parameters: Vec<Parameter>,
    /// Parameter values in doubles.
    values: FxHashMap<Symbol, f64>,
    /// Parameter values as exact constants.
    exact: FxHashMap<Symbol, Expr>,
    configuration: Configuration,
    /// The body that rolls on the ground.
    rolling: Vec<RollingBody>,
    /// The contacts.
    touches: Vec<Touch>,
    /// Whether a surface or contact is wrong, and said so.
    broken_contacts: bool,
    /// Bodies that have no surface although there is a ground, and nothing else that says where they are.
    without_surface: Vec<String>,
    multipliers: Vec<Symbol>,
    /// Borders of regions, and events by name that turn constraints on and off.
    borders: IdVec<BorderId, Border>,
    latches: IdVec<LatchId, NamedLatch>,
    /// The rates of positions, velocities and time along the motion.
    rates: Rates,
    accelerations: Vec<Symbol>,
    functions: Vec<(String, Vec<String>)>,
    definitions: Vec<Definition>,
    /// Definitions that contain parameters only, by the places of their names; nothing where they are wrong.
    constant_definitions: Vec<(Span, Option<Definition>)>,
    idealised: bool,
    /// The name that is being defined.
    declared_now: Option<String>,
    /// Whether the formula at hand may contain parameters only.
    constants_only: bool,
    /// Whether the formula at hand mentioned a velocity or a time derivative.
    mentions_motion: bool,
}

impl<'a> Resolver<'a> {
    fn new(source: SourceFile, options: &'a ParseOptions) -> Resolver<'a> {
        let mut graph = Graph::new();
        let time = graph.symbol("t");
        let rates = Rates::from_iter([(time, graph.one())]);
        let mut resolver = Resolver {
            text: source.clone(),
            source,
            options,
            found: Vec::new(),
            graph,
            time,
            scope: Scope::default(),
            declared: Declared::default(),
            unknown: FxHashSet::default(),
            parameters: Vec::new(),
            values: FxHashMap::default(),
            exact: FxHashMap::default(),
            configuration: Configuration::new(),
            rolling: Vec::new(),
            touches: Vec::new(),
            broken_contacts: false,
            without_surface: Vec::new(),
            multipliers: Vec::new(),
            borders: IdVec::new(),
            latches: IdVec::new(),
            rates,
            accelerations: Vec::new(),
            functions: Vec::new(),
            definitions: Vec::new(),
            constant_definitions: Vec::new(),
            idealised: false,
            declared_now: None,
            constants_only: false,
            mentions_motion: false,
        };
        let pi = resolver.graph.pi();
        let degree = resolver.graph.scale(pi, &polhode_expr::number::ratio(1, 180));
        let t = resolver.graph.var(time);
        for (name, what, value) in [("pi", What::Constant, pi), ("deg", What::Constant, degree), ("t", What::Time, t)] {
            resolver.bind(name, what, Some(Value::Scalar(value)), None);
        }
        resolver
    }

    /// One that knows the names of a model, and takes its graph.
    fn again(model: &Model, options: &'a ParseOptions, graph: &mut Graph) -> Resolver<'a> {
        let mut resolver = Resolver::new(model.source.clone(), options);
        resolver.graph = std::mem::take(graph);
        resolver.time = model.time;
        resolver.scope = model.scope.clone();
        resolver.parameters = model.parameters.clone();
        resolver.configuration = model.configuration.clone();
        resolver.functions = model.functions.clone();
        resolver.set_rates();
        for p in &model.parameters {
            resolver.set_value(p.symbol, p.value);
        }
        resolver
    }

    fn model(&mut self, root: &Table) -> Model {
        for (key, _) in root.iter() {
            self.known_key(key, TOP, "a model");
        }
        let title = self.text_of(root, "title").unwrap_or_default();
        let reference = self.text_of(root, "reference").unwrap_or_default();
        let fact = self.text_of(root, "fact").unwrap_or_default();
        self.idealised = self.truth_of(root, "idealised").unwrap_or(false);
        self.declared = Declared::collect(root);

        self.read_parameters(root);
        self.read_coordinates(root);
        self.read_functions(root);
        let shaped = self.read_definitions_and_bodies(root);
        let quasi_velocities = self.read_quasi_velocities(root);
        let gravity = self.read_gravity(root);
        let Bodies { bodies, energy, span: body_span } = self.under_gravity(shaped, gravity.as_ref());
        let (lagrangian, lagrangian_span) = self.read_lagrangian(root, energy, body_span);
        let forces = self.read_forces(root);
        let own = self.read_constraints(root);
        let mut constraints: IdVec<ConstraintId, Constraint> =
            self.contact_constraints().into_iter().chain(own).collect();
        let reports = self.contact_reports();
        let (independent, independent_span) = self.read_independent(root);
        let symmetry = self.read_symmetry(root);
        let initial = self.read_initial(root);
        let mut observables = self.read_observables(root);
        let own = |name: &str| observables.iter().any(|(n, _)| n.split('[').next() == name.split('[').next());
        let reports: Vec<_> = reports.into_iter().filter(|(name, _)| !own(name)).collect();
        observables.splice(0..0, reports);
        let run = self.read_run(root);
        let mut events: IdVec<EventId, Event> = self.read_events(root).into();
        events.extend(self.contact_events());
        let mut latches = self.finished_latches(&events);
        let mut walls: IdVec<WallId, Wall> = self.read_walls(root).into();
        self.lasting_contacts(&mut walls, &mut latches, &mut constraints);
        walls.extend(self.contact_walls());
        let contacts = self.finished_contacts(&bodies).into();
        let drawings = self.read_drawings(root);
        let mut model = Model {
            name: model_name(self.source.name()),
            source: self.source.clone(),
            title,
            reference,
            fact,
            graph: std::mem::take(&mut self.graph),
            time: self.time,
            parameters: std::mem::take(&mut self.parameters),
            configuration: std::mem::take(&mut self.configuration),
            lagrangian,
            lagrangian_span,
            bodies,
            gravity: gravity.map(|g| g.vector),
            functions: std::mem::take(&mut self.functions),
            forces,
            constraints,
            in_force: ConstraintSet::default(),
            borders: std::mem::take(&mut self.borders),
            latches,
            walls,
            contacts,
            multipliers: std::mem::take(&mut self.multipliers),
            independent,
            independent_span,
            quasi_velocities,
            symmetries: symmetry.generators,
            horizontal: symmetry.horizontal,
            symmetry_group: symmetry.group,
            initial,
            observables,
            definitions: std::mem::take(&mut self.definitions),
            idealised: self.idealised,
            run,
            events,
            drawings,
            scope: std::mem::take(&mut self.scope),
        };
        let switches = !model.borders.is_empty() || !model.latches.is_empty();
        let sides = if switches { model.sides_at_start() } else { Sides::default() };
        model.in_force = model.active(&sides);
        model
    }

    /// The rates of the coordinates, once all of these are there.
    fn set_rates(&mut self) {
        self.rates = self.configuration.motion(&mut self.graph, self.time);
        for v in self.configuration.velocities().to_vec() {
            let a = Configuration::acceleration(&mut self.graph, v);
            let e = self.graph.var(a);
            self.rates.insert(v, e);
            self.accelerations.push(a);
        }
    }

    /// Keeps the value of a parameter, in doubles and exactly.
    fn set_value(&mut self, symbol: Symbol, value: Expr) -> f64 {
        let number = self.graph.evaluate_f64(value, &self.values).unwrap_or(f64::NAN);
        self.values.insert(symbol, number);
        let constant = self.graph.substitute(value, &self.exact.clone());
        if self.is_small(constant) {
            self.exact.insert(symbol, constant);
        }
        number
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    fn bind(&mut self, name: &str, what: What, value: Option<Value>, span: Option<Span>) {
        let velocities = self.configuration.velocities();
        let moving = value.as_ref().is_some_and(|v| {
            let used = self.graph.free_symbols(v.entries());
            used.iter().any(|s| velocities.contains(s) || self.accelerations.contains(s))
        });
        let binding = Binding { what, value, moving, span };
        self.scope.insert(name, binding);
    }

    /// The line of a span of the file.
    fn line(&self, span: Span) -> usize {
        self.source.position(span.start as usize).line
    }

    /// Reports a key that is not one of `known`.
    fn known_key(&mut self, key: &Key, known: &[&str], owner: &str) -> bool {
        if known.contains(&key.name.as_str()) {
            return true;
        }
        let message = format!("{owner} has no `{}`", key.name);
        let mut error = Diagnostic::error("unknown-key", message);
        error = match closest(&key.name, known.iter().copied()) {
            Some(near) => error.at(key.span, format!("did you mean `{near}`?")).suggest(key.span, near),
            None => error.at(key.span, ""),
        };
        if ABOVE_SECTIONS.contains(&key.name.as_str()) {
            error = error.help(format!("`{}` belongs to the whole model: put it above the first [section]", key.name));
        } else if key.name == "limit" {
            let help = "`limit` belongs to a constraint with `when`; a contact has dry friction with `friction` and `slides = true`";
            error = error.help(help);
        } else if error.suggestion.is_none() {
            error = error.help(format!("known are {}", list(known)));
        }
        self.report(error);
        false
    }

    /// The tables under any of these names (a section and its other spellings).
    fn sections<'t>(&mut self, root: &'t Table, names: &[&str]) -> Vec<(&'t Key, &'t Table)> {
        let mut tables = Vec::new();
        for (key, value) in root.iter().filter(|(k, _)| names.contains(&k.name.as_str())) {
            match &value.kind {
                ValueKind::Table(table) => tables.push((key, table)),
                _ => {
                    let name = &key.name;
                    let message = format!("`{name}` is a section of the model, but here it is {}", value.describe());
                    self.report(
                        Diagnostic::error("unexpected-value", message)
                            .at(key.span, "")
                            .help(format!("begin the section with a line `[{name}]`")),
                    );
                }
            }
        }
        tables
    }

    /// The entries of a table with dotted keys joined: `g.p = 1` is under `g.p`.
    fn flattened<'t>(&self, table: &'t Table) -> Vec<(Key, &'t syntax::Value)> {
        let mut out = Vec::new();
        for (key, value) in table.iter() {
            match &value.kind {
                ValueKind::Table(inner) => {
                    for (rest, value) in self.flattened(inner) {
                        let name = format!("{}.{}", key.name, rest.name);
                        let span = rest.span;
                        out.push((Key { name, span }, value));
                    }
                }
                _ => out.push((key.clone(), value)),
            }
        }
        out
    }

    /// The string under a key.
    fn text_of(&mut self, table: &Table, name: &str) -> Option<String> {
        let (_, value) = table.entry(name)?;
        if let Some(text) = value.as_str() {
            return Some(text.to_owned());
        }
        let message = format!("`{name}` is a text, but here it is {}", value.describe());
        self.report(Diagnostic::error("unexpected-value", message).at(value.span, "").help("put it in quotes"));
        None
    }

    /// The truth value under a key.
    fn truth_of(&mut self, table: &Table, name: &str) -> Option<bool> {
        let (_, value) = table.entry(name)?;
        if let Some(truth) = value.as_bool() {
            return Some(truth);
        }
        let message = format!("`{name}` is `true` or `false`, but here it is {}", value.describe());
        self.report(
            Diagnostic::error("unexpected-value", message)
                .at(value.span, "")
                .help("write `true` or `false` without quotes"),
        );
        None
    }

    /// The tree and the value of a formula in the file.
    fn formula(&mut self, value: &syntax::Value) -> Option<(syntax::Expr, Value)> {
        match value.to_expr() {
            Ok(tree) => {
                self.mentions_motion = false;
                let result = self.eval(&tree)?;
                Some((tree, result))
            }
            Err(error) => {
                self.report(*error);
                None
            }
        }
    }

    /// A formula that must be a scalar.
    fn scalar_formula(&mut self, value: &syntax::Value, what: &str) -> Option<Expr> {
        let (tree, result) = self.formula(value)?;
        match result {
            Value::Scalar(e) => Some(e),
            other => {
                let message = format!("{what} is a scalar, but this is {}", other.shape());
                self.report(Diagnostic::error("wrong-dimension", message).at(tree.span, ""));
                None
            }
        }
    }

    /// The value of a formula given on the command line, as in `--set r=0.5`.
    ///
    /// Mistakes are told without a place, since the text is not in the file.
    fn flag_formula(&mut self, flag: &str, name: &str, text: &str) -> Option<Value> {
        let shown = format!("{flag} {name}={text}");
        let before = self.found.len();
        let file = std::mem::replace(&mut self.text, SourceFile::new(shown.as_str(), text));
        self.mentions_motion = false;
        let result = match syntax::parse_expr(&StringLit::plain(text)) {
            Ok(tree) => self.eval(&tree),
            Err(error) => {
                self.report(*error);
                None
            }
        };
        self.text = file;
        let raised = self.found.split_off(before);
        for error in raised {
            self.report(without_place(error, &shown));
        }
        result
    }

    /// The value of a constant expression in doubles, or a report of why it has none.
    fn constant(&mut self, e: Expr, span: Span, what: &str) -> Option<f64> {
        let error = match self.graph.evaluate_f64(e, &self.values) {
            Ok(x) if x.is_finite() => return Some(x),
            Ok(_) => Diagnostic::error("bad-number", format!("{what} is too large a number")),
            Err(EvalError::Undefined(_)) => Diagnostic::error("bad-number", format!("{what} has no finite value"))
                .note("a division by zero, a root or logarithm of a negative number, or an overflow"),
            Err(EvalError::Unbound(s)) => {
                let name = self.graph.name(s).to_owned();
                if self.parameters.iter().any(|p| p.symbol == s) {
                    return None; // its own value was wrong, and reported
                }
                let error =
                    Diagnostic::error("not-constant", format!("{what} is a constant and cannot contain `{name}`"));
                match (s == self.time, what.starts_with("the parameter")) {
                    (true, true) => error.help("functions of time belong under [define]"),
                    (true, false) => error.help("it cannot change in time"),
                    _ => error,
                }
            }
            Err(EvalError::OpenFunction(_)) => Diagnostic::error(
                "not-constant",
                format!("{what} is a constant and cannot contain a function left open"),
            ),
        };
        self.report(error.at(span, ""));
        None
    }

    /// Whether velocities of the configuration occur in an expression.
    fn has_velocity(&self, entries: &[Expr]) -> Option<Symbol> {
        let velocities = self.configuration.velocities();
        let used = self.graph.free_symbols(entries);
        used.into_iter().find(|s| velocities.contains(s))
    }

    /// Reports accelerations where there may be none; true if there are none.
    fn no_accelerations(&mut self, entries: &[Expr], span: Span, what: &str) -> bool {
        let used = self.graph.free_symbols(entries);
        let Some(&s) = used.iter().find(|s| self.accelerations.contains(s)) else {
            return true;
        };
        let message = format!("{what} contains the acceleration `{}`", self.graph.name(s));
        self.report(
            Diagnostic::error("unexpected-acceleration", message)
                .at(span, "")
                .note("accelerations are what the equations of motion determine")
                .help("use positions and velocities only"),
        );
        false
    }
}

/// A mistake in a flag: the same without a place, with the flag named.
fn without_place(error: Diagnostic, shown: &str) -> Diagnostic {
    let mut out = Diagnostic::error(error.code, format!("in `{shown}`: {}", error.message));
    out.severity = error.severity;
    if let Some(label) = error.primary.filter(|l| !l.text.is_empty()) {
        out = out.note(label.text);
    }
    out.notes.extend(error.notes);
    out.help = error.help;
    out
}

/// `rolling-disk` for `models/rolling-disk.toml`.
fn model_name(file: &str) -> String {
    let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
    last.strip_suffix(".toml").unwrap_or(last).to_owned()
}

/// `a`, `b` and `c`.
fn list<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{}`", n.as_ref())).collect();
    match quoted.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
