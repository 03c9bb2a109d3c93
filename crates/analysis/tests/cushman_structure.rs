//! Cushman, Kemppainen, Śniatycki and Bates 1995 [CushmanEtAl1995]: what `polhode_analysis::hamiltonian` makes of §§2–5 on
//! the disk of §6.
//!
//! The same statements are computed by hand in `cushman.rs`; here the objects of the library are asked: M, H, ω_H, H_ω, the bracket,
//! V, U, K, the quotient and the splitting. Numbers are those of the reference data of the disk.

use crate::disc;
use crate::papers;

use crate::prelude::*;
use disc::{STATES, disc};
use papers::{Paper, Where, assert_differs, assert_equal, dot};
use polhode_analysis::hamiltonian::{
    Ambient, Check, Distributional, Reconstruction, Reduced, theorem_1, theorem_2, theorem_3, theorem_5,
};
use polhode_expr::{Matrix, Rates};
use polhode_mechanics::Leg;
use polhode_model::Generator;

/// The disk with formulas, and its form in the frame ζ_θ, ζ_φ, ζ_ψ.
fn form(letters: &[&str], formulas: &[(&str, &str)]) -> (Paper, Distributional) {
    let mut p = disc(letters, &[STATES, formulas].concat());
    p.derive(Form::Voronets);
    let d = Distributional::new(&mut p.system).expect("linear constraints and a potential");
    (p, d)
}

fn all_hold(checks: &[Check]) {
    assert!(!checks.is_empty());
    for check in checks {
        assert!(check.holds(), "{}: {:?}", check.claim, check.outcome);
    }
}

/// G = E(2) × SO(2) of §6.
fn whole_group(p: &mut Paper, d: &Distributional) -> Reduced {
    Reduced::new(&mut p.system, d).expect("symmetries of the disk")
}

/// SO(2) × R²: without the turns of the plane.
fn small_group(p: &mut Paper, d: &Distributional) -> Reduced {
    let all = p.system.model.symmetries.clone();
    let few: Vec<Generator> = all.into_iter().filter(|g| !g.text.contains("dphi")).collect();
    assert_eq!(few.len(), 3);
    Reduced::by(&mut p.system, d, &few, &[]).expect("symmetries of the disk")
}

/// (1)–(3), (6)–(8), (10): φ_a(v) is the derivative of f_a along the base directions, the φ_a are independent, and L is
/// ½ g(v, v) − V.
#[test]
fn eq_1_to_3_and_6_to_10_definitions() {
    let formulas = [
        ("f1", "x'*cos(phi) + y'*sin(phi) - r*theta'*sin(theta)"),
        ("f2", "-x'*sin(phi) + y'*cos(phi) + r*phi'*cos(theta) + r*psi'"),
        ("V", "m*g*r*sin(theta)"),
    ];
    let mut p = disc(&["s", "w1", "w2", "w3", "w4", "w5"], &formulas);
    let v = p.system.configuration.velocities().to_vec();
    let s = p.symbol("s");
    let w: Vec<Expr> = (1..=5).map(|i| p.var(&format!("w{i}"))).collect();
    let parameter = p.var("s");
    for (c, label) in ["f1", "f2"].into_iter().enumerate() {
        let (f, row) = (p.value(label), p.system.constraint_row(c).a.clone());
        let graph = &mut p.system.graph;
        let moved: Rates = v
            .iter()
            .zip(&w)
            .map(|(v, w)| {
                let (v0, step) = (graph.var(*v), graph.mul(parameter, *w));
                (*v, graph.add(v0, step))
            })
            .collect();
        let along = graph.substitute(f, &moved);
        let slope = graph.derivative(along, s);
        let form = dot(graph, &row, &w);
        assert_equal(graph, slope, form, "(2), (7)");
        let velocities: Vec<Expr> = v.iter().map(|v| graph.var(*v)).collect();
        let value = dot(graph, &row, &velocities);
        assert_equal(graph, f, value, "(6)");
    }
    assert_eq!(p.system.distribution.elimination.rows.len(), 2, "(3)");
    // (10) with g the Hessian of L: L + V = ½ g(v, v)
    let potential = p.value("V");
    let (graph, lagrangian) = (&mut p.system.graph, p.system.lagrangian);
    let slopes: Vec<Expr> = v.iter().map(|v| graph.derivative(lagrangian, *v)).collect();
    let velocities: Vec<Expr> = v.iter().map(|v| graph.var(*v)).collect();
    let metric = Matrix::from_fn(5, 5, |i, j| graph.derivative(slopes[i], v[j]));
    let gv = metric.mul_vec(graph, &velocities);
    let twice = dot(graph, &gv, &velocities);
    let kinetic = graph.add(lagrangian, potential);
    let doubled = graph.add(kinetic, kinetic);
    assert_equal(graph, twice, doubled, "(10)");
    // (8): the force of the potential is that of L at rest
    let still: Rates = v.iter().map(|v| (*v, graph.zero())).collect();
    for q in p.system.configuration.positions() {
        let (force, slope) = (graph.derivative(lagrangian, *q), graph.derivative(potential, *q));
        let (force, minus) = (graph.substitute(force, &still), graph.neg(slope));
        assert_equal(graph, force, minus, "(8)");
    }
}

const THEOREM_1: &[(&str, &str)] = &[
    ("determinant", "((A + m*r^2)*(C + m*r^2)*A*sin(theta)^2)^2"),
    ("determinant 1", "value = 0.002753075419052090626735679102935422271033"),
    ("determinant 2", "value = 0.1791305445601326650043607193939214105109"),
    ("J", "m*r^2*theta'*sin(theta)"),
    ("J 1", "value = -0.3832515355134028678383323927121578936562"),
    ("J 2", "value = 1.041124947924931471549664104579583152593"),
    ("vtheta 1", "value = 7.343108432216011193694018885465441087202"),
    ("vtheta 2", "value = -10.49678912208474816348852719537498075309"),
    ("vphi 1", "value = -0.06847722074966666078851471459732936652177"),
    ("vphi 2", "value = -12.25031829793364376057013104892713462351"),
    ("vpsi 1", "value = 3.363250592665549088695467672316621601349"),
    ("vpsi 2", "value = 6.849731215999934541426093304584412249047"),
    ("lambda_1 1", "value = 4.360372885186106743931614330301249457204"),
    ("lambda_1 2", "value = 5.758105935343778610718243399065644965269"),
    ("lambda_2 1", "value = 0.6770777127403450665143872271248122787926"),
    ("lambda_2 2", "value = -1.176471191155172562851120438174928962430"),
];

/// Theorem 1 with (13)–(17), and its values at the two states.
#[test]
fn theorem_1_eq_13_to_eq_17() {
    let (mut p, d) = form(&["value"], THEOREM_1);
    all_hold(&theorem_1(&mut p.system, &d));
    assert_eq!((d.dimension(&p.system), 2 * d.k()), (8, 6), "(14), (15)");
    let volume = d.determinant(&mut p.system.graph);
    let (want, j) = (p.value("determinant"), p.value("J"));
    p.same(Where::Everywhere, "det ω_H", volume, want);
    p.same(Where::Everywhere, "ω_H(ζ_φ, ζ_ψ)", d.omega[(1, 2)], j);

    let xi = d.vector_field(&mut p.system.graph);
    let ambient = Ambient::new(&mut p.system, &d);
    assert_eq!((ambient.perpendicular.len(), ambient.rank_of_sum(&mut p.system)), (4, Some(10)), "(16)");
    let lambda = ambient.multipliers(&mut p.system, &d).expect("Theorem 1.4");
    assert_eq!(lambda.iter().map(|(c, _)| *c).collect::<Vec<_>>(), [0, 1]);

    // (13): ξ ⌟ ω = dE − λ^a φ_a with these λ. With the printed sign it is wrong in every component that has a reaction.
    let residual = ambient.residual(&mut p.system, &xi);
    let rows: Vec<Vec<Expr>> = (0..2).map(|c| p.system.constraint_row(c).a.clone()).collect();
    let mut wrong = 0;
    for i in 0..5 {
        let graph = &mut p.system.graph;
        let field = d.equation.frame.e.col(i);
        let parts: Vec<Expr> = (0..2)
            .map(|a| {
                let form = dot(graph, &rows[a], &field);
                graph.mul(lambda[a].1, form)
            })
            .collect();
        let reaction = graph.sum(parts);
        let printed = graph.neg(reaction);
        assert_equal(graph, residual[i], reaction, "(13), corrected");
        wrong += usize::from(!graph.equal(residual[i], printed).is_equal());
    }
    assert_eq!(wrong, 2, "(13) as printed fails across H");

    let values = [
        ("determinant", volume),
        ("J", d.omega[(1, 2)]),
        ("vtheta", xi[3]),
        ("vphi", xi[4]),
        ("vpsi", xi[5]),
        ("lambda_1", lambda[0].1),
        ("lambda_2", lambda[1].1),
    ];
    for (label, value) in values {
        p.set("value", value);
        for i in 1..=2 {
            p.agrees_at(&format!("state {i}"), &format!("{label} {i}"), 36);
        }
    }
}

const THEOREM_2: &[(&str, &str)] = &[
    ("f", "x*theta' + y^2*psi' + sin(phi)*x'*phi' + theta*psi*y' + theta'^2*psi' + cos(psi)*x"),
    ("f 1", "value = 0.5524339244883525674415024960833906879061"),
    ("f 2", "value = 155.4125942109274622675312579764718363447"),
];

/// (18), (19), Theorem 2 with (20): the field of f on TP, its part along H, and ξ(f) = −⟨dE, ξ_f^H⟩.
#[test]
fn theorem_2_eq_18_to_eq_20() {
    let (mut p, d) = form(&["value"], THEOREM_2);
    all_hold(&theorem_2(&mut p.system, &d));
    let f = p.value("f");
    let ambient = Ambient::new(&mut p.system, &d);
    let field = ambient.hamiltonian_field(&mut p.system, f).expect("ω is symplectic");
    let df = ambient.differential(&mut p.system, f);
    let graph = &mut p.system.graph;
    for (j, slope) in df.iter().enumerate() {
        let contracted = dot(graph, &field, &ambient.omega.col(j));
        assert_equal(graph, contracted, *slope, "(18)");
    }
    let (along, rest) = ambient.split(&mut p.system, &d, &field);
    let on_m = d.on_manifold(&mut p.system.graph, f);
    let own = d.hamiltonian_field(&mut p.system.graph, on_m);
    let graph = &mut p.system.graph;
    for (a, b) in along.iter().zip(&own) {
        assert_equal(graph, *a, *b, "(19), the part along H is the field of f on M");
    }
    let zero = graph.zero();
    for j in [0, 1, 2, 5, 6, 7] {
        let contracted = dot(graph, &rest, &ambient.omega.col(j));
        assert_equal(graph, contracted, zero, "(19), the rest is perpendicular to H");
    }
    assert_differs(graph, rest[3], zero, "(19), and not zero");
    // Theorem 2, both sides at the two states; both f → {f, E} and E → {E, f} of the bracket
    let xi = d.vector_field(graph);
    let rate = d.derivative(graph, on_m, &xi);
    let slope = d.derivative(graph, d.energy, &along);
    let minus = graph.neg(slope);
    let bracket = d.bracket(graph, on_m, d.energy);
    assert_equal(graph, rate, bracket, "ξ(f) = {f, E}");
    for value in [rate, minus] {
        p.set("value", value);
        p.agrees_at("state 1", "f 1", 34);
        p.agrees_at("state 2", "f 2", 34);
    }
}

/// The letters of §6 as functions on M.
const RHO: [&str; 3] = ["rho_theta", "rho_phi", "rho_psi"];

const SECTION_6: &[(&str, &str)] = &[
    (
        "E",
        "rho_theta^2/(2*(A + m*r^2)) + rho_psi^2/(2*(C + m*r^2)) + (rho_phi \
           - rho_psi*cos(theta))^2/(2*A*sin(theta)^2) + m*g*r*sin(theta)",
    ),
    ("omega", "-(A + m*r^2)/(m*r^2*rho_theta*sin(theta))"),
    ("J", "m*r^2*theta'*sin(theta)"),
    (
        "rates",
        "[rho_theta/(A + m*r^2), \
          cos(theta)/(A*sin(theta)^3)*(rho_phi - rho_psi*cos(theta))^2 \
            - 1/(A*sin(theta))*rho_psi*(rho_phi - rho_psi*cos(theta)) - m*g*r*cos(theta), \
          m*r^2*rho_theta/(A*(A + m*r^2))*(cot*(rho_phi - rho_psi*cos(theta)) - A/(C + m*r^2)*sin(theta)*rho_psi), \
          m*r^2*rho_theta/(A*(A + m*r^2))*csc*(rho_phi - rho_psi*cos(theta))]",
    ),
];

fn reduced_disk() -> (Paper, Distributional, Reduced) {
    let (mut p, d) = form(&RHO, SECTION_6);
    for (letter, momentum) in RHO.into_iter().zip(d.momenta().to_vec()) {
        p.set(letter, momentum);
    }
    let reduced = whole_group(&mut p, &d);
    (p, d, reduced)
}

/// (21), Theorem 3, (22) and §6 with G = E(2) × SO(2): M̄, Ē, ω̄ and the four reduced equations.
#[test]
fn theorem_3_eq_21_eq_22_section_6() {
    let (mut p, d, reduced) = reduced_disk();
    all_hold(&theorem_3(&mut p.system, &d, &reduced));
    // M̄ has the coordinates θ, ρ_θ, ρ_φ, ρ_ψ; V ∩ H is spanned by ζ_φ and ζ_ψ
    let names: Vec<&str> = reduced.coordinates.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["theta", "p_theta", "p_phi", "p_psi"]);
    assert_eq!((reduced.rank_v, reduced.dimension, reduced.rank_h()), (4, 4, 4));
    assert!(reduced.is_whole() && reduced.common.is_empty(), "H̄ = TM̄ at generic points");
    let (zero, one) = (p.system.graph.zero(), p.system.graph.one());
    let spanned: Vec<Vec<Expr>> = reduced.vertical.iter().map(|x| x[3..].to_vec()).collect();
    assert!(spanned.iter().flatten().all(|e| *e == zero), "the generators do not move v_θ, v_φ, v_ψ");
    let turned = Matrix::from_fn(2, 2, |i, j| reduced.vertical[i][1 + j]);
    let volume = polhode_expr::determinant(&mut p.system.graph, &turned);
    p.differ(Where::Everywhere, "V ∩ H = span{ζ_φ, ζ_ψ}", volume, zero);
    assert!(reduced.vertical.iter().all(|x| x[0] == zero));

    let energy = p.value("E");
    p.same(Where::Everywhere, "Ē", d.energy, energy);
    let omega = reduced.omega.clone().expect("H̄ = TM̄");
    let last = p.value("omega");
    let minus = p.system.graph.neg(last);
    let ones = p.system.graph.neg(one);
    let want = |i: usize, j: usize| match (i, j) {
        (0, 1) => one,
        (1, 0) => ones,
        (2, 3) => last,
        (3, 2) => minus,
        _ => zero,
    };
    for i in 0..4 {
        for j in 0..4 {
            p.same(Where::Everywhere, "ω̄", omega[(i, j)], want(i, j));
        }
    }
    for (rate, want) in reduced.rates(&mut p.system, &d).into_iter().zip(p.right("rates")) {
        p.same(Where::Everywhere, "a reduced equation", rate, want);
    }
    // (22) in the coordinates themselves: the printed Ē, differentiated by hand, and the printed ω̄ give the printed rates
    let [theta, rho_theta, rho_phi, rho_psi] = ["theta", "rho_theta", "rho_phi", "rho_psi"].map(|name| p.symbol(name));
    let slopes = [theta, rho_theta, rho_phi, rho_psi].map(|s| p.system.graph.derivative(energy, s));
    let rates = p.right("rates");
    for j in 0..4 {
        let parts: Vec<Expr> = (0..4).map(|i| p.system.graph.mul(rates[i], want(i, j))).collect();
        let contracted = p.system.graph.sum(parts);
        p.same(Where::Everywhere, "(22)", contracted, slopes[j]);
    }
}

/// Where θ̇ = 0, U ∩ V is spanned by ζ_φ and ζ_ψ, is not involutive, and ω̄ has no value; the reduced equations have.
#[test]
fn section_6_where_the_quotient_degenerates() {
    let (mut p, d, reduced) = reduced_disk();
    let functions = reduced.degenerate(&mut p.system);
    assert_eq!(functions.len(), 1);
    let tree = p.system.graph.readable(functions[0], &Reading { parameters: p.system.parameters.clone() });
    let text = print::text(&p.system.graph, &tree.expect("short"));
    assert_eq!(text.trim_start_matches('-'), "m r² θ̇ sin θ");

    let theta = p.symbol("theta'");
    let zero = p.system.graph.zero();
    let still = Rates::from_iter([(theta, zero)]);
    let pairing = reduced.pairing.map(|e| p.system.graph.substitute(e, &still));
    assert!(pairing.entries().iter().all(|e| p.system.graph.equal(*e, zero).is_equal()), "K = V ∩ H");
    let (configuration, time) = (p.system.configuration.clone(), p.system.time);
    let bracket = d.equation.frame.bracket(&mut p.system.graph, &configuration, time, Leg::Field(1), Leg::Field(2));
    assert!(bracket[3..].iter().any(|e| !p.system.graph.equal(*e, zero).is_equal()), "K is not involutive there");

    let values: Vec<(&str, f64)> = vec![
        ("m", 1.0),
        ("r", 1.0),
        ("g", 9.81),
        ("A", 0.25),
        ("C", 0.5),
        ("theta", 1.1),
        ("phi", 0.3),
        ("psi", 0.2),
        ("x", 0.1),
        ("y", -0.4),
        ("theta'", 0.0),
        ("phi'", 2.0),
        ("psi'", -1.0),
    ];
    let at = values.into_iter().map(|(n, v)| (p.symbol(n), v)).collect();
    for rate in reduced.rates(&mut p.system, &d) {
        let value = p.system.graph.evaluate_f64(rate, &at).expect("a value");
        assert!(value.is_finite());
    }
    let omega = reduced.omega.as_ref().expect("H̄ = TM̄");
    let coefficient = p.system.graph.evaluate_f64(omega[(2, 3)], &at);
    assert!(!coefficient.is_ok_and(f64::is_finite), "ω̄ has no value there");
    let entry = p.system.graph.evaluate_f64(reduced.bracket[(2, 3)], &at).expect("the bracket has");
    assert_eq!(entry, 0.0);
}

/// (38): U projects onto ζ_θ, ζ_φ, ζ_ψ, and contains ∂_{v_θ}.
#[test]
fn eq_38_the_distribution_u() {
    let (mut p, d, reduced) = reduced_disk();
    let (zero, one) = (p.system.graph.zero(), p.system.graph.one());
    assert_eq!(reduced.perpendicular.len(), 4);
    let lift = [zero, zero, zero, one, zero, zero];
    for x in &reduced.vertical {
        let value = d.pair(&mut p.system.graph, &lift, x);
        p.same(Where::Everywhere, "∂_{v_θ} ∈ U", value, zero);
    }
    // every ζ_i has fibre parts that bring it into U: the block ω_H(∂_v, V ∩ H) has full rank
    let graph = &mut p.system.graph;
    let block = Matrix::from_fn(2, 2, |i, j| {
        let unit: Vec<Expr> = (0..6).map(|c| if c == 4 + i { one } else { zero }).collect();
        d.pair(graph, &unit, &reduced.vertical[j])
    });
    let volume = polhode_expr::determinant(graph, &block);
    p.differ(Where::Everywhere, "U projects onto the ζ", volume, zero);
}

/// (25) with "∈ H" as printed allows a lift that is not in U: ξ + ζ_φ lies in H and projects to ξ̄, but not in U = B ⊕ K,
/// so that (27) could not hold.
#[test]
fn eq_25_means_u() {
    let (mut p, d, reduced) = reduced_disk();
    let zero = p.system.graph.zero();
    let xi = d.vector_field(&mut p.system.graph);
    let push = |p: &mut Paper, v: &[Expr]| -> Vec<Expr> {
        reduced.coordinates.iter().map(|y| d.derivative(&mut p.system.graph, y.value, v)).collect()
    };
    let one = p.system.graph.one();
    let mut other = xi.clone();
    other[1] = p.system.graph.add(other[1], one);
    let (a, b) = (push(&mut p, &xi), push(&mut p, &other));
    for (a, b) in a.into_iter().zip(b) {
        p.same(Where::Everywhere, "both are lifts of ξ̄", a, b);
    }
    let against = |p: &mut Paper, v: &[Expr]| -> Vec<Expr> {
        reduced.vertical.iter().map(|x| d.pair(&mut p.system.graph, v, x)).collect()
    };
    for value in against(&mut p, &xi) {
        p.same(Where::Everywhere, "(25), corrected: ξ ∈ U", value, zero);
    }
    let values = against(&mut p, &other);
    assert!(values.into_iter().any(|e| !p.system.graph.equal(e, zero).is_equal()), "(25) as printed");
}

/// Propositions 1 and 2, (26)–(34) and Theorem 5 with G = SO(2) × R²: K is spanned by ζ_ψ, and ⟨dE, η⟩ = v_ψ.
#[test]
fn theorem_5_eq_26_to_eq_34() {
    let formulas = [("rate", "psi'"), ("rate 1", "value = 0.04"), ("rate 2", "value = -1.66")];
    let (mut p, d) = form(&["value"], &formulas);
    let reduced = small_group(&mut p, &d);
    all_hold(&theorem_3(&mut p.system, &d, &reduced));
    let (zero, one) = (p.system.graph.zero(), p.system.graph.one());
    assert_eq!((reduced.rank_v, reduced.vertical.len(), reduced.perpendicular.len()), (3, 1, 5));
    assert_eq!((reduced.dimension, reduced.rank_h()), (5, 4), "H̄ is not TM̄");
    assert_eq!(reduced.common, [[zero, zero, one, zero, zero, zero]], "K = span ζ_ψ");
    assert!(reduced.degenerate(&mut p.system).is_empty() && reduced.omega.is_none());
    assert_eq!(reduced.common_is_involutive(&mut p.system, &d), Some(true));
    // Proposition 1: K is isotropic, and U_ω = V ∩ H lies in U (coisotropic), so (U + U_ω)_ω = K
    for u in &reduced.perpendicular {
        let value = d.pair(&mut p.system.graph, &reduced.common[0], u);
        p.same(Where::Everywhere, "Proposition 1", value, zero);
    }
    let split = Reconstruction::new(&mut p.system, &d, &reduced).expect("a splitting");
    all_hold(&theorem_5(&mut p.system, &d, &reduced, &split));
    assert!(split.carried);
    assert_eq!((split.quotient.len(), split.canonical.len(), split.orbit.len()), (4, 2, 0), "(26)–(29)");
    assert!(split.quotient.iter().all(|x| x[2] == zero), "dψ vanishes on B");
    let rate = p.value("rate");
    p.same(Where::Everywhere, "(34)", split.rates[0], rate);
    p.set("value", split.rates[0]);
    p.agrees_at("state 1", "rate 1", 36);
    p.agrees_at("state 2", "rate 2", 36);
    // With all of E(2) × SO(2) the theorem is empty: K = 0, and D is the plane of ζ_φ, ζ_ψ.
    let whole = whole_group(&mut p, &d);
    let split = Reconstruction::new(&mut p.system, &d, &whole).expect("a splitting");
    all_hold(&theorem_5(&mut p.system, &d, &whole, &split));
    assert_eq!((split.quotient.len(), split.canonical.len(), split.orbit.len()), (4, 0, 2));
}

/// Proposition 2, in the proof: U_ω = V ∩ H lies in B_ω, not in B as printed. With SO(2) × R² it is spanned by ζ_ψ, while dψ vanishes on B; with E(2) × SO(2) it is a plane on which ω_H
/// does not vanish, as it would have to on a part of B that lies in B_ω.
#[test]
fn proposition_2_perpendicular_of_u() {
    let (mut p, d) = form(&[], &[]);
    let zero = p.system.graph.zero();
    for whole in [false, true] {
        let reduced = if whole { whole_group(&mut p, &d) } else { small_group(&mut p, &d) };
        let split = Reconstruction::new(&mut p.system, &d, &reduced).expect("a splitting");
        let rank = reduced.vertical.len();
        assert_eq!(rank + reduced.perpendicular.len(), 6, "ω_H has no kernel");
        for v in &reduced.vertical {
            for (place, w) in
                reduced.perpendicular.iter().map(|u| ("U", u)).chain(split.quotient.iter().map(|b| ("B", b)))
            {
                let value = d.pair(&mut p.system.graph, v, w);
                p.same(Where::Everywhere, place, value, zero);
            }
        }
        if whole {
            let [a, b] = &reduced.vertical[..] else { panic!("{rank} vectors") };
            let value = d.pair(&mut p.system.graph, a, b);
            assert!(!p.system.graph.equal(value, zero).is_equal(), "as printed");
        } else {
            assert!(split.quotient.iter().all(|x| x[2] == zero), "dψ vanishes on B");
            assert!(reduced.vertical[0][2] != zero, "as printed");
        }
    }
}

/// Theorem 5, line 3 of the proof: L_η(L_X E) + L_[X, η] E is L_X(L_η E) for all fields, not 2 L_η(L_X E) − L_X(L_η E) as line 4
/// has it. The two agree when X and η commute, as ζ_ψ and its η do, and not for ζ_φ and ζ_ψ.
#[test]
fn theorem_5_line_4_of_the_proof() {
    let (mut p, d) = form(&[], &[]);
    let reduced = small_group(&mut p, &d);
    let split = Reconstruction::new(&mut p.system, &d, &reduced).expect("a splitting");
    let symbols: Vec<Symbol> = p.system.configuration.positions().iter().chain(d.quasi_velocities()).copied().collect();
    let graph = &mut p.system.graph;
    let arguments: Vec<Expr> = symbols.iter().map(|s| graph.var(*s)).collect();
    let function = graph.function("any energy");
    let energy = graph.apply(function, arguments.clone());
    let (zero, one) = (graph.zero(), graph.one());
    let unit = |i: usize| (0..6).map(|j| if i == j { one } else { zero }).collect::<Vec<Expr>>();
    let cases = [(reduced.common[0].clone(), split.conjugate[0].clone(), true), (unit(1), unit(2), false)];
    for (x, eta, commute) in cases {
        // a field on M by what it does to the coordinates
        let [x, eta] = [x, eta].map(|v| -> Rates {
            symbols.iter().zip(&arguments).map(|(s, e)| (*s, d.derivative(graph, *e, &v))).collect()
        });
        let bracket: Rates = symbols
            .iter()
            .map(|s| {
                let (plus, minus) = (graph.along(eta[s], &x), graph.along(x[s], &eta));
                (*s, graph.sub(plus, minus))
            })
            .collect();
        let (x_e, eta_e) = (graph.along(energy, &x), graph.along(energy, &eta));
        let (first, second) = (graph.along(x_e, &eta), graph.along(eta_e, &x));
        let third = graph.along(energy, &bracket);
        let line_3 = graph.add(first, third);
        assert_equal(graph, line_3, second, "line 3 is L_X(L_η E)");
        let twice = graph.add(first, first);
        let line_4 = graph.sub(twice, second);
        if commute {
            assert_equal(graph, line_3, line_4, "line 4 for fields that commute");
        } else {
            assert_differs(graph, line_3, line_4, "line 4 as printed");
        }
    }
}

fn sections(text: &str) -> Vec<(&'static str, String, usize)> {
    let (model, _) = Model::parse("model.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    let structure = polhode_analysis::hamiltonian::Structure::new(&mut system).expect("a structure");
    structure.sections.iter().map(|s| (s.key, s.text(&system.graph, 100), s.lines.len())).collect()
}

/// Suslov's body in a field: ω̄ = ±1/γ₃ has no value where V ∩ H is not 0, γ₃ = 0.
#[test]
fn where_v_and_h_meet_in_more() {
    let suslov = r#"
        [parameters]
        I1 = 1
        I2 = 1.5
        I3 = 2
        b = 0.3
        [coordinates]
        R = "SO(3)"
        [lagrangian]
        kinetic = "dot(Omega, diag(I1,I2,I3)*Omega)/2"
        potential = "b*R[3,1]"
        [constraints]
        s = "Omega[3] = 0"
        [symmetry]
        generators = [{ R = "hat([0, 0, 1])*R" }]
    "#;
    let sections = sections(suslov);
    let of = |key: &str| sections.iter().find(|s| s.0 == key).unwrap_or_else(|| panic!("no {key}"));
    assert_eq!(of("jumps").1.trim(), "0 = R₃₃");
    assert_eq!(of("brackets").2, 2, "{{R, p}} for two momenta: {}", of("brackets").1);
    assert!(of("reduced_energy").1.contains("Ebar"));
}

/// A quotient is shown even where no coordinate of it is known.
#[test]
fn a_quotient_without_coordinates() {
    let heisenberg = r#"
        [coordinates]
        x = "real"
        y = "real"
        z = "real"
        [lagrangian]
        kinetic = "(x'^2 + y'^2 + z'^2)/2"
        [constraints]
        c = "z' = y*x' - x*y'"
        [symmetry]
        generators = ["d/dz", "x*d/dy - y*d/dx"]
    "#;
    assert!(sections(heisenberg).iter().any(|s| s.0 == "reduced_equations" && s.2 == 0));
}
