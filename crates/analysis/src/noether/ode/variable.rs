//! What coefficients of integrals may depend on: a coordinate, an entry of a rotation, and for a pair of coordinates (x, y) that turns about an axis the distance
//! from it, or a coordinate along it.
//!
//! ```text
//! coordinate:   s,             w_j velocities, also in components along the axes of space
//! entry:        R_ij = cos θ,  w_j also times the entries of the same row or column
//! turned:       ρ² = x² + y²,  w_j also  x a + y b  and  x b − y a  for velocities (a, b) across the axis
//! ```
//!
//! On a slice of points with the same s, rotations that keep R_ij, or turns of (x, y), are what varies.

use crate::noether::flow::Flow;
use crate::noether::linear::Tracked;
use polhode_expr::number::{Rational, ratio};
use polhode_expr::{Expr, Graph, Matrix, Symbol};
use polhode_mechanics::system::System;
use rustc_hash::FxHashMap;

/// What the coefficients depend on.
#[derive(Clone, Debug)]
pub(crate) enum Variable {
    /// A coordinate.
    Coordinate(Symbol),
    /// The entry of a rotation in this row and column; the angle has the symbol θ.
    Entry { rotation: [Symbol; 9], row: usize, column: usize, theta: Symbol },
    /// A coordinate along the axis that a pair of coordinates turns about, or the distance from it.
    Turned {
        pair: [Symbol; 2],
        along: Option<Symbol>,
        radius: Symbol,
        /// Velocities across the axis, in components along x and y; the first is that of the pair.
        vectors: Vec<[Expr; 2]>,
    },
}

/// What the variable can be: coordinates that the equations contain, entries of rotations.
pub(crate) fn variables(system: &mut System, flow: &Flow) -> Vec<Variable> {
    let used = system.graph.free_symbols(&flow.equations.rates);
    among(system, |s| used.contains(&s))
}

/// Those that the energy contains and the equations do not: a coordinate in a uniform field, the height of a point of a body in its third row of entries.
pub(super) fn variables_of_energy(system: &mut System, flow: &Flow) -> Vec<Variable> {
    let used = system.graph.free_symbols(&flow.equations.rates);
    let energy = system.energy();
    let more = system.graph.free_symbols(&[energy]);
    among(system, |s| more.contains(&s) && !used.contains(&s))
}

fn among(system: &mut System, used: impl Fn(Symbol) -> bool) -> Vec<Variable> {
    let theta = system.derived_symbol("theta");
    let mut out = Vec::new();
    for f in system.configuration.factors() {
        out.extend(f.coordinate().filter(|s| used(*s)).map(Variable::Coordinate));
        if let Some(rotation) = f.rotation().map(|r| r.matrix) {
            let entries = (0..9).filter(|k| used(rotation[*k]));
            out.extend(entries.map(|k| Variable::Entry { rotation, row: k / 3, column: k % 3, theta }));
        }
    }
    out
}

/// Pairs of coordinates with an axis: two coordinates that the equations contain, with a third one along the axis or none; two components of the position of a
/// body, with the third.
pub(super) fn turned(system: &mut System, flow: &Flow) -> Vec<Variable> {
    let used = system.graph.free_symbols(&flow.equations.rates);
    let radius = system.derived_symbol("rho");
    let factors = system.configuration.factors().to_vec();
    let spatial: Vec<[Expr; 3]> =
        in_space(system).chunks_exact(3).filter_map(|v| <[Expr; 3]>::try_from(v).ok()).collect();
    let mut out = Vec::new();
    let mut next = 0;
    for f in factors.iter().filter(|f| f.rotation().is_some()) {
        let own = next;
        next += f.velocities.len() / 3;
        let Some(centre) = f.translation().map(|t| t.place) else { continue };
        // V of this body, and then every other vector
        let mut vectors: Vec<[Expr; 3]> = vec![spatial[own]];
        vectors.extend(spatial.iter().enumerate().filter(|(i, _)| *i != own).map(|(_, v)| *v));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            if !used.contains(&centre[i]) || !used.contains(&centre[j]) {
                continue;
            }
            let vectors: Vec<[Expr; 2]> = vectors.iter().map(|v| [v[i], v[j]]).collect();
            for along in [Some(centre[k]), None] {
                out.push(Variable::Turned { pair: [centre[i], centre[j]], along, radius, vectors: vectors.clone() });
            }
        }
    }
    let real: Vec<(Symbol, Symbol)> =
        (factors.iter()).filter_map(|f| Some((f.line().filter(|s| used.contains(s))?, f.velocities[0]))).collect();
    for (i, x) in real.iter().enumerate() {
        for y in &real[i + 1..] {
            let own = [x.1, y.1].map(|v| system.graph.var(v));
            let vectors: Vec<[Expr; 2]> = std::iter::once(own).chain(spatial.iter().map(|v| [v[0], v[1]])).collect();
            let others = real.iter().filter(|z| *z != x && *z != y).map(|z| Some(z.0));
            for along in others.chain([None]) {
                out.push(Variable::Turned { pair: [x.0, y.0], along, radius, vectors: vectors.clone() });
            }
        }
    }
    out
}

impl Variable {
    /// s as an expression; θ by its cosine, ρ by its square.
    pub(super) fn expression(&self, graph: &mut Graph) -> Expr {
        match self {
            Variable::Coordinate(s) => graph.var(*s),
            Variable::Entry { rotation, row, column, .. } => graph.var(rotation[3 * row + column]),
            Variable::Turned { along: Some(s), .. } => graph.var(*s),
            Variable::Turned { pair, .. } => {
                let squares = pair.map(|s| {
                    let x = graph.var(s);
                    graph.powi(x, 2)
                });
                graph.sum(squares)
            }
        }
    }

    /// ρ = √(x² + y²).
    pub(super) fn distance(&self, graph: &mut Graph) -> Expr {
        let Variable::Turned { pair, .. } = self else { return graph.zero() };
        let squares = pair.map(|s| {
            let x = graph.var(s);
            graph.powi(x, 2)
        });
        let sum = graph.sum(squares);
        graph.sqrt(sum)
    }

    /// The letter of the distance from the axis.
    pub(super) fn radius(&self) -> Option<Symbol> {
        match self {
            Variable::Turned { radius, .. } => Some(*radius),
            _ => None,
        }
    }

    pub(super) fn symbol(&self) -> Symbol {
        match self {
            Variable::Coordinate(s) => *s,
            Variable::Entry { theta, .. } => *theta,
            Variable::Turned { along, radius, .. } => along.unwrap_or(*radius),
        }
    }

    /// The w_j: velocities, for a coordinate also those of bodies in components along the axes of space, for an entry also times the entries of its
    /// row and its column.
    pub(super) fn velocities(&self, system: &mut System, flow: &Flow, w: &[Tracked]) -> Vec<Tracked> {
        let mut out = w.to_vec();
        if let Variable::Turned { pair, vectors, .. } = self {
            let mut parts = Vec::new();
            for [a, b] in vectors {
                let graph = &mut system.graph;
                let [x, y] = pair.map(|s| graph.var(s));
                let [xa, yb, xb, ya] = [(x, *a), (y, *b), (x, *b), (y, *a)].map(|(p, q)| graph.mul(p, q));
                parts.push(graph.sub(xb, ya));
                parts.push(graph.add(xa, yb));
            }
            let parts: Vec<Tracked> = parts.into_iter().map(|e| Tracked::new(system, flow, e)).collect();
            out.splice(0..0, parts);
        }
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

    /// One position for every s.
    pub(super) fn example(&self, graph: &mut Graph) -> FxHashMap<Symbol, Expr> {
        if let Variable::Turned { pair, radius, .. } = self {
            let rho = graph.var(*radius);
            let parts = [ratio(3, 5), ratio(4, 5)].map(|r| graph.scale(rho, &r));
            return pair.iter().copied().zip(parts).collect();
        }
        self.rotation(graph)
    }

    /// A rotation for every θ, with cos θ in its place: a turn about the axis of the row, one by θ, one about the axis of the column.
    fn rotation(&self, graph: &mut Graph) -> FxHashMap<Symbol, Expr> {
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
pub(super) fn some_rotations(system: &mut System) -> FxHashMap<Symbol, Expr> {
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
    let rotations = factors.iter().filter(|f| f.rotation().is_some());
    rotations.flat_map(|f| f.positions[..9].iter().copied().zip(product.entries().iter().copied())).collect()
}

/// The components of R Ω, and of R V for bodies that move about, for every rotation of the model.
fn in_space(system: &mut System) -> Vec<Expr> {
    let factors = system.configuration.factors().to_vec();
    let graph = &mut system.graph;
    let mut out = Vec::new();
    for f in factors.iter().filter(|f| f.rotation().is_some()) {
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
