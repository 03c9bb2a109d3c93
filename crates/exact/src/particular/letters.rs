//! What the letters in the formulas of classical solutions stand for in a motion.

use super::{FreeRotation, Ground, Kind};
use polhode_tape::Dd;

/// A letter of a formula with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// For programs.
    pub key: &'static str,
    /// For a terminal.
    pub text: &'static str,
    /// In LaTeX.
    pub latex: &'static str,
    /// A number, or the components of a vector.
    pub values: Vec<Dd>,
}

fn letter(key: &'static str, text: &'static str, latex: &'static str, values: &[Dd]) -> Letter {
    Letter { key, text, latex, values: values.to_vec() }
}

fn rotation(r: &FreeRotation) -> Vec<Letter> {
    let Some((axes, x)) = r.letters() else {
        return vec![letter("Omega", "Ω", r"\Omega", &r.omega())];
    };
    let names = [
        ("A", "A", "A"),
        ("B", "B", "B"),
        ("C", "C", "C"),
        ("p", "p", "p"),
        ("tau0", "τ₀", r"\tau_0"),
        ("m", "m", "m"),
        ("L", "L", "L"),
        ("I_c", "I_c", "I_c"),
        ("N", "N", "N"),
        ("n", "n", "n"),
        ("psi0", "ψ₀", r"\psi_0"),
    ];
    let axes = axes.map(|i| Dd::from(i as f64));
    let mut out = vec![letter("axes", "(a, b, c)", "(a, b, c)", &axes)];
    out.extend(names.iter().zip(x).map(|((key, text, latex), x)| letter(key, text, latex, &[x])));
    out
}

pub(super) fn of(kind: &Kind) -> Vec<Letter> {
    match kind {
        Kind::Free(r) => rotation(r),
        Kind::Poinsot { rotation: r, reach } => {
            let mut out = rotation(r);
            out.push(letter("mu", "μ", r"\mu", &[*reach]));
            out
        }
        Kind::Circles(c) => c.letters(),
        Kind::Meridian(m) => {
            let names = [("S", "S"), ("A", "A"), ("M", "M"), ("E", "E")];
            names.iter().zip(m.letters()).map(|((key, text), x)| letter(key, text, text, &[x])).collect()
        }
        Kind::Ball(b) => {
            let ball = b.ball();
            let mut out = vec![letter("A", "A", "A", &[ball.across])];
            if matches!(ball.ground, Ground::Plane) {
                out.push(letter("C", "C", "C", &[ball.along]));
            }
            out.push(letter("kappa", "κ", r"\kappa", &[ball.rotor]));
            out.push(letter("axis", "z in the body", r"z_{\mathrm{body}}", &b.axis()));
            out.push(letter("M", "M", "M", &[ball.mass]));
            out.push(letter("r", "r", "r", &[ball.radius]));
            match ball.ground {
                Ground::Plane => out.push(letter("n", "n", "n", &[Dd::ZERO, Dd::ZERO, -Dd::ONE])),
                Ground::Sphere(r1) => out.push(letter("R1", "R₁", "R_1", &[r1])),
            }
            if let Some(e) = b.elliptic() {
                let names = [
                    ("x0", "x₀", "x_0"),
                    ("t0", "t₀", "t_0"),
                    ("Q1", "Q′(x₀)", "Q'(x_0)"),
                    ("Q2", "Q″(x₀)", "Q''(x_0)"),
                    ("g2", "g₂", "g_2"),
                    ("g3", "g₃", "g_3"),
                ];
                let each = names.iter().zip(e.letters());
                out.extend(each.map(|((key, text, latex), x)| letter(key, text, latex, &[x])));
            }
            out
        }
    }
}

impl super::CircularSections {
    fn letters(&self) -> Vec<Letter> {
        let [q, middle, normal] = self.frame();
        vec![
            letter("omega0", "ω₀", r"\omega_0", &[self.rate]),
            letter("phi0", "φ₀", r"\varphi_0", &[self.phase()]),
            letter("b", "b", "b", &[self.radius]),
            letter("q", "q", "q", &q),
            letter("e", "e", "e", &middle),
            letter("N", "N", "N", &normal),
        ]
    }
}
