//! Conserved quantities and invariant measures: what is found, what is refused, and what motions say about it.

use crate::prelude::*;
use polhode_analysis::noether::{
    Conserved, Flow, Ground, Kind, Measure, Origin, Outcome, Search, decide, decide_at_values, exception, measure,
    measure_at_values, reducing_multiplier, search,
};
use polhode_expr::Evidence;
use polhode_expr::equal::FieldPoint;
use polhode_expr::eval::Digits;
use polhode_simulate::detective;

/// A model with its motion as a vector field.
struct Case {
    model: Model,
    system: System,
    flow: Flow,
}

impl Case {
    fn text(text: &str) -> Case {
        Case::with(text, &ParseOptions::default())
    }

    fn with(text: &str, options: &ParseOptions) -> Case {
        let (model, _) = Model::parse("case.toml", text, options).unwrap_or_else(|e| panic!("{e}"));
        let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
        let flow = Flow::new(&mut system);
        Case { model, system, flow }
    }

    fn builtin(name: &str) -> Case {
        Case::text(builtin::find(name).unwrap_or_else(|| panic!("no built-in model {name}")).text)
    }

    fn formula(&mut self, text: &str) -> Expr {
        self.model.formula(&mut self.system.graph, text).unwrap_or_else(|e| panic!("{e}"))[0]
    }

    fn is_integral(&mut self, text: &str) -> bool {
        let f = self.formula(text);
        decide(&mut self.system, &self.flow, f).is_integral()
    }

    fn search(&mut self) -> Conserved {
        search(&mut self.system, &self.flow, &Search::default())
    }

    /// Are two functions multiples of each other, by a factor that depends on the parameters alone?
    fn proportional(&mut self, a: Expr, b: Expr) -> bool {
        let graph = &mut self.system.graph;
        let ratio = graph.div(a, b);
        let symbols = self.system.parameters.clone();
        (1..40).any(|seed| {
            let mut first = FieldPoint::with_roots(graph, seed);
            let Ok(here) = first.value(graph, ratio) else { return false };
            let mut matches = 0;
            for other in 1..60 {
                let mut point = first.sharing(graph, &symbols, 100 * seed + other);
                match point.value(graph, ratio) {
                    Ok(there) if there == here => matches += 1,
                    Ok(_) => return false,
                    Err(_) => {}
                }
            }
            matches > 2
        })
    }

    /// Is a multiple of the function among the integrals?
    fn finds(&mut self, found: &Conserved, text: &str) -> bool {
        let f = self.formula(text);
        let wanted = self.flow.on_d(&mut self.system.graph, &[f])[0];
        found.integrals.iter().any(|i| self.proportional(i.answer.on_d, wanted))
    }

    fn density_is(&mut self, text: &str) -> bool {
        let found = measure(&mut self.system, &self.flow);
        let Measure::Density { density, .. } = found else { panic!("{found:?}") };
        let wanted = self.formula(text);
        self.proportional(density, wanted)
    }
}

#[test]
fn the_energy_is_an_integral_unless_something_does_work() {
    for model in builtin::ALL.iter().filter(|m| !["bicycle", "wheel-in-shell"].contains(&m.name)) {
        let (parsed, _) = Model::parse(model.name, model.text, &ParseOptions::default()).unwrap();
        let Ok((mut system, _)) = System::new(&parsed) else { continue };
        let flow = Flow::new(&mut system);
        let equations = flow.equations.clone();
        let conservative = system.power(&equations).is_zero();
        let energy = system.energy();
        let answer = decide(&mut system, &flow, energy);
        assert_eq!(answer.is_integral(), conservative, "{}: {:?}", model.name, answer.outcome);
    }
}

#[test]
fn symmetric_sphere() {
    let mut case = Case::builtin("symmetric-sphere");
    let found = case.search();
    // the angular momentum about the point of contact, [CendraLacombaReartes2001], and J = v₀ √Δ
    for i in 1..=3 {
        let rolling = if i < 3 { format!(" + M*r^2*omega[{i}]") } else { String::new() };
        let k = format!("(R*(diag(I1, I1, I3)*Omega))[{i}]{rolling}");
        assert!(case.finds(&found, &k), "K{i}");
        let centre = format!("(R*(diag(I1, I1, I3)*Omega))[{i}] + M*r^2/3*omega[{i}]");
        assert!(!case.is_integral(&centre), "about another point");
    }
    assert!(case.is_integral("Omega[3]*sqrt(I1*I3 + M*r^2*(I1 + (I3 - I1)*R[3,3]^2))"));
    assert!(!case.is_integral("Omega[3]"));
    assert!(case.finds(&found, "Omega[3]*sqrt(I1*I3 + M*r^2*(I1 + (I3 - I1)*R[3,3]^2))"));
    // J is a function of the energy and K: 2E(1 + β) = K² + βK₃² − (α − 1)J²
    let dependent: Vec<_> = found.integrals.iter().filter(|i| !i.independent).collect();
    assert_eq!(dependent.len(), 1);
    assert_eq!(found.integrals.len(), 5);
    assert!(case.density_is("sqrt(I1*I3 + M*r^2*(I1 + (I3 - I1)*R[3,3]^2))"));
}

#[test]
fn chaplygin_ball() {
    let mut case = Case::builtin("chaplygin-ball");
    let found = case.search();
    for i in 1..=3 {
        let rolling = if i < 3 { format!(" + M*r^2*omega[{i}]") } else { String::new() };
        assert!(case.finds(&found, &format!("(R*(diag(I1, I2, I3)*Omega))[{i}]{rolling}")), "K{i}");
        assert!(!case.is_integral(&format!("Omega[{i}]")));
    }
    assert_eq!(found.integrals.len(), 4, "with the energy");
    // neither is the momentum of a symmetry: the plane has no turn about a horizontal axis
    let origins: Vec<_> = found.integrals.iter().filter_map(|i| i.origin.clone()).collect();
    assert_eq!(origins.iter().filter(|o| **o == Origin::NoSymmetry).count(), 2);
    // (1 − D⟨γ, (I + D)⁻¹γ⟩)^½ dΩ, D = M r²
    let d = "M*r^2";
    let sum = format!("R[3,1]^2/(I1 + {d}) + R[3,2]^2/(I2 + {d}) + R[3,3]^2/(I3 + {d})");
    assert!(case.density_is(&format!("sqrt(1 - {d}*({sum}))")));
    assert!(!case.density_is("sqrt(1 + M*r^2)"));
}

#[test]
fn routh_ball() {
    let mut case = Case::builtin("routh-ball");
    let found = case.search();
    // with s = r γ − a e₃ from the centre of mass to the point of contact, up to the sign: Jellett ⟨I Ω, s⟩, Routh Ω₃ √(I₁I₃ + M⟨s, I s⟩)
    let jellett = "I1*r*(R[3,1]*Omega[1] + R[3,2]*Omega[2]) + I3*(r*R[3,3] - a)*Omega[3]";
    let routh = "Omega[3]*sqrt(I1*I3 + M*(I1*r^2*(R[3,1]^2 + R[3,2]^2) + I3*(r*R[3,3] - a)^2))";
    assert!(case.finds(&found, jellett));
    assert!(case.finds(&found, routh));
    assert!(!case.is_integral(&jellett.replace("- a", "+ a")));
    assert_eq!(found.integrals.len(), 3);
    assert!(found.integrals.iter().all(|i| i.independent));
    assert!(matches!(measure(&mut case.system, &case.flow), Measure::Density { .. }));
}

#[test]
fn particle() {
    let mut case = Case::builtin("nonholonomic-particle");
    let found = case.search();
    assert!(case.finds(&found, "x'*sqrt(1 + y^2)"));
    assert!(case.finds(&found, "y'"));
    assert!(!case.is_integral("x'*(1 + y^2)"));
    // both translations are symmetries without an integral
    assert_eq!(found.momenta.iter().filter(|m| m.symmetry && !m.answer.is_integral()).count(), 2);
    assert!(case.density_is("sqrt(1 + y^2)"));
    let n = reducing_multiplier(&mut case.system).expect("a Chaplygin system with a multiplier");
    let wanted = case.formula("1/sqrt(1 + y^2)");
    assert!(case.proportional(n, wanted));
}

#[test]
fn the_sleigh_has_its_energy_and_nothing_else() {
    let mut case = Case::builtin("chaplygin-sleigh");
    let found = case.search();
    let kinds: Vec<Kind> = found.integrals.iter().map(|i| i.kind.clone()).collect();
    assert_eq!(kinds, [Kind::Energy]);
    assert!(found.systems.is_empty());
    assert_eq!(found.momenta.iter().filter(|m| m.symmetry && !m.answer.is_integral()).count(), 3);
    let no_measure = measure(&mut case.system, &case.flow);
    let Measure::Obstruction { difference } = no_measure else { panic!("{no_measure:?}") };
    // it vanishes with a, as it should: then the blade is below the mass centre
    let a = case.system.graph.find_symbol("a").unwrap();
    let zero = case.system.graph.zero();
    let balanced = case.system.graph.substitute(difference, &std::iter::once((a, zero)).collect());
    assert!(case.system.is_zero(balanced));
    let mut balanced = Case::text(&builtin::find("chaplygin-sleigh").unwrap().text.replace("+ a*", "+ 0*a*"));
    assert!(matches!(measure(&mut balanced.system, &balanced.flow), Measure::Density { .. }));
}

#[test]
fn without_a_measure() {
    for name in ["suslov", "roller-racer"] {
        let mut case = Case::builtin(name);
        let found = measure(&mut case.system, &case.flow);
        assert!(matches!(found, Measure::Obstruction { .. }), "{name}: {found:?}");
    }
    let mut damped = Case::text(
        "[parameters]\nc = 0.1\n[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"-c*x'\"\n",
    );
    let found = measure(&mut damped.system, &damped.flow);
    assert!(matches!(found, Measure::Shrinks { .. }), "{found:?}");
}

/// Suslov's body without products of inertia keeps its volume, and so does a sleigh with its blade below the mass centre.
#[test]
fn special_values_have_measures() {
    for (name, values, zero) in [("suslov", &["I13", "I23"][..], "I13"), ("chaplygin-sleigh", &["a"][..], "a")] {
        let mut text = builtin::find(name).unwrap().text.to_string();
        let mut general = Case::text(&text);
        let found = measure(&mut general.system, &general.flow);
        let where_not = exception(&mut general.system, &found).expect("there is none in general");
        assert!(!where_not.here, "{name}");
        let factor = general.formula(zero);
        assert!(where_not.zeros.contains(&factor), "{name}: {:?}", where_not.zeros);
        let here = measure_at_values(&mut general.system, &general.flow);
        assert!(matches!(here, Measure::Obstruction { .. }), "{name}: {here:?}");
        for p in values {
            let line = text.lines().find(|l| l.split('=').next().is_some_and(|k| k.trim() == *p)).unwrap().to_string();
            text = text.replace(&line, &format!("{p} = 0"));
        }
        let mut special = Case::text(&text);
        let found = measure(&mut special.system, &special.flow);
        assert!(exception(&mut special.system, &found).expect("none in general").here, "{name}");
        let here = measure_at_values(&mut special.system, &special.flow);
        assert!(matches!(here, Measure::Density { .. }), "{name}: {here:?}");
    }
    // a velocity that is divided by a = 0
    let mut singular = Case::text(
        "[parameters]\na = 0\nc = 0\n[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
         [constraints]\nk = \"a*z' = y*x' + c*y'*x\"\n",
    );
    let here = measure_at_values(&mut singular.system, &singular.flow);
    assert!(matches!(here, Measure::Singular), "{here:?}");
    // factors of the density contain values, not letters
    let mut ball = Case::builtin("chaplygin-ball");
    let here = measure_at_values(&mut ball.system, &ball.flow);
    let Measure::Density { density, constant: false, .. } = here else { panic!("{here:?}") };
    assert!(!ball.system.graph.contains_any(density, &ball.system.parameters));
}

/// Liouville's measure of a particle on the unit sphere is the product of the areas of the sphere and of its tangent planes. In quasi-velocities
/// with the fields e_1, e_2 the second is √det⟨e_a, e_b⟩ du¹ du².
#[test]
fn the_volume_of_a_sphere_is_its_area() {
    for more in ["", "[quasi_velocities]\nu = \"s'[2]\"\nw = \"s'[3]\"\n"] {
        let text = "[coordinates]\ns = \"S2\"\n[lagrangian]\nkinetic = \"norm2(s')/2\"\npotential = \"s[3]\"\n";
        let mut case = Case::text(&format!("{text}{more}"));
        let found = measure(&mut case.system, &case.flow);
        let Measure::Density { density, .. } = found else { panic!("{found:?}") };
        let graph = &mut case.system.graph;
        let e = &case.flow.equations.frame.e;
        let mut product = |a: usize, b: usize| {
            let parts: Vec<Expr> = (0..3).map(|i| graph.mul(e[(i, a)], e[(i, b)])).collect();
            graph.sum(parts)
        };
        let (first, second, mixed) = (product(0, 0), product(1, 1), product(0, 1));
        let (product, square) = (graph.mul(first, second), graph.powi(mixed, 2));
        let det = graph.sub(product, square);
        let square = graph.powi(density, 2);
        assert!(case.proportional(square, det), "{more}");
        if !more.is_empty() {
            assert!(case.density_is("1/s[1]") && !case.density_is("1/s[1]^3"));
        }
    }
}

/// 2y dx + x dy = 0 keeps x² y. Along its field e = (x ∂_x − 2y ∂_y)/(x² + 4y²) the density has the slope 1/(x² + 4y²), as log x has.
#[test]
fn a_holonomic_constraint_in_disguise() {
    let mut case = Case::text(
        "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nc = \"2*y*x' + x*y' = 0\"\n",
    );
    assert!(case.density_is("x"));
    let found = case.search();
    assert!(case.finds(&found, "x^2*y"));
    assert!(found.integrals.iter().any(|i| i.kind == Kind::Position && i.independent));
}

/// A moving constraint that leaves nothing constant.
#[test]
fn nothing_is_found_where_there_is_nothing() {
    let mut case = Case::text(
        "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nk = \"y' = cos(t)*x' + sin(t)*x\"\n",
    );
    let found = case.search();
    assert!(found.integrals.is_empty() && found.energy_rate.is_some(), "{:?}", found.integrals);
}

/// ẏ = t ẋ: (1 + t²) ẍ = −t ẋ, so that ẋ √(1 + t²) is constant and √(1 + t²) the density.
#[test]
fn a_density_may_contain_the_time() {
    let mut case = Case::text(
        "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nk = \"y' = t*x'\"\n",
    );
    assert!(case.is_integral("x'*sqrt(1 + t^2)"));
    assert!(case.density_is("sqrt(1 + t^2)"));
}

/// A momentum that the constraints leave one value has no rate to be shown.
#[test]
fn momenta_that_the_constraints_fix() {
    let mut case = Case::text(
        "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nc = \"x' = 0\"\n",
    );
    let found = case.search();
    let fixed = found.momenta.iter().find(|m| m.field.text == "d/dx").expect("a symmetry");
    assert_eq!(fixed.answer.outcome, Outcome::Trivial);
    assert!(fixed.rate_tree.is_none());
}

/// Products of integrals with integrals of the position are no new integrals; neither are the solutions of a linear system that are among the others,
/// nor constants.
#[test]
fn what_follows_from_other_integrals_is_not_listed() {
    let mut case = Case::builtin("gyro-ball-on-plane");
    let found = case.search();
    assert!(found.systems.is_empty(), "{:?}", found.systems);
    assert!(case.finds(&found, "(Omega[3] - 5*kappa)*sqrt(0.975 - 0.3*R[3,3]^2)"), "without a factor x_O[3]");
    let kinds: Vec<Kind> = found.integrals.iter().map(|i| i.kind.clone()).collect();
    let linear = kinds.iter().filter(|k| matches!(k, Kind::Linear | Kind::LinearByEquation)).count();
    assert_eq!((kinds.len(), linear), (6, 4), "energy, height, three components of the moment, J");
    assert_eq!(found.integrals.iter().filter(|i| !i.independent).count(), 1, "J is a function of the others");

    let mut fixed = Case::text(
        "[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
         [constraints]\nc = \"z' = 0\"\nd = \"x' = 0\"\n",
    );
    let found = fixed.search();
    let kinds: Vec<Kind> = found.integrals.iter().map(|i| i.kind.clone()).collect();
    assert_eq!(kinds, [Kind::Energy, Kind::Linear, Kind::Position, Kind::Position], "no x ẏ, x², x z, …");
}

/// A body with ω₃ = 0 in the field k ⟨γ, I γ⟩/2, γ = the third row of R. With M = I Ω − ⟨I Ω, γ⟩ γ one has Ṁ = M × Ω + γ × ∂V/∂γ, and
/// I (γ × I γ) = det I (I⁻¹γ × γ), so that |M|² − k det I ⟨γ, I⁻¹ γ⟩ is constant.
const VESELOVA_IN_A_FIELD: &str = r#"
[parameters]
I1 = 1
I2 = 1.5
I3 = 2
k = 1
[coordinates]
R = "SO(3)"
[lagrangian]
kinetic = "dot(Omega, diag(I1, I2, I3)*Omega)/2"
potential = "k*(I1*R[3,1]^2 + I2*R[3,2]^2 + I3*R[3,3]^2)/2"
[constraints]
c = "omega[3] = 0"
"#;

#[test]
fn quadratic_integrals() {
    let options = Search { quadratic: true, ..Search::default() };
    let kinds = |found: &Conserved| found.integrals.iter().map(|i| i.kind.clone()).collect::<Vec<_>>();
    let mut case = Case::text(VESELOVA_IN_A_FIELD);
    assert_eq!(kinds(&case.search()), [Kind::Energy], "they are looked for when asked for");
    let found = search(&mut case.system, &case.flow, &options);
    assert_eq!(kinds(&found), [Kind::Energy, Kind::Quadratic]);
    let by_hand = |sign: &str| {
        format!(
            "(I1*Omega[1])^2 + (I2*Omega[2])^2 + (I3*Omega[3])^2 - (I1*Omega[1]*R[3,1] + I2*Omega[2]*R[3,2] + I3*Omega[3]*R[3,3])^2 \
             {sign} k*(I2*I3*R[3,1]^2 + I1*I3*R[3,2]^2 + I1*I2*R[3,3]^2)"
        )
    };
    assert_eq!([case.is_integral(&by_hand("+")), case.is_integral(&by_hand("-"))], [false, true]);
    // no spurious factor of the parameters
    let tree = found.integrals[1].function;
    let simple = case.system.graph.simplify(tree, &Default::default());
    if let polhode_expr::Node::Product { factors, .. } = case.system.graph.node(simple) {
        for (b, _) in factors.iter() {
            let free = case.system.graph.free_symbols(&[*b]);
            assert!(free.iter().any(|s| !case.system.parameters.contains(s)));
        }
    }
    // another field has none
    let other = VESELOVA_IN_A_FIELD.replace("I3*R[3,3]^2)/2", "I3*R[3,3]^4)/2");
    let mut case = Case::text(&other);
    assert_eq!(kinds(&search(&mut case.system, &case.flow, &options)), [Kind::Energy]);

    // E, the area law and ẋ² + k x²: a fourth, ẋ ẏ + k x y, would be a function of these three
    let mut case = Case::text(
        "[parameters]\nk = 2\n[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"k*(x^2 + y^2)/2\"\n",
    );
    let found = search(&mut case.system, &case.flow, &options);
    assert_eq!(kinds(&found), [Kind::Energy, Kind::Linear, Kind::Quadratic]);
    assert!(case.finds(&found, "x'^2 + k*x^2") && found.integrals.iter().all(|i| i.independent));

    // one component of the vector of Laplace, Runge and Lenz; the other is a function of it, the energy and the area law
    let mut case = Case::text(
        "[parameters]\nmu = 2\n[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"-mu/sqrt(x^2 + y^2)\"\n",
    );
    let found = search(&mut case.system, &case.flow, &options);
    assert_eq!(kinds(&found), [Kind::Energy, Kind::Linear, Kind::Quadratic]);
    let components = ["y'*(x*y' - y*x') - mu*x/sqrt(x^2 + y^2)", "x'*(x*y' - y*x') + mu*y/sqrt(x^2 + y^2)"];
    assert!(components.iter().any(|c| case.finds(&found, c)));

    // squares of linear integrals are no discoveries
    let mut case = Case::builtin("free-rigid-body");
    for degree in [1, 2] {
        let found = search(&mut case.system, &case.flow, &Search { degree, ..options.clone() });
        assert!(found.integrals.iter().all(|i| i.kind != Kind::Quadratic), "|I Ω|² is a sum of squares");
        assert_eq!(found.quadratic.map(|q| (q.degree, q.unwritten)), Some((degree, 0)));
    }
}

/// Roots are no reason for an answer in digits.
#[test]
fn integrals_with_roots_are_decided_exactly() {
    let delta = "sqrt(I1*I3 + M*r^2*(I1 + (I3 - I1)*R[3,3]^2))";
    let routh = "sqrt(I1*I3 + M*r^2*I1*(1 - R[3,3]^2) + M*I3*(a - r*R[3,3])^2)";
    for (name, root) in [("symmetric-sphere", delta), ("routh-ball", routh), ("nonholonomic-particle", "sqrt(1 + y^2)")]
    {
        let mut case = Case::builtin(name);
        let spin = if name == "nonholonomic-particle" { "x'" } else { "Omega[3]" };
        let f = case.formula(&format!("{spin}*{root}"));
        let outcome = decide(&mut case.system, &case.flow, f).outcome;
        assert!(
            matches!(outcome, Outcome::Constant(Ground::Everywhere(Evidence::PrimeField { error, .. })) if error > 0.0),
            "{name}: {outcome:?}"
        );
        let wrong = case.formula(&format!("{spin}*{root}*(1 + {root})"));
        let outcome = decide(&mut case.system, &case.flow, wrong).outcome;
        assert!(matches!(outcome, Outcome::Changes(Ground::Everywhere(Evidence::PrimeField { .. }))), "{outcome:?}");
        // the page shows what the search found: it rests on the same algebra
        let found = case.search();
        for i in &found.integrals {
            let exact = matches!(i.answer.outcome, Outcome::Constant(Ground::Everywhere(Evidence::PrimeField { .. })));
            assert!(exact, "{name}: {:?}", i.answer.outcome);
        }
    }
}

/// T = (ẋ² + ẏ² + ż²)/2 + b ẋ ż with ż = a(y) ẋ and b = −a/2 has the constant mass matrix 1 on D, and
/// ẍ = (a + b) a′ ẋ ẏ = (a²/4)′ ẋ ẏ: so ẋ exp(−a²/4) is constant and exp(−a²/4) the density.
#[test]
fn exponential_densities() {
    for (slope, log) in [("kappa*y", "kappa^2*y^2/4"), ("sin(y)", "sin(y)^2/4"), ("(y + y^2)", "(y + y^2)^2/4")] {
        let text = format!(
            "[parameters]\nkappa = 0.5\n[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n\
             [lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2 - {slope}/2*x'*z'\"\n[constraints]\nc = \"z' = {slope}*x'\"\n"
        );
        let mut case = Case::text(&text);
        let density = format!("exp(-{log})");
        assert!(case.density_is(&density), "{slope}");
        let n = reducing_multiplier(&mut case.system).expect("two degrees of freedom and a measure");
        let wanted = case.formula(&density);
        assert!(case.proportional(n, wanted));
        let found = case.search();
        assert!(case.finds(&found, &format!("x'*{density}")), "{slope}");
        assert!(found.systems.is_empty());
    }
}

/// A carriage with its mass off the axle: the derivatives of log ρ along the wheels' angles are constants, and a linear function of angles is none on
/// the circle.
#[test]
fn a_density_that_is_no_function_on_the_circle() {
    let mut case = Case::text(
        r#"
[parameters]
m = 1
a = 0.3
J = 0.5
c = 0.2
r = 0.1
K = 0.05
[coordinates]
x = "real"
y = "real"
theta = "angle"
p = "angle"
q = "angle"
[lagrangian]
kinetic = "m/2*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2) + J/2*theta'^2 + K/2*(p'^2 + q'^2)"
[constraints]
blade = "x'*sin(theta) = y'*cos(theta)"
right = "x'*cos(theta) + y'*sin(theta) + c*theta' = r*p'"
left = "x'*cos(theta) + y'*sin(theta) - c*theta' = r*q'"
"#,
    );
    let found = measure(&mut case.system, &case.flow);
    let Measure::Density { density, local: true, .. } = found else { panic!("{found:?}") };
    let slope = "m*a*r^3/(2*(2*c^2*K + r^2*(J + m*a^2)))";
    let wanted = case.formula(&format!("{slope}*(p + q)"));
    let graph = &mut case.system.graph;
    let wanted = graph.exp(wanted);
    // θ and p − q are tied to each other: only derivatives along D matter
    let [found, wanted] = [density, wanted].map(|e| {
        let rate = graph.along(e, &case.flow.rates);
        graph.div(rate, e)
    });
    assert!(graph.equal(found, wanted).is_equal());
}

/// A homogeneous ball on any surface has the measure with the area of the surface of the centre as its density [BorisovMamaevKilin2002].
#[test]
fn ball_in_a_bowl() {
    let mut case = Case::text(
        r#"
[parameters]
m = 1
r = 0.3
k = 0.4
[coordinates]
R = "SO(3)"
x = "real"
y = "real"
[define]
n = "[-x, -y, 1]/sqrt(1 + x^2 + y^2)"
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2 + (x*x' + y*y')^2) + k/2*m*r^2*norm2(Omega)"
potential = "m*9.81*(x^2 + y^2)/2"
[constraints]
"no slip" = "[x', y'] = r*[omega[2]*n[3] - omega[3]*n[2], omega[3]*n[1] - omega[1]*n[3]]"
"#,
    );
    assert!(case.density_is("sqrt(1 + x^2 + y^2)"));
}

#[test]
fn moving_energy_of_the_turntable() {
    let mut case = Case::builtin("ball-on-turntable");
    let found = case.search();
    assert!(found.energy_rate.is_some());
    let moving: Vec<_> = found.integrals.iter().filter(|i| i.kind == Kind::MovingEnergy).collect();
    assert_eq!(moving.len(), 1);
    assert!(case.is_integral("M/2*(x'^2 + y'^2) + J/2*norm2(Omega) - W*(M*(x*y' - y*x') + J*omega[3])"));
    assert!(case.is_integral("(J + M*r^2)*x' + J*W*y"));
    assert!(!case.is_integral("M/2*(x'^2 + y'^2) + J/2*norm2(Omega) + W*M*(x*y' - y*x')"));
}

/// A sleigh on a turntable: E − W ⟨p, rotation⟩, with nothing multiplied to it.
#[test]
fn moving_energy_of_a_sleigh_has_no_factor() {
    let mut case = Case::text(
        r#"
[parameters]
m = 2
I = 0.5
a = 0.3
W = 1.2
[coordinates]
g = "SE(2)"
[lagrangian]
kinetic = "m/2*(g.V[1]^2 + (g.V[2] + a*g.Omega)^2) + I/2*g.Omega^2"
[constraints]
blade = "dot(g.p' - W*[-g.p[2], g.p[1]], g.R*[0,1]) = 0"
"#,
    );
    let found = case.search();
    let [moving] = &found.integrals[..] else { panic!("{:?}", found.integrals) };
    assert_eq!(moving.kind, Kind::MovingEnergy);
    let energy = case.system.energy();
    let velocities = case.system.configuration.velocities().to_vec();
    let difference = case.system.graph.sub(moving.function, energy);
    for (a, b) in velocities.iter().flat_map(|a| velocities.iter().map(move |b| (*a, *b))) {
        let slope = case.system.graph.derivative(difference, a);
        let second = case.system.graph.derivative(slope, b);
        assert!(case.system.graph.decide_zero(second).is_equal(), "the quadratic part is that of the energy");
    }
}

#[test]
fn integrals_of_the_position_are_holonomic_constraints() {
    let mut case = Case::builtin("disc-in-plane");
    let found = case.search();
    assert!(found.integrals.iter().any(|i| i.kind == Kind::Position));
    assert!(case.finds(&found, "x - r*phi"));
}

#[test]
fn special_values_of_the_parameters() {
    let text = builtin::find("free-rigid-body").unwrap().text;
    let mut case = Case::text(text);
    let symmetric = text.replace("I2 = ", "I2 = 1.0 # ").replace("I1 = ", "I1 = 1.0 # ");
    assert_ne!(symmetric, text);
    let mut body = Case::text(&symmetric);
    let options = Search { at_values: true, ..Search::default() };
    let general = search(&mut case.system, &case.flow, &Search::default());
    let special = search(&mut body.system, &body.flow, &options);
    assert!(!case.finds(&general, "Omega[3]"));
    assert!(body.finds(&special, "Omega[3]"));
    let spin = special.integrals.iter().find(|i| matches!(i.answer.outcome, Outcome::Constant(Ground::AtValues(_))));
    assert!(spin.is_some(), "it says that other values do not have it");
}

#[test]
fn a_basis_and_a_weight_of_ones_own() {
    let mut case = Case::builtin("nonholonomic-particle");
    let root = case.formula("sqrt(1 + y^2)");
    for options in [
        Search { degree: 0, basis: vec![root], ..Search::default() },
        Search { degree: 0, weights: vec![root], ..Search::default() },
    ] {
        let found = search(&mut case.system, &case.flow, &options);
        assert!(case.finds(&found, "x'*sqrt(1 + y^2)"));
    }
}

#[test]
fn trivial_functions_are_called_so() {
    let mut case = Case::builtin("symmetric-sphere");
    for text in ["R[1,1]^2 + R[1,2]^2 + R[1,3]^2", "x' - r*omega[2]", "M"] {
        let f = case.formula(text);
        assert_eq!(decide(&mut case.system, &case.flow, f).outcome, Outcome::Trivial, "{text}");
    }
}

#[test]
fn functions_of_time_and_of_accelerations() {
    let mut case = Case::builtin("homogeneous-ball");
    assert!(case.is_integral("x - x'*t"));
    assert!(!case.is_integral("x - 2*x'*t"));
    let mut case = Case::builtin("chaplygin-sleigh");
    assert!(
        case.is_integral("(m*(x'*x'' + y'*y'') + (I + m*a^2)*theta'*theta'') + (I + m*a^2)*theta'^2 + m*(x'^2 + y'^2)")
    );
}

#[test]
fn holonomic_constraints() {
    let mut case = Case::builtin("spherical-pendulum");
    let found = case.search();
    assert!(case.finds(&found, "x*y' - y*x'"));
    assert!(!case.is_integral("y*z' - z*y'"));
}

#[test]
fn declared_fields_that_are_no_symmetries_are_told() {
    let text = builtin::find("chaplygin-sleigh").unwrap().text.replace("\"d/dx\", ", "\"x*d/dx\", ");
    let mut case = Case::text(&text);
    let found = case.search();
    let wrong = found.momenta.iter().find(|m| m.field.text == "x*d/dx").expect("declared");
    assert!(!wrong.symmetry && !wrong.answer.is_integral());
    // the translation is found all the same
    assert!(found.momenta.iter().any(|m| m.field.text == "d/dx" && !m.declared));
}

#[test]
fn turns_of_a_free_body_are_noether_symmetries() {
    let mut case = Case::builtin("free-rigid-body");
    let found = case.search();
    assert_eq!(found.momenta.iter().filter(|m| m.symmetry).count(), 3, "turns in space, not in the body");
    assert!(found.momenta.iter().all(|m| m.answer.is_integral()));
    for i in found.integrals.iter().filter(|i| i.kind == Kind::Linear) {
        assert!(matches!(i.origin, Some(Origin::Momentum { admissible: true, .. })), "{:?}", i.origin);
    }
}

/// P_ν(cos θ) and its derivative by θ, for ν(ν + 1) = −μ: Σ a_n tⁿ, t = sin²(θ/2), a_{n+1} = a_n (n² + n + μ)/(n + 1)².
fn legendre(mu: f64, theta: f64) -> (f64, f64) {
    let t = (theta / 2.0).sin().powi(2);
    let (mut a, mut value, mut slope) = (1.0, 1.0, 0.0);
    for n in 0..4000 {
        let n = f64::from(n);
        let next = a * (n * n + n + mu) / ((n + 1.0) * (n + 1.0));
        slope += (n + 1.0) * next * t.powf(n);
        value += next * t.powf(n + 1.0);
        a = next;
    }
    (value, slope * theta.sin() / 2.0)
}

/// The two linear integrals of the disk, [CushmanEtAl1995, (35), (36)], with Ω₃ = C₁ P_ν(cos θ) + C₂ P_ν(−cos θ).
#[test]
fn disk() {
    for name in ["rolling-disk", "rolling-disk-centre"] {
        let (mass, across, along) = if name == "rolling-disk" { ("M", "I1", "I3") } else { ("m", "A", "C") };
        // Q is any solution of Legendre's equation Q″ = μQ − cot θ Q′, and dQ its derivative
        let text = builtin::find(name).unwrap().text.replace("[parameters]", "[parameters]\nQ = 1\ndQ = 1");
        let mut case = Case::text(&text);
        let found = case.search();
        assert_eq!(found.integrals.len(), 1, "the energy");
        let [family] = &found.systems[..] else { panic!("{:?}", found.systems) };
        assert!(family.new == 2 && family.gauge);
        let linear = &family.system;
        let phi = case.formula("phi'");
        let psi = case.formula("psi'");
        assert_eq!(linear.velocities, [phi, psi]);
        // C₁, up to a factor: sin θ (Ω₃ Q′ − Ω₃′ Q) with Ω₃ = ψ̇ + φ̇ cos θ, Ω₃′ = φ̇ sin θ/(1 + β)
        let beta = format!("({along}/({mass}*r^2))");
        let alpha = format!("({across}/({mass}*r^2))");
        let c = [
            case.formula(&format!("sin(theta)*(cos(theta)*dQ - sin(theta)*Q/(1 + {beta}))")),
            case.formula("sin(theta)*dQ"),
        ];
        let second = case.formula(&format!("{beta}/({alpha}*(1 + {beta}))*Q - cos(theta)/sin(theta)*dQ"));
        let graph = &mut case.system.graph;
        let [theta, q, dq] = ["theta", "Q", "dQ"].map(|n| graph.find_symbol(n).unwrap());
        let rates = [(theta, graph.one()), (q, graph.var(dq)), (dq, second)].into_iter().collect();
        for i in 0..2 {
            let left = graph.along(c[i], &rates);
            let right: Vec<Expr> = (0..2).map(|j| graph.mul(linear.matrix[(i, j)], c[j])).collect();
            let right = graph.sum(right);
            assert!(graph.equal(left, right).is_equal(), "{name}, row {i}");
        }
    }
    // C₁ and C₂ of the reference, from states at t = 0 and t = 10: θ, φ̇, Ω₃
    let (mu, beta) = (4.0 / 3.0, 0.5);
    for (theta, phi, omega) in
        [(1.1, -1.5, 5.319605817861634), (1.1599993475548918, -0.7335400880122178, 5.279513254166663)]
    {
        let ((p, dp), (q, minus)) = (legendre(mu, theta), legendre(mu, std::f64::consts::PI - theta));
        let (dq, slope) = (-minus, phi * theta.sin() / (1.0 + beta));
        let wronskian = p * dq - q * dp;
        let (c1, c2) = ((omega * dq - slope * q) / wronskian, (p * slope - dp * omega) / wronskian);
        assert!((c1 - 1.9556584684757037).abs() < 1e-12, "{c1}");
        assert!((c2 - 0.7010268719907192).abs() < 1e-12, "{c2}");
    }
}

/// A homogeneous ball in a cylinder, without gravity: with y = c₂ cos φ the coefficient of ω₁ obeys y″ = −k/(1 + k) y, the √(2/7) of the rolling ball
/// that climbs up again.
#[test]
fn ball_in_a_cylinder() {
    let mut case = Case::text(
        r#"
[parameters]
m = 1
r = 0.2
b = 0.8
k = 0.4
Q = 1
dQ = 1
[coordinates]
R = "SO(3)"
phi = "angle"
z = "real"
[define]
n = "[cos(phi), sin(phi), 0]"
s = "[-sin(phi), cos(phi), 0]"
[lagrangian]
kinetic = "m/2*(b^2*phi'^2 + z'^2) + k*m*r^2/2*norm2(Omega)"
[constraints]
along = "b*phi' + r*dot(cross(omega, n), s) = 0"
up = "z' + r*cross(omega, n)[3] = 0"
"#,
    );
    let found = case.search();
    let [family] = &found.systems[..] else { panic!("{:?}", found.systems) };
    assert_eq!((family.new, family.independent), (2, 1), "the energy is a function of them and of ω₃");
    let linear = &family.system;
    let velocities = ["z'", "omega[1]"].map(|t| case.formula(t));
    assert!((0..2).all(|i| case.system.graph.equal(linear.velocities[i], velocities[i]).is_equal()));
    let slope = "(dQ/cos(phi) + Q*sin(phi)/cos(phi)^2)";
    let c =
        [case.formula(&format!("((1 + k)*cos(phi)*{slope} - Q*sin(phi)/cos(phi))/(r*k)")), case.formula("Q/cos(phi)")];
    let second = case.formula("-k/(1 + k)*Q");
    let graph = &mut case.system.graph;
    let [phi, q, dq] = ["phi", "Q", "dQ"].map(|n| graph.find_symbol(n).unwrap());
    let rates = [(phi, graph.one()), (q, graph.var(dq)), (dq, second)].into_iter().collect();
    for i in 0..2 {
        let left = graph.along(c[i], &rates);
        let right: Vec<Expr> = (0..2).map(|j| graph.mul(linear.matrix[(i, j)], c[j])).collect();
        let right = graph.sum(right);
        assert!(graph.equal(left, right).is_equal(), "row {i}");
    }
}

/// The same disk as a body with a rim on a plane: coefficients that depend on an entry of the rotation. Their equations are integrated along a motion.
#[test]
fn disk_as_a_body() {
    let text = builtin::find("euler-disk").unwrap().text;
    let tumbling =
        text.replace("\"10*deg\"", "\"70*deg\"").replace("[\"-sqrt(4*g*sin(alpha)/a)\", 0, 0]", "[-1, 2, 30]");
    let mut case = Case::text(&tumbling);
    let found = case.search();
    let [family] = &found.systems[..] else { panic!("{:?}", found.systems) };
    assert!(family.new == 2 && family.gauge);
    let linear = &family.system;
    assert_eq!(linear.order(), 2);
    let motion = case.system.compile().unwrap().solve(&Run::until(1.0)).unwrap();
    let symbols: Vec<Symbol> =
        case.system.configuration.positions().iter().chain(case.system.configuration.velocities()).copied().collect();
    let state = |t: f64| {
        let sample = motion.at(t).expect("within the run");
        let mut at = case.model.parameter_values().unwrap();
        at.extend(symbols.iter().map(|s| (*s, sample[case.system.graph.name(*s)])));
        at
    };
    let angle = |t: f64| {
        let cosine = case.system.graph.evaluate_f64(linear.cosine.expect("an entry"), &state(t)).unwrap();
        cosine.acos()
    };
    let slope = |theta: f64, c: [f64; 2]| {
        let mut at = case.model.parameter_values().unwrap();
        at.insert(linear.variable, theta);
        let a = |i: usize, j: usize| case.system.graph.evaluate_f64(linear.matrix[(i, j)], &at).unwrap();
        [a(0, 0) * c[0] + a(0, 1) * c[1], a(1, 0) * c[0] + a(1, 1) * c[1]]
    };
    let value = |t: f64, c: [f64; 2]| {
        let at = state(t);
        (0..2).map(|j| c[j] * case.system.graph.evaluate_f64(linear.velocities[j], &at).unwrap()).sum::<f64>()
    };
    for start in [[1.0, 0.0], [0.0, 1.0]] {
        let first = value(0.0, start);
        let mut c = start;
        let steps = 1000;
        let mut apart: f64 = 0.0;
        for k in 0..steps {
            let (t0, t1) = (f64::from(k) / f64::from(steps), f64::from(k + 1) / f64::from(steps));
            let (from, to) = (angle(t0), angle(t1));
            let h = to - from;
            // Runge and Kutta's rule in θ
            let moved = |c: [f64; 2], k: [f64; 2], by: f64| [c[0] + by * k[0], c[1] + by * k[1]];
            let k1 = slope(from, c);
            let k2 = slope(from + h / 2.0, moved(c, k1, h / 2.0));
            let k3 = slope(from + h / 2.0, moved(c, k2, h / 2.0));
            let k4 = slope(to, moved(c, k3, h));
            c = [0, 1].map(|i| c[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
            apart = apart.max((angle(t1) - angle(0.0)).abs());
            let off = (value(t1, c) - first).abs();
            assert!(off < 1e-8 * first.abs().max(1.0), "{off:e} at {t1}");
        }
        assert!(apart > 1e-3, "the disk nods");
        assert!((value(1.0, start) - first).abs() > 1e-6, "the coefficients have to change");
    }
}

/// [CushmanEtAl1995, Theorem 2]: df/dt of a function without any symmetry, at the two states of the reference data of the disk.
#[test]
fn theorem_2_states_of_the_disk() {
    let mut case = Case::builtin("rolling-disk-centre");
    let f = case.formula("x*theta' + y^2*psi' + sin(phi)*x'*phi' + theta*psi*y' + theta'^2*psi' + cos(psi)*x");
    let answer = decide(&mut case.system, &case.flow, f);
    assert!(matches!(answer.outcome, Outcome::Changes(_)));
    let digits = Digits::decimal(60);
    let names = ["m", "g", "r", "A", "C", "x", "y", "theta", "phi", "psi", "theta'", "phi'", "psi'"];
    for (state, wanted) in [
        (
            [
                "2.0", "9.81", "0.5", "0.125", "0.25", "-0.35", "-0.70", "1.90", "-1.71", "0.14", "-0.81", "-2.65",
                "0.04",
            ],
            "0.5524339244883525674415024960833906879061",
        ),
        (
            ["1.0", "9.81", "1.0", "0.5", "1.0", "-0.93", "-0.13", "0.56", "-1.64", "-0.30", "1.96", "-2.26", "-1.66"],
            "155.4125942109274622675312579764718363447",
        ),
    ] {
        let number = |text: &str| polhode_expr::number::parse_decimal(text).expect("a decimal");
        let graph = &mut case.system.graph;
        let values = names.iter().zip(state).map(|(n, x)| {
            use polhode_expr::eval::Arithmetic;
            (graph.find_symbol(n).expect("a symbol"), digits.number(&number(x)))
        });
        let values = values.collect();
        let wanted = graph.number(number(wanted));
        let difference = graph.sub(answer.rate, wanted);
        let off = graph.evaluate(&digits, &[difference], &values).expect("a value")[0].to_f64().value();
        assert!(off.abs() < 1e-36, "{off:e}");
    }
}

/// What was found is constant on motions, to the digits of a run.
#[test]
fn integrals_are_constant_on_motions() {
    let names = ["symmetric-sphere", "routh-ball", "nonholonomic-particle", "ball-on-turntable", "snakeboard"];
    for name in names {
        let mut case = Case::builtin(name);
        let found = case.search();
        assert!(found.integrals.len() > 1, "{name}");
        let wrong = case.system.configuration.velocities()[0];
        let wrong = case.system.graph.var(wrong);
        let functions: Vec<Expr> = found.integrals.iter().map(|i| i.function).chain([wrong]).collect();
        let seen = detective::watch(&case.system, &functions).unwrap_or_else(|| panic!("{name} has no motion"));
        for (i, seen) in found.integrals.iter().zip(&seen) {
            assert!(seen.change < 1e-10, "{name}: {:e} of {i:?}", seen.change);
        }
        if !decide(&mut case.system, &case.flow, wrong).is_integral() {
            assert!(!seen[functions.len() - 1].looks_constant(), "{name}");
        }
    }
}

/// Motions propose, algebra decides.
#[test]
fn the_detective() {
    let mut case = Case::builtin("veselova");
    let found = detective::detect(&mut case.system, &case.flow, 1, &[]).unwrap();
    let proved: Vec<Expr> = found.proposals.iter().filter(|p| p.answer.is_integral()).map(|p| p.answer.on_d).collect();
    for text in
        ["R[1,1]*Omega[1] + 1.5*R[1,2]*Omega[2] + 2*R[1,3]*Omega[3]", "Omega[1]^2 + 1.5*Omega[2]^2 + 2*Omega[3]^2"]
    {
        let f = case.formula(text);
        let f = case.flow.on_d(&mut case.system.graph, &[f])[0];
        assert!(proved.iter().any(|p| case.proportional(*p, f)), "{text}");
    }
    let mut sleigh = Case::builtin("chaplygin-sleigh");
    let found = detective::detect(&mut sleigh.system, &sleigh.flow, 1, &[]).unwrap();
    let proved: Vec<_> = found.proposals.iter().filter(|p| p.answer.is_integral()).collect();
    assert!(proved.len() == 1 && proved[0].follows, "the energy: {proved:?}");
    assert!(found.energy && found.discoveries() == 0);
}

const SLEIGH: &str = "[parameters]\nm = 1\nI = 0.5\na = 0\n[coordinates]\nx = \"real\"\ny = \"real\"\nth = \"angle\"\n\
    [lagrangian]\nkinetic = \"m/2*norm2(dt([x + a*cos(th), y + a*sin(th)])) + I/2*th'^2\"\n\
    [constraints]\nblade = \"y'*cos(th) = x'*sin(th)\"\n";

/// A sleigh with its centre on the blade turns uniformly, others do not; with the values put in there is no letter left.
#[test]
fn constant_at_the_values() {
    let mut general = Case::text(SLEIGH);
    let spin = general.formula("th'");
    let answer = decide(&mut general.system, &general.flow, spin);
    assert!(matches!(answer.outcome, Outcome::Changes(Ground::Everywhere(_))), "{answer:?}");
    let answer = decide_at_values(&mut general.system, &general.flow, spin);
    assert!(matches!(answer.outcome, Outcome::Constant(Ground::AtValues(_))), "{answer:?}");
    let nothing = general.formula("a*x'");
    assert_eq!(decide_at_values(&mut general.system, &general.flow, nothing).outcome, Outcome::Trivial);
    let other = general.formula("x'");
    assert!(!decide_at_values(&mut general.system, &general.flow, other).is_integral());
    assert!(general.search().special > 0);

    let mut special = Case::with(SLEIGH, &ParseOptions { at_values: true, ..ParseOptions::default() });
    assert!(special.is_integral("th'") && special.is_integral("I*th' + a*x"));
    assert!(!special.system.graph.contains_any(special.system.lagrangian, &special.system.parameters));
    let found = special.search();
    assert!(special.finds(&found, "th'") && found.special == 0);
}

/// Rates that have no value at the values of the model are no zeros.
#[test]
fn a_rate_without_a_value_is_not_zero() {
    let text =
        "[parameters]\na = 0\n[coordinates]\nx = \"real\"\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n";
    let mut case = Case::text(text);
    let f = case.formula("a*x*a^(-2)*x'");
    assert!(!decide_at_values(&mut case.system, &case.flow, f).is_integral());
}

fn suslov(i2: &str) -> Case {
    Case::text(&format!(
        "[parameters]\nI1 = 1\nI2 = {i2}\nI3 = 2.5\ne = 0.7\n[coordinates]\nR = \"SO(3)\"\n[lagrangian]\n\
         kinetic = \"1/2*(I1*Omega[1]^2 + I2*Omega[2]^2 + I3*Omega[3]^2)\"\npotential = \"e*R[3,3]\"\n[constraints]\na = \"Omega[3] = 0\"\n"
    ))
}

/// What the model defines by a formula holds for all its values: `I2 = "I1"` is Lagrange's case, `I2 = 1` one number of it.
#[test]
fn parameters_that_are_formulas_of_others() {
    let wanted = "Omega[1]*R[3,1] + Omega[2]*R[3,2]";
    let mut defined = suslov("\"I1\"");
    let f = defined.formula(wanted);
    let answer = decide(&mut defined.system, &defined.flow, f);
    assert!(matches!(answer.outcome, Outcome::Constant(Ground::ByFormulas(_))), "{answer:?}");
    let found = defined.search();
    assert!(defined.finds(&found, wanted));
    assert_eq!(found.special, 0);
    assert!(found.momenta.iter().any(|m| m.answer.is_integral()), "{:?}", found.momenta);

    let mut numbers = suslov("1");
    assert!(!numbers.is_integral(wanted));
    let found = numbers.search();
    assert!(!numbers.finds(&found, wanted));
    assert_eq!(found.special, 1);
    let at_values = Search { at_values: true, ..Search::default() };
    let found = search(&mut numbers.system, &numbers.flow, &at_values);
    assert!(numbers.finds(&found, wanted));
    assert!(found.momenta.iter().any(|m| m.answer.is_integral()), "{:?}", found.momenta);

    let mut unlike = suslov("\"2*I1\"");
    assert!(!unlike.is_integral(wanted));
    assert_eq!(unlike.search().special, 0);
}

/// A ball in a vertical pipe: ω·e_r − z φ̇/r needs coefficients of the second degree, which are searched when they are asked for.
#[test]
fn the_degree_that_is_asked_for() {
    let text = "[parameters]\nm = 1\nr = 0.1\nb = 0.5\nI = 0.004\ng = 9.81\n[coordinates]\nf = \"angle\"\nz = \"real\"\nR = \"SO(3)\"\n\
        [define]\ner = \"[cos(f), sin(f), 0]\"\nG = \"(b - r)*er + [0, 0, z]\"\nslip = \"velocity_at(G, R, G + r*er)\"\n\
        [lagrangian]\nkinetic = \"m/2*norm2(dt(G)) + I/2*norm2(Omega)\"\npotential = \"m*g*z\"\n[constraints]\nroll = \"slip = 0\"\n";
    let mut case = Case::text(text);
    let found = case.search();
    assert_eq!(found.degree, 2);
    assert!(case.finds(&found, "z*omega[3] + (b - r)*(cos(f)*omega[1] + sin(f)*omega[2])"));
}

/// No mass is negative: m + M = 0 is no case to speak of.
#[test]
fn sums_of_masses_do_not_vanish() {
    let text = SLEIGH.replace("a = 0", "a = 0\nM = 2");
    let mut case = Case::text(&text);
    let difference = case.formula("a*(m + M)*(m - M)");
    let found = exception(&mut case.system, &Measure::Obstruction { difference }).expect("an obstruction");
    let shown: Vec<Expr> = ["a", "m - M"].map(|t| case.formula(t)).to_vec();
    assert_eq!(found.zeros.len(), 2, "{:?}", found.zeros);
    assert!(shown.iter().all(|e| found.zeros.iter().any(|z| case.proportional(*z, *e))));
}

/// Unit vectors have motions too.
#[test]
fn the_detective_on_a_sphere() {
    let mut case = Case::text(
        "[coordinates]\ns = \"S2\"\n[lagrangian]\nkinetic = \"norm2(s')/2\"\npotential = \"s[3]\"\n[initial]\nposition = { s = [0.6, 0, 0.8] }\n",
    );
    let found = detective::detect(&mut case.system, &case.flow, 1, &[]).unwrap();
    let wanted = case.formula("s[1]*s'[2] - s[2]*s'[1]");
    let wanted = case.flow.on_d(&mut case.system.graph, &[wanted])[0];
    let proved: Vec<Expr> = found.proposals.iter().filter(|p| p.answer.is_integral()).map(|p| p.answer.on_d).collect();
    assert!(proved.into_iter().any(|p| case.proportional(p, wanted)));
}

/// What the search has found is not proposed again: here a moving energy.
#[test]
fn the_detective_knows_what_was_found() {
    let text =
        SLEIGH.replace("a = 0", "a = 0.2\nW = 0.6").replace("= x'*sin(th)", "= x'*sin(th) + W*(x*cos(th) + y*sin(th))");
    let mut case = Case::text(&(text + "[initial]\nposition = { x = 1 }\n"));
    let alone = detective::detect(&mut case.system, &case.flow, 2, &[]).unwrap();
    assert!(alone.discoveries() > 0);
    let known: Vec<Expr> = case.search().integrals.iter().map(|i| i.function).collect();
    assert!(!known.is_empty());
    let found = detective::detect(&mut case.system, &case.flow, 2, &known).unwrap();
    assert_eq!(found.discoveries(), 0);
}
