//! Velocities that satisfy the constraints of their own continuation.

use polhode_impulse::{Metric, Verdict, consistent};
use polhode_tape::{Dd, Scalar};

/// x dz − y dx on the z-axis, v⁻ = (1, 1, 2): ẋ⁺ = a solves a (a² − a − 1) = 0, ẏ⁺ = 1, ż⁺ = 2 − (2a − 1) a/(1 + a²).
fn three_solutions<S: Scalar>(digits: f64) {
    let metric = Metric::identity(3);
    let before = [1.0, 1.0, 2.0].map(S::from_f64);
    let found = consistent(&metric, &before, 64, |v: &[S], w| {
        w.extend([-v[1], S::from_f64(0.0), v[0]]);
        v[0] != S::from_f64(0.0) || v[1] != S::from_f64(0.0)
    });
    assert_eq!(found.verdict(), Verdict::Several(3));
    assert!(!found.unchanged);
    let five = S::from_f64(5.0).sqrt();
    let half = S::from_f64(0.5);
    let one = S::from_f64(1.0);
    for a in [(one + five) * half, (one - five) * half, S::from_f64(0.0)] {
        let z = S::from_f64(2.0) - (a + a - one) * a / (one + a * a);
        let there = found.solutions.iter().any(|s| {
            s.isolated && [a, one, z].into_iter().zip(&s.velocity).all(|(x, y)| (x - *y).to_f64().abs() < digits)
        });
        assert!(there, "{a:?} is not among {found:?}");
    }
}

#[test]
fn constraints_of_the_outgoing_direction_have_three_solutions() {
    three_solutions::<f64>(1e-11);
    three_solutions::<Dd>(1e-26);
}

/// The direction before, put into the constraints, gives a velocity that violates its own.
#[test]
fn incoming_direction_is_no_solution() {
    let metric = Metric::identity(3);
    let found = consistent(&metric, &[1.0, 1.0, 2.0], 64, |v: &[f64], w| {
        w.extend([-v[1], 0.0, v[0]]);
        true
    });
    let wrong = [1.5, 1.0, 1.5];
    assert!(found.solutions.iter().all(|s| s.velocity.iter().zip(wrong).any(|(a, b)| (a - b).abs() > 0.05)));
}

/// x dy − y dx at the origin: the velocities on the circle over v⁻.
#[test]
fn every_direction_is_a_solution() {
    let metric = Metric::identity(2);
    let found = consistent(&metric, &[3.0, 4.0], 32, |v: &[f64], w| {
        w.extend([-v[1], v[0]]);
        v[0] != 0.0 || v[1] != 0.0
    });
    assert_eq!(found.verdict(), Verdict::Continuum);
    assert!(found.unchanged, "going straight on is one of them");
    assert!(found.solutions.len() > 10);
    for s in &found.solutions {
        let v = &s.velocity;
        assert!((v[0] * v[0] + v[1] * v[1] - 3.0 * v[0] - 4.0 * v[1]).abs() < 1e-10, "{v:?}");
    }
}

/// The ball at the edge of the rough half-plane: the rows are there if it enters.
fn ball(before: [f64; 5]) -> polhode_impulse::Consistent<f64> {
    let mut g = [0.0; 25];
    [1.0, 1.0, 0.4, 0.4, 0.4].into_iter().enumerate().for_each(|(i, m)| g[6 * i] = m);
    let metric = Metric::new(5, &g).unwrap();
    consistent(&metric, &before, 64, |v: &[f64], w| {
        if v[0] > 0.0 {
            w.extend([1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        }
        true
    })
}

#[test]
fn ball_that_enters_has_one_solution_and_one_that_is_thrown_back_none() {
    let found = ball([1.0, 0.5, 0.3, -0.2, 0.7]);
    assert_eq!(found.verdict(), Verdict::Unique);
    assert!((found.solutions[0].velocity[0] - 23.0 / 35.0).abs() < 1e-12);
    assert_eq!(ball([1.0, 1.0, 1.0, -5.0, 0.0]).verdict(), Verdict::None);
}
