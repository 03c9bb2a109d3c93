//! Everything that is conserved, as far as it is found.

use super::basis::{self, Coefficient};
use super::flow::{Flow, directions};
use super::linear::{Besides, Space, Tracked, Velocity, Weight, velocities};
use super::momentum::{Momentum, momenta};
use super::ode::{self, LinearSystem};
use super::origin::{Origin, mass, origin};
use super::powers::factors;
use super::sample::{Parameters, Sampler};
use super::test::{Answer, decide, decide_at_values};
use crate::doctor;
use crate::symmetry::Field;
use crate::system::System;
use polhode_expr::field::echelon;
use polhode_expr::{Exponent, Expr, Matrix, Reading, Tree, determinant};

/// Longer formulas are not shown.
pub const MAX_NODES: usize = 400;

/// Products of coefficient functions and velocities in one search, at most.
const MOST_COLUMNS: usize = 900;

/// The same for each weight.
const MOST_WEIGHTED: usize = 400;

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
}

impl Default for Search {
    fn default() -> Search {
        Search { degree: 2, basis: Vec::new(), weights: Vec::new(), at_values: false }
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
}

/// A function that is constant along every motion.
#[derive(Clone, Debug)]
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
    /// How many of its integrals are not among the others.
    pub new: usize,
    /// Whether they are gauge momenta: along symmetries, with coefficients that depend on the position.
    pub gauge: bool,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
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
    /// False where the equations are outside of what the search can do (logarithms, angles of vectors).
    pub searched: bool,
}

/// Looks for everything.
pub fn search(system: &mut System, flow: &Flow, options: &Search) -> Conserved {
    let w = velocities(system, flow);
    let energy = system.energy();
    let energy_answer = decide(system, flow, energy);
    let mut out = Collector { system, flow, integrals: Vec::new(), fixed: None };
    if options.at_values {
        out.fixed = Parameters::of_model(out.system);
    }
    if energy_answer.is_integral() {
        out.add(Kind::Energy, energy);
    }
    let momenta = momenta(out.system, flow);
    let (degree, searched) = out.plain(options, &w, energy);
    for i in doctor::integrals(out.system) {
        out.add(Kind::Position, i.expression);
    }
    for m in momenta.iter().filter(|m| m.answer.is_integral()) {
        out.add(Kind::Linear, m.momentum);
    }
    let inertia = mass(out.system, flow);
    out.weighted(options, &w, &inertia);
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
    let systems = systems.into_iter().map(|s| out.family(s, &inertia, &momenta)).filter(|f| f.new > 0).collect();
    let mut integrals = out.integrals;
    independence(system, flow, &mut integrals);
    let energy_rate = (!energy_answer.is_integral()).then_some(energy_answer.rate);
    Conserved { integrals, systems, momenta, energy_rate, degree, searched }
}

struct Collector<'a> {
    system: &'a mut System,
    flow: &'a Flow,
    integrals: Vec<Integral>,
    fixed: Option<Parameters>,
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

    /// Integrals without a weight, the energy among them.
    fn plain(&mut self, options: &Search, w: &[Velocity], energy: Expr) -> (usize, bool) {
        let (coefficients, degree) = self.coefficients(options, w.len(), MOST_COLUMNS);
        let positions = basis::angles(self.system);
        let besides = Besides { positions, energy: Some(energy), weight: None };
        let space = Space::new(self.system, self.flow, &coefficients, w, besides);
        let Some(found) = space.integrals(self.system, self.fixed.as_ref()) else { return (degree, false) };
        for f in found {
            let kind = self.kind(f, energy);
            self.add(kind, f);
        }
        (degree, true)
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
        let (coefficients, _) = self.coefficients(options, w.len(), MOST_WEIGHTED);
        for weight in weights {
            let slope = self.flow.rates_of(&mut self.system.graph, &[weight.base])[0];
            if self.system.is_zero(slope) {
                continue;
            }
            let besides = Besides { weight: Some(weight), ..Besides::default() };
            let space = Space::new(self.system, self.flow, &coefficients, w, besides);
            for f in space.integrals(self.system, self.fixed.as_ref()).unwrap_or_default() {
                let kind = self.kind(f, f);
                self.add(kind, f);
            }
        }
    }

    /// Adds a function that is constant, unless it is a combination of those that are there.
    fn add(&mut self, kind: Kind, f: Expr) {
        let answer = self.decided(f);
        if !answer.is_integral() || self.is_combination(answer.on_d) {
            return;
        }
        let tree = self.shortest(f, answer.on_d);
        self.integrals.push(Integral { kind, function: f, tree, answer, origin: None, independent: true });
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

    fn is_combination(&mut self, on_d: Expr) -> bool {
        let known: Vec<Expr> = self.integrals.iter().map(|i| i.answer.on_d).chain([on_d]).collect();
        let parameters = self.fixed.clone().unwrap_or_else(|| Parameters::random(self.system, 91));
        let Some(rows) = Sampler::new(92).rows(self.system, &parameters, &known, known.len() + 3) else { return false };
        let n = known.len() + 1;
        let rows = rows.into_iter().map(|r| std::iter::once(1).chain(r).collect()).collect();
        !echelon(rows, n).pivots.contains(&(n - 1))
    }

    /// What is new about a linear system: of its integrals, those are known that are combinations of its velocities with
    /// coefficients that depend on its variable.
    fn family(&mut self, found: LinearSystem, inertia: &Matrix, momenta: &[Momentum]) -> Family {
        let linear: Vec<Expr> = (self.integrals.iter())
            .filter(|i| matches!(i.kind, Kind::Linear | Kind::LinearByEquation))
            .map(|i| i.answer.on_d)
            .collect();
        let known = ode::known(self.system, self.flow, &found, &linear).unwrap_or(0);
        let symmetries: Vec<Field> = momenta.iter().filter(|m| m.symmetry).map(|m| m.field.clone()).collect();
        let mut sampler = Sampler::new(96);
        let velocities = self.flow.on_d(&mut self.system.graph, &found.velocities);
        let gauge = velocities.into_iter().all(|v| {
            let found = origin(self.system, self.flow, inertia, &symmetries, v, &mut sampler);
            matches!(found, Some(Origin::Gauge | Origin::Momentum { .. }))
        });
        Family { new: found.order().saturating_sub(known), system: found, gauge }
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

/// Readable, or absent when too long.
pub fn readable(system: &mut System, e: Expr) -> Option<Tree> {
    let reading = Reading { parameters: system.parameters.clone() };
    system.graph.readable_or_stored(e, &reading, MAX_NODES)
}

/// Marks integrals that are functions of the ones before them: the rank of their differentials does not grow.
fn independence(system: &mut System, flow: &Flow, integrals: &mut [Integral]) {
    if integrals.is_empty() {
        return;
    }
    let mut directions = directions(system);
    let time = system.time;
    let graph = &mut system.graph;
    for s in flow.equations.unknowns.iter().chain([&time]) {
        directions.push(std::iter::once((*s, graph.one())).collect());
    }
    let functions: Vec<Expr> = integrals.iter().map(|i| i.answer.on_d).collect();
    let slopes: Vec<Expr> = directions.iter().flat_map(|d| graph.along_all(&functions, d)).collect();
    let parameters = Parameters::random(system, 111);
    let Some(rows) = Sampler::new(112).rows(system, &parameters, &slopes, 1) else { return };
    let m = functions.len();
    let matrix: Vec<Vec<u64>> = rows[0].chunks(m).map(<[u64]>::to_vec).collect();
    let pivots = echelon(matrix, m).pivots;
    integrals.iter_mut().enumerate().for_each(|(i, x)| x.independent = pivots.contains(&i));
}
