//! [Voronets1911, §§9, 10]: (36)–(40), a body on a sphere that attracts it, along motions without charts.
//!
//! The motions and their time derivatives: `neumann/motion.rs`. Bodies without symmetry roll outside and inside a sphere, with
//! normals of the chart outwards and inwards (`neumann/sphere.rs` on the sign of R₁).

use crate::neumann;

use crate::prelude::*;
use neumann::algebra::{V, X, with};
use neumann::sphere::{Lopsided, Sphere};

/// §9, the line before (33): δ(k − yr + zq) = ẏr′ − żq′ − (r δy − q δz), from (28), (29) and (32); printed with dy, dz for δy, δz.
#[test]
fn section_9_line_before_33() {
    let [x, w, eta, eta_rate, moved, shift] = ["x", "w", "eta", "eta'", "x'", "dx"].map(V::named);
    // (29) and (32): the velocities, and their like for displacements
    let (k, k_prime) = (x.cross(w), x.cross(eta));
    // (28): δk = dk′/dt + w × k′ + k × η, δw = dη/dt + w × η
    let k_change = moved.cross(eta) + x.cross(eta_rate) + w.cross(k_prime) + k.cross(eta);
    let w_change = eta_rate + w.cross(eta);
    let change = k_change - shift.cross(w) - x.cross(w_change);
    let line = |d: V| moved.cross(eta) - d.cross(w);
    for i in 0..3 {
        let verdict = |d: V| {
            let (a, b) = (change[i].expr(), line(d)[i].expr());
            with(|g| g.equal(a, b))
        };
        assert!(verdict(shift).is_equal());
        assert!(matches!(verdict(moved), Verdict::Different(_)), "with dx, dy, dz");
    }
}

/// (36), (37): σ = νv̇, τ = μu̇, and the spin on the axes of the body. R₁ needs its sign.
#[test]
fn eq_36_37_angular_velocity() {
    for case in Lopsided::ALL {
        let Sphere { motion, chart, r1, du, dv, n, nu, mu, .. } = case.problem();
        motion.holds("(36), σ", nu * dv, motion.omega.dot(chart.alpha));
        motion.holds("(36), τ", mu * du, motion.omega.dot(chart.beta));
        motion.hold("(36), p, q, r", nu * dv * chart.alpha + mu * du * chart.beta + n * chart.gamma, motion.omega);
        let unsigned = (chart.d / chart.e + 1 / r1) * chart.re;
        motion.fails("(37) with the other sign of R₁", unsigned * du, motion.omega.dot(chart.beta));
    }
}

/// (38), and the distance of O from the centre of the sphere.
#[test]
fn eq_38_kinetic_energy() {
    for case in Lopsided::SOME {
        let s = case.problem();
        let (motion, w) = (&s.motion, s.motion.omega);
        let speed = motion.c.cross(w);
        motion.holds("(38)", 2 * s.theta, s.mass * speed.dot(speed) + s.inertia.times(w).dot(w));
        let square = s.r1.sq() + s.chart.rho2() + 2 * s.r1 * s.chart.epsilon();
        motion.holds("O₁O²", square, motion.centre.dot(motion.centre));
    }
}

/// δu, δv, n′ and what follows from them by (39).
struct Variation {
    du: X,
    dv: X,
    n: X,
    /// p′, q′, r′.
    eta: V,
    /// δx, δy, δz.
    shift: V,
}

impl Variation {
    fn new(s: &mut Sphere) -> Variation {
        let [du, dv, n] = ["delta u", "delta v", "n prime"].map(|x| s.motion.free(x));
        let c = &s.chart;
        // (39)
        let eta = s.nu * dv * c.alpha + s.mu * du * c.beta + n * c.gamma;
        Variation { du, dv, n, eta, shift: du * c.x_u + dv * c.x_v }
    }
}

/// (39) and the integral before (40), which is (33) in u, v, n: printed without the factor u̇v̇ behind √E ν + √G μ.
#[test]
fn eq_39_integral_before_40() {
    for case in Lopsided::SOME {
        let mut s = case.problem();
        let change = Variation::new(&mut s);
        let Sphere { motion, chart, mass: m, du, dv, n, nu, mu, .. } = &s;
        let (m, du, dv, n, nu, mu) = (*m, *du, *dv, *n, *nu, *mu);
        // the terms of (33), from vectors
        let (c, w) = (motion.c, motion.omega);
        let moved = motion.rate_of(c);
        let first = m * (c.dot(moved) * w.dot(change.eta) - c.dot(change.eta) * moved.dot(w));
        let second = m * (c.dot(change.shift) * w.dot(w) - c.dot(w) * w.dot(change.shift));
        // the same as printed
        let (rho_u, rho_v, eps) = (chart.rho_u(), chart.rho_v(), chart.epsilon());
        let rho_rate = rho_u * du + rho_v * dv;
        let product = nu.sq() * dv * change.dv + mu.sq() * du * change.du + n * change.n;
        let virtual_arm = rho_u * nu * change.dv / chart.re + rho_v * mu * change.du / chart.rg + eps * change.n;
        let arm = rho_u * nu * dv / chart.re + rho_v * mu * du / chart.rg + eps * n;
        let omega2 = nu.sq() * dv.sq() + mu.sq() * du.sq() + n.sq();
        let sum = chart.re * nu + chart.rg * mu;
        let rest = -(m * omega2 * (rho_u * change.du + rho_v * change.dv))
            + m * arm * (chart.re * nu * dv * change.du + chart.rg * mu * du * change.dv);
        let corrected = m * rho_rate * product - m * virtual_arm * sum * du * dv + rest;
        let printed = m * rho_rate * product - m * virtual_arm * sum + rest;
        motion.holds("integral before (40)", corrected, first - second);
        motion.fails("integral before (40) as printed", printed, first - second);
    }
}

/// §10, the differences of δ and d/dt: from (28) and the turning of the axes, with the equation of Mainardi and Codazzi.
#[test]
fn section_10_variations_of_the_velocities() {
    for case in Lopsided::SOME {
        let mut s = case.problem();
        let change = Variation::new(&mut s);
        let Sphere { motion, chart, r1, du, dv, n, nu, mu, .. } = &s;
        let (r1, du, dv, n, nu, mu) = (*r1, *du, *dv, *n, *nu, *mu);
        let turned = |e: V, du: X, dv: X| du * e.d(chart.u) + dv * e.d(chart.v);
        // δ(Ω·e) − d/dt(η·e) with δΩ − dη/dt = Ω × η
        let difference = |e: V| {
            let w = motion.omega;
            w.cross(change.eta).dot(e) + w.dot(turned(e, change.du, change.dv)) - change.eta.dot(turned(e, du, dv))
        };
        let area = dv * change.du - du * change.dv;
        let spin_v = (chart.re / r1) * (n * change.du - du * change.n);
        let spin_u = (chart.rg / r1) * (n * change.dv - dv * change.n);
        motion.holds("ν(δv̇ − d/dt δv)", difference(chart.alpha) - nu.d(chart.u) * area, spin_v);
        motion.holds("μ(δu̇ − d/dt δu)", difference(chart.beta) + mu.d(chart.v) * area, spin_u);
        motion.holds("δn − dn′/dt", difference(chart.gamma), s.c0() * area);
        let (e_v, g_u) = chart.slopes();
        let before = nu.d(chart.u) + mu / (2 * chart.re * chart.rg) * g_u;
        motion.vanishes("ν_u + μ G_u/2√(EG)", before);
        let codazzi = 2 * (chart.e * chart.g - chart.f.sq()) * (chart.d2.d(chart.u) - chart.d1.d(chart.v));
        let right = (2 * chart.f.d(chart.v) - g_u) * (chart.f * chart.d1 - chart.g * chart.d)
            + chart.g.d(chart.v) * (chart.f * chart.d - chart.e * chart.d1)
            - e_v * (chart.f * chart.d2 - chart.g * chart.d1)
            - g_u * (chart.f * chart.d1 - chart.e * chart.d2);
        motion.holds("Mainardi and Codazzi", codazzi, right);
    }
}

/// (40), right as printed; each of its terms is needed.
#[test]
fn eq_40_equations_of_motion() {
    for case in Lopsided::ALL {
        let s = case.problem();
        let (left, right) = (s.left_sides(), s.right_sides());
        for i in 0..3 {
            s.motion.holds(&format!("(40), {}", i + 1), left[i], right[i]);
        }
        let [p1, p2, p3] = s.momenta();
        s.motion.fails("(40) without curvature", left[0], right[0] - s.c0() * p3 * s.dv);
        s.motion.fails("(40) without 1/R₁", left[1], right[1] - s.chart.rg / s.r1 / s.mu * p1 * s.n);
        s.motion.fails("(40) with the other sign", left[2], right[2] + 2 * (s.chart.re / s.r1 / s.nu * p2 * s.du));
    }
}
