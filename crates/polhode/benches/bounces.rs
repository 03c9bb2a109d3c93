//! A million bounces of a ball between two rough walls: `cargo bench -p polhode --bench bounces`.
//!
//! In the plane, where the ball flies straight on and spins; and on the floor, where it rolls: the homogeneous ball, for which the reflection is known in closed form, and
//! the symmetric one, whose angular velocity changes on the way. All run from their model
//! file; besides the time, the drift of the energy over all bounces and that of the book-keeping. A number on the command line is the number of bounces, another word
//! chooses cases by their labels.

use polhode::prelude::*;
use std::time::Instant;

const BOUNCES: f64 = 1e6;

/// A homogeneous ball that moves in a plane between walls at x = ±1: the velocity of the point that touches is reversed.
const IN_THE_PLANE: &str = r#"
[parameters]
m = 1
r = 0.1
[coordinates]
x   = "real"
y   = "real"
phi = "real"
[lagrangian]
kinetic = "m/2*(x'^2 + y'^2) + m*r^2/5*phi'^2"
[[wall]]
name        = "right"
gap         = "1 - r - x"
slip        = "[y' + r*phi']"
restitution = 1
[[wall]]
name        = "left"
gap         = "x + 1 - r"
slip        = "[y' - r*phi']"
restitution = 1
[initial]
position = { x = 0.3 }
velocity = { x = 2, y = 0.7, phi = 5 }
"#;

fn main() {
    let count = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(BOUNCES);
    let wanted =
        std::env::args().skip(1).find(|a| !a.starts_with('-') && a.parse::<f64>().is_err()).unwrap_or_default();
    println!(
        "{:<26} {:>8} {:>9} {:>10} {:>10} {:>12} {:>12} {:>12}",
        "", "rtol", "bounces", "steps", "time", "per bounce", "drift of E", "balance"
    );
    let rolling = builtin::find("ball-rough-wall").expect("built in").text;
    // with the mean time between bounces
    let cases = [
        ("in the plane", IN_THE_PLANE, None, 0.9, Method::Taylor, 1e-14),
        ("rolling, homogeneous", rolling, Some("1"), 0.942, Method::Taylor, 1e-14),
        ("rolling, homogeneous", rolling, Some("1"), 0.942, Method::Dop853, 1e-9),
        ("rolling, alpha = 0.6", rolling, Some("0.6"), 0.918, Method::Taylor, 1e-14),
    ];
    for (label, text, alpha, interval, method, rtol) in cases.into_iter().filter(|c| c.0.contains(&wanted)) {
        let parameters = alpha.iter().map(|a| ("alpha".to_owned(), (*a).to_owned())).collect();
        let options = ParseOptions { parameters, ..ParseOptions::default() };
        let (model, _) = Model::parse("bounces.toml", text, &options).expect("a valid model");
        let (mut system, _) = System::new(&model).expect("a valid system");
        let compiled = system.compile().expect("it runs");
        let run = Run { dense: false, step_limit: u64::MAX, ..Run::until(interval * count).method(method).rtol(rtol) };
        let begun = Instant::now();
        let motion = compiled.solve(&run).expect("a sound run");
        let time = begun.elapsed().as_secs_f64();
        let r = &motion.report;
        println!(
            "{label:<26} {rtol:>8.0e} {:>9} {:>10} {time:>8.2} s {:>9.2} µs {:>12.1e} {:>12.1e}",
            r.jumps,
            r.statistics.steps,
            time / r.jumps as f64 * 1e6,
            r.energy_change / r.energy,
            r.energy_error,
        );
    }
}
