//! Cushman, Kemppainen, Śniatycki and Bates 1995 [CushmanEtAl1995]: the theory of §§1–5 on the disk of §6,
//! and §6 itself.
//!
//! The constraints are written as the paper's f₁ and f₂, so that the multipliers are those of its (9). Its (x, y)
//! is the centre of the disk, and v_θ is `theta'`. Misprints are tested under "… as printed".

use crate::disc;
use crate::papers;

use crate::prelude::*;
use disc::{ANGLES, STATES, disc};
use papers::{Paper, Where, builtin};
use polhode_expr::{Matrix, Rates, ZeroTest, determinant, eliminate, solve_ldl};
use polhode_mechanics::{Equations, FrameEquation, Leg};

#[test]
fn the_built_in_disk_is_the_one_of_section_6() {
    let formulas = [
        ("f1", "x'*cos(phi) + y'*sin(phi) - r*theta'*sin(theta) = 0"),
        ("f2", "-x'*sin(phi) + y'*cos(phi) + r*phi'*cos(theta) + r*psi' = 0"),
        (
            "L",
            "1/2*m*(x'^2 + y'^2 + r^2*theta'^2*cos(theta)^2) + 1/2*A*(theta'^2 + phi'^2*sin(theta)^2) \
               + 1/2*C*(psi' + phi'*cos(theta))^2 - m*g*r*sin(theta)",
        ),
    ];
    let mut p = Paper::new(builtin("rolling-disk-centre"), &[], &[], &formulas);
    p.holds(Where::OnConstraints, "f1");
    p.holds(Where::OnConstraints, "f2");
    let (lagrangian, paper) = (p.system.lagrangian, p.value("L"));
    p.same(Where::Everywhere, "L", lagrangian, paper);
    assert_eq!((p.system.degrees_of_freedom(), p.system.configuration.dimension()), (3, 5));

    // It is the disk of Cendra and Díaz about its centre, a quarter turn behind in φ: φ_A = φ + π/2, so that
    // x = x₁ − r cos θ cos φ, y = x₂ − r cos θ sin φ, and the contact point moves along (sin φ, −cos φ).
    let rolling =
        [("contact", "dt([x + r*cos(theta)*cos(phi), y + r*cos(theta)*sin(phi)]) = r*psi'*[sin(phi), -cos(phi)]")];
    let mut p = disc(&[], &rolling);
    p.holds(Where::OnConstraints, "contact");
}

/// (9) with (6)–(8), (10): d/dt ∂L/∂v − ∂L/∂q = λᵃ φ_a, with the one-forms of §6.
#[test]
fn eq_9_multipliers() {
    let mut p = disc(&["l1", "l2"], &[STATES, EQUATION_9].concat());
    for form in Form::ALL {
        let equations = p.derive(form);
        set_multipliers(&mut p, &equations);
        for label in ["(9)", "constraint"] {
            p.holds(Where::OnMotion, label);
        }
        for i in ["1", "2"] {
            for what in ["accelerations", "multipliers", "velocities"] {
                p.agrees_at(&format!("state {i}"), &format!("{what} {i}"), 36);
            }
        }
    }
}

/// (9) for θ, φ, ψ, x, y, written out, and 40-digit values at the two states.
const EQUATION_9: &[(&str, &str)] = &[
    (
        "(9)",
        "[(A + m*r^2*cos(theta)^2)*theta'' - m*r^2*theta'^2*sin(theta)*cos(theta) - A*phi'^2*sin(theta)*cos(theta) \
           + C*(psi' + phi'*cos(theta))*phi'*sin(theta) + m*g*r*cos(theta), \
          dt(A*phi'*sin(theta)^2 + C*(psi' + phi'*cos(theta))*cos(theta)), C*dt(psi' + phi'*cos(theta)), m*x'', m*y''] \
         = l1*[-r*sin(theta), 0, 0, cos(phi), sin(phi)] + l2*[0, r*cos(theta), r, -sin(phi), cos(phi)]",
    ),
    (
        "constraint",
        "[x', y'] = [r*sin(theta)*cos(phi)*theta' + r*cos(theta)*sin(phi)*phi' + r*sin(phi)*psi', \
                     r*sin(theta)*sin(phi)*theta' - r*cos(theta)*cos(phi)*phi' - r*cos(phi)*psi']",
    ),
    (
        "accelerations 1",
        "[x'', y'', theta'', phi'', psi''] = [0.03275334776027597498725451927268332322698, \
           -2.206070873736714728717245980007040221935, \
          7.343108432216011193694018885465441087202, -0.06847722074966666078851471459732936652177, \
          3.363250592665549088695467672316621601349]",
    ),
    (
        "accelerations 2",
        "[x'', y'', theta'', phi'', psi''] = [-1.571819260349338717226506879404687079030, \
           -5.662972067656186124328495102060512906421, \
          -10.49678912208474816348852719537498075309, -12.25031829793364376057013104892713462351, \
          6.849731215999934541426093304584412249047]",
    ),
    (
        "multipliers 1",
        "[l1, l2] = [4.360372885186106743931614330301249457204, 0.6770777127403450665143872271248122787926]",
    ),
    (
        "multipliers 2",
        "[l1, l2] = [5.758105935343778610718243399065644965269, -1.176471191155172562851120438174928962430]",
    ),
    (
        "velocities 1",
        "[x', y'] = [-0.3908437262320508589068437775466157320578, 0.4417560679462349511331089777576268351103]",
    ),
    (
        "velocities 2",
        "[x', y'] = [3.494247676081905705690204206572502040705, -1.285824527548461435043970088800958597624]",
    ),
];

fn set_multipliers(p: &mut Paper, equations: &Equations) {
    let configuration = p.system.configuration.clone();
    let values: Vec<Expr> = equations.reactions.iter().map(|r| r.value).collect();
    let values = equations.in_velocities(&mut p.system.graph, &configuration, &values);
    for (letter, value) in ["l1", "l2"].into_iter().zip(values) {
        p.set(letter, value);
    }
}

/// (4), (5): ⟨φ_a, D²q/dt²⟩ = −⟨df_a, hor d²q/dt²⟩, which is not 0.
#[test]
fn eq_4_is_not_zero() {
    let formulas = [
        (
            "kinetic energy",
            "1/2*m*(x'^2 + y'^2 + r^2*theta'^2*cos(theta)^2) + 1/2*A*(theta'^2 + phi'^2*sin(theta)^2) \
               + 1/2*C*(psi' + phi'*cos(theta))^2",
        ),
        (
            "f",
            "[x'*cos(phi) + y'*sin(phi) - r*theta'*sin(theta), -x'*sin(phi) + y'*cos(phi) + r*phi'*cos(theta) \
               + r*psi']",
        ),
        (
            "value 1",
            "[l1, l2] = [-0.7783281705766674615929146529989785883868, 1.015616569110517599771580840687218418189]",
        ),
        (
            "value 2",
            "[l1, l2] = [10.71744930612239639432166134118562891718, -2.352942382310345125702240876349857924860]",
        ),
    ];
    let mut p = disc(&["l1", "l2"], &[STATES, &formulas].concat());
    p.derive(Form::Multipliers);
    let (energy, f) = (p.value("kinetic energy"), p.right("f"));
    let q = p.system.configuration.positions().to_vec();
    let v = p.system.configuration.velocities().to_vec();
    // D²q/dt² = q̈ + Γ(q̇, q̇) solves g · D²q/dt² = d/dt ∂T/∂v − ∂T/∂q.
    let momenta: Vec<Expr> = v.iter().map(|s| p.system.graph.derivative(energy, *s)).collect();
    let metric = Matrix::from_fn(5, 5, |i, j| p.system.graph.derivative(momenta[i], v[j]));
    let covector: Vec<Expr> = (0..5)
        .map(|i| {
            let rate = p.rate(momenta[i]);
            let slope = p.system.graph.derivative(energy, q[i]);
            p.system.graph.sub(rate, slope)
        })
        .collect();
    let rhs = Matrix::from_fn(5, 1, |i, _| covector[i]);
    let acceleration = solve_ldl(&mut p.system.graph, &metric, &rhs).col(0);
    let zero = p.system.graph.zero();
    for (a, letter) in ["l1", "l2"].into_iter().enumerate() {
        let graph = &mut p.system.graph;
        let forms: Vec<Expr> = v.iter().map(|s| graph.derivative(f[a], *s)).collect();
        let parts: Vec<Expr> = forms.iter().zip(&acceleration).map(|(c, x)| graph.mul(*c, *x)).collect();
        let left = graph.sum(parts);
        // The horizontal part of d²q/dt² is (q̇, −Γ(q̇, q̇)): the rate of f_a for D²q/dt² = 0.
        let still: Rates = v.iter().map(|s| (graph.symbol(&format!("{}'", graph.name(*s))), zero)).collect();
        let christoffel = graph.substitute_all(&acceleration, &still);
        let mut rates: Rates = q.iter().zip(&v).map(|(q, v)| (*q, graph.var(*v))).collect();
        rates.extend(v.iter().zip(&christoffel).map(|(v, c)| (*v, graph.neg(*c))));
        let horizontal = graph.along(f[a], &rates);
        let right = graph.neg(horizontal);
        p.same(Where::OnMotion, "(4)", left, right);
        p.differ(Where::OnMotion, "(4), = 0 as printed", left, zero);
        p.set(letter, left);
    }
    // A letter stands for an expression with accelerations here, so it is put on the motion first.
    for letter in ["l1", "l2"] {
        let value = p.var(letter);
        let value = p.at(Where::OnMotion, value);
        p.set(letter, value);
    }
    p.agrees_at("state 1", "value 1", 36);
    p.agrees_at("state 2", "value 2", 36);
}

/// (11)–(13): ξ ⌟ ω = dE − λᵃ φ_a on TQ, with ω = dq ∧ d(∂L/∂v), E = v ∂L/∂v − L and the λ of (9).
/// (13) is printed with +λᵃ.
#[test]
fn eq_13_has_the_other_sign() {
    let formulas = [
        (
            "(12)",
            "1/2*m*(x'^2 + y'^2 + r^2*theta'^2*cos(theta)^2) + 1/2*A*(theta'^2 + phi'^2*sin(theta)^2) \
               + 1/2*C*(psi' + phi'*cos(theta))^2 + m*g*r*sin(theta)",
        ),
        ("reaction", "l1*[-r*sin(theta), 0, 0, cos(phi), sin(phi)] + l2*[0, r*cos(theta), r, -sin(phi), cos(phi)]"),
    ];
    let mut p = disc(&["l1", "l2"], &formulas);
    let equations = p.derive(Form::Multipliers);
    set_multipliers(&mut p, &equations);
    let q = p.system.configuration.positions().to_vec();
    let v = p.system.configuration.velocities().to_vec();
    let n = q.len();
    let momenta: Vec<Expr> = equations.balance.iter().map(|b| b.momentum).collect();
    let graph = &mut p.system.graph;
    let parts: Vec<Expr> = (0..n)
        .map(|i| {
            let v = graph.var(v[i]);
            graph.mul(v, momenta[i])
        })
        .collect();
    let action = graph.sum(parts);
    let energy = graph.sub(action, p.system.lagrangian);
    let want = p.value("(12)");
    p.same(Where::Everywhere, "(12)", energy, want);
    let (reaction, zero) = (p.right("reaction"), p.system.graph.zero());
    for b in 0..n {
        // (ξ ⌟ ω)(∂_q) = v^A ∂p_A/∂q − ξ(p), (ξ ⌟ ω)(∂_v) = v^A ∂p_A/∂v
        let components = [q[b], v[b]].map(|s| {
            let graph = &mut p.system.graph;
            let parts: Vec<Expr> = (0..n)
                .map(|a| {
                    let slope = graph.derivative(momenta[a], s);
                    let v = graph.var(v[a]);
                    graph.mul(v, slope)
                })
                .collect();
            let contraction = graph.sum(parts);
            let slope = graph.derivative(energy, s);
            graph.sub(contraction, slope)
        });
        let rate = p.rate(momenta[b]);
        let along_q = p.system.graph.sub(components[0], rate);
        p.same(Where::OnMotion, "(13) along ∂_v", components[1], zero);
        let minus = p.system.graph.neg(reaction[b]);
        p.same(Where::OnMotion, "(13) along ∂_q", along_q, minus);
        p.differ(Where::OnMotion, "(13) as printed", along_q, reaction[b]);
    }
}

/// The fields ζ_θ, ζ_φ, ζ_ψ that span H with ∂_{v_θ}, ∂_{v_φ}, ∂_{v_ψ}, and their brackets.
#[test]
fn section_6_distribution_h() {
    let mut p = disc(
        &[],
        &[
            ("theta", "[1, 0, 0, r*sin(theta)*cos(phi), r*sin(theta)*sin(phi)]"),
            ("phi", "[0, 1, 0, r*cos(theta)*sin(phi), -r*cos(theta)*cos(phi)]"),
            ("psi", "[0, 0, 1, r*sin(phi), -r*cos(phi)]"),
            ("phi, psi", "[0, 0, 0, r*cos(phi), r*sin(phi)]"),
            ("phi_1", "[-r*sin(theta), 0, 0, cos(phi), sin(phi)]"),
            ("phi_2", "[0, r*cos(theta), r, -sin(phi), cos(phi)]"),
        ],
    );
    for (c, label) in ["phi_1", "phi_2"].into_iter().enumerate() {
        let row = p.system.constraint_row(c).a.clone();
        for (a, b) in row.into_iter().zip(p.right(label)) {
            p.same(Where::Everywhere, label, a, b);
        }
    }
    // Hamel's frame and Voronets' frame both have these fields.
    let frames = [p.system.hamel_frame().expect("regular"), p.system.voronets_frame()];
    for frame in &frames {
        for (i, label) in ANGLES.into_iter().enumerate() {
            for (a, b) in frame.e.col(i).into_iter().zip(p.right(label)) {
                p.same(Where::Everywhere, &format!("ζ_{label}"), a, b);
            }
        }
        let (configuration, time) = (p.system.configuration.clone(), p.system.time);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let graph = &mut p.system.graph;
            let c = frame.bracket(graph, &configuration, time, Leg::Field(i), Leg::Field(j));
            let bracket = frame.e.mul_vec(graph, &c);
            let want = if (i, j) == (1, 2) { p.right("phi, psi") } else { vec![p.system.graph.zero(); 5] };
            for (a, b) in bracket.into_iter().zip(want) {
                p.same(Where::Everywhere, "brackets of H", a, b);
            }
        }
    }
    // H is not integrable, and its brackets reach everything: ζ_θ, ζ_φ, ζ_ψ, [ζ_φ, ζ_ψ], [ζ_φ, [ζ_φ, ζ_ψ]] are a frame.
    let mut fields: Vec<Vec<Expr>> = ["theta", "phi", "psi", "phi, psi"].iter().map(|l| p.right(l)).collect();
    let graph = &mut p.system.graph;
    let along = |graph: &mut Graph, p: &[Symbol], field: &[Expr], e: &[Expr]| {
        let rates: Rates = p.iter().copied().zip(field.iter().copied()).collect();
        graph.along_all(e, &rates)
    };
    let q = p.system.configuration.positions();
    let (plus, minus) = (along(graph, q, &fields[1], &fields[3]), along(graph, q, &fields[3], &fields[1]));
    let second = plus.into_iter().zip(minus).map(|(a, b)| graph.sub(a, b)).collect();
    fields.push(second);
    let volume = determinant(graph, &Matrix::from_rows(fields));
    let zero = graph.zero();
    p.differ(Where::Everywhere, "the brackets of H span TQ", volume, zero);
}

/// ω on H in the basis ζ_θ, ζ_φ, ζ_ψ, ∂_{v_θ}, ∂_{v_φ}, ∂_{v_ψ}, from ω = dq^A ∧ dp_A on M.
fn omega_h(p: &mut Paper) -> Matrix {
    let balance = p.derive(Form::Multipliers).balance;
    let frame = p.system.voronets_frame();
    let momenta: Vec<Expr> = balance.iter().map(|b| p.at(Where::OnConstraints, b.momentum)).collect();
    let vectors = basis_of_h(p);
    let zero = p.system.graph.zero();
    let base = |i: usize| if i < 3 { frame.e.col(i) } else { vec![zero; 5] };
    let graph = &mut p.system.graph;
    let slopes: Vec<Vec<Expr>> = vectors.iter().map(|r| graph.along_all(&momenta, r)).collect();
    // ω(X, Y) = X^A Y(p_A) − Y^A X(p_A)
    let mut pair = |x: Vec<Expr>, dp: &[Expr]| {
        let parts: Vec<Expr> = x.into_iter().zip(dp).map(|(x, d)| graph.mul(x, *d)).collect();
        graph.sum(parts)
    };
    let first = Matrix::from_fn(6, 6, |i, j| pair(base(i), &slopes[j]));
    Matrix::from_fn(6, 6, |i, j| graph.sub(first[(i, j)], first[(j, i)]))
}

/// The basis of H as derivations of functions of (q, v_θ, v_φ, v_ψ) on M.
fn basis_of_h(p: &mut Paper) -> Vec<Rates> {
    let frame = p.system.voronets_frame();
    let (configuration, time) = (p.system.configuration.clone(), p.system.time);
    let mut out: Vec<Rates> =
        (0..3).map(|i| frame.rates(&mut p.system.graph, &configuration, time, Leg::Field(i))).collect();
    out.extend(frame.xi.iter().map(|s| Rates::from_iter([(*s, p.system.graph.one())])));
    out
}

/// df on the basis of H, for a function on P.
fn differential(p: &mut Paper, f: Expr) -> Vec<Expr> {
    let f = p.at(Where::OnConstraints, f);
    let basis = basis_of_h(p);
    basis.iter().map(|r| p.system.graph.along(f, r)).collect()
}

/// The components of ξ on the basis of H: v and v̇.
fn motion(p: &mut Paper) -> Vec<Expr> {
    let names = ["theta'", "phi'", "psi'", "theta''", "phi''", "psi''"];
    names
        .into_iter()
        .map(|n| {
            let e = p.system.graph.named(n);
            p.at(Where::OnMotion, e)
        })
        .collect()
}

/// X with X ⌟ ω_H = df: the component ξ_f^H of (19).
fn hamiltonian_field(p: &mut Paper, omega: &Matrix, f: Expr) -> Vec<Expr> {
    let df = differential(p, f);
    let graph = &mut p.system.graph;
    let rhs = Matrix::from_fn(6, 1, |j, _| df[j]);
    let mut zero = ZeroTest::new(graph);
    let solved = eliminate(graph, &mut zero, &omega.transpose(), &rhs, |g, _, e| g.reachable(&[e]).len());
    assert_eq!(solved.rows.len(), 6);
    let mut out = vec![graph.zero(); 6];
    for (i, j) in solved.pivots.iter().enumerate() {
        out[*j] = solved.solution[(i, 0)];
    }
    out
}

fn pairing(p: &mut Paper, a: &[Expr], b: &[Expr]) -> Expr {
    let parts: Vec<Expr> = a.iter().zip(b).map(|(a, b)| p.system.graph.mul(*a, *b)).collect();
    p.system.graph.sum(parts)
}

/// The functions of Theorems 1, 2 and 5, and their values at the two states.
const THEOREMS: &[(&str, &str)] = &[
    (
        "E",
        "1/2*m*(x'^2 + y'^2 + r^2*theta'^2*cos(theta)^2) + 1/2*A*(theta'^2 + phi'^2*sin(theta)^2) + 1/2*C*(psi' \
           + phi'*cos(theta))^2 + m*g*r*sin(theta)",
    ),
    ("determinant", "((A + m*r^2)*(C + m*r^2)*A*sin(theta)^2)^2"),
    ("J", "m*r^2*theta'*sin(theta)"),
    ("f", "x*theta' + y^2*psi' + sin(phi)*x'*phi' + theta*psi*y' + theta'^2*psi' + cos(psi)*x"),
    ("determinant 1", "value = 0.002753075419052090626735679102935422271033"),
    ("determinant 2", "value = 0.1791305445601326650043607193939214105109"),
    ("J 1", "value = -0.3832515355134028678383323927121578936562"),
    ("J 2", "value = 1.041124947924931471549664104579583152593"),
    ("f 1", "value = 0.5524339244883525674415024960833906879061"),
    ("f 2", "value = 155.4125942109274622675312579764718363447"),
];

/// Theorem 1 with (16), (17): ω_H is nondegenerate and ξ ⌟ ω_H = d_H E.
#[test]
fn theorem_1_eq_16_eq_17() {
    let mut p = disc(&["value"], &[STATES, THEOREMS].concat());
    let omega = omega_h(&mut p);
    let volume = determinant(&mut p.system.graph, &omega);
    let want = p.value("determinant");
    p.same(Where::OnConstraints, "det ω_H", volume, want);
    // ω_H = dθ ∧ dρ_θ + dφ ∧ dρ_φ + dψ ∧ dρ_ψ + J dφ ∧ dψ with the momenta ρ along H; its block ω_H(ζ, ∂_v)
    // is the mass matrix of the frame equation.
    let frame = p.system.voronets_frame();
    let h = FrameEquation::new(&mut p.system, frame);
    let (basis, j, zero) = (basis_of_h(&mut p), p.value("J"), p.system.graph.zero());
    for a in 0..3 {
        for b in 0..3 {
            let graph = &mut p.system.graph;
            let (plus, minus) = (graph.along(h.momenta[a], &basis[b]), graph.along(h.momenta[b], &basis[a]));
            let exact = graph.sub(plus, minus);
            let extra = match (a, b) {
                (1, 2) => j,
                (2, 1) => graph.neg(j),
                _ => zero,
            };
            let want = graph.add(exact, extra);
            p.same(Where::OnConstraints, "ω_H(ζ, ζ)", omega[(a, b)], want);
            p.same(Where::OnConstraints, "ω_H(ζ, ∂_v)", omega[(a, 3 + b)], h.mass[(a, b)]);
            p.same(Where::OnConstraints, "ω_H(∂_v, ∂_v)", omega[(3 + a, 3 + b)], zero);
        }
    }
    p.same(Where::OnConstraints, "J = ω_H(ζ_φ, ζ_ψ)", omega[(1, 2)], j);
    let energy = p.value("E");
    let de = differential(&mut p, energy);
    for form in Form::ALL {
        p.derive(form);
        let xi = motion(&mut p);
        for b in 0..6 {
            let left = pairing(&mut p, &xi, &omega.col(b));
            p.same(Where::OnMotion, "(17)", left, de[b]);
        }
    }
    for (label, value) in [("determinant", volume), ("J", omega[(1, 2)])] {
        p.set("value", value);
        p.agrees_at("state 1", &format!("{label} 1"), 36);
        p.agrees_at("state 2", &format!("{label} 2"), 36);
    }
}

/// Theorem 2 with (18)–(20): ξ(f) = −dE(ξ_f^H) for every f, here one without any symmetry.
#[test]
fn theorem_2_eq_20() {
    let mut p = disc(&["value"], &[STATES, THEOREMS].concat());
    let omega = omega_h(&mut p);
    p.derive(Form::Voronets);
    let (f, energy) = (p.value("f"), p.value("E"));
    let field = hamiltonian_field(&mut p, &omega, f);
    let de = differential(&mut p, energy);
    let slope = pairing(&mut p, &de, &field);
    let minus = p.system.graph.neg(slope);
    let rate = p.rate_on_motion(f);
    p.same(Where::OnMotion, "ξ(f) = −dE(ξ_f^H)", rate, minus);
    p.set("value", rate);
    p.agrees_at("state 1", "f 1", 34);
    p.agrees_at("state 2", "f 2", 34);
    // (20) itself: the energy is conserved, as ξ_E^H = ξ preserves it.
    let field = hamiltonian_field(&mut p, &omega, energy);
    for (a, b) in field.into_iter().zip(motion(&mut p)) {
        p.same(Where::OnMotion, "ξ_E^H is ξ", a, b);
    }
    let rate = p.rate_on_motion(energy);
    let zero = p.system.graph.zero();
    p.same(Where::OnMotion, "energy", rate, zero);
}

/// (21), Theorem 3.1 and, for G = SO(2) × R², (33), (34) with Theorem 5. K is spanned by ζ_ψ and η = −ξ_ψ^H
/// completes it to a symplectic basis of C, so ψ̇ = ⟨dE, η⟩.
#[test]
fn theorem_3_and_theorem_5_eq_34() {
    let mut p = disc(&["value"], THEOREMS);
    let omega = omega_h(&mut p);
    p.derive(Form::Hamel);
    let xi = motion(&mut p);
    let (zero, one) = (p.system.graph.zero(), p.system.graph.one());
    for vertical in [1, 2] {
        let value = pairing(&mut p, &xi, &omega.col(vertical));
        p.same(Where::OnMotion, "ξ lies in U", value, zero);
    }
    let psi = p.var("psi");
    let field = hamiltonian_field(&mut p, &omega, psi);
    let eta: Vec<Expr> = field.into_iter().map(|e| p.system.graph.neg(e)).collect();
    let value = pairing(&mut p, omega.row(2), &eta);
    p.same(Where::OnConstraints, "ω_H(ζ_ψ, η) = 1", value, one);
    let energy = p.value("E");
    let de = differential(&mut p, energy);
    let (speed, rate) = (pairing(&mut p, &de, &eta), p.var("psi'"));
    p.same(Where::OnConstraints, "(34)", speed, rate);
    // For the larger group of §6, K = U ∩ V = 0 needs ω_H(ζ_φ, ζ_ψ) ≠ 0: it fails where v_θ = 0.
    let theta = p.symbol("theta'");
    let still = p.system.graph.substitute(omega[(1, 2)], &Rates::from_iter([(theta, zero)]));
    p.differ(Where::OnConstraints, "K = 0 in general", omega[(1, 2)], zero);
    p.same(Where::OnConstraints, "K ≠ 0 where v_θ = 0", still, zero);
}

/// §6 in the momenta ρ: what the letters of the reduced equations are in the Hamilton form.
fn reduced(formulas: &[(&str, &str)]) -> (Paper, Equations) {
    let letters = [
        "rho_theta",
        "rho_phi",
        "rho_psi",
        "d_theta",
        "d_rho_theta",
        "d_rho_phi",
        "d_rho_psi",
        "value",
        "first",
        "second",
    ];
    let mut p = disc(&letters, formulas);
    let hamilton = p.derive(Form::Hamilton);
    for (i, name) in ANGLES.into_iter().enumerate() {
        let momentum = p.system.graph.var(hamilton.unknowns[i]);
        p.set(&format!("rho_{name}"), momentum);
        p.set(&format!("d_rho_{name}"), hamilton.rates[i]);
    }
    p.set("d_theta", hamilton.velocities[0]);
    (p, hamilton)
}

#[test]
fn section_6_momenta_and_reduced_energy() {
    let (mut p, hamilton) = reduced(&[
        ("rho_theta", "(A + m*r^2)*theta'"),
        ("rho_phi", "(C + m*r^2)*(psi' + phi'*cos(theta))*cos(theta) + A*phi'*sin(theta)^2"),
        ("rho_psi", "(C + m*r^2)*(psi' + phi'*cos(theta))"),
        (
            "E",
            "rho_theta^2/(2*(A + m*r^2)) + rho_psi^2/(2*(C + m*r^2)) + (rho_phi \
               - rho_psi*cos(theta))^2/(2*A*sin(theta)^2) + m*g*r*sin(theta)",
        ),
        ("J", "m*r^2*sin(theta)*rho_theta/(A + m*r^2)"),
        ("omega, coefficient of d rho_phi d rho_psi", "-(A + m*r^2)/(m*r^2*rho_theta*sin(theta))"),
        ("phi'", "(rho_phi - rho_psi*cos(theta))/(A*sin(theta)^2)"),
        ("psi'", "rho_psi/(C + m*r^2) - (rho_phi - rho_psi*cos(theta))/(A*sin(theta)^2)*cos(theta)"),
    ]);
    for (i, name) in ANGLES.into_iter().enumerate() {
        let want = p.value(&format!("rho_{name}"));
        p.same(Where::Everywhere, &format!("ρ_{name}"), hamilton.definitions[i].1, want);
    }
    let named = |name: &str| hamilton.named.iter().find(|n| n.name == name).expect("a quantity of the form").value;
    let energy = p.value("E");
    p.same(Where::Everywhere, "Ē", named("H"), energy);
    // The one bracket {p_φ, p_ψ} = −J, with J = ω_H(ζ_φ, ζ_ψ); it is the inverse of the coefficient in ω̄.
    let brackets: Vec<&str> = hamilton.named.iter().map(|n| n.name.as_str()).filter(|n| n.starts_with('{')).collect();
    assert_eq!(brackets, ["{p_phi, p_psi}"]);
    let (bracket, j) = (named("{p_phi, p_psi}"), p.value("J"));
    let minus = p.system.graph.neg(j);
    p.same(Where::Everywhere, "{ρ_φ, ρ_ψ} = −J", bracket, minus);
    let coefficient = p.value("omega, coefficient of d rho_phi d rho_psi");
    let inverse = p.system.graph.powi(bracket, -1);
    p.same(Where::Everywhere, "ω̄", inverse, coefficient);
    // ω̄ is not closed: dω̄ has the component ∂_θ of this coefficient.
    let theta = p.symbol("theta");
    let (slope, zero) = (p.system.graph.derivative(coefficient, theta), p.system.graph.zero());
    p.differ(Where::Everywhere, "dω̄", slope, zero);
    for (i, label) in [(1, "phi'"), (2, "psi'")] {
        let want = p.value(label);
        p.same(Where::Everywhere, label, hamilton.velocities[i], want);
    }
}

#[test]
fn section_6_reduced_equations() {
    let (mut p, hamilton) = reduced(&[
        ("theta'", "d_theta = rho_theta/(A + m*r^2)"),
        (
            "rho_theta'",
            "d_rho_theta = cos(theta)/(A*sin(theta)^3)*(rho_phi - rho_psi*cos(theta))^2 \
               - 1/(A*sin(theta))*rho_psi*(rho_phi - rho_psi*cos(theta)) - m*g*r*cos(theta)",
        ),
        (
            "rho_phi'",
            "d_rho_phi = m*r^2*rho_theta/(A*(A + m*r^2))*(cot*(rho_phi - rho_psi*cos(theta)) - A/(C \
               + m*r^2)*sin(theta)*rho_psi)",
        ),
        ("rho_psi'", "d_rho_psi = m*r^2*rho_theta/(A*(A + m*r^2))*csc*(rho_phi - rho_psi*cos(theta))"),
    ]);
    for label in ["theta'", "rho_theta'", "rho_phi'", "rho_psi'"] {
        p.holds(Where::Everywhere, label);
    }
    assert_eq!(hamilton.rates.len(), 3);
}

/// d/dt of a function of q and the momenta, along Hamilton's equations.
fn rate_in_momenta(p: &mut Paper, hamilton: &Equations, e: Expr) -> Expr {
    let graph = &mut p.system.graph;
    let mut rates = p.system.configuration.rates_along(graph, &hamilton.velocities);
    rates.extend(hamilton.unknowns.iter().copied().zip(hamilton.rates.iter().copied()));
    graph.along(e, &rates)
}

/// de/ds = ė/ṡ.
fn by(p: &mut Paper, hamilton: &Equations, e: Expr, s: Expr) -> Expr {
    let (e, s) = (rate_in_momenta(p, hamilton, e), rate_in_momenta(p, hamilton, s));
    p.system.graph.div(e, s)
}

#[test]
fn eq_35_to_37_linear_equations() {
    let (mut p, hamilton) = reduced(&[
        (
            "(35)",
            "[first, second] = [m*r^2/A*cot*(rho_phi - rho_psi*cos(theta)) - m*r^2*sin(theta)/(C + m*r^2)*rho_psi, \
                                m*r^2/A*csc*(rho_phi - rho_psi*cos(theta))]",
        ),
        ("second order", "second + cot*first - C*m*r^2/(A*(C + m*r^2))*rho_psi = 0"),
        ("z", "cos(theta)^2"),
        (
            "(36)",
            "cos(theta)^2*(1 - cos(theta)^2)*second + (1 - 3*cos(theta)^2)/2*first - C*m*r^2/(4*A*(C \
               + m*r^2))*rho_psi = 0",
        ),
        ("(37)", "rho_phi = A/(m*r^2)*sin(theta)*first + rho_psi*cos(theta)"),
    ]);
    let theta = p.var("theta");
    let [phi, psi] = [1, 2].map(|i| p.system.graph.var(hamilton.unknowns[i]));
    let d_phi = by(&mut p, &hamilton, phi, theta);
    let d_psi = by(&mut p, &hamilton, psi, theta);
    p.set("first", d_phi);
    p.set("second", d_psi);
    p.holds(Where::Everywhere, "(35)");

    let dd_psi = by(&mut p, &hamilton, d_psi, theta);
    p.set("first", d_psi);
    p.set("second", dd_psi);
    p.holds(Where::Everywhere, "second order");
    p.holds(Where::Everywhere, "(37)");

    let z = p.value("z");
    let d_psi = by(&mut p, &hamilton, psi, z);
    let dd_psi = by(&mut p, &hamilton, d_psi, z);
    p.set("first", d_psi);
    p.set("second", dd_psi);
    p.holds(Where::Everywhere, "(36)");
}

/// Reconstruction: the parts of (38) along Q, and ẋ, ẏ.
#[test]
fn eq_38_reconstruction() {
    let formulas = [
        ("theta", "[1, 0, 0, r*sin(theta)*cos(phi), r*sin(theta)*sin(phi)]"),
        ("phi", "[0, 1, 0, r*cos(theta)*sin(phi), -r*cos(theta)*cos(phi)]"),
        ("psi", "[0, 0, 1, r*sin(phi), -r*cos(phi)]"),
        (
            "centre",
            "[x', y'] = [r*sin(theta)*cos(phi)*theta' + r*cos(theta)*sin(phi)*phi' + r*sin(phi)*psi', \
                         r*sin(theta)*sin(phi)*theta' - r*cos(theta)*cos(phi)*phi' - r*cos(phi)*psi']",
        ),
    ];
    let (mut p, hamilton) = reduced(&formulas);
    p.holds(Where::OnConstraints, "centre");
    // ξ is the sum of the fields (38) with θ̇, φ̇, ψ̇, in the momenta as well.
    let fields: Vec<Vec<Expr>> = ANGLES.iter().map(|l| p.right(l)).collect();
    for a in 0..5 {
        let parts: Vec<Expr> = (0..3).map(|i| p.system.graph.mul(fields[i][a], hamilton.velocities[i])).collect();
        let sum = p.system.graph.sum(parts);
        p.same(Where::Everywhere, "(38)", sum, hamilton.velocities[a]);
    }
}
