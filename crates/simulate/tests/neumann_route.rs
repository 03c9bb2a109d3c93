//! Two routes to the same motion: a rolling body without charts, and in Neumann's coordinates (u, v, ϑ, u₁, v₁) with the
//! constraints (12).
//!
//! For each pair of surfaces the two systems are compared at random states in many digits (Ω̇ and the force of the contact), and
//! along a motion (R, x_O, Ω, c, c₁, force). The chart-free system knows no chart; where the second model gives a surface by a
//! parametrisation of its own, the first has it by its equation.
//!
//! Then the derived equations against those of [Voronets1911] as `neumann/` has them: (57) for two ellipsoids, (40) and (45) for
//! an ellipsoid outside and inside of a sphere.

use crate::neumann;

use crate::prelude::*;
use neumann::algebra::{X, letter, with};
use neumann::sphere::Lopsided;
use neumann::surface::two_ellipsoids;
use polhode_base::random::Random;
use polhode_expr::eval::{Digits, Real};
use polhode_model::{ChartChoice, Charts, Interval};
use std::collections::HashMap;

/// Digits of the comparison at random states.
const DIGITS: usize = 50;
/// Random states of each pair.
const STATES: usize = 3;
/// Equations agree to this, relative to the larger side and to 1.
const EQUAL: f64 = 1e-38;
/// Motions agree to this.
const NEAR: f64 = 1e-10;

/// Values by name.
type State = HashMap<String, Real>;

/// Two surfaces in contact.
struct Pair {
    name: &'static str,
    /// Body, ground and forces.
    text: &'static str,
    /// The same with other descriptions of the surfaces, where the charts are to be those.
    charted: Option<&'static str>,
    start: &'static str,
    charts: Charts,
    /// Where random states lie; the whole of the intervals otherwise.
    near: &'static [(&'static str, f64, f64)],
    /// How long the motion is followed.
    until: f64,
}

const STANDARD: Charts = Charts { body: ChartChoice::Standard, ground: ChartChoice::Standard };
const ELLIPTIC: Charts = Charts { body: ChartChoice::Elliptic, ground: ChartChoice::Elliptic };

/// What a pair is where nothing else is said.
const PAIR: Pair = Pair { name: "", text: "", charted: None, start: "", charts: STANDARD, near: &[], until: 1.0 };

/// Two ellipsoids that touch off their axes.
const EGG_ON_EGG: &str = r#"
[initial.egg]
contact  = { normal = [1, 1, -2] }
touching = "[1/5, 1/10, -3/10] + [1, -1, 2]/sqrt(1/9 + 4/25 + 1)"
Omega    = ["1/2", "1/3", "1/2"]
"#;

const PAIRS: &[Pair] = &[
    Pair {
        name: "torus on a plane, lines of curvature",
        text: r#"
[gravity]
g = 1
[body.tyre]
mass    = 1
surface = { torus = [1, "1/4"] }
inertia = ["3/5", "3/5", 1]
[ground]
surface = "plane"
"#,
        start: r#"
[initial.tyre]
contact        = ["6/5", 0, "-3/20"]
touching       = [0, 0, 0]
tangent_body   = [0, 1, 0]
tangent_ground = [1, 0, 0]
Omega          = ["1/5", "1/10", 2]
"#,
        until: 4.0,
        ..PAIR
    },
    Pair {
        name: "lopsided spheroid on a sphere, lines of curvature, poles on the x axis",
        text: r#"
[body.egg]
mass    = 1
surface = { spheroid = [1, 1.5], centre = [0, 0, "1/5"] }
inertia = ["13/20", "13/20", "2/5"]
[ground]
surface = { sphere = 2 }
[lagrangian]
potential = "norm2(x_O)/4"
"#,
        start: r#"
[initial.egg]
contact        = { normal = [1, 0, -1] }
touching       = [0, 0, 2]
tangent_body   = [0, 1, 0]
tangent_ground = [0, 1, 0]
Omega          = ["1/2", "1/4", 1]
"#,
        charts: Charts { body: ChartChoice::Standard, ground: ChartChoice::PolarX },
        until: 3.0,
        ..PAIR
    },
    Pair {
        name: "ball in a paraboloid: a cavity, Monge's chart, poles on the y axis, friction of the air",
        text: r#"
[gravity]
g = 1
[body.ball]
mass    = 1
surface = { sphere = "1/4" }
inertia = "solid"
[ground]
surface = { paraboloid = [1, "3/2"], inside = true }
[forces]
Omega = "-Omega/100 + [0, 0, R[3,1]/50]"
x_O   = "-ball.velocity/20"
"#,
        start: r#"
[initial.ball]
contact        = [0, 0, "-1/4"]
touching       = [1, 0, "1/2"]
tangent_body   = [1, 0, 0]
tangent_ground = [0, 1, 0]
Omega          = [0, 3, 1]
"#,
        charts: Charts { body: ChartChoice::PolarY, ground: ChartChoice::Standard },
        near: &[("u1", -0.8, 0.8), ("v1", -0.8, 0.8)],
        until: 2.0,
        ..PAIR
    },
    Pair {
        name: "ball with a rotor on a torus that is turned and moved",
        text: r#"
[body.ball]
mass      = 1
surface   = { sphere = "1/3", centre = [0.02, 0, 0.05] }
inertia   = [0.05, 0.04, 0.06]
gyroscope = { momentum = 0.1, axis = [0, 0.6, 0.8] }
[ground]
surface   = { torus = [2, "1/2"], centre = [0.1, 0, 0.2] }
position  = [0.3, 0.2, 0]
rotation  = "Rx(0.4)"
bilateral = true
[lagrangian]
potential = "norm2(x_O)/2"
"#,
        start: r#"
[initial.ball]
contact        = { normal = [1, 1, -2] }
touching       = ["2.3 + 0.1", 0, "0.4 + 0.2"]
tangent_body   = [1, 0, 0]
tangent_ground = [0, 1, 0]
Omega          = [1, 1, "1/2"]
"#,
        ..PAIR
    },
    Pair {
        name: "two ellipsoids in elliptic coordinates, axes out of order",
        text: r#"
[body.egg]
mass    = "7/5"
surface = { ellipsoid = [1, 2, "3/2"], centre = ["1/10", "-1/5", "3/20"] }
inertia = ["13/20", 1, "5/4"]
[ground]
surface   = { ellipsoid = [3, "5/2", 2], centre = ["1/5", "1/10", "-3/10"] }
bilateral = true
[lagrangian]
potential = "norm2(x_O)/2 + 2*x_O[3] + x_O[1]*x_O[2]/5"
"#,
        start: EGG_ON_EGG,
        charts: ELLIPTIC,
        until: 0.5,
        ..PAIR
    },
    Pair {
        name: "ellipsoid on a plane: a chart with F and D′",
        text: r#"
[gravity]
g = 1
[body.ellipsoid]
mass    = 1
surface = { ellipsoid = [2, 1.5, 1] }
inertia = "solid"
[ground]
surface = "plane"
"#,
        start: r#"
[initial.ellipsoid]
contact        = ["6/13", "6/13", "-12/13"]
touching       = [0, 0, 0]
tangent_body   = [1, 0, 0]
tangent_ground = [1, 0, 0]
Omega          = ["1/2", "1/3", 1]
"#,
        until: 3.0,
        ..PAIR
    },
    Pair {
        name: "two ellipsoids, both in sheared charts of Monge",
        text: r#"
[body.egg]
mass    = "7/5"
surface = { ellipsoid = [2, "3/2", 1] }
inertia = [["13/20", "1/20", 0], ["1/20", 1, 0], [0, 0, "5/4"]]
[ground]
surface   = { ellipsoid = [3, "5/2", 2] }
bilateral = true
[lagrangian]
potential = "norm2(x_O)/2 + 2*x_O[3] + x_O[1]*x_O[2]/5"
"#,
        charted: Some(
            r#"
[body.egg]
mass    = "7/5"
inertia = [["13/20", "1/20", 0], ["1/20", 1, 0], [0, 0, "5/4"]]
[body.egg.surface]
parametric = ["u + v/3", "v", "sqrt(1 - (u + v/3)^2/4 - 4*v^2/9)"]
domain     = [[-1.5, 1.5], [-1, 1]]
[ground]
bilateral = true
[ground.surface]
parametric = ["u - v/4", "v + u/5", "2*sqrt(1 - (u - v/4)^2/9 - 4*(v + u/5)^2/25)"]
domain     = [[-2, 2], [-2, 2]]
[lagrangian]
potential = "norm2(x_O)/2 + 2*x_O[3] + x_O[1]*x_O[2]/5"
"#,
        ),
        start: r#"
[initial.egg]
contact        = "[1, 1/2, sqrt(1 - 1/4 - 1/9)]"
touching       = "[1, -1, 2*sqrt(1 - 1/9 - 4/25)]"
tangent_body   = [1, 0, 0]
tangent_ground = [1, 1, 0]
Omega          = ["1/2", "1/3", "1/2"]
"#,
        near: &[("u", -0.6, 0.6), ("v", -0.6, 0.6), ("u1", -0.8, 0.8), ("v1", -0.8, 0.8)],
        ..PAIR
    },
    Pair {
        name: "ellipsoid in a spherical cavity, elliptic coordinates",
        text: r#"
[body.egg]
mass      = 1
surface   = { ellipsoid = [2, "3/2", 1], centre = ["1/10", "-1/5", "3/20"] }
inertia   = ["13/20", 1, "5/4"]
[ground]
surface   = { sphere = 5, inside = true }
bilateral = true
[lagrangian]
potential = "-20/norm(x_O)"
"#,
        start: r#"
[initial.egg]
contact  = { normal = [1, 1, -2] }
touching = [0, 3, -4]
Omega    = ["1/2", "1/3", "1/2"]
"#,
        charts: Charts { body: ChartChoice::Elliptic, ground: ChartChoice::Standard },
        until: 0.2,
        ..PAIR
    },
    Pair {
        name: "hollow ellipsoid around a ball: a body touched from inside, elliptic coordinates",
        text: r#"
[gravity]
g = 1
[body.shell]
mass    = 1
surface = { ellipsoid = [2, "5/2", 3], inside = true }
inertia = [4, 3.5, 3]
[ground]
surface   = { sphere = 1 }
bilateral = true
"#,
        start: r#"
[initial.shell]
contact  = { normal = [1, 1, -2] }
touching = ["1/3", "2/3", "2/3"]
Omega    = ["1/5", "1/3", "1/2"]
"#,
        charts: Charts { body: ChartChoice::Elliptic, ground: ChartChoice::Standard },
        until: 0.2,
        ..PAIR
    },
    Pair {
        name: "rod on a sphere",
        text: r#"
[body.rod]
mass    = 1
surface = { cylinder = "1/4" }
inertia = ["1/3", "1/3", "1/32"]
[ground]
surface = { sphere = 1 }
[lagrangian]
potential = "-1/norm(x_O)"
"#,
        start: r#"
[initial.rod]
contact        = ["1/4", 0, "1/10"]
touching       = [0, "3/5", "4/5"]
tangent_body   = [0, 0, 1]
tangent_ground = [1, 0, 0]
Omega          = ["1/5", "2/5", "3/10"]
"#,
        ..PAIR
    },
    Pair {
        name: "pear with a profile curve on a cone",
        text: r#"
[gravity]
g = 1
[body.pear]
mass    = 1
surface = { revolution = { curve = ["sin(s)*(1 + cos(s)/5)", "-cos(s)"] } }
inertia = [0.5, 0.5, 0.4]
[ground]
surface   = { cone = "pi/3" }
bilateral = true
"#,
        start: r#"
[initial.pear]
contact  = { normal = [1, 1, 1] }
touching = ["sqrt(3)", 0, 1]
Omega    = ["1/5", "1/3", "1/2"]
"#,
        near: &[("v", 0.8, 2.0), ("v1", 1.5, 3.0)],
        ..PAIR
    },
    Pair {
        name: "ellipsoid that slides on a sphere without friction",
        text: r#"
[body.egg]
mass    = 1
surface = { ellipsoid = [2, "3/2", 1] }
inertia = ["13/20", 1, "5/4"]
[ground]
surface      = { sphere = 3 }
frictionless = true
[lagrangian]
potential = "-20/norm(x_O)"
"#,
        start: r#"
[initial.egg]
contact        = ["6/13", "6/13", "-12/13"]
touching       = [1, 2, 2]
tangent_body   = [1, 0, 0]
tangent_ground = [1, 0, 0]
Omega          = ["1/2", "1/3", "1/2"]
"#,
        ..PAIR
    },
    Pair {
        name: "ball whose centre keeps its height: a further constraint, and names that are taken",
        text: r#"
[parameters]
u = 1.5
v = 1
[gravity]
g = "v"
[body.ball]
mass    = "u"
surface = { sphere = "v" }
inertia = ["1/2", "2/3", "3/4"]
[ground]
surface   = { sphere = 3 }
bilateral = true
[constraints]
level = "dot(ball.velocity, [0, 0, 1]) = 0"
"#,
        start: r#"
[initial.ball]
contact  = { normal = [1, 1, -2] }
touching = [1, 2, 2]
omega    = [0.2, 0.4, 1.5]
"#,
        ..PAIR
    },
];

fn parse(text: &str) -> Model {
    Model::parse("pair.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}")).0
}

impl Pair {
    fn free(&self) -> Model {
        parse(&format!("{}{}", self.text, self.start))
    }

    fn charted(&self) -> Model {
        let model = parse(&format!("{}{}", self.charted.unwrap_or(self.text), self.start));
        let (model, warnings) = model.in_neumann_coordinates(self.charts).unwrap_or_else(|e| panic!("{e}"));
        assert!(warnings.is_empty(), "{}: {:?}", self.name, warnings);
        model
    }
}

fn system(model: &Model) -> System {
    System::new(model).unwrap_or_else(|e| panic!("{e}")).0
}

/// Names that both routes know, with how many components.
fn shared_names(forces: bool) -> Vec<String> {
    let mut out: Vec<String> = (0..9).map(|k| format!("R[{},{}]", k / 3 + 1, k % 3 + 1)).collect();
    for stem in ["x_O", "Omega", "c", "c1"].into_iter().chain(forces.then_some("force")) {
        out.extend((1..=3).map(|i| format!("{stem}[{i}]")));
    }
    out
}

/// The same state at later times.
#[test]
fn motions_agree() {
    let mut worst = 0f64;
    for (k, pair) in PAIRS.iter().enumerate() {
        let times: Vec<f64> = (1..=4).map(|k| pair.until * f64::from(k) / 4.0).collect();
        let run = Run::until(pair.until).at(times.iter().copied()).sparse();
        let solve = |model: &Model, form: Option<Form>| {
            let options = CompileOptions { form, ..CompileOptions::default() };
            let compiled = system(model).compile_with(&options).unwrap_or_else(|e| panic!("{e}"));
            let motion = compiled.solve(&run).expect("a sound run");
            assert_eq!(motion.samples.len(), 4, "{}: {}", pair.name, motion.report.stop);
            motion.samples
        };
        // the form that is chosen without a wish, and that with the forces as unknowns, in turn
        let form = (k % 2 == 0).then_some(Form::Multipliers);
        let (free, charted) = (solve(&pair.free(), None), solve(&pair.charted(), form));
        let mut largest = 0f64;
        for (a, b) in free.iter().zip(&charted) {
            for name in shared_names(true) {
                let (x, y) = (a[name.as_str()], b[name.as_str()]);
                let off = (x - y).abs() / x.abs().max(1.0);
                assert!(off < NEAR, "{}, t = {}: {name} is {x} without charts and {y} with them", pair.name, a.t());
                largest = largest.max(off);
            }
        }
        println!("{largest:8.1e}  {}", pair.name);
        worst = worst.max(largest);
        let moved =
            (1..=3).map(|i| (free[3][format!("c1[{i}]").as_str()] - free[0][format!("c1[{i}]").as_str()]).abs());
        assert!(moved.fold(0.0, f64::max) > 0.01, "{}: nothing moves", pair.name);
    }
    println!("largest: {worst:e}");
}

/// A number between two others.
fn between(random: &mut Random, digits: &Digits, low: f64, high: f64) -> Real {
    digits.double(random.short(low, high))
}

/// A random state of the charted model that satisfies the constraints: positions, velocities, parameters.
fn random_state(model: &Model, system: &mut System, pair: &Pair, random: &mut Random) -> State {
    let digits = Digits::decimal(DIGITS);
    let mut state = parameters(model);
    let plain = model.parameter_values().expect("values");
    for f in model.configuration.factors() {
        let given = pair.near.iter().find(|(n, ..)| *n == f.name).map(|(_, a, b)| (*a, *b));
        let (low, high) = given.unwrap_or_else(|| match f.interval() {
            Some(Interval { low: a, high: b, .. }) => {
                let end = |e: Expr| model.graph.evaluate_f64(e, &plain).expect("a number");
                let (a, b) = (end(a), end(b));
                (a + 0.15 * (b - a), b - 0.15 * (b - a))
            }
            None => (-1.3, 1.3),
        });
        state.insert(f.name.clone(), between(random, &digits, low, high));
        state.insert(format!("{}'", f.name), between(random, &digits, -1.0, 1.0));
    }
    state.insert("t".into(), digits.double(0.0));
    // the dependent velocities
    let frame = system.voronets_frame();
    let velocities = frame.velocities(&mut system.graph);
    let values = evaluate(&system.graph, &velocities, &state);
    for (s, x) in system.configuration.velocities().iter().zip(values) {
        state.insert(name(&system.graph, *s), x);
    }
    state
}

fn parameters(model: &Model) -> State {
    model.parameter_digits().expect("values").into_iter().map(|(s, x)| (name(&model.graph, s), x)).collect()
}

fn name(g: &Graph, s: Symbol) -> String {
    g.name(s).to_string()
}

/// Values by the names of symbols.
fn evaluate(g: &Graph, roots: &[Expr], state: &State) -> Vec<Real> {
    let symbols = g.free_symbols(roots);
    let values = symbols
        .iter()
        .map(|s| (*s, state.get(g.name(*s)).unwrap_or_else(|| panic!("no value of {}", g.name(*s))).clone()));
    g.evaluate(&Digits::decimal(DIGITS), roots, &values.collect()).expect("a value")
}

#[track_caller]
fn same(label: &str, a: &Real, b: &Real) -> f64 {
    let larger = a.to_f64().value().abs().max(b.to_f64().value().abs()).max(1.0);
    let off = (a - b).to_f64().value().abs() / larger;
    assert!(off < EQUAL, "{label}: {} and {}, off by {off:e}", a.to_f64().value(), b.to_f64().value());
    off
}

/// Ω̇ and the force of the contact at random states: from the charted equations through Ω(q, q̇), and from the chart-free ones at the
/// state (R, x_O, c, c₁, V, Ω) that the charts say.
#[test]
fn equations_agree_at_random_states() {
    for (k, pair) in PAIRS.iter().enumerate() {
        let (free, charted) = (pair.free(), pair.charted());
        let (mut free_system, mut charted_system) = (system(&free), system(&charted));
        let mut random = Random::new(7 + k as u64);

        // with charts: the rates of Ω, and the force by (N1)
        let form = charted_system.equations(Form::Voronets).expect("it applies");
        let accelerations = form.accelerations(&mut charted_system);
        let configuration = charted_system.configuration.clone();
        let g = &mut charted_system.graph;
        let symbols: Vec<Symbol> =
            configuration.velocities().iter().map(|v| polhode_model::Configuration::acceleration(g, *v)).collect();
        let on_motion = symbols.into_iter().zip(accelerations.clone());
        let reactions = form.reactions.iter().map(|r| (charted.multipliers[r.constraint], r.value));
        let on_motion = on_motion.chain(reactions).collect();
        let mut motion = configuration.motion(g, charted.time);
        motion.extend(configuration.velocities().iter().copied().zip(accelerations));
        let observed = |n: &str| charted.observables.iter().find(|(m, _)| m == n).unwrap_or_else(|| panic!("{n}")).1;
        let names = shared_names(false);
        let places: Vec<Expr> = names.iter().map(|n| observed(n)).collect();
        let spin: Vec<Expr> = (1..=3).map(|i| observed(&format!("Omega[{i}]"))).collect();
        let turning = g.along_all(&spin, &motion);
        let force: Vec<Expr> = (1..=3).map(|i| observed(&format!("force[{i}]"))).collect();
        let force = g.substitute_all(&force, &on_motion);
        let speed: Vec<Expr> = charted.contacts[..][0].sides[0].velocity.to_vec();

        // without
        let form = free_system.equations(Form::Multipliers).expect("it applies");
        let free_accelerations = form.accelerations(&mut free_system);
        let multipliers: Vec<Expr> = form.reactions.iter().map(|r| r.value).collect();
        let of = free.multipliers.iter().copied().zip(multipliers).collect();
        let free_force = free_system.graph.substitute_all(&free.contacts[..][0].force, &of);

        let mut worst = 0f64;
        for _ in 0..STATES {
            let state = random_state(&charted, &mut charted_system, pair, &mut random);
            let g = &charted_system.graph;
            let mut seen = parameters(&free);
            seen.extend(names.iter().cloned().zip(evaluate(g, &places, &state)));
            for (i, v) in evaluate(g, &speed, &state).into_iter().enumerate() {
                seen.insert(format!("V[{}]", i + 1), v);
            }
            for (old, new) in [("c.uv[1]", "u"), ("c.uv[2]", "v")] {
                seen.extend(state.get(new).map(|x| (old.to_string(), x.clone())));
            }
            seen.insert("t".into(), state["t"].clone());
            let expected = evaluate(&free_system.graph, &free_accelerations[3..], &seen);
            let expected_force = evaluate(&free_system.graph, &free_force, &seen);
            for (i, x) in evaluate(g, &turning, &state).iter().enumerate() {
                worst = worst.max(same(&format!("{}, rate of Omega[{}]", pair.name, i + 1), x, &expected[i]));
            }
            for (i, x) in evaluate(g, &force, &state).iter().enumerate() {
                worst = worst.max(same(&format!("{}, force[{}]", pair.name, i + 1), x, &expected_force[i]));
            }
        }
        println!("{worst:8.1e}  {}", pair.name);
    }
}

/// The derived form of Voronets is (57), with his Θ, for two ellipsoids in elliptic coordinates.
#[test]
fn voronets_form_is_57() {
    let x = two_ellipsoids(1);
    let rolling = x.spin_56();
    let on_motion: Vec<(X, X)> = x.spin.into_iter().zip(rolling).collect();
    let sides: Vec<(X, X)> = (x.left_sides().into_iter().zip(x.right_sides()))
        .map(|(a, b)| (a.put(&on_motion), b.put(&on_motion)))
        .collect();
    let full = x.lagrangian();

    let pair = Pair {
        name: "(57)",
        text: r#"
[body.egg]
mass    = "7/5"
surface = { ellipsoid = [2, "3/2", 1], centre = ["1/10", "-1/5", "3/20"] }
inertia = ["13/20", 1, "5/4"]
[ground]
surface   = { ellipsoid = [3, "5/2", 2], centre = ["1/5", "1/10", "-3/10"] }
bilateral = true
[lagrangian]
potential = "norm2(x_O)/2 + 2*x_O[3] + x_O[1]*x_O[2]/5"
"#,
        start: EGG_ON_EGG,
        charts: ELLIPTIC,
        ..PAIR
    };
    let model = pair.charted();
    let mut system = system(&model);
    let form = system.equations(Form::Voronets).expect("it applies");
    assert_eq!(form.named[0].name, "Theta");
    let accelerations = form.accelerations(&mut system);
    let mut random = Random::new(57);
    for _ in 0..STATES {
        let mut state = random_state(&model, &mut system, &pair, &mut random);
        let theta = evaluate(&system.graph, &[form.named[0].value], &state);
        let values = evaluate(&system.graph, &accelerations, &state);
        for (s, a) in system.configuration.velocities().iter().zip(values) {
            state.insert(format!("{}'", system.graph.name(*s)), a);
        }
        let digits = Digits::decimal(DIGITS);
        // the octants of the points of contact
        for (chart, signs) in [("u", [1.0, 1.0, -1.0]), ("u1", [1.0, -1.0, 1.0])] {
            for (i, sign) in signs.into_iter().enumerate() {
                state.insert(format!("sign of {chart} {i}"), digits.double(sign));
            }
        }
        let value = |e: X| with(|g| evaluate(g, &[e.expr()], &state)).remove(0);
        same("Θ + U", &theta[0], &value(full));
        for (i, (left, right)) in sides.iter().enumerate() {
            let (left, right) = (value(*left), value(*right));
            same(&format!("(57), line {}", i + 1), &left, &right);
            assert!(left.to_f64().value().abs() > 1e-4, "(57), line {}: both sides are zero", i + 1);
        }
    }
}

/// On a sphere the derived form of Hamel in u̇, v̇, n is (40), and that of Hamilton (45): outside, and in a cavity.
#[test]
fn hamel_and_hamilton_forms_are_40_and_45() {
    for problem in [Lopsided::ALL[0], Lopsided::ALL[1]] {
        let x = problem.problem();
        let sides: Vec<(X, X)> = x.left_sides().into_iter().zip(x.right_sides()).collect();
        let p = ["p1", "p2", "p3"].map(letter);
        let canonical = x.canonical(x.hamiltonian(p), p);

        let charts = Charts { body: ChartChoice::Elliptic, ground: ChartChoice::Standard };
        let (model, _) = parse(&problem.text()).in_neumann_coordinates(charts).unwrap_or_else(|e| panic!("{e}"));
        let mut system = system(&model);
        let hamel = system.equations(Form::Hamel).expect("it applies");
        let hamilton = system.equations(Form::Hamilton).expect("it applies");
        let unknowns: Vec<&str> = hamel.unknowns.iter().map(|s| system.graph.name(*s)).collect();
        assert_eq!(unknowns, ["u'", "v'", "n"]);
        let pair = Pair { name: "(40)", charts, ..PAIR };
        let mut random = Random::new(40);
        for _ in 0..STATES {
            let mut state = random_state(&model, &mut system, &pair, &mut random);
            let digits = Digits::decimal(DIGITS);
            for (i, sign) in [1.0, 1.0, -1.0].into_iter().enumerate() {
                state.insert(format!("sign of u {i}"), digits.double(sign));
            }
            state.insert("n".into(), between(&mut random, &digits, -1.0, 1.0));
            let rates = evaluate(&system.graph, &hamel.rates, &state);
            for (name, a) in ["u''", "v''", "n'"].into_iter().zip(rates) {
                state.insert(name.into(), a);
            }
            for (i, s) in hamilton.unknowns.iter().enumerate() {
                let momentum = between(&mut random, &digits, -1.0, 1.0);
                state.insert(format!("p{}", i + 1), momentum.clone());
                state.insert(system.graph.name(*s).to_string(), momentum);
            }
            let value = |e: X| with(|g| evaluate(g, &[e.expr()], &state)).remove(0);
            for (i, (left, right)) in sides.iter().enumerate() {
                same(&format!("(40), line {}", i + 1), &value(*left), &value(*right));
            }
            let mut derived = evaluate(&system.graph, &hamilton.rates, &state);
            derived.extend(evaluate(&system.graph, &hamilton.velocities[..2], &state));
            for (i, x) in derived.iter().enumerate() {
                same(&format!("(45), line {}", i + 1), x, &value(canonical[i]));
            }
        }
    }
}
