//! [Voronets1911, §15]: what κ is for a rotor along the z axis of the body.

use crate::papers::{Paper, Where};
use crate::prelude::*;

/// A rotor with moment of inertia c, and its angle s.
const ROTOR: &str = r#"
[parameters]
A = 2
B = 3
C = 4
c = 1
W = 5
[coordinates]
R = "SO(3)"
s = "angle"
[define]
p = "Omega[1]"
q = "Omega[2]"
r = "Omega[3]"
[lagrangian]
kinetic = "(A*p^2 + B*q^2 + C*r^2 + c*(r + s')^2)/2"
"#;

/// What κ and C mean: without friction the absolute spin r + ṡ of the rotor is constant, κ = c(r + ṡ), and C is that of the body
/// alone; at a constant speed W relative to the body κ = cW, and C contains the rotor.
#[test]
fn section_15_absolute_and_relative_spin() {
    let formulas = [
        ("κ", "c*(Omega'[3] + s'') = 0"),
        ("A", "A*Omega'[1] = (B - C)*q*r - c*(r + s')*q"),
        ("B", "B*Omega'[2] = (C - A)*r*p + c*(r + s')*p"),
        ("C", "C*Omega'[3] = (A - B)*p*q"),
        ("C with the rotor", "(C + c)*Omega'[3] = (A - B)*p*q"),
    ];
    let mut paper = Paper::new(ROTOR, &[], &[], &formulas);
    paper.derive(Form::Hamel);
    for label in ["κ", "A", "B", "C"] {
        paper.holds(Where::OnMotion, label);
    }
    paper.fails(Where::OnMotion, "C with the rotor");

    let driven = format!("{ROTOR}[constraints]\nmotor = \"s' = W\"\n");
    let formulas = [
        ("A", "A*Omega'[1] = (B - C - c)*q*r - c*W*q"),
        ("B", "B*Omega'[2] = (C + c - A)*r*p + c*W*p"),
        ("C", "(C + c)*Omega'[3] = (A - B)*p*q"),
        ("C without the rotor", "C*Omega'[3] = (A - B)*p*q"),
    ];
    let mut paper = Paper::new(&driven, &[], &[], &formulas);
    paper.derive(Form::Hamel);
    for label in ["A", "B", "C"] {
        paper.holds(Where::OnMotion, label);
    }
    paper.fails(Where::OnMotion, "C without the rotor");
}
