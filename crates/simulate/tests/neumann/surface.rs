//! A body on any surface, in the letters of [Voronets1911, ch. IV].

use super::algebra::{V, X, ratio};
use super::chart::{Chart, ON_BODY, ON_GROUND, elliptic_letters, rate, theta_letter};
use super::motion::Motion;
use super::sphere::kinetic_energy;

/// The quantities of §§16, 17 for one motion.
pub(crate) struct Surface {
    pub(crate) motion: Motion,
    pub(crate) body: Chart,
    pub(crate) ground: Chart,
    /// ϑ.
    pub(crate) angle: X,
    /// sin ϑ, cos ϑ.
    pub(crate) s: X,
    pub(crate) c: X,
    /// u̇, v̇, ϑ̇, u̇₁, v̇₁.
    pub(crate) du: X,
    pub(crate) dv: X,
    pub(crate) dt: X,
    pub(crate) du1: X,
    pub(crate) dv1: X,
    pub(crate) mass: X,
    pub(crate) inertia: V,
    /// σ, τ, n as letters, from the spin of the motion.
    pub(crate) spin: [X; 3],
    /// Δ, Δ′, Δ″ and Δ₁, Δ₂ of (56).
    pub(crate) delta: [X; 3],
    pub(crate) delta1: X,
    pub(crate) delta2: X,
    /// Θ̄ of (50), in σ, τ, n.
    pub(crate) bar: X,
    /// Θ, in u, v, ϑ, u₁, v₁, u̇, v̇, ϑ̇.
    pub(crate) theta: X,
    /// U, in u, v, ϑ, u₁, v₁.
    pub(crate) force: X,
}

impl Surface {
    /// With charts whose parameters are letters of the motion, and U as a function of the centre of mass.
    pub(crate) fn new(
        mut motion: Motion,
        body: Chart,
        ground: Chart,
        (mass, inertia): (X, V),
        force: impl Fn(V) -> X,
    ) -> Surface {
        let angle = theta_letter(&mut motion, &body, &ground);
        let (s, c) = (angle.sin(), angle.cos());
        let [du, dv, dt, du1, dv1] = [body.u, body.v, angle, ground.u, ground.v].map(|x| rate(x, 1));
        let axes = [("sigma", body.alpha), ("tau", body.beta), ("n", body.gamma)];
        let spin = axes.map(|(name, e)| motion.letter(name, motion.omega.dot(e), 1));
        let (de, d2g) = (body.d / body.e, body.d2 / body.g);
        let (de1, d2g1) = (ground.d / ground.e, ground.d2 / ground.g);
        let delta = [de + de1 * s.sq() + d2g1 * c.sq(), (d2g1 - de1) * s * c, d2g + d2g1 * s.sq() + de1 * c.sq()];
        let (e_v, g_u) = body.slopes();
        let (e1_v, g1_u) = ground.slopes();
        let (e1_v, g1_u) = (e1_v / ground.e, g1_u / ground.g);
        let delta1 = (e_v / body.e / body.rg - s / ground.rg * e1_v - c / ground.re * g1_u) / 2;
        let delta2 = (g_u / body.g / body.re + s / ground.re * g1_u - c / ground.rg * e1_v) / 2;
        let bar = kinetic_energy(&body, mass, inertia, spin);
        let force = force(centre(&body, &ground, s, c));
        let mut out = Surface {
            motion,
            body,
            ground,
            angle,
            s,
            c,
            du,
            dv,
            dt,
            du1,
            dv1,
            mass,
            inertia,
            spin,
            delta,
            delta1,
            delta2,
            bar,
            theta: bar,
            force,
        };
        let rolling = out.spin_56();
        out.theta = bar.put(&[(spin[0], rolling[0]), (spin[1], rolling[1]), (spin[2], rolling[2])]);
        out
    }

    /// σ, τ, n of (56).
    pub(crate) fn spin_56(&self) -> [X; 3] {
        let (p, q) = (self.body.re * self.du, self.body.rg * self.dv);
        let [d, d1, d2] = self.delta;
        [-(d1 * p) - d2 * q, d * p + d1 * q, -self.dt + self.delta1 * p - self.delta2 * q]
    }

    /// ∂Θ̄/∂σ, ∂Θ̄/∂τ, ∂Θ̄/∂n.
    pub(crate) fn bar_momenta(&self) -> [X; 3] {
        self.spin.map(|x| self.bar.d(x))
    }

    /// Θ + U.
    pub(crate) fn lagrangian(&self) -> X {
        self.theta + self.force
    }

    /// The five coordinates.
    pub(crate) fn coordinates(&self) -> [X; 5] {
        [self.body.u, self.body.v, self.angle, self.ground.u, self.ground.v]
    }

    /// Their rates.
    pub(crate) fn velocities(&self) -> [X; 5] {
        [self.du, self.dv, self.dt, self.du1, self.dv1]
    }

    /// The left sides of (57).
    pub(crate) fn left_sides(&self) -> [X; 3] {
        let l = self.lagrangian();
        let part = |v: X, q: X| self.motion.rate(self.theta.d(v)) - l.d(q);
        [part(self.du, self.body.u), part(self.dv, self.body.v), part(self.dt, self.angle)]
    }

    /// K₁′ and K₂′ of (58), corrected.
    pub(crate) fn impulses(&self) -> [X; 2] {
        let (b, m) = (&self.body, self.mass);
        let [sigma, tau, n] = self.spin;
        let [bs, bt, bn] = self.bar_momenta();
        let [d, d1, d2] = self.delta;
        let (e_v, g_u) = b.slopes();
        let eps = b.epsilon();
        [
            m * (eps * sigma - b.rho_u() * n / b.re) - (d2 - b.d2 / b.g) * bs + d1 * bt
                - (self.delta2 - g_u / b.g / (2 * b.re)) * bn,
            m * (eps * tau - b.rho_v() * n / b.rg) + d1 * bs
                - (d - b.d / b.e) * bt
                - (self.delta1 - e_v / b.e / (2 * b.rg)) * bn,
        ]
    }

    /// The right sides of (57), corrected.
    pub(crate) fn right_sides(&self) -> [X; 3] {
        let (b, w, l) = (&self.body, &self.ground, self.lagrangian());
        let (l_u1, l_v1) = (l.d(w.u) / w.re, l.d(w.v) / w.rg);
        let [k1, k2] = self.impulses();
        let x = (self.delta2 * k1 + self.delta1 * k2) * b.re * b.rg;
        [
            b.re * (-(l_u1 * self.s) + l_v1 * self.c - k1 * self.dt) - x * self.dv,
            b.rg * (l_u1 * self.c + l_v1 * self.s - k2 * self.dt) + x * self.du,
            k1 * b.re * self.du + k2 * b.rg * self.dv,
        ]
    }
}

/// The centre of mass in the axes of the ground: x₁ − (r_u e_u + r_v e_v + ε n).
pub(crate) fn centre(body: &Chart, ground: &Chart, s: X, c: X) -> V {
    let (e_u, e_v) = (c * ground.beta - s * ground.alpha, c * ground.alpha + s * ground.beta);
    let arm = body.rho_u() / body.re * e_u + body.rho_v() / body.rg * e_v - body.epsilon() * ground.gamma;
    ground.x - arm
}

/// Two ellipsoids without symmetry, under a force without symmetry. With `side` = −1 both charts have n inwards.
pub(crate) fn two_ellipsoids(side: i64) -> Surface {
    let text = r#"
[body.egg]
mass    = "7/5"
surface = { ellipsoid = [2, "3/2", 1], centre = ["1/10", "-1/5", "3/20"] }
inertia = ["13/20", 1, "5/4"]
[ground]
surface   = { ellipsoid = [3, "5/2", 2], centre = ["1/5", "1/10", "-3/10"] }
bilateral = true
[lagrangian]
potential = "norm2(x_O)/2 + 2*x_O[3] + x_O[1]*x_O[2]/5"
[initial.egg]
contact  = { normal = [1, 1, -2] }
touching = "[1/5, 1/10, -3/10] + [1, -1, 2]/sqrt(1/9 + 4/25 + 1)"
Omega    = ["1/2", "1/3", "1/2"]
"#;
    let mut motion = Motion::new(text, &[0.0, 0.3, 0.8, 1.2]);
    let (c, c1) = (motion.c, motion.c1);
    let axes = [X::from(2), ratio(3, 2), X::from(1)];
    let middle = V([ratio(1, 10), ratio(-1, 5), ratio(3, 20)]);
    let body = elliptic_letters(&mut motion, &ON_BODY, axes, middle, c, side);
    let axes = [X::from(3), ratio(5, 2), X::from(2)];
    let middle = V([ratio(1, 5), ratio(1, 10), ratio(-3, 10)]);
    let ground = elliptic_letters(&mut motion, &ON_GROUND, axes, middle, c1, side);
    let inertia = V([ratio(13, 20), X::from(1), ratio(5, 4)]);
    let surface =
        Surface::new(motion, body, ground, (ratio(7, 5), inertia), |x| -(x.dot(x) / 2) - 2 * x[2] - x[0] * x[1] / 5);
    let found = centre(&surface.body, &surface.ground, surface.s, surface.c);
    surface.motion.hold("centre of mass", found, surface.motion.centre);
    surface
}
