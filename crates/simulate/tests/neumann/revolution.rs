//! Bodies of revolution on a sphere, in the letters of [Voronets1911, §14].
//!
//! x = u cos v, y = u sin v, z = z(u) has n_z > 0: outwards on the upper half of a body, inwards on the lower one, where R₁ is
//! negative. The sign is a constant of each state.

use super::algebra::{V, X, atan2, ratio};
use super::chart::{Chart, ON_BODY};
use super::motion::Motion;
use super::sphere::{Body, Sphere};

/// A spheroid (1, 1, 3/2) with its centre of mass off the middle by 1/5, on a sphere of radius 2.
pub(crate) struct Egg<'a> {
    /// The lower or the upper half.
    pub(crate) normal: &'a str,
    /// Numerator of κ over 10.
    pub(crate) rotor: i64,
    /// Attraction k r.
    pub(crate) k: &'a str,
    pub(crate) omega: &'a str,
    pub(crate) times: &'a [f64],
}

impl Egg<'_> {
    /// Both halves.
    pub(crate) fn both(rotor: i64) -> [Egg<'static>; 2] {
        ["[1, 0, -1]", "[1, 0, 2]"].map(|normal| Egg {
            normal,
            rotor,
            k: "1/2",
            omega: r#"["1/2", "1/4", "4/5"]"#,
            times: &[0.0, 0.3, 0.6, 1.0],
        })
    }

    pub(crate) fn problem(&self) -> Sphere {
        let Egg { normal, rotor, k, omega, times } = self;
        let text = format!(
            r#"
[body.egg]
mass      = "7/5"
surface   = {{ spheroid = [1, "3/2"], centre = [0, 0, "1/5"] }}
inertia   = ["13/20", "13/20", "2/5"]
gyroscope = {{ momentum = "{rotor}/10", axis = [0, 0, 1] }}
[ground]
surface   = {{ sphere = 2 }}
bilateral = true
[lagrangian]
potential = "{k}/2*norm2(x_O)"
[initial.egg]
contact  = {{ normal = {normal} }}
touching = ["6/5", 0, "8/5"]
Omega    = {omega}
"#
        );
        let mut motion = Motion::new(&text, times);
        let [x, y, z] = motion.c.0;
        let half = motion.sign("half", z - ratio(1, 5));
        let u = motion.letter(ON_BODY.u, (x.sq() + y.sq()).sqrt(), 3);
        let v = motion.letter(ON_BODY.v, atan2(y, x), 3);
        let height = ratio(1, 5) + half * ratio(3, 2) * (1 - u.sq()).sqrt();
        let chart = Chart::new(u, v, V([u * v.cos(), u * v.sin(), height]));
        motion.hold("position", chart.x, motion.c);
        let inertia = V([ratio(13, 20), ratio(13, 20), ratio(2, 5)]);
        let body = Body { r1: 2 * half, mass: ratio(7, 5), inertia, kappa: ratio(*rotor, 10) };
        let k = super::algebra::fraction(k);
        Sphere::new(motion, chart, body, |square| -(k * square / 2))
    }
}

/// P, Q, L, J of (49): Θ = ½(P u̇² + Q v̇² + 2L v̇n + J n²).
pub(crate) fn coefficients(s: &Sphere) -> [X; 4] {
    [(s.du, s.du), (s.dv, s.dv), (s.dv, s.n), (s.n, s.n)].map(|(a, b)| s.theta.d(a).d(b))
}

/// The right sides of the two linear equations of §14, d/du ∂Θ/∂v̇ = … and d/du ∂Θ/∂n = …, with the terms of §15.
pub(crate) fn linear_right_sides(s: &Sphere) -> [X; 2] {
    let Sphere { chart, r1, mass: m, dv, n, nu, mu, kappa, .. } = s;
    let (r1, m, dv, n, nu, mu, kappa) = (*r1, *m, *dv, *n, *nu, *mu, *kappa);
    let [p, ..] = coefficients(s);
    let [_, p2, p3] = s.momenta();
    let eps = chart.epsilon();
    let (a, c) = (chart.alpha[2], chart.gamma[2]);
    let push = chart.rg / r1 * p / mu;
    [
        -s.c0() * p3 + push * n + m * eps * chart.rg * mu * n - nu * kappa * mu * c,
        -(push * dv) - chart.re / r1 / nu * p2 + m * chart.rho_u() * n - m * eps * (chart.re * nu + chart.rg * mu) * dv
            + kappa * mu * a,
    ]
}
