//! The functions among which integrals are looked for, and linear algebra over F_p that finds them.
//!
//! ```text
//! h = Σ_m c_m φ_m(q, t),      X(h) = 0 at random points for every X in ker A                 (1)
//! ```
//!
//! is linear in the numbers c_m. The solutions mod p are lifted to fractions, and every function so found is checked again at other
//! points. φ_m are products of powers of *generators*: coordinates, sines and cosines of angles,
//! entries of rotations, whatever functions occur in the constraints, one denominator, logarithms.

use super::budget::{INTEGRAL_COEFFICIENT, INTEGRAL_TERMS, SHORTENED_INTEGRALS};
use super::flag::Forms;
use polhode_expr::field::{echelon, rational};
use polhode_expr::number::{Rational, as_i64, ratio};
use polhode_expr::{Exponent, Expr, Graph, Rates, Symbol};
use polhode_mechanics::rank::field::{Field, Residue, Span};
use polhode_mechanics::rank::place::{Place, Values};

/// Equations beyond the number of unknowns, so that what solves them all is no accident.
pub(super) const SPARE_EQUATIONS: usize = 12;

/// A product of powers of generators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// Generators with exponents.
    pub(super) factors: Vec<(usize, i32)>,
    /// What terms are sorted by: simple ones first.
    pub(super) degree: u32,
    /// Not defined everywhere, or not the same after a full turn.
    pub(super) local: bool,
}

/// The generators at one random point: values, and derivatives along a frame of the kernel.
pub(super) struct Sample {
    values: Vec<Residue>,
    slopes: Vec<Vec<Residue>>,
}

/// A symbol for a function whose derivatives are known: a logarithm, or an arc tangent, whose formula has a root that F_p lacks.
#[derive(Clone, Debug)]
pub(super) struct StandIn {
    pub(super) symbol: Symbol,
    pub(super) meaning: Expr,
    /// Its derivatives along the base frame, and along time.
    pub(super) gradient: Vec<Expr>,
}

/// Generators with their derivatives along the base frame.
pub(super) struct Generators {
    pub(super) expressions: Vec<Expr>,
    gradients: Vec<Vec<Expr>>,
    stand_ins: Vec<StandIn>,
}

/// The derivatives of a function along the fields of the base frame, and along time.
pub(super) fn gradient(graph: &mut Graph, forms: &Forms, e: Expr) -> Vec<Expr> {
    gradient_with(graph, forms, e, &[])
}

/// [`gradient`] of a function that may contain stand-ins.
fn gradient_with(graph: &mut Graph, forms: &Forms, e: Expr, stand_ins: &[StandIn]) -> Vec<Expr> {
    let n = forms.configuration.velocities().len();
    let (zero, one) = (graph.zero(), graph.one());
    let mut out = Vec::with_capacity(n + 1);
    for a in 0..n {
        let unit: Vec<Expr> = (0..n).map(|k| if k == a { one } else { zero }).collect();
        let mut rates = forms.configuration.rates_along(graph, &unit);
        rates.extend(stand_ins.iter().map(|s| (s.symbol, s.gradient[a])));
        out.push(graph.along(e, &rates));
    }
    if let Some(t) = forms.time {
        let mut rates = Rates::from_iter([(t, one)]);
        rates.extend(stand_ins.iter().map(|s| (s.symbol, s.gradient[n])));
        out.push(graph.along(e, &rates));
    }
    out
}

impl Generators {
    pub(super) fn new(graph: &mut Graph, forms: &Forms, expressions: Vec<Expr>) -> Generators {
        Generators::with_stand_ins(graph, forms, expressions, Vec::new())
    }

    /// Generators some of which are stand-ins, or contain them.
    pub(super) fn with_stand_ins(
        graph: &mut Graph,
        forms: &Forms,
        expressions: Vec<Expr>,
        stand_ins: Vec<StandIn>,
    ) -> Generators {
        let gradients = expressions.iter().map(|e| gradient_with(graph, forms, *e, &stand_ins)).collect();
        Generators { expressions, gradients, stand_ins }
    }

    /// Σ c φ, scaled so that the coefficients are whole numbers.
    pub(super) fn combination(&self, graph: &mut Graph, used: &[(&Term, Rational)]) -> Expr {
        let scale = common_scale(used.iter().map(|(_, c)| c));
        let items: Vec<(Expr, Rational)> = used
            .iter()
            .map(|(t, c)| {
                let factors: Vec<_> =
                    t.factors.iter().map(|(g, k)| (self.expressions[*g], Exponent::int(*k))).collect();
                (graph.power_product(factors), c * &scale)
            })
            .collect();
        graph.linear(items)
    }

    /// Number of nodes behind the generators and their derivatives.
    pub(super) fn nodes(&self, graph: &Graph) -> usize {
        let roots: Vec<Expr> = self.expressions.iter().chain(self.gradients.iter().flatten()).copied().collect();
        graph.reachable(&roots).len()
    }

    fn sample(&self, graph: &mut Graph, forms: &Forms, place: &Place) -> Option<Sample> {
        let mut at = Values::<Residue>::new(graph, place);
        let frame = kernel(graph, forms, &mut at)?;
        self.sample_along(graph, &mut at, &frame)
    }

    /// The generators at a point, with their derivatives along vectors.
    pub(super) fn sample_along(
        &self,
        graph: &mut Graph,
        at: &mut Values<Residue>,
        frame: &[Vec<Residue>],
    ) -> Option<Sample> {
        let mut values = Vec::new();
        let mut slopes = vec![Vec::new(); frame.len()];
        for (e, gradient) in self.expressions.iter().zip(&self.gradients) {
            values.push(at.value(graph, *e).ok()?);
            let gradient: Vec<Residue> = gradient.iter().map(|d| at.value(graph, *d).ok()).collect::<Option<_>>()?;
            for (x, slopes) in frame.iter().zip(&mut slopes) {
                slopes.push(dot(x, &gradient));
            }
        }
        Some(Sample { values, slopes })
    }
}

pub(super) fn dot(a: &[Residue], b: &[Residue]) -> Residue {
    a.iter().zip(b).map(|(x, y)| *x * *y).sum()
}

/// A frame of the kernel of the forms at a place.
fn kernel(graph: &mut Graph, forms: &Forms, at: &mut Values<Residue>) -> Option<Vec<Vec<Residue>>> {
    let rows = forms.values(graph, at).ok()?;
    let n = rows.first().map_or(0, Vec::len);
    Some(echelon(rows, n).null_space())
}

/// A function found by (1).
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) expression: Expr,
    pub(super) gradient: Vec<Expr>,
    pub(super) cost: (usize, u32, bool, bool),
}

/// All independent solutions of (1) with small rational coefficients.
pub(super) fn solve(
    graph: &mut Graph,
    forms: &Forms,
    generators: &Generators,
    mut terms: Vec<Term>,
    place: &Place,
) -> Vec<Found> {
    if terms.len() > INTEGRAL_TERMS {
        return Vec::new();
    }
    terms.sort_by_key(|t| (t.degree, t.factors.len(), t.local));
    let mut rows: Vec<Vec<Residue>> = Vec::new();
    let mut failures = 0;
    let mut seed = place.seed;
    while rows.len() < terms.len() + SPARE_EQUATIONS {
        seed += 1;
        let here = Place { seed, ..place.clone() };
        let Some(sample) = generators.sample(graph, forms, &here) else {
            failures += 1;
            if failures > 60 + 4 * terms.len() {
                return Vec::new();
            }
            continue;
        };
        if sample.slopes.is_empty() {
            // nothing can move, and everything is an integral
            break;
        }
        rows.extend(sample.slopes(&terms).unwrap_or_default());
    }
    let mut out: Vec<Found> = Vec::new();
    let lifted = echelon(rows, terms.len())
        .null_space()
        .into_iter()
        .filter_map(|v| v.iter().map(|x| rational(*x, INTEGRAL_COEFFICIENT)).collect());
    for coefficients in shortened(lifted.collect()) {
        let used: Vec<(&Term, Rational)> = terms.iter().zip(coefficients).filter(|(_, c)| !c.is_zero()).collect();
        let expression = generators.combination(graph, &used);
        let gradient = gradient_with(graph, forms, expression, &generators.stand_ins);
        let meanings: Rates = generators.stand_ins.iter().map(|s| (s.symbol, s.meaning)).collect();
        let expression = graph.substitute(expression, &meanings);
        let local = used.iter().any(|(t, _)| t.local);
        let degree = used.iter().map(|(t, _)| t.degree).max().unwrap_or(0);
        // a coordinate that stands still, even an angle, says more than its cosine
        let cost = (used.len(), degree, graph.as_symbol(expression).is_none(), local);
        out.push(Found { expression, gradient, cost });
    }
    out.sort_by_key(|f| f.cost);
    out
}

/// Solutions combined with each other while that makes them shorter: 2x² + y² instead of y² − 4x + 4z beside x² + 2x − 2z.
fn shortened(mut vectors: Vec<Vec<Rational>>) -> Vec<Vec<Rational>> {
    let length = |v: &[Rational]| v.iter().filter(|c| !c.is_zero()).count();
    if vectors.len() > SHORTENED_INTEGRALS {
        return vectors;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for i in 0..vectors.len() {
            for j in (0..vectors.len()).filter(|j| *j != i) {
                let shared = (0..vectors[i].len()).filter(|t| !vectors[i][*t].is_zero() && !vectors[j][*t].is_zero());
                let without = |t: usize| -> Vec<Rational> {
                    let c = &vectors[i][t] / &vectors[j][t];
                    vectors[i].iter().zip(&vectors[j]).map(|(a, b)| a - &c * b).collect()
                };
                if let Some(best) = shared.map(without).min_by_key(|v| length(v))
                    && length(&best) < length(&vectors[i])
                {
                    vectors[i] = best;
                    changed = true;
                }
            }
        }
    }
    vectors
}

/// The factor that makes fractions whole numbers without a common divisor, the first of them positive.
fn common_scale<'a>(coefficients: impl Iterator<Item = &'a Rational> + Clone) -> Rational {
    let whole = |r: &Rational| as_i64(r).unwrap_or(1);
    let numerator = |r: &Rational| whole(&Rational::from(r.numerator().clone()));
    let denominator = |r: &Rational| numerator(&(Rational::from(r.numerator().clone()) / r));
    let gcd = |mut a: i64, mut b: i64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    };
    let divisor = coefficients.clone().fold(0, |g, c| gcd(g, numerator(c)));
    let multiple = coefficients.clone().fold(1i64, |l, c| {
        let d = denominator(c);
        l.checked_mul(d / gcd(l, d).max(1)).unwrap_or(l)
    });
    let sign = if coefficients.clone().next().is_some_and(|c| numerator(c) < 0) { -1 } else { 1 };
    ratio(sign * multiple, divisor.max(1))
}

/// Lowest and highest exponents of generators in terms.
pub(super) const EXPONENTS: std::ops::RangeInclusive<i32> = -3..=12;

impl Sample {
    /// X(φ) of products of powers, for each field X of the frame: φ Σ k X(g)/g over the factors g^k.
    fn slopes(&self, terms: &[Term]) -> Option<Vec<Vec<Residue>>> {
        Some(self.values_and_slopes(terms)?.1)
    }

    /// φ and X(φ).
    pub(super) fn values_and_slopes(&self, terms: &[Term]) -> Option<(Vec<Residue>, Vec<Vec<Residue>>)> {
        let inverses: Vec<Residue> = self.values.iter().map(|v| v.inverse()).collect::<Option<_>>()?;
        let powers = |v: Residue, inverse: Residue| -> Vec<Residue> {
            let power = |k: i32| {
                let base = if k < 0 { inverse } else { v };
                (0..k.unsigned_abs()).fold(Residue::ONE, |p, _| p.times(base))
            };
            EXPONENTS.map(power).collect()
        };
        let table: Vec<Vec<Residue>> = self.values.iter().zip(&inverses).map(|(v, i)| powers(*v, *i)).collect();
        let number = |k: i32| {
            let n = Residue::new(u64::from(k.unsigned_abs()));
            if k < 0 { n.minus() } else { n }
        };
        let mut rows = vec![Vec::with_capacity(terms.len()); self.slopes.len()];
        let rates: Vec<Vec<Residue>> =
            self.slopes.iter().map(|s| s.iter().zip(&inverses).map(|(x, i)| x.times(*i)).collect()).collect();
        let mut values = Vec::with_capacity(terms.len());
        for t in terms {
            let value =
                t.factors.iter().fold(Residue::ONE, |v, (g, k)| v.times(table[*g][(k - EXPONENTS.start()) as usize]));
            for (row, rates) in rows.iter_mut().zip(&rates) {
                let rate = t.factors.iter().fold(Residue::ZERO, |r, (g, k)| r.plus(rates[*g].times(number(*k))));
                row.push(value.times(rate));
            }
            values.push(value);
        }
        Some((values, rows))
    }
}

/// Points at which a function must be constant along the kernel before it is called an integral.
const CHECKS: u64 = 4;

/// Is the function constant along the kernel, at points that were not used to find it?
pub(super) fn is_integral(graph: &mut Graph, forms: &Forms, gradient: &[Expr], place: &Place) -> bool {
    let (mut passed, mut seed) = (0, place.seed + 1_000_000);
    while passed < CHECKS {
        seed += 1;
        if seed > place.seed + 1_000_200 {
            return false;
        }
        let here = Place { seed, ..place.clone() };
        let mut at = Values::new(graph, &here);
        let Some(frame) = kernel(graph, forms, &mut at) else { continue };
        let Some(gradient) = values(graph, gradient, &mut at) else { continue };
        if frame.iter().any(|x| dot(x, &gradient) != Residue::ZERO) {
            return false;
        }
        passed += 1;
    }
    true
}

/// The values of expressions at a place.
pub(super) fn values(graph: &mut Graph, e: &[Expr], at: &mut Values<Residue>) -> Option<Vec<Residue>> {
    e.iter().map(|d| at.value(graph, *d).ok()).collect()
}

/// Functions with independent differentials, by their gradients at random points.
pub(super) struct Independent {
    place: Place,
    /// Gradients of the functions so far.
    gradients: Vec<Vec<Expr>>,
}

impl Independent {
    pub(super) fn new(place: &Place) -> Independent {
        Independent { place: place.clone(), gradients: Vec::new() }
    }

    /// Adds a function; false if its differential depends on the others, or has no value.
    pub(super) fn add(&mut self, graph: &mut Graph, gradient: &[Expr]) -> bool {
        // some points are poles, or have no square roots
        for k in 0..60 {
            let mut at = Values::new(graph, &Place { seed: self.place.seed + 7 + k, ..self.place.clone() });
            let others: Option<Vec<Vec<Residue>>> = self.gradients.iter().map(|g| values(graph, g, &mut at)).collect();
            let Some((others, new)) = others.zip(values(graph, gradient, &mut at)) else { continue };
            let mut span = Span::new();
            others.into_iter().for_each(|v| {
                span.add(v);
            });
            let independent = span.add(new);
            if independent {
                self.gradients.push(gradient.to_vec());
            }
            return independent;
        }
        false
    }
}
