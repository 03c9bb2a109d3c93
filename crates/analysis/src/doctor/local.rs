//! Coordinates around a place, and power series of expressions in them.
//!
//! A rotation has the coordinates w of Rodrigues,
//!
//! ```text
//! R = R₀ (1 + 2(ŵ + ŵ²)/(1 + w·w)),      ẇ = ½ (Ω + w × Ω + w (w·Ω)),                      (1)
//! ```
//!
//! and everything else those of the model. Fields keep their components in the base frame of the configuration, whose brackets are known; only
//! coordinates that something depends on are variables of the series.

use super::jet::{Jet, Shape};
use polhode_expr::number::ratio;
use polhode_expr::{Exponent, Expr, Function, Graph, Node, Symbol};
use polhode_mechanics::rank::field::Field;
use polhode_mechanics::rank::place::{NoValue, Place, Values};
use polhode_model::Configuration;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A coordinate that something depends on.
#[derive(Clone, Debug)]
enum Variable {
    /// A position of the model, or time.
    Position(Symbol),
    /// One of the three coordinates (1) of a rotation, given by its entries.
    Axis(Rc<[Symbol; 9]>),
}

/// The base frame in local coordinates, as far as a set of expressions depends on them.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    variables: Vec<Variable>,
    /// Velocities of the configuration, and time if it counts.
    pub(super) columns: usize,
    structure: Vec<(usize, usize, usize, i64)>,
    /// (variable, column, component) of the base fields; axes of rotations are not listed.
    anchor: Vec<(usize, usize, Expr)>,
    /// First variable and first column of each rotation.
    rotations: Vec<(usize, usize)>,
    /// What sines and cosines are taken of.
    turning: Vec<Symbol>,
}

impl Chart {
    /// The chart for expressions in the positions of `configuration` and in `time`, if that is a coordinate.
    pub(super) fn new(
        graph: &mut Graph,
        configuration: &Configuration,
        time: Option<Symbol>,
        roots: &[Expr],
    ) -> Result<Chart, NoValue> {
        let anchor = configuration.anchor(graph);
        let positions = configuration.positions();
        let n = configuration.velocities().len();
        // what occurs, and what that depends on in turn
        let mut occurring = graph.free_symbols(roots);
        loop {
            let mut more = Vec::new();
            for i in (0..positions.len()).filter(|i| occurring.contains(&positions[*i])) {
                more.extend(graph.free_symbols(anchor.row(i)));
            }
            for f in configuration.factors() {
                if let Some(rotation) = f.rotation()
                    && rotation.matrix.iter().any(|s| occurring.contains(s))
                {
                    more.extend(rotation.matrix);
                }
            }
            more.retain(|s| !occurring.contains(s));
            if more.is_empty() {
                break;
            }
            occurring.extend(more);
        }
        let seen: Vec<Expr> = roots.iter().chain((0..positions.len()).flat_map(|i| anchor.row(i))).copied().collect();
        let angles: Vec<Expr> = graph
            .reachable(&seen)
            .into_iter()
            .filter_map(|n| match graph.node(n) {
                Node::Call(Function::Sin | Function::Cos, a) => Some(*a),
                _ => None,
            })
            .collect();
        let mut chart = Chart {
            turning: graph.free_symbols(&angles).into_iter().collect(),
            variables: Vec::new(),
            columns: n + usize::from(time.is_some()),
            structure: configuration.structure().to_vec(),
            anchor: Vec::new(),
            rotations: Vec::new(),
        };
        for f in configuration.factors() {
            if let Some(rotation) = f.rotation()
                && rotation.matrix.iter().any(|s| occurring.contains(s))
            {
                let column = configuration.velocities().iter().position(|v| *v == rotation.omega[0]);
                chart.rotations.push((chart.variables.len(), column.ok_or(NoValue::Outside)?));
                let entries = Rc::new(rotation.matrix);
                chart.variables.extend((0..3).map(|_| Variable::Axis(entries.clone())));
            }
            for s in f.besides_rotation().iter().filter(|s| occurring.contains(s)) {
                if f.is_carried() {
                    return Err(NoValue::Outside);
                }
                let i = positions.iter().position(|p| p == s).ok_or(NoValue::Outside)?;
                for (a, e) in anchor.row(i).iter().enumerate() {
                    if !graph.is_zero(*e) {
                        chart.anchor.push((chart.variables.len(), a, *e));
                    }
                }
                chart.variables.push(Variable::Position(*s));
            }
        }
        if let Some(t) = time
            && occurring.contains(&t)
        {
            chart.anchor.push((chart.variables.len(), n, graph.one()));
            chart.variables.push(Variable::Position(t));
        }
        Ok(chart)
    }

    /// Smooth functions of the variables: coordinates, or their sines and cosines where these occur, and entries of rotations. Sines are marked.
    pub(super) fn letters(&self, graph: &mut Graph) -> Vec<(Expr, bool)> {
        let mut out = Vec::new();
        for v in &self.variables {
            match v {
                Variable::Position(s) => {
                    let x = graph.var(*s);
                    if self.turning.contains(s) {
                        out.extend([(graph.sin(x), true), (graph.cos(x), false)]);
                    } else {
                        out.push((x, false));
                    }
                }
                Variable::Axis(entries) => entries.iter().for_each(|s| out.push((graph.var(*s), false))),
            }
        }
        out.sort();
        out.dedup();
        out
    }

    /// Number of variables.
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }
}

/// A chart around a place, with power series up to some order.
pub(super) struct Local<F> {
    pub(super) chart: Chart,
    pub(super) shape: Shape,
    /// The base fields: (variable, column, component).
    base: Vec<(usize, usize, Jet<F>)>,
    values: Values<F>,
    symbols: FxHashMap<Symbol, Jet<F>>,
    known: FxHashMap<Expr, Jet<F>>,
}

impl<F: Field> Local<F> {
    pub(super) fn new(graph: &mut Graph, chart: Chart, place: &Place, shape: Shape) -> Result<Local<F>, NoValue> {
        let mut values = Values::new(graph, place);
        let order = shape.order();
        let mut symbols: FxHashMap<Symbol, Jet<F>> = FxHashMap::default();
        for (v, variable) in chart.variables.iter().enumerate() {
            if let Variable::Position(s) = variable {
                let e = graph.var(*s);
                symbols.insert(*s, shape.variable(order, values.value(graph, e)?, v));
            }
        }
        let half = F::rational(&ratio(1, 2)).ok_or(NoValue::Pole)?;
        let mut base = Vec::new();
        for &(first, column) in &chart.rotations {
            let w: [Jet<F>; 3] = [0, 1, 2].map(|i| shape.variable(order, F::ZERO, first + i));
            let Variable::Axis(entries) = &chart.variables[first] else { return Err(NoValue::Outside) };
            let cayley = cayley(&shape, order, &w)?;
            for i in 0..3 {
                let mut row = Vec::new();
                for k in 0..3 {
                    let e = graph.var(entries[3 * i + k]);
                    row.push(values.value(graph, e)?);
                }
                for j in 0..3 {
                    let mut entry = shape.constant(order, F::ZERO);
                    (0..3).for_each(|k| shape.add_scaled(&mut entry, &cayley[3 * k + j], row[k]));
                    symbols.insert(entries[3 * i + j], entry);
                }
            }
            // ẇ_i = ½ Σ_a (δ_ia + ε_jai w_j + w_i w_a) Ω_a
            for i in 0..3 {
                for a in 0..3 {
                    let mut entry = shape.constant(order, if i == a { half } else { F::ZERO });
                    if i != a {
                        let j = 3 - i - a;
                        let sign = if (j + 1) % 3 == a { half } else { half.minus() };
                        shape.add_scaled(&mut entry, &w[j], sign);
                    }
                    let square = shape.product(&w[i], &w[a]);
                    shape.add_scaled(&mut entry, &square, half);
                    base.push((first + i, column + a, entry));
                }
            }
        }
        let mut local = Local { chart, shape, base, values, symbols, known: FxHashMap::default() };
        for (v, a, e) in local.chart.anchor.clone() {
            let jet = local.series(graph, &[e])?.swap_remove(0);
            local.base.push((v, a, jet));
        }
        Ok(local)
    }

    /// The power series of expressions, to the full order.
    pub(super) fn series(&mut self, graph: &mut Graph, roots: &[Expr]) -> Result<Vec<Jet<F>>, NoValue> {
        for n in graph.reachable(roots) {
            if !self.known.contains_key(&n) {
                let jet = self.node(graph, n)?;
                self.known.insert(n, jet);
            }
        }
        Ok(roots.iter().map(|r| self.known[r].clone()).collect())
    }

    fn node(&mut self, graph: &mut Graph, n: Expr) -> Result<Jet<F>, NoValue> {
        let order = self.shape.order();
        Ok(match graph.node(n).clone() {
            Node::Symbol(s) => match self.symbols.get(&s) {
                Some(jet) => jet.clone(),
                None => self.shape.constant(order, self.values.value(graph, n)?),
            },
            Node::Number(_) | Node::Pi => self.shape.constant(order, self.values.value(graph, n)?),
            Node::Sum { constant, terms } => {
                let mut total = self.shape.constant(order, F::rational(&constant).ok_or(NoValue::Pole)?);
                for (t, r) in terms.iter() {
                    self.shape.add_scaled(&mut total, &self.known[t], F::rational(r).ok_or(NoValue::Pole)?);
                }
                total
            }
            Node::Product { coefficient, factors } => {
                let mut total = self.shape.constant(order, F::rational(&coefficient).ok_or(NoValue::Pole)?);
                for (b, k) in factors.iter() {
                    let p = self.power(graph, *b, *k)?;
                    total = self.shape.product(&total, &p);
                }
                total
            }
            Node::Call(f, a) => {
                let mut delta = self.known[&a].clone();
                let a0 = std::mem::replace(&mut delta[0], F::ZERO);
                let factorial = inverse_factorials::<F>(order)?;
                let at = graph.substitute(a, &self.values.place.fixed);
                match f {
                    Function::Sin | Function::Cos => {
                        let (s, c) = (graph.sin(at), graph.cos(at));
                        let (s, c) = (self.values.placed(graph, s)?, self.values.placed(graph, c)?);
                        let cycle = if f == Function::Sin {
                            [s, c, s.minus(), c.minus()]
                        } else {
                            [c, s.minus(), c.minus(), s]
                        };
                        self.shape.compose(&delta, |k| cycle[k % 4].times(factorial[k]))
                    }
                    Function::Exp => {
                        let e = graph.exp(at);
                        let e = self.values.placed(graph, e)?;
                        self.shape.compose(&delta, |k| e.times(factorial[k]))
                    }
                    Function::Log => {
                        let l = graph.log(at);
                        let l = self.values.placed(graph, l)?;
                        let inverse = a0.inverse().ok_or(NoValue::Pole)?;
                        let mut c = vec![l];
                        for k in 1..=order as i64 {
                            // (−1)^{k+1}/(k a₀^k)
                            let sign = if k % 2 == 1 { 1 } else { -1 };
                            let r = F::rational(&ratio(sign, k)).ok_or(NoValue::Pole)?;
                            c.push(r.times(inverse.power(k).ok_or(NoValue::Pole)?));
                        }
                        self.shape.compose(&delta, |k| c[k])
                    }
                }
            }
            Node::Atan2(y, x) => self.angle(graph, n, y, x)?,
            Node::Apply { .. } => self.application(graph, n)?,
        })
    }

    /// The angle φ of (x, y) from its differential: with E = Σ w_v ∂/∂w_v, which multiplies terms of degree d by d,
    /// E φ = (x E y − y E x)/(x² + y²).
    fn angle(&mut self, graph: &mut Graph, n: Expr, y: Expr, x: Expr) -> Result<Jet<F>, NoValue> {
        let (y, x) = (self.known[&y].clone(), self.known[&x].clone());
        let shape = &self.shape;
        let euler = |f: &Jet<F>| {
            f.iter().enumerate().map(|(i, c)| c.times(F::number(shape.degree(i) as u64))).collect::<Jet<F>>()
        };
        let mut norm = shape.product(&x, &x);
        shape.add_product(&mut norm, &y, &y);
        let at = norm[0].inverse().ok_or(NoValue::Pole)?;
        let inverse = shape.power(&norm, (-1, 1), at).ok_or(NoValue::Pole)?;
        let mut above = shape.product(&x, &euler(&y));
        let minus = shape.product(&y, &euler(&x));
        shape.add_scaled(&mut above, &minus, F::ONE.minus());
        let mut out = shape.product(&above, &inverse);
        for (i, c) in out.iter_mut().enumerate().skip(1) {
            let degree = F::number(shape.degree(i) as u64);
            *c = c.times(degree.inverse().ok_or(NoValue::Pole)?);
        }
        out[0] = self.values.value(graph, n)?;
        Ok(out)
    }

    /// A function known by name, by Taylor's formula with derivatives that have values of their own.
    fn application(&mut self, graph: &mut Graph, n: Expr) -> Result<Jet<F>, NoValue> {
        let Node::Apply { function, args, orders } = graph.node(n).clone() else { return Err(NoValue::Outside) };
        let order = self.shape.order();
        let factorial = inverse_factorials::<F>(order)?;
        let places: Vec<Symbol> = (0..args.len()).map(|i| graph.symbol(&format!("#argument {i}"))).collect();
        let at: FxHashMap<Symbol, Expr> =
            places.iter().zip(args.iter()).map(|(s, a)| (*s, graph.substitute(*a, &self.values.place.fixed))).collect();
        let deltas: Vec<Jet<F>> = args
            .iter()
            .map(|a| {
                let mut delta = self.known[a].clone();
                delta[0] = F::ZERO;
                delta
            })
            .collect();
        let variables: Vec<Expr> = places.iter().map(|s| graph.var(*s)).collect();
        let mut first = graph.apply(function, variables);
        for (s, k) in places.iter().zip(orders.iter()) {
            for _ in 0..*k {
                first = graph.derivative(first, *s);
            }
        }
        // (derivative, Π δ_i^α_i/α_i!, degree, the first argument that may still be raised)
        let mut open = vec![(first, self.shape.constant(order, F::ONE), vec![0usize; args.len()], 0usize)];
        let mut out = self.shape.constant(order, F::ZERO);
        while let Some((f, weight, alpha, from)) = open.pop() {
            let placed = graph.substitute(f, &at);
            let value = self.values.drawn(graph, placed)?;
            let scale = alpha.iter().fold(value, |v, k| v.times(factorial[*k]));
            self.shape.add_scaled(&mut out, &weight, scale);
            if alpha.iter().sum::<usize>() == order {
                continue;
            }
            for i in from..args.len() {
                let mut raised = alpha.clone();
                raised[i] += 1;
                let next = graph.derivative(f, places[i]);
                open.push((next, self.shape.product(&weight, &deltas[i]), raised, i));
            }
        }
        Ok(out)
    }

    fn power(&mut self, graph: &mut Graph, b: Expr, k: Exponent) -> Result<Jet<F>, NoValue> {
        let base = self.known[&b].clone();
        if k.d == 1 && k.n >= 0 {
            let mut out = base.clone();
            for _ in 1..k.n {
                out = self.shape.product(&out, &base);
            }
            return Ok(out);
        }
        let power = graph.pow(b, k);
        let at = self.values.value(graph, power)?;
        self.shape.power(&base, (i64::from(k.n), i64::from(k.d)), at).ok_or(NoValue::Pole)
    }

    /// The components of a field along the variables of the chart.
    pub(super) fn motion(&self, field: &[Jet<F>]) -> Vec<Jet<F>> {
        let mut out = vec![vec![F::ZERO; field[0].len()]; self.chart.len()];
        for (v, a, b) in &self.base {
            self.shape.add_product(&mut out[*v], &b[..field[0].len()], &field[*a]);
        }
        out
    }

    /// [X, Y] by (F3) of `frame.rs`, one order lower. `moving` is [`Local::motion`] of X and of Y.
    pub(super) fn bracket(&self, x: &[Jet<F>], y: &[Jet<F>], moving: (&[Jet<F>], &[Jet<F>])) -> Vec<Jet<F>> {
        let order = self.order_of(x[0].len().min(y[0].len())).saturating_sub(1);
        let len = self.shape.len(order);
        let mut out = vec![vec![F::ZERO; len]; x.len()];
        let mut scratch: Jet<F> = vec![F::ZERO; len];
        for d in 0..x.len() {
            for v in 0..self.chart.len() {
                let (dy, dx) = (self.shape.derivative(&y[d], v), self.shape.derivative(&x[d], v));
                self.shape.add_product(&mut out[d], &moving.0[v][..len], &dy[..len]);
                scratch.iter_mut().for_each(|s| *s = F::ZERO);
                self.shape.add_product(&mut scratch, &moving.1[v][..len], &dx[..len]);
                self.shape.add_scaled(&mut out[d], &scratch, F::ONE.minus());
            }
        }
        for &(a, b, d, c) in &self.chart.structure {
            let product = self.shape.product(&x[a][..len], &y[b][..len]);
            let c = if c > 0 { F::number(c.unsigned_abs()) } else { F::number(c.unsigned_abs()).minus() };
            self.shape.add_scaled(&mut out[d], &product, c);
        }
        out
    }

    fn order_of(&self, len: usize) -> usize {
        (0..=self.shape.order()).rev().find(|r| self.shape.len(*r) <= len).unwrap_or(0)
    }
}

/// 1 + 2(ŵ + ŵ²)/(1 + w·w), row by row.
fn cayley<F: Field>(shape: &Shape, order: usize, w: &[Jet<F>; 3]) -> Result<Vec<Jet<F>>, NoValue> {
    let mut norm = shape.constant(order, F::ONE);
    w.iter().for_each(|x| shape.add_product(&mut norm, x, x));
    let scale = shape.power(&norm, (-1, 1), F::ONE).ok_or(NoValue::Pole)?;
    let two = F::number(2);
    let mut out = Vec::new();
    for i in 0..3 {
        for j in 0..3 {
            // ŵ² = w wᵀ − w·w 1 and ŵ_ij = −ε_ijk w_k
            let mut entry = shape.product(&w[i], &w[j]);
            if i == j {
                let mut square = norm.clone();
                square[0] = square[0].plus(F::ONE.minus());
                shape.add_scaled(&mut entry, &square, F::ONE.minus());
            } else {
                let k = 3 - i - j;
                let sign = if (i + 1) % 3 == j { F::ONE.minus() } else { F::ONE };
                shape.add_scaled(&mut entry, &w[k], sign);
            }
            let mut entry = shape.product(&entry, &scale);
            entry.iter_mut().for_each(|x| *x = x.times(two));
            if i == j {
                entry[0] = entry[0].plus(F::ONE);
            }
            out.push(entry);
        }
    }
    Ok(out)
}

fn inverse_factorials<F: Field>(order: usize) -> Result<Vec<F>, NoValue> {
    let mut out = vec![F::ONE];
    for k in 1..=order {
        let inverse = F::number(k as u64).inverse().ok_or(NoValue::Pole)?;
        out.push(out[k - 1].times(inverse));
    }
    Ok(out)
}
