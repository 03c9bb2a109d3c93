//! Motions side by side: the same as alone, whatever their neighbours are.

use crate::problems;

use polhode_integrate::batch::{Lanes, Motions, Progress, run_all, tapes};
use polhode_integrate::{Dop853Batch, StepError, TaylorBatch, Tolerance};
use polhode_tape::{Backend, Dd, Interpreter, Op, Scalar, Tape};
use std::convert::Infallible;

/// The reference interpreter as a backend.
struct Reference;

impl Backend for Reference {
    type Kernel = Interpreter<f64>;
    type Error = Infallible;

    fn name(&self) -> String {
        "reference".to_string()
    }

    fn prepare(&self, tape: &Tape) -> Result<Interpreter<f64>, Infallible> {
        polhode_tape::verify(tape).expect("well formed");
        Ok(Interpreter::new(tape))
    }
}

fn both(x: f64) -> Tolerance {
    Tolerance { relative: x, absolute: x }
}

/// Time and state at the end, and why it is one.
type End = (f64, Vec<f64>, Result<(), StepError>);

/// Starts, in order, and what became of them.
struct Bunch {
    starts: Vec<(f64, Vec<f64>, f64)>,
    next: usize,
    ends: Vec<Option<End>>,
    steps: Vec<usize>,
}

impl Bunch {
    fn new(starts: Vec<(f64, Vec<f64>, f64)>) -> Bunch {
        Bunch { ends: vec![None; starts.len()], steps: vec![0; starts.len()], next: 0, starts }
    }

    fn end(&self, k: usize) -> &End {
        self.ends[k].as_ref().expect("every motion ends")
    }
}

impl<B> Motions<B> for Bunch {
    const LOOKS: bool = true;

    fn next(&mut self, y: &mut [f64]) -> Option<(f64, f64)> {
        let (t, start, end) = self.starts.get(self.next)?;
        self.next += 1;
        y.copy_from_slice(start);
        Some((*t, *end))
    }

    fn stepped(&mut self, motion: usize, _batch: &B, _lane: usize) -> bool {
        self.steps[motion] += 1;
        true
    }

    fn ended(&mut self, motion: usize, t: f64, y: &[f64], outcome: Result<(), StepError>) {
        assert!(self.ends[motion].replace((t, y.to_vec(), outcome)).is_none(), "motions end once");
    }
}

fn taylor<const L: usize>(tape: &Tape, tolerance: f64) -> TaylorBatch<Interpreter<f64>, L> {
    TaylorBatch::new(&Reference, tape, both(tolerance), &[]).expect("prepared")
}

fn dop853<const L: usize>(tape: &Tape, tolerance: f64) -> Dop853Batch<Interpreter<f64>, L> {
    Dop853Batch::new(&Reference, tape, both(tolerance), &[]).expect("prepared")
}

/// Ellipses of several excentricities from their pericentres, forwards and backwards, to several times.
fn ellipses() -> Vec<(f64, Vec<f64>, f64)> {
    (0..23)
        .map(|k| {
            let e = 0.03 * f64::from(k);
            let end = [7.0, -4.0, 11.5][k as usize % 3];
            (0.0, problems::ellipse(e, 0.0).to_vec(), end)
        })
        .collect()
}

fn check_ellipses(bunch: &Bunch, tolerance: f64) {
    for (k, (_, _, end)) in bunch.starts.iter().enumerate() {
        let (t, y, outcome) = bunch.end(k);
        assert_eq!((t, outcome), (end, &Ok(())));
        let expected = problems::ellipse(0.03 * k as f64, *end);
        for (y, expected) in y.iter().zip(expected) {
            assert!((y - expected).abs() < tolerance, "motion {k}: {y} {expected}");
        }
    }
}

#[test]
fn ellipses_by_series_and_by_runge_kutta() {
    let tape = problems::kepler();
    let mut bunch = Bunch::new(ellipses());
    run_all(&mut taylor::<8>(&tape, 1e-13), &mut bunch);
    check_ellipses(&bunch, 2e-11);
    let mut bunch = Bunch::new(ellipses());
    run_all(&mut dop853::<8>(&tape, 1e-12), &mut bunch);
    check_ellipses(&bunch, 1e-8);
}

/// The same bits in other lanes, beside other motions, in another order.
#[test]
fn neighbours_do_not_matter() {
    fn compare<A: Lanes, B: Lanes>(mut eight: A, mut others: B) {
        let mut together = Bunch::new(ellipses());
        run_all(&mut eight, &mut together);
        let mut reversed = ellipses();
        reversed.reverse();
        let mut bunch = Bunch::new(reversed);
        run_all(&mut others, &mut bunch);
        let last = bunch.ends.len() - 1;
        for k in 0..=last {
            assert_eq!(together.end(k), bunch.end(last - k), "{} lanes, motion {k}", others.lanes());
            assert_eq!(together.steps[k], bunch.steps[last - k]);
        }
    }
    let tape = problems::kepler();
    compare(taylor::<8>(&tape, 1e-10), taylor::<1>(&tape, 1e-10));
    compare(taylor::<8>(&tape, 1e-10), taylor::<3>(&tape, 1e-10));
    compare(taylor::<8>(&tape, 1e-10), taylor::<64>(&tape, 1e-10));
    compare(dop853::<8>(&tape, 1e-9), dop853::<1>(&tape, 1e-9));
    compare(dop853::<8>(&tape, 1e-9), dop853::<3>(&tape, 1e-9));
    compare(dop853::<8>(&tape, 1e-9), dop853::<64>(&tape, 1e-9));
}

/// ẏ = y² reaches infinity at 1/y₀: those motions fail there, the others are not disturbed.
#[test]
fn motions_that_have_no_end() {
    fn check<B: Lanes>(mut batch: B, tolerance: f64) {
        let starts = [0.1, 2.0, -1.0, 5.0, 0.3, -0.2, 4.0].map(|y| (0.0, vec![y], 2.0)).to_vec();
        let mut bunch = Bunch::new(starts);
        run_all(&mut batch, &mut bunch);
        for (k, (_, start, _)) in bunch.starts.iter().enumerate() {
            let (t, y, outcome) = bunch.end(k);
            if start[0] < 0.5 {
                let expected = start[0] / (1.0 - 2.0 * start[0]);
                assert!((y[0] - expected).abs() < tolerance * expected.abs(), "{} {expected}", y[0]);
                assert_eq!(*outcome, Ok(()));
            } else {
                assert!(outcome.is_err(), "{outcome:?}");
                assert!((t - 1.0 / start[0]).abs() < 1e-6, "{t} {}", start[0]);
            }
        }
    }
    let tape = problems::tape(&["t", "y"], |b, x| vec![b.mul(x[1], x[1])]);
    check(taylor::<4>(&tape, 1e-12), 1e-10);
    check(dop853::<4>(&tape, 1e-10), 1e-7);
}

/// A motion that is told to stop ends where it is.
#[test]
fn motions_can_be_stopped() {
    struct Until(Option<f64>);
    impl<B: Lanes> Motions<B> for Until {
        const LOOKS: bool = true;

        fn next(&mut self, y: &mut [f64]) -> Option<(f64, f64)> {
            let begin = self.0.is_none().then_some((0.0, 100.0));
            self.0 = Some(0.0);
            y.copy_from_slice(&[1.0, 0.0]);
            begin
        }
        fn stepped(&mut self, _: usize, batch: &B, lane: usize) -> bool {
            batch.time(lane) < 3.0
        }
        fn ended(&mut self, _: usize, t: f64, _: &[f64], outcome: Result<(), StepError>) {
            assert_eq!(outcome, Ok(()));
            self.0 = Some(t);
        }
    }
    let mut until = Until(None);
    run_all(&mut taylor::<8>(&problems::pendulum(), 1e-12), &mut until);
    let t = until.0.expect("begun");
    assert!((3.0..4.0).contains(&t), "{t}");
}

/// Within a step the motion is that of the series.
#[test]
fn states_within_a_step() {
    let tape = problems::kepler();
    let mut batch = taylor::<2>(&tape, 1e-13);
    batch.begin(1, 0.0, &problems::ellipse(0.4, 0.0), 20.0);
    for _ in 0..5 {
        batch.step();
    }
    assert_eq!((batch.progress(0), batch.progress(1)), (Progress::Idle, Progress::Stepped));
    let (from, to) = (batch.before(1), batch.time(1));
    assert!(from < to);
    for f in [0.0, 0.3, 0.8, 1.0] {
        let t = from + f * (to - from);
        for (i, expected) in problems::ellipse(0.4, t).into_iter().enumerate() {
            assert!((batch.at(1, t, i) - expected).abs() < 1e-12, "{t} {i}");
        }
    }
}

/// u̇ = ω × u on the sphere: the length stays 1 to the last digits.
#[test]
fn unit_vectors_stay_unit() {
    let tape = problems::tape(&["t", "u", "v", "w"], |b, x| {
        let (s, k) = (b.emit(Op::Sin(x[0])), b.constant(0.7));
        let (sv, su, kw, kv) = (b.mul(s, x[2]), b.mul(s, x[1]), b.mul(k, x[3]), b.mul(k, x[2]));
        let u = b.neg(sv);
        vec![u, b.sub(su, kw), kv]
    });
    let mut batch =
        TaylorBatch::<_, 4>::new(&Reference, &tape, both(1e-9), std::slice::from_ref(&(0..3))).expect("prepared");
    batch.begin(2, 0.0, &[0.6, 0.0, 0.8], 200.0);
    let mut y = [0.0; 3];
    while batch.progress(2) != Progress::Arrived {
        batch.step();
        assert!(!matches!(batch.progress(2), Progress::Failed(_)));
        batch.state(2, &mut y);
        let square: f64 = y.iter().map(|y| y * y).sum();
        assert!((square - 1.0).abs() < 1e-15, "{square}");
    }
}

/// The tape of a Runge–Kutta step has order 8: halving h divides the error by 2⁸ at least.
#[test]
fn a_step_as_a_tape_has_its_order() {
    let field = problems::pendulum();
    let step = tapes::dop853_step(&field, both(1e-10), &[]);
    polhode_tape::verify(&step).expect("well formed");
    let mut kernel = Interpreter::<Dd>::new(&step);
    let mut after = |h: f64, halves: usize| {
        let dd = Dd::from;
        let mut state = [dd(1.2), dd(0.3)];
        let mut circle = state[0].sin_cos();
        let mut slope = [state[1], -circle.0];
        for _ in 0..halves {
            let h = dd(h) / dd(halves as f64);
            let zero = Dd::ZERO;
            let inputs = [zero, h, state[0], state[1], zero, zero, slope[0], slope[1], circle.0, circle.1];
            let mut out = [zero; 9];
            kernel.call(&inputs, &mut out);
            state = [out[0], out[1]];
            slope = [out[4], out[5]];
            circle = (out[6], out[7]);
        }
        state[0]
    };
    let reference = after(4.0, 400);
    let (whole, half) = ((after(4.0, 16) - reference).to_f64().abs(), (after(4.0, 32) - reference).to_f64().abs());
    let order = (whole / half).log2();
    assert!((7.5..11.0).contains(&order), "{whole:e} {half:e}: order {order}");
}
