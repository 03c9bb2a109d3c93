//! Which steady motions are found: the nearest first, equilibria where there is no symmetry, symmetries that are seen on the motion.

use crate::common;

use common::{close, problem};
use polhode_exact::steady::{Problem, Shape, SteadyMotion, Wish};
use polhode_tape::{Dd, Scalar};

fn value(problem: &Problem, motion: &SteadyMotion, name: &str) -> Dd {
    motion.value(problem, name).unwrap_or_else(|| panic!("{name}"))
}

/// A planet off its circle: of φ'² = 1/r³ the point nearest to (r, φ') = (1, 1.3), where (r − 1) − 3/2 r^(−5/2)(r^(−3/2) − 1.3) = 0.
#[test]
fn nearest_circle_of_a_planet() {
    let text = "[coordinates]\nr = 'real'\nphi = 'angle'\n[lagrangian]\nkinetic = \"(r'^2 + r^2*phi'^2)/2\"\npotential = '-1/r'\n\
                [initial]\nposition = { r = 1, phi = 0.4 }\nvelocity = { r = 0.1, phi = 1.3 }\n";
    let problem = problem(text, &[], &Wish::default());
    let motions = problem.solve();
    let m = &motions[0];
    assert_eq!((motions.len(), m.family, m.open), (1, 1, 1));
    let (r, rate) = (value(&problem, m, "r"), value(&problem, m, "phi'"));
    close("Kepler", rate * rate * r * r * r, Dd::ONE, 1e-26);
    close("phi stays", value(&problem, m, "phi"), Dd::ratio(2, 5), 1e-20);
    let slope = -(Dd::ratio(3, 2) * rate / r);
    close("nearest", (r - Dd::ONE) + slope * (rate - Dd::ratio(13, 10)), Dd::ZERO, 1e-20);
    let away = [r.to_f64() - 1.0, 0.1, rate.to_f64() - 1.3];
    let wanted = away.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((m.distance - wanted).abs() < 1e-14, "{} for {wanted}", m.distance);
    // going round the other way is further off
    assert!(rate > Dd::ZERO);
}

/// The disk: its steady motions are known by θ and φ', and none with other values of these is nearer than the one that is shown.
#[test]
fn nearest_circle_of_the_disk() {
    let text = include_str!("../../../models/rolling-disk.toml");
    let free = problem(text, &[], &Wish::default());
    let motions = free.solve();
    assert_eq!((motions.len(), motions[0].open), (1, 2));
    let best = &motions[0];
    let [theta, rate] = ["theta", "phi'"].map(|n| value(&free, best, n));
    let at = |d: [f64; 2]| {
        let [a, b] = [theta + Dd::from(d[0]), rate + Dd::from(d[1])].map(|x| x.to_string());
        let bound = problem(text, &[], &Wish::default().with("theta", &a).with("phi'", &b));
        bound.solve()[0].distance
    };
    assert!((at([0.0, 0.0]) - best.distance).abs() < 1e-12);
    for d in [[0.01, 0.0], [-0.01, 0.0], [0.0, 0.01], [0.0, -0.01], [0.01, 0.01], [-0.01, 0.01]] {
        let grown = at(d) - best.distance;
        // a minimum: of second order in what changes
        assert!(grown > 0.0 && grown < 0.01, "{d:?}: {grown:e}");
    }
}

/// Chaplygin's ball turns steadily about the vertical if that is one of its axes. From Rz(0.3) Rx(1.1) and Ω = (1/2, 1, 2) the third one is the nearest: with ω in space
/// the distance is² 4(1 − cos 1.1) + 5/4 + ω₁² + ω₂².
#[test]
fn nearest_axis_of_chaplygins_ball() {
    let problem = problem(include_str!("../../../models/chaplygin-ball.toml"), &[], &Wish::default());
    let m = &problem.solve()[0];
    let (sin, cos) = Dd::ratio(11, 10).sin_cos();
    let two = Dd::from(2.0);
    close("Ω₃", value(&problem, m, "Omega[3]"), two, 1e-20);
    close("R₃₃", value(&problem, m, "R[3,3]"), Dd::ONE, 1e-20);
    let up = sin + two * cos;
    let square = Dd::from(4.0) * (Dd::ONE - cos) + Dd::ratio(5, 4) + Dd::ratio(21, 4) - up * up;
    assert!((m.distance - square.sqrt().to_f64()).abs() < 1e-14, "{} for {}", m.distance, square.sqrt());
    // at rest nothing moves, exactly, and it is no nearer than where the initial state is
    let rest = common::problem(include_str!("../../../models/heisenberg.toml"), &[], &Wish::default());
    let m = &rest.solve()[0];
    for (name, first) in rest.symbols.iter().zip(&m.symbols).filter(|(n, _)| !n.ends_with('\'')) {
        let wanted = if name == "x" { Dd::ONE } else { Dd::ZERO };
        close(name, *first, wanted, 1e-20);
    }
}

/// Without a symmetry: equilibria, with frequencies and growth, the nearest first.
#[test]
fn equilibria() {
    let well = "[coordinates]\nx = 'real'\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = '(x^2 - 1)^2'\n[initial]\nposition = { x = 0.8 }\nvelocity = { x = 0.1 }\n";
    let problem = problem(well, &[], &Wish::default());
    assert!(problem.generators.is_empty());
    let motions = problem.solve();
    let places: Vec<f64> = motions.iter().map(|m| value(&problem, m, "x").to_f64()).collect();
    assert_eq!(places.len(), 3, "{places:?}");
    for (found, wanted) in places.iter().zip([1.0, 0.0, -1.0]) {
        assert!((found - wanted).abs() < 1e-25, "{places:?}");
    }
    assert!(motions.iter().all(|m| m.velocity.is_empty() && m.family == 0));
    // V'' = 12x² − 4
    close("frequency", motions[0].spectrum.frequencies()[0], Dd::from(8.0).sqrt(), 1e-25);
    close("growth", motions[1].spectrum.growth().unwrap(), Dd::from(2.0), 1e-25);
    assert!(motions[0].spectrum.stable() && !motions[1].spectrum.stable());
}

/// Angles count modulo full turns: a double pendulum has four equilibria, however far the search throws it.
#[test]
fn equilibria_of_angles() {
    let text = "[coordinates]\na = 'angle'\nb = 'angle'\n[lagrangian]\nkinetic = \"a'^2 + b'^2/2 + a'*b'*cos(a - b)\"\npotential = '-2*cos(a) - cos(b)'\n\
                [initial]\nposition = { a = 1, b = 2 }\n";
    let problem = problem(text, &[], &Wish::default());
    let motions = problem.solve();
    let mut places: Vec<[f64; 2]> =
        motions.iter().map(|m| ["a", "b"].map(|n| value(&problem, m, n).to_f64() / std::f64::consts::PI)).collect();
    assert!(motions.windows(2).all(|m| m[0].distance <= m[1].distance));
    places.iter_mut().flatten().for_each(|x| *x = (*x * 1e6).round() / 1e6);
    places.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    assert_eq!(places, [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
}

/// A superegg has fractional powers: its symmetries are seen on the motion. Rolling round, it is carried by its weight, and the moment of the ground turns its angular momentum.
#[test]
fn symmetries_on_the_motion() {
    let text = include_str!("../../../models/superegg.toml");
    let problem = problem(text, &[], &Wish::default().with("R[3,3]", "1/2").with("omega[3]", "12"));
    assert_eq!(problem.generators.len(), 4, "{:?}", problem.generators);
    let motions = problem.solve();
    assert!(!motions.is_empty());
    for m in &motions {
        let v = |name: &str| value(&problem, m, name);
        close("weight", v("normal_force"), Dd::ratio(981, 100), 1e-22);
        let path = |name: &str| m.paths.iter().find(|p| p.name == name).unwrap();
        let (contact, centre) = (path("contact"), path("centre of egg"));
        let Shape::Circle { rate, centre: middle, .. } = &centre.shape else { panic!("{centre:?}") };
        let w = rate[2];
        let force = [0, 1].map(|i| -(w * w * (centre.position[i] - middle[i])));
        let arm = [0, 1, 2].map(|i| contact.position[i] - centre.position[i]);
        let g = Dd::ratio(981, 100);
        let moment = [arm[1] * g - arm[2] * force[1], arm[2] * force[0] - arm[0] * g];
        let inertia = ["0.0555119", "0.0555119", "0.0380522"].map(|x| x.parse::<Dd>().unwrap());
        let l = [1, 2].map(|i| {
            (0..3).fold(Dd::ZERO, |s, j| {
                s + v(&format!("R[{i},{}]", j + 1)) * inertia[j] * v(&format!("Omega[{}]", j + 1))
            })
        });
        close("moment 1", moment[0], -(w * l[1]), 1e-22);
        close("moment 2", moment[1], w * l[0], 1e-22);
    }
}
