//! [Voronets1911, §§4, 9, 16]: (34) and (50)–(59), a body on an arbitrary surface, along motions without charts.
//!
//! The motions and their time derivatives: `neumann/motion.rs`. Two ellipsoids without symmetry roll on each other under a force
//! without symmetry; both normals of the charts outwards, and both inwards.

use crate::neumann;

use neumann::algebra::{V, X};
use neumann::chart::rate;
use neumann::surface::{Surface, two_ellipsoids};

/// Normals of both charts outwards, and inwards.
const SIDES: [i64; 2] = [1, -1];

/// (9), (11)–(13) and (59) along the motion; the printed signs of (9) and (11) are wrong, and (13) has lost its τ.
#[test]
fn eq_9_to_13_and_59_kinematics() {
    for side in SIDES {
        let x = two_ellipsoids(side);
        let [sigma, tau, n] = spin_9(&x);
        let (motion, b, w) = (&x.motion, &x.body, &x.ground);
        for (label, a, b) in [("σ", sigma, x.spin[0]), ("τ", tau, x.spin[1]), ("n", n, x.spin[2])] {
            motion.holds(&format!("(9), {label}"), a, b);
        }
        motion.fails("(9), τ as printed", tau - 2 * (b.d / b.re * x.du), x.spin[1]);
        motion.fails("(9), n as printed", n + 2 * x.dt, x.spin[2]);
        let speed = motion.body(motion.rate_of(motion.centre));
        motion.hold("(11)", velocity_11(&x), speed);
        let slip = 2 * (w.re * x.du1 * x.c) * b.beta;
        motion.fails("(11) as printed", (velocity_11(&x) - slip)[0], speed[0]);
        let arm = |e: V| b.x.cross(e);
        let k = |tau: X| (x.spin[0] * arm(b.alpha) + tau * arm(b.beta) + x.spin[2] * arm(b.gamma))[0];
        motion.holds("(13)", k(x.spin[1]), speed[0]);
        motion.fails("(13) as printed, without τ", k(X::from(1)), speed[0]);
        let [first, second] = ground_rates(&x, x.du, x.dv);
        motion.holds("(59), u̇₁", x.du1, first);
        motion.holds("(59), v̇₁", x.dv1, second);
    }
}

/// (9), corrected, in all five rates.
fn spin_9(x: &Surface) -> [X; 3] {
    let (b, w) = (&x.body, &x.ground);
    let (p, q) = (w.d / w.re * x.du1, w.d2 / w.rg * x.dv1);
    [
        -(b.d2 / b.rg * x.dv) - q * x.s - p * x.c,
        b.d / b.re * x.du - p * x.s + q * x.c,
        -x.dt + b.turning(x.du, x.dv) + w.turning(x.du1, x.dv1),
    ]
}

/// (11), corrected, in all five rates.
fn velocity_11(x: &Surface) -> V {
    let (b, w) = (&x.body, &x.ground);
    let (p, q) = (w.re * x.du1, w.rg * x.dv1);
    let [sigma, tau, n] = spin_9(x);
    let spin = sigma * b.alpha + tau * b.beta + n * b.gamma;
    (-(p * x.s) + q * x.c - b.re * x.du) * b.alpha + (p * x.c + q * x.s - b.rg * x.dv) * b.beta + b.x.cross(spin)
}

/// (12): u̇₁ and v̇₁ for u̇ and v̇.
fn ground_rates(x: &Surface, du: X, dv: X) -> [X; 2] {
    let (p, q) = (x.body.re * du, x.body.rg * dv);
    [(-(p * x.s) + q * x.c) / x.ground.re, (p * x.c + q * x.s) / x.ground.rg]
}

/// (34), corrected: printed with D₁″/G₁ + D₁/E₁ in σ, and −√E u̇ cos ϑ in τ.
#[test]
fn eq_34_along_the_motion() {
    for side in SIDES {
        let x = two_ellipsoids(side);
        let (motion, b, w) = (&x.motion, &x.body, &x.ground);
        let (p, q) = (b.re * x.du, b.rg * x.dv);
        let (de, d2g, de1, d2g1) = (b.d / b.e, b.d2 / b.g, w.d / w.e, w.d2 / w.g);
        let sigma = |k: X| -(d2g + d2g1) * q + k * (-(p * x.s) + q * x.c) * x.c;
        let tau = |p_cos: X| (de + de1) * p + (d2g1 - de1) * (p_cos + q * x.s) * x.c;
        motion.holds("(34), σ", sigma(d2g1 - de1), x.spin[0]);
        motion.holds("(34), τ", tau(p * x.c), x.spin[1]);
        motion.fails("(34), σ as printed", sigma(d2g1 + de1), x.spin[0]);
        motion.fails("(34), τ as printed", tau(-(p * x.c)), x.spin[1]);
    }
}

/// (50) and the two lines after it: the velocity of O on u and v.
#[test]
fn eq_50_kinetic_energy() {
    let x = two_ellipsoids(1);
    let (motion, b, w) = (&x.motion, &x.body, x.motion.omega);
    let speed = motion.c.cross(w);
    motion.holds("(50)", 2 * x.bar, x.mass * speed.dot(speed) + x.inertia.times(w).dot(w));
    let [sigma, tau, n] = x.spin;
    let eps = b.epsilon();
    motion.holds("kα + lα′ + mα″", speed.dot(b.alpha), -(eps * tau) + b.rho_v() * n / b.rg);
    motion.holds("kβ + lβ′ + mβ″", speed.dot(b.beta), eps * sigma - b.rho_u() * n / b.re);
    motion.constant("Θ = U + h", x.theta - x.force);
}

/// K₁ and K₂: derivatives of T, with all five rates free, by u̇₁ and v̇₁.
fn impulses_of(x: &Surface) -> [X; 2] {
    let (b, k) = (&x.body, velocity_11(x));
    let [sigma, tau, n] = spin_9(x);
    let w = sigma * b.alpha + tau * b.beta + n * b.gamma;
    let t = (x.mass * k.dot(k) + x.inertia.times(w).dot(w)) / 2;
    [t.d(x.du1), t.d(x.dv1)]
}

/// The first expression of K₁ in §16, corrected in three places (√E for √E₁, ∂T/∂k γ for ∂T/∂p γ, D₁/2√E₁ for D₁/√E₁), and (51),
/// right as printed.
#[test]
fn eq_51_impulses() {
    let x = two_ellipsoids(1);
    let (motion, b, w, m) = (&x.motion, &x.body, &x.ground, x.mass);
    let [k1, k2] = impulses_of(&x);
    let (e1_v, g1_u) = w.slopes();
    let root = w.re * w.rg;

    let spin = motion.omega;
    let speed = b.x.cross(spin);
    let (linear, angular) = (m * speed, x.inertia.times(spin));
    let moment = |e: V| linear.dot(b.x.cross(e)) + angular.dot(e);
    let first = |length: X, gamma: X, bent: X| {
        m * length * (-(speed.dot(b.alpha) * x.s) + speed.dot(b.beta) * x.c) + e1_v / (2 * root) * gamma
            - bent * (moment(b.alpha) * x.c + moment(b.beta) * x.s)
    };
    let (gamma, bent) = (moment(b.gamma), w.d / w.re);
    motion.holds("first K₁", first(w.re, gamma, bent), k1);
    motion.fails("first K₁ with √E", first(b.re, gamma, bent), k1);
    let swapped = linear.dot(b.x.cross(b.gamma)) + linear.dot(b.gamma);
    motion.fails("first K₁ with ∂T/∂k γ", first(w.re, swapped, bent), k1);
    motion.fails("first K₁ with D₁/2√E₁", first(w.re, gamma, bent / 2), k1);

    let [sigma, tau, n] = x.spin;
    let [bs, bt, bn] = x.bar_momenta();
    let eps = b.epsilon();
    let (p, q) = (eps * sigma - b.rho_u() * n / b.re, eps * tau - b.rho_v() * n / b.rg);
    let k1_51 = m * w.re * (p * x.c + q * x.s) + e1_v / (2 * root) * bn - w.d / w.re * (bs * x.c + bt * x.s);
    let k2_51 = m * w.rg * (p * x.s - q * x.c) - g1_u / (2 * root) * bn - w.d2 / w.rg * (bs * x.s - bt * x.c);
    motion.holds("(51), K₁", k1_51, k1);
    motion.holds("(51), K₂", k2_51, k2);

    // (55), and with it (58): printed with ρ_u for ρ_v in K₂′
    let [k1_prime, k2_prime] = x.impulses();
    motion.holds("(55) and (58), K₁′", k1 / w.re * x.c + k2 / w.rg * x.s, k1_prime);
    motion.holds("(55) and (58), K₂′", k1 / w.re * x.s - k2 / w.rg * x.c, k2_prime);
    let printed = k2_prime + m * (b.rho_v() - b.rho_u()) * n / b.rg;
    motion.fails("(58), K₂′ as printed", k1 / w.re * x.s - k2 / w.rg * x.c, printed);
}

/// δu, δv, δϑ that may have any value, with (52) and (53).
struct Variation {
    delta: [X; 3],
    ground: [X; 2],
    n: X,
}

impl Variation {
    fn new(x: &mut Surface) -> Variation {
        let delta @ [u, v, t] = ["delta u", "delta v", "delta theta"].map(|name| x.motion.free(name));
        let ground = ground_rates(x, u, v);
        let n = -t + x.body.turning(u, v) + x.ground.turning(ground[0], ground[1]);
        Variation { delta, ground, n }
    }
}

/// (52) and (53): of the velocities of the motion they make u̇₁, v̇₁ and the spin n; and the coefficients of K₁ and K₂ in (18).
#[test]
fn eq_52_53_coefficients_of_the_impulses() {
    let mut x = two_ellipsoids(1);
    let change = Variation::new(&mut x);
    let [d_u, d_v, d_t] = change.delta;
    let real = [(d_u, x.du), (d_v, x.dv), (d_t, x.dt)];
    x.motion.holds("(52), u₁", change.ground[0].put(&real), x.du1);
    x.motion.holds("(52), v₁", change.ground[1].put(&real), x.dv1);
    x.motion.holds("(53)", change.n.put(&real), x.spin[2]);

    // δ(u̇₁ − …) = d/dt δu₁ − δ(…), where δu̇ = d/dt δu: the latter drop out
    let [dd_u, dd_v] = ["rate of delta u", "rate of delta v"].map(|name| x.motion.free(name));
    let Surface { motion, body: b, ground: w, .. } = &x;
    let velocities = ground_rates(&x, x.du, x.dv);
    let mut forward: Vec<(X, X)> = x.coordinates().into_iter().zip(x.velocities()).collect();
    forward.extend([(d_u, dd_u), (d_v, dd_v)]);
    let sideways = [d_u, d_v, d_t, change.ground[0], change.ground[1]];
    let mut sideways: Vec<(X, X)> = x.coordinates().into_iter().zip(sideways).collect();
    sideways.extend([(x.du, dd_u), (x.dv, dd_v)]);
    let coefficient = |i: usize| change.ground[i].along(&forward) - velocities[i].along(&sideways);
    let n = x.spin[2];
    let (p, q) = (b.re * (n * d_u - x.du * change.n), b.rg * (n * d_v - x.dv * change.n));
    motion.holds("coefficient of K₁", coefficient(0), (p * x.c + q * x.s) / w.re);
    motion.holds("coefficient of K₂", coefficient(1), (p * x.s - q * x.c) / w.rg);
}

/// (54), by parts: the integrand vanishes on the motion for all δu, δv, δϑ.
#[test]
fn eq_54_integral() {
    let mut x = two_ellipsoids(1);
    let change = Variation::new(&mut x);
    let [d_u, d_v, d_t] = change.delta;
    let (motion, l, n) = (&x.motion, x.lagrangian(), x.spin[2]);
    let left = x.left_sides();
    let [k1, k2] = x.impulses();
    let direct = left[0] * d_u + left[1] * d_v + left[2] * d_t;
    let carried = l.d(x.ground.u) * change.ground[0] + l.d(x.ground.v) * change.ground[1];
    let impulse = k1 * x.body.re * (n * d_u - x.du * change.n) + k2 * x.body.rg * (n * d_v - x.dv * change.n);
    motion.holds("(54)", direct, carried + impulse);
    motion.fails("(54) without the impulses", direct, carried);
}

/// (56): σ, τ, n without the rates on the ground, and the three derivatives of Θ that follow; R = ΔΔ″ − Δ′².
#[test]
fn eq_56_reduced_velocities() {
    let x = two_ellipsoids(1);
    let (motion, b, w) = (&x.motion, &x.body, &x.ground);
    let rolling = x.spin_56();
    for i in 0..3 {
        motion.holds(&format!("(56), {i}"), rolling[i], x.spin[i]);
    }
    let [d, d1, d2] = x.delta;
    let [bs, bt, bn] = x.bar_momenta();
    motion.holds("∂Θ/∂ϑ̇", x.theta.d(x.dt), -bn);
    motion.holds("∂Θ/∂u̇", x.theta.d(x.du) / b.re, -(d1 * bs) + d * bt + x.delta1 * bn);
    motion.holds("∂Θ/∂v̇", x.theta.d(x.dv) / b.rg, -(d2 * bs) + d1 * bt - x.delta2 * bn);
    let (de, d2g, de1, d2g1) = (b.d / b.e, b.d2 / b.g, w.d / w.e, w.d2 / w.g);
    let r = de * d2g + de1 * d2g1 + (de * de1 + d2g * d2g1) * x.c.sq() + (de * d2g1 + d2g * de1) * x.s.sq();
    motion.holds("R", d * d2 - d1.sq(), r);
}

/// (57), corrected: printed with −∂(Θ + U)/∂u₁ in the second equation, and K′ for K₂′ in the third.
#[test]
fn eq_57_equations_of_motion() {
    for side in SIDES {
        let x = two_ellipsoids(side);
        let (left, right) = (x.left_sides(), x.right_sides());
        for i in 0..3 {
            x.motion.holds(&format!("(57), {}", i + 1), left[i], right[i]);
        }
        let (b, w) = (&x.body, &x.ground);
        let pushed = b.rg * x.lagrangian().d(w.u) * x.c / w.re;
        x.motion.fails("(57), 2, as printed", left[1], right[1] - 2 * pushed);
        let [k1, k2] = x.impulses();
        x.motion.fails("(57), 3, with K₁′", left[2], right[2] + (k1 - k2) * b.rg * x.dv);
        x.motion.fails("(57) without the impulses", left[2], X::from(0));
    }
}

/// After (58): K₁′ and K₂′ in the derivatives of Θ, corrected: printed with √G for √E in K₁′, σ for τ and √E for √G in K₂′.
#[test]
fn after_eq_58_impulses_in_theta() {
    for side in SIDES {
        let x = two_ellipsoids(side);
        let (motion, b, m) = (&x.motion, &x.body, x.mass);
        let [sigma, tau, n] = x.spin;
        let [d, d1, d2] = x.delta;
        let r = d * d2 - d1.sq();
        let [t_u, t_v, t_t] = [x.theta.d(x.du) / b.re, x.theta.d(x.dv) / b.rg, x.theta.d(x.dt)];
        let (e_v, g_u) = b.slopes();
        let (e_v, g_u) = (e_v / b.e, g_u / b.g);
        let (eps, rho_u, rho_v) = (b.epsilon(), b.rho_u(), b.rho_v());
        let (de, d2g) = (b.d / b.e, b.d2 / b.g);
        let k1 = |arm: X| {
            m * arm
                + t_v
                + d2g / r * (d1 * t_u - d * t_v)
                + (d2g * (d1 * x.delta1 + d * x.delta2) / r - g_u / (2 * b.re)) * t_t
        };
        let k2 = |arm: X, length: X| {
            m * arm - t_u
                + de / r * (d2 * t_u - d1 * t_v)
                + (de * (d2 * x.delta1 + d1 * x.delta2) / r - e_v / (2 * length)) * t_t
        };
        let [k1_58, k2_58] = x.impulses();
        motion.holds("K₁′", k1(eps * sigma - rho_u * n / b.re), k1_58);
        motion.holds("K₂′", k2(eps * tau - rho_v * n / b.rg, b.rg), k2_58);
        motion.fails("K₁′ as printed", k1(eps * sigma - rho_u * n / b.rg), k1_58);
        motion.fails("K₂′ with σ", k2(eps * sigma - rho_v * n / b.rg, b.rg), k2_58);
        motion.fails("K₂′ with √E", k2(eps * tau - rho_v * n / b.rg, b.re), k2_58);
    }
}

/// The rates of σ, τ, n are those of the spin: Ω̇ on the axes, and the turning of the axes over the body, (8).
#[test]
fn eq_8_turning_along_the_motion() {
    let x = two_ellipsoids(1);
    let (motion, b) = (&x.motion, &x.body);
    // Ω̇ = (σ̇, τ̇, ṅ) on the axes, which turn with −(σ₁, τ₁, n₁)
    let turning = -(b.d2 / b.rg * x.dv) * b.alpha + (b.d / b.re * x.du) * b.beta + b.turning(x.du, x.dv) * b.gamma;
    let [sigma, tau, n] = x.spin.map(|s| rate(s, 1));
    let moved = sigma * b.alpha + tau * b.beta + n * b.gamma;
    motion.hold("(8)", moved - turning.cross(motion.omega), motion.omega_rate);
}
