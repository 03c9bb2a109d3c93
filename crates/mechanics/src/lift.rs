//! Which positions are integrated.
//!
//! The rates of the unknowns of reduced equations contain few positions, the base. The others are *lifted*: quadratures and equations on the
//! group, which nothing else depends on. Where they are not asked for they need not be integrated. The least that must be is the smallest set
//! K of positions with
//!
//! ```text
//! K ⊇ positions in the rates of the unknowns, in the powers of the energy balance, in the energy, in the events,
//!     and in what is asked for;            q ∈ K  ⇒  positions in q̇ ∈ K.                          (K)
//! ```
//!
//! Of a rotation a single row closes by itself, Rᵀe_i = γ with
//!
//! ```text
//! γ̇ = γ × Ω,                                                                                      (γ)
//! ```
//!
//! so that a ball over S² is integrated with γ ∈ S² and not with a quaternion.

use crate::forms::Equations;
use crate::system::System;
use polhode_expr::{Expr, Graph, Node, Rates, Symbol};
use polhode_model::Factor;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Expressions with more nodes are not rewritten to be rid of positions.
const NODES: usize = 600;

/// Nor with polynomials of more terms.
const TERMS: usize = 600;

/// Which positions are integrated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lift {
    /// All of them.
    #[default]
    Everything,
    /// Those of (K).
    Needed {
        /// Positions that are asked for.
        positions: Vec<Symbol>,
        /// Which of the observables are asked for.
        observables: Range<usize>,
    },
}

/// The set K while it grows.
#[derive(Clone, Debug)]
pub struct Narrowing {
    /// K.
    pub kept: FxHashSet<Symbol>,
    /// What symbols of the model stand for along a motion in one form.
    of: FxHashMap<Symbol, Expr>,
    positions: FxHashSet<Symbol>,
    /// The rates of the positions in that form.
    along: Rates,
    rotations: Vec<[Symbol; 9]>,
}

impl Narrowing {
    /// K for the rates of the unknowns and the positions that are asked for. `more` are values of further symbols: accelerations and multipliers.
    pub fn new(system: &mut System, equations: &Equations, more: &[(Symbol, Expr)], asked: &[Symbol]) -> Narrowing {
        let configuration = system.configuration.clone();
        let velocities = configuration.velocities().iter().copied().zip(equations.velocities.iter().copied());
        let mut out = Narrowing {
            kept: FxHashSet::default(),
            of: velocities.collect::<FxHashMap<_, _>>().into_iter().chain(more.iter().copied()).collect(),
            positions: configuration.positions().iter().copied().collect(),
            along: configuration.motion_along(&mut system.graph, system.time, &equations.velocities),
            rotations: configuration.factors().iter().filter_map(Factor::rotation).map(|r| r.matrix).collect(),
        };
        out.keep(&system.graph, &equations.rates, asked);
        out
    }

    /// Narrows an expression that must have a value, and keeps the positions that it still contains.
    pub fn need(&mut self, system: &mut System, e: &mut Expr) {
        *e = self.narrow(system, *e);
        self.keep(&system.graph, &[*e], &[]);
    }

    /// The expression in the unknowns of the form, without positions that are not kept, if that can be had: by putting whole factors to one place, or by the
    /// relations of rotations among the factors that contain such positions.
    pub fn narrow(&self, system: &mut System, e: Expr) -> Expr {
        let e = system.graph.substitute(e, &self.of);
        let unwanted = |graph: &Graph, e: Expr| -> FxHashSet<Symbol> {
            self.positions_in(graph, e).into_iter().filter(|s| !self.kept.contains(s)).collect()
        };
        if unwanted(&system.graph, e).is_empty() || system.graph.reachable(&[e]).len() > NODES {
            return e;
        }
        let narrowed = system.narrowed(e);
        let left = unwanted(&system.graph, narrowed);
        if left.is_empty() { narrowed } else { simplified_around(&mut system.graph, narrowed, &left) }
    }

    fn positions_in(&self, graph: &Graph, e: Expr) -> Vec<Symbol> {
        let free = graph.free_symbols(&[e]);
        free.into_iter().filter(|s| self.positions.contains(s)).collect()
    }

    /// Adds to the kept positions what these expressions and positions need: (K).
    fn keep(&mut self, graph: &Graph, roots: &[Expr], asked: &[Symbol]) {
        let mut open: Vec<Symbol> = asked.to_vec();
        roots.iter().for_each(|e| open.extend(self.positions_in(graph, *e)));
        while let Some(s) = open.pop() {
            if !self.kept.insert(s) {
                continue;
            }
            if let Some(rate) = self.along.get(&s) {
                open.extend(self.positions_in(graph, *rate));
            }
            // two rows of a rotation are as good as all, and the quaternion needs all of Ω
            if let Some(matrix) = self.rotations.iter().find(|m| m.contains(&s)) {
                let rows = matrix.chunks(3).filter(|row| row.iter().any(|s| self.kept.contains(s))).count();
                let at = matrix.iter().position(|m| *m == s).expect("found above") / 3;
                open.extend(if rows > 1 { &matrix[..] } else { &matrix[3 * at..3 * at + 3] });
            }
        }
    }
}

/// The expression simplified with everything held as one symbol that does not contain the unwanted ones: what is left is short.
fn simplified_around(graph: &mut Graph, e: Expr, unwanted: &FxHashSet<Symbol>) -> Expr {
    let mut touched: FxHashSet<Expr> = FxHashSet::default();
    for n in graph.reachable(&[e]) {
        let mut any = graph.as_symbol(n).is_some_and(|s| unwanted.contains(&s));
        graph.for_each_operand(n, |o| any |= touched.contains(&o));
        if any {
            touched.insert(n);
        }
    }
    let mut held: FxHashMap<Symbol, Expr> = FxHashMap::default();
    let short = graph.rebuild(&[e], |graph, n| {
        if touched.contains(&n) || matches!(graph.node(n), Node::Number(_) | Node::Pi | Node::Symbol(_)) {
            return None;
        }
        let symbol = graph.symbol(&format!("held[{}]", held.len() + 1));
        held.insert(symbol, n);
        Some(graph.var(symbol))
    });
    match graph.canonical_within(short[0], NODES, TERMS) {
        // a canonical form that has not got rid of them is only longer
        Some(short) if !graph.free_symbols(&[short]).iter().any(|s| unwanted.contains(s)) => {
            graph.substitute(short, &held)
        }
        _ => e,
    }
}
