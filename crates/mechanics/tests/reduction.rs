//! Reduction by symmetry: the equations of the papers, letter by letter, and what holds for every reduction.

use crate::papers;

use crate::prelude::*;
use papers::{Paper, Where, assert_differs, assert_equal, builtin, dot};
use polhode_expr::{Matrix, Rates};
use polhode_mechanics::{Connection, NotReducible, Poincare, Reduction};

fn system(text: &str) -> System {
    let (model, _) = Model::parse("model.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    System::new(&model).unwrap_or_else(|e| panic!("{e}")).0
}

fn reduced(system: &mut System) -> (Reduction, Poincare) {
    let reduction = system.reduction().unwrap_or_else(|why| panic!("{why}"));
    let poincare = reduction.poincare(system);
    (reduction, poincare)
}

/// [CendraDiaz2006, (2.1)–(2.4)]: the disk under SO(2) × ℝ² with the paper's connection, in θ, φ, v̄ = (v₀, v₁) and their
/// derivatives as free letters.
#[test]
fn rolling_disk_equations_2_1_to_2_4() {
    let formulas = [
        (
            "(2.1)",
            "I3*(psi'' + phi''*cos(theta) - theta'*phi'*sin(theta)) + M*r*(-cos(phi)*x'' - sin(phi)*y'') \
             + M*r^2*(phi''*cos(theta) - 2*theta'*phi'*sin(theta))",
        ),
        ("(2.2)", "[psi', -r*cos(phi)*psi', -r*sin(phi)*psi']"),
        (
            "(2.3)",
            "2*(M*r^2 + I3 - I1)*theta'*phi'*sin(theta)*cos(theta) - (I1*sin(theta)^2 + (I3 + M*r^2)*cos(theta)^2)*phi'' \
             + M*r*cos(theta)*(x''*cos(phi) + y''*sin(phi)) + I3*(theta'*psi'*sin(theta) - psi''*cos(theta))",
        ),
        (
            "(2.4)",
            "(I1 - I3 - M*r^2)*phi'^2*sin(theta)*cos(theta) - I3*psi'*phi'*sin(theta) - (I1 + M*r^2)*theta'' \
             + M*r*sin(theta)*(y''*cos(phi) - x''*sin(phi)) - M*g*r*cos(theta)",
        ),
        ("(2.1) with v0 for its derivative", "I3*(psi' + phi''*cos(theta))"),
    ];
    let mut paper = Paper::new(builtin("rolling-disk"), &[], &[], &formulas);
    let (reduction, poincare) = reduced(&mut paper.system);
    assert_eq!((reduction.horizontal.cols(), reduction.admissible.cols()), (2, 1));
    assert!(reduction.dimension_assumption());
    assert!(poincare.curvature.is_empty() && poincare.covariant.is_empty() && poincare.adjoint.is_empty());

    let wanted = paper.value("(2.1)");
    assert_equal(&mut paper.system.graph, poincare.vertical[0].residual, wanted, "(2.1)");
    let wrong = paper.value("(2.1) with v0 for its derivative");
    assert_differs(&mut paper.system.graph, poincare.vertical[0].residual, wrong, "(2.1), v0");
    for (found, wanted) in poincare.constraint.iter().zip(paper.right("(2.2)")) {
        assert_equal(&mut paper.system.graph, *found, wanted, "(2.2)");
    }
    // the paper has ∂ℓ/∂x − D/Dt ∂ℓ/∂ẋ, the residual is its negative
    for (label, equation) in [("(2.4)", &poincare.horizontal[0]), ("(2.3)", &poincare.horizontal[1])] {
        let wanted = paper.value(label);
        let negative = paper.system.graph.neg(wanted);
        assert_equal(&mut paper.system.graph, equation.residual, negative, "the paper has ∂ℓ/∂x − D/Dt ∂ℓ/∂ẋ, the re");
    }
}

/// [CendraDiaz2006, appendix, Theorem 1 (ii)]: variations η̄ lie in s̃. For η̄ across s̃ the same equation is that of the disk without
/// friction, and does not hold on the motion: what is left is the force of the constraints.
#[test]
fn variations_across_s_are_not_admitted() {
    let mut paper = Paper::new(builtin("rolling-disk"), &[], &[], &[]);
    let (_, poincare) = reduced(&mut paper.system);
    let equation = polhode_mechanics::FrameEquation::new(&mut paper.system, poincare.frame.clone());
    paper.derive(Form::Voronets);
    let frictionless = |paper: &mut Paper, j: usize| {
        let graph = &mut paper.system.graph;
        let mut parts = vec![equation.momentum_drift[j]];
        for (a, s) in poincare.accelerations.iter().enumerate() {
            let acceleration = graph.var(*s);
            parts.push(graph.mul(equation.mass[(j, a)], acceleration));
        }
        let rate = graph.sum(parts);
        let rhs = equation.rhs(graph, j);
        let residual = graph.sub(rate, rhs);
        paper.at(Where::OnMotion, residual)
    };
    let (along_x, along_y) = (frictionless(&mut paper, 3), frictionless(&mut paper, 4));
    assert!(!paper.system.is_zero(along_x) && !paper.system.is_zero(along_y));
    let vertical = paper.at(Where::OnMotion, poincare.vertical[0].residual);
    assert!(paper.system.is_zero(vertical));
}

/// [CendraLacombaReartes2001, §3]: the sphere under SO(2) × ℝ² over S²: connection, curvature with its factor 2, reduced
/// Lagrangian, vertical and horizontal equation. The tangent vectors ż and δz of the sphere are those of the horizontal fields.
#[test]
fn symmetric_sphere_section_3() {
    let mut system = system(builtin("symmetric-sphere"));
    let (reduction, poincare) = reduced(&mut system);
    assert_eq!((reduction.horizontal.cols(), reduction.admissible.cols()), (2, 1));
    let model = system.model.clone();
    let vector = |system: &mut System, formula: &str| -> Vec<Expr> {
        model.formula(&mut system.graph, formula).unwrap_or_else(|e| panic!("{formula}: {e}"))
    };
    let z = vector(&mut system, "[R[1,3], R[2,3], R[3,3]]");
    let radius = vector(&mut system, "r")[0];
    let g = &mut system.graph;
    let zero = g.zero();
    let one = g.one();
    let up = vec![zero, zero, radius];

    // ż_i of the two horizontal fields
    let tangents: Vec<Vec<Expr>> = (0..2)
        .map(|i| {
            let rates = system.configuration.rates_along(g, &reduction.horizontal.col(i));
            g.along_all(&z, &rates)
        })
        .collect();

    // A = (Ω³, ẋ − (z × ż) × r e₃)
    let spin = vector(&mut system, "[Omega[3], x', y', 0]");
    let zd = vector(&mut system, "cross(R*Omega, [R[1,3], R[2,3], R[3,3]])");
    let g = &mut system.graph;
    let carried = cross(g, &z, &zd);
    let carried = cross(g, &carried, &up);
    assert_equal(g, poincare.connection[0], spin[0], "A = (Ω³, ẋ − (z × ż) × r e₃)");
    for i in 0..2 {
        let wanted = g.sub(spin[1 + i], carried[i]);
        assert_equal(g, poincare.connection[1 + i], wanted, "A = (Ω³, ẋ − (z × ż) × r e₃)");
    }

    // B̃ = −(⟨ż₁ × ż₂, z⟩, 2 (ż₁ × ż₂) × r e₃)
    let (a, b, curvature) = &poincare.curvature[0];
    let area = cross(g, &tangents[*a], &tangents[*b]);
    let flat = cross(g, &area, &up);
    let about = dot(g, &area, &z);
    let two = g.int(2);
    let minus = g.neg(about);
    assert_equal(g, curvature[0], minus, "B̃ = −(⟨ż₁ × ż₂, z⟩, 2 (ż₁ × ż₂) × r e₃)");
    for i in 0..2 {
        let twice = g.mul(two, flat[i]);
        let wanted = g.neg(twice);
        assert_equal(g, curvature[1 + i], wanted, "B̃ = −(⟨ż₁ × ż₂, z⟩, 2 (ż₁ × ż₂) × r e₃)");
        let once = g.neg(flat[i]);
        assert_differs(g, curvature[1 + i], once, "B̃ = −(⟨ż₁ × ż₂, z⟩, 2 (ż₁ × ż₂) × r e₃)");
    }

    // ż = Σ u_i ż_i, v̄ = (v₀, v₁), and their derivatives along the motion with free accelerations
    let u: Vec<Expr> = poincare.frame.xi[..2].iter().map(|s| g.var(*s)).collect();
    let v: Vec<Expr> = poincare.vertical_velocities.iter().map(|s| g.var(*s)).collect();
    let zd: Vec<Expr> = (0..3)
        .map(|k| {
            let (p, q) = (g.mul(u[0], tangents[0][k]), g.mul(u[1], tangents[1][k]));
            g.add(p, q)
        })
        .collect();
    let velocities = poincare.frame.velocities(g);
    let mut motion: Rates = system.configuration.rates_along(g, &velocities);
    for (s, acceleration) in poincare.frame.xi.iter().zip(&poincare.accelerations) {
        let rate = g.var(*acceleration);
        motion.insert(*s, rate);
    }

    // ℓ = ½ I₁ ż² + ½ I₃ v₀² + ½ M (v₁ + (z × ż) × r e₃)²
    let [mass, i1, i3] = ["M", "I1", "I3"].map(|n| g.named(n));
    let v1 = [v[1], v[2], zero];
    let rolled = cross(g, &z, &zd);
    let rolled = cross(g, &rolled, &up);
    let xd: Vec<Expr> = (0..3).map(|k| g.add(v1[k], rolled[k])).collect();
    let (zz, xx, vv) = (dot(g, &zd, &zd), dot(g, &xd, &xd), g.mul(v[0], v[0]));
    let parts = [g.mul(i1, zz), g.mul(i3, vv), g.mul(mass, xx)];
    let sum = g.sum(parts);
    let half = g.number(polhode_expr::number::ratio(1, 2));
    let wanted = g.mul(half, sum);
    assert_equal(g, poincare.lagrangian, wanted, "ℓ = ½ I₁ ż² + ½ I₃ v₀² + ½ M (v₁ + (z × ");

    // vertical: D/Dt (I₃ v₀, M (v₁ + (z × ż) × r e₃)) · (1, z × r e₃) = 0
    let arm = cross(g, &z, &up);
    let v0_rate = g.along(v[0], &motion);
    let xdd = g.along_all(&xd, &motion);
    let (push, spin_up) = (dot(g, &xdd, &arm), g.mul(i3, v0_rate));
    let push = g.mul(mass, push);
    let wanted = g.add(spin_up, push);
    assert_equal(g, poincare.vertical[0].residual, wanted, "vertical: D/Dt (I₃ v₀, M (v₁ + (z × ż) ×");

    // v̄ ∈ s̃: v₁ = v₀ z × r e₃
    let nu = reduction.frame.xi[2];
    let nu = g.var(nu);
    assert_equal(g, poincare.constraint[0], nu, "v̄ ∈ s̃: v₁ = v₀ z × r e₃");
    for i in 0..2 {
        let wanted = g.mul(nu, arm[i]);
        assert_equal(g, poincare.constraint[1 + i], wanted, "v̄ ∈ s̃: v₁ = v₀ z × r e₃");
    }

    // horizontal, contracted with δz of each field, on the constraints:
    // −I₁ ∇_ż ż + 2 M r² ż × (e₃ × (ω × e₃)) + z × (r e₃ × M ẍ) = ∂ℓ/∂v̄ (B̃(ż, ·))
    let on_d: Rates = poincare.vertical_velocities.iter().copied().zip(poincare.constraint.iter().copied()).collect();
    let mut rates_on_d = Rates::default();
    let mut free: Rates = motion.clone();
    free.retain(|s, _| !poincare.vertical_velocities.contains(s));
    let nu_symbol = reduction.frame.xi[2];
    let nu_rate = polhode_model::Configuration::acceleration(g, nu_symbol);
    let nu_rate = g.var(nu_rate);
    free.insert(nu_symbol, nu_rate);
    let free: Rates = free.into_iter().map(|(s, e)| (s, g.substitute(e, &on_d))).collect();
    for (s, value) in poincare.vertical_velocities.iter().zip(&poincare.constraint) {
        let rate = g.along(*value, &free);
        let symbol = polhode_model::Configuration::acceleration(g, *s);
        rates_on_d.insert(symbol, rate);
    }
    let put = |g: &mut Graph, e: Expr| {
        let e = g.substitute(e, &rates_on_d);
        g.substitute(e, &on_d)
    };
    let zdd = g.along_all(&zd, &free);
    let omega: Vec<Expr> = {
        let roll = cross(g, &z, &zd);
        (0..3)
            .map(|k| {
                let s = g.mul(nu, z[k]);
                g.add(s, roll[k])
            })
            .collect()
    };
    let e3 = vec![zero, zero, one];
    let xd = cross(g, &omega, &up);
    let xdd = g.along_all(&xd, &free);
    let force: Vec<Expr> = xdd.iter().map(|e| g.mul(mass, *e)).collect();
    let lever = cross(g, &up, &force);
    let torque = cross(g, &z, &lever);
    let turned = cross(g, &omega, &e3);
    let turned = cross(g, &e3, &turned);
    let turned = cross(g, &zd, &turned);
    let radius2 = g.mul(radius, radius);
    let weight = g.product([two, mass, radius2]);
    for i in 0..2 {
        let delta = &tangents[i];
        let (inertia, gyration, moment) = (dot(g, &zdd, delta), dot(g, &turned, delta), dot(g, &torque, delta));
        let left = [g.mul(i1, inertia), g.mul(weight, gyration), moment];
        let minus = g.neg(left[0]);
        let left = g.sum([minus, left[1], left[2]]);
        let area = cross(g, &zd, delta);
        let about = dot(g, &area, &z);
        let flat = cross(g, &area, &up);
        let momentum = dot(g, &xd, &flat);
        let right = [g.product([i3, nu, about]), g.product([two, mass, momentum])];
        let right = g.sum(right);
        // left − (−right) vanishes, and the residual is its negative
        let sum = g.add(left, right);
        let wanted = g.neg(sum);
        let found = put(g, poincare.horizontal[i].residual);
        assert_equal(g, found, wanted, "left − (−right) vanishes, and the residu");
    }
}

fn cross(g: &mut Graph, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    (0..3)
        .map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (p, q) = (g.mul(a[i], b[j]), g.mul(a[j], b[i]));
            g.sub(p, q)
        })
        .collect()
}

/// [BlochEtAl1996, §8.4]: the snakeboard on SE(2) with J + J₀ + 2 J₁ = m r². Along the field 2 r cos²φ e_x + sin 2φ ∂_θ of S the
/// momentum p obeys ṗ = 2 J₀ cos²φ φ̇ ψ̇ − tan φ φ̇ p.
#[test]
fn momentum_equation_of_the_snakeboard() {
    let text = builtin("snakeboard")
        .replace("+ J/2*theta'^2", "+ (m*r^2 - J0 - 2*J1)/2*theta'^2")
        .replace(", \"d/dpsi\"]", "]");
    let formulas = [
        ("p", "2*m*r*cos(phi)^2*(x'*cos(theta) + y'*sin(theta)) + 2*sin(phi)*cos(phi)*(m*r^2*theta' + J0*psi')"),
        ("rate", "2*J0*cos(phi)^2*phi'*psi'"),
        ("factor", "-tan(phi)*phi'"),
        ("field", "[2*r*cos(phi)^2*cos(theta), 2*r*cos(phi)^2*sin(theta), 2*sin(phi)*cos(phi)]"),
    ];
    let mut paper = Paper::new(&text, &[], &[], &formulas);
    let (reduction, poincare) = reduced(&mut paper.system);
    assert_eq!((reduction.horizontal.cols(), reduction.admissible.cols()), (2, 1));
    // the field of S is a multiple of the published one, and so is its momentum
    let field = paper.right("field");
    let s = reduction.admissible.col(0);
    let g = &mut paper.system.graph;
    let scale = g.div(field[2], s[2]);
    for k in 0..3 {
        let scaled = g.mul(scale, s[k]);
        assert_equal(g, scaled, field[k], "the field of S is a multiple of the publ");
    }
    let scaled = g.mul(scale, poincare.vertical[0].momentum);
    let definitions: Rates = {
        let v: Vec<Expr> = paper.system.configuration.velocities().to_vec().iter().map(|v| g.var(*v)).collect();
        let values = poincare.frame.quasi_velocities(g, &v);
        poincare.frame.xi.iter().copied().zip(values).collect()
    };
    let scaled = g.substitute(scaled, &definitions);
    let p = paper.value("p");
    let (found, wanted) = (paper.at(Where::OnConstraints, scaled), paper.at(Where::OnConstraints, p));
    assert_equal(&mut paper.system.graph, found, wanted, "the field of S is a multiple of the publ");
    // and the momentum equation holds on the motion
    paper.derive(Form::Ldap);
    let found = paper.rate_on_motion(p);
    let (push, factor) = (paper.value("rate"), paper.value("factor"));
    let g = &mut paper.system.graph;
    let coupled = g.mul(factor, p);
    let wanted = g.add(push, coupled);
    let wanted = paper.at(Where::OnMotion, wanted);
    assert_equal(&mut paper.system.graph, found, wanted, "and the momentum equation holds on the m");
}

/// The built-in models with a symmetry.
fn with_symmetries() -> impl Iterator<Item = (&'static str, System)> {
    let parsed = |entry: &'static builtin::Builtin| {
        let options = ParseOptions::default();
        let (model, _) = Model::parse(entry.name, entry.text, &options).unwrap_or_else(|e| panic!("{e}"));
        let system = || System::new(&model).unwrap_or_else(|e| panic!("{e}")).0;
        (!model.symmetries.is_empty()).then(|| (entry.name, system()))
    };
    builtin::ALL.iter().filter_map(parsed)
}

/// For every model with a symmetry: the fields of the frame are admissible where they should be, commute with the generators, the
/// connection vanishes on H, and H ⊥ S in the kinetic metric unless the model has a connection of its own.
#[test]
fn frames_are_adapted_and_invariant() {
    let mut seen = 0;
    for (name, mut system) in with_symmetries() {
        let reduction = match system.reduction() {
            Ok(reduction) => reduction,
            Err(why) => panic!("{name}: {why}"),
        };
        seen += 1;
        assert_eq!(reduction.frame.k, system.degrees_of_freedom(), "{name}");
        let rows = system.distribution.independent_rows();
        for j in 0..reduction.frame.k {
            let e = reduction.frame.e.col(j);
            for i in 0..rows.rows() {
                let slip = dot(&mut system.graph, rows.row(i), &e);
                assert!(system.is_zero(slip), "{name}: field {j} slips");
            }
        }
        for j in 0..reduction.frame.n() {
            let e = reduction.frame.e.col(j);
            let along = system.configuration.rates_along(&mut system.graph, &e);
            for x in &reduction.symmetry.fields {
                // [X, e] = 0: what one field does to the rates of the other
                for s in system.configuration.positions().to_vec() {
                    let g = &mut system.graph;
                    let zero = g.zero();
                    let (ex, xx) = (*along.get(&s).unwrap_or(&zero), *x.rates.get(&s).unwrap_or(&zero));
                    let (p, q) = (g.along(ex, &x.rates), g.along(xx, &along));
                    let bracket = g.sub(p, q);
                    assert!(system.is_zero(bracket), "{name}: field {j} is not invariant under {}", x.text);
                }
            }
        }
        if reduction.connection == Connection::Kinetic {
            let v = system.configuration.velocities().to_vec();
            let momenta: Vec<Expr> = v.iter().map(|s| system.graph.derivative(system.lagrangian, *s)).collect();
            let metric = Matrix::from_fn(v.len(), v.len(), |a, b| system.graph.derivative(momenta[a], v[b]));
            for h in 0..reduction.horizontal.cols() {
                for s in 0..reduction.admissible.cols() {
                    let lowered = metric.mul_vec(&mut system.graph, &reduction.admissible.col(s));
                    let product = dot(&mut system.graph, &lowered, &reduction.horizontal.col(h));
                    assert!(system.is_zero(product), "{name}: H is not orthogonal to S");
                }
            }
        }
    }
    assert!(seen >= 12, "only {seen} models have a symmetry");
}

/// The equations of the reduction contain no group variable: their rates do not change along the generators.
#[test]
fn reduced_equations_close_on_the_quotient() {
    for name in ["rolling-disk", "rolling-disk-centre", "symmetric-sphere", "snakeboard", "chaplygin-sleigh", "suslov"]
    {
        let mut system = system(builtin(name));
        let reduction = system.reduction().unwrap_or_else(|why| panic!("{name}: {why}"));
        let equations = reduction.equations(&mut system);
        for x in &reduction.symmetry.fields {
            for rate in &equations.rates {
                let change = system.graph.along(*rate, &x.rates);
                assert!(system.is_zero(change), "{name}: a rate changes along {}", x.text);
            }
        }
    }
}

/// The equations that a reduced run integrates are the equations of motion, for every model with a symmetry: the accelerations on
/// the constraints are those with multipliers.
#[test]
fn closed_equations_are_the_equations_of_motion() {
    let mut seen = 0;
    for (name, mut system) in with_symmetries() {
        let closed = system.closed_equations().unwrap_or_else(|why| panic!("{name}: {why}"));
        let wanted = system.equations(Form::Multipliers).unwrap();
        let (found, wanted) = (closed.accelerations(&mut system), wanted.accelerations(&mut system));
        let frame = system.voronets_frame();
        let admissible = frame.velocities(&mut system.graph);
        let on_d: Rates = system.configuration.velocities().iter().copied().zip(admissible).collect();
        for (a, b) in found.into_iter().zip(wanted) {
            let difference = system.graph.sub(a, b);
            let difference = system.graph.substitute(difference, &on_d);
            assert!(system.is_zero(difference), "{name}");
        }
        seen += 1;
    }
    assert!(seen >= 17, "only {seen} models state a symmetry");
}

/// Structure constants: SE(2) from its generators, SO(3) from both sides with opposite signs.
#[test]
fn structure_constants() {
    let mut sleigh = system(builtin("chaplygin-sleigh"));
    let se2 = sleigh.symmetry().unwrap();
    assert!(!se2.is_abelian(&sleigh.graph) && se2.free);
    // [∂_x, x ∂_y − y ∂_x + ∂_θ] = ∂_y
    let one = sleigh.graph.one();
    assert_eq!(se2.structure[0][2][1], one);
    let mut ball = system(builtin("homogeneous-ball"));
    let right = ball.symmetry().unwrap();
    let one = ball.graph.one();
    assert_eq!(right.structure[2][3][4], one, "right-moving fields are the base frame");
    let mut body = system(builtin("free-rigid-body"));
    let left = body.symmetry().unwrap();
    let minus = body.graph.int(-1);
    assert_eq!(left.structure[0][1][2], minus, "the fields of the left action have the opposite bracket");
}

/// What is no symmetry, does not close, or is no connection is named.
#[test]
fn wrong_symmetries_are_refused() {
    let cases = [
        ("rolling-disk", "\"d/dpsi\", \"d/dx\", \"d/dy\"]", "\"d/dtheta\"]", "not-a-symmetry", "sin(theta)"),
        ("vertical-penny", "\"d/dphi + x", "\"2*d/dphi + x", "not-a-symmetry", "constraints"),
        ("chaplygin-sleigh", "\"d/dx\", \"d/dy\", ", "\"d/dx\", ", "open-symmetry", "d/dy"),
        ("symmetric-sphere", "x = \"r*R[2,1]\"", "x = \"2*r*R[2,1]\"", "not-a-connection", "violates"),
        ("rolling-disk", "horizontal = [\"d/dtheta\", ", "horizontal = [", "not-a-connection", "2 horizontal fields"),
        (
            "rolling-disk",
            "horizontal = [\"d/dtheta\", ",
            "horizontal = [\"d/dtheta + x*d/dpsi - r*x*cos(phi)*d/dx - r*x*sin(phi)*d/dy\", ",
            "not-a-connection",
            "not invariant under d/dx",
        ),
    ];
    for (name, old, new, code, part) in cases {
        let text = builtin(name);
        assert!(text.contains(old), "{name}: {old}");
        let mut system = system(&text.replace(old, new));
        match system.reduction() {
            Err(NotReducible::Refused(diagnostics)) => {
                let first = diagnostics.iter().next().unwrap();
                let whole = format!("{} {}", first.message, first.notes.join(" "));
                assert_eq!(first.code, code, "{whole}");
                assert!(whole.contains(part), "{whole}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// When D + V is not TQ the constraints bind the base, and the forms still agree.
#[test]
fn dimension_assumption_may_fail() {
    let text = r#"
[parameters]
m = 1
[coordinates]
x = "real"
y = "real"
z = "real"
w = "real"
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2 + z'^2 + w'^2)"
[constraints]
first  = "z' = y*x'"
second = "y' = x*x'"
[symmetry]
generators = ["d/dz", "d/dw"]
"#;
    let mut system = system(text);
    let reduction = system.reduction().unwrap();
    assert!(!reduction.dimension_assumption());
    assert_eq!((reduction.horizontal.cols(), reduction.admissible.cols(), reduction.forbidden.cols()), (1, 1, 1));
    let verification = verify(&mut system, 5).unwrap();
    assert!(verification.forms.contains(&Form::Ldap) && verification.agrees(1e-40));
}

/// Cyclic coordinates and Euclidean motions are found where a model states nothing.
#[test]
fn symmetries_are_suggested() {
    let cases = [
        ("rolling-disk", vec!["d/dpsi", "d/dx", "d/dy", "d/dphi - y*d/dx + x*d/dy"]),
        ("knife-edge", vec!["d/dy"]),
        (
            "suslov",
            vec!["{ R = \"hat([1, 0, 0])*R\" }", "{ R = \"hat([0, 1, 0])*R\" }", "{ R = \"hat([0, 0, 1])*R\" }"],
        ),
        (
            "rattleback",
            vec![
                "{ x_O = \"[1, 0, 0]\" }",
                "{ x_O = \"[0, 1, 0]\" }",
                "{ R = \"hat([0, 0, 1])*R\", x_O = \"[-x_O[2], x_O[1], 0]\" }",
            ],
        ),
        ("ellipsoid-on-ellipsoid", vec![]),
    ];
    for (name, wanted) in cases {
        let mut system = system(builtin(name));
        let found: Vec<String> = system.suggested_symmetries().into_iter().map(|f| f.text).collect();
        assert_eq!(found, wanted, "{name}");
    }
}

/// A sledge with a stated symmetry.
fn sledge(kinetic: &str, constraint: &str, y: &str, generators: &str) -> System {
    system(&format!(
        r#"
[coordinates]
x = "real"
y = "{y}"
th = "angle"
[lagrangian]
kinetic = "{kinetic}"
[constraints]
blade = "{constraint}"
[symmetry]
generators = {generators}
"#
    ))
}

/// A generator X(q, t) adds ∂X/∂t to velocities: t ∂_x changes L by ẋ and a constraint by its coefficient. In axes that turn with the
/// rate 1 the translations of space are fields that turn the other way, and symmetries.
#[test]
fn generators_that_depend_on_time() {
    let free = "(x'^2 + y'^2 + th'^2)/2";
    let blade = "y'*cos(th) = x'*sin(th)";
    for generators in [r#"["t*d/dx"]"#, r#"["d/dx + t*d/dy"]"#] {
        let refused = sledge(free, blade, "real", generators).symmetry().unwrap_err();
        let first = refused.iter().next().unwrap();
        assert_eq!(first.code, "not-a-symmetry");
        assert!(first.message.contains("changes the Lagrangian"), "{}", first.message);
    }
    let turning = "((x' - y)^2 + (y' + x)^2 + th'^2)/2";
    let blade = "(y' + x)*cos(th) = (x' - y)*sin(th)";
    let refused = sledge(turning, blade, "real", r#"["d/dx"]"#).symmetry();
    assert!(refused.is_err(), "a translation of the turning axes");
    let alone = r#"["cos(t)*d/dx - sin(t)*d/dy", "sin(t)*d/dx + cos(t)*d/dy"]"#;
    let mut turning_axes = sledge(turning, blade, "real", alone);
    assert!(turning_axes.symmetry().is_ok(), "{:?}", turning_axes.symmetry().err());
    assert!(matches!(turning_axes.reduction(), Err(NotReducible::ChangesWithTime(_))));
    // the same fields, and a blade that stands on the turning axes
    let refused = sledge(turning, "y'*cos(th) = x'*sin(th)", "real", alone).symmetry().unwrap_err();
    assert!(refused.iter().next().unwrap().message.contains("changes the constraints"));
}

/// The group of x ↦ a x + b, y ↦ a y on y > 0: the same invariant frame whether y has ends or not.
#[test]
fn an_interval_may_be_moved_by_the_group() {
    let generators = r#"["d/dx", "x*d/dx + y*d/dy"]"#;
    for y in ["real", "(0, 100)"] {
        let mut system = sledge("(x'^2 + y'^2)/y^2/2 + th'^2/2", "x'*sin(th) = y'*cos(th)", y, generators);
        let reduction = system.reduction().unwrap_or_else(|why| panic!("{y}: {why}"));
        assert_eq!((reduction.horizontal.cols(), reduction.admissible.cols()), (1, 1), "{y}");
        let closed = system.closed_equations().unwrap();
        let [x, y] = ["x", "y"].map(|s| system.graph.find_symbol(s).unwrap());
        assert!(closed.rates.iter().all(|e| !system.graph.contains_any(*e, &[x, y])), "the rates close on θ");
    }
}

/// A ball on a sphere has the turns of space and those of the ball, six fields in five dimensions: of the free subalgebras that they
/// span the largest is one so(3) with one turn of the other.
#[test]
fn dependent_symmetries_leave_the_largest_free_part() {
    let mut system = system(
        r#"
[parameters]
b = 1
r = 0.3
[coordinates]
s = "S2"
R = "SO(3)"
[define]
G = "(b + r)*s"
[lagrangian]
kinetic = "norm2(dt(G))/2 + norm2(Omega)/40"
[constraints]
roll = "velocity_at(G, R, b*s) = 0"
"#,
    );
    let found = system.suggested_symmetries();
    assert_eq!(found.len(), 6);
    let part = system.free_part(found).unwrap();
    assert!(part.free && !part.is_abelian(&system.graph));
    assert_eq!(part.dimension(), 4);
    system.closed_equations().unwrap_or_else(|why| panic!("{why}"));
}

/// The quotient of the plane with a direction by the turns about the origin has the coordinates of the origin as seen from the sledge.
#[test]
fn invariants_that_are_products() {
    let spring = "(x'^2 + y'^2 + th'^2)/2 - (x^2 + y^2)/2";
    let mut system = sledge(spring, "y'*cos(th) = x'*sin(th)", "real", r#"["d/dth + x*d/dy - y*d/dx"]"#);
    let reduction = system.reduction().unwrap();
    assert_eq!(reduction.base.len(), 2);
    let turn = reduction.symmetry.fields[0].rates.clone();
    for f in reduction.base.clone() {
        let change = system.graph.along(f, &turn);
        assert!(system.is_zero(change));
    }
}

/// Brackets of vertical fields are those of the algebra: the connection, long as it may be, has no part in them.
#[test]
fn the_connection_is_not_in_the_adjoint_bundle() {
    let mut system = system(
        r#"
[coordinates]
x = "real"
y = "real"
th = "angle"
X = "real"
Y = "real"
[lagrangian]
kinetic = "norm2(dt([x + cos(th)/5, y + sin(th)/5]))/2 + th'^2/3 + (X'^2 + Y'^2)/5"
[constraints]
blade = "y'*cos(th) = x'*sin(th)"
rod = "(X - x)^2 + (Y - y)^2 = 1/2"
"#,
    );
    let poincare = system.reduction_by_found(Connection::Kinetic).unwrap().poincare(&mut system);
    assert_eq!(poincare.adjoint.len(), 2, "[v₁, v₂] and [v₁, v₃]");
    for (_, _, components) in &poincare.adjoint {
        assert!(components.iter().all(|e| system.graph.as_number(*e).is_some()));
    }
}
