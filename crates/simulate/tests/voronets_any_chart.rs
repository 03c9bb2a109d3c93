//! The equations of [Voronets1911, §16] for charts that are neither orthogonal nor lines of curvature.
//!
//! With e₁ = x_u/√E, e₂ = n × e₁, [x_u x_v] = [e₁ e₂] A, B the second form in this frame, Γ = e₂·de₁, J = (0, −1; 1, 0),
//! Q = (−s, c; c, s), ξ = (u, v):
//!
//! ```text
//! ξ̇₁ = A₁⁻¹QA ξ̇ = a ξ̇,   (σ, τ) = J(B + QB₁Q)A ξ̇,   n = −ϑ̇ + N ξ̇,   N = −Γ − Γ₁a
//! k = MQ(r₂n − ετ, εσ − r₁n) + B₁QJᵀ(Θ̄_σ, Θ̄_τ) − A₁⁻ᵀΓ₁ᵀΘ̄_n,   K′ = (k₁c + k₂s, k₁s − k₂c)
//! d/dt Θ_ξ̇ − L_ξ = aᵀL_ξ₁ + nAᵀK′ − Nᵀ(K′·Aξ̇),   d/dt Θ_ϑ̇ − L_ϑ = K′·Aξ̇
//! ```
//!
//! (12), (56) and (57) in the paper's charts are the case F = D′ = 0. The motion and its time derivatives:
//! `neumann/motion.rs`.

use crate::neumann;

use neumann::algebra::{V, X, atan2, ratio};
use neumann::chart::{Chart, Names, ON_BODY, ON_GROUND, rate};
use neumann::motion::Motion;

type M2 = [[X; 2]; 2];
type V2 = [X; 2];

fn mul(a: M2, b: M2) -> M2 {
    [0, 1].map(|i| [0, 1].map(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]))
}

fn apply(a: M2, v: V2) -> V2 {
    [0, 1].map(|i| a[i][0] * v[0] + a[i][1] * v[1])
}

fn transpose(a: M2) -> M2 {
    [[a[0][0], a[1][0]], [a[0][1], a[1][1]]]
}

fn inverse(a: M2) -> M2 {
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    [[a[1][1] / det, -(a[0][1] / det)], [-(a[1][0] / det), a[0][0] / det]]
}

fn plus(a: V2, b: V2) -> V2 {
    [a[0] + b[0], a[1] + b[1]]
}

fn times(x: X, v: V2) -> V2 {
    [x * v[0], x * v[1]]
}

fn dot(a: V2, b: V2) -> X {
    a[0] * b[0] + a[1] * b[1]
}

/// A skew chart (u + v/3, v, z) of the upper half of an ellipsoid.
struct Skew {
    chart: Chart,
    e2: V,
    a: M2,
    b: M2,
    gamma: V2,
}

impl Skew {
    fn new(motion: &mut Motion, names: &Names, axes: [X; 3], point: V) -> Skew {
        let [x, y, _] = point.0;
        let u = motion.letter(names.u, x - y / 3, 2);
        let v = motion.letter(names.v, y, 2);
        let x = u + v / 3;
        let z = axes[2] * (1 - x.sq() / axes[0].sq() - v.sq() / axes[1].sq()).sqrt();
        let chart = Chart::new(u, v, V([x, v, z]));
        motion.hold("position", chart.x, point);
        motion.fails("F = 0", chart.f, X::from(0));
        motion.fails("D′ = 0", chart.d1, X::from(0));
        let Chart { e, f, g, d, d1, d2, re, .. } = chart;
        let area = (e * g - f.sq()).sqrt();
        let a = [[re, f / re], [X::from(0), area / re]];
        let back = inverse(a);
        let b = mul(transpose(back), mul([[d, d1], [d1, d2]], back));
        let (e_u, e_v, f_u, g_u) = (e.d(u), e.d(v), f.d(u), g.d(u));
        let gamma = [(e * (f_u - e_v / 2) - f * e_u / 2) / (e * area), (e * g_u - f * e_v) / (2 * e * area)];
        Skew { e2: chart.gamma.cross(chart.alpha), chart, a, b, gamma }
    }
}

#[test]
fn equations_in_skew_charts() {
    let text = r#"
[body.egg]
mass    = "7/5"
surface = { ellipsoid = [2, "3/2", 1] }
inertia = ["13/20", 1, "5/4"]
[ground]
surface   = { ellipsoid = [3, "5/2", 2] }
bilateral = true
[lagrangian]
potential = "norm2(x_O)/2 + 2*x_O[3] + x_O[1]*x_O[2]/5"
[initial.egg]
contact  = { normal = [1, 1, 2] }
touching = "[1, -1, 2]/sqrt(1/9 + 4/25 + 1)"
Omega    = ["1/2", "1/3", "1/2"]
"#;
    let mut motion = Motion::new(text, &[0.0, 0.2, 0.4]);
    let (c, c1) = (motion.c, motion.c1);
    let body = Skew::new(&mut motion, &ON_BODY, [X::from(2), ratio(3, 2), X::from(1)], c);
    let ground = Skew::new(&mut motion, &ON_GROUND, [X::from(3), ratio(5, 2), X::from(2)], c1);
    let (x, w) = (&body.chart, &ground.chart);
    motion.hold("n = −n₁", motion.world(x.gamma), -w.gamma);
    let along = motion.world(x.alpha);
    let angle = motion.letter("theta", atan2(-along.dot(w.alpha), along.dot(ground.e2)), 2);
    let (sin, cos) = (angle.sin(), angle.cos());
    let (rates, turn) = ([rate(x.u, 1), rate(x.v, 1)], rate(angle, 1));
    let q = [[-sin, cos], [cos, sin]];

    // kinematics
    let moved = apply(body.a, rates);
    let a = mul(inverse(ground.a), mul(q, body.a));
    let on_ground = apply(a, rates);
    motion.holds("ξ̇₁, u₁", on_ground[0], rate(w.u, 1));
    motion.holds("ξ̇₁, v₁", on_ground[1], rate(w.v, 1));
    let seen = mul(q, mul(ground.b, q));
    let curvature = [0, 1].map(|i| [0, 1].map(|j| body.b[i][j] + seen[i][j]));
    let bent = apply(curvature, moved);
    let row = times(X::from(-1), plus(body.gamma, apply(transpose(a), ground.gamma)));
    let rolling = [-bent[1], bent[0], dot(row, rates) - turn];
    let axes = [x.alpha, body.e2, x.gamma];
    let names = ["sigma", "tau", "n"];
    let spin = [0, 1, 2].map(|i| motion.letter(names[i], motion.omega.dot(axes[i]), 1));
    (0..3).for_each(|i| motion.holds(names[i], rolling[i], spin[i]));

    // dynamics
    let (mass, inertia) = (ratio(7, 5), V([ratio(13, 20), X::from(1), ratio(5, 4)]));
    let [sigma, tau, n] = spin;
    let omega = sigma * axes[0] + tau * axes[1] + n * axes[2];
    let speed = x.x.cross(omega);
    let bar = (mass * speed.dot(speed) + inertia.times(omega).dot(omega)) / 2;
    let theta = bar.put(&[(sigma, rolling[0]), (tau, rolling[1]), (n, rolling[2])]);
    let (r1, r2, eps) = (x.x.dot(axes[0]), x.x.dot(axes[1]), x.epsilon());
    let arm = r1 * (cos * ground.e2 - sin * w.alpha) + r2 * (cos * w.alpha + sin * ground.e2) - eps * w.gamma;
    let place = w.x - arm;
    motion.hold("centre of mass", place, motion.centre);
    let force = -(place.dot(place) / 2) - 2 * place[2] - place[0] * place[1] / 5;
    let l = theta + force;
    let slide = apply(q, [r2 * n - eps * tau, eps * sigma - r1 * n]);
    // Jᵀ (Θ̄_σ, Θ̄_τ)
    let crossed = [bar.d(tau), -bar.d(sigma)];
    let pushed = apply(ground.b, apply(q, crossed));
    let turned = apply(transpose(inverse(ground.a)), ground.gamma);
    let k = plus(plus(times(mass, slide), pushed), times(-bar.d(n), turned));
    let impulse = [k[0] * cos + k[1] * sin, k[0] * sin - k[1] * cos];
    let power = dot(impulse, moved);
    let carried = apply(transpose(a), [l.d(w.u), l.d(w.v)]);
    let bound = apply(transpose(body.a), impulse);
    for (i, coordinate) in [x.u, x.v].into_iter().enumerate() {
        let left = motion.rate(theta.d(rates[i])) - l.d(coordinate);
        motion.holds("Θ_ξ̇", left, carried[i] + n * bound[i] - row[i] * power);
        motion.fails("Θ_ξ̇ without impulses", left, carried[i]);
    }
    motion.holds("Θ_ϑ̇", motion.rate(theta.d(turn)) - l.d(angle), power);
}
