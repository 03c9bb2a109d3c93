//! [Voronets1911, §14], the cylindrical rod on a sphere, along motions without charts.
//!
//! x = R cos v, y = R sin v, z = u has its normal inwards, so the formulas, in print with R₁ > 0, are those of a tube around the
//! sphere, R > R₁. For a rod outside the sphere R₁ is to be replaced by −R₁ in all of them. A rod inside a hollow
//! sphere has R₁ > 0 and R < R₁ (the bodies overlap there, which the equations do not mind).

use crate::neumann;

use neumann::algebra::{V, X, atan2, decimal, ratio};
use neumann::chart::{Chart, ON_BODY, rate};
use neumann::motion::Motion;
use neumann::sphere::{Body, Sphere};

/// A rod or a tube of mass 1 with A = 1/3, C = 1/32, and the sign of R₁.
struct Rod {
    surface: &'static str,
    radius: (i64, i64),
    contact: &'static str,
    ground: &'static str,
    touching: &'static str,
    r1: i64,
}

const OUTSIDE: Rod = Rod {
    surface: r#"{ cylinder = "1/4" }"#,
    radius: (1, 4),
    contact: r#"["1/4", 0, "1/10"]"#,
    ground: "{ sphere = 1 }",
    touching: "[0, 0, 1]",
    r1: -1,
};

const TUBE: Rod = Rod {
    surface: "{ cylinder = 2, inside = true }",
    radius: (2, 1),
    contact: r#"[2, 0, "1/10"]"#,
    ground: "{ sphere = 1 }",
    touching: "[0, 0, 1]",
    r1: 1,
};

const INSIDE: Rod = Rod {
    surface: r#"{ cylinder = "1/4" }"#,
    radius: (1, 4),
    contact: r#"["1/4", 0, "1/10"]"#,
    ground: "{ sphere = 3, inside = true }",
    touching: "[0, 0, 3]",
    r1: 3,
};

impl Rod {
    fn problem(&self) -> Sphere {
        let Rod { surface, contact, ground, touching, .. } = self;
        let text = format!(
            r#"
[body.rod]
mass    = 1
surface = {surface}
inertia = ["1/3", "1/3", "1/32"]
[ground]
surface   = {ground}
bilateral = true
[lagrangian]
potential = "-1/norm(x_O)"
[initial.rod]
contact        = {contact}
touching       = {touching}
tangent_body   = [0, 0, 1]
tangent_ground = [1, 0, 0]
Omega          = ["1/5", "2/5", "3/10"]
"#
        );
        let mut motion = Motion::new(&text, &[0.0, 0.2, 0.5, 1.0]);
        let [x, y, z] = motion.c.0;
        let u = motion.letter(ON_BODY.u, z, 3);
        let v = motion.letter(ON_BODY.v, atan2(y, x), 3);
        let r = self.radius();
        let chart = Chart::new(u, v, V([r * v.cos(), r * v.sin(), u]));
        let inertia = V([ratio(1, 3), ratio(1, 3), ratio(1, 32)]);
        let body = Body { r1: X::from(self.r1), mass: X::from(1), inertia, kappa: X::from(0) };
        Sphere::new(motion, chart, body, |square| 1 / square.sqrt())
    }

    fn radius(&self) -> X {
        ratio(self.radius.0, self.radius.1)
    }
}

/// The formulas of the paper, for some R₁.
struct Printed {
    theta2: X,
    /// d/du of …
    momenta: [X; 2],
    /// … is this.
    right: [X; 2],
    /// (λ² + u²) v̇″ + 3u v̇′ + k v̇ = 0.
    lambda2: X,
    k: X,
}

fn printed(s: &Sphere, r: X, r1: X) -> Printed {
    let (m, [a, _, c]) = (s.mass, s.inertia.0);
    let (u, du, dv, n) = (s.chart.u, s.du, s.dv, s.n);
    let q = r / r1 - 1;
    let whole = c + m * r.sq();
    Printed {
        theta2: (a + m * r.sq() + m * u.sq()) / r1.sq() * du.sq()
            + whole * q.sq() * dv.sq()
            + 2 * m * r * q * u * n * dv
            + (a + m * u.sq()) * n.sq(),
        momenta: [m * r * u * n + whole * q * dv, (a + m * u.sq()) * n + m * r * q * u * dv],
        right: [
            m * r.sq() / r1.sq() * (u * dv - r1 * n),
            (r / r1.sq() * (a + m * r.sq() + m * u.sq()) - q / r1 * whole - m * r) * dv - m * q * u * n,
        ],
        lambda2: a * whole / (m * c),
        k: (r / r1).sq() * (r + r1) / (r - r1) * a / c - r / r1 * (r / r1 + 2),
    }
}

/// The quantities of the rod; D″, ε, μ, ν with the inward normal.
#[test]
fn section_14_rod_quantities() {
    for rod in [OUTSIDE, TUBE, INSIDE] {
        let s = rod.problem();
        let (motion, chart, r) = (&s.motion, &s.chart, rod.radius());
        let one = X::from(1);
        for (label, a, b) in [
            ("E", chart.e, one),
            ("G", chart.g, r.sq()),
            ("α″", chart.alpha[2], one),
            ("D″", chart.d2, r),
            ("ρ²", chart.rho2(), r.sq() + chart.u.sq()),
            ("ε", chart.epsilon(), -r),
            ("μ", s.mu, -1 / s.r1),
            ("ν", s.nu, r / s.r1 - 1),
        ] {
            motion.holds(label, a, b);
        }
        for x in [chart.beta[2], chart.gamma[2], chart.d] {
            motion.vanishes("β″, γ″, D", x);
        }
        // the relative curvature (D/E − 1/R₁)(D″/G − 1/R₁)
        let curvature = -(s.mu * s.nu / (chart.re * chart.rg));
        let convex = motion.doubles(curvature)[0] > 0.0;
        assert_eq!(convex, rod.ground != INSIDE.ground, "a rod in a hollow sphere overlaps it");
        motion.holds("2Θ", printed(&s, r, s.r1).theta2, 2 * s.theta);
    }
}

/// The two linear equations and the hypergeometric one: right with the sign of R₁; for a rod outside the sphere wrong as printed.
#[test]
fn section_14_rod_equations() {
    for rod in [OUTSIDE, TUBE, INSIDE] {
        let s = rod.problem();
        let (motion, u, r) = (&s.motion, s.chart.u, rod.radius());
        let w1 = rate(s.chart.v, 2) / s.du;
        let w2 = motion.rate(w1) / s.du;
        let sides = |p: &Printed| {
            let [a, b] = p.momenta.map(|x| motion.rate(x) / s.du);
            [
                ("first", a, p.right[0]),
                ("second", b, p.right[1]),
                ("hypergeometric", (p.lambda2 + u.sq()) * w2, -(3 * u * w1) - p.k * s.dv),
            ]
        };
        for (label, a, b) in sides(&printed(&s, r, s.r1)) {
            motion.holds(label, a, b);
        }
        for (label, a, b) in sides(&printed(&s, r, -s.r1)) {
            motion.fails(&format!("{label} for the other side"), a, b);
        }
    }
}

/// Σ (α)_k (β)_k/((γ)_k k!) z^k.
fn hypergeometric(alpha: X, beta: X, gamma: X, z: X) -> X {
    let (mut term, mut sum) = (X::from(1), X::from(0));
    for k in 0..120 {
        sum = sum + term;
        term = term * (alpha + k) * (beta + k) / ((gamma + k) * (k + 1)) * z;
    }
    sum
}

/// v̇ = c₁ F(α, β; ½; −u²/λ²) + c₂ u F(α + ½, β + ½; 3/2; −u²/λ²) with α + β = 1, 4αβ = k: for the rod of the reference, with
/// its constants.
#[test]
fn section_14_rod_hypergeometric_functions() {
    let s = OUTSIDE.problem();
    let (motion, u) = (&s.motion, s.chart.u);
    let p = printed(&s, OUTSIDE.radius(), s.r1);
    motion.holds("λ²", p.lambda2, X::from(1));
    motion.holds("k", p.k, ratio(3, 80));
    let alpha = (1 + (1 - p.k).sqrt()) / 2;
    let (beta, half, z) = (1 - alpha, ratio(1, 2), -(u.sq() / p.lambda2));
    let f = [hypergeometric(alpha, beta, half, z), u * hypergeometric(alpha + half, beta + half, ratio(3, 2), z)];
    let w = [s.dv, rate(s.chart.v, 2) / s.du];
    let slopes = f.map(|f| f.d(u));
    let wronskian = f[0] * slopes[1] - f[1] * slopes[0];
    let c1 = (w[0] * slopes[1] - w[1] * f[1]) / wronskian;
    let c2 = (f[0] * w[1] - slopes[0] * w[0]) / wronskian;
    motion.constant("c₁", c1);
    motion.constant("c₂", c2);
    motion.holds("c₁", c1, decimal("-0.208556956060540482173451926328"));
    motion.holds("c₂", c2, decimal("-0.316408760583824196295397692813"));
    // at t = 1
    let last = motion.len() - 1;
    for (x, value) in [
        (u, "0.364668113186054535549064494429"),
        (s.dv, "-0.316394536000887488211138332634"),
        (s.n, "-0.201642883195836311447827500716"),
    ] {
        let error = motion.doubles(x - decimal(value))[last];
        assert!(error.abs() < 1e-26, "{value}: off by {error:e}");
    }
}
