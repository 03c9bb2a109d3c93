//! Integrals linear in the velocities, and quadratic ones, by exact linear algebra.
//!
//! ```text
//! f = ρ(q) ( Σ c_ia φ_i(q) w_a + Σ c_i φ_i(q) ) + c E,        w_a : velocities and momenta on D        (L1)
//! f = ρ(q) ( Σ c_iab φ_i(q) ξ_a ξ_b + Σ c_ia φ_i(q) w_a + Σ c_i φ_i(q) )                            (L1′)
//! df/dt = 0   for all q, ξ                                                                       (L2)
//! ```
//!
//! is linear in the constants c. The functions of (L1) and their rates are evaluated at random points of F_p; functions that depend on earlier ones
//! are struck out, and the null space of the rates is the answer for these values of the parameters. How each
//! coefficient depends on the parameters is found from its values (`fit.rs`), and the result is proved by the exact test: nothing
//! is reported that was not. With η the section of D that has ⟨p, η⟩ = f, these are the horizontal gauge momenta of \[FassoGiacobbeSansonetto2008\]; with c ≠ 0,
//! moving energies \[FassoSansonetto2016\].
//!
//! The weight ρ enters by its logarithmic derivative alone, which is rational for every power of a rational function:
//! integrals such as ẋ √(1 + y²) are found by the same algebra.
//!
//! Functions that are known to be constant come first among the columns. Their rates vanish, so that no other null vector contains them, and a
//! column that they express is struck out: what is left of the null space is the new part of it.

use super::basis::{self, Coefficient};
use super::budget::{NUMBER, SHOWN_NODES, SUMMANDS};
use super::fit::dependence;
use super::flow::Flow;
use super::sample::{Parameters, Sampler};
use polhode_expr::field::{Residue, echelon, rational};
use polhode_expr::{Exponent, Expr, Node, Reading};
use polhode_mechanics::system::System;
use rustc_hash::FxHashMap;

/// Points beyond the number of unknowns.
const SPARE: usize = 6;

/// A row of residues for every point.
type Rows = Vec<Vec<Residue>>;

/// A function with the form in which it is shown, its restriction to D and its rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracked {
    pub(crate) shown: Expr,
    pub(crate) on_d: Expr,
    pub(crate) rate: Expr,
}

impl Tracked {
    pub(crate) fn new(system: &mut System, flow: &Flow, shown: Expr) -> Tracked {
        let on_d = flow.on_d(&mut system.graph, &[shown])[0];
        let rate = flow.rates_of(&mut system.graph, &[on_d])[0];
        Tracked { shown, on_d, rate }
    }
}

/// ρ = base^exponent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    pub(crate) base: Expr,
    pub(crate) exponent: Exponent,
}

/// One summand of (L1).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Position(usize),
    Product(usize, usize),
    Quadratic(usize, usize, usize),
    Known(usize),
    Energy,
}

/// The space (L1).
#[derive(Debug)]
pub(crate) struct Space {
    coefficients: Vec<Tracked>,
    velocities: Vec<Tracked>,
    pairs: Vec<Tracked>,
    known: Vec<Tracked>,
    energy: Option<Tracked>,
    weight: Option<(Weight, Expr)>,
    columns: Vec<Column>,
}

/// What is looked for besides products of coefficient functions and velocities.
#[derive(Debug, Default)]
pub(crate) struct Besides {
    /// Functions of the position alone.
    pub(crate) positions: Vec<Expr>,
    /// The energy.
    pub(crate) energy: Option<Expr>,
    /// ρ.
    pub(crate) weight: Option<Weight>,
    /// ξ_a of (L1′).
    pub(crate) pairs: Vec<Velocity>,
    /// Constant functions on D that are not looked for.
    pub(crate) known: Vec<Expr>,
}

/// What the null space holds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// How many independent functions of the space are constant.
    pub(crate) dimension: usize,
    /// Null vectors as functions.
    pub(crate) functions: Vec<Expr>,
    /// Null vectors that are too long, or whose dependence on the parameters was not found.
    pub(crate) unwritten: usize,
}

/// Velocities, and momenta where they are wanted: what coefficients are multiplied with. The independent ones come first; what is a combination of
/// earlier ones with constant coefficients, as a momentum often is, would add nothing to the space.
pub(crate) fn velocities(system: &mut System, flow: &Flow, momenta: bool) -> Vec<Velocity> {
    let dependent = system.dependent_velocities();
    let symbols = system.configuration.velocities().to_vec();
    let mut shown: Vec<(Expr, bool)> = symbols.iter().map(|s| (system.graph.var(*s), dependent.contains(s))).collect();
    shown.extend(system.quasi_velocities.iter().map(|(_, e)| (*e, false)));
    if momenta {
        for (p, s) in system.momenta().into_iter().zip(symbols) {
            shown.push((system.graph.simplify_small(p), dependent.contains(&s)));
        }
    }
    let velocity = |(e, dependent)| Velocity { tracked: Tracked::new(system, flow, e), rank: usize::from(dependent) };
    let mut out: Vec<Velocity> = shown.into_iter().map(velocity).collect();
    out.sort_by_key(|v| v.rank);
    let on_d: Vec<Expr> = out.iter().map(|v| v.tracked.on_d).collect();
    match basis::first_independent(system, &on_d) {
        Some(first) => first.into_iter().map(|i| out[i]).collect(),
        None => out,
    }
}

/// A function linear in the velocities. Its rank is added to the degree of its coefficient when summands are put in order:
/// a dependent velocity counts as the product that it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Velocity {
    pub(crate) tracked: Tracked,
    rank: usize,
}

impl Velocity {
    /// One that coordinates D.
    pub(crate) fn independent(system: &mut System, flow: &Flow, shown: Expr) -> Velocity {
        Velocity { tracked: Tracked::new(system, flow, shown), rank: 0 }
    }
}

impl Space {
    pub(crate) fn new(
        system: &mut System,
        flow: &Flow,
        coefficients: &[Coefficient],
        velocities: &[Velocity],
        besides: Besides,
    ) -> Space {
        let mut tracked: Vec<Tracked> = coefficients.iter().map(|c| Tracked::new(system, flow, c.function)).collect();
        let degree = coefficients.iter().map(|c| c.degree).max().unwrap_or(0);
        let known: Vec<Tracked> =
            besides.known.iter().map(|e| Tracked { shown: *e, on_d: *e, rate: system.graph.zero() }).collect();
        let mut columns: Vec<Column> = (0..known.len()).map(Column::Known).collect();
        for e in &besides.positions {
            columns.push(Column::Position(tracked.len()));
            tracked.push(Tracked::new(system, flow, *e));
        }
        // the ranks of two dependent velocities add up
        let last = if besides.pairs.is_empty() { degree + 1 } else { degree + 2 };
        for d in 0..=last {
            let these = |d: usize| coefficients.iter().enumerate().filter(move |(_, c)| c.degree == d).map(|(i, _)| i);
            if d > 0 || besides.weight.is_some() {
                columns.extend(these(d).map(Column::Position));
            }
            for (a, v) in velocities.iter().enumerate().filter(|(_, v)| v.rank <= d) {
                columns.extend(these(d - v.rank).map(|i| Column::Product(i, a)));
            }
            let pairs = &besides.pairs;
            for (a, b) in (0..pairs.len()).flat_map(|a| (a..pairs.len()).map(move |b| (a, b))) {
                let rank = pairs[a].rank + pairs[b].rank;
                if rank <= d {
                    columns.extend(these(d - rank).map(|i| Column::Quadratic(i, a, b)));
                }
            }
        }
        let energy = besides.energy.map(|e| Tracked::new(system, flow, e));
        if energy.is_some() {
            columns.push(Column::Energy);
        }
        let weight = besides.weight.map(|w| {
            let slope = flow.rates_of(&mut system.graph, &[w.base])[0];
            let relative = system.graph.div(slope, w.base);
            (w, system.graph.scale(relative, &w.exponent.to_rational()))
        });
        Space {
            coefficients: tracked,
            velocities: velocities.iter().map(|v| v.tracked).collect(),
            pairs: besides.pairs.iter().map(|v| v.tracked).collect(),
            known,
            energy,
            weight,
            columns,
        }
    }

    /// Values and rates of columns at `count` points.
    fn sample(
        &self,
        system: &mut System,
        sampler: &mut Sampler,
        parameters: &Parameters,
        columns: &[Column],
        count: usize,
    ) -> Option<(Rows, Rows)> {
        let mut used: Vec<Expr> = Vec::new();
        let mut place: FxHashMap<Expr, usize> = FxHashMap::default();
        let mut note = |e: Expr| {
            *place.entry(e).or_insert_with(|| {
                used.push(e);
                used.len() - 1
            })
        };
        let mut pair = |t: &Tracked| (note(t.on_d), note(t.rate));
        let one = (usize::MAX, usize::MAX);
        let energy = self.energy.as_ref();
        let places: Vec<[(usize, usize); 3]> = columns
            .iter()
            .map(|c| match c {
                Column::Position(i) => [pair(&self.coefficients[*i]), one, one],
                Column::Product(i, a) => [pair(&self.coefficients[*i]), pair(&self.velocities[*a]), one],
                Column::Quadratic(i, a, b) => {
                    [pair(&self.coefficients[*i]), pair(&self.pairs[*a]), pair(&self.pairs[*b])]
                }
                Column::Known(i) => [pair(&self.known[*i]), one, one],
                Column::Energy => [energy.map_or(one, &mut pair), one, one],
            })
            .collect();
        let sigma = self.weight.as_ref().map(|(_, s)| note(*s));
        let rows = sampler.rows(system, parameters, &used, count)?;
        let at = |row: &[Residue], (v, r): (usize, usize)| {
            if v == usize::MAX { (Residue::ONE, Residue::ZERO) } else { (row[v], row[r]) }
        };
        let (mut values, mut rates) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for row in &rows {
            let (mut f, mut g) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
            for [a, b, c] in &places {
                let ((x, dx), (y, dy), (z, dz)) = (at(row, *a), at(row, *b), at(row, *c));
                let product = x * y;
                let value = product * z;
                let mut rate = (dx * y + x * dy) * z + product * dz;
                if let Some(s) = sigma {
                    rate += row[s] * value;
                }
                f.push(value);
                g.push(rate);
            }
            values.push(f);
            rates.push(g);
        }
        Some((values, rates))
    }

    /// The columns that do not depend on earlier ones, and their combinations that are constant; `None` where the equations have no values in F_p.
    fn constants(
        &self,
        system: &mut System,
        sampler: &mut Sampler,
        parameters: &Parameters,
    ) -> Option<(Vec<usize>, Rows)> {
        let count = self.columns.len() + SPARE;
        let (mut values, rates) = self.sample(system, sampler, parameters, &self.columns, count)?;
        // a constant comes first, so that what differs from earlier functions by a number is struck out; beside a weight 1 is no constant
        let constant = Residue::from(u32::from(self.weight.is_none()));
        values.iter_mut().for_each(|row| row.insert(0, constant));
        let independent: Vec<usize> =
            echelon(values, self.columns.len() + 1).pivots.into_iter().filter(|j| *j > 0).map(|j| j - 1).collect();
        let kept = |row: &Vec<Residue>| independent.iter().map(|j| row[*j]).collect::<Vec<_>>();
        let null = echelon(rates.iter().map(kept).collect(), independent.len()).null_space();
        Some((independent, null))
    }

    /// How many independent functions of the space are constant.
    pub(crate) fn dimension(&self, system: &mut System, parameters: &Parameters) -> Option<usize> {
        self.constants(system, &mut Sampler::new(102), parameters).map(|(_, null)| null.len())
    }

    /// All integrals in the space, simplest first; `None` where the equations have no values in F_p. For random parameters unless others
    /// are given.
    pub(crate) fn integrals(&self, system: &mut System, given: Option<&Parameters>) -> Option<Found> {
        let mut sampler = Sampler::new(101);
        let parameters = given.cloned().unwrap_or_else(|| Parameters::random(system, 29));
        let (independent, null) = self.constants(system, &mut sampler, &parameters)?;
        let mut out = Found { dimension: null.len(), ..Found::default() };
        for vector in null {
            let support: Vec<(Column, Residue)> = (independent.iter().zip(&vector))
                .filter(|(_, c)| !c.is_zero())
                .map(|(j, c)| (self.columns[*j], *c))
                .collect();
            if support.iter().any(|(c, _)| matches!(c, Column::Known(_))) {
                continue;
            }
            let short = support.len() <= SUMMANDS;
            let written = short.then(|| self.formula(system, &mut sampler, &parameters, &support)).flatten();
            match written {
                Some(f) => out.functions.push(f),
                None => out.unwritten += 1,
            }
        }
        Some(out)
    }

    /// A null vector as a function on phase space.
    fn formula(
        &self,
        system: &mut System,
        sampler: &mut Sampler,
        parameters: &Parameters,
        support: &[(Column, Residue)],
    ) -> Option<Expr> {
        let columns: Vec<Column> = support.iter().map(|(c, _)| *c).collect();
        let known: Vec<Residue> = support.iter().map(|(_, c)| *c).collect();
        let numbers = || known.iter().map(|c| rational(*c, NUMBER)).collect::<Option<Vec<_>>>();
        let constants: Vec<Expr> = if parameters.fixed {
            numbers()?.into_iter().map(|r| system.graph.number(r)).collect()
        } else {
            self.dependence(system, sampler, parameters, &columns, &known)?
        };
        // the energy is the last column: its constant is 1, and stays so
        let energy = columns.contains(&Column::Energy);
        let constants = if energy { constants } else { system.graph.primitive_vector(&constants) };
        let mut parts = Vec::new();
        for (column, c) in columns.iter().zip(constants) {
            let factors = match column {
                Column::Position(i) => vec![c, self.coefficients[*i].shown],
                Column::Product(i, a) => vec![c, self.coefficients[*i].shown, self.velocities[*a].shown],
                Column::Quadratic(i, a, b) => {
                    vec![c, self.coefficients[*i].shown, self.pairs[*a].shown, self.pairs[*b].shown]
                }
                Column::Known(i) => vec![c, self.known[*i].shown],
                Column::Energy => vec![c, self.energy.as_ref()?.shown],
            };
            parts.push(system.graph.product(factors));
        }
        let mut f = system.graph.sum(parts);
        if !energy {
            f = without_constant_factors(system, f);
        }
        if let Some((w, _)) = &self.weight {
            let rho = system.graph.pow(w.base, w.exponent);
            f = system.graph.mul(rho, f);
        }
        Some(f)
    }

    /// The entries of a null vector as functions of the parameters.
    fn dependence(
        &self,
        system: &mut System,
        sampler: &mut Sampler,
        parameters: &Parameters,
        columns: &[Column],
        known: &[Residue],
    ) -> Option<Vec<Expr>> {
        // the last column is the free one and has the entry 1
        dependence(system, parameters, known, |system, parameters| {
            let (_, rates) = self.sample(system, sampler, parameters, columns, columns.len() + SPARE)?;
            let null = echelon(rates, columns.len()).null_space();
            let [vector] = &null[..] else { return None };
            let scale = vector.last()?.inverse()?;
            Some(vector.iter().map(|x| *x * scale).collect())
        })
    }
}

/// The function without factors that are numbers or contain parameters alone.
fn without_constant_factors(system: &mut System, f: Expr) -> Expr {
    if system.graph.reachable(&[f]).len() > SHOWN_NODES {
        return f;
    }
    let reading = Reading { parameters: system.parameters.clone() };
    let mut simple = system.graph.simplify(f, &reading);
    let whole = simple;
    // a number times one summand
    if let Node::Sum { constant, terms } = system.graph.node(simple)
        && let ([(term, _)], true) = (&terms[..], constant.is_zero())
    {
        simple = *term;
    }
    let Node::Product { factors, .. } = system.graph.node(simple) else { return f };
    let constant = |b: Expr| system.graph.free_symbols(&[b]).iter().all(|s| system.parameters.contains(s));
    let (constants, others): (Vec<_>, Vec<_>) = factors.iter().copied().partition(|(b, _)| constant(*b));
    if constants.is_empty() && simple == whole { f } else { system.graph.power_product(others) }
}
