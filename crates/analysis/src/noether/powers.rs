//! Products of powers with unknown exponents: ρ = Π P_i^{e_i}.
//!
//! Conditions on ρ that are linear in its logarithmic derivative are linear in the exponents,
//!
//! ```text
//! Σ_i e_i F_i = G        F_i, G : functions, F_i made of d log P_i                        (W1)
//! ```
//!
//! so that rational exponents are found from values in F_p, without integrating anything. The bases P_i are factors of what the problem
//! contains: determinants, denominators.

use super::budget::{BASE_NODES, EXPONENT, FACTORED_NODES, ROOT_BASES};
use super::sample::{Parameters, Sampler};
use polhode_base::random::Random;
use polhode_expr::equal::random_state;
use polhode_expr::eval::Digits;
use polhode_expr::field::{Residue, echelon, rational};
use polhode_expr::{Exponent, Expr, Graph, Node, Reading, Symbol};
use polhode_mechanics::system::System;

/// Random positions that decide about a sign.
const SIGN_POINTS: usize = 15;

/// The factors of an expression that contain one of the symbols, from numerator and denominator alike.
pub(crate) fn factors(system: &mut System, e: Expr, symbols: &[Symbol]) -> Vec<Expr> {
    if system.graph.reachable(&[e]).len() > FACTORED_NODES {
        return Vec::new();
    }
    let reading = Reading { parameters: system.parameters.clone() };
    let simple = system.graph.simplify(e, &reading);
    let graph = &system.graph;
    let bases: Vec<Expr> = match graph.node(simple) {
        Node::Product { factors, .. } => factors.iter().map(|(b, _)| *b).collect(),
        _ => vec![simple],
    };
    let short = |b: &Expr| graph.reachable(&[*b]).len() <= BASE_NODES;
    let bases: Vec<Expr> = bases.into_iter().filter(|b| graph.contains_any(*b, symbols) && short(b)).collect();
    bases.into_iter().map(|b| positive(system, b)).collect()
}

/// The expression or its negative, whichever is positive at most random positions: what a root is taken of.
fn positive(system: &mut System, e: Expr) -> Expr {
    let values = system.model.parameter_digits().unwrap_or_default();
    let symbols = system.graph.free_symbols(&[e]);
    let digits = Digits::decimal(20);
    let mut random = Random::new(19);
    let mut balance = 0;
    for _ in 0..SIGN_POINTS {
        let mut at = random_state(&system.graph, &symbols, &digits, &mut random);
        at.extend(values.iter().map(|(s, x)| (*s, x.clone())));
        if let Ok(v) = system.graph.evaluate(&digits, &[e], &at) {
            balance += if v[0].to_f64().value() < 0.0 { -1 } else { 1 };
        }
    }
    if balance >= 0 {
        return e;
    }
    let minus = system.graph.neg(e);
    let expanded = system.graph.expand(minus, BASE_NODES);
    expanded.unwrap_or(minus)
}

/// What stands below roots and fraction bars in the expressions as they are stored, and contains positions but no velocities.
pub(crate) fn below(system: &mut System, roots: &[Expr], symbols: &[Symbol]) -> Vec<Expr> {
    let graph = &system.graph;
    let allowed = |s: &Symbol| symbols.contains(s) || system.parameters.contains(s);
    let mut found = Vec::new();
    for e in graph.reachable(roots) {
        let Node::Product { factors, .. } = graph.node(e) else { continue };
        for (b, k) in factors.iter().filter(|(_, k)| k.d != 1 || k.n < 0) {
            let (free, size) = (graph.free_symbols(&[*b]), graph.reachable(&[*b]).len());
            debug_assert!(k.n != 0);
            if size <= BASE_NODES && free.iter().all(allowed) && free.iter().any(|s| symbols.contains(s)) {
                collect(&mut found, vec![*b]);
            }
        }
    }
    found.sort_by_key(|b| graph.reachable(&[*b]).len());
    found.truncate(ROOT_BASES);
    found.into_iter().map(|b| positive(system, b)).collect()
}

/// Adds bases that are not there yet.
pub(crate) fn collect(bases: &mut Vec<Expr>, more: Vec<Expr>) {
    for b in more {
        if !bases.contains(&b) {
            bases.push(b);
        }
    }
}

/// Rational exponents that satisfy (W1), the same for all parameters; `columns[i]` and `target` list the components of F_i and
/// G. Bases that are not needed get the exponent 0.
pub(crate) fn exponents(system: &mut System, columns: &[Vec<Expr>], target: &[Expr]) -> Option<Vec<Exponent>> {
    let n = columns.len();
    let conditions = target.len();
    let all: Vec<Expr> = columns.iter().flatten().chain(target).copied().collect();
    let mut rows = Vec::new();
    for seed in 0..2 {
        // two draws of the parameters: exponents that depend on them do not fit both
        let parameters = Parameters::random(system, 51 + seed);
        let count = (n + 4).div_ceil(conditions.max(1)) + 1;
        for row in Sampler::new(60 + seed).rows(system, &parameters, &all, count)? {
            for c in 0..conditions {
                let mut line: Vec<Residue> = (0..n).map(|i| row[i * conditions + c]).collect();
                line.push(-row[n * conditions + c]);
                rows.push(line);
            }
        }
    }
    // the column of G comes last: it is free exactly when (W1) has a solution
    let solution = echelon(rows, n + 1).null_space().into_iter().find(|v| v[n] == Residue::ONE)?;
    solution[..n].iter().map(|x| Exponent::from_rational(&rational(*x, EXPONENT)?)).collect()
}

/// Π P_i^{e_i}.
pub(crate) fn product(graph: &mut Graph, bases: &[Expr], exponents: &[Exponent]) -> Expr {
    let used = bases.iter().copied().zip(exponents.iter().copied()).filter(|(_, e)| e.n != 0);
    graph.power_product(used.collect::<Vec<_>>())
}
