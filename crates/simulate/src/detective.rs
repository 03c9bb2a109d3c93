//! Integrals from motions: numbers propose, algebra decides.
//!
//! Motions are computed from several initial velocities. With φ_j the candidates of `polhode_analysis::noether::candidates`,
//!
//! ```text
//! Σ_j c_j (φ_j(t_i) − φ_j(0)) = 0      on every motion, at all times t_i                       (D1)
//! ```
//!
//! is a linear system for c in doubles. Its solutions, with candidates taken in order of simplicity and those that depend on earlier ones struck out, are
//! made rational and handed to the exact test with the parameters of the model put in. What passes is an integral; what does not was a coincidence of
//! these motions, or has coefficients that are no short rationals.
//!
//! Where algebra cannot decide (points of contact that are carried along) [`watch`] says how much a function changes on the motions, which is evidence
//! and no proof.

use crate::budget::{PROPOSED_DENOMINATOR, PROPOSED_FUNCTIONS};
use crate::compile::{Compile, CompileError, CompileOptions};
use crate::run::Run;
use polhode_analysis::noether::{Answer, Flow, candidates, decide_at_values, is_function_of};
use polhode_base::random::Random;
use polhode_expr::eval::Doubles;
use polhode_expr::number::{Rational, ratio};
use polhode_expr::{Expr, Symbol};
use polhode_mechanics::{Inconsistent, System};
use polhode_model::InitialValue;
use polhode_tape::dense;
use rustc_hash::FxHashMap;
use std::fmt;

/// Motions of a search. On n of them the functions that are constant on each span n dimensions at most, 1 among them: there have to be more
/// motions than integrals, products of integrals included.
const MOTIONS: u64 = 12;

/// Motions on which given functions are watched.
const WATCHED: u64 = 4;

/// How long each of them is followed.
const UNTIL: f64 = 3.0;

/// Times at which each is looked at: together more than there are candidates.
const TIMES: usize = 30;

/// A candidate that differs from a combination of earlier ones by less than this part of its size depends on them. Motions are good to
/// about 1e-13; integrals of moderate coefficients show as 1e-11 or less.
const DEPENDENT: f64 = 1e-9;

/// A function that changes by less than this part of its size on all motions looks constant.
const CONSTANT: f64 = 1e-10;

/// Functions that stay below this are measured against it: rounding has a size of its own.
const SMALLEST: f64 = 1e-3;

/// How well a coefficient has to agree with its rational.
const AGREEMENT: f64 = 1e-8;

/// Why there is nothing to look at.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NoMotion {
    /// The system cannot be run.
    Compile(CompileError),
    /// No motion was long enough.
    TooShort,
}

impl fmt::Display for NoMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMotion::Compile(e) => e.fmt(f),
            NoMotion::TooShort => f.write_str("no motion from a random velocity could be followed"),
        }
    }
}

impl std::error::Error for NoMotion {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NoMotion::Compile(e) => Some(e),
            _ => None,
        }
    }
}

/// How much a function changes on motions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watched {
    /// How many motions.
    pub motions: usize,
    /// The largest change, as a part of the largest value.
    pub change: f64,
}

impl Watched {
    /// Is the change what rounding makes of a constant?
    pub fn looks_constant(&self) -> bool {
        self.change < CONSTANT
    }
}

/// A proposal that was decided.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The function, with the numbers that were found.
    pub function: Expr,
    /// The exact answer, for the values of the parameters.
    pub answer: Answer,
    /// An integral that is a function of the energy, of those known before, and of those above it.
    pub follows: bool,
}

/// What the motions suggest.
#[derive(Clone, Debug)]
pub struct Detection {
    /// How many motions.
    pub motions: usize,
    /// How many candidates.
    pub candidates: usize,
    /// Proposals, the simplest first.
    pub proposals: Vec<Proposal>,
    /// Relations whose coefficients are no short rationals.
    pub unnamed: usize,
    /// Whether the energy is an integral.
    pub energy: bool,
    /// Whether other integrals were known before.
    pub known: bool,
}

impl Detection {
    /// Proposals that are integrals and no functions of the energy and of each other.
    pub fn discoveries(&self) -> usize {
        self.proposals.iter().filter(|p| p.answer.is_integral() && !p.follows).count()
    }
}

/// States of one motion: values by symbol.
type Motion = Vec<FxHashMap<Symbol, f64>>;

/// Motions from random velocities, as values of the symbols of the model.
fn motions(system: &System, count: u64) -> Result<Vec<Motion>, NoMotion> {
    let mut out = Vec::new();
    let mut failure = NoMotion::TooShort;
    for seed in 1..=count {
        let mut model = (*system.model).clone();
        let independent = system.independent_velocities();
        let velocities = system.configuration.velocities();
        let Some(span) = model.initial.first().map(|i| i.span) else {
            return Err(NoMotion::Compile(CompileError::NoInitialState));
        };
        model.initial.retain(|i| !velocities.contains(&i.symbol));
        let mut random = Random::new(seed);
        for symbol in independent {
            // exact decimals, so that the motion can be repeated from a model file
            let value = ratio((random.short(-2000.0, 2000.0)) as i64, 1000);
            let value = model.graph.number(value);
            model.initial.push(InitialValue { symbol, value, span });
        }
        let options = CompileOptions { inconsistent: Inconsistent::Project, ..CompileOptions::default() };
        let compiled =
            match System::new(&model).map_err(CompileError::from).and_then(|(mut s, _)| s.compile_with(&options)) {
                Ok(compiled) => compiled,
                Err(e) => {
                    failure = NoMotion::Compile(e);
                    continue;
                }
            };
        let Ok(parameters) = model.parameter_values() else { continue };
        let Ok(motion) = compiled.solve(&Run::until(UNTIL)) else { continue };
        // near singular positions a motion may lose digits, and would hide what is constant
        if motion.report.energy_error > CONSTANT {
            continue;
        }
        let symbols: Vec<Symbol> = system.configuration.positions().iter().chain(velocities).copied().collect();
        let states = motion.sampled(TIMES).into_iter().filter(|s| s.is_finite()).filter_map(|sample| {
            let mut at = parameters.clone();
            at.insert(system.time, sample.t());
            for s in &symbols {
                at.insert(*s, sample.get(system.graph.name(*s))?);
            }
            Some(at)
        });
        let states: Motion = states.collect();
        if states.len() > TIMES / 4 {
            out.push(states);
        }
    }
    if out.is_empty() { Err(failure) } else { Ok(out) }
}

/// How much functions of position and velocity change on motions from random velocities; `None` when there are none.
pub fn watch(system: &System, functions: &[Expr]) -> Option<Vec<Watched>> {
    let motions = motions(system, WATCHED).ok()?;
    let mut out = vec![Watched { motions: motions.len(), change: 0.0 }; functions.len()];
    for states in &motions {
        for (watched, change) in out.iter_mut().zip(changes(system, states, functions)?) {
            watched.change = watched.change.max(change);
        }
    }
    Some(out)
}

/// How much functions change on one motion, as parts of their largest values.
fn changes(system: &System, states: &Motion, functions: &[Expr]) -> Option<Vec<f64>> {
    let rows: Option<Vec<Vec<f64>>> =
        states.iter().map(|at| system.graph.evaluate(&Doubles, functions, at).ok()).collect();
    let rows = rows?;
    let change = |j: usize| {
        let size = rows.iter().fold(SMALLEST, |m, r| m.max(r[j].abs()));
        rows.iter().fold(0f64, |m, r| m.max((r[j] - rows[0][j]).abs())) / size
    };
    Some((0..functions.len()).map(change).collect())
}

/// Looks for integrals on motions, and decides about those that it finds. What is a function of the energy and of `known` integrals is no
/// discovery.
pub fn detect(system: &mut System, flow: &Flow, degree: usize, known: &[Expr]) -> Result<Detection, NoMotion> {
    let energy = system.energy();
    let conservative = decide_at_values(system, flow, energy).is_integral();
    let motions = motions(system, MOTIONS)?;
    let functions = candidates(system, degree, PROPOSED_FUNCTIONS);
    let mut values: Vec<Vec<f64>> = Vec::new();
    let mut rates: Vec<Vec<f64>> = Vec::new();
    for states in &motions {
        let rows: Vec<Vec<f64>> =
            states.iter().filter_map(|at| system.graph.evaluate(&Doubles, &functions, at).ok()).collect();
        let Some(first) = rows.first().cloned() else { continue };
        rates.extend(rows.iter().skip(1).map(|r| r.iter().zip(&first).map(|(x, y)| x - y).collect::<Vec<_>>()));
        values.extend(rows.into_iter().map(|r| std::iter::once(1.0).chain(r).collect()));
    }
    let independent: Vec<usize> =
        Columns::of(&values).independent().into_iter().filter(|j| *j > 0).map(|j| j - 1).collect();
    let kept: Vec<Vec<f64>> = rates.iter().map(|r| independent.iter().map(|j| r[*j]).collect()).collect();
    let (mut proposals, mut unnamed) = (Vec::new(), 0);
    let mut integrals: Vec<Expr> = conservative.then_some(energy).into_iter().chain(known.iter().copied()).collect();
    for relation in Columns::of(&kept).relations() {
        let terms: Option<Vec<(Expr, Rational)>> = (relation.iter().zip(&independent))
            .filter(|(c, _)| c.abs() > AGREEMENT)
            .map(|(c, j)| Some((functions[*j], short_rational(*c)?)))
            .collect();
        let Some(terms) = terms else {
            unnamed += 1;
            continue;
        };
        let function = system.graph.linear(terms);
        let answer = decide_at_values(system, flow, function);
        let mut follows = false;
        if answer.is_integral() {
            follows = is_function_of(system, flow, &integrals, function).unwrap_or(false);
            integrals.push(function);
        }
        proposals.push(Proposal { function, answer, follows });
    }
    let (motions, candidates) = (motions.len(), functions.len());
    Ok(Detection { motions, candidates, proposals, unnamed, energy: conservative, known: !known.is_empty() })
}

/// The nearest rational with a small denominator, if it is near enough.
fn short_rational(x: f64) -> Option<Rational> {
    let (mut h0, mut k0, mut h1, mut k1) = (0i64, 1i64, 1i64, 0i64);
    let mut rest = x.abs();
    loop {
        let whole = rest.floor();
        if whole > 1e9 {
            return None;
        }
        let a = whole as i64;
        (h0, h1) = (h1, a.checked_mul(h1)?.checked_add(h0)?);
        (k0, k1) = (k1, a.checked_mul(k1)?.checked_add(k0)?);
        if k1 > PROPOSED_DENOMINATOR {
            return None;
        }
        if (h1 as f64 / k1 as f64 - x.abs()).abs() < AGREEMENT * x.abs().max(1.0) {
            return Some(ratio(if x < 0.0 { -h1 } else { h1 }, k1));
        }
        let part = rest - whole;
        if part < 1e-12 {
            return None;
        }
        rest = 1.0 / part;
    }
}

/// Columns of a matrix, made orthogonal one after the other (Gram–Schmidt, twice for safety).
struct Columns {
    columns: Vec<Vec<f64>>,
}

/// A kept column: its index, its unit vector, and the unit vector's expansion in the kept columns.
struct Kept {
    index: usize,
    unit: Vec<f64>,
    expansion: Vec<f64>,
}

impl Columns {
    fn of(rows: &[Vec<f64>]) -> Columns {
        let n = rows.first().map_or(0, Vec::len);
        Columns { columns: (0..n).map(|j| rows.iter().map(|r| r[j]).collect()).collect() }
    }

    fn independent(&self) -> Vec<usize> {
        self.split().0
    }

    /// For each dependent column, the combination of columns that vanishes, with 1 at that column.
    fn relations(&self) -> Vec<Vec<f64>> {
        self.split().1
    }

    fn split(&self) -> (Vec<usize>, Vec<Vec<f64>>) {
        let n = self.columns.len();
        let mut kept: Vec<Kept> = Vec::new();
        let mut relations = Vec::new();
        for (j, column) in self.columns.iter().enumerate() {
            let norm = dense::norm(column);
            let mut rest = column.clone();
            let mut expansion = vec![0.0; n];
            expansion[j] = 1.0;
            for _ in 0..2 {
                for k in &kept {
                    let c = dense::dot(&rest, &k.unit);
                    dense::add_scaled(&mut rest, -c, &k.unit);
                    dense::add_scaled(&mut expansion, -c, &k.expansion);
                }
            }
            let left = dense::norm(&rest);
            if left <= DEPENDENT * norm.max(DEPENDENT) {
                relations.push(expansion);
            } else {
                let unit = rest.iter().map(|x| x / left).collect();
                expansion.iter_mut().for_each(|x| *x /= left);
                kept.push(Kept { index: j, unit, expansion });
            }
        }
        (kept.iter().map(|k| k.index).collect(), relations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rationals() {
        assert_eq!(short_rational(-1.3), Some(ratio(-13, 10)));
        assert_eq!(short_rational(2.0 / 7.0 + 1e-12), Some(ratio(2, 7)));
        assert_eq!(short_rational(std::f64::consts::PI), None);
    }

    #[test]
    fn relations_of_columns() {
        let rows: Vec<Vec<f64>> = (0..6)
            .map(|i| f64::from(i).mul_add(0.7, 0.3))
            .map(|x| vec![x, x * x, 2.0 * x - 3.0 * x * x, x.sin()])
            .collect();
        let columns = Columns::of(&rows);
        assert_eq!(columns.independent(), [0, 1, 3]);
        let relations = columns.relations();
        assert_eq!(relations.len(), 1);
        let wanted = [-2.0, 3.0, 1.0, 0.0];
        assert!(relations[0].iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-10), "{relations:?}");
    }
}
