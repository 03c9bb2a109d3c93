//! A body on a sphere that attracts it, in the letters of [Voronets1911, ch. III].
//!
//! **The sign of R₁.** The paper has n = −n₁ and −1/R₁ = D₁/E₁, and says no more. So R₁ > 0 where n points out of the body and
//! the body is outside the sphere; R₁ < 0 in a cavity, and for charts of the body with n inwards; R₁ > 0 again when both
//! are so.

use super::algebra::{V, X, ratio};
use super::chart::{Chart, ON_BODY, elliptic_letters, rate};
use super::motion::Motion;

/// The quantities of §§10–15 for one motion.
pub(crate) struct Sphere {
    pub(crate) motion: Motion,
    pub(crate) chart: Chart,
    /// R₁ with its sign.
    pub(crate) r1: X,
    pub(crate) mass: X,
    /// A, B, C.
    pub(crate) inertia: V,
    /// The momentum of a rotor along the z axis of the body.
    pub(crate) kappa: X,
    /// u̇, v̇.
    pub(crate) du: X,
    pub(crate) dv: X,
    /// n.
    pub(crate) n: X,
    /// ν and μ of (37).
    pub(crate) nu: X,
    pub(crate) mu: X,
    /// Θ of (38), as a function of u, v, u̇, v̇, n.
    pub(crate) theta: X,
    /// U, as a function of u and v.
    pub(crate) force: X,
}

/// What is not in the chart.
pub(crate) struct Body {
    pub(crate) r1: X,
    pub(crate) mass: X,
    pub(crate) inertia: V,
    pub(crate) kappa: X,
}

impl Sphere {
    /// With a chart whose parameters are letters of the motion, and the force function of the distance O O₁ squared.
    pub(crate) fn new(mut motion: Motion, chart: Chart, body: Body, force: impl Fn(X) -> X) -> Sphere {
        let Body { r1, mass, inertia, kappa } = body;
        let n = motion.letter("n", motion.omega.dot(chart.gamma), 1);
        let (du, dv) = (rate(chart.u, 1), rate(chart.v, 1));
        let nu = -(chart.d2 / chart.g - 1 / r1) * chart.rg;
        let mu = (chart.d / chart.e - 1 / r1) * chart.re;
        let theta = kinetic_energy(&chart, mass, inertia, [nu * dv, mu * du, n]);
        let force = force(r1.sq() + chart.rho2() + 2 * r1 * chart.epsilon());
        Sphere { motion, chart, r1, mass, inertia, kappa, du, dv, n, nu, mu, theta, force }
    }

    /// ∂Θ/∂u̇, ∂Θ/∂v̇, ∂Θ/∂n.
    pub(crate) fn momenta(&self) -> [X; 3] {
        [self.du, self.dv, self.n].map(|x| self.theta.d(x))
    }

    /// √(EG) (DD″/(EG) − 1/R₁²).
    pub(crate) fn c0(&self) -> X {
        let c = &self.chart;
        c.re * c.rg * (c.d * c.d2 / (c.e * c.g) - 1 / self.r1.sq())
    }

    /// The right sides of (40), with the terms of §15.
    pub(crate) fn right_sides(&self) -> [X; 3] {
        let Sphere { chart, r1, mass: m, du, dv, n, nu, mu, kappa, .. } = self;
        let (r1, m, du, dv, n, nu, mu, kappa) = (*r1, *m, *du, *dv, *n, *nu, *mu, *kappa);
        let [p1, p2, p3] = self.momenta();
        let (eps, rho_u, rho_v) = (chart.epsilon(), chart.rho_u(), chart.rho_v());
        let [a, b, c] = [chart.alpha[2], chart.beta[2], chart.gamma[2]];
        [
            self.c0() * p3 * dv + chart.re / r1 / nu * p2 * n - m * rho_u * n.sq()
                + m * eps * chart.re * nu * dv * n
                + mu * kappa * (nu * dv * c - n * a),
            -self.c0() * p3 * du + chart.rg / r1 / mu * p1 * n - m * rho_v * n.sq()
                + m * eps * chart.rg * mu * du * n
                + nu * kappa * (n * b - mu * du * c),
            -(chart.re / r1 / nu * p2 * du) - chart.rg / r1 / mu * p1 * dv + m * (rho_u * du + rho_v * dv) * n
                - m * eps * (chart.re * nu + chart.rg * mu) * du * dv
                + kappa * (mu * du * a - nu * dv * b),
        ]
    }

    /// The left sides of (40).
    pub(crate) fn left_sides(&self) -> [X; 3] {
        let [p1, p2, p3] = self.momenta().map(|p| self.motion.rate(p));
        let sum = self.theta + self.force;
        [p1 - sum.d(self.chart.u), p2 - sum.d(self.chart.v), p3]
    }

    /// p₁, p₂, p₃ as letters.
    pub(crate) fn momentum_letters(&mut self) -> [X; 3] {
        let momenta = self.momenta();
        [0, 1, 2].map(|i| self.motion.letter(&format!("p{}", i + 1), momenta[i], 1))
    }

    /// H of §13 as a function of u, v, p₁, p₂, p₃: Θ = ½ ẋᵀ m ẋ with ẋ = (u̇, v̇, n), so H = ½ pᵀ m⁻¹ p − U.
    pub(crate) fn hamiltonian(&self, p: [X; 3]) -> X {
        let velocities = [self.du, self.dv, self.n];
        let m = velocities.map(|a| V(velocities.map(|b| self.theta.d(a).d(b))));
        let adjugate = [m[1].cross(m[2]), m[2].cross(m[0]), m[0].cross(m[1])];
        let p = V(p);
        let product = p[0] * adjugate[0] + p[1] * adjugate[1] + p[2] * adjugate[2];
        product.dot(p) / (2 * m[0].dot(adjugate[0])) - self.force
    }

    /// (45): ṗ₁, ṗ₂, ṗ₃, u̇, v̇ as functions of u, v, p₁, p₂, p₃.
    pub(crate) fn canonical(&self, h: X, p: [X; 3]) -> [X; 5] {
        let Sphere { chart, r1, mass: m, nu, mu, .. } = self;
        let (r1, m, nu, mu) = (*r1, *m, *nu, *mu);
        let [h1, h2, h3] = p.map(|p| h.d(p));
        let [p1, p2, p3] = p;
        let (eps, rho_u, rho_v) = (chart.epsilon(), chart.rho_u(), chart.rho_v());
        [
            -h.d(chart.u) + self.c0() * h2 * p3 + chart.re / r1 / nu * h3 * p2 - m * rho_u * h3.sq()
                + m * eps * chart.re * nu * h2 * h3,
            -h.d(chart.v) - self.c0() * h1 * p3 + chart.rg / r1 / mu * h3 * p1 - m * rho_v * h3.sq()
                + m * eps * chart.rg * mu * h1 * h3,
            -(chart.rg / r1 / mu * h2 * p1) - chart.re / r1 / nu * h1 * p2 + m * (rho_u * h1 + rho_v * h2) * h3
                - m * eps * (chart.re * nu + chart.rg * mu) * h1 * h2,
            h1,
            h2,
        ]
    }

    /// The moment of momentum about the point of contact, body axes, from the spin alone: I Ω + M c × (Ω × c).
    pub(crate) fn moment(&self) -> V {
        let (c, w) = (self.motion.c, self.motion.omega);
        self.inertia.times(w) + self.mass * c.cross(w.cross(c))
    }
}

/// (38), (50): 2Θ̄ = Mρ²(σ² + τ² + n²) − M(ρρ_u σ/√E + ρρ_v τ/√G + εn)² + A(σα + τβ + nγ)² + …
pub(crate) fn kinetic_energy(chart: &Chart, mass: X, inertia: V, [sigma, tau, n]: [X; 3]) -> X {
    let inner = chart.rho_u() * sigma / chart.re + chart.rho_v() * tau / chart.rg + chart.epsilon() * n;
    let spin = sigma * chart.alpha + tau * chart.beta + n * chart.gamma;
    let square = sigma.sq() + tau.sq() + n.sq();
    (mass * chart.rho2() * square - mass * inner.sq() + inertia.times(spin).dot(spin)) / 2
}

/// A body without symmetry on a sphere that attracts it: an ellipsoid whose centre of mass is elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Lopsided {
    pub(crate) cavity: bool,
    /// Is n along the outward normal (1) or the inward one (−1)?
    pub(crate) side: i64,
    /// Numerator of κ over 10.
    pub(crate) rotor: i64,
}

impl Lopsided {
    /// Outside and in a cavity, with both directions of n.
    pub(crate) const ALL: [Lopsided; 4] = [
        Lopsided { cavity: false, side: 1, rotor: 0 },
        Lopsided { cavity: true, side: 1, rotor: 0 },
        Lopsided { cavity: false, side: -1, rotor: 0 },
        Lopsided { cavity: true, side: -1, rotor: 0 },
    ];
    /// Outside with n outwards, and in a cavity with n inwards.
    pub(crate) const SOME: [Lopsided; 2] = [Lopsided::ALL[0], Lopsided::ALL[3]];
    /// Outside with n outwards.
    pub(crate) const OUTSIDE: Lopsided = Lopsided::ALL[0];

    pub(crate) fn text(self) -> String {
        let ground = if self.cavity { "{ sphere = 5, inside = true }" } else { "{ sphere = 3 }" };
        let touching = if self.cavity { "[0, 3, -4]" } else { "[1, 2, 2]" };
        format!(
            r#"
[body.egg]
mass      = "7/5"
surface   = {{ ellipsoid = [2, "3/2", 1], centre = ["1/10", "-1/5", "3/20"] }}
inertia   = ["13/20", 1, "5/4"]
gyroscope = {{ momentum = "{}/10", axis = [0, 0, 1] }}
[ground]
surface   = {ground}
bilateral = true
[lagrangian]
potential = "-20/norm(x_O)"
[initial.egg]
contact  = {{ normal = [1, 1, -2] }}
touching = {touching}
Omega    = ["1/2", "1/3", "1/2"]
"#,
            self.rotor
        )
    }

    pub(crate) fn problem(self) -> Sphere {
        // away from the planes of symmetry, where elliptic coordinates are singular
        let times = if self.cavity { [0.0, 0.1, 0.2, 0.6] } else { [0.0, 0.6, 1.5, 2.5] };
        let mut motion = Motion::new(&self.text(), &times);
        let axes = [X::from(2), ratio(3, 2), X::from(1)];
        let centre = V([ratio(1, 10), ratio(-1, 5), ratio(3, 20)]);
        let point = motion.c;
        let chart = elliptic_letters(&mut motion, &ON_BODY, axes, centre, point, self.side);
        let body = Body {
            r1: X::from(self.side * if self.cavity { -5 } else { 3 }),
            mass: ratio(7, 5),
            inertia: V([ratio(13, 20), X::from(1), ratio(5, 4)]),
            kappa: ratio(self.rotor, 10),
        };
        Sphere::new(motion, chart, body, |square| 20 / square.sqrt())
    }
}
