//! Linear integrals whose coefficients depend on one coordinate and solve a linear differential equation.
//!
//! ```text
//! f = Σ_j c_j(s) w_j,      df/dt = Σ_j c_j′ ṡ w_j + c_j ẇ_j = 0   for all states with this s          (T1)
//! ```
//!
//! are linear equations for (c′, c) at every s. Where they leave c free they have the form
//!
//! ```text
//! c′ = A(s) c :      as many integrals as there are c_j.                                           (T2)
//! ```
//!
//! So come the two integrals of the rolling disk, [CushmanEtAl1995, (35)–(36)]: constants of integration of a linear system in θ, linear in the
//! momenta, and momenta of no symmetry. A coefficient that goes with no other, c′ = a(s) c, is written down where it is a product of powers and exponentials.
//!
//! For a rotation s may be an entry R_ij = cos θ, the angle between an axis of the body and one of space; w_j then are velocities times entries of the same row or column.
//!
//! Which c_j vanish is found from values in F_p at points with the same s; A is solved for on the graph, from as many coefficients of (T1) in the
//! quasi-velocities as there are unknowns.

use super::basis::monomials;
use super::exponential::{Summand, solution};
use super::flow::Flow;
use super::linear::{Tracked, velocities};
use super::powers::{collect, exponents, factors, product as power_product};
use super::sample::{Parameters, values};
use crate::system::System;
use polhode_expr::equal::{FieldPoint, NoValue, P};
use polhode_expr::field::{add, echelon, inverse, mul, neg, rational};
use polhode_expr::number::{Rational, ratio};
use polhode_expr::random::Random;
use polhode_expr::{Expr, Graph, Matrix, Rates, Reading, Symbol, eliminate};
use polhode_model::Kind;
use rustc_hash::FxHashMap;

/// Points beyond the number of unknowns.
const SPARE: usize = 4;

/// Factors that tie coefficients to each other have numerators and denominators up to this.
const LARGEST_FACTOR: u64 = 1000;

/// Degree of the monomials in s, sin s and cos s that an exponential may contain.
const EXPONENT_DEGREE: usize = 4;

/// Slices that are tried until one has values, and points on each.
const MOST_SLICES: u64 = 40;
const POINTS_TRIED: usize = 8;

/// Points without a value that are passed over.
const MOST_UNLUCKY: u64 = 2000;

/// (T2): its solutions are the coefficients of integrals.
#[derive(Clone, Debug)]
pub struct LinearSystem {
    /// s, or θ with cos θ = R_ij.
    pub variable: Symbol,
    /// R_ij, where the variable is the angle of an entry of a rotation.
    pub cosine: Option<Expr>,
    /// w_j.
    pub velocities: Vec<Expr>,
    /// A(s).
    pub matrix: Matrix,
    on: Variable,
}

/// What the coefficients depend on.
#[derive(Clone, Debug)]
pub(crate) enum Variable {
    /// A coordinate.
    Coordinate(Symbol),
    /// The entry of a rotation in this row and column; the angle has the symbol θ.
    Entry { rotation: [Symbol; 9], row: usize, column: usize, theta: Symbol },
}

/// What the variable can be: coordinates that the equations contain, entries of rotations.
pub(crate) fn variables(system: &mut System, flow: &Flow) -> Vec<Variable> {
    let used = system.graph.free_symbols(&flow.equations.rates);
    let theta = system.derived_symbol("theta");
    let mut out = Vec::new();
    for f in system.configuration.factors() {
        match f.kind {
            Kind::Real | Kind::Angle | Kind::Interval(..) if used.contains(&f.positions[0]) => {
                out.push(Variable::Coordinate(f.positions[0]));
            }
            Kind::So3 | Kind::Se3 | Kind::Rolling => {
                let Ok(rotation) = <[Symbol; 9]>::try_from(&f.positions[..9]) else { continue };
                let entries = (0..9).filter(|k| used.contains(&rotation[*k]));
                out.extend(entries.map(|k| Variable::Entry { rotation, row: k / 3, column: k % 3, theta }));
            }
            _ => {}
        }
    }
    out
}

impl Variable {
    /// s as an expression.
    fn expression(&self, graph: &mut Graph) -> Expr {
        match self {
            Variable::Coordinate(s) => graph.var(*s),
            Variable::Entry { rotation, row, column, .. } => graph.var(rotation[3 * row + column]),
        }
    }

    fn symbol(&self) -> Symbol {
        match self {
            Variable::Coordinate(s) => *s,
            Variable::Entry { theta, .. } => *theta,
        }
    }

    /// The w_j: velocities, for a coordinate also those of bodies in components along the axes of space, for an entry also times the entries of its
    /// row and its column.
    fn velocities(&self, system: &mut System, flow: &Flow, w: &[Tracked]) -> Vec<Tracked> {
        let mut out = w.to_vec();
        let Variable::Entry { rotation, row, column, .. } = self else {
            out.extend(in_space(system).into_iter().map(|e| Tracked::new(system, flow, e)));
            return out;
        };
        let others = (0..9).filter(|k| (k / 3 == *row) != (k % 3 == *column));
        for k in others {
            for t in w {
                let entry = system.graph.var(rotation[k]);
                let product = system.graph.mul(entry, t.shown);
                out.push(Tracked::new(system, flow, product));
            }
        }
        out
    }

    /// A rotation for every θ, with cos θ in its place: a turn about the axis of the row, one by θ, one about the axis of the column.
    fn example(&self, graph: &mut Graph) -> FxHashMap<Symbol, Expr> {
        let Variable::Entry { rotation, row, column, theta } = self else { return FxHashMap::default() };
        let x = graph.var(*theta);
        let (s, c) = (graph.sin(x), graph.cos(x));
        let minus = graph.neg(s);
        let (zero, one) = (graph.zero(), graph.one());
        let tilt = Matrix::from_rows(vec![vec![one, zero, zero], vec![zero, c, minus], vec![zero, s, c]]);
        let mut turn = |cos: Rational, sin: Rational| {
            let (c, s, m) = (graph.number(cos), graph.number(sin.clone()), graph.number(-sin));
            Matrix::from_rows(vec![vec![c, m, zero], vec![s, c, zero], vec![zero, zero, one]])
        };
        let (first, last) = (turn(ratio(3, 5), ratio(4, 5)), turn(ratio(5, 13), ratio(12, 13)));
        let inner = tilt.mul(graph, &last);
        let product = first.mul(graph, &inner);
        // cyclic changes of the axes are rotations, and bring the last row and column where they belong
        let place = |k: usize, axis: usize| (k + axis + 1) % 3;
        let mut out = FxHashMap::default();
        for i in 0..3 {
            for j in 0..3 {
                out.insert(rotation[3 * place(i, *row) + place(j, *column)], product[(i, j)]);
            }
        }
        out
    }
}

/// A rotation with rational entries for every rotation of the model: turns about z, x and z.
fn some_rotations(system: &mut System) -> FxHashMap<Symbol, Expr> {
    let factors = system.configuration.factors().to_vec();
    let graph = &mut system.graph;
    let mut turn = |axis: usize, cos: Rational, sin: Rational| {
        let (c, s, m) = (graph.number(cos), graph.number(sin.clone()), graph.number(-sin));
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut out = Matrix::identity(graph, 3);
        (out[(j, j)], out[(k, k)]) = (c, c);
        (out[(j, k)], out[(k, j)]) = (m, s);
        out
    };
    let first = turn(2, ratio(3, 5), ratio(4, 5));
    let (tilt, last) = (turn(0, ratio(5, 13), ratio(12, 13)), turn(2, ratio(8, 17), ratio(15, 17)));
    let inner = tilt.mul(graph, &last);
    let product = first.mul(graph, &inner);
    let rotations = factors.iter().filter(|f| matches!(f.kind, Kind::So3 | Kind::Se3 | Kind::Rolling));
    rotations.flat_map(|f| f.positions[..9].iter().copied().zip(product.entries().iter().copied())).collect()
}

/// The components of R Ω, and of R V for bodies that move about, for every rotation of the model.
fn in_space(system: &mut System) -> Vec<Expr> {
    let factors = system.configuration.factors().to_vec();
    let graph = &mut system.graph;
    let mut out = Vec::new();
    for f in factors.iter().filter(|f| matches!(f.kind, Kind::So3 | Kind::Se3 | Kind::Rolling)) {
        for v in f.velocities.chunks_exact(3) {
            for row in f.positions[..9].chunks_exact(3) {
                let parts: Vec<Expr> = (row.iter().zip(v))
                    .map(|(r, v)| {
                        let (r, v) = (graph.var(*r), graph.var(*v));
                        graph.mul(r, v)
                    })
                    .collect();
                out.push(graph.sum(parts));
            }
        }
    }
    out
}

/// Values at points that share s and the parameters.
struct Slice {
    origin: FieldPoint,
    kept: Vec<Symbol>,
    seed: u64,
    /// The rotation at the first point, with the row and column of the entry that is kept.
    entry: Option<([Symbol; 9], [u64; 9], usize, usize)>,
}

impl Slice {
    fn new(system: &mut System, on: &Variable, seed: u64) -> Option<Slice> {
        let parameters = Parameters::random(system, seed);
        let mut origin = FieldPoint::with_roots(&system.graph, seed);
        parameters.values.iter().for_each(|(p, v)| origin.set(*p, *v));
        let graph = &mut system.graph;
        let mut kept: Vec<Symbol> = parameters.values.iter().map(|(p, _)| *p).collect();
        let mut entry = None;
        match on {
            Variable::Coordinate(s) => {
                let x = graph.var(*s);
                let (sin, cos, exp) = (graph.sin(x), graph.cos(x), graph.exp(x));
                for e in [x, sin, cos, exp] {
                    // drawn here, they are the same at every point of the slice
                    origin.value(graph, e).ok()?;
                }
                kept.push(*s);
            }
            Variable::Entry { rotation, row, column, .. } => {
                let mut first = [0; 9];
                for (value, s) in first.iter_mut().zip(rotation) {
                    let x = graph.var(*s);
                    *value = origin.value(graph, x).ok()?;
                }
                entry = Some((*rotation, first, *row, *column));
            }
        }
        Some(Slice { origin, kept, seed: seed << 32, entry })
    }

    /// A slice on which the functions have values: whether a root of s exists in F_p is the same at all of its points.
    fn with_values(system: &mut System, on: &Variable, seed: u64, functions: &[Expr]) -> Option<Slice> {
        for k in 0..MOST_SLICES {
            let mut slice = Slice::new(system, on, seed + (k << 10))?;
            for _ in 0..POINTS_TRIED {
                let mut point = slice.point(system);
                match values(system, &mut point, functions) {
                    Ok(_) => return Some(slice),
                    Err(NoValue::Outside) => return None,
                    Err(NoValue::Unlucky) => {}
                }
            }
        }
        None
    }

    /// A further point; a rotation is turned about the axes of the row and of the column, which keeps the entry.
    fn point(&mut self, system: &System) -> FieldPoint {
        self.seed += 1;
        let mut point = self.origin.sharing(&system.graph, &self.kept, self.seed);
        if let Some((symbols, first, row, column)) = &self.entry {
            let mut random = Random::new(self.seed);
            let left = turn(*row, random.bits() % P);
            let right = turn(*column, random.bits() % P);
            let turned = product(&product(&left, first), &right);
            symbols.iter().zip(turned).for_each(|(s, v)| point.set(*s, v));
        }
        point
    }

    fn rows(&mut self, system: &mut System, functions: &[Expr], count: usize) -> Option<Vec<Vec<u64>>> {
        let mut out = Vec::new();
        let mut unlucky = 0;
        while out.len() < count {
            let mut point = self.point(system);
            match values(system, &mut point, functions) {
                Ok(row) => out.push(row),
                Err(NoValue::Outside) => return None,
                Err(NoValue::Unlucky) => {
                    unlucky += 1;
                    if unlucky > MOST_UNLUCKY {
                        return None;
                    }
                }
            }
        }
        Some(out)
    }
}

/// The turn about an axis by the angle with half-angle tangent u, row by row.
fn turn(axis: usize, u: u64) -> [u64; 9] {
    let square = mul(u, u);
    let scale = inverse(add(1, square)).unwrap_or(1);
    let (c, s) = (mul(add(1, neg(square)), scale), mul(add(u, u), scale));
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut out = [0; 9];
    out[4 * axis] = 1;
    (out[4 * j], out[4 * k]) = (c, c);
    (out[3 * j + k], out[3 * k + j]) = (neg(s), s);
    out
}

fn product(a: &[u64; 9], b: &[u64; 9]) -> [u64; 9] {
    std::array::from_fn(|n| (0..3).fold(0, |sum, k| add(sum, mul(a[3 * (n / 3) + k], b[3 * k + n % 3]))))
}

/// (T2) for one variable, split into systems that do not depend on each other; empty when there are no such integrals.
pub(crate) fn systems(system: &mut System, flow: &Flow, on: &Variable, w: &[Tracked]) -> Vec<LinearSystem> {
    systems_of(system, flow, on, w).unwrap_or_default()
}

/// (T2) for every variable that has one, with 1 as the first of the w_j: integrals may have a part without velocities,
///
/// ```text
/// f = c_0(s) + Σ_j c_j(s) w_j,      w_0 = 1 ,      dw/ds = −Aᵀ w   along every motion with ṡ ≠ 0.        (T3)
/// ```
///
/// (T3) is (T2) read backwards: f is constant for as many c as there are w_j, so that these are a linear system in s themselves.
pub fn shape_systems(system: &mut System, flow: &Flow) -> Vec<LinearSystem> {
    let dependent = system.dependent_velocities();
    let w: Vec<Tracked> = velocities(system, flow, false).iter().map(|v| v.tracked).collect();
    // the first of equal functions are kept: those of independent velocities are shorter
    let is_dependent = |t: &Tracked| system.graph.as_symbol(t.shown).is_some_and(|s| dependent.contains(&s));
    let (last, first): (Vec<Tracked>, Vec<Tracked>) = w.into_iter().partition(is_dependent);
    let one = system.graph.one();
    let constant = Tracked::new(system, flow, one);
    let mut out = Vec::new();
    for on in variables(system, flow) {
        let mut candidates = vec![constant];
        candidates.extend(on.velocities(system, flow, &first));
        let more = on.velocities(system, flow, &last);
        candidates
            .extend(more.into_iter().filter(|t| candidates.iter().all(|c| c.shown != t.shown)).collect::<Vec<_>>());
        out.extend(whole(system, flow, &on, &candidates));
    }
    out
}

/// (T2) for one variable as a single system.
fn whole(system: &mut System, flow: &Flow, on: &Variable, velocities: &[Tracked]) -> Option<LinearSystem> {
    let s = on.expression(&mut system.graph);
    let speed = flow.rates_of(&mut system.graph, &[s])[0];
    let w = free_coefficients(system, flow, on, speed, velocities)?;
    let matrix = solved(system, flow, speed, on, &w)?;
    Some(LinearSystem {
        variable: on.symbol(),
        cosine: matches!(on, Variable::Entry { .. }).then_some(s),
        velocities: w.iter().map(|t| t.shown).collect(),
        matrix,
        on: on.clone(),
    })
}

fn systems_of(system: &mut System, flow: &Flow, on: &Variable, w: &[Tracked]) -> Option<Vec<LinearSystem>> {
    let velocities = on.velocities(system, flow, w);
    let LinearSystem { variable, cosine, velocities: w, matrix, .. } = whole(system, flow, on, &velocities)?;
    let mut out = Vec::new();
    let mut left: Vec<usize> = (0..w.len()).collect();
    while let Some(&first) = left.first() {
        let mut block = vec![first];
        let mut at = 0;
        while at < block.len() {
            let j = block[at];
            let tied = |i: usize| !system.graph.is_zero(matrix[(i, j)]) || !system.graph.is_zero(matrix[(j, i)]);
            let more: Vec<usize> = left.iter().copied().filter(|i| !block.contains(i) && tied(*i)).collect();
            block.extend(more);
            at += 1;
        }
        left.retain(|i| !block.contains(i));
        block.sort();
        out.push(LinearSystem {
            variable,
            cosine,
            velocities: block.iter().map(|j| w[*j]).collect(),
            matrix: matrix.select(&block, &block),
            on: on.clone(),
        });
    }
    Some(out)
}

/// Velocities whose coefficients (T1) leaves free, independent over functions of s; `None` when there are none. Coefficients that (T1) ties to each
/// other by constant factors are taken together; if the factors depend on s, `None`.
fn free_coefficients(
    system: &mut System,
    flow: &Flow,
    on: &Variable,
    speed: Expr,
    w: &[Tracked],
) -> Option<Vec<Tracked>> {
    let (kept, relations) = relations(system, on, speed, w, 83)?;
    if relations.len() == kept.len() {
        return Some(kept.into_iter().map(|j| w[j]).collect());
    }
    let (other, elsewhere) = self::relations(system, on, speed, w, 89)?;
    if (&other, &elsewhere) != (&kept, &relations) {
        return None;
    }
    let mut out = Vec::new();
    for row in relations {
        let mut items = Vec::new();
        for (j, c) in kept.iter().zip(row).filter(|(_, c)| *c != 0) {
            items.push((w[*j].shown, rational(c, LARGEST_FACTOR)?));
        }
        let shown = system.graph.linear(items);
        out.push(Tracked::new(system, flow, shown));
    }
    Some(out)
}

/// The velocities whose coefficients need not vanish, and a basis of the values that the coefficients can take at some s, in echelon form.
fn relations(
    system: &mut System,
    on: &Variable,
    speed: Expr,
    w: &[Tracked],
    seed: u64,
) -> Option<(Vec<usize>, Vec<Vec<u64>>)> {
    let functions: Vec<Expr> = w.iter().flat_map(|t| [t.on_d, t.rate]).chain([speed]).collect();
    let mut slice = Slice::with_values(system, on, seed, &functions)?;
    let rows = slice.rows(system, &functions, 2 * w.len() + SPARE)?;
    let n = w.len();
    let values = rows.iter().map(|r| (0..n).map(|j| r[2 * j]).collect()).collect();
    let mut kept = echelon(values, n).pivots;
    loop {
        let m = kept.len();
        let matrix = rows.iter().map(|r| {
            let carried = kept.iter().map(|j| mul(r[2 * n], r[2 * j]));
            carried.chain(kept.iter().map(|j| r[2 * j + 1])).collect()
        });
        let null = echelon(matrix.collect(), 2 * m).null_space();
        let free: Vec<usize> = (0..m).filter(|j| null.iter().any(|v| v[m + j] != 0)).map(|j| kept[j]).collect();
        if free.is_empty() {
            return None;
        }
        if free.len() == m {
            let coefficients = null.iter().map(|v| v[m..].to_vec()).collect();
            return Some((kept, echelon(coefficients, m).rows));
        }
        kept = free;
    }
}

/// A(s) from coefficients of (T1) in the quasi-velocities.
fn solved(system: &mut System, flow: &Flow, speed: Expr, on: &Variable, w: &[Tracked]) -> Option<Matrix> {
    let s = on.symbol();
    let m = w.len();
    let graph = &mut system.graph;
    let carried: Vec<Expr> = w.iter().map(|t| graph.mul(speed, t.on_d)).collect();
    let all: Vec<Expr> = carried.into_iter().chain(w.iter().map(|t| t.rate)).collect();
    let mut rows = quadratic_coefficients(graph, &all, &flow.equations.unknowns);
    if let Variable::Coordinate(_) = on {
        // A is the same at all rotations: one is enough, and leaves shorter formulas
        let example = some_rotations(system);
        for row in &mut rows {
            *row = system.graph.substitute_all(row, &example);
        }
    }
    let graph = &mut system.graph;
    if let Variable::Entry { theta, .. } = on {
        let example = on.example(graph);
        let angle = graph.var(*theta);
        let sine = graph.sin(angle);
        for row in &mut rows {
            *row = graph.substitute_all(row, &example);
            // ṡ = −sin θ θ̇, and derivatives of the coefficients are by θ
            for e in &mut row[..m] {
                let ratio = graph.div(*e, sine);
                *e = graph.neg(ratio);
            }
        }
        rows.retain(|row| row.iter().any(|e| !graph.is_zero(*e)));
    }
    let a = Matrix::from_fn(rows.len(), m, |i, j| rows[i][j]);
    let b = Matrix::from_fn(rows.len(), m, |i, j| {
        let e = rows[i][m + j];
        graph.neg(e)
    });
    let size = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
    let mut zero = system.zero.clone();
    let solution = eliminate(&mut system.graph, &mut zero, &a, &b, size);
    system.zero = zero;
    if solution.pivots.len() < m {
        return None;
    }
    let reading = Reading { parameters: system.parameters.clone() };
    let mut out = Matrix::zeros(&system.graph, m, m);
    for (i, p) in solution.pivots.iter().enumerate() {
        for j in 0..m {
            let e = solution.solution[(i, j)];
            let e = if system.is_zero(e) { system.graph.zero() } else { system.graph.simplify(e, &reading) };
            let foreign = |t: &Symbol| *t != s && !system.parameters.contains(t);
            if system.graph.free_symbols(&[e]).iter().any(foreign) {
                return None;
            }
            out[(*p, j)] = e;
        }
    }
    Some(out)
}

/// The coefficients of functions that are quadratic in the symbols: constant, linear, quadratic.
fn quadratic_coefficients(graph: &mut Graph, functions: &[Expr], symbols: &[Symbol]) -> Vec<Vec<Expr>> {
    let at_rest = symbols.iter().map(|s| (*s, graph.zero())).collect();
    let mut out = vec![graph.substitute_all(functions, &at_rest)];
    for (a, s) in symbols.iter().enumerate() {
        let first: Vec<Expr> = functions.iter().map(|f| graph.derivative(*f, *s)).collect();
        for t in &symbols[a..] {
            let second: Vec<Expr> = first.iter().map(|f| graph.derivative(*f, *t)).collect();
            out.push(graph.substitute_all(&second, &at_rest));
        }
        out.push(graph.substitute_all(&first, &at_rest));
    }
    out.retain(|row| row.iter().any(|e| !graph.is_zero(*e)));
    out
}

impl LinearSystem {
    /// Functions at one rotation for every θ, where the variable is the angle of an entry; unchanged where it is a coordinate.
    pub fn at_example(&self, system: &mut System, functions: &[Expr]) -> Vec<Expr> {
        let example = self.on.example(&mut system.graph);
        system.graph.substitute_all(functions, &example)
    }

    /// A function of θ as a function of the position, where the variable is the angle of an entry.
    pub fn on_position(&self, system: &mut System, function: Expr) -> Expr {
        match self.cosine {
            Some(entry) => without_angle(&mut system.graph, function, self.variable, entry),
            None => function,
        }
    }

    /// The rotation, row and column of the entry whose angle is the variable.
    pub fn entry(&self) -> Option<([Symbol; 9], usize, usize)> {
        match &self.on {
            Variable::Coordinate(_) => None,
            Variable::Entry { rotation, row, column, .. } => Some((*rotation, *row, *column)),
        }
    }

    /// Number of integrals.
    pub fn order(&self) -> usize {
        self.velocities.len()
    }

    /// The equations for one coefficient that arise when all others vanish, where that is possible.
    pub(crate) fn singles(&self, system: &System) -> Vec<LinearSystem> {
        let m = self.order();
        let alone = |j: usize| (0..m).all(|i| i == j || system.graph.is_zero(self.matrix[(i, j)]));
        let single = |j: usize| LinearSystem {
            variable: self.variable,
            cosine: self.cosine,
            on: self.on.clone(),
            velocities: vec![self.velocities[j]],
            matrix: self.matrix.select(&[j], &[j]),
        };
        (0..m).filter(|j| alone(*j)).map(single).collect()
    }

    /// A as a function of the position, without the angle of an entry.
    pub(crate) fn matrix_on_the_position(&self, system: &mut System) -> Matrix {
        let Some(entry) = self.cosine else { return self.matrix.clone() };
        let m = self.order();
        Matrix::from_fn(m, m, |i, j| without_angle(&mut system.graph, self.matrix[(i, j)], self.variable, entry))
    }

    /// What the variable changes by when the positions do; for the angle of an entry θ̇ = −ṡ/√(1 − s²).
    pub(crate) fn variable_along(&self, system: &mut System, rates: &Rates) -> Expr {
        let graph = &mut system.graph;
        let Some(entry) = self.cosine else {
            let s = graph.var(self.variable);
            return graph.along(s, rates);
        };
        let slope = graph.along(entry, rates);
        let sine = sine_of(graph, entry);
        let ratio = graph.div(slope, sine);
        graph.neg(ratio)
    }

    /// The solution of a single equation with an exponential of monomials, where there is one.
    fn exponential(
        &self,
        system: &mut System,
        bases: &[Expr],
        logarithmic: &[Vec<Expr>],
        atoms: [Expr; 3],
    ) -> Option<Expr> {
        let mut summands: Vec<Summand> = bases.iter().map(|b| Summand::Log(*b)).collect();
        let mut columns = logarithmic.to_vec();
        let found = monomials(system, &atoms, EXPONENT_DEGREE, usize::MAX);
        for f in found.into_iter().skip(1).map(|c| c.function) {
            for f in [f, system.graph.powi(f, -1)] {
                summands.push(Summand::Plain(f));
                columns.push(vec![system.graph.derivative(f, self.variable)]);
            }
        }
        solution(system, &summands, &columns, &[self.matrix[(0, 0)]])
    }

    /// The integral in closed form, if the system is a single equation whose solution is a product of powers and exponentials.
    pub(crate) fn closed_form(&self, system: &mut System) -> Option<Expr> {
        let [w] = self.velocities[..] else { return None };
        let a = self.matrix[(0, 0)];
        if system.graph.is_zero(a) {
            return Some(w);
        }
        let x = system.graph.var(self.variable);
        let (sin, cos) = (system.graph.sin(x), system.graph.cos(x));
        let mut bases = Vec::new();
        let more = factors(system, a, &[self.variable]);
        collect(&mut bases, more);
        collect(&mut bases, vec![x, sin, cos]);
        let graph = &mut system.graph;
        let columns: Vec<Vec<Expr>> = bases
            .iter()
            .map(|b| {
                let slope = graph.derivative(*b, self.variable);
                vec![graph.div(slope, *b)]
            })
            .collect();
        let mut rho = match exponents(system, &columns, &[a]) {
            Some(powers) => power_product(&mut system.graph, &bases, &powers),
            None => self.exponential(system, &bases, &columns, [x, sin, cos])?,
        };
        if let Some(entry) = self.cosine {
            rho = without_angle(&mut system.graph, rho, self.variable, entry);
        }
        Some(system.graph.mul(rho, w))
    }
}

/// cos θ as the entry that it is, sin θ as √(1 − cos²θ).
fn without_angle(graph: &mut Graph, e: Expr, theta: Symbol, entry: Expr) -> Expr {
    let angle = graph.var(theta);
    let (sin, cos) = (graph.sin(angle), graph.cos(angle));
    let sine = sine_of(graph, entry);
    graph.rebuild(&[e], |_, n| if n == sin { Some(sine) } else { (n == cos).then_some(entry) })[0]
}

/// √(1 − s²).
fn sine_of(graph: &mut Graph, cosine: Expr) -> Expr {
    let (one, square) = (graph.one(), graph.powi(cosine, 2));
    let rest = graph.sub(one, square);
    graph.sqrt(rest)
}
