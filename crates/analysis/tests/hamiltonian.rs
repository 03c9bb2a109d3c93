//! The distributional Hamiltonian form of the built-in models: Theorems 1, 2, 3 and 5 of \[CushmanEtAl1995\], the bracket
//! and its Jacobiator.

use polhode_analysis::hamiltonian::{
    Check, Distributional, NoSymmetry, Reconstruction, Reduced, Unsuitable, theorem_1, theorem_2, theorem_3, theorem_5,
};
use polhode_expr::{Expr, Symbol};
use polhode_mechanics::{Connection, Form, Leg, System};
use polhode_model::{Model, ParseOptions};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn system(text: &str) -> System {
    let (model, _) = Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    System::new(&model).unwrap_or_else(|e| panic!("{e}")).0
}

fn both(name: &str, text: &str) -> (System, Distributional) {
    let mut s = system(text);
    let d = Distributional::new(&mut s).unwrap_or_else(|e| panic!("{name}: {e}"));
    (s, d)
}

fn all_hold(what: &str, checks: &[Check]) {
    for check in checks {
        assert!(check.holds(), "{what}: {} — {:?}", check.claim, check.outcome);
    }
}

fn same(s: &mut System, what: &str, a: Expr, b: Expr) {
    let verdict = s.graph.equal(a, b);
    assert!(verdict.is_equal(), "{what}: {verdict:?}");
}

fn formula(s: &mut System, text: &str) -> Expr {
    let model = s.model.clone();
    model.formula(&mut s.graph, text).unwrap_or_else(|e| panic!("{text}: {e}"))[0]
}

macro_rules! model {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../models/", $name, ".toml")))
    };
}

/// Models that differ in what the form has to cope with: rational and trigonometric coefficients, quasi-velocities of
/// their own, rotations, holonomic constraints, none. With each: the ranks of V, V ∩ H, K and H̄, and that of the Jacobiator.
///
/// J has rank 0 for holonomic constraints, 3 when one bracket [e_a, e_b] leaves D (then J is w ∧ ∂_a ∧ ∂_b), and 5 for balls,
/// where the three brackets of rotations leave D in two directions.
const MODELS: [((&str, &str), [usize; 5]); 14] = [
    (model!("chaplygin-sleigh"), [3, 2, 0, 2, 3]),
    (model!("nonholonomic-particle"), [2, 1, 1, 2, 3]),
    (model!("snakeboard"), [4, 2, 2, 2, 3]),
    (model!("heisenberg"), [1, 0, 0, 4, 3]),
    (model!("chaplygin-ball"), [2, 0, 0, 6, 5]),
    (model!("symmetric-sphere"), [3, 1, 1, 4, 5]),
    (model!("suslov"), [3, 2, 0, 2, 3]),
    (model!("veselova"), [1, 0, 0, 4, 3]),
    (model!("knife-edge"), [0, 0, 0, 4, 3]),
    (model!("vertical-penny"), [4, 2, 2, 0, 3]),
    (model!("rolling-disk"), [3, 1, 1, 4, 3]),
    (model!("rolling-disk-centre"), [4, 2, 0, 4, 3]),
    (model!("spherical-pendulum"), [1, 1, 1, 2, 0]),
    (model!("free-rigid-body"), [3, 3, 1, 2, 0]),
];

#[test]
fn theorems_1_and_2() {
    for ((name, text), _) in MODELS {
        let (mut s, d) = both(name, text);
        all_hold(name, &theorem_1(&mut s, &d));
        all_hold(name, &theorem_2(&mut s, &d));
    }
}

/// The form is there for every frame: Voronets' too, and with it a different ω_H.
#[test]
fn theorem_1_in_another_frame() {
    for ((name, text), _) in [MODELS[0], MODELS[2], MODELS[11]] {
        let mut s = system(text);
        let frame = s.voronets_frame();
        let d = Distributional::in_frame(&mut s, frame).unwrap_or_else(|e| panic!("{name}: {e}"));
        all_hold(name, &theorem_1(&mut s, &d));
    }
}

/// The checks can fail: without the bracket term of (M1), the form of constraints put into L before differentiating, ω_H is
/// still non-degenerate and skew, but its field is neither the motion nor has it multipliers, nor does it go down to that of the quotient.
#[test]
fn a_wrong_form_is_found_out() {
    let ((name, text), _) = MODELS[0];
    let (mut s, mut d) = both(name, text);
    let reduced = Reduced::new(&mut s, &d).expect("symmetries");
    for (a, b) in [(0, 1), (1, 0)] {
        d.omega[(a, b)] = s.graph.sub(d.omega[(a, b)], d.gyroscopic[(a, b)]);
    }
    let failed = |checks: Vec<Check>| checks.iter().filter(|c| !c.holds()).map(|c| c.claim).collect::<Vec<_>>();
    let wrong = failed(theorem_1(&mut s, &d));
    assert_eq!(wrong, ["ξ is the motion of the frame equation", "dE − ξ ⌟ ω is a combination of the φ_a"]);
    assert!(failed(theorem_2(&mut s, &d)).is_empty(), "Theorem 2 holds for every non-degenerate form");
    assert!(failed(theorem_3(&mut s, &d, &reduced)).contains(&"ξ̄ ⌟ ω̄ = dĒ"));
}

#[test]
fn theorems_3_and_5() {
    for ((name, text), [rank_v, vertical, common, rank_h, _]) in MODELS {
        let (mut s, d) = both(name, text);
        let reduced = Reduced::new(&mut s, &d).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = [reduced.rank_v, reduced.vertical.len(), reduced.common.len(), reduced.rank_h()];
        assert_eq!(found, [rank_v, vertical, common, rank_h], "{name}");
        assert_eq!(reduced.perpendicular.len(), 2 * d.k() - vertical, "{name}: ω_H is non-degenerate");
        all_hold(name, &theorem_3(&mut s, &d, &reduced));
        let split = Reconstruction::new(&mut s, &d, &reduced).unwrap_or_else(|| panic!("{name} splits"));
        all_hold(name, &theorem_5(&mut s, &d, &reduced, &split));
        // The upright penny has K = V ∩ H, all admissible velocities: hypothesis 2 of [CushmanEtAl1995, §5] fails.
        assert_eq!(reduced.common_is_involutive(&mut s, &d), Some(name != "vertical-penny"), "{name}");
        // The frame of the pendulum is not carried around the vertical, body axes not around the sphere's own axis, space axes not around the vertical.
        assert_eq!(split.carried, !["spherical-pendulum", "symmetric-sphere", "veselova"].contains(&name), "{name}");
    }
}

/// In a frame that the symmetries carry along, what Theorem 5 claims holds for the sphere with an axis too, and K has the
/// one dimension of its spin.
#[test]
fn theorem_5_in_an_invariant_frame() {
    let mut s = system(include_str!("../../../models/symmetric-sphere.toml"));
    let symmetry = s.symmetry().expect("symmetries");
    let frame = s.reduced_by(symmetry, Connection::Kinetic).expect("a free action").frame;
    let d = Distributional::in_frame(&mut s, frame).expect("linear constraints");
    all_hold("sphere", &theorem_1(&mut s, &d));
    let reduced = Reduced::new(&mut s, &d).expect("symmetries");
    all_hold("sphere", &theorem_3(&mut s, &d, &reduced));
    let split = Reconstruction::new(&mut s, &d, &reduced).expect("a splitting");
    let claims = theorem_5(&mut s, &d, &reduced, &split);
    all_hold("sphere", &claims);
    assert!(split.carried && claims.iter().any(|c| c.claim == "⟨dE, η_i⟩ is constant along V"));
    assert_eq!((reduced.common.len(), reduced.rank_h()), (1, 4));
}

/// {q, q} = 0, {q^A, π_a} = E_a^A and {π_a, π_b} = −c_ab^k π_k, the last as in the Hamilton form.
#[test]
fn brackets_of_coordinates() {
    for ((name, text), [.., jacobi]) in MODELS {
        let (mut s, d) = both(name, text);
        let positions: Vec<Expr> = s.configuration.positions().to_vec().iter().map(|q| s.graph.var(*q)).collect();
        let momenta = d.momenta().to_vec();
        let zero = s.graph.zero();
        let anchor = s.configuration.anchor(&mut s.graph);
        let frame = anchor.mul(&mut s.graph, &d.equation.frame.e);
        for (i, q) in positions.iter().enumerate() {
            let value = d.bracket(&mut s.graph, *q, positions[0]);
            same(&mut s, name, value, zero);
            for (a, p) in momenta.iter().enumerate() {
                let value = d.bracket(&mut s.graph, *q, *p);
                same(&mut s, name, value, frame[(i, a)]);
            }
        }
        let hamilton = s.equations(Form::Hamilton).expect("quadratic");
        let (symbols, to_p) = d.momentum_chart(&mut s).expect("quadratic");
        assert_eq!(symbols, hamilton.unknowns, "{name}");
        for a in 0..d.k() {
            for b in a + 1..d.k() {
                let value = d.bracket(&mut s.graph, momenta[a], momenta[b]);
                let minus = s.graph.neg(d.gyroscopic[(a, b)]);
                same(&mut s, name, value, minus);
                let label = format!("{{{}, {}}}", s.graph.name(symbols[a]), s.graph.name(symbols[b]));
                let shown = hamilton.named.iter().find(|n| n.name == label).map_or(zero, |n| n.value);
                let value = s.graph.substitute(value, &to_p);
                same(&mut s, &label, value, shown);
            }
        }
        assert_eq!(d.bracket_rank(&mut s), Some(2 * d.k()), "{name}");
        let j = d.jacobiator(&mut s);
        assert_eq!((j.rank(&mut s), j.vanishes(&mut s)), (Some(jacobi), jacobi == 0), "{name}");
        // against the definition of the Jacobiator: three momenta, and (M6)
        for ((a, b, c), shown) in &j.momenta {
            let value = d.jacobiator_of(&mut s.graph, momenta[*a], momenta[*b], momenta[*c]);
            same(&mut s, name, value, *shown);
        }
        for a in 0..d.k() {
            for b in 0..d.k() {
                let shown = j.on_positions(&mut s, &d, a, b);
                for (q, shown) in positions.iter().zip(shown) {
                    let value = d.jacobiator_of(&mut s.graph, *q, momenta[a], momenta[b]);
                    same(&mut s, name, value, shown);
                }
                let value = d.jacobiator_of(&mut s.graph, positions[0], positions[1 % positions.len()], momenta[a]);
                same(&mut s, name, value, zero);
            }
        }
    }
}

/// A function of everything, known by name only.
fn any(s: &mut System, d: &Distributional, name: &str) -> Expr {
    let symbols: Vec<Symbol> = s.configuration.positions().iter().chain(d.quasi_velocities()).copied().collect();
    let arguments = symbols.iter().map(|x| s.graph.var(*x)).collect();
    let function = s.graph.function(name);
    s.graph.apply(function, arguments)
}

/// {f, g} = −{g, f}, {f, g h} = {f, g} h + g {f, h} and {f, E} = ḟ, for all functions.
#[test]
fn skew_and_a_derivation() {
    for ((name, text), _) in [MODELS[0], MODELS[1], MODELS[11]] {
        let (mut s, d) = both(name, text);
        let [f, g, h] = ["F", "G", "K"].map(|n| any(&mut s, &d, n));
        let graph = &mut s.graph;
        let (fg, gf, fh) = (d.bracket(graph, f, g), d.bracket(graph, g, f), d.bracket(graph, f, h));
        let minus = graph.neg(gf);
        let gh = graph.mul(g, h);
        let whole = d.bracket(graph, f, gh);
        let (left, right) = (graph.mul(fg, h), graph.mul(g, fh));
        let sum = graph.add(left, right);
        let xi = d.vector_field(graph);
        let (rate, bracket) = (d.derivative(graph, f, &xi), d.bracket(graph, f, d.energy));
        same(&mut s, name, fg, minus);
        same(&mut s, name, whole, sum);
        same(&mut s, name, rate, bracket);
    }
}

/// Jacobi's identity for all functions when there are no constraints, and not with one.
#[test]
fn jacobi_for_all_functions() {
    let free = "[parameters]\nm = 1\n[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nL = \"m/2*(x'^2 + (2 + x^2)*y'^2) - x*y\"\n";
    let blade = "[parameters]\nm = 1\n[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n[lagrangian]\nL = \"m/2*(x'^2 + y'^2 + z'^2)\"\n[constraints]\nc = \"z' = y*x'\"\n";
    for (text, holds) in [(free, true), (blade, false)] {
        let (mut s, d) = both("two functions", text);
        let [f, g, h] = ["F", "G", "K"].map(|n| any(&mut s, &d, n));
        let value = d.jacobiator_of(&mut s.graph, f, g, h);
        assert_eq!(s.graph.decide_zero(value).is_equal(), holds);
    }
}

/// Suslov's problem by the rotations of space: the reduced space is the plane of the momenta, and
/// ṗ_1 = −Ω_2 π_3, ṗ_2 = Ω_1 π_3 with π_3 = I_13 Ω_1 + I_23 Ω_2. ω̄ has no value where π_3 vanishes.
#[test]
fn suslov_by_rotations_of_space() {
    let text = include_str!("../../../models/suslov.toml");
    let (mut s, d) = both("suslov", text);
    let reduced = Reduced::new(&mut s, &d).expect("symmetries");
    assert_eq!((reduced.rank_v, reduced.vertical.len(), reduced.common.len(), reduced.dimension), (3, 2, 0, 2));
    all_hold("suslov", &theorem_3(&mut s, &d, &reduced));
    let rates = reduced.rates(&mut s, &d);
    let across = formula(&mut s, "I13*Omega[1] + I23*Omega[2]");
    let wanted = ["-Omega[2]", "Omega[1]"].map(|t| formula(&mut s, t));
    for (rate, factor) in rates.into_iter().zip(wanted) {
        let want = s.graph.mul(factor, across);
        same(&mut s, "Suslov's equations", rate, want);
    }
    let degenerate = reduced.degenerate(&mut s);
    assert_eq!(degenerate.len(), 1);
    let minus = s.graph.neg(across);
    let sign = s.graph.equal(degenerate[0], minus).is_equal();
    same(&mut s, "the Pfaffian is ±π_3", degenerate[0], if sign { minus } else { across });
}

/// A direction as configuration: a pendulum on the sphere, with no constraint of its own. M has four dimensions, and with turns
/// about the vertical K is the turn itself.
#[test]
fn a_pendulum_on_the_sphere() {
    let text = "[parameters]\nm = 1\ng = 9.81\n[coordinates]\ns = \"S2\"\n[lagrangian]\n\
        kinetic = \"m/2*norm2(s')\"\npotential = \"m*g*s[3]\"\n";
    let turns = "[symmetry]\ngenerators = [{ s = \"cross([0, 0, 1], s)\" }]\n";
    for (text, rank_v, coordinates) in [(text.to_string(), 0, 4), (format!("{text}{turns}"), 1, 2)] {
        let (mut s, d) = both("pendulum", &text);
        assert_eq!((d.dimension(&s), d.k()), (4, 2));
        all_hold("pendulum", &theorem_1(&mut s, &d));
        all_hold("pendulum", &theorem_2(&mut s, &d));
        let j = d.jacobiator(&mut s);
        assert!(j.vanishes(&mut s));
        let reduced = Reduced::new(&mut s, &d).expect("symmetries");
        assert_eq!((reduced.rank_v, reduced.common.len(), reduced.rank_h()), (rank_v, rank_v, 4 - 2 * rank_v));
        assert_eq!(reduced.coordinates.len(), coordinates, "{:?}", reduced.coordinates);
        all_hold("pendulum", &theorem_3(&mut s, &d, &reduced));
        let split = Reconstruction::new(&mut s, &d, &reduced).expect("a splitting");
        all_hold("pendulum", &theorem_5(&mut s, &d, &reduced, &split));
    }
}

/// A coefficient that depends on position.
const COEFFICIENTS: [&str; 7] = ["1", "q1", "sin(q2)", "cos(q1 + q2)", "q1*q2", "q3^2", "2 - cos(q3)"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, rng_seed: RngSeed::Fixed(1995), ..ProptestConfig::default() })]

    /// Theorems 1 and 2, and the skew rank-2k bracket, on random systems: masses that depend on position, terms
    /// linear in the velocities, one or two constraints.
    #[test]
    fn random_systems(
        n in 3..=4usize,
        m in 1..=2usize,
        row in proptest::collection::vec(0..COEFFICIENTS.len(), 8),
        mass in proptest::collection::vec(0..COEFFICIENTS.len(), 4),
        linear in 0..COEFFICIENTS.len(),
    ) {
        let mut text = String::from("[parameters]\nm = 1.3\n[coordinates]\n");
        (1..=n).for_each(|i| text += &format!("q{i} = \"real\"\n"));
        let kinetic: Vec<String> =
            (1..=n).map(|i| format!("m/2*(2 + ({})^2)*q{i}'^2", COEFFICIENTS[mass[i - 1]])).collect();
        text += &format!(
            "[lagrangian]\nL = \"{} + q1'*q2'/3 + ({})*q1' - q1^2*q3 - cos(q2)\"\n[constraints]\n",
            kinetic.join(" + "),
            COEFFICIENTS[linear]
        );
        for c in 0..m {
            let terms: Vec<String> =
                (0..n - m).map(|j| format!("({})*q{}'", COEFFICIENTS[row[4 * c + j]], j + 1)).collect();
            text += &format!("c{c} = \"q{}' = {}\"\n", n - m + c + 1, terms.join(" + "));
        }
        let (mut s, d) = both("random", &text);
        all_hold(&text, &theorem_1(&mut s, &d));
        all_hold(&text, &theorem_2(&mut s, &d));
        prop_assert_eq!(d.bracket_rank(&mut s), Some(2 * d.k()));
        // J = 0 exactly when the brackets of D stay in D
        let holonomic = {
            let frame = &d.equation.frame;
            let across: Vec<Expr> = (d.equation.brackets.iter())
                .filter(|(a, b, _)| [a, b].iter().all(|l| matches!(l, Leg::Field(i) if *i < frame.k)))
                .flat_map(|(_, _, c)| c[frame.k..].to_vec())
                .collect();
            across.into_iter().all(|e| s.is_zero(e))
        };
        let j = d.jacobiator(&mut s);
        prop_assert_eq!(j.vanishes(&mut s), holonomic, "{}", text);
    }
}

#[test]
fn what_is_no_symmetry() {
    let with = |text: &str, generator: &str| {
        let at = text.find("[initial]").expect("an initial state");
        let own = text.find("[symmetry]").unwrap_or(at);
        format!("{}[symmetry]\ngenerators = [{generator}]\n{}", &text[..own.min(at)], &text[at..])
    };
    let particle = include_str!("../../../models/nonholonomic-particle.toml");
    let sleigh = include_str!("../../../models/chaplygin-sleigh.toml");
    let suslov = include_str!("../../../models/suslov.toml");
    let cases = [
        (with(particle, "\"d/dy\""), NoSymmetry::Changes { text: "d/dy".into(), what: "the constraints" }),
        (with(sleigh, "\"x*d/dx\""), NoSymmetry::Changes { text: "x*d/dx".into(), what: "the Lagrangian" }),
        (with(suslov, "{ R = \"R*diag(1, 2, 3)\" }"), NoSymmetry::NotTangent("{ R = \"R*diag(1, 2, 3)\" }".into())),
    ];
    for (text, reason) in cases {
        let (mut s, d) = both("no symmetry", &text);
        assert_eq!(Reduced::new(&mut s, &d).map(|_| ()), Err(reason));
    }
}

#[test]
fn what_is_unsuitable() {
    let blade = |l: &str, constraint: &str, rest: &str| {
        format!(
            "[parameters]\nm = 1\n[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n[lagrangian]\nL = \"{l}\"\n\
             [constraints]\nc = \"{constraint}\"\n{rest}"
        )
    };
    let l = "m/2*(x'^2 + y'^2 + z'^2)";
    let cases = [
        (blade(l, "z' = y*x' + 1", ""), Unsuitable::Drift),
        (blade(l, "z' = y*x'", "[forces]\nx = \"-x'\"\n"), Unsuitable::Forces),
        (blade(l, "z' = t*x'", ""), Unsuitable::Time),
        (blade("m/2*(x'^2 + y'^2 + z'^2) - t*x", "z' = y*x'", ""), Unsuitable::Time),
        (include_str!("../../../models/ellipsoid-on-sphere.toml").into(), Unsuitable::Carried),
    ];
    for (text, reason) in cases {
        let mut s = system(&text);
        assert_eq!(Distributional::new(&mut s).map(|_| ()), Err(reason));
    }
}
