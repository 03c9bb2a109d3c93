//! Functions that the exact fields cannot be trusted with.
//!
//! Over F_p a square root has no sign, and a logarithm, an angle or a root of higher order is a letter of its own (`place.rs`). That is right as long
//! as these functions are independent of each other and of the rest; |y| = √(y²) and y are not, nor are √x √y and √(xy), asin y and acos y, log x² and log |x|.
//! Here are rules that find every such tie, and some that are none; where one may be, the doctor decides nothing from F_p.

use polhode_expr::{AngleBasis, Expr, Function, Graph, MAX_TERMS, Node, Ring, Symbol};
use polhode_poly::factor;

/// May functions in these expressions be tied to each other?
pub fn tied(graph: &mut Graph, roots: &[Expr]) -> bool {
    let mut radicands: Vec<(Expr, u32)> = Vec::new();
    let mut letters: Vec<Expr> = Vec::new();
    let mut turning: Vec<Expr> = Vec::new();
    for n in graph.reachable(roots) {
        match graph.node(n).clone() {
            Node::Product { factors, .. } => {
                for (b, k) in factors.iter().filter(|(_, k)| k.d != 1) {
                    if !radicands.contains(&(*b, k.d as u32)) {
                        radicands.push((*b, k.d as u32));
                    }
                }
            }
            Node::Call(Function::Log, a) => {
                letters.push(n);
                if has(graph, &[a], is_function) {
                    return true;
                }
            }
            Node::Atan2(y, x) => {
                letters.push(n);
                if has(graph, &[y, x], is_function) {
                    return true;
                }
            }
            Node::Call(_, a) => {
                if has(graph, &[a], |node| matches!(node, Node::Atan2(..) | Node::Call(Function::Log, _))) {
                    return true;
                }
                if has(graph, &[a], is_not_polynomial) {
                    turning.push(a);
                }
            }
            _ => {}
        }
    }
    turning.sort();
    turning.dedup();
    share_symbols(graph, &letters) || share_symbols(graph, &turning) || tied_roots(graph, &radicands)
}

fn has(graph: &Graph, roots: &[Expr], is: impl Fn(&Node) -> bool) -> bool {
    graph.reachable(roots).into_iter().any(|n| is(graph.node(n)))
}

fn is_function(node: &Node) -> bool {
    matches!(node, Node::Call(..) | Node::Atan2(..))
}

fn is_not_polynomial(node: &Node) -> bool {
    matches!(node, Node::Product { factors, .. } if factors.iter().any(|(_, k)| k.d != 1 || k.n < 0))
}

/// Does a symbol occur in two of the expressions?
fn share_symbols(graph: &Graph, expressions: &[Expr]) -> bool {
    let mut seen: Vec<Symbol> = Vec::new();
    for e in expressions {
        let symbols = graph.free_symbols(&[*e]);
        if symbols.iter().any(|s| seen.contains(s)) {
            return true;
        }
        seen.extend(symbols);
    }
    false
}

/// Roots of what is a power already, of things with a factor in common, of numbers beyond the square root, and of roots.
fn tied_roots(graph: &mut Graph, radicands: &[(Expr, u32)]) -> bool {
    let mut seen = Vec::new();
    let all: Vec<Expr> = radicands.iter().map(|(b, _)| *b).collect();
    let constant = |graph: &Graph, e: Expr| graph.free_symbols(&[e]).is_empty();
    if radicands.iter().any(|(b, d)| *d > 2 && constant(graph, *b)) {
        return true;
    }
    let nested = |node: &Node| {
        matches!(node, Node::Atan2(..) | Node::Call(Function::Log | Function::Exp, _))
            || matches!(node, Node::Product { factors, .. } if factors.iter().any(|(_, k)| k.d != 1))
    };
    let open: Vec<(Expr, u32)> = radicands.iter().copied().filter(|(b, _)| !constant(graph, *b)).collect();
    if open.is_empty() {
        return false;
    }
    if open.iter().any(|(b, _)| has(graph, &[*b], nested)) {
        return true;
    }
    let Ok(mut ring) = Ring::new(graph, &all, AngleBasis::Symbols, MAX_TERMS) else { return true };
    for (b, d) in open {
        let Ok(fraction) = ring.fraction(graph, b) else { return true };
        let over: Vec<_> = fraction.denominator_factors().map(|p| (p.clone(), 1)).collect();
        let mut own = Vec::new();
        for (p, k) in factor(fraction.numerator()).factors.into_iter().chain(over) {
            if k >= d || seen.contains(&p) {
                return true;
            }
            own.push(p);
        }
        seen.extend(own);
    }
    false
}
