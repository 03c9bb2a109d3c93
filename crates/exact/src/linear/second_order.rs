//! (L1) with two unknowns as one equation of second order, and as a Riccati equation.
//!
//! For an unknown y = e(s)·w,
//!
//! ```text
//! y′ = f·w + e·m,      f = e′ + Mᵀe,      h = f′ + Mᵀf = −P f − Q e
//! y″ + P y′ + Q y = F,      F = f·m + (e·m)′ + P e·m.                                            (S1)
//! ```
//!
//! y is one of the w or of the momenta ∂V_eff/∂w, without common factors: for the disk Ω₃ = ψ̇ + φ̇ cos θ is among them, whose equation is Legendre's. In a
//! variable z that makes P and Q rational, (S1) is p₂ y″ + p₁ y′ + p₀ y = p₂ F/z′² with polynomials in z:
//!
//! ```text
//! z = s:          as it is
//! z = cos s:      (1 − z²) y_zz − (z + P sin s) y_z + Q y,      where P sin s and Q are even in sin s
//! z = sin s:      the same with s − π/2 for s
//! z = tan(s/2):   ¼(1 + z²)² y_zz + ½(1 + z²)(z + P) y_z + Q y.
//! ```
//!
//! Of all pairs (y, z) the one with the best known equation is taken: elementary, Legendre's, hypergeometric, Heun's, Fuchsian.
//!
//! The ratio r = w₁/w₂ of a homogeneous system obeys r′ = M₁₂ + (M₁₁ − M₂₂) r − M₂₁ r².

use super::shape::Shape;
use polhode_expr::eval::Digits;
use polhode_expr::{
    AngleBasis, Expr, Function, Graph, Matrix, Node, Rates, Reading, Ring, Symbol, ZeroTest, eliminate,
};
use polhode_lower::dd;
use polhode_mechanics::System;
use polhode_poly::{Poly, gcd_many, lcm};
use polhode_special::Complex;
use polhode_special::ode::{Equation, Kind, Place, Recognised};
use polhode_tape::Dd;
use rustc_hash::FxHashMap;

/// Longer polynomials are not looked for.
const MOST_TERMS: usize = 3000;

/// The digits that coefficients are computed with before they are rounded.
const DIGITS: usize = 45;

/// A variable that makes an equation rational.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rational {
    /// z = s.
    Plain,
    /// z = cos s.
    Cosine,
    /// z = sin s.
    Sine,
    /// z = tan(s/2).
    HalfTangent,
}

impl Rational {
    const ALL: [Rational; 4] = [Rational::Plain, Rational::Cosine, Rational::Sine, Rational::HalfTangent];

    /// z and dz/ds at s.
    pub fn at(self, s: Dd) -> (Dd, Dd) {
        use polhode_tape::Scalar;
        let (sin, cos) = s.sin_cos();
        match self {
            Rational::Plain => (s, Dd::ONE),
            Rational::Cosine => (cos, -sin),
            Rational::Sine => (sin, cos),
            Rational::HalfTangent => {
                // sin/(1 + cos), as exact at all s < π
                let z = sin / (Dd::ONE + cos);
                (z, (Dd::ONE + z * z) * Dd::from(0.5))
            }
        }
    }

    /// As an expression in s.
    pub fn expression(self, graph: &mut Graph, s: Symbol) -> Expr {
        let x = graph.var(s);
        match self {
            Rational::Plain => x,
            Rational::Cosine => graph.cos(x),
            Rational::Sine => graph.sin(x),
            Rational::HalfTangent => {
                let half = graph.scale(x, &polhode_expr::number::ratio(1, 2));
                graph.tan(half)
            }
        }
    }
}

/// (S1) for the best pair of unknown and variable.
#[derive(Clone, Debug)]
pub struct SecondOrder {
    /// e with y = e·w.
    pub covector: Vec<Expr>,
    /// y in the w.
    pub unknown: Expr,
    /// P and Q in s.
    pub in_s: [Expr; 2],
    /// F in s.
    pub right: Expr,
    /// Where P and Q become rational.
    pub rational: Option<InRational>,
}

/// (S1) with polynomials.
#[derive(Clone, Debug)]
pub struct InRational {
    /// z.
    pub variable: Rational,
    /// The letter for z: s itself where z = s.
    pub symbol: Symbol,
    /// The coefficients of p₂, p₁, p₀, those of the constant terms first, in the parameters.
    pub coefficients: [Vec<Expr>; 3],
    /// p₂, p₁, p₀.
    pub polynomials: [Expr; 3],
    /// With the values of the parameters.
    pub equation: Equation<Dd>,
    /// Which equation it is.
    pub recognised: Recognised<Dd>,
}

/// r′ = a + b r + c r² for r = w₁/w₂.
#[derive(Clone, Debug)]
pub struct Riccati {
    /// a, b, c in s.
    pub coefficients: [Expr; 3],
}

impl InRational {
    /// Whether all exponents at finite singular points are zero: solutions are Legendre functions themselves, without powers.
    pub(super) fn is_plain(&self) -> bool {
        self.equation.singular_points().iter().all(|p| match p.place {
            Place::Finite(_) => p.exponents.iter().all(|r| *r == Complex::default()),
            Place::Infinity => true,
        })
    }

    /// The smaller, the better known.
    fn score(&self) -> usize {
        let legendre = matches!(&self.recognised, Recognised::Legendre { order, .. } if *order == Complex::default());
        if legendre && self.is_plain() { 1 } else { score(&self.recognised) }
    }
}

impl SecondOrder {
    /// The equation in another variable, where that is rational.
    pub fn in_variable(&self, system: &mut System, shape: &Shape, variable: Rational) -> Option<InRational> {
        in_variable(system, shape.variable, self.in_s, variable)
    }
}

/// The Riccati equation of a homogeneous system of two.
pub fn riccati(system: &mut System, shape: &Shape) -> Option<Riccati> {
    if shape.unknowns.len() != 2 || !shape.is_homogeneous(&system.graph) {
        return None;
    }
    let m = &shape.matrix;
    let middle = system.graph.sub(m[(0, 0)], m[(1, 1)]);
    let last = system.graph.neg(m[(1, 0)]);
    let coefficients = [m[(0, 1)], middle, last].map(|e| simple(system, e));
    Some(Riccati { coefficients })
}

/// (S1) of a system of two, where no unknown is by itself.
pub fn second_order(system: &mut System, shape: &Shape) -> Option<SecondOrder> {
    if shape.unknowns.len() != 2 {
        return None;
    }
    let mut best: Option<((usize, usize), SecondOrder)> = None;
    for covector in covectors(system, shape) {
        let Some(found) = second_order_for(system, shape, &covector) else { continue };
        // at special values of the parameters several have the same name: the shortest formulas are those of all values
        let name = found.rational.as_ref().map_or(usize::MAX, InRational::score);
        let shown = found.rational.as_ref().map_or(found.in_s.to_vec(), |r| r.polynomials.to_vec());
        let score = (name, system.graph.reachable(&shown).len());
        if best.as_ref().is_none_or(|(s, _)| score < *s) {
            best = Some((score, found));
        }
    }
    best.map(|(_, found)| found)
}

/// The same by name alone.
fn score(recognised: &Recognised<Dd>) -> usize {
    match recognised {
        Recognised::Elementary => 0,
        Recognised::Hypergeometric { .. } => 2,
        Recognised::Legendre { .. } => 3,
        Recognised::Heun { apparent, in_square, .. } => match in_square {
            Some(inner) => 4 + score(inner),
            None => 20 - apparent,
        },
        Recognised::Fuchsian { points, apparent, in_square } => match in_square {
            Some(inner) => 5 + score(inner),
            None => 40 + 10 * points - apparent,
        },
        Recognised::Irregular => 1000,
    }
}

/// Candidates for e: the w themselves, and the momenta ∂V_eff/∂w.
fn covectors(system: &mut System, shape: &Shape) -> Vec<Vec<Expr>> {
    let symbols: Vec<Symbol> = shape.unknowns.iter().map(|u| u.symbol).collect();
    let graph = &mut system.graph;
    let (zero, one) = (graph.zero(), graph.one());
    let mut out = vec![vec![one, zero], vec![zero, one]];
    for s in &symbols {
        let slope = graph.derivative(shape.potential, *s);
        let row: Vec<Expr> = symbols.iter().map(|t| graph.derivative(slope, *t)).collect();
        let row = graph.primitive_vector(&row);
        let row: Vec<Expr> = row.into_iter().map(|e| graph.simplify_small(e)).collect();
        if row.iter().any(|e| !graph.is_zero(*e)) && !out.contains(&row) {
            out.push(row);
        }
    }
    out
}

fn simple(system: &mut System, e: Expr) -> Expr {
    let reading = Reading { parameters: system.parameters.clone() };
    system.graph.simplify(e, &reading)
}

/// (S1) for y = e·w; `None` where y obeys an equation of first order.
pub fn second_order_for(system: &mut System, shape: &Shape, e: &[Expr]) -> Option<SecondOrder> {
    let s = shape.variable;
    let transposed = shape.matrix.transpose();
    let carried = |system: &mut System, row: &[Expr]| -> Vec<Expr> {
        let graph = &mut system.graph;
        let moved = transposed.mul_vec(graph, row);
        let sums: Vec<Expr> = row
            .iter()
            .zip(moved)
            .map(|(r, m)| {
                let slope = graph.derivative(*r, s);
                graph.add(slope, m)
            })
            .collect();
        sums.into_iter().map(|e| simple(system, e)).collect()
    };
    let f = carried(system, e);
    let h = carried(system, &f);
    // h = −P f − Q e
    let a = Matrix::from_fn(2, 2, |i, j| if j == 0 { f[i] } else { e[i] });
    let b = Matrix::from_fn(2, 1, |i, _| h[i]);
    let mut zero = ZeroTest::new(&system.graph);
    let solved = eliminate(&mut system.graph, &mut zero, &a, &b, |g, _, e| g.reachable(&[e]).len());
    if solved.pivots.len() < 2 {
        return None;
    }
    let mut in_s = [system.graph.zero(); 2];
    for (row, p) in solved.pivots.iter().enumerate() {
        let minus = system.graph.neg(solved.solution[(row, 0)]);
        in_s[*p] = simple(system, minus);
    }
    let w: Vec<Expr> = shape.unknowns.iter().map(|u| system.graph.var(u.symbol)).collect();
    let unknown = dot(&mut system.graph, e, &w);
    let unknown = simple(system, unknown);
    let right = {
        let graph = &mut system.graph;
        let em = dot(graph, e, &shape.affine);
        let fm = dot(graph, &f, &shape.affine);
        let slope = graph.derivative(em, s);
        let last = graph.mul(in_s[0], em);
        let sum = graph.sum([fm, slope, last]);
        simple(system, sum)
    };
    let rational = rational(system, s, in_s);
    Some(SecondOrder { covector: e.to_vec(), unknown, in_s, right, rational })
}

fn dot(graph: &mut Graph, a: &[Expr], b: &[Expr]) -> Expr {
    let parts: Vec<Expr> = a.iter().zip(b).map(|(a, b)| graph.mul(*a, *b)).collect();
    graph.sum(parts)
}

/// (S1) in the best of the variables.
fn rational(system: &mut System, s: Symbol, in_s: [Expr; 2]) -> Option<InRational> {
    let mut best: Option<(usize, InRational)> = None;
    for variable in Rational::ALL {
        let Some(found) = in_variable(system, s, in_s, variable) else { continue };
        let score = found.score();
        if best.as_ref().is_none_or(|(s, _)| score < *s) {
            best = Some((score, found));
        }
        // a plain variable has no rival, and a half-angle is for what cosines and sines cannot do
        if matches!(variable, Rational::Plain | Rational::Sine) && best.is_some() {
            break;
        }
    }
    best.map(|(_, found)| found)
}

/// y_zz + P_z y_z + Q_z y with the place of z in the expressions.
fn transformed(graph: &mut Graph, s: Symbol, [p, q]: [Expr; 2], variable: Rational) -> ([Expr; 2], Expr) {
    let x = graph.var(s);
    let (sin, cos) = (graph.sin(x), graph.cos(x));
    let one = graph.one();
    match variable {
        Rational::Plain => ([p, q], x),
        Rational::Cosine | Rational::Sine => {
            let [p, q] = if variable == Rational::Sine {
                // s = x + π/2: sin s = cos x, cos s = −sin x
                let minus = graph.neg(sin);
                let turned =
                    graph.rebuild(&[p, q], |_, n| if n == sin { Some(cos) } else { (n == cos).then_some(minus) });
                [turned[0], turned[1]]
            } else {
                [p, q]
            };
            let square = graph.powi(cos, 2);
            let below = graph.sub(one, square);
            let ps = graph.mul(p, sin);
            let sum = graph.add(cos, ps);
            let ratio = graph.div(sum, below);
            let first = graph.neg(ratio);
            ([first, graph.div(q, below)], cos)
        }
        Rational::HalfTangent => {
            let t = graph.named("half_tangent");
            let square = graph.powi(t, 2);
            let below = graph.add(one, square);
            let two_t = graph.scale(t, &polhode_expr::number::int(2));
            let difference = graph.sub(one, square);
            let (sine, cosine) = (graph.div(two_t, below), graph.div(difference, below));
            let put = graph.rebuild(&[p, q], |_, n| if n == sin { Some(sine) } else { (n == cos).then_some(cosine) });
            let sum = graph.add(t, put[0]);
            let ratio = graph.div(sum, below);
            let first = graph.scale(ratio, &polhode_expr::number::int(2));
            let four = graph.scale(put[1], &polhode_expr::number::int(4));
            let square = graph.powi(below, 2);
            ([first, graph.div(four, square)], t)
        }
    }
}

/// (S1) in one of the variables, where that is rational.
fn in_variable(system: &mut System, s: Symbol, in_s: [Expr; 2], variable: Rational) -> Option<InRational> {
    let trigonometric = |graph: &Graph| {
        graph
            .reachable(&in_s)
            .into_iter()
            .any(|n| matches!(graph.node(n), Node::Call(Function::Sin | Function::Cos, _)))
    };
    if (variable == Rational::Plain) == trigonometric(&system.graph) {
        return None;
    }
    let (pair, atom) = transformed(&mut system.graph, s, in_s, variable);
    let graph = &mut system.graph;
    let mut ring = Ring::new(graph, &pair, AngleBasis::Symbols, MOST_TERMS).ok()?;
    let fractions = ring.fractions(graph, &pair).ok()?;
    let [(n1, d1), (n0, d0)] = [fractions[0].normal(&ring).ok()?, fractions[1].normal(&ring).ok()?];
    let p2 = lcm(&d1, &d0).ok()?;
    let times = |n: &Poly, d: &Poly| -> Option<Poly> { n.mul(&p2.div_exact(d)?).ok() };
    let mut p = [p2.clone(), times(&n1, &d1)?, times(&n0, &d0)?];
    let common = gcd_many(p.iter());
    if !common.is_zero() {
        for q in &mut p {
            *q = q.div_exact(&common)?;
        }
    }
    let place = ring.atoms().iter().position(|a| *a == atom);
    // nothing but z and parameters
    for (i, a) in ring.atoms().to_vec().into_iter().enumerate() {
        let parameter = graph.as_symbol(a).is_some_and(|x| x != s);
        if p.iter().any(|q| q.degree(i) > 0) && Some(i) != place && !parameter {
            return None;
        }
    }
    let coefficients = p.map(|q| -> Vec<Expr> {
        let parts = match place {
            Some(v) => q.coefficients_in(v),
            None => vec![q],
        };
        parts.iter().map(|c| ring.expand_to_expr(graph, c)).collect()
    });
    let symbol = if variable == Rational::Plain { s } else { graph.symbol("z") };
    let mut coefficients = coefficients;
    let mut numbers = numbers(system, &coefficients)?;
    if numbers[0].iter().find(|c| **c != Dd::ZERO).is_some_and(|c| *c < Dd::ZERO) {
        // p₂ begins with a positive coefficient
        for c in coefficients.iter_mut().flatten() {
            *c = system.graph.neg(*c);
        }
        numbers.iter_mut().flatten().for_each(|c| *c = -*c);
    }
    let graph = &mut system.graph;
    let polynomials = coefficients.clone().map(|c| {
        let z = graph.var(symbol);
        let parts: Vec<Expr> = c
            .iter()
            .enumerate()
            .map(|(k, c)| {
                let power = graph.powi(z, k as i32);
                graph.mul(*c, power)
            })
            .collect();
        graph.sum(parts)
    });
    let equation = Equation::new(&numbers[0], &numbers[1], &numbers[2]).ok()?;
    let recognised = equation.recognise();
    Some(InRational { variable, symbol, coefficients, polynomials, equation, recognised })
}

/// The coefficients at the values of the parameters.
fn numbers(system: &mut System, coefficients: &[Vec<Expr>; 3]) -> Option<[Vec<Dd>; 3]> {
    let values = system.model.parameter_digits().ok()?;
    let arithmetic = Digits::decimal(DIGITS);
    let mut out: [Vec<Dd>; 3] = Default::default();
    for (list, c) in out.iter_mut().zip(coefficients) {
        *list = system.graph.evaluate(&arithmetic, c, &values).ok()?.iter().map(dd).collect();
    }
    Some(out)
}

/// Whether a point of the equation is one where solutions branch.
pub(super) fn branches(kind: Kind) -> bool {
    !matches!(kind, Kind::Ordinary | Kind::Apparent)
}

/// Rates of s and w along (L1), by s.
pub(super) fn along_s(system: &mut System, shape: &Shape) -> Rates {
    let graph = &mut system.graph;
    let w: Vec<Expr> = shape.unknowns.iter().map(|u| graph.var(u.symbol)).collect();
    let slopes = shape.matrix.mul_vec(graph, &w);
    let mut out: FxHashMap<Symbol, Expr> = FxHashMap::default();
    for ((u, slope), m) in shape.unknowns.iter().zip(slopes).zip(&shape.affine) {
        out.insert(u.symbol, graph.add(slope, *m));
    }
    out.insert(shape.variable, graph.one());
    out
}
