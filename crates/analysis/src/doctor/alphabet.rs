//! The functions of one stage of the search for integrals: which generators, and which products of them.

use super::ansatz::Term;
use super::budget::INTEGRAL_TERMS;
use super::integrals::{Extra, Search, Stage};
use polhode_expr::{AngleBasis, Exponent, Expr, Function, Graph, MAX_TERMS, Node, Ring, Symbol};
use polhode_poly::factor;

/// Degree, whether it is local, and the powers of generators of a product.
type Piece = (u32, bool, Vec<(usize, i32)>);

/// A set of functions of which a term takes at most one.
struct Group {
    options: Vec<Piece>,
}

/// The generators and groups of a system.
struct Alphabet<'a> {
    graph: &'a mut Graph,
    generators: Vec<Expr>,
}

impl Alphabet<'_> {
    fn generator(&mut self, e: Expr) -> usize {
        match self.generators.iter().position(|g| *g == e) {
            Some(i) => i,
            None => {
                self.generators.push(e);
                self.generators.len() - 1
            }
        }
    }

    fn powers(&mut self, e: Expr, highest: u32, local: bool) -> Vec<Piece> {
        let g = self.generator(e);
        (1..=highest).map(|k| (k, local, vec![(g, k as i32)])).collect()
    }

    /// cos^a sin^b with b ≤ 1: all functions of period 2π up to this order.
    fn turns(&mut self, angle: Expr, highest: u32) -> Vec<Piece> {
        let (s, c) = (self.graph.sin(angle), self.graph.cos(angle));
        let (s, c) = (self.generator(s), self.generator(c));
        let mut out = Vec::new();
        for k in 1..=highest as i32 {
            out.push((k as u32, false, vec![(c, k)]));
            out.push((k as u32, false, if k == 1 { vec![(s, 1)] } else { vec![(c, k - 1), (s, 1)] }));
        }
        out
    }
}

impl Search<'_> {
    /// The generators and terms of a stage; `None` when there are too many.
    pub(super) fn terms(
        &self,
        graph: &mut Graph,
        stage: &Stage,
        denominator: Option<Expr>,
    ) -> Option<(Vec<Expr>, Vec<Term>)> {
        let mut groups = Vec::new();
        let factors = if stage.extra.has_logarithms() { self.factors(graph) } else { Vec::new() };
        let occurring = self.occurring_functions(graph);
        let roots: Vec<Expr> =
            occurring.iter().copied().filter(|e| matches!(graph.node(*e), Node::Product { .. })).collect();
        let mut reals = Vec::new();
        let velocities = self.forms.configuration.velocities().to_vec();
        let column = |v: &Symbol| velocities.iter().position(|w| w == v);
        let mut alphabet = Alphabet { graph, generators: Vec::new() };
        let functions = stage.extra == Extra::Functions;
        let extra_group = |alphabet: &mut Alphabet, x: Expr, angle: bool| {
            let mut options = Vec::new();
            if functions {
                if !angle {
                    options.extend(alphabet.turns(x, 1));
                }
                let mut rates = vec![x];
                for p in &self.parameters {
                    let p = alphabet.graph.var(*p);
                    rates.push(alphabet.graph.mul(p, x));
                }
                for rate in rates {
                    let e = alphabet.graph.exp(rate);
                    let g = alphabet.generator(e);
                    options.extend([1, -1, 2, -2].map(|k: i32| (k.unsigned_abs(), angle, vec![(g, k)])));
                }
            }
            Group { options }
        };
        for f in self.forms.configuration.factors() {
            let columns: Vec<usize> = f.velocities.iter().filter_map(column).collect();
            if columns.is_empty() || self.is_free(&columns) {
                continue;
            }
            let tied: Vec<Expr> = f.tied().iter().map(|s| alphabet.graph.var(*s)).collect();
            if !tied.is_empty() {
                let first: Vec<usize> = tied.iter().map(|e| alphabet.generator(*e)).collect();
                let mut options: Vec<_> = first.iter().map(|g| (1, false, vec![(*g, 1)])).collect();
                if stage.single > 1 && stage.total < 4 {
                    for (i, a) in first.iter().enumerate() {
                        options.push((2, false, vec![(*a, 2)]));
                        options.extend(first[i + 1..].iter().map(|b| (2, false, vec![(*a, 1), (*b, 1)])));
                    }
                }
                groups.push(Group { options });
            }
            for s in f.untied() {
                let x = alphabet.graph.var(*s);
                let angle = f.angle() == Some(*s);
                let options = if angle {
                    let mut turns = alphabet.turns(x, stage.single);
                    turns.extend(alphabet.powers(x, 1, true));
                    turns
                } else {
                    reals.push(x);
                    alphabet.powers(x, stage.single, false)
                };
                groups.push(Group { options });
                if f.coordinate().is_some() {
                    groups.push(extra_group(&mut alphabet, x, angle));
                }
            }
        }
        if let Some(t) = self.forms.time
            && !self.is_free(&[velocities.len()])
        {
            let x = alphabet.graph.var(t);
            reals.push(x);
            let options = alphabet.powers(x, stage.single, false);
            groups.push(Group { options });
            groups.push(extra_group(&mut alphabet, x, false));
        }
        for e in occurring {
            let mut options = alphabet.powers(e, stage.single.min(2), false);
            if matches!(alphabet.graph.node(e), Node::Call(Function::Exp, _)) {
                let g = alphabet.generator(e);
                options.push((1, false, vec![(g, -1)]));
            }
            groups.push(Group { options });
        }
        let mut multipliers: Vec<(u32, Vec<(usize, i32)>)> = vec![(0, Vec::new())];
        let parameters: Vec<Expr> = self.parameters.iter().map(|p| alphabet.graph.var(*p)).collect();
        let parameters: Vec<usize> = parameters.into_iter().map(|p| alphabet.generator(p)).collect();
        if stage.parameters >= 1 {
            multipliers.extend(parameters.iter().map(|p| (1, vec![(*p, 1)])));
        }
        if stage.parameters >= 2 {
            for (i, p) in parameters.iter().enumerate() {
                multipliers.push((2, vec![(*p, 2)]));
                multipliers.extend(parameters[i + 1..].iter().map(|q| (2, vec![(*p, 1), (*q, 1)])));
            }
        }
        let mut products: Vec<Piece> = vec![(0, false, Vec::new())];
        for group in &groups {
            let mut next = products.clone();
            for (degree, local, factors) in &products {
                for (d, l, f) in group.options.iter().filter(|(d, _, _)| degree + d <= stage.total) {
                    next.push((degree + d, *local || *l, factors.iter().chain(f).copied().collect()));
                }
            }
            if next.len() > 4 * INTEGRAL_TERMS {
                return None;
            }
            products = next;
        }
        if let Some(q) = denominator {
            let g = alphabet.generator(q);
            let mut over = Vec::new();
            for power in 1..=if stage.extra == Extra::Both { 2 } else { 1 } {
                for (degree, local, f) in &products {
                    let own: i32 = f.iter().filter(|(h, _)| *h == g).map(|(_, k)| *k).sum();
                    let mut factors: Vec<_> = f.iter().copied().filter(|(h, _)| *h != g).collect();
                    if own != power {
                        factors.push((g, own - power));
                    }
                    over.push((degree + power.unsigned_abs(), *local || own < power, factors));
                }
            }
            products.extend(over);
        }
        let mut logs = Vec::new();
        for f in &factors {
            logs.push(alphabet.graph.log(*f));
        }
        if stage.extra.has_logarithms() {
            let one = alphabet.graph.one();
            for (i, y) in reals.iter().enumerate().take(5) {
                logs.push(alphabet.graph.atan2(*y, one));
                for x in &reals[i + 1..] {
                    logs.push(alphabet.graph.atan2(*y, *x));
                }
                // arc sine and the inverse hyperbolic functions
                for root in &roots {
                    let sum = alphabet.graph.add(*y, *root);
                    logs.extend([alphabet.graph.atan2(*y, *root), alphabet.graph.log(sum)]);
                }
            }
        }
        for e in logs {
            let g = alphabet.generator(e);
            products.push((1, true, vec![(g, 1)]));
        }
        products.retain(|(_, _, f)| !f.is_empty());
        let mut terms: Vec<Term> = Vec::new();
        for (degree, local, factors) in &products {
            for (d, m) in &multipliers {
                let factors: Vec<(usize, i32)> = factors.iter().chain(m).copied().collect();
                let term = Term { factors, degree: degree + d, local: *local };
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
            if terms.len() > INTEGRAL_TERMS {
                return None;
            }
        }
        Some((alphabet.generators, terms))
    }

    /// Functions other than sines and cosines of a coordinate that occur in the constraints.
    fn occurring_functions(&self, graph: &mut Graph) -> Vec<Expr> {
        let roots: Vec<Expr> = self.forms.rows.iter().flatten().copied().collect();
        let mut out = Vec::new();
        for n in graph.reachable(&roots) {
            match graph.node(n).clone() {
                Node::Call(Function::Sin | Function::Cos, a) if graph.as_symbol(a).is_none() => {
                    // multiples and sums of angles are polynomials in those of the coordinates
                    let whole = self.is_whole_angle(graph, a);
                    if !whole {
                        out.extend([graph.sin(a), graph.cos(a)]);
                    }
                }
                Node::Call(Function::Sin | Function::Cos, a)
                    if graph.as_symbol(a).is_some_and(|s| !self.is_angle(s)) =>
                {
                    out.extend([graph.sin(a), graph.cos(a)]);
                }
                Node::Call(Function::Exp | Function::Log, _) => out.push(n),
                Node::Product { factors, .. } => {
                    for (b, k) in factors.iter().filter(|(_, k)| !k.is_int()) {
                        out.push(graph.pow(*b, Exponent { n: 1, d: k.d }));
                    }
                }
                _ => {}
            }
        }
        out.sort();
        out.dedup();
        out.retain(|e| {
            let symbols = graph.free_symbols(&[*e]);
            symbols.iter().any(|s| self.is_coordinate(*s))
        });
        out
    }

    /// Is it a sum of whole multiples of angles?
    fn is_whole_angle(&self, graph: &Graph, a: Expr) -> bool {
        let angle = |e: Expr| graph.as_symbol(e).is_some_and(|s| self.is_angle(s));
        match graph.node(a) {
            Node::Sum { terms, .. } => terms.iter().all(|(t, r)| r.is_int() && angle(*t)),
            Node::Product { coefficient, factors } => {
                let [(b, k)] = &factors[..] else { return false };
                coefficient.is_int() && *k == Exponent::ONE && angle(*b)
            }
            _ => false,
        }
    }

    pub(super) fn is_angle(&self, s: Symbol) -> bool {
        self.forms.configuration.factors().iter().any(|f| f.angle() == Some(s))
    }

    fn is_coordinate(&self, s: Symbol) -> bool {
        self.forms.configuration.positions().contains(&s) || self.forms.time == Some(s)
    }

    /// Factors of the coefficients of the constraints, and single coordinates: what integrals may be divided by.
    pub(super) fn factors(&self, graph: &mut Graph) -> Vec<Expr> {
        let mut out: Vec<Expr> = Vec::new();
        let mut push = |e: Expr, graph: &Graph| {
            let symbols = graph.free_symbols(&[e]);
            if !out.contains(&e) && symbols.iter().any(|s| self.is_coordinate(*s)) {
                out.push(e);
            }
        };
        let roots: Vec<Expr> = self.forms.rows.iter().flatten().copied().collect();
        if let Ok(mut ring) = Ring::new(graph, &roots, AngleBasis::Symbols, MAX_TERMS)
            && let Ok(fractions) = ring.fractions(graph, &roots)
        {
            for f in fractions {
                let over: Vec<_> = f.denominator_factors().cloned().collect();
                for p in factor(f.numerator()).factors.into_iter().map(|(p, _)| p).chain(over) {
                    let e = ring.expand_to_expr(graph, &p);
                    push(e, graph);
                }
            }
        }
        let velocities = self.forms.configuration.velocities();
        for f in self.forms.configuration.factors() {
            let columns: Vec<usize> =
                f.velocities.iter().filter_map(|v| velocities.iter().position(|w| w == v)).collect();
            if columns.is_empty() || self.is_free(&columns) {
                continue;
            }
            for s in &f.positions {
                let x = graph.var(*s);
                if f.coordinate().is_some() && f.angle().is_some() {
                    let turns = [graph.cos(x), graph.sin(x)];
                    turns.into_iter().for_each(|e| push(e, graph));
                } else {
                    push(x, graph);
                }
            }
        }
        if let Some(t) = self.forms.time {
            let t = graph.var(t);
            push(t, graph);
        }
        out.truncate(30);
        out
    }
}
