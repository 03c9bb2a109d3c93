//! Impulses in the papers, equation by equation: Cortés et al. 2001, Cendra, Lacomba & Reartes 2001, §4.

use crate::common;

use common::{Entry, read, same};
use polhode_impulse::{Jump, Metric, Outcome, Rank, Rows, Verdict, consistent, rough_edge};
use polhode_tape::{Dd, Scalar};

fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::from_f64(0.0), |sum, (x, y)| sum + *x * *y)
}

fn r(p: i64, q: i64) -> Dd {
    Dd::ratio(p, q)
}

/// G = diag(1, 1, k², k², k²) in (ẋ, ẏ, ω), and the rows of φ¹, φ².
fn sphere(radius: Dd, k2: Dd) -> (Metric<Dd>, Vec<Dd>) {
    let mut g = vec![Dd::ZERO; 25];
    for (i, m) in [Dd::ONE, Dd::ONE, k2, k2, k2].into_iter().enumerate() {
        g[6 * i] = m;
    }
    let (o, i) = (Dd::ZERO, Dd::ONE);
    (Metric::new(5, &g).unwrap(), vec![i, o, o, -radius, o, o, i, radius, o, o])
}

const BEFORE: [(i64, i64); 5] = [(1, 1), (1, 2), (3, 10), (-1, 5), (7, 10)];

fn before() -> Vec<Dd> {
    BEFORE.iter().map(|(p, q)| r(*p, *q)).collect()
}

/// Viscous friction F = −c Wᵀs for ever larger c: p(t') − p(t) = ∫F is (1), its limit is the impulse of (2), finite although F
/// is not, and the one of the jump.
#[test]
fn eq_1_2_impulse_of_a_force_that_grows() {
    let w = [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    let mut g = [0.0; 25];
    [1.0, 1.0, 0.4, 0.4, 0.4].into_iter().enumerate().for_each(|(i, m)| g[6 * i] = m);
    let metric = Metric::new(5, &g).unwrap();
    let v = [1.0, 0.5, 0.3, -0.2, 0.7];
    let mut rows = Rows::new(&metric, &w, &[], Rank::Decide).unwrap();
    let jump = Jump::new(&metric, &mut rows, &v, 0.0).unwrap();
    for c in [1e3, 1e6] {
        let force = |v: &[f64]| -> Vec<f64> {
            let s = [dot(&w[..5], v), dot(&w[5..], v)];
            (0..5).map(|i| -c * (w[i] * s[0] + w[5 + i] * s[1])).collect()
        };
        // the time shrinks as the force grows: 1/c is enough for ten decimal places
        let steps = 4000;
        let h = 8.0 / c / f64::from(steps);
        let (mut now, mut impulse) = (v.to_vec(), vec![0.0; 5]);
        for _ in 0..steps {
            let at = |k: &[f64], f: f64| -> Vec<f64> {
                let dv = metric.velocity(k);
                (0..5).map(|i| now[i] + f * h * dv[i]).collect()
            };
            let k1 = force(&now);
            let k2 = force(&at(&k1, 0.5));
            let k3 = force(&at(&k2, 0.5));
            let k4 = force(&at(&k3, 1.0));
            let mean: Vec<f64> = (0..5).map(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0).collect();
            (0..5).for_each(|i| impulse[i] += h * mean[i]);
            now = at(&mean, 1.0);
        }
        let (p, q) = (metric.momentum(&now), metric.momentum(&v));
        for i in 0..5 {
            assert!((p[i] - q[i] - impulse[i]).abs() < 1e-12, "(1)");
            assert!((impulse[i] - jump.impulse[i]).abs() < 1e-10, "(2): {impulse:?} {:?}", jump.impulse);
        }
    }
}

/// Given impulses P and impulsive constraints: Δp − P does no work on admissible displacements, and with P = 0 neither does Δp.
#[test]
fn eq_3_4_impulses_do_no_virtual_work() {
    let (metric, w) = sphere(r(3, 2), r(9, 10));
    let mut rows = Rows::new(&metric, &w, &[], Rank::Decide).unwrap();
    let v = before();
    for given in [vec![Dd::ZERO; 5], vec![r(1, 3), r(-2, 7), r(1, 5), Dd::ONE, r(-3, 4)]] {
        let mut pushed = metric.velocity(&given);
        (0..5).for_each(|i| pushed[i] = pushed[i] + v[i]);
        let after = Jump::new(&metric, &mut rows, &pushed, Dd::ZERO).unwrap().velocity;
        let (p, q) = (metric.momentum(&after), metric.momentum(&v));
        let rest: Vec<Dd> = (0..5).map(|i| p[i] - q[i] - given[i]).collect();
        assert!(rest.iter().any(|x| x.hi().abs() > 0.1));
        // δq with δx = r δq₂, δy = −r δq₁: three independent ones
        let o = Dd::ZERO;
        let displacements = [[r(3, 2), o, o, Dd::ONE, o], [o, -r(3, 2), Dd::ONE, o, o], [o, o, o, o, Dd::ONE]];
        for d in displacements {
            same!([dot(&rest, &d)], [o], "virtual work");
        }
    }
}

/// (8), the projector of §5.1 by its formula, (9), (10) with the sum over i, j, B, C, for a full metric and two rows.
#[test]
fn eq_8_to_10_projector_and_jump() {
    let table = read(include_str!("../../../filetests/impulses/ranks.txt"));
    let entry = table.iter().find(|e| e.name.starts_with("J6_rank1")).expect("J6");
    let (g, w): (Vec<Dd>, Vec<Dd>) = (entry.numbers("g"), entry.numbers("rows"));
    let metric = Metric::new(4, &g).unwrap();
    let rows = Rows::new(&metric, &w, &[], Rank::Decide).unwrap();
    let projector = rows.projector(&metric);
    // Zᵢ = g⁻¹ωᵢ, C_ij = ωᵢ(Z_j), C⁻¹ by hand, P(α) = α − Cⁱʲ α(Zᵢ) ω_j
    let z: Vec<Vec<Dd>> = w.chunks(4).map(|row| metric.velocity(row)).collect();
    let c = |i: usize, j: usize| dot(&w[4 * i..4 * i + 4], &z[j]);
    let det = c(0, 0) * c(1, 1) - c(0, 1) * c(1, 0);
    let inverse = [[c(1, 1) / det, -c(0, 1) / det], [-c(1, 0) / det, c(0, 0) / det]];
    for a in 0..4 {
        for b in 0..4 {
            let unit = if a == b { Dd::ONE } else { Dd::ZERO };
            let mut p = unit;
            for i in 0..2 {
                for j in 0..2 {
                    p = p - inverse[i][j] * z[i][b] * w[4 * j + a];
                }
            }
            same!([projector[4 * a + b]], [p], "P[{a},{b}]");
        }
    }
    let before: Vec<Dd> = entry.numbers("p_minus");
    let after: Vec<Dd> = (0..4).map(|a| dot(&projector[4 * a..4 * a + 4], &before)).collect();
    same!(after, entry.numbers("p_plus"), "(10)");
    let again: Vec<Dd> = (0..4).map(|a| dot(&projector[4 * a..4 * a + 4], &after)).collect();
    same!(again, after, "(9)");
    for row in w.chunks(4) {
        same!([dot(row, &metric.velocity(&after))], [Dd::ZERO], "(8)");
    }
}

/// Table 2: if D⁺ ⊆ D⁻ nothing jumps; otherwise it is a possibility, not more. Table 3: Δp ∈ D⁺ and p⁺ ∈ (D⁺)^⊥ fix the jump.
#[test]
fn tables_2_and_3() {
    let metric = Metric::new(3, &[2.0, 0.5, 0.0, 0.5, 1.0, 0.2, 0.0, 0.2, 3.0]).unwrap();
    let d_minus = [1.0, 2.0, -1.0, 0.0, 1.0, 1.0];
    let mut rows = Rows::new(&metric, &d_minus, &[], Rank::Decide).unwrap();
    let v = Jump::new(&metric, &mut rows, &[1.0, -2.0, 0.5], 0.0).unwrap().velocity;
    // a combination of the rows of D⁻
    let mut inside = Rows::new(&metric, &[2.0, 5.0, -1.0], &[], Rank::Decide).unwrap();
    let none = Jump::new(&metric, &mut inside, &v, 0.0).unwrap();
    assert!(!none.jumped && none.velocity == v);
    let outside = [1.0, 0.0, 1.0];
    let mut rows = Rows::new(&metric, &outside, &[], Rank::Decide).unwrap();
    let jump = Jump::new(&metric, &mut rows, &v, 0.0).unwrap();
    assert!(jump.jumped);
    let size = jump.impulse[0];
    same!(jump.impulse, [size, 0.0, size], "Δp ∈ D⁺");
    same!([dot(&outside, &jump.velocity)], [0.0], "p⁺ ∈ (D⁺)^⊥");
    // outside D⁻, but the velocity satisfies it by chance
    let chance = [v[1], -v[0], 0.0];
    let mut rows = Rows::new(&metric, &chance, &[], Rank::Decide).unwrap();
    assert!(!Jump::new(&metric, &mut rows, &v, 0.0).unwrap().jumped);
}

/// C = (1 + r²/k²) 1 and the printed 5×5 matrix, which acts on covectors: velocities go with its transpose.
#[test]
fn section_6_matrices_c_and_p() {
    let (radius, k2) = (r(3, 2), r(9, 10));
    let (metric, w) = sphere(radius, k2);
    let z: Vec<Vec<Dd>> = w.chunks(5).map(|row| metric.velocity(row)).collect();
    let c = Dd::ONE + radius * radius / k2;
    same!([dot(&w[..5], &z[0]), dot(&w[..5], &z[1]), dot(&w[5..], &z[1])], [c, Dd::ZERO, c], "C");
    let d = radius * radius + k2;
    let [a, b, e, f] = [radius * radius / d, radius / d, radius * k2 / d, k2 / d];
    let o = Dd::ZERO;
    #[rustfmt::skip]
    let printed = [
        a, o, o, b, o,
        o, a, -b, o, o,
        o, -e, f, o, o,
        e, o, o, f, o,
        o, o, o, o, Dd::ONE,
    ];
    let rows = Rows::new(&metric, &w, &[], Rank::Decide).unwrap();
    same!(rows.projector(&metric), printed, "P");
    let wrong: Vec<Dd> = printed.chunks(5).map(|row| dot(row, &before())).collect();
    let slip = dot(&w[..5], &wrong);
    assert!(slip.hi().abs() > 0.05, "P applied to velocities slips");
}

/// (14) against the jump; then x(t) of (15) from it.
#[test]
fn eq_14_15_velocities_and_motion_after_the_edge() {
    let (radius, k2) = (Dd::ONE, r(2, 5));
    let (metric, w) = sphere(radius, k2);
    let mut rows = Rows::new(&metric, &w, &[], Rank::Decide).unwrap();
    let v = before();
    let jump = Jump::new(&metric, &mut rows, &v, Dd::ZERO).unwrap();
    let (d, rr) = (radius * radius + k2, radius * radius);
    let printed = [
        (rr * v[0] + radius * k2 * v[3]) / d,
        (rr * v[1] - radius * k2 * v[2]) / d,
        (-radius * v[1] + k2 * v[2]) / d,
        (radius * v[0] + k2 * v[3]) / d,
        v[4],
    ];
    same!(jump.velocity, printed, "(14)");
    // from x₀ = (−2, 1/2) the edge is reached at t = 2; at t = 10 the ball is at (184/35, 257/70)
    let (x, y) = (jump.velocity[0] * Dd::from(8), r(3, 2) + jump.velocity[1] * Dd::from(8));
    same!([x, y], [r(184, 35), r(257, 70)], "(15)");
    // the velocities of (15) are constant and roll: the multipliers of (12) vanish
    let again = Jump::new(&metric, &mut rows, &jump.velocity, Dd::ZERO).unwrap();
    assert!(!again.jumped);
}

/// (15) needs r ẋ₀ + k² ω_y > 0: otherwise (14) leads out of the region whose constraints it obeys, and no velocity is consistent.
#[test]
fn eq_15_holds_only_if_the_ball_enters() {
    let (metric, w) = sphere(Dd::ONE, r(2, 5));
    let mut rows = Rows::new(&metric, &w, &[], Rank::Decide).unwrap();
    let entering = [Dd::ONE, Dd::ZERO, Dd::ZERO, Dd::ZERO, Dd::ZERO];
    for (spin, enters) in [(-2, true), (-5, false), (-10, false)] {
        let v = [Dd::ONE, Dd::ONE, Dd::ONE, Dd::from(spin), Dd::ZERO];
        let jump = Jump::new(&metric, &mut rows, &v, Dd::ZERO).unwrap();
        assert_eq!(jump.velocity[0] > Dd::ZERO, enters);
        let all = consistent(&metric, &v, 32, |v: &[Dd], rows| {
            if v[0] > Dd::ZERO {
                rows.extend(&w);
            }
            true
        });
        assert_eq!(all.verdict(), if enters { Verdict::Unique } else { Verdict::None });
        let edge = rough_edge(&metric, None, &w, &entering, &v).unwrap();
        assert_eq!(edge.outcome == Outcome::Enters, enters);
    }
}

fn cross<S: Scalar>(a: &[S], b: &[S]) -> [S; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The collisions with the wall x¹ = r of `filetests/impulses/walls.txt` in the units of §4, elastic, single walls only.
fn wall_cases() -> Vec<Entry> {
    let table = read(include_str!("../../../filetests/impulses/walls.txt"));
    let cases: Vec<Entry> = table.into_iter().filter(|e| e.get::<f64>("lambda").is_some()).collect();
    assert_eq!(cases.len(), 7);
    cases
}

/// λ by §4: K((ω₀, ẏ₀), (u, v)) / K((u, v), (u, v)).
fn lambda(entry: &Entry) -> Dd {
    let [_, alpha, beta, _]: [Dd; 4] = entry.numbers("i1_i3_m_r").try_into().expect("four");
    let (z, omega): (Vec<Dd>, Vec<Dd>) = (entry.numbers("z0"), entry.numbers("omega_minus"));
    let (u, v): (Vec<Dd>, Vec<Dd>) = (entry.numbers("u"), entry.numbers("v"));
    let v00 = dot(&omega, &z);
    let spin = cross(&z, &cross(&omega, &z));
    let body: Vec<Dd> = (0..3).map(|i| alpha * v00 * z[i] + spin[i]).collect();
    let y = [omega[1], -omega[0]];
    let uz = dot(&u, &z);
    (dot(&body, &u) + beta * dot(&y, &v)) / (dot(&u, &u) + (alpha - Dd::ONE) * uz * uz + beta * dot(&v, &v))
}

/// 𝒞 = 𝒟 ∩ (rolling on the wall) is spanned by (u, v) = ((1, 0, 1), (0, −1)); the wall on the other side has ((−1, 0, 1), (0, 1)).
#[test]
fn section_4_directions_u_and_v() {
    for entry in wall_cases() {
        let (u, v, n): (Vec<Dd>, Vec<Dd>, Vec<Dd>) =
            (entry.numbers("u"), entry.numbers("v"), entry.numbers("wall_normals"));
        let up = [Dd::ZERO, Dd::ZERO, Dd::ONE];
        let rolling = cross(&u, &up);
        same!(rolling[..2], v[..], "{}: v = u × e₃", entry.name);
        let mut wall = cross(&u, &n);
        (0..2).for_each(|i| wall[i] = wall[i] + v[i]);
        same!(wall, [Dd::ZERO; 3], "{}: the point on the wall is at rest", entry.name);
        let printed = match n[0].hi() {
            1.0 => Some(([1.0, 0.0, 1.0], [0.0, -1.0])),
            -1.0 => Some(([-1.0, 0.0, 1.0], [0.0, 1.0])),
            _ => None,
        };
        if let Some((pu, pv)) = printed {
            same!(u, pu.map(Dd::from), "{}: u", entry.name);
            same!(v, pv.map(Dd::from), "{}: v", entry.name);
        }
    }
}

/// λ, and (ω₁, ẏ₁) = (1 + e) λ (u, v) − e (ω₀, ẏ₀), which for e = 1 is the paper's reflection.
#[test]
fn section_4_lambda_and_reflection() {
    for entry in wall_cases() {
        let l = lambda(&entry);
        same!([l], entry.numbers("lambda"), "{}: λ", entry.name);
        let (u, omega): (Vec<Dd>, Vec<Dd>) = (entry.numbers("u"), entry.numbers("omega_minus"));
        let e: Dd = entry.number("restitution");
        let after: Vec<Dd> = (0..3).map(|i| (Dd::ONE + e) * l * u[i] - e * omega[i]).collect();
        same!(after, entry.numbers("omega_plus"), "{}: ω₁", entry.name);
    }
}

/// Δ(ż, v₀) = 2 (λ u × z₀ − ω₀ × z₀, λ ⟨u, z₀⟩ − ⟨ω₀, z₀⟩) with u × z₀ = (−z², z¹ − z³, z²); the printed first component −z³ is
/// not tangent to the sphere.
#[test]
fn section_4_reduced_variables() {
    let mut printed_fails = 0;
    for entry in wall_cases().iter().filter(|e| e.number::<f64>("restitution") == 1.0) {
        let (z, omega, u): (Vec<Dd>, Vec<Dd>, Vec<Dd>) =
            (entry.numbers("z0"), entry.numbers("omega_minus"), entry.numbers("u"));
        let l = lambda(entry);
        let two = Dd::from(2);
        let (rate, uz) = (cross(&omega, &z), cross(&u, &z));
        let after: Vec<Dd> = (0..3).map(|i| rate[i] + two * (l * uz[i] - rate[i])).collect();
        same!(after, entry.numbers("zdot_plus"), "{}: ż", entry.name);
        let v00 = dot(&omega, &z);
        same!([v00 + two * (l * dot(&u, &z) - v00)], entry.numbers("v0_plus"), "{}: v₀", entry.name);
        same!([dot(&after, &z)], [Dd::ZERO], "{}: tangent", entry.name);
        if u[0] == Dd::ONE && u[1] == Dd::ZERO {
            same!(uz, [-z[1], z[0] - z[2], z[1]], "{}: u × z", entry.name);
            let printed = [-z[2], z[0] - z[2], z[1]];
            let wrong: Vec<Dd> = (0..3).map(|i| two * l * printed[i] - rate[i]).collect();
            if dot(&wrong, &z).hi().abs() > 1e-3 {
                printed_fails += 1;
            }
            if let Some(known) = entry.get::<Dd>("zdot_plus_as_printed") {
                same!(wrong, known, "{}: as printed", entry.name);
            }
        }
    }
    assert!(printed_fails >= 3);
}
