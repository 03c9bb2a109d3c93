//! TP along M: the whole symplectic form, the perpendicular of H, the multipliers.
//!
//! In the frame with all n quasi-velocities, taken at points of M (ξ^α = 0), ω has the entries (M1) with indices over the whole
//! frame. The perpendicular H_ω = { w : ω(w, H) = 0 } has dimension 2(n − k), and since ω(ξ, H_ω) = 0
//!
//! ```text
//! ξ ⌟ ω = dE − λ^a φ_a      ⇒      λ^a ⟨φ_a, w⟩ = ⟨dE, w⟩   for w ∈ H_ω,                               (M4)
//! ```
//!
//! which determines the multipliers of d/dt ∂L/∂v − ∂L/∂q = λ^a φ_a. [CushmanEtAl1995, (13)] has +λ^a, which is the
//! opposite sign from their own (9); we follow (9).

use super::distributional::Distributional;
use super::linear::{dot, kernel, rank, solution};
use polhode_expr::{Expr, Graph, Matrix, Rates, Symbol};
use polhode_mechanics::equation::FrameEquation;
use polhode_mechanics::frame::{Frame, Leg};
use polhode_mechanics::system::System;
use rustc_hash::FxHashMap;

/// ω and dE on TP at points of M, in the basis e_1 … e_n, ∂_1 … ∂_n.
#[derive(Clone, Debug)]
pub struct Ambient {
    /// ω: 2n rows and columns.
    pub omega: Matrix,
    /// dE.
    pub slopes: Vec<Expr>,
    /// A basis of H_ω.
    pub perpendicular: Vec<Vec<Expr>>,
    /// e_i as derivations, with all quasi-velocities constant.
    fields: Vec<Rates>,
    /// All n quasi-velocities, and the velocities of the model in terms of them.
    xi: Vec<Symbol>,
    velocities: Rates,
    k: usize,
}

impl Ambient {
    /// Everything along M, from the frame equation of the system without its constraints.
    pub fn new(system: &mut System, d: &Distributional) -> Ambient {
        let frame = &d.equation.frame;
        let (k, n) = (frame.k, frame.n());
        let mut xi = frame.xi.clone();
        for i in k..n {
            xi.push(system.derived_symbol(&format!("xi_across_{}", i - k + 1)));
        }
        let whole = Frame { k: n, xi, ..frame.clone() };
        let free = FrameEquation::new(system, whole);
        let energy = free.energy(&mut system.graph);
        let (configuration, time) = (system.configuration.clone(), system.time);
        let graph = &mut system.graph;
        let on_m: FxHashMap<_, Expr> = free.frame.xi[k..].iter().map(|s| (*s, graph.zero())).collect();
        let velocities = free.frame.velocities(graph);
        let velocities = configuration.velocities().iter().copied().zip(velocities).collect();
        let fields: Vec<Rates> = (0..n).map(|i| free.frame.rates(graph, &configuration, time, Leg::Field(i))).collect();
        let along: Vec<Vec<Expr>> = fields.iter().map(|e| graph.along_all(&free.momenta, e)).collect();
        let mut omega = Matrix::zeros(graph, 2 * n, 2 * n);
        for i in 0..n {
            for j in 0..n {
                let minus = graph.neg(along[i][j]);
                let turned = free
                    .brackets
                    .iter()
                    .find(|(a, b, _)| (*a, *b) == (Leg::Field(i), Leg::Field(j)))
                    .map_or(graph.zero(), |(_, _, c)| dot(graph, c, &free.momenta));
                omega[(i, j)] = graph.sum([along[j][i], minus, turned]);
                omega[(i, n + j)] = free.mass[(i, j)];
                omega[(n + j, i)] = graph.neg(free.mass[(i, j)]);
            }
        }
        let slopes = slopes(graph, energy, &fields, &free.frame.xi);
        let slopes = graph.substitute_all(&slopes, &on_m);
        let omega = omega.map(|e| {
            let e = graph.substitute(e, &on_m);
            graph.simplify_small(e)
        });
        let against: Vec<Vec<Expr>> = basis_of_h(k, n).map(|i| omega.row(i).to_vec()).collect();
        let (perpendicular, _) = kernel(system, &Matrix::from_rows(against));
        Ambient { omega, slopes, perpendicular, fields, xi: free.frame.xi, velocities, k }
    }

    fn n(&self) -> usize {
        self.xi.len()
    }

    /// df at points of M, for a function of positions and velocities.
    pub fn differential(&self, system: &mut System, f: Expr) -> Vec<Expr> {
        let graph = &mut system.graph;
        let f = graph.substitute(f, &self.velocities);
        let df = slopes(graph, f, &self.fields, &self.xi);
        let on_m: FxHashMap<Symbol, Expr> = self.xi[self.k..].iter().map(|s| (*s, graph.zero())).collect();
        graph.substitute_all(&df, &on_m)
    }

    /// ξ_f with ξ_f ⌟ ω = df, [CushmanEtAl1995, (18)], at points of M; `None` when ω is singular, as it is for coordinates
    /// without kinetic energy.
    pub fn hamiltonian_field(&self, system: &mut System, f: Expr) -> Option<Vec<Expr>> {
        let df = self.differential(system, f);
        solution(system, &self.omega.transpose(), &df)
    }

    /// The parts of a vector along H (on the basis of H) and along H_ω (on that of TP), [CushmanEtAl1995, (19)].
    pub fn split(&self, system: &mut System, d: &Distributional, w: &[Expr]) -> (Vec<Expr>, Vec<Expr>) {
        let graph = &mut system.graph;
        let covector: Vec<Expr> = basis_of_h(self.k, self.n()).map(|j| dot(graph, w, &self.omega.col(j))).collect();
        let along = d.sharp(graph, &covector);
        let embedded = self.embed(system, &along);
        let rest = w.iter().zip(embedded).map(|(w, u)| system.graph.sub(*w, u)).collect();
        (along, rest)
    }

    /// A vector of H on the basis of TP.
    pub fn embed(&self, system: &System, u: &[Expr]) -> Vec<Expr> {
        let mut out = vec![system.graph.zero(); 2 * self.n()];
        for (i, x) in basis_of_h(self.k, self.n()).zip(u) {
            out[i] = *x;
        }
        out
    }

    /// The rank of H and H_ω together, at a random point; (16) says that it is 2n.
    pub fn rank_of_sum(&self, system: &mut System) -> Option<usize> {
        let (zero, one) = (system.graph.zero(), system.graph.one());
        let unit = |i: usize| (0..2 * self.n()).map(|j| if i == j { one } else { zero }).collect::<Vec<Expr>>();
        let mut vectors: Vec<Vec<Expr>> = basis_of_h(self.k, self.n()).map(unit).collect();
        vectors.extend(self.perpendicular.iter().cloned());
        rank(system, &vectors)
    }

    /// dE − ξ ⌟ ω for a field on the basis of H: by (M4) a combination of the φ_a.
    pub fn residual(&self, system: &mut System, field: &[Expr]) -> Vec<Expr> {
        let u = self.embed(system, field);
        let graph = &mut system.graph;
        (0..2 * self.n())
            .map(|j| {
                let column = self.omega.col(j);
                let contracted = dot(graph, &u, &column);
                graph.sub(self.slopes[j], contracted)
            })
            .collect()
    }

    /// The multipliers of the independent rows of the model by (M4), with their constraints; `None` when no multipliers fit.
    pub fn multipliers(&self, system: &mut System, d: &Distributional) -> Option<Vec<(usize, Expr)>> {
        let rows = system.distribution.independent_rows();
        if rows.rows() == 0 {
            return Some(Vec::new());
        }
        let frame = &d.equation.frame;
        let forms = rows.mul(&mut system.graph, &frame.e); // φ_a(e_i)
        let graph = &mut system.graph;
        let a = Matrix::from_fn(self.perpendicular.len(), rows.rows(), |w, r| {
            dot(graph, forms.row(r), &self.perpendicular[w][..self.n()])
        });
        let b: Vec<Expr> = self.perpendicular.iter().map(|w| dot(graph, &self.slopes, w)).collect();
        let lambda = solution(system, &a, &b)?;
        let own = system.distribution.elimination.rows.iter().zip(lambda);
        let representation = system.distribution.representation;
        let mut out: Vec<(usize, Expr)> =
            own.filter_map(|(row, value)| row.checked_sub(representation).map(|c| (c, value))).collect();
        out.sort_by_key(|(c, _)| *c);
        Some(out)
    }
}

/// Where the basis of H stands in the basis of TP.
fn basis_of_h(k: usize, n: usize) -> impl Iterator<Item = usize> {
    (0..k).chain(n..n + k)
}

/// df on e_1 … e_n, ∂_1 … ∂_n.
fn slopes(graph: &mut Graph, f: Expr, fields: &[Rates], xi: &[Symbol]) -> Vec<Expr> {
    let along: Vec<Expr> = fields.iter().map(|e| graph.along(f, e)).collect();
    let fibre: Vec<Expr> = xi.iter().map(|s| graph.derivative(f, *s)).collect();
    along.into_iter().chain(fibre).collect()
}
