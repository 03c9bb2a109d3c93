//! Derivatives and substitution, both by one pass over the graph.
//!
//! The derivative along a field of rates,
//!
//! ```text
//! D e = Σ_s (∂e/∂s) · rate(s),
//! ```
//!
//! contains the partial derivative (one rate is 1) and the total time derivative
//! (the rate of a coordinate is its velocity, and so on) as special cases. Every
//! node is visited once, whatever the number of paths that lead to it.

use crate::graph::{Exponent, Expr, Function, Graph, NamedFunction, Node, Symbol};
use crate::number::int;
use rustc_hash::FxHashMap;

/// What each symbol changes by; symbols that are not listed are constant.
pub type Rates = FxHashMap<Symbol, Expr>;

impl Graph {
    /// ∂e/∂s.
    pub fn derivative(&mut self, e: Expr, s: Symbol) -> Expr {
        let rates = Rates::from_iter([(s, self.one())]);
        self.along(e, &rates)
    }

    /// The derivative of `e` along the given rates of its symbols.
    pub fn along(&mut self, e: Expr, rates: &Rates) -> Expr {
        self.along_all(&[e], rates)[0]
    }

    /// [`Graph::along`] for several expressions that share parts.
    pub fn along_all(&mut self, roots: &[Expr], rates: &Rates) -> Vec<Expr> {
        let zero = self.zero();
        let mut d: FxHashMap<Expr, Expr> = FxHashMap::default();
        for n in self.reachable(roots) {
            let out = match self.node(n).clone() {
                Node::Number(_) | Node::Pi => zero,
                Node::Symbol(s) => rates.get(&s).copied().unwrap_or(zero),
                Node::Sum { terms, .. } => {
                    let items: Vec<_> =
                        terms.iter().filter(|(t, _)| d[t] != zero).map(|(t, r)| (d[t], r.clone())).collect();
                    self.linear(items)
                }
                Node::Product { coefficient, factors } => {
                    let mut total = Vec::new();
                    for (i, (b, k)) in factors.iter().enumerate() {
                        if d[b] == zero {
                            continue;
                        }
                        // c · k · b^(k−1) · b′ · (other factors)
                        let lowered = match k.n.checked_sub(k.d) {
                            Some(n) => vec![(*b, Exponent { n, d: k.d })],
                            None => vec![(*b, *k), (*b, Exponent::int(-1))],
                        };
                        let mut items = lowered;
                        items.push((d[b], Exponent::ONE));
                        items.extend(factors.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, f)| *f));
                        let p = self.power_product(items);
                        total.push((p, &coefficient * k.to_rational()));
                    }
                    self.linear(total)
                }
                Node::Call(_, a) if d[&a] == zero => zero,
                Node::Call(f, a) => {
                    let outer = match f {
                        Function::Sin => self.cos(a),
                        Function::Cos => {
                            let s = self.sin(a);
                            self.neg(s)
                        }
                        Function::Exp => n,
                        Function::Log => self.powi(a, -1),
                    };
                    self.mul(outer, d[&a])
                }
                Node::Atan2(y, x) => {
                    // (x y′ − y x′)/(x² + y²)
                    let (a, b) = (self.mul(x, d[&y]), self.mul(y, d[&x]));
                    let num = self.sub(a, b);
                    let (xx, yy) = (self.powi(x, 2), self.powi(y, 2));
                    let den = self.add(xx, yy);
                    self.div(num, den)
                }
                Node::Apply { function, args, orders } => {
                    let mut total = Vec::new();
                    for i in 0..args.len() {
                        if d[&args[i]] == zero {
                            continue;
                        }
                        let mut raised = orders.clone();
                        raised[i] = raised[i].saturating_add(1);
                        let outer = self.intern(Node::Apply { function, args: args.clone(), orders: raised });
                        total.push((self.mul(outer, d[&args[i]]), int(1)));
                    }
                    self.linear(total)
                }
            };
            d.insert(n, out);
        }
        roots.iter().map(|r| d[r]).collect()
    }

    /// Replaces symbols by expressions, all at once.
    pub fn substitute(&mut self, e: Expr, map: &FxHashMap<Symbol, Expr>) -> Expr {
        self.substitute_all(&[e], map)[0]
    }

    /// [`Graph::substitute`] for several expressions that share parts.
    pub fn substitute_all(&mut self, roots: &[Expr], map: &FxHashMap<Symbol, Expr>) -> Vec<Expr> {
        self.rebuild(roots, |g, n| match g.node(n) {
            Node::Symbol(s) => map.get(s).copied(),
            _ => None,
        })
    }

    /// Expressions with every function that is known by name only replaced by a concrete one: the
    /// k-th function of the graph by f(u, v, …) = sin(u + k) + v sin(2v + k) + …, its derivatives
    /// accordingly. For comparisons in numbers.
    pub fn with_stand_ins(&mut self, roots: &[Expr]) -> Vec<Expr> {
        let mut roots = roots.to_vec();
        loop {
            let nodes = self.reachable(&roots);
            let open: Vec<Expr> = nodes.into_iter().filter(|n| matches!(self.node(*n), Node::Apply { .. })).collect();
            // Innermost first: an argument may contain another open function.
            let Some(&first) = open.first() else { return roots };
            let Node::Apply { function, args, orders } = self.node(first).clone() else { return roots };
            let concrete = self.stand_in(function, &args, &orders);
            roots = self.rebuild(&roots, |_, n| (n == first).then_some(concrete));
        }
    }

    /// The stand-in of one function, differentiated as often as `orders` says, at `args`.
    fn stand_in(&mut self, function: NamedFunction, args: &[Expr], orders: &[u8]) -> Expr {
        let places: Vec<Symbol> =
            (0..args.len()).map(|i| self.symbol(&format!("argument_{i}_of_a_function"))).collect();
        let mut parts = Vec::new();
        for (i, place) in places.iter().enumerate() {
            let u = self.var(*place);
            let shift = self.int(i64::from(function.0) + 1);
            let scaled = self.scale(u, &int(i as i64 + 1));
            let angle = self.add(scaled, shift);
            let wave = self.sin(angle);
            parts.push(if i == 0 { wave } else { self.mul(u, wave) });
        }
        let mut value = self.sum(parts);
        for (place, order) in places.iter().zip(orders) {
            for _ in 0..*order {
                value = self.derivative(value, *place);
            }
        }
        let map = places.into_iter().zip(args.iter().copied()).collect();
        self.substitute(value, &map)
    }

    /// Rebuilds expressions from their leaves; `replace` may give another
    /// expression for a node, which is then taken as it is.
    pub fn rebuild(&mut self, roots: &[Expr], mut replace: impl FnMut(&mut Graph, Expr) -> Option<Expr>) -> Vec<Expr> {
        let mut new: FxHashMap<Expr, Expr> = FxHashMap::default();
        for n in self.reachable(roots) {
            if let Some(r) = replace(self, n) {
                new.insert(n, r);
                continue;
            }
            let mut same = true;
            self.for_each_operand(n, |o| same &= new[&o] == o);
            if same {
                new.insert(n, n);
                continue;
            }
            let out = match self.node(n).clone() {
                Node::Number(_) | Node::Pi | Node::Symbol(_) => n,
                Node::Sum { constant, terms } => {
                    let c = self.number(constant);
                    let items: Vec<_> =
                        std::iter::once((c, int(1))).chain(terms.iter().map(|(t, r)| (new[t], r.clone()))).collect();
                    self.linear(items)
                }
                Node::Product { coefficient, factors } => {
                    let c = self.number(coefficient);
                    let items: Vec<_> =
                        std::iter::once((c, Exponent::ONE)).chain(factors.iter().map(|(b, k)| (new[b], *k))).collect();
                    self.power_product(items)
                }
                Node::Call(f, a) => self.call(f, new[&a]),
                Node::Atan2(y, x) => self.atan2(new[&y], new[&x]),
                Node::Apply { function, args, orders } => {
                    let args = args.iter().map(|a| new[a]).collect();
                    self.intern(Node::Apply { function, args, orders })
                }
            };
            new.insert(n, out);
        }
        roots.iter().map(|r| new[r]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_derivatives() {
        let mut g = Graph::new();
        let (sx, sy) = (g.symbol("x"), g.symbol("y"));
        let (x, y) = (g.var(sx), g.var(sy));
        let p = g.powi(x, 3);
        let e = g.mul(p, y);
        let d = g.derivative(e, sx);
        let q = g.powi(x, 2);
        let q = g.mul(q, y);
        assert_eq!(d, g.scale(q, &int(3)));
        let s = g.sin(e);
        let ds = g.derivative(s, sy);
        let c = g.cos(e);
        assert_eq!(ds, g.mul(c, p));
    }

    #[test]
    fn root_and_logarithm() {
        let mut g = Graph::new();
        let sx = g.symbol("x");
        let x = g.var(sx);
        let r = g.sqrt(x);
        let d = g.derivative(r, sx);
        let twice = g.mul(d, r);
        assert_eq!(g.as_number(twice), Some(&crate::number::ratio(1, 2)));
        let l = g.log(x);
        let d = g.derivative(l, sx);
        assert_eq!(d, g.powi(x, -1));
    }

    #[test]
    fn named_functions_differentiate_by_name() {
        let mut g = Graph::new();
        let sx = g.symbol("x");
        let x = g.var(sx);
        let f = g.function("f");
        let two = g.int(2);
        let a = g.mul(two, x);
        let e = g.apply(f, vec![a]);
        let d = g.derivative(e, sx);
        let expected = g.intern(Node::Apply { function: f, args: Box::from([a]), orders: Box::from([1]) });
        assert_eq!(d, g.scale(expected, &int(2)));
    }

    #[test]
    fn stand_ins_respect_derivatives() {
        let mut g = Graph::new();
        let sx = g.symbol("x");
        let x = g.var(sx);
        let f = g.function("f");
        let inner = g.apply(f, vec![x]);
        let e = g.apply(f, vec![inner]);
        let d = g.derivative(e, sx);
        let closed = g.with_stand_ins(&[e, d]);
        let again = g.derivative(closed[0], sx);
        assert!(g.equal(again, closed[1]).is_equal());
    }

    #[test]
    fn substitution_is_simultaneous() {
        let mut g = Graph::new();
        let (sx, sy) = (g.symbol("x"), g.symbol("y"));
        let (x, y) = (g.var(sx), g.var(sy));
        let e = g.sub(x, y);
        let swapped = g.substitute(e, &FxHashMap::from_iter([(sx, y), (sy, x)]));
        assert_eq!(swapped, g.neg(e));
    }
}
