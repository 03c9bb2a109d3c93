//! [Voronets1911, §17]: the particular solutions. Surfaces of revolution on each other along parallels (60) and along meridians, and
//! an ellipsoid on an equal one along their circular sections.
//!
//! The motions and their time derivatives: `neumann/motion.rs`.

use crate::neumann;

use neumann::algebra::{V, X, atan2, decimal, pi, ratio};
use neumann::chart::{Chart, Names, ON_BODY, ON_GROUND, elliptic_letters};
use neumann::motion::Motion;
use neumann::surface::{Surface, centre};

/// x = u cos v, y = u sin v, z of the upper half of a spheroid (a, a, c) about (0, 0, h).
fn upper_half(motion: &mut Motion, names: &Names, [a, c, h]: [X; 3], point: V) -> Chart {
    let [x, y, _] = point.0;
    let u = motion.letter(names.u, (x.sq() + y.sq()).sqrt(), 2);
    let v = motion.letter(names.v, atan2(y, x), 2);
    let chart = Chart::new(u, v, V([u * v.cos(), u * v.sin(), h + c * (1 - u.sq() / a.sq()).sqrt()]));
    motion.hold("position", chart.x, point);
    chart
}

/// A spheroid (1, 1, 3/2) with its middle at −1/5, on a spheroid (3, 3, 2), heavy. The contact is at v = v₁ = 0, on upper halves,
/// u = 9/10 and u₁ = 1/2, at ϑ = ±π/2.
/// g < 0 lifts the body, which the ground holds.
fn spheroids(quarter: i64, g: i64, omega: [&str; 3], times: &[f64]) -> Surface {
    let text = format!(
        r#"
[gravity]
g = {g}
[body.egg]
mass    = 1
surface = {{ spheroid = [1, "3/2"], centre = [0, 0, "-1/5"] }}
inertia = ["13/20", "13/20", "2/5"]
[ground]
surface   = {{ spheroid = [3, 2] }}
bilateral = true
[initial.egg]
contact        = "[9/10, 0, -1/5 + 3/2*sqrt(19/100)]"
touching       = "[1/2, 0, 2*sqrt(35/36)]"
tangent_body   = [0, 1, 0]
tangent_ground = [0, {quarter}, 0]
Omega          = ["{}", "{}", "{}"]
"#,
        omega[0], omega[1], omega[2]
    );
    let mut motion = Motion::new(&text, times);
    let (c, c1) = (motion.c, motion.c1);
    let body = upper_half(&mut motion, &ON_BODY, [X::from(1), ratio(3, 2), ratio(-1, 5)], c);
    let ground = upper_half(&mut motion, &ON_GROUND, [X::from(3), X::from(2), X::from(0)], c1);
    let inertia = V([ratio(13, 20), ratio(13, 20), ratio(2, 5)]);
    Surface::new(motion, body, ground, (X::from(1), inertia), |x| -(g * x[2]))
}

/// Any motion of the two spheroids.
fn generic() -> Surface {
    spheroids(1, 1, ["1/2", "1/5", "1/3"], &[0.0, 0.2, 0.4])
}

/// v and v₁ are cyclic, and ϑ is in U as sin ϑ only, for a weight along z₁ and for a force along O O₁: (60).
#[test]
fn eq_60_force_function() {
    let x = generic();
    let (motion, b, w, angle) = (&x.motion, &x.body, &x.ground, x.angle);
    let place = centre(b, w, x.s, x.c);
    motion.hold("centre of mass", place, motion.centre);
    for force in [-place[2], 1 / place.dot(place).sqrt()] {
        for cyclic in [b.v, w.v] {
            motion.vanishes("cyclic", force.d(cyclic));
        }
        let half_turn = pi() - angle;
        motion.holds("U(π − ϑ)", force.put(&[(angle, half_turn)]), force);
        motion.fails("U(−ϑ)", force.put(&[(angle, -angle)]), force);
        for quarter in [1, -1] {
            let at = quarter * pi() / 2;
            motion.vanishes("(60)", force.d(angle).put(&[(angle, at)]));
        }
    }
    // (57) along the same motion, which is not one of the particular ones
    let (left, right) = (x.left_sides(), x.right_sides());
    (0..3).for_each(|i| motion.holds("(57)", left[i], right[i]));
    for cyclic in [b.v, w.v] {
        motion.vanishes("cyclic in Θ", x.theta.d(cyclic));
    }
}

/// Motion along parallels: the relation of the constants, with the speeds of the reference, and the motion itself.
#[test]
fn section_17_parallels() {
    let omega = ["-0.25004723933310717499033304760158", "0", "-0.26547252804982165969959883748795"];
    let x = spheroids(1, 1, omega, &[0.0, 0.7, 1.5, 2.0]);
    let (motion, b, w) = (&x.motion, &x.body, &x.ground);
    motion.holds("ϑ = π/2", x.s, X::from(1));
    for (label, a) in [("u", b.u), ("u₁", w.u), ("ϑ", x.angle), ("v̇", x.dv), ("v̇₁", x.dv1)] {
        motion.constant(label, a);
    }
    motion.holds("v̇", x.dv, decimal("0.1524474179786757505753188883"));
    motion.holds("v̇₁", x.dv1, decimal("0.2744053523616163510355739990"));
    motion.holds("√G₁ v̇₁ = √G v̇", w.rg * x.dv1, b.rg * x.dv);
    let (l, [k1, _]) = (x.lagrangian(), x.impulses());
    let relation = |sign: i64| l.d(b.u) / b.re - sign * l.d(w.u) / w.re;
    motion.holds("relation of the constants", relation(1), x.delta2 * k1 * b.rg * x.dv);
    motion.fails("relation with the other sign", relation(-1), x.delta2 * k1 * b.rg * x.dv);
    for side in [x.left_sides(), x.right_sides()] {
        motion.vanishes("(57), 2", side[1]);
        motion.vanishes("(57), 3", side[2]);
    }
}

/// At ϑ = −π/2 the term of u₁ and v̇₁ change their signs.
#[test]
fn section_17_parallels_the_other_way() {
    // Ω = σ e_u + n with v̇ = 1/2 and ϑ̇ = 0, by (56); then the speed that the relation asks for, which is quadratic in it
    let x = spheroids(-1, -1, ["1/2", "0", "1/3"], &[0.0]);
    let (b, w) = (&x.body, &x.ground);
    x.motion.holds("ϑ = −π/2", x.s, X::from(-1));
    let still = [(x.du, X::from(0)), (x.dt, X::from(0)), (x.dv, X::from(1))];
    let spin = x.spin_56().map(|s| s.put(&still));
    let at_unit = |e: X| {
        let letters = [(x.spin[0], spin[0]), (x.spin[1], spin[1]), (x.spin[2], spin[2])];
        e.put(&letters).put(&still)
    };
    let [k1, _] = x.impulses();
    // Θ and K₁′v̇ grow with v̇², U does not
    let quadratic = at_unit(x.theta.d(b.u) / b.re + x.theta.d(w.u) / w.re - x.delta2 * k1 * b.rg * x.dv);
    let weight = x.force.d(b.u) / b.re + x.force.d(w.u) / w.re;
    let square = -(weight / quadratic);
    assert!(x.motion.doubles(square)[0] > 0.0, "there is such a motion");
    let speed = square.sqrt();
    let omega = speed * (spin[0] * b.alpha + spin[1] * b.beta + spin[2] * b.gamma);
    let text = [0, 1, 2].map(|i| x.motion.text(omega[i]));
    let x = spheroids(-1, -1, [&text[0], &text[1], &text[2]], &[0.0, 0.4, 0.8, 1.2]);
    let (motion, b, w) = (&x.motion, &x.body, &x.ground);
    for (label, a) in [("u", b.u), ("u₁", w.u), ("ϑ", x.angle), ("v̇", x.dv), ("v̇₁", x.dv1)] {
        motion.constant(label, a);
    }
    motion.holds("√G₁ v̇₁ = −√G v̇", w.rg * x.dv1, -(b.rg * x.dv));
}

/// Motion along meridians: at ϑ = π/2 it is √E₁ u̇₁ = −√E u̇; the printed sign belongs to ϑ = −π/2. u is not constant.
#[test]
fn section_17_meridians() {
    for quarter in [1, -1] {
        let x = spheroids(quarter, 1, ["0", "2/5", "0"], &[0.0, 0.2, 0.4, 0.6]);
        let (motion, b, w) = (&x.motion, &x.body, &x.ground);
        motion.holds("sin ϑ", x.s, X::from(quarter));
        for (label, a) in [("v", b.v), ("v₁", w.v), ("ϑ̇", x.dt), ("v̇", x.dv), ("v̇₁", x.dv1)] {
            motion.vanishes(label, a);
        }
        motion.varies("u", b.u);
        let (p1, p) = (w.re * x.du1, b.re * x.du);
        motion.holds("√E₁ u̇₁", p1, -quarter * p);
        motion.fails("√E₁ u̇₁ with the other sign", p1, quarter * p);
        let energy = (x.mass * b.rho2() + x.inertia[0]) * x.spin[1].sq() - 2 * x.force;
        motion.constant("(Mρ² + A)τ² − 2U", energy);
        let (left, right) = (x.left_sides(), x.right_sides());
        motion.holds("(57), 1", left[0], right[0]);
    }
}

/// Two equal ellipsoids, moments of inertia over 20, in elliptic coordinates, a² ≥ u ≥ b² ≥ v ≥ c²; in print ≤.
fn equal_ellipsoids(model: &str, times: &[f64], inertia: [i64; 3]) -> Surface {
    let text = crate::prelude::builtin::find(model).expect("built in").text;
    let mut motion = Motion::new(text, times);
    let (c, c1) = (motion.c, motion.c1);
    let axes = [X::from(2), ratio(3, 2), X::from(1)];
    let body = elliptic_letters(&mut motion, &ON_BODY, axes, V::zero(), c, 1);
    let ground = elliptic_letters(&mut motion, &ON_GROUND, axes, V::zero(), c1, 1);
    Surface::new(motion, body, ground, (X::from(1), V(inertia.map(|i| ratio(i, 20)))), |x| 20 / x.dot(x).sqrt())
}

/// O O₁² in elliptic coordinates, corrected: printed with cos ϑ/√E₁ − sin ϑ/√G₁ in the last bracket. For any two surfaces:
/// ρ² + ρ₁² + 2εε₁ + 2[…].
#[test]
fn section_17_distance_of_the_centres() {
    let x = equal_ellipsoids("ellipsoid-on-ellipsoid", &[0.0, 0.2, 0.4], [13, 20, 25]);
    let (motion, b, w) = (&x.motion, &x.body, &x.ground);
    let square = motion.centre.dot(motion.centre);
    let [p, q, r] = [X::from(4), ratio(9, 4), X::from(1)];
    let distance = |sign: i64| {
        2 * (p + q + r) - b.u - b.v - w.u - w.v
            + 2 * p * q * r / ((b.u * b.v).sqrt() * (w.u * w.v).sqrt())
            + (x.s / w.re - x.c / w.rg) / (2 * b.re)
            - (x.c / w.re + sign * x.s / w.rg) / (2 * b.rg)
    };
    motion.holds("O O₁²", distance(1), square);
    motion.fails("O O₁² as printed", distance(-1), square);
    let (ru, rv, ru1, rv1) = (b.rho_u() / b.re, b.rho_v() / b.rg, w.rho_u() / w.re, w.rho_v() / w.rg);
    let mixed = x.s * ru * ru1 - x.c * ru * rv1 - x.c * rv * ru1 - x.s * rv * rv1;
    let general = b.rho2() + w.rho2() + 2 * b.epsilon() * w.epsilon() + 2 * mixed;
    motion.holds("O O₁² on any surfaces", general, square);
    // this motion is not the particular one, but (57) holds
    let (left, right) = (x.left_sides(), x.right_sides());
    (0..3).for_each(|i| motion.holds("(57)", left[i], right[i]));
    motion.fails("u₁ = u", w.u, b.u);
}

/// The third particular solution: A = C, contact on the circular sections, with the angle and the time of the paper.
#[test]
fn section_17_circular_sections() {
    let x = equal_ellipsoids("ellipsoid-circles", &[0.0, 0.15, 0.3, 0.5], [16, 24, 16]);
    let inertia = x.inertia;
    let (motion, b, w) = (&x.motion, &x.body, &x.ground);
    let (u, v) = (b.u, b.v);
    let [p, q, r] = [X::from(4), ratio(9, 4), X::from(1)];
    for (u, v) in motion.doubles(u).iter().zip(motion.doubles(v)) {
        assert!((2.25..=4.0).contains(u) && (1.0..=2.25).contains(&v), "a² ≥ u ≥ b² ≥ v ≥ c²");
    }
    motion.holds("u₁ = u", w.u, u);
    motion.holds("v₁ = v", w.v, v);
    motion.holds("u + v", u + v, p + r);
    motion.varies("u", u);
    let tangent = (q * (p + r) - 2 * u * v) / (2 * (u * v).sqrt() * (u - q).sqrt() * (q - v).sqrt());
    motion.holds("tan ϑ", tangent, x.s / x.c);
    motion.holds("ϑ", x.angle, atan2(b.g - b.e, -(2 * b.re * b.rg)));

    // (50) for A = C, and what is left of it
    let [sigma, tau, n] = x.spin;
    let (spin2, rho) = (sigma.sq() + tau.sq() + n.sq(), x.mass * b.rho2() + inertia[0]);
    let arm = b.rho_u() * sigma / b.re + b.rho_v() * tau / b.rg + b.epsilon() * n;
    let middle = sigma * b.alpha[1] + tau * b.beta[1] + n * b.gamma[1];
    motion.holds("2Θ̄", rho * spin2 - x.mass * arm.sq() + (inertia[1] - inertia[0]) * middle.sq(), 2 * x.bar);
    motion.vanishes("ω on the middle axis", middle);
    motion.vanishes("ω on O M", arm);
    motion.holds("2Θ̄, simpler", rho * spin2, 2 * x.bar);

    // ω₀ = 1 and t = ∫ (u − v) du/(ω₀ √…)
    motion.holds("ω₀", spin2, X::from(1));
    (0..3).for_each(|i| motion.constant("ω", motion.world(motion.omega)[i]));
    let root = (q - v).sqrt() * (u - q).sqrt() * (p - u).sqrt() * (u - r).sqrt();
    motion.holds("dt/du", (x.du * (u - v)).sq(), root.sq());
    let (left, right) = (x.left_sides(), x.right_sides());
    (0..3).for_each(|i| motion.holds("(57)", left[i], right[i]));
    motion.holds("(59)", w.re * x.du1, -(b.re * x.du * x.s) + b.rg * x.dv * x.c);

    // O, M, O₁ in one line, O O₁ = 2b, and the reaction P(2b) − ½ M b ω₀² along it
    motion.holds("O O₁", motion.centre.dot(motion.centre), 4 * q);
    motion.hold("M in the middle", motion.centre, X::from(2) * motion.c1);
    let force = motion.world(motion.reaction);
    let expected = (ratio(20, 9) - ratio(3, 4)) / 3;
    motion.hold("reaction", force, expected * motion.centre);
}

/// The contact runs round the circle at ω₀/2 and is back after 4π/ω₀; the friction that it takes is at most
/// √((a² − b²)(b² − c²))/(ac), where it passes the plane of the largest and the smallest axis.
#[test]
fn section_17_period_and_friction() {
    let times = [0.0, 0.8, 3.0, 4.0 * std::f64::consts::PI];
    let text = crate::prelude::builtin::find("ellipsoid-circles").expect("built in").text;
    // with A ≠ C the contact leaves the circle
    let other = text.replace(r#"["4/5", "6/5", "4/5"]"#, r#"["4/5", "6/5", "3/5"]"#);
    assert_ne!(text, other);
    let motion = Motion::new(&other, &times[..3]);
    motion.varies("ρ² for A ≠ C", motion.c.dot(motion.c));

    let motion = Motion::new(text, &times);
    motion.constant("ρ² for A = C", motion.c.dot(motion.c));
    let c = [0, 1, 2].map(|i| motion.doubles(motion.c[i]));
    for (k, t) in times.into_iter().enumerate() {
        let angle = 0.4 - t / 2.0;
        let place = [(20.0f64 / 27.0).sqrt() * angle.cos(), angle.sin(), (7.0f64 / 27.0).sqrt() * angle.cos()];
        for i in 0..3 {
            assert!((c[i][k] - 1.5 * place[i]).abs() < 1e-14, "c at {t}");
        }
    }
    let [p, q, r] = [X::from(4), ratio(9, 4), X::from(1)];
    let (x, force) = (motion.c, motion.reaction);
    let normal = x.times(V([1 / p, 1 / q, 1 / r]));
    let pressed = force.dot(normal).sq() / normal.dot(normal);
    let friction = motion.doubles(((force.dot(force) - pressed) / pressed).sqrt());
    let bound = motion.doubles(((p - q) * (q - r)).sqrt() / (p * r).sqrt())[0];
    assert!((friction[1] - bound).abs() < 1e-14, "{friction:?} {bound}");
    assert!(friction[0] < bound && friction[2] < bound, "{friction:?} {bound}");
}
