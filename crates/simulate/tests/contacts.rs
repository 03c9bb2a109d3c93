//! Contacts: points that are known against points that are carried along, restoration, the curves that contacts draw, redundancy, events.

use crate::prelude::*;
use polhode_mechanics::{Form, Inconsistent};
use polhode_simulate::Group;

const WHEEL: &str = include_str!("../../../models/wheel-in-shell.toml");

fn model(text: &str) -> Model {
    Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e}")).0
}

fn solve(text: &str, run: &Run) -> Trajectory {
    let (mut system, _) = System::new(&model(text)).unwrap_or_else(|e| panic!("{e}"));
    system.compile().unwrap_or_else(|e| panic!("{e}")).solve(run).expect("a sound run")
}

/// Every number that both have, at the end of the run.
fn agree(a: &str, b: &str, until: f64, tolerance: f64) {
    let run = Run::until(until).at([until]).sparse();
    let (a, b) = (solve(a, &run), solve(b, &run));
    let mut compared = 0;
    for v in &a.compiled().variables {
        let Some(w) = b.compiled().variables.iter().find(|w| w.name == v.name && w.group == v.group) else { continue };
        for (x, y) in a.last.numbers(v).iter().zip(b.last.numbers(w)) {
            assert!((x - y).abs() <= tolerance * x.abs().max(1.0), "{}: {x} and {y}", v.name);
            compared += 1;
        }
    }
    assert!(compared > 30, "only {compared} numbers");
}

#[test]
fn a_point_that_is_known_is_the_one_that_is_carried_along() {
    let body = |surface: &str, ground: &str, initial: &str| {
        format!(
            "[gravity]\ng = 9.81\n[body.b]\nmass = 1.3\ninertia = [0.02, 0.03, 0.04]\nsurface = {surface}\n\
             [ground]\n{ground}\n[initial.b]\n{initial}\n"
        )
    };
    let start = "rotation = \"Rx(0.4)*Ry(0.3)\"\nOmega = [1, 2, 3]";
    let egg = "{ ellipsoid = [0.3, 0.2, 0.1], centre = [0.01, 0.02, -0.01] }";
    let plane = |b: &str| body(egg, b, start);
    agree(&plane("surface = \"plane\""), &plane("surface = { implicit = \"z\" }"), 2.0, 1e-11);
    // on ice
    let ice = |b: &str| body(egg, &format!("{b}\nfrictionless = true"), &format!("{start}\nvelocity = [0.3, 0.1, 0]"));
    agree(&ice("surface = \"plane\""), &ice("surface = { implicit = \"z\" }"), 1.0, 1e-11);
    // on a belt in a moving bowl
    let bowl = |b: &str| {
        let moving =
            "position = \"[0.1*sin(t), 0.2*t, 0]\"\nrotation = \"Rz(0.3*t)\"\nbelt = { spin = [0.1, 0.2, 0.3] }";
        body("{ sphere = 0.2 }", &format!("{b}\n{moving}"), "touching = [0, 0, -1]\nOmega = [1, 2, 3]")
    };
    agree(
        &bowl("surface = { sphere = 1, inside = true }"),
        &bowl("surface = { implicit = \"1 - x^2 - y^2 - z^2\", size = 1 }"),
        2.0,
        1e-11,
    );
    let pipe = |b: &str| body("{ sphere = 0.2 }", b, "position = [0.8, 0, 0.1]\nOmega = [1, 2, 13]");
    agree(
        &pipe("surface = { cylinder = 1, inside = true }\nbelt = { spin = [0, 0, 1] }"),
        &pipe("surface = { implicit = \"1 - x^2 - y^2\", size = 1 }\nbelt = { spin = [0, 0, 1] }"),
        2.0,
        1e-11,
    );
    // the rim of a wheel as a curve, and the shell by its equation
    let edge = WHEEL.replace("rim = \"a\"", "edge = [\"a*cos(s)\", \"a*sin(s)\", \"0\"]");
    let level = WHEEL.replace("sphere = 0.95, inside = true", "implicit = \"0.95^2 - x^2 - y^2 - z^2\", size = 1");
    assert!(edge != WHEEL && level != WHEEL);
    agree(WHEEL, &edge, 2.0, 1e-11);
    agree(WHEEL, &level, 2.0, 1e-11);
}

#[test]
fn charts_carry_the_point_too() {
    let text = |ground: &str| {
        format!(
            "[gravity]\ng = 9.81\n[body.b]\nmass = 1\ninertia = [0.02, 0.03, 0.04]\nsurface = {{ ellipsoid = [0.3, 0.25, 0.2] }}\n\
             [ground]\nsurface = {ground}\n[initial.b]\ntouching = [0.2, 0.1, 0.03]\ncontact = {{ normal = [0.1, 0.2, -1] }}\nOmega = [1, 2, 1]\n"
        )
    };
    let level = text("{ implicit = \"z - x^2/2 - y^2\" }");
    // the same surface by a chart that is neither orthogonal nor a line of curvature anywhere
    let chart = text("{ parametric = [\"u + v/3\", \"v\", \"(u + v/3)^2/2 + v^2\"], domain = [[-3, 3], [-3, 3]] }");
    agree(&level, &chart, 2.0, 1e-11);
}

/// The components of a vector or matrix at the end of a motion.
fn last<const N: usize>(motion: &Trajectory, name: &str) -> [f64; N] {
    let v = motion.compiled().variables.iter().find(|v| v.name == name).unwrap_or_else(|| panic!("no {name}"));
    motion.last.numbers(v).try_into().expect("this many")
}

/// The distance of the wheel's point from the shell.
fn gap(motion: &Trajectory) -> f64 {
    let c = last::<3>(motion, "inside.c1");
    (c.iter().map(|x| x * x).sum::<f64>().sqrt() - 0.95).abs()
}

#[test]
fn restored_contacts_stay_closed() {
    let run = Run::until(20.0).method(Method::Dop853).rtol(1e-8).sparse();
    let (drifted, restored) = (solve(WHEEL, &run), solve(WHEEL, &run.clone().project()));
    assert!(gap(&drifted) > 1e-11, "{}", gap(&drifted));
    assert!(gap(&restored) < 1e-15, "{}", gap(&restored));
    // also where the point is carried along, with the normals
    let level = WHEEL.replace("sphere = 0.95, inside = true", "implicit = \"0.95^2 - x^2 - y^2 - z^2\", size = 1");
    let restored = solve(&level, &run.project());
    assert!(gap(&restored) < 1e-14, "{}", gap(&restored));
    let text = "[gravity]\ng = 9.81\n[body.b]\nmass = 1\ninertia = \"solid\"\nsurface = { torus = [1, 0.3] }\n\
                [ground]\nsurface = \"plane\"\n[initial.b]\ncontact = { normal = [0.3, 0.1, -0.8] }\nOmega = [1, 2, 3]\n";
    let run = Run::until(5.0).method(Method::Dop853).rtol(1e-7).sparse();
    let off = |m: &Trajectory| {
        let (x, c, r) = (last::<3>(m, "x_O"), last::<3>(m, "c"), last::<9>(m, "R"));
        let height = x[2] + (0..3).map(|j| r[6 + j] * c[j]).sum::<f64>();
        let tube = ((c[0].hypot(c[1]) - 1.0).hypot(c[2]) - 0.3).abs();
        height.abs().max(tube)
    };
    let (drifted, restored) = (solve(text, &run), solve(text, &run.clone().project()));
    assert!(off(&drifted) > 1e-10, "{}", off(&drifted));
    assert!(off(&restored) < 1e-14, "{}", off(&restored));
}

#[test]
fn curves_of_a_ball_on_a_turntable() {
    // the point draws circles of curvature 1/|u₀ − centre| on the table's plane
    let text = "[parameters]\nW = 3\n[gravity]\ng = 9.81\n[body.ball]\nmass = 0.9\ninertia = \"solid\"\nsurface = { sphere = 0.15 }\n\
                [ground]\nsurface = \"plane\"\nbelt = { spin = [0, 0, \"W\"] }\n[initial.ball]\nposition = [0.4, 0.1, 0.15]\n\
                omega = [\"0.7/0.15\", \"0.1/0.15\", 1.7]\n[observables]\nbend = \"herpolhode_curvature\"\n";
    let run = Run::until(5.0).integrate("herpolhode_speed").integrate("polhode_speed").integrate("nothing");
    let motion = solve(text, &run);
    let radius = 0.628_269_227_499_025_5;
    assert!((motion.last["bend"] - 1.0 / radius).abs() < 1e-10);
    let lengths = &motion.report.integrals;
    assert_eq!(lengths.len(), 2);
    let (name, length) = &lengths[0];
    assert_eq!(name, "herpolhode_speed");
    assert!((length - 5.0 * radius * 6.0 / 7.0).abs() < 1e-10, "{length}");
    // a ball that rolls straight on draws a great circle on itself, as long as its track
    let straight = "[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.5 }\n[ground]\nsurface = \"plane\"\n\
                    [initial.ball]\nomega = [0, 2, 0]\n[observables]\nbend = \"polhode_curvature\"\n";
    let motion = solve(straight, &Run::until(3.0).integrate("polhode_speed").integrate("herpolhode_speed"));
    assert!((motion.last["bend"] - 2.0).abs() < 1e-12);
    for (_, length) in &motion.report.integrals {
        assert!((length - 3.0).abs() < 1e-12, "{length}");
    }
}

const PLATES: &str = "[parameters]\nr = 0.3\n[gravity]\ng = 9.81\n[body.ball]\nmass = 0.9\ninertia = \"solid\"\nsurface = { sphere = \"r\" }\n\
    [ground.floor]\nsurface = \"plane\"\n[ground.plate]\nsurface = { plane = 1, inside = true }\n\
    position = \"[0.5*sin(2*t), 0.2*t^2, 2*r]\"\nrotation = \"Rz(0.7*t)\"\n\
    [contact.below]\nbetween = [\"ball\", \"floor\"]\n[contact.above]\nbetween = [\"ball\", \"plate\"]\n\
    [initial.ball]\nposition = [0.1, 0.2, 0.3]\n";

#[test]
fn redundant_contacts_share_by_the_least_forces() {
    let (mut system, warnings) = System::new(&model(PLATES)).unwrap_or_else(|e| panic!("{e}"));
    assert!(warnings.iter().any(|d| d.code == "redundant-constraint"));
    let idle = system.idle_multipliers();
    assert_eq!(idle.len(), 1);
    // Aᵀ n = 0
    for a in 0..6 {
        let terms: Vec<Expr> = (0..6)
            .map(|i| (system.constraint_row(i).a[a], idle[0][i]))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(a, n)| system.graph.mul(a, n))
            .collect();
        let sum = system.graph.sum(terms);
        assert!(system.is_zero(sum));
    }
    let motion = solve(PLATES, &Run::until(2.0));
    let n = |name: &str| motion.last[name];
    // their difference carries the weight, and the least forces that do so are equal
    assert!((n("below.normal_force") - 0.9 * 9.81 / 2.0).abs() < 1e-12);
    assert!((n("above.normal_force") + 0.9 * 9.81 / 2.0).abs() < 1e-12);
    // nothing is said of lifting off, which is not determined
    assert!(motion.report.events.is_empty());
    // the ball moves half as fast as the plate above it
    assert!(motion.report.energy_error < 1e-12, "{}", motion.report.energy_error);
}

#[test]
fn a_run_stops_where_the_model_says() {
    let text = |keys: &str| {
        format!(
            "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = {{ sphere = 0.1 }}\n\
             [ground]\nsurface = {{ sphere = 1 }}\n{keys}\n[initial.ball]\ntouching = [0.1, 0, \"sqrt(0.99)\"]\n[run]\nuntil = 2\n"
        )
    };
    let run = Run::until(2.0);
    let free = solve(&text(""), &run);
    assert_eq!(free.report.stop, StopReason::End);
    let lift = free.report.events.iter().find(|e| e.name == "ball would lift off").expect("it does").sample.t();
    let stopped = solve(&text("stop_at = \"lift-off\""), &run);
    assert!(matches!(&stopped.report.stop, StopReason::Event(name) if name == "ball would lift off"));
    assert!((stopped.end() - lift).abs() < 1e-10);
    // a ball leaves a fixed sphere where the cosine is 10/17, if it rolls and starts at rest on top; here a little lower
    let x = last::<3>(&stopped, "x_O");
    let cosine = x[2] / 1.1;
    assert!((cosine - 10.0 / 17.0 * 0.99_f64.sqrt()).abs() < 1e-9, "{cosine}");
    // with friction 0.5 it would slip before
    let slips = solve(&text("friction = 0.5\nstop_at = [\"slip\"]"), &run);
    assert!(slips.end() < lift - 0.01);
    assert!((slips.last["mu_required"] - 0.5).abs() < 1e-9);
    let held = solve(&text("bilateral = true"), &run);
    assert!(held.report.events.iter().all(|e| e.name != "ball would lift off"));
}

#[test]
fn projected_equations_say_the_same() {
    for name in
        ["rolling-disk", "chaplygin-sleigh", "snakeboard", "ball-on-turntable", "ellipsoid-on-plane", "ball-on-torus"]
    {
        let built = builtin::find(name).expect("a model");
        let (mut system, _) = System::new(&model(built.text)).unwrap_or_else(|e| panic!("{e}"));
        for form in [Form::Hamel, Form::Voronets] {
            let equations = system.equations(form).expect("applies");
            let projected = system.projected(&equations).expect("quasi-velocities");
            let reactions: Vec<Expr> = equations.reactions.iter().map(|r| r.value).collect();
            let pairs = equations.rates.iter().zip(&projected.rates).chain(reactions.iter().zip(&projected.reactions));
            for (a, b) in pairs {
                let off = system.graph.sub(*a, *b);
                assert!(system.is_zero(off), "{name}, {}", form.title());
            }
        }
    }
}

#[test]
fn a_contact_that_becomes_flat_is_named() {
    // a torus in a pipe comes to where its inside has the curvature of the pipe
    let text = "[gravity]\ng = 9.81\n[body.b]\nmass = 1\ninertia = \"solid\"\nsurface = { torus = [0.3, 0.1] }\n\
                [ground]\nsurface = { cylinder = 1, inside = true, turned = \"Rx(pi/2)\" }\n[initial.b]\n\
                rotation = \"Rx(0.7)*Ry(0.3)\"\nOmega = [1, 2, 3]\n";
    let motion = solve(text, &Run::until(5.0).sparse());
    assert!(
        matches!(&motion.report.stop, StopReason::SingularContact { event } if event == "singular relative curvature")
    );
    assert!((motion.end() - 0.356_971_348).abs() < 1e-6, "{}", motion.end());
}

#[test]
fn what_is_wrong_from_the_start_is_told_at_once() {
    let slope = |keys: &str| {
        format!(
            "[gravity]\nvector = \"[9.81*sin(0.5), 0, -9.81*cos(0.5)]\"\n[body.b]\nmass = 1\ninertia = \"solid\"\n\
             surface = {{ sphere = 0.5 }}\n[ground]\nsurface = \"plane\"\n{keys}\n[initial.b]\nomega = [0, 0, 0]\n"
        )
    };
    let run = Run::until(1.0);
    let noted = solve(&slope("friction = 0.1"), &run);
    assert_eq!((noted.end(), noted.report.events.len()), (1.0, 1));
    assert_eq!(noted.report.events[0].sample.t(), 0.0);
    let stopped = solve(&slope("friction = 0.1\nstop_at = \"slip\""), &run);
    assert_eq!(stopped.report.stop, StopReason::Event("b would slip".into()));
    assert_eq!(stopped.end(), 0.0);
    assert!(solve(&slope("friction = 0.2\nstop_at = \"slip\""), &run).report.events.is_empty());
}

#[test]
fn a_normal_force_of_rounding_is_no_lift_off() {
    // a ball that drops along the wall of an upright cylinder: it needs no normal force, and friction without bound
    let text = "[gravity]\ng = 9.81\n[body.ball]\nmass = 0.6\ninertia = \"solid\"\nsurface = { sphere = 0.25 }\n\
                [ground]\nsurface = { cylinder = 1, inside = true }\n[initial.ball]\nposition = [0.75, 0, 0.4]\n\
                velocity = [0, 0, -0.3]\nomega = [2, -1.2, 0]\n";
    let motion = solve(text, &Run::until(3.0));
    assert!(motion.report.events.is_empty(), "{} events", motion.report.events.len());
    assert!(motion.last["mu_required"] >= 0.0);
    // z'' = −g/(1 + k)
    assert!((motion.last["x_O[3]"] - (0.4 - 0.9 - 4.5 * 9.81 / 1.4)).abs() < 1e-11);
}

/// A ball given by longitude and latitude, whose poles are on its z axis, turned so that the contact is at u = π − `angle`.
fn globe(angle: f64, omega: &str) -> String {
    format!(
        "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = [0.016, 0.016, 0.016]\n\
         surface = {{ parametric = \"[0.2*sin(u)*cos(v), 0.2*sin(u)*sin(v), 0.2*cos(u)]\", domain = [[0.01, 3.13], [-3.14, 3.14]] }}\n\
         [ground]\nsurface = \"plane\"\n[initial.ball]\ntouching = [0, 0, 0]\nrotation = \"Rx({angle})\"\nomega = {omega}\n"
    )
}

#[test]
fn a_pole_of_the_parameters_ends_a_motion_with_its_reason() {
    // the ball turns at 3 rad/s about x, so that the pole comes down after 0.7/3 s, or the other one after (π − 1.2)/3 s
    for (angle, omega, when) in [(0.7, "[-3, 0, 0]", 0.7 / 3.0), (1.2, "[3, 0, 0]", (std::f64::consts::PI - 1.2) / 3.0)]
    {
        let motion = solve(&globe(angle, omega), &Run::until(3.0).sparse());
        assert!(
            matches!(&motion.report.stop, StopReason::SingularChart { event } if event.contains("`ball`")),
            "{:?}",
            motion.report.stop
        );
        assert!((motion.end() - when).abs() < 1e-8, "{} instead of {when}", motion.end());
        assert!(motion.report.events.iter().all(|e| !e.name.contains("lift off")), "{:?}", motion.report.events);
    }
    // past the pole at a distance, the same motion as that of a ball without parameters
    let run = Run::until(2.0).at([2.0]).sparse();
    let (a, b) = (
        solve(&globe(0.7, "[-3, 0.1, 0.2]"), &run),
        solve(&globe(0.7, "[-3, 0.1, 0.2]").replace("parametric = \"[0.2*sin(u)*cos(v), 0.2*sin(u)*sin(v), 0.2*cos(u)]\", domain = [[0.01, 3.13], [-3.14, 3.14]]", "sphere = 0.2"), &run),
    );
    for name in ["x_O[1]", "x_O[2]", "R[1,1]", "R[2,3]", "normal_force"] {
        assert!((a.last[name] - b.last[name]).abs() < 1e-9, "{name}: {} and {}", a.last[name], b.last[name]);
    }
}

#[test]
fn a_disk_that_falls_flat_does_not_lift_off() {
    let disk = |omega: &str| {
        format!(
            "[gravity]\ng = 9.81\n[body.disk]\nmass = 1\ninertia = \"solid\"\nsurface = {{ rim = 0.2 }}\n[ground]\n\
             surface = \"plane\"\n[initial.disk]\ntouching = [0, 0, 0]\nrotation = \"Rx(0.3)\"\nomega = {omega}\n"
        )
    };
    // from rest it comes down on its face: ½ (I + m r²) θ̇² = m g r (sin 0.3 − sin θ), I = m r²/4
    let motion = solve(&disk("[0, 0, 0]"), &Run::until(1.0).sparse());
    assert!(matches!(&motion.report.stop, StopReason::SingularContact { event } if event == "disk lies flat"));
    let (r, g) = (0.2f64, 9.81);
    // ∫ dθ/θ̇ with θ = 0.3 − s²
    let n = 20_000;
    let fall: f64 = (0..n)
        .map(|i| {
            let s = 0.3f64.sqrt() * (f64::from(i) + 0.5) / f64::from(n);
            let rate = (2.0 * g * (0.3f64.sin() - (0.3 - s * s).sin()) / (1.25 * r)).sqrt();
            2.0 * s / rate * 0.3f64.sqrt() / f64::from(n)
        })
        .sum();
    assert!((motion.end() - fall).abs() < 1e-6, "{} instead of {fall}", motion.end());
    assert!(motion.report.events.iter().all(|e| e.name == "disk lies flat"), "{:?}", motion.report.events);
    // with a little spin it passes at some 6e-6 rad, where rounding makes any sign of the normal force
    let motion = solve(&disk("[0, 0, 0.01]"), &Run::until(0.126).sparse());
    assert_eq!(motion.report.stop, StopReason::End);
    assert!(motion.report.events.is_empty(), "{} events", motion.report.events.len());
}

#[test]
fn corners_of_prescribed_motions_are_stepped_over_or_told() {
    // a homogeneous ball gains 2/7 of the velocity of its ground: x = x₀ + (v₀ − 2/7 ẋ₁(0)) t + 2/7 (x₁ − x₁(0))
    let ball = |ground: &str| {
        format!(
            "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = {{ sphere = 0.2 }}\n[ground]\n\
             surface = \"plane\"\nposition = [\"{ground}\", 0, 0]\n[initial.ball]\nposition = [0, 0, 0.2]\nomega = [0, 1, 0]\n"
        )
    };
    let times = [0.5, 1.0];
    for method in [Method::Taylor, Method::Dop853] {
        let motion = solve(&ball("abs(t - 0.5)^3"), &Run::until(1.0).method(method).at(times).sparse());
        assert_eq!(motion.report.stop, StopReason::End);
        for (t, sample) in times.into_iter().zip(&motion.samples) {
            let ground = (t - 0.5f64).abs().powi(3);
            let v0 = 0.2 - 0.75;
            let x = (v0 + 0.75 * 2.0 / 7.0) * t + 2.0 / 7.0 * (ground - 0.125);
            assert!((sample["x_O[1]"] - x).abs() < 1e-13, "{method:?}, t = {t}: {} and {x}", sample["x_O[1]"]);
        }
    }
    let motion = solve(&ball("abs(t - 0.5)"), &Run::until(1.0).sparse());
    assert_eq!(motion.report.stop, StopReason::Blow);
    assert!((motion.end() - 0.5).abs() < 1e-14, "{}", motion.end());
    // a switch thrown long ago
    let motion = solve(&ball("tanh(50*t)"), &Run::until(20.0).at([20.0]).sparse());
    let x = (0.2 + 50.0 - 50.0 * 2.0 / 7.0) * 20.0 + 2.0 / 7.0;
    assert!((motion.last["x_O[1]"] / x - 1.0).abs() < 1e-12, "{} and {x}", motion.last["x_O[1]"]);
}

#[test]
fn points_of_contact_are_positions_in_every_route() {
    let group = |model: &Model, name: &str| {
        let (mut system, _) = System::new(model).unwrap_or_else(|e| panic!("{e}"));
        let compiled = system.compile().unwrap_or_else(|e| panic!("{e}"));
        compiled.variables.iter().find(|v| v.name == name).map(|v| (v.group, v.numbers.len()))
    };
    let known = model(builtin::find("ellipsoid-on-plane").expect("a model").text);
    let carried = model(builtin::find("torus-on-plane").expect("a model").text);
    let (charted, _) = known.in_neumann_coordinates(Default::default()).expect("applies");
    for m in [&known, &carried, &charted] {
        for (name, count) in [("c", 3), ("c1", 3), ("x_O", 3), ("R", 9)] {
            assert_eq!(group(m, name), Some((Group::Position, count)), "{name}");
        }
        for name in ["Omega", "omega"] {
            assert_eq!(group(m, name), Some((Group::Velocity, 3)), "{name}");
        }
        for (name, count) in [("force", 3), ("normal_force", 1), ("mu_required", 1), ("energy", 1)] {
            assert_eq!(group(m, name), Some((Group::Derived, count)), "{name}");
        }
    }
}

#[test]
fn a_redundant_direction_may_turn() {
    // a ball of radius 1 in the gap between two spheres of radius 1 and ρ; six rows of rank five
    let gap = |rho: f64, turn: &str, start: &str| {
        format!(
            "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = {{ sphere = 1 }}\n\
             [ground.left]\nsurface = {{ sphere = 1 }}\nposition = [-1, 0, 0]\n{turn}\n[ground.right]\n\
             surface = {{ sphere = {rho} }}\nposition = [1, 0, 0]\n{turn}\n[contact.a]\nbetween = [\"ball\", \"left\"]\n\
             [contact.b]\nbetween = [\"ball\", \"right\"]\n[initial.ball]\n{start}\n"
        )
    };
    // both turn about y: the ball stays, and turns against them
    let motion = solve(
        &gap(1.0, "rotation = \"Ry(t)\"", "position = [0, 0, \"sqrt(3)\"]"),
        &Run::until(2.0).at([0.7, 2.0]).sparse(),
    );
    assert_eq!(motion.report.stop, StopReason::End);
    for sample in &motion.samples {
        let t = sample.t();
        for (name, value) in
            [("x_O[1]", 0.0), ("x_O[2]", 0.0), ("x_O[3]", 3f64.sqrt()), ("R[1,1]", t.cos()), ("R[3,1]", t.sin())]
        {
            assert!((sample[name] - value).abs() < 1e-12, "{name} at {t}: {} and {value}", sample[name]);
        }
    }
    // between unequal ones the line through the points of contact turns as the ball rolls down: it keeps its energy and its distances
    let start = "position = [\"(4 - 1.7^2)/4\", 0, \"sqrt(4 - (1 + (4 - 1.7^2)/4)^2)\"]\nomega = [1, 0, 0]";
    let text = gap(0.7, "", start);
    let (mut system, _) = System::new(&model(&text)).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions { inconsistent: Inconsistent::Project, ..CompileOptions::default() };
    let compiled = system.compile_with(&options).unwrap_or_else(|e| panic!("{e}"));
    let motion = compiled.solve(&Run::until(1.0).at([1.0]).sparse()).expect("a sound run");
    assert_eq!(motion.report.stop, StopReason::End);
    assert!(motion.report.energy_error < 1e-12, "{}", motion.report.energy_error);
    let x: [f64; 3] = ["x_O[1]", "x_O[2]", "x_O[3]"].map(|n| motion.last[n]);
    assert!(x[1].abs() > 0.1, "it moved: {x:?}");
    for (centre, distance) in [(-1.0, 2.0), (1.0, 1.7)] {
        let off = ((x[0] - centre).powi(2) + x[1] * x[1] + x[2] * x[2]).sqrt() - distance;
        assert!(off.abs() < 1e-12, "{off}");
    }
}

#[test]
fn a_cone_rolls_on_its_rim_and_its_tip() {
    // height 1, base 0.5, a ball of 0.01 at the tip; the line between the contacts goes round with the cone
    let text = "[gravity]\ng = 9.81\n[body.cone]\nmass = 1\ninertia = [0.3, 0.3, 0.2]\n\
                surfaces = { base = { rim = 0.5, centre = [0, 0, 1] }, tip = { sphere = 0.01 } }\n[ground]\n\
                surface = \"plane\"\n[contact.a]\nbetween = [\"cone.base\", \"ground\"]\n[contact.b]\n\
                between = [\"cone.tip\", \"ground\"]\n[initial.cone]\nposition = [0, 0, 0.01]\n\
                rotation = \"Rx(pi/2 - atan(0.5) + asin(0.01/sqrt(1.25)))\"\nomega = [0, 4, 0]\n";
    let (mut system, _) = System::new(&model(text)).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions { inconsistent: Inconsistent::Project, ..CompileOptions::default() };
    let compiled = system.compile_with(&options).unwrap_or_else(|e| panic!("{e}"));
    let motion = compiled.solve(&Run::until(4.0).samples(41).sparse()).expect("a sound run");
    assert_eq!(motion.report.stop, StopReason::End);
    assert!(motion.report.energy_error < 1e-12, "{}", motion.report.energy_error);
    let line = |s: &Sample| [s["a.c1[1]"] - s["b.c1[1]"], s["a.c1[2]"] - s["b.c1[2]"]];
    let first = line(&motion.samples[0]);
    // the rim and the ball both keep to the plane, and the line turns evenly
    let turned = |s: &Sample| {
        let e = line(s);
        (first[0] * e[1] - first[1] * e[0]).atan2(first[0] * e[0] + first[1] * e[1])
    };
    let rate = turned(&motion.samples[1]) / 0.1;
    assert!(rate.abs() > 1.0, "{rate}");
    for s in &motion.samples {
        assert!(s["a.c1[3]"].abs() < 1e-11 && s["b.c1[3]"].abs() < 1e-11);
        let off = turned(s) - rate * s.t();
        assert!((off.sin()).abs() < 1e-9, "{off} at {}", s.t());
    }
}

#[test]
fn a_contact_ends_where_a_cylinder_does() {
    // a ball rolls along the top of a cylinder at 0.4 m/s, from the middle of a length of 1
    let text = "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.2 }\n[ground]\n\
                surface = { cylinder = 1, length = 1, turned = \"Rx(pi/2)\" }\n[initial.ball]\ntouching = [0, 0, 1]\n\
                omega = [-2, 0, 0]\n";
    let motion = solve(text, &Run::until(5.0).sparse());
    assert!(matches!(&motion.report.stop, StopReason::Event(name) if name == "ball reaches an end of `ground`"));
    assert!((motion.end() - 0.5 / 0.4).abs() < 1e-12, "{}", motion.end());
}

#[test]
fn advice_about_a_gap_can_be_followed() {
    let disk = |position: &str| {
        format!(
            "[gravity]\ng = 9.81\n[body.disk]\nmass = 1\ninertia = \"solid\"\nsurface = {{ rim = 0.2 }}\n[ground]\n\
             surface = {{ sphere = 1, inside = true }}\n[initial.disk]\nposition = {position}\nrotation = \"Rx(1)\"\n"
        )
    };
    let Err(rejected) = Model::parse("test.toml", &disk("[0.1, 0.2, -0.7]"), &ParseOptions::default()) else {
        panic!("it does not touch");
    };
    let text = rejected.to_string();
    let advice = text.split("position = ").nth(1).and_then(|s| s.split(" of `disk`").next()).expect("advice");
    // the advice has seven digits
    let place: Vec<f64> = advice.trim_matches(['[', ']']).split(", ").map(|x| x.parse().expect("a number")).collect();
    let lowest = (0..200_000)
        .map(|i| {
            let s = f64::from(i) * std::f64::consts::TAU / 200_000.0;
            let (x, y) = (0.2 * s.cos(), 0.2 * s.sin());
            let at = [place[0] + x, place[1] + y * 1f64.cos(), place[2] + y * 1f64.sin()];
            at.iter().map(|x| x * x).sum::<f64>().sqrt()
        })
        .fold(0.0, f64::max);
    assert!((lowest - 1.0).abs() < 1e-6, "{lowest}");
}
