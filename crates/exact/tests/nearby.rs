//! Returning motions of rolling bodies, near motions that do not return.

use polhode_exact::returns::{NoReturn, ReturnOptions, nearby, returning};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_tape::{Dd, Scalar};

fn system_of(name: &str, edit: impl Fn(String) -> String) -> System {
    let path = format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = edit(std::fs::read_to_string(path).expect("a model of the catalogue"));
    let (model, _) = Model::parse(name, &text, &ParseOptions::default()).expect("a valid model");
    System::new(&model).expect("a valid system").0
}

/// How many multipliers are this number.
fn count(multipliers: &[(f64, f64)], (re, im): (f64, f64)) -> usize {
    multipliers.iter().filter(|m| (m.0 - re).hypot(m.1 - im) < 1e-5).count()
}

/// An ellipsoid with three axes that rocks over its flattest side, a little askew: a nonholonomic body whose motion is not integrable.
#[test]
fn an_ellipsoid_that_rocks() {
    let mut system = system_of("ellipsoid-on-plane", |text| {
        text.replace(r#""6/13", "6/13", "-12/13""#, r#""6/5", 0, "-4/5""#)
            .replace(r#""1/2", "1/3", 1"#, r#""1/50", "1/5", "1/50""#)
    });
    let options = ReturnOptions { steps: 200, ..ReturnOptions::default() };
    assert!(matches!(returning(&mut system, &options), Err(NoReturn::Wanders { .. })));
    let near = nearby(&mut system, &options, None).expect("one returns");
    assert!(near.motion.residual() < 1e-26 && near.distance < 0.2, "{} {}", near.motion.residual(), near.distance);
    // it lies on the plane: the height of the centre is the support function of the ellipsoid
    let (period, late) = (near.motion.period(), Dd::from(1000.0));
    for t in [Dd::ZERO, Dd::from(1.3), period * late] {
        let sample = near.motion.at(t);
        let of = |name: &str| sample.get_digits(name).expect("a number of the body");
        let axes = [("R[3,1]", 2.0), ("R[3,2]", 1.5), ("R[3,3]", 1.0)];
        let square = axes.iter().fold(Dd::ZERO, |sum, (name, a)| {
            let x = of(name) * Dd::from(*a);
            sum + x * x
        });
        assert!((of("x_O[3]") - square.sqrt()).to_f64().abs() < 1e-24);
    }
    // with the energy of the start that was given: ½ (Ω, (Θ + M(c² − c ⊗ c)) Ω) + M g z, c = (6/5, 0, −4/5), Θ = diag(3.25, 5, 6.25)/5
    let (c, w) = ([1.2, 0.0, -0.8], [0.02, 0.2, 0.02]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let inertia = [(2.25 + 1.0) / 5.0, (4.0 + 1.0) / 5.0, (4.0 + 2.25) / 5.0];
    let turning: f64 = (0..3).map(|i| inertia[i] * w[i] * w[i]).sum();
    let rolling = dot(c, c) * dot(w, w) - dot(c, w).powi(2);
    // the plane touches at c: its distance from the centre is 1/|∇f/2|
    let height = 1.0 / (c[0] / 4.0f64).hypot(c[2]);
    let energy = 0.5 * (turning + rolling) + height;
    assert!((near.motion.at(0.0)["energy"] - energy).abs() < 1e-12, "{} {energy}", near.motion.at(0.0)["energy"]);
    // stable: all multipliers lie on the unit circle. Time, turn and energy give three that are 1, and since they come as λ and 1/λ there is a fourth; the shifts of
    // the plane are turned back by what the period turns
    assert!(near.is_stable());
    assert_eq!(near.multipliers.len(), 8);
    assert_eq!(count(&near.multipliers, (1.0, 0.0)), 4, "{:?}", near.multipliers);
    let turn = near.motion.holonomy().turns.iter().find(|t| t.names[0] == "x_O[1]").expect("it turns").angle;
    let (s, c) = turn.to_f64().sin_cos();
    assert!(s.abs() > 1e-3);
    for sign in [1.0, -1.0] {
        assert_eq!(count(&near.multipliers, (c, sign * s)), 1, "{:?}", near.multipliers);
    }
}

/// Chaplygin's ball is integrable: its reduced motions wind on tori, and near each there are closed ones, in families. All multipliers are 1.
#[test]
fn chaplygins_ball_on_a_closed_torus() {
    let mut system = system_of("chaplygin-ball", |text| text);
    let options = ReturnOptions { steps: 200, ..ReturnOptions::default() };
    assert!(matches!(returning(&mut system, &options), Err(NoReturn::Wanders { .. })));
    let near = nearby(&mut system, &options, None).expect("one returns");
    assert!(near.motion.residual() < 1e-26 && near.distance < 0.3, "{} {}", near.motion.residual(), near.distance);
    assert_eq!(near.multipliers.len(), 8);
    assert_eq!(count(&near.multipliers, (1.0, 0.0)), 8, "{:?}", near.multipliers);
    // the angular momentum about the point of contact is constant in space, for all times
    let momentum = |t: f64| ["K[1]", "K[2]", "K[3]"].map(|k| near.motion.at(t).get_digits(k).expect("an observable"));
    for (a, b) in momentum(0.0).iter().zip(momentum(1e5)) {
        assert!((*a - b).to_f64().abs() < 1e-20);
    }
}
