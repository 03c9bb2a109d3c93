//! Invariant measures, and Chaplygin's reducing multiplier.
//!
//! In positions and quasi-velocities the motion X has the divergence
//!
//! ```text
//! div X = b_A(v^A) + ∂ξ̇^a/∂ξ^a = d_a(q) ξ^a + d_0(q)                                    (M1)
//! ```
//!
//! with respect to the volume of the base frame (for rotations the invariant volume, for unit vectors the area) times dξ¹ … dξ^k. The density ρ(q) of an invariant measure obeys
//!
//! ```text
//! e_a(σ) = −d_a,      e_0(σ) = −d_0,      σ = log ρ.                                     (M2)
//! ```
//!
//! These say how σ changes along D; brackets of fields say how it changes along the rest,
//!
//! ```text
//! [X, Y](σ) = X(Y(σ)) − Y(X(σ)),                                                       (M3)
//! ```
//!
//! and where two of them say different things there is no such measure: the difference is the obstruction. A density Π P^e with rational e is looked for first (`powers.rs`), then one with an exponential (`exponential.rs`).
//! For a kinetic energy without a potential, a measure with any smooth density implies one with a density of the position alone \[FedorovGarciaNaranjoMarrero2015\].
//!
//! A Chaplygin system with Lagrangian l_c on the base becomes Hamiltonian in the time τ, dτ = N dt, when
//!
//! ```text
//! ṗ_a + p_a (log N)˙ = ∂_a l_c + ∂_a(log N) p_b q̇^b,      p_a = ∂l_c/∂q̇^a,               (M4)
//! ```
//!
//! that is, when d/dτ ∂l*/∂q′ = ∂l*/∂q for l*(q, q′) = l_c(q, N q′) \[Chaplygin1911\].

use super::basis::{angles, atoms};
use super::budget::{DIVERGENCE_BRACKETS, DIVERGENCE_NODES};
use super::exponential::{Summand, solution, summands};
use super::flow::{Flow, directions};
use super::origin::mass;
use super::powers::{below, collect, exponents, factors, product};
use super::sample::{Parameters, Sampler};
use polhode_expr::field::{Residue, echelon};
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol, Verdict, determinant, eliminate};
use polhode_mechanics::forms::Form;
use polhode_mechanics::system::System;

/// What is known about the invariant measures with a density that depends on the position alone.
#[derive(Clone, Debug)]
pub enum Measure {
    /// ρ.
    Density {
        /// The density.
        density: Expr,
        /// The divergence vanishes as it is: ρ = 1.
        constant: bool,
        /// The density contains angles themselves: it is one near every point, and no function on their circles.
        local: bool,
    },
    /// (M2) can be solved near every point; the solution is no product of powers and exponentials that was thought of.
    Closed {
        /// −d_a: the derivatives of log ρ along the frame of D.
        slopes: Vec<Expr>,
    },
    /// There is none: the volume of a neighbourhood changes even at rest.
    Shrinks {
        /// d_0.
        rate: Expr,
    },
    /// There is none: (M3) contradicts itself.
    Obstruction {
        /// What should be zero.
        difference: Expr,
    },
    /// The divergence is not affine in the velocities.
    NotAffine,
    /// Points of contact are carried along: the positions of the model are no coordinates.
    Carried,
    /// The values of the parameters make a denominator of the equations zero.
    Singular,
    /// Too large to be decided.
    Undecided,
}

impl Measure {
    /// Is there one, by a formula or by its slopes?
    pub fn has_density(&self) -> bool {
        matches!(self, Measure::Density { .. } | Measure::Closed { .. })
    }
}

/// A field along which the change of σ is known; the drift has a component along time.
#[derive(Clone, Debug)]
struct Known {
    components: Vec<Expr>,
    time: Expr,
    rates: Rates,
    slope: Expr,
}

/// The divergence (M1).
pub fn divergence(system: &mut System, flow: &Flow) -> Expr {
    let directions = directions(system);
    let graph = &mut system.graph;
    let mut parts = Vec::new();
    for (v, rates) in flow.equations.velocities.iter().zip(&directions) {
        parts.push(graph.along(*v, rates));
    }
    for (s, rate) in flow.equations.unknowns.iter().zip(&flow.equations.rates) {
        parts.push(graph.derivative(*rate, *s));
    }
    graph.sum(parts)
}

/// Looks for an invariant measure.
pub fn measure(system: &mut System, flow: &Flow) -> Measure {
    if system.configuration.factors().iter().any(|f| f.is_carried()) {
        return Measure::Carried;
    }
    let divergence = divergence(system, flow);
    let xi = flow.equations.unknowns.clone();
    let d: Vec<Expr> = xi.iter().map(|s| system.graph.derivative(divergence, *s)).collect();
    for (e, s) in d.iter().flat_map(|e| xi.iter().map(move |s| (*e, *s))) {
        let second = system.graph.derivative(e, s);
        if !system.is_zero(second) {
            return Measure::NotAffine;
        }
    }
    let at_rest = xi.iter().map(|s| (*s, system.graph.zero())).collect();
    let d: Vec<Expr> = d.into_iter().map(|e| system.graph.substitute(e, &at_rest)).collect();
    let d0 = system.graph.substitute(divergence, &at_rest);
    let known = legs(system, flow, &d, d0);
    let drifting = known.len() > xi.len();
    if !drifting && !system.is_zero(d0) {
        return Measure::Shrinks { rate: d0 };
    }
    if known.iter().all(|k| system.is_zero(k.slope)) {
        return Measure::Density { density: system.graph.one(), constant: true, local: false };
    }
    let bases = bases(system, flow, &known);
    let found = as_product(system, &bases, &known).or_else(|| as_exponential(system, &bases, &known, &[]));
    if let Some(density) = found {
        return Measure::Density { density, constant: false, local: false };
    }
    let angles = angles(system);
    if let Some(density) = as_exponential(system, &bases, &known, &angles) {
        return Measure::Density { density, constant: false, local: true };
    }
    let slopes = known.iter().map(|k| k.slope).collect();
    match contradiction(system, known) {
        Some(Some(difference)) => Measure::Obstruction { difference },
        Some(None) => Measure::Closed { slopes },
        None => Measure::Undecided,
    }
}

/// The fields of D, and the drift where it moves anything, with (M2).
fn legs(system: &mut System, flow: &Flow, d: &[Expr], d0: Expr) -> Vec<Known> {
    let frame = &flow.equations.frame;
    let (configuration, time) = (system.configuration.clone(), system.time);
    let mut out = Vec::new();
    for (a, slope) in d.iter().enumerate() {
        let components = frame.e.col(a);
        let rates = configuration.rates_along(&mut system.graph, &components);
        let (zero, slope) = (system.graph.zero(), system.graph.neg(*slope));
        out.push(Known { components, time: zero, rates, slope });
    }
    let moving = frame.e0.iter().any(|e| !system.graph.is_zero(*e));
    let depends_on_time =
        system.graph.contains_any(d0, &[time]) || d.iter().any(|e| system.graph.contains_any(*e, &[time]));
    if moving || depends_on_time {
        let rates = configuration.motion_along(&mut system.graph, time, &frame.e0);
        let slope = system.graph.neg(d0);
        out.push(Known { components: frame.e0.clone(), time: system.graph.one(), rates, slope });
    }
    out
}

/// What a density may be made of: factors of determinants and slopes, what stands below fraction bars, coordinates.
fn bases(system: &mut System, flow: &Flow, known: &[Known]) -> Vec<Expr> {
    let mut positions = system.configuration.positions().to_vec();
    positions.push(system.time);
    let inertia = mass(system, flow);
    let det = determinant(&mut system.graph, &inertia);
    let det = system.graph.substitute(det, &flow.values);
    let frame = determinant(&mut system.graph, &flow.equations.frame.e);
    let mut bases = Vec::new();
    for e in [det, frame] {
        let more = factors(system, e, &positions);
        collect(&mut bases, more);
    }
    for k in known {
        let more = factors(system, k.slope, &positions);
        collect(&mut bases, more);
    }
    let slopes: Vec<Expr> = known.iter().map(|k| k.slope).collect();
    let more = below(system, &slopes, &positions);
    collect(&mut bases, more);
    let more = atoms(system).into_iter().filter(|a| system.graph.contains_any(*a, &positions)).collect();
    collect(&mut bases, more);
    bases
}

/// ρ = Π P_i^{e_i} that satisfies (M2).
fn as_product(system: &mut System, bases: &[Expr], known: &[Known]) -> Option<Expr> {
    let slopes: Vec<Expr> = known.iter().map(|k| k.slope).collect();
    let columns: Vec<Vec<Expr>> = bases.iter().map(|b| logarithmic(&mut system.graph, *b, known)).collect();
    let powers = exponents(system, &columns, &slopes)?;
    let mut holds = true;
    for (c, k) in known.iter().enumerate() {
        let mut items = vec![(k.slope, int(-1))];
        items.extend(columns.iter().zip(&powers).map(|(column, e)| (column[c], e.to_rational())));
        let difference = system.graph.linear(items);
        holds &= system.graph.decide_zero(difference).is_equal();
    }
    holds.then(|| product(&mut system.graph, bases, &powers))
}

/// The same with an exponential, which may contain these functions too.
fn as_exponential(system: &mut System, bases: &[Expr], known: &[Known], besides: &[Expr]) -> Option<Expr> {
    let slopes: Vec<Expr> = known.iter().map(|k| k.slope).collect();
    let positions = system.configuration.positions().to_vec();
    let mut summands = summands(system, bases, &slopes, &positions);
    summands.extend(besides.iter().map(|f| Summand::Plain(*f)));
    let columns: Vec<Vec<Expr>> = (summands.iter())
        .map(|s| known.iter().map(|k| s.along(system, |system, e| system.graph.along(e, &k.rates))).collect())
        .collect();
    solution(system, &summands, &columns, &slopes)
}

/// X(log P) for every known field.
fn logarithmic(graph: &mut Graph, base: Expr, known: &[Known]) -> Vec<Expr> {
    known
        .iter()
        .map(|k| {
            let slope = graph.along(base, &k.rates);
            graph.div(slope, base)
        })
        .collect()
}

/// Brackets of known fields until nothing new comes; the first contradiction. `None` when there are too many.
#[allow(clippy::option_option)] // undecided, consistent, or the contradiction
fn contradiction(system: &mut System, mut known: Vec<Known>) -> Option<Option<Expr>> {
    let slopes: Vec<Expr> = known.iter().map(|k| k.slope).collect();
    if system.graph.reachable(&slopes).len() > DIVERGENCE_NODES {
        return None;
    }
    let mut done = 0;
    let mut pairs = 0;
    while done < known.len() {
        for i in 0..done {
            pairs += 1;
            if pairs > DIVERGENCE_BRACKETS {
                return None;
            }
            let next = bracket(system, &known[i], &known[done]);
            match coefficients(system, &known, &next)? {
                Some(c) => {
                    let items = c.iter().zip(&known).map(|(c, k)| (system.graph.mul(*c, k.slope), int(-1)));
                    let mut items: Vec<_> = items.collect();
                    items.push((next.slope, int(1)));
                    let difference = system.graph.linear(items);
                    match system.graph.decide_zero(difference) {
                        Verdict::Equal(_) => {}
                        Verdict::Different(_) => return Some(Some(difference)),
                        Verdict::Undecided => return None,
                    }
                }
                None => known.push(next),
            }
        }
        done += 1;
    }
    Some(None)
}

/// (M3).
fn bracket(system: &mut System, x: &Known, y: &Known) -> Known {
    let configuration = system.configuration.clone();
    let graph = &mut system.graph;
    let (plus, minus) = (graph.along_all(&y.components, &x.rates), graph.along_all(&x.components, &y.rates));
    let mut parts: Vec<Vec<_>> = plus.into_iter().zip(minus).map(|(p, m)| vec![(p, int(1)), (m, int(-1))]).collect();
    for &(a, b, d, c) in configuration.structure() {
        parts[d].push((graph.mul(x.components[a], y.components[b]), int(c)));
    }
    let components: Vec<Expr> = parts
        .into_iter()
        .map(|p| {
            let e = graph.linear(p);
            graph.simplify_small(e)
        })
        .collect();
    let rates = configuration.rates_along(graph, &components);
    let (p, m) = (graph.along(y.slope, &x.rates), graph.along(x.slope, &y.rates));
    let slope = graph.sub(p, m);
    Known { time: graph.zero(), slope: graph.simplify_small(slope), components, rates }
}

/// The coefficients of a field on the known ones, which are independent; the inner `None` when it is independent of them, the
/// outer when there are no values in F_p.
#[allow(clippy::option_option)] // see above
fn coefficients(system: &mut System, known: &[Known], next: &Known) -> Option<Option<Vec<Expr>>> {
    let n = next.components.len() + 1;
    let all = known.iter().chain([next]).flat_map(|k| k.components.iter().copied().chain([k.time]));
    let all: Vec<Expr> = all.collect();
    let parameters = Parameters::random(system, 77);
    let row = Sampler::new(78).rows(system, &parameters, &all, 1)?.remove(0);
    let fields: Vec<Vec<Residue>> = row.chunks(n).map(<[Residue]>::to_vec).collect();
    if echelon(fields, n).pivots.len() > known.len() {
        return Some(None);
    }
    let entry = |k: &Known, i: usize| if i + 1 == n { k.time } else { k.components[i] };
    let a = Matrix::from_fn(n, known.len(), |i, j| entry(&known[j], i));
    let b = Matrix::from_fn(n, 1, |i, _| entry(next, i));
    let size = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let mut zero = system.zero.clone();
    let solved = eliminate(&mut system.graph, &mut zero, &a, &b, size);
    system.zero = zero;
    let mut out = vec![system.graph.zero(); known.len()];
    for (i, p) in solved.pivots.iter().enumerate() {
        out[*p] = solved.solution[(i, solved.free.len())];
    }
    Some(Some(out))
}

/// N with dτ = N dt that makes a Chaplygin system Hamiltonian; `None` where the form does not apply or no product of powers and exponentials does it. N = 1 says
/// that it is Lagrangian as it is.
pub fn reducing_multiplier(system: &mut System) -> Option<Expr> {
    let equations = system.equations(Form::Chaplygin).ok()?;
    let dependent = system.dependent_velocities();
    let configuration = system.configuration.clone();
    let coordinates: Option<Vec<Symbol>> = equations.unknowns.iter().map(|v| configuration.coordinate_of(*v)).collect();
    let coordinates = coordinates?;
    if coordinates.len() < 2 || dependent.is_empty() || system.forces.iter().any(|f| !system.graph.is_zero(*f)) {
        return None;
    }
    let time = system.time;
    let graph = &mut system.graph;
    let mut rates = configuration.motion_along(graph, time, &equations.velocities);
    rates.extend(equations.unknowns.iter().copied().zip(equations.rates.iter().copied()));
    let constrained = equations.constrained?;
    let p: Vec<Expr> = equations.unknowns.iter().map(|s| graph.derivative(constrained, *s)).collect();
    let p_rates = graph.along_all(&p, &rates);
    let mut target = Vec::new();
    for (a, q) in coordinates.iter().enumerate() {
        let slope = graph.derivative(constrained, *q);
        let difference = graph.sub(slope, p_rates[a]);
        target.push(difference);
    }
    if target.iter().all(|e| system.zero.is_zero(graph, *e)) {
        return Some(graph.one());
    }
    let k = p.len();
    let inertia = Matrix::from_fn(k, k, |a, b| graph.derivative(p[a], equations.unknowns[b]));
    let det = determinant(graph, &inertia);
    let mut bases = factors(system, det, &coordinates);
    for a in 0..k {
        for b in 0..k {
            let entry = system.graph.derivative(equations.rates[a], equations.unknowns[b]);
            for c in 0..k {
                let entry = system.graph.derivative(entry, equations.unknowns[c]);
                let more = factors(system, entry, &coordinates);
                collect(&mut bases, more);
            }
        }
    }
    let positions = system.configuration.positions().to_vec();
    let summands = summands(system, &bases, &target, &positions);
    let graph = &mut system.graph;
    let work: Vec<Expr> = (0..k)
        .map(|b| {
            let v = graph.var(equations.unknowns[b]);
            graph.mul(p[b], v)
        })
        .collect();
    let work = graph.sum(work);
    let mut columns = Vec::new();
    for summand in &summands {
        let relative = summand.along(system, |system, e| system.graph.along(e, &rates));
        let mut column = Vec::new();
        for a in 0..k {
            let slope = summand.along(system, |system, e| system.graph.derivative(e, coordinates[a]));
            let graph = &mut system.graph;
            let (first, second) = (graph.mul(p[a], relative), graph.mul(slope, work));
            column.push(graph.sub(first, second));
        }
        columns.push(column);
    }
    if let Some(powers) = exponents(system, &columns[..bases.len()], &target) {
        let mut holds = true;
        for c in 0..k {
            let mut items = vec![(target[c], int(-1))];
            items.extend(columns.iter().zip(&powers).map(|(column, e)| (column[c], e.to_rational())));
            let difference = system.graph.linear(items);
            holds &= system.graph.decide_zero(difference).is_equal();
        }
        if holds {
            return Some(product(&mut system.graph, &bases, &powers));
        }
    }
    solution(system, &summands, &columns, &target)
}
