//! Rows with |y|, y a function of positions: three constraints in the place of one.
//!
//! ```text
//! |x| y' + x z' = 0      x (y' + z') = 0 where x > 0,    x (z' − y') = 0 where x < 0,    nothing on x = 0
//! y' = |x| z'            y' = x z'                       y' = −x z'                      y' = 0
//! ```
//!
//! |y| is √(y²), and its series on one side goes on as if there were no other. The span of the rows may jump at y = 0, or keep its direction and have a corner
//! there; in either case y = 0 is a border. What holds on it follows from y = 0 where that can be solved for a coordinate.

use super::border;
use super::budget::ADDED_CONSTRAINTS;
use polhode_base::ids::{ConstraintId, Id};
use polhode_base::random::Random;
use polhode_expr::{Exponent, Expr, Graph, Node, Symbol};
use polhode_model::{Condition, Constraint, Model};
use rustc_hash::FxHashMap;

/// Splits the constraints with moduli; whether there were some.
pub(super) fn split(graph: &mut Graph, model: &mut Model) -> bool {
    let positions = model.configuration.positions().to_vec();
    let mut changed = false;
    let mut next = 0;
    while next < model.constraints.len() && model.constraints.len() < ADDED_CONSTRAINTS {
        let k = ConstraintId::new(next);
        let c = model.constraints[k].clone();
        match modulus(graph, c.residual, &positions).filter(|_| c.holonomic.is_none()) {
            None => next += 1,
            Some(y) => {
                let at = border(graph, &mut model.borders, y, c.span);
                // the same border may be written with another factor
                let ratio = graph.div(model.borders[at].function, y);
                let ratio = graph.simplify_small(ratio);
                let positive = graph.evaluate_f64(ratio, &FxHashMap::default()).is_ok_and(|r| r > 0.0);
                let name = super::plain(graph, y);
                let beside = |positive| Condition::Beside { border: at, positive };
                let place = |c: &Constraint, here: Condition| match c.when.clone() {
                    None => Some(here),
                    Some(when) => Some(when.and(here)),
                };
                let residual = without(graph, c.residual, y, 1);
                model.constraints[k] = Constraint { residual, when: place(&c, beside(positive)), ..c.clone() };
                model.constraints.push(Constraint {
                    name: format!("{} ({name} < 0)", c.name),
                    residual: without(graph, c.residual, y, -1),
                    when: place(&c, beside(!positive)),
                    ..c.clone()
                });
                if let Some(residual) = on(graph, c.residual, y, &positions).filter(|e| !graph.is_zero(*e)) {
                    let here = Condition::Not(Box::new(Condition::off(at)));
                    model.constraints.push(Constraint {
                        name: format!("{} ({name} = 0)", c.name),
                        residual,
                        when: place(&c, here),
                        ..c
                    });
                }
                changed = true;
            }
        }
    }
    changed
}

/// A function y of positions with √(y²) in an expression.
fn modulus(graph: &Graph, e: Expr, positions: &[Symbol]) -> Option<Expr> {
    for node in graph.reachable(&[e]) {
        let Node::Product { factors, .. } = graph.node(node) else { continue };
        for (base, k) in factors.iter() {
            if let Some(y) = squared(graph, *base).filter(|y| k.d == 2 && graph.contains_any(*y, positions)) {
                return Some(y);
            }
        }
    }
    None
}

/// y, of an expression y².
fn squared(graph: &Graph, e: Expr) -> Option<Expr> {
    match graph.node(e) {
        Node::Product { factors, .. } => match factors[..] {
            [(y, k)] if k == Exponent::int(2) => Some(y),
            _ => None,
        },
        _ => None,
    }
}

/// The expression with √(y²) replaced by `sign`·y.
fn without(graph: &mut Graph, e: Expr, y: Expr, sign: i64) -> Expr {
    let mut e = e;
    // a factor beside one that is replaced may contain another
    while modulus_of(graph, e, y) {
        e = graph.rebuild(&[e], |graph, node| {
            let Node::Product { coefficient, factors } = graph.node(node).clone() else { return None };
            let root = |(base, k): &(Expr, Exponent)| k.d == 2 && squared(graph, *base) == Some(y);
            let place = factors.iter().position(root)?;
            let n = factors[place].1.n;
            let sign = if n % 2 == 0 { 1 } else { sign };
            let rest = factors.iter().enumerate().filter(|(k, _)| *k != place).map(|(_, f)| *f);
            let product = graph.power_product(rest.chain([(y, Exponent::int(n))]).collect::<Vec<_>>());
            let signed = graph.int(sign);
            let product = graph.mul(signed, product);
            Some(graph.scale(product, &coefficient))
        })[0];
    }
    e
}

fn modulus_of(graph: &Graph, e: Expr, y: Expr) -> bool {
    graph.reachable(&[e]).into_iter().any(|node| match graph.node(node) {
        Node::Product { factors, .. } => factors.iter().any(|(b, k)| k.d == 2 && squared(graph, *b) == Some(y)),
        _ => false,
    })
}

/// The expression where y = 0, if that can be solved for a coordinate that it contains with a constant factor.
fn on(graph: &mut Graph, e: Expr, y: Expr, positions: &[Symbol]) -> Option<Expr> {
    let e = without(graph, e, y, 1);
    for x in positions {
        let slope = graph.derivative(y, *x);
        if graph.as_number(slope).is_some() && !graph.is_zero(slope) {
            let (at, quotient) = (graph.var(*x), graph.div(y, slope));
            let solved = graph.sub(at, quotient);
            let solved = graph.simplify_small(solved);
            let e = graph.substitute(e, &FxHashMap::from_iter([(*x, solved)]));
            // log |y| has no value there
            let mut random = Random::new(3);
            let values = graph.free_symbols(&[e]).into_iter().map(|s| (s, random.short(0.5, 1.5))).collect();
            return graph.evaluate_f64(e, &values).is_ok_and(f64::is_finite).then_some(e);
        }
    }
    None
}
