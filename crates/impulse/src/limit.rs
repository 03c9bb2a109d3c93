//! The row space just after a point where rows vanish or become dependent: D⁺ = lim span W(s), s → 0⁺, from samples.
//!
//! At s = 0 the rows say nothing (rank too low, or 0/0). Along the arc their span is a curve in the Grassmannian, and what has
//! a limit is the projector, which knows no basis:
//!
//! ```text
//! Π(s) = Q(s) Q(s)ᵀ,   Q orthonormal, rows normalised first;    Π(0) by Neville's scheme from s₀ρᵏ, k = 0, 1, ….
//! ```
//!
//! Factors of the rows, even flat ones such as exp(−1/s²), drop out by the normalisation. The error is the difference of
//! neighbours in the scheme. Twice a limit, along two sequences that share no point, guards against an oscillation that the first
//! happens to sample at one phase. What is not Cauchy is no limit: cos(1/s) dy + sin(1/s) dz has none, although
//! the definition of D⁺ in [CortesEtAl2001, §5.1] gives {0} there.
//!
//! The scheme needs Π smooth in s up to 0; rows in √s converge slowly, and their error says so. For rows with known Taylor
//! coefficients see `series`.

use crate::metric::Metric;
use crate::rows::{Rank, Rows, RowsError};
use polhode_tape::Scalar;
use polhode_tape::dense::{add_scaled, dot, norm, one, scale, zero};
use std::fmt;

/// The most samples along one sequence.
const SAMPLES: usize = 24;

/// Fewer samples than this decide nothing.
const FEWEST: usize = 5;

/// With fewer samples than this a denser sequence is tried.
const ENOUGH: usize = 12;

/// The ratios that are tried: rows with a flat factor vanish in floating point long before s does, and leave room for few halvings.
const RATIOS: [f64; 3] = [0.5, std::f64::consts::FRAC_1_SQRT_2, 0.8408964152537145];

/// The start of the second sequence, relative to the first: the golden ratio, a power of none of the ratios.
const SECOND: f64 = 0.6180339887498949;

/// What is asked of a limit unless told otherwise: a third of the digits of S.
pub fn default_tolerance<S: Scalar>() -> f64 {
    S::EPSILON.cbrt()
}

/// The limit of a row space.
#[derive(Clone, Debug)]
pub struct Limit<S> {
    /// An orthonormal basis of D⁺ (in the coordinates of the rows, Euclidean), row by row: rows for [`Rows::set`].
    pub rows: Vec<S>,
    /// The projector Π(0), row by row.
    pub projector: Vec<S>,
    /// Its rank.
    pub rank: usize,
    /// An estimate of the error of the projector's elements.
    pub error: f64,
}

/// Why there is no limit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LimitError {
    /// The row space does not settle.
    NoLimit {
        /// The best estimate of the error that was reached.
        error: f64,
        /// What was asked for.
        tolerance: f64,
    },
    /// The rows have the rank only for too few of the arguments that were tried.
    TooFewSamples {
        /// How many could be used.
        found: usize,
        /// Why the next could not.
        reason: RowsError,
    },
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitError::NoLimit { error, tolerance } => write!(
                f,
                "the constraints have no limit along this arc: they move by {error:e} where {tolerance:e} was asked for"
            ),
            LimitError::TooFewSamples { found, reason } => {
                write!(f, "the constraints can be followed through {found} points only: {reason}")
            }
        }
    }
}

impl std::error::Error for LimitError {}

/// The rank of rows at a point, to be used along the whole arc. Take a point well inside the region.
pub fn rank_at<S: Scalar>(n: usize, rows: &[S]) -> Result<usize, RowsError> {
    Ok(Rows::new(&Metric::identity(n), rows, &[], Rank::Decide)?.rank())
}

/// The limit of the span of `rows(s, w)`, which fills `w` with rows of `n` elements, for s from `start` down to 0.
///
/// `rank` is that of the region; without it, it is decided at `start`. `tolerance` is for the elements of the projector.
pub fn limit<S: Scalar>(
    n: usize,
    rank: Option<usize>,
    start: S,
    tolerance: f64,
    mut rows: impl FnMut(S, &mut Vec<S>),
) -> Result<Limit<S>, LimitError> {
    let mut w = vec![];
    let rank = match rank {
        Some(rank) => rank,
        None => {
            rows(start, &mut w);
            rank_at(n, &w).map_err(|reason| LimitError::TooFewSamples { found: 0, reason })?
        }
    };
    let (first, e1) = sequence(n, rank, start, &mut rows)?;
    let (second, e2) = sequence(n, rank, start * S::from_f64(SECOND), &mut rows)?;
    let apart = difference(&first, &second);
    let error = e1.max(e2).max(apart);
    if error.is_nan() || error > tolerance {
        return Err(LimitError::NoLimit { error, tolerance });
    }
    let projector = if e1 <= e2 { first } else { second };
    Ok(Limit { rows: image(n, &projector, rank), projector, rank, error })
}

/// An orthonormal basis of the image of a projector: its largest rows, as they are. (Rows normalises what it is given, and would
/// take the roundings in a row that vanishes for a direction.)
fn image<S: Scalar>(n: usize, projector: &[S], rank: usize) -> Vec<S> {
    let mut left = projector.to_vec();
    let mut basis: Vec<S> = vec![];
    for _ in 0..rank {
        let size = |row: &&[S]| dot(row, row).to_f64();
        let Some(row) = left.chunks_exact(n).max_by(|a, b| size(a).total_cmp(&size(b))) else { break };
        let mut row = row.to_vec();
        for q in basis.chunks_exact(n) {
            let c = dot(q, &row);
            add_scaled(&mut row, -c, q);
        }
        let length = norm(&row);
        scale(&mut row, one::<S>() / length);
        for other in left.chunks_exact_mut(n) {
            let c = dot(&row, other);
            add_scaled(other, -c, &row);
        }
        basis.extend(row);
    }
    basis
}

fn difference<S: Scalar>(a: &[S], b: &[S]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((*x - *y).to_f64().abs()))
}

/// The extrapolated projector and its error, along the sequence with the best error.
fn sequence<S: Scalar>(
    n: usize,
    rank: usize,
    start: S,
    rows: &mut impl FnMut(S, &mut Vec<S>),
) -> Result<(Vec<S>, f64), LimitError> {
    let metric = Metric::identity(n);
    let mut best: Option<(Vec<S>, f64)> = None;
    let mut failure = None;
    for ratio in RATIOS {
        let mut scheme = Neville::default();
        let (mut s, mut w, mut space) = (start, vec![], Rows::default());
        for _ in 0..SAMPLES {
            rows(s, &mut w);
            if let Err(reason) = space.set(&metric, &w, &[], Rank::Exactly(rank)) {
                failure = Some(LimitError::TooFewSamples { found: scheme.nodes.len(), reason });
                break;
            }
            let mut projector = vec![zero::<S>(); n * n];
            for q in space.basis().chunks_exact(n.max(1)) {
                for i in 0..n {
                    for j in 0..n {
                        projector[i * n + j] = projector[i * n + j] + q[i] * q[j];
                    }
                }
            }
            scheme.add(s, projector);
            s = s * S::from_f64(ratio);
        }
        let count = scheme.nodes.len();
        if count >= FEWEST && best.as_ref().is_none_or(|b| scheme.error < b.1) {
            best = Some((scheme.value, scheme.error));
        }
        if count >= ENOUGH {
            break;
        }
    }
    match (best, failure) {
        (Some(best), _) => Ok(best),
        (None, Some(failure)) => Err(failure),
        (None, None) => unreachable!("samples that do not fail are enough"),
    }
}

/// Extrapolation to 0: T_{k,0} = Π(s_k), T_{k,j} = T_{k,j−1} + (T_{k,j−1} − T_{k−1,j−1}) s_k/(s_{k−j} − s_k).
#[derive(Default)]
struct Neville<S> {
    nodes: Vec<S>,
    row: Vec<Vec<S>>, // T_{k,0}, T_{k,1}, …
    value: Vec<S>,    // the best so far
    error: f64,
}

impl<S: Scalar> Neville<S> {
    fn add(&mut self, s: S, projector: Vec<S>) {
        let k = self.nodes.len();
        self.nodes.push(s);
        let mut row = vec![projector];
        if k == 0 {
            (self.value, self.error) = (row[0].clone(), f64::INFINITY);
        }
        for j in 1..=k {
            let factor = s / (self.nodes[k - j] - s);
            let (left, above) = (&row[j - 1], &self.row[j - 1]);
            let next: Vec<S> = left.iter().zip(above).map(|(l, a)| *l + (*l - *a) * factor).collect();
            // both neighbours must agree: one of them alone may do so by chance
            let error = difference(&next, left).max(difference(&next, above));
            if error < self.error {
                (self.value, self.error) = (next.clone(), error);
            }
            row.push(next);
        }
        self.row = row;
    }
}
