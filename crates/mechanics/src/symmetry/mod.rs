//! Symmetry: vector fields X_i whose flows leave the Lagrangian, the forces and the constraints alone.
//!
//! ```text
//! [X_i, X_j] = c_ij^k X_k,    c constant              they generate a group
//! X_i^(1)(L) = 0                                      L is invariant
//! L_{X_i} F = 0                                       so are the forces
//! L_{X_i} A_ν ∈ span A   (with the drift a_ν)          and D
//! ```
//!
//! A field may depend on time: X^(1) then adds ∂X/∂t to velocities, and A_ν(∂X/∂t) to the change of the drift.
//!
//! All four are decided exactly; the first that fails is named, with the term that is left.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `field` | vector fields, their brackets and Lie derivatives |
//! | `relations` | constant linear relations between functions |
//! | `suggest` | cyclic coordinates and Euclidean motions that are symmetries |

mod field;
pub(crate) mod relations;
mod suggest;

pub use field::Field;
pub(crate) use field::bracket;

use crate::system::System;
use polhode_base::{Diagnostic, Diagnostics};
use polhode_expr::{Expr, Graph, Matrix, Reading, eliminate, print};
use relations::constant_relations;
use rustc_hash::FxHashMap;

/// Generators that close, and leave the system alone.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// The generators X_i.
    pub fields: Vec<Field>,
    /// c_ij^k as `structure[i][j][k]`.
    pub structure: Vec<Vec<Vec<Expr>>>,
    /// The generators are independent vectors at generic positions.
    pub free: bool,
    /// The author's name of the group.
    pub group: Option<String>,
}

impl Symmetry {
    /// Dimension of the group.
    pub fn dimension(&self) -> usize {
        self.fields.len()
    }

    /// Do all generators commute?
    pub fn is_abelian(&self, graph: &Graph) -> bool {
        self.structure.iter().flatten().flatten().all(|c| graph.is_zero(*c))
    }
}

/// Two generators whose bracket is not generated.
struct OpenBracket {
    first: usize,
    second: usize,
    bracket: String,
}

/// The longest residual that a message shows.
const LONGEST_SHOWN: usize = 300;

impl System {
    /// The symmetry that the model states, checked. The diagnostics say which generator fails, and by what.
    pub fn symmetry(&mut self) -> Result<Symmetry, Diagnostics> {
        let model = self.model.clone();
        let mut diagnostics = Diagnostics::new();
        let mut fields = Vec::new();
        for generator in &model.symmetries {
            let refused = match Field::of(self, generator) {
                None => Diagnostic::error(
                    "not-a-symmetry",
                    format!("the generator {} leaves the configuration space", generator.text),
                )
                .help("a rotation moves by R = \"hat(a)*R\" or \"R*hat(a)\", a direction s by \"cross(a, s)\""),
                Some(field) => match self.changed_by(&field) {
                    None => {
                        fields.push(field);
                        continue;
                    }
                    Some((what, residual)) => {
                        let shown = self.shown(residual);
                        Diagnostic::error("not-a-symmetry", format!("{} is no symmetry: it changes {what}", field.text))
                            .note(format!("what is left along it: {shown}"))
                            .help("leave this generator out, or correct it; `polhode reduce` finds symmetries of a model that states none")
                    }
                },
            };
            diagnostics.push(refused.at(generator.span, ""));
        }
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        match self.group_of(fields) {
            Ok(symmetry) => Ok(Symmetry { group: model.symmetry_group.clone(), ..symmetry }),
            Err(OpenBracket { first, second, bracket }) => {
                let name = |i: usize| &model.symmetries[i].text;
                let (a, b) = (name(first), name(second));
                let message = format!("the generators do not close: [{a}, {b}] is no constant combination of them");
                let error = Diagnostic::error("open-symmetry", message)
                    .at(model.symmetries[second].span, "")
                    .note(format!("the bracket is {bracket}"))
                    .help("add it to the generators: the flows of two symmetries generate that of their bracket");
                diagnostics.push(error);
                Err(diagnostics)
            }
        }
    }

    /// As many of some symmetries as are independent of each other at generic positions and close under brackets; `None` when that leaves none.
    ///
    /// From each of them the subalgebra is grown by one more and all that brackets with it generate, as long as it stays free; the
    /// largest is taken, among equals the first.
    pub fn free_part(&mut self, fields: Vec<Field>) -> Option<Symmetry> {
        let whole = self.group_of(fields.clone()).ok()?;
        if whole.free {
            return Some(whole).filter(|s| s.dimension() > 0);
        }
        let g = fields.len();
        let closed = |graph: &Graph, mut set: Vec<bool>| {
            loop {
                let inside = |i: &usize| set[*i];
                let pairs = (0..g).filter(inside).flat_map(|i| (0..g).filter(inside).map(move |j| (i, j)));
                let needs = |k: &usize| pairs.clone().any(|(i, j)| !graph.is_zero(whole.structure[i][j][*k]));
                match (0..g).filter(|k| !set[*k]).find(needs) {
                    Some(k) => set[k] = true,
                    None => return set,
                }
            }
        };
        let mut known: FxHashMap<Vec<bool>, bool> = FxHashMap::default();
        let chosen = |set: &[bool]| fields.iter().zip(set).filter(|(_, c)| **c).map(|(f, _)| f.clone()).collect();
        let mut best = vec![false; g];
        for first in 0..g {
            let mut set = vec![false; g];
            for next in (first..g).chain(0..first) {
                let mut grown = set.clone();
                grown[next] = true;
                let grown = closed(&self.graph, grown);
                let free = *known.entry(grown.clone()).or_insert_with(|| {
                    let chosen: Vec<Field> = chosen(&grown);
                    self.independent(&chosen)
                });
                if free {
                    set = grown;
                }
            }
            if size(&set) > size(&best) {
                best = set;
            }
        }
        let chosen: Vec<Field> = chosen(&best);
        if chosen.is_empty() { None } else { self.group_of(chosen).ok() }
    }

    /// The group that fields generate, when they close under brackets.
    fn group_of(&mut self, fields: Vec<Field>) -> Result<Symmetry, OpenBracket> {
        let free = self.independent(&fields);
        let structure = self.close(&fields, free)?;
        Ok(Symmetry { fields, structure, free, group: None })
    }

    /// What a field changes: the first of Lagrangian, forces, constraints, with what is left.
    pub fn changed_by(&mut self, field: &Field) -> Option<(&'static str, Expr)> {
        let configuration = self.configuration.clone();
        let lifted = field.lifted(&mut self.graph, &configuration);
        let change = self.graph.along(self.lagrangian, &lifted);
        if !self.is_zero(change) {
            return Some(("the Lagrangian", change));
        }
        let forces = self.forces.clone();
        let changes = field.lie_derivative(&mut self.graph, &configuration, &forces);
        if let Some(change) = changes.into_iter().find(|e| !self.is_zero(*e)) {
            return Some(("the forces", change));
        }
        if let Some(change) = field.dragged.clone().into_iter().find(|e| !self.is_zero(*e)) {
            return Some(("how the points of contact move", change));
        }
        self.changes_of_constraints(field).into_iter().find(|e| !self.is_zero(*e)).map(|e| ("the constraints", e))
    }

    /// (L_X A_ν)(e_a) for a basis e_a of D, and (L_X A_ν)(e₀) + X(a_ν) + A_ν(∂X/∂t) for the drift: all vanish when D is invariant.
    pub fn changes_of_constraints(&mut self, field: &Field) -> Vec<Expr> {
        let configuration = self.configuration.clone();
        let frame = self.voronets_frame();
        let rows: Vec<_> =
            self.distribution.elimination.rows.iter().map(|i| self.distribution.reduced[*i].clone()).collect();
        let graph = &mut self.graph;
        let mut out = Vec::new();
        for row in rows {
            let change = field.lie_derivative(graph, &configuration, &row.a);
            let on = |graph: &mut Graph, v: &[Expr]| {
                let parts: Vec<Expr> = change.iter().zip(v).map(|(c, x)| graph.mul(*c, *x)).collect();
                graph.sum(parts)
            };
            for a in 0..frame.k {
                let e = frame.e.col(a);
                out.push(on(graph, &e));
            }
            let drift = on(graph, &frame.e0);
            let moved = graph.along(row.a0, &field.rates);
            let boosts = row.a.iter().zip(&field.boost).map(|(a, b)| graph.mul(*a, *b));
            let mut parts: Vec<Expr> = boosts.collect();
            parts.extend([drift, moved]);
            out.push(graph.sum(parts));
        }
        out
    }

    /// Are the fields independent at generic points?
    pub fn independent(&mut self, fields: &[Field]) -> bool {
        let n = self.configuration.velocities().len();
        let a = Matrix::from_fn(fields.len(), n, |i, j| fields[i].components[j]);
        let b = Matrix::zeros(&self.graph, fields.len(), 0);
        let price = |_: &Graph, _: usize, _: Expr| 0;
        eliminate(&mut self.graph, &mut self.zero, &a, &b, price).dependent.is_empty()
    }

    /// The structure constants, or the first pair whose bracket is no constant combination.
    fn close(&mut self, fields: &[Field], free: bool) -> Result<Vec<Vec<Vec<Expr>>>, OpenBracket> {
        let g = fields.len();
        let zero = self.graph.zero();
        let mut structure = vec![vec![vec![zero; g]; g]; g];
        for i in 0..g {
            for j in i + 1..g {
                let rates = bracket(&mut self.graph, &self.configuration, &fields[i].rates, &fields[j].rates);
                let components = self.configuration.components_along(&mut self.graph, &rates);
                let solved =
                    if free { self.combination(fields, &components) } else { self.numbers(fields, &components) };
                let Some(constants) = solved else {
                    return Err(OpenBracket { first: i, second: j, bracket: self.field_text(&components) });
                };
                for (k, c) in constants.into_iter().enumerate() {
                    structure[j][i][k] = self.graph.neg(c);
                    structure[i][j][k] = c;
                }
            }
        }
        Ok(structure)
    }

    /// The coefficients of a field in independent ones, when they are free of positions and time (parameters may occur).
    fn combination(&mut self, fields: &[Field], wanted: &[Expr]) -> Option<Vec<Expr>> {
        let a = Matrix::from_fn(wanted.len(), fields.len(), |i, j| fields[j].components[i]);
        let b = Matrix::from_fn(wanted.len(), 1, |i, _| wanted[i]);
        let price = |g: &Graph, _: usize, e: Expr| if g.as_number(e).is_some() { 0 } else { g.reachable(&[e]).len() };
        let solved = eliminate(&mut self.graph, &mut self.zero, &a, &b, price);
        if solved.remainders.iter().flatten().any(|e| !self.zero.is_zero(&mut self.graph, *e)) {
            return None;
        }
        let mut out = vec![self.graph.zero(); fields.len()];
        for (i, p) in solved.pivots.iter().enumerate() {
            let c = self.graph.simplify_small(solved.solution[(i, solved.free.len())]);
            for s in self.configuration.positions().iter().copied().chain([self.time]).collect::<Vec<_>>() {
                let slope = self.graph.derivative(c, s);
                if self.graph.contains_any(c, &[s]) && !self.is_zero(slope) {
                    return None;
                }
            }
            out[*p] = c;
        }
        Some(out)
    }

    /// The same by numbers alone, for generators that depend on each other over functions.
    fn numbers(&mut self, fields: &[Field], wanted: &[Expr]) -> Option<Vec<Expr>> {
        let mut vectors = vec![wanted.to_vec()];
        vectors.extend(fields.iter().map(|f| f.components.clone()));
        let relations = constant_relations(&mut self.graph, &mut self.zero, &vectors);
        let relation = relations.into_iter().find(|r| !r[0].is_zero())?;
        Some(relation[1..].iter().map(|c| self.graph.number(-c / &relation[0])).collect())
    }

    /// A readable expression in the syntax of model files.
    pub fn shown(&mut self, e: Expr) -> String {
        let reading = Reading { parameters: self.parameters.clone() };
        match self.graph.readable_or_stored(e, &reading, LONGEST_SHOWN) {
            Some(tree) => print::ascii(&self.graph, &tree),
            None => "a long expression".to_string(),
        }
    }

    /// A field as it would be written: `cos(phi) d/dx + …`, with the names of velocities where they are not rates of coordinates.
    pub fn field_text(&mut self, components: &[Expr]) -> String {
        let mut parts = Vec::new();
        for (a, e) in components.iter().enumerate() {
            if self.is_zero(*e) {
                continue;
            }
            let name = self.graph.name(self.configuration.velocities()[a]);
            let direction = match name.strip_suffix('\'') {
                Some(coordinate) => format!("d/d{coordinate}"),
                None => format!("<{name}>"),
            };
            let coefficient = self.shown(*e);
            parts.push(match coefficient.as_str() {
                "1" => direction,
                "-1" => format!("-{direction}"),
                c if c.contains(" + ") || c[1..].contains(" - ") => format!("({c})*{direction}"),
                c => format!("{c}*{direction}"),
            });
        }
        if parts.is_empty() { "0".to_string() } else { parts.join(" + ").replace("+ -", "- ") }
    }
}

/// How many are chosen.
fn size(set: &[bool]) -> usize {
    set.iter().filter(|c| **c).count()
}
