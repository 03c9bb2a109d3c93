//! Limits of row spaces, by samples and by series.

use polhode_impulse::limit::{LimitError, default_tolerance, limit};
use polhode_impulse::series::{Exhausted, series_limit};
use polhode_impulse::{Jump, Metric, Rank, Rows};
use polhode_tape::{Dd, Scalar};

/// The largest element of (1 − Π) bᵀ and the rank tell whether the limit is span{b}.
fn spans<S: Scalar>(n: usize, found: &[S], expected: &[&[f64]]) -> f64 {
    let metric = Metric::identity(n);
    let rows = Rows::new(&metric, found, &[], Rank::Decide).unwrap();
    assert_eq!(rows.rank(), expected.len());
    let p = rows.projector(&metric);
    let mut worst: f64 = 0.0;
    for b in expected {
        for i in 0..n {
            let rest = (0..n).fold(S::from_f64(0.0), |sum, j| sum + p[i * n + j] * S::from_f64(b[j]));
            worst = worst.max(rest.to_f64().abs());
        }
    }
    worst
}

/// dy + x dz, dy + x dz + x²(dw − y dx) along x = s, y = 1: rank 2 with a hidden second direction.
fn hidden<S: Scalar>(s: S, w: &mut Vec<S>) {
    let (o, i) = (S::from_f64(0.0), S::from_f64(1.0));
    *w = vec![o, i, s, o, -(s * s), i, s, s * s];
}

#[test]
fn hidden_direction_of_second_order() {
    let d: [&[f64]; 2] = [&[0.0, 1.0, 0.0, 0.0], &[-1.0, 0.0, 0.0, 1.0]];
    let found = limit(4, None, 0.125, default_tolerance::<f64>(), hidden).unwrap();
    assert!(found.error < 1e-9 && spans(4, &found.rows, &d) < 1e-9, "{found:?}");
    let found = limit(4, None, Dd::from(0.125), default_tolerance::<Dd>(), hidden).unwrap();
    assert!(found.error < 1e-20 && spans(4, &found.rows, &d) < 1e-20, "{}", found.error);
    let series = [
        vec![0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        vec![0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0],
    ];
    let exact = series_limit(4, &series, 2).unwrap();
    assert_eq!(exact.depth, 2);
    assert!(spans(4, &exact.rows, &d) < 1e-15);
    // the jump from v = (1, 0, 2, 3) with G = diag(1, 2, 3, 4): p⁺ = (13/5, 0, 6, 52/5)
    let mut g = [0.0; 16];
    (0..4).for_each(|i| g[5 * i] = 1.0 + i as f64);
    let metric = Metric::new(4, &g).unwrap();
    let mut rows = Rows::new(&metric, &exact.rows, &[], Rank::Decide).unwrap();
    let jump = Jump::new(&metric, &mut rows, &[1.0, 0.0, 2.0, 3.0], 0.0).unwrap();
    for (p, expected) in metric.momentum(&jump.velocity).iter().zip([2.6, 0.0, 6.0, 10.4]) {
        assert!((p - expected).abs() < 1e-13);
    }
}

#[test]
fn flat_factor_without_limit() {
    let turning = |s: f64, w: &mut Vec<f64>| {
        let (f, a) = ((-1.0 / (s * s)).exp(), 1.0 / s);
        *w = vec![0.0, f * a.cos(), f * a.sin()];
    };
    for start in [0.5, 0.3, 1.0 / std::f64::consts::PI, 0.2] {
        match limit(3, Some(1), start, 1e-3, turning) {
            Err(LimitError::NoLimit { error, .. }) => assert!(error > 0.1, "{start}: {error}"),
            other => panic!("{start}: {other:?}"),
        }
    }
}

#[test]
fn oscillation_that_halvings_do_not_see() {
    // 1/s is a multiple of 2π at all s₀/2ᵏ
    let turning = |s: f64, w: &mut Vec<f64>| *w = vec![(1.0 / s).cos(), (1.0 / s).sin()];
    let start = 1.0 / (2.0 * std::f64::consts::PI);
    assert!(matches!(limit(2, Some(1), start, 1e-3, turning), Err(LimitError::NoLimit { .. })));
}

#[test]
fn flat_factor_with_limit() {
    let row = |s: f64, w: &mut Vec<f64>| {
        let f = (-1.0 / (s * s)).exp();
        *w = vec![f * s, f * (1.0 + s), -f];
    };
    let found = limit(3, Some(1), 0.25, default_tolerance::<f64>(), row).unwrap();
    assert!(spans(3, &found.rows, &[&[0.0, 1.0, -1.0]]) < 2.0 * found.error.max(1e-12), "{found:?}");
}

/// y dz − x² dw along (s, a s²): D⁺ depends on the second derivative of the arc.
#[test]
fn limit_depends_on_the_curvature_of_the_arc() {
    for a in [0.0, 0.5, -2.0] {
        let found =
            limit(4, None, 0.5, 1e-9, |s: f64, w: &mut Vec<f64>| *w = vec![0.0, 0.0, a * s * s, -s * s]).unwrap();
        assert!(spans(4, &found.rows, &[&[0.0, 0.0, a, -1.0]]) < 1e-12);
        let zero = vec![0.0; 4];
        let exact = series_limit(4, &[zero.clone(), zero, vec![0.0, 0.0, a, -1.0]], 1).unwrap();
        assert!(exact.depth == 2 && spans(4, &exact.rows, &[&[0.0, 0.0, a, -1.0]]) < 1e-15);
    }
}

/// x(dz − y dx) along (s, 1/2 + s): the factor drops out.
#[test]
fn vanishing_factor() {
    let row = |s: Dd, w: &mut Vec<Dd>| *w = vec![-(s * (Dd::from(0.5) + s)), Dd::ZERO, s];
    let found = limit(3, None, Dd::from(0.25), default_tolerance::<Dd>(), row).unwrap();
    assert!(spans(3, &found.rows, &[&[-0.5, 0.0, 1.0]]) < 1e-20);
    let exact = series_limit(3, &[vec![0.0; 3], vec![-0.5, 0.0, 1.0], vec![-1.0, 0.0, 0.0]], 1).unwrap();
    assert!(spans(3, &exact.rows, &[&[-0.5, 0.0, 1.0]]) < 1e-15);
}

/// x dx + dz, x dy + dz: dz and dx − dy.
#[test]
fn two_rows_that_meet() {
    let d: [&[f64]; 2] = [&[0.0, 0.0, 1.0], &[1.0, -1.0, 0.0]];
    let row = |s: f64, w: &mut Vec<f64>| *w = vec![s, 0.0, 1.0, 0.0, s, 1.0];
    let found = limit(3, None, 0.25, default_tolerance::<f64>(), row).unwrap();
    assert!(spans(3, &found.rows, &d) < 1e-11, "{}", found.error);
    let series = [vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0]];
    let exact = series_limit(3, &series, 2).unwrap();
    assert!(exact.depth == 1 && spans(3, &exact.rows, &d) < 1e-15);
}

#[test]
fn coefficients_that_end_too_early() {
    let series = [vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0]];
    assert_eq!(series_limit(3, &series, 2).unwrap_err(), Exhausted { found: 1, wanted: 2, terms: 1 });
    let none = limit(2, Some(2), 0.5, 1e-6, |s: f64, w: &mut Vec<f64>| *w = vec![s, 0.0]);
    assert!(matches!(none, Err(LimitError::TooFewSamples { found: 0, .. })));
}
