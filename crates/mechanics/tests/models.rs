//! The built-in models: complete, verified in every form, and true to the fact they state.

use crate::papers;

use crate::prelude::*;
use papers::{Paper, Where, builtin};
use polhode_mechanics::FrameEquation;

fn parse(b: &Builtin) -> Model {
    let (model, warnings) =
        Model::parse(b.name, b.text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", b.name));
    assert!(warnings.is_empty(), "{}: {}", b.name, warnings.render(&model.source, Style::Plain));
    model
}

/// The models whose equations are short enough for symbolic proofs: bodies that roll on surfaces have numbers only
/// (`trajectories.rs`).
fn in_coordinates() -> impl Iterator<Item = &'static Builtin> {
    builtin::ALL.iter().filter(|b| !b.text.contains("[ground"))
}

#[test]
fn every_model_is_complete() {
    for b in builtin::ALL {
        let model = parse(b);
        assert!(!model.title.is_empty() && !model.reference.is_empty() && !model.fact.is_empty(), "{}", b.name);
        let (mut system, warnings) = System::new(&model).unwrap_or_else(|e| panic!("{}: {e}", b.name));
        // a ball that touches two plates is held twice
        let redundant: &[&str] = if b.name == "ball-between-plates" { &["redundant-constraint"] } else { &[] };
        let found: Vec<&str> = warnings.iter().map(|w| w.code).collect();
        assert_eq!(found, redundant, "{}: {}", b.name, warnings.render(&model.source, Style::Plain));
        let state = initial_state(&mut system, &model).unwrap_or_else(|e| panic!("{}: {e}", b.name));
        assert!(state.is_some(), "{} has an initial state", b.name);
    }
}

#[test]
fn all_forms_of_every_model_agree_in_fifty_digits() {
    for b in builtin::ALL {
        let (mut system, _) = System::new(&parse(b)).unwrap_or_else(|e| panic!("{}: {e}", b.name));
        let found = verify(&mut system, 3).unwrap_or_else(|e| panic!("{}: {e:?}", b.name));
        assert!(found.agrees(1e-45), "{}: {found:?}", b.name);
        // dry friction is in one form only
        assert!(found.forms.len() >= if system.has_friction() { 1 } else { 4 }, "{}: {:?}", b.name, found.left_out);
    }
}

/// Putting the constraints into the Lagrangian before differentiating gives other equations,
/// except where the constraints are holonomic or the error happens to cancel.
#[test]
fn the_oldest_error_differs() {
    let harmless = [
        "disc-in-plane",
        "spherical-pendulum",
        "free-rigid-body",
        "heisenberg",
        "suslov",
        "vertical-penny",
        "ruina-sled",
    ];
    for b in in_coordinates().filter(|b| b.name != "bicycle") {
        let (mut system, _) = System::new(&parse(b)).unwrap_or_else(|e| panic!("{}: {e}", b.name));
        let frame = system.voronets_frame();
        let h = FrameEquation::new(&mut system, frame);
        let right = h.accelerations(&mut system.graph);
        let wrong = h.wrong_on_purpose(&mut system.graph);
        let differs = right.iter().zip(&wrong).any(|(a, b)| !system.graph.equal(*a, *b).is_equal());
        // constraints that come and go may all be absent at the start
        let constrained = system.distribution.rank() > system.distribution.representation;
        if constrained && !harmless.contains(&b.name) {
            assert!(differs, "{}: the wrong derivation went unnoticed", b.name);
        }
        if ["disc-in-plane", "spherical-pendulum", "free-rigid-body"].contains(&b.name) {
            assert!(!differs, "{}: holonomic systems do not mind", b.name);
        }
    }
}

/// d/dt of each formula vanishes on the motion.
fn constant(model: &str, formulas: &[&str]) {
    let labelled: Vec<(&str, &str)> = formulas.iter().map(|f| (*f, *f)).collect();
    let mut paper = Paper::new(builtin(model), &[], &[], &labelled);
    paper.derive(Form::Multipliers);
    for f in formulas {
        for e in paper.right(f) {
            let rate = paper.rate_on_motion(e);
            let verdict = paper.system.graph.decide_zero(rate);
            assert!(verdict.is_equal(), "{model}: {f} is not constant ({verdict:?})");
        }
    }
}

#[test]
fn fact_chaplygin_ball() {
    constant("chaplygin-ball", &["R*(diag(I1, I2, I3)*Omega) + M*r^2*[omega[1], omega[2], 0]"]);
}

#[test]
fn fact_symmetric_sphere() {
    let delta = "(I1*M*r^2 + I1*I3 + M*r^2*(I3 - I1)*R[3,3]^2)";
    let j = format!("Omega[3]*sqrt({delta})");
    constant("symmetric-sphere", &["R*(diag(I1, I1, I3)*Omega) + M*r^2*[omega[1], omega[2], 0]", &j]);
}

#[test]
fn fact_homogeneous_ball() {
    constant("homogeneous-ball", &["x'", "y'", "omega"]);
}

#[test]
fn fact_ball_on_turntable() {
    // J/(J + M r²) is 2/7 for a homogeneous ball.
    constant("ball-on-turntable", &["x' + J/(J + M*r^2)*W*y", "y' - J/(J + M*r^2)*W*x", "omega[3]"]);
}

#[test]
fn fact_vertical_penny() {
    constant("vertical-penny", &["theta'", "phi'"]);
}

/// With w = θ' constant the forward speed obeys u' = g sin α cos θ, so that
/// x' = (g sin α/w) sin θ cos θ when it starts from rest.
#[test]
fn fact_knife_edge() {
    constant("knife-edge", &["theta'", "(x'*cos(theta) + y'*sin(theta))*theta' - g*sin(alpha)*sin(theta)"]);
}

/// u' = a w², w' = −m a u w/(I + m a²): the energy ellipse is traversed from −u to +u while the sleigh
/// turns by π √(1 + I/(m a²)).
#[test]
fn fact_chaplygin_sleigh() {
    let mut paper = Paper::new(
        builtin("chaplygin-sleigh"),
        &[],
        &[("v", "x'*cos(theta) + y'*sin(theta)")],
        &[("forward", "dt(v) = a*theta'^2"), ("turn", "theta'' = -m*a*v*theta'/(I + m*a^2)")],
    );
    paper.derive(Form::Hamel);
    paper.holds(Where::OnMotion, "forward");
    paper.holds(Where::OnMotion, "turn");
    constant("chaplygin-sleigh", &["m*(x'*cos(theta) + y'*sin(theta))^2 + (I + m*a^2)*theta'^2"]);
}

#[test]
fn fact_nonholonomic_particle() {
    constant("nonholonomic-particle", &["x'*sqrt(1 + y^2)", "y'"]);
}

#[test]
fn fact_heisenberg() {
    constant("heisenberg", &["x'", "y'", "z'"]);
}

/// The energy is constant, and I11 Ω1² + I22 Ω2² pulls Ω towards the axis where I13 Ω1 + I23 Ω2 = 0.
#[test]
fn fact_suslov() {
    constant("suslov", &["I11*Omega[1]^2 + I22*Omega[2]^2"]);
    let mut paper = Paper::new(
        builtin("suslov"),
        &[],
        &[("axis", "I13*Omega[1] + I23*Omega[2]")],
        &[(
            "pull",
            "I22*(dt(Omega))[2]*I11*Omega[1] - I11*(dt(Omega))[1]*I22*Omega[2] = axis*(I11*Omega[1]^2 + I22*Omega[2]^2)",
        )],
    );
    paper.derive(Form::Hamel);
    paper.holds(Where::OnMotion, "pull");
}

#[test]
fn fact_veselova() {
    constant("veselova", &["(R*(diag(I1, I2, I3)*Omega))[1]", "(R*(diag(I1, I2, I3)*Omega))[2]"]);
}

#[test]
fn fact_snakeboard() {
    constant("snakeboard", &["J0*(theta' + psi')"]);
}

#[test]
fn fact_free_rigid_body() {
    constant("free-rigid-body", &["R*(diag(I1, I2, I3)*Omega)"]);
}

#[test]
fn fact_spherical_pendulum() {
    constant("spherical-pendulum", &["m*(x*y' - y*x')"]);
}

#[test]
fn fact_disc_in_plane() {
    constant("disc-in-plane", &["x - r*phi"]);
}

#[test]
fn fact_degrees_of_freedom() {
    for (name, coordinates, freedom) in [("unicycle-trailers", 5, 2), ("bicycle", 8, 3), ("roller-racer", 4, 2)] {
        let b = builtin::find(name).expect("built in");
        let (system, _) = System::new(&parse(&b)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((system.configuration.dimension(), system.degrees_of_freedom()), (coordinates, freedom), "{name}");
    }
}

/// Energy is kept by every built-in model except the ball on the moving turntable.
#[test]
fn energy_is_conserved() {
    for b in in_coordinates().filter(|b| !["ball-on-turntable", "bicycle"].contains(&b.name)) {
        let mut paper = Paper::new(b.text, &[], &[], &[]);
        paper.derive(Form::Voronets);
        let (lagrangian, velocities) = (paper.system.lagrangian, paper.system.configuration.velocities().to_vec());
        let graph = &mut paper.system.graph;
        let mut parts = vec![graph.neg(lagrangian)];
        for s in velocities {
            let (p, v) = (graph.derivative(lagrangian, s), graph.var(s));
            parts.push(graph.mul(p, v));
        }
        let energy = graph.sum(parts);
        let rate = paper.rate_on_motion(energy);
        assert!(paper.system.graph.decide_zero(rate).is_equal(), "{}", b.name);
    }
}

/// Every formula the program shows for a built-in model is accepted by KaTeX.
#[test]
fn latex_of_every_model_parses() {
    let mut formulas = Vec::new();
    for b in in_coordinates().filter(|b| b.name != "bicycle") {
        let (mut system, _) = System::new(&parse(b)).unwrap_or_else(|e| panic!("{}: {e}", b.name));
        for form in Form::ALL {
            if let Ok(equations) = system.equations(form) {
                let sheet = Sheet::new(&mut system, &equations);
                formulas.extend(sheet.sections.iter().map(|s| s.latex(&system.graph)));
            }
        }
    }
    assert!(formulas.len() > 200);
    polhode_testing::katex_accepts(&formulas);
}
