//! Energy over long times: bound and trend.

use crate::problems;

use polhode_integrate::{Dop853, Gauss, ImplicitMap, Stepper, Tolerance};
use polhode_tape::reference::Reference;
use polhode_tape::{Builder, Op, Tape, Value};
use problems::*;
use std::f64::consts::PI;

/// Energy errors over 16 equal stretches of time: the largest |error| during each, and the error
/// after each.
fn errors(stepper: &mut dyn Stepper<f64>, energy: fn(&[f64]) -> f64, end: f64) -> ([f64; 16], [f64; 16]) {
    let start = energy(stepper.state());
    let (mut peaks, mut ends) = ([0.0f64; 16], [0.0; 16]);
    for k in 0..16 {
        let until = end * (k + 1) as f64 / 16.0;
        while stepper.time() != until {
            stepper.step(until).expect("nothing in the way");
            ends[k] = energy(stepper.state()) - start;
            peaks[k] = peaks[k].max(ends[k].abs());
        }
    }
    (peaks, ends)
}

fn largest(peaks: &[f64; 16]) -> f64 {
    peaks.iter().fold(0.0, |l, p| l.max(*p))
}

/// The change over the whole time of the straight line that fits the errors best.
fn trend(errors: &[f64; 16]) -> f64 {
    let mean = errors.iter().sum::<f64>() / 16.0;
    let slope = errors.iter().enumerate().map(|(k, e)| (k as f64 - 7.5) * (e - mean)).sum::<f64>();
    16.0 * slope / (0..16).map(|k| (f64::from(k) - 7.5).powi(2)).sum::<f64>()
}

/// 10⁵ steps: the energy errs by O(h²ˢ) all the time, and does not go away.
#[test]
fn gauss_keeps_the_energy_of_the_pendulum() {
    let mut bounds = Vec::new();
    for h in [0.2, 0.1] {
        let mut g = Gauss::new(field(&pendulum()), 0.0, vec![2.0, 0.0], 2, h, vec![]);
        let (peaks, _) = errors(&mut g, pendulum_energy, 1e5 * h);
        println!("h = {h}: within {:.1e}, trend {:.1e}", largest(&peaks), trend(&peaks));
        assert!(trend(&peaks).abs() < 0.01 * largest(&peaks), "{peaks:?}");
        bounds.push(largest(&peaks));
    }
    let order = (bounds[0] / bounds[1]).log2();
    assert!((order - 4.0).abs() < 0.3, "{bounds:?}");
    // below 1e-12 nothing but rounding is left, and that does not add up: 10⁵ steps of 1e-16
    // would give 1e-11 if all went one way and 3e-14 at random
    let mut g = Gauss::new(field(&pendulum()), 0.0, vec![2.0, 0.0], 6, 0.1, vec![]);
    let (peaks, ends) = errors(&mut g, pendulum_energy, 1e4);
    println!("6 stages: within {:.1e}, trend {:.1e}", largest(&peaks), trend(&ends));
    assert!(largest(&peaks) < 2e-14 && trend(&ends).abs() < 1e-14, "{ends:?}");
}

#[test]
fn gauss_keeps_the_energy_of_the_ellipse() {
    // 400 revolutions of 64 steps
    let mut g = Gauss::new(field(&kepler()), 0.0, ellipse(0.5, 0.0).to_vec(), 6, 2.0 * PI / 64.0, vec![]);
    let (peaks, ends) = errors(&mut g, kepler_energy, 800.0 * PI);
    println!("within {:.1e}, trend {:.1e}", largest(&peaks), trend(&ends));
    assert!(trend(&ends).abs() < 2e-14, "{ends:?}");
    // repeated substitution to rounding: 7 or 8 evaluations of each stage
    let each = g.statistics().evaluations as f64 / 6.0 / g.statistics().steps as f64;
    assert!(each < 8.0, "{each}");
    // the area of the parallelogram of q and v is a quadratic invariant: kept to rounding
    let y = g.state();
    assert!((y[0] * y[3] - y[1] * y[2] - 0.75f64.sqrt()).abs() < 1e-14);
}

/// An explicit method drifts, in proportion to the tolerance and to time.
#[test]
fn dop853_drifts_with_the_tolerance() {
    let drift = |relative: f64| {
        let tolerance = Tolerance { relative, absolute: relative };
        let mut d = Dop853::new(field(&kepler()), 0.0, ellipse(0.5, 0.0).to_vec(), tolerance, vec![]);
        let (_, ends) = errors(&mut d, kepler_energy, 400.0 * PI);
        println!("{relative:e}: {:.1e} half way, {:.1e} at the end, {:?}", ends[7], ends[15], d.statistics());
        // steady: half of it in half the time
        assert!((ends[7] / ends[15] - 0.5).abs() < 0.1, "{ends:?}");
        ends[15] / relative
    };
    let each = [1e-8, 1e-10, 1e-12, 1e-14].map(drift);
    assert!(each.iter().all(|d| d.abs() > 30.0 && d.abs() < 3000.0), "{each:?}");
}

/// The discrete Lagrangian L_d = h (½((q⁺ − q)/h)² + ½cos q + ½cos q⁺) with momenta, as a map of
/// (q, p): the unknown is q⁺, found from p = −∂L_d/∂q, and p⁺ = ∂L_d/∂q⁺.
fn discrete_pendulum() -> [Tape; 3] {
    let inputs = ["t", "h", "q", "p", "z"];
    let velocity = |b: &mut Builder, x: &[Value]| {
        let change = b.sub(x[4], x[2]);
        b.div(change, x[1])
    };
    let kick = |b: &mut Builder, h: Value, q: Value| {
        let sin = b.emit(Op::Sin(q));
        let half = b.scale(h, 0.5);
        b.mul(half, sin)
    };
    let residual = tape(&inputs, |b, x| {
        let (v, kick) = (velocity(b, x), kick(b, x[1], x[2]));
        let left = b.add(v, kick);
        vec![b.sub(left, x[3])]
    });
    let jacobian = tape(&inputs, |b, x| {
        let one = b.constant(1.0);
        vec![b.div(one, x[1])]
    });
    let update = tape(&inputs, |b, x| {
        let (v, kick) = (velocity(b, x), kick(b, x[1], x[4]));
        vec![x[4], b.sub(v, kick)]
    });
    [residual, jacobian, update]
}

#[test]
fn discrete_lagrangians_keep_the_energy() {
    let [r, j, u] = discrete_pendulum();
    let mut bounds = Vec::new();
    for h in [0.1, 0.05] {
        let map = ImplicitMap::from_tapes(&Reference, &r, &j, &u, 0.0, vec![2.0, 0.0], vec![2.0], h, vec![]);
        let mut map = map.expect("the reference runs every tape");
        let (peaks, _) = errors(&mut map, pendulum_energy, 1e5 * h);
        println!("h = {h}: within {:.1e}, trend {:.1e}, {:?}", largest(&peaks), trend(&peaks), map.statistics());
        assert!(trend(&peaks).abs() < 0.01 * largest(&peaks), "{peaks:?}");
        bounds.push(largest(&peaks));
    }
    let order = (bounds[0] / bounds[1]).log2();
    assert!((order - 2.0).abs() < 0.1, "{bounds:?}");
}

/// The same map is the leapfrog of Störmer and Verlet.
#[test]
fn discrete_lagrangians_are_leapfrogs() {
    let [r, j, u] = discrete_pendulum();
    let map = ImplicitMap::from_tapes(&Reference, &r, &j, &u, 0.0, vec![2.0, 0.0], vec![2.0], 0.1, vec![]);
    let mut map = map.expect("the reference runs every tape");
    let (mut q, mut p) = (2.0f64, 0.0f64);
    for _ in 0..100 {
        map.step(100.0).expect("solvable");
        let half = p - 0.05 * q.sin();
        q += 0.1 * half;
        p = half - 0.05 * q.sin();
        assert!(distance(map.state(), &[q, p]) < 1e-12);
    }
}
