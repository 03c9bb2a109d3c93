//! The variables that make an equation of second order rational, and the equation in them.

use super::score;
use crate::budget::RATIONAL_TERMS;
use polhode_expr::eval::Digits;
use polhode_expr::number::{Rational as Exact, int, is_negative, to_f64};
use polhode_expr::{AngleBasis, Expr, Function, Graph, Node, Reading, Ring, Symbol};
use polhode_lower::dd;
use polhode_mechanics::System;
use polhode_mechanics::rank::parameter_values;
use polhode_poly::{Poly, factor, gcd_many, lcm};
use polhode_special::Complex;
use polhode_special::ode::{Equation, Place, Recognised, Sum};
use polhode_tape::Dd;

/// The digits that coefficients are computed with before they are rounded.
const DIGITS: usize = 45;

/// Those of an equation whose factors are known: more than its 256 bits.
const MANY_DIGITS: usize = 90;

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
    /// p₂F/z′², the right side, where it is a function of z.
    pub right: Option<Expr>,
    /// With the values of the parameters.
    pub equation: Equation<Dd>,
    /// Which equation it is.
    pub recognised: Recognised<Dd>,
}

impl InRational {
    /// Whether all exponents at finite singular points are zero: solutions are Legendre functions themselves, without powers.
    pub(in crate::linear) fn is_plain(&self) -> bool {
        self.equation.singular_points().iter().all(|p| match p.place {
            Place::Finite(_) => p.exponents.iter().all(|r| *r == Complex::default()),
            Place::Infinity => true,
        })
    }

    /// The smaller, the better known.
    pub(super) fn score(&self) -> usize {
        let legendre = matches!(&self.recognised, Recognised::Legendre { order, .. } if *order == Complex::default());
        if legendre && self.is_plain() { 1 } else { score(&self.recognised) }
    }
}

/// (S1) in the best of the variables.
pub(super) fn rational(system: &mut System, s: Symbol, in_s: [Expr; 2], right: Expr) -> Option<InRational> {
    let mut best: Option<(usize, InRational)> = None;
    for variable in Rational::ALL {
        let Some(found) = in_variable(system, s, in_s, right, variable) else { continue };
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

/// p₂, p₁, p₀ without a common factor, and the place of z among the variables of the ring.
struct Polynomials {
    ring: Ring,
    p: [Poly; 3],
    place: Option<usize>,
}

fn polynomials(system: &mut System, s: Symbol, in_s: [Expr; 2], variable: Rational) -> Option<Polynomials> {
    let graph = &mut system.graph;
    let (pair, atom) = transformed(graph, s, in_s, variable);
    let mut ring = Ring::new(graph, &pair, AngleBasis::Symbols, RATIONAL_TERMS).ok()?;
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
    // nothing but z, parameters and numbers
    for (i, a) in ring.atoms().to_vec().into_iter().enumerate() {
        let known = graph.as_symbol(a).is_some_and(|x| x != s) || graph.free_symbols(&[a]).is_empty();
        if p.iter().any(|q| q.degree(i) > 0) && Some(i) != place && !known {
            return None;
        }
    }
    Some(Polynomials { ring, p, place })
}

/// The equation at the values of the parameters, its p₂ factored without rounding: which singular points there are, and how often each is a root,
/// is decided over ℚ and the irrational numbers among the values.
fn at_values(system: &mut System, s: Symbol, in_s: [Expr; 2], variable: Rational) -> Option<Equation<Dd>> {
    let values = parameter_values(system);
    let put = system.graph.substitute_all(&in_s, &values);
    let Polynomials { ring, p, place } = polynomials(system, s, [put[0], put[1]], variable)?;
    let place = place?;
    let graph = &mut system.graph;
    let mut listed = |q: &Poly| -> Option<Vec<Exact>> {
        let parts: Vec<Expr> = q.coefficients_in(place).iter().map(|c| ring.expand_to_expr(graph, c)).collect();
        let arithmetic = Digits::decimal(MANY_DIGITS);
        let numbers = graph.evaluate(&arithmetic, &parts, &Default::default()).ok()?;
        Some(numbers.iter().map(|x| arithmetic.exact(x)).collect())
    };
    let factors: Vec<(Vec<Sum>, usize)> = (factor(&p[0]).factors.iter())
        .filter(|(f, _)| f.degree(place) > 0)
        .map(|(f, n)| Some((sums(&[listed(f)?]).remove(0), *n as usize)))
        .collect::<Option<_>>()?;
    let p: Vec<Vec<Exact>> = p.iter().map(&mut listed).collect::<Option<_>>()?;
    let p = sums(&p);
    let equation = Equation::factored([&p[0], &p[1], &p[2]], &factors).ok()?;
    // irrational values may have relations that the ring does not know
    equation.has_simple_factors().then_some(equation)
}

/// Numbers of which one has the modulus 1, in doubles.
fn sums(lists: &[Vec<Exact>]) -> Vec<Vec<Sum>> {
    let modulus = |x: &Exact| if is_negative(x) { -x.clone() } else { x.clone() };
    let largest = lists.iter().flatten().map(modulus).max().filter(|x| *x != int(0)).unwrap_or_else(|| int(1));
    let arithmetic = Digits::decimal(MANY_DIGITS);
    let sum = |x: &Exact| -> Sum {
        let mut rest = x.clone() / largest.clone();
        let mut out = [0.0; 6];
        for part in &mut out {
            *part = to_f64(&rest);
            rest -= arithmetic.exact(&arithmetic.double(*part));
        }
        out
    };
    lists.iter().map(|list| list.iter().map(sum).collect()).collect()
}

/// (S1) in one of the variables, where that is rational.
pub(super) fn in_variable(
    system: &mut System,
    s: Symbol,
    in_s: [Expr; 2],
    right: Expr,
    variable: Rational,
) -> Option<InRational> {
    let trigonometric = |graph: &Graph| {
        graph
            .reachable(&in_s)
            .into_iter()
            .any(|n| matches!(graph.node(n), Node::Call(Function::Sin | Function::Cos, _)))
    };
    if (variable == Rational::Plain) == trigonometric(&system.graph) {
        return None;
    }
    let Polynomials { ring, p, place } = polynomials(system, s, in_s, variable)?;
    let graph = &mut system.graph;
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
    let equation = at_values(system, s, in_s, variable)
        .map_or_else(|| Equation::new(&numbers[0], &numbers[1], &numbers[2]).ok(), Some)?;
    let recognised = equation.recognise();
    let right = right_side(system, s, right, variable, (symbol, polynomials[0]));
    Some(InRational { variable, symbol, coefficients, polynomials, right, equation, recognised })
}

/// p₂F/z′² as a function of z.
fn right_side(
    system: &mut System,
    s: Symbol,
    right: Expr,
    variable: Rational,
    (symbol, p2): (Symbol, Expr),
) -> Option<Expr> {
    let graph = &mut system.graph;
    if graph.is_zero(right) {
        return Some(right);
    }
    // F and Q change in the same way
    let zero = graph.zero();
    let ([_, over], atom) = transformed(graph, s, [zero, right], variable);
    let mut ring = Ring::new(graph, &[over], AngleBasis::Symbols, RATIONAL_TERMS).ok()?;
    let (above, below) = ring.fractions(graph, &[over]).ok()?[0].normal(&ring).ok()?;
    let (above, below) = (ring.expand_to_expr(graph, &above), ring.expand_to_expr(graph, &below));
    let quotient = graph.div(above, below);
    let z = graph.var(symbol);
    let in_z = graph.rebuild(&[quotient], |_, n| (n == atom).then_some(z))[0];
    if variable != Rational::Plain && graph.free_symbols(&[in_z]).contains(&s) {
        return None;
    }
    let product = graph.mul(p2, in_z);
    let reading = Reading { parameters: system.parameters.clone() };
    Some(system.graph.simplify(product, &reading))
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
