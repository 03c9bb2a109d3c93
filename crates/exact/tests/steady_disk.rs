//! Steady motions of the rolling disk against closed forms in 40 digits: radii, forces, frequencies, the other motion at the same speeds, thresholds.

use crate::common;

use common::{close, problem};
use polhode_exact::steady::{Problem, SteadyMotion, Wish};
use polhode_tape::{Dd, Scalar};

const MODEL: &str = include_str!("../../../models/rolling-disk.toml");
const BY_CENTRE: &str = include_str!("../../../models/rolling-disk-centre.toml");

/// Relative errors: double-doubles lose few digits here.
const TOLERANCE: f64 = 1e-26;

fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split_whitespace().collect())
}

fn parameters(alpha: &str, beta: &str, r: &str, names: [&str; 2]) -> Vec<(String, String)> {
    let inertia = |x: &str| format!("{x}*{r}^2");
    let all = [(names[0], inertia(alpha)), (names[1], inertia(beta)), ("r", r.to_string())];
    all.into_iter().map(|(n, v)| (n.to_string(), v)).collect()
}

fn disk(alpha: &str, beta: &str, r: &str, wish: &Wish) -> Problem {
    let wish = wish.clone().point("contact", "[x, y, 0]").point("centre", "[x, y, 0] + r*spoke");
    problem(MODEL, &parameters(alpha, beta, r, ["I1", "I3"]), &wish)
}

fn nutation(motion: &SteadyMotion) -> Dd {
    let squares = motion.spectrum.squares();
    assert_eq!((squares.len(), motion.spectrum.zeros), (1, 2), "{:?}", motion.spectrum);
    squares[0]
}

/// θ and φ' determine ψ'; all the rest follows.
#[test]
fn radii_forces_and_frequencies() {
    for line in lines(include_str!("data/disk_steady.txt")) {
        let [alpha, beta, r, theta, phi, psi, omega3, contact, centre, f_h, square, ..] = line[..] else { panic!() };
        let problem = disk(alpha, beta, r, &Wish::default().with("theta", theta).with("phi'", phi));
        assert_eq!(problem.generators.len(), 4, "{:?}", problem.generators);
        let found = problem.solve();
        assert_eq!(found.len(), 1, "psi' is determined");
        let m = &found[0];
        let value = |name: &str| m.value(&problem, name).unwrap_or_else(|| panic!("{name}"));
        let wanted = |text: &str| text.parse::<Dd>().unwrap();
        assert!(m.residual < 1e-26, "{:e}", m.residual);
        assert_eq!((m.family, m.open), (2, 0));
        close("psi'", value("psi'"), wanted(psi), TOLERANCE);
        close("Omega3", value("psi'") + value("phi'") * value("theta").sin_cos().1, wanted(omega3), TOLERANCE);
        for (name, radius) in [("contact", contact), ("centre", centre)] {
            let path = m.paths.iter().find(|p| p.name == name).unwrap();
            close(name, path.radius().unwrap(), wanted(radius), TOLERANCE);
        }
        // force of the floor along h = (sin φ, −cos φ, 0), and its weight
        let (s, c) = value("phi").sin_cos();
        close("F_h", value("force[1]") * s - value("force[2]") * c, wanted(f_h), TOLERANCE);
        close("N", value("normal_force"), wanted("9.81"), TOLERANCE);
        close("omega_n^2", nutation(m), wanted(square), 1e-24);
        assert_eq!(m.spectrum.stable(), wanted(square) > Dd::ZERO);
        let state = m.positions_at(Dd::from(1.0)).unwrap();
        let at = |name: &str| state[problem.symbols.iter().position(|s| s == name).unwrap()];
        close("theta stays", at("theta"), value("theta"), TOLERANCE);
        close("phi(1)", at("phi"), value("phi") + value("phi'"), TOLERANCE);
    }
}

/// θ and ψ', or θ and Ω₃, leave a quadratic equation for φ'.
#[test]
fn two_motions_at_the_same_speeds() {
    for line in lines(include_str!("data/disk_steady.txt")) {
        let [alpha, beta, r, theta, phi, psi, omega3, _, _, _, _, same_psi, same_omega3] = line[..] else { panic!() };
        for (quantity, value, other) in [("psi'", psi, same_psi), ("psi' + phi'*cos(theta)", omega3, same_omega3)] {
            let problem = disk(alpha, beta, r, &Wish::default().with("theta", theta).with(quantity, value));
            let mut found: Vec<Dd> = problem.solve().iter().map(|m| m.value(&problem, "phi'").unwrap()).collect();
            let mut wanted: Vec<Dd> = [phi, other].iter().filter(|x| **x != "-").map(|x| x.parse().unwrap()).collect();
            let order = |a: &Dd, b: &Dd| a.to_f64().total_cmp(&b.to_f64());
            found.sort_by(order);
            wanted.sort_by(order);
            assert_eq!(found.len(), wanted.len(), "{quantity}: {found:?} {wanted:?}");
            found.iter().zip(wanted).for_each(|(x, y)| close("phi'", *x, y, 1e-24));
        }
    }
}

/// Upright: rolling straight on and spinning on the spot, below, at and above the threshold.
#[test]
fn upright() {
    let mut last = None;
    for line in lines(include_str!("data/disk_upright.txt")) {
        let [alpha, beta, kind, rate, square, growth] = line[..] else { panic!() };
        let key = (alpha, beta, kind);
        let (turning, still) = if kind == "roll" { ("psi'", "phi'") } else { ("phi'", "psi'") };
        if last.as_ref().is_none_or(|(k, _)| *k != key) {
            let wish = Wish::default().with("theta", "pi/2").with(turning, rate).with(still, "0");
            last = Some((key, disk(alpha, beta, "1", &wish)));
        }
        let problem = &last.as_ref().unwrap().1;
        let rate: Dd = rate.parse().unwrap();
        let mut values = problem.values().to_vec();
        values[1] = rate;
        let at = |rate: Dd| {
            let mut values = values.clone();
            values[1] = rate;
            let found = problem.solve_for(&values);
            assert_eq!(found.len(), 1);
            found.into_iter().next().unwrap()
        };
        if square == "critical" {
            // ω² is linear in the square of the rate: two values give its zero
            let [p, q] = [0.9, 1.2].map(|f| rate * Dd::from(f)).map(|x| (x * x, nutation(&at(x))));
            let zero = p.0 - p.1 * (q.0 - p.0) / (q.1 - p.1);
            close("threshold", zero.sqrt(), rate, 1e-24);
            continue;
        }
        let m = at(rate);
        close("omega_n^2", nutation(&m), square.parse().unwrap(), 1e-23);
        match growth {
            "-" => assert!(m.spectrum.stable()),
            g => close("growth", m.spectrum.growth().unwrap(), g.parse().unwrap(), 1e-23),
        }
    }
}

/// The same motions by the position of the centre: the symmetry is stated there.
#[test]
fn by_the_centre() {
    for line in lines(include_str!("data/disk_steady.txt")).take(4) {
        let [alpha, beta, r, theta, phi, psi, _, _, centre, _, square, ..] = line[..] else { panic!() };
        let wish = Wish::default().with("theta", theta).with("phi'", phi);
        let problem = problem(BY_CENTRE, &parameters(alpha, beta, r, ["A", "C"]), &wish);
        let m = problem.solve().remove(0);
        close("psi'", m.value(&problem, "psi'").unwrap(), psi.parse().unwrap(), TOLERANCE);
        let path = m.paths.iter().find(|p| p.name == "(x, y)").unwrap();
        close("centre", path.radius().unwrap(), centre.parse().unwrap(), TOLERANCE);
        close("omega_n^2", nutation(&m), square.parse().unwrap(), 1e-24);
    }
}

/// A family: φ' from 3 to 1 at θ = 1, each motion next to the one before it.
#[test]
fn a_family() {
    let problem = disk("1/4", "1/2", "1", &Wish::default().with("theta", "1").with("phi'", "3"));
    let at: Vec<Dd> = (0..=8).map(|k| Dd::from(3.0 - 0.25 * f64::from(k))).collect();
    let branches = problem.table("phi'", &at).unwrap();
    assert_eq!(branches.len(), 1);
    let (s, c) = Dd::ONE.sin_cos();
    for (phi, m) in at.iter().zip(&branches[0]) {
        let m = m.as_ref().expect("the family goes on");
        // (I3 + r²) Ω₃ φ' sin θ = I1 φ'² sin θ cos θ − M g r cos θ, with I1 = 1/4, I3 = 1/2
        let omega3 = m.value(&problem, "psi'").unwrap() + *phi * c;
        let left = Dd::ratio(3, 2) * omega3 * *phi * s;
        let right = Dd::ratio(1, 4) * *phi * *phi * s * c - Dd::ratio(981, 100) * c;
        close("balance", left, right, 1e-26);
    }
    assert!(problem.table("psi'", &at).is_err());
}
