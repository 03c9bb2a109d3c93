//! The factor that the coefficients of a row have in common, and where it vanishes.
//!
//! The factor is a greatest common divisor over ℤ[q, sin, cos, exp, …]. Its real zeros are split into factors, each of which is taken once, so that
//! x² gives the border x = 0, which has a sign to change. Exponentials vanish nowhere but where their exponents have poles:
//! exp(−1/x²) on x = 0.

use crate::doctor::variety::{Domain, Variety};
use polhode_expr::{AngleBasis, Expr, Function, Graph, MAX_TERMS, Node, Ring, Symbol};
use polhode_mechanics::distribution::{Row, common_factor};
use polhode_poly::Poly;

/// A row without its factor, and functions whose zeros are those of the factor; `None` when it has none that vanishes.
pub(super) fn split(graph: &mut Graph, row: &Row, parameters: &[Symbol], domain: &Domain) -> Option<(Row, Vec<Expr>)> {
    let (row, factor) = common_factor(graph, row, parameters)?;
    let zeros = zeros(graph, factor, domain)?;
    (!zeros.is_empty()).then_some((row, zeros))
}

/// Functions whose zeros are together those of `f`.
fn zeros(graph: &mut Graph, f: Expr, domain: &Domain) -> Option<Vec<Expr>> {
    let mut ring = Ring::new(graph, &[f], AngleBasis::Symbols, MAX_TERMS).ok()?;
    let p = ring.fraction(graph, f).ok()?.numerator().clone();
    let mut out = parts(graph, &ring, &p, domain)?;
    let exponents: Vec<Expr> = (ring.atoms().iter().enumerate())
        .filter(|(v, _)| p.degree(*v) > 0)
        .filter_map(|(_, e)| match *graph.node(*e) {
            Node::Call(Function::Exp, argument) => Some(argument),
            _ => None,
        })
        .collect();
    for e in exponents {
        let mut ring = Ring::new(graph, &[e], AngleBasis::Symbols, MAX_TERMS).ok()?;
        let fraction = ring.fraction(graph, e).ok()?;
        for pole in fraction.denominator_factors() {
            for found in parts(graph, &ring, pole, domain)? {
                if !out.contains(&found) {
                    out.push(found);
                }
            }
        }
    }
    Some(out)
}

/// The real zeros of a polynomial: one function for each part, a sum of squares for those of higher codimension.
fn parts(graph: &mut Graph, ring: &Ring, p: &Poly, domain: &Domain) -> Option<Vec<Expr>> {
    let components = Variety::new(graph, ring, domain).components(std::slice::from_ref(p))?;
    let mut out = Vec::new();
    for equations in components {
        let each: Vec<Expr> = equations.iter().map(|q| ring.expand_to_expr(graph, q)).collect();
        out.push(match each[..] {
            [one] => one,
            _ => {
                let squares: Vec<Expr> = each.iter().map(|e| graph.powi(*e, 2)).collect();
                graph.sum(squares)
            }
        });
    }
    Some(out)
}
