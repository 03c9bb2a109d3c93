//! A rational function of a few parameters from its values in F_p.
//!
//! With P and Q polynomials of degree d in the parameters with unknown coefficients, the values c_i at points θ_i give
//!
//! ```text
//! P(θ_i) − c_i Q(θ_i) = 0,      linear in the coefficients,
//! ```
//!
//! and for the least d with a solution that solution is unique up to a factor. Its coefficients are made rational numbers; what the
//! function then is used for must be proved otherwise, which the exact test does.

use super::budget::{NUMBER, PARAMETER_UNKNOWNS};
use super::sample::Parameters;
use polhode_base::random::Random;
use polhode_expr::field::{Residue, echelon, rational};
use polhode_expr::number::Rational;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_mechanics::system::System;
use rustc_hash::FxHashMap;

/// Values beyond those that determine the coefficients.
const SPARE: usize = 5;

/// Exponents of all monomials in `n` variables of total degree up to `d`.
fn exponents(n: usize, d: usize) -> Vec<Vec<usize>> {
    let mut out = vec![vec![0; n]];
    let mut last = vec![(vec![0; n], 0)];
    for _ in 0..d {
        let mut next = Vec::new();
        for (m, from) in &last {
            for i in *from..n {
                let mut raised: Vec<usize> = m.clone();
                raised[i] += 1;
                next.push((raised, i));
            }
        }
        out.extend(next.iter().map(|(m, _)| m.clone()));
        last = next;
    }
    out
}

fn monomial(at: &[Residue], exponents: &[usize]) -> Residue {
    at.iter().zip(exponents).fold(Residue::ONE, |v, (x, k)| v * x.pow(*k as u64))
}

fn polynomial(graph: &mut Graph, symbols: &[Symbol], terms: &Terms) -> Expr {
    let items: Vec<(Expr, Rational)> = terms
        .iter()
        .map(|(m, c)| {
            let powers: Vec<Expr> = (symbols.iter().zip(m).filter(|(_, k)| **k > 0))
                .map(|(s, k)| {
                    let x = graph.var(*s);
                    graph.powi(x, *k as i32)
                })
                .collect();
            (graph.product(powers), c.clone())
        })
        .collect();
    graph.linear(items)
}

/// Terms of a polynomial: exponents and coefficient.
type Terms = Vec<(Vec<usize>, Rational)>;

/// P/Q of the module head.
#[derive(Clone, Debug)]
pub(crate) struct Quotient {
    above: Terms,
    below: Terms,
}

impl Quotient {
    /// The quotient as an expression in these symbols.
    pub(crate) fn expression(&self, graph: &mut Graph, symbols: &[Symbol]) -> Expr {
        let (above, below) = (polynomial(graph, symbols, &self.above), polynomial(graph, symbols, &self.below));
        graph.div(above, below)
    }
}

/// The rational function of `n` variables that takes the values `value(point)`; `None` where a value is missing, or no function
/// of moderate degree with moderate coefficients fits.
pub(crate) fn rational_function(n: usize, mut value: impl FnMut(&[Residue]) -> Option<Residue>) -> Option<Quotient> {
    let mut random = Random::new(71);
    let mut data: Vec<(Vec<Residue>, Residue)> = Vec::new();
    for d in 0.. {
        let monomials = exponents(n, d);
        let m = monomials.len();
        if 2 * m > PARAMETER_UNKNOWNS {
            return None;
        }
        while data.len() < 2 * m + SPARE {
            let at: Vec<Residue> = (0..n).map(|_| Residue::random_unit(&mut random)).collect();
            let v = value(&at)?;
            data.push((at, v));
        }
        let rows = data[..2 * m + SPARE].iter().map(|(at, v)| {
            let p: Vec<Residue> = monomials.iter().map(|k| monomial(at, k)).collect();
            let q: Vec<Residue> = p.iter().map(|x| -(*v * *x)).collect();
            p.into_iter().chain(q).collect()
        });
        let null = echelon(rows.collect(), 2 * m).null_space();
        let [solution] = &null[..] else { continue };
        let scale = solution[m..].iter().find_map(|x| x.inverse())?;
        let terms = |part: &[Residue]| -> Option<Terms> {
            let used = monomials.iter().zip(part).filter(|(_, c)| !c.is_zero());
            used.map(|(k, c)| Some((k.clone(), rational(*c * scale, NUMBER)?))).collect()
        };
        let (above, below) = (terms(&solution[..m])?, terms(&solution[m..])?);
        return Some(Quotient { above, below });
    }
    None
}

/// Numbers that were found for one draw of the parameters, as functions of these: `at` finds them for any draw.
pub(crate) fn dependence(
    system: &mut System,
    parameters: &Parameters,
    known: &[Residue],
    mut at: impl FnMut(&mut System, &Parameters) -> Option<Vec<Residue>>,
) -> Option<Vec<Expr>> {
    let mut moves: Vec<Vec<usize>> = vec![Vec::new(); known.len()];
    for (i, (_, v)) in parameters.values.iter().enumerate().filter(|(i, _)| parameters.is_free(*i)) {
        let there = parameters.with(system, std::iter::once((i, *v * Residue::from(3) + Residue::from(7))))?;
        let changed = at(system, &there)?;
        for (j, x) in changed.iter().enumerate() {
            if *x != known[j] {
                moves[j].push(i);
            }
        }
    }
    let mut cache: FxHashMap<Vec<Residue>, Vec<Residue>> = FxHashMap::default();
    let mut out = Vec::new();
    for (j, dependent) in moves.iter().enumerate() {
        if dependent.is_empty() {
            let r = rational(known[j], NUMBER)?;
            out.push(system.graph.number(r));
            continue;
        }
        let symbols: Vec<Symbol> = dependent.iter().map(|i| parameters.values[*i].0).collect();
        let fitted = rational_function(symbols.len(), |point| {
            let there = parameters.with(system, dependent.iter().copied().zip(point.iter().copied()))?;
            let key: Vec<Residue> = there.values.iter().map(|(_, v)| *v).collect();
            if !cache.contains_key(&key) {
                let found = at(system, &there)?;
                cache.insert(key.clone(), found);
            }
            cache.get(&key).map(|v| v[j])
        })?;
        out.push(fitted.expression(&mut system.graph, &symbols));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_of_parameters_is_found() {
        let mut g = Graph::new();
        let symbols: Vec<Symbol> = ["M", "r", "I1", "I2"].iter().map(|n| g.symbol(n)).collect();
        let found = rational_function(4, |at| {
            let [m, r, i1, i2] = at else { return None };
            let square = *m * *r * *r;
            let below = (Residue::from(3) * *i1 + square).inverse()?;
            Some((*i2 + square) * below)
        });
        let [m, r, i1, i2] = ["M", "r", "I1", "I2"].map(|n| g.named(n));
        let square = g.powi(r, 2);
        let square = g.mul(m, square);
        let three = g.int(3);
        let i1 = g.mul(three, i1);
        let (above, below) = (g.add(i2, square), g.add(i1, square));
        let wanted = g.div(above, below);
        let found = found.unwrap().expression(&mut g, &symbols);
        assert!(g.equal(found, wanted).is_equal());
    }

    #[test]
    fn what_is_no_rational_function_is_refused() {
        let mut k = 0;
        let found = rational_function(1, |_| {
            k = (k * 7919 + 13) % 1_000_003;
            Some(Residue::new(k))
        });
        assert!(found.is_none());
    }
}
