//! [Voronets1911, §15]: a rotor along the z axis of the body.
//!
//! The motions and their time derivatives: `neumann/motion.rs`. The model has the rotor in its Lagrangian, as a term κ Ω_z. (46)
//! with a rotor is in `voronets_integrals.rs`; what κ means is in `mechanics/tests/voronets_rotor.rs`.

use crate::neumann;

use neumann::algebra::{V, X, ratio};
use neumann::motion::Motion;
use neumann::revolution::{Egg, linear_right_sides};
use neumann::sphere::Lopsided;

/// The terms that are added to (40): right as printed, those of the couple κ e_z × ω. The words say κ ω × e_z, which is wrong.
#[test]
fn section_15_terms_of_the_gyroscope() {
    for case in [Lopsided::ALL[0], Lopsided::ALL[1], Lopsided::ALL[2]] {
        let mut s = Lopsided { rotor: 8, ..case }.problem();
        let (left, right) = (s.left_sides(), s.right_sides());
        for i in 0..3 {
            s.motion.holds(&format!("(40) with a rotor, {}", i + 1), left[i], right[i]);
        }
        // the couple on the axes: ∂Θ/∂u̇ is μ times the moment on v, ∂Θ/∂v̇ is ν times that on u
        let zero = X::from(0);
        let couple = V([zero, zero, s.kappa]).cross(s.motion.omega);
        let axes = [(s.mu, s.chart.beta), (s.nu, s.chart.alpha), (X::from(1), s.chart.gamma)];
        s.kappa = zero;
        let bare = s.right_sides();
        for (i, (factor, e)) in axes.into_iter().enumerate() {
            let added = factor * couple.dot(e);
            s.motion.holds("κ e_z × ω", right[i] - bare[i], added);
            s.motion.fails("κ ω × e_z, as the words have it", left[i], bare[i] - added);
        }
    }
}

/// A body of revolution with a rotor: two linear equations that are no longer homogeneous.
#[test]
fn section_15_linear_equations() {
    for case in Egg::both(8) {
        let mut s = case.problem();
        let [_, p2, p3] = s.momenta();
        let rates = [p2, p3].map(|p| s.motion.rate(p) / s.du);
        let right = linear_right_sides(&s);
        s.kappa = X::from(0);
        let homogeneous = linear_right_sides(&s);
        for i in 0..2 {
            s.motion.holds("d/du", rates[i], right[i]);
            s.motion.fails("without the rotor", rates[i], homogeneous[i]);
            for x in [s.dv, s.n] {
                s.motion.vanishes("the rest depends on u alone", (right[i] - homogeneous[i]).d(x));
            }
        }
    }
}

/// Joukovski's ball, A = B = C: elliptic quadratures. With G = Γ + κz constant in space, n the unit vector O M, k = r/(R₁ + r),
/// X = n·z/(k − 1), J₀ = I₀ + Mr²:
///
/// ```text
/// (1 − k) G·n + kκ n·z = const,   n·ω = w + κX/I₀,   G·z = g + Mr²(wX + κX²/2I₀),   J₀²Ẋ² = Gram(G, n, z)
/// ```
#[test]
fn section_15_joukovski_ball() {
    let text = r#"
[body.ball]
mass      = "7/5"
surface   = { sphere = "3/4" }
inertia   = ["1/2", "1/2", "1/2"]
gyroscope = { momentum = "4/5", axis = [0, 0, 1] }
[ground]
surface   = { sphere = 2 }
bilateral = true
[lagrangian]
potential = "-10/norm(x_O)"
[initial.ball]
contact  = { normal = [2, 1, -2] }
touching = [0, "6/5", "8/5"]
Omega    = [1, "1/2", "1/3"]
"#;
    let motion = Motion::new(text, &[0.0, 0.5, 1.0, 2.0, 4.0]);
    let (m, r, inertia, kappa) = (ratio(7, 5), ratio(3, 4), ratio(1, 2), ratio(4, 5));
    let k = r / (2 + r);
    let (zero, one, w) = (X::from(0), X::from(1), motion.omega);
    let z = V([zero, zero, one]);
    let n = 1 / r * motion.c;
    let moment = inertia * w + m * motion.c.cross(w.cross(motion.c)) + kappa * z;
    (0..3).for_each(|i| motion.constant("G", motion.world(moment)[i]));
    let x = n.dot(z) / (k - 1);
    motion.varies("X", x);
    motion.constant("linear integral", (1 - k) * moment.dot(n) + k * kappa * n.dot(z));
    motion.varies("G·n alone", moment.dot(n));
    let spin = w.dot(n) - kappa / inertia * x;
    motion.constant("w", spin);
    let mr2 = m * r.sq();
    motion.constant("g", moment.dot(z) - mr2 * (spin * x + kappa / (2 * inertia) * x.sq()));
    let volume = moment.dot(n.cross(z));
    motion.holds("J₀²Ẋ²", ((inertia + mr2) * motion.rate(x)).sq(), volume.sq());
    // Gram's determinant is a quartic in X: the product of its rows
    let (gg, gn, gz, nz) = (moment.dot(moment), moment.dot(n), moment.dot(z), n.dot(z));
    let gram = gg * (1 - nz.sq()) - gn.sq() - gz.sq() + 2 * gn * gz * nz;
    motion.holds("Gram", gram, volume.sq());
}
