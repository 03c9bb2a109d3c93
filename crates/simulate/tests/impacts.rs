//! Runs with constraints that appear and vanish, walls, and collisions that pile up.
//!
//! Numbers of forty digits are those of `filetests/impulses`, from impulses of Newton and Euler.

use crate::prelude::*;
use polhode_simulate::JumpCase;

fn parse(text: &str) -> Model {
    Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e}")).0
}

fn changed(name: &str, parameters: &[(&str, &str)], initial: &[(&str, &str)]) -> Model {
    let owned = |list: &[(&str, &str)]| list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let options = ParseOptions { parameters: owned(parameters), initial: owned(initial), ..ParseOptions::default() };
    let text = builtin::find(name).unwrap_or_else(|| panic!("no model {name}")).text;
    Model::parse(name, text, &options).unwrap_or_else(|e| panic!("{e}")).0
}

fn solve(model: &Model, run: &Run) -> Trajectory {
    let (mut system, _) = System::new(model).unwrap_or_else(|e| panic!("{e}"));
    system.compile().unwrap_or_else(|e| panic!("{e}")).solve(run).expect("a sound run")
}

#[track_caller]
fn close(label: &str, found: f64, expected: f64, tolerance: f64) {
    let off = (found - expected).abs();
    assert!(off <= tolerance * expected.abs().max(1.0), "{label}: {found} is not {expected}, off by {off:e}");
}

/// Numbers under their names.
type Numbers = Vec<(String, Vec<f64>)>;

/// A table of `filetests/impulses`: the numbers under each name of each case.
fn table(name: &str) -> Vec<(String, Numbers)> {
    let path = format!("{}/../../filetests/impulses/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the table is there");
    let mut cases: Vec<(String, Numbers)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        match line.strip_prefix('[') {
            Some(name) => cases.push((name.trim_end_matches(']').to_owned(), Vec::new())),
            None => {
                let (key, numbers) = line.split_once('=').expect("a key and numbers");
                let numbers = numbers.split_whitespace().map(|x| x.parse().expect("a number")).collect();
                cases.last_mut().expect("a case").1.push((key.trim().to_owned(), numbers));
            }
        }
    }
    cases
}

fn get<'a>(case: &'a [(String, Vec<f64>)], key: &str) -> &'a [f64] {
    case.iter().find(|(k, _)| k == key).map_or(&[], |(_, x)| x)
}

/// (13) before, (14) at, (15) after the edge, and the refusal where (14) leads back.
#[test]
fn eq_13_14_15_the_ball_at_the_edge_of_the_rough_half_plane() {
    let mut refused = 0;
    for (name, case) in table("half-plane") {
        let [m, r, k2] = get(&case, "m_r_k2")[..] else { continue };
        let v = get(&case, "velocity_minus");
        if v[0] < 0.0 || get(&case, "p_plus").is_empty() {
            continue; // those begin elsewhere
        }
        let (m, r, k2) = (m.to_string(), r.to_string(), k2.to_string());
        let start = -v[0]; // one second before the edge
        let omega = format!("[{}, {}, {}]", v[2], v[3], v[4]);
        let (x, vx, vy) = (start.to_string(), v[0].to_string(), v[1].to_string());
        let model = changed(
            "ball-smooth-rough",
            &[("m", &m), ("r", &r), ("k2", &k2)],
            &[("x", &x), ("y", "0"), ("x'", &vx), ("y'", &vy), ("omega", &omega)],
        );
        let motion = solve(&model, &Run::until(3.0).at([0.5]));
        let before = &motion.samples[0];
        close(&format!("{name}: (13)"), before["x"], start + 0.5 * v[0], 1e-13);
        close(&format!("{name}: (13)"), before["y"], 0.5 * v[1], 1e-13);
        if get(&case, "enters") == [0.0] {
            assert_eq!(motion.report.stop.name(), "no-consistent-jump", "{name}");
            close(&name, motion.report.t, 1.0, 1e-12);
            refused += 1;
            continue;
        }
        let event = &motion.report.events[0];
        let jump = event.jump.as_ref().expect("it jumps");
        close(&format!("{name}: time"), event.sample.t(), 1.0, 1e-12);
        assert_eq!((jump.record.case, jump.record.ranks), (JumpCase::Appear, [0, 0, 2]), "{name}");
        let (after, expected) = (&jump.after, get(&case, "velocity_plus"));
        let names = ["x'", "y'", "omega[1]", "omega[2]", "omega[3]"];
        for (n, x) in names.iter().zip(expected) {
            close(&format!("{name}: (14), {n}"), after[*n], *x, 1e-13);
        }
        close(&format!("{name}: p_x"), jump.record.momenta[1][0], get(&case, "p_plus")[0], 1e-13);
        let loss = get(&case, "energy_loss")[0];
        close(&format!("{name}: loss"), jump.record.kinetic[0] - jump.record.kinetic[1], loss, 1e-13);
        close(&format!("{name}: Carnot"), jump.record.dissipated, loss, 1e-13);
        close(&format!("{name}: (15)"), motion.last["x"], 2.0 * expected[0], 1e-12);
        close(&format!("{name}: (15)"), motion.last["y"], v[1] + 2.0 * expected[1], 1e-12);
        assert!(motion.report.energy_error < 1e-13, "{name}: {}", motion.report.energy_error);
    }
    assert!(refused > 0, "the ball that is thrown back is among the cases");
}

/// Case 1 on entering a strip, Case 2 on leaving it; rolling velocities are kept.
#[test]
fn a_rough_strip_is_entered_with_a_jump_and_left_without() {
    let text = builtin::find("ball-smooth-rough").expect("built in").text.replace("x > 0", "x > 0 and x < 3/2");
    let motion = solve(&parse(&text), &Run::until(10.0));
    let events = &motion.report.events;
    let cases: Vec<_> = events.iter().map(|e| e.jump.as_ref().map(|j| (j.record.case, j.record.jumped))).collect();
    assert_eq!(cases, [Some((JumpCase::Appear, true)), Some((JumpCase::Vanish, false))]);
    close("when it leaves", events[1].sample.t(), 197.0 / 46.0, 1e-13);
    close("it still rolls", motion.last["x'"], motion.last["omega[2]"], 1e-13);
}

/// [CendraLacombaReartes2001, §4]: λ, the reflection and the reduced variables, from model files that start at the wall.
#[test]
fn section_4_walls_and_corners() {
    let mut seen = 0;
    for (name, case) in table("walls") {
        let [i1, i3, m, r] = get(&case, "i1_i3_m_r")[..] else { continue };
        if (i1, r) != (1.0, 1.0) {
            continue; // the model has these units
        }
        let (z, w, normals) = (get(&case, "z0"), get(&case, "omega_minus"), get(&case, "wall_normals"));
        let e = get(&case, "restitution")[0];
        let mut text = format!(
            "[coordinates]\nR = \"SO(3)\"\ny1 = \"real\"\ny2 = \"real\"\n[lagrangian]\n\
             kinetic = \"{m}/2*(y1'^2 + y2'^2) + dot(Omega, diag(1, 1, {i3})*Omega)/2\"\n[constraints]\n\
             roll = \"[y1', y2'] = [omega[2], -omega[1]]\"\n[initial]\nR = \"rotation([{}, {}, 0], acos({}))\"\n\
             omega = [{}, {}, {}]\n[observables]\nz = \"R*[0, 0, 1]\"\n",
            -z[1], z[0], z[2], w[0], w[1], w[2]
        );
        for n in normals.chunks_exact(3) {
            text += &format!(
                "[[wall]]\nname = \"{} {}\"\ngap = \"-({})*y1 - ({})*y2\"\nslip = \"[y1', y2', 0] + cross(omega, [{}, {}, {}])\"\n\
                 restitution = {e}\n",
                n[0], n[1], n[0], n[1], n[0], n[1], n[2]
            );
        }
        let motion = solve(&parse(&text), &Run::until(1e-3));
        let event = motion.report.events.first().unwrap_or_else(|| panic!("{name}: no collision"));
        let after = &event.jump.as_ref().expect("it jumps").after;
        for (i, x) in get(&case, "omega_plus").iter().enumerate() {
            close(&format!("{name}: ω"), after[format!("omega[{}]", i + 1).as_str()], *x, 1e-13);
        }
        for (i, x) in get(&case, "ydot_plus").iter().enumerate() {
            close(&format!("{name}: ẏ"), after[["y1'", "y2'"][i]], *x, 1e-13);
        }
        if let [v0] = get(&case, "v0_plus") {
            close(&format!("{name}: v₀"), after["Omega[3]"], *v0, 1e-13);
        }
        if let [energy] = get(&case, "energy_plus") {
            close(&format!("{name}: energy"), after["energy"], *energy, 1e-13);
        }
        seen += 1;
    }
    assert!(seen >= 7, "{seen} walls");
}

/// Thirteen bounces, and every one of them.
#[test]
fn section_4_bounces_between_two_walls() {
    let motion = solve(&changed("ball-rough-wall", &[], &[]), &Run::until(12.0));
    let cases = table("bounces");
    let first = &cases.iter().find(|(name, _)| name.starts_with("B1")).expect("the case is there").1;
    let times = get(first, "t");
    assert_eq!(motion.report.events.len(), times.len());
    for (k, (event, t)) in motion.report.events.iter().zip(times).enumerate() {
        close(&format!("bounce {}", k + 1), event.sample.t(), *t, 1e-13);
        let after = &event.jump.as_ref().expect("it jumps").after;
        for i in 0..3 {
            let expected = get(first, "omega_plus")[3 * k + i];
            close(&format!("bounce {}: ω", k + 1), after[format!("omega[{}]", i + 1).as_str()], expected, 1e-12);
        }
    }
    for (k, t) in get(first, "sample_t").iter().enumerate() {
        let s = motion.at(*t).expect("within the run");
        for i in 0..2 {
            close(&format!("t = {t}"), s[["y1", "y2"][i]], get(first, "sample_y")[2 * k + i], 1e-11);
        }
    }
    assert!(motion.report.energy_error < 1e-12);
}

/// A run backwards from where an elastic run ended comes back to its start.
#[test]
fn elastic_bounces_return_when_time_is_reversed() {
    let model = changed("ball-rough-wall", &[], &[]);
    let there = solve(&model, &Run::until(6.0));
    let matrix = |s: &Sample| {
        let row = |i: usize| {
            (1..=3).map(|j| format!("{:e}", s[format!("R[{i},{j}]").as_str()])).collect::<Vec<_>>().join(",")
        };
        format!("[[{}],[{}],[{}]]", row(1), row(2), row(3))
    };
    let last = &there.last;
    let spin: Vec<String> = (1..=3).map(|i| format!("{:e}", -last[format!("Omega[{i}]").as_str()])).collect();
    let (r, spin) = (matrix(last), format!("[{}]", spin.join(",")));
    let (y1, y2) = (format!("{:e}", last["y1"]), format!("{:e}", last["y2"]));
    let back = changed("ball-rough-wall", &[], &[("R", &r), ("Omega", &spin), ("y1", &y1), ("y2", &y2)]);
    let home = solve(&back, &Run::until(6.0));
    assert_eq!(home.report.jumps, there.report.jumps);
    close("y1", home.last["y1"], -1.0, 1e-10);
    close("y2", home.last["y2"], 0.0, 1e-10);
    close("Omega", home.last["Omega[2]"], -1.9, 1e-10);
}

const BOUNCING: &str = "[parameters]\ng = 9.81\ne = 0.5\n[coordinates]\nz = \"real\"\nx = \"real\"\n[lagrangian]\n\
    kinetic = \"(x'^2 + z'^2)/2\"\npotential = \"g*z\"\n[[wall]]\nname = \"floor\"\ngap = \"z\"\nrestitution = \"e\"\n";

/// Drops from height h pile up at √(2h/g) (1+e)/(1−e).
#[test]
fn collisions_pile_up_and_contact_lasts() {
    let start = "[initial]\nz = 1\nx' = 0.3\n";
    let end = (2.0f64 / 9.81).sqrt() * 3.0;
    let stopped = solve(&parse(&format!("{BOUNCING}{start}")), &Run::until(5.0));
    assert_eq!(stopped.report.stop.name(), "accumulation");
    close("where it stops", stopped.report.t, end, 1e-6);
    let lasting = solve(&parse(&format!("{BOUNCING}lasting = true\n{start}")), &Run::until(5.0));
    assert_eq!(lasting.report.stop, StopReason::End);
    let settled =
        lasting.report.events.iter().find_map(|e| e.jump.as_ref().filter(|j| j.record.case == JumpCase::Settle));
    close("told", settled.expect("it settles").record.accumulates_at.expect("with its time"), end, 1e-9);
    close("it lies", lasting.last["z"], 0.0, 1e-9);
    close("and slides", lasting.last["x"], 1.5, 1e-12);
    close("the floor carries it", lasting.last.reaction("floor: touching").expect("a force"), 9.81, 1e-12);
    assert!(lasting.report.energy_error < 1e-12, "{}", lasting.report.energy_error);
}

/// A bead on a table that tips: contact lasts until the table falls away faster than the bead.
#[test]
fn a_lasting_contact_lets_go() {
    let text = "[parameters]\ng = 9.81\n[coordinates]\nz = \"real\"\n[lagrangian]\nkinetic = \"z'^2/2\"\npotential = \"g*z\"\n\
                [[wall]]\nname = \"plate\"\ngap = \"z - 0.1*sin(12*t)\"\nrestitution = 0\nlasting = true\n[initial]\nz = 0\nz' = 1.2\n";
    let motion = solve(&parse(text), &Run::until(1.0));
    let release =
        motion.report.events.iter().find(|e| e.jump.as_ref().is_some_and(|j| j.record.case == JumpCase::Release));
    // 0.1·144 sin(12 t) = g
    let expected = (9.81f64 / 14.4).asin() / 12.0;
    close("it lets go", release.expect("it lets go").sample.t(), expected, 1e-10);
    assert!(motion.report.energy_error < 1e-11, "{}", motion.report.energy_error);
}

/// Contact that lasts keeps its friction: x' − θ'/2 does not change, the slip x' + θ' falls with 3μg, and then it sticks with two thirds of it all.
#[test]
fn lasting_contact_slides_under_friction_and_sticks() {
    let text = "[coordinates]\nx = \"real\"\nz = \"real\"\nth = \"angle\"\n[lagrangian]\nkinetic = \"(x'^2 + z'^2)/2 + th'^2/4\"\npotential = \"9.81*z\"\n\
                [[wall]]\nname = \"floor\"\ngap = \"z\"\nrestitution = 0.5\nfriction = 0.05\nslip = SLIP\nlasting = true\n\
                [initial]\nz = 1\nvelocity = { x = 4 }\n";
    for slip in ["\"x' + th'\"", "\"[x' + th', z']\""] {
        let motion = solve(&parse(&text.replace("SLIP", slip)), &Run::until(4.0));
        assert_eq!(motion.report.stop, StopReason::End);
        // bounces and contact together press with g on the average, so that the slip of 4 lasts for 4/(3μg)
        let sticks = motion.report.events.iter().find(|e| e.name == "floor begins to roll").expect("it sticks");
        close("time", sticks.sample.t(), 4.0 / (3.0 * 0.05 * 9.81), 1e-6);
        let half = motion.at(2.0).expect("within the run");
        close("while it slides", half["x'"], 4.0 - 0.05 * 9.81 * 2.0, 1e-6);
        close("x'", motion.last["x'"], 8.0 / 3.0, 1e-9);
        close("th'", motion.last["th'"], -8.0 / 3.0, 1e-9);
        assert!(motion.report.energy_error < 1e-12, "{}", motion.report.energy_error);
    }
}

/// A block that lies on the floor and is pulled by t sticks up to t = μg, and then slides with x' = ½(t − μg)².
#[test]
fn a_block_that_is_pulled_sticks_and_then_slides() {
    let text = "[coordinates]\nx = \"real\"\nz = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + z'^2)/2\"\npotential = \"9.81*z\"\n[forces]\nx = \"t\"\n\
                [[wall]]\nname = \"floor\"\ngap = \"z\"\nrestitution = 0\nfriction = 0.2\nslip = \"x'\"\nlasting = true\n\
                [initial]\nx = 0\nz = 0\n";
    let motion = solve(&parse(text), &Run::until(4.0));
    assert_eq!(motion.report.stop, StopReason::End);
    let slides = motion.report.events.iter().find(|e| e.name == "floor begins to slide").expect("it slides");
    close("onset", slides.sample.t(), 1.962, 1e-10);
    close("x'", motion.last["x'"], (4.0f64 - 1.962).powi(2) / 2.0, 1e-9);
    close("x", motion.last["x"], (4.0f64 - 1.962).powi(3) / 6.0, 1e-9);
}

/// Two walls at a right angle meet in a corner, and both act; a smooth wall leaves what is along it alone.
#[test]
fn corners_and_smooth_walls() {
    let text = "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
                [[wall]]\nname = \"a\"\ngap = \"1 - x\"\nrestitution = 0.5\n[[wall]]\nname = \"b\"\ngap = \"1 - y\"\nrestitution = 0.5\n\
                [initial]\nx' = 1\ny' = 1\n";
    let corner = solve(&parse(text), &Run::until(2.0));
    let jump = corner.report.events[0].jump.as_ref().expect("it jumps");
    assert_eq!(jump.record.walls, ["a", "b"]);
    close("x'", corner.last["x'"], -0.5, 1e-14);
    close("y'", corner.last["y'"], -0.5, 1e-14);
    let side = solve(&parse(&text.replace("y' = 1", "y' = 0.25")), &Run::until(2.0));
    close("x'", side.last["x'"], -0.5, 1e-14);
    close("y'", side.last["y'"], 0.25, 1e-14);
}

/// At a touchdown the energy u²/(2/m + 2a²/I) is lost.
#[test]
fn the_skate_loses_what_is_sideways() {
    let motion = solve(&changed("skate-touchdown", &[], &[]), &Run::until(2.0));
    let event = &motion.report.events[0];
    close("touchdown", event.sample.t(), 1.0, 1e-14);
    let u = event.sample["sideways"];
    let jump = event.jump.as_ref().expect("it jumps");
    close("loss", jump.record.dissipated, u * u / (2.0 + 2.0 * 0.09 / 0.5), 1e-13);
    close("after", jump.after["sideways"], 0.0, 1e-14);
}

/// Every step of the leg takes energy, and the sled straightens although nothing rubs.
#[test]
fn ruinas_sled_straightens() {
    let motion = solve(&changed("ruina-sled", &[], &[]), &Run::until(40.0));
    let jumps: Vec<_> = motion.report.events.iter().filter_map(|e| e.jump.as_ref()).collect();
    assert!(jumps.len() > 50, "{} steps", jumps.len());
    assert!(jumps.iter().all(|j| j.record.kinetic[1] <= j.record.kinetic[0] * (1.0 + 1e-14)));
    let turn = |t: f64| {
        motion.at(t).unwrap_or_else(|| panic!("{t} of {}: {}", motion.end(), motion.report.stop))["theta'"].abs()
    };
    // what is left is the sway of the single steps
    assert!(turn(39.9) < 0.1 * turn(0.1), "{} is left of {}", turn(39.9), turn(0.1));
    let heading = |t: f64| motion.at(t).expect("within the run")["theta"];
    assert!((heading(39.9) - heading(30.0)).abs() < 0.1 * (heading(5.0) - heading(0.0)).abs());
    assert!(motion.last["x'"].hypot(motion.last["y'"]) > 0.3);
}

/// Coulomb friction in the limit μ → ∞, for a model that asks for it.
#[test]
fn a_ball_that_is_thrown_back_by_friction() {
    let text = builtin::find("ball-smooth-rough").expect("built in").text;
    let text = text.replace("when = \"x > 0\"", "when = \"x > 0\", limit = \"coulomb\"");
    for (spin, x, wy) in [("-5", -5.0 / 7.0, -5.0 / 7.0), ("-10", -1.0, -5.0)] {
        let options = ParseOptions {
            initial: [("x", "-1"), ("y", "0"), ("x'", "1"), ("y'", "0")]
                .iter()
                .map(|(a, b)| (a.to_string(), b.to_string()))
                .chain([("omega".to_owned(), format!("[0, {spin}, 0]"))])
                .collect(),
            ..ParseOptions::default()
        };
        let model = Model::parse("edge.toml", &text, &options).unwrap_or_else(|e| panic!("{e}")).0;
        let motion = solve(&model, &Run::until(2.0));
        assert_eq!(motion.report.stop, StopReason::End);
        close("x'", motion.last["x'"], x, 1e-13);
        close("omega", motion.last["omega[2]"], wy, 1e-13);
        assert!(motion.report.energy_error < 1e-12);
    }
}

/// Events that are comparisons switch constraints on and off.
#[test]
fn constraints_from_one_event_to_another() {
    let text = "[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
                [constraints]\na = { velocity = \"y' = z'\", from = \"on\", until = \"off\" }\n[[event]]\nname = \"on\"\nwhen = \"x > 1\"\n\
                [[event]]\nname = \"off\"\nwhen = \"x > 2\"\n[forces]\ny = 0.3\n[initial]\nvelocity = { x = 1, y = 0.5, z = 0.1 }\n";
    let motion = solve(&parse(text), &Run::until(4.0));
    assert_eq!(motion.report.stop, StopReason::End);
    let cases: Vec<_> = motion.report.events.iter().map(|e| e.jump.as_ref().map(|j| j.record.case)).collect();
    assert_eq!(cases, [Some(JumpCase::Appear), Some(JumpCase::Vanish)]);
    // free with y' = 0.8 at t = 1, together at 0.45, pushed together to 0.6 at t = 2, then y alone
    close("y'", motion.last["y'"], 1.2, 1e-13);
    close("z'", motion.last["z'"], 0.6, 1e-13);
}

/// A disk that grazes a floor with friction: the tangential impulse is μ times the normal one, whether the slip is written with its normal part or
/// without, in the plane or in space.
#[test]
fn friction_at_a_wall_takes_the_slip_along_it() {
    let text = |slip: &str| {
        format!(
            "[coordinates]\nx = \"real\"\ny = \"real\"\nth = \"angle\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2 + th'^2/4\"\n[[wall]]\n\
             name = \"floor\"\ngap = \"y - 1\"\nslip = \"{slip}\"\nrestitution = 0.5\nfriction = 0.1\n[initial]\nposition = {{ y = 2 }}\n\
             velocity = {{ x = 2, y = -1, th = 1 }}\n"
        )
    };
    for slip in ["x' + th'", "[x' + th', y']", "[x' + th', y', 0]"] {
        let motion = solve(&parse(&text(slip)), &Run::until(2.0));
        // normal impulse 1.5, friction 0.15
        close(slip, motion.last["x'"], 1.85, 1e-13);
        close(slip, motion.last["y'"], 0.5, 1e-13);
        close(slip, motion.last["th'"], 0.7, 1e-13);
    }
}

#[test]
fn what_starts_behind_a_wall_is_refused() {
    let text = format!("{BOUNCING}[initial]\nz = -1\n");
    let motion = solve(&parse(&text), &Run::until(1.0));
    assert_eq!(motion.report.stop.name(), "no-impact-law");
    assert!(motion.report.stop.to_string().contains("behind floor"), "{}", motion.report.stop);
}

/// An elastic wall with a constraint that moves: its work is in the books.
#[test]
fn walls_with_affine_constraints() {
    let text = "[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\n\
                c = \"z' = y*x' + 1\"\n[[wall]]\ngap = \"1 - x\"\n[initial]\nposition = { y = 0.5 }\nvelocity = { x = 1, y = 0.3 }\n";
    let motion = solve(&parse(text), &Run::until(3.0));
    assert_eq!(motion.report.jumps, 1);
    assert!(motion.report.energy_error < 1e-12, "{}", motion.report.energy_error);
}

/// A wall and a border in one place, or at one time: the wall acts first, and the border is crossed only if the motion still goes there.
#[test]
fn walls_and_borders_that_are_met_together() {
    let text = |when: &str, gap: &str, start: &str| {
        format!(
            "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\n\
             a = {{ velocity = \"y' = x'\", when = \"{when}\" }}\n[[wall]]\nname = \"w\"\ngap = \"{gap}\"\nrestitution = 0.5\n[initial]\n{start}\n"
        )
    };
    // what is behind the wall is never entered
    let behind = solve(&parse(&text("x > 1", "1 - x", "velocity = { x = 1, y = 0.4 }")), &Run::until(3.0));
    close("x'", behind.last["x'"], -0.5, 1e-13);
    close("y'", behind.last["y'"], 0.4, 1e-13);
    // what holds in front of it goes on holding: the reflection is inside it
    let before = solve(&parse(&text("x < 1", "1 - x", "velocity = { x = 1, y = 1 }")), &Run::until(3.0));
    close("x'", before.last["x'"], -0.5, 1e-13);
    close("y'", before.last["y'"], -0.5, 1e-13);
    // a wall across the way and a border along it, both at t = 1: (−0.5, 1) onto y' = −x'
    let across = text("y > 1", "1 - x", "velocity = { x = 1, y = 1 }");
    let both = solve(&parse(&across.replace("y' = x'", "y' = -x'")), &Run::until(1.5));
    assert_eq!(both.report.stop, StopReason::End);
    close("x'", both.last["x'"], -0.75, 1e-13);
    close("y'", both.last["y'"], 0.75, 1e-13);
    assert_eq!(both.report.events.iter().filter(|e| e.jump.is_some()).count(), 1);
    assert!(both.report.energy_error < 1e-13);
    // onto y' = x' it would go into the wall, which sends it back over the border
    let back = solve(&parse(&across), &Run::until(1.5));
    assert_eq!(back.report.stop, StopReason::End);
    close("x'", back.last["x'"], -0.125, 1e-13);
    close("y'", back.last["y'"], -0.125, 1e-13);
}

/// Flights that become shorter than rounding lets us see end in lasting contact, wherever the wall is: the ball does not fall through.
#[test]
fn bounces_pile_up_far_from_the_origin_too() {
    let settles = |gap: &str, e: f64, height: f64| {
        let text = format!(
            "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y\"\n\
             [[wall]]\nname = \"floor\"\ngap = \"{gap}\"\nrestitution = {e}\nlasting = true\n\
             [initial]\nposition = {{ y = {height} }}\nvelocity = {{ x = 5 }}\n"
        );
        let motion = solve(&parse(&text), &Run::until(600.0));
        assert_eq!(motion.report.stop, StopReason::End, "{gap}, e = {e}");
        let last = motion.last;
        (
            last["x"],
            last["y"],
            motion.report.events.iter().filter_map(|e| e.jump.as_ref()).any(|j| j.record.case == JumpCase::Settle),
        )
    };
    for e in [0.5, 0.8, 0.9, 0.95] {
        for (gap, height) in
            [("y", 1.0), ("y - 100", 101.0), ("y - 1000", 1001.0), ("y + 0.3*x", 1.0), ("y - 0.2*x", 10.0)]
        {
            let (x, y, settled) = settles(gap, e, height);
            let above = match gap {
                "y" => y,
                "y - 100" => y - 100.0,
                "y - 1000" => y - 1000.0,
                "y + 0.3*x" => y + 0.3 * x,
                _ => y - 0.2 * x,
            };
            assert!(settled && above.abs() <= 1e-8, "{gap}, e = {e}: {above:e}");
        }
    }
}

/// A rod that lands on its foot without restitution and with friction stays on the floor, at every inclination.
#[test]
fn a_rod_that_lands_with_friction_stays_on_the_floor() {
    for tenths in 5..14 {
        let text = format!(
            "[coordinates]\nx = \"real\"\ny = \"real\"\nth = \"angle\"\n\
             [lagrangian]\nkinetic = \"(x'^2 + y'^2)/2 + th'^2/24\"\npotential = \"9.81*y\"\n\
             [[wall]]\nname = \"floor\"\ngap = \"y - sin(th)/2\"\nslip = \"[x' + sin(th)/2*th']\"\nrestitution = 0\nfriction = 0.3\nlasting = true\n\
             [initial]\nposition = {{ y = \"0.1 + sin({th})/2\", th = {th} }}\nvelocity = {{ x = 0.4 }}\n",
            th = f64::from(tenths) / 10.0
        );
        let motion = solve(&parse(&text), &Run::until(0.4));
        let gap = motion.last["y"] - motion.last["th"].sin() / 2.0;
        assert!(gap >= -1e-9, "th = 0.{tenths}: {gap}");
    }
}

/// An event that sets positions and leaves its own function at zero happens once; one that a jump of the velocities leads over happens there.
#[test]
fn events_that_set_positions_and_events_passed_by_a_jump() {
    let text = "[coordinates]\nx = \"real\"\nth = \"angle\"\n[lagrangian]\nkinetic = \"x'^2/2 + th'^2/4\"\n\
                [[event]]\nname = \"up\"\nwhen = \"x > 2\"\nset = { th = \"th + 0.5\" }\n[initial]\nvelocity = { x = 1, th = 0.2 }\n";
    let motion = solve(&parse(text), &Run::until(4.0));
    assert_eq!(motion.report.events.len(), 1);
    close("th", motion.last["th"], 0.2 * 4.0 + 0.5, 1e-14);

    let text = "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
                [constraints]\nA = { velocity = \"y' = x'\", when = \"x > 0\" }\n\
                [[event]]\nname = \"slow\"\nwhen = \"x' < 0.8\"\naction = \"stop\"\n[initial]\nposition = { x = -1 }\nvelocity = { x = 1 }\n";
    let motion = solve(&parse(text), &Run::until(3.0));
    assert_eq!(motion.report.stop, StopReason::Event("slow".to_owned()));
    close("time", motion.report.t, 1.0, 1e-13);
}
