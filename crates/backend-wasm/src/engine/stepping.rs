//! One step of DOP853. The rules, the coefficients and the order of operations are those of `polhode_integrate::dop853`:
//! compensated sums, error norm, step control, first step.

use super::memory::Work;
use crate::assembler::{Code, Function, Global, Integer, Real, Var, Writer, X, load, operands, select};
use crate::elementary::two_product;
use polhode_integrate::dop853::coefficients::{self as table, Row};
use std::ops::Range;
use wasm_encoder::ValType;

/// Row of the slope at the end.
const END: usize = 12;

/// What became of something.
pub(super) mod status {
    pub(in super::super) const FINE: i32 = 0;
    pub(in super::super) const TOO_SMALL: i32 = 1;
    pub(in super::super) const NOT_FINITE: i32 = 2;
    pub(in super::super) const STEP_LIMIT: i32 = 3;
    pub(in super::super) const EVENT: i32 = 4;
}

/// Variables of the integrator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variables {
    /// The time is t + rest.
    pub(super) t: Global<f64>,
    pub(super) rest: Global<f64>,
    /// The same where the last step began.
    pub(super) before: Global<f64>,
    pub(super) before_rest: Global<f64>,
    /// Length of the last step.
    pub(super) h: Global<f64>,
    /// |h| for the next step; 0 where there is no guess.
    pub(super) guess: Global<f64>,
    /// |h| and err^(1/8) of the last step; 0 where there was none.
    pub(super) previous: Global<f64>,
    pub(super) previous_root: Global<f64>,
    /// Did a step lead here, whose last slope is the first one now?
    pub(super) moved: Global<i32>,
    /// Are the coefficients of the last step there?
    pub(super) dense: Global<i32>,
    pub(super) rtol: Global<f64>,
    pub(super) atol: Global<f64>,
    pub(super) steps: Global<i32>,
    pub(super) rejected: Global<f64>,
    pub(super) evaluations: Global<f64>,
}

impl Variables {
    pub(super) fn new(w: &mut Writer) -> Variables {
        Variables {
            t: w.global(),
            rest: w.global(),
            before: w.global(),
            before_rest: w.global(),
            h: w.global(),
            guess: w.global(),
            previous: w.global(),
            previous_root: w.global(),
            moved: w.global(),
            dense: w.global(),
            rtol: w.global(),
            atol: w.global(),
            steps: w.global(),
            rejected: w.global(),
            evaluations: w.global(),
        }
    }
}

/// What the functions of the integrator share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stepping {
    pub(super) n: usize,
    pub(super) work: Work,
    pub(super) v: Variables,
    /// (address of t, y; address of ẏ).
    pub(super) field: Function,
    /// (address) → are all components finite?
    pub(super) finite: Function,
}

/// The functions of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// (end) → status.
    pub(super) step: Function,
    /// Makes the coefficients of the last step.
    pub(super) make_dense: Function,
    /// (θ, address): the state at θ of the last step, once there are coefficients.
    pub(super) interpolate: Function,
    /// (θ, address): the same from the cubic through both ends with their slopes, which costs nothing.
    pub(super) sketch: Function,
}

/// The terms of a row: stages and weights.
type Terms = Vec<(usize, f64)>;

fn terms<const M: usize>(row: &Row<M>) -> Terms {
    row.stages.into_iter().zip(row.weights).collect()
}

/// Copies a vector.
pub(super) fn copy(c: &mut Code, n: usize, from: u32, to: u32) {
    c.components(n, |c, i| c.store(i, to, load(i, from)));
}

/// y + rest + increment, as the nearest double and what it misses.
fn compensated(c: &mut Code, y: X<f64>, rest: X<f64>, increment: X<f64>) -> (Var<f64>, X<f64>) {
    let y = c.name(y);
    let b = c.name(rest + increment);
    let sum = c.name(y + b);
    let t = c.name(sum - y);
    (sum, (y - (sum - t)) + (b - t))
}

fn eighth_root(x: impl Real) -> X<f64> {
    x.sqrt().sqrt().sqrt()
}

/// b where a is undefined.
fn lesser(a: Var<f64>, b: Var<f64>) -> X<f64> {
    select(a.lt(b), a, b)
}

/// (address) → are all components of a vector finite?
pub(super) fn finite(w: &mut Writer, n: usize) -> Function {
    w.function(&[ValType::I32], |c, (at,): (Var<i32>,)| {
        let sum = c.name(0.0);
        c.components(n, |c, i| c.set(sum, sum + load(at + i, 0) * 0.0));
        c.give(sum.eq(0.0));
    })
}

impl Stepping {
    fn stage(&self, k: usize) -> u32 {
        self.work.stages + 8 * (k * self.n) as u32
    }

    /// Σⱼ weightsⱼ kⱼ of a component.
    fn sum(&self, row: &Terms, i: Var<i32>) -> X<f64> {
        let term = |(stage, weight): &(usize, f64)| *weight * load(i, self.stage(*stage));
        row.iter().map(term).reduce(|sum, term| sum + term).expect("rows have terms")
    }

    /// The error that a component of this size may have.
    fn scale(&self, c: &mut Code, size: X<f64>) -> X<f64> {
        let scale = c.name(self.v.atol + self.v.rtol * size);
        select(scale.gt(f64::MIN_POSITIVE), scale, f64::MIN_POSITIVE)
    }

    /// Stage k := f at the point, with this time.
    pub(super) fn evaluate(&self, c: &mut Code, k: usize, time: X<f64>) {
        c.store(0, self.work.point, time);
        c.run(self.field, operands![self.work.point, self.stage(k)]);
        c.set(self.v.evaluations, self.v.evaluations + 1.0);
    }

    pub(super) fn functions(&self, w: &mut Writer, units: &[Range<usize>]) -> Steps {
        let first_step = self.first_step(w);
        let renormalise = renormalise(w);
        let attempt = self.attempt(w, units, renormalise);
        Steps {
            step: self.step(w, first_step, attempt),
            make_dense: self.make_dense(w),
            interpolate: self.interpolate(w),
            sketch: self.sketch(w),
        }
    }

    /// (remaining) → the length of the first step. |y| and |ẏ| in units of the tolerance give a step of Euler's method; that
    /// estimates ÿ, and the step returned is the one whose eighth power balances the larger of both.
    fn first_step(&self, w: &mut Writer) -> Function {
        let (work, v, n) = (self.work, self.v, self.n);
        w.function(&[ValType::F64], |c, (remaining,): (Var<f64>,)| {
            let (speed, place) = (c.name(0.0), c.name(0.0));
            c.components(n, |c, i| {
                let y = c.name(load(i, work.y));
                let scale = self.scale(c, y.abs());
                let scale = c.name(scale);
                let rate = c.name(load(i, self.stage(0)) / scale);
                c.set(speed, speed + rate * rate);
                let size = c.name(y / scale);
                c.set(place, place + size * size);
            });
            let slow = speed.le(1e-10).or(place.le(1e-10));
            let h = c.name(select(slow, 1e-6, 0.01 * (place / speed).sqrt()));
            let most = c.name(remaining.abs());
            c.set(h, lesser(h, most));
            let signed = c.name(h.copysign(remaining));
            c.components(n, |c, i| c.store(i, work.point + 8, load(i, work.y) + signed * load(i, self.stage(0))));
            self.evaluate(c, 1, v.t + (v.rest + signed));
            let change = c.name(0.0);
            c.components(n, |c, i| {
                let scale = self.scale(c, load(i, work.y).abs());
                let bend = c.name((load(i, self.stage(1)) - load(i, self.stage(0))) / scale);
                c.set(change, change + bend * bend);
            });
            let steepest = c.name((change.sqrt() / h).most(speed.sqrt()));
            let other = c.local();
            c.either(
                steepest.le(1e-15),
                |c| c.set(other, (1e-3 * h).most(1e-6)),
                |c| c.set(other, eighth_root(0.01 / steepest)),
            );
            // undefined when the step of Euler's method leaves the domain of f
            c.when(other.ne(other), |c| c.finish(h));
            c.give(other.least(100.0 * h));
        })
    }

    /// (h, time of the end) → the error in units of the tolerance, or −1 if some value is not finite. y⁺ is in `trial`, its
    /// slope in row [`END`].
    fn attempt(&self, w: &mut Writer, units: &[Range<usize>], renormalise: Function) -> Function {
        let (work, v, n) = (self.work, self.v, self.n);
        let rows = [
            terms(&table::A2),
            terms(&table::A3),
            terms(&table::A4),
            terms(&table::A5),
            terms(&table::A6),
            terms(&table::A7),
            terms(&table::A8),
            terms(&table::A9),
            terms(&table::A10),
            terms(&table::A11),
            terms(&table::A12),
        ];
        let (b, b3, e5) = (terms(&table::B), terms(&table::B3), terms(&table::E5));
        w.function(&[ValType::F64], |c, (h, end): (Var<f64>, Var<f64>)| {
            for (k, row) in rows.iter().enumerate() {
                c.components(n, |c, i| c.store(i, work.point + 8, load(i, work.y) + h * self.sum(row, i)));
                self.evaluate(c, k + 1, v.t + (v.rest + table::C[k + 1] * h));
            }
            let (e3_sum, e5_sum) = (c.name(0.0), c.name(0.0));
            c.components(n, |c, i| {
                let y = c.name(load(i, work.y));
                let increment = c.name(self.sum(&b, i));
                let (new, rest) = compensated(c, y.into(), load(i, work.rest), h * increment);
                c.store(i, work.trial, new);
                c.store(i, work.trial_rest, rest);
                let scale = self.scale(c, y.abs().most(new.abs()));
                let inverse = c.name(1.0 / scale);
                let e3 = c.name((increment - self.sum(&b3, i)) * inverse);
                c.set(e3_sum, e3_sum + e3 * e3);
                let e5 = c.name(self.sum(&e5, i) * inverse);
                c.set(e5_sum, e5_sum + e5 * e5);
            });
            c.when(self.finite.of(operands![work.trial]).not(), |c| c.finish(-1.0));
            let both = c.name(e5_sum + 0.01 * e3_sum);
            let error = c.name(select(both.gt(0.0), h.abs() * e5_sum / (both * n as f64).sqrt(), 0.0));
            c.when(both.ne(both), |c| c.finish(f64::INFINITY));
            c.when(error.le(1.0).not(), |c| c.finish(select(error.gt(1.0), error, f64::INFINITY)));
            for unit in units {
                let (at, length) = (8 * unit.start as u32, 8 * unit.len() as u32);
                c.run(renormalise, operands![work.trial + at, work.trial_rest + at, length]);
            }
            copy(c, n, work.trial, work.point + 8);
            self.evaluate(c, END, end.into());
            c.when(self.finite.of(operands![self.stage(END)]).not(), |c| c.finish(-1.0));
            c.give(error);
        })
    }

    /// (end) → status: one step towards the end and not past it.
    fn step(&self, w: &mut Writer, first_step: Function, attempt: Function) -> Function {
        let (work, v, n) = (self.work, self.v, self.n);
        w.function(&[ValType::I32], |c, (end,): (Var<f64>,)| {
            let remaining = c.name((end - v.t) - v.rest);
            c.when(v.moved.into(), |c| copy(c, n, self.stage(END), self.stage(0)));
            c.set(v.moved, 0);
            c.set(v.dense, 0);
            c.when(self.finite.of(operands![self.stage(0)]).not(), |c| c.finish(status::NOT_FINITE));
            c.when(v.guess.eq(0.0), |c| c.set(v.guess, first_step.of(operands![remaining])));
            let (wanted, length, largest) = (c.name(v.guess), c.name(v.guess), c.name(6.0));
            let failure = c.name(status::TOO_SMALL);
            let (h, size, last) = (c.local::<f64>(), c.local::<f64>(), c.local::<i32>());
            let (target, target_rest, error) = (c.local::<f64>(), c.local::<f64>(), c.local::<f64>());
            c.repeat(|c, done| {
                c.set(last, (1.01 * length).ge(remaining.abs()));
                c.set(h, select(last.into(), remaining, length.copysign(remaining)));
                c.set(size, h.abs());
                let smallest = 10.0 * f64::EPSILON * X::from(v.t).abs() + f64::MIN_POSITIVE;
                c.when(last.not().and(length.gt(smallest).not()), |c| c.finish(failure));
                let (t, rest) = compensated(c, v.t.into(), v.rest.into(), h.into());
                c.set(target, select(last.into(), end, t));
                c.set(target_rest, select(last.into(), 0.0, rest));
                c.set(error, attempt.of(operands![h, target + target_rest]));
                c.leave_when(done, error.ge(0.0).and(error.le(1.0)));
                c.set(v.rejected, v.rejected + 1.0);
                c.either(
                    error.lt(0.0),
                    |c| {
                        c.set(failure, status::NOT_FINITE);
                        c.set(length, 0.1 * size);
                    },
                    |c| c.set(length, size * (0.9 / eighth_root(error)).most(1.0 / 3.0)),
                );
                // a step that was just too long is not tried again
                c.set(largest, 1.0);
            });
            let factor = c.name(0.9 / eighth_root(error));
            let root = c.name(eighth_root(error.most(1e-4)));
            c.when(v.previous.gt(0.0), |c| {
                let wary = 0.9 / root * (size / v.previous * v.previous_root / root);
                c.set(factor, factor.least(wary));
            });
            c.set(v.previous, size);
            c.set(v.previous_root, root);
            let next = c.name(size * factor.most(1.0 / 3.0).least(largest));
            // a step cut short by the end says little about the next one
            let cut = last.and(size.lt(wanted)).and(largest.gt(1.0));
            c.set(v.guess, select(cut, next.most(wanted), next));
            c.set(v.before, v.t);
            c.set(v.before_rest, v.rest);
            c.set(v.t, target);
            c.set(v.rest, target_rest);
            c.set(v.h, h);
            copy(c, n, work.y, work.start);
            copy(c, n, work.trial, work.y);
            copy(c, n, work.trial_rest, work.rest);
            c.set(v.moved, 1);
            c.set(v.steps, v.steps + 1);
            c.give(status::FINE);
        })
    }

    /// The coefficients of the last step, term by term, where they are not there yet: three more evaluations.
    fn make_dense(&self, w: &mut Writer) -> Function {
        let (work, v, n) = (self.work, self.v, self.n);
        let late = [(13, terms(&table::A14)), (14, terms(&table::A15)), (15, terms(&table::A16))];
        let sums = [terms(&table::D4), terms(&table::D5), terms(&table::D6), terms(&table::D7)];
        w.function(&[], |c, ()| {
            c.when(v.dense.not(), |c| {
                for (k, row) in &late {
                    c.components(n, |c, i| {
                        c.store(i, work.point + 8, load(i, work.start) + v.h * self.sum(row, i));
                    });
                    self.evaluate(c, *k, v.before + (v.before_rest + table::C[*k] * v.h));
                }
                c.components(n, |c, i| {
                    let start = c.name(load(i, work.start));
                    let change = c.name(load(i, work.y) - start);
                    let bend = c.name(v.h * load(i, self.stage(0)) - change);
                    let last = c.name(change - v.h * load(i, self.stage(END)) - bend);
                    for (term, x) in [start, change, bend, last].into_iter().enumerate() {
                        c.store(i, self.coefficient(term), x);
                    }
                    for (term, row) in sums.iter().enumerate() {
                        c.store(i, self.coefficient(4 + term), v.h * self.sum(row, i));
                    }
                });
                c.set(v.dense, 1);
            });
        })
    }

    fn coefficient(&self, term: usize) -> u32 {
        self.work.dense + 8 * (term * self.n) as u32
    }

    /// c₀ + θ(c₁ + (1−θ)(c₂ + θ(…))).
    fn interpolate(&self, w: &mut Writer) -> Function {
        w.function(&[], |c, (theta, to): (Var<f64>, Var<i32>)| {
            let rest = c.name(1.0 - theta);
            c.components(self.n, |c, i| {
                let last = load(i, self.coefficient(7));
                let sum = (0..7).rev().fold(last, |sum, term| {
                    sum * if term % 2 == 0 { theta } else { rest } + load(i, self.coefficient(term))
                });
                c.store(to + i, 0, sum);
            });
        })
    }

    /// y₀ + θ²(3 − 2θ) Δy + h θ(1 − θ)² ẏ₀ − h θ²(1 − θ) ẏ₁.
    fn sketch(&self, w: &mut Writer) -> Function {
        let (work, v) = (self.work, self.v);
        w.function(&[], |c, (x, to): (Var<f64>, Var<i32>)| {
            let step = c.name(x * x * (3.0 - 2.0 * x));
            let first = c.name(v.h * x * (1.0 - x) * (1.0 - x));
            let last = c.name(-(v.h * x * x * (1.0 - x)));
            c.components(self.n, |c, i| {
                let start = c.name(load(i, work.start));
                let slopes = first * load(i, self.stage(0)) + last * load(i, self.stage(END));
                c.store(to + i, 0, start + (step * (load(i, work.y) - start) + slopes));
            });
        })
    }
}

/// (address, bytes): divides a vector by its length, as states between the ends of steps are before they are reported.
pub(super) fn make_unit(w: &mut Writer) -> Function {
    w.function(&[], |c, (u, bytes): (Var<i32>, Var<i32>)| {
        let (square, i) = (c.name(0.0), c.local::<i32>());
        c.repeat(|c, done| {
            let x = c.name(load(u + i, 0));
            c.set(square, square + x * x);
            c.set(i, i + 8);
            c.leave_when(done, i.is(bytes));
        });
        let length = c.name(square.sqrt());
        c.when(length.gt(0.0), |c| {
            c.repeat(|c, done| {
                c.set(i, i - 8);
                c.store(u + i, 0, load(u + i, 0) / length);
                c.leave_when(done, i.is(0));
            });
        });
    })
}

/// (address of u, address of what rounding took from it, bytes): u ← u + (1/|u| − 1) u, where |u|² is summed with
/// its rounding errors, so that a vector which is unit up to rounding only changes in its rest.
fn renormalise(w: &mut Writer) -> Function {
    w.function(&[], |c, (u, rest, bytes): (Var<i32>, Var<i32>, Var<i32>)| {
        let (square, low, i) = (c.name(0.0), c.name(0.0), c.local::<i32>());
        c.repeat(|c, done| {
            let x = c.name(load(u + i, 0));
            let (p, e) = two_product(c, x, x);
            let sum = c.name(square + p);
            let t = c.name(sum - square);
            c.set(low, low + ((square - (sum - t)) + (p - t)) + (e + 2.0 * x * load(rest + i, 0)));
            c.set(square, sum);
            c.set(i, i + 8);
            c.leave_when(done, i.is(bytes));
        });
        let length = c.name(square.sqrt());
        let factor = c.name(((1.0 - square) - low) / (length * (1.0 + length)));
        // the vector of length zero has no direction to keep
        c.when(factor.abs().lt(f64::INFINITY), |c| {
            c.set(i, 0);
            c.repeat(|c, done| {
                let (x, r) = (c.name(load(u + i, 0)), c.name(load(rest + i, 0)));
                let (new, left) = compensated(c, x.into(), r.into(), factor * (x + r));
                c.store(u + i, 0, new);
                c.store(rest + i, 0, left);
                c.set(i, i + 8);
                c.leave_when(done, i.is(bytes));
            });
        });
    })
}
