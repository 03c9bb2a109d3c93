//! Theorems 1, 2, 3 and 5 of \[CushmanEtAl1995\] as checks of a system.
//!
//! A check is an identity, decided by the exact equality test, or a rank at a random point of a prime field. Theorem 2
//! is about every function f; it contains f by its differential alone, so the check has a symbol for each
//! component of d_H f.

use super::ambient::Ambient;
use super::distributional::Distributional;
use super::linear::{combination, dot, rank};
use super::reconstruction::Reconstruction;
use super::reduced::Reduced;
use polhode_expr::{Evidence, Expr, Verdict};
use polhode_mechanics::forms::Form;
use polhode_mechanics::system::System;

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Two expressions are the same function, with the verdict (of several components the weakest).
    Identity(Verdict),
    /// A function that must not be zero, with the verdict on "it is zero".
    NotZero(Verdict),
    /// A dimension as found and as claimed; not found when an entry has no value at random points.
    Rank {
        /// At a random point.
        found: Option<usize>,
        /// By the theorem.
        claimed: usize,
    },
}

/// One claim of a theorem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// The claim, as a formula.
    pub claim: &'static str,
    /// What was found.
    pub outcome: Outcome,
}

impl Check {
    /// Does the claim hold? `None` when that could not be decided.
    pub fn verdict(&self) -> Option<bool> {
        match self.outcome {
            Outcome::Identity(Verdict::Undecided) | Outcome::NotZero(Verdict::Undecided) => None,
            Outcome::Identity(verdict) => Some(verdict.is_equal()),
            Outcome::NotZero(verdict) => Some(!verdict.is_equal()),
            Outcome::Rank { found, claimed } => found.map(|f| f == claimed),
        }
    }

    /// Does the claim hold for certain?
    pub fn holds(&self) -> bool {
        self.verdict() == Some(true)
    }

    fn identity(system: &mut System, claim: &'static str, pairs: impl IntoIterator<Item = (Expr, Expr)>) -> Check {
        let zero = system.graph.zero();
        let mut worst = system.graph.decide_zero(zero);
        for (a, b) in pairs {
            let verdict = system.graph.equal(a, b);
            if !verdict.is_equal() {
                return Check { claim, outcome: Outcome::Identity(verdict) };
            }
            if doubt(verdict) > doubt(worst) {
                worst = verdict;
            }
        }
        Check { claim, outcome: Outcome::Identity(worst) }
    }

    fn vanishing(system: &mut System, claim: &'static str, values: Vec<Expr>) -> Check {
        let zero = system.graph.zero();
        Check::identity(system, claim, values.into_iter().map(|e| (e, zero)))
    }

    fn dimension(claim: &'static str, found: Option<usize>, claimed: usize) -> Check {
        Check { claim, outcome: Outcome::Rank { found, claimed } }
    }
}

/// How much a verdict leaves to doubt, for comparison: a bound on the probability of an error, and more than any for numbers.
fn doubt(verdict: Verdict) -> f64 {
    match verdict {
        Verdict::Equal(Evidence::PrimeField { error, .. }) => error,
        _ => 1.0,
    }
}

/// Theorem 1: ω_H is non-degenerate, TP = H ⊕ H_ω along M, ω_H determines the motion and H_ω the multipliers.
pub fn theorem_1(system: &mut System, d: &Distributional) -> Vec<Check> {
    let ambient = Ambient::new(system, d);
    let n = d.equation.frame.n();
    let k = d.k();
    let rows: Vec<Vec<Expr>> = (0..2 * k).map(|i| d.omega.row(i).to_vec()).collect();
    let found = rank(system, &rows);
    let mut out = vec![Check::dimension("rank ω_H = 2k", found, 2 * k)];
    if k <= LARGEST_DETERMINANT {
        let det = d.determinant(&mut system.graph);
        out.push(Check { claim: "det ω_H ≠ 0", outcome: Outcome::NotZero(system.graph.decide_zero(det)) });
    }
    let found = ambient.rank_of_sum(system);
    out.push(Check::dimension("rank (H + H_ω) = 2n", found, 2 * n));
    out.push(Check::dimension("dim H_ω = 2(n − k)", Some(ambient.perpendicular.len()), 2 * (n - k)));

    let xi = d.vector_field(&mut system.graph);
    let (left, right) = (d.flat(&mut system.graph, &xi), d.differential(&mut system.graph, d.energy));
    out.push(Check::identity(system, "ξ ⌟ ω_H = d_H E", left.into_iter().zip(right)));
    let mut motion: Vec<Expr> = d.quasi_velocities().iter().map(|s| system.graph.var(*s)).collect();
    motion.extend(d.equation.accelerations(&mut system.graph));
    out.push(Check::identity(system, "ξ is the motion of the frame equation", xi.iter().copied().zip(motion)));

    // dE − ξ ⌟ ω is λ^a φ_a: no part along H, none along the fibres, and the multipliers of the saddle point
    let residual = ambient.residual(system, &xi);
    let idle: Vec<Expr> = residual[..k].iter().chain(&residual[n..]).copied().collect();
    out.push(Check::vanishing(system, "dE − ξ ⌟ ω is a combination of the φ_a", idle));
    if let (Some(found), Ok(equations)) = (ambient.multipliers(system, d), system.equations(Form::Multipliers)) {
        let pairs: Vec<(Expr, Expr)> = equations
            .reactions
            .iter()
            .filter_map(|r| {
                let own = found.iter().find(|(c, _)| *c == r.constraint)?.1;
                Some((own, d.on_manifold(&mut system.graph, r.value)))
            })
            .collect();
        out.push(Check::dimension("every multiplier is determined", Some(pairs.len()), equations.reactions.len()));
        out.push(Check::identity(system, "λ from H_ω is λ of the multiplier form", pairs));
    } else {
        out.push(Check::dimension("every multiplier is determined", None, system.distribution.elimination.rows.len()));
    }
    out
}

/// Determinants of ω_H are expanded up to this k; beyond it the rank says the same.
const LARGEST_DETERMINANT: usize = 4;

/// Theorem 2: ξ(f) = −⟨dE, ξ_f^H⟩ for every function f on M.
pub fn theorem_2(system: &mut System, d: &Distributional) -> Vec<Check> {
    let df: Vec<_> = (1..=2 * d.k()).map(|i| system.derived_symbol(&format!("df_{i}"))).collect();
    let graph = &mut system.graph;
    let df: Vec<Expr> = df.into_iter().map(|s| graph.var(s)).collect();
    let xi = d.vector_field(graph);
    let rate = dot(graph, &df, &xi);
    let field = d.sharp(graph, &df);
    let slope = d.derivative(graph, d.energy, &field);
    let minus = graph.neg(slope);
    vec![Check::identity(system, "ξ(f) = −⟨dE, ξ_f^H⟩", [(rate, minus)])]
}

/// Theorem 3: ξ lies in U, ω_U goes down to a non-degenerate form, and ξ̄ ⌟ ω̄ = dĒ.
pub fn theorem_3(system: &mut System, d: &Distributional, reduced: &Reduced) -> Vec<Check> {
    let xi = d.vector_field(&mut system.graph);
    let values = reduced.vertical.iter().map(|x| d.pair(&mut system.graph, &xi, x)).collect();
    let mut out = vec![Check::vanishing(system, "ω_H(ξ, V ∩ H) = 0", values)];

    let invariant = |system: &mut System, values: &[Expr]| -> Vec<Expr> {
        let graph = &mut system.graph;
        reduced.generators.iter().flat_map(|g| graph.along_all(values, &g.rates)).collect()
    };
    let changes = invariant(system, &[d.energy]);
    out.push(Check::vanishing(system, "E is constant along V", changes));
    let rates = reduced.rates(system, d);
    let changes = invariant(system, &rates);
    out.push(Check::vanishing(system, "ξ̄ is a field on M̄", changes));

    let graph = &mut system.graph;
    let values = reduced
        .common
        .iter()
        .flat_map(|x| reduced.perpendicular.iter().map(|u| d.pair(graph, x, u)).collect::<Vec<_>>())
        .collect();
    out.push(Check::vanishing(system, "ω_H(K, U) = 0", values));
    let graph = &mut system.graph;
    let on_u: Vec<Vec<Expr>> = (reduced.perpendicular.iter())
        .map(|x| reduced.perpendicular.iter().map(|y| d.pair(graph, x, y)).collect())
        .collect();
    let found = rank(system, &on_u);
    out.push(Check::dimension("rank ω_U = dim U − dim K", found, reduced.rank_h()));
    if reduced.coordinates.len() == reduced.dimension {
        let rows: Vec<Vec<Expr>> = (0..reduced.bracket.rows()).map(|i| reduced.bracket.row(i).to_vec()).collect();
        let found = rank(system, &rows);
        out.push(Check::dimension("rank of the reduced bracket = dim H̄", found, reduced.rank_h()));
    }
    if let Some(omega) = &reduced.omega {
        let changes = invariant(system, omega.entries());
        out.push(Check::vanishing(system, "ω̄ is a form on M̄", changes));
        let product = reduced.bracket.transpose().mul(&mut system.graph, omega);
        let size = product.rows();
        let (zero, one) = (system.graph.zero(), system.graph.one());
        let pairs: Vec<(Expr, Expr)> = (0..size * size)
            .map(|i| (product[(i / size, i % size)], if i / size == i % size { one } else { zero }))
            .collect();
        out.push(Check::identity(system, "ω̄ is the inverse of the reduced bracket", pairs));
        // (ξ̄ ⌟ ω̄)(Tρ u) = ⟨dE, u⟩ for u ∈ U
        let push = reduced.push(system, d, &reduced.perpendicular);
        let slopes = d.differential(&mut system.graph, d.energy);
        let graph = &mut system.graph;
        let covector: Vec<Expr> = (0..size).map(|j| dot(graph, &rates, &omega.col(j))).collect();
        let pairs: Vec<(Expr, Expr)> = (reduced.perpendicular.iter().enumerate())
            .map(|(i, u)| (dot(graph, &covector, &push.col(i)), dot(graph, &slopes, u)))
            .collect();
        out.push(Check::identity(system, "ξ̄ ⌟ ω̄ = dĒ", pairs));
    }
    out
}

/// Theorem 5 with Propositions 1 and 2 and (26)–(34): the splitting of H, and rates along K that are constant along V. (The last is only claimed
/// when the splitting is carried along, which a frame that is not leaves open.)
pub fn theorem_5(system: &mut System, d: &Distributional, reduced: &Reduced, split: &Reconstruction) -> Vec<Check> {
    let size = 2 * d.k();
    let all: Vec<Vec<Expr>> = split.quotient.iter().chain(&split.canonical).chain(&split.orbit).cloned().collect();
    let found = rank(system, &all);
    let mut out = vec![
        Check::dimension("H = B ⊕ C ⊕ D", found, size),
        Check::dimension("dim C = 2 dim K", Some(split.canonical.len()), 2 * reduced.common.len()),
    ];
    let sum: Vec<Vec<Expr>> = reduced.perpendicular.iter().chain(&reduced.vertical).cloned().collect();
    let found = rank(system, &sum);
    out.push(Check::dimension("(U + U_ω)_ω = K", found.map(|r| size - r), reduced.common.len()));
    for (claim, part) in
        [("B is symplectic", &split.quotient), ("C is symplectic", &split.canonical), ("D is symplectic", &split.orbit)]
    {
        let graph = &mut system.graph;
        let form: Vec<Vec<Expr>> = part.iter().map(|x| part.iter().map(|y| d.pair(graph, x, y)).collect()).collect();
        let found = rank(system, &form);
        out.push(Check::dimension(claim, found, part.len()));
    }
    let (zero, one) = (system.graph.zero(), system.graph.one());
    let mut pairs = Vec::new();
    for (i, x) in split.conjugate.iter().enumerate() {
        for (j, kappa) in reduced.common.iter().enumerate() {
            pairs.push((d.pair(&mut system.graph, kappa, x), if i == j { one } else { zero }));
        }
        pairs.extend(split.conjugate.iter().map(|y| (d.pair(&mut system.graph, x, y), zero)).collect::<Vec<_>>());
    }
    out.push(Check::identity(system, "ω_H(κ_i, η_j) = δ_ij, ω_H(η_i, η_j) = 0", pairs));

    // ξ − ⟨dE, η_i⟩ κ_i lies in B: its components at the pivots of K vanish, and it lies in U by Theorem 3
    let xi = d.vector_field(&mut system.graph);
    let pairs: Vec<(Expr, Expr)> =
        reduced.common_pivots.iter().zip(&split.rates).map(|(pivot, rate)| (xi[*pivot], *rate)).collect();
    out.push(Check::identity(system, "ξ_C = ⟨dE, η_i⟩ κ_i", pairs));
    out.extend(parts_of_the_motion(system, d, reduced, split, &xi));
    if split.carried {
        let graph = &mut system.graph;
        let changes = reduced.generators.iter().flat_map(|g| graph.along_all(&split.rates, &g.rates)).collect();
        out.push(Check::vanishing(system, "⟨dE, η_i⟩ is constant along V", changes));
    }
    out
}

/// (29)–(32): B, C and D are perpendicular to each other, and (17) falls apart into their parts.
fn parts_of_the_motion(
    system: &mut System,
    d: &Distributional,
    reduced: &Reduced,
    split: &Reconstruction,
    xi: &[Expr],
) -> Vec<Check> {
    let graph = &mut system.graph;
    let mut mixed = Vec::new();
    for (one, other) in
        [(&split.quotient, &split.canonical), (&split.quotient, &split.orbit), (&split.canonical, &split.orbit)]
    {
        mixed.extend(one.iter().flat_map(|x| other.iter().map(|y| d.pair(graph, x, y)).collect::<Vec<_>>()));
    }
    let slopes = d.differential(graph, d.energy);
    let along_k = combination(graph, &split.rates, &reduced.common, xi.len());
    let along_b: Vec<Expr> = xi.iter().zip(&along_k).map(|(x, c)| graph.sub(*x, *c)).collect();
    let mut sides = |field: &[Expr], part: &[Vec<Expr>]| -> Vec<(Expr, Expr)> {
        part.iter().map(|w| (d.pair(graph, field, w), dot(graph, &slopes, w))).collect()
    };
    let (b, c) = (sides(&along_b, &split.quotient), sides(&along_k, &split.canonical));
    let on_d: Vec<Expr> = split.orbit.iter().map(|w| dot(graph, &slopes, w)).collect();
    vec![
        Check::vanishing(system, "B, C, D are perpendicular to each other", mixed),
        Check::identity(system, "ξ_B ⌟ ω_B = d_B E", b),
        Check::identity(system, "ξ_C ⌟ ω_C = d_C E", c),
        Check::vanishing(system, "d_D E = 0", on_d),
    ]
}
