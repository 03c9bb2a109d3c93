//! What is said of forces, of letters in formulas, of ends and of boundedness is computed.

use crate::common::solutions;

use polhode_exact::particular::{Kind, Letter, recognise};
use polhode_exact::returns::{NoReturn, ReturnOptions, ReturningMotion, returning};
use polhode_exact::steady::{Problem, Wish};
use polhode_tape::{Dd, Scalar};
use solutions::{agrees_with_run, near, solved, system};

fn returned(text: &str) -> Result<ReturningMotion, NoReturn> {
    returning(&mut system(text), &ReturnOptions::default())
}

const ROLY: &str = r#"
[gravity]
g = 9.81
[body.roly]
mass = 1.5
inertia = [0.02, 0.02, 0.03]
surface = { sphere = 0.2, centre = [0, 0, 0.05] }
[ground]
surface = "plane"
[initial.roly]
touching = [0, 0, 0]
rotation = "Rx(pi)"
Omega = [0, 0, 3]
"#;

const TOP: &str = r#"
[parameters]
A = 1.3
C = 0.45
mgl = 2.2
[coordinates]
R = "SO(3)"
[lagrangian]
kinetic = "A/2*(Omega[1]^2 + Omega[2]^2) + C/2*Omega[3]^2"
potential = "mgl*R[3,3]"
[initial]
R = "Rx(0)"
Omega = [0, 0, 3]
"#;

/// A heavy body that spins upright is carried by its contact, and a top that sleeps by its point: neither is free.
#[test]
fn heavy_bodies_are_not_free() {
    assert!(recognise(&mut system(ROLY)).unwrap().is_none());
    assert!(recognise(&mut system(TOP)).unwrap().is_none());
    // without its weight the top is
    let (_, free) = solved(&TOP.replace("potential = \"mgl*R[3,3]\"\n", ""));
    assert_eq!(free.title(), "permanent rotation about a principal axis");
    // λ² = mgl/A − (CΩ/2A)²: asleep only above Ω² = 4 A mgl/C²
    let mut top = system(TOP);
    let steady = Problem::new(&mut top, &Wish::default()).unwrap().solve().remove(0);
    let growth = (2.2f64 / 1.3 - (0.45 * 3.0 / 2.6f64).powi(2)).sqrt();
    assert!((steady.spectrum.growth().expect("it falls").to_f64() - growth).abs() < 1e-12);
}

fn get(letters: &[Letter], key: &str) -> Dd {
    letters.iter().find(|l| l.key == key).unwrap_or_else(|| panic!("{key}")).values[0]
}

/// Ω and the axis c from nothing but the letters, by Jacobi's functions and Π of the book.
#[test]
fn letters_of_a_free_rotation() {
    use polhode_special::elliptic::{elliptic_pi_incomplete, jacobi};
    let (_, solution) = solved(include_str!("../../../models/free-rigid-body.toml"));
    let letters = solution.letters();
    let x = |key: &str| get(&letters, key);
    let axes: Vec<usize> = letters[0].values.iter().map(|x| x.to_f64() as usize - 1).collect();
    let psi = |t: Dd| {
        let f = jacobi(x("p") * t + x("tau0"), x("m"));
        x("L") * t / x("I_c") + x("N") * elliptic_pi_incomplete(x("n"), f.am, x("m")) + x("psi0")
    };
    near("ψ(0)", psi(Dd::ZERO), Dd::ZERO, 1e-28);
    let t = Dd::from(3.7);
    let f = jacobi(x("p") * t + x("tau0"), x("m"));
    let now = solution.at(t);
    for (k, (key, part)) in [("A", f.cn), ("B", f.sn), ("C", f.dn)].into_iter().enumerate() {
        near("Ω", now.omega[axes[k]], x(key) * part, 1e-27);
    }
}

/// Joukovski's ball with a rotor that lies along no axis of the body, against integration in double-doubles.
#[test]
fn a_rotor_in_any_direction() {
    let text = r#"
[body.ball]
mass = 0.8
inertia = 0.21
surface = { sphere = 0.4 }
gyroscope = { momentum = 0.35, axis = [0, 3, 4] }
[ground]
surface = { sphere = 1.7 }
[initial.ball]
touching = [0, 0, 1.7]
rotation = "Rx(0.3)"
Omega = [0.7, 0.2, -1.1]
"#;
    let (mut model, solution) = solved(text);
    let Kind::Ball(ball) = &solution.kind else { panic!("{:?}", solution.kind) };
    near("axis", ball.axis()[1], Dd::ratio(3, 5), 1e-30);
    agrees_with_run(&mut model, &solution.at(Dd::from(7.0)), 7.0, 1e-22);
    // x from the letters of Weierstrass' formula: a zero of the quartic at t₀, and n·z of the state there
    let letters = solution.letters();
    let state = solution.at(get(&letters, "t0"));
    let x = (0..3).fold(Dd::ZERO, |s, i| s + state.contact[i] * ball.axis()[i]) / Dd::from(0.4);
    near("x₀", x, get(&letters, "x0"), 1e-15);
    // on a plane as well
    let plane = text.replace("surface = { sphere = 1.7 }", "surface = \"plane\"").replace("[0, 0, 1.7]", "[0, 0, 0]");
    let (mut model, solution) = solved(&plane);
    agrees_with_run(&mut model, &solution.at(Dd::from(7.0)), 7.0, 1e-22);
}

/// A coin that falls over: θ̈ = −g r cos θ/(5/4 r²) from Rx(0.9), so that the time to θ = 0 is a quadrature. The run ends where θ is a millionth.
#[test]
fn the_end_of_a_coin_has_an_error() {
    let text = r#"
[gravity]
g = 9.81
[body.coin]
mass = 1
inertia = "solid"
surface = { rim = 0.5 }
[ground]
surface = "plane"
[initial.coin]
touching = [0, 0, 0]
rotation = "Rx(0.9)"
omega = [0, 0, 0]
"#;
    let Err(NoReturn::Ends(ending)) = returned(text) else { panic!("it falls flat") };
    let truth = 0.401_074_711_643_66;
    let off = (ending.end().to_f64() - truth).abs();
    assert!(off <= ending.error() && ending.error() < 1e-6, "{off:e} {:e}", ending.error());
    assert_eq!(ending.end_digits(), "0.401075");
}

/// s̈ = −3s² from s = 0, ṡ = 1 goes to −∞ at t = ∫ ds/√(1 − 2s³), a sum of two beta functions.
#[test]
fn the_end_of_a_blow_up_has_an_error() {
    let text = r#"
[coordinates]
s = "real"
[lagrangian]
kinetic = "s'^2/2"
potential = "s^3"
[initial]
velocity = { s = 1 }
"#;
    let Err(NoReturn::Ends(ending)) = returned(text) else { panic!("it blows up") };
    // up to s = 2^(-1/3) and back, B(1/3, 1/2), and from 0 to −∞, B(1/3, 1/6), both over 3·2^(1/3)
    let truth = 4.451650698089222;
    let off = (ending.end().to_f64() - truth).abs();
    assert!(off <= ending.error() && ending.error() < 1e-7, "{off:e} {:e}", ending.error());
}

/// A lemon as a surface of revolution: its longitude is an angle, and the motion bounded, as that of the same body as a spheroid is.
#[test]
fn longitudes_are_angles() {
    let text = |surface: &str| {
        format!(
            r#"
[gravity]
g = 9.81
[body.lemon]
mass = 0.2
inertia = [4e-4, 4e-4, 3e-4]
surface = {surface}
[ground]
surface = "plane"
[initial.lemon]
touching = [0, 0, 0]
rotation = "Rx(1.3)"
omega = [0.5, 3, 2]
"#
        )
    };
    let curve = returned(&text("{ revolution = { curve = [\"0.05*cos(s)\", \"0.08*sin(s)\"] } }")).unwrap();
    let spheroid = returned(&text("{ spheroid = [0.05, 0.08] }")).unwrap();
    assert!(spheroid.holonomy().is_bounded());
    assert!(curve.holonomy().is_bounded(), "{:?}", curve.holonomy().lines());
    assert!(curve.holonomy().gains.iter().any(|g| g.angle), "{:?}", curve.holonomy().gains);
}
