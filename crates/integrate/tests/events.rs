//! The loop: events, projections, observers, reasons to stop.

use crate::problems;

use polhode_integrate::drive::{Direction, Driver, Event, Hit, KernelEvents, Step, StopReason, Watch, solve};
use polhode_integrate::{
    Crossing, Dop853, Gauss, SKETCHED, Segment, Statistics, StepError, Stepper, Taylor, Tolerance,
};
use polhode_tape::{Builder, Dd, Interpreter, Op, Scalar, Tape, Value};
use problems::*;
use std::f64::consts::PI;
use std::ops::ControlFlow;

const TIGHT: Tolerance = Tolerance { relative: 1e-12, absolute: 1e-12 };

type Events = Driver<f64, KernelEvents<Interpreter<f64>>>;

fn event(direction: Direction, terminal: bool) -> Event {
    Event { name: "g".into(), direction, terminal, jumps: true }
}

/// A driver whose event functions a closure writes.
fn driver(events: Vec<Event>, inputs: &[&str], write: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>) -> Events {
    Driver::new(KernelEvents::new(Interpreter::new(&tape(inputs, write))), events)
}

/// ẏ = 1.
fn clock() -> Tape {
    tape(&["t", "y"], |b, _| vec![b.constant(1.0)])
}

/// q̈ = −q.
fn oscillator() -> Tape {
    tape(&["t", "q", "v"], |b, x| vec![x[2], b.neg(x[1])])
}

/// q̈ = −1.
fn ball() -> Tape {
    tape(&["t", "q", "v"], |b, x| vec![x[2], b.constant(-1.0)])
}

fn dop(tape: &Tape, t: f64, y: &[f64]) -> Dop853<Field> {
    Dop853::new(field(tape), t, y.to_vec(), TIGHT, vec![])
}

/// All that happens until `end`.
fn hits(driver: &mut Events, stepper: &mut dyn Stepper<f64>, end: f64) -> (Vec<Hit<f64>>, StopReason) {
    let mut all = Vec::new();
    let outcome = driver.solve(stepper, end, &mut |step: Step<'_, f64>| {
        all.extend_from_slice(step.hits);
        ControlFlow::Continue(())
    });
    (all, outcome.reason)
}

/// Within the steps of an ellipse, a sketch differs from the polynomial by little beside what the step changes.
#[test]
fn sketches_are_right_to_a_few_hundredths() {
    let start = ellipse(0.5, 0.0);
    for tolerance in [1e-3, 1e-6, 1e-12] {
        let tolerance = Tolerance { relative: tolerance, absolute: tolerance };
        let steppers: [Box<dyn Stepper<f64>>; 3] = [
            Box::new(Dop853::new(field(&kepler()), 0.0, start.to_vec(), tolerance, vec![])),
            Box::new(Taylor::new(&kepler(), 0.0, &start, tolerance, vec![])),
            Box::new(Gauss::new(field(&kepler()), 0.0, start.to_vec(), 4, 0.1, vec![])),
        ];
        for mut stepper in steppers {
            while stepper.time() < 10.0 {
                let (before, first) = (stepper.time(), stepper.state().to_vec());
                stepper.step(10.0).expect("nothing in the way");
                let h = stepper.time() - before;
                let times = std::array::from_fn(|l| before + h * l as f64 / (SKETCHED - 1) as f64);
                let (mut states, mut state) = ([0.0; 4 * SKETCHED], [0.0; 4]);
                stepper.sketch(&times, &mut states);
                let (mut difference, mut change) = (0.0f64, 0.0f64);
                for (l, t) in times.iter().enumerate() {
                    stepper.interpolate(*t, &mut state);
                    for i in 0..4 {
                        difference = difference.max((states[i * SKETCHED + l] - state[i]).abs());
                        change = change.max((state[i] - first[i]).abs());
                    }
                }
                assert!(difference <= 0.05 * change, "{difference} of {change} at t = {before}, h = {h}");
            }
        }
    }
}

/// An event function that stays clear of zero asks for no dense output.
#[test]
fn clear_events_cost_no_evaluations() {
    let mut evaluations = [0, 0];
    for (clear, count) in [false, true].into_iter().zip(&mut evaluations) {
        let mut stepper = dop(&oscillator(), 0.0, &[0.0, 1.0]);
        let events = if clear { vec![event(Direction::Either, true)] } else { vec![] };
        let mut d = driver(events, &["t", "q", "v"], |b, x| {
            let c = b.constant(3.0);
            if clear { vec![b.add(x[1], c)] } else { vec![] }
        });
        assert_eq!(hits(&mut d, &mut stepper, 50.0), (vec![], StopReason::End));
        *count = stepper.statistics().evaluations;
    }
    assert_eq!(evaluations[1], evaluations[0]);
}

#[test]
fn zeros_of_the_sine() {
    for (direction, count) in [(Direction::Either, 31), (Direction::Rising, 15), (Direction::Falling, 16)] {
        let mut d = driver(vec![event(direction, false)], &["t", "q", "v"], |_, x| vec![x[1]]);
        let (found, reason) = hits(&mut d, &mut dop(&oscillator(), 0.0, &[0.0, 1.0]), 100.0);
        assert_eq!((found.len(), reason), (count, StopReason::End));
        for hit in found {
            let k = (hit.t / PI).round();
            assert!((hit.t - k * PI).abs() < 1e-10, "{hit:?}");
            assert_eq!(hit.crossing, if k % 2.0 == 0.0 { Crossing::Rising } else { Crossing::Falling });
        }
    }
}

/// Longer numbers keep the times of long motions: an offset within the step is a double, the time
/// is not.
#[test]
fn zeros_in_double_doubles() {
    let functions = KernelEvents::new(Interpreter::new(&tape(&["t", "q", "v"], |_, x| vec![x[1]])));
    let mut d: Driver<Dd, _> = Driver::new(functions, vec![event(Direction::Either, false)]);
    let tolerance = Tolerance { relative: 1e-20, absolute: 1e-20 };
    let mut stepper = Taylor::new(&oscillator(), Dd::ZERO, &[Dd::ZERO, Dd::ONE], tolerance, vec![]);
    let mut found = Vec::new();
    let outcome = d.solve(&mut stepper, Dd::from(1000.0), &mut |step: Step<'_, Dd>| {
        found.extend_from_slice(step.hits);
        ControlFlow::Continue(())
    });
    assert_eq!((outcome.reason, found.len()), (StopReason::End, 318));
    for (k, hit) in (1..).zip(&found) {
        let off = hit.t - Dd::PI * Dd::from(f64::from(k));
        assert!(off.to_f64().abs() < 1e-15, "{k}: {off:?}");
    }
}

/// The integrator makes a few long steps where the event function swings hundreds of times.
#[test]
fn many_crossings_in_one_step() {
    let mut d = driver(vec![event(Direction::Either, false); 2], &["t", "y"], |b, x| {
        let fast = b.scale(x[1], 20.0);
        let sum = b.add(x[1], x[0]);
        vec![b.emit(Op::Sin(fast)), b.emit(Op::Cos(sum))]
    });
    let mut stepper = dop(&clock(), 0.0, &[0.0]);
    let (found, _) = hits(&mut d, &mut stepper, 100.0);
    assert!(stepper.statistics().steps < 20, "{:?}", stepper.statistics());
    assert!(found.windows(2).all(|w| w[0].t <= w[1].t), "in order of time");
    let times = |k: usize| found.iter().filter(|h| h.event == k).map(|h| h.t).collect::<Vec<_>>();
    let (fast, slow) = (times(0), times(1));
    assert_eq!((fast.len(), slow.len()), (636, 64));
    assert!(fast.iter().enumerate().all(|(k, t)| (t - (k + 1) as f64 * PI / 20.0).abs() < 1e-12 * 100.0));
    assert!(slow.iter().enumerate().all(|(k, t)| (t - (k as f64 + 0.5) * PI / 2.0).abs() < 1e-12 * 100.0));
}

#[test]
fn contacts_are_reported_and_do_not_end_the_motion() {
    let parabola = |b: &mut Builder, y: Value, shift: f64| {
        let three = b.constant(3.0);
        let off = b.sub(y, three);
        let (square, shift) = (b.mul(off, off), b.constant(shift));
        b.add(square, shift)
    };
    let mut d = driver(vec![event(Direction::Falling, true)], &["t", "y"], |b, x| vec![parabola(b, x[1], 0.0)]);
    let (found, reason) = hits(&mut d, &mut dop(&clock(), 0.0, &[0.0]), 10.0);
    assert_eq!((found.len(), reason), (1, StopReason::End));
    assert_eq!(found[0].crossing, Crossing::Touching);
    assert!((found[0].t - 3.0).abs() < 1e-6);
    // a little lower and there are two crossings, a little higher and there is nothing
    let mut d = driver(vec![event(Direction::Either, false); 2], &["t", "y"], |b, x| {
        vec![parabola(b, x[1], -1e-6), parabola(b, x[1], 1e-6)]
    });
    let (found, _) = hits(&mut d, &mut dop(&clock(), 0.0, &[0.0]), 10.0);
    assert_eq!(
        found.iter().map(|h| (h.event, h.crossing)).collect::<Vec<_>>(),
        [(0, Crossing::Falling), (0, Crossing::Rising)]
    );
    assert!((found[0].t - 2.999).abs() < 1e-9 && (found[1].t - 3.001).abs() < 1e-9);
}

/// An elastic ball dropped from 1 meets the ground at √2, 3√2, 5√2, …
#[test]
fn a_bouncing_ball() {
    for direction in [Direction::Falling, Direction::Either] {
        let mut d = driver(vec![event(direction, true)], &["t", "q", "v"], |_, x| vec![x[1]]);
        let mut stepper = dop(&ball(), 0.0, &[1.0, 0.0]);
        let mut lowest = f64::INFINITY;
        for bounce in 0..50 {
            let outcome = d.solve(&mut stepper, 1000.0, &mut |step: Step<'_, f64>| {
                lowest = lowest.min(step.state[0]);
                ControlFlow::Continue(())
            });
            let expected = f64::from(2 * bounce + 1) * 2f64.sqrt();
            let StopReason::Event { index: 0, t } = outcome.reason else { panic!("{outcome:?}") };
            assert_eq!(t, stepper.time());
            assert!((t - expected).abs() < 1e-11, "bounce {bounce}: {t} for {expected}");
            let (q, v) = (stepper.state()[0], stepper.state()[1]);
            assert!(q.abs() < 1e-13 && (v + 2f64.sqrt()).abs() < 1e-11);
            stepper.restart(t, &[q, -v], false);
        }
        assert!(lowest > -1e-13, "the observer never sees the ball below ground: {lowest:e}");
    }
}

#[test]
fn starting_on_the_boundary() {
    let mut ground = driver(vec![event(Direction::Falling, true)], &["t", "q", "v"], |_, x| vec![x[1]]);
    // upwards: allowed, back after twice the speed
    let (found, reason) = hits(&mut ground, &mut dop(&ball(), 0.0, &[0.0, 3.0]), 10.0);
    assert_eq!(found.len(), 1);
    assert!(matches!(reason, StopReason::Event { index: 0, t } if (t - 6.0).abs() < 1e-10), "{reason:?}");
    // downwards: not allowed, over before it began
    for v in [-1.0, -1e-3, 0.0] {
        let mut stepper = dop(&ball(), 5.0, &[0.0, v]);
        let (found, reason) = hits(&mut ground, &mut stepper, 10.0);
        assert_eq!(reason, StopReason::Event { index: 0, t: 5.0 });
        assert_eq!((found.len(), stepper.time(), stepper.state()), (1, 5.0, &[0.0, v][..]));
        // and again, if nothing is done about it
        assert_eq!(hits(&mut ground, &mut stepper, 10.0).1, StopReason::Event { index: 0, t: 5.0 });
    }
    // without consequence a start at zero is no event
    let mut watcher = driver(vec![event(Direction::Falling, false)], &["t", "q", "v"], |_, x| vec![x[1]]);
    assert_eq!(hits(&mut watcher, &mut dop(&ball(), 0.0, &[0.0, -1.0]), 10.0), (vec![], StopReason::End));
    // nor is a function that is zero all the time
    let mut still = driver(vec![event(Direction::Either, true)], &["t", "q", "v"], |b, _| vec![b.constant(0.0)]);
    assert_eq!(hits(&mut still, &mut dop(&ball(), 0.0, &[0.0, -1.0]), 10.0), (vec![], StopReason::End));
}

/// A function that is known to leave zero upwards has no events before it is clear of rounding, in steps however short: here rounding is −y on (0, 0.03).
#[test]
fn a_departure_takes_several_steps() {
    let rounding = |b: &mut Builder, x: &[Value]| {
        let last = b.constant(0.03);
        let beyond = b.sub(x[1], last);
        vec![b.mul(x[1], beyond)]
    };
    for (known, count) in [(true, 0), (false, 1)] {
        let mut driver = driver(vec![event(Direction::Falling, true)], &["t", "y"], rounding);
        if known {
            driver.departs(0, true, 0.05);
        }
        let mut stepper = Gauss::new(field(&clock()), 0.0, vec![0.0], 2, 0.01, vec![]);
        assert_eq!(hits(&mut driver, &mut stepper, 1.0).0.len(), count, "known: {known}");
    }
}

/// Stopping for breath changes nothing, not even on an event.
#[test]
fn pieces_make_the_whole() {
    let mut d = driver(vec![event(Direction::Either, false)], &["t", "q", "v"], |_, x| vec![x[1]]);
    let mut stepper = dop(&oscillator(), 0.0, &[1.0, 0.0]);
    let mut found = Vec::new();
    for k in 1..=200 {
        // every other piece ends on a zero of the cosine, as nearly as doubles can
        found.extend(hits(&mut d, &mut stepper, f64::from(k) * PI / 4.0).0);
    }
    // all of them lie on such ends; the last is at 198·π/4
    assert_eq!(found.len(), 50);
    for (k, hit) in found.iter().enumerate() {
        assert!((hit.t - (k as f64 + 0.5) * PI).abs() < 1e-10, "{hit:?}");
        assert_eq!(hit.crossing, if k % 2 == 0 { Crossing::Falling } else { Crossing::Rising });
    }
}

#[test]
fn events_of_the_past() {
    let mut d = driver(vec![event(Direction::Either, false)], &["t", "q", "v"], |_, x| vec![x[1]]);
    let (found, _) = hits(&mut d, &mut dop(&oscillator(), 1.0, &[1f64.sin(), 1f64.cos()]), -20.0);
    assert_eq!(found.len(), 7);
    for (k, hit) in found.iter().enumerate() {
        assert!((hit.t + k as f64 * PI).abs() < 1e-10, "{hit:?}");
        // along the walk into the past
        assert_eq!(hit.crossing, if k % 2 == 0 { Crossing::Falling } else { Crossing::Rising });
    }
}

/// What lies beyond a terminal event did not happen.
#[test]
fn the_first_of_several() {
    let mut d = driver(
        vec![event(Direction::Either, false), event(Direction::Either, true), event(Direction::Either, true)],
        &["t", "y"],
        |b, x| {
            [1.0, 2.0, 1.5]
                .map(|c| {
                    let c = b.constant(c);
                    b.sub(x[1], c)
                })
                .to_vec()
        },
    );
    let mut stepper = dop(&clock(), 0.0, &[0.0]).with_first_step(10.0);
    let (found, reason) = hits(&mut d, &mut stepper, 10.0);
    assert_eq!(found.iter().map(|h| h.event).collect::<Vec<_>>(), [0, 2]);
    assert!(matches!(reason, StopReason::Event { index: 2, t } if (t - 1.5).abs() < 1e-14));
    assert!((stepper.state()[0] - 1.5).abs() < 1e-14);
}

/// A point on a circle, pulled back onto it after every step.
struct Circle {
    worst: f64,
    jumps: f64,
    before: [f64; 4],
    project: bool,
}

impl Watch<f64> for Circle {
    fn project(&mut self, _: f64, y: &mut [f64]) -> bool {
        if self.project {
            let (r, along) = (y[0].hypot(y[1]), y[0] * y[2] + y[1] * y[3]);
            let (c, s) = (y[0] / r, y[1] / r);
            (y[0], y[1], y[2], y[3]) = (c, s, y[2] - along * c / r, y[3] - along * s / r);
        }
        self.project
    }

    fn step(&mut self, mut step: Step<'_, f64>) -> ControlFlow<()> {
        let y = step.state;
        self.worst = self.worst.max((y[0] * y[0] + y[1] * y[1] - 1.0).abs());
        // the motion within the step joins the projected states
        let mut end = [0.0; 4];
        step.interpolate(step.start, &mut end);
        self.jumps = self.jumps.max(distance(&end, &self.before));
        step.interpolate(step.end, &mut end);
        self.jumps = self.jumps.max(distance(&end, y));
        self.before.copy_from_slice(y);
        ControlFlow::Continue(())
    }
}

#[test]
fn projections() {
    // q̈ = −|v|² q keeps |q| = 1
    let circle = tape(&["t", "x", "y", "u", "v"], |b, x| {
        let (uu, vv) = (b.mul(x[3], x[3]), b.mul(x[4], x[4]));
        let square = b.add(uu, vv);
        let (p, q) = (b.mul(square, x[1]), b.mul(square, x[2]));
        vec![x[3], x[4], b.neg(p), b.neg(q)]
    });
    let start = [1.0, 0.0, 0.0, 1.0];
    let tolerance = Tolerance { relative: 1e-6, absolute: 1e-6 };
    let watch = |project: bool, gauss: bool| {
        let mut watch = Circle { worst: 0.0, jumps: 0.0, before: start, project };
        let mut d = Dop853::new(field(&circle), 0.0, start.to_vec(), tolerance, vec![]);
        let mut g = Gauss::new(field(&circle), 0.0, start.to_vec(), 2, 0.3, vec![]);
        let stepper: &mut dyn Stepper<f64> = if gauss { &mut g } else { &mut d };
        assert_eq!(solve(stepper, 200.0, &mut watch).reason, StopReason::End);
        watch
    };
    for gauss in [false, true] {
        let (free, held) = (watch(false, gauss), watch(true, gauss));
        assert!(free.worst > 1e-6, "{}", free.worst);
        assert!(held.worst < 1e-15, "{}", held.worst);
        assert!(free.jumps < 1e-14 && held.jumps < 1e-14, "{} {}", free.jumps, held.jumps);
    }
}

#[test]
fn reasons_to_stop() {
    let mut d = driver(vec![], &["t", "q", "v"], |_, _| vec![]).with_step_limit(3);
    let mut stepper = dop(&oscillator(), 0.0, &[1.0, 0.0]);
    let mut look = |_: Step<'_, f64>| ControlFlow::Continue(());
    let outcome = d.solve(&mut stepper, 100.0, &mut look);
    assert_eq!((outcome.reason, outcome.steps), (StopReason::StepLimit { t: stepper.time() }, 3));
    let outcome = solve(&mut stepper, 100.0, &mut |step: Step<'_, f64>| {
        if step.end > 10.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(outcome.reason, StopReason::Interrupted { t: outcome.time });
    assert!(outcome.time > 10.0 && outcome.time < 20.0);
    assert_eq!(solve(&mut stepper, outcome.time, &mut look).reason, StopReason::End);
    // ẏ = y² ends at its pole; ẏ = ln y where y reaches 0
    let pole = tape(&["t", "y"], |b, x| vec![b.mul(x[1], x[1])]);
    let log = tape(&["t", "y"], |b, x| vec![b.emit(Op::Log(x[1]))]);
    for (tape, y) in [(pole, 1.0), (log, 0.5)] {
        let mut shown = 0;
        let outcome = solve(&mut dop(&tape, 0.0, &[y]), 100.0, &mut |step: Step<'_, f64>| {
            assert!(step.state.iter().all(|y| y.is_finite()));
            shown += 1;
            ControlFlow::Continue(())
        });
        assert!(matches!(outcome.reason, StopReason::TooSmall { .. } | StopReason::NotFinite { .. }), "{outcome:?}");
        assert!(shown > 3);
    }
    // a state that is none
    let outcome = solve(&mut dop(&oscillator(), 0.0, &[f64::NAN, 0.0]), 1.0, &mut |_: Step<'_, f64>| panic!("shown"));
    assert_eq!(outcome.reason, StopReason::NotFinite { t: 0.0 });
}

/// Ordinary steps to t = 1, and from there steps of a given length.
struct Crawl {
    inner: Dop853<Field>,
    length: f64,
}

impl Stepper<f64> for Crawl {
    fn time(&self) -> f64 {
        self.inner.time()
    }
    fn state(&self) -> &[f64] {
        self.inner.state()
    }
    fn step(&mut self, end: f64) -> Result<(), StepError> {
        let t = self.time();
        self.inner.step(if t < 1.0 { 1.0 } else { end.min(t + self.length) })
    }
    fn interpolate(&mut self, t: f64, y: &mut [f64]) {
        self.inner.interpolate(t, y);
    }
    fn sketch(&mut self, times: &[f64; SKETCHED], states: &mut [f64]) {
        self.inner.sketch(times, states);
    }
    fn segment(&mut self) -> Segment<f64> {
        self.inner.segment()
    }
    fn restart(&mut self, t: f64, y: &[f64], near: bool) {
        self.inner.restart(t, y, near);
    }
    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }
}

#[test]
fn steps_that_get_nowhere_end_the_motion() {
    let crawl = |length, end| {
        let mut stepper = Crawl { inner: dop(&oscillator(), 0.0, &[1.0, 0.0]), length };
        let mut driver = driver(vec![], &["t", "q", "v"], |_, _| vec![]).with_step_limit(20_000);
        driver.solve(&mut stepper, end, &mut |_: Step<'_, f64>| ControlFlow::Continue(()))
    };
    // each of them advances, but it would take 10¹¹ of them to the end
    let outcome = crawl(1e-10, 10.0);
    assert!(matches!(outcome.reason, StopReason::TooSmall { t } if (t - 1.0).abs() < 1e-5), "{outcome:?}");
    // short, but not hopeless; and near the end
    assert!(matches!(crawl(1e-6, 10.0).reason, StopReason::StepLimit { .. }));
    assert_eq!(crawl(1e-10, 1.0 + 1e-6).reason, StopReason::End);
}
