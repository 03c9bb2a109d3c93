//! A rolling disk for ten seconds: values at any time, what the ground does, how well energy is kept.

use polhode::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let disk = builtin::find("rolling-disk").expect("built in");
    let (mut system, _warnings) = System::new(&Model::from_text(disk.text)?)?;
    let motion = system.compile()?.solve(&Run::until(10.0).samples(101))?;

    // the motion is known at every time, not only at the samples
    let middle = motion.at(5.0).expect("within the run");
    println!("tilt {:.6} rad, normal force {:.3} N", middle["theta"], middle["normal_force"]);

    let highest = motion.samples.iter().map(|s| s["theta"]).fold(f64::MIN, f64::max);
    println!("largest tilt of {} samples: {highest:.3} rad", motion.samples.len());
    println!("energy is kept to {:.1e}", motion.report.energy_error);
    assert!(motion.report.energy_error < 1e-12);

    // the same as a table, for other programs
    let mut csv = Vec::new();
    motion.table().write_csv(&mut csv)?;
    println!("{} bytes of CSV", csv.len());
    Ok(())
}
