//! All roots of smooth functions: known roots, clusters, contacts, ends, edges of the domain.

use polhode_base::random::Random;
use polhode_integrate::roots::{Crossing, Finder, Root};
use std::f64::consts::{PI, TAU};

fn find(mut f: impl FnMut(f64) -> f64, a: f64, b: f64) -> Vec<Root> {
    let mut out = Vec::new();
    Finder::default().find(&mut f, a, b, &mut out);
    out
}

/// The roots, which must be where they should be to `accuracy`, crossing up and down in turn.
fn check(found: &[Root], expected: &[f64], accuracy: f64) {
    let times: Vec<f64> = found.iter().map(|r| r.t).collect();
    assert_eq!(times.len(), expected.len(), "{found:?}\n{expected:?}");
    for (t, e) in times.iter().zip(expected) {
        assert!((t - e).abs() <= accuracy * e.abs().max(1e-300), "{t} instead of {e}, off by {}", t - e);
    }
}

fn alternate(found: &[Root], first: Crossing) {
    for (k, r) in found.iter().enumerate() {
        let other = if first == Crossing::Rising { Crossing::Falling } else { Crossing::Rising };
        assert_eq!(r.kind, if k % 2 == 0 { first } else { other }, "root {k} of {found:?}");
    }
}

#[test]
fn many_oscillations() {
    let roots = find(|t| (50.0 * t).sin(), 0.0, 10.0);
    let expected: Vec<f64> = (1..=159).map(|k| k as f64 * PI / 50.0).collect();
    check(&roots, &expected, 2e-15);
    alternate(&roots, Crossing::Falling);
}

#[test]
fn single_roots_to_the_last_digit() {
    check(&find(f64::cos, 0.0, 3.0), &[PI / 2.0], 2.3e-16);
    check(&find(|t| t * t - 2.0, 0.0, 3.0), &[2f64.sqrt()], 2.3e-16);
    check(&find(|t| t.exp() - 10.0, 0.0, 3.0), &[10f64.ln()], 4.5e-16);
    // far from zero in time, and with a tiny function
    check(&find(|t| 1e-200 * (t - 1e9 - 0.25), 1e9, 1e9 + 1.0), &[1e9 + 0.25], 0.0);
}

#[test]
fn few_values_where_there_is_no_root() {
    let mut count = 0;
    let mut out = Vec::new();
    let mut f = |t: f64| {
        count += 1;
        2.0 + t.sin()
    };
    Finder::default().find(&mut f, 0.0, 0.5, &mut out);
    assert!(out.is_empty());
    assert_eq!(count, 9);
}

#[test]
fn few_values_for_one_root() {
    let mut count = 0;
    let mut out = Vec::new();
    let mut f = |t: f64| {
        count += 1;
        t.sin() - 0.3
    };
    Finder::default().find(&mut f, 0.0, 0.7, &mut out);
    assert_eq!(out.len(), 1);
    assert!(count <= 17 + 4, "{count} values");
}

#[test]
fn backwards() {
    let roots = find(|t| (3.0 * t).sin(), 5.0, 0.5);
    check(&roots, &[4.0 * PI / 3.0, PI, 2.0 * PI / 3.0, PI / 3.0], 4e-16);
    // sin 15 > 0: the first root is met falling
    alternate(&roots, Crossing::Falling);
}

#[test]
fn clusters() {
    for d in [1e-3, 1e-6, 1e-9] {
        for t0 in [0.3, 0.5, 0.712_345] {
            let r = [t0, t0 + d, t0 + 2.0 * d];
            let roots = find(|t| (t - r[0]) * (t - r[1]), 0.0, 1.0);
            check(&roots, &r[..2], 4e-16);
            alternate(&roots, Crossing::Falling);
            let roots = find(|t| (t - r[0]) * (t - r[1]) * (t - r[2]), 0.0, 1.0);
            check(&roots, &r, 4e-16);
            alternate(&roots, Crossing::Rising);
        }
    }
}

#[test]
fn parabolas_at_all_heights() {
    for t0 in [0.3, 0.5, 0.25, 0.9876] {
        for sign in [1.0, -1.0] {
            let at = |height: f64| find(|t| sign * ((t - t0) * (t - t0) + height), 0.0, 1.0);
            for height in [0.0, 1e-15] {
                let roots = at(height);
                assert_eq!(roots.len(), 1, "{height}: {roots:?}");
                assert_eq!(roots[0].kind, Crossing::Touching);
                assert!((roots[0].t - t0).abs() < 1e-12, "{} instead of {t0}", roots[0].t);
            }
            assert!(at(1e-9).is_empty());
            for height in [-1e-15, -1e-9, -1e-5] {
                let d = f64::sqrt(-height);
                let roots = at(height);
                check(&roots, &[t0 - d, t0 + d], 1e-8 * d.min(1e-6) / d + 1e-9);
                alternate(&roots, if sign > 0.0 { Crossing::Falling } else { Crossing::Rising });
            }
        }
    }
}

#[test]
fn contacts_of_every_order() {
    for power in [2, 4, 6] {
        let roots = find(|t| (t - 0.4).powi(power), 0.0, 1.0);
        assert_eq!(roots.len(), 1, "{power}: {roots:?}");
        assert_eq!(roots[0].kind, Crossing::Touching);
        assert!((roots[0].t - 0.4).abs() < 1e-9);
    }
    for power in [1, 3, 5] {
        let roots = find(|t| (t - 0.4).powi(power), 0.0, 1.0);
        check(&roots, &[0.4], 4e-16);
        assert_eq!(roots[0].kind, Crossing::Rising);
    }
    // 1 + sin t touches at 3π/2 + 2πk
    let roots = find(|t| 1.0 + t.sin(), 0.0, 20.0);
    check(&roots, &[1.5 * PI, 3.5 * PI, 5.5 * PI], 1e-8);
    assert!(roots.iter().all(|r| r.kind == Crossing::Touching));
}

#[test]
fn half_open() {
    // exactly at a: not here; exactly at b: here
    assert!(find(|t| t, 0.0, 1.0).is_empty());
    check(&find(|t| t - 1.0, 0.0, 1.0), &[1.0], 0.0);
    assert!(find(|t| t - 1.0, 1.0, 0.0).is_empty());
    check(&find(|t| t, 1.0, 0.0), &[0.0], 0.0);
    // a root at a does not hide the next one
    check(&find(|t| t * (t - 1e-3), 0.0, 1.0), &[1e-3], 4e-16);
    check(&find(|t| t * (t - 1.0), 0.0, 1.0), &[1.0], 0.0);
    check(&find(|t| t * (0.5 - t) * (t - 1.0), 0.0, 1.0), &[0.5, 1.0], 0.0);
    // contacts at the ends
    assert!(find(|t| t * t, 0.0, 1.0).is_empty());
    let at_b = find(|t| (t - 1.0) * (t - 1.0), 0.0, 1.0);
    assert_eq!(at_b, [Root { t: 1.0, kind: Crossing::Touching }]);
    assert_eq!(find(|t| (t - 1.0).powi(4), 0.0, 1.0).len(), 1);
    assert!(find(|t| t.powi(4), 0.0, 1.0).is_empty());
}

#[test]
fn consecutive_steps_report_each_root_once() {
    // whatever the cuts, the roots of the whole are the roots of the parts
    let f = |t: f64| (7.0 * t).sin() * (0.3 + t.cos()) + 0.1;
    let whole = find(f, 0.0, 8.0);
    let mut random = Random::new(99);
    for _ in 0..50 {
        let mut cuts: Vec<f64> = (0..20).map(|_| 8.0 * random.unit()).collect();
        cuts.push(whole[random.below(whole.len())].t);
        cuts.extend([0.0, 8.0]);
        cuts.sort_by(f64::total_cmp);
        let parts: Vec<Root> = cuts.windows(2).flat_map(|w| find(f, w[0], w[1])).collect();
        check(&parts, &whole.iter().map(|r| r.t).collect::<Vec<_>>(), 1e-14);
    }
}

#[test]
fn polynomials_of_high_degree() {
    // Wilkinson's roots, in product form
    let roots = find(|t| (1..=20).map(|k| t - k as f64).product(), 0.5, 20.5);
    check(&roots, &(1..=20).map(|k| k as f64).collect::<Vec<_>>(), 4e-16);
    alternate(&roots, Crossing::Falling);
    // T_30 by its recurrence
    let t30 = |x: f64| {
        let (mut p, mut q) = (1.0, x);
        for _ in 1..30 {
            (p, q) = (q, 2.0 * x * q - p);
        }
        q
    };
    let expected: Vec<f64> = (0..30).map(|k| -(PI * (k as f64 + 0.5) / 30.0).cos()).collect();
    check(&find(t30, -1.0, 1.0), &expected, 1e-13);
    // Legendre P_25, roots by symmetry and against Newton's own equation P = 0
    let p25 = |x: f64| {
        let (mut p, mut q) = (1.0, x);
        for n in 1..25 {
            let n = n as f64;
            (p, q) = (q, ((2.0 * n + 1.0) * x * q - n * p) / (n + 1.0));
        }
        q
    };
    let roots = find(p25, -1.0, 1.0);
    assert_eq!(roots.len(), 25);
    for k in 0..25 {
        assert!((roots[k].t + roots[24 - k].t).abs() < 1e-14);
        assert!(p25(roots[k].t).abs() < 1e-14);
    }
}

#[test]
fn random_polynomials_with_known_roots() {
    let mut random = Random::new(7);
    for _ in 0..200 {
        let n = 1 + (random.unit() * 12.0) as usize;
        let mut r: Vec<f64> = (0..n).map(|_| 2.4 * random.unit() - 1.2).collect();
        r.sort_by(f64::total_cmp);
        let inside: Vec<f64> = r.iter().copied().filter(|t| *t > -1.0 && *t <= 1.0).collect();
        check(&find(|t| r.iter().map(|r| t - r).product(), -1.0, 1.0), &inside, 4e-16);
    }
}

#[test]
fn random_trigonometric_polynomials_against_dense_sampling() {
    let mut random = Random::new(2024);
    for _ in 0..60 {
        let terms: Vec<(f64, f64, f64)> =
            (0..6).map(|_| (random.unit() - 0.5, 12.0 * random.unit(), TAU * random.unit())).collect();
        let shift = 0.4 * (random.unit() - 0.5);
        let f = |t: f64| shift + terms.iter().map(|(a, w, p)| a * (w * t + p).sin()).sum::<f64>();
        let roots = find(f, 0.0, 5.0);
        let n = 40_000;
        let mut signs = Vec::new();
        let mut last = f(0.0);
        for k in 1..=n {
            let t = 5.0 * k as f64 / n as f64;
            let v = f(t);
            if last * v < 0.0 {
                signs.push((t - 5.0 / n as f64, t, if v > 0.0 { Crossing::Rising } else { Crossing::Falling }));
            }
            last = v;
        }
        assert_eq!(roots.len(), signs.len(), "{roots:?} {signs:?}");
        for (r, (lo, hi, kind)) in roots.iter().zip(&signs) {
            assert!(r.t >= *lo && r.t <= *hi && r.kind == *kind);
            assert!(f(r.t).abs() < 1e-14);
        }
    }
}

#[test]
fn zero_throughout() {
    assert!(find(|_| 0.0, 0.0, 1.0).is_empty());
    assert!(find(|t| t, 1.0, 1.0).is_empty());
}

#[test]
fn values_that_are_not_finite() {
    // a pole is no root
    assert!(find(|t| 1.0 / (t - 0.5), 0.0, 1.0).iter().all(|r| (r.t - 0.5).abs() < 1e-12));
    // no values before 0.5
    check(&find(|t| (t - 0.5).sqrt() - 0.5, 0.0, 1.0), &[0.75], 4e-16);
    check(&find(|t| (0.5 - t).ln() + 1.0, 0.0, 1.0), &[0.5 - (-1f64).exp()], 4e-16);
    assert!(find(|_| f64::NAN, 0.0, 1.0).is_empty());
    assert!(find(|_| f64::INFINITY, 0.0, 1.0).is_empty());
    assert!(find(|t| t, f64::NAN, 1.0).is_empty());
}

#[test]
fn rounding_noise_is_not_taken_for_roots() {
    // (t − 1)⁷ multiplied out: noise of 1e-15 for |t − 1| < 0.008; one root, somewhere there
    let f = |t: f64| [-1.0, 7.0, -21.0, 35.0, -35.0, 21.0, -7.0, 1.0].iter().rev().fold(0.0, |sum, c| sum * t + c);
    let roots = find(f, 0.0, 2.5);
    assert!(!roots.is_empty() && roots.iter().all(|r| (r.t - 1.0).abs() < 0.02), "{roots:?}");
    let odd = roots.iter().filter(|r| r.kind != Crossing::Touching).count();
    assert_eq!(odd % 2, 1);
}

#[test]
fn accuracy_can_be_relaxed() {
    let mut count = [0, 0];
    for (k, accuracy) in [0.0, 1e-3].into_iter().enumerate() {
        let mut out = Vec::new();
        let mut f = |t: f64| {
            count[k] += 1;
            t.exp() - 2.0
        };
        Finder::new(accuracy, 1e-13).find(&mut f, 0.0, 1.0, &mut out);
        assert!((out[0].t - 2f64.ln()).abs() < accuracy.max(1e-15));
    }
    assert!(count[1] <= count[0]);
}
