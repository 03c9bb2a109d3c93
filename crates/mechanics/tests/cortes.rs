//! [CortesEtAl2001]: nonholonomic equations with multipliers, and the ball that meets a rough half-plane.
//!
//! The paper's ball has a kinetic energy per unit of mass while its equations (11), (12) carry m; here the energy is m
//! times the printed one, and [`printed_energy_has_unit_mass`] shows what the mixture would do.
//!
//! Not here: the jumps (1)–(4), (7)–(10), (14), (15), which need impulses.

use crate::papers;

use crate::prelude::*;
use papers::{Paper, Where, assert_differs, assert_equal};
use polhode_expr::{Matrix, solve_ldl};

/// (5), (6): on every built-in model in coordinates, d/dt ∂L/∂q̇^A − ∂L/∂q^A = λ^i ∂φ_i/∂q̇^A (and applied forces) with the
/// accelerations and multipliers of the program, which keep to the constraints.
#[test]
fn eq_5_6_nonholonomic_equations() {
    let mut seen = 0;
    for builtin in builtin::ALL {
        let (model, _) =
            Model::parse(builtin.name, builtin.text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        if model.constraints.is_empty() || !model.configuration.factors().iter().all(|f| f.coordinate().is_some()) {
            continue;
        }
        let Ok((mut system, _)) = System::new(&model) else { continue };
        let equations = system.equations(Form::Multipliers).expect("multipliers always apply");
        let (positions, velocities) =
            (system.configuration.positions().to_vec(), system.configuration.velocities().to_vec());
        let mut motion = system.configuration.motion(&mut system.graph, system.time);
        motion.extend(velocities.iter().copied().zip(equations.rates.iter().copied()));
        for (a, (q, v)) in positions.iter().zip(&velocities).enumerate() {
            let (lagrangian, force, rows) = (system.lagrangian, system.forces[a], system.constraints.clone());
            let g = &mut system.graph;
            let momentum = g.derivative(lagrangian, *v);
            let (rate, push) = (g.along(momentum, &motion), g.derivative(lagrangian, *q));
            let left = g.sub(rate, push);
            let mut right = vec![force];
            for reaction in &equations.reactions {
                let slope = g.derivative(rows[..][reaction.constraint].residual, *v);
                right.push(g.mul(reaction.value, slope));
            }
            let right = g.sum(right);
            let label = format!("{}: (6), {}", builtin.name, g.name(*v));
            agree(g, builtin.name, left, right, &label);
        }
        for c in &system.constraints.clone() {
            let g = &mut system.graph;
            let (rate, zero) = (g.along(c.residual, &motion), g.zero());
            let label = format!("{}: (5), the motion stays on {}", builtin.name, c.name);
            agree(g, builtin.name, rate, zero, &label);
        }
        seen += 1;
    }
    assert!(seen >= 13, "{seen} models in coordinates");
}

/// Models that contain a root, which a prime field does not decide: they are compared in many digits, the others exactly.
const WITH_ROOTS: [&str; 1] = ["bicycle"];

fn agree(g: &mut Graph, model: &str, a: Expr, b: Expr, label: &str) {
    if WITH_ROOTS.contains(&model) {
        assert!(g.equal(a, b).is_equal(), "{label}");
    } else {
        assert_equal(g, a, b, label);
    }
}

const SMOOTH: &str = r#"
[parameters]
m = 1.3
r = 0.5
k = 0.3
[coordinates]
R = "SO(3)"
x = "real"
y = "real"
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2 + k^2*norm2(omega))"
"#;

/// The Euler angles of §6: R = Rz(ψ) Rx(θ) Rz(φ), angular velocity in space axes.
const SMOOTH_EULER: &str = r#"
[parameters]
m = 1.3
r = 0.5
k = 0.3
[coordinates]
phi = "angle"
theta = "(0, pi)"
psi = "angle"
x = "real"
y = "real"
[define]
Q = "Rz(psi)*Rx(theta)*Rz(phi)"
wx = "theta'*cos(psi) + phi'*sin(theta)*sin(psi)"
wy = "theta'*sin(psi) - phi'*sin(theta)*cos(psi)"
wz = "phi'*cos(theta) + psi'"
omega = "[wx, wy, wz]"
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2 + k^2*norm2(omega))"
"#;

/// φ¹ and φ² of §6, for both models.
const ROUGH: &str = "[constraints]\nphi1 = \"x' - r*omega[2] = 0\"\nphi2 = \"y' + r*omega[1] = 0\"\n";

/// Forces and a couple, so that the multipliers are not all zero.
const PUSHED: &str = "[forces]\nx = \"F1\"\ny = \"F2\"\nomega = \"[G1, G2, G3]\"\n";

/// The couple of [`PUSHED`] as forces on the Euler angles: its power is the same.
const PUSHED_EULER: &str = "[forces]\nx = \"F1\"\ny = \"F2\"\nphi = \"G1*sin(theta)*sin(psi) - G2*sin(theta)*cos(psi) + G3*cos(theta)\"\n\
                            theta = \"G1*cos(psi) + G2*sin(psi)\"\npsi = \"G3\"\n";

const COUPLE: [&str; 5] = ["F1", "F2", "G1", "G2", "G3"];

/// §6: the printed ω is the angular velocity in space axes.
#[test]
fn section_6_euler_angles() {
    let mut paper = Paper::new(
        SMOOTH_EULER,
        &[],
        &[],
        &[("omega", "omega = angular_velocity(Q)"), ("body", "omega = body_angular_velocity(Q)")],
    );
    paper.holds(Where::Everywhere, "omega");
    paper.fails(Where::Everywhere, "body");
}

/// (11), (13): on the smooth part nothing changes, so (13) is the motion.
#[test]
fn eq_11_smooth_plane() {
    for text in [SMOOTH, SMOOTH_EULER] {
        let mut paper =
            Paper::new(text, &[], &[], &[("centre", "[m*x'', m*y''] = 0"), ("spin", "m*k^2*dt(omega) = 0")]);
        for form in [Form::Multipliers, Form::Hamel, Form::Hamilton] {
            paper.derive(form);
            paper.holds(Where::OnMotion, "centre");
            paper.holds(Where::OnMotion, "spin");
        }
    }
    // The quasi-velocities ω of the paper, as such.
    let quasi = "[quasi_velocities]\nu = \"x'\"\nv = \"y'\"\nq1 = \"wx\"\nq2 = \"wy\"\nq3 = \"wz\"\n";
    let mut paper = Paper::new(&format!("{SMOOTH_EULER}{quasi}"), &[], &[], &[]);
    let hamel = paper.derive(Form::Hamel);
    let zero = paper.system.graph.zero();
    for rate in hamel.rates {
        assert_equal(&mut paper.system.graph, rate, zero, "(11) in quasi-velocities");
    }
}

/// (12): the equations on the rough part, their multipliers (which vanish), and every form of them.
#[test]
fn eq_12_rough_plane() {
    let formulas = [
        ("centre", "[m*x'', m*y''] = [lambda1, lambda2]"),
        ("spin", "m*k^2*dt(omega) = [r*lambda2, -r*lambda1, 0]"),
        ("rolling", "[x', y'] = [r*omega[2], -r*omega[1]]"),
        ("multipliers", "[lambda1, lambda2] = 0"),
    ];
    for text in [SMOOTH, SMOOTH_EULER] {
        let mut paper = Paper::new(&format!("{text}{ROUGH}"), &["lambda1", "lambda2"], &[], &formulas);
        for form in [Form::Multipliers, Form::Voronets, Form::Hamel] {
            let equations = paper.derive(form);
            set_multipliers(&mut paper, &equations);
            for label in ["centre", "spin", "multipliers"] {
                paper.holds(Where::OnMotion, label);
            }
            paper.holds(Where::OnConstraints, "rolling");
        }
    }
}

/// (12) with forces, where its multipliers have something to do: signs and places of λ_1, λ_2 are right, and
/// (1 + r²/k²) λ, with the matrix C of §6, is what the constraints ask for.
#[test]
fn eq_12_multipliers() {
    let formulas = [
        ("centre", "[m*x'', m*y''] = [lambda1 + F1, lambda2 + F2]"),
        ("spin", "m*k^2*dt(omega) = [r*lambda2 + G1, -r*lambda1 + G2, G3]"),
        ("values", "(1 + r^2/k^2)*[lambda1, lambda2] = [r*G2/k^2 - F1, -r*G1/k^2 - F2]"),
        ("zero", "[lambda1, lambda2] = 0"),
        ("opposite", "m*k^2*dt(omega) = [-r*lambda2 + G1, r*lambda1 + G2, G3]"),
    ];
    let letters: Vec<&str> = COUPLE.into_iter().chain(["lambda1", "lambda2"]).collect();
    for (text, forces) in [(SMOOTH, PUSHED), (SMOOTH_EULER, PUSHED_EULER)] {
        let mut paper = Paper::new(&format!("{text}{ROUGH}{forces}"), &letters, &[], &formulas);
        for form in [Form::Multipliers, Form::Voronets, Form::Hamel] {
            let equations = paper.derive(form);
            set_multipliers(&mut paper, &equations);
            for label in ["centre", "spin", "values"] {
                paper.holds(Where::OnMotion, label);
            }
            for label in ["zero", "opposite"] {
                paper.fails(Where::OnMotion, label);
            }
        }
    }
}

/// §6: the printed T has no m, so (6) gives (11) and (12) per unit of mass; with the m of (12) and the multipliers of (6) they
/// would hold only because these vanish.
#[test]
fn printed_energy_has_unit_mass() {
    let formulas = [
        ("per unit of mass", "[x'', y''] = [lambda1 + F1, lambda2 + F2]"),
        ("printed", "[m*(x'' - F1), m*(y'' - F2)] = [lambda1, lambda2]"),
    ];
    let letters: Vec<&str> = COUPLE.into_iter().chain(["lambda1", "lambda2"]).collect();
    let text = format!("{SMOOTH}{ROUGH}{PUSHED}").replace("m/2*(", "1/2*(");
    let mut paper = Paper::new(&text, &letters, &[], &formulas);
    let equations = paper.derive(Form::Multipliers);
    set_multipliers(&mut paper, &equations);
    paper.holds(Where::OnMotion, "per unit of mass");
    paper.fails(Where::OnMotion, "printed");
}

/// (7), the remark below it: in coordinates the momenta do not change by constraint forces alone; ∂L/∂q belongs to F.
#[test]
fn eq_7_forces_of_the_metric() {
    let mut paper = Paper::new(&format!("{SMOOTH_EULER}{ROUGH}"), &[], &[], &[]);
    let equations = paper.derive(Form::Multipliers);
    let (lagrangian, theta, speed) = (paper.system.lagrangian, paper.symbol("theta"), paper.symbol("theta'"));
    let at = paper.system.configuration.velocities().iter().position(|v| *v == speed).expect("a velocity");
    let momentum = paper.system.graph.derivative(lagrangian, speed);
    let rate = paper.rate(momentum);
    let metric = paper.system.graph.derivative(lagrangian, theta);
    let both = paper.system.graph.add(metric, equations.reaction_force[at]);
    paper.same(Where::OnMotion, "dp/dt with ∂L/∂q", rate, both);
    paper.differ(Where::OnMotion, "dp/dt without it", rate, equations.reaction_force[at]);
}

/// (8): on the constraints ω_jA g^AB p_B = 0, with the rows of the model, the metric of L and p = ∂L/∂q̇.
#[test]
fn eq_8_momenta_on_the_constraints() {
    let mut paper = Paper::new(&format!("{SMOOTH_EULER}{ROUGH}"), &[], &[], &[]);
    let velocities = paper.system.configuration.velocities().to_vec();
    let lagrangian = paper.system.lagrangian;
    let g = &mut paper.system.graph;
    let momenta: Vec<Expr> = velocities.iter().map(|v| g.derivative(lagrangian, *v)).collect();
    let metric = Matrix::from_fn(5, 5, |a, b| g.derivative(momenta[a], velocities[b]));
    let column = Matrix::from_fn(5, 1, |a, _| momenta[a]);
    let raised = solve_ldl(g, &metric, &column).col(0);
    for j in 0..2 {
        let row = paper.system.constraint_row(j).clone();
        let g = &mut paper.system.graph;
        let parts: Vec<Expr> = row.a.iter().zip(&raised).map(|(a, p)| g.mul(*a, *p)).collect();
        let (sum, zero) = (g.sum(parts), g.zero());
        paper.same(Where::OnConstraints, "(8)", sum, zero);
        assert_differs(&mut paper.system.graph, sum, zero, "(8) off the constraints");
    }
}

/// λ_1 and λ_2 of the paper are the multipliers of the constraints as the model writes them.
fn set_multipliers(paper: &mut Paper, equations: &Equations) {
    let values: Vec<Expr> = equations.reactions.iter().map(|r| r.value).collect();
    let configuration = paper.system.configuration.clone();
    let values = equations.in_velocities(&mut paper.system.graph, &configuration, &values);
    paper.set("lambda1", values[0]);
    paper.set("lambda2", values[1]);
}
