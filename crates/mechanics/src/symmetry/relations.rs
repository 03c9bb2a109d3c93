//! Constant combinations of functions that vanish identically, by exact linear algebra.
//!
//! For vectors r_m of expressions, all constants c with
//!
//! ```text
//! Σ_m c_m r_m(x) = 0      for all x
//! ```
//!
//! are those that satisfy it at enough random points x ∈ F_p. The null space mod p is read back as rational numbers,
//! and each combination is then put to the zero test at points of its own: what is returned is a relation.

use crate::budget::{RELATION_NUMBER, RELATION_POINTS};
use polhode_expr::equal::FieldPoint;
use polhode_expr::field::{Residue, echelon, independent_rows, rational};
use polhode_expr::number::Rational;
use polhode_expr::{Expr, Graph, ZeroTest};

/// Points without news after which the rank is believed.
const QUIET_POINTS: usize = 3;

/// Where the random points come from.
const SEED: u64 = 0x5e_ed0f_5e7e;

/// A basis of all constant relations between vectors of the same length. Early vectors are the ones a relation is
/// named after: each has coefficient 1 there and the others follow.
pub(crate) fn constant_relations(graph: &mut Graph, zero: &mut ZeroTest, vectors: &[Vec<Expr>]) -> Vec<Vec<Rational>> {
    let count = vectors.len();
    let length = vectors.first().map_or(0, Vec::len);
    // eliminated from behind, so that what remains free stands in front
    let reversed: Vec<&Vec<Expr>> = vectors.iter().rev().collect();
    let mut rows: Vec<Vec<Residue>> = Vec::new();
    let (mut rank, mut quiet, mut failures) = (0, 0, 0);
    let mut seed = SEED;
    while quiet < QUIET_POINTS && rank < count {
        seed += 1;
        // roots have values at some points only, and either sign there: what is found is tested below
        let points = [FieldPoint::new(graph, seed), FieldPoint::with_roots(graph, seed)];
        let mut values = |mut point: FieldPoint| -> Option<Vec<Vec<Residue>>> {
            (0..length).map(|k| reversed.iter().map(|v| point.value(graph, v[k]).ok()).collect()).collect()
        };
        let Some(fresh) = points.into_iter().find_map(&mut values) else {
            failures += 1;
            if failures > RELATION_POINTS {
                return Vec::new();
            }
            continue;
        };
        rows.extend(fresh);
        let kept = independent_rows(rows.clone());
        rows = kept.iter().map(|i| rows[*i].clone()).collect();
        quiet = if rows.len() > rank { 0 } else { quiet + 1 };
        rank = rows.len();
    }
    let mut out = Vec::new();
    for vector in echelon(rows, count).null_space() {
        let numbers: Option<Vec<Rational>> = vector.into_iter().rev().map(|v| rational(v, RELATION_NUMBER)).collect();
        let Some(coefficients) = numbers else { continue };
        let vanishes = (0..length).all(|k| {
            let items: Vec<_> = vectors.iter().zip(&coefficients).map(|(v, c)| (v[k], c.clone())).collect();
            let sum = graph.linear(items);
            zero.is_zero(graph, sum)
        });
        if vanishes {
            out.push(coefficients);
        }
    }
    out.sort_by_key(|c| (c.iter().filter(|x| !x.is_zero()).count(), c.iter().position(|x| !x.is_zero())));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_expr::number::{int, ratio};

    #[test]
    fn trigonometric_identities_are_found() {
        let mut g = Graph::new();
        let x = g.named("x");
        let (s, c) = (g.sin(x), g.cos(x));
        let (ss, cc) = (g.powi(s, 2), g.powi(c, 2));
        let two = g.int(2);
        let double = g.mul(two, x);
        let cos2 = g.cos(double);
        let one = g.one();
        let mut zero = ZeroTest::new(&g);
        let vectors = [one, cos2, ss, cc].map(|e| vec![e]);
        let found = constant_relations(&mut g, &mut zero, &vectors);
        // 1 = sin² + cos², and cos 2x = cos² − sin²
        assert_eq!(found.len(), 2);
        for relation in found {
            let r = |i: usize| relation[i].clone();
            assert_eq!(r(0) + r(1) * ratio(0, 1) + r(2) + r(1) * int(-1), int(0), "at x = π/2");
        }
    }

    #[test]
    fn independent_functions_have_no_relation() {
        let mut g = Graph::new();
        let (x, y) = (g.named("x"), g.named("y"));
        let xy = g.mul(x, y);
        let mut zero = ZeroTest::new(&g);
        assert!(constant_relations(&mut g, &mut zero, &[vec![x], vec![y], vec![xy]]).is_empty());
    }
}
