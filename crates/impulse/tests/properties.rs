//! What holds for every metric and all rows.

use polhode_impulse::{Collision, CollisionError, Contact, Jump, Metric, Rank, Rows, impact};
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    (-4.0f64..4.0).prop_map(|x| (x * 64.0).round() / 64.0)
}

fn vector(n: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(number(), n)
}

/// A Aᵀ + 1.
fn metric(n: usize) -> impl Strategy<Value = Vec<f64>> {
    vector(n * n).prop_map(move |a| {
        let mut g = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                g[i * n + j] =
                    (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>() + if i == j { 1.0 } else { 0.0 };
            }
        }
        g
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Rows, some of them sums of others, with right sides that some velocity satisfies.
#[derive(Debug)]
struct Case {
    n: usize,
    g: Vec<f64>,
    w: Vec<f64>,
    w0: Vec<f64>,
    v: Vec<f64>,
    e: f64,
}

fn case(moving: bool) -> impl Strategy<Value = Case> {
    (2usize..6, 0usize..4, 0usize..3).prop_flat_map(move |(n, free, dependent)| {
        (metric(n), vector(free * n), vector(dependent * free), vector(n), vector(n), 0.0f64..=1.0).prop_map(
            move |(g, mut w, mix, rest, v, e)| {
                for row in 0..dependent {
                    let sum: Vec<f64> =
                        (0..n).map(|j| (0..free).map(|i| mix[row * free + i] * w[i * n + j]).sum()).collect();
                    w.extend(sum);
                }
                let w0 = w.chunks(n).map(|row| if moving { -dot(row, &rest) } else { 0.0 }).collect();
                Case { n, g, w, w0, v, e }
            },
        )
    })
}

/// The size of the numbers, for roundings.
fn size(case: &Case) -> f64 {
    let largest = |a: &[f64]| a.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    largest(&case.g) * largest(&case.v) * largest(&case.w) * largest(&case.w0)
}

/// Smooth walls that are all approached: Moreau's law, by the conditions that its only answer satisfies.
fn corner() -> impl Strategy<Value = (usize, Vec<f64>, Vec<f64>, Vec<f64>, f64)> {
    (2usize..5, 1usize..5).prop_flat_map(|(n, walls)| {
        (Just(n), metric(n), vector(walls * n), vector(n), 0.0f64..=1.0).prop_map(|(n, g, mut b, v, e)| {
            for row in b.chunks_mut(n) {
                let sign = if dot(row, &v) > 0.0 { -1.0 } else { 1.0 };
                row.iter_mut().for_each(|x| *x *= sign);
            }
            (n, g, b, v, e)
        })
    })
}

proptest! {

    #[test]
    fn smooth_walls_never_pull((n, g, b, v, e) in corner()) {
        prop_assume!(b.chunks(n).all(|row| dot(row, &v) < -1e-3));
        let metric = Metric::new(n, &g).unwrap();
        let contacts: Vec<_> = b.chunks(n).map(|rows| Contact { rows, offset: &[], restitution: e }).collect();
        let hit = Collision::new(&metric, &[], &[], &contacts, &v).unwrap();
        prop_assert_eq!(hit.rounds, 1);
        let scale = 1e-8 * (1.0 + dot(&v, &v)) * (1.0 + dot(&g, &g).sqrt());
        let mut impulse = vec![0.0; n];
        for (i, row) in b.chunks(n).enumerate() {
            let push = hit.contact(i)[0];
            let beyond = dot(row, &hit.velocity) + e * dot(row, &v);
            prop_assert!(push >= -scale, "{} pulls with {}", i, push);
            prop_assert!(beyond >= -scale, "{} leaves too slowly by {}", i, beyond);
            prop_assert!((push * beyond).abs() <= scale * (1.0 + push.abs() + beyond.abs()));
            impulse.iter_mut().zip(row).for_each(|(p, x)| *p += push * x);
        }
        for (p, q) in impulse.iter().zip(&hit.impulse) {
            prop_assert!((p - q).abs() <= scale);
        }
        prop_assert!(metric.energy(&hit.velocity) <= metric.energy(&v) * (1.0 + 1e-9));
    }
    #[test]
    fn constraints_hold_and_energy_is_accounted_for(case in case(true)) {
        let metric = Metric::new(case.n, &case.g).unwrap();
        let mut rows = Rows::new(&metric, &case.w, &case.w0, Rank::Decide).unwrap();
        // rows that nearly depend on each other lose the digits that a factor of 10⁻⁴ stands for
        prop_assume!(rows.margin().0 > 1e-4);
        let small = 1e-10 * size(&case);
        for e in [0.0, case.e, 1.0] {
            let jump = Jump::new(&metric, &mut rows, &case.v, e).unwrap();
            for (i, row) in case.w.chunks(case.n).enumerate() {
                let before = dot(row, &case.v) + case.w0[i];
                prop_assert!((jump.slip[i] - before).abs() < small);
                prop_assert!((dot(row, &jump.velocity) + case.w0[i] + e * before).abs() < small);
            }
            let change = metric.energy(&jump.velocity) - metric.energy(&case.v);
            prop_assert!((change - jump.work + jump.dissipated).abs() < small * (1.0 + metric.energy(&case.v)));
            prop_assert!(jump.dissipated >= 0.0);
            // Δp = Wᵀλ = p⁺ − p⁻
            let (p, q) = (metric.momentum(&jump.velocity), metric.momentum(&case.v));
            for j in 0..case.n {
                let sum: f64 = case.w.chunks(case.n).zip(&jump.multipliers).map(|(row, l)| row[j] * l).sum();
                prop_assert!((sum - jump.impulse[j]).abs() < small);
                prop_assert!((p[j] - q[j] - jump.impulse[j]).abs() < small);
            }
        }
    }

    #[test]
    fn energy_never_grows_and_reflections_are_reversible(case in case(false)) {
        let metric = Metric::new(case.n, &case.g).unwrap();
        let mut rows = Rows::new(&metric, &case.w, &[], Rank::Decide).unwrap();
        prop_assume!(rows.margin().0 > 1e-4);
        let before = metric.energy(&case.v);
        let jump = Jump::new(&metric, &mut rows, &case.v, case.e).unwrap();
        prop_assert!(jump.work == 0.0 && metric.energy(&jump.velocity) <= before * (1.0 + 1e-12));
        let there = Jump::new(&metric, &mut rows, &case.v, 1.0).unwrap();
        prop_assert!((metric.energy(&there.velocity) - before).abs() <= 1e-11 * before);
        let back = Jump::new(&metric, &mut rows, &there.velocity, 1.0).unwrap();
        for (a, b) in back.velocity.iter().zip(&case.v) {
            prop_assert!((a - b).abs() < 1e-10 * size(&case));
        }
        // what has been projected stays: P² = P
        let once = Jump::new(&metric, &mut rows, &case.v, 0.0).unwrap();
        let twice = Jump::new(&metric, &mut rows, &once.velocity, 0.0).unwrap();
        for (a, b) in twice.velocity.iter().zip(&once.velocity) {
            prop_assert!((a - b).abs() < 1e-10 * size(&case));
        }
    }

    #[test]
    fn projectors_are_orthogonal_and_know_the_rank(case in case(false)) {
        let metric = Metric::new(case.n, &case.g).unwrap();
        let rows = Rows::new(&metric, &case.w, &[], Rank::Decide).unwrap();
        prop_assume!(rows.margin().0 > 1e-4);
        let (n, p) = (case.n, rows.projector(&metric));
        let small = 1e-10 * size(&case);
        let trace: f64 = (0..n).map(|i| p[i * n + i]).sum();
        prop_assert!((trace - (n - rows.rank()) as f64).abs() < small);
        // G⁻¹P is symmetric: columns of P as covectors
        let column = |j: usize| (0..n).map(|i| p[i * n + j]).collect::<Vec<f64>>();
        let gp: Vec<Vec<f64>> = (0..n).map(|j| metric.velocity(&column(j))).collect();
        for i in 0..n {
            for j in 0..n {
                prop_assert!((gp[j][i] - gp[i][j]).abs() < small);
            }
        }
        prop_assert_eq!(rows.null_space().len(), rows.count() - rows.rank());
        for lambda in rows.null_space() {
            for j in 0..n {
                let sum: f64 = case.w.chunks(n).zip(&lambda).map(|(row, l)| row[j] * l).sum();
                prop_assert!(sum.abs() < small);
            }
        }
    }

    #[test]
    fn scaling_a_row_scales_its_multiplier_only(case in case(false), factor in 0.01f64..100.0) {
        prop_assume!(!case.w.is_empty());
        let metric = Metric::new(case.n, &case.g).unwrap();
        let mut scaled = case.w.clone();
        scaled[..case.n].iter_mut().for_each(|x| *x *= factor);
        let mut a = Rows::new(&metric, &case.w, &[], Rank::Decide).unwrap();
        prop_assume!(a.margin().0 > 1e-4);
        let mut b = Rows::new(&metric, &scaled, &[], Rank::Decide).unwrap();
        let (a, b) = (Jump::new(&metric, &mut a, &case.v, 0.0).unwrap(), Jump::new(&metric, &mut b, &case.v, 0.0).unwrap());
        let small = 1e-9 * size(&case);
        prop_assert!((a.multipliers[0] - factor * b.multipliers[0]).abs() < small);
        for (x, y) in a.velocity.iter().zip(&b.velocity).chain(a.multipliers[1..].iter().zip(&b.multipliers[1..])) {
            prop_assert!((x - y).abs() < small);
        }
    }

    #[test]
    fn collisions_keep_constraints_and_energy_falls(
        g in metric(4), kept in vector(4), a in vector(8), b in vector(4), v in vector(4), e in 0.0f64..=1.0
    ) {
        let metric = Metric::new(4, &g).unwrap();
        let mut rows = Rows::new(&metric, &kept, &[], Rank::Decide).unwrap();
        let v = Jump::new(&metric, &mut rows, &v, 0.0).unwrap().velocity;
        let contacts = [Contact { rows: &a, offset: &[], restitution: e }, Contact { rows: &b, offset: &[], restitution: e }];
        let before = metric.energy(&v);
        match Collision::new(&metric, &kept, &[], &contacts, &v) {
            Ok(c) => {
                let scale = 1.0 + before.sqrt();
                prop_assert!(dot(&kept, &c.velocity).abs() < 1e-9 * scale);
                for contact in &contacts {
                    prop_assert!(dot(&contact.rows[..4], &c.velocity) > -1e-9 * scale);
                }
                let after = metric.energy(&c.velocity);
                prop_assert!(after <= before * (1.0 + 1e-11));
                prop_assert!((before - after - c.dissipated).abs() < 1e-9 * (1.0 + before));
                if c.rounds == 0 {
                    prop_assert_eq!(c.velocity, v);
                }
            }
            // a contact that is left at rest with e near 0 may be pushed again for ever
            Err(CollisionError::DoesNotSettle { rounds, approaching }) => {
                prop_assert!(rounds == 64 && !approaching.is_empty());
            }
            // the first is rough
            Err(CollisionError::Pulls { .. } | CollisionError::SeveralAnswers { .. }) => {}
            Err(other) => return Err(TestCaseError::fail(format!("{other}"))),
        }
    }

    #[test]
    fn friction_takes_energy_and_stays_in_its_cone(
        g in metric(3), rows in vector(9), v in vector(3), mu in 0.0f64..2.0, e in 0.0f64..=1.0, tangents in 1usize..=2
    ) {
        let metric = Metric::new(3, &g).unwrap();
        let rows = &rows[..3 * (1 + tangents)];
        let space = Rows::new(&metric, rows, &[], Rank::Decide).unwrap();
        prop_assume!(space.rank() == 1 + tangents && space.margin().0 > 1e-2 && dot(&rows[..3], &v).abs() > 0.1);
        let v: Vec<f64> = if dot(&rows[..3], &v) < 0.0 { v } else { v.iter().map(|x| -x).collect() };
        let contact = Contact { rows, offset: &[], restitution: e };
        let found = impact(&metric, None, &contact, mu, &v).unwrap();
        let (before, after) = (metric.energy(&v), metric.energy(&found.velocity));
        prop_assert!(found.dissipated >= -1e-10 * before && after <= before * (1.0 + 1e-10));
        prop_assert!((before - after - found.dissipated).abs() < 1e-8 * (1.0 + before), "{found:?}");
        prop_assert!(found.normal > 0.0 && dot(&rows[..3], &found.velocity) > -1e-8 * (1.0 + before));
        let t = dot(&found.tangential, &found.tangential).sqrt();
        prop_assert!(t <= mu * found.normal * (1.0 + 1e-10) + 1e-12);
    }
}

#[test]
fn contradictory_restitutions_are_refused_with_their_numbers() {
    let metric = Metric::identity(2);
    let (a, b) = ([1.0, 0.0], [2.0, 0.0]);
    let contact = |rows, restitution| Contact { rows, offset: &[], restitution };
    let v = [-1.0, 0.5];
    let both = [contact(&a, 0.5), contact(&b, 0.25)];
    match Collision::new(&metric, &[], &[], &both, &v) {
        Err(CollisionError::Inconsistent { contact: _, row: 0, target, nearest }) => {
            assert!((target - nearest).abs() > 0.05, "{target} {nearest}");
        }
        other => panic!("{other:?}"),
    }
    let agree = [contact(&a, 0.5), contact(&b, 0.5)];
    let after = Collision::new(&metric, &[], &[], &agree, &v).unwrap().velocity;
    assert!((after[0] - 0.5).abs() < 1e-15 && after[1] == 0.5);
    for e in [-0.1, 1.5, f64::NAN] {
        let error = Collision::new(&metric, &[], &[], &[contact(&a, e)], &v).unwrap_err();
        assert!(matches!(error, CollisionError::Restitution { contact: 0, .. }));
    }
}

/// Nearly the same contact twice, with e = 1 and e = 0: to obey both, the particle would have to speed up along it.
#[test]
fn restitutions_that_create_energy_are_refused() {
    let metric = Metric::identity(2);
    let (a, b) = ([1.0, 0.0], [0.9, 0.2]);
    let contacts =
        [Contact { rows: &a, offset: &[], restitution: 1.0 }, Contact { rows: &b, offset: &[], restitution: 0.0 }];
    let v = [-1.0, 0.0];
    assert!(dot(&b, &v) < 0.0);
    match Collision::new(&metric, &[], &[], &contacts, &v) {
        Err(CollisionError::EnergyGrows { before, after }) => assert!(after > before),
        other => panic!("{other:?}"),
    }
}

/// A particle in a wedge of angle α, elastic: it is out after at most ⌈π/α⌉ reflections, one wall after the other.
#[test]
fn wedges_settle() {
    let metric = Metric::identity(2);
    for angle in [0.1f64, 0.3, 0.7, 1.2, 2.0] {
        let (floor, wall) = ([0.0, 1.0], [angle.sin(), -angle.cos()]);
        let contacts = [&floor, &wall].map(|rows| Contact { rows, offset: &[], restitution: 1.0 });
        // along the bisector, a little off, so that one wall comes first
        let v = [-(0.5 * angle + 0.51 * angle).cos(), -(1.01 * angle).sin()];
        let c = Collision::new(&metric, &[], &[], &contacts, &v).unwrap();
        assert!(c.rounds <= (std::f64::consts::PI / angle).ceil() as usize + 1, "{angle}: {}", c.rounds);
        assert!((metric.energy(&c.velocity) - 0.5).abs() < 1e-14);
        let limited = Collision::default().set(&metric, &[], &[], &contacts, &v, 0);
        assert!(matches!(limited, Err(CollisionError::DoesNotSettle { rounds: 0, .. })));
    }
}

#[test]
fn a_wall_that_moves_does_work() {
    let metric = Metric::identity(1);
    // the wall comes with velocity 2: v − 2 < 0 approaches
    let contact = Contact { rows: &[1.0], offset: &[-2.0], restitution: 1.0 };
    let c = Collision::new(&metric, &[], &[], &[contact], &[-1.0]).unwrap();
    assert_eq!((c.velocity[0], c.work, c.dissipated), (5.0, 12.0, 0.0));
    let broken = Collision::new(&metric, &[1.0], &[], &[contact], &[-1.0]).unwrap_err();
    assert_eq!(broken, CollisionError::NotKept { row: 0, slip: -1.0 });
}
