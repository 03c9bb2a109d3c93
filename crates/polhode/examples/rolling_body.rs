//! A rattleback: name the surfaces, and rolling without slipping follows. It is spun against its sense, and turns round.

use polhode::prelude::*;

const RATTLEBACK: &str = r#"
[gravity]
g = 9.81
[body.stone]
mass    = 1.0
surface = { ellipsoid = [0.20, 0.03, 0.02], centre = [0, 0, 0.01] }
inertia = { principal = ["2e-4", "16e-4", "17e-4"], turned = "Rz(0.014)" }
[ground]
surface = "plane"
[initial.stone]
touching = [0, 0, 0]
rotation = "Rx(0.5*deg)*Ry(0.5*deg)"
omega    = [0, 0, -5]
"#;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut system, _warnings) = System::new(&Model::from_text(RATTLEBACK)?)?;
    let motion = system.compile()?.solve(&Run::until(20.0).samples(201))?;
    for sample in motion.samples.iter().step_by(20) {
        println!("t = {:4.1}: spin {:6.3} rad/s", sample.t(), sample["Omega[3]"]);
    }
    let fastest_back = motion.samples.iter().map(|s| s["Omega[3]"]).fold(f64::MIN, f64::max);
    assert!(fastest_back > 0.0, "it turns the other way round for a while");
    Ok(())
}
