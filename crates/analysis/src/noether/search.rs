//! Everything that is conserved, as far as it is found.

use super::basis::{self, Coefficient};
use super::budget::{KNOWN_PRODUCTS, LINEAR_COLUMNS, QUADRATIC_COLUMNS, SHOWN_NODES, WEIGHTED_COLUMNS};
use super::flow::Flow;
use super::independence::{Differential, Directions, independent};
use super::linear::{Besides, Space, Tracked, Velocity, Weight, velocities};
use super::momentum::{Momentum, momenta};
use super::ode::{self, LinearSystem};
use super::origin::{Origin, mass, origin};
use super::powers::factors;
use super::sample::{Parameters, Sampler};
use super::test::{Answer, decide, decide_at_values};
use crate::doctor;
use polhode_expr::{Exponent, Expr, Matrix, Reading, Tree, determinant};
use polhode_mechanics::symmetry::Field;
use polhode_mechanics::system::System;

/// Where integrals are looked for.
#[derive(Clone, Debug)]
pub struct Search {
    /// Degree of the coefficient functions in the atoms.
    pub degree: usize,
    /// Coefficient functions to be used instead of monomials.
    pub basis: Vec<Expr>,
    /// Weights ρ besides those that the mass matrix suggests.
    pub weights: Vec<Expr>,
    /// Look for integrals at the values of the parameters instead of for all values.
    pub at_values: bool,
    /// Look for integrals quadratic in the velocities too.
    pub quadratic: bool,
}

impl Default for Search {
    fn default() -> Search {
        Search { degree: 2, basis: Vec::new(), weights: Vec::new(), at_values: false, quadratic: false }
    }
}

/// What an integral is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// v ∂L/∂v − L.
    Energy,
    /// The energy with a part linear in the velocities.
    MovingEnergy,
    /// A function of the position: a holonomic constraint in disguise.
    Position,
    /// Linear in the velocities, perhaps with a part that contains none.
    Linear,
    /// One solution of a linear differential equation in a coordinate gives its coefficient.
    LinearByEquation,
    /// Quadratic in the velocities, and no function of the others.
    Quadratic,
}

impl Kind {
    /// Integrals follow from others of the same rank or a lower one.
    fn rank(&self) -> usize {
        match self {
            Kind::Position => 0,
            Kind::Linear | Kind::LinearByEquation => 1,
            Kind::Energy | Kind::MovingEnergy | Kind::Quadratic => 2,
        }
    }
}

/// A function that is constant along every motion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Integral {
    /// What it is.
    pub kind: Kind,
    /// The function of position and velocity.
    pub function: Expr,
    /// The same, readable; absent when too long.
    pub tree: Option<Tree>,
    /// The test it passed.
    pub answer: Answer,
    /// Where it comes from, for those linear in the velocities.
    pub origin: Option<Origin>,
    /// Whether it is independent of the ones before it, as a function.
    pub independent: bool,
}

/// Integrals whose coefficients solve a linear system.
#[derive(Clone, Debug)]
pub struct Family {
    /// The system.
    pub system: LinearSystem,
    /// How many of its integrals are no combinations of those linear in the velocities that were found otherwise, with coefficients that are
    /// integrals of the position.
    pub new: usize,
    /// How many are no functions of all the others, energy included.
    pub independent: usize,
    /// Whether they are gauge momenta: along symmetries, with coefficients that depend on the position.
    pub gauge: bool,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conserved {
    /// The integrals, the simplest first.
    pub integrals: Vec<Integral>,
    /// Linear systems whose solutions are coefficients of further integrals.
    pub systems: Vec<Family>,
    /// The symmetries.
    pub momenta: Vec<Momentum>,
    /// dE/dt, where the energy is not constant.
    pub energy_rate: Option<Expr>,
    /// The degree that was searched, where the number of functions allowed less than was asked for.
    pub degree: usize,
    /// What the search for quadratic ones covered, where it was asked for.
    pub quadratic: Option<Covered>,
    /// How many more functions of the space (L1) of `linear.rs` are constant at the values of the parameters than for parameters in general.
    pub special: usize,
    /// False where the equations are outside of what the search can do (logarithms, angles of vectors).
    pub searched: bool,
}

/// A search for quadratic integrals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Covered {
    /// The degree of the coefficient functions.
    pub degree: usize,
    /// Functions that are constant and perhaps new, but too long to be written down.
    pub unwritten: usize,
}

/// Looks for everything.
pub fn search(system: &mut System, flow: &Flow, options: &Search) -> Conserved {
    search_telling(system, flow, options, &mut |_, _| {})
}

/// The same, for those who may not wait for the end: every integral is told when it is found, before anything is known of its origin.
pub fn search_telling(
    system: &mut System,
    flow: &Flow,
    options: &Search,
    tell: &mut dyn FnMut(&System, &Integral),
) -> Conserved {
    let w = velocities(system, flow, true);
    let energy = system.energy();
    let directions = Directions::new(system, flow);
    let (integrals, differentials) = (Vec::new(), Vec::new());
    let mut out = Collector { system, flow, directions, integrals, differentials, fixed: None, tell };
    out.fixed = if options.at_values { Parameters::of_model(out.system) } else { None };
    let energy_answer = out.decided(energy);
    if energy_answer.is_integral() {
        out.add(Kind::Energy, energy);
    }
    let at_values = out.fixed.is_some();
    let momenta = momenta(out.system, flow, at_values);
    let Plain { degree, searched, special } = out.plain(options, &w, energy);
    for i in doctor::integrals(out.system) {
        out.add(Kind::Position, i.expression);
    }
    for m in momenta.iter().filter(|m| m.answer.is_integral()) {
        out.add(Kind::Linear, m.momentum);
    }
    let inertia = mass(out.system, flow);
    out.weighted(options, &w, &inertia);
    let quadratic = options.quadratic.then(|| out.quadratic(options, energy)).flatten();
    let mut systems = Vec::new();
    let tracked: Vec<Tracked> = w.iter().map(|v| v.tracked).collect();
    for s in ode::variables(out.system, flow) {
        for found in ode::systems(out.system, flow, &s, &tracked) {
            match found.closed_form(out.system) {
                Some(f) => out.add(Kind::LinearByEquation, f),
                None => {
                    for single in found.singles(out.system) {
                        if let Some(f) = single.closed_form(out.system) {
                            out.add(Kind::LinearByEquation, f);
                        }
                    }
                    systems.push(found);
                }
            }
        }
    }
    out.origins(&inertia, &momenta);
    let systems = out.families(systems, &inertia, &momenta);
    let drawn = out.drawn();
    let mut integrals = out.integrals;
    if let Some(first) = independent(out.system, drawn.as_ref(), &out.differentials) {
        integrals.iter_mut().enumerate().for_each(|(i, x)| x.independent = first.contains(&i));
    }
    let energy_rate = (!energy_answer.is_integral()).then_some(energy_answer.rate);
    Conserved { integrals, systems, momenta, energy_rate, degree, quadratic, searched, special }
}

/// What a search without weights covered.
struct Plain {
    degree: usize,
    searched: bool,
    special: usize,
}

struct Collector<'a> {
    system: &'a mut System,
    flow: &'a Flow,
    directions: Directions,
    integrals: Vec<Integral>,
    /// Those of the integrals.
    differentials: Vec<Differential>,
    /// The values of the model, where these are put in.
    fixed: Option<Parameters>,
    /// Who hears of an integral at once.
    tell: &'a mut dyn FnMut(&System, &Integral),
}

impl Collector<'_> {
    /// Coefficient functions of the search, and their degree.
    fn coefficients(&mut self, options: &Search, velocities: usize, most: usize) -> (Vec<Coefficient>, usize) {
        if options.basis.is_empty() {
            let atoms = basis::atoms(self.system);
            let most = (most / velocities.max(1)).max(atoms.len() + 1);
            let found = basis::monomials(self.system, &atoms, options.degree, most);
            let degree = found.iter().map(|c| c.degree).max().unwrap_or(0);
            return (found, degree);
        }
        let one = self.system.graph.one();
        let mut out = vec![Coefficient { function: one, degree: 0 }];
        out.extend(options.basis.iter().filter(|e| **e != one).map(|e| Coefficient { function: *e, degree: 1 }));
        (out, 1)
    }

    /// Integrals without a weight, the energy among them: for all parameters, then for those that the formulas of the model allow. What there is
    /// beyond them at the values of the model is counted.
    fn plain(&mut self, options: &Search, w: &[Velocity], energy: Expr) -> Plain {
        let (coefficients, degree) = self.coefficients(options, w.len(), LINEAR_COLUMNS);
        let positions = basis::angles(self.system);
        let besides = Besides { positions, energy: Some(energy), ..Besides::default() };
        let space = Space::new(self.system, self.flow, &coefficients, w, besides);
        let mut dimension = 0;
        let mut drawn = vec![self.fixed.clone()];
        let here = if self.fixed.is_none() { Parameters::of_model(self.system) } else { None };
        let here = here.and_then(|values| space.dimension(self.system, &values)).unwrap_or(0);
        drawn.extend(Parameters::by_formulas(self.system, 30).filter(|_| self.fixed.is_none()).map(Some));
        for (i, parameters) in drawn.iter().enumerate() {
            if i > 0 && here <= dimension {
                break;
            }
            let Some(found) = space.integrals(self.system, parameters.as_ref()) else {
                return Plain { degree, searched: i > 0, special: 0 };
            };
            dimension = dimension.max(found.dimension);
            for f in found.functions {
                let kind = self.kind(f, energy);
                self.add(kind, f);
            }
        }
        Plain { degree, searched: true, special: here.saturating_sub(dimension) }
    }

    /// By the degree in the velocities.
    fn kind(&mut self, f: Expr, energy: Expr) -> Kind {
        let velocities = self.system.configuration.velocities().to_vec();
        let graph = &mut self.system.graph;
        let slopes: Vec<Expr> = velocities.iter().map(|v| graph.derivative(f, *v)).collect();
        let mut quadratic = false;
        for e in &slopes {
            for v in &velocities {
                let second = graph.derivative(*e, *v);
                quadratic |= !self.system.zero.is_zero(graph, second);
            }
        }
        if quadratic {
            let ratio = graph.div(f, energy);
            let on_velocities: Vec<Expr> = velocities.iter().map(|v| graph.derivative(ratio, *v)).collect();
            let same = on_velocities.into_iter().all(|e| self.system.is_zero(e));
            return if same { Kind::Energy } else { Kind::MovingEnergy };
        }
        let resting = slopes.into_iter().all(|e| self.system.is_zero(e));
        if resting { Kind::Position } else { Kind::Linear }
    }

    /// Integrals with weights ρ: powers of the factors of det G and those of the user.
    fn weighted(&mut self, options: &Search, w: &[Velocity], inertia: &Matrix) {
        let positions = self.system.configuration.positions().to_vec();
        let det = determinant(&mut self.system.graph, inertia);
        let half = |n: i64| Exponent::new(n, 2).unwrap_or(Exponent::ONE);
        let mut weights: Vec<Weight> = Vec::new();
        for base in factors(self.system, det, &positions) {
            weights.extend([1, -1, -2].map(|n| Weight { base, exponent: half(n) }));
        }
        weights.extend(options.weights.iter().map(|base| Weight { base: *base, exponent: Exponent::ONE }));
        let (coefficients, _) = self.coefficients(options, w.len(), WEIGHTED_COLUMNS);
        for weight in weights {
            let slope = self.flow.rates_of(&mut self.system.graph, &[weight.base])[0];
            if self.system.is_zero(slope) {
                continue;
            }
            let besides = Besides { weight: Some(weight), ..Besides::default() };
            let space = Space::new(self.system, self.flow, &coefficients, w, besides);
            for f in space.integrals(self.system, self.fixed.as_ref()).unwrap_or_default().functions {
                let kind = self.kind(f, f);
                self.add(kind, f);
            }
        }
    }

    /// Integrals quadratic in the velocities that are no functions of those that are there; `None` where the equations have no values in F_p.
    fn quadratic(&mut self, options: &Search, energy: Expr) -> Option<Covered> {
        let independent = self.flow.shown_unknowns(self.system);
        let (system, flow) = (&mut *self.system, self.flow);
        let independent: Vec<Velocity> =
            independent.into_iter().map(|e| Velocity::independent(system, flow, e)).collect();
        // dependent velocities are rational functions of the others: with them coefficients are simpler, where there is room
        let mut best = None;
        for pairs in [velocities(system, flow, false), independent] {
            let k = pairs.len();
            let (coefficients, degree) = self.coefficients(options, k * (k + 1) / 2 + k + 1, QUADRATIC_COLUMNS);
            if best.as_ref().is_none_or(|(_, _, reached)| degree > *reached) {
                best = Some((pairs, coefficients, degree));
            }
        }
        let (w, coefficients, degree) = best?;
        let mut positions = basis::angles(self.system);
        positions.extend(potentials(self.system));
        let mut weights = vec![None];
        weights.extend(options.weights.iter().map(|base| Some(Weight { base: *base, exponent: Exponent::ONE })));
        let mut unwritten = 0;
        for weight in weights {
            // beside a weight the columns are functions over it, which products of integrals are not
            let known = if weight.is_none() { self.products() } else { Vec::new() };
            let (positions, pairs) = (positions.clone(), w.clone());
            let energy = weight.is_none().then_some(energy);
            let besides = Besides { positions, energy, weight, pairs, known };
            let space = Space::new(self.system, self.flow, &coefficients, &w, besides);
            let found = space.integrals(self.system, self.fixed.as_ref())?;
            unwritten += found.unwritten;
            for f in found.functions {
                self.add(Kind::Quadratic, f);
            }
        }
        Some(Covered { degree, unwritten })
    }

    /// Products of the integrals up to the second degree in the velocities, also times one of the position.
    fn products(&mut self) -> Vec<Expr> {
        let of_rank = |r: usize| self.integrals.iter().filter(move |i| i.kind.rank() == r).map(|i| i.answer.on_d);
        let (positions, linear, energies): (Vec<Expr>, Vec<Expr>, Vec<Expr>) =
            (of_rank(0).collect(), of_rank(1).collect(), of_rank(2).collect());
        let graph = &mut self.system.graph;
        let mut out = [positions.clone(), linear.clone(), energies].concat();
        for (i, f) in linear.iter().enumerate() {
            out.extend(linear[i..].iter().map(|g| graph.mul(*f, *g)));
        }
        for h in positions {
            let more: Vec<Expr> = out.iter().map(|f| graph.mul(h, *f)).collect();
            out.extend(more);
            out.truncate(KNOWN_PRODUCTS);
        }
        out
    }

    /// Adds a function that is constant, unless it follows from those that are there.
    fn add(&mut self, kind: Kind, f: Expr) {
        let answer = self.decided(f);
        if !answer.is_integral() {
            return;
        }
        let differential = self.directions.differential(self.system, answer.on_d);
        if self.follows(&kind, &differential) {
            return;
        }
        let tree = self.shortest(f, answer.on_d);
        let found = Integral { kind, function: f, tree, answer, origin: None, independent: true };
        (self.tell)(self.system, &found);
        self.integrals.push(found);
        self.differentials.push(differential);
    }

    /// Does an integral of this kind and differential follow from others that are no more than it: (I1) for linear ones? An energy is
    /// worth to be known even then.
    fn follows(&mut self, kind: &Kind, differential: &Differential) -> bool {
        let energy = |kind: &Kind| matches!(kind, Kind::Energy | Kind::MovingEnergy);
        if energy(kind) && !self.integrals.iter().any(|i| energy(&i.kind)) {
            return false;
        }
        let mut all = self.differentials_of(|other| other.rank() <= kind.rank());
        all.push(differential.clone());
        let parameters = self.drawn();
        let first = independent(self.system, parameters.as_ref(), &all);
        first.is_some_and(|first| !first.contains(&(all.len() - 1)))
    }

    /// Parameters at which functions are compared: those of the model, or random ones that satisfy its formulas.
    fn drawn(&mut self) -> Option<Parameters> {
        self.fixed.clone().or_else(|| Parameters::by_formulas(self.system, 111))
    }

    fn differentials_of(&self, wanted: impl Fn(&Kind) -> bool) -> Vec<Differential> {
        let pairs = self.integrals.iter().zip(&self.differentials);
        pairs.filter(|(i, _)| wanted(&i.kind)).map(|(_, d)| d.clone()).collect()
    }

    /// The exact test; with the values of the parameters where these are fixed.
    fn decided(&mut self, f: Expr) -> Answer {
        match self.fixed {
            Some(_) => decide_at_values(self.system, self.flow, f),
            None => decide(self.system, self.flow, f),
        }
    }

    /// The function as given or on D, whichever is shorter.
    fn shortest(&mut self, f: Expr, on_d: Expr) -> Option<Tree> {
        let on_d = self.flow.shown(self.system, on_d);
        let trees = [f, on_d].map(|e| readable(self.system, e));
        trees.into_iter().flatten().min_by_key(Tree::operations)
    }

    /// What is new about linear systems, each compared with the integrals and the systems before it; those with nothing new are left out.
    fn families(&mut self, found: Vec<LinearSystem>, inertia: &Matrix, momenta: &[Momentum]) -> Vec<Family> {
        let symmetries: Vec<Field> = momenta.iter().filter(|m| m.symmetry).map(|m| m.field.clone()).collect();
        let mut sampler = Sampler::new(96);
        let drawn = self.drawn();
        let mut linear = self.differentials_of(|kind| kind.rank() <= Kind::Linear.rank());
        let mut all = self.differentials.clone();
        let mut out = Vec::new();
        for system in found {
            let more = self.directions.differentials_of(self.system, self.flow, &system);
            let mut gained = |known: &mut Vec<Differential>| {
                let before = known.len();
                known.extend(more.iter().cloned());
                let first = independent(self.system, drawn.as_ref(), known);
                // without values in F_p nothing is known to follow from anything
                first.map_or(more.len(), |first| first.into_iter().filter(|i| *i >= before).count())
            };
            let (new, independent) = (gained(&mut linear), gained(&mut all));
            if new == 0 {
                continue;
            }
            let velocities = self.flow.on_d(&mut self.system.graph, &system.velocities);
            let gauge = velocities.into_iter().all(|v| {
                let found = origin(self.system, self.flow, inertia, &symmetries, v, &mut sampler);
                matches!(found, Some(Origin::Gauge | Origin::Momentum { .. }))
            });
            out.push(Family { system, new, independent, gauge });
        }
        out
    }

    fn origins(&mut self, inertia: &Matrix, momenta: &[Momentum]) {
        let symmetries: Vec<Field> = momenta.iter().filter(|m| m.symmetry).map(|m| m.field.clone()).collect();
        let mut sampler = Sampler::new(95);
        for i in 0..self.integrals.len() {
            if !matches!(self.integrals[i].kind, Kind::Linear | Kind::LinearByEquation) {
                continue;
            }
            let on_d = self.integrals[i].answer.on_d;
            self.integrals[i].origin = origin(self.system, self.flow, inertia, &symmetries, on_d, &mut sampler);
        }
    }
}

/// The summands of the potential, which parts of an energy may contain one by one, and their products with the atoms.
fn potentials(system: &mut System) -> Vec<Expr> {
    let velocities = system.configuration.velocities().to_vec();
    let graph = &mut system.graph;
    let at_rest = velocities.iter().map(|v| (*v, graph.zero())).collect();
    let rest = graph.substitute(system.lagrangian, &at_rest);
    let rest = graph.expand(rest, SHOWN_NODES).unwrap_or(rest);
    let positions = system.configuration.positions().to_vec();
    let found: Vec<Expr> = graph.summands(rest).into_iter().filter(|e| graph.contains_any(*e, &positions)).collect();
    // x V(q), as in the vector of Laplace, Runge and Lenz
    let atoms = basis::atoms(system);
    let mut out = found.clone();
    for (f, a) in found.iter().flat_map(|f| atoms.iter().map(move |a| (*f, *a))).take(KNOWN_PRODUCTS) {
        out.push(system.graph.mul(f, a));
    }
    out
}

/// Readable, or absent when too long.
pub fn readable(system: &mut System, e: Expr) -> Option<Tree> {
    let reading = Reading { parameters: system.parameters.clone() };
    system.graph.readable_or_stored(e, &reading, SHOWN_NODES)
}
