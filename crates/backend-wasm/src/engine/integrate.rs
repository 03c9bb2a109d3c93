//! The loop around the steps: rows of a motion, events, reports.

use super::events::Watches;
use super::memory::Layout;
use super::stepping::{Stepping, Steps, copy, make_unit, status};
use crate::assembler::{Function, Global, Integer, Real, Var, Writer, X, load, operands, select};
use std::ops::Range;
use wasm_encoder::ValType;

/// The smallest relative tolerance that doubles can follow.
const SMALLEST_RTOL: f64 = 2.3e-16;

/// What the loop calls.
pub(super) struct Calls<'a> {
    pub(super) steps: Steps,
    /// What watches for events, if there are any, and the number of those in the log.
    pub(super) watches: Option<Watches>,
    pub(super) logged: Global<i32>,
    /// (address of t, y; address of the numbers).
    pub(super) report: Function,
    /// Parts of the state that are unit vectors, also in the rows.
    pub(super) units: &'a [Range<usize>],
}

/// `integrate(t_end, count, rtol, atol, max_steps)` → rows · 16 + status.
pub(super) fn integrate(w: &mut Writer, s: &Stepping, layout: &Layout, calls: &Calls<'_>) -> Function {
    let make_unit = make_unit(w);
    let Stepping { n, work, v, .. } = *s;
    let Layout { sizes, at } = *layout;
    let (row, report_row) = (8 * n as u32, 8 * sizes.report as u32);
    type Wishes = (Var<f64>, Var<i32>, Var<f64>, Var<f64>, Var<i32>);
    w.function(&[ValType::I32], |c, (end, count, rtol, atol, max_steps): Wishes| {
        c.set(v.rtol, select(rtol.gt(SMALLEST_RTOL), rtol, SMALLEST_RTOL));
        c.set(v.atol, atol);
        c.set(v.t, load(0, at.time));
        for zero in [v.rest, v.guess, v.previous, v.rejected, v.evaluations] {
            c.set(zero, 0.0);
        }
        for zero in [v.moved, v.dense, v.steps, calls.logged] {
            c.set(zero, 0);
        }
        copy(c, n, at.state, work.y);
        c.components(n, |c, i| c.store(i, work.rest, 0.0));

        // from the first row to the last one, between which there are rows at these times
        let last = c.name(select(count.below(2), 2, count));
        c.set(last, select(last.below(sizes.capacity as u32), last, sizes.capacity as u32) - 1);
        let (start, rows) = (c.name(v.t), c.name(1));
        let span = c.name(end - start);
        let next = c.name(0.0);
        let soon = |rows: Var<i32>| start + span * rows.real() / last.real();
        c.set(next, soon(rows));
        c.store(0, at.times, v.t);
        copy(c, n, work.y, at.states);

        let outcome = c.name(status::FINE);
        let ends = c.name(-1.0); // where in the last step an event ends the motion
        let reached = c.name(v.t);
        c.block(|c, stopped| {
            let fine = span.abs().lt(f64::INFINITY);
            c.when(fine.and(s.finite.of::<i32>(operands![work.y])).not(), |c| {
                c.set(outcome, status::NOT_FINITE);
                c.leave(stopped);
            });
            copy(c, n, work.y, work.point + 8);
            s.evaluate(c, 0, v.t.into());
            if let Some(watches) = &calls.watches {
                c.run(watches.begin, operands![]);
            }
            c.repeat(|c, arrived| {
                c.leave_when(arrived, X::from(v.t).eq(end));
                c.when(X::from(v.steps).below(max_steps).not(), |c| {
                    c.set(outcome, status::STEP_LIMIT);
                    c.leave(stopped);
                });
                c.set(outcome, calls.steps.step.of(operands![end]));
                c.leave_when(stopped, outcome.differs(status::FINE));
                let length = c.name(v.t - v.before);
                c.set(reached, v.t);
                if let Some(watches) = &calls.watches {
                    c.set(ends, watches.search.of(operands![]));
                    c.when(ends.ge(0.0).and(ends.lt(1.0)), |c| c.set(reached, v.before + ends * length));
                }
                // the rows that the step passes, but for the last one
                c.repeat(|c, passed| {
                    c.leave_when(passed, rows.below(last).not());
                    c.leave_when(passed, ((next - reached) * span).gt(0.0));
                    c.run(calls.steps.make_dense, operands![]);
                    c.store(rows * 8, at.times, next);
                    let theta = (next - v.before) / length;
                    c.run(calls.steps.interpolate, operands![theta, rows * row + at.states]);
                    c.set(rows, rows + 1);
                    c.set(next, soon(rows));
                });
                c.when(ends.ge(0.0), |c| {
                    c.set(outcome, status::EVENT);
                    c.when(ends.lt(1.0), |c| {
                        c.run(calls.steps.make_dense, operands![]);
                        c.run(calls.steps.interpolate, operands![ends, work.y]);
                    });
                    c.leave(stopped);
                });
            });
        });

        // where it stopped, unless that row is there
        c.when(load((rows - 1) * 8, at.times).ne(reached), |c| {
            c.store(rows * 8, at.times, reached);
            let to = c.name(rows * row);
            c.components(n, |c, i| c.store(to + i, at.states, load(i, work.y)));
            c.set(rows, rows + 1);
        });
        let k = c.local::<i32>();
        c.repeat(|c, done| {
            c.store(0, work.point, load(k * 8, at.times));
            let from = c.name(k * row);
            for unit in calls.units {
                let place = at.states + 8 * unit.start as u32;
                c.run(make_unit, operands![from + place, 8 * unit.len() as u32]);
            }
            c.components(n, |c, i| c.store(i, work.point + 8, load(from + i, at.states)));
            c.run(calls.report, operands![work.point, k * report_row + at.reports]);
            c.set(k, k + 1);
            c.leave_when(done, k.is(rows));
        });
        c.store(0, at.statistics, v.steps.real());
        c.store(0, at.statistics + 8, v.rejected);
        c.store(0, at.statistics + 16, v.evaluations);
        c.store(0, at.event_log, calls.logged.real());
        c.give(rows * 16 + outcome);
    })
}
