//! Contacts that slide under dry friction, against closed forms and against Newton's and Euler's equations written by hand.

use crate::moving;
use crate::newton;

use crate::prelude::*;
use moving::{BALL, Flags, builtin, changed, motion, near, near_all, times, try_compile, vector, world_spin};
use newton::{G, V, cross, dot, plus};
use polhode_simulate::{JumpCase, Refusal};

/// One step of the classical Runge–Kutta method.
fn step<const N: usize>(y: [f64; N], h: f64, rate: impl Fn(&[f64; N]) -> [f64; N]) -> [f64; N] {
    let at = |k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let k1 = rate(&y);
    let k2 = rate(&at(&k1, h / 2.0));
    let k3 = rate(&at(&k2, h / 2.0));
    let k4 = rate(&at(&k3, h));
    std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

/// A ball thrown without spin slides for 2v/(7μg), over 12v²/(49μg), and rolls with 5/7 v.
#[test]
fn a_bowling_ball_slides_and_then_rolls() {
    let text = r#"
[parameters]
mu = 0.2
v = 3
[gravity]
g = 9.81
[body.ball]
mass    = 2
inertia = "solid"
surface = { sphere = 0.11 }
[ground]
surface  = "plane"
friction = "mu"
slides   = true
[initial.ball]
velocity = ["v", 0, 0]
omega    = [0, 0, 0]
"#;
    for (mu, v) in [("0.2", 3.0), ("0.05", 0.7), ("1.5", 11.0)] {
        let shown = format!("{v}");
        let motion = changed(text, 5.0, Flags { set: &[("mu", mu), ("v", &shown)], init: &[] });
        let mu: f64 = mu.parse().unwrap();
        let end = 2.0 * v / (7.0 * mu * G);
        let found = times(&motion, "ball begins to roll");
        assert_eq!(found.len(), 1);
        near(found[0], end, 1e-10, "time of sliding");
        let half = motion.at(end / 2.0).unwrap();
        near(half["x_O[1]"], v * end / 2.0 - mu * G * end * end / 8.0, 1e-13, "place while it slides");
        near(half["mu_required"], mu, 1e-12, "friction while it slides");
        let rest = motion.at(5.0).unwrap();
        near(rest["x_O[1]"], 12.0 * v * v / (49.0 * mu * G) + 5.0 / 7.0 * v * (5.0 - end), 1e-10, "place at the end");
        near(world_spin(&rest)[1], 5.0 / 7.0 * v / 0.11, 1e-10, "spin at the end");
        // of ½mv² two sevenths go
        let lost = motion.report.work.iter().find(|(name, _)| *name == "friction").unwrap().1;
        near(lost, -2.0 / 7.0 * v * v, 1e-12, "work of friction");
        assert!(motion.report.energy_error < 1e-13 * motion.report.energy.abs().max(1.0));
    }
}

/// Newton's and Euler's equations of an ellipsoid that slides on a plane: with c from the centre to the contact, e upwards, and s the slip,
/// m v̇ = −mge + N(e − μ s/|s|), d(Iω)/dt = c × N(e − μ s/|s|), and N keeps e·(v + ω × c) = 0.
struct Ellipsoid {
    squares: V,
    inertia: V,
    mu: f64,
}

impl Ellipsoid {
    /// State: R by rows, place, velocity, spin in world axes.
    fn rate(&self, y: &[f64; 18]) -> [f64; 18] {
        let column = |j: usize| [y[j], y[3 + j], y[6 + j]];
        let (v, w): (V, V) = ([y[12], y[13], y[14]], [y[15], y[16], y[17]]);
        let e = [0.0, 0.0, 1.0];
        let tensor = |d: V, x: V| (0..3).fold([0.0; 3], |s, j| plus(s, d[j] * dot(column(j), x), column(j)));
        let inverse = self.inertia.map(|x| 1.0 / x);
        // c = −Qe/√(e·Qe), Q = R A² Rᵀ, and its rate
        let qe = tensor(self.squares, e);
        let size = dot(e, qe).sqrt();
        let c = qe.map(|x| -x / size);
        let turned = plus(cross(w, qe), -1.0, tensor(self.squares, cross(w, e)));
        let grows = dot(e, turned) / (2.0 * size);
        let c_dot: V = [0, 1, 2].map(|i| -turned[i] / size + qe[i] * grows / (size * size));
        let slip = plus(v, 1.0, cross(w, c));
        let slip = plus(slip, -dot(slip, e), e);
        let along = slip.map(|x| x / dot(slip, slip).sqrt());
        let push = plus(e, -self.mu, along);
        let gyro = cross(w, tensor(self.inertia, w)).map(|x| -x);
        let free_spin = tensor(inverse, gyro);
        let pushed_spin = tensor(inverse, cross(c, push));
        let free = -G + dot(e, cross(free_spin, c)) + dot(e, cross(w, c_dot));
        let pushed = dot(e, push) + dot(e, cross(pushed_spin, c));
        let n = -free / pushed;
        let mut out = [0.0; 18];
        for j in 0..3 {
            let moved = cross(w, column(j));
            (0..3).for_each(|i| out[3 * i + j] = moved[i]);
        }
        for i in 0..3 {
            out[9 + i] = v[i];
            out[12 + i] = n * push[i] - G * e[i];
            out[15 + i] = free_spin[i] + n * pushed_spin[i];
        }
        out
    }
}

#[test]
fn an_ellipsoid_slides_as_newton_and_euler_say() {
    let text = r#"
[gravity]
g = 9.81
[body.stone]
mass    = 1
surface = { ellipsoid = [0.2, 0.12, 0.08] }
inertia = [0.004, 0.009, 0.011]
[ground]
surface  = "plane"
friction = 0.15
slides   = true
opens    = true
[initial.stone]
rotation = "Rx(0.7)*Ry(0.4)"
velocity = [0.8, -0.5, UP]
omega    = [2, 1, -9]
"#;
    let body = Ellipsoid { squares: [0.04, 0.0144, 0.0064], inertia: [0.004, 0.009, 0.011], mu: 0.15 };
    let (a, b) = (0.7f64, 0.4f64);
    let r = [
        [b.cos(), 0.0, b.sin()],
        [a.sin() * b.sin(), a.cos(), -a.sin() * b.cos()],
        [-a.cos() * b.sin(), a.sin(), a.cos() * b.cos()],
    ];
    let w = [2.0, 1.0, -9.0];
    let q = |x: V| {
        (0..3).fold([0.0; 3], |s, j| {
            let column = [r[0][j], r[1][j], r[2][j]];
            plus(s, body.squares[j] * dot(column, x), column)
        })
    };
    let qe = q([0.0, 0.0, 1.0]);
    let c = qe.map(|x| -x / qe[2].sqrt());
    let up = -cross(w, c)[2];
    let text = text.replace("UP", &format!("{up:e}"));
    let motion = motion(&text, 0.2);
    assert_eq!(motion.report.jumps, 0, "it slides all the time");
    let mut y = [0.0; 18];
    (0..3).for_each(|i| y[3 * i..3 * i + 3].copy_from_slice(&r[i]));
    y[9..12].copy_from_slice(&[0.0, 0.0, -c[2]]);
    y[12..15].copy_from_slice(&[0.8, -0.5, up]);
    y[15..].copy_from_slice(&w);
    let start = motion.at(0.0).unwrap();
    near_all(vector(&start, "x_O"), [start["x_O[1]"], start["x_O[2]"], -c[2]], 1e-14, "height at the start");
    let moved = [start["x_O[1]"], start["x_O[2]"]];
    let steps = 4000;
    for _ in 0..steps {
        y = step(y, 0.2 / f64::from(steps), |y| body.rate(y));
    }
    let end = motion.at(0.2).unwrap();
    near_all(vector(&end, "x_O"), [y[9] + moved[0], y[10] + moved[1], y[11]], 1e-11, "place");
    near_all(world_spin(&end), [y[15], y[16], y[17]], 1e-10, "spin");
    assert!(motion.report.energy_change < -1e-2 && motion.report.energy_error < 1e-13);
}

/// Jellett's integral of a ball with its centre of mass off its centre survives sliding friction; energy does not.
#[test]
fn the_tippe_top_turns_over_and_keeps_jelletts_integral() {
    let motion = motion(builtin("tippe-top"), 4.0);
    let samples = motion.sampled(81);
    let first = &samples[0];
    for pair in samples.windows(2) {
        let off = (pair[1]["jellett"] - first["jellett"]).abs() / first["jellett"].abs();
        assert!(off < 1e-12, "{off:e} at {}", pair[1].t());
        assert!(pair[1]["energy"] <= pair[0]["energy"] + 1e-15, "energy grows at {}", pair[1].t());
    }
    let last = samples.last().unwrap();
    assert!(first["tilt"] < 10.0 && last["tilt"] > 150.0, "from {} to {} degrees", first["tilt"], last["tilt"]);
    assert!(last["x_O[3]"] > first["x_O[3]"] + 0.004, "the centre of mass rises");
    assert!(last["energy"] < 0.7 * first["energy"]);
    assert!(motion.report.energy_error < 1e-14);
}

/// On a hill a ball rolls, slides and takes off. While it rolls from rest at θ₀, N = mg(17 cos θ − 10 cos θ₀)/7 and F = 2/7 mg sin θ; then
/// θ'' = g/l (sin θ − μν), ν = cos θ − lθ'²/g, and its spin grows by 5/2 μgν/r.
#[test]
fn a_ball_on_a_hill_rolls_slides_and_takes_off() {
    let text = format!(
        r#"{BALL}[ground]
surface  = {{ sphere = 1 }}
friction = 0.3
slides   = true
opens    = true
[initial.ball]
touching = ["sin(0.1)", 0, "cos(0.1)"]
omega    = [0, 0, 0]
"#
    );
    let (l, mu, start) = (1.1, 0.3, 0.1f64);
    let motion = motion(&text, 1.3);
    let angle = |t: f64| {
        let s = motion.at(t).unwrap();
        s["x_O[1]"].atan2(s["x_O[3]"])
    };
    let slides = times(&motion, "ball begins to slide");
    let theta = angle(slides[0]);
    let excess = 2.0 * theta.sin() / (mu * (17.0 * theta.cos() - 10.0 * start.cos())) - 1.0;
    near(excess, 0.0, 1e-10, "friction is at its limit where it begins to slide");

    // the limit itself, and the time of rolling from the angle there back to one that was sampled
    let (mut low, mut high) = (theta - 0.01, theta + 0.01);
    for _ in 0..60 {
        let x: f64 = (low + high) / 2.0;
        if 2.0 * x.sin() < mu * (17.0 * x.cos() - 10.0 * start.cos()) { low = x } else { high = x }
    }
    let speed = |x: f64| (10.0 / 7.0 * G / l * (start.cos() - x.cos())).sqrt();
    let mut rolling = [low, speed(low)];
    let mut back = 0.0;
    while rolling[0] > 0.3 {
        rolling = step(rolling, -1e-4, |y| [y[1], 5.0 / 7.0 * G / l * y[0].sin()]);
        back += 1e-4;
    }
    let (mut early, mut late) = (0.0, slides[0]);
    for _ in 0..60 {
        let t = (early + late) / 2.0;
        if angle(t) < rolling[0] { early = t } else { late = t }
    }
    let onset = early + back;
    near(slides[0], onset, 1e-10, "time of the limit");
    let mut sliding = [low, speed(low), l * speed(low)];
    let push = |y: &[f64; 3]| y[0].cos() - l * y[1] * y[1] / G;
    let rate = |y: &[f64; 3]| [y[1], G / l * (y[0].sin() - mu * push(y)), 2.5 * mu * G * push(y)];
    let h = 1e-5;
    let mut t = onset;
    while push(&step(sliding, h, rate)) > 0.0 {
        sliding = step(sliding, h, rate);
        t += h;
    }
    // the last step, by bisection
    let (mut low, mut high) = (0.0, h);
    for _ in 0..60 {
        let x = (low + high) / 2.0;
        if push(&step(sliding, x, rate)) > 0.0 { low = x } else { high = x }
    }
    let off = step(sliding, low, rate);
    let leaves = times(&motion, "ball lets go");
    near(leaves[0], t + low, 1e-9, "time of taking off");
    near(angle(leaves[0]), off[0], 1e-9, "angle of taking off");
    near(world_spin(&motion.at(1.3).unwrap())[1], off[2] / 0.1, 1e-9, "spin in the air");
    // and flies
    let (a, b) = (motion.at(leaves[0] + 1e-9).unwrap(), motion.at(1.3).unwrap());
    near(b["x_O[1]"], a["x_O[1]"] + l * off[1] * off[0].cos() * (1.3 - leaves[0]), 1e-8, "flight");
}

/// A rod that slides with its tip ahead, at an angle and with a friction that leave no motion.
#[test]
fn painleves_rod_jams() {
    let text = r#"
[parameters]
mu = 2
v = -2
[gravity]
g = 9.81
[body.rod]
mass     = 1
surfaces = { tip = { sphere = 0.001, centre = [0, 0, -1] } }
inertia  = ["1/3", "1/3", 0.001]
[ground]
surface = "plane"
[contact.end]
between  = ["rod.tip", "ground"]
friction = "mu"
slides   = true
opens    = true
[initial.rod]
rotation = "Ry(0.6)"
position = [0, 0, "cos(0.6) + 0.001"]
velocity = ["v", 0, 0]
omega    = [0, 0, 0]
"#;
    // with x = sin θ, y = cos θ about the tip: A M⁻¹ Dᵀ = 1 + 3x(x − μy) < 0
    let jams = |mu: f64| 1.0 + 3.0 * 0.6f64.sin() * (0.6f64.sin() - mu * 0.6f64.cos()) < 0.0;
    for mu in ["1.2", "1.3", "1.5", "2"] {
        let compiled = try_compile(text, None, Flags { set: &[("mu", mu)], init: &[] }).unwrap();
        let motion = compiled.solve(&Run::until(0.01)).unwrap();
        let refused = matches!(&motion.report.stop, StopReason::Impasse(Refusal::Jams { .. }));
        assert_eq!(refused, jams(mu.parse().unwrap()), "μ = {mu}: {:?}", motion.report.stop);
        let compiled = try_compile(text, None, Flags { set: &[("mu", mu), ("v", "2")], init: &[] }).unwrap();
        let motion = compiled.solve(&Run::until(0.01)).unwrap();
        assert_eq!(motion.report.stop, StopReason::End, "dragged behind it never jams");
    }
}

/// A ball at rest on a slope too steep for its friction slides from the start, whether or not it may open.
#[test]
fn a_start_that_must_slide() {
    let acceleration = 9.81 * (0.6f64.sin() - 0.15 * 0.6f64.cos());
    for opens in ["", "opens = true\n"] {
        let text = format!(
            "[gravity]\nvector = \"[9.81*sin(0.6), 0, -9.81*cos(0.6)]\"\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = {{ sphere = 0.5 }}\n\
             [ground]\nsurface = \"plane\"\nfriction = 0.15\nslides = true\n{opens}[initial.ball]\ntouching = [0, 0, 0]\nvelocity = [0, 0, 0]\nomega = [0, 0, 0]\n"
        );
        let model = Model::parse("slope.toml", &text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}")).0;
        let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
        let motion = system.compile().unwrap_or_else(|e| panic!("{e}")).solve(&Run::until(2.0)).expect("a sound run");
        let x = motion.last.get("x_O[1]").expect("a place");
        assert!((x - 2.0 * acceleration).abs() < 1e-9, "{opens}{x} instead of {}", 2.0 * acceleration);
    }
}

/// A ball that is thrown up a slope too steep for it: its slip dies after v/(g sin α + 7/2 μg cos α) and begins anew downwards, which is no rolling.
#[test]
fn slip_that_turns_round_is_not_rolling() {
    let text = "[gravity]\nvector = \"[9.81*sin(0.6), 0, -9.81*cos(0.6)]\"\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.5 }\n\
                [ground]\nsurface = \"plane\"\nfriction = 0.15\nslides = true\n[initial.ball]\ntouching = [0, 0, 0]\nvelocity = [-3, 0, 0]\nomega = [0, 0, 0]\n";
    let motion = motion(text, 1.0);
    let [event] = &motion.report.events[..] else { panic!("{} events", motion.report.events.len()) };
    assert_eq!(event.name, "ball slips the other way");
    let jump = event.jump.as_ref().expect("it is told");
    assert_eq!((jump.record.case, jump.record.ranks), (JumpCase::Turn, [1, 1, 1]));
    let (down, rubs) = (G * 0.6f64.sin(), 0.15 * G * 0.6f64.cos());
    let turns = 3.0 / (down + 3.5 * rubs);
    near(event.sample.t(), turns, 1e-10, "time");
    // friction is against the slip before and after
    let place = -3.0 * turns + (down + rubs) * turns * turns / 2.0;
    let speed = -3.0 + (down + rubs) * turns;
    let rest = 1.0 - turns;
    near(motion.last["x_O[1]"], place + speed * rest + (down - rubs) * rest * rest / 2.0, 1e-9, "place");
}

/// Ground with dry friction and a place without: μ is 0 there. A ball slides over it unchanged, and then as under μ for 2|s|/(7μg).
#[test]
fn dry_friction_in_places() {
    let text = "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.5 }\n[ground]\nsurface = \"plane\"\n\
                frictionless = \"c1[1] < 0\"\nfriction = 0.1\nslides = true\n[initial.ball]\ntouching = [-1, 0, 0]\nvelocity = [2, 0.3, 0]\nomega = [0, 0, 2]\n";
    let forth = motion(text, 3.0);
    let end = 0.5 + 2.0 * f64::hypot(2.0, 0.3) / (7.0 * 0.1 * G);
    near(times(&forth, "ball begins to roll")[0], end, 1e-10, "time of sliding");
    near(forth.at(0.4).unwrap()["mu_required"], 0.0, 1e-14, "no friction on the smooth side");
    near(forth.at(0.6).unwrap()["mu_required"], 0.1, 1e-12, "friction beyond");
    near(forth.report.energy_change, -(4.0 + 0.09) / 7.0, 1e-12, "two sevenths of ½v² are lost");
    // from rolling to the smooth side nothing changes
    let text = text
        .replace("[-1, 0, 0]", "[1, 0, 0]")
        .replace("[2, 0.3, 0]", "[-2, 0.3, 0]")
        .replace("[0, 0, 2]", "[-0.6, -4, 2]");
    let back = motion(&text, 3.0);
    near(times(&back, "c1[1] < 0")[0], 0.5, 1e-12, "border");
    near(back.last["x_O[1]"], -5.0, 1e-12, "place");
    near(back.report.energy_change, 0.0, 1e-13, "energy");
}

/// Dry friction −μN s/|s| of a contact that pulls would drive the slip: one that does not open has no motion beyond N = 0.
#[test]
fn a_contact_that_slides_and_does_not_open_stops_where_nothing_presses() {
    let text = "[gravity]\ng = 9.81\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.1 }\n[ground]\nsurface = { sphere = 1 }\n\
                friction = 0.2\nslides = true\n[initial.ball]\ntouching = [0.6, 0, 0.8]\n";
    let motion = try_compile(text, None, Flags::default()).unwrap().solve(&Run::until(3.0)).unwrap();
    let StopReason::Impasse(refusal) = &motion.report.stop else { panic!("{:?}", motion.report.stop) };
    assert!(refusal.name() == "pulls" && refusal.to_string().contains("opens = true"), "{refusal}");
    near(motion.last["normal_force"], 0.0, 1e-8, "force where it stops");
    assert!(motion.report.energy_error < 1e-12 && motion.report.energy_change < 0.0);
}

/// A force k t on the centre of a ball that rolls from rest: rolling needs friction 2/7 k t, so that it begins to slide at t₀ = 7 μ m g/(2 k), and from then on
/// v = 5/14 k t₀²/m + k (t² − t₀²)/(2m) − μ g (t − t₀). The slower the force, the faster the ball spins by then.
#[test]
fn a_ball_under_a_force_that_grows_slowly() {
    let (m, mu, g) = (2.0, 0.3, 9.81);
    for (k, late) in [(0.4, 1e-6), (1.0, 1e-10), (4.0, 1e-10), (40.0, 1e-12)] {
        let text = format!(
            "[gravity]\ng = {g}\n[body.ball]\nmass = {m}\ninertia = \"solid\"\nsurface = {{ sphere = 0.5 }}\n\
             [ground]\nsurface = \"plane\"\nfriction = {mu}\nslides = true\n\
             [[force]]\non = \"ball\"\nforce = \"[{k}*t, 0, 0]\"\n[initial.ball]\ntouching = [0, 0, 0]\nomega = [0, 0, 0]\n"
        );
        let (model, _) = Model::parse("ramp.toml", &text, &ParseOptions::default()).expect("a valid model");
        let (mut system, _) = System::new(&model).expect("a valid system");
        let onset = 7.0 * mu * m * g / (2.0 * k);
        let end = 1.2 * onset;
        let motion = system.compile().expect("it runs").solve(&Run::until(end)).expect("a sound run");
        let slides: Vec<f64> = motion.report.events.iter().map(|e| e.sample.t()).collect();
        assert_eq!(slides.len(), 1);
        assert!((slides[0] / onset - 1.0).abs() <= late, "k = {k}: {} for {onset}", slides[0]);
        let v =
            5.0 / 14.0 * k * onset * onset / m + k * (end * end - onset * onset) / (2.0 * m) - mu * g * (end - onset);
        let speed = (1..=3).map(|i| motion.last[format!("V[{i}]").as_str()].powi(2)).sum::<f64>().sqrt();
        assert!((speed / v - 1.0).abs() <= 1e-11, "k = {k}: {speed} for {v}");
    }
}
