//! The rolling disc of [CushmanEtAl1995, §6], and the two states at which numbers are known.

use super::papers::Paper;

/// The disc, with G = E(2) × SO(2).
pub(crate) const DISC: &str = r#"
title = "Rolling disc"
independent = ["theta'", "phi'", "psi'"]

[parameters]
m = 1.0
r = 1.0
g = 9.81
A = "m*r^2/4"
C = "m*r^2/2"

[coordinates]
theta = "(0, pi)"
phi   = "angle"
psi   = "angle"
x     = "real"
y     = "real"

[lagrangian]
L = """1/2*m*(x'^2 + y'^2 + r^2*theta'^2*cos(theta)^2) + 1/2*A*(theta'^2 + phi'^2*sin(theta)^2)
     + 1/2*C*(psi' + phi'*cos(theta))^2 - m*g*r*sin(theta)"""

[constraints]
f1 = "x'*cos(phi) + y'*sin(phi) - r*theta'*sin(theta) = 0"
f2 = "-x'*sin(phi) + y'*cos(phi) + r*phi'*cos(theta) + r*psi' = 0"

[symmetry]
generators = ["d/dx", "d/dy", "d/dphi + x*d/dy - y*d/dx", "d/dpsi"]
"#;

/// The independent coordinates.
pub(crate) const ANGLES: [&str; 3] = ["theta", "phi", "psi"];

/// The disc continued by the formulas of a test.
pub(crate) fn disc(letters: &[&str], formulas: &[(&str, &str)]) -> Paper {
    Paper::new(DISC, letters, &[("cot", "cos(theta)/sin(theta)"), ("csc", "1/sin(theta)")], formulas)
}

/// The two states of the reference data of the disk (`paper_B_theorem_states`), with what belongs to them.
pub(crate) const STATES: &[(&str, &str)] = &[
    (
        "state 1",
        "[m, g, r, A, C, x, y, theta, phi, psi, theta', phi', psi'] = \
           [2, 9.81, 0.5, 0.125, 0.25, -0.35, -0.70, 1.90, -1.71, 0.14, -0.81, -2.65, 0.04]",
    ),
    (
        "state 2",
        "[m, g, r, A, C, x, y, theta, phi, psi, theta', phi', psi'] = \
           [1, 9.81, 1, 0.5, 1, -0.93, -0.13, 0.56, -1.64, -0.30, 1.96, -2.26, -1.66]",
    ),
];
