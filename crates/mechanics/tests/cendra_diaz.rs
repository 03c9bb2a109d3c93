//! Cendra and Díaz 2006, the rolling disk [CendraDiaz2006]: every equation of §2 that a derivation reaches.
//!
//! The paper's letters: a = θ̇, b = φ̇, v₀ = ψ̇, v₁ = (v₁₁, v₁₂) = ẋ; its contact point (x₁, x₂) is (x, y) here,
//! its vectors y and z are `spoke` and `axis` of the model. Where the text is misprinted, the test has the
//! correct reading under the number of the equation and the literal one under "… as printed".

use crate::papers;

use crate::prelude::*;
use papers::{Paper, Where, assert_differs, assert_equal, builtin};
use polhode_expr::number::ratio;
use polhode_expr::{Exponent, Head, Matrix, ZeroTest, eliminate};
use polhode_mechanics::FrameEquation;

const DEFINITIONS: &[(&str, &str)] = &[
    ("a", "theta'"),
    ("b", "phi'"),
    ("v0", "psi'"),
    ("cot", "cos(theta)/sin(theta)"),
    ("csc", "1/sin(theta)"),
    ("e3", "[0, 0, 1]"),
    ("u", "[-cos(phi), -sin(phi), 0]"),
    ("v1", "[x', y', 0]"),
    ("Omega3", "psi' + phi'*cos(theta)"),
    (
        "A",
        "[[-cos(theta)*cos(psi)*sin(phi) - cos(phi)*sin(psi), cos(theta)*sin(psi)*sin(phi) - cos(phi)*cos(psi), \
           sin(theta)*sin(phi)], \
          [cos(theta)*cos(psi)*cos(phi) - sin(phi)*sin(psi), -cos(theta)*sin(psi)*cos(phi) - cos(psi)*sin(phi), \
          -sin(theta)*cos(phi)], \
          [sin(theta)*cos(psi), -sin(theta)*sin(psi), cos(theta)]]",
    ),
    ("alpha", "I1/(M*r^2)"),
    ("beta", "I3/(M*r^2)"),
    ("gamma", "(2*alpha + beta + 2*alpha*beta)/(alpha + alpha*beta)"),
];

fn disk(letters: &[&str], formulas: &[(&str, &str)]) -> Paper {
    Paper::new(builtin("rolling-disk"), letters, DEFINITIONS, formulas)
}

/// (2.5)–(2.9): the accelerations.
const ACCELERATIONS: &[(&str, &str)] = &[
    (
        "(2.5)",
        "a' = (-M*g*r*cos(theta) - b*((I3 + M*r^2)*v0 + (I3 - I1 + M*r^2)*b*cos(theta))*sin(theta))/(I1 + M*r^2)",
    ),
    ("(2.6)", "b' = a*((I3 - 2*I1)*b*cot + I3*v0*csc)/I1"),
    ("(2.7)", "v0' = -a*(I3*v0 + (I3 - 2*I1)*b*cos(theta))*cot/I1 + (I3 + 2*M*r^2)*a*b*sin(theta)/(I3 + M*r^2)"),
    (
        "(2.8)",
        "x'' = 1/(2*I1*(I3 + M*r^2))*(a*r*cos(phi)*(2*I3*(I3 + M*r^2)*v0*cot \
           + (I3^2 - 3*I1*I3 - 4*I1*M*r^2 + I3*M*r^2 + I3*(I3 - I1 + M*r^2)*cos(2*theta))*b*csc) \
           + I1*r*(2*I3 + M*r^2 + M*r^2*cos(phi)^2)*b*v0*sin(phi) + I1*M*r^3*b*v0*sin(phi)^3)",
    ),
    (
        "(2.9)",
        "y'' = -1/(2*I1*(I3 + M*r^2))*(r*(I1*M*r^2*b*v0*cos(phi)^3 - a*(2*I3*(I3 + M*r^2)*v0*cos(theta) \
           + b*(-3*I1*I3 + I3^2 - 4*I1*M*r^2 + I3*M*r^2 + I3*(I3 - I1 + M*r^2)*cos(2*theta)))*csc*sin(phi) \
           + I1*b*v0*cos(phi)*(2*I3 + M*r^2 + M*r^2*sin(phi)^2)))",
    ),
];

/// (2.1)–(2.4): the vertical and horizontal Lagrange–d'Alembert–Poincaré equations.
const REDUCED: &[(&str, &str)] = &[
    (
        "(2.1)",
        "I3*(v0' + b'*cos(theta) - a*b*sin(theta)) + M*r*dot(v1', u) + M*r^2*(b'*cos(theta) - 2*a*b*sin(theta)) = 0",
    ),
    ("(2.2)", "v0*r*u = v1"),
    (
        "(2.3)",
        "2*(M*r^2 + I3 - I1)*a*b*sin(theta)*cos(theta) - (I1*sin(theta)^2 + (I3 + M*r^2)*cos(theta)^2)*b' \
           + M*r*cos(theta)*(x''*cos(phi) + y''*sin(phi)) + I3*(a*v0*sin(theta) - v0'*cos(theta)) = 0",
    ),
    (
        "(2.4)",
        "(I1 - I3 - M*r^2)*b^2*sin(theta)*cos(theta) - I3*v0*b*sin(theta) - (I1 + M*r^2)*a' \
           + M*r*sin(theta)*(y''*cos(phi) - x''*sin(phi)) - M*g*r*cos(theta) = 0",
    ),
];

#[test]
fn kinematics_and_constraint() {
    let mut p = disk(
        &[],
        &[
            ("A is a rotation", "transpose(A)*A = identity(3)"),
            ("z", "A*e3 = axis"),
            ("u", "cross(axis, spoke) = u"),
            ("psi", "A*[1, 0, 0] = cos(psi)*spoke + sin(psi)*u"),
            ("psi as printed", "A*[1, 0, 0] = -cos(psi)*spoke - sin(psi)*u"),
            (
                "omega",
                "angular_velocity(A) = [a*cos(phi) + v0*sin(theta)*sin(phi), a*sin(phi) - v0*cos(phi)*sin(theta), \
                   b + v0*cos(theta)]",
            ),
            (
                "Omega",
                "body_angular_velocity(A) = [-a*sin(psi) + b*cos(psi)*sin(theta), -a*cos(psi) \
                   - b*sin(theta)*sin(psi), b*cos(theta) + v0]",
            ),
            ("omega = Omega3 z + z x z'", "angular_velocity(A) = Omega3*axis + cross(axis, dt(axis))"),
            ("velocity of the material at the contact", "velocity_at(centre, A, [x, y, 0]) = v1 - v0*r*u"),
            ("constraint", "v1 = v0*r*u"),
        ],
    );
    for label in ["A is a rotation", "z", "u", "psi", "omega", "Omega", "omega = Omega3 z + z x z'"] {
        p.holds(Where::Everywhere, label);
    }
    // ψ is measured from +y, as the matrix A and the initial position of the paper have it.
    p.fails(Where::Everywhere, "psi as printed");
    p.holds(Where::Everywhere, "velocity of the material at the contact");
    p.holds(Where::OnConstraints, "constraint");
    p.fails(Where::Everywhere, "constraint");
    // H ⊕ S is D, of dimension 2 + 1, and not the tangent space.
    assert_eq!((p.system.degrees_of_freedom(), p.system.configuration.dimension()), (2 + 1, 5));
}

#[test]
fn lagrangian_expanded_and_reduced() {
    let mut p = disk(
        &[],
        &[
            ("L", "1/2*I1*norm2(dt(axis)) + 1/2*I3*Omega3^2 + 1/2*M*norm2(dt(centre)) - M*g*r*sin(theta)"),
            (
                "L expanded",
                "1/2*(-2*M*g*r*sin(theta) + I1*(a^2 + b^2*sin(theta)^2) + M*(norm2(v1) + r^2*a^2 \
                   + b^2*r^2*cos(theta)^2 \
                   + 2*r*x'*(a*sin(theta)*sin(phi) - b*cos(theta)*cos(phi)) - 2*r*y'*(a*cos(phi)*sin(theta) \
                   + b*cos(theta)*sin(phi))) \
                   + I3*(b*cos(theta) + v0)^2)",
            ),
            (
                "L expanded as printed",
                "1/2*(-2*M*g*r*sin(theta) + I1*(a^2 + b^2*sin(theta)^2) + M*(norm2(v1) + r^2*a^2 \
                   + b^2*r^2*cos(theta)^2 \
                   + 2*r*x*(a*sin(theta)*sin(phi) - b*cos(theta)*cos(phi)) - 2*r*y*(a*cos(phi)*sin(theta) \
                   + b*cos(theta)*sin(phi))) \
                   + I3*(b*cos(theta) + v0)^2)",
            ),
            (
                "l",
                "-M*g*r*sin(theta) + 1/2*I1*(a^2 + b^2*sin(theta)^2) + 1/2*M*norm2(v1) + 1/2*M*r^2*a^2 \
                   + 1/2*M*r^2*b^2*cos(theta)^2 \
                   + M*r*x'*(a*sin(theta)*sin(phi) - b*cos(theta)*cos(phi)) - M*r*y'*(a*cos(phi)*sin(theta) \
                   + b*cos(theta)*sin(phi)) \
                   + 1/2*I3*(b*cos(theta) + v0)^2",
            ),
        ],
    );
    let lagrangian = p.system.lagrangian;
    for label in ["L", "L expanded", "l"] {
        let value = p.value(label);
        p.same(Where::Everywhere, label, lagrangian, value);
    }
    // Without the dots on x₁, x₂ it is another function, and not invariant under R².
    let printed = p.value("L expanded as printed");
    p.differ(Where::Everywhere, "L expanded as printed", lagrangian, printed);
    let zero = p.system.graph.zero();
    for name in ["psi", "x", "y"] {
        let s = p.symbol(name);
        let slope = p.system.graph.derivative(lagrangian, s);
        p.same(Where::Everywhere, "L is invariant", slope, zero);
        if name != "psi" {
            let slope = p.system.graph.derivative(printed, s);
            p.differ(Where::Everywhere, "L as printed is not invariant", slope, zero);
        }
    }
}

#[test]
fn derivatives_of_the_reduced_lagrangian() {
    let mut p = disk(
        &[],
        &[
            (
                "dl/dv",
                "[I3*v0 + I3*b*cos(theta), M*x' + M*r*a*sin(theta)*sin(phi) - M*r*b*cos(theta)*cos(phi), \
                  M*y' - M*r*a*sin(theta)*cos(phi) - M*r*b*cos(theta)*sin(phi)]",
            ),
            (
                "D/Dt dl/dv",
                "[I3*(v0' + b'*cos(theta) - a*b*sin(theta)), \
                  M*x'' + M*r*(2*a*b*sin(theta)*cos(phi) + cos(theta)*sin(phi)*(a^2 + b^2) \
                  + a'*sin(theta)*sin(phi) - b'*cos(theta)*cos(phi)), \
                  M*y'' + M*r*(2*a*b*sin(theta)*sin(phi) - cos(theta)*cos(phi)*(a^2 + b^2) \
                  - b'*cos(theta)*sin(phi) - a'*sin(theta)*cos(phi))]",
            ),
            (
                "D/Dt dl/dv, second component as printed",
                "M*y'' + M*r*(2*a*b*sin(theta)*sin(phi) - cos(theta)*cos(phi)*(a^2 + b^2)) \
                   - b'*cos(theta)*sin(phi) - a'*sin(theta)*cos(phi)",
            ),
            (
                "dl/dtheta",
                "I1*b^2*sin(theta)*cos(theta) - M*g*r*cos(theta) - M*r^2*b^2*cos(theta)*sin(theta) \
                   + M*r*x'*(a*cos(theta)*sin(phi) + b*sin(theta)*cos(phi)) \
                   - M*r*y'*(a*cos(theta)*cos(phi) - b*sin(theta)*sin(phi)) - I3*b*sin(theta)*(v0 + b*cos(theta))",
            ),
            (
                "dl/dphi",
                "M*r*x'*(a*sin(theta)*cos(phi) + b*cos(theta)*sin(phi)) + M*r*y'*(a*sin(theta)*sin(phi) \
                   - b*cos(theta)*cos(phi))",
            ),
            (
                "D/Dt dl/dtheta'",
                "I1*a' + M*r^2*a' + M*r*x''*sin(theta)*sin(phi) + M*r*a*x'*cos(theta)*sin(phi) \
                   + M*r*b*x'*sin(theta)*cos(phi) \
                   - M*r*y''*sin(theta)*cos(phi) + M*r*b*y'*sin(theta)*sin(phi) - M*r*a*y'*cos(theta)*cos(phi)",
            ),
            (
                "D/Dt dl/dphi'",
                "2*I1*a*b*sin(theta)*cos(theta) + I1*b'*sin(theta)^2 - 2*M*r^2*a*b*sin(theta)*cos(theta) \
                   - M*r*x''*cos(theta)*cos(phi) \
                   + M*r*a*x'*sin(theta)*cos(phi) + M*r*b*x'*cos(theta)*sin(phi) - M*r*y''*cos(theta)*sin(phi) \
                   + M*r^2*b'*cos(theta)^2 \
                   - M*r*b*y'*cos(theta)*cos(phi) + M*r*a*y'*sin(theta)*sin(phi) + I3*cos(theta)*(v0' \
                   + b'*cos(theta) - a*b*sin(theta)) \
                   - I3*a*sin(theta)*(v0 + b*cos(theta))",
            ),
            ("last term of D/Dt dl/dphi' as printed", "-I3*a*sin(theta)*(v0' + b*cos(theta))"),
            ("last term of D/Dt dl/dphi'", "-I3*a*sin(theta)*(v0 + b*cos(theta))"),
        ],
    );
    let balance = p.derive(Form::Multipliers).balance;
    let of = |name: &str, p: &Paper| balance.iter().find(|x| x.velocity == p.symbol(name)).expect("a velocity").clone();
    for (i, name) in ["psi'", "x'", "y'"].into_iter().enumerate() {
        let momentum = of(name, &p).momentum;
        let (want, want_rate) = (p.right("dl/dv")[i], p.right("D/Dt dl/dv")[i]);
        p.same(Where::Everywhere, "∂ℓ/∂v̄", momentum, want);
        let rate = p.rate(momentum);
        p.same(Where::Everywhere, "D/Dt ∂ℓ/∂v̄", rate, want_rate);
        if name == "y'" {
            let printed = p.value("D/Dt dl/dv, second component as printed");
            p.differ(Where::Everywhere, "D/Dt ∂ℓ/∂v̄ as printed", rate, printed);
        }
    }
    for name in ["theta", "phi"] {
        let b = of(&format!("{name}'"), &p);
        let (slope, want) = (p.value(&format!("dl/d{name}")), p.value(&format!("D/Dt dl/d{name}'")));
        p.same(Where::Everywhere, "∂ℓ/∂q", b.lagrangian, slope);
        let rate = p.rate(b.momentum);
        p.same(Where::Everywhere, "D/Dt ∂ℓ/∂q̇", rate, want);
        if name == "phi" {
            let (right, wrong) =
                (p.value("last term of D/Dt dl/dphi'"), p.value("last term of D/Dt dl/dphi' as printed"));
            let printed = p.system.graph.sub(want, right);
            let printed = p.system.graph.add(printed, wrong);
            p.differ(Where::Everywhere, "D/Dt ∂ℓ/∂φ̇ as printed", rate, printed);
        }
    }
}

/// d/dt ∂L/∂v − ∂L/∂q along each field of D, with all accelerations left open.
fn unsolved(p: &mut Paper) -> Vec<Expr> {
    let balance = p.derive(Form::Multipliers).balance;
    let frame = p.system.voronets_frame();
    let forces: Vec<Expr> = balance
        .iter()
        .map(|b| {
            let rate = p.rate(b.momentum);
            let motion = p.system.graph.sum([b.lagrangian, b.bracket, b.force]);
            p.system.graph.sub(rate, motion)
        })
        .collect();
    let constraint: Vec<Expr> = balance.iter().map(|b| b.constraint).collect();
    let zero = p.system.graph.zero();
    let along = |p: &mut Paper, form: &[Expr], i: usize| {
        let parts: Vec<Expr> = form.iter().zip(frame.e.col(i)).map(|(f, e)| p.system.graph.mul(*f, e)).collect();
        p.system.graph.sum(parts)
    };
    (0..frame.k)
        .map(|i| {
            let work = along(p, &constraint, i);
            p.same(Where::Everywhere, "the constraint force does no work on D", work, zero);
            along(p, &forces, i)
        })
        .collect()
}

#[test]
fn eq_2_1_to_2_4_reduced_equations() {
    let extra = [
        (
            "contraction",
            "I3*(v0' + b'*cos(theta) - a*b*sin(theta)) + M*r^2*(-2*a*b*sin(theta) + b'*cos(theta)) + M*r*dot(v1', u)",
        ),
        (
            "contraction as printed",
            "I3*(v0' + b'*cos(theta) - a*b*sin(theta)) + M*r^2*(-2*a*b*sin(theta) + b'*cos(theta)) + M*r*dot(v1, u)",
        ),
    ];
    let mut p = disk(&[], &[REDUCED, &extra].concat());
    let derived = unsolved(&mut p);
    let [theta, phi, psi] = derived[..] else { panic!("three degrees of freedom") };
    let contraction = p.value("contraction");
    p.same(Where::Everywhere, "⟨d/dt ∂ℓ/∂v̄, (1, ru)⟩", psi, contraction);
    let printed = p.value("contraction as printed");
    p.differ(Where::Everywhere, "⟨d/dt ∂ℓ/∂v̄, (1, ru)⟩ as printed", psi, printed);
    // Identities in all velocities and accelerations; the horizontal equations with the opposite sign.
    for (label, value, sign) in [("(2.1)", psi, 1), ("(2.3)", phi, -1), ("(2.4)", theta, -1)] {
        let residual = p.residual(label);
        let value = p.system.graph.scale(value, &ratio(sign, 1));
        p.same(Where::Everywhere, label, value, residual);
        p.holds(Where::OnMotion, label);
    }
    p.holds(Where::OnConstraints, "(2.2)");
}

#[test]
fn system_of_five_equations_and_its_solution() {
    let extra = [
        (
            "matrix",
            "[[0, (I3 + M*r^2)*cos(theta), I3, -M*r*cos(phi), -M*r*sin(phi)], \
              [0, -(I1*sin(theta)^2 + (I3 + M*r^2)*cos(theta)^2), -I3*cos(theta), M*r*cos(theta)*cos(phi), \
              M*r*cos(theta)*sin(phi)], \
              [-(I1 + M*r^2), 0, 0, -M*r*sin(theta)*sin(phi), M*r*sin(theta)*cos(phi)], \
              [0, 0, r*cos(phi), 1, 0], [0, 0, r*sin(phi), 0, 1]]",
        ),
        (
            "right side",
            "[(I3 + 2*M*r^2)*a*b*sin(theta), 2*(I1 - I3 - M*r^2)*a*b*sin(theta)*cos(theta) - I3*a*v0*sin(theta), \
              (M*r^2 + I3 - I1)*b^2*sin(theta)*cos(theta) + I3*b*v0*sin(theta) + M*g*r*cos(theta), v0*b*r*sin(phi), \
              -v0*b*r*cos(phi)]",
        ),
        ("unknowns", "[a', b', v0', x'', y'']"),
    ];
    let mut p = disk(&[], &[ACCELERATIONS, REDUCED, &extra].concat());
    p.derive(Form::Voronets);
    let entries = p.right("matrix");
    let matrix = Matrix::from_fn(5, 5, |i, j| entries[5 * i + j]);
    let (right, unknowns) = (p.right("right side"), p.right("unknowns"));

    let left = matrix.mul_vec(&mut p.system.graph, &unknowns);
    for i in 0..5 {
        p.same(Where::OnMotion, "5×5 system", left[i], right[i]);
    }
    for (i, label) in ["(2.1)", "(2.3)", "(2.4)"].into_iter().enumerate() {
        let residual = p.residual(label);
        let row = p.system.graph.sub(left[i], right[i]);
        p.same(Where::Everywhere, label, row, residual);
    }

    let graph = &mut p.system.graph;
    let rhs = Matrix::from_fn(5, 1, |i, _| right[i]);
    let mut zero = ZeroTest::new(graph);
    let solved = eliminate(graph, &mut zero, &matrix, &rhs, |g, _, e| g.reachable(&[e]).len());
    assert_eq!(solved.rows.len(), 5);
    for (i, &unknown) in solved.pivots.iter().enumerate() {
        let label = ACCELERATIONS[unknown].0;
        let want = p.value(label);
        p.same(Where::Everywhere, label, solved.solution[(i, 0)], want);
    }
}

#[test]
fn eq_2_5_to_2_9_accelerations() {
    let mut p = disk(&[], ACCELERATIONS);
    for form in Form::ALL {
        p.derive(form);
        for (label, _) in ACCELERATIONS {
            p.holds(Where::OnMotion, label);
        }
    }
}

/// Putting the constraints into L before differentiating gives another θ̇φ̇ motion: the momenta
/// across D are lost in φ̈ and ψ̈. (θ̈ survives, since no bracket has a component along ∂_θ.)
#[test]
fn the_wrong_derivation_is_wrong() {
    let mut p = disk(&[], ACCELERATIONS);
    let frame = p.system.voronets_frame();
    let h = FrameEquation::new(&mut p.system, frame);
    let wrong = h.wrong_on_purpose(&mut p.system.graph);
    let paper: Vec<Expr> = ["(2.5)", "(2.6)", "(2.7)"].iter().map(|l| p.value(l)).collect();
    assert_equal(&mut p.system.graph, wrong[0], paper[0], "(2.5)");
    assert_differs(&mut p.system.graph, wrong[1], paper[1], "(2.6)");
    assert_differs(&mut p.system.graph, wrong[2], paper[2], "(2.7)");
}

#[test]
fn eq_2_10_to_2_12_balance_of_momentum() {
    let left_10 = "(I1 - I3)*b^2*cos(theta)*sin(theta)*sin(psi) + (2*I1 - I3)*a*b*cos(theta)*cos(psi) \
                   - I3*a*v0*cos(psi) \
                   - I1*a'*sin(psi) - I3*b*v0*sin(theta)*sin(psi) + I1*b'*cos(psi)*sin(theta)";
    let left_11 = "(I1 - I3)*b^2*cos(theta)*cos(psi)*sin(theta) + (I3 - 2*I1)*a*b*cos(theta)*sin(psi) \
                   + I3*a*v0*sin(psi) \
                   - I1*a'*cos(psi) - I3*b*v0*sin(theta)*cos(psi) - I1*b'*sin(theta)*sin(psi)";
    let right_10 = "M*g*r*sin(psi)*cos(theta) + M*r^2*b^2*sin(psi)*sin(theta)*cos(theta) \
                    + M*r*V1*sin(psi)*sin(theta)*sin(phi) \
                    - M*r*V2*sin(psi)*sin(theta)*cos(phi) + M*r^2*a'*sin(psi)";
    let right_11 = "M*g*r*cos(theta)*cos(psi) + M*r^2*b^2*cos(psi)*sin(theta)*cos(theta) \
                    + M*r*V1*cos(psi)*sin(theta)*sin(phi) \
                    - M*r*V2*cos(psi)*sin(theta)*cos(phi) + M*r^2*a'*cos(psi)";
    let left_12 = "-I3*a*b*sin(theta) + I3*b'*cos(theta) + I3*V0";
    let right_12 = "2*M*r^2*a*b*sin(theta) + M*r*V1*cos(phi) + M*r*V2*sin(phi) - M*r^2*b'*cos(theta)";
    let (dotted, undotted) = (["v0'", "x''", "y''"], ["v0", "x'", "y'"]);
    let equation = |left: &str, right: &str, v: [&str; 3]| {
        format!("{left} = {right}").replace("V0", v[0]).replace("V1", v[1]).replace("V2", v[2])
    };
    let texts: Vec<(String, String)> =
        [("(2.10)", left_10, right_10), ("(2.11)", left_11, right_11), ("(2.12)", left_12, right_12)]
            .into_iter()
            .flat_map(|(n, l, r)| {
                [(n.to_string(), equation(l, r, dotted)), (format!("{n} as printed"), equation(l, r, undotted))]
            })
            .collect();
    let mut formulas: Vec<(&str, &str)> = texts.iter().map(|(n, f)| (n.as_str(), f.as_str())).collect();
    formulas.push((
        "Newton and Euler",
        "diag(I1, I1, I3)*dt(body_angular_velocity(A)) - cross(diag(I1, I1, I3)*body_angular_velocity(A), \
           body_angular_velocity(A)) \
           = transpose(A)*(cross(M*dt(dt(centre)), r*spoke) + cross(M*g*e3, r*spoke))",
    ));
    formulas.extend(REDUCED);
    let mut p = disk(&[], &formulas);
    p.derive(Form::Hamel);
    p.holds(Where::OnMotion, "Newton and Euler");
    let (left, right) = (p.left("Newton and Euler"), p.right("Newton and Euler"));
    for (i, label) in ["(2.10)", "(2.11)", "(2.12)"].into_iter().enumerate() {
        let want = p.left(label)[0];
        p.same(Where::Everywhere, label, left[i], want);
        let want = p.value(label);
        p.same(Where::Everywhere, label, right[i], want);
        p.holds(Where::OnMotion, label);
        p.fails(Where::OnMotion, &format!("{label} as printed"));
    }
    let (vertical, spin) = (p.residual("(2.1)"), p.residual("(2.12)"));
    p.same(Where::Everywhere, "(2.12) is (2.1)", vertical, spin);
}

/// (2.13)–(2.16), with V0 for the v̇₀ that is printed v₀.
const CLOSED: &[(&str, &str)] = &[
    ("(2.13)", "v0*r*u = v1"),
    ("(2.14)", "(I3 + M*r^2)*V0 + (I3 + M*r^2)*b'*cos(theta) - (I3 + 2*M*r^2)*a*b*sin(theta) = 0"),
    (
        "(2.15)",
        "2*(M*r^2 + I3 - I1)*a*b*sin(theta)*cos(theta) - (I1*sin(theta)^2 + (I3 + M*r^2)*cos(theta)^2)*b' \
           - (I3 + M*r^2)*V0*cos(theta) + I3*a*v0*sin(theta) = 0",
    ),
    (
        "(2.16)",
        "(I1 - I3 - M*r^2)*b^2*sin(theta)*cos(theta) - (I1 + M*r^2)*a' - (I3 + M*r^2)*b*v0*sin(theta) \
           - M*g*r*cos(theta) = 0",
    ),
];

/// (2.17)–(2.19): Pars' equations, in the letters of the disk (his A, C, a are I₁, I₃, r).
const PARS: &[(&str, &str)] = &[
    (
        "(2.17)",
        "(I1 + M*r^2)*theta'' = I1*phi'^2*cos(theta)*sin(theta) - (I3 + M*r^2)*Omega3*phi'*sin(theta) \
           - M*g*r*cos(theta)",
    ),
    ("(2.18)", "(I3 + M*r^2)*dt(Omega3) = M*r^2*theta'*phi'*sin(theta)"),
    ("(2.18) as printed", "(I3 + M*r^2)*Omega3 = M*r^2*theta'*phi'*sin(theta)"),
    ("(2.19)", "dt(I1*phi'*sin(theta)^2) = I3*Omega3*theta'*sin(theta)"),
];

/// (2.13)–(2.16) are Voronets' equations: d/dt Θ_{q̇} − Θ_q − (brackets), with the accelerations open.
#[test]
fn eq_2_13_to_2_16_are_the_equations_of_voronets() {
    let mut p = disk(&["V0"], CLOSED);
    let voronets = p.derive(Form::Voronets);
    p.holds(Where::OnConstraints, "(2.13)");
    // v₀ where the paper needs v̇₀: (2.14) and (2.15) fail as they are printed.
    let v0 = p.var("psi'");
    p.set("V0", v0);
    p.fails(Where::OnMotion, "(2.14)");
    p.fails(Where::OnMotion, "(2.15)");
    let v0_dot = p.var("psi''");
    p.set("V0", v0_dot);
    for (balance, label, sign) in [(2, "(2.14)", 1), (1, "(2.15)", -1), (0, "(2.16)", -1)] {
        let b = voronets.balance[balance].clone();
        let rate = p.rate(b.momentum);
        let push = p.system.graph.sum([b.lagrangian, b.bracket, b.force]);
        let derived = p.system.graph.sub(rate, push);
        let derived = p.system.graph.scale(derived, &ratio(sign, 1));
        let residual = p.residual(label);
        p.same(Where::OnConstraints, label, derived, residual);
        p.holds(Where::OnMotion, label);
    }
}

#[test]
fn eq_2_17_to_2_19_pars() {
    let mut p = disk(&["V0"], &[CLOSED, PARS].concat());
    p.derive(Form::Chaplygin);
    for label in ["(2.17)", "(2.18)", "(2.19)"] {
        p.holds(Where::OnMotion, label);
    }
    p.fails(Where::OnMotion, "(2.18) as printed");
    // How they follow from (2.14)–(2.16), up to sign.
    let v0_dot = p.var("psi''");
    p.set("V0", v0_dot);
    let [r14, r15, r16, r17, r18, r19] =
        ["(2.14)", "(2.15)", "(2.16)", "(2.17)", "(2.18)", "(2.19)"].map(|l| p.residual(l));
    let minus = p.system.graph.neg(r16);
    p.same(Where::Everywhere, "(2.17) is −(2.16)", r17, minus);
    p.same(Where::Everywhere, "(2.18) is (2.14)", r18, r14);
    let theta = p.var("theta");
    let graph = &mut p.system.graph;
    let cosine = graph.cos(theta);
    let spin = graph.mul(cosine, r14);
    let sum = graph.add(r15, spin);
    let minus = graph.neg(sum);
    p.same(Where::Everywhere, "(2.19) is −[(2.15) + cos θ (2.14)]", r19, minus);
}

#[test]
fn eq_2_20_to_2_23_matrix_form() {
    let mut p = disk(
        &["V0"],
        &[
            (
                "(2.20), matrix",
                "[[0, (I3 + M*r^2)*cos(theta), I3 + M*r^2], \
                  [0, I1*sin(theta)^2 + (I3 + M*r^2)*cos(theta)^2, (I3 + M*r^2)*cos(theta)], [I1 + M*r^2, 0, 0]]",
            ),
            (
                "(2.20), right side",
                "[(I3 + 2*M*r^2)*a*b*sin(theta), 2*(M*r^2 + I3 - I1)*a*b*sin(theta)*cos(theta) + I3*v0*a*sin(theta), \
                  (I1 - M*r^2 - I3)*b^2*sin(theta)*cos(theta) - (I3 + M*r^2)*b*v0*sin(theta) - M*g*r*cos(theta)]",
            ),
            ("(2.20), unknowns", "[a', b', V0]"),
            (
                "(2.21)",
                "a' = (-M*g*r*cos(theta) - ((I3 + M*r^2)*v0 + b*(I3 - I1 + M*r^2)*cos(theta))*b*sin(theta))/(I1 \
                   + M*r^2)",
            ),
            ("(2.22)", "b' = a*((I3 - 2*I1)*b*cot + I3*v0*csc)/I1"),
            (
                "(2.23)",
                "V0 = -a*(I3*v0 + (I3 - 2*I1)*b*cos(theta))*cot/I1 + (I3 + 2*M*r^2)*a*b*sin(theta)/(I3 + M*r^2)",
            ),
        ],
    );
    let v0 = p.var("psi'");
    p.set("V0", v0);
    p.derive(Form::Voronets);
    p.fails(Where::OnMotion, "(2.23)");
    let (matrix, right, unknowns) =
        (p.right("(2.20), matrix"), p.right("(2.20), right side"), p.right("(2.20), unknowns"));
    for row in 0..2 {
        let parts: Vec<Expr> = (0..3).map(|j| p.system.graph.mul(matrix[3 * row + j], unknowns[j])).collect();
        let left = p.system.graph.sum(parts);
        p.differ(Where::OnMotion, "(2.20) as printed", left, right[row]);
    }
    let v0_dot = p.var("psi''");
    p.set("V0", v0_dot);
    for label in ["(2.21)", "(2.22)", "(2.23)"] {
        p.holds(Where::OnMotion, label);
    }
    // The matrix is that of the frame equation, with the rows of ψ, φ, θ.
    let frame = p.system.voronets_frame();
    let h = FrameEquation::new(&mut p.system, frame);
    for (row, field) in [2, 1, 0].into_iter().enumerate() {
        for column in 0..3 {
            p.same(Where::OnConstraints, "(2.20), matrix", matrix[3 * row + column], h.mass[(field, column)]);
        }
        let force = h.rhs(&mut p.system.graph, field);
        let force = p.system.graph.sub(force, h.momentum_drift[field]);
        p.same(Where::OnConstraints, "(2.20), right side", right[row], force);
        let parts: Vec<Expr> = (0..3).map(|j| p.system.graph.mul(matrix[3 * row + j], unknowns[j])).collect();
        let left = p.system.graph.sum(parts);
        p.same(Where::OnMotion, "(2.20)", left, right[row]);
    }
}

/// d/dθ of a function of the motion: its rate over θ̇.
fn slope(p: &mut Paper, e: Expr) -> Expr {
    let rate = p.rate_on_motion(e);
    let a = p.var("theta'");
    p.system.graph.div(rate, a)
}

/// b and v₀ as functions of θ along the motion; db, ddb, dv, ddv are their derivatives by θ.
fn along_theta(formulas: &[(&str, &str)]) -> Paper {
    let mut p = disk(&["db", "ddb", "dv", "ddv"], formulas);
    p.derive(Form::Voronets);
    for (name, first, second) in [("phi'", "db", "ddb"), ("psi'", "dv", "ddv")] {
        let e = p.var(name);
        let d = slope(&mut p, e);
        let dd = slope(&mut p, d);
        p.set(first, d);
        p.set(second, dd);
    }
    p
}

#[test]
fn eq_2_24_to_2_29_in_theta() {
    let mut p = along_theta(&[
        ("(2.24)", "(I3 + M*r^2)*dv + (I3 + M*r^2)*cos(theta)*db - (I3 + 2*M*r^2)*b*sin(theta) = 0"),
        (
            "(2.25)",
            "(I3 + M*r^2)*cos(theta)*dv + (I1*sin(theta)^2 + (I3 + M*r^2)*cos(theta)^2)*db \
               - 2*(M*r^2 + I3 - I1)*b*sin(theta)*cos(theta) - I3*v0*sin(theta) = 0",
        ),
        ("(2.26)", "db = I3/I1*csc*v0 + (I3 - 2*I1)/I1*cot*b"),
        ("(2.27)", "dv = -I3/I1*cot*v0 + ((I3 + 2*M*r^2)/(I3 + M*r^2)*sin(theta) - (I3 - 2*I1)/I1*cos(theta)*cot)*b"),
        ("(2.28)", "ddb = -3*cot*db + (2*alpha + beta + 2*alpha*beta)/(alpha + alpha*beta)*b"),
        ("momentum of (2.29)", "sin(theta)^3*db"),
        ("last term of (2.29)", "(2*alpha + beta + 2*alpha*beta)/(alpha + alpha*beta)*sin(theta)^3*b"),
        (
            "equation for v0",
            "((2*alpha - beta)*(beta + 1)*cos(theta)^2*sin(theta) + alpha*(beta + 2)*sin(theta)^3)*ddv \
               + (beta*(1 - alpha + beta)*cos(theta)*sin(theta)^2 - 3*(beta + 1)*(beta - 2*alpha)*cos(theta))*dv \
               - (beta/alpha*(2*alpha*(beta + 3) - beta)*sin(theta) + beta^2*(1 - alpha + beta)/(alpha*(beta \
               + 1))*sin(theta)^3)*v0 = 0",
        ),
        ("v0 without a third constant", "v0 = alpha/beta*(sin(theta)*db + 2*cos(theta)*b) - cos(theta)*b"),
    ]);
    for label in ["(2.24)", "(2.25)", "(2.26)", "(2.27)", "(2.28)", "equation for v0", "v0 without a third constant"] {
        p.holds(Where::OnMotion, label);
    }
    let momentum = p.value("momentum of (2.29)");
    let momentum = p.at(Where::OnMotion, momentum);
    let (left, right) = (slope(&mut p, momentum), p.value("last term of (2.29)"));
    p.same(Where::OnMotion, "(2.29)", left, right);
}

#[test]
fn eq_2_30_in_the_half_angle() {
    let mut p = disk(
        &["bu", "buu"],
        &[
            ("h", "tan(theta/2)"),
            ("h'", "theta'*(1 + tan(theta/2)^2)/2"),
            (
                "(2.30)",
                "buu + (3 - tan(theta/2)^2)/(tan(theta/2)*(1 + tan(theta/2)^2))*bu - 4*gamma/(1 \
                   + tan(theta/2)^2)^2*b = 0",
            ),
        ],
    );
    p.derive(Form::Voronets);
    let (half, half_rate) = (p.value("h"), p.value("h'"));
    let rate = p.rate(half);
    p.same(Where::Everywhere, "u̇", rate, half_rate);
    let by_half = |p: &mut Paper, e: Expr| {
        let rate = p.rate_on_motion(e);
        p.system.graph.div(rate, half_rate)
    };
    let b = p.var("phi'");
    let bu = by_half(&mut p, b);
    let buu = by_half(&mut p, bu);
    p.set("bu", bu);
    p.set("buu", buu);
    p.holds(Where::OnMotion, "(2.30)");
}

/// The series of (2.31) solves (2.30) as far as it goes; (2.32) is the same one shifted.
#[test]
fn eq_2_31_and_2_32_series() {
    let mut g = Graph::new();
    let (gs, us) = (g.symbol("gamma"), g.symbol("u"));
    let (gamma, u) = (g.var(gs), g.var(us));
    // a_{2k} = ((γ − 2(k−s)²) a_{2k−2} − (k−s−1)(k−s−2) a_{2k−4})/(k (k + 1 − 2(s−1))),
    // with s = 1 for (2.31) and s = 2 for (2.32)
    let step = |g: &mut Graph, k: i64, s: i64, one: Expr, two: Expr| {
        let c = g.int(2 * (k - s) * (k - s));
        let c = g.sub(gamma, c);
        let first = g.mul(c, one);
        let second = g.scale(two, &ratio((k - s - 1) * (k - s - 2), 1));
        let sum = g.sub(first, second);
        g.scale(sum, &ratio(1, if s == 1 { k * (k + 1) } else { k * (k - 1) }))
    };
    let one = g.one();
    let half = g.scale(gamma, &ratio(1, 2));
    let mut a = vec![one, half];
    let mut shifted = vec![g.zero(), one, half];
    for k in 2..=6usize {
        let next = step(&mut g, k as i64, 1, a[k - 1], a[k - 2]);
        a.push(next);
        let next = step(&mut g, k as i64 + 1, 2, shifted[k], shifted[k - 1]);
        shifted.push(next);
        assert_equal(&mut g, a[k], shifted[k + 1], "(2.32) is (2.31) shifted by one");
    }

    // (u + 2u³ + u⁵) b″ + (3 + 2u² − u⁴) b′ − 4γ u b, which is printed with 2u instead of 2u².
    let b: Vec<Expr> = a
        .iter()
        .enumerate()
        .map(|(k, c)| {
            let p = g.powi(u, 2 * k as i32);
            g.mul(*c, p)
        })
        .collect();
    let b = g.sum(b);
    let db = g.derivative(b, us);
    let ddb = g.derivative(db, us);
    let powers = [1, 2, 3, 4, 5].map(|n| g.powi(u, n));
    let residual = |g: &mut Graph, middle: Expr| {
        let (p3, c3) = (g.scale(powers[2], &ratio(2, 1)), g.int(3));
        let first = g.sum([u, p3, powers[4]]);
        let minus = g.neg(powers[3]);
        let second = g.sum([c3, middle, minus]);
        let (x, y) = (g.mul(first, ddb), g.mul(second, db));
        let z = g.product([gamma, u, b]);
        let z = g.scale(z, &ratio(-4, 1));
        g.sum([x, y, z])
    };
    let coefficient_free_up_to = |g: &mut Graph, mut e: Expr, order: usize| {
        let zero = g.zero();
        let origin = [(us, zero)].into_iter().collect();
        (0..=order).all(|_| {
            let at = g.substitute(e, &origin);
            e = g.derivative(e, us);
            g.equal(at, zero).is_equal()
        })
    };
    let middle = g.scale(powers[1], &ratio(2, 1));
    let right = residual(&mut g, middle);
    assert!(coefficient_free_up_to(&mut g, right, 12));
    assert!(!coefficient_free_up_to(&mut g, right, 13), "a polynomial is no solution");
    let middle = g.scale(u, &ratio(2, 1));
    let printed = residual(&mut g, middle);
    assert!(!coefficient_free_up_to(&mut g, printed, 12));

    // The coefficients that are written out; the last one lacks a factor 2 in its second term.
    let factor = |g: &mut Graph, n: i64| {
        let n = g.int(n);
        g.sub(gamma, n)
    };
    let [g2, g8, g18] = [2, 8, 18].map(|n| factor(&mut g, n));
    let u4 = g.product([gamma, g2]);
    let u6 = g.product([gamma, g2, g8]);
    let u8 = g.product([gamma, g2, g8, g18]);
    let want = g.scale(u4, &ratio(1, 12));
    assert_equal(&mut g, a[2], want, "u⁴");
    let want = g.scale(u6, &ratio(1, 144));
    assert_equal(&mut g, a[3], want, "u⁶");
    let first = g.scale(u8, &ratio(1, 144 * 20));
    for (n, right) in [(2, true), (1, false)] {
        let second = g.scale(u4, &ratio(n, 12 * 20));
        let want = g.sub(first, second);
        if right {
            assert_equal(&mut g, a[4], want, "u⁸")
        } else {
            assert_differs(&mut g, a[4], want, "u⁸ as printed")
        }
    }
}

/// Contact force, tilt and energy of one state of a Newton–Euler integration in 66 digits
/// (trajectory `disk_generic` at t = 0 of the reference data of the disk).
#[test]
fn reference_state() {
    let mut p = disk(
        &["F1", "F2"],
        &[
            (
                "state",
                "[M, r, g, I1, I3, theta, phi, psi, x, y, theta', phi', psi'] = [2, 0.5, 9.81, 0.125, 0.25, 1.1, \
                   0.4, 0.7, 0.3, -0.2, 0.2, -1.5, 6]",
            ),
            ("tilt", "theta'' = 1.595836312470600035678001983983360012722"),
            (
                "contact force",
                "[F1, F2] = [-2.628509236338380695048608166830703701344, 5.988152946614937374918144556377924936189]",
            ),
            ("normal force", "M*g + M*dt(dt(centre))[3] = 20.30821686736430253829986501834661611469"),
            ("momentum", "M*[x'', y'', 0] + M*r*dt(dt(spoke)) - M*e3*dt(dt(centre))[3] = [F1, F2, 0]"),
            (
                "energy",
                "1/2*I1*norm2(dt(axis)) + 1/2*I3*Omega3^2 + 1/2*M*norm2(dt(centre)) + M*g*r*sin(theta) \
                   = 19.47876295854495084181741655211307961524",
            ),
        ],
    );
    for form in Form::ALL {
        let equations = p.derive(form);
        let configuration = p.system.configuration.clone();
        let reactions: Vec<Expr> = equations.reactions.iter().map(|r| r.value).collect();
        let reactions = equations.in_velocities(&mut p.system.graph, &configuration, &reactions);
        // With the contact point as (x, y), the multipliers are the horizontal contact force.
        p.set("F1", reactions[0]);
        p.set("F2", reactions[1]);
        p.holds(Where::OnMotion, "momentum");
        for label in ["tilt", "contact force", "normal force", "energy"] {
            p.agrees_at("state", label, 36);
        }
    }
}

/// What is shown is no longer than what the authors wrote: operations counted by the same counter.
#[test]
fn as_readable_as_2_5_to_2_7() {
    let mut p = disk(&[], ACCELERATIONS);
    let written = as_written(&mut p);
    for (tree, label) in written.iter().zip(["(2.5)", "(2.6)", "(2.7)"]) {
        // cot and csc are called by name; the rest of the tree is checked against the formula.
        let value = tree.to_expr(&mut p.system.graph);
        let value = without_names(&mut p, value);
        let want = p.value(label);
        p.same(Where::Everywhere, label, value, want);
    }
    let theirs: Vec<usize> = written.iter().map(Tree::operations).collect();
    assert_eq!(theirs, [24, 11, 24]);
    for form in Form::ALL.into_iter().filter(|f| *f != Form::Hamilton) {
        let equations = p.derive(form);
        let sheet = Sheet::new(&mut p.system, &equations);
        let lines = &sheet.section("accelerations").expect("accelerations").lines;
        let ours: Vec<usize> =
            lines[..3].iter().map(|l| l.right.as_ref().expect("short enough").operations()).collect();
        println!("{}: {ours:?} operations, the paper {theirs:?}", form.name());
        let shorter = ours.iter().zip(&theirs).all(|(o, t)| o <= t);
        assert!(shorter, "{}: {ours:?} against {theirs:?}", form.name());
    }
}

/// (2.5)–(2.7) as trees, term by term as they are printed.
fn as_written(p: &mut Paper) -> [Tree; 3] {
    let [m, g, r, i1, i3, theta, a, b, v0] =
        ["M", "g", "r", "I1", "I3", "theta", "theta'", "phi'", "psi'"].map(|n| Tree::Symbol(p.symbol(n)));
    let [cot, csc] = ["cot", "csc"].map(|f| Tree::Apply(p.system.graph.function(f), vec![theta.clone()], vec![0]));
    let call = |head: Head| Tree::Call(head, Box::new(theta.clone()));
    let (sin, cos) = (call(Head::Sin), call(Head::Cos));
    let sum = |items: &[&Tree]| Tree::Sum(items.iter().map(|t| (*t).clone()).collect());
    let product = |items: &[&Tree]| Tree::Product(items.iter().map(|t| (*t).clone()).collect());
    let minus = |t: &Tree| Tree::Neg(Box::new(t.clone()));
    let over = |a: Tree, b: &Tree| Tree::Quotient(Box::new(a), Box::new(b.clone()));
    let two = Tree::number(ratio(2, 1));
    let mr2 = product(&[&m, &Tree::Power(Box::new(r.clone()), Exponent::new(2, 1).expect("not 1/0"))]);

    let weight = product(&[&m, &g, &r, &cos]);
    let roll = product(&[&sum(&[&i3, &mr2]), &v0]);
    let turn = product(&[&sum(&[&i3, &minus(&i1), &mr2]), &b, &cos]);
    let tilt = sum(&[&minus(&weight), &minus(&product(&[&b, &sum(&[&roll, &turn]), &sin]))]);
    let tilt = over(tilt, &sum(&[&i1, &mr2]));

    let difference = sum(&[&i3, &minus(&product(&[&two, &i1]))]);
    let heading = sum(&[&product(&[&difference, &b, &cot]), &product(&[&i3, &v0, &csc])]);
    let heading = over(product(&[&a, &heading]), &i1);

    let inner = sum(&[&product(&[&i3, &v0]), &product(&[&difference, &b, &cos])]);
    let first = over(minus(&product(&[&a, &inner, &cot])), &i1);
    let second = product(&[&sum(&[&i3, &product(&[&two, &mr2])]), &a, &b, &sin]);
    let second = over(second, &sum(&[&i3, &mr2]));
    [tilt, heading, sum(&[&first, &second])]
}

/// Replaces the functions cot and csc, known by name, by what they are.
fn without_names(p: &mut Paper, e: Expr) -> Expr {
    let theta = p.var("theta");
    let graph = &mut p.system.graph;
    let (sin, cos) = (graph.sin(theta), graph.cos(theta));
    let values = [("cot", graph.div(cos, sin)), ("csc", graph.powi(sin, -1))];
    let calls = values.map(|(f, value)| {
        let f = graph.function(f);
        (graph.apply(f, vec![theta]), value)
    });
    graph.rebuild(&[e], |_, n| calls.iter().find(|(call, _)| *call == n).map(|(_, value)| *value))[0]
}
