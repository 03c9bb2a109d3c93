//! The row space just after a singular point, from Taylor coefficients of the rows.
//!
//! Rows W(s) = W₀ + W₁ s + W₂ s² + … may have dependent leading terms. While the leading term of a row depends on those before
//! it, the combination that vanishes at s = 0 takes its place, divided by s:
//!
//! ```text
//! wᵢ(0) = Σ cⱼ wⱼ(0)     ⟹     wᵢ(s) ← (wᵢ(s) − Σ cⱼ wⱼ(s)) / s,
//! ```
//!
//! which changes no span for s ≠ 0 (row operations over power series, as in their Smith form). In the end the leading terms
//! are independent, and D⁺ is their span. For analytic rows the limits from both sides agree.
//!
//! The arithmetic is that of double-doubles; the tolerance is that of the coefficients that came in.

use crate::rows::DEPENDENT;
use polhode_tape::dense::{add_scaled, dot, norm, scale};
use polhode_tape::{Dd, Scalar};
use std::fmt;

/// D⁺ from Taylor coefficients.
#[derive(Clone, Debug)]
pub struct SeriesLimit<S> {
    /// A basis of D⁺, row by row.
    pub rows: Vec<S>,
    /// Its rank.
    pub rank: usize,
    /// The highest power of s that a combination was divided by.
    pub depth: usize,
    /// The smallest leading term that was taken as independent and the largest that was not, relative to their rows.
    pub margin: (f64, f64),
}

/// The coefficients do not reach far enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exhausted {
    /// Independent rows that were found.
    pub found: usize,
    /// And should be there.
    pub wanted: usize,
    /// The number of coefficients of each row.
    pub terms: usize,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exhausted { found, wanted, terms } = self;
        write!(f, "{terms} Taylor coefficients show {found} independent constraints, not {wanted}")
    }
}

impl std::error::Error for Exhausted {}

/// D⁺ of rows given by `coefficients[k]`, the matrix W_k row by row; `rank` is that of the region.
pub fn series_limit<S: Scalar>(n: usize, coefficients: &[Vec<S>], rank: usize) -> Result<SeriesLimit<S>, Exhausted> {
    let terms = coefficients.len();
    let m = coefficients.first().map_or(0, |c| c.len().checked_div(n).unwrap_or(0));
    let tolerance = DEPENDENT * S::EPSILON;
    let mut done: Vec<Vec<Vec<Dd>>> = vec![]; // rows with independent leading terms
    let mut basis: Vec<Vec<Dd>> = vec![]; // these terms, orthonormal
    let (mut depth, mut margin) = (0, (1.0f64, 0.0f64));
    for i in 0..m {
        let mut row: Vec<Vec<Dd>> =
            coefficients.iter().map(|c| c[i * n..(i + 1) * n].iter().map(|x| x.to_dd()).collect()).collect();
        let size = row.iter().map(|c| norm(c)).fold(Dd::ZERO, |m, x| if x > m { x } else { m });
        if size == Dd::ZERO {
            continue;
        }
        row.iter_mut().for_each(|c| scale(c, Dd::ONE / size));
        for divided in 0..terms {
            let mut rest = row[0].clone();
            for _ in 0..2 {
                for q in &basis {
                    let c = dot(q, &rest);
                    add_scaled(&mut rest, -c, q);
                }
            }
            let left = norm(&rest);
            if left.hi() > tolerance {
                margin.0 = margin.0.min(left.hi());
                depth = depth.max(divided);
                scale(&mut rest, Dd::ONE / left);
                basis.push(rest);
                done.push(row);
                break;
            }
            margin.1 = margin.1.max(left.hi());
            for (c, other) in combination(&row[0], &done).into_iter().zip(&done) {
                for (term, b) in row.iter_mut().zip(other) {
                    add_scaled(term, -c, b);
                }
            }
            // the leading term vanishes; the division by s drops it. Rows divided before are shorter, and so is the sum
            let known = done.iter().map(Vec::len).fold(row.len(), usize::min);
            row.truncate(known);
            row.remove(0);
            if row.is_empty() {
                break;
            }
        }
    }
    if basis.len() != rank {
        return Err(Exhausted { found: basis.len(), wanted: rank, terms });
    }
    let rows = basis.iter().flatten().map(|x| S::constant(*x)).collect();
    Ok(SeriesLimit { rows, rank, depth, margin })
}

/// c with Σ cⱼ wⱼ(0) = `target`, for leading terms that are independent: elimination by Gram–Schmidt with the coefficients kept.
fn combination(target: &[Dd], done: &[Vec<Vec<Dd>>]) -> Vec<Dd> {
    let k = done.len();
    let mut q: Vec<Vec<Dd>> = vec![];
    let mut r = vec![Dd::ZERO; k * k];
    for (j, row) in done.iter().enumerate() {
        let mut v = row[0].clone();
        for _ in 0..2 {
            for (i, q) in q.iter().enumerate() {
                let c = dot(q, &v);
                add_scaled(&mut v, -c, q);
                r[i * k + j] = r[i * k + j] + c;
            }
        }
        let length = norm(&v);
        r[j * k + j] = length;
        scale(&mut v, Dd::ONE / length);
        q.push(v);
    }
    let mut c: Vec<Dd> = q.iter().map(|q| dot(q, target)).collect();
    for j in (0..k).rev() {
        let sum = (j + 1..k).fold(Dd::ZERO, |sum, i| sum + r[j * k + i] * c[i]);
        c[j] = (c[j] - sum) / r[j * k + j];
    }
    c
}
