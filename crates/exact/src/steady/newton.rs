//! Newton's method for (S1), damped as Levenberg and Marquardt do.
//!
//! (S1) has more equations than unknowns, and its solutions are never alone: the group moves them, and they come in families. A step is
//!
//! ```text
//! δ = −(JᵀJ + κ|r|²)⁻¹ Jᵀ r,
//! ```
//!
//! the shortest one where J has a kernel; with the damping in proportion to |r|² convergence is quadratic even then, as long as the rank of J
//! does not change \[YamashitaFukushima2001\]. A start is first brought to where the relations and conditions hold, and these weigh as much as the rates, so that
//! it stays there.

use super::algebra::Dense;
use super::problem::{At, Problem};
use polhode_tape::{Dd, Interpreter, Scalar};

/// Steps of one search.
const STEPS: usize = 80;

/// Steps to where the conditions hold.
const ADMISSION: usize = 20;

/// Residuals that a solution may have, in units of the largest term.
pub(super) const SOLVED: f64 = 1e-25;

impl Problem {
    /// A state near another where the relations hold and what is prescribed has its values, as nearly as that can be had.
    pub(super) fn admitted(&self, tape: &mut Interpreter<f64>, start: Vec<f64>, wanted: &[f64]) -> Vec<f64> {
        let n = self.symbols.len();
        let none = vec![0.0; self.group()];
        let mut y = start;
        for _ in 0..ADMISSION {
            let at = self.at(tape, &y);
            let r: Vec<f64> = self.residual(&at, &y, &none, wanted)[n..].iter().map(|x| -x).collect();
            if r.iter().all(|x| x.abs() <= 1e-13) || r.iter().any(|x| !x.is_finite()) {
                break;
            }
            let all = self.jacobian(&at, &y, &none, 1.0);
            let svd = Dense::from_fn(r.len(), self.state, |i, j| all[(n + i, j)]).svd();
            let step = svd.solve(&r, svd.rank(1e-10), 0.0);
            y.iter_mut().zip(step).for_each(|(y, d)| *y += d);
        }
        y
    }

    /// How much relations and conditions weigh: rates are products of two velocities.
    fn weight<S: Scalar>(&self, values: &[S]) -> f64 {
        let fastest = values.iter().fold(1.0f64, |m, x| m.max(x.to_f64().abs()));
        fastest * fastest
    }

    /// r, without weights.
    pub(super) fn residual<S: Scalar>(&self, at: &At<S>, y: &[S], xi: &[S], values: &[S]) -> Vec<S> {
        let n = self.symbols.len();
        let mut r: Vec<S> = (0..n)
            .map(|k| {
                let rate = at.value(self.parts.rates.start + k);
                xi.iter().enumerate().fold(rate, |r, (i, x)| r - *x * at.value(self.parts.fields.start + i * n + k))
            })
            .collect();
        r.extend(self.parts.relations.clone().map(|k| at.value(k)));
        r.extend(self.units.iter().map(|u| y[u.clone()].iter().fold(S::from_f64(-1.0), |s, x| s + *x * *x)));
        r.extend(self.parts.prescribed.clone().zip(values).map(|(k, v)| at.value(k) - *v));
        r
    }

    /// ∂r/∂(y, ξ), with a weight on relations and conditions.
    pub(super) fn jacobian<S: Scalar>(&self, at: &At<S>, y: &[S], xi: &[S], weight: f64) -> Dense<S> {
        let weight = S::from_f64(weight);
        let (n, g) = (self.symbols.len(), self.group());
        let relations = self.parts.relations.len();
        let units = self.units.len();
        let rows = n + relations + units + self.parts.prescribed.len();
        Dense::from_fn(rows, self.state + g, |row, col| {
            if col >= self.state {
                let i = col - self.state;
                return if row < n { -at.value(self.parts.fields.start + i * n + row) } else { S::default() };
            }
            if row < n {
                let rate = at.slope(self.parts.rates.start + row, col);
                return xi
                    .iter()
                    .enumerate()
                    .fold(rate, |s, (i, x)| s - *x * at.slope(self.parts.fields.start + i * n + row, col));
            }
            let row = row - n;
            if row < relations {
                return weight * at.slope(self.parts.relations.start + row, col);
            }
            let row = row - relations;
            if row < units {
                return if self.units[row].contains(&col) { weight * (y[col] + y[col]) } else { S::default() };
            }
            weight * at.slope(self.parts.prescribed.start + row - units, col)
        })
    }

    /// ξ for which |ṡ − Xξ| is least.
    fn best_velocity<S: Scalar>(&self, at: &At<S>) -> Vec<S> {
        let n = self.symbols.len();
        let x = Dense::from_fn(n, self.group(), |k, i| at.value(self.parts.fields.start + i * n + k));
        let rates: Vec<S> = self.parts.rates.clone().map(|k| at.value(k)).collect();
        let svd = x.svd();
        svd.solve(&rates, svd.rank(S::EPSILON.sqrt()), S::default())
    }

    /// A solution from a start; `None` where the search gets stuck.
    pub(super) fn newton<S: Scalar>(
        &self,
        tape: &mut Interpreter<S>,
        start: &[S],
        xi: Option<&[S]>,
        values: &[S],
    ) -> Option<(Vec<S>, Vec<S>)> {
        let size = |r: &[S]| r.iter().fold(S::default(), |s, x| s + *x * *x).to_f64();
        let weight = self.weight(values);
        let weighted = |at: &At<S>, y: &[S], xi: &[S]| {
            let mut r = self.residual(at, y, xi, values);
            r[self.symbols.len()..].iter_mut().for_each(|x| *x = *x * S::from_f64(weight));
            r
        };
        let mut y = start.to_vec();
        let mut at = self.at(tape, &y);
        let mut xi = xi.map_or_else(|| self.best_velocity(&at), <[S]>::to_vec);
        let mut r = weighted(&at, &y, &xi);
        let mut merit = size(&r);
        let mut kappa = 1e-2;
        let mut stuck = 0;
        for _ in 0..STEPS {
            if !merit.is_finite() {
                return None;
            }
            let scale = self.scale(&at, &xi, values);
            if merit.sqrt() <= 4.0 * S::EPSILON * scale * weight {
                break;
            }
            let svd = self.jacobian(&at, &y, &xi, weight).svd();
            let rank = svd.rank(S::EPSILON.powf(0.75));
            let minus: Vec<S> = r.iter().map(|x| -*x).collect();
            let mut accepted = false;
            for _ in 0..12 {
                let step = svd.solve(&minus, rank, S::from_f64(kappa * merit));
                let moved: Vec<S> = y.iter().zip(&step).map(|(y, d)| *y + *d).collect();
                let turned: Vec<S> = xi.iter().zip(&step[self.state..]).map(|(x, d)| *x + *d).collect();
                let there = self.at(tape, &moved);
                let left = weighted(&there, &moved, &turned);
                let next = size(&left);
                if next.is_finite() && next < merit {
                    stuck = if next > 0.25 * merit { stuck + 1 } else { 0 };
                    (y, xi, at, r, merit) = (moved, turned, there, left, next);
                    kappa = (kappa * 0.1).max(1e-12);
                    accepted = true;
                    break;
                }
                kappa *= 10.0;
            }
            // rounding, or a minimum that is no zero
            if !accepted || stuck > 25 {
                break;
            }
        }
        let solved = SOLVED * (S::EPSILON / Dd::EPSILON);
        (merit.sqrt() <= solved * self.scale(&at, &xi, values) * weight).then_some((y, xi))
    }

    /// The largest terms of (S1).
    fn scale<S: Scalar>(&self, at: &At<S>, xi: &[S], values: &[S]) -> f64 {
        let all = self.parts.rates.clone().map(|k| at.value(k).to_f64());
        let all = all.chain(values.iter().map(|x| x.to_f64())).chain(xi.iter().map(|x| x.to_f64()));
        all.fold(1.0f64, |m, x| m.max(x.abs()))
    }
}
