//! Contacts that open and close: bodies that land, bounce, take off and run into walls, and ground that is smooth in places.

use crate::moving;
use crate::newton;

use crate::prelude::*;
use moving::{BALL, Flags, builtin, changed, motion, near, near_all, times, vector, world_spin};
use newton::{G, V, cross, dot, plus};

/// Velocity in the world.
fn velocity(s: &Sample) -> V {
    [1, 2, 3].map(|i| (1..=3).map(|j| s[format!("R[{i},{j}]").as_str()] * s[format!("V[{j}]").as_str()]).sum())
}

/// A number of an event's state before its jump, and of that after it.
fn jumps(motion: &Trajectory) -> Vec<(&Sample, &Sample)> {
    let events = motion.report.events.iter();
    events.filter_map(|e| Some((&e.sample, &e.jump.as_ref()?.after))).collect()
}

/// Ground that is smooth on one side is the same as the model that writes the constraint with its region.
#[test]
fn a_ball_slides_from_ice_onto_felt() {
    let text = r#"
[parameters]
k2 = 0.4
[gravity]
g = 9.81
[body.ball]
mass    = 1
inertia = ["k2", "k2", "k2"]
surface = { sphere = 1 }
[ground]
surface      = "plane"
frictionless = "c1[1] < 0"
[initial.ball]
touching = [-2, 0.5, 0]
velocity = [1, 0.5, 0]
omega    = [0.3, -0.2, 0.7]
"#;
    for k2 in ["0.4", "0.6", "0.05"] {
        let flags = Flags { set: &[("k2", k2)], init: &[] };
        let (ball, plain) = (changed(text, 5.0, flags), changed(builtin("ball-smooth-rough"), 5.0, flags));
        assert_eq!(ball.report.jumps, 1);
        for (a, b) in ball.sampled(51).iter().zip(&plain.sampled(51)) {
            near(a["x_O[1]"], b["x"], 1e-12, "x");
            near(a["x_O[2]"], b["y"], 1e-12, "y");
            near_all(world_spin(a), vector(b, "omega"), 1e-12, "spin");
        }
        near(ball.report.energy_change, plain.report.energy_change, 1e-12, "energy that is lost");
    }
}

/// An ellipsoid that comes from ice onto felt: v⁺ = v + J/m, ω⁺ = ω + I⁻¹(c × J), and v⁺ + ω⁺ × c = 0.
#[test]
fn an_ellipsoid_slides_from_ice_onto_felt() {
    let text = r#"
[gravity]
g = 9.81
[body.stone]
mass    = 2
surface = { ellipsoid = [0.2, 0.12, 0.08] }
inertia = [0.004, 0.009, 0.011]
[ground]
surface      = "plane"
frictionless = "c1[1] < 0.1*sin(7*c1[2])"
[initial.stone]
touching = [-0.1, 0, 0]
rotation = "Rx(0.7)*Ry(0.4)"
velocity = [0.8, -0.5, 0]
omega    = [2, 1, -9]
"#;
    let motion = motion(text, 0.5);
    let found = jumps(&motion);
    assert!(!found.is_empty());
    for (before, after) in found.iter().filter(|(b, a)| a["energy"] < b["energy"] - 1e-9) {
        let column = |j: usize| [1, 2, 3].map(|i| before[format!("R[{i},{}]", j + 1).as_str()]);
        let tensor = |d: V, x: V| (0..3).fold([0.0; 3], |s, j| plus(s, d[j] * dot(column(j), x), column(j)));
        let own = vector(before, "c");
        let c = (0..3).fold([0.0; 3], |s, j| plus(s, own[j], column(j)));
        let inverse = [1.0 / 0.004, 1.0 / 0.009, 1.0 / 0.011];
        let (v, w) = (velocity(before), world_spin(before));
        // the columns of what an impulse does to the slip, and Cramer's rule
        let act = |j: V| plus([0, 1, 2].map(|i| j[i] / 2.0), 1.0, cross(tensor(inverse, cross(c, j)), c));
        let m = [act([1.0, 0.0, 0.0]), act([0.0, 1.0, 0.0]), act([0.0, 0.0, 1.0])];
        let slip = plus(v, 1.0, cross(w, c)).map(|x| -x);
        let det = dot(m[0], cross(m[1], m[2]));
        let j =
            [dot(slip, cross(m[1], m[2])), dot(slip, cross(m[2], m[0])), dot(slip, cross(m[0], m[1]))].map(|x| x / det);
        near_all(velocity(after), plus(v, 0.5, j), 1e-12, "velocity after the jump");
        near_all(world_spin(after), plus(w, 1.0, tensor(inverse, cross(c, j))), 1e-11, "spin after the jump");
        near_all(plus(velocity(after), 1.0, cross(world_spin(after), c)), [0.0; 3], 1e-12, "no slip");
    }
    assert!(motion.report.energy_error < 1e-13);
}

/// The symmetric ball between two rough walls, with the floor and the walls as contacts.
#[test]
fn a_ball_rolls_between_rough_walls() {
    let text = r#"
[parameters]
alpha = 0.6
beta  = 2.5
restitution = 1
[gravity]
g = 9.81
[body.ball]
mass    = "beta"
inertia = [1, 1, "alpha"]
surface = { sphere = 1 }
[ground.floor]
surface = "plane"
[ground.right]
surface  = "plane"
position = [1, 0, 0]
rotation = "Ry(-pi/2)"
[ground.left]
surface  = "plane"
position = [-3, 0, 0]
rotation = "Ry(pi/2)"
[contact.right_wall]
between     = ["ball", "right"]
restitution = "restitution"
[contact.left_wall]
between     = ["ball", "left"]
restitution = "restitution"
[contact.rolling]
between = ["ball", "floor"]
[initial.ball]
position = [-1, 0, 1]
rotation = "quat(5, 1, 3, 1)"
Omega    = [0.7, 1.9, -1.1]
"#;
    for e in ["1", "0.7"] {
        let flags = Flags { set: &[("restitution", e)], init: &[] };
        let (ball, plain) = (changed(text, 12.0, flags), changed(builtin("ball-rough-wall"), 12.0, flags));
        assert_eq!(ball.report.jumps, plain.report.jumps);
        assert!(ball.report.jumps >= 5);
        for (a, b) in ball.sampled(49).iter().zip(&plain.sampled(49)) {
            near(a["x_O[1]"], b["y1"], 1e-12, "y1");
            near(a["x_O[2]"], b["y2"], 1e-12, "y2");
            near_all(vector(a, "Omega"), vector(b, "Omega"), 1e-12, "spin");
        }
    }
}

/// A dropped ball bounces at the times of a geometric series and then rolls; each bounce leaves e of the velocity of the point that touches.
#[test]
fn a_ball_bounces_and_comes_to_roll() {
    let text = format!(
        r#"{BALL}[parameters]
e = 0.5
[ground]
surface     = "plane"
restitution = "e"
[initial.ball]
position = [0, 0, 1.1]
velocity = [1, 0, 0]
omega    = [0, -3, 2]
"#
    );
    for (shown, e) in [("0.5", 0.5), ("0.8", 0.8), ("0", 0.0)] {
        let end = 12.0;
        let motion = changed(&text, end, Flags { set: &[("e", shown)], init: &[] });
        let fall = f64::sqrt(2.0 / G);
        let mut t = fall;
        let bounces = times(&motion, "ball");
        for (n, found) in bounces.iter().take(12).enumerate() {
            near(*found, t, 1e-12, "bounce");
            t += 2.0 * fall * f64::powi(e, n as i32 + 1);
        }
        for (before, after) in jumps(&motion) {
            let slip = |s: &Sample| plus(velocity(s), 1.0, cross(world_spin(s), [0.0, 0.0, -0.1]));
            let (old, new) = (slip(before), slip(after));
            let kept = if new[2].abs() < 1e-8 { 0.0 } else { e };
            near_all(new, old.map(|x| -kept * x), 1e-8, "the point that touches");
            assert!(after["energy"] <= before["energy"] + 1e-14);
        }
        let stops = *bounces.last().unwrap();
        // bounces of some nanometres are not told apart
        near(stops, fall * (1.0 + e) / (1.0 - e), 1e-3, "the end of the bounces");
        let last = motion.at(end).unwrap();
        near(last["x_O[3]"], 0.1, 1e-12, "height at the end");
        near(last["normal_force"], G, 1e-12, "force at the end");
        near_all(plus(velocity(&last), 1.0, cross(world_spin(&last), [0.0, 0.0, -0.1])), [0.0; 3], 1e-12, "it rolls");
        let lost = motion.report.energy_error;
        // some hundred bounces and runs between them
        assert!(lost < 3e-13, "{lost:e}");
    }
}

/// Garwin: v⁺ = v − 4/7 (v − rω), rω⁺ = rω + 10/7 (v − rω), and the ball comes back from under the table.
#[test]
fn a_superball_comes_back() {
    let motion = motion(builtin("superball"), 1.0);
    let r = 0.03;
    let found = jumps(&motion);
    assert!(found.len() >= 3);
    for (n, (before, after)) in found.iter().enumerate() {
        // the table turns the sense of the spin
        let side = if n % 2 == 0 { 1.0 } else { -1.0 };
        let (v, w) = (velocity(before), side * r * world_spin(before)[1]);
        near(velocity(after)[0], v[0] - 4.0 / 7.0 * (v[0] - w), 1e-13, "velocity along the floor");
        near(side * r * world_spin(after)[1], w + 10.0 / 7.0 * (v[0] - w), 1e-13, "spin");
        near(velocity(after)[2], -v[2], 1e-13, "velocity upwards");
        near(after["energy"], before["energy"], 1e-14, "energy");
    }
    assert!(velocity(found[2].1)[0] < 0.0, "after floor, table and floor it comes back");
    assert!(motion.report.energy_error < 1e-13);
}

/// An impact with little friction takes μ(1 + e)|v_z| along the floor, and turns the spin by 5/2 of that over r.
#[test]
fn a_skidding_bounce_takes_its_share_of_the_normal_impulse() {
    let text = format!(
        r#"{BALL}[ground]
surface     = "plane"
restitution = 0.6
friction    = 0.1
slides      = true
[initial.ball]
position = [0, 0, 1.1]
velocity = [5, 0, 0]
omega    = [0, 0, 0]
"#
    );
    let motion = motion(&text, 12.0);
    let (before, after) = jumps(&motion)[0];
    let push = 0.1 * 1.6 * velocity(before)[2].abs();
    near(velocity(after)[0], 5.0 - push, 1e-12, "velocity along the floor");
    near(world_spin(after)[1], 25.0 * push, 1e-12, "spin");
    near(velocity(after)[2], -0.6 * velocity(before)[2], 1e-12, "velocity upwards");
    // whatever share slid in bounces and whatever on the floor: angular momentum about the floor decides
    let last = motion.at(12.0).unwrap();
    near(velocity(&last)[0], 25.0 / 7.0, 1e-10, "it rolls with five sevenths");
    assert!(motion.report.energy_error < 1e-13);
}

/// From rest at θ₀ a homogeneous ball leaves a sphere at cos θ = 10/17 cos θ₀; it flies, and lands on the floor.
#[test]
fn a_ball_leaves_a_sphere_and_lands() {
    let text = format!(
        r#"{BALL}[ground.hill]
surface = {{ sphere = 1 }}
[ground.floor]
surface  = "plane"
position = [0, 0, -2]
[contact.top]
between = ["ball", "hill"]
opens   = true
[contact.landing]
between     = ["ball", "floor"]
restitution = 0.3
[initial.ball]
touching = ["sin(0.1)", 0, "cos(0.1)"]
omega    = [0, 0, 0]
"#
    );
    let motion = motion(&text, 4.0);
    let off = times(&motion, "top lets go")[0];
    let s = motion.report.events.iter().find(|e| e.name == "top lets go").unwrap().sample.clone();
    let cosine = 10.0 / 17.0 * f64::cos(0.1);
    near(s["x_O[3]"] / 1.1, cosine, 1e-11, "cos θ where it leaves");
    let speed = f64::sqrt(10.0 / 7.0 * G * 1.1 * (f64::cos(0.1) - cosine));
    let (down, out) = (speed * f64::sqrt(1.0 - cosine * cosine), speed * cosine);
    let height = 1.1 * cosine + 1.9;
    let flight = (-down + f64::sqrt(down * down + 2.0 * G * height)) / G;
    let lands = times(&motion, "landing")[0];
    near(lands - off, flight, 1e-10, "time of flight");
    let place = motion.report.events.iter().find(|e| e.name == "landing").unwrap().sample.clone();
    near(place["x_O[1]"], 1.1 * f64::sqrt(1.0 - cosine * cosine) + out * flight, 1e-10, "where it lands");
    near(world_spin(&place)[1], speed / 0.1, 1e-10, "spin as it lands");
    let last = motion.at(4.0).unwrap();
    near(last["landing.normal_force"], G, 1e-11, "it rolls at last");
    assert!(motion.report.energy_error < 1e-12);
}

/// A ball lifts off where N = 0 and dN/dt < 0, at once and for good: with lθ'² from the energy, N = 0 at 17 cos θ = 10 cos θ₀ + 7v₀²/(gl) on a hill, and at
/// 17 cos α = 10 − 7v₀²/(gl) above the lowest point of a hollow.
#[test]
fn a_normal_force_that_passes_through_zero_lets_go() {
    let text = |ground: &str, start: &str| {
        format!(
            "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = {{ sphere = 0.1 }}\n\
             [ground]\nsurface = {{ {ground} }}\nopens = true\n[initial.ball]\n{start}\n"
        )
    };
    let mut cases = Vec::new();
    for (angle, spin) in [(0.001f64, 0.0), (0.0, 1.0), (0.03, 0.4), (0.3, 0.0)] {
        let start = format!("touching = [\"sin({angle})\", 0, \"cos({angle})\"]\nomega = [0, {spin}, 0]");
        let v = 0.1 * spin;
        let cosine = (10.0 * angle.cos() + 7.0 * v * v / (G * 1.1)) / 17.0;
        cases.push((text("sphere = 1", &start), 1.1 * cosine));
    }
    for v in [4.5f64, 4.6, 5.1, 5.6] {
        let start = format!("touching = [0, 0, -1]\nvelocity = [\"{v}*cos(0.3)\", \"{v}*sin(0.3)\", 0]");
        cases.push((text("sphere = 1, inside = true", &start), -0.9 * (10.0 - 7.0 * v * v / (G * 0.9)) / 17.0));
    }
    for (text, height) in cases {
        let motion = motion(&text, 3.1);
        let off = &motion.report.events[0];
        assert_eq!(off.name, "ball lets go", "{text}");
        near(off.sample["x_O[3]"], height, 1e-10, "where it lifts off");
        // and then it flies: nothing else happens within a hundredth of a second
        assert!(motion.report.events.get(1).is_none_or(|e| e.sample.t() > off.sample.t() + 0.01), "{text}");
        let (t, v) = (off.sample.t(), velocity(&off.sample));
        let later = motion.at(t + 0.01).unwrap();
        near(later["x_O[3]"], height + v[2] * 0.01 - G / 2.0 * 1e-4, 1e-10, "flight");
        assert!(motion.report.energy_error < 1e-11);
    }
}

const INTO_A_WALL: &str = r#"
[gravity]
g = 9.81
[body.ball]
mass    = 1
inertia = "solid"
surface = { sphere = 0.5 }
[ground.floor]
surface = "plane"
[ground.wall]
surface  = "plane"
position = [3, 0, 0]
rotation = "Ry(-pi/2 + lean)"
[parameters]
lean = 0
[contact.rolling]
between  = ["ball", "floor"]
friction = 0.2
slides   = true
opens    = true
[contact.wall]
between      = ["ball", "wall"]
restitution  = 0.6
frictionless = true
[initial.ball]
position = [0, 0, 0.5]
velocity = [2, 0.3, 0]
omega    = [-0.6, 4, 0]
"#;

/// No normal impulse, no impulse of friction: the wall turns the velocity round and leaves the spin, and the floor makes it roll again, with
/// v = (5v⁺ + 2 r e × ω)/7 after 2|s|/(7μg).
#[test]
fn a_rolling_ball_slides_after_it_has_hit_a_wall() {
    let motion = motion(INTO_A_WALL, 4.0);
    let (before, after) = jumps(&motion)[0];
    near_all(velocity(after), [-1.2, 0.3, 0.0], 1e-12, "velocity after the wall");
    near_all(world_spin(after), world_spin(before), 1e-12, "spin after the wall");
    let hit = times(&motion, "wall")[0];
    let rolls = times(&motion, "rolling begins to roll");
    near(rolls[0] - hit, 2.0 * 3.2 / (7.0 * 0.2 * G), 1e-10, "time of sliding");
    let last = motion.at(4.0).unwrap();
    near_all(velocity(&last), [(-5.0 * 1.2 + 2.0 * 2.0) / 7.0, 0.3, 0.0], 1e-10, "velocity at last");
    assert!(motion.report.energy_error < 1e-12);
}

/// A wall that leans over presses the ball on the floor as it hits: dry friction there has no law. One that leans away lifts it.
#[test]
fn a_collision_that_presses_on_dry_friction_is_refused() {
    for (lean, refused) in [("-0.2", true), ("0.2", false)] {
        let compiled = moving::try_compile(INTO_A_WALL, None, Flags { set: &[("lean", lean)], init: &[] }).unwrap();
        let motion = compiled.solve(&Run::until(2.0)).unwrap();
        match &motion.report.stop {
            StopReason::Impasse(refusal) => {
                assert!(refused && refusal.to_string().contains("presses on rolling"), "{lean}: {refusal}");
            }
            stop => {
                assert!(!refused && *stop == StopReason::End, "{lean}: {stop:?}");
                assert!(velocity(jumps(&motion)[0].1)[2] > 0.1, "it is thrown up");
            }
        }
    }
}

/// A wall with little friction takes μ(1 + e)v of a rolling ball upwards, which lifts it off a floor that may be perfectly rough.
#[test]
fn friction_at_a_wall_lifts_a_ball_off_the_floor() {
    let text =
        INTO_A_WALL.replace("frictionless = true", "friction = 0.1").replace("friction = 0.2\nslides   = true\n", "");
    for text in [INTO_A_WALL.replace("frictionless = true", "friction = 0.1"), text] {
        let motion = motion(
            &text.replace("velocity = [2, 0.3, 0]\nomega    = [-0.6, 4, 0]", "velocity = [2, 0, 0]\nomega = [0, 4, 0]"),
            2.0,
        );
        let (_, after) = jumps(&motion)[0];
        let push = 1.6 * 2.0;
        near_all(velocity(after), [-1.2, 0.0, 0.1 * push], 1e-12, "velocity after the wall");
        near(world_spin(after)[1], 4.0 - 2.5 * 0.1 * push / 0.5, 1e-12, "spin after the wall");
        assert!(motion.report.energy_error < 1e-12);
    }
}

const LOADED: &str = r#"
[gravity]
g = 9.81
[body.ball]
mass    = 1
inertia = [0.3, 0.3, 0.3]
surface = { sphere = 1, centre = [0, 0, 0.5] }
[ground]
surface     = "plane"
restitution = 0.4
# friction
[initial.ball]
omega = [0, 20, 0]
"#;

/// A loaded ball that rolls too fast slides and takes off; in the air its centre of mass falls freely.
#[test]
fn a_loaded_ball_takes_off() {
    let text = LOADED.replace("# friction", "friction = 0.8\nslides = true");
    let motion = motion(&text, 4.0);
    let off = motion.report.events.iter().find(|e| e.name == "ball lets go").expect("it takes off");
    let (t, s) = (off.sample.t(), &off.sample);
    near(s["normal_force"], 0.0, 1e-9, "force where it takes off");
    let lands = *times(&motion, "ball").iter().find(|x| **x > t + 1e-4).expect("it lands");
    let h = 0.9 * (lands - t);
    let later = motion.at(t + h).unwrap();
    near(later["x_O[3]"], s["x_O[3]"] + velocity(s)[2] * h - G / 2.0 * h * h, 1e-9, "free fall");
    near_all(world_spin(&later), world_spin(s), 1e-9, "spin in the air");
    assert!(later["c1[3]"] > 0.0, "above the ground");
    assert!(motion.report.energy_change < 0.0 && motion.report.energy_error < 1e-11);
}

/// Perfectly rough, it needs friction to roll where nothing presses any more: there is no motion, and that is said.
#[test]
fn a_perfectly_rough_loaded_ball_has_no_way_on() {
    let compiled = moving::try_compile(LOADED, None, Flags::default()).unwrap();
    let motion = compiled.solve(&Run::until(1.0)).unwrap();
    let StopReason::Impasse(refusal) = &motion.report.stop else { panic!("{:?}", motion.report.stop) };
    assert_eq!(refusal.name(), "pulls");
    assert!(refusal.to_string().contains("slides = true"), "{refusal}");
}

/// A coin that is thrown bounces on its rim, many times before it rolls; energy never grows, and all of it is accounted for.
#[test]
fn a_coin_bounces() {
    let text = r#"
[gravity]
g = 9.81
[body.coin]
mass    = 1
surface = { rim = 0.5 }
inertia = [0.0625, 0.0625, 0.125]
[ground]
surface     = "plane"
restitution = 0.5
[initial.coin]
rotation = "Rx(1)"
position = [0, 0, 1]
omega    = [1, 2, -5]
velocity = [0.3, 0, 0]
"#;
    let motion = motion(text, 2.0);
    assert!(motion.report.jumps > 8);
    for (before, after) in jumps(&motion) {
        assert!(after["energy"] <= before["energy"] + 1e-14);
    }
    let lost: f64 = jumps(&motion).iter().map(|(b, a)| a["energy"] - b["energy"]).sum();
    near(motion.report.energy_change, lost, 1e-13, "energy that is lost in bounces");
    assert!(motion.report.energy_error < 1e-13);
    for s in motion.sampled(41) {
        assert!(s["c1[3]"] > -1e-12, "into the ground at {}", s.t());
    }
}
