//! Reduced runs that lift only what is asked for, and Voronets' Riccati equation for the place on the sphere.

use crate::prelude::*;
use polhode_simulate::{BadRun, CompileError, Group};
use polhode_tape::{Builder, Value, passes};
use std::sync::Arc;

fn compile(name: &str, options: &CompileOptions) -> Result<Arc<Compiled>, CompileError> {
    let text = builtin::find(name).unwrap_or_else(|| panic!("no model {name}")).text;
    let (model, _) = Model::parse(name, text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    system.compile_with(options)
}

fn lifting(names: &[&str]) -> CompileOptions {
    let lift = Some(names.iter().map(|n| n.to_string()).collect());
    CompileOptions { reduced: true, lift, ..CompileOptions::default() }
}

fn solve(compiled: &Arc<Compiled>) -> Trajectory {
    let motion = compiled.solve(&Run::until(5.0).at([1.0, 2.5, 5.0]).method(Method::Taylor)).unwrap();
    assert_eq!(motion.report.stop, StopReason::End);
    motion
}

/// What is integrated where nothing is lifted, by name.
fn base(name: &str) -> Vec<String> {
    compile(name, &lifting(&[])).unwrap().program.state.clone()
}

#[test]
fn the_base_alone_is_integrated() {
    assert_eq!(base("suslov"), ["Omega[1]", "Omega[2]"]);
    assert_eq!(base("rolling-disk"), ["theta", "theta'", "phi'", "psi'"]);
    assert_eq!(base("vertical-penny").len(), 2, "two velocities");
    // over S² it is γ = Rᵀe₃, and not the quaternion
    for ball in ["chaplygin-ball", "symmetric-sphere", "routh-ball"] {
        assert_eq!(base(ball), ["R[3,1]", "R[3,2]", "R[3,3]", "Omega[1]", "Omega[2]", "Omega[3]"], "{ball}");
    }
}

/// Whatever has a value has that of the full equations; energy always has one.
#[test]
fn what_is_left_has_the_same_values() {
    for name in [
        "rolling-disk",
        "rolling-disk-centre",
        "symmetric-sphere",
        "chaplygin-ball",
        "routh-ball",
        "snakeboard",
        "suslov",
        "homogeneous-ball",
        "ball-on-turntable",
        "nonholonomic-particle",
    ] {
        let (full, part) = (compile(name, &CompileOptions::default()).unwrap(), compile(name, &lifting(&[])).unwrap());
        assert!(!part.left_out().is_empty(), "{name}");
        assert!(part.variables.iter().any(|v| v.name == "energy"), "{name}");
        let (a, b) = (solve(&full), solve(&part));
        for (x, y) in a.samples.iter().zip(&b.samples) {
            for v in part.variables.iter().filter(|v| !matches!(v.group, Group::Residual | Group::Reaction)) {
                for (column, q) in v.columns().iter().zip(y.numbers(v)) {
                    let p = x.get(column).unwrap_or_else(|| panic!("{name}: no {column} in the full run"));
                    assert!((p - q).abs() < 1e-11 * p.abs().max(1.0), "{name}, {column}: {p} {q}");
                }
            }
        }
    }
}

/// Positions come with what they need, observables and events with what they contain.
#[test]
fn what_is_asked_for_is_lifted() {
    let disk = compile("rolling-disk", &lifting(&["x"])).unwrap();
    assert_eq!(disk.reduction().unwrap().1, ["phi", "x"], "x follows φ");
    assert_eq!(disk.left_out(), ["psi", "y"]);
    let observables = vec![("far".to_string(), "x^2 + y^2".to_string())];
    let observed = compile("rolling-disk", &CompileOptions { observables, ..lifting(&[]) }).unwrap();
    assert_eq!(observed.reduction().unwrap().1, ["phi", "x", "y"]);
    let ball = compile("chaplygin-ball", &lifting(&["R"])).unwrap();
    assert!(ball.program.state.contains(&"R.quat.w".to_string()), "{:?}", ball.program.state);
    assert!(matches!(compile("rolling-disk", &lifting(&["z"])), Err(CompileError::NoSuchPosition(n, _)) if n == "z"));
    let restored = disk.solve(&Run::until(1.0).project());
    assert_eq!(restored.unwrap_err(), BadRun::NotLifted);
}

/// (re, im).
type Complex = (f64, f64);

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// ½ (p + iq) − i r ζ + ½ (p − iq) ζ² in the chart of ζ; in that of η = 1/ζ the same with −p, q, −r.
fn riccati([p, q, r]: [f64; 3], zeta: Complex, inverse: bool) -> Complex {
    let (p, r) = if inverse { (-p, -r) } else { (p, r) };
    let square = times(zeta, zeta);
    let quadratic = times((0.5 * p, -0.5 * q), square);
    (0.5 * p + r * zeta.1 + quadratic.0, 0.5 * q - r * zeta.0 + quadratic.1)
}

/// γ after `steps` steps of Runge and Kutta's method of order 4 for ζ along the angular velocity of a motion, and the number of changes of chart.
fn along(motion: &Trajectory, until: f64, steps: usize) -> ([f64; 3], usize) {
    let omega = |t: f64| {
        let s = motion.at(t).expect("within the motion");
        [s["Omega[1]"], s["Omega[2]"], s["Omega[3]"]]
    };
    let gamma = |row: &Sample| [row["R[3,1]"], row["R[3,2]"], row["R[3,3]"]];
    let start = gamma(&motion.at(0.0).expect("the start"));
    let mut inverse = false;
    // ζ = (γ₂ − iγ₁)/(1 + γ₃)
    let mut z = (start[1] / (1.0 + start[2]), -start[0] / (1.0 + start[2]));
    let (h, mut changes) = (until / steps as f64, 0);
    let mut w = omega(0.0);
    for k in 0..steps {
        let size = z.0 * z.0 + z.1 * z.1;
        if size > 1.0 {
            z = (z.0 / size, -z.1 / size);
            (inverse, changes) = (!inverse, changes + 1);
        }
        let t = h * k as f64;
        let (middle, end) = (omega(t + 0.5 * h), omega(until.min(t + h)));
        let step = |d: Complex, by: f64| (z.0 + by * d.0, z.1 + by * d.1);
        let a = riccati(w, z, inverse);
        let b = riccati(middle, step(a, 0.5 * h), inverse);
        let c = riccati(middle, step(b, 0.5 * h), inverse);
        let d = riccati(end, step(c, h), inverse);
        let sum = |x: f64, y: f64, u: f64, v: f64| h / 6.0 * (x + 2.0 * y + 2.0 * u + v);
        z = (z.0 + sum(a.0, b.0, c.0, d.0), z.1 + sum(a.1, b.1, c.1, d.1));
        w = end;
    }
    let size = z.0 * z.0 + z.1 * z.1;
    // of η the sphere is seen from the other pole: η = (γ₂ + iγ₁)/(1 − γ₃)
    let side = if inverse { -1.0 } else { 1.0 };
    ([-side * 2.0 * z.1 / (1.0 + size), 2.0 * z.0 / (1.0 + size), side * (1.0 - size) / (1.0 + size)], changes)
}

/// The lifted rotation obeys Voronets' Riccati equation: γ = Rᵀe₃ by ζ, integrated on its own with the reduced motion of Ω, extrapolated from two steps.
#[test]
fn the_rotation_obeys_the_riccati_equation() {
    let mut changes = 0;
    for (name, lift) in
        [("suslov", &["R"][..]), ("free-rigid-body", &["R"]), ("chaplygin-ball", &[]), ("symmetric-sphere", &[])]
    {
        let motion = compile(name, &lifting(lift)).unwrap().solve(&Run::until(4.0)).unwrap();
        let (coarse, _) = along(&motion, 4.0, 2000);
        let (fine, n) = along(&motion, 4.0, 4000);
        changes += n;
        for (i, (a, b)) in coarse.iter().zip(fine).enumerate() {
            let gamma = motion.last[format!("R[3,{}]", i + 1).as_str()];
            let limit = (16.0 * b - a) / 15.0;
            assert!((limit - gamma).abs() < 1e-11, "{name}, γ{}: {limit} {gamma}", i + 1);
        }
    }
    assert!(changes > 0, "some motion crosses the equator");
}

/// Why γ̇ = γ × Ω is integrated and not ζ: it costs less, and needs no charts.
#[test]
fn the_linear_equation_is_cheaper() {
    let cost = |write: &dyn Fn(&mut Builder, [Value; 3]) -> Vec<Value>| {
        let mut b = Builder::new();
        let omega = ["p", "q", "r"].map(|n| b.input(n));
        for (i, v) in write(&mut b, omega).into_iter().enumerate() {
            b.output(format!("rate{i}"), v);
        }
        passes::optimise(&passes::finish(b)).cost()
    };
    let linear = cost(&|b, w| {
        let g = ["g1", "g2", "g3"].map(|n| b.input(n));
        let rate = |i: usize, j: usize, b: &mut Builder| {
            let (x, y) = (b.mul(g[i], w[j]), b.mul(g[j], w[i]));
            b.sub(x, y)
        };
        vec![rate(1, 2, b), rate(2, 0, b), rate(0, 1, b)]
    });
    let riccati = cost(&|b, [p, q, r]| {
        // ζ̇ = ½ (p + iq)(1 + …) in real and imaginary parts
        let (x, y) = (b.input("x"), b.input("y"));
        let (xx, yy, xy) = (b.mul(x, x), b.mul(y, y), b.mul(x, y));
        let difference = b.sub(xx, yy);
        let (p2, q2) = (b.scale(p, 0.5), b.scale(q, 0.5));
        let (a, c) = (b.mul(p2, difference), b.mul(q, xy));
        let (d, e) = (b.mul(q2, difference), b.mul(p, xy));
        let (ry, rx) = (b.mul(r, y), b.mul(r, x));
        let (re, im) = (b.add(p2, ry), b.sub(q2, rx));
        let (s, u) = (b.add(a, c), b.sub(e, d));
        vec![b.add(re, s), b.add(im, u)]
    });
    assert!(linear < riccati, "{linear} {riccati}");
}
