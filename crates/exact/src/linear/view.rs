//! Functions on D as functions of (s, ṡ, w), and what follows by quadrature.
//!
//! Where s does not tell the whole position (an angle θ with cos θ = R_ij, a pair of coordinates that turns) a function is taken at one position for every s, and
//! compared with itself at all others.

use super::levels::Level;
use super::shape::{Quadrature, tidy};
use polhode_analysis::noether::{Flow, LinearSystem};
use polhode_expr::{Exponent, Expr, Node, Symbol};
use polhode_mechanics::System;
use rustc_hash::FxHashMap;

/// Functions on D as functions of (s, ṡ, w).
pub(super) struct View<'a> {
    pub(super) system: &'a mut System,
    pub(super) linear: &'a LinearSystem,
    pub(super) levels: &'a [Level],
    /// ξ in (s, ṡ, w).
    pub(super) solved: FxHashMap<Symbol, Expr>,
    /// ṡ and w on D.
    pub(super) meant: FxHashMap<Symbol, Expr>,
}

impl View<'_> {
    fn on_levels(&mut self, functions: &[Expr]) -> Vec<Expr> {
        let levels: FxHashMap<Symbol, Expr> = self.levels.iter().map(|l| (l.coordinate, l.solved)).collect();
        self.system.graph.substitute_all(functions, &levels)
    }

    /// Without coordinates that levels determine, and at one position for every s.
    pub(super) fn placed(&mut self, functions: &[Expr]) -> Vec<Expr> {
        let on_levels = self.on_levels(functions);
        let placed = self.linear.at_example(self.system, &on_levels);
        // the distance from an axis comes in with the position
        self.on_levels(&placed)
    }

    /// √(sin²θ) = sin θ for an angle between two axes.
    fn with_positive_sine(&mut self, e: Expr) -> Expr {
        let graph = &mut self.system.graph;
        let theta = graph.var(self.linear.variable);
        let (sine, cosine, one) = (graph.sin(theta), graph.cos(theta), graph.one());
        let (square, other) = (graph.powi(sine, 2), graph.powi(cosine, 2));
        let squares = [square, graph.sub(one, other)];
        let mut e = e;
        loop {
            let next = graph.rebuild(&[e], |graph, n| {
                let Node::Product { coefficient, factors } = graph.node(n).clone() else { return None };
                let is_root = |(base, k): &(Expr, Exponent)| squares.contains(base) && k.d == 2;
                if !factors.iter().any(is_root) {
                    return None;
                }
                let parts: Vec<Expr> = (factors.iter())
                    .map(|f| match is_root(f) {
                        true => graph.powi(sine, f.1.n),
                        false => graph.pow(f.0, f.1),
                    })
                    .collect();
                let product = graph.product(parts);
                Some(graph.scale(product, &coefficient))
            })[0];
            if next == e {
                return tidy(self.system, e);
            }
            e = next;
        }
    }

    /// The function, if it is one of the allowed symbols alone.
    pub(super) fn function(&mut self, e: Expr, allowed: &[Symbol]) -> Option<Expr> {
        let placed = self.placed(&[e])[0];
        let solved = self.system.graph.substitute(placed, &self.solved);
        let short = tidy(self.system, solved);
        let narrow = self.system.narrowed(short);
        let narrow = tidy(self.system, narrow);
        let narrow = if self.linear.cosine.is_some() { self.with_positive_sine(narrow) } else { narrow };
        if self.system.graph.free_symbols(&[narrow]).iter().any(|s| !allowed.contains(s)) {
            return None;
        }
        if self.linear.has_example() {
            // the same at all positions with this s
            let back = self.system.graph.substitute(narrow, &self.meant);
            let back = self.linear.on_position(self.system, back);
            let values: FxHashMap<Symbol, Expr> = match self.linear.turned() {
                Some((radius, _)) => {
                    self.levels.iter().filter(|l| l.coordinate == radius).map(|l| (l.symbol, l.function)).collect()
                }
                None => FxHashMap::default(),
            };
            let back = self.system.graph.substitute(back, &values);
            let [back, whole] = self.on_levels(&[back, e])[..] else { return None };
            let difference = self.system.graph.sub(back, whole);
            if !self.system.is_zero(difference) {
                return None;
            }
        }
        Some(narrow)
    }
}

/// Coordinates whose rates are functions of (s, ṡ, w); for the angle of an entry R_ij, the turn about axis i of space and the spin about axis j of the body; the azimuth of a
/// pair of coordinates.
pub(super) fn quadratures(
    view: &mut View<'_>,
    flow: &Flow,
    allowed: &[Symbol],
    named: &FxHashMap<Symbol, Expr>,
) -> Vec<Quadrature> {
    let mut wanted: Vec<(String, Option<Symbol>, Expr)> = Vec::new();
    for f in view.system.configuration.factors().to_vec() {
        if f.coordinate().is_some_and(|x| x != view.linear.variable) {
            let s = f.positions[0];
            if let Some(rate) = flow.rates.get(&s) {
                wanted.push((f.name.clone(), Some(s), *rate));
            }
        }
    }
    if let Some((rotation, row, column)) = view.linear.entry() {
        let rotations = view.system.configuration.factors().iter().find(|f| f.positions.starts_with(&rotation));
        let omega: Option<Vec<Symbol>> = rotations.map(|f| f.velocities[f.velocities.len() - 3..].to_vec());
        if let Some(omega) = omega {
            let graph = &mut view.system.graph;
            let entry = graph.var(rotation[3 * row + column]);
            let parts: Vec<Expr> = (0..3)
                .filter(|j| *j != column)
                .map(|j| {
                    let (r, v) = (graph.var(rotation[3 * row + j]), graph.var(omega[j]));
                    graph.mul(r, v)
                })
                .collect();
            let sum = graph.sum(parts);
            let (one, square) = (graph.one(), graph.powi(entry, 2));
            let below = graph.sub(one, square);
            let precession = graph.div(sum, below);
            let turned = graph.mul(entry, precession);
            let own = graph.var(omega[column]);
            let spin = graph.sub(own, turned);
            let rates = flow.on_d(graph, &[precession, spin]);
            wanted.push(("precession".into(), None, rates[0]));
            wanted.push(("spin".into(), None, rates[1]));
        }
    }
    if let Some(rate) = view.linear.azimuth(view.system) {
        let rate = flow.on_d(&mut view.system.graph, &[rate])[0];
        wanted.push(("azimuth".into(), None, rate));
    }
    let mut out = Vec::new();
    for (name, position, rate) in wanted {
        if let Some(rate) = view.function(rate, allowed) {
            let rate = view.system.graph.substitute(rate, named);
            out.push(Quadrature { name, position, rate });
        }
    }
    out
}
