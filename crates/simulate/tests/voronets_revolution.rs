//! [Voronets1911, §14]: (48), (49), bodies of revolution on a sphere: the multiplier of Jacobi, the linear equations, the
//! motion on circles.
//!
//! The motions and their time derivatives: `neumann/motion.rs`; which half of the body has which sign of R₁:
//! `neumann/revolution.rs`. The rod is in `voronets_rod.rs`.

use crate::neumann;

use neumann::algebra::{X, ratio};
use neumann::chart::{ON_GROUND, rate, sphere_letters, theta_letter};
use neumann::revolution::{Egg, coefficients, linear_right_sides};
use neumann::sphere::{Lopsided, Sphere};

/// (48), with the primes that print has lost (α″, β″, γ″).
#[test]
fn eq_48_surface_of_revolution() {
    for case in Egg::both(0) {
        let s = case.problem();
        let (motion, chart, u) = (&s.motion, &s.chart, s.chart.u);
        let z = chart.x[2];
        let (z1, z2) = (z.d(u), z.d(u).d(u));
        let root = (1 + z1.sq()).sqrt();
        motion.holds("E", chart.e, 1 + z1.sq());
        motion.holds("G", chart.g, u.sq());
        motion.holds("α″", chart.alpha[2], z1 / root);
        motion.vanishes("β″", chart.beta[2]);
        motion.holds("γ″", chart.gamma[2], 1 / root);
        motion.holds("D", chart.d, z2 / root);
        motion.holds("D″", chart.d2, u * z1 / root);
        motion.holds("ρ²", chart.rho2(), u.sq() + z.sq());
        motion.holds("ε", chart.epsilon(), (z - u * z1) / root);
        motion.vanishes("F", chart.f);
        motion.vanishes("D′", chart.d1);
    }
}

/// (49): v is cyclic in Θ and U, and no product with u̇ is left.
#[test]
fn eq_49_kinetic_energy() {
    for case in Egg::both(0) {
        let s = case.problem();
        let Sphere { motion, chart, mass: m, inertia, du, dv, n, nu, mu, .. } = &s;
        let (m, du, dv, n, nu, mu) = (*m, *du, *dv, *n, *nu, *mu);
        let [a, _, c] = inertia.0;
        let square = (nu * dv).sq() + (mu * du).sq() + n.sq();
        let arm = chart.rho_u() * nu * dv / chart.re + chart.epsilon() * n;
        let along = nu * dv * chart.alpha[2] + n * chart.gamma[2];
        let theta2 = (m * chart.rho2() + a) * square - m * arm.sq() + (c - a) * along.sq();
        motion.holds("(49), first line", theta2, 2 * s.theta);
        let [p, q, l, j] = coefficients(&s);
        let second = p * du.sq() + q * dv.sq() + 2 * l * dv * n + j * n.sq();
        motion.holds("(49), second line", second, 2 * s.theta);
        for x in [p, q, l, j, s.force] {
            motion.vanishes("v is cyclic", x.d(chart.v));
        }
        // The determinant in closed form
        let z = chart.x[2];
        let whole = a * c + m * (a * chart.u.sq() + c * z.sq());
        motion.holds("QJ − L²", q * j - l.sq(), nu.sq() * whole);
    }
}

/// §14: the divergence of (45), which is −d ln 𝖬/dt, for any body; and the multiplier of a body of revolution, which
/// integrates in closed form, 𝖬 = [AC + M(Au² + Cz²)]^(−½).
#[test]
fn section_14_multiplier() {
    let mut s = Lopsided::OUTSIDE.problem();
    let p = s.momentum_letters();
    let h = s.hamiltonian(p);
    let divergence = |s: &Sphere| {
        let rates = s.canonical(h, p);
        let variables = [p[0], p[1], p[2], s.chart.u, s.chart.v];
        (0..5).fold(X::from(0), |sum, i| sum + rates[i].d(variables[i]))
    };
    let printed = |s: &Sphere| {
        let (m, c) = (s.mass, &s.chart);
        let [h1, h2, h3] = p.map(|p| h.d(p));
        let hh = |i: usize, j: usize| h.d(p[i]).d(p[j]);
        let eps = c.epsilon();
        m * c.rho_u() * (h1 * hh(2, 2) - h3 * hh(0, 2))
            + m * c.rho_v() * (h2 * hh(2, 2) - h3 * hh(1, 2))
            + m * eps * c.re * s.nu * (h3 * hh(0, 1) - h1 * hh(1, 2))
            + m * eps * c.rg * s.mu * (h3 * hh(0, 1) - h2 * hh(0, 2))
    };
    s.motion.holds("divergence of (45)", printed(&s), divergence(&s));

    for case in Egg::both(0) {
        let mut s = case.problem();
        let p = s.momentum_letters();
        let h = s.hamiltonian(p);
        let rates = s.canonical(h, p);
        let Sphere { motion, chart, mass: m, inertia, nu, .. } = &s;
        let (u, z, [a, _, c]) = (chart.u, chart.x[2], inertia.0);
        let phi = *m * (chart.rho_u() * h.d(p[2]).d(p[2]) - chart.epsilon() * chart.re * *nu * h.d(p[1]).d(p[2]));
        let multiplier = 1 / (a * c + *m * (a * u.sq() + c * z.sq())).sqrt();
        motion.holds("d ln 𝖬/du = −Φ", multiplier.ln().d(u), -phi);
        let variables = [p[0], p[1], p[2], u, chart.v];
        let flow = (0..5).fold(X::from(0), |sum, i| sum + (multiplier * rates[i]).d(variables[i]));
        motion.vanishes("div (𝖬 X)", flow);
        let bare = (0..5).fold(X::from(0), |sum, i| sum + rates[i].d(variables[i]));
        motion.fails("div X without 𝖬", bare, X::from(0));
    }
}

/// §14, the two linear equations, before and after division by u̇; printed with d/dt for d/du after it.
#[test]
fn section_14_linear_equations() {
    for case in Egg::both(0) {
        let s = case.problem();
        let (motion, du) = (&s.motion, s.du);
        let [_, p2, p3] = s.momenta();
        let (right, rates) = (linear_right_sides(&s), [motion.rate(p2), motion.rate(p3)]);
        for i in 0..2 {
            motion.holds("undivided", rates[i], right[i] * du);
            motion.holds("d/du", rates[i] / du, right[i]);
            motion.fails("d/dt as printed", rates[i], right[i]);
        }
        // without n: v̇″ + f₁ v̇′ + f₂ v̇ = 0, from (v̇, n)′ = A (v̇, n)
        let (u, [_, q, l, j]) = (s.chart.u, coefficients(&s));
        let column = |x: X| [right[0].d(x), right[1].d(x)];
        let solve = |b: [X; 2]| {
            let det = q * j - l.sq();
            [(j * b[0] - l * b[1]) / det, (q * b[1] - l * b[0]) / det]
        };
        let (first, second) = (column(s.dv), column(s.n));
        let [a11, a21] = solve([first[0] - q.d(u), first[1] - l.d(u)]);
        let [a12, a22] = solve([second[0] - l.d(u), second[1] - j.d(u)]);
        let bend = a12.d(u) / a12;
        let f1 = -(a11 + a22 + bend);
        let f2 = a11 * a22 - a12 * a21 - a11.d(u) + bend * a11;
        let w1 = rate(s.chart.v, 2) / du;
        let w2 = motion.rate(w1) / du;
        motion.holds("v̇″", w2, -(f1 * w1) - f2 * s.dv);
        // Riccati: v̇ = exp ∫ ξ du
        let xi = w1 / s.dv;
        motion.holds("ξ′", motion.rate(xi) / du, -xi.sq() - f1 * xi - f2);
    }
}

/// §14: u = u₀, n = n₀, v̇ = v̇₀ are possible, and the contact runs round a great circle of the sphere if n₀ + v̇₀/√E₀ = 0, round
/// a small one otherwise.
#[test]
fn section_14_great_and_small_circles() {
    for off in [0, 3] {
        // At v = 0 every Ω in the plane of the axes u and n has u̇ = 0: v̇₀ = 2, n₀ as wished.
        let start = Egg { normal: "[1, 0, 2]", rotor: 0, k: "1/2", omega: "[0, 0, 1]", times: &[0.0] };
        let s = start.problem();
        let speed = X::from(2);
        let spin = -(speed / s.chart.re) + ratio(off, 10);
        let omega = s.nu * speed * s.chart.alpha + spin * s.chart.gamma;
        let omega = format!("[{}]", [0, 1, 2].map(|i| format!("\"{}\"", s.motion.text(omega[i]))).join(", "));
        // the first of (40) says how strong the attraction has to be
        let s = Egg { omega: &omega, ..start }.problem();
        let pull = (s.right_sides()[0] + s.theta.d(s.chart.u)) / -(2 * s.force.d(s.chart.u));
        let k = s.motion.text(pull);
        let times = [0.0, 1.0, 2.0, 3.5, 5.0];
        let mut s = Egg { omega: &omega, k: &k, times: &times, normal: "[1, 0, 2]", rotor: 0 }.problem();
        s.motion.constant("u", s.chart.u);
        s.motion.constant("v̇", s.dv);
        s.motion.constant("n", s.n);
        s.motion.holds("(40), 1", -(s.theta + s.force).d(s.chart.u), s.right_sides()[0]);

        let c1 = s.motion.c1;
        let ground = sphere_letters(&mut s.motion, &ON_GROUND, X::from(2), c1, 1, 2);
        let angle = theta_letter(&mut s.motion, &s.chart, &ground);
        let criterion = s.n + s.dv / s.chart.re;
        let turned = rate(angle, 1) + rate(ground.v, 1) * ground.u.cos();
        s.motion.holds("ϑ̇ + v̇₁ cos u₁", turned + 1, 1 - criterion);
        // the plane through three points of the path, and the others
        let points: Vec<[f64; 3]> = {
            let values = [0, 1, 2].map(|i| s.motion.doubles(c1[i]));
            (0..s.motion.len()).map(|k| [0, 1, 2].map(|i| values[i][k])).collect()
        };
        let minus = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|i| a[i] - b[i]);
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (p, q) = (minus(points[1], points[0]), minus(points[2], points[0]));
        let normal = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
        let size = dot(normal, normal).sqrt();
        assert!(size > 1e-2, "three different points");
        for point in &points {
            assert!((dot(minus(*point, points[0]), normal) / size).abs() < 1e-12, "a circle");
        }
        let distance = (dot(points[0], normal) / size).abs();
        if off == 0 {
            assert!(distance < 1e-12, "a great circle, {distance}");
        } else {
            assert!(distance > 0.1, "a small circle, {distance}");
        }
    }
}
