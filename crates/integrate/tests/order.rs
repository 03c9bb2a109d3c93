//! Orders measured on nonlinear problems, above the plateau of rounding.

use crate::problems;

use polhode_integrate::collocation::fitting_step;
use polhode_integrate::{Dop853, Gauss, ImplicitMap, StepError, Stepper, Tolerance};
use polhode_tape::reference::Reference;
use polhode_tape::{Op, Tape, passes};
use problems::*;
use std::f64::consts::PI;

/// Too large to refuse any step, so that the longest step is the one taken.
const LOOSE: Tolerance = Tolerance { relative: 1e9, absolute: 1e9 };

fn fixed(tape: &Tape, t: f64, y: &[f64], h: f64) -> Dop853<Field> {
    Dop853::new(field(tape), t, y.to_vec(), LOOSE, vec![]).with_first_step(h).with_longest_step(h)
}

/// The largest distance from an ellipse at the ends of the steps up to `end`.
fn error_on_ellipse(stepper: &mut dyn Stepper<f64>, e: f64, end: f64) -> f64 {
    let mut error = 0.0f64;
    while stepper.time() != end {
        stepper.step(end).expect("nothing in the way");
        error = error.max(distance(stepper.state(), &ellipse(e, stepper.time())));
    }
    error
}

fn run(stepper: &mut dyn Stepper<f64>, end: f64) {
    while stepper.time() != end {
        stepper.step(end).expect("nothing in the way");
    }
}

/// The order over all halvings; single ones scatter where terms of the error cancel.
fn assert_orders(name: &str, errors: &[f64], order: f64) {
    let each = orders(errors);
    let mean = each.iter().sum::<f64>() / each.len() as f64;
    println!("{name}: errors {errors:?}, orders {each:.2?}, mean {mean:.2}");
    assert!((mean - order).abs() < 0.3, "{name}: order {order}, errors {errors:?} give {each:?}");
}

#[test]
fn dop853_has_order_8() {
    let errors = [40.0, 80.0, 160.0]
        .map(|n| error_on_ellipse(&mut fixed(&kepler(), 0.0, &ellipse(0.3, 0.0), 2.0 * PI / n), 0.3, 2.0 * PI));
    assert_orders("Kepler", &errors, 8.0);
    // the tumbling body, against itself with a tenth of the step
    let at = |h: f64| {
        let mut d = fixed(&rigid_body(), 0.0, &[0.1, 1.0, 0.2, 1.0, 0.0, 0.0, 0.0], h);
        run(&mut d, 12.0);
        d.state().to_vec()
    };
    let exact = at(0.05);
    assert_orders("rigid body", &[1.0, 0.5, 0.25].map(|h| distance(&at(h), &exact)), 8.0);
}

/// Over one step the polynomial of degree 7 is off by O(h⁸), everywhere within.
#[test]
fn dop853_dense_output_has_order_7() {
    let errors = [0.2, 0.1, 0.05].map(|h| {
        let mut d = fixed(&kepler(), 1.0, &ellipse(0.5, 1.0), h);
        d.step(9.0).expect("one step");
        let (segment, mut y, mut z) = (d.segment(), [0.0; 4], [0.0; 4]);
        (1..20).fold(0.0, |error, k| {
            let t = 1.0 + h * f64::from(k) / 20.0;
            d.interpolate(t, &mut y);
            segment.at(t, &mut z);
            assert_eq!(y, z);
            f64::max(error, distance(&y, &ellipse(0.5, t)))
        })
    });
    assert_orders("dense", &errors, 8.0);
}

/// The error follows the tolerance; the effort is pinned.
#[test]
fn dop853_follows_the_tolerance() {
    let mut counts = Vec::new();
    for relative in [1e-6, 1e-8, 1e-10, 1e-12] {
        let tolerance = Tolerance { relative, absolute: relative };
        let mut d = Dop853::new(field(&kepler()), 0.0, ellipse(0.5, 0.0).to_vec(), tolerance, vec![]);
        let error = error_on_ellipse(&mut d, 0.5, 20.0 * PI);
        // ten revolutions let errors grow with the square of time
        assert!(error > 1e2 * relative && error < 2e4 * relative, "{error:e} for {relative:e}");
        let s = d.statistics();
        counts.push((s.steps, s.rejected, s.evaluations));
    }
    assert_eq!(counts, [(131, 20, 1794), (211, 30, 2864), (351, 30, 4544), (601, 25, 7489)]);
}

#[test]
fn gauss_has_order_2s() {
    // steps so that errors lie between 1e-13 and a tenth
    let steps = [[160.0, 320.0, 640.0], [40.0, 80.0, 160.0], [20.0, 40.0, 80.0], [20.0, 40.0, 80.0]];
    for (s, steps) in (1..).zip(steps) {
        let errors = steps.map(|n| {
            let mut g = Gauss::new(field(&kepler()), 0.0, ellipse(0.3, 0.0).to_vec(), s, 2.0 * PI / n, vec![]);
            error_on_ellipse(&mut g, 0.3, 2.0 * PI)
        });
        assert_orders(&format!("{s} stages"), &errors, 2.0 * s as f64);
    }
    // more stages reach rounding before they show their order
    for s in [6, 8] {
        let mut g = Gauss::new(field(&kepler()), 0.0, ellipse(0.3, 0.0).to_vec(), s, 2.0 * PI / 40.0, vec![]);
        assert!(error_on_ellipse(&mut g, 0.3, 2.0 * PI) < 3e-14);
    }
}

/// The collocation polynomial is off by O(h^{s+1}) over one step.
#[test]
fn gauss_dense_output() {
    for s in 1..=4 {
        let errors = [0.1, 0.05, 0.025].map(|h| {
            let mut g = Gauss::new(field(&kepler()), 1.0, ellipse(0.5, 1.0).to_vec(), s, h, vec![]);
            g.step(9.0).expect("one step");
            let (segment, mut y, mut z) = (g.segment(), [0.0; 4], [0.0; 4]);
            (1..20).fold(0.0, |error, k| {
                let t = 1.0 + h * f64::from(k) / 20.0;
                g.interpolate(t, &mut y);
                segment.at(t, &mut z);
                assert_eq!(y, z);
                f64::max(error, distance(&y, &ellipse(0.5, t)))
            })
        });
        assert_orders(&format!("{s} stages"), &errors, s as f64 + 1.0);
    }
}

/// The rigid body has no closed form in elementary functions; two methods agree on it.
#[test]
fn methods_agree_on_the_rigid_body() {
    let y = vec![0.1, 1.0, 0.2, 1.0, 0.0, 0.0, 0.0];
    #[expect(clippy::single_range_in_vec_init, reason = "one unit quaternion")]
    let units = vec![3..7];
    let tight = Tolerance { relative: 1e-14, absolute: 1e-14 };
    let mut d = Dop853::new(field(&rigid_body()), 0.0, y.clone(), tight, units.clone());
    let mut g = Gauss::new(field(&rigid_body()), 0.0, y, 6, 0.1, units);
    run(&mut d, 50.0);
    run(&mut g, 50.0);
    assert!(distance(d.state(), g.state()) < 1e-11, "{:e}", distance(d.state(), g.state()));
    for state in [d.state(), g.state()] {
        let square: f64 = state[3..].iter().map(|p| p * p).sum();
        assert!((square - 1.0).abs() < 4e-16);
    }
}

/// The implicit midpoint rule for the pendulum, with the slopes at the middle as unknowns.
fn midpoint() -> [Tape; 3] {
    let inputs = ["t", "h", "q", "v", "z1", "z2"];
    let middle = |b: &mut polhode_tape::Builder, x: &[polhode_tape::Value], i: usize| {
        let step = b.mul(x[1], x[4 + i]);
        let half = b.scale(step, 0.5);
        b.add(x[2 + i], half)
    };
    let residual = tape(&inputs, |b, x| {
        let (q, v) = (middle(b, x, 0), middle(b, x, 1));
        let sin = b.emit(Op::Sin(q));
        vec![b.sub(x[4], v), b.add(x[5], sin)]
    });
    let jacobian = tape(&inputs, |b, x| {
        let q = middle(b, x, 0);
        let cos = b.emit(Op::Cos(q));
        let half = b.scale(x[1], 0.5);
        let (one, minus, slope) = (b.constant(1.0), b.neg(half), b.mul(half, cos));
        vec![one, minus, slope, one]
    });
    let update = tape(&inputs, |b, x| {
        (0..2)
            .map(|i| {
                let step = b.mul(x[1], x[4 + i]);
                b.add(x[2 + i], step)
            })
            .collect()
    });
    [residual, jacobian, update]
}

#[test]
fn implicit_maps() {
    let [r, j, u] = midpoint();
    let map = |h: f64| {
        ImplicitMap::from_tapes(&Reference, &r, &j, &u, 0.0, vec![2.0, 0.0], vec![0.0; 2], h, vec![]).expect("runs")
    };
    let at = |h: f64| {
        let mut m = map(h);
        run(&mut m, 10.0);
        m.state().to_vec()
    };
    let mut d = fixed(&pendulum(), 0.0, &[2.0, 0.0], 0.04);
    run(&mut d, 10.0);
    assert_orders("midpoint", &[0.1, 0.05, 0.025].map(|h| distance(&at(h), d.state())), 2.0);
    // the midpoint rule is the Gauss method of one stage
    let mut g = Gauss::new(field(&pendulum()), 0.0, vec![2.0, 0.0], 1, 0.1, vec![]);
    run(&mut g, 10.0);
    assert!(distance(&at(0.1), g.state()) < 1e-13);
    // derivatives taken by the tape's own pass do as well as those written by hand
    let derived = passes::jacobian(&r, &[4, 5]);
    let m = ImplicitMap::from_tapes(&Reference, &r, &derived, &u, 0.0, vec![2.0, 0.0], vec![0.0; 2], 0.1, vec![]);
    let mut m = m.expect("runs");
    run(&mut m, 10.0);
    assert!(distance(&at(0.1), m.state()) < 1e-14);
    // solved to rounding, in a few steps of Newton's method
    let mut m = map(0.1);
    run(&mut m, 10.0);
    assert_eq!((m.statistics().steps, m.statistics().rejected), (100, 0));
    assert!(m.statistics().evaluations < 600, "{:?}", m.statistics());
    // straight lines in between
    let (mut y, start) = ([0.0; 2], m.segment().start);
    m.interpolate(start, &mut y);
    let first = y;
    m.interpolate(10.0, &mut y);
    assert!(distance(&y, m.state()) < 1e-15);
    let middle = [0.5 * (first[0] + y[0]), 0.5 * (first[1] + y[1])];
    m.interpolate(0.5 * (start + 10.0), &mut y);
    assert!(distance(&y, &middle) < 1e-14);
}

#[test]
fn unsolvable_maps_say_so() {
    // z² + 1 = 0
    let inputs = ["t", "h", "x", "z"];
    let r = tape(&inputs, |b, x| {
        let (square, one) = (b.mul(x[3], x[3]), b.constant(1.0));
        vec![b.add(square, one)]
    });
    let j = tape(&inputs, |b, x| vec![b.scale(x[3], 2.0)]);
    let u = tape(&inputs, |_, x| vec![x[3]]);
    let mut m = ImplicitMap::from_tapes(&Reference, &r, &j, &u, 0.0, vec![0.5], vec![0.3], 0.1, vec![]).expect("runs");
    assert_eq!(m.step(1.0), Err(StepError::NoConvergence { t: 0.0 }));
    assert_eq!((m.time(), m.state()), (0.0, &[0.5][..]));
}

/// There and back again.
#[test]
fn backwards() {
    let start = ellipse(0.5, 0.0);
    let tight = Tolerance { relative: 1e-13, absolute: 1e-13 };
    let mut d = Dop853::new(field(&kepler()), 0.0, start.to_vec(), tight, vec![]);
    let mut g = Gauss::new(field(&kepler()), 0.0, start.to_vec(), 4, 0.05, vec![]);
    let steppers: [&mut dyn Stepper<f64>; 2] = [&mut d, &mut g];
    for stepper in steppers {
        run(stepper, 7.0);
        assert!(distance(stepper.state(), &ellipse(0.5, 7.0)) < 1e-9);
        run(stepper, 0.0);
        assert!(distance(stepper.state(), &start) < 1e-10);
        run(stepper, -7.0);
        let [x, y, u, v] = ellipse(0.5, 7.0);
        assert!(distance(stepper.state(), &[x, -y, -u, v]) < 1e-9);
        // the step just made begins later than it ends
        let segment = stepper.segment();
        assert!(segment.length < 0.0 && segment.start > -7.0);
        let mut y = [0.0; 4];
        let t = segment.start + 0.5 * segment.length;
        stepper.interpolate(t, &mut y);
        assert!(distance(&y, &ellipse(0.5, t)) < 1e-7);
    }
}

/// A stiff field, where repeated substitution diverges: ẏ = −10⁴ (y − cos t).
#[test]
fn gauss_falls_back_to_newton() {
    let stiff = tape(&["t", "y"], |b, x| {
        let cos = b.emit(Op::Cos(x[0]));
        let off = b.sub(x[1], cos);
        vec![b.scale(off, -1e4)]
    });
    let mut g = Gauss::new(field(&stiff), 0.0, vec![1.0], 3, 0.05, vec![]);
    run(&mut g, 5.0);
    // the slow solution is (cos t + 10⁻⁴ sin t)/(1 + 10⁻⁸)
    let slow = (5f64.cos() + 1e-4 * 5f64.sin()) / (1.0 + 1e-8);
    assert!((g.state()[0] - slow).abs() < 1e-5, "{}", g.state()[0] - slow);
    assert_eq!(g.statistics().steps, 100);
}

#[test]
fn whole_steps_fit() {
    let h = fitting_step(0.3, 10.0);
    let mut g = Gauss::new(field(&pendulum()), 0.0, vec![1.0, 0.0], 2, h, vec![]);
    run(&mut g, 10.0);
    assert_eq!(g.statistics().steps, 34);
    // each as long as the others: none was cut
    assert!((g.segment().length - h).abs() < 1e-14);
}

#[test]
fn steps_end_where_they_should() {
    let tolerance = Tolerance { relative: 1e-8, absolute: 1e-8 };
    let mut d = Dop853::new(field(&pendulum()), 0.0, vec![1.0, 0.0], tolerance, vec![]);
    d.step(0.0).expect("nothing to do");
    assert_eq!(d.statistics().evaluations, 0);
    for k in 1..=1000 {
        run(&mut d, f64::from(k) * 0.1);
    }
    assert_eq!(d.time(), 100.0);
    // short stretches do not spoil the step size: one step for each
    assert_eq!((d.statistics().rejected, d.statistics().steps < 1010), (0, true), "{:?}", d.statistics());
    // the next number after 100 is reached too
    let next = f64::from_bits(100f64.to_bits() + 1);
    run(&mut d, next);
    assert_eq!(d.time(), next);
}

#[test]
fn failures_are_reported() {
    let tolerance = Tolerance { relative: 1e-8, absolute: 1e-8 };
    let fail = |tape: &Tape, y: f64| {
        let mut d = Dop853::new(field(tape), 0.0, vec![y], tolerance, vec![]);
        let error = (0..100_000).find_map(|_| d.step(10.0).err()).expect("it does not get there");
        assert!(d.state()[0].is_finite());
        error
    };
    // ẏ = y² has a pole at t = 1/y(0)
    let pole = tape(&["t", "y"], |b, x| vec![b.mul(x[1], x[1])]);
    match fail(&pole, 1.0) {
        StepError::TooSmall { t } | StepError::NotFinite { t } => assert!((t - 1.0).abs() < 1e-6, "{t}"),
        error => panic!("{error}"),
    }
    // ẏ = −√y − 1 leaves the domain of the root at t = 2 − 2 ln 2
    let edge = tape(&["t", "y"], |b, x| {
        let (root, one) = (b.emit(Op::Sqrt(x[1])), b.constant(1.0));
        let sum = b.add(root, one);
        vec![b.neg(sum)]
    });
    match fail(&edge, 1.0) {
        StepError::TooSmall { t } | StepError::NotFinite { t } => {
            assert!((t - (2.0 - 2.0 * 2f64.ln())).abs() < 1e-6, "{t}");
        }
        error => panic!("{error}"),
    }
    // undefined from the start
    assert_eq!(fail(&edge, -1.0), StepError::NotFinite { t: 0.0 });
    let mut g = Gauss::new(field(&edge), 0.0, vec![-1.0], 2, 0.1, vec![]);
    assert_eq!(g.step(1.0), Err(StepError::NotFinite { t: 0.0 }));
    let mut g = Gauss::new(field(&edge), 0.0, vec![1.0], 2, 0.1, vec![]);
    let error = (0..100).find_map(|_| g.step(10.0).err()).expect("it does not get there");
    assert!(matches!(error, StepError::NotFinite { .. } | StepError::NoConvergence { .. }));
    assert!(g.state()[0].is_finite());
}
