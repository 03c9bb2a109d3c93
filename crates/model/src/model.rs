//! A resolved model: every name bound, every formula an expression.

use crate::configuration::{Configuration, Interval};
use crate::contact::Contact;
use crate::resolve;
use crate::run::RunSettings;
use crate::switching::{Border, Condition, ConstraintSet, Friction, Latch, Wall};
use crate::syntax::Table;
use polhode_base::ids::{BorderId, ConstraintId, ContactId, EventId, IdVec, LatchId, WallId};
use polhode_base::{Diagnostics, SourceFile, Span, Style};
use polhode_expr::eval::{Digits, EvalError, Real};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Symbol};
use rustc_hash::FxHashMap;
use std::fmt;

/// Decimal digits of values that are more than doubles.
pub const DIGITS: usize = 45;

/// What is changed in a model while it is read, as by `--set` and `--init`.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Parameters by name, with their new value as a formula.
    pub parameters: Vec<(String, String)>,
    /// Initial positions and velocities by name (`theta`, `theta'`, `Omega`), with formulas.
    pub initial: Vec<(String, String)>,
    /// Parameters that the text does not have, with their values as formulas: names for what is varied, to be used in the formulas above.
    /// Nothing is assumed about their signs.
    pub introduced: Vec<(String, String)>,
    /// Put the values of parameters in wherever formulas name them, if they are rational numbers: equations of this one system, without letters.
    pub at_values: bool,
}

/// A text that is no model: the mistakes, and the text they refer to.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The text.
    pub source: SourceFile,
    /// What is wrong with it: at least one error, possibly warnings.
    pub diagnostics: Diagnostics,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.render(&self.source, Style::Plain))
    }
}

impl std::error::Error for Rejected {}

/// A parameter with its value.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The symbol formulas contain.
    pub symbol: Symbol,
    /// Its value: a number or an expression in earlier parameters.
    pub value: Expr,
    /// Its unit, as text.
    pub unit: Option<String>,
    /// What it is, as text.
    pub about: Option<String>,
    /// Where it is defined.
    pub span: Span,
}

/// A velocity constraint, `residual = 0` with a residual affine in the velocities.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its name in the model.
    pub name: String,
    /// Left side minus right side; for a holonomic constraint its time derivative.
    pub residual: Expr,
    /// The function h(q, t) of a holonomic constraint h = 0.
    pub holonomic: Option<Expr>,
    /// Where it holds; everywhere if nothing is said.
    pub when: Option<Condition>,
    /// Whether it stands for Coulomb friction in the limit of large coefficients, where it throws back what comes into its region.
    pub coulomb: bool,
    /// The part of the slip that comes back where the region is entered, more than 0: then it is a blow on the border, and holds nowhere.
    pub restitution: Option<Expr>,
    /// Dry friction that comes with its reaction.
    pub friction: Option<Friction>,
    /// The formula.
    pub span: Span,
}

impl Constraint {
    /// One that is not holonomic and holds everywhere, without friction.
    pub fn new(name: String, residual: Expr, span: Span) -> Constraint {
        let (holonomic, when, restitution, friction) = (None, None, None, None);
        Constraint { name, residual, holonomic, when, coulomb: false, restitution, friction, span }
    }
}

/// A rigid body given by mass, inertia, position and rotation.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Mass.
    pub mass: Expr,
    /// Position of the mass centre, three components (a planar body has height 0).
    pub position: Vec<Expr>,
    /// Rotation matrix, body to world, row by row (absent for a particle).
    pub rotation: Option<Vec<Expr>>,
    /// Angular velocity in body axes, three components (absent for a particle).
    pub angular_velocity: Option<Vec<Expr>>,
    /// Inertia tensor about the mass centre in body axes, row by row.
    pub inertia: Option<Vec<Expr>>,
    /// Where the body is defined.
    pub span: Span,
}

/// A vector field on the configuration space, such as a symmetry generator.
#[derive(Clone, Debug)]
pub struct Generator {
    /// As written.
    pub text: String,
    /// Its components on the position symbols: rates of change.
    pub rates: Vec<(Symbol, Expr)>,
    /// Where it is written.
    pub span: Span,
}

/// A quasi-velocity: a name for a combination of velocities.
#[derive(Clone, Debug)]
pub struct QuasiVelocity {
    /// Its symbol.
    pub symbol: Symbol,
    /// Its definition, linear in the velocities.
    pub definition: Expr,
    /// Where it is defined.
    pub span: Span,
}

/// An initial value of a position or velocity.
#[derive(Clone, Debug)]
pub struct InitialValue {
    /// Position or velocity symbol.
    pub symbol: Symbol,
    /// Its value, an expression in the parameters.
    pub value: Expr,
    /// Where it is given.
    pub span: Span,
}

/// In which direction a function passes through zero where an event happens, as the run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Both.
    Either,
}

impl Direction {
    /// All of them.
    pub const ALL: [Direction; 3] = [Direction::Rising, Direction::Falling, Direction::Either];

    /// The word in a model.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Rising => "rising",
            Direction::Falling => "falling",
            Direction::Either => "either",
        }
    }

    /// The direction of the negative function.
    pub fn reversed(self) -> Direction {
        match self {
            Direction::Rising => Direction::Falling,
            Direction::Falling => Direction::Rising,
            Direction::Either => Direction::Either,
        }
    }
}

/// What a run does when an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It ends there.
    Stop,
    /// It notes the state and goes on.
    Record,
}

impl Action {
    /// All of them.
    pub const ALL: [Action; 2] = [Action::Stop, Action::Record];

    /// The word in a model.
    pub fn name(self) -> &'static str {
        match self {
            Action::Stop => "stop",
            Action::Record => "record",
        }
    }
}

/// What can go wrong with a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The normal force would pull.
    LiftOff,
    /// Friction would have to be stronger than it is.
    Slip,
    /// The relative curvature is no longer definite.
    IndefiniteCurvature,
    /// The relative curvature is singular.
    SingularCurvature,
    /// A point of contact is at a pole of its parameters.
    SingularChart,
    /// An edge lies flat.
    LiesFlat,
    /// A point of contact reaches the end of its surface.
    RollsOff,
}

impl Cause {
    /// All of them.
    pub const ALL: [Cause; 7] = [
        Cause::LiftOff,
        Cause::Slip,
        Cause::IndefiniteCurvature,
        Cause::SingularCurvature,
        Cause::SingularChart,
        Cause::LiesFlat,
        Cause::RollsOff,
    ];

    /// The word in models, reports and flags.
    pub fn name(self) -> &'static str {
        match self {
            Cause::LiftOff => "lift-off",
            Cause::Slip => "slip",
            Cause::IndefiniteCurvature => "indefinite-curvature",
            Cause::SingularCurvature => "singular-curvature",
            Cause::SingularChart => "singular-chart",
            Cause::LiesFlat => "lies-flat",
            Cause::RollsOff => "rolls-off",
        }
    }
}

impl std::str::FromStr for Cause {
    type Err = ();

    fn from_str(name: &str) -> Result<Cause, ()> {
        Cause::ALL.into_iter().find(|c| c.name() == name).ok_or(())
    }
}

/// Something to look out for during a run: a function of the state that passes through zero.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name; no two events of a model share one.
    pub name: String,
    /// What passes through zero: an expression in positions, velocities, accelerations, parameters and time.
    pub function: Expr,
    /// In which direction.
    pub direction: Direction,
    /// What happens then.
    pub action: Action,
    /// What it is about, if the model did not write it.
    pub cause: Option<Cause>,
    /// Positions that are set when it happens: a leg that is put down elsewhere.
    pub sets: Vec<(Symbol, Expr)>,
    /// The contact it is about, if the model did not write it.
    pub contact: Option<ContactId>,
    /// Its formula or comparison.
    pub span: Span,
}

impl Event {
    /// Whether no run goes on from it, because the equations do not say how the point of contact would move. Between surfaces a motion may
    /// pass a singular curvature by symmetry, across the direction in which it is singular; that is why those functions change sign.
    pub fn is_final(&self) -> bool {
        match self.cause {
            Some(Cause::SingularChart | Cause::LiesFlat) => true,
            Some(Cause::SingularCurvature) => self.direction == Direction::Falling,
            _ => false,
        }
    }

    /// Whether a word of the user means this event: its name, or its cause.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.cause.is_some_and(|cause| cause.name() == word)
    }
}

/// A model file after parsing and resolving.
#[derive(Clone, Debug)]
pub struct Model {
    /// Short name: that of the built-in model or of the file.
    pub name: String,
    /// The file it was read from.
    pub source: SourceFile,
    /// Title.
    pub title: String,
    /// Where the system is from.
    pub reference: String,
    /// One checkable fact about it.
    pub fact: String,
    /// All expressions below live in this graph.
    pub graph: Graph,
    /// Time.
    pub time: Symbol,
    /// Parameters in the order of the file.
    pub parameters: Vec<Parameter>,
    /// Positions and velocities.
    pub configuration: Configuration,
    /// The Lagrangian, if the model has one (a purely kinematic model has none).
    pub lagrangian: Option<Expr>,
    /// Where the Lagrangian is written.
    pub lagrangian_span: Option<Span>,
    /// The bodies the Lagrangian was built from, if any.
    pub bodies: Vec<Body>,
    /// The acceleration of gravity as a vector of three components, if there is any.
    pub gravity: Option<Vec<Expr>>,
    /// Functions left open, with the names of their arguments.
    pub functions: Vec<(String, Vec<String>)>,
    /// Generalised forces by velocity symbol: ⟨F, b_A⟩.
    pub forces: Vec<(Symbol, Expr)>,
    /// Constraints in the order of the file, whether they hold at the start or not.
    pub constraints: IdVec<ConstraintId, Constraint>,
    /// Those that hold at the start: see [`crate::switching`].
    pub in_force: ConstraintSet,
    /// The borders of the regions in which constraints hold.
    pub borders: IdVec<BorderId, Border>,
    /// What events turn on and off.
    pub latches: IdVec<LatchId, Latch>,
    /// What there is to run into.
    pub walls: IdVec<WallId, Wall>,
    /// Contacts of bodies with each other and with the ground.
    pub contacts: IdVec<ContactId, Contact>,
    /// What stands for the multipliers of the first constraints, those of the contacts, in events and observables.
    pub multipliers: Vec<Symbol>,
    /// Velocities the user wants to be independent.
    pub independent: Option<Vec<Symbol>>,
    /// Where the choice is written.
    pub independent_span: Option<Span>,
    /// Quasi-velocities for the Hamel and Hamilton forms.
    pub quasi_velocities: Vec<QuasiVelocity>,
    /// Symmetry generators.
    pub symmetries: Vec<Generator>,
    /// Horizontal fields: the author's connection, if there is one.
    pub horizontal: Vec<Generator>,
    /// What the author calls the symmetry group, such as `SE(2)`.
    pub symmetry_group: Option<String>,
    /// Initial positions and velocities.
    pub initial: Vec<InitialValue>,
    /// Named expressions to report; they may contain accelerations such as `x''`.
    pub observables: Vec<(String, Expr)>,
    /// Named subexpressions, for display.
    pub definitions: Vec<(String, Vec<Expr>)>,
    /// The model means an idealised body (planar, massless part): inertia is not checked.
    pub idealised: bool,
    /// How the model wants to be run.
    pub run: RunSettings,
    /// What to look out for during a run, in the order of the file.
    pub events: IdVec<EventId, Event>,
    /// What it looks like, as written: [`Model::appearance`] reads the formulas.
    pub(crate) drawings: Vec<Table>,
    /// What the names of the model stand for, for [`Model::formula`].
    pub(crate) scope: resolve::Scope,
}

impl Model {
    /// Reads a model file. `file_name` is what messages call it; the model is named
    /// after its last part, without the ending.
    ///
    /// The diagnostics of a success are warnings.
    pub fn parse(file_name: &str, text: &str, options: &ParseOptions) -> Result<(Model, Diagnostics), Rejected> {
        Model::from_source(SourceFile::new(file_name, text), options)
    }

    /// Reads a model that is given as text. Warnings are left out: [`Model::parse`] has them, and takes other values.
    ///
    /// ```
    /// use polhode_model::Model;
    ///
    /// let model = Model::from_text("[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"x'^2/2\"")?;
    /// assert_eq!(model.configuration.dimension(), 1);
    /// # Ok::<(), polhode_model::Rejected>(())
    /// ```
    pub fn from_text(text: &str) -> Result<Model, Rejected> {
        Model::parse("model.toml", text, &ParseOptions::default()).map(|(model, _)| model)
    }

    /// [`Model::parse`] for a text that is already a [`SourceFile`].
    pub fn from_source(source: SourceFile, options: &ParseOptions) -> Result<(Model, Diagnostics), Rejected> {
        resolve::resolve(source, options)
    }

    /// Reads a formula in the names of the model: parameters, coordinates with their velocities
    /// and accelerations, definitions, parts of bodies, quasi-velocities and `t`.
    ///
    /// `graph` is the model's graph or one that began as a clone of it. The result has one
    /// expression per component, matrices row by row; names of definitions and of
    /// quasi-velocities are replaced by what they stand for. Mistakes have their places in
    /// `text`, which messages call `formula`.
    ///
    /// ```
    /// use polhode_model::{Model, ParseOptions};
    ///
    /// let text = r#"
    /// [parameters]
    /// m = 2
    /// [coordinates]
    /// x = "real"
    /// y = "real"
    /// [body.puck]
    /// mass = "m"
    /// position = "[x, y]"
    /// "#;
    /// let (model, _) = Model::parse("puck.toml", text, &ParseOptions::default())?;
    /// let mut graph = model.graph.clone();
    /// let spin = model.formula(&mut graph, "m*cross(puck.position, puck.velocity)[3]")?;
    /// let same = model.formula(&mut graph, "m*(x*y' - y*x')")?;
    /// assert!(graph.equal(spin[0], same[0]).is_equal());
    ///
    /// let wrong = model.formula(&mut graph, "m*puck.speed").unwrap_err();
    /// assert_eq!(wrong.diagnostics.iter().next().unwrap().code, "unknown-name");
    /// # Ok::<(), polhode_model::Rejected>(())
    /// ```
    pub fn formula(&self, graph: &mut Graph, text: &str) -> Result<Vec<Expr>, Rejected> {
        resolve::formula(self, graph, text, &[])
    }

    /// [`Model::formula`] with further names, such as that of the energy; those of the model come first.
    pub fn formula_with(&self, graph: &mut Graph, text: &str, names: &[(&str, Expr)]) -> Result<Vec<Expr>, Rejected> {
        resolve::formula(self, graph, text, names)
    }

    /// Where every position symbol starts. What the model leaves out starts at 0 (in the middle
    /// of an interval that does not contain 0), a rotation at the identity, a direction at
    /// (0, 0, 1).
    pub fn initial_positions(&mut self) -> Vec<(Symbol, Expr)> {
        let values = self.parameter_values().unwrap_or_default();
        let g = &mut self.graph;
        let mut out = Vec::new();
        for f in self.configuration.factors() {
            let mut start = match f.origin() {
                Some(origin) => origin.into_iter().map(|x| g.int(x)).collect(),
                None => vec![g.zero(); f.positions.len()],
            };
            if let Some(Interval { low, high, .. }) = f.interval() {
                let end = |e: Expr| g.evaluate_f64(e, &values).unwrap_or(0.0);
                if !(end(low) < 0.0 && end(high) > 0.0) {
                    let sum = g.add(low, high);
                    start[0] = g.scale(sum, &ratio(1, 2));
                }
            }
            for (symbol, default) in f.positions.iter().zip(start) {
                let given = self.initial.iter().find(|i| i.symbol == *symbol);
                out.push((*symbol, given.map_or(default, |i| i.value)));
            }
        }
        out
    }

    /// The parameter with this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        let symbol = self.graph.find_symbol(name)?;
        self.parameters.iter().find(|p| p.symbol == symbol)
    }

    /// The values of the parameters in [`DIGITS`] digits.
    pub fn parameter_digits(&self) -> Result<FxHashMap<Symbol, Real>, EvalError> {
        let arithmetic = Digits::decimal(DIGITS);
        let mut values = FxHashMap::default();
        for p in &self.parameters {
            let v = self.graph.evaluate(&arithmetic, &[p.value], &values)?.remove(0);
            values.insert(p.symbol, v);
        }
        Ok(values)
    }

    /// The values of the parameters in doubles.
    pub fn parameter_values(&self) -> Result<FxHashMap<Symbol, f64>, EvalError> {
        let mut values = FxHashMap::default();
        for p in &self.parameters {
            let v = self.graph.evaluate_f64(p.value, &values)?;
            values.insert(p.symbol, v);
        }
        Ok(values)
    }
}
