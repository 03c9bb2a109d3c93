//! Errors of the elementary functions against double-double, over a hundred thousand points each.

use polhode_backend_simd::elementary;
use polhode_tape::conformance::Random;
use polhode_tape::{Dd, Scalar};

const POINTS: usize = 100_000;

/// |y − truth| in ulps of the truth, which is a normal number.
fn ulps(y: f64, truth: Dd) -> f64 {
    let t = truth.hi().abs();
    ((Dd::from(y) - truth).to_f64() / (t.next_up() - t)).abs()
}

/// The largest error must stay below the bound but not far below, or the module head is out of date.
fn check(name: &str, bound: f64, errors: impl Iterator<Item = f64>) {
    let worst = errors.fold(0.0, f64::max);
    assert!(worst <= bound, "{name}: {worst} ulp");
    assert!(worst >= 0.8 * bound, "{name}: only {worst} ulp");
}

fn angle(r: &mut Random) -> f64 {
    match r.below(5) {
        0 => r.between(-0.8, 0.8),
        1 => r.between(-4.0, 4.0),
        2 => r.between(-1e3, 1e3),
        3 => r.between(-1e6, 1e6),
        _ => std::f64::consts::FRAC_PI_2 * r.below(636_619) as f64,
    }
}

#[test]
fn sine_and_cosine() {
    let mut r = Random::new(1);
    // the double below 10⁶ that is nearest to a multiple of π/2
    let nearest = 5_520_028_710_995_367.0 * 2f64.powi(-34);
    let angles: Vec<f64> = (1..POINTS).map(|_| angle(&mut r)).chain([nearest]).collect();
    let truth: Vec<(Dd, Dd)> = angles.iter().map(|x| Dd::from(*x).sin_cos()).collect();
    let pairs = || angles.iter().zip(&truth).filter(|(x, _)| **x != 0.0);
    check("sin", 0.8, pairs().map(|(x, t)| ulps(elementary::sin_cos(*x).0, t.0)));
    check("cos", 0.8, pairs().map(|(x, t)| ulps(elementary::sin_cos(*x).1, t.1)));
}

#[test]
fn exponential() {
    let mut r = Random::new(2);
    let mut x = || match r.below(3) {
        0 => r.between(-0.4, 0.4),
        1 => r.between(-10.0, 10.0),
        _ => r.between(-650.0, 708.0), // below, double-double fades out
    };
    check("exp", 0.9, (0..POINTS).map(|_| x()).map(|x| ulps(elementary::exp(x), Dd::from(x).exp())));
}

#[test]
fn logarithm() {
    let mut r = Random::new(3);
    let mut x = || match r.below(4) {
        0 => r.between(0.7, 1.5),
        1 => 1.0 + r.between(-0.5, 0.5) * 2f64.powi(-(r.below(40) as i32)),
        2 => r.between(0.0, 100.0),
        _ => 2f64.powf(r.between(-1000.0, 1000.0)),
    };
    let points = (0..POINTS).map(|_| x()).filter(|x| *x != 1.0);
    check("ln", 0.85, points.map(|x| ulps(elementary::ln(x), Dd::from(x).ln())));
}

#[test]
fn angle_of_a_point() {
    let mut r = Random::new(4);
    let mut point = || {
        let (y, x) = (r.between(-1.0, 1.0), r.between(-1.0, 1.0));
        match r.below(3) {
            0 => (y, x),
            // near the places where the formula changes
            1 => (x * [0.4375, 0.6875, 1.0, 16.0 / 7.0, 16.0 / 11.0][r.below(5)] * (1.0 + 1e-3 * y), x),
            _ => (y * 2f64.powi(r.below(40) as i32 - 20), x),
        }
    };
    let points = (0..POINTS).map(|_| point()).filter(|(y, x)| *y != 0.0 && *x != 0.0);
    check("atan2", 1.5, points.map(|(y, x)| ulps(elementary::atan2(y, x), Dd::from(y).atan2(Dd::from(x)))));
}
