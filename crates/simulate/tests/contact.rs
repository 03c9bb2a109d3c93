//! Contact kinematics: against differences along motions, against closed forms, against reference data.

use crate::common;

use common::{file, system};
use polhode_mechanics::{Form, System};
use polhode_simulate::contact::{Affine, ContactKinematics, ContactState, Contacts, Relative, Touching};
use polhode_simulate::{Compile, CompileOptions, Run, Sample, Trajectory};

type V = [f64; 3];

fn dot(a: &V, b: &V) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: &V, b: &V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn add(a: &V, s: f64, b: &V) -> V {
    std::array::from_fn(|i| a[i] + s * b[i])
}

fn mul(m: &[V; 3], v: &V) -> V {
    m.map(|row| dot(&row, v))
}

fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    let size = a.iter().chain(b).fold(1.0, |m: f64, x| m.max(x.abs()));
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * size, "{what}: {a:?} and {b:?}");
    }
}

/// f′ at 0 from values at ±h, ±2h, ±3h, ±4h: of order 8.
fn derivative<const N: usize>(h: f64, mut f: impl FnMut(f64) -> [f64; N]) -> [f64; N] {
    let mut sum = [0.0; N];
    for (k, w) in [(1.0, 4.0 / 5.0), (2.0, -1.0 / 5.0), (3.0, 4.0 / 105.0), (4.0, -1.0 / 280.0)] {
        let (plus, minus) = (f(k * h), f(-k * h));
        (0..N).for_each(|i| sum[i] += w * (plus[i] - minus[i]) / h);
    }
    sum
}

/// The contacts at a sample, by value.
fn at(kinematics: &mut ContactKinematics, sample: &Sample) -> Contacts {
    kinematics.at_sample(sample).clone()
}

fn moved(text: &str, until: f64) -> (System, Trajectory) {
    let mut system = system(text);
    let options = CompileOptions { form: Some(Form::Multipliers), ..CompileOptions::default() };
    let compiled = system.compile_with(&options).unwrap_or_else(|e| panic!("{e}"));
    let motion = compiled.solve(&Run::until(until)).expect("a run");
    (system, motion)
}

const ELLIPSOID_SLIDES: &str = r#"
[gravity]
g = 9.81
[body.egg]
mass    = 1
surface = { ellipsoid = [0.5, 0.4, 0.3] }
inertia = "solid"
[ground]
surface      = { paraboloid = [2, 3], inside = true }
frictionless = true
[initial.egg]
touching = [0.3, 0.2, "0.3^2/4 + 0.2^2/6"]
omega    = [1, 2, 3]
"#;

const SKEW_CHART: &str = r#"
[gravity]
g = 9.81
[body.ball]
mass    = 1
surface = { ellipsoid = [0.2, 0.25, 0.3] }
inertia = "solid"
[ground]
surface = { parametric = ["u + v/3", "v", "(u + v/3)^2/4 + v^2/6 + u*v/9"] }
[initial.ball]
touching = ["0.1 + 0.2/3", 0.2, "(0.1 + 0.2/3)^2/4 + 0.2^2/6 + 0.02/9"]   # u = 0.1, v = 0.2
omega    = [1, 2, 3]
"#;

const MOVING_BOWL: &str = r#"
[gravity]
g = 9.81
[body.egg]
mass    = 1
surface = { ellipsoid = [0.3, 0.25, 0.2] }
inertia = "solid"
[ground.bowl]
surface  = { paraboloid = [1, 1], inside = true }
position = "[0.1*sin(2*t), 0.2*t, 0.1*cos(t)]"
rotation = "Rz(0.7*t)*Rx(0.2*sin(t))"
belt     = { velocity = [0, 0, 0], spin = [0, 0, 0.5] }
[contact.inside]
between = ["egg", "bowl"]
[initial.egg]
touching = [0, 0, 0]
omega    = [1, 0.5, 3]
"#;

const ROLLER: &str = r#"
[gravity]
g = 9.81
[body.drum]
mass    = 2
surface = { cylinder = 0.5, length = 1 }
inertia = "solid"
[ground]
surface = "plane"
[initial.drum]
touching = [0, 0, 0]
rotation = "Rx(pi/2)"
omega    = [0, 2, 0]
"#;

/// Everything that is said to be a derivative is one, along motions.
#[test]
fn rates_are_derivatives_along_motions() {
    let texts = [
        ("rattleback", file("models/rattleback.toml")),
        ("ellipsoid-on-ellipsoid", file("models/ellipsoid-on-ellipsoid.toml")),
        ("wheel-in-shell", file("models/wheel-in-shell.toml")),
        ("ball-between-plates", file("models/ball-between-plates.toml")),
        ("coin-in-funnel", file("models/coin-in-funnel.toml")),
        ("turntable", file("filetests/trajectories/models/turntable.toml")),
        ("frictionless", ELLIPSOID_SLIDES.to_string()),
        ("skew chart", SKEW_CHART.to_string()),
        ("moving bowl", MOVING_BOWL.to_string()),
        ("roller", ROLLER.to_string()),
    ];
    for (name, text) in texts {
        let (mut system, motion) = moved(&text, 0.4);
        assert_eq!(motion.end(), 0.4, "{name}");
        let mut kinematics = ContactKinematics::new(&mut system).unwrap_or_else(|e| panic!("{e}"));
        let (t, h) = (0.2, 0.0005);
        let mut near: Vec<(f64, Contacts)> = Vec::new();
        for k in -4..=4 {
            let dt = f64::from(k) * h;
            near.push((dt, at(&mut kinematics, &motion.at(t + dt).expect("within"))));
        }
        let nearby = |dt: f64| &near.iter().find(|(x, _)| (x - dt).abs() < 1e-9).expect("a state").1;
        let now = nearby(0.0);
        for (k, c) in now.contacts.iter().enumerate() {
            let what = |s: &str| format!("{name}, {}: {s}", c.name);
            let rate = |f: &dyn Fn(&ContactState) -> V| derivative(h, |dt| f(&nearby(dt).contacts[k]));
            let check = |value: &V, f: &dyn Fn(&ContactState) -> V, s: &str| close(value, &rate(f), 1e-8, &what(s));
            check(&c.rate.value, &|c| c.sides[0].point, "c′");
            check(&c.second_rate.value, &|c| c.sides[1].point, "c₁′");
            check(&c.point_velocity.value, &|c| c.point, "p′");
            check(&c.normal_rate, &|c| c.sides[0].normal, "ν′");
            let second = |f: &Affine| f.derivative(&now.accelerations);
            check(&second(&c.rate), &|c| c.rate.value, "c″");
            check(&second(&c.second_rate), &|c| c.second_rate.value, "c₁″");
            check(&second(&c.point_velocity), &|c| c.point_velocity.value, "p″");
            check(&second(&c.slip), &|c| c.slip.value, "u′");
            check(&second(&c.slip_world), &|c| c.slip_world.value, "u′ in the world");
            let opening = c.opening.derivative(&now.accelerations);
            close(&[c.opening.value, opening], &[0.0, 0.0], 1e-10, &what("stays closed"));
            if !c.frictionless {
                close(&second(&c.slip), &[0.0; 3], 1e-10, &what("J v̇ + J̇ v = 0"));
                close(&c.slip.value, &[0.0; 3], 1e-12, &what("J v + j₀ = 0"));
            } else {
                assert!(dot(&c.slip.value, &c.slip.value) > 0.01, "it slides");
            }
            // the same velocity from Montana's equations, on both sides, and the angle between the frames
            let axes = [0, 1].map(|i| {
                let normal = c.sides[i].normal;
                let least = (0..3).min_by(|a, b| normal[*a].abs().total_cmp(&normal[*b].abs())).expect("an axis");
                Some(std::array::from_fn(|i| f64::from(u8::from(i == least))))
            });
            if name == "roller" {
                assert!(
                    c.montana().rates.iter().flatten().all(|x| x.is_nan()),
                    "a line of contact has no velocity across it"
                );
                continue;
            }
            for m in [c.montana(), c.montana_along(axes)] {
                for (i, f) in [&c.rate, &c.second_rate].into_iter().enumerate() {
                    let g = &m.sides[i];
                    let arc: [f64; 2] = std::array::from_fn(|a| (0..2).map(|b| g.metric[a][b] * m.rates[i][b]).sum());
                    let over = add(&g.frame[0].map(|x| x * arc[0]), arc[1], &g.frame[1]);
                    close(&over, &f.value, 1e-11, &what("Montana"));
                }
            }
            let angle = derivative(h, |dt| {
                let there = nearby(dt).contacts[k].montana_along(axes).angle;
                let here = c.montana_along(axes).angle;
                [(there - here).sin().atan2((there - here).cos())]
            });
            close(&[c.montana_along(axes).angle_rate], &angle, 1e-8, &what("ψ′"));
            let angle = derivative(h, |dt| {
                let (there, here) = (nearby(dt).contacts[k].montana().angle, c.montana().angle);
                [(there - here).sin().atan2((there - here).cos())]
            });
            close(&[c.montana().angle_rate], &angle, 1e-8, &what("ψ′ in the usual frames"));
            // parameters of charts move as Montana says
            for i in 0..2 {
                let Some(_) = c.montana().sides[i].parameters else { continue };
                let there = |dt: f64| nearby(dt).contacts[k].montana().sides[i].parameters.expect("a chart");
                close(&c.montana().rates[i], &derivative(h, there), 1e-8, &what("u′, v′"));
            }
        }
        let velocities = |s: &Sample| -> Vec<f64> { kinematics.velocities().iter().map(|n| s[n.as_str()]).collect() };
        for (i, a) in now.accelerations.iter().enumerate() {
            let found = derivative(h, |dt| [velocities(&motion.at(t + dt).expect("within"))[i]]);
            close(&[*a], &found, 1e-8, &format!("{name}: {}′", kinematics.velocities()[i]));
        }
    }
}

/// R exp(h Ω̂) by Rodrigues' formula.
fn turned(r: &[V; 3], w: &V, h: f64) -> [V; 3] {
    let angle = h * dot(w, w).sqrt();
    if angle == 0.0 {
        return *r;
    }
    let axis = w.map(|x| x * h / angle);
    let (s, c) = angle.sin_cos();
    let columns: [V; 3] = std::array::from_fn(|j| {
        let e: V = std::array::from_fn(|i| f64::from(u8::from(i == j)));
        let along = dot(&axis, &e);
        let turned = add(&e.map(|x| c * x), s, &cross(&axis, &e));
        add(&turned, (1.0 - c) * along, &axis)
    });
    r.map(|row| columns.map(|column| dot(&row, &column)))
}

/// Positions of bodies (R, x_O each) after they moved for a time h with the velocities (V, Ω each); what else there is stays.
fn pushed(positions: &[f64], velocities: &[f64], h: f64) -> Vec<f64> {
    let mut out = positions.to_vec();
    for (k, v) in velocities.chunks(6).enumerate() {
        let at = 12 * k;
        let r: [V; 3] = std::array::from_fn(|i| std::array::from_fn(|j| positions[at + 3 * i + j]));
        let (slide, spin): (V, V) = ([v[0], v[1], v[2]], [v[3], v[4], v[5]]);
        let new = turned(&r, &spin, h);
        (0..9).for_each(|i| out[at + i] = new[i / 3][i % 3]);
        let step = mul(&r, &slide);
        (0..3).for_each(|i| out[at + 9 + i] += h * step[i]);
    }
    out
}

fn state(system: &System, sample: &Sample) -> (Vec<f64>, Vec<f64>) {
    let numbers = |symbols: &[polhode_expr::Symbol]| symbols.iter().map(|s| sample[system.graph.name(*s)]).collect();
    (numbers(system.configuration.positions()), numbers(system.configuration.velocities()))
}

/// J and j₀ from positions alone: the material at the contact, moved with both sides for any velocities, sliding and opening ones too.
#[test]
fn jacobians_are_differences_of_positions() {
    let texts = [
        file("models/rattleback.toml"),
        file("models/wheel-in-shell.toml"),
        file("models/ball-between-plates.toml"),
        file("models/ellipsoid-on-ellipsoid.toml"),
        MOVING_BOWL.to_string(),
    ];
    for text in texts {
        let (mut system, motion) = moved(&text, 0.3);
        let mut kinematics = ContactKinematics::new(&mut system).unwrap_or_else(|e| panic!("{e}"));
        let (t, sample) = (0.3, motion.at(0.3).expect("within"));
        let (q, _) = state(&system, &sample);
        let n = kinematics.velocities().len();
        let mut probes = vec![vec![0.0; n]];
        probes.extend((0..n).map(|k| (0..n).map(|i| f64::from(u8::from(i == k))).collect::<Vec<f64>>()));
        let rest = kinematics.at(t, &q, &probes[0]).clone();
        for (k, v) in probes.iter().enumerate() {
            let now = kinematics.at(t, &q, v).clone();
            for (j, c) in now.contacts.iter().enumerate() {
                let (own, other) = (c.sides[0].point, c.sides[1].point);
                let apart = derivative(0.02, |h| {
                    let sides = &kinematics.at(t + h, &pushed(&q, v, h), &probes[0]).contacts[j].sides;
                    let place = |i: usize, x: &V| add(&sides[i].position, 1.0, &mul(&sides[i].rotation, x));
                    add(&place(0, &own), -1.0, &place(1, &other))
                });
                let belt = mul(&c.sides[1].rotation, &c.sides[1].belt);
                let expected = add(&apart, -1.0, &belt);
                close(&c.slip_world.value, &expected, 1e-11, "u");
                close(&mul(&c.sides[0].rotation, &c.slip.value), &expected, 1e-11, "R u");
                close(&[c.opening.value], &[-dot(&c.normal, &expected)], 1e-11, "the normal row");
                close(&c.slip.rest, &rest.contacts[j].slip.value, 1e-13, "j₀");
                if k > 0 {
                    let column: V = std::array::from_fn(|i| c.slip_world.jacobian[i][k - 1] + c.slip_world.rest[i]);
                    close(&column, &expected, 1e-11, "a column of J");
                    let normal = c.opening.jacobian[k - 1] + c.opening.rest;
                    close(&[normal], &[c.opening.value], 1e-13, "a column of the normal row");
                }
            }
        }
    }
}

/// Two ellipsoids that slide on each other while they roll: the points that are said to touch do so, with opposite normals.
#[test]
fn sliding_ellipsoids_keep_touching() {
    let (mut system, motion) = moved(&file("models/ellipsoid-on-ellipsoid.toml"), 0.5);
    let mut kinematics = ContactKinematics::new(&mut system).unwrap_or_else(|e| panic!("{e}"));
    let (q, mut v) = state(&system, &motion.at(0.5).expect("within"));
    let before = kinematics.at(0.0, &q, &v).contacts[0].rate.value;
    // any velocity, but for the part that opens the contact
    [0.3, -0.2, 0.5, 0.7, -0.4, 0.6].iter().zip(&mut v).for_each(|(x, v)| *v += x);
    let c = kinematics.at(0.0, &q, &v).contacts[0].clone();
    (0..3).for_each(|i| v[i] -= dot(&c.slip.value, &c.sides[0].normal) * c.sides[0].normal[i]);
    let c = kinematics.at(0.0, &q, &v).contacts[0].clone();
    assert!(c.opening.value.abs() < 1e-14 && dot(&c.slip.value, &c.slip.value) > 0.1);
    assert!(dot(&add(&c.rate.value, -1.0, &before), &add(&c.rate.value, -1.0, &before)) > 0.01);

    let out = |x: &V| -> V {
        let w = [x[0] / 4.0, x[1] / 2.25, x[2]];
        w.map(|y| y / dot(&w, &w).sqrt())
    };
    let (own, other) = (c.sides[0].point, c.sides[1].point);
    let both: [f64; 6] = derivative(0.01, |h| {
        let q = pushed(&q, &v, h);
        let r: [V; 3] = std::array::from_fn(|i| std::array::from_fn(|j| q[3 * i + j]));
        let (a, b) = (add(&own, h, &c.rate.value), add(&other, h, &c.second_rate.value));
        let gap = add(&add(&[q[9], q[10], q[11]], 1.0, &mul(&r, &a)), -1.0, &b);
        let normals = add(&mul(&r, &out(&a)), 1.0, &out(&b));
        [gap[0], gap[1], gap[2], normals[0], normals[1], normals[2]]
    });
    close(&both, &[0.0; 6], 1e-11, "points and normals");
    close(&[dot(&c.rate.value, &out(&own))], &[0.0], 1e-14, "on the surface");

    // the second of Montana's equations in its own form
    let m = c.montana();
    let own = m.sides[0].curvature.expect("a surface");
    let k: [[f64; 2]; 2] = std::array::from_fn(|i| std::array::from_fn(|j| own[i][j] + m.seen[i][j]));
    let x: [f64; 2] = std::array::from_fn(|i| {
        let turned = [-m.omega[1], m.omega[0]];
        turned[i] + (0..2).map(|j| own[i][j] * m.velocity[j]).sum::<f64>()
    });
    let det = k[0][0] * k[1][1] - k[0][1] * k[1][0];
    let y = [(k[1][1] * x[0] - k[0][1] * x[1]) / det, (k[0][0] * x[1] - k[1][0] * x[0]) / det];
    let z = m.turn.map(|row| row[0] * y[0] + row[1] * y[1]);
    close(&m.rates[1], &z, 1e-13, "u₁′");
    let Relative::Surfaces { principal, .. } = &c.relative else { panic!("two surfaces") };
    close(&[det, c.relative.determinant()], &[principal.curvatures[0] * principal.curvatures[1]; 2], 1e-13, "det K");
}

/// A sphere on a plane, in latitude u and longitude v with x = ρ(cos u cos v, −cos u sin v, sin u): the five rates in closed form.
#[test]
fn sphere_on_plane_in_closed_form() {
    let text = r#"
[gravity]
g = 9.81
[body.ball]
mass    = 1
surface = { parametric = ["0.3*cos(u)*cos(v)", "-0.3*cos(u)*sin(v)", "0.3*sin(u)"] }
inertia = 0.036
[ground]
surface = "plane"
[initial.ball]
touching = [0, 0, 0]
rotation = "Rx(1.9)*Rz(0.4)"
omega    = [1, 2, 3]
"#;
    let (mut system, motion) = moved(text, 0.3);
    let mut kinematics = ContactKinematics::new(&mut system).unwrap_or_else(|e| panic!("{e}"));
    for t in [0.0, 0.1, 0.3] {
        let c = &kinematics.at_sample(&motion.at(t).expect("within")).contacts[0];
        let m = c.montana();
        let [u, _] = m.sides[0].parameters.expect("a chart");
        let (rho, [wx, wy, wz], (s, cos)) = (0.3, m.omega, m.angle.sin_cos());
        close(&m.rates[0], &[-wy, wx / u.cos()], 1e-13, "on the sphere");
        close(&m.rates[1], &[-rho * (s * wx + cos * wy), -rho * (cos * wx - s * wy)], 1e-13, "on the plane");
        close(&[m.angle_rate], &[wz - u.tan() * wx], 1e-13, "ψ′");
        let curvature = m.sides[0].curvature.expect("a surface");
        close(curvature.as_flattened(), &[1.0 / rho, 0.0, 0.0, 1.0 / rho], 1e-13, "K");
        close(m.sides[0].metric.as_flattened(), &[rho, 0.0, 0.0, rho * u.cos()], 1e-14, "M");
        close(&m.sides[0].torsion, &[0.0, -u.tan() / rho], 1e-13, "T");
        // what moves on the plane is the point below the centre
        let omega = mul(&c.sides[0].rotation, &c.sides[0].spin);
        close(&c.point_velocity.value, &cross(&omega, &[0.0, 0.0, rho]), 1e-13, "p′");
    }
}

/// The rim of a wheel in a shell, by the contact frame t, ν, s = ν × t and the tilt δ: the rim turns under the contact at the rate
/// κ = −R D·s/(R cos δ − a), D = ω − ω₁.
#[test]
fn rim_in_closed_form() {
    let (mut system, motion) = moved(&file("models/wheel-in-shell.toml"), 1.0);
    let mut kinematics = ContactKinematics::new(&mut system).unwrap_or_else(|e| panic!("{e}"));
    for t in [0.0, 0.3, 1.0] {
        let now = kinematics.at_sample(&motion.at(t).expect("within"));
        let c = now.contacts.iter().find(|c| c.name == "inside").expect("the wheel");
        let Touching::Edge { tangent, curvature_vector } = &c.sides[0].touching else { panic!("a rim") };
        let (big, a) = (0.95, 0.3);
        let (r, world) = (c.sides[0].rotation, |v: &V| mul(&c.sides[0].rotation, v));
        let axis: V = std::array::from_fn(|i| r[i][2]);
        let e = world(&c.sides[0].point).map(|x| x / a);
        let (nu, along) = (c.normal, cross(&axis, &e));
        close(&world(tangent), &along, 1e-12, "the tangent");
        close(&world(curvature_vector), &e.map(|x| -x / a), 1e-12, "κN");
        let s = cross(&nu, &along);
        let cos = dot(&e, &nu);
        let turning = world(&c.omega);
        let kappa = -big * dot(&turning, &s) / (big * cos - a);
        close(&world(&c.rate.value), &along.map(|x| kappa * a * x), 1e-11, "c′");
        // t·S₂t = −1/R in the hollow, κN·ν = −cos δ/a
        close(&[c.relative.determinant()], &[cos / a - 1.0 / big], 1e-11, "k");
        let center = std::array::from_fn(|i| c.sides[1].position[i]);
        close(&nu, &add(&c.point, -1.0, &center).map(|x| x / big), 1e-12, "ν");
    }
}

/// Velocities of the geometric point and forces of independent computations with 70 digits.
#[test]
fn points_and_forces_of_reference() {
    type Row = (&'static str, V, V, V);
    let cases: [(&str, f64, &[Row]); 4] = [
        (
            "models/wheel-in-shell.toml",
            2.0,
            &[
                (
                    "floor",
                    [0.061264432358618164, -1.2068952927752423, 0.0],
                    [0.0844465596787237, -0.9595230121067745, 0.0],
                    [5.636789102131881, -7.618176696684701, 55.99442551455762],
                ),
                (
                    "inside",
                    [-0.16016231924801314, -0.7314255844698593, 0.20791493502469752],
                    [3.1746442867726383, 2.7406843195009785, 1.3572835843457025],
                    [8.983383694445697, -14.164975797570225, 16.75442551455762],
                ),
            ],
        ),
        (
            "models/ball-on-ball.toml",
            0.5,
            &[
                (
                    "floor",
                    [-0.020959810198750827, 0.0, 0.0],
                    [-0.08515526234972713, 0.0, 0.0],
                    [0.796904394513073, 0.0, 23.428765298515618],
                ),
                (
                    "balls",
                    [0.419799461892118, 0.0, 1.8976253472724172],
                    [0.5868646826048675, 0.0, -0.3299806792096307],
                    [1.1315389605991097, 0.0, 3.8087652985156173],
                ),
            ],
        ),
        (
            "models/ball-in-cylinder.toml",
            2.0,
            &[(
                "",
                [0.8438539587324921, -0.5365729180004349, 0.38121368137865597],
                [3.21943750800261, 5.063123752394953, -0.617941632121318],
                [-13.670434131466372, 8.692481271607047, 1.2833669949202946],
            )],
        ),
        (
            "filetests/trajectories/models/turntable.toml",
            2.0,
            &[(
                "",
                [-0.49768392289414953, 0.410639027237486, 0.0],
                [-0.4662620233464166, -0.2694433624806996, 0.0],
                [0.20785630819939685, -0.35968784658152136, 8.829],
            )],
        ),
    ];
    for (path, t, rows) in cases {
        let (mut system, motion) = moved(&file(path), t);
        let mut kinematics = ContactKinematics::new(&mut system).unwrap_or_else(|e| panic!("{e}"));
        let now = kinematics.at_sample(&motion.at(t).expect("within"));
        for (name, point, velocity, force) in rows {
            let c = now.contacts.iter().find(|c| c.name == *name).expect("a contact of this name");
            close(&c.point, point, 1e-11, path);
            close(&c.point_velocity.value, velocity, 1e-11, path);
            close(&c.force.world, force, 1e-11, path);
            close(&[c.force.normal], &[-dot(force, &c.normal)], 1e-11, path);
            assert!(c.force.unique);
        }
    }
}

/// A turntable as a belt and as ground that turns: the same slip and point, but other rates over the second side.
#[test]
fn belts_and_turning_ground() {
    let belt = file("filetests/trajectories/models/turntable.toml");
    let turning = belt.replace("belt    = { spin = [0, 0, 3] }", "rotation = \"Rz(3*t)\"");
    assert_ne!(belt, turning);
    let states = [belt, turning].map(|text| {
        let (mut system, motion) = moved(&text, 1.0);
        let mut kinematics = ContactKinematics::new(&mut system).unwrap_or_else(|e| panic!("{e}"));
        at(&mut kinematics, &motion.at(1.0).expect("within"))
    });
    let [a, b] = states.each_ref().map(|s| &s.contacts[0]);
    close(&states[0].accelerations, &states[1].accelerations, 1e-10, "v̇");
    for (x, y, what) in
        [(&a.slip_world, &b.slip_world, "u"), (&a.rate, &b.rate, "c′"), (&a.point_velocity, &b.point_velocity, "p′")]
    {
        close(&x.value, &y.value, 1e-10, what);
        close(&x.rest, &y.rest, 1e-10, what);
        close(&x.drift, &y.drift, 1e-10, what);
        (0..3).for_each(|i| close(&x.jacobian[i], &y.jacobian[i], 1e-10, what));
    }
    // j₀ = −W × p, and the contact follows the centre
    let material = cross(&[0.0, 0.0, 3.0], &a.point);
    close(&a.slip_world.rest, &material.map(|x| -x), 1e-12, "j₀");
    close(&a.second_rate.value, &a.point_velocity.value, 1e-12, "over axes that stand");
    let seen = mul(&b.sides[1].rotation, &b.second_rate.value);
    close(&seen, &add(&a.point_velocity.value, -1.0, &material), 1e-10, "over axes that turn");
    assert!((a.omega[0] - b.omega[0]).abs() > 0.1, "relative to axes that turn the ball turns otherwise");
}

/// Between two plates one row is redundant: the force of a contact is then not unique.
#[test]
fn redundant_contacts_are_marked() {
    let (mut system, motion) = moved(&file("models/ball-between-plates.toml"), 0.1);
    let mut kinematics = ContactKinematics::new(&mut system).unwrap_or_else(|e| panic!("{e}"));
    let now = kinematics.at_sample(&motion.at(0.1).expect("within"));
    assert!(now.contacts.iter().all(|c| !c.force.unique));
    let sum: f64 = now.contacts.iter().map(|c| c.force.world[2]).sum();
    close(&[sum], &[0.9 * 9.81], 1e-12, "together they carry the ball");
}
