//! Constraints whose rank changes: [CortesEtAl2001], Tables 1–3, through model texts.
//!
//! Momenta after jumps, and states later on, are those of an independent computation in 40 digits: free motion and closed forms of the motion under
//! z' = y x'. The cases that the printed tables leave out (touching, starting on the singular set and staying in it) and those in which the
//! theory has no answer (no limit, several solutions, unbounded forces) are here as well.

use crate::prelude::*;
use polhode_base::random::Random;
use polhode_simulate::{EventRecord, JumpCase, Refusal, Trajectory};

/// A particle of unit mass in as many dimensions as there are names, with constraints, a potential, and a start.
fn particle(names: &[&str], constraints: &str, potential: &str, q: &[&str], v: &[&str]) -> String {
    let squares: Vec<String> = names.iter().map(|n| format!("{n}'^2")).collect();
    with_energy(names, &format!("1/2*({})", squares.join(" + ")), constraints, potential, q, v)
}

fn with_energy(names: &[&str], kinetic: &str, constraints: &str, potential: &str, q: &[&str], v: &[&str]) -> String {
    let mut text = String::from("[coordinates]\n");
    names.iter().for_each(|n| text += &format!("{n} = \"real\"\n"));
    text += &format!(
        "[lagrangian]\nkinetic = \"{kinetic}\"\npotential = \"{potential}\"\n[constraints]\n{constraints}\n[initial]\n"
    );
    names.iter().zip(q).for_each(|(n, x)| text += &format!("{n} = \"{x}\"\n"));
    names.iter().zip(v).for_each(|(n, x)| text += &format!("\"{n}'\" = \"{x}\"\n"));
    text
}

fn compiled(text: &str) -> Result<std::sync::Arc<Compiled>, String> {
    let (model, _) = Model::parse("model.toml", text, &ParseOptions::default()).map_err(|e| e.to_string())?;
    let (mut system, _) = System::new(&model).map_err(|e| e.to_string())?;
    system.compile().map_err(|e| e.to_string())
}

fn motion(text: &str, until: f64) -> Trajectory {
    let run = Run::until(until).at([1.0, 2.0, 5.0].into_iter().filter(|t| *t <= until)).method(Method::Taylor);
    compiled(text).unwrap_or_else(|e| panic!("{e}\n{text}")).solve(&run).unwrap()
}

/// Positions and velocities at one of the times asked for.
fn assert_later(motion: &Trajectory, names: &[&str], t: f64, q: &[f64], v: &[f64]) {
    let sample = motion.samples.iter().find(|s| s.t() == t).unwrap_or_else(|| panic!("no sample at {t}"));
    for ((name, q), v) in names.iter().zip(q).zip(v) {
        let (x, rate) = (sample.get(name).unwrap(), sample.get(&format!("{name}'")).unwrap());
        assert!((x - q).abs() < 1e-10 * q.abs().max(1.0), "{name}({t}) = {x}, not {q}");
        assert!((rate - v).abs() < 1e-10 * v.abs().max(1.0), "{name}'({t}) = {rate}, not {v}");
    }
}

/// The only event with a jump, or that could have had one.
fn only(motion: &Trajectory) -> &EventRecord {
    let events: Vec<&EventRecord> = motion.report.events.iter().filter(|e| e.jump.is_some()).collect();
    assert_eq!(events.len(), 1, "{:?}", motion.report.events);
    events[0]
}

fn assert_close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    for (a, b) in found.iter().zip(wanted) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{found:?}, not {wanted:?}");
    }
}

/// Momenta after the jump, the energy it takes, the ranks.
fn assert_jump(event: &EventRecord, p: &[f64], loss: f64, ranks: [usize; 3], case: JumpCase) {
    let record = &event.jump.as_ref().unwrap().record;
    assert_close(&record.momenta[1], p, 1e-13);
    assert!((record.kinetic[0] - record.kinetic[1] - loss).abs() < 1e-13 * loss.max(1.0));
    assert!((record.dissipated - loss).abs() < 1e-13 * loss.max(1.0), "Carnot: {} {loss}", record.dissipated);
    assert_eq!(record.ranks, ranks);
    assert_eq!(record.case, case);
    assert_eq!(record.jumped, loss != 0.0);
}

const XYZ: [&str; 3] = ["x", "y", "z"];
const BEYOND: &str = r#"c = { velocity = "z' - y*x' = 0", when = "x > 0" }"#;

#[test]
fn j1_case_1_a_constraint_appears() {
    let m = motion(&particle(&XYZ, BEYOND, "0", &["-1", "1/2", "0"], &["2", "1", "3"]), 5.0);
    assert!((only(&m).sample.t() - 0.5).abs() < 1e-14);
    assert_jump(only(&m), &[2.5, 1.0, 2.5], 0.25, [0, 0, 1], JumpCase::Appear);
    let (q, v) = ([1.107999663578705, 1.5, 2.873774391990981], [1.9611613513818402, 1.0, 2.9417420270727606]);
    assert_later(&m, &XYZ, 1.0, &q, &v);
    let (q, v) = ([5.390577416468853, 5.5, 16.264235376052373], [0.6324555320336759, 1.0, 3.4785054261852175]);
    assert_later(&m, &XYZ, 5.0, &q, &v);
}

#[test]
fn j2_case_2_a_constraint_vanishes() {
    let m = motion(&particle(&XYZ, BEYOND, "0", &["1", "1/2", "0"], &["-2", "1/3", "-1"]), 5.0);
    assert!((only(&m).sample.t() - 0.5185514642896816).abs() < 1e-14);
    let p = [-1.855209166797308, 1.0 / 3.0, -1.2482783934007822];
    assert_jump(only(&m), &p, 0.0, [1, 0, 0], JumpCase::Vanish);
    assert_later(&m, &XYZ, 5.0, &[-8.314024403980156, 2.1666666666666665, -6.179437057497008], &p);
}

/// x ω, x² ω and e^{−1/x²} ω say what ω says, off x = 0 and in the limit on it.
#[test]
fn j3_case_3_a_factor_vanishes() {
    for factor in ["x", "x^2", "exp(-1/x^2)", "sin(x)*(1 + x^2)"] {
        let c = format!("c = \"{factor}*(z' - y*x') = 0\"");
        let m = motion(&particle(&XYZ, &c, "0", &["-1", "1/2", "0"], &["2", "1", "1"]), 5.0);
        let first = m.report.events.iter().find(|e| e.jump.is_some()).unwrap_or_else(|| panic!("{factor}: no event"));
        assert!((first.sample.t() - 0.5676730379670433).abs() < 1e-14, "{factor}");
        let p = [1.5285711315138, 1.0, 1.6320141837320596];
        assert_jump(first, &p, 0.0, [1, 0, 1], JumpCase::Change);
        let (q, v) = ([0.5955494184603182, 1.5, 1.5311288741492748], [1.2403473458920846, 1.0, 1.8605210188381267]);
        assert_later(&m, &XYZ, 1.0, &q, &v);
        assert_later(&m, &XYZ, 5.0, &[3.3040894096400404, 5.5, 10.0], &[0.4, 1.0, 2.2]);
    }
}

#[test]
fn j4_case_3_with_another_constraint_beyond() {
    let c = "a = { velocity = \"z' - y*x' = 0\", when = \"x < 0\" }\nb = { velocity = \"y' - z*x' = 0\", when = \"x > 0\" }";
    // from the border, and from a state that reaches it: back along the motion under z' = y x'
    let m = motion(&particle(&XYZ, c, "0", &["0", "1", "-1/3"], &["2", "1", "2"]), 5.0);
    let record = &only(&m).jump.as_ref().unwrap().record;
    assert_close(&record.momenta[1], &[1.5, -0.5, 2.0], 1e-13);
    assert_eq!(record.case, JumpCase::Start);
    let (q, v) =
        ([1.2738016598569797, 1.7032574095488147, 1.6666666666666667], [0.8134892168199607, 1.355815361366601, 2.0]);
    assert_later(&m, &XYZ, 1.0, &q, &v);
    let before = motion(&particle(&XYZ, c, "0", &["-1", "1/2", "0"], &["2", "1", "1"]), 1.0);
    let record = &only(&before).jump.as_ref().unwrap().record;
    assert_eq!((record.ranks, record.case, record.jumped), ([1, 0, 1], JumpCase::Change, true));
}

const VANISHES: &str = "c = \"x*(z' - y*x') = 0\"";

#[test]
fn j5_a_motion_that_rests_on_the_singular_set_is_free() {
    let m = motion(&particle(&XYZ, VANISHES, "0", &["0", "1/2", "0"], &["0", "1", "3"]), 5.0);
    assert_jump(only(&m), &[0.0, 1.0, 3.0], 0.0, [0, 0, 0], JumpCase::Start);
    assert_later(&m, &XYZ, 5.0, &[0.0, 5.5, 15.0], &[0.0, 1.0, 3.0]);
}

#[test]
fn j5b_a_motion_that_leaves_the_singular_set_jumps() {
    let m = motion(&particle(&XYZ, VANISHES, "0", &["0", "1/2", "0"], &["2", "1", "3"]), 5.0);
    assert_jump(only(&m), &[2.8, 1.0, 1.4], 1.6, [0, 0, 1], JumpCase::Start);
    assert_later(&m, &XYZ, 5.0, &[6.025725173496056, 5.5, 14.0], &[0.56, 1.0, 3.08]);
    // beside it the same velocity is refused
    let error = compiled(&particle(&XYZ, VANISHES, "0", &["1", "1/2", "0"], &["2", "1", "3"])).unwrap_err();
    assert!(error.contains("violates constraint"), "{error}");
}

/// A force that begins, at once or smoothly, takes the motion off the set, and the constraint comes back.
#[test]
fn a_motion_that_rested_leaves_later() {
    let start = (["0", "1/2", "0"], ["0", "1", "3"]);
    let at_once = format!("{VANISHES}\nd = {{ velocity = \"x' = y'/2\", when = \"y > 1\" }}");
    let m = motion(&particle(&XYZ, &at_once, "0", &start.0, &start.1), 1.0);
    let last = m.report.events.last().unwrap();
    assert!((last.sample.t() - 0.5).abs() < 1e-14);
    let record = &last.jump.as_ref().unwrap().record;
    // onto x' = y'/2 and z' = y x' at y = 1: along (1/2, 1, 1/2), v = (0, 1, 3)
    let c = (1.0 + 1.5) / (0.25 + 1.0 + 0.25);
    assert_close(&record.momenta[1], &[c / 2.0, c, c / 2.0], 1e-13);
    assert_eq!(record.case, JumpCase::Appear);
    // noticed where x = 1e-11 = (t − 1)³/6, or (t − 1)⁵/20, and followed back from there
    for (force, tolerance) in [("(abs(t - 1) + t - 1)/2", 1e-12), ("((abs(t - 1) + t - 1)/2)^3", 1e-12)] {
        let m = motion(&particle(&XYZ, VANISHES, &format!("-x*{force}"), &start.0, &start.1), 2.0);
        let last = m.report.events.last().unwrap();
        let record = &last.jump.as_ref().unwrap().record;
        assert!((last.sample.t() - 1.0).abs() < tolerance, "{}", last.sample.t());
        // onto z' = y x' at y = 3/2, from (0, 1, 3)
        let c = 3.0 / (1.0 + 2.25);
        assert_close(&record.momenta[1], &[1.5 * c, 1.0, 3.0 - c], 1e-11);
        assert_eq!(m.samples.last().unwrap().t(), 2.0);
        assert!(m.samples.windows(2).all(|w| w[0].t() < w[1].t()));
        assert!(m.report.constraint_residual < 1e-11 && m.report.energy_error < 1e-11);
    }
    // a force that sets in without a corner: sin³ of the time since π/2, where it is noticed 10⁻² too late
    let m = motion(&particle(&XYZ, VANISHES, "-x*cos(t + pi/2)^3", &start.0, &start.1), 1.0);
    let last = m.report.events.last().unwrap();
    assert!(last.sample.t().abs() < 1e-9 && last.jump.as_ref().unwrap().record.jumped, "{}", last.sample.t());
}

/// Regions in the words of the model, each once, and the rank on every border.
#[test]
fn regions_are_told_apart() {
    let places = |constraints: &str| {
        let text = particle(&XYZ, constraints, "0", &["0", "1/2", "0"], &["0", "1", "3"]);
        let model = Model::parse("model.toml", &text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}")).0;
        let regions: Vec<String> = model.regions().into_iter().map(|r| r.place).collect();
        let counts = |k| model.on_border(k).iter().map(|r| r.active.count()).collect::<Vec<_>>();
        (regions, model.borders.ids().map(counts).collect::<Vec<_>>())
    };
    let nested = "a = { velocity = \"y' = x*x'\", when = \"x > 1 and x < 4\" }\nb = { velocity = \"z' = x'\", when = \"x > 2 and x < 3\" }";
    let (regions, borders) = places(nested);
    assert_eq!(regions, ["x < 1, or x > 4", "x > 1 and x < 2, or x < 4 and x > 3", "x > 2 and x < 3"]);
    assert_eq!(borders, [[0], [0], [1], [1]]);
    let crossing =
        "a = { velocity = \"y' = x*x'\", when = \"x > 1\" }\nb = { velocity = \"z' = x'\", when = \"y > 0\" }";
    let (regions, borders) = places(crossing);
    assert_eq!(regions, ["x < 1 and y > 0", "x < 1 and y < 0", "x > 1 and y < 0", "x > 1 and y > 0"]);
    assert!(
        borders.iter().all(|counts| counts.len() == 2 && counts.contains(&0) && counts.contains(&1)),
        "{borders:?}"
    );
}

/// On the way to x = 0 the row turns ever faster: steps become small, and the run says why.
#[test]
fn a_limit_that_does_not_exist_is_told_on_arrival() {
    let c = "a = \"exp(-1/x^2)*(cos(1/x)*y' + sin(1/x)*z') = 0\"";
    let v = ["1", "1", "-cos(-2)/sin(-2)"];
    let m = motion(&particle(&XYZ, c, "0", &["-1/2", "0", "0"], &v), 2.0);
    assert_eq!(m.report.stop.name(), "no-limit");
    assert!((m.report.t - 0.5).abs() < 1e-3, "{}", m.report.t);
}

const XYZW: [&str; 4] = ["x", "y", "z", "w"];

#[test]
fn j6_full_metric() {
    let kinetic =
        "1/2*((y^2 + 2)*x'^2 + 3*y'^2 + (x^2 + 4)*z'^2 + (z^2 + 2)*w'^2) + y*x'*y' + z*y'*z' + 1/2*x'*w' + z'*w'";
    let c = "a = \"z' - y*x' = 0\"\nb = { velocity = \"w' - z*x' + x*y' = 0\", when = \"x > 0\" }";
    let text = with_energy(&XYZW, kinetic, c, "0", &["0", "1/2", "-1/3", "2"], &["3", "-1", "3/2", "2"]);
    let m = motion(&text, 0.1);
    let p = [23059.0 / 3604.0, -2.0, 5296.0 / 901.0, 7976.0 / 8109.0];
    assert_jump(only(&m), &p, 9.357935627081021, [1, 1, 2], JumpCase::Start);
}

#[test]
fn j7_curvilinear_coordinates() {
    let c = "c = { velocity = \"zeta' - rho^2*theta' = 0\", when = \"rho > 1\" }";
    let kinetic = "1/2*(rho'^2 + rho^2*theta'^2 + zeta'^2)";
    let names = ["rho", "theta", "zeta"];
    let m = motion(&with_energy(&names, kinetic, c, "0", &["1", "1/4", "0"], &["3/2", "2", "1/2"]), 1.0);
    assert_jump(only(&m), &[1.5, 1.25, 1.25], 0.5625, [0, 0, 1], JumpCase::Start);
}

/// More generators than the rank: a line field that no single form spans. In polar coordinates it is cos(φ/2) dx + sin(φ/2) dy; the first generator
/// vanishes where φ = π, the second where φ = 0, and motions run along both half-axes.
#[test]
fn j8_overcomplete_generators() {
    let c = "a = \"(sqrt(x^2 + y^2) + x)*x' + y*y' = 0\"\nb = \"y*x' + (sqrt(x^2 + y^2) - x)*y' = 0\"";
    let m = motion(&particle(&["x", "y"], c, "0", &["-3", "0"], &["1", "0"]), 2.0);
    assert_later(&m, &["x", "y"], 2.0, &[-1.0, 0.0], &[1.0, 0.0]);
    let m = motion(&particle(&["x", "y"], c, "0", &["3", "0"], &["0", "1"]), 5.0);
    assert_eq!(m.report.stop, StopReason::End);
    assert!(m.report.constraint_residual < 1e-13 && m.report.energy_error < 1e-13);
    for s in m.sampled(50) {
        // the curves are parabolas about the origin: (ρ + x) dx + y dy = ρ d(ρ + x)
        let (x, y) = (s.get("x").unwrap(), s.get("y").unwrap());
        assert!((x.hypot(y) + x - 6.0).abs() < 1e-12);
    }
}

#[test]
fn j9_hidden_limit() {
    let c = "a = \"y' + x*z' = 0\"\nb = \"y' + x*z' + x^2*(w' - y*x') = 0\"";
    let kinetic = "1/2*(x'^2 + 2*y'^2 + 3*z'^2 + 4*w'^2)";
    let on = with_energy(&XYZW, kinetic, c, "0", &["0", "1", "0", "0"], &["1", "0", "2", "3"]);
    assert_jump(only(&motion(&on, 0.5)), &[2.6, 0.0, 6.0, 10.4], 1.6, [1, 1, 2], JumpCase::Start);
    // one that comes from x < 0 does not jump
    let from = with_energy(&XYZW, kinetic, c, "0", &["-1", "1", "0", "0"], &["1", "2", "2", "1"]);
    let m = motion(&from, 2.0);
    let record = &only(&m).jump.as_ref().unwrap().record;
    assert_eq!((record.ranks, record.case, record.jumped), ([2, 1, 2], JumpCase::Change, false));
    assert!(m.report.constraint_residual < 1e-13 && m.report.energy_error < 1e-12);
}

/// x dx + dz and x dy + dz are dependent on x = 0, and beside it they say x' = y', z' = −x x'.
#[test]
fn rows_that_become_dependent_are_followed_through() {
    let m = motion(
        &particle(&XYZ, "a = \"x*x' + z' = 0\"\nb = \"x*y' + z' = 0\"", "0", &["-1", "0", "0"], &["1", "1", "1"]),
        5.0,
    );
    let record = &only(&m).jump.as_ref().unwrap().record;
    assert_eq!((record.ranks, record.case, record.jumped), ([2, 1, 2], JumpCase::Change, false));
    for s in m.sampled(50) {
        let (x, y, z) = (s.get("x").unwrap(), s.get("y").unwrap(), s.get("z").unwrap());
        assert!((y - x - 1.0).abs() < 1e-13 && (z - (1.0 - x * x) / 2.0).abs() < 1e-13);
        // (2 + x²) x'² = 3
        assert!(((2.0 + x * x) * s.get("x'").unwrap().powi(2) - 3.0).abs() < 1e-12);
    }
}

/// The same on a circle: y' + p z' and y' + p w' say z' = w' beside p = 0.
#[test]
fn rows_that_become_dependent_on_a_circle() {
    let c = "a = \"y' + (x^2 + y^2 - 1)*z' = 0\"\nb = \"y' + (x^2 + y^2 - 1)*w' = 0\"";
    let text = particle(&XYZW, c, "0", &["-2", "1/5", "0", "0"], &["1", "-3/10*(4 + 1/25 - 1)", "3/10", "3/10"]);
    let m = motion(&text, 5.0);
    assert_eq!(m.report.stop, StopReason::End);
    let passed: Vec<_> = m.report.events.iter().filter_map(|e| e.jump.as_ref()).collect();
    assert!(!passed.is_empty() && passed.iter().all(|j| !j.record.jumped && j.record.ranks == [2, 1, 2]));
    assert!(m.sampled(50).iter().all(|s| (s.get("z").unwrap() - s.get("w").unwrap()).abs() < 1e-13));
    assert!(m.report.constraint_residual < 1e-12 && m.report.energy_error < 1e-12);
}

#[test]
fn j10_ball_in_euler_angles() {
    let kinetic = "1/2*(x'^2 + y'^2) + 9/20*(phi'^2 + theta'^2 + psi'^2 + 2*cos(theta)*phi'*psi')";
    let c = "c = { velocity = \"x' = 3/2*(sin(psi)*theta' - sin(theta)*cos(psi)*phi')\", when = \"x > 0\" }\n\
             d = { velocity = \"y' = -3/2*(cos(psi)*theta' + sin(theta)*sin(psi)*phi')\", when = \"x > 0\" }";
    let names = ["x", "y", "phi", "theta", "psi"];
    let (q, v) = (["0", "0", "1/5", "7/10", "3/10"], ["1", "1/2", "3/10", "-1/5", "4/5"]);
    let m = motion(&with_energy(&names, kinetic, c, "0", &q, &v), 0.1);
    let p = [0.60982681125725, 0.4145514976878183, 0.4360899197993721, -0.12949201624348433, 0.9265073905668119];
    assert_jump(only(&m), &p, 0.2791889865818909, [0, 0, 2], JumpCase::Start);
}

/// A blade that touches down on x > 0: the velocity across it is lost, with the mass that it has at the blade.
#[test]
fn j11_chaplygin_sleigh() {
    let (a, j) = (0.3f64, 0.5f64);
    let kinetic = "1/2*((x' - 3/10*sin(theta)*theta')^2 + (y' + 3/10*cos(theta)*theta')^2) + 1/4*theta'^2";
    let c = "c = { velocity = \"y'*cos(theta) - x'*sin(theta) = 0\", when = \"x > 0\" }";
    let names = ["x", "y", "theta"];
    let m = motion(&with_energy(&names, kinetic, c, "0", &["-1", "0", "0"], &["2", "3/5", "0"]), 1.0);
    let record = &only(&m).jump.as_ref().unwrap().record;
    // at θ = 0: x' stays, y' goes, and the moment about the blade, a y' + (j + a²) θ', is kept
    let turn = a * 0.6 / (j + a * a);
    assert_close(&record.velocities[1], &[2.0, 0.0, turn], 1e-13);
    assert_close(&record.momenta[1], &[2.0, a * turn, (j + a * a) * turn], 1e-13);
}

#[test]
fn j12_vertical_disk() {
    let kinetic = "1/2*(x'^2 + y'^2) + 1/4*theta'^2 + 1/8*phi'^2";
    let c = "c = { velocity = \"x' = cos(phi)*theta'\", when = \"x > 0\" }\nd = { velocity = \"y' = sin(phi)*theta'\", when = \"x > 0\" }";
    let names = ["x", "y", "theta", "phi"];
    let (q, v) = (["0", "0", "0", "1/2"], ["2", "1/3", "1/2", "3/4"]);
    let m = motion(&with_energy(&names, kinetic, c, "0", &q, &v), 2.0);
    let p = [1.2666287403169214, 0.6919624345428382, 0.7216578788829378, 0.1875];
    assert_jump(only(&m), &p, 0.5556852730940932, [0, 0, 2], JumpCase::Start);
    let s = m.samples.iter().find(|s| s.t() == 2.0).unwrap();
    let q = names.map(|n| s.get(n).unwrap());
    assert_close(&q, &[0.8272544934541749, 2.489680036066443, 2.886631515531751, 2.0], 1e-10);
}

fn refusal(m: &Trajectory) -> &Refusal {
    match &m.report.stop {
        StopReason::Impasse(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn j13_no_limit() {
    let c = "c = { velocity = \"exp(-1/x^2)*(cos(1/x)*y' + sin(1/x)*z') = 0\", when = \"x > 0\" }";
    let m = motion(&particle(&XYZ, c, "0", &["-1", "1/2", "0"], &["2", "1", "3"]), 5.0);
    assert_eq!(refusal(&m).name(), "no-limit");
    assert!((m.report.t - 0.5).abs() < 1e-14);
}

#[test]
fn j14_several_solutions() {
    let m = motion(&particle(&XYZ, "c = \"x*z' - y*x' = 0\"", "0", &["0", "0", "0"], &["1", "1", "2"]), 5.0);
    assert_eq!(refusal(&m).name(), "several-jumps");
    let mut found: Vec<f64> = refusal(&m).candidates().iter().map(|c| c.velocity[0]).collect();
    found.sort_by(f64::total_cmp);
    let root = 5f64.sqrt();
    assert_close(&found, &[(1.0 - root) / 2.0, 0.0, (1.0 + root) / 2.0], 1e-9);
    // the same within Table 1, Case 1: the form is switched on where w > 0, and the motion arrives on x = y = 0
    let c = "c = { velocity = \"x*z' - y*x' = 0\", when = \"w > 0\" }";
    let m = motion(&particle(&XYZW, c, "0", &["-1", "-1", "0", "-1"], &["1", "1", "2", "1"]), 5.0);
    assert_eq!((refusal(&m).name(), refusal(&m).candidates().len(), m.report.t), ("several-jumps", 3, 1.0));
}

#[test]
fn j15_straight_through_a_point_where_the_form_vanishes() {
    let c = "c = \"x*y' - y*x' = 0\"";
    let m = motion(&particle(&["x", "y"], c, "0", &["-3", "-4"], &["3", "4"]), 5.0);
    assert_eq!(m.report.stop, StopReason::End);
    assert_later(&m, &["x", "y"], 5.0, &[12.0, 16.0], &[3.0, 4.0]);
    // and from the point itself
    let m = motion(&particle(&["x", "y"], c, "0", &["0", "0"], &["3", "4"]), 5.0);
    assert_jump(only(&m), &[3.0, 4.0], 0.0, [0, 0, 1], JumpCase::Start);
    assert_later(&m, &["x", "y"], 5.0, &[15.0, 20.0], &[3.0, 4.0]);
}

/// Down a logarithmic spiral: the origin is reached at t = r√(1+κ²)/(κV), κ = 1/2, with a force that grows like 1/r.
#[test]
fn j16_unbounded_force() {
    let c = "c = \"(x + y/2)*x' + (y - x/2)*y' = 0\"";
    // at (1, 0) the admissible directions are (1/2, 1): speed √5/2
    let m = motion(&particle(&["x", "y"], c, "0", &["1", "0"], &["-1/2", "-1"]), 5.0);
    assert_eq!(refusal(&m).name(), "unbounded-force");
    assert!((m.report.t - 2.0).abs() < 1e-9, "{}", m.report.t);
}

#[test]
fn j17_touching_is_no_crossing() {
    let m = motion(&particle(&XYZ, BEYOND, "x", &["-1/2", "0", "0"], &["1", "1", "3"]), 2.0);
    assert!(m.report.events.iter().all(|e| e.jump.as_ref().is_none_or(|j| !j.record.jumped)));
    assert_later(&m, &XYZ, 2.0, &[-0.5, 2.0, 6.0], &[-1.0, 1.0, 3.0]);
}

/// A factor changes nothing: p⁺ is admissible, the projection is orthogonal and takes energy, whatever stands before the form.
#[test]
fn starts_on_the_singular_set_project_alike() {
    let mut numbers = Random::new(7);
    let mut random = || numbers.below(2001) as f64 / 500.0 - 2.0;
    for factor in ["x", "x^3", "x*(2 + y^2)", "exp(-1/x^2)", "sin(x)"] {
        for _ in 0..4 {
            let (y, v) = (random(), [random() + 3.0, random(), random()]);
            let texts = v.map(|x| format!("{x}"));
            let c = format!("c = \"{factor}*(z' - y*x') = 0\"");
            let text = particle(&XYZ, &c, "0", &["0", &format!("{y}"), "0"], &texts.each_ref().map(String::as_str));
            let compiled = compiled(&text).unwrap_or_else(|e| panic!("{factor}: {e}"));
            let m = compiled.solve(&Run::until(0.0)).unwrap();
            let record = match &m.report.stop {
                StopReason::Impasse(Refusal::NoConsistentJump { .. }) => continue,
                _ => &only(&m).jump.as_ref().unwrap().record,
            };
            let p = &record.momenta[1];
            assert!((p[2] - y * p[0]).abs() < 1e-13, "{factor}");
            let change: f64 = p.iter().zip(&v).map(|(p, v)| (p - v) * p).sum();
            assert!(change.abs() < 1e-12, "{factor}: not orthogonal by {change:e}");
            assert!(record.kinetic[1] <= record.kinetic[0] + 1e-14);
        }
    }
}

/// Only models whose constraints degenerate are rewritten; all others run as before.
#[test]
fn few_models_degenerate() {
    let mut found = Vec::new();
    for b in builtin::ALL.iter().filter(|b| !b.text.contains("[ground")) {
        let (model, _) = Model::parse(b.name, b.text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let (system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
        if polhode_analysis::regularised(&system).is_some() {
            found.push(b.name);
        }
        assert!(!polhode_analysis::starts_degenerate(&system), "{}", b.name);
    }
    assert_eq!(found, ["rank-drop-particle"]);
}

fn text_of(name: &str) -> &'static str {
    builtin::find(name).unwrap_or_else(|| panic!("no model {name}")).text
}

#[test]
fn fact_rank_drop_particle() {
    let m = motion(text_of("rank-drop-particle"), 5.0);
    let record = &only(&m).jump.as_ref().unwrap().record;
    assert!(!record.jumped);
    assert_eq!(record.ranks, [1, 0, 1]);
    let start = m.sampled(40)[0].get("integral").unwrap();
    assert!(m.sampled(40).iter().all(|s| (s.get("integral").unwrap() - start).abs() < 1e-13));
}

#[test]
fn fact_rough_disc() {
    let m = motion(text_of("rough-disc"), 20.0);
    let records: Vec<_> = m.report.events.iter().filter_map(|e| e.jump.as_ref().map(|j| (e, &j.record))).collect();
    assert_eq!(records.len(), 2, "{:?}", m.report.events);
    let (entry, record) = records[0];
    assert_eq!((record.case, record.ranks), (JumpCase::Appear, [0, 0, 2]));
    let phi = entry.sample.get("phi").unwrap();
    let ahead = |v: &[f64]| v[0] * phi.cos() + v[1] * phi.sin();
    let across = |v: &[f64]| v[1] * phi.cos() - v[0] * phi.sin();
    let [before, after] = &record.velocities;
    assert!((ahead(after) - 2.0 / 3.0 * ahead(before)).abs() < 1e-14);
    assert!(across(after).abs() < 1e-14);
    assert_eq!((records[1].1.case, records[1].1.jumped), (JumpCase::Vanish, false));
}
