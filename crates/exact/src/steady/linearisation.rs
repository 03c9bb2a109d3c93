//! What small disturbances of a steady motion do on the quotient.
//!
//! In axes that move with the group a steady motion stands still. With T a basis of the tangent space of states, δs = S T τ, the disturbance obeys
//!
//! ```text
//! τ̇ = L τ,     S T L = (∂ṡ/∂y − Σ ξ^i ∂X̃_i/∂y) T.                                                  (S2)
//! ```
//!
//! L maps the directions of the group into themselves, so it acts on what is left when these are divided out: L_red = Wᵀ L W with W orthogonal to
//! them. The kernel of L_red is the tangent of the family of steady motions; dividing it out too leaves the eigenvalues that say something.

use super::algebra::{Dense, Svd, eigenvalues};
use super::problem::{At, Problem, RANK};
use polhode_special::Complex;
use polhode_tape::{Dd, Interpreter, Scalar};

/// Parts of an eigenvalue below this part of the largest are rounding.
const NOTHING: f64 = 1e-12;

/// Singular values below this part of the largest entries belong to the kernel: solutions have 28 digits, or half of them where (S1) is degenerate.
const FLOOR: f64 = 1e-13;

/// Equations that are this much steeper than at the start have no value nearby.
const STEEP: f64 = 1e9;

/// Eigenvalues of the reduced linearisation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spectrum {
    /// Those that do not vanish.
    pub eigenvalues: Vec<Complex<Dd>>,
    /// How many vanish.
    pub zeros: usize,
    /// How many of the zeros the family of steady motions explains; more of them means that disturbances may grow slowly, or that the
    /// family branches here.
    pub explained: usize,
}

impl Spectrum {
    fn size(&self) -> f64 {
        self.eigenvalues.iter().fold(0.0f64, |m, z| m.max(z.abs().to_f64()))
    }

    /// Frequencies of small oscillations: eigenvalues ± iω.
    pub fn frequencies(&self) -> Vec<Dd> {
        let rounding = NOTHING * self.size();
        let oscillates = |z: &&Complex<Dd>| z.re.to_f64().abs() <= rounding && z.im > Dd::ZERO;
        self.eigenvalues.iter().filter(oscillates).map(|z| z.im).collect()
    }

    /// The fastest growth: the largest real part, if one is positive.
    pub fn growth(&self) -> Option<Dd> {
        let rounding = NOTHING * self.size();
        let growing = self.eigenvalues.iter().map(|z| z.re).filter(|x| x.to_f64() > rounding);
        growing.fold(None, |best: Option<Dd>, x| Some(best.map_or(x, |b| if x > b { x } else { b })))
    }

    /// No disturbance grows, to first order, except along the family.
    pub fn stable(&self) -> bool {
        self.growth().is_none() && self.zeros == self.explained
    }

    /// −λ² for pairs ± λ on the axes: squares of frequencies, negative where it is unstable.
    pub fn squares(&self) -> Vec<Dd> {
        let rounding = NOTHING * self.size();
        let mut out = Vec::new();
        for z in &self.eigenvalues {
            let (re, im) = (z.re.to_f64(), z.im.to_f64());
            if re.abs() <= rounding && im > 0.0 {
                out.push(z.im * z.im);
            } else if im.abs() <= rounding && re > 0.0 {
                out.push(-(z.re * z.re));
            }
        }
        out
    }
}

/// ∂C/∂y, unit vectors included.
fn relations(problem: &Problem, all: &Dense<Dd>) -> Svd<Dd> {
    let n = problem.symbols.len();
    let count = problem.parts.relations.len() + problem.units.len();
    Dense::from_fn(count, problem.state, |i, j| all[(n + i, j)]).svd()
}

/// How many relations between the components of states are independent at a state, and how steep all equations are.
pub(super) fn rank_of_relations(problem: &Problem, y: &[Dd]) -> (usize, f64) {
    let at = problem.at(&mut Interpreter::new(&problem.system), y);
    let none = vec![Dd::ZERO; problem.group()];
    let all = problem.jacobian(&at, y, &none, 1.0);
    (relations(problem, &all).rank(RANK), all.size())
}

/// The dimension of the family, how much of it the conditions leave open, and the spectrum; `None` at a state where fewer relations are
/// independent than at the start or have no slope, such as the tip of a cone: the equations hold there for want of meaning.
pub(super) fn linearise(problem: &Problem, at: &At<Dd>, y: &[Dd], xi: &[Dd]) -> Option<(usize, usize, Spectrum)> {
    let (n, ny, g) = (problem.symbols.len(), problem.state, problem.group());
    let all = problem.jacobian(at, y, xi, 1.0);
    let svd = relations(problem, &all);
    let rank = svd.rank(RANK);
    if rank < problem.rank.0 || !all.is_finite() || all.size() > STEEP * problem.rank.1 {
        return None;
    }
    let relations = problem.parts.relations.len() + problem.units.len();
    let t = svd.null_space(rank);
    let s = Dense::from_fn(n, ny, |i, j| at.slope(problem.parts.symbols.start + i, j));
    let a = s.mul(&t).svd();
    let rank = a.rank(RANK);
    let solve = |b: &Dense<Dd>| {
        let columns: Vec<Vec<Dd>> =
            (0..b.cols).map(|j| a.solve(&(0..b.rows).map(|i| b[(i, j)]).collect::<Vec<_>>(), rank, Dd::ZERO)).collect();
        Dense::from_fn(t.cols, b.cols, |i, j| columns[j][i])
    };
    let rate = Dense::from_fn(n, ny, |i, j| all[(i, j)]).mul(&t);
    let l = solve(&rate);
    let group = solve(&Dense::from_fn(n, g, |k, i| at.value(problem.parts.fields.start + i * n + k)));
    // what the group does not move, W
    let along = group.transpose().svd();
    let w = along.null_space(along.rank(RANK));
    let mut reduced = w.transpose().mul(&l).mul(&w);
    // rates of positions are of the size of velocities, so there are entries of size one
    let floor = FLOOR * rate.size().max(l.size());

    let (mut family, mut zeros) = (0, 0);
    let mut open = 0;
    let mut first = true;
    loop {
        let svd = reduced.svd();
        let rank = svd.values.iter().filter(|x| x.to_f64() > floor).count();
        let kernel = svd.null_space(rank);
        if first {
            family = kernel.cols;
            let chosen = Dense::from_fn(problem.parts.prescribed.len(), ny, |i, j| all[(n + relations + i, j)]);
            let slopes = chosen.mul(&t).mul(&w).mul(&kernel);
            open = family - slopes.svd().rank(RANK).min(family);
            first = false;
        }
        zeros += kernel.cols;
        if kernel.cols == 0 || rank == 0 {
            break;
        }
        let across = kernel.transpose().svd();
        let w = across.null_space(kernel.cols);
        reduced = w.transpose().mul(&reduced).mul(&w);
    }
    let left =
        if reduced.svd().values.iter().all(|x| x.to_f64() <= floor) { Vec::new() } else { eigenvalues(&reduced) };
    Some((family, open, Spectrum { eigenvalues: left, zeros, explained: family }))
}
