//! Integrals h(q, t) of the constraints: functions with dh in the span of the constraint forms.
//!
//! Frobenius tells how many there are: N − (rank of the last term of the derived flag). Functions are looked for in
//! spaces of growing size, in the order of [`STAGES`]:
//!
//! ```text
//! polynomials in coordinates, sin, cos, entries of R, functions that occur      z − r sin θ
//! the same over one factor                                                      y (x + z)/(y + z)
//! P/Q of low degree for a single form, by its leaves (`pencil.rs`)
//! the same with exponentials, sines and cosines of a coordinate                 (y + z) exp(−x)
//! the same with logarithms of factors and angles atan2                          log(f) − k x
//! ```
//!
//! The last are Darboux's integrals \[Darboux1878\]: a factor f of the constraints that satisfies X(f) = K f makes log f a candidate.
//! What is still missing comes from integrating factors (`closed.rs`). Coefficients are fractions, times products of parameters. When the parameters of the model are special, or no formula is found with
//! letters, the values of the parameters are put in.

use super::ansatz::{Found, Generators, Independent, gradient, is_integral, solve};
use super::budget::INTEGRAL_MULTIPLICATIONS;
use super::flag::Forms;
use super::independent::vanishes_nowhere;
use super::pencil::rational_integral;
use polhode_expr::number::{Rational, as_i64};
use polhode_expr::{Exponent, Expr, Function, Graph, Node, Symbol};
use polhode_mechanics::rank::field::{Residue, Span};
use polhode_mechanics::rank::place::Place;
use polhode_mechanics::system::System;
use polhode_model::Factor;

/// What the value of one node costs, in multiplications.
const VALUE_WORK: usize = 30;

/// An integral of the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Integral {
    /// h.
    pub expression: Expr,
    /// It is not defined everywhere, or not the same after a full turn of an angle.
    pub local: bool,
}

/// What a stage adds to polynomials.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    Nothing,
    /// Division by a factor.
    Denominator,
    /// Exponentials, sines and cosines.
    Functions,
    /// Logarithms of factors, and angles.
    Logarithms,
    /// Division by a factor or its square, and logarithms.
    Both,
}

impl Extra {
    pub(super) fn divides(self) -> bool {
        matches!(self, Extra::Denominator | Extra::Both)
    }

    pub(super) fn has_logarithms(self) -> bool {
        matches!(self, Extra::Logarithms | Extra::Both)
    }
}

/// One space of functions.
pub(super) struct Stage {
    /// Highest power of a single coordinate, highest multiple of an angle.
    pub(super) single: u32,
    /// Highest degree of all together.
    pub(super) total: u32,
    /// Highest degree in the parameters.
    pub(super) parameters: u32,
    pub(super) extra: Extra,
}

pub(super) const fn stage(single: u32, total: u32, parameters: u32, extra: Extra) -> Stage {
    Stage { single, total, parameters, extra }
}

const STAGES: [Stage; 19] = [
    stage(1, 1, 1, Extra::Nothing),
    stage(1, 2, 1, Extra::Nothing),
    stage(2, 2, 1, Extra::Nothing),
    stage(2, 2, 2, Extra::Nothing),
    stage(3, 3, 1, Extra::Nothing),
    stage(1, 1, 1, Extra::Denominator),
    stage(2, 2, 1, Extra::Denominator),
    stage(2, 5, 0, Extra::Nothing),
    stage(6, 6, 0, Extra::Nothing),
    stage(4, 4, 0, Extra::Nothing),
    stage(1, 2, 1, Extra::Functions),
    stage(1, 1, 1, Extra::Logarithms),
    stage(2, 2, 1, Extra::Logarithms),
    stage(2, 3, 0, Extra::Functions),
    stage(3, 3, 0, Extra::Denominator),
    stage(3, 3, 2, Extra::Nothing),
    stage(4, 4, 0, Extra::Denominator),
    stage(3, 3, 0, Extra::Logarithms),
    stage(2, 2, 0, Extra::Both),
];

/// What the search needs to know.
pub(super) struct Search<'a> {
    pub(super) forms: &'a Forms,
    /// Fixes the parameters, if their values matter.
    pub(super) place: Place,
    /// Parameters that may occur in formulas.
    pub(super) parameters: Vec<Symbol>,
    /// How many integrals there are.
    pub(super) count: usize,
    /// Values of fields that span the last term of the derived flag at [`Search::place`].
    pub(super) closure: Vec<Vec<Residue>>,
}

impl Search<'_> {
    /// As many independent integrals as are found, after those among the functions that are known, the simplest first.
    pub(super) fn run(&self, graph: &mut Graph, known: &[Expr], independent: &mut Independent) -> Vec<Integral> {
        let mut found: Vec<Integral> = Vec::new();
        for h in known {
            let gradient = gradient(graph, self.forms, *h);
            let new = found.len() < self.count && is_integral(graph, self.forms, &gradient, &self.place);
            if new && independent.add(graph, &gradient) {
                found.push(Integral { expression: *h, local: false });
            }
        }
        let mut work = 0;
        'search: for stage in &STAGES {
            let denominators: Vec<Option<Expr>> =
                if stage.extra.divides() { self.factors(graph).into_iter().map(Some).collect() } else { vec![None] };
            for q in denominators {
                if found.len() >= self.count || work > INTEGRAL_MULTIPLICATIONS {
                    break 'search;
                }
                work += self.try_stage(graph, stage, q, &mut found, independent);
            }
        }
        if found.is_empty() && self.count == 1 && self.parameters.is_empty() {
            found.extend(self.rational(graph, independent));
        }
        if found.len() < self.count {
            self.by_factors(graph, &mut found, independent);
        }
        found
    }

    /// A rational integral of a single form in real coordinates, by its leaves.
    fn rational(&self, graph: &mut Graph, independent: &mut Independent) -> Option<Integral> {
        let factors = self.forms.configuration.factors();
        let velocities = self.forms.configuration.velocities();
        let column = |f: &Factor| f.velocities.iter().filter_map(|v| velocities.iter().position(|w| w == v)).collect();
        let moving: Vec<&Factor> = factors
            .iter()
            .filter(|f| {
                let columns: Vec<usize> = column(f);
                !columns.is_empty() && !self.is_free(&columns)
            })
            .collect();
        if moving.iter().any(|f| f.coordinate().is_none() || f.angle().is_some()) {
            return None;
        }
        let coordinates: Vec<Symbol> = moving.iter().map(|f| f.positions[0]).chain(self.forms.time).collect();
        let expression = rational_integral(graph, self.forms, &coordinates)?;
        let gradient = gradient(graph, self.forms, expression);
        let good = is_integral(graph, self.forms, &gradient, &self.place) && independent.add(graph, &gradient);
        good.then_some(Integral { expression, local: true })
    }

    fn try_stage(
        &self,
        graph: &mut Graph,
        stage: &Stage,
        denominator: Option<Expr>,
        found: &mut Vec<Integral>,
        independent: &mut Independent,
    ) -> usize {
        let Some((generators, terms)) = self.terms(graph, stage, denominator) else { return 0 };
        let generators = Generators::new(graph, self.forms, generators);
        let work = terms.len().pow(3) + terms.len() * VALUE_WORK * generators.nodes(graph);
        for Found { expression, gradient, .. } in solve(graph, self.forms, &generators, terms, &self.place) {
            if found.len() == self.count {
                return work;
            }
            if is_integral(graph, self.forms, &gradient, &self.place) && independent.add(graph, &gradient) {
                found.push(Integral { expression, local: false });
            }
        }
        work
    }

    /// Whether a column of the base frame lies in the closure, so that no integral changes along it.
    pub(super) fn is_free(&self, columns: &[usize]) -> bool {
        let mut span = Span::new();
        self.closure.iter().for_each(|v| {
            span.add(v.clone());
        });
        let n = self.closure.first().map_or(0, Vec::len);
        columns.iter().all(|j| n > 0 && !span.clone().add((0..n).map(|k| Residue::new(u64::from(k == *j))).collect()))
    }
}

/// Powers that a sum of logarithms is turned into are at most this.
const HIGHEST_POWER: i64 = 12;

/// x² y⁷ for 2 log x + 7 log y: a sum of logarithms with fractions as coefficients, and of something without poles and arcs, as the exponential of
/// a multiple. Other functions come back as they are.
pub(super) fn without_logarithms(graph: &mut Graph, h: Expr) -> Expr {
    let parts: Vec<(Expr, Rational)> = match graph.node(h).clone() {
        Node::Sum { terms, .. } => terms.to_vec(),
        Node::Call(Function::Log, _) => vec![(h, Rational::from(1))],
        _ => return h,
    };
    let (mut powers, mut rest) = (Vec::new(), Vec::new());
    for (e, c) in parts {
        match graph.node(e) {
            Node::Call(Function::Log, a) => powers.push((*a, c)),
            _ => rest.push((e, c)),
        }
    }
    let roots: Vec<Expr> = rest.iter().map(|(e, _)| *e).collect();
    let entire = graph.reachable(&roots).into_iter().all(|e| match graph.node(e) {
        Node::Product { factors, .. } => factors.iter().all(|(_, k)| k.n > 0 && k.is_int()),
        Node::Call(Function::Log, _) | Node::Atan2(..) | Node::Apply { .. } => false,
        _ => true,
    });
    // the multiple that makes the powers whole, and most of them positive
    let multiple = powers.iter().fold(Rational::from(1), |m, (_, c)| {
        let d = Rational::from((c * &m).denominator().clone());
        m * d
    });
    let total = powers.iter().fold(Rational::from(0), |s, (_, c)| s + c);
    let multiple = if total < Rational::from(0) { -multiple } else { multiple };
    let whole: Option<Vec<(Expr, i64)>> = powers.iter().map(|(a, c)| Some((*a, as_i64(&(c * &multiple))?))).collect();
    let Some(whole) = whole.filter(|w| entire && !w.is_empty() && w.iter().all(|(_, k)| k.abs() <= HIGHEST_POWER))
    else {
        return h;
    };
    let exponent: Vec<(Expr, Rational)> = rest.into_iter().map(|(e, c)| (e, c * &multiple)).collect();
    let exponent = graph.linear(exponent);
    let exponential = graph.exp(exponent);
    let mut factors: Vec<(Expr, Exponent)> = whole.into_iter().map(|(a, k)| (a, Exponent::int(k as i32))).collect();
    factors.push((exponential, Exponent::ONE));
    graph.power_product(factors)
}

/// Whether an integral is not defined everywhere, or not the same after a full turn of an angle: it contains an angle itself, or divides by something, or
/// takes a root, a logarithm or an angle of something, that vanishes somewhere.
pub(super) fn is_local(system: &mut System, h: Expr) -> bool {
    let factors = system.configuration.factors();
    let angles: Vec<Symbol> = factors.iter().filter_map(Factor::angle).collect();
    let mut stack = vec![h];
    while let Some(e) = stack.pop() {
        let critical: Vec<Expr> = match system.graph.node(e).clone() {
            Node::Symbol(s) if angles.contains(&s) => return true,
            Node::Product { factors, .. } => {
                factors.iter().filter(|(_, k)| k.n < 0 || k.d != 1).map(|(b, _)| *b).collect()
            }
            Node::Call(Function::Log, a) => vec![a],
            Node::Atan2(_, x) => vec![x],
            Node::Call(Function::Sin | Function::Cos, _) => continue,
            _ => Vec::new(),
        };
        if critical.into_iter().any(|b| !vanishes_nowhere(system, b)) {
            return true;
        }
        system.graph.for_each_operand(e, |o| stack.push(o));
    }
    false
}
