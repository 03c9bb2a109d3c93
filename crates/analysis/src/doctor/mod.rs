//! The constraint doctor: what can be said about the constraints before deriving anything.
//!
//! ```text
//! rank A at generic points, and the set where it falls                         singular.rs
//! derived flag and growth vector, anywhere                                     flag.rs
//! p = N − (last dimension of the flag): integrals by Frobenius                 this file
//!     p = rank  holonomic,   0 < p < rank  semi-holonomic,   p = 0  nonholonomic
//! the integrals themselves                                                     integrals.rs
//! ```
//!
//! N = n, and N = n + 1 on space-time for constraints that are affine or depend on time: there the forms
//! are A dq + a₀ dt. Everything is a statement about generic points, an open dense set; [`examine_at`] asks about a given one.
//! Parameters have the values of the model. Where these are special, so that other values would give other answers, the report says so.
//! \[Montgomery2002\] has the definitions, `docs/constraints.md` examples.

mod alphabet;
mod ansatz;
mod arcs;
mod budget;
mod classes;
mod closed;
mod derived;
mod exact;
mod flag;
mod independent;
mod integrals;
mod jet;
mod local;
mod pencil;
mod primitive;
pub(crate) mod singular;
pub(crate) mod variety;

use ansatz::Independent;
use flag::Forms;
use integrals::Search;
use polhode_base::ids::{ConstraintId, Id};
use polhode_expr::{Expr, Graph, Symbol};
use polhode_mechanics::distribution::Row;
use polhode_mechanics::forms::{Form, NotApplicable};
use polhode_mechanics::rank::place::{NoValue, Place};
use polhode_mechanics::rank::{Coefficients, SEED, tied};
use polhode_mechanics::system::System;
use rustc_hash::FxHashMap;
use variety::Domain;

pub use flag::{Flag, Flags};
pub use independent::Choice;
pub use integrals::Integral;
pub use singular::{Component, SingularSet};

/// What the constraints are, by Frobenius' theorem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classification {
    /// There are none.
    Unconstrained,
    /// They are equivalent to constraints on the position.
    Holonomic,
    /// Some combinations of them are.
    SemiHolonomic {
        /// How many.
        integrals: usize,
    },
    /// None is: every position can be reached.
    Nonholonomic,
}

impl Classification {
    fn new(rank: usize, integrals: usize) -> Classification {
        match (rank, integrals) {
            (0, _) => Classification::Unconstrained,
            (r, p) if r == p => Classification::Holonomic,
            (_, 0) => Classification::Nonholonomic,
            (_, integrals) => Classification::SemiHolonomic { integrals },
        }
    }

    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Classification::Unconstrained => "none",
            Classification::Holonomic => "holonomic",
            Classification::SemiHolonomic { .. } => "semi-holonomic",
            Classification::Nonholonomic => "nonholonomic",
        }
    }
}

/// Integrability of a set of forms.
#[derive(Clone, Debug)]
pub struct Integrability {
    /// Both flags at generic points.
    pub flags: Flags,
    /// Number of independent integrals.
    pub count: usize,
    /// What that means.
    pub classification: Classification,
}

/// What the doctor found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Dimension of the configuration space.
    pub dimension: usize,
    /// Number of constraints of the model.
    pub constraints: usize,
    /// How many of them are holonomic as written.
    pub holonomic: usize,
    /// Generic rank.
    pub rank: usize,
    /// Degrees of freedom: dimension less rank.
    pub degrees_of_freedom: usize,
    /// Some constraint has a part without velocities.
    pub affine: bool,
    /// Some constraint contains the time.
    pub rheonomic: bool,
    /// Names of constraints that follow from earlier ones.
    pub redundant: Vec<String>,
    /// Names of constraints that could be left out, each for itself.
    pub removable: Vec<String>,
    /// Where the rank falls.
    pub singular: SingularSet,
    /// The constraints at frozen time without their affine parts; absent where power series do not reach.
    pub linear: Option<Integrability>,
    /// The same on space-time, for constraints that are affine or depend on time.
    pub space_time: Option<Integrability>,
    /// Integrals that were found, independent of each other; [`Report::verdict`] tells how many there are.
    pub integrals: Vec<Integral>,
    /// Integrals of [`Report::linear`], when these are other ones.
    pub frozen_integrals: Vec<Integral>,
    /// Other values of the parameters would give other flags.
    pub special_parameters: bool,
    /// Functions in the constraints may be tied to each other, as |y| is to y: flags, integrals and singular sets are not decided.
    pub tied: bool,
    /// Names of what the constraints are.
    pub classes: Vec<String>,
    /// Names of the independent velocities.
    pub independent: Vec<String>,
    /// Names of the dependent velocities.
    pub dependent: Vec<String>,
    /// The choice of independent velocities in use.
    pub choice: Choice,
    /// Other choices, the best first.
    pub other_choices: Vec<Choice>,
    /// Whether Chaplygin's form applies, or why not.
    pub chaplygin: Result<(), NotApplicable>,
}

impl Report {
    /// The integrability that counts: on space-time where time plays a part.
    pub fn verdict(&self) -> Option<&Integrability> {
        if self.affine || self.rheonomic { self.space_time.as_ref() } else { self.linear.as_ref() }
    }

    /// Whether the affine part, or the dependence on time, makes another kind of constraint than the linear part at frozen time.
    pub fn time_matters(&self) -> Option<bool> {
        let (linear, whole) = (self.linear.as_ref()?, self.space_time.as_ref()?);
        Some(linear.classification.name() != whole.classification.name())
    }

    /// Makes the quasi-velocities of the system the choice of the report.
    pub fn take_quasi_velocities(&mut self, system: &mut System) {
        if let Some(choice) = independent::chosen(system) {
            let name = |n: &String| n.split_once(" = ").map_or(n.as_str(), |(name, _)| name).to_string();
            self.independent = choice.velocities.iter().map(name).collect();
            let known = |v: &Symbol| system.graph.name(*v).to_string();
            self.dependent = system.configuration.velocities().iter().map(known).collect();
            self.dependent.retain(|v| !self.independent.contains(v));
            self.other_choices.retain(|c| c.velocities != choice.velocities);
            self.other_choices.insert(0, std::mem::replace(&mut self.choice, choice));
        }
    }

    /// Reactions may do work: virtual displacements are not the possible ones.
    pub fn reactions_work(&self) -> bool {
        self.affine || self.rheonomic
    }
}

/// What is so at a given point.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PointReport {
    /// Rank of the constraints there; absent where the text has a pole.
    pub rank: Option<usize>,
    /// Dimension of the admissible velocities there.
    pub degrees_of_freedom: Option<usize>,
    /// Both flags of the linear part, if the rank is the generic one.
    pub linear: Option<Flags>,
    /// The same on space-time.
    pub space_time: Option<Flags>,
    /// Functions may be tied to each other there, as in [`Report::tied`]: nothing is decided.
    pub tied: bool,
    /// A coefficient as written is infinite there; the rest of this report is for the constraint without its denominators.
    pub pole: bool,
}

/// The forms of a system in the shapes the analysis needs.
struct Analysis {
    linear: Forms,
    whole: Forms,
    /// Rows that belong to the representation of the configuration space.
    representation: usize,
    /// Parameters at their values.
    valued: Place,
    /// Exact fields are not to be trusted.
    tied: bool,
}

impl Analysis {
    fn new(system: &mut System, reduced: bool) -> Analysis {
        let rows = if reduced { &system.distribution.reduced } else { &system.distribution.rows }.clone();
        let representation = system.distribution.representation;
        let Coefficients { linear, whole, valued, tied } = Coefficients::of(system, &rows);
        let configuration = system.configuration.clone();
        Analysis {
            linear: Forms { configuration: configuration.clone(), time: None, rows: linear },
            whole: Forms { configuration, time: Some(system.time), rows: whole },
            representation,
            valued,
            tied,
        }
    }

    fn integrability(&self, graph: &mut Graph, forms: &Forms, place: &Place) -> Result<Integrability, NoValue> {
        if self.tied {
            return Err(NoValue::Outside);
        }
        let rank = forms.rank(graph, place)?;
        let at = forms.at(graph, place, rank, None)?;
        let flags = at.flags.ok_or(NoValue::Outside)?;
        if !flags.derived.complete || !flags.growth.complete {
            return Err(NoValue::Outside);
        }
        let n = forms.configuration.velocities().len() + usize::from(forms.time.is_some());
        let count = n - flags.derived.last() - self.representation;
        Ok(Integrability { count, classification: Classification::new(rank - self.representation, count), flags })
    }
}

/// Is a constraint affine, and does one contain the time?
fn affine_and_rheonomic(system: &mut System) -> (bool, bool) {
    let d = system.distribution.clone();
    let affine = d.is_affine(&mut system.graph, &mut system.zero);
    let rheonomic = d.rows.iter().any(|r| {
        r.a.iter().chain([&r.a0]).any(|e| {
            let rate = system.graph.derivative(*e, system.time);
            !system.zero.is_zero(&mut system.graph, rate)
        })
    });
    (affine, rheonomic)
}

/// The integrals of the constraints: [`Report::integrals`] without the rest of the report.
pub fn integrals(system: &mut System) -> Vec<Integral> {
    let (affine, rheonomic) = affine_and_rheonomic(system);
    let analysis = Analysis::new(system, false);
    let forms = if affine || rheonomic { &analysis.whole } else { &analysis.linear };
    let open = Place { seed: SEED, ..Place::default() };
    let Ok(here) = analysis.integrability(&mut system.graph, forms, &analysis.valued) else { return Vec::new() };
    let letters = analysis.integrability(&mut system.graph, forms, &open);
    let special = letters.is_ok_and(|l| l.flags != here.flags);
    if here.count == 0 { Vec::new() } else { find(system, &analysis, forms, here.count, special) }
}

/// Examines the constraints of a system.
pub fn examine(system: &mut System) -> Report {
    let d = system.distribution.clone();
    let m = d.representation;
    let (affine, rheonomic) = affine_and_rheonomic(system);
    let analysis = Analysis::new(system, false);
    let valued = analysis.valued.clone();
    // the elimination compares in many digits where it has to
    let rank = match analysis.linear.rank(&mut system.graph, &valued) {
        Ok(rank) if !analysis.tied => rank,
        _ => d.rank(),
    };
    let (redundant, removable) = redundancy(system, &analysis, rank);
    let open = Place { seed: SEED, ..Place::default() };
    let linear = analysis.integrability(&mut system.graph, &analysis.linear, &valued).ok();
    let with_time = affine || rheonomic;
    let space_time =
        with_time.then(|| analysis.integrability(&mut system.graph, &analysis.whole, &valued).ok()).flatten();
    let letters = analysis.integrability(&mut system.graph, &analysis.linear, &open).ok();
    let differs = |a: &Option<Integrability>, b: &Option<Integrability>| match (a, b) {
        (Some(a), Some(b)) => a.flags != b.flags,
        _ => false,
    };
    let mut special_parameters = differs(&linear, &letters) || rank != d.rank() || !system.settled.is_empty();
    if with_time && !special_parameters {
        let letters = analysis.integrability(&mut system.graph, &analysis.whole, &open).ok();
        special_parameters = differs(&space_time, &letters);
    }
    let domain = Domain::new(system);
    let singular = match analysis.tied {
        true => SingularSet::default(),
        false => singular_set(system, &analysis, rank, special_parameters, &domain),
    };
    let verdict = if with_time { space_time.as_ref() } else { linear.as_ref() };
    let forms = if with_time { &analysis.whole } else { &analysis.linear };
    let integrals = verdict.map_or_else(Vec::new, |v| find(system, &analysis, forms, v.count, special_parameters));
    let frozen_integrals = match (&linear, with_time) {
        (Some(l), true) if l.count > 0 => find(system, &analysis, &analysis.linear, l.count, special_parameters),
        _ => Vec::new(),
    };
    let facts = classes::Facts {
        forms: &analysis.linear,
        flags: linear.as_ref().map(|l| &l.flags),
        classification: verdict.map(|v| v.classification),
        rank: rank - m,
        written: system.constraints.iter().filter(|c| c.holonomic.is_some()).count(),
        place: &valued,
        drifts: d.rows.iter().map(|r| r.a0).collect(),
    };
    let mut classes = classes::classes(system, &facts);
    let chaplygin = system.equations(Form::Chaplygin).map(|_| ());
    if chaplygin.is_ok() {
        classes.retain(|c| !c.starts_with("generalised Chaplygin"));
        classes.insert(0, "Chaplygin".into());
    } else if rank > m {
        classes.insert(0, "Voronets".into());
    }
    let names = |s: &System, v: Vec<Symbol>| v.iter().map(|x| s.graph.name(*x).to_string()).collect();
    let (choice, other_choices) = independent::choices(system);
    let dimension = system.configuration.dimension();
    Report {
        dimension,
        constraints: d.rows.len() - m,
        holonomic: system.constraints.iter().filter(|c| c.holonomic.is_some()).count(),
        rank: rank - m,
        degrees_of_freedom: (dimension + m) - rank,
        affine,
        rheonomic,
        redundant,
        removable,
        singular,
        linear,
        space_time,
        integrals,
        frozen_integrals,
        special_parameters,
        tied: analysis.tied,
        classes,
        independent: names(system, system.independent_velocities()),
        dependent: names(system, system.dependent_velocities()),
        choice,
        other_choices,
        chaplygin,
    }
}

/// Constraints that follow from the ones before them, and constraints that follow from all others.
fn redundancy(system: &mut System, analysis: &Analysis, rank: usize) -> (Vec<String>, Vec<String>) {
    let mut redundant: Vec<String> = Vec::new();
    let mut removable: Vec<String> = Vec::new();
    let m = analysis.representation;
    let d = system.distribution.clone();
    let used: Vec<usize> = (0..d.rows.len()).filter(|i| !d.left_out.contains(i)).collect();
    if analysis.tied {
        let dependent = d.elimination.dependent.iter().filter_map(|i| i.checked_sub(m));
        return (dependent.map(|i| system.constraint_names[i].clone()).collect(), removable);
    }
    let name = |i: usize| system.constraint_names[used[i] - m].clone();
    let rank_of = |graph: &mut Graph, keep: &dyn Fn(usize) -> bool| {
        let rows = analysis.linear.rows.iter().enumerate().filter(|(i, _)| keep(*i)).map(|(_, r)| r.clone());
        let forms = Forms { rows: rows.collect(), ..analysis.linear.clone() };
        forms.rank(graph, &analysis.valued).ok()
    };
    let mut before = m;
    for i in m..used.len() {
        // one that is not in force has nothing to say
        let k = used[i] - m;
        if !system.in_force.contains(ConstraintId::new(k)) {
            continue;
        }
        let Some(now) = rank_of(&mut system.graph, &|k| k <= i) else { break };
        if now == before {
            redundant.push(name(i));
        }
        before = now;
        if rank_of(&mut system.graph, &|k| k != i) == Some(rank) {
            removable.push(name(i));
        }
    }
    for i in &d.left_out {
        redundant.push(system.constraint_names[i - m].clone());
    }
    (redundant, removable)
}

/// The singular set, with letters for the parameters unless their values are special.
fn singular_set(system: &mut System, analysis: &Analysis, rank: usize, special: bool, domain: &Domain) -> SingularSet {
    let d = system.distribution.clone();
    let used = |rows: &[Row]| -> Vec<Row> {
        (0..rows.len()).filter(|i| !d.left_out.contains(i)).map(|i| rows[i].clone()).collect()
    };
    let (mut rows, mut reduced) = (used(&d.rows), used(&d.reduced));
    if !special {
        let found = singular::singular_set(&mut system.graph, &mut system.zero, &rows, &reduced, rank, domain);
        // an equation between parameters alone means that their values are special here
        let settled = |e: &Expr| system.graph.free_symbols(&[*e]).iter().any(|s| !system.parameters.contains(s));
        if found.components.iter().flatten().all(|c| c.equations.iter().all(settled)) {
            return found;
        }
    }
    for row in rows.iter_mut().chain(&mut reduced) {
        row.a = system.graph.substitute_all(&row.a, &analysis.valued.fixed);
    }
    singular::singular_set(&mut system.graph, &mut system.zero, &rows, &reduced, rank, domain)
}

/// Integrals of some forms, of which there are `count`.
fn find(system: &mut System, analysis: &Analysis, forms: &Forms, count: usize, special: bool) -> Vec<Integral> {
    if count == 0 {
        return Vec::new();
    }
    let graph = &mut system.graph;
    let roots: Vec<Expr> = forms.rows.iter().flatten().copied().collect();
    let occurring = graph.free_symbols(&roots);
    let parameters: Vec<Symbol> = system.parameters.iter().copied().filter(|p| occurring.contains(p)).collect();
    // time that stands still is one more letter
    let frozen = (forms.time.is_none() && occurring.contains(&system.time)).then_some(system.time);
    // numbers that are no fractions stay letters: sqrt(2) has no name among the coefficients
    let rational = |graph: &Graph, p: &Symbol| graph.as_number(analysis.valued.fixed[p]).is_some();
    let fractions: FxHashMap<Symbol, Expr> =
        parameters.iter().filter(|p| rational(graph, p)).map(|p| (*p, analysis.valued.fixed[p])).collect();
    let numbers = Place { fixed: fractions, seed: SEED };
    // without it no coordinate is left out of the search
    let closure = forms.closure(graph, &numbers).unwrap_or_default();
    let letters = Place { seed: SEED, ..Place::default() };
    let mut tries = Vec::new();
    if !special {
        tries.push((letters, parameters.iter().copied().chain(frozen).collect()));
    }
    if special || !parameters.is_empty() {
        let open = parameters.iter().copied().filter(|p| !numbers.fixed.contains_key(p));
        let rest: Vec<Symbol> = open.chain(frozen).collect();
        tries.push((numbers, rest));
    }
    let mut best: Vec<Integral> = Vec::new();
    for (place, parameters) in tries {
        // the values of the parameters are put in once and for all
        let rows = forms.rows.iter().map(|r| graph.substitute_all(r, &place.fixed)).collect();
        let forms = Forms { rows, ..forms.clone() };
        let place = Place { seed: place.seed, ..Place::default() };
        let mut independent = Independent::new(&place);
        for row in &forms.rows[..analysis.representation] {
            independent.add(graph, row);
        }
        let search = Search { forms: &forms, place, parameters, count, closure: closure.clone() };
        let known: Vec<Expr> = system.constraints.iter().filter_map(|c| c.holonomic).collect();
        let found = search.run(graph, &known, &mut independent);
        if found.len() > best.len() {
            best = found;
        }
        if best.len() == count {
            break;
        }
    }
    let written = |system: &mut System, h: Expr| {
        let expression = integrals::without_logarithms(&mut system.graph, h);
        Integral { expression, local: integrals::is_local(system, expression) }
    };
    best.into_iter().map(|i| written(system, i.expression)).collect()
}

/// Examines one point: symbols with expressions in the others, which stay generic.
pub fn examine_at(system: &mut System, report: &Report, point: &[(Symbol, Expr)]) -> PointReport {
    let first = examine_forms_at(system, report, point, false);
    match first {
        Some(found) => found,
        None => {
            let again = examine_forms_at(system, report, point, true);
            again.map_or(PointReport { pole: true, ..PointReport::default() }, |p| PointReport { pole: true, ..p })
        }
    }
}

fn examine_forms_at(
    system: &mut System,
    report: &Report,
    point: &[(Symbol, Expr)],
    reduced: bool,
) -> Option<PointReport> {
    let analysis = Analysis::new(system, reduced);
    let m = analysis.representation;
    let mut place = analysis.valued.clone();
    place.fix(&mut system.graph, point);
    let graph = &mut system.graph;
    let rows: Vec<Expr> = analysis.whole.rows.iter().flatten().copied().collect();
    let mut there = graph.substitute_all(&rows, &place.fixed);
    there.extend(point.iter().map(|(s, _)| place.fixed[s]));
    if analysis.tied || tied::tied(graph, &there) {
        return Some(PointReport { tied: true, ..PointReport::default() });
    }
    let rank = analysis.linear.rank(graph, &place).ok()?;
    let generic = report.rank + m;
    let flags = |graph: &mut Graph, forms: &Forms, generic_flags: Option<&Integrability>| {
        let known = generic_flags?;
        forms.at(graph, &place, generic, Some(&known.flags)).ok()?.flags
    };
    let linear = if rank == generic { flags(graph, &analysis.linear, report.linear.as_ref()) } else { None };
    let space_time = match &report.space_time {
        Some(known) if rank == generic => flags(graph, &analysis.whole, Some(known)),
        _ => None,
    };
    Some(PointReport {
        rank: Some(rank - m),
        degrees_of_freedom: Some(report.dimension + m - rank),
        linear,
        space_time,
        tied: false,
        pole: false,
    })
}
