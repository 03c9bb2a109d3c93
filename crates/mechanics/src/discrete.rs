//! The discrete Lagrange–d'Alembert principle \[CortesMartinez2001\].
//!
//! Equations of motion are written here too, besides `equation.rs`: those of a step, which are no differential equations and have no frame.
//! With the midpoint discrete Lagrangian of a step from q₀ to q₁,
//!
//! ```text
//! L_d(q₀, q₁) = h L(q_m, w, t + h/2),      q_m the midpoint,  w the mean velocity,        (L)
//! ```
//!
//! the momentum p that arrives at q₀, the next position and the multipliers μ satisfy
//!
//! ```text
//! p + D₁L_d(q₀, q₁) + ½ h F_m + Σ μ_ν A_ν(q₀) = 0,
//! A(q_m) w + a₀(q_m) = 0      (for a holonomic constraint: h(q₁) = 0),                   (D)
//! p⁺ = D₂L_d(q₀, q₁) + ½ h F_m.
//! ```
//!
//! A coordinate has q_m = ½(q₀ + q₁) and w = (q₁ − q₀)/h. A rotation is moved by the Cayley map of its mean angular velocity w = Ω; plane and
//! space motions are taken as coordinates and a rotation. So (L) and (D) are made of L, F and A in the coordinate rates and Ω, which is what is
//! derived here. p belongs to the constraint covectors only up to Σ μ A, and the velocity at a node is the one that M v = p + Aᵀμ, A v = −a₀
//! determine.
//!
//! Both L_d and (D) are symmetric, so the order is 2; momenta of symmetries that the constraints leave alone are
//! kept to rounding. `crates/simulate/tests/discrete.rs` measures both.
//!
//! Not here: quaternions, and what a turn of one end does to the midpoint (`lower/src/discrete.rs`).

use crate::system::System;
use polhode_expr::number::int;
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol, ZeroTest, inverse};
use polhode_model::PlaneMotion;
use rustc_hash::FxHashMap;
use std::fmt;

/// Why a system has no discrete equations of this kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoPrinciple {
    /// A factor of the configuration space for which no discrete velocity is defined here.
    Direction(String),
    /// A point that velocities carry along, such as a point of contact.
    Carried(String),
}

impl fmt::Display for NoPrinciple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, what) = match self {
            NoPrinciple::Direction(name) => (name, "direction (S2)"),
            NoPrinciple::Carried(name) => (name, "point of contact"),
        };
        write!(f, "the discrete method knows coordinates and rotations, but `{name}` is a {what}")
    }
}

impl std::error::Error for NoPrinciple {}

/// What (D) is made of, in positions and rates.
#[derive(Clone, Debug)]
pub struct Principle {
    /// One symbol per discrete velocity: coordinate rates and angular velocities.
    pub rates: Vec<Symbol>,
    /// The rate of each coordinate, and the first of three of each rotation by its first entry: places among the rates.
    pub first: FxHashMap<Symbol, usize>,
    /// b_i(L): derivatives by position along the frame of the rates.
    pub push: Vec<Expr>,
    /// ∂L/∂rate_i.
    pub momentum: Vec<Expr>,
    /// F on the rates.
    pub force: Vec<Expr>,
    /// Independent rows on the rates.
    pub rows: Vec<Vec<Expr>>,
    /// A v + a₀.
    pub residuals: Vec<Expr>,
    /// h for rows of holonomic constraints.
    pub holonomic: Vec<Option<Expr>>,
    /// The velocities of the model in terms of the rates.
    velocities: Vec<Expr>,
}

impl Principle {
    /// The principle for a system; `holonomic` are the functions h with the index of their constraint.
    pub fn new(system: &mut System, holonomic: &[(usize, Expr)]) -> Result<Principle, NoPrinciple> {
        let configuration = system.configuration.clone();
        if let Some(f) = configuration.factors().iter().find(|f| f.is_carried()) {
            return Err(NoPrinciple::Carried(f.name.clone()));
        }
        if let Some(f) = configuration.factors().iter().find(|f| f.direction().is_some()) {
            return Err(NoPrinciple::Direction(f.name.clone()));
        }
        let graph = &mut system.graph;
        let (mut rates, mut first) = (Vec::new(), FxHashMap::default());
        let mut fields: Vec<Rates> = Vec::new();
        for f in configuration.factors() {
            if let Some(turn) = f.rotation() {
                first.insert(turn.matrix[0], rates.len());
                rates.extend(turn.omega);
                fields.extend((0..3).map(|axis| body_turn(graph, &turn.matrix, axis)));
            }
            for x in f.untied() {
                first.insert(*x, rates.len());
                rates.push(graph.symbol(&format!("rate of {}", graph.name(*x))));
                fields.push(Rates::from_iter([(*x, graph.one())]));
            }
        }
        let mut out = Principle {
            velocities: Vec::new(),
            push: Vec::new(),
            momentum: Vec::new(),
            force: Vec::new(),
            rows: Vec::new(),
            residuals: Vec::new(),
            holonomic: Vec::new(),
            rates,
            first,
        };
        out.velocities = out.velocities_of_rates(system);
        let in_rates: FxHashMap<Symbol, Expr> =
            configuration.velocities().iter().copied().zip(out.velocities.iter().copied()).collect();
        let graph = &mut system.graph;
        let lagrangian = graph.substitute(system.lagrangian, &in_rates);
        let force: Vec<Expr> = system.forces.iter().map(|f| graph.substitute(*f, &in_rates)).collect();
        out.force = out.pull_back(graph, &force);
        out.momentum = out.rates.iter().map(|s| graph.derivative(lagrangian, *s)).collect();
        out.push = fields.iter().map(|field| graph.along(lagrangian, field)).collect();
        let d = &system.distribution;
        for r in &d.elimination.rows {
            let row = &d.rows[*r];
            out.rows.push(out.pull_back(graph, &row.a));
            let mut terms = vec![row.a0];
            terms.extend(row.a.iter().zip(&out.velocities).map(|(a, v)| graph.mul(*a, *v)));
            out.residuals.push(graph.sum(terms));
            let constraint = r.checked_sub(d.representation);
            out.holonomic.push(holonomic.iter().find(|(c, _)| Some(*c) == constraint).map(|(_, h)| *h));
        }
        Ok(out)
    }

    /// The velocity at a node as a function of its momentum, with the symbols that stand for p.
    pub fn revealed(&self, system: &mut System) -> (Vec<Symbol>, Vec<Expr>) {
        let graph = &mut system.graph;
        let p: Vec<Symbol> = self.rates.iter().map(|s| graph.symbol(&format!("momentum {}", graph.name(*s)))).collect();
        // p_A = Σ_i p_i B_iA: the inverse of the pull-back, by solving ∂v/∂rate
        let n = self.velocities.len();
        let slopes = Matrix::from_fn(n, n, |i, a| graph.derivative(self.velocities[a], self.rates[i]));
        let rhs = Matrix::from_fn(n, 1, |i, _| graph.var(p[i]));
        let mut zero = ZeroTest::new(graph);
        let inverse = inverse(graph, &mut zero, &slopes).expect("rates and velocities determine each other");
        let momentum = inverse.mul(graph, &rhs).col(0);
        (p, system.velocities_of_momenta(&momentum))
    }

    /// The velocities of the model in terms of the rates.
    fn velocities_of_rates(&self, system: &mut System) -> Vec<Expr> {
        let configuration = system.configuration.clone();
        let graph = &mut system.graph;
        let mut out = Vec::new();
        let rate = |graph: &mut Graph, x: Symbol| graph.var(self.rates[self.first[&x]]);
        for f in configuration.factors() {
            out.extend(f.coordinate().map(|x| rate(graph, x)));
            if let Some(PlaneMotion { place: [x, y], angle, .. }) = f.plane_motion() {
                let theta = graph.var(angle);
                let (s, c) = (graph.sin(theta), graph.cos(theta));
                let minus = graph.neg(s);
                for (p, q) in [(c, s), (minus, c)] {
                    let (dx, dy) = (rate(graph, x), rate(graph, y));
                    let (p, q) = (graph.mul(p, dx), graph.mul(q, dy));
                    out.push(graph.add(p, q));
                }
                out.push(rate(graph, angle));
            }
            let Some(turn) = f.rotation() else { continue };
            if let Some(shift) = f.translation() {
                for j in 0..3 {
                    let mut parts = Vec::with_capacity(3);
                    for (i, x) in shift.place.iter().enumerate() {
                        let (r, rate) = (graph.var(turn.matrix[3 * i + j]), rate(graph, *x));
                        parts.push(graph.mul(r, rate));
                    }
                    out.push(graph.sum(parts));
                }
            }
            out.extend(turn.omega.map(|s| graph.var(s)));
        }
        out
    }

    /// Components on the rates of a covector given on the velocities: Σ_A c_A ∂v^A/∂rate_i.
    fn pull_back(&self, graph: &mut Graph, covector: &[Expr]) -> Vec<Expr> {
        (self.rates.iter())
            .map(|s| {
                let terms: Vec<Expr> = (self.velocities.iter().zip(covector))
                    .map(|(v, c)| {
                        let slope = graph.derivative(*v, *s);
                        graph.mul(slope, *c)
                    })
                    .collect();
                graph.sum(terms)
            })
            .collect()
    }
}

/// The vector field R ê_axis on the entries of a rotation.
fn body_turn(graph: &mut Graph, matrix: &[Symbol; 9], axis: usize) -> Rates {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut rates = Rates::default();
    for i in 0..3 {
        // Ṙ = R Ω̂ with Ω = e_axis: column j becomes column k, column k minus column j
        let (rj, rk) = (graph.var(matrix[3 * i + j]), graph.var(matrix[3 * i + k]));
        rates.insert(matrix[3 * i + j], rk);
        rates.insert(matrix[3 * i + k], graph.scale(rj, &int(-1)));
    }
    rates
}
