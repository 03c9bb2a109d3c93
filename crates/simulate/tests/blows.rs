//! Runs backwards through collisions and borders, walls that would pull, blows with restitution, and constraints that appear in the wrong place.

use crate::prelude::*;
use polhode_base::random::Random;
use polhode_simulate::{JumpCase, Sample};

fn solve(text: &str, run: &Run) -> Trajectory {
    let (model, _) =
        Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    system.compile().unwrap_or_else(|e| panic!("{e}")).solve(run).expect("a sound run")
}

#[track_caller]
fn close(label: &str, found: f64, expected: f64, tolerance: f64) {
    let off = (found - expected).abs();
    assert!(off <= tolerance * expected.abs().max(1.0), "{label}: {found} is not {expected}, off by {off:e}");
}

/// A particle of unit mass in the plane, with what is given.
fn plane(more: &str, q: [f64; 2], v: [f64; 2]) -> String {
    format!(
        "[coordinates]\nx = \"real\"\ny = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n{more}\n[initial]\nposition = {{ x = {:e}, y = {:e} }}\n\
         velocity = {{ x = {:e}, y = {:e} }}\n",
        q[0], q[1], v[0], v[1]
    )
}

fn state(s: &Sample) -> ([f64; 2], [f64; 2]) {
    ([s["x"], s["y"]], [s["x'"], s["y'"]])
}

/// Goes forwards for a time, and back again from where that ended; `more` of the times at which the two runs begin.
fn there_and_back(more: impl Fn(f64) -> String, q: [f64; 2], v: [f64; 2], time: f64) -> (Trajectory, Trajectory) {
    let there = solve(&plane(&more(0.0), q, v), &Run::until(time));
    assert_eq!(there.report.stop, StopReason::End);
    let (q1, v1) = state(&there.last);
    let back = solve(&plane(&more(time), q1, v1), &Run::until(-time));
    (there, back)
}

/// Elastic walls, one of them slanted, one that moves, with a force and with a constraint that the walls keep.
#[test]
fn elastic_bounces_return_when_time_runs_backwards() {
    let boxed = "[[wall]]\ngap = \"x + 1\"\n[[wall]]\ngap = \"y + 1 + x/3\"\n[[wall]]\ngap = \"2 - y - x/5\"\n";
    let mut random = Random::new(3);
    let mut jumps = 0;
    for k in 0..6 {
        let mut number = || random.between(-0.5, 0.5);
        let (q, v) = ([number(), number()], [2.0 * number(), 3.0 * number()]);
        let more =
            |t: f64| format!("potential = \"y + x*y/4\"\n{boxed}[[wall]]\ngap = \"1.5 - x + sin(2*(t + {t}))/5\"\n");
        let (there, back) = there_and_back(more, q, v, 4.0);
        assert_eq!(back.report.stop, StopReason::End, "{k}");
        jumps += there.report.jumps;
        assert_eq!(back.report.jumps, there.report.jumps, "{k}");
        let (q0, v0) = state(&back.last);
        for i in 0..2 {
            close("position", q0[i], q[i], 1e-9);
            close("velocity", v0[i], v[i], 1e-9);
        }
        assert!(back.report.energy_error < 1e-11, "{}", back.report.energy_error);
        let mut told = back.report.events.iter().filter_map(|e| e.jump.as_ref());
        assert!(told.all(|j| j.record.case == JumpCase::Collision));
    }
    assert!(jumps > 15, "{jumps} collisions");
}

/// The ball of [CendraLacombaReartes2001, §4]: rough walls, and a constraint that is kept.
#[test]
fn rough_elastic_walls_return_when_time_runs_backwards() {
    let text = builtin::find("ball-rough-wall").expect("built in").text;
    let there = solve(text, &Run::until(6.0));
    let last = &there.last;
    let matrix: Vec<String> = (1..=3)
        .map(|i| (1..=3).map(|j| format!("{:e}", last[format!("R[{i},{j}]").as_str()])).collect::<Vec<_>>().join(","))
        .collect();
    let spin: Vec<String> = (1..=3).map(|i| format!("{:e}", last[format!("Omega[{i}]").as_str()])).collect();
    let initial = [
        ("R", format!("[[{}]]", matrix.join("],["))),
        ("Omega", format!("[{}]", spin.join(","))),
        ("y1", format!("{:e}", last["y1"])),
        ("y2", format!("{:e}", last["y2"])),
    ];
    let initial = initial.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let options = ParseOptions { initial, ..ParseOptions::default() };
    let (model, _) = Model::parse("back", text, &options).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    let back = system.compile().unwrap_or_else(|e| panic!("{e}")).solve(&Run::until(-6.0)).expect("a sound run");
    assert_eq!((&back.report.stop, back.report.jumps), (&StopReason::End, there.report.jumps));
    close("y1", back.last["y1"], -1.0, 1e-10);
    close("y2", back.last["y2"], 0.0, 1e-10);
    for (i, x) in [0.7, 1.9, -1.1].into_iter().enumerate() {
        close("Omega", back.last[format!("Omega[{}]", i + 1).as_str()], x, 1e-10);
    }
    // times of the bounces are the same
    let times = |m: &Trajectory| m.report.events.iter().map(|e| e.sample.t()).collect::<Vec<_>>();
    for (a, b) in times(&there).iter().zip(times(&back).iter().rev()) {
        close("time", 6.0 + b, *a, 1e-10);
    }
}

/// Out of a corner that took several rounds, elastic walls lead back.
#[test]
fn corners_return_when_time_runs_backwards() {
    // 50° between the walls; the motion arrives in the corner
    let (c, s) = (50f64.to_radians().cos(), 50f64.to_radians().sin());
    let more = |_: f64| format!("[[wall]]\ngap = \"y\"\n[[wall]]\ngap = \"{s:e}*x - {c:e}*y\"\n");
    for angle in [10.0, 17.0, 40.0] {
        let direction = [-f64::cos(f64::to_radians(angle)), -f64::sin(f64::to_radians(angle))];
        let start = direction.map(|x| -x);
        let (there, back) = there_and_back(more, start, direction, 2.0);
        let (q, v) = state(&back.last);
        match &back.report.stop {
            StopReason::End => {
                for i in 0..2 {
                    close("position", q[i], start[i], 1e-9);
                    close("velocity", v[i], direction[i], 1e-9);
                }
            }
            // the law in the corner need not be one to one, and is not pretended to be
            stop => assert_eq!(stop.name(), "no-way-back", "{angle}: {:?}", there.last["x'"]),
        }
    }
}

const FALLS: &str = "potential = \"2*y\"\n[[wall]]\nname = \"floor\"\ngap = \"y\"\nrestitution = ";

#[test]
fn what_loses_energy_has_no_way_back() {
    let lossy = solve(&plane(&format!("{FALLS}0.9"), [0.0, 1.0], [0.3, 0.0]), &Run::until(-5.0));
    assert_eq!(lossy.report.stop.name(), "no-way-back");
    close("it stops at the floor", lossy.report.t, -1.0, 1e-12);
    close("where the motion was until then", lossy.last["x"], -0.3, 1e-12);
    let elastic = solve(&plane(&format!("{FALLS}1"), [0.0, 1.0], [0.3, 0.0]), &Run::until(-5.0));
    assert_eq!((elastic.report.stop.name(), elastic.report.jumps), ("end", 3));
    close("it bounces", elastic.last["y"], 0.0, 1e-9);
}

/// Where constraints vanish the motion goes on unchanged, so that there is a way back if it obeys them; where they appear many motions end in one.
#[test]
fn borders_have_a_way_back_where_nothing_jumped() {
    let when = |side: &str| format!("[constraints]\nc = {{ velocity = \"y' = x'\", when = \"x {side} 0\" }}");
    let from = |side: &str, v| solve(&plane(&when(side), [1.0, 0.0], v), &Run::until(-3.0));
    let obeys = from("<", [1.0, 1.0]);
    assert_eq!(obeys.report.stop, StopReason::End);
    close("x", obeys.last["x"], -2.0, 1e-13);
    assert_eq!(obeys.report.events.len(), 1);
    for (side, v, why) in [("<", [1.0, 0.5], "no motion comes from there"), (">", [1.0, 1.0], "many velocities")] {
        let m = from(side, v);
        assert_eq!(m.report.stop.name(), "no-way-back", "{side}");
        assert!(m.report.stop.to_string().contains(why), "{}", m.report.stop);
        close("it stops on the border", m.report.t, -1.0, 1e-12);
    }
    // a factor that vanishes: the same holds on both sides
    let through = "[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\n\
                   c = \"x*(z' - y*x') = 0\"\n[initial]\nposition = { x = 1, y = 0.5 }\nvelocity = { x = 1, y = 0.2, z = 0.5 }\n";
    let m = solve(through, &Run::until(-2.0));
    assert_eq!((m.report.stop.name(), m.report.jumps), ("end", 1));
    assert!(m.last["x"] < -0.5 && m.report.constraint_residual < 1e-13 && m.report.energy_error < 1e-13);
}

/// Both walls of the corner are approached, and one would have to pull: the other acts alone.
#[test]
fn walls_do_not_pull() {
    let walls = |e: &str| {
        format!(
            "[[wall]]\nname = \"a\"\ngap = \"-x\"\nrestitution = {e}\n[[wall]]\nname = \"b\"\ngap = \"-(x + 0.2*y)\"\nrestitution = {e}"
        )
    };
    for (e, expected) in [("0.5", -0.5), ("1", -1.0), ("0", 0.0)] {
        let m = solve(&plane(&walls(e), [-1.0, 3.0], [1.0, -3.0]), &Run::until(1.5));
        close("x'", m.last["x'"], expected, 1e-13);
        close("y'", m.last["y'"], -3.0, 1e-13);
        let record = &m.report.events[0].jump.as_ref().expect("it collides").record;
        assert_eq!(record.walls, ["a"]);
        assert!(record.multipliers.iter().all(|(_, x, _)| *x >= 0.0), "{:?}", record.multipliers);
    }
}

/// The corner of |x| has no normal, and neither has a gap that begins with a cube.
#[test]
fn a_gap_without_a_gradient_is_refused() {
    for (gap, v) in [("y - abs(x)", [0.0, -1.0]), ("y^3", [0.3, -1.0])] {
        let m = solve(&plane(&format!("[[wall]]\nname = \"w\"\ngap = \"{gap}\""), [0.0, 1.0], v), &Run::until(3.0));
        assert_eq!(m.report.stop.name(), "no-impact-law", "{gap}");
        assert!(m.report.stop.to_string().contains("the gap of w has no gradient"), "{}", m.report.stop);
    }
}

/// A constraint x' = 0 beyond x = 1 with restitution is a wall; one along the border is a blow, and the motion goes on behind it without a constraint.
#[test]
fn a_constraint_with_restitution_is_a_blow() {
    let constraint =
        |what: &str| format!("[constraints]\nc = {{ velocity = \"{what}\", when = \"x > 1\", restitution = 0.5 }}");
    let blow = solve(&plane(&constraint("x' = 0"), [0.0, 0.0], [1.0, 0.4]), &Run::until(3.0));
    let wall = solve(&plane("[[wall]]\ngap = \"1 - x\"\nrestitution = 0.5", [0.0, 0.0], [1.0, 0.4]), &Run::until(3.0));
    for name in ["x", "y", "x'", "y'"] {
        close(name, blow.last[name], wall.last[name], 1e-13);
    }
    let through = solve(&plane(&constraint("y' = x'"), [0.0, 0.0], [1.0, 0.4]), &Run::until(3.0));
    // (1, 0.4) has the mean 0.7 along (1, 1) and the slip 0.3 across it, of which half comes back
    close("x'", through.last["x'"], 0.7 - 0.15, 1e-13);
    close("y'", through.last["y'"], 0.7 + 0.15, 1e-13);
    let record = &through.report.events[0].jump.as_ref().expect("a blow").record;
    assert_eq!((record.case, record.in_force.len()), (JumpCase::Blow, 0));
    close("Carnot", record.dissipated, 0.75 * 0.09, 1e-13);
    close("loss", record.kinetic[0] - record.kinetic[1], 0.75 * 0.09, 1e-13);
    assert!(through.report.energy_error < 1e-13);
    // with restitution 0 it is the constraint itself
    let none = solve(&plane(&constraint("y' = x'").replace("0.5", "0"), [0.0, 0.0], [1.0, 0.4]), &Run::until(3.0));
    assert_eq!(none.report.events[0].jump.as_ref().expect("it appears").record.case, JumpCase::Appear);
}

/// Forty digits of an independent computation: a full metric, one constraint that stays and one that is a blow, e = 1. The one that stays may also be written once for
/// each side.
#[test]
fn j6_with_restitution() {
    let split = "a0 = { velocity = \"z' - y*x' = 0\", when = \"x < 0\" }\na = { velocity = \"z' - y*x' = 0\", when = \"x > 0\" }";
    for stays in ["a = \"z' - y*x' = 0\"", split] {
        let text = format!(
            "[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\nw = \"real\"\n[lagrangian]\n\
             kinetic = \"1/2*((y^2 + 2)*x'^2 + 3*y'^2 + (x^2 + 4)*z'^2 + (z^2 + 2)*w'^2) + y*x'*y' + z*y'*z' + 1/2*x'*w' + z'*w'\"\n[constraints]\n\
             {stays}\nb = {{ velocity = \"w' - z*x' + x*y' = 0\", when = \"x > 0\", restitution = 1 }}\n[initial]\n\
             position = {{ x = 0, y = \"1/2\", z = \"-1/3\", w = 2 }}\nvelocity = {{ x = 3, y = -1, z = \"3/2\", w = 2 }}\n"
        );
        let m = solve(&text, &Run::until(0.05));
        let record = &m.report.events[0].jump.as_ref().expect("a blow").record;
        let expected = [19989.0 / 3604.0, -2.0, 9251.0 / 2703.0, -42613.0 / 8109.0];
        for (p, expected) in record.momenta[1].iter().zip(expected) {
            close("p", *p, expected, 1e-13);
        }
        close("elastic", record.kinetic[1], record.kinetic[0], 1e-13);
        assert_eq!(record.in_force, ["a"]);
    }
}

#[test]
fn a_holonomic_constraint_does_not_appear_where_it_is_violated() {
    let text = "[constraints]\nrail = { holonomic = \"y = 0\", when = \"x > 1\" }";
    let off = solve(&plane(text, [0.0, 0.5], [1.0, 0.0]), &Run::until(3.0));
    assert_eq!(off.report.stop.name(), "no-impact-law");
    assert!(off.report.stop.to_string().contains("rail"), "{}", off.report.stop);
    close("there", off.report.t, 1.0, 1e-12);
    let on = solve(&plane(text, [0.0, -0.5], [1.0, 0.5]), &Run::until(3.0));
    assert_eq!(on.report.stop, StopReason::End);
    close("y", on.last["y"], 0.0, 1e-13);
}

/// |x| y' + x z' says y' = −z' where x > 0 and y' = z' where x < 0, and y' = |x| z' has a corner at x = 0 and no jump.
#[test]
fn moduli_of_positions_are_borders() {
    let text = |c: &str, v: &str| {
        format!(
            "[coordinates]\nx = \"real\"\ny = \"real\"\nz = \"real\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\nc = \"{c}\"\n\
             [initial]\nposition = {{ x = -1 }}\nvelocity = {{ {v} }}\n"
        )
    };
    let m = solve(&text("abs(x)*y' + x*z' = 0", "x = 1, y = 2, z = 2"), &Run::until(2.0));
    assert_eq!(m.report.stop, StopReason::End, "{}", m.report.stop);
    let record = &m.report.events[0].jump.as_ref().expect("it jumps").record;
    assert_eq!((record.case, record.ranks), (JumpCase::Change, [1, 0, 1]));
    close("time", m.report.events[0].sample.t(), 1.0, 1e-13);
    close("y'", m.last["y'"], 0.0, 1e-13);
    close("z'", m.last["z'"], 0.0, 1e-13);
    // x = t − 1, and y' = |x| z' with z' = c/√(1 + x²): the speed across x is kept
    let m = solve(&text("y' = abs(x)*z'", "x = 1, z = 1"), &Run::until(3.0));
    assert_eq!(m.report.stop, StopReason::End, "{}", m.report.stop);
    assert!(m.report.events.iter().all(|e| e.jump.as_ref().is_none_or(|j| !j.record.jumped)));
    for s in m.sampled(30) {
        let x = s["x"];
        close("z'", s["z'"], (2.0 / (1.0 + x * x)).sqrt(), 1e-12);
    }
}
