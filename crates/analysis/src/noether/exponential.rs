//! Exponentials of functions with unknown coefficients: ρ = exp(Σ c_i φ_i + Σ e_j log P_j).
//!
//! Where no product of powers satisfies a condition that is linear in d log ρ (`powers.rs`), summands that are no logarithms may:
//!
//! ```text
//! Σ c_i F(dφ_i) + Σ e_j F(d log P_j) = G                                                 (X1)
//! ```
//!
//! is linear in c and e, which may depend on the parameters; they are found from values in F_p, and the condition is proved for
//! them. A one-form G that is exact has such a solution as soon as its integral is among the φ.

use super::basis::{atoms, monomials};
use super::budget::{DENSITY_EXPONENT_DEGREE, DENSITY_MONOMIALS, DENSITY_QUOTIENTS};
use super::fit::dependence;
use super::powers::below;
use super::sample::{Parameters, Sampler};
use polhode_expr::field::{Residue, echelon};
use polhode_expr::number::int;
use polhode_expr::{Exponent, Expr, Graph, Matrix, Reading, Symbol, eliminate};
use polhode_mechanics::system::System;

/// Values beyond the number of unknowns.
const SPARE: usize = 6;

/// One summand of log ρ.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Summand {
    /// log P.
    Log(Expr),
    /// φ.
    Plain(Expr),
}

impl Summand {
    /// The derivative along a field, given by that of functions.
    pub(crate) fn along(self, system: &mut System, mut along: impl FnMut(&mut System, Expr) -> Expr) -> Expr {
        match self {
            Summand::Plain(f) => along(system, f),
            Summand::Log(base) => {
                let slope = along(system, base);
                system.graph.div(slope, base)
            }
        }
    }
}

/// Monomials in the coordinates, and the same over what stands below fraction bars. Angles themselves are no functions on a circle, and not
/// among them.
pub(crate) fn summands(system: &mut System, bases: &[Expr], slopes: &[Expr], positions: &[Symbol]) -> Vec<Summand> {
    let atoms = atoms(system);
    let found = monomials(system, &atoms, DENSITY_EXPONENT_DEGREE, DENSITY_MONOMIALS);
    let below = below(system, slopes, positions);
    let mut out: Vec<Summand> = bases.iter().map(|b| Summand::Log(*b)).collect();
    out.extend(found.iter().skip(1).map(|c| Summand::Plain(c.function)));
    let low = found.iter().filter(|c| c.degree <= 1);
    let quotients: Vec<(Expr, Expr)> = below.iter().flat_map(|b| low.clone().map(|c| (c.function, *b))).collect();
    for (above, below) in quotients.into_iter().take(DENSITY_QUOTIENTS) {
        out.push(Summand::Plain(system.graph.div(above, below)));
    }
    out
}

/// ρ that satisfies (X1), proved; `columns[i]` and `target` list the components of F and G.
pub(crate) fn solution(
    system: &mut System,
    summands: &[Summand],
    columns: &[Vec<Expr>],
    target: &[Expr],
) -> Option<Expr> {
    let parameters = Parameters::random(system, 53);
    let all: Vec<usize> = (0..columns.len()).collect();
    let found = solved(system, &parameters, columns, target, &all)?;
    let support: Vec<usize> = all.into_iter().filter(|i| !found[*i].is_zero()).collect();
    let known: Vec<Residue> = support.iter().map(|i| found[*i]).collect();
    let at = |system: &mut System, there: &Parameters| solved(system, there, columns, target, &support);
    let constants = match by_elimination(system, columns, target, &support) {
        Some(constants) => constants,
        None => dependence(system, &parameters, &known, at)?,
    };
    for (c, g) in target.iter().enumerate() {
        let mut items = vec![(*g, int(-1))];
        for (i, k) in support.iter().zip(&constants) {
            items.push((system.graph.mul(*k, columns[*i][c]), int(1)));
        }
        let difference = system.graph.linear(items);
        if !system.graph.decide_zero(difference).is_equal() {
            return None;
        }
    }
    let graph = &mut system.graph;
    let (mut powers, mut exponent) = (Vec::new(), Vec::new());
    for (i, k) in support.iter().zip(constants) {
        let power = graph.as_number(k).and_then(Exponent::from_rational);
        match (summands[*i], power) {
            (Summand::Log(base), Some(power)) => powers.push((base, power)),
            (Summand::Log(base), None) => {
                let log = graph.log(base);
                exponent.push(graph.mul(k, log));
            }
            (Summand::Plain(f), _) => exponent.push(graph.mul(k, f)),
        }
    }
    let product = graph.power_product(powers);
    let sum = graph.sum(exponent);
    let exponential = graph.exp(sum);
    Some(graph.mul(product, exponential))
}

/// The coefficients from the components of (X1) as they are written, where these are enough: parameters may be many, too many for a fit.
fn by_elimination(system: &mut System, columns: &[Vec<Expr>], target: &[Expr], support: &[usize]) -> Option<Vec<Expr>> {
    let a = Matrix::from_fn(target.len(), support.len(), |c, i| columns[support[i]][c]);
    let b = Matrix::from_fn(target.len(), 1, |c, _| target[c]);
    let size = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let mut zero = system.zero.clone();
    let found = eliminate(&mut system.graph, &mut zero, &a, &b, size);
    system.zero = zero;
    if !found.free.is_empty() {
        return None;
    }
    let reading = Reading { parameters: system.parameters.clone() };
    let mut out = vec![system.graph.zero(); support.len()];
    for (i, p) in found.pivots.iter().enumerate() {
        let e = system.graph.simplify(found.solution[(i, 0)], &reading);
        if system.graph.free_symbols(&[e]).iter().any(|s| !system.parameters.contains(s)) {
            return None;
        }
        out[*p] = e;
    }
    Some(out)
}

/// The coefficients at one draw of the parameters, those of the earliest columns; `None` where there are none or no values.
fn solved(
    system: &mut System,
    parameters: &Parameters,
    columns: &[Vec<Expr>],
    target: &[Expr],
    used: &[usize],
) -> Option<Vec<Residue>> {
    let (n, conditions) = (used.len(), target.len());
    let all: Vec<Expr> = used.iter().flat_map(|i| columns[*i].iter()).chain(target).copied().collect();
    let count = (n + SPARE).div_ceil(conditions.max(1)) + 1;
    let mut rows = Vec::new();
    for row in Sampler::new(63).rows(system, parameters, &all, count)? {
        for c in 0..conditions {
            let mut line: Vec<Residue> = (0..n).map(|i| row[i * conditions + c]).collect();
            line.push(-row[n * conditions + c]);
            rows.push(line);
        }
    }
    let mut found = echelon(rows, n + 1).null_space().into_iter().find(|v| v[n] == Residue::ONE)?;
    found.truncate(n);
    Some(found)
}
