//! Real solutions of polynomial equations, as short systems of equations.
//!
//! The solutions of f₁ = … = f_m = 0 are split as far as factors allow,
//!
//! ```text
//! V(f g, …) = V(f, …) ∪ V(g, …),      V(Σ a_i m_i², …) = V(m_1, m_2, …, …)  for a_i > 0,      (1)
//! ```
//!
//! where the second is true of real solutions only. A part without solutions is recognised by a Gröbner basis that
//! contains 1, or by a bound: cosines, sines and entries of rotations lie in [−1, 1], exponentials and roots
//! are positive. Polynomials in the parameters alone count as numbers, whose signs are those at the values of the model.

use super::budget::{BASIS, CASES};
use polhode_expr::eval::EvalError;
use polhode_expr::{Expr, Function, Graph, Node, Relation, Ring, Symbol};
use polhode_mechanics::system::System;
use polhode_model::Interval;
use polhode_poly::{Ideal, Monomial, Order, Poly, factor};
use rustc_hash::FxHashMap;

/// Where coordinates and parameters may lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domain {
    /// The values of the parameters.
    pub(crate) values: FxHashMap<Symbol, f64>,
    /// The open intervals of coordinates that have one.
    intervals: FxHashMap<Symbol, (f64, f64)>,
}

impl Domain {
    /// The domain of a system.
    pub(crate) fn new(system: &System) -> Domain {
        let values = system.model.parameter_values().unwrap_or_default();
        let mut intervals = FxHashMap::default();
        for Interval { coordinate, low, high } in system.configuration.intervals() {
            let end = |e: Expr| system.graph.evaluate_f64(e, &values);
            if let (Ok(low), Ok(high)) = (end(low), end(high)) {
                // the ends do not belong to it
                let inside = |x: f64, step: f64| if x == 0.0 { step } else { x };
                let ends = (inside(low, f64::MIN_POSITIVE), inside(high, -f64::MIN_POSITIVE));
                intervals.insert(coordinate, ends);
            }
        }
        Domain { values, intervals }
    }
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: f64,
    high: f64,
    parameter: bool,
}

/// The ring the equations live in, with its relations and the bounds of its variables.
pub(crate) struct Variety<'a> {
    ring: &'a Ring,
    relations: Vec<Poly>,
    bounds: Vec<Bounds>,
    /// Sines, cosines and entries of rotations.
    turns: Vec<bool>,
}

/// What an equation f = 0 says.
enum Said {
    /// Nothing: f is zero.
    Nothing,
    /// It has no solutions.
    Impossible,
    /// One of these is zero.
    OneOf(Vec<Poly>),
}

impl<'a> Variety<'a> {
    /// The variety of a ring.
    pub(crate) fn new(graph: &Graph, ring: &'a Ring, domain: &Domain) -> Variety<'a> {
        let bounds = ring.atoms().iter().map(|e| bounds(graph, *e, domain)).collect();
        let turns = ring.atoms().iter().map(|e| is_turn(graph, *e)).collect();
        Variety { ring, relations: ring.relations(), bounds, turns }
    }

    fn is_parameter(&self, v: usize) -> bool {
        self.bounds[v].parameter
    }

    /// An interval that contains all values of a polynomial, widened against rounding.
    fn range(&self, p: &Poly) -> (f64, f64) {
        let (mut low, mut high, mut size) = (0.0, 0.0, 0.0);
        for (m, c) in p.terms() {
            let c = c.to_f64().value();
            let (mut a, mut b) = (c, c);
            for (v, k) in m.iter() {
                let (x, y) = self.power_range(v, k);
                let ends = [a * x, a * y, b * x, b * y].map(|e| if e.is_nan() { 0.0 } else { e });
                a = ends.iter().copied().fold(f64::INFINITY, f64::min);
                b = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            }
            low += a;
            high += b;
            size += a.abs().max(b.abs());
        }
        // sums of a few hundred doubles are good to far more than 1e-12 of their largest terms
        let slack = if size.is_finite() && p.len() > 1 { 1e-12 * size } else { 0.0 };
        (low - slack, high + slack)
    }

    fn power_range(&self, v: usize, k: u8) -> (f64, f64) {
        let Bounds { low, high, .. } = self.bounds[v];
        let (a, b) = (low.powi(i32::from(k)), high.powi(i32::from(k)));
        if k.is_multiple_of(2) && low < 0.0 && high > 0.0 { (0.0, a.max(b)) } else { (a.min(b), a.max(b)) }
    }

    /// Does the polynomial vanish nowhere, by its bounds or because it is a number?
    pub(super) fn never_zero(&self, p: &Poly) -> bool {
        let (low, high) = self.range(p);
        !p.is_zero() && (p.is_constant() || low > 0.0 || high < 0.0)
    }

    /// Real factors that may vanish, each once.
    fn said(&self, p: &Poly) -> Said {
        let Ok(p) = self.ring.reduce(p) else { return Said::OneOf(vec![p.clone()]) };
        if p.is_zero() {
            return Said::Nothing;
        }
        let mut rest = p.primitive();
        let mut factors: Vec<Poly> = Vec::new();
        for (sin, cos) in self.ring.angles() {
            // cos² − 1 = −sin²
            let square = Poly::from_table(&[(1, &[(cos, 2)]), (-1, &[])]);
            while let Some(q) = rest.div_exact(&square) {
                rest = q;
                factors.push(Poly::variable(sin));
            }
        }
        factors.extend(factor(&rest).factors.into_iter().map(|(f, _)| f));
        factors.retain(|f| !self.never_zero(f));
        factors.dedup();
        if factors.is_empty() { Said::Impossible } else { Said::OneOf(factors) }
    }

    /// The second rule of (1): the monomials that vanish together if this does; `None` if it is no sum of squares.
    fn squares(&self, p: &Poly) -> Option<Vec<Poly>> {
        if p.len() < 2 {
            return None;
        }
        let mut sign = 0.0;
        let mut roots = Vec::new();
        for (m, c) in p.terms() {
            let mut value = c.to_f64().value();
            let mut root = Monomial::default();
            for (v, k) in m.iter() {
                if self.is_parameter(v) {
                    value *= self.power_range(v, k).0;
                } else if k % 2 == 0 {
                    root = root.with_exponent(v, k / 2);
                } else if self.bounds[v].low >= 0.0 && self.bounds[v].low.is_finite() {
                    root = root.with_exponent(v, k);
                } else {
                    return None;
                }
            }
            if value == 0.0 || sign * value < 0.0 {
                return None;
            }
            sign = value;
            roots.push(Poly::term(root, 1.into()));
        }
        Some(roots)
    }

    /// a v² + b v + c with a discriminant that is minus a sum of squares: zero only where both vanish.
    fn definite(&self, p: &Poly) -> Option<Vec<Poly>> {
        for v in 0..self.bounds.len() {
            if self.is_parameter(v) || p.degree(v) != 2 {
                continue;
            }
            let parts = p.coefficients_in(v);
            if !self.never_zero(&parts[2]) {
                continue;
            }
            let four = Poly::constant(4.into());
            let disc = parts[1].pow(2).ok()?.sub(&four.mul(&parts[0]).ok()?.mul(&parts[2]).ok()?);
            let disc = self.ring.reduce(&disc).ok()?;
            if disc.is_zero() || self.range(&disc).0 >= 0.0 {
                continue;
            }
            let middle = Poly::variable(v).mul(&parts[2]).ok()?.scale(&2.into()).add(&parts[1]);
            if self.range(&disc).1 < 0.0 {
                return Some(vec![Poly::one()]);
            }
            let negative = disc.neg();
            let low = if negative.len() == 1 { self.squares_of_one(&negative) } else { self.squares(&negative) };
            if let Some(mut roots) = low {
                let positive = negative.terms().iter().all(|(m, c)| self.range(&Poly::term(*m, c.clone())).0 >= 0.0);
                if positive {
                    roots.push(middle);
                    return Some(roots);
                }
            }
        }
        None
    }

    fn squares_of_one(&self, p: &Poly) -> Option<Vec<Poly>> {
        let (m, _) = p.leading()?;
        let even = m.iter().all(|(v, k)| k % 2 == 0 || self.is_parameter(v));
        even.then(|| {
            let root = m
                .iter()
                .filter(|(v, _)| !self.is_parameter(*v))
                .fold(Monomial::default(), |r, (v, k)| r.with_exponent(v, k / 2));
            vec![Poly::term(root, 1.into())]
        })
    }

    /// The ideal of some equations together with the relations; `None` when it costs too much.
    pub(super) fn ideal(&self, equations: &[Poly]) -> Option<Ideal> {
        Ideal::new(equations.iter().chain(&self.relations), Order::GradedReverseLex, &BASIS).ok()
    }

    fn has_no_points(&self, ideal: &Ideal) -> bool {
        ideal.basis().any(|p| self.never_zero(&p))
    }

    /// The solutions of the equations as a union of systems; `None` when it could not be split up.
    pub(crate) fn components(&self, equations: &[Poly]) -> Option<Vec<Vec<Poly>>> {
        let mut found: Vec<(Vec<Poly>, Ideal)> = Vec::new();
        let mut open: Vec<Vec<Poly>> = vec![equations.to_vec()];
        let mut cases = 0;
        while let Some(mut case) = open.pop() {
            cases += 1;
            if cases > CASES {
                return None;
            }
            match self.step(&mut case)? {
                Step::Empty => {}
                Step::Split(cases) => open.extend(cases.into_iter().rev()),
                Step::Done(ideal) => found.push((case, ideal)),
            }
        }
        // a part that lies in another is left out
        let inside = |a: &(Vec<Poly>, Ideal), b: &(Vec<Poly>, Ideal)| b.0.iter().all(|p| a.1.contains(p) == Ok(true));
        let mut kept: Vec<(Vec<Poly>, Ideal)> = Vec::new();
        for candidate in found {
            if kept.iter().any(|k| inside(&candidate, k)) {
                continue;
            }
            kept.retain(|k| !inside(k, &candidate));
            kept.push(candidate);
        }
        Some(kept.into_iter().map(|(p, _)| p).collect())
    }

    fn step(&self, case: &mut Vec<Poly>) -> Option<Step> {
        let mut equations: Vec<Poly> = Vec::new();
        for (i, p) in case.iter().enumerate() {
            match self.said(p) {
                Said::Nothing => {}
                Said::Impossible => return Some(Step::Empty),
                Said::OneOf(factors) if factors.len() == 1 => {
                    let f = factors.into_iter().next()?;
                    if !equations.contains(&f) {
                        equations.push(f);
                    }
                }
                Said::OneOf(factors) => {
                    let rest: Vec<Poly> = equations.iter().chain(&case[i + 1..]).cloned().collect();
                    return Some(Step::Split(with_each(&rest, factors)));
                }
            }
        }
        for i in 0..equations.len() {
            if let Some(roots) = self.squares(&equations[i]).or_else(|| self.definite(&equations[i])) {
                equations.remove(i);
                equations.extend(roots);
                return Some(Step::Split(vec![equations]));
            }
        }
        let ideal = self.ideal(&equations)?;
        if self.has_no_points(&ideal) {
            return Some(Step::Empty);
        }
        let from_relations = self.ideal(&[])?;
        let mut candidates = equations.clone();
        for p in ideal.basis() {
            if from_relations.contains(&p) == Ok(true) || candidates.contains(&p) {
                continue;
            }
            // consequences in sines, cosines and rotations alone would only tell their signs apart
            let real = |v: usize| !self.is_parameter(v) && !self.turns[v];
            if !(0..self.bounds.len()).any(|v| p.degree(v) > 0 && real(v)) {
                continue;
            }
            match self.said(&p) {
                Said::Impossible => return Some(Step::Empty),
                Said::OneOf(factors) if factors.len() > 1 || factors[0] != p => {
                    return Some(Step::Split(with_each(&equations, factors)));
                }
                _ => {}
            }
            if let Some(roots) = self.squares(&p).or_else(|| self.definite(&p)) {
                equations.extend(roots);
                return Some(Step::Split(vec![equations]));
            }
            candidates.push(p);
        }
        // the shortest equations that say everything
        candidates.sort_by_key(|p| (p.total_degree(), p.len()));
        let mut kept: Vec<Poly> = Vec::new();
        for p in candidates {
            let known = self.ideal(&kept)?;
            if known.contains(&p) != Ok(true) {
                kept.push(p);
            }
        }
        let mut at = 0;
        while at < kept.len() {
            let mut others = kept.clone();
            let p = others.remove(at);
            if self.ideal(&others)?.contains(&p) == Ok(true) {
                kept = others;
            } else {
                at += 1;
            }
        }
        *case = kept;
        Some(Step::Done(ideal))
    }
}

/// The equations with each of the factors in turn.
fn with_each(rest: &[Poly], factors: Vec<Poly>) -> Vec<Vec<Poly>> {
    factors.into_iter().map(|f| rest.iter().cloned().chain([f]).collect()).collect()
}

enum Step {
    Empty,
    Split(Vec<Vec<Poly>>),
    Done(Ideal),
}

/// Is it a sine, a cosine, or part of a rotation or direction?
fn is_turn(graph: &Graph, e: Expr) -> bool {
    let related = |s: Symbol| {
        graph.relations().iter().any(|r| match r {
            Relation::Rotation(entries) => entries.contains(&s),
            Relation::UnitVector(entries) => entries.contains(&s),
        })
    };
    matches!(graph.node(e), Node::Call(Function::Sin | Function::Cos, _)) || graph.as_symbol(e).is_some_and(related)
}

fn bounds(graph: &Graph, e: Expr, domain: &Domain) -> Bounds {
    let values = &domain.values;
    let open = |low: f64, high: f64| Bounds { low, high, parameter: false };
    let unit = open(-1.0, 1.0);
    match graph.node(e) {
        Node::Symbol(s) => match values.get(s) {
            _ if is_turn(graph, e) => unit,
            Some(x) => Bounds { low: *x, high: *x, parameter: true },
            None => match domain.intervals.get(s) {
                Some((low, high)) => open(*low, *high),
                None => open(f64::NEG_INFINITY, f64::INFINITY),
            },
        },
        Node::Call(Function::Sin | Function::Cos, _) => unit,
        Node::Call(Function::Exp, _) => open(f64::MIN_POSITIVE, f64::INFINITY),
        Node::Product { .. } => match graph.evaluate_f64(e, values) {
            Err(EvalError::Unbound(_)) => open(0.0, f64::INFINITY),
            Ok(x) => Bounds { low: x, high: x, parameter: true },
            Err(_) => open(f64::NEG_INFINITY, f64::INFINITY),
        },
        Node::Pi => Bounds { low: std::f64::consts::PI, high: std::f64::consts::PI, parameter: true },
        _ => open(f64::NEG_INFINITY, f64::INFINITY),
    }
}
