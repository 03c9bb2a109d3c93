//! Rational integrals of a single integrable form, without knowing their denominators.
//!
//! If h = P/Q is an integral, the leaf through a point p is part of the surface P − h(p) Q = 0. A polynomial F vanishes on
//! the leaf exactly when all its derivatives along it vanish at p,
//!
//! ```text
//! X_{i₁} ⋯ X_{i_k} F (p) = 0,      i₁ ≤ … ≤ i_k,   k = 0, 1, 2, …                             (1)
//! ```
//!
//! (other orders follow, the fields being in involution), which is linear in the coefficients of F. Two points give two members of
//! the pencil, and F₁/F₂ is an integral.

use super::budget::{INTEGRAL_COEFFICIENT, PENCIL_DEGREE};
use super::flag::{Forms, kernel};
use super::jet::{Jet, Shape};
use super::local::{Chart, Local};
use polhode_expr::field::{echelon, rational};
use polhode_expr::number::Rational;
use polhode_expr::{Exponent, Expr, Graph, Symbol};
use polhode_mechanics::rank::field::Residue;
use polhode_mechanics::rank::place::Place;

/// Equations (1) beyond the number of coefficients.
const SPARE_EQUATIONS: usize = 8;

/// Coordinates of the points.
const POINTS: [[i64; 6]; 3] = [[2, 3, 5, -1, 4, 1], [3, -2, 1, 4, -1, 2], [-1, 4, 2, 3, 1, -2]];

/// An integral F₁/F₂ in these coordinates, which are all the forms depend on; `None` if there is none of low degree.
pub(super) fn rational_integral(graph: &mut Graph, forms: &Forms, coordinates: &[Symbol]) -> Option<Expr> {
    if coordinates.is_empty() || coordinates.len() > POINTS[0].len() {
        return None;
    }
    for degree in 1..=PENCIL_DEGREE {
        let members: Vec<Vec<Rational>> =
            POINTS.iter().filter_map(|p| leaf(graph, forms, coordinates, degree, p)).take(2).collect();
        let [first, second] = &members[..] else { continue };
        let Some((over, under)) = shortest(first, second) else { continue };
        let terms = monomials(coordinates.len(), degree);
        let over = polynomial(graph, coordinates, &terms, &over);
        let under = polynomial(graph, coordinates, &terms, &under);
        return Some(graph.div(over, under));
    }
    None
}

/// Two independent members of the pencil a, b with few terms: b_i a − a_i b lacks the i-th.
fn shortest(a: &[Rational], b: &[Rational]) -> Option<(Vec<Rational>, Vec<Rational>)> {
    let lacking = (0..a.len())
        .filter(|i| !a[*i].is_zero() || !b[*i].is_zero())
        .map(|i| a.iter().zip(b).map(|(x, y)| &b[i] * x - &a[i] * y).collect::<Vec<Rational>>());
    let mut members: Vec<Vec<Rational>> = lacking.filter(|m| m.iter().any(|c| !c.is_zero())).collect();
    members.sort_by_key(|m| m.iter().filter(|c| !c.is_zero()).count());
    // the last term, which is among the highest, counts as 1
    for m in &mut members {
        if let Some(last) = m.iter().rfind(|c| !c.is_zero()).cloned() {
            m.iter_mut().for_each(|c| *c = &*c / &last);
        }
    }
    let first = members.first()?.clone();
    let second = members.into_iter().find(|m| *m != first)?;
    Some((first, second))
}

/// Σ c m over the monomials m.
fn polynomial(graph: &mut Graph, coordinates: &[Symbol], terms: &[Vec<usize>], coefficients: &[Rational]) -> Expr {
    let variables: Vec<Expr> = coordinates.iter().map(|s| graph.var(*s)).collect();
    let mut items = Vec::new();
    for (term, c) in terms.iter().zip(coefficients) {
        let factors: Vec<_> = variables.iter().zip(term).map(|(x, k)| (*x, Exponent::int(*k as i32))).collect();
        items.push((graph.power_product(factors.into_iter().filter(|(_, k)| k.n > 0)), c.clone()));
    }
    graph.linear(items)
}

/// The exponents of all monomials up to a degree, the lowest first.
fn monomials(variables: usize, degree: usize) -> Vec<Vec<usize>> {
    let mut out = vec![vec![0; variables]];
    let mut level = out.clone();
    for _ in 0..degree {
        let mut next = Vec::new();
        for m in &level {
            let last = m.iter().rposition(|e| *e > 0).unwrap_or(0);
            for v in last..variables {
                let mut raised = m.clone();
                raised[v] += 1;
                next.push(raised);
            }
        }
        out.extend(next.iter().cloned());
        level = next;
    }
    out
}

/// The coefficients of the polynomial of the leaf through a point, if it is the only one of this degree.
fn leaf(
    graph: &mut Graph,
    forms: &Forms,
    coordinates: &[Symbol],
    degree: usize,
    point: &[i64],
) -> Option<Vec<Rational>> {
    let terms = monomials(coordinates.len(), degree);
    let variables: Vec<Expr> = coordinates.iter().map(|s| graph.var(*s)).collect();
    let roots: Vec<Expr> = forms.rows.iter().flatten().chain(&variables).copied().collect();
    let chart = Chart::new(graph, &forms.configuration, forms.time, &roots).ok()?;
    let fields = chart.columns - 1;
    // as many derivatives as it takes
    let words = |longest: usize| (1..=longest).fold(1, |c, k| c * (fields + k) / k);
    let longest = (1..40).find(|l| words(*l) >= terms.len() + SPARE_EQUATIONS)?;
    let shape = Shape::new(chart.len(), longest)?;
    let mut place = Place::default();
    for (s, x) in coordinates.iter().zip(point) {
        let x = graph.int(*x);
        place.fixed.insert(*s, x);
    }
    let mut local = Local::<Residue>::new(graph, chart, &place, shape).ok()?;
    let frame = kernel(&mut local, graph, &forms.rows, None).ok()?;
    if frame.fields.len() != fields {
        return None;
    }
    let motions: Vec<Vec<Jet<Residue>>> = frame.fields.iter().map(|f| local.motion(f)).collect();
    let series = local.series(graph, &variables).ok()?;
    let power = |term: &Vec<usize>| {
        let mut out = local.shape.constant(longest, Residue::ONE);
        for (x, k) in series.iter().zip(term) {
            (0..*k).for_each(|_| out = local.shape.product(&out, x));
        }
        out
    };
    let start: Vec<Jet<Residue>> = terms.iter().map(power).collect();
    let mut rows = Vec::new();
    derivatives(&local, &motions, 0, start, longest, &mut rows);
    let null = echelon(rows, terms.len()).null_space();
    let [only] = &null[..] else { return None };
    only.iter().map(|c| rational(*c, INTEGRAL_COEFFICIENT)).collect()
}

/// The values of (1) for all functions at once, with fields from `first` on.
fn derivatives(
    local: &Local<Residue>,
    motions: &[Vec<Jet<Residue>>],
    first: usize,
    functions: Vec<Jet<Residue>>,
    order: usize,
    rows: &mut Vec<Vec<Residue>>,
) {
    rows.push(functions.iter().map(|f| f[0]).collect());
    if order == 0 {
        return;
    }
    let len = local.shape.len(order - 1);
    for i in first..motions.len() {
        let along = |f: &Jet<Residue>| {
            let mut out = vec![Residue::ZERO; len];
            for (v, m) in motions[i].iter().enumerate() {
                local.shape.add_product(&mut out, &m[..len], &local.shape.derivative(f, v));
            }
            out
        };
        derivatives(local, motions, i, functions.iter().map(along).collect(), order - 1, rows);
    }
}
