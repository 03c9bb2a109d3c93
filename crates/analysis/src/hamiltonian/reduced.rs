//! The quotient by a symmetry: (M̄, H̄, ω̄, Ē).
//!
//! With V spanned by the lifted generators, [CushmanEtAl1995, (21)]
//!
//! ```text
//! U = { u ∈ H : ω_H(u, V ∩ H) = 0 },      K = U ∩ V,      H̄ = Tρ(U) ≅ U/K,                             (M8)
//! ```
//!
//! and ω_U goes down to a non-degenerate form on H̄. Everything hangs on the skew matrix
//!
//! ```text
//! J_st = ω_H(X_s, X_t),      X_s a basis of V ∩ H,                                                       (M9)
//! ```
//!
//! since dim K = dim V ∩ H − rank J. Where its rank drops, K grows, H̄ shrinks, and ω̄ has no value: this happens where all
//! principal Pfaffians of the generic rank vanish ([`Reduced::degenerate`]). For the disk that is θ̇ = 0.
//!
//! In functions y^i that are constant along V, the reduced bracket Λ^ij = {y^i, y^j} has H̄ as its range, has values even
//! there, and where H̄ = TM̄ it is the inverse of ω̄: Λᵀ ω̄ = 1.

use super::distributional::Distributional;
use super::lift::{Lift, NoSymmetry, tidy};
use super::linear::{choices, combination, dot, independent, kernel, pfaffian, price, rank};
use polhode_expr::{Expr, Matrix, determinant, eliminate, inverse};
use polhode_mechanics::frame::Leg;
use polhode_mechanics::system::System;
use polhode_model::Generator;

/// A function on M that is constant along V: a coordinate of M̄.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// Its name: a position, `p_…` for a momentum along D, a quasi-velocity, or `y_…` for a function that was given.
    pub name: String,
    /// Its value on M.
    pub value: Expr,
}

/// What is left of (M, H, ω_H, E) after a symmetry.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The lifted generators; they span V.
    pub generators: Vec<Lift>,
    /// A basis of V ∩ H, on the basis of H.
    pub vertical: Vec<Vec<Expr>>,
    /// The same, as combinations of the generators.
    pub combinations: Vec<Vec<Expr>>,
    /// A basis of U, on the basis of H.
    pub perpendicular: Vec<Vec<Expr>>,
    /// A basis of K = U ∩ V, on the basis of H.
    pub common: Vec<Vec<Expr>>,
    /// The same, as combinations of the basis of V ∩ H.
    pub common_combinations: Vec<Vec<Expr>>,
    /// A component that tells the vectors of K apart: 1 in one of them and 0 in the others.
    pub(super) common_pivots: Vec<usize>,
    /// J.
    pub pairing: Matrix,
    /// The components of the generators across D, one column each: V ∩ H is the kernel.
    across: Matrix,
    /// rank V at a random point.
    pub rank_v: usize,
    /// dim M̄ = dim M − rank V.
    pub dimension: usize,
    /// Coordinates of M̄; fewer than its dimension when positions and momenta do not suffice.
    pub coordinates: Vec<Coordinate>,
    /// Λ^ij = {y^i, y^j}.
    pub bracket: Matrix,
    /// ω̄ on ∂/∂y^i, when there are enough coordinates and H̄ = TM̄.
    pub omega: Option<Matrix>,
}

impl Reduced {
    /// Reduces by the symmetries of the model.
    pub fn new(system: &mut System, d: &Distributional) -> Result<Reduced, NoSymmetry> {
        let generators = system.model.symmetries.clone();
        Reduced::by(system, d, &generators, &[])
    }

    /// Reduces by some generators. Functions of positions and velocities that are constant along them may be given as
    /// coordinates of the quotient; positions, momenta along D and quasi-velocities that are constant are found.
    pub fn by(
        system: &mut System,
        d: &Distributional,
        generators: &[Generator],
        invariants: &[Expr],
    ) -> Result<Reduced, NoSymmetry> {
        let (k, n) = (d.k(), d.equation.frame.n());
        let generators: Vec<Lift> =
            generators.iter().map(|g| Lift::new(system, d, g)).collect::<Result<_, NoSymmetry>>()?;
        let fields: Vec<Vec<Expr>> = generators.iter().map(|g| g.components.clone()).collect();
        let rank_v = rank(system, &fields).ok_or(NoSymmetry::NoRank)?;

        let across = Matrix::from_fn(n - k, fields.len(), |i, r| fields[r][k + i]);
        let (combinations, _) = kernel(system, &across);
        let vertical: Vec<Vec<Expr>> = combinations
            .iter()
            .map(|c| {
                let x = combination(&mut system.graph, c, &fields, n + k);
                let x: Vec<Expr> = x[..k].iter().chain(&x[n..]).copied().collect();
                x.into_iter().map(|e| tidy(system, e)).collect()
            })
            .collect();
        let (vertical, combinations, _) = told_apart(system, vertical, combinations);

        let size = vertical.len();
        let covectors: Vec<Vec<Expr>> = vertical.iter().map(|x| d.flat(&mut system.graph, x)).collect();
        let covectors: Vec<Vec<Expr>> =
            covectors.into_iter().map(|c| c.into_iter().map(|e| tidy(system, e)).collect()).collect();
        let graph = &mut system.graph;
        let pairing = Matrix::from_fn(size, size, |s, t| dot(graph, &covectors[s], &vertical[t]));
        let pairing = pairing.map(|e| tidy(system, e));
        let (perpendicular, _) = kernel(system, &rows(&covectors, 2 * k));
        let (common_combinations, _) = kernel(system, &pairing);
        let graph = &mut system.graph;
        let common: Vec<Vec<Expr>> =
            common_combinations.iter().map(|c| combination(graph, c, &vertical, 2 * k)).collect();
        let (common, common_combinations, common_pivots) = told_apart(system, common, common_combinations);

        let dimension = d.dimension(system) - rank_v;
        let coordinates = coordinates(system, d, &generators, invariants, dimension)?;
        let fields: Vec<Vec<Expr>> =
            coordinates.iter().map(|y| d.hamiltonian_field(&mut system.graph, y.value)).collect();
        let graph = &mut system.graph;
        let bracket = Matrix::from_fn(coordinates.len(), coordinates.len(), |i, j| {
            d.derivative(graph, coordinates[i].value, &fields[j])
        });
        let bracket = bracket.map(|e| tidy(system, e));
        let mut out = Reduced {
            generators,
            vertical,
            combinations,
            perpendicular,
            common,
            common_combinations,
            common_pivots,
            pairing,
            across,
            rank_v,
            dimension,
            coordinates,
            bracket,
            omega: None,
        };
        out.omega = out.pushed_forward(system, d);
        Ok(out)
    }

    /// dim H̄ = dim U − dim K, at a generic point.
    pub fn rank_h(&self) -> usize {
        self.perpendicular.len() - self.common.len()
    }

    /// Is H̄ all of TM̄ at a generic point?
    pub fn is_whole(&self) -> bool {
        self.rank_h() == self.dimension
    }

    /// The functions that vanish together exactly where K is larger than at generic points: the principal Pfaffians
    /// of J of its generic rank, wherever the basis of V ∩ H has values. Empty when that rank is 0, since then nothing
    /// can drop.
    pub fn degenerate(&self, system: &mut System) -> Vec<Expr> {
        let generic = self.vertical.len() - self.common.len();
        if generic == 0 {
            return Vec::new();
        }
        let minors: Vec<Expr> = choices(self.vertical.len(), generic)
            .into_iter()
            .map(|of| pfaffian(&mut system.graph, &self.pairing, &of))
            .collect();
        let zero = system.graph.zero();
        minors.into_iter().map(|e| tidy(system, e)).filter(|e| *e != zero).collect()
    }

    /// The functions that vanish together exactly where V ∩ H is larger than at generic points: the minors of the components of V across D of
    /// their generic rank. There U is smaller, and H̄ is not what it is elsewhere. Empty where nothing can drop.
    pub fn jumps(&self, system: &mut System) -> Vec<Expr> {
        let rank = self.across.cols() - self.vertical.len();
        if rank == 0 {
            return Vec::new();
        }
        let zero = system.graph.zero();
        let mut out: Vec<Expr> = Vec::new();
        for rows in choices(self.across.rows(), rank) {
            for columns in choices(self.across.cols(), rank) {
                let minor = determinant(&mut system.graph, &self.across.select(&rows, &columns));
                let minor = tidy(system, minor);
                if minor != zero && !out.contains(&minor) {
                    out.push(minor);
                }
            }
        }
        // one that vanishes nowhere settles it
        let never = |e: &Expr| system.graph.free_symbols(&[*e]).iter().all(|s| system.parameters.contains(s));
        if out.iter().any(never) { Vec::new() } else { out }
    }

    /// The vectors of U whose components at the pivots of K vanish: a complement B of K in U.
    pub fn complement(&self, system: &mut System) -> Vec<Vec<Expr>> {
        without_pivots(system, &self.perpendicular, &self.common, &self.common_pivots)
    }

    /// Do the generators carry the frame of D along? Then what is chosen by components, such as [`Reduced::complement`],
    /// is carried along too.
    pub fn carries_frame(&self, system: &mut System, d: &Distributional) -> bool {
        let n = d.equation.frame.n();
        let moved: Vec<Expr> = self.generators.iter().flat_map(|g| g.components[n..].to_vec()).collect();
        moved.into_iter().all(|e| system.is_zero(e))
    }

    /// ẏ^i along the motion.
    pub fn rates(&self, system: &mut System, d: &Distributional) -> Vec<Expr> {
        let xi = d.vector_field(&mut system.graph);
        let rates: Vec<Expr> = self.coordinates.iter().map(|y| d.derivative(&mut system.graph, y.value, &xi)).collect();
        rates.into_iter().map(|e| tidy(system, e)).collect()
    }

    /// dy^i on vectors of H: one row per coordinate.
    pub(super) fn push(&self, system: &mut System, d: &Distributional, vectors: &[Vec<Expr>]) -> Matrix {
        let graph = &mut system.graph;
        let differentials: Vec<Vec<Expr>> = self.coordinates.iter().map(|y| d.differential(graph, y.value)).collect();
        Matrix::from_fn(self.coordinates.len(), vectors.len(), |i, j| dot(graph, &differentials[i], &vectors[j]))
    }

    /// ω̄ = P⁻ᵀ ω_B P⁻¹ with P = Tρ on B, by the definition of the quotient.
    fn pushed_forward(&self, system: &mut System, d: &Distributional) -> Option<Matrix> {
        if !self.is_whole() || self.coordinates.len() != self.dimension {
            return None;
        }
        let b = self.complement(system);
        let p = self.push(system, d, &b).map(|e| tidy(system, e));
        let inverse = inverse(&mut system.graph, &mut system.zero, &p)?;
        let graph = &mut system.graph;
        let on_b = Matrix::from_fn(b.len(), b.len(), |i, j| d.pair(graph, &b[i], &b[j]));
        let left = inverse.transpose().mul(graph, &on_b);
        let omega = left.mul(graph, &inverse);
        Some(omega.map(|e| tidy(system, e)))
    }
}

/// A matrix with these rows, which may be none.
pub(super) fn rows(vectors: &[Vec<Expr>], cols: usize) -> Matrix {
    Matrix::from_fn(vectors.len(), cols, |i, j| vectors[i][j])
}

/// The combinations of `vectors` (which contain `inner`) whose components at the pivots of `inner` vanish.
pub(super) fn without_pivots(
    system: &mut System,
    vectors: &[Vec<Expr>],
    inner: &[Vec<Expr>],
    pivots: &[usize],
) -> Vec<Vec<Expr>> {
    if inner.is_empty() {
        return vectors.to_vec();
    }
    let length = inner[0].len();
    let at = Matrix::from_fn(pivots.len(), vectors.len(), |i, j| vectors[j][pivots[i]]);
    let (coefficients, _) = kernel(system, &at);
    coefficients
        .into_iter()
        .map(|c| {
            let v = combination(&mut system.graph, &c, vectors, length);
            v.into_iter().map(|e| tidy(system, e)).collect()
        })
        .collect()
}

/// A basis of the span in which each vector has a component equal to 1 where the others vanish: the vectors, their
/// combinations, the columns of these components. It depends on the span alone, up to the choice of the columns.
fn told_apart(
    system: &mut System,
    vectors: Vec<Vec<Expr>>,
    combinations: Vec<Vec<Expr>>,
) -> (Vec<Vec<Expr>>, Vec<Vec<Expr>>, Vec<usize>) {
    let Some(first) = vectors.first() else { return (vectors, combinations, Vec::new()) };
    let (length, width) = (first.len(), combinations[0].len());
    let a = rows(&vectors, length);
    let b = rows(&combinations, width);
    let solved = eliminate(&mut system.graph, &mut system.zero, &a, &b, price);
    let mut order: Vec<usize> = (0..solved.pivots.len()).collect();
    order.sort_by_key(|i| solved.pivots[*i]);
    let (mut out, mut combined, mut pivots) = (Vec::new(), Vec::new(), Vec::new());
    for i in order {
        // the reduced row is e_pivot − Σ solution · e_free
        let mut v = vec![system.graph.zero(); length];
        v[solved.pivots[i]] = system.graph.one();
        for (j, f) in solved.free.iter().enumerate() {
            v[*f] = system.graph.neg(solved.solution[(i, j)]);
        }
        out.push(v);
        combined.push((0..width).map(|j| solved.solution[(i, solved.free.len() + j)]).collect());
        pivots.push(solved.pivots[i]);
    }
    (out, combined, pivots)
}

/// Independent functions that are constant along V: what was given, positions, momenta, quasi-velocities.
fn coordinates(
    system: &mut System,
    d: &Distributional,
    generators: &[Lift],
    invariants: &[Expr],
    wanted: usize,
) -> Result<Vec<Coordinate>, NoSymmetry> {
    let mut candidates = Vec::new();
    for (i, e) in invariants.iter().enumerate() {
        let value = d.on_manifold(&mut system.graph, *e);
        candidates.push(Coordinate { name: format!("y_{}", i + 1), value });
    }
    for s in system.configuration.positions().to_vec() {
        candidates.push(Coordinate { name: system.graph.name(s).to_string(), value: system.graph.var(s) });
    }
    let xi = d.quasi_velocities().to_vec();
    for (s, p) in xi.iter().zip(d.momenta()) {
        let name = format!("p_{}", system.graph.name(*s).trim_end_matches('\''));
        candidates.push(Coordinate { name, value: *p });
    }
    for s in &xi {
        candidates.push(Coordinate { name: system.graph.name(*s).to_string(), value: system.graph.var(*s) });
    }
    let mut constant = Vec::new();
    for c in candidates {
        let still = generators.iter().all(|g| {
            let rate = system.graph.along(c.value, &g.rates);
            system.is_zero(rate)
        });
        if still {
            constant.push(c);
        }
    }
    let frame = &d.equation.frame;
    let (configuration, time) = (system.configuration.clone(), system.time);
    // fields across a row of the representation leave the configuration space
    let rows = &system.distribution.elimination.rows;
    let leaves = |i: usize| i >= frame.k && rows[i - frame.k] < system.distribution.representation;
    let legs: Vec<usize> = (0..frame.n()).filter(|i| !leaves(*i)).collect();
    let differentials: Vec<Vec<Expr>> = constant
        .iter()
        .map(|c| {
            let graph = &mut system.graph;
            let mut out: Vec<Expr> = (legs.iter())
                .map(|i| {
                    let e = frame.rates(graph, &configuration, time, Leg::Field(*i));
                    graph.along(c.value, &e)
                })
                .collect();
            out.extend(xi.iter().map(|s| graph.derivative(c.value, *s)).collect::<Vec<_>>());
            out
        })
        .collect();
    let kept = independent(system, &differentials).ok_or(NoSymmetry::NoRank)?;
    Ok(kept.into_iter().take(wanted).map(|i| constant[i].clone()).collect())
}
