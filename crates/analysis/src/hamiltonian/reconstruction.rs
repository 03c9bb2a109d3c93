//! From the quotient back to M: the splitting H = B ⊕ C ⊕ D and the equation on K.
//!
//! B completes K in U, D completes K in V ∩ H, and C = (B ⊕ D)^ω is a symplectic space of dimension 2 dim K with K as one half
//! of it, [CushmanEtAl1995, (26)–(29)]. With κ_i a basis of K and η_i ∈ C such that
//!
//! ```text
//! ω_H(κ_i, η_j) = δ_ij,      ω_H(η_i, η_j) = 0,                                                         (M10)
//! ```
//!
//! the motion is ξ = ξ_B + ⟨dE, η_i⟩ κ_i: what the quotient does not know is found by quadrature, since ⟨dE, η_i⟩ is constant
//! along V. (Their (25) says "∈ H" where the text and (27) mean U. The η_i do lie in TM; the motion has
//! no part along them because ξ ∈ U = B ⊕ K.)
//!
//! B and D are chosen by components: those of their vectors vanish where κ_i has its 1. With a frame
//! that the symmetry moves along, this choice moves along too.

use super::distributional::Distributional;
use super::lift::tidy;
use super::linear::{combination, dot, kernel, rank};
use super::reduced::{Reduced, rows, without_pivots};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Matrix, Rates, inverse};
use polhode_mechanics::frame::Leg;
use polhode_mechanics::system::System;

/// The splitting of H, all vectors on the basis of H.
#[derive(Clone, Debug)]
pub struct Reconstruction {
    /// B: a model of H̄.
    pub quotient: Vec<Vec<Expr>>,
    /// C: the motion along K, and what is conjugate to it.
    pub canonical: Vec<Vec<Expr>>,
    /// D: the symplectic part of V ∩ H.
    pub orbit: Vec<Vec<Expr>>,
    /// η_i.
    pub conjugate: Vec<Vec<Expr>>,
    /// ⟨dE, η_i⟩: the rate along κ_i.
    pub rates: Vec<Expr>,
    /// Do the generators carry the splitting along? It is a hypothesis of Theorem 5.
    pub carried: bool,
}

impl Reconstruction {
    /// Splits H; `None` when the pairing of K with the rest of C is singular, which does not happen at generic points.
    pub fn new(system: &mut System, form: &Distributional, reduced: &Reduced) -> Option<Reconstruction> {
        let size = 2 * form.k();
        let kappa = &reduced.common;
        let b = reduced.complement(system);
        let d = without_pivots(system, &reduced.vertical, kappa, &reduced.common_pivots);
        let covectors: Vec<Vec<Expr>> = b.iter().chain(&d).map(|x| form.flat(&mut system.graph, x)).collect();
        let covectors: Vec<Vec<Expr>> =
            covectors.into_iter().map(|c| c.into_iter().map(|e| tidy(system, e)).collect()).collect();
        let (c, _) = kernel(system, &rows(&covectors, size));
        let rest = without_pivots(system, &c, kappa, &reduced.common_pivots);

        let graph = &mut system.graph;
        let against = Matrix::from_fn(kappa.len(), rest.len(), |i, j| form.pair(graph, &kappa[i], &rest[j]));
        if against.rows() != against.cols() {
            return None;
        }
        let against = against.map(|e| tidy(system, e));
        let unit = inverse(&mut system.graph, &mut system.zero, &against)?;
        let graph = &mut system.graph;
        let eta: Vec<Vec<Expr>> = (0..rest.len()).map(|j| combination(graph, &unit.col(j), &rest, size)).collect();
        // η_i − ½ ω(η_i, η_j) κ_j are isotropic
        let skew = Matrix::from_fn(eta.len(), eta.len(), |i, j| {
            let value = form.pair(graph, &eta[i], &eta[j]);
            graph.scale(value, &ratio(-1, 2))
        });
        let eta: Vec<Vec<Expr>> = (eta.iter().enumerate())
            .map(|(i, x)| {
                let shift = combination(graph, skew.row(i), kappa, size);
                x.iter().zip(shift).map(|(x, s)| graph.add(*x, s)).collect()
            })
            .collect();
        let eta: Vec<Vec<Expr>> = eta.into_iter().map(|x| x.into_iter().map(|e| tidy(system, e)).collect()).collect();
        let slopes = form.differential(&mut system.graph, form.energy);
        let rates: Vec<Expr> = eta.iter().map(|x| dot(&mut system.graph, &slopes, x)).collect();
        let rates = rates.into_iter().map(|e| tidy(system, e)).collect();
        let carried = reduced.carries_frame(system, form);
        Some(Reconstruction { quotient: b, canonical: c, orbit: d, conjugate: eta, rates, carried })
    }
}

impl Reduced {
    /// Is K involutive, so that it has coordinates? `None` when ranks cannot be determined.
    pub fn common_is_involutive(&self, system: &mut System, form: &Distributional) -> Option<bool> {
        let frame = &form.equation.frame;

        let (configuration, time) = (system.configuration.clone(), system.time);
        let mut basis: Vec<Rates> =
            (0..frame.k).map(|a| frame.rates(&mut system.graph, &configuration, time, Leg::Field(a))).collect();
        basis.extend(frame.xi.iter().map(|s| Rates::from_iter([(*s, system.graph.one())])));
        // a vector field on M by its action on positions and quasi-velocities
        let symbols: Vec<_> = configuration.positions().iter().chain(&frame.xi).copied().collect();
        let zero = system.graph.zero();
        let fields: Vec<Vec<Expr>> = self
            .common
            .iter()
            .map(|x| {
                let of = |s| basis.iter().map(|r: &Rates| r.get(s).copied().unwrap_or(zero)).collect::<Vec<Expr>>();
                symbols.iter().map(|s| dot(&mut system.graph, x, &of(s))).collect()
            })
            .collect();
        let mut all = fields.clone();
        for i in 0..fields.len() {
            for j in i + 1..fields.len() {
                let graph = &mut system.graph;
                let along = |f: &[Expr]| symbols.iter().copied().zip(f.iter().copied()).collect::<Rates>();
                let (plus, minus) =
                    (graph.along_all(&fields[j], &along(&fields[i])), graph.along_all(&fields[i], &along(&fields[j])));
                all.push(plus.into_iter().zip(minus).map(|(a, b)| graph.sub(a, b)).collect());
            }
        }
        let (inner, whole) = (rank(system, &fields)?, rank(system, &all)?);
        Some(inner == whole)
    }
}
