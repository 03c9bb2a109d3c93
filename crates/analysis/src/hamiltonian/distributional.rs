//! M, H, ω_H, E in a moving frame.
//!
//! M has the coordinates (q, ξ^a). H is spanned by the fields e_a of the frame, lifted with ξ constant, and by
//! ∂_a = ∂/∂ξ^a. With θ = π_i θ^i on the frame and ω = −dθ (that is Σ dq ∧ dp),
//!
//! ```text
//! ω_H(e_a, e_b) = e_b(π_a) − e_a(π_b) + c_ab^k π_k,      ω_H(e_a, ∂_b) = m_ab,      ω_H(∂_a, ∂_b) = 0      (M1)
//! det ω_H = (det m)²                                                                                     (M2)
//! ```
//!
//! with k over the whole frame: the momenta across D are in the bracket term. The field X of a function f,
//! X ⌟ ω_H = d_H f, has the components
//!
//! ```text
//! x = m⁻¹ ∂f,      y = m⁻¹ (x^a ω_H(e_a, e_b) − e_b(f))      on e_a and ∂_a,                            (M3)
//! ```
//!
//! and ξ is the field of E. Source: [CushmanEtAl1995, (12)–(17)]; the derivation is in `docs/theory/hamiltonian.md`.

use super::linear::dot;
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol, determinant, solve_ldl};
use polhode_mechanics::equation::FrameEquation;
use polhode_mechanics::forms::NotApplicable;
use polhode_mechanics::frame::{Frame, Leg};
use polhode_mechanics::system::System;
use rustc_hash::FxHashMap;
use std::fmt;

/// Why a system has no form (M, H, ω_H, E).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsuitable {
    /// The constraints are affine in the velocities: M is no vector bundle.
    Drift,
    /// Lagrangian or constraints depend on time.
    Time,
    /// There are forces without a potential.
    Forces,
    /// Some positions are carried along and have no velocities of their own.
    Carried,
    /// The quasi-velocities of the model make no frame.
    Frame(NotApplicable),
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsuitable::Drift => f.write_str("the constraints are affine in the velocities, not linear"),
            Unsuitable::Time => f.write_str("the system depends on time"),
            Unsuitable::Forces => f.write_str("there are forces without a potential"),
            Unsuitable::Carried => f.write_str("points of contact are positions without velocities of their own"),
            Unsuitable::Frame(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for Unsuitable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Unsuitable::Frame(e) => Some(e),
            _ => None,
        }
    }
}

/// A system as (M, H, ω_H, E).
#[derive(Clone, Debug)]
pub struct Distributional {
    /// The frame equation of the system: frame, momenta, masses, brackets.
    pub equation: FrameEquation,
    /// E on M.
    pub energy: Expr,
    /// ω_H on the basis e_1 … e_k, ∂_1 … ∂_k of H.
    pub omega: Matrix,
    /// c_ab^k π_k: what is left of ω_H(e_a, e_b) when the fields are lifted with the momenta constant.
    pub gyroscopic: Matrix,
    /// m⁻¹.
    pub inverse_mass: Matrix,
    /// The velocities of the model on M.
    pub(super) velocities: Rates,
    /// e_a as derivations.
    pub(super) lifted: Vec<Rates>,
}

impl Distributional {
    /// The form in Hamel's frame: the model's quasi-velocities, or a choice of our own.
    pub fn new(system: &mut System) -> Result<Distributional, Unsuitable> {
        let frame = system.hamel_frame().map_err(Unsuitable::Frame)?;
        Distributional::in_frame(system, frame)
    }

    /// The form in a frame whose first fields span D.
    pub fn in_frame(system: &mut System, frame: Frame) -> Result<Distributional, Unsuitable> {
        suitable(system, &frame)?;
        let equation = FrameEquation::new(system, frame);
        let frame = &equation.frame;
        let (k, n) = (frame.k, frame.n());
        let (configuration, time) = (system.configuration.clone(), system.time);
        let graph = &mut system.graph;
        let lifted: Vec<Rates> = (0..k).map(|a| frame.rates(graph, &configuration, time, Leg::Field(a))).collect();
        let velocities = frame.velocities(graph);
        let velocities = configuration.velocities().iter().copied().zip(velocities).collect();

        let mut gyroscopic = Matrix::zeros(graph, k, k);
        for (a, b, c) in &equation.brackets {
            if let (Leg::Field(a), Leg::Field(b)) = (*a, *b)
                && a < k
                && b < k
            {
                let value = dot(graph, &c[..n], &equation.momenta);
                gyroscopic[(a, b)] = graph.simplify_small(value);
            }
        }
        let slopes: Vec<Vec<Expr>> = lifted.iter().map(|e| graph.along_all(&equation.momenta[..k], e)).collect();
        let mass = equation.mass.select(&(0..k).collect::<Vec<_>>(), &(0..k).collect::<Vec<_>>());
        let mut omega = Matrix::zeros(graph, 2 * k, 2 * k);
        for a in 0..k {
            for b in 0..k {
                let minus = graph.neg(slopes[a][b]);
                let entry = graph.sum([slopes[b][a], minus, gyroscopic[(a, b)]]);
                omega[(a, b)] = graph.simplify_small(entry);
                omega[(a, k + b)] = graph.simplify_small(mass[(a, b)]);
                omega[(k + b, a)] = graph.neg(omega[(a, k + b)]);
            }
        }
        let identity = Matrix::identity(graph, k);
        let inverse_mass = solve_ldl(graph, &mass, &identity).map(|e| graph.simplify_small(e));
        let energy = equation.energy(graph);
        Ok(Distributional { equation, energy, omega, gyroscopic, inverse_mass, velocities, lifted })
    }

    /// Rank of D, half of the rank of H.
    pub fn k(&self) -> usize {
        self.equation.frame.k
    }

    /// Dimension of M.
    pub fn dimension(&self, system: &System) -> usize {
        system.configuration.dimension() + self.k()
    }

    /// The coordinates ξ^a of M besides the positions.
    pub fn quasi_velocities(&self) -> &[Symbol] {
        &self.equation.frame.xi
    }

    /// The momenta π_a along D, as functions on M.
    pub fn momenta(&self) -> &[Expr] {
        &self.equation.momenta[..self.k()]
    }

    /// A function of positions and velocities, restricted to M.
    pub fn on_manifold(&self, graph: &mut Graph, f: Expr) -> Expr {
        graph.substitute(f, &self.velocities)
    }

    /// det ω_H. It is (det m)², but taken from ω_H itself.
    pub fn determinant(&self, graph: &mut Graph) -> Expr {
        determinant(graph, &self.omega)
    }

    /// d_H f: the derivatives of a function on M along the basis of H.
    pub fn differential(&self, graph: &mut Graph, f: Expr) -> Vec<Expr> {
        let along: Vec<Expr> = self.lifted.iter().map(|e| graph.along(f, e)).collect();
        let fibre: Vec<Expr> = self.quasi_velocities().iter().map(|s| graph.derivative(f, *s)).collect();
        along.into_iter().chain(fibre).collect()
    }

    /// ω_H(u, w) of two vectors on the basis of H.
    pub fn pair(&self, graph: &mut Graph, u: &[Expr], w: &[Expr]) -> Expr {
        let covector = self.flat(graph, u);
        dot(graph, &covector, w)
    }

    /// u ⌟ ω_H on the basis of H.
    pub fn flat(&self, graph: &mut Graph, u: &[Expr]) -> Vec<Expr> {
        (0..2 * self.k()).map(|j| dot(graph, u, &self.omega.col(j))).collect()
    }

    /// The field of a function on M by (M3): its components on the basis of H.
    pub fn hamiltonian_field(&self, graph: &mut Graph, f: Expr) -> Vec<Expr> {
        let df = self.differential(graph, f);
        self.sharp(graph, &df)
    }

    /// X with X ⌟ ω_H = α, for a covector α on the basis of H.
    pub fn sharp(&self, graph: &mut Graph, alpha: &[Expr]) -> Vec<Expr> {
        let k = self.k();
        let x = self.inverse_mass.mul_vec(graph, &alpha[k..]);
        let push: Vec<Expr> = (0..k)
            .map(|b| {
                let column: Vec<Expr> = (0..k).map(|a| self.omega[(a, b)]).collect();
                let turned = dot(graph, &x, &column);
                graph.sub(turned, alpha[b])
            })
            .collect();
        let y = self.inverse_mass.mul_vec(graph, &push);
        x.into_iter().chain(y).collect()
    }

    /// ξ with ξ ⌟ ω_H = d_H E: the motion.
    pub fn vector_field(&self, graph: &mut Graph) -> Vec<Expr> {
        self.hamiltonian_field(graph, self.energy)
    }

    /// ⟨df, X⟩ for a field on the basis of H.
    pub fn derivative(&self, graph: &mut Graph, f: Expr, field: &[Expr]) -> Expr {
        let df = self.differential(graph, f);
        dot(graph, &df, field)
    }

    /// Symbols p_a for the momenta along D, and ξ^a as functions of positions and momenta; `None` when the Lagrangian is
    /// not quadratic in the velocities.
    pub fn momentum_chart(&self, system: &mut System) -> Option<(Vec<Symbol>, FxHashMap<Symbol, Expr>)> {
        let xi = self.quasi_velocities().to_vec();
        for entry in self
            .omega
            .select(&(0..self.k()).collect::<Vec<_>>(), &(self.k()..2 * self.k()).collect::<Vec<_>>())
            .entries()
        {
            for s in &xi {
                let slope = system.graph.derivative(*entry, *s);
                if !system.is_zero(slope) {
                    return None;
                }
            }
        }
        let p: Vec<Symbol> = xi
            .iter()
            .map(|s| {
                let name = format!("p_{}", system.graph.name(*s).trim_end_matches('\''));
                system.derived_symbol(&name)
            })
            .collect();
        let graph = &mut system.graph;
        let still: FxHashMap<Symbol, Expr> = xi.iter().map(|s| (*s, graph.zero())).collect();
        let relative: Vec<Expr> = (0..self.k())
            .map(|a| {
                let offset = graph.substitute(self.momenta()[a], &still);
                let p = graph.var(p[a]);
                graph.sub(p, offset)
            })
            .collect();
        let values = self.inverse_mass.mul_vec(graph, &relative);
        let values: Vec<Expr> = values.into_iter().map(|e| graph.simplify_small(e)).collect();
        Some((p, xi.into_iter().zip(values).collect()))
    }
}

/// The theory is for linear constraints and potential forces, without time.
fn suitable(system: &mut System, frame: &Frame) -> Result<(), Unsuitable> {
    if system.configuration.factors().iter().any(|f| f.is_carried()) {
        return Err(Unsuitable::Carried);
    }
    if frame.e0.clone().into_iter().any(|e| !system.is_zero(e)) {
        return Err(Unsuitable::Drift);
    }
    if system.forces.clone().into_iter().any(|f| !system.is_zero(f)) {
        return Err(Unsuitable::Forces);
    }
    let everything: Vec<Expr> = frame.e.entries().iter().copied().chain([system.lagrangian]).collect();
    if system.graph.free_symbols(&everything).contains(&system.time) {
        return Err(Unsuitable::Time);
    }
    Ok(())
}
