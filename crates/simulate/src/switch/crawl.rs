//! Motions that get nowhere because their constraints lose rank.
//!
//! On the way to a point where the constraint (x + κy) dx + (y − κx) dy vanishes, a particle runs down a logarithmic spiral at constant speed V, and the
//! force V²/(r√(1+κ²)) that keeps it there has no integral: steps shrink without end, and no momentum arrives. What tells this apart from other
//! singularities is that the rows themselves collapse: the least of their pivots becomes a tiny part of what it was at the start.

use crate::compile::Compiled;
use crate::state::State;
use polhode_base::ids::ChartId;
use polhode_mechanics::Form;
use polhode_tape::dense::{norm, remove_along};
use polhode_tape::{Interpreter, Scalar};

/// Rows have collapsed when their least pivot is below this part of that at the start.
const COLLAPSED: f64 = 1e-6;

/// Pivots below this part of the largest are those of dependent rows.
const DEPENDENT: f64 = 1e-9;

impl Compiled {
    /// Whether the constraints have lost rank on the way from the start to a state.
    pub(crate) fn loses_rank<S: Scalar>(&self, t: S, state: &State<S>) -> bool {
        if self.program.form != Form::Multipliers || self.discrete.is_some() {
            return false;
        }
        let chart = state.place.chart;
        let now: Vec<f64> = state.components.iter().map(|x| x.to_f64()).collect();
        let start: Vec<f64> = self.start.iter().map(|x| x.to_f64()).collect();
        let before = self.pivots(chart, 0.0, &start);
        let after = self.pivots(chart, t.to_f64(), &now);
        let largest = before.iter().copied().fold(0.0, f64::max);
        let rank = before.iter().filter(|p| **p > DEPENDENT * largest).count();
        let collapsed = rank > 0 && after.get(rank - 1).is_none_or(|p| *p < COLLAPSED * before[rank - 1]);
        collapsed && self.is_flung(chart, t.to_f64(), &now)
    }

    /// Whether the accelerations at a state are out of all proportion to its velocities.
    fn is_flung(&self, chart: ChartId, t: f64, state: &[f64]) -> bool {
        let mut inputs = vec![t];
        inputs.extend_from_slice(state);
        let mut rates = vec![0.0; state.len()];
        Interpreter::new(&self.charts[chart].field).call(&inputs, &mut rates);
        let size = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let unknowns = self.program.unknowns.clone();
        let speed = size(&state[unknowns.clone()]).max(1.0);
        size(&rates[unknowns]) * COLLAPSED > speed * speed
    }

    /// Pivots of the constraints at a state, by orthogonalisation with the longest row first. The rows are differences of residuals, which are
    /// affine in the velocities.
    fn pivots(&self, chart: ChartId, t: f64, state: &[f64]) -> Vec<f64> {
        let report = &self.charts[chart].report;
        let count = self.constraints.len();
        let residuals = |v: Option<usize>| {
            let mut inputs = vec![t];
            inputs.extend_from_slice(state);
            let unknowns = self.program.unknowns.clone();
            inputs[1 + unknowns.start..1 + unknowns.end].fill(0.0);
            if let Some(j) = v {
                inputs[1 + unknowns.start + j] = 1.0;
            }
            let mut out = vec![0.0; report.outputs.len()];
            Interpreter::new(report).call(&inputs, &mut out);
            let first = self.program.layout.residuals.start;
            out[first..first + count].to_vec()
        };
        let rest = residuals(None);
        let columns: Vec<Vec<f64>> = (0..self.program.unknowns.len()).map(|j| residuals(Some(j))).collect();
        let row = |i: usize| columns.iter().map(|c| c[i] - rest[i]).collect::<Vec<f64>>();
        let mut rows: Vec<Vec<f64>> = (0..count).map(row).collect();
        let mut pivots = Vec::new();
        while let Some((k, length)) =
            rows.iter().map(|r| norm(r)).enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, l)| *l > 0.0)
        {
            let unit = [rows.swap_remove(k).iter().map(|x| x / length).collect()];
            rows.iter_mut().for_each(|r| remove_along(r, &unit));
            pivots.push(length);
        }
        pivots
    }
}
