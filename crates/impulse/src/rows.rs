//! Rows W and the space they span, whatever their number, length and dependence.
//!
//! Let aᵢ = L⁻¹wᵢᵀ be the rows where the metric is the identity, |aᵢ| their norms, Â the unit vectors aᵢ/|aᵢ| as rows.
//!
//! ```text
//! Âᵀ = Q R,   QᵀQ = 1 (n × r),     R = T Z,   Z Zᵀ = 1 (r × m),   T lower triangular,
//! ```
//!
//! Q by pivoted modified Gram–Schmidt, every vector orthogonalised twice [Higham2002, ch. 19]. From it follow
//!
//! ```text
//! Âᵀμ = Q d      μ = Zᵀ T⁻¹ d, the solution of least norm; it is unique up to ker R = (im Zᵀ)^⊥,
//! Â Q y = b      y = T⁻ᵀ Z b, if b − RᵀY = 0 (otherwise b is inconsistent).
//! ```
//!
//! Multipliers are of least norm in the unit rows, so that scaling a row of W scales its multiplier and changes nothing else.
//!
//! *Rank.* A unit row counts as dependent on the chosen ones if less than a tolerance of it is left. Near a point where rows
//! degenerate no tolerance is right, so the rank may be prescribed; [`Rows::margin`] says how clear the decision was.

use crate::metric::Metric;
use polhode_tape::Scalar;
use polhode_tape::dense::{add_scaled, dot, norm, one, refill, scale, zero};
use std::fmt;

/// In roundings: what may be left of a unit row that depends on the others. Rows come out of formulas, so the number leaves
/// room for six decimal digits lost in them: 10⁻¹⁰ in doubles, 5·10⁻²⁶ in double-doubles.
pub const DEPENDENT: f64 = 1048576.0;

/// In roundings: how far right sides may lie from what the rows can reach and still be taken as reachable.
pub const CONSISTENT: f64 = 1048576.0;

/// Elements whose squares neither vanish nor overflow, not even in their low parts.
const SQUARES: std::ops::Range<f64> = 1e-100..1e100;

/// How the rank of rows is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Rank {
    /// By the tolerance [`DEPENDENT`].
    #[default]
    Decide,
    /// By this tolerance, relative to the norms of the rows.
    Tolerance(f64),
    /// It is known.
    Exactly(usize),
}

/// Why rows cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RowsError {
    /// A number is not finite.
    NotFinite {
        /// The row, from 0.
        row: usize,
    },
    /// The prescribed rank is larger than what there is.
    RankTooLow {
        /// What was prescribed.
        wanted: usize,
        /// What could be found.
        found: usize,
    },
    /// W v + w₀ = 0 has no solution.
    NoVelocity {
        /// The row that is violated most, from 0.
        row: usize,
        /// By how much, with the best v.
        residual: f64,
    },
}

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowsError::NotFinite { row } => write!(f, "row {} is not finite", row + 1),
            RowsError::RankTooLow { wanted, found } => write!(f, "the rows have rank {found}, not {wanted}"),
            RowsError::NoVelocity { row, residual } => {
                write!(f, "no velocity satisfies the constraints: row {} is off by {residual:e}", row + 1)
            }
        }
    }
}

impl std::error::Error for RowsError {}

/// The space spanned by rows, with the solution of their equations. Setting it again allocates nothing in the long run.
#[derive(Clone, Debug, Default)]
pub struct Rows<S> {
    n: usize,
    m: usize,
    rank: usize,
    norms: Vec<S>, // |aᵢ|
    unit: Vec<S>,  // Â, row by row; zero for a row that vanishes
    left: Vec<S>,  // what is left of the unit rows
    taken: Vec<bool>,
    q: Vec<S>,      // Qᵀ, row by row
    r: Vec<S>,      // R
    t: Vec<S>,      // T, rank × rank
    z: Vec<S>,      // Z
    right: Vec<S>,  // w₀
    offset: Vec<S>, // c with A Q c = w₀
    work: Vec<S>,
    margin: (f64, f64),
}

impl<S: Scalar> Rows<S> {
    /// Rows `w`, row by row, with right sides `w0` (none: all zero).
    pub fn new(metric: &Metric<S>, w: &[S], w0: &[S], rank: Rank) -> Result<Self, RowsError> {
        let mut rows = Rows::default();
        rows.set(metric, w, w0, rank)?;
        Ok(rows)
    }

    /// Replaces the rows.
    pub fn set(&mut self, metric: &Metric<S>, w: &[S], w0: &[S], rank: Rank) -> Result<(), RowsError> {
        let n = metric.dimension();
        let m = w.len().checked_div(n).unwrap_or(0);
        assert_eq!(w.len(), m * n, "rows of {n} elements each");
        assert!(w0.is_empty() || w0.len() == m, "one right side for each row");
        (self.n, self.m) = (n, m);
        refill(&mut self.norms, m);
        refill(&mut self.unit, m * n);
        for i in 0..m {
            let a = &mut self.unit[i * n..(i + 1) * n];
            metric.straighten_covector(&w[i * n..(i + 1) * n], a);
            if !a.iter().all(|x| x.is_finite()) {
                return Err(RowsError::NotFinite { row: i });
            }
            let largest = a.iter().fold(0.0, |m: f64, x| m.max(x.to_f64().abs()));
            if largest == 0.0 {
                continue;
            }
            let mut size = one::<S>();
            if !SQUARES.contains(&largest) {
                size = power_of_two_near(largest);
                scale(a, one::<S>() / size);
            }
            let length = norm(a);
            scale(a, one::<S>() / length);
            self.norms[i] = size * length;
        }
        self.right.clear();
        self.right.extend_from_slice(w0);
        self.right.resize(m, zero());
        self.orthonormalise(rank)?;
        self.factor_r();
        self.set_offset(w0)
    }

    fn orthonormalise(&mut self, rank: Rank) -> Result<(), RowsError> {
        let (n, m) = (self.n, self.m);
        self.left.clear();
        self.left.extend_from_slice(&self.unit);
        self.taken.clear();
        self.taken.resize(m, false);
        self.q.clear();
        self.rank = 0;
        self.margin = (1.0, 0.0);
        let (tolerance, limit) = match rank {
            Rank::Decide => (DEPENDENT * S::EPSILON, n.min(m)),
            Rank::Tolerance(t) => (t, n.min(m)),
            Rank::Exactly(r) => (0.0, r),
        };
        loop {
            let mut best = (0, 0.0);
            for i in (0..m).filter(|i| !self.taken[*i]) {
                let a = &self.left[i * n..(i + 1) * n];
                let square = dot(a, a).to_f64();
                if square > best.1 {
                    best = (i, square);
                }
            }
            let (pivot, size) = (best.0, best.1.sqrt());
            if self.rank == limit || size <= tolerance {
                self.margin.1 = size;
                break;
            }
            self.margin.0 = size;
            self.taken[pivot] = true;
            let a = &mut self.left[pivot * n..(pivot + 1) * n];
            // the second orthogonalisation of the chosen vector; the first was made below, step by step
            for q in self.q.chunks_exact(n) {
                let c = dot(q, a);
                add_scaled(a, -c, q);
            }
            let length = norm(a);
            scale(a, one::<S>() / length);
            self.q.extend_from_slice(a);
            self.rank += 1;
            let q = &self.q[(self.rank - 1) * n..];
            for i in 0..m {
                if !self.taken[i] {
                    let a = &mut self.left[i * n..(i + 1) * n];
                    let c = dot(q, a);
                    add_scaled(a, -c, q);
                }
            }
        }
        match rank {
            Rank::Exactly(wanted) if wanted != self.rank => Err(RowsError::RankTooLow { wanted, found: self.rank }),
            _ => Ok(()),
        }
    }

    /// R = Qᵀ Âᵀ and R = T Z.
    fn factor_r(&mut self) {
        let (n, m, k) = (self.n, self.m, self.rank);
        refill(&mut self.r, k * m);
        for j in 0..k {
            for i in 0..m {
                self.r[j * m + i] = dot(&self.q[j * n..(j + 1) * n], &self.unit[i * n..(i + 1) * n]);
            }
        }
        self.z.clear();
        self.z.extend_from_slice(&self.r);
        refill(&mut self.t, k * k);
        for j in 0..k {
            let (done, rest) = self.z.split_at_mut(j * m);
            let row = &mut rest[..m];
            for _ in 0..2 {
                for (i, z) in done.chunks_exact(m).enumerate() {
                    let c = dot(z, row);
                    add_scaled(row, -c, z);
                    self.t[j * k + i] = self.t[j * k + i] + c;
                }
            }
            let length = norm(row);
            scale(row, one::<S>() / length);
            self.t[j * k + j] = length;
        }
    }

    fn set_offset(&mut self, w0: &[S]) -> Result<(), RowsError> {
        refill(&mut self.offset, self.rank);
        if w0.iter().all(|b| *b == zero()) {
            return Ok(());
        }
        let mut c = std::mem::take(&mut self.offset);
        let miss = self.solve(w0, &mut c);
        self.offset = c;
        match miss {
            Some(miss) if miss.relative > CONSISTENT * S::EPSILON => {
                Err(RowsError::NoVelocity { row: miss.row, residual: miss.signed.abs() })
            }
            _ => Ok(()),
        }
    }

    /// y with A Q y = b, as well as it can be done; what is missed most.
    pub(crate) fn solve(&mut self, b: &[S], y: &mut [S]) -> Option<Miss> {
        let (m, k) = (self.m, self.rank);
        refill(&mut self.work, m);
        for i in 0..m {
            self.work[i] = if self.norms[i] > zero() { b[i] / self.norms[i] } else { zero() };
        }
        for j in 0..k {
            y[j] = dot(&self.z[j * m..(j + 1) * m], &self.work);
        }
        for j in (0..k).rev() {
            let sum = (j + 1..k).fold(zero(), |sum, i| sum + self.t[i * k + j] * y[i]);
            y[j] = (y[j] - sum) / self.t[j * k + j];
        }
        let size = norm(&self.work).to_f64().max(norm(&y[..k]).to_f64());
        let mut worst: Option<Miss> = None;
        for i in 0..m {
            let reached = (0..k).fold(zero::<S>(), |sum, j| sum + self.r[j * m + i] * y[j]);
            let (miss, relative) = if self.norms[i] > zero() {
                let miss = (self.work[i] - reached).to_f64();
                (miss * self.norms[i].to_f64(), if size > 0.0 { miss.abs() / size } else { 0.0 })
            } else {
                // a row that vanishes reaches nothing
                (b[i].to_f64(), if b[i] == zero() { 0.0 } else { 1.0 })
            };
            if worst.is_none_or(|w| relative > w.relative) {
                worst = Some(Miss { row: i, signed: miss, relative });
            }
        }
        worst
    }

    /// s = A x + w₀.
    pub(crate) fn slip(&self, x: &[S], s: &mut [S]) {
        let n = self.n;
        for i in 0..self.m {
            s[i] = dot(&self.unit[i * n..(i + 1) * n], x) * self.norms[i] + self.right[i];
        }
    }

    /// λ of least norm with Wᵀλ = L Q d.
    pub(crate) fn multipliers(&mut self, d: &[S], lambda: &mut [S]) {
        let (m, k) = (self.m, self.rank);
        refill(&mut self.work, k);
        for j in 0..k {
            let sum = (0..j).fold(zero(), |sum, i| sum + self.t[j * k + i] * self.work[i]);
            self.work[j] = (d[j] - sum) / self.t[j * k + j];
        }
        for i in 0..m {
            let mu = (0..k).fold(zero::<S>(), |sum, j| sum + self.z[j * m + i] * self.work[j]);
            lambda[i] = if self.norms[i] > zero() { mu / self.norms[i] } else { zero() };
        }
    }

    /// The number of independent rows.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.m
    }

    /// What was left of the last row that was taken, and of the first that was not, relative to their norms: a wide gap is a
    /// clear rank.
    pub fn margin(&self) -> (f64, f64) {
        self.margin
    }

    /// Qᵀ row by row: an orthonormal basis of the row space where the metric is the identity.
    pub fn basis(&self) -> &[S] {
        &self.q
    }

    /// c: the rows are at rest at the velocities x with Qᵀx + c = 0.
    pub fn offset(&self) -> &[S] {
        &self.offset
    }

    /// Is the multiplier of this row determined by the impulse?
    pub fn unique(&self, row: usize) -> bool {
        let m = self.m;
        let inside = (0..self.rank).fold(zero::<S>(), |sum, j| sum + self.z[j * m + row] * self.z[j * m + row]);
        // 1 − |Zeᵢ|² is the square of the part of eᵢ in ker R
        (one::<S>() - inside).to_f64() <= DEPENDENT * S::EPSILON
    }

    /// Are all multipliers determined?
    pub fn all_unique(&self) -> bool {
        self.rank == self.m
    }

    /// Multipliers that give no impulse: a basis of { λ : Wᵀλ = 0 }, one vector for each dependence between the rows.
    pub fn null_space(&self) -> Vec<Vec<S>> {
        let m = self.m;
        let mut found: Vec<Vec<S>> = vec![];
        while found.len() + self.rank < m {
            // what is left of the unit vectors outside im Zᵀ and what has been found; the largest is kept
            let candidates = (0..m).map(|i| {
                let mut v = vec![zero(); m];
                v[i] = one();
                for _ in 0..2 {
                    for z in self.z.chunks_exact(m).chain(found.iter().map(Vec::as_slice)) {
                        let c = dot(z, &v);
                        add_scaled(&mut v, -c, z);
                    }
                }
                v
            });
            let best = candidates.max_by(|a, b| dot(a, a).to_f64().total_cmp(&dot(b, b).to_f64()));
            let Some(mut best) = best else { break };
            let length = norm(&best);
            scale(&mut best, one::<S>() / length);
            found.push(best);
        }
        for v in &mut found {
            for i in 0..m {
                if self.norms[i] > zero() {
                    v[i] = v[i] / self.norms[i];
                }
            }
        }
        found
    }

    /// P with p⁺ = P p⁻ on covectors, row by row: P = 1 − L Q Qᵀ L⁻¹. Velocities go with Pᵀ.
    ///
    /// [CortesEtAl2001, §5.1]: P(α) = α − Cⁱʲ α(Zᵢ) ωⱼ.
    pub fn projector(&self, metric: &Metric<S>) -> Vec<S> {
        let n = self.n;
        let mut projector = vec![zero(); n * n];
        let (mut p, mut x) = (vec![zero(); n], vec![zero(); n]);
        for column in 0..n {
            p.fill(zero());
            p[column] = one();
            metric.straighten_covector(&p, &mut x);
            for q in self.q.chunks_exact(n.max(1)) {
                let c = dot(q, &x);
                add_scaled(&mut x, -c, q);
            }
            metric.bend_covector(&x, &mut p);
            for row in 0..n {
                projector[row * n + column] = p[row];
            }
        }
        projector
    }
}

/// A power of two next to a positive number.
fn power_of_two_near<S: Scalar>(x: f64) -> S {
    S::from_f64(2f64.powi((x.log2() as i32).clamp(-1000, 1000)))
}

/// How far a right side is from what rows can reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Miss {
    pub(crate) row: usize,
    /// What is left over, in the units of the row.
    pub(crate) signed: f64,
    pub(crate) relative: f64,
}
