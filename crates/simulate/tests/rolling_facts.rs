//! Known facts about bodies that roll.

use crate::moving;

use moving::{Flags, builtin, changed, motion, near, near_all, times, vector, world_spin};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

/// Going round an upright cylinder at the rate f, a homogeneous ball bobs at f √(2/7): no matter what turns.
#[test]
fn a_ball_in_an_upright_cylinder_bobs() {
    let text = builtin("ball-in-cylinder").to_owned() + "[[event]]\nname = \"turn\"\nwhen = \"ball.velocity[3]\"\n";
    for (f, rate, cylinder) in [("6", 6.0, "1.3"), ("2.5", 2.5, "0"), ("2.5", 2.5, "-7")] {
        let flags = Flags { set: &[("f", f), ("W", cylinder)], init: &[] };
        let turns = times(&changed(&text, 20.0, flags), "turn");
        assert!(turns.len() > 6, "{turns:?}");
        for pair in turns.windows(2) {
            near(pair[1] - pair[0], PI / (rate * f64::sqrt(2.0 / 7.0)), 1e-10, "half a period");
        }
    }
}

/// A ball (radius a) that spins on top of a sphere (radius b) stays there iff s² > 35 g(a + b)/a². With the tilt η of the line of
/// centres as a complex number, (7/5)(a + b) η'' − (2/5) i a s η' − g η = 0 to first order: in the motion, to the square of the tilt, and
/// beyond it a ball below the threshold falls off.
#[test]
fn a_ball_spins_on_top_of_a_sphere() {
    let text = r#"
[parameters]
a = 0.3
b = 0.5
s = 1
tilt = 1e-5
[gravity]
g = 9.81
[body.ball]
mass    = 1
inertia = "solid"
surface = { sphere = "a" }
[ground]
surface   = { sphere = "b" }
bilateral = true
[initial.ball]
touching = ["b*sin(tilt)", 0, "b*cos(tilt)"]
omega    = ["s*sin(tilt)", 0, "s*cos(tilt)"]
"#;
    let (a, l, tilt) = (0.3, 0.8, 1e-5);
    let threshold = f64::sqrt(35.0 * G * l) / a;
    for (ratio, stable) in [(0.97, false), (1.03, true)] {
        let s = ratio * threshold;
        let shown = format!("{s:e}");
        let flags = Flags { set: &[("s", &shown)], init: &[] };
        let motion = changed(text, 25.0, flags);
        // η = e^{iμt}: 7/5 l μ² − 2/5 a s μ + g = 0
        let (p, q) = (0.2 * a * s / (1.4 * l), G / (1.4 * l));
        let square = p * p - q;
        assert_eq!(square > 0.0, stable);
        let nu = square.abs().sqrt();
        for sample in motion.sampled(61).iter().take_while(|s| s.t() < 3.0) {
            // from η = tilt, η' = 0: η = tilt e^{ipt} (C − i p S) with C, S = cos νt, sin νt/ν or cosh νt, sinh νt/ν
            let t = sample.t();
            let (c, sn) =
                if stable { ((nu * t).cos(), (nu * t).sin() / nu) } else { ((nu * t).cosh(), (nu * t).sinh() / nu) };
            let (sin, cos) = (p * t).sin_cos();
            let eta = [c * cos + p * sn * sin, c * sin - p * sn * cos];
            near(sample["x_O[1]"] / (l * tilt), eta[0], 1e-6, "x");
            near(sample["x_O[2]"] / (l * tilt), eta[1], 1e-6, "y");
        }
        let farthest = motion.sampled(601).iter().map(|s| s["x_O[1]"].hypot(s["x_O[2]"])).fold(0.0, f64::max);
        assert_eq!(farthest < 10.0 * l * tilt, stable, "{ratio}: {farthest}");
        assert_eq!(farthest > 0.1 * l, !stable, "{ratio}: {farthest}");
    }
}

/// Euler's disk: the centre rests, the contact goes round at W² = 4g/(a sin α), without friction.
#[test]
fn eulers_disk() {
    for (angle, alpha) in [("10*deg", 10.0), ("40*deg", 40.0), ("2*deg", 2.0)] {
        let alpha = f64::to_radians(alpha);
        let a = 0.0375;
        let rate = f64::sqrt(4.0 * G / (a * alpha.sin()));
        let flags = Flags { set: &[("alpha", angle)], init: &[] };
        for s in changed(builtin("euler-disk"), 10.0 * TAU / rate, flags).sampled(41) {
            let (sin, cos) = (rate * s.t()).sin_cos();
            let out = a * alpha.cos();
            near_all(vector(&s, "c1"), [out * cos, out * sin, 0.0], 1e-11, "the contact");
            near_all(vector(&s, "x_O"), [0.0, 0.0, a * alpha.sin()], 1e-12, "the centre");
            near_all(vector(&s, "force"), [0.0, 0.0, 0.4 * G], 1e-10, "the force");
        }
    }
}

/// A ball that a plate rolls round a square of side πr/2, without letting it spin, has turned by 120° about a diagonal of a cube.
#[test]
fn a_ball_rolled_round_a_square() {
    let mut turned = String::from("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]");
    let mut place = [0.0; 2];
    for [x, y] in [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]] {
        // the ball goes half as far as the plate: πr/2 in a time of 1
        let text = format!(
            r#"
[parameters]
r = 0.3
[body.ball]
mass    = 1
inertia = "solid"
surface = {{ sphere = "r" }}
[ground.floor]
surface = "plane"
[ground.plate]
surface  = {{ plane = true, inside = true }}
position = "[{x:?}*pi*r*t, {y:?}*pi*r*t, 2*r]"
[contact.below]
between = ["ball", "floor"]
[contact.above]
between   = ["ball", "plate"]
bilateral = true
[initial.ball]
position = [{:?}, {:?}, "r"]
rotation = {turned}
omega    = ["{:?}*pi/2", "{x:?}*pi/2", 0]
"#,
            place[0], place[1], -y
        );
        let last = motion(&text, 1.0).last;
        near_all(world_spin(&last), [-y * PI / 2.0, x * PI / 2.0, 0.0], 1e-12, "without spinning");
        place = [last["x_O[1]"], last["x_O[2]"]];
        let entry = |i: usize, j: usize| format!("{:?}", last[format!("R[{i},{j}]").as_str()]);
        let row = |i: usize| format!("[{}, {}, {}]", entry(i, 1), entry(i, 2), entry(i, 3));
        turned = format!("[{}, {}, {}]", row(1), row(2), row(3));
    }
    near(place[0], 0.0, 1e-13, "back where it began");
    near(place[1], 0.0, 1e-13, "back where it began");
    let entries: Vec<f64> = turned.split(['[', ']', ',', ' ']).filter_map(|x| x.parse().ok()).collect();
    near(entries[0] + entries[4] + entries[8], 1.0 + 2.0 * (TAU / 3.0).cos(), 1e-12, "the trace");
    let axis = [entries[7] - entries[5], entries[2] - entries[6], entries[3] - entries[1]];
    for x in axis {
        near(x.abs(), 1.0, 1e-12, "the axis"); // 2 sin 120°/√3
    }
}

/// A disk that rolls upright at the rate w stays upright iff w² > g/(3r). With the lean θ and no turning at first,
/// θ'' = (4/5)(g/r θ − 3w²(θ − θ₀)) to first order.
#[test]
fn an_upright_disk() {
    let text = r#"
[parameters]
r    = 0.4
w    = 1
lean = 1e-5
[gravity]
g = 9.81
[body.disk]
mass    = 2
inertia = "solid"
surface = { rim = "r" }
[ground]
surface   = "plane"
bilateral = true
[initial.disk]
touching = [0, 0, 0]
rotation = "Rx(pi/2 + lean)"
Omega    = [0, 0, "w"]
[observables]
theta = "asin(R[3,3])"
"#;
    let (r, lean) = (0.4, 1e-5);
    let threshold = f64::sqrt(G / (3.0 * r));
    for (ratio, stable) in [(0.97, false), (1.03, true)] {
        let w = ratio * threshold;
        let shown = format!("{w:e}");
        let motion = changed(text, 15.0, Flags { set: &[("w", &shown)], init: &[] });
        let square = 0.8 * (3.0 * w * w - G / r);
        assert_eq!(square > 0.0, stable);
        let nu = square.abs().sqrt();
        let rest = 3.0 * w * w / (3.0 * w * w - G / r);
        for s in motion.sampled(151).iter().take_while(|s| s.t() < 2.0) {
            let c = if stable { (nu * s.t()).cos() } else { (nu * s.t()).cosh() };
            near(s["theta"].abs() / lean, (rest + (1.0 - rest) * c).abs(), 1e-5, "the lean");
        }
        let farthest = motion.sampled(601).iter().map(|s| s["theta"].abs()).fold(0.0, f64::max);
        assert_eq!(farthest < 100.0 * lean, stable, "{ratio}: {farthest}");
        assert_eq!(farthest > 0.1, !stable, "{ratio}: {farthest}");
    }
}

/// [KaneLevinson1982]: half axes 20, 3 and 2 cm, the centre of mass 1 cm below the middle, A = 2, B = 16, C = 17, D = −0.2 kg cm² for
/// 1 kg; tilted by half a degree both ways. Spun at −5 it turns back within three seconds, at +5 it goes on.
#[test]
fn the_stone_of_kane_and_levinson() {
    let text = r#"
[parameters]
s = -5
[gravity]
g = 9.81
[body.stone]
mass    = 1
surface = { ellipsoid = [0.20, 0.03, 0.02], centre = [0, 0, 0.01] }
inertia = [["2e-4", "-2e-5", 0], ["-2e-5", "16e-4", 0], [0, 0, "17e-4"]]
[ground]
surface = "plane"
[initial.stone]
touching = [0, 0, 0]
rotation = "Rx(0.5*deg)*Ry(0.5*deg)"
omega    = [0, 0, "s"]
[[event]]
name = "turns"
when = "omega[3]"
"#;
    let back = motion(text, 6.0);
    let turns = times(&back, "turns");
    assert!(turns.len() % 2 == 1 && turns[0] > 1.0 && turns[0] < 3.0, "{turns:?}");
    assert!(world_spin(&back.last)[2] > 4.0);
    let on = changed(text, 6.0, Flags { set: &[("s", "5")], init: &[] });
    assert!(times(&on, "turns").is_empty() && world_spin(&on.last)[2] > 3.0);
    for motion in [back, on] {
        assert!(motion.report.energy_error < 1e-12);
    }
}

/// The spin of the built-in rattleback passes through zero three times while it turns back; the times are those of
/// `filetests/trajectories/rattleback.toml`.
#[test]
fn the_zeros_of_the_rattlebacks_spin() {
    let text = builtin("rattleback").to_owned() + "[[event]]\nname = \"zero\"\nwhen = \"omega[3]\"\n";
    let zeros = times(&motion(&text, 14.0), "zero");
    let expected = [8.170_285_234_884_612, 8.204_797_628_683_192, 8.242_426_204_363_698];
    assert_eq!(zeros.len(), 3, "{zeros:?}");
    for (found, expected) in zeros.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

/// A body of revolution nods periodically: between the same parallels, always in the same time.
#[test]
fn the_superegg_nods() {
    let text = builtin("superegg").to_owned()
        + "[[event]]\nname = \"highest\"\nwhen = \"dt(R[3,3])\"\ndirection = \"rising\"\n";
    let motion = motion(&text, 20.0);
    let turns: Vec<_> = motion.report.events.iter().filter(|e| e.name == "highest").collect();
    assert!(turns.len() > 10, "{}", turns.len());
    let step = turns[2].sample.t() - turns[1].sample.t();
    for pair in turns[1..].windows(2) {
        near(pair[1].sample.t() - pair[0].sample.t(), step, 1e-9, "the time of a nod");
        near(pair[1].sample["R[3,3]"], pair[0].sample["R[3,3]"], 1e-11, "its depth");
    }
    assert!(motion.sampled(401).iter().all(|s| s["c[3]"] < -0.2), "it stays on one side of the waist");
}

/// The rounded tetrahedron is in equilibrium on (−1, −1, −1) and the other sides, and on the corners opposite: it stays where it is
/// put, leaves a corner, and rocks about a side.
#[test]
fn the_elliptope_rests_on_its_sides() {
    for (side, stable) in
        [([-1.0, -1.0, -1.0], true), ([1.0, 1.0, -1.0], true), ([1.0, 1.0, 1.0], false), ([-1.0, 1.0, -1.0], false)]
    {
        let normal = |tilt: f64| format!("{{ normal = [{:?}, {:?}, {:?}] }}", side[0] + tilt, side[1], side[2]);
        let put = |tilt: f64| {
            let text = builtin("elliptope-on-plane").replace("{ normal = [1, 0.2, 0.3] }", &normal(tilt));
            motion(&text.replace("[0.5, 1, 0]", "[0, 0, 0]"), 3.0)
        };
        for s in put(0.0).sampled(4).iter().take(2) {
            near_all(vector(s, "Omega"), [0.0; 3], 1e-9, "at rest");
        }
        let away = put(1e-3).sampled(301);
        let farthest = away.iter().map(|s| (s["x_O[1]"] - away[0]["x_O[1]"]).hypot(s["x_O[2]"] - away[0]["x_O[2]"]));
        assert_eq!(farthest.fold(0.0, f64::max) < 0.05, stable, "{side:?}");
    }
}

/// The coin in the funnel: energy and contact are kept, and it stays between two heights.
#[test]
fn the_coin_stays_in_its_funnel() {
    let motion = motion(builtin("coin-in-funnel"), 30.0);
    assert!(motion.report.energy_error < 1e-15 && motion.report.constraint_residual < 1e-13);
    for s in motion.sampled(301) {
        let [x, y, z] = vector(&s, "c1");
        near(z, -0.04 / x.hypot(y), 1e-11, "on the funnel");
        assert!(z > -0.15 && z < -0.08, "{z}");
        assert!(s["normal_force"] > 0.0);
    }
    assert!(motion.report.events.is_empty());
}
