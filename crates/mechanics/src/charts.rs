//! Where a frame of the admissible velocities is good, and others to go on with where it is not.
//!
//! Constraints solved for some velocities, v_pivot = Σ a v_free + a₀′ (D2), fail where the solved block
//! is singular: a blade x' sin θ = y' cos θ does not determine y' from x' at θ = ±π/2. The motion
//! itself is smooth there. How near the failure is, the *growth*
//!
//! ```text
//! G = 1 + Σ_{i,α} a_iα² w_i/w_α,      w = ∂²L/∂v∂v, its diagonal at a typical position      (G1)
//! ```
//!
//! tells without regard to units: the energy of the motions ∂_α + a_iα ∂_i against that of ∂_α alone. Where
//! the largest block is solved, G is about one plus the number of entries of a. A *chart* is one choice of
//! independent velocities with its equations; an [`Atlas`] has enough of them that at each sampled
//! position one has a moderate growth. Most systems need no other chart than their own.
//!
//! For a frame of quasi-velocities, which may be scaled at will, growth is measured against
//! typical lengths, of its fields and of their duals:
//!
//! ```text
//! G = 1/2k Σ_a (|e_a|²/|e_a|²_typical + |β^a|²/|β^a|²_typical).                             (G2)
//! ```

use crate::budget::CHARTS;
use crate::dense::independent_rows;
use crate::distribution::Distribution;
use crate::forms::{Equations, Form};
use crate::frame::Frame;
use crate::surface::{Point, inside, zeros};
use crate::system::System;
use polhode_base::random::Random;
use polhode_expr::equal::random_state;
use polhode_expr::eval::{Digits, Doubles};
use polhode_expr::{Expr, Graph, Symbol};
use polhode_model::{Interval, Model};
use rustc_hash::FxHashMap;
use std::f64::consts::PI;

/// Growth above which a motion changes to a chart with a growth [`MUCH`] smaller.
pub const LARGE: f64 = 10.0;

/// How much smaller the growth must be for a change. It keeps motions from going to and fro.
pub const MUCH: f64 = 4.0;

/// Growth above which a position asks for a second chart. Where there are several charts already, a
/// position asks for one more above twice [`LARGE`]: neighbourhoods in which two of them fail are small.
const TOO_LARGE: f64 = 100.0;

/// Positions that are looked at.
const POSITIONS: usize = 200;

/// Positions on the surface of holonomic constraints that are looked at.
const ON_SURFACE: usize = 20;

/// Times that are looked at are between this and its negative.
const LATEST: f64 = 10.0;

/// The growth of a frame: constant + Σ weight·entry².
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// Functions of position and time.
    pub entries: Vec<Expr>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// What does not vary.
    pub constant: f64,
}

impl Growth {
    /// That of a frame that fails nowhere.
    pub fn constant() -> Growth {
        Growth { entries: Vec::new(), weights: Vec::new(), constant: 1.0 }
    }

    /// Does it vary along motions?
    pub fn varies(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Its value at a position; infinite where it has none.
    pub fn at(&self, graph: &Graph, at: &FxHashMap<Symbol, f64>) -> f64 {
        let Ok(values) = graph.evaluate(&Doubles, &self.entries, at) else { return f64::INFINITY };
        let sum = values.iter().zip(&self.weights).fold(self.constant, |sum, (x, w)| sum + w * x * x);
        if sum.is_nan() { f64::INFINITY } else { sum }
    }
}

/// One choice of independent velocities with its equations.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The constraints solved for the others; what [`System::distribution`] has to be for them.
    pub distribution: Distribution,
    /// The equations of motion.
    pub equations: Equations,
    /// Where it is good.
    pub growth: Growth,
}

/// Charts that together serve everywhere, as far as sampled positions show.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// The growth of the equations it was made for.
    pub growth: Growth,
    /// Other charts.
    pub others: Vec<Chart>,
}

impl System {
    /// The atlas around equations of motion; `start` is a position that has to be served too.
    /// Forms other than Voronets' and Chaplygin's have no other charts.
    pub fn atlas(&mut self, equations: &Equations, start: &FxHashMap<Symbol, f64>) -> Atlas {
        let mut atlas = Atlas { growth: Growth::constant(), others: Vec::new() };
        if equations.form == Form::Multipliers {
            return atlas;
        }
        let points = self.typical_positions(start);
        let weights = self.typical_weights(&points);
        let solved = matches!(equations.form, Form::Voronets | Form::Chaplygin);
        if !solved {
            atlas.growth = self.quasi_growth(&equations.frame, &points, &weights);
            return atlas;
        }
        atlas.growth = self.solved_growth(&weights);
        if atlas.growth.varies() {
            atlas.others = self.other_charts(equations.form, &points, &weights);
        }
        atlas
    }

    /// The positions at which growth is looked at: random ones, some on the surface of the holonomic
    /// constraints where there are such, and the given one.
    fn typical_positions(&mut self, start: &FxHashMap<Symbol, f64>) -> Vec<Point> {
        let model = self.model.clone();
        let holonomic: Vec<Expr> = self.constraints.iter().filter_map(|c| c.holonomic).collect();
        let symbols = self.configuration.positions().to_vec();
        let mut points = random_positions(self, &model, &symbols, POSITIONS);
        if !holonomic.is_empty() {
            points.extend(zeros(self, &model, &holonomic, ON_SURFACE));
        }
        let mut random = Random::new(19);
        for at in &mut points {
            at.entry(self.time).or_insert_with(|| random.short(-LATEST, LATEST));
        }
        points.push(start.clone());
        points
    }

    /// ∂²L/∂v² for each velocity: its mean over the positions. Velocities without a kinetic energy of their
    /// own weigh as little as any.
    fn typical_weights(&mut self, points: &[Point]) -> Vec<f64> {
        let velocities = self.configuration.velocities().to_vec();
        let at_rest: FxHashMap<Symbol, Expr> = velocities.iter().map(|s| (*s, self.graph.zero())).collect();
        let mass = self.mass_matrix();
        let masses: Vec<Expr> = (0..velocities.len()).map(|a| mass[(a, a)]).collect();
        let masses = self.graph.substitute_all(&masses, &at_rest);
        let mut sums = vec![0.0; masses.len()];
        for at in points {
            let Ok(values) = self.graph.evaluate(&Doubles, &masses, at) else { continue };
            sums.iter_mut().zip(values).for_each(|(sum, x)| *sum += x.abs() / points.len() as f64);
        }
        let least = sums.iter().copied().filter(|w| *w > 0.0 && w.is_finite()).fold(f64::INFINITY, f64::min);
        let usual = if least.is_finite() { least } else { 1.0 };
        sums.into_iter().map(|w| if w > 0.0 && w.is_finite() { w } else { usual }).collect()
    }

    /// Does the expression vary along motions?
    fn varies(&self, e: Expr) -> bool {
        !self.graph.free_symbols(&[e]).iter().all(|s| self.parameters.contains(s))
    }

    /// (G1) of the present solution.
    fn solved_growth(&self, weights: &[f64]) -> Growth {
        let d = &self.distribution.elimination;
        let mut growth = Growth::constant();
        for (i, p) in d.pivots.iter().enumerate() {
            for (a, f) in d.free.iter().enumerate() {
                if !self.graph.is_zero(d.solution[(i, a)]) {
                    growth.entries.push(d.solution[(i, a)]);
                    growth.weights.push(weights[*p] / weights[*f]);
                }
            }
        }
        if growth.entries.iter().any(|e| self.varies(*e)) { growth } else { Growth::constant() }
    }

    /// (G2).
    fn quasi_growth(&self, frame: &Frame, points: &[Point], weights: &[f64]) -> Growth {
        let (n, k) = (frame.n(), frame.k);
        let mut growth = Growth { constant: 0.0, ..Growth::constant() };
        // e_a is weighed as a velocity, β^a as a momentum
        let fields = (0..k).map(|a| (0..n).map(|i| (frame.e[(i, a)], weights[i])).collect());
        let duals = (0..k).map(|a| (0..n).map(|i| (frame.beta[(a, i)], 1.0 / weights[i])).collect());
        for leg in fields.chain(duals) {
            let leg: Vec<(Expr, f64)> = leg;
            let leg: Vec<(Expr, f64)> = leg.into_iter().filter(|(e, _)| !self.graph.is_zero(*e)).collect();
            let typical = self.typical_length(&leg, points);
            match typical.filter(|_| leg.iter().any(|(e, _)| self.varies(*e))) {
                None => growth.constant += 0.5 / k as f64,
                Some(typical) => {
                    for (e, w) in leg {
                        growth.entries.push(e);
                        growth.weights.push(0.5 * w / (typical * k as f64));
                    }
                }
            }
        }
        growth
    }

    /// The median of Σ weight·entry²; `None` where that has no positive value.
    fn typical_length(&self, leg: &[(Expr, f64)], points: &[Point]) -> Option<f64> {
        let entries: Vec<Expr> = leg.iter().map(|(e, _)| *e).collect();
        let mut lengths: Vec<f64> = (points.iter())
            .filter_map(|at| self.graph.evaluate(&Doubles, &entries, at).ok())
            .map(|values| values.iter().zip(leg).map(|(x, (_, w))| w * x * x).sum())
            .collect();
        lengths.sort_by(f64::total_cmp);
        lengths.get(lengths.len() / 2).copied().filter(|x| *x > 0.0 && x.is_finite())
    }

    /// Charts to go on with where the present solution has too large a growth.
    fn other_charts(&mut self, form: Form, points: &[Point], weights: &[f64]) -> Vec<Chart> {
        let n = weights.len();
        let (rows, _) = self.distribution.reduced_rows();
        let places: Vec<Vec<Vec<f64>>> = (points.iter())
            .filter_map(|at| self.graph.evaluate(&Doubles, rows.entries(), at).ok())
            .map(|values| values.chunks(n).map(|row| scaled(row, weights)).collect())
            .collect();
        let own = &self.distribution.elimination.pivots;
        let allowed: Vec<usize> = match form {
            Form::Chaplygin => (0..n).filter(|j| own.contains(j) || self.may_be_cyclic(*j)).collect(),
            _ => (0..n).collect(),
        };
        let mut candidates = Candidates::new(own, &allowed, &places);
        let mut charts = Vec::new();
        while charts.len() + 1 < CHARTS {
            let Some(dependent) = candidates.next() else { break };
            if let Some(chart) = self.chart(form, &dependent, weights) {
                candidates.accept();
                charts.push(chart);
            }
        }
        charts
    }

    /// May the coordinate of a velocity be a dependent one of Chaplygin's form, as far as the Lagrangian and
    /// the forces are concerned?
    fn may_be_cyclic(&self, velocity: usize) -> bool {
        let v = self.configuration.velocities()[velocity];
        self.configuration.coordinate_of(v).is_some_and(|x| {
            !self.graph.contains_any(self.lagrangian, &[x])
                && !self.forces.iter().any(|e| self.graph.contains_any(*e, &[x]))
        })
    }

    /// The chart with the given dependent velocities, if there is one.
    fn chart(&mut self, form: Form, dependent: &[usize], weights: &[f64]) -> Option<Chart> {
        let other = self.distribution.solved_for(&mut self.graph, &mut self.zero, &self.parameters, dependent)?;
        let own = std::mem::replace(&mut self.distribution, other);
        let equations = self.equations(form);
        let growth = self.solved_growth(weights);
        let distribution = std::mem::replace(&mut self.distribution, own);
        Some(Chart { distribution, equations: equations.ok()?, growth })
    }
}

/// Random positions of the domain with the parameters of the model; the symbols have values too.
pub(crate) fn random_positions(system: &System, model: &Model, symbols: &[Symbol], count: usize) -> Vec<Point> {
    let Ok(parameters) = model.parameter_values() else { return Vec::new() };
    let mut random = Random::new(7);
    let mut points = Vec::new();
    for _ in 0..count {
        let drawn = random_state(&system.graph, symbols, &Digits::decimal(20), &mut random);
        let mut at: Point = drawn.iter().map(|(s, x)| (*s, x.to_f64().value())).collect();
        at.extend(parameters.iter().map(|(s, x)| (*s, *x)));
        for factor in model.configuration.factors().iter().filter(|f| f.tied().is_empty()) {
            let (low, high) = match factor.interval() {
                None => (-PI, PI),
                Some(Interval { low, high, .. }) => {
                    let end = |e: Expr| system.graph.evaluate_f64(e, &parameters).ok().filter(|x| x.is_finite());
                    (end(low).unwrap_or(-PI), end(high).unwrap_or(PI))
                }
            };
            factor.positions.iter().for_each(|s| _ = at.insert(*s, random.short(low, high)));
        }
        if inside(system, model, &at) {
            points.push(at);
        }
    }
    points
}

/// A row on velocities of unit weight, made unit.
fn scaled(row: &[f64], weights: &[f64]) -> Vec<f64> {
    let row: Vec<f64> = row.iter().zip(weights).map(|(a, w)| a / w.sqrt()).collect();
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    row.into_iter().map(|x| if length > 0.0 { x / length } else { x }).collect()
}

/// Sets of dependent velocities to choose from.
struct Candidates {
    sets: Vec<Vec<usize>>,
    /// The growth of each set at each place.
    growth: Vec<Vec<f64>>,
    /// The smallest growth of any set at each place.
    best: Vec<f64>,
    /// The smallest growth of the accepted ones.
    reached: Vec<f64>,
    proposed: Vec<usize>,
}

impl Candidates {
    /// The sets that differ from `own` in one velocity, and those of the largest block at each place.
    fn new(own: &[usize], allowed: &[usize], places: &[Vec<Vec<f64>>]) -> Candidates {
        let sorted = |mut set: Vec<usize>| {
            set.sort_unstable();
            set
        };
        let mut sets = vec![sorted(own.to_vec())];
        for i in 0..own.len() {
            for j in allowed.iter().filter(|j| !own.contains(j)) {
                let mut set = own.to_vec();
                set[i] = *j;
                sets.push(sorted(set));
            }
        }
        sets.extend(places.iter().filter_map(|rows| largest_block(rows, allowed)).map(sorted));
        let mut seen = Vec::new();
        sets.retain(|s| {
            !seen.contains(s) && {
                seen.push(s.clone());
                true
            }
        });
        let growth: Vec<Vec<f64>> = sets.iter().map(|s| places.iter().map(|p| growth(p, s)).collect()).collect();
        let smallest = |k: usize| growth.iter().map(|g: &Vec<f64>| g[k]).fold(f64::INFINITY, f64::min);
        let best = (0..places.len()).map(smallest).collect();
        let reached = growth[0].clone();
        Candidates { sets, growth, best, reached, proposed: vec![0] }
    }

    /// The set that serves most of the places which the accepted ones do not serve.
    fn next(&mut self) -> Option<Vec<usize>> {
        let served = |g: f64, k: usize, bound: f64| g <= bound.max(MUCH * self.best[k]);
        let bearable = if self.proposed.len() == 1 { TOO_LARGE } else { 2.0 * LARGE };
        let open: Vec<usize> = (0..self.best.len()).filter(|k| !served(self.reached[*k], *k, bearable)).collect();
        let count = |c: usize| open.iter().filter(|k| served(self.growth[c][**k], **k, LARGE)).count();
        let counts = (0..self.sets.len()).filter(|c| !self.proposed.contains(c)).map(|c| (c, count(c)));
        // the first of the largest: neighbours of the own choice come first
        let (c, most) = counts.fold((0, 0), |best, x| if x.1 > best.1 { x } else { best });
        self.proposed.push(c);
        (most > 0).then(|| self.sets[c].clone())
    }

    /// The last set proposed makes a chart.
    fn accept(&mut self) {
        let c = *self.proposed.last().expect("a set was proposed");
        self.reached.iter_mut().zip(&self.growth[c]).for_each(|(r, g)| *r = r.min(*g));
    }
}

/// (G1) at a place for rows on velocities of unit weight; infinite where the block is singular.
fn growth(rows: &[Vec<f64>], dependent: &[usize]) -> f64 {
    let mut a = rows.to_vec();
    let m = a.len();
    for (i, &j) in dependent.iter().enumerate() {
        let Some(p) = (i..m).max_by(|x, y| a[*x][j].abs().total_cmp(&a[*y][j].abs())) else { break };
        a.swap(i, p);
        let pivot = a[i][j];
        if pivot.abs() < 1e-300 || !pivot.is_finite() {
            return f64::INFINITY;
        }
        a[i].iter_mut().for_each(|x| *x /= pivot);
        let row = a[i].clone();
        for (r, other) in a.iter_mut().enumerate() {
            let factor = other[j];
            if r != i && factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    let free = |row: &Vec<f64>| (0..row.len()).filter(|j| !dependent.contains(j)).map(|j| row[j] * row[j]).sum::<f64>();
    1.0 + a.iter().map(free).sum::<f64>()
}

/// The allowed columns of a block with a large determinant, by elimination with complete pivoting.
fn largest_block(rows: &[Vec<f64>], allowed: &[usize]) -> Option<Vec<usize>> {
    if independent_rows(rows).len() < rows.len() {
        return None;
    }
    let mut a = rows.to_vec();
    let mut columns: Vec<usize> = Vec::new();
    for step in 0..a.len() {
        let (i, j) = (step..a.len())
            .flat_map(|i| allowed.iter().map(move |j| (i, *j)))
            .filter(|(_, j)| !columns.contains(j))
            .max_by(|x, y| a[x.0][x.1].abs().total_cmp(&a[y.0][y.1].abs()))?;
        a.swap(step, i);
        let row = a[step].clone();
        if row[j] == 0.0 {
            return None;
        }
        for other in &mut a[step + 1..] {
            let factor = other[j] / row[j];
            other.iter_mut().zip(&row).for_each(|(x, p)| *x -= factor * p);
        }
        columns.push(j);
    }
    Some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_of_a_blade() {
        // x' sin θ = y' cos θ, solved for y'
        for theta in [0.3f64, 1.2, 1.5, 3.0] {
            let rows = vec![vec![theta.sin(), -theta.cos()]];
            let tangent = theta.tan();
            assert!((growth(&rows, &[1]) / (1.0 + tangent * tangent) - 1.0).abs() < 1e-12);
            let best = largest_block(&rows, &[0, 1]).unwrap();
            assert_eq!(best, [if tangent.abs() > 1.0 { 0 } else { 1 }]);
        }
        assert_eq!(growth(&[vec![1.0, 0.0]], &[1]), f64::INFINITY);
        assert_eq!(largest_block(&[vec![1.0, 0.0], vec![1.0, 0.0]], &[0, 1]), None);
    }

    #[test]
    fn two_headings_serve_all() {
        let headings = (0..40).map(|i| 0.157 * f64::from(i));
        let places: Vec<_> = headings.map(|t: f64| vec![vec![t.sin(), -t.cos(), 0.0]]).collect();
        let mut c = Candidates::new(&[1], &[0, 1, 2], &places);
        assert_eq!(c.next(), Some(vec![0]));
        c.accept();
        assert_eq!(c.next(), None);
        // the turn cannot take the place of x'
        let mut c = Candidates::new(&[1], &[1, 2], &places);
        assert_eq!(c.next(), None);
    }
}
