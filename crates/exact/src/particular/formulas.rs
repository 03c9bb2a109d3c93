//! The formulas of classical solutions, for people: what the files of this folder derive, in one line each.

use super::{Ground, Kind};

/// A formula, plain and typeset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formula {
    /// What it says.
    pub title: &'static str,
    /// For a terminal.
    pub text: &'static str,
    /// In LaTeX.
    pub latex: &'static str,
}

const fn formula(title: &'static str, text: &'static str, latex: &'static str) -> Formula {
    Formula { title, text, latex }
}

/// (E1), (E2).
const ROTATION: [Formula; 2] = [
    formula(
        "angular velocity",
        "Ω_a = A cn τ, Ω_b = B sn τ, Ω_c = C dn τ, τ = p t + τ₀",
        r"\Omega_a = A \operatorname{cn}\tau, \quad \Omega_b = B \operatorname{sn}\tau, \quad \Omega_c = C \operatorname{dn}\tau, \quad \tau = p t + \tau_0",
    ),
    formula(
        "the axis c goes round the angular momentum by",
        "ψ = L t/I_c + N Π(n; am τ | m) + ψ₀",
        r"\psi = \frac{L t}{I_c} + N\, \Pi(n; \operatorname{am}\tau \mid m) + \psi_0",
    ),
];

/// A rotation about one axis.
const PERMANENT: Formula = formula(
    "uniform rotation",
    "Ω is constant, and R(t) = R(0) turned about it by |Ω| t",
    r"\Omega = \text{const}, \quad R(t) = R(0)\, e^{t \hat\Omega}",
);

/// c = μ Ω/Ω².
const CONTACT: Formula = formula("contact", "c = μ Ω/Ω²", r"c = \frac{\mu\, \Omega}{\Omega^2}");

/// (K1).
const CIRCLES: Formula = formula(
    "uniform motion",
    "φ = φ₀ − ω₀ t/2, c = b (q cos φ + e sin φ), R = 2 t tᵀ − 1 with t = N × c/b",
    r"\varphi = \varphi_0 - \tfrac12 \omega_0 t, \quad c = b\,(q \cos\varphi + e \sin\varphi), \quad R = 2\, t t^{\mathsf T} - 1, \quad t = N \times c / b",
);

/// (M1).
const MERIDIANS: Formula = formula(
    "arcs roll off each other, and the energy gives the time: curvatures κ, κ₁, distance ρ of the contact from the centre, potential W",
    "σ + σ₁ = S, (A + M ρ²)(κ + κ₁)² σ̇₁² = 2 (E − W)",
    r"\sigma + \sigma_1 = S, \quad (A + M \varrho^2)(\kappa + \kappa_1)^2\, \dot\sigma_1^2 = 2\,(E - W)",
);

/// (B1), (B2), (B6), (B4): n points from the centre to the contact, z along the axis, x = n·z.
const PLANE: [Formula; 4] = [
    formula(
        "constant in space, and with it G·n",
        "G = A ω + (C − A)(z·ω) z + M r² (ω − n n·ω) + κ z",
        r"G = A \omega + (C - A)(z \cdot \omega)\, z + M r^2\, (\omega - n\, n \cdot \omega) + \kappa z",
    ),
    formula(
        "constant",
        "u √Δ, u = (C − A) z·ω + κ, Δ = A (C + M r²) + M r² (C − A) x², x = n·z",
        r"u \sqrt\Delta, \quad u = (C - A)\, z \cdot \omega + \kappa, \quad \Delta = A (C + M r^2) + M r^2 (C - A)\, x^2, \quad x = n \cdot z",
    ),
    formula(
        "the closed curve of the axis on S²",
        "G·z = (C + M r²) z·ω − M r² x n·ω + κ, A n·ω = G·n − x u",
        r"G \cdot z = (C + M r^2)\, z \cdot \omega - M r^2 x\, n \cdot \omega + \kappa, \quad A\, n \cdot \omega = G \cdot n - x u",
    ),
    formula(
        "time along it",
        "(A + M r²)² ẋ² = G² (1 − x²) − (G·n)² − (G·z)² + 2 x G·n G·z",
        r"(A + M r^2)^2\, \dot x^2 = G^2 (1 - x^2) - (G \cdot n)^2 - (G \cdot z)^2 + 2 x\, G \cdot n\, G \cdot z",
    ),
];

/// The same on a sphere, where A = C: (B1), (B3), (B4).
const SPHERE: [Formula; 3] = [
    formula(
        "constant in space",
        "G = A ω + M r² (ω − n n·ω) + κ z",
        r"G = A \omega + M r^2\, (\omega - n\, n \cdot \omega) + \kappa z",
    ),
    formula(
        "with w, g and (1 − k) G·n + k κ x constant",
        "n·ω = w + κ X/A, G·z = g + M r² (w X + κ X²/2A), X = x/(k − 1), k = r/(R₁ + r), x = n·z",
        r"n \cdot \omega = w + \frac{\kappa X}{A}, \quad G \cdot z = g + M r^2 \left(w X + \frac{\kappa X^2}{2 A}\right), \quad X = \frac{x}{k - 1}, \quad k = \frac{r}{R_1 + r}, \quad x = n \cdot z",
    ),
    formula(
        "time",
        "(A + M r²)² ẋ² = (1 − k)² (G² (1 − x²) − (G·n)² − (G·z)² + 2 x G·n G·z)",
        r"(A + M r^2)^2\, \dot x^2 = (1 - k)^2 \left(G^2 (1 - x^2) - (G \cdot n)^2 - (G \cdot z)^2 + 2 x\, G \cdot n\, G \cdot z\right)",
    ),
];

/// (W1), where the ball is homogeneous.
const ELLIPTIC: Formula = formula(
    "by elliptic functions: ẋ² = Q(x) is a quartic with the zero x₀",
    "x = x₀ + Q′(x₀)/(4 ℘(t − t₀; g₂, g₃) − Q″(x₀)/6)",
    r"x = x_0 + \frac{Q'(x_0)}{4 \wp(t - t_0; g_2, g_3) - Q''(x_0)/6}",
);

pub(super) fn of(kind: &Kind) -> Vec<Formula> {
    match kind {
        Kind::Free(r) if r.is_permanent() => vec![PERMANENT],
        Kind::Free(_) => ROTATION.to_vec(),
        Kind::Poinsot { rotation, .. } if rotation.is_permanent() => vec![PERMANENT, CONTACT],
        Kind::Poinsot { .. } => [&ROTATION[..], &[CONTACT]].concat(),
        Kind::Circles(_) => vec![CIRCLES],
        Kind::Meridian(_) => vec![MERIDIANS],
        Kind::Ball(b) => {
            let mut out = match b.ground() {
                Ground::Plane => PLANE.to_vec(),
                Ground::Sphere(_) => SPHERE.to_vec(),
            };
            out.extend(b.elliptic().map(|_| ELLIPTIC));
            out
        }
    }
}
