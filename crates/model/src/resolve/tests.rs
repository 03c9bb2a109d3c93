//! What each construct of the language means.

use crate::{Model, ParseOptions};
use polhode_expr::{Expr, Graph};
use rustc_hash::FxHashMap;

fn parse(text: &str) -> Model {
    parse_with(text, &ParseOptions::default())
}

fn parse_with(text: &str, options: &ParseOptions) -> Model {
    match Model::parse("test.toml", text, options) {
        Ok((model, _)) => model,
        Err(rejected) => panic!("{rejected}"),
    }
}

fn codes(text: &str) -> Vec<&'static str> {
    codes_with(text, &ParseOptions::default())
}

fn codes_with(text: &str, options: &ParseOptions) -> Vec<&'static str> {
    match Model::parse("test.toml", text, options) {
        Ok((_, warnings)) => warnings.iter().map(|d| d.code).collect(),
        Err(rejected) => rejected.diagnostics.iter().map(|d| d.code).collect(),
    }
}

/// Asserts that two formulas of a model agree, written in the model's own symbols.
fn assert_equal(g: &mut Graph, a: Expr, b: Expr) {
    assert!(g.equal(a, b).is_equal(), "{:?} and {:?}", g.node(a), g.node(b));
}

const DISK: &str = r#"
title     = "Disk rolling on a horizontal plane"
reference = "Cendra & Díaz 2006"

[parameters]
M  = 1.0               # mass, kg
r  = 1.0               # radius, m
g  = 9.81
I1 = "M*r^2/4"         # about a diameter
I3 = "M*r^2/2"         # about the axis

[coordinates]
theta = "(0, pi)"      # axis against the vertical
phi   = "angle"        # heading
psi   = "angle"        # roll
x     = "real"         # contact point
y     = "real"

[define]
axis   = "[sin(theta)*sin(phi), -sin(theta)*cos(phi), cos(theta)]"
spoke  = "[-cos(theta)*sin(phi), cos(theta)*cos(phi), sin(theta)]"
centre = "[x, y, 0] + r*spoke"

[lagrangian]
kinetic   = "M/2*norm2(dt(centre)) + I1/2*norm2(dt(axis)) + I3/2*(psi' + phi'*cos(theta))^2"
potential = "M*g*centre[3]"

[constraints]
"no slip x" = "x' = -r*cos(phi)*psi'"
"no slip y" = "y' = -r*sin(phi)*psi'"

[symmetry]
generators = ["d/dpsi", "d/dx", "d/dy"]

[initial]
position = { theta = 1.0, phi = 0, psi = 0, x = 0, y = 0 }
velocity = { theta = 0.2, phi = 1.5, psi = 2.5 }
"#;

#[test]
fn rolling_disk() {
    let mut model = parse(DISK);
    assert_eq!(model.name, "test");
    assert_eq!(model.configuration.dimension(), 5);
    assert!(model.configuration.factors()[0].interval().is_some());
    assert_eq!(model.parameters.len(), 5);
    let values = model.parameter_values().unwrap();
    assert_eq!(values[&model.parameter("I1").unwrap().symbol], 0.25);
    let names: Vec<&str> = model.constraints.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["no slip x", "no slip y"]);
    assert_eq!(model.symmetries.len(), 3);
    assert_eq!(model.initial.len(), 8);
    let lagrangian = model.lagrangian.unwrap();
    let g = &mut model.graph;
    // the kinetic energy in ψ' alone is I3/2
    let psi = g.symbol("psi'");
    let once = g.derivative(lagrangian, psi);
    let twice = g.derivative(once, psi);
    let i3 = g.named("I3");
    assert_equal(g, twice, i3);
    let mut at = FxHashMap::default();
    at.extend(values);
    for (name, x) in [
        ("theta", 1.0),
        ("phi", 0.0),
        ("x", 0.0),
        ("y", 0.0),
        ("theta'", 0.0),
        ("phi'", 0.0),
        ("psi'", 0.0),
        ("x'", 0.0),
        ("y'", 0.0),
    ] {
        at.insert(g.symbol(name), x);
    }
    let rest = g.evaluate_f64(lagrangian, &at).unwrap();
    assert!((rest + 9.81 * 1.0_f64.sin()).abs() < 1e-14);
    assert!(codes("").contains(&"missing-section"));
    let options = ParseOptions { parameters: vec![("rr".into(), "2".into())], ..ParseOptions::default() };
    assert_eq!(codes_with(DISK, &options), ["unknown-name"]);
}

/// Asserts that a definition `a` of the model equals the definition `b`, entry by entry.
fn same(model: &mut Model, a: &str, b: &str) {
    let find = |name: &str| {
        let found = model.definitions.iter().find(|(n, _)| n == name);
        found.map(|(_, e)| e.clone()).unwrap_or_else(|| panic!("no `{name}`"))
    };
    let (left, right) = (find(a), find(b));
    assert_eq!(left.len(), right.len(), "{a}, {b}");
    for (x, y) in left.into_iter().zip(right) {
        assert_equal(&mut model.graph, x, y);
    }
}

/// A model with the given definitions over all kinds of coordinates.
fn with_definitions(lines: &str) -> Model {
    parse(&format!(
        "[parameters]\nm = 2\nk = 0.5\n[coordinates]\nx = 'real'\ny = 'real'\ntheta = 'angle'\n\
         a = 'angle'\nb = 'angle'\nR = 'SO(3)'\ng = 'SE(3)'\nh = 'SE(2)'\ns = 'S2'\n\
         [functions]\nf = ['u']\n[define]\n{lines}"
    ))
}

fn check(pairs: &[(&str, &str)]) {
    let lines: Vec<String> =
        pairs.iter().enumerate().map(|(k, (l, r))| format!("l{k} = \"{l}\"\nr{k} = \"{r}\"\n")).collect();
    let mut model = with_definitions(&lines.concat());
    for k in 0..pairs.len() {
        same(&mut model, &format!("l{k}"), &format!("r{k}"));
    }
}

#[test]
fn formulas_of_vectors_and_matrices() {
    check(&[
        ("dot([x, y], [1, 2])", "x + 2*y"),
        ("norm2([x, y, 1])", "x^2 + y^2 + 1"),
        ("norm([3, 4])", "5"),
        ("cross([1, 0, 0], [0, 1, 0])", "[0, 0, 1]"),
        ("hat([x, y, 1])*[1, 2, 3]", "cross([x, y, 1], [1, 2, 3])"),
        ("transpose([[1, 2, 3], [4, 5, 6]])*[x, y]", "[x + 4*y, 2*x + 5*y, 3*x + 6*y]"),
        ("inverse([[1, x], [0, 2]])*[[1, x], [0, 2]]", "identity(2)"),
        ("inverse(Rz(theta))", "Rz(-theta)"),
        ("det(Rx(a)*Ry(b))", "1"),
        ("trace(diag(1, x, y))", "1 + x + y"),
        ("diag([1, x])", "[[1, 0], [0, x]]"),
        ("outer([1, x], [y, 2])", "[[y, 2], [x*y, 2*x]]"),
        ("([1, 2, 3])[2] + R[1][3]", "2 + R[1, 3]"),
        ("2*[x, y]/m - [1, 1]", "[2*x/m - 1, 2*y/m - 1]"),
        ("-[x, y]", "[-x, -y]"),
        ("R*transpose(R)", "identity(3)"),
        ("2*Rz(a)*R*[x, y, 1]", "Rz(a)*(R*[2*x, 2*y, 2])"),
        ("rotation([0, 0, 2], a)", "Rz(a)"),
        ("quat(cos(a), sin(a), 0, 0)", "Rx(2*a)"),
        ("quat(2, 0, 0, 0)", "identity(3)"),
        ("90*deg", "pi/2"),
        ("tan(a) + atan2(0, 1) + abs(3) + sinh(0) + exp(0) + log(1)", "sin(a)/cos(a) + 4"),
    ]);
}

#[test]
fn time_derivatives() {
    check(&[
        ("dt(x^2*t)", "2*x*t*x' + x^2"),
        ("dt([x, sin(theta)])", "[x', cos(theta)*theta']"),
        ("dt(R)", "R*hat(Omega)"),
        ("R'", "hat(omega)*R"),
        ("omega", "R*Omega"),
        ("R.omega + R.Omega", "omega + Omega"),
        ("dt(x*x')", "x'^2 + x*x''"),
        ("dt(Omega)[1]", "Omega'[1]"),
        ("dt(f(x))", "dt(f(x)) + 0*f(x)"),
        ("g.p'", "g.R*g.V"),
        ("g.omega", "g.R*g.Omega"),
        ("h.p'", "h.R*h.V"),
        ("h.theta'", "h.Omega"),
        ("[h.x', h.y']", "[h.V[1]*cos(h.theta) - h.V[2]*sin(h.theta), h.V[1]*sin(h.theta) + h.V[2]*cos(h.theta)]"),
        ("dot(s, s')", "dt(dot(s, s))/2"),
        ("m*dt(t)", "m"),
    ]);
}

#[test]
fn angular_velocities() {
    check(&[
        ("angular_velocity(R)", "omega"),
        ("body_angular_velocity(R)", "Omega"),
        ("angular_velocity(Rz(a)*Rx(b))", "[b'*cos(a), b'*sin(a), a']"),
        ("body_angular_velocity(Rz(a)*Rx(b))", "[b', a'*sin(b), a'*cos(b)]"),
        ("hat(angular_velocity(Rz(a)*Rx(b)*Ry(theta)))", "dt(Rz(a)*Rx(b)*Ry(theta))*transpose(Rz(a)*Rx(b)*Ry(theta))"),
        ("hat(body_angular_velocity(transpose(R)*Rz(a)))", "transpose(transpose(R)*Rz(a))*dt(transpose(R)*Rz(a))"),
        ("hat(angular_velocity(quat(x, y, 1, 2)))", "dt(quat(x, y, 1, 2))*transpose(quat(x, y, 1, 2))"),
        (
            "hat(body_angular_velocity(rotation([x, 1, 0], a)))",
            "transpose(rotation([x, 1, 0], a))*dt(rotation([x, 1, 0], a))",
        ),
        (
            "hat(angular_velocity(rotation([1, 2, 2], a)))",
            "dt(rotation([1, 2, 2], a))*transpose(rotation([1, 2, 2], a))",
        ),
        // a matrix written out, whose spin is found from its derivative
        ("angular_velocity([[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]])", "[0, 0, a']"),
        ("angular_velocity(h.R)", "h.Omega"),
        ("angular_velocity(theta)", "theta'"),
        ("velocity_at([x, y, m], R, [x, y, 0])", "[x', y', 0] + cross(omega, [0, 0, -m])"),
        ("velocity_at([x, y], theta, [x + k, y])", "[x', y' + k*theta']"),
        ("velocity_at([x, y, 0], theta, [x, y + k, 1])", "[x' - k*theta', y', 0]"),
        ("velocity_at(h.p, h.R, h.p + h.R*[k, 0])", "h.R*[h.V[1], h.V[2] + k*h.Omega]"),
        ("velocity_at(g.p, g.R, g.p)", "g.p'"),
    ]);
}

#[test]
fn bodies_give_the_lagrangian() {
    let mut model = parse(
        r#"
[parameters]
m = 1.2
It = 0.08
Ia = 0.15
[gravity]
g = 9.81
[coordinates]
x = "real"
y = "real"
psi = "angle"
th = "angle"
phi = "angle"
[body.disk]
mass = "m"
inertia = ["It", "Ia", "It"]
position = "[x, y, cos(th)]"
rotation = "Rz(psi)*Rx(th)*Ry(phi)"
[lagrangian]
L = "E"
kinetic = "K"
potential = "P"
[define]
E = "3*x'"
K = "y'^2"
P = "x^2"
expected = "m/2*(x'^2 + y'^2 + sin(th)^2*th'^2) + It/2*(th'^2 + psi'^2*cos(th)^2) + Ia/2*(phi' + psi'*sin(th))^2 - m*g*cos(th) + 3*x' + y'^2 - x^2"
[observables]
w = "disk.omega"
up = "disk.position[3]"
[constraints]
roll = "velocity_at(disk.position, disk.rotation, [x, y, 0]) = 0"
"#,
    );
    let expected = model.definitions.iter().find(|(n, _)| n == "expected").unwrap().1[0];
    let lagrangian = model.lagrangian.unwrap();
    assert_equal(&mut model.graph, lagrangian, expected);
    let names: Vec<&str> = model.constraints.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["roll[1]", "roll[2]", "roll[3]"]);
    let observables: Vec<&str> = model.observables.iter().map(|o| o.0.as_str()).collect();
    assert_eq!(observables, ["w[1]", "w[2]", "w[3]", "up"]);
    assert!(model.parameter("g").is_some(), "gravity keeps its letter");
    assert_eq!(model.bodies[0].inertia.as_ref().unwrap().len(), 9);
    assert_eq!(model.source.slice(model.lagrangian_span.unwrap()), "\"K\"");
}

#[test]
fn definitions_use_bodies_and_bodies_definitions() {
    let mut model = parse(
        r#"
[parameters]
m = 1.2
r = 0.5
[gravity]
vector = "-9.81*upwards"
[quasi_velocities]
u = "dot(slip, [cos(psi), sin(psi), 0])"
[define]
contact  = "disk.position - r*disk.rotation*Ry(-phi)*[0, 0, 1]"
slip     = "velocity_at(disk.position, disk.rotation, contact)"
low      = "r*cos(th)"
centre   = "[x, y, low]"
axle     = "disk.rotation*[0, 1, 0]"
tip      = "pin.position + 2*axle"
upwards  = "[0, 0, 1] + 0*disk.position"
below    = "[x - r*sin(psi)*sin(th), y + r*cos(psi)*sin(th), 0]"
slipping = "[x', y', -r*sin(th)*th'] + cross(disk.omega, below - centre)"
turning  = "disk.rotation*disk.Omega"
spin     = "disk.omega"
point    = "centre + 3*axle"
rate     = "dt(disk.position)"
speed    = "disk.velocity"
[coordinates]
x = "real"
y = "real"
psi = "angle"
th = "angle"
phi = "angle"
[body.pin]
mass = 1
position = "disk.position + axle"
[body.disk]
mass = "m"
inertia = ["m*r^2/4", "m*r^2/2", "m*r^2/4"]
position = "centre"
rotation = "Rz(psi)*Rx(th)*Ry(phi)"
[observables]
kinetic = "m/2*norm2(disk.velocity) + norm2(pin.velocity)/2"
turning = "m*r^2/8*(disk.Omega[1]^2 + 2*disk.Omega[2]^2 + disk.Omega[3]^2)"
potential = "9.81*(m*disk.position[3] + pin.position[3])"
"#,
    );
    for (a, b) in [("contact", "below"), ("slip", "slipping"), ("spin", "turning"), ("tip", "point"), ("rate", "speed")]
    {
        same(&mut model, a, b);
    }
    let names: Vec<&str> = model.definitions.iter().map(|d| d.0.as_str()).collect();
    assert_eq!(names[..4], ["contact", "slip", "low", "centre"], "in the order of the file");
    let bodies: Vec<&str> = model.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(bodies, ["pin", "disk"]);
    assert_eq!(model.quasi_velocities.len(), 1);
    let mut graph = model.graph.clone();
    let [kinetic, turning, potential] = [0, 1, 2].map(|k| model.observables[k].1);
    let (energy, minus) = (graph.add(kinetic, turning), graph.neg(potential));
    let expected = graph.add(energy, minus);
    assert_equal(&mut graph, model.lagrangian.unwrap(), expected);
}

/// What depends on a mistake says nothing, also through a body.
#[test]
fn one_mistake_one_message() {
    let text = "[coordinates]\nx = 'real'\n[define]\nc = '[x, 0, z]'\nv = 'ball.velocity'\n\
                [body.ball]\nmass = 1\nposition = 'c'\n[constraints]\na = 'v[1] = 0'\nb = 'ball.position[1] = x'\n";
    assert_eq!(codes(text), ["unknown-name"]);
}

#[test]
fn a_coordinate_and_a_body_of_one_name() {
    let model = parse(
        "[coordinates]\ng = 'SE(3)'\n[define]\nw = 'g.R*g.Omega'\nv = 'g.velocity'\n\
         [body.g]\nmass = 1\ninertia = 1\nposition = 'g.p + 0*w'\nrotation = 'g.R'\n",
    );
    assert_eq!(model.definitions.len(), 2);
    let model =
        parse("[coordinates]\nx = 'real'\n[define]\nv = 'ω.velocity'\n[body.'ω']\nmass = 1\nposition = '[x, 0]'");
    assert_eq!(model.bodies[0].name, "ω");
}

#[test]
fn formulas_in_the_names_of_a_model() {
    let model = parse(&format!("{DISK}\n[quasi_velocities]\nu = \"r*psi'\"\n[functions]\nf = ['q']\n"));
    let mut graph = model.graph.clone();
    for (a, b) in [
        ("centre'", "[x', y', 0] + r*dt(spoke)"),
        ("M*u + t*θ''", "M*r*psi' + t*dt(theta')"),
        ("[[I1, I3], [g, pi]]", "[I1, I3, g, pi]"),
        ("dt(f(x)*t)", "f(x) + t*dt(f(x))"),
        ("angular_velocity([[cos(t), -sin(t)], [sin(t), cos(t)]])", "1"),
    ] {
        let (left, right) = (model.formula(&mut graph, a).unwrap(), model.formula(&mut graph, b).unwrap());
        assert_eq!(left.len(), right.len(), "{a}");
        left.into_iter().zip(right).for_each(|(x, y)| assert_equal(&mut graph, x, y));
    }
    for (text, code, place) in [
        ("x + thta^2", "unknown-name", "thta"),
        ("M*(x", "unclosed-bracket", "("),
        ("x + centre", "wrong-dimension", "x + centre"),
        ("x = 1", "unexpected-equation", "="),
        ("M'", "velocity-of-parameter", "M'"),
        ("x + f", "wrong-arguments", "f"),
    ] {
        let rejected = model.formula(&mut graph, text).unwrap_err();
        let first = rejected.diagnostics.iter().next().unwrap();
        assert_eq!(first.code, code, "{rejected}");
        assert_eq!(rejected.source.slice(first.span().unwrap()), place, "{rejected}");
        assert!(first.secondary.iter().all(|l| l.span.end as usize <= text.len()), "{rejected}");
        assert!(model.formula(&mut graph, "x").is_ok(), "the graph is as good as before");
    }
}

#[test]
fn planar_bodies() {
    let mut model = parse(
        r#"
[parameters]
m = 1
J = 2
g = 9.81
l = 1
[gravity]
vector = "[0, -g]"
[coordinates]
theta = "angle"
h = "SE(2)"
[define]
e1 = "m/2*l^2*theta'^2 + J/2*theta'^2 - m*g*l*sin(theta)"
e2 = "m/2*norm2(h.V) + J/2*h.Omega^2 - m*g*h.y"
expected = "e1 + e2"
[body.rod]
mass = "m"
inertia = "J"
position = "l*[cos(theta), sin(theta)]"
rotation = "theta"
[bodies.sled]
mass = "m"
inertia = "J"
position = "h.p"
rotation = "h.R"
"#,
    );
    let expected = model.definitions.iter().find(|(n, _)| n == "expected").unwrap().1[0];
    let lagrangian = model.lagrangian.unwrap();
    assert_equal(&mut model.graph, lagrangian, expected);
    assert_eq!(model.bodies[0].position.len(), 3);
}

#[test]
fn forces_are_paired_with_velocities() {
    let mut model = parse(
        r#"
[parameters]
c = 2
[coordinates]
x = "real"
y = "real"
R = "SO(3)"
[define]
p = "[x, 2*y, 0]"
[quasi_velocities]
u = "x' + 3*y'"
[forces]
x = "c"
"y'" = "t"
u = "5"
Omega = "[1, 0, 0]"
omega = "[0, 0, 7]"
dissipation = "c/2*(x'^2 + y'^2)"
[[force]]
at = "p"
force = "[0, 1, 0]"
[[force]]
torque = "[0, 0, 1]"
on = "R"
[observables]
fx = "c + 5 - c*x'"
fy = "t + 15 - c*y' + 2"
w1 = "1 + 8*R[3,1]"
w2 = "8*R[3,2]"
w3 = "8*R[3,3]"
"#,
    );
    let names: Vec<String> = model.forces.iter().map(|(s, _)| model.graph.name(*s).to_owned()).collect();
    assert_eq!(names, ["x'", "y'", "Omega[1]", "Omega[2]", "Omega[3]"]);
    for k in 0..5 {
        let (a, b) = (model.forces[k].1, model.observables[k].1);
        assert_equal(&mut model.graph, a, b);
    }
    assert_eq!(model.quasi_velocities.len(), 1);
}

#[test]
fn constraints_of_all_sorts() {
    let mut model = parse(
        r#"
constraints = ["x' = y*t", "x^2 + y^2 = 1", "[x', y'] = 0"]
[coordinates]
x = "real"
y = "real"
[observables]
a = "x' - y*t"
b = "2*x*x' + 2*y*y'"
c = "x'"
d = "y'"
"#,
    );
    let names: Vec<&str> = model.constraints.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["c1", "c2", "c3[1]", "c3[2]"]);
    let holonomic: Vec<bool> = model.constraints.iter().map(|c| c.holonomic.is_some()).collect();
    assert_eq!(holonomic, [false, true, false, false]);
    for k in 0..4 {
        let (a, b) = (model.constraints[..][k].residual, model.observables[k].1);
        assert_equal(&mut model.graph, a, b);
    }
    let model = parse(
        "[coordinates]\nx = 'real'\n[constraints]\na = { holonomic = 'x - 1' }\nb = { velocity = \"x' = x'\" }\nc = [\"x' = 1\", \"x' = 2\"]",
    );
    assert!(model.constraints[..][0].holonomic.is_some());
    assert!(model.constraints[..][1].holonomic.is_none(), "it mentions a velocity");
    assert_eq!(model.constraints[..][3].name, "c[2]");
}

fn start(model: &Model, name: &str) -> f64 {
    let symbol = model.graph.find_symbol(name).unwrap();
    let values = model.parameter_values().unwrap();
    let given = model.initial.iter().find(|i| i.symbol == symbol);
    let e = given.unwrap_or_else(|| panic!("no start of {name}")).value;
    model.graph.evaluate_f64(e, &values).unwrap()
}

const ALL_KINDS: &str = r#"
[parameters]
k = 2
[coordinates]
x = "(1, 5)"
R = "SO(3)"
g = "SE(3)"
h = "SE(2)"
s = "S2"
[initial]
x = "k + 1"
x' = 0.5
R = "Rz(pi/2)"
omega = [1, 2, 3]
g.R = "Rx(pi/2)"
g.p = [1, 2, 3]
"g.p'" = [0, 0, 1]
h.p = [4, 5]
h.theta = "pi/2"
h.theta' = 3
"h.p'" = [1, 0]
s = [1, 2, 2]
s' = [0, 1, -1]
"#;

#[test]
fn initial_values() {
    let mut model = parse(ALL_KINDS);
    let close = |name: &str, x: f64| {
        let found = start(&model, name);
        assert!((found - x).abs() < 1e-15, "{name}: {found}");
    };
    close("x", 3.0);
    close("x'", 0.5);
    close("R[2,1]", 1.0);
    // Ω = Rᵀ ω with R = Rz(90°)
    close("Omega[1]", 2.0);
    close("Omega[2]", -1.0);
    close("g.p[3]", 3.0);
    // V = Rᵀ ṗ with R = Rx(90°): e3 becomes e2
    close("g.V[2]", 1.0);
    close("h.y", 5.0);
    close("h.V[2]", -1.0);
    close("h.Omega", 3.0);
    close("s[2]", 2.0 / 3.0);
    close("s[3]'", -1.0);
    let count = model.configuration.positions().len();
    assert_eq!(model.initial_positions().len(), count);
    let mut bare = parse("[coordinates]\nx = '(1, 5)'\nR = 'SO(3)'\n");
    let three = bare.graph.int(3);
    let starts = bare.initial_positions();
    assert_eq!(starts[0].1, three);
    assert_eq!(starts[1].1, bare.graph.one());
    assert_eq!(starts[2].1, bare.graph.zero());
}

#[test]
fn flags_change_parameters_and_starts() {
    let options = ParseOptions {
        parameters: vec![("k".into(), "1/2".into()), ("k".into(), "sqrt(4)".into())],
        initial: vec![
            ("x".into(), "k + 0.5".into()),
            ("Omega".into(), "[1,2,3]".into()),
            ("R".into(), "quat(1,0,0,0)".into()),
            ("h.x".into(), "9".into()),
        ],
        ..ParseOptions::default()
    };
    let model = parse_with(ALL_KINDS, &options);
    assert_eq!(start(&model, "x"), 2.5);
    assert_eq!(start(&model, "Omega[3]"), 3.0, "the flag replaces the world components of the file");
    assert_eq!(start(&model, "R[1,1]"), 1.0);
    assert_eq!((start(&model, "h.x"), start(&model, "h.y")), (9.0, 5.0));
}

#[test]
fn symmetries() {
    let model = parse(
        r#"
[coordinates]
x = "real"
y = "real"
phi = "angle"
R = "SO(3)"
h = "SE(2)"
[symmetry]
group = "SE(2)"
generators = ["x*d/dy - y*d/dx + d/dphi", "d/dh.x", { R = "hat([0, 0, 1])*R", x = "-y", y = "x" }]
"#,
    );
    assert_eq!(model.symmetry_group.as_deref(), Some("SE(2)"));
    let sizes: Vec<usize> = model.symmetries.iter().map(|s| s.rates.len()).collect();
    assert_eq!(sizes, [3, 1, 8]);
}

#[test]
fn several_rotations_and_a_body_without_coordinates() {
    let model = parse(
        "[coordinates]\nA = 'SO(3)'\nB = 'SO(3)'\n[define]\nw = 'A.omega - B.omega'\n[constraints]\nc = 'A.Omega[3] = B.Omega[3]'",
    );
    assert!(model.graph.find_symbol("A.Omega[1]").is_some());
    let model = parse("[body.top]\nmass = 1\ninertia = [1, 1, 2]\nrotation = 'R'\n");
    let top = &model.configuration.factors()[0];
    assert!(top.rotation().is_some() && top.translation().is_none());
    assert!(model.lagrangian.is_some());
}

#[test]
fn the_rest_of_a_model() {
    let model = parse(
        r#"
title = "θ"
fact = "it moves"
idealised = true
independent = ["θ'", "Omega"]
[parameters]
"m₁" = { value = "2*3", latex = "m_1", unit = "kg", about = "mass" }
[coordinates]
"θ" = { kind = "angle", latex = "\\vartheta" }
R = "so(3)"
[define]
v = "m1*θ'"
[run]
until = "10*m1"
at = [1, 2]
rtol = 1e-9
method = "taylor"
[[event]]
when = "theta > 1"
"#,
    );
    assert_eq!(model.parameters[0].unit.as_deref(), Some("kg"));
    assert_eq!(model.independent.as_ref().map(Vec::len), Some(4));
    assert_eq!(model.until(), 60.0);
    assert_eq!(model.run.at, ["1", "2"]);
    assert_eq!(model.events.len(), 1);
    assert!(model.idealised && model.lagrangian.is_none());
}

const WATCHED: &str = r#"
[parameters]
h = 0.1
[coordinates]
theta = "(0, pi)"
x = "real"
R = "SO(3)"
[define]
axis = "R*[0, 0, 1]"
[quasi_velocities]
u = "x'*cos(theta)"
"#;

#[test]
fn events_are_functions_that_pass_through_zero() {
    let events = r#"
[[event]]
when = " theta' "
[[event]]
name = "flat"
when = "theta < h"
action = "stop"
[[event]]
when = "x >= 2*t"
[[event]]
when = "x = 2"
direction = "falling"
action = "record"
[[event]]
when = "axis[3] == u"
[[event]]
when = "1 - omega[3]"
direction = "rising"
[observables]
a = "theta'"
b = "theta - h"
c = "x - 2*t"
d = "x - 2"
e = "R[3,3] - x'*cos(theta)"
f = "1 - (R*Omega)[3]"
"#;
    let mut model = parse(&format!("{WATCHED}{events}"));
    let found: Vec<(&str, &str, &str)> =
        model.events.iter().map(|e| (e.name.as_str(), e.direction.name(), e.action.name())).collect();
    assert_eq!(
        found,
        [
            ("theta'", "either", "record"),
            ("flat", "falling", "stop"),
            ("x >= 2*t", "rising", "record"),
            ("x = 2", "falling", "record"),
            ("axis[3] == u", "either", "record"),
            ("1 - omega[3]", "rising", "record"),
        ]
    );
    for k in 0..model.events.len() {
        let (a, b) = (model.events[..][k].function, model.observables[k].1);
        assert_equal(&mut model.graph, a, b);
    }
}

#[test]
fn an_event_can_happen() {
    let code = |when: &str| codes(&format!("{WATCHED}[[event]]\nwhen = \"{when}\""));
    for constant in ["h", "h < 2", "x - x", "sin(theta)^2 + cos(theta)^2 = 2", "det(R)", "norm2(axis) < 1/2"] {
        assert_eq!(code(constant), ["constant-event"], "{constant}");
    }
    for fine in ["t = 2", "det(R) - t", "norm2(axis + [1, 0, 0]) < 1"] {
        assert_eq!(code(fine), [""; 0], "{fine}");
    }
}

#[test]
fn settings_of_a_run() {
    let model = parse(
        "[coordinates]\nx = 'real'\n[run]\nuntil = -5\nat = [-1, '-2*pi']\nsamples = 201\nrtol = 1e-12\n\
         atol = 1e-14\nstep = '1/64'\nprecision = 50\nmethod = 'gauss'\nform = 'hamel'",
    );
    let run = crate::RunSettings {
        until: Some("-5".into()),
        at: vec!["-1".into(), "-2*pi".into()],
        samples: Some(201),
        rtol: Some(1e-12),
        atol: Some(1e-14),
        step: Some(1.0 / 64.0),
        precision: Some(50),
        method: Some(crate::Method::Gauss(3)),
        form: Some(crate::Form::Hamel),
        ..crate::RunSettings::default()
    };
    assert_eq!(model.run, run);
    assert_eq!(model.until(), -5.0);
}

const ONE_ROTATION: &str = "[coordinates]\nR = 'SO(3)'\n";
const TWO_ROTATIONS: &str = "[coordinates]\nA = 'SO(3)'\nB = 'SO(3)'\n";

/// The same model with its start in the file and by flags.
fn both_ways(model: &str, start: &[(&str, &str)]) -> [Model; 2] {
    let lines: String = start.iter().map(|(n, f)| format!("\"{n}\" = \"{f}\"\n")).collect();
    let pairs = start.iter().map(|(n, f)| ((*n).to_owned(), (*f).to_owned())).collect();
    let options = ParseOptions { initial: pairs, ..ParseOptions::default() };
    [parse(&format!("{model}[initial]\n{lines}")), parse_with(model, &options)]
}

/// The initial value of a symbol, which must be this number exactly.
fn exactly(model: &mut Model, name: &str, n: i64, d: i64) {
    let symbol = model.graph.find_symbol(name).unwrap();
    let given = model.initial.iter().find(|i| i.symbol == symbol).unwrap().value;
    let expected = model.graph.number(polhode_expr::number::ratio(n, d));
    assert_eq!(given, expected, "{name}");
}

#[test]
fn quaternions_give_exact_rotations() {
    // |(1, 2, 3, 4)|² = 30; the columns are the images of the axes under v → q v q*/30
    let rows = [[-20, 4, 22], [20, -10, 20], [10, 28, 4]];
    let start = [("R", "quat(1, 2, 3, 4)"), ("omega", "[3, 0, 6]")];
    for mut model in both_ways(ONE_ROTATION, &start) {
        for (i, row) in rows.iter().enumerate() {
            for (j, n) in row.iter().enumerate() {
                exactly(&mut model, &format!("R[{},{}]", i + 1, j + 1), *n, 30);
            }
        }
        // Ω = Rᵀ ω
        for (k, n) in [0, 6, 3].into_iter().enumerate() {
            exactly(&mut model, &format!("Omega[{}]", k + 1), n, 1);
        }
    }
    // made unit, whatever its length, and R(−q) = R(q)
    for q in ["quat(0.1, 0.2, 0.3, 0.4)", "quat(-1, -2, -3, -4)"] {
        for mut model in both_ways(ONE_ROTATION, &[("R", q)]) {
            exactly(&mut model, "R[3,2]", 28, 30);
        }
    }
}

#[test]
fn turns_compose_in_the_order_written() {
    let start = [("R", "Rz(0.3)*Rx(1.1)"), ("Omega", "[1, 2, 3]")];
    for model in both_ways(ONE_ROTATION, &start) {
        let (s, c) = (0.3f64.sin(), 0.3f64.cos());
        let close = |name: &str, x: f64| assert!((super::tests::start(&model, name) - x).abs() < 1e-15, "{name}");
        // the body's y axis is tilted by Rx, then turned by Rz
        close("R[1,2]", -s * 1.1f64.cos());
        close("R[2,2]", c * 1.1f64.cos());
        close("R[3,2]", 1.1f64.sin());
        close("Omega[2]", 2.0);
    }
}

#[test]
fn several_rotations_start_by_their_own_names() {
    let start = [("A", "Rz(pi/2)"), ("A.omega", "[1, 2, 3]"), ("B", "quat(1, 1, 0, 0)"), ("B.Omega", "[1, 2, 3]")];
    for mut model in both_ways(TWO_ROTATIONS, &start) {
        for (name, n) in [("A.Omega[1]", 2), ("A.Omega[2]", -1), ("A.Omega[3]", 3), ("B.Omega[2]", 2)] {
            exactly(&mut model, name, n, 1);
        }
        exactly(&mut model, "B[3,2]", 1, 1);
    }
    let short = ParseOptions { initial: vec![("Omega".into(), "[1, 2, 3]".into())], ..ParseOptions::default() };
    assert_eq!(codes_with(TWO_ROTATIONS, &short), ["unknown-name"]);
}
