//! Integrals by integrating factors: a form that becomes closed when divided by a function.
//!
//! ω is proportional to some dh, modulo integrals that are known, exactly when there is a V with
//!
//! ```text
//! V dω(X, Y) = X(V) ω(Y) − Y(V) ω(X)      for all X, Y along which the known integrals are constant,     (1)
//! ```
//!
//! for then ω/V is closed on their levels. (1) is linear in V, and V is often a polynomial where h is none: it is the product of the curves
//! f = 0 along which h has logarithms and poles \[Darboux1878\]. For a homogeneous form it is ω(E), with E = Σ x ∂_x. Two
//! solutions V have a quotient that is an integral itself. `primitive.rs` integrates ω/V.

use super::ansatz::{Found, Generators, Independent, SPARE_EQUATIONS, Term, dot, gradient, is_integral, values};
use super::budget::{FACTOR_TERMS, FACTORS_TRIED, INTEGRAL_COEFFICIENT};
use super::derived::{curl, last_derived, solved};
use super::integrals::{Extra, Integral, Search, Stage, stage};
use super::{ansatz, primitive};
use polhode_expr::field::{echelon, rational};
use polhode_expr::number::Rational;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_mechanics::rank::field::{Field, Residue};
use polhode_mechanics::rank::place::{Place, Values};

/// Where V is looked for.
const STAGES: [Stage; 9] = [
    stage(1, 1, 1, Extra::Nothing),
    stage(2, 2, 1, Extra::Nothing),
    stage(3, 3, 1, Extra::Nothing),
    stage(1, 2, 1, Extra::Functions),
    stage(4, 4, 0, Extra::Nothing),
    stage(2, 3, 0, Extra::Functions),
    stage(6, 6, 0, Extra::Nothing),
    stage(2, 4, 0, Extra::Functions),
    stage(3, 5, 0, Extra::Functions),
];

/// A form in coordinates that are numbers or angles, with its derivative.
struct Form {
    omega: Vec<Expr>,
    curl: Vec<Vec<Expr>>,
}

impl Search<'_> {
    /// Adds integrals that come from integrating factors.
    pub(super) fn by_factors(&self, graph: &mut Graph, found: &mut Vec<Integral>, independent: &mut Independent) {
        let Some((coordinates, columns)) = self.scalars(graph) else { return };
        let rows: Vec<Vec<Expr>> = self.forms.rows.iter().map(|r| columns.iter().map(|c| r[*c]).collect()).collect();
        let Some(system) = last_derived(graph, &coordinates, &rows, self.count) else { return };
        let forms: Vec<Form> = solved(graph, &system)
            .into_iter()
            .map(|omega| Form { curl: curl(graph, &coordinates, &omega), omega })
            .collect();
        // an integral that was found may make another form closed on its levels
        loop {
            let before = found.len();
            for form in &forms {
                if found.len() < self.count {
                    self.integrate(graph, form, &columns, found, independent);
                }
            }
            if found.len() == before || found.len() >= self.count {
                return;
            }
        }
    }

    /// The coordinates that are numbers or angles, and time, with their columns; `None` if the constraints move anything else.
    fn scalars(&self, graph: &mut Graph) -> Option<(Vec<Symbol>, Vec<usize>)> {
        let velocities = self.forms.configuration.velocities();
        let (mut coordinates, mut columns) = (Vec::new(), Vec::new());
        for f in self.forms.configuration.factors() {
            let scalar = f.coordinate().is_some();
            for (v, s) in f.velocities.iter().zip(&f.positions) {
                let column = velocities.iter().position(|w| w == v)?;
                if scalar {
                    coordinates.push(*s);
                    columns.push(column);
                } else if self.forms.rows.iter().any(|r| !graph.is_zero(r[column])) {
                    return None;
                }
            }
        }
        if let Some(t) = self.forms.time {
            coordinates.push(t);
            columns.push(velocities.len());
        }
        Some((coordinates, columns))
    }

    fn integrate(
        &self,
        graph: &mut Graph,
        form: &Form,
        columns: &[usize],
        found: &mut Vec<Integral>,
        independent: &mut Independent,
    ) {
        let known: Vec<Expr> = found.iter().map(|i| i.expression).collect();
        let mut add = |graph: &mut Graph, expression: Expr, gradient: &[Expr]| {
            let good = found.len() < self.count
                && is_integral(graph, self.forms, gradient, &self.place)
                && independent.add(graph, gradient);
            if good {
                found.push(Integral { expression, local: true });
            }
            good
        };
        for stage in &STAGES {
            let factors = self.inverse_factors(graph, stage, form, columns, &known);
            if let [first, second, ..] = factors[..] {
                let quotient = graph.div(second, first);
                let slopes = gradient(graph, self.forms, quotient);
                if add(graph, quotient, &slopes) {
                    return;
                }
            }
            for v in &factors {
                let theta: Vec<Expr> = form.omega.iter().map(|e| graph.div(*e, *v)).collect();
                let Some((generators, terms)) = primitive::functions(self, graph, &theta, &known) else { continue };
                for Found { expression, gradient, .. } in
                    ansatz::solve(graph, self.forms, &generators, terms, &self.place)
                {
                    if add(graph, expression, &gradient) {
                        return;
                    }
                }
            }
        }
    }

    /// Solutions of (1), the simplest first.
    fn inverse_factors(
        &self,
        graph: &mut Graph,
        stage: &Stage,
        form: &Form,
        columns: &[usize],
        known: &[Expr],
    ) -> Vec<Expr> {
        let Some((expressions, mut terms)) = self.terms(graph, stage, None) else { return Vec::new() };
        let parameters: Vec<Expr> = self.parameters.iter().map(|p| graph.var(*p)).collect();
        let letters = expressions.iter().enumerate().filter(|(_, e)| parameters.contains(e)).map(|(g, _)| vec![(g, 1)]);
        for factors in std::iter::once(Vec::new()).chain(letters) {
            terms.push(Term { degree: factors.len() as u32, factors, local: false });
        }
        if terms.len() > FACTOR_TERMS {
            return Vec::new();
        }
        terms.sort_by_key(|t| (t.degree, t.factors.len()));
        let generators = Generators::new(graph, self.forms, expressions);
        let known: Vec<Vec<Expr>> = known
            .iter()
            .map(|h| {
                let g = gradient(graph, self.forms, *h);
                columns.iter().map(|c| g[*c]).collect()
            })
            .collect();
        let width = self.forms.rows.first().map_or(0, Vec::len);
        let mut rows: Vec<Vec<Residue>> = Vec::new();
        for seed in 1..=(100 + 4 * terms.len() as u64) {
            if rows.len() >= terms.len() + SPARE_EQUATIONS {
                break;
            }
            let mut at = Values::new(graph, &Place { seed: self.place.seed + seed, ..self.place.clone() });
            let Some(more) = self.equations(graph, &mut at, form, (columns, width), &known, &generators, &terms) else {
                continue;
            };
            if more.is_empty() {
                // every form in one direction is closed
                return vec![graph.one()];
            }
            rows.extend(more);
        }
        if rows.len() < terms.len() + SPARE_EQUATIONS {
            return Vec::new();
        }
        let mut out = Vec::new();
        for v in echelon(rows, terms.len()).null_space() {
            let Some(coefficients) =
                v.iter().map(|x| rational(*x, INTEGRAL_COEFFICIENT)).collect::<Option<Vec<Rational>>>()
            else {
                continue;
            };
            let used: Vec<(&Term, Rational)> = terms.iter().zip(coefficients).filter(|(_, c)| !c.is_zero()).collect();
            let expression = generators.combination(graph, &used);
            out.push((used.len(), graph.reachable(&[expression]).len(), expression));
        }
        out.sort_by_key(|(terms, nodes, _)| (*terms, *nodes));
        out.into_iter().take(FACTORS_TRIED).map(|(_, _, e)| e).collect()
    }

    /// (1) at one point, for all pairs of a frame; `None` where something has no value.
    #[allow(clippy::too_many_arguments)] // the parts of one equation
    fn equations(
        &self,
        graph: &mut Graph,
        at: &mut Values<Residue>,
        form: &Form,
        (columns, width): (&[usize], usize),
        known: &[Vec<Expr>],
        generators: &Generators,
        terms: &[Term],
    ) -> Option<Vec<Vec<Residue>>> {
        let omega = values(graph, &form.omega, at)?;
        let curl: Vec<Vec<Residue>> = form.curl.iter().map(|r| values(graph, r, at)).collect::<Option<_>>()?;
        let known: Vec<Vec<Residue>> = known.iter().map(|g| values(graph, g, at)).collect::<Option<_>>()?;
        let frame = echelon(known, columns.len()).null_space();
        let whole: Vec<Vec<Residue>> = frame
            .iter()
            .map(|x| {
                let mut v = vec![Residue::ZERO; width];
                columns.iter().zip(x).for_each(|(c, e)| v[*c] = *e);
                v
            })
            .collect();
        let (value, slopes) = generators.sample_along(graph, at, &whole)?.values_and_slopes(terms)?;
        let mut rows = Vec::new();
        for (a, x) in frame.iter().enumerate() {
            for (b, y) in frame[..a].iter().enumerate() {
                let mut turn = Residue::ZERO;
                for (j, row) in curl.iter().enumerate() {
                    for (i, c) in row.iter().enumerate() {
                        let area = x[i].times(y[j]).plus(x[j].times(y[i]).minus());
                        turn = turn.plus(c.times(area));
                    }
                }
                let (on_x, on_y) = (dot(&omega, x), dot(&omega, y));
                let entry = |m: usize| {
                    let change = slopes[a][m].times(on_y).plus(slopes[b][m].times(on_x).minus());
                    value[m].times(turn).plus(change.minus())
                };
                rows.push((0..terms.len()).map(entry).collect());
            }
        }
        Some(rows)
    }
}
