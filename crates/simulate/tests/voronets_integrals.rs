//! [Voronets1911, §13]: (45)–(47), the canonical form, the integral of a ball, the coordinates on the sphere and their Riccati
//! equation.
//!
//! The motions and their time derivatives: `neumann/motion.rs`.

use crate::neumann;

use neumann::algebra::{V, X, atan2, ratio};
use neumann::chart::{Chart, ON_BODY, ON_GROUND, rate, sphere_letters, theta_letter};
use neumann::motion::Motion;
use neumann::sphere::{Body, Lopsided, Sphere};

/// (45), corrected, with Donkin's theorem and the integral H = h. Printed: p₂ for p₃ in ṗ₁, the sign before √(EG) and ν for μ in
/// ṗ₂, the sign of M(…) in ṗ₃.
#[test]
fn eq_45_canonical_form() {
    for case in Lopsided::ALL {
        let mut s = case.problem();
        let p = s.momentum_letters();
        let h = s.hamiltonian(p);
        let rates = s.canonical(h, p);
        let Sphere { motion, chart, mass: m, du, dv, n, nu, mu, .. } = &s;
        let (m, nu, mu) = (*m, *nu, *mu);
        let [p1, p2, p3] = p;
        let [h1, h2, h3] = p.map(|p| h.d(p));
        for (label, a, b) in [("u̇", *du, h1), ("v̇", *dv, h2), ("n", *n, h3)] {
            motion.holds(&format!("Donkin, {label}"), a, b);
        }
        motion.holds("Donkin, u", s.theta.d(chart.u), -((h + s.force).d(chart.u)));
        motion.holds("Donkin, v", s.theta.d(chart.v), -((h + s.force).d(chart.v)));
        let left = [rate(p1, 1), rate(p2, 1), rate(p3, 1), *du, *dv];
        for i in 0..5 {
            motion.holds(&format!("(45), {}", i + 1), left[i], rates[i]);
        }
        motion.constant("H = h", h);
        motion.holds("H = Θ − U", h, s.theta - s.force);

        let c0 = s.c0();
        motion.fails("(45), ṗ₁ as printed", left[0], rates[0] + c0 * h2 * (p2 - p3));
        motion.fails("(45), ṗ₂ with the printed sign", left[1], rates[1] + 2 * c0 * h1 * p3);
        let eps = m * chart.epsilon() * chart.rg * h1 * h3;
        motion.fails("(45), ṗ₂ with the printed ν", left[1], rates[1] + (nu - mu) * eps);
        let moved = m * (chart.rho_u() * h1 + chart.rho_v() * h2) * h3;
        motion.fails("(45), ṗ₃ with the printed sign", left[2], rates[2] - 2 * moved);
    }
}

/// A ball of radius 1 with three different moments of inertia, and perhaps a rotor, on a sphere of radius 3 that attracts it.
fn ball(rotor: i64) -> Sphere {
    let text = format!(
        r#"
[body.ball]
mass      = "7/5"
surface   = {{ sphere = 1 }}
inertia   = ["1/2", "3/5", "7/10"]
gyroscope = {{ momentum = "{rotor}/10", axis = [0, 0, 1] }}
[ground]
surface   = {{ sphere = 3 }}
bilateral = true
[lagrangian]
potential = "-20/norm(x_O)"
[initial.ball]
contact  = {{ normal = [2, 1, -2] }}
touching = [1, 2, 2]
Omega    = [1, "1/2", "1/3"]
"#
    );
    let mut motion = Motion::new(&text, &[0.0, 0.5, 1.0, 2.0, 4.0]);
    let point = motion.c;
    let chart = sphere_letters(&mut motion, &ON_BODY, X::from(1), point, 1, 2);
    let inertia = V([ratio(1, 2), ratio(3, 5), ratio(7, 10)]);
    let body = Body { r1: X::from(3), mass: ratio(7, 5), inertia, kappa: ratio(rotor, 10) };
    Sphere::new(motion, chart, body, |square| 20 / square.sqrt())
}

/// (46): right for a ball without a rotor, where the moment about M is constant in space. With a rotor (§15) it needs κ, and the
/// printed integral varies.
#[test]
fn eq_46_integral_of_a_ball() {
    for rotor in [0, 5] {
        let s = ball(rotor);
        let (motion, chart, kappa) = (&s.motion, &s.chart, s.kappa);
        let [p1, p2, p3] = s.momenta();
        let printed = (p1 / s.mu).sq() + (p2 / s.nu).sq() + p3.sq();
        let corrected = (p1 / s.mu + kappa * chart.beta[2]).sq()
            + (p2 / s.nu + kappa * chart.alpha[2]).sq()
            + (p3 + kappa * chart.gamma[2]).sq();
        motion.constant("(46) with κ", corrected);
        let zero = X::from(0);
        let whole = motion.world(s.moment() + V([zero, zero, kappa]));
        (0..3).for_each(|i| motion.constant("moment about M with the rotor", whole[i]));
        if rotor == 0 {
            motion.constant("(46)", printed);
        } else {
            motion.varies("(46) as printed, with a rotor", printed);
        }
        // the velocity of M over the body and that of O are parallel, so K = 0 in (43)
        let drag = motion.rate_of(motion.c).cross(motion.c.cross(motion.omega));
        (0..3).for_each(|i| motion.vanishes("K", drag[i]));
    }
    // a body that is no ball has no such integral
    let s = Lopsided::OUTSIDE.problem();
    let [p1, p2, p3] = s.momenta();
    s.motion.varies("(46) for an ellipsoid", (p1 / s.mu).sq() + (p2 / s.nu).sq() + p3.sq());
}

/// (46) in space: a ball with a gyroscope on a plane, and the constant vector of the reference.
#[test]
fn eq_46_in_space_on_a_plane() {
    let text = crate::prelude::builtin::find("gyro-ball-on-plane").expect("built in").text;
    let motion = Motion::new(text, &[0.0, 1.0, 5.0, 10.0]);
    let (c, w) = (motion.c, motion.omega);
    let rotor = V([X::from(0), X::from(0), ratio(1, 2)]);
    let moment = V([ratio(1, 2), ratio(1, 2), ratio(3, 10)]).times(w) + c.cross(w.cross(c)) + rotor;
    let expected = V([ratio(3, 4), ratio(-44, 25), ratio(9, 50)]);
    motion.hold("moment about M", motion.world(moment), expected);
    motion.varies("moment without the rotor", motion.world(moment - rotor)[0]);
}

/// The sphere's own chart at the contact, and ϑ.
fn on_the_sphere(s: &mut Sphere, case: Lopsided) -> (Chart, X, X) {
    let radius = X::from(if case.cavity { 5 } else { 3 });
    let side = case.side * if case.cavity { -1 } else { 1 };
    let c1 = s.motion.c1;
    let ground = sphere_letters(&mut s.motion, &ON_GROUND, radius, c1, side, 2);
    let angle = theta_letter(&mut s.motion, &s.chart, &ground);
    (ground, angle, radius)
}

/// (47), right as printed with √E₁ = |R₁| and e_u₁ × e_v₁ = n₁ (in a cavity v₁ is counted the other way).
#[test]
fn eq_47_coordinates_on_the_sphere() {
    for case in Lopsided::ALL {
        let mut s = case.problem();
        let (ground, angle, radius) = on_the_sphere(&mut s, case);
        let Sphere { motion, chart, du, dv, n, .. } = &s;
        let (du, dv, n) = (*du, *dv, *n);
        let (du1, dv1) = (rate(ground.u, 1), rate(ground.v, 1));
        let (p, q) = (chart.re * du, chart.rg * dv);
        motion.holds("(47), u̇₁", radius * du1, q * angle.cos() - p * angle.sin());
        motion.holds("(47), v̇₁", radius * dv1 * ground.u.sin(), p * angle.cos() + q * angle.sin());
        let turning = chart.turning(du, dv);
        motion.holds("(47), ϑ̇", rate(angle, 1), -n + turning - dv1 * ground.u.cos());
        motion.fails("(47) with the sign of (9)", rate(angle, 1), n - turning + dv1 * ground.u.cos());
    }
}

/// §13, the Riccati equation, corrected: printed without the ½, and ϑ̇ + ϑ̇₁ with f₁ cot u₁ (ϑ + ϑ₁).
#[test]
fn section_13_riccati() {
    for case in Lopsided::SOME {
        let mut s = case.problem();
        let (ground, angle, radius) = on_the_sphere(&mut s, case);
        let Sphere { motion, chart, du, dv, n, .. } = &mut s;
        let (du, dv, n) = (*du, *dv, *n);
        // −√E u̇/R₁ = f₁ cos ϑ₁, √G v̇/R₁ = f₁ sin ϑ₁
        let (p, q) = (-(chart.re * du / radius), chart.rg * dv / radius);
        let f1 = (p.sq() + q.sq()).sqrt();
        let angle1 = motion.letter("theta1", atan2(q, p), 1);
        let f2 = chart.turning(du, dv) - n + rate(angle1, 1);
        let sum = angle + angle1;
        let u1 = ground.u;
        motion.holds("u̇₁", rate(u1, 1), f1 * sum.sin());
        motion.holds("v̇₁ sin u₁", rate(ground.v, 1) * u1.sin(), -(f1 * sum.cos()));
        let cot = u1.cos() / u1.sin();
        let turned = rate(angle, 1) + rate(angle1, 1);
        motion.holds("ϑ̇ + ϑ̇₁", turned, f2 + f1 * cot * sum.cos());
        motion.fails("ϑ̇ + ϑ̇₁ as printed", turned, f1 * cot * sum);

        // ζ₁ = −i cot(u₁/2) e^{−i(ϑ + ϑ₁)}, ζ₂ = i tan(u₁/2) e^{−i(ϑ + ϑ₁)} as real and imaginary parts
        let tan = (u1 / 2).sin() / (u1 / 2).cos();
        for (label, size) in [("ζ₁", -1 / tan), ("ζ₂", tan)] {
            let zeta = [size * sum.sin(), size * sum.cos()];
            let [a, b] = zeta;
            // 1 + ζ² and −iζ
            let (square, turned) = ([1 + a.sq() - b.sq(), 2 * a * b], [b, -a]);
            for i in 0..2 {
                let left = motion.rate(zeta[i]);
                motion.holds(label, left, square[i] * f1 / 2 + turned[i] * f2);
                motion.fails(&format!("{label} as printed"), left, square[i] * f1 + turned[i] * f2);
            }
        }
    }
}
