//! Zeros of event functions along a step.
//!
//! The cubic through both ends of a step with their slopes excludes most steps: a function with values far from zero beside
//! what they change has none. Three of them tell if they are very far, nine if they are not. Otherwise the dense output is looked at:
//!
//! ```text
//! θ = 0, 1/16, … 1:     a change of sign is a crossing;
//!                       a value nearer to zero than both neighbours may hide two, and the extremum is looked for,
//!                       where the neighbours of the ends are those of the polynomial that goes on beyond them;
//! ```
//!
//! and crossings are located between numbers as near as the clock tells them apart, by \[OliveiraTakahashi2021\]: as fast as
//! secants, never much slower than bisection.
//!
//! As in `polhode_integrate::drive`, a function that is zero at the start fires when it has left zero and comes back, except that a
//! terminal event with a direction that starts on its boundary and leaves in that direction fires at once. Directions are along the
//! motion, also when it is followed backwards. Functions that touch zero without a change of sign are no events.

use super::memory::{Layout, PIECES};
use super::stepping::{Stepping, Steps};
use crate::assembler::{Code, Function, Global, Integer, Real, Var, Writer, X, load, operands, select};
use wasm_encoder::{Instruction, ValType};

/// Beside the largest |g| of the first step, a g at the start this small is zero.
const AT_ZERO: f64 = 1e-12;
/// How far from zero, in units of what they change, values have to be for a step without a zero: three of them, and nine.
const FAR: f64 = 8.0;
const NEAR: f64 = 2.0;
/// How a function leaves zero is looked for from the 2⁻ᵏ-th part of a step on.
const FINEST: i32 = 30;
/// Thirds that a search for an extremum takes away; they leave 10⁻⁷ of a piece, where a parabola has all its digits.
const THIRDS: i32 = 40;
/// The side of a function that is at zero since the motion began; that of others is 1, −1, or 0 since they arrived at zero.
const FRESH: f64 = 2.0;

/// What the functions share.
pub(super) struct Watching<'a> {
    pub(super) stepping: &'a Stepping,
    pub(super) steps: &'a Steps,
    pub(super) layout: &'a Layout,
    /// (address of t, y; address of the values).
    pub(super) functions: Function,
    /// Number of events of the step.
    pub(super) pending: Global<i32>,
    /// Number of events of the log.
    pub(super) logged: Global<i32>,
}

/// The functions that watch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watches {
    /// Before the first step.
    pub(super) begin: Function,
    /// → θ of the terminal event that ends the last step, or −1.
    pub(super) search: Function,
}

impl Watching<'_> {
    fn count(&self) -> usize {
        self.layout.sizes.events
    }

    /// The values at the beginning of the step.
    fn values(&self) -> u32 {
        self.stepping.work.values + 8 * self.count() as u32
    }

    /// Length of the last step on the clock's face.
    fn length(&self) -> X<f64> {
        self.stepping.v.t - self.stepping.v.before
    }

    pub(super) fn functions(&self, w: &mut Writer) -> Watches {
        let value = self.value(w);
        let report = self.report(w);
        let follow = self.follow(w, value, report);
        Watches { begin: self.begin(w), search: self.search(w, follow) }
    }

    /// Values at the present state, to be copied to the beginning of the step; all sides are unknown.
    fn begin(&self, w: &mut Writer) -> Function {
        let work = self.stepping.work;
        w.function(&[], |c, ()| {
            self.at_the_end(c, work.first);
            c.components(self.count(), |c, k| c.store(k, work.sides, FRESH));
        })
    }

    /// All functions at the state reached.
    fn at_the_end(&self, c: &mut Code, to: u32) {
        let Stepping { work, v, n, .. } = *self.stepping;
        c.store(0, work.point, v.t);
        super::stepping::copy(c, n, work.y, work.point + 8);
        c.run(self.functions, operands![work.point, to]);
    }

    /// The time at θ goes to the point.
    fn clock(&self, c: &mut Code, theta: Var<f64>) {
        let Stepping { work, v, .. } = *self.stepping;
        c.store(0, work.point, v.before + theta * self.length());
    }

    /// (θ, function as an address) → its value on the dense output.
    fn value(&self, w: &mut Writer) -> Function {
        let work = self.stepping.work;
        w.function(&[ValType::F64], |c, (theta, k): (Var<f64>, Var<i32>)| {
            c.run(self.steps.interpolate, operands![theta, work.point + 8]);
            self.clock(c, theta);
            c.run(self.functions, operands![work.point, work.now]);
            c.give(load(k, work.now));
        })
    }

    /// (function, θ, direction): an event of the step, put among the others in order of time.
    fn report(&self, w: &mut Writer) -> Function {
        let work = self.stepping.work;
        w.function(&[], |c, (k, theta, direction): (Var<i32>, Var<f64>, Var<f64>)| {
            let wanted = c.name(load(k, work.directions));
            c.when(wanted.eq(0.0).or(wanted.eq(direction)), |c| {
                let at = c.name(self.pending * 24);
                c.repeat(|c, done| {
                    c.leave_when(done, at.is(0));
                    c.leave_when(done, load(at - 24, work.pending + 8).le(theta));
                    for part in [0, 8, 16] {
                        c.store(at, work.pending + part, load(at - 24, work.pending + part));
                    }
                    c.set(at, at - 24);
                });
                c.store(at, work.pending, k.real());
                c.store(at, work.pending + 8, theta);
                c.store(at, work.pending + 16, direction);
                c.set(self.pending, self.pending + 1);
            });
        })
    }

    /// (function, a, g(a), b, g(b)) → θ of the crossing between a and b, where g has opposite signs. Where it has not, since
    /// rounding has put it beyond zero already, that is a.
    fn locate(&self, w: &mut Writer, value: Function) -> Function {
        let v = self.stepping.v;
        type Ends = (Var<i32>, Var<f64>, Var<f64>, Var<f64>, Var<f64>);
        w.function(&[ValType::F64], |c, (k, a, ga, b, gb): Ends| {
            c.when(ga.eq(0.0).or(ga.lt(0.0).is(gb.lt(0.0))), |c| c.finish(a));
            // half of what is left in the end, as a part of the step
            let late = X::from(v.t).abs().most(X::from(v.before).abs()) / self.length().abs();
            let near = c.name((f64::EPSILON / 2.0) * late.most(1.0));
            let width = c.name(b - a);
            let (slope, sign) = (c.name(0.2 / width), c.name(X::from(1.0).copysign(gb)));
            // what bisection would leave after as many values, and twice that
            let allowed = c.name(width);
            let (middle, secant, toward, x) = (c.local::<f64>(), c.local::<f64>(), c.local::<f64>(), c.local::<f64>());
            let (shift, g) = (c.local::<f64>(), c.local::<f64>());
            c.repeat(|c, done| {
                c.set(width, b - a);
                c.leave_when(done, width.gt(2.0 * near).not());
                c.set(middle, 0.5 * (a + b));
                c.leave_when(done, middle.gt(a).and(middle.lt(b)).not());
                // towards the middle from the secant, by a little
                c.set(secant, (gb * a - ga * b) / (gb - ga));
                c.set(toward, X::from(1.0).copysign(middle - secant));
                c.set(shift, slope * width * width);
                c.set(x, select(shift.le((middle - secant).abs()), secant + toward * shift, middle));
                // and not further from the middle than bisection allows
                c.set(shift, allowed - 0.5 * width);
                c.set(x, select((x - middle).abs().le(shift), x, middle - toward * shift));
                c.set(x, select(x.gt(a).and(x.lt(b)), x, middle));
                c.set(allowed, 0.5 * allowed);
                c.set(g, value.of(operands![x, k]));
                c.when(g.eq(0.0), |c| c.finish(x));
                c.either(
                    (g * sign).gt(0.0),
                    |c| {
                        c.set(b, x);
                        c.set(gb, g);
                    },
                    |c| {
                        c.set(a, x);
                        c.set(ga, g);
                    },
                );
            });
            c.give(select(ga.abs().lt(gb.abs()), a, b));
        })
    }

    /// (function, a, b, side) → θ between a and b where the function is on the other side, or −1 if its extremum is not there.
    fn dip(&self, w: &mut Writer, value: Function) -> Function {
        type Ends = (Var<i32>, Var<f64>, Var<f64>, Var<f64>);
        w.function(&[ValType::F64], |c, (k, a, b, side): Ends| {
            let (left, p, q) = (c.name(THIRDS), c.local::<f64>(), c.local::<f64>());
            let (gp, gq) = (c.local::<f64>(), c.local::<f64>());
            c.repeat(|c, done| {
                c.set(p, a + (b - a) / 3.0);
                c.set(q, b - (b - a) / 3.0);
                c.set(gp, side * value.of::<f64>(operands![p, k]));
                c.when(gp.lt(0.0), |c| c.finish(p));
                c.set(gq, side * value.of::<f64>(operands![q, k]));
                c.when(gq.lt(0.0), |c| c.finish(q));
                c.either(gp.lt(gq), |c| c.set(b, q), |c| c.set(a, p));
                c.set(left, left - 1);
                c.leave_when(done, left.is(0));
            });
            c.give(-1.0);
        })
    }

    /// (function) → θ where a function that was at zero when the motion began has clearly left it, or −1.
    fn leave(&self, w: &mut Writer, value: Function) -> Function {
        let values = self.values();
        w.function(&[ValType::F64], |c, (k,): (Var<i32>,)| {
            let scale = c.name(0.0);
            c.each(8 * self.count() as u32, 8 * ((PIECES + 1) * self.count()) as u32, |c, row| {
                c.set(scale, scale.most(load(row + k, values).abs()));
            });
            c.when(load(k, values).abs().gt(AT_ZERO * scale), |c| c.finish(0.0));
            let theta = c.name(0.5f64.powi(FINEST));
            c.repeat(|c, done| {
                let g = c.name(value.of::<f64>(operands![theta, k]).abs());
                c.when(g.gt(AT_ZERO * scale), |c| c.finish(theta));
                c.set(theta, 2.0 * theta);
                c.leave_when(done, theta.gt(1.0));
            });
            c.give(-1.0);
        })
    }

    /// (function, a, g(a), b, g(b), side): both crossings between a and b, if there are any where both ends are on one side.
    fn hidden(&self, w: &mut Writer, value: Function, locate: Function, report: Function) -> Function {
        let dip = self.dip(w, value);
        type Ends = (Var<i32>, Var<f64>, Var<f64>, Var<f64>, Var<f64>, Var<f64>);
        w.function(&[], |c, (k, a, ga, b, gb, side): Ends| {
            let beyond = c.name(dip.of::<f64>(operands![k, a, b, side]));
            c.when(beyond.ge(0.0), |c| {
                let g = c.name(value.of::<f64>(operands![beyond, k]));
                let place = c.name(locate.of::<f64>(operands![k, a, ga, beyond, g]));
                c.run(report, operands![k, place, -side]);
                c.set(place, locate.of::<f64>(operands![k, beyond, g, b, gb]));
                c.run(report, operands![k, place, side]);
            });
        })
    }

    /// (function): its events of the step, and the side it ends on.
    fn follow(&self, w: &mut Writer, value: Function, report: Function) -> Function {
        let locate = self.locate(w, value);
        let leave = self.leave(w, value);
        let hidden = self.hidden(w, value, locate, report);
        let (work, values) = (self.stepping.work, self.values());
        let row = 8 * self.count() as u32;
        let piece = 1.0 / PIECES as f64;
        // on the side, and nearer to zero than both neighbours
        let is_low = |g: Var<f64>, before: X<f64>, after: Var<f64>, side: Var<f64>| {
            (g * side).gt(0.0).and((g * side).lt(before * side)).and((g * side).lt(after * side))
        };
        w.function(&[], |c, (k,): (Var<i32>,)| {
            let side = c.name(load(k, work.sides));
            let (a, ga, next) = (c.name(0.0), c.name(load(k, values)), c.name(load(k, values + row)));
            c.when(side.eq(FRESH), |c| {
                c.set(a, leave.of(operands![k]));
                // it never leaves
                c.when(a.lt(0.0), |c| c.push(Instruction::Return));
                c.when(a.gt(0.0), |c| c.set(ga, load(k, work.now)));
                c.set(side, X::from(1.0).copysign(ga));
                // on the boundary at the start, and not allowed to go there
                let outward = load(k, work.directions).eq(side).and(load(k, work.terminal).ne(0.0));
                c.when(a.gt(0.0).and(outward), |c| c.run(report, operands![k, 0.0, side]));
            });
            let low = is_low(ga, load(k, values - row), next, side).and(a.eq(0.0)).and((next * side).gt(0.0));
            c.when(low, |c| c.run(hidden, operands![k, a, ga, piece, next, side]));
            let (b, gb, place) = (c.local::<f64>(), c.local::<f64>(), c.local::<f64>());
            c.each(row, row * PIECES as u32, |c, at| {
                c.set(b, b + piece);
                c.block(|c, passed| {
                    c.leave_when(passed, b.le(a));
                    c.set(gb, load(at + k, values + row));
                    c.set(next, load(at + k, values + 2 * row));
                    c.either(
                        side.eq(0.0),
                        |c| c.when(gb.ne(0.0).and(gb.eq(gb)), |c| c.set(side, X::from(1.0).copysign(gb))),
                        |c| {
                            c.when(gb.eq(0.0), |c| {
                                c.run(report, operands![k, b, -side]);
                                c.set(side, 0.0);
                            });
                            c.when((gb * side).lt(0.0), |c| {
                                c.set(place, locate.of(operands![k, a, ga, b, gb]));
                                c.run(report, operands![k, place, -side]);
                                c.set(side, -side);
                            });
                            c.when(is_low(gb, ga.into(), next, side), |c| {
                                c.either(
                                    b.lt(1.0),
                                    |c| c.run(hidden, operands![k, a, ga, b + piece, next, side]),
                                    |c| c.run(hidden, operands![k, a, ga, b, gb, side]),
                                );
                            });
                        },
                    );
                    c.set(a, b);
                    c.set(ga, gb);
                });
            });
            c.store(k, work.sides, side);
        })
    }

    /// → θ of the terminal event that ends the last step, or −1. Its events go to the log.
    fn search(&self, w: &mut Writer, follow: Function) -> Function {
        let (Stepping { work, v, .. }, values) = (*self.stepping, self.values());
        let e = self.count();
        let row = 8 * e as u32;
        let log = self.layout.at.event_log;
        w.function(&[ValType::F64], |c, ()| {
            self.at_the_end(c, values + row * PIECES as u32);
            super::stepping::copy(c, e, work.first, values);
            let (theta, clear) = (c.local::<f64>(), c.local::<i32>());
            // first in the middle, then at every second end of a piece
            for (stride, distance) in [(PIECES as u32 / 2, FAR), (2, NEAR)] {
                c.when(clear.not(), |c| {
                    c.set(theta, 0.0);
                    c.each(stride * row, row * PIECES as u32, |c, at| {
                        c.when(at.differs(0), |c| {
                            c.set(theta, theta + f64::from(stride) / PIECES as f64);
                            c.run(self.steps.sketch, operands![theta, work.point + 8]);
                            self.clock(c, theta);
                            c.run(self.functions, operands![work.point, at + values]);
                        });
                    });
                    c.set(clear, 1);
                    let (low, high) = (c.local::<f64>(), c.local::<f64>());
                    c.components(e, |c, k| {
                        c.set(low, load(k, values));
                        c.set(high, low);
                        c.each(stride * row, row * (PIECES as u32 + 1), |c, at| {
                            let g = c.name(load(at + k, values));
                            c.set(low, low.least(g));
                            c.set(high, high.most(g));
                        });
                        let positive = low.gt(0.0).and(low.ge(distance * (high - low)));
                        let negative = high.lt(0.0).and((-high).ge(distance * (high - low)));
                        // and its side is that of the beginning
                        let kept = load(k, work.sides).eq(X::from(1.0).copysign(low));
                        c.set(clear, clear.and(positive.or(negative).and(kept)));
                    });
                });
            }
            c.set(self.pending, 0);
            c.when(clear.not(), |c| {
                c.run(self.steps.make_dense, operands![]);
                // from one piece before the step to one behind it, but not at its ends
                c.set(theta, -1.0 / PIECES as f64);
                c.each(row, row * (PIECES as u32 + 3), |c, at| {
                    c.when(theta.ne(0.0).and(theta.ne(1.0)), |c| {
                        c.run(self.steps.interpolate, operands![theta, work.point + 8]);
                        self.clock(c, theta);
                        c.run(self.functions, operands![work.point, at + work.values]);
                    });
                    c.set(theta, theta + 1.0 / PIECES as f64);
                });
                c.components(e, |c, k| c.run(follow, operands![k]));
            });
            super::stepping::copy(c, e, values + row * PIECES as u32, work.first);
            // into the log, up to the one that ends the motion
            let at = c.local::<i32>();
            let ends = c.name(-1.0);
            c.repeat(|c, done| {
                c.leave_when(done, at.is(self.pending * 24));
                c.set(theta, load(at, work.pending + 8));
                let event = c.name(load(at, work.pending));
                c.when(X::from(self.logged).below(self.layout.sizes.log as u32), |c| {
                    let to = c.name(self.logged * 24);
                    c.store(to, log + 8, event * 0.125);
                    c.store(to, log + 16, select(theta.eq(1.0), v.t, v.before + theta * self.length()));
                    c.store(to, log + 24, load(at, work.pending + 16));
                    c.set(self.logged, self.logged + 1);
                });
                c.when(load(event.truncated(), work.terminal).ne(0.0), |c| {
                    c.set(ends, theta);
                    c.leave(done);
                });
                c.set(at, at + 24);
            });
            c.give(ends);
        })
    }
}
