//! Models with mistakes in them: a model or a message comes out, never a panic.

use polhode_base::Severity;
use polhode_model::{Model, ParseOptions};
use proptest::prelude::*;

const MODELS: &[&str] = &[
    r#"title = "Disk"
independent = ["theta'", "phi'", "psi'"]
[parameters]
M = 1.0
r = { value = "2*M", unit = "m" }
[coordinates]
theta = "(0, pi)"
phi = "angle"
psi = "angle"
x = "real"
y = "real"
[define]
axis = "[sin(theta)*sin(phi), -sin(theta)*cos(phi), cos(theta)]"
centre = "[x, y, 0] + r*axis"
[functions]
f = ["u"]
[lagrangian]
kinetic = "M/2*norm2(dt(centre)) + (psi' + phi'*cos(theta))^2/2"
potential = "M*9.81*centre[3] + f(theta)"
[forces]
dissipation = "r/2*theta'^2"
"phi'" = "-r*phi'"
[constraints]
"no slip x" = "x' = -r*cos(phi)*psi'"
h = { holonomic = "y^2 + x^2 = 1" }
[quasi_velocities]
u = "x'*cos(phi) + y'*sin(phi)"
[symmetry]
generators = ["d/dpsi", "x*d/dy - y*d/dx", { x = "1" }]
[initial]
position = { theta = 1.0, phi = 0, x = "r" }
psi' = 2.5
[observables]
speed = "norm(dt(centre))"
[run]
until = 10
method = "taylor"
[[event]]
name = "flat"
when = "theta < r/100"
action = "stop"
[[event]]
when = "norm(dt(centre)) = 2*t"
"#,
    r#"[gravity]
g = 9.81
[parameters]
m = 1
I = "2/5*m"
[coordinates]
R = "SO(3)"
g1 = "SE(3)"
h = "SE(2)"
s = "S2"
[define]
height = "[0, 0, I]"
below = "ball.position - height"
slip = "velocity_at(ball.position, ball.rotation, below)"
middle = "[h.x, h.y, 0]"
[body.ball]
mass = "m"
inertia = { principal = ["I", "I", "I"], turned = "Rz(0.3)*Rx(10*deg)" }
position = "g1.p"
rotation = "g1.R*transpose(R)"
[bodies.sled]
mass = 1
inertia = "I"
position = "middle"
rotation = "h.theta"
[[force]]
at = "ball.position"
force = "[0, 0, m]"
[[force]]
torque = "cross(omega, s)"
on = "R"
[forces]
Omega = "-Omega"
h.p = "[1, 2]"
[constraints]
roll = "velocity_at(ball.position, g1.R, [g1.p[1], g1.p[2], 0]) = [0, 0, 0]"
slide = "dot(slip, s) = 0"
spin = "omega[3] = dot(s', s)"
[initial]
R = "quat(1, 0.1, 0, 0)"
omega = [0, 0, 1]
g1.p = [0, 0, 1]
s = [1, 2, 2]
velocity = { s = [0, 1, -1], "h.p" = [1, 1] }
"#,
];

/// Words, numbers, strings' insides, signs and line ends, one by one.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for pair in chars.windows(2) {
        if !(word(pair[0].1) && word(pair[1].1)) {
            out.push(&text[start..pair[1].0]);
            start = pair[1].0;
        }
    }
    out.push(&text[start..]);
    out
}

#[derive(Clone, Debug)]
enum Edit {
    Delete(prop::sample::Index),
    Double(prop::sample::Index),
    Copy(prop::sample::Index, prop::sample::Index),
    Put(prop::sample::Index, &'static str),
}

fn edit() -> impl Strategy<Value = Edit> {
    let words = prop::sample::select(vec![
        "0",
        "1e300",
        "9999",
        "[",
        "]",
        "(",
        ")",
        "'",
        "''",
        "^",
        "/",
        "*",
        "-",
        ",",
        "R",
        "omega",
        "x",
        "t",
        "dt",
        "SO(3)",
        "SE(2)",
        "[1,2]",
        "[[1]]",
        "identity(3)",
        "1/0",
        "\"",
        "{",
        "}",
        "=",
        "\n",
        "θ",
        "g1",
        "h.R",
        "inverse",
        "quat",
        "velocity_at",
        "rotation",
        "sqrt(-1)",
        "true",
        "body",
        ".",
        "Omega",
        "slip",
        "ball",
        "sled.position",
        "<",
        "falling",
    ]);
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Edit::Delete),
        any::<prop::sample::Index>().prop_map(Edit::Double),
        (any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(|(a, b)| Edit::Copy(a, b)),
        (any::<prop::sample::Index>(), words).prop_map(|(at, word)| Edit::Put(at, word)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mistakes_never_panic(which in 0..MODELS.len(), edits in prop::collection::vec(edit(), 1..5)) {
        let mut parts: Vec<&str> = tokens(MODELS[which]);
        for edit in &edits {
            let len = parts.len();
            match edit {
                Edit::Delete(at) => { parts.remove(at.index(len)); }
                Edit::Double(at) => { let k = at.index(len); parts.insert(k, parts[k]); }
                Edit::Copy(from, to) => { parts[to.index(len)] = parts[from.index(len)]; }
                Edit::Put(at, word) => { parts[at.index(len)] = word; }
            }
        }
        let text = parts.concat();
        let (source, diagnostics, rejected) = match Model::parse("m.toml", &text, &ParseOptions::default()) {
            Ok((model, warnings)) => (model.source, warnings, false),
            Err(no) => (no.source, no.diagnostics, true),
        };
        prop_assert_eq!(rejected, diagnostics.has_errors());
        for d in &diagnostics {
            prop_assert!(d.severity != Severity::Error || rejected);
            for label in d.primary.iter().chain(&d.secondary) {
                prop_assert!(label.span.end as usize <= source.text().len(), "{:?}", d);
                prop_assert!(source.text().is_char_boundary(label.span.start as usize), "{:?}", d);
            }
        }
        diagnostics.render(&source, polhode_base::Style::Plain);
    }
}

#[test]
fn the_models_themselves_are_fine() {
    for text in MODELS {
        if let Err(rejected) = Model::parse("m.toml", text, &ParseOptions::default()) {
            panic!("{rejected}");
        }
    }
}

/// A formula given by a flag is as safe as one in the file.
#[test]
fn flags_never_panic() {
    for text in ["", "(", "1/0", "[1,[2]]", "θθ'", "R'", "quat(0,0,0,0)", "9^9^9^9", "dt(t)", "x = 1", "\u{0}"] {
        for name in ["M", "r", "theta", "theta'", "", "\"", "x[1]", "[", "R.", "position"] {
            let pair = vec![(name.to_owned(), text.to_owned())];
            let set = ParseOptions { parameters: pair.clone(), ..ParseOptions::default() };
            let init = ParseOptions { initial: pair, ..ParseOptions::default() };
            for options in [set, init] {
                if let Err(rejected) = Model::parse("m.toml", MODELS[0], &options) {
                    assert!(rejected.diagnostics.has_errors());
                }
            }
        }
    }
}

/// So is one that is read in the names of a finished model.
#[test]
fn formulas_never_panic() {
    let texts =
        ["", "(", "1/0", "[1,[2]]", "R'", "g1", "ball", "ball.", "9^9^9^9", "f", "f(x, x)", "x = 1", "\u{0}", "x'''"];
    for text in MODELS {
        let (model, _) = Model::parse("m.toml", text, &ParseOptions::default()).expect("a model");
        let mut graph = model.graph.clone();
        for text in texts {
            if let Err(rejected) = model.formula(&mut graph, text) {
                assert!(rejected.diagnostics.has_errors(), "{text}");
                assert!(!rejected.to_string().is_empty());
            }
        }
    }
}
