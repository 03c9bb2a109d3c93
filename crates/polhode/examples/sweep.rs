//! One model with many values: where a pendulum of several lengths is after a second, on all cores.

use polhode::base::SourceFile;
use polhode::prelude::*;
use polhode::sweep::{Axis, Design, Keep, Points, Spec, Study};
use std::sync::atomic::AtomicBool;

const PENDULUM: &str = r#"
[parameters]
l = 1
g = 9.81
[coordinates]
phi = "angle"
[lagrangian]
kinetic   = "l^2*phi'^2/2"
potential = "-g*l*cos(phi)"
[initial]
position = { phi = 0.1 }
"#;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |text: &str| text.parse::<f64>().map_err(|e| format!("{text}: {e}"));
    let lengths = Axis::read("l=0.5..2:7", &number)?;
    let spec = Spec {
        model: "pendulum".into(),
        set: Vec::new(),
        init: Vec::new(),
        design: Design::new(vec![lengths], Points::default(), 1)?,
        settings: RunSettings { until: Some("1".into()), ..RunSettings::default() },
        engine: None,
        keep: Keep::read_list("phi")?,
    };
    let study = Study::new(SourceFile::new("pendulum.toml", PENDULUM), spec)?;
    let mut rows = Vec::new();
    study.run(0..study.spec.design.len(), 2, &AtomicBool::new(false), &mut |_first, finished| {
        rows.extend(finished);
        true // go on
    });
    for (i, row) in rows.iter().enumerate() {
        println!("l = {:.2}: {} = {:.6}", study.spec.design.sample(i as u64)[0], study.columns()[0], row.values[0]);
    }

    // a small swing is nearly harmonic
    let (mut system, _warnings) = System::new(&Model::from_text(PENDULUM)?)?;
    let alone = system.compile()?.solve(&Run::until(1.0))?;
    assert!((alone.last["phi"] - 0.1 * 9.81f64.sqrt().cos()).abs() < 1e-3);
    Ok(())
}
