//! Are two expressions the same function? Decided without expanding anything.
//!
//! **Rational functions of symbols, sines, cosines and exponentials** are
//! evaluated in the prime field F_p, p = 2⁶¹ − 1, at random points:
//!
//! ```text
//! sin θ = 2u/(1+u²),   cos θ = (1−u²)/(1+u²),   u random          (half angle)
//! e^{i(θ+φ)} = e^{iθ} e^{iφ}   in F_p[i], a field since p ≡ 3 mod 4
//! ```
//!
//! so that sums and multiples of angles are respected, and sin θ, cos θ, θ itself
//! and exp θ are otherwise independent, as they are as functions. A value ≠ 0
//! proves that the expressions differ. If they differ, the numerator of their
//! difference is a polynomial of some degree d in the random choices, and the
//! value is 0 with probability at most d/p (Schwartz–Zippel); points are added
//! until the product of these bounds is below [`ERROR_BOUND`].
//!
//! **Square roots** are adjoined as algebraic elements, s² = r (`roots.rs`), with the same probabilities.
//!
//! **Everything else** (roots with tied signs such as √(x²) − |x|, other roots, logarithms, atan2, a sine of a quotient) is compared at
//! random points in multi-precision. That is strong evidence, not a proof, and the
//! [`Evidence`] says which of the two it was.
//!
//! Symbols tied by a [`Relation`] are drawn so that the relation holds.

use crate::budget::{NUMERIC_WORK, ROOT_POINTS};
use crate::eval::{Arithmetic, Digits, EvalError, Real};
use crate::field::{Residue, residue};
use crate::graph::{Exponent, Expr, Function, Graph, NamedFunction, Node, Relation, Symbol};
use crate::number::{Rational, as_i64, int};
use crate::roots::{RootPoint, Sign};
use polhode_base::random::Random;
use rustc_hash::{FxHashMap, FxHashSet};

/// The probability of a wrong "equal" that is accepted at most.
pub const ERROR_BOUND: f64 = 1e-18;

/// Decimal digits of the numeric comparison.
const NUMERIC_DIGITS: usize = 60;

/// What is at least this many bits smaller with twice the digits is taken for a zero. The
/// digits gained are about 200 bits; a fourth root of a zero gains a fourth of them.
const SHRINKING_BITS: i32 = 40;

/// Points of the numeric comparison.
const NUMERIC_POINTS: u32 = 6;

/// Angles are measured in units of 1/600, so that coefficients such as ½, ⅓ or 0.01 are whole.
const ANGLE_UNIT: i64 = 600;

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// Exact evaluation in F_p at this many random points; for "equal", the
    /// probability of an error is below the given bound.
    PrimeField {
        /// Number of points.
        points: u32,
        /// Bound on the probability that "equal" is wrong; 0 for "different".
        error: f64,
    },
    /// Multi-precision evaluation at random points.
    MultiPrecision {
        /// Decimal digits that agreed.
        digits: u32,
        /// Number of points.
        points: u32,
    },
}

/// The answer to "is it zero?" or "are they equal?".
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The same function.
    Equal(Evidence),
    /// Not the same function.
    Different(Evidence),
    /// No random point was found where both are defined, a function is only known by
    /// name in a place where it matters, or the expression is too long to be evaluated
    /// in multi-precision.
    Undecided,
}

impl Verdict {
    /// Is the answer "equal"?
    pub fn is_equal(self) -> bool {
        matches!(self, Verdict::Equal(_))
    }
}

/// A point of the circle in F_p: (cos, sin).
type Turn = (Residue, Residue);

fn turn_mul(a: Turn, b: Turn) -> Turn {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn turn_pow(a: Turn, n: i64) -> Turn {
    let mut base = if n < 0 { (a.0, -a.1) } else { a };
    let mut n = n.unsigned_abs();
    let mut out = (Residue::ONE, Residue::ZERO);
    while n > 0 {
        if n & 1 == 1 {
            out = turn_mul(out, base);
        }
        base = turn_mul(base, base);
        n >>= 1;
    }
    out
}

/// Why a node has no value at a point of F_p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// A denominator vanishes at this point: try another.
    Unlucky,
    /// The expression is outside the class that F_p can decide.
    Outside,
}

/// The value of a node and a bound on its degree (numerator, denominator) in the random choices.
#[derive(Clone, Copy, Debug)]
struct Value {
    v: Residue,
    num: f64,
    den: f64,
    /// Does the value depend on open functions whose arguments have no value here? They
    /// are told apart by how they are written, so that only a zero says something.
    loose: bool,
}

/// A function known by name, the orders of its derivatives, and the values of its arguments.
type Application = (NamedFunction, Box<[u8]>, Vec<u64>);

/// One random point of F_p, with the values of the nodes met so far.
///
/// Good for many quick questions ("is this pivot zero?") about one growing graph.
#[derive(Clone, Debug)]
pub struct FieldPoint {
    random: Random,
    symbols: FxHashMap<Symbol, (Residue, f64)>,
    turns: FxHashMap<Expr, Turn>,
    exponentials: FxHashMap<Expr, Residue>,
    /// Values of open functions: equal arguments give equal values.
    applied: FxHashMap<Application, Residue>,
    values: Vec<Option<Result<Value, NoValue>>>,
    /// Evaluate square roots as square roots mod p; see [`FieldPoint::with_roots`].
    roots: bool,
}

impl FieldPoint {
    /// The point that belongs to this seed.
    pub fn new(graph: &Graph, seed: u64) -> FieldPoint {
        let mut point = FieldPoint {
            random: Random::new(seed),
            symbols: FxHashMap::default(),
            turns: FxHashMap::default(),
            exponentials: FxHashMap::default(),
            applied: FxHashMap::default(),
            values: Vec::new(),
            roots: false,
        };
        for relation in graph.relations().to_vec() {
            point.draw_related(&relation);
        }
        point
    }

    /// The point of this seed, with √w read as the square root mod p that is itself a
    /// square. Products of roots behave (√a √b = √ab), but √(x²) is x at some points and
    /// −x at others, so that a zero there proves nothing; where w is no square the point is
    /// unlucky.
    pub fn with_roots(graph: &Graph, seed: u64) -> FieldPoint {
        FieldPoint { roots: true, ..FieldPoint::new(graph, seed) }
    }

    /// A fresh point that agrees with this one wherever only the given symbols matter: in their own values, and in the sines,
    /// cosines and exponentials that contain no others. Symbols that are tied to others by a relation cannot be kept one by
    /// one; [`FieldPoint::set`] them all.
    pub fn sharing(&self, graph: &Graph, kept: &[Symbol], seed: u64) -> FieldPoint {
        let mut point = FieldPoint { roots: self.roots, ..FieldPoint::new(graph, seed) };
        for s in kept {
            if let Some(v) = self.symbols.get(s) {
                point.symbols.insert(*s, *v);
            }
        }
        let shared = |e: Expr| graph.free_symbols(&[e]).iter().all(|s| kept.contains(s));
        point.turns.extend(self.turns.iter().filter(|(e, _)| shared(**e)).map(|(e, t)| (*e, *t)));
        point.exponentials.extend(self.exponentials.iter().filter(|(e, _)| shared(**e)).map(|(e, x)| (*e, *x)));
        point
    }

    fn draw(&mut self) -> Residue {
        Residue::random(&mut self.random)
    }

    /// Rational parametrisations: unit quaternions up to scale, stereographic projection.
    fn draw_related(&mut self, relation: &Relation) {
        loop {
            match relation {
                Relation::Rotation(entries) => {
                    let q = [self.draw(), self.draw(), self.draw(), self.draw()];
                    let m = |i: usize, j: usize| q[i] * q[j];
                    let norm: Residue = [0, 1, 2, 3].iter().map(|&i| m(i, i)).sum();
                    let Some(inverse) = norm.inverse() else { continue };
                    let two = Residue::from(2);
                    let plus = |a, b| two * (a + b);
                    let minus = |a, b| two * (a - b);
                    let diagonal = |i: usize| two * (m(0, 0) + m(i, i)) - norm;
                    let rows = [
                        diagonal(1),
                        minus(m(1, 2), m(0, 3)),
                        plus(m(1, 3), m(0, 2)),
                        plus(m(1, 2), m(0, 3)),
                        diagonal(2),
                        minus(m(2, 3), m(0, 1)),
                        minus(m(1, 3), m(0, 2)),
                        plus(m(2, 3), m(0, 1)),
                        diagonal(3),
                    ];
                    for (s, v) in entries.iter().zip(rows) {
                        self.symbols.insert(*s, (v * inverse, 2.0));
                    }
                }
                Relation::UnitVector(entries) => {
                    let (a, b) = (self.draw(), self.draw());
                    let square = a * a + b * b;
                    let Some(inverse) = (Residue::ONE + square).inverse() else { continue };
                    let rows = [a + a, b + b, Residue::ONE - square];
                    for (s, v) in entries.iter().zip(rows) {
                        self.symbols.insert(*s, (v * inverse, 2.0));
                    }
                }
            }
            return;
        }
    }

    /// Gives a symbol a chosen value, before anything that contains it is evaluated.
    pub fn set(&mut self, s: Symbol, value: Residue) {
        self.symbols.insert(s, (value, 0.0));
    }

    /// The value of an expression at this point.
    pub fn value(&mut self, graph: &mut Graph, e: Expr) -> Result<Residue, NoValue> {
        self.node_value(graph, e).map(|v| v.v)
    }

    /// The value with bounds on its degrees (numerator, denominator) and whether it is loose.
    pub(crate) fn graded_value(&mut self, graph: &mut Graph, e: Expr) -> Result<(Residue, f64, f64, bool), NoValue> {
        self.node_value(graph, e).map(|v| (v.v, v.num, v.den, v.loose))
    }

    fn cached(&self, e: Expr) -> Option<Result<Value, NoValue>> {
        self.values.get(e.index()).copied().flatten()
    }

    fn node_value(&mut self, graph: &mut Graph, e: Expr) -> Result<Value, NoValue> {
        if let Some(v) = self.cached(e) {
            return v;
        }
        let mut pending = vec![e];
        while let Some(&n) = pending.last() {
            if self.cached(n).is_some() {
                pending.pop();
                continue;
            }
            let before = pending.len();
            if !matches!(graph.node(n), Node::Call(..)) {
                graph.for_each_operand(n, |o| {
                    if self.values.get(o.index()).copied().flatten().is_none() {
                        pending.push(o);
                    }
                });
            }
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let v = self.compute(graph, n);
            if self.values.len() <= n.index() {
                self.values.resize(graph.len(), None);
            }
            self.values[n.index()] = Some(v);
        }
        self.cached(e).unwrap_or(Err(NoValue::Outside))
    }

    /// The value of a node whose operands (except those of sin, cos, exp) have theirs.
    fn compute(&mut self, graph: &mut Graph, n: Expr) -> Result<Value, NoValue> {
        let operand = |point: &FieldPoint, e: Expr| point.cached(e).unwrap_or(Err(NoValue::Outside));
        match graph.node(n).clone() {
            Node::Number(r) => Ok(Value { v: residue(&r).ok_or(NoValue::Unlucky)?, num: 0.0, den: 0.0, loose: false }),
            Node::Symbol(s) => {
                if !self.symbols.contains_key(&s) {
                    let v = self.draw();
                    self.symbols.insert(s, (v, 0.0));
                }
                let (v, den) = self.symbols[&s];
                Ok(Value { v, num: den.max(1.0), den, loose: false })
            }
            Node::Sum { constant, terms } => {
                let mut v = residue(&constant).ok_or(NoValue::Unlucky)?;
                let (mut excess, mut den, mut loose) = (0f64, 0f64, false);
                for (t, r) in terms.iter() {
                    let x = operand(self, *t)?;
                    loose |= x.loose;
                    v += x.v * residue(r).ok_or(NoValue::Unlucky)?;
                    excess = excess.max(x.num - x.den);
                    den += x.den;
                }
                Ok(Value { v, num: den + excess, den, loose })
            }
            Node::Product { coefficient, factors } => {
                let mut v = residue(&coefficient).ok_or(NoValue::Unlucky)?;
                let (mut num, mut den, mut loose) = (0f64, 0f64, false);
                for (b, k) in factors.iter() {
                    let mut x = operand(self, *b)?;
                    loose |= x.loose;
                    let k = match *k {
                        Exponent { n, d: 1 } => n,
                        Exponent { n, d: 2 } if self.roots => {
                            x.v = x.v.square_root().ok_or(NoValue::Unlucky)?;
                            n
                        }
                        _ => return Err(NoValue::Outside),
                    };
                    let size = k.unsigned_abs();
                    let power = x.v.pow(size as u64);
                    if k > 0 {
                        v *= power;
                        num += x.num * size as f64;
                        den += x.den * size as f64;
                    } else {
                        v *= power.inverse().ok_or(NoValue::Unlucky)?;
                        num += x.den * size as f64;
                        den += x.num * size as f64;
                    }
                }
                Ok(Value { v, num, den, loose })
            }
            Node::Call(f @ (Function::Sin | Function::Cos), a) => {
                let mut turn = (Residue::ONE, Residue::ZERO);
                let mut degree = 0.0;
                for (atom, r) in linear_parts(graph, a).ok_or(NoValue::Outside)? {
                    let k = as_i64(&(r * int(ANGLE_UNIT))).ok_or(NoValue::Outside)?;
                    let unit = match self.turns.get(&atom) {
                        Some(&t) => t,
                        None => {
                            let t = self.draw_turn();
                            self.turns.insert(atom, t);
                            t
                        }
                    };
                    turn = turn_mul(turn, turn_pow(unit, k));
                    degree += 2.0 * (k as f64).abs();
                }
                let v = if f == Function::Sin { turn.1 } else { turn.0 };
                Ok(Value { v, num: degree, den: degree, loose: false })
            }
            Node::Call(Function::Exp, a) => {
                let (mut v, mut degree) = (Residue::ONE, 0.0);
                for (atom, r) in linear_parts(graph, a).ok_or(NoValue::Outside)? {
                    let k = as_i64(&(r * int(ANGLE_UNIT))).ok_or(NoValue::Outside)?;
                    let unit = match self.exponentials.get(&atom) {
                        Some(&x) => x,
                        None => {
                            let x = Residue::random_unit(&mut self.random);
                            self.exponentials.insert(atom, x);
                            x
                        }
                    };
                    let power = unit.pow(k.unsigned_abs());
                    v *= if k < 0 { power.inverse().ok_or(NoValue::Unlucky)? } else { power };
                    degree += (k as f64).abs();
                }
                Ok(Value { v, num: degree, den: degree, loose: false })
            }
            Node::Apply { function, args, orders } => {
                // Arguments that differ as functions agree at this point with probability
                // degree/p: the degree counts for the value too.
                let (mut at, mut num, mut loose) = (Vec::with_capacity(args.len()), 1.0, false);
                for a in args.iter() {
                    match operand(self, *a) {
                        Ok(x) => {
                            at.push(x.v.get());
                            num += x.num.max(x.den);
                            loose |= x.loose;
                        }
                        Err(NoValue::Unlucky) => return Err(NoValue::Unlucky),
                        Err(NoValue::Outside) => {
                            at.push(Residue::MODULUS + a.index() as u64);
                            loose = true;
                        }
                    }
                }
                let fresh = self.draw();
                let v = *self.applied.entry((function, orders, at)).or_insert(fresh);
                Ok(Value { v, num, den: 0.0, loose })
            }
            Node::Pi | Node::Call(Function::Log, _) | Node::Atan2(..) => Err(NoValue::Outside),
        }
    }

    /// ((1−u²)/(1+u²), 2u/(1+u²)) at a random u; 1+u² ≠ 0 since −1 is no square mod p.
    fn draw_turn(&mut self) -> Turn {
        let u = self.draw();
        let inverse = (Residue::ONE + u * u).inverse().unwrap_or(Residue::ONE);
        ((Residue::ONE - u * u) * inverse, (u + u) * inverse)
    }
}

/// Writes an argument as Σ r·(monomial in symbols), the monomials being linearly
/// independent over the rationals; `None` if it is not a polynomial.
pub(crate) fn linear_parts(graph: &mut Graph, a: Expr) -> Option<Vec<(Expr, Rational)>> {
    if !is_algebraic(graph, a) {
        return None;
    }
    let a = graph.expand(a, 200)?;
    let (constant, mut parts) = match graph.node(a) {
        Node::Number(r) => (r.clone(), vec![]),
        Node::Sum { constant, terms } => (constant.clone(), terms.to_vec()),
        Node::Product { coefficient, factors } => {
            let (r, factors) = (coefficient.clone(), factors.to_vec());
            (int(0), vec![(graph.power_product(factors), r)])
        }
        _ => (int(0), vec![(a, int(1))]),
    };
    let monomial = |g: &Graph, e: Expr| match g.node(e) {
        Node::Symbol(_) => true,
        Node::Product { factors, .. } => {
            factors.iter().all(|(b, k)| k.is_int() && k.n > 0 && matches!(g.node(*b), Node::Symbol(_)))
        }
        _ => false,
    };
    if !parts.iter().all(|(e, _)| monomial(graph, *e)) {
        return None;
    }
    if !constant.is_zero() {
        parts.push((graph.one(), constant));
    }
    Some(parts)
}

/// Is it made of symbols and numbers alone? Asked first, so that functions inside
/// functions are not expanded again and again.
fn is_algebraic(graph: &Graph, a: Expr) -> bool {
    let (mut stack, mut seen) = (vec![a], FxHashSet::default());
    while let Some(e) = stack.pop() {
        match graph.node(e) {
            Node::Number(_) | Node::Symbol(_) => {}
            Node::Sum { .. } | Node::Product { .. } => {
                if seen.insert(e) {
                    graph.for_each_operand(e, |o| stack.push(o));
                }
            }
            Node::Pi | Node::Call(..) | Node::Atan2(..) | Node::Apply { .. } => return false,
        }
    }
    true
}

/// A random state in multi-precision that respects the graph's relations.
pub fn random_state(
    graph: &Graph,
    symbols: &[Symbol],
    digits: &Digits,
    random: &mut Random,
) -> FxHashMap<Symbol, Real> {
    let mut state = FxHashMap::default();
    for relation in graph.relations() {
        let unit = |random: &mut Random, n: usize| -> Vec<Real> {
            let raw: Vec<Real> = (0..n).map(|_| digits.double(random.short(-1.0, 1.0))).collect();
            let norm = raw.iter().fold(digits.number(&int(0)), |s, x| s + x * x).sqrt();
            raw.iter().map(|x| x / &norm).collect()
        };
        match relation {
            Relation::Rotation(entries) => {
                let q = unit(random, 4);
                let m = |i: usize, j: usize| &q[i] * &q[j];
                let two = digits.number(&int(2));
                let one = digits.number(&int(1));
                let diagonal = |i: usize| (m(0, 0) + m(i, i)) * &two - &one;
                let rows = [
                    diagonal(1),
                    (m(1, 2) - m(0, 3)) * &two,
                    (m(1, 3) + m(0, 2)) * &two,
                    (m(1, 2) + m(0, 3)) * &two,
                    diagonal(2),
                    (m(2, 3) - m(0, 1)) * &two,
                    (m(1, 3) - m(0, 2)) * &two,
                    (m(2, 3) + m(0, 1)) * &two,
                    diagonal(3),
                ];
                state.extend(entries.iter().copied().zip(rows));
            }
            Relation::UnitVector(entries) => {
                state.extend(entries.iter().copied().zip(unit(random, 3)));
            }
        }
    }
    for &s in symbols {
        let (low, high) = if graph.symbols[s.0 as usize].positive { (0.4, 2.0) } else { (-1.5, 1.5) };
        let x = random.short(low, high);
        state.entry(s).or_insert_with(|| digits.double(x));
    }
    state
}

impl Graph {
    /// Is this expression zero as a function?
    pub fn decide_zero(&mut self, e: Expr) -> Verdict {
        let mut error = 1.0;
        let mut points = 0;
        let mut unlucky = 0;
        let mut seed = 1;
        while error > ERROR_BOUND {
            let mut point = FieldPoint::new(self, seed);
            seed += 1;
            match point.node_value(self, e) {
                Ok(x) if !x.v.is_zero() && x.loose => return Verdict::Undecided,
                Ok(x) if !x.v.is_zero() => {
                    return Verdict::Different(Evidence::PrimeField { points: points + 1, error: 0.0 });
                }
                Ok(x) => {
                    points += 1;
                    error *= x.num.max(1.0) / Residue::MODULUS as f64;
                    if x.num > Residue::MODULUS as f64 / 1e3 {
                        return self.decide_zero_numerically(e);
                    }
                }
                Err(NoValue::Outside) => {
                    return self.decide_zero_with_roots(e).unwrap_or_else(|| self.decide_zero_numerically(e));
                }
                Err(NoValue::Unlucky) => {
                    unlucky += 1;
                    if unlucky > 8 {
                        return Verdict::Undecided;
                    }
                }
            }
        }
        Verdict::Equal(Evidence::PrimeField { points, error })
    }

    /// By the algebra of `roots.rs`; `None` where that cannot tell.
    fn decide_zero_with_roots(&mut self, e: Expr) -> Option<Verdict> {
        let (mut error, mut points) = (1.0, 0);
        for seed in 1..=ROOT_POINTS {
            match RootPoint::new(self, seed).sign(self, e) {
                Sign::Zero(bound) if bound > 1e-3 => return None,
                Sign::Zero(bound) => {
                    points += 1;
                    error *= bound;
                }
                Sign::NotZero => {
                    return Some(Verdict::Different(Evidence::PrimeField { points: points + 1, error: 0.0 }));
                }
                Sign::Unclear(NoValue::Unlucky) => {}
                Sign::Unclear(NoValue::Outside) => return None,
            }
            if error <= ERROR_BOUND {
                return Some(Verdict::Equal(Evidence::PrimeField { points, error }));
            }
        }
        None
    }

    /// Are the two expressions the same function?
    pub fn equal(&mut self, a: Expr, b: Expr) -> Verdict {
        let difference = self.sub(a, b);
        self.decide_zero(difference)
    }

    /// What one point of a numeric comparison costs, in functions to be evaluated; at least 1.
    fn numeric_work(&self, roots: &[Expr]) -> usize {
        let tenths = |e: Expr| match self.node(e) {
            Node::Call(..) | Node::Atan2(..) => 10,
            Node::Product { factors, .. } => factors
                .iter()
                .map(|(_, k)| match k {
                    Exponent { n: -100..=100, d: 1 } => 0,
                    Exponent { n: -100..=100, d: 2 } => 1,
                    _ => 10,
                })
                .sum(),
            _ => 0,
        };
        self.reachable(roots).into_iter().map(tenths).sum::<usize>() / 10 + 1
    }

    /// |Σ v| and Σ |v| over the values of the summands.
    fn total_and_scale(
        &self,
        digits: &Digits,
        summands: &[Expr],
        state: &FxHashMap<Symbol, Real>,
    ) -> Result<(Real, Real), EvalError> {
        let values = self.evaluate(digits, summands, state)?;
        let zero = digits.number(&int(0));
        let total = values.iter().fold(zero.clone(), |s, v| s + v);
        let scale = values.iter().fold(zero, |s, v| s + digits.abs(v));
        Ok((digits.abs(&total), scale))
    }

    fn decide_zero_numerically(&mut self, e: Expr) -> Verdict {
        let (digits, more) = (Digits::decimal(NUMERIC_DIGITS), Digits::decimal(2 * NUMERIC_DIGITS));
        let summands = self.summands(e);
        let symbols = self.free_symbols(&summands);
        let tolerance = digits.double(0.5f64.powi(3 * (NUMERIC_DIGITS as i32 - 12)));
        let shrinking = digits.double(0.5f64.powi(SHRINKING_BITS));
        let mut random = Random::new(7);
        let mut points = 0;
        let tries = (NUMERIC_WORK / self.numeric_work(&summands)).min(40 * NUMERIC_POINTS as usize);
        for _ in 0..tries {
            let again = random.clone();
            let state = random_state(self, &symbols, &digits, &mut random);
            let (total, scale) = match self.total_and_scale(&digits, &summands, &state) {
                Ok(values) => values,
                Err(EvalError::Undefined(_)) => continue,
                Err(_) => return Verdict::Undecided,
            };
            if total > &scale * &tolerance {
                // A zero inside, as in log(sin² x + cos² x), shrinks with the number of digits.
                let state = random_state(self, &symbols, &more, &mut { again });
                let Ok((closer, _)) = self.total_and_scale(&more, &summands, &state) else { continue };
                if closer > total * &shrinking {
                    return Verdict::Different(Evidence::MultiPrecision {
                        digits: NUMERIC_DIGITS as u32,
                        points: points + 1,
                    });
                }
            }
            points += 1;
            if points == NUMERIC_POINTS {
                return Verdict::Equal(Evidence::MultiPrecision { digits: NUMERIC_DIGITS as u32 - 18, points });
            }
        }
        Verdict::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pythagoras(g: &mut Graph, a: Expr) -> Expr {
        let (s, c) = (g.sin(a), g.cos(a));
        let (s, c) = (g.powi(s, 2), g.powi(c, 2));
        g.add(s, c)
    }

    #[test]
    fn pythagoras_and_addition_theorems_hold_exactly() {
        let mut g = Graph::new();
        let (x, y) = (g.named("x"), g.named("y"));
        let half = g.scale(x, &crate::number::ratio(1, 2));
        let e = pythagoras(&mut g, half);
        let one = g.one();
        let Verdict::Equal(Evidence::PrimeField { error, .. }) = g.equal(e, one) else { panic!("not equal") };
        assert!(error <= ERROR_BOUND);
        let total = g.add(x, y);
        let lhs = g.sin(total);
        let (sx, cx, sy, cy) = (g.sin(x), g.cos(x), g.sin(y), g.cos(y));
        let (a, b) = (g.mul(sx, cy), g.mul(cx, sy));
        let (sum, difference) = (g.add(a, b), g.sub(a, b));
        assert!(g.equal(lhs, sum).is_equal());
        assert!(matches!(g.equal(lhs, difference), Verdict::Different(Evidence::PrimeField { .. })));
    }

    #[test]
    fn exponentials_multiply() {
        let mut g = Graph::new();
        let (x, y) = (g.named("x"), g.named("y"));
        let s = g.sub(x, y);
        let (a, b, c) = (g.exp(x), g.exp(y), g.exp(s));
        let q = g.div(a, b);
        assert!(matches!(g.equal(q, c), Verdict::Equal(Evidence::PrimeField { .. })));
    }

    #[test]
    fn roots_are_algebraic_elements() {
        let mut g = Graph::new();
        let (x, y) = (g.named("x"), g.named("y"));
        let (xx, one) = (g.powi(x, 2), g.one());
        let inner = g.add(xx, one);
        let root = g.sqrt(inner);
        // (y + √(1+x²))(y − √(1+x²)) = y² − x² − 1, and 1/(y + √) from it
        let (plus, minus) = (g.add(y, root), g.sub(y, root));
        let yy = g.powi(y, 2);
        let norm = g.sub(yy, inner);
        let quotient = g.div(minus, norm);
        let reciprocal = g.powi(plus, -1);
        let v = g.equal(quotient, reciprocal);
        assert!(matches!(v, Verdict::Equal(Evidence::PrimeField { error, .. }) if error <= ERROR_BOUND), "{v:?}");
        // a root inside of a root: √(y + √) √(y − √) squared
        let (a, b) = (g.sqrt(plus), g.sqrt(minus));
        let sum = g.add(a, b);
        let square = g.powi(sum, 2);
        let square = g.expand(square, 50).unwrap();
        let (ab, two) = (g.mul(a, b), g.int(2));
        let (cross, twice) = (g.mul(two, ab), g.mul(two, y));
        let wanted = g.add(twice, cross);
        assert!(matches!(g.equal(square, wanted), Verdict::Equal(Evidence::PrimeField { .. })));
        let wrong = g.sub(twice, cross);
        assert!(matches!(g.equal(square, wrong), Verdict::Different(Evidence::PrimeField { .. })));
        // the quick test says the same
        let mut zero = crate::ZeroTest::new(&g);
        let (good, bad) = (g.sub(square, wanted), g.sub(square, wrong));
        assert!(zero.is_zero(&mut g, good) && !zero.is_zero(&mut g, bad));
    }

    /// √(x² y) and x √y agree for x > 0, at all points or at none: whether the root mod p is the right one is a matter of luck.
    #[test]
    fn the_quick_test_does_not_guess_signs() {
        let mut g = Graph::new();
        let (sx, sy) = (g.symbol("x"), g.symbol("y"));
        let (x, y) = (g.var(sx), g.var(sy));
        let mut wrong = 0;
        for k in 1..30 {
            let k = g.int(k);
            let u = g.powi(x, 2);
            let u = g.add(u, k);
            let (uu, root) = (g.powi(u, 2), g.sqrt(y));
            let both = g.mul(uu, y);
            let both = g.expand(both, 50).unwrap();
            let (left, right) = (g.sqrt(both), g.mul(u, root));
            let difference = g.sub(left, right);
            wrong += usize::from(!crate::ZeroTest::new(&g).is_zero(&mut g, difference));
        }
        assert_eq!(wrong, 0);
    }

    #[test]
    fn roots_with_tied_signs_are_compared_numerically() {
        let mut g = Graph::new();
        let x = g.named("x");
        let square = g.powi(x, 2);
        let one = g.one();
        let inner = g.add(square, one);
        let r = g.sqrt(inner);
        let back = g.powi(r, 4);
        let q = g.powi(inner, 2);
        assert!(g.equal(back, q).is_equal());
        let absolute = g.sqrt(square);
        let v = g.equal(absolute, x);
        assert!(matches!(v, Verdict::Different(Evidence::MultiPrecision { .. })), "{v:?}: √x² is |x|");
        let (a, b) = (g.sqrt(square), g.sqrt(inner));
        let product = g.mul(a, b);
        let s = g.mul(square, inner);
        let together = g.sqrt(s);
        assert!(matches!(g.equal(product, together), Verdict::Equal(Evidence::MultiPrecision { .. })));
    }

    #[test]
    fn rotation_entries_are_orthonormal() {
        let mut g = Graph::new();
        let s: Vec<Symbol> = (0..9).map(|i| g.symbol(&format!("R[{},{}]", i / 3 + 1, i % 3 + 1))).collect();
        g.relate(Relation::Rotation(s.clone().try_into().unwrap()));
        let e: Vec<Expr> = s.iter().map(|s| g.var(*s)).collect();
        let squares: Vec<Expr> = (0..3).map(|i| g.powi(e[3 * i], 2)).collect();
        let column = g.sum(squares);
        let one = g.one();
        assert!(g.equal(column, one).is_equal());
        let (a, b) = (g.mul(e[4], e[8]), g.mul(e[5], e[7]));
        let cofactor = g.sub(a, b);
        assert!(g.equal(cofactor, e[0]).is_equal(), "the determinant is +1");
        let root = g.sqrt(column);
        assert!(g.equal(root, one).is_equal(), "also in multi-precision");
    }

    #[test]
    fn shared_points_agree_where_only_kept_symbols_matter() {
        let mut g = Graph::new();
        let (sx, sy) = (g.symbol("x"), g.symbol("y"));
        let (x, y) = (g.var(sx), g.var(sy));
        let sum = g.add(x, y);
        let (s, e, both) = (g.sin(x), g.exp(x), g.sin(sum));
        let mut first = FieldPoint::new(&g, 1);
        let here = [x, s, e, both].map(|e| first.value(&mut g, e).unwrap());
        let mut second = first.sharing(&g, &[sx], 2);
        let there = [x, s, e, both].map(|e| second.value(&mut g, e).unwrap());
        assert_eq!(here[..3], there[..3]);
        assert_ne!(here[3], there[3]);
    }

    #[test]
    fn pi_is_outside_the_field_but_decided() {
        let mut g = Graph::new();
        let pi = g.pi();
        let one = g.one();
        let a = g.atan2(one, one);
        let quarter = g.scale(pi, &crate::number::ratio(1, 4));
        assert!(g.equal(a, quarter).is_equal());
    }

    #[test]
    fn nowhere_defined_is_undecided() {
        let mut g = Graph::new();
        let (x, z) = (g.named("x"), g.zero());
        let e = g.div(x, z);
        assert_eq!(g.decide_zero(e), Verdict::Undecided);
    }
}
