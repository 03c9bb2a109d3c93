//! Which equation of second order it is, its singular points, and the constants of its solutions: bodies of revolution on a plane, tops, and a body with a flywheel.

use polhode_exact::linear::{Basis, Constants, Course, Motion, Reduced, SecondOrder, reduce_model, second_order};
use polhode_model::{Model, ParseOptions};
use polhode_special::Complex;
use polhode_special::ode::{Kind, Place, Recognised};
use polhode_tape::{Dd, Scalar};

fn model(text: &str) -> Model {
    Model::parse("model.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e:?}")).0
}

fn reduced(text: &str) -> Reduced {
    reduce_model(&model(text)).unwrap_or_else(|e| panic!("{}", e[0].why))
}

fn equation(text: &str) -> (Reduced, SecondOrder) {
    let mut reduced = reduced(text);
    let equation = second_order(&mut reduced.system, &reduced.shape).expect("an equation of second order");
    (reduced, equation)
}

fn constants(reduced: &mut Reduced, equation: &SecondOrder) -> Constants {
    let motion = Motion::new(&mut reduced.system, &reduced.model, &reduced.shape).unwrap();
    Constants::new(&mut reduced.system, &reduced.shape, equation, &motion.start).expect("constants")
}

/// A spheroid or another body of revolution on a plane.
fn lemon(surface: &str, inertia: &str) -> String {
    format!(
        "title = \"Lemon\"\n[gravity]\ng = 9.81\n[body.lemon]\nmass = 0.2\ninertia = {inertia}\nsurface = {{ {surface} }}\n\
         [ground]\nsurface = \"plane\"\n[initial.lemon]\ntouching = [0,0,0]\nrotation = \"Rx(1.3)\"\nomega = [0.5, 3, 2]\n"
    )
}

/// γ + δ + ε = α + β + 1 and finite parameters, in all squares.
fn is_sound(recognised: &Recognised<Dd>) {
    if let Recognised::Heun { a, accessory, upper, lower, .. } = recognised {
        assert!(a.is_finite() && accessory.is_finite(), "{recognised:?}");
        let defect = lower[0] + lower[1] + lower[2] - upper[0] - upper[1] - Complex::from(Dd::ONE);
        assert!(defect.abs().to_f64() < 1e-26, "{recognised:?}");
    }
    if let Recognised::Heun { in_square: Some(inner), .. } | Recognised::Fuchsian { in_square: Some(inner), .. } =
        recognised
    {
        is_sound(inner);
    }
}

#[test]
fn singular_points_come_once_and_with_their_conjugates() {
    let solid = "\"solid\"";
    let shapes = ["[0.05,0.08]", "[0.7,0.9]", "[0.3,0.4]", "[1,0.5]", "[1,2]"].map(|s| (s, solid));
    for (shape, inertia) in shapes.into_iter().chain([("[0.05,0.08]", "[4e-4, 4e-4, 3e-4]")]) {
        let (_, equation) = equation(&lemon(&format!("spheroid = {shape}"), inertia));
        let rational = equation.rational.expect("a rational equation");
        let scheme = rational.equation.riemann_scheme();
        assert!(scheme.fuchs_defect.expect("regular points") < 1e-27, "{shape}: {:?}", scheme.fuchs_defect);
        let finite: Vec<Complex<Dd>> = (scheme.points.iter())
            .filter_map(|p| match p.place {
                Place::Finite(x) => Some(x),
                Place::Infinity => None,
            })
            .collect();
        for (i, x) in finite.iter().enumerate() {
            assert!(finite[..i].iter().all(|y| (*x - *y).abs().to_f64() > 1e-6), "{shape}: {x:?} twice");
            for image in [x.conj(), -*x] {
                assert!(finite.iter().any(|y| (*y - image).abs().to_f64() < 1e-28), "{shape}: no {image:?}");
            }
        }
        is_sound(&rational.recognised);
    }
}

#[test]
fn a_lemon_is_not_heuns() {
    // the leading polynomial of Ω₃(24 + sin²θ) − 40 w₂ cos θ is 32 (39z²+25)² (39z²+625) (379z²+125), by an independent program
    let (mut reduced, mut found) = equation(&lemon("spheroid = [0.05,0.08]", "[4e-4, 4e-4, 3e-4]"));
    assert!(!matches!(found.rational.as_ref().unwrap().recognised, Recognised::Heun { .. }));
    let graph = &mut reduced.system.graph;
    let theta = graph.var(reduced.shape.variable);
    let (sine, cosine) = (graph.sin(theta), graph.cos(theta));
    let square = graph.powi(sine, 2);
    let (twenty_four, minus_forty) = (graph.int(24), graph.int(-40));
    let covector = [graph.add(twenty_four, square), graph.mul(minus_forty, cosine)];
    found = polhode_exact::linear::second_order_for(&mut reduced.system, &reduced.shape, &covector).unwrap();
    let points = found.rational.unwrap().equation.singular_points();
    let table: Vec<(f64, bool)> = (points.iter())
        .filter_map(|p| match p.place {
            Place::Finite(x) => Some((x.im.to_f64(), p.kind == Kind::Apparent)),
            Place::Infinity => None,
        })
        .collect();
    let [a, b, c] = [625.0 / 39.0, 25.0 / 39.0, 125.0 / 379.0].map(f64::sqrt);
    let expected = [(-a, true), (-b, false), (-c, false), (c, false), (b, false), (a, true)];
    assert_eq!(table.len(), expected.len(), "{table:?}");
    for ((x, apparent), (y, expected)) in table.iter().zip(expected) {
        assert!((x - y).abs() < 1e-15 && *apparent == expected, "{table:?}");
    }
}

#[test]
fn there_is_no_odd_solution_at_an_apparent_point() {
    // y = 1482.2 and |dy/dv| = 447.6 at v = 0, from an independent program
    let curve = lemon("revolution = { curve = [\"0.05*cos(s)\", \"0.08*sin(s)\"] }", "[4e-4, 4e-4, 3e-4]");
    let (mut reduced, found) = equation(&curve);
    let c = constants(&mut reduced, &found);
    assert!(!matches!(c.basis, Basis::EvenOdd(_)));
    match &c.basis {
        // z = cos v, y₁ = √(1 − z) + … = |v|/√2 + …
        Basis::Frobenius { at, .. } => {
            assert!((*at - Dd::ONE).abs().to_f64() < 1e-28);
            assert!((c.values[1].to_f64() - 1482.2).abs() < 0.1, "{:?}", c.values);
            assert!((c.values[0].to_f64().abs() / 2f64.sqrt() - 447.6).abs() < 0.1, "{:?}", c.values);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_body_with_a_long_equation_has_one() {
    let curve = "revolution = { curve = [\"0.05*cos(s)*(1+0.2*cos(s)^2)\", \"0.08*sin(s)\"] }";
    let (mut reduced, found) = equation(&lemon(curve, "[4e-4, 4e-4, 3e-4]"));
    let scheme = found.rational.as_ref().unwrap().equation.riemann_scheme();
    assert!(scheme.fuchs_defect.expect("regular points") < 1e-26);
    let c = constants(&mut reduced, &found);
    assert!(c.values.iter().all(|c| c.is_finite()));
}

#[test]
fn a_flywheel_adds_a_constant() {
    let (mut reduced, found) = equation(
        "title = \"Tyre\"\n[parameters]\nkap = 0.7\n[gravity]\ng = 3.7\n[body.wheel]\nmass = 2.3\ninertia = [0.31, 0.31, 0.47]\n\
         surface = { rim = 0.8 }\ngyroscope = { momentum = \"kap\", axis = [0,0,1] }\n[ground]\nsurface = \"plane\"\n\
         [initial.wheel]\ntouching = [0,0,0]\nrotation = \"Rz(0.2)*Rx(1.2)\"\nOmega = [0.1, 0.5, 2.1]\n",
    );
    let c = constants(&mut reduced, &found);
    assert!(matches!(c.basis, Basis::Legendre { second_kind: false, .. }));
    // I₃Ω₃ + κ is the momentum of the wheel: y₀ = −κ/I₃ where y = Ω₃
    assert!((c.particular.to_f64() + 0.7 / 0.47).abs() < 1e-15, "{}", c.particular);
    let mut motion = Motion::new(&mut reduced.system, &reduced.model, &reduced.shape).unwrap();
    let variable = found.rational.as_ref().unwrap().variable;
    for t in [0.3, 0.9] {
        let state = motion.at(Dd::from(t)).unwrap();
        let [y, _] = c.unknown(variable.at(state.s).0);
        assert!((y - state.w[0]).abs().to_f64() < 1e-25, "{y} for {}", state.w[0]);
    }
    assert_eq!(motion.levels.len(), 1);
    assert!(motion.levels[0].1.to_f64().abs() < 1e-28);
}

#[test]
fn tops_in_angles_and_without() {
    let angles = "title = \"Top\"\n[parameters]\nA = 1.3\nC = 0.45\nmgl = 2.2\n[coordinates]\ntheta = \"(0, pi)\"\nphi = \"angle\"\npsi = \"angle\"\n\
        [lagrangian]\nkinetic = \"A/2*(theta'^2 + phi'^2*sin(theta)^2) + C/2*(psi' + phi'*cos(theta))^2\"\npotential = \"mgl*cos(theta)\"\n\
        [initial]\nposition = { theta = 0.6 }\nvelocity = { phi = 0.3, psi = 9.0, theta = 0.2 }\n";
    let free = "title = \"Top\"\n[parameters]\nA = 1.3\nC = 0.45\nmgl = 2.2\n[coordinates]\nR = \"SO(3)\"\n\
        [lagrangian]\nkinetic = \"A/2*(Omega[1]^2 + Omega[2]^2) + C/2*Omega[3]^2\"\npotential = \"mgl*R[3,3]\"\n\
        [initial]\nR = \"Rz(0)*Rx(0.6)\"\nOmega = [0.2, \"0.3*sin(0.6)\", \"9 + 0.3*cos(0.6)\"]\n";
    let (mut top, found) = equation(angles);
    assert_eq!(found.rational.unwrap().recognised, Recognised::Elementary);
    let mut other = reduced(free);
    let [a, b] = [&mut top, &mut other].map(|r| Motion::new(&mut r.system, &r.model, &r.shape).unwrap());
    let (Course::Oscillation(a), Course::Oscillation(b)) = (&a.course, &b.course) else { panic!("no oscillation") };
    assert!(((a.period - b.period) / a.period).to_f64().abs() < 1e-25);
    assert!((a.turning[0] - b.turning[0]).to_f64().abs() < 1e-25);
}

#[test]
fn a_bead_that_goes_away_has_values() {
    // s = t − t²/2 and, from rest, s = −t²/2
    for (speed, times) in [(1.0, [0.3, 1.0, 1.7, 12.0]), (0.0, [0.3, 1.0, 1.7, 12.0]), (-2.0, [0.3, 1.0, 1.7, 12.0])] {
        let text = format!(
            "title = \"Bead\"\n[coordinates]\ns = \"real\"\n[lagrangian]\nkinetic = \"s'^2/2\"\npotential = \"s\"\n[initial]\nvelocity = {{ s = {speed} }}\n"
        );
        let mut reduced = reduced(&text);
        let mut motion = Motion::new(&mut reduced.system, &reduced.model, &reduced.shape).unwrap();
        assert!(matches!(motion.course, Course::Unbounded { upward: false }));
        for t in times {
            let t = Dd::from(t);
            let state = motion.at(t).unwrap_or_else(|| panic!("nothing at {}", t.to_f64()));
            let s = Dd::from(speed) * t - t * t * Dd::from(0.5);
            let off = ((state.s - s).to_f64() / s.to_f64().abs().max(1.0)).abs();
            assert!(off < 1e-26, "{} for {s}: {off:e}", state.s);
            let v = Dd::from(speed) - t;
            assert!((state.speed - v).to_f64().abs() < 1e-25, "{} for {v}", state.speed);
        }
    }
}
