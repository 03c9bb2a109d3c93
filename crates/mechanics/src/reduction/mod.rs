//! Reduction by symmetry: the Lagrange–d'Alembert–Poincaré equations as one more frame.
//!
//! For a group with vertical space V = span X_i and the constraint distribution D,
//!
//! ```text
//! S = D ∩ V,      D = H ⊕ S,      V = S ⊕ U,      TQ = H ⊕ S ⊕ U   when  D + V = TQ.            (R1)
//! ```
//!
//! All of them are invariant, and bases with invariant fields come from one elimination: in an invariant frame
//! (`invariant.rs`) whose fields are split into vertical ones v_i and the rest f_α, the rows A of the constraints are solved
//! for as many vertical components as possible,
//!
//! ```text
//! A (f_α x^α + v_i y^i) = 0:    free y → S,   free x → H,   solved y → U,   solved x → W.        (R2)
//! ```
//!
//! W is empty when the *dimension assumption* D + V = TQ holds. When it fails the constraints bind the base as well:
//! the motion of the base stays in the projection of H, and everything below holds as it stands. H is then made
//! orthogonal to S in the kinetic metric (the *nonholonomic connection* \[BlochEtAl1996\]), or taken from the model, or left as it is.
//!
//! The frame equation in the frame (H, S | U, W) is the vertical and the horizontal equation at once \[CendraDiaz2006\]:
//! the brackets [h, h] carry the curvature B = −A([h, h]), [h, v] the covariant derivative, [v, v] the bracket of the adjoint bundle.
//! Its coefficients are invariant, so it closes on the quotient.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `invariant` | invariant frames and functions |
//! | `balance` | the equations in the shape of the papers, in ẋ and v̄ |
//! | `closed` | the same to be integrated: the base drives itself, the group follows |
//! | `sheet` | all of it as it is shown |

mod balance;
mod closed;
mod invariant;
mod sheet;

pub use balance::{Poincare, PoincareEquation};

use crate::forms::{Equations, Form, in_quasi_velocities};
use crate::frame::{Frame, Leg};
use crate::symmetry::{Field, Symmetry};
use crate::system::System;
use polhode_base::{Diagnostic, Diagnostics};
use polhode_expr::{Expr, Graph, Matrix, Symbol, eliminate, inverse, solve_ldl};

/// How the horizontal space is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// H ⊥ S in the kinetic metric: the nonholonomic connection.
    Kinetic,
    /// H as the elimination (R2) leaves it.
    Plain,
    /// The horizontal fields of the model.
    Given,
}

/// A system reduced by its symmetry.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The group.
    pub symmetry: Symmetry,
    /// How H was chosen.
    pub connection: Connection,
    /// An invariant frame of TQ, as columns in the base frame.
    pub invariant: Matrix,
    /// Invariant vertical fields v_i, as columns in the base frame.
    pub vertical: Matrix,
    /// Basis h_α of H.
    pub horizontal: Matrix,
    /// Basis s_a of S.
    pub admissible: Matrix,
    /// s_a = Σ_i σ^i_a v_i.
    pub sigma: Matrix,
    /// Basis of U, the rest of V.
    pub rest: Matrix,
    /// Basis of W: directions of the base that the constraints forbid.
    pub forbidden: Matrix,
    /// The frame (H, S | U, W) with the drift of the constraints.
    pub frame: Frame,
    /// Functions on the quotient: invariant coordinates and combinations.
    pub base: Vec<Expr>,
    /// How many of the directions of W lead out of the configuration space: a direction in space is kept with three components.
    pub outward: usize,
}

/// Why a system cannot be reduced.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NotReducible {
    /// The model states no symmetry, and none is found.
    NoSymmetry,
    /// Its symmetry is none, or its connection is none.
    Refused(Diagnostics),
    /// The generators are dependent everywhere: the quotient has no bundle over it.
    NotFree,
    /// This generator changes with time: it moves through different orbits, and a quotient by them does not stay the same.
    ChangesWithTime(String),
    /// No invariant frame was found.
    NoInvariantFrame,
}

impl std::fmt::Display for NotReducible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotReducible::NoSymmetry => {
                f.write_str("the model states no symmetry, and no cyclic coordinate or Euclidean motion is one")
            }
            NotReducible::Refused(d) => {
                let first = d.iter().next().map_or("its symmetry is wrong", |d| d.message.as_str());
                f.write_str(first)
            }
            NotReducible::NotFree => {
                f.write_str("the generators are dependent at every position, so that the group does not act freely")
            }
            NotReducible::ChangesWithTime(text) => {
                write!(
                    f,
                    "the symmetry {text} depends on time; reduction is by fields on the configuration space alone"
                )
            }
            NotReducible::NoInvariantFrame => f.write_str("no invariant frame was found"),
        }
    }
}

impl Reduction {
    /// Does D + V = TQ hold?
    pub fn dimension_assumption(&self) -> bool {
        self.forbidden.cols() == self.outward
    }

    /// Dimension of the quotient Q/G.
    pub fn base_dimension(&self) -> usize {
        self.horizontal.cols() + self.forbidden.cols() - self.outward
    }
}

impl System {
    /// The system reduced by the symmetry of its model, with the model's connection or, if it has none, the kinetic one.
    pub fn reduction(&mut self) -> Result<Reduction, NotReducible> {
        if self.model.symmetries.is_empty() {
            return Err(NotReducible::NoSymmetry);
        }
        let symmetry = self.symmetry().map_err(NotReducible::Refused)?;
        let given = !self.model.horizontal.is_empty();
        self.reduced_by(symmetry, if given { Connection::Given } else { Connection::Kinetic })
    }

    /// [`System::reduction`]; a model that states no symmetry is reduced by those that are found.
    pub fn reduction_or_found(&mut self) -> Result<Reduction, NotReducible> {
        if !self.model.symmetries.is_empty() {
            return self.reduction();
        }
        self.reduction_by_found(Connection::Kinetic)
    }

    /// The system reduced by the symmetries that are found, or by the cyclic coordinates among them where the others have no invariant frame.
    pub fn reduction_by_found(&mut self, connection: Connection) -> Result<Reduction, NotReducible> {
        let fields = self.suggested_symmetries();
        let symmetry = self.free_part(fields.clone()).ok_or(NotReducible::NoSymmetry)?;
        let constant = |graph: &Graph, f: &Field| f.rates.values().all(|e| graph.as_number(*e).is_some());
        let cyclic = fields.into_iter().filter(|f| constant(&self.graph, f)).collect();
        match self.reduced_by(symmetry, connection) {
            Ok(reduction) => Ok(reduction),
            Err(why) => match self.free_part(cyclic) {
                Some(cyclic) => self.reduced_by(cyclic, connection),
                None => Err(why),
            },
        }
    }

    /// The system reduced by a symmetry and with a connection of choice.
    pub fn reduced_by(&mut self, symmetry: Symmetry, connection: Connection) -> Result<Reduction, NotReducible> {
        if !symmetry.free {
            return Err(NotReducible::NotFree);
        }
        if let Some(field) = symmetry.fields.iter().find(|f| f.depends_on_time(&self.graph)) {
            return Err(NotReducible::ChangesWithTime(field.text.clone()));
        }
        let invariant = invariant::frame(self, &symmetry).ok_or(NotReducible::NoInvariantFrame)?;
        let base = invariant::functions_of_the_base(self, &symmetry);
        let split = split(self, &symmetry, &invariant);
        let mut parts = solve(self, &split);
        match connection {
            Connection::Plain => {}
            Connection::Kinetic => parts.horizontal = orthogonal(self, &parts.admissible, &parts.horizontal),
            Connection::Given => take_given(self, &mut parts, &split, &symmetry).map_err(NotReducible::Refused)?,
        }
        // any complement of S in V makes the same equations; the plain one gives the velocities of the model their names
        let frame = frame(self, &parts);
        let Parts { horizontal, admissible, sigma, rest, forbidden, .. } = parts;
        let rest = if connection == Connection::Kinetic { orthogonal(self, &admissible, &rest) } else { rest };
        let vertical = split.vertical;
        let outward = self.distribution.representation.min(forbidden.cols());
        Ok(Reduction {
            outward,
            symmetry,
            connection,
            invariant,
            vertical,
            horizontal,
            admissible,
            sigma,
            rest,
            forbidden,
            frame,
            base,
        })
    }
}

/// An invariant frame in two parts.
struct Split {
    /// v_i: invariant fields that span V.
    vertical: Matrix,
    /// f_α: what is left of the frame.
    across: Matrix,
}

/// The echelon form of V in the invariant frame gives invariant vertical fields; the fields of the frame without a pivot
/// go across.
fn split(system: &mut System, symmetry: &Symmetry, invariant: &Matrix) -> Split {
    let n = invariant.rows();
    let g = symmetry.dimension();
    let inverse = inverse(&mut system.graph, &mut system.zero, invariant).expect("the invariant fields are a frame");
    let generators = Matrix::from_fn(n, g, |a, i| symmetry.fields[i].components[a]);
    let coordinates = inverse.mul(&mut system.graph, &generators).transpose();
    let nothing = Matrix::zeros(&system.graph, g, 0);
    let price = |graph: &Graph, _: usize, e: Expr| size_of(graph, e);
    let echelon = eliminate(&mut system.graph, &mut system.zero, &coordinates, &nothing, price);
    let graph = &mut system.graph;
    // row i of the echelon form: 1 at its pivot, −solution at the free columns
    let mut order: Vec<usize> = (0..g).collect();
    order.sort_by_key(|i| echelon.pivots[*i]);
    let mut vertical = Matrix::zeros(graph, n, g);
    for (column, i) in order.into_iter().enumerate() {
        for a in 0..n {
            let mut parts = vec![invariant[(a, echelon.pivots[i])]];
            for (j, free) in echelon.free.iter().enumerate() {
                let step = graph.mul(echelon.solution[(i, j)], invariant[(a, *free)]);
                parts.push(graph.neg(step));
            }
            let sum = graph.sum(parts);
            vertical[(a, column)] = graph.simplify_small(sum);
        }
    }
    let rows: Vec<usize> = (0..n).collect();
    Split { vertical, across: invariant.select(&rows, &echelon.free) }
}

/// The bases of (R1), before a connection is chosen.
struct Parts {
    horizontal: Matrix,
    admissible: Matrix,
    sigma: Matrix,
    rest: Matrix,
    forbidden: Matrix,
    drift: Vec<Expr>,
}

/// (R2).
fn solve(system: &mut System, split: &Split) -> Parts {
    let (rows, drifts) = system.distribution.reduced_rows();
    let (n, g, b) = (split.vertical.rows(), split.vertical.cols(), split.across.cols());
    let graph = &mut system.graph;
    let fields =
        Matrix::from_fn(n, b + g, |a, j| if j < b { split.across[(a, j)] } else { split.vertical[(a, j - b)] });
    let m = if rows.rows() == 0 { Matrix::zeros(graph, 0, b + g) } else { rows.mul(graph, &fields) };
    let m = m.map(|e| graph.simplify_small(e));
    let rhs = Matrix::from_fn(m.rows(), 1, |i, _| graph.neg(drifts[i]));
    // A vertical pivot first; among these such that vanish nowhere, and late ones, so that early generators stay free.
    let parameters = system.parameters.clone();
    let price = |graph: &Graph, j: usize, e: Expr| {
        let constant = graph.free_symbols(&[e]).iter().all(|s| parameters.contains(s));
        let across = if j < b { 1_000_000 } else { 0 };
        across + if constant { b + g - j } else { 1000 + size_of(graph, e) }
    };
    let solved = eliminate(graph, &mut system.zero, &m, &rhs, price);
    let column = |graph: &mut Graph, a: usize, free: usize| -> Expr {
        let mut parts = vec![fields[(a, solved.free[free])]];
        for (i, p) in solved.pivots.iter().enumerate() {
            parts.push(graph.mul(solved.solution[(i, free)], fields[(a, *p)]));
        }
        let sum = graph.sum(parts);
        graph.simplify_small(sum)
    };
    let (h, s): (Vec<usize>, Vec<usize>) = (0..solved.free.len()).partition(|k| solved.free[*k] < b);
    let horizontal = Matrix::from_fn(n, h.len(), |a, k| column(graph, a, h[k]));
    let admissible = Matrix::from_fn(n, s.len(), |a, k| column(graph, a, s[k]));
    let sigma = Matrix::from_fn(g, s.len(), |i, k| {
        if solved.free[s[k]] == b + i {
            return graph.one();
        }
        match solved.pivots.iter().position(|p| *p == b + i) {
            Some(row) => solved.solution[(row, s[k])],
            None => graph.zero(),
        }
    });
    let mut pivots = solved.pivots.clone();
    pivots.sort();
    let every: Vec<usize> = (0..n).collect();
    let (w, u): (Vec<usize>, Vec<usize>) = pivots.into_iter().partition(|p| *p < b);
    let (rest, forbidden) = (fields.select(&every, &u), fields.select(&every, &w));
    let drift = (0..n)
        .map(|a| {
            let parts: Vec<Expr> = solved
                .pivots
                .iter()
                .enumerate()
                .map(|(i, p)| graph.mul(solved.solution[(i, solved.free.len())], fields[(a, *p)]))
                .collect();
            let sum = graph.sum(parts);
            graph.simplify_small(sum)
        })
        .collect();
    Parts { horizontal, admissible, sigma, rest, forbidden, drift }
}

/// Fields less their parts along S, in the kinetic metric; as they are when the metric depends on the velocities.
fn orthogonal(system: &mut System, s: &Matrix, fields: &Matrix) -> Matrix {
    if s.cols() == 0 || fields.cols() == 0 {
        return fields.clone();
    }
    let Some(metric) = metric(system) else { return fields.clone() };
    let graph = &mut system.graph;
    let lowered = metric.mul(graph, s);
    let pairing = lowered.transpose().mul(graph, fields).map(|e| graph.simplify_small(e));
    if pairing.entries().iter().all(|e| system.zero.is_zero(graph, *e)) {
        return fields.clone();
    }
    let gram = s.transpose().mul(graph, &lowered).map(|e| graph.simplify_small(e));
    let shares = solve_ldl(graph, &gram, &pairing).map(|e| graph.simplify_small(e));
    let along = s.mul(graph, &shares);
    Matrix::from_fn(fields.rows(), fields.cols(), |a, j| {
        let difference = graph.sub(fields[(a, j)], along[(a, j)]);
        graph.simplify_small(difference)
    })
}

/// ∂²L/∂v∂v, when it is free of velocities.
fn metric(system: &mut System) -> Option<Matrix> {
    let v = system.configuration.velocities().to_vec();
    let metric = system.mass_matrix().map(|e| system.graph.simplify_small(e));
    metric.entries().iter().all(|e| !system.graph.contains_any(*e, &v)).then_some(metric)
}

/// The model's horizontal fields in place of the elimination's: they must lie in D, be as many, project onto the same directions,
/// and span an invariant space. Each basis field is replaced by the combination of given ones with the same
/// projection, which is invariant when their span is.
fn take_given(system: &mut System, parts: &mut Parts, split: &Split, symmetry: &Symmetry) -> Result<(), Diagnostics> {
    let model = system.model.clone();
    let mut diagnostics = Diagnostics::new();
    let mut given = Vec::new();
    for generator in &model.horizontal {
        let Some(field) = Field::of(system, generator) else {
            let message = format!("the horizontal field {} leaves the configuration space", generator.text);
            diagnostics.push(Diagnostic::error("not-a-connection", message).at(generator.span, ""));
            continue;
        };
        let row = system.distribution.independent_rows();
        for i in 0..row.rows() {
            let products: Vec<Expr> =
                (0..field.components.len()).map(|a| system.graph.mul(row[(i, a)], field.components[a])).collect();
            let slip = system.graph.sum(products);
            if !system.is_zero(slip) {
                let shown = system.shown(slip);
                let message = format!("the horizontal field {} violates a constraint", generator.text);
                diagnostics.push(
                    Diagnostic::error("not-a-connection", message)
                        .at(generator.span, "")
                        .note(format!("by {shown}"))
                        .help("horizontal fields are admissible velocities: D = S ⊕ H"),
                );
                break;
            }
        }
        given.push(field);
    }
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let wrong = |message: String| {
        let mut d = Diagnostics::new();
        let error = Diagnostic::error("not-a-connection", message);
        d.push(match model.horizontal.first() {
            Some(first) => error.at(first.span, "").help("leave `horizontal` out to get the one of the kinetic energy"),
            None => error.help("write horizontal = [\"…\"] under [symmetry]"),
        });
        d
    };
    let (n, h) = (parts.horizontal.rows(), parts.horizontal.cols());
    if given.len() != h {
        return Err(wrong(format!("D = S ⊕ H needs {h} horizontal fields, but {} are given", given.len())));
    }
    // h_α = Σ_β x_β given_β modulo V: solve (given | v) (x, y) = h_α
    let g = split.vertical.cols();
    let columns =
        Matrix::from_fn(n, h + g, |a, j| if j < h { given[j].components[a] } else { split.vertical[(a, j - h)] });
    let price = |graph: &Graph, _: usize, e: Expr| size_of(graph, e);
    let solved = eliminate(&mut system.graph, &mut system.zero, &columns, &parts.horizontal, price);
    let open = solved.remainders.iter().flatten().any(|e| !system.zero.is_zero(&mut system.graph, *e));
    if open || (0..h).any(|j| !solved.pivots.contains(&j)) {
        return Err(wrong("the horizontal fields and S together do not span D".to_string()));
    }
    let graph = &mut system.graph;
    let free = solved.free.len();
    let fresh = Matrix::from_fn(n, h, |a, k| {
        let parts: Vec<Expr> = (0..h)
            .map(|j| {
                let row = solved.pivots.iter().position(|p| *p == j).expect("every given field is a pivot");
                graph.mul(solved.solution[(row, free + k)], given[j].components[a])
            })
            .collect();
        let sum = graph.sum(parts);
        graph.simplify_small(sum)
    });
    for k in 0..h {
        let rates = system.configuration.rates_along(&mut system.graph, &fresh.col(k));
        for x in &symmetry.fields {
            let bracket = crate::symmetry::bracket(&mut system.graph, &system.configuration, &x.rates, &rates);
            let left = system.configuration.components_along(&mut system.graph, &bracket);
            if left.into_iter().any(|e| !system.is_zero(e)) {
                return Err(wrong(format!("the horizontal space is not invariant under {}", x.text)));
            }
        }
    }
    parts.horizontal = fresh;
    Ok(())
}

/// (H, S | U, W) with names for its quasi-velocities.
fn frame(system: &mut System, parts: &Parts) -> Frame {
    let blocks = [&parts.horizontal, &parts.admissible, &parts.rest, &parts.forbidden];
    let n = parts.horizontal.rows();
    let columns: Vec<Vec<Expr>> = blocks.iter().flat_map(|m| (0..m.cols()).map(|j| m.col(j))).collect();
    let e = Matrix::from_fn(n, n, |a, j| columns[j][a]);
    let beta = inverse(&mut system.graph, &mut system.zero, &e).expect("H, S, U, W span TQ");
    let beta = beta.map(|x| system.graph.simplify_small(x));
    let (h, s) = (parts.horizontal.cols(), parts.admissible.cols());
    let mut xi = Vec::with_capacity(h + s);
    for j in 0..h + s {
        let (letter, index, count) = if j < h { ("u", j, h) } else { ("eta", j - h, s) };
        xi.push(match unit_velocity(system, beta.row(j)) {
            Some(symbol) => symbol,
            None if count == 1 => system.derived_symbol(letter),
            None => system.derived_symbol(&format!("{letter}[{}]", index + 1)),
        });
    }
    Frame { e, e0: parts.drift.clone(), beta, k: h + s, xi }
}

/// The velocity symbol whose form a row is.
fn unit_velocity(system: &System, row: &[Expr]) -> Option<Symbol> {
    let mut entries = row.iter().enumerate().filter(|(_, e)| !system.graph.is_zero(**e));
    match (entries.next(), entries.next()) {
        (Some((a, e)), None) if *e == system.graph.one() => Some(system.configuration.velocities()[a]),
        _ => None,
    }
}

/// Numbers before everything else.
fn size_of(graph: &Graph, e: Expr) -> usize {
    if graph.as_number(e).is_some() { 0 } else { graph.reachable(&[e]).len() }
}

impl Reduction {
    /// The equations of motion in the frame of the reduction.
    pub fn equations(&self, system: &mut System) -> Equations {
        in_quasi_velocities(system, Form::Ldap, self.frame.clone(), Vec::new())
    }

    /// The components of a bracket of two fields of a frame, in that frame.
    fn bracket(system: &mut System, frame: &Frame, i: usize, j: usize) -> Vec<Expr> {
        let configuration = system.configuration.clone();
        let time = system.time;
        let raw = frame.bracket(&mut system.graph, &configuration, time, Leg::Field(i), Leg::Field(j));
        raw.into_iter()
            .map(|e| if system.is_zero(e) { system.graph.zero() } else { system.graph.simplify_small(e) })
            .collect()
    }
}
