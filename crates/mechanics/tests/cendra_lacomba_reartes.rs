//! [CendraLacombaReartes2001]: the symmetric sphere that rolls on a plane, on SO(3) × ℝ².
//!
//! Everything is an identity in the rotation R and its velocity Ω: the vertical and the horizontal equation of §3, the system in
//! (z, ż, v₀) that sums them up, its explicit form, and the integrals. z = R e₃, v₀ = Ω₃, and ω = v₀ z + z × ż; the paper's A, x,
//! e_i are R, (x, y, 0) and the world axes.
//!
//! Not here: §4 (impulses).

use crate::papers;

use crate::prelude::*;
use papers::{Paper, Where, assert_differs, assert_equal, builtin};
use polhode_expr::{Evidence, Matrix, Rates, Verdict};
use polhode_mechanics::Leg;

/// The letters of §3.
const DEFINITIONS: [(&str, &str); 21] = [
    ("e3", "[0, 0, 1]"),
    ("alpha", "I3/I1"),
    ("beta", "M*r^2/I1"),
    ("z", "R*e3"),
    ("zd", "dt(z)"),
    ("zdd", "dt(zd)"),
    ("v0", "Omega[3]"),
    ("v0d", "dt(v0)"),
    ("w", "v0*z + cross(z, zd)"),
    ("wd", "dt(w)"),
    ("xd", "[x', y', 0]"),
    ("xdd", "[x'', y'', 0]"),
    ("v1", "xd - cross(cross(z, zd), r*e3)"),
    ("ydd", "xdd/r"),
    ("nabla", "zdd - dot(z, zdd)*z"),
    ("t1", "R*[1, 0, 0]"),
    ("t2", "R*[0, 1, 0]"),
    ("Delta", "alpha + beta + beta*(alpha - 1)*z[3]^2"),
    ("Lambda", "(1 + beta)*identity(3) + (alpha - 1)*outer(z, z) - beta*outer(e3, e3)"),
    ("K", "Lambda*omega"),
    ("E", "(norm2(zd) + alpha*v0^2 + beta*(omega[1]^2 + omega[2]^2))/2"),
];

fn sphere(letters: &[&str], formulas: &[(&str, &str)]) -> Paper {
    Paper::new(builtin("symmetric-sphere"), letters, &DEFINITIONS, formulas)
}

/// Formulas that must hold in the same sense, with their labels.
fn all_hold(paper: &mut Paper, states: Where, formulas: &[(&str, &str)]) {
    formulas.iter().for_each(|(label, _)| paper.holds(states, label));
}

/// §3, kinematics: the hat map, ω = Ω³ z + z × ż, the constraint, the connection, and 𝒮.
#[test]
fn section_3_kinematics() {
    let letters = ["a1", "a2", "a3", "b1", "b2", "b3"];
    let everywhere = [
        (
            "hat of a product",
            "hat(cross([a1, a2, a3], [b1, b2, b3])) = hat([a1, a2, a3])*hat([b1, b2, b3]) - hat([b1, b2, b3])*hat([a1, a2, a3])",
        ),
        ("hat and trace", "dot([a1, a2, a3], [b1, b2, b3]) = -trace(hat([a1, a2, a3])*hat([b1, b2, b3]))/2"),
        ("hat of a turned vector", "hat(R*[a1, a2, a3]) = R*hat([a1, a2, a3])*transpose(R)"),
        ("space and body", "R' = hat(omega)*R"),
        ("axis", "zd = cross(omega, z)"),
        ("spin", "dot(omega, z) = v0"),
        ("across", "R*[Omega[1], Omega[2], 0] = cross(z, zd)"),
        ("decomposition", "omega = w"),
        ("connection", "v1 = xd - R*hat([Omega[1], Omega[2], 0])*transpose(R)*(r*e3)"),
    ];
    let on_constraints = [("rolling", "cross(omega, r*e3) = xd"), ("S", "v1 = v0*cross(z, r*e3)")];
    let fields = [("column", "[cross(t1, r*e3), cross(t2, r*e3), cross(z, r*e3)] = 0")];
    let formulas: Vec<(&str, &str)> = everywhere.into_iter().chain(on_constraints).chain(fields).collect();
    let mut paper = sphere(&letters, &formulas);
    all_hold(&mut paper, Where::Everywhere, &everywhere);
    all_hold(&mut paper, Where::OnConstraints, &on_constraints);
    // D is spanned by the lifts of A e_i; the third of them spans 𝒮 = D ∩ 𝒱.
    let frame = paper.system.voronets_frame();
    let columns = paper.left("column");
    for i in 0..3 {
        for c in 0..2 {
            assert_equal(&mut paper.system.graph, frame.e[(3 + c, i)], columns[3 * i + c], "D = ℋ ⊕ 𝒮");
        }
    }
}

/// §3, curvature: [X₁, X₂] = (A [Ω̂₁, Ω̂₂], 2 A [Ω̂₁, Ω̂₂] A⁻¹ r e₃), with its factor 2, and B̃ = −𝒜([X₁, X₂]).
#[test]
fn section_3_curvature() {
    let formulas = [
        ("turn", "cross([a1, a2, 0], [b1, b2, 0]) = 0"),
        (
            "shift",
            "2*R*(hat([a1, a2, 0])*hat([b1, b2, 0]) - hat([b1, b2, 0])*hat([a1, a2, 0]))*transpose(R)*(r*e3) = 0",
        ),
        ("spin of B", "dot(cross(cross(R*[a1, a2, 0], z), cross(R*[b1, b2, 0], z)), z)"),
        ("shift of B", "2*cross(cross(cross(R*[a1, a2, 0], z), cross(R*[b1, b2, 0], z)), r*e3) = 0"),
    ];
    let mut paper = sphere(&["a1", "a2", "b1", "b2"], &formulas);
    let frame = paper.system.voronets_frame();
    let (configuration, time) = (paper.system.configuration.clone(), paper.system.time);
    let [a1, a2, b1, b2] = ["a1", "a2", "b1", "b2"].map(|s| paper.var(s));
    // Horizontal fields with constant Ω_i; β = 1 leaves their bracket in the base frame.
    let mut fields = frame.clone();
    let g = &mut paper.system.graph;
    for c in 0..5 {
        for (field, (p, q)) in [(a1, a2), (b1, b2)].into_iter().enumerate() {
            let (x, y) = (g.mul(p, frame.e[(c, 0)]), g.mul(q, frame.e[(c, 1)]));
            fields.e[(c, field)] = g.add(x, y);
        }
    }
    fields.beta = Matrix::identity(g, 5);
    let bracket = fields.bracket(g, &configuration, time, Leg::Field(0), Leg::Field(1));
    let (turn, shift, spin, shift_of_b) =
        (paper.left("turn"), paper.left("shift"), paper.value("spin of B"), paper.left("shift of B"));
    let g = &mut paper.system.graph;
    for i in 0..3 {
        assert_equal(g, bracket[i], turn[i], "[X₁, X₂], rotation");
    }
    for c in 0..2 {
        assert_equal(g, bracket[3 + c], shift[c], "[X₁, X₂], translation");
        assert_equal(g, bracket[3 + c], shift_of_b[c], "−B̃, translation");
        let half = g.scale(shift[c], &polhode_expr::number::ratio(1, 2));
        assert_differs(g, bracket[3 + c], half, "[X₁, X₂] without the factor 2");
    }
    assert_equal(g, bracket[2], spin, "−B̃, rotation");
}

/// §3, the reduced Lagrangian, (1) and (2).
#[test]
fn eq_1_2_reduced_lagrangian() {
    let formulas = [
        ("ell", "I1/2*norm2(zd) + I3/2*v0^2 + M/2*norm2(v1 + cross(cross(z, zd), r*e3))"),
        ("in letters", "I1/2*norm2(zd) + I3/2*V0^2 + M/2*norm2([V1, V2, 0] + cross(cross(z, zd), r*e3))"),
        ("(2)", "[I3*V0, M*(V1 + cross(cross(z, zd), r*e3)[1]), M*(V2 + cross(cross(z, zd), r*e3)[2])] = 0"),
    ];
    let mut paper = sphere(&["V0", "V1", "V2"], &formulas);
    let (ell, lagrangian) = (paper.value("ell"), paper.system.lagrangian);
    paper.same(Where::Everywhere, "ℓ = L", ell, lagrangian);
    let reduced = paper.value("in letters");
    for (letter, expected) in ["V0", "V1", "V2"].into_iter().zip(paper.left("(2)")) {
        let symbol = paper.symbol(letter);
        let slope = paper.system.graph.derivative(reduced, symbol);
        paper.same(Where::Everywhere, "(1), (2)", slope, expected);
    }
}

/// §3, the vertical equation in its five forms, on the motion derived in every form.
#[test]
fn section_3_vertical_equation() {
    let forms = [
        ("covariant", "I3*v0d + dot(dt(M*(v0*cross(z, r*e3) + cross(cross(z, zd), r*e3))), cross(z, r*e3)) = 0"),
        ("ω", "I3*v0d + M*dot(cross(wd, r*e3), cross(z, r*e3)) = 0"),
        ("ẍ", "I3*v0d + M*dot(xdd, cross(z, r*e3)) = 0"),
        ("moment", "I3*v0d = dot(z, cross(M*xdd, r*e3))"),
        ("dimensionless", "alpha*v0d = beta*dot(cross(ydd, e3), z)"),
        ("ẍ and ω", "xdd = cross(wd, r*e3)"),
        ("ÿ", "ydd = cross(v0d*z + v0*zd + cross(z, zdd), e3)"),
    ];
    let mut paper = sphere(&[], &[&forms[..], &[("opposite", "I3*v0d = -dot(z, cross(M*xdd, r*e3))")]].concat());
    for form in [Form::Multipliers, Form::Voronets, Form::Hamel] {
        paper.derive(form);
        all_hold(&mut paper, Where::OnMotion, &forms);
        paper.fails(Where::OnMotion, "opposite");
    }
}

/// §3, the horizontal equation: ∂ℓ_v/∂z, ∂ℓ_v/∂ż, both sides as covectors on T_z S², and the result.
#[test]
fn section_3_horizontal_equation() {
    let letters = ["Z1", "Z2", "Z3", "D1", "D2", "D3", "d1", "d2", "d3", "V0", "V1", "V2"];
    let formulas = [
        ("ell_v", "I3/2*V0^2 + M/2*norm2([V1, V2, 0] + cross(cross([Z1, Z2, Z3], [D1, D2, D3]), r*e3))"),
        (
            "along z",
            "M*dot([V1, V2, 0] + cross(cross([Z1, Z2, Z3], [D1, D2, D3]), r*e3), cross(cross([d1, d2, d3], [D1, D2, D3]), r*e3))",
        ),
        (
            "along ż",
            "M*dot([V1, V2, 0] + cross(cross([Z1, Z2, Z3], [D1, D2, D3]), r*e3), cross(cross([Z1, Z2, Z3], [d1, d2, d3]), r*e3))",
        ),
        ("z", "z = 0"),
        ("zd", "zd = 0"),
        ("v", "v0*cross(z, r*e3) = 0"),
        ("tangents", "[t1, t2] = 0"),
        ("short, z", "dot([d1, d2, d3], cross(zd, cross(r*e3, M*xd)))"),
        ("short, ż", "dot([d1, d2, d3], cross(cross(r*e3, M*xd), z))"),
        ("left", "dot([d1, d2, d3], 2*M*r^2*cross(zd, cross(e3, cross(w, e3))) + cross(z, cross(r*e3, M*xdd)))"),
        (
            "right",
            "-I3*v0*dot(cross(zd, [d1, d2, d3]), z) - 2*M*dot(v1 + cross(cross(z, zd), r*e3), cross(cross(zd, [d1, d2, d3]), r*e3))",
        ),
        ("inertial", "-I1*dot([d1, d2, d3], nabla)"),
        ("horizontal", "I1*nabla = I3*v0*cross(z, zd) + M*r*cross(cross(xdd, e3), z)"),
        ("dimensionless", "nabla = alpha*v0*cross(z, zd) + beta*cross(cross(ydd, e3), z)"),
        ("projected", "cross(z, zdd) = cross(z, nabla)"),
        ("opposite", "I1*nabla = -I3*v0*cross(z, zd) + M*r*cross(cross(xdd, e3), z)"),
    ];
    let mut paper = sphere(&letters, &formulas);
    paper.derive(Form::Voronets);
    let symbols = |paper: &Paper, names: [&str; 3]| names.map(|n| paper.symbol(n));
    let (z, zd, d) =
        (symbols(&paper, ["Z1", "Z2", "Z3"]), symbols(&paper, ["D1", "D2", "D3"]), symbols(&paper, ["d1", "d2", "d3"]));
    let ell = paper.value("ell_v");
    let along = |paper: &mut Paper, x: [Symbol; 3]| {
        let g = &mut paper.system.graph;
        let rates: Rates = x.into_iter().zip(d).map(|(x, d)| (x, g.var(d))).collect();
        g.along(ell, &rates)
    };
    let (by_z, by_zd) = (along(&mut paper, z), along(&mut paper, zd));
    let (expected_z, expected_zd) = (paper.value("along z"), paper.value("along ż"));
    paper.same(Where::Everywhere, "∂ℓ_v/∂z", by_z, expected_z);
    paper.same(Where::Everywhere, "∂ℓ_v/∂ż", by_zd, expected_zd);

    // Along the motion: z, ż and v̄ ∈ 𝔰̃ take their values.
    let values = [paper.left("z"), paper.left("zd"), paper.left("v")];
    for i in 0..3 {
        paper.set(["Z1", "Z2", "Z3"][i], values[0][i]);
        paper.set(["D1", "D2", "D3"][i], values[1][i]);
    }
    paper.set("V1", values[2][0]);
    paper.set("V2", values[2][1]);
    let (short_z, short_zd) = (paper.value("short, z"), paper.value("short, ż"));
    paper.same(Where::OnConstraints, "∂ℓ_v/∂z · δz", by_z, short_z);
    paper.same(Where::OnConstraints, "∂ℓ_v/∂ż · δż", by_zd, short_zd);

    let slopes = |paper: &mut Paper, x: [Symbol; 3]| x.map(|x| paper.system.graph.derivative(ell, x));
    let (pushes, momenta) = (slopes(&mut paper, z), slopes(&mut paper, zd));
    let rates = momenta.map(|p| {
        let p = paper.at(Where::OnConstraints, p);
        paper.rate_on_motion(p)
    });
    let tangents = paper.left("tangents");
    let (left, right, inertial) = (paper.value("left"), paper.value("right"), paper.value("inertial"));
    for t in tangents.chunks(3) {
        for i in 0..3 {
            paper.set(["d1", "d2", "d3"][i], t[i]);
        }
        let g = &mut paper.system.graph;
        let parts: Vec<Expr> = (0..3)
            .map(|i| {
                let covector = g.sub(pushes[i], rates[i]);
                g.mul(covector, t[i])
            })
            .collect();
        let sum = g.sum(parts);
        paper.same(Where::OnMotion, "left side", sum, left);
        let whole = paper.system.graph.add(inertial, left);
        paper.same(Where::OnMotion, "horizontal equation along δz", whole, right);
    }
    for form in [Form::Multipliers, Form::Voronets, Form::Hamel] {
        paper.derive(form);
        for label in ["horizontal", "dimensionless", "projected"] {
            paper.holds(Where::OnMotion, label);
        }
        paper.fails(Where::OnMotion, "opposite");
    }
}

/// §3, the system in (z, ż, v₀) that sums up the paper, and its explicit form: Δ v̇₀ = −(α−1) β v₀ z₃ ż₃ and
/// Λ ω̇ = −(α−1) v₀ ż.
#[test]
fn section_3_reduced_system() {
    let formulas = [
        ("vertical", "alpha*v0d = beta*dot(cross(ydd, e3), z)"),
        ("horizontal", "nabla = alpha*v0*cross(z, zd) + beta*cross(cross(ydd, e3), z)"),
        ("ω", "omega = v0*z + cross(z, zd)"),
        ("ẏ", "xd/r = cross(omega, e3)"),
        ("v̇₀", "v0d = -(alpha - 1)*beta*v0*z[3]*zd[3]/Delta"),
        ("Λω̇", "Lambda*dt(omega) = -(alpha - 1)*v0*zd"),
        (
            "ω̇",
            "(1 + beta)*dt(omega) = -(alpha - 1)*v0*zd - (alpha - 1)*v0d*z \
             + beta*(-(alpha - 1)*v0*zd[3] - (alpha - 1)*z[3]*v0d)*e3",
        ),
        ("z̈", "zdd = cross(dt(omega), z) + cross(omega, zd)"),
        ("components of ẏ", "[x', y'] = r*[omega[2], -omega[1]]"),
    ];
    let mut paper =
        sphere(&[], &[&formulas[..], &[("wrong sign", "v0d = (alpha - 1)*beta*v0*z[3]*zd[3]/Delta")]].concat());
    for form in [Form::Multipliers, Form::Voronets, Form::Hamel] {
        paper.derive(form);
        all_hold(&mut paper, Where::OnMotion, &formulas);
        paper.fails(Where::OnMotion, "wrong sign");
    }
}

/// §3, ℓ is preserved; and the integrals the paper does not mention: K = Λω in space, J = v₀ √Δ, with their relations.
#[test]
fn section_3_integrals() {
    let constant = [
        ("ℓ", "dt(I1/2*norm2(zd) + I3/2*v0^2 + M/2*norm2(v1 + cross(cross(z, zd), r*e3))) = 0"),
        ("K", "dt(K) = 0"),
        ("J²", "dt(v0^2*Delta) = 0"),
    ];
    let relations = [
        ("energy", "2*E*(1 + beta) = norm2(K) + beta*K[3]^2 - (alpha - 1)*v0^2*Delta"),
        ("v₀Δ", "v0*Delta = dot(K, z) + beta*z[3]*K[3]"),
        ("first order", "zd = cross(inverse(Lambda)*K, z)"),
    ];
    let other = [
        ("J", "dt(v0*sqrt(Delta))"),
        ("body", "dt(transpose(R)*K) = 0"),
        ("v₀", "v0d = 0"),
        ("Kz", "I1*dot(K, z)"),
        ("E", "I1*E"),
    ];
    let mut paper = sphere(&[], &[&constant[..], &relations[..], &other[..]].concat());
    let equations = paper.derive(Form::Voronets);
    all_hold(&mut paper, Where::OnMotion, &constant);
    all_hold(&mut paper, Where::OnConstraints, &relations);
    paper.fails(Where::OnMotion, "body");
    paper.fails(Where::OnMotion, "v₀");
    // With the root itself, which is an algebraic element.
    let rate = paper.value("J");
    let (rate, zero) = (paper.at(Where::OnMotion, rate), paper.system.graph.zero());
    let verdict = paper.system.graph.equal(rate, zero);
    assert!(matches!(verdict, Verdict::Equal(Evidence::PrimeField { .. })), "J: {verdict:?}");
    // The energy is quadratic in v₀ with slope ⟨K, z⟩: where that vanishes, v₀ does not follow from ℓ = const.
    let (theta, spin) = (equations.named[0].value, paper.symbol("Omega[3]"));
    let (slope, expected, energy) = (paper.system.graph.derivative(theta, spin), paper.value("Kz"), paper.value("E"));
    paper.same(Where::OnConstraints, "∂E/∂v₀", slope, expected);
    paper.same(Where::OnConstraints, "E", theta, energy);
}

/// §2 against §3: the chosen connection is not the nonholonomic connection of the kinetic metric, ⟨𝒮, ℋ⟩ = −M r² z₃ (z × ż)₃.
#[test]
fn section_3_connection_is_not_metric() {
    let mut paper = sphere(&[], &[("pairing", "-M*r^2*z[3]*cross(z, zd)[3]")]);
    let equations = paper.derive(Form::Voronets);
    let omega: Vec<Symbol> = (1..=3).map(|i| paper.symbol(&format!("Omega[{i}]"))).collect();
    let theta = equations.named[0].value;
    let g = &mut paper.system.graph;
    let momentum = g.derivative(theta, omega[2]);
    let parts: Vec<Expr> = omega[..2]
        .iter()
        .map(|s| {
            let (entry, speed) = (g.derivative(momentum, *s), g.var(*s));
            g.mul(entry, speed)
        })
        .collect();
    let (sum, zero) = (g.sum(parts), g.zero());
    let expected = paper.value("pairing");
    paper.same(Where::OnConstraints, "⟨𝒮, ℋ⟩", sum, expected);
    paper.differ(Where::OnConstraints, "⟨𝒮, ℋ⟩ = 0", sum, zero);
}
