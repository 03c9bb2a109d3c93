//! Dry friction against closed forms and against a plain integration.

use polhode_impulse::{Contact, FrictionError, Impact, Metric, Outcome, Phase, Rank, Rows, impact, rough_edge};
use polhode_tape::{Dd, Scalar};

/// (ẋ, ẏ, ω) of a ball with r = 1, k² = 2/5.
fn ball<S: Scalar>() -> (Metric<S>, Vec<S>) {
    let mut g = vec![S::from_f64(0.0); 25];
    let k2 = S::constant(Dd::ratio(2, 5));
    for i in 0..5 {
        g[6 * i] = if i < 2 { S::from_f64(1.0) } else { k2 };
    }
    let w = [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0].map(S::from_f64).to_vec();
    (Metric::new(5, &g).unwrap(), w)
}

fn check_edge<S: Scalar>(v: [f64; 5], outcome: Outcome, expected: [(i64, i64); 5], digits: f64) {
    let (metric, w) = ball::<S>();
    let v = v.map(S::from_f64);
    let entering = [1.0, 0.0, 0.0, 0.0, 0.0].map(S::from_f64);
    let edge = rough_edge(&metric, None, &w, &entering, &v).unwrap();
    assert_eq!(edge.outcome, outcome);
    for (x, (p, q)) in edge.velocity.iter().zip(expected) {
        assert!((*x - S::constant(Dd::ratio(p, q))).to_f64().abs() < digits, "{edge:?}");
    }
    let lost = metric.energy(&v) - metric.energy(&edge.velocity);
    assert!((lost - edge.dissipated).to_f64().abs() < 10.0 * digits, "{lost:?}");
}

/// v⁺ of the projection while the ball enters or turns back slower than it came; otherwise it leaves as fast, still slipping.
#[test]
fn ball_at_the_rough_edge() {
    use Outcome::{Enters, ThrownBack, ThrownBackSlipping};
    let cases = [
        ([2.0, 0.0, 0.0, -4.0, 1.0], Enters, [(2, 7), (0, 1), (0, 1), (2, 7), (1, 1)]),
        ([1.0, 1.0, 1.0, -5.0, 0.0], ThrownBack, [(-5, 7), (3, 7), (-3, 7), (-5, 7), (0, 1)]),
        ([1.0, 0.0, 0.0, -10.0, 0.0], ThrownBackSlipping, [(-1, 1), (0, 1), (0, 1), (-5, 1), (0, 1)]),
    ];
    for (v, outcome, expected) in cases {
        check_edge::<f64>(v, outcome, expected, 1e-13);
        check_edge::<Dd>(v, outcome, expected, 1e-28);
    }
    let (metric, w) = ball::<f64>();
    let leaving = rough_edge(&metric, None, &w, &[1.0, 0.0, 0.0, 0.0, 0.0], &[-1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(leaving.unwrap_err(), FrictionError::Departs { velocity: -1.0 });
}

/// An unequal ball, whose slip turns: the impulse against Heun's rule in j, extrapolated.
#[test]
fn edge_with_slip_that_turns() {
    let diagonal = [1.0, 1.5, 0.3, 0.8, 0.5];
    let mut g = [0.0; 25];
    (0..5).for_each(|i| g[6 * i] = diagonal[i]);
    g[1] = 0.4;
    g[5] = 0.4;
    let metric = Metric::new(5, &g).unwrap();
    let w = [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    let a = [1.0, 0.0, 0.0, 0.0, 0.0];
    let v = [1.0, 3.0, 6.0, -12.0, 0.3];
    let edge = rough_edge(&metric, None, &w, &a, &v).unwrap();
    assert_eq!(edge.outcome, Outcome::ThrownBackSlipping);
    let lost = metric.energy(&v) - metric.energy(&edge.velocity);
    assert!((lost - edge.dissipated).abs() < 1e-12, "{lost} {}", edge.dissipated);
    let slip = |v: &[f64]| [v[0] - v[3], v[1] + v[2]];
    let force = |v: &[f64]| {
        let s = slip(v);
        let rho = s[0].hypot(s[1]);
        let p: Vec<f64> = (0..5).map(|i| -(w[i] * s[0] + w[5 + i] * s[1]) / rho).collect();
        metric.velocity(&p)
    };
    let run = |h: f64| {
        let (mut v, mut depth) = (v.to_vec(), 0.0);
        loop {
            let k1 = force(&v);
            let middle: Vec<f64> = (0..5).map(|i| v[i] + h * k1[i]).collect();
            let k2 = force(&middle);
            let next: Vec<f64> = (0..5).map(|i| v[i] + 0.5 * h * (k1[i] + k2[i])).collect();
            let deeper = depth + 0.5 * h * (v[0] + next[0]);
            if deeper < 0.0 {
                let part = depth / (depth - deeper);
                return (0..5).map(|i| v[i] + part * (next[i] - v[i])).collect::<Vec<f64>>();
            }
            (v, depth) = (next, deeper);
        }
    };
    let fine = run(1e-5);
    for i in 0..5 {
        assert!((fine[i] - edge.velocity[i]).abs() < 1e-7, "{fine:?} {:?}", edge.velocity);
    }
    // where the slip turns, the way back is not over when u = −u₀
    assert!((edge.velocity[0] + v[0]).abs() > 1e-3);
}

/// A ball of unit mass and radius on a floor in (ẋ, ż, ω): normal ż, slip ẋ − ω; C = diag(1 + 1/k², 1).
fn bounce<S: Scalar>(mu: f64, e: f64, v: [f64; 3]) -> (Metric<S>, Vec<S>, Impact<S>) {
    let mut g = vec![S::from_f64(0.0); 9];
    g[0] = S::from_f64(1.0);
    g[4] = S::from_f64(1.0);
    g[8] = S::constant(Dd::ratio(2, 5));
    let metric = Metric::new(3, &g).unwrap();
    let rows = [0.0, 1.0, 0.0, 1.0, 0.0, -1.0].map(S::from_f64);
    let v = v.map(S::from_f64).to_vec();
    let contact = Contact { rows: &rows, offset: &[], restitution: S::from_f64(e) };
    let found = impact(&metric, None, &contact, S::from_f64(mu), &v).unwrap();
    (metric, v, found)
}

fn check_bounce<S: Scalar>(digits: f64) {
    // slips throughout: P = (1 + e)|ż|, Δẋ = −μP, Δω = μP/k²
    let (_, _, slips) = bounce::<S>(0.25, 0.5, [3.0, -2.0, -1.0]);
    assert_eq!(slips.phases, [Phase::Slide]);
    for (x, y) in slips.velocity.iter().zip([3.0 - 0.75, 1.0, -1.0 + 0.75 * 2.5]) {
        assert!((*x - S::from_f64(y)).to_f64().abs() < digits, "{slips:?}");
    }
    // rolls afterwards: ẋ⁺ = ω⁺ = (ẋ + k²ω)/(1 + k²)
    let (metric, v, rolls) = bounce::<S>(0.5, 0.5, [1.0, -2.0, 0.0]);
    assert_eq!(rolls.phases, [Phase::Slide, Phase::Stick]);
    let x = S::constant(Dd::ratio(5, 7));
    for (a, b) in rolls.velocity.iter().zip([x, S::from_f64(1.0), x]) {
        assert!((*a - b).to_f64().abs() < digits, "{rolls:?}");
    }
    let lost = metric.energy(&v) - metric.energy(&rolls.velocity);
    assert!((lost - rolls.dissipated).to_f64().abs() < digits);
}

#[test]
fn ball_on_a_floor_slips_or_rolls() {
    check_bounce::<f64>(1e-13);
    check_bounce::<Dd>(1e-28);
}

/// A rod that strikes the floor with its end, at rest along it: for little friction the end slips at once, in a direction it keeps.
#[test]
fn rod_that_begins_to_slip() {
    // (ẋ, ż, θ̇), end at (−c, −s) from the centre: velocity (ẋ + sθ̇, ż − cθ̇)
    let metric = Metric::new(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 3.0]).unwrap();
    let (c, s) = (0.6, 0.8);
    let rows = [0.0, 1.0, -c, 1.0, 0.0, s];
    let contact = Contact { rows: &rows, offset: &[], restitution: 0.5 };
    let [cnn, ctn, ctt] = [1.0 + 3.0 * c * c, -3.0 * c * s, 1.0 + 3.0 * s * s];
    let v = [0.0, -1.0, 0.0];
    let small = impact(&metric, None, &contact, 0.2, &v).unwrap();
    assert_eq!(small.phases, [Phase::SlideAnew]);
    // slip to the left (C_tn < 0), friction to the right: C_nn + μ C_tn
    let p = 1.5 / (cnn + 0.2 * ctn);
    assert!((small.normal - p).abs() < 1e-14 && (small.tangential[0] - 0.2 * p).abs() < 1e-14);
    let large = impact(&metric, None, &contact, 0.9, &v).unwrap();
    assert_eq!(large.phases, [Phase::Stick]);
    assert!((large.normal - 1.5 / (cnn - ctn * ctn / ctt)).abs() < 1e-14);
}

/// Slip that turns in the plane, against Heun's rule in the normal impulse.
#[test]
fn impact_with_slip_that_turns() {
    let g = [2.0, 0.3, 0.1, 0.3, 1.0, -0.2, 0.1, -0.2, 0.7];
    let metric = Metric::new(3, &g).unwrap();
    let rows = [0.1, 0.2, 1.0, 1.0, 0.0, 0.1, 0.0, 1.0, 0.3];
    let (mu, e) = (0.3, 0.6);
    let contact = Contact { rows: &rows, offset: &[], restitution: e };
    let v = [2.0, -1.0, -3.0];
    let found = impact(&metric, None, &contact, mu, &v).unwrap();
    assert_eq!(found.phases, [Phase::Slide]);
    let dot = |i: usize, v: &[f64]| (0..3).map(|j| rows[3 * i + j] * v[j]).sum::<f64>();
    let force = |v: &[f64]| {
        let (a, b) = (dot(1, v), dot(2, v));
        let rho = a.hypot(b);
        let p: Vec<f64> = (0..3).map(|j| rows[j] - mu * (rows[3 + j] * a + rows[6 + j] * b) / rho).collect();
        metric.velocity(&p)
    };
    let h = 2e-5;
    let (mut v2, mut work, mut compressed) = (v.to_vec(), 0.0, None);
    let end = loop {
        let k1 = force(&v2);
        let middle: Vec<f64> = (0..3).map(|i| v2[i] + h * k1[i]).collect();
        let k2 = force(&middle);
        let next: Vec<f64> = (0..3).map(|i| v2[i] + 0.5 * h * (k1[i] + k2[i])).collect();
        let (u, w) = (dot(0, &v2), dot(0, &next));
        let more = work + 0.5 * h * (u + w);
        if compressed.is_none() && w >= 0.0 {
            compressed = Some(work + 0.5 * u * h * (u / (u - w)));
        }
        if let Some(c) = compressed {
            let target: f64 = (1.0 - e * e) * c;
            if more > target {
                let part = (target - work) / (more - work);
                break (0..3).map(|i| v2[i] + part * (next[i] - v2[i])).collect::<Vec<f64>>();
            }
        }
        (v2, work) = (next, more);
    };
    for i in 0..3 {
        assert!((end[i] - found.velocity[i]).abs() < 1e-7, "{end:?} {:?}", found.velocity);
    }
}

/// Constraints that are kept: the same impact and the same edge in velocities along them, v = S η.
#[test]
fn kept_constraints_are_as_good_as_fewer_velocities() {
    let g = [2.0, 0.3, 0.1, 0.2, 0.3, 1.0, -0.2, 0.1, 0.1, -0.2, 0.7, 0.0, 0.2, 0.1, 0.0, 1.5];
    let metric = Metric::new(4, &g).unwrap();
    // kept: v₄ = v₁ − 2 v₂, so S = (1; row)
    let kept = Rows::new(&metric, &[1.0, -2.0, 0.0, -1.0], &[], Rank::Decide).unwrap();
    let s = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, -2.0, 0.0]];
    let lift = |eta: &[f64]| s.map(|row| (0..3).map(|j| row[j] * eta[j]).sum::<f64>());
    let lower = |row: &[f64]| (0..3).map(|j| (0..4).map(|i| row[i] * s[i][j]).sum::<f64>()).collect::<Vec<f64>>();
    let mut small = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            small[3 * i + j] = (0..16).map(|k| s[k / 4][i] * g[k] * s[k % 4][j]).sum();
        }
    }
    let reduced = Metric::new(3, &small).unwrap();
    let rows = [0.1, 0.2, 1.0, 0.3, 1.0, 0.0, 0.1, -0.2, 0.0, 1.0, 0.3, 0.1];
    let fewer: Vec<f64> = rows.chunks(4).flat_map(lower).collect();
    let eta = [2.0, -1.0, -3.0];
    let contact = |rows| Contact { rows, offset: &[], restitution: 0.6 };
    let a = impact(&metric, Some(&kept), &contact(&rows), 0.3, &lift(&eta)).unwrap();
    let b = impact(&reduced, None, &contact(&fewer), 0.3, &eta).unwrap();
    assert!(a.phases == b.phases && (a.normal - b.normal).abs() < 1e-12);
    let (w, entering) = (&rows[4..], [-0.1, -0.2, -1.0, -0.3]);
    let c = rough_edge(&metric, Some(&kept), w, &entering, &lift(&eta)).unwrap();
    let d = rough_edge(&reduced, None, &fewer[3..], &lower(&entering), &eta).unwrap();
    assert_eq!(c.outcome, d.outcome);
    for i in 0..4 {
        assert!((a.velocity[i] - lift(&b.velocity)[i]).abs() < 1e-12);
        assert!((c.velocity[i] - lift(&d.velocity)[i]).abs() < 1e-12);
    }
}
