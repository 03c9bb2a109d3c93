//! The integrator of a module on small systems: events, directions of time, how motions end, what is refused.

use crate::common;

use common::Machine;
use polhode_backend_wasm::{Direction, Module, NotEmitted, Parts, Place, Watch};
use polhode_integrate::drive::{self, Driver, KernelEvents, Step};
use polhode_integrate::{Crossing, Dop853, KernelField, StopReason, Tolerance};
use polhode_tape::{Builder, Interpreter, Op, Tape, Value, passes};
use std::f64::consts::PI;
use std::ops::{ControlFlow, Range};

/// A tape from the values of its inputs.
fn tape(inputs: &[&str], outputs: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>) -> Tape {
    let mut b = Builder::new();
    let inputs: Vec<Value> = inputs.iter().map(|name| b.input(*name)).collect();
    for (k, v) in outputs(&mut b, &inputs).into_iter().enumerate() {
        b.output(format!("y{k}"), v);
    }
    passes::finish(b)
}

/// A system with a state, and nothing else unless said.
struct Small {
    field: Tape,
    report: Tape,
    events: Tape,
    place: Tape,
    entry: Tape,
    surfaces: Vec<Tape>,
    places: Vec<Place>,
    units: Vec<Range<usize>>,
    watched: Vec<Watch>,
}

impl Small {
    /// With inputs t, the state, and one parameter.
    fn new(
        state: &[&str],
        field: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
        watched: &[Watch],
        events: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
    ) -> Small {
        let inputs: Vec<&str> = ["t"].iter().chain(state).chain(&["p"]).copied().collect();
        Small {
            field: tape(&inputs, field),
            report: tape(&inputs, |b, x| vec![b.add(x[0], x[1]), x[2]]),
            events: tape(&inputs, events),
            place: tape(&["t", "p"], |_, _| Vec::new()),
            entry: tape(&["t", "p"], |_, _| Vec::new()),
            surfaces: Vec::new(),
            places: Vec::new(),
            units: Vec::new(),
            watched: watched.to_vec(),
        }
    }

    fn parts(&self, capacity: usize) -> Parts<'_> {
        Parts {
            field: &self.field,
            report: &self.report,
            events: &self.events,
            constraints: &self.place,
            holonomic: &self.place,
            entry: &self.entry,
            surfaces: &self.surfaces,
            places: &self.places,
            units: &self.units,
            watched: &self.watched,
            capacity,
        }
    }

    fn start(&self, t: f64, state: &[f64]) -> Run {
        let module = self.parts(200).emit().expect("parts that belong together");
        let mut machine = Machine::new(&module.bytes);
        machine.put(module.layout.at.time, &[t]);
        machine.put(module.layout.at.state, state);
        Run { machine, module }
    }
}

/// A module with a start.
struct Run {
    machine: Machine,
    module: Module,
}

/// What came of it.
#[derive(Debug)]
struct Outcome {
    status: i32,
    times: Vec<f64>,
    states: Vec<Vec<f64>>,
    reports: Vec<Vec<f64>>,
    /// Which, when, direction.
    events: Vec<(usize, f64, f64)>,
    steps: f64,
}

impl Run {
    fn to(&mut self, end: f64, count: i32, tolerance: f64, max_steps: i32) -> Outcome {
        let packed: i32 = self.machine.call("integrate", (end, count, tolerance, tolerance, max_steps));
        let (at, sizes, rows) = (self.module.layout.at, self.module.layout.sizes, (packed / 16) as usize);
        let table = |at: u32, width: usize| -> Vec<Vec<f64>> {
            self.machine.get(at, rows * width).chunks_exact(width).map(<[f64]>::to_vec).collect()
        };
        let logged = self.machine.get(at.event_log, 1)[0] as usize;
        let log = self.machine.get(at.event_log + 8, 3 * logged);
        Outcome {
            status: packed % 16,
            times: self.machine.get(at.times, rows),
            states: table(at.states, sizes.state),
            reports: table(at.reports, sizes.report),
            events: log.chunks_exact(3).map(|e| (e[0] as usize, e[1], e[2])).collect(),
            steps: self.machine.get(at.statistics, 1)[0],
        }
    }
}

fn watch(terminal: bool, direction: Direction) -> Watch {
    Watch { terminal, direction }
}

/// ẍ = −x.
fn oscillator(b: &mut Builder, x: &[Value]) -> Vec<Value> {
    vec![x[2], b.neg(x[1])]
}

#[test]
fn rows_are_equidistant_and_reported() {
    for (begin, end) in [(0.0, 7.0), (2.0, -5.0)] {
        let small = Small::new(&["x", "v"], oscillator, &[], |_, _| Vec::new());
        let out = small.start(begin, &[f64::cos(begin), -f64::sin(begin)]).to(end, 15, 1e-12, 10_000);
        assert_eq!((out.status, out.times.len(), out.events.len()), (0, 15, 0));
        assert_eq!((out.times[0], out.times[14]), (begin, end));
        for (k, ((t, y), report)) in out.times.iter().zip(&out.states).zip(&out.reports).enumerate() {
            assert!((t - (begin + (end - begin) * k as f64 / 14.0)).abs() < 1e-14);
            assert!((y[0] - t.cos()).abs() < 1e-10 && (y[1] + t.sin()).abs() < 1e-10, "{t}: {y:?}");
            assert_eq!(*report, [t + y[0], y[1]]);
        }
    }
}

#[test]
fn wishes_that_cannot_be_had() {
    let small = Small::new(&["x", "v"], oscillator, &[], |_, _| Vec::new());
    let mut run = small.start(0.0, &[1.0, 0.0]);
    // no room for so many rows, and two at least
    assert_eq!(run.to(1.0, 100_000, 1e-9, 1000).times.len(), 200);
    assert_eq!(run.to(1.0, -3, 1e-9, 1000).times, [0.0, 1.0]);
    // nothing to do
    let out = run.to(0.0, 10, 1e-9, 1000);
    assert_eq!((out.status, &out.times[..]), (0, &[0.0][..]));
    // a time that is none, tolerances that are none
    for end in [f64::NAN, f64::INFINITY] {
        let out = run.to(end, 10, 1e-9, 1000);
        assert_eq!((out.status, out.times.len()), (2, 1));
    }
    for tolerance in [0.0, -1.0, f64::NAN] {
        assert!(run.to(1.0, 10, tolerance, 1000).times.len() <= 10);
    }
}

#[test]
fn motions_that_end_early_say_why() {
    // ẋ = x² is infinite at t = 1
    let blows_up = Small::new(&["x", "v"], |b, x| vec![b.mul(x[1], x[1]), x[2]], &[], |_, _| Vec::new());
    let out = blows_up.start(0.0, &[1.0, 0.0]).to(2.0, 101, 1e-10, 100_000);
    assert!(matches!(out.status, 1 | 2), "{}", out.status);
    assert!((out.times.last().expect("a row") - 1.0).abs() < 1e-9 && (51..=52).contains(&out.times.len()));
    assert!(out.states.iter().flatten().all(|x| x.is_finite()));
    let out = blows_up.start(0.0, &[1.0, 0.0]).to(2.0, 101, 1e-10, 3);
    assert_eq!((out.status, out.steps), (3, 3.0));
    let out = blows_up.start(0.0, &[f64::NAN, 0.0]).to(2.0, 101, 1e-10, 3);
    assert_eq!((out.status, out.times.len()), (2, 1));
    // ẋ = −1, v̇ = √x: undefined from t = 1 on
    let field = |b: &mut Builder, x: &[Value]| vec![b.constant(-1.0), b.emit(Op::Sqrt(x[1]))];
    let leaves = Small::new(&["x", "v"], field, &[], |_, _| Vec::new());
    let out = leaves.start(0.0, &[1.0, 0.0]).to(2.0, 101, 1e-10, 100_000);
    assert_eq!(out.status, 2);
    assert!((out.times.last().expect("a row") - 1.0).abs() < 1e-6);
}

/// x = cos t.
#[test]
fn events_are_found_to_all_digits() {
    use Direction::{Either, Falling, Rising};
    let watched = [watch(false, Either), watch(false, Rising), watch(false, Falling), watch(true, Falling)];
    let small = Small::new(&["x", "v"], oscillator, &watched, |b, x| {
        // x three times; and t falls through 9.5 backwards only
        let late = b.constant(9.5);
        vec![x[1], x[1], x[1], b.sub(late, x[0])]
    });
    let mut run = small.start(0.0, &[1.0, 0.0]);
    for tolerance in [1e-13, 1e-5] {
        let out = run.to(100.0, 11, tolerance, 100_000);
        let off = |t: f64, k: f64| (t - PI * (k + 0.5)).abs();
        let bound = if tolerance < 1e-10 { 1e-11 } else { 1e-3 };
        assert_eq!(out.status, 4);
        let times = |event: usize| -> Vec<f64> { out.events.iter().filter(|e| e.0 == event).map(|e| e.1).collect() };
        assert!(times(0).len() == 3 && times(0).iter().enumerate().all(|(k, t)| off(*t, k as f64) < bound), "{out:?}");
        assert!(times(1).len() == 1 && off(times(1)[0], 1.0) < bound);
        assert!(times(2).len() == 2 && off(times(2)[1], 2.0) < bound);
        assert!(out.events.windows(2).all(|e| e[0].1 <= e[1].1));
        assert!(
            out.events
                .iter()
                .all(|e| e.2 == if e.0 == 3 || (e.1 / PI - 0.5).round() % 2.0 == 0.0 { -1.0 } else { 1.0 })
        );
        // there it ends, within the last digits
        assert_eq!((out.times.last(), out.times.len()), (Some(&times(3)[0]), 2));
        assert!((times(3)[0] - 9.5).abs() < 4e-15);
        let end = out.states.last().expect("a row");
        assert!((end[0] - f64::cos(9.5)).abs() < bound);
    }
}

/// Two zeros closer together than the ends of pieces: cos t − 0.999999 about t = 2π, wherever steps end.
#[test]
fn events_hidden_between_neighbours() {
    let watched = [watch(false, Direction::Either)];
    let small = Small::new(&["x", "v"], oscillator, &watched, |b, x| {
        let top = b.constant(0.999999);
        vec![b.sub(x[1], top)]
    });
    let apart = f64::acos(0.999999);
    let expected = [1.0, 2.0, 3.0].map(|k| [2.0 * PI * k - apart, 2.0 * PI * k + apart]).concat();
    let mut run = small.start(0.0, &[1.0, 0.0]);
    for k in 0..100 {
        let begin = 0.5 + 0.02 * f64::from(k);
        run.machine.put(run.module.layout.at.time, &[begin, begin.cos(), -begin.sin()]);
        let out = run.to(20.0, 2, 1e-9, 1000);
        assert_eq!(out.events.len(), expected.len(), "from {begin}: {out:?}");
        for ((_, t, direction), (k, e)) in out.events.iter().zip(expected.iter().enumerate()) {
            assert!((t - e).abs() < 1e-4 && *direction == if k % 2 == 0 { 1.0 } else { -1.0 }, "{t} {e}");
        }
    }
}

/// More events than the log has room for: the first ones are kept, and a late one still ends the motion.
#[test]
fn logs_have_an_end() {
    let watched = [watch(false, Direction::Either), watch(true, Direction::Either)];
    let small = Small::new(&["x", "v"], oscillator, &watched, |b, x| {
        let late = b.constant(3500.0);
        vec![x[1], b.sub(late, x[0])]
    });
    let mut run = small.start(0.0, &[1.0, 0.0]);
    let out = run.to(4000.0, 2, 1e-9, 1_000_000);
    let log = run.module.layout.sizes.log;
    assert_eq!((out.status, out.times[1], out.events.len()), (4, 3500.0, log));
    assert!((out.events[log - 1].1 - PI * (log as f64 - 0.5)).abs() < 1e-4, "{:?}", out.events[log - 1]);
}

#[test]
fn zero_at_the_start() {
    use Direction::{Either, Falling, Rising};
    let start = |direction, terminal, v: f64, end: f64| {
        let watched = [watch(terminal, direction)];
        let small = Small::new(&["x", "v"], oscillator, &watched, |_, x| vec![x[1]]);
        small.start(0.0, &[0.0, v]).to(end, 2, 1e-12, 1000)
    };
    // x = sin t: not at once, but when it comes back
    let out = start(Either, false, 1.0, 4.0);
    assert!(out.events.len() == 1 && (out.events[0].1 - PI).abs() < 1e-11, "{out:?}");
    let out = start(Falling, true, 1.0, 4.0);
    assert!(out.status == 4 && (out.times[1] - PI).abs() < 1e-11);
    // not allowed to go there
    for (direction, v, end) in [(Rising, 1.0, 4.0), (Falling, -1.0, 4.0), (Rising, -1.0, -4.0)] {
        let out = start(direction, true, v, end);
        assert_eq!((out.status, &out.times[..], out.events.len()), (4, &[0.0][..], 1), "{direction:?}");
    }
    // backwards, along the motion
    let out = start(Falling, false, -1.0, -4.0);
    assert!(out.events.len() == 1 && (out.events[0].1 + PI).abs() < 1e-11, "{out:?}");
}

/// The same events as the native driver, which has another way to look for them: of products and shifted waves, forwards and backwards.
#[test]
fn events_are_those_of_the_native_driver() {
    let names = ["x", "v", "y", "w"];
    // ẍ = −x, ÿ = −7 y
    let field = |b: &mut Builder, x: &[Value]| {
        let pull = b.scale(x[3], -7.0);
        vec![x[2], b.neg(x[1]), x[4], pull]
    };
    let events = |b: &mut Builder, x: &[Value]| {
        let product = b.mul(x[1], x[3]);
        let level = b.constant(0.35);
        let first = b.sub(product, level);
        let sum = b.add(x[1], x[4]);
        let fast = b.scale(x[0], 3.0);
        let wave = b.emit(Op::Sin(fast));
        let second = b.sub(wave, sum);
        let third = b.mul(first, second);
        vec![first, second, third]
    };
    let watched = [watch(false, Direction::Either); 3];
    let small = Small::new(&names, field, &watched, events);
    let inputs: Vec<&str> = ["t"].iter().chain(&names).copied().collect();
    let start = [0.9, 0.2, -0.4, 1.7];
    for (end, tolerance) in [(30.0, 1e-11), (-30.0, 1e-11), (30.0, 1e-7)] {
        let out = small.start(0.0, &start).to(end, 2, tolerance, 100_000);
        let field = KernelField::new(Interpreter::<f64>::new(&tape(&inputs, field)));
        let tolerance = Tolerance { relative: tolerance, absolute: tolerance };
        let mut stepper = Dop853::new(field, 0.0, start.to_vec(), tolerance, Vec::new());
        let functions = KernelEvents::new(Interpreter::<f64>::new(&tape(&inputs, events)));
        let direction = drive::Direction::Either;
        let event = |k: usize| drive::Event { name: k.to_string(), direction, terminal: false, jumps: false };
        let mut found = Vec::new();
        let mut note = |step: Step<'_, f64>| {
            found.extend(
                step.hits.iter().filter(|hit| hit.crossing != Crossing::Touching).map(|hit| (hit.event, hit.t)),
            );
            ControlFlow::Continue(())
        };
        let outcome = Driver::new(functions, (0..3).map(event).collect()).solve(&mut stepper, end, &mut note);
        assert_eq!((outcome.reason, out.status), (StopReason::End, 0));
        assert_eq!(out.events.len(), found.len(), "{:?}\n{found:?}", out.events);
        // two at one time may come in either order
        for event in 0..3 {
            let ours = out.events.iter().filter(|e| e.0 == event).map(|e| e.1);
            for (t, u) in ours.zip(found.iter().filter(|f| f.0 == event).map(|f| f.1)) {
                assert!((t - u).abs() < 1e-9, "{t} {u}");
            }
        }
        assert!(found.len() > 60, "{}", found.len());
    }
}

/// A quaternion that turns stays unit, and a rotation matrix becomes the right one, whichever component is the largest.
#[test]
fn rotations() {
    // q̇ = ½ q ∘ (0, Ω) about a fixed axis
    let omega = [0.4, -1.1, 0.7];
    let mut small = Small::new(
        &["w", "x", "y", "z"],
        |b, s| {
            let [w, x, y, z] = [s[1], s[2], s[3], s[4]];
            let rows = [
                [(x, -omega[0]), (y, -omega[1]), (z, -omega[2])],
                [(w, omega[0]), (y, omega[2]), (z, -omega[1])],
                [(w, omega[1]), (z, omega[0]), (x, -omega[2])],
                [(w, omega[2]), (x, omega[1]), (y, -omega[0])],
            ];
            rows.map(|row| {
                let zero = b.constant(0.0);
                row.into_iter().fold(zero, |sum, (v, f)| {
                    let term = b.scale(v, 0.5 * f);
                    b.add(sum, term)
                })
            })
            .to_vec()
        },
        &[],
        |_, _| Vec::new(),
    );
    small.units.push(0..4);
    let matrix: Vec<String> = (0..9).map(|k| format!("r{k}")).collect();
    let names: Vec<&str> = ["t"].into_iter().chain(matrix.iter().map(String::as_str)).chain(["p"]).collect();
    small.place = tape(&names, |_, _| Vec::new());
    small.entry = small.place.clone();
    small.places = vec![Place::Quaternion { from: std::array::from_fn(|k| k) }];
    let mut run = small.start(0.0, &[1.0, 0.0, 0.0, 0.0]);
    let out = run.to(300.0, 200, 1e-6, 100_000);
    assert_eq!(out.status, 0);
    for q in &out.states {
        assert!((q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15, "{q:?}");
    }

    for [w, x, y, z] in [[0.9, 0.1, -0.3, 0.2], [0.1, -0.9, 0.3, 0.2], [-0.2, 0.1, 0.9, 0.3], [0.1, 0.3, -0.2, -0.9]] {
        let length = f64::sqrt(w * w + x * x + y * y + z * z);
        let q = [w / length, x / length, y / length, z / length];
        let [w, x, y, z] = q;
        let r = [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ];
        run.machine.put(run.module.layout.at.positions, &r);
        run.machine.call::<(), ()>("enter", ());
        let entered = run.machine.get(run.module.layout.at.state, 4);
        let sign = f64::signum(q.iter().fold(0.0, |m: f64, x| if x.abs() > m.abs() { *x } else { m }));
        for (a, b) in entered.iter().zip(q) {
            assert!((a - sign * b).abs() < 1e-15, "{entered:?} {q:?}");
        }
    }
}

#[test]
fn surfaces_have_points() {
    let mut small = Small::new(&["x", "v"], oscillator, &[], |_, _| Vec::new());
    small.surfaces = vec![tape(&["u", "v", "p"], |b, x| vec![b.mul(x[0], x[2]), b.emit(Op::Cos(x[1])), x[2]])];
    let mut run = small.start(0.0, &[1.0, 0.0]);
    run.machine.put(run.module.layout.at.parameters, &[3.0]);
    run.machine.call::<(f64, f64), ()>("surface_0", (0.5, 0.0));
    assert_eq!(run.machine.get(run.module.layout.at.point, 3), [1.5, 1.0, 3.0]);
}

#[test]
fn parts_must_belong_together() {
    let small = || Small::new(&["x", "v"], oscillator, &[watch(true, Direction::Rising)], |_, x| vec![x[1]]);
    let refused = |change: &dyn Fn(&mut Small)| {
        let mut small = small();
        change(&mut small);
        small.parts(10).emit().map(|m| m.bytes.len()).expect_err("it does not fit")
    };
    assert_eq!(refused(&|s| s.watched.clear()), NotEmitted::Shape("the events"));
    assert_eq!(refused(&|s| s.report.inputs.push("q".into())), NotEmitted::Shape("the reports"));
    assert_eq!(refused(&|s| s.units.push(1..3)), NotEmitted::Shape("the unit vectors"));
    assert_eq!(refused(&|s| s.places.push(Place::Copy { from: 0 })), NotEmitted::Shape("the places of positions"));
    assert_eq!(refused(&|s| s.surfaces.push(s.place.clone())), NotEmitted::Shape("the surfaces"));
    assert_eq!(small().parts(1 << 30).emit().map(|m| m.bytes.len()), Err(NotEmitted::TooLarge));
}
