//! [Voronets1911, §11]: (41)–(44), the equations on a sphere from the law of moments about the point of contact, and the same
//! without charts.
//!
//! The motions and their time derivatives: `neumann/motion.rs`.

use crate::neumann;

use neumann::algebra::{V, X};
use neumann::motion::Motion;
use neumann::sphere::{Lopsided, Sphere};

/// ∂T/∂(k, l, m) and ∂T/∂(p, q, r) on the motion, and the force at O in body axes.
struct Momenta {
    linear: V,
    angular: V,
    force: V,
}

impl Momenta {
    fn new(s: &Sphere) -> Momenta {
        let (c, w, x) = (s.motion.c, s.motion.omega, s.motion.centre);
        let pull = 20 / x.dot(x).sqrt();
        let force = s.motion.body(V([0, 1, 2].map(|i| pull.d(x[i]))));
        Momenta { linear: s.mass * c.cross(w), angular: s.inertia.times(w), force }
    }
}

/// The derivative of a vector in the world, for components in body axes.
fn absolute(motion: &Motion, v: V) -> V {
    motion.rate_of(v) + motion.omega.cross(v)
}

/// (41) and (42): the velocity of O, and ∂Θ/∂v̇/ν, ∂Θ/∂u̇/μ, ∂Θ/∂n as the moment about M on the axes u, v, n.
#[test]
fn eq_41_42_moment_about_the_contact() {
    for case in Lopsided::SOME {
        let s = case.problem();
        let Sphere { motion, chart, du, dv, n, nu, mu, .. } = &s;
        let terms = [(chart.alpha, *nu * *dv), (chart.beta, *mu * *du), (chart.gamma, *n)];
        let speed = terms.iter().fold(V::zero(), |sum, (e, w)| sum + *w * chart.x.cross(*e));
        // the velocity of O in body axes, from the motion of the centre itself
        motion.hold("(41)", speed, motion.body(motion.rate_of(motion.centre)));
        let [p1, p2, p3] = s.momenta();
        let t = Momenta::new(&s);
        for (label, p, e) in
            [("(42), u", p2 / *nu, chart.alpha), ("(42), v", p1 / *mu, chart.beta), ("(42), n", p3, chart.gamma)]
        {
            motion.holds(label, p, t.linear.dot(chart.x.cross(e)) + t.angular.dot(e));
            motion.holds(label, p, s.moment().dot(e));
        }
    }
}

/// (43), on the three axes: Γ₁′ = Γ̇₁ + K is the moment of the applied forces, that of the ground has none.
#[test]
fn eq_43_moving_pole() {
    for case in Lopsided::SOME {
        let s = case.problem();
        let (motion, t) = (&s.motion, Momenta::new(&s));
        let (c, moment) = (motion.c, s.moment());
        let drag = motion.rate_of(c).cross(t.linear);
        let applied = -c.cross(t.force);
        motion.hold("(43)", absolute(motion, moment) + drag, applied);
        motion.fails("(43) without K", absolute(motion, moment)[0], applied[0]);

        // the line before (44), on u
        let e = s.chart.alpha;
        // the velocity of the end of the unit vector u
        let end = motion.rate_of(e) + motion.omega.cross(e);
        let [_, p2, _] = s.momenta();
        let left = motion.rate(p2 / s.nu) - (t.angular - c.cross(t.linear)).dot(end) + drag.dot(e);
        motion.holds("line before (44)", left, applied.dot(e));
        motion.holds("Γ₂ cos(Γ₂, u) = U_v/ν", applied.dot(e), s.force.d(s.chart.v) / s.nu);
    }
}

/// (44), corrected: printed with r y α′ for r ν α′.
#[test]
fn eq_44_projected_on_u() {
    for case in Lopsided::SOME {
        let s = case.problem();
        let (motion, chart, nu, t) = (&s.motion, &s.chart, s.nu, Momenta::new(&s));
        let (x, w, e) = (chart.x, motion.omega, chart.alpha);
        let [_, p2, _] = s.momenta();
        let left = motion.rate(p2);
        let arm = motion.rate_of(nu * x.cross(e));
        let linear = arm + (nu * x.dot(e)) * w - (x.dot(w)) * (nu * e);
        let angular = motion.rate_of(nu * e) + nu * w.cross(e);
        let right = |linear: V, angular: V| t.linear.dot(linear) + t.angular.dot(angular) + s.force.d(chart.v);
        motion.holds("(44)", left, right(linear, angular));
        let slip = V([w[2] * (nu - x[1]) * e[1], X::from(0), X::from(0)]);
        motion.fails("(44) as printed", left, right(linear, angular + slip));
        // the same from the equations with multipliers, with x ν (pα + qα′ + rα″)
        let other = arm + (nu * w.dot(e)) * x - (x.dot(w)) * (nu * e);
        motion.holds("(44), second form", left, right(other, angular));
        motion.vanishes("p T_k + q T_l + r T_m", w.dot(t.linear));
        motion.vanishes("x T_k + y T_l + z T_m", x.dot(t.linear));
    }
}

/// §11, the equations of a free body with the force λ of the ground, which Polhode finds as the multipliers.
#[test]
fn section_11_equations_with_multipliers() {
    for case in Lopsided::SOME {
        let s = case.problem();
        let (motion, t) = (&s.motion, Momenta::new(&s));
        let (w, lambda) = (motion.omega, motion.reaction);
        motion.hold("d/dt T_k", motion.rate_of(t.linear), t.linear.cross(w) + t.force + lambda);
        motion.hold("d/dt T_p", motion.rate_of(t.angular), t.angular.cross(w) + motion.c.cross(lambda));
    }
}

/// Without charts, (I + M(c² − ccᵀ))Ω̇ = (IΩ + κe) × Ω + Mc × [(Ω × c + V) × Ω] − c × F, and the force of the ground
/// λ = M[(Ω × c + V) × Ω + c × Ω̇] − F; on a sphere c and Ω say where O is. This is what (40) says on the axes u, v, n.
#[test]
fn equations_without_charts() {
    for case in Lopsided::SOME {
        let s = Lopsided { rotor: 8, ..case }.problem();
        let (motion, m, t) = (&s.motion, s.mass, Momenta::new(&s));
        let (c, w, dw, v) = (motion.c, motion.omega, motion.omega_rate, motion.rate_of(motion.c));
        let zero = X::from(0);
        let drift = (w.cross(c) + v).cross(w);
        let left = s.inertia.times(dw) + m * c.cross(dw.cross(c));
        let spin = t.angular + V([zero, zero, s.kappa]);
        motion.hold("Ω̇", left, spin.cross(w) + m * c.cross(drift) - c.cross(t.force));
        motion.hold("λ", motion.reaction, m * (drift + c.cross(dw)) - t.force);
        motion.hold("O", motion.centre, -motion.world(c + s.r1 * s.chart.gamma));
        let rates = [s.chart.x_u.dot(v) / s.chart.e, s.chart.x_v.dot(v) / s.chart.g];
        motion.holds("u̇ = x_u·V/E", s.du, rates[0]);
        motion.holds("v̇ = x_v·V/G", s.dv, rates[1]);
    }
}
