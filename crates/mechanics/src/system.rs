//! A mechanical system: configuration space, Lagrangian, forces, constraints.
//!
//! [`System::new`] takes a resolved [`Model`] and answers, before any equation is
//! derived, whether its constraints make sense: linear or affine in the velocities,
//! free of contradictions, redundant or not, and with a kinetic energy that determines
//! the motion on D. Everything it has to say comes as diagnostics with places in the
//! model file.

use crate::distribution::{Distribution, Row, affine_row};
use crate::momenta::Momenta;
use crate::positivity;
use crate::rank::rank_changing_parameters;
use crate::surface::{Surface, examine_surface};
use polhode_base::ids::{ConstraintId, Id, IdVec};
use polhode_base::{Diagnostic, Diagnostics, Span};
use polhode_expr::number::int;
use polhode_expr::{AngleBasis, Expr, Graph, MAX_TERMS, Matrix, Ring, Symbol, Tree, ZeroTest, eliminate, print};
use polhode_model::{Configuration, Constraint, ConstraintSet, Model, Rejected};
use polhode_poly::factor;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A system with its constraints solved for the dependent velocities.
///
/// Which constraints hold is part of it: [`System::with`] is the same model with others in force.
#[derive(Clone, Debug)]
pub struct System {
    /// The model it was made from.
    pub model: Arc<Model>,
    /// Which of its constraints hold.
    pub in_force: ConstraintSet,
    /// The constraints of the model; what does not hold says 0 = 0 and keeps its number.
    pub constraints: IdVec<ConstraintId, Constraint>,
    /// The expressions of the system.
    pub graph: Graph,
    /// Positions and velocities.
    pub configuration: Configuration,
    /// Time.
    pub time: Symbol,
    /// Parameter symbols.
    pub parameters: Vec<Symbol>,
    /// L(q, v, t).
    pub lagrangian: Expr,
    /// ⟨F, b_A⟩ for each velocity.
    pub forces: Vec<Expr>,
    /// The names of the constraints, in the order of the model.
    pub constraint_names: Vec<String>,
    /// The constraints.
    pub distribution: Distribution,
    /// Quasi-velocities wanted by the model: symbol and definition.
    pub quasi_velocities: Vec<(Symbol, Expr)>,
    /// Parameters whose values stand in the constraints instead of their letters, as other values would give another rank.
    pub settled: Vec<Symbol>,
    /// The test whether an expression vanishes, with what it has learned.
    pub zero: ZeroTest,
    pub(crate) derived: Option<Momenta>,
    /// Symbols of the model itself: names that derived quantities must not take.
    own_symbols: usize,
}

impl System {
    /// Builds the system of a model. The diagnostics hold warnings when it succeeds
    /// and at least one error when it does not.
    pub fn new(model: &Model) -> Result<(System, Diagnostics), Rejected> {
        System::of(Arc::new(model.clone()), model.in_force.clone())
    }

    /// The same model while another set of its constraints holds.
    pub fn with(&self, in_force: &ConstraintSet) -> Result<(System, Diagnostics), Rejected> {
        System::of(self.model.clone(), in_force.clone())
    }

    /// [`System::with`] without forces and energies.
    pub fn kinematic_with(&self, in_force: &ConstraintSet) -> Result<(System, Diagnostics), Rejected> {
        System::constrained(self.model.clone(), in_force.clone())
    }

    /// The system of a model while a set of its constraints holds.
    pub fn of(model: Arc<Model>, in_force: ConstraintSet) -> Result<(System, Diagnostics), Rejected> {
        let (mut system, mut diagnostics) = System::constrained(model, in_force)?;
        let model = &*system.model.clone();
        let Some(lagrangian) = model.lagrangian else {
            diagnostics.push(
                Diagnostic::error("no-lagrangian", "the model has no Lagrangian, so there are no equations of motion to derive")
                    .help("add a [lagrangian] section with `kinetic = \"…\"` and `potential = \"…\"`, or `L = \"…\"`, or bodies"),
            );
            return Err(rejected(model, diagnostics));
        };
        system.lagrangian = lagrangian;
        positivity::check(&mut system, model, &mut diagnostics);
        if diagnostics.has_errors() { Err(rejected(model, diagnostics)) } else { Ok((system, diagnostics)) }
    }

    /// The constraints alone, for models without a Lagrangian and for the constraint doctor.
    pub fn kinematic(model: &Model) -> Result<(System, Diagnostics), Rejected> {
        System::constrained(Arc::new(model.clone()), model.in_force.clone())
    }

    fn constrained(shared: Arc<Model>, in_force: ConstraintSet) -> Result<(System, Diagnostics), Rejected> {
        let model = &*shared;
        let constraints = model.constraints_in(&in_force);
        let mut diagnostics = Diagnostics::new();
        let mut graph = model.graph.clone();
        let mut zero = ZeroTest::new(&graph);
        let configuration = model.configuration.clone();
        let mut rows = Vec::new();
        for c in &constraints {
            match affine_row(&mut graph, &mut zero, c.residual, configuration.velocities()) {
                Some(row) => rows.push(row),
                None => diagnostics.push(nonlinear(&mut graph, &mut zero, c, &configuration)),
            }
        }
        // those that are not in force must make sense too
        let idle = |k: &ConstraintId| model.constraints[*k].when.is_some() && !in_force.contains(*k);
        for c in model.constraints.ids().filter(idle).map(|k| &model.constraints[k]) {
            if affine_row(&mut graph, &mut zero, c.residual, configuration.velocities()).is_none() {
                diagnostics.push(nonlinear(&mut graph, &mut zero, c, &configuration));
            }
        }
        if diagnostics.has_errors() {
            return Err(rejected(model, diagnostics));
        }
        let parameters: Vec<Symbol> = model.parameters.iter().map(|p| p.symbol).collect();
        let independent = model.independent.clone().unwrap_or_default();
        let solve = |graph: &mut Graph, zero: &mut ZeroTest, rows: &[Row], left_out: &[usize]| {
            Distribution::new(graph, zero, &model.configuration, rows.to_vec(), &parameters, &independent, left_out)
        };
        let distribution = solve(&mut graph, &mut zero, &rows, &[]);
        let mut forces = vec![graph.zero(); configuration.velocities().len()];
        for (s, f) in &model.forces {
            if let Some(a) = configuration.velocities().iter().position(|v| v == s) {
                forces[a] = graph.add(forces[a], *f);
            }
        }
        let lagrangian = graph.zero();
        let mut system = System {
            model: shared.clone(),
            in_force,
            time: model.time,
            parameters: parameters.clone(),
            lagrangian,
            forces,
            constraint_names: constraints.iter().map(|c| c.name.clone()).collect(),
            constraints,
            distribution,
            quasi_velocities: model.quasi_velocities.iter().map(|q| (q.symbol, q.definition)).collect(),
            settled: Vec::new(),
            own_symbols: graph.symbol_count(),
            graph,
            configuration,
            zero,
            derived: None,
        };
        let special = rank_changing_parameters(&mut system);
        if !special.is_empty() {
            for row in &mut rows {
                row.a = system.graph.substitute_all(&row.a, &special);
                row.a0 = system.graph.substitute(row.a0, &special);
            }
            let before = system.distribution.rank();
            system.distribution = solve(&mut system.graph, &mut system.zero, &rows, &[]);
            system.settled = parameters.iter().copied().filter(|p| special.contains_key(p)).collect();
            diagnostics.push(special_values(&system, &special, before));
        }
        match examine_surface(&mut system, model) {
            Surface::Rows(left_out) if !left_out.is_empty() => {
                system.distribution = solve(&mut system.graph, &mut system.zero, &rows, &left_out);
            }
            Surface::NotFound => diagnostics.push(no_position(&system)),
            Surface::Absent | Surface::Rows(_) => {}
        }
        if !diagnostics.has_errors() {
            system.report_dependent_rows(model, &mut diagnostics);
        }
        system.report_choice(model, &mut diagnostics);
        if diagnostics.has_errors() { Err(rejected(model, diagnostics)) } else { Ok((system, diagnostics)) }
    }

    /// Degrees of freedom: the dimension of D.
    pub fn degrees_of_freedom(&self) -> usize {
        self.distribution.k()
    }

    /// The symbol of a derived quantity, such as a momentum: with this name, or with underscores behind
    /// it where the model uses the name for something of its own.
    pub fn derived_symbol(&mut self, name: &str) -> Symbol {
        let mut name = name.to_string();
        loop {
            let symbol = self.graph.symbol(&name);
            if symbol.index() >= self.own_symbols {
                return symbol;
            }
            name.push('_');
        }
    }

    /// A formula affine in the velocities as a row; `None` if it is not.
    pub fn row_of(&mut self, residual: Expr) -> Option<Row> {
        affine_row(&mut self.graph, &mut self.zero, residual, self.configuration.velocities())
    }

    /// Is the expression zero as a function?
    pub fn is_zero(&mut self, e: Expr) -> bool {
        self.zero.is_zero(&mut self.graph, e)
    }

    /// The velocity symbols that are independent in the solution (D2).
    pub fn independent_velocities(&self) -> Vec<Symbol> {
        self.distribution.elimination.free.iter().map(|j| self.configuration.velocities()[*j]).collect()
    }

    /// The velocity symbols that follow from the others.
    pub fn dependent_velocities(&self) -> Vec<Symbol> {
        let mut columns = self.distribution.elimination.pivots.clone();
        columns.sort();
        columns.into_iter().map(|j| self.configuration.velocities()[j]).collect()
    }

    /// What may be added to the multipliers of the model's rows without any effect: a basis of {μ : Aᵀμ = 0}, which is empty unless rows are
    /// redundant.
    pub fn idle_multipliers(&mut self) -> Vec<Vec<Expr>> {
        let d = self.distribution.clone();
        let m = self.constraint_names.len();
        let mut out = Vec::new();
        for (at, row) in d.elimination.dependent.iter().enumerate() {
            let Some(own) = row.checked_sub(d.representation) else { continue };
            // one that is not in force has no reaction
            if !self.in_force.contains(ConstraintId::new(own)) {
                continue;
            }
            let mut idle = vec![self.graph.zero(); m];
            idle[own] = self.graph.one();
            let combination = d.elimination.combinations[at].iter().zip(&d.elimination.rows);
            let used: Vec<usize> =
                combination.filter(|(c, _)| !self.zero.is_zero(&mut self.graph, **c)).map(|(_, r)| *r).collect();
            // the same once more with these rows only, and numbers as pivots: that is short and has values where the first has 0/0
            let n = d.rows[*row].a.len();
            let columns = Matrix::from_fn(n, used.len(), |i, j| d.rows[used[j]].a[i]);
            let wanted = Matrix::from_fn(n, 1, |i, _| d.rows[*row].a[i]);
            let price = |g: &Graph, _: usize, e: Expr| match g.as_number(e) {
                Some(_) => 0,
                None => g.reachable(&[e]).len(),
            };
            let solved = eliminate(&mut self.graph, &mut self.zero, &columns, &wanted, price);
            for (i, p) in solved.pivots.iter().enumerate() {
                if let Some(r) = used[*p].checked_sub(d.representation) {
                    idle[r] = self.graph.neg(solved.solution[(i, solved.free.len())]);
                }
            }
            out.push(idle);
        }
        out
    }

    /// Redundant rows are warned about, contradictory ones refused.
    fn report_dependent_rows(&mut self, model: &Model, diagnostics: &mut Diagnostics) {
        let d = self.distribution.clone();
        let constraints = self.constraints.clone();
        let number = |i: usize| i.checked_sub(d.representation).map(ConstraintId::new);
        let name = |i: usize| number(i).map(|c| &constraints[c]);
        for (at, &row) in d.elimination.dependent.iter().enumerate() {
            let Some(constraint) = name(row) else { continue };
            // one that is not in force has nothing to say
            if number(row).is_some_and(|c| !self.in_force.contains(c)) {
                continue;
            }
            if d.left_out.contains(&row) {
                diagnostics.push(redundant_on_surface(constraint));
                continue;
            }
            let remainder = d.elimination.remainders[at][0];
            let used: Vec<(Expr, String, Option<Span>)> = d.elimination.combinations[at]
                .iter()
                .zip(&d.elimination.rows)
                .filter(|(c, _)| !self.zero.is_zero(&mut self.graph, **c))
                .map(|(c, r)| match name(*r) {
                    Some(k) => (*c, k.name.clone(), Some(k.span)),
                    None => (*c, "the unit length of a direction".to_string(), None),
                })
                .collect();
            let consistent = self.zero.is_zero(&mut self.graph, remainder);
            diagnostics.push(if consistent {
                redundant(constraint, &used)
            } else {
                contradictory_contacts(model, constraint, &used)
                    .unwrap_or_else(|| contradiction(&mut self.graph, constraint, &used, remainder))
            });
        }
    }

    /// The user's independent velocities must be as many as there are, and independent.
    fn report_choice(&mut self, model: &Model, diagnostics: &mut Diagnostics) {
        let Some(wanted) = model.independent.as_ref().filter(|_| self.distribution.choice_refused) else { return };
        let found = self.independent_velocities();
        let names =
            |s: &[Symbol]| s.iter().map(|x| format!("`{}`", self.graph.name(*x))).collect::<Vec<_>>().join(", ");
        let message = if found.len() == wanted.len() {
            format!("{} cannot all be independent: the constraints tie them to each other", names(wanted))
        } else {
            format!("{} independent velocities are wanted, but the constraints leave {}", wanted.len(), found.len())
        };
        let d = Diagnostic::error("dependent-choice", message);
        let d = match model.independent_span {
            Some(span) => d.at(span, ""),
            None => d,
        };
        diagnostics.push(d.help(format!("leave `independent` out, or choose for example {}", names(&found))));
    }
}

pub(crate) fn rejected(model: &Model, diagnostics: Diagnostics) -> Rejected {
    Rejected { source: model.source.clone(), diagnostics }
}

/// An expression in the syntax of model files, for messages.
pub fn plain(graph: &Graph, e: Expr) -> String {
    match Tree::of_limited(graph, e, 400) {
        Some(tree) => print::ascii(graph, &tree),
        None => "…".to_string(),
    }
}

fn nonlinear(graph: &mut Graph, zero: &mut ZeroTest, c: &Constraint, configuration: &Configuration) -> Diagnostic {
    let velocities = configuration.velocities();
    let mut offending = Vec::new();
    for s in velocities {
        let d = graph.derivative(c.residual, *s);
        for t in velocities {
            let second = graph.derivative(d, *t);
            if !zero.is_zero(graph, second) {
                offending.push(graph.name(*s).to_string());
                break;
            }
        }
    }
    Diagnostic::error(
        "nonlinear-constraint",
        format!("constraint \"{}\" is not linear in the velocities ({})", c.name, offending.join(", ")),
    )
    .at(c.span, "products, powers or functions of velocities are not allowed here")
    .note("d'Alembert's principle, and every form derived here, is for constraints A(q,t) v + a(q,t) = 0")
    .help(match linear_factors(graph, zero, c.residual, velocities) {
        Some(factors) => {
            let each: Vec<String> = factors.iter().map(|f| format!("`{} = 0`", plain(graph, *f))).collect();
            format!("it is a product: choose which is meant, {}", each.join(" or "))
        }
        None => "if the formula is a product of linear ones, choose the factor that is meant".to_string(),
    })
}

/// The factors of a product of formulas that are linear in the velocities.
fn linear_factors(graph: &mut Graph, zero: &mut ZeroTest, e: Expr, velocities: &[Symbol]) -> Option<Vec<Expr>> {
    let mut ring = Ring::new(graph, &[e], AngleBasis::Symbols, MAX_TERMS).ok()?;
    let fraction = ring.fraction(graph, e).ok()?;
    let mut out = Vec::new();
    for (p, _) in factor(fraction.numerator()).factors {
        let f = ring.expand_to_expr(graph, &p);
        if graph.contains_any(f, velocities) {
            affine_row(graph, zero, f, velocities)?;
            out.push(f);
        }
    }
    (!out.is_empty()).then_some(out)
}

fn redundant(constraint: &Constraint, used: &[(Expr, String, Option<Span>)]) -> Diagnostic {
    let from = used.iter().map(|(_, n, _)| format!("\"{n}\"")).collect::<Vec<_>>().join(" and ");
    let message = if used.is_empty() {
        format!("\"{}\" says nothing: it reads 0 = 0", constraint.name)
    } else {
        format!("\"{}\" follows from {from}", constraint.name)
    };
    let mut d = Diagnostic::warning("redundant-constraint", message).at(constraint.span, "redundant");
    for (_, name, span) in used {
        if let Some(span) = span {
            d = d.also(*span, format!("\"{name}\""));
        }
    }
    d.note("the motion is unique all the same; the single reaction forces are not")
}

/// No position satisfies the holonomic constraints: certain when their differentials depend on each
/// other, likely otherwise.
fn no_position(system: &System) -> Diagnostic {
    let d = &system.distribution;
    let holonomic = |row: &usize| {
        let number = row.checked_sub(d.representation).map(ConstraintId::new);
        number.map(|c| &system.constraints[c]).filter(|c| c.holonomic.is_some())
    };
    let names: Vec<String> =
        system.constraints.iter().filter(|c| c.holonomic.is_some()).map(|c| format!("\"{}\"", c.name)).collect();
    let Some(culprit) = d.elimination.dependent.iter().find_map(holonomic) else {
        let message = format!("no position was found at which {} hold", names.join(", "));
        let note = "Newton's method was tried from twenty random positions; give an [initial] position if there is one";
        return Diagnostic::warning("no-position-found", message).note(note);
    };
    let message =
        format!("the holonomic constraints {} contradict each other: no position satisfies them", names.join(", "));
    Diagnostic::error("contradictory-constraints", message)
        .at(culprit.span, "moves with the others, but cannot hold with them")
        .help("leave one of them out, or correct its constant")
}

/// The values of some parameters make constraints depend on each other that are independent for other values.
fn special_values(system: &System, special: &FxHashMap<Symbol, Expr>, before: usize) -> Diagnostic {
    let graph = &system.graph;
    let values = system.settled.iter().map(|p| format!("{} = {}", graph.name(*p), plain(graph, special[p])));
    let values = values.collect::<Vec<_>>().join(", ");
    let m = system.distribution.representation;
    let (now, before) = (system.distribution.rank() - m, before - m);
    let message = format!("at {values} the constraints are dependent: their rank is {now}, for other values {before}");
    Diagnostic::warning("special-parameters", message)
        .note("the equations are derived with the numbers in the place of the letters, and hold for these values only")
        .help("leave out what is redundant, or give other values with --set")
}

fn redundant_on_surface(constraint: &Constraint) -> Diagnostic {
    let message =
        format!("\"{}\" follows from the ones before it wherever the holonomic constraints hold", constraint.name);
    Diagnostic::warning("redundant-constraint", message)
        .at(constraint.span, "redundant there")
        .note("it is left out: away from that surface, where the motion never is, it would say more")
        .note("the motion is unique all the same; the single reaction forces are not")
}

/// Rows of several contacts that contradict each other, in words; `None` where others are involved.
fn contradictory_contacts(
    model: &Model,
    constraint: &Constraint,
    used: &[(Expr, String, Option<Span>)],
) -> Option<Diagnostic> {
    let contact_of = |name: &str| {
        let row = model.constraints.find_id(|c| c.name == name)?;
        model.contacts.iter().find(|c| c.constraints.contains(row))
    };
    let last = contact_of(&constraint.name)?;
    let mut names: Vec<&str> = Vec::new();
    for (_, name, _) in used {
        let contact = contact_of(name)?;
        if !names.contains(&contact.name.as_str()) {
            names.push(&contact.name);
        }
    }
    names.retain(|n| *n != last.name);
    let first = *names.first()?;
    let other = model.contacts.iter().find(|c| c.name == first)?;
    let message = format!(
        "the contacts `{first}` and `{}` cannot both hold: `{}` and `{}` move towards or away from each other",
        last.name, other.sides[1].name, last.sides[1].name
    );
    Some(
        Diagnostic::error("contradictory-constraints", message)
            .at(last.span, "cannot hold with the other")
            .also(other.span, "the other")
            .note("along the line through both points of contact the body is rigid, but what it touches there is not at rest relative to each other")
            .help("let both sides move as one, leave one contact out, or make it frictionless if they only slide past each other"),
    )
}

fn contradiction(
    graph: &mut Graph,
    constraint: &Constraint,
    used: &[(Expr, String, Option<Span>)],
    remainder: Expr,
) -> Diagnostic {
    let mut text = String::new();
    for (c, name, _) in used {
        let coefficient = plain(graph, *c);
        let part = match coefficient.as_str() {
            "1" => format!("{name} + "),
            "-1" => format!("-{name} + "),
            number if graph.as_number(*c).is_some_and(|r| r.is_int()) => format!("{number}*{name} + "),
            _ => format!("({coefficient})*{name} + "),
        };
        text.push_str(&part);
    }
    let text = text.trim_end_matches(" + ").replace("+ -", "- ");
    // b_row − Σ c b = remainder ≠ 0, while the left sides cancel.
    let negated = graph.scale(remainder, &int(-1));
    let value = plain(graph, negated);
    let constant = graph.as_number(remainder).is_some();
    let names =
        used.iter().map(|(_, n, _)| format!("\"{n}\"")).chain([format!("\"{}\"", constraint.name)]).collect::<Vec<_>>();
    let message = if constant || used.is_empty() {
        format!("constraints {} contradict each other (they are inconsistent)", names.join(", "))
    } else {
        let positive = plain(graph, remainder);
        let shorter = if positive.len() < value.len() { &positive } else { &value };
        format!("constraints {} contradict each other except where {shorter} = 0", names.join(", "))
    };
    let mut d =
        Diagnostic::error("contradictory-constraints", message).at(constraint.span, "cannot hold with the others");
    for (_, name, span) in used {
        if let Some(span) = span {
            d = d.also(*span, format!("\"{name}\""));
        }
    }
    let combination =
        if text.is_empty() { format!("-{}", constraint.name) } else { format!("{text} - {}", constraint.name) };
    d = d.note(format!("{combination} gives 0 = {value}"));
    if !constant {
        d = d.note("a condition on the position that hides in velocity constraints belongs into the model as a holonomic constraint");
    }
    d.help("leave one of them out")
}

/// Rows of the representation and of the model together, for the forms.
impl System {
    /// The row of a model constraint.
    pub fn constraint_row(&self, i: usize) -> &Row {
        &self.distribution.rows[self.distribution.representation + i]
    }
}
